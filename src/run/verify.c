/* SPDX-License-Identifier: Apache-2.0
 * Proof on demand: the full doubled system on a grid, started with differences that do not vanish; and how the error
 * falls with the number of points, on this very model, against slabs at the finest tolerance.  [SKG 1.0, 4.1, 4.2] */
#include "run/verify.h"
#include "solve/grid_run.h"

#include <math.h>
#include <string.h>

/* points, where none are requested, at least and at most; grids, each twice as fine as the one before */
enum { FEW = 64, MANY = 2048, ROWS = 3, TRIES = 6, MOST_UNKNOWNS = 8000 };
#define RANDOM 0.3   /* size of the differences at the start; a tenth of it where that leads elsewhere */
#define FINEST 1e-13 /* local tolerance of the reference */

/* -1 .. 1, the same in every run. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

/* ---- the doubled system */

/* The plus sector from the reduced solution, the minus one at random. */
static void fill_fields(const struct actio_grid *g, const struct actio_doubled *d, double size, double *X)
{
    uint64_t seed = 1;
    size_t N = g->points, nx = g->pt.nx, sector = d->sector * N;
    memset(X, 0, d->size * sizeof *X);
    for (size_t k = 0; k < N; k++) {
        for (size_t i = 0; i < nx; i++) X[i * N + k] = g->x[k * nx + i];
        for (size_t i = nx; i < d->sector; i++) X[i * N + k] = g->z[k * g->pt.nz + i];
    }
    for (size_t i = 0; i < sector; i++) X[sector + i] = size * uniform(&seed);
}

static void verify_measure(const struct actio_grid *g, struct actio_doubled *d, const double *X, double *gradient,
                           struct actio_proof *v)
{
    size_t N = g->points, nx = g->pt.nx, sector = d->sector * N;
    double S = NAN;
    actio_doubled_value(d, X, &S);
    v->action = fabs(S);
    v->gradient = v->minus = v->minus_multipliers = v->apart = 0;
    if (actio_doubled_gradient(d, X, gradient)) v->gradient = INFINITY;
    for (size_t i = 0; i < d->size; i++) v->gradient = fmax(v->gradient, fabs(gradient[i]));
    for (size_t i = 0; i < sector; i++)
        *(i < nx * N ? &v->minus : &v->minus_multipliers) =
            fmax(i < nx * N ? v->minus : v->minus_multipliers, fabs(X[sector + i]));
    for (size_t k = 0; k < N; k++)
        for (size_t i = 0; i < nx; i++) v->apart = fmax(v->apart, fabs(X[i * N + k] - g->x[k * nx + i]));
}

static int prove(struct actio_problem *problem, struct actio_grid *g, struct actio_proof *v)
{
    struct actio_doubled d;
    struct actio_doubled_task task = { ACTIO_ACTION_WEAK,  g->order,           g->points, g->t0, g->t1, g->x0, g->v0,
                                       g->pt.shared.param, g->pt.shared.hidden };
    if (actio_doubled_open(&d, problem->ctx, problem->sys, &task)) return 1;
    double *X = actio_alloc(problem->ctx, 2 * d.size + d.p + d.h + 1, sizeof *X);
    int bad = !X || actio_doubled_data(&d, X + 2 * d.size);
    bool found = false; /* far away there are other critical points, with paths that do not coincide */
    v->started = RANDOM;
    for (int i = 0; !bad && !found && i < TRIES && !actio_stopped(problem->ctx); i++, v->started *= found ? 1 : 0.1) {
        fill_fields(g, &d, v->started, X);
        found = actio_doubled_solve(&d, X) == 0;
        v->proved = g->points;
        v->unknowns = d.size;
        v->iterations = d.iterations;
        verify_measure(g, &d, X, X + d.size, v);
        found = found && v->minus < 1e-3 * v->started;
    }
    bad = bad || !found;
    actio_free(problem->ctx, X);
    actio_doubled_close(&d);
    return bad;
}

/* ---- convergence */

