/* SPDX-License-Identifier: Apache-2.0
 * Where errors are looked at: runs are compared at the ends of the first one's steps, thinned to about a hundred, of
 * large states to fewer; and the worst interpolants are kept. */
#ifndef ACTIO_SOLVE_CHECKS_H
#define ACTIO_SOLVE_CHECKS_H

#include "base/findings.h"

enum { ACTIO_GAPS = 4 };

struct actio_checks {
    size_t n, most, count, every, passed; /* n: length of a state; one in `every` of those passed is kept */
    double *t, *y;                        /* state i at y[i*n], in the order of the motion */
    size_t gaps;                          /* interpolated states with the largest errors, and those errors */
    double gap_t[ACTIO_GAPS], gap_size[ACTIO_GAPS], *gap_y, *gap_error;
};
int actio_checks_open(struct actio_checks *c, struct actio_context *ctx, size_t n); /* 0, or 1: no memory */
void actio_checks_clear(struct actio_checks *c);                                    /* of states */
void actio_checks_clear_gaps(struct actio_checks *c);
void actio_checks_note(void *checks, double t, const double *y);
void actio_checks_gap(void *checks, double t, const double *y, const double *error);
/* the motion came to its end: that state stays, whatever was thinned */
void actio_checks_end(struct actio_checks *c, double t, const double *y);
void actio_checks_close(struct actio_checks *c, struct actio_context *ctx);

#endif
