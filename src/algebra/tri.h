/* SPDX-License-Identifier: Apache-2.0
 * Symmetric positive definite systems along a line: tridiagonal ones, and ones of small blocks. Nothing is allocated:
 * callers give the scratch. */
#ifndef ACTIO_ALGEBRA_TRI_H
#define ACTIO_ALGEBRA_TRI_H

#include <stddef.h>

/* off[k] couples k and k + 1 (n - 1 of them). x may be b. 0, or 1 + the first index whose pivot, eliminating from 0 on,
 * is not positive (or is only rounding error); x is then undefined. work: actio_tri_work(n) doubles. Backward stable.
 * */
int actio_tri_solve(size_t n, const double *diag, const double *off, const double *b, double *x, double *work);
#define actio_tri_work(n) (3 * (size_t)(n) + 512)

/* The same in lanes, for a caller who makes the system on the way: it is cut into segments of `rows` unknowns, one a
 * lane; unknown i is in row i % rows of lane i / rows, and a row's lanes lie side by side. `lanes` is 0 where n is too
 * small to be cut. */
enum { ACTIO_TRI_LANES = 16 }; /* these, or half as many */
struct actio_tri_cut {
    size_t lanes, rows;
};
struct actio_tri_cut actio_tri_cut(size_t n);
/* Rows row .. row + rows - 1 of n numbers; row may lie before the first. What lies outside of them is `rest`, and is
 * not written. */
void actio_tri_to_lanes(struct actio_tri_cut cut, size_t n, const double *from, ptrdiff_t row, size_t rows, double rest,
                        double *to);
void actio_tri_from_lanes(struct actio_tri_cut cut, size_t n, const double *from, size_t row, size_t rows, double *to);

/* begin, forward for blocks of rows from the first to the last, meet, back for blocks of rows from the last to the
 * first. Beyond the last unknown the system is diag 1, off 0, right 0; the last unknown's off is 0, too. work:
 * actio_tri_work(n), untouched in between. */
struct actio_tri_sweep {
    struct actio_tri_cut cut;
    double *keep;
    double off[ACTIO_TRI_LANES], inverse[ACTIO_TRI_LANES], f[ACTIO_TRI_LANES], spike[ACTIO_TRI_LANES],
        take_pivot[ACTIO_TRI_LANES], take_right[ACTIO_TRI_LANES];
    /* of the separators */
    double pivot[ACTIO_TRI_LANES], right[ACTIO_TRI_LANES], beside[ACTIO_TRI_LANES], size[ACTIO_TRI_LANES],
        next[ACTIO_TRI_LANES];
    /* T[1 + lane]: the separators' values */
    double left[ACTIO_TRI_LANES], last_m[ACTIO_TRI_LANES], T[ACTIO_TRI_LANES + 1];
    int bad;
};
void actio_tri_begin(struct actio_tri_sweep *w, size_t n, double *work);
void actio_tri_forward(struct actio_tri_sweep *w, size_t row, size_t rows, const double *diag, const double *off,
                       const double *right);
/* 0, or 1: a pivot is not positive beyond doubt, which actio_tri_solve decides; or something is not a number */
int actio_tri_meet(struct actio_tri_sweep *w);
void actio_tri_back(struct actio_tri_sweep *w, size_t row, size_t rows, double *x);

/* The same in two parts, for several right-hand sides: factors keep 1 / pivot and the multipliers (2 n doubles). */
int actio_tri_factor(size_t n, const double *diag, const double *off, double *factors);
void actio_tri_apply(size_t n, const double *factors, const double *b, double *x); /* x may be b */

/* count blocks of b x b, row-major: diag[k], symmetric, of which the lower half is used, and below[k], rows of block k
 * + 1 and columns of block k.
 * Cholesky's factors take their places. 0, or 1 + the first block that is not positive. */
int actio_blocktri_factor(size_t count, size_t b, double *diag, double *below);
/* x: right-hand side, then solution, count * b */
void actio_blocktri_solve(size_t count, size_t b, const double *diag, const double *below, double *x);

#endif
