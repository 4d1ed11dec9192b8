/* SPDX-License-Identifier: Apache-2.0
 * Contacts along a motion: the flow under a stance, guards for everything that can end it, and what follows when one
 * does. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NO_FORCE 1e-12 /* of the forces at work: a contact that pulls less than this still holds */
/* of the largest sticking friction: beyond this it slides; a little more than stance.c allows */
#define AT_THE_EDGE 3e-13
#define EDGES 10        /* of that: what has not come farther is still at the edge */
#define WALL_JUMPS 1e-9 /* of the size of a gap's terms: a wall that is farther off behind a switch has jumped */
#define LATE 1e-11      /* of the interval: how far from its instant a crossing may be located */
#define ROUNDED 1e-13   /* of positions, and of what they cover on the way: their rounding */
#define HALT 1e-7       /* of the fastest slip along two directions: there it is as good as 0, and turns no more */
#define ALLOWANCE 1e-13 /* of the size of a gap's terms: a released contact may come this far back */

/* ---- the flow under a stance */

static int solve_at(struct actio_contacts *c, double t, const double *y)
{
    int status = actio_contacts_at(c, t, y);
    if (status || actio_contacts_solve(c, &c->now)) return status ? status : ACTIO_FLOW_SINGULAR;
    if (c->small.solvable == 0) actio_contacts_share(c, &c->now);
    return ACTIO_FLOW_OK;
}

static int contacts_rhs(void *user, double t, const double *y, double *dy)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (!c->busy) return c->free_rhs(m, t, y, dy);
    m->evaluations++;
    bool by_law = m->obeys.law && m->obeys.law->one_sided;
    int status = by_law ? m->obeys.law->one_sided(m, t, y, c->now.closed) : solve_at(c, t, y);
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, by_law ? m->here.zdot : c->found.zdot, m->N * sizeof *dy);
    return status;
}

/* Columns of what holds: closed contacts, and slips that stick, which do not move while others are put back. Returns
 * how many there are. */
static size_t list_holding(struct actio_contacts *c)
{
    size_t k = 0;
    for (size_t i = 0; i < c->contacts; i++)
        if (c->now.closed[i]) c->small.unknown[k++].index = (uint32_t)i;
    for (size_t r = 0; r < c->rubs; r++)
        for (size_t j = 0; c->now.rub[r] == ACTIO_RUB_STICKS && j < c->rub[r].slips; j++)
            c->small.unknown[k++].index = (uint32_t)(c->contacts + c->rub[r].slip + j);
    return k;
}

/* By how much a column that holds is off: at position level (0) a gap, at velocity level (1) its rate, or a slip. */
static double residual_of(const struct actio_contacts *c, size_t column, int level)
{
    if (column < c->contacts) return actio_gap_of(c, column)[level ? ACTIO_GAP_RATE : ACTIO_GAP_VALUE];
    return level ? actio_slip_of(c, column - c->contacts)[ACTIO_SLIP_VALUE] : 0;
}

/* Rows that hold: their residuals at position level (slips have none) or velocity level; moves q or v along the answers
 * to unit forces. */
int actio_contacts_put_on(struct actio_contacts *c, double t, double *y, int level)
{
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    size_t k = list_holding(c);
    if (k == 0) return ACTIO_FLOW_OK;
    double *z = level ? y + c->n : y, defect;
    for (size_t u = 0; u < k; u++) {
        size_t column = c->small.unknown[u].index;
        c->small.b[u] = -residual_of(c, column, level);
        for (size_t w = 0; w < k; w++)
            c->small.M[u * k + w] =
                actio_dot(c->n, actio_column_row(c, column), actio_contacts_answer(c, c->small.unknown[w].index));
    }
    actio_min_norm(k, k, c->small.M, c->small.b, 1e-10, c->small.force, &defect, c->small.work, c->small.iwork);
    for (size_t u = 0; u < k; u++) {
        const double *answer = actio_contacts_answer(c, c->small.unknown[u].index);
        for (size_t i = 0; i < (level ? c->N : c->n); i++) z[i] += c->small.force[u] * answer[i];
    }
    return ACTIO_FLOW_OK;
}

/* Constraints, then what holds, along directions that the constraints allow; twice, as both are curved. */
static int contacts_project(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    int status = m->sys->levels ? actio_motion_project(m, t, y) : ACTIO_FLOW_OK;
    for (int round = 0; c->busy && !status && round < 2; round++) {
        status = actio_contacts_put_on(c, t, y, 0);
        if (!status && m->sys->levels) status = actio_motion_project(m, t, y);
        if (!status) status = actio_contacts_put_on(c, t, y, 1);
    }
    return status == ACTIO_FLOW_SINGULAR ? ACTIO_FLOW_OK : status;
}

