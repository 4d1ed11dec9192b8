/* SPDX-License-Identifier: Apache-2.0
 * Mixed data: initial values that `free` releases, found from the conditions of `require` and the constraints at the
 * start. Newton's method on them; the conditions' derivatives come from the transposed action, the motion from its
 * slabs. */
#include "principle/principles.h"
#include "run/gradient.h"
#include "run/joined.h"
#include "algebra/dense.h"
#include "solve/adjoint.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 50, MOST_HALVINGS = 24 };

struct mixed {
    struct actio_problem *problem;
    struct actio_motion *m;
    struct actio_points pt;         /* one lane: the start */
    size_t frees, rows, conditions; /* rows: of the constraints at the start */
    size_t *free;                   /* components of y0 */
    double *station;                /* times of conditions, in order; the station of each condition */
    size_t stations, *at;
    /* residuals: constraints, then conditions; J: by free data */
    double *r, *J, *step, *total, *dy0, *dparam, *value;
    double *base;  /* free data before a step */
    bool vanishes; /* some constraint has no gradient at the start */
    double local;
    int status; /* of the last march */
};

static size_t component_of(const struct actio_model *m, const struct actio_free_datum *f)
{
    return f->is_state ? 2 * m->coords + f->variable : f->variable + (f->dot ? m->coords : 0);
}

