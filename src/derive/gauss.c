/* SPDX-License-Identifier: Apache-2.0
 * Gauss's least constraint, shown: the quantity that the accelerations make least among those that the constraints
 * allow.  [VKS 9]
 *     Z = (z' - a)' S (z' - a)/2,  S a = h,  or without what has no accelerations in it  Z = z' S z'/2 - h z'
 * S is G where that is symmetric. Else it is formed on rates that need each other and that rows touch; all others are
 * data for Z. */
#include "algebra/components.h"
#include "derive/square.h"
#include "expr/normal.h"

enum { SHORT = 400 }; /* operations of a sum worth reading */

/* Variables whose rates Z depends on, S between them, and the right sides. */
struct least {
    size_t n;
    size_t *at;
    actio_expr *S, *h;
};

static actio_expr *entry(const struct least *z, size_t i, size_t j) { return &z->S[i * z->n + j]; }

/* x S x/2 */
static actio_expr half_square(struct actio_derivation *d, const struct least *z, const actio_expr *x)
{
    struct actio_pool *pool = &d->F->pool;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < z->n; i++)
        for (size_t j = i; j < z->n; j++) {
            actio_expr e = *entry(z, i, j);
            if (actio_is_zero(e)) continue;
            actio_expr both = i == j ? actio_div(pool, actio_power(pool, x[i], 2), actio_const(pool, 2))
                                     : actio_mul(pool, x[i], x[j]);
            sum = actio_add(pool, sum, actio_times(pool, e, both));
        }
    return sum;
}

/* Free accelerations a = h/S where nothing is coupled: then a person completes the squares. */
static bool free_rates(struct actio_derivation *d, const struct least *z, actio_expr *a)
{
    for (size_t i = 0; i < z->n; i++)
        for (size_t j = 0; j < z->n; j++)
            if (actio_is_zero(*entry(z, i, j)) == (i == j)) return false;
    for (size_t i = 0; i < z->n; i++)
        a[i] = actio_is_zero(z->h[i]) ? z->h[i] : actio_tidy_shown(d, actio_div(&d->F->pool, z->h[i], *entry(z, i, i)));
    return true;
}

static actio_expr completed(struct actio_derivation *d, const struct least *z, const actio_expr *a)
{
    actio_expr *x = actio_form_array(d->F, z->n, sizeof *x);
    for (size_t i = 0; i < z->n; i++) x[i] = actio_sub(&d->F->pool, d->F->sym.zdot[z->at[i]], a[i]);
    return half_square(d, z, x);
}

static actio_expr without_rest(struct actio_derivation *d, const struct least *z)
{
    struct actio_formation *F = d->F;
    actio_expr *x = actio_form_array(F, z->n, sizeof *x);
    for (size_t i = 0; i < z->n; i++) x[i] = F->sym.zdot[z->at[i]];
    actio_expr sum = half_square(d, z, x);
    for (size_t i = 0; i < z->n; i++)
        if (!actio_is_zero(z->h[i])) sum = actio_sub(&F->pool, sum, actio_mul(&F->pool, z->h[i], x[i]));
    return sum;
}

static void show_least(struct actio_derivation *d, const struct least *z, bool constrained)
{
    struct actio_formation *F = d->F;
    actio_expr *a = actio_form_array(F, z->n, sizeof *a);
    bool complete = free_rates(d, z, a);
    actio_expr Z = complete ? completed(d, z, a) : without_rest(d, z);
    if (actio_tidy_size(d, Z) > SHORT) {
        actio_shown_words(d, "a sum too long to display; W and the right sides are those of `derive` by dalembert");
        return;
    }
    actio_shown_equation(d, NULL, actio_shown_free(d, "Z", "Gauss", "Z"), complete ? Z : actio_group(&F->pool, Z));
    if (!complete) actio_shown_words(d, "up to a term without accelerations, which is the same for all of them");
    actio_shown_words(d, constrained ? "minimal among the accelerations that the rows below allow"
                                     : "minimal, and 0, for the free accelerations: there are no constraints");
}

/* ---- states in momenta, flows whose matrix is not symmetric */

static size_t number_components(struct actio_formation *F, uint32_t *component)
{
    size_t N = F->N;
    bool *needs = actio_form_array(F, N * N, sizeof *needs);
    uint32_t *list = actio_form_array(F, N, sizeof *list);
    for (size_t i = 0; i < F->G.count; i++) needs[F->G.at[i].row * N + F->G.at[i].col] = true;
    for (size_t k = 0; k < F->p; k++) {
        size_t count = 0;
        for (size_t i = 0; i < F->A.count; i++)
            if (F->A.at[i].row == k) list[count++] = F->A.at[i].col;
        actio_components_join(N, needs, list, count);
    }
    return actio_components(N, needs, component);
}

