/* SPDX-License-Identifier: Apache-2.0
 * The numeric face of a model under one principle: all that a solver may know. In: a model, and how the principle
 * forms equations. Out: sizes, patterns and kernels. Callers: solve and later rooms. */
#ifndef ACTIO_EQUATIONS_SYSTEM_H
#define ACTIO_EQUATIONS_SYSTEM_H

#include "base/findings.h"
#include "equations/streams.h"
#include "kernel/kernel.h"

#include <math.h>

enum actio_quantity {
#define QUANTITY(name, meaning, key) ACTIO_Q_##name,
#include "equations/quantities.def"
#undef QUANTITY
    ACTIO_Q_COUNT
};

struct actio_formation; /* the formulas behind the quantities; equations/ only */

/* Sparse entries of a matrix quantity: row and column of each, in the kernel's output order. */
struct actio_places {
    const uint32_t *row, *col;
    size_t count;
};

/* The frame of Hamel's equations, xi = M q' + m0. Rows, in this order: `given` quasi-velocities of the model (those
 * that are not a constraint's row), `automatic` rows of constants that complete the frame, `kept` constraints (rates of
 * holonomic ones; redundant ones are left out).
 * Entry k of automatic row a is the HIDDEN number a*n + k: the run sets it (see actio_frame_complete), and may change
 * it at an event. */
struct actio_frame {
    const char *why_not;           /* NULL; or why such a frame does not exist, as a clause: the rest is then 0 */
    size_t given, automatic, kept; /* their sum is n */
    const uint32_t *quasi_velocity, *constraint; /* of each given and each kept row: index in the model */
    size_t hidden;                               /* numbers behind HIDDEN: automatic * n */
};

/* The dual action's first-order form x' = f(U, t), 0 = g(U, t): x = (q, v, s) are the first of U, behind them z' and
 * multipliers (or the slack of free reactions) where nothing was eliminated. What closes the motion: the system's own
 * reactions; those of a split; free ones.  [AS 13, 31,
 * 49] */
enum actio_closure { ACTIO_CLOSURE_GAUSS, ACTIO_CLOSURE_VAKONOMIC, ACTIO_CLOSURE_REDUCED, ACTIO_CLOSURE_FREE };
enum actio_dual_power { ACTIO_DUAL_ANY_POWER, ACTIO_DUAL_NO_POWER, ACTIO_DUAL_TAKES_POWER }; /* of free reactions */
struct actio_dual_choice {
    enum actio_closure closure; /* VAKONOMIC: of a system formed as such */
    bool multipliers;           /* z' and lambda as unknowns though the formulas can be eliminated */
    enum actio_dual_power power;
    const bool *bound; /* of REDUCED, by variable: which the constraints give, as many as there are constraints */
};
struct actio_first_order {
    size_t x, u, g; /* differential unknowns, all of them, algebraic equations */
    size_t base;    /* base states: of U, behind them of free reactions */
    bool implicit;  /* there are algebraic unknowns */
    bool quadratic; /* L is, in U: the way from dual to primal is one Newton step */
    /* of DUAL_POINT, once it is there; M = L_UU and C = H_UU by their lower halves */
    struct actio_places f_U, g_U, M, C;
    const char *const *name, *const *equation; /* of U, of g: x_balance, lambda.LABEL, power */
};

/* The state vector is y = (q, v, s): n coordinates, n velocities, m states. */
/* Friction of a contact or of an equality constraint (the other is UINT32_MAX), with one slip velocity or two. */
struct actio_rub {
    uint32_t contact, constraint, slip, slips;
};
/* What stands before the rows (n values each) in the CONTACT quantity: by contact, by rub, by slip. */
enum actio_gap_head {
    ACTIO_GAP_VALUE,
    ACTIO_GAP_RATE,
    ACTIO_GAP_BIAS,
    ACTIO_GAP_RESTITUTION,
    ACTIO_GAP_SCALE,
    ACTIO_GAP_SIZE,
    ACTIO_GAP_HEAD
};
enum actio_rub_head { ACTIO_RUB_SLIDING, ACTIO_RUB_STICKING, ACTIO_RUB_SCALE, ACTIO_RUB_HEAD };
enum actio_slip_head { ACTIO_SLIP_VALUE, ACTIO_SLIP_BIAS, ACTIO_SLIP_HEAD };

