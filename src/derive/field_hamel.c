/* SPDX-License-Identifier: Apache-2.0
 * Hamel's equations of fields: velocities by quasi-velocities, the bracket, momenta and their rates, conditions at the
 * ends.  [SBZB 2.12, 3.5]
 *     d/dt dl/dxi = [xi, dl/dxi]* + Psi*(dl/dq + F + reactions),   <p, [xi, eta]> = <[xi, p]*, eta>
 * l is varied before constraints are used; then pointwise constraints reduce everything, and quasi-velocities of
 * constraints are 0.
 * For a string with tangential and normal velocity u + i*w = xi this is xi' = xi*conj(xi)_s + T_s + i*kappa*(T -
 * |xi|^2)  [SBZB 2.18],
 * with the normal velocity 0 it is [SBZB 3.6, 3.8], with a sleigh at an end [SBZB 3.9-3.11] in the frame of the plane.
 * */
#include "derive/field_frame.h"
#include "derive/square.h"
#include "expr/normal.h"

#include <math.h>

enum { ROOM = ACTIO_FIELD_ROOM, LONG = 500 }; /* operations of a formula worth reading */

struct moving {
    struct actio_field_frame f;
    struct actio_continuum *c;
    /* density of the Lagrangian, momenta, both sides of Hamel's equations */
    actio_expr l, p[ROOM], left[ROOM], right[ROOM];
    actio_expr said[4 * ROOM]; /* formulas that may have names in them */
    size_t saids;
    /* derivatives of quasi-velocities that vanish: which, and which derivative */
    actio_expr gone[ROOM];
    int order[ROOM];
    size_t goes;
};

static actio_expr field_hamel_plus(struct moving *m, actio_expr sum, actio_expr a, actio_expr b)
{
    actio_expr ab = actio_times(m->c->pool, a, b);
    return actio_is_zero(ab) ? sum : actio_add(m->c->pool, sum, ab);
}

static actio_expr note(struct moving *m, actio_expr e)
{
    if (m->saids < sizeof m->said / sizeof *m->said) m->said[m->saids++] = e;
    return e;
}

static actio_expr gathered(struct moving *m, actio_expr e)
{
    return actio_jet_shown(m->c->j, actio_group(m->c->pool, actio_tidy(m->c->d, e)));
}

/* ---- what the equations are made of */

/* The density of the Lagrangian in quasi-velocities; false: an integral stands inside of something else. */
static bool find_density(struct moving *m)
{
    struct actio_continuum *c = m->c;
    m->l = (actio_expr){ 0 };
    for (uint32_t i = 0; i < c->L.n; i++) {
        if (c->j->opaque[i].axis != m->f.axis || actio_is_zero(c->L.w[i])) continue;
        if (!actio_is_still(c, c->L.w[i])) return false;
        m->l = actio_add(c->pool, m->l, actio_mul(c->pool, c->L.w[i], c->j->opaque[i].e));
    }
    m->l = actio_by_quasi(&m->f, m->l);
    for (size_t a = 0; a < m->f.n; a++) m->p[a] = actio_reduced_by_names(c, actio_varied(&m->f, m->l, m->f.xi[a]));
    return true;
}

/* Forces and reactions on field i, by parts. */
static actio_expr pushed(struct moving *m, uint32_t i)
{
    struct actio_continuum *c = m->c;
    size_t orders = (size_t)c->K + 1;
    actio_expr *by_order = actio_form_array(c->d->F, orders, sizeof *by_order);
    for (size_t k = 0; k < orders; k++)
        by_order[k] = actio_tidy(c->d, actio_sub(c->pool, c->S[i * orders + k],
                                                 actio_functional_density(c->j, &c->L, m->f.axis,
                                                                          actio_jet(c->j, ACTIO_SPACE_Q, i, (int)k))));
    return actio_by_quasi(&m->f, actio_continuum_sum(c, by_order, m->f.axis));
}

