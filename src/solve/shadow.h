/* SPDX-License-Identifier: Apache-2.0
 * The motion that a followed one should have been: a second motion of the same system, whose state is the first one's
 * less its error. At each instant it does by itself what the first one does (bounces, sets values, crosses a switch), a
 * little earlier or later; so errors pass instants without derivatives of what happens there. Modes, stances and held
 * values of its own stay between instants.
 * In: a motion, its state and error where something happens. Out: the error behind it. Callers: defect. */
#ifndef ACTIO_SOLVE_SHADOW_H
#define ACTIO_SOLVE_SHADOW_H

#include "solve/motion.h"

struct actio_shadow {
    struct actio_motion *m; /* the one that is followed */
    struct actio_motion own;
    struct actio_ode flow; /* of own, with what happens at instants */
    struct actio_sides of; /* of watched guards: lent to it */
    signed char *side, *due;
    double *most, *block, *x, *before, *behind, *moved, *guard;
    double late, met; /* it arrives so much later at the instant in hand, which is at this time */
    bool open;
};

/* Does something happen in this motion that takes a shadow to follow? */
bool actio_shadow_needed(const struct actio_motion *m);
/* 0, or 1 and a finding: no memory. A zeroed one may be closed. */
int actio_shadow_open(struct actio_shadow *s, struct actio_context *ctx, struct actio_motion *m);
void actio_shadow_close(struct actio_shadow *s);
/* The motion has begun at y0; a flow status. */
int actio_shadow_enter(struct actio_shadow *s, double t, const double *y0);
/* What comes next: the guard that shows it, SIZE_MAX: the clock; h: the last step; since: by so much the time is
 * rounded up, and the error at hand does not know of it. */
struct actio_arrival {
    size_t guard;
    double t, h, since;
};
/* y: before it, error: of y. What can't be followed is ACTIO_FLOW_FAILED; ACTIO_FLOW_NAN: how it goes on is beyond a
 * small error. */
int actio_shadow_meet(struct actio_shadow *s, const struct actio_arrival *what, const double *y, const double *error);
/* Behind it the error becomes that of y; likewise. */
int actio_shadow_leave(struct actio_shadow *s, size_t guard, double t, const double *y, double *error);
/* A step in which nothing happened has ended. */
void actio_shadow_step(struct actio_shadow *s, double t, const double *y, const double *error);
/* Must derivatives of the rates be taken from it, because the formulas of free motion do not hold? */
bool actio_shadow_rules(const struct actio_shadow *s);
/* rates: f(t, y); out: f(t, y) - f(t - dt, y - dy), the second by the shadow. A flow status. */
int actio_shadow_along(struct actio_shadow *s, double t, const double *y, const double *dy, double dt, double *rates,
                       double *out);
/* What the first motion remembers of its instants, in exchange for what the shadow does; again: back. */
void actio_shadow_swap(struct actio_shadow *s);

#endif
