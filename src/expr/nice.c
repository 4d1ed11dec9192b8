/* SPDX-License-Identifier: Apache-2.0
 * Sums and products in the order in which a person writes them: highest derivative first, numbers and params in front,
 * multipliers last. Also the form of an equation e = 0 that has that look. */
#include "expr/normal.h"
#include "expr/printer.h"
#include "expr/ratio.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PARTS = 4096 };                                /* what is longer is printed as it is nested */

/* Rank of a symbol: the higher, the further to the front its term goes, and the further back it stands in a product. */
static const uint8_t space_rank[ACTIO_SPACE_COUNT] = {
    [ACTIO_SPACE_PARAM] = 2, [ACTIO_SPACE_HIDDEN] = 3, [ACTIO_SPACE_MODE] = 4, [ACTIO_SPACE_T] = 5, [ACTIO_SPACE_AXIS] = 6, [ACTIO_SPACE_WEIGHT] = 6,
    [ACTIO_SPACE_STATE] = 7, [ACTIO_SPACE_Q] = 8, [ACTIO_SPACE_COLUMN] = 8, [ACTIO_SPACE_V] = 9, [ACTIO_SPACE_SDOT] = 10, [ACTIO_SPACE_ACC] = 11,
    [ACTIO_SPACE_LAMBDA] = 12, [ACTIO_SPACE_REACTION] = 12,
};
enum { RANK_PARAM = 2, RANK_Q = 8, RANK_LAMBDA = 12 };

struct part { actio_expr e; int32_t power; uint8_t rank; bool call; uint32_t index; };   /* a factor: rank and first index of the highest symbol in it */
struct product { actio_ratio c; bool odd; struct part *part; uint32_t n, cap; };      /* odd: the number is no finite one */
struct summand { actio_expr e; bool minus; struct product p; };
struct sum { struct summand *at; uint32_t n, cap; };

static enum actio_op op_of(const struct actio_pool *pool, actio_expr e) { return (enum actio_op)pool->node[e.id].op; }
static bool is_sum(enum actio_op op) { return op == ACTIO_ADD || op == ACTIO_SUB; }

/* ---- products */

static void rank_part(struct actio_pool *pool, struct part *part)
{
    struct actio_cone cone = actio_cone_of(pool, &part->e, 1);
    part->call = op_of(pool, part->e) != ACTIO_SYMBOL;
    for (uint32_t i = 0; i < cone.count; i++) {
        if (pool->node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot slot = pool->slot[pool->node[cone.id[i]].a];
        uint8_t rank = space_rank[slot.space];
        if (rank > part->rank || (rank == part->rank && slot.index < part->index)) part->rank = rank, part->index = slot.index;
    }
}

static void add_part(struct actio_pool *pool, struct actio_arena *arena, struct product *p, actio_expr e, int32_t power)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (actio_same(p->part[i].e, e)) { p->part[i].power += power; return; }
    struct part part = { .e = e, .power = power };
    rank_part(pool, &part);
    ACTIO_PUSH(arena, p->part, p->n, p->cap) = part;
}

static void add_number(struct product *p, double x, int32_t power)
{
    actio_ratio c = actio_ratio_of(x);
    if (!isfinite(x) || x == 0) p->odd = true;
    else p->c = actio_ratio_mul(p->c, actio_ratio_power(c, power));
    if (!isfinite(actio_ratio_value(p->c))) p->odd = true;
}

struct open { actio_expr e; int32_t power; };

/* Numbers and factors of e, however they are nested. */
static struct product product_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e)
{
    struct product p = { .c = actio_ratio_whole(1) };
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
        } else if (node.op == ACTIO_POWI && room && power < 1000 && power > -1000) ACTIO_PUSH(arena, stack, n, cap) = (struct open){ a, (int32_t)power };
        else add_part(pool, arena, &p, top.e, top.power);
    }
    return p;
}

/* Place in a product: params, time, coordinates, functions, velocities, accelerations, multipliers; sums of params go first. */
static int place_of(const struct part *p) { return p->call ? (p->rank > RANK_PARAM ? 2 * RANK_Q + 1 : 1) : 2 * p->rank; }

static int by_place(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int place = place_of(x) - place_of(y);
    if (place) return place;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->e.id > y->e.id) - (x->e.id < y->e.id);
}

/* Place in the order of terms: the highest rank first, functions of a symbol after the symbol. */
static int weight_of(const struct part *p) { return 2 * p->rank + !p->call; }

static int by_weight(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int weight = weight_of(y) - weight_of(x);
    if (weight) return weight;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->e.id > y->e.id) - (x->e.id < y->e.id);
}

/* ---- sums */

