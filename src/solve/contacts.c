/* SPDX-License-Identifier: Apache-2.0
 * Contacts at a point: free accelerations, answers to unit forces, and the small system for the forces of those that
 * hold:
 *     n_i z' + bias = 0 for a contact that holds,  S_j z' + bias = 0 for friction that sticks,  f = mu N for what
 *     slides.  [RH 9] */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- memory */

static bool take_stance(struct actio_contacts *c, struct actio_stance *s)
{
    struct actio_context *ctx = c->m->ctx;
    s->closed = actio_alloc(ctx, c->contacts + 1, 1);
    s->rub = actio_alloc(ctx, c->rubs + 1, 1);
    s->toward = actio_alloc(ctx, c->slips + 1, sizeof *s->toward);
    s->sign = actio_alloc(ctx, c->rubs + 1, sizeof *s->sign);
    return s->closed && s->rub && s->toward && s->sign;
}

static bool take_numbers(struct actio_contacts *c)
{
    struct actio_context *ctx = c->m->ctx;
    size_t N = c->N, p = c->p, k = c->columns + c->rubs;
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &c->off.t, c->contacts },
        { &c->off.gap, c->contacts },
        { &c->off.rate, c->contacts },
        { &c->gap_noise, c->contacts },
        { &c->point.z0, N },
        { &c->point.l0, p },
        { &c->point.Z, c->columns * N },
        { &c->point.V, c->columns * p },
        { &c->small.W, k * N },
        { &c->small.U, k * p },
        { &c->small.M, k * k },
        { &c->small.LU, k * k },
        { &c->small.b, 2 * k },
        { &c->small.force, 2 * k },
        { &c->small.direction, c->slips },
        { &c->small.work, actio_rank_work(k, k) + k + N + p },
        { &c->found.zdot, N },
        { &c->found.lambda, p },
        { &c->found.normal, c->contacts },
        { &c->found.friction, c->slips },
        { &c->y, c->m->ny },
        { &c->halt, c->rubs },
        { &c->impulse, c->contacts },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(ctx, want[i].count + 1, sizeof(double)))) return false;
    c->off.how = actio_alloc(ctx, c->contacts + 1, 1);
    c->touch = actio_alloc(ctx, c->contacts + 1, sizeof *c->touch);
    c->rests = actio_alloc(ctx, c->contacts + 1, sizeof *c->rests);
    c->edge = actio_alloc(ctx, 2 * c->rubs + c->contacts + 1, sizeof *c->edge);
    c->snug = c->edge ? c->edge + c->rubs : NULL;
    c->point.answered = actio_alloc(ctx, c->columns + 1, sizeof *c->point.answered);
    c->small.unknown = actio_alloc(ctx, k + 1, sizeof *c->small.unknown);
    c->small.pivot = actio_alloc(ctx, k + 1, sizeof *c->small.pivot);
    c->small.iwork = actio_alloc(ctx, 2 * k + 1, sizeof *c->small.iwork);
    return c->off.how && c->touch && c->rests && c->edge && c->point.answered && c->small.unknown && c->small.pivot
           && c->small.iwork;
}

void *actio_contacts_room(struct actio_contacts *c, enum actio_room which, size_t bytes)
{
    if (bytes > c->room[which].size) {
        actio_free(c->m->ctx, c->room[which].at);
        c->room[which].at = actio_alloc(c->m->ctx, bytes, 1);
        c->room[which].size = c->room[which].at ? bytes : 0;
    }
    if (c->room[which].at) memset(c->room[which].at, 0, bytes);
    return c->room[which].at;
}

static bool take_rooms(struct actio_contacts *c)
{
    for (int i = 0; i < ACTIO_ROOMS; i++)
        if (!actio_contacts_room(c, (enum actio_room)i, ACTIO_FIRST_ROOM)) return false;
    return true;
}

static struct actio_contacts *contacts_take(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    struct actio_contacts *c = actio_alloc(m->ctx, 1, sizeof *c);
    if (!c) return NULL;
    m->contacts = c;
    *c = (struct actio_contacts){ .m = m,
                                  .n = m->n,
                                  .N = m->N,
                                  .p = m->p,
                                  .contacts = sys->walls.contacts,
                                  .rubs = sys->walls.rubs,
                                  .slips = sys->walls.slips,
                                  .columns = sys->walls.contacts + sys->walls.slips,
                                  .rub = sys->walls.rub };
    return take_stance(c, &c->now) && take_stance(c, &c->trial) && take_stance(c, &c->best) && take_numbers(c)
                   && take_rooms(c) && actio_contacts_reserve(c)
               ? c
               : NULL;
}

