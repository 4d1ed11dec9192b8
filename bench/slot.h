/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIO_BENCH_SLOT_H
#define ACTIO_BENCH_SLOT_H

/* The disk to 2 pi at a local tolerance; `note` after each accepted step, or NULL. 0 when it got there. */
int slot_p1(double tol, void (*note)(double t, const double *y), long *rhs);

#endif
