/* SPDX-License-Identifier: Apache-2.0
 * What to write in place of a constraint that has no gradient where it holds. Inside verdict/ only. */
#ifndef ACTIO_VERDICT_REMEDY_H
#define ACTIO_VERDICT_REMEDY_H

#include "verdict/manifold.h"

/* "x = 0 and y = 0": equations with independent gradients that say what constraint k says near this state; NULL when
 * none were found. */
const char *actio_remedy_for(struct actio_manifold *m, uint32_t k, double t, const double *y);

#endif
