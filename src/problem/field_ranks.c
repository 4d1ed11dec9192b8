/* SPDX-License-Identifier: Apache-2.0
 * Ranks, degrees of freedom and inertia of a model with fields, with one number of nodes: at its start and at shapes
 * around it.  [HAMEL E] */
#include "problem/field_shapes.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-9 /* rows nearer to each other than this */

struct dense {
    size_t n, p;
    double *A, *G, *basis, *work;
    int *iwork;
};

static bool dense_open(struct dense *d, struct actio_problem *problem)
{
    size_t n = problem->sys->n, p = problem->sys->p, big = n > p ? n : p;
    *d = (struct dense){ .n = n, .p = p };
    double **part[] = { &d->A, &d->G, &d->basis, &d->work };
    const size_t length[] = { p * n, n * n, n * n, actio_rank_work(big, big) + p * n + n * n };
    bool ok = (d->iwork = actio_alloc(problem->ctx, 2 * (n + p) + 1, sizeof *d->iwork)) != NULL;
    for (size_t i = 0; i < 4; i++)
        ok = (*part[i] = actio_alloc(problem->ctx, length[i] + 1, sizeof(double))) != NULL && ok;
    return ok;
}

static void dense_close(struct dense *d, struct actio_problem *problem)
{
    void *all[] = { d->A, d->G, d->basis, d->work, d->iwork };
    for (size_t i = 0; i < 5; i++) actio_free(problem->ctx, all[i]);
}

/* Rows of A in units of the masses, each of length 1; G beside them. Values beyond an end that follow from others count
 * as held. */
static bool dense_fill(struct dense *d, struct actio_problem *problem, const double *y)
{
    const struct actio_system *sys = problem->sys;
    struct actio_motion *m = &problem->motion;
    m->here.t = problem->model->time.given ? problem->model->time.t0 : 0;
    memcpy(m->here.y, y, problem->ny * sizeof *y);
    const double *v = actio_bound_values(&m->at[ACTIO_Q_MATRIX]), *A = v + sys->G.count;
    memset(d->A, 0, d->p * d->n * sizeof *d->A);
    memset(d->G, 0, d->n * d->n * sizeof *d->G);
    for (size_t i = 0; i < sys->G.count; i++) d->G[sys->G.row[i] * d->n + sys->G.col[i]] += v[i];
    for (size_t i = 0; i < sys->A.count; i++) d->A[sys->A.row[i] * d->n + sys->A.col[i]] += A[i];
    for (size_t k = 0; k < d->p; k++) {
        double length = actio_norm(d->n, d->A + k * d->n);
        if (!isfinite(length)) return false;
        for (size_t i = 0; length > 0 && i < d->n; i++) d->A[k * d->n + i] /= length;
    }
    return true;
}

static size_t rank_of(struct dense *d, size_t rows, const double *A)
{
    double *copy = d->work, *work = d->work + d->p * d->n + d->n * d->n;
    if (rows == 0) { /* everything may move */
        memset(d->basis, 0, d->n * d->n * sizeof *d->basis);
        for (size_t i = 0; i < d->n; i++) d->basis[i * d->n + i] = 1;
        return 0;
    }
    memcpy(copy, A, rows * d->n * sizeof *copy);
    return actio_row_bases(rows, d->n, copy, DEPENDENT, d->basis, work, d->iwork);
}

/* Inertia of the kinetic energy: everywhere, and where the constraints let things move. */
static void inertia(struct dense *d, const struct actio_system *sys, size_t rank, int all[3], int kernel[3])
{
    size_t n = d->n, r = n - rank;
    double *M = d->work;
    memcpy(M, d->G, n * n * sizeof *M);
    for (size_t k = 0; k < sys->field.slaves; k++)
        for (size_t i = 0; i < n; i++) M[sys->field.slave[k] * n + i] = M[i * n + sys->field.slave[k]] = 0;
    memcpy(d->G, M, n * n * sizeof *M);
    actio_ldl_factor(n, M, d->iwork);
    actio_ldl_inertia(n, M, d->iwork, 1e-12, all);
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b <= a; b++) {
            const double *x = d->basis + (rank + a) * n, *y = d->basis + (rank + b) * n;
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += x[i] * actio_dot(n, d->G + i * n, y);
            M[a * r + b] = M[b * r + a] = sum;
        }
    actio_ldl_factor(r, M, d->iwork);
    actio_ldl_inertia(r, M, d->iwork, 1e-10, kernel);
    kernel[2] -= (int)sys->field.slaves;
    all[2] -= (int)sys->field.slaves;
}

