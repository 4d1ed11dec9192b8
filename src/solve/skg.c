/* SPDX-License-Identifier: Apache-2.0
 * The action marched slab by slab, behind the stepper's face: lengths by the jump between a slab's first node and its
 * data, which also rejects wrong branches; values inside from the nodes' polynomials.  [RH 7, SKG 3] */
#include "solve/law.h"
#include "solve/between.h"
#include "algebra/sbp.h"
#include "solve/adjoint.h"
#include "solve/slab.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_REJECTED = 60, LOOKS = 4 }; /* LOOKS: a slab looks at more times than a step of other steppers */

struct skg {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    struct actio_motion *m;
    struct actio_element e;
    struct actio_slab slab;
    double t, t_new, t_end, h, tol, begun; /* the last step: t -> t_new */
    size_t taken;
    bool rejected;
    double *block, *y0, *node, *weight; /* y0: data of the last slab; node: its states, k*ny + i */
    double *save, *gap;                 /* scratch; gaps of soft walls, at the start and the nodes */
    struct actio_march_stats stats;
};

static void skg_close(void *handle)
{
    struct skg *d = handle;
    if (!d) return;
    actio_slab_close(&d->slab);
    actio_element_close(&d->e);
    actio_free(d->ctx, d->block);
    actio_free(d->ctx, d);
}

/* Nodes of a Lobatto element: more for finer tolerances. */
static size_t nodes_for(double tol) { return tol >= 1e-6 ? 5 : tol >= 1e-8 ? 6 : tol >= 1e-11 ? 8 : 10; }

static int open_slab(struct skg *d, size_t nodes)
{
    struct actio_motion *m = d->m;
    int order = m->chosen.order;
    if (order) nodes = m->chosen.nodes ? m->chosen.nodes : order == 2 ? 8 : actio_sbp_least(order);
    else if (m->chosen.nodes) nodes = m->chosen.nodes;
    struct actio_shared shared = { m->here.param, m->here.mode, m->here.hidden };
    if (actio_element_open(&d->e, d->ctx, order, nodes) || actio_slab_open(&d->slab, d->ctx, m->sys, &d->e, shared))
        return 1;
    size_t all = m->ny * (nodes + 2) + nodes + (nodes + 1) * m->sys->walls.soft + 1;
    d->block = actio_alloc(d->ctx, all, sizeof *d->block);
    if (!d->block) return 1;
    d->y0 = d->block;
    d->node = d->y0 + m->ny;
    d->weight = d->node + m->ny * nodes;
    d->save = d->weight + nodes;
    d->gap = d->save + m->ny;
    return 0;
}

static void *skg_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct skg *d = actio_alloc(ctx, 1, sizeof *d);
    if (!d) return NULL;
    *d = (struct skg){ .ctx = ctx, .flow = flow, .m = flow->user, .stats.stepper = "skg" };
    d->m->rows.fixed = true;
    actio_between_refuse(d->m, true);
    if (open_slab(d, nodes_for(flow->accuracy)) || (d->m->sys->walls.soft && actio_motion_need(d->m, ACTIO_Q_GAPS))) {
        skg_close(d);
        return NULL;
    }
    return d;
}

static const double *states_of(const struct skg *d, const double *y) { return y + 2 * d->m->n; }

/* Redundant constraints: those that count from here on. */
static void choose_rows(struct skg *d, double t)
{
    struct actio_points *pt = &d->slab.pt;
    if (!pt->dropped) return;
    pt->t[0] = t;
    for (size_t i = 0; i < pt->nx; i++) pt->x[i * pt->lanes] = d->slab.x0[i];
    for (size_t i = 0; i < pt->n; i++) pt->z[i * pt->lanes] = d->slab.v0[i];
    actio_points_choose(pt, d->m->rows.rank);
}

static void put_data(struct skg *d, double t, const double *y)
{
    size_t n = d->m->n;
    double *x = d->slab.x0;
    memcpy(x, y, n * sizeof *y);
    memcpy(x + n, states_of(d, y), d->m->m * sizeof *y);
    actio_slab_data(&d->slab, t, x, y + n);
    choose_rows(d, t);
}

