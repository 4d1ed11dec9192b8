/* SPDX-License-Identifier: Apache-2.0
 * Sensitivities of observed columns at the end, by start data and params, from the minus sector of the action: exact
 * for the discrete motion, one transposed solve a slab. Start data that a change takes off the constraints are put back
 * as --project does it; params move what is made of them.  [SKG 3.9] */
#include "run/gradient.h"
#include "algebra/dense.h"
#include "solve/adjoint.h"
#include "solve/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_RUNS = 5 };

/* ---- one column at one state */

/* B' w = (by z', by lambda), B = [G, -D'; A, 0]: of least norm where rows are redundant. */
static int weigh_equations(struct actio_motion *m, const double *values, const double *wanted, double largest)
{
    const struct actio_system *sys = m->sys;
    size_t N = m->N, size = N + m->p;
    double *B = actio_alloc(m->ctx, size * size + actio_rank_work(size, size) + 1, sizeof *B), defect = INFINITY;
    int *iwork = actio_alloc(m->ctx, 2 * size + 1, sizeof *iwork);
    if (B && iwork) {
        for (size_t i = 0; i < sys->G.count; i++) B[sys->G.col[i] * size + sys->G.row[i]] += values[i];
        for (size_t i = 0; i < sys->A.count; i++)
            B[sys->A.col[i] * size + N + sys->A.row[i]] += values[sys->G.count + i];
        for (size_t i = 0; i < sys->D.count; i++)
            B[(N + sys->D.row[i]) * size + sys->D.col[i]] -= values[sys->G.count + sys->A.count + i];
        actio_min_norm(size, size, B, wanted, 1e-12, m->scratch.weight, &defect, B + size * size, iwork);
    }
    /* what is wanted of multipliers that are not unique has no derivative here */
    int bad = !B || !iwork || !(defect <= 1e-9 * largest);
    actio_free(m->ctx, B);
    actio_free(m->ctx, iwork);
    return bad;
}

size_t actio_observed_width(const struct actio_system *sys) { return 2 * sys->n + sys->m + 1 + sys->params; }

int actio_run_observe(struct actio_motion *m, size_t which, double t, const double *y, double *value, double *total)
{
    const struct actio_system *sys = m->sys;
    size_t ny = m->ny, extra = m->N + m->p, own = actio_observed_width(sys);
    int bad = actio_motion_solve(m, t, y);
    if (bad) return 1;
    const double *x = actio_motion_quantity(m, ACTIO_Q_OBSERVED, t, y) + which * (1 + own + extra);
    *value = x[0];
    memcpy(total, x + 1, ny * sizeof *total);
    memcpy(total + ny, x + 1 + ny + extra, (1 + sys->params) * sizeof *total);
    double most = 0;
    for (size_t i = 0; i < extra; i++) most = fmax(most, fabs(x[1 + ny + i]));
    if (most == 0) return !isfinite(*value); /* no accelerations and no multipliers in it */
    const double *wanted = x + 1 + ny;
    if (actio_motion_need(m, ACTIO_Q_MULTIPLIER_GRADIENT)
        || weigh_equations(m, actio_motion_values(m, t, y), wanted, most))
        return 1;
    const double *more = actio_motion_quantity(m, ACTIO_Q_MULTIPLIER_GRADIENT, t, y);
    for (size_t i = 0; i < own; i++) total[i] += more[i];
    return !isfinite(*value);
}

/* ---- start data on the constraints */

/* Residual rows of the action's nodes at the start, times a change (dy, dparam, and dt of the start time: along the
 * motion, at its rates, residuals stay 0, which gives their derivatives by time), by constraint: of positions or of
 * velocities. */
