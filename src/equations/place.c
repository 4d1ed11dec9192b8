/* SPDX-License-Identifier: Apache-2.0
 * From a formula along an axis to a formula of one lane. Fields have values at nodes, their means at cells; diff(E, s)
 * at a node or cell is the difference of
 * E half a step to either side, over the step: so one derivative lives at the cells, a second one at the nodes again.
 * [HAMEL E] */
#include "equations/field.h"

#include <math.h>
#include <string.h>

enum { FARTHEST = 6, DEEPEST = 8 }; /* half steps to either side; integrals within integrals */

/* ---- derivatives within derivatives */

static int depth_here(const struct actio_fields *w, const struct actio_node *n, const uint8_t *depth)
{
    const struct actio_pool *pool = &w->F->model->pool;
    const uint32_t arg[3] = { n->a, n->b, n->c };
    int most = 0;
    if (n->op == ACTIO_INTEGRAL || n->op == ACTIO_AT || n->op == ACTIO_RUNNING) return 0;
    for (int k = 0; k < actio_arity((enum actio_op)n->op); k++)
        if (depth[pool->place[arg[k]]] > most) most = depth[pool->place[arg[k]]];
    return most + (n->op == ACTIO_DIFF);
}

int actio_place_depth(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint8_t *depth = actio_form_array(w->F, cone.count, 1);
    for (uint32_t i = 0; i < cone.count; i++) depth[i] = (uint8_t)depth_here(w, &pool->node[cone.id[i]], depth);
    return depth[cone.count - 1];
}

/* Without a derivative a multiplier decides: it lives where its constraint does. */
static bool has_cell_multiplier(struct actio_fields *w, actio_expr e)
{
    const struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(&w->F->model->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL || pool->slot[n->a].space != ACTIO_SPACE_LAMBDA || !pool->slot[n->a].axis) continue;
        if (w->line && w->patch[w->line[pool->slot[n->a].index].patch].half) return true;
    }
    return false;
}

uint8_t actio_place_half(struct actio_fields *w, actio_expr e)
{
    int depth = actio_place_depth(w, e);
    return depth ? depth % 2 : has_cell_multiplier(w, e);
}

/* ---- one lane */

struct placing {
    struct actio_fields *w;
    uint16_t axis;  /* 0: at single places only */
    uint32_t count; /* cone of the formula in the model's pool */
    const uint32_t *id, *place;
    uint32_t *made[2 * FARTHEST + 1]; /* by half and place: id + 1 of what it became */
};
struct task {
    uint32_t id;
    int half;
};
struct tasks {
    struct task *at;
    uint32_t count, cap;
};

static uint32_t *memo(struct placing *p, struct task t)
{
    int k = t.half + FARTHEST;
    if (!p->made[k]) p->made[k] = actio_form_array(p->w->F, p->count, sizeof **p->made);
    return &p->made[k][p->place[t.id]];
}

static actio_expr slot_expr(struct placing *p, actio_slot s) { return actio_symbol_at(&p->w->F->pool, s); }

/* A stream that lives at `own` halves, at half h: itself, or the mean of its neighbours. */
static actio_expr stream_at(struct placing *p, actio_slot s, int own, int h)
{
    struct actio_pool *pool = &p->w->F->pool;
    int from = (h - own) >> 1; /* rounded down */
    bool between = (h - own) % 2 != 0, tilted = between && p->w->tilt && s.space == ACTIO_SPACE_V;
    s.offset = (int8_t)(from + (tilted && p->w->tilt > 0));
    actio_expr a = slot_expr(p, s);
    if (!between || tilted) return a;
    s.offset = (int8_t)(from + 1);
    return actio_mul(pool, actio_const(pool, 0.5), actio_add(pool, a, slot_expr(p, s)));
}

