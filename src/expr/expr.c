/* SPDX-License-Identifier: Apache-2.0
 * The pool: constructors that simplify without changing a value, then share; cones; plain evaluation. */
#include "expr/expr.h"
#include "base/findings.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *text;
    int arity;
} ops[] = {
#define OP(name, arity, text, c_text) { text, arity },
#include "expr/ops.def"
#undef OP
};
static const uint8_t space_level[] = {
#define SPACE(name, level, accent, meaning) ACTIO_LV_##level,
#include "expr/spaces.def"
#undef SPACE
};

int actio_arity(enum actio_op op) { return ops[op].arity; }
const char *actio_op_text(enum actio_op op) { return ops[op].text; }

/* ---- sharing */

static uint32_t mix(uint32_t h, uint32_t x) { return (h ^ x) * 0x9E3779B1u ^ (h >> 15); }

static uint32_t hash_node(const struct actio_node *n) { return mix(mix(mix(n->op, n->a), n->b), n->c); }

static uint32_t hash_value(double x)
{
    uint32_t w[2];
    memcpy(w, &x, sizeof w);
    return mix(mix(ACTIO_CONST, w[0]), w[1]);
}

static uint32_t hash_slot(actio_slot s)
{
    return mix(mix(ACTIO_SYMBOL, s.index), ((uint32_t)s.space << 24) ^ ((uint32_t)(uint8_t)s.offset << 16) ^ s.axis);
}

static uint32_t hash_of(const struct actio_pool *pool, uint32_t id)
{
    const struct actio_node *n = &pool->node[id];
    if (n->op == ACTIO_CONST) return hash_value(pool->value[n->a]);
    if (n->op == ACTIO_SYMBOL) return hash_slot(pool->slot[n->a]);
    return hash_node(n);
}

static void rehash(struct actio_pool *pool)
{
    uint32_t size = pool->buckets ? 2 * pool->buckets : 256;
    pool->bucket = actio_arena_array(pool->arena, size, sizeof *pool->bucket); /* holds id + 1 */
    pool->buckets = size;
    for (uint32_t id = 0; id < pool->count; id++) {
        uint32_t at = hash_of(pool, id) & (size - 1);
        while (pool->bucket[at]) at = (at + 1) & (size - 1);
        pool->bucket[at] = id + 1;
    }
}

static bool same_node(const struct actio_pool *pool, uint32_t id, const struct actio_node *n, double value,
                      actio_slot slot)
{
    const struct actio_node *m = &pool->node[id];
    if (m->op != n->op) return false;
    if (n->op == ACTIO_CONST) return memcmp(&pool->value[m->a], &value, sizeof value) == 0;
    if (n->op == ACTIO_SYMBOL) {
        const actio_slot *s = &pool->slot[m->a];
        return s->space == slot.space && s->index == slot.index && s->offset == slot.offset && s->axis == slot.axis;
    }
    return m->a == n->a && m->b == n->b && m->c == n->c;
}

static void check_budget(struct actio_pool *pool)
{
    struct actio_context *ctx = pool->arena->ctx;
    if (pool->count >= ctx->nodes_limit) {
        if (ctx->findings)
            actio_report(ctx->findings, ACTIO_F_TOO_MANY_NODES, ACTIO_ARGS(ACTIO_COUNT(ctx->nodes_limit)));
        actio_escape(ctx);
    }
    if ((pool->count & 4095) == 0) actio_poll(ctx);
}

static actio_expr intern(struct actio_pool *pool, struct actio_node n, double value, actio_slot slot)
{
    if (2 * (size_t)pool->count >= pool->buckets) rehash(pool);
    uint32_t h = n.op == ACTIO_CONST ? hash_value(value) : n.op == ACTIO_SYMBOL ? hash_slot(slot) : hash_node(&n);
    uint32_t mask = pool->buckets - 1, at = h & mask;
    for (; pool->bucket[at]; at = (at + 1) & mask)
        if (same_node(pool, pool->bucket[at] - 1, &n, value, slot)) return (actio_expr){ pool->bucket[at] - 1 };
    check_budget(pool);
    if (n.op == ACTIO_CONST) {
        n.a = pool->values;
        ACTIO_PUSH(pool->arena, pool->value, pool->values, pool->values_cap) = value;
    } else if (n.op == ACTIO_SYMBOL) {
        n.a = pool->slots;
        ACTIO_PUSH(pool->arena, pool->slot, pool->slots, pool->slots_cap) = slot;
    }
    ACTIO_PUSH(pool->arena, pool->node, pool->count, pool->cap) = n;
    pool->bucket[at] = pool->count;
    return (actio_expr){ pool->count - 1 };
}

