/* SPDX-License-Identifier: Apache-2.0
 * The stage on which orbits are looked for: sizes, and directions along the manifold of the constraints. */
#include "solve/orbit.h"
#include "algebra/dense.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

#define RANK_TOL 1e-9
#define SMALL 1e-3
#define ROUNDING 1e-12

int actio_circuit_open(struct actio_circuit *l, struct actio_context *ctx, size_t ny, size_t room)
{
    *l = (struct actio_circuit){ .ny = ny, .room = room };
    l->y = actio_alloc(ctx, room * (ny + 1) + 1, sizeof *l->y);
    l->at = l->y ? l->y + room * ny : NULL;
    return l->y == NULL;
}

void actio_circuit_close(struct actio_circuit *l, struct actio_context *ctx)
{
    actio_free(ctx, l->y);
    l->y = NULL;
}

void actio_circuit_copy(struct actio_circuit *to, const struct actio_circuit *from)
{
    to->nodes = from->nodes;
    to->period = from->period;
    memcpy(to->y, from->y, from->nodes * from->ny * sizeof *to->y);
    memcpy(to->at, from->at, from->nodes * sizeof *to->at);
}

double actio_orbit_time(const struct actio_orbit *o, const struct actio_circuit *l, size_t node)
{
    return o->t0 + (node < l->nodes ? l->at[node] : 1) * l->period;
}

int actio_orbit_ended(int bad, struct actio_orbit_report *reported)
{
    reported->motion = bad > 0 ? bad : 0;
    reported->status = bad == 0                       ? ACTIO_ORBIT_FOUND
                       : bad == ACTIO_FLOW_STOPPED    ? ACTIO_ORBIT_STOPPED
                       : bad == ACTIO_MARCH_NO_MEMORY ? ACTIO_ORBIT_NO_MEMORY
                       : bad == ACTIO_ORBIT_RESTS     ? ACTIO_ORBIT_AT_REST
                       : bad < 0                      ? ACTIO_ORBIT_DIVERGED
                                                      : ACTIO_ORBIT_MOTION_FAILS;
    return reported->status;
}

/* Rows of the constraints at y in scaled components, into o->level. */
static void scaled_rows(struct actio_orbit *o, double t, const double *y)
{
    const struct actio_places *at = &o->m->sys->jets.levels_y;
    const double *v = actio_motion_quantity(o->m, ACTIO_Q_LEVELS_Y, t, y);
    memset(o->level, 0, o->rows * o->ny * sizeof *o->level);
    for (size_t e = 0; e < at->count; e++) o->level[at->row[e] * o->ny + at->col[e]] += v[e] * o->scale[at->col[e]];
}

static size_t rank_there(struct actio_orbit *o, double t, const double *y, double *basis)
{
    if (o->rows == 0) return 0;
    scaled_rows(o, t, y);
    return actio_row_bases(o->rows, o->ny, o->level, RANK_TOL, basis, o->work, o->iwork);
}

int actio_orbit_directions(struct actio_orbit *o, double t, const double *y, double *Q, double *lift)
{
    size_t ny = o->ny, d = o->d;
    double *basis = o->work + actio_rank_work(o->rows, ny), defect;
    if (lift) memset(lift, 0, ny * sizeof *lift);
    if (o->rows == 0) {
        memset(Q, 0, ny * d * sizeof *Q);
        for (size_t i = 0; i < d; i++) Q[i * d + i] = 1;
        return 0;
    }
    if (rank_there(o, t, y, basis) != ny - d) return 1;
    for (size_t i = 0; i < ny; i++)
        for (size_t j = 0; j < d; j++) Q[i * d + j] = basis[(ny - d + j) * ny + i];
    if (!lift || !o->x.by_param) return 0;
    scaled_rows(o, t, y);
    const double *v = actio_motion_quantity(o->m, ACTIO_Q_LEVELS_Y, t, y) + o->m->sys->jets.levels_y.count;
    double *b = basis;
    for (size_t r = 0; r < o->rows; r++) b[r] = -v[r];
    actio_min_norm(o->rows, ny, o->level, b, RANK_TOL, lift, &defect, o->work, o->iwork);
    for (size_t i = 0; i < ny; i++) lift[i] *= o->scale[i];
    return 0;
}

/* Of one kind (positions, velocities, states): what is rounding beside others is as large as they are. */
static void even_out(double *scale, size_t count)
{
    double most = 0;
    for (size_t j = 0; j < count; j++) most = isfinite(scale[j]) ? fmax(most, scale[j]) : most;
    for (size_t j = 0; j < count; j++) {
        bool counts = scale[j] > ROUNDING * most && isfinite(scale[j]);
        scale[j] = counts ? fmax(scale[j], SMALL * most) : most > 0 ? most : 1;
    }
}