static void change_of_residuals(const struct actio_points *pt, bool positions, const double *dy, const double *rate,
                                double dt, const double *dparam, double *r)
{
    const struct actio_places *jets = &pt->sys->jets.points, *by = &pt->sys->jets.params;
    size_t first = 2 * pt->n + pt->m + (positions ? pt->p : 0), count = positions ? pt->h : pt->p, n = pt->n;
    const uint32_t *constraint = positions ? pt->sys->position_row : pt->sys->velocity_row;
    memset(r, 0, pt->p * sizeof *r);
    for (size_t i = 0; i < jets->count; i++) {
        size_t row = jets->row[i], col = jets->col[i];
        if (row < first || row >= first + count || col >= pt->nx + n) continue;
        size_t component = actio_points_component(pt, col);
        double d = dy[component] - (rate ? rate[component] * dt : 0);
        r[constraint[row - first]] += pt->jet[i * pt->lanes] * d;
    }
    for (size_t i = 0; dparam && i < by->count; i++)
        if (by->row[i] >= first && by->row[i] < first + count)
            r[constraint[by->row[i] - first]] += pt->param_jet[i * pt->lanes] * dparam[by->col[i]];
}

/* Rows that count for positions, or for velocities and states; redundant ones that were left out do not. */
static bool counts(const struct actio_points *pt, bool positions, size_t constraint)
{
    if (pt->dropped && pt->dropped[constraint] > 0) return false;
    bool holonomic = false;
    for (size_t i = 0; i < pt->h; i++) holonomic = holonomic || pt->sys->position_row[i] == constraint;
    return holonomic || !positions;
}

/* [S A'; A 0] with S the metric that --project has: the masses (their lower half) where they are positive, else 1. */
static void fill_nearest(const struct actio_points *pt, const double *values, bool positions, size_t size, double *K,
                         double *S)
{
    const struct actio_system *sys = pt->sys;
    size_t all = size + pt->p;
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] < size && sys->G.col[i] <= sys->G.row[i])
            K[sys->G.row[i] * all + sys->G.col[i]] = K[sys->G.col[i] * all + sys->G.row[i]] = values[i];
    for (size_t i = 0; i < size; i++) memcpy(S + i * size, K + i * all, size * sizeof *S);
    bool positive = actio_cholesky_factor(size, S) == 0;
    for (size_t i = 0; !positive && i < size; i++)
        for (size_t j = 0; j < size; j++) K[i * all + j] = i == j;
    for (size_t i = 0; i < sys->A.count; i++) {
        size_t row = sys->A.row[i], col = sys->A.col[i];
        if (col < size && counts(pt, positions, row))
            K[(size + row) * all + col] = K[col * all + size + row] = values[sys->G.count + i];
    }
}

/* The nearest change of `size` variables (all z, or positions) that takes residuals r away: S d + A' nu = 0, A d = -r.
 * */
static int nearest(struct actio_motion *m, const struct actio_points *pt, const double *values, bool positions,
                   const double *r, double *d)
{
    size_t size = positions ? pt->n : m->N, all = size + m->p;
    double *K = actio_alloc(m->ctx, all * all + actio_rank_work(all, all) + size * size + 2 * all + 1, sizeof *K),
           defect;
    int *iwork = actio_alloc(m->ctx, 2 * all + 1, sizeof *iwork);
    if (K && iwork) {
        double *S = K + all * all + actio_rank_work(all, all), *b = S + size * size, *x = b + all;
        fill_nearest(pt, values, positions, size, K, S);
        for (size_t k = 0; k < m->p; k++) b[size + k] = -r[k];
        actio_min_norm(all, all, K, b, 1e-11, x, &defect, K + all * all, iwork);
        memcpy(d, x, size * sizeof *d);
    }
    int bad = !K || !iwork;
    actio_free(m->ctx, K);
    actio_free(m->ctx, iwork);
    return bad;
}

/* A change of start data and params, put back on the constraints: positions, then velocities and states. values: MATRIX
 * at the start. */
static void project_change(struct actio_motion *m, const struct actio_points *pt, const double *values, double *dy,
                           const double *rate, double dt, const double *dparam)
{
    double *r = m->scratch.residual, *step = m->scratch.step;
    if (pt->h) {
        change_of_residuals(pt, true, dy, rate, dt, dparam, r);
        if (nearest(m, pt, values, true, r, step) == 0)
            for (size_t i = 0; i < pt->n; i++) dy[i] += step[i];
    }
    if (pt->p == 0) return;
    change_of_residuals(pt, false, dy, rate, dt, dparam, r);
    if (nearest(m, pt, values, false, r, step) == 0)
        for (size_t i = 0; i < m->N; i++) dy[pt->n + i] += step[i];
}

