/* SPDX-License-Identifier: Apache-2.0
 * A kernel bound to lanes = nodes of time, with the memory that it needs. */
#ifndef ACTIO_SOLVE_NODE_H
#define ACTIO_SOLVE_NODE_H

#include "equations/system.h"

/* given: what the prologue reads */
struct actio_node_kernel {
    const struct actio_kernel *k;
    struct actio_arg *in, *given;
    double *pre, **out, *work;
};

/* Outputs lie side by side from `out` on, `lanes` values each. 0, or 1: no memory (closing it is fine then). */
int actio_node_open(struct actio_node_kernel *nk, struct actio_context *ctx, const struct actio_kernel *k,
                    const struct actio_binding *at, size_t lanes, double *out);
void actio_node_close(struct actio_node_kernel *nk, struct actio_context *ctx); /* a zeroed one is fine */
void actio_node_prologue(struct actio_node_kernel *nk); /* after params or hidden numbers have changed */
/* At the first `count` nodes. 0, or 1: a formula has no finite value there. */
int actio_node_evaluate(const struct actio_node_kernel *nk, size_t count);

#endif
