/* SPDX-License-Identifier: Apache-2.0
 * Runs by the dual action: whose equations they take, what their options mean, how they ended, what they add to the table. */
#ifndef ACTIO_RUN_DUAL_H
#define ACTIO_RUN_DUAL_H

#include "run.h"
#include "solve/dual.h"

bool actio_run_is_dual(const struct actio_run *run);
const struct actio_principle *actio_run_closure(const struct actio_run *run);   /* whose equations and law: the principle's own, or that of --closure */
int actio_run_check_dual(struct actio_run *run);           /* do the options fit? Also those of the dual action beside another principle. 0, or 1 and findings */
int actio_run_dual(struct actio_run *run);                 /* once the motion is open and goes by its law: the first-order form and the task; 0, or 1 and findings */
int actio_run_foresee(struct actio_run *run);              /* one slab that has no maximum is refused before it is tried; 0, or 1 and a finding */
void actio_run_say_dual(struct actio_run *run);            /* why it failed */
void actio_run_fill_dual(struct actio_run *run, struct actio_table *t);    /* columns and numbers; escapes when memory runs out */
void actio_run_close_dual(struct actio_run *run);

#endif
