/* SPDX-License-Identifier: Apache-2.0
 * The short way to the accelerations of a chain: see tension.c. */
#ifndef ACTIO_SOLVE_TENSION_H
#define ACTIO_SOLVE_TENSION_H

#include "solve/motion.h"

/* sets m->tension where the system is of that kind; 0, or 1: no memory, and a finding */
int actio_tension_open(struct actio_motion *m);
void actio_tension_close(struct actio_motion *m);
int actio_tension_rates(struct actio_motion *m, double t, const double *y, double *zdot); /* 0, or 1: not this way */
bool actio_tension_finite(const double *x, size_t n);

#endif
