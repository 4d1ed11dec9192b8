/* SPDX-License-Identifier: Apache-2.0
 * Vakonomic mechanics: L + lambda g varied as a whole, so that the multipliers have rates and initial values of their
 * own  [LM 53].
 *     (W + lambda g_vv) v' + A' lambda' = Q + L_q - L_vq v - L_vt + lambda (g_q - g_vq v - g_vt),   A v' = c
 * Multipliers are states of the system; nothing is left to eliminate. A holonomic constraint enters by its rate: then
 * every lambda(0) gives the same. */
#include "equations/formation.h"

#include <string.h>

static void vakonomic_append(struct actio_formation *F, uint32_t row, size_t col, actio_expr e)
{
    if (actio_is_zero(e)) return;
    for (size_t i = 0; i < F->G.count; i++)
        if (F->G.at[i].row == row && F->G.at[i].col == col) {
            F->G.at[i].e = actio_add(&F->pool, F->G.at[i].e, e);
            return;
        }
    ACTIO_PUSH(&F->arena, F->G.at, F->G.count, F->G.cap) = (struct actio_entry){ row, (uint32_t)col, e };
}

/* What d'Alembert's equations say that the constraints add: W v' - b. */
static void form_reaction(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    for (size_t i = 0; i < F->N; i++) F->sym.reaction[i] = i < F->n ? actio_neg(pool, F->h[i]) : (actio_expr){ 0 };
    for (size_t i = 0; i < F->G.count; i++) {
        const struct actio_entry *e = &F->G.at[i];
        if (e->row < F->n)
            F->sym.reaction[e->row] =
                actio_add(pool, F->sym.reaction[e->row], actio_mul(pool, e->e, F->sym.zdot[e->col]));
    }
}

/* Symbols of the multipliers and their rates behind those of the states. */
static void join_multipliers(struct actio_formation *F)
{
    size_t N = F->N, p = F->p;
    actio_expr *z = actio_form_array(F, N + p, sizeof *z), *zdot = actio_form_array(F, N + p, sizeof *zdot),
               *h = actio_form_array(F, N + p, sizeof *h);
    memcpy(z, F->sym.z, N * sizeof *z);
    memcpy(zdot, F->sym.zdot, N * sizeof *zdot);
    memcpy(h, F->h, N * sizeof *h);
    for (size_t k = 0; k < p; k++) {
        z[N + k] = F->sym.lambda[k] = actio_symbol(&F->pool, ACTIO_SPACE_STATE, (uint32_t)(F->m + k));
        zdot[N + k] = actio_symbol(&F->pool, ACTIO_SPACE_SDOT, (uint32_t)(F->m + k));
        h[N + k] = F->c[k];
    }
    F->sym.z = z;
    F->sym.zdot = zdot;
    F->h = h;
    F->sym.v = z;
    F->sym.s = z + F->n;
    F->sym.acc = zdot;
    F->sym.sdot = zdot + F->n;
}

/* One constraint's part: its terms of the equations, and its power  -((lambda g_v)' - lambda g_q) v. */
static void form_part(struct actio_formation *F, size_t k, actio_expr g)
{
    struct actio_pool *pool = &F->pool;
    size_t n = F->n, N = F->N;
    actio_expr *wrt = actio_form_array(F, 2 * n, sizeof *wrt), *grad = actio_form_array(F, 2 * n, sizeof *grad),
               *rate = actio_form_array(F, n, sizeof *rate);
    memcpy(wrt, F->sym.q, n * sizeof *wrt);
    memcpy(wrt + n, F->sym.v, n * sizeof *wrt);
    actio_expr S = actio_mul(pool, F->sym.lambda[k], g), force[1] = { { 0 } };
    actio_gradient(pool, S, wrt, 2 * n, grad);
    actio_drift_rates(F, grad + n, n, rate);
    struct actio_entries second = { 0 };
    actio_jacobian(pool, grad + n, n, F->sym.v, n, &second);
    for (size_t i = 0; i < second.count; i++) {
        const struct actio_entry *e = &second.at[i];
        vakonomic_append(F, e->row, e->col, e->e);
        force[0] =
            actio_sub(pool, force[0], actio_mul(pool, actio_mul(pool, e->e, F->sym.acc[e->col]), F->sym.v[e->row]));
    }
    for (size_t i = 0; i < n; i++) {
        actio_expr push = actio_sub(pool, grad[i], rate[i]);
        F->h[i] = actio_add(pool, F->h[i], push);
        force[0] = actio_add(pool, force[0], actio_mul(pool, push, F->sym.v[i]));
    }
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_entry *e = &F->A.at[i];
        if (e->row != k) continue;
        vakonomic_append(F, e->col, N + k, e->e);
        vakonomic_append(F, (uint32_t)(N + k), e->col, e->e);
        force[0] =
            actio_sub(pool, force[0], actio_mul(pool, actio_mul(pool, e->e, F->sym.zdot[N + k]), F->sym.v[e->col]));
    }
    F->power[k] = force[0];
}

struct actio_system *actio_form_vakonomic(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_formation *F = actio_form_equations(ctx, model);
    size_t p = F->p;
    F->power = actio_form_array(F, p, sizeof *F->power);
    form_reaction(F);
    join_multipliers(F);
    for (size_t i = 0; i < F->sys.levels; i++) form_part(F, F->sys.velocity_row[i], F->phi[i]);
    const char **variable = actio_form_array(F, F->N + p, sizeof *variable);
    memcpy(variable, F->sys.variable, F->N * sizeof *variable);
    for (size_t k = 0; k < p; k++)
        variable[F->N + k] = actio_arena_format(&F->arena, "lambda.%s", model->constraint[k].label);
    F->sys.variable = variable;
    F->m += p;
    F->N += p;
    F->p = 0;
    F->A.count = F->D.count = F->F.count = 0;
    F->sys.holonomic = F->sys.levels = 0;
    F->sys.m = F->m;
    F->sys.p = 0;
    actio_form_places(F);
    actio_form_columns(F);
    return &F->sys;
}