static bool has_multiplier(const struct product *p) { return p->n && p->part[0].rank == RANK_LAMBDA; }

static int32_t degree(const struct product *p)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < p->n && weight_of(&p->part[i]) == weight_of(&p->part[0]); i++) sum += p->part[i].power;
    return sum;
}

/* Parts are in the order of by_weight here. */
static int by_term(const void *a, const void *b)
{
    const struct summand *s = a, *t = b;
    const struct product *x = &s->p, *y = &t->p;
    if (has_multiplier(x) != has_multiplier(y)) return has_multiplier(x) - has_multiplier(y);
    if (x->n && y->n && weight_of(x->part) == weight_of(y->part) && degree(x) != degree(y)) return degree(y) - degree(x);
    for (uint32_t i = 0; i < x->n && i < y->n; i++) {
        int order = by_weight(&x->part[i], &y->part[i]);
        if (order) return order;
        if (x->part[i].power != y->part[i].power) return x->part[i].power > y->part[i].power ? -1 : 1;
    }
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return (s->e.id > t->e.id) - (s->e.id < t->e.id);
}

static void add_summand(struct actio_pool *pool, struct actio_arena *arena, struct sum *sum, actio_expr e, bool minus)
{
    struct summand s = { .e = e, .minus = minus, .p = product_of(pool, arena, e) };
    if (s.p.n) qsort(s.p.part, s.p.n, sizeof *s.p.part, by_weight);
    if (actio_ratio_sign(s.p.c) < 0 && !s.p.odd) s.minus = !minus;
    ACTIO_PUSH(arena, sum->at, sum->n, sum->cap) = s;
}

/* A leading minus goes when another term can stand in front: 1 - cos(a). */
static void positive_first(struct sum *sum)
{
    uint32_t k = 0;
    while (k < sum->n && sum->at[k].minus) k++;
    if (k == sum->n) return;
    struct summand first = sum->at[k];
    for (; k > 0; k--) sum->at[k] = sum->at[k - 1];
    sum->at[0] = first;
}

struct scaled { actio_expr e; actio_ratio c; };

/* The pool gathers powers of two outside: (x + y)/2 inside a sum is written term by term. */
static bool scales_sum(const struct actio_pool *pool, const struct actio_node *n)
{
    return n->op == ACTIO_MUL && pool->node[n->a].op == ACTIO_CONST && is_sum((enum actio_op)pool->node[n->b].op) && isfinite(pool->value[pool->node[n->a].a]) &&
           actio_ratio_exact(actio_ratio_of(pool->value[pool->node[n->a].a]));
}

static void add_scaled(struct actio_pool *pool, struct actio_arena *arena, struct sum *sum, struct scaled s)
{
    double size = fabs(actio_ratio_value(s.c));
    add_summand(pool, arena, sum, actio_mul(pool, actio_const(pool, size), s.e), actio_ratio_sign(s.c) < 0);
}

static struct sum sum_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e)
{
    struct sum sum = { NULL, 0, 0 };
    struct scaled *stack = NULL;
    uint32_t n = 0, cap = 0;
    ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ e, actio_ratio_whole(1) };
    while (n) {
        struct scaled top = stack[--n];
        struct actio_node node = pool->node[top.e.id];
        actio_ratio minus = actio_ratio_neg(top.c);
        bool room = n + sum.n < MOST_PARTS && actio_ratio_exact(top.c);
        if (is_sum((enum actio_op)node.op) && room) {
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.b }, node.op == ACTIO_SUB ? minus : top.c };
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.a }, top.c };
        } else if (node.op == ACTIO_NEG && room) ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.a }, minus };
        else if (scales_sum(pool, &node) && room) {
            actio_ratio c = actio_ratio_of(actio_const_value(pool, (actio_expr){ node.a }));
            ACTIO_PUSH(arena, stack, n, cap) = (struct scaled){ { node.b }, actio_ratio_mul(top.c, c) };
        } else add_scaled(pool, arena, &sum, top);
    }
    if (sum.n) qsort(sum.at, sum.n, sizeof *sum.at, by_term);
    return sum;
}

/* ---- numbers */

/* 1/3, 3/4, 2/5 are written as fractions, 9.81 and 0.1 as decimals. */
static bool as_fraction(actio_ratio c)
{
    int64_t q = c.q;
    if (q < 2 || q > 1000) return false;
    if (q == 5 || q == 2) return true;
    while (q % 2 == 0) q /= 2;
    if (q == 1) return c.q <= 512;
    while (q % 5 == 0) q /= 5;
    return q > 1;
}

