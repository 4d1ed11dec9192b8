/* SPDX-License-Identifier: Apache-2.0
 * Vakonomic mechanics, shown: L + lambda g varied as a whole, multipliers with rates of their own.  [LM 53]
 *     (W + lambda g_vv) v' + A' lambda' = Q + L_q - L_vq v - L_vt + lambda (g_q - g_vq v - g_vt),   A v' = c
 * That is d'Alembert's form with another W and h, D = -A and lambda' for lambda: what shows and solves those serves
 * here, too. */
#include "derive/square.h"
#include "expr/normal.h"

#include <string.h>

static void vakonomic_append(struct actio_formation *F, uint32_t row, uint32_t col, actio_expr e)
{
    for (size_t i = 0; i < F->G.count; i++)
        if (F->G.at[i].row == row && F->G.at[i].col == col) {
            F->G.at[i].e = actio_add(&F->pool, F->G.at[i].e, e);
            return;
        }
    ACTIO_PUSH(&F->arena, F->G.at, F->G.count, F->G.cap) = (struct actio_entry){ row, col, e };
}

/* What lambda phi adds to W and to the right sides. */
static void add_part(struct actio_formation *F, actio_expr lambda, actio_expr phi)
{
    struct actio_pool *pool = &F->pool;
    size_t n = F->n;
    actio_expr *wrt = actio_form_array(F, 2 * n, sizeof *wrt), *grad = actio_form_array(F, 2 * n, sizeof *grad),
               *rate = actio_form_array(F, n, sizeof *rate);
    struct actio_entries second = { 0 };
    memcpy(wrt, F->sym.q, n * sizeof *wrt);
    memcpy(wrt + n, F->sym.v, n * sizeof *wrt);
    actio_gradient(pool, actio_mul(pool, lambda, phi), wrt, 2 * n, grad);
    actio_drift_rates(F, grad + n, n, rate);
    actio_jacobian(pool, grad + n, n, F->sym.v, n, &second);
    for (size_t i = 0; i < second.count; i++) vakonomic_append(F, second.at[i].row, second.at[i].col, second.at[i].e);
    for (size_t i = 0; i < n; i++) F->h[i] = actio_add(pool, F->h[i], actio_sub(pool, grad[i], rate[i]));
}

static void vakonomic_prepare(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr *rate = actio_form_array(F, F->p, sizeof *rate);
    for (size_t i = 0; i < F->sys.levels; i++) add_part(F, F->sym.lambda[F->sys.velocity_row[i]], F->phi[i]);
    F->D = (struct actio_entries){ .at = actio_form_array(F, F->A.count, sizeof *F->D.at),
                                   .count = F->A.count,
                                   .cap = F->A.count };
    for (size_t i = 0; i < F->A.count; i++) {
        F->D.at[i] = F->A.at[i];
        F->D.at[i].e = actio_neg(&F->pool, F->A.at[i].e);
    }
    for (size_t k = 0; k < F->p; k++)
        rate[k] = actio_symbol(&F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)(d->model->constraints + k));
    F->sym.lambda = rate;
    F->sys.solved.symbolic = F->sys.is.symmetric = false; /* what was eliminated is d'Alembert's */
}

/* A symbol of each multiplier, before prepare took their places. */
static actio_expr multiplier(struct actio_derivation *d, size_t k)
{
    return actio_symbol(&d->F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)k);
}

static void show_extended(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr sum = F->L;
    for (size_t i = 0; i < F->sys.levels; i++)
        sum = actio_add(pool, sum,
                        actio_mul(pool, multiplier(d, F->sys.velocity_row[i]), actio_tidy_shown(d, F->phi[i])));
    actio_shown_equation(d, NULL, actio_shown_free(d, "Lt", "Extended", "\\mathcal{L}_\\lambda"), sum);
    if (F->sys.holonomic)
        actio_shown_words(
            d, "a holonomic constraint enters by its rate, so every initial multiplier gives the same motion");
}

/* W + lambda g_vv, once the equations tidied it. */
static void show_hessian(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    size_t n = F->n;
    actio_expr *W = actio_arena_array(&d->arena, n * n + 1, sizeof *W);
    if (n * n > 4000000) {
        actio_shown_words(d, "too large to display");
        return;
    }
    for (size_t i = 0; i < F->G.count; i++)
        if (F->G.at[i].row < n && F->G.at[i].col < n)
            W[F->G.at[i].row * n + F->G.at[i].col] = actio_group(&F->pool, F->G.at[i].e);
    actio_shown_matrix(d, "W", n, n, W);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "extended", "Varied function", "L + lambda*g", "\\mathcal{L}_\\lambda = \\mathcal{L} + \\lambda \\, g",
      show_extended },
    { "equations", "Equations of motion", "d/dt dLt/dq' = dLt/dq + F, with the rates lambda'",
      "\\frac{d}{dt} \\frac{\\partial \\mathcal{L}_\\lambda}{\\partial \\dot{q}} = \\frac{\\partial "
      "\\mathcal{L}_\\lambda}{\\partial q} + F",
      NULL },
    ACTIO_SHARED_PART("constraints"),
    { "hessian", "Matrix of the accelerations", "W + lambda*d^2g/dq'dq'",
      "W + \\lambda \\, \\frac{\\partial^2 g}{\\partial \\dot{q} \\, \\partial \\dot{q}}", show_hessian },
    { "multipliers", "Rates of the multipliers", "", "", NULL },
    ACTIO_SHARED_PART("accelerations"),
};
const struct actio_chapter actio_chapter_vakonomic = {
    .part = parts, .parts = sizeof parts / sizeof *parts, .prepare = vakonomic_prepare, .evolves = true
};