/* ---- params */

struct formulas {
    struct actio_model *m;
    actio_expr *param, *g;
};

/* d(e)/d(param k) in numbers, for all k. */
static void by_params(struct formulas *f, actio_expr e, double *out)
{
    actio_gradient(&f->m->pool, e, f->param, f->m->params, f->g);
    for (size_t k = 0; k < f->m->params; k++) out[k] = actio_model_number(f->m, f->g[k]);
}

/* What is made of params: start data (ny rows), t0, t1, and the params themselves (row i by param k: what i changes
 * when k is set). */
struct made {
    double *start, *t0, *t1, *param;
};

static void follow_definitions(struct actio_context *ctx, size_t n, const double *D, double *T)
{
    bool changed = true;
    for (size_t k = 0; k < n; k++) T[k * n + k] = 1;
    for (size_t round = 0; changed && round < n && !actio_stopped(ctx); round++) {
        changed = false;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                double sum = i == k;
                for (size_t j = 0; j < n && i != k; j++)
                    if (D[i * n + j] != 0) sum += D[i * n + j] * T[j * n + k];
                changed = changed || sum != T[i * n + k];
                T[i * n + k] = sum;
            }
    }
}

struct making {
    struct actio_problem *problem;
    struct made *made;
};

static void differentiate(void *user)
{
    struct making *w = user;
    struct actio_problem *problem = w->problem;
    struct actio_model *m = problem->model;
    size_t n = m->params, ny = problem->ny;
    struct formulas f = { m, actio_arena_array(&problem->arena, n + 1, sizeof(actio_expr)),
                          actio_arena_array(&problem->arena, n + 1, sizeof(actio_expr)) };
    for (uint32_t k = 0; k < n; k++) f.param[k] = actio_symbol(&m->pool, ACTIO_SPACE_PARAM, k);
    *w->made =
        (struct made){ actio_arena_array(&problem->arena, ny * n + 1, 8), actio_arena_array(&problem->arena, n + 1, 8),
                       actio_arena_array(&problem->arena, n + 1, 8), actio_arena_array(&problem->arena, n * n + 1, 8) };
    for (size_t i = 0; i < m->coords; i++) {
        by_params(&f, m->coord[i].start, w->made->start + i * n);
        by_params(&f, m->coord[i].start_dot, w->made->start + (m->coords + i) * n);
    }
    for (size_t i = 0; i < m->states; i++) by_params(&f, m->state[i].start, w->made->start + (2 * m->coords + i) * n);
    by_params(&f, m->time.t0_written, w->made->t0);
    by_params(&f, m->time.t1_written, w->made->t1);
    double *D = actio_arena_array(&problem->arena, n * n + 1, 8);
    for (size_t i = 0; i < n; i++) by_params(&f, m->param[i].definition, D + i * n);
    follow_definitions(problem->ctx, n, D, w->made->param);
}

/* ---- the gradient */

/* y' at a state. */
static int rates_at(struct actio_motion *m, double t, const double *y, double *rate)
{
    if (actio_motion_solve(m, t, y)) return 1;
    memcpy(rate, y + m->n, m->n * sizeof *rate);
    memcpy(rate + m->n, m->here.zdot, m->N * sizeof *rate);
    return 0;
}

/* From derivatives by the raw start (dy0) and by params only (dparam) to those that are shown: out has ny, then the
 * params. */
static void gradient_gather(struct actio_problem *problem, const struct actio_points *pt, const double *values,
                            const struct made *made, const double *dy0, const double *rate, const double *dparam,
                            double *change, double *out)
{
    struct actio_motion *m = &problem->motion;
    size_t ny = problem->ny, n = problem->model->params;
    double *single = change + ny, *partial = single + n;
    for (size_t i = 0; i < ny; i++) {
        memset(change, 0, ny * sizeof *change);
        change[i] = 1;
        project_change(m, pt, values, change, NULL, 0, NULL);
        out[i] = actio_dot(ny, dy0, change);
    }
    for (size_t k = 0; k < n; k++) {
        memset(single, 0, n * sizeof *single);
        single[k] = 1;
        for (size_t i = 0; i < ny; i++) change[i] = made->start[i * n + k];
        project_change(m, pt, values, change, rate, made->t0[k], single);
        partial[k] = dparam[k] + actio_dot(ny, dy0, change);
    }
    for (size_t k = 0; k < n; k++) {
        out[ny + k] = 0;
        for (size_t i = 0; i < n; i++) out[ny + k] += partial[i] * made->param[i * n + k];
    }
}

