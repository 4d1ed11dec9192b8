/* SPDX-License-Identifier: Apache-2.0
 * Complete elliptic integrals and Jacobi's functions, by arithmetic-geometric means. The argument is the complementary parameter
 * m1 = 1 - m = 1 - k^2, 0 <= m1 <= 1, so that m near 1 keeps its digits. Outside: NAN. No cancellation anywhere: sums of positive terms. */
#ifndef ACTIO_ALGEBRA_ELLIPTIC_H
#define ACTIO_ALGEBRA_ELLIPTIC_H

double actio_elliptic_k(double m1);                        /* K(m), INFINITY at m1 = 0 */
double actio_elliptic_e(double m1);                        /* E(m) */
/* sn, cn and dn of u; small values of cn and dn near m = 1 keep their relative accuracy */
void actio_jacobi(double u, double m1, double *sn, double *cn, double *dn);

#endif
