/* SPDX-License-Identifier: Apache-2.0
 * The doubled and the dual action as objects: functions of their unknowns, with gradient and Hessian.
 * In: a model and options. Out: an object. Callers: api/. */
#ifndef ACTIO_ACTION_H
#define ACTIO_ACTION_H

#include <actio/actio.h>

struct actio_action *actio_action_inside(struct actio_context *ctx, struct actio_model *model,
                                         const struct actio_action_options *options, struct actio_findings *f);
struct actio_dual_action *actio_dual_action_inside(struct actio_context *ctx, struct actio_model *model,
                                                   const struct actio_dual_action_options *options,
                                                   struct actio_findings *f);

#endif
