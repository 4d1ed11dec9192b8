/* SPDX-License-Identifier: Apache-2.0
 * The dual action marched slab by slab, behind the stepper's face: what is handed on and shown are the nodal reactions.
 * Elements get their length from the tolerance, slabs theirs from the least eigenvalue of M.  [DUAL 1.4] */
#include "solve/dual.h"
#include "solve/between.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEGREE = 4, FIRST = 8, LONGEST = 32, LONGEST_GIVEN = 1024, MOST_TRIES = 60, MOST_ELEMENTS = 100000 };
/* part of x by which it may be away from continuous polynomials of degree 2 and more: beyond is not a motion */
#define SPURIOUS 0.1
#define SOUND 0.3         /* least eigenvalue of M below which a slab is taken shorter, */
#define EASY 0.8          /* and above which the next one is longer */
#define INTERPOLATED 30.0 /* and between elements to this one */
#define SAFETY 100.0      /* the error of an element is reported to about this factor */

struct dual {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    struct actio_motion *m;
    struct actio_dual *task;
    struct actio_dual_element e;
    struct actio_dual_slab slab;
    struct actio_dual_basing *basing;
    size_t most, elements, nodes, taken, fixed;   /* fixed: elements of each slab as requested, 0 = chosen */
    double t, t_new, t_end, begun, h, tol;        /* the last step: t -> t_new, in elements of length h */
    double *block, *y0, *y, *rate, *one, *weight; /* data; states and rates at the elements' ends; scratch */
    double error;
    bool rejected;
    struct actio_march_stats stats;
};

/* ---- opening */

static void dual_close(void *handle)
{
    struct dual *d = handle;
    if (!d) return;
    actio_dual_basing_close(d->basing);
    actio_dual_slab_close(&d->slab);
    actio_dual_element_close(&d->e);
    actio_free(d->ctx, d->block);
    actio_free(d->ctx, d);
}

static size_t degree_of(const struct actio_motion *m) { return m->chosen.order ? (size_t)m->chosen.order : DEGREE; }
static bool is_polynomial(const struct actio_motion *m)
{
    return m->chosen.dual->task.base == ACTIO_BASE_RK4 || m->chosen.dual->task.base == ACTIO_BASE_CONSTANT;
}

static size_t points_of(const struct actio_motion *m)
{
    size_t k = degree_of(m);
    return m->chosen.nodes ? m->chosen.nodes : is_polynomial(m) ? k + 1 : k + 4;
}

static bool is_whole(const struct actio_motion *m)
{
    return m->chosen.slabs ? m->chosen.slabs == 1 : m->chosen.grid > 0;
}

/* Room for the report of one slab. */
static int open_report(struct dual *d)
{
    struct actio_dual_report *reported = &d->task->reported;
    size_t k = d->e.k, nodes = d->most * k + 1, nx = d->slab.nx, ny = d->slab.nu - nx;
    actio_dual_close(d->ctx, d->task);
    *reported = (struct actio_dual_report){ .least = 1, .horizon = NAN, .degree = k };
    if (!is_whole(d->m)) return 0;
    reported->nx = nx;
    reported->ny = ny;
    reported->block = actio_alloc(d->ctx, nodes * (1 + nx) + d->most * k * ny + 1, sizeof *reported->block);
    if (!reported->block) return 1;
    reported->times = reported->block;
    reported->D = reported->times + nodes;
    reported->y = reported->D + nodes * nx;
    return actio_dual_element_open(&d->task->element, d->ctx, k, d->e.points);
}

