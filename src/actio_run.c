/* SPDX-License-Identifier: Apache-2.0
 * The path of one run on one page: form the equations, check the start, march, make the table. */
#include "entry.h"
#include "run_applies.h"
#include "run_dual.h"
#include "run_field.h"
#include "run_gradient.h"
#include "run_verify.h"
#include "solve/contacts.h"
#include "verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct actio_run_options actio_run_options_default(void)
{
    return (struct actio_run_options){ .by = "dalembert", .method = "auto", .points = 201, .tol = 1e-9, .resplit = 0.1 };
}

static int take_start(struct actio_run *run)
{
    struct actio_model *m = run->model;
    for (size_t i = 0; i < m->params; i++) run->param[i] = m->param[i].value;
    for (size_t i = 0; i < m->coords; i++) {
        run->y0[i] = actio_model_number(m, m->coord[i].start);
        run->y0[m->coords + i] = actio_model_number(m, m->coord[i].start_dot);
    }
    for (size_t i = 0; i < m->states; i++) run->y0[2 * m->coords + i] = actio_model_number(m, m->state[i].start);
    for (size_t i = 0; i < run->ny; i++)
        if (!isfinite(run->y0[i])) {
            actio_find(run->f, ACTIO_F_START_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(actio_run_name(run, i))));
            return 1;
        }
    return 0;
}

static void allocate(void *user)
{
    struct actio_run *run = user;
    struct actio_model *m = run->model;
    run->param = actio_arena_array(&run->arena, m->params + 1, sizeof(double));
    run->y0 = actio_arena_array(&run->arena, run->ny + 1, sizeof(double));
    run->bad = take_start(run);
}

int actio_run_form(struct actio_run *run)
{
    struct actio_model *m = run->model;
    run->principle = actio_principle_named(run->options.by);
    if (!run->principle) {
        actio_find(run->f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(run->options.by)));
        return 1;
    }
    if (m->coords + m->states == 0) {
        actio_find(run->f, ACTIO_F_NOTHING_MOVES, ACTIO_NO_ARGS);
        return 1;
    }
    if (m->axes) return actio_run_form_fields(run);
    if (actio_attempt(run->ctx, allocate, run) || run->bad || actio_run_soften(run)) return 1;
    run->form = actio_form_dalembert;
    run->sys = actio_system_form(run->ctx, m, run->form);
    if (!run->sys || actio_motion_open(&run->motion, run->ctx, run->sys, run->param)) return 1;
    run->motion.span = m->t1 - m->t0;
    return 0;
}

static void equal_times(double *t, size_t n, double a, double b)
{
    for (size_t i = 0; i < n; i++) t[i] = i + 1 == n ? b : a + (b - a) * ((double)i / (double)(n - 1));
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Output times: equally spaced, with the extra ones (claims) between them. */
static int choose_times(struct actio_run *run, const double *extra, size_t extras)
{
    struct actio_model *m = run->model;
    size_t points = run->options.points < 2 ? 2 : run->options.points, n = points > SIZE_MAX / 32 ? SIZE_MAX / 32 : points + extras;
    run->times = actio_take(run->ctx, n, sizeof(double));
    if (!run->times) {
        actio_find(run->f, ACTIO_F_TOO_MANY_ROWS, ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(run->sys->columns), ACTIO_COUNT(run->ctx->bytes_limit)));
        return 1;
    }
    equal_times(run->times, points, m->t0, m->t1);
    run->rows = points;
    if (extras == 0) return 0;
    memcpy(run->times + points, extra, extras * sizeof *extra);
    qsort(run->times, n, sizeof(double), by_time);
    if (m->t1 < m->t0)
        for (size_t i = 0; i < n / 2; i++) {
            double x = run->times[i];
            run->times[i] = run->times[n - 1 - i], run->times[n - 1 - i] = x;
        }
    run->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || run->times[i] != run->times[run->rows - 1]) run->times[run->rows++] = run->times[i];
    return 0;
}

