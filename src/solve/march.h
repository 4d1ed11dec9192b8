/* SPDX-License-Identifier: Apache-2.0
 * Initial-value problems: a flow says what is integrated, a stepper how. Marching adds projection, switches and
 * output rows.
 * In: a flow, a tolerance, times. Out: rows, and why it ended. Callers: solve, run, native (steppers). */
#ifndef ACTIO_SOLVE_MARCH_H
#define ACTIO_SOLVE_MARCH_H

#include "base/findings.h"
#include "algebra/linear.h"

/* Return values of the callbacks below. ENDED: the motion ends here, as it should. */
enum actio_flow_status {
    ACTIO_FLOW_OK,
    ACTIO_FLOW_NAN,
    ACTIO_FLOW_SINGULAR,
    ACTIO_FLOW_FAILED,
    ACTIO_FLOW_STOPPED,
    ACTIO_FLOW_ENDED
};

typedef void (*actio_dense_fn)(void *where, double t, double *y);

/* Where those who look into a step do so: its ends, and the inner points of Lobatto. */
enum { ACTIO_LOOKS = 6 };
extern const double actio_look_places[ACTIO_LOOKS];
/* States and slopes there: of place k at k*stride. */
struct actio_looks {
    const double *y, *dy;
    size_t stride;
};

/* States inside a step; with their slopes (NULL: not known). looks: all of them at once; false: not of this part of the
 * step, or of no step. pace: h*lambda of the step, as far as it is known. cut: the part that is looked at
 * ends before the step does. */
struct actio_inside {
    actio_dense_fn value;
    void (*slope)(void *where, double t, double *y, double *dy);
    bool (*looks)(void *where, double from, double to, struct actio_looks *at);
    void *where;
    double pace;
    bool cut;
};

/* A guard at the instant when it shows something, in the state before it: its value, how fast it moves along the motion
 * and how that changes (rate NAN: it jumps there, with a switch), how large it is nearby, by how much an interpolant
 * is wrong. order: 0, or of a zero of third or higher order, steep*|time|^order, which rounding blurs. */
struct actio_meeting {
    size_t guard;
    double t, value, rate, bend, size, slack, steep, blur;
    int order;
    const double *y;
};

/* The next time at which something happens by the clock: a step ends there, and `tick` is called; the known state may
 * jump. 0 go on, else stop with this status. NULL: nothing does. */
struct actio_clock {
    double (*next)(void *user);
    int (*tick)(void *user, double t, double *y);
};
/* Who keeps a list of instants. `meet` before and `leave` after `crossed` or `passed`; `leave`: velocities before, the
 * state after; a flow status. nears: a guard comes near 0 and turns back, for those that `may_near` names. NULL: nobody
 * does. */
struct actio_listener {
    void (*meet)(void *user, const struct actio_meeting *what);
    int (*leave)(void *user, double t, const double *old, const double *y);
    bool (*may_near)(void *user, size_t guard);
    void (*nears)(void *user, const struct actio_meeting *what);
};

/* By watched guard: its side, 0 = not known; whether it crosses with what crosses now; its largest value so far. */
struct actio_sides {
    signed char *side;
    const signed char *due;
    const double *most;
};

/* Watched guards that a flow cares for. ends: by watched guard, where it passes the step ends, and `crossed` is called.
 * is: their sides after a jump are the flow's business. lend gives it the sides of all watched guards, to read and to
 * set in `crossed` and `tick`, which see the side beyond of the guard that passes. together: what clocks, crossings and
 * these guards do within this time is one instant; times are not known better. NULL: none, nowhere. */
struct actio_own {
    const bool *ends, *is;
    void (*lend)(void *user, struct actio_sides sides);
    double together;
};

#define ACTIO_TIME_KNOWN 30.0 /* of the local tolerance and the interval: times are not known better */

