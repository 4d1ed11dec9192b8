/* SPDX-License-Identifier: Apache-2.0
 * A discrete Lagrange-d'Alembert (variational) integrator: the action of a step is h L at its midpoint; symplectic
 * without constraints, of RATTLE's kind for holonomic ones, and with velocity constraints held at midpoints. Symmetric
 * and of order 2; five substeps make order 4 (Suzuki).
 *     p0 = L_v - h/2 (L_q + Q) - h/2 C'l,   p1 = L_v + h/2 (L_q + Q) + h/2 C'l   at q = (q0 + q1)/2, v = (q1 - q0)/h
 * C: gradients of holonomic constraints at q0 (p1 is then put on their rates at q1), rows of the others at the
 * midpoint. Steps are all equal.
 * Values of fields beyond an end that have no mass follow from the others: in the middle, where the action has them,
 * and anew at the end.
 * Newton's method keeps its factored matrix as long as it brings it on quickly: all matrices are sparse, on the places
 * of the system. */
#include "solve/discrete.h"
#include "solve/between.h"
#include "solve/slaves.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLOW 0.1 /* steps of Newton's method that shrink by less need a new matrix */
/* of the rounding of q over h: steps of v as small may be noise; that of many links adds up like a random walk */
#define GRAINS 8
enum { MOST_ITERATIONS = 40, SUBSTEPS = 5 };

struct discrete {
    struct actio_context *ctx;
    struct actio_motion *m;
    size_t n, p;
    double t, t_new, t_end, h;
    double begun; /* where equal steps began, and how many there were: times without accumulated rounding */
    size_t taken;
    double *block, *q, *v, *p0, *lost; /* lost: what rounding took from q and p0 */
    /* p0: momenta; l, mu: multipliers of the substep and of its end; r: residuals, then Newton's step */
    struct {
        double *q, *v, *p, *lost;
    } old; /* before the step */
    double *y, *l, *mu, *r, *F, *Lv, *at;
    double *v_mid, h_mid; /* of the substep before, for a guess; 0: there was none */
    /* entries: C in the equations, A and G as MATRIX has them, W and B of Newton's matrix */
    double *C, *A, *G, *W, *B;
    /* looked: C and the matrix of rates are those of q; shared: it serves the substep, too; mixed: there are velocity
     * constraints */
    bool *holonomic, looked, shared, mixed;
    double factored; /* the length of the substep whose matrix there is, 0: none */
    struct actio_discrete_slopes slopes;
    struct actio_border rates, step;
    struct actio_march_stats stats;
};

static void discrete_close(void *handle)
{
    struct discrete *d = handle;
    if (!d) return;
    actio_border_close(&d->rates);
    actio_border_close(&d->step);
    actio_discrete_slopes_close(&d->slopes);
    actio_free(d->ctx, d->block);
    actio_free(d->ctx, d->holonomic);
    actio_free(d->ctx, d);
}

static bool take_vectors(struct discrete *d)
{
    const struct actio_system *sys = d->m->sys;
    size_t n = d->n, p = d->p, A = sys->A.count, all = 1;
    double **part[] = { &d->q,        &d->v,     &d->p0, &d->lost, &d->old.q, &d->old.v, &d->old.p,
                        &d->old.lost, &d->y,     &d->l,  &d->mu,   &d->r,     &d->F,     &d->Lv,
                        &d->at,       &d->v_mid, &d->C,  &d->A,    &d->G,     &d->W,     &d->B };
    const size_t length[] = { n,
                              n,
                              n,
                              2 * n,
                              n,
                              n,
                              n,
                              2 * n,
                              d->m->ny,
                              p,
                              p,
                              n + p,
                              n,
                              n,
                              2 * n,
                              n,
                              A,
                              A,
                              sys->G.count,
                              d->slopes.W.count,
                              d->slopes.B.count };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    double *next = d->block = actio_alloc(d->ctx, all, sizeof *d->block);
    for (size_t i = 0; next && i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    return next != NULL;
}

/* Rows of velocity constraints take no part in the rates at an end. */
static int open_matrices(struct discrete *d, bool *alone)
{
    const struct actio_system *sys = d->m->sys;
    for (size_t k = 0; k < d->p; k++) {
        alone[k] = !d->holonomic[k];
        d->mixed |= alone[k];
    }
    if (actio_border_open(&d->rates, d->ctx, d->n, d->p, &sys->G, &sys->A, &sys->A, alone)) return 1;
    d->shared = !d->mixed && d->slopes.adds == 0;
    return !d->shared && actio_border_open(&d->step, d->ctx, d->n, d->p, &d->slopes.W, &sys->A, &d->slopes.B, NULL);
}

static void *discrete_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct actio_motion *m = flow->user;
    struct discrete *d = actio_alloc(ctx, 1, sizeof *d);
    if (!d) return NULL;
    *d = (struct discrete){ .ctx = ctx, .m = m, .n = m->n, .p = m->p, .stats.stepper = "discrete" };
    m->rows.fixed = true;
    actio_between_refuse(m, true);
    d->holonomic = actio_alloc(ctx, 2 * m->p + 1, sizeof *d->holonomic);
    if (!d->holonomic || actio_motion_need(m, ACTIO_Q_MOMENTA)) {
        discrete_close(d);
        return NULL;
    }
    for (size_t i = 0; i < m->sys->holonomic; i++) d->holonomic[m->sys->position_row[i]] = true;
    if (actio_discrete_slopes_open(&d->slopes, m, d->holonomic) || !take_vectors(d)
        || open_matrices(d, d->holonomic + m->p)) {
        discrete_close(d);
        return NULL;
    }
    return d;
}

