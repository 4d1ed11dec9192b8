/* SPDX-License-Identifier: Apache-2.0
 * Motions that data at several times determine, joined from arcs: where one march from the start is too rough. */
#ifndef ACTIO_RUN_JOINED_H
#define ACTIO_RUN_JOINED_H

#include "run/run.h"
#include "solve/arcs.h"

struct actio_joined {
    struct actio_problem *problem;
    struct actio_arcs arcs;
    bool *fixed;
    double *block, *start, *when, *off, *total;
    int kind; /* of guess */
};
/* Observed columns are those of the conditions. near: the start of the problem is nearly the one that is looked for.
 * 0, and the start of the problem is that of the arcs; or 1: none were found, without a finding. The caller closes
 * them. */
int actio_join(struct actio_problem *problem, bool near, struct actio_joined **joined);
void actio_joined_say(struct actio_joined *x); /* as a finding */
void actio_joined_close(struct actio_joined *x);
/* The rows of the aim with their errors. 0, or 1 and a finding. */
int actio_reach_joined(struct actio_joined *x, const struct actio_aim *aim, struct actio_outcome *out);

#endif
