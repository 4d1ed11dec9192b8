/* SPDX-License-Identifier: Apache-2.0
 * IPOPT on the equations of a grid: grad S = 0 as constraints of a problem without objective, from the guess in g. */
#ifndef ACTIO_BENCH_IPOPT_H
#define ACTIO_BENCH_IPOPT_H

#include "solve/grid.h"

double bench_ipopt(struct actio_grid *g); /* seconds, or -1 */
const char *bench_ipopt_why(void);        /* why there is none */

#endif
