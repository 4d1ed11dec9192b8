/* SPDX-License-Identifier: Apache-2.0
 * Sums with what their terms have in common written once: m*(x'^2 + y'^2)/2 + m*g*y, (F*cos(t) - c*x')/m. Terms of one
 * kind go together:
 * same params, same number of velocities, with a multiplier or without. */
#include "expr/normal.h"
#include "expr/terms.h"

#include <string.h>

enum { MOST_TERMS = 400, MOST_TRIED = 60 }; /* every term is compared with every other; in groups */

struct grouping {
    struct actio_pool *pool;
    struct actio_arena *arena;
};

/* ---- factors */

static bool is_velocity(const struct actio_part *p) { return p->rank >= ACTIO_RANK_V && p->rank < ACTIO_RANK_LAMBDA; }
static bool varies(const struct actio_part *p) { return p->rank > ACTIO_RANK_PARAM; }

static int32_t power_in(const struct actio_product *p, actio_expr e)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (actio_same(p->part[i].e, e)) return p->part[i].power;
    return 0;
}

/* c times the factors of p that are not in `without`. */
static actio_expr product_expr(struct grouping *g, actio_ratio c, const struct actio_product *p,
                               const struct actio_product *without)
{
    struct actio_pool *pool = g->pool;
    actio_expr above = actio_const(pool, 1), below = above;
    for (uint32_t i = 0; i < p->n; i++) {
        int32_t power = p->part[i].power - (without ? power_in(without, p->part[i].e) : 0);
        if (power > 0) above = actio_mul(pool, above, actio_power(pool, p->part[i].e, power));
        if (power < 0) below = actio_mul(pool, below, actio_power(pool, p->part[i].e, -power));
    }
    actio_expr e = actio_is_const(pool, below) ? above : actio_div(pool, above, below);
    return actio_mul(pool, actio_const(pool, actio_ratio_value(c)), e);
}

/* Do both divide by the same? */
static bool same_below(const struct actio_product *a, const struct actio_product *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->part[i].power < 0 && power_in(b, a->part[i].e) != a->part[i].power) return false;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i].power < 0 && power_in(a, b->part[i].e) != b->part[i].power) return false;
    return true;
}

/* Numbers that are taken out: whole ones and simple fractions. */
static bool is_short(actio_ratio c) { return actio_ratio_exact(c) && c.q <= 64; }

/* What all chosen terms have as a factor; nothing when they are divided by different things: fractions would stand in
 * the bracket. */
static struct actio_product common_of(struct grouping *g, const struct actio_sum *sum, const uint32_t *term, uint32_t n)
{
    const struct actio_product *first = &sum->at[term[0]].p;
    struct actio_product c = { .c = first->c,
                               .part = actio_arena_array(g->arena, first->n + 1, sizeof *c.part),
                               .n = 0 };
    bool below = true;
    for (uint32_t k = 1; k < n; k++) {
        below = below && same_below(first, &sum->at[term[k]].p);
        c.c = actio_ratio_gcd(c.c, sum->at[term[k]].p.c);
    }
    for (uint32_t i = 0; i < first->n; i++) {
        struct actio_part part = first->part[i];
        for (uint32_t k = 1; k < n && part.power > 0; k++) {
            int32_t power = power_in(&sum->at[term[k]].p, part.e);
            if (power < part.power) part.power = power;
        }
        if (part.power != 0 && below) c.part[c.n++] = part;
    }
    if (!is_short(c.c) || !below) c.c = actio_ratio_whole(1);
    if (actio_ratio_sign(c.c) < 0) c.c = actio_ratio_neg(c.c);
    return c;
}

/* ---- groups */

static int32_t velocities(const struct actio_product *p)
{
    int32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) n += is_velocity(&p->part[i]) ? p->part[i].power * p->part[i].degree : 0;
    return n;
}

static bool has_multiplier(const struct actio_product *p)
{
    bool found = false;
    for (uint32_t i = 0; i < p->n; i++) found = found || p->part[i].rank == ACTIO_RANK_LAMBDA;
    return found;
}

static bool params_in(const struct actio_product *a, const struct actio_product *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (!varies(&a->part[i]) && power_in(b, a->part[i].e) != a->part[i].power) return false;
    return true;
}

static bool of_one_kind(const struct actio_product *a, const struct actio_product *b)
{
    return velocities(a) == velocities(b) && has_multiplier(a) == has_multiplier(b) && params_in(a, b)
           && params_in(b, a) && same_below(a, b);
}

/* A velocity stays with its like: a'*b' + b'^2 is not a product. Without params before the bracket coordinates do, too.
 * */
