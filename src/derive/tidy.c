/* SPDX-License-Identifier: Apache-2.0
 * Formulas for people: gathered and shortened where that is possible, and how long they would be when written out. */
#include "derive/derive.h"
#include "expr/normal.h"

size_t actio_tidy_size(struct actio_derivation *d, actio_expr e)
{
    struct actio_pool *pool = &d->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    size_t *size = actio_form_array(d->F, cone.count, sizeof *size);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        const uint32_t arg[3] = { n->a, n->b, n->c };
        size[i] = 1;
        for (int k = actio_arity((enum actio_op)n->op); k-- > 0;) size[i] += size[pool->place[arg[k]]];
        if (size[i] > SIZE_MAX / 8) size[i] = SIZE_MAX / 8;
    }
    return cone.count ? size[pool->place[e.id]] : 0;
}

/* Multiplied out, long formulas only grow, and what they share is lost. */
static bool is_long(struct actio_derivation *d, actio_expr e)
{
    enum { LONG = 8000 };
    return actio_tidy_size(d, e) > LONG;
}

actio_expr actio_tidy_in(struct actio_derivation *d, actio_expr e, const actio_expr *wrt, size_t n)
{
    actio_poll(d->ctx);
    if (is_long(d, e)) return e;
    return actio_collect(&d->F->pool, actio_round_numbers(&d->F->pool, e), wrt, n);
}

void actio_tidy_rates(struct actio_derivation *d, actio_expr *left, actio_expr *right)
{
    struct actio_formation *F = d->F;
    actio_expr *none = actio_form_array(F, F->N, sizeof *none);
    actio_expr e = actio_equation_form(&F->pool, actio_simplify(&F->pool, actio_sub(&F->pool, *left, *right)));
    actio_expr rest = actio_substitute(&F->pool, e, F->sym.zdot, none, F->N);
    *left = actio_collect(&F->pool, actio_sub(&F->pool, e, rest), F->sym.zdot, F->N);
    *right = actio_tidy(d, actio_neg(&F->pool, rest));
}

actio_expr actio_tidy(struct actio_derivation *d, actio_expr e)
{
    actio_poll(d->ctx);
    if (is_long(d, e)) return e;
    e = actio_round_numbers(&d->F->pool, e);
    return actio_arity((enum actio_op)d->F->pool.node[e.id].op) ? actio_simplify(&d->F->pool, e) : e;
}

actio_expr actio_tidy_shown(struct actio_derivation *d, actio_expr e)
{
    return is_long(d, e) ? e : actio_group(&d->F->pool, actio_tidy(d, e));
}