static const double *point(struct discrete *d, const double *q, const double *v)
{
    memcpy(d->y, q, d->n * sizeof *q);
    memcpy(d->y + d->n, v, d->n * sizeof *v);
    return d->y;
}

/* F = L_q + Q, and L_v. */
static void momenta_at(struct discrete *d, double t, const double *q, const double *v)
{
    const double *x = actio_motion_quantity(d->m, ACTIO_Q_MOMENTA, t, point(d, q, v));
    d->stats.rhs++;
    d->m->evaluations++;
    memcpy(d->F, x, d->n * sizeof *x);
    memcpy(d->Lv, x + d->n, d->n * sizeof *x);
}

static void take_rows(const struct discrete *d, const double *A, bool holonomic, double *to)
{
    const struct actio_places *at = &d->m->sys->A;
    for (size_t i = 0; i < at->count; i++)
        if (d->holonomic[at->row[i]] == holonomic) to[i] = A[i];
}

/* r += scale C'l. */
static void add_reactions(const struct discrete *d, const double *C, double scale, const double *l, double *r)
{
    const struct actio_places *at = &d->m->sys->A;
    for (size_t i = 0; i < at->count; i++) r[at->col[i]] += scale * C[i] * l[at->row[i]];
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

/* Newton's method under way: `scale`: of the multipliers l in the matrix; `grain`: steps of v that may be rounding. */
struct search {
    struct actio_border *matrix;
    double scale, grain, before, *l;
    bool slow;
};

/* One step of it. 1: rounding is reached; 0: go on, if `slow` with a new matrix; else a flow status, negative. */
static int newton(struct discrete *d, struct search *x)
{
    actio_border_solve(x->matrix, d->r, d->r + d->n, d->r, d->r + d->n);
    double step = largest(d->n, d->r), size = 1 + largest(d->n, d->v), rate = step / x->before;
    bool first = !isfinite(x->before);
    for (size_t i = 0; i < d->n; i++) d->v[i] -= d->r[i];
    for (size_t k = 0; k < d->p; k++) x->l[k] -= d->r[d->n + k] / x->scale;
    bool done = step <= 4 * DBL_EPSILON * size || (step < fmax(1e-11 * size, x->grain) && rate >= 0.3)
                || (!first && rate * step <= (1 - rate) * DBL_EPSILON * size);
    x->slow = rate > SLOW && step > x->grain;
    x->before = step;
    return !isfinite(step) ? -ACTIO_FLOW_NAN : done;
}

/* ---- the substep */

static void middle_and_end(struct discrete *d, double h)
{
    double *mid = d->at, *end = d->at + d->n;
    for (size_t j = 0; j < d->n; j++) {
        mid[j] = d->q[j] + 0.5 * h * d->v[j];
        end[j] = d->q[j] + h * d->v[j];
    }
}

/* Natural conditions in the middle. */
static void slave_equations(struct discrete *d, double t, double h)
{
    const struct actio_system *sys = d->m->sys;
    if (sys->field.slaves == 0) return;
    const double *N = actio_motion_quantity(d->m, ACTIO_Q_SLAVES, t, point(d, d->at, d->v));
    for (size_t k = 0; k < sys->field.slaves; k++)
        d->r[sys->field.slave[k]] = sys->field.slave_is_rate[k] ? N[k] : 2 / h * N[k];
}

/* Residuals of the substep from (q, p0) at t. */
static int substep_equations(struct discrete *d, double t, double h)
{
    const struct actio_system *sys = d->m->sys;
    size_t n = d->n;
    middle_and_end(d, h);
    if (sys->holonomic) {
        const double *f = actio_motion_levels(d->m, t + h, point(d, d->at + n, d->v));
        for (size_t i = 0; i < sys->holonomic; i++) d->r[n + sys->position_row[i]] = f[i] / h;
    }
    if (d->mixed) {
        const double *values = actio_motion_values(d->m, t + 0.5 * h, point(d, d->at, d->v));
        if (!values) return ACTIO_FLOW_NAN;
        take_rows(d, values + sys->G.count, false, d->C);
        const double *phi = actio_motion_levels(d->m, t + 0.5 * h, d->y) + sys->holonomic;
        for (size_t i = 0; i < sys->levels; i++)
            if (!d->holonomic[sys->velocity_row[i]]) d->r[n + sys->velocity_row[i]] = phi[i];
    }
    momenta_at(d, t + 0.5 * h, d->at, d->v);
    for (size_t j = 0; j < n; j++) d->r[j] = d->Lv[j] - 0.5 * h * d->F[j] - d->p0[j];
    add_reactions(d, d->C, -0.5 * h, d->l, d->r);
    slave_equations(d, t + 0.5 * h, h);
    return ACTIO_FLOW_OK;
}

/* Newton's matrix at the present guess. */
static int factor_substep(struct discrete *d, double t, double h)
{
    const struct actio_system *sys = d->m->sys;
    struct actio_border *matrix = d->shared ? &d->rates : &d->step;
    middle_and_end(d, h);
    const double *values = actio_motion_values(d->m, t + 0.5 * h, point(d, d->at, d->v));
    if (!values) return ACTIO_FLOW_NAN;
    memcpy(d->G, values, sys->G.count * sizeof *d->G);
    take_rows(d, values + sys->G.count, false, d->A);
    take_rows(d, d->A, false, d->C);
    if (sys->holonomic) {
        values = actio_motion_values(d->m, t + h, point(d, d->at + d->n, d->v));
        if (!values) return ACTIO_FLOW_NAN;
        take_rows(d, values + sys->G.count, true, d->A);
    }
    for (size_t k = 0; k < d->p; k++) d->mu[k] = d->holonomic[k] ? 0 : d->l[k];
    struct actio_slope_point at = { t + 0.5 * h, h, point(d, d->at, d->v), d->v, d->mu };
    actio_discrete_slopes_fill(&d->slopes, d->m, &at, d->G, d->A, d->W, d->B);
    actio_border_scale(matrix, d->W, d->B);
    d->factored = h;
    return actio_border_factor(matrix, d->W, d->C, d->B) ? ACTIO_FLOW_SINGULAR : ACTIO_FLOW_OK;
}

/* x += step; thousands of steps, so what rounding takes is carried along. */
static void carry(double *x, double *lost, double step)
{
    double with = step + *lost, sum = *x + with;
    *lost = with - (sum - *x);
    *x = sum;
}

static void move_on(struct discrete *d, double t, double h)
{
    const struct actio_places *at = &d->m->sys->A;
    middle_and_end(d, h);
    momenta_at(d, t + 0.5 * h, d->at, d->v);
    double *push = d->F; /* p1 - p0, over h */
    for (size_t i = 0; i < at->count; i++)
        push[at->col[i]] += (d->holonomic[at->row[i]] ? 0.5 : 1) * d->C[i] * d->l[at->row[i]];
    for (size_t j = 0; j < d->n; j++) {
        carry(&d->p0[j], &d->lost[d->n + j], h * push[j]);
        carry(&d->q[j], &d->lost[j], h * d->v[j]);
    }
    memcpy(d->v_mid, d->v, d->n * sizeof *d->v);
    d->h_mid = h;
}

static int substep(struct discrete *d, double t, double h)
{
    struct search x = { d->shared ? &d->rates : &d->step,
                        0.5 * h,
                        GRAINS * sqrt((double)d->n) * DBL_EPSILON * largest(d->n, d->q) / fabs(h),
                        INFINITY,
                        d->l,
                        !d->shared && d->factored != h };
    int reported = 0;
    if (d->h_mid != 0)
        for (size_t j = 0; j < d->n; j++) d->v[j] += h / d->h_mid * (d->v[j] - d->v_mid[j]);
    for (int i = 0; i < MOST_ITERATIONS && reported == 0; i++) {
        int bad = x.slow ? factor_substep(d, t, h) : ACTIO_FLOW_OK;
        if (i && bad == ACTIO_FLOW_SINGULAR) bad = ACTIO_FLOW_FAILED; /* at a guess gone astray */
        if (!bad) bad = substep_equations(d, t, h);
        if (bad) return bad;
        reported = newton(d, &x);
    }
    if (reported != 1) return reported ? -reported : ACTIO_FLOW_FAILED;
    move_on(d, t, h);
    return ACTIO_FLOW_OK;
}

/* ---- its end */

/* C = A and the matrix of rates at (q, v). */
static int discrete_look(struct discrete *d, double t)
{
    const struct actio_system *sys = d->m->sys;
    const double *values = actio_motion_values(d->m, t, point(d, d->q, d->v));
    if (!values) return ACTIO_FLOW_NAN;
    memset(d->A, 0, sys->A.count * sizeof *d->A);
    take_rows(d, values + sys->G.count, true, d->A);
    take_rows(d, d->A, true, d->C);
    actio_border_scale(&d->rates, values, d->A);
    d->looked = true;
    return actio_border_factor(&d->rates, values, d->A, d->A) ? ACTIO_FLOW_SINGULAR : ACTIO_FLOW_OK;
}

/* Values beyond the ends at the new place. */
static int discrete_settle(struct discrete *d, double t)
{
    const struct actio_system *sys = d->m->sys;
    struct actio_motion *m = d->m;
    if (sys->field.slaves == 0) return ACTIO_FLOW_OK;
    m->here.t = t;
    memcpy(m->here.y, point(d, d->q, d->v), m->ny * sizeof *m->here.y);
    int bad = actio_slaves_settle(m);
    for (size_t k = 0; k < sys->field.slaves; k++) {
        d->q[sys->field.slave[k]] = m->here.y[sys->field.slave[k]];
        d->v[sys->field.slave[k]] = m->here.y[d->n + sys->field.slave[k]];
        d->lost[sys->field.slave[k]] = 0;
    }
    return bad;
}

static void rate_equations(struct discrete *d, double t)
{
    const struct actio_system *sys = d->m->sys;
    size_t n = d->n;
    memset(d->r + n, 0, d->p * sizeof *d->r);
    if (sys->holonomic) {
        const double *phi = actio_motion_levels(d->m, t, point(d, d->q, d->v)) + sys->holonomic;
        for (size_t k = 0; k < sys->levels; k++)
            if (d->holonomic[sys->velocity_row[k]]) d->r[n + sys->velocity_row[k]] = phi[k];
    }
    momenta_at(d, t, d->q, d->v);
    for (size_t j = 0; j < n; j++) d->r[j] = d->Lv[j] - d->p0[j];
    add_reactions(d, d->A, -1, d->mu, d->r);
    if (sys->field.slaves == 0) return;
    const double *rate = actio_motion_quantity(d->m, ACTIO_Q_SLAVES, t, point(d, d->q, d->v)) + sys->field.slaves;
    for (size_t k = 0; k < sys->field.slaves; k++) d->r[sys->field.slave[k]] = rate[k];
}

/* v at (q, p0): L_v = p0 + C'mu, rates of holonomic constraints 0; what mu brings stays with the momenta. */
static int find_velocities(struct discrete *d, double t)
{
    struct search x = { &d->rates, 1, 0, INFINITY, d->mu, true };
    int reported = 0, bad = discrete_settle(d, t);
    memset(d->mu, 0, d->p * sizeof *d->mu);
    for (int i = 0; i < MOST_ITERATIONS && reported == 0 && !bad; i++) {
        if (x.slow) bad = discrete_look(d, t);
        if (bad) break;
        rate_equations(d, t);
        reported = newton(d, &x);
    }
    if (bad) return bad;
    memset(d->F, 0, d->n * sizeof *d->F);
    add_reactions(d, d->A, 1, d->mu, d->F);
    for (size_t j = 0; j < d->n; j++) carry(&d->p0[j], &d->lost[d->n + j], d->F[j]);
    return reported == 1 ? ACTIO_FLOW_OK : reported ? -reported : ACTIO_FLOW_FAILED;
}

/* ---- steps */

/* Steps as long as the tolerance allows a method of its order; or as many as were requested. */
static void discrete_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct discrete *d = handle;
    double span = t_end - t,
           grid = d->m->chosen.grid > 1 ? (double)(d->m->chosen.grid - 1) * fabs(span / d->m->span) : 0;
    double finer = d->m->chosen.order == 2 ? sqrt(rtol) : sqrt(sqrt(rtol));
    (void)atol;
    d->t = d->t_new = d->begun = t;
    d->t_end = t_end;
    d->taken = 0;
    d->h_mid = d->factored = 0;
    d->looked = false;
    d->h = span / fmax(1, ceil(grid > 0 ? grid - 1e-6 : 32 / finer));
    memcpy(d->q, y, d->n * sizeof *y);
    memcpy(d->v, y + d->n, d->n * sizeof *y);
    memset(d->l, 0, d->p * sizeof *d->l);
    memset(d->lost, 0, 2 * d->n * sizeof *d->lost);
    momenta_at(d, t, d->q, d->v);
    memcpy(d->p0, d->Lv, d->n * sizeof *d->p0);
    d->stats.restarts++;
}

