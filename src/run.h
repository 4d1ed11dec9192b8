/* SPDX-License-Identifier: Apache-2.0
 * One run under way: shared by actio_run.c (the path), run_start.c (the start), run_verdict.c, run_say.c and run_lagrangian.c
 * (the verdict and its words), run_end.c (how it ended, the table) and actio_test.c. */
#ifndef ACTIO_RUN_H
#define ACTIO_RUN_H

#include <actio/actio.h>

#include "equations/system.h"
#include "model/model.h"
#include "principle.h"
#include "result/table.h"
#include "solve/accuracy.h"

#include <stdlib.h>

struct actio_run_gradient;
struct actio_dual;
struct actio_run {
    struct actio_context *ctx;
    struct actio_model *model;
    struct actio_findings *f, *outer;
    struct actio_run_options options;
    struct actio_arena arena;
    const struct actio_principle *principle;
    actio_form_fn form;                                    /* of the equations that are examined: d'Alembert's, before the principle's own take over */
    struct actio_system *sys, *spent;                      /* spent: the one before hidden constraints joined */
    struct actio_motion motion;
    struct actio_outcome outcome;
    struct actio_proof *proof;                             /* result/table.h; NULL: none was asked for */
    struct actio_dual *dual;                               /* solve/dual.h; NULL: another principle */
    struct actio_run_gradient *gradient;                   /* run_gradient.h; NULL: none was asked for */
    size_t ny, rows;
    size_t defined;                                        /* rows before the first in which a column is not a finite number */
    double *param, *y0, *times, started;
    double *extended;                                      /* y0 where the principle has more states than the model */
    int bad;
    bool tentative;                                        /* dependent rows are taken for redundant: to see where the motion goes */
    bool projected;                                        /* the start data were moved: by --project, or off a soft wall */
    bool surveyed; size_t rank;                            /* what the verdict found: rows of this rank everywhere near the start */
    const double *elsewhere;                               /* a state that it found when the start is singular or no state is near it; or NULL */
    double *visited, *visited_at; size_t visits;           /* states on the motion as the verdict computed it roughly, and their times */
    bool *box_given; double *box_low, *box_high;           /* --box, by component; NULL = none */
};

void actio_run_open(struct actio_run *run, struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, struct actio_findings *f);
void actio_run_close(struct actio_run *run);
/* Equations formed, start data checked, the principle in force. 0, or 1 and findings. */
int actio_run_ready(struct actio_run *run);
/* Forms, checks the start, marches; `extra` output times are added. 0 and an outcome (findings tell if it was cut short), or 1. */
int actio_run_motion(struct actio_run *run, const double *extra, size_t extras);
/* run_action.c: do the principle and the options on nodes of time fit? Is it one grid? The motion on it. 0, or 1 and findings. */
int actio_run_check_nodes(struct actio_run *run);
bool actio_run_on_grid(const struct actio_run *run);
int actio_run_grid(struct actio_run *run, const struct actio_aim *aim);
/* run_mixed.c: free data put on the constraints, and counted; then found from the conditions. 0, or 1 and findings. Nothing without `free`. */
int actio_run_mix(struct actio_run *run);
int actio_run_find_data(struct actio_run *run);
/* run_soft.c: the walls of --sigma and --barrier, before equations are formed; 0, or 1 and findings. The smallest width that will do; 0: none. */
int actio_run_soften(struct actio_run *run);
double actio_run_find_sigma(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options);
int actio_run_form(struct actio_run *run);                 /* equations and start data; 0, or 1 and findings */
/* Start data, rank, accelerations: 0; 1 and findings; or ACTIO_UNSETTLED: the equations do not determine the accelerations. */
enum { ACTIO_UNSETTLED = 2 };
int actio_run_examine(struct actio_run *run);
struct actio_verdict;
struct actio_verdict *actio_run_survey(struct actio_run *run, bool judging);   /* judging: also what comes later; NULL when over a limit */
void actio_run_say_verdict(struct actio_run *run, const struct actio_verdict *v); /* as findings */
int actio_run_take_hidden(struct actio_run *run, const struct actio_verdict *v);  /* the constraints that follow join the system; 0, or 1 */
void actio_run_explain(struct actio_run *run);             /* findings on how the motion ended */
bool actio_run_say_limits(struct actio_run *run, int status, const char *what);    /* was it a limit, or Ctrl-C? Says so, and what was under way */
struct actio_table *actio_run_table(struct actio_run *run);
/* run_defined.c: rows that the table has; findings on columns without a finite number in some row, and the first such row (all rows: none); an error of the motion itself? */
size_t actio_run_shown(const struct actio_run *run);
size_t actio_run_say_undefined(struct actio_run *run);
bool actio_run_failed(const struct actio_findings *f);
void actio_run_say_start(struct actio_run *run, const struct actio_start_check *c);   /* constraints that the start data break */
void actio_run_say_hidden(struct actio_run *run, const struct actio_start_check *c);  /* hidden ones that they do not break */
void actio_run_find(struct actio_run *run, enum actio_code code, const struct actio_value arg[6]);   /* about the model as a whole: its file is named */
const char *actio_run_name(const struct actio_run *run, size_t component);        /* "x", "x'" of a component of y */
/* "x = 1, x' = 0, ..." of a state; the first few when there are many. In the run's arena; "" when memory runs out. */
const char *actio_run_state_text(struct actio_run *run, const double *y, const double *compared_with);

/* run_work.c: the balance of energy, of a motion on which work is done. */
void actio_run_work(struct actio_run *run, struct actio_table *table);

#endif
