/* SPDX-License-Identifier: Apache-2.0
 * A system at work: numbers bound to its kernels, and the flow that steppers integrate.
 * In: a system, which it borrows, and values of params. Out: rates, multipliers, projections. Callers: solve, verdict,
 * problem, run, check. The owner is a struct actio_problem, or the caller that opens it; the owner closes it. */
#ifndef ACTIO_SOLVE_MOTION_H
#define ACTIO_SOLVE_MOTION_H

#include "equations/system.h"
#include "solve/instants.h"
#include "solve/lanes.h"
#include "solve/march.h"
#include "solve/saddle.h"

/* One kernel with its inputs bound to the motion's current point. */
/* lanes: of a system with fields, in place of the kernel; count: of values */
struct actio_bound {
    const struct actio_kernel *k;
    struct actio_arg *in;
    double *pre, *value, **out, *work;
    struct actio_lanes *lanes;
    size_t count;
    bool asks; /* it has numbers from outside */
};

/* Modes from this time on. */
struct actio_mode_change {
    double t;
    size_t first;
}; /* first: of its flips */
struct actio_mode_flip {
    double value;
    uint32_t k;
}; /* switch k has this mode from now on */

enum { ACTIO_RHS_BUFFERS = 5 };      /* three of a stepper, two of who follows it */
enum { ACTIO_FIRST_CHANGES = 4096 }; /* room for so many switches is taken before the first step */

struct actio_law;
struct actio_contacts;
struct actio_between;
struct actio_corner;
struct actio_resets;
struct actio_tape;
struct actio_dual;
struct actio_tension;
struct actio_segments;
struct actio_features;

/* Where a motion is: what kernels read. */
struct actio_point {
    double t, *y, *zdot, *lambda, *reaction, *param, *mode, *hidden, *outside;
};
/* Numbers from outside, functions of time and state: `ask` writes them, and says with its answer which of them failed
 * (from 1), status: what that callback returned, 0 where its number is not finite. NULL: there are none.
 * slopes: row k at dy[k*stride], stride at least the states of the model; false: not known. */