/* The bracket with the first argument moved over to the momenta. */
static actio_expr dual_bracket(struct moving *m, size_t j)
{
    actio_expr sum = { 0 };
    for (size_t a = 0; a < m->f.n; a++) sum = field_hamel_plus(m, sum, m->p[a], m->f.bracket[a]);
    return actio_varied(&m->f, sum, m->f.eta[j]);
}

static void find_equations(struct moving *m)
{
    struct actio_continuum *c = m->c;
    actio_expr E[ROOM];
    for (size_t i = 0; i < m->f.n; i++) {
        actio_expr q = actio_jet(c->j, ACTIO_SPACE_Q, m->f.field[i], 0);
        E[i] = actio_add(c->pool, actio_varied(&m->f, m->l, q), pushed(m, m->f.field[i]));
    }
    for (size_t j = 0; j < m->f.n; j++) {
        actio_expr sum = dual_bracket(m, j);
        for (size_t i = 0; i < m->f.n; i++) sum = field_hamel_plus(m, sum, m->f.Psi[i * m->f.n + j], E[i]);
        m->left[j] = actio_on_constraints(&m->f, actio_by_quasi(&m->f, actio_jet_rate(c->j, m->p[j])));
        m->right[j] = actio_on_constraints(&m->f, sum);
    }
}

/* ---- sections */

static void show_frame(struct moving *m)
{
    struct actio_continuum *c = m->c;
    struct actio_field_frame *f = &m->f;
    for (size_t a = 0; a < f->n; a++) {
        actio_expr sum = f->m0[a];
        for (size_t i = 0; i < f->n; i++)
            sum = field_hamel_plus(m, sum, f->M[a * f->n + i], actio_jet(c->j, ACTIO_SPACE_V, f->field[i], 0));
        actio_shown_equation(c->d, NULL, f->xi[a], gathered(m, sum));
    }
    for (size_t a = 0; a < f->n; a++)
        if (f->bound[a])
            actio_shown_words(c->d, actio_arena_format(&c->d->arena, "a constraint keeps %s at 0", f->name[a]));
    actio_shown_section(c->d, "velocities", "Velocities by quasi-velocities",
                        "the operator Psi, on the pointwise constraints", "\\dot{q} = \\Psi \\, \\xi");
    for (size_t i = 0; i < f->n; i++)
        actio_shown_equation(c->d, NULL, actio_jet(c->j, ACTIO_SPACE_V, f->field[i], 0),
                             actio_jet_shown(c->j, actio_group(c->pool, actio_tidy_in(c->d, f->v[i], f->xi, f->n))));
}

/* [xi, eta]_a, behind a # in text: brackets are not of the language. */
static void show_bracket(struct moving *m)
{
    struct actio_continuum *c = m->c;
    actio_shown_section(c->d, "brackets", "Bracket",
                        "Psi*[xi, eta] = D(Psi*eta)[Psi*xi] - D(Psi*xi)[Psi*eta], by component",
                        "\\Psi \\, [\\xi, \\eta] = D(\\Psi \\eta)[\\Psi \\xi] - D(\\Psi \\xi)[\\Psi \\eta]");
    for (size_t a = 0; a < m->f.n; a++) {
        struct actio_text latex;
        actio_text_open(&latex, &c->d->arena);
        actio_text_add(&latex, "\\left[\\xi, \\eta\\right]_{");
        actio_latex_name(m->f.name[a], &latex);
        actio_text_add(&latex, "}");
        actio_expr left =
            actio_shown_symbol(c->d, actio_arena_format(&c->d->arena, "[xi, eta]_%s", m->f.name[a]), latex.s);
        if (actio_tidy_size(c->d, m->f.bracket[a]) <= LONG)
            actio_shown_equation(c->d, NULL, left, actio_jet_shown(c->j, actio_tidy(c->d, note(m, m->f.bracket[a]))));
        else {
            actio_shown_words(c->d, "too long to display");
            continue;
        }
        c->d->section[c->d->filling].item[c->d->section[c->d->filling].items - 1].is_comment = true;
    }
}