/* From (q, v, p0) at d->t to d->t_new. */
static int discrete_advance(struct discrete *d)
{
    static const double outer = 0.41449077179437573714; /* 1/(4 - 4^(1/3)) */
    double h = d->t_new - d->t, at = d->t;
    int parts = d->m->chosen.order == 2 ? 1 : SUBSTEPS;
    for (int i = 0; i < parts; i++) {
        double part = (parts == 1 ? 1 : i == 2 ? 1 - 4 * outer : outer) * h;
        int bad = d->looked ? ACTIO_FLOW_OK : discrete_look(d, at);
        if (!bad) bad = substep(d, at, part);
        at = i + 1 == parts ? d->t_new : at + part;
        if (!bad) bad = find_velocities(d, at);
        if (bad) return bad;
    }
    return ACTIO_FLOW_OK;
}

static void discrete_show(const struct discrete *d, double *y)
{
    memcpy(y, d->q, d->n * sizeof *y);
    memcpy(y + d->n, d->v, d->n * sizeof *y);
}

static int discrete_step(void *handle, double *t, double *y)
{
    struct discrete *d = handle;
    d->t = d->t_new;
    memcpy(d->old.q, d->q, d->n * sizeof *d->q);
    memcpy(d->old.v, d->v, d->n * sizeof *d->v);
    memcpy(d->old.p, d->p0, d->n * sizeof *d->p0);
    memcpy(d->old.lost, d->lost, 2 * d->n * sizeof *d->lost);
    bool last = fabs(d->t_end - d->t) <= 1.000001 * fabs(d->h);
    d->t_new = last ? d->t_end : d->begun + (double)++d->taken * d->h;
    int bad = discrete_advance(d);
    if (bad) return bad;
    d->stats.steps++;
    discrete_show(d, y);
    *t = d->t_new;
    return ACTIO_FLOW_OK;
}