static void skg_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct skg *d = handle;
    double span = t_end - t, fastest = 0;
    (void)atol;
    d->t = d->t_new = d->begun = t;
    d->t_end = t_end;
    d->tol = rtol;
    d->taken = 0;
    d->rejected = false;
    put_data(d, t, y);
    for (size_t i = 0; i < d->m->n; i++) fastest = fmax(fastest, fabs(y[d->m->n + i]) / (1 + fabs(y[i])));
    d->h = copysign(fmin(fabs(span), fmin(0.05 * fabs(d->m->span), 0.2 / fmax(fastest, 1e-3))), span);
    if (d->flow->first > 0) d->h = copysign(fmin(fabs(span), d->flow->first), span);
    if (d->m->chosen.slabs) d->h = span / fmax(1, round((double)d->m->chosen.slabs * fabs(span / d->m->span)));
    d->stats.restarts++;
}

/* The jump at the start beside the tolerance; below rounding it says nothing.  [SKG 3.5] */
static double error_of(const struct skg *d)
{
    const struct actio_points *pt = &d->slab.pt;
    double worst = 0;
    for (size_t i = 0; i < pt->nx + pt->n; i++) {
        bool velocity = i >= pt->nx;
        double datum = velocity ? d->slab.v0[i - pt->nx] : d->slab.x0[i],
               node = velocity ? pt->v[(i - pt->nx) * pt->lanes] : pt->x[i * pt->lanes];
        double size = 1 + fabs(datum), jump = (fabs(node - datum) - 32 * DBL_EPSILON * size) / (d->tol * size);
        if (jump > worst || isnan(jump)) worst = jump;
    }
    return worst;
}

static int flow_status(int slab)
{
    static const int status[] = { [ACTIO_SLAB_DONE] = ACTIO_FLOW_OK,
                                  [ACTIO_SLAB_NO_NUMBER] = ACTIO_FLOW_NAN,
                                  [ACTIO_SLAB_SINGULAR] = ACTIO_FLOW_SINGULAR,
                                  [ACTIO_SLAB_DIVERGED] = ACTIO_FLOW_FAILED };
    return status[slab];
}

static int skg_solve(struct skg *d, double h)
{
    actio_slab_guess(&d->slab, h);
    int bad = actio_slab_solve(&d->slab, h, d->m->chosen.slabs ? 1e-16 : fmax(1e-15, 1e-4 * d->tol));
    d->stats.rhs += d->e.nodes * (d->slab.iterations + 2);
    d->m->evaluations += d->e.nodes * (d->slab.iterations + 2);
    return bad;
}

static void keep_start(struct skg *d)
{
    size_t n = d->m->n;
    memcpy(d->y0, d->slab.x0, n * sizeof *d->y0);
    memcpy(d->y0 + n, d->slab.v0, n * sizeof *d->y0);
    memcpy(d->y0 + 2 * n, d->slab.x0 + n, d->m->m * sizeof *d->y0);
}

static bool is_wrong_branch(const struct skg *d)
{
    size_t nodes = d->e.nodes;
    double size = 0, jump = 0;
    for (size_t i = 0; i < d->m->n; i++) {
        const double *v = d->slab.pt.v + i * nodes;
        for (size_t k = 0; k < nodes; k++) size = fmax(size, fabs(v[k]));
        jump = fmax(jump, fabs(v[0] - d->slab.v0[i]));
    }
    return jump > ACTIO_WRONG_BRANCH * size;
}

/* The nodes' states as the known ones, for values inside. */
static void keep_nodes(struct skg *d)
{
    const struct actio_points *pt = &d->slab.pt;
    size_t n = pt->n, lanes = pt->lanes, ny = d->m->ny;
    for (size_t k = 0; k < lanes; k++) {
        double *y = d->node + k * ny;
        for (size_t i = 0; i < n; i++) {
            y[i] = pt->x[i * lanes + k];
            y[n + i] = pt->v[i * lanes + k];
        }
        for (size_t i = 0; i < pt->m; i++) y[2 * n + i] = pt->x[(n + i) * lanes + k];
    }
}

