/* SPDX-License-Identifier: Apache-2.0
 * What is shown of a model with fields: equations along the axis with multipliers as fields, conditions at its ends,
 * energy and charges as integrals. */
#include "derive/field.h"
#include "derive/square.h"
#include "expr/normal.h"

static struct actio_continuum *continuum(struct actio_derivation *d) { return d->continuum; }
static actio_expr shown(struct actio_continuum *c, actio_expr e)
{
    return actio_jet_shown(c->j, actio_tidy_shown(c->d, e));
}

static void field_prepare(struct actio_derivation *d)
{
    d->jets = actio_field_jets_open(d);
    d->continuum = actio_form_array(d->F, 1, sizeof *d->continuum);
    actio_continuum_open(d, d->continuum);
}

/* ---- sections */

static void show_coordinates(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    actio_expr *list = actio_arena_array(&d->arena, c->m->coords + 1, sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; i < c->m->coords; i++) list[n++] = actio_jet(c->j, ACTIO_SPACE_Q, i, 0);
    struct actio_shown *item = actio_shown_add(d, ACTIO_SHOWN_LIST);
    item->rows = 1;
    item->cols = n;
    item->entry = list;
    for (uint16_t axis = 1; axis <= c->m->field.axes; axis++) {
        struct actio_text t;
        actio_text_open(&t, &d->arena);
        for (size_t i = 0; i < c->m->coords; i++)
            if (c->m->coord[i].axis == axis)
                actio_text_format(&t, "%s%s(%s)", t.length ? ", " : "", c->m->coord[i].name,
                                  c->m->field.axis[axis - 1].name);
        actio_text_format(&t, " on %s = ", c->m->field.axis[axis - 1].name);
        actio_print(&c->m->pool, c->m->field.axis[axis - 1].from, actio_model_symbol_name, c->m, &t);
        actio_text_add(&t, " .. ");
        actio_print(&c->m->pool, c->m->field.axis[axis - 1].to, actio_model_symbol_name, c->m, &t);
        actio_shown_words(d, t.s);
    }
}

static void show_lagrangian(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    if (c->m->has_lagrangian)
        actio_shown_equation(d, NULL, actio_shown_free(d, "L", "Lagrangian", "\\mathcal{L}"), shown(c, c->L.f));
    if (!actio_is_zero(c->m->dissipation))
        actio_shown_equation(d, NULL, actio_shown_free(d, "R", "Rayleigh", "\\mathcal{R}"), shown(c, c->R.f));
}

static void show_momenta(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    for (size_t i = 0; i < c->m->coords; i++) {
        actio_expr p = actio_continuum_momentum(c, i, 0);
        if (!actio_is_zero(p))
            actio_shown_equation(d, NULL, actio_shown_indexed(d, "p", "p", c->m->coord[i].name), shown(c, p));
    }
}

/* The name of what a force acts on: a coordinate, a field per length, a field at a place. */
static const char *acted_on(struct actio_continuum *c, const struct actio_term *t)
{
    struct actio_text name;
    actio_slot of = { .space = ACTIO_SPACE_Q, .axis = c->m->coord[t->variable].axis, .index = t->variable };
    if (!t->placed) return c->m->coord[t->variable].name;
    actio_text_open(&name, &c->d->arena);
    uint32_t point = actio_jet_point(c->j, of, actio_jet_of(c->j, t->place));
    actio_jet_text(c->j, actio_slot_of(c->pool, actio_jet_point_symbol(c->j, point, ACTIO_SPACE_Q)), &name);
    return name.s;
}

static void show_forces(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    for (size_t i = 0; i < c->m->forces; i++)
        for (size_t k = 0; k < c->m->force[i].terms; k++) {
            const struct actio_term *t = &c->m->force[i].term[k];
            actio_shown_equation(d, NULL, actio_shown_indexed(d, "F", "F", acted_on(c, t)),
                                 shown(c, actio_jet_of(c->j, t->e)));
            d->section[d->filling].item[d->section[d->filling].items - 1].is_comment = t->placed;
        }
}

