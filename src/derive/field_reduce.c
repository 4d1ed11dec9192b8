/* SPDX-License-Identifier: Apache-2.0
 * Formulas on pointwise holonomic constraints: a square goes where the constraint gives it, and where two slopes move
 * on a circle, what follows them is a curvature along the axis and a turning in time:  x_s^2 + y_s^2 = 1  gives  (x_ss,
 * y_ss) = kappa*(-y_s, x_s).  [SBZB
 * 2.18] */
#include "derive/field.h"
#include "derive/square.h"
#include "expr/normal.h"

enum { DEGREE = 12 }; /* of polynomials that are reduced */

static actio_expr without(struct actio_continuum *c, actio_expr e, actio_expr x)
{
    return actio_substitute(c->pool, e, &x, &(actio_expr){ 0 }, 1);
}
static actio_expr field_reduce_tidy(struct actio_continuum *c, actio_expr e) { return actio_tidy(c->d, e); }

/* ---- finding them */

static actio_expr second(struct actio_continuum *c, actio_expr g, actio_expr x)
{
    return field_reduce_tidy(c, actio_diff(c->pool, actio_diff(c->pool, g, x), x));
}

/* g = a/2*x^2 + b with a constant a: x^2 = -2*b/a */
static bool solve_square(struct actio_continuum *c, actio_expr g, actio_expr x, struct actio_field_relation *r)
{
    actio_expr slope = actio_diff(c->pool, g, x), a = second(c, g, x);
    if (actio_is_zero(a) || !actio_is_still(c, a) || !actio_is_identically_zero(c->pool, without(c, slope, x)))
        return false;
    r->square = x;
    r->value =
        field_reduce_tidy(c, actio_div(c->pool, actio_mul(c->pool, actio_const(c->pool, -2), without(c, g, x)), a));
    return true;
}

static bool only_these(struct actio_continuum *c, actio_expr g, uint16_t axis, const actio_expr *jet)
{
    return !actio_is_open(c, actio_substitute(c->pool, g, jet, (actio_expr[2]){ { 0 }, { 0 } }, 2), axis);
}

/* Is it a circle that two derivatives of one order move on? */
static void find_circle(struct actio_continuum *c, actio_expr g, struct actio_field_relation *r)
{
    actio_expr jet[2], a = second(c, g, r->square), sum = { 0 };
    size_t n = 0;
    r->order = actio_slot_of(c->pool, r->square).offset;
    for (uint32_t i = 0; i < c->m->coords; i++) {
        actio_expr x = actio_jet(c->j, ACTIO_SPACE_Q, i, r->order);
        if (c->m->coord[i].axis != r->axis || !actio_uses_symbol(c->pool, g, x)) continue;
        if (n == 2) return;
        r->field[n] = i;
        jet[n++] = x;
    }
    if (n < 2 || !only_these(c, g, r->axis, jet)) return;
    for (n = 0; n < 2; n++) {
        r->tangent[n] = field_reduce_tidy(c, actio_div(c->pool, actio_diff(c->pool, g, jet[n]), a));
        sum = actio_add(c->pool, sum, actio_power(c->pool, r->tangent[n], 2));
    }
    r->radius = actio_reduced(c, sum);
    r->unit = !actio_is_zero(r->radius) && actio_is_still(c, r->radius);
}

static bool find_relation(struct actio_continuum *c, size_t k, struct actio_field_relation *r)
{
    *r = (struct actio_field_relation){ .constraint = k, .axis = c->m->constraint[k].axis };
    for (uint32_t i = 0; i < c->m->coords; i++)
        for (int order = c->K; order >= 0; order--) {
            actio_expr x = actio_jet(c->j, ACTIO_SPACE_Q, i, order);
            if (c->m->coord[i].axis == r->axis && actio_uses_symbol(c->pool, c->g[k], x)
                && solve_square(c, c->g[k], x, r))
                return true;
        }
    return false;
}

void actio_find_field_relations(struct actio_continuum *c)
{
    c->relation = actio_form_array(c->d->F, c->m->constraints, sizeof *c->relation);
    for (size_t k = 0; k < c->m->constraints; k++) {
        const struct actio_constraint *con = &c->m->constraint[k];
        if (!con->axis || con->kind != ACTIO_HOLONOMIC || !find_relation(c, k, &c->relation[c->relations])) continue;
        find_circle(c, c->g[k], &c->relation[c->relations++]);
    }
    for (size_t i = 0; i < c->relations; i++)
        if (!c->relation[i].unit) find_circle(c, c->g[c->relation[i].constraint], &c->relation[i]);
}

