/* SPDX-License-Identifier: Apache-2.0
 * Streams at work: the programs of a quantity bound to numbers, and evaluated over nodes and cells. */
#ifndef ACTIO_SOLVE_LANES_H
#define ACTIO_SOLVE_LANES_H

#include "equations/system.h"

/* Where a stage's inputs lie: of spaces with a number for each coordinate or row, their first; of others as
 * actio_binding has it. */
struct actio_sources {
    const double *t, *param, *hidden, *q, *v, *acc, *lambda, *reaction, *mu, *inverse, *free;
};

struct actio_lanes;
/* NULL: no memory */
struct actio_lanes *actio_lanes_open(struct actio_context *ctx, const struct actio_system *sys,
                                     const struct actio_streams *streams, const struct actio_sources *from);
void actio_lanes_close(struct actio_lanes *l);
void actio_lanes_prologue(struct actio_lanes *l); /* params or hidden numbers have changed */
void actio_lanes_eval(struct actio_lanes *l, double *value);
/* of another state; for quantities that only put values */
void actio_lanes_eval_at(struct actio_lanes *l, const double *q, const double *v, double *value);

/* One stage's program only: how its inputs are bound, from its first lane on, and what it works with. For callers who
 * have its inputs elsewhere. */
struct actio_lanes_stage {
    const struct actio_kernel *kernel;
    const struct actio_arg *in;
    const double *pre;
    double *work;
};
struct actio_lanes_stage actio_lanes_stage(const struct actio_lanes *l, size_t stage);

#endif
