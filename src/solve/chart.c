/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/chart.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TIE 1e-6 /* of its length: so much longer must an earlier row be than a later one */

enum { MOST_ITERATIONS = 25 };
#define RANK_TOL 1e-9

int actio_chart_open(struct actio_motion *m)
{
    size_t N = m->N, p = m->p, big = N > p ? N : p;
    struct actio_chart *c = m->obeys.data = actio_alloc(m->ctx, 1, sizeof *c);
    if (!c) return 1;
    c->N = N;
    c->r = N - m->rows.rank;
    struct {
        double **at;
        size_t count;
    } want[] = { { &c->Z, N * N },        { &c->z, N },
                 { &c->M, N * N },        { &c->phi, p },
                 { &c->longest, p },      { &c->step, N },
                 { &c->copy, big * big }, { &c->work, actio_rank_work(big, big) + big },
                 { &c->F, N * N },        { &c->K, N * N } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    c->row = actio_alloc(m->ctx, p + 1, sizeof *c->row);
    c->pivot = actio_alloc(m->ctx, N + 1, sizeof *c->pivot);
    c->iwork = actio_alloc(m->ctx, 2 * (N + p) + 1, sizeof *c->iwork);
    return !c->row || !c->pivot || !c->iwork;
}

void actio_chart_close(struct actio_motion *m)
{
    struct actio_chart *c = m->obeys.data;
    if (!c) return;
    void *all[] = { c->Z, c->z, c->M,   c->phi,   c->longest, c->step, c->copy, c->work,
                    c->F, c->K, c->row, c->pivot, c->iwork,   c->past, c };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
}

size_t actio_chart_size(const struct actio_motion *m)
{
    const struct actio_chart *c = m->obeys.data;
    return m->n + c->r;
}

/* 1 over the length of each row at its longest so far: one that vanishes at an instant is not chosen there. Of equals
 * the last: a choice that changes with rounding from stage to stage would show by how far positions are off. */
static void row_scales(struct actio_chart *c, size_t p, const double *A, double *scale)
{
    for (size_t k = 0; k < p; k++) {
        c->longest[k] = fmax(c->longest[k], actio_norm(c->N, A + k * c->N));
        scale[k] = (c->longest[k] > 0 ? 1 / c->longest[k] : 1) / (1 - TIE * (double)k);
    }
}

/* Columns of A' that a pivoted QR takes first: rows of A, each the one that adds most to those before. */
int actio_chart_choose_rows(struct actio_motion *m, const double *A)
{
    struct actio_chart *c = m->obeys.data;
    size_t N = c->N, p = m->p;
    double *scale = c->work, *tau = c->work + p, *rest = tau + p;
    if (p == 0) return 0;
    if (!m->obeys.based) memset(c->longest, 0, p * sizeof *c->longest);
    if (m->rows.rank < p) row_scales(c, p, A, scale);
    else actio_row_scales(p, N, A, scale);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < p; k++) c->copy[i * p + k] = A[k * N + i] * scale[k];
    size_t rank = actio_qrcp(N, p, c->copy, tau, c->iwork, RANK_TOL, rest);
    if (rank < N - c->r) return 1;
    for (size_t k = 0; k < N - c->r; k++) c->row[k] = (uint32_t)c->iwork[k];
    return 0;
}

int actio_chart_factor(struct actio_chart *c, const double *A)
{
    size_t N = c->N;
    memcpy(c->M, c->Z, c->r * N * sizeof *c->M);
    for (size_t k = 0; k < N - c->r; k++) memcpy(c->M + (c->r + k) * N, A + c->row[k] * N, N * sizeof *c->M);
    return actio_lu_factor(N, c->M, c->pivot) != 0;
}

int actio_chart_remember(struct actio_motion *m, double t)
{
    struct actio_chart *c = m->obeys.data;
    size_t each = 1 + c->r * c->N;
    if (!m->obeys.based) c->frames = 0;
    if (c->frames == c->room) {
        double *more = actio_alloc(m->ctx, (2 * c->room + 4) * each, sizeof *more);
        if (!more) return ACTIO_FLOW_FAILED;
        if (c->frames) memcpy(more, c->past, c->frames * each * sizeof *more);
        actio_free(m->ctx, c->past);
        c->past = more;
        c->room = 2 * c->room + 4;
    }
    double *to = c->past + c->frames++ * each;
    to[0] = t;
    memcpy(to + 1, c->Z, (each - 1) * sizeof *to);
    return ACTIO_FLOW_OK;
}

