/* SPDX-License-Identifier: Apache-2.0
 * Linear complementarity: w = M z + q, w >= 0, z >= 0, w z = 0. */
#ifndef ACTIO_ALGEBRA_LCP_H
#define ACTIO_ALGEBRA_LCP_H

#include <stddef.h>

/* Lemke's method with a lexicographic ratio test: it cannot cycle. 0 and z, or 1: it ended on a ray (for copositive M
 * no solution exists).
 * work: actio_lcp_work(n) doubles, basis: n ints. */
int actio_lcp(size_t n, const double *M, const double *q, double *z, double *work, int *basis);
#define actio_lcp_work(n) ((n) * (2 * (n) + 2))

#endif
