/* SPDX-License-Identifier: Apache-2.0
 * A motion that both sides of a switch push onto it: it goes along the surface, by the mixture of the rates on both
 * sides that stays there (Filippov). Such a switch has a mode between those of its sides.
 * In: a motion whose modes say so. Out: the mixture of rates, multipliers and columns. Callers: motion, switches, law,
 * rows. */
#ifndef ACTIO_SOLVE_BETWEEN_H
#define ACTIO_SOLVE_BETWEEN_H

#include "solve/motion.h"

#include <math.h>

static inline bool actio_is_between(double mode) { return isfinite(mode) && mode != floor(mode); }

/* Room, and a right-hand side around the flow's; 0, or 1: no memory. Nothing where there are no switches. */
int actio_between_open(struct actio_motion *m);
void actio_between_close(struct actio_motion *m);
/* The flow has got another right-hand side: this one goes around it. */
void actio_between_over(struct actio_motion *m);
/* Who marches can't go along surfaces (its steps are not those of the flow's rates), or can. */
void actio_between_refuse(struct actio_motion *m, bool refuse);
bool actio_between_refused(const struct actio_motion *m);
/* A motion goes on from modes that were kept. */
void actio_between_resume(struct actio_motion *m);
/* Has one held it since it was opened? */
bool actio_between_was(const struct actio_motion *m);
/* Does a switch hold the motion between its sides now? */
bool actio_between_any(const struct actio_motion *m);

/* Takes switch k to its surface, if the mixture stays there; else its mode is what it was. */
bool actio_between_take(struct actio_motion *m, size_t k, double surface, double t, const double *y);
/* 0 where the mixture is that of the lower side, 1 on the upper side: share of the upper side in the rates, by switch;
 * NAN where there is none. */
double actio_between_share(struct actio_motion *m, size_t k, double t, const double *y);
/* Positive while both sides have a share and push onto the surface; NAN where there is no share. */
double actio_between_margin(struct actio_motion *m, size_t k, double t, const double *y);
/* Puts a state onto the surface of switch k, along the difference of both sides' rates. */
void actio_between_put(struct actio_motion *m, size_t k, double surface, double t, double *y);

/* z', lambda and reaction of the mixture, by elimination or by the law in force, into the motion's buffers. */
int actio_between_solve(struct actio_motion *m, double t, const double *y, bool by_law);
/* All columns of a row: room for them first (0, or 1: no memory). */
int actio_between_make_outputs(struct actio_motion *m);
int actio_between_outputs(struct actio_motion *m, double t, const double *y, double *column);

#endif
