/* SPDX-License-Identifier: Apache-2.0
 * The principle of d'Alembert on the continuum: variations of the Lagrangian, forces and reactions, by field and order
 * of derivative. */
#include "derive/field.h"
#include "derive/square.h"
#include "expr/normal.h"

static void *field_form_array(struct actio_continuum *c, size_t n)
{
    return actio_form_array(c->d->F, n, sizeof(actio_expr));
}
static void gain(struct actio_continuum *c, actio_expr *sum, actio_expr e) { *sum = actio_add(c->pool, *sum, e); }
static void lose(struct actio_continuum *c, actio_expr *sum, actio_expr e) { *sum = actio_sub(c->pool, *sum, e); }

/* ---- the model in jets */

static void open_constraints(struct actio_continuum *c)
{
    size_t p = c->m->constraints;
    c->left = field_form_array(c, p);
    c->right = field_form_array(c, p);
    c->g = field_form_array(c, p);
    c->lambda = field_form_array(c, p);
    c->phi = actio_form_array(c->d->F, p, sizeof *c->phi);
    for (size_t k = 0; k < p; k++) {
        const struct actio_constraint *con = &c->m->constraint[k];
        c->left[k] = actio_jet_of(c->j, con->left);
        c->right[k] = actio_jet_of(c->j, con->right);
        c->g[k] = actio_sub(c->pool, c->left[k], c->right[k]);
        c->lambda[k] = actio_symbol_at(
            c->pool, (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = con->axis, .index = (uint32_t)k });
        actio_expr e = actio_mul(c->pool, c->lambda[k], c->g[k]);
        c->phi[k] = actio_functional_of(c->j, con->axis ? actio_jet_integral(c->j, e, con->axis) : e);
    }
}

static void find_points(struct actio_continuum *c)
{
    for (size_t i = 0; i < c->m->forces; i++)
        for (size_t k = 0; k < c->m->force[i].terms; k++) {
            const struct actio_term *t = &c->m->force[i].term[k];
            actio_slot of = { .space = ACTIO_SPACE_Q, .axis = c->m->coord[t->variable].axis, .index = t->variable };
            if (t->placed) actio_jet_point(c->j, of, actio_jet_of(c->j, t->place));
        }
}

/* ---- sums of everything that acts */

static enum actio_space varied(const struct actio_constraint *con)
{
    return con->kind == ACTIO_HOLONOMIC ? ACTIO_SPACE_Q : con->kind == ACTIO_VELOCITY ? ACTIO_SPACE_V : ACTIO_SPACE_ACC;
}

static bool acts_on(const struct actio_constraint *con, uint32_t coord)
{
    bool named = con->rule == ACTIO_IDEAL;
    for (size_t k = 0; con->rule == ACTIO_ACTING && k < con->reactions; k++)
        named = named || con->reaction[k].variable == coord;
    return named;
}

static void act_on_field(struct actio_continuum *c, uint32_t i, int k)
{
    uint16_t axis = c->m->coord[i].axis;
    actio_expr *S = &c->S[i * (size_t)(c->K + 1) + (size_t)k], *T = &c->T[i * (size_t)(c->K + 1) + (size_t)k];
    *T = actio_jet_rate(c->j, actio_continuum_momentum(c, i, k));
    gain(c, S, actio_functional_density(c->j, &c->L, axis, actio_jet(c->j, ACTIO_SPACE_Q, i, k)));
    lose(c, S, actio_functional_density(c->j, &c->R, axis, actio_jet(c->j, ACTIO_SPACE_V, i, k)));
    for (size_t l = 0; l < c->m->constraints; l++)
        if (acts_on(&c->m->constraint[l], i))
            gain(c, S,
                 actio_functional_density(c->j, &c->phi[l], axis, actio_jet(c->j, varied(&c->m->constraint[l]), i, k)));
}

/* On a coordinate or a value at a place: its symbols by space. */
static void act_on_point(struct actio_continuum *c, uint32_t coord, const actio_expr *symbol, actio_expr *T,
                         actio_expr *S)
{
    *T = actio_jet_rate(c->j, actio_functional_by(c->j, &c->L, symbol[1]));
    gain(c, S, actio_functional_by(c->j, &c->L, symbol[0]));
    lose(c, S, actio_functional_by(c->j, &c->R, symbol[1]));
    for (size_t l = 0; l < c->m->constraints; l++)
        if (acts_on(&c->m->constraint[l], coord))
            gain(c, S, actio_functional_by(c->j, &c->phi[l], symbol[varied(&c->m->constraint[l]) - ACTIO_SPACE_Q]));
}

static actio_expr *target(struct actio_continuum *c, const struct actio_term *t)
{
    actio_slot of = { .space = ACTIO_SPACE_Q, .axis = c->m->coord[t->variable].axis, .index = t->variable };
    return t->placed ? &c->PS[actio_jet_point(c->j, of, actio_jet_of(c->j, t->place))]
                     : &c->S[t->variable * (size_t)(c->K + 1)];
}

