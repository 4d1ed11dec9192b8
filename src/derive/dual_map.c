/* SPDX-License-Identifier: Apache-2.0
 * From dual to primal by hand. Where L is quadratic in U it is L(base) - p.(U - base) + (U - base).M (U - base)/2, so
 * that
 *     U = base + M^-1 p,  L = L(base) - p.M^-1 p/2  [AS 29, 30, 34]
 * M by its diagonal blocks: in a large one, unknowns whose pivot has no dual variable in it go first, and what they
 * leave is inverted by cofactors. */
#include "derive/duality.h"
#include "expr/normal.h"

#include <string.h>

static struct actio_pool *dual_map_pool_of(struct actio_duality *w) { return &w->d->F->pool; }

void actio_duality_matrix(struct actio_duality *w)
{
    struct actio_entries lower = { 0 };
    size_t u = w->u;
    w->M = actio_arena_array(&w->d->arena, u * u + 1, sizeof *w->M);
    actio_hessian(dual_map_pool_of(w), w->L, w->U, u, &lower);
    for (size_t i = 0; i < lower.count; i++) {
        const struct actio_entry *e = &lower.at[i];
        w->M[e->row * u + e->col] = w->M[e->col * u + e->row] = actio_tidy_shown(w->d, e->e);
    }
}

/* ---- one block */

struct block {
    struct actio_duality *w;
    size_t *at, count;   /* unknowns, those that are left */
    actio_expr *a, *r;   /* of all unknowns: matrix and right side, as elimination leaves them */
    size_t *gone, gones; /* unknowns eliminated, in their order */
    actio_expr square;   /* r.a^-1 r */
};

static bool is_plain(struct block *b, actio_expr pivot)
{
    return !actio_is_zero(pivot) && !actio_uses(dual_map_pool_of(b->w), pivot, ACTIO_SPACE_HIDDEN);
}

static actio_expr minus_quotient(struct block *b, actio_expr from, actio_expr s, actio_expr t, actio_expr by)
{
    struct actio_pool *pool = dual_map_pool_of(b->w);
    actio_expr product = actio_times(pool, s, t);
    return actio_is_zero(product) ? from : actio_tidy(b->w->d, actio_sub(pool, from, actio_div(pool, product, by)));
}

/* Takes member k out of the block: r and a of the others without it. */
static void dual_map_eliminate(struct block *b, size_t k)
{
    size_t u = b->w->u, i = b->at[k];
    actio_expr pivot = b->a[i * u + i];
    memmove(b->at + k, b->at + k + 1, (b->count - k - 1) * sizeof *b->at);
    b->count--;
    b->gone[b->gones++] = i;
    for (size_t j = 0; j < b->count; j++) {
        size_t row = b->at[j];
        b->r[row] = minus_quotient(b, b->r[row], b->a[row * u + i], b->r[i], pivot);
        for (size_t l = 0; l < b->count; l++)
            b->a[row * u + b->at[l]] =
                minus_quotient(b, b->a[row * u + b->at[l]], b->a[row * u + i], b->a[i * u + b->at[l]], pivot);
    }
    b->square = actio_add(dual_map_pool_of(b->w), b->square,
                          actio_div(dual_map_pool_of(b->w), actio_power(dual_map_pool_of(b->w), b->r[i], 2), pivot));
}

static bool shrink(struct block *b)
{
    while (b->count > ACTIO_SQUARE) {
        size_t k = 0;
        while (k < b->count && !is_plain(b, b->a[b->at[k] * b->w->u + b->at[k]])) k++;
        if (k == b->count) return false;
        dual_map_eliminate(b, k);
    }
    return true;
}

static actio_expr define(struct block *b, actio_expr name, actio_expr value)
{
    struct actio_duality *w = b->w;
    ACTIO_PUSH(&w->d->F->arena, w->helper, w->helpers, w->helpers_cap) =
        (struct actio_helper){ name, actio_group(dual_map_pool_of(w), value) };
    return name;
}

/* What elimination left gets names, as the matrix of v does in [AS 34]: K of unknowns i and j, k of each. */
static void name_rest(struct block *b)
{
    struct actio_arena *arena = &b->w->d->arena;
    const char *letter = b->w->is_free ? "r" : "";
    size_t u = b->w->u;
    for (size_t m = 0; m < b->count; m++) {
        size_t i = b->at[m];
        const char *text = actio_arena_format(arena, "k%s_%zu", letter, i + 1),
                   *latex = actio_arena_format(arena, "k_{%s%zu}", letter, i + 1);
        b->r[i] = define(b, actio_shown_free(b->w->d, text, actio_arena_format(arena, "%s_", text), latex), b->r[i]);
        for (size_t l = 0; l <= m; l++) {
            size_t j = b->at[l];
            if (actio_is_zero(b->a[i * u + j])) continue;
            text = actio_arena_format(arena, "K%s_%zu_%zu", letter, j + 1, i + 1);
            latex = actio_arena_format(arena, "K_{%s%zu,%zu}", letter, j + 1, i + 1);
            b->a[i * u + j] = b->a[j * u + i] = define(
                b, actio_shown_free(b->w->d, text, actio_arena_format(arena, "%s_", text), latex), b->a[i * u + j]);
        }
    }
}