static void *dual_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct dual *d = actio_alloc(ctx, 1, sizeof *d);
    struct actio_motion *m = flow->user;
    if (!d) return NULL;
    *d = (struct dual){ .ctx = ctx, .flow = flow, .m = m, .task = m->chosen.dual, .stats.stepper = "dual" };
    m->rows.fixed = true;
    actio_between_refuse(m, true);
    size_t slabs = m->chosen.slabs ? m->chosen.slabs : 1, k = degree_of(m), ny = m->ny;
    d->fixed = m->chosen.grid ? (m->chosen.grid + slabs - 1) / slabs : 0;
    d->most = d->fixed ? d->fixed : m->chosen.slabs ? LONGEST_GIVEN : LONGEST;
    struct actio_shared shared = { m->here.param, m->here.mode, m->here.hidden };
    if (actio_dual_element_open(&d->e, ctx, k, points_of(m))
        || actio_dual_slab_open(&d->slab, ctx, m->sys, &d->e, d->most, shared)) {
        dual_close(d);
        return NULL;
    }
    d->basing = actio_dual_basing_open(m, d->most, d->e.points);
    d->block = actio_alloc(ctx, ny * (2 * (d->most + 1) + 2) + 2 * (2 * k + 2) + d->slab.nu + d->slab.fo->base + ny,
                           sizeof *d->block);
    if (!d->basing || !d->block || open_report(d)) {
        dual_close(d);
        return NULL;
    }
    d->y0 = d->block;
    d->y = d->y0 + ny;
    d->rate = d->y + (d->most + 1) * ny;
    d->one = d->rate + (d->most + 1) * ny;
    d->weight = d->one + 2 * ny + d->slab.nu + d->slab.fo->base;
    d->elements = FIRST;
    return d;
}

void actio_dual_close(struct actio_context *ctx, struct actio_dual *d)
{
    actio_dual_element_close(&d->element);
    actio_free(ctx, d->reported.block);
    d->reported = (struct actio_dual_report){ 0 };
}

/* ---- starting */

static void take_data(struct dual *d, double t, const double *Y)
{
    if (!d->flow->unfold || d->flow->unfold(d->flow->user, t, Y, d->y0)) memcpy(d->y0, Y, d->flow->n * sizeof *Y);
}

static void dual_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct dual *d = handle;
    double span = t_end - t, fastest = 0;
    (void)atol;
    take_data(d, t, y);
    d->t = d->t_new = d->begun = t;
    d->t_end = t_end;
    d->tol = rtol;
    d->taken = 0;
    d->rejected = false;
    for (size_t i = 0; i < d->m->n; i++) fastest = fmax(fastest, fabs(d->y0[d->m->n + i]) / (1 + fabs(d->y0[i])));
    d->h = copysign(fmin(fabs(span), fmin(0.02 * fabs(d->m->span), 0.1 / fmax(fastest, 1e-3))) / 4, span);
    if (d->flow->first > 0) d->h = copysign(fmin(fabs(span), d->flow->first) / (double)d->elements, span);
    d->stats.restarts++;
}

/* ---- between the ends */

/* Lagrange's weights on nodes 0 .. width - 1 at s, and the sums of 1/(j - i). */
static void lagrange(size_t width, double s, double *weight, double *slope)
{
    for (size_t j = 0; j < width; j++) {
        weight[j] = 1;
        slope[j] = 0;
        for (size_t i = 0; i < width; i++) {
            if (i == j) continue;
            weight[j] *= (s - (double)i) / ((double)j - (double)i);
            slope[j] += 1 / ((double)j - (double)i);
        }
    }
}

static bool has_rates(const struct dual *d) { return d->task->task.choice.closure != ACTIO_CLOSURE_FREE; }
static size_t width_of(const struct dual *d) { return has_rates(d) ? d->e.k + 2 : 2 * d->e.k; }

/* Hermite's interpolation through the nearest ends, with rates; of a motion that has other rates, Lagrange's. `at` is
 * in elements. */
static void interpolate(const struct dual *d, double at, double h, size_t width, double *out)
{
    size_t ny = d->m->ny, N = d->nodes;
    double *weight = d->weight, *slope = weight + 2 * d->e.k + 2;
    if (width < 2) width = 2;
    if (width > N) width = N;
    double left = floor(at) - (double)((width - 1) / 2), most = (double)(N - width);
    size_t first = left <= 0 ? 0 : left >= most ? N - width : (size_t)left;
    lagrange(width, at - (double)first, weight, slope);
    memset(out, 0, ny * sizeof *out);
    for (size_t j = 0; j < width; j++) {
        double s = at - (double)(first + j), square = weight[j] * weight[j];
        const double *y = d->y + (first + j) * ny, *r = d->rate + (first + j) * ny;
        double by_value = has_rates(d) ? (1 - 2 * slope[j] * s) * square : weight[j],
               by_rate = has_rates(d) ? s * h * square : 0;
        for (size_t i = 0; i < ny; i++) out[i] += by_value * y[i] + by_rate * r[i];
    }
}

