/* SPDX-License-Identifier: Apache-2.0
 * The minimal reaction of [AS 49]: velocities are split into free ones, which move as if there were no constraint, and
 * bound ones, which the constraints give. The reaction acts on as few components as there are constraints. The motion
 * depends on the split.
 * */
#include "solve/chart.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_SPLITS = 100 }; /* in one run: more is not a motion */

static int reduced_open(struct actio_motion *m)
{
    if (actio_chart_open(m)) return 1;
    ((struct actio_chart *)m->obeys.data)->tau = m->chosen.resplit;
    return 0;
}

/* Scales of the metric: columns of A are judged by A G^-1/2, of which the diagonal is enough to choose by. */
static void weigh(struct actio_motion *m, const struct actio_dense_point *at, double *A)
{
    struct actio_chart *c = m->obeys.data;
    double *scale = c->phi;
    actio_row_scales(m->p, c->N, at->A, scale);
    for (size_t k = 0; k < m->p; k++)
        for (size_t i = 0; i < c->N; i++) {
            double mass = fabs(at->G[i * c->N + i]);
            A[k * c->N + i] = at->A[k * c->N + i] * scale[k] / (mass > 0 ? sqrt(mass) : 1);
        }
}

static bool is_free(const struct actio_chart *c, size_t i)
{
    for (size_t k = 0; k < c->r; k++)
        if (c->Z[k * c->N + i] == 1) return true;
    return false;
}

/* Frame of unit vectors from marks of the bound components. */
static void set_split(struct actio_chart *c, const bool *bound)
{
    memset(c->Z, 0, c->r * c->N * sizeof *c->Z);
    for (size_t i = 0, row = 0; i < c->N; i++)
        if (!bound[i] && row < c->r) c->Z[row++ * c->N + i] = 1;
}

/* Smallest singular value of the bound columns of the rows kept: how well the constraints give the bound velocities. */
static double grip(struct actio_motion *m, const double *A, const bool *bound)
{
    struct actio_chart *c = m->obeys.data;
    size_t count = c->N - c->r, col = 0;
    double *S = c->F, *sigma = c->work;
    for (size_t i = 0; i < c->N; i++) {
        if (!bound[i]) continue;
        for (size_t k = 0; k < count; k++) S[k * count + col] = A[c->row[k] * c->N + i];
        col++;
    }
    if (actio_svd(count, count, S, sigma, NULL, NULL, sigma + count)) return 0;
    return sigma[count - 1];
}

/* The exchange of one bound component for a free one that grips best; `bound` is changed by it. Returns its grip over
 * that of the split in force. */
static double best_exchange(struct actio_motion *m, const struct actio_dense_point *at, bool *bound)
{
    struct actio_chart *c = m->obeys.data;
    size_t out = 0, in = 0;
    double most = 0;
    weigh(m, at, c->copy);
    for (size_t i = 0; i < c->N; i++) bound[i] = !is_free(c, i);
    double have = grip(m, c->copy, bound);
    for (size_t i = 0; i < c->N; i++)
        for (size_t j = 0; bound[i] && j < c->N; j++) {
            if (bound[j] || i == j) continue;
            if (actio_abandon()) return 0;
            bound[i] = false;
            bound[j] = true;
            double could = grip(m, c->copy, bound);
            if (could > most) {
                most = could;
                out = i;
                in = j;
            }
            bound[i] = true;
            bound[j] = false;
        }
    if (most > 0) {
        bound[out] = false;
        bound[in] = true;
    }
    return have > 0 ? most / have : INFINITY;
}

/* At the start the components that pivoting takes first; later one is exchanged for another. */
static int reduced_rebase(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    bool *bound = (bool *)c->K;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    if (actio_chart_choose_rows(m, at.A)) return ACTIO_FLOW_SINGULAR;
    if (m->obeys.based) {
        double gain;
        best_exchange(m, &at, bound);
        set_split(c, bound);
        /* one may not be enough */
        for (size_t i = 0; (gain = best_exchange(m, &at, bound)) * c->tau > 1 + 1e-9 && i < c->N; i++)
            set_split(c, bound);
        if (c->tau * gain > 1 + 1e-9 || c->frames > MOST_SPLITS) return ACTIO_FLOW_FAILED;
        for (size_t i = 0; i < c->N; i++) bound[i] = !is_free(c, i);
    } else {
        weigh(m, &at, c->copy);
        if (actio_qrcp(m->p, c->N, c->copy, c->work, c->iwork, 1e-12, c->work + c->N + m->p) < c->N - c->r)
            return ACTIO_FLOW_SINGULAR;
        memset(bound, 0, c->N * sizeof *bound);
        for (size_t k = 0; k < c->N - c->r; k++) bound[c->iwork[k]] = true;
    }
    set_split(c, bound);
    return actio_chart_remember(m, t);
}