static void show_momenta(struct moving *m)
{
    struct actio_continuum *c = m->c;
    actio_expr l = actio_reduced_by_names(c, m->l);
    actio_shown_section(c->d, "quasi-lagrangian", "Lagrangian in quasi-velocities",
                        "of the fields, on the pointwise constraints", "");
    actio_shown_equation(c->d, NULL, actio_shown_free(c->d, "l", "l_frame", "\\ell"),
                         actio_jet_shown(c->j, actio_jet_integral(c->j, note(m, l), m->f.axis)));
    actio_shown_section(c->d, "quasi-momenta", "Momenta of the quasi-velocities", "dl/dxi",
                        "p = \\delta \\ell/\\delta \\xi");
    for (size_t a = 0; a < m->f.n; a++)
        actio_shown_equation(c->d, NULL, actio_shown_indexed(c->d, "p", "p", m->f.name[a]),
                             gathered(m, note(m, m->p[a])));
}

/* e = 0, solved for the multiplier of a velocity constraint where one stands in it with a constant factor. */
static void show_balance(struct moving *m, actio_expr e)
{
    struct actio_continuum *c = m->c;
    for (size_t k = 0; k < c->m->constraints; k++) {
        actio_expr factor = actio_diff(c->pool, e, c->lambda[k]);
        if (c->m->constraint[k].kind != ACTIO_VELOCITY || actio_is_zero(factor)
            || !actio_is_still(c, actio_tidy(c->d, factor)))
            continue;
        actio_expr rest = actio_substitute(c->pool, e, &c->lambda[k], &(actio_expr){ 0 }, 1);
        actio_shown_equation(c->d, NULL, c->lambda[k],
                             gathered(m, actio_neg(c->pool, actio_div(c->pool, rest, factor))));
        return;
    }
    actio_shown_equation(c->d, NULL, gathered(m, actio_equation_form(c->pool, actio_tidy(c->d, e))), (actio_expr){ 0 });
}

static void show_equations(struct moving *m)
{
    struct actio_continuum *c = m->c;
    actio_shown_section(
        c->d, "hamel", "Hamel's equations", "d/dt p = [xi, p]* + Psi*(dl/dq + F + reactions)",
        "\\frac{d}{dt} \\frac{\\delta \\ell}{\\delta \\xi} = \\left[\\xi, \\frac{\\delta \\ell}{\\delta "
        "\\xi}\\right]^* + \\Psi^* \\left(\\frac{\\delta \\ell}{\\delta q} + F + \\text{reactions}\\right)");
    for (size_t a = 0; a < m->f.n; a++) {
        if (actio_tidy_size(c->d, m->right[a]) > 2 * LONG) actio_shown_words(c->d, "too long to display");
        else if (m->f.bound[a]) show_balance(m, note(m, actio_sub(c->pool, m->right[a], m->left[a])));
        else actio_show_solved_for_rates(c, m->left[a], note(m, m->right[a]), (actio_expr){ 0 });
    }
    actio_say_names(c, m->said, m->saids);
    actio_say_tension(c);
}

/* ---- pointwise holonomic constraints in quasi-velocities */

static actio_expr derivative_of(struct moving *m, size_t a, int k)
{
    actio_slot s = actio_slot_of(m->c->pool, m->f.xi[a]);
    s.offset = (int8_t)k;
    return actio_symbol_at(m->c->pool, s);
}

