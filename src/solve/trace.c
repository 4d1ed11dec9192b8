/* SPDX-License-Identifier: Apache-2.0
 * The last run of an outcome once more. The motion keeps what that run was set to, so that the steps are the same. */
#include "solve/trace.h"
#include "solve/contacts.h"
#include "solve/features.h"
#include "solve/poles.h"
#include "solve/resets.h"
#include "solve/segments.h"

#include <math.h>
#include <string.h>

/* samples: inside a step, at most and at least; over the whole interval at least; in one batch; kept at first */
enum { MOST_INSIDE = 16, LEAST_INSIDE = 4, OVERALL = 1024, BATCH = 512, FIRST_KEPT = 4096 };
#define FINER 1e-3                                    /* from one of the tolerances of curves to the next */
#define COARSER 4.0                                   /* than the last run, at most */
#define FINEST 2e-15                                  /* beyond, rounding speaks */
#define KNOWN 1e-3                                    /* to this part of itself a value next to a pole must be known */
enum { MOST_NUMBERS = 8 << 20, MOST_SLOW = 1 << 18 }; /* in all samples; samples of a motion that solves row by row */

/* States of the motion in order; jumps: what happens there comes next. every: of the samples inside steps one of so
 * many is kept, and of the pairs around instants one of `pairs`. */
struct trace {
    struct actio_context *ctx;
    struct actio_motion *m;
    double t0, t1, part, *t, *y, *inside; /* part: of a state that is its error */
    bool *jumps, starved;
    size_t count, cap, most, each, every, pairs, seen, jumped;
};

static size_t samples_most(const struct actio_motion *m)
{
    bool slow = actio_contacts_hard(m) || m->rows.numeric || m->obeys.law || m->outside.ask;
    const struct actio_context *ctx = m->ctx;
    size_t room = ctx->bytes_limit > ctx->bytes ? (ctx->bytes_limit - ctx->bytes) / sizeof(double) / 6 : 0;
    size_t most = (room < MOST_NUMBERS ? room : MOST_NUMBERS) / (m->ny + 2);
    if (most < 2 * OVERALL) most = 2 * OVERALL;
    return slow && most > MOST_SLOW ? MOST_SLOW : most;
}

static bool grow(struct trace *x)
{
    size_t cap = x->cap ? 2 * x->cap : FIRST_KEPT, ny = x->m->ny, refused = x->ctx->refused;
    if (cap > x->most) cap = x->most;
    if (cap <= x->cap) return false;
    double *t = actio_alloc_raw(x->ctx, cap * (ny + 1), sizeof *t);
    bool *jumps = actio_alloc_raw(x->ctx, cap, sizeof *jumps);
    if (!t || !jumps) {
        actio_free(x->ctx, t);
        actio_free(x->ctx, jumps);
        if (x->cap >= 2 * OVERALL) actio_pardon(x->ctx, refused); /* what there is will do */
        return false;
    }
    if (x->count) {
        memcpy(t, x->t, x->count * sizeof *t);
        memcpy(t + cap, x->y, x->count * ny * sizeof *t);
        memcpy(jumps, x->jumps, x->count * sizeof *jumps);
    }
    actio_free(x->ctx, x->t);
    actio_free(x->ctx, x->jumps);
    x->t = t;
    x->y = t + cap;
    x->jumps = jumps;
    x->cap = cap;
    return true;
}

/* Every second sample inside steps goes; where pairs around instants are more than half of all, so do they. */
static void trace_thin(struct trace *x)
{
    size_t ny = x->m->ny, kept = 0, paired = 0, inside = 0, pair = 0;
    for (size_t i = 0; i < x->count; i++) paired += 2 * x->jumps[i];
    bool crowd = paired > x->count / 2, after = false, keeps_pair = true;
    for (size_t i = 0; i < x->count; i++) {
        if (x->jumps[i]) keeps_pair = !crowd || pair++ % 2 == 0;
        bool keep = x->jumps[i] || after ? keeps_pair : i == 0 || inside++ % 2;
        after = x->jumps[i];
        if (!keep) continue;
        x->t[kept] = x->t[i];
        x->jumps[kept] = x->jumps[i];
        memmove(x->y + kept * ny, x->y + i * ny, ny * sizeof *x->y);
        kept++;
    }
    x->count = kept;
    x->every *= 2;
    if (crowd) x->pairs *= 2;
}

