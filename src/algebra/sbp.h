/* SPDX-License-Identifier: Apache-2.0
 * Summation by parts: D = H^-1 Q, Q + Q' = diag(-1, 0, .., 0, 1); orders 2, 4, 6, 8 inside (SBP 121, 242, 363, 484) on
 * equal steps, and
 * Legendre-Gauss-Lobatto elements. E0 is the matrix with a 1 in its first corner and zeros elsewhere. */
#ifndef ACTIO_ALGEBRA_SBP_H
#define ACTIO_ALGEBRA_SBP_H

#include <stddef.h>

/* Fewest points of an order: 2, 8, 12, 16; 0: unknown order. With fewer points the functions of equal steps
 * return 0. */
size_t actio_sbp_least(int order);
size_t actio_sbp_reach(int order); /* largest |j - k| with Q_kj != 0: 1, 3, 5, 7, in the boundary's rows */
double actio_sbp_weight(int order, size_t points, size_t k); /* H_k, step 1 */
/* Row k of Q from column *first on; returns its length, at most ACTIO_SBP_WIDEST. Q does not depend on the step. */
enum { ACTIO_SBP_WIDEST = 12 };
size_t actio_sbp_row(int order, size_t points, size_t k, size_t *first, double *row);

/* Elements on [0, 1]: nodes x, weights H (sum 1), Q dense row-major. D is exact up to degree order / 2 (LGL: points -
 * 1), H up to degree order - 1 (LGL: 2 points - 3). */
/* points >= actio_sbp_least(order) */
void actio_sbp_element(int order, size_t points, double *x, double *H, double *Q);
enum { ACTIO_LGL_MOST = 16 };
void actio_lgl_element(size_t points, double *x, double *H, double *Q); /* 2 .. ACTIO_LGL_MOST points */

/* The Runge-Kutta matrix of the weak form, A = (Q + E0)^-1 H, row-major; for LGL nodes it is Lobatto IIIC. Its first
 * column is H_0 and its last row is H, exactly: stiffly accurate. Rounded once, from H and Q as they are given. work:
 * actio_sbp_work(points)
 * doubles. */
void actio_sbp_runge_kutta(size_t points, const double *H, const double *Q, double *A, double *work);
#define actio_sbp_work(points) (2 * (points) * (points))

#endif
