/* SPDX-License-Identifier: Apache-2.0
 * The weak SKG action on one grid over the whole interval: all time points are unknown at once. Newton's method, each
 * linear system streamed from the first node to the last: neighbours are coupled by T = (q, s, L_v) only, through
 * numbers, so that what is eliminated across nodes are blocks of that size. [SKG 1.2, 7] */
#ifndef ACTIO_SOLVE_GRID_H
#define ACTIO_SOLVE_GRID_H

#include "solve/points.h"

/* Node k at x + k*nx, z + k*nz: as in points.h. */
struct actio_grid {
    struct actio_context *ctx;
    struct actio_points pt;
    int order;
    size_t points, reach;
    double t0, t1;
    double *block, *x0, *v0, *P0, *x, *z, *P, *F, *R, *v; /* data; then by node */
    const double *mode;                                   /* switches of the nodes, or NULL: there are none */
    double *own_mode;                                     /* memory behind it, given back with the grid; or NULL */
    double *r;                                            /* residuals, then Newton's steps: w by node */
    struct actio_sweep *sweep;
    size_t nt, w;              /* transmitted between nodes; unknowns of a node */
    size_t iterations, sparse; /* of the last solve; how many of them by the pivoted sparse elimination */
    double residual, step;     /* its end */
};
enum actio_grid_status {
    ACTIO_GRID_DONE,
    ACTIO_GRID_NO_NUMBER,
    ACTIO_GRID_SINGULAR,
    ACTIO_GRID_DIVERGED,
    ACTIO_GRID_STOPPED
};
int actio_grid_open(struct actio_grid *g, struct actio_context *ctx, struct actio_system *sys,
                    struct actio_shared shared, int order, size_t points, double t0, double t1);
void actio_grid_close(struct actio_grid *g);
double actio_grid_time(const struct actio_grid *g, size_t k);
/* Data at t0; 0, or 1: no finite value. Sets P0. */
int actio_grid_data(struct actio_grid *g, const double *x, const double *v);
/* From the guess in x and z to the critical point. A grid status. */
int actio_grid_solve(struct actio_grid *g);
/* Residuals of all nodes into r; 0, or 1: no finite value. size: the largest. */
int actio_grid_residuals(struct actio_grid *g, double *size);

size_t actio_grid_load(struct actio_grid *g, size_t first); /* nodes from `first` on into the lanes of pt; how many */

/* sweep.c: one linear system, streamed. */
struct actio_sweep *actio_sweep_open(struct actio_grid *g); /* NULL: no memory */
void actio_sweep_close(struct actio_sweep *s);
int actio_sweep_solve(struct actio_sweep *s); /* g->r: residuals in, steps out. A grid status */

/* grid_sparse.c: the same by sparse elimination of the whole, rows exchanged across nodes. */
int actio_grid_sparse(struct actio_grid *g);

#endif
