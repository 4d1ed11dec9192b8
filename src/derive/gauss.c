/* SPDX-License-Identifier: Apache-2.0
 * Gauss's least constraint, shown: the quantity that the accelerations make least among those that the constraints allow.    [VKS 9]
 *     Z = (z' - a)' G (z' - a)/2,  G a = h,  or without what has no accelerations in it  Z = z' G z'/2 - h z' */
#include "derive/square.h"
#include "expr/normal.h"

enum { SHORT = 400 };                                      /* operations of a sum worth reading */

/* x G x/2 */
static actio_expr half_square(struct actio_derivation *d, const actio_expr *x)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < F->G.count; i++) {
        const struct actio_entry *e = &F->G.at[i];
        if (e->row > e->col) continue;
        actio_expr both = e->row == e->col ? actio_div(pool, actio_power(pool, x[e->row], 2), actio_const(pool, 2)) : actio_mul(pool, x[e->row], x[e->col]);
        sum = actio_add(pool, sum, actio_times(pool, e->e, both));
    }
    return sum;
}

/* Free accelerations a = h/G where nothing is coupled: then a person completes the squares. */
static bool free_rates(struct actio_derivation *d, actio_expr *a)
{
    struct actio_formation *F = d->F;
    actio_expr *mass = actio_form_array(F, F->N, sizeof *mass);
    for (size_t i = 0; i < F->G.count; i++) {
        if (F->G.at[i].row != F->G.at[i].col) return false;
        mass[F->G.at[i].row] = F->G.at[i].e;
    }
    for (size_t i = 0; i < F->N; i++) {
        if (actio_is_zero(mass[i])) return false;
        a[i] = actio_is_zero(F->h[i]) ? F->h[i] : actio_tidy_shown(d, actio_div(&F->pool, F->h[i], mass[i]));
    }
    return true;
}

static actio_expr completed(struct actio_derivation *d, const actio_expr *a)
{
    struct actio_formation *F = d->F;
    actio_expr *x = actio_form_array(F, F->N, sizeof *x);
    for (size_t i = 0; i < F->N; i++) x[i] = actio_sub(&F->pool, F->zdot[i], a[i]);
    return half_square(d, x);
}

static actio_expr without_rest(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr sum = half_square(d, F->zdot);
    for (size_t i = 0; i < F->N; i++)
        if (!actio_is_zero(F->h[i])) sum = actio_sub(&F->pool, sum, actio_mul(&F->pool, F->h[i], F->zdot[i]));
    return sum;
}

static void show_constraint(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr *left, *right, *a = actio_form_array(F, F->N, sizeof *a);
    actio_derive_balance(d, &left, &right);
    bool complete = free_rates(d, a);
    actio_expr Z = complete ? completed(d, a) : without_rest(d);
    if (actio_tidy_size(d, Z) > SHORT) { actio_shown_words(d, "a sum that is longer than is worth reading; W and the right sides are those of `derive` by dalembert"); return; }
    actio_shown_equation(d, NULL, actio_shown_free(d, "Z", "Gauss", "Z"), complete ? Z : actio_group(&F->pool, Z));
    if (!complete) actio_shown_words(d, "up to a part without accelerations: it is the same for all of them");
    actio_shown_words(d, F->p ? "least among the accelerations that the rows below allow" : "least, and 0, for the free accelerations: there are no constraints");
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"), ACTIO_SHARED_PART("coordinates"), ACTIO_SHARED_PART("states"), ACTIO_SHARED_PART("lagrangian"), ACTIO_SHARED_PART("forces"),
    { "least", "What is made least", "(q'' - a)*W*(q'' - a)/2, W*a = h the free accelerations",
      "Z = \\tfrac{1}{2} \\, (\\ddot{q} - a)^T \\, W \\, (\\ddot{q} - a), \\quad W a = h", show_constraint },
    { "constraints", "Subject to the constraints, and what follows from them", "", "", NULL },
    { "accelerations", "The accelerations that do it", "", "", NULL },
};
const struct actio_chapter actio_chapter_gauss = { .by = "gauss", .part = parts, .parts = sizeof parts / sizeof *parts };