/* Room for one more; a pair that is half there is not cut. */
static bool make_room(struct trace *x)
{
    if (x->count + 1 < x->cap || grow(x)) return true;
    if (x->cap < 2 * OVERALL) x->starved = true;
    if (x->starved) return false;
    if (x->count + 1 < x->cap || (x->count < x->cap && x->jumps[x->count - 1])) return true;
    trace_thin(x);
    return true;
}

static void put(struct trace *x, double t, const double *y, bool jumps)
{
    if (!make_room(x)) return;
    x->t[x->count] = t;
    x->jumps[x->count] = jumps;
    memcpy(x->y + x->count * x->m->ny, y, x->m->ny * sizeof *y);
    x->count++;
}

/* Of what happens at one time, the state before the first and after the last of it are kept. */
static void state_reached(void *user, double t, const double *y, bool jumps)
{
    struct trace *x = user;
    bool pair = x->count && x->jumps[x->count - 1];
    if (!jumps) {
        if (pair || x->count == 0 || ++x->seen % x->every == 0) put(x, t, y, false);
        return;
    }
    while (x->count > 1 && x->t[x->count - 1] == t && !x->jumps[x->count - 1]) x->count--;
    if (pair || (x->count && x->t[x->count - 1] == t && x->jumps[x->count - 1])) return;
    if (x->jumped++ % x->pairs == 0) put(x, t, y, true);
}

static void part_passed(void *user, double from, double to, const struct actio_inside *inside)
{
    struct trace *x = user;
    double by_length = ceil(fabs((to - from) / (x->t1 - x->t0)) * OVERALL);
    size_t n = by_length > (double)x->each ? (size_t)fmin(by_length, OVERALL) : x->each;
    for (size_t i = 1; i < n; i++) {
        double t = from + (to - from) * ((double)i / (double)n);
        if (t == from || t == to || ++x->seen % x->every) continue;
        inside->value(inside->where, t, x->inside);
        put(x, t, x->inside, false);
    }
}

static void report_trace(void *user, double t)
{
    struct trace *x = user;
    if (x->ctx->progress) x->ctx->progress(x->ctx->progress_user, "picture", fabs(t - x->t0), fabs(x->t1 - x->t0));
}

/* Where the table's rows decide how fine the last run was, the curve does not: of a few tolerances, the next finer one;
 * a little coarser is as good for the eye. */
static double curve_tolerance(const struct actio_aim *aim, const struct actio_outcome *out)
{
    double local = aim->tol;
    if (aim->local > 0 || !(out->finest < aim->tol) || out->stepper != &actio_dop853) return out->finest;
    while (local > COARSER * out->finest) local *= FINER;
    return fmax(local, FINEST);
}

static int march_again(struct trace *x, const struct actio_aim *aim, const struct actio_outcome *out)
{
    struct actio_motion *m = x->m;
    bool ends = out->status && x->t1 == out->t_stop; /* by itself, and it does so again */
    double local = curve_tolerance(aim, out);
    struct actio_follower follower = { .at = state_reached, .part = part_passed, .user = x };
    struct actio_march_task task = { .stepper = out->stepper,
                                     .t0 = aim->t0,
                                     .t1 = ends ? aim->t1 : x->t1,
                                     .rtol = local,
                                     .atol = local,
                                     .y0 = aim->y0,
                                     .progress = report_trace,
                                     .progress_user = x,
                                     .follower = &follower };
    struct actio_march_result result = { 0 };
    m->watch.worst = 1;
    if (local != out->finest) { /* nothing of that run's own settings */
        actio_motion_pace(m, local, aim->tol, 1, 1, fabs(aim->t1 - aim->t0));
        m->flow.first = 0;
        m->flow.accuracy = local;
    }
    int status = actio_motion_begin(m, aim->t0, aim->y0);
    if (status) return status;
    bool vetted = out->stepper == &actio_dop853 && !m->flow.unfold;
    struct actio_ode flow = actio_resets_over(m, out->stepper == &actio_dop853 ? actio_segments_flow(m) : m->flow);
    if (vetted && actio_features_open(&m->features, m)) return ACTIO_MARCH_NO_MEMORY;
    flow = actio_features_over(m->features, flow, local);
    status = actio_march(x->ctx, &flow, &task, &result);
    actio_features_close(m->features);
    m->features = NULL;
    return status;
}

