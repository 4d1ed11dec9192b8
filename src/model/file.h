/* SPDX-License-Identifier: Apache-2.0
 * Whole files, read without trusting what the file system says of them. */
#ifndef ACTIO_MODEL_FILE_H
#define ACTIO_MODEL_FILE_H

#include "base/findings.h"

/* NULL and a finding; else the text, given back with actio_free. `what` names it in messages. */
char *actio_file_read(struct actio_context *ctx, const char *path, const char *what, size_t *length,
                      struct actio_findings *f);

/* The same of standard input, called `name` in messages. */
char *actio_input_read(struct actio_context *ctx, const char *name, const char *what, size_t *length,
                       struct actio_findings *f);

#endif
