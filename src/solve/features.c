/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/features.h"
#include "kernel/narrow.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

enum { NODES = ACTIO_LOOKS, INNER = 5, DEEPEST = 40, MOST_PIECES = 20000 };
/* looks at a piece of a step */
static const double piece_at[INNER + 2] = { 0, .05, .31, .53, .77, .96, 1 };

#define ROUNDED 1e-13 /* of a result: so much may be missed */
#define EXPLAINED 2.0 /* times slope and range of the operand: what is missed is explained */
#define STEEP 30.0    /* times the slope seen: elsewhere it is another function */
#define STAYS 0.02    /* of what the step missed: pieces that miss less are not looked into */
#define SHOWS 0.05    /* of what the step missed: a look that shows so much has found it */
#define AHEAD 8.0     /* widths before the place, where steps become as short as it is */
#define WIDENED 0.1   /* of the range between looks */

struct features_hull {
    double lo, hi, slope; /* of the results at the looks but the most extreme one; the second steepest */
};

struct features_found {
    double start, length;
    bool any;
};

struct actio_features {
    struct actio_motion *m;
    struct actio_narrow *narrow;
    actio_slot *slot;
    size_t inputs, tests, outputs, found, lost, pieces;
    double *in, *value, *missed, *out, *y, *dy, *weight, *step_missed;
    struct actio_range *range, *state;
    struct actio_narrow_point *look;
    struct actio_narrow_range *over;
    struct features_hull *hull;
    bool *flagged;
    struct actio_looks at; /* the states and slopes in hand */
    bool *feeds;           /* by component of the state: an operation that is tested depends on it */
    double local, pending;
    double (*limit)(void *user, double t, const double *y);
    size_t n;
};

/* ---- states of a part of the step */

static double node_of(double from, double to, double x) { return x == 1 ? to : from + x * (to - from); }

/* States and slopes at `count` places of a part. */
static void read_states(struct actio_features *f, const struct actio_inside *inside, double from, double to,
                        const double *at, size_t count)
{
    f->at = (struct actio_looks){ f->y, f->dy, f->n };
    for (size_t k = 0; k < count; k++)
        inside->slope(inside->where, node_of(from, to, at[k]), f->y + k * f->n, f->dy + k * f->n);
}

static void stretch(struct actio_range *r, double x)
{
    if (x < r->lo) r->lo = x;
    if (x > r->hi) r->hi = x;
}

/* Between neighbours the state is a cubic: in the hull of its control points. fed: only what operations that are tested
 * depend on. */
static void enclose_states(struct actio_features *f, double from, double to, const double *at, size_t count, bool fed)
{
    for (size_t i = 0; i < f->n; i++) {
        if (fed && !f->feeds[i]) continue;
        struct actio_range r = actio_range_at(f->at.y[i]);
        for (size_t k = 0; k + 1 < count; k++) {
            double h = (to - from) * (at[k + 1] - at[k]) / 3;
            const double *y = f->at.y + k * f->at.stride + i, *dy = f->at.dy + k * f->at.stride + i;
            double next = y[f->at.stride], slope = dy[f->at.stride];
            stretch(&r, next);
            stretch(&r, y[0] + h * dy[0]);
            stretch(&r, next - h * slope);
        }
        double more = WIDENED * (r.hi - r.lo);
        f->state[i] = actio_range_of(r.lo - more, r.hi + more);
    }
}

/* Place of an input in the state, or SIZE_MAX. */
static size_t place_of(const struct actio_features *f, actio_slot s)
{
    const struct actio_motion *m = f->m;
    switch (s.space) {
    case ACTIO_SPACE_Q: return s.index;
    case ACTIO_SPACE_V: return m->n + s.index;
    case ACTIO_SPACE_STATE: return 2 * m->n + s.index;
    default: return SIZE_MAX;
    }
}

static void set_inputs(struct actio_features *f, double t, const double *y)
{
    const struct actio_bound *b = &f->m->at[ACTIO_Q_MATRIX];
    for (size_t i = 0; i < f->inputs; i++) {
        size_t at = place_of(f, f->slot[i]);
        f->in[i] = f->slot[i].space == ACTIO_SPACE_T ? t : at < SIZE_MAX ? y[at] : *b->in[i].p;
    }
}

static void set_ranges(struct actio_features *f, double from, double to)
{
    const struct actio_bound *b = &f->m->at[ACTIO_Q_MATRIX];
    for (size_t i = 0; i < f->inputs; i++) {
        size_t at = place_of(f, f->slot[i]);
        if (f->slot[i].space == ACTIO_SPACE_T) f->range[i] = actio_range_of(fmin(from, to), fmax(from, to));
        else f->range[i] = at < SIZE_MAX ? f->state[at] : actio_range_at(*b->in[i].p);
    }
}

