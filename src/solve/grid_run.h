/* SPDX-License-Identifier: Apache-2.0
 * The motion on one grid of time, as an outcome like any other. */
#ifndef ACTIO_SOLVE_GRID_RUN_H
#define ACTIO_SOLVE_GRID_RUN_H

#include "solve/accuracy.h"
#include "solve/grid.h"

/* How it went. status: a grid status; ACTIO_GRID_NO_SEED: the march that seeds ended early, with this march status; ACTIO_GRID_THIN: neighbours are `thin`
 * apart across the soft wall `wall`; ACTIO_GRID_BRANCH: the first node is `jump` away from the start, or
 * some node `away` from the crude march (else 0). */
enum { ACTIO_GRID_NO_SEED = 16, ACTIO_GRID_THIN, ACTIO_GRID_BRANCH };
struct actio_grid_told { int status, march; double t_stop, thin; size_t wall, iterations; double residual, jump, away; const double *y; };   /* y: the state at t_stop, of the motion */
/* 0 and, with told->status 0, an outcome; or 1 and a finding. */
int actio_reach_grid(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim, size_t points, int order, struct actio_outcome *out, struct actio_grid_told *told);

#endif
