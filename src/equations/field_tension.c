/* SPDX-License-Identifier: Apache-2.0
 * A line whose neighbours are tied by one constraint a cell, with masses at its nodes: the tridiagonal matrix of the
 * tensions and the accelerations that they give, as formulas of their own. Nothing of this is needed for a motion; it
 * saves the way over general matrices.
 * [HAMEL B.2, SPEED P5]
 *     (A G^-1 A') lambda = c - A G^-1 h,   z' = G^-1 (h + A' lambda)
 * Coordinates that a constraint holds have the inverse mass 0. */
#include "equations/field.h"

enum { MOST_FIELDS = 8 };
struct tension {
    struct actio_fields *w;
    size_t line;
    const struct actio_patch *cells;
    uint32_t nodes;
};

/* The same formula of the lane `by` further on. */
static actio_expr shifted(struct actio_fields *w, actio_expr e, int by)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *from = actio_form_array(w->F, cone.count, sizeof *from),
               *to = actio_form_array(w->F, cone.count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_SYMBOL && pool->slot[pool->node[cone.id[i]].a].axis)
            from[count++] = (actio_expr){ cone.id[i] };
    for (uint32_t i = 0; i < count; i++) {
        actio_slot s = actio_slot_of(pool, from[i]);
        s.offset = (int8_t)(s.offset + by);
        to[i] = actio_symbol_at(pool, s);
    }
    return count ? actio_substitute(pool, e, from, to, count) : e;
}

static bool is_steady(struct actio_fields *w, actio_expr e)
{
    static const enum actio_space moving[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_T, ACTIO_SPACE_SUM,
                                               ACTIO_SPACE_RUNNING };
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (actio_uses(&w->F->pool, e, moving[i])) return false;
    return true;
}

/* Masses at the nodes of one axis only, steady, each coordinate's its own. */
static bool masses_fit(struct actio_fields *w, uint32_t nodes)
{
    for (uint32_t i = 0; i < w->patches; i++) {
        const struct actio_patch *p = &w->patch[i];
        if (i != nodes && p->W.count) return false;
        for (size_t e = 0; e < p->W.count; e++)
            if (p->W.at[e].row != p->W.at[e].col || !is_steady(w, p->W.at[e].e)) return false;
    }
    return true;
}

/* Forces at the nodes only. */
static bool forces_fit(struct actio_fields *w, uint32_t nodes)
{
    for (uint32_t i = 0; i < w->patches; i++)
        for (size_t j = 0; j < w->patch[i].xs; j++) {
            const struct actio_local *x = &w->patch[i].x[j];
            if (actio_is_zero(w->patch[i].h[j])) continue;
            if (i != nodes || !x->moves || actio_slot_of(&w->F->pool, x->q).offset != 0) return false;
            if (actio_uses(&w->F->pool, w->patch[i].h[j], ACTIO_SPACE_SUM)
                || actio_uses(&w->F->pool, w->patch[i].h[j], ACTIO_SPACE_RUNNING))
                return false;
        }
    return true;
}

/* One constraint along cells, between neighbours; the others hold single coordinates at rest. */
static bool lines_fit(struct actio_fields *w, struct tension *t)
{
    const struct actio_model *m = w->F->model;
    bool found = false;
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        if (m->constraint[k].rule != ACTIO_IDEAL || m->constraint[k].kind == ACTIO_ACCELERATION) return false;
        if (l->patch == 0) {
            if (l->A.count != 1 || !actio_is_zero(l->c) || !actio_is_const(&w->F->pool, l->A.at[0].e)
                || actio_uses(&w->F->pool, l->level, ACTIO_SPACE_SUM))
                return false;
            continue;
        }
        if (found || !w->patch[l->patch].half) return false;
        found = true;
        t->line = k;
        t->cells = &w->patch[l->patch];
        t->nodes = l->patch - 1;
        for (size_t e = 0; e < l->A.count; e++) {
            const struct actio_local *x = &t->cells->x[l->A.at[e].col];
            int offset = actio_slot_of(&w->F->pool, x->q).offset;
            if (!x->moves || offset < 0 || offset > 1) return false;
        }
    }
    return found;
}

static bool fits(struct actio_fields *w, struct tension *t)
{
    const struct actio_model *m = w->F->model;
    *t = (struct tension){ .w = w };
    for (size_t i = 0; i < m->coords; i++)
        if (!m->coord[i].axis || w->left[i] || w->right[i] || m->coords > MOST_FIELDS) return false;
    return m->field.axes == 1 && w->slaves == 0 && lines_fit(w, t) && masses_fit(w, t->nodes) && forces_fit(w, t->nodes)
           && t->cells->lanes > 2;
}