static void act_directly(struct actio_continuum *c)
{
    for (size_t i = 0; i < c->m->forces; i++)
        for (size_t k = 0; k < c->m->force[i].terms; k++)
            gain(c, target(c, &c->m->force[i].term[k]), actio_jet_of(c->j, c->m->force[i].term[k].e));
    for (size_t l = 0; l < c->m->constraints; l++) {
        const struct actio_constraint *con = &c->m->constraint[l];
        for (size_t k = 0; con->rule == ACTIO_ALONG && k < con->reactions; k++)
            gain(c, target(c, &con->reaction[k]),
                 actio_mul(c->pool, c->lambda[l], actio_jet_of(c->j, con->reaction[k].e)));
    }
}

static void act(struct actio_continuum *c)
{
    size_t orders = (size_t)c->K + 1;
    c->points = c->j->points;
    c->T = field_form_array(c, c->m->coords * orders);
    c->S = field_form_array(c, c->m->coords * orders);
    c->PT = field_form_array(c, c->points);
    c->PS = field_form_array(c, c->points);
    for (uint32_t i = 0; i < c->m->coords; i++) {
        const actio_expr symbol[3] = { actio_jet(c->j, ACTIO_SPACE_Q, i, 0), actio_jet(c->j, ACTIO_SPACE_V, i, 0),
                                       actio_jet(c->j, ACTIO_SPACE_ACC, i, 0) };
        if (!c->m->coord[i].axis) act_on_point(c, i, symbol, &c->T[i * orders], &c->S[i * orders]);
        for (int k = 0; c->m->coord[i].axis && k <= c->K; k++) act_on_field(c, i, k);
    }
    for (uint32_t p = 0; p < c->points; p++) {
        actio_expr symbol[3];
        for (int k = 0; k < 3; k++) symbol[k] = actio_jet_point_symbol(c->j, p, (enum actio_space)(ACTIO_SPACE_Q + k));
        act_on_point(c, c->j->point[p].of.index, symbol, &c->PT[p], &c->PS[p]);
    }
    act_directly(c);
    for (size_t i = 0; i < c->m->coords * orders; i++) {
        c->T[i] = actio_tidy(c->d, c->T[i]);
        c->S[i] = actio_tidy(c->d, c->S[i]);
    }
    for (uint32_t p = 0; p < c->points; p++) {
        c->PT[p] = actio_tidy(c->d, c->PT[p]);
        c->PS[p] = actio_tidy(c->d, c->PS[p]);
    }
}

void actio_continuum_open(struct actio_derivation *d, struct actio_continuum *c)
{
    *c = (struct actio_continuum){ .d = d, .j = d->jets, .pool = &d->F->pool, .m = d->model };
    actio_expr L = actio_jet_of(c->j, c->m->lagrangian), R = actio_jet_of(c->j, c->m->dissipation);
    open_constraints(c);
    find_points(c);
    c->K = actio_jet_order(c->j);
    c->L = actio_functional_of(c->j, L);
    c->R = actio_functional_of(c->j, R);
    act(c);
    actio_find_field_relations(c);
}

actio_expr actio_continuum_momentum(struct actio_continuum *c, size_t coord, int order)
{
    actio_expr v = actio_jet(c->j, ACTIO_SPACE_V, (uint32_t)coord, order);
    return c->m->coord[coord].axis ? actio_functional_density(c->j, &c->L, c->m->coord[coord].axis, v)
                                   : actio_functional_by(c->j, &c->L, v);
}

/* ---- by parts */

actio_expr actio_continuum_flux(struct actio_continuum *c, const actio_expr *by_order, size_t coord, int order)
{
    actio_expr sum = { 0 };
    for (int k = c->K; k > order; k--) { /* R_k - d/ds(what is there) from the highest on */
        if (!actio_is_zero(sum)) sum = actio_neg(c->pool, actio_jet_next(c->j, sum, c->m->coord[coord].axis));
        sum = actio_add(c->pool, sum, by_order[k]);
    }
    return actio_is_zero(sum) ? sum : actio_tidy(c->d, sum);
}

actio_expr actio_continuum_sum(struct actio_continuum *c, const actio_expr *by_order, uint16_t axis)
{
    actio_expr sum = by_order[c->K];
    for (int k = c->K; k-- > 0;) sum = actio_sub(c->pool, by_order[k], actio_jet_next(c->j, sum, axis));
    return sum;
}

bool actio_is_still(struct actio_continuum *c, actio_expr e)
{
    return actio_level_of(c->pool, e) <= ACTIO_LV_PARAM && !actio_uses(c->pool, e, ACTIO_SPACE_HIDDEN);
}

static bool on_axis(struct actio_continuum *c, uint32_t id, uint16_t axis)
{
    return c->pool->node[id].op == ACTIO_SYMBOL && c->pool->slot[c->pool->node[id].a].axis == axis;
}

