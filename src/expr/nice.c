/* SPDX-License-Identifier: Apache-2.0
 * Sums and products in the order in which a person writes them: highest derivative first, numbers and params in front,
 * multipliers last. Also the form of an equation e = 0 that has that look. */
#include "expr/normal.h"
#include "expr/printer.h"
#include "expr/terms.h"

#include <stdlib.h>

/* Place in a product: params, their functions, time, coordinates, functions, velocities, accelerations, multipliers;
 * sums of params go first,
 * sums of velocities where velocities go. */
static int nice_place_of(const struct actio_part *p)
{
    if (!p->call || (p->sum && p->rank >= ACTIO_RANK_V)) return 2 * p->rank;
    return p->rank > ACTIO_RANK_PARAM ? 2 * ACTIO_RANK_Q + 1 : p->sum ? 1 : 2 * ACTIO_RANK_PARAM + 1;
}

static int by_place(const void *a, const void *b)
{
    const struct actio_part *x = a, *y = b;
    int place = nice_place_of(x) - nice_place_of(y);
    if (place) return place;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->e.id > y->e.id) - (x->e.id < y->e.id);
}

/* A leading minus goes when another term can stand in front: 1 - cos(a). */
static void positive_first(struct actio_sum *sum)
{
    uint32_t k = 0;
    while (k < sum->n && sum->at[k].minus) k++;
    if (k == sum->n) return;
    struct actio_summand first = sum->at[k];
    for (; k > 0; k--) sum->at[k] = sum->at[k - 1];
    sum->at[0] = first;
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
static actio_ratio nice_size_of(actio_ratio c) { return actio_ratio_sign(c) < 0 ? actio_ratio_neg(c) : c; }

/* ---- printing */

/* line: a fraction's line is a bracket */
struct style {
    const struct actio_dialect *base;
    const char *times;
    bool latex, line;
};

static const struct style text_style = { &actio_dialect_text, "*", false, false };
static const struct style latex_style = { &actio_dialect_latex, " \\, ", true, true },
                          factor_style = { &actio_dialect_latex, " \\, ", true, false };

static actio_expr part_expr(struct actio_pool *pool, const struct actio_part *p)
{
    return actio_power(pool, p->e, p->power < 0 ? -p->power : p->power);
}

static uint32_t count_side(const struct actio_product *p, bool up)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) n += up ? p->part[i].power > 0 : p->part[i].power < 0;
    return n;
}

/* Factors above or below the line with a number in front of them unless it is 1; last piece first. */
static void push_side(struct actio_printer *p, const struct style *style, const struct actio_product *q, bool up,
                      double number)
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

static void push_text_product(struct actio_printer *p, const struct actio_product *q, double top, double bottom)
{
    uint32_t pieces = count_side(q, false) + (bottom != 1);
    if (pieces > 1) actio_push_text(p, ")");
    if (pieces) push_side(p, &text_style, q, false, bottom);
    if (pieces) actio_push_text(p, pieces > 1 ? "/(" : "/");
    push_side(p, &text_style, q, true, top);
}

/* Only a number below the line: the fraction is a coefficient. */
static void push_latex_product(struct actio_printer *p, const struct actio_product *q, double top, double bottom)
{
    bool coefficient = count_side(q, false) == 0 && count_side(q, true) > 0 && bottom != 1;
    if (count_side(q, false) == 0 && bottom == 1) {
        push_side(p, &factor_style, q, true, top);
        return;
    }
    if (coefficient) {
        push_side(p, &factor_style, q, true, 1);
        actio_push_text(p, " \\, ");
    }
    actio_push_text(p, "}");
    if (coefficient) actio_push(p, actio_const(p->pool, bottom), ACTIO_B_ANY);
    else push_side(p, &latex_style, q, false, bottom);
    actio_push_text(p, "}{");
    if (coefficient) actio_push(p, actio_const(p->pool, top), ACTIO_B_ANY);
    else push_side(p, &latex_style, q, true, top);
    actio_push_text(p, "\\frac{");
}

static bool is_angular(enum actio_op op)
{
    return op == ACTIO_SIN || op == ACTIO_COS || op == ACTIO_TAN || op == ACTIO_SINH || op == ACTIO_COSH
           || op == ACTIO_TANH;
}

/* Angles without brackets go last: \dot{x} \sin a can be read in one way only. */
static void angles_last(struct actio_printer *p, struct actio_product *q)
{
    struct actio_part *part = actio_arena_array(p->out->arena, q->n + 1, sizeof *part);
    uint32_t n = 0;
    for (int last = 0; last < 2; last++)
        for (uint32_t i = 0; i < q->n; i++)
            if (is_angular(actio_piece_op(p, q->part[i].e)) == last) part[n++] = q->part[i];
    q->part = part;
}

