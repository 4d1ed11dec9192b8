/* SPDX-License-Identifier: Apache-2.0
 * The factors of a band with a border, for band.c, which makes them, and band_solve.c, which uses them. */
#ifndef ACTIO_ALGEBRA_BAND_H
#define ACTIO_ALGEBRA_BAND_H

#include "algebra/linear.h"

enum { ACTIO_BAND_LANES = 4 }; /* columns are worked on in aligned groups of four */

struct actio_band {
    struct actio_context *ctx;
    size_t n, m, kl, w, stride, shift;   /* w: reach of a row of U; shift: kl in whole groups */
    size_t q, room, foot_stride, slots;  /* border given, at most, and now */
    uint32_t *order;                     /* order[k]: row and column of the matrix that is k-th here, the border last */
    size_t *start;                       /* entries by rows of this order: */
    uint32_t *source, *column;           /* their number in the pattern, their column of this order */
    double *value, *scale;               /* scaled entries, kept for residuals when there is a border */
    double *block, *a, *lower, *inverse; /* U in place, multipliers kl a step, 1 / pivot */
    uint32_t *row; /* row that became pivot in step k, or m + the slot in the border the column went to */
    /* E, by rows; F, then its multipliers; C; sums of the absolute values in C; its LU */
    double *edge, *foot, *corner, *size, *lu;
    uint32_t *slot_column; /* column of this order in each slot */
    int *pivot;
    double *x, *right, *y; /* one solution, its right-hand side, the border of it */
};

/* a[actio_band_first(s, i) + j] is entry (i, j) */
static inline size_t actio_band_first(const struct actio_band *s, size_t i)
{
    return i * s->stride + s->shift - ((i + s->shift - s->kl) & ~(size_t)(ACTIO_BAND_LANES - 1));
}

/* x (n + w + ACTIO_BAND_LANES) and y (room): a right-hand side in the order and the scaling of the factors, the first m
 * of it and the q of the border.
 * The solution comes back there. */
void actio_band_solve(const struct actio_band *s, double *x, double *y);
void actio_band_solve_transposed(const struct actio_band *s, double *x, double *y);

#endif
