/* SPDX-License-Identifier: Apache-2.0
 * The motion on one grid of time, as an outcome like any other. */
#ifndef ACTIO_SOLVE_GRID_RUN_H
#define ACTIO_SOLVE_GRID_RUN_H

#include "solve/accuracy.h"
#include "solve/doubled.h"
#include "solve/grid.h"

/* How it went. status: a grid status; ACTIO_GRID_NO_SEED: the march that seeds ended early, with this march status;
 * ACTIO_GRID_THIN: neighbours are `thin` apart across the soft wall `wall`; ACTIO_GRID_BRANCH: the first node is `jump`
 * away from the start, or some node `away` from the crude march (else 0). */
enum { ACTIO_GRID_NO_SEED = 16, ACTIO_GRID_THIN, ACTIO_GRID_BRANCH };
/* y: the state at t_stop, of the motion */
struct actio_grid_report {
    int status, march;
    double t_stop, thin;
    size_t wall, iterations;
    double residual, jump, away;
    const double *y;
};
/* The critical point on a grid, left open in g: close it in any case. 0 and reported->status, or 1 and a finding. */
int actio_grid_find(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim, size_t points,
                    int order, struct actio_grid *g, struct actio_grid_report *reported);
/* From there to the critical point nearest by of another form of the action. */
int actio_grid_as_published(struct actio_grid *g, enum actio_action_form form, struct actio_grid_report *reported);
struct actio_grid_task {
    size_t points;
    int order;
    enum actio_action_form form;
};
/* The same as an outcome, with reported->status 0. */
int actio_reach_grid(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim,
                     const struct actio_grid_task *task, struct actio_outcome *out, struct actio_grid_report *reported);

#endif