static actio_ratio above(actio_ratio c) { return as_fraction(c) ? actio_ratio_whole(c.p) : c; }
static int64_t below(actio_ratio c) { return as_fraction(c) ? c.q : 1; }
static actio_ratio size_of(actio_ratio c) { return actio_ratio_sign(c) < 0 ? actio_ratio_neg(c) : c; }

/* ---- printing */

struct style { const struct actio_dialect *base; const char *times; bool latex, line; };   /* line: a fraction's line is a bracket */

static const struct style text_style = { &actio_dialect_text, "*", false, false };
static const struct style latex_style = { &actio_dialect_latex, " \\, ", true, true }, factor_style = { &actio_dialect_latex, " \\, ", true, false };

static actio_expr part_expr(struct actio_pool *pool, const struct part *p) { return actio_power(pool, p->e, p->power < 0 ? -p->power : p->power); }

static uint32_t count_side(const struct product *p, bool up)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) n += up ? p->part[i].power > 0 : p->part[i].power < 0;
    return n;
}

/* Factors above or below the line with a number in front of them unless it is 1; last piece first. */
static void push_side(struct actio_printer *p, const struct style *style, const struct product *q, bool up, double number)
{
    uint32_t left = count_side(q, up);
    bool shown = number != 1 || left == 0, alone = style->line && left == 1 && !shown;
    for (uint32_t i = q->n; i-- > 0;) {
        if (q->part[i].power == 0 || (q->part[i].power > 0) != up) continue;
        actio_push(p, part_expr(p->pool, &q->part[i]), alone ? ACTIO_B_SUM : ACTIO_B_POWER);
        if (--left || shown) actio_push_text(p, style->times);
    }
    if (shown) actio_push(p, actio_const(p->pool, number), ACTIO_B_ANY);
}

static void push_text_product(struct actio_printer *p, const struct product *q, double top, double bottom)
{
    uint32_t pieces = count_side(q, false) + (bottom != 1);
    if (pieces > 1) actio_push_text(p, ")");
    if (pieces) push_side(p, &text_style, q, false, bottom);
    if (pieces) actio_push_text(p, pieces > 1 ? "/(" : "/");
    push_side(p, &text_style, q, true, top);
}

/* Only a number below the line: the fraction is a coefficient. */
static void push_latex_product(struct actio_printer *p, const struct product *q, double top, double bottom)
{
    bool coefficient = count_side(q, false) == 0 && count_side(q, true) > 0 && bottom != 1;
    if (count_side(q, false) == 0 && bottom == 1) { push_side(p, &factor_style, q, true, top); return; }
    if (coefficient) push_side(p, &factor_style, q, true, 1), actio_push_text(p, " \\, ");
    actio_push_text(p, "}");
    if (coefficient) actio_push(p, actio_const(p->pool, bottom), ACTIO_B_ANY);
    else push_side(p, &latex_style, q, false, bottom);
    actio_push_text(p, "}{");
    if (coefficient) actio_push(p, actio_const(p->pool, top), ACTIO_B_ANY);
    else push_side(p, &latex_style, q, true, top);
    actio_push_text(p, "\\frac{");
}

static void print_product(struct actio_printer *p, const struct style *style, actio_expr e, bool sign)
{
    struct product q = product_of(p->pool, p->out->arena, e);
    if (q.odd) { style->base->node(p, e); return; }
    if (q.n) qsort(q.part, q.n, sizeof *q.part, by_place);
    actio_ratio c = size_of(q.c);
    double top = actio_ratio_value(above(c)), bottom = (double)below(c);
    if (style->latex) push_latex_product(p, &q, top, bottom); else push_text_product(p, &q, top, bottom);
    if (sign && actio_ratio_sign(q.c) < 0) actio_push_text(p, "-");
}

/* |c| times the rest, for a term whose sign has been written. */
static actio_expr unsigned_term(struct actio_pool *pool, const struct summand *s)
{
    return actio_ratio_sign(s->p.c) < 0 && !s->p.odd ? actio_neg(pool, s->e) : s->e;
}

static void print_sum(struct actio_printer *p, actio_expr e)
{
    struct sum sum = sum_of(p->pool, p->out->arena, e);
    positive_first(&sum);
    for (uint32_t i = sum.n; i-- > 0;) {
        actio_push(p, unsigned_term(p->pool, &sum.at[i]), ACTIO_B_PRODUCT);
        actio_push_text(p, i ? (sum.at[i].minus ? " - " : " + ") : sum.at[i].minus ? "-" : "");
    }
}

