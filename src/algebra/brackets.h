/* SPDX-License-Identifier: Apache-2.0
 * Frames as numbers: rows that complete one, and the brackets of its fields by first derivatives of the rows. */
#ifndef ACTIO_ALGEBRA_BRACKETS_H
#define ACTIO_ALGEBRA_BRACKETS_H

#include <stddef.h>

/* xi = M v + m0 at one point, row-major. Fields u_j: the columns of Psi = M^-1; u_0 = d/dt + w with w = -Psi m0. */
struct actio_frame_point {
    size_t n;
    const double *lu; /* of M, by actio_lu_factor */
    const int *pivot;
    const double *m0;         /* n */
    const double *M_q, *m0_q; /* dM_ak/dq_l at [l][a][k], dm0_a/dq_l at [l][a] */
    const double *M_t;        /* dM/dt; dm0/dt is in no bracket */
};

/* Hamel's coefficients: [u_i, u_j] = c^a_ij u_a at c[a][i][j], [u_0, u_j] = c^a_0j u_a at c0[a][j].  [HAMEL A.1]
 * Only first derivatives of M, none of its inverse. c or c0 may be NULL. work: 3 n^2 + n doubles. */
void actio_brackets(const struct actio_frame_point *at, double *c, double *c0, double *work);

/* Fills `count` rows of the n x n matrix M, from row `first` on: orthonormal, and perpendicular to the others. Returns
 * the rank of the others:
 * n - count, or less when they are dependent (relative to tol), and M is as it was. work: 2*n*n + actio_rank_work(n,
 * n), iwork: 2*n. */
size_t actio_frame_complete(size_t n, size_t first, size_t count, double *M, double tol, double *work, int *iwork);

#endif