/* y' = f(t, y) with an invariant manifold. All callbacks take `user` first. Nothing here allocates. */
struct actio_ode {
    size_t n;
    void *user;
    /* Where the state that is integrated is not the one that the world knows (quasi-velocities, some of the
     * velocities): the known one, `known` values long, and the way back, taken at the start and after every crossing.
     * rhs and project get the integrated state,
     * everybody else the known one.
     * NULL = they are the same. Flow statuses. */
    size_t known;
    int (*unfold)(void *user, double t, const double *y, double *known_state);
    int (*fold)(void *user, double t, const double *known_state, double *y);
    int (*rhs)(void *user, double t, const double *y, double *dy);
    int (*project)(void *user, double t, double *y); /* after each accepted step; NULL = no manifold */
    /* Switches and singular surfaces. Within a step the branch (mode) is frozen, so every guard is smooth across its
     * zero. */
    size_t guards;
    void (*guard)(void *user, double t, const double *y, double *g);
    /* All guards at ACTIO_ROOT_NODES states at once: times in sampled_t, component i of state k at
     * sampled_y[i*ACTIO_ROOT_NODES + k]; guard i at node k to g[k*guards + i]. false: not now, one by one. NULL =
     * never. */
    bool (*sample)(void *user, double *g);
    double *sampled_t, *sampled_y;
    /* Called with the guard that crossed zero, at the crossing (state y on the far side of round-off is fine): changes
     * modes.
     * 0 go on (restart the stepper), else stop with this status. */
    int (*crossed)(void *user, size_t guard, double t, double *y); /* y, the known state, may jump */
    /* Rates jump at crossings: the state behind one goes on for what its rounded time is late. */
    bool timely;
    /* The last `watched` guards are only looked at: `passed` is called for each crossing, and the step goes on. */
    size_t watched;
    int (*passed)(void *user, size_t guard, double t, const double *y);
    /* Directions in which they count, by watched guard: 1 rising, -1 falling, 0 either. NULL: either. */
    const signed char *way;
    struct actio_own own;
    struct actio_clock clock;
    struct actio_listener list;
    /* At the very start, before the first row: the state may jump. After each step in which nothing happened. NULL =
     * nothing to do. */
    int (*enter)(void *user, double t, double *y);
    void (*stepped)(void *user, double t, const double *y);
    /* The sign of the guard that the present mode assumes, 0 = either; called for all but the watched ones after each
     * (re)start. A guard found on the other side crosses at once. NULL: the first sign it is seen with, and from then
     * on the other after each crossing. */
    int (*side)(void *user, size_t guard);
    /* Called when a guard touches zero and turns back: 0 go on (no restart), else stop with this status. NULL = touches
     * are ignored. */
    int (*touched)(void *user, size_t guard, double t, const double *y);
    /* Quality of the elimination seen by the last rhs calls: smallest pivot ratio since it was last requested; NULL =
     * not watched. */
    double (*quality)(void *user);
    /* The same at one point. When `quality` is below 0.03 its minimum over the step is looked for; below 1e-7
     * `singular` is called there:
     * 0 go on, else stop with this status. Both NULL = not watched. */
    double (*quality_at)(void *user, double t, const double *y);
    /* Forces would hold the motion there, and no step is short enough. NULL = not watched. */
    bool (*sticks)(void *user, double t, const double *y);
    /* The step goes from `before` to `after`; `at` gives the state anywhere inside it. */
    int (*singular)(void *user, double t, double before, double after, actio_dense_fn at, void *where);
    /* For stiff steppers: entries of df/dy in the pattern's order; NULL = difference quotients. */
    const struct actio_pattern *pattern;
    int (*jacobian)(void *user, double t, const double *y, double *values);
    const double *scale; /* typical size of each component, or NULL = 1 */
    double accuracy;     /* the local tolerance: what a stepper may choose its order by */
    double first;        /* length of the very first step where another run has shown it; 0 = to be found */
    /* Steps whose error would allow the next to be `silent` times as long find nothing to resolve: they grow to this
     * length, this h*lambda, and no further; 0 = any. */
    struct actio_pacing {
        double silent, longest, paced;
    } pacing;
    /* Where rates are constant while nothing holds (free flight): is that so now? The first `positions` values then
     * move with the next as many.
     * shake: errors of this size, relative to the fastest, after every jump; for runs that show what they grow into.
     * NULL = never. */
    bool (*is_free)(void *user);
    size_t positions;
    double shake;
    size_t shaken;
    /* The longest step from here that steps over nothing which the error control would not see (a thin wall); 0: there
     * is none, it fails. NULL = any. */
    double (*limit)(void *user, double t, const double *y);
    /* After each step: where it should have ended, for what it steps over; `to`: there. NULL = there. */
    double (*vet)(void *user, double from, double to, const struct actio_inside *inside);
};

/* early: the second step's length; inexact: some steps of an exact stepper were not */
struct actio_march_stats {
    size_t rhs, steps, rejected, projections, restarts;
    const char *stepper;
    bool looks_stiff, inexact;
    double early;
};

/* A stepper: dop853 built in, cvode from native/. open allocates everything; a step allocates nothing. */
struct actio_stepper {
    const char *name;
    bool stiff, uneven; /* uneven: error follows tolerance only roughly */
    void *(*open)(struct actio_context *ctx, const struct actio_ode *flow); /* NULL: no memory */
    /* also restarts after a jump */
    void (*start)(void *h, double t, const double *y, double t_end, double rtol, double atol);
    /* one accepted step, not beyond t_end, projected; flow status, else ACTIO_MARCH_* */
    int (*step)(void *h, double *t, double *y);
    /* the last step again, ending at t inside it (more exact than dense); NULL = cannot */
    int (*retake)(void *h, double t, double *y);
    void (*dense)(void *h, double t, double *y); /* inside the last step; prepares itself on first use after a step */
    /* Value and slope of the same interpolant; h*lambda of the last step, 0 = not known. NULL = not known. */
    void (*slope)(void *h, double t, double *y, double *dy);
    /* of all places in the last step from .. to; false: that is not the last step, or its state is long; or NULL */
    bool (*looks)(void *h, double from, double to, struct actio_looks *at);
    double (*pace)(void *h);
    /* The same for many times, component i of row r to row[i*stride + r]; NULL = one by one. */
    void (*dense_rows)(void *h, size_t count, const double *t, double *row, size_t stride);
    /* A place inside the last step where dense is nearly as wrong as anywhere in it, the state there and its estimated
     * error. NULL: dense is as exact as the steps are; else 0 when it could be determined. */
    int (*gap)(void *h, double *t, double *y, double *error);
    void (*stats)(void *h, struct actio_march_stats *stats);
    void (*close)(void *h);
};
enum { ACTIO_MARCH_STEP_TO_ZERO = 16, ACTIO_MARCH_TOO_MANY_STEPS, ACTIO_MARCH_STIFF, ACTIO_MARCH_NO_MEMORY };

