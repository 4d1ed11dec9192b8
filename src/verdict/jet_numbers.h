/* SPDX-License-Identifier: Apache-2.0
 * Formulas evaluated on numbers with k nilpotent parts (e1^2 = ... = ek^2 = 0): the part of e1 e2 ... ek is a mixed
 * derivative, exact to rounding, which is what iterated Lie brackets are made of. A jet of level k is 2^k doubles; the
 * bits of an index say which e are in it. */
#ifndef ACTIO_VERDICT_JET_NUMBERS_H
#define ACTIO_VERDICT_JET_NUMBERS_H

#include "equations/formation.h"

struct actio_jets {
    struct actio_formation *F;
    size_t n, nodes, roots;  /* inputs: q (n), t, v (n) */
    struct actio_node *node; /* operands by place */
    double *real;            /* nodes of params and modes only: numbers */
    bool *is_real;
    int32_t *input; /* of each node, or -1 */
    uint32_t *root;
    double *value, *scratch; /* room up to this level */
    unsigned level;
    size_t products, functions;
    double work; /* multiplications so far: what a budget counts */
};

/* False when a symbol other than q, v, t, a param or a mode occurs. Memory from the formation's arena. */
bool actio_jets_open(struct actio_jets *j, struct actio_formation *F, const actio_expr *e, size_t count,
                     const double *param, const double *mode);
bool actio_jets_room(struct actio_jets *j, unsigned level);         /* false: would take too much memory */
double actio_jets_cost(const struct actio_jets *j, unsigned level); /* multiplications of one evaluation */
/* Root r at out + r*out_stride, from input i at in + i*stride; `level` has room. */
void actio_jets_at(struct actio_jets *j, unsigned level, const double *in, size_t stride, double *out,
                   size_t out_stride);

#endif
