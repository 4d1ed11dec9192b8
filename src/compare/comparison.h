/* SPDX-License-Identifier: Apache-2.0
 * Motions by several principles beside each other, and the claims (`expect`) of a model.
 * In: a model and principles. Out: rows that agree or not, a picture. Callers: api/. */
#ifndef ACTIO_COMPARISON_H
#define ACTIO_COMPARISON_H

#include <actio/actio.h>

#include "result/table.h"

/* no layers: no motion. Lives as long as c */
struct actio_picture actio_comparison_picture(const struct actio_comparison *c);

/* By each principle; a motion of each; the claims of a model tested. */
struct actio_comparison *actio_compare_inside(struct actio_context *ctx, struct actio_model *model,
                                              const struct actio_run_options *options, const char *const *by,
                                              size_t count, struct actio_findings *f);
struct actio_check *actio_test_inside(struct actio_context *ctx, struct actio_model *model,
                                      const struct actio_run_options *options, struct actio_findings *f, size_t *count);

#endif
