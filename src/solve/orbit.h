/* SPDX-License-Identifier: Apache-2.0
 * Periodic motions: what is requested, a turn as states at nodes, and the ways to find and to follow one. Unknowns are
 * coordinates along the manifold of the constraints, so that everything said of an orbit (its multipliers, too) is said
 * on it. */
#ifndef ACTIO_SOLVE_ORBIT_H
#define ACTIO_SOLVE_ORBIT_H

#include "algebra/periodic.h"
#include "solve/tangent.h"

/* One turn: node i at y + i*ny, at the fraction at[i] of the period (at[0] = 0). */
struct actio_circuit {
    size_t ny, nodes, room;
    double *y, *at, period;
};
/* 0, or 1: no memory */
int actio_circuit_open(struct actio_circuit *l, struct actio_context *ctx, size_t ny, size_t room);
void actio_circuit_close(struct actio_circuit *l, struct actio_context *ctx);
void actio_circuit_copy(struct actio_circuit *to, const struct actio_circuit *from); /* room must do */

struct actio_orbit {
    struct actio_context *ctx;
    struct actio_motion *m;
    struct actio_tangent x;
    size_t ny, d, rows; /* d: dimension of the manifold; rows: residuals of its constraints */
    double t0;
    bool free_period; /* else it is given: the model depends on time */
    double *scale;    /* typical size of each component: lengths are measured by it */
    double *turn;     /* what a component gains in a period (an angle: 2 pi); 0 */
    bool *loose;      /* components that need not return */
    double *block, *level, *work;
    bool *bblock;
    int *iwork;
    bool in_families;            /* nothing drives the motion or brakes it: rough steps lead to another member */
    bool is_long;                /* a turn takes very many steps (stiff): rough ones lead astray there */
    size_t iterations, segments; /* work so far */
};
/* y: a state of the motion, to see how many constraints there are. 0, or 1 and a finding. Close in any case. */
int actio_orbit_open(struct actio_orbit *o, struct actio_context *ctx, struct actio_motion *m, double t0,
                     const double *y);
void actio_orbit_close(struct actio_orbit *o);
/* Sizes of the components, from how much each changes and how large it is along a motion that takes about `period` to
 * go round. */
void actio_orbit_sizes(struct actio_orbit *o, const double *range, const double *value, double period);
/* Directions along the manifold at y: columns of Q (ny x d), orthonormal in scaled components; where params have a
 * direction, `lift` (ny) is the shortest way that keeps to the manifold when they change. 0, or 1: their number is
 * another one there. */
int actio_orbit_directions(struct actio_orbit *o, double t, const double *y, double *Q, double *lift);
/* of node 0 .. nodes */
double actio_orbit_time(const struct actio_orbit *o, const struct actio_circuit *l, size_t node);

/* States at fractions of the period (rising, below 1), each from its node, closed by spreading what segments miss: y +
 * k*ny. A flow or march status. */
int actio_orbit_states(struct actio_orbit *o, const struct actio_circuit *l, const double *at, size_t count, double *y);

/* After a turn: held values are those of its beginning, where the motion depends on them; else it has halted. */
bool actio_orbit_returns(struct actio_orbit *o);

/* How a search ended. */
enum actio_orbit_status {
    ACTIO_ORBIT_FOUND,
    ACTIO_ORBIT_DIVERGED,
    ACTIO_ORBIT_AT_REST,
    ACTIO_ORBIT_MOTION_FAILS,
    ACTIO_ORBIT_STOPPED,
    ACTIO_ORBIT_NO_MEMORY,
    ACTIO_ORBIT_SLOW,
    ACTIO_ORBIT_SPURIOUS
};
struct actio_orbit_report {
    int status, motion; /* motion: why the motion failed */
    size_t iterations, unknowns;
    double residual;     /* largest mismatch at a node, relative to max(1, size) */
    double step;         /* the last correction, relative */
    double period_error; /* estimated */
    double local;        /* tolerance of the motion that it was found with */
    double detector;     /* dual: |x - Pi x| */
};
/* Status and motion of the report by how the search stopped: 0: found; ACTIO_ORBIT_RESTS; other numbers below 0: it
 * does not converge; or a flow or march status. Its status. */