/* Hermite's cubic has the rounding of q over h in its slope, which a motion with many switches would gather. */
static int discrete_retake(void *handle, double t, double *y)
{
    struct discrete *d = handle;
    memcpy(d->q, d->old.q, d->n * sizeof *d->q);
    memcpy(d->v, d->old.v, d->n * sizeof *d->v);
    memcpy(d->p0, d->old.p, d->n * sizeof *d->p0);
    memcpy(d->lost, d->old.lost, 2 * d->n * sizeof *d->lost);
    d->t_new = t;
    d->h_mid = d->factored = 0;
    d->looked = false;
    int bad = discrete_advance(d);
    if (!bad) discrete_show(d, y);
    return bad;
}

/* Hermite's cubic between the ends of the step, and its slope. */
static void discrete_dense(void *handle, double t, double *y)
{
    struct discrete *d = handle;
    double h = d->t_new - d->t, x = h != 0 ? (t - d->t) / h : 1, z = 1 - x;
    for (size_t i = 0; i < d->n; i++) {
        double a = d->old.q[i], b = d->q[i], u = d->old.v[i], v = d->v[i];
        y[i] = (1 + 2 * x) * z * z * a + x * x * (3 - 2 * x) * b + h * (x * z * z * u - x * x * z * v);
        y[d->n + i] = h != 0 ? 6 * x * z * (b - a) / h + (1 - 4 * x + 3 * x * x) * u + (3 * x * x - 2 * x) * v : v;
    }
}

static void discrete_stats(void *handle, struct actio_march_stats *stats)
{
    *stats = ((struct discrete *)handle)->stats;
    if (stats->restarts) stats->restarts--;
}

const struct actio_stepper actio_discrete = {
    .name = "discrete",
    .open = discrete_open,
    .start = discrete_start,
    .step = discrete_step,
    .retake = discrete_retake,
    .dense = discrete_dense,
    .stats = discrete_stats,
    .close = discrete_close,
};
