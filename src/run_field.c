/* SPDX-License-Identifier: Apache-2.0
 * A run with fields: equations for the nodes there are, start data at every node, put on the constraints of cells where the continuum's hold. */
#include "field_look.h"
#include "solve/slaves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory */

enum { DOUBLES_A_VALUE = 75, DOUBLES_A_ROW = 60 };         /* of steps, dense output, matrices and their factors; measured on strings and beams */

static double bytes_needed(const struct actio_model *m)
{
    double doubles = 0;
    for (size_t i = 0; i < m->coords; i++) doubles += m->coord[i].axis ? DOUBLES_A_VALUE * (double)m->axis[m->coord[i].axis - 1].nodes : 0;
    for (size_t k = 0; k < m->constraints; k++) doubles += m->constraint[k].axis ? DOUBLES_A_ROW * (double)m->axis[m->constraint[k].axis - 1].nodes : 0;
    return 8 * doubles;
}

static int check_memory(struct actio_run *run)
{
    double need = bytes_needed(run->model);
    if (need <= (double)run->ctx->bytes_limit && need < 8e18) return 0;
    actio_run_find(run, ACTIO_F_FIELD_TOO_LARGE, ACTIO_ARGS(ACTIO_NUMBER(ceil(need / 1e6)), ACTIO_NUMBER(floor((double)run->ctx->bytes_limit / 1e6))));
    return 1;
}

/* ---- start data */

/* Values beyond the ends: a parabola through the last three. */
static void continue_ends(const struct actio_run *run, double *x)
{
    const struct actio_model *m = run->model;
    const struct actio_system *sys = run->sys;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->axis[m->coord[i].axis - 1].nodes : 0, first = sys->base[i];
        if (nodes < 2) continue;
        size_t before = sys->beyond[2 * i], behind = sys->beyond[2 * i + 1];
        double *a = x + first, *b = a + nodes - 1, bend_a = nodes > 2 ? a[0] - 2 * a[1] + a[2] : 0, bend_b = nodes > 2 ? b[0] - 2 * b[-1] + b[-2] : 0;
        for (size_t k = 1; k <= before; k++) a[-(ptrdiff_t)k] = a[0] + (double)k * (a[0] - a[1]) + (double)(k * (k + 1)) / 2 * bend_a;
        for (size_t k = 1; k <= behind; k++) b[k] = b[0] + (double)k * (b[0] - b[-1]) + (double)(k * (k + 1)) / 2 * bend_b;
    }
}

static int take_start(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    if (actio_motion_need(m, ACTIO_Q_START)) return 1;
    const double *x = actio_bound_values(&m->at[ACTIO_Q_START]);
    memcpy(run->y0, x, run->ny * sizeof *x);
    continue_ends(run, run->y0), continue_ends(run, run->y0 + m->n);
    for (size_t i = 0; i < run->ny; i++)
        if (!isfinite(run->y0[i])) return actio_find(run->f, ACTIO_F_START_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(actio_run_name(run, i)))), 1;
    return 0;
}

static void take_params(void *user)
{
    struct actio_run *run = user;
    run->param = actio_arena_array(&run->arena, run->model->params + 1, sizeof(double));
    for (size_t i = 0; i < run->model->params; i++) run->param[i] = run->model->param[i].value;
}

static void take_room(void *user)
{
    struct actio_run *run = user;
    run->y0 = actio_arena_array(&run->arena, run->ny + 1, sizeof(double));
}

int actio_run_form_fields(struct actio_run *run)
{
    if (check_memory(run) || actio_attempt(run->ctx, take_params, run)) return 1;
    run->form = actio_form_dalembert;
    run->sys = actio_system_form(run->ctx, run->model, run->form);
    if (!run->sys) return 1;
    run->ny = 2 * run->sys->n;
    if (actio_attempt(run->ctx, take_room, run) || actio_motion_open(&run->motion, run->ctx, run->sys, run->param)) return 1;
    if (run->model->has_time) run->motion.span = run->model->t1 - run->model->t0;
    run->motion.t = run->model->has_time ? run->model->t0 : 0;
    return take_start(run);
}

/* ---- do the start data satisfy the constraints of the continuum? */

/* Largest residual beside the size of its terms, by constraint of the model: positions and velocities; the lane where it is. */
struct misfit { double position, velocity; size_t lane, rate_lane; };

