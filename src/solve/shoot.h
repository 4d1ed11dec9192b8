/* SPDX-License-Identifier: Apache-2.0
 * Multiple shooting, shared by the search for one orbit and by continuation: segments integrated with their
 * derivatives, and the linear system of all nodes brought down to one of the first node by orthogonal transformations,
 * which lose nothing however unstable the orbit is. */
#ifndef ACTIO_SOLVE_SHOOT_H
#define ACTIO_SOLVE_SHOOT_H

#include "solve/orbit.h"

struct actio_shoot {
    struct actio_orbit *o;
    struct actio_circuit *l;
    size_t m, d, ny, width; /* nodes; width of a stored row: own, first, next (d each), period, param, right side */
    bool timed;             /* rates depend on time */
    double *block, *Q, *lift, *end, *rate, *X, *Phi, *by_period, *by_param, *r, *kept, *pair, *xi, *scratch;
    /* of the first node: K xi + kT dT + ka da = kb; direction of the motion there */
    double *K, *kT, *ka, *kb, *phase, *svd, *first, *tried, *held;
    double first_period;
    double residual, local; /* scaled, largest; tolerance of the motion */
};
int actio_shoot_open(struct actio_shoot *s, struct actio_orbit *o, struct actio_circuit *l); /* 0, or 1: no memory */
void actio_shoot_close(struct actio_shoot *s);
/* Segments from the nodes as they are, and the condensed system. A flow or march status. */
int actio_shoot_linearise(struct actio_shoot *s, double local);
/* The shortest step of the first node that fits; dT by the way. 0, or 1: no finite one. */
int actio_shoot_step(struct actio_shoot *s, double *xi, double *dT);
/* The other nodes follow; nodes and period move by `part` of the step, and back on the manifold. */
void actio_shoot_follow(struct actio_shoot *s, const double *xi, double dT, double da);
/* a flow status */
int actio_shoot_move(struct actio_shoot *s, const struct actio_circuit *from, double dT, double part);

#endif
