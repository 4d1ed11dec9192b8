/* SPDX-License-Identifier: Apache-2.0
 * Programs over nodes and cells, block by block so that what a block makes is still in the cache when it is added up.
 * Sums go by blocks in their order:
 * the same bits whatever the machine. */
#include "solve/lanes.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, HALO = 8 }; /* lanes at a time; places known beyond the ends */

/* moves: inputs that are 1: coordinates, 2: velocities */
struct bound_stage {
    const struct actio_stage *stage;
    struct actio_arg *in, *now;
    double *pre, *work, **out, *scratch, *kept;
    size_t inputs, outputs;
    unsigned char *moves;
};

struct actio_lanes {
    struct actio_context *ctx;
    const struct actio_system *sys;
    const struct actio_streams *streams;
    struct actio_sources from;
    struct bound_stage *at;
    double **place[2], **weight, *step; /* by axis: of nodes and cells; of nodes; of cells, one number */
    double *sum, **run;
};

static size_t run_length(const struct actio_lanes *l, size_t k)
{
    for (size_t i = 0; i < l->streams->stages; i++) {
        const struct actio_stage *s = &l->streams->stage[i];
        size_t outs = actio_kernel_outputs(s->kernel);
        for (size_t j = 0; j < outs; j++)
            if (s->out[j].how == ACTIO_STREAM_RUN && s->out[j].at == k) return s->lanes + 1;
    }
    return 0;
}

static void fill_axis(struct actio_lanes *l, size_t a)
{
    const struct actio_axis_numbers *x = &l->sys->field.axis[a];
    double h = (x->b - x->a) / (double)(x->nodes - 1);
    l->step[a] = h;
    for (size_t half = 0; half < 2; half++)
        for (long i = -HALO; i < (long)x->nodes + HALO; i++)
            l->place[half][a][i + HALO] =
                x->a + (x->b - x->a) * (((double)i + 0.5 * (double)half) / (double)(x->nodes - 1));
    for (size_t i = 0; i < x->nodes; i++) l->weight[a][i] = i == 0 || i + 1 == x->nodes ? h / 2 : h;
}

static bool take_axes(struct actio_lanes *l)
{
    size_t axes = l->sys->field.axes;
    bool ok = true;
    l->step = actio_alloc(l->ctx, axes + 1, sizeof *l->step);
    l->weight = actio_alloc(l->ctx, axes + 1, sizeof *l->weight);
    l->place[0] = actio_alloc(l->ctx, axes + 1, sizeof **l->place);
    l->place[1] = actio_alloc(l->ctx, axes + 1, sizeof **l->place);
    if (!l->step || !l->weight || !l->place[0] || !l->place[1]) return false;
    for (size_t a = 0; a < axes && ok; a++) {
        size_t nodes = l->sys->field.axis[a].nodes;
        l->weight[a] = actio_alloc(l->ctx, nodes + 1, sizeof(double));
        for (size_t half = 0; half < 2; half++)
            l->place[half][a] = actio_alloc(l->ctx, nodes + 2 * HALO, sizeof(double));
        ok = l->weight[a] && l->place[0][a] && l->place[1][a];
        if (ok) fill_axis(l, a);
    }
    return ok;
}

static const double *stream_of(const struct actio_lanes *l, actio_slot s)
{
    const struct actio_sources *f = &l->from;
    const struct {
        uint8_t space;
        const double *p;
        bool rows;
    } of[] = {
        { ACTIO_SPACE_Q, f->q, false },
        { ACTIO_SPACE_V, f->v, false },
        { ACTIO_SPACE_ACC, f->acc, false },
        { ACTIO_SPACE_REACTION, f->reaction, false },
        { ACTIO_SPACE_LAMBDA, f->lambda, true },
        { ACTIO_SPACE_MU, f->mu, true },
        { ACTIO_SPACE_INVERSE, f->inverse, false },
        { ACTIO_SPACE_FREE, f->free, false },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].space == s.space)
            return of[i].p + (s.axis ? of[i].rows ? l->sys->field.row[s.index] : l->sys->field.base[s.index] : s.index);
    return NULL;
}

static struct actio_arg source_of(const struct actio_lanes *l, actio_slot s)
{
    switch (s.space) {
    case ACTIO_SPACE_T: return (struct actio_arg){ l->from.t, 0 };
    case ACTIO_SPACE_PARAM: return (struct actio_arg){ l->from.param + s.index, 0 };
    case ACTIO_SPACE_HIDDEN: return (struct actio_arg){ l->from.hidden + s.index, 0 };
    case ACTIO_SPACE_SUM: return (struct actio_arg){ l->sum + s.index, 0 };
    case ACTIO_SPACE_AXIS: return (struct actio_arg){ l->place[s.index][s.axis - 1] + HALO + s.offset, 1 };
    case ACTIO_SPACE_WEIGHT:
        return s.index ? (struct actio_arg){ l->step + s.axis - 1, 0 }
                       : (struct actio_arg){ l->weight[s.axis - 1] + s.offset, 1 };
    case ACTIO_SPACE_RUNNING:
        return s.axis ? (struct actio_arg){ l->run[s.index] + s.offset, 1 }
                      : (struct actio_arg){ l->run[s.offset] + s.index, 0 };
    default: return (struct actio_arg){ stream_of(l, s) + (s.axis ? s.offset : 0), s.axis != 0 };
    }
}

