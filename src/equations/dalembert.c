/* SPDX-License-Identifier: Apache-2.0
 * Lagrange-d'Alembert: d/dt L_v - L_q = Q + lambda dg/dv for coordinates, mu s' = S + lambda dg/ds for states [LM 11,
 * VKS 14]. */
#include "equations/formation.h"

#include <string.h>

static void dalembert_append(struct actio_formation *F, struct actio_entries *to, uint32_t row, uint32_t col,
                             actio_expr e)
{
    if (!actio_is_zero(e)) ACTIO_PUSH(&F->arena, to->at, to->count, to->cap) = (struct actio_entry){ row, col, e };
}

/* W = L_vv, L_vs in G; h = Q + L_q - (L_vq v + L_vt)  [LM 13, 15] */
static void form_lagrange(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    size_t n = F->n;
    actio_expr *rate = actio_form_array(F, n, sizeof *rate);
    struct actio_entries W = { 0 };
    actio_jacobian(pool, F->Lv, n, F->sym.z, F->N, &W);
    for (size_t i = 0; i < W.count; i++) dalembert_append(F, &F->G, W.at[i].row, W.at[i].col, W.at[i].e);
    actio_drift_rates(F, F->Lv, n, rate);
    for (size_t i = 0; i < n; i++) F->h[i] = actio_sub(pool, actio_add(pool, F->total_force[i], F->Lq[i]), rate[i]);
}

/* mu s' = S: rows of G and h below those of the coordinates  [VKS 14] */
static void place_flows(struct actio_formation *F)
{
    uint32_t n = (uint32_t)F->n;
    for (size_t i = 0; i < F->m; i++) F->h[n + i] = F->flow.S[i];
    for (size_t i = 0; i < F->flow.mu.count; i++)
        dalembert_append(F, &F->G, n + F->flow.mu.at[i].row, n + F->flow.mu.at[i].col, F->flow.mu.at[i].e);
}

/* c = -(phi_q v + phi_t), or what a constraint on accelerations has beside them  [LM 16] */
static void form_rates(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *none = actio_form_array(F, F->N, sizeof *none);
    actio_drift_rates(F, F->level, F->p, F->c);
    for (size_t k = 0; k < F->p; k++) {
        bool given = F->model->constraint[k].kind == ACTIO_ACCELERATION;
        F->c[k] = actio_neg(pool, given ? actio_substitute(pool, F->g[k], F->sym.zdot, none, F->N) : F->c[k]);
    }
}

/* Entries of A that belong to a velocity residual, by residual; both lists go by constraint. */
static void form_level_rows(struct actio_formation *F)
{
    uint32_t *row = actio_form_array(F, F->A.count, sizeof *row), *col = actio_form_array(F, F->A.count, sizeof *col);
    size_t count = 0;
    for (uint32_t i = 0, r = 0; i < F->A.count; i++) {
        while (r < F->sys.levels && F->sys.velocity_row[r] < F->A.at[i].row) r++;
        if (r < F->sys.levels && F->sys.velocity_row[r] == F->A.at[i].row) {
            row[count] = r;
            col[count++] = i;
        }
    }
    F->sys.level_rows = (struct actio_places){ row, col, count };
}

void actio_form_places(struct actio_formation *F)
{
    form_level_rows(F);
    F->sys.G = actio_places_of(F, &F->G);
    F->sys.A = actio_places_of(F, &F->A);
    F->sys.D = actio_places_of(F, &F->D);
    F->sys.F = actio_places_of(F, &F->F);
}

static bool same_entries(const struct actio_entries *a, const struct actio_entries *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->at[i].row != b->at[i].row || a->at[i].col != b->at[i].col || !actio_same(a->at[i].e, b->at[i].e))
            return false;
    return true;
}

static bool symmetric_flows(const struct actio_formation *F)
{
    for (size_t i = 0; i < F->G.count; i++)
        if (F->G.at[i].row != F->G.at[i].col && (F->G.at[i].row >= F->n || F->G.at[i].col >= F->n)) return false;
    return true;
}