/* A model whose equations do not settle the accelerations gets its verdict: hidden constraints join, anything else is refused as by `check`. */
static int settle(struct actio_run *run)
{
    int bad = actio_run_examine(run);
    if (bad != ACTIO_UNSETTLED) return bad;
    struct actio_verdict *v = actio_run_survey(run, false);
    if (!v) return 1;
    actio_run_say_verdict(run, v);
    if (run->f->errors) return 1;
    if (v->word == ACTIO_VERDICT_hidden && actio_run_take_hidden(run, v)) return 1;
    run->surveyed = true, run->rank = v->rank;
    bad = actio_run_examine(run);
    if (bad == ACTIO_UNSETTLED) actio_find(run->f, ACTIO_F_UNSETTLED, ACTIO_NO_ARGS);
    return bad != 0;
}

/* The principle's own equations take the place of d'Alembert's, with more states than the model has: multipliers that have rates. */
static int take_equations(struct actio_run *run, actio_form_fn form)
{
    struct actio_model *m = run->model;
    struct actio_system *next = actio_system_form(run->ctx, m, form);
    if (!next) return 1;
    actio_motion_close(&run->motion);
    if (run->spent) actio_system_free(run->spent);
    run->spent = run->sys;
    run->sys = next;
    size_t ny = 2 * next->n + next->m;
    double *y0 = actio_take(run->ctx, ny + 1, sizeof *y0);
    if (!y0) return 1;
    memcpy(y0, run->y0, run->ny * sizeof *y0);
    for (size_t k = 0; run->ny + k < ny; k++) y0[run->ny + k] = actio_model_number(m, m->constraint[k].start_lambda);
    run->extended = run->y0 = y0, run->ny = ny;
    if (actio_motion_open(&run->motion, run->ctx, next, run->param)) return 1;
    run->motion.span = m->t1 - m->t0;
    return 0;
}

static int inapplicable(struct actio_run *run, const struct actio_constraint *about, const char *why)
{
    char whom[256] = "this model";
    if (about) snprintf(whom, sizeof whom, "'%.240s'", about->label);
    actio_find_at(run->f, ACTIO_F_INAPPLICABLE, &run->model->source, about ? about->span : (struct actio_span){ 0 }, ACTIO_ARGS(ACTIO_TEXT(run->principle->name), ACTIO_TEXT(whom), ACTIO_TEXT(why)));
    return 1;
}

/* Does the principle apply? `by` is the one whose equations and law it takes: itself, but for the dual action's other closures. */
static int object(struct actio_run *run, const struct actio_principle *by)
{
    const struct actio_constraint *about;
    const char *why = actio_run_objection(run, run->principle, by, &about);
    return why ? inapplicable(run, about, why) : 0;
}

static int take_law(struct actio_run *run, const struct actio_law *law)
{
    const char *why;
    run->motion.resplit = actio_run_is_dual(run) ? 0 : run->options.resplit;       /* one first-order form, one split */
    if (actio_run_try_law(&run->motion, law, run->model->t0, run->y0, &why)) return 1;
    return why ? inapplicable(run, NULL, why) : 0;
}

/* The principle's equations, nodes and law; says why it can't start. */
static int obey(struct actio_run *run)
{
    const struct actio_principle *p = run->principle, *by = actio_run_closure(run);
    struct actio_motion *motion = &run->motion;
    if (object(run, by)) return 1;
    if (by->form != run->form && take_equations(run, by->form)) return 1;
    if (*by->differs) actio_find(run->f, ACTIO_F_OTHER_THEORY, ACTIO_ARGS(ACTIO_TEXT(by->name), ACTIO_TEXT(by->differs)));
    if (p->stepper == &actio_skg && run->sys->axes && motion->rank < run->sys->p) return inapplicable(run, NULL, "rows of constraints along a line follow from others: delete what is said twice");
    if (p->stepper == &actio_skg) actio_system_droppable(run->sys, motion->rank < run->sys->p);
    motion->grid = run->options.grid, motion->order = run->options.order, motion->slabs = run->options.slabs, motion->nodes = run->options.nodes;
    if (motion->contacts) motion->contacts->pick = run->options.pick;
    if (by->law && take_law(run, by->law)) return 1;
    return actio_run_dual(run) || actio_run_foresee(run);
}

