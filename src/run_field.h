/* SPDX-License-Identifier: Apache-2.0
 * A run of a model with fields: see run_field.c. */
#ifndef ACTIO_RUN_FIELD_H
#define ACTIO_RUN_FIELD_H

#include "run.h"

int actio_run_form_fields(struct actio_run *run);          /* equations and start data; 0, or 1 and findings */
enum { ACTIO_NOT_SETTLED = 2 };                           /* values beyond an end follow from nothing */
int actio_run_put_on_constraints(struct actio_run *run);   /* the start data; 0, or findings and 1 or the above */
int actio_run_examine_fields(struct actio_run *run);       /* the same, and may the motion begin? 0, or 1 and findings */

#endif