/* How wrong that is, at its worst in the first and the last element: by an interpolant through one end less, which is
 * ch^2 of so much worse. */
static double interpolation_error(struct dual *d, double h, double ch)
{
    size_t ny = d->m->ny, width = width_of(d);
    double worst = 0, w = (double)width, *other = d->one + ny,
           ratio = ch * ch * (w - 1.5) * (w - 1.5) / (2 * w * (2 * w - 1));
    if (width > d->nodes) return 0;
    for (int last = 0; last < 2; last++) {
        double at = last ? (double)d->nodes - 1.5 : 0.5;
        interpolate(d, at, h, width, d->one);
        interpolate(d, at, h, width - 1, other);
        for (size_t i = 0; i < ny; i++) worst = fmax(worst, fabs(d->one[i] - other[i]) / (1 + fabs(other[i])));
    }
    return INTERPOLATED * fmin(1, ratio) * worst;
}

/* ---- one slab */

static int flow_status(int dual)
{
    return dual == ACTIO_DUAL_DONE ? ACTIO_FLOW_OK : dual == ACTIO_DUAL_NO_NUMBER ? ACTIO_FLOW_NAN : ACTIO_FLOW_FAILED;
}

static void set_last(struct dual *d, double t_new)
{
    const double *last = d->task->task.last;
    bool at_end = t_new == d->t_end && last;
    for (size_t i = 0; i < d->slab.nx; i++) d->slab.last[i] = at_end ? last[i] : 0;
}

/* From the data at t over so many elements; *flow: why the base failed. A dual status. */
static int dual_solve(struct dual *d, double t_new, size_t elements, int *flow)
{
    struct actio_dual_slab *s = &d->slab;
    actio_dual_slab_place(s, d->t, (t_new - d->t) / (double)elements, elements);
    set_last(d, t_new);
    size_t before = d->m->evaluations;
    *flow = actio_dual_set_base(d->basing, s, d->y0);
    int status = *flow ? ACTIO_DUAL_NO_NUMBER : actio_dual_solve(s);
    if (actio_stopped(d->m->ctx)) *flow = ACTIO_FLOW_STOPPED;
    d->stats.rhs += d->m->evaluations - before + s->newton.maps * elements * s->e->points;
    if (!status && (actio_dual_judge(s) || !(s->found.least > 0))) status = ACTIO_DUAL_NOT_POSITIVE;
    if (!status && d->e.k > 1 && s->found.jump > SPURIOUS) status = ACTIO_DUAL_SPURIOUS;
    return status;
}

/* The ends' states and rates; and what Runge and Kutta's steps of order 4 say to them: c h, and with it the error of
 * elements of degree k. */
static int keep_ends(struct dual *d)
{
    const struct actio_dual_slab *s = &d->slab;
    size_t ny = d->m->ny, k = d->e.k;
    double worst = 0;
    memcpy(d->y, s->x, (s->elements + 1) * ny * sizeof *d->y);
    d->nodes = s->elements + 1;
    for (size_t e = 0; e < d->nodes; e++) {
        const double *y = d->y + e * ny, *rate = d->rate + e * ny;
        double t = s->t + s->h * (double)e;
        int status = actio_dual_rates(d->basing, t, y, d->rate + e * ny);
        if (!status && e < s->elements) status = actio_dual_rk4(d->basing, t, s->h, y, rate, d->one);
        if (status) return status;
        for (size_t i = 0; i < ny && e < s->elements; i++)
            worst = fmax(worst, fabs(d->one[i] - y[ny + i]) / (1 + fabs(y[i])));
    }
    double ratio = 1; /* k!/(2k)! */
    for (size_t j = k + 1; j <= 2 * k; j++) ratio /= (double)j;
    double order = (double)(2 * k + 1), ch = pow(120 * worst, 0.2);
    d->error = SAFETY * ratio * ratio / order * pow(ch, order) / d->tol;
    if (has_rates(d)) d->error = fmax(d->error, interpolation_error(d, s->h, ch) / d->tol);
    if (!(worst < 0.1)) d->error = fmax(d->error, 1e3);
    return ACTIO_FLOW_OK;
}

