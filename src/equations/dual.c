/* SPDX-License-Identifier: Apache-2.0
 * The dual action's formulas  [AS 22, DUAL 1].
 * First-order form of a system, x = (q, v, s), U = (x, y):   x' = f(U, t),  0 = g(U, t), of index 1:
 *     eliminated   f = (v, z'(x, t)), no y                      where the formulas were eliminated
 *     implicit     y = (z', lambda),  f = (v, z'),  g = (G z' - D' lambda - h, A z' - c)             always; nothing is
 *     inverted
 *     reduced      the same with the bound columns of G in place of D': reactions that move bound velocities only  [AS
 *     49]
 *     free         y = (z', [s]),  g = (A z' - c, [R.v or R.v + s^2/2]) with R = G z' - h; H weighs R and not z'  [AS
 *     31]
 * Free reactions are not unknowns of their own, for z' and R give each other: L as a function of (x, z') is that of (x,
 * R) in other coordinates, so that S,
 * its maximum and the signs of M are those of the paper, and no matrix of inertia is inverted.
 * Pre-dual Lagrangian, with D of x and m of g:   L = -D'.x - D.f + m.g + H(U, base, t).
 * Names, for whoever shows or solves it (struct actio_dual_formulas in formation.h): U, f, g, D, rate = D', mu = m,
 * base, H, L, all in the formation's pool;
 * sizes and places of what DUAL_POINT puts out are in sys.first_order. Open it with actio_form_dual inside of a
 * building stage, actio_system_dual outside. */
#include "equations/formation.h"

#include <string.h>

static actio_expr *symbols(struct actio_formation *F, enum actio_space space, size_t count)
{
    actio_expr *e = actio_form_array(F, count, sizeof *e);
    for (uint32_t i = 0; i < count; i++) e[i] = actio_symbol(&F->pool, space, i);
    return e;
}

static actio_expr plus_product(struct actio_pool *pool, actio_expr sum, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? sum : actio_add(pool, sum, actio_mul(pool, a, b));
}

/* ---- U, f and g */

struct building {
    struct actio_formation *F;
    struct actio_dual_formulas *d;
    const struct actio_dual_choice *choice;
    size_t ng;
    const char **equation;
};

static void add_unknowns(struct building *b, const actio_expr *e, size_t count)
{
    if (count) memcpy(b->d->U + b->d->u, e, count * sizeof *e);
    b->d->u += count;
}

static void add_equation(struct building *b, actio_expr e, const char *name)
{
    b->equation[b->ng] = name;
    b->d->g[b->ng++] = e;
}

static void add_balance(struct building *b, size_t i, actio_expr e)
{
    add_equation(b, e, actio_arena_format(&b->F->arena, "%s_balance", b->F->sys.variable[i]));
}

/* G z' - h, row by row. */
static actio_expr *inertia_rows(struct actio_formation *F)
{
    actio_expr *row = actio_form_array(F, F->N, sizeof *row);
    for (size_t i = 0; i < F->N; i++) row[i] = actio_neg(&F->pool, F->h[i]);
    for (size_t i = 0; i < F->G.count; i++) {
        const struct actio_entry *e = &F->G.at[i];
        row[e->row] = plus_product(&F->pool, row[e->row], e->e, F->sym.zdot[e->col]);
    }
    return row;
}

/* What multiplier k does: along D, or as the bound column k of G. */
static void push_reactions(struct building *b, actio_expr *row)
{
    struct actio_formation *F = b->F;
    struct actio_pool *pool = &F->pool;
    const bool *bound = b->choice->bound;
    size_t *place = actio_form_array(F, F->N, sizeof *place);
    for (size_t i = 0, k = 0; bound && i < F->N; i++) place[i] = bound[i] ? k++ : 0;
    const struct actio_entries *by = bound ? &F->G : &F->D;
    for (size_t i = 0; i < by->count; i++) {
        const struct actio_entry *e = &by->at[i];
        size_t to = bound ? e->row : e->col, k = bound ? place[e->col] : e->row;
        if (bound && !bound[e->col]) continue;
        row[to] = actio_sub(pool, row[to], actio_mul(pool, e->e, F->sym.lambda[k]));
    }
}

/* A z' - c */
static void add_rates(struct building *b)
{
    struct actio_formation *F = b->F;
    actio_expr *row = actio_form_array(F, F->p, sizeof *row);
    for (size_t k = 0; k < F->p; k++) row[k] = actio_neg(&F->pool, F->c[k]);
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_entry *e = &F->A.at[i];
        if (e->row < F->p) row[e->row] = plus_product(&F->pool, row[e->row], e->e, F->sym.zdot[e->col]);
    }
    for (size_t k = 0; k < F->p; k++)
        add_equation(b, row[k], actio_arena_format(&F->arena, "lambda.%s", F->sys.constraint[k]));
}

