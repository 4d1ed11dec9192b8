/* SPDX-License-Identifier: Apache-2.0
 * Expressions as model text that reads back to the same expression, and the printer that every dialect shares. */
#include "expr/printer.h"

#include <math.h>

enum { LONGEST = 1 << 20 }; /* shared graphs can be exponentially long as text: they are cut */

void actio_push_text(struct actio_printer *p, const char *text)
{
    ACTIO_PUSH(p->out->arena, p->stack, p->count, p->cap) = (struct actio_piece){ .text = text };
}

void actio_push(struct actio_printer *p, actio_expr e, enum actio_binding need)
{
    ACTIO_PUSH(p->out->arena, p->stack, p->count, p->cap) = (struct actio_piece){ .e = e, .need = need };
}

void actio_print_in(const struct actio_dialect *dialect, struct actio_printer *p, actio_expr e)
{
    size_t start = p->out->length;
    actio_push(p, e, ACTIO_B_ANY);
    while (p->count && p->out->length - start < LONGEST) {
        struct actio_piece top = p->stack[--p->count];
        if (top.text) actio_text_add(p->out, top.text);
        else if (dialect->binds(p, top.e) < top.need) {
            actio_push_text(p, dialect->close);
            actio_push(p, top.e, ACTIO_B_ANY);
            actio_push_text(p, dialect->open);
        } else dialect->node(p, top.e);
    }
    if (p->count) actio_text_add(p->out, dialect->cut);
}

bool actio_is_fraction(const struct actio_printer *p, actio_expr e, double *divisor)
{
    if (actio_piece_op(p, e) != ACTIO_MUL || !actio_is_const(p->pool, actio_piece_arg(p, e, 0))) return false;
    double c = actio_const_value(p->pool, actio_piece_arg(p, e, 0));
    int exponent;
    if (fabs(frexp(c, &exponent)) != 0.5 || exponent > 0 || exponent < -9) return false;
    *divisor = 1 / c;
    return true;
}

enum actio_binding actio_text_binds(const struct actio_printer *p, actio_expr e)
{
    switch (actio_piece_op(p, e)) {
    case ACTIO_CONST: return actio_const_value(p->pool, e) < 0 ? ACTIO_B_UNARY : ACTIO_B_PRIMARY;
    case ACTIO_NEG:
        return actio_piece_op(p, actio_piece_arg(p, e, 0)) == ACTIO_MUL
                       || actio_piece_op(p, actio_piece_arg(p, e, 0)) == ACTIO_DIV
                   ? ACTIO_B_PRODUCT
                   : ACTIO_B_UNARY;
    case ACTIO_ADD:
    case ACTIO_SUB: return ACTIO_B_SUM;
    case ACTIO_MUL:
    case ACTIO_DIV: return ACTIO_B_PRODUCT;
    case ACTIO_POW:
    case ACTIO_POWI: return ACTIO_B_POWER;
    case ACTIO_OR: return ACTIO_B_ANY;
    case ACTIO_AND: return ACTIO_B_AND;
    case ACTIO_NOT: return ACTIO_B_NOT;
    case ACTIO_LT:
    case ACTIO_LE: return ACTIO_B_COMPARISON;
    default: return ACTIO_B_PRIMARY;
    }
}

static bool in_class(const struct actio_printer *p, actio_expr e, enum actio_binding class)
{
    return actio_text_binds(p, e) == class;
}

void actio_push_commuting(struct actio_printer *p, actio_expr a, actio_expr b, const char *sign,
                          enum actio_binding class, enum actio_binding behind)
{
    bool swap = in_class(p, b, class) && !in_class(p, a, class);
    actio_push(p, swap ? a : b, behind);
    actio_push_text(p, sign);
    actio_push(p, swap ? b : a, class);
}

static void print_number(struct actio_printer *p, double x)
{
    if (isfinite(x)) actio_text_number(p->out, x);
    else actio_text_add(p->out, isnan(x) ? "(0/0)" : x > 0 ? "(1/0)" : "(-1/0)");
}

static void print_product(struct actio_printer *p, actio_expr e)
{
    double divisor;
    if (actio_is_fraction(p, e, &divisor)) {
        actio_push(p, actio_const(p->pool, fabs(divisor)), ACTIO_B_UNARY);
        actio_push_text(p, "/");
        actio_push(p, actio_piece_arg(p, e, 1), ACTIO_B_PRODUCT);
        if (divisor < 0) actio_push_text(p, "-");
    } else if (actio_is_const(p->pool, actio_piece_arg(p, e, 0))) {
        actio_push(p, actio_piece_arg(p, e, 1), ACTIO_B_UNARY);
        actio_push_text(p, "*");
        actio_push(p, actio_piece_arg(p, e, 0), ACTIO_B_PRODUCT);
    } else
        actio_push_commuting(p, actio_piece_arg(p, e, 0), actio_piece_arg(p, e, 1), "*", ACTIO_B_PRODUCT,
                             ACTIO_B_UNARY);
}

