/* SPDX-License-Identifier: Apache-2.0
 * Symmetries that the model does not state: linear motions q' = A q + b with
 *   L_q . (A q + b) + L_v . (A v) = 0,
 * and the same of each constraint. A and b are a null space of these equations at many states. */
#include "orbit/orbits.h"
#include "orbit/reading.h"

#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDS = 14, EXTRA = 8 }; /* with more coordinates, only shifts are looked for */
#define RANK_TOL 1e-10
#define ROUNDING 1e-8 /* entries of a reduced basis */
#define SPREAD 0.5    /* of sizes: how far from the orbit the states lie */

struct finding {
    struct actio_search *s;
    const struct actio_turn *turn;
    struct actio_stand point;
    size_t n, unknowns, rows, levels; /* levels: rows of constraints at one state */
    bool linear;                      /* A is unknown, too */
    uint64_t seed;
    double *a;
};

static double random_part(struct finding *x)
{
    x->seed = x->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(x->seed >> 11) * 0x1p-52 - 1;
}

/* The row of a function with slopes by q and v; entries for A by rows, in sizes of the coordinates. */
static void put_row(const struct finding *x, const double *by_q, const double *by_v, double *row)
{
    size_t n = x->n;
    const double *q = x->point.y, *v = q + n, *scale = x->s->o.scale;
    for (size_t i = 0; i < n; i++) {
        row[i] = by_q[i] * scale[i];
        for (size_t j = 0; x->linear && j < n; j++)
            row[n + i * n + j] = (by_q[i] * q[j] + by_v[i] * v[j]) * scale[i] / scale[j];
    }
    double most = 0;
    for (size_t k = 0; k < x->unknowns; k++) most = fmax(most, fabs(row[k]));
    for (size_t k = 0; k < x->unknowns; k++) row[k] = most > 0 && isfinite(most) ? row[k] / most : 0;
}

static void put_constraints(struct finding *x)
{
    struct actio_motion *m = &x->s->problem->motion;
    const struct actio_places *at = &m->sys->jets.levels_y;
    size_t n = x->n;
    if (!x->levels) return;
    const double *slope = actio_motion_quantity(m, ACTIO_Q_LEVELS_Y, x->point.t, x->point.y);
    double *by = x->a + x->unknowns * (x->rows + x->levels); /* behind the rows */
    for (size_t r = 0; r < x->levels; r++) {
        memset(by, 0, 2 * n * sizeof *by);
        for (size_t e = 0; e < at->count; e++)
            if (at->row[e] == r && at->col[e] < 2 * n) by[at->col[e]] += slope[e];
        put_row(x, by, by + n, x->a + x->rows++ * x->unknowns);
    }
}

static void sample(struct finding *x, const struct actio_reading *L, size_t k)
{
    const struct actio_turn *turn = x->turn;
    size_t i = k % turn->factors;
    actio_stand_move(&x->point, turn, i);
    for (size_t c = 0; c < turn->ny; c++) x->point.y[c] += SPREAD * random_part(x) * x->s->o.scale[c];
    const double *by = actio_reading_at(L);
    put_row(x, by, by + x->n, x->a + x->rows++ * x->unknowns);
    put_constraints(x);
}

/* Reduced rows: each has an entry 1 where all others have 0, so that simple generators look simple. */
static void reduce(size_t count, size_t width, double *rows)
{
    for (size_t k = 0; k < count; k++) {
        size_t best = k * width;
        for (size_t e = k * width; e < count * width; e++)
            if (fabs(rows[e]) > (1 + ROUNDING) * fabs(rows[best])) best = e;
        size_t row = best / width, col = best % width;
        double pivot = rows[best];
        for (size_t c = 0; c < width; c++) {
            double kept = rows[k * width + c];
            rows[k * width + c] = rows[row * width + c] / pivot;
            if (row != k) rows[row * width + c] = kept;
        }
        for (size_t r = 0; r < count; r++) {
            double part = rows[r * width + col];
            for (size_t c = 0; r != k && c < width; c++) rows[r * width + c] -= part * rows[k * width + c];
        }
    }
    for (size_t e = 0; e < count * width; e++)
        if (fabs(rows[e] - round(rows[e])) < ROUNDING) rows[e] = round(rows[e]);
}

/* From sizes of the coordinates to their own; the largest entry becomes 1. */
static void unscale(const struct finding *x, const double *from, double *to)
{
    size_t n = x->n;
    const double *scale = x->s->o.scale;
    double most = 0;
    memset(to, 0, (n + n * n) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] * scale[i];
        for (size_t j = 0; x->linear && j < n; j++) to[n + i * n + j] = from[n + i * n + j] * scale[i] / scale[j];
    }
    for (size_t k = 0; k < n + n * n; k++) most = fmax(most, fabs(to[k]));
    for (size_t k = 0; k < n + n * n; k++) to[k] /= most;
}

static size_t solve(struct finding *x, double *out, size_t most)
{
    struct actio_context *ctx = x->s->problem->ctx;
    size_t u = x->unknowns, n = x->n, wide = n + n * n, count = 0;
    double *basis = actio_alloc(ctx, u * u + actio_rank_work(x->rows, u) + 1, sizeof *basis);
    int *iwork = actio_alloc(ctx, x->rows + u + 1, sizeof *iwork);
    if (basis && iwork) {
        size_t rank = actio_row_bases_as_is(x->rows, u, x->a, RANK_TOL, basis, basis + u * u, iwork);
        count = u - rank;
        if (count > most) count = 0; /* free motion has more than anybody wants to read */
        for (size_t k = 0; k < count; k++) unscale(x, basis + (rank + k) * u, out + k * wide);
        reduce(count, wide, out);
    }
    actio_free(ctx, basis);
    actio_free(ctx, iwork);
    return count;
}

struct stage {
    struct finding *x;
    struct actio_reading reading;
};

static void form(void *user)
{
    struct stage *w = user;
    struct actio_formation *F = w->x->s->problem->sys->formation;
    actio_expr *e = actio_arena_array(&F->arena, 2 * F->n + 1, sizeof *e);
    memcpy(e, F->Lq, F->n * sizeof *e);
    memcpy(e + F->n, F->Lv, F->n * sizeof *e);
    actio_reading_make(&w->reading, w->x->s, e, 2 * F->n);
}

size_t actio_orbit_generators(struct actio_search *s, const struct actio_turn *turn, double *out, size_t most)
{
    struct actio_context *ctx = s->problem->ctx;
    struct actio_motion *m = &s->problem->motion;
    size_t n = s->problem->sys->n, count = 0;
    struct finding x = { .s = s, .turn = turn, .n = n, .levels = s->o.rows, .linear = n <= MOST_COORDS, .seed = 1 };
    if (!s->problem->model->has_lagrangian || n == 0) return 0;
    if (x.levels && actio_motion_need(m, ACTIO_Q_LEVELS_Y)) return 0;
    x.unknowns = x.linear ? n + n * n : n;
    size_t samples = x.unknowns + EXTRA;
    x.a = actio_alloc(ctx, (samples + 1) * (1 + x.levels) * x.unknowns + 2 * n + 1, sizeof *x.a);
    struct stage w = { .x = &x };
    if (x.a && actio_stand_open(&x.point, s, turn) == 0 && actio_attempt(ctx, form, &w) == 0) {
        actio_reading_bind(&w.reading, &x.point);
        for (size_t k = 0; k < samples; k++) sample(&x, &w.reading, k);
        count = solve(&x, out, most);
    }
    actio_reading_close(&w.reading);
    actio_stand_close(&x.point);
    actio_free(ctx, x.a);
    return count;
}
