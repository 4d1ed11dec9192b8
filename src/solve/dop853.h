/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the built-in stepper share: its vectors and the weighted sums over stages. */
#ifndef ACTIO_SOLVE_DOP853_H
#define ACTIO_SOLVE_DOP853_H

#include "algebra/cloned.h"
#include "solve/march.h"
#include "solve/dop853_table.h"

/* All vectors lie in one block, `stride` apart. Short ones have a fixed stride, which makes every address a constant
 * offset; all are padded to whole groups of GROUP, whose tails stay 0 and harmless. Behind V_COUNT, short ones have
 * the looks into a step. */
enum { GROUP = 4, SHORT = 16 };
enum {
    V_Y = STAGES_DENSE,
    V_LOW,
    V_NEW,
    V_NEW_LOW,
    V_ARG,
    V_FLOOR,
    V_INVERSE,
    V_POLY,
    V_COUNT = V_POLY + 7,
    V_SHORT = V_COUNT + 2 * ACTIO_LOOKS
};

struct dop853 {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    double *block; /* aligned part of `memory` */
    void *memory;
    size_t n, padded, stride;
    /* h: to try next; h_done: of the last step; h_good: last accepted size */
    double t, t_new, t_end, h, h_done, h_good, rtol, span;
    bool started, have_new, have_poly, have_looks, was_rejected; /* have_new: stage 12 is the derivative at t_new */
    int stiff_votes, calm_votes;
    double pace; /* (h lambda)^2 of the last step, 0 = not known */
    struct actio_march_stats stats;
};

/* 128-bit vectors on purpose: a right-hand side stores 8 or 16 bytes at a time, and wider loads of what was just stored
 * would wait for the cache. */
typedef double pair __attribute__((vector_size(16), may_alias));
#define INLINE static inline __attribute__((always_inline))
#if defined __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

INLINE pair load(const double *p) { return *(const pair *)p; }
INLINE void store(double *p, pair x) { *(pair *)p = x; }
INLINE pair weigh(const double *k, size_t stride, const struct weights *w, int terms)
{
    pair sum = w->a[0] * load(k + w->of[0] * stride);
    UNROLL
    for (int j = 1; j < terms; j++) sum += w->a[j] * load(k + w->of[j] * stride);
    return sum;
}

/* Four at a time, for what was not stored a moment ago. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long quad_mask __attribute__((vector_size(32), aligned(8), may_alias));

INLINE void weighted(const double *k, size_t stride, size_t row, quad *to)
{
    const struct weights *w = &table[row];
    quad sum = w->a[0] * *(const quad *)(k + w->of[0] * stride);
    UNROLL
    for (int j = 1; j < w->terms; j++) sum += w->a[j] * *(const quad *)(k + w->of[j] * stride);
    *to = sum;
}

/* y + h * sum of a stage. Only the last term waits for the newest derivative, so it joins as late as it can. */
INLINE pair moved(const double *b, size_t stride, const struct weights *w, double h, pair y)
{
    int last = w->terms - 1;
    if (last > 0) y += h * weigh(b, stride, w, last);
    return y + h * w->a[last] * load(b + w->of[last] * stride);
}

INLINE void stage_argument(double *b, size_t stride, size_t padded, int row, double h)
{
    for (size_t i = 0; i < padded; i += GROUP) {
        pair first = moved(b + i, stride, &table[row], h, load(b + V_Y * stride + i));
        pair second = moved(b + i + 2, stride, &table[row], h, load(b + V_Y * stride + i + 2));
        store(b + V_ARG * stride + i, first);
        store(b + V_ARG * stride + i + 2, second);
    }
}

INLINE int stage(struct dop853 *d, size_t stride, int row, double h)
{
    double *b = d->block;
    stage_argument(b, stride, d->padded, row, h);
    return d->flow->rhs(d->flow->user, d->t + table[row].c * h, b + V_ARG * stride, b + (size_t)row * stride);
}

static inline double *vector(const struct dop853 *d, size_t which) { return d->block + which * d->stride; }

static inline int eval(struct dop853 *d, double t, size_t y, size_t f)
{
    d->stats.rhs++;
    return d->flow->rhs(d->flow->user, t, vector(d, y), vector(d, f));
}

/* dop853_dense.c: inside the last step. */
void actio_dop853_dense(void *handle, double t, double *y);
void actio_dop853_dense_rows(void *handle, size_t count, const double *t, double *row, size_t stride);
void actio_dop853_slope(void *handle, double t, double *y, double *dy);
bool actio_dop853_looks(void *handle, double from, double to, struct actio_looks *at);
double actio_dop853_pace(void *handle);
int actio_dop853_gap(void *handle, double *t, double *y, double *error);

#endif