/* ---- squares */

/* e as a polynomial in x, x^2 replaced; the rest stays. */
static actio_expr with_square(struct actio_continuum *c, actio_expr e, actio_expr x, actio_expr value)
{
    actio_expr sum = { 0 }, rest = e;
    double factorial = 1;
    for (int k = 0; !actio_is_zero(rest); k++) {
        if (k > DEGREE) return e;
        if (k) factorial *= k;
        actio_expr power = actio_mul(c->pool, actio_power(c->pool, value, k / 2), k % 2 ? x : actio_const(c->pool, 1));
        sum = actio_add(
            c->pool, sum,
            actio_times(c->pool, actio_mul(c->pool, actio_const(c->pool, 1 / factorial), power), without(c, rest, x)));
        rest = actio_diff(c->pool, rest, x);
        if (!actio_is_zero(rest)) rest = field_reduce_tidy(c, rest);
    }
    return field_reduce_tidy(c, sum);
}

actio_expr actio_reduced(struct actio_continuum *c, actio_expr e)
{
    e = field_reduce_tidy(c, e);
    for (size_t i = 0; i < c->relations; i++) {
        const struct actio_field_relation *r = &c->relation[i];
        actio_expr slope = actio_diff(c->pool, e, r->square);
        if (!actio_is_zero(slope) && !actio_is_zero(actio_diff(c->pool, slope, r->square)))
            e = with_square(c, e, r->square, r->value);
    }
    return e;
}

/* ---- curvature and turning */

static actio_expr named(struct actio_continuum *c, const struct actio_field_relation *r, const char *name,
                        const char *otherwise)
{
    size_t index = (size_t)(r - c->relation);
    if (index) name = otherwise = actio_arena_format(&c->d->arena, "%s_%zu", name, index + 1);
    actio_expr taken = actio_shown_free(c->d, name, otherwise, "");
    return actio_jet_own(c->j, c->d->name[actio_slot_of(c->pool, taken).index].text, r->axis);
}

static actio_expr normal(struct actio_continuum *c, const struct actio_field_relation *r, int i)
{
    return i ? r->tangent[0] : actio_neg(c->pool, r->tangent[1]);
}

struct replacing {
    actio_expr *from, *to;
    size_t n;
};

/* Derivatives of one kind from `order` on, as many as occur: name times normal, and what follows from it. */
static void replace_from(struct actio_continuum *c, struct actio_field_relation *r, enum actio_space space, int order,
                         int highest, actio_expr name, struct replacing *out)
{
    actio_expr now[2], bend[4];
    for (int i = 0; i < 2; i++) {
        bend[i] = actio_jet(c->j, ACTIO_SPACE_Q, r->field[i], r->order + 1);
        now[i] = actio_mul(c->pool, name, normal(c, r, i));
        bend[2 + i] = actio_is_zero(r->curvature) ? bend[i] : actio_mul(c->pool, r->curvature, normal(c, r, i));
    }
    for (int k = order; k <= highest; k++)
        for (int i = 0; i < 2; i++) {
            out->from[out->n] = actio_jet(c->j, space, r->field[i], k);
            out->to[out->n++] = now[i];
            now[i] =
                actio_reduced(c, actio_substitute(c->pool, actio_jet_next(c->j, now[i], r->axis), bend, bend + 2, 2));
        }
}

