/* SPDX-License-Identifier: Apache-2.0
 * What happened in a run, instant by instant: which guard showed it and how fast that moved, where the motion was, its
 * velocities before and after. The times become results with estimated errors when two runs are compared.
 * In: what marching meets. Out: a list. Callers: contacts, switches and laws of a motion write it; accuracy judges it;
 * run lists it. */
#ifndef ACTIO_SOLVE_INSTANTS_H
#define ACTIO_SOLVE_INSTANTS_H

#include "solve/march.h"

enum actio_instant_kind {
#define INSTANT(name, word) ACTIO_##name,
#include "solve/instants.def"
#undef INSTANT
    ACTIO_INSTANT_KINDS
};
#define ACTIO_NOWHERE SIZE_MAX

/* How far a guard's value moves, in sum, when all coordinates, velocities or states move by 1. */
struct actio_instant_weights {
    double q, v, s;
};

/* index: of the contact, rub, event or switch; value: impulse, or a switch's new branch; energy: taken, NAN = not
 * known; met: when the guard showed it, a little earlier than t where a series of bounces or a slide runs out;
 * guard: what it did there, rate NAN: none showed it, order: of a zero of third or higher order; error: NAN = not
 * known; numbers: where place (n) and, if it
 * jumps, velocities before and after (n each) stand, ACTIO_NOWHERE = not kept; touches: whether it happened at all is
 * within the errors. */
struct actio_instant {
    double t, met, value, energy, error;
    double rate, bend, residual, steep, blur;
    struct actio_instant_weights by;
    size_t numbers;
    uint32_t index;
    unsigned char kind, order;
    bool jumps, touches;
    const char *rule;
};
/* A guard that came near 0 and turned back. */
struct actio_near {
    double t, value, bend, slack, error; /* slack: that of the interpolant, error: of the value */
    struct actio_instant_weights by;
    uint32_t index;
    unsigned char kind; /* of what it would have been: ACTIO_PASSES or ACTIO_IMPACT */
    bool turns_back;    /* no state nearby takes it through 0: a square, an absolute value */
};
enum { ACTIO_NEARS = 256 }; /* the nearest of a run */
/* A list and its numbers. */
struct actio_instant_list {
    struct actio_instant *at;
    size_t count, cap;
    double *number;
    size_t numbers, numbers_cap;
};
/* now: of the run under way, before: of the run before it; meeting: the guard in hand, from: the first instant that
 * came of it; open: there is one; held: a switch that held the motion between its sides showed it; energy: before it.
 * */
struct actio_instants {
    struct actio_instant_list now, before;
    struct actio_meeting meeting;
    struct actio_instant_weights by;
    size_t from, change;
    bool open, held;
    double energy;
    struct actio_near *near;
    size_t nears;
    double *y; /* scratch: a state, then the guards */
};

struct actio_motion;
/* Callbacks of the flow, room before the first step; 0, or 1: no memory. Nothing where nothing can happen. */
int actio_instants_open(struct actio_motion *m);
void actio_instants_close(struct actio_motion *m);
/* A new run: the list of the last one is kept for comparison. */
void actio_instants_begin(struct actio_motion *m);
/* One more; a flow status. */
int actio_instants_add(struct actio_motion *m, double t, enum actio_instant_kind kind, size_t index, double value,
                       const char *rule);
/* The model's energy at a state; NAN where it has none, or no columns were requested. */
double actio_instants_energy(struct actio_motion *m, double t, const double *y);
/* "impact", ... */
const char *actio_instant_word(enum actio_instant_kind kind);

#endif