/* d/dt dl/du' - d/ds(d/dt dl/du'_s) = S_0 - d/ds S_1 + d2/ds2 S_2  [SBZB 2.7] */
static void show_equations(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    size_t orders = (size_t)c->K + 1;
    for (size_t i = 0; i < c->m->coords; i++) {
        uint16_t axis = c->m->coord[i].axis;
        actio_expr left = c->T[i * orders], right = c->S[i * orders], derivatives = { 0 };
        if (axis) derivatives = actio_continuum_shown(c, &c->S[i * orders], axis, &right);
        if (axis) left = actio_continuum_sum(c, &c->T[i * orders], axis);
        actio_show_solved_for_rates(c, left, right, derivatives);
    }
}

static void show_ends(struct actio_derivation *d) { actio_show_ends(continuum(d)); }

static const char *label_of(struct actio_continuum *c, const struct actio_constraint *con)
{
    return con->axis ? actio_arena_format(&c->d->arena, "%s(%s)", con->label, c->m->field.axis[con->axis - 1].name)
                     : con->label;
}

/* Of holonomic ones the rate, too. */
static void show_constraints(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    for (size_t k = 0; k < c->m->constraints; k++) {
        const struct actio_constraint *con = &c->m->constraint[k];
        actio_shown_equation(c->d, label_of(c, con), actio_jet_shown(c->j, c->left[k]),
                             actio_jet_shown(c->j, c->right[k]));
        if (con->kind != ACTIO_HOLONOMIC) continue;
        actio_expr rate = actio_equation_form(c->pool, actio_tidy(c->d, actio_jet_rate(c->j, c->g[k])));
        actio_shown_equation(c->d, NULL, shown(c, rate), (actio_expr){ 0 });
    }
}

static void show_multipliers(struct actio_derivation *d) { actio_show_field_multipliers(continuum(d)); }

/* ---- energy and charges */

/* sum of momentum times change, over fields, places and coordinates; density of an axis where that is requested */
static actio_expr work_density(struct actio_continuum *c, uint16_t axis, const actio_expr *change)
{
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < c->m->coords; i++) {
        if (c->m->coord[i].axis != axis) continue;
        actio_expr now = change[i];
        for (int k = 0; k <= c->K; k++) {
            sum = actio_add(c->pool, sum, actio_times(c->pool, actio_continuum_momentum(c, i, k), now));
            now = actio_jet_next(c->j, now, axis);
        }
    }
    return sum;
}

static actio_expr work_of_points(struct actio_continuum *c, const actio_expr *change)
{
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < c->m->coords; i++)
        if (!c->m->coord[i].axis)
            sum = actio_add(c->pool, sum, actio_times(c->pool, actio_continuum_momentum(c, i, 0), change[i]));
    for (uint32_t p = 0; p < c->points; p++) {
        struct actio_jet_point at = c->j->point[p];
        if (at.of.space != ACTIO_SPACE_Q) continue;
        actio_expr momentum = actio_functional_by(c->j, &c->L, actio_jet_point_symbol(c->j, p, ACTIO_SPACE_V)),
                   now = change[at.of.index];
        if (actio_is_zero(momentum)) continue;
        for (int k = 0; k < at.of.offset; k++) now = actio_jet_next(c->j, now, at.of.axis);
        sum = actio_add(c->pool, sum, actio_times(c->pool, momentum, actio_jet_at(c->j, now, at.of.axis, at.place)));
    }
    return sum;
}

/* An integral of the Lagrangian that stands in a sum by itself joins the energy's density. */
static bool stands_alone(struct actio_continuum *c, uint32_t i, uint16_t axis)
{
    return c->j->opaque[i].axis == axis && !actio_is_zero(c->L.w[i]) && actio_is_still(c, c->L.w[i]);
}

static actio_expr energy(struct actio_continuum *c)
{
    actio_expr *v = actio_form_array(c->d->F, c->m->coords, sizeof *v), rest = c->L.f;
    for (uint32_t i = 0; i < c->m->coords; i++) v[i] = actio_jet(c->j, ACTIO_SPACE_V, i, 0);
    actio_expr sum = work_of_points(c, v);
    for (uint16_t axis = 1; axis <= c->m->field.axes; axis++) {
        actio_expr density = work_density(c, axis, v);
        for (uint32_t i = 0; i < c->L.n; i++) {
            if (!stands_alone(c, i, axis)) continue;
            density = actio_sub(c->pool, density, actio_mul(c->pool, c->L.w[i], c->j->opaque[i].e));
            rest = actio_substitute(c->pool, rest, &c->j->opaque[i].symbol, &(actio_expr){ 0 }, 1);
        }
        sum = actio_add(c->pool, sum, actio_jet_integral(c->j, actio_tidy(c->d, density), axis));
    }
    return actio_sub(c->pool, sum, rest);
}