static bool is_difference(struct actio_printer *p, const struct actio_part *part)
{
    if (part->power != 1 || !part->sum) return false;
    struct actio_sum sum = actio_sum_of(p->pool, p->out->arena, part->e);
    bool plus = false, minus = false;
    for (uint32_t i = 0; i < sum.n; i++) {
        plus = plus || !sum.at[i].minus;
        minus = minus || sum.at[i].minus;
    }
    return plus && minus;
}

/* -2*(a - b)*c is written 2*(b - a)*c. */
static void take_sign_in(struct actio_printer *p, struct actio_product *q)
{
    for (uint32_t i = 0; i < q->n && actio_ratio_sign(q->c) < 0; i++) {
        if (!is_difference(p, &q->part[i])) continue;
        q->part[i].e = actio_neg(p->pool, q->part[i].e);
        q->c = actio_ratio_neg(q->c);
    }
}

static void print_product(struct actio_printer *p, const struct style *style, actio_expr e, bool sign)
{
    struct actio_product q = actio_product_of(p->pool, p->out->arena, e);
    if (q.odd) {
        style->base->node(p, e);
        return;
    }
    if (q.n) qsort(q.part, q.n, sizeof *q.part, by_place);
    if (style->latex) angles_last(p, &q);
    if (sign) take_sign_in(p, &q);
    actio_ratio c = nice_size_of(q.c);
    double top = actio_ratio_value(above(c)), bottom = (double)below(c);
    if (style->latex) push_latex_product(p, &q, top, bottom);
    else push_text_product(p, &q, top, bottom);
    if (sign && actio_ratio_sign(q.c) < 0) actio_push_text(p, "-");
}

/* |c| times the rest, for a term whose sign has been written. */
static actio_expr unsigned_term(struct actio_pool *pool, const struct actio_summand *s)
{
    return actio_ratio_sign(s->p.c) < 0 && !s->p.odd ? actio_neg(pool, s->e) : s->e;
}

static void print_sum(struct actio_printer *p, actio_expr e)
{
    struct actio_sum sum = actio_sum_of(p->pool, p->out->arena, e);
    positive_first(&sum);
    for (uint32_t i = sum.n; i-- > 1;) {
        actio_push(p, unsigned_term(p->pool, &sum.at[i]), ACTIO_B_PRODUCT);
        actio_push_text(p, sum.at[i].minus ? " - " : " + ");
    }
    actio_expr first = unsigned_term(p->pool, &sum.at[0]);
    actio_push(p, sum.at[0].minus ? actio_neg(p->pool, first) : first, ACTIO_B_PRODUCT);
}

/* \sin x, and brackets around what is more than a name. */
static void push_latex_argument(struct actio_printer *p, actio_expr arg)
{
    bool name = actio_piece_op(p, arg) == ACTIO_SYMBOL;
    if (!name) actio_push_text(p, "\\right)");
    actio_push(p, arg, ACTIO_B_ANY);
    actio_push_text(p, name ? " " : "\\!\\left(");
}

/* sin(x)^2 is \sin^{2} x. */
static bool print_latex_power(struct actio_printer *p, actio_expr e)
{
    bool power = actio_piece_op(p, e) == ACTIO_POWI;
    actio_expr call = power ? actio_piece_arg(p, e, 0) : e;
    enum actio_op op = actio_piece_op(p, call);
    if (!is_angular(op)) return false;
    push_latex_argument(p, actio_piece_arg(p, call, 0));
    if (power) {
        actio_push_text(p, "}");
        actio_push(p, actio_const(p->pool, (int32_t)p->pool->node[e.id].b), ACTIO_B_ANY);
        actio_push_text(p, "^{");
    }
    actio_push_text(p, actio_op_text(op));
    actio_push_text(p, "\\");
    return true;
}

/* (a/m + b)/2 is written a/(2*m) + b/2. */
static bool spread_sum(const struct actio_printer *p, actio_expr e)
{
    struct actio_node n = p->pool->node[e.id];
    if (n.op != ACTIO_MUL || p->pool->node[n.a].op != ACTIO_CONST
        || !actio_op_is_sum((enum actio_op)p->pool->node[n.b].op))
        return false;
    if (!as_fraction(actio_ratio_of(actio_const_value(p->pool, (actio_expr){ n.a })))) return false;
    struct actio_sum sum = actio_sum_of(p->pool, p->out->arena, (actio_expr){ n.b });
    bool found = false;
    for (uint32_t i = 0; i < sum.n; i++) found = found || count_side(&sum.at[i].p, false) > 0;
    return found;
}

static bool negated_sum(const struct actio_printer *p, actio_expr e)
{
    return actio_piece_op(p, e) == ACTIO_NEG && actio_op_is_sum(actio_piece_op(p, actio_piece_arg(p, e, 0)));
}

