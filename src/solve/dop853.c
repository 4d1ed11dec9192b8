/* SPDX-License-Identifier: Apache-2.0
 * The built-in stepper for problems that are not stiff: Dormand-Prince 8(5,3) with 7th-order dense output. Step
 * control,
 * error norm and stiffness test follow Hairer, Norsett and Wanner; sums over steps are compensated. */
#include "solve/dop853.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_GROWTH 10.0 /* of a step over the one before */

/* y_new + low_new = y + low + h * sum, the part that y_new cannot hold kept in low_new (two-sum). */
INLINE void stage_sum(double *b, size_t stride, size_t padded, double h)
{
    for (size_t i = 0; i < padded; i += 2) {
        pair y = load(b + V_Y * stride + i);
        pair step = moved(b + i, stride, &table[ROW_SUM], h, load(b + V_LOW * stride + i));
        pair sum = y + step, part = sum - y;
        store(b + V_NEW * stride + i, sum);
        store(b + V_NEW_LOW * stride + i, (y - (sum - part)) + (step - part));
    }
}

/* A step of a long state takes long: then each stage polls. */
INLINE bool stopped(const struct dop853 *d, size_t stride) { return stride != SHORT && actio_stopped(d->ctx); }

/* Stages 1 to 11 and the new point. Written out, so that every row of the table becomes constants. */
INLINE int all_stages(struct dop853 *d, size_t stride, double h)
{
    int bad;
#define STAGE(row)                                                                                                     \
    if ((bad = stopped(d, stride) ? ACTIO_FLOW_STOPPED : stage(d, stride, row, h)) != 0) return d->stats.rhs += row, bad
    STAGE(1);
    STAGE(2);
    STAGE(3);
    STAGE(4);
    STAGE(5);
    STAGE(6);
    STAGE(7);
    STAGE(8);
    STAGE(9);
    STAGE(10);
    STAGE(11);
#undef STAGE
    d->stats.rhs += 11;
    stage_sum(d->block, stride, d->padded, h);
    return 0;
}

/* Hairer's combination of the estimators of orders 5 and 3; NAN when the new point is not finite. */
INLINE double error_norm(struct dop853 *d, size_t stride, double h)
{
    double *b = d->block;
    const quad_mask digits = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };
    quad e5 = { 0, 0, 0, 0 }, e3 = e5, bad = e5;
    for (size_t i = 0; i < d->padded; i += GROUP) {
        quad y_new = *(const quad *)(b + V_NEW * stride + i), y = *(const quad *)(b + V_Y * stride + i), x, z;
        quad_mask x_bits = (quad_mask)y & digits, z_bits = (quad_mask)y_new & digits,
                  first = (quad_mask)((quad)x_bits > (quad)z_bits);
        quad size = (quad)((x_bits & first) | (z_bits & ~first));
        quad inverse = 1.0 / (*(const quad *)(b + V_FLOOR * stride + i) + d->rtol * size);
        weighted(b + i, stride, ROW_ERROR5, &x);
        weighted(b + i, stride, ROW_ERROR3, &z);
        x *= inverse;
        z *= inverse;
        *(quad *)(b + V_INVERSE * stride + i) = inverse;
        e5 += x * x;
        e3 += z * z;
        bad += 0.0 * y_new;
    }
    double sum5 = (e5[0] + e5[1]) + (e5[2] + e5[3]), sum3 = (e3[0] + e3[1]) + (e3[2] + e3[3]),
           below = sum5 + 0.01 * sum3;
    if (bad[0] + bad[1] + bad[2] + bad[3] != 0) return NAN;
    return below == 0 ? 0 : fabs(h) * sum5 / sqrt(below * (double)d->n);
}

/* Differences of the last two evaluations at t + h estimate the largest eigenvalue; returns (h lambda)^2. */
INLINE double stiffness(const double *b, size_t stride, size_t padded, double h)
{
    pair above = { 0, 0 }, below = { 0, 0 };
    for (size_t i = 0; i < padded; i += 2) {
        pair inverse = load(b + V_INVERSE * stride + i);
        pair f = (load(b + STAGE_NEW * stride + i) - load(b + 11 * stride + i)) * inverse;
        pair y = (load(b + V_NEW * stride + i) - load(b + V_ARG * stride + i)) * inverse;
        above += f * f;
        below += y * y;
    }
    double size = below[0] + below[1];
    return size > 0 ? h * h * (above[0] + above[1]) / size : 0;
}