static int highest_of(struct actio_continuum *c, actio_expr e, const struct actio_field_relation *r,
                      enum actio_space space)
{
    struct actio_cone cone = actio_cone_of(c->pool, &e, 1);
    int most = -1;
    for (uint32_t i = 0; i < cone.count; i++) {
        if (c->pool->node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot s = c->pool->slot[c->pool->node[cone.id[i]].a];
        bool of = s.space == space && s.axis == r->axis && (s.index == r->field[0] || s.index == r->field[1]);
        if (of && s.offset > most) most = s.offset;
    }
    return most;
}

actio_expr actio_reduced_by_names(struct actio_continuum *c, actio_expr e)
{
    for (size_t i = 0; i < c->relations; i++) {
        struct actio_field_relation *r = &c->relation[i];
        int q = highest_of(c, e, r, ACTIO_SPACE_Q), v = highest_of(c, e, r, ACTIO_SPACE_V);
        if (!r->unit || (q <= r->order && v < r->order)) continue;
        if (actio_is_zero(r->curvature)) r->curvature = named(c, r, "kappa", "curvature");
        if (v >= r->order && actio_is_zero(r->turning)) r->turning = named(c, r, "omega", "turning");
        size_t room = 2 * (size_t)((q > 0 ? q : 0) + (v > 0 ? v : 0) + 2);
        struct replacing out = { actio_form_array(c->d->F, room, sizeof(actio_expr)),
                                 actio_form_array(c->d->F, room, sizeof(actio_expr)), 0 };
        replace_from(c, r, ACTIO_SPACE_Q, r->order + 1, q, r->curvature, &out);
        if (v >= r->order) replace_from(c, r, ACTIO_SPACE_V, r->order, v, r->turning, &out);
        e = actio_substitute(c->pool, e, out.from, out.to, out.n);
    }
    return actio_reduced(c, e);
}

/* ---- said */

static bool uses_own(struct actio_continuum *c, const actio_expr *e, size_t n, actio_expr name)
{
    struct actio_cone cone = actio_cone_of(c->pool, e, n);
    uint32_t own = actio_slot_of(c->pool, name).index;
    for (uint32_t i = 0; i < cone.count; i++) {
        if (c->pool->node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot s = c->pool->slot[c->pool->node[cone.id[i]].a];
        if (s.space == ACTIO_SPACE_STATE && s.axis && s.index == own) return true;
    }
    return false;
}

/* normal*derivative over the radius */
static void say_name(struct actio_continuum *c, const struct actio_field_relation *r, actio_expr name,
                     enum actio_space space, int order)
{
    actio_expr sum = { 0 };
    for (int i = 0; i < 2; i++)
        sum = actio_add(c->pool, sum, actio_mul(c->pool, normal(c, r, i), actio_jet(c->j, space, r->field[i], order)));
    actio_shown_equation(c->d, NULL, name, actio_tidy_shown(c->d, actio_div(c->pool, sum, r->radius)));
}

void actio_say_names(struct actio_continuum *c, const actio_expr *e, size_t n)
{
    for (size_t i = 0; n && i < c->relations; i++) {
        const struct actio_field_relation *r = &c->relation[i];
        if (!actio_is_zero(r->curvature) && uses_own(c, e, n, r->curvature))
            say_name(c, r, r->curvature, ACTIO_SPACE_Q, r->order + 1);
        if (!actio_is_zero(r->turning) && uses_own(c, e, n, r->turning))
            say_name(c, r, r->turning, ACTIO_SPACE_V, r->order);
    }
}

/* What is differentiated along the axis is the force across a cut: lambda*dg/du_s along a unit vector, with the other
 * sign where it pulls. */
void actio_say_tension(struct actio_continuum *c)
{
    for (size_t i = 0; i < c->relations; i++) {
        const struct actio_field_relation *r = &c->relation[i];
        struct actio_text t;
        if (!r->unit || r->order != 1
            || !actio_is_identically_zero(c->pool, actio_sub(c->pool, r->radius, actio_const(c->pool, 1))))
            continue;
        actio_expr a = second(c, c->g[r->constraint], r->square);
        const char *label = c->m->constraint[r->constraint].label;
        actio_expr name = actio_shown_free(c->d, "tension", "tension_", "T");
        if (c->relations > 1) name = actio_shown_indexed(c->d, "tension", "T", label);
        actio_text_open(&t, &c->d->arena);
        actio_text_format(
            &t, "the force across a cut along (diff(%s, %s), diff(%s, %s)):", c->m->coord[r->field[0]].name,
            c->m->field.axis[r->axis - 1].name, c->m->coord[r->field[1]].name, c->m->field.axis[r->axis - 1].name);
        actio_shown_words(c->d, t.s);
        actio_shown_equation(c->d, NULL, name,
                             field_reduce_tidy(c, actio_neg(c->pool, actio_mul(c->pool, a, c->lambda[r->constraint]))));
    }
}
