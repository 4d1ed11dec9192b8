/* SPDX-License-Identifier: Apache-2.0
 * The action at its nodes: kernels bound to lanes = time points. Shared by slabs, the global grid, and what proves
 * them; knows no equation of motion. */
#ifndef ACTIO_SOLVE_POINTS_H
#define ACTIO_SOLVE_POINTS_H

#include "solve/lanes.h"
#include "solve/node.h"

/* Numbers that all nodes share; they may change between evaluations (params and hidden ones: call actio_points_prologue
 * then). */
struct actio_shared {
    const double *param, *mode, *hidden;
}; /* mode NULL: by node */

/* Component i of node l at [i*lanes + l]. x = (q, s); z = (u, s', lambda, mu), see equations/action.c; nz unknowns and
 * as many equations a node. */
struct actio_points {
    struct actio_context *ctx;
    struct actio_system *sys;
    struct actio_shared shared;
    size_t lanes, n, m, p, h, nx, nz, entries; /* h: position residuals; entries of the jets */
    double *block;
    double *t, *x, *z;           /* set by the caller */
    double *mode;                /* likewise, where nodes have switches of their own (shared.mode NULL) */
    double *P, *F, *R, *v, *jet; /* momenta, forces (n each); residuals (m + p + h); velocities; entries */
    struct actio_node_kernel values, jets, params; /* params: once actio_points_need_params was called */
    double *param_jet;                             /* entries by lanes */
    double *dropped; /* HIDDEN numbers of redundant constraints, or NULL; behind them scratch of the choice */
    int *order;      /* scratch likewise */
    /* of a system with fields, in the kernels' place: node by node of time */
    struct actio_lanes *field_values, *field_jets;
    double *one; /* their numbers at one of them */
};
/* Columns of the jets up to the rates u, as components of the known state y = (q, v, s). */
static inline size_t actio_points_component(const struct actio_points *pt, size_t col)
{
    return col < pt->n ? col : col < pt->nx ? pt->n + col : pt->n + col - pt->nx;
}
/* 0, or 1 and a finding */
int actio_points_open(struct actio_points *pt, struct actio_context *ctx, struct actio_system *sys, size_t lanes,
                      struct actio_shared shared);
void actio_points_close(struct actio_points *pt); /* a zeroed one is fine */
/* Redundant constraints (sys->droppable): keeps `rank` of them that are independent at the state in lane 0 of x and z,
 * and leaves the others out. 0, or 1. */
int actio_points_choose(struct actio_points *pt, size_t rank);
void actio_points_prologue(struct actio_points *pt);
int actio_points_need_params(struct actio_points *pt); /* 0, or 1 and a finding */
/* At the first `count` nodes. 0, or 1: a formula has no finite value there. */
int actio_points_values(struct actio_points *pt, size_t count);
int actio_points_jets(struct actio_points *pt, size_t count);
int actio_points_params(struct actio_points *pt, size_t count);

#endif