CLONED static int try_step(struct dop853 *d, double h)
{
    return d->stride == SHORT ? all_stages(d, SHORT, h) : all_stages(d, d->stride, h);
}

CLONED static double error_of(struct dop853 *d, double h)
{
    return d->stride == SHORT ? error_norm(d, SHORT, h) : error_norm(d, d->stride, h);
}

static void copy(const struct dop853 *d, size_t to, size_t from)
{
    const double *a = vector(d, from);
    double *b = vector(d, to);
    for (size_t i = 0; i < d->padded; i += 2) store(b + i, load(a + i));
}

/* Projects the new point. What the sum could not hold is forgotten where the projection has moved the value. */
static int dop853_project(struct dop853 *d)
{
    if (!d->flow->project) return 0;
    double *y = vector(d, V_NEW), *low = vector(d, V_NEW_LOW), *before = vector(d, V_POLY);
    copy(d, V_POLY, V_NEW);
    d->stats.projections++;
    int bad = d->flow->project(d->flow->user, d->t_new, y);
    for (size_t i = 0; i < d->n; i++)
        if (y[i] != before[i]) low[i] = 0;
    return bad;
}

static double floor_norm2(const struct dop853 *d, const double *x, const double *minus)
{
    const double *y = vector(d, V_Y), *least = vector(d, V_FLOOR);
    double sum = 0;
    for (size_t i = 0; i < d->n; i++) {
        double z = (x[i] - (minus ? minus[i] : 0)) / (least[i] + d->rtol * fabs(y[i]));
        sum += z * z;
    }
    return sum;
}

/* The first step size by Hairer's rule; the probe is shortened until the right-hand side is defined there. */
static int first_size(struct dop853 *d)
{
    double *y = vector(d, V_Y), *f = vector(d, 0), *arg = vector(d, V_ARG), *probe = vector(d, 1);
    double length = fabs(d->t_end - d->t), sign = d->t_end > d->t ? 1 : -1;
    double d0 = floor_norm2(d, y, NULL), d1 = floor_norm2(d, f, NULL);
    double h0 = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 : 0.01 * sqrt(d0 / d1);
    h0 = fmax(h0, 1e3 * DBL_EPSILON * fabs(d->t)); /* a value near zero by chance is not a measure of time */
    if (!(h0 < length)) h0 = length;
    int bad = 1;
    for (int i = 0; i < 30 && bad; i++, h0 = bad ? h0 / 4 : h0) {
        for (size_t j = 0; j < d->n; j++) arg[j] = y[j] + sign * h0 * f[j];
        bad = eval(d, d->t + sign * h0, V_ARG, 1);
        if (bad == ACTIO_FLOW_STOPPED) return bad;
    }
    double d2 = bad ? 0 : sqrt(floor_norm2(d, probe, f)) / h0, most = fmax(sqrt(d1), d2);
    double h1 = most <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : sqrt(sqrt(sqrt(100 / most)));
    double h = fmin(100 * h0, bad ? h0 : h1);
    if (d->flow->pacing.longest > 0 && h > d->flow->pacing.longest) h = d->flow->pacing.longest;
    h = fmax(h, fmin(length, 1e3 * DBL_EPSILON * fabs(d->t))); /* nothing is shorter than times are rounded */
    d->h = d->h_good = sign * (h > 0 ? h : h0);
    return 0;
}

/* The very first step may be known from a run before. */
static int choose_first(struct dop853 *d)
{
    double known = d->stats.steps == 0 ? d->flow->first : 0;
    if (!(known > 0)) return first_size(d);
    d->h = d->h_good = copysign(fmin(known, d->span), d->t_end - d->t);
    return 0;
}

static int dop853_begin(struct dop853 *d)
{
    int bad = eval(d, d->t, V_Y, 0);
    if (!bad) bad = choose_first(d);
    d->started = !bad;
    return bad;
}

/* The last step's end becomes the start of the next. */
static void move_on(struct dop853 *d)
{
    double *b = d->block;
    size_t stride = d->stride;
    for (size_t i = 0; i < d->padded; i += 2) {
        store(b + V_Y * stride + i, load(b + V_NEW * stride + i));
        store(b + V_LOW * stride + i, load(b + V_NEW_LOW * stride + i));
        store(b + i, load(b + STAGE_NEW * stride + i));
    }
    d->t = d->t_new;
}

