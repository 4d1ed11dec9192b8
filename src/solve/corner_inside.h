/* SPDX-License-Identifier: Apache-2.0
 * What the files on corners share. */
#ifndef ACTIO_SOLVE_CORNER_INSIDE_H
#define ACTIO_SOLVE_CORNER_INSIDE_H

#include "solve/corner.h"

enum { ACTIO_CORNER_STARTS = 24 }; /* guesses of velocities behind rows that are not linear in them */

/* What the CORNER quantity has: momenta, energy, sizes of their terms; entries of the guards' derivatives. */
struct actio_side {
    double *p, E, *p_size, E_size, *f, *phi, *f_size, *phi_size;
};

struct actio_corner {
    size_t n, rows;             /* rows: velocity residuals */
    double *mode, *after;       /* before and behind the switch */
    bool *rests;                /* before: which of them stood on their surfaces */
    struct actio_side old, new; /* at the same velocities */
    double *gradient;           /* dPhi/dq */
    double drift;               /* dPhi/dt, states moving */
    bool by_q, by_v;            /* what Phi depends on */
    double *v, *sigma, *Dv;     /* the solution */
    double *before;             /* velocities there */
    double *K, *b, *x, *y, *work;
    double *both, *basis; /* rows of both sides; scratch */
    double *trial;        /* velocities that were found from other guesses */
    int *iwork;
    struct {
        double *mode, *y[2];
        bool *rests;
    } tried;          /* two orders of switches at one instant */
    double nu, speed; /* speed: of the fastest coordinate before */
    bool varies;      /* the rank of the rows does, from switch to switch */
};

/* Velocities c->v (a guess on entry) and impulses c->sigma on the side that is set; 0, or 1: none are found. */
int actio_corner_follow(struct actio_motion *m, const struct actio_side *from, struct actio_side *at, double t);
/* The same with velocities of least change in the metric of the masses, from those that stand in c->v. How many equally
 * near ones were found; 0: none. */
size_t actio_corner_nearest(struct actio_motion *m, const struct actio_side *from, struct actio_side *at, double t);
/* Have the rows other directions at the velocities before than at those behind, on the side that is set? */
bool actio_corner_turns_rows(struct actio_motion *m, double t);

#endif
