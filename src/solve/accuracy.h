/* SPDX-License-Identifier: Apache-2.0
 * A motion with a believable error: integrated until the global error of every column fits. One run shows its own
 * error by its defect; where it can't, two tolerances at least are compared.
 * In: a motion and a tolerance. Out: rows with error estimates. Callers: run, orbit, compare. */
#ifndef ACTIO_SOLVE_ACCURACY_H
#define ACTIO_SOLVE_ACCURACY_H

#include "solve/rows.h"

struct actio_aim {
    double t0, t1;
    const double *y0;
    const double *times;
    size_t rows;
    double tol, local;  /* local > 0: one run, nothing claimed */
    const char *method; /* "auto", or a stepper's name */
    bool compile;
};

struct actio_outcome {
    double *column;                   /* of `lanes` values each, the rows from `first` on; owned by the outcome */
    size_t lanes, first, rows;        /* rows: computed */
    double *error;                    /* by column: largest estimated error; NAN for a local run */
    double *check_error, *check_time; /* the estimate check by check, of column c from c*error_lanes on */
    size_t error_lanes, compared;
    bool by_row;  /* rows have errors of their own, behind those of the checks */
    double worst; /* largest error relative to max(1, size of the column) */
    size_t worst_column;
    bool magnified; /* fields: some columns are held to less, because they magnify errors of the state */
    bool reached;
    bool hangs; /* on a contact that may have happened or not, at this time: */
    double hangs_at;
    size_t hangs_on;
    bool hangs_on_event;
    double holds_until;
    size_t good_rows; /* rows whose error is within tol */
    double finest;    /* local tolerance of what is shown */
    int status;       /* 0, or why the motion ended early (march.h) */
    double t_stop;
    double *y_stop;
    size_t guard;
    const struct actio_stepper *stepper;
    size_t rhs, steps, rejected, runs, restarts;
    const struct actio_mode_change *change;
    size_t changes;
};
/* 0 and an outcome (perhaps cut short), or 1 and a finding. */
int actio_reach(struct actio_context *ctx, struct actio_motion *motion, const struct actio_aim *aim,
                struct actio_outcome *out);
/* How far steps may go where the error control finds nothing to resolve: of a run of this length at this local
 * tolerance; finer, coarse: factors for finer runs, and for coarse tolerances. */
void actio_motion_pace(struct actio_motion *motion, double local, double tol, double finer, double coarse,
                       double length);
const double *actio_outcome_column(const struct actio_outcome *out, size_t c); /* its rows */
/* the estimate at a time: of the checks around it */
double actio_outcome_error(const struct actio_outcome *out, size_t c, double t);
void actio_outcome_close(struct actio_context *ctx, struct actio_outcome *out);

#endif