/* The GAPS kernel over the nodes of a step. */
static bool bind_lanes(struct actio_contacts *c)
{
    struct actio_motion *m = c->m;
    const struct actio_kernel *k = m->at[ACTIO_Q_GAPS].k;
    const actio_slot *slots;
    size_t nodes = ACTIO_ROOT_NODES, outputs = actio_kernel_outputs(k);
    c->lane.t = actio_alloc(m->ctx, nodes * (1 + m->ny + outputs) + 1, sizeof *c->lane.t);
    c->lane.in = actio_alloc(m->ctx, actio_kernel_inputs(k, &slots) + 1, sizeof *c->lane.in);
    c->lane.out = actio_alloc(m->ctx, outputs + 1, sizeof *c->lane.out);
    c->lane.work = actio_alloc(m->ctx, actio_kernel_work(k) + 1, sizeof *c->lane.work);
    if (!c->lane.t || !c->lane.in || !c->lane.out || !c->lane.work) return false;
    c->lane.y = c->lane.t + nodes;
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        const double *base;
        ptrdiff_t index, lane;
    } at[] = {
        { ACTIO_SPACE_T, c->lane.t, 0, 1 },
        { ACTIO_SPACE_Q, c->lane.y, (ptrdiff_t)nodes, 1 },
        { ACTIO_SPACE_V, c->lane.y + m->n * nodes, (ptrdiff_t)nodes, 1 },
        { ACTIO_SPACE_STATE, c->lane.y + 2 * m->n * nodes, (ptrdiff_t)nodes, 1 },
        { ACTIO_SPACE_PARAM, m->here.param, 1, 0 },
        { ACTIO_SPACE_HIDDEN, m->here.hidden, 1, 0 },
        { ACTIO_SPACE_MODE, m->here.mode, 1, 0 },
        { ACTIO_SPACE_HELD, m->here.mode + m->sys->switches.count, 1, 0 },
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        b.space[at[i].space].base = at[i].base;
        b.space[at[i].space].index_step = at[i].index;
        b.space[at[i].space].lane_step = at[i].lane;
    }
    actio_kernel_bind(k, &b, c->lane.in);
    for (size_t j = 0; j < outputs; j++) c->lane.out[j] = c->lane.y + (m->ny + j) * nodes;
    return true;
}