/* ---- guards: switches; contacts; rubs; signs of loaded constraints; whether forces can be found; then events, which
 * are only listed */

static size_t first_contact(const struct actio_contacts *c) { return c->m->sys->switches.count; }
static size_t first_rub(const struct actio_contacts *c) { return first_contact(c) + c->contacts; }
static size_t first_sign(const struct actio_contacts *c) { return first_rub(c) + c->rubs; }
static size_t last_firm(const struct actio_contacts *c) { return first_sign(c) + c->rubs; }

static double gap_guard(const struct actio_contacts *c, size_t i, double t, double gap)
{
    if (c->off.how[i] == ACTIO_LEFT_PLAIN) return gap;
    if (c->off.how[i] == ACTIO_LEFT_AFTER_RELEASE)
        return gap - c->off.gap[i] + ALLOWANCE * c->gap_noise[i] / DBL_EPSILON;
    double since = fabs(t - c->off.t[i]);
    /* at first that is its rate */
    return since * c->off.rate[i] > 100 * c->gap_noise[i] ? (gap - c->off.gap[i]) / since : c->off.rate[i];
}

/* What rounding may take from a force that just holds. */
static double hold_allowance(const struct actio_contacts *c, size_t i)
{
    double row = actio_largest(actio_column_row(c, i), c->n);
    return row > 0 ? NO_FORCE * c->point.force_size / row : 0;
}

static double hold_guard(const struct actio_contacts *c, size_t i)
{
    return c->found.normal[i] + (c->snug[i] ? hold_allowance(c, i) : 0);
}

/* Load of a rub: the normal force. */
static double load_of(const struct actio_contacts *c, size_t r)
{
    const struct actio_rub *rub = &c->rub[r];
    double lambda = rub->contact != UINT32_MAX ? c->found.normal[rub->contact] : fabs(c->found.lambda[rub->constraint]);
    return lambda * actio_rub_of(c, r)[ACTIO_RUB_SCALE];
}

/* How much more friction would still stick. */
static double stick_margin(const struct actio_contacts *c, size_t r, double *allowance)
{
    const struct actio_rub *rub = &c->rub[r];
    double size = 0, most = actio_rub_of(c, r)[ACTIO_RUB_STICKING] * load_of(c, r);
    for (size_t j = 0; j < rub->slips; j++) size = hypot(size, c->found.friction[rub->slip + j]);
    *allowance = AT_THE_EDGE * (fabs(most) + 0.1 * c->point.force_size);
    return most - size;
}

static double rub_guard(const struct actio_contacts *c, size_t r)
{
    const struct actio_rub *rub = &c->rub[r];
    double along = 0, allowance;
    if (c->now.rub[r] == ACTIO_RUB_IDLE) return 1;
    if (c->now.rub[r] == ACTIO_RUB_STICKS) {
        double margin = stick_margin(c, r, &allowance);
        return margin + (c->snug[c->contacts + r] ? allowance : 0);
    }
    if (c->halt[r] > 0) return actio_slip_size(c, r) - c->halt[r];
    for (size_t j = 0; j < rub->slips; j++)
        along += actio_slip_of(c, rub->slip + j)[ACTIO_SLIP_VALUE] * c->now.toward[rub->slip + j];
    return along;
}

void actio_contacts_note_edges(struct actio_contacts *c, bool fresh)
{
    double allowance;
    bool any = fresh;
    for (size_t k = 0; k < c->contacts + c->rubs; k++) any |= c->snug[k];
    if (!c->busy || !any || actio_contacts_solve(c, &c->now)) return;
    if (c->small.solvable == 0) actio_contacts_share(c, &c->now);
    for (size_t i = 0; i < c->contacts; i++)
        c->snug[i] = (fresh || c->snug[i]) && c->now.closed[i] && c->found.normal[i] <= EDGES * hold_allowance(c, i);
    for (size_t r = 0; r < c->rubs; r++) {
        bool *snug = &c->snug[c->contacts + r], sticks = c->now.rub[r] == ACTIO_RUB_STICKS;
        *snug = (fresh || *snug) && sticks && stick_margin(c, r, &allowance) <= EDGES * allowance;
    }
}