/* A time before t that lies before all that happened at t, for which rounding may have another time. */
static double just_before(const struct trace *x, double t)
{
    double way = x->t1 < x->t0 ? -1 : 1;
    return nextafter(t - way * actio_reset_slack(t), -way * HUGE_VAL);
}

/* A sample before an instant is evaluated with the modes and stances before it. */
static void fill_batch(const struct trace *x, size_t first, size_t count, double *times, struct actio_rows *r)
{
    for (size_t i = 0; i < count; i++) {
        const double *y = x->y + (first + i) * x->m->ny;
        times[i] = x->jumps[first + i] ? just_before(x, x->t[first + i]) : x->t[first + i];
        for (size_t k = 0; k < x->m->ny; k++) r->y[k * r->rows + i] = y[k];
    }
}

static int hand_out(struct trace *x, actio_trace_fn take, void *user)
{
    double times[BATCH] = { 0 };
    struct actio_rows r;
    if (actio_rows_open(&r, x->m, times, BATCH, x->t1 < x->t0)) return ACTIO_FLOW_FAILED;
    double *column = actio_rows_columns(&r, BATCH);
    bool poor = x->m->watch.worst < 1e-6;
    int status = column ? ACTIO_FLOW_OK : ACTIO_MARCH_NO_MEMORY;
    for (size_t first = 0, count; !status && first < x->count; first += count) {
        count = x->count - first < BATCH ? x->count - first : BATCH;
        fill_batch(x, first, count, times, &r);
        bool ended = actio_stopped(x->ctx) || actio_rows_evaluate(&r, count, column, BATCH, poor) == ACTIO_FLOW_STOPPED;
        if (ended) status = ACTIO_FLOW_STOPPED;
        else status = actio_rows_blank_poles(&r, count, column, BATCH, x->part, KNOWN);
        if (!status) take(user, &(struct actio_trace_batch){ x->t + first, column, BATCH, count, x->count });
    }
    actio_free(x->ctx, column);
    actio_rows_close(&r);
    return status;
}

int actio_trace(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim,
                const struct actio_outcome *out, double until, actio_trace_fn take, void *user)
{
    struct trace x = { .ctx = ctx, .m = m, .t0 = aim->t0, .t1 = until, .every = 1, .pairs = 1 };
    x.part = fmax(aim->tol, out->finest);
    x.most = samples_most(m);
    size_t share = out->steps ? x.most / 2 / out->steps : MOST_INSIDE;
    x.each = share < LEAST_INSIDE ? LEAST_INSIDE : share > MOST_INSIDE ? MOST_INSIDE : share;
    x.inside = actio_alloc(ctx, m->ny + 1, sizeof *x.inside);
    int status = x.inside ? march_again(&x, aim, out) : ACTIO_MARCH_NO_MEMORY;
    if (x.starved) status = ACTIO_MARCH_NO_MEMORY;
    if (status != ACTIO_FLOW_STOPPED && status != ACTIO_MARCH_NO_MEMORY) status = hand_out(&x, take, user);
    actio_free(ctx, x.t);
    actio_free(ctx, x.jumps);
    actio_free(ctx, x.inside);
    return status;
}
