/* SPDX-License-Identifier: Apache-2.0
 * The start of a run: data on the constraints or the nearest that are, redundant rows, singular and undetermined models. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *actio_run_name(const struct actio_run *run, size_t i)
{
    struct actio_model *m = run->model;
    if (i < m->coords) return m->coord[i].name;
    if (i < 2 * m->coords) return m->coord[i - m->coords].dot_name;
    i -= 2 * m->coords;
    return i < m->states ? m->state[i].name : run->sys->variable[m->coords + i];             /* a multiplier that is a state */
}

void actio_run_find(struct actio_run *run, enum actio_code code, const struct actio_value arg[6])
{
    actio_find_at(run->f, code, &run->model->source, (struct actio_span){ 0 }, arg);
}

struct listing { struct actio_run *run; const double *y, *other; struct actio_text text; };

static void list_state(void *user)
{
    struct listing *l = user;
    size_t listed = 0, left = 0;
    actio_text_open(&l->text, &l->run->arena);
    for (size_t i = 0; i < l->run->ny; i++) {
        if (l->other && fabs(l->y[i] - l->other[i]) <= 1e-14 * (1 + fabs(l->y[i]))) continue;
        if (listed == 12) { left++; continue; }
        actio_text_format(&l->text, "%s%s = ", listed++ ? ", " : "", actio_run_name(l->run, i));
        if (l->other) actio_text_number(&l->text, l->y[i]);
        else actio_text_format(&l->text, "%.6g", l->y[i]);
    }
    if (left) actio_text_format(&l->text, ", and %zu more", left);
}

const char *actio_run_state_text(struct actio_run *run, const double *y, const double *compared_with)
{
    struct listing l = { .run = run, .y = y, .other = compared_with };
    return actio_attempt(run->ctx, list_state, &l) ? "" : l.text.s;
}

/* ---- start data */

static struct actio_start_check take_check(struct actio_run *run)
{
    return (struct actio_start_check){ .position = actio_take(run->ctx, run->sys->p + 1, sizeof(double)),
                                       .velocity = actio_take(run->ctx, run->sys->p + 1, sizeof(double)),
                                       .nearest = actio_take(run->ctx, run->ny + 1, sizeof(double)) };
}

static void give_check(struct actio_run *run, struct actio_start_check *c)
{
    actio_give(run->ctx, c->position);
    actio_give(run->ctx, c->velocity);
    actio_give(run->ctx, c->nearest);
}

static void say_violation(struct actio_run *run, const struct actio_start_check *c, size_t k, double amount, const char *level)
{
    bool written = k < run->model->constraints;            /* or hidden: then its label is the equation itself */
    struct actio_span span = written ? run->model->constraint[k].span : (struct actio_span){ 0 };
    char text[4096] = "";
    if (!isfinite(amount)) {
        actio_find_at(run->f, ACTIO_F_START_NO_VALUE, &run->model->source, span, ACTIO_ARGS(ACTIO_TEXT(run->sys->constraint[k]), ACTIO_TEXT(level)));
        return;
    }
    if (c->found) snprintf(text, sizeof text, "the nearest data that satisfy all constraints have %s (all others unchanged); --project takes them",
                           actio_run_state_text(run, c->nearest, run->y0));
    else snprintf(text, sizeof text, "no data near these that satisfy all constraints were found");
    actio_find_at(run->f, written ? ACTIO_F_START_BREAKS : ACTIO_F_START_BREAKS_HIDDEN, &run->model->source, span,
                  ACTIO_ARGS(ACTIO_TEXT(run->sys->constraint[k]), ACTIO_TEXT(level), ACTIO_NUMBER(amount), ACTIO_TEXT(text)));
}

