/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the equations of fields by coordinates and velocities: what small motions about a state obey. */
#include "equations/field.h"

static actio_expr times(struct actio_fields *w, actio_expr a, actio_expr b) { return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(&w->F->pool, a, b); }

/* Entries of the derivatives of a lane's formula f, whose row is `row` in lane 0. */
static void differentiate(struct actio_fields *w, uint32_t patch, actio_expr f, size_t row, bool moves)
{
    const struct actio_patch *p = &w->patch[patch];
    actio_expr *wrt = actio_form_array(w->F, 2 * p->xs, sizeof *wrt), *slope = actio_form_array(w->F, 2 * p->xs, sizeof *slope);
    for (size_t j = 0; j < p->xs; j++) wrt[j] = p->x[j].q, wrt[p->xs + j] = p->x[j].v;
    actio_gradient(&w->F->pool, f, wrt, 2 * p->xs, slope);
    for (size_t j = 0; j < 2 * p->xs; j++) {
        const struct actio_local *x = &p->x[j % p->xs];
        if (actio_is_zero(slope[j])) continue;
        ACTIO_PUSH(&w->F->arena, w->tangent.part, w->tangent.parts, w->tangent.cap) =
            (struct actio_part_entry){ patch, moves, x->moves, row, x->at + (j < p->xs ? 0 : w->F->n), 0, slope[j] };
    }
}

static actio_expr multiplier(struct actio_fields *w, size_t k)
{
    const struct actio_line *l = &w->line[k];
    uint16_t axis = w->patch[l->patch].axis;
    return actio_symbol_at(&w->F->pool, (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = axis, .index = axis ? (uint32_t)k : l->first });
}

/* h - G z' + D' lambda, as the lanes of a patch add to it. */
static actio_expr *balances(struct actio_fields *w, uint32_t patch)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_patch *p = &w->patch[patch];
    actio_expr *r = actio_form_array(w->F, p->xs, sizeof *r);
    for (size_t i = 0; i < p->xs; i++) r[i] = p->h[i];
    for (size_t e = 0; e < p->W.count; e++) r[p->W.at[e].row] = actio_sub(pool, r[p->W.at[e].row], times(w, p->W.at[e].e, p->x[p->W.at[e].col].acc));
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        for (size_t e = 0; l->patch == patch && e < l->D.count; e++)
            r[l->D.at[e].col] = actio_add(pool, r[l->D.at[e].col], times(w, times(w, p->weight, multiplier(w, k)), l->D.at[e].e));
    }
    return r;
}

static bool is_slave(const struct actio_fields *w, size_t at)
{
    for (uint32_t k = 0; k < w->slaves; k++) if (w->slave[k].at == at) return true;
    return false;
}

/* Natural conditions take the place of what lanes say about values beyond an end, which is then left out: only point lanes and single lanes can be told apart. */
static void lay_out(struct actio_fields *w)
{
    size_t n = w->F->n;
    for (uint32_t i = 0; i < w->patches; i++) {
        actio_expr *r = balances(w, i);
        for (size_t j = 0; j < w->patch[i].xs; j++)
            if (w->patch[i].x[j].moves || !is_slave(w, w->patch[i].x[j].at)) differentiate(w, i, r[j], w->patch[i].x[j].at, w->patch[i].x[j].moves);
    }
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        const struct actio_patch *p = &w->patch[l->patch];
        actio_expr c = l->c;
        for (size_t e = 0; e < l->A.count; e++) c = actio_sub(&w->F->pool, c, times(w, l->A.at[e].e, p->x[l->A.at[e].col].acc));
        differentiate(w, l->patch, times(w, p->weight, c), n + l->first, p->axis != 0);
    }
}

void actio_field_list_tangent(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    struct actio_system *sys = &w->F->sys;
    if (!w->tangent.parts) {
        lay_out(w);
        sys->equations_y = actio_field_places(w, &w->tangent);
    }
    actio_emit_entries(l, &w->tangent, 0);
    l->values = sys->equations_y.count + sys->n + sys->p;  /* params do not move them here */
}