int actio_contacts_allocate(struct actio_motion *m)
{
    if (contacts_take(m) && actio_motion_need(m, ACTIO_Q_GAPS) == 0 && actio_motion_need(m, ACTIO_Q_CONTACT) == 0
        && bind_lanes(m->contacts))
        return 0;
    if (m->ctx->findings)
        actio_report(m->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the contacts"), ACTIO_COUNT(m->ctx->bytes_limit)));
    return 1;
}

void actio_contacts_close(struct actio_motion *m)
{
    struct actio_contacts *c = m->contacts;
    if (!c) return;
    struct actio_stance *stances[] = { &c->now, &c->trial, &c->best };
    for (size_t i = 0; i < 3; i++) {
        void *parts[] = { stances[i]->closed, stances[i]->rub, stances[i]->toward, stances[i]->sign };
        for (size_t j = 0; j < 4; j++) actio_free(m->ctx, parts[j]);
    }
    void *all[] = {
        c->off.how,
        c->off.t,
        c->off.gap,
        c->off.rate,
        c->gap_noise,
        c->touch,
        c->rests,
        c->edge,
        c->point.z0,
        c->point.l0,
        c->point.Z,
        c->point.V,
        c->point.answered,
        c->small.unknown,
        c->small.W,
        c->small.U,
        c->small.M,
        c->small.LU,
        c->small.b,
        c->small.force,
        c->small.direction,
        c->small.work,
        c->small.pivot,
        c->small.iwork,
        c->found.zdot,
        c->found.lambda,
        c->found.normal,
        c->found.friction,
        c->y,
        c->halt,
        c->impulse,
        c->past.change,
        c->past.stance,
        c->past.toward,
        c->lane.t,
        c->lane.in,
        c->lane.out,
        c->lane.work,
        c->room[0].at,
        c->room[1].at,
        c->room[2].at,
        c->room[3].at,
        c,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
    m->contacts = NULL;
}

void actio_stance_copy(const struct actio_contacts *c, struct actio_stance *to, const struct actio_stance *from)
{
    memcpy(to->closed, from->closed, c->contacts);
    memcpy(to->rub, from->rub, c->rubs);
    memcpy(to->toward, from->toward, c->slips * sizeof *to->toward);
    memcpy(to->sign, from->sign, c->rubs * sizeof *to->sign);
}

/* ---- a point */

int actio_contacts_at(struct actio_contacts *c, double t, const double *y)
{
    struct actio_motion *m = c->m;
    c->point.values = actio_motion_values(m, t, y);
    if (!c->point.values) return ACTIO_FLOW_NAN;
    if (actio_saddle_factor(m->saddle, c->point.values)
        || actio_saddle_solve(m->saddle, c->point.z0, c->point.l0, m->here.reaction))
        return ACTIO_FLOW_SINGULAR;
    c->point.x = actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y);
    memset(c->point.answered, 0, c->columns * sizeof *c->point.answered);
    const double *h = c->point.values + m->sys->G.count + m->sys->A.count + m->sys->D.count;
    c->point.force_size = 0;
    for (size_t i = 0; i < c->n; i++) c->point.force_size = fmax(c->point.force_size, fabs(h[i]));
    return ACTIO_FLOW_OK;
}

const double *actio_contacts_answer(struct actio_contacts *c, size_t column)
{
    double *z = c->point.Z + column * c->N, *force = c->small.work;
    if (c->point.answered[column]) return z;
    memset(force, 0, c->N * sizeof *force);
    memcpy(force, actio_column_row(c, column), c->n * sizeof *force);
    if (actio_saddle_respond(c->m->saddle, force, z, c->point.V + column * c->p)) memset(z, 0, c->N * sizeof *z);
    c->point.answered[column] = true;
    return z;
}

double actio_slip_size(const struct actio_contacts *c, size_t rub)
{
    const struct actio_rub *r = &c->rub[rub];
    double sum = 0;
    for (size_t j = 0; j < r->slips; j++) sum += actio_slip_of(c, r->slip + j)[0] * actio_slip_of(c, r->slip + j)[0];
    return sqrt(sum);
}

/* |r v|^2 <= (r K r') (v' G v): a rate beside this is rounding, whatever the units. */
double actio_kinetic_speed(const struct actio_contacts *c, size_t column, const double *v)
{
    const struct actio_system *sys = c->m->sys;
    double energy = 0, mobility = actio_dot(c->n, actio_column_row(c, column),
                                            actio_contacts_answer((struct actio_contacts *)c, column));
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] < c->n && sys->G.col[i] < c->n)
            energy += v[sys->G.row[i]] * c->point.values[i] * v[sys->G.col[i]];
    return sqrt(fmax(fabs(energy), c->most_energy) * fabs(mobility));
}

/* ---- the small system */

/* The direction of sliding: that of the slip, seen from the side where it is known to go; where there is none, that
 * side itself. */
static void set_direction(struct actio_contacts *c, const struct actio_stance *s, size_t rub)
{
    const struct actio_rub *r = &c->rub[rub];
    double size = r->slips > 1 ? actio_slip_size(c, rub) : 0, along = 0;
    for (size_t j = 0; j < r->slips; j++) along += actio_slip_of(c, r->slip + j)[0] * s->toward[r->slip + j];
    for (size_t j = 0; j < r->slips; j++) {
        double slip = actio_slip_of(c, r->slip + j)[0];
        c->small.direction[r->slip + j] =
            size > 0 && fabs(along) > 1e-3 * size ? copysign(1, along) * slip / size : s->toward[r->slip + j];
    }
}

/* factor times the answer to a column joins that of an unknown. */
static void contacts_join(struct actio_contacts *c, size_t unknown, size_t column, double factor)
{
    const double *z = actio_contacts_answer(c, column), *v = c->point.V + column * c->p;
    double *w = c->small.W + unknown * c->N, *u = c->small.U + unknown * c->p;
    for (size_t i = 0; i < c->N; i++) w[i] += factor * z[i];
    for (size_t k = 0; k < c->p; k++) u[k] += factor * v[k];
}