static struct actio_product leave_squares(struct grouping *g, const struct actio_sum *sum, const uint32_t *term,
                                          uint32_t n, struct actio_product common, bool any)
{
    struct actio_product r = { .c = common.c, .part = actio_arena_array(g->arena, common.n + 1, sizeof *r.part) };
    for (uint32_t i = 0; i < common.n; i++) {
        const struct actio_part *part = &common.part[i];
        bool asked = is_velocity(part) || (any && !part->call), left = false;
        for (uint32_t k = 0; k < n && asked; k++) left = left || power_in(&sum->at[term[k]].p, part->e) > part->power;
        if (!left) r.part[r.n++] = *part;
    }
    return r;
}

/* Is a bracket worth it? With params always; without, when what is outside stands nowhere inside and no number is left:
 * x - x^3 stays. */
static bool worth(struct grouping *g, const struct actio_sum *sum, const uint32_t *term, uint32_t n,
                  struct actio_product common, bool params)
{
    struct actio_product outside = leave_squares(g, sum, term, n, common, !params);
    bool found = n > 1 && outside.n > 0;
    for (uint32_t k = 0; k < n && !params; k++) found = found && sum->at[term[k]].p.n > outside.n;
    return found;
}

static bool has_params(const struct actio_product *p)
{
    bool found = false;
    for (uint32_t i = 0; i < p->n; i++) found = found || !varies(&p->part[i]);
    return found;
}

/* The terms without what is common; *minus: they all had one, which is left out. */
static actio_expr inside(struct grouping *g, const struct actio_sum *sum, const uint32_t *term, uint32_t n,
                         const struct actio_product *common, bool *minus)
{
    actio_ratio inverse = actio_ratio_inverse(common->c);
    actio_expr rest = { 0 };
    *minus = true;
    for (uint32_t k = 0; k < n; k++) *minus = *minus && sum->at[term[k]].minus;
    for (uint32_t k = 0; k < n; k++) {
        const struct actio_summand *s = &sum->at[term[k]];
        actio_ratio size = actio_ratio_sign(s->p.c) < 0 ? actio_ratio_neg(s->p.c) : s->p.c;
        actio_expr e = product_expr(g, actio_ratio_mul(size, inverse), &s->p, common);
        rest = s->minus == *minus ? actio_add(g->pool, rest, e) : actio_sub(g->pool, rest, e);
    }
    return rest;
}

static actio_expr group_times(struct grouping *g, const struct actio_product *common, actio_expr rest, bool minus)
{
    if (actio_is_zero(rest)) return rest; /* terms that cancel */
    actio_expr e = actio_mul(g->pool, product_expr(g, common->c, common, NULL), rest);
    return minus ? actio_neg(g->pool, e) : e;
}

/* Has it a factor that is not a velocity? */
static bool has_place(const struct actio_product *common)
{
    bool found = false;
    for (uint32_t i = 0; i < common->n; i++) found = found || !is_velocity(&common->part[i]);
    return found;
}

/* Of terms of one kind those that share a place with the first: x*x'^2 + x*y'^2 among others. */
static uint32_t some_of(struct grouping *g, const struct actio_sum *sum, uint32_t *term, uint32_t n)
{
    uint32_t kept = 1;
    if (n > MOST_TRIED) return 1;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t next = term[k];
        term[kept] = next;
        struct actio_product common = common_of(g, sum, term, kept + 1);
        kept += has_place(&common) && worth(g, sum, term, kept + 1, common, false);
    }
    return kept;
}

/* The terms that go with term i, it among them; at least one. */
static uint32_t group_choose(struct grouping *g, const struct actio_sum *sum, const bool *done, uint32_t i,
                             uint32_t *term)
{
    uint32_t n = 0;
    for (uint32_t k = i; k < sum->n; k++)
        if (!done[k] && of_one_kind(&sum->at[i].p, &sum->at[k].p)) term[n++] = k;
    struct actio_product common = common_of(g, sum, term, n);
    return worth(g, sum, term, n, common, has_params(&common)) ? n : some_of(g, sum, term, n);
}