/* Only the highest derivative of a quasi-velocity on the left where its factor is constant. */
static void show_rate(struct moving *m, actio_expr e)
{
    struct actio_continuum *c = m->c;
    for (int k = c->K + 2; k >= 0; k--)
        for (size_t a = 0; a < m->f.n; a++) {
            actio_expr xi = derivative_of(m, a, k), factor = actio_diff(c->pool, e, xi), none = { 0 };
            if (actio_is_zero(factor) || !actio_is_still(c, actio_tidy(c->d, factor))) continue;
            actio_expr right = actio_tidy(
                c->d, actio_neg(c->pool, actio_div(c->pool, actio_substitute(c->pool, e, &xi, &none, 1), factor)));
            actio_shown_equation(c->d, NULL, xi, actio_jet_shown(c->j, actio_group(c->pool, right)));
            if (actio_is_zero(right) && m->goes < ROOM) {
                m->gone[m->goes] = m->f.xi[a];
                m->order[m->goes++] = k;
            }
            return;
        }
    if (!actio_is_zero(e))
        actio_shown_equation(c->d, NULL, gathered(m, actio_equation_form(c->pool, e)), (actio_expr){ 0 });
}

static actio_expr without_gone(struct moving *m, actio_expr e)
{
    enum { MORE = 6 };
    for (size_t i = 0; i < m->goes; i++)
        for (int k = m->order[i]; k < m->order[i] + MORE; k++)
            for (int rate = 0; rate < 2; rate++) {
                actio_slot s = actio_slot_of(m->c->pool, m->gone[i]);
                s.offset = (int8_t)k;
                s.space = rate ? ACTIO_SPACE_SDOT : ACTIO_SPACE_STATE;
                actio_expr xi = actio_symbol_at(m->c->pool, s), none = { 0 };
                e = actio_substitute(m->c->pool, e, &xi, &none, 1);
            }
    return e;
}

static size_t field_hamel_index_of(const struct moving *m, actio_expr xi)
{
    size_t a = 0;
    while (!actio_same(m->f.xi[a], xi)) a++;
    return a;
}

/* xi_s = 0: the equation without it, and its derivative along the axis, where the rate is gone.  [SBZB 3.8] */
static void show_consequences(struct moving *m)
{
    struct actio_continuum *c = m->c;
    for (size_t i = 0; i < m->goes; i++) {
        size_t a = field_hamel_index_of(m, m->gone[i]);
        actio_expr left = without_gone(m, m->left[a]), right = without_gone(m, m->right[a]),
                   e = actio_sub(c->pool, right, left);
        actio_show_solved_for_rates(c, left, right, (actio_expr){ 0 });
        for (int k = 0; k < m->order[i]; k++) e = actio_jet_next(c->j, e, m->f.axis);
        e = actio_on_constraints(&m->f, without_gone(m, e));
        if (!actio_is_zero(e))
            actio_shown_equation(c->d, NULL, gathered(m, actio_equation_form(c->pool, actio_tidy(c->d, e))),
                                 (actio_expr){ 0 });
    }
}

static void show_restrictions(struct moving *m)
{
    struct actio_continuum *c = m->c;
    actio_shown_section(c->d, "restrictions", "Quasi-velocities on the pointwise constraints",
                        "their rates and consequences", "");
    for (size_t k = 0; k < c->m->constraints; k++) {
        const struct actio_constraint *con = &c->m->constraint[k];
        if (con->axis == m->f.axis && con->kind == ACTIO_HOLONOMIC)
            show_rate(m, actio_on_constraints(&m->f, actio_by_quasi(&m->f, actio_jet_rate(c->j, c->g[k]))));
    }
    show_consequences(m);
}

/* ---- ends */

/* Values at the place as if they were along the axis. */
static actio_expr lifted(struct moving *m, actio_expr e, double at)
{
    struct actio_continuum *c = m->c;
    for (uint32_t p = 0; p < c->j->points; p++) {
        struct actio_jet_point point = c->j->point[p];
        if (point.of.axis != m->f.axis || fabs(point.at - at) > 1e-12 * (1 + fabs(at))) continue;
        for (int k = 0; k < 3; k++) {
            actio_slot s = point.of;
            if (s.space == ACTIO_SPACE_Q) s.space = (uint8_t)(ACTIO_SPACE_Q + k);
            actio_expr from = actio_jet_point_symbol(c->j, p, (enum actio_space)s.space),
                       to = actio_symbol_at(c->pool, s);
            e = actio_substitute(c->pool, e, &from, &to, 1);
        }
    }
    return e;
}

