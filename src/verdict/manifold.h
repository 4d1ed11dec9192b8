/* SPDX-License-Identifier: Apache-2.0
 * The states that satisfy all constraints known so far, and points on it: what a verdict looks at. */
#ifndef ACTIO_VERDICT_MANIFOLD_H
#define ACTIO_VERDICT_MANIFOLD_H

#include "equations/formation.h"

/* One list of formulas, evaluated at a point (t, y) with y = (q, v, s). */
struct actio_probe { struct actio_kernel *k, **slot; struct actio_arg *in; double *pre, *value, **out, *work; };

/* Kernels in use: the caller's, who frees them when a survey is cut short (late, cancelled, out of memory). */
enum { ACTIO_MOST_KERNELS = 8 };
struct actio_kernels { struct actio_kernel *k[ACTIO_MOST_KERNELS]; };

struct actio_manifold {
    struct actio_formation *F;
    struct actio_kernels *in_use;
    size_t ny;
    double t, *y, *param, *mode;                           /* the point: probes read here; switches stay on one side */
    actio_expr *wrt;                                       /* q, v, s */
    actio_expr *c; size_t count, cap;                      /* position constraints and velocity constraints, each 0 on the manifold */
    bool *is_position; size_t *row_of;                     /* no velocity or state in it; scratch */
    struct actio_probe values, slopes;
    struct actio_entries J;                                /* d c / d y */
    double unit[2];                                        /* of positions, of velocities and states: 1 or less */
    double *work; int *iwork;
};

struct actio_probe actio_probe_open(struct actio_manifold *m, const actio_expr *e, size_t n);    /* escapes; its memory dies with the formation */
void actio_probe_close(struct actio_probe *p);
const double *actio_probe_at(const struct actio_probe *p); /* at the manifold's current point */

void actio_manifold_open(struct actio_manifold *m, struct actio_formation *F, const double *param, struct actio_kernels *in_use);
/* Switches are taken as at this state (on their surface: the positive side), lengths and velocities are measured by its own where it is small. */
void actio_manifold_start_at(struct actio_manifold *m, double t, const double *y);
void actio_manifold_close(struct actio_manifold *m);
void actio_manifold_add(struct actio_manifold *m, actio_expr c);              /* then call actio_manifold_ready */
void actio_manifold_ready(struct actio_manifold *m);                          /* compiles what was added */
/* Moves y (at time t) to the nearest point; true when it satisfies everything. *rank is that of the constraints there, *worst the row that does not fit. */
bool actio_manifold_reach(struct actio_manifold *m, double t, double *y, size_t *rank, size_t *worst);
size_t actio_manifold_rank(struct actio_manifold *m, double t, const double *y);

#endif
