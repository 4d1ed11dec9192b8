/* SPDX-License-Identifier: Apache-2.0
 * Gauss-Jordan on formulas: pivots are chosen on values at sampled states and frozen, so that every entry that is left
 * has exact derivatives. */
#include "verdict/blocks.h"
#include "expr/normal.h"

#include <math.h>

#define ZERO 1e-9

/* How good pivots in a row are: the smallest of each value, against the largest of its row, over the points. */
static void worths(const struct actio_block *s, size_t row, double *worth)
{
    for (size_t j = 0; j < s->cols; j++) worth[j] = s->points ? INFINITY : 0;
    for (size_t k = 0; k < s->points; k++) {
        const double *v = actio_block_at(s, k, row);
        double largest = 0;
        for (size_t j = 0; j < s->cols; j++) largest = fmax(largest, fabs(v[j]));
        for (size_t j = 0; j < s->cols; j++)
            worth[j] = fmin(worth[j], largest > 0 ? fabs(v[j]) / largest * fmin(1, largest) : 0);
    }
}

/* Constants make the simplest formulas, then numbers of params. */
static double plain(const struct actio_block *s, actio_expr e)
{
    static const double liking[] = { 1, 0.7, 0.1, 0.02 };
    return liking[actio_level_of(&s->F->pool, e)];
}

static bool choose_pivot(const struct actio_block *s, double *worth, size_t *row, size_t *col)
{
    double best = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if (s->row_used[r]) continue;
        worths(s, r, worth);
        for (size_t j = 0; j < s->cols; j++) {
            actio_expr e = s->a[r * s->cols + j];
            if (s->col_used[j] || actio_is_zero(e) || !(worth[j] > ZERO)) continue;
            if (worth[j] * plain(s, e) > best) {
                best = worth[j] * plain(s, e);
                *row = r;
                *col = j;
            }
        }
    }
    return best > 0;
}

/* An entry that is 0 at every point is 0: proved when the normal form says so. */
static void clean(struct actio_block *s, bool *proved, size_t row, size_t col)
{
    double largest = 0;
    for (size_t k = 0; k < s->points; k++) largest = fmax(largest, fabs(actio_block_at(s, k, row)[col]));
    actio_expr *e = actio_block_entry(s, row, col);
    if (largest > ZERO || actio_is_zero(*e)) return;
    if (!actio_is_identically_zero(&s->F->pool, *e)) *proved = false;
    *e = (actio_expr){ 0 };
    for (size_t k = 0; k < s->points; k++) actio_block_at(s, k, row)[col] = 0;
}

static actio_expr less(struct actio_block *s, actio_expr x, actio_expr factor, actio_expr y)
{
    struct actio_pool *pool = &s->F->pool;
    if (actio_is_zero(factor) || actio_is_zero(y)) return x;
    return actio_simplify(pool, actio_sub(pool, x, actio_mul(pool, factor, y)));
}

static void eliminate_row(struct actio_block *s, bool *proved, size_t row, size_t pivot, size_t col)
{
    struct actio_pool *pool = &s->F->pool;
    actio_expr lead = *actio_block_entry(s, row, col);
    if (actio_is_zero(lead)) return;
    actio_expr factor = actio_simplify(pool, actio_div(pool, lead, *actio_block_entry(s, pivot, col)));
    for (size_t k = 0; k < s->points; k++) {
        double *to = actio_block_at(s, k, row), *from = actio_block_at(s, k, pivot), f = to[col] / from[col];
        for (size_t j = 0; j <= s->cols; j++) to[j] -= f * from[j];
        to[s->cols + 1] += fabs(f) * from[s->cols + 1];
        to[col] = 0;
    }
    for (size_t j = 0; j < s->cols; j++) {
        if (j == col) {
            *actio_block_entry(s, row, j) = (actio_expr){ 0 };
            continue;
        }
        *actio_block_entry(s, row, j) = less(s, *actio_block_entry(s, row, j), factor, *actio_block_entry(s, pivot, j));
        clean(s, proved, row, j);
    }
    s->b[row] = less(s, s->b[row], factor, s->b[pivot]);
}

/* Gauss-Jordan with frozen pivots: in the end each pivot's unknown stands by itself among the pivots. */
void actio_block_eliminate(struct actio_block *s, bool *proved)
{
    size_t row = 0, col = 0;
    double *worth = actio_form_array(s->F, s->cols, sizeof *worth);
    while (s->rank < s->cols && choose_pivot(s, worth, &row, &col)) {
        actio_poll(s->F->sys.ctx);
        s->row_used[row] = s->col_used[col] = true;
        s->pivot_row[s->rank] = (uint32_t)row;
        s->pivot_col[s->rank++] = (uint32_t)col;
        for (size_t r = 0; r < s->rows; r++)
            if (r != row) eliminate_row(s, proved, r, row, col);
    }
}
