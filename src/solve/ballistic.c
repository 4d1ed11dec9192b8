/* SPDX-License-Identifier: Apache-2.0
 * Flights under constant rates: parabolas, exact for steps of any length. While something holds or rubs the motion is
 * another, and DOP853 takes it. */
#include "solve/march.h"

#include <math.h>
#include <string.h>

struct ballistic {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    void *other;                     /* DOP853 */
    bool flies;                      /* the step at hand, or the last one */
    size_t n, half;                  /* values; positions among them */
    double t, t_new, t_end, h, last; /* h: length of the next step; last: of the last flight between restarts */
    double begun, *y, *rate;         /* where the flight began */
    uint64_t noise;
    struct actio_march_stats stats;
};

static void ballistic_close(void *handle)
{
    struct ballistic *b = handle;
    if (!b) return;
    if (b->other) actio_dop853.close(b->other);
    actio_free(b->ctx, b->y);
    actio_free(b->ctx, b);
}

static void *ballistic_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct ballistic *b = actio_alloc(ctx, 1, sizeof *b);
    if (!b) return NULL;
    *b = (struct ballistic){ .ctx = ctx,
                             .flow = flow,
                             .n = flow->n,
                             .half = flow->positions,
                             .stats.stepper = "ballistic",
                             .noise = 2 * flow->shaken + 1 };
    b->y = actio_alloc(ctx, 2 * flow->n + 1, sizeof *b->y);
    b->other = actio_dop853.open(ctx, flow);
    if (!b->y || !b->other) {
        ballistic_close(b);
        return NULL;
    }
    b->rate = b->y + flow->n;
    return b;
}

static double noise(struct ballistic *b)
{
    b->noise = b->noise * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->noise >> 11) * 0x1p-53 * 2 - 1;
}

/* A tolerance does not exist here: runs that show the growth of small errors get these errors here. */
static void shake(struct ballistic *b)
{
    double most = 0;
    for (size_t i = b->half; i < b->n; i++) most = fmax(most, fabs(b->y[i]));
    for (size_t i = b->half; i < b->n; i++) b->y[i] += b->flow->shake * most * noise(b);
}

static void ballistic_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct ballistic *b = handle;
    b->flies = b->flow->is_free(b->flow->user);
    b->stats.restarts++;
    if (!b->flies) {
        b->stats.inexact = true;
        actio_dop853.start(b->other, t, y, t_end, rtol, atol);
        return;
    }
    double flight = fabs(t - b->begun), span = fabs(t_end - t);
    memcpy(b->y, y, b->n * sizeof *y);
    if (b->flow->shake > 0) shake(b);
    b->flow->rhs(b->flow->user, t, b->y, b->rate);
    b->stats.rhs++;
    b->h = fmin(span, flight > 0 && b->stats.restarts > 1 ? 1.25 * flight : span / 64);
    b->t = b->t_new = b->begun = t;
    b->t_end = t_end;
}

static void place(const struct ballistic *b, double t, double *y)
{
    double s = t - b->begun;
    for (size_t i = 0; i < b->half; i++) y[i] = b->y[i] + s * (b->y[b->half + i] + 0.5 * s * b->rate[b->half + i]);
    for (size_t i = b->half; i < b->n; i++) y[i] = b->y[i] + s * b->rate[i];
}

static int ballistic_step(void *handle, double *t, double *y)
{
    struct ballistic *b = handle;
    if (!b->flies) return actio_dop853.step(b->other, t, y);
    double left = fabs(b->t_end - b->t_new);
    b->t = b->t_new;
    b->t_new = left <= 1.01 * b->h ? b->t_end : b->t + copysign(b->h, b->t_end - b->t);
    b->h *= 2;
    b->stats.steps++;
    place(b, b->t_new, y);
    *t = b->t_new;
    return isfinite(y[0]) ? ACTIO_FLOW_OK : ACTIO_FLOW_NAN;
}

static void ballistic_dense(void *handle, double t, double *y)
{
    struct ballistic *b = handle;
    if (b->flies) place(b, t, y);
    else actio_dop853.dense(b->other, t, y);
}

static void ballistic_rows(void *handle, size_t count, const double *t, double *row, size_t stride)
{
    struct ballistic *b = handle;
    if (!b->flies) {
        actio_dop853.dense_rows(b->other, count, t, row, stride);
        return;
    }
    for (size_t i = 0; i < b->n; i++)
        for (size_t r = 0; r < count; r++) {
            double s = t[r] - b->begun;
            row[i * stride + r] =
                b->y[i] + s * (i < b->half ? b->y[b->half + i] + 0.5 * s * b->rate[b->half + i] : b->rate[i]);
        }
}

static int ballistic_retake(void *handle, double t, double *y)
{
    struct ballistic *b = handle;
    if (!b->flies) return actio_dop853.retake(b->other, t, y);
    place(b, t, y);
    return 0;
}

static int ballistic_gap(void *handle, double *t, double *y, double *error)
{
    struct ballistic *b = handle;
    return b->flies ? 1 : actio_dop853.gap(b->other, t, y, error);
}

static void ballistic_stats(void *handle, struct actio_march_stats *stats)
{
    struct ballistic *b = handle;
    struct actio_march_stats other;
    actio_dop853.stats(b->other, &other);
    *stats = b->stats;
    stats->rhs += other.rhs;
    stats->steps += other.steps;
    stats->rejected = other.rejected;
    stats->looks_stiff = !b->flies && other.looks_stiff;
    if (stats->restarts) stats->restarts--;
}

const struct actio_stepper actio_ballistic = {
    .name = "ballistic",
    .open = ballistic_open,
    .start = ballistic_start,
    .step = ballistic_step,
    .retake = ballistic_retake,
    .dense = ballistic_dense,
    .dense_rows = ballistic_rows,
    .gap = ballistic_gap,
    .stats = ballistic_stats,
    .close = ballistic_close,
};
