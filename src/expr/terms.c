/* SPDX-License-Identifier: Apache-2.0
 * Sums taken apart into terms and terms into factors, ranked by what they are made of. */
#include "expr/terms.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PARTS = 4096 }; /* what is longer is printed as it is nested */

/* Rank of a symbol: the higher, the further to the front its term goes, and the further back it stands in a product. */
static const uint8_t space_rank[ACTIO_SPACE_COUNT] = {
    [ACTIO_SPACE_PARAM] = 2,   [ACTIO_SPACE_MODE] = 4,      [ACTIO_SPACE_T] = 5,     [ACTIO_SPACE_AXIS] = 6,
    [ACTIO_SPACE_WEIGHT] = 6,  [ACTIO_SPACE_STATE] = 7,     [ACTIO_SPACE_Q] = 8,     [ACTIO_SPACE_COLUMN] = 8,
    [ACTIO_SPACE_V] = 9,       [ACTIO_SPACE_HIDDEN] = 9,    [ACTIO_SPACE_SDOT] = 10, [ACTIO_SPACE_ACC] = 11,
    [ACTIO_SPACE_LAMBDA] = 12, [ACTIO_SPACE_REACTION] = 12, [ACTIO_SPACE_HELD] = 3,
};
static enum actio_op op_of(const struct actio_pool *pool, actio_expr e) { return (enum actio_op)pool->node[e.id].op; }

/* ---- products */

static void rank_part(struct actio_pool *pool, struct actio_part *part)
{
    struct actio_cone cone = actio_cone_of(pool, &part->e, 1);
    part->call = op_of(pool, part->e) != ACTIO_SYMBOL;
    part->sum = actio_op_is_sum(op_of(pool, part->e));
    for (uint32_t i = 0; i < cone.count; i++) {
        if (pool->node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot slot = pool->slot[pool->node[cone.id[i]].a];
        uint8_t rank = space_rank[slot.space];
        if (rank > part->rank || (rank == part->rank && slot.index < part->index)) {
            part->rank = rank;
            part->index = slot.index;
        }
    }
}

/* Degree of a sum in the symbols of its rank; a function of them counts as one. */
static int32_t degree_of(struct actio_pool *pool, const struct actio_part *part)
{
    struct actio_cone cone = actio_cone_of(pool, &part->e, 1);
    uint32_t *degree = actio_scratch(pool, 2, cone.count);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node n = pool->node[cone.id[i]];
        int arity = actio_arity((enum actio_op)n.op);
        uint32_t a = arity > 0 ? degree[pool->place[n.a]] : 0, b = arity > 1 ? degree[pool->place[n.b]] : 0,
                 most = a > b ? a : b;
        if (n.op == ACTIO_SYMBOL) degree[i] = space_rank[pool->slot[n.a].space] == part->rank;
        else if (n.op == ACTIO_MUL) degree[i] = a + b;
        else if (n.op == ACTIO_POWI) degree[i] = a && (int32_t)n.b > 0 ? a * n.b : 0;
        else if (actio_op_is_sum((enum actio_op)n.op) || n.op == ACTIO_NEG || n.op == ACTIO_DIV)
            degree[i] = n.op == ACTIO_DIV ? a : most;
        else degree[i] = most > 0;
        if (degree[i] > 1000) degree[i] = 1000;
    }
    return (int32_t)degree[cone.count - 1];
}

static void add_part(struct actio_pool *pool, struct actio_arena *arena, struct actio_product *p, actio_expr e,
                     int32_t power)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (actio_same(p->part[i].e, e)) {
            p->part[i].power += power;
            return;
        }
    struct actio_part part = { .e = e, .power = power };
    rank_part(pool, &part);
    part.degree = part.sum ? degree_of(pool, &part) : 1;
    ACTIO_PUSH(arena, p->part, p->n, p->cap) = part;
}

static void add_number(struct actio_product *p, double x, int32_t power)
{
    actio_ratio c = actio_ratio_of(x);
    if (!isfinite(x) || x == 0) p->odd = true;
    else p->c = actio_ratio_mul(p->c, actio_ratio_power(c, power));
    if (!isfinite(actio_ratio_value(p->c))) p->odd = true;
}

