/* SPDX-License-Identifier: Apache-2.0
 * The doubled action's density at a node, one scalar of the two paths q+ +- q-/2 with the rates v+ +- u-/2, v+ = u+ -
 * f_q' mu+:
 *     L(1) - L(2) + q-.(Q + D_q' lambda+) + lambda-.phi + mu-.f - s-.(mu w - S - D_s' lambda+),   Q, D, phi, f, S at
 *     the plus path.
 * It is odd in the minus symbols. No equation of motion is formed here.  [RH 7, SKG 1.2] */
#include "equations/formation.h"

#include <string.h>

static actio_expr minus(struct actio_formation *F, enum actio_space space, size_t i)
{
    return actio_symbol(&F->pool, space, (uint32_t)i);
}

/* e on the path that is `part` of the difference away from the plus path. */
static actio_expr on_path(struct actio_formation *F, actio_expr e, const actio_expr *v, double part)
{
    struct actio_pool *pool = &F->pool;
    size_t n = F->n;
    actio_expr *from = actio_form_array(F, 2 * n, sizeof *from), *to = actio_form_array(F, 2 * n, sizeof *to),
               half = actio_const(pool, part);
    memcpy(from, F->sym.q, n * sizeof *from);
    memcpy(from + n, F->sym.v, n * sizeof *from);
    for (size_t i = 0; i < n; i++) {
        to[i] = actio_add(pool, F->sym.q[i], actio_mul(pool, half, minus(F, ACTIO_SPACE_QMINUS, i)));
        to[n + i] = actio_add(pool, v[i], actio_mul(pool, half, minus(F, ACTIO_SPACE_VMINUS, i)));
    }
    return actio_substitute(pool, e, from, to, 2 * n);
}

/* Forces, reactions, flows and constraints: linear in the minus symbols, the rest on the plus path. */
static actio_expr linear_part(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *reaction = actio_action_reactions(F), sum = { 0 };
    for (size_t i = 0; i < F->n; i++)
        sum = actio_add(
            pool, sum,
            actio_mul(pool, minus(F, ACTIO_SPACE_QMINUS, i), actio_add(pool, F->total_force[i], reaction[i])));
    for (size_t i = 0; i < F->sys.levels; i++)
        sum = actio_add(pool, sum, actio_mul(pool, minus(F, ACTIO_SPACE_LMINUS, F->sys.velocity_row[i]), F->phi[i]));
    for (size_t i = 0; i < F->sys.holonomic; i++)
        sum = actio_add(pool, sum, actio_mul(pool, minus(F, ACTIO_SPACE_MMINUS, i), F->f[i]));
    for (size_t i = 0; i < F->m; i++)
        sum = actio_add(
            pool, sum,
            actio_mul(pool, minus(F, ACTIO_SPACE_SMINUS, i), actio_add(pool, F->flow.S[i], reaction[F->n + i])));
    for (size_t i = 0; i < F->flow.mu.count; i++) {
        const struct actio_entry *e = &F->flow.mu.at[i];
        sum = actio_sub(
            pool, sum,
            actio_mul(pool, minus(F, ACTIO_SPACE_SMINUS, e->row), actio_mul(pool, e->e, F->sym.sdot[e->col])));
    }
    return sum;
}

static actio_expr density(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *v = actio_action_velocities(F), rest = linear_part(F);
    if (F->sys.holonomic) rest = actio_substitute(pool, rest, F->sym.v, v, F->n);
    return actio_add(pool, actio_sub(pool, on_path(F, F->L, v, 0.5), on_path(F, F->L, v, -0.5)), rest);
}

/* What the density is differentiated by, in the order of quantities.def. */
static size_t list_symbols(struct actio_formation *F, actio_expr **out)
{
    size_t n = F->n, m = F->m, p = F->p, h = F->sys.holonomic, count = 0;
    const struct {
        enum actio_space space;
        size_t n;
    } list[] = {
        { ACTIO_SPACE_Q, n },      { ACTIO_SPACE_STATE, m },  { ACTIO_SPACE_V, n },      { ACTIO_SPACE_SDOT, m },
        { ACTIO_SPACE_LAMBDA, p }, { ACTIO_SPACE_MU, h },     { ACTIO_SPACE_QMINUS, n }, { ACTIO_SPACE_VMINUS, n },
        { ACTIO_SPACE_SMINUS, m }, { ACTIO_SPACE_LMINUS, p }, { ACTIO_SPACE_MMINUS, h },
    };
    *out = actio_form_array(F, 4 * n + 3 * m + 2 * p + 2 * h, sizeof **out);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (uint32_t j = 0; j < list[i].n; j++) (*out)[count++] = actio_symbol(&F->pool, list[i].space, j);
    return count;
}

size_t actio_list_density(struct actio_formation *F, actio_expr **out)
{
    actio_expr *wrt, l = density(F);
    size_t count = list_symbols(F, &wrt);
    *out = actio_form_array(F, 1 + count, sizeof **out);
    (*out)[0] = l;
    actio_gradient(&F->pool, l, wrt, count, *out + 1);
    return 1 + count;
}

size_t actio_list_curvature(struct actio_formation *F, actio_expr **out)
{
    actio_expr *wrt;
    size_t count = list_symbols(F, &wrt);
    struct actio_entries lower = { 0 };
    actio_hessian(&F->pool, density(F), wrt, count, &lower);
    uint32_t *row = actio_form_array(F, lower.count, sizeof *row), *col = actio_form_array(F, lower.count, sizeof *col);
    *out = actio_form_array(F, lower.count, sizeof **out);
    for (size_t i = 0; i < lower.count; i++) {
        row[i] = lower.at[i].row;
        col[i] = lower.at[i].col;
        (*out)[i] = lower.at[i].e;
    }
    F->sys.jets.curvature = (struct actio_places){ row, col, lower.count };
    return lower.count;
}