static actio_expr mass_of(const struct tension *t, uint32_t variable)
{
    const struct actio_patch *p = &t->w->patch[t->nodes];
    actio_expr mass = { 0 };
    for (size_t e = 0; e < p->W.count; e++)
        if (actio_slot_of(&t->w->F->pool, p->x[p->W.at[e].row].q).index == variable) mass = p->W.at[e].e;
    return mass;
}

/* The coordinate that a constraint holds at rest; SIZE_MAX: it is the one along the cells. */
static size_t held_by(const struct actio_fields *w, size_t constraint)
{
    const struct actio_line *l = &w->line[constraint];
    return l->patch == 0 ? w->patch[0].x[l->A.at[0].col].at : SIZE_MAX;
}

static bool is_node_held(const struct actio_fields *w, size_t coordinate)
{
    for (size_t c = 0; c < w->F->model->constraints; c++)
        if (held_by(w, c) == coordinate) return true;
    return false;
}

/* Is each node of `a` that is held also held in `b`? */
static bool held_in_both(const struct tension *t, uint32_t a, uint32_t b)
{
    const struct actio_fields *w = t->w;
    size_t from = w->base[a], end = from + w->patch[t->nodes].lanes;
    for (size_t c = 0; c < w->F->model->constraints; c++) {
        size_t at = held_by(w, c);
        if (at >= from && at < end && !is_node_held(w, at - from + w->base[b])) return false;
    }
    return true;
}

/* Do two fields have the same masses, and are the same of their nodes held? */
static bool same_masses(const struct tension *t, uint32_t a, uint32_t b)
{
    return actio_same(mass_of(t, a), mass_of(t, b)) && held_in_both(t, a, b) && held_in_both(t, b, a);
}

/* Of fields with the same masses the first one's are taken. */
static actio_expr inverse_at(const struct tension *t, uint32_t variable, int offset)
{
    for (uint32_t first = 0; first < variable; first++)
        if (same_masses(t, first, variable)) variable = first;
    return actio_symbol_at(&t->w->F->pool, (actio_slot){ .space = ACTIO_SPACE_INVERSE,
                                                         .axis = t->cells->axis,
                                                         .index = variable,
                                                         .offset = (int8_t)offset });
}

/* Force on a field's node, from the node patch. */
static actio_expr force_on(const struct tension *t, uint32_t variable)
{
    const struct actio_patch *p = &t->w->patch[t->nodes];
    for (size_t j = 0; j < p->xs; j++) {
        actio_slot s = actio_slot_of(&t->w->F->pool, p->x[j].q);
        if (s.axis && s.index == variable && s.offset == 0) return p->h[j];
    }
    return (actio_expr){ 0 };
}

/* Its acceleration by that force only: a number for each node where it is steady. */
static actio_expr free_at(const struct tension *t, uint32_t variable, int offset)
{
    struct actio_fields *w = t->w;
    actio_expr force = force_on(t, variable);
    if (actio_is_zero(force)) return force;
    if (is_steady(w, force))
        return actio_symbol_at(&w->F->pool, (actio_slot){ .space = ACTIO_SPACE_FREE,
                                                          .axis = t->cells->axis,
                                                          .index = variable,
                                                          .offset = (int8_t)offset });
    return actio_field_times(w, shifted(w, force, offset), inverse_at(t, variable, offset));
}

/* e = coef*x, or -coef*x: what numbers and params it is multiplied by in one factor, those of its factors too. Lanes
 * then multiply once. */
struct product {
    actio_expr coef, x;
    bool minus;
};

struct factors {
    double number;
    actio_expr coef;
    bool minus;
};

static bool is_given(const struct actio_pool *pool, actio_expr e) { return actio_level_of(pool, e) <= ACTIO_LV_PARAM; }

static void take_factor(struct actio_pool *pool, struct factors *f, actio_expr by, bool under)
{
    if (actio_is_const(pool, by))
        f->number = under ? f->number / actio_const_value(pool, by) : f->number * actio_const_value(pool, by);
    else f->coef = under ? actio_div(pool, f->coef, by) : actio_mul(pool, f->coef, by);
}

/* e without the factors at its top. */
static actio_expr stripped(struct actio_pool *pool, actio_expr e, struct factors *f)
{
    for (;;) {
        struct actio_node n = pool->node[e.id];
        actio_expr a = { n.a }, b = { n.b };
        if (n.op == ACTIO_NEG) {
            f->minus = !f->minus;
            e = a;
        } else if (n.op == ACTIO_MUL && is_given(pool, a)) {
            take_factor(pool, f, a, false);
            e = b;
        } else if ((n.op == ACTIO_MUL || n.op == ACTIO_DIV) && is_given(pool, b)) {
            take_factor(pool, f, b, n.op == ACTIO_DIV);
            e = a;
        } else return e;
    }
}