extern const struct actio_stepper actio_dop853, actio_ballistic, actio_discrete, actio_skg, actio_dual;
void actio_stepper_register(const struct actio_stepper *stepper);
const struct actio_stepper *actio_stepper_find(const char *name); /* NULL when absent */
const struct actio_stepper *actio_stepper_stiff(void);            /* first stiff one registered, or NULL */

/* States wanted at given times, monotone from t0 to t1 (either direction), filled in order. */
struct actio_march_rows {
    size_t count;
    const double *times;
    double *row; /* component i of row r at row[i*stride + r] (lanes = rows); NULL: not kept */
    size_t stride;
};
enum { ACTIO_MARCH_LISTS = 2 };

/* Who follows the motion itself. `at`: a state that it comes to; jumps: what happens there comes next, and the state
 * after it at the same time. `part`: it goes from one time to another inside a step. `crosses`: it is the guard that
 * shows what happens, and so much time has passed since it did, by the rounded time; called before `at`; NULL: nobody
 * wants to know. */
struct actio_follower {
    void (*at)(void *user, double t, const double *y, bool jumps);
    void (*part)(void *user, double from, double to, const struct actio_inside *inside);
    void (*crosses)(void *user, size_t guard, double since);
    void *user;
};

struct actio_march_task {
    const struct actio_stepper *stepper;
    double t0, t1, rtol, atol;
    const double *y0;
    struct actio_march_rows rows[ACTIO_MARCH_LISTS];
    /* Both may be NULL. mark is called where another run can be compared with this one: at the end of each step that is
     * not a switch, or, where the stepper's interpolant is as exact as its steps, at each row of the first list. gap
     * receives the interpolant's error in each step with a row inside; where there are marks, in one of gap_every. */
    void (*mark)(void *user, double t, const double *y);
    void (*gap)(void *user, double t, const double *y, const double *error);
    void *watch_user;
    size_t gap_every;
    size_t max_steps;     /* 0 = 10 million */
    bool stop_when_stiff; /* end with ACTIO_MARCH_STIFF when the stepper says that the problem is stiff */
    void (*progress)(void *user, double t);
    void *progress_user;
    /* Of a motion in pieces, by watched guard, in and out: the side on which it is, then whether it rests at 0; when it
     * was last passed, then its largest value. So what happens at the seam of two pieces is seen once. NULL = a motion
     * of its own. */
    signed char *sides;
    double *passed;
    const struct actio_follower *follower; /* NULL: nobody */
};
struct actio_march_result {
    int status;        /* 0 or why it ended early */
    size_t rows, also; /* rows filled, of each list */
    double t;          /* where it ended */
    size_t guard;      /* the guard that stopped it, else SIZE_MAX */
    struct actio_march_stats stats;
    double *y; /* the known state there: room given by the caller, or NULL */
};
/* Integrates one task; all memory is taken at its start. */
int actio_march(struct actio_context *ctx, const struct actio_ode *flow, const struct actio_march_task *task,
                struct actio_march_result *out);

/* Every root of a smooth f on [a, b] (also b < a), in order along a -> b; a touch (double root, to 1e-9 of the size of
 * f) is listed once.
 * f is interpolated on as many pieces as it takes, roots are isolated by bounds and polished on f itself. Returns how
 * many, at most `cap`. */
typedef double (*actio_scalar_fn)(void *user, double t);
size_t actio_roots(actio_scalar_fn f, void *user, double a, double b, double *root, size_t cap);
/* The same when its values at the nodes (below) are known, or NULL; touches false: sign changes only. */
size_t actio_roots_from(actio_scalar_fn f, void *user, double a, double b, const double *sample, size_t stride,
                        bool touches, double *root, size_t cap);
/* The same in two parts, for many functions along one interval: values at ACTIO_ROOT_NODES places (node 0 is a, the
 * last is b) show at once most functions that have no root there. value k at f[k*stride]. */
enum { ACTIO_ROOT_NODES = 13 };
double actio_root_node(double a, double b, size_t k);
bool actio_root_free(const double *f, size_t stride);
/* The smallest value of f on [a, b] that sampling and golden sections find; *at is its place. */
double actio_minimum(actio_scalar_fn f, void *user, double a, double b, double *at);

#endif