static bool bind_stage(struct actio_lanes *l, struct bound_stage *b, const struct actio_stage *stage)
{
    const actio_slot *slots;
    const struct actio_kernel *k = stage->kernel;
    b->stage = stage;
    b->inputs = actio_kernel_inputs(k, &slots);
    b->outputs = actio_kernel_outputs(k);
    b->in = actio_alloc(l->ctx, 2 * b->inputs + 1, sizeof *b->in);
    b->pre = actio_alloc(l->ctx, actio_kernel_pre(k) + 1, sizeof *b->pre);
    b->work = actio_alloc(l->ctx, actio_kernel_work(k) + 1, sizeof *b->work);
    b->out = actio_alloc(l->ctx, b->outputs + 1, sizeof *b->out);
    b->scratch = actio_alloc(l->ctx, BLOCK * b->outputs + 1, sizeof *b->scratch);
    b->kept = actio_alloc(l->ctx, 2 * b->outputs + 1, sizeof *b->kept);
    b->moves = actio_alloc(l->ctx, b->inputs + 1, 1);
    if (!b->moves || !b->in || !b->pre || !b->work || !b->out || !b->scratch || !b->kept) return false;
    b->now = b->in + b->inputs;
    for (size_t i = 0; i < b->inputs; i++) {
        b->in[i] = source_of(l, slots[i]);
        b->in[i].p += b->in[i].lane * (ptrdiff_t)stage->first;
        b->moves[i] = slots[i].space == ACTIO_SPACE_Q ? 1 : slots[i].space == ACTIO_SPACE_V ? 2 : 0;
    }
    return true;
}

static bool run_prologue(struct actio_lanes *l, struct bound_stage *b)
{
    const actio_slot *slots;
    size_t params = actio_kernel_params(b->stage->kernel, &slots);
    struct actio_arg *given = actio_alloc(l->ctx, params + 1, sizeof *given);
    for (size_t i = 0; given && i < params; i++) given[i] = source_of(l, slots[i]);
    if (given) actio_kernel_prologue(b->stage->kernel, 1, given, b->pre, b->work);
    actio_free(l->ctx, given);
    return given != NULL;
}

void actio_lanes_prologue(struct actio_lanes *l)
{
    for (size_t i = 0; i < l->streams->stages; i++) run_prologue(l, &l->at[i]);
}

struct actio_lanes *actio_lanes_open(struct actio_context *ctx, const struct actio_system *sys,
                                     const struct actio_streams *streams, const struct actio_sources *from)
{
    struct actio_lanes *l = actio_alloc(ctx, 1, sizeof *l);
    if (!l) return NULL;
    *l = (struct actio_lanes){ .ctx = ctx, .sys = sys, .streams = streams, .from = *from };
    l->at = actio_alloc(ctx, streams->stages + 1, sizeof *l->at);
    l->sum = actio_alloc(ctx, streams->sums + 1, sizeof *l->sum);
    l->run = actio_alloc(ctx, streams->runs + 1, sizeof *l->run);
    bool ok = l->at && l->sum && l->run && take_axes(l);
    for (size_t k = 0; ok && k < streams->runs; k++)
        ok = (l->run[k] = actio_alloc(ctx, run_length(l, k) + 2 * HALO, sizeof(double))) != NULL;
    for (size_t i = 0; ok && i < streams->stages; i++)
        ok = bind_stage(l, &l->at[i], &streams->stage[i]) && run_prologue(l, &l->at[i]);
    if (ok) return l;
    actio_lanes_close(l);
    return NULL;
}

void actio_lanes_close(struct actio_lanes *l)
{
    if (!l) return;
    struct actio_context *ctx = l->ctx;
    for (size_t i = 0; l->at && i < l->streams->stages; i++) {
        void *all[] = { l->at[i].in,      l->at[i].pre,  l->at[i].work, l->at[i].out,
                        l->at[i].scratch, l->at[i].kept, l->at[i].moves };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) actio_free(ctx, all[k]);
    }
    for (size_t a = 0; a < l->sys->field.axes; a++) {
        for (size_t half = 0; half < 2; half++)
            if (l->place[half]) actio_free(ctx, l->place[half][a]);
        if (l->weight) actio_free(ctx, l->weight[a]);
    }
    for (size_t k = 0; l->run && k < l->streams->runs; k++) actio_free(ctx, l->run[k]);
    void *all[] = { l->at, l->sum, l->run, l->step, l->weight, l->place[0], l->place[1], l };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) actio_free(ctx, all[k]);
}

