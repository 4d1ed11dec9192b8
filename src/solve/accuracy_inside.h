/* SPDX-License-Identifier: Apache-2.0
 * Runs of one motion, finer and finer. Inside accuracy.c, accuracy_runs.c and accuracy_compare.c only. */
#ifndef ACTIO_SOLVE_ACCURACY_INSIDE_H
#define ACTIO_SOLVE_ACCURACY_INSIDE_H

#include "solve/accuracy.h"
#include "solve/checks.h"
#include "solve/defect.h"
#include "solve/features.h"

/* local tolerance of the first fine run, of the requested one, where nothing is foreseen */
#define ACTIO_FIRST_LOCAL (1.0 / 10)
#define ACTIO_FINEST_LOCAL 4e-15 /* about here rounding speaks: one run finer, then it must do */

/* column: as in actio_rows, of `lanes` values each: the checks, the gaps without and with their errors, the requested
 * rows (not in the first run). */
struct actio_pass {
    double local, *column;
    size_t lanes;
    struct actio_march_result result;
    size_t fired; /* statements at instants */
};

struct actio_ladder {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_aim *aim;
    struct actio_outcome *out;
    const struct actio_stepper *stepper;
    struct actio_rows rows; /* lanes: checks, gaps, the requested rows */
    struct actio_checks checks;
    double *times; /* of the lanes */
    struct actio_pass pass[2];
    double *spare; /* columns that nothing needs any more, or NULL */
    size_t spare_lanes;
    double *by_column;                   /* holds the arrays that follow */
    double *last_difference, last_ratio; /* by column, of the two runs before; their tolerances */
    double *steps, *gap;                 /* by column: the parts of the error that steps and interpolants have */
    double *floor; /* what a small error of the state does to each, requested when it matters: fields only */
    bool have_floor;
    double *size, *terms; /* of each column, at least 1; of the terms it is the sum of, requested when they matter */
    bool have_terms;
    double first;              /* local tolerance of the first run */
    double early, early_local; /* length of an early step of the last run, and its tolerance */
    /* flights only: the fine run has no error but rounding, which the shaken first one shows the growth of */
    bool exact;
    /* explicit_only: a stiff method was tried and did not reach it; refused: too many rows, and reported */
    bool have_last, explicit_only, refused;
    bool unseen; /* the first run ended early, the last one did not */
    double closer;
    size_t evaluated;                /* right-hand sides when compiling was last thought of */
    struct actio_defect defect;      /* follows the fine runs, where it can */
    bool follows, measured;          /* measured: the errors at hand are those that it found */
    struct actio_features *features; /* NULL: the formulas have none that are narrow */
    bool straight;                   /* one run shows its own error, and no other is beside it */
    bool again;                      /* they hold, but for rounding, which was not followed */
    double *missed, *third; /* by lane: errors of the states, those by rounding behind them; columns, or NULL */
    size_t missed_lanes;
};

static inline bool actio_ladder_interrupted(int status)
{
    return status == ACTIO_FLOW_STOPPED || status == ACTIO_MARCH_NO_MEMORY;
}

/* accuracy_runs.c. Of the requested rows, those before or at t. */
size_t actio_ladder_rows_until(const struct actio_ladder *l, double t);
/* The columns of a further run: errors that are out of date, else new ones. False: no memory. */
bool actio_ladder_make_room(struct actio_ladder *l, struct actio_pass *p, size_t lanes);
/* Lanes for the checks and the requested rows; columns of a run that has `first` of them. 0, or 1 and a finding. */
int actio_ladder_open_lanes(struct actio_ladder *l, struct actio_pass *p, size_t first);
/* The first run shows where to compare. It needs few interpolants, unless it may have to show what it has. A flow or
 * march status. */
int actio_ladder_run_first(struct actio_ladder *l, struct actio_pass *p, double local);
/* A run with its columns at the checks and the requested rows; likewise. */
int actio_ladder_run_columns(struct actio_ladder *l, struct actio_pass *p, double local);

/* accuracy_defect.c: the follower's memory for the lanes of a run, and its lists. 0, or 1: no memory. */
int actio_ladder_open_defect(struct actio_ladder *l);
void actio_ladder_close_defect(struct actio_ladder *l);
/* Are the errors of the last run known by its defect? Then in place of actio_ladder_compare: 0, or a flow or march
 * status. */
bool actio_ladder_measures(const struct actio_ladder *l);
int actio_ladder_measure(struct actio_ladder *l, struct actio_pass *before, struct actio_pass *now);
/* accuracy_compare.c: the worst of the errors at hand, and until which row all of them hold. */
void actio_ladder_judge(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine);
double actio_ladder_rounding(double size, double restarts); /* what rounding leaves of a value */
/* Errors of the finer run against the coarser one, column by column; then check by check until when
 * they hold. The coarser run's columns become the errors. */
void actio_ladder_compare(struct actio_ladder *l, struct actio_pass *coarse, const struct actio_pass *fine);
/* After that: errors judged anew beside the terms that a column is the sum of; and (fields) beside what columns that
 * magnify an error of the state make of a small one. */
void actio_ladder_allow_terms(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine);
void actio_ladder_allow_floor(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine);
/* accuracy_instants.c: after that, errors of the times of what happened in the last run. */
void actio_ladder_date(struct actio_ladder *l);
/* At the end: what may have happened joins the list. */
void actio_ladder_finish(struct actio_ladder *l);
/* How wrong the interpolants of a run are: the largest error in a column that is not a sum, relative to max(1, size of
 * the column). */
double actio_ladder_gap(const struct actio_ladder *l, const struct actio_pass *run);

#endif
