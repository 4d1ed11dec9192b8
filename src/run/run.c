/* SPDX-License-Identifier: Apache-2.0
 * The path of one run on one page: form the equations, check the start, march, make the table. */
#include "principle/principles.h"
#include "run/gradient.h"
#include "run/joined.h"
#include "run/verify.h"

#include <stdlib.h>
#include <string.h>

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
    struct actio_model *m = run->problem.model;
    size_t points = run->problem.options.points < 2 ? 2 : run->problem.options.points,
           n = points > SIZE_MAX / 32 ? SIZE_MAX / 32 : points + extras;
    run->times = actio_alloc(run->problem.ctx, n, sizeof(double));
    if (!run->times) {
        actio_report(run->problem.f, ACTIO_F_TOO_MANY_ROWS,
                     ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(run->problem.sys->output.columns),
                                ACTIO_COUNT(run->problem.ctx->bytes_limit)));
        return 1;
    }
    equal_times(run->times, points, m->time.t0, m->time.t1);
    run->rows = points;
    if (extras == 0) return 0;
    memcpy(run->times + points, extra, extras * sizeof *extra);
    qsort(run->times, n, sizeof(double), by_time);
    if (m->time.t1 < m->time.t0)
        for (size_t i = 0; i < n / 2; i++) {
            double x = run->times[i];
            run->times[i] = run->times[n - 1 - i];
            run->times[n - 1 - i] = x;
        }
    run->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || run->times[i] != run->times[run->rows - 1]) run->times[run->rows++] = run->times[i];
    return 0;
}

/* The problem made ready, with options and free data checked on the way. */
int actio_run_ready(struct actio_run *run)
{
    struct actio_problem *problem = &run->problem;
    problem->principle = actio_principle_named(problem->options.by);
    if (!problem->principle) {
        actio_report(problem->f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(problem->options.by)));
        return 1;
    }
    return actio_problem_form(problem) || actio_principle_check(problem) || actio_run_check_columns(problem)
           || actio_free_data_place(problem) || actio_problem_settle(problem) || actio_problem_obey(problem)
           || actio_free_data_find(problem, &run->joined);
}

static bool is_undetermined(const struct actio_halt *halted)
{
    return halted->why == ACTIO_STOP_AT_WILL || halted->why == ACTIO_STOP_PUSHED;
}

/* Free data were found, and one march from them is too rough: joined from arcs, if that reaches it. The one march stays
 * else. 0, or 1 and a finding. */
static int join_instead(struct actio_run *run, const struct actio_aim *aim)
{
    struct actio_problem *p = &run->problem;
    struct actio_outcome joined;
    bool wanted = p->model->mixed.frees && !run->joined && aim->local <= 0 && !run->outcome.reached
                  && run->outcome.status == 0 && !actio_stopped(p->ctx);
    size_t refused = p->ctx->refused;
    if (!wanted) return 0;
    if (actio_join(p, true, &run->joined))
        return p->ctx->refused > refused && actio_problem_report_limits(p, ACTIO_MARCH_NO_MEMORY, "the motion");
    if (actio_reach_joined(run->joined, aim, &joined)) return 1;
    if (joined.reached) {
        actio_outcome_close(p->ctx, &run->outcome);
        run->outcome = joined;
        actio_joined_say(run->joined);
    } else actio_outcome_close(p->ctx, &joined);
    return 0;
}