/* States at the nodes of the coarsest grid, by slabs. */
static int find_reference(struct actio_problem *problem, const struct actio_aim *aim, const double *times,
                          size_t points, double *y)
{
    struct actio_motion *m = &problem->motion;
    struct actio_march_task task = { .stepper = &actio_skg,
                                     .t0 = aim->t0,
                                     .t1 = aim->t1,
                                     .rtol = FINEST,
                                     .atol = FINEST,
                                     .y0 = aim->y0,
                                     .rows = { { points, times, y, points } } };
    struct actio_march_result end = { 0 };
    m->flow.accuracy = FINEST;
    m->flow.first = 0;
    return actio_motion_begin(m, aim->t0, aim->y0) || actio_march(problem->ctx, &m->flow, &task, &end);
}

/* Errors of positions and states at the coarsest grid's nodes, which all grids have. */
static void verify_compare(const struct actio_grid *g, const double *y, size_t points, struct actio_proof_row *row)
{
    size_t n = g->pt.n, nx = g->pt.nx, every = (g->points - 1) / (points - 1);
    row->points = g->points;
    row->error = row->end = 0;
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < points; k++) {
            double e = fabs(g->x[k * every * nx + i] - y[(i < n ? i : n + i) * points + k]);
            row->error = fmax(row->error, e);
            if (k + 1 == points) row->end = fmax(row->end, e);
        }
}

static double order_seen(double coarse, double fine) { return fine > 1e-12 && coarse > 0 ? log2(coarse / fine) : NAN; }

static int on_grid(struct actio_problem *problem, const struct actio_aim *aim, size_t points, int order,
                   struct actio_grid *g)
{
    struct actio_grid_report reported;
    return actio_grid_find(problem->ctx, &problem->motion, aim, points, order, g, &reported) || reported.status;
}

/* The doubled system of a large grid would take long: fewer points prove it as well. */
static int prove_coarser(struct actio_problem *problem, const struct actio_aim *aim, struct actio_proof *v)
{
    struct actio_grid g = { 0 };
    size_t fields = problem->sys->n + problem->sys->m + problem->sys->p + problem->sys->holonomic,
           points = MOST_UNKNOWNS / 2 / fields;
    int bad = on_grid(problem, aim, points < FEW ? FEW : points, v->order, &g) || prove(problem, &g, v);
    actio_grid_close(&g);
    return bad;
}

static int verify_on(struct actio_problem *problem, const struct actio_aim *aim, size_t points, struct actio_proof *v)
{
    *v = (struct actio_proof){ .order = problem->options.order ? problem->options.order : 4 };
    double *times = actio_alloc(problem->ctx, points * (problem->ny + 1) + 1, sizeof *times),
           *y = times ? times + points : NULL;
    int bad = times == NULL;
    for (size_t k = 0; !bad && k < points; k++)
        times[k] = k + 1 == points ? aim->t1 : aim->t0 + (aim->t1 - aim->t0) * ((double)k / (double)(points - 1));
    bad = bad || find_reference(problem, aim, times, points, y);
    for (size_t i = 0; !bad && i < ROWS; i++) {
        struct actio_grid g = { 0 };
        bad = on_grid(problem, aim, ((points - 1) << i) + 1, v->order, &g);
        if (!bad) verify_compare(&g, y, points, &v->row[i]);
        bool small = i == 0 && 2 * g.points * (g.pt.nx + g.pt.p + g.pt.h) <= MOST_UNKNOWNS;
        bad = bad || (small && prove(problem, &g, v));
        actio_grid_close(&g);
        if (!bad && i == 0 && !small) bad = prove_coarser(problem, aim, v);
    }
    actio_free(problem->ctx, times);
    const struct actio_proof_row *r = v->row;
    v->rate = order_seen(r[1].error, r[2].error);
    v->rate_end = order_seen(r[1].end, r[2].end);
    if (isnan(v->rate_end)) v->rate_end = order_seen(r[0].end, r[1].end);
    return bad;
}

int actio_run_verify(struct actio_problem *problem, const struct actio_aim *aim, struct actio_proof *v)
{
    size_t points = problem->options.grid ? problem->options.grid : FEW;
    while (verify_on(problem, aim, points, v)) {
        if (problem->options.grid || problem->sys->is.droppable || points >= MANY || actio_stopped(problem->ctx)) {
            actio_report(problem->f, ACTIO_F_NO_PROOF, ACTIO_ARGS(ACTIO_COUNT(points)));
            return 1;
        }
        points *= 2;
    }
    return 0;
}
