/* SPDX-License-Identifier: Apache-2.0
 * A discrete Lagrange-d'Alembert (variational) integrator: the action of a step is h L at its midpoint; symplectic without constraints, of RATTLE's kind
 * for holonomic ones, and with velocity constraints held at midpoints. Symmetric and of order 2; five substeps make order 4 (Suzuki).
 *     p0 = L_v - h/2 (L_q + Q) - h/2 C'l,   p1 = L_v + h/2 (L_q + Q) + h/2 C'l   at q = (q0 + q1)/2, v = (q1 - q0)/h
 * C: gradients of holonomic constraints at q0 (p1 is then put on their rates at q1), rows of the others at the midpoint. Steps are all equal. */
#include "solve/law.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40, SUBSTEPS = 5 };

struct discrete {
    struct actio_context *ctx;
    struct actio_motion *m;
    size_t n, p;
    double t, t_new, t_end, h;
    double begun; size_t taken;                            /* where equal steps began, and how many there were: times without accumulated rounding */
    double *block, *q, *v, *p0, *lost;                     /* lost: what rounding took from q and p0 */
    double *q_old, *v_old, *y, *l, *C, *B, *J, *r, *F, *Lv, *at;     /* p0: momenta; l: multipliers; r: residuals, then Newton's step */
    int *pivot;
    bool *holonomic, started, reached;
    struct actio_march_stats stats;
};

static void discrete_close(void *handle)
{
    struct discrete *d = handle;
    if (!d) return;
    actio_give(d->ctx, d->block), actio_give(d->ctx, d->pivot), actio_give(d->ctx, d->holonomic), actio_give(d->ctx, d);
}

static void *discrete_open(struct actio_context *ctx, const struct actio_flow *flow)
{
    struct actio_motion *m = flow->user;
    size_t n = m->n, p = m->p, size = n + p, all = 1;
    struct discrete *d = actio_take(ctx, 1, sizeof *d);
    if (!d) return NULL;
    *d = (struct discrete){ .ctx = ctx, .m = m, .n = n, .p = p, .stats.stepper = "discrete" };
    double **part[] = { &d->q, &d->v, &d->p0, &d->lost, &d->q_old, &d->v_old, &d->y, &d->l, &d->C, &d->B, &d->J, &d->r, &d->F, &d->Lv, &d->at };
    const size_t length[] = { n, n, n, 2 * n, n, n, m->ny, p, p * n, p * n, size * size, size, n, n, 2 * n };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    d->block = actio_take(ctx, all, sizeof *d->block);
    d->pivot = actio_take(ctx, size + 1, sizeof *d->pivot);
    d->holonomic = actio_take(ctx, p + 1, sizeof *d->holonomic);
    if (!d->block || !d->pivot || !d->holonomic || actio_motion_make_dense(m) || actio_motion_need(m, ACTIO_Q_MOMENTA)) return discrete_close(d), NULL;
    double *next = d->block;
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    for (size_t i = 0; i < m->sys->holonomic; i++) d->holonomic[m->sys->position_row[i]] = true;
    return d;
}

static const double *point(struct discrete *d, const double *q, const double *v)
{
    memcpy(d->y, q, d->n * sizeof *q), memcpy(d->y + d->n, v, d->n * sizeof *v);
    return d->y;
}

/* F = L_q + Q, and L_v. */
static void momenta_at(struct discrete *d, double t, const double *q, const double *v)
{
    const double *x = actio_motion_quantity(d->m, ACTIO_Q_MOMENTA, t, point(d, q, v));
    d->stats.rhs++;
    memcpy(d->F, x, d->n * sizeof *x), memcpy(d->Lv, x + d->n, d->n * sizeof *x);
}

static void take_rows(const struct discrete *d, const double *A, bool holonomic, double *to)
{
    for (size_t k = 0; k < d->p; k++)
        if (d->holonomic[k] == holonomic) memcpy(to + k * d->n, A + k * d->n, d->n * sizeof *to);
}

