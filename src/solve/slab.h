/* SPDX-License-Identifier: Apache-2.0
 * One slab of time of the weak SKG action: initial data enter the action itself, its critical point is found by
 * Newton's method in the rates and the multipliers of all nodes at once. No equation of motion is formed.  [RH 7, SKG
 * 1.2, 3] */
#ifndef ACTIO_SOLVE_SLAB_H
#define ACTIO_SOLVE_SLAB_H

#include "algebra/linear.h"
#include "solve/points.h"

/* a jump of this part of the velocities at the start is not an error of discretisation */
#define ACTIO_WRONG_BRANCH 0.25

/* Where nodes lie on [0, 1], and A = (Q + E0)^-1 H of summation by parts. */
struct actio_element {
    struct actio_context *ctx;
    int order;            /* of equally spaced nodes: 2, 4, 6, 8; 0: Legendre-Gauss-Lobatto */
    size_t nodes, window; /* window: nodes of one interpolation */
    double *block, *c, *H, *Q, *A, *bary;
    double jump_order; /* the jump at the start of a slab is O(h^this) */
};
/* 0, or 1: no memory */
int actio_element_open(struct actio_element *e, struct actio_context *ctx, int order, size_t nodes);
void actio_element_close(struct actio_element *e);
/* Values at theta (0 .. 1, or a little beyond) of what is known at the nodes: sum of weight * value - jump * (first
 * value - initial datum): with it, values are continuous at both ends of the slab and one order better. */
void actio_element_weigh(const struct actio_element *e, double theta, double *weight, double *jump);

struct actio_slab {
    struct actio_context *ctx;
    const struct actio_element *e;
    struct actio_points pt;
    size_t size;                         /* unknowns: nodes * nz */
    double t, h;                         /* from t to t + h */
    double *block, *x0, *v0, *P0, *lost; /* data: (q, s), velocities, momenta; what rounding took from x0 and P0 */
    /* x - x0 by lanes; residuals, then steps; the matrix of the linearisation, then its factors */
    double *dx, *r, *M;
    int *pivot;
    /* Large slabs: the same matrix sparse. Entry (row, col) of node k's equations and node j's unknowns at place[row*nz
     * + col] - 1, + k*nodes + j where nodes are coupled, + k else. */
    bool sparse;
    uint32_t *place;
    bool *coupled;
    uint32_t *pattern;
    double *values;
    size_t entries;
    struct actio_linear linear;
    double *last, *weight, last_h; /* rates and multipliers of the slab before, its length */
    bool have_last;
    size_t iterations, factored; /* of the last solve */
};
enum actio_slab_status { ACTIO_SLAB_DONE, ACTIO_SLAB_NO_NUMBER, ACTIO_SLAB_SINGULAR, ACTIO_SLAB_DIVERGED };
/* 0, or 1 */
int actio_slab_open(struct actio_slab *s, struct actio_context *ctx, struct actio_system *sys,
                    const struct actio_element *e, struct actio_shared shared);
void actio_slab_close(struct actio_slab *s);
/* Data at t: x = (q, s), v; momenta follow. 0, or 1: no finite value. */
int actio_slab_data(struct actio_slab *s, double t, const double *x, const double *v);
/* The guess for a slab of this length, into pt.z: the last slab's rates and multipliers carried on, or the velocities
 * of the data. */
void actio_slab_guess(struct actio_slab *s, double h);
/* Solves from the guess in pt.z; tol: relative, of the rates. A slab status. */
int actio_slab_solve(struct actio_slab *s, double h, double tol);
/* The end becomes the data of the next slab. */
void actio_slab_pass(struct actio_slab *s, double t);
/* The linearisation at the solution, factored: for sensitivities. 0, or 1. */
int actio_slab_factor(struct actio_slab *s);
/* b becomes the factored matrix's solution */
void actio_slab_apply(struct actio_slab *s, double *b, bool transposed);
void actio_slab_move(struct actio_slab *s, double h); /* x at the nodes from the rates in pt.z */

#endif
