/* SPDX-License-Identifier: Apache-2.0
 * A motion that another program takes from time to time.
 * In: a model and the options of a run. Out: states, events, bytes that go on. Callers: the entries of api/. */
#ifndef ACTIO_RUN_INTEGRATOR_H
#define ACTIO_RUN_INTEGRATOR_H

#include "run/run.h"

struct actio_integrator *actio_integrator_inside(struct actio_context *ctx, struct actio_model *model,
                                                 const struct actio_run_options *options, struct actio_findings *f);
/* 0, or 1 and a finding */
int actio_integrator_go(struct actio_integrator *i, double t, struct actio_findings *f);
int actio_integrator_place(struct actio_integrator *i, double t, const double *y, struct actio_findings *f);
int actio_integrator_recall(struct actio_integrator *i, const unsigned char *bytes, size_t size,
                            struct actio_findings *f);
struct actio_context *actio_integrator_context(const struct actio_integrator *i);

#endif