int actio_run_ready(struct actio_run *run) { return actio_run_form(run) || settle(run) || obey(run); }

int actio_run_motion(struct actio_run *run, const double *extra, size_t extras)
{
    if (!run->model->has_time) {
        actio_find(run->f, ACTIO_F_NO_TIME, ACTIO_NO_ARGS);
        return 1;
    }
    if ((run->options.grid || run->options.slabs) && run->options.local <= 0) run->options.local = 1e-9;   /* steps are given: nothing is claimed */
    int bad = actio_run_form(run) || actio_run_check_nodes(run) || actio_run_check_dual(run) || actio_run_check_columns(run) || actio_run_mix(run) || settle(run) || obey(run) || actio_run_find_data(run) || choose_times(run, extra, extras);
    if (bad) return 1;
    const struct actio_run_options *o = &run->options;
    const struct actio_principle *p = run->principle;
    struct actio_aim aim = { .t0 = run->model->t0, .t1 = run->model->t1, .y0 = run->y0, .times = run->times, .rows = run->rows, .tol = o->tol,
                             .local = o->local, .method = p->stepper ? p->stepper->name : o->method ? o->method : "auto", .compile = !o->no_compile };
    bad = actio_run_on_grid(run) ? actio_run_grid(run, &aim) : actio_reach(run->ctx, &run->motion, &aim, &run->outcome);
    if (!bad) actio_run_explain(run);
    return bad;
}

void actio_run_open(struct actio_run *run, struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, struct actio_findings *f)
{
    *run = (struct actio_run){ .ctx = ctx, .model = model, .f = f, .options = options ? *options : actio_run_options_default(), .outer = ctx->findings };
    run->ny = 2 * model->coords + model->states;
    run->started = ctx->clock ? ctx->clock() : 0;
    ctx->findings = f;
    actio_arena_open(&run->arena, ctx);
}

void actio_run_close(struct actio_run *run)
{
    actio_run_close_dual(run);
    actio_outcome_close(run->ctx, &run->outcome);
    actio_motion_close(&run->motion);
    actio_system_free(run->sys);
    actio_system_free(run->spent);
    actio_give(run->ctx, run->extended);
    actio_give(run->ctx, run->times);
    actio_arena_close(&run->arena);
    run->ctx->findings = run->outer;
}

static int prove(struct actio_run *run, struct actio_proof *proof)
{
    struct actio_aim aim = { .t0 = run->model->t0, .t1 = run->model->t1, .y0 = run->y0 };
    return actio_run_verify(run, &aim, proof);
}

struct actio_table *actio_run_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, struct actio_findings *f)
{
    struct actio_run run;
    struct actio_table *table = NULL;
    struct actio_run_options found = options ? *options : actio_run_options_default();
    if (found.sigma_auto) {
        found.sigma = found.barrier > 0 ? actio_run_find_sigma(ctx, model, &found) : 1;
        if (found.sigma <= 0) return actio_find(f, ACTIO_F_NO_SIGMA, ACTIO_ARGS(ACTIO_NUMBER(found.tol))), NULL;
    }
    actio_run_open(&run, ctx, model, &found, f);
    struct actio_run_gradient gradient;
    struct actio_proof proof;
    if (actio_run_motion(&run, NULL, 0) == 0) {
        bool wanted = found.gradients && run.outcome.status == 0 && run.f->errors == 0;
        if (wanted && actio_run_gradient(&run, &gradient) == 0) run.gradient = &gradient;
        if (found.verify && run.outcome.status == 0 && run.f->errors == 0 && prove(&run, &proof) == 0) run.proof = &proof;
        run.defined = actio_run_say_undefined(&run);
        table = actio_run_table(&run);
    }
    actio_run_close(&run);
    return table;
}
