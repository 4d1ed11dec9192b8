/* SPDX-License-Identifier: Apache-2.0
 * The power of reactions and named forces along a motion, in words. */
#ifndef ACTIO_CHECK_POWER_H
#define ACTIO_CHECK_POWER_H

#include "problem/problem.h"

/* Rows of a motion by column; data[c][r]. */
struct actio_power_rows {
    size_t cols, rows;
    const char *const *name;
    const double *const *data;
    const struct actio_model *model;
};
/* Of all reactions together, beside the size of its terms: "none", "<= 0", ">= 0", "either"; "" without a
 * reaction. */
const char *actio_power_of_reactions(const struct actio_power_rows *x, struct actio_arena *arena);
/* Of one column; what is at most `nothing` counts as 0. "": unknown column. */
const char *actio_power_of_column(const struct actio_power_rows *x, const char *column, double nothing);

/* By each principle that applies to the model, at the states that the motion visits; and of each named force. In the
 * run's arena. */
struct actio_power {
    const char *of, *word;
}; /* a principle's name, or a force's */
struct actio_powers {
    struct actio_power *by, *force;
    size_t principles, forces;
};
int actio_check_powers(struct actio_problem *problem, struct actio_powers *out); /* 0, or 1: over a limit, reported */

#endif