void actio_pool_open(struct actio_pool *pool, struct actio_arena *arena)
{
    *pool = (struct actio_pool){ .arena = arena };
    actio_const(pool, 0); /* id 0 */
}

actio_expr actio_const(struct actio_pool *pool, double x)
{
    if (x == 0) x = 0; /* one zero: -0.0 too */
    return intern(pool, (struct actio_node){ .op = ACTIO_CONST, .level = ACTIO_LV_CONST }, x, (actio_slot){ 0 });
}

actio_expr actio_symbol_at(struct actio_pool *pool, actio_slot slot)
{
    return intern(pool, (struct actio_node){ .op = ACTIO_SYMBOL, .level = space_level[slot.space] }, 0, slot);
}

actio_expr actio_symbol(struct actio_pool *pool, enum actio_space space, uint32_t index)
{
    return actio_symbol_at(pool, (actio_slot){ .space = (uint8_t)space, .index = index });
}

/* ---- constructors */

static enum actio_op op_of(const struct actio_pool *pool, actio_expr e) { return (enum actio_op)pool->node[e.id].op; }
static actio_expr arg_a(const struct actio_pool *pool, actio_expr e) { return (actio_expr){ pool->node[e.id].a }; }
static actio_expr arg_b(const struct actio_pool *pool, actio_expr e) { return (actio_expr){ pool->node[e.id].b }; }
static uint8_t higher(uint8_t a, uint8_t b) { return a > b ? a : b; }

static actio_expr node1(struct actio_pool *pool, enum actio_op op, actio_expr a, uint32_t b)
{
    return intern(pool, (struct actio_node){ .op = (uint8_t)op, .level = pool->node[a.id].level, .a = a.id, .b = b }, 0,
                  (actio_slot){ 0 });
}

static actio_expr node2(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b)
{
    uint8_t level = higher(pool->node[a.id].level, pool->node[b.id].level);
    return intern(pool, (struct actio_node){ .op = (uint8_t)op, .level = level, .a = a.id, .b = b.id }, 0,
                  (actio_slot){ 0 });
}

static bool is_value(const struct actio_pool *pool, actio_expr e, double x)
{
    return actio_is_const(pool, e) && actio_const_value(pool, e) == x;
}

static bool power_of_two(double x)
{
    int e;
    return x != 0 && isfinite(x) && fabs(frexp(x, &e)) == 0.5 && e > -200 && e < 200;
}

static bool is_scale(const struct actio_pool *pool, actio_expr e)
{
    return actio_is_const(pool, e) && power_of_two(actio_const_value(pool, e));
}

static actio_expr expr_scaled(struct actio_pool *pool, actio_expr c, actio_expr x);

/* e = c x with c a power of two (either sign): moving such factors about is exact, so they gather outside and meet
 * there. */
static double scale_of(const struct actio_pool *pool, actio_expr e, actio_expr *x)
{
    *x = e;
    if (op_of(pool, e) != ACTIO_MUL || !is_scale(pool, arg_a(pool, e))) return 1;
    *x = arg_b(pool, e);
    return actio_const_value(pool, arg_a(pool, e));
}

/* c x + c y = c (x + y), c x - c y = c (x - y); sign is that of the second term. False when the factors differ. */
static bool common_scale(struct actio_pool *pool, actio_expr a, actio_expr b, int sign, actio_expr *sum)
{
    actio_expr x, y;
    double c = scale_of(pool, a, &x), d = scale_of(pool, b, &y);
    if (c == 1 || fabs(c) != fabs(d)) return false;
    actio_expr inner = c * d * sign > 0 ? actio_add(pool, x, y) : actio_sub(pool, x, y);
    *sum = actio_is_zero(inner) ? inner : expr_scaled(pool, actio_const(pool, c), inner);
    return true;
}