static void show_energy(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    if (c->m->has_lagrangian) actio_shown_equation(d, NULL, actio_shown_symbol(d, "energy", "E"), shown(c, energy(c)));
}

static void show_symmetries(struct actio_derivation *d)
{
    struct actio_continuum *c = continuum(d);
    for (size_t i = 0; i < c->m->symmetries; i++) {
        const struct actio_symmetry *s = &c->m->symmetry[i];
        actio_expr *change = actio_form_array(d->F, c->m->coords, sizeof *change);
        struct actio_text latex;
        for (size_t k = 0; k < s->terms; k++) change[s->term[k].variable] = actio_jet_of(c->j, s->term[k].e);
        actio_expr sum = s->is_time ? energy(c) : work_of_points(c, change);
        for (uint16_t axis = 1; !s->is_time && axis <= c->m->field.axes; axis++)
            sum = actio_add(c->pool, sum, actio_jet_integral(c->j, actio_tidy(d, work_density(c, axis, change)), axis));
        actio_text_open(&latex, &d->arena);
        actio_text_add(&latex, "\\mathrm{charge}_{");
        actio_latex_name(s->label, &latex);
        actio_text_add(&latex, "}");
        actio_shown_equation(d, NULL,
                             actio_shown_symbol(d, actio_arena_format(&d->arena, "charge.%s", s->label), latex.s),
                             shown(c, sum));
    }
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    { "coordinates", "Fields and coordinates", "", "", show_coordinates },
    { "lagrangian", "Lagrangian", "", "", show_lagrangian },
    { "momenta", "Momenta", "dl/du', of a field per length", "p = \\partial \\ell/\\partial \\dot{u}", show_momenta },
    { "forces", "Forces", "", "", show_forces },
    { "equations", "Equations of motion",
      "d/dt dl/du' = dl/du - d/ds dl/du_s + d2/ds2 dl/du_ss + F, with lambda*g in l",
      "\\frac{d}{dt} \\frac{\\partial \\ell}{\\partial \\dot{u}} = \\frac{\\partial \\ell}{\\partial u} - \\partial_s "
      "\\frac{\\partial \\ell}{\\partial u_s} + \\partial_s^2 \\frac{\\partial \\ell}{\\partial u_{ss}} + F + "
      "\\text{reactions}",
      show_equations },
    { "ends", "At the ends", "boundary terms of integration by parts, with the forces there", "", show_ends },
    { "constraints", "Constraints and their consequences", "", "", show_constraints },
    { "multipliers", "Multipliers along the axis", "rates of the constraints, with the equations of motion", "",
      show_multipliers },
    { "energy", "Energy", "q'*dL/dq' - L", "E = \\dot{q} \\, \\partial \\mathcal{L}/\\partial \\dot{q} - \\mathcal{L}",
      show_energy },
    { "symmetries", "Symmetries", "charge = dL/dq'*delta q", "", show_symmetries },
};
const struct actio_chapter actio_chapter_field = {
    .is_reference = true, .part = parts, .parts = sizeof parts / sizeof *parts, .prepare = field_prepare
};

static const struct actio_shown_part hamel[] = {
    ACTIO_SHARED_PART("parameters"),
    { "coordinates", "Fields and coordinates", "", "", show_coordinates },
    { "lagrangian", "Lagrangian", "", "", show_lagrangian },
    { "forces", "Forces", "", "", show_forces },
    { "constraints", "Constraints and their consequences", "", "", show_constraints },
    { "frame", "Quasi-velocities", "", "", actio_show_field_hamel },
    { "ends", "At the ends", "boundary terms of integration by parts, with the forces there", "", show_ends },
};
const struct actio_chapter actio_chapter_field_hamel = { .part = hamel,
                                                         .parts = sizeof hamel / sizeof *hamel,
                                                         .prepare = field_prepare };
