/* SPDX-License-Identifier: Apache-2.0
 * States (q, u, s) in the quasi-velocities u of a frame: what the laws in them share. Used by laws only. */
#ifndef ACTIO_SOLVE_FRAMED_H
#define ACTIO_SOLVE_FRAMED_H

#include "solve/law.h"

/* r of the u are free. Scratch of n*n numbers each: M, inverse, K; of n: part, rate. A law's data begin with it. */
struct actio_framed {
    const struct actio_frame *frame; /* NULL: directions of the point */
    size_t n, r;
    double *M, *inverse, *K, *part, *rate, *work;
    int *pivot, *iwork;
};
/* Places in the outputs of FRAME. */
struct actio_frame_values {
    const double *M, *m0, *M_q, *m0_q, *M_t, *m0_t, *L_v;
};

/* Takes its memory, with room for work; 0, or 1. The frame and r are set. */
int actio_framed_open(struct actio_motion *m, struct actio_framed *f);
void actio_framed_close(struct actio_motion *m, struct actio_framed *f);
struct actio_frame_values actio_framed_at(struct actio_motion *m, double t, const double *y);

/* Members of a law, whose data begin with a struct actio_framed. */
size_t actio_framed_size(const struct actio_motion *m);
int actio_framed_fold(struct actio_motion *m, double t, const double *y, double *Y); /* u = M v + m0 */
/* automatic rows anew: perpendicular to the others as they are here */
int actio_framed_rebase(struct actio_motion *m, double t, const double *y);
double actio_framed_strain(struct actio_motion *m, double t, const double *y);
/* (q', u', s') from a known state, f->rate and z' */
void actio_framed_rates(const struct actio_motion *m, const double *y, double *dY);
/* the inverse of an n x n matrix, whose LU stays in f->M; a flow status */
int actio_framed_invert(struct actio_framed *f, const double *M);

#endif
