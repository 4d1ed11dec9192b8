/* SPDX-License-Identifier: Apache-2.0
 * The states that satisfy all constraints known so far, and points on it: what a verdict looks at. */
#ifndef ACTIO_VERDICT_MANIFOLD_H
#define ACTIO_VERDICT_MANIFOLD_H

#include "equations/formation.h"

/* One list of formulas, evaluated at a point (t, y) with y = (q, v, s). */
struct actio_probe {
    struct actio_kernel *k, **slot;
    struct actio_arg *in;
    double *pre, *value, **out, *work;
};

/* Kernels in use: the caller's, who frees them when a survey is cut short (late, cancelled, out of memory). */
enum { ACTIO_MOST_KERNELS = 8 };
struct actio_kernels {
    struct actio_kernel *k[ACTIO_MOST_KERNELS];
};

struct actio_manifold {
    struct actio_formation *F;
    struct actio_kernels *in_use;
    size_t ny;
    double t, *y, *param, *mode, *outside; /* the point: probes read here; switches stay on one side */
    double *held;                          /* held values at their start */
    actio_expr *wrt;                       /* q, v, s */
    /* position constraints and velocity constraints, each 0 on the manifold; `added`: with those that are not ready,
     * which nothing reads yet */
    actio_expr *c;
    size_t count, added, cap;
    bool *is_position; /* no velocity or state in it; scratch */
    size_t *row_of;
    struct actio_probe values, slopes, guards;
    struct actio_entries J; /* d c / d y */
    double unit[2];         /* of positions, of velocities and states: 1 or less */
    double *weight;         /* of each constraint: 1 / the length that its gradient has */
    double *work;
    int *iwork;
    size_t *row_start; /* of reach.c: room, and where each row of J begins */
};

/* escapes; its memory dies with the formation */
struct actio_probe actio_probe_open(struct actio_manifold *m, const actio_expr *e, size_t n);
void actio_probe_close(struct actio_probe *p);
const double *actio_probe_at(const struct actio_probe *p); /* at the manifold's current point */

void actio_manifold_open(struct actio_manifold *m, struct actio_formation *F, const double *param,
                         struct actio_kernels *in_use);
/* Switches are taken as at this state (on their surface: the positive side), lengths and velocities are measured by its
 * own where it is small. */
void actio_manifold_start_at(struct actio_manifold *m, double t, const double *y);
void actio_manifold_close(struct actio_manifold *m);
void actio_manifold_add(struct actio_manifold *m, actio_expr c); /* then call actio_manifold_ready */
void actio_manifold_ready(struct actio_manifold *m);             /* compiles what was added */
/* Constraints count by the lengths of their gradients at these states (y + i*ny), whatever their units; 1 until then.
 * */
void actio_manifold_weigh(struct actio_manifold *m, const double *t, const double *y, size_t count);
/* The sides of the switches at this state from now on; is it on the sides that are taken (or on the surface)? */
void actio_manifold_take_sides(struct actio_manifold *m, double t, const double *y);
bool actio_manifold_on_sides(struct actio_manifold *m, double t, const double *y);
/* reach.c */
void actio_manifold_room(struct actio_manifold *m); /* called by actio_manifold_ready */
/* Moves y (at time t) to the nearest point; true when it satisfies everything. *rank, *worst: of the last Newton that
 * needed them, else 0. */
bool actio_manifold_reach(struct actio_manifold *m, double t, double *y, size_t *rank, size_t *worst);
/* Moves the marked components only, so that the condition `row` holds; false leaves y as it was. */
bool actio_manifold_solve_for(struct actio_manifold *m, double t, double *y, size_t row, const bool *free_one);
/* Does y satisfy each row to `tol` of what its variables contribute to it? Newton may call rounding what is not, beside
 * one huge component. */
bool actio_manifold_fits(struct actio_manifold *m, double t, const double *y, double tol);
size_t actio_manifold_rank(struct actio_manifold *m, double t, const double *y);

#endif
