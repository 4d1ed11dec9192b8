/* SPDX-License-Identifier: Apache-2.0
 * Instants of a model: `when` an event or a contact happens, and `every` so often, values are set. All that happens at
 * one time reads the values before it and acts together; what that sets off is the next round.
 * In: a motion with its system's statements. Out: a flow around that of the motion. Callers: accuracy, pieces. */
#ifndef ACTIO_SOLVE_RESETS_H
#define ACTIO_SOLVE_RESETS_H

#include "solve/motion.h"

struct actio_resets;

/* Times that differ by less are one: what rounding leaves of T0 + k T. */
double actio_reset_slack(double t);

int actio_resets_open(struct actio_motion *m); /* 0, or 1 and a finding; nothing without such statements */
void actio_resets_close(struct actio_motion *m);
void actio_resets_begin(struct actio_motion *m, double t); /* a new motion: held values and clocks as at its start */
/* The flow with instants; the motion keeps the one given. */
struct actio_ode actio_resets_over(struct actio_motion *m, struct actio_ode flow);
/* Who follows a round: right sides are read; held values change, and velocities with them; velocities are set, and not
 * yet brought onto the constraints. A flow status. */
enum actio_reset_stage { ACTIO_RESET_READS, ACTIO_RESET_JUMPS, ACTIO_RESET_TURNS };
struct actio_reset_witness {
    int (*follow)(void *user, enum actio_reset_stage stage, double t, const double *y);
    void *user;
};
void actio_resets_attend(struct actio_motion *m, struct actio_reset_witness who); /* zeroed: nobody */
/* Held values with which motions begin, NULL: those of the model. */
void actio_resets_start(struct actio_motion *m, const double *held);
void actio_resets_skip(struct actio_motion *m, double t); /* what clocks do at this time is done */
/* How many rounds there were since the motion began: two runs that are compared must have as many. */
size_t actio_resets_rounds(const struct actio_motion *m);
/* What a motion that goes on must know besides the modes: bytes of clocks and sides, to visit one after the other. */
struct actio_resets_kept {
    double *tick;
    signed char *side, *level;
    size_t clocks, guards, events;
};
struct actio_resets_kept actio_resets_keep(struct actio_motion *m);

/* Why an instant ended the motion, for the words. */
enum actio_reset_fault {
    ACTIO_RESET_FINE,
    ACTIO_RESET_DIFFERS,
    ACTIO_RESET_CHAINS,
    ACTIO_RESET_BREAKS_ROW,
    ACTIO_RESET_BREAKS_WALL,
    ACTIO_RESET_NO_NUMBER,
    ACTIO_RESET_IS_STUCK
};
/* statement, other: by index; target: of an assignment, or the constraint or contact that is broken; members: of a
 * chain, by statement. */
struct actio_reset_end {
    enum actio_reset_fault fault;
    double t, by, x[2];
    size_t statement, other, target;
    const bool *members;
};
const struct actio_reset_end *actio_resets_end(const struct actio_motion *m); /* NULL: there are none */

#endif
