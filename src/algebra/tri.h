/* SPDX-License-Identifier: Apache-2.0
 * Symmetric positive definite systems along a line: tridiagonal ones, and ones of small blocks. Nothing is allocated: callers give the scratch. */
#ifndef ACTIO_ALGEBRA_TRI_H
#define ACTIO_ALGEBRA_TRI_H

#include <stddef.h>

/* off[k] couples k and k + 1 (n - 1 of them). x may be b. 0, or 1 + the first index whose pivot, eliminating from 0 on, is not positive (or is
 * only rounding error); x is then undefined. work: actio_tri_work(n) doubles. Backward stable. */
int actio_tri_solve(size_t n, const double *diag, const double *off, const double *b, double *x, double *work);
#define actio_tri_work(n) (3 * (size_t)(n) + 512)

/* The same in two parts, for several right-hand sides: factors keep 1 / pivot and the multipliers (2 n doubles). */
int actio_tri_factor(size_t n, const double *diag, const double *off, double *factors);
void actio_tri_apply(size_t n, const double *factors, const double *b, double *x);   /* x may be b */

/* count blocks of b x b, row-major: diag[k], symmetric, of which the lower half is used, and below[k], rows of block k + 1 and columns of block k.
 * Cholesky's factors take their places. 0, or 1 + the first block that is not positive. */
int actio_blocktri_factor(size_t count, size_t b, double *diag, double *below);
void actio_blocktri_solve(size_t count, size_t b, const double *diag, const double *below, double *x);   /* x: right-hand side, then solution, count * b */

#endif
