/* SPDX-License-Identifier: Apache-2.0
 * A motion between its rows: the last run of an outcome once more, from step to step, with what its columns have inside
 * each step and on both sides of each instant. Memory is bounded, whatever the number of steps.
 * In: a motion, its aim and outcome. Out: columns in batches, in the order of the motion. Callers: run, for pictures.
 */
#ifndef ACTIO_SOLVE_TRACE_H
#define ACTIO_SOLVE_TRACE_H

#include "solve/accuracy.h"

/* Sample i: columns at column[c*lanes + i], at t[i]; around an instant two have the same time. total: samples of all
 * batches. */
struct actio_trace_batch {
    const double *t, *column;
    size_t lanes, count, total;
};
typedef void (*actio_trace_fn)(void *user, const struct actio_trace_batch *batch);

/* Up to a time. 0, ACTIO_FLOW_STOPPED, ACTIO_MARCH_NO_MEMORY, or ACTIO_FLOW_FAILED and a finding; what was taken until
 * then is a part of the motion. `take` returns normally. What the motion remembers of its last run (instants, modes) is
 * that of the trace afterwards. */
int actio_trace(struct actio_context *ctx, struct actio_motion *motion, const struct actio_aim *aim,
                const struct actio_outcome *out, double until, actio_trace_fn take, void *user);

#endif
