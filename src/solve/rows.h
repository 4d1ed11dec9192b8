/* SPDX-License-Identifier: Apache-2.0
 * Rows of output: states at given times, put on the manifold, then every column, over lanes = rows. */
#ifndef ACTIO_SOLVE_ROWS_H
#define ACTIO_SOLVE_ROWS_H

#include "solve/motion.h"

struct actio_rows {
    struct actio_context *ctx;
    struct actio_motion *motion;
    size_t rows; /* room for as many */
    const double *times;
    double *block; /* holds all that follows */
    double *y;     /* component i of row r at y[i*rows + r] */
    double *zdot, *lambda, *reaction, *mode, *step, *outside;
    struct {
        struct actio_arg *in;
        double **out, *work;
    } lane[ACTIO_Q_COUNT];
    bool backward;
    size_t done; /* rows that the last evaluation filled: fewer than it was given when it was overdue */
};
/* `times` may be in any order; backward: the motion goes against time. 0, or 1 and a finding. */
int actio_rows_open(struct actio_rows *r, struct actio_motion *motion, const double *times, size_t rows, bool backward);
void actio_rows_close(struct actio_rows *r);
/* Memory for columns of `lanes` values: column c of row i at [c*lanes + i]. The caller gives it back. NULL when there
 * is none. */
double *actio_rows_columns(const struct actio_rows *r, size_t lanes);
void actio_rows_too_many(const struct actio_rows *r); /* the finding that says so */
/* Fills `column` from the first `filled` states. `one_by_one`: the motion met poor pivots, so each row is solved by
 * itself. A flow status;
 * ACTIO_FLOW_STOPPED: the time to finish in was over after `done` rows. */
int actio_rows_evaluate(struct actio_rows *r, size_t filled, double *column, size_t lanes, bool one_by_one);

/* The same where y, zdot, lambda and reaction are given: outputs only. */
void actio_rows_outputs(struct actio_rows *r, size_t filled, double *column, size_t lanes);

/* Fields: how far the columns move when a state is shaken by this part of itself: multipliers of neighbours, and second
 * derivatives, magnify it. 0, or 1: no memory. */
int actio_rows_floor(struct actio_rows *r, size_t filled, double shake, double *floor);

/* Largest sizes, over the rows last evaluated, of the terms that columns made by the program are sums of; 0 for the
 * others. 0, or 1: no memory. */
int actio_rows_terms(struct actio_rows *r, size_t filled, double *size);

#endif
