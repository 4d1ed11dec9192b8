/* SPDX-License-Identifier: Apache-2.0
 * A motion in pieces: from a state to a time, and on from there. Each piece is a march of its own; what one piece
 * leaves to the next is the state, modes, stances and sides of events. That can be kept as bytes: a motion that goes on
 * from them has the same bits.
 * In: a motion that is ready, a local tolerance. Out: states, what happened, bytes. Callers: run. */
#ifndef ACTIO_SOLVE_PIECES_H
#define ACTIO_SOLVE_PIECES_H

#include "solve/accuracy.h"

struct actio_pieces {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_stepper *stepper;
    bool may_turn_stiff; /* a stiff stepper takes over where the problem is stiff */
    bool begun;          /* the motion is under way: modes, stances and sides are its own */
    bool compile;
    double local, tol, length; /* length: of the whole motion, as far as is known: what a moment is */
    double t, way, *y;         /* way: 1 or -1, the direction of the last piece */
    signed char *sides;
    double *passed;
    unsigned char *kept; /* bytes from before the piece at hand */
    struct actio_march_result last;
};

/* From t and y on; 0, or 1 and a finding. A zeroed one may be closed. */
int actio_pieces_open(struct actio_pieces *p, struct actio_context *ctx, struct actio_motion *m,
                      const struct actio_aim *aim, double length);
void actio_pieces_close(struct actio_pieces *p);
/* To this time, in either direction: a flow or march status. In any case p->t and p->y are as far as it came. */
int actio_pieces_go(struct actio_pieces *p, double t);
/* The motion is at another place: nothing is left from before. */
void actio_pieces_place(struct actio_pieces *p, double t, const double *y);
/* Bytes that go on: how many there are; written, and read back, where they are not NULL. */
size_t actio_pieces_save(const struct actio_pieces *p, unsigned char *bytes);
void actio_pieces_restore(struct actio_pieces *p, const unsigned char *bytes);

#endif
