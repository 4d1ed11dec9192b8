/* SPDX-License-Identifier: Apache-2.0
 * What a motion knows of its instants. Inside resets.c, reset_round.c and saltation.c only. */
#ifndef ACTIO_SOLVE_RESETS_INSIDE_H
#define ACTIO_SOLVE_RESETS_INSIDE_H

#include "solve/resets.h"

struct actio_resets {
    const struct actio_system *sys;
    struct actio_ode inner;                     /* the flow without instants */
    double *tick, *period, *from;               /* by clock: number of its next time */
    signed char *level;                         /* by event that held values have part in: the last sign, 0 = zero */
    double *g, *rate;                           /* by event, where they were last looked at */
    struct actio_sides of;                      /* by event, on loan */
    double *g_size;                             /* by event: the largest value before a round */
    bool *own, *ends;                           /* by event: its sides are kept here; statements hang on it */
    bool *at_zero;                              /* by event: it was before what crosses */
    bool *happened, *crossed, *struck, *ticked; /* gathered for the next round: events, contacts, clocks */
    bool *fires, *member, *changes;             /* by statement: in this round; lately; it changed something then */
    double *value, *guard, *before, *after;     /* of assignments; of switches; modes and held values */
    double *y, *start, *old, *course, *residual;
    uint32_t *setter; /* by target: 1 + the assignment that has set it in this round */
    size_t fired, again;
    double again_from;
    double together; /* what happens within this time is one instant */
    double slack;    /* rows this little before the instant are after it */
    struct actio_reset_end end;
    const double *given; /* held values at the beginning, where another motion left them; NULL: those of the model */
    struct actio_reset_witness witness;
};

const double *actio_resets_values(struct actio_motion *m, double t, const double *y);
/* Accelerations and rates of states at a point, into the motion's buffers. */
int actio_resets_rates(struct actio_motion *m, double t, const double *y);
/* reset_round.c: statements that fire are carried out; a flow status. *stops: one of them ends the motion. */
int actio_reset_round(struct actio_motion *m, double t, double *y, bool *stops);
int actio_reset_fails(struct actio_motion *m); /* with the end that is noted; a flow status */

#endif