/* The power of a free reaction: none, or what it takes is half a square.  [AS 31d] */
static void add_power(struct building *b, const actio_expr *reaction)
{
    struct actio_formation *F = b->F;
    struct actio_pool *pool = &F->pool;
    actio_expr power = { 0 }, slack = actio_symbol(pool, ACTIO_SPACE_SLACK, 0);
    if (b->choice->power == ACTIO_DUAL_ANY_POWER) return;
    for (size_t i = 0; i < F->n; i++) power = plus_product(pool, power, reaction[i], F->sym.v[i]);
    if (b->choice->power == ACTIO_DUAL_TAKES_POWER) {
        add_unknowns(b, &slack, 1);
        power = actio_add(pool, power, actio_mul(pool, actio_const(pool, 0.5), actio_power(pool, slack, 2)));
    }
    add_equation(b, power, "power");
}

/* On every coordinate, and on states that some constraint acts on.  [AS 13a] */
static bool *free_rows(struct actio_formation *F)
{
    bool *is_free = actio_form_array(F, F->N, sizeof *is_free);
    for (size_t i = 0; i < F->n; i++) is_free[i] = true;
    for (size_t i = 0; i < F->D.count; i++) is_free[F->D.at[i].col] = true;
    return is_free;
}

static void form_free(struct building *b)
{
    struct actio_formation *F = b->F;
    struct actio_dual_formulas *d = b->d;
    d->reaction = inertia_rows(F);
    d->is_free = free_rows(F);
    add_unknowns(b, F->sym.zdot, F->N);
    for (size_t i = 0; i < F->N; i++)
        if (!d->is_free[i]) add_balance(b, i, d->reaction[i]);
    add_rates(b);
    add_power(b, d->reaction);
}

static void form_implicit(struct building *b)
{
    struct actio_formation *F = b->F;
    actio_expr *row = inertia_rows(F);
    add_unknowns(b, F->sym.zdot, F->N);
    add_unknowns(b, F->sym.lambda, F->p);
    push_reactions(b, row);
    for (size_t i = 0; i < F->N; i++) add_balance(b, i, row[i]);
    add_rates(b);
}

static void form_first_order(struct building *b)
{
    struct actio_formation *F = b->F;
    struct actio_dual_formulas *d = b->d;
    bool eliminated = F->sys.solved.symbolic && !b->choice->multipliers && b->choice->closure == ACTIO_CLOSURE_GAUSS;
    size_t nx = F->n + F->N;
    d->U = actio_form_array(F, nx + 2 * F->N + F->p + 1, sizeof *d->U);
    d->f = actio_form_array(F, nx, sizeof *d->f);
    d->g = actio_form_array(F, F->N + F->p + 1, sizeof *d->g);
    b->equation = actio_form_array(F, F->N + F->p + 1, sizeof *b->equation);
    add_unknowns(b, F->sym.q, F->n);
    add_unknowns(b, F->sym.z, F->N);
    memcpy(d->f, F->sym.v, F->n * sizeof *d->f);
    memcpy(d->f + F->n, eliminated ? F->solved.zdot : F->sym.zdot, F->N * sizeof *d->f);
    if (b->choice->closure == ACTIO_CLOSURE_FREE) form_free(b);
    else if (!eliminated) form_implicit(b);
    d->x = nx;
    d->equations = b->ng;
}

/* ---- H and L */

/* Where a weight goes among (U, R): multipliers follow the rates in U, or are states of their own (vakonomic);
 * reactions are behind U. SIZE_MAX: nowhere. */
static size_t place_of_weight(const struct building *b, size_t component)
{
    const struct actio_model *m = b->F->model;
    size_t own = 2 * m->coords + m->states, lambdas = own + m->constraints;
    bool is_free = b->d->reaction != NULL;
    if (component < own) return component;
    if (component >= lambdas) return is_free ? b->d->u + component - lambdas : SIZE_MAX;
    size_t place = component + b->d->x - own + (b->F->p ? b->F->N : 0);
    return is_free || place >= b->d->u ? SIZE_MAX : place;
}

/* Weights of --weights by (U, R). */
static actio_expr *weights_of(struct building *b)
{
    struct actio_formation *F = b->F;
    const struct actio_dual_data *said = &F->model->dual;
    size_t count = b->d->u + F->N;
    actio_expr *w = actio_form_array(F, count, sizeof *w);
    for (size_t i = 0; i < count; i++) w[i] = actio_const(&F->pool, 1);
    for (size_t i = 0; i < said->weights; i++) {
        size_t place = place_of_weight(b, said->weight[i].component);
        if (place < count) actio_copy_all(&F->pool, &F->model->pool, &said->weight[i].e, 1, &w[place]);
    }
    return w;
}