static actio_expr group_gather(struct grouping *g, const struct actio_sum *sum)
{
    uint32_t *term = actio_arena_array(g->arena, sum->n, sizeof *term);
    bool *done = actio_arena_array(g->arena, sum->n, sizeof *done), minus;
    actio_expr whole = { 0 };
    for (uint32_t i = 0; i < sum->n; i++) {
        struct actio_product common = { .c = actio_ratio_whole(1) };
        if (done[i]) continue;
        uint32_t n = group_choose(g, sum, done, i, term);
        if (n > 1) common = leave_squares(g, sum, term, n, common_of(g, sum, term, n), false);
        for (uint32_t k = 0; k < n; k++) done[term[k]] = true;
        actio_expr rest = inside(g, sum, term, n, &common, &minus);
        whole = actio_add(g->pool, whole, group_times(g, &common, rest, minus));
    }
    return whole;
}

/* ---- one sum */

/* Before the whole sum: what varies, what it is divided by, whole numbers; before a factor anything. */
static bool taken_out(const struct actio_product *common, bool is_factor)
{
    bool found = !actio_ratio_is(common->c, 1) && (is_factor || common->c.q == 1);
    for (uint32_t i = 0; i < common->n; i++)
        found = found || is_factor || varies(&common->part[i]) || common->part[i].power < 0;
    return found;
}

static bool is_plain(const struct actio_sum *sum)
{
    bool plain = true;
    for (uint32_t i = 0; i < sum->n; i++) plain = plain && !sum->at[i].p.odd;
    return plain;
}

static actio_expr grouped_sum(struct grouping *g, actio_expr e, bool is_factor)
{
    struct actio_sum sum = actio_sum_of(g->pool, g->arena, e);
    if (sum.n < 2 || sum.n > MOST_TERMS) return e;
    uint32_t *all = actio_arena_array(g->arena, sum.n, sizeof *all);
    if (!is_plain(&sum)) return e;
    for (uint32_t i = 0; i < sum.n; i++) all[i] = i;
    struct actio_product common = common_of(g, &sum, all, sum.n);
    if (velocities(&sum.at[0].p) < 3) common = leave_squares(g, &sum, all, sum.n, common, false);
    if (!taken_out(&common, is_factor)) return group_gather(g, &sum);
    bool minus;
    actio_expr rest = inside(g, &sum, all, sum.n, &common, &minus);
    struct actio_sum left = actio_sum_of(g->pool, g->arena, rest);
    return group_times(g, &common, is_plain(&left) ? group_gather(g, &left) : rest, minus);
}

/* ---- all of them */

enum { SEEN = 1, TOP = 2, FACTOR = 4 }; /* a sum that is not part of a larger one; that stands in a product */

static bool sum_like(const struct actio_pool *pool, const struct actio_node *n)
{
    return actio_op_is_sum((enum actio_op)n->op) || n->op == ACTIO_NEG
           || (n->op == ACTIO_MUL && pool->node[n->a].op == ACTIO_CONST);
}

static uint8_t *find_tops(struct grouping *g, const uint32_t *id, uint32_t count)
{
    uint8_t *mark = actio_arena_array(g->arena, (size_t)id[count - 1] + 1, 1);
    mark[id[count - 1]] = TOP;
    for (uint32_t i = 0; i < count; i++) {
        const struct actio_node *n = &g->pool->node[id[i]];
        const uint32_t of[3] = { n->a, n->b, n->c };
        bool product = n->op == ACTIO_MUL || n->op == ACTIO_DIV;
        for (int k = 0; k < actio_arity((enum actio_op)n->op) && !sum_like(g->pool, n); k++)
            mark[of[k]] |= product ? TOP | FACTOR : TOP;
    }
    return mark;
}

/* On a pool of its own: nodes are numbered with their operands first. */
actio_expr actio_grouped(struct actio_pool *pool, actio_expr e)
{
    struct grouping g = { pool, pool->arena };
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t *id = actio_arena_array(g.arena, cone.count, sizeof *id), count = cone.count;
    actio_expr *made = actio_arena_array(g.arena, (size_t)e.id + 1, sizeof *made), zero = { 0 };
    memcpy(id, cone.id, count * sizeof *id);
    uint8_t *mark = find_tops(&g, id, count);
    for (uint32_t i = 0; i < count; i++) {
        struct actio_node n = pool->node[id[i]];
        int arity = actio_arity((enum actio_op)n.op);
        made[id[i]] = (actio_expr){ id[i] };
        if (arity)
            made[id[i]] = actio_rebuild(pool, (enum actio_op)n.op, made[n.a], arity > 1 ? made[n.b] : zero,
                                        arity > 2 ? made[n.c] : zero, (int32_t)n.b);
        if (arity && mark[id[i]] & TOP && sum_like(pool, &pool->node[made[id[i]].id]))
            made[id[i]] = grouped_sum(&g, made[id[i]], mark[id[i]] & FACTOR);
    }
    return made[e.id];
}
