/* SPDX-License-Identifier: Apache-2.0
 * Nothing narrow can hide: after each step the formulas of the equations are enclosed over it. Where an operation takes
 * values there that its looks at the step did not show, the step is halved until the place is found; it is then done
 * again up to that place, and goes on from there with steps of the width of what was found.
 * In: a motion and the steps of its march. Out: where a step has to end. Callers: accuracy. */
#ifndef ACTIO_SOLVE_FEATURES_H
#define ACTIO_SOLVE_FEATURES_H

#include "solve/motion.h"

struct actio_features;

/* 0, or 1: no memory. NULL in *f: the formulas have no narrow features. */
int actio_features_open(struct actio_features **f, struct actio_motion *m);
void actio_features_close(struct actio_features *f);
/* The flow whose steps are looked into, at a local tolerance. */
struct actio_ode actio_features_over(struct actio_features *f, struct actio_ode flow, double local);
/* How many places were found in this march, and how many could not be resolved. */
size_t actio_features_found(const struct actio_features *f);
size_t actio_features_lost(const struct actio_features *f);

#endif