static bool has_switched_constraints(struct actio_formation *F)
{
    bool any = false;
    for (size_t k = 0; k < F->p; k++)
        any |= actio_uses(&F->pool, F->g[k], ACTIO_SPACE_MODE) || actio_uses(&F->pool, F->g[k], ACTIO_SPACE_HELD);
    return any;
}

/* Walls: an impact reads all of their formulas on one side. */
static bool has_switched_walls(struct actio_formation *F)
{
    bool any = false;
    for (size_t i = 0; i < F->sys.walls.contacts; i++) any |= actio_uses(&F->pool, F->walls.gap[i].e, ACTIO_SPACE_MODE);
    for (size_t j = 0; j < F->sys.walls.slips; j++) any |= actio_uses(&F->pool, F->walls.slip[j].e, ACTIO_SPACE_MODE);
    return any;
}

static bool has_switched_rows(struct actio_formation *F)
{
    bool any = false;
    for (size_t i = 0; i < F->A.count; i++) any |= actio_uses(&F->pool, F->A.at[i].e, ACTIO_SPACE_MODE);
    return any;
}

struct actio_formation *actio_form_equations(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_formation *F = actio_form_parts(ctx, model);
    F->sys.is.jumping = has_switched_constraints(F);
    F->sys.is.cornered = F->sys.is.jumping || has_switched_walls(F) || actio_uses(&F->pool, F->L, ACTIO_SPACE_MODE)
                         || actio_uses(&F->pool, F->L, ACTIO_SPACE_HELD);
    F->h = actio_form_array(F, F->N, sizeof *F->h);
    F->c = actio_form_array(F, F->p, sizeof *F->c);
    form_lagrange(F);
    place_flows(F);
    form_rates(F);
    F->sys.is.switched = has_switched_rows(F);
    actio_form_integrable(F);
    actio_check_frame(F);
    return F;
}

static bool is_constant(struct actio_formation *F, const actio_expr *e, size_t n)
{
    static const enum actio_space moving[] = { ACTIO_SPACE_Q,        ACTIO_SPACE_V,    ACTIO_SPACE_STATE,
                                               ACTIO_SPACE_T,        ACTIO_SPACE_MODE, ACTIO_SPACE_HIDDEN,
                                               ACTIO_SPACE_EXTERNAL, ACTIO_SPACE_HELD };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof moving / sizeof *moving; k++)
            if (actio_uses(&F->pool, e[i], moving[k])) return false;
    return true;
}

static struct actio_system *finish(struct actio_formation *F)
{
    actio_form_places(F);
    F->sys.is.symmetric = same_entries(&F->A, &F->D) && symmetric_flows(F);
    for (size_t i = 0; i < F->A.count; i++)
        F->sys.is.curved = F->sys.is.curved || actio_uses(&F->pool, F->A.at[i].e, ACTIO_SPACE_V);
    F->sys.is.plain = !F->power;
    actio_eliminate(F);
    F->sys.is.ballistic = F->sys.solved.symbolic && F->p == 0 && is_constant(F, F->solved.zdot, F->N);
    actio_form_columns(F);
    return &F->sys;
}

struct actio_system *actio_form_dalembert(struct actio_context *ctx, struct actio_model *model)
{
    return model->field.axes ? actio_form_fields(ctx, model) : finish(actio_form_equations(ctx, model));
}

/* A split's reactions are along no gradient: what they do is a number that comes with the multipliers.  [AS 49] */
struct actio_system *actio_form_reduced(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_formation *F = actio_form_equations(ctx, model);
    F->sys.powers = F->p;
    F->power = actio_form_array(F, F->p, sizeof *F->power);
    for (size_t k = 0; k < F->p; k++) F->power[k] = actio_symbol(&F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)(F->p + k));
    return finish(F);
}
