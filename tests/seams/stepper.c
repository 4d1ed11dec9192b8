/* SPDX-License-Identifier: Apache-2.0
 * A toy stepper: the classical Runge-Kutta formula with equal steps, a Hermite cubic inside them. */
#include "seams/seams.h"

#include <math.h>
#include <string.h>

size_t toy_stepper_steps;

struct toy {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    double t, t_old, t_end, h, *y, *old, *f, *f_old, *k, *at;
    struct actio_march_stats stats;
};

static void shut(void *h)
{
    struct toy *s = h;
    actio_free(s->ctx, s->y);
    actio_free(s->ctx, s);
}

static void *open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct toy *s = actio_alloc(ctx, 1, sizeof *s);
    if (!s) return NULL;
    size_t n = flow->n;
    *s = (struct toy){ .ctx = ctx, .flow = flow, .stats.stepper = "toy" };
    s->y = actio_alloc(ctx, 6 * n + 1, sizeof(double));
    if (!s->y) {
        shut(s);
        return NULL;
    }
    s->old = s->y + n;
    s->f = s->old + n;
    s->f_old = s->f + n;
    s->k = s->f_old + n;
    s->at = s->k + n;
    return s;
}

static int rates(struct toy *s, double t, const double *y, double *f)
{
    s->stats.rhs++;
    return s->flow->rhs(s->flow->user, t, y, f);
}

/* As many steps as the fourth order needs for the tolerance, roughly. */
static void start(void *h, double t, const double *y, double t_end, double rtol, double atol)
{
    struct toy *s = h;
    (void)atol;
    double count = ceil(fabs(t_end - t) * 2 * pow(rtol, -0.25));
    s->t = s->t_old = t;
    s->t_end = t_end;
    s->h = (t_end - t) / (count < 1 ? 1 : count);
    memcpy(s->y, y, s->flow->n * sizeof *y);
    rates(s, t, s->y, s->f);
    s->stats.restarts++;
}

static int step(void *h, double *t, double *y)
{
    static const double place[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    struct toy *s = h;
    size_t n = s->flow->n;
    double length = fabs(s->t_end - s->t) < 1.5 * fabs(s->h) ? s->t_end - s->t : s->h;
    memcpy(s->old, s->y, n * sizeof *y);
    memcpy(s->f_old, s->f, n * sizeof *y);
    memcpy(s->k, s->f, n * sizeof *y);
    for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < n && i; j++) s->at[j] = s->old[j] + place[i] * length * s->k[j];
        int bad = i ? rates(s, s->t + place[i] * length, s->at, s->k) : 0;
        if (bad) return bad;
        for (size_t j = 0; j < n; j++) s->y[j] += weight[i] * length * s->k[j];
    }
    s->t_old = s->t;
    s->t = length == s->h ? s->t + length : s->t_end;
    int bad = s->flow->project ? s->flow->project(s->flow->user, s->t, s->y) : 0;
    if (!bad) bad = rates(s, s->t, s->y, s->f);
    s->stats.steps++;
    toy_stepper_steps++;
    *t = s->t;
    memcpy(y, s->y, n * sizeof *y);
    return bad;
}

static void dense(void *h, double t, double *y)
{
    const struct toy *s = h;
    double length = s->t - s->t_old, u = (t - s->t_old) / length, v = 1 - u;
    for (size_t j = 0; j < s->flow->n; j++)
        y[j] = v * v * (1 + 2 * u) * s->old[j] + u * u * (1 + 2 * v) * s->y[j]
               + u * v * length * (v * s->f_old[j] - u * s->f[j]);
}

static void stats(void *h, struct actio_march_stats *out) { *out = ((struct toy *)h)->stats; }

const struct actio_stepper toy_stepper = {
    .name = "toy", .open = open, .start = start, .step = step, .dense = dense, .stats = stats, .close = shut
};
