/* SPDX-License-Identifier: Apache-2.0
 * The Gibbs function of Gibbs and Appell's equations, by a way of its own: from the second rate of the kinetic energy,
 * not from L_vv and the equations of Lagrange.
 *     S = (T'' - 3 q''.T_q)/2  with q''' and s'' left out,  T = L - L(q, 0, s, t);  then dS/dq'' = d/dt T_v - T_q
 *     (Mangeron and Deleanu)
 * Proof: T'' has q'' in q''.T_q, in q'' T_vv q'' and in 2 q'' (T_vq q' + T_vs s' + T_vt); S is quadratic in q'', with
 * L_vv. */
#include "equations/formation.h"

#include <string.h>

/* Along the motion; rates of accelerations and of state rates left out. */
static actio_expr gibbs_rate_of(struct actio_formation *F, actio_expr e)
{
    struct actio_pool *pool = &F->pool;
    size_t n = F->n, m = F->m, count = 2 * n + m + 1;
    actio_expr *by = actio_form_array(F, count, sizeof *by), *slope = actio_form_array(F, count, sizeof *slope),
               sum = { 0 };
    memcpy(by, F->sym.q, n * sizeof *by);
    memcpy(by + n, F->sym.z, (n + m) * sizeof *by);
    by[2 * n + m] = F->sym.time;
    actio_gradient(pool, e, by, count, slope);
    for (size_t i = 0; i + 1 < count; i++) {
        if (actio_is_zero(slope[i])) continue;
        sum = actio_add(pool, sum, actio_mul(pool, slope[i], i < n ? F->sym.v[i] : F->sym.zdot[i - n]));
    }
    return actio_add(pool, sum, slope[count - 1]);
}

static actio_expr at_rest(struct actio_formation *F, actio_expr e)
{
    return actio_substitute(&F->pool, e, F->sym.v, actio_form_array(F, F->n, sizeof(actio_expr)), F->n);
}

actio_expr actio_gibbs_function(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr T = actio_sub(pool, F->L, at_rest(F, F->L)), *T_q = actio_form_array(F, F->n, sizeof *T_q);
    actio_expr second = gibbs_rate_of(F, gibbs_rate_of(F, T)), along = { 0 };
    actio_gradient(pool, T, F->sym.q, F->n, T_q);
    for (size_t i = 0; i < F->n; i++)
        if (!actio_is_zero(T_q[i])) along = actio_add(pool, along, actio_mul(pool, T_q[i], F->sym.acc[i]));
    actio_expr twice = actio_sub(pool, second, actio_mul(pool, actio_const(pool, 3), along));
    return actio_div(pool, twice, actio_const(pool, 2));
}

void actio_gibbs_forces(struct actio_formation *F, actio_expr *Q)
{
    actio_gradient(&F->pool, at_rest(F, F->L), F->sym.q, F->n, Q);
    for (size_t i = 0; i < F->n; i++) Q[i] = actio_add(&F->pool, Q[i], F->total_force[i]);
}

size_t actio_list_gibbs(struct actio_formation *F, actio_expr **out)
{
    size_t n = F->n, count = n * n + 2 * n;
    actio_expr *slope = *out = actio_form_array(F, count, sizeof **out), *curvature = slope + n, *Q = curvature + n * n;
    struct actio_entries J = { 0 };
    actio_gradient(&F->pool, actio_gibbs_function(F), F->sym.acc, n, slope);
    actio_jacobian(&F->pool, slope, n, F->sym.acc, n, &J);
    for (size_t i = 0; i < J.count; i++) curvature[J.at[i].row * n + J.at[i].col] = J.at[i].e;
    actio_gibbs_forces(F, Q);
    return count;
}
