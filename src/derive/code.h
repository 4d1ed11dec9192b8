/* SPDX-License-Identifier: Apache-2.0
 * Formulas as C statements for the user's own programs. Inside derive/ only. */
#ifndef ACTIO_DERIVE_CODE_H
#define ACTIO_DERIVE_CODE_H

#include "derive/derive.h"

/* What a piece of code turned out to use: said at its head, so that no compiler warns. */
struct actio_code_uses {
    bool t, y, p;
};

struct actio_emitter {
    struct actio_derivation *d;
    struct actio_pool *pool;
    const char *name;      /* what all functions begin with */
    struct actio_text out; /* the statements */
    struct actio_code_uses uses;
    bool needs_sign, needs_power; /* small functions that the file must have */
    uint32_t temporaries;
    uint32_t *place; /* of nodes, in the pass under way */
    size_t places;
};

/* Begins a function's statements. */
void actio_code_open(struct actio_emitter *c);
/* Adds statements, so that value[i] is a C expression of root i. Temporaries are x1, x2, ...; inputs t, y[], p[]. */
void actio_code_values(struct actio_emitter *c, const actio_expr *root, size_t n, const char **value);
void actio_code_number(struct actio_text *out, double x); /* a C constant that reads back exactly */

/* c_solver.c: linear equations of a fixed size, for models that are not solved on the formulas. */
void actio_code_solver(struct actio_derivation *d, const char *name, struct actio_text *out);

#endif
