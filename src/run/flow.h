/* SPDX-License-Identifier: Apache-2.0
 * The equations of motion as a function of time and state, for integrators of other programs.
 * In: a model and a principle. Out: rates, derivatives, multipliers, projections. Callers: the entries of api/. */
#ifndef ACTIO_RUN_FLOW_H
#define ACTIO_RUN_FLOW_H

#include "run/run.h"

struct actio_flow *actio_flow_inside(struct actio_context *ctx, struct actio_model *model, const char *by,
                                     struct actio_findings *f);

#endif
