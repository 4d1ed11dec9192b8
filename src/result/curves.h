/* SPDX-License-Identifier: Apache-2.0
 * The motion between the rows of a table, for pictures: curves that do not depend on how many rows there are, and have
 * both values where they jump.
 * In: columns of a motion, sample by sample. Out: curves of a table. Callers: run makes them, result draws them. */
#ifndef ACTIO_RESULT_CURVES_H
#define ACTIO_RESULT_CURVES_H

#include "result/table.h"

/* One column over time: of very many samples the first, the lowest, the highest and the last in each of some thousand
 * parts of the interval. Two samples at one time: it jumps. */
struct actio_curve {
    double *t, *y;
    size_t count;
};
/* Columns against each other: data[col][row], at common times, as many rows as fit; joined: so many that lines may
 * join them. */
struct actio_curves {
    struct actio_curve *of; /* by column; count 0: it has none */
    double **data;
    size_t rows;
    bool joined;
};

/* NULL: the table has no curve of this column, only rows. */
const struct actio_curve *actio_curve_of(const struct actio_table *table, size_t col);

/* A making of curves, from t0 to t1, of so many samples in so many steps; memory is that of the table. */
struct actio_curve_maker;
struct actio_curve_maker *actio_curves_begin(struct actio_table *table, double t0, double t1, size_t samples,
                                             size_t steps);
/* The next sample of all columns, column c at x[c*lanes]. */
void actio_curves_add(struct actio_curve_maker *maker, double t, const double *x, size_t lanes);
/* The table has them from now on. */
void actio_curves_end(struct actio_curve_maker *maker);

#endif
