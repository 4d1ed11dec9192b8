/* SPDX-License-Identifier: Apache-2.0
 * How a principle moves when it does not go by the elimination of d'Alembert's equations: its own state, its own rates,
 * its own multipliers. */
#ifndef ACTIO_SOLVE_LAW_H
#define ACTIO_SOLVE_LAW_H

#include "solve/motion.h"

/* Y is the state that is integrated; its first n values are q. y = (q, v, s) is the one that the world knows. Flow
 * statuses. */
struct actio_law {
    const char *name;
    /* why it does not apply here, as a clause; NULL: it does. May be NULL */
    const char *(*objection)(struct actio_motion *m, double t, const double *y);
    int (*open)(struct actio_motion *m); /* 0, or 1: no memory, reported */
    void (*close)(struct actio_motion *m);
    size_t (*size)(const struct actio_motion *m);                                /* of Y */
    int (*unfold)(struct actio_motion *m, double t, const double *Y, double *y); /* NULL: Y = y */
    int (*fold)(struct actio_motion *m, double t, const double *y, double *Y);
    /* onto positions and velocities; NULL: the state keeps velocities on their constraints, or Y = y */
    int (*project)(struct actio_motion *m, double t, double *Y);
    int (*rates)(struct actio_motion *m, double t, const double *Y, double *dY);
    /* z', lambda and reaction into the motion's buffers */
    int (*solve)(struct actio_motion *m, double t, const double *y);
    /* Rates z' into the motion's buffer where walls are touched: `held` marks contacts whose gaps may not accelerate
     * into them. NULL = it has no such rule. */
    int (*one_sided)(struct actio_motion *m, double t, const double *y, const unsigned char *held);
    /* A frame or split wears out: above 1 a new one is taken, `rebase`, at the place where that happens. NULL = never.
     * */
    double (*strain)(struct actio_motion *m, double t, const double *y);
    int (*rebase)(struct actio_motion *m, double t, const double *y);
    /* takes its place where there are fields, or rows depend on velocities; NULL: none does */
    const struct actio_law *lines;
    bool any_rank;                                   /* the rank of the constraints may change at a switch */
    bool (*gives_way)(const struct actio_motion *m); /* also where this holds; NULL: nowhere else */
};
extern const struct actio_law actio_law_gauss, actio_law_maggi, actio_law_hamel, actio_law_reduced;

/* For laws with dense matrices: lines with many nodes are not for them. */
const char *actio_law_is_small(struct actio_motion *m, double t, const double *y);
/* From now on the motion goes by this law; NULL: by elimination. 0, or 1 and a finding. */
int actio_motion_obey(struct actio_motion *m, const struct actio_law *law);

/* z', lambda and reaction by the law in force, or by elimination. */
int actio_motion_solve_by_law(struct actio_motion *m, double t, const double *y);

/* For laws: the matrices of  G z' - D' lambda = h,  A z' = c  at a known state, dense; ACTIO_FLOW_NAN where a formula
 * has no value. */
int actio_motion_make_dense(struct actio_motion *m); /* room for them; 0, or 1: no memory */
struct actio_dense_point {
    double *G, *A;
    const double *h, *c;
};
int actio_motion_matrices(struct actio_motion *m, double t, const double *y, struct actio_dense_point *at);
/* Any quantity's values there; hidden numbers: room for so many (0, or 1: no memory), and what depends on them anew. */
const double *actio_motion_quantity(struct actio_motion *m, enum actio_quantity what, double t, const double *y);
int actio_motion_make_hidden(struct actio_motion *m, size_t count);
void actio_motion_prologue(struct actio_motion *m, enum actio_quantity what);
/* Velocity residuals phi by constraint row (0 for acceleration constraints) at the point last moved to. */
void actio_motion_residuals(struct actio_motion *m, double t, const double *y, double *phi);

#endif
