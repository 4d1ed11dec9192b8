/* SPDX-License-Identifier: Apache-2.0
 * Dry friction: its coefficients, and the slip, which a point mass need not write. */
#include "model/reader.h"
#include "expr/normal.h"

#include <math.h>

static bool friction_fault(struct actio_reader *r, enum actio_code code, const struct actio_options *o,
                           struct actio_span span, const struct actio_value arg[6])
{
    actio_reader_fault(r, code, o->s->origin, span, arg);
    return false;
}

static const struct actio_item *option(const struct actio_options *o, uint32_t word)
{
    return o->item[word - ACTIO_W_restitution];
}

/* ---- coefficients */

static bool check_coefficient(struct actio_reader *r, const struct actio_options *o, const struct actio_rough *of,
                              uint32_t word, actio_expr e)
{
    double x;
    if (!option(o, word) || !actio_option_number(r, e, &x)) return true;
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_NOT_NEGATIVE, .e = e });
    if (x >= 0 && isfinite(x)) return true;
    struct actio_value name = ACTIO_TEXT(of->label), value = ACTIO_NUMBER(isnan(x) ? NAN : x);
    if (x < 0)
        return friction_fault(r, ACTIO_F_FRICTION_NEGATIVE, o, option(o, word)->span,
                              ACTIO_ARGS(name, ACTIO_TEXT(word == ACTIO_W_stick ? "static" : "friction"), value));
    return friction_fault(r, ACTIO_F_VALUE_NOT_FINITE, o, option(o, word)->span,
                          ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, word)), value));
}

static bool coefficients(struct actio_reader *r, const struct actio_options *o, const struct actio_rough *of,
                         struct actio_friction *f)
{
    double sliding, resting;
    if (!actio_option_value(r, o, ACTIO_W_friction, &f->coefficient)) return false;
    f->stick = f->coefficient;
    if (!actio_option_value(r, o, ACTIO_W_stick, &f->stick)) return false;
    if (!check_coefficient(r, o, of, ACTIO_W_friction, f->coefficient)
        || !check_coefficient(r, o, of, ACTIO_W_stick, f->stick))
        return false;
    if (!actio_option_number(r, f->coefficient, &sliding) || !actio_option_number(r, f->stick, &resting)) return true;
    actio_machine_keep_rule(
        r, (struct actio_number_rule){ .kind = ACTIO_RULE_NOT_BELOW, .e = f->stick, .other = f->coefficient });
    if (resting >= sliding) return true;
    return friction_fault(r, ACTIO_F_STICK_BELOW_FRICTION, o, option(o, ACTIO_W_stick)->span,
                          ACTIO_ARGS(ACTIO_TEXT(of->label), ACTIO_NUMBER(resting), ACTIO_NUMBER(sliding)));
}

/* ---- a slip that is written */

static bool one_slip(struct actio_reader *r, const struct actio_rough *of, struct actio_formula formula,
                     struct actio_friction *f)
{
    uint32_t n;
    actio_expr e;
    if (!actio_machine_run(r, formula, ACTIO_IN_OPTION, &e)) return false;
    actio_expr *v = actio_machine_symbols(r, e, ACTIO_SPACE_V, &n);
    f->slip[f->slips++] = e;
    if (n && actio_degree_in(&r->model->pool, e, v, n) == 1) return true;
    actio_reader_fault_at(r, n ? ACTIO_F_SLIP_NOT_AFFINE : ACTIO_F_SLIP_NO_VELOCITY, formula.origin,
                          actio_formula_at(r, formula), ACTIO_ARGS(ACTIO_TEXT(of->label)));
    return false;
}

static bool written_slip(struct actio_reader *r, const struct actio_options *o, const struct actio_rough *of,
                         struct actio_friction *f)
{
    const struct actio_item *item = option(o, ACTIO_W_slip);
    f->slip_given = true;
    return one_slip(r, of, item->e, f) && (item->second.count == 0 || one_slip(r, of, item->second, f));
}

/* ---- the slip of a point mass: its velocity along the wall */

enum { SPACE = 3 };

/* Is the hessian of L in the velocities m times the identity, m free of positions, velocities and states? */
static bool is_point_mass(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    struct actio_pool *pool = &m->pool;
    struct actio_entries lower = { 0 };
    actio_expr v[SPACE], mass[SPACE] = { { 0 }, { 0 }, { 0 } };
    if (m->coords > SPACE) return false;
    for (size_t i = 0; i < m->coords; i++) v[i] = m->coord[i].dot;
    actio_hessian(pool, m->lagrangian, v, m->coords, &lower);
    for (size_t k = 0; k < lower.count; k++) {
        if (lower.at[k].row == lower.at[k].col) mass[lower.at[k].row] = actio_simplify(pool, lower.at[k].e);
        else if (!actio_is_identically_zero(pool, lower.at[k].e)) return false;
    }
    for (size_t i = 0; i < m->coords; i++) {
        bool same = actio_same(mass[i], mass[0]) || actio_is_identically_zero(pool, actio_sub(pool, mass[i], mass[0]));
        if (!same || actio_is_zero(mass[i]) || actio_machine_spaces(r, mass[i]) & ~(ACTIO_BIT(PARAM) | ACTIO_BIT(T)))
            return false;
    }
    return true;
}

