/* SPDX-License-Identifier: Apache-2.0
 * Tables of states that a user gives: base states of the dual action, guesses for orbits. */
#ifndef ACTIO_PROBLEM_STATES_H
#define ACTIO_PROBLEM_STATES_H

#include "problem/problem.h"
#include "solve/dual.h"

/* Names of columns that were not read, with commas, or NULL: those of the model, those that are none of its columns. */
struct actio_states_unread {
    const char *idle, *strange;
};
/* Into the run's arena; columns by component of y, behind them of reactions where they count, NULL where the file has
 * none. 0, or 1 and a finding. */
int actio_problem_read_states(struct actio_problem *problem, const char *path, bool reactions,
                              struct actio_dual_table *to, struct actio_states_unread *unread);

#endif
