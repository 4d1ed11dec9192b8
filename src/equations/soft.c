/* SPDX-License-Identifier: Apache-2.0
 * Soft walls: the potential V Phi(-gap/sigma), Phi the normal distribution, so that a wall pushes with V delta(gap)
 * along d gap/dq, delta a Gaussian of width sigma, and rubs with that force; nothing is one-sided then, and the energy
 * knows of it.  [RH 9, with V before
 * F_N and the gradient whole] */
#include "equations/formation.h"

static const double root_two = 1.4142135623730951, root_two_pi = 2.5066282746310002;

static actio_expr from_model(struct actio_formation *F, actio_expr e)
{
    actio_expr copy;
    actio_copy_switched(F, &e, 1, &copy);
    return copy;
}

/* V delta(gap) */
static actio_expr density(struct actio_formation *F, actio_expr gap)
{
    struct actio_pool *pool = &F->pool;
    double sigma = F->model->soft.sigma;
    actio_expr x = actio_div(pool, gap, actio_const(pool, sigma * root_two));
    return actio_mul(pool, actio_const(pool, F->model->soft.barrier / (sigma * root_two_pi)),
                     actio_op1(pool, ACTIO_EXP, actio_neg(pool, actio_mul(pool, x, x))));
}

/* slip / |slip| */
static actio_expr direction(struct actio_formation *F, const actio_expr *slip, size_t slips, size_t j)
{
    struct actio_pool *pool = &F->pool;
    actio_expr along;
    if (slips == 1) {
        actio_expr sign = actio_op1(&F->model->pool, ACTIO_SIGN, slip[0]);
        return from_model(F, sign); /* as a switch: its surface is located */
    }
    along = from_model(F, slip[j]);
    actio_expr a = from_model(F, slip[0]), b = from_model(F, slip[1]);
    return actio_div(pool, along,
                     actio_op1(pool, ACTIO_SQRT, actio_add(pool, actio_mul(pool, a, a), actio_mul(pool, b, b))));
}

/* -mu N slip/|slip| along slip j; N = V delta(gap) * scale. */
static actio_expr friction(struct actio_formation *F, const struct actio_contact *c, size_t j)
{
    struct actio_pool *pool = &F->pool;
    const struct actio_friction *f = &c->friction;
    actio_expr load = density(F, from_model(F, c->gap));
    if (!actio_is_zero(f->scale)) load = actio_mul(pool, load, from_model(F, f->scale));
    return actio_neg(pool, actio_mul(pool, actio_mul(pool, from_model(F, f->coefficient), load),
                                     direction(F, f->slip, f->slips, j)));
}

void actio_soften(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    const struct actio_model *m = F->model;
    actio_expr *row = actio_form_array(F, F->n, sizeof *row);
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *c = &m->contact[i];
        actio_expr gap = from_model(F, c->gap), x = actio_div(pool, gap, actio_const(pool, m->soft.sigma * root_two));
        actio_expr phi = actio_mul(pool, actio_const(pool, 0.5),
                                   actio_sub(pool, actio_const(pool, 1), actio_op1(pool, ACTIO_ERF, x)));
        F->walls.potential =
            actio_add(pool, F->walls.potential, actio_mul(pool, actio_const(pool, m->soft.barrier), phi));
        for (size_t j = 0; c->friction.given && j < c->friction.slips; j++) {
            actio_expr push = friction(F, c, j);
            actio_gradient(pool, from_model(F, c->friction.slip[j]), F->sym.v, F->n, row);
            for (size_t k = 0; k < F->n; k++)
                F->total_force[k] = actio_add(pool, F->total_force[k], actio_mul(pool, push, row[k]));
        }
    }
}

actio_expr actio_soft_force(struct actio_formation *F, size_t contact)
{
    return actio_mul(&F->pool, density(F, F->walls.gap[contact].e), F->walls.gap[contact].scale);
}

actio_expr actio_soft_friction(struct actio_formation *F, size_t rub)
{
    struct actio_pool *pool = &F->pool;
    const struct actio_contact *c = &F->model->contact[F->walls.rub[rub].contact];
    actio_expr a = friction(F, c, 0), b;
    if (c->friction.slips == 1) return a;
    b = friction(F, c, 1);
    return actio_op1(pool, ACTIO_SQRT, actio_add(pool, actio_mul(pool, a, a), actio_mul(pool, b, b)));
}