static bool is_even(const struct least *z)
{
    for (size_t i = 0; i < z->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!actio_same(*entry(z, i, j), *entry(z, j, i))) return false;
    return true;
}

/* All variables of a component, those that rows touch first (`touched` of them); rates of earlier ones go over to the
 * right side. */
static struct least gauss_gather(struct actio_derivation *d, const uint32_t *component, uint32_t number,
                                 const bool *touched)
{
    struct actio_formation *F = d->F;
    struct least z = { .at = actio_form_array(F, F->N, sizeof *z.at) };
    size_t *place = actio_form_array(F, F->N, sizeof *place);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < F->N; i++)
            if (component[i] == number && touched[i] == (pass == 0)) z.at[place[i] = z.n++] = i;
    z.S = actio_form_array(F, z.n * z.n, sizeof *z.S);
    z.h = actio_form_array(F, z.n, sizeof *z.h);
    for (size_t i = 0; i < z.n; i++) z.h[i] = F->h[z.at[i]];
    for (size_t k = 0; k < F->G.count; k++) {
        const struct actio_entry *e = &F->G.at[k];
        if (component[e->row] != number) continue;
        if (component[e->col] == number)
            *entry(&z, place[e->row], place[e->col]) =
                actio_add(&F->pool, *entry(&z, place[e->row], place[e->col]), e->e);
        else
            z.h[place[e->row]] =
                actio_sub(&F->pool, z.h[place[e->row]], actio_mul(&F->pool, e->e, F->sym.zdot[e->col]));
    }
    return z;
}

/* The last variable goes by its own equation: S - S_u S_u'/S_uu. */
static struct least without_last(struct actio_derivation *d, const struct least *z)
{
    struct actio_pool *pool = &d->F->pool;
    size_t n = z->n - 1;
    struct least less = { n, z->at, actio_form_array(d->F, n * n, sizeof *less.S),
                          actio_form_array(d->F, n, sizeof *less.h) };
    actio_expr pivot = *entry(z, n, n);
    for (size_t i = 0; i < n; i++) {
        actio_expr factor = *entry(z, i, n);
        if (!actio_is_zero(factor)) factor = actio_div(pool, factor, pivot);
        for (size_t j = 0; j < n; j++)
            *entry(&less, i, j) =
                actio_tidy(d, actio_sub(pool, *entry(z, i, j), actio_times(pool, factor, *entry(z, n, j))));
        less.h[i] = actio_tidy(d, actio_sub(pool, z->h[i], actio_times(pool, factor, z->h[n])));
    }
    return less;
}

/* Returns whether rows hold it. */
static bool show_component(struct actio_derivation *d, const uint32_t *component, uint32_t number, const bool *touched,
                           const actio_expr *left, const actio_expr *right)
{
    struct least z = gauss_gather(d, component, number, touched);
    size_t held = 0;
    for (size_t i = 0; i < z.n; i++) held += touched[z.at[i]];
    if (held == 0) {
        for (size_t i = 0; i < z.n; i++) actio_shown_equation(d, NULL, left[z.at[i]], right[z.at[i]]);
        return false;
    }
    while (!is_even(&z) && z.n > held) z = without_last(d, &z);
    show_least(d, &z, true);
    return true;
}

static void show_components(struct actio_derivation *d, const actio_expr *left, const actio_expr *right)
{
    struct actio_formation *F = d->F;
    uint32_t *component = actio_form_array(F, F->N, sizeof *component);
    bool *touched = actio_form_array(F, F->N, sizeof *touched);
    for (size_t i = 0; i < F->A.count; i++) touched[F->A.at[i].col] = true;
    size_t count = number_components(F, component);
    size_t held = 0;
    for (uint32_t k = 0; k < count; k++) held += show_component(d, component, k, touched, left, right);
    if (held == count) return;
    actio_shown_words(d, held ? "rates in no row follow from their own equations and are data for Z"
                              : "no row contains a rate: all follow from their own equations");
}

static void show_constraint(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr *left, *right;
    actio_derive_balance(d, &left, &right);
    bool *all = actio_form_array(F, F->N, sizeof *all);
    for (size_t i = 0; i < F->N; i++) all[i] = true;
    struct least z = gauss_gather(d, actio_form_array(F, F->N, sizeof(uint32_t)), 0, all);
    if (is_even(&z)) show_least(d, &z, F->p > 0);
    else show_components(d, left, right);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "least", "Function to minimise", "(q'' - a)*W*(q'' - a)/2, W*a = h the free accelerations",
      "Z = \\tfrac{1}{2} \\, (\\ddot{q} - a)^T \\, W \\, (\\ddot{q} - a), \\quad W a = h", show_constraint },
    { "constraints", "Subject to the constraints and their consequences", "", "", NULL },
    { "accelerations", "Minimising accelerations", "", "", NULL },
};
const struct actio_chapter actio_chapter_gauss = { .part = parts, .parts = sizeof parts / sizeof *parts };
