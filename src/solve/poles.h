/* SPDX-License-Identifier: Apache-2.0
 * Values of observed columns next to a pole. */
#ifndef ACTIO_SOLVE_POLES_H
#define ACTIO_SOLVE_POLES_H

#include "solve/rows.h"

/* The level above which values of a column stand out of it; INFINITY where none does. */
double actio_stands_out(const double *x, size_t n);
/* Of the first `filled` rows, as they were last evaluated: observed values that stand out and move by more than tol of
 * themselves when the state moves by `part` of its size become NAN. 0, ACTIO_FLOW_STOPPED or ACTIO_MARCH_NO_MEMORY. */
int actio_rows_blank_poles(struct actio_rows *r, size_t filled, double *column, size_t lanes, double part, double tol);

#endif