actio_expr actio_neg(struct actio_pool *pool, actio_expr a)
{
    if (actio_is_const(pool, a)) return actio_const(pool, -actio_const_value(pool, a));
    switch (op_of(pool, a)) {
    case ACTIO_NEG: return arg_a(pool, a);
    case ACTIO_SUB: return actio_sub(pool, arg_b(pool, a), arg_a(pool, a));
    case ACTIO_MUL:
        if (actio_is_const(pool, arg_a(pool, a)))
            return actio_mul(pool, actio_neg(pool, arg_a(pool, a)), arg_b(pool, a));
        break;
    default: break;
    }
    return node1(pool, ACTIO_NEG, a, 0);
}

actio_expr actio_add(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool, actio_const_value(pool, a) + actio_const_value(pool, b));
    if (actio_is_zero(a)) return b;
    if (actio_is_zero(b)) return a;
    if (op_of(pool, b) == ACTIO_NEG) return actio_sub(pool, a, arg_a(pool, b));
    if (op_of(pool, a) == ACTIO_NEG) return actio_sub(pool, b, arg_a(pool, a));
    if (actio_same(a, b)) return actio_mul(pool, actio_const(pool, 2), a);
    actio_expr sum;
    if (common_scale(pool, a, b, 1, &sum)) return sum;
    return a.id < b.id ? node2(pool, ACTIO_ADD, a, b) : node2(pool, ACTIO_ADD, b, a);
}

actio_expr actio_sub(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool, actio_const_value(pool, a) - actio_const_value(pool, b));
    if (actio_is_zero(b)) return a;
    if (actio_is_zero(a)) return actio_neg(pool, b);
    if (op_of(pool, b) == ACTIO_NEG) return actio_add(pool, a, arg_a(pool, b));
    if (op_of(pool, a) == ACTIO_NEG) return actio_neg(pool, actio_add(pool, arg_a(pool, a), b));
    actio_expr sum;
    if (common_scale(pool, a, b, -1, &sum)) return sum;
    return node2(pool, ACTIO_SUB, a, b);
}

/* A constant factor stands first; constant factors are joined only when that is exact. */
static actio_expr expr_scaled(struct actio_pool *pool, actio_expr c, actio_expr x)
{
    if (is_value(pool, c, 1)) return x;
    if (is_value(pool, c, -1)) return actio_neg(pool, x);
    if (op_of(pool, x) == ACTIO_NEG) return expr_scaled(pool, actio_neg(pool, c), arg_a(pool, x));
    if (op_of(pool, x) == ACTIO_MUL && actio_is_const(pool, arg_a(pool, x))
        && (is_scale(pool, c) || is_scale(pool, arg_a(pool, x)))) {
        double product = actio_const_value(pool, c) * actio_const_value(pool, arg_a(pool, x));
        return expr_scaled(pool, actio_const(pool, product), arg_b(pool, x));
    }
    return node2(pool, ACTIO_MUL, c, x);
}

actio_expr actio_mul(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool, actio_const_value(pool, a) * actio_const_value(pool, b));
    if (actio_is_const(pool, a)) return expr_scaled(pool, a, b);
    if (actio_is_const(pool, b)) return expr_scaled(pool, b, a);
    if (op_of(pool, a) == ACTIO_NEG) return actio_neg(pool, actio_mul(pool, arg_a(pool, a), b));
    if (op_of(pool, b) == ACTIO_NEG) return actio_neg(pool, actio_mul(pool, a, arg_a(pool, b)));
    if (actio_same(a, b)) return actio_power(pool, a, 2);
    /* a power of two moves out of a product, so that d(x^2/2) is x */
    if (op_of(pool, a) == ACTIO_MUL && is_scale(pool, arg_a(pool, a)))
        return expr_scaled(pool, arg_a(pool, a), actio_mul(pool, arg_b(pool, a), b));
    if (op_of(pool, b) == ACTIO_MUL && is_scale(pool, arg_a(pool, b)))
        return expr_scaled(pool, arg_a(pool, b), actio_mul(pool, a, arg_b(pool, b)));
    return a.id < b.id ? node2(pool, ACTIO_MUL, a, b) : node2(pool, ACTIO_MUL, b, a);
}