int actio_run_motion(struct actio_run *run, const double *extra, size_t extras)
{
    struct actio_problem *problem = &run->problem;
    struct actio_run_options *o = &problem->options;
    const struct actio_model *m = problem->model;
    if (!m->time.given) {
        actio_report(problem->f, ACTIO_F_NO_TIME, ACTIO_NO_ARGS);
        return 1;
    }
    if ((o->grid || o->slabs) && o->local <= 0) o->local = 1e-9; /* steps are given: nothing is claimed */
    if (actio_problem_check_bound(m, problem->f) || actio_problem_check_outside(problem) || actio_run_ready(run)
        || actio_problem_check_slopes(problem) || actio_problem_check_clocks(problem)
        || choose_times(run, extra, extras))
        return 1;
    const struct actio_principle *p = problem->principle;
    struct actio_aim aim = {
        .t0 = m->time.t0,
        .t1 = m->time.t1,
        .y0 = problem->y0,
        .times = run->times,
        .rows = run->rows,
        .tol = o->tol,
        .local = o->local,
        .method = p->stepper  ? p->stepper->name
                  : o->method ? o->method
                              : "auto",
        .compile = !o->no_compile,
    };
    int bad = run->joined ? actio_reach_joined(run->joined, &aim, &run->outcome)
              : p->solve  ? p->solve(problem, &aim, &run->outcome)
                          : actio_reach(problem->ctx, &problem->motion, &aim, &run->outcome);
    if (!bad) bad = join_instead(run, &aim);
    if (run->outcome.status == ACTIO_FLOW_ENDED && run->outcome.rows) { /* as it should: its last row is there */
        run->rows = run->outcome.rows;
        run->times[run->rows - 1] = run->outcome.t_stop;
    }
    if (bad != 1) actio_run_explain(run);
    bool refused = run->outcome.status
                   && (problem->motion.halted.why == ACTIO_STOP_ROW_JUMPS_ON_TIME
                       || (is_undetermined(&problem->motion.halted) && run->outcome.t_stop == m->time.t0));
    return bad != 0 || refused;
}

void actio_run_open(struct actio_run *run, struct actio_context *ctx, struct actio_model *model,
                    const struct actio_run_options *options, struct actio_findings *f)
{
    *run = (struct actio_run){ .started = ctx->clock ? ctx->clock() : 0 };
    actio_problem_open(&run->problem, ctx, model, options, f);
}

void actio_run_close(struct actio_run *run)
{
    actio_outcome_close(run->problem.ctx, &run->outcome);
    actio_joined_close(run->joined);
    actio_free(run->problem.ctx, run->times);
    actio_problem_close(&run->problem);
}

static int prove(struct actio_run *run, struct actio_proof *proof)
{
    struct actio_aim aim = { .t0 = run->problem.model->time.t0,
                             .t1 = run->problem.model->time.t1,
                             .y0 = run->problem.y0 };
    return actio_run_verify(&run->problem, &aim, proof);
}

struct actio_table *actio_run_inside(struct actio_context *ctx, struct actio_model *model,
                                     const struct actio_run_options *options, struct actio_findings *f)
{
    struct actio_run run;
    struct actio_table *table = NULL;
    struct actio_run_options found = options ? *options : actio_run_options_default();
    if (found.sigma_auto) {
        found.sigma = found.barrier > 0 ? actio_run_find_sigma(ctx, model, &found) : 1;
        if (found.sigma <= 0) {
            actio_report(f, ACTIO_F_NO_SIGMA, ACTIO_ARGS(ACTIO_NUMBER(found.tol)));
            return NULL;
        }
    }
    actio_run_open(&run, ctx, model, &found, f);
    struct actio_run_gradient gradient;
    struct actio_proof proof;
    if (actio_run_motion(&run, NULL, 0) == 0) {
        bool wanted = found.gradients && run.outcome.status == 0 && run.problem.f->errors == 0;
        if (wanted && actio_run_gradient(&run.problem, &run.outcome, &gradient) == 0) run.gradient = &gradient;
        if (found.verify && !run.joined && run.outcome.status == 0 && run.problem.f->errors == 0
            && prove(&run, &proof) == 0)
            run.proof = &proof;
        run.defined = actio_run_say_undefined(&run);
        table = actio_run_table(&run);
        if (table && found.curves) actio_run_curves(&run, table);
    }
    actio_run_close(&run);
    return table;
}