/* The sum of a*x without terms that vanish, so that plane walls have short formulas. */
static actio_expr dot(struct actio_pool *pool, const actio_expr *a, const actio_expr *x, size_t n)
{
    actio_expr sum = { 0 };
    for (size_t i = 0; i < n; i++)
        if (!actio_is_zero(a[i]) && !actio_is_zero(x[i])) sum = actio_add(pool, sum, actio_mul(pool, a[i], x[i]));
    return sum;
}

static actio_expr friction_product(struct actio_pool *pool, actio_expr a, actio_expr b) { return dot(pool, &a, &b, 1); }
/* no -0 */
static actio_expr minus(struct actio_pool *pool, actio_expr a) { return actio_is_zero(a) ? a : actio_neg(pool, a); }

/* Two tangents that are orthonormal with the normal n, without a singular direction: Duff et al. 2017, J. Comput.
 * Graph. Tech. 6(1), listing 3. */
static void tangents(struct actio_pool *pool, const actio_expr n[SPACE], actio_expr first[SPACE],
                     actio_expr second[SPACE])
{
    actio_expr one = actio_const(pool, 1), none = { 0 };
    actio_expr sign = actio_choose(pool, actio_op2(pool, ACTIO_LT, n[2], none), actio_const(pool, -1), one);
    actio_expr a = actio_div(pool, actio_const(pool, -1), actio_add(pool, sign, n[2])),
               ax = friction_product(pool, a, n[0]), ay = friction_product(pool, a, n[1]);
    first[0] = actio_add(pool, one, friction_product(pool, sign, friction_product(pool, ax, n[0])));
    first[1] = friction_product(pool, sign, friction_product(pool, ax, n[1]));
    first[2] = minus(pool, friction_product(pool, sign, n[0]));
    second[0] = friction_product(pool, ax, n[1]);
    second[1] = actio_add(pool, sign, friction_product(pool, ay, n[1]));
    second[2] = minus(pool, n[1]);
}

static void slip_along(struct actio_reader *r, actio_expr surface, struct actio_friction *f)
{
    struct actio_pool *pool = &r->model->pool;
    size_t n = r->model->coords;
    actio_expr q[SPACE], v[SPACE], normal[SPACE], tangent[ACTIO_SLIPS][SPACE];
    for (size_t i = 0; i < n; i++) {
        q[i] = r->model->coord[i].x;
        v[i] = r->model->coord[i].dot;
    }
    actio_gradient(pool, surface, q, n, normal);
    for (size_t i = 0; i < n; i++) normal[i] = actio_simplify(pool, normal[i]);
    f->scale = actio_op1(pool, ACTIO_SQRT, actio_simplify(pool, dot(pool, normal, normal, n)));
    for (size_t i = 0; i < n; i++)
        if (!actio_is_zero(normal[i])) normal[i] = actio_div(pool, normal[i], f->scale);
    if (n == 2) {
        tangent[0][0] = normal[1];
        tangent[0][1] = minus(pool, normal[0]);
    } else tangents(pool, normal, tangent[0], tangent[1]);
    for (f->slips = 0; f->slips + 1 < n; f->slips++) f->slip[f->slips] = dot(pool, tangent[f->slips], v, n);
}

/* Why the slip can't be found; NULL where it can. */
static const char *friction_objection(struct actio_reader *r, const struct actio_options *o,
                                      const struct actio_rough *of)
{
    bool contact = o->s->keyword == ACTIO_W_contact;
    if (r->mass == ACTIO_MASS_UNKNOWN) r->mass = is_point_mass(r) ? ACTIO_MASS_POINT : ACTIO_MASS_OTHER;
    if (r->mass == ACTIO_MASS_OTHER)
        return "it can be inferred only for one point mass in Cartesian coordinates, with kinetic energy m/2*sum of "
               "q'^2 over all of them";
    if (r->model->coords == 1)
        return contact ? "one coordinate, which the wall stops, has nothing to slide along"
                       : "one coordinate, which the constraint holds, has nothing to slide along";
    return actio_is_zero(of->surface) ? "it can be inferred only for holonomic constraints without `acting` and `along`"
                                      : NULL;
}

/* ---- all of it */

bool actio_friction_of(struct actio_reader *r, const struct actio_options *o, const struct actio_rough *of,
                       struct actio_friction *out)
{
    const struct actio_item *friction = option(o, ACTIO_W_friction), *stick = option(o, ACTIO_W_stick);
    struct actio_friction f = { .given = friction,
                                .stick_given = stick,
                                .scale = actio_const(&r->model->pool, 1),
                                .span = friction ? friction->span : o->s->span };
    if (option(o, ACTIO_W_slip) && !written_slip(r, o, of, &f)) return false;
    if (stick && !friction)
        return friction_fault(r, ACTIO_F_STICK_NO_FRICTION, o, stick->span, ACTIO_ARGS(ACTIO_TEXT(of->label)));
    if (friction && !coefficients(r, o, of, &f)) return false;
    if (friction && !f.slip_given) {
        /* else that is said */
        const char *why = actio_reader_failed(r) || !r->model->has_lagrangian ? "" : friction_objection(r, o, of);
        if (why && *why)
            friction_fault(r, ACTIO_F_FRICTION_NEEDS_SLIP, o, friction->span,
                           ACTIO_ARGS(ACTIO_TEXT(of->label), ACTIO_TEXT(why)));
        if (why) return false;
        slip_along(r, of->surface, &f);
    }
    *out = f;
    return true;
}
