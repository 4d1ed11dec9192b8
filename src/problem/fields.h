/* SPDX-License-Identifier: Apache-2.0
 * A model with fields made ready: see fields.c. */
#ifndef ACTIO_PROBLEM_FIELDS_H
#define ACTIO_PROBLEM_FIELDS_H

#include "problem/problem.h"

int actio_problem_form_fields(struct actio_problem *problem); /* equations and start data; 0, or 1 and findings */
enum { ACTIO_NOT_SETTLED = 2 };                               /* values beyond an end follow from nothing */
/* the start data; 0, or findings and 1 or the above */
int actio_problem_put_on_constraints(struct actio_problem *problem);
/* the same, and may the motion begin? 0, or 1 and findings */
int actio_problem_examine_fields(struct actio_problem *problem);

#endif
