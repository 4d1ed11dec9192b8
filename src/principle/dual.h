/* SPDX-License-Identifier: Apache-2.0
 * What the dual action as an object (action/) shares with runs by it. */
#ifndef ACTIO_PRINCIPLE_DUAL_H
#define ACTIO_PRINCIPLE_DUAL_H

#include "problem/problem.h"

/* one slab that has no maximum is refused before it is tried; 0, or 1 and a finding */
int actio_dual_foresee(struct actio_problem *problem);
void actio_dual_explain(struct actio_problem *problem, const double *y_stop); /* why it failed */

#endif
