/* SPDX-License-Identifier: Apache-2.0
 * Words for what ends a motion at a switch or a contact.
 * In: a run that has ended. Out: findings. Callers: ending. */
#ifndef ACTIO_RUN_HALTED_H
#define ACTIO_RUN_HALTED_H

#include "run/run.h"

/* Something jumps at a switch, or both of its sides push; false: it was something else. */
bool actio_run_say_jump(struct actio_run *run);
void actio_run_say_chattering(struct actio_run *run);
bool actio_run_say_countless(struct actio_run *run, double t, const double *y);
/* Forces would hold it: the steps became ever shorter. */
bool actio_run_say_held(struct actio_run *run);
void actio_run_say_coefficient(struct actio_run *run);
struct actio_span actio_run_span_of_row(const struct actio_run *run, size_t row);

#endif