static void print_call(struct actio_printer *p, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    actio_push_text(p, ")");
    for (int k = actio_arity(op); k-- > 0;) {
        actio_push(p, actio_piece_arg(p, e, k), ACTIO_B_ANY);
        if (k) actio_push_text(p, ", ");
    }
    actio_push_text(p, "(");
    actio_push_text(p, actio_op_text(op));
}

/* integral(s, e) has its axis first; a value at a place is written behind what it is of. */
static void print_over_axis(struct actio_printer *p, actio_expr e)
{
    actio_push_text(p, ")");
    actio_push(p, actio_piece_arg(p, e, 0), ACTIO_B_ANY);
    actio_push_text(p, ", ");
    actio_push(p, actio_piece_arg(p, e, 1), ACTIO_B_ANY);
    actio_push_text(p, "(");
    actio_push_text(p, actio_op_text(actio_piece_op(p, e)));
}

static void print_at(struct actio_printer *p, actio_expr e)
{
    actio_push_text(p, ")");
    actio_push(p, actio_piece_arg(p, e, 2), ACTIO_B_ANY);
    actio_push_text(p, "(");
    actio_push(p, actio_piece_arg(p, e, 0), ACTIO_B_PRIMARY);
}

/* Conditions are read from left to right: one that hangs on the right is put in brackets. */
void actio_push_condition(struct actio_printer *p, actio_expr e, const char *sign)
{
    enum actio_binding own = actio_text_binds(p, e);
    bool joins = actio_piece_op(p, e) != ACTIO_NOT;
    actio_push(p, actio_piece_arg(p, e, joins ? 1 : 0), joins ? own + 1 : own);
    actio_push_text(p, sign);
    if (joins) actio_push(p, actio_piece_arg(p, e, 0), own);
}

/* Left side, sign, right side, with what each must bind; the last that is pushed is printed first. */
static void push_binary(struct actio_printer *p, actio_expr e, enum actio_binding left, const char *sign,
                        enum actio_binding right)
{
    actio_push(p, actio_piece_arg(p, e, 1), right);
    actio_push_text(p, sign);
    actio_push(p, actio_piece_arg(p, e, 0), left);
}

static void print_node(struct actio_printer *p, actio_expr e)
{
    switch (actio_piece_op(p, e)) {
    case ACTIO_CONST: print_number(p, actio_const_value(p->pool, e)); break;
    case ACTIO_SYMBOL: p->name(p->user, actio_slot_of(p->pool, e), p->out); break;
    case ACTIO_NEG:
        actio_push(p, actio_piece_arg(p, e, 0),
                   actio_text_binds(p, e) == ACTIO_B_PRODUCT ? ACTIO_B_PRODUCT : ACTIO_B_UNARY);
        actio_push_text(p, "-");
        break;
    case ACTIO_ADD:
        actio_push_commuting(p, actio_piece_arg(p, e, 0), actio_piece_arg(p, e, 1), " + ", ACTIO_B_SUM,
                             ACTIO_B_PRODUCT);
        break;
    case ACTIO_SUB: push_binary(p, e, ACTIO_B_SUM, " - ", ACTIO_B_PRODUCT); break;
    case ACTIO_MUL: print_product(p, e); break;
    case ACTIO_DIV: push_binary(p, e, ACTIO_B_PRODUCT, "/", ACTIO_B_UNARY); break;
    case ACTIO_POWI:
        actio_push(p, actio_const(p->pool, (int32_t)p->pool->node[e.id].b), ACTIO_B_UNARY);
        actio_push_text(p, "^");
        actio_push(p, actio_piece_arg(p, e, 0), ACTIO_B_PRIMARY);
        break;
    case ACTIO_POW: push_binary(p, e, ACTIO_B_PRIMARY, "^", ACTIO_B_UNARY); break;
    case ACTIO_LT: push_binary(p, e, ACTIO_B_SUM, " < ", ACTIO_B_SUM); break;
    case ACTIO_LE: push_binary(p, e, ACTIO_B_SUM, " <= ", ACTIO_B_SUM); break;
    case ACTIO_AND: actio_push_condition(p, e, " and "); break;
    case ACTIO_OR: actio_push_condition(p, e, " or "); break;
    case ACTIO_NOT: actio_push_condition(p, e, "not "); break;
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING: print_over_axis(p, e); break;
    case ACTIO_AT: print_at(p, e); break;
    default: print_call(p, e); break;
    }
}

const struct actio_dialect actio_dialect_text = { actio_text_binds, print_node, "(", ")", "..." };

void actio_print(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    actio_print_in(&actio_dialect_text, &(struct actio_printer){ .pool = pool, .name = name, .user = user, .out = out },
                   e);
}