static int later(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of conditions once each, in the motion's direction. */
static void order_stations(struct mixed *w)
{
    const struct actio_model *model = w->problem->model;
    bool backward = model->time.t1 < model->time.t0;
    for (size_t i = 0; i < w->conditions; i++)
        w->station[i] = backward ? -model->mixed.require[i].time : model->mixed.require[i].time;
    qsort(w->station, w->conditions, sizeof *w->station, later);
    for (size_t i = 0; i < w->conditions; i++)
        if (i == 0 || w->station[i] != w->station[w->stations - 1]) w->station[w->stations++] = w->station[i];
    for (size_t i = 0; i < w->stations && backward; i++) w->station[i] = -w->station[i];
    for (size_t i = 0; i < w->conditions; i++)
        while (w->station[w->at[i]] != model->mixed.require[i].time) w->at[i]++;
}

static void open_arrays(void *user)
{
    struct mixed *w = user;
    struct actio_problem *problem = w->problem;
    const struct actio_model *m = problem->model;
    size_t most = w->rows + w->conditions + 1;
    w->free = actio_arena_array(&problem->arena, w->frees + 1, sizeof *w->free);
    w->at = actio_arena_array(&problem->arena, w->conditions + 1, sizeof *w->at);
    double **part[] = { &w->base, &w->station, &w->r, &w->J, &w->step, &w->total, &w->dy0, &w->dparam, &w->value };
    const size_t length[] = {
        w->frees,    w->conditions, most, most * (w->frees + 1), w->frees, actio_observed_width(problem->sys),
        problem->ny, m->params,     1
    };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        *part[i] = actio_arena_array(&problem->arena, length[i] + 1, sizeof(double));
    for (size_t i = 0; i < w->frees; i++) w->free[i] = component_of(m, &m->mixed.free_data[i]);
    order_stations(w);
}

/* A row of the jets without any entry that is not 0, beside those of multipliers. */
static bool has_no_gradient(const struct mixed *w, size_t row)
{
    const struct actio_places *jets = &w->pt.sys->jets.points;
    for (size_t e = 0; e < jets->count; e++)
        if (jets->row[e] == row && jets->col[e] < w->pt.nx + w->pt.n && w->pt.jet[e] != 0) return false;
    return true;
}

/* Constraints at the start: residuals of positions and velocities, and their derivatives by the free data. */
static int constraints_at(struct mixed *w, const double *y)
{
    struct actio_points *pt = &w->pt;
    const struct actio_places *jets = &pt->sys->jets.points;
    size_t n = pt->n, first = 2 * n + pt->m;
    pt->t[0] = w->problem->model->time.t0;
    memset(pt->z, 0, pt->nz * sizeof *pt->z);
    memcpy(pt->x, y, n * sizeof *y);
    memcpy(pt->x + n, y + 2 * n, pt->m * sizeof *y);
    memcpy(pt->z, y + n, n * sizeof *y);
    if (w->rows == 0) return 0;
    if (actio_points_jets(pt, 1)) return 1;
    w->vanishes = false;
    for (size_t i = 0; i < w->rows; i++) {
        w->r[i] = pt->R[pt->m + i];
        w->vanishes = w->vanishes || has_no_gradient(w, first + i);
    }
    memset(w->J, 0, w->rows * w->frees * sizeof *w->J);
    for (size_t e = 0; e < jets->count; e++) {
        size_t row = jets->row[e] - first, col = jets->col[e];
        if (jets->row[e] < first || row >= w->rows || col >= pt->nx + n) continue;
        size_t component = actio_points_component(pt, col);
        for (size_t k = 0; k < w->frees; k++)
            if (w->free[k] == component) w->J[row * w->frees + k] += pt->jet[e];
    }
    return 0;
}

/* Conditions on the motion from y0, with their derivatives or without. A march status, or 1. */
static int conditions_at(struct mixed *w, const double *y0, bool derivatives)
{
    struct actio_problem *problem = w->problem;
    struct actio_adjoint a;
    int bad = w->status =
        actio_adjoint_forward(&a, problem->ctx, w->m, problem->model->time.t0, y0, w->station, w->stations, w->local);
    for (size_t i = 0; !bad && i < w->conditions; i++) {
        const struct actio_require *c = &problem->model->mixed.require[i];
        size_t station = w->at[i], row = w->rows + i;
        bad = actio_run_observe(w->m, i, c->time, a.state + (station + 1) * problem->ny, w->value, w->total);
        w->r[row] = *w->value - actio_model_number(problem->model, c->value);
        if (bad || !derivatives) continue;
        bad = actio_adjoint_back(&a, station, w->total, w->dy0, w->dparam);
        for (size_t k = 0; k < w->frees; k++) w->J[row * w->frees + k] = w->dy0[w->free[k]];
    }
    actio_adjoint_close(&a);
    return bad;
}

static double free_data_size_of(const struct mixed *w, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += w->r[i] * w->r[i];
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

/* The step of the free data that takes the first `count` residuals away; returns the rank. */
static size_t free_data_solve(struct mixed *w, size_t count)
{
    struct actio_context *ctx = w->problem->ctx;
    size_t n = w->frees;
    double *work = actio_alloc(ctx, count * n + actio_rank_work(count, n) + 1, sizeof *work), defect;
    int *iwork = actio_alloc(ctx, count + n + 1, sizeof *iwork);
    size_t rank = 0;
    if (work && iwork) {
        memcpy(work, w->J, count * n * sizeof *work);
        rank = actio_min_norm(count, n, work, w->r, 1e-10, w->step, &defect, work + count * n, iwork);
    }
    actio_free(ctx, work);
    actio_free(ctx, iwork);
    return rank;
}

static void free_data_move(struct mixed *w, double part)
{
    for (size_t k = 0; k < w->frees; k++) w->problem->y0[w->free[k]] -= part * w->step[k];
}

static double largest_step(const struct mixed *w)
{
    double most = 0;
    for (size_t k = 0; k < w->frees; k++) {
        double step = fabs(w->step[k]), size = fabs(w->problem->y0[w->free[k]]);
        if (!(step / (1e-300 + size) <= most)) most = step / (1e-300 + size);
    }
    return most;
}

/* The free data onto the constraints. The constraints' rank in them. */
static size_t meet_constraints(struct mixed *w)
{
    size_t rank = 0;
    for (size_t k = 0; k < w->frees; k++) w->base[k] = w->problem->y0[w->free[k]];
    for (int i = 0; i < MOST_ITERATIONS && w->rows; i++) {
        if (constraints_at(w, w->problem->y0)) break;
        rank = free_data_solve(w, w->rows);
        double most = 0;
        for (size_t k = 0; k < w->frees; k++)
            most = fmax(most, fabs(w->step[k]) / (1e-300 + fmax(fabs(w->base[k]), fabs(w->problem->y0[w->free[k]]))));
        if (!isfinite(most)) break;
        free_data_move(w, 1);
        if (most < 1e-15) break;
    }
    for (size_t k = 0; k < w->frees; k++) /* what is left of something is rounding */
        if (fabs(w->problem->y0[w->free[k]]) < 1e-14 * fabs(w->base[k])) w->problem->y0[w->free[k]] = 0;
    return rank;
}

static int refuse_count(struct mixed *w, size_t rank)
{
    const struct actio_model *m = w->problem->model;
    long over = (long)w->frees - (long)w->conditions - (long)rank;
    actio_report_at(w->problem->f, over > 0 ? ACTIO_F_MIXED_UNDER : ACTIO_F_MIXED_OVER, &m->source,
                    over > 0 ? m->mixed.free_data[m->mixed.frees - 1].span
                             : m->mixed.require[m->mixed.requires - 1].span,
                    ACTIO_ARGS(ACTIO_COUNT(w->frees), ACTIO_COUNT(w->conditions), ACTIO_COUNT(rank),
                               ACTIO_COUNT((size_t)labs(over))));
    return 1;
}

int actio_free_data_place(struct actio_problem *problem)
{
    const struct actio_model *m = problem->model;
    if (m->mixed.frees + m->mixed.requires == 0) return 0;
    struct mixed w = { .problem = problem,
                       .m = &problem->motion,
                       .frees = m->mixed.frees,
                       .conditions = m->mixed.requires,
                       .rows = problem->sys->levels + problem->sys->holonomic };
    struct actio_shared shared = { problem->motion.here.param, problem->motion.here.mode, problem->motion.here.hidden };
    if (actio_attempt(problem->ctx, open_arrays, &w) || actio_points_open(&w.pt, problem->ctx, problem->sys, 1, shared))
        return 1;
    actio_motion_take_sides(&problem->motion, m->time.t0, problem->y0);
    bool vanishes = constraints_at(&w, problem->y0) == 0 && w.vanishes;
    size_t rank = meet_constraints(&w);
    actio_points_close(&w.pt);
    if (vanishes) {
        actio_report(problem->f, ACTIO_F_MIXED_CANNOT,
                     ACTIO_ARGS(ACTIO_TEXT("a constraint has no gradient at the guessed data")));
        return 1;
    }
    return w.frees == w.conditions + rank ? 0 : refuse_count(&w, rank);
}

/* Residuals at the data as they are. */
static int free_data_look(struct mixed *w, bool derivatives)
{
    return constraints_at(w, w->problem->y0) || conditions_at(w, w->problem->y0, derivatives);
}

/* One damped step, put back on the constraints; 0, or 1: no part of it is better, and the data are as they were. */
static int improve(struct mixed *w, double before)
{
    size_t n = w->frees;
    double *from = actio_alloc(w->problem->ctx, 2 * n + 1, sizeof *from), *step = from ? from + n : NULL, part = 1;
    if (!from) return 1;
    for (size_t k = 0; k < n; k++) {
        from[k] = w->problem->y0[w->free[k]];
        step[k] = w->step[k];
    }
    bool better = false;
    for (int i = 0; i < MOST_HALVINGS && !better && !actio_stopped(w->problem->ctx); i++, part *= 0.5) {
        for (size_t k = 0; k < n; k++) w->problem->y0[w->free[k]] = from[k] - part * step[k];
        meet_constraints(w);
        better = free_data_look(w, false) == 0
                 && free_data_size_of(w, w->rows + w->conditions) <= (1 - 1e-3 * part) * before;
    }
    for (size_t k = 0; k < n && !better; k++) w->problem->y0[w->free[k]] = from[k];
    actio_free(w->problem->ctx, from);
    return !better;
}

/* Are the conditions met, to the accuracy that is required of the motion? */
static bool is_met(const struct mixed *w)
{
    const struct actio_run_options *o = &w->problem->options;
    double tol = o->local > 0 ? o->local : o->tol;
    for (size_t i = 0; i < w->conditions; i++) {
        double wanted = actio_model_number(w->problem->model, w->problem->model->mixed.require[i].value);
        if (!(fabs(w->r[w->rows + i]) <= tol * fmax(1, fabs(wanted)))) return false;
    }
    return true;
}

/* Not met, but for what rounding becomes on the way? */
static bool is_near(const struct mixed *w)
{
    for (size_t i = 0; i < w->conditions; i++) {
        double wanted = actio_model_number(w->problem->model, w->problem->model->mixed.require[i].value);
        if (!(fabs(w->r[w->rows + i]) <= 1e-3 * fmax(1, fabs(wanted)))) return false;
    }
    return true;
}

static int free_data_iterate(struct mixed *w)
{
    size_t all = w->rows + w->conditions;
    meet_constraints(w);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (free_data_look(w, true)) return ACTIO_F_MIXED_NO_MOTION;
        double before = free_data_size_of(w, all);
        if (free_data_solve(w, all) < w->frees) return ACTIO_F_MIXED_DEPENDENT;
        if (before == 0 || largest_step(w) <= 1e-14 || improve(w, before)) break;
    }
    if (free_data_look(w, false)) return ACTIO_F_MIXED_NO_MOTION;
    return is_met(w) ? 0 : ACTIO_F_MIXED_DIVERGED;
}

struct telling {
    struct actio_problem *problem;
    struct mixed *w;
};

static void tell(void *user)
{
    struct telling *t = user;
    struct actio_text text;
    actio_text_open(&text, &t->problem->arena);
    const struct actio_model *m = t->problem->model;
    for (size_t k = 0; k < t->w->frees; k++) {
        const struct actio_free_datum *f = &m->mixed.free_data[k];
        actio_text_format(&text, "%s%s%s = ", k ? ", " : "",
                          f->is_state ? m->state[f->variable].name : m->coord[f->variable].name, f->dot ? "'" : "");
        actio_text_number(&text, t->problem->y0[t->w->free[k]]);
    }
    actio_report(t->problem->f, ACTIO_F_MIXED_FOUND, ACTIO_ARGS(ACTIO_TEXT(text.s)));
}

/* 0: they are joined; else the code as it was. */
static int join_arcs(struct mixed *w, bool near, int code, struct actio_joined **joined)
{
    size_t refused = w->problem->ctx->refused;
    if (actio_join(w->problem, near, joined) == 0) return 0;
    if (w->problem->ctx->refused > refused) w->status = ACTIO_MARCH_NO_MEMORY;
    return code;
}

int actio_free_data_find(struct actio_problem *problem, struct actio_joined **joined)
{
    const struct actio_model *m = problem->model;
    if (m->mixed.frees == 0) return 0;
    const struct actio_constraint *about;
    const char *why = actio_principle_objection(&actio_principle_skg, m, &about), *names[64];
    if (!why && problem->sys->hidden)
        why = "hidden constraints follow from the equations of motion, and have no reaction";
    if (!why && problem->sys->switches.count)
        why = "it has switches (abs, sign, min, max, floor, mod, if), where derivatives jump";
    if (!why && m->resets.lines) why = "`when` and `every` set values at instants, where derivatives jump";
    if (!why && m->mixed.requires > sizeof names / sizeof *names) why = "it has more than 64 conditions";
    if (why) {
        actio_report(problem->f, ACTIO_F_MIXED_CANNOT, ACTIO_ARGS(ACTIO_TEXT(why)));
        return 1;
    }
    for (size_t i = 0; i < m->mixed.requires; i++) names[i] = m->mixed.require[i].column;
    struct mixed w = {
        .problem = problem,
        .m = &problem->motion,
        .frees = m->mixed.frees,
        .conditions = m->mixed.requires,
        .rows = problem->sys->levels + problem->sys->holonomic,
        .local = fmax(1e-14, 1e-3 * (problem->options.local > 0 ? problem->options.local : problem->options.tol))
    };
    struct actio_shared shared = { problem->motion.here.param, problem->motion.here.mode, problem->motion.here.hidden };
    actio_system_droppable(problem->sys, problem->motion.rows.rank < problem->sys->p);
    if (actio_run_observed(problem, names, m->mixed.requires, ACTIO_F_NO_COLUMN)
        || actio_attempt(problem->ctx, open_arrays, &w))
        return 1;
    if (actio_points_open(&w.pt, problem->ctx, problem->sys, 1, shared)) return 1;
    int code = free_data_iterate(&w);
    actio_points_close(&w.pt);
    bool off = code == ACTIO_F_MIXED_DIVERGED, near = off && is_near(&w);
    bool may_join = off || code == ACTIO_F_MIXED_NO_MOTION || code == ACTIO_F_MIXED_DEPENDENT;
    if (may_join && !actio_stopped(problem->ctx)) code = join_arcs(&w, near, code, joined);
    if (code && actio_problem_report_limits(problem, w.status, "the search for free data")) return 1;
    if (code) {
        actio_report(problem->f, (enum actio_code)code,
                     ACTIO_ARGS(ACTIO_COUNT(w.conditions), ACTIO_NUMBER(free_data_size_of(&w, w.rows + w.conditions))));
        return 1;
    }
    if (actio_attempt(problem->ctx, tell, &(struct telling){ problem, &w })) return 1;
    if (*joined) actio_joined_say(*joined);
    return 0;
}
