/* SPDX-License-Identifier: Apache-2.0
 * A model on its way to text. Used by print.c and print_formulas.c. */
#ifndef ACTIO_MODEL_PRINT_H
#define ACTIO_MODEL_PRINT_H

#include "model/model.h"

struct actio_printing {
    struct actio_model *m;
    struct actio_text out; /* in the arena below */
    struct actio_arena arena;
    struct actio_pool pool; /* copies, so that printing leaves the model's pool unchanged */
    actio_expr *root, *copy;
    size_t roots, next;
    size_t cap;
    actio_expr *let;
    uint32_t lets, lets_cap;
    char prefix[16], index[16]; /* names the model does not use */
};

/* A restitution of 1 is the default: neither collected nor printed. */
static inline bool actio_print_is_elastic(const struct actio_model *m, const struct actio_contact *c)
{
    return actio_is_const(&m->pool, c->restitution) && actio_const_value(&m->pool, c->restitution) == 1;
}

/* print_formulas.c: `copy` of every formula in the order of the text, and the lets that they share */
void actio_print_formulas(struct actio_printing *p);

#endif
