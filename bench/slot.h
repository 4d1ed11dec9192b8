/* SPDX-License-Identifier: Apache-2.0
 * The disk through the library, kernels compiled. `note` or NULL; 0 when it got to 2 pi. */
#ifndef ACTIO_BENCH_SLOT_H
#define ACTIO_BENCH_SLOT_H

/* The integration alone at a local tolerance; `note` after each accepted step. */
int slot_p1(double tol, void (*note)(double t, const double *y), long *rhs);

/* All that a run does at --tol = tol: the error of every column, 201 rows; `note` for each row.
 * The second takes its memory from blocks that stay with it, so nothing is asked of the system. */
int slot_complete(double tol, void (*note)(double t, const double *y), long *rhs);
int slot_complete_kept(double tol, void (*note)(double t, const double *y), long *rhs);

#endif
