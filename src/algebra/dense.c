/* SPDX-License-Identifier: Apache-2.0
 * The dense row of the table of linear solvers: LU of the row-scaled matrix, Cholesky where the pattern promises a
 * definite one. */
#include "algebra/dense.h"
#include "algebra/linear.h"

#include <math.h>
#include <string.h>

struct dense {
    struct actio_context *ctx;
    size_t n, count;
    uint32_t *place; /* of each entry in a */
    double *a, *scale;
    int *pivot;
    bool definite, by_cholesky;
};

static int dense_fits(const struct actio_pattern *p)
{
    bool full = (double)p->count > 0.2 * (double)p->rows * (double)p->rows;
    if (p->rows > UINT16_MAX) return 0; /* 34 GB: places would not fit 32 bits either */
    return p->rows <= 60 || full ? 50 : 5;
}

static void dense_close(void *h)
{
    struct dense *d = h;
    if (!d) return;
    actio_free(d->ctx, d->place);
    actio_free(d->ctx, d->a);
    actio_free(d->ctx, d->scale);
    actio_free(d->ctx, d->pivot);
    actio_free(d->ctx, d);
}

static void *dense_open(struct actio_context *ctx, const struct actio_pattern *p)
{
    size_t n = p->rows;
    struct dense *d = actio_alloc(ctx, 1, sizeof *d);
    if (!d) return NULL;
    *d = (struct dense){ .ctx = ctx, .n = n, .count = p->count, .definite = p->symmetric && p->definite };
    d->place = actio_alloc(ctx, p->count + 1, sizeof *d->place);
    d->a = actio_alloc(ctx, n * n + 1, sizeof *d->a);
    d->scale = actio_alloc(ctx, n + 1, sizeof *d->scale);
    d->pivot = actio_alloc(ctx, n + 1, sizeof *d->pivot);
    if (!d->place || !d->a || !d->scale || !d->pivot) {
        dense_close(d);
        return NULL;
    }
    for (size_t e = 0; e < p->count; e++) d->place[e] = (uint32_t)(p->i[e] * n + p->j[e]);
    return d;
}

static void dense_load(struct dense *d, const double *values)
{
    memset(d->a, 0, d->n * d->n * sizeof *d->a);
    for (size_t e = 0; e < d->count; e++) d->a[d->place[e]] = values[e];
}

static void scale_rows(struct dense *d)
{
    for (size_t i = 0; i < d->n; i++) {
        double *row = d->a + i * d->n, largest = 0;
        for (size_t j = 0; j < d->n; j++) largest = fabs(row[j]) > largest ? fabs(row[j]) : largest;
        double s = d->scale[i] = actio_scale_power(largest);
        for (size_t j = 0; j < d->n; j++) row[j] *= s;
    }
}

static int dense_factor(void *h, const double *values)
{
    struct dense *d = h;
    dense_load(d, values);
    d->by_cholesky = d->definite && actio_cholesky_factor(d->n, d->a) == 0;
    if (d->by_cholesky) return 0;
    if (d->definite) dense_load(d, values);
    scale_rows(d);
    return actio_lu_factor(d->n, d->a, d->pivot);
}

/* (S A) x = S b, and A' x = b as (S A)' y = b, x = S y */
static void dense_solve(void *h, double *b, size_t nrhs, bool transposed)
{
    struct dense *d = h;
    for (size_t r = 0; r < nrhs; r++, b += d->n) {
        if (d->by_cholesky) {
            actio_cholesky_solve(d->n, d->a, b, 1);
            continue;
        }
        for (size_t i = 0; !transposed && i < d->n; i++) b[i] *= d->scale[i];
        actio_lu_solve(d->n, d->a, d->pivot, b, 1, transposed);
        for (size_t i = 0; transposed && i < d->n; i++) b[i] *= d->scale[i];
    }
}

static double dense_rcond(void *h)
{
    struct dense *d = h;
    double ratio = actio_lu_pivot_ratio(d->n, d->a);
    return d->by_cholesky ? ratio * ratio : ratio;
}

const struct actio_linear_type actio_linear_dense = { "dense",     dense_fits,  dense_open, dense_factor,
                                                      dense_solve, dense_rcond, dense_close };
