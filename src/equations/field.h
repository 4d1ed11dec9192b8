/* SPDX-License-Identifier: Apache-2.0
 * Fields made into lanes: every formula of a model with fields is a formula of one node or one cell and its neighbours,
 * the same for all of them, or a formula of single places. Lists here are short whatever the number of nodes; what is
 * long are streams, and they are numbers only.  [HAMEL E] */
#ifndef ACTIO_EQUATIONS_FIELD_H
#define ACTIO_EQUATIONS_FIELD_H

#include "equations/formation.h"
#include "equations/streams.h"

/* A coordinate as the lanes of a patch see it: number `at` in lane 0; `moves`: the next one in the next lane. */
struct actio_local {
    actio_expr q, v, acc;
    size_t at;
    bool moves;
};

/* Nodes (half 0) or cells (half 1) of an axis, or the one lane of everything that stands at single places (axis 0).
 * Densities are without weight. */
struct actio_patch {
    uint16_t axis;
    uint8_t half;
    size_t lanes;
    actio_expr weight;
    /* what L is differentiated through; what it is worth (functions of integrals stand at the point) */
    actio_expr L, value;
    actio_expr R; /* dissipation */
    struct actio_local *x;
    size_t xs;
    uint32_t xs_cap;
    actio_expr *Lq, *Lv, *force, *h; /* by x; force: of all statements, dissipation's included */
    struct actio_entries W;          /* by x and x */
};

/* e: with its weight; density: without, where it is one; rate: 1 + the sum that is its drift */
struct actio_sum {
    uint16_t axis;
    uint8_t half;
    actio_expr e, density;
    uint32_t rate;
    unsigned level;
};
/* e at the cells; level, of sums too: how many of them it is made of, one of another */
struct actio_running {
    uint16_t axis;
    actio_expr e;
    unsigned level;
};
/* A force density, or a force at places: on local x of a patch. */
struct actio_push {
    uint32_t force, patch, x;
    actio_expr e;
};
/* A constraint at work: on one patch; `first` of its rows. g as written, level as velocities see it; rows are these
 * times the weight. */
struct actio_line {
    uint32_t patch, first;
    size_t position, velocity;
    actio_expr g, level, c;
    struct actio_entries A, D, F;
};
/* A value beyond an end that nothing moves and nothing holds: its equation is its natural condition N(q) = 0. */
/* rate: N' with accelerations left out, or N itself where it is made of velocities; rest: what its own rate has beside
 * them */
struct actio_slave {
    size_t at;
    actio_expr N, rate, rest;
    bool is_rate;
};

/* An entry of a matrix that lanes of a patch make: row and column in lane 0, and whether they move on; `at` in the list
 * of entries. */
struct actio_part_entry {
    uint32_t patch;
    bool row_moves, col_moves;
    size_t row, col, at;
    actio_expr e;
};
struct actio_layout {
    struct actio_part_entry *part;
    uint32_t parts, cap;
    size_t count;
};

struct actio_fields {
    struct actio_formation *F;
    /* behind a pointer, so that the action links without it */
    struct actio_streams *(*streams)(struct actio_formation *F, enum actio_quantity what);
    size_t *base; /* by variable: number of node 0 (of the coordinate itself), values beyond the ends */
    unsigned *left, *right;
    struct actio_patch *patch; /* the point first; nodes and cells of axis a at 2a - 1, 2a */
    size_t patches;
    struct actio_sum *sum;
    uint32_t sums, sums_cap;
    struct actio_running *run;
    uint32_t runs, runs_cap;
    struct actio_push *push;
    uint32_t pushes, pushes_cap;
    struct actio_line *line; /* by constraint of the model */
    struct actio_slave *slave;
    uint32_t slaves, slaves_cap;
    actio_expr *frozen; /* behind FROZEN: what L changes by where an integral does */
    uint32_t frozens, frozens_cap;
    /* of the matrices; tangent, jets: of EQUATIONS_Y and JETS, once requested */
    struct actio_layout G, A, D, holonomic, tangent, jets;
    struct actio_field_column {
        uint32_t patch;
        actio_expr e;
    } * column;                   /* by named column of the system */
    struct actio_kernel **kernel; /* all that were compiled: freed with the system */
    uint32_t kernels, kernels_cap;
    int tilt;   /* of the model, while velocity constraints are placed */
    int nested; /* integrals within integrals, on the way */
    /* by axis: 1 over the distance of nodes, a formula of params: lanes multiply where they would divide */
    actio_expr *per_step;
};

/* place.c: formulas of the model at a node or a cell, at a place, once. Halves count from the lane's own: 0 at it, 1
 * half a cell further. */
