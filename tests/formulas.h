/* SPDX-License-Identifier: Apache-2.0
 * Formulas as short text for tests: names with primes, + - * / ^, functions of one argument, atan2. */
#ifndef ACTIO_TESTS_FORMULAS_H
#define ACTIO_TESTS_FORMULAS_H

#include "expr/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates, then params; t is time; a prime is a velocity, two an acceleration; L1, L2, ... are multipliers. */
static const char *const formula_coord[] = { "x", "y", "z", "a", "b", "q1", "q2", "q3", "a1", "a2", NULL };
static const char *const formula_param[] = { "m", "M", "m1", "m2", "g", "l", "l1", "l2", "k", "c", "I", "n", NULL };

struct formula {
    struct actio_pool *pool;
    const char *at;
};

static actio_expr formula_sum(struct formula *f);

static int formula_index(const char *const *list, const char *s, size_t n)
{
    for (int i = 0; list[i]; i++)
        if (strlen(list[i]) == n && memcmp(list[i], s, n) == 0) return i;
    return -1;
}

static void formula_skip(struct formula *f)
{
    while (*f->at == ' ') f->at++;
}

static bool formula_take(struct formula *f, char c)
{
    formula_skip(f);
    if (*f->at != c) return false;
    f->at++;
    return true;
}

static actio_expr formula_call(struct formula *f, const char *s, size_t n)
{
    for (int op = ACTIO_SQRT; op < ACTIO_OP_COUNT; op++) {
        const char *text = actio_op_text((enum actio_op)op);
        if (strlen(text) != n || memcmp(text, s, n) != 0) continue;
        actio_expr a = formula_sum(f), b = { 0 };
        if (formula_take(f, ',')) b = formula_sum(f);
        formula_take(f, ')');
        return actio_arity((enum actio_op)op) == 1 ? actio_op1(f->pool, (enum actio_op)op, a)
                                                   : actio_op2(f->pool, (enum actio_op)op, a, b);
    }
    printf("unknown function in: %s\n", s);
    exit(2);
}

static actio_expr formula_name(struct formula *f)
{
    const char *s = f->at;
    while ((*f->at >= 'a' && *f->at <= 'z') || (*f->at >= 'A' && *f->at <= 'Z') || (*f->at >= '0' && *f->at <= '9'))
        f->at++;
    size_t n = (size_t)(f->at - s);
    if (n == 0) {
        printf("cannot read: %s\n", s);
        exit(2);
    }
    if (formula_take(f, '(')) return formula_call(f, s, n);
    int q = formula_index(formula_coord, s, n), p = formula_index(formula_param, s, n), primes = 0;
    while (*f->at == '\'') {
        f->at++;
        primes++;
    }
    static const enum actio_space space[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_ACC };
    if (q >= 0) return actio_symbol(f->pool, space[primes], (uint32_t)q);
    if (p >= 0) return actio_symbol(f->pool, ACTIO_SPACE_PARAM, (uint32_t)p);
    if (n == 1 && *s == 't') return actio_symbol(f->pool, ACTIO_SPACE_T, 0);
    if (n == 2 && *s == 'L') return actio_symbol(f->pool, ACTIO_SPACE_LAMBDA, (uint32_t)(s[1] - '0'));
    printf("unknown name: %s\n", s);
    exit(2);
}

static actio_expr formula_atom(struct formula *f)
{
    formula_skip(f);
    if (formula_take(f, '(')) {
        actio_expr e = formula_sum(f);
        formula_take(f, ')');
        return e;
    }
    if ((*f->at >= '0' && *f->at <= '9') || *f->at == '.') {
        double x;
        f->at += actio_number_read(f->at, f->at + strlen(f->at), &x);
        return actio_const(f->pool, x);
    }
    return formula_name(f);
}

static actio_expr formula_power(struct formula *f)
{
    if (formula_take(f, '-')) return actio_neg(f->pool, formula_power(f));
    actio_expr a = formula_atom(f);
    return formula_take(f, '^') ? actio_op2(f->pool, ACTIO_POW, a, formula_power(f)) : a;
}

static actio_expr formula_product(struct formula *f)
{
    actio_expr a = formula_power(f);
    for (;;) {
        if (formula_take(f, '*')) a = actio_mul(f->pool, a, formula_power(f));
        else if (formula_take(f, '/')) a = actio_div(f->pool, a, formula_power(f));
        else return a;
    }
}

static actio_expr formula_sum(struct formula *f)
{
    actio_expr a = formula_product(f);
    for (;;) {
        if (formula_take(f, '+')) a = actio_add(f->pool, a, formula_product(f));
        else if (formula_take(f, '-')) a = actio_sub(f->pool, a, formula_product(f));
        else return a;
    }
}

static actio_expr formula(struct actio_pool *pool, const char *text)
{
    return formula_sum(&(struct formula){ pool, text });
}

static void formula_symbol(void *user, actio_slot slot, struct actio_text *out)
{
    (void)user;
    switch (slot.space) {
    case ACTIO_SPACE_PARAM: actio_text_add(out, formula_param[slot.index]); break;
    case ACTIO_SPACE_T: actio_text_add(out, "t"); break;
    case ACTIO_SPACE_LAMBDA: actio_text_format(out, "L%u", slot.index); break;
    default:
        actio_text_format(out, "%s%s", formula_coord[slot.index],
                          slot.space == ACTIO_SPACE_V     ? "'"
                          : slot.space == ACTIO_SPACE_ACC ? "''"
                                                          : "");
    }
}

#endif
