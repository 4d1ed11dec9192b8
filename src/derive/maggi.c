/* SPDX-License-Identifier: Apache-2.0
 * Maggi's equations, shown: directions Z that the constraints leave free, by elimination on the formulas with pivots
 * that read well, and the
 * equations of motion along them, without multipliers.   A Z = 0,   Z' (d/dt L_v - L_q - Q) = 0  [VKS 8, HAMEL A.2] */
#include "derive/square.h"
#include "expr/normal.h"

#include <math.h>
#include <stdint.h>

/* entries of A that are eliminated; operations of an entry worth reading, of one that is given up */
enum { ROOM = 4096, SHORT = 120, LONG = 4000 };

struct finding {
    struct actio_derivation *d;
    size_t N, p, rank;
    actio_expr *row; /* p x N; those below `rank` have 1 at their pivot, and 0 in each other's */
    actio_expr *by;  /* what each row was divided by */
    size_t *pivot;
    bool *bound;
};

static actio_expr *at(struct finding *f, size_t k, size_t i) { return &f->row[k * f->N + i]; }

/* Rows, free of common numbers: each as coefficients of the rates. */
static void take_rows(struct finding *f, const struct actio_entries *rows)
{
    struct actio_formation *F = f->d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *sum = actio_form_array(F, f->p, sizeof *sum);
    for (size_t i = 0; i < rows->count; i++) {
        const struct actio_entry *e = &rows->at[i];
        if (e->row < f->p) sum[e->row] = actio_add(pool, sum[e->row], actio_mul(pool, e->e, F->sym.zdot[e->col]));
    }
    for (size_t k = 0; k < f->p; k++) {
        sum[k] = actio_equation_form(pool, actio_tidy(f->d, sum[k]));
        for (size_t i = 0; i < f->N; i++) *at(f, k, i) = actio_tidy(f->d, actio_diff(pool, sum[k], F->sym.zdot[i]));
    }
}

static actio_expr minus_product(struct finding *f, actio_expr e, actio_expr a, actio_expr b)
{
    actio_expr ab = actio_times(&f->d->F->pool, a, b);
    return actio_is_zero(ab) ? e : actio_tidy(f->d, actio_sub(&f->d->F->pool, e, ab));
}

/* row k - factor * row j, the pivot's entry exactly 0 */
static void take_out(struct finding *f, size_t k, size_t j)
{
    actio_expr factor = *at(f, k, f->pivot[j]);
    if (actio_is_zero(factor)) return;
    for (size_t i = 0; i < f->N; i++)
        *at(f, k, i) = i == f->pivot[j] ? (actio_expr){ 0 } : minus_product(f, *at(f, k, i), factor, *at(f, j, i));
}

/* Shortest first, and before all others those that are not 0 at the start. N: the row is 0. */
static size_t choose_pivot(struct finding *f, size_t k)
{
    struct actio_formation *F = f->d->F;
    size_t best = f->N, least = SIZE_MAX;
    double most = 0;
    for (size_t i = 0; i < f->N; i++)
        most = fmax(most, fabs(actio_value_of(&F->pool, *at(f, k, i), actio_start_value, F->model)));
    for (size_t i = 0; i < f->N; i++) {
        actio_expr e = *at(f, k, i);
        if (actio_is_zero(e) || actio_is_identically_zero(&F->pool, e)) continue;
        bool vanishes = !(fabs(actio_value_of(&F->pool, e, actio_start_value, F->model)) > 1e-9 * most);
        size_t cost = (actio_level_of(&F->pool, e) < ACTIO_LV_TIME ? 0 : LONG) + actio_tidy_size(f->d, e)
                      + (vanishes ? 2 * LONG : 0);
        if (cost < least) {
            best = i;
            least = cost;
        }
    }
    return best;
}

static bool too_long(struct finding *f, size_t k)
{
    for (size_t i = 0; i < f->N; i++)
        if (actio_tidy_size(f->d, *at(f, k, i)) > LONG) return true;
    return false;
}

