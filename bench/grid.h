/* SPDX-License-Identifier: Apache-2.0
 * The disk with all time points unknown, written by hand: v = Db q, W Db v = F + lambda dg/dv, g(v) = 0, Db = D + H^-1
 * E0 with the initial data; positions and multipliers of each point are unknown, velocities are put in. Newton's method
 * from the motion without gravity; each row of a system is assembled, eliminated with pivots inside of the band, and
 * left behind. */
#ifndef ACTIO_BENCH_GRID_H
#define ACTIO_BENCH_GRID_H

/* order 2 or 4. Iterations, or -1: no convergence. error: the largest of positions. */
int bench_hand_grid(int order, int points, double *error);
void bench_grid_guess(double t, double *q, double *v); /* the motion without gravity */

#endif
