/* SPDX-License-Identifier: Apache-2.0
 * Small matrices of formulas by cofactors, so that a block of one reads 1/m and one of two has a determinant. */
#include "derive/square.h"

#include <math.h>

actio_expr actio_times(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(pool, a, b);
}

/* Of three rows the signs come with the cyclic order. */
actio_expr actio_square_cofactor(struct actio_pool *pool, const struct actio_square *s, size_t i, size_t j)
{
    if (s->k == 1) return actio_const(pool, 1);
    if (s->k == 2) {
        actio_expr other = s->a[(1 - i) * 2 + 1 - j];
        return i == j || actio_is_zero(other) ? other : actio_neg(pool, other);
    }
    size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    actio_expr plus = actio_times(pool, s->a[i1 * 3 + j1], s->a[i2 * 3 + j2]),
               minus = actio_times(pool, s->a[i1 * 3 + j2], s->a[i2 * 3 + j1]);
    return actio_is_zero(minus) ? plus : actio_sub(pool, plus, minus);
}

/* Values that no formula was made for: a determinant that vanishes here vanishes everywhere. */
static double somewhere(void *user, actio_slot slot)
{
    (void)user;
    return 1.1 + 0.9 * sin(12.9898 * slot.index + 4.1414 * slot.space + 2.7183 * slot.offset + 1);
}

static double square_size_of(struct actio_pool *pool, const struct actio_square *s)
{
    double size = 1;
    for (size_t i = 0; i < s->k; i++) {
        double row = 0;
        for (size_t j = 0; j < s->k; j++)
            row = fmax(row, fabs(actio_value_of(pool, s->a[i * s->k + j], somewhere, NULL)));
        size *= row;
    }
    return size;
}

bool actio_square_invertible(struct actio_derivation *d, struct actio_square *s)
{
    struct actio_pool *pool = &d->F->pool;
    s->det = (actio_expr){ 0 };
    for (size_t j = 0; j < s->k; j++)
        s->det = actio_add(pool, s->det, actio_times(pool, s->a[j], actio_square_cofactor(pool, s, 0, j)));
    s->det = actio_tidy(d, s->det);
    double value = actio_value_of(pool, s->det, somewhere, NULL);
    return !actio_is_zero(s->det) && !(isfinite(value) && fabs(value) <= 1e-12 * square_size_of(pool, s));
}

/* ---- blocks */

static size_t square_root_of(size_t *parent, size_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The smallest variable that each is coupled to. */
static size_t *couple(struct actio_derivation *d, size_t n)
{
    const struct actio_entries *G = &d->F->G;
    size_t *root = actio_form_array(d->F, n, sizeof *root);
    for (size_t i = 0; i < n; i++) root[i] = i;
    for (size_t e = 0; e < G->count; e++) {
        if (G->at[e].row >= n || G->at[e].col >= n) continue;
        size_t a = square_root_of(root, G->at[e].row), b = square_root_of(root, G->at[e].col);
        root[a > b ? a : b] = a < b ? a : b;
    }
    for (size_t i = 0; i < n; i++) root[i] = square_root_of(root, i);
    return root;
}

static size_t place_in(const struct actio_block *b, size_t variable)
{
    for (size_t i = 0; i < b->k; i++)
        if (b->at[i] == variable) return i;
    return b->k;
}

static void take_entries(struct actio_derivation *d, struct actio_blocks *b, const size_t *number, size_t n)
{
    const struct actio_entries *G = &d->F->G;
    for (size_t e = 0; e < G->count; e++) {
        size_t i = G->at[e].row, j = G->at[e].col;
        if (i >= n || j >= n) continue;
        struct actio_block *block = &b->block[number[i]];
        block->g.a[place_in(block, i) * block->k + place_in(block, j)] = G->at[e].e;
    }
}

struct actio_blocks actio_blocks_of(struct actio_derivation *d, size_t n)
{
    struct actio_blocks b = { .block = actio_form_array(d->F, n, sizeof *b.block) };
    size_t *root = couple(d, n), *number = actio_form_array(d->F, n, sizeof *number);
    for (size_t i = 0; i < n; i++) {
        number[i] = root[i] == i ? b.count++ : number[root[i]];
        struct actio_block *block = &b.block[number[i]];
        if (block->k == ACTIO_SQUARE) {
            b.why = "W is coupled too widely to invert by hand";
            return b;
        }
        block->at[block->k++] = i;
    }
    take_entries(d, &b, number, n);
    for (size_t k = 0; k < b.count && !b.why; k++) {
        b.block[k].g.k = b.block[k].k;
        if (!actio_square_invertible(d, &b.block[k].g)) b.why = "W is singular";
    }
    return b;
}