/* false: the formulas outgrow paper. A row that the ones before it make 0 is redundant, and left out. */
static bool maggi_eliminate(struct finding *f)
{
    struct actio_pool *pool = &f->d->F->pool;
    for (size_t k = 0; k < f->p; k++) {
        size_t r = f->rank;
        if (f->d->kept && !f->d->kept[k]) continue; /* it follows from the others, if only on the constraints */
        for (size_t i = 0; i < f->N; i++) *at(f, r, i) = *at(f, k, i);
        for (size_t j = 0; j < r; j++) take_out(f, r, j);
        size_t pivot = choose_pivot(f, r);
        if (too_long(f, r)) return false;
        if (pivot == f->N) continue;
        f->by[r] = *at(f, r, pivot);
        f->pivot[r] = pivot;
        f->bound[pivot] = true;
        for (size_t i = 0; i < f->N; i++)
            if (!actio_is_zero(*at(f, r, i)))
                *at(f, r, i) =
                    i == pivot ? actio_const(pool, 1) : actio_tidy(f->d, actio_div(pool, *at(f, r, i), f->by[r]));
        for (size_t j = 0; j < r; j++) take_out(f, j, r);
        f->rank++;
    }
    return true;
}

/* ---- directions */

/* factor * (1 at the free rate i, -row at the pivots) */
static size_t direction(struct finding *f, size_t i, actio_expr factor, actio_expr *to)
{
    struct actio_pool *pool = &f->d->F->pool;
    size_t size = 0;
    for (size_t k = 0; k < f->N; k++) to[k] = (actio_expr){ 0 };
    to[i] = factor;
    for (size_t r = 0; r < f->rank; r++)
        if (!actio_is_zero(*at(f, r, i)))
            to[f->pivot[r]] = actio_tidy(f->d, actio_neg(pool, actio_mul(pool, factor, *at(f, r, i))));
    for (size_t k = 0; k < f->N; k++) size += actio_tidy_size(f->d, to[k]);
    return size;
}

static actio_expr positive(struct finding *f, actio_expr e)
{
    struct actio_node n = f->d->F->pool.node[e.id];
    return n.op == ACTIO_NEG ? (actio_expr){ n.a } : e;
}

/* Multiplied by what the rows were divided by, where that leaves no fractions and so reads better. */
static void best_direction(struct finding *f, size_t i, actio_expr *to)
{
    struct actio_pool *pool = &f->d->F->pool;
    actio_expr *other = actio_form_array(f->d->F, f->N, sizeof *other), all = actio_const(pool, 1);
    size_t least = direction(f, i, all, to);
    for (size_t r = 0; r <= f->rank; r++) {
        bool last = r == f->rank;
        actio_expr by = last ? all : positive(f, f->by[r]);
        if (!last && (actio_is_zero(*at(f, r, i)) || actio_is_const(pool, f->by[r]))) continue;
        if (!last) all = actio_tidy(f->d, actio_mul(pool, all, by));
        size_t size = direction(f, i, by, other);
        if (size >= least) continue;
        least = size;
        for (size_t k = 0; k < f->N; k++) to[k] = other[k];
    }
}

/* Of the rates: all, or those that are bound or not. */
static const char *names(struct finding *f, bool all, bool bound)
{
    struct actio_text t;
    struct actio_formation *F = f->d->F;
    size_t count = 0;
    actio_text_open(&t, &f->d->arena);
    for (size_t i = 0; i < f->N; i++) {
        if (!all && f->bound[i] != bound) continue;
        actio_text_add(&t, count++ ? ", " : "");
        actio_model_symbol_name(f->d->model, actio_slot_of(&F->pool, F->sym.z[i]), &t);
    }
    return t.s;
}

static void say_free(struct finding *f)
{
    struct actio_arena *a = &f->d->arena;
    if (f->rank == f->N) {
        actio_shown_words(f->d, "none: the constraints determine all velocities");
        return;
    }
    actio_shown_words(f->d, actio_arena_format(a, "columns correspond to the independent %s, rows to %s",
                                               names(f, false, false), names(f, true, true)));
    if (f->rank) actio_shown_words(f->d, actio_arena_format(a, "the constraints determine %s", names(f, false, true)));
}

static void show_directions(struct finding *f, const actio_expr *Z, size_t r)
{
    size_t too_long_ones = 0;
    actio_expr *shown = actio_arena_array(&f->d->arena, f->N * r + 1, sizeof *shown);
    for (size_t i = 0; i < f->N * r; i++) {
        shown[i] = actio_group(&f->d->F->pool, Z[i]);
        too_long_ones += actio_tidy_size(f->d, shown[i]) > SHORT;
    }
    say_free(f);
    if (too_long_ones)
        actio_shown_words(f->d,
                          actio_arena_format(&f->d->arena, "%zu entries of Z are too long to display", too_long_ones));
    else if (r) actio_shown_matrix(f->d, "Z", f->N, r, shown);
}