/* The number of a single coordinate takes the place of the variable's. */
static actio_slot numbered(const struct actio_fields *w, actio_slot s)
{
    if (s.space == ACTIO_SPACE_Q || s.space == ACTIO_SPACE_V || s.space == ACTIO_SPACE_ACC
        || s.space == ACTIO_SPACE_REACTION)
        s.index = (uint32_t)w->base[s.index];
    if (s.space == ACTIO_SPACE_LAMBDA && w->line) s.index = w->line[s.index].first;
    return s;
}

static actio_expr symbol_at(struct placing *p, actio_slot s, int h)
{
    struct actio_fields *w = p->w;
    if (s.axis == 0) return slot_expr(p, numbered(w, s));
    switch (s.space) {
    case ACTIO_SPACE_AXIS: /* index: of nodes, of cells */
        s.index = h & 1;
        s.offset = (int8_t)(h >> 1);
        return slot_expr(p, s);
    case ACTIO_SPACE_LAMBDA: return stream_at(p, s, w->patch[w->line[s.index].patch].half, h);
    default: return stream_at(p, s, 0, h);
    }
}

static actio_expr axis_number(const struct actio_pool *pool, actio_expr s)
{
    return (actio_expr){ pool->slot[pool->node[s.id].a].axis };
}

struct summing {
    actio_expr total;
    uint16_t axis;
};

static void add_sum(struct actio_fields *w, actio_expr e, uint8_t half, void *user)
{
    struct summing *s = user;
    struct actio_patch *p = actio_patch_of(w, s->axis, half);
    actio_expr local = actio_place_local(w, e, s->axis, half);
    uint32_t k =
        actio_field_sum(w, s->axis, half, actio_is_zero(local) ? local : actio_mul(&w->F->pool, p->weight, local));
    w->sum[k].density = local;
    s->total = actio_add(&w->F->pool, s->total, actio_symbol(&w->F->pool, ACTIO_SPACE_SUM, k));
}

static actio_expr integral_of(struct actio_fields *w, actio_expr e, uint16_t axis)
{
    struct summing s = { .axis = axis };
    if (++w->nested > DEEPEST) actio_field_refuse_depth(w);
    actio_place_split(w, e, axis, add_sum, &s);
    w->nested--;
    return s.total;
}

static actio_expr running_of(struct placing *p, actio_expr e, uint16_t axis, int h)
{
    struct actio_fields *w = p->w;
    actio_expr cell = actio_place_local(w, e, axis, 1);
    uint32_t k = 0;
    while (k < w->runs && (w->run[k].axis != axis || !actio_same(w->run[k].e, cell))) k++;
    if (k == w->runs)
        ACTIO_PUSH(&w->F->arena, w->run, w->runs, w->runs_cap) =
            (struct actio_running){ axis, cell, actio_field_level(w, cell) };
    return stream_at(p, (actio_slot){ .space = ACTIO_SPACE_RUNNING, .axis = axis, .index = k }, 0, h);
}

/* What stands at one place: between the two nearest lanes that have all they need. */
static actio_expr place_value_at(struct actio_fields *w, actio_expr e, uint16_t axis, actio_expr place)
{
    struct actio_pool *pool = &w->F->pool;
    uint8_t half = actio_place_half(w, e);
    const struct actio_patch *p = actio_patch_of(w, axis, half);
    actio_expr local = actio_place_local(w, e, axis, half);
    long low, high, lane;
    double theta;
    actio_place_reach(w, local, p, &low, &high);
    actio_place_interpolate(w->F->model, axis, actio_model_number(w->F->model, place), half, low, high, &lane, &theta);
    actio_expr a = actio_place_pin(w, local, p, lane);
    if (theta == 0) return a;
    return actio_add(pool, actio_mul(pool, actio_const(pool, 1 - theta), a),
                     actio_mul(pool, actio_const(pool, theta), actio_place_pin(w, local, p, lane + 1)));
}

