/* SPDX-License-Identifier: Apache-2.0
 * A run with fields: equations for the nodes there are, start data at every node, put on the constraints of cells where
 * the continuum's hold. */
#include "problem/field_look.h"
#include "solve/slaves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory */

/* of steps, dense output, matrices and their factors; measured on strings and beams */
enum { DOUBLES_A_VALUE = 75, DOUBLES_A_ROW = 60 };

static double bytes_needed(const struct actio_model *m)
{
    double doubles = 0;
    for (size_t i = 0; i < m->coords; i++)
        doubles += m->coord[i].axis ? DOUBLES_A_VALUE * (double)m->field.axis[m->coord[i].axis - 1].nodes : 0;
    for (size_t k = 0; k < m->constraints; k++)
        doubles += m->constraint[k].axis ? DOUBLES_A_ROW * (double)m->field.axis[m->constraint[k].axis - 1].nodes : 0;
    return 8 * doubles;
}

static int check_memory(struct actio_problem *problem)
{
    double need = bytes_needed(problem->model);
    if (need <= (double)problem->ctx->bytes_limit && need < 8e18) return 0;
    actio_problem_report(
        problem, ACTIO_F_FIELD_TOO_LARGE,
        ACTIO_ARGS(ACTIO_NUMBER(ceil(need / 1e6)), ACTIO_NUMBER(floor((double)problem->ctx->bytes_limit / 1e6))));
    return 1;
}

/* ---- start data */

/* Values beyond the ends: a parabola through the last three. */
static void continue_ends(const struct actio_problem *problem, double *x)
{
    const struct actio_model *m = problem->model;
    const struct actio_system *sys = problem->sys;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 0, first = sys->field.base[i];
        if (nodes < 2) continue;
        size_t before = sys->field.beyond[2 * i], behind = sys->field.beyond[2 * i + 1];
        double *a = x + first, *b = a + nodes - 1, bend_a = nodes > 2 ? a[0] - 2 * a[1] + a[2] : 0,
               bend_b = nodes > 2 ? b[0] - 2 * b[-1] + b[-2] : 0;
        for (size_t k = 1; k <= before; k++)
            a[-(ptrdiff_t)k] = a[0] + (double)k * (a[0] - a[1]) + (double)(k * (k + 1)) / 2 * bend_a;
        for (size_t k = 1; k <= behind; k++)
            b[k] = b[0] + (double)k * (b[0] - b[-1]) + (double)(k * (k + 1)) / 2 * bend_b;
    }
}

static int take_start(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    if (actio_motion_need(m, ACTIO_Q_START)) return 1;
    const double *x = actio_bound_values(&m->at[ACTIO_Q_START]);
    memcpy(problem->y0, x, problem->ny * sizeof *x);
    continue_ends(problem, problem->y0);
    continue_ends(problem, problem->y0 + m->n);
    for (size_t i = 0; i < problem->ny; i++)
        if (!isfinite(problem->y0[i])) {
            actio_report(problem->f, ACTIO_F_START_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(actio_problem_name(problem, i))));
            return 1;
        }
    return 0;
}

static void take_params(void *user)
{
    struct actio_problem *problem = user;
    problem->param = actio_arena_array(&problem->arena, problem->model->params + 1, sizeof(double));
    for (size_t i = 0; i < problem->model->params; i++) problem->param[i] = problem->model->param[i].value;
}

static void take_room(void *user)
{
    struct actio_problem *problem = user;
    problem->y0 = actio_arena_array(&problem->arena, problem->ny + 1, sizeof(double));
}

int actio_problem_form_fields(struct actio_problem *problem)
{
    if (check_memory(problem) || actio_attempt(problem->ctx, take_params, problem)) return 1;
    problem->form = actio_form_dalembert;
    problem->sys = actio_system_form(problem->ctx, problem->model, problem->form);
    if (!problem->sys) return 1;
    problem->ny = 2 * problem->sys->n;
    if (actio_attempt(problem->ctx, take_room, problem)
        || actio_motion_open(&problem->motion, problem->ctx, problem->sys, problem->param))
        return 1;
    if (problem->model->time.given) problem->motion.span = problem->model->time.t1 - problem->model->time.t0;
    problem->motion.here.t = problem->model->time.given ? problem->model->time.t0 : 0;
    return take_start(problem);
}

/* ---- do the start data satisfy the constraints of the continuum? */

/* Largest residual beside the size of its terms, by constraint of the model: positions and velocities; the lane where
 * it is. */
struct misfit {
    double position, velocity;
    size_t lane, rate_lane;
};