/* Contacts, friction and events. */
struct actio_wall_numbers {
    size_t contacts, rubs, slips, events; /* behind these numbers: a force by contact, a friction by slip */
    size_t soft;                          /* contacts that are soft walls, contacts is then 0; their width */
    double sigma;
    const struct actio_rub *rub;
    const char *const *contact, *const *event;
    const uint32_t *contact_line, *event_line;
};
/* What happens at instants: statements in the order of the text, what each sets one after the other. */
enum actio_trigger { ACTIO_ON_EVENT, ACTIO_ON_CONTACT, ACTIO_ON_CLOCK };
/* index: event, contact or clock; by target: its place in y, held values behind */
struct actio_reset {
    enum actio_trigger on;
    uint32_t index;
    size_t first, count;
    bool stops;
    const char *name; /* "when hit", "every h" */
};
struct actio_reset_numbers {
    size_t held, statements, assigns, clocks;
    const struct actio_reset *statement;
    const uint32_t *target;
    const char *const *target_name, *const *held_name;
    const bool *has_from; /* by clock: it does not begin with the interval */
    double from;          /* where clocks begin that say nothing else */
    /* by event: the direction that counts (0: either); held values stand in it; nothing else moves it */
    const signed char *way;
    const bool *of_held, *still;
};
struct actio_switch_lines {
    size_t count;
    const uint32_t *line;
    const char *const *text;    /* the switching expressions, printed */
    const char *const *written; /* their conditions, as the model has them */
    /* by switch: its mode is the whole number below the expression (floor, mod), and not its sign */
    const bool *whole;
    const bool *by_place; /* its rate is known without accelerations and rates of states */
    const bool *nested;   /* other switches stand in its expression */
    const bool *by_time;  /* its expression depends on time only */
};
struct actio_elimination {
    bool symbolic; /* RHS and SOLVE exist: eliminated on the formulas; else only MATRIX */
    /* extra outputs of RHS: pairs (value, reference), values whose sign counts, plain values */
    size_t pivots, pivot_pairs, pivot_signs;
};
struct actio_traits {
    bool ballistic; /* z' depends on params only, and there are no constraints */
    bool symmetric; /* D = A, G symmetric by construction */
    bool curved;    /* rows of constraints depend on velocities: they may vanish where a velocity turns round */
    bool servo;     /* fields: a reaction acts otherwise than its constraint restricts */
    /* constraints are redundant, POINTS and JETS: HIDDEN number k (constraints, then position residuals) is 1 where
     * that residual depends on the others; its multiplier is then 0 */
    bool droppable;
    bool cornered; /* switches stand in the Lagrangian or in constraints: velocities may jump */
    bool rooted;   /* they stand under roots and fractional powers */
    bool jumping;  /* switches stand in constraints */
    bool switched; /* they stand in velocity terms of constraints: the rank of the rows may change */
    bool plain;    /* reactions are along gradients, and multipliers are not states: corners have formulas */
};
/* Where the derivatives of quantities stand. */
struct actio_jet_places {
    /* of JETS: rows (L_v, force, residuals, and velocities where there are holonomic constraints); columns (q, s), then
     * (u, s', lambda, mu), u = q' without GGL's part */
    struct actio_places points;
    struct actio_places params; /* of PARAM_JETS: the same rows by param */
    const uint32_t *observed;   /* columns behind OBSERVED: set before it is requested */
    size_t observes;
    struct actio_places curvature; /* of CURVATURE: places in the order of DENSITY's derivatives, row >= column */
    /* of the quantities of these names: columns are those of y */
    struct actio_places tangent, equations_y, levels_y, guards_y;
    struct actio_places resets_y; /* columns: those of y, then time, then held values */
    struct actio_places rhs_y;    /* rows of z', columns of y */
    struct actio_places rates_y;  /* the same; columns: those of y, then time */
    struct actio_places corner;   /* of CORNER: rows are switches, columns q, then v */
};
struct actio_field_numbers {
    const struct actio_streams *stream[ACTIO_Q_COUNT]; /* as `kernel`, of a system with fields */
    const struct actio_axis_numbers *axis;             /* of its fields; none: a system without */
    size_t axes;
    /* by variable and by constraint of the model: number of the coordinate at node 0, of the first row */
    const size_t *base, *row;
    const uint32_t *beyond; /* by variable: values before its first node, and behind its last */
    /* coordinates beyond an end that follow from the others; whether by velocities */
    size_t slaves;
    const size_t *slave;
    const bool *slave_is_rate;
    const char *const *rate_name; /* of their rates */
    bool partial;                 /* EQUATIONS_Y, once it is there: integrals in the equations are taken as constants */
};
/* Numbers in a row of output: `columns`. What they are: one each, or with fields one for each name, `named` of
 * them: `width` numbers from `first` on, at the nodes (half 0) or cells (half 1) of an axis; axis 0: one number.
 * See actio_system_column. */
struct actio_output_row {
    const struct actio_system_column {
        const char *name, *unit, *meaning;
        int role;
        size_t first, width;
        uint16_t axis;
        uint8_t half;
    } * column;
    size_t columns, named;
};

