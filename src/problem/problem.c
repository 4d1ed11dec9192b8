/* SPDX-License-Identifier: Apache-2.0
 * A model made ready: equations formed, start data taken, a verdict where the equations do not settle the
 * accelerations. */
#include "problem/fields.h"
#include "explain/about.h"
#include "verdict/verdict.h"

#include <math.h>

struct actio_run_options actio_run_options_default(void)
{
    return (
        struct actio_run_options){ .by = "dalembert", .method = "auto", .points = 201, .tol = 1e-9, .resplit = 0.1 };
}

static int take_start(struct actio_problem *problem)
{
    struct actio_model *m = problem->model;
    for (size_t i = 0; i < m->params; i++) problem->param[i] = m->param[i].value;
    for (size_t i = 0; i < m->coords; i++) {
        problem->y0[i] = actio_model_number(m, m->coord[i].start);
        problem->y0[m->coords + i] = actio_model_number(m, m->coord[i].start_dot);
    }
    for (size_t i = 0; i < m->states; i++) problem->y0[2 * m->coords + i] = actio_model_number(m, m->state[i].start);
    for (size_t i = 0; i < problem->ny; i++)
        if (!isfinite(problem->y0[i])) {
            actio_report(problem->f, ACTIO_F_START_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(actio_problem_name(problem, i))));
            return 1;
        }
    return 0;
}

static void allocate(void *user)
{
    struct actio_problem *problem = user;
    struct actio_model *m = problem->model;
    problem->param = actio_arena_array(&problem->arena, m->params + 1, sizeof(double));
    problem->y0 = actio_arena_array(&problem->arena, problem->ny + 1, sizeof(double));
    problem->bad = take_start(problem);
}

int actio_problem_form(struct actio_problem *problem)
{
    struct actio_model *m = problem->model;
    if (m->coords + m->states == 0) {
        actio_report(problem->f, ACTIO_F_NOTHING_MOVES, ACTIO_NO_ARGS);
        return 1;
    }
    if (!problem->shows && actio_problem_check_bound(m, problem->f)) return 1;
    if (m->field.axes) return actio_problem_form_fields(problem);
    if (actio_problem_bind_outside(problem) || actio_attempt(problem->ctx, allocate, problem) || problem->bad
        || actio_problem_soften(problem))
        return 1;
    problem->form = actio_form_dalembert;
    problem->sys = actio_system_form(problem->ctx, m, problem->form);
    if (!problem->sys || actio_problem_open_motion(problem, &problem->motion, problem->sys)) return 1;
    problem->motion.span = m->time.t1 - m->time.t0;
    return 0;
}

int actio_problem_settle(struct actio_problem *problem)
{
    int bad = actio_problem_examine(problem);
    if (bad != ACTIO_UNSETTLED) return bad;
    struct actio_verdict *v = actio_problem_survey(problem, false);
    if (!v) return 1;
    actio_problem_explain_verdict(problem, v);
    if (problem->f->errors) return 1;
    if (v->word == ACTIO_VERDICT_hidden && actio_problem_take_hidden(problem, v)) return 1;
    problem->surveyed = true;
    problem->rank = v->rank;
    bad = actio_problem_examine(problem);
    if (bad == ACTIO_UNSETTLED) actio_report(problem->f, ACTIO_F_UNSETTLED, ACTIO_NO_ARGS);
    return bad != 0;
}

void actio_problem_open(struct actio_problem *problem, struct actio_context *ctx, struct actio_model *model,
                        const struct actio_run_options *options, struct actio_findings *f)
{
    *problem = (struct actio_problem){ .ctx = ctx,
                                       .model = model,
                                       .f = f,
                                       .options = options ? *options : actio_run_options_default(),
                                       .outer = ctx->findings };
    problem->ny = 2 * model->coords + model->states;
    ctx->findings = f;
    actio_arena_open(&problem->arena, ctx);
}

void actio_problem_close(struct actio_problem *problem)
{
    if (problem->principle && problem->principle->close) problem->principle->close(problem);
    actio_motion_close(&problem->motion);
    actio_system_free(problem->sys);
    actio_system_free(problem->spent);
    actio_free(problem->ctx, problem->extended);
    actio_arena_close(&problem->arena);
    problem->ctx->findings = problem->outer;
}

/* ---- words */

struct actio_about actio_problem_about(struct actio_problem *problem)
{
    return (struct actio_about){ .ctx = problem->ctx,
                                 .arena = &problem->arena,
                                 .model = problem->model,
                                 .sys = problem->sys,
                                 .f = problem->f,
                                 .y0 = problem->y0,
                                 .ny = problem->ny,
                                 .elsewhere = problem->elsewhere,
                                 .project = problem->options.project };
}

void actio_problem_explain_verdict(struct actio_problem *problem, const struct actio_verdict *v)
{
    problem->elsewhere = v->elsewhere;
    struct actio_about about = actio_problem_about(problem);
    const char **off = problem->sides ? actio_arena_array(&problem->arena, problem->sys->p + 1, sizeof *off) : NULL;
    for (size_t k = 0; off && k < problem->sys->p; k++) off[k] = actio_problem_off_text(problem, k);
    about.off = off;
    actio_explain_verdict(&about, v);
}

void actio_problem_explain_start(struct actio_problem *problem, const struct actio_start_check *c)
{
    struct actio_about about = actio_problem_about(problem);
    actio_explain_start(&about, c);
}

void actio_problem_explain_hidden(struct actio_problem *problem, const struct actio_start_check *c)
{
    struct actio_about about = actio_problem_about(problem);
    actio_explain_hidden(&about, c);
}

void actio_problem_report(struct actio_problem *problem, enum actio_code code, const struct actio_value arg[6])
{
    struct actio_about about = actio_problem_about(problem);
    actio_explain_report(&about, code, arg);
}

const char *actio_problem_name(const struct actio_problem *problem, size_t component)
{
    const struct actio_about about = { .model = problem->model, .sys = problem->sys };
    return actio_explain_name(&about, component);
}

const char *actio_problem_state_text(struct actio_problem *problem, const double *y, const double *compared_with)
{
    struct actio_about about = actio_problem_about(problem);
    return actio_explain_state(&about, y, compared_with);
}

bool actio_problem_report_limits(struct actio_problem *problem, int status, const char *what)
{
    bool stopped = status == ACTIO_FLOW_STOPPED || actio_stopped(problem->ctx);
    if (!stopped && status != ACTIO_MARCH_NO_MEMORY) return false;
    if (actio_cancelled(problem->ctx)) actio_report(problem->f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else if (stopped) actio_report(problem->f, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT(what)));
    else
        actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_COUNT(problem->ctx->bytes_limit)));
    return true;
}