/* derivatives by the axis, one within another; of the model's formula */
int actio_place_depth(struct actio_fields *w, actio_expr e);
uint8_t actio_place_half(struct actio_fields *w, actio_expr e); /* 0: it lives at nodes; 1: at cells */
actio_expr actio_place_local(struct actio_fields *w, actio_expr e, uint16_t axis, int half);
actio_expr actio_place_point(struct actio_fields *w, actio_expr e);
/* of a lane only */
actio_expr actio_place_pin(struct actio_fields *w, actio_expr local, const struct actio_patch *p, long lane);
/* first and last lane that has all its neighbours */
void actio_place_reach(struct actio_fields *w, actio_expr local, const struct actio_patch *p, long *low, long *high);
void actio_place_interpolate(const struct actio_model *m, uint16_t axis, double place, uint8_t half, long low,
                             long high, long *lane, double *theta);
/* e: of the model's pool */
typedef void actio_part_fn(struct actio_fields *w, actio_expr e, uint8_t half, void *user);
/* at its top-level + and - */
void actio_place_split(struct actio_fields *w, actio_expr density, uint16_t axis, actio_part_fn *part, void *user);
/* its number; equal ones once */
uint32_t actio_field_sum(struct actio_fields *w, uint16_t axis, uint8_t half, actio_expr e);
static inline struct actio_patch *actio_patch_of(struct actio_fields *w, uint16_t axis, uint8_t half)
{
    return &w->patch[axis ? 2 * axis - 1 + half : 0];
}

/* A structural zero stays one. */
static inline actio_expr actio_field_times(struct actio_fields *w, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(&w->F->pool, a, b);
}

/* The multiplier of a constraint as the lanes of its patch see it. */
static inline actio_expr actio_field_multiplier(struct actio_fields *w, size_t constraint)
{
    const struct actio_line *l = &w->line[constraint];
    uint16_t axis = w->patch[l->patch].axis;
    return actio_symbol_at(
        &w->F->pool,
        (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = axis, .index = axis ? (uint32_t)constraint : l->first });
}

/* field.c */
/* along the motion, velocities frozen: q' = v, t' = 1 */
void actio_field_drift(struct actio_fields *w, const actio_expr *f, size_t count, actio_expr *out);
/* place among p->x; taken in where it is new */
size_t actio_local_of(struct actio_fields *w, struct actio_patch *p, actio_slot slot);
unsigned actio_field_level(struct actio_fields *w, actio_expr e);
actio_expr actio_field_sum_rate(struct actio_fields *w, uint32_t sum); /* the symbol of its drift */

/* those that a formula has in it, into p->x */
void actio_field_take_locals(struct actio_fields *w, struct actio_patch *p, actio_expr e);

/* field_constraints.c: w->line, and its rows */
void actio_field_constraints(struct actio_fields *w);
/* its reaction; by `acting`, or on all */
bool actio_field_acts_on(const struct actio_fields *w, const struct actio_constraint *c, const struct actio_local *x);
/* field_ends.c: w->slave */
void actio_field_ends(struct actio_fields *w);
/* field_sums.c */
/* whether e has a sum in it that changes with the motion (with its rates) */
bool actio_field_moves_within(struct actio_fields *w, actio_expr e, bool rates_only);
void actio_field_refuse_within(struct actio_fields *w, bool is_dissipation);
void actio_field_refuse_depth(struct actio_fields *w); /* these identify the statement that is most likely meant */
void actio_field_refuse_pinned(struct actio_fields *w);
actio_expr actio_field_at_rest(struct actio_fields *w, actio_expr g); /* where accelerations are 0 */

/* layout.c: entries of the matrices in stripes; their places to the system. */
void actio_field_layout(struct actio_fields *w);
/* gives the parts their places */
struct actio_places actio_field_places(struct actio_fields *w, struct actio_layout *l);
/* field_list.c: quantities as streams. */
struct actio_emit {
    uint32_t patch;
    long first, last;
    actio_expr e;
    struct actio_stream to;
};
struct actio_emits {
    struct actio_fields *w;
    struct actio_emit *at;
    uint32_t count, cap;
    size_t values;
};
void actio_emit(struct actio_emits *l, uint32_t patch, actio_expr e, size_t at, bool moves);
void actio_emit_entries(struct actio_emits *l, const struct actio_layout *of, size_t from);
void actio_field_list_tangent(struct actio_emits *l); /* field_tangent.c: EQUATIONS_Y */
void actio_field_list_points(struct actio_emits *l);  /* field_points.c: POINTS, JETS */
void actio_field_list_jets(struct actio_emits *l);
/* field_tension.c: TENSION, PULL; nothing where the system is not of that kind */
void actio_field_list_tension(struct actio_emits *l);
void actio_field_list_pull(struct actio_emits *l);
struct actio_streams *actio_emit_streams(struct actio_emits *l);
struct actio_streams *actio_field_streams(struct actio_formation *F, enum actio_quantity what);
/* field_columns.c */
void actio_field_columns(struct actio_fields *w);
void actio_field_outputs(struct actio_emits *l, bool sizes); /* sizes: of the terms of columns that are sums */

#endif
