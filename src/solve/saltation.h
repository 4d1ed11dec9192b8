/* SPDX-License-Identifier: Apache-2.0
 * Derivatives across an instant (saltation). At a surface g(t, y) = 0, which moves at the rate g_y f- + g_t in the
 * motion, a neighbour X arrives later by tau, leaves with what statements set there, and goes on with the rates behind:
 *     tau = -(g_y X + g_a) / (g_y f- + g_t),   X~ = X + f- tau,
 *     X~ = R_y X~ + R_t tau + R_a  round by round,   X+ = X~ - f+ tau.
 * In: derivatives in front of what happens. Out: those behind it. Callers: tangent. */
#ifndef ACTIO_SOLVE_SALTATION_H
#define ACTIO_SOLVE_SALTATION_H

#include "solve/resets.h"
#include "solve/tangent.h"

int actio_saltation_open(struct actio_tangent *x); /* 0, or 1: no memory, or a finding */
void actio_saltation_close(struct actio_tangent *x);
struct actio_reset_witness actio_saltation_witness(struct actio_tangent *x);
/* A piece begins: held values do not move with any direction yet. */
void actio_saltation_begin(struct actio_tangent *x);
/* Around what happens: `guard` as the flow of the motion has it, SIZE_MAX: the clock, or the start. The state and its
 * derivatives stand in x->seen before; a flow status. */
int actio_saltation_meet(struct actio_tangent *x, size_t guard, double t, const double *y);
int actio_saltation_leave(struct actio_tangent *x, double t, const double *y);
/* A piece ends: no held value that matters may move with a direction. A flow status. */
int actio_saltation_end(struct actio_tangent *x);

#endif
