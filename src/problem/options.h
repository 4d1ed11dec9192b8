/* SPDX-License-Identifier: Apache-2.0
 * The rows of options, as values in the struct that they fill. The table is actio_options() of the public header. */
#ifndef ACTIO_PROBLEM_OPTIONS_H
#define ACTIO_PROBLEM_OPTIONS_H

#include <actio/actio.h>

/* Of options of a run; false and nothing for rows that fill another struct. */
/* neither empty nor the default */
bool actio_option_given(const struct actio_option_row *row, const struct actio_run_options *o);
void actio_option_reset(const struct actio_option_row *row, struct actio_run_options *o); /* back to the default */
/* Is the value one that the row allows? Empty is. *number: of rows that take one. */
bool actio_option_fits(const struct actio_option_row *row, const struct actio_run_options *o, double *number);

#endif