static struct product taken_apart(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->pool;
    struct factors f = { 1, actio_const(pool, 1), false };
    e = stripped(pool, e, &f);
    struct actio_node n = pool->node[e.id];
    if (n.op == ACTIO_MUL) {
        actio_expr a = stripped(pool, (actio_expr){ n.a }, &f), b = stripped(pool, (actio_expr){ n.b }, &f);
        e = actio_mul(pool, a, b);
    }
    if (f.number < 0) {
        f.number = -f.number;
        f.minus = !f.minus;
    }
    return (struct product){ actio_is_const(pool, f.coef)
                                 ? actio_const(pool, f.number * actio_const_value(pool, f.coef))
                                 : actio_mul(pool, actio_const(pool, f.number), f.coef),
                             e, f.minus };
}

/* The product of two coefficients, numbers joined. */
static actio_expr joined(struct actio_fields *w, actio_expr a, actio_expr b)
{
    struct actio_pool *pool = &w->F->pool;
    return actio_is_const(pool, a) && actio_is_const(pool, b)
               ? actio_const(pool, actio_const_value(pool, a) * actio_const_value(pool, b))
               : actio_mul(pool, a, b);
}

/* Sums of +-coef*factor*x, gathered: by equal coefficients and factors, then by equal coefficients and x. */
enum { MOST_TERMS = 16, MOST_PARTS = MOST_TERMS + 4 * MOST_FIELDS };
struct part {
    actio_expr coef, factor, x;
    bool minus;
};
struct gathering {
    struct actio_fields *w;
    struct part at[MOST_PARTS];
    size_t count;
};

static void field_tension_gather(struct gathering *g, actio_expr coef, actio_expr factor, actio_expr x, bool minus)
{
    struct actio_pool *pool = &g->w->F->pool;
    size_t k = 0;
    while (k < g->count && !(actio_same(g->at[k].factor, factor) && actio_same(g->at[k].coef, coef))) k++;
    struct part *p = &g->at[k];
    if (k == g->count) {
        *p = (struct part){ coef, factor, x, minus };
        g->count++;
    } else p->x = minus == p->minus ? actio_add(pool, p->x, x) : actio_sub(pool, p->x, x);
}

static actio_expr gathered(struct gathering *g)
{
    struct actio_pool *pool = &g->w->F->pool;
    actio_expr sum = { 0 };
    for (size_t k = 0; k < g->count; k++) {
        struct part p = g->at[k];
        if (actio_is_zero(p.x)) continue;
        for (size_t j = k + 1; j < g->count; j++) {
            struct part *q = &g->at[j];
            if (!actio_same(q->x, p.x) || !actio_same(q->coef, p.coef)) continue;
            p.factor =
                q->minus == p.minus ? actio_add(pool, p.factor, q->factor) : actio_sub(pool, p.factor, q->factor);
            q->x = (actio_expr){ 0 };
        }
        bool number = actio_is_const(pool, p.coef);
        if (p.minus && number) p.coef = actio_const(pool, -actio_const_value(pool, p.coef));
        actio_expr term = actio_field_times(g->w, actio_field_times(g->w, p.coef, p.factor), p.x);
        sum = p.minus && !number ? actio_sub(pool, sum, term) : actio_add(pool, sum, term);
    }
    return sum;
}

/* The terms of a sum one by one, so that equal coefficients are met. */
static void gather_terms(struct gathering *g, struct product all)
{
    struct actio_pool *pool = &g->w->F->pool;
    struct product left[MOST_TERMS] = { all };
    for (size_t count = 1, found = 1; count-- > 0;) {
        struct product p = left[count], x = taken_apart(g->w, p.x);
        struct actio_node n = pool->node[x.x.id];
        x.coef = joined(g->w, p.coef, x.coef);
        x.minus = x.minus != p.minus;
        if ((n.op != ACTIO_ADD && n.op != ACTIO_SUB) || found == MOST_TERMS) {
            field_tension_gather(g, x.coef, actio_const(pool, 1), x.x, x.minus);
            continue;
        }
        left[count++] = (struct product){ x.coef, { n.b }, x.minus != (n.op == ACTIO_SUB) };
        left[count++] = (struct product){ x.coef, { n.a }, x.minus };
        found++;
    }
}

struct row {
    actio_expr diag, off, rhs;
};

