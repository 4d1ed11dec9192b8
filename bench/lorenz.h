/* SPDX-License-Identifier: Apache-2.0
 * P4: the shortest orbit of Lorenz's system from a guess: at (-13.7, -19.5, 27), period 1.55. */
#ifndef ACTIO_BENCH_LORENZ_H
#define ACTIO_BENCH_LORENZ_H

#define LORENZ_PERIOD 1.5586522107161747 /* 45-digit Taylor series */
/* Newton's method on z = 27 with variational equations; the period it finds. 0, or 1. */
int bench_hand_orbit(double tol, double *period, long *rhs);

#endif