enum { ACTIO_ORBIT_RESTS = -2 };
int actio_orbit_ended(int bad, struct actio_orbit_report *reported);

/* shoot.c: Newton's method on all nodes at once; orthogonal elimination node by node, the shortest correction where
 * orbits come in families. `l` is the guess,
 * then the orbit. tol: of the period and the states. An orbit status. */
int actio_orbit_shoot(struct actio_orbit *o, struct actio_circuit *l, double tol, struct actio_orbit_report *reported);
/* fourier.c: trigonometric polynomials through M equally spaced states, as many as it takes. The nodes of `l` are then
 * states of the result. */
int actio_orbit_fourier(struct actio_orbit *o, struct actio_circuit *l, double tol,
                        struct actio_orbit_report *reported);
/* dual_orbit.c: the dual action with unknown period, on as many elements as it takes; the system has its first-order
 * form, with nothing algebraic in it. */
int actio_orbit_dual(struct actio_orbit *o, struct actio_circuit *l, double tol, struct actio_orbit_report *reported);
/* shoot.c: how far the motion from each node misses the next, relative to max(1, size): the check that does not depend
 * on the method. A flow or march status. */
int actio_orbit_mismatch(struct actio_orbit *o, struct actio_circuit *l, double local, double *residual);
/* How many directions, beside the motion itself, the turn can be moved in and stay periodic: families. */
size_t actio_orbit_lack(struct actio_orbit *o, struct actio_circuit *l);
/* The linearisation around a turn, segment by segment: Phi_i (d x d each) between bases at its nodes; `parts` segments
 * for each node, so that each is well conditioned. */
struct actio_turn {
    size_t d, factors, ny, modes;
    double *Phi, *Q0;
    double *t, *y, *mode; /* where each factor begins: time, state, branches of switches and held values in force */
};
/* an orbit status; close in any case */
int actio_orbit_linearise(struct actio_orbit *o, const struct actio_circuit *l, double local, struct actio_turn *out);
/* Its multipliers (d of them), and, if requested, the direction of a real simple one at the first node, in the basis
 * Q0. 0, or 1: not all could be determined. */
int actio_turn_multipliers(struct actio_turn *t, struct actio_context *ctx, struct actio_multiplier *w, double *vector,
                           size_t which);
void actio_turn_close(struct actio_turn *t, struct actio_context *ctx);

/* deflate.c: vectors that each factor takes to those at its end: right ones  Phi_i v_i = v_(i+1),  left ones
 * v_(i+1) Phi_i = v_i.  Vector c where factor i begins: at + (i*count + c)*d. The last factor ends where the first
 * begins. */
struct actio_unmoved {
    size_t count;
    bool *left;
    double *at;
};
/* By how much the worst factor misses vector c, relative to its size; INFINITY for a vector that is 0. */
double actio_turn_misses(const struct actio_turn *t, const struct actio_unmoved *u, size_t c);
/* `out` is what remains of the turn on the states that the left vectors do not see, up to multiples of the right ones
 * among them: its multipliers are those of the turn, less as many 1 as `by` has entries (room: d), each with the vector
 * that makes it. Vectors that the ones before them span, to `apart`, make none. 0, or 1: no memory, or the vectors lose
 * their rank on the way. Close `out` in any case. */
int actio_turn_deflate(const struct actio_turn *t, struct actio_context *ctx, const struct actio_unmoved *u,
                       double apart, struct actio_turn *out, size_t *by, size_t *count);
/* An error of 1 in each factor, relative to its size, makes at most so large a one in the product; INFINITY without a
 * number. work: (factors + 4) d^2 */
double actio_turn_growth(const struct actio_turn *t, double *work);
/* Vectors that the product leaves as they are, to `tol`: singular vectors of the product less 1, followed through the
 * factors. u's arrays belong to the caller, who frees them by actio_unmoved_close. 0, or 1: no memory. */
int actio_turn_find_unmoved(const struct actio_turn *t, struct actio_context *ctx, double tol, struct actio_unmoved *u);
int actio_unmoved_open(struct actio_unmoved *u, struct actio_context *ctx, const struct actio_turn *t, size_t count);
void actio_unmoved_close(struct actio_unmoved *u, struct actio_context *ctx);

#endif