struct actio_outside {
    size_t (*ask)(void *user, double t, const double *y, double *value, int *status);
    bool (*slopes)(void *user, double t, const double *y, double *dy, size_t stride);
    void *user;
    size_t failed; /* the first that has failed since the motion began, from 1, */
    int status;    /* with this answer, at this time */
    double t;
};
/* Inputs of RHS by the buffer they are bound to. */
struct actio_rhs {
    struct actio_arg *in[ACTIO_RHS_BUFFERS];
    const double *y[ACTIO_RHS_BUFFERS];
    size_t next;
    const actio_one_fn *one; /* the fast way to one right-hand side, once there is one */
};
struct actio_row_rank {
    bool numeric;               /* formulas were not eliminated, or rows are redundant */
    size_t rank;                /* of the constraints' rows, as the motion keeps it */
    bool fixed;                 /* it is that of the start, for a stepper with memory of that size */
    bool *unique, *unique_here; /* multipliers: along the motion; at one point */
};
/* Pivots of the elimination, as the system has them. */
struct actio_pivot_watch {
    size_t pairs, singles, signs;
    double *size, quality, worst; /* quality since last queried, worst of the run */
    int sign;
};
/* Where a formula last gave no number. */
struct actio_no_number {
    double t, *y;
};
struct actio_motion_scratch {
    double *residual, *step; /* of projection */
    /* of equations and constraint rows: behind QMINUS, SMINUS, LMINUS; or a direction of the state and of time, whose
     * velocities are behind VMINUS */
    double *weight, *weight_v;
    double *slave_work; /* of slaves.c */
    int *slave_pivot;
};
/* Systems that are chains. */
struct actio_motion_chain {
    /* tension.h; inverse masses, then free accelerations; NULL: another kind of system */
    struct actio_tension *tension;
    double *inverse;
    struct actio_segments *segments; /* segments.h; NULL: the chain is short, or none */
};
/* Modes by time: switch_history.c. */
struct actio_mode_history {
    struct actio_mode_change *change;
    size_t changes, changes_cap;
    struct actio_mode_flip *flip;
    size_t flips, flips_cap;
    double *base, *last, *past;
    size_t bases_cap;
};
/* The law in force: law.c. */
struct actio_obeyed {
    const struct actio_law *law; /* law.h; NULL: by elimination */
    void *data;
    double *G, *A, *y;
    bool based;            /* its frame was taken in this run */
    double strain_allowed; /* of the frame in force: more than 1 where the constraints' rows strain even a new one */
    char objection[240];   /* why a law does not apply, where the words have names in them */
};
/* What the options of a principle say. */
struct actio_chosen {
    size_t grid; /* discrete: points of the whole interval, 0 = by the tolerance */
    /* skg: equal slabs, nodes of each, order of equally spaced nodes; 0 = by the tolerance, Lobatto's */
    size_t slabs, nodes;
    int order;
    double resplit;          /* reduced: tau of --resplit, 0 = the first split stays */
    struct actio_tape *tape; /* adjoint.h: skg keeps its slabs there; NULL = not kept */
    struct actio_dual *dual; /* dual.h: request and report of the dual action; NULL = another principle */
};
enum actio_coefficient { ACTIO_COEFFICIENT_RESTITUTION, ACTIO_COEFFICIENT_FRICTION, ACTIO_COEFFICIENT_STICK };
/* What stopped it. */
struct actio_halt {
    size_t by, with, count; /* switch or constraint; another switch; velocities that are equally near */
    double value;           /* of what is out of its range */
    enum actio_coefficient what;
    enum {
        ACTIO_STOP_NONE,
        ACTIO_STOP_CHATTER,
        ACTIO_STOP_BETWEEN, /* a switch would hold it between its sides, which who marches can't follow */
        ACTIO_STOP_RANK,
        ACTIO_STOP_INERTIA,
        ACTIO_STOP_CONTRADICTION,
        ACTIO_STOP_NO_STANCE,
        ACTIO_STOP_IMPACT,
        ACTIO_STOP_TUNNEL,
        ACTIO_STOP_SLAB,
        ACTIO_STOP_DUAL,
        ACTIO_STOP_OUTSIDE,
        ACTIO_STOP_ROW_JUMPS,
        ACTIO_STOP_ROW_JUMPS_ON_TIME, /* at a switch of time only: no motion passes it */
        ACTIO_STOP_GAP_JUMPS,
        ACTIO_STOP_RANK_SWITCHES,
        ACTIO_STOP_VELOCITIES_JUMP,
        ACTIO_STOP_CORNER,
        ACTIO_STOP_INSTANT,
        ACTIO_STOP_AT_WILL,   /* a switch rests where it may leave at any time, */
        ACTIO_STOP_PUSHED,    /* or both of its sides push the motion away */
        ACTIO_STOP_COUNTLESS, /* whole numbers that can't be followed */
        ACTIO_STOP_PILES,     /* crossings of several switches follow one another ever faster */
        ACTIO_STOP_BESIDE,    /* a switch would hold it beside a closed contact (with) */
        ACTIO_STOP_COEFFICIENT,
        ACTIO_STOP_ORDER,
        ACTIO_STOP_SEVERAL,    /* velocities behind a row that jumps are equally near */
        ACTIO_STOP_CURVED_ROW, /* the Lagrangian jumps, and a row is not linear in the velocities */
        ACTIO_STOP_TWO_RULES,  /* a velocity row and the Lagrangian jump at one place */
        ACTIO_STOP_NO_RULE,    /* the law in force has no rule for velocities that jump */
        /* of derivatives: a surface is only touched; two at one time; a held value carries numbers of the motion */
        ACTIO_STOP_GRAZES,
        ACTIO_STOP_TWO_SURFACES,
        ACTIO_STOP_HELD_MOVES,
        ACTIO_STOP_HELD_PARTS,   /* a held value does not return */
        ACTIO_STOP_CONTACT_HOLDS /* or several meet */
    } why;
};
/* For stiff steppers. */
struct actio_stiff_side {
    double *jacobian;
    struct actio_pattern pattern;
    uint32_t *i, *j;
};

struct actio_motion {
    struct actio_context *ctx;
    struct actio_system *sys;
    size_t n, m, N, p, ny;
    double span;             /* t1 - t0 of the motion under way: its direction, and what a moment is */
    struct actio_point here; /* the current point, where kernels read */
    struct actio_bound at[ACTIO_Q_COUNT];
    struct actio_rhs rhs;
    struct actio_saddle *saddle;
    struct actio_row_rank rows;
    double *rooted; /* a state, three accelerations, and modes: scratch of switches.c, switch_rest.c and turning.c */
    bool *rests;    /* switches that stay on their surface */
    struct actio_pivot_watch watch;
    struct actio_no_number bad;
    struct actio_motion_scratch scratch;
    struct actio_motion_chain chain;
    struct actio_mode_history history;
    struct actio_instants instants;
    struct actio_ode flow;
    size_t evaluations;              /* right-hand sides since the caller last set it */
    struct actio_contacts *contacts; /* contacts.h; NULL: there are none, and no friction and no events */
    struct actio_corner *corner;     /* corner.h; NULL: only forces have switches */
    struct actio_between *between;   /* between.h; NULL: no switch, or fields */
    struct actio_resets *resets;     /* instants.h; NULL: nothing is set at instants */
    struct actio_features *features; /* features.h: of the march under way; NULL: nobody looks for them */
    struct actio_obeyed obeys;
    struct actio_chosen chosen;
    struct actio_halt halted;
    struct actio_stiff_side stiff;
    struct actio_outside outside;
};

/* Opens with the params' values; 0, or 1 and a finding. Close a zeroed one freely. */
int actio_motion_open(struct actio_motion *motion, struct actio_context *ctx, struct actio_system *sys,
                      const double *param);
