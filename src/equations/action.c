/* SPDX-License-Identifier: Apache-2.0
 * The doubled action node by node, without equations of motion. Stationarity in the differences of the two paths, at a
 * node with rates u of q and w of s:
 *     momenta P = L_v,   force F = L_q + Q + D'lambda,   residuals mu w - S - D'lambda (states), phi (velocities), f
 *     (positions),
 * at v = u - f_q' mu: what keeps positions on holonomic constraints enters the rate of q, not the force (Gear, Gupta,
 * Leimkuhler).  [RH 7, SKG 1.2, 3] */
#include "equations/formation.h"

#include <string.h>

struct node {
    struct actio_formation *F;
    actio_expr *e;
    size_t count, cap;
};

static void action_add(struct node *l, actio_expr e) { ACTIO_PUSH(&l->F->arena, l->e, l->count, l->cap) = e; }

actio_expr *actio_action_reactions(struct actio_formation *F)
{
    actio_expr *r = actio_form_array(F, F->N, sizeof *r);
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        r[e->col] = actio_add(&F->pool, r[e->col], actio_mul(&F->pool, e->e, F->sym.lambda[e->row]));
    }
    return r;
}

actio_expr *actio_action_velocities(struct actio_formation *F)
{
    actio_expr *v = actio_form_array(F, F->n, sizeof *v);
    memcpy(v, F->sym.v, F->n * sizeof *v);
    for (size_t i = 0; i < F->F.count; i++) {
        const struct actio_entry *e = &F->F.at[i];
        v[e->col] =
            actio_sub(&F->pool, v[e->col], actio_mul(&F->pool, e->e, actio_symbol(&F->pool, ACTIO_SPACE_MU, e->row)));
    }
    return v;
}

/* A residual, or its multiplier where redundant rows are left out. */
static actio_expr unless_dropped(struct actio_formation *F, actio_expr residual, size_t number, actio_expr multiplier)
{
    struct actio_pool *pool = &F->pool;
    if (!F->sys.is.droppable) return residual;
    actio_expr d = actio_symbol(pool, ACTIO_SPACE_HIDDEN, (uint32_t)number);
    return actio_add(pool, actio_mul(pool, actio_sub(pool, actio_const(pool, 1), d), residual),
                     actio_mul(pool, d, multiplier));
}

static void add_residuals(struct node *l, const actio_expr *reaction)
{
    struct actio_formation *F = l->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *state = actio_form_array(F, F->m, sizeof *state);
    for (size_t i = 0; i < F->m; i++) state[i] = actio_neg(pool, actio_add(pool, F->flow.S[i], reaction[F->n + i]));
    for (size_t i = 0; i < F->flow.mu.count; i++) {
        const struct actio_entry *e = &F->flow.mu.at[i];
        state[e->row] = actio_add(pool, state[e->row], actio_mul(pool, e->e, F->sym.sdot[e->col]));
    }
    for (size_t i = 0; i < F->m; i++) action_add(l, state[i]);
    for (size_t i = 0; i < F->sys.levels; i++)
        action_add(l, unless_dropped(F, F->phi[i], F->sys.velocity_row[i], F->sym.lambda[F->sys.velocity_row[i]]));
    for (uint32_t i = 0; i < F->sys.holonomic; i++)
        action_add(l, unless_dropped(F, F->f[i], F->p + i, actio_symbol(pool, ACTIO_SPACE_MU, i)));
}

static void add_jets(struct node *l, size_t rows)
{
    struct actio_formation *F = l->F;
    size_t n = F->n, m = F->m, p = F->p, count = 0, all = 2 * (n + m) + p + F->sys.holonomic;
    actio_expr *wrt = actio_form_array(F, all, sizeof *wrt);
    const struct {
        const actio_expr *of;
        size_t n;
    } list[] = { { F->sym.q, n }, { F->sym.s, m }, { F->sym.v, n }, { F->sym.sdot, m }, { F->sym.lambda, p } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t j = 0; j < list[i].n; j++) wrt[count++] = list[i].of[j];
    for (uint32_t i = 0; i < F->sys.holonomic; i++) wrt[count++] = actio_symbol(&F->pool, ACTIO_SPACE_MU, i);
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, l->e, rows, wrt, all, &J);
    uint32_t *row = actio_form_array(F, J.count, sizeof *row), *col = actio_form_array(F, J.count, sizeof *col);
    for (size_t i = 0; i < J.count; i++) {
        row[i] = J.at[i].row;
        col[i] = J.at[i].col;
    }
    F->sys.jets.points = (struct actio_places){ row, col, J.count };
    for (size_t i = 0; i < J.count; i++) action_add(l, J.at[i].e);
}

size_t actio_list_points(struct actio_formation *F, bool jets, actio_expr **out)
{
    struct node l = { .F = F };
    actio_expr *reaction = actio_action_reactions(F), *v = actio_action_velocities(F);
    for (size_t i = 0; i < F->n; i++) action_add(&l, F->Lv[i]);
    for (size_t i = 0; i < F->n; i++)
        action_add(&l, actio_add(&F->pool, actio_add(&F->pool, F->Lq[i], F->total_force[i]), reaction[i]));
    add_residuals(&l, reaction);
    for (size_t i = 0; i < F->n; i++) action_add(&l, F->sym.v[i]);
    size_t rows = F->sys.holonomic ? l.count : l.count - F->n; /* v is u without holonomic constraints */
    for (size_t i = 0; i < l.count && F->sys.holonomic; i++)
        l.e[i] = actio_substitute(&F->pool, l.e[i], F->sym.v, v, F->n);
    if (jets) add_jets(&l, rows);
    *out = l.e;
    return l.count;
}

struct actio_system *actio_form_action(struct actio_context *ctx, struct actio_model *model)
{
    return &actio_form_parts(ctx, model)->sys;
}
