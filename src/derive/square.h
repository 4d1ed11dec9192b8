/* SPDX-License-Identifier: Apache-2.0
 * Small matrices of formulas, inverted by cofactors as one does by hand, and the blocks of a large one. Inside derive/
 * only. */
#ifndef ACTIO_DERIVE_SQUARE_H
#define ACTIO_DERIVE_SQUARE_H

#include "derive/derive.h"

enum { ACTIO_SQUARE = 3 }; /* rows that are inverted by hand */
struct actio_square {
    size_t k;
    actio_expr a[ACTIO_SQUARE * ACTIO_SQUARE], det;
};

actio_expr actio_times(struct actio_pool *pool, actio_expr a, actio_expr b); /* 0 by structure stays 0 */
actio_expr actio_square_cofactor(struct actio_pool *pool, const struct actio_square *s, size_t i, size_t j);
/* makes `det`; false when it is 0 everywhere */
bool actio_square_invertible(struct actio_derivation *d, struct actio_square *s);

/* Diagonal blocks of the first n rows and columns of G. */
struct actio_block {
    size_t k, at[ACTIO_SQUARE];
    struct actio_square g;
};
/* why: there are none that can be inverted */
struct actio_blocks {
    struct actio_block *block;
    size_t count;
    const char *why;
};
struct actio_blocks actio_blocks_of(struct actio_derivation *d, size_t n);

#endif