/* ---- evaluation */

static double total(const double *x, size_t n)
{
    double part[8] = { 0 };
    size_t i = 0;
    for (; i + 7 < n; i += 8)
        for (size_t j = 0; j < 8; j++) part[j] += x[i + j];
    for (size_t j = 0; i < n; i++, j++) part[j] += x[i];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* x += y, what rounding takes goes to `lost`. */
static void carry(double *x, double *lost, double y)
{
    double sum = *x + y;
    *lost += fabs(*x) >= fabs(y) ? (*x - sum) + y : (y - sum) + *x;
    *x = sum;
}

static void take_block(struct actio_lanes *l, const struct actio_stream *o, const double *x, size_t first, size_t n,
                       double *value, double kept[2])
{
    switch (o->how) {
    case ACTIO_STREAM_PUT: break;
    case ACTIO_STREAM_ADD:
        for (size_t i = 0; i < n; i++) value[o->at + first + i] += x[i];
        break;
    case ACTIO_STREAM_TOTAL:
    case ACTIO_STREAM_SUM: carry(&kept[0], &kept[1], total(x, n)); break;
    case ACTIO_STREAM_RUN:
        for (size_t i = 0; i < n; i++) {
            carry(&kept[0], &kept[1], o->step * x[i]);
            l->run[o->at][first + i + 1] = kept[0] + kept[1];
        }
        break;
    }
}

/* Ends where a formula has no neighbours: straight on. */
static void fill_ends(const struct actio_lanes *l, const struct actio_stage *s, double *x)
{
    size_t lanes = l->sys->field.axis[s->axis - 1].nodes - s->half, behind = lanes - s->first - s->lanes;
    double left = s->lanes > 1 ? x[0] - x[1] : 0, right = s->lanes > 1 ? x[s->lanes - 1] - x[s->lanes - 2] : 0,
           *last = x + s->lanes - 1;
    for (size_t i = 1; i <= s->first; i++) x[-(ptrdiff_t)i] = x[0] + (double)i * left;
    for (size_t i = 1; i <= behind; i++) last[i] = last[0] + (double)i * right;
}

/* q, v: how far the state lies from the one that is bound. */
static void eval_stage(struct actio_lanes *l, struct bound_stage *b, ptrdiff_t q, ptrdiff_t v, double *value)
{
    const struct actio_stage *s = b->stage;
    const ptrdiff_t apart[] = { 0, q, v };
    double *kept = b->kept;
    memset(kept, 0, 2 * b->outputs * sizeof *kept);
    for (size_t first = 0; first < s->lanes; first += BLOCK) {
        size_t n = s->lanes - first < BLOCK ? s->lanes - first : BLOCK;
        for (size_t i = 0; i < b->inputs; i++)
            b->now[i] =
                (struct actio_arg){ b->in[i].p + apart[b->moves[i]] + b->in[i].lane * (ptrdiff_t)first, b->in[i].lane };
        for (size_t j = 0; j < b->outputs; j++)
            b->out[j] = s->out[j].how == ACTIO_STREAM_PUT ? value + s->out[j].at + first : b->scratch + j * BLOCK;
        actio_kernel_eval(s->kernel, n, b->now, b->pre, 1, b->out, b->work);
        for (size_t j = 0; j < b->outputs; j++) take_block(l, &s->out[j], b->out[j], first, n, value, kept + 2 * j);
    }
    for (size_t j = 0; j < b->outputs; j++) {
        const struct actio_stream *o = &s->out[j];
        if (o->how == ACTIO_STREAM_TOTAL) value[o->at] += kept[2 * j] + kept[2 * j + 1];
        if (o->how == ACTIO_STREAM_SUM) l->sum[o->at] = kept[2 * j] + kept[2 * j + 1];
        if (o->how == ACTIO_STREAM_PUT && o->fill) fill_ends(l, s, value + o->at);
    }
}

void actio_lanes_eval(struct actio_lanes *l, double *value)
{
    memset(value, 0, l->streams->values * sizeof *value);
    for (size_t i = 0; i < l->streams->stages; i++) eval_stage(l, &l->at[i], 0, 0, value);
}

void actio_lanes_eval_at(struct actio_lanes *l, const double *q, const double *v, double *value)
{
    for (size_t i = 0; i < l->streams->stages; i++) eval_stage(l, &l->at[i], q - l->from.q, v - l->from.v, value);
}

struct actio_lanes_stage actio_lanes_stage(const struct actio_lanes *l, size_t stage)
{
    const struct bound_stage *b = &l->at[stage];
    return (struct actio_lanes_stage){ b->stage->kernel, b->in, b->pre, b->work };
}
