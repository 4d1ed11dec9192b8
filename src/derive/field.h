/* SPDX-License-Identifier: Apache-2.0
 * A model with fields on the continuum: what multiplies the variations of its fields, of their slopes, and of values at
 * places. Inside derive/ only.
 *     integral(s, (S_0 - T_0)*du + (S_1 - T_1)*du_s + ...) + sum over places (PS - PT)*du(c) = 0
 * T are rates of momenta, S everything else; integrated by parts this gives the equations along the axis and the
 * conditions at its ends. */
#ifndef ACTIO_DERIVE_FIELD_H
#define ACTIO_DERIVE_FIELD_H

#include "derive/field_jets.h"

/* On a pointwise holonomic constraint square^2 = value; a unit: two fields' slopes on a circle of constant radius, so
 * that the next derivatives have one unknown along the normal each: `curvature` along the axis, `turning` in time. */
struct actio_field_relation {
    size_t constraint;
    uint16_t axis;
    actio_expr square, value;
    bool unit;
    uint32_t field[2];
    int order;
    /* radius: of the circle, squared; names are 0 until they are used */
    actio_expr tangent[2], radius, curvature, turning;
};

struct actio_continuum {
    struct actio_derivation *d;
    struct actio_field_jets *j;
    struct actio_pool *pool;
    struct actio_model *m;
    int K;                                 /* highest derivative along an axis in the model */
    struct actio_functional L, R, *phi;    /* phi: multiplier times constraint */
    actio_expr *left, *right, *g, *lambda; /* constraints */
    actio_expr *T, *S;                     /* by coordinate * (K + 1) + order */
    actio_expr *PT, *PS;                   /* by point */
    uint32_t points;
    struct actio_field_relation *relation;
    size_t relations;
};

/* field_form.c */
void actio_continuum_open(struct actio_derivation *d, struct actio_continuum *c);
/* density, or that of a coordinate */
actio_expr actio_continuum_momentum(struct actio_continuum *c, size_t coord, int order);
/* what stands before the variation of this order at an end */
actio_expr actio_continuum_flux(struct actio_continuum *c, const actio_expr *by_order, size_t coord, int order);
/* S_0 - d/ds S_1 + ..., written out */
actio_expr actio_continuum_sum(struct actio_continuum *c, const actio_expr *by_order, uint16_t axis);
/* the same for reading: derivatives of products stay, in *rest what has none */
actio_expr actio_continuum_shown(struct actio_continuum *c, const actio_expr *by_order, uint16_t axis,
                                 actio_expr *rest);
bool actio_is_still(struct actio_continuum *c, actio_expr e);               /* of params only */
bool actio_is_open(struct actio_continuum *c, actio_expr e, uint16_t axis); /* does it have values along the axis? */
actio_expr actio_without_rates(struct actio_continuum *c, actio_expr e);    /* accelerations 0 */
/* left = right + shown, accelerations on the left */
void actio_show_solved_for_rates(struct actio_continuum *c, actio_expr left, actio_expr right, actio_expr shown);

/* field_reduce.c */
void actio_find_field_relations(struct actio_continuum *c);
actio_expr actio_reduced(struct actio_continuum *c, actio_expr e); /* simplified on the pointwise constraints */
actio_expr actio_reduced_by_names(struct actio_continuum *c, actio_expr e); /* also by curvature and turning */
/* those that occur, with their formulas */
void actio_say_names(struct actio_continuum *c, const actio_expr *e, size_t n);
void actio_say_tension(struct actio_continuum *c);

/* field_ends.c: conditions at the ends of an axis, and at places inside. */
void actio_show_ends(struct actio_continuum *c);
/* field_multipliers.c: what a pointwise constraint's second rate says of the multipliers. */
void actio_show_field_multipliers(struct actio_continuum *c);

/* field_hamel.c: the same in quasi-velocities. */
void actio_show_field_hamel(struct actio_derivation *d);
/* field.c: chapters of a model with fields. */
extern const struct actio_chapter actio_chapter_field, actio_chapter_field_hamel;

#endif
