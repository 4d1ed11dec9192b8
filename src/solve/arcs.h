/* SPDX-License-Identifier: Apache-2.0
 * A motion that data at several times determine, as arcs that join: multiple shooting. Where one march from the start
 * magnifies its rounding beyond all accuracy, short arcs do not.
 * In: a smooth motion, what is fixed at its start, conditions, a guess. Out: states at the ends of the arcs. Caller:
 * run. */
#ifndef ACTIO_SOLVE_ARCS_H
#define ACTIO_SOLVE_ARCS_H

#include "solve/orbit.h"

/* Components of the first state are fixed or free. Condition k is on the state at its time: how far it is off, and its
 * derivatives by that state; 0, or 1: no number. guess: a state to begin from, at a time; 0, or 1: there is none. */
struct actio_arcs_data {
    double t0, t1;
    const bool *fixed;
    const double *start, *when;
    double *off; /* room for a number for each condition */
    size_t conditions;
    int (*miss)(void *user, size_t k, const double *y, double *off, double *slope);
    int (*guess)(void *user, double t, double *y);
    void *user;
};
struct actio_arcs {
    struct actio_context *ctx;
    struct actio_motion *m;
    struct actio_orbit o; /* sizes, directions, the flow with its derivatives */
    struct actio_arcs_data data;
    size_t ny, d, nodes; /* arc i goes from node i to i + 1 */
    double *t, *y;       /* of the nodes */
    double *block, *Q, *end, *Phi, *stretch, *r, *A, *xi, *slope, *before, *scratch;
    int *pivot;
    double behind; /* conditions are met up to this part of what they are off where the guess has them */
    bool guessed;  /* nodes are where the guess has them */
    double residual, step;
    size_t iterations;
};
/* 0, or 1 and, where memory is over, a finding. Close in any case. */
int actio_arcs_open(struct actio_arcs *a, struct actio_context *ctx, struct actio_motion *m,
                    const struct actio_arcs_data *data);
void actio_arcs_close(struct actio_arcs *a);
/* Newton's method on all nodes, from where they are, with arcs at this local tolerance. 0; -1: it does not converge; or
 * a flow or march status. */
int actio_arcs_solve(struct actio_arcs *a, double local);
/* Likewise where the guess is a motion: the conditions are approached from what it has. */
int actio_arcs_approach(struct actio_arcs *a, double local);
/* The node at the time of a condition. */
const double *actio_arcs_state(const struct actio_arcs *a, double t);
/* How much all arcs together magnify, as a logarithm to base 10. */
double actio_arcs_growth(struct actio_arcs *a);
/* States at times in the motion's direction: component j of row r at y[j*count + r]. A flow or march status. */
int actio_arcs_sample(struct actio_arcs *a, const double *times, size_t count, double *y, double local);

#endif