void actio_chart_recall(struct actio_motion *m, double t)
{
    struct actio_chart *c = m->obeys.data;
    size_t each = 1 + c->r * c->N, i = c->frames;
    while (i > 1 && (m->span < 0 ? t > c->past[(i - 1) * each] : t < c->past[(i - 1) * each])) i--;
    if (i) memcpy(c->Z, c->past + (i - 1) * each + 1, (each - 1) * sizeof *c->Z);
}

int actio_chart_fold(struct actio_motion *m, double t, const double *y, double *Y)
{
    struct actio_chart *c = m->obeys.data;
    const double *z = y + m->n;
    (void)t;
    memcpy(Y, y, m->n * sizeof *Y);
    memcpy(c->z, z, c->N * sizeof *z);
    for (size_t i = 0; i < c->r; i++) Y[m->n + i] = actio_dot(c->N, c->Z + i * c->N, z);
    return ACTIO_FLOW_OK;
}

/* xi - Z z and -phi of the rows kept; returns the largest, beside the size of z. */
static double defect_of(struct actio_motion *m, double t, const double *y, const double *xi)
{
    struct actio_chart *c = m->obeys.data;
    const double *z = y + m->n;
    double largest = 0, size = 1;
    actio_motion_residuals(m, t, y, c->phi);
    for (size_t i = 0; i < c->r; i++) c->step[i] = xi[i] - actio_dot(c->N, c->Z + i * c->N, z);
    for (size_t k = c->r; k < c->N; k++) c->step[k] = -c->phi[c->row[k - c->r]];
    for (size_t i = 0; i < c->N; i++) {
        largest = fmax(largest, fabs(c->step[i]));
        size = fmax(size, fabs(z[i]));
    }
    return largest / size;
}

int actio_chart_unfold(struct actio_motion *m, double t, const double *Y, double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    double before = INFINITY;
    memcpy(y, Y, m->n * sizeof *y);
    memcpy(y + m->n, c->z, c->N * sizeof *y);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        double defect = defect_of(m, t, y, Y + m->n);
        if (!isfinite(defect)) return ACTIO_FLOW_NAN;
        if (defect <= 4 * DBL_EPSILON || (defect < 1e-11 && defect >= 0.5 * before)) { /* rounding is reached */
            memcpy(c->z, y + m->n, c->N * sizeof *y);
            return ACTIO_FLOW_OK;
        }
        if (i > 6 && !(defect < before)) break;
        before = defect;
        if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
        if (actio_chart_factor(c, at.A)) return ACTIO_FLOW_SINGULAR;
        actio_lu_solve(c->N, c->M, c->pivot, c->step, 1, false);
        for (size_t k = 0; k < c->N; k++) y[m->n + k] += c->step[k];
    }
    return ACTIO_FLOW_SINGULAR;
}

double actio_chart_condition(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N;
    if (actio_motion_matrices(m, t, y, &at)) return INFINITY;
    memcpy(c->copy, c->Z, c->r * N * sizeof *c->copy);
    for (size_t k = 0; k < N - c->r; k++) memcpy(c->copy + (c->r + k) * N, at.A + c->row[k] * N, N * sizeof *c->copy);
    actio_row_scales(N, N, c->copy, c->step);
    /* others can take its place */
    for (size_t k = 0; m->rows.rank < m->p && k < N - c->r; k++) c->step[c->r + k] = 1 / c->longest[c->row[k]];
    for (size_t i = 0; i < N * N; i++) c->copy[i] *= c->step[i / N];
    double size = actio_norm(N * N, c->copy);
    if (actio_lu_factor(N, c->copy, c->pivot)) return INFINITY;
    memset(c->K, 0, N * N * sizeof *c->K);
    for (size_t i = 0; i < N; i++) c->K[i * N + i] = 1;
    actio_lu_solve(N, c->copy, c->pivot, c->K, N, false);
    return size * actio_norm(N * N, c->K) / (double)N;
}
