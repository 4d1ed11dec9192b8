/* SPDX-License-Identifier: Apache-2.0
 * Motions joined from arcs: guesses for them, their conditions, and the rows of two solutions at different tolerances,
 * whose difference is their error. */
#include "run/joined.h"
#include "run/gradient.h"
#include "solve/law.h"
#include "solve/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FOLLOWED, STRAIGHT, AT_REST, APPROACHED, GUESSES, MOST_RUNS = 6 };
#define ROUGH 1e-7   /* local tolerance of the search */
#define FOLLOW 1e-13 /* the same of a motion from the start, which magnifies errors */
#define FINER 0.03   /* of two solutions that are compared */
#define FINEST 2e-15
#define FIRST 0.1    /* local tolerance, of the requested one */
#define ROUNDING 4.0 /* units in the last place of the largest value */
#define NEAR 1e-3    /* of its size: data at the start that are the same but for the growth of rounding */

/* ---- guesses */

/* The value that a condition gives to a coordinate at its time; false: it gives none. */
static bool given_by(const struct actio_problem *p, const struct actio_require *c, size_t coord, double *value)
{
    if (strcmp(c->column, p->sys->variable[coord]) != 0) return false;
    *value = actio_model_number(p->model, c->value);
    return isfinite(*value);
}

/* Between the data of one coordinate around t: its value and slope there. */
static void straight(const struct actio_joined *x, size_t i, double t, double *value, double *slope)
{
    const struct actio_problem *p = x->problem;
    const struct actio_model *m = p->model;
    double before = m->time.t0, after = before, low = x->start[i], high = low, y, way = m->time.t1 < before ? -1 : 1;
    bool has_before = x->fixed[i], has_after = false;
    for (size_t k = 0; k < m->mixed.requires; k++) {
        const struct actio_require *c = &m->mixed.require[k];
        if (!given_by(p, c, i, &y)) continue;
        if (way * c->time <= way * t && (!has_before || way * c->time >= way * before)) {
            before = c->time;
            low = y;
            has_before = true;
        } else if (way * c->time > way * t && (!has_after || way * c->time < way * after)) {
            after = c->time;
            high = y;
            has_after = true;
        }
    }
    *slope = has_before && has_after ? (high - low) / (after - before) : 0;
    *value = has_before ? low + *slope * (t - before) : has_after ? high : x->start[i];
}

static int joined_guess(void *user, double t, double *y)
{
    struct actio_joined *x = user;
    size_t n = x->problem->sys->n;
    memcpy(y, x->start, x->problem->ny * sizeof *y);
    if (x->kind == FOLLOWED || x->kind == APPROACHED) {
        actio_tangent_rewind(&x->arcs.o.x);
        return actio_tangent_go(&x->arcs.o.x, x->problem->model->time.t0, t, y, NULL, 0, FOLLOW);
    }
    for (size_t i = 0; i < n; i++) {
        if (x->kind == AT_REST) y[n + i] = 0;
        else straight(x, i, t, &y[i], &y[n + i]);
    }
    return 0;
}

static int joined_miss(void *user, size_t k, const double *y, double *off, double *slope)
{
    struct actio_joined *x = user;
    const struct actio_require *c = &x->problem->model->mixed.require[k];
    double value;
    if (actio_run_observe(&x->problem->motion, k, c->time, y, &value, x->total)) return 1;
    *off = value - actio_model_number(x->problem->model, c->value);
    memcpy(slope, x->total, x->problem->ny * sizeof *slope);
    return !isfinite(*off);
}

/* ---- the search */

static bool may_join(const struct actio_problem *p)
{
    return !p->principle->law && !p->principle->stepper && !p->principle->solve && p->sys->walls.events == 0
           && !p->sys->field.axes && !p->options.grid && !p->options.slabs;
}

static struct actio_joined *open_joined(struct actio_problem *p)
{
    const struct actio_model *m = p->model;
    size_t ny = p->ny, conditions = m->mixed.requires;
    struct actio_joined *x = actio_alloc(p->ctx, 1, sizeof *x);
    if (!x) return NULL;
    x->problem = p;
    x->block = actio_alloc(p->ctx, 2 * ny + 2 * conditions + actio_observed_width(p->sys) + 3, sizeof *x->block);
    x->fixed = actio_alloc(p->ctx, ny + 1, sizeof *x->fixed);
    if (!x->block || !x->fixed) {
        actio_joined_close(x);
        return NULL;
    }
    x->start = x->block;
    x->when = x->start + ny + 1;
    x->off = x->when + conditions;
    x->total = x->off + conditions + 1;
    memcpy(x->start, p->y0, ny * sizeof *x->start);
    for (size_t k = 0; k < ny; k++) x->fixed[k] = true;
    for (size_t k = 0; k < m->mixed.frees; k++) {
        const struct actio_free_datum *f = &m->mixed.free_data[k];
        x->fixed[f->is_state ? 2 * m->coords + f->variable : f->variable + (f->dot ? m->coords : 0)] = false;
    }
    for (size_t k = 0; k < conditions; k++) x->when[k] = m->mixed.require[k].time;
    return x;
}