static struct row row_of(const struct tension *t)
{
    struct actio_fields *w = t->w;
    struct actio_pool *pool = &w->F->pool;
    const struct actio_line *l = &w->line[t->line];
    actio_expr weight = t->cells->weight;
    struct row r = { { 0 }, { 0 }, { 0 } };
    struct gathering diag = { .w = w }, off = { .w = w }, rhs = { .w = w };
    if (!actio_is_zero(l->c)) gather_terms(&rhs, taken_apart(w, actio_field_times(w, weight, l->c)));
    for (size_t e = 0; e < l->A.count; e++) {
        actio_slot s = actio_slot_of(pool, t->cells->x[l->A.at[e].col].q);
        struct product a = taken_apart(w, actio_field_times(w, weight, l->A.at[e].e));
        actio_expr inverse = inverse_at(t, s.index, s.offset), pushed = free_at(t, s.index, s.offset);
        field_tension_gather(&diag, joined(w, a.coef, a.coef), inverse, actio_power(pool, a.x, 2), false);
        if (!actio_is_zero(pushed)) field_tension_gather(&rhs, a.coef, pushed, a.x, !a.minus);
        for (size_t f = 0; f < l->A.count && s.offset == 1; f++) {
            actio_slot other = actio_slot_of(pool, t->cells->x[l->A.at[f].col].q);
            if (other.index != s.index || other.offset != 0) continue;
            struct product b = taken_apart(w, shifted(w, actio_field_times(w, weight, l->A.at[f].e), 1));
            field_tension_gather(&off, joined(w, a.coef, b.coef), inverse, actio_field_times(w, a.x, b.x),
                                 a.minus != b.minus);
        }
    }
    r.diag = gathered(&diag);
    r.off = gathered(&off);
    r.rhs = gathered(&rhs);
    return r;
}

static void field_tension_put(struct actio_emits *l, uint32_t patch, long first, long last, actio_expr e, size_t at)
{
    ACTIO_PUSH(&l->w->F->arena, l->at, l->count, l->cap) =
        (struct actio_emit){ patch, first, last, e, { ACTIO_STREAM_PUT, at + (size_t)first, 0, 0 } };
}

/* diag, off, rhs by cell; the last has no neighbour behind it. */
void actio_field_list_tension(struct actio_emits *l)
{
    struct tension t;
    if (!fits(l->w, &t)) return;
    struct row r = row_of(&t);
    uint32_t patch = (uint32_t)(t.cells - l->w->patch);
    long last = (long)t.cells->lanes - 1;
    size_t lanes = t.cells->lanes;
    field_tension_put(l, patch, 0, last - 1, r.diag, 0);
    field_tension_put(l, patch, 0, last - 1, r.off, lanes);
    field_tension_put(l, patch, 0, last - 1, r.rhs, 2 * lanes);
    field_tension_put(l, patch, last, last, r.diag, 0);
    field_tension_put(l, patch, last, last, r.rhs, 2 * lanes);
    l->values = 3 * lanes;
}

/* Pull on a field's node by the cells before and behind it, where there are any. */
static actio_expr pull_on(const struct tension *t, uint32_t variable, bool before, bool behind)
{
    struct actio_fields *w = t->w;
    struct actio_pool *pool = &w->F->pool;
    const struct actio_line *l = &w->line[t->line];
    actio_expr lambda = actio_symbol_at(
        pool, (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = t->cells->axis, .index = (uint32_t)t->line });
    struct gathering pull = { .w = w };
    for (size_t e = 0; e < l->A.count; e++) {
        actio_slot s = actio_slot_of(pool, t->cells->x[l->A.at[e].col].q);
        if (s.index != variable || (s.offset ? !before : !behind)) continue;
        struct product a = taken_apart(w, shifted(w, actio_field_times(w, t->cells->weight, l->A.at[e].e), -s.offset));
        field_tension_gather(&pull, a.coef, inverse_at(t, variable, 0),
                             actio_field_times(w, shifted(w, lambda, -s.offset), a.x), a.minus);
    }
    return actio_add(pool, free_at(t, variable, 0), gathered(&pull));
}

void actio_field_list_pull(struct actio_emits *l)
{
    struct tension t;
    const struct actio_model *m = l->w->F->model;
    if (!fits(l->w, &t)) return;
    long last = (long)l->w->patch[t.nodes].lanes - 1;
    for (uint32_t i = 0; i < m->coords; i++) {
        field_tension_put(l, t.nodes, 1, last - 1, pull_on(&t, i, true, true), l->w->base[i]);
        field_tension_put(l, t.nodes, 0, 0, pull_on(&t, i, false, true), l->w->base[i]);
        field_tension_put(l, t.nodes, last, last, pull_on(&t, i, true, false), l->w->base[i]);
    }
    l->values = l->w->F->n;
}
