/* SPDX-License-Identifier: Apache-2.0
 * What --verify shows. */
#ifndef ACTIO_RUN_VERIFY_H
#define ACTIO_RUN_VERIFY_H

#include "run/run.h"

/* 0 and a proof, or 1 and a finding. */
int actio_run_verify(struct actio_problem *problem, const struct actio_aim *aim, struct actio_proof *v);

#endif