void actio_joined_close(struct actio_joined *x)
{
    if (!x) return;
    struct actio_context *ctx = x->problem->ctx;
    actio_arcs_close(&x->arcs);
    actio_free(ctx, x->block);
    actio_free(ctx, x->fixed);
    actio_free(ctx, x);
}

/* Are the data at the start those that were found already, but for what is too rough? */
static bool is_same_start(const struct actio_joined *x)
{
    for (size_t k = 0; k < x->problem->ny; k++)
        if (!(fabs(x->arcs.y[k] - x->start[k]) <= NEAR * fmax(x->arcs.o.scale[k], fabs(x->start[k])))) return false;
    return true;
}

static bool meets_all(struct actio_joined *x, double tol)
{
    struct actio_model *m = x->problem->model;
    double off, *slope = x->total + actio_observed_width(x->problem->sys);
    for (size_t k = 0; k < m->mixed.requires; k++) {
        const double *y = actio_arcs_state(&x->arcs, x->when[k]);
        double wanted = actio_model_number(m, m->mixed.require[k].value);
        if (joined_miss(x, k, y, &off, slope) || !(fabs(off) <= tol * fmax(1, fabs(wanted)))) return false;
    }
    return true;
}

/* From each guess until one leads to a solution. Those that are followed from the start lead to the one nearby. */
static int search_arcs(struct actio_joined *x, bool near)
{
    struct actio_problem *p = x->problem;
    struct actio_arcs_data data = { .t0 = p->model->time.t0,
                                    .t1 = p->model->time.t1,
                                    .fixed = x->fixed,
                                    .start = x->start,
                                    .when = x->when,
                                    .off = x->off,
                                    .conditions = p->model->mixed.requires,
                                    .miss = joined_miss,
                                    .guess = joined_guess,
                                    .user = x };
    for (x->kind = near ? FOLLOWED : STRAIGHT; x->kind < GUESSES; x->kind++) {
        int bad = actio_arcs_open(&x->arcs, p->ctx, &p->motion, &data);
        if (!bad) bad = (x->kind == APPROACHED ? actio_arcs_approach : actio_arcs_solve)(&x->arcs, ROUGH);
        if (!bad && (x->kind != FOLLOWED || is_same_start(x))) return 0;
        actio_arcs_close(&x->arcs);
        if (actio_stopped(p->ctx)) break;
    }
    return 1;
}

int actio_join(struct actio_problem *problem, bool near, struct actio_joined **joined)
{
    const struct actio_model *m = problem->model;
    *joined = NULL;
    if (!may_join(problem) || !m->time.given) return 1;
    struct actio_joined *x = open_joined(problem);
    if (!x) return 1;
    double tol = problem->options.local > 0 ? problem->options.local : problem->options.tol;
    if (search_arcs(x, near) || actio_arcs_solve(&x->arcs, fmax(1e-3 * tol, FINEST)) || !meets_all(x, tol)) {
        actio_joined_close(x);
        return 1;
    }
    memcpy(problem->y0, x->arcs.y, problem->ny * sizeof *problem->y0);
    *joined = x;
    return 0;
}

void actio_joined_say(struct actio_joined *x)
{
    actio_report(x->problem->f, ACTIO_F_MIXED_JOINED,
                 ACTIO_ARGS(ACTIO_COUNT(x->arcs.nodes - 1), ACTIO_NUMBER(round(actio_arcs_growth(&x->arcs)))));
}

/* ---- rows */

static int joined_columns(struct actio_joined *x, struct actio_rows *rows, double local, double *column)
{
    int bad = actio_arcs_solve(&x->arcs, local);
    if (!bad) bad = actio_arcs_sample(&x->arcs, rows->times, rows->rows, rows->y, local);
    return bad ? bad : actio_rows_evaluate(rows, rows->rows, column, rows->rows, false);
}

/* Errors of `fine` by what `rough` differs from it, and the worst beside max(1, size), with that of the terms that a
 * column is the sum of. */
