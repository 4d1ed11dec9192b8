/* SPDX-License-Identifier: Apache-2.0
 * One run of a problem: times, the motion, how it ended, the table.
 * In: a problem with its options. Out: an outcome and a table, with findings. Callers: compare, check and the entries
 * of api/. */
#ifndef ACTIO_RUN_H
#define ACTIO_RUN_H

#include "problem/problem.h"
#include "result/table.h"

struct actio_joined;
struct actio_run_gradient;

struct actio_run {
    struct actio_problem problem;
    struct actio_outcome outcome;
    struct actio_proof *proof;           /* result/table.h; NULL: none was requested */
    struct actio_run_gradient *gradient; /* gradient.h; NULL: none was requested */
    struct actio_joined *joined;         /* joined.h; NULL: the motion is one march */
    double *times, started;
    size_t rows;
    size_t defined; /* rows before the first in which a column is not a finite number */
};

void actio_run_open(struct actio_run *run, struct actio_context *ctx, struct actio_model *model,
                    const struct actio_run_options *options, struct actio_findings *f);
void actio_run_close(struct actio_run *run);
/* Forms, checks the start, marches; `extra` output times are added. 0 and an outcome (findings report if it was cut
 * short), or 1. */
int actio_run_motion(struct actio_run *run, const double *extra, size_t extras);
/* its first stage: formed, checked, in force, without a time of its own; 0, or 1 and findings */
int actio_run_ready(struct actio_run *run);
struct actio_table *actio_run_table(struct actio_run *run);
/* curves.c: curves for pictures, by one more run; what the motion remembers of its last run is lost. Without them
 * pictures have the rows. */
void actio_run_curves(struct actio_run *run, struct actio_table *table);
/* happened.c: impacts, events and switches of the motion, into a table */
void actio_run_list_events(struct actio_run *run, struct actio_table *table);
/* After that: energy that switches have taken up to each row (false: none, or it is not known); the drift of the
 * energy without it. */
bool actio_run_taken(const struct actio_table *table, bool backward, double *taken);
void actio_run_less_jumps(struct actio_table *table, bool backward);
void actio_run_explain(struct actio_run *run); /* ending.c: findings on how the motion ended */
/* free_data.c: free data put on the constraints, and counted; then found from the conditions. 0, or 1 and findings.
 * Nothing without `free`. */
int actio_free_data_place(struct actio_problem *problem);
/* *joined: of data that one march does not meet; else NULL */
int actio_free_data_find(struct actio_problem *problem, struct actio_joined **joined);
/* sigma.c: the smallest width of soft walls that will do; 0: none. */
double actio_run_find_sigma(struct actio_context *ctx, struct actio_model *model,
                            const struct actio_run_options *options);
/* defined.c: rows that the table has; findings on columns without a finite number in some row, and the first such row
 * (all rows: none); an error of the motion itself? */
size_t actio_run_shown(const struct actio_run *run);
size_t actio_run_say_undefined(struct actio_run *run);
bool actio_run_failed(const struct actio_findings *f);
/* work.c: the balance of energy, of a motion on which work is done. */
void actio_run_work(struct actio_run *run, struct actio_table *table);
/* run.c: the whole of `actio run`. */
struct actio_table *actio_run_inside(struct actio_context *ctx, struct actio_model *model,
                                     const struct actio_run_options *options, struct actio_findings *f);

#endif