/* The smaller of both: it must not jump where one of them ends. */
static double sign_guard(const struct actio_contacts *c, size_t r)
{
    double range = c->now.rub[r] == ACTIO_RUB_IDLE ? 1 : actio_contacts_friction_guard(c, r);
    if (c->rub[r].constraint == UINT32_MAX || c->now.rub[r] != ACTIO_RUB_SLIDES) return range;
    return fmin(range, c->found.lambda[c->rub[r].constraint] * c->now.sign[r] + NO_FORCE * c->point.force_size);
}

static void contacts_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (m->sys->switches.count) actio_switch_guard(m, t, y, g);
    bool none = c->contacts + m->sys->walls.events == 0;
    const double *gap = none ? NULL : actio_motion_quantity(m, ACTIO_Q_GAPS, t, y);
    for (size_t i = 0; i < c->contacts; i++) g[first_contact(c) + i] = gap_guard(c, i, t, gap[i]);
    for (size_t i = 0; i < m->sys->walls.events; i++) g[last_firm(c) + i] = gap[actio_first_event(m->sys) + i];
    for (size_t k = first_rub(c); k < last_firm(c); k++) g[k] = 1;
    if (!c->busy) return;
    bool solved = solve_at(c, t, y) == ACTIO_FLOW_OK;
    for (size_t i = 0; i < c->contacts; i++)
        if (c->now.closed[i]) g[first_contact(c) + i] = solved ? hold_guard(c, i) : -1;
    for (size_t r = 0; solved && r < c->rubs; r++) {
        g[first_rub(c) + r] = rub_guard(c, r);
        g[first_sign(c) + r] = sign_guard(c, r);
    }
}

/* In free flight: gaps and events over lanes. */
static bool contacts_sample(void *user, double *g)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    const struct actio_bound *b = &m->at[ACTIO_Q_GAPS];
    size_t guards = m->flow.guards, nodes = ACTIO_ROOT_NODES;
    if (c->busy || m->sys->switches.count) return false;
    actio_kernel_eval(b->k, nodes, c->lane.in, b->pre, 1, c->lane.out, c->lane.work);
    for (size_t k = 0; k < nodes; k++, g += guards) {
        for (size_t i = 0; i < c->contacts; i++) g[i] = gap_guard(c, i, c->lane.t[k], c->lane.out[i][k]);
        for (size_t i = c->contacts; i < last_firm(c); i++) g[i] = 1;
        for (size_t i = 0; i < m->sys->walls.events; i++)
            g[last_firm(c) + i] = c->lane.out[actio_first_event(m->sys) + i][k];
    }
    return true;
}

static int contacts_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    return k < m->sys->switches.count ? actio_switch_side(m, k) : k < last_firm(m->contacts) ? 1 : 0;
}

/* ---- when something happens */

/* Along two slips the one in view may vanish while the other does not: then it only turns. */
static bool has_stopped(struct actio_contacts *c, size_t r, double t, const double *y)
{
    c->delay = 0;
    /* the last of the way it goes straight: it ends after |slip|/|slip'| */
    if (c->halt[r] > 0 && solve_at(c, t, y) == ACTIO_FLOW_OK) {
        double size = actio_slip_size(c, r), slower = 0;
        for (size_t j = c->rub[r].slip; j < c->rub[r].slip + c->rub[r].slips; j++)
            slower -= actio_slip_of(c, j)[ACTIO_SLIP_VALUE] / size
                      * (actio_dot(c->n, actio_column_row(c, c->contacts + j), c->found.zdot)
                         + actio_slip_of(c, j)[ACTIO_SLIP_BIAS]);
        c->delay = slower > 0 ? size / slower : 0;
    }
    if (c->rub[r].slips == 1 || c->halt[r] > 0 || actio_contacts_at(c, t, y)) return true;
    return actio_slip_size(c, r) <= 1e-8 * actio_kinetic_speed(c, c->contacts + c->rub[r].slip, y + c->n);
}

/* What rounding of the state and of the instant's time makes of gap i. */
static double rounding_of(const struct actio_contacts *c, size_t i, const double *y)
{
    const double *row = actio_column_row(c, i);
    double size = LATE * fabs(c->m->span * actio_gap_of(c, i)[ACTIO_GAP_RATE]);
    for (size_t k = 0; k < c->n; k++) size += ROUNDED * fabs(row[k]) * fmax(fabs(y[k]), fabs(c->m->span * y[c->n + k]));
    return size;
}

/* A switch in a gap: a wall that jumps away releases the body, one that jumps into it is not a wall. Others are
 * settled as after any change. */