struct open {
    actio_expr e;
    int32_t power;
};

/* Numbers and factors of e, however they are nested. */
struct actio_product actio_product_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e)
{
    struct actio_product p = { .c = actio_ratio_whole(1) };
    struct open *stack = NULL;
    uint32_t n = 0, cap = 0;
    ACTIO_PUSH(arena, stack, n, cap) = (struct open){ e, 1 };
    while (n) {
        struct open top = stack[--n];
        struct actio_node node = pool->node[top.e.id];
        actio_expr a = { node.a }, b = { node.b };
        int64_t power = (int64_t)top.power * (int32_t)node.b;
        bool room = n + p.n < MOST_PARTS;
        if (node.op == ACTIO_CONST) add_number(&p, actio_const_value(pool, top.e), top.power);
        else if (node.op == ACTIO_NEG && room) {
            if (top.power % 2) p.c = actio_ratio_neg(p.c);
            ACTIO_PUSH(arena, stack, n, cap) = (struct open){ a, top.power };
        } else if ((node.op == ACTIO_MUL || node.op == ACTIO_DIV) && room) {
            ACTIO_PUSH(arena, stack, n, cap) = (struct open){ b, node.op == ACTIO_DIV ? -top.power : top.power };
            ACTIO_PUSH(arena, stack, n, cap) = (struct open){ a, top.power };
        } else if (node.op == ACTIO_POWI && room && power < 1000 && power > -1000)
            ACTIO_PUSH(arena, stack, n, cap) = (struct open){ a, (int32_t)power };
        else add_part(pool, arena, &p, top.e, top.power);
    }
    return p;
}

/* Place in the order of terms: the highest rank first, functions of a symbol after the symbol. */
static int weight_of(const struct actio_part *p) { return 2 * p->rank + (!p->call || p->sum); }

static int by_weight(const void *a, const void *b)
{
    const struct actio_part *x = a, *y = b;
    int weight = weight_of(y) - weight_of(x);
    if (weight) return weight;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    if (x->sum != y->sum && x->degree * x->power != y->degree * y->power)
        return y->degree * y->power > x->degree * x->power ? 1 : -1;
    if (x->sum != y->sum) return x->sum - y->sum;
    return (x->e.id > y->e.id) - (x->e.id < y->e.id);
}

/* ---- sums */

static bool has_multiplier(const struct actio_product *p) { return p->n && p->part[0].rank == ACTIO_RANK_LAMBDA; }

static int32_t degree(const struct actio_product *p)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < p->n && weight_of(&p->part[i]) == weight_of(&p->part[0]); i++)
        sum += p->part[i].power * p->part[i].degree;
    return sum;
}

/* Parts are in the order of by_weight here. */
static int by_term(const void *a, const void *b)
{
    const struct actio_summand *s = a, *t = b;
    const struct actio_product *x = &s->p, *y = &t->p;
    if (has_multiplier(x) != has_multiplier(y)) return has_multiplier(x) - has_multiplier(y);
    if (x->n && y->n && weight_of(x->part) == weight_of(y->part) && degree(x) != degree(y))
        return degree(y) - degree(x);
    for (uint32_t i = 0; i < x->n && i < y->n; i++) {
        int order = by_weight(&x->part[i], &y->part[i]);
        if (order) return order;
        if (x->part[i].power != y->part[i].power) return x->part[i].power > y->part[i].power ? -1 : 1;
    }
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return (s->e.id > t->e.id) - (s->e.id < t->e.id);
}

static void add_summand(struct actio_pool *pool, struct actio_arena *arena, struct actio_sum *sum, actio_expr e,
                        bool minus)
{
    struct actio_summand s = { .e = e, .minus = minus, .p = actio_product_of(pool, arena, e) };
    if (s.p.n) qsort(s.p.part, s.p.n, sizeof *s.p.part, by_weight);
    if (actio_ratio_sign(s.p.c) < 0 && !s.p.odd) s.minus = !minus;
    ACTIO_PUSH(arena, sum->at, sum->n, sum->cap) = s;
}

