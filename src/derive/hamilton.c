/* SPDX-License-Identifier: Apache-2.0
 * H(q, p, t) = (p - b)' W^-1 (p - b)/2 - L(q, 0, t) for L = v'Wv/2 + b'v + L(q, 0, t): W is inverted by its diagonal
 * blocks,
 * each by cofactors, so that a block of one reads p^2/(2 m). */
#include "derive/square.h"
#include "expr/normal.h"

/* The quotient as it is, or simplified as a whole. */
static actio_expr shorter(struct actio_derivation *d, actio_expr e)
{
    actio_expr other = actio_tidy(d, e);
    return actio_tidy_size(d, other) < actio_tidy_size(d, e) ? other : e;
}

/* r' adj(W) r / (2 det W) of one block */
static actio_expr kinetic(struct actio_derivation *d, const struct actio_block *b, const actio_expr *r,
                          const actio_expr *momentum)
{
    struct actio_pool *pool = &d->F->pool;
    actio_expr sum = { 0 }, two = actio_const(pool, 2);
    for (size_t i = 0; i < b->k; i++) {
        sum = actio_add(pool, sum,
                        actio_times(pool, actio_square_cofactor(pool, &b->g, i, i), actio_power(pool, r[b->at[i]], 2)));
        for (size_t j = i + 1; j < b->k; j++) {
            actio_expr both =
                actio_times(pool, actio_square_cofactor(pool, &b->g, i, j), actio_mul(pool, r[b->at[i]], r[b->at[j]]));
            sum = actio_add(pool, sum, actio_times(pool, two, both));
        }
    }
    sum = actio_tidy_in(d, sum, momentum, d->F->n);
    return shorter(d, actio_div(pool, sum, actio_mul(pool, two, b->g.det)));
}

static const char *no_hamiltonian(struct actio_derivation *d, int degree, const struct actio_blocks *b)
{
    if (degree < 0) return "L is not quadratic in the velocities, so they are not shown as functions of the momenta";
    if (degree < 2)
        return "W is 0: the momenta are functions of the coordinates, so no Hamiltonian exists in these variables";
    return b->why ? actio_arena_format(&d->arena, "%s: the energy is shown instead of the Hamiltonian", b->why) : NULL;
}

bool actio_derive_hamiltonian(struct actio_derivation *d, const actio_expr *momentum, actio_expr *whole)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *r = actio_form_array(F, F->n, sizeof *r), *none = actio_form_array(F, F->n, sizeof *none), H = { 0 };
    int degree = actio_degree_in(pool, F->L, F->sym.v, F->n);
    struct actio_blocks b = { 0 };
    if (degree == 2) b = actio_blocks_of(d, F->n);
    const char *why = no_hamiltonian(d, degree, &b);
    if (why) {
        actio_shown_words(d, why);
        return false;
    }
    for (size_t i = 0; i < F->n; i++) {
        actio_expr drift = actio_tidy(d, actio_substitute(pool, F->Lv[i], F->sym.v, none, F->n));
        r[i] = actio_is_zero(drift) ? momentum[i] : actio_sub(pool, momentum[i], drift);
    }
    for (size_t k = 0; k < b.count; k++) H = actio_add(pool, H, kinetic(d, &b.block[k], r, momentum));
    actio_expr potential = actio_tidy(d, actio_neg(pool, actio_substitute(pool, F->L, F->sym.v, none, F->n)));
    *whole = actio_add(pool, H, potential);
    actio_shown_equation(d, NULL, actio_shown_free(d, "H", "Hamiltonian", "\\mathcal{H}"), actio_group(pool, *whole));
    return true;
}