/* All columns' gradients by one march at a local tolerance; values too. */
static int gradients(struct actio_problem *problem, const struct made *made, double local, double *value, double *out)
{
    struct actio_motion *m = &problem->motion;
    struct actio_adjoint a;
    size_t ny = problem->ny, n = problem->model->params, width = ny + n;
    double t0 = problem->model->time.t0, t1 = problem->model->time.t1,
           *work = actio_alloc(problem->ctx, 4 * (ny + n + 2) + 2 * n + 1, sizeof *work);
    double *total = work, *dy0 = total ? total + width + 1 : NULL, *dparam = dy0 ? dy0 + ny : NULL,
           *rate = dparam ? dparam + n : NULL, *change = rate ? rate + ny : NULL;
    int bad = actio_adjoint_forward(&a, problem->ctx, m, t0, problem->y0, &t1, 1, local);
    if (!work) bad = ACTIO_MARCH_NO_MEMORY;
    for (size_t o = 0; !bad && o < m->sys->jets.observes; o++) {
        const double *end = a.state + ny;
        bad = actio_run_observe(m, o, t1, end, &value[o], total) || rates_at(m, t1, end, rate);
        if (bad) break;
        double by_t1 = actio_dot(ny, total, rate) + total[ny];
        memcpy(dparam, total + ny + 1, n * sizeof *dparam);
        bad = actio_adjoint_back(&a, 0, total, dy0, dparam) || rates_at(m, t0, problem->y0, rate);
        const double *values = bad ? NULL : actio_motion_values(m, t0, problem->y0);
        if (!values) {
            bad = 1;
            break;
        }
        double by_t0 = -actio_dot(ny, dy0, rate);
        for (size_t k = 0; k < n; k++) dparam[k] += by_t1 * made->t1[k] + by_t0 * made->t0[k];
        gradient_gather(problem, &a.slab->pt, values, made, dy0, rate, dparam, change, out + o * width);
    }
    actio_adjoint_close(&a);
    actio_free(problem->ctx, work);
    return bad;
}

/* The largest difference beside max(1, size) of each column's gradient; differences into `error`. */
static double gradient_compare(size_t count, const double *coarse, const double *fine, double *error)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        error[i] = fabs(fine[i] - coarse[i]) + 4 * DBL_EPSILON * fabs(fine[i]);
        worst = fmax(worst, error[i] / fmax(1, fabs(fine[i])));
    }
    return worst;
}

static int cannot(struct actio_problem *problem, const char *why)
{
    actio_report(problem->f, ACTIO_F_NO_GRADIENT, ACTIO_ARGS(ACTIO_TEXT(why)));
    return 1;
}

/* A column by its name; x' may stand for x_dot, a[3]' for a_dot[3]. */
static size_t column_named(const struct actio_system *sys, const char *name)
{
    char dotted[256];
    size_t length = strlen(name), c = 0;
    if (length > 1 && length < 240 && name[length - 1] == '\'') {
        const char *bracket = strchr(name, '[');
        size_t base = bracket ? (size_t)(bracket - name) : length - 1;
        memcpy(dotted, name, base);
        memcpy(dotted + base, "_dot", 4);
        memcpy(dotted + base + 4, name + base, length - 1 - base);
        dotted[length + 3] = 0;
        name = dotted;
    }
    while (c < sys->output.columns && strcmp(sys->output.column[c].name, name) != 0) c++;
    return c;
}

