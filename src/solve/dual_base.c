/* SPDX-License-Identifier: Apache-2.0
 * The base state of a slab: Runge and Kutta's steps on the elements with cubics between them, the motion itself, a
 * constant, or a table; what is algebraic follows from the motion's own equations at the base.  [DUAL 1.3] */
#include "solve/dual.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define EXACT 1e-13 /* local tolerance of the motion that is a base itself */

struct actio_dual_basing {
    struct actio_motion *m;
    const struct actio_dual_task *task;
    size_t most, lanes, ny;
    /* y and rate at the elements' ends: of end e from e*ny on; one state */
    double *block, *y, *rate, *stage, *sum, *slope, *one;
    /* of an exact base: states at the lanes and ends, component by component; times of the ends */
    double *rows, *times;
    double *G; /* scratch: a matrix of inertia, a vector behind it */
    int *pivot;
    double t, h;
};

struct actio_dual_basing *actio_dual_basing_open(struct actio_motion *m, size_t most, size_t points)
{
    struct actio_dual_basing *b = actio_alloc(m->ctx, 1, sizeof *b);
    size_t ny = m->ny, ends = most + 1, exact = m->chosen.dual->task.base == ACTIO_BASE_EXACT;
    if (!b) return NULL;
    *b = (struct actio_dual_basing){
        .m = m, .task = &m->chosen.dual->task, .most = most, .lanes = most * points, .ny = ny
    };
    size_t rows = exact ? ny * (b->lanes + ends) : 0;
    b->block = actio_alloc(m->ctx, 2 * ends * ny + 5 * ny + rows + ends + m->N * (m->N + 1) + 1, sizeof *b->block);
    b->pivot = actio_alloc(m->ctx, m->N + 1, sizeof *b->pivot);
    if (!b->block || !b->pivot) {
        actio_dual_basing_close(b);
        return NULL;
    }
    b->y = b->block;
    b->rate = b->y + ends * ny;
    b->stage = b->rate + ends * ny;
    b->sum = b->stage + ny;
    b->slope = b->sum + ny;
    b->one = b->slope + ny;
    b->rows = b->one + 2 * ny;
    b->times = b->rows + rows;
    b->G = b->times + ends;
    return b;
}

void actio_dual_basing_close(struct actio_dual_basing *b)
{
    if (!b) return;
    actio_free(b->m->ctx, b->block);
    actio_free(b->m->ctx, b->pivot);
    actio_free(b->m->ctx, b);
}

/* ---- rates */

/* Where a law has a state of its own its solution has the rates of the known one. */
int actio_dual_rates(struct actio_dual_basing *b, double t, const double *y, double *rate)
{
    struct actio_motion *m = b->m;
    if (!m->obeys.law || !m->obeys.law->unfold) return m->flow.rhs(m->flow.user, t, y, rate);
    int status = m->obeys.law->solve(m, t, y);
    m->evaluations++;
    memcpy(rate, y + m->n, m->n * sizeof *rate);
    memcpy(rate + m->n, m->here.zdot, m->N * sizeof *rate);
    return status;
}

int actio_dual_rk4(struct actio_dual_basing *b, double t, double h, const double *y, const double *rate, double *out)
{
    static const double node[] = { 0.5, 0.5, 1 }, weight[] = { 2, 2, 1 };
    size_t ny = b->ny;
    memcpy(b->slope, rate, ny * sizeof *b->slope);
    memcpy(b->sum, rate, ny * sizeof *b->sum);
    for (int s = 0; s < 3; s++) {
        for (size_t i = 0; i < ny; i++) b->stage[i] = y[i] + node[s] * h * b->slope[i];
        int status = actio_dual_rates(b, t + node[s] * h, b->stage, b->slope);
        if (status) return status;
        for (size_t i = 0; i < ny; i++) b->sum[i] += weight[s] * b->slope[i];
    }
    for (size_t i = 0; i < ny; i++) out[i] = y[i] + h / 6 * b->sum[i];
    return ACTIO_FLOW_OK;
}

static int march_elements(struct actio_dual_basing *b, const struct actio_dual_slab *s)
{
    size_t ny = b->ny;
    for (size_t e = 0; e <= s->elements; e++) {
        double t = s->t + s->h * (double)e, *y = b->y + e * ny;
        int status = actio_dual_rates(b, t, y, b->rate + e * ny);
        if (!status && e < s->elements) status = actio_dual_rk4(b, t, s->h, y, b->rate + e * ny, y + ny);
        if (status) return status;
    }
    return ACTIO_FLOW_OK;
}

/* ---- the motion itself */