static void measure(struct actio_run *run, struct misfit *out)
{
    const struct actio_system *sys = run->sys;
    const struct actio_model *m = run->model;
    size_t count = sys->holonomic + sys->levels, k = 0;
    double largest = 0, *allowed = actio_take(run->ctx, count + 1, sizeof *allowed);
    memset(out, 0, m->constraints * sizeof *out);
    if (!allowed) return;
    actio_lanes_allowance(&run->motion, allowed);
    const double *r = actio_bound_values(&run->motion.at[ACTIO_Q_LEVELS]), *size = r + count;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t row = i < sys->holonomic ? sys->position_row[i] : sys->velocity_row[i - sys->holonomic];
        if (i == sys->holonomic) k = 0;
        while (k + 1 < m->constraints && sys->row[k + 1] <= row) k++;
        double *worst = i < sys->holonomic ? &out[k].position : &out[k].velocity, now = fabs(r[i]) / fmax(size[i], 1e-3 * largest);
        if (fabs(r[i]) <= allowed[i]) now = 0;
        if (!(now <= *worst)) *worst = now, *(i < sys->holonomic ? &out[k].lane : &out[k].rate_lane) = row - sys->row[k];
    }
    actio_give(run->ctx, allowed);
}

/* The same with twice as many cells. False: it can't be said. */
static bool measure_finer(struct actio_run *run, struct misfit *out)
{
    struct actio_model *m = run->model;
    struct actio_run finer;
    struct actio_findings silent;
    size_t *nodes = actio_take(run->ctx, m->axes + 1, sizeof *nodes);
    if (!nodes) return false;
    for (size_t a = 0; a < m->axes; a++) nodes[a] = m->axis[a].nodes, m->axis[a].nodes = 2 * nodes[a] - 1;
    actio_findings_open(&silent, run->ctx);
    actio_run_open(&finer, run->ctx, m, &run->options, &silent);
    bool ok = actio_run_form_fields(&finer) == 0;
    if (ok) {
        finer.motion.t = run->motion.t;
        memcpy(finer.motion.y, finer.y0, finer.ny * sizeof(double));
        ok = actio_slaves_settle(&finer.motion) == ACTIO_FLOW_OK;
        if (ok) measure(&finer, out);
    }
    actio_run_close(&finer);
    actio_findings_close(&silent);
    for (size_t a = 0; a < m->axes; a++) m->axis[a].nodes = nodes[a];
    actio_give(run->ctx, nodes);
    return ok;
}

static bool falls(double coarse, double fine) { return coarse == 0 || fine < 0.7 * coarse; }

static void say_broken(struct actio_run *run, size_t k, const struct misfit *x, bool rate)
{
    const struct actio_constraint *c = &run->model->constraint[k];
    char where[64] = "";
    if (c->axis) snprintf(where, sizeof where, " (largest at number %zu along %.20s)", rate ? x->rate_lane : x->lane, run->model->axis[c->axis - 1].name);
    const char *level = rate && c->kind == ACTIO_HOLONOMIC ? "the rate of " : "";
    actio_find_at(run->f, ACTIO_F_FIELD_START_BREAKS, &run->model->source, c->span, ACTIO_ARGS(ACTIO_TEXT(level), ACTIO_TEXT(c->label), ACTIO_NUMBER(rate ? x->velocity : x->position), ACTIO_TEXT(where)));
}

/* 0: the data are the continuum's; 1: some constraint is broken, and told (unless `silent`). */
static int judge(struct actio_run *run)
{
    size_t count = run->model->constraints;
    struct misfit *now = actio_take(run->ctx, 2 * count + 2, sizeof *now), *finer = now + count;
    int broken = now == NULL;
    if (now) {
        measure(run, now);
        bool known = measure_finer(run, finer);
        for (size_t k = 0; k < count; k++) {
            bool stands = known ? falls(now[k].position, finer[k].position) : now[k].position == 0, moves = known ? falls(now[k].velocity, finer[k].velocity) : now[k].velocity == 0;
            if (stands && moves) continue;
            broken = 1;
            if (!run->options.project) say_broken(run, k, &now[k], stands);
        }
    }
    actio_give(run->ctx, now);
    return broken && !run->options.project;
}

static double largest_shift(const struct actio_run *run, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < run->ny; i++) most = fmax(most, fabs(y[i] - run->y0[i]));
    return most;
}