/* Constraints whose rows say nothing that those before them don't. */
static void mark_redundant(struct dense *d, const struct actio_problem *problem, struct actio_field_look *out)
{
    size_t p = d->p, n = d->n, kept = 0;
    double *Q = d->G; /* n x n: not needed any more */
    for (size_t k = 0, c = 0; k < p; k++) {
        while (c + 1 < problem->model->constraints && problem->sys->field.row[c + 1] <= k) c++;
        double *row = d->work;
        memcpy(row, d->A + k * n, n * sizeof *row);
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < kept; j++) {
                double x = actio_dot(n, row, Q + j * n);
                for (size_t i = 0; i < n; i++) row[i] -= x * Q[j * n + i];
            }
        double length = actio_norm(n, row);
        if (kept == n || length <= 1e-7) {
            if (c < ACTIO_FIELD_NAMED) out->redundant[c]++;
            continue;
        }
        for (size_t i = 0; i < n; i++) Q[kept * n + i] = row[i] / length;
        kept++;
    }
}

/* 1 + the first constraint with a row that is 0 at y and is not beside it: its gradient vanishes where it holds; 0:
 * none. */
static size_t find_vanishing(struct dense *d, struct actio_problem *problem, double *y)
{
    size_t zeros = 0, *zero = actio_alloc(problem->ctx, d->p + 1, sizeof *zero), found = 0;
    if (!zero || !dense_fill(d, problem, y)) {
        actio_free(problem->ctx, zero);
        return 0;
    }
    for (size_t k = 0; k < d->p; k++)
        if (actio_norm(d->n, d->A + k * d->n) == 0) zero[zeros++] = k;
    for (size_t i = 0; zeros && i < problem->ny; i++) y[i] += 1e-3 * (1 + (double)(i % 7));
    bool there = zeros && dense_fill(d, problem, y);
    for (size_t i = 0; there && i < zeros && !found; i++) {
        if (actio_norm(d->n, d->A + zero[i] * d->n) == 0) continue;
        while (found < problem->model->constraints && problem->sys->field.row[found] <= zero[i]) found++;
    }
    actio_free(problem->ctx, zero);
    return found;
}

static bool look_at(struct actio_problem *problem, struct dense *d, unsigned shape, double *y,
                    struct actio_field_look *out)
{
    bool there = false;
    for (size_t k = 0; k < ACTIO_FIELD_AMOUNTS && !there; k++)
        there =
            actio_field_shape(problem, (struct actio_field_bend){ shape, actio_field_amount[k], 0, true, false }, y);
    if (!there || !dense_fill(d, problem, y)) return false;
    size_t rank = rank_of(d, d->p, d->A), slaves = problem->sys->field.slaves;
    if (out->samples == 0) out->start_rank = rank; /* the start, where it is on the constraints */
    if (out->samples == 0 || rank < out->least) {
        out->least = rank;
        out->least_shape = shape;
    }
    if (out->samples == 0 || rank > out->rank) out->rank = rank;
    if (out->samples++ == 0) {
        inertia(d, problem->sys, rank, out->inertia, out->kernel);
        if (rank < d->p && dense_fill(d, problem, y)) {
            mark_redundant(d, problem, out);
            out->vanishing = find_vanishing(d, problem, y);
        }
    }
    out->dof = (long)d->n - (long)slaves - (long)out->rank;
    return true;
}

/* Ranks at the start and at shapes around it, with this many cells. 0, or 1: it could not be done. */
int actio_field_ranks(struct actio_problem *of, size_t cells, struct actio_field_look *out)
{
    struct actio_field_trial t;
    struct dense d = { 0 };
    if (of->model->field.axes > ACTIO_FIELD_AXES) return 1;
    *out = (struct actio_field_look){ .cells = cells };
    bool ok = actio_field_trial_open(&t, of, cells, 0) && dense_open(&d, &t.problem);
    double *y = ok ? actio_alloc(of->ctx, t.problem.ny + 1, sizeof *y) : NULL;
    if (y) {
        out->n = d.n;
        out->p = d.p;
        out->slaves = t.problem.sys->field.slaves;
        for (unsigned shape = 0; shape <= ACTIO_FIELD_STRAIGHT; shape++) look_at(&t.problem, &d, shape, y, out);
    }
    ok = y && out->samples > 0;
    actio_free(of->ctx, y);
    if (t.problem.sys) dense_close(&d, &t.problem);
    actio_field_trial_close(&t);
    return !ok;
}