/* ---- what the looks show */

/* Results of each operation at the looks; the most extreme one is left out of their hull: one lucky look explains
 * nothing. */
static void look_at(struct actio_features *f, double from, double to, const double *at, size_t first, size_t count)
{
    const double *pre = f->m->at[ACTIO_Q_MATRIX].pre;
    for (size_t k = 0; k < count; k++) {
        set_inputs(f, node_of(from, to, at[first + k]), f->at.y + (first + k) * f->at.stride);
        actio_narrow_sample(f->narrow, f->in, pre, f->look + k * f->tests);
    }
}

static void put_second(double x, double *best, double *second)
{
    if (x > *best) {
        *second = *best;
        *best = x;
    } else if (x > *second) *second = x;
}

static struct features_hull hull_of(const struct actio_features *f, size_t test, size_t count)
{
    double hi[2] = { -HUGE_VAL, -HUGE_VAL }, lo[2] = { -HUGE_VAL, -HUGE_VAL }, slope[2] = { 0, 0 };
    for (size_t k = 0; k < count; k++) {
        const struct actio_narrow_point *p = &f->look[k * f->tests + test];
        put_second(p->value, &hi[0], &hi[1]);
        put_second(-p->value, &lo[0], &lo[1]);
        put_second(p->slope, &slope[0], &slope[1]);
    }
    return (struct features_hull){ -lo[1], hi[1], slope[1] };
}

static double missed_beyond(const struct features_hull *h, struct actio_range value)
{
    return fmax(fmax(value.hi - h->hi, h->lo - value.lo), 0);
}

static double size_of(struct actio_range a) { return fmax(fabs(a.lo), fabs(a.hi)); }

/* Does an operation take values that its looks do not explain? */
static bool surprises(const struct features_hull *h, const struct actio_narrow_range *over, double missed)
{
    double width = over->operand.hi - over->operand.lo;
    if (!(missed > ROUNDED * size_of(over->value))) return false;
    if (!(missed <= EXPLAINED * h->slope * width)) return true;
    return size_of(over->slope) > STEEP * h->slope && missed > h->hi - h->lo;
}

/* ---- does it matter? */

/* What a unit of each output of the MATRIX quantity does to accelerations and rates, about. */
static void weigh_outputs(struct actio_features *f, double t, const double *y, const double *dy)
{
    struct actio_motion *m = f->m;
    const struct actio_system *sys = m->sys;
    const double *v = actio_motion_quantity(m, ACTIO_Q_MATRIX, t, y), *zdot = dy + m->n;
    double *mass = f->value, *row = mass + m->N, most = 0;
    memset(mass, 0, (m->N + m->p) * sizeof *mass);
    for (size_t e = 0; e < sys->G.count; e++) mass[sys->G.row[e]] = fmax(mass[sys->G.row[e]], fabs(v[e]));
    for (size_t e = 0; e < sys->A.count; e++) row[sys->A.row[e]] = fmax(row[sys->A.row[e]], fabs(v[sys->G.count + e]));
    for (size_t i = 0; i < m->N; i++) most = fmax(most, fabs(zdot[i]));
    double *w = f->weight;
    for (size_t e = 0; e < sys->G.count; e++) *w++ = fabs(zdot[sys->G.col[e]]) / mass[sys->G.row[e]];
    for (size_t e = 0; e < sys->A.count; e++) *w++ = fabs(zdot[sys->A.col[e]]) / row[sys->A.row[e]];
    for (size_t e = 0; e < sys->D.count; e++) *w++ = most / row[sys->D.row[e]];
    for (size_t i = 0; i < m->N; i++) *w++ = 1 / mass[i];
    for (size_t k = 0; k < m->p; k++) *w++ = 1 / row[k];
}

static bool matters(struct actio_features *f, double length)
{
    double most = 0;
    for (size_t k = 0; k < f->tests; k++)
        if (!f->flagged[k]) f->missed[k] = 0;
    actio_narrow_missed(f->narrow, f->range, f->m->at[ACTIO_Q_MATRIX].pre, f->missed, f->out);
    for (size_t j = 0; j < f->outputs; j++) {
        double effect = f->out[j] == 0 ? 0 : f->out[j] * f->weight[j];
        if (!(effect <= most)) most = effect == effect ? effect : HUGE_VAL;
    }
    return most * fabs(length) > f->local;
}