static void tell(struct dual *d)
{
    struct actio_dual_report *reported = &d->task->reported;
    const struct actio_dual_slab *s = &d->slab;
    size_t nodes = s->elements * d->e.k + 1;
    reported->slabs++;
    reported->elements += s->elements;
    reported->newton += s->newton.iterations;
    reported->action += s->found.action;
    reported->least = fmin(reported->least, s->found.least);
    reported->detector = fmax(reported->detector, s->found.detector);
    for (size_t i = 0; i < nodes * s->nx; i++) reported->largest = fmax(reported->largest, fabs(s->newton.z[i]));
}

/* The dual Hamiltonian at the elements' ends: its first value, and how far others are from it. */
static void tell_hamiltonian(struct dual *d)
{
    struct actio_dual_report *reported = &d->task->reported;
    struct actio_dual_slab *s = &d->slab;
    double *U = d->one + 2 * d->m->ny, *base = U + s->nu;
    for (size_t e = 0; e <= s->elements; e++) {
        double t = s->t + s->h * (double)e;
        actio_dual_unknowns_at(d->basing, t, d->y + e * s->nx, U);
        actio_dual_base_of(d->basing, t, s->end + e * s->nx, base);
        double value = actio_dual_hamiltonian(s, e, U, base);
        if (e == 0) {
            reported->hamiltonian = value;
            reported->drift = 0;
        }
        if (isnan(value)) reported->hamiltonian = reported->drift = NAN;
        reported->drift = isnan(reported->drift) ? NAN : fmax(reported->drift, fabs(value - reported->hamiltonian));
    }
}

/* One slab over the whole interval is kept. */
static void tell_whole(struct dual *d)
{
    struct actio_dual_report *reported = &d->task->reported;
    const struct actio_dual_slab *s = &d->slab;
    size_t k = d->e.k, nodes = s->elements * k + 1, points = d->e.points;
    if (!reported->block) return;
    reported->nodes = nodes;
    memcpy(reported->D, s->newton.z, nodes * s->nx * sizeof *reported->D);
    for (size_t a = 0; a < nodes; a++)
        reported->times[a] = s->t + s->h * (a == nodes - 1 ? (double)s->elements : (double)(a / k) + d->e.node[a % k]);
    memset(reported->y, 0, s->elements * k * reported->ny * sizeof *reported->y);
    for (size_t e = 0; e < s->elements; e++)
        for (size_t q = 0; q < points; q++)
            for (size_t l = 0; l < k; l++)
                for (size_t i = 0; i < reported->ny; i++)
                    reported->y[(e * k + l) * reported->ny + i] +=
                        d->e.weight[q] * d->e.P[q * k + l] * s->lane.U[(s->nx + i) * s->lanes + e * points + q];
}

static int accept(struct dual *d, double *t, double *Y)
{
    size_t ny = d->m->ny;
    tell(d);
    if (is_whole(d->m) && d->task->reported.slabs == 1) {
        tell_whole(d);
        tell_hamiltonian(d);
    } else d->task->reported.nodes = 0; /* a switch cut it: what there is of the others is not a whole */
    *t = d->t_new;
    memcpy(d->y0, d->y + (d->nodes - 1) * ny, ny * sizeof *d->y0);
    int status = ACTIO_FLOW_OK;
    if (d->flow->fold) status = d->flow->fold(d->flow->user, *t, d->y0, Y);
    else memcpy(Y, d->y0, ny * sizeof *Y);
    if (!status && d->flow->project && d->task->task.choice.closure != ACTIO_CLOSURE_FREE) {
        status = d->flow->project(d->flow->user, *t, Y);
        d->stats.projections++;
        take_data(d, *t, Y);
    }
    d->stats.steps++;
    d->taken++;
    if (d->stats.steps == 2) d->stats.early = fabs(d->t_new - d->t);
    return status;
}

