/* SPDX-License-Identifier: Apache-2.0
 * Tensions of a line: G z - D' lambda = h, A z = c where G is diagonal and positive, D = A, and A G^-1 A' couples only
 * neighbours. [HAMEL B.2] */
#ifndef ACTIO_SOLVE_SCHUR_H
#define ACTIO_SOLVE_SCHUR_H

#include "equations/system.h"

enum { ACTIO_SCHUR_LINES = 8, ACTIO_SCHUR_RUNS = 64 }; /* constraints of a cell; runs of entries */
struct actio_schur;
/* NULL: the system is not of this kind, or no memory */
struct actio_schur *actio_schur_open(struct actio_context *ctx, const struct actio_system *sys);
void actio_schur_close(struct actio_schur *s);
/* Values of the MATRIX quantity, which must stay until the last solve. 0, or 1: G is not positive, or the matrix of the
 * tensions is not. */
int actio_schur_factor(struct actio_schur *s, const double *values);
void actio_schur_read(struct actio_schur *s, const double *values); /* the same entries again, elsewhere */
/* z and lambda (NULL: not wanted) for right sides h (NULL: 0) and c. 0, or 1: the tensions' matrix is not positive. */
int actio_schur_solve(struct actio_schur *s, const double *h, const double *c, double *z, double *lambda);

#endif
