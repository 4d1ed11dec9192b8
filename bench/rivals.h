/* SPDX-License-Identifier: Apache-2.0
 * Ways to compute one trajectory of the disk: each goes to 2 pi at a tolerance (relative = absolute) and counts its
 * right-hand sides.
 * `note`, when there is one, sees every accepted step. 0 when it got there. */
#ifndef ACTIO_BENCH_RIVALS_H
#define ACTIO_BENCH_RIVALS_H

typedef void (*bench_note)(double t, const double *y);
typedef int (*bench_run)(double tol, bench_note note, long *rhs);

int bench_hand(double tol, bench_note note, long *rhs);  /* hand.c */
int bench_adams(double tol, bench_note note, long *rhs); /* peers.c, when SUNDIALS was found */
int bench_bdf(double tol, bench_note note, long *rhs);
int bench_erk5(double tol, bench_note note, long *rhs);
int bench_erk8(double tol, bench_note note, long *rhs);

#endif