struct actio_system {
    struct actio_context *ctx;
    size_t n, m, p; /* coordinates, states, constraints (hidden ones last) */
    size_t hidden;  /* constraints that follow from the others: rows without a multiplier */
    /* numbers behind the multipliers: the power of each reaction, where a law knows it and no formula does */
    size_t powers;
    struct actio_wall_numbers walls;
    size_t holonomic, levels; /* position residuals; velocity residuals (holonomic rates among them) */
    /* by velocity residual, of those with switches: between them it is the rate of a function of positions; NULL:
     * none */
    const bool *integrable;
    const uint32_t *position_row, *velocity_row; /* constraint behind each position, velocity residual */
    size_t params;                               /* numbers behind PARAM */
    size_t externals;                            /* numbers behind EXTERNAL */
    struct actio_switch_lines switches;
    struct actio_reset_numbers resets;
    struct actio_places G, A, D, F; /* (n+m)x(n+m), p x (n+m), p x (n+m), holonomic x n */
    /* rows of d(phi)/d(v, s) = rows of A by velocity residual: row = residual, col = entry of A */
    struct actio_places level_rows;
    struct actio_elimination solved;
    struct actio_traits is;
    struct actio_jet_places jets;
    const struct actio_kernel *kernel[ACTIO_Q_COUNT]; /* NULL until requested */
    struct actio_field_numbers field;
    const struct actio_frame *frame;             /* NULL until actio_system_frame */
    const struct actio_first_order *first_order; /* NULL until actio_system_dual */
    struct actio_output_row output;
    const char *const *variable;   /* names of coordinates, then states; of a field its own for each node */
    const char *const *constraint; /* labels */
    const uint32_t *constraint_line;
    struct actio_formation *formation;
};

/* numbers in the LAMBDA space */
static inline size_t actio_system_reported(const struct actio_system *sys)
{
    return sys->p + sys->powers + sys->walls.contacts + sys->walls.slips;
}
/* in the GAPS quantity */
static inline size_t actio_first_event(const struct actio_system *sys) { return sys->walls.contacts + sys->walls.soft; }
/* Branches, then held values: what changes at instants only. */
static inline size_t actio_system_modes(const struct actio_system *sys)
{
    return sys->switches.count + sys->resets.held;
}
static inline size_t actio_force_slot(const struct actio_system *sys, size_t contact)
{
    return sys->p + sys->powers + contact;
}
static inline size_t actio_friction_slot(const struct actio_system *sys, size_t slip)
{
    return sys->p + sys->powers + sys->walls.contacts + slip;
}

/* Has it a whole number below it that differs from its neighbours? Where not, floor has no value here. */
static inline bool actio_is_countable(double guard) { return fabs(guard) < 0x1p52; }

/* The mode of switch k where its guard has this value; on a surface of signs it is `there`. */
static inline double actio_mode_at(const struct actio_system *sys, size_t k, double guard, double there)
{
    if (sys->switches.whole[k]) return actio_is_countable(guard) ? floor(guard) : NAN;
    return guard > 0 ? 1 : guard < 0 ? -1 : there;
}

struct actio_model;
typedef struct actio_system *(*actio_form_fn)(struct actio_context *ctx, struct actio_model *model);
/* Forms a model's equations; NULL and a finding when that is over a limit. The model must outlive the system. */
struct actio_system *actio_system_form(struct actio_context *ctx, struct actio_model *model, actio_form_fn form);
/* Lagrange-d'Alembert of a model with fields */
struct actio_system *actio_form_fields(struct actio_context *ctx, struct actio_model *model);
struct actio_system *actio_form_dalembert(struct actio_context *ctx, struct actio_model *model);
struct actio_system *actio_form_vakonomic(struct actio_context *ctx, struct actio_model *model);
/* the parts of an action only: no equations, no columns */
struct actio_system *actio_form_action(struct actio_context *ctx, struct actio_model *model);
struct actio_system *actio_form_reduced(struct actio_context *ctx, struct actio_model *model);

/* The frame with rows that are independent at this state (y NULL: the model's start data); chosen once, before the
 * FRAME quantity is requested for. Numbers: params as the model has them. NULL and a finding when that is over a limit;
 * look at why_not. */
const struct actio_frame *actio_system_frame(struct actio_system *sys, double t, const double *y);

/* The first-order form behind DUAL_POINT, once, before that is requested; 0, or 1 and a finding. */
int actio_system_dual(struct actio_system *sys, const struct actio_dual_choice *choice);

/* Says whether constraints are redundant, before points.h opens anything on the system: see droppable. */
void actio_system_droppable(struct actio_system *sys, bool droppable);
/* what number c of a row belongs to */
const struct actio_system_column *actio_system_column(const struct actio_system *sys, size_t c);
/* Compiles what is missing; 0, or 1 and a finding. Never called in a step. */
int actio_system_need(struct actio_system *sys, enum actio_quantity what);
/* All kernels made so far through a native compiler, if `evals` evaluations pay for it. */
void actio_system_native(struct actio_system *sys, double evals);
/* The expression behind a node that a kernel located, as text in the system's names; lives as long as the system. */
const char *actio_system_text(struct actio_system *sys, uint32_t node);
void actio_system_free(struct actio_system *sys);

#endif