/* ---- where it is */

/* A look that shows what the step missed, of an operation that is explained here. */
static bool shows(const struct actio_features *f, const bool *step_flagged)
{
    for (size_t k = 0; k < f->tests; k++) {
        if (!step_flagged[k] || f->flagged[k]) continue;
        double margin = SHOWS * f->step_missed[k];
        for (size_t s = 0; s < INNER; s++) {
            double x = f->look[s * f->tests + k].value;
            if (x > f->hull[k].hi + margin || x < f->hull[k].lo - margin) return true;
        }
    }
    return false;
}

/* Operations that surprise on a piece: as on a step, or still much of what the step missed. */
static bool flag_piece(struct actio_features *f, const bool *step_flagged)
{
    bool any = false;
    for (size_t k = 0; k < f->tests; k++) {
        struct features_hull h = hull_of(f, k, INNER);
        double missed = missed_beyond(&h, f->over[k].value);
        bool stays =
            step_flagged[k] && !(missed <= EXPLAINED * (h.hi - h.lo)) && !(missed <= STAYS * f->step_missed[k]);
        f->missed[k] = missed;
        f->flagged[k] = stays || surprises(&h, &f->over[k], missed);
        any |= f->flagged[k];
    }
    return any;
}

static void keep_found(struct actio_features *f, struct features_found *place, double from, double to)
{
    double length = fabs(to - from), way = to > from ? 1 : -1;
    if (!place->any || way * from < way * place->start) place->start = from;
    if (!place->any || length < place->length) place->length = length;
    place->any = true;
    (void)f;
}

static void explore(struct actio_features *f, const struct actio_inside *inside, double from, double to, int depth,
                    const bool *step_flagged, struct features_found *place)
{
    if (++f->pieces > MOST_PIECES || actio_stopped(f->m->ctx)) {
        f->lost++;
        return;
    }
    read_states(f, inside, from, to, piece_at, INNER + 2);
    enclose_states(f, from, to, piece_at, INNER + 2, false);
    look_at(f, from, to, piece_at, 1, INNER);
    set_ranges(f, from, to);
    actio_narrow_enclose(f->narrow, f->range, f->m->at[ACTIO_Q_MATRIX].pre, f->over);
    bool flagged = flag_piece(f, step_flagged), shown = shows(f, step_flagged);
    if (!flagged || !matters(f, to - from)) {
        if (shown) keep_found(f, place, from, to);
        return;
    }
    double middle = from + (to - from) / 2;
    if (depth == DEEPEST || middle == from || middle == to) {
        f->lost++;
        return;
    }
    explore(f, inside, from, middle, depth + 1, step_flagged, place);
    explore(f, inside, middle, to, depth + 1, step_flagged, place);
}

/* Does the step have to be looked into? */
static bool flag_step(struct actio_features *f, const struct actio_inside *inside, double from, double to)
{
    bool any = false;
    if (!inside->looks(inside->where, from, to, &f->at)) read_states(f, inside, from, to, actio_look_places, NODES);
    enclose_states(f, from, to, actio_look_places, NODES, true);
    set_ranges(f, from, to);
    if (actio_narrow_is_calm(f->narrow, f->range, f->m->at[ACTIO_Q_MATRIX].pre)) return false;
    enclose_states(f, from, to, actio_look_places, NODES, false);
    set_ranges(f, from, to);
    look_at(f, from, to, actio_look_places, 0, NODES);
    actio_narrow_enclose(f->narrow, f->range, f->m->at[ACTIO_Q_MATRIX].pre, f->over);
    for (size_t k = 0; k < f->tests; k++) {
        f->hull[k] = hull_of(f, k, NODES);
        f->step_missed[k] = f->missed[k] = missed_beyond(&f->hull[k], f->over[k].value);
        f->flagged[k] = surprises(&f->hull[k], &f->over[k], f->missed[k]);
        any |= f->flagged[k];
    }
    if (!any) return false;
    weigh_outputs(f, from, f->at.y, f->at.dy);
    return matters(f, to - from);
}

static double features_vet(void *user, double from, double to, const struct actio_inside *inside)
{
    struct actio_features *f = ((struct actio_motion *)user)->features;
    struct features_found place = { 0 };
    double way = to > from ? 1 : -1;
    if (!inside->slope || !flag_step(f, inside, from, to)) return to;
    bool *step_flagged = f->flagged + f->tests;
    memcpy(step_flagged, f->flagged, f->tests * sizeof *step_flagged);
    f->pieces = 0;
    explore(f, inside, from, node_of(from, to, .5), 1, step_flagged, &place);
    explore(f, inside, node_of(from, to, .5), to, 1, step_flagged, &place);
    if (!place.any || fabs(to - from) <= 2.1 * place.length) return to;
    f->found++;
    f->pending = 2 * place.length;
    double before = place.start - way * AHEAD * place.length;
    return way * (before - from) > place.length ? before : from + way * 2 * place.length;
}

