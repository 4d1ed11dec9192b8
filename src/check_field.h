/* SPDX-License-Identifier: Apache-2.0
 * actio check of a model with fields: see check_field.c. */
#ifndef ACTIO_CHECK_FIELD_H
#define ACTIO_CHECK_FIELD_H

#include "run_field.h"

int actio_check_fields(struct actio_run *run, struct actio_verdict_report *out);   /* 0, or 1: no verdict, and findings */

#endif