/* PT - PS - flux of a field at an end, along the axis; false where no mass is there. */
static bool end_balance(struct moving *m, uint32_t i, double at, double sign, actio_expr *e)
{
    struct actio_continuum *c = m->c;
    size_t orders = (size_t)c->K + 1;
    actio_expr *net = actio_form_array(c->d->F, orders, sizeof *net);
    bool mass = false;
    for (size_t k = 0; k < orders; k++) net[k] = actio_sub(c->pool, c->S[i * orders + k], c->T[i * orders + k]);
    *e = actio_mul(c->pool, actio_const(c->pool, -sign), actio_continuum_flux(c, net, i, 0));
    for (uint32_t p = 0; p < c->points; p++) {
        const struct actio_jet_point *point = &c->j->point[p];
        if (point->of.space != ACTIO_SPACE_Q || point->of.index != i || point->of.offset
            || fabs(point->at - at) > 1e-12 * (1 + fabs(at)))
            continue;
        *e = actio_add(c->pool, *e, lifted(m, actio_sub(c->pool, c->PT[p], c->PS[p]), at));
        mass = mass || !actio_is_zero(c->PT[p]);
    }
    return mass;
}

/* A constraint at the end that is a factor times the only quasi-velocity left: where that moves the factor is 0, and
 * with it the reaction along it. */
static actio_expr without_idle(struct moving *m, size_t a, actio_expr e, double at, actio_expr place, bool aloud)
{
    struct actio_continuum *c = m->c;
    for (size_t k = 0; k < c->m->constraints; k++) {
        if (c->m->constraint[k].axis || c->m->constraint[k].kind != ACTIO_VELOCITY
            || !actio_uses_symbol(c->pool, e, c->lambda[k]))
            continue;
        actio_expr g = actio_on_constraints(&m->f, actio_by_quasi(&m->f, lifted(m, c->g[k], at))),
                   factor = actio_diff(c->pool, g, m->f.xi[a]);
        actio_expr rest = actio_sub(c->pool, g, actio_mul(c->pool, factor, m->f.xi[a]));
        /* e has the reaction with a minus */
        actio_expr change = actio_add(c->pool, actio_diff(c->pool, e, c->lambda[k]), factor);
        if (!actio_is_identically_zero(c->pool, rest)
            || !actio_is_identically_zero(c->pool, actio_on_constraints(&m->f, change)))
            continue;
        if (aloud)
            actio_shown_equation(c->d, c->m->constraint[k].label, gathered(m, actio_jet_at(c->j, g, m->f.axis, place)),
                                 (actio_expr){ 0 });
        if (aloud)
            actio_shown_words(c->d,
                              actio_arena_format(
                                  &c->d->arena,
                                  "where %s is not 0, the factor beside it vanishes, and so does the reaction along %s",
                                  m->f.name[a], m->f.name[a]));
        e = actio_substitute(c->pool, e, &c->lambda[k], &(actio_expr){ 0 }, 1);
    }
    return e;
}

/* What acts at an end along a quasi-velocity, = 0, not yet at the place; false where a multiplier of a constraint at a
 * place stands in it. */
