/* SPDX-License-Identifier: Apache-2.0
 * actio check of a model with fields: see fields.c. */
#ifndef ACTIO_CHECK_FIELDS_H
#define ACTIO_CHECK_FIELDS_H

#include "problem/fields.h"

/* 0, or 1: no verdict, and findings */
int actio_check_fields(struct actio_problem *problem, struct actio_verdict_report *out);

#endif
