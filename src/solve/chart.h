/* SPDX-License-Identifier: Apache-2.0
 * A chart of the velocities that the constraints allow: z = (v, s) from r = N - rank numbers xi = Z z and phi(q, z, t)
 * = 0, Z frozen. With Z an orthonormal basis of the null space of A it is the automatic frame of Maggi's equations,
 * with unit vectors a split into free and bound velocities. */
#ifndef ACTIO_SOLVE_CHART_H
#define ACTIO_SOLVE_CHART_H

#include "solve/law.h"

struct actio_chart {
    size_t N, r;   /* r: numbers xi */
    double *Z;     /* r x N, the frame that holds now */
    uint32_t *row; /* N - r constraint rows that are independent, redundant ones left out */
    double *z;     /* the last one found: where the next search begins */
    double *M, *phi, *step, *work, *copy, *F, *K; /* M = [Z; A]: LU factors after actio_chart_factor */
    double *longest; /* by constraint: the length of its row at its longest where frames were chosen */
    int *pivot, *iwork;
    double tau;   /* reduced: hysteresis of the split */
    double *past; /* times and frames of this run, in order */
    size_t frames, room;
};
int actio_chart_open(struct actio_motion *m); /* as law_data; 0, or 1: no memory */
void actio_chart_close(struct actio_motion *m);
size_t actio_chart_size(const struct actio_motion *m); /* n + r */
int actio_chart_fold(struct actio_motion *m, double t, const double *y, double *Y);
/* by Newton's method: one step where phi is affine */
int actio_chart_unfold(struct actio_motion *m, double t, const double *Y, double *y);
/* The frame in force from t on joins the list; a flow status. recall: the one that was in force at t. */
int actio_chart_remember(struct actio_motion *m, double t);
void actio_chart_recall(struct actio_motion *m, double t);
/* LU of [Z; A] with A at the point; 0, or 1: singular. */
int actio_chart_factor(struct actio_chart *c, const double *A);
/* Rows of A that are independent, by pivoting, into c->row; 0, or 1 when their number is not N - r. */
int actio_chart_choose_rows(struct actio_motion *m, const double *A);
/* |M|_F |M^-1|_F / N of the equilibrated M at the point, >= 1. */
double actio_chart_condition(struct actio_motion *m, double t, const double *y);

#endif