static void fields_measure(struct actio_problem *problem, struct misfit *out)
{
    const struct actio_system *sys = problem->sys;
    const struct actio_model *m = problem->model;
    size_t count = sys->holonomic + sys->levels, k = 0;
    double largest = 0, *allowed = actio_alloc(problem->ctx, count + 1, sizeof *allowed);
    memset(out, 0, m->constraints * sizeof *out);
    if (!allowed) return;
    actio_lanes_allowance(&problem->motion, allowed);
    const double *r = actio_bound_values(&problem->motion.at[ACTIO_Q_LEVELS]), *size = r + count;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t row = i < sys->holonomic ? sys->position_row[i] : sys->velocity_row[i - sys->holonomic];
        if (i == sys->holonomic) k = 0;
        while (k + 1 < m->constraints && sys->field.row[k + 1] <= row) k++;
        double *worst = i < sys->holonomic ? &out[k].position : &out[k].velocity,
               now = fabs(r[i]) / fmax(size[i], 1e-3 * largest);
        if (fabs(r[i]) <= allowed[i]) now = 0;
        if (!(now <= *worst)) {
            *worst = now;
            *(i < sys->holonomic ? &out[k].lane : &out[k].rate_lane) = row - sys->field.row[k];
        }
    }
    actio_free(problem->ctx, allowed);
}

/* The same with twice as many cells. False: it can't be said. */
static bool measure_finer(struct actio_problem *problem, struct misfit *out)
{
    struct actio_model *m = problem->model;
    struct actio_problem finer;
    struct actio_findings silent;
    size_t *nodes = actio_alloc(problem->ctx, m->field.axes + 1, sizeof *nodes);
    if (!nodes) return false;
    for (size_t a = 0; a < m->field.axes; a++) {
        nodes[a] = m->field.axis[a].nodes;
        m->field.axis[a].nodes = 2 * nodes[a] - 1;
    }
    actio_findings_open(&silent, problem->ctx);
    actio_problem_open(&finer, problem->ctx, m, &problem->options, &silent);
    bool ok = actio_problem_form_fields(&finer) == 0;
    if (ok) {
        finer.motion.here.t = problem->motion.here.t;
        memcpy(finer.motion.here.y, finer.y0, finer.ny * sizeof(double));
        ok = actio_slaves_settle(&finer.motion) == ACTIO_FLOW_OK;
        if (ok) fields_measure(&finer, out);
    }
    actio_problem_close(&finer);
    actio_findings_close(&silent);
    for (size_t a = 0; a < m->field.axes; a++) m->field.axis[a].nodes = nodes[a];
    actio_free(problem->ctx, nodes);
    return ok;
}

static bool falls(double coarse, double fine) { return coarse == 0 || fine < 0.7 * coarse; }

static void say_broken(struct actio_problem *problem, size_t k, const struct misfit *x, bool rate)
{
    const struct actio_constraint *c = &problem->model->constraint[k];
    char where[64] = "";
    if (c->axis)
        snprintf(where, sizeof where, " (largest at number %zu along %.20s)", rate ? x->rate_lane : x->lane,
                 problem->model->field.axis[c->axis - 1].name);
    const char *level = rate && c->kind == ACTIO_HOLONOMIC ? "the rate of " : "";
    actio_report_at(problem->f, ACTIO_F_FIELD_START_BREAKS, &problem->model->source, c->span,
                    ACTIO_ARGS(ACTIO_TEXT(level), ACTIO_TEXT(c->label), ACTIO_NUMBER(rate ? x->velocity : x->position),
                               ACTIO_TEXT(where)));
}

/* 0: the data are the continuum's; 1: some constraint is broken, and reported (unless `silent`). */
static int fields_judge(struct actio_problem *problem)
{
    size_t count = problem->model->constraints;
    struct misfit *now = actio_alloc(problem->ctx, 2 * count + 2, sizeof *now), *finer = now + count;
    int broken = now == NULL;
    if (now) {
        fields_measure(problem, now);
        bool known = measure_finer(problem, finer);
        for (size_t k = 0; k < count; k++) {
            bool stands = known ? falls(now[k].position, finer[k].position) : now[k].position == 0,
                 moves = known ? falls(now[k].velocity, finer[k].velocity) : now[k].velocity == 0;
            if (stands && moves) continue;
            broken = 1;
            if (!problem->options.project) say_broken(problem, k, &now[k], stands);
        }
    }
    actio_free(problem->ctx, now);
    return broken && !problem->options.project;
}

static double largest_shift(const struct actio_problem *problem, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < problem->ny; i++) most = fmax(most, fabs(y[i] - problem->y0[i]));
    return most;
}

