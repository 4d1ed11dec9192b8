/* SPDX-License-Identifier: Apache-2.0
 * Tables of states that a user gives: base states of the dual action, guesses for orbits. */
#ifndef ACTIO_RUN_STATES_H
#define ACTIO_RUN_STATES_H

#include "run.h"
#include "solve/dual.h"

/* Into the run's arena; columns by component of y, NULL where the file has none. 0, or 1 and a finding. */
int actio_run_read_states(struct actio_run *run, const char *path, struct actio_dual_table *to);

#endif
