/* SPDX-License-Identifier: Apache-2.0
 * Rows of output: states at given times, put on the manifold, then every column, over lanes = rows. */
#ifndef ACTIO_SOLVE_ROWS_H
#define ACTIO_SOLVE_ROWS_H

#include "solve/motion.h"

struct actio_rows {
    struct actio_context *ctx;
    struct actio_motion *motion;
    size_t rows, filled;                                   /* asked for; there */
    const double *times;
    double *y;                                             /* component i of row r at y[i*rows + r] */
    double *zdot, *lambda, *reaction, *mode, *step;
    double *column;                                        /* column c of row r at column[c*rows + r] */
    struct { struct actio_arg *in; double **out, *work; } lane[ACTIO_Q_COUNT];
    bool backward;
};
int actio_rows_open(struct actio_rows *r, struct actio_motion *motion, const double *times, size_t rows);   /* 0, or 1 and a finding */
void actio_rows_close(struct actio_rows *r);
/* Fills `column` from the first `filled` states. `exact`: the motion met poor pivots, so each row is solved by itself. A flow status. */
int actio_rows_evaluate(struct actio_rows *r, bool one_by_one);

#endif