/* [W, -scale C'; B, E] with E = 1 in rows that are left out. */
static int factor(struct discrete *d, const double *W, double scale, bool only_holonomic)
{
    size_t n = d->n, size = n + d->p;
    memset(d->J, 0, size * size * sizeof *d->J);
    for (size_t i = 0; i < n; i++) memcpy(d->J + i * size, W + i * n, n * sizeof *W);
    for (size_t k = 0; k < d->p; k++) {
        if (only_holonomic && !d->holonomic[k]) { d->J[(n + k) * size + n + k] = 1; continue; }
        for (size_t i = 0; i < n; i++) d->J[i * size + n + k] = -scale * d->C[k * n + i], d->J[(n + k) * size + i] = d->B[k * n + i];
    }
    return actio_lu_factor(size, d->J, d->pivot) ? ACTIO_FLOW_SINGULAR : ACTIO_FLOW_OK;
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

/* One step of Newton's method for (v, multipliers). 1: rounding is reached; 0: go on; else a flow status, negative. */
static int newton(struct discrete *d, double *v, double *l, double *before)
{
    actio_lu_solve(d->n + d->p, d->J, d->pivot, d->r, 1, false);
    double step = largest(d->n, d->r), size = 1 + largest(d->n, v);
    for (size_t i = 0; i < d->n; i++) v[i] -= d->r[i];
    for (size_t k = 0; k < d->p; k++) l[k] -= d->r[d->n + k];
    bool done = step <= 4 * DBL_EPSILON * size || (step < 1e-11 * size && step >= 0.3 * *before);
    *before = step;
    return !isfinite(step) ? -ACTIO_FLOW_NAN : done;
}

/* Residuals of the substep from (q, p0) at t and the matrix of its linearisation. */
static int substep_equations(struct discrete *d, double t, double h)
{
    const struct actio_system *sys = d->m->sys;
    struct actio_dense_point at;
    size_t n = d->n;
    double *mid = d->at, *end = d->at + n;
    for (size_t j = 0; j < n; j++) mid[j] = d->q[j] + 0.5 * h * d->v[j], end[j] = d->q[j] + h * d->v[j];
    if (sys->holonomic) {
        const double *f = actio_motion_levels(d->m, t + h, point(d, end, d->v));
        for (size_t i = 0; i < sys->holonomic; i++) d->r[n + sys->position_row[i]] = f[i] / h;
        if (actio_motion_matrices(d->m, t + h, point(d, end, d->v), &at)) return ACTIO_FLOW_NAN;
        take_rows(d, at.A, true, d->B);
    }
    if (sys->levels > sys->holonomic) {
        const double *phi = actio_motion_levels(d->m, t + 0.5 * h, point(d, mid, d->v)) + sys->holonomic;
        for (size_t i = 0; i < sys->levels; i++)
            if (!d->holonomic[sys->velocity_row[i]]) d->r[n + sys->velocity_row[i]] = phi[i];
    }
    momenta_at(d, t + 0.5 * h, mid, d->v);
    if (actio_motion_matrices(d->m, t + 0.5 * h, point(d, mid, d->v), &at)) return ACTIO_FLOW_NAN;
    take_rows(d, at.A, false, d->B);
    take_rows(d, at.A, false, d->C);
    for (size_t j = 0; j < n; j++) {
        d->r[j] = d->Lv[j] - 0.5 * h * d->F[j] - d->p0[j];
        for (size_t k = 0; k < d->p; k++) d->r[j] -= 0.5 * h * d->C[k * n + j] * d->l[k];
    }
    return factor(d, at.G, 0.5 * h, false);
}

/* x += step; thousands of steps, so what rounding takes is carried along. */
static void carry(double *x, double *lost, double step)
{
    double with = step + *lost, sum = *x + with;
    *lost = with - (sum - *x);
    *x = sum;
}

static int substep(struct discrete *d, double t, double h)
{
    struct actio_dense_point at;
    size_t n = d->n;
    double before = INFINITY;
    int told = 0;
    if (actio_motion_matrices(d->m, t, point(d, d->q, d->v), &at)) return ACTIO_FLOW_NAN;
    take_rows(d, at.A, true, d->C);
    for (int i = 0; i < MOST_ITERATIONS && told == 0; i++) {
        int bad = substep_equations(d, t, h);
        if (bad) return bad;
        told = newton(d, d->v, d->l, &before);
    }
    if (told != 1) return told ? -told : ACTIO_FLOW_FAILED;
    for (size_t j = 0; j < n; j++) d->at[j] = d->q[j] + 0.5 * h * d->v[j];
    momenta_at(d, t + 0.5 * h, d->at, d->v);
    for (size_t j = 0; j < n; j++) {
        double push = d->F[j];                             /* p1 - p0, over h */
        for (size_t k = 0; k < d->p; k++) push += (d->holonomic[k] ? 0.5 : 1) * d->C[k * n + j] * d->l[k];
        carry(&d->p0[j], &d->lost[n + j], h * push);
        carry(&d->q[j], &d->lost[j], h * d->v[j]);
    }
    return ACTIO_FLOW_OK;
}

/* v at (q, p0): L_v = p0 + C'mu, rates of holonomic constraints 0; what mu brings stays with the momenta. */
static int find_velocities(struct discrete *d, double t)
{
    const struct actio_system *sys = d->m->sys;
    struct actio_dense_point at;
    size_t n = d->n;
    double before = INFINITY, *mu = d->l;
    int told = 0;
    memset(mu, 0, d->p * sizeof *mu);
    for (int i = 0; i < MOST_ITERATIONS && told == 0; i++) {
        memset(d->r, 0, (n + d->p) * sizeof *d->r);
        if (sys->holonomic) {
            const double *phi = actio_motion_levels(d->m, t, point(d, d->q, d->v)) + sys->holonomic;
            for (size_t k = 0; k < sys->levels; k++)
                if (d->holonomic[sys->velocity_row[k]]) d->r[n + sys->velocity_row[k]] = phi[k];
        }
        momenta_at(d, t, d->q, d->v);
        if (actio_motion_matrices(d->m, t, point(d, d->q, d->v), &at)) return ACTIO_FLOW_NAN;
        take_rows(d, at.A, true, d->C);
        take_rows(d, at.A, true, d->B);
        for (size_t j = 0; j < n; j++) {
            d->r[j] = d->Lv[j] - d->p0[j];
            for (size_t k = 0; k < d->p; k++)
                if (d->holonomic[k]) d->r[j] -= d->C[k * n + j] * mu[k];
        }
        if (factor(d, at.G, 1, true)) return ACTIO_FLOW_SINGULAR;
        told = newton(d, d->v, mu, &before);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < d->p; k++)
            if (d->holonomic[k]) carry(&d->p0[j], &d->lost[n + j], d->C[k * n + j] * mu[k]);
    return told == 1 ? ACTIO_FLOW_OK : told ? -told : ACTIO_FLOW_FAILED;
}

/* Steps as long as the tolerance allows a method of order 4; or as many as were asked for. */
static void discrete_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct discrete *d = handle;
    double span = t_end - t, grid = d->m->grid > 1 ? (double)(d->m->grid - 1) * fabs(span / d->m->span) : 0;
    (void)atol;
    d->t = d->t_new = d->begun = t, d->t_end = t_end, d->taken = 0;
    d->h = span / fmax(1, ceil(grid > 0 ? grid - 1e-6 : 32 / sqrt(sqrt(rtol))));
    memcpy(d->q, y, d->n * sizeof *y), memcpy(d->v, y + d->n, d->n * sizeof *y);
    memset(d->l, 0, d->p * sizeof *d->l), memset(d->lost, 0, 2 * d->n * sizeof *d->lost);
    momenta_at(d, t, d->q, d->v);
    memcpy(d->p0, d->Lv, d->n * sizeof *d->p0);
    d->stats.restarts++;
}

