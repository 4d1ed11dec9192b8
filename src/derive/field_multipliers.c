/* SPDX-License-Identifier: Apache-2.0
 * Multipliers of pointwise constraints: the constraint's rates with the accelerations that the equations of motion
 * give, an equation for the multipliers along the axis. For a string lambda_ss - kappa^2*lambda = ..., its tension.
 * [HAMEL B.1] */
#include "derive/field.h"
#include "expr/normal.h"

enum { LONG = 500 }; /* operations of an equation worth reading */

static void *field_multipliers_array(struct actio_continuum *c, size_t n)
{
    return actio_form_array(c->d->F, n, sizeof(actio_expr));
}

/* rho*u'' = all else, rho constant: u''. */
static bool acceleration(struct actio_continuum *c, uint32_t i, actio_expr *a)
{
    size_t orders = (size_t)c->K + 1;
    uint16_t axis = c->m->coord[i].axis;
    actio_expr T = c->T[i * orders], ddot = actio_jet(c->j, ACTIO_SPACE_ACC, i, 0),
               rho = actio_tidy(c->d, actio_diff(c->pool, T, ddot));
    for (size_t k = 1; k < orders; k++)
        if (!actio_is_zero(c->T[i * orders + k])) return false;
    if (actio_is_zero(rho) || !actio_is_still(c, rho)) return false;
    actio_expr rest = actio_substitute(c->pool, T, &ddot, &(actio_expr){ 0 }, 1);
    if (actio_uses(c->pool, rest, ACTIO_SPACE_ACC)) return false;
    *a = actio_sub(c->pool, actio_continuum_sum(c, &c->S[i * orders], axis), rest);
    *a = actio_tidy(c->d, actio_div(c->pool, *a, rho));
    return true;
}

/* Accelerations of fields, and their derivatives along the axis, by the equations of motion. */
static bool put_accelerations(struct actio_continuum *c, actio_expr *e)
{
    for (uint32_t i = 0; i < c->m->coords; i++) {
        actio_expr a;
        bool known = c->m->coord[i].axis && acceleration(c, i, &a);
        for (int k = 0; c->m->coord[i].axis && k <= c->K + 1; k++) {
            actio_expr ddot = actio_jet(c->j, ACTIO_SPACE_ACC, i, k);
            if (actio_uses_symbol(c->pool, *e, ddot) && !known) return false;
            if (known) *e = actio_substitute(c->pool, *e, &ddot, &a, 1);
            if (known) a = actio_jet_next(c->j, a, c->m->coord[i].axis);
        }
    }
    return true;
}

static actio_expr without_multipliers(struct actio_continuum *c, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(c->pool, &e, 1);
    actio_expr *from = field_multipliers_array(c, cone.count), *to = field_multipliers_array(c, cone.count);
    size_t n = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (c->pool->node[cone.id[i]].op == ACTIO_SYMBOL
            && c->pool->slot[c->pool->node[cone.id[i]].a].space == ACTIO_SPACE_LAMBDA)
            from[n++] = (actio_expr){ cone.id[i] };
    return actio_substitute(c->pool, e, from, to, n);
}

static bool equation(struct actio_continuum *c, size_t k, actio_expr *e)
{
    const struct actio_constraint *con = &c->m->constraint[k];
    *e = c->g[k];
    if (con->kind != ACTIO_ACCELERATION) *e = actio_jet_rate(c->j, *e);
    if (con->kind == ACTIO_HOLONOMIC) *e = actio_jet_rate(c->j, *e);
    if (actio_uses(c->pool, *e, ACTIO_SPACE_HIDDEN) || !put_accelerations(c, e)) return false;
    *e = actio_reduced_by_names(c, *e);
    return actio_tidy_size(c->d, *e) <= LONG;
}

/* The highest derivative of the constraint's own multiplier with the factor 1, where it has a constant one. */
static actio_expr field_multipliers_scaled(struct actio_continuum *c, size_t k, actio_expr e)
{
    actio_slot own = { .space = ACTIO_SPACE_LAMBDA, .axis = c->m->constraint[k].axis, .index = (uint32_t)k };
    for (int order = 2 * c->K + 2; order >= 0; order--) {
        own.offset = (int8_t)order;
        actio_expr factor = actio_diff(c->pool, e, actio_symbol_at(c->pool, own));
        if (actio_is_zero(factor)) continue;
        factor = actio_tidy(c->d, factor);
        return actio_is_still(c, factor) ? actio_tidy(c->d, actio_div(c->pool, e, factor))
                                         : actio_equation_form(c->pool, e);
    }
    return actio_equation_form(c->pool, e);
}

void actio_show_field_multipliers(struct actio_continuum *c)
{
    actio_expr *shown = field_multipliers_array(c, c->m->constraints);
    size_t n = 0;
    for (size_t k = 0; k < c->m->constraints; k++) {
        actio_expr e;
        if (!c->m->constraint[k].axis || !equation(c, k, &e) || !actio_uses(c->pool, e, ACTIO_SPACE_LAMBDA)) continue;
        e = shown[n++] = field_multipliers_scaled(c, k, e);
        actio_expr rest = without_multipliers(c, e), left = actio_tidy(c->d, actio_sub(c->pool, e, rest)),
                   right = actio_tidy(c->d, actio_neg(c->pool, rest));
        actio_shown_equation(c->d, NULL, actio_jet_shown(c->j, left),
                             actio_jet_shown(c->j, actio_group(c->pool, right)));
    }
    actio_say_names(c, shown, n);
    actio_say_tension(c);
}
