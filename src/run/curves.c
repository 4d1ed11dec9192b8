/* SPDX-License-Identifier: Apache-2.0
 * Curves for pictures of a run: its motion once more, step by step, into its table. */
#include "result/curves.h"
#include "run/run.h"
#include "solve/trace.h"

#include <math.h>

struct tracing {
    struct actio_run *run;
    struct actio_table *table;
    struct actio_curve_maker *maker;
    double until;
    const struct actio_trace_batch *batch;
    bool lost;
};

static void add_batch(void *user)
{
    struct tracing *x = user;
    const struct actio_trace_batch *b = x->batch;
    double t0 = x->run->problem.model->time.t0, t1 = x->run->problem.model->time.t1;
    if (!x->maker) x->maker = actio_curves_begin(x->table, t0, x->until, b->total, x->run->outcome.steps);
    for (size_t i = 0; i < b->count; i++)
        if (t1 < t0 ? b->t[i] >= x->until : b->t[i] <= x->until)
            actio_curves_add(x->maker, b->t[i], b->column + i, b->lanes);
}

static void take_batch(void *user, const struct actio_trace_batch *batch)
{
    struct tracing *x = user;
    x->batch = batch;
    if (!x->lost) x->lost = actio_attempt(x->run->problem.ctx, add_batch, x) != 0;
}

static void end_curves(void *user)
{
    struct tracing *x = user;
    if (x->maker) actio_curves_end(x->maker);
}

/* Up to where the motion is shown. */
static double shown_until(const struct actio_run *run, const struct actio_table *table)
{
    const struct actio_outcome *o = &run->outcome;
    if (table->rows == o->rows) return o->status ? o->t_stop : run->problem.model->time.t1;
    return isfinite(o->holds_until) ? o->holds_until : run->times[table->rows - 1];
}

/* Fields are drawn by rows, and so are motions that come as a whole, with columns of their own. */
static bool can_be_traced(const struct actio_run *run, const struct actio_table *table)
{
    const struct actio_outcome *o = &run->outcome;
    return table->rows > 1 && o->stepper && !(run->problem.principle->solve && run->problem.options.grid)
           && !run->problem.sys->field.axes && table->cols == run->problem.sys->output.columns
           && !actio_stopped(run->problem.ctx) && o->status != ACTIO_FLOW_STOPPED && o->status != ACTIO_MARCH_NO_MEMORY;
}

void actio_run_curves(struct actio_run *run, struct actio_table *table)
{
    struct actio_context *ctx = run->problem.ctx;
    struct actio_aim aim = { .t0 = run->problem.model->time.t0,
                             .t1 = run->problem.model->time.t1,
                             .y0 = run->problem.y0,
                             .tol = run->problem.options.tol };
    if (!can_be_traced(run, table)) return;
    struct tracing x = { .run = run, .table = table, .until = shown_until(run, table) };
    int status = actio_trace(ctx, &run->problem.motion, &aim, &run->outcome, x.until, take_batch, &x);
    if (actio_problem_report_limits(&run->problem, status, "the curves of the picture were computed")) return;
    if (!status && !x.lost) actio_attempt(ctx, end_curves, &x);
}