/* Values beyond an end whose natural conditions do not determine them: the field of the first. */
static int say_unsettled(struct actio_problem *problem)
{
    const struct actio_model *m = problem->model;
    size_t k = 0, at = problem->sys->field.slave[0];
    while (k + 1 < m->coords && problem->sys->field.base[k + 1] - problem->sys->field.beyond[2 * (k + 1)] <= at) k++;
    const struct actio_axis *x = &m->field.axis[m->coord[k].axis - 1];
    actio_report_at(problem->f, ACTIO_F_FIELD_BEYOND, &m->source, m->coord[k].span,
                    ACTIO_ARGS(ACTIO_TEXT(m->coord[k].name), ACTIO_TEXT(x->name),
                               ACTIO_NUMBER(at < problem->sys->field.base[k] ? x->a : x->b)));
    return ACTIO_NOT_SETTLED;
}

static int put_on_constraints(struct actio_problem *problem, struct actio_start_check *c)
{
    struct actio_motion *m = &problem->motion;
    double t = problem->model->time.given ? problem->model->time.t0 : 0;
    m->here.t = t;
    memcpy(m->here.y, problem->y0, problem->ny * sizeof(double));
    if (actio_slaves_settle(m)) return say_unsettled(problem);
    actio_lanes_check_start(m, t, problem->y0, c);
    if (!c->consistent) {
        memcpy(m->here.y, problem->y0, problem->ny * sizeof(double));
        if (actio_slaves_settle(m)) return say_unsettled(problem);
        if (fields_judge(problem)) return 1;
        if (!c->found) {
            actio_problem_report(problem, ACTIO_F_FIELD_START_FAR, ACTIO_NO_ARGS);
            return 1;
        }
        actio_problem_report(problem, problem->options.project ? ACTIO_F_FIELD_PROJECTED : ACTIO_F_FIELD_SHIFTED,
                             ACTIO_ARGS(ACTIO_NUMBER(largest_shift(problem, c->nearest))));
    }
    if (c->found) memcpy(problem->y0, c->nearest, problem->ny * sizeof(double));
    return 0;
}

int actio_problem_put_on_constraints(struct actio_problem *problem)
{
    struct actio_start_check c = { .position = actio_alloc(problem->ctx, problem->sys->p + 1, sizeof(double)),
                                   .velocity = actio_alloc(problem->ctx, problem->sys->p + 1, sizeof(double)),
                                   .nearest = actio_alloc(problem->ctx, problem->ny + 1, sizeof(double)) };
    int bad = !c.position || !c.velocity || !c.nearest;
    if (bad)
        actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the start data"), ACTIO_COUNT(problem->ctx->bytes_limit)));
    else bad = put_on_constraints(problem, &c);
    actio_free(problem->ctx, c.position);
    actio_free(problem->ctx, c.velocity);
    actio_free(problem->ctx, c.nearest);
    return bad;
}

/* Constraints on rates at every point may leave a motion that its start does not determine. */
static bool may_be_undetermined(const struct actio_model *m)
{
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].axis && m->constraint[k].kind != ACTIO_HOLONOMIC) return true;
    return false;
}

/* For few enough rows; for more, the factorisation has reported it. */
static bool has_full_rank(struct actio_motion *m)
{
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    return actio_saddle_rank(m->saddle, NULL) == m->p;
}

int actio_problem_examine_fields(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    struct actio_field_verdict v;
    double t = problem->model->time.given ? problem->model->time.t0 : 0;
    if (actio_problem_put_on_constraints(problem)) return 1;
    bool regular = actio_motion_begin(m, t, problem->y0) == 0
                   && actio_motion_solve(m, t, problem->y0) != ACTIO_FLOW_SINGULAR && has_full_rank(m);
    if (regular && (!may_be_undetermined(problem->model) || problem->tentative)) return 0;
    actio_field_judge(problem, false, &v);
    if (problem->f->errors) return 1;
    if (v.looked && v.look.n == problem->sys->n && v.look.rank < problem->sys->p) {
        actio_saddle_expect_rank(m->saddle, v.look.rank);
        m->rows.rank = v.look.rank;
        actio_motion_solve(m, t, problem->y0);
        actio_saddle_rank(m->saddle, m->rows.unique);
    }
    if (actio_motion_solve(m, t, problem->y0) != ACTIO_FLOW_SINGULAR) return 0;
    bool many = v.looked && v.look.n != problem->sys->n && v.look.rank < v.look.p;
    if (many)
        actio_report(problem->f, ACTIO_F_FIELD_REDUNDANT_MANY,
                     ACTIO_ARGS(ACTIO_COUNT(problem->sys->n + problem->sys->p)));
    else actio_report(problem->f, ACTIO_F_UNSETTLED, ACTIO_NO_ARGS);
    return 1;
}