static int fail(struct dual *d, int status, double t_new)
{
    struct actio_dual_report *reported = &d->task->reported;
    reported->status = status;
    reported->t = d->t;
    reported->length = fabs(t_new - d->t);
    d->m->halted.why = ACTIO_STOP_DUAL;
    return ACTIO_FLOW_FAILED;
}

/* ---- slabs of given length */

static int step_given(struct dual *d, double *t, double *Y)
{
    double span = d->m->span, length = span / (double)(d->m->chosen.slabs ? d->m->chosen.slabs : 1);
    int flow, status;
    d->t = d->t_new;
    d->t_new = fabs(d->t_end - d->t) <= 1.000001 * fabs(length) ? d->t_end : d->begun + (double)(d->taken + 1) * length;
    for (size_t elements = d->fixed ? d->fixed : FIRST;; elements *= 2) {
        status = dual_solve(d, d->t_new, elements, &flow);
        bool coarse = flow == ACTIO_FLOW_NAN && d->task->task.base == ACTIO_BASE_RK4;
        if (coarse && !d->fixed && 2 * elements <= d->most) continue;
        /* its steps leave all bounds, which the motion need not do */
        if (coarse) return fail(d, ACTIO_DUAL_NO_BASE, d->t_new);
        if (flow) return flow;
        if (!status && (flow = keep_ends(d))) return flow;
        if (d->fixed || 2 * elements > d->most || (!status && d->error <= 1)) break;
    }
    return status ? fail(d, status, d->t_new) : accept(d, t, Y);
}

/* ---- slabs by the tolerance */

static double growth(const struct dual *d)
{
    double factor = d->error > 0 ? 0.9 * pow(d->error, -1 / (double)(2 * d->e.k + 1)) : 5;
    return fmax(0.2, fmin(factor, d->rejected ? 1 : 2.5));
}

static double end_here(struct dual *d, size_t *elements)
{
    double left = d->t_end - d->t, h = d->h;
    if (d->flow->limit) {
        double most = d->flow->limit(d->flow->user, d->t, d->y0);
        if (most > 0 && fabs(h) * (double)*elements > most) h = copysign(most / (double)*elements, h);
    }
    double length = h * (double)*elements;
    if (fabs(length) >= (1 - 1e-9) * fabs(left)) {
        size_t enough = (size_t)ceil(fabs(left / h) - 1e-9), least = d->e.k + 1;
        *elements = enough < least ? least : enough;
        return d->t_end;
    }
    return d->t + (fabs(length) > 0.6 * fabs(left) ? 0.5 * left : length);
}

/* What follows a good slab: elements by their error, slabs by the least eigenvalue. */
static void plan(struct dual *d, double h, bool whole)
{
    double next = h * growth(d), longest = d->flow->pacing.longest / (double)FIRST * 4;
    if (whole || fabs(next) < fabs(d->h)) d->h = next;
    if (longest > 0 && growth(d) >= 2.5 && fabs(d->h) > longest) d->h = copysign(fmax(longest, fabs(h)), h);
    if (d->slab.found.least > EASY && d->elements < LONGEST)
        d->elements = d->elements + d->elements / 2 < LONGEST ? d->elements + d->elements / 2 : LONGEST;
    d->rejected = false;
}

/* After a slab that was not good: fewer elements where it was too long, else shorter ones. */
static void shrink(struct dual *d, size_t elements, double h, bool has_motion, bool too_long)
{
    size_t least = d->e.k + 1; /* elements: their interpolant is then no worse than their ends */
    if (too_long && elements > least) {
        d->elements = elements / 2 > least ? elements / 2 : least;
        d->h = h;
    } else d->h = h * (too_long || !has_motion ? 0.3 : growth(d));
    d->rejected = true;
    d->stats.rejected++;
}