/* How much longer the next slab may be. */
static double growth(const struct skg *d, double error)
{
    double factor = error > 0 ? 0.9 * pow(error, -1 / d->e.jump_order) : 5;
    return fmax(0.2, fmin(factor, d->rejected ? 1 : 4));
}

/* Do neighbouring nodes step over a soft wall? Or did the motion get through one?  [SKG 3.6] */
static bool skips_wall(struct skg *d)
{
    const struct actio_system *sys = d->m->sys;
    const struct actio_points *pt = &d->slab.pt;
    double *gap = d->gap, sigma = sys->walls.sigma;
    for (size_t k = 0; k <= pt->lanes && sys->walls.soft; k++, gap += sys->walls.soft) {
        const double *y = d->y0;
        if (k) {
            for (size_t i = 0; i < pt->n; i++) d->save[i] = pt->x[i * pt->lanes + k - 1];
            y = d->save; /* gaps know positions only */
        }
        memcpy(gap, actio_motion_quantity(d->m, ACTIO_Q_GAPS, k ? pt->t[k - 1] : d->t, y),
               sys->walls.soft * sizeof *gap);
        for (size_t i = 0; k && i < sys->walls.soft; i++) {
            double now = gap[i], before = gap[i - sys->walls.soft];
            if (fabs(now - before) > 1.5 * sigma && (fmin(fabs(now), fabs(before)) < 6 * sigma || now * before < 0))
                return true;
        }
    }
    return false;
}

static bool is_through(struct skg *d)
{
    const struct actio_system *sys = d->m->sys;
    const double *gap = d->gap + d->e.nodes * sys->walls.soft; /* at the last node */
    for (size_t i = 0; i < sys->walls.soft; i++)
        if (gap[i] < -6 * sys->walls.sigma) {
            d->m->halted.why = ACTIO_STOP_TUNNEL;
            d->m->halted.by = i;
            return true;
        }
    return false;
}

static double length_here(const struct skg *d)
{
    double h = d->h, left = d->t_end - d->t;
    return fabs(h) >= (1 - 1e-9) * fabs(left) ? left : fabs(h) > 0.5 * fabs(left) ? 0.5 * left : h;
}

/* Fields keep holonomic constraints by their rates within a slab: positions are put back on them at its end. */
static void put_back(struct skg *d, double *y)
{
    if (d->flow->project(d->flow->user, d->t_new, y)) return;
    put_data(d, d->t_new, y);
    d->slab.have_last = true; /* what it is extrapolated from is still there */
}

static void accept(struct skg *d, double *t, double *y)
{
    size_t ny = d->m->ny, last = d->e.nodes - 1;
    keep_nodes(d);
    if (d->m->chosen.tape) actio_tape_note(d->m->chosen.tape, &d->slab);
    actio_slab_pass(&d->slab, d->t_new);
    choose_rows(d, d->t_new);
    memcpy(y, d->node + last * ny, ny * sizeof *y);
    if (d->m->sys->field.axes && d->flow->project) put_back(d, y);
    *t = d->t_new;
    d->stats.steps++;
    d->taken++;
    if (d->stats.steps == 2) d->stats.early = fabs(d->slab.h);
}

/* Slabs of given length: nothing is required of the jump. */
static int step_given(struct skg *d, double *t, double *y)
{
    d->t = d->t_new;
    d->t_new = fabs(d->t_end - d->t) <= 1.000001 * fabs(d->h) ? d->t_end : d->begun + (double)(d->taken + 1) * d->h;
    keep_start(d);
    int bad = skg_solve(d, d->t_new - d->t);
    if ((bad == ACTIO_SLAB_DIVERGED || (!bad && is_wrong_branch(d))) && d->slab.have_last) {
        d->slab.have_last = false;
        bad = skg_solve(d, d->t_new - d->t);
    }
    if (bad == ACTIO_SLAB_DIVERGED || (!bad && is_wrong_branch(d))) {
        d->m->halted.why = ACTIO_STOP_SLAB;
        return ACTIO_FLOW_FAILED;
    }
    if (bad) return flow_status(bad);
    accept(d, t, y);
    return ACTIO_FLOW_OK;
}