static bool along_end(struct moving *m, size_t a, const struct actio_axis *axis, bool last, bool aloud, actio_expr *sum)
{
    struct actio_continuum *c = m->c;
    actio_expr e, place = actio_copy(c->pool, &c->m->pool, last ? axis->to : axis->from);
    double at = last ? axis->b : axis->a;
    bool known = true;
    *sum = (actio_expr){ 0 };
    for (size_t i = 0; i < m->f.n; i++) {
        end_balance(m, m->f.field[i], at, last ? 1 : -1, &e);
        *sum = field_hamel_plus(m, *sum, m->f.Psi[i * m->f.n + a], e);
    }
    *sum = actio_on_constraints(&m->f, without_gone(m, actio_on_constraints(&m->f, actio_by_quasi(&m->f, *sum))));
    *sum = without_idle(m, a, *sum, at, place, aloud);
    for (size_t k = 0; k < c->m->constraints; k++)
        known = known && (c->m->constraint[k].axis || !actio_uses_symbol(c->pool, *sum, c->lambda[k]));
    return known;
}

/* Masses at an end, along the quasi-velocities.  [SBZB 3.10] */
static void show_end(struct moving *m, const struct actio_axis *axis, bool last)
{
    struct actio_continuum *c = m->c;
    actio_expr sum, place = actio_copy(c->pool, &c->m->pool, last ? axis->to : axis->from);
    bool mass = false;
    for (size_t i = 0; i < m->f.n; i++) mass = end_balance(m, m->f.field[i], last ? axis->b : axis->a, 1, &sum) || mass;
    for (size_t a = 0; mass && a < m->f.n; a++) {
        if (m->f.bound[a]) continue;
        along_end(m, a, axis, last, true, &sum);
        sum = actio_jet_at(c->j, sum, m->f.axis, place);
        actio_expr rest = actio_without_rates(c, sum);
        actio_show_solved_for_rates(c, actio_sub(c->pool, sum, rest), actio_neg(c->pool, rest), (actio_expr){ 0 });
    }
}

/* ---- a quasi-velocity that is the same along the axis */

/* The integral of e over the axis: derivatives of multipliers become their values at the ends. */
static actio_expr integrated(struct moving *m, actio_expr e, const actio_expr end[2])
{
    struct actio_continuum *c = m->c;
    actio_expr sum = { 0 };
    for (size_t k = 0; k < c->m->constraints; k++) {
        actio_slot s = actio_slot_of(c->pool, c->lambda[k]);
        s.offset = 1;
        actio_expr slope = actio_symbol_at(c->pool, s), factor = actio_diff(c->pool, e, slope);
        if (s.axis != m->f.axis || actio_is_zero(factor) || !actio_is_still(c, actio_tidy(c->d, factor))) continue;
        for (int last = 0; last < 2; last++)
            sum = field_hamel_plus(m, sum, last ? factor : actio_neg(c->pool, factor),
                                   actio_jet_at(c->j, c->lambda[k], m->f.axis, end[last]));
        e = actio_substitute(c->pool, e, &slope, &(actio_expr){ 0 }, 1);
    }
    e = actio_tidy(c->d, e);
    if (actio_is_zero(e)) return sum;
    actio_expr length = actio_sub(c->pool, end[1], end[0]);
    return actio_add(c->pool, sum,
                     actio_is_open(c, e, m->f.axis) ? actio_jet_integral(c->j, e, m->f.axis)
                                                    : actio_mul(c->pool, length, e));
}