/* Values beyond an end whose natural conditions do not determine them: the field of the first. */
static int say_unsettled(struct actio_run *run)
{
    const struct actio_model *m = run->model;
    size_t k = 0, at = run->sys->slave[0];
    while (k + 1 < m->coords && run->sys->base[k + 1] - run->sys->beyond[2 * (k + 1)] <= at) k++;
    const struct actio_axis *x = &m->axis[m->coord[k].axis - 1];
    actio_find_at(run->f, ACTIO_F_FIELD_BEYOND, &m->source, m->coord[k].span, ACTIO_ARGS(ACTIO_TEXT(m->coord[k].name), ACTIO_TEXT(x->name), ACTIO_NUMBER(at < run->sys->base[k] ? x->a : x->b)));
    return ACTIO_NOT_SETTLED;
}

static int put_on_constraints(struct actio_run *run, struct actio_start_check *c)
{
    struct actio_motion *m = &run->motion;
    double t = run->model->has_time ? run->model->t0 : 0;
    m->t = t;
    memcpy(m->y, run->y0, run->ny * sizeof(double));
    if (actio_slaves_settle(m)) return say_unsettled(run);
    actio_lanes_check_start(m, t, run->y0, c);
    if (!c->consistent) {
        memcpy(m->y, run->y0, run->ny * sizeof(double));
        if (actio_slaves_settle(m)) return say_unsettled(run);
        if (judge(run)) return 1;
        if (!c->found) return actio_run_find(run, ACTIO_F_FIELD_START_FAR, ACTIO_NO_ARGS), 1;
        actio_run_find(run, run->options.project ? ACTIO_F_FIELD_PROJECTED : ACTIO_F_FIELD_SHIFTED, ACTIO_ARGS(ACTIO_NUMBER(largest_shift(run, c->nearest))));
    }
    if (c->found) memcpy(run->y0, c->nearest, run->ny * sizeof(double));
    return 0;
}

int actio_run_put_on_constraints(struct actio_run *run)
{
    struct actio_start_check c = { .position = actio_take(run->ctx, run->sys->p + 1, sizeof(double)), .velocity = actio_take(run->ctx, run->sys->p + 1, sizeof(double)),
                                   .nearest = actio_take(run->ctx, run->ny + 1, sizeof(double)) };
    int bad = !c.position || !c.velocity || !c.nearest;
    if (bad) actio_find(run->f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the start data"), ACTIO_COUNT(run->ctx->bytes_limit)));
    else bad = put_on_constraints(run, &c);
    actio_give(run->ctx, c.position), actio_give(run->ctx, c.velocity), actio_give(run->ctx, c.nearest);
    return bad;
}

/* Constraints on rates at every point may leave a motion that its start does not determine. */
static bool may_be_undetermined(const struct actio_model *m)
{
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].axis && m->constraint[k].kind != ACTIO_HOLONOMIC) return true;
    return false;
}

/* Of few enough rows that it can be told; of more the factorisation has told. */
static bool has_full_rank(struct actio_motion *m)
{
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    return actio_saddle_rank(m->saddle, NULL) == m->p;
}

int actio_run_examine_fields(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    struct actio_field_verdict v;
    double t = run->model->has_time ? run->model->t0 : 0;
    if (actio_run_put_on_constraints(run)) return 1;
    bool regular = actio_motion_begin(m, t, run->y0) == 0 && actio_motion_solve(m, t, run->y0) != ACTIO_FLOW_SINGULAR && has_full_rank(m);
    if (regular && (!may_be_undetermined(run->model) || run->tentative)) return 0;
    actio_field_judge(run, false, &v);
    if (run->f->errors) return 1;
    if (v.looked && v.look.n == run->sys->n && v.look.rank < run->sys->p) {
        actio_saddle_expect_rank(m->saddle, v.look.rank);
        m->rank = v.look.rank;
        actio_motion_solve(m, t, run->y0);
        actio_saddle_rank(m->saddle, m->unique);
    }
    if (actio_motion_solve(m, t, run->y0) != ACTIO_FLOW_SINGULAR) return 0;
    bool many = v.looked && v.look.n != run->sys->n && v.look.rank < v.look.p;
    if (many) actio_find(run->f, ACTIO_F_FIELD_REDUNDANT_MANY, ACTIO_ARGS(ACTIO_COUNT(run->sys->n + run->sys->p)));
    else actio_find(run->f, ACTIO_F_UNSETTLED, ACTIO_NO_ARGS);
    return 1;
}