static void vote(struct dop853 *d, double h)
{
    const double limit = 6.1 * 6.1; /* beyond the stability boundary on the real axis */
    d->pace = stiffness(d->block, d->stride, d->padded, h);
    if (d->pace <= limit) {
        if (++d->calm_votes == 6) d->stiff_votes = 0;
        return;
    }
    d->calm_votes = 0;
    if (++d->stiff_votes == 15) d->stats.looks_stiff = true;
}

/* 0.9 err^(-1/8); square roots, because they have the same bits everywhere. */
static double growth(double err)
{
    double factor = 0.9 / sqrt(sqrt(sqrt(err)));
    return factor < 0.2 ? 0.2 : factor;
}

/* One attempt over h: 0 with *factor = how much the step may change (accepted when *err <= 1), else a flow status. The
 * factor is found before what takes long, which the processor then does at the same time. */
static int attempt(struct dop853 *d, double h, bool last, double *err, double *factor)
{
    int bad = try_step(d, h);
    if (bad) return bad;
    *err = error_of(d, h);
    *factor = growth(*err);
    if (!isfinite(*err)) return ACTIO_FLOW_NAN;
    if (*err > 1) return 0;
    bad = dop853_project(d);
    if (bad || last) return bad;
    bad = eval(d, d->t_new, V_NEW, STAGE_NEW);
    d->have_new = !bad;
    if (!bad) vote(d, h);
    return bad;
}

/* Does the motion change at one rate all over the step, to within the tolerance? Then its error is rounding. */
static bool steady(const struct dop853 *d, double h)
{
    const double *before = vector(d, 0), *after = vector(d, STAGE_NEW), *inverse = vector(d, V_INVERSE);
    double sum = 0;
    for (size_t i = 0; i < d->n; i++) {
        double x = h * (after[i] - before[i]) * inverse[i];
        sum += x * x;
    }
    return d->have_new && sum <= (double)d->n;
}

/* A step whose error is nothing beside the tolerance says little of what lies ahead: a pulse is easily stepped over,
 * values below the tolerance change at a pace of their own, and runs of all tolerances would step alike. */
static double grown(const struct dop853 *d, double h, double factor)
{
    double longest = d->flow->pacing.longest, size = fabs(h), most = longest, silent = factor;
    if (factor > MOST_GROWTH) factor = MOST_GROWTH;
    if (!(longest > 0) || silent < 2 || (silent < d->flow->pacing.silent && !steady(d, h))) return h * factor;
    if (d->pace > 0) most = fmin(most, d->flow->pacing.paced * size / sqrt(d->pace));
    return copysign(fmin(size * factor, fmax(most, 0.2 * size)), h);
}

static void accept(struct dop853 *d, double h, double factor)
{
    if (d->was_rejected && factor > 1) factor = 1;
    d->was_rejected = false;
    d->stats.steps++;
    if (d->stats.steps == 2) d->stats.early = fabs(h);
    d->h_done = d->h_good = h;
    d->h = grown(d, h, factor);
}

/* A step that meets undefined values is shortened by 4; when that leads nowhere, `bad` is the answer. */
static bool hopeless(const struct dop853 *d, int bad, int failures, double h)
{
    return bad == ACTIO_FLOW_STOPPED || bad == ACTIO_FLOW_FAILED || failures > 30 || fabs(h) < 1e-10 * fabs(d->h_good);
}

/* The flow may limit the step. False: it allows none. */
static bool limit_size(struct dop853 *d)
{
    if (!d->flow->limit) return true;
    double most = d->flow->limit(d->flow->user, d->t, vector(d, V_Y));
    if (most == 0) return false;
    if (fabs(d->h) > most) d->h = copysign(most, d->h);
    return true;
}

/* Shorter steps are rounding of t. */
static inline double least_step(const struct dop853 *d) { return 10 * DBL_EPSILON * fabs(d->t) + 1e-25 * d->span; }

/* Sets t_new one step ahead. True: that is the end of the interval. What would be left of it is not a step. */
static inline bool set_target(struct dop853 *d)
{
    double rest = fabs(d->t_end - d->t);
    bool last = fabs(d->h) * 1.0000001 >= rest || rest <= least_step(d);
    d->t_new = last ? d->t_end : d->t + d->h;
    return last;
}

