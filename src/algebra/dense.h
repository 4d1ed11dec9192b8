/* SPDX-License-Identifier: Apache-2.0
 * Small dense linear algebra, row-major, without allocation. Sums run in one fixed order.
 * In: matrices and scratch of the caller. Out: factors, solutions, ranks. Callers: equations and later rooms. */
#ifndef ACTIO_ALGEBRA_DENSE_H
#define ACTIO_ALGEBRA_DENSE_H

#include "base/context.h"

#include <stdbool.h>
#include <stddef.h>

/* Is time over? Called where a row of a large matrix, with so much work, begins; small ones never call it.
 * A computation that was stopped is not a result. */
static inline bool actio_gives_up(size_t work) { return work > 20000 && actio_abandon(); }

double actio_dot(size_t n, const double *x, const double *y);
double actio_norm(size_t n, const double *x); /* Euclidean; neither overflows nor underflows on the way */
/* s[i] = 1 / |row i|. A row that is rounding error beside the largest one is scaled like that one: it stays negligible.
 * Zero rows: 1. */
void actio_row_scales(size_t m, size_t n, const double *a, double *s);
/* The power of two that brings `largest` into [1/2, 1): scaling by it is exact. 1 when largest is 0 or not finite. */
double actio_scale_power(double largest);

/* A pivot vanishes when it is not larger than the rounding error it was computed with: not a matter of units. */
#define ACTIO_PIVOT_NOISE 3.6e-15 /* 16 eps, times the sum of absolute products */

/* LU with partial pivoting of the n x n matrix a (row stride n). 0, or 1 + the column where the pivot vanished or was
 * not finite. */
int actio_lu_factor(size_t n, double *a, int *pivot);
/* b: nrhs columns, row-major n x nrhs */
void actio_lu_solve(size_t n, const double *a, const int *pivot, double *b, size_t nrhs, bool transposed);
double actio_lu_pivot_ratio(size_t n, const double *a); /* smallest |pivot| / largest |pivot| */

/* lower half in place, upper half untouched; 0, or 1 + the failing column */
int actio_cholesky_factor(size_t n, double *a);
void actio_cholesky_solve(size_t n, const double *a, double *b, size_t nrhs);
/* Cholesky's factors of the first `inner` columns of an n x n matrix (lower half); what is left becomes the complement.
 * 0, or 1: not positive. */
int actio_cholesky_part(size_t n, size_t inner, double *a);
/* L x = x and L' x = x of lower factors with row length n, the first `count` rows; in place. */
void actio_lower_solve(size_t count, size_t n, const double *a, double *x);
void actio_lower_solve_back(size_t count, size_t n, const double *a, double *x);

/* LDL' (Bunch and Parlett's pivots) of a symmetric matrix (lower half used); inertia = counts of plus, minus, zero
 * eigenvalues (zero: |.| <= tol * largest).
 * factor: 0, or 1 + the first column without a pivot (only zeros are left, or something is not finite); zeros left are
 * counted as such by inertia. */
int actio_ldl_factor(size_t n, double *a, int *pivot);
void actio_ldl_solve(size_t n, const double *a, const int *pivot, double *b, size_t nrhs);
void actio_ldl_inertia(size_t n, const double *a, const int *pivot, double tol, int inertia[3]);

/* One reflection: x (of `count`) becomes (beta, v_1, v_2, ..) with v_0 = 1; returns tau. Then (1 - tau v v') on `count`
 * rows of `cols` entries; w: cols. */
double actio_reflector(size_t count, double *x);
void actio_reflect(size_t count, size_t cols, double *a, size_t stride, const double *v, double tau, double *w);
/* Householder QR with column pivoting of the m x n matrix a. Rank: |R_ii| > tol * |R_00|; stops there, later tau are 0.
 * work: 2*n + m doubles.
 * Rows are taken as they are: scale them first when the rank matters. The functions below do so themselves. */
size_t actio_qrcp(size_t m, size_t n, double *a, double *tau, int *jpvt, double tol, double *work);
/* Orthonormal bases from the rows of an m x n matrix `a` (destroyed): range (rank x n) and null (n - rank x n), rows of
 * `basis` (n x n):
 * first `rank` rows span the row space, the others the null space. Returns the rank. work: actio_rank_work(m, n)
 * doubles, iwork: m + n ints. */
size_t actio_row_bases(size_t m, size_t n, double *a, double tol, double *basis, double *work, int *iwork);
/* Minimum-norm least-squares solution of A x = b (A m x n, destroyed, b kept). Least squares counts rows scaled to
 * length 1, so that neither rank nor fit depends on units. Returns the rank; *defect = |A x - b|_inf unscaled. work and
 * iwork as above. */
size_t actio_min_norm(size_t m, size_t n, double *a, const double *b, double tol, double *x, double *defect,
                      double *work, int *iwork);
/* Both with rows that count as they are: short ones count little. */
size_t actio_row_bases_as_is(size_t m, size_t n, const double *a, double tol, double *basis, double *work, int *iwork);
size_t actio_min_norm_as_is(size_t m, size_t n, double *a, const double *b, double tol, double *x, double *defect,
                            double *work, int *iwork);
/* The matrix that maps b to that solution: p (n x m). Returns the rank. */
size_t actio_pseudo_inverse(size_t m, size_t n, double *a, double tol, double *p, double *work, int *iwork);
#define actio_rank_work(m, n) ((m) * (n) + (n) * (n) + 4 * ((m) + (n)))

/* One-sided Jacobi SVD, a = U S V' (m x n, m >= n not required): sigma[min(m, n)] descending; u (m x k), v (n x k) may
 * be NULL.
 * Small singular values of badly scaled columns keep their relative accuracy. 0, or 1: not finite or not converged. */
/* work: 2*m*n + n*n + m*m */
int actio_svd(size_t m, size_t n, const double *a, double *sigma, double *u, double *v, double *work);
/* Cyclic Jacobi: eigenvalues ascending of a symmetric matrix (both halves given; destroyed), vectors as columns or
 * NULL. 0 or 1, as above. */
int actio_eigen_symmetric(size_t n, double *a, double *w, double *vectors);
/* Eigenvalues only, ascending, each to rounding beside the largest: for hundreds of rows, n^3 operations. work: 4 n. 0,
 * or 1: not finite. */
int actio_eigenvalues_symmetric(size_t n, double *a, double *w, double *work);

#endif
