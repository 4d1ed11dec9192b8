/* SPDX-License-Identifier: Apache-2.0
 * Rates of a motion and their derivative along one direction of state and time, by formulas of the elimination, or by
 * solving the equations of motion once more.
 * In: a motion and a direction. Out: numbers. Callers: defect. */
#ifndef ACTIO_SOLVE_ALONG_H
#define ACTIO_SOLVE_ALONG_H

#include "solve/motion.h"

int actio_along_need(struct actio_motion *m); /* compiles what it takes; 0, or 1 */
/* rates: y' (ny); out: its derivative along (dy, dt). A flow status. */
/* Inputs of the ALONG kernel for numbers that stay where they are; the caller gives them back. NULL: no memory. */
struct actio_arg *actio_motion_bind_along(struct actio_motion *m, const double *t, const double *y, const double *dy,
                                          const double *dt);
int actio_motion_along(struct actio_motion *m, double t, const double *y, const double *dy, double dt, double *rates,
                       double *out);

#endif
