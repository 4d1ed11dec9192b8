/* SPDX-License-Identifier: Apache-2.0
 * The unit of each formula: one forward pass over all nodes, with one rule an operation. A quantity without a unit
 * takes any. */
#include "verdict/unit_checking.h"

#include <math.h>
#include <string.h>

const actio_quantity actio_unit_unknown;
const actio_quantity actio_unit_pure = { .known = true };

static bool is_pure(const actio_quantity *q) { return actio_same_powers(q, &actio_unit_pure); }

/* ---- what two quantities say about each other */

enum actio_unit_clash_kind actio_unit_meet(const actio_quantity *a, const actio_quantity *b)
{
    if (!a->known || !b->known) return ACTIO_UNIT_AGREE;
    if (!actio_same_powers(a, b)) return a->number || b->number ? ACTIO_UNIT_WITH_NUMBER : ACTIO_UNIT_DIFFERENT;
    return a->number || b->number || actio_same_size(a, b) ? ACTIO_UNIT_AGREE : ACTIO_UNIT_OTHER_SIZE;
}

/* The unit of a sum: the better known one of the two; a number beside something without a unit makes that a pure
 * number. */
static actio_quantity joined(const actio_quantity *a, const actio_quantity *b)
{
    bool second = !a->known || (b->known && !b->number && (a->number || a->loose));
    actio_quantity q = second ? *b : *a;
    q.loose = q.loose || q.number;
    q.number = false;
    return q;
}

/* 1/2, 3, 8/3, 1/16: factors of physics. Others (0.01, 60, pi/180) may convert, and then sizes mean nothing. */
static bool may_convert(double x)
{
    int e;
    if (frexp(fabs(x), &e) == 0.5 && e > -12 && e < 12) return false;
    for (int q = 1; q <= 9; q++) {
        double p = fabs(x) * q;
        if (p > 0.5 && p < 9.5 && fabs(p - round(p)) < 1e-12) return false;
    }
    return true;
}

/* ---- rules */

struct node {
    uint32_t id;
    enum actio_op op;
    int32_t k;
    uint32_t arg[3];
    actio_quantity v[3];
};

typedef actio_quantity rule_fn(struct actio_unit_checking *c, const struct node *n);

static void blame(struct actio_unit_checking *c, const struct node *n, enum actio_unit_clash_kind clash, int a, int b)
{
    ACTIO_PUSH(&c->arena, c->fault, c->faults, c->faults_cap) =
        (struct actio_unit_misfit){ n->id, n->arg[a], n->arg[b], clash };
}

static actio_quantity constant(struct actio_unit_checking *c, const struct node *n)
{
    double x = actio_const_value(&c->model->pool, (actio_expr){ n->id });
    if (x == 0 || c->numbers_are_data) return actio_unit_unknown;
    return (actio_quantity){ .known = true, .number = true, .loose = may_convert(x) };
}

static actio_quantity symbol(struct actio_unit_checking *c, const struct node *n)
{
    actio_slot s = actio_slot_of(&c->model->pool, (actio_expr){ n->id });
    actio_quantity rate;
    switch (s.space) {
    case ACTIO_SPACE_T: return c->time;
    case ACTIO_SPACE_PARAM: return c->param[s.index];
    case ACTIO_SPACE_Q: return c->coord[s.index];
    case ACTIO_SPACE_STATE: return c->state[s.index];
    case ACTIO_SPACE_HELD: return c->held[s.index];
    case ACTIO_SPACE_V: return actio_quantity_product(&c->coord[s.index], &c->time, -1);
    case ACTIO_SPACE_SDOT: return actio_quantity_product(&c->state[s.index], &c->time, -1);
    case ACTIO_SPACE_ACC:
        rate = actio_quantity_product(&c->coord[s.index], &c->time, -1);
        return actio_quantity_product(&rate, &c->time, -1);
    default: return actio_unit_unknown;
    }
}

static actio_quantity same(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    return n->v[0];
}

static actio_quantity anything_to_pure(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    (void)n;
    return actio_unit_pure;
}

static actio_quantity whole_power(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_power(&n->v[0], n->k);
}

static actio_quantity root(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_power(&n->v[0], 0.5);
}

static actio_quantity function(struct actio_unit_checking *c, const struct node *n)
{
    const actio_quantity *x = &n->v[0];
    if (x->known && !is_pure(x)) blame(c, n, ACTIO_UNIT_ARGUMENT, 0, 0);
    else if (x->known && !actio_same_size(x, &actio_unit_pure)) blame(c, n, ACTIO_UNIT_ARGUMENT_SIZE, 0, 0);
    return actio_unit_pure;
}

static actio_quantity together(struct actio_unit_checking *c, const struct node *n, int a, int b)
{
    enum actio_unit_clash_kind clash = actio_unit_meet(&n->v[a], &n->v[b]);
    if (clash == ACTIO_UNIT_AGREE) return joined(&n->v[a], &n->v[b]);
    blame(c, n, clash, a, b);
    return actio_unit_unknown;
}

static actio_quantity sum(struct actio_unit_checking *c, const struct node *n) { return together(c, n, 0, 1); }

static actio_quantity compared(struct actio_unit_checking *c, const struct node *n)
{
    together(c, n, 0, 1);
    return actio_unit_pure;
}

