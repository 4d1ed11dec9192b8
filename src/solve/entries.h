/* SPDX-License-Identifier: Apache-2.0
 * Rates of a motion and the entries of their derivative by state and time, at all stages of a step at once: where
 * states are short, a matrix for each stage costs less than derivatives along directions one after the other.
 * In: a motion, and where states and times of the stages lie. Out: numbers. Callers: defect. */
#ifndef ACTIO_SOLVE_ENTRIES_H
#define ACTIO_SOLVE_ENTRIES_H

#include "solve/motion.h"

enum { ACTIO_ENTRY_LANES = 16 };
struct actio_rate_entries {
    struct actio_motion *m;
    size_t count;
    size_t *first;      /* by row: of its entries, in the order of columns; one more behind them */
    uint32_t *col, *at; /* by entry: its column (that of time is last), where its lanes begin */
    struct actio_arg *in;
    double *value, **out, *work, *pivot; /* result j of lane l at value[j*ACTIO_ENTRY_LANES + l] */
};

/* Inputs of a kernel of which each lane is another state. NULL: no memory. */
struct actio_arg *actio_motion_bind_lanes(struct actio_motion *m, enum actio_quantity what, const double *t,
                                          const double *y, ptrdiff_t stride);
/* Are such matrices for this motion? */
bool actio_rate_entries_serve(const struct actio_motion *m);
/* Stage l: state at y + l*stride, time t[l]. 0, or 1: no memory. Close in any case. */
int actio_rate_entries_open(struct actio_rate_entries *x, struct actio_motion *m, const double *t, const double *y,
                            size_t stride);
void actio_rate_entries_close(struct actio_rate_entries *x);
/* At so many stages; false: the formulas are not to be relied on at one of them. */
bool actio_rate_entries_find(struct actio_rate_entries *x, size_t stages);
/* Of a stage: its rates z', and their derivative along (dy, dt). */
void actio_rate_entries_rates(const struct actio_rate_entries *x, size_t stage, double *zdot);
void actio_rate_entries_along(const struct actio_rate_entries *x, size_t stage, const double *dy, double dt,
                              double *out);

#endif
