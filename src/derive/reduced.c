/* SPDX-License-Identifier: Apache-2.0
 * The minimal reaction of a split, shown: free rates as if there were no constraint, bound ones from the constraints.
 * [AS 49]
 *     z' = a + delta,  G a = h,  delta = 0 on free components,  A z' = c
 * That is d'Alembert's form with the bound columns of G for D' and delta for lambda: the reaction is G delta. */
#include "derive/square.h"
#include "expr/normal.h"

enum { SHORT = 260 }; /* operations of a formula worth reading */

static void reduced_prepare(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    uint32_t *place = actio_form_array(F, F->N, sizeof *place), count = 0;
    for (size_t i = 0; i < F->N; i++)
        if (d->bound[i]) place[i] = count++;
    F->D = (struct actio_entries){ 0 };
    for (size_t i = 0; i < F->G.count; i++) {
        const struct actio_entry *e = &F->G.at[i];
        if (d->bound[e->col])
            ACTIO_PUSH(&F->arena, F->D.at, F->D.count, F->D.cap) = (struct actio_entry){ place[e->col], e->row, e->e };
    }
    F->sys.solved.symbolic = F->sys.is.symmetric = false; /* what was eliminated is d'Alembert's */
}

/* ---- sections */

static const char *names(struct actio_derivation *d, bool bound)
{
    struct actio_formation *F = d->F;
    struct actio_text t;
    size_t count = 0;
    actio_text_open(&t, &d->arena);
    for (size_t i = 0; i < F->N; i++) {
        if (d->bound[i] != bound) continue;
        actio_text_add(&t, count++ ? ", " : "");
        actio_model_symbol_name(d->model, actio_slot_of(&F->pool, F->sym.z[i]), &t);
    }
    return count ? t.s : "none";
}

static void show_split(struct actio_derivation *d)
{
    actio_expr *left, *right;
    actio_derive_balance(d, &left, &right);
    actio_shown_words(d, actio_arena_format(&d->arena, "free: %s", names(d, false)));
    actio_shown_words(d, actio_arena_format(&d->arena, "bound: %s", names(d, true)));
    actio_shown_words(d, "run uses this split at the start data and changes it where it becomes ill-conditioned; the "
                         "motion depends on it");
}

static const bool *marked(struct actio_derivation *d, bool bound)
{
    bool *which = actio_form_array(d->F, d->F->N, sizeof *which);
    for (size_t i = 0; i < d->F->N; i++) which[i] = d->bound[i] == bound;
    return which;
}

/* They need no constraint, and are found where the others are not. */
static void show_free(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr *a = actio_form_array(F, F->N, sizeof *a);
    if (actio_derive_free(d, a)) actio_shown_solved(d, F->sym.zdot, a, marked(d, false), F->N, "rates");
    else actio_shown_words(d, "the components of W^-1*h, computed numerically at each state; no short formula exists");
}

static void show_bound(struct actio_derivation *d)
{
    actio_derive_solve(d);
    if (!d->zdot) {
        actio_shown_words(d, "determined numerically by the rows above at each state");
        return;
    }
    actio_shown_solved(d, d->F->sym.zdot, d->zdot, marked(d, true), d->F->N, "rates");
    actio_say_on_shell(d);
}

/* G delta, by component */
static actio_expr *reactions(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    actio_expr *R = actio_form_array(F, F->N, sizeof *R);
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        R[e->col] = actio_add(&F->pool, R[e->col], actio_times(&F->pool, e->e, d->lambda[e->row]));
    }
    for (size_t i = 0; i < F->N; i++) R[i] = actio_tidy_shown(d, R[i]);
    return R;
}

/* A_b' lambda = R_b: the multipliers that make up the reaction on the bound components. */
static void show_multipliers(struct actio_derivation *d, const actio_expr *R)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    struct actio_square S = { .k = F->p };
    size_t *place = actio_form_array(F, F->N, sizeof *place), at[ACTIO_SQUARE], count = 0;
    actio_expr *lambda = actio_form_array(F, F->p, sizeof *lambda);
    if (F->p > ACTIO_SQUARE) return;
    for (size_t i = 0; i < F->N; i++)
        if (d->bound[i]) {
            at[count] = i;
            place[i] = count++;
        }
    for (size_t i = 0; i < F->A.count; i++)
        if (d->bound[F->A.at[i].col]) S.a[place[F->A.at[i].col] * S.k + F->A.at[i].row] = F->A.at[i].e;
    if (count != F->p || !actio_square_invertible(d, &S)) return;
    for (size_t k = 0; k < F->p; k++) {
        for (size_t i = 0; i < count; i++)
            lambda[k] = actio_add(pool, lambda[k], actio_times(pool, actio_square_cofactor(pool, &S, i, k), R[at[i]]));
        if (!actio_is_zero(lambda[k])) lambda[k] = actio_div(pool, lambda[k], S.det);
    }
    actio_shown_section(d, "multipliers", "Multipliers", "lambda*dg/dq' is the reaction on the bound ones",
                        "\\lambda \\, \\partial g/\\partial \\dot{q} = R \\text{ on the bound ones}");
    actio_shown_solved(d, F->sym.lambda, lambda, NULL, F->p, "multipliers");
}

static void show_reaction(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr power = { 0 };
    if (!d->lambda) {
        actio_shown_words(d, "W*q'' - h, computed numerically at each state; no short formula exists");
        return;
    }
    actio_expr *R = reactions(d);
    size_t long_ones = 0;
    for (size_t i = 0; i < F->N; i++) {
        if (actio_is_zero(R[i])) continue;
        if (actio_tidy_size(d, R[i]) <= SHORT) actio_shown_equation(d, NULL, F->sym.reaction[i], R[i]);
        else long_ones++;
        if (i < F->n) power = actio_add(pool, power, actio_mul(pool, F->sym.reaction[i], F->sym.v[i]));
    }
    if (long_ones) actio_shown_words(d, actio_arena_format(&d->arena, "%zu more, too long to display", long_ones));
    if (actio_is_zero(power)) {
        actio_shown_words(d, "none: the free motion satisfies the constraints");
        return;
    }
    show_multipliers(d, R);
    actio_expr whole = actio_tidy_shown(d, actio_substitute(pool, power, F->sym.reaction, R, F->N));
    actio_shown_section(d, "power", "Its power", "reaction*q', which need not vanish", "P = R \\, \\dot{q}");
    actio_shown_equation(d, NULL, actio_shown_free(d, "power", "power_of_reaction", "P"),
                         actio_tidy_size(d, whole) <= SHORT ? whole : power);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "split", "The split", "", "", show_split },
    { "free", "Free rates, as if there were no constraint", "", "", show_free },
    { "constraints", "Constraints and their consequences", "", "", NULL },
    { "bound", "Bound rates, from the constraints", "", "", show_bound },
    { "reaction", "The reaction", "W*q'' - h", "R = W \\, \\ddot{q} - h", show_reaction },
};
const struct actio_chapter actio_chapter_reduced = {
    .part = parts, .parts = sizeof parts / sizeof *parts, .prepare = reduced_prepare, .charted = true, .splits = true
};
