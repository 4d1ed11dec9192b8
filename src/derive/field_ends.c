/* SPDX-License-Identifier: Apache-2.0
 * Conditions at the ends of an axis: what integration by parts leaves there, with point masses, forces and reactions
 * that act there.
 * An end that nothing holds has its natural condition: lambda*dg/du_s = 0 for every field of a constraint on slopes is
 * lambda = 0.  [SBZB 2.14] */
#include "derive/field.h"
#include "derive/square.h"
#include "expr/normal.h"

#include <math.h>

struct ending {
    struct actio_continuum *c;
    uint16_t axis;
    actio_expr place;
    double at;
    actio_expr *natural; /* left sides of conditions = 0, along the axis: not yet at the place */
    size_t naturals;
};

static bool is_here(const struct ending *e, uint32_t point)
{
    const struct actio_jet_point *p = &e->c->j->point[point];
    return p->of.axis == e->axis && fabs(p->at - e->at) <= 1e-12 * (1 + fabs(e->at));
}

/* The value here of a field's derivative, where something of the model speaks of it; UINT32_MAX without. */
static uint32_t point_of(const struct ending *e, uint32_t coord, int order)
{
    for (uint32_t p = 0; p < e->c->points; p++)
        if (is_here(e, p) && e->c->j->point[p].of.space == ACTIO_SPACE_Q && e->c->j->point[p].of.index == coord
            && e->c->j->point[p].of.offset == order)
            return p;
    return UINT32_MAX;
}

/* ---- one condition */

/* The multiplier that a condition determines: the only one of a constraint at a place, with a constant factor. */
static bool solve_for_multiplier(struct actio_continuum *c, actio_expr e, actio_expr *lambda, actio_expr *value)
{
    size_t found = 0;
    for (size_t k = 0; k < c->m->constraints; k++) {
        if (c->m->constraint[k].axis || !actio_uses_symbol(c->pool, e, c->lambda[k])) continue;
        *lambda = c->lambda[k];
        found++;
    }
    if (found != 1) return false;
    actio_expr factor = actio_tidy(c->d, actio_diff(c->pool, e, *lambda));
    if (!actio_is_still(c, factor) || actio_is_zero(factor)) return false;
    actio_expr rest = actio_substitute(c->pool, e, lambda, &(actio_expr){ 0 }, 1);
    *value = actio_tidy(c->d, actio_neg(c->pool, actio_div(c->pool, rest, factor)));
    return true;
}

static void show_zero(struct actio_continuum *c, actio_expr e)
{
    actio_expr left = actio_equation_form(c->pool, actio_tidy(c->d, e));
    actio_shown_equation(c->d, NULL, actio_jet_shown(c->j, actio_group(c->pool, left)), (actio_expr){ 0 });
}

/* T = S: rates of momenta on the left; without, a multiplier; without, as left side = 0. */
static void show_condition(struct actio_continuum *c, actio_expr T, actio_expr S)
{
    actio_expr lambda, value;
    actio_expr moving = actio_tidy(c->d, actio_sub(c->pool, T, actio_without_rates(c, T)));
    if (!actio_is_zero(moving)) actio_show_solved_for_rates(c, T, S, (actio_expr){ 0 });
    else if (solve_for_multiplier(c, actio_sub(c->pool, S, T), &lambda, &value))
        actio_shown_equation(c->d, NULL, lambda, actio_jet_shown(c->j, actio_group(c->pool, value)));
    else show_zero(c, actio_sub(c->pool, S, T));
}

/* ---- natural conditions that share multipliers */

/* Conditions a_i*lambda = 0 with constant sum of a_i^2 on the constraints say lambda = 0. */
static bool share(struct ending *e, size_t k)
{
    struct actio_continuum *c = e->c;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < e->naturals; i++) {
        actio_expr a = actio_diff(c->pool, e->natural[i], c->lambda[k]);
        if (!actio_uses_symbol(c->pool, e->natural[i], c->lambda[k])) continue;
        actio_expr rest = actio_sub(c->pool, e->natural[i], actio_mul(c->pool, a, c->lambda[k]));
        if (!actio_is_identically_zero(c->pool, rest)) return false;
        sum = actio_add(c->pool, sum, actio_mul(c->pool, a, a));
    }
    if (actio_is_zero(sum)) return false;
    sum = actio_reduced(c, sum);
    return !actio_is_zero(sum) && actio_is_still(c, sum);
}

static void show_naturals(struct ending *e)
{
    struct actio_continuum *c = e->c;
    bool *done = actio_form_array(c->d->F, e->naturals, sizeof *done);
    for (size_t k = 0; k < c->m->constraints; k++) {
        if (c->m->constraint[k].axis != e->axis || !share(e, k)) continue;
        for (size_t i = 0; i < e->naturals; i++)
            done[i] = done[i] || actio_uses_symbol(c->pool, e->natural[i], c->lambda[k]);
        actio_shown_equation(c->d, NULL, actio_jet_at(c->j, c->lambda[k], e->axis, e->place), (actio_expr){ 0 });
    }
    for (size_t i = 0; i < e->naturals; i++)
        if (!done[i]) show_zero(c, actio_jet_at(c->j, e->natural[i], e->axis, e->place));
}

