/* SPDX-License-Identifier: Apache-2.0
 * What sensitivities need beside the jets of the action's nodes: derivatives by params, the gradient of observed
 * columns, and that of the multipliers that an observed column may hold (at one state, with their equations as a
 * constraint: weights QMINUS, SMINUS, LMINUS). */
#include "equations/formation.h"

#include <string.h>

static actio_expr *params_of(struct actio_formation *F)
{
    actio_expr *p = actio_form_array(F, F->sys.params, sizeof *p);
    for (uint32_t i = 0; i < F->sys.params; i++) p[i] = actio_symbol(&F->pool, ACTIO_SPACE_PARAM, i);
    return p;
}

size_t actio_list_param_jets(struct actio_formation *F, actio_expr **out)
{
    actio_expr *point, *param = params_of(F);
    size_t rows = actio_list_points(F, false, &point) - F->n; /* velocities do not depend on params, at given rates */
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, point, rows, param, F->sys.params, &J);
    uint32_t *row = actio_form_array(F, J.count, sizeof *row), *col = actio_form_array(F, J.count, sizeof *col);
    *out = actio_form_array(F, J.count, sizeof **out);
    for (size_t i = 0; i < J.count; i++) {
        row[i] = J.at[i].row;
        col[i] = J.at[i].col;
        (*out)[i] = J.at[i].e;
    }
    F->sys.jets.params = (struct actio_places){ row, col, J.count };
    return J.count;
}

/* Reactions as what they are: D' lambda. */
static actio_expr without_reactions(struct actio_formation *F, actio_expr e)
{
    actio_expr *r = actio_form_array(F, F->N, sizeof *r);
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *d = &F->D.at[i];
        r[d->col] = actio_add(&F->pool, r[d->col], actio_mul(&F->pool, d->e, F->sym.lambda[d->row]));
    }
    return actio_substitute(&F->pool, e, F->sym.reaction, r, F->N);
}

/* q, v, s, then for observed columns z' and multipliers, then t and params. */
static actio_expr *variables(struct actio_formation *F, bool with_rates, size_t *count)
{
    size_t n = F->n, m = F->m, extra = with_rates ? F->N + F->p : 0, at = 0;
    actio_expr *wrt = actio_form_array(F, 2 * n + m + extra + 1 + F->sys.params, sizeof *wrt);
    const struct {
        const actio_expr *of;
        size_t n;
    } list[] = { { F->sym.q, n },
                 { F->sym.v, n },
                 { F->sym.s, m },
                 { F->sym.zdot, with_rates ? F->N : 0 },
                 { F->sym.lambda, with_rates ? F->p : 0 },
                 { &F->sym.time, 1 },
                 { params_of(F), F->sys.params } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t j = 0; j < list[i].n; j++) wrt[at++] = list[i].of[j];
    *count = at;
    return wrt;
}

size_t actio_list_observed(struct actio_formation *F, actio_expr **out)
{
    size_t count, made = 0;
    actio_expr *wrt = variables(F, true, &count);
    *out = actio_form_array(F, F->sys.jets.observes * (count + 1), sizeof **out);
    for (size_t i = 0; i < F->sys.jets.observes; i++, made += count + 1) {
        (*out)[made] = without_reactions(F, F->column[F->sys.jets.observed[i]]);
        actio_gradient(&F->pool, (*out)[made], wrt, count, *out + made + 1);
    }
    return made;
}

/* rhs - M z' of one row of M */
static actio_expr less_rates(struct actio_formation *F, const struct actio_entries *M, size_t row, actio_expr rhs)
{
    for (size_t e = 0; e < M->count; e++)
        if (M->at[e].row == row)
            rhs = actio_sub(&F->pool, rhs, actio_mul(&F->pool, M->at[e].e, F->sym.zdot[M->at[e].col]));
    return rhs;
}

/* h + D' lambda - G z' of variable i */
static actio_expr motion_row(struct actio_formation *F, size_t i)
{
    actio_expr row = less_rates(F, &F->G, i, F->h[i]);
    for (size_t e = 0; e < F->D.count; e++)
        if (F->D.at[e].col == i)
            row = actio_add(&F->pool, row, actio_mul(&F->pool, F->D.at[e].e, F->sym.lambda[F->D.at[e].row]));
    return row;
}

/* -(weights).(G z' - D' lambda - h, A z' - c) */
static actio_expr weighed_equations(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < F->N; i++) {
        actio_expr weight = i < F->n ? actio_symbol(pool, ACTIO_SPACE_QMINUS, (uint32_t)i)
                                     : actio_symbol(pool, ACTIO_SPACE_SMINUS, (uint32_t)(i - F->n));
        actio_expr row = motion_row(F, i);
        sum = actio_add(pool, sum, actio_mul(pool, weight, row));
    }
    for (size_t k = 0; k < F->p; k++) {
        actio_expr weight = actio_symbol(pool, ACTIO_SPACE_LMINUS, (uint32_t)k);
        actio_expr row = less_rates(F, &F->A, k, F->c[k]);
        sum = actio_add(pool, sum, actio_mul(pool, weight, row));
    }
    return sum;
}

size_t actio_list_multiplier_gradient(struct actio_formation *F, actio_expr **out)
{
    size_t count;
    actio_expr *wrt = variables(F, false, &count);
    *out = actio_form_array(F, count, sizeof **out);
    actio_gradient(&F->pool, weighed_equations(F), wrt, count, *out);
    return count;
}