actio_expr actio_div(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool, actio_const_value(pool, a) / actio_const_value(pool, b));
    if (is_value(pool, b, 1)) return a;
    if (is_scale(pool, b)) return expr_scaled(pool, actio_const(pool, 1 / actio_const_value(pool, b)), a);
    if (op_of(pool, a) == ACTIO_NEG) return actio_neg(pool, actio_div(pool, arg_a(pool, a), b));
    if (op_of(pool, b) == ACTIO_NEG) return actio_neg(pool, actio_div(pool, a, arg_a(pool, b)));
    actio_expr x, y;
    double c = scale_of(pool, a, &x) / scale_of(pool, b, &y);
    if (c != 1 && power_of_two(c)) return expr_scaled(pool, actio_const(pool, c), node2(pool, ACTIO_DIV, x, y));
    return node2(pool, ACTIO_DIV, a, b);
}

actio_expr actio_power(struct actio_pool *pool, actio_expr a, int32_t k)
{
    if (k == 0) return actio_const(pool, 1);
    if (k == 1) return a;
    if (actio_is_const(pool, a)) return actio_const(pool, actio_powi(actio_const_value(pool, a), k));
    if (k == -1) return actio_div(pool, actio_const(pool, 1), a);
    if (op_of(pool, a) == ACTIO_NEG) {
        actio_expr p = actio_power(pool, arg_a(pool, a), k);
        return k % 2 == 0 ? p : actio_neg(pool, p);
    }
    actio_expr x;
    double c = scale_of(pool, a, &x), ck = c == 1 ? 1 : actio_powi(c, k);
    if (c != 1 && power_of_two(ck))
        return expr_scaled(pool, actio_const(pool, ck), node1(pool, ACTIO_POWI, x, (uint32_t)k));
    return node1(pool, ACTIO_POWI, a, (uint32_t)k);
}

static actio_expr general_power(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, b)) {
        double k = actio_const_value(pool, b);
        if (fabs(k) <= 1024 && k == floor(k)) return actio_power(pool, a, (int32_t)k);
        if (k == 0.5) return actio_op1(pool, ACTIO_SQRT, a);
    }
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool,
                           actio_op_value(ACTIO_POW, actio_const_value(pool, a), actio_const_value(pool, b), 0, 0));
    return node2(pool, ACTIO_POW, a, b);
}

actio_expr actio_op1(struct actio_pool *pool, enum actio_op op, actio_expr a)
{
    if (op == ACTIO_NEG) return actio_neg(pool, a);
    if (actio_is_const(pool, a)) return actio_const(pool, actio_op_value(op, actio_const_value(pool, a), 0, 0, 0));
    if (op == ACTIO_NOT && op_of(pool, a) == ACTIO_NOT) return arg_a(pool, a);
    if (op == ACTIO_FLOOR && op_of(pool, a) == ACTIO_FLOOR) return a;
    if (op == ACTIO_ABS && (op_of(pool, a) == ACTIO_NEG || op_of(pool, a) == ACTIO_ABS))
        return actio_op1(pool, op, arg_a(pool, a));
    return node1(pool, op, a, 0);
}

/* One side is known: it decides, or the other does. */
static actio_expr joined(struct actio_pool *pool, enum actio_op op, actio_expr known, actio_expr other)
{
    bool holds = actio_const_value(pool, known) != 0;
    return holds == (op == ACTIO_AND) ? other : actio_const(pool, holds);
}

actio_expr actio_op2(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b)
{
    switch (op) {
    case ACTIO_ADD: return actio_add(pool, a, b);
    case ACTIO_SUB: return actio_sub(pool, a, b);
    case ACTIO_MUL: return actio_mul(pool, a, b);
    case ACTIO_DIV: return actio_div(pool, a, b);
    case ACTIO_POW: return general_power(pool, a, b);
    default: break;
    }
    if (actio_is_const(pool, a) && actio_is_const(pool, b))
        return actio_const(pool, actio_op_value(op, actio_const_value(pool, a), actio_const_value(pool, b), 0, 0));
    bool joins = op == ACTIO_AND || op == ACTIO_OR;
    if (joins && actio_is_const(pool, a)) return joined(pool, op, a, b);
    if (joins && actio_is_const(pool, b)) return joined(pool, op, b, a);
    if ((joins || op == ACTIO_MIN || op == ACTIO_MAX) && actio_same(a, b)) return a;
    return node2(pool, op, a, b);
}