int actio_run_check_columns(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    if (o->gradients && problem->model->field.axes) return cannot(problem, "the model has fields");
    if (o->gradients && problem->model->resets.lines)
        return cannot(problem, "`when` and `every` set values at instants, whose derivatives it does not follow");
    if (o->gradients && problem->model->mixed.frees)
        return cannot(problem, "the start data are free; give them by `start`");
    for (size_t i = 0; i < o->gradients; i++)
        if (column_named(problem->sys, o->gradient[i]) == problem->sys->output.columns) {
            actio_report(problem->f, ACTIO_F_NO_COLUMN, ACTIO_ARGS(ACTIO_TEXT(o->gradient[i])));
            return 1;
        }
    return 0;
}

int actio_run_observed(struct actio_problem *problem, const char *const *name, size_t count, enum actio_code unknown)
{
    uint32_t *observed = actio_arena_array(&problem->arena, count + 1, sizeof *observed);
    for (size_t i = 0; i < count; i++) {
        size_t c = column_named(problem->sys, name[i]);
        if (c == problem->sys->output.columns) {
            actio_report(problem->f, unknown, ACTIO_ARGS(ACTIO_TEXT(name[i])));
            return 1;
        }
        observed[i] = (uint32_t)c;
    }
    problem->sys->jets.observed = observed;
    problem->sys->jets.observes = count;
    return actio_motion_need(&problem->motion, ACTIO_Q_OBSERVED);
}

static const char *gradient_objection(const struct actio_problem *problem)
{
    if (problem->projected)
        return "the start data were moved (onto constraints, or off a soft wall); give the moved data";
    if (problem->motion.history.changes > 1)
        return "the motion passes a switch (abs, sign, min, max, if), where it is not smooth";
    return NULL;
}

/* What is requested and has no value at the end; NULL: all have one. */
static const char *without_value(const struct actio_problem *problem, const struct actio_outcome *o)
{
    for (size_t i = 0; i < problem->sys->jets.observes && o->rows; i++)
        if (!isfinite(actio_outcome_column(o, problem->sys->jets.observed[i])[o->rows - 1]))
            return problem->options.gradient[i];
    return NULL;
}

int actio_run_gradient(struct actio_problem *problem, const struct actio_outcome *o, struct actio_run_gradient *out)
{
    size_t count = problem->options.gradients, width = problem->ny + problem->model->params, all = count * width;
    struct made made;
    const char *why = gradient_objection(problem);
    if (why) return cannot(problem, why);
    if (actio_run_observed(problem, problem->options.gradient, count, ACTIO_F_NO_COLUMN)) return 1;
    const char *none = without_value(problem, o);
    if (none)
        return cannot(problem, actio_arena_format(&problem->arena, "'%s' is not a finite number at the end", none));
    if (actio_attempt(problem->ctx, differentiate, &(struct making){ problem, &made })) return 1;
    *out = (struct actio_run_gradient){ .count = count, .width = width };
    double *block = actio_arena_array(&problem->arena, 2 * all + 2 * count + 1, sizeof *block), *coarse = block + all,
           tol = problem->options.local > 0 ? problem->options.local : problem->options.tol;
    out->derivative = block;
    out->value = coarse + all;
    out->error = coarse;
    double local = fmax(0.1 * tol, 1e-13), worst = INFINITY;
    int bad = gradients(problem, &made, local, out->value, coarse);
    for (int i = 0; !bad && i < MOST_RUNS && !(worst <= tol); i++) {
        local = fmax(1e-2 * local, 1e-15);
        bad = gradients(problem, &made, local, out->value, out->derivative);
        if (!bad) worst = gradient_compare(all, coarse, out->derivative, out->error);
        if (worst > tol && i + 1 < MOST_RUNS) memcpy(coarse, out->derivative, all * sizeof *coarse);
    }
    if (bad && actio_problem_report_limits(problem, bad, "the gradient")) return 1;
    if (bad)
        return cannot(problem, "the requested column is not unique at the end (multipliers of redundant constraints?), "
                               "or a slab's transposed equations are singular");
    if (worst > tol)
        actio_report(problem->f, ACTIO_F_GRADIENT_ROUGH, ACTIO_ARGS(ACTIO_NUMBER(tol), ACTIO_NUMBER(worst)));
    return 0;
}
