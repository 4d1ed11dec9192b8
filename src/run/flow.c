/* SPDX-License-Identifier: Apache-2.0
 * The equations of motion as a function of time and state. The run's own motion evaluates it; what a motion remembers
 * from one point to the next is set back before each, so that the same arguments give the same bits. */
#include "run/flow.h"
#include "principle/principles.h"
#include "solve/contacts.h"
#include "solve/tangent.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 8 }; /* of the Jacobian at a time */

struct actio_flow {
    struct actio_run run;
    struct actio_findings said; /* what is said after it was made; nobody reads it */
    struct actio_tangent tangent;
    const char **name, **multiplier;
    size_t multipliers;
    bool smooth; /* all forces from outside give derivatives */
    double t0, *y, *dy, *v, *dv,
        *sizes; /* y, dy: a state and its rates; v, dv: directions; sizes: of pivots at the start */
    struct actio_start_check nearest;
};

/* ---- evaluating */

static struct actio_motion *motion_of(struct actio_flow *flow) { return &flow->run.problem.motion; }

/* Pivots are judged beside those of the start, and a switch has the branch of this state. */
static void arrive(struct actio_flow *flow, double t, const double *y)
{
    struct actio_motion *m = motion_of(flow);
    memcpy(flow->y, y, m->ny * sizeof *y);
    memcpy(m->watch.size, flow->sizes, m->sys->solved.pivots * sizeof *flow->sizes);
    m->watch.quality = 1;
    if (m->sys->switches.count) actio_motion_take_sides(m, t, flow->y);
}

static bool all_finite(const double *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++) finite &= isfinite(x[i]) != 0;
    return finite;
}

static int status_of(const struct actio_flow *flow, int status)
{
    struct actio_context *ctx = flow->run.problem.ctx;
    if (status == ACTIO_FLOW_STOPPED) return actio_cancelled(ctx) ? actio_cancel_exit(ctx) : ACTIO_LIMIT_REACHED;
    return status ? ACTIO_NUMERICS_FAILED : ACTIO_DONE;
}

int actio_flow_rhs(struct actio_flow *flow, double t, const double *y, double *dy)
{
    if (!flow || !y || !dy) return ACTIO_WRONG_USAGE;
    struct actio_motion *m = motion_of(flow);
    arrive(flow, t, y);
    int status = actio_motion_rhs(m, t, flow->y, flow->dy);
    if (!status && !all_finite(flow->dy, m->ny)) status = ACTIO_FLOW_NAN;
    memcpy(dy, flow->dy, m->ny * sizeof *dy);
    return status_of(flow, status);
}

/* Directions in flow->v, column by column of each row; what becomes of them in flow->dv. */
static int derive(struct actio_flow *flow, double t, const double *y, size_t columns)
{
    struct actio_motion *m = motion_of(flow);
    arrive(flow, t, y);
    int status = actio_tangent_derive(&flow->tangent, t, flow->y, flow->v, columns, flow->dy, flow->dv);
    return !status && !all_finite(flow->dv, m->ny * columns) ? ACTIO_FLOW_NAN : status;
}

int actio_flow_jvp(struct actio_flow *flow, double t, const double *y, const double *v, double *out)
{
    if (!v || !y || !out || !actio_flow_differentiable(flow)) return ACTIO_WRONG_USAGE;
    size_t bytes = motion_of(flow)->ny * sizeof *v;
    memcpy(flow->v, v, bytes);
    int status = derive(flow, t, y, 1);
    memcpy(out, flow->dv, bytes);
    return status_of(flow, status);
}

int actio_flow_jacobian(struct actio_flow *flow, double t, const double *y, double *rows)
{
    if (!y || !rows || !actio_flow_differentiable(flow)) return ACTIO_WRONG_USAGE;
    size_t n = motion_of(flow)->ny;
    int status = 0;
    for (size_t first = 0; first < n && !status; first += COLUMNS) {
        size_t columns = n - first < COLUMNS ? n - first : COLUMNS;
        memset(flow->v, 0, n * columns * sizeof *flow->v);
        for (size_t c = 0; c < columns; c++) flow->v[(first + c) * columns + c] = 1;
        status = derive(flow, t, y, columns);
        for (size_t i = 0; i < n && !status; i++)
            memcpy(rows + i * n + first, flow->dv + i * columns, columns * sizeof *rows);
    }
    return status_of(flow, status);
}

int actio_flow_multiplier_values(struct actio_flow *flow, double t, const double *y, double *lambda)
{
    if (!flow || !y || !lambda) return ACTIO_WRONG_USAGE;
    struct actio_motion *m = motion_of(flow);
    arrive(flow, t, y);
    int status = actio_motion_solve(m, t, flow->y);
    if (status || !all_finite(m->here.zdot, m->N)) return status_of(flow, status ? status : ACTIO_FLOW_NAN);
    if (m->p && m->rows.rank == m->p) actio_motion_undefined(m);
    if (flow->multipliers) memcpy(lambda, m->here.lambda, flow->multipliers * sizeof *lambda);
    return ACTIO_DONE;
}

