/* SPDX-License-Identifier: Apache-2.0
 * The equations of a model by a principle, as text, LaTeX or C.
 * In: a model, a principle, a format. Out: a text. Callers: api/. */
#ifndef ACTIO_DERIVATION_H
#define ACTIO_DERIVATION_H

#include <actio/actio.h>

struct actio_derivation *actio_derive_inside(struct actio_context *ctx, struct actio_model *model, const char *by,
                                             const char *format, struct actio_findings *f);

#endif