static int walls_jump(struct actio_contacts *c, double t, const double *y)
{
    int status = actio_contacts_at(c, t, y);
    for (size_t i = 0; i < c->contacts && !status; i++) {
        const double *g = actio_gap_of(c, i);
        double far = WALL_JUMPS * g[ACTIO_GAP_SIZE] + rounding_of(c, i, y);
        if (g[ACTIO_GAP_VALUE] < -far) {
            c->m->halted.why = ACTIO_STOP_GAP_JUMPS;
            c->m->halted.by = i;
            actio_modes_forget(c->m); /* the last row is one before it */
            return ACTIO_FLOW_FAILED;
        }
        if (!c->now.closed[i] || g[ACTIO_GAP_VALUE] <= far) continue;
        c->now.closed[i] = false;
        c->off.how[i] = ACTIO_LEFT_PLAIN;
        status = actio_contacts_happens(c, t, ACTIO_OPENS, i, 0, "");
    }
    return status;
}

static int contact_switch_crossed(struct actio_contacts *c, size_t k, double t, double *y)
{
    bool held = c->busy;
    int status = actio_switch_crossed(c->m, k, t, y);
    if (!status) status = walls_jump(c, t, y);
    if (!status && held) status = actio_contacts_settle(c, t, y, c->contacts);
    return status ? status : actio_switches_jumped(c->m, t, y);
}

static int contacts_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (k < m->sys->switches.count) return contact_switch_crossed(c, k, t, y);
    size_t contact = k - first_contact(c);
    if (k >= first_rub(c) && k < first_sign(c) && has_stopped(c, k - first_rub(c), t, y)) c->stopped = k - first_rub(c);
    size_t hit = contact < c->contacts && !c->now.closed[contact] ? contact : c->contacts;
    c->refused = hit == c->contacts;
    bool done;
    int status = actio_contacts_bounce(c, t, y, hit, &done);
    if (!status && !done) status = actio_contacts_settle(c, t, y, hit);
    return status ? status : actio_switches_jumped(m, t, y);
}

static int contacts_passed(void *user, size_t k, double t, const double *y)
{
    struct actio_motion *m = user;
    (void)y;
    return actio_contacts_happens(m->contacts, t, ACTIO_PASSES, k - last_firm(m->contacts), 0, "");
}

/* Between steps: a released contact that is clear of the wall is looked at plainly; directions of sliding are taken
 * anew where they turn. */
static void contacts_stepped(void *user, double t, const double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    const double *gap = NULL;
    for (size_t i = 0; i < c->contacts; i++) {
        if (c->off.how[i] != ACTIO_LEFT_AFTER_RELEASE || c->now.closed[i]) continue;
        if (!gap) gap = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y);
        if (gap[i] > 100 * ALLOWANCE * c->gap_noise[i] / DBL_EPSILON) c->off.how[i] = ACTIO_LEFT_PLAIN;
    }
    bool turns = false, edges = false;
    for (size_t r = 0; r < c->rubs; r++) turns |= c->now.rub[r] == ACTIO_RUB_SLIDES && c->rub[r].slips > 1;
    for (size_t k = 0; k < c->contacts + c->rubs; k++) edges |= c->snug[k];
    if (!(turns || edges) || actio_contacts_at(c, t, y)) return;
    if (edges) actio_contacts_note_edges(c, false);
    if (!turns) return;
    for (size_t r = 0; r < c->rubs; r++) {
        double size = actio_slip_size(c, r);
        if (c->now.rub[r] == ACTIO_RUB_SLIDES && c->rub[r].slips > 1) c->halt[r] = fmax(c->halt[r], HALT * size);
        for (size_t j = 0; c->now.rub[r] == ACTIO_RUB_SLIDES && c->rub[r].slips > 1 && size > 0 && j < c->rub[r].slips;
             j++)
            c->now.toward[c->rub[r].slip + j] = actio_slip_of(c, c->rub[r].slip + j)[ACTIO_SLIP_VALUE] / size;
    }
    actio_contacts_remember(c, t);
}

static int contacts_enter(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    return actio_contacts_settle(m->contacts, t, y, m->contacts->contacts);
}

static bool is_free(void *user) { return !((struct actio_motion *)user)->contacts->busy; }

/* ---- outside */