/* sin^2(x) as \sin^{2} x has it. */
static bool print_latex_power(struct actio_printer *p, actio_expr e)
{
    actio_expr call = actio_piece_arg(p, e, 0);
    enum actio_op op = actio_piece_op(p, call);
    if (op != ACTIO_SIN && op != ACTIO_COS && op != ACTIO_TAN && op != ACTIO_SINH && op != ACTIO_COSH && op != ACTIO_TANH) return false;
    actio_push_text(p, "\\right)");
    actio_push(p, actio_piece_arg(p, call, 0), ACTIO_B_ANY);
    actio_push_text(p, "}\\!\\left(");
    actio_push(p, actio_const(p->pool, (int32_t)p->pool->node[e.id].b), ACTIO_B_ANY);
    actio_push_text(p, "^{");
    actio_push_text(p, actio_op_text(op));
    actio_push_text(p, "\\");
    return true;
}

static bool negated_sum(const struct actio_printer *p, actio_expr e) { return actio_piece_op(p, e) == ACTIO_NEG && is_sum(actio_piece_op(p, actio_piece_arg(p, e, 0))); }

static void print_node(struct actio_printer *p, const struct style *style, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    int32_t power = (int32_t)p->pool->node[e.id].b;
    if (is_sum(op) || negated_sum(p, e)) print_sum(p, e);
    else if (op == ACTIO_MUL || op == ACTIO_DIV || op == ACTIO_NEG || (op == ACTIO_POWI && power < 0)) print_product(p, style, e, true);
    else if (op == ACTIO_CONST && as_fraction(actio_ratio_of(actio_const_value(p->pool, e)))) print_product(p, style, e, true);
    else if (!(style->latex && op == ACTIO_POWI && print_latex_power(p, e))) style->base->node(p, e);
}

static enum actio_binding binds(const struct actio_printer *p, const struct style *style, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    if (negated_sum(p, e)) return ACTIO_B_SUM;
    if (op == ACTIO_NEG || (op == ACTIO_POWI && (int32_t)p->pool->node[e.id].b < 0)) return ACTIO_B_PRODUCT;
    if (op == ACTIO_CONST && as_fraction(actio_ratio_of(actio_const_value(p->pool, e)))) return ACTIO_B_PRODUCT;
    return style->base->binds(p, e);
}

static void text_node(struct actio_printer *p, actio_expr e) { print_node(p, &text_style, e); }
static void latex_node(struct actio_printer *p, actio_expr e) { print_node(p, &latex_style, e); }
static enum actio_binding text_binds(const struct actio_printer *p, actio_expr e) { return binds(p, &text_style, e); }
static enum actio_binding latex_binds(const struct actio_printer *p, actio_expr e) { return binds(p, &latex_style, e); }

void actio_print_nice(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    static const struct actio_dialect nice = { text_binds, text_node, "(", ")", "..." };
    actio_print_in(&nice, &(struct actio_printer){ .pool = pool, .name = name, .user = user, .out = out }, e);
}

void actio_print_latex_nice(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    static const struct actio_dialect nice = { latex_binds, latex_node, "\\left(", "\\right)", "\\dots" };
    actio_print_in(&nice, &(struct actio_printer){ .pool = pool, .name = name, .user = user, .out = out }, e);
}

/* ---- equations */

/* The number by which all terms are divided: they become whole without common divisor where they are exact. */
static actio_ratio common_number(const struct sum *sum)
{
    actio_ratio g = sum->at[0].p.c;
    for (uint32_t i = 0; i < sum->n; i++) {
        if (sum->at[i].p.odd || !actio_ratio_exact(sum->at[i].p.c)) return actio_ratio_whole(1);
        g = actio_ratio_gcd(g, sum->at[i].p.c);
    }
    return size_of(g);
}

static actio_expr divided(struct actio_pool *pool, const struct summand *s, actio_ratio by)
{
    actio_expr e = actio_const(pool, 1);
    if (s->p.odd) return s->e;
    for (uint32_t i = 0; i < s->p.n; i++) {
        const struct part *p = &s->p.part[i];
        e = p->power < 0 ? actio_div(pool, e, part_expr(pool, p)) : actio_mul(pool, e, part_expr(pool, p));
    }
    return actio_mul(pool, actio_const(pool, actio_ratio_value(actio_ratio_mul(size_of(s->p.c), actio_ratio_inverse(by)))), e);
}

actio_expr actio_equation_form(struct actio_pool *pool, actio_expr e)
{
    if (actio_is_const(pool, e)) return e;
    struct sum sum = sum_of(pool, pool->arena, e);
    actio_ratio by = common_number(&sum);
    actio_expr r = { 0 };
    for (uint32_t i = 0; i < sum.n; i++) {
        actio_expr term = divided(pool, &sum.at[i], by);
        r = sum.at[i].minus == sum.at[0].minus ? actio_add(pool, r, term) : actio_sub(pool, r, term);
    }
    return r;
}
