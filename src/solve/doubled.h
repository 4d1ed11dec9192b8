/* SPDX-License-Identifier: Apache-2.0
 * The doubled action on one grid of time, as a function of all its unknowns: value, gradient, sparse Hessian, critical
 * point. Knows no equation of motion.
 *
 * Unknowns X: fields of `points` values each, the time running fastest; q+, s+, lambda+, mu+ (plus sector), then q-,
 * s-, lambda-, mu- (minus sector), then the multipliers of the forms that have some: kappa, kappat, xi, xit (by
 * coordinate), kl, xl (by constraint), km, xm (by holonomic constraint).
 *     weak    u+ = D q+ + H^-1 e_0 (q+[0] - q_i),  u- = D q- - H^-1 e_N q-[N],  S = sum hH l + p_i.q-[0]: the one to
 *     solve  [SKG 1.2]
 *     strong  u+ as before,  u- = D q- + H^-1 e_0 q-[0],  S = sum hH l + kappa.(q+[0] - q_i) + kappat.((D q+)[0] - v_i)
 *     + xi.q-[N] + xit.(D q-)[N]
 *             + kl.lambda-[0] + xl.lambda-[N] + km.mu-[0] + xm.mu-[N]: 2p + 2h more unknowns than equations  [SKG 1.1]
 *     bare    the same with u+- = D q+-  [RH A1]
 * States have w+ = D s+ + H^-1 e_0 (s+[0] - s_i) in every form. */
#ifndef ACTIO_SOLVE_DOUBLED_H
#define ACTIO_SOLVE_DOUBLED_H

#include "algebra/linear.h"
#include "algebra/sbp.h"
#include "solve/node.h"

enum actio_action_form { ACTIO_ACTION_WEAK, ACTIO_ACTION_STRONG, ACTIO_ACTION_BARE };

/* A symbol of the density: a field's value at the node, or its rate there. */
struct actio_local {
    uint32_t field;
    bool rate;
};
/* What a multiplier of the strong form is tied to: multiplier * (coef * X[col] + .. - target). */
struct actio_tie {
    uint32_t row, col;
    double coef;
};
/* Rates: row k of Q, and what stands in the corners beside it. */
struct actio_rate_row {
    size_t first, width;
    double q[ACTIO_SBP_WIDEST];
};
struct actio_corner {
    double first, last;
};
/* Named parts of X. */
struct actio_slice {
    const char *kind, *of;
    size_t first, count;
};

/* By node: times, weights; symbols; density and its derivatives; its curvature; switches. */
struct actio_doubled_nodes {
    double *t, *hH, *y, *out, *curve, *mode, *guard;
};
/* Initial data (q, s), velocities, momenta. */
struct actio_doubled_start {
    double *data, *x0, *v0, *momenta;
};
/* Its entries, row by row, columns ascending. */
struct actio_doubled_hessian {
    size_t *start;
    uint32_t *i, *j;
    size_t count;
};

struct actio_doubled {
    struct actio_context *ctx;
    const struct actio_system *sys;
    enum actio_action_form form;
    int order;
    size_t points, reach;
    double t0, t1;
    size_t n, m, p, h, sector, locals, extras, size; /* sector: fields of one; extras: multipliers; size: of X */
    double *block;
    struct actio_doubled_nodes node;
    struct actio_doubled_start initial;
    double none; /* what accelerations are bound to */
    struct actio_rate_row *row;
    struct actio_corner corner[3]; /* of u+, w+, u- */
    struct actio_local *local;
    struct actio_tie *tie;
    size_t ties;
    double *target; /* by multiplier */
    struct actio_slice *slice;
    size_t slices;
    struct actio_node_kernel density, curvature, guards;
    struct actio_doubled_hessian hessian;
    size_t iterations; /* of the last solve */
    double residual, step;
};

/* x = (q, s) */
struct actio_doubled_task {
    enum actio_action_form form;
    int order;
    size_t points;
    double t0, t1;
    const double *x, *v, *param, *hidden;
};
/* 0; or 1 and a finding. actio_doubled_data comes next. */
int actio_doubled_open(struct actio_doubled *d, struct actio_context *ctx, struct actio_system *sys,
                       const struct actio_doubled_task *task);
void actio_doubled_close(struct actio_doubled *d); /* a zeroed one is fine */
/* All of X: a straight line from the data, multipliers and differences 0. */
void actio_doubled_guess(const struct actio_doubled *d, double *X);
/* 0, or 1: a formula has no finite value there. */
int actio_doubled_value(struct actio_doubled *d, const double *X, double *S);
int actio_doubled_gradient(struct actio_doubled *d, const double *X, double *g);
/* in the order of i, j; both halves */
int actio_doubled_hessian(struct actio_doubled *d, const double *X, double *values);
/* What the data say at t0: residuals of velocity and position level, p and h of them. 0, or 1. Sets P0. */
int actio_doubled_data(struct actio_doubled *d, double *residual);

/* doubled_pattern.c */
int actio_doubled_pattern(struct actio_doubled *d); /* fills start, i, j; 0, or 1: no memory */
/* d(rate of the field at k) / d(its value at j) */
double actio_doubled_coefficient(const struct actio_doubled *d, uint32_t field, size_t k, size_t j);

/* doubled_solve.c: from X to a critical point by Newton's method on all unknowns at once; a grid status. Steps of least
 * length where the form leaves unknowns undetermined, on up to ACTIO_ACTION_DENSE of them. */
enum { ACTIO_ACTION_DENSE = 1600, ACTIO_ACTION_TOO_LARGE = 32 };
int actio_doubled_solve(struct actio_doubled *d, double *X);

#endif
