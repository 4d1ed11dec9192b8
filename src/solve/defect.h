/* SPDX-License-Identifier: Apache-2.0
 * The error of a run by its own defect: between steps u is the interpolant, and e = u - truth obeys
 *     e' = J(t, u) e + delta,  delta = u' - f(t, u),  e(0) = 0.
 * The defect is measured inside each step and carried along by the exact tangent, so that nothing is left to luck.
 * Rounding, which no defect shows, goes along as a random vector of its own.
 * In: a motion and the follower's calls of its march. Out: errors of the state at given times. Callers: accuracy. */
#ifndef ACTIO_SOLVE_DEFECT_H
#define ACTIO_SOLVE_DEFECT_H

#include "solve/entries.h"
#include "solve/motion.h"
#include "solve/shadow.h"

/* Times in the order of the motion, and where the errors go: component i of time r at error[i*stride + r], those by
 * rounding at rounding[i*stride + r]. NAN where the error can't be trusted. */
struct actio_defect_list {
    size_t count, stride, next;
    const double *times;
    double *error, *rounding;
};
enum { ACTIO_DEFECT_LISTS = 2 };

/* The defect is a polynomial of degree 7 to leading order, 0 at both ends: sums over four inner points of Lobatto are
 * exact up to degree 9. Where the motion leaves the step before its end, the defect there counts, too: it is the first
 * of the list. */
enum { ACTIO_DEFECTS = 5, ACTIO_CARRY_MOST = 12 };
/* An explicit method for e' = J(t) e: the tangent of stage i is taken at e + h sum a_ij k_j. tested: the stage at which
 * the linear estimate is held against the motion. */
struct actio_carrying {
    int stages, tested;
    double at[ACTIO_CARRY_MOST], sum[ACTIO_CARRY_MOST], a[ACTIO_CARRY_MOST][ACTIO_CARRY_MOST];
};

/* guard: that shows what happens, SIZE_MAX: the clock; since: so long ago, by the rounded time; late: by so much the
 * true motion crosses it later; before: rates before it; jumping: it is under way. */
struct actio_defect_instant {
    size_t guard;
    double since, late, *before;
    bool jumping;
};

/* The step in hand: it ends before its interpolant does; its matrices are known; its tangents are those of shadows. */
struct actio_defect_step {
    bool cut, by_entries, ruled;
};

struct actio_defect {
    struct actio_context *ctx;
    struct actio_motion *m;
    struct actio_defect_list list[ACTIO_DEFECT_LISTS];
    bool lost;                       /* something happened that it can't follow: no error is known */
    bool doubtful;                   /* the linear estimate was not to be trusted */
    double t, direction, h;          /* up to where it is known; the last step */
    double *block, *y, *e, *r;       /* the state last seen, its error, that by rounding */
    const struct actio_carrying *by; /* how the step in hand is carried through */
    double *stage, *tangent, *arg;   /* by stage: states, tangents, the vectors that these are of */
    /* by stage: of a direction its time, too */
    double time[ACTIO_ENTRY_LANES], shift[ACTIO_CARRY_MOST];
    double *delta, *f, *x, *homogeneous, *pivot;
    struct actio_carrying longer; /* the stages of the built-in stepper */
    /* of the defects inside, by stage of the short way and of the longer one: the integral up to there */
    double own[2][ACTIO_CARRY_MOST][ACTIO_DEFECTS];
    struct actio_defect_step step;
    struct actio_rate_entries entries; /* of short states, in place of directions; `in` is not used then */
    struct actio_arg *in[ACTIO_CARRY_MOST];
    double **out;
    size_t padded, steps;
    bool noisy;          /* rounding is followed, too */
    double added, grown; /* largest: what a step adds to the error, and the error; by size of the state */
    struct actio_defect_instant next;
    bool begun;
    uint64_t random;
    /* Where something happens that the tangent does not show: of the error, and of that by rounding. */
    struct actio_shadow shadow[2];
    bool shadowed;
};

/* Can the errors of this motion be followed? Not with fields, forces from outside or a law with a state of its own; not
 * beyond instants where another law than elimination is in force. */
bool actio_defect_applies(const struct actio_motion *m);
/* 0, or 1: no memory. Close in any case; a zeroed one may be closed. */
int actio_defect_open(struct actio_defect *d, struct actio_context *ctx, struct actio_motion *m);
void actio_defect_close(struct actio_defect *d);
/* Before a run that may be `noisy`; 0, or 1: no memory. */
int actio_defect_make_shadows(struct actio_defect *d);
/* Which motion's past belongs to the states less their errors (rounding: less those by rounding): in exchange for that
 * of the motion, and back. */
void actio_defect_swap(struct actio_defect *d, bool rounding);
/* Before a march from this state; the lists are the caller's. */
void actio_defect_begin(struct actio_defect *d, double t0, double t1, const double *y0);
/* Is rounding likely to matter beside such a tolerance? */
bool actio_defect_expects_rounding(double tol);
/* After a march without `noisy`: may rounding matter beside the tolerance, if it has grown as errors of steps have? */
bool actio_defect_may_be_rounding(const struct actio_defect *d, double tol);
struct actio_follower actio_defect_follower(struct actio_defect *d);

#endif
