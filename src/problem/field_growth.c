/* SPDX-License-Identifier: Apache-2.0
 * How fast small changes of the start grow in a model with fields: the largest real part of the linearisation's
 * eigenvalues, with one number of nodes. */
#include "problem/field_shapes.h"
#include "algebra/periodic.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-4 /* of the largest eigenvalue: what differences leave of a real part that is 0 */

static int by_real_part(const void *a, const void *b)
{
    double x = ((const struct actio_multiplier *)a)->re, y = ((const struct actio_multiplier *)b)->re;
    return (x < y) - (x > y);
}

/* Of eigenvalues that fall together rounding makes a ring, as wide as it likes; their mean stays. A ring ends where the
 * largest gap of real parts is. */
static double mean_of_ring(const struct actio_multiplier *w, size_t n)
{
    size_t last = 0;
    double gap = 0, sum = 0;
    for (size_t i = 0; i + 1 < n && w[i].re >= 0.05 * w[0].re; i++)
        if (w[i].re - w[i + 1].re > gap) {
            gap = w[i].re - w[i + 1].re;
            last = i;
        }
    for (size_t i = 0; i <= last; i++) sum += w[i].re;
    return sum / (double)(last + 1);
}

/* nothing: a real part below it may be 0 */
struct growing {
    double *J, *copy, *y, *f, *work;
    struct actio_multiplier *w;
    int *iwork;
    size_t ny;
    double nothing;
};

/* The largest real part, and the mean of its ring, with entries off by `noise` of the largest. */
static bool eigenvalues(struct growing *g, double noise, double *most, double *mean)
{
    unsigned seed = 5;
    double radius = 0, size = 0;
    for (size_t i = 0; i < g->ny * g->ny; i++) size = fmax(size, fabs(g->J[i]));
    for (size_t i = 0; i < g->ny * g->ny; i++) g->copy[i] = g->J[i] + noise * size * actio_field_shaken(&seed);
    if (actio_periodic_eigen(g->ny, 1, g->copy, g->w, g->work, g->iwork)) return false;
    qsort(g->w, g->ny, sizeof *g->w, by_real_part);
    for (size_t i = 0; i < g->ny; i++) radius = fmax(radius, hypot(g->w[i].re, g->w[i].im));
    g->nothing = ROUNDING * radius;
    *most = g->w[0].re < g->nothing ? fmin(g->w[0].re, 0) : g->w[0].re;
    *mean = *most > 0 ? mean_of_ring(g->w, g->ny) : *most;
    return true;
}

static bool linearise(struct actio_problem *problem, struct growing *g)
{
    double t0 = problem->model->time.given ? problem->model->time.t0 : 0;
    actio_field_expect_rank(&problem->motion, t0, g->y);
    bool ok = actio_motion_begin(&problem->motion, t0, g->y) == 0;
    for (size_t i = 0; ok && i < g->ny; i++) {
        double x = g->y[i], h = 1e-5 * (1 + fabs(x));
        g->y[i] = x + h;
        ok = actio_motion_rhs(&problem->motion, t0, g->y, g->f) == 0;
        g->y[i] = x - h;
        ok = ok && actio_motion_rhs(&problem->motion, t0, g->y, g->f + g->ny) == 0;
        g->y[i] = x;
        for (size_t k = 0; ok && k < g->ny; k++) g->J[k * g->ny + i] = (g->f[k] - g->f[g->ny + k]) / (2 * h);
    }
    return ok;
}

static double growth_at_start(struct actio_problem *problem, struct growing *g)
{
    double most[2], mean[2];
    if (!actio_field_shape(problem, (struct actio_field_bend){ 0 }, g->y) || !linearise(problem, g)
        || !eigenvalues(g, 0, &most[0], &mean[0]) || !eigenvalues(g, 3e-10, &most[1], &mean[1]))
        return NAN;
    if (fabs(most[0] - most[1]) <= 1e-3 * fabs(most[0])) return most[0];
    if (fmax(most[0], most[1]) <= 0 && fmin(most[0], most[1]) > -g->nothing) return 0; /* rounding below 0 */
    return fabs(mean[0] - mean[1]) <= 1e-3 * fabs(mean[0]) ? mean[0] : NAN;            /* neither can be determined */
}

/* Largest real part of the linearisation's eigenvalues at the start, with this many cells; NAN: it could not be found.
 * */
double actio_field_growth(struct actio_problem *of, size_t cells)
{
    struct actio_field_trial t;
    struct growing g = { 0 };
    if (of->model->field.axes > ACTIO_FIELD_AXES) return NAN;
    bool ok = actio_field_trial_open(&t, of, cells, 0);
    size_t ny = g.ny = ok ? t.problem.ny : 0;
    g.J = ok ? actio_alloc(of->ctx, 2 * ny * ny + 3 * ny + actio_periodic_work(ny, 1) + 1, sizeof *g.J) : NULL;
    g.w = ok ? actio_alloc(of->ctx, ny + 1, sizeof *g.w) : NULL;
    g.iwork = ok ? actio_alloc(of->ctx, ny + 1, sizeof *g.iwork) : NULL;
    if (g.J) {
        g.copy = g.J + ny * ny;
        g.y = g.copy + ny * ny;
        g.f = g.y + ny;
        g.work = g.f + 2 * ny;
    }
    double growth = g.J && g.w && g.iwork ? growth_at_start(&t.problem, &g) : NAN;
    actio_free(of->ctx, g.J);
    actio_free(of->ctx, g.w);
    actio_free(of->ctx, g.iwork);
    actio_field_trial_close(&t);
    return growth;
}
