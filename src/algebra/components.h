/* SPDX-License-Identifier: Apache-2.0
 * Unknowns that must be found together, and in which order the groups follow: strongly connected components. */
#ifndef ACTIO_ALGEBRA_COMPONENTS_H
#define ACTIO_ALGEBRA_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* needs (n x n, overwritten): the equation of unknown i has unknown j in it. block[i]: number of the group of i; a
 * group needs itself and groups of smaller numbers only. Returns how many groups there are. */
size_t actio_components(size_t n, bool *needs, uint32_t *block);
/* Unknowns of one row of a constraint belong together: each needs all the others. */
void actio_components_join(size_t n, bool *needs, const uint32_t *unknown, size_t count);

#endif