/* Without switches and marks: within a slab they are frozen. */
static int march_exactly(struct actio_dual_basing *b, struct actio_dual_slab *s)
{
    struct actio_motion *m = b->m;
    struct actio_ode flow = m->flow;
    size_t count = s->elements * s->e->points, ends = s->elements + 1;
    flow.guards = flow.watched = 0;
    flow.quality = NULL;
    flow.quality_at = NULL;
    flow.singular = NULL;
    flow.stepped = NULL;
    flow.first = 0;
    for (size_t e = 0; e < ends; e++) b->times[e] = s->t + s->h * (double)e;
    struct actio_march_task task = { .stepper = &actio_dop853,
                                     .t0 = s->t,
                                     .t1 = b->times[ends - 1],
                                     .rtol = EXACT,
                                     .atol = EXACT,
                                     .y0 = b->y,
                                     .rows = { { count, s->lane.time, b->rows, b->lanes },
                                               { ends, b->times, b->rows + b->ny * b->lanes, b->most + 1 } } };
    struct actio_march_result result = { .y = b->one };
    int status = actio_march(m->ctx, &flow, &task, &result);
    if (status) return status;
    for (size_t e = 0; e < ends; e++)
        for (size_t i = 0; i < b->ny; i++) b->y[e * b->ny + i] = b->rows[b->ny * b->lanes + i * (b->most + 1) + e];
    return ACTIO_FLOW_OK;
}

/* ---- tables */

/* Four neighbours' cubic. */
static double look_up(const struct actio_dual_table *table, const double *column, double t)
{
    size_t rows = table->rows, width = rows < 4 ? rows : 4, at = 0;
    while (at + 1 < rows && table->t[at + 1] <= t) at++;
    size_t first = at < 1 ? 0 : at - 1;
    if (first + width > rows) first = rows - width;
    double sum = 0;
    for (size_t j = first; j < first + width; j++) {
        double weight = 1;
        for (size_t i = first; i < first + width; i++)
            if (i != j) weight *= (t - table->t[i]) / (table->t[j] - table->t[i]);
        sum += weight * column[j];
    }
    return sum;
}

/* ---- the whole */

static void hermite(const struct actio_dual_basing *b, size_t e, double theta, double *y)
{
    const double *y0 = b->y + e * b->ny, *y1 = y0 + b->ny, *r0 = b->rate + e * b->ny, *r1 = r0 + b->ny;
    double u = 1 - theta;
    for (size_t i = 0; i < b->ny; i++)
        y[i] =
            y0[i] + theta * theta * (3 - 2 * theta) * (y1[i] - y0[i]) + b->h * theta * u * (u * r0[i] - theta * r1[i]);
}

/* The known state that is the base at a time, or at the lane of an exact one. */
static void state_at(const struct actio_dual_basing *b, double t, size_t elements, size_t lane, double *y)
{
    const struct actio_dual_task *task = b->task;
    double at = (t - b->t) / b->h;
    size_t e = at <= 0 ? 0 : at >= (double)elements ? elements - 1 : (size_t)at;
    switch (task->base) {
    case ACTIO_BASE_EXACT:
        for (size_t i = 0; i < b->ny; i++) y[i] = b->rows[i * b->lanes + lane];
        return;
    case ACTIO_BASE_CONSTANT:
        for (size_t i = 0; i < b->ny; i++) y[i] = task->is_given && task->is_given[i] ? task->given[i] : b->y[i];
        return;
    default:
        hermite(b, e, at - (double)e, y);
        for (size_t i = 0; i < b->ny && task->base == ACTIO_BASE_TABLE; i++)
            if (task->table.column[i]) y[i] = look_up(&task->table, task->table.column[i], t);
    }
}

/* G^-1 times what stands behind G, in its place; 0, or 1: G is singular. */
static int divide_by_inertia(struct actio_dual_basing *b, double t, const double *y)
{
    struct actio_dense_point at;
    size_t N = b->m->N;
    if (actio_motion_matrices(b->m, t, y, &at)) return 1;
    memcpy(b->G, at.G, N * N * sizeof *b->G);
    if (actio_lu_factor(N, b->G, b->pivot)) return 1;
    actio_lu_solve(N, b->G, b->pivot, b->G + N * N, 1, false);
    return 0;
}

/* d of the split: G P d is the reaction. */
static void split_unknowns(struct actio_dual_basing *b, double t, const double *y, double *d)
{
    size_t N = b->m->N, k = 0;
    double *R = b->G + N * N;
    memcpy(R, b->m->here.reaction, N * sizeof *R);
    if (divide_by_inertia(b, t, y)) return;
    for (size_t i = 0; i < N; i++)
        if (b->task->choice.bound[i]) d[k++] = R[i];
}

