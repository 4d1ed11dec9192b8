/* SPDX-License-Identifier: Apache-2.0
 * Gauss's least constraint: of all accelerations that the constraints allow, those nearest to the free ones in the metric of the masses.
 *     min (z' - a)' G (z' - a) / 2,  G a = h,  subject to A z' = c,  by G = L L', B = A L'^-1, z' = a + L'^-1 B^+ (c - A a).
 * Rows may be redundant, and of acceleration level; nothing is eliminated, no multiplier is needed. Where G is positive only along the
 * constraints, s A'A joins it and s A'c joins h: the same minimum, as A z' = c. */
#include "solve/law.h"
#include "algebra/dense.h"
#include "algebra/lcp.h"

#include <math.h>
#include <string.h>

#define RANK_TOL 1e-9
#define REDUNDANT_TOL 1e-6                                 /* of rows known to be redundant: inside a step they depend on each other only as far as positions fit */

static double rank_tol(const struct actio_motion *m) { return m->rank < m->p ? REDUNDANT_TOL : RANK_TOL; }

struct gauss { double *a, *metric, *walls, *E, *M, *q, *z, *lcp, *B, *copy, *rest, *y, *work; int *iwork; };

static int gauss_open(struct actio_motion *m)
{
    size_t N = m->N, p = m->p, big = N > p ? N : p, c = m->sys->contacts;
    struct gauss *g = m->law_data = actio_take(m->ctx, 1, sizeof *g);
    if (!g) return 1;
    struct { double **at; size_t count; } want[] = {
        { &g->a, N }, { &g->metric, N * N }, { &g->B, p * N }, { &g->copy, p * N }, { &g->rest, p }, { &g->y, N }, { &g->work, actio_rank_work(big, big) + big },
        { &g->walls, c * N }, { &g->E, N * N }, { &g->M, c * c }, { &g->q, c }, { &g->z, c }, { &g->lcp, actio_lcp_work(c) },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_take(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    g->iwork = actio_take(m->ctx, 2 * (N + p) + c + 1, sizeof(int));
    return g->iwork == NULL;
}

static void gauss_close(struct actio_motion *m)
{
    struct gauss *g = m->law_data;
    if (!g) return;
    void *all[] = { g->a, g->metric, g->walls, g->E, g->M, g->q, g->z, g->lcp, g->B, g->copy, g->rest, g->y, g->work, g->iwork, g };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_give(m->ctx, all[i]);
}

/* x := L^-1 x for each row of `rows` (that is X L'^-1), L in the lower half. */
static void divide_rows(size_t n, const double *L, double *x, size_t rows)
{
    for (size_t r = 0; r < rows; r++, x += n)
        for (size_t i = 0; i < n; i++) {
            double sum = x[i];
            for (size_t j = 0; j < i; j++) sum -= L[i * n + j] * x[j];
            x[i] = sum / L[i * n + i];
        }
}

/* x := L'^-1 x */
static void divide_upper(size_t n, const double *L, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= L[j * n + i] * x[j];
        x[i] /= L[i * n + i];
    }
}

/* G = L L' in place, by the least of a few weights of the constraints' rows that makes it positive; h goes to g->a. 0, or 1: there is none. */
static int factor(struct actio_motion *m, struct actio_dense_point *at, double *h)
{
    static const double weights[] = { 1, 1e2, 1e4 };
    struct gauss *g = m->law_data;
    size_t N = m->N, p = m->p, bytes = N * N * sizeof *at->G;
    memcpy(g->metric, at->G, bytes);
    memcpy(h, at->h, N * sizeof *h);
    if (actio_cholesky_factor(N, at->G) == 0) return 0;
    double size = 0;
    for (size_t i = 0; i < N * N; i++) size = fmax(size, fabs(g->metric[i]));
    actio_row_scales(p, N, at->A, g->rest);
    for (size_t w = 0; p && w < sizeof weights / sizeof *weights; w++) {
        memcpy(at->G, g->metric, bytes);
        memcpy(h, at->h, N * sizeof *h);
        for (size_t k = 0; k < p; k++) {
            const double *row = at->A + k * N;
            double s = weights[w] * size * g->rest[k] * g->rest[k];
            for (size_t i = 0; i < N; i++) {
                h[i] += s * row[i] * at->c[k];
                for (size_t j = 0; j < N; j++) at->G[i * N + j] += s * row[i] * row[j];
            }
        }
        if (actio_cholesky_factor(N, at->G) == 0) return 0;
    }
    return 1;
}

/* z' into m->zdot. With B of rank r, B^+ gives the change of least constraint; rows that contradict each other leave a defect. */
static int least_constraint(struct actio_motion *m, double t, const double *y, struct actio_dense_point *at)
{
    struct gauss *g = m->law_data;
    size_t N = m->N, p = m->p;
    double defect = 0;
    if (actio_motion_matrices(m, t, y, at)) return ACTIO_FLOW_NAN;
    if (factor(m, at, g->a)) return ACTIO_FLOW_SINGULAR;   /* the constraint has no least value */
    actio_cholesky_solve(N, at->G, g->a, 1);
    memcpy(m->zdot, g->a, N * sizeof *g->a);
    if (p == 0) return ACTIO_FLOW_OK;
    for (size_t k = 0; k < p; k++) g->rest[k] = at->c[k] - actio_dot(N, at->A + k * N, g->a);
    memcpy(g->B, at->A, p * N * sizeof *g->B);
    divide_rows(N, at->G, g->B, p);
    memcpy(g->copy, g->B, p * N * sizeof *g->B);
    size_t rank = actio_min_norm(p, N, g->copy, g->rest, rank_tol(m), g->y, &defect, g->work, g->iwork);
    if (rank < m->rank) return ACTIO_FLOW_SINGULAR;
    divide_upper(N, at->G, g->y);
    for (size_t i = 0; i < N; i++) m->zdot[i] += g->y[i];
    return ACTIO_FLOW_OK;
}

/* Rows of the walls in the same measure, without what the constraints' rows hold already; and by how much each would be broken: q. */
static size_t take_walls(struct actio_motion *m, const double *x, const unsigned char *held, const double *L)
{
    struct gauss *g = m->law_data;
    size_t N = m->N, count = 0, rank = 0;
    if (m->p) {
        memcpy(g->copy, g->B, m->p * N * sizeof *g->B);
        rank = actio_row_bases(m->p, N, g->copy, rank_tol(m), g->E, g->work, g->iwork);
    }
    for (size_t i = 0; i < m->sys->contacts; i++, x += m->n + ACTIO_GAP_HEAD) {
        double *row = g->walls + count * N;
        if (!held[i]) continue;
        memset(row, 0, N * sizeof *row);
        memcpy(row, x + ACTIO_GAP_HEAD, m->n * sizeof *row);
        g->q[count++] = actio_dot(N, row, m->zdot) + x[ACTIO_GAP_BIAS];
        divide_rows(N, L, row, 1);
        for (size_t k = 0; k < rank; k++) {
            double part = actio_dot(N, g->E + k * N, row);
            for (size_t j = 0; j < N; j++) row[j] -= part * g->E[k * N + j];
        }
    }
    return count;
}

/* Of all accelerations that constraints and walls allow the nearest ones: what walls add is a sum of their rows with weights z >= 0, and a wall that
 * pushes (z > 0) is not left (w = 0). */
static int gauss_one_sided(struct actio_motion *m, double t, const double *y, const unsigned char *held)
{
    struct gauss *g = m->law_data;
    struct actio_dense_point at;
    size_t N = m->N;
    int status = least_constraint(m, t, y, &at);
    if (status) return status;
    size_t count = take_walls(m, actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y), held, at.G);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) g->M[i * count + j] = actio_dot(N, g->walls + i * N, g->walls + j * N);
    if (actio_lcp(count, g->M, g->q, g->z, g->lcp, g->iwork)) return ACTIO_FLOW_SINGULAR;
    memset(g->y, 0, N * sizeof *g->y);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < N; j++) g->y[j] += g->z[i] * g->walls[i * N + j];
    divide_upper(N, at.G, g->y);
    for (size_t i = 0; i < N; i++) m->zdot[i] += g->y[i];
    return ACTIO_FLOW_OK;
}

static size_t gauss_size(const struct actio_motion *m) { return m->ny; }

static int gauss_rates(struct actio_motion *m, double t, const double *y, double *dy)
{
    struct actio_dense_point at;
    int status = least_constraint(m, t, y, &at);
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, m->zdot, m->N * sizeof *dy);
    return status;
}

/* The reaction is G z' - h; the multipliers of least norm that make it up, A' lambda = reaction, come with it. */
static int gauss_solve(struct actio_motion *m, double t, const double *y)
{
    struct actio_dense_point at;
    int status = least_constraint(m, t, y, &at);
    if (status) return status;
    return actio_motion_react(m, t, y);
}

static const char *gauss_objection(struct actio_motion *m, double t, const double *y)
{
    return m->sys->slaves ? "a second derivative reaches beyond an end of a line, where values have no mass" : actio_law_is_small(m, t, y);
}

const struct actio_law actio_law_gauss = {
    .name = "gauss", .objection = gauss_objection, .open = gauss_open, .close = gauss_close, .size = gauss_size, .rates = gauss_rates, .solve = gauss_solve, .one_sided = gauss_one_sided,
};
