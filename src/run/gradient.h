/* SPDX-License-Identifier: Apache-2.0
 * Observed columns and their gradients: shared by gradient.c and free_data.c. */
#ifndef ACTIO_RUN_GRADIENT_H
#define ACTIO_RUN_GRADIENT_H

#include "run/run.h"

/* Columns by name become the system's observed ones; x' may stand for x_dot. 0, or 1 and the finding `unknown`. */
int actio_run_observed(struct actio_problem *problem, const char *const *name, size_t count, enum actio_code unknown);
/* those of --gradient, before anything is computed; 0, or 1 and a finding */
int actio_run_check_columns(struct actio_problem *problem);
/* An observed column at a state: its value, and its total derivatives by (q, v, s), t and params; what it has of
 * accelerations and multipliers follows the state.
 * 0, or 1: not determined. total: actio_observed_width numbers. */
int actio_run_observe(struct actio_motion *m, size_t which, double t, const double *y, double *value, double *total);
size_t actio_observed_width(const struct actio_system *sys);

/* By requested column: its value at the end, `width` derivatives (start data, then params) and their errors. In the
 * run's arena. */
struct actio_run_gradient {
    size_t count, width;
    double *value, *derivative, *error;
};
/* 0, or 1 and a finding */
int actio_run_gradient(struct actio_problem *problem, const struct actio_outcome *o, struct actio_run_gradient *out);

#endif