/* tau times the grip of the best exchange over that of this split: above 1 it is worn out. */
static double reduced_strain(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    if (c->r == c->N || c->r == 0 || !(c->tau > 0) || actio_motion_matrices(m, t, y, &at)) return 0;
    return fmin(c->tau * best_exchange(m, &at, (bool *)c->K), 1e6);
}

/* z' = free rates on free components; bound ones follow from A z' = c. */
static int rates_at(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N, r = c->r;
    double *free_rates = c->work;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    memcpy(free_rates, at.h, N * sizeof *free_rates);
    memcpy(c->copy, at.G, N * N * sizeof *c->copy);
    if (actio_lu_factor(N, c->copy, c->pivot)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(N, c->copy, c->pivot, free_rates, 1, false);
    for (size_t i = 0; i < N; i++)
        m->here.zdot[i] = i < r ? actio_dot(N, c->Z + i * N, free_rates) : at.c[c->row[i - r]];
    memcpy(c->step, m->here.zdot, r * sizeof *c->step);
    if (actio_chart_factor(c, at.A)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(N, c->M, c->pivot, m->here.zdot, 1, false);
    return ACTIO_FLOW_OK;
}

static int reduced_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    struct actio_chart *c = m->obeys.data;
    double *y = m->obeys.y;
    int status = actio_chart_unfold(m, t, Y, y);
    if (!status) status = rates_at(m, t, y);
    memcpy(dY, y + m->n, m->n * sizeof *dY);
    memcpy(dY + m->n, c->step, c->r * sizeof *dY);
    return status;
}

/* The bound components' part of a matrix with rows of N values, transposed: to[i][k] = from[row k][bound i]. */
static void take_bound(const struct actio_chart *c, const double *from, const uint32_t *row, double *to)
{
    size_t count = c->N - c->r, i = 0;
    for (size_t j = 0; j < c->N; j++) {
        if (is_free(c, j)) continue;
        for (size_t k = 0; k < count; k++) to[i * count + k] = from[row[k] * c->N + j];
        i++;
    }
}

/* The reaction R moves bound components only: R = G P d. Its share by constraint is R = D' lambda with D_k = G P
 * (G_bb)^-1 A_bk, so that on bound components it is A_b' lambda; power = lambda D v. */
static int share(struct actio_motion *m, const struct actio_dense_point *at, const double *v)
{
    struct actio_chart *c = m->obeys.data;
    size_t N = c->N, count = N - c->r, b = 0;
    double *Ab = c->M, *Gb = c->copy, *momentum = c->work, *column = momentum + N;
    uint32_t *bound = (uint32_t *)c->iwork;
    for (size_t i = 0; i < N; i++)
        if (!is_free(c, i)) {
            bound[b] = (uint32_t)i;
            momentum[b++] = 0;
        }
    take_bound(c, at->G, bound, Gb);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < m->n; j++) momentum[i] += at->G[j * N + bound[i]] * v[j];
    if (actio_lu_factor(count, Gb, c->pivot)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(count, Gb, c->pivot, momentum, 1, false);
    take_bound(c, at->A, c->row, Ab);
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < count; i++) column[i] = Ab[i * count + k];
        m->here.lambda[m->p + c->row[k]] = actio_dot(count, column, momentum);
    }
    for (size_t i = 0; i < count; i++) column[i] = m->here.reaction[bound[i]];
    if (actio_lu_factor(count, Ab, c->pivot)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(count, Ab, c->pivot, column, 1, false);
    for (size_t k = 0; k < count; k++) {
        m->here.lambda[c->row[k]] = column[k];
        m->here.lambda[m->p + c->row[k]] *= column[k];
    }
    return ACTIO_FLOW_OK;
}

/* With the split that was in force then. */
static int reduced_solve(struct actio_motion *m, double t, const double *y)
{
    struct actio_dense_point at;
    actio_chart_recall(m, t);
    int status = rates_at(m, t, y);
    if (!status) status = actio_motion_react(m, t, y);
    if (!status) status = actio_motion_matrices(m, t, y, &at);
    return status || m->sys->powers == 0 ? status : share(m, &at, y + m->n);
}

const struct actio_law actio_law_reduced = {
    .name = "reduced",
    .open = reduced_open,
    .close = actio_chart_close,
    .size = actio_chart_size,
    .unfold = actio_chart_unfold,
    .fold = actio_chart_fold,
    .rates = reduced_rates,
    .solve = reduced_solve,
    .strain = reduced_strain,
    .rebase = reduced_rebase,
};
