/* SPDX-License-Identifier: Apache-2.0
 * Printing without recursion, whatever the dialect: pieces wait on a stack. Inside expr/ only. */
#ifndef ACTIO_EXPR_PRINTER_H
#define ACTIO_EXPR_PRINTER_H

#include "expr/expr.h"

/* How tightly the printed form binds. A piece gets brackets if it binds less than its place requires. */
enum actio_binding {
    ACTIO_B_ANY,
    ACTIO_B_AND,
    ACTIO_B_NOT,
    ACTIO_B_COMPARISON,
    ACTIO_B_SUM,
    ACTIO_B_PRODUCT,
    ACTIO_B_UNARY,
    ACTIO_B_POWER,
    ACTIO_B_PRIMARY
};

struct actio_piece {
    const char *text;
    actio_expr e;
    enum actio_binding need;
};
struct actio_printer {
    struct actio_pool *pool;
    actio_name_fn name;
    void *user;
    struct actio_text *out;
    struct actio_piece *stack;
    uint32_t count, cap;
};
struct actio_dialect {
    enum actio_binding (*binds)(const struct actio_printer *p, actio_expr e);
    void (*node)(struct actio_printer *p, actio_expr e); /* writes text and pushes what follows, last piece first */
    const char *open, *close, *cut; /* brackets; what stands for the rest of a text that is too long */
};
extern const struct actio_dialect actio_dialect_text, actio_dialect_latex;
void actio_print_in(const struct actio_dialect *dialect, struct actio_printer *p, actio_expr e);
void actio_push_text(struct actio_printer *p, const char *text);
void actio_push(struct actio_printer *p, actio_expr e, enum actio_binding need);
/* a + b or a * b: operands are sorted in the pool, so the one that needs no bracket on the left goes there. */
void actio_push_commuting(struct actio_printer *p, actio_expr a, actio_expr b, const char *sign,
                          enum actio_binding class, enum actio_binding behind);
void actio_push_condition(struct actio_printer *p, actio_expr e, const char *sign); /* and, or, not */
enum actio_binding actio_text_binds(const struct actio_printer *p, actio_expr e);
/* c x with c = 1/2, 1/4, ... (either sign): x/2 */
bool actio_is_fraction(const struct actio_printer *p, actio_expr e, double *divisor);

static inline enum actio_op actio_piece_op(const struct actio_printer *p, actio_expr e)
{
    return (enum actio_op)p->pool->node[e.id].op;
}
static inline actio_expr actio_piece_arg(const struct actio_printer *p, actio_expr e, int k)
{
    const struct actio_node *n = &p->pool->node[e.id];
    return (actio_expr){ k == 0 ? n->a : k == 1 ? n->b : n->c };
}

#endif
