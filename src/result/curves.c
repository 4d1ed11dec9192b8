/* SPDX-License-Identifier: Apache-2.0
 * Samples of a motion become curves. Memory is bounded: over time by parts of the interval, against each other by a
 * number of rows. */
#include "result/curves.h"

#include <math.h>

/* parts of the interval, finer than pixels; jumps that keep both values; rows of columns against each other, and how
 * many of them a step must have for a line; numbers that a part of the interval takes */
enum {
    MOST_BINS = 4096,
    LEAST_BINS = 256,
    MOST_JUMPS = 2048,
    MOST_ROWS = 1 << 18,
    NUMBERS = 1 << 22,
    JOINED = 3,
    PART = 8
};

struct knot {
    double t, y;
};
/* A curve under way, and its samples in the part of the interval in hand. */
struct growing {
    struct knot *knot, first, low, high, last;
    size_t count, cap, bin, in_bin, low_at, high_at, jumps;
    bool broken;
};
struct actio_curve_maker {
    struct actio_table *table;
    struct actio_curves *curves;
    struct growing *of;
    double t0, span;
    size_t bins, seen, every;
};

const struct actio_curve *actio_curve_of(const struct actio_table *table, size_t col)
{
    const struct actio_curve *of = table->curves ? &table->curves->of[col] : NULL;
    return of && of->count ? of : NULL;
}

struct actio_curve_maker *actio_curves_begin(struct actio_table *table, double t0, double t1, size_t samples,
                                             size_t steps)
{
    struct actio_arena *arena = &table->arena;
    struct actio_curve_maker *m = actio_arena_alloc(arena, sizeof *m);
    const struct actio_context *ctx = arena->ctx;
    size_t room = ctx->bytes_limit > ctx->bytes ? (ctx->bytes_limit - ctx->bytes) / sizeof(double) / 6 : 0;
    size_t cols = table->cols, most = (room < NUMBERS ? room : NUMBERS) / (cols + 1);
    *m = (struct actio_curve_maker){ .table = table, .t0 = t0, .span = t1 - t0 };
    m->curves = actio_arena_alloc(arena, sizeof *m->curves);
    m->of = actio_arena_array(arena, cols + 1, sizeof *m->of);
    m->bins = most / PART > MOST_BINS ? MOST_BINS : most / PART < LEAST_BINS ? LEAST_BINS : most / PART;
    if (most > MOST_ROWS) most = MOST_ROWS;
    if (most < LEAST_BINS) most = LEAST_BINS;
    m->every = samples / most + 1;
    m->curves->joined = m->every == 1 || samples / m->every >= JOINED * steps;
    m->curves->data = actio_arena_array(arena, cols + 1, sizeof *m->curves->data);
    for (size_t c = 0; c < cols; c++)
        m->curves->data[c] = actio_arena_array(arena, samples / m->every + 2, sizeof(double));
    return m;
}

static void curves_keep(struct actio_curve_maker *m, struct growing *g, struct knot k)
{
    const struct knot *last = g->count ? &g->knot[g->count - 1] : NULL;
    if (last && last->t == k.t && last->y == k.y) return;
    ACTIO_PUSH(&m->table->arena, g->knot, g->count, g->cap) = k;
}

static void close_bin(struct actio_curve_maker *m, struct growing *g)
{
    if (!g->in_bin) return;
    bool falls = g->high_at < g->low_at;
    curves_keep(m, g, g->first);
    curves_keep(m, g, falls ? g->high : g->low);
    curves_keep(m, g, falls ? g->low : g->high);
    curves_keep(m, g, g->last);
    g->in_bin = 0;
}

static void add_to_bin(struct growing *g, struct knot k)
{
    if (!g->in_bin) {
        g->first = g->low = g->high = k;
        g->low_at = g->high_at = 0;
    }
    if (k.y < g->low.y) {
        g->low = k;
        g->low_at = g->in_bin;
    }
    if (k.y > g->high.y) {
        g->high = k;
        g->high_at = g->in_bin;
    }
    g->last = k;
    g->in_bin++;
}

/* What is not a number breaks the curve. */
static void add_gap(struct actio_curve_maker *m, struct growing *g, double t)
{
    close_bin(m, g);
    if (!g->broken) curves_keep(m, g, (struct knot){ t, NAN });
    g->broken = true;
}

static void grow_curve(struct actio_curve_maker *m, struct growing *g, struct knot k)
{
    size_t bin = (size_t)fmin(fabs((k.t - m->t0) / m->span) * (double)m->bins, (double)m->bins);
    if (!isfinite(k.y)) {
        add_gap(m, g, k.t);
        return;
    }
    bool lands = g->in_bin && !g->broken && g->last.t == k.t && g->last.y != k.y && g->jumps < MOST_JUMPS;
    if (g->in_bin && (bin != g->bin || lands)) close_bin(m, g);
    g->jumps += lands;
    g->bin = bin;
    g->broken = false;
    add_to_bin(g, k);
}

void actio_curves_add(struct actio_curve_maker *m, double t, const double *x, size_t lanes)
{
    size_t time = actio_table_first(m->table, ACTIO_ROLE_TIME);
    bool keeps = m->seen++ % m->every == 0;
    for (size_t c = 0; c < m->table->cols; c++) {
        double y = c == time ? t : x[c * lanes];
        grow_curve(m, &m->of[c], (struct knot){ t, y });
        if (keeps) m->curves->data[c][m->curves->rows] = y;
    }
    m->curves->rows += keeps;
    if ((m->seen & 4095) == 0) actio_poll_overdue(m->table->arena.ctx);
}

void actio_curves_end(struct actio_curve_maker *m)
{
    struct actio_arena *arena = &m->table->arena;
    m->curves->of = actio_arena_array(arena, m->table->cols + 1, sizeof *m->curves->of);
    for (size_t c = 0; c < m->table->cols; c++) {
        struct growing *g = &m->of[c];
        close_bin(m, g);
        struct actio_curve *to = &m->curves->of[c];
        to->t = actio_arena_array(arena, 2 * g->count + 1, sizeof *to->t);
        to->y = to->t + g->count;
        to->count = g->count;
        for (size_t i = 0; i < g->count; i++) {
            to->t[i] = g->knot[i].t;
            to->y[i] = g->knot[i].y;
        }
    }
    if (m->curves->rows) m->table->curves = m->curves;
}
