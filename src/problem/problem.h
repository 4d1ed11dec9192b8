/* SPDX-License-Identifier: Apache-2.0
 * A model made ready: equations formed, start data on the constraints, a principle in force.
 * In: a model and the options of a run. Out: a system, a motion that can begin, findings. Callers: run, check, orbit,
 * action, derivation and the principles. */
#ifndef ACTIO_PROBLEM_H
#define ACTIO_PROBLEM_H

#include <actio/actio.h>

#include "equations/system.h"
#include "explain/about.h"
#include "model/model.h"
#include "problem/principle.h"
#include "solve/accuracy.h"

struct actio_dual;
struct actio_verdict;

struct actio_problem {
    struct actio_context *ctx;
    struct actio_model *model;
    struct actio_findings *f, *outer;
    struct actio_run_options options;
    struct actio_arena arena;
    const struct actio_principle *principle; /* NULL until one is taken */
    actio_form_fn form; /* of the equations that are examined: d'Alembert's, before the principle's own take over */
    struct actio_system *sys, *spent; /* spent: the one before hidden constraints joined */
    struct actio_motion motion;
    struct actio_outside outside; /* what motions of this problem take from outside */
    struct actio_dual *dual;      /* solve/dual.h; NULL: another principle */
    size_t ny;
    double *param, *y0;
    double *extended; /* y0 where the principle has more states than the model */
    int bad;
    bool shows;     /* equations are shown: forces from outside need not be bound */
    bool tentative; /* dependent rows are taken for redundant: to see where the motion goes */
    bool projected; /* the start data were moved: by --project, or off a soft wall */
    bool surveyed;  /* what the verdict found: rows of this rank everywhere near the start */
    size_t rank;
    const double *elsewhere;      /* a state that it found when the start is singular or no state is near it; or NULL */
    double *visited, *visited_at; /* states on the motion as the verdict computed it roughly, and their times */
    size_t visits;
    /* sides.c: of switches in rows of constraints along that motion; none where nothing changes */
    struct actio_problem_side {
        double from;
        size_t rank, acting; /* acting: rows that restrict anything */
        bool *off;           /* by constraint: it restricts nothing */
        const char *power;   /* check/power.c: of the reactions by d'Alembert; NULL: not known */
    } * side;
    size_t sides;
    bool *box_given; /* --box, by component; NULL = none */
    double *box_low, *box_high;
};

void actio_problem_open(struct actio_problem *problem, struct actio_context *ctx, struct actio_model *model,
                        const struct actio_run_options *options, struct actio_findings *f);
void actio_problem_close(struct actio_problem *problem);
int actio_problem_form(struct actio_problem *problem); /* equations and start data; 0, or 1 and findings */
/* soft.c: the walls of --sigma and --barrier, before equations are formed; 0, or 1 and findings */
int actio_problem_soften(struct actio_problem *problem);
/* start.c: start data, rank, accelerations: 0; 1 and findings; or ACTIO_UNSETTLED: the equations do not determine the
 * accelerations. */
enum { ACTIO_UNSETTLED = 2 };
int actio_problem_examine(struct actio_problem *problem);
/* can the motion go this way; is the state on the right side of every wall? 0, or 1 and a finding */
/* clocks.c: `every` and the interval: warns of one that never happens; 1 and a finding: one happens too often */
int actio_problem_check_clocks(struct actio_problem *problem);
int actio_problem_check_direction(struct actio_problem *problem, bool backward);
int actio_problem_check_walls(struct actio_problem *problem, double t, const double *y);
/* outside.c: forces from outside. Are all bound; is there one where formulas are needed (`what` needs them); they are
 * kept for motions; a motion that asks them is opened; do the options of a run fit them; do all give derivatives; why
 * one has failed. 0, or 1 and a finding. */
int actio_problem_check_bound(const struct actio_model *model, struct actio_findings *f);
int actio_problem_needs_formulas(const struct actio_model *model, const char *what, struct actio_findings *f);
int actio_problem_bind_outside(struct actio_problem *problem);
int actio_problem_open_motion(const struct actio_problem *problem, struct actio_motion *motion,
                              struct actio_system *sys);
int actio_problem_check_outside(struct actio_problem *problem);
/* derivatives that callbacks give, beside difference quotients at the start; 0, or 1 and a finding */
int actio_problem_check_slopes(struct actio_problem *problem);
bool actio_problem_outside_smooth(const struct actio_problem *problem);
void actio_problem_explain_outside(struct actio_problem *problem);
void actio_problem_note_sides(struct actio_problem *problem);
/* "until t = 1": where constraint k restricts nothing; NULL: nowhere, or everywhere */
const char *actio_problem_off_text(struct actio_problem *problem, size_t k);
/* survey.c: the verdict. judging: also what comes later; NULL when over a limit. Hidden constraints join the system; 0,
 * or 1. */
struct actio_verdict *actio_problem_survey(struct actio_problem *problem, bool judging);
int actio_problem_take_hidden(struct actio_problem *problem, const struct actio_verdict *v);
/* A model whose equations do not settle the accelerations gets its verdict: hidden constraints join, anything else is
 * refused as by `check`. 0, or 1. */
int actio_problem_settle(struct actio_problem *problem);

/* Words: findings and texts, made by explain/. Texts are in the problem's arena, "" when memory runs out. */
struct actio_about actio_problem_about(struct actio_problem *problem);
void actio_problem_explain_verdict(struct actio_problem *problem, const struct actio_verdict *v);
/* constraints that the start data break */
void actio_problem_explain_start(struct actio_problem *problem, const struct actio_start_check *c);
/* hidden ones that they do not break */
void actio_problem_explain_hidden(struct actio_problem *problem, const struct actio_start_check *c);
/* about the model as a whole: its file is named */
void actio_problem_report(struct actio_problem *problem, enum actio_code code, const struct actio_value arg[6]);
/* was it a limit, or Ctrl-C? Says so, and what was under way */
bool actio_problem_report_limits(struct actio_problem *problem, int status, const char *what);
/* "x", "x'" of a component of y */
const char *actio_problem_name(const struct actio_problem *problem, size_t component);
/* "x = 1, x' = 0, ..." of a state; the first few when there are many. */
const char *actio_problem_state_text(struct actio_problem *problem, const double *y, const double *compared_with);

#endif