actio_expr actio_choose(struct actio_pool *pool, actio_expr cond, actio_expr a, actio_expr b)
{
    if (actio_is_const(pool, cond)) return actio_const_value(pool, cond) != 0 ? a : b;
    if (actio_same(a, b)) return a;
    uint8_t level = higher(pool->node[cond.id].level, higher(pool->node[a.id].level, pool->node[b.id].level));
    return intern(pool, (struct actio_node){ .op = ACTIO_IF, .level = level, .a = cond.id, .b = a.id, .c = b.id }, 0,
                  (actio_slot){ 0 });
}

actio_expr actio_at(struct actio_pool *pool, actio_expr a, actio_expr axis, actio_expr c)
{
    uint8_t level = higher(pool->node[a.id].level, pool->node[c.id].level);
    return intern(pool, (struct actio_node){ .op = ACTIO_AT, .level = level, .a = a.id, .b = axis.id, .c = c.id }, 0,
                  (actio_slot){ 0 });
}

actio_expr actio_rebuild(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b, actio_expr c, int32_t k)
{
    if (op == ACTIO_POWI) return actio_power(pool, a, k);
    if (op == ACTIO_IF) return actio_choose(pool, a, b, c);
    if (op == ACTIO_AT) return actio_at(pool, a, b, c);
    return ops[op].arity == 1 ? actio_op1(pool, op, a) : actio_op2(pool, op, a, b);
}

/* ---- cones */

uint32_t *actio_scratch(struct actio_pool *pool, int which, size_t count)
{
    struct actio_buffer *b = &pool->scratch[which];
    if (count > b->cap) {
        size_t cap = b->cap ? b->cap : 256;
        while (cap < count) cap *= 2;
        b->at = actio_arena_grow(pool->arena, b->at, b->cap * sizeof *b->at, cap * sizeof *b->at);
        b->cap = cap;
    }
    return b->at;
}

static void begin_pass(struct actio_pool *pool)
{
    if (pool->marks < pool->count) {
        uint32_t cap = pool->cap;
        pool->stamp =
            actio_arena_grow(pool->arena, pool->stamp, pool->marks * sizeof *pool->stamp, cap * sizeof *pool->stamp);
        pool->place =
            actio_arena_grow(pool->arena, pool->place, pool->marks * sizeof *pool->place, cap * sizeof *pool->place);
        pool->marks = cap;
    }
    if (++pool->now == 0) {
        memset(pool->stamp, 0, pool->marks * sizeof *pool->stamp);
        pool->now = 1;
    }
}

static int operands(const struct actio_pool *pool, uint32_t id, uint32_t arg[3])
{
    const struct actio_node *n = &pool->node[id];
    arg[0] = n->a;
    arg[1] = n->b;
    arg[2] = n->c;
    return ops[n->op].arity;
}

static int by_id(const uint32_t *list, uint32_t count) /* already ascending? */
{
    for (uint32_t i = 1; i < count; i++)
        if (list[i - 1] > list[i]) return 0;
    return 1;
}

/* Ascending ids are a topological order: radix sort by bytes, since cones can be large. */
static void sort_ids(uint32_t *list, uint32_t *spare, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) all |= list[i];
    for (int shift = 0; shift < 32 && all >> shift; shift += 8) {
        uint32_t start[257] = { 0 };
        for (uint32_t i = 0; i < count; i++) start[((list[i] >> shift) & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (uint32_t i = 0; i < count; i++) spare[start[(list[i] >> shift) & 255]++] = list[i];
        memcpy(list, spare, count * sizeof *list);
    }
}

struct actio_cone actio_cone_of(struct actio_pool *pool, const actio_expr *roots, size_t n)
{
    /* a pass for each of many formulas is quadratic */
    if ((++pool->arena->ctx->taken & 15) == 0) actio_poll_overdue(pool->arena->ctx);
    begin_pass(pool);
    size_t count = 0;
    uint32_t *list = actio_scratch(pool, 0, n + 3);
    for (size_t i = 0; i < n; i++)
        if (pool->stamp[roots[i].id] != pool->now) {
            pool->stamp[roots[i].id] = pool->now;
            list[count++] = roots[i].id;
        }
    for (size_t next = 0; next < count; next++) { /* breadth first; the list is its own queue */
        uint32_t arg[3];
        int arity = operands(pool, list[next], arg);
        list = actio_scratch(pool, 0, count + 3);
        for (int k = 0; k < arity; k++)
            if (pool->stamp[arg[k]] != pool->now) {
                pool->stamp[arg[k]] = pool->now;
                list[count++] = arg[k];
            }
    }
    if (!by_id(list, (uint32_t)count)) sort_ids(list, actio_scratch(pool, 1, count), (uint32_t)count);
    for (uint32_t i = 0; i < count; i++) pool->place[list[i]] = i;
    return (struct actio_cone){ list, (uint32_t)count };
}

bool actio_uses(struct actio_pool *pool, actio_expr e, enum actio_space space)
{
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_SYMBOL && pool->slot[pool->node[cone.id[i]].a].space == space)
            return true;
    return false;
}