static double features_limit(void *user, double t, const double *y)
{
    struct actio_features *f = ((struct actio_motion *)user)->features;
    double most = f->pending;
    f->pending = HUGE_VAL;
    return f->limit ? fmin(most, f->limit(user, t, y)) : most;
}

struct actio_ode actio_features_over(struct actio_features *f, struct actio_ode flow, double local)
{
    if (!f) return flow;
    f->local = local;
    f->limit = flow.limit;
    f->pending = HUGE_VAL;
    f->found = f->lost = 0;
    flow.limit = features_limit;
    flow.vet = features_vet;
    return flow;
}

size_t actio_features_found(const struct actio_features *f) { return f ? f->found : 0; }
size_t actio_features_lost(const struct actio_features *f) { return f ? f->lost : 0; }

/* ---- its life */

static bool features_take_memory(struct actio_features *f)
{
    struct actio_context *ctx = f->m->ctx;
    size_t most = INNER + 2 > NODES ? INNER + 2 : NODES, n = f->n, tests = f->tests + 1;
    struct {
        double **p;
        size_t n;
    } part[] = { { &f->in, f->inputs },   { &f->value, f->m->N + f->m->p },
                 { &f->missed, tests },   { &f->step_missed, tests },
                 { &f->out, f->outputs }, { &f->weight, f->outputs },
                 { &f->y, most * n },     { &f->dy, most * n } };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (!(*part[i].p = actio_alloc(ctx, part[i].n + 1, sizeof(double)))) return false;
    f->range = actio_alloc(ctx, f->inputs + 1, sizeof *f->range);
    f->state = actio_alloc(ctx, n + 1, sizeof *f->state);
    f->look = actio_alloc(ctx, most * tests, sizeof *f->look);
    f->over = actio_alloc(ctx, tests, sizeof *f->over);
    f->hull = actio_alloc(ctx, tests, sizeof *f->hull);
    f->flagged = actio_alloc(ctx, 2 * tests, sizeof *f->flagged);
    f->feeds = actio_alloc(ctx, n + 1, sizeof *f->feeds);
    return f->range && f->state && f->look && f->over && f->hull && f->flagged && f->feeds;
}

int actio_features_open(struct actio_features **out, struct actio_motion *m)
{
    const struct actio_kernel *k = m->at[ACTIO_Q_MATRIX].k;
    const actio_slot *slots;
    *out = NULL;
    if (!k) return 0;
    struct actio_narrow *narrow = actio_narrow_open(m->ctx, k);
    if (!narrow) return 1;
    if (actio_narrow_tests(narrow) == 0) {
        actio_narrow_close(narrow, m->ctx);
        return 0;
    }
    struct actio_features *f = *out = actio_alloc(m->ctx, 1, sizeof *f);
    if (!f) {
        actio_narrow_close(narrow, m->ctx);
        return 1;
    }
    f->m = m;
    f->narrow = narrow;
    f->n = m->ny;
    f->tests = actio_narrow_tests(narrow);
    f->inputs = actio_kernel_inputs(k, &slots);
    f->outputs = actio_kernel_outputs(k);
    f->slot = actio_alloc(m->ctx, f->inputs + 1, sizeof *f->slot);
    if (f->slot) memcpy(f->slot, slots, f->inputs * sizeof *slots);
    if (f->slot && features_take_memory(f)) {
        for (size_t i = 0; i < f->inputs; i++) {
            size_t place = place_of(f, f->slot[i]);
            if (place < SIZE_MAX) f->feeds[place] |= actio_narrow_reads(narrow, i);
        }
        return 0;
    }
    actio_features_close(f);
    *out = NULL;
    return 1;
}

void actio_features_close(struct actio_features *f)
{
    if (!f) return;
    struct actio_context *ctx = f->m->ctx;
    void *parts[] = { f->in,    f->value, f->missed, f->step_missed, f->out,  f->weight,  f->y,    f->dy,
                      f->range, f->state, f->look,   f->over,        f->hull, f->flagged, f->slot, f->feeds };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(ctx, parts[i]);
    actio_narrow_close(f->narrow, ctx);
    actio_free(ctx, f);
}