/* Operands that are missing are requested; false then. */
static bool operands_made(struct placing *p, struct tasks *todo, const struct actio_node *n, int h, actio_expr out[3])
{
    const uint32_t arg[3] = { n->a, n->b, n->c };
    bool ready = true;
    for (int k = 0; k < actio_arity((enum actio_op)n->op); k++) {
        struct task t = { arg[k], h };
        uint32_t made = *memo(p, t);
        if (made) out[k] = (actio_expr){ made - 1 };
        else {
            ACTIO_PUSH(&p->w->F->arena, todo->at, todo->count, todo->cap) = t;
            ready = false;
        }
    }
    return ready;
}

static bool difference_made(struct placing *p, struct tasks *todo, const struct actio_node *n, int h, actio_expr *out)
{
    struct actio_pool *pool = &p->w->F->pool;
    uint16_t axis = (uint16_t)axis_number(&p->w->F->model->pool, (actio_expr){ n->b }).id;
    struct task side[2] = { { n->a, h - 1 }, { n->a, h + 1 } };
    bool ready = true;
    if (h - 1 < -FARTHEST || h + 1 > FARTHEST) actio_field_refuse_depth(p->w);
    for (int k = 0; k < 2; k++)
        if (!*memo(p, side[k])) {
            ACTIO_PUSH(&p->w->F->arena, todo->at, todo->count, todo->cap) = side[k];
            ready = false;
        }
    if (!ready) return false;
    actio_expr left = { *memo(p, side[0]) - 1 }, right = { *memo(p, side[1]) - 1 };
    *out = actio_mul(pool, actio_sub(pool, right, left), p->w->per_step[axis - 1]);
    return true;
}

static bool place_make(struct placing *p, struct tasks *todo, struct task t, actio_expr *out)
{
    struct actio_model *m = p->w->F->model;
    struct actio_node n = m->pool.node[t.id];
    actio_expr arg[3] = { { 0 }, { 0 }, { 0 } };
    switch (n.op) {
    case ACTIO_CONST: *out = actio_const(&p->w->F->pool, m->pool.value[n.a]); return true;
    case ACTIO_SYMBOL: *out = symbol_at(p, m->pool.slot[n.a], t.half); return true;
    case ACTIO_DIFF: return difference_made(p, todo, &n, t.half, out);
    case ACTIO_INTEGRAL:
        *out = integral_of(p->w, (actio_expr){ n.a }, (uint16_t)axis_number(&m->pool, (actio_expr){ n.b }).id);
        return true;
    case ACTIO_RUNNING:
        *out = running_of(p, (actio_expr){ n.a }, (uint16_t)axis_number(&m->pool, (actio_expr){ n.b }).id, t.half);
        return true;
    case ACTIO_AT:
        *out = place_value_at(p->w, (actio_expr){ n.a }, (uint16_t)axis_number(&m->pool, (actio_expr){ n.b }).id,
                              (actio_expr){ n.c });
        return true;
    default: break;
    }
    if (!operands_made(p, todo, &n, t.half, arg)) return false;
    *out = actio_rebuild(&p->w->F->pool, (enum actio_op)n.op, arg[0], arg[1], arg[2], (int32_t)n.b);
    return true;
}

actio_expr actio_place_local(struct actio_fields *w, actio_expr e, uint16_t axis, int half)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t *id = actio_form_array(w->F, cone.count, sizeof *id),
             *place = actio_form_array(w->F, e.id + 1, sizeof *place);
    memcpy(id, cone.id, cone.count * sizeof *id);
    for (uint32_t i = 0; i < cone.count; i++) place[id[i]] = i;
    struct placing p = { .w = w, .axis = axis, .count = cone.count, .id = id, .place = place };
    struct tasks todo = { 0 };
    struct task root = { e.id, half };
    ACTIO_PUSH(&w->F->arena, todo.at, todo.count, todo.cap) = root;
    while (todo.count) {
        struct task t = todo.at[todo.count - 1];
        actio_expr made;
        if (*memo(&p, t)) {
            todo.count--;
            continue;
        }
        if (!place_make(&p, &todo, t, &made)) continue;
        *memo(&p, t) = made.id + 1;
        todo.count--;
    }
    return (actio_expr){ *memo(&p, root) - 1 };
}