bool actio_uses_symbol(struct actio_pool *pool, actio_expr e, actio_expr symbol)
{
    actio_cone_of(pool, &e, 1);
    return pool->stamp[symbol.id] == pool->now;
}

/* ---- values */

double actio_op_value(enum actio_op op, double a, double b, double c, int32_t k)
{
    switch (op) {
    case ACTIO_CONST:
    case ACTIO_SYMBOL:
    case ACTIO_OP_COUNT: break;
    case ACTIO_NEG: return -a;
    case ACTIO_POWI: return actio_powi(a, k);
    case ACTIO_SQRT: return sqrt(a);
    case ACTIO_SIN: return actio_sin(a);
    case ACTIO_COS: return actio_cos(a);
    case ACTIO_TAN: return actio_tan(a);
    case ACTIO_ASIN: return actio_asin(a);
    case ACTIO_ACOS: return actio_acos(a);
    case ACTIO_ATAN: return actio_atan(a);
    case ACTIO_SINH: return actio_sinh(a);
    case ACTIO_COSH: return actio_cosh(a);
    case ACTIO_TANH: return actio_tanh(a);
    case ACTIO_ERF: return actio_erf(a);
    case ACTIO_EXP: return actio_exp(a);
    case ACTIO_LOG: return actio_log(a);
    case ACTIO_ABS: return fabs(a);
    case ACTIO_SIGN: return actio_sign(a);
    case ACTIO_FLOOR: return floor(a);
    case ACTIO_NOT: return (double)(a == 0);
    case ACTIO_ADD: return a + b;
    case ACTIO_SUB: return a - b;
    case ACTIO_MUL: return a * b;
    case ACTIO_DIV: return a / b;
    case ACTIO_POW: return actio_pow(a, b);
    case ACTIO_ATAN2: return actio_atan2(a, b);
    case ACTIO_MIN: return actio_min(a, b);
    case ACTIO_MAX: return actio_max(a, b);
    case ACTIO_LT: return (double)(a < b);
    case ACTIO_LE: return (double)(a <= b);
    case ACTIO_MOD: return actio_mod(a, b);
    case ACTIO_HYPOT: return actio_hypot(a, b);
    case ACTIO_AND: return (double)(a != 0 && b != 0);
    case ACTIO_OR: return (double)(a != 0 || b != 0);
    case ACTIO_IF: return a != 0 ? b : c;
    case ACTIO_FMA: return actio_fma(a, b, c);
    case ACTIO_DIFF:
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING:
    case ACTIO_AT: break;
    }
    return NAN;
}

double actio_value_of(struct actio_pool *pool, actio_expr e, actio_lookup_fn value, void *user)
{
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    double *x = (double *)(void *)actio_scratch(pool, 2, 2 * (size_t)cone.count);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        double v[3] = { 0 };
        uint32_t arg[3];
        int arity = operands(pool, cone.id[i], arg);
        for (int k = 0; k < arity; k++) v[k] = x[pool->place[arg[k]]];
        x[i] = n->op == ACTIO_CONST    ? pool->value[n->a]
               : n->op == ACTIO_SYMBOL ? value(user, pool->slot[n->a])
                                       : actio_op_value((enum actio_op)n->op, v[0], v[1], v[2], (int32_t)n->b);
    }
    return cone.count ? x[cone.count - 1] : 0;
}