struct scaled {
    actio_expr e;
    actio_ratio c;
};

/* The pool gathers powers of two outside: (x + y)/2 inside a sum is written term by term. */
static bool scales_sum(const struct actio_pool *pool, const struct actio_node *n)
{
    return n->op == ACTIO_MUL && pool->node[n->a].op == ACTIO_CONST
           && actio_op_is_sum((enum actio_op)pool->node[n->b].op) && isfinite(pool->value[pool->node[n->a].a])
           && actio_ratio_exact(actio_ratio_of(pool->value[pool->node[n->a].a]));
}

static void add_scaled(struct actio_pool *pool, struct actio_arena *arena, struct actio_sum *sum, struct scaled s)
{
    double size = fabs(actio_ratio_value(s.c));
    add_summand(pool, arena, sum, actio_mul(pool, actio_const(pool, size), s.e), actio_ratio_sign(s.c) < 0);
}

/* ---- terms that are multiples of one another */

static bool alike(const struct actio_summand *s, const struct actio_summand *t)
{
    const struct actio_product *x = &s->p, *y = &t->p;
    if (x->odd || y->odd || !actio_ratio_exact(x->c) || !actio_ratio_exact(y->c) || x->n != y->n) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (!actio_same(x->part[i].e, y->part[i].e) || x->part[i].power != y->part[i].power) return false;
    return true;
}

static actio_ratio signed_number(const struct actio_summand *s)
{
    return s->minus == (actio_ratio_sign(s->p.c) < 0) ? s->p.c : actio_ratio_neg(s->p.c);
}

/* Both in the place of the first; false where nothing would be left. */
static bool merged(struct actio_pool *pool, struct actio_summand *s, const struct actio_summand *t)
{
    actio_ratio c = actio_ratio_add(signed_number(s), signed_number(t));
    if (!actio_ratio_exact(c) || actio_ratio_sign(c) == 0) return false;
    s->minus = actio_ratio_sign(c) < 0;
    s->p.c = s->minus ? actio_ratio_neg(c) : c;
    s->e = actio_const(pool, actio_ratio_value(s->p.c));
    for (uint32_t i = 0; i < s->p.n; i++)
        s->e = actio_mul(pool, s->e, actio_power(pool, s->p.part[i].e, s->p.part[i].power));
    return true;
}

/* A bracket whose number went to its terms may leave p^2 - 25*p^2. Such terms are neighbours. */
static void merge_alike(struct actio_pool *pool, struct actio_sum *sum)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sum->n; i++)
        if (kept == 0 || !alike(&sum->at[kept - 1], &sum->at[i]) || !merged(pool, &sum->at[kept - 1], &sum->at[i]))
            sum->at[kept++] = sum->at[i];
    sum->n = kept;
}

struct actio_sum actio_sum_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e)
{
    struct actio_sum sum = { NULL, 0, 0 };
    struct scaled *stack = NULL;
    uint32_t n = 0, cap = 0;
    ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ e, actio_ratio_whole(1) };
    while (n) {
        struct scaled top = stack[--n];
        struct actio_node node = pool->node[top.e.id];
        actio_ratio minus = actio_ratio_neg(top.c);
        bool room = n + sum.n < MOST_PARTS && actio_ratio_exact(top.c);
        if (actio_op_is_sum((enum actio_op)node.op) && room) {
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.b }, node.op == ACTIO_SUB ? minus : top.c };
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.a }, top.c };
        } else if (node.op == ACTIO_NEG && room)
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.a }, minus };
        else if (scales_sum(pool, &node) && room) {
            actio_ratio c = actio_ratio_of(actio_const_value(pool, (actio_expr){ node.a }));
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.b }, actio_ratio_mul(top.c, c) };
        } else add_scaled(pool, arena, &sum, top);
    }
    if (sum.n) qsort(sum.at, sum.n, sizeof *sum.at, by_term);
    merge_alike(pool, &sum);
    return sum;
}
