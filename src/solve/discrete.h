/* SPDX-License-Identifier: Apache-2.0
 * Newton's matrix of a step of the discrete action: masses and rows of constraints, and where there are fields what
 * stiffness, damping and velocity constraints add to them. It decides how fast the step is found, not what is found. */
#ifndef ACTIO_SOLVE_DISCRETE_H
#define ACTIO_SOLVE_DISCRETE_H

#include "solve/law.h"

struct actio_discrete_slopes {
    struct actio_context *ctx;
    struct actio_places W, B; /* of G and A, and of what is added */
    size_t *of_G, *of_A;      /* where their entries are in W and B; NULL: there nothing is added */
    struct {
        uint32_t from, to;
        uint8_t kind;
    } * add;
    size_t adds;     /* from: entry of EQUATIONS_Y */
    uint32_t *index; /* memory of the places; what depends only on q, at rest */
    double *rest;
};

/* The state at which slopes are requested, the multipliers of velocity constraints there (0 for others), the step. */
struct actio_slope_point {
    double t, h;
    const double *y, *v, *l;
};

/* 0, or 1: no memory; looks around the motion's current point */
int actio_discrete_slopes_open(struct actio_discrete_slopes *s, struct actio_motion *m, const bool *holonomic);
void actio_discrete_slopes_close(struct actio_discrete_slopes *s);
/* Values of W and B from those of G and A. */
void actio_discrete_slopes_fill(const struct actio_discrete_slopes *s, struct actio_motion *m,
                                const struct actio_slope_point *at, const double *G, const double *A, double *W,
                                double *B);

#endif
