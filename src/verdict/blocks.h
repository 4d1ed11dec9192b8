/* SPDX-License-Identifier: Apache-2.0
 * The equations in (z', lambda), taken apart into blocks that have no unknown in common. Inside verdict/ only. */
#ifndef ACTIO_VERDICT_BLOCKS_H
#define ACTIO_VERDICT_BLOCKS_H

#include "verdict/verdict.h"

/* Rows a x = b in some of the unknowns, as formulas and as numbers at each sampled state. */
struct actio_block {
    struct actio_formation *F;
    size_t rows, cols, points;
    uint32_t *col;     /* which unknown: z' of a variable, then multipliers from N on */
    actio_expr *a, *b; /* rows x cols, rows */
    double *value;     /* point, row, cols + 2: the right side, then the size of what it was made of */
    uint32_t *pivot_row, *pivot_col;
    size_t rank;
    bool *row_used, *col_used;
    bool partial; /* only the rows that depend on each other: pivots do not identify unknowns */
};

/* loose: unknowns of large blocks that nothing determines */
struct actio_blocks {
    struct actio_block *at;
    size_t count;
    bool too_large;
    bool *loose;
};

static inline double *actio_block_at(const struct actio_block *s, size_t point, size_t row)
{
    return s->value + (point * s->rows + row) * (s->cols + 2);
}
static inline actio_expr *actio_block_entry(const struct actio_block *s, size_t row, size_t col)
{
    return &s->a[row * s->cols + col];
}

/* The equations of motion, the constraints and `levels` more conditions on velocities and states, differentiated. */
struct actio_blocks actio_blocks_form(struct actio_formation *F, const actio_expr *level, size_t levels,
                                      struct actio_sampled *points);
/* gauss_jordan.c: Gauss-Jordan on formulas, pivots chosen on the values. *proved becomes false when an entry was
 * taken for 0 by its values only. */
void actio_block_eliminate(struct actio_block *s, bool *proved);

#endif