static int dop853_advance(struct dop853 *d)
{
    int bad = 0;
    bool again = false;
    if (!limit_size(d)) return ACTIO_FLOW_FAILED;
    for (int failures = 0;; again = true) {
        double err = 0, factor = MOST_GROWTH;
        bool last = set_target(d);
        double h = d->t_new - d->t; /* exactly what t changes by */
        if ((!last || again) && fabs(h) <= least_step(d)) return bad ? bad : ACTIO_MARCH_STEP_TO_ZERO;
        d->have_new = d->have_poly = d->have_looks = false;
        bad = attempt(d, h, last, &err, &factor);
        if (!bad && err <= 1) {
            accept(d, h, factor);
            return 0;
        }
        d->was_rejected = true;
        d->stats.rejected++;
        failures = bad ? failures + 1 : 0;
        d->h = bad ? h / 4 : h * (factor < 0.9 ? factor : 0.9);
        if (bad && hopeless(d, bad, failures, d->h)) return bad;
    }
}

static int dop853_step(void *handle, double *t, double *y)
{
    struct dop853 *d = handle;
    int bad = 0;
    if (!d->started) bad = dop853_begin(d);
    else move_on(d);
    if (!bad) bad = dop853_advance(d);
    if (bad) { /* stay where the last step ended: nothing inside it is known */
        copy(d, V_NEW, V_Y);
        copy(d, V_NEW_LOW, V_LOW);
        copy(d, STAGE_NEW, 0);
        d->t_new = d->t;
        d->h_done = 0;
        return bad;
    }
    *t = d->t_new;
    const double *from = vector(d, V_NEW);
    for (size_t i = 0; i < d->n; i++) y[i] = from[i];
    return 0;
}

/* Repeats the last step so that it ends at t, inside it: order 8 there, where the interpolant has 7. */
static int dop853_retake(void *handle, double t, double *y)
{
    struct dop853 *d = handle;
    double h = t - d->t;
    if (h == 0 || d->h_done == 0) return ACTIO_FLOW_FAILED;
    d->have_new = d->have_poly = d->have_looks = false;
    d->t_new = t;
    d->h_done = h;
    int bad = try_step(d, h);
    if (!bad) bad = dop853_project(d);
    if (!bad) memcpy(y, vector(d, V_NEW), d->n * sizeof *y);
    return bad;
}

static void dop853_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct dop853 *d = handle;
    double *least = vector(d, V_FLOOR);
    for (size_t i = 0; i < d->padded; i++) least[i] = i < d->n ? atol * (d->flow->scale ? d->flow->scale[i] : 1) : 1;
    memset(vector(d, V_LOW), 0, d->stride * sizeof(double));
    memcpy(vector(d, V_Y), y, d->n * sizeof *y);
    copy(d, V_NEW, V_Y);
    d->t = d->t_new = t;
    d->t_end = t_end;
    d->span = fabs(t_end - t);
    d->rtol = rtol;
    d->h_done = 0;
    d->started = d->was_rejected = d->have_new = d->have_poly = d->have_looks = false;
    d->stiff_votes = d->calm_votes = 0;
    d->stats.restarts++;
}

static void dop853_close(void *handle)
{
    struct dop853 *d = handle;
    if (!d) return;
    actio_free(d->ctx, d->memory);
    actio_free(d->ctx, d);
}

static void *dop853_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    enum { LINE = 64 };
    struct dop853 *d = actio_alloc(ctx, 1, sizeof *d);
    if (!d) return NULL;
    d->ctx = ctx;
    d->flow = flow;
    d->n = flow->n;
    d->padded = (flow->n + GROUP - 1) / GROUP * GROUP;
    d->stride = d->padded <= SHORT ? SHORT : d->padded;
    d->memory =
        actio_alloc(ctx, (d->stride == SHORT ? V_SHORT : V_COUNT) * d->stride + LINE / sizeof(double), sizeof(double));
    if (!d->memory) {
        dop853_close(d);
        return NULL;
    }
    d->block = (double *)(((uintptr_t)d->memory + LINE - 1) / LINE * LINE);
    d->stats.stepper = actio_dop853.name;
    return d;
}

static void dop853_stats(void *handle, struct actio_march_stats *stats)
{
    const struct dop853 *d = handle;
    *stats = d->stats;
    if (stats->restarts) stats->restarts--; /* the first start is not a restart */
}

const struct actio_stepper actio_dop853 = {
    .name = "dop853",
    .open = dop853_open,
    .start = dop853_start,
    .step = dop853_step,
    .retake = dop853_retake,
    .dense = actio_dop853_dense,
    .slope = actio_dop853_slope,
    .looks = actio_dop853_looks,
    .pace = actio_dop853_pace,
    .dense_rows = actio_dop853_dense_rows,
    .gap = actio_dop853_gap,
    .stats = dop853_stats,
    .close = dop853_close,
};
