/* SPDX-License-Identifier: Apache-2.0
 * Instants of a model: `when` an event or a contact happens, and `every` so often, values are set. All that happens at
 * one time reads the values before it and acts together; what that sets off is the next round.
 * In: a motion with its system's statements. Out: a flow around that of the motion. Callers: accuracy, pieces. */
#ifndef ACTIO_SOLVE_INSTANTS_H
#define ACTIO_SOLVE_INSTANTS_H

#include "solve/motion.h"

struct actio_instants;

/* Times that differ by less are one: what rounding leaves of T0 + k T. */
double actio_instant_slack(double t);

int actio_instants_open(struct actio_motion *m); /* 0, or 1 and a finding; nothing without such statements */
void actio_instants_close(struct actio_motion *m);
void actio_instants_begin(struct actio_motion *m, double t); /* a new motion: held values and clocks as at its start */
/* The flow with instants; the motion keeps the one given. */
struct actio_ode actio_instants_over(struct actio_motion *m, struct actio_ode flow);
/* How many rounds there were since the motion began: two runs that are compared must have as many. */
size_t actio_instants_rounds(const struct actio_motion *m);
/* What a motion that goes on must know besides the modes: bytes of clocks and sides, to visit one after the other. */
struct actio_instants_kept {
    double *tick;
    signed char *side, *level;
    size_t clocks, guards, events;
};
struct actio_instants_kept actio_instants_keep(struct actio_motion *m);

/* Why an instant ended the motion, for the words. */
enum actio_instant_fault {
    ACTIO_INSTANT_FINE,
    ACTIO_INSTANT_DIFFERS,
    ACTIO_INSTANT_CHAINS,
    ACTIO_INSTANT_BREAKS_ROW,
    ACTIO_INSTANT_BREAKS_WALL,
    ACTIO_INSTANT_NO_NUMBER,
    ACTIO_INSTANT_IS_STUCK
};
/* statement, other: by index; target: of an assignment, or the constraint or contact that is broken; members: of a
 * chain, by statement. */
struct actio_instant_end {
    enum actio_instant_fault fault;
    double t, by, x[2];
    size_t statement, other, target;
    const bool *members;
};
const struct actio_instant_end *actio_instants_end(const struct actio_motion *m); /* NULL: there are none */

#endif
