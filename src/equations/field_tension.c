/* SPDX-License-Identifier: Apache-2.0
 * A line whose neighbours are tied by one constraint a cell, with masses at its nodes: the tridiagonal matrix of the tensions and the accelerations that they
 * give, as formulas of their own. Nothing of this is needed for a motion; it saves the way over general matrices.          [HAMEL B.2, SPEED P5]
 *     (A G^-1 A') lambda = c - A G^-1 h,   z' = G^-1 (h + A' lambda)
 * Coordinates that a constraint holds have the inverse mass 0. */
#include "equations/field.h"

struct tension { struct actio_fields *w; size_t line; const struct actio_patch *cells; uint32_t nodes; };

static actio_expr times(struct actio_fields *w, actio_expr a, actio_expr b) { return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(&w->F->pool, a, b); }

/* The same formula of the lane `by` further on. */
static actio_expr shifted(struct actio_fields *w, actio_expr e, int by)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *from = actio_form_array(w->F, cone.count, sizeof *from), *to = actio_form_array(w->F, cone.count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_SYMBOL && pool->slot[pool->node[cone.id[i]].a].axis) from[count++] = (actio_expr){ cone.id[i] };
    for (uint32_t i = 0; i < count; i++) {
        actio_slot s = actio_slot_of(pool, from[i]);
        s.offset = (int8_t)(s.offset + by);
        to[i] = actio_symbol_at(pool, s);
    }
    return count ? actio_substitute(pool, e, from, to, count) : e;
}

static bool is_steady(struct actio_fields *w, actio_expr e)
{
    static const enum actio_space moving[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_T, ACTIO_SPACE_SUM, ACTIO_SPACE_RUNNING };
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
            if (actio_uses(&w->F->pool, w->patch[i].h[j], ACTIO_SPACE_SUM) || actio_uses(&w->F->pool, w->patch[i].h[j], ACTIO_SPACE_RUNNING)) return false;
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
            if (l->A.count != 1 || !actio_is_zero(l->c) || !actio_is_const(&w->F->pool, l->A.at[0].e) || actio_uses(&w->F->pool, l->level, ACTIO_SPACE_SUM)) return false;
            continue;
        }
        if (found || !w->patch[l->patch].half) return false;
        found = true, t->line = k, t->cells = &w->patch[l->patch], t->nodes = l->patch - 1;
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
    for (size_t i = 0; i < m->coords; i++) if (!m->coord[i].axis || w->left[i] || w->right[i]) return false;
    return m->axes == 1 && w->slaves == 0 && lines_fit(w, t) && masses_fit(w, t->nodes) && forces_fit(w, t->nodes) && t->cells->lanes > 2;
}

static actio_expr inverse_at(const struct tension *t, uint32_t variable, int offset)
{
    return actio_symbol_at(&t->w->F->pool, (actio_slot){ .space = ACTIO_SPACE_INVERSE, .axis = t->cells->axis, .index = variable, .offset = (int8_t)offset });
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

/* Its acceleration by that force alone: a number for each node where it is steady. */
static actio_expr free_at(const struct tension *t, uint32_t variable, int offset)
{
    struct actio_fields *w = t->w;
    actio_expr force = force_on(t, variable);
    if (actio_is_zero(force)) return force;
    if (is_steady(w, force)) return actio_symbol_at(&w->F->pool, (actio_slot){ .space = ACTIO_SPACE_FREE, .axis = t->cells->axis, .index = variable, .offset = (int8_t)offset });
    return times(w, shifted(w, force, offset), inverse_at(t, variable, offset));
}

struct row { actio_expr diag, off, rhs; };

static struct row row_of(const struct tension *t)
{
    struct actio_fields *w = t->w;
    struct actio_pool *pool = &w->F->pool;
    const struct actio_line *l = &w->line[t->line];
    struct row r = { .rhs = times(w, t->cells->weight, l->c) };
    for (size_t e = 0; e < l->A.count; e++) {
        actio_slot s = actio_slot_of(pool, t->cells->x[l->A.at[e].col].q);
        actio_expr a = times(w, t->cells->weight, l->A.at[e].e), inverse = inverse_at(t, s.index, s.offset), scaled = times(w, a, inverse);
        r.diag = actio_add(pool, r.diag, times(w, a, scaled));
        r.rhs = actio_sub(pool, r.rhs, times(w, a, free_at(t, s.index, s.offset)));
        for (size_t f = 0; f < l->A.count && s.offset == 1; f++) {
            actio_slot other = actio_slot_of(pool, t->cells->x[l->A.at[f].col].q);
            if (other.index == s.index && other.offset == 0) r.off = actio_add(pool, r.off, times(w, scaled, shifted(w, times(w, t->cells->weight, l->A.at[f].e), 1)));
        }
    }
    return r;
}

static void put(struct actio_emits *l, uint32_t patch, long first, long last, actio_expr e, size_t at)
{
    ACTIO_PUSH(&l->w->F->arena, l->at, l->count, l->cap) = (struct actio_emit){ patch, first, last, e, { ACTIO_STREAM_PUT, at + (size_t)first, 0, 0 } };
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
    put(l, patch, 0, last - 1, r.diag, 0), put(l, patch, 0, last - 1, r.off, lanes), put(l, patch, 0, last - 1, r.rhs, 2 * lanes);
    put(l, patch, last, last, r.diag, 0), put(l, patch, last, last, r.rhs, 2 * lanes);
    l->values = 3 * lanes;
}

/* Pull on a field's node by the cells before and behind it, where there are any. */
static actio_expr pull_on(const struct tension *t, uint32_t variable, bool before, bool behind)
{
    struct actio_fields *w = t->w;
    struct actio_pool *pool = &w->F->pool;
    const struct actio_line *l = &w->line[t->line];
    actio_expr sum = { 0 }, lambda = actio_symbol_at(pool, (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = t->cells->axis, .index = (uint32_t)t->line });
    for (size_t e = 0; e < l->A.count; e++) {
        actio_slot s = actio_slot_of(pool, t->cells->x[l->A.at[e].col].q);
        if (s.index != variable || (s.offset ? !before : !behind)) continue;
        sum = actio_add(pool, sum, shifted(w, times(w, times(w, t->cells->weight, lambda), l->A.at[e].e), -s.offset));
    }
    return actio_add(pool, free_at(t, variable, 0), times(w, sum, inverse_at(t, variable, 0)));
}

void actio_field_list_pull(struct actio_emits *l)
{
    struct tension t;
    const struct actio_model *m = l->w->F->model;
    if (!fits(l->w, &t)) return;
    long last = (long)l->w->patch[t.nodes].lanes - 1;
    for (uint32_t i = 0; i < m->coords; i++) {
        put(l, t.nodes, 1, last - 1, pull_on(&t, i, true, true), l->w->base[i]);
        put(l, t.nodes, 0, 0, pull_on(&t, i, false, true), l->w->base[i]);
        put(l, t.nodes, last, last, pull_on(&t, i, true, false), l->w->base[i]);
    }
    l->values = l->w->F->n;
}