static size_t add_unknown(struct actio_contacts *c, enum actio_force_kind kind, size_t index)
{
    size_t u = c->small.unknowns++;
    c->small.unknown[u] = (struct actio_unknown){ kind, (uint32_t)index };
    memset(c->small.W + u * c->N, 0, c->N * sizeof *c->small.W);
    memset(c->small.U + u * c->p, 0, c->p * sizeof *c->small.U);
    return u;
}

static double sliding_share(const struct actio_contacts *c, size_t rub)
{
    return actio_rub_of(c, rub)[c->edge[rub] ? ACTIO_RUB_STICKING : ACTIO_RUB_SLIDING]
           * actio_rub_of(c, rub)[ACTIO_RUB_SCALE];
}

static void list_rub(struct actio_contacts *c, const struct actio_stance *s, size_t rub, size_t normal)
{
    const struct actio_rub *r = &c->rub[rub];
    if (s->rub[rub] == ACTIO_RUB_STICKS)
        for (size_t j = 0; j < r->slips; j++)
            contacts_join(c, add_unknown(c, ACTIO_FORCE_TANGENT, r->slip + j), c->contacts + r->slip + j, 1);
    if (s->rub[rub] != ACTIO_RUB_SLIDES) return;
    set_direction(c, s, rub);
    size_t u = r->contact != UINT32_MAX ? normal : add_unknown(c, ACTIO_FORCE_DRAG, rub);
    double share = r->contact != UINT32_MAX ? sliding_share(c, rub) : 1;
    for (size_t j = 0; j < r->slips; j++)
        contacts_join(c, u, c->contacts + r->slip + j, -share * c->small.direction[r->slip + j]);
}

static void list_unknowns(struct actio_contacts *c, const struct actio_stance *s)
{
    c->small.unknowns = 0;
    for (size_t i = 0; i < c->contacts; i++) {
        if (!s->closed[i]) continue;
        size_t u = add_unknown(c, ACTIO_FORCE_NORMAL, i);
        contacts_join(c, u, i, 1);
        for (size_t r = 0; r < c->rubs; r++)
            if (c->rub[r].contact == i) list_rub(c, s, r, u);
    }
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == UINT32_MAX) list_rub(c, s, r, 0);
}

/* What equation u says of accelerations z and multipliers l; zero when it holds. With is_part: of a part of them,
 * without constants. */
static double equation(const struct actio_contacts *c, const struct actio_stance *s, size_t u, const double *z,
                       const double *l, bool is_part)
{
    const struct actio_unknown *x = &c->small.unknown[u];
    if (x->kind == ACTIO_FORCE_NORMAL)
        return actio_dot(c->n, actio_column_row(c, x->index), z)
               + (is_part ? 0 : actio_gap_of(c, x->index)[ACTIO_GAP_BIAS]);
    if (x->kind == ACTIO_FORCE_TANGENT)
        return actio_dot(c->n, actio_column_row(c, c->contacts + x->index), z)
               + (is_part ? 0 : actio_slip_of(c, x->index)[ACTIO_SLIP_BIAS]);
    return -sliding_share(c, x->index) * s->sign[x->index] * l[c->rub[x->index].constraint];
}

static double own_part(const struct actio_contacts *c, size_t u, const double *force)
{
    return c->small.unknown[u].kind == ACTIO_FORCE_DRAG ? force[u] : 0;
}

static void form_small(struct actio_contacts *c, const struct actio_stance *s)
{
    size_t k = c->small.unknowns;
    for (size_t u = 0; u < k; u++)
        for (size_t w = 0; w < k; w++)
            c->small.M[u * k + w] = equation(c, s, u, c->small.W + w * c->N, c->small.U + w * c->p, true)
                                    + (u == w && c->small.unknown[u].kind == ACTIO_FORCE_DRAG);
}

static double signed_ratio(size_t k, const double *LU, const int *pivot)
{
    bool minus = false;
    for (size_t i = 0; i < k; i++) minus ^= (LU[i * k + i] < 0) ^ ((size_t)pivot[i] != i);
    return (minus ? -1 : 1) * actio_lu_pivot_ratio(k, LU);
}

