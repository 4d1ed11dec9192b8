/* SPDX-License-Identifier: Apache-2.0
 * Multipliers and rates by hand: S lambda = c - A G^-1 h with S = A G^-1 D', z' = G^-1 (h + D' lambda). Like on paper,
 * what the velocity constraints make 0 is left out on the way, so the formulas hold on the constraints.  [LM 17, 18,
 * 20] */
#include "derive/square.h"
#include "expr/normal.h"

struct solving {
    struct actio_derivation *d;
    struct actio_blocks blocks;
    actio_expr *from, *to; /* velocities that linear constraints give by the others */
    size_t count;
    actio_expr *x, *y, *r; /* G^-1 D' (variable by constraint), G^-1 h, c - A y */
    struct actio_square S;
    bool used; /* something was left out */
};

/* b <- G^-1 b, with `stride` between its components */
static void explicit_divide(struct solving *s, actio_expr *b, size_t stride)
{
    struct actio_pool *pool = &s->d->F->pool;
    for (size_t k = 0; k < s->blocks.count; k++) {
        const struct actio_block *block = &s->blocks.block[k];
        actio_expr x[ACTIO_SQUARE];
        for (size_t i = 0; i < block->k; i++) {
            x[i] = (actio_expr){ 0 };
            for (size_t j = 0; j < block->k; j++)
                x[i] = actio_add(
                    pool, x[i],
                    actio_times(pool, actio_square_cofactor(pool, &block->g, j, i), b[block->at[j] * stride]));
            if (!actio_is_zero(x[i])) x[i] = actio_tidy(s->d, actio_div(pool, x[i], block->g.det));
        }
        for (size_t i = 0; i < block->k; i++) b[block->at[i] * stride] = x[i];
    }
}

/* ---- what holds on the constraints */

/* v_j = -(rest + sum of the other terms)/coefficient, of the velocity with the shortest coefficient. */
static void solve_constraint(struct solving *s, actio_expr phi)
{
    struct actio_formation *F = s->d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *coef = actio_form_array(F, F->n, sizeof *coef), rest;
    size_t best = F->n, least = SIZE_MAX;
    phi = actio_tidy(s->d, actio_substitute(pool, phi, s->from, s->to, s->count));
    if (!actio_linear_in(pool, phi, F->sym.v, F->n, coef, &rest)) return;
    for (size_t j = 0; j < F->n; j++) {
        if (actio_is_zero(coef[j])) continue;
        size_t size = actio_tidy_size(s->d, coef[j]);
        if (size < least) {
            best = j;
            least = size;
        }
    }
    if (best == F->n) return;
    for (size_t j = 0; j < F->n; j++)
        if (j != best) rest = actio_add(pool, rest, actio_times(pool, coef[j], F->sym.v[j]));
    s->from[s->count] = F->sym.v[best];
    s->to[s->count] = actio_tidy(s->d, actio_neg(pool, actio_div(pool, rest, coef[best])));
    for (size_t i = 0; i < s->count; i++)
        s->to[i] = actio_substitute(pool, s->to[i], &s->from[s->count], &s->to[s->count], 1);
    s->count++;
}

/* 0 when the constraints make it 0, else tidied. */
static actio_expr on_constraints(struct solving *s, actio_expr e)
{
    struct actio_pool *pool = &s->d->F->pool;
    e = actio_tidy(s->d, e);
    if (s->count == 0 || actio_is_zero(e)) return e;
    bool zero = actio_is_identically_zero(pool, actio_substitute(pool, e, s->from, s->to, s->count));
    s->used = s->used || zero;
    return zero ? (actio_expr){ 0 } : e;
}

/* ---- the solution */

static void form(struct solving *s)
{
    struct actio_formation *F = s->d->F;
    struct actio_pool *pool = &F->pool;
    size_t p = F->p;
    for (size_t i = 0; i < F->D.count; i++) s->x[F->D.at[i].col * p + F->D.at[i].row] = F->D.at[i].e;
    for (size_t i = 0; i < F->N; i++) s->y[i] = F->h[i];
    for (size_t k = 0; k < p; k++) explicit_divide(s, s->x + k, p);
    explicit_divide(s, s->y, 1);
    for (size_t k = 0; k < p; k++) s->r[k] = F->c[k];
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_entry *e = &F->A.at[i];
        actio_expr part = actio_times(pool, e->e, s->y[e->col]);
        if (!actio_is_zero(part)) s->r[e->row] = actio_sub(pool, s->r[e->row], part);
        for (size_t l = 0; l < p; l++)
            s->S.a[e->row * p + l] =
                actio_add(pool, s->S.a[e->row * p + l], actio_times(pool, e->e, s->x[e->col * p + l]));
    }
    for (size_t i = 0; i < p * p; i++)
        s->S.a[i] = i / p == i % p ? actio_tidy(s->d, s->S.a[i]) : on_constraints(s, s->S.a[i]);
    for (size_t k = 0; k < p; k++) s->r[k] = on_constraints(s, s->r[k]);
}

static void explicit_solve(struct solving *s, actio_expr *lambda, actio_expr *zdot)
{
    struct actio_formation *F = s->d->F;
    struct actio_pool *pool = &F->pool;
    for (size_t k = 0; k < F->p; k++) {
        actio_expr sum = { 0 };
        for (size_t l = 0; l < F->p; l++)
            sum = actio_add(pool, sum, actio_times(pool, actio_square_cofactor(pool, &s->S, l, k), s->r[l]));
        lambda[k] = actio_is_zero(sum) ? sum : on_constraints(s, actio_div(pool, sum, s->S.det));
    }
    for (size_t i = 0; i < F->N; i++) {
        zdot[i] = s->y[i];
        for (size_t k = 0; k < F->p; k++)
            zdot[i] = actio_add(pool, zdot[i], actio_times(pool, s->x[i * F->p + k], lambda[k]));
        zdot[i] = on_constraints(s, zdot[i]);
    }
}

bool actio_derive_free(struct actio_derivation *d, actio_expr *a)
{
    struct solving s = { .d = d, .blocks = actio_blocks_of(d, d->F->N) };
    if (s.blocks.why) return false;
    for (size_t i = 0; i < d->F->N; i++) a[i] = d->F->h[i];
    explicit_divide(&s, a, 1);
    return true;
}

bool actio_derive_explicit(struct actio_derivation *d, actio_expr *lambda, actio_expr *zdot, bool *on_shell)
{
    struct actio_formation *F = d->F;
    struct solving s = { .d = d, .S.k = F->p };
    if (F->p > ACTIO_SQUARE) return false;
    s.blocks = actio_blocks_of(d, F->N);
    if (s.blocks.why) return false;
    s.from = actio_form_array(F, F->p, sizeof *s.from);
    s.to = actio_form_array(F, F->p, sizeof *s.to);
    s.x = actio_form_array(F, F->N * F->p, sizeof *s.x);
    s.y = actio_form_array(F, F->N, sizeof *s.y);
    s.r = actio_form_array(F, F->p, sizeof *s.r);
    for (size_t k = 0; k < F->sys.levels && k < F->p; k++) solve_constraint(&s, F->phi[k]);
    form(&s);
    if (F->p && !actio_square_invertible(d, &s.S)) return false;
    explicit_solve(&s, lambda, zdot);
    *on_shell = s.used;
    return true;
}
