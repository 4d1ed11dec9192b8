/* SPDX-License-Identifier: Apache-2.0
 * Fields: values beyond their ends that follow from the others, and start data on the constraints of nodes and cells.
 * */
#ifndef ACTIO_SOLVE_SLAVES_H
#define ACTIO_SOLVE_SLAVES_H

#include "solve/motion.h"

int actio_slaves_settle(struct actio_motion *m); /* at the motion's current point; a flow status */
/* what each residual, of positions then of velocities, may be at the current point */
void actio_lanes_allowance(struct actio_motion *m, double *allowed);
/* The current point put on the constraints by shortest steps of full matrices, positions by the constraints on
 * positions only: also where rows depend on each other, or leave nothing that moves. False: it does not get there, or
 * there is too much of it. */
bool actio_lanes_nearest(struct actio_motion *m);
/* as actio_motion_check_start, with as much memory as a step needs */
int actio_lanes_check_start(struct actio_motion *m, double t, const double *y, struct actio_start_check *out);

#endif