/* M x = b: by elimination while it is regular, else the forces of least norm. 0, or 1: nothing solves it. */
static int solve_small(struct actio_contacts *c, const double *b, double *x)
{
    size_t k = c->small.unknowns;
    double defect = 0, size = 0;
    if (c->small.solvable != 0) {
        memcpy(x, b, k * sizeof *x);
        actio_lu_solve(k, c->small.LU, c->small.pivot, x, 1, false);
        return 0;
    }
    memcpy(c->small.LU, c->small.M, k * k * sizeof *c->small.M);
    actio_min_norm(k, k, c->small.LU, b, 1e-10, x, &defect, c->small.work, c->small.iwork);
    for (size_t u = 0; u < k; u++) size = fmax(size, fabs(b[u]));
    return !(defect <= 1e-8 * size);
}

static void factor_small(struct actio_contacts *c)
{
    size_t k = c->small.unknowns;
    memcpy(c->small.LU, c->small.M, k * k * sizeof *c->small.M);
    c->small.solvable = k == 0 ? 1
                        : actio_lu_factor(k, c->small.LU, c->small.pivot)
                            ? 0
                            : signed_ratio(k, c->small.LU, c->small.pivot);
    if (fabs(c->small.solvable) < 1e-13) c->small.solvable = 0;
}

/* z', multipliers from the forces. */
static void superpose(struct actio_contacts *c, const double *force)
{
    for (size_t u = 0; u < c->small.unknowns; u++) {
        const double *w = c->small.W + u * c->N, *v = c->small.U + u * c->p;
        for (size_t i = 0; i < c->N; i++) c->found.zdot[i] += force[u] * w[i];
        for (size_t k = 0; k < c->p; k++) c->found.lambda[k] += force[u] * v[k];
    }
}

void actio_contacts_tell(struct actio_contacts *c, const struct actio_stance *s)
{
    memset(c->found.normal, 0, c->contacts * sizeof *c->found.normal);
    memset(c->found.friction, 0, c->slips * sizeof *c->found.friction);
    for (size_t u = 0; u < c->small.unknowns; u++) {
        const struct actio_unknown *x = &c->small.unknown[u];
        if (x->kind == ACTIO_FORCE_NORMAL) c->found.normal[x->index] = c->small.force[u];
        else if (x->kind == ACTIO_FORCE_TANGENT) c->found.friction[x->index] = c->small.force[u];
        for (size_t j = 0; x->kind == ACTIO_FORCE_DRAG && j < c->rub[x->index].slips; j++)
            c->found.friction[c->rub[x->index].slip + j] =
                -c->small.force[u] * c->small.direction[c->rub[x->index].slip + j];
    }
    for (size_t r = 0; r < c->rubs; r++)
        for (size_t j = 0; s->rub[r] == ACTIO_RUB_SLIDES && c->rub[r].contact != UINT32_MAX && j < c->rub[r].slips; j++)
            c->found.friction[c->rub[r].slip + j] =
                -sliding_share(c, r) * c->found.normal[c->rub[r].contact] * c->small.direction[c->rub[r].slip + j];
}

/* Solved, and once more for what rounding left: what sticks has no acceleration at all, not one of 1e-16. */
int actio_contacts_solve(struct actio_contacts *c, const struct actio_stance *s)
{
    double *more = c->small.force + c->small.unknowns;
    list_unknowns(c, s);
    size_t k = c->small.unknowns;
    more = c->small.force + k;
    memcpy(c->found.zdot, c->point.z0, c->N * sizeof *c->found.zdot);
    memcpy(c->found.lambda, c->point.l0, c->p * sizeof *c->found.lambda);
    memset(c->small.force, 0, k * sizeof *c->small.force);
    form_small(c, s);
    factor_small(c);
    for (int round = 0; k && round < 2; round++) {
        for (size_t u = 0; u < k; u++)
            c->small.b[u] = -equation(c, s, u, c->found.zdot, c->found.lambda, false) - own_part(c, u, c->small.force);
        int bad = solve_small(c, c->small.b, more);
        if (bad && round == 0) return 1;
        if (bad) break;
        superpose(c, more);
        for (size_t u = 0; u < k; u++) c->small.force[u] += more[u];
    }
    actio_contacts_tell(c, s);
    for (size_t i = 0; i < c->N; i++)
        if (!isfinite(c->found.zdot[i])) return 1;
    return 0;
}
