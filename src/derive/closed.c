/* SPDX-License-Identifier: Apache-2.0
 * Constraints and what follows from them by differentiation; those that nobody wrote, because they follow from singular
 * equations of motion, and how many initial data they leave free.  [LM 16, HAMEL F.2] */
#include "derive/derive.h"
#include "expr/normal.h"

enum { SHORT = 260 }; /* operations of an equation worth reading */

/* The shorter of two ways to write the same. */
static actio_expr shorter(struct actio_derivation *d, actio_expr a, actio_expr b)
{
    return actio_tidy_size(d, b) < actio_tidy_size(d, a) ? b : a;
}

void actio_derive_rate(struct actio_derivation *d, actio_expr rate)
{
    struct actio_formation *F = d->F;
    actio_expr e = actio_equation_form(&F->pool, actio_tidy(d, rate));
    actio_shown_equation(d, NULL, actio_group(&F->pool, shorter(d, actio_tidy_in(d, e, F->sym.v, F->n), e)),
                         (actio_expr){ 0 });
}

void actio_derive_row(struct actio_derivation *d, size_t row)
{
    struct actio_formation *F = d->F;
    actio_expr left = { 0 }, right = F->c[row];
    for (size_t i = 0; i < F->A.count; i++)
        if (F->A.at[i].row == row)
            left = actio_add(&F->pool, left, actio_mul(&F->pool, F->A.at[i].e, F->sym.zdot[F->A.at[i].col]));
    actio_tidy_rates(d, &left, &right);
    if (actio_tidy_size(d, left) + actio_tidy_size(d, right) <= SHORT || row < F->p)
        actio_shown_equation(d, NULL, actio_group(&F->pool, left), actio_group(&F->pool, right));
}

/* Rows of the hidden constraints stand behind those of the model, when they joined the system. */
static void show_what_follows(struct actio_derivation *d, size_t j)
{
    struct actio_formation *F = d->F;
    size_t row = F->p + j;
    if (row >= F->sys.p) return;
    if (d->closure->is_position[j]) actio_derive_rate(d, F->phi[F->sys.levels - F->sys.hidden + j]);
    actio_derive_row(d, row);
}

void actio_derive_hidden(struct actio_derivation *d)
{
    const struct actio_shown_closure *c = d->closure;
    if (!c || c->hiddens == 0) return;
    for (size_t j = 0; j < c->hiddens; j++) {
        actio_shown_equation(d, NULL, actio_group(&d->F->pool, c->hidden[j]), (actio_expr){ 0 });
        show_what_follows(d, j);
    }
    if (c->verdict) actio_shown_words(d, c->verdict);
    else
        actio_shown_words(
            d, actio_arena_format(&d->arena,
                                  "free initial data: %zu; a plain count of coordinates and constraints gives %ld",
                                  c->free_data, c->naive_free_data));
}