void actio_run_say_start(struct actio_run *run, const struct actio_start_check *c)
{
    if (c->euclidean) actio_run_find(run, ACTIO_F_START_EUCLIDEAN, ACTIO_NO_ARGS);
    for (size_t k = 0; k < run->sys->p; k++) {
        bool holonomic = k < run->model->constraints && run->model->constraint[k].kind == ACTIO_HOLONOMIC;
        if (c->position[k] != 0) say_violation(run, c, k, c->position[k], "in the positions");
        else if (c->velocity[k] != 0) say_violation(run, c, k, c->velocity[k], holonomic ? "in the velocities (its rate)" : "in the velocities");
    }
}

/* A constraint that has no value or no rate at the start is a matter for the verdict. */
static bool has_numbers(const struct actio_run *run, const struct actio_start_check *c)
{
    for (size_t k = 0; k < run->sys->p; k++)
        if (!isfinite(c->position[k]) || !isfinite(c->velocity[k])) return false;
    return true;
}

static int judge_start(struct actio_run *run, const struct actio_start_check *c)
{
    if (!c->found || !has_numbers(run, c)) {
        if (run->surveyed) actio_run_say_start(run, c);
        return run->surveyed ? 1 : ACTIO_UNSETTLED;
    }
    if (!c->consistent && !run->options.project) {
        actio_run_say_start(run, c);
        return 1;
    }
    if (!c->consistent) {
        if (c->euclidean) actio_run_find(run, ACTIO_F_START_EUCLIDEAN, ACTIO_NO_ARGS);
        actio_run_find(run, ACTIO_F_START_PROJECTED, ACTIO_ARGS(ACTIO_TEXT(actio_run_state_text(run, c->nearest, run->y0))));
    }
    memcpy(run->y0, c->nearest, run->ny * sizeof(double));
    return 0;
}

static int check_data(struct actio_run *run)
{
    struct actio_start_check c = take_check(run);
    int bad = !c.position || !c.velocity || !c.nearest;
    if (bad) actio_find(run->f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the start data"), ACTIO_COUNT(run->ctx->bytes_limit)));
    else {
        actio_motion_check_start(&run->motion, run->model->t0, run->y0, &c);
        bad = judge_start(run, &c);
    }
    give_check(run, &c);
    return bad;
}

/* ---- rank */

static size_t rank_at(struct actio_run *run, const double *y, bool *unique)
{
    struct actio_motion *m = &run->motion;
    actio_motion_solve(m, run->model->t0, y);              /* moves there */
    const struct actio_bound *b = &m->at[ACTIO_Q_MATRIX];
    actio_kernel_eval(b->k, 1, b->in, b->pre, 1, b->out, b->work);
    actio_saddle_factor(m->saddle, b->value);
    return actio_saddle_rank(m->saddle, unique);
}

static int check_rank(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    size_t p = run->sys->p, rank = rank_at(run, run->y0, m->unique);
    if (rank == p || run->sys->hidden) return 0;           /* hidden rows may vanish at rest; the solution itself is asked below */
    actio_saddle_expect_rank(m->saddle, rank);             /* ranks are now judged as for redundant rows */
    bool known = run->surveyed && run->rank == rank;       /* by the verdict, and said */
    if (!known && !run->tentative) return ACTIO_UNSETTLED;
    m->numeric = true;
    m->rank = rank;
    rank_at(run, run->y0, m->unique);
    if (actio_motion_solve(m, run->model->t0, run->y0) == ACTIO_FLOW_SINGULAR) return ACTIO_UNSETTLED;
    return 0;
}

/* Accelerations exist and are unique at the start, whatever way they are computed. */
static int check_regular(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    if (actio_motion_begin(m, run->model->t0, run->y0)) return 0;              /* explained by the run itself */
    if (actio_motion_solve(m, run->model->t0, run->y0) != ACTIO_FLOW_SINGULAR) return 0;
    return ACTIO_UNSETTLED;
}

int actio_run_examine(struct actio_run *run)
{
    if (run->sys->modes) actio_motion_take_sides(&run->motion, run->model->t0, run->y0);
    int bad = run->sys->levels ? check_data(run) : 0;
    if (!bad && run->sys->p) bad = check_rank(run);
    return bad ? bad : check_regular(run);
}