static int dual_step(void *handle, double *t, double *Y)
{
    struct dual *d = handle;
    int status = 0, flow = 0;
    if (d->m->chosen.slabs || d->m->chosen.grid) return step_given(d, t, Y);
    d->t = d->t_new;
    if (d->task->reported.elements > MOST_ELEMENTS) return fail(d, ACTIO_DUAL_TOO_MANY, d->t + d->h);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        size_t elements = d->elements;
        d->t_new = end_here(d, &elements);
        double h = (d->t_new - d->t) / (double)elements;
        if (!(fabs(h) > 4 * DBL_EPSILON * fmax(fabs(d->t), fabs(d->m->span)))) break;
        status = dual_solve(d, d->t_new, elements, &flow);
        if (flow == ACTIO_FLOW_STOPPED) break;
        if (!status) flow = keep_ends(d);
        bool too_long = !flow && (status || d->slab.found.least < SOUND);
        if (!flow && !too_long && d->error <= 1) {
            plan(d, h, elements == d->elements && fabs(h) >= (1 - 1e-9) * fabs(d->h));
            return accept(d, t, Y);
        }
        shrink(d, elements, h, !flow, too_long);
    }
    double stuck = d->t_new;
    d->t_new = d->t;
    if (flow) return flow;
    return status ? fail(d, status, stuck) : ACTIO_MARCH_STEP_TO_ZERO;
}

/* ---- values inside */

static void dual_dense(void *handle, double t, double *Y)
{
    struct dual *d = handle;
    double h = d->nodes > 1 ? (d->t_new - d->t) / (double)(d->nodes - 1) : 1;
    interpolate(d, (t - d->t) / h, h, width_of(d), d->one);
    if (!d->flow->fold || d->flow->fold(d->flow->user, t, d->one, Y)) memcpy(Y, d->one, d->flow->n * sizeof *Y);
}

/* The last slab again, shorter. */
static int dual_retake(void *handle, double t, double *Y)
{
    struct dual *d = handle;
    size_t elements = d->nodes - 1;
    int flow;
    memcpy(d->y0, d->y, d->m->ny * sizeof *d->y0);
    int status = dual_solve(d, t, elements, &flow);
    if (flow) return flow;
    if (status || (status = keep_ends(d))) return flow_status(status);
    d->t_new = t;
    memcpy(d->y0, d->y + elements * d->m->ny, d->m->ny * sizeof *d->y0);
    if (!d->flow->fold || d->flow->fold(d->flow->user, t, d->y0, Y)) memcpy(Y, d->y0, d->flow->n * sizeof *Y);
    return ACTIO_FLOW_OK;
}

static void dual_stats(void *handle, struct actio_march_stats *stats)
{
    *stats = ((struct dual *)handle)->stats;
    if (stats->restarts) stats->restarts--;
}

void actio_dual_look(const struct actio_dual *d, double t, double *D, double *y)
{
    const struct actio_dual_report *reported = &d->reported;
    size_t k = d->element.k, elements = (reported->nodes - 1) / k;
    double N[ACTIO_DUAL_MOST_DEGREE + 1], P[ACTIO_DUAL_MOST_DEGREE],
        at = (t - reported->times[0]) / (reported->times[reported->nodes - 1] - reported->times[0]) * (double)elements;
    size_t e = at <= 0 ? 0 : at >= (double)elements ? elements - 1 : (size_t)at;
    actio_dual_shapes(&d->element, at - (double)e, N, NULL, P);
    for (size_t i = 0; D && i < reported->nx; i++) {
        D[i] = 0;
        for (size_t j = 0; j <= k; j++) D[i] += N[j] * reported->D[(e * k + j) * reported->nx + i];
    }
    for (size_t i = 0; y && i < reported->ny; i++) {
        y[i] = 0;
        for (size_t l = 0; l < k; l++) y[i] += P[l] * reported->y[(e * k + l) * reported->ny + i];
    }
}

const struct actio_stepper actio_dual = {
    .name = "dual",
    .uneven = true,
    .open = dual_open,
    .start = dual_start,
    .step = dual_step,
    .retake = dual_retake,
    .dense = dual_dense,
    .stats = dual_stats,
    .close = dual_close,
};
