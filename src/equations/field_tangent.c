/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the equations of fields by coordinates and velocities: what small motions about a state obey. */
#include "equations/field.h"

/* Positions and velocities in a lane's formula: more than the action shows the lane, where forces are made of others.
 * */
static actio_expr *states_in(struct actio_fields *w, actio_expr f, uint32_t *count)
{
    const struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(&w->F->pool, &f, 1);
    actio_expr *found = NULL;
    uint32_t cap = 0;
    for (uint32_t i = *count = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL) continue;
        uint8_t space = pool->slot[n->a].space;
        if (space == ACTIO_SPACE_Q || space == ACTIO_SPACE_V)
            ACTIO_PUSH(&w->F->arena, found, *count, cap) = (actio_expr){ cone.id[i] };
    }
    return found;
}

/* Entries of the derivatives of a lane's formula f, whose row is `row` in lane 0. */
static void differentiate(struct actio_fields *w, uint32_t patch, actio_expr f, size_t row, bool moves)
{
    uint32_t count;
    w->F->sys.field.partial |= actio_uses(&w->F->pool, f, ACTIO_SPACE_SUM)
                               || actio_uses(&w->F->pool, f, ACTIO_SPACE_RUNNING)
                               || actio_uses(&w->F->pool, f, ACTIO_SPACE_FROZEN);
    actio_expr *wrt = states_in(w, f, &count), *slope = actio_form_array(w->F, count, sizeof *slope);
    if (count) actio_gradient(&w->F->pool, f, wrt, count, slope);
    for (uint32_t j = 0; j < count; j++) {
        actio_slot x = actio_slot_of(&w->F->pool, wrt[j]);
        size_t at =
            (x.axis ? w->base[x.index] + (size_t)(long)x.offset : x.index) + (x.space == ACTIO_SPACE_Q ? 0 : w->F->n);
        if (actio_is_zero(slope[j])) continue;
        ACTIO_PUSH(&w->F->arena, w->tangent.part, w->tangent.parts, w->tangent.cap) =
            (struct actio_part_entry){ patch, moves, x.axis != 0, row, at, 0, slope[j] };
    }
}

/* The reaction of constraint k where an integral stands in it, on what the lanes of that integral see. Integrals
 * themselves are taken as they are at the point. */
static void react_through_sums(struct actio_fields *w, uint32_t patch, size_t k, actio_expr *r)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_patch *p = &w->patch[patch];
    uint32_t sums = w->sums;
    actio_expr *wrt = actio_form_array(w->F, p->xs, sizeof *wrt), *own = actio_form_array(w->F, p->xs, sizeof *own);
    for (size_t j = 0; j < p->xs; j++) wrt[j] = p->x[j].v;
    for (uint32_t i = 0; i < sums; i++) {
        if (actio_patch_of(w, w->sum[i].axis, w->sum[i].half) != p) continue;
        actio_expr slope = actio_diff(pool, w->line[k].level, actio_symbol(pool, ACTIO_SPACE_SUM, i));
        if (actio_is_zero(slope)) continue;
        actio_gradient(pool, w->sum[i].e, wrt, p->xs, own);
        for (size_t j = 0; j < p->xs; j++)
            r[j] = actio_add(pool, r[j],
                             actio_field_times(w, actio_field_times(w, actio_field_multiplier(w, k), slope), own[j]));
    }
}

/* h - G z' + D' lambda, as the lanes of a patch add to it. */
static actio_expr *balances(struct actio_fields *w, uint32_t patch)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_patch *p = &w->patch[patch];
    actio_expr *r = actio_form_array(w->F, p->xs, sizeof *r);
    for (size_t i = 0; i < p->xs; i++) r[i] = p->h[i];
    for (size_t e = 0; e < p->W.count; e++)
        r[p->W.at[e].row] =
            actio_sub(pool, r[p->W.at[e].row], actio_field_times(w, p->W.at[e].e, p->x[p->W.at[e].col].acc));
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        for (size_t e = 0; l->patch == patch && e < l->D.count; e++)
            r[l->D.at[e].col] = actio_add(
                pool, r[l->D.at[e].col],
                actio_field_times(w, actio_field_times(w, p->weight, actio_field_multiplier(w, k)), l->D.at[e].e));
        if (!l->patch && w->F->model->constraint[k].rule == ACTIO_IDEAL) react_through_sums(w, patch, k, r);
    }
    return r;
}

/* Rows of values beyond an end are those of their natural conditions: no inertia and no reaction is in them. */
static void field_tangent_lay_out(struct actio_fields *w)
{
    size_t n = w->F->n;
    for (uint32_t i = 0; i < w->patches; i++) {
        actio_expr *r = balances(w, i);
        for (size_t j = 0; j < w->patch[i].xs; j++)
            differentiate(w, i, r[j], w->patch[i].x[j].at, w->patch[i].x[j].moves);
    }
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        const struct actio_patch *p = &w->patch[l->patch];
        actio_expr c = l->c;
        for (size_t e = 0; e < l->A.count; e++)
            c = actio_sub(&w->F->pool, c, actio_field_times(w, l->A.at[e].e, p->x[l->A.at[e].col].acc));
        differentiate(w, l->patch, actio_field_times(w, p->weight, c), n + l->first, p->axis != 0);
    }
}

void actio_field_list_tangent(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    struct actio_system *sys = &w->F->sys;
    if (!w->tangent.parts) {
        field_tangent_lay_out(w);
        sys->jets.equations_y = actio_field_places(w, &w->tangent);
    }
    actio_emit_entries(l, &w->tangent, 0);
    l->values = sys->jets.equations_y.count + sys->n + sys->p; /* params do not move them here */
}
