/* SPDX-License-Identifier: Apache-2.0
 * A motion together with the derivatives of its flow: the variational equations as part of the state, so that any
 * stepper and the march carry them along.
 * Y = (y, X): row i of X at Y[ny + i*columns], a column for each direction followed, and one more for a direction of
 * the params where it is wanted. Switches are crossed with their jump of the derivatives (saltation). */
#ifndef ACTIO_SOLVE_TANGENT_H
#define ACTIO_SOLVE_TANGENT_H

#include "solve/motion.h"

struct actio_saltation;
enum { ACTIO_TANGENT_WHENS = 1024 };

struct actio_tangent {
    struct actio_context *ctx;
    struct actio_motion *m;
    size_t ny, columns, most; /* columns in use, room for as many; the params' is among them, the last */
    bool by_param;
    bool formulas; /* the eliminated rates have formulas to differentiate */
    bool near; /* directions may leave the constraints: rows that depend on each other are met as nearly as can be */
    struct actio_ode flow, inner;   /* inner: what happens, as the motion knows it */
    struct actio_saltation *across; /* saltation.h; NULL: nothing happens */
    double *held, *held_first;      /* held values with which the next piece begins, and the first one of a turn */
    double *when;                   /* times of the last instants that statements or corners made, */
    size_t whens;                   /* how many there are; the caller sets it to 0 */
    bool begins;                    /* the next piece is the beginning of a motion: clocks tick at its start */
    const double *size;             /* typical size of each component of y, the caller's; NULL = 1 */
    double *scale;                  /* of all of Y */
    double *block, *work, *seen;    /* seen: the state last unfolded, with its derivatives */
    double *wide, *slopes;  /* with numbers from outside: directions, and behind them those of these; d/dy of these */
    size_t rhs, most_steps; /* evaluations so far; steps that one call may take, 0 = any */
};
/* 0, or 1 and a finding. A zeroed one may be closed. */
int actio_tangent_open(struct actio_tangent *x, struct actio_context *ctx, struct actio_motion *m, size_t columns);
void actio_tangent_close(struct actio_tangent *x);
/* The direction of the params (d param / d a), by param; NULL: without. */
void actio_tangent_direct(struct actio_tangent *x, const double *direction);
/* Turns begin with these held values, NULL: with those of the model; the next piece is the beginning of one. */
void actio_tangent_place(struct actio_tangent *x, const double *held);
void actio_tangent_rewind(struct actio_tangent *x); /* the next piece is the beginning of a turn */
/* After a turn: held values that the motion depends on are those of its beginning; else *which is not. */
bool actio_tangent_returns(const struct actio_tangent *x, size_t *which);
/* From t0 to t1 at a local tolerance: y (ny) and X (ny x columns), both in place. X NULL: y only. A flow or march
 * status. */
int actio_tangent_go(struct actio_tangent *x, double t0, double t1, double *y, double *X, size_t columns, double local);
/* States at given times (row r, component i at rows[i*count + r]), from y at t0. Returns how many could be reached;
 * *status as above. */
size_t actio_tangent_sample(struct actio_tangent *x, double t0, const double *y, const double *times, size_t count,
                            double *rows, double local, int *status);
/* y' there, and f_y X (+ f_a in the last column where params have a direction). A flow status. */
int actio_tangent_derive(struct actio_tangent *x, double t, const double *y, const double *X, size_t columns,
                         double *dy, double *dX);
/* y' there. A flow status. */
int actio_tangent_rates(struct actio_tangent *x, double t, const double *y, double *dy);

#endif
