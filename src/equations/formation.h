/* SPDX-License-Identifier: Apache-2.0
 * The formulas of a system, shared by the files of equations/. Lives in a pool of its own, dropped with the system. */
#ifndef ACTIO_EQUATIONS_FORMATION_H
#define ACTIO_EQUATIONS_FORMATION_H

#include "equations/system.h"
#include "expr/expr.h"
#include "kernel/compile.h"
#include "model/model.h"

/* A row of a frame: coef . q' + rest. Index: quasi-velocity, automatic row or constraint; alias: 1 + the quasi-velocity
 * that is this constraint's row. */
enum actio_frame_kind { ACTIO_FRAME_GIVEN, ACTIO_FRAME_AUTOMATIC, ACTIO_FRAME_CONSTRAINT };
struct actio_frame_row {
    enum actio_frame_kind kind;
    uint32_t index, alias;
    actio_expr *coef, rest;
};

struct actio_gap {
    actio_expr e, rate, bias, restitution, scale, *row;
}; /* scale: force = multiplier * scale */
struct actio_slip {
    actio_expr e, bias, *row;
};
/* dual.c: x' = f(U, t), 0 = g(U, t), and the pre-dual Lagrangian L = -rate.x - D.f + mu.g + H(U, base, t); x are the
 * first of U.  [AS 22] */
struct actio_dual_formulas {
    size_t x, u, equations;
    actio_expr *U, *f, *g, *D, *rate, *mu, *base, H, L;
    /* free reactions R(U), or NULL, and of which rows; weights by (U, R); H without its squares of R */
    actio_expr *reaction, *weight, own;
    bool *is_free;
    /* of DUAL_POINT: behind a pointer, so that the action links without it */
    size_t (*list)(struct actio_formation *F, actio_expr **out);
};

struct actio_rubbing {
    actio_expr coefficient, stick, scale;
};

/* z = (v, s), zdot = (acc, sdot) */
struct actio_symbols {
    actio_expr *q, *v, *s, *acc, *sdot, *z, *zdot, *lambda, *reaction, time;
};
/* mu s' = S, row by state. */
struct actio_flow_formulas {
    struct actio_entries mu;
    actio_expr *S;
    uint32_t *of, *rival; /* of each state: its flow; a state that has as good a claim to it, or itself */
};
/* By elimination, when sys.solved.symbolic; steps of projection. */
struct actio_solved_formulas {
    actio_expr *zdot, *lambda, *pivot, *step_q, *step_z;
};
/* of: by guard, see switches.c */
struct actio_mode_formulas {
    actio_expr *guard;
    bool *whole;
    uint32_t *origin, made_of; /* node of the model that each was made of, 0 = none; that of the one in hand */
    uint32_t *of;
    size_t of_count;
    bool none_new; /* only switches that the motion has are frozen: columns */
};
struct actio_wall_formulas {
    size_t soft_rubs;     /* of soft walls: they stand before those of constraints */
    actio_expr potential; /* of soft walls */
    struct actio_gap *gap;
    struct actio_slip *slip;
    struct actio_rub *rub;
    struct actio_rubbing *rubbing;
    actio_expr *event;
};

/* G z' - D' lambda = h,  A z' = c  with z = (v, s); f = 0 on positions, phi = 0 on velocities and states. */
struct actio_formation {
    struct actio_system sys;
    struct actio_arena arena;
    struct actio_pool pool;
    struct actio_model *model;
    struct actio_kernel *kernel[ACTIO_Q_COUNT];

    size_t n, m, N, p;
    struct actio_symbols sym;
    /* force: per named force * n + i; total on each coordinate, dissipation included */
    actio_expr L, *Lq, *Lv, *force, *total_force;
    struct actio_flow_formulas flow;
    /* constraints; residuals of position and velocity level; phi by constraint, 0 for those on accelerations */
    actio_expr *g, *f, *phi, *level;
    actio_expr *h, *c; /* right sides */
    struct actio_entries G, A, D, F;
    struct actio_solved_formulas solved;
    struct actio_mode_formulas modes;
    struct actio_wall_formulas walls;
    struct actio_frame_row *frame; /* n rows, once sys.frame is there and has no why_not */
    actio_expr *column;
    size_t listed;              /* constraints that columns speak of; p unless the system has taken them in */
    struct actio_fields *field; /* field.h; NULL without fields: then there are kernels */
    struct actio_streams *stream[ACTIO_Q_COUNT];
    struct actio_dual_formulas *dual; /* once requested */
    actio_expr *power;                /* of each, where it is not lambda D v */
};

/* system.c */
/* empty, with its pool */
struct actio_formation *actio_formation_open(struct actio_context *ctx, struct actio_model *model);

/* for actio_value_of: params and start data; 1 for switches */
double actio_start_value(void *model, actio_slot slot);
actio_expr actio_size_of_terms(struct actio_formation *F, actio_expr e); /* of the terms of a sum */
void actio_form_switch_lines(struct actio_formation *F); /* switch_lines.c: after the names of switches */
/* size of the terms all the way down: what rounding in e is to be compared with */
actio_expr actio_size_inside(struct actio_formation *F, actio_expr e);
/* The MATRIX quantity's formulas, in its order; returns how many. */
size_t actio_list_matrix(struct actio_formation *F, actio_expr *out);