/* ---- projection */

/* After a projection: what is remembered is that of the start again. */
static int begin_again(struct actio_flow *flow)
{
    struct actio_motion *m = motion_of(flow);
    const double *y0 = flow->run.problem.y0;
    int status = actio_motion_begin(m, flow->t0, y0);
    if (status) return status;
    memcpy(flow->y, y0, m->ny * sizeof *y0);
    status = actio_motion_rhs(m, flow->t0, flow->y, flow->dy);
    if (m->sys->solved.pivots) memcpy(flow->sizes, m->watch.size, m->sys->solved.pivots * sizeof *flow->sizes);
    return status;
}

/* Fields have too many nodes for the dense metric: as after a step, however far. */
static bool project_fields(struct actio_flow *flow, double t)
{
    struct actio_motion *m = motion_of(flow);
    size_t count = m->sys->holonomic + m->sys->levels;
    m->here.t = t;
    memcpy(m->here.y, flow->y, m->ny * sizeof *flow->y);
    if (actio_motion_project_far(m, 60)) return false;
    memcpy(flow->nearest.nearest, m->here.y, m->ny * sizeof *flow->y);
    const double *residual = actio_motion_levels(m, t, flow->nearest.nearest);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(residual[i]) <= 1e-10 * residual[count + i] + 1e-13)) return false;
    return true;
}

int actio_flow_project(struct actio_flow *flow, double t, double *y)
{
    if (!flow || !y) return ACTIO_WRONG_USAGE;
    struct actio_motion *m = motion_of(flow);
    struct actio_context *ctx = m->ctx;
    if (!m->sys->levels && !m->sys->field.slaves) return all_finite(y, m->ny) ? ACTIO_DONE : ACTIO_NUMERICS_FAILED;
    struct actio_findings *outer = ctx->findings;
    ctx->findings = &flow->said;
    arrive(flow, t, y);
    bool found = m->sys->field.axes
                     ? project_fields(flow, t)
                     : actio_motion_check_start(m, t, flow->y, &flow->nearest) == 0 && flow->nearest.found;
    found = found && all_finite(flow->nearest.nearest, m->ny);
    if (found) memcpy(y, flow->nearest.nearest, m->ny * sizeof *y);
    begin_again(flow);
    ctx->findings = outer;
    return found ? ACTIO_DONE : ACTIO_NUMERICS_FAILED;
}

/* ---- what it has */

size_t actio_flow_size(const struct actio_flow *flow) { return flow ? flow->run.problem.ny : 0; }

/* Derivatives through integrals, and of values beyond an end, are not formed. */
bool actio_flow_differentiable(const struct actio_flow *flow)
{
    return flow && !flow->run.problem.sys->field.partial && !flow->run.problem.sys->field.slaves && flow->smooth;
}

size_t actio_flow_multipliers(const struct actio_flow *flow) { return flow ? flow->multipliers : 0; }

const char *actio_flow_name(const struct actio_flow *flow, size_t i)
{
    return i < actio_flow_size(flow) ? flow->name[i] : "";
}

const char *actio_flow_multiplier_name(const struct actio_flow *flow, size_t k)
{
    return k < actio_flow_multipliers(flow) ? flow->multiplier[k] : "";
}

double actio_flow_start(const struct actio_flow *flow, double *y)
{
    if (!flow) return NAN;
    if (y) memcpy(y, flow->run.problem.y0, flow->run.problem.ny * sizeof *y);
    return flow->t0;
}

/* ---- making one */

/* Of a field the node: equal names count. */
static const char *with_node(struct actio_arena *arena, const char *name, size_t node, bool field)
{
    return field ? actio_arena_format(arena, "%s[%zu]", name, node) : name;
}

/* How many of the components from `first` on have the name of i; SIZE_MAX: only i. */
static size_t node_of(const char *const *name, size_t first, size_t i)
{
    size_t before = 0;
    for (size_t k = i; k-- > first && strcmp(name[k], name[i]) == 0;) before++;
    return before;
}

static bool repeats(const char *const *name, size_t count, size_t i)
{
    return (i && strcmp(name[i - 1], name[i]) == 0) || (i + 1 < count && strcmp(name[i + 1], name[i]) == 0);
}

