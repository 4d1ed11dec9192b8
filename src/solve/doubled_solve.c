/* SPDX-License-Identifier: Apache-2.0
 * A critical point of the doubled action: damped Newton's method on all unknowns of both sectors at once. At minus = 0
 * the Hessian is [0 J'; J 0] and the sectors go apart; away from there they do not, and the differences are driven to 0
 * by the same steps.  [SKG 1.0] */
#include "algebra/dense.h"
#include "solve/doubled.h"
#include "solve/grid.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 100, MOST_DENSE = 30, MOST_HALVINGS = 30 };
#define DEPENDENT 1e-10 /* rows of the Hessian shorter than this beside the others depend on them */

struct newton {
    struct actio_doubled *d;
    double *X, *g, *step, *values;
    struct actio_linear linear; /* where the critical point is unique */
    double *dense, *work;       /* where it is not */
    int *iwork;
};

/* What the other forms leave open are multipliers of constraints. */
static bool is_unique(const struct actio_doubled *d) { return d->form == ACTIO_ACTION_WEAK || d->p + d->h == 0; }

static int open_newton(struct newton *w)
{
    struct actio_doubled *d = w->d;
    size_t n = d->size;
    if (!is_unique(d) && n > ACTIO_ACTION_DENSE) return ACTIO_ACTION_TOO_LARGE;
    w->g = actio_alloc(d->ctx, n + 1, sizeof *w->g);
    w->step = actio_alloc(d->ctx, n + 1, sizeof *w->step);
    w->values = actio_alloc(d->ctx, d->hessian.count + 1, sizeof *w->values);
    if (!w->g || !w->step || !w->values) return ACTIO_GRID_STOPPED;
    if (is_unique(d)) {
        struct actio_pattern pattern = {
            .rows = n, .count = d->hessian.count, .i = d->hessian.i, .j = d->hessian.j, .symmetric = true
        };
        return actio_linear_open(&w->linear, d->ctx, &pattern) ? ACTIO_GRID_STOPPED : ACTIO_GRID_DONE;
    }
    w->dense = actio_alloc(d->ctx, n * n, sizeof *w->dense);
    w->work = actio_alloc(d->ctx, actio_rank_work(n, n), sizeof *w->work);
    w->iwork = actio_alloc(d->ctx, 2 * n, sizeof *w->iwork);
    return w->dense && w->work && w->iwork ? ACTIO_GRID_DONE : ACTIO_GRID_STOPPED;
}

static void close_newton(struct newton *w)
{
    void *part[] = { w->g, w->step, w->values, w->dense, w->work, w->iwork };
    actio_linear_close(&w->linear);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) actio_free(w->d->ctx, part[i]);
}

/* The step of the linearised equations; the shortest, if they leave a choice. */
static int find_step(struct newton *w)
{
    struct actio_doubled *d = w->d;
    size_t n = d->size;
    if (actio_doubled_hessian(d, w->X, w->values)) return ACTIO_GRID_NO_NUMBER;
    memcpy(w->step, w->g, n * sizeof *w->step);
    if (is_unique(d)) {
        int bad = w->linear.type->factor(w->linear.h, w->values);
        if (bad) return bad < 0 ? ACTIO_GRID_STOPPED : ACTIO_GRID_SINGULAR;
        w->linear.type->solve(w->linear.h, w->step, 1, false);
        return ACTIO_GRID_DONE;
    }
    double defect;
    memset(w->dense, 0, n * n * sizeof *w->dense);
    for (size_t e = 0; e < d->hessian.count; e++) w->dense[d->hessian.i[e] * n + d->hessian.j[e]] = w->values[e];
    actio_min_norm(n, n, w->dense, w->g, DEPENDENT, w->step, &defect, w->work, w->iwork);
    return ACTIO_GRID_DONE;
}

/* The largest step of a field beside its size. */
static double size_of_step(const struct newton *w)
{
    double worst = 0;
    for (size_t i = 0; i < w->d->slices; i++) {
        const struct actio_slice *s = &w->d->slice[i];
        double most = 0, size = 1;
        for (size_t k = s->first; k < s->first + s->count; k++) {
            if (!(fabs(w->step[k]) <= most)) most = fabs(w->step[k]);
            size = fmax(size, fabs(w->X[k]));
        }
        if (!(most / size <= worst)) worst = most / size;
    }
    return worst;
}

static void doubled_solve_advance(struct newton *w, double part)
{
    for (size_t i = 0; i < w->d->size; i++) w->X[i] -= part * w->step[i];
}

static int gradient(struct newton *w)
{
    struct actio_doubled *d = w->d;
    d->residual = INFINITY;
    if (actio_doubled_gradient(d, w->X, w->g)) return 1;
    d->residual = actio_norm(d->size, w->g);
    return !isfinite(d->residual);
}

/* As much of the step as shortens the gradient. */
static int damped_step(struct newton *w)
{
    struct actio_doubled *d = w->d;
    double before = d->residual, part = 1;
    int bad = find_step(w);
    if (bad) return bad;
    d->step = size_of_step(w);
    if (!isfinite(d->step)) return ACTIO_GRID_SINGULAR;
    doubled_solve_advance(w, 1);
    for (int i = 0;; i++) {
        bool sound = gradient(w) == 0;
        if (sound && (d->residual <= (1 - 1e-4 * part) * before || d->step * part <= 1e-9)) return ACTIO_GRID_DONE;
        if (i == MOST_HALVINGS) return sound ? ACTIO_GRID_DIVERGED : ACTIO_GRID_NO_NUMBER;
        part *= 0.5;
        doubled_solve_advance(w, -part);
    }
}

/* A short step is not a critical point where equations contradict each other: the gradient must be small beside what
 * the unknowns make of it. */
static bool is_critical(const struct newton *w, double first)
{
    double size = fmax(1, first);
    for (size_t i = 0; i < w->d->size; i++) size = fmax(size, fabs(w->X[i]));
    return w->d->residual <= 1e-9 * size;
}

static int doubled_solve_iterate(struct newton *w)
{
    struct actio_doubled *d = w->d;
    double before = INFINITY;
    if (gradient(w)) return ACTIO_GRID_NO_NUMBER;
    double first = d->residual;
    size_t most = is_unique(d) ? MOST_ITERATIONS : MOST_DENSE;
    for (d->iterations = 0; d->iterations < most; d->iterations++) {
        if (actio_stopped(d->ctx)) return ACTIO_GRID_STOPPED;
        int bad = damped_step(w);
        if (bad) return bad;
        if (d->step <= 1e-14 || (d->step <= 1e-10 && d->step > 0.1 * before))
            return is_critical(w, first) ? ACTIO_GRID_DONE : ACTIO_GRID_DIVERGED;
        before = d->step;
    }
    return ACTIO_GRID_DIVERGED;
}

int actio_doubled_solve(struct actio_doubled *d, double *X)
{
    struct newton w = { .d = d, .X = X };
    int status = open_newton(&w);
    if (!status) status = doubled_solve_iterate(&w);
    close_newton(&w);
    return status;
}