void actio_motion_close(struct actio_motion *motion);
int actio_motion_need(struct actio_motion *motion, enum actio_quantity what); /* compile and bind; 0, or 1 */
void actio_motion_disobey(struct actio_motion *motion); /* law.c: what a law has taken is given back */

const double *actio_bound_values(const struct actio_bound *b); /* at the motion's current point */
/* z', lambda and reaction at a point, into the motion's buffers. A flow status. */
int actio_motion_solve(struct actio_motion *motion, double t, const double *y);
/* After a solve: multipliers that the rows do not determine at this point (a turning point) become NAN; reactions stay
 * right. */
void actio_motion_undefined(struct actio_motion *motion);
int actio_motion_rhs(void *motion, double t, const double *y, double *dy);
int actio_motion_project(void *motion, double t, double *y);
/* the current point, however far it is; a flow status */
int actio_motion_project_far(struct actio_motion *motion, int most);
/* q only, onto the holonomic constraints */
int actio_motion_project_positions(struct actio_motion *motion, double t, double *q);
/* singular.c: the flow's answer at a singular point between two times. */
int actio_motion_singular(void *motion, double t, double before, double after, actio_dense_fn at, void *where);
/* where something is not a number, for the words: at the current point; ACTIO_FLOW_NAN */
int actio_motion_note_bad(struct actio_motion *motion);
/* Are the pivots of an elimination at the current point fit to be relied on? */
bool actio_motion_relies(struct actio_motion *motion, const double *pivot);
/* Values of the MATRIX and LEVELS kernels at a point; NULL where a formula has none. */
const double *actio_motion_values(struct actio_motion *motion, double t, const double *y);
const double *actio_motion_levels(struct actio_motion *motion, double t, const double *y);
/* From z' in the buffers: the reaction G z' - h, and the multipliers of least norm that make it up. */
int actio_motion_react(struct actio_motion *motion, double t, const double *y);
void actio_motion_watch(struct actio_motion *motion, double t, const double *y); /* notes the sign of det B there */
/* switches.c: sets modes and watched signs for a (new) start; 0, or a status: a switch that cannot settle. */
int actio_motion_begin(struct actio_motion *motion, double t, const double *y);
/* The same for a motion that goes on: modes and stances stay, what happened before is forgotten. */
int actio_motion_resume(struct actio_motion *motion, double t, const double *y);
/* modes only, without regard to where the motion goes */
void actio_motion_take_sides(struct actio_motion *motion, double t, const double *y);
/* the modes that are in force from now on; a flow status */
int actio_modes_remember(struct actio_motion *motion, double t);
/* the last of them never happened */
void actio_modes_forget(struct actio_motion *motion);
/* what flipped at a change; none at the first */
size_t actio_modes_flips(const struct actio_motion *motion, size_t change, const struct actio_mode_flip **flip);
/* Until it is checked again. */
const double *actio_motion_modes_at(const struct actio_motion *motion, double t, bool backward);
/* At an instant: values of the switching functions, and modes anew of those that have others now. A flow status. */
void actio_switches_note(struct actio_motion *motion, double t, const double *y, double *guard);
int actio_switches_reread(struct actio_motion *motion, double t, const double *y, const double *guard);
int actio_switches_jumped(struct actio_motion *m, double t, const double *y);
/* Does a switch stand on its surface, so that it may still take another side at this instant? */
bool actio_switches_on_surface(struct actio_motion *m, double t, const double *y);
/* turning.c: forces that would hold a velocity that is almost 0, and do not become smaller with it */
bool actio_motion_turns(void *motion, double t, const double *y);
/* switch_rest.c: others that rest on the surface of switch k get the modes that they have on this side of it */
void actio_switch_take_near(struct actio_motion *motion, size_t k, int side, double t, const double *y);
/* it rests, and may leave its surface at any time */
bool actio_switch_may_leave(struct actio_motion *motion, size_t k, double t, const double *y);
/* switch_history.c: the other switch whose crossings and those of k follow one another ever faster; k: there is none */
size_t actio_switches_pile(const struct actio_motion *motion, size_t k, double t);
void actio_switch_guard(void *motion, double t, const double *y, double *g); /* the flow's guard, side and crossed */
int actio_switch_side(void *motion, size_t k);
int actio_switch_crossed(void *motion, size_t k, double t, double *y);
/* For stiff steppers: makes flow.jacobian and its pattern; 0, or 1 when there is none. */
int actio_motion_jacobian(struct actio_motion *motion);

/* start.c: are the data on the manifold? Residuals by constraint against the size of their terms, and the nearest data
 * that are. */
struct actio_start_check {
    double *position, *velocity;
    bool consistent, euclidean, found;
    double *nearest;
};
/* arrays by constraint, nearest ny */
int actio_motion_check_start(struct actio_motion *motion, double t, const double *y, struct actio_start_check *out);

#endif