static actio_expr plus_square(struct actio_pool *pool, actio_expr sum, actio_expr weight, actio_expr from,
                              actio_expr to)
{
    actio_expr half = actio_mul(pool, actio_const(pool, 0.5), weight);
    return actio_add(pool, sum, actio_mul(pool, half, actio_power(pool, actio_sub(pool, from, to), 2)));
}

/* Sum of w (U - base)^2/2, but for the variables of --potential and for the rates of free reactions. */
static actio_expr potential_of(struct building *b, const actio_expr *w)
{
    struct actio_formation *F = b->F;
    struct actio_pool *pool = &F->pool;
    struct actio_dual_formulas *d = b->d;
    actio_expr given = { 0 }, sum = { 0 };
    if (F->model->dual.has_potential) actio_copy_all(pool, &F->model->pool, &F->model->dual.potential, 1, &given);
    for (size_t i = 0; i < d->u; i++) {
        bool rate = d->reaction && i >= d->x && i < d->x + F->N;
        if (rate || (F->model->dual.has_potential && actio_uses_symbol(pool, given, d->U[i]))) continue;
        sum = plus_square(pool, sum, w[i], d->U[i], d->base[i]);
    }
    return actio_add(pool, given, sum);
}

/* c_Q (R - base)^2/2 of each free reaction [AS 32]. Rows without one are equations R = 0 of g: their squares change no
 * critical point and no value there, and keep M positive in their rates. */
static actio_expr potential_of_reactions(struct building *b, const actio_expr *w)
{
    struct actio_dual_formulas *d = b->d;
    actio_expr sum = { 0 };
    for (size_t i = 0; d->reaction && i < b->F->N; i++)
        sum = plus_square(&b->F->pool, sum, w[d->u + i], d->reaction[i],
                          d->is_free[i] ? d->base[d->u + i] : (actio_expr){ 0 });
    return sum;
}

static actio_expr lagrangian_of(struct building *b)
{
    struct actio_pool *pool = &b->F->pool;
    const struct actio_dual_formulas *d = b->d;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < d->x; i++) sum = plus_product(pool, sum, d->rate[i], d->U[i]);
    for (size_t i = 0; i < d->x; i++) sum = plus_product(pool, sum, d->D[i], d->f[i]);
    sum = actio_neg(pool, sum);
    for (size_t i = 0; i < d->equations; i++) sum = plus_product(pool, sum, d->mu[i], d->g[i]);
    return actio_add(pool, sum, d->H);
}

/* ---- names and places */

static const char **names_of(struct building *b)
{
    struct actio_formation *F = b->F;
    struct actio_dual_formulas *d = b->d;
    const char **name = actio_form_array(F, d->u, sizeof *name), *const *of = F->sys.variable;
    size_t n = F->n, N = F->N, at = n + N;
    for (size_t i = 0; i < n; i++) {
        name[i] = of[i];
        name[n + i] = F->model->coord[i].dot_name;
    }
    for (size_t i = n; i < N; i++) name[n + i] = of[i];
    if (at == d->u) return name;
    for (size_t i = 0; i < N; i++) name[at + i] = actio_arena_format(&F->arena, i < n ? "%s''" : "%s'", of[i]);
    at += N;
    for (size_t i = 0; at < d->u; i++, at++)
        name[at] = d->reaction ? "slack" : actio_arena_format(&F->arena, "lambda.%s", F->sys.constraint[i]);
    return name;
}

static struct actio_places places_of(struct actio_formation *F, const struct actio_entries *e)
{
    uint32_t *row = actio_form_array(F, e->count, sizeof *row), *col = actio_form_array(F, e->count, sizeof *col);
    for (size_t i = 0; i < e->count; i++) {
        row[i] = e->at[i].row;
        col[i] = e->at[i].col;
    }
    return (struct actio_places){ row, col, e->count };
}

/* ---- the quantity */

struct list {
    struct actio_formation *F;
    actio_expr *e;
    size_t count, cap;
};

static void dual_add(struct list *l, const actio_expr *e, size_t n)
{
    for (size_t i = 0; i < n; i++) ACTIO_PUSH(&l->F->arena, l->e, l->count, l->cap) = e[i];
}

static struct actio_places add_entries(struct list *l, const struct actio_entries *e)
{
    for (size_t i = 0; i < e->count; i++) dual_add(l, &e->at[i].e, 1);
    return places_of(l->F, e);
}

