/* SPDX-License-Identifier: Apache-2.0
 * The state of a long chain in lanes: see segments.c. */
#ifndef ACTIO_SOLVE_SEGMENTS_H
#define ACTIO_SOLVE_SEGMENTS_H

#include "solve/motion.h"

/* behind actio_tension_open; sets m->segments where the chain is long enough; 0, or 1: no memory */
int actio_segments_open(struct actio_motion *m);
void actio_segments_close(struct actio_motion *m);
/* The motion's flow for a stepper that takes states as they come: folded into lanes where there are segments. */
struct actio_ode actio_segments_flow(struct actio_motion *m);
/* Accelerations only, of the folded state at the motion's time. 0, or 1: not this way. */
int actio_segments_accelerations(struct actio_motion *m, const double *Y, double *acceleration);

#endif