/* A slab of length h from the data; its jump beside the tolerance. A slab status. */
static int try_length(struct skg *d, double h, double *error)
{
    d->t_new = h == d->t_end - d->t ? d->t_end : d->t + h;
    int bad = skg_solve(d, d->t_new - d->t);
    *error = bad ? 0 : error_of(d);
    return bad;
}

/* The next length after an accepted slab of length h. longer: the length tried before, if its error was rounding, which
 * falls with the length of the slab; else 0. */
static void choose_next(struct skg *d, double h, double error, double longer)
{
    double longest = LOOKS * d->flow->pacing.longest, factor = growth(d, error);
    double next = h * (d->slab.iterations > 9 ? fmin(1, factor) : factor);
    if (fabs(h) >= fabs(d->h) || fabs(next) < fabs(d->h)) d->h = next;
    if (longer != 0) d->h = 2 * longer;
    if (longest > 0 && factor >= 4 && fabs(d->h) > longest) d->h = copysign(fmax(longest, fabs(h)), h);
}

static int skg_step(void *handle, double *t, double *y)
{
    struct skg *d = handle;
    if (d->m->chosen.slabs) return step_given(d, t, y);
    d->t = d->t_new;
    keep_start(d);
    double before = INFINITY, longer = 0, error;
    for (int tries = 0; tries < MOST_REJECTED; tries++) {
        double h = length_here(d);
        if (!(fabs(h) > 4 * DBL_EPSILON * fmax(fabs(d->t), fabs(d->m->span)))) return ACTIO_MARCH_STEP_TO_ZERO;
        int bad = try_length(d, h, &error);
        bool rounding = !bad && error > 1 && error > 0.5 * before && error < 1000; /* shorter was no better */
        if (rounding) error = 1;
        if (!bad && error <= 1 && skips_wall(d)) bad = ACTIO_SLAB_DIVERGED;
        if (!bad && error <= 1) {
            if (is_through(d)) return ACTIO_FLOW_FAILED;
            accept(d, t, y);
            choose_next(d, h, error, rounding ? longer : 0);
            d->rejected = false;
            return ACTIO_FLOW_OK;
        }
        d->h = h * (bad ? 0.3 : growth(d, error));
        before = bad ? INFINITY : error;
        longer = h;
        d->rejected = true;
        d->stats.rejected++;
    }
    return ACTIO_MARCH_STEP_TO_ZERO;
}

static void skg_dense(void *handle, double t, double *y)
{
    struct skg *d = handle;
    double h = d->t_new - d->t, jump;
    size_t ny = d->m->ny, nodes = d->e.nodes;
    actio_element_weigh(&d->e, h != 0 ? (t - d->t) / h : 1, d->weight, &jump);
    for (size_t i = 0; i < ny; i++) {
        double sum = -jump * (d->node[i] - d->y0[i]);
        for (size_t k = 0; k < nodes; k++) sum += d->weight[k] * d->node[k * ny + i];
        y[i] = sum;
    }
}

/* The last slab again, shorter: as exact as a slab's end. */
static int skg_retake(void *handle, double t, double *y)
{
    struct skg *d = handle;
    put_data(d, d->t, d->y0);
    int bad = skg_solve(d, t - d->t);
    if (bad) return flow_status(bad);
    d->t_new = t;
    keep_nodes(d);
    memcpy(y, d->node + (d->e.nodes - 1) * d->m->ny, d->m->ny * sizeof *y);
    return ACTIO_FLOW_OK;
}

static void skg_stats(void *handle, struct actio_march_stats *stats)
{
    *stats = ((struct skg *)handle)->stats;
    if (stats->restarts) stats->restarts--;
}

struct actio_slab *actio_skg_slab(void *handle) { return &((struct skg *)handle)->slab; }

const struct actio_stepper actio_skg = {
    .name = "skg",
    .uneven = true,
    .open = skg_open,
    .start = skg_start,
    .step = skg_step,
    .retake = skg_retake,
    .dense = skg_dense,
    .stats = skg_stats,
    .close = skg_close,
};