static int discrete_step(void *handle, double *t, double *y)
{
    static const double outer = 0.41449077179437573714;    /* 1/(4 - 4^(1/3)) */
    struct discrete *d = handle;
    d->t = d->t_new;
    memcpy(d->q_old, d->q, d->n * sizeof *d->q), memcpy(d->v_old, d->v, d->n * sizeof *d->v);
    bool last = fabs(d->t_end - d->t) <= 1.000001 * fabs(d->h);
    d->t_new = last ? d->t_end : d->begun + (double)++d->taken * d->h;
    double h = d->t_new - d->t, at = d->t;
    for (int i = 0; i < SUBSTEPS; i++) {
        double part = (i == 2 ? 1 - 4 * outer : outer) * h;
        int bad = substep(d, at, part);
        at = i + 1 == SUBSTEPS ? d->t_new : at + part;
        if (!bad) bad = find_velocities(d, at);
        if (bad) return bad;
    }
    d->stats.steps++;
    memcpy(y, d->q, d->n * sizeof *y), memcpy(y + d->n, d->v, d->n * sizeof *y);
    *t = d->t_new;
    return ACTIO_FLOW_OK;
}

/* Hermite's cubic between the ends of the step, and its slope. */
static void discrete_dense(void *handle, double t, double *y)
{
    struct discrete *d = handle;
    double h = d->t_new - d->t, x = h != 0 ? (t - d->t) / h : 1, z = 1 - x;
    for (size_t i = 0; i < d->n; i++) {
        double a = d->q_old[i], b = d->q[i], u = d->v_old[i], v = d->v[i];
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
    .name = "discrete", .open = discrete_open, .start = discrete_start, .step = discrete_step, .dense = discrete_dense, .stats = discrete_stats, .close = discrete_close,
};