static void name_all(void *user)
{
    struct actio_flow *flow = user;
    struct actio_problem *problem = &flow->run.problem;
    struct actio_arena *arena = &problem->arena;
    size_t ny = problem->ny, count = flow->multipliers;
    const char **plain = actio_arena_array(arena, ny + 1, sizeof *plain);
    flow->name = actio_arena_array(arena, ny + 1, sizeof *flow->name);
    flow->multiplier = actio_arena_array(arena, count + 1, sizeof *flow->multiplier);
    for (size_t i = 0; i < ny; i++) plain[i] = actio_problem_name(problem, i);
    for (size_t i = 0; i < ny; i++)
        flow->name[i] = with_node(arena, plain[i], node_of(plain, 0, i), repeats(plain, ny, i));
    for (size_t k = 0; k < count; k++) {
        const char *const *label = problem->sys->constraint;
        const char *whole = actio_arena_format(arena, "lambda.%s", label[k]);
        flow->multiplier[k] = with_node(arena, whole, node_of(label, 0, k), repeats(label, count, k));
    }
    size_t n = ny + 1;
    flow->y = actio_arena_array(arena, (2 + 2 * COLUMNS) * n + problem->sys->solved.pivots + 1, sizeof *flow->y);
    flow->dy = flow->y + n;
    flow->v = flow->dy + n;
    flow->dv = flow->v + COLUMNS * n;
    flow->sizes = flow->dv + COLUMNS * n;
    flow->nearest = (struct actio_start_check){
        .position = actio_arena_array(arena, problem->sys->p + 1, sizeof(double)),
        .velocity = actio_arena_array(arena, problem->sys->p + 1, sizeof(double)),
        .nearest = actio_arena_array(arena, n, sizeof(double)),
    };
}

static int no_flow(struct actio_problem *problem, const char *why, const char *instead)
{
    actio_problem_report(problem, ACTIO_F_NO_FLOW,
                         ACTIO_ARGS(ACTIO_TEXT(problem->options.by), ACTIO_TEXT(why), ACTIO_TEXT(instead)));
    return 1;
}

/* Is there a function of the state, and is it all of the motion? */
static int check_flow(struct actio_problem *problem)
{
    const struct actio_principle *p = actio_principle_named(problem->options.by);
    const struct actio_model *m = problem->model;
    problem->options.by = p->name; /* lives longer than the caller's */
    if (p->stepper || p->solve) return no_flow(problem, "it computes the motion without one", "dalembert");
    if (p->law) return no_flow(problem, "it solves for its own unknowns along the motion", "dalembert");
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].friction.given)
            return no_flow(problem, "the friction of a constraint sticks and slides, which is not in the state",
                           "actio_integrator_create");
    if (m->resets.lines) actio_problem_report(problem, ACTIO_F_FLOW_HAS_INSTANTS, ACTIO_NO_ARGS);
    if (m->contacts) actio_problem_report(problem, ACTIO_F_FLOW_IS_FREE, ACTIO_NO_ARGS);
    return 0;
}

static int flow_make(struct actio_flow *flow)
{
    struct actio_problem *problem = &flow->run.problem;
    struct actio_model *m = problem->model;
    if (check_flow(problem) || actio_run_ready(&flow->run)) return 1;
    if (problem->motion.corner) actio_problem_report(problem, ACTIO_F_FLOW_HAS_CORNERS, ACTIO_NO_ARGS);
    if (!m->time.given) problem->motion.span = 1;
    flow->t0 = m->time.given ? m->time.t0 : 0;
    flow->multipliers = problem->sys->p - problem->sys->hidden;
    flow->smooth = actio_problem_outside_smooth(problem);
    if (actio_attempt(problem->ctx, name_all, flow)) return 1;
    if (actio_tangent_open(&flow->tangent, problem->ctx, &problem->motion, COLUMNS)) return 1;
    flow->tangent.near = true;
    begin_again(flow); /* what has no value at the start may have one elsewhere */
    return 0;
}

static void flow_close(struct actio_flow *flow)
{
    struct actio_context *ctx = flow->run.problem.ctx;
    flow->run.problem.outer = ctx->findings; /* those of now, not those of its making */
    actio_tangent_close(&flow->tangent);
    actio_run_close(&flow->run);
    actio_findings_close(&flow->said);
    actio_free(ctx, flow);
}

struct actio_flow *actio_flow_inside(struct actio_context *ctx, struct actio_model *model, const char *by,
                                     struct actio_findings *f)
{
    struct actio_flow *flow = actio_alloc(ctx, 1, sizeof *flow);
    struct actio_run_options options = actio_run_options_default();
    if (!flow) return NULL;
    options.by = by;
    actio_run_open(&flow->run, ctx, model, &options, f);
    actio_findings_open(&flow->said, ctx);
    bool bad = flow_make(flow) != 0;
    flow->run.problem.f = &flow->said;
    ctx->findings = flow->run.problem.outer;
    if (!bad) return flow;
    flow_close(flow);
    return NULL;
}

void actio_flow_free(struct actio_flow *flow)
{
    if (flow) flow_close(flow);
}