static void judge_joined(struct actio_outcome *out, size_t columns, const double *rough, const double *fine,
                         const double *terms)
{
    out->worst = 0;
    for (size_t c = 0; c < columns; c++) {
        double apart = 0, size = terms[c];
        for (size_t r = 0; r < out->rows; r++) {
            double here = fine[c * out->rows + r];
            if (!isfinite(here)) continue;
            apart = fmax(apart, fabs(here - rough[c * out->rows + r]));
            size = fmax(size, fabs(here));
        }
        out->error[c] = apart + ROUNDING * DBL_EPSILON * size;
        for (size_t k = 0; k < out->error_lanes; k++) out->check_error[c * out->error_lanes + k] = out->error[c];
        if (out->error[c] / fmax(1, size) > out->worst) {
            out->worst = out->error[c] / fmax(1, size);
            out->worst_column = c;
        }
    }
}

/* Finer and finer, until two solutions agree. A status, or -1. */
static int agree(struct actio_joined *x, const struct actio_aim *aim, struct actio_rows *rows, double *rough,
                 double *terms, struct actio_outcome *out)
{
    size_t columns = x->problem->sys->output.columns;
    double local = aim->local > 0 ? aim->local : fmax(FIRST * aim->tol, FINEST);
    int bad = joined_columns(x, rows, local, aim->local > 0 ? out->column : rough);
    out->runs = 1;
    out->finest = local;
    if (bad || aim->local > 0) {
        for (size_t c = 0; c < columns; c++) out->error[c] = NAN;
        out->worst = NAN;
        return bad;
    }
    while (out->runs < MOST_RUNS && !out->reached) {
        double finer = fmax(FINER * local, FINEST);
        bad = joined_columns(x, rows, finer, out->column);
        if (bad || actio_rows_terms(rows, rows->rows, terms)) return bad ? bad : ACTIO_MARCH_NO_MEMORY;
        out->runs++;
        out->finest = finer;
        judge_joined(out, columns, rough, out->column, terms);
        out->reached = out->worst <= aim->tol;
        if (finer >= local) break;
        local = finer;
        if (!out->reached) memcpy(rough, out->column, columns * out->rows * sizeof *rough);
    }
    return 0;
}

static int open_outcome(struct actio_joined *x, const struct actio_aim *aim, const struct actio_rows *rows,
                        struct actio_outcome *out)
{
    struct actio_context *ctx = x->problem->ctx;
    size_t columns = x->problem->sys->output.columns;
    out->lanes = out->rows = aim->rows;
    out->error_lanes = out->compared = 2;
    out->column = actio_rows_columns(rows, aim->rows);
    out->error = actio_alloc(ctx, columns + 1, sizeof(double));
    out->check_error = actio_alloc(ctx, 2 * columns + 1, sizeof(double));
    out->check_time = actio_alloc(ctx, 2, sizeof(double));
    out->y_stop = actio_alloc(ctx, x->arcs.ny + 1, sizeof(double));
    if (!out->column || !out->error || !out->check_error || !out->check_time || !out->y_stop) return 1;
    out->check_time[0] = aim->t0;
    out->check_time[1] = aim->t1;
    out->t_stop = aim->t1;
    return 0;
}

int actio_reach_joined(struct actio_joined *x, const struct actio_aim *aim, struct actio_outcome *out)
{
    struct actio_motion *m = &x->problem->motion;
    struct actio_rows rows;
    double *rough = NULL, *terms = NULL;
    *out = (struct actio_outcome){ 0 };
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS) || actio_rows_open(&rows, m, aim->times, aim->rows, aim->t1 < aim->t0))
        return 1;
    size_t before = x->arcs.o.x.rhs;
    int bad = open_outcome(x, aim, &rows, out);
    if (!bad) bad = (rough = actio_rows_columns(&rows, aim->rows)) == NULL;
    if (!bad) bad = (terms = actio_alloc(x->problem->ctx, m->sys->output.columns + 1, sizeof *terms)) == NULL;
    if (bad) actio_rows_too_many(&rows);
    if (!bad) {
        out->status = agree(x, aim, &rows, rough, terms, out);
        if (out->status < 0) out->status = ACTIO_FLOW_FAILED;
        out->good_rows = out->reached || aim->local > 0 ? out->rows : 0;
        out->holds_until = out->reached ? aim->t1 : aim->t0;
        out->steps = x->arcs.nodes - 1;
        out->rhs = x->arcs.o.x.rhs - before;
        memcpy(out->y_stop, x->arcs.y + (x->arcs.nodes - 1) * x->arcs.ny, x->arcs.ny * sizeof(double));
    }
    actio_free(x->problem->ctx, rough);
    actio_free(x->problem->ctx, terms);
    actio_rows_close(&rows);
    if (bad) actio_outcome_close(x->problem->ctx, out);
    return bad;
}