/* sum of what stands before each r, over det */
static actio_expr over_determinant(struct block *b, actio_expr sum, actio_expr det)
{
    actio_expr *r = actio_form_array(b->w->d->F, b->count, sizeof *r);
    for (size_t i = 0; i < b->count; i++) r[i] = b->r[b->at[i]];
    sum = actio_tidy_in(b->w->d, sum, r, b->count);
    return actio_is_zero(sum) ? sum : actio_div(dual_map_pool_of(b->w), sum, det);
}

/* U = base + adj(a) r/det of those that are left, and r.adj(a) r/det */
static bool dual_map_invert(struct block *b)
{
    struct actio_pool *pool = dual_map_pool_of(b->w);
    struct actio_square s = { .k = b->count };
    actio_expr square = { 0 };
    for (size_t i = 0; i < s.k * s.k; i++) s.a[i] = b->a[b->at[i / s.k] * b->w->u + b->at[i % s.k]];
    if (!actio_square_invertible(b->w->d, &s)) return false;
    for (size_t i = 0; i < s.k; i++) {
        actio_expr sum = { 0 };
        for (size_t j = 0; j < s.k; j++)
            sum = actio_add(pool, sum, actio_times(pool, actio_square_cofactor(pool, &s, i, j), b->r[b->at[j]]));
        square = actio_add(pool, square, actio_times(pool, sum, b->r[b->at[i]]));
        b->w->map[b->at[i]] = actio_add(pool, b->w->base[b->at[i]], over_determinant(b, sum, s.det));
    }
    b->square = actio_add(pool, b->square, over_determinant(b, square, s.det));
    return true;
}

/* U = base + (r - a (U - base) of those still there then)/pivot, as [AS 34] has x and Q by v */
static void bring_back(struct block *b)
{
    struct actio_pool *pool = dual_map_pool_of(b->w);
    const struct actio_duality *w = b->w;
    for (size_t k = b->gones; k-- > 0;) {
        size_t i = b->gone[k];
        actio_expr sum = b->r[i];
        for (size_t j = 0; j < b->count; j++) {
            actio_expr shift = actio_sub(pool, w->U[b->at[j]], w->base[b->at[j]]),
                       part = actio_times(pool, b->a[i * w->u + b->at[j]], shift);
            if (!actio_is_zero(part)) sum = actio_sub(pool, sum, part);
        }
        w->map[i] = actio_add(pool, w->base[i], actio_div(pool, sum, b->a[i * w->u + i]));
        b->at[b->count++] = i;
    }
}

/* ---- all of them */

static size_t dual_map_root_of(size_t *parent, size_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static size_t *couple(struct actio_duality *w)
{
    size_t u = w->u, *root = actio_form_array(w->d->F, u, sizeof *root);
    for (size_t i = 0; i < u; i++) root[i] = i;
    for (size_t k = 0; k < u * u; k++)
        if (!actio_is_zero(w->M[k])) root[dual_map_root_of(root, k / u)] = dual_map_root_of(root, k % u);
    for (size_t i = 0; i < u; i++) root[i] = dual_map_root_of(root, i);
    return root;
}

static const char *solve_block(struct block *b)
{
    if (!shrink(b)) return "M is coupled too widely to invert by hand";
    if (b->gones) name_rest(b);
    if (!dual_map_invert(b)) return "M is singular";
    bring_back(b);
    return NULL;
}

static void drive(struct actio_duality *w)
{
    struct actio_pool *pool = dual_map_pool_of(w);
    w->drive = actio_form_array(w->d->F, w->u, sizeof *w->drive);
    actio_gradient(pool, w->L, w->U, w->u, w->drive);
    for (size_t i = 0; i < w->u; i++)
        w->drive[i] = actio_tidy_shown(w->d, actio_neg(pool, actio_substitute(pool, w->drive[i], w->U, w->base, w->u)));
}

const char *actio_duality_solve(struct actio_duality *w)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = dual_map_pool_of(w);
    size_t u = w->u, *root = couple(w);
    struct block b = { .w = w, .a = actio_form_array(F, u * u, sizeof *b.a), .r = actio_form_array(F, u, sizeof *b.r) };
    if (actio_degree_in(pool, w->L, w->U, u) < 0)
        return "L is not quadratic in the unknowns, which solve these equations";
    b.at = actio_form_array(F, u, sizeof *b.at);
    b.gone = actio_form_array(F, u, sizeof *b.gone);
    memcpy(b.a, w->M, u * u * sizeof *b.a);
    memcpy(b.r, w->p, u * sizeof *b.r);
    w->map = actio_form_array(F, u, sizeof *w->map);
    drive(w);
    for (size_t i = 0; i < u; i++) {
        if (root[i] != i) continue;
        b.count = b.gones = 0;
        for (size_t j = 0; j < u; j++)
            if (root[j] == i) b.at[b.count++] = j;
        const char *why = solve_block(&b);
        if (why) return why;
    }
    actio_expr at_base = actio_tidy_shown(w->d, actio_substitute(pool, w->L, w->U, w->base, u));
    w->dual = actio_sub(pool, at_base, actio_div(pool, b.square, actio_const(pool, 2)));
    return NULL;
}