/* ---- an end */

static void show_end(struct ending *e, double sign)
{
    struct actio_continuum *c = e->c;
    size_t orders = (size_t)c->K + 1;
    actio_expr *net = actio_form_array(c->d->F, orders, sizeof *net);
    e->natural = actio_form_array(c->d->F, c->m->coords * orders, sizeof *e->natural);
    e->naturals = 0;
    for (uint32_t i = 0; i < c->m->coords; i++) {
        if (c->m->coord[i].axis != e->axis) continue;
        for (size_t k = 0; k < orders; k++) net[k] = actio_sub(c->pool, c->S[i * orders + k], c->T[i * orders + k]);
        for (int k = 0; k < c->K; k++) {
            actio_expr flux = actio_mul(c->pool, actio_const(c->pool, sign), actio_continuum_flux(c, net, i, k));
            uint32_t p = point_of(e, i, k);
            bool point = p != UINT32_MAX && !(actio_is_zero(c->PT[p]) && actio_is_zero(c->PS[p]));
            if (point)
                show_condition(c, c->PT[p], actio_add(c->pool, c->PS[p], actio_jet_at(c->j, flux, e->axis, e->place)));
            else if (!actio_is_identically_zero(c->pool, flux)) e->natural[e->naturals++] = flux;
        }
    }
    show_naturals(e);
}

/* ---- places inside: what acts there is a jump of what is differentiated along the axis */

static bool is_end(const struct actio_axis *axis, double at)
{
    double size = 1e-12 * (1 + fabs(axis->a) + fabs(axis->b));
    return fabs(at - axis->a) <= size || fabs(at - axis->b) <= size;
}

static void text_name(void *user, actio_slot slot, struct actio_text *out)
{
    struct actio_continuum *c = user;
    if (!actio_jet_text(c->j, slot, out)) actio_model_symbol_name(c->m, slot, out);
}

static void latex_name(void *user, actio_slot slot, struct actio_text *out)
{
    struct actio_continuum *c = user;
    if (!actio_jet_latex(c->j, slot, out)) actio_model_symbol_latex(c->m, slot, out);
}

/* [flux]: what it is beyond the place less what it is before. */
static actio_expr jump_of(struct actio_continuum *c, actio_expr flux)
{
    struct actio_text text, latex;
    actio_text_open(&text, &c->d->arena);
    actio_text_open(&latex, &c->d->arena);
    actio_text_add(&text, "jump of ");
    actio_text_add(&latex, "\\left[");
    actio_print_nice(c->pool, flux, text_name, c, &text);
    actio_print_latex_nice(c->pool, flux, latex_name, c, &latex);
    actio_text_add(&latex, "\\right]");
    return actio_shown_symbol(c->d, text.s, latex.s);
}

static const char *field_ends_place_of(struct actio_continuum *c, const struct actio_jet_point *at)
{
    struct actio_text t;
    actio_text_open(&t, &c->d->arena);
    actio_text_format(&t, "at %s = ", c->m->field.axis[at->of.axis - 1].name);
    actio_print_nice(c->pool, at->place, text_name, c, &t);
    return t.s;
}

static void show_jump(struct actio_continuum *c, uint32_t p)
{
    struct actio_jet_point at = c->j->point[p];
    size_t orders = (size_t)c->K + 1, i = at.of.index;
    actio_expr *net = actio_form_array(c->d->F, orders, sizeof *net);
    for (size_t k = 0; k < orders; k++) net[k] = actio_sub(c->pool, c->S[i * orders + k], c->T[i * orders + k]);
    actio_expr flux = actio_continuum_flux(c, net, i, at.of.offset);
    if ((actio_is_zero(c->PT[p]) && actio_is_zero(c->PS[p])) || actio_is_zero(flux)) return;
    actio_expr jump = jump_of(c, actio_jet_shown(c->j, actio_tidy_shown(c->d, flux)));
    actio_shown_equation(c->d, field_ends_place_of(c, &at), jump,
                         actio_jet_shown(c->j, actio_tidy_shown(c->d, actio_sub(c->pool, c->PS[p], c->PT[p]))));
    c->d->section[c->d->filling].item[c->d->section[c->d->filling].items - 1].is_comment = true;
}

void actio_show_ends(struct actio_continuum *c)
{
    for (uint16_t axis = 1; axis <= c->m->field.axes; axis++) {
        const struct actio_axis *a = &c->m->field.axis[axis - 1];
        struct ending from = { .c = c, .axis = axis, .place = actio_copy(c->pool, &c->m->pool, a->from), .at = a->a };
        struct ending to = { .c = c, .axis = axis, .place = actio_copy(c->pool, &c->m->pool, a->to), .at = a->b };
        show_end(&from, -1);
        show_end(&to, 1);
    }
    for (uint32_t p = 0; p < c->points; p++) {
        const struct actio_jet_point *at = &c->j->point[p];
        if (at->of.space == ACTIO_SPACE_Q && at->of.axis && !is_end(&c->m->field.axis[at->of.axis - 1], at->at))
            show_jump(c, p);
    }
}
