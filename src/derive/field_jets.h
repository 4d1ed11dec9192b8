/* SPDX-License-Identifier: Apache-2.0
 * Formulas of the continuum: a field and its derivatives along the axis are symbols of their own (jets), values at a
 * place too, and integrals stand behind symbols, so that every derivative is one of ordinary formulas. Inside derive/
 * only. */
#ifndef ACTIO_DERIVE_FIELD_JETS_H
#define ACTIO_DERIVE_FIELD_JETS_H

#include "derive/derive.h"

/* The k-th derivative of a field along its axis is its symbol with offset k. A value at a place has no axis and an
 * index from POINT on: that of `point`.
 * Quasi-velocities and names of our own are STATE symbols (a model with fields has no states), their rates SDOT, by
 * index in `own`. */
enum { ACTIO_POINT = 1 << 24 };
/* of: of a field with space Q whatever its rates */
struct actio_jet_point {
    actio_slot of;
    actio_expr place;
    double at;
};
struct actio_opaque {
    enum actio_op op;
    uint16_t axis;
    actio_expr symbol, e, place, rate;
    bool rated;
};
struct actio_field_jets {
    struct actio_derivation *d;
    struct actio_pool *pool;
    struct actio_jet_point *point;
    uint32_t points, points_cap;
    struct actio_opaque *opaque;
    uint32_t opaques, opaques_cap;
    const char **own;
    uint32_t owns, owns_cap;
};

struct actio_field_jets *actio_field_jets_open(struct actio_derivation *d);
actio_expr actio_jet_of(struct actio_field_jets *j, actio_expr e); /* a formula of the model */
actio_expr actio_jet(struct actio_field_jets *j, enum actio_space space, uint32_t coord, int order);
/* a quasi-velocity or another name */
actio_expr actio_jet_own(struct actio_field_jets *j, const char *name, uint16_t axis);
int actio_jet_order(struct actio_field_jets *j); /* of the highest jet of a field made so far */

/* total derivative along the axis */
actio_expr actio_jet_next(struct actio_field_jets *j, actio_expr e, uint16_t axis);
actio_expr actio_jet_rate(struct actio_field_jets *j, actio_expr e); /* total derivative by time */
actio_expr actio_jet_at(struct actio_field_jets *j, actio_expr e, uint16_t axis, actio_expr place);
uint32_t actio_jet_point(struct actio_field_jets *j, actio_slot of, actio_expr place); /* its number */
actio_expr actio_jet_point_symbol(struct actio_field_jets *j, uint32_t point, enum actio_space space);
actio_expr actio_jet_integral(struct actio_field_jets *j, actio_expr e, uint16_t axis);
actio_expr actio_jet_shown(struct actio_field_jets *j, actio_expr e); /* integrals as they are written */

/* f with the weight of each integral in it: df = f_y dy + sum of integral(w*de). */
struct actio_functional {
    actio_expr f, *w;
    uint32_t n;
};
struct actio_functional actio_functional_of(struct actio_field_jets *j, actio_expr f);
actio_expr actio_functional_density(struct actio_field_jets *j, const struct actio_functional *f, uint16_t axis,
                                    actio_expr jet);
/* by what is not a jet */
actio_expr actio_functional_by(struct actio_field_jets *j, const struct actio_functional *f, actio_expr symbol);

/* Names; false for symbols that are none of theirs. */
bool actio_jet_text(struct actio_field_jets *j, actio_slot slot, struct actio_text *out);
bool actio_jet_latex(struct actio_field_jets *j, actio_slot slot, struct actio_text *out);

#endif