/* Its equation over the whole axis with the balance at both ends: inner forces cancel.  [SBZB after 3.13] */
static void show_whole(struct moving *m, size_t a)
{
    struct actio_continuum *c = m->c;
    const struct actio_axis *axis = &c->m->field.axis[m->f.axis - 1];
    const actio_expr end[2] = { actio_copy(c->pool, &c->m->pool, axis->from),
                                actio_copy(c->pool, &c->m->pool, axis->to) };
    actio_expr left = without_gone(m, m->left[a]), right = without_gone(m, m->right[a]);
    actio_slot s = actio_slot_of(c->pool, m->f.xi[a]);
    s.space = ACTIO_SPACE_SDOT;
    actio_expr rate = actio_symbol_at(c->pool, s), factor = actio_tidy(c->d, actio_diff(c->pool, left, rate));
    if (!actio_is_still(c, factor)
        || !actio_is_identically_zero(c->pool, actio_sub(c->pool, left, actio_mul(c->pool, factor, rate))))
        return;
    actio_expr sum = actio_mul(c->pool, actio_sub(c->pool, end[1], end[0]), left);
    sum = actio_sub(c->pool, sum, integrated(m, right, end));
    for (int last = 0; last < 2; last++) {
        actio_expr e;
        if (!along_end(m, a, axis, last, false, &e)) return;
        sum = actio_add(c->pool, sum, actio_jet_at(c->j, e, m->f.axis, end[last]));
    }
    for (int last = 0; last < 2; last++) { /* the same everywhere: at the ends, too */
        uint32_t p = actio_jet_point(c->j, actio_slot_of(c->pool, m->f.xi[a]), end[last]);
        const actio_expr from[2] = { actio_jet_point_symbol(c->j, p, ACTIO_SPACE_STATE),
                                     actio_jet_point_symbol(c->j, p, ACTIO_SPACE_SDOT) },
                         to[2] = { m->f.xi[a], rate };
        sum = actio_substitute(c->pool, sum, from, to, 2);
    }
    actio_expr rest = actio_without_rates(c, sum);
    actio_show_solved_for_rates(c, actio_sub(c->pool, sum, rest), actio_neg(c->pool, rest), (actio_expr){ 0 });
}

static void show_wholes(struct moving *m)
{
    actio_shown_section(m->c->d, "whole", "Over the whole axis",
                        "for quasi-velocities that are constant along it: inner forces cancel", "");
    for (size_t i = 0; i < m->goes; i++)
        if (m->order[i] == 1) show_whole(m, field_hamel_index_of(m, m->gone[i]));
}

/* ---- the whole */

static void show_axis(struct actio_continuum *c, uint16_t axis)
{
    struct moving *m = actio_form_array(c->d->F, 1, sizeof *m);
    m->c = c;
    const char *why = actio_field_frame_open(c, axis, &m->f);
    if (!why && !find_density(m)) why = "an integral of the Lagrangian is nested in another formula";
    if (why) {
        actio_shown_words(c->d, actio_arena_format(&c->d->arena, "not shown in quasi-velocities: %s", why));
        return;
    }
    show_frame(m);
    actio_field_bracket(&m->f);
    show_bracket(m);
    show_momenta(m);
    find_equations(m);
    show_equations(m);
    show_restrictions(m);
    actio_shown_section(c->d, "masses", "Masses at the ends, along the quasi-velocities", "", "");
    show_end(m, &c->m->field.axis[axis - 1], false);
    show_end(m, &c->m->field.axis[axis - 1], true);
    show_wholes(m);
}

static void show_coordinates(struct actio_continuum *c)
{
    size_t orders = (size_t)c->K + 1;
    actio_shown_section(c->d, "coordinates-motion", "Equations of motion of coordinates", "", "");
    for (size_t i = 0; i < c->m->coords; i++)
        if (!c->m->coord[i].axis) actio_show_solved_for_rates(c, c->T[i * orders], c->S[i * orders], (actio_expr){ 0 });
}

void actio_show_field_hamel(struct actio_derivation *d)
{
    struct actio_field_jets *j = d->jets;
    for (size_t i = 0; i < d->model->named.frames; i++)
        if (!d->model->named.frame[i].axis)
            actio_shown_equation(d, NULL, actio_jet_own(j, d->model->named.frame[i].name, 0),
                                 actio_jet_shown(j, actio_tidy_shown(d, actio_jet_of(j, d->model->named.frame[i].e))));
    for (uint16_t axis = 1; axis <= d->model->field.axes; axis++) {
        if (axis > 1) actio_shown_section(d, "frame", "Quasi-velocities", "", "");
        show_axis(d->continuum, axis);
    }
    show_coordinates(d->continuum);
}