bool actio_is_open(struct actio_continuum *c, actio_expr e, uint16_t axis)
{
    struct actio_cone cone = actio_cone_of(c->pool, &e, 1);
    bool found = false;
    for (uint32_t i = 0; i < cone.count && !found; i++) found = on_axis(c, cone.id[i], axis);
    return found;
}

/* Linear in what varies along the axis, with coefficients that do not: derivatives are as short written out. */
static bool is_plain(struct actio_continuum *c, actio_expr e, uint16_t axis)
{
    struct actio_cone cone = actio_cone_of(c->pool, &e, 1);
    uint32_t count = 0, *id = actio_form_array(c->d->F, cone.count, sizeof *id);
    for (uint32_t i = 0; i < cone.count; i++)
        if (on_axis(c, cone.id[i], axis)) id[count++] = cone.id[i];
    for (uint32_t i = 0; i < count; i++)
        if (actio_is_open(c, actio_tidy(c->d, actio_diff(c->pool, e, (actio_expr){ id[i] })), axis)) return false;
    return true;
}

/* A number in front of a formula goes before the derivative. */
static actio_expr derivative_shown(struct actio_continuum *c, actio_expr e, uint16_t axis, int order)
{
    double factor = 1;
    actio_expr s =
        actio_symbol_at(c->pool, (actio_slot){ .space = ACTIO_SPACE_AXIS, .axis = axis, .index = axis - 1u });
    for (;;) {
        struct actio_node n = c->pool->node[e.id];
        bool number = n.op == ACTIO_MUL && actio_is_const(c->pool, (actio_expr){ n.a });
        if (n.op != ACTIO_NEG && !number) break;
        factor *= number ? actio_const_value(c->pool, (actio_expr){ n.a }) : -1;
        e = (actio_expr){ number ? n.b : n.a };
    }
    e = actio_group(c->pool, e);
    for (int k = 0; k < order; k++) e = actio_op2(c->pool, ACTIO_DIFF, e, s);
    return actio_mul(c->pool, actio_const(c->pool, order % 2 ? -factor : factor), e);
}

actio_expr actio_continuum_shown(struct actio_continuum *c, const actio_expr *by_order, uint16_t axis, actio_expr *rest)
{
    actio_expr shown = { 0 };
    *rest = by_order[0];
    for (int k = 1; k <= c->K; k++) {
        actio_expr e = by_order[k];
        if (actio_is_zero(e)) continue;
        if (!is_plain(c, e, axis)) {
            gain(c, &shown, derivative_shown(c, e, axis, k));
            continue;
        }
        for (int i = 0; i < k; i++) e = actio_jet_next(c->j, e, axis);
        if (k % 2) lose(c, rest, e);
        else gain(c, rest, e);
    }
    return shown;
}

/* ---- accelerations */

static bool is_rate(const struct actio_pool *pool, uint32_t id)
{
    uint8_t space = pool->node[id].op == ACTIO_SYMBOL ? pool->slot[pool->node[id].a].space : ACTIO_SPACE_T;
    return space == ACTIO_SPACE_ACC || space == ACTIO_SPACE_SDOT;
}

actio_expr actio_without_rates(struct actio_continuum *c, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(c->pool, &e, 1);
    actio_expr *from = field_form_array(c, cone.count), *to = field_form_array(c, cone.count);
    size_t n = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (is_rate(c->pool, cone.id[i])) from[n++] = (actio_expr){ cone.id[i] };
    return actio_substitute(c->pool, e, from, to, n);
}

/* The number in front of a formula. */
static double number_of(const struct actio_pool *pool, actio_expr e)
{
    double factor = 1;
    for (;;) {
        const struct actio_node *n = &pool->node[e.id];
        bool number = n->op == ACTIO_MUL && actio_is_const(pool, (actio_expr){ n->a });
        if (n->op != ACTIO_NEG && !number) return factor;
        factor *= number ? actio_const_value(pool, (actio_expr){ n->a }) : -1;
        e = (actio_expr){ number ? n->b : n->a };
    }
}

void actio_show_solved_for_rates(struct actio_continuum *c, actio_expr left, actio_expr right, actio_expr shown)
{
    actio_expr rest = actio_without_rates(c, left);
    left = actio_tidy(c->d, actio_sub(c->pool, left, rest));
    right = actio_tidy(c->d, actio_sub(c->pool, right, rest));
    double factor = number_of(c->pool, left);
    actio_expr by = actio_const(c->pool, 1 / factor);
    if (factor != 1) {
        left = actio_tidy(c->d, actio_mul(c->pool, by, left));
        right = actio_tidy(c->d, actio_mul(c->pool, by, right));
        shown = actio_mul(c->pool, by, shown);
    }
    right = actio_add(c->pool, actio_group(c->pool, right), shown);
    actio_shown_equation(c->d, NULL, actio_jet_shown(c->j, actio_group(c->pool, left)), actio_jet_shown(c->j, right));
}
