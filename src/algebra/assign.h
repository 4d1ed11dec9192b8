/* SPDX-License-Identifier: Apache-2.0
 * Which row belongs to which column: the perfect matching whose product of entries is largest. */
#ifndef ACTIO_ALGEBRA_ASSIGN_H
#define ACTIO_ALGEBRA_ASSIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* size: n x n, |entries|, 0 where an entry vanishes, negative where there is none. column[i]: that of row i. rival[i]:
 * a column that another matching of the same product gives to row i (to 1e-9 of the product), or column[i] where no
 * other matching exists. Vanishing entries serve where the others do not suffice, and missing ones where these do not
 * either: then the return value is false. work: n*n + 3*(n + 1) doubles; iwork: 4*(n +
 * 1). */
bool actio_assign(size_t n, const double *size, uint32_t *column, uint32_t *rival, double *work, size_t *iwork);

#endif
