/* SPDX-License-Identifier: Apache-2.0
 * Scaling: largest entries of the rows of W about 1, then rows of B (and columns of C with them) of length 1; so pivots
 * can be compared whatever the units. */
#include "solve/border.h"

#include <math.h>
#include <string.h>

static void list_entries(struct actio_border *b, const bool *alone)
{
    size_t k = 0;
    for (size_t i = 0; i < b->W.count; i++) {
        b->i[k] = b->W.row[i];
        b->j[k++] = b->W.col[i];
    }
    for (size_t i = 0; i < b->C.count; i++) {
        b->i[k] = b->C.col[i];
        b->j[k++] = (uint32_t)b->N + b->C.row[i];
    }
    for (size_t i = 0; i < b->B.count; i++) {
        b->i[k] = (uint32_t)b->N + b->B.row[i];
        b->j[k++] = b->B.col[i];
    }
    for (size_t i = 0; alone && i < b->p; i++)
        if (alone[i]) {
            b->i[k] = b->j[k] = (uint32_t)(b->N + i);
            b->entry[k++] = 1;
        }
}

int actio_border_open(struct actio_border *b, struct actio_context *ctx, size_t N, size_t p,
                      const struct actio_places *W, const struct actio_places *C, const struct actio_places *B,
                      const bool *alone)
{
    *b = (struct actio_border){ .ctx = ctx, .N = N, .p = p, .W = *W, .C = *C, .B = *B };
    for (size_t i = 0; alone && i < p; i++) b->alone += alone[i];
    size_t count = W->count + C->count + B->count + b->alone;
    b->i = actio_alloc(ctx, count + 1, sizeof *b->i);
    b->j = actio_alloc(ctx, count + 1, sizeof *b->j);
    b->entry = actio_alloc(ctx, count + 1, sizeof *b->entry);
    b->d = actio_alloc(ctx, N + 1, sizeof *b->d);
    b->e = actio_alloc(ctx, p + 1, sizeof *b->e);
    b->b = actio_alloc(ctx, N + p + 1, sizeof *b->b);
    bool ok = b->i && b->j && b->entry && b->d && b->e && b->b;
    if (ok) list_entries(b, alone);
    struct actio_pattern pattern = { .rows = N + p, .count = count, .i = b->i, .j = b->j };
    if (ok && (N + p == 0 || actio_linear_open(&b->linear, ctx, &pattern) == 0)) return 0;
    actio_border_close(b);
    return 1;
}

void actio_border_close(struct actio_border *b)
{
    void *all[] = { b->i, b->j, b->entry, b->d, b->e, b->b };
    if (!b->ctx) return;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) actio_free(b->ctx, all[k]);
    actio_linear_close(&b->linear);
    *b = (struct actio_border){ 0 };
}

void actio_border_scale(struct actio_border *b, const double *W, const double *B)
{
    memset(b->d, 0, b->N * sizeof *b->d);
    memset(b->e, 0, b->p * sizeof *b->e);
    for (size_t i = 0; i < b->W.count; i++) {
        double x = fabs(W[i]);
        if (x > b->d[b->W.row[i]]) b->d[b->W.row[i]] = x;
    }
    for (size_t i = 0; i < b->N; i++) b->d[i] = b->d[i] > 0 && isfinite(b->d[i]) ? 1 / sqrt(b->d[i]) : 1;
    for (size_t i = 0; i < b->B.count; i++) {
        double x = B[i] * b->d[b->B.col[i]];
        b->e[b->B.row[i]] += x * x;
    }
    for (size_t k = 0; k < b->p; k++) b->e[k] = b->e[k] > 0 && isfinite(b->e[k]) ? 1 / sqrt(b->e[k]) : 1;
}

int actio_border_factor(struct actio_border *b, const double *W, const double *C, const double *B)
{
    size_t k = 0;
    if (b->N + b->p == 0) return 0;
    for (size_t i = 0; i < b->W.count; i++) b->entry[k++] = W[i] * b->d[b->W.row[i]] * b->d[b->W.col[i]];
    for (size_t i = 0; i < b->C.count; i++) b->entry[k++] = -C[i] * b->d[b->C.col[i]] * b->e[b->C.row[i]];
    for (size_t i = 0; i < b->B.count; i++) b->entry[k++] = B[i] * b->d[b->B.col[i]] * b->e[b->B.row[i]];
    return b->linear.type->factor(b->linear.h, b->entry);
}

double actio_border_rcond(const struct actio_border *b) { return b->N + b->p ? b->linear.type->rcond(b->linear.h) : 1; }

void actio_border_solve(struct actio_border *b, const double *h, const double *c, double *z, double *l)
{
    for (size_t i = 0; i < b->N; i++) b->b[i] = h ? h[i] * b->d[i] : 0;
    for (size_t k = 0; k < b->p; k++) b->b[b->N + k] = c[k] * b->e[k];
    if (b->N + b->p) b->linear.type->solve(b->linear.h, b->b, 1, false);
    for (size_t i = 0; i < b->N; i++) z[i] = b->b[i] * b->d[i];
    for (size_t k = 0; l && k < b->p; k++) l[k] = b->b[b->N + k] * b->e[k];
}