actio_expr actio_place_point(struct actio_fields *w, actio_expr e) { return actio_place_local(w, e, 0, 0); }

/* ---- single lanes */

static double place_place_of(const struct actio_model *m, uint16_t axis, uint8_t half, long lane)
{
    const struct actio_axis *x = &m->field.axis[axis - 1];
    double at = ((double)lane + 0.5 * half) / (double)(x->nodes - 1);
    return x->a + (x->b - x->a) * at;
}

static double weight_of(const struct actio_model *m, uint16_t axis, uint8_t half, long lane)
{
    const struct actio_axis *x = &m->field.axis[axis - 1];
    double h = (x->b - x->a) / (double)(x->nodes - 1);
    return half ? h : lane == 0 || lane == (long)x->nodes - 1 ? h / 2 : h;
}

static actio_expr pinned(struct actio_fields *w, actio_slot s, long lane)
{
    struct actio_pool *pool = &w->F->pool;
    long at = lane + s.offset;
    if (s.space == ACTIO_SPACE_AXIS)
        return actio_const(pool, place_place_of(w->F->model, s.axis, (uint8_t)s.index, at));
    if (s.space == ACTIO_SPACE_WEIGHT) return actio_const(pool, weight_of(w->F->model, s.axis, (uint8_t)s.index, at));
    if (s.space == ACTIO_SPACE_RUNNING)
        return actio_symbol_at(
            pool,
            (actio_slot){ .space = ACTIO_SPACE_RUNNING, .axis = 0, .index = (uint32_t)at, .offset = (int8_t)s.index });
    size_t first = s.space == ACTIO_SPACE_LAMBDA ? w->line[s.index].first : w->base[s.index];
    return actio_symbol_at(pool, (actio_slot){ .space = s.space, .index = (uint32_t)((long)first + at) });
}

/* Symbols of streams in the cone of a local formula. */
static uint32_t streams_in(struct actio_fields *w, actio_expr e, actio_expr **out)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *list = NULL;
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op == ACTIO_SYMBOL && pool->slot[n->a].axis)
            ACTIO_PUSH(&w->F->arena, list, count, cap) = (actio_expr){ cone.id[i] };
    }
    *out = list;
    return count;
}

actio_expr actio_place_pin(struct actio_fields *w, actio_expr local, const struct actio_patch *p, long lane)
{
    actio_expr *from;
    uint32_t count = streams_in(w, local, &from);
    actio_expr *to = actio_form_array(w->F, count, sizeof *to);
    for (uint32_t i = 0; i < count; i++) to[i] = pinned(w, actio_slot_of(&w->F->pool, from[i]), lane);
    (void)p;
    return count ? actio_substitute(&w->F->pool, local, from, to, count) : local;
}

/* How far a stream goes before its first lane and behind its last. */
static void stream_range(struct actio_fields *w, actio_slot s, long *first, long *last)
{
    long nodes = (long)w->F->model->field.axis[s.axis - 1].nodes;
    bool cells = ((s.space == ACTIO_SPACE_AXIS || s.space == ACTIO_SPACE_WEIGHT) && s.index)
                 || (s.space == ACTIO_SPACE_LAMBDA && w->patch[w->line[s.index].patch].half);
    bool of_field = s.space == ACTIO_SPACE_Q || s.space == ACTIO_SPACE_V || s.space == ACTIO_SPACE_ACC
                    || s.space == ACTIO_SPACE_REACTION;
    *first = of_field ? -(long)w->left[s.index] : 0;
    *last = nodes - 1 - cells + (of_field ? (long)w->right[s.index] : 0);
}