static actio_quantity chosen(struct actio_unit_checking *c, const struct node *n) { return together(c, n, 1, 2); }

static actio_quantity units_product(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_product(&n->v[0], &n->v[1], 1);
}

static actio_quantity quotient(struct actio_unit_checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_product(&n->v[0], &n->v[1], -1);
}

/* a^b. A param as exponent may have any value: nothing follows. One that changes would change the unit. */
static actio_quantity power(struct actio_unit_checking *c, const struct node *n)
{
    const struct actio_pool *pool = &c->model->pool;
    actio_expr exponent = { n->arg[1] };
    const actio_quantity *a = &n->v[0], *b = &n->v[1];
    if (actio_is_const(pool, exponent)) return actio_quantity_power(a, actio_const_value(pool, exponent));
    if (b->known && !is_pure(b)) blame(c, n, ACTIO_UNIT_EXPONENT, 1, 1);
    if (!a->known) return actio_unit_unknown;
    if (is_pure(a)) return (actio_quantity){ .known = true, .loose = true };
    if (actio_level_of(pool, exponent) > ACTIO_LV_PARAM) blame(c, n, ACTIO_UNIT_BASE, 0, 0);
    return actio_unit_unknown;
}

static rule_fn *const rules[ACTIO_OP_COUNT] = {
    [ACTIO_CONST] = constant,
    [ACTIO_SYMBOL] = symbol,
    [ACTIO_NEG] = same,
    [ACTIO_ABS] = same,
    [ACTIO_SIGN] = anything_to_pure,
    [ACTIO_POWI] = whole_power,
    [ACTIO_SQRT] = root,
    [ACTIO_SIN] = function,
    [ACTIO_COS] = function,
    [ACTIO_TAN] = function,
    [ACTIO_ASIN] = function,
    [ACTIO_ACOS] = function,
    [ACTIO_ATAN] = function,
    [ACTIO_SINH] = function,
    [ACTIO_COSH] = function,
    [ACTIO_TANH] = function,
    [ACTIO_ERF] = function,
    [ACTIO_EXP] = function,
    [ACTIO_LOG] = function,
    [ACTIO_ADD] = sum,
    [ACTIO_SUB] = sum,
    [ACTIO_MIN] = sum,
    [ACTIO_MAX] = sum,
    [ACTIO_ATAN2] = compared,
    [ACTIO_FLOOR] = function,
    [ACTIO_MOD] = sum,
    [ACTIO_HYPOT] = sum,
    [ACTIO_AND] = anything_to_pure,
    [ACTIO_OR] = anything_to_pure,
    [ACTIO_NOT] = anything_to_pure,
    [ACTIO_LT] = compared,
    [ACTIO_LE] = compared,
    [ACTIO_IF] = chosen,
    [ACTIO_MUL] = units_product,
    [ACTIO_DIV] = quotient,
    [ACTIO_POW] = power,
};

/* ---- the pass */

static struct node look_at(const struct actio_unit_checking *c, uint32_t id)
{
    const struct actio_pool *pool = &c->model->pool;
    const struct actio_node *at = &pool->node[id];
    struct node n = { .id = id, .op = (enum actio_op)at->op, .k = (int32_t)at->b, .arg = { at->a, at->b, at->c } };
    for (int i = 0; i < actio_arity(n.op); i++) n.v[i] = c->q[pool->place[n.arg[i]]];
    return n;
}

void actio_unit_pass(struct actio_unit_checking *c)
{
    struct actio_pool *pool = &c->model->pool;
    const struct actio_model *m = c->model;
    size_t own = 2 * (size_t)c->count, all = own + 2 * m->written.sums;
    actio_expr *roots = actio_arena_array(&c->arena, all + 1, sizeof *roots);
    for (uint32_t i = 0; i < c->count; i++) {
        roots[2 * i] = c->list[i].e;
        roots[2 * i + 1] = c->list[i].other;
    }
    for (size_t i = 0; i < m->written.sums; i++) {
        roots[own + 2 * i] = m->written.sum[i].a;
        roots[own + 2 * i + 1] = m->written.sum[i].b;
    }
    struct actio_cone cone = actio_cone_of(pool, roots, all);
    c->ids = cone.count;
    c->q = actio_arena_array(&c->arena, (size_t)cone.count + 1, sizeof *c->q);
    c->id = actio_arena_array(&c->arena, (size_t)cone.count + 1, sizeof *c->id);
    memcpy(c->id, cone.id, cone.count * sizeof *c->id);
    c->faults = 0;
    for (uint32_t i = 0; i < c->ids; i++) {
        struct node n = look_at(c, c->id[i]);
        c->q[i] = rules[n.op] ? rules[n.op](c, &n) : actio_unit_unknown;
        if ((i & 65535) == 0) actio_poll(c->model->ctx);
    }
}

actio_quantity actio_unit_of(const void *checking, uint32_t id)
{
    const struct actio_unit_checking *c = checking;
    uint32_t low = 0, high = c->ids;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (c->id[mid] <= id) low = mid;
        else high = mid;
    }
    return low < c->ids && c->id[low] == id ? c->q[low] : actio_unit_unknown;
}
