/* SPDX-License-Identifier: Apache-2.0
 * Velocity constraints with switches that are rates of positions between them: where such a row changes at a place, it
 * is a bend of what it leaves to positions. Rows that are exact, a_i,j = a_j,i, and all rows where one degree of
 * freedom is left: its path bends. */
#include "equations/formation.h"
#include "expr/normal.h"

enum { MOST = 30 }; /* coordinates: there are n^2 derivatives */

static bool by_position(struct actio_formation *F, actio_expr e)
{
    struct actio_pool *pool = &F->pool;
    return !actio_uses(pool, e, ACTIO_SPACE_V) && !actio_uses(pool, e, ACTIO_SPACE_STATE)
           && !actio_uses_symbol(pool, e, F->sym.time);
}

/* The row's coefficients, functions of positions; false: it has others, or a part without velocities. */
static bool plain_row(struct actio_formation *F, size_t r, actio_expr *a)
{
    actio_expr rest = F->phi[r];
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_entry *e = &F->A.at[i];
        if (e->row != F->sys.velocity_row[r]) continue;
        if (e->col >= F->n || !by_position(F, e->e)) return false;
        a[e->col] = e->e;
        rest = actio_sub(&F->pool, rest, actio_mul(&F->pool, e->e, F->sym.v[e->col]));
    }
    return actio_is_identically_zero(&F->pool, rest);
}

static bool exact(struct actio_formation *F, const actio_expr *a)
{
    struct actio_pool *pool = &F->pool;
    for (size_t i = 0; i < F->n; i++)
        for (size_t j = 0; j < i; j++) {
            actio_expr curl = actio_sub(pool, actio_diff(pool, a[i], F->sym.q[j]), actio_diff(pool, a[j], F->sym.q[i]));
            if (!actio_is_identically_zero(pool, curl)) return false;
        }
    return true;
}

void actio_form_integrable(struct actio_formation *F)
{
    size_t rows = F->sys.levels, plain = 0;
    if (!F->sys.is.switched || F->n > MOST || F->model->field.axes) return;
    bool *integrable = actio_form_array(F, rows, sizeof *integrable);
    for (size_t r = 0; r < rows; r++) {
        actio_expr *a = actio_form_array(F, F->n, sizeof *a);
        if (!plain_row(F, r, a)) continue;
        plain++;
        integrable[r] = exact(F, a);
    }
    for (size_t r = 0; r < rows && plain == rows && rows + 1 == F->n; r++) integrable[r] = true;
    F->sys.integrable = integrable;
}