void actio_place_reach(struct actio_fields *w, actio_expr local, const struct actio_patch *p, long *low, long *high)
{
    actio_expr *list;
    uint32_t count = streams_in(w, local, &list);
    *low = -(long)p->half;
    *high = (long)p->lanes - 1 + p->half; /* a cell beyond an end serves for values at the end, where there is one */
    for (uint32_t i = 0; i < count; i++) {
        actio_slot s = actio_slot_of(&w->F->pool, list[i]);
        long first, last;
        if (s.space == ACTIO_SPACE_AXIS) continue; /* places have no end */
        stream_range(w, s, &first, &last);
        if (first - s.offset > *low) *low = first - s.offset;
        if (last - s.offset < *high) *high = last - s.offset;
    }
}

void actio_place_interpolate(const struct actio_model *m, uint16_t axis, double place, uint8_t half, long low,
                             long high, long *lane, double *theta)
{
    const struct actio_axis *x = &m->field.axis[axis - 1];
    double at = (place - x->a) / (x->b - x->a) * (double)(x->nodes - 1) - 0.5 * half, near = nearbyint(at);
    if (fabs(at - near) < 1e-9 * (1 + fabs(at))) at = near;
    long j = (long)floor(at);
    if (j > high - 1) j = high - 1;
    if (j < low) j = low;
    *lane = j;
    *theta = at - (double)j;
    if (low >= high) {
        *lane = low;
        *theta = 0;
    } else if (*theta == 1) {
        *lane = j + 1;
        *theta = 0;
    }
}

/* ---- top-level terms */

struct term {
    actio_expr factor, e;
    bool minus;
};

static bool is_free(struct actio_fields *w, actio_expr e) /* of fields and what else is computed */
{
    const struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(&w->F->model->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op == ACTIO_SYMBOL && pool->slot[n->a].axis && pool->slot[n->a].space != ACTIO_SPACE_AXIS) return false;
        if (n->op == ACTIO_RUNNING) return false;
    }
    return true;
}

/* factor*(a + b) is factor*a + factor*b where the factor is free of fields. */
static bool open_up(struct actio_fields *w, struct term t, struct term out[2], int *count)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_node n = pool->node[t.e.id];
    actio_expr a = { n.a }, b = { n.b };
    *count = 1;
    switch (n.op) {
    case ACTIO_ADD:
    case ACTIO_SUB:
        out[0] = (struct term){ t.factor, a, t.minus };
        out[1] = (struct term){ t.factor, b, t.minus ^ (n.op == ACTIO_SUB) };
        *count = 2;
        return true;
    case ACTIO_NEG: out[0] = (struct term){ t.factor, a, !t.minus }; return true;
    case ACTIO_MUL:
        if (is_free(w, a) && !is_free(w, b)) {
            out[0] = (struct term){ actio_mul(pool, t.factor, a), b, t.minus };
            return true;
        }
        if (is_free(w, b) && !is_free(w, a)) {
            out[0] = (struct term){ actio_mul(pool, t.factor, b), a, t.minus };
            return true;
        }
        return false;
    case ACTIO_DIV:
        if (!is_free(w, b) || is_free(w, a)) return false;
        out[0] = (struct term){ actio_div(pool, t.factor, b), a, t.minus };
        return true;
    default: return false;
    }
}

void actio_place_split(struct actio_fields *w, actio_expr density, uint16_t axis, actio_part_fn *part, void *user)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct term *stack = NULL, more[2];
    uint32_t count = 0, cap = 0;
    int parts;
    (void)axis;
    ACTIO_PUSH(&w->F->arena, stack, count, cap) = (struct term){ actio_const(pool, 1), density, false };
    while (count) {
        struct term t = stack[--count];
        if (open_up(w, t, more, &parts)) {
            for (int k = parts; k-- > 0;) ACTIO_PUSH(&w->F->arena, stack, count, cap) = more[k];
            continue;
        }
        actio_expr e = actio_mul(pool, t.factor, t.e);
        part(w, t.minus ? actio_neg(pool, e) : e, actio_place_half(w, t.e), user);
    }
}
