/* SPDX-License-Identifier: Apache-2.0
 * Pseudo-arclength continuation of a periodic orbit: in a param, or along a family that the motion's own integrals
 * make. The first node, the period and the param move along the branch's tangent, and Newton's method perpendicular to
 * it brings them back: folds are nothing special.
 * */
#ifndef ACTIO_SOLVE_CONTINUATION_H
#define ACTIO_SOLVE_CONTINUATION_H

#include "solve/shoot.h"

struct actio_follow {
    struct actio_orbit *o;
    bool in_param; /* else along the family */
    /* Sets the param; where the period is a function of it (driven models), *period and its derivative. 0, or 1. */
    int (*set)(void *user, double a, double *period, double *slope);
    void *user;
    double local;            /* tolerance of the motion */
    double a, a_size;        /* where it is; what a change of the param is measured by */
    struct actio_circuit at; /* the orbit there */
    double *tangent;         /* (xi, dT/T, da/a_size) at `at`, of length 1 */
    size_t unknowns;
    double *block, *work, *y_tangent; /* y_tangent: dy0 along the branch, scaled */
    size_t iterations;                /* of the last correction */
};
/* 0, or 1: no memory */
int actio_follow_open(struct actio_follow *f, struct actio_orbit *o, const struct actio_circuit *from, double a,
                      bool in_param);
void actio_follow_close(struct actio_follow *f);
/* Another turn as the point where it is: other nodes of the same orbit. 0, or 1: no memory. */
int actio_follow_take(struct actio_follow *f, const struct actio_circuit *c);
/* The tangent there, with the sign that goes on (or, the first time, towards larger a when `up`). A status as of
 * descend: 0; -1; or a motion's. */
int actio_follow_tangent(struct actio_follow *f, bool first, bool up);
/* From where it is by h along the tangent, corrected: into `to` and *a. `fixed`: to this value of the param in place of
 * the arclength. 0; -1; or a motion's status. */
int actio_follow_step(struct actio_follow *f, double h, bool fixed, double value, struct actio_circuit *to, double *a);

#endif
