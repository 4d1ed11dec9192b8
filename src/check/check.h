/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model, as findings and a report; its frequencies.
 * In: a model, ranges to look in. Out: a report. Callers: compare (claims), api/. */
#ifndef ACTIO_CHECK_H
#define ACTIO_CHECK_H

#include <actio/actio.h>

int actio_check_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_box_row *box,
                       size_t boxes, struct actio_findings *f, struct actio_verdict_report *out);
struct actio_modes *actio_modes_inside(struct actio_context *ctx, struct actio_model *model, size_t most,
                                       struct actio_findings *f);

#endif
