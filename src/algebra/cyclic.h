/* SPDX-License-Identifier: Apache-2.0
 * Symmetric positive systems around a ring of elements: each element has k + 1 nodes of b unknowns, its last node is
 * the first of the next. Inner nodes are condensed, the ring of ends is eliminated with an arm to the first. */
#ifndef ACTIO_ALGEBRA_CYCLIC_H
#define ACTIO_ALGEBRA_CYCLIC_H

#include "base/context.h"

struct actio_cyclic {
    struct actio_context *ctx;
    size_t N, k, b, nl, ni; /* unknowns of an element, those inside; order: inner nodes, first, last */
    double *block, *local, *diagonal, *beside, *arm, *right;
    size_t pinned; /* an unknown of the first node that is held at 0; b: none */
};
/* N >= 3, k >= 1; 0, or 1: no memory */
int actio_cyclic_open(struct actio_cyclic *c, struct actio_context *ctx, size_t N, size_t k, size_t b);
void actio_cyclic_close(struct actio_cyclic *c);
/* Where node j (0 .. k) of an element lies in its matrix. */
static inline size_t actio_cyclic_place(const struct actio_cyclic *c, size_t j)
{
    return j == 0 ? c->ni : j == c->k ? c->ni + c->b : (j - 1) * c->b;
}
/* The element matrices, lower halves, are in local (nl x nl each, row-major): factored in place. `add` is put on the
 * diagonal. 0, or 1: not positive. */
int actio_cyclic_factor(struct actio_cyclic *c, double add);
/* Unknown i of node a (0 .. N*k - 1) at x[a*b + i]: right side in, solution out. */
void actio_cyclic_solve(struct actio_cyclic *c, double *x);

#endif