/* ---- the principal equations */

void actio_shown_along(struct actio_derivation *d, const actio_expr *Z, size_t r)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    size_t left_out = 0;
    actio_expr *none = actio_form_array(F, F->p, sizeof *none), *left, *right;
    actio_derive_balance(d, &left, &right);
    for (size_t j = 0; j < r; j++) {
        actio_expr a = { 0 }, b = { 0 };
        for (size_t i = 0; i < F->N; i++) {
            a = actio_add(pool, a, actio_times(pool, Z[i * r + j], left[i]));
            b = actio_add(pool, b,
                          actio_times(pool, Z[i * r + j], actio_substitute(pool, right[i], F->sym.lambda, none, F->p)));
        }
        actio_tidy_rates(d, &a, &b);
        if (actio_tidy_size(d, a) + actio_tidy_size(d, b) > 8 * SHORT) left_out++;
        else actio_shown_equation(d, NULL, actio_group(pool, a), actio_group(pool, b));
    }
    if (left_out) actio_shown_words(d, actio_arena_format(&d->arena, "%zu more, too long to display", left_out));
}

static bool maggi_find(struct finding *f, struct actio_derivation *d, const struct actio_entries *rows)
{
    struct actio_formation *F = d->F;
    *f = (struct finding){ .d = d, .N = F->N, .p = F->p };
    if (F->N * F->p > ROOM) return false;
    f->row = actio_form_array(F, F->N * (F->p + 1), sizeof *f->row);
    f->by = actio_form_array(F, F->p, sizeof *f->by);
    f->pivot = actio_form_array(F, F->p, sizeof *f->pivot);
    f->bound = actio_form_array(F, F->N, sizeof *f->bound);
    take_rows(f, rows);
    return maggi_eliminate(f);
}

/* Directions by columns: as they read best, or with 1 at the rate that is free. */
static actio_expr *columns(struct finding *f, bool plain)
{
    struct actio_formation *F = f->d->F;
    size_t r = f->N - f->rank, j = 0;
    actio_expr *Z = actio_form_array(F, f->N * r, sizeof *Z), *column = actio_form_array(F, f->N, sizeof *column);
    for (size_t i = 0; i < f->N; i++) {
        if (f->bound[i]) continue;
        if (plain) direction(f, i, actio_const(&F->pool, 1), column);
        else best_direction(f, i, column);
        for (size_t k = 0; k < f->N; k++) Z[k * r + j] = column[k];
        j++;
    }
    return Z;
}

bool actio_directions_of(struct actio_derivation *d, const struct actio_entries *rows, struct actio_directions *out)
{
    struct finding f;
    if (!maggi_find(&f, d, rows)) return false;
    *out = (struct actio_directions){ f.N - f.rank, columns(&f, true), columns(&f, false), f.bound };
    return true;
}

static void show_maggi(struct actio_derivation *d)
{
    struct finding f;
    if (!maggi_find(&f, d, &d->F->A)) {
        actio_shown_words(d, "the directions are too long to display; run computes them numerically");
        return;
    }
    size_t r = f.N - f.rank;
    actio_expr *Z = columns(&f, false);
    show_directions(&f, Z, r);
    actio_shown_section(d, "principal", "Equations of motion along the directions", "Z'*(d/dt dL/dq' - dL/dq - F) = 0",
                        "Z^T \\left( \\frac{d}{dt} \\frac{\\partial \\mathcal{L}}{\\partial \\dot{q}} - "
                        "\\frac{\\partial \\mathcal{L}}{\\partial q} - F \\right) = 0");
    actio_shown_along(d, Z, r);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "directions", "Directions that the constraints leave free", "A*Z = 0, A = dg/dq'",
      "A \\, Z = 0, \\quad A = \\partial g/\\partial \\dot{q}", show_maggi },
    { "constraints", "With the constraints and their consequences", "", "", NULL },
    ACTIO_SHARED_PART("accelerations"),
};
const struct actio_chapter actio_chapter_maggi = { .part = parts,
                                                   .parts = sizeof parts / sizeof *parts,
                                                   .charted = true };
