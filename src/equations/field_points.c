/* SPDX-License-Identifier: Apache-2.0
 * The doubled action of fields at a node of time, lane by lane: momenta, forces with reactions, residuals of the
 * velocities, and their derivatives.
 * Holonomic constraints are kept by their rates; who marches puts positions back.  [RH 7, SKG 1.2] */
#include "equations/field.h"

/* L_q + Q + D' lambda on the locals of a patch; reactions of integrals in a constraint of the point go to the lanes of
 * the integral. */
static actio_expr *forces(struct actio_fields *w, uint32_t patch)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_patch *p = &w->patch[patch];
    actio_expr *f = actio_form_array(w->F, p->xs, sizeof *f);
    for (size_t i = 0; i < p->xs; i++) f[i] = actio_add(pool, p->Lq[i], p->force[i]);
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        for (size_t e = 0; l->patch == patch && e < l->D.count; e++)
            f[l->D.at[e].col] = actio_add(
                pool, f[l->D.at[e].col],
                actio_field_times(w, actio_field_times(w, p->weight, actio_field_multiplier(w, k)), l->D.at[e].e));
    }
    return f;
}

static void field_points_add(struct actio_fields *w, uint32_t patch, bool row_moves, size_t row, bool col_moves,
                             size_t col, actio_expr e)
{
    if (!actio_is_zero(e))
        ACTIO_PUSH(&w->F->arena, w->jets.part, w->jets.parts, w->jets.cap) =
            (struct actio_part_entry){ patch, row_moves, col_moves, row, col, 0, e };
}

/* Derivatives of a lane's formula by coordinates and velocities. */
static void differentiate(struct actio_fields *w, uint32_t patch, actio_expr f, size_t row, bool moves)
{
    const struct actio_patch *p = &w->patch[patch];
    actio_expr *wrt = actio_form_array(w->F, 2 * p->xs, sizeof *wrt),
               *slope = actio_form_array(w->F, 2 * p->xs, sizeof *slope);
    for (size_t j = 0; j < p->xs; j++) {
        wrt[j] = p->x[j].q;
        wrt[p->xs + j] = p->x[j].v;
    }
    actio_gradient(&w->F->pool, f, wrt, 2 * p->xs, slope);
    for (size_t j = 0; j < 2 * p->xs; j++) {
        const struct actio_local *x = &p->x[j % p->xs];
        field_points_add(w, patch, moves, row, x->moves, x->at + (j < p->xs ? 0 : w->F->n), slope[j]);
    }
}

/* Integrals in a constraint of the point: by their lanes. Reactions through them: parts of D that no lane of the
 * constraint's own has. */
static void through_sums(struct actio_fields *w)
{
    size_t n = w->F->n;
    for (uint32_t i = 0; i < w->D.parts; i++) {
        const struct actio_part_entry *e = &w->D.part[i];
        if (e->patch == 0 || e->row_moves) continue;
        actio_expr lambda = actio_symbol(&w->F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)e->row);
        field_points_add(w, e->patch, e->col_moves, n + e->col, false, 2 * n + e->row, e->e);
        differentiate(w, e->patch, actio_field_times(w, lambda, e->e), n + e->col, e->col_moves);
    }
    for (uint32_t i = 0; i < w->A.parts; i++) {
        const struct actio_part_entry *e = &w->A.part[i];
        if (e->patch && !e->row_moves)
            field_points_add(w, e->patch, false, 2 * n + e->row, e->col_moves, n + e->col, e->e);
    }
}

static void field_points_lay_out(struct actio_fields *w)
{
    size_t n = w->F->n;
    for (uint32_t i = 0; i < w->patches; i++) {
        const struct actio_patch *p = &w->patch[i];
        const actio_expr *f = forces(w, i);
        for (size_t j = 0; j < p->xs; j++) {
            differentiate(w, i, p->Lv[j], p->x[j].at, p->x[j].moves);
            differentiate(w, i, f[j], n + p->x[j].at, p->x[j].moves);
        }
    }
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        const struct actio_patch *p = &w->patch[l->patch];
        bool moves = p->axis != 0;
        for (size_t e = 0; e < l->D.count; e++)
            field_points_add(w, l->patch, p->x[l->D.at[e].col].moves, n + p->x[l->D.at[e].col].at, moves,
                             2 * n + l->first, actio_field_times(w, p->weight, l->D.at[e].e));
        differentiate(w, l->patch, actio_field_times(w, p->weight, l->level), 2 * n + l->velocity, moves);
    }
    through_sums(w);
}

static void emit_values(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    size_t n = w->F->n;
    for (uint32_t i = 0; i < w->patches; i++) {
        const struct actio_patch *p = &w->patch[i];
        const actio_expr *f = forces(w, i);
        for (size_t j = 0; j < p->xs; j++) {
            actio_emit(l, i, p->Lv[j], p->x[j].at, p->x[j].moves);
            actio_emit(l, i, f[j], n + p->x[j].at, p->x[j].moves);
        }
    }
    for (uint32_t i = 0; i < w->D.parts; i++) {
        const struct actio_part_entry *e = &w->D.part[i];
        if (e->patch && !e->row_moves)
            actio_emit(l, e->patch,
                       actio_field_times(w, actio_symbol(&w->F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)e->row), e->e),
                       n + e->col, e->col_moves);
    }
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *x = &w->line[k];
        actio_emit(l, x->patch, actio_field_times(w, w->patch[x->patch].weight, x->level), 2 * n + x->velocity, true);
    }
    l->values = 3 * n + w->F->sys.levels; /* velocities behind them are the caller's */
}

void actio_field_list_points(struct actio_emits *l) { emit_values(l); }

void actio_field_list_jets(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    if (!w->jets.parts) {
        field_points_lay_out(w);
        w->F->sys.jets.points = actio_field_places(w, &w->jets);
    }
    emit_values(l);
    actio_emit_entries(l, &w->jets, l->values);
    l->values += w->F->sys.jets.points.count;
}