/* A component that hardly changes gets its size from what it is the rate of, or from its rate; else from its value;
 * else it is 1. */
void actio_orbit_sizes(struct actio_orbit *o, const double *range, const double *value, double period)
{
    size_t n = o->m->n;
    const double turns = 6.283185307179586 / (period > 0 ? period : 1);
    for (size_t i = 0; i < o->ny; i++) {
        double partner = i < n ? range[n + i] / turns : i < 2 * n ? range[i - n] * turns : 0;
        o->scale[i] = fmax(range[i], 0.03 * value[i]);
        if (o->scale[i] == 0) o->scale[i] = 0.1 * partner;
    }
    even_out(o->scale, n);
    even_out(o->scale + n, n);
    even_out(o->scale + 2 * n, o->ny - 2 * n);
}

int actio_orbit_open(struct actio_orbit *o, struct actio_context *ctx, struct actio_motion *m, double t0,
                     const double *y)
{
    size_t ny = m->ny, rows = m->sys->holonomic + m->sys->levels, big = ny > rows ? ny : rows;
    *o = (struct actio_orbit){ .ctx = ctx, .m = m, .ny = ny, .rows = rows, .t0 = t0, .free_period = true };
    size_t work = actio_rank_work(rows, ny) + ny * ny + big;
    o->block = actio_alloc(ctx, 2 * ny + rows * ny + work + 1, sizeof(double));
    o->iwork = actio_alloc(ctx, ny + rows + 1, sizeof *o->iwork);
    o->bblock = actio_alloc(ctx, ny + 1, sizeof *o->bblock);
    if (!o->block || !o->iwork || !o->bblock) return 1;
    o->scale = o->block;
    o->turn = o->scale + ny;
    o->level = o->turn + ny;
    o->work = o->level + rows * ny;
    o->loose = o->bblock;
    for (size_t i = 0; i < ny; i++) o->scale[i] = 1;
    if (actio_tangent_open(&o->x, ctx, m, ny + 1)) return 1; /* makes room for the params' direction */
    o->x.size = o->scale;
    if (rows && actio_motion_need(m, ACTIO_Q_LEVELS_Y)) return 1;
    o->d = ny - rank_there(o, t0, y, o->work + actio_rank_work(rows, ny));
    return 0;
}

void actio_orbit_close(struct actio_orbit *o)
{
    if (!o->ctx) return;
    actio_tangent_close(&o->x);
    actio_free(o->ctx, o->block);
    actio_free(o->ctx, o->iwork);
    actio_free(o->ctx, o->bblock);
}

/* One segment's states at the places in it; what it misses the next node by is spread over it. */
static int lay_segment(struct actio_orbit *o, const struct actio_circuit *l, size_t i, const double *at, size_t count,
                       double *y, double *state)
{
    size_t ny = o->ny;
    bool last = i + 1 == l->nodes;
    double from = l->at[i], to = last ? 1 : l->at[i + 1], s = from;
    const double *next = last ? l->y : l->y + (i + 1) * ny;
    memcpy(state, l->y + i * ny, ny * sizeof *state);
    for (size_t k = 0; k <= count; k++) {
        double place = k < count ? at[k] : to;
        int bad = place > s
                      ? actio_tangent_go(&o->x, o->t0 + s * l->period, o->t0 + place * l->period, state, NULL, 0, 1e-9)
                      : 0;
        if (bad) return bad;
        s = fmax(s, place);
        if (k < count) memcpy(y + k * ny, state, ny * sizeof *y);
    }
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < ny; c++)
            y[k * ny + c] -= (state[c] - next[c] - (last ? o->turn[c] : 0)) * (at[k] - from) / (to - from);
    return 0;
}

int actio_orbit_states(struct actio_orbit *o, const struct actio_circuit *l, const double *at, size_t count, double *y)
{
    double *state = actio_alloc(o->ctx, o->ny + 1, sizeof *state);
    int bad = state ? 0 : ACTIO_MARCH_NO_MEMORY;
    actio_tangent_rewind(&o->x);
    for (size_t i = 0, first = 0, end; i < l->nodes && !bad; i++, first = end) {
        double to = i + 1 < l->nodes ? l->at[i + 1] : 1;
        for (end = first; end < count && at[end] < to;) end++;
        bad = lay_segment(o, l, i, at + first, end - first, y + first * o->ny, state);
    }
    actio_free(o->ctx, state);
    return bad;
}

bool actio_orbit_returns(struct actio_orbit *o)
{
    size_t held;
    if (actio_tangent_returns(&o->x, &held)) return true;
    o->m->halted.why = ACTIO_STOP_HELD_PARTS;
    o->m->halted.by = held;
    return false;
}