/* A reaction's base: what was given for it, else as ideal ones are at the base state. */
static double reaction_base(const struct actio_dual_basing *b, double t, size_t i, double ideal)
{
    const struct actio_dual_task *task = b->task;
    const double *column = task->base == ACTIO_BASE_TABLE ? task->table.column[b->ny + i] : NULL;
    if (column) return look_up(&task->table, column, t);
    return task->base == ACTIO_BASE_CONSTANT && task->is_given && task->is_given[b->ny + i] ? task->given[b->ny + i]
                                                                                            : ideal;
}

/* Bases of free reactions, behind U, and in U the rates that go with them: z' + G^-1 (R - ideal R). */
static void free_bases(struct actio_dual_basing *b, double t, const double *y, double *U)
{
    struct actio_motion *m = b->m;
    const struct actio_first_order *fo = m->sys->first_order;
    size_t N = m->N;
    double *R = U + fo->u, *more = b->G + N * N;
    bool other = false;
    for (size_t i = 0; i < N; i++) {
        R[i] = reaction_base(b, t, i, m->here.reaction[i]);
        more[i] = R[i] - m->here.reaction[i];
        other = other || more[i] != 0;
    }
    if (!other || divide_by_inertia(b, t, y)) return;
    for (size_t i = 0; i < N; i++) U[fo->x + i] += more[i];
}

void actio_dual_unknowns_at(struct actio_dual_basing *b, double t, const double *y, double *U)
{
    struct actio_motion *m = b->m;
    const struct actio_first_order *fo = m->sys->first_order;
    enum actio_closure closure = b->task->choice.closure;
    bool own = m->obeys.law && m->obeys.law->unfold;
    memcpy(U, y, b->ny * sizeof *U);
    if (!fo->implicit) return;
    double *z = U + fo->x, *rest = z + m->N;
    memset(z, 0, (fo->u - fo->x) * sizeof *z);
    if ((own ? m->obeys.law->solve(m, t, y) : actio_motion_solve(m, t, y)) != ACTIO_FLOW_OK) return;
    memcpy(z, m->here.zdot, m->N * sizeof *z);
    if (closure == ACTIO_CLOSURE_REDUCED) split_unknowns(b, t, y, rest);
    else if (closure != ACTIO_CLOSURE_FREE) memcpy(rest, m->here.lambda, m->p * sizeof *rest);
    else if (fo->u > fo->x + m->N) *rest = b->task->slack;
}

void actio_dual_base_of(struct actio_dual_basing *b, double t, const double *y, double *U)
{
    const struct actio_first_order *fo = b->m->sys->first_order;
    memset(U + fo->u, 0, (fo->base - fo->u) * sizeof *U);
    memset(b->m->here.reaction, 0, b->m->N * sizeof *b->m->here.reaction); /* where there are no ideal ones */
    actio_dual_unknowns_at(b, t, y, U);
    if (fo->base > fo->u) free_bases(b, t, y, U);
}

void actio_dual_base_at(struct actio_dual_basing *b, double t, size_t elements, double *U)
{
    state_at(b, t, elements, 0, b->one);
    actio_dual_base_of(b, t, b->one, U);
}

static int dual_base_prepare(struct actio_dual_basing *b, struct actio_dual_slab *s, const double *y)
{
    b->t = s->t;
    b->h = s->h;
    memcpy(b->y, y, b->ny * sizeof *y);
    if (b->task->base == ACTIO_BASE_CONSTANT) return ACTIO_FLOW_OK;
    return b->task->base == ACTIO_BASE_EXACT ? march_exactly(b, s) : march_elements(b, s);
}

int actio_dual_set_base(struct actio_dual_basing *b, struct actio_dual_slab *s, const double *y)
{
    size_t lanes = s->lanes, nx = s->nx, exact = b->task->base == ACTIO_BASE_EXACT;
    int status = dual_base_prepare(b, s, y);
    if (status) return status;
    double *U = s->condensed.small;
    for (size_t l = 0; l < s->elements * s->e->points; l++) {
        state_at(b, s->lane.time[l], s->elements, l, b->one);
        actio_dual_base_of(b, s->lane.time[l], b->one, U);
        for (size_t i = 0; i < s->fo->base; i++) s->lane.base[i * lanes + l] = U[i];
    }
    for (size_t e = 0; e <= s->elements; e++) {
        double *end = s->end + e * nx;
        if (exact) memcpy(end, b->y + e * nx, nx * sizeof *end);
        else state_at(b, s->t + s->h * (double)e, s->elements, 0, end);
    }
    memcpy(s->x0, y, nx * sizeof *y);
    return ACTIO_FLOW_OK;
}
