/* SPDX-License-Identifier: Apache-2.0
 * What a switch does to the velocities, where the Lagrangian or a constraint jumps across it: the corner conditions of
 * Weierstrass and Erdmann, and impulses of constraints that change.
 *     p+ - p- = nu dPhi/dq + D+' sigma,  E+ - E- = -nu dPhi/dt - sigma a,  phi+ = 0
 * p = dL/dq', E = q'p - L, Phi the switch, D+ the directions of ideal reactions behind it, sigma their impulses, a the
 * part of the rows without velocities. */
#ifndef ACTIO_SOLVE_CORNER_H
#define ACTIO_SOLVE_CORNER_H

#include "solve/motion.h"

struct actio_corner;

int actio_corner_open(struct actio_motion *m); /* 0, or 1: no memory. Nothing where only forces have switches */
void actio_corner_close(struct actio_motion *m);
/* Before a switch flips: the modes are kept. */
void actio_corner_note(struct actio_motion *m);
void actio_corner_undo(struct actio_motion *m); /* and come back */
/* Switch k has flipped at this state: velocities behind it. The motion may be
 * reflected: the modes are then those before. *turned: something did jump. A flow status. */
int actio_corner_turn(struct actio_motion *m, size_t k, double t, double *y, bool *turned);
/* The last one once more, from a neighbouring state: velocities behind it. Modes are the caller's to keep. */
int actio_corner_repeat(struct actio_motion *m, size_t k, double t, double *y);
/* Modes and held values change together at an instant: velocities behind it, by momenta and rows. A flow status. */
int actio_corner_jump(struct actio_motion *m, double t, double *y, const double *before, const double *after);
/* After a stop because a row jumps on time, in a rough motion: does it surely? By much, or as much at another state. */
bool actio_corner_surely_breaks(struct actio_motion *m, double t, const double *other);
/* Are the surfaces of two switches tangent at this state? Those that are reached at one instant flip together. */
bool actio_corner_same_surface(struct actio_motion *m, size_t j, size_t k, double t, const double *y);
/* Where the order of two switches may matter: a copy of the state to try one of them with (which: 0 or 1); modes come
 * back at the end of each; do both end with the same velocities? */
double *actio_corner_try(struct actio_motion *m, int which, const double *y);
void actio_corner_try_end(struct actio_motion *m);
bool actio_corner_same_end(const struct actio_motion *m);
/* Has the rank of the constraints changed at a switch in some run of this motion? Then it is found anew at the start
 * and for each row of the table. A flow status. */
bool actio_corner_rank_varies(const struct actio_motion *m);
int actio_corner_rank(struct actio_motion *m, double t, const double *y);
int actio_corner_resume(struct actio_motion *m, double t, const double *y); /* the same for a motion that goes on */

#endif