static void print_node(struct actio_printer *p, const struct style *style, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    int32_t power = (int32_t)p->pool->node[e.id].b;
    if (actio_op_is_sum(op) || negated_sum(p, e) || spread_sum(p, e)) print_sum(p, e);
    else if (op == ACTIO_MUL || op == ACTIO_DIV || op == ACTIO_NEG || (op == ACTIO_POWI && power < 0))
        print_product(p, style, e, true);
    else if (op == ACTIO_CONST && as_fraction(actio_ratio_of(actio_const_value(p->pool, e))))
        print_product(p, style, e, true);
    else if (!(style->latex && print_latex_power(p, e))) style->base->node(p, e);
}

static enum actio_binding binds(const struct actio_printer *p, const struct style *style, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    if (negated_sum(p, e) || spread_sum(p, e)) return ACTIO_B_SUM;
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

void actio_print_latex_nice(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user,
                            struct actio_text *out)
{
    static const struct actio_dialect nice = { latex_binds, latex_node, "\\left(", "\\right)", "\\dots" };
    actio_print_in(&nice, &(struct actio_printer){ .pool = pool, .name = name, .user = user, .out = out }, e);
}

/* ---- equations */

/* The number by which all terms are divided: they become whole without common divisor where they are exact. */
static actio_ratio common_number(const struct actio_sum *sum)
{
    actio_ratio g = sum->at[0].p.c;
    for (uint32_t i = 0; i < sum->n; i++) {
        if (sum->at[i].p.odd || !actio_ratio_exact(sum->at[i].p.c)) return actio_ratio_whole(1);
        g = actio_ratio_gcd(g, sum->at[i].p.c);
    }
    return nice_size_of(g);
}

/* Params that some term is divided by, with the highest power. */
static struct actio_product denominators(struct actio_pool *pool, const struct actio_sum *sum)
{
    struct actio_product d = { .c = actio_ratio_whole(1) };
    for (uint32_t i = 0; i < sum->n; i++)
        for (uint32_t k = 0; k < sum->at[i].p.n; k++) {
            const struct actio_part *part = &sum->at[i].p.part[k];
            uint32_t at = 0;
            if (part->power > 0 || part->rank > ACTIO_RANK_PARAM) continue;
            while (at < d.n && !actio_same(d.part[at].e, part->e)) at++;
            if (at == d.n) ACTIO_PUSH(pool->arena, d.part, d.n, d.cap) = (struct actio_part){ .e = part->e };
            if (-part->power > d.part[at].power) d.part[at].power = -part->power;
        }
    return d;
}

static actio_expr with_power(struct actio_pool *pool, actio_expr e, actio_expr base, int32_t power)
{
    if (power < 0) return actio_div(pool, e, actio_power(pool, base, -power));
    return power ? actio_mul(pool, e, actio_power(pool, base, power)) : e;
}

/* The term divided by a number, times params. */
static actio_expr nice_scaled(struct actio_pool *pool, const struct actio_summand *s, actio_ratio by,
                              const struct actio_product *times)
{
    actio_expr e = actio_const(pool, 1);
    for (uint32_t k = 0; k < times->n; k++) {
        int32_t power = times->part[k].power;
        for (uint32_t i = 0; i < s->p.n; i++)
            if (actio_same(s->p.part[i].e, times->part[k].e)) power += s->p.part[i].power;
        e = with_power(pool, e, times->part[k].e, power);
    }
    for (uint32_t i = 0; i < s->p.n; i++) {
        bool done = false;
        for (uint32_t k = 0; k < times->n; k++) done = done || actio_same(s->p.part[i].e, times->part[k].e);
        if (!done) e = with_power(pool, e, s->p.part[i].e, s->p.part[i].power);
    }
    return actio_mul(
        pool, actio_const(pool, actio_ratio_value(actio_ratio_mul(nice_size_of(s->p.c), actio_ratio_inverse(by)))), e);
}

actio_expr actio_equation_form(struct actio_pool *pool, actio_expr e)
{
    if (actio_is_const(pool, e)) return e;
    struct actio_sum sum = actio_sum_of(pool, pool->arena, e);
    for (uint32_t i = 0; i < sum.n; i++)
        if (sum.at[i].p.odd) return e;
    actio_ratio by = common_number(&sum);
    struct actio_product times = denominators(pool, &sum);
    actio_expr r = { 0 };
    for (uint32_t i = 0; i < sum.n; i++) {
        actio_expr term = nice_scaled(pool, &sum.at[i], by, &times);
        r = sum.at[i].minus == sum.at[0].minus ? actio_add(pool, r, term) : actio_sub(pool, r, term);
    }
    return r;
}
