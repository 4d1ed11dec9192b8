/* SPDX-License-Identifier: Apache-2.0
 * A toy linear solver: the inverse by Gauss-Jordan with complete pivoting. */
#include "seams/seams.h"

#include <math.h>
#include <string.h>

size_t toy_linear_factors;

struct inverse {
    struct actio_context *ctx;
    size_t n;
    const uint32_t *i, *j;
    size_t count;
    double *a, *x, least, most;
    size_t *row, *col;
};

static int fits(const struct actio_pattern *p) { return p->rows <= 100 ? 900 : 0; }

static void shut(void *h)
{
    struct inverse *v = h;
    void *all[] = { v->a, v->x, v->row, v->col };
    for (size_t k = 0; k < 4; k++) actio_free(v->ctx, all[k]);
    actio_free(v->ctx, v);
}

static void *open(struct actio_context *ctx, const struct actio_pattern *p)
{
    struct inverse *v = actio_alloc(ctx, 1, sizeof *v);
    if (!v) return NULL;
    *v = (struct inverse){ .ctx = ctx, .n = p->rows, .i = p->i, .j = p->j, .count = p->count };
    v->a = actio_alloc(ctx, p->rows * p->rows + 1, sizeof(double));
    v->x = actio_alloc(ctx, p->rows + 1, sizeof(double));
    v->row = actio_alloc(ctx, p->rows + 1, sizeof(size_t));
    v->col = actio_alloc(ctx, p->rows + 1, sizeof(size_t));
    if (v->a && v->x && v->row && v->col) return v;
    shut(v);
    return NULL;
}

/* The largest entry outside the rows and columns already used (row[k], col[k], k < done). */
static double best_pivot(struct inverse *v, size_t done)
{
    double best = 0;
    for (size_t i = 0; i < v->n; i++)
        for (size_t j = 0; j < v->n; j++) {
            bool used = false;
            for (size_t k = 0; k < done; k++) used = used || v->row[k] == i || v->col[k] == j;
            if (used || fabs(v->a[i * v->n + j]) <= best) continue;
            best = fabs(v->a[i * v->n + j]);
            v->row[done] = i;
            v->col[done] = j;
        }
    return best;
}

/* Exchange of unknown col with right side row: afterwards a[row][col] and its row hold the unknown. */
static void exchange(struct inverse *v, size_t r, size_t c)
{
    size_t n = v->n;
    double *a = v->a, pivot = a[r * n + c];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && i != r; j++)
            if (j != c) a[i * n + j] -= a[i * n + c] * a[r * n + j] / pivot;
    for (size_t j = 0; j < n; j++)
        if (j != c) a[r * n + j] /= -pivot;
    for (size_t i = 0; i < n; i++)
        if (i != r) a[i * n + c] /= pivot;
    a[r * n + c] = 1 / pivot;
}

static int factor(void *h, const double *values)
{
    struct inverse *v = h;
    toy_linear_factors++;
    memset(v->a, 0, v->n * v->n * sizeof *v->a);
    for (size_t k = 0; k < v->count; k++) v->a[v->i[k] * v->n + v->j[k]] = values[k];
    v->least = INFINITY;
    v->most = 0;
    for (size_t k = 0; k < v->n; k++) {
        double p = best_pivot(v, k);
        if (!(p > 1e-14 * v->most) || !isfinite(p)) return 1 + (int)k;
        v->least = fmin(v->least, p);
        v->most = fmax(v->most, p);
        exchange(v, v->row[k], v->col[k]);
    }
    return 0;
}

/* Row r of the exchanged matrix gives the unknown that took its place, from right sides standing where their unknowns
 * were. */
static void solve(void *h, double *b, size_t nrhs, bool transposed)
{
    struct inverse *v = h;
    size_t n = v->n;
    for (size_t s = 0; s < nrhs; s++, b += n) {
        memset(v->x, 0, n * sizeof *b);
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++) {
                double entry = v->a[v->row[k] * n + v->col[l]];
                if (transposed) v->x[v->row[l]] += entry * b[v->col[k]];
                else v->x[v->col[k]] += entry * b[v->row[l]];
            }
        memcpy(b, v->x, n * sizeof *b);
    }
}

static double rcond(void *h)
{
    const struct inverse *v = h;
    return v->most > 0 ? v->least / v->most : 1;
}

const struct actio_linear_type toy_linear = { "toy", fits, open, factor, solve, rcond, shut };
