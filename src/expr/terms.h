/* SPDX-License-Identifier: Apache-2.0
 * Sums of products as a person sees them: numbers, factors with their powers, and how far in front each goes. Inside
 * expr/ only. */
#ifndef ACTIO_EXPR_TERMS_H
#define ACTIO_EXPR_TERMS_H

#include "expr/expr.h"
#include "expr/ratio.h"

enum { ACTIO_RANK_PARAM = 2, ACTIO_RANK_Q = 8, ACTIO_RANK_V = 9, ACTIO_RANK_LAMBDA = 12 };

/* A factor: rank and first index of the highest symbols in it, and of what degree in them it is when it is a sum. */
struct actio_part {
    actio_expr e;
    int32_t power, degree;
    uint8_t rank;
    bool call, sum;
    uint32_t index;
};
/* odd: the number is not a finite one */
struct actio_product {
    actio_ratio c;
    bool odd;
    struct actio_part *part;
    uint32_t n, cap;
};
struct actio_summand {
    actio_expr e;
    bool minus;
    struct actio_product p;
};
struct actio_sum {
    struct actio_summand *at;
    uint32_t n, cap;
};

/* Numbers and factors of e, however they are nested. */
struct actio_product actio_product_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e);
/* Terms of e in the order in which they are written; a number before a bracket goes to its terms. */
struct actio_sum actio_sum_of(struct actio_pool *pool, struct actio_arena *arena, actio_expr e);

/* group.c: on a private pool */
actio_expr actio_grouped(struct actio_pool *pool, actio_expr e);

static inline bool actio_op_is_sum(enum actio_op op) { return op == ACTIO_ADD || op == ACTIO_SUB; }

#endif