/* parts.c: what a model is made of; no equation is formed. */
struct actio_formation *actio_form_parts(struct actio_context *ctx, struct actio_model *model);
/* flows.c: mu s' = S; then, when the reactions are there: escapes, with a finding, where it is open whose flow a
 * reaction enters. */
void actio_form_flows(struct actio_formation *F);
void actio_check_flows(struct actio_formation *F);
/* dalembert.c: the equations without what is made of them (places, elimination, columns); names are there. */
struct actio_formation *actio_form_equations(struct actio_context *ctx, struct actio_model *model);
/* Along the motion with velocities and states frozen (q' = v, t' = 1); patterns of the matrices for the numeric side.
 * */
void actio_drift_rates(struct actio_formation *F, const actio_expr *f, size_t count, actio_expr *out);
void actio_form_places(struct actio_formation *F);
struct actio_places actio_places_of(struct actio_formation *F, const struct actio_entries *e);
/* hidden.c: before anything is compiled; `text` names each. */
void actio_add_hidden(struct actio_formation *F, const actio_expr *e, const char *const *text, const bool *is_position,
                      size_t count);

/* switches.c: copies expressions from the model's pool; every switch on the way becomes a MODE symbol. */
void actio_copy_switched(struct actio_formation *F, const actio_expr *from, size_t count, actio_expr *to);
/* The same for a column: switches that the motion does not have stay as they are. */
void actio_copy_column(struct actio_formation *F, const actio_expr *from, size_t count, actio_expr *to);
/* eliminate.c: fills the solved quantities when the structure is worth it. */
void actio_eliminate(struct actio_formation *F);
/* frame.c: what actio_system_frame does, inside of a building stage; the FRAME quantity's formulas in its order, how
 * many (0: no frame). */
void actio_form_frame(struct actio_formation *F, double t, const double *y);
size_t actio_list_frame(struct actio_formation *F, actio_expr **out);
/* escapes, with a finding, when quasi-velocities are dependent at the start */
void actio_check_frame(struct actio_formation *F);
/* gibbs.c: the energy of accelerations S(q, q', q'', s, s', t); the forces dS/dq'' is equal to without constraints; the
 * GIBBS quantity's formulas. */
actio_expr actio_gibbs_function(struct actio_formation *F);
void actio_gibbs_forces(struct actio_formation *F, actio_expr *Q);
size_t actio_list_gibbs(struct actio_formation *F, actio_expr **out);
/* soft.c: walls as potentials and friction as forces, before L is differentiated; what they push with, for the columns.
 * */
void actio_soften(struct actio_formation *F);
actio_expr actio_soft_force(struct actio_formation *F, size_t contact);
actio_expr actio_soft_friction(struct actio_formation *F, size_t rub);
/* contact.c: gaps, slips, coefficients; the formulas of the GAPS and CONTACT quantities in their order, how many. */
void actio_form_contacts(struct actio_formation *F);
void actio_form_integrable(struct actio_formation *F); /* integrable.c */
size_t actio_list_gaps(struct actio_formation *F, actio_expr **out);
size_t actio_list_contacts(struct actio_formation *F, actio_expr **out);
/* instants.c: held values, when and every; the INSTANTS quantity's formulas, how many. */
void actio_form_instants(struct actio_formation *F);
size_t actio_list_instants(struct actio_formation *F, actio_expr **out);
/* action.c: the POINTS quantity's formulas, with the derivatives' entries behind them or without; how many. */
size_t actio_list_points(struct actio_formation *F, bool jets, actio_expr **out);
actio_expr *actio_action_reactions(struct actio_formation *F); /* D'lambda on the variables */
/* v in terms of u, whose symbols are those of v: u - f_q' mu */
actio_expr *actio_action_velocities(struct actio_formation *F);
/* doubled.c: the formulas of the DENSITY and CURVATURE quantities in their order, how many. */
size_t actio_list_density(struct actio_formation *F, actio_expr **out);
size_t actio_list_curvature(struct actio_formation *F, actio_expr **out);
/* sensitivity.c: formulas of the quantities of these names, how many. */
size_t actio_list_param_jets(struct actio_formation *F, actio_expr **out);
size_t actio_list_observed(struct actio_formation *F, actio_expr **out);
size_t actio_list_multiplier_gradient(struct actio_formation *F, actio_expr **out);
/* dual.c: the first-order form and the dual action's formulas, once (choice: system.h), with the list of the DUAL_POINT
 * quantity's. */
struct actio_dual_formulas *actio_form_dual(struct actio_formation *F, const struct actio_dual_choice *choice);
/* tangent.c: likewise. */
size_t actio_list_tangent(struct actio_formation *F, actio_expr **out);
size_t actio_list_along(struct actio_formation *F, actio_expr **out);
size_t actio_list_equations_along(struct actio_formation *F, actio_expr **out);
size_t actio_list_equations_y(struct actio_formation *F, actio_expr **out);
size_t actio_list_levels_y(struct actio_formation *F, actio_expr **out);
size_t actio_list_guards_y(struct actio_formation *F, actio_expr **out);
size_t actio_list_resets_y(struct actio_formation *F, actio_expr **out);
/* columns.c */
void actio_form_columns(struct actio_formation *F);

static inline void *actio_form_array(struct actio_formation *F, size_t count, size_t size)
{
    return actio_arena_array(&F->arena, count + 1, size);
}

#endif