/* H_UU; where reactions are free, of its squares of them w dR/dU dR/dU' only: the paper's C in our coordinates. */
static void curvature_of(struct actio_formation *F, struct actio_entries *C)
{
    struct actio_pool *pool = &F->pool;
    const struct actio_dual_formulas *d = F->dual;
    struct actio_entries own = { 0 }, J = { 0 };
    actio_expr *sum = actio_form_array(F, d->u * d->u, sizeof *sum);
    actio_hessian(pool, d->own, d->U, d->u, d->reaction ? &own : C);
    if (!d->reaction) return;
    for (size_t i = 0; i < own.count; i++) sum[own.at[i].row * d->u + own.at[i].col] = own.at[i].e;
    actio_jacobian(pool, d->reaction, F->N, d->U, d->u, &J);
    for (size_t i = 0; i < J.count; i++)
        for (size_t j = 0; j < J.count; j++) {
            const struct actio_entry *a = &J.at[i], *b = &J.at[j];
            actio_expr *to = &sum[a->col * d->u + b->col];
            if (a->row == b->row && b->col <= a->col)
                *to = plus_product(pool, *to, d->weight[d->u + a->row], actio_mul(pool, a->e, b->e));
        }
    for (size_t i = 0; i < d->u * d->u; i++)
        if (!actio_is_zero(sum[i]))
            ACTIO_PUSH(&F->arena, C->at, C->count, C->cap) =
                (struct actio_entry){ (uint32_t)(i / d->u), (uint32_t)(i % d->u), sum[i] };
}

static size_t list_point(struct actio_formation *F, actio_expr **out)
{
    struct actio_pool *pool = &F->pool;
    struct actio_dual_formulas *d = F->dual;
    struct actio_first_order *face = (struct actio_first_order *)F->sys.first_order;
    struct list l = { .F = F };
    struct actio_entries fU = { 0 }, gU = { 0 }, M = { 0 }, C = { 0 };
    actio_expr *slope = actio_form_array(F, d->u, sizeof *slope);
    actio_gradient(pool, d->L, d->U, d->u, slope);
    actio_jacobian(pool, d->f, d->x, d->U, d->u, &fU);
    if (d->equations) actio_jacobian(pool, d->g, d->equations, d->U, d->u, &gU);
    actio_hessian(pool, d->L, d->U, d->u, &M);
    curvature_of(F, &C);
    dual_add(&l, &d->L, 1);
    dual_add(&l, d->f, d->x);
    dual_add(&l, d->g, d->equations);
    dual_add(&l, slope, d->u);
    face->f_U = add_entries(&l, &fU);
    face->g_U = add_entries(&l, &gU);
    face->M = add_entries(&l, &M);
    face->C = add_entries(&l, &C);
    *out = l.e;
    return l.count;
}

/* ---- the whole */

struct actio_dual_formulas *actio_form_dual(struct actio_formation *F, const struct actio_dual_choice *choice)
{
    struct actio_dual_formulas *d = actio_form_array(F, 1, sizeof *d);
    struct actio_first_order *face = actio_form_array(F, 1, sizeof *face);
    struct building b = { .F = F, .d = d, .choice = choice };
    form_first_order(&b);
    d->D = symbols(F, ACTIO_SPACE_DUAL, d->x);
    d->rate = symbols(F, ACTIO_SPACE_DUALDOT, d->x);
    face->base = d->u + (d->reaction ? F->N : 0);
    d->mu = symbols(F, ACTIO_SPACE_DMU, d->equations);
    d->base = symbols(F, ACTIO_SPACE_BASE, face->base);
    d->weight = weights_of(&b);
    d->own = potential_of(&b, d->weight);
    d->H = actio_add(&F->pool, d->own, potential_of_reactions(&b, d->weight));
    d->L = lagrangian_of(&b);
    face->x = d->x;
    face->u = d->u;
    face->g = d->equations;
    face->name = names_of(&b);
    face->equation = b.equation;
    face->implicit = d->u > d->x;
    face->quadratic = actio_degree_in(&F->pool, d->L, d->U, d->u) >= 0;
    d->list = list_point;
    F->dual = d;
    F->sys.first_order = face;
    return d;
}

struct opening {
    struct actio_formation *F;
    const struct actio_dual_choice *choice;
};

static void open_dual(void *user)
{
    struct opening *o = user;
    actio_form_dual(o->F, o->choice);
}

int actio_system_dual(struct actio_system *sys, const struct actio_dual_choice *choice)
{
    return actio_attempt(sys->ctx, open_dual, &(struct opening){ sys->formation, choice });
}
