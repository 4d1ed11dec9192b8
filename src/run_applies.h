/* SPDX-License-Identifier: Apache-2.0
 * Does a principle apply to a model? One answer, for whoever runs it, compares it or lists it. */
#ifndef ACTIO_RUN_APPLIES_H
#define ACTIO_RUN_APPLIES_H

#include "run.h"

/* Why not, as a clause, and the constraint it is about, or NULL; NULL: what the model says and the rank of its constraints do not speak against it. `by` is the principle whose
 * equations and law it takes: itself, but for the dual action's other closures. The run is at its start. */
const char *actio_run_objection(const struct actio_run *run, const struct actio_principle *p, const struct actio_principle *by, const struct actio_constraint **about);
/* The motion goes by the law from now on. *why: a clause, where it does not apply at this start, or NULL. 0, or 1: no memory, told. */
int actio_run_try_law(struct actio_motion *m, const struct actio_law *law, double t, const double *y, const char **why);

#endif