void actio_contacts_begin(struct actio_motion *m)
{
    struct actio_contacts *c = m->contacts;
    memset(c->now.closed, 0, c->contacts);
    memset(c->now.rub, 0, c->rubs);
    memset(c->off.how, 0, c->contacts);
    memset(c->snug, 0, (c->contacts + c->rubs) * sizeof *c->snug);
    memset(c->now.toward, 0, c->slips * sizeof *c->now.toward);
    for (size_t r = 0; r < c->rubs; r++) c->now.sign[r] = 1;
    c->past.changes = 0;
    c->ambiguity = (struct actio_ambiguity){ 0 };
    c->busy = false;
    c->stopped = SIZE_MAX;
    c->most_energy = 0;
    c->jam.contact = c->contacts;
    c->storm.count = c->storm.moment = 0;
    c->storm.from = c->storm.moment_from = 0;
}

int actio_contacts_resume(struct actio_motion *m, double t)
{
    struct actio_contacts *c = m->contacts;
    c->past.changes = 0;
    c->ambiguity = (struct actio_ambiguity){ 0 };
    c->jam.contact = c->contacts;
    return actio_contacts_remember(c, t);
}

static void watch_events(struct actio_motion *m)
{
    struct actio_ode *f = &m->flow;
    f->guards = last_firm(m->contacts) + m->sys->walls.events;
    f->watched = m->sys->walls.events;
    f->way = m->sys->resets.way;
    f->guard = contacts_guard;
    f->side = contacts_side;
    f->passed = contacts_passed;
    f->sample = contacts_sample;
    f->sampled_t = m->contacts->lane.t;
    f->sampled_y = m->contacts->lane.y;
}

static void take_flow_over(struct actio_motion *m)
{
    struct actio_ode *f = &m->flow;
    f->rhs = contacts_rhs;
    f->project = contacts_project;
    f->crossed = contacts_crossed;
    f->enter = contacts_enter;
    f->stepped = contacts_stepped;
    f->pattern = NULL;
    f->jacobian = NULL;
    if (m->sys->is.ballistic) {
        f->is_free = is_free;
        f->positions = m->n;
    }
}

int actio_contacts_open(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    if (sys->walls.contacts + sys->walls.rubs + sys->walls.events + sys->resets.statements == 0) return 0;
    if (actio_contacts_allocate(m)) return 1;
    watch_events(m);
    if (actio_contacts_hard(m)) take_flow_over(m);
    m->contacts->local = 1e-9;
    m->contacts->free_rhs = actio_motion_rhs;
    actio_contacts_begin(m);
    return 0;
}

int actio_contacts_row(struct actio_motion *m, double t, double *y, bool backward)
{
    struct actio_contacts *c = m->contacts;
    actio_contacts_recall(c, t, backward);
    int status = contacts_project(m, t, y);
    if (!status) status = solve_at(c, t, y);
    if (status) return status;
    const struct actio_system *sys = m->sys;
    const double *D = c->point.values + sys->G.count + sys->A.count;
    memcpy(m->here.zdot, c->found.zdot, m->N * sizeof *m->here.zdot);
    memcpy(m->here.lambda, c->found.lambda, m->p * sizeof *m->here.lambda);
    memset(m->here.reaction, 0, m->N * sizeof *m->here.reaction);
    for (size_t i = 0; i < sys->D.count; i++) m->here.reaction[sys->D.col[i]] += D[i] * c->found.lambda[sys->D.row[i]];
    for (size_t i = 0; i < c->contacts; i++)
        m->here.lambda[actio_force_slot(sys, i)] = c->found.normal[i] * actio_gap_of(c, i)[ACTIO_GAP_SCALE];
    for (size_t j = 0; j < c->slips; j++) m->here.lambda[actio_friction_slot(sys, j)] = c->found.friction[j];
    return ACTIO_FLOW_OK;
}

size_t actio_contacts_beyond(struct actio_motion *m, double t, const double *y, double *depth)
{
    struct actio_contacts *c = m->contacts;
    const double *gap = actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y);
    c->point.x = gap;
    for (size_t i = 0; i < c->contacts; i++)
        if ((*depth = -actio_gap_of(c, i)[ACTIO_GAP_VALUE]) > 1e-10 * actio_gap_of(c, i)[ACTIO_GAP_SIZE] + 1e-12)
            return i;
    return c->contacts;
}

/* What is open is looked at plainly where it was moved: how it came off is another matter. */
int actio_contacts_set(struct actio_contacts *c, double t, double *y, bool moved)
{
    for (size_t i = 0; moved && i < c->contacts; i++)
        if (!c->now.closed[i]) c->off.how[i] = ACTIO_LEFT_PLAIN;
    int status = walls_jump(c, t, y);
    return status ? status : actio_contacts_settle(c, t, y, c->contacts);
}
