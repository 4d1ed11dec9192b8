/* SPDX-License-Identifier: Apache-2.0
 * Expressions in the form a person would write, and proofs that one is zero: rational functions of symbols and of
 * functions of them.
 * In: an expression. Out: an equal one, or a proof. Callers: rooms that show or judge formulas. */
#ifndef ACTIO_EXPR_NORMAL_H
#define ACTIO_EXPR_NORMAL_H

#include "expr/expr.h"

/* Identities hold where both sides are defined: x/x is 1. All work is bounded; what is too large is given back as it
 * came. */
/* proved, not sampled; false means "not proved" */
bool actio_is_identically_zero(struct actio_pool *pool, actio_expr e);
actio_expr actio_simplify(struct actio_pool *pool, actio_expr e); /* equal, and not much longer than e */
/* Numbers that rounding keeps from being short fractions (14.999999999999996) are those fractions. For reading: the
 * value changes by as much. */
actio_expr actio_round_numbers(struct actio_pool *pool, actio_expr e);
/* As a polynomial in the symbols wrt: equal powers gathered, their coefficients simplified. */
actio_expr actio_collect(struct actio_pool *pool, actio_expr e, const actio_expr *wrt, size_t n);
/* Equal and, for reading, shorter: what terms of one kind have in common stands before a bracket. */
actio_expr actio_group(struct actio_pool *pool, actio_expr e);
/* e = 0 multiplied by numbers and params: whole coefficients without a common divisor, not divided by params, the first
 * term positive.
 * Not simplified before. */
actio_expr actio_equation_form(struct actio_pool *pool, actio_expr e);
/* Is row a = factor * row b, proved? `factor` (simplified) may be NULL; a row of zeros has the factor 0. */
bool actio_proportional(struct actio_pool *pool, const actio_expr *a, const actio_expr *b, size_t n,
                        actio_expr *factor);

/* nice.c: highest derivative first, numbers and params in front, multipliers last, fractions as fractions. The text is
 * model language. */
void actio_print_nice(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out);
void actio_print_latex_nice(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user,
                            struct actio_text *out);

#endif
