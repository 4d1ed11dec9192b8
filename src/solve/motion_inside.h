/* SPDX-License-Identifier: Apache-2.0
 * What motion.c and motion_open.c share. Inside these two only. */
#ifndef ACTIO_SOLVE_MOTION_INSIDE_H
#define ACTIO_SOLVE_MOTION_INSIDE_H

#include "solve/motion.h"

/* motion_open.c: binds the right-hand side to a buffer of the stepper; its inputs, in place of the oldest ones. */
struct actio_arg *actio_motion_bind_rhs(struct actio_motion *motion, const double *y);

/* motion.c: the flow's quality of the elimination, since last queried and at a point. There: the formulas' pivots when
 * they are sound; in doubt the equilibrated matrix decides: a pivot of G may vanish where the whole is regular. */
double actio_motion_quality(void *motion);
double actio_motion_quality_at(void *motion, double t, const double *y);

#endif
