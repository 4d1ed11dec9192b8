/* SPDX-License-Identifier: Apache-2.0
 * The dual action, shown: a first-order form of the equations of motion, the pre-dual Lagrangian, M, the way from dual
 * to primal, the action of dual variables only, their momenta, rates by these, and the Hamiltonian; with constraints
 * the same of free reactions.  [AS 17 - 21,
 * 29 - 35] */
#include "derive/duality.h"
#include "expr/normal.h"

#include <string.h>

/* operations of a formula worth reading, of a matrix; unknowns; operations of rates to begin with */
enum { SHORT = 400, DENSE = 3000, MOST = 60, ELIMINATED = 300 };

static struct actio_pool *dual_pool_of(struct actio_duality *w) { return &w->d->F->pool; }
static actio_expr *dual_array(struct actio_duality *w, size_t n)
{
    return actio_form_array(w->d->F, n, sizeof(actio_expr));
}

static actio_expr plus_product(struct actio_pool *pool, actio_expr sum, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? sum : actio_add(pool, sum, actio_mul(pool, a, b));
}

/* ---- names: dual.x, dual.x' and x.base of an unknown x; x_dot stands for x' in them */

/* NAME_dot of NAME, a_dot[3] of a[3] */
static const char *with(struct actio_duality *w, const char *prefix, const char *name, const char *suffix)
{
    size_t n = strcspn(name, "[");
    return actio_arena_format(&w->d->arena, "%s%.*s%s%s", prefix, (int)n, name, suffix, name + n);
}

static const char *stem_of(struct actio_duality *w, actio_expr symbol)
{
    const struct actio_model *m = w->d->model;
    actio_slot slot = actio_slot_of(dual_pool_of(w), symbol);
    uint32_t i = slot.index;
    switch (slot.space) {
    case ACTIO_SPACE_Q: return m->coord[i].name;
    case ACTIO_SPACE_V: return with(w, "", m->coord[i].name, "_dot");
    case ACTIO_SPACE_ACC: return with(w, "", m->coord[i].name, "_ddot");
    case ACTIO_SPACE_STATE: return m->state[i].name;
    case ACTIO_SPACE_SDOT: return with(w, "", m->state[i].name, "_dot");
    case ACTIO_SPACE_LAMBDA: return with(w, "lambda_", m->constraint[i].label, "");
    case ACTIO_SPACE_REACTION:
        return with(w, "reaction_", i < m->coords ? m->coord[i].name : m->state[i - m->coords].name, "");
    default: return w->d->name[i].text;
    }
}

static const char *latex_of(struct actio_duality *w, actio_expr symbol)
{
    actio_slot slot = actio_slot_of(dual_pool_of(w), symbol);
    struct actio_text t;
    if (slot.space == ACTIO_SPACE_HIDDEN) return w->d->name[slot.index].latex;
    actio_text_open(&t, &w->d->arena);
    actio_model_symbol_latex(w->d->model, slot, &t);
    return t.s;
}

static bool is_new(const struct actio_duality *w)
{
    const struct actio_derivation *d = w->d;
    for (uint32_t i = w->first_name; i + 1 < d->names; i++)
        if (strcmp(d->name[i].text, d->name[d->names - 1].text) == 0) return false;
    return true;
}

/* A name of our own that neither the model has nor another of this form. */
static actio_expr named(struct actio_duality *w, const char *text, const char *latex)
{
    for (;; text = with(w, "", text, "_"), w->d->names--) {
        actio_expr e = actio_shown_free(w->d, text, with(w, "", text, "_"), latex);
        if (is_new(w)) return e;
    }
}

/* Kind by kind, since formulas are written in the order of their names. */
static actio_expr *name_all(struct actio_duality *w, size_t count, const char *prefix, const char *suffix,
                            const char *latex)
{
    actio_expr *e = dual_array(w, count);
    for (size_t i = 0; i < count; i++) {
        const char *text = *suffix == '\'' ? actio_arena_format(&w->d->arena, "%s%s'", prefix, w->stem[i])
                                           : with(w, prefix, w->stem[i], suffix);
        e[i] = named(w, text, actio_arena_format(&w->d->arena, "%s{%s}", latex, w->latex[i]));
    }
    return e;
}

/* Of an algebraic equation: dual.LABEL of a constraint, dual.x_balance of the forces on x. */
static actio_expr name_equation(struct actio_duality *w, const char *stem)
{
    struct actio_text t;
    actio_text_open(&t, &w->d->arena);
    actio_text_add(&t, "\\mu_{");
    actio_latex_name(stem, &t);
    actio_text_add(&t, "}");
    return named(w, with(w, "dual.", stem, ""), t.s);
}

static void name_equations(struct actio_duality *w)
{
    const struct actio_formation *F = w->d->F;
    size_t before = w->is_free || w->equations == 0 ? 0 : F->N;
    w->m = dual_array(w, w->equations);
    for (size_t i = 0; i < w->equations; i++) {
        const char *stem = i < before          ? with(w, "", F->sys.variable[i], "_balance")
                           : i - before < F->p ? F->sys.constraint[i - before]
                                               : "power";
        w->m[i] = name_equation(w, stem);
    }
}

static void give_names(struct actio_duality *w)
{
    w->first_name = w->d->names;
    w->stem = actio_form_array(w->d->F, w->u, sizeof *w->stem);
    w->latex = actio_form_array(w->d->F, w->u, sizeof *w->latex);
    for (size_t i = 0; i < w->u; i++) {
        w->stem[i] = stem_of(w, w->U[i]);
        w->latex[i] = latex_of(w, w->U[i]);
    }
    w->base = name_all(w, w->u, "", ".base", "\\bar");
    w->D = name_all(w, w->x, "dual.", "", "D_");
    name_equations(w);
    w->rate = name_all(w, w->x, "dual.", "'", "\\dot{D}_");
    w->p = name_all(w, w->u, w->is_free ? "r_" : "p_", "", w->is_free ? "r_" : "p_");
    w->P = name_all(w, w->x, "P_", "", "P_");
}

/* ---- first-order forms */

static bool eliminated_briefly(struct actio_duality *w)
{
    struct actio_formation *F = w->d->F;
    bool brief = F->sys.solved.symbolic;
    for (size_t i = 0; F->sys.solved.symbolic && i < F->N; i++) {
        F->solved.zdot[i] = actio_tidy(w->d, F->solved.zdot[i]);
        brief = brief && actio_tidy_size(w->d, F->solved.zdot[i]) <= ELIMINATED;
    }
    return brief;
}

/* The system's own form, under our names: with what was eliminated, or with rates and multipliers as unknowns. */
static void take_formulas(struct actio_duality *w, bool eliminated)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = dual_pool_of(w);
    for (size_t i = 0; i < F->G.count; i++) F->G.at[i].e = actio_tidy(w->d, F->G.at[i].e);
    for (size_t i = 0; i < F->N; i++) F->h[i] = actio_tidy(w->d, F->h[i]);
    for (size_t k = 0; k < F->p; k++) F->c[k] = actio_tidy(w->d, F->c[k]);
    const struct actio_dual_formulas *from =
        actio_form_dual(F, &(struct actio_dual_choice){ .closure = ACTIO_CLOSURE_GAUSS, .multipliers = !eliminated });
    w->x = from->x;
    w->u = from->u;
    w->equations = from->equations;
    w->U = from->U;
    w->f = from->f;
    w->g = from->g;
    give_names(w);
    w->H = actio_substitute(pool, from->H, from->base, w->base, w->u);
}

/* The unknown that a weight is of: u, where it is not one of them. */
static size_t place_of_weight(struct actio_duality *w, size_t component)
{
    const struct actio_model *m = w->d->model;
    const struct actio_formation *F = w->d->F;
    size_t reactions = 2 * m->coords + m->states + m->constraints, i = 0;
    if (component < w->x) return component;
    while (component >= reactions && i < w->u && !actio_same(w->U[i], F->sym.reaction[component - reactions])) i++;
    return component >= reactions ? i : w->u;
}

/* sum of w (U - base)^2/2, w of --weights for what the model names. */
static actio_expr free_potential(struct actio_duality *w)
{
    struct actio_pool *pool = dual_pool_of(w);
    const struct actio_dual_data *said = &w->d->model->dual;
    actio_expr *weight = dual_array(w, w->u), half = actio_const(pool, 0.5), sum = { 0 };
    for (size_t i = 0; i < w->u; i++) weight[i] = actio_const(pool, 1);
    for (size_t i = 0; i < said->weights; i++) {
        size_t place = place_of_weight(w, said->weight[i].component);
        if (place < w->u) actio_copy_all(pool, &w->d->model->pool, &said->weight[i].e, 1, &weight[place]);
    }
    for (size_t i = 0; i < w->u; i++)
        sum = actio_add(pool, sum,
                        actio_mul(pool, actio_mul(pool, half, weight[i]),
                                  actio_power(pool, actio_sub(pool, w->U[i], w->base[i]), 2)));
    return sum;
}

/* Reactions on coordinates and on the states that some constraint acts on, as a run has them: which variables, and how
 * many. */
static size_t acted_on(struct actio_duality *w, bool *acted)
{
    const struct actio_formation *F = w->d->F;
    size_t count = 0;
    for (size_t i = 0; i < F->N; i++) acted[i] = i < F->n;
    for (size_t i = 0; i < F->D.count; i++) acted[F->D.at[i].col] = true;
    for (size_t i = 0; i < F->N; i++) count += acted[i];
    return count;
}

/* U = (q, v, s, R, slack), f = (v, G^-1 (h + R)), g = (constraints on velocities, R.v + slack^2/2); R = -Q of the
 * paper.  [AS 31] */
static bool free_formulas(struct actio_duality *w)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = dual_pool_of(w);
    actio_expr *h = F->h, half = actio_const(pool, 0.5), power = { 0 };
    actio_expr slack = actio_shown_free(w->d, "slack", "slack_", "\\varsigma");
    bool *acted = actio_form_array(F, F->N, sizeof *acted);
    w->x = F->n + F->N;
    w->u = w->x + acted_on(w, acted) + 1;
    w->equations = F->sys.levels + 1;
    w->U = dual_array(w, w->u);
    w->f = dual_array(w, w->x);
    w->g = dual_array(w, w->equations);
    F->h = dual_array(w, F->N);
    memcpy(w->U, F->sym.q, F->n * sizeof *w->U);
    memcpy(w->U + F->n, F->sym.z, F->N * sizeof *w->U);
    w->U[w->u - 1] = slack;
    for (size_t i = 0, at = w->x; i < F->N; i++) {
        F->h[i] = acted[i] ? actio_add(pool, h[i], F->sym.reaction[i]) : h[i];
        if (acted[i]) w->U[at++] = F->sym.reaction[i];
    }
    bool solved = actio_derive_free(w->d, w->f + F->n);
    F->h = h;
    memcpy(w->f, F->sym.v, F->n * sizeof *w->f);
    for (size_t k = 0; k < F->sys.levels; k++) w->g[k] = actio_tidy(w->d, F->phi[k]);
    for (size_t i = 0; i < F->n; i++) power = actio_add(pool, power, actio_mul(pool, F->sym.reaction[i], F->sym.v[i]));
    w->g[F->sys.levels] = actio_add(pool, power, actio_mul(pool, half, actio_power(pool, slack, 2)));
    give_names(w);
    w->H = free_potential(w);
    return solved;
}

static void form_lagrangian(struct actio_duality *w)
{
    struct actio_pool *pool = dual_pool_of(w);
    actio_expr sum = { 0 };
    for (size_t i = 0; i < w->x; i++) sum = plus_product(pool, sum, w->rate[i], w->U[i]);
    for (size_t i = 0; i < w->x; i++) sum = plus_product(pool, sum, w->D[i], w->f[i]);
    sum = actio_neg(pool, sum);
    for (size_t i = 0; i < w->equations; i++) sum = plus_product(pool, sum, w->m[i], w->g[i]);
    w->L = actio_add(pool, sum, w->H);
    if (w->u > MOST) return;
    actio_duality_matrix(w);
    for (size_t i = 0; i < w->u * w->u; i++) w->size += actio_is_zero(w->M[i]) ? 0 : actio_tidy_size(w->d, w->M[i]);
}

/* ---- sections */

static void section(struct actio_duality *w, const char *key, const char *title, const char *rule, const char *latex)
{
    struct actio_arena *a = &w->d->arena;
    if (!w->is_free) actio_shown_section(w->d, key, title, rule, latex);
    else
        actio_shown_section(w->d, actio_arena_format(a, "free_%s", key),
                            actio_arena_format(a, "Free reactions, %c%s", title[0] + ('a' - 'A'), title + 1), rule,
                            latex);
}

/* Shown where a person would read it; how many are not. */
static size_t dual_show(struct actio_duality *w, actio_expr left, actio_expr right)
{
    if (actio_tidy_size(w->d, left) + actio_tidy_size(w->d, right) > SHORT) return 1;
    actio_shown_equation(w->d, NULL, left, right);
    return 0;
}

static void say_long(struct actio_duality *w, size_t count)
{
    if (count)
        actio_shown_words(w->d, actio_arena_format(&w->d->arena, "%zu %s too long to display", count,
                                                   count > 1 ? "formulas are" : "formula is"));
}

static const char *scalar(const struct actio_duality *w, const char *own, const char *of_free)
{
    return w->is_free ? of_free : own;
}

static void show_form(struct actio_duality *w)
{
    struct actio_formation *F = w->d->F;
    size_t lost = 0;
    section(w, "first_order", "First-order form", "x' = f(U, t), 0 = g(U, t)",
            "\\dot{x} = f(U, t), \\quad 0 = g(U, t)");
    for (size_t i = 0; i < F->N; i++)
        if (!actio_same(w->f[F->n + i], F->sym.zdot[i]))
            lost += dual_show(w, F->sym.zdot[i], actio_tidy_shown(w->d, w->f[F->n + i]));
    for (size_t i = 0; i < w->equations; i++) lost += dual_show(w, actio_tidy_shown(w->d, w->g[i]), (actio_expr){ 0 });
    say_long(w, lost);
    if (F->n) actio_shown_words(w->d, "velocities are separate unknowns: x_dot denotes x' in names");
    if (w->u > w->x && !w->is_free)
        actio_shown_words(w->d, "rates and multipliers are unknowns here, none are eliminated; their duals correspond "
                                "to the equations above, in this order");
    if (w->is_free)
        actio_shown_words(w->d, "the reactions are free except that they absorb the power slack^2/2: the motion is the "
                                "admissible one nearest to the base, and depends on T");
    if (w->is_free)
        actio_shown_words(w->d, "a run uses the last equation only with --power, and the rates of the constraints "
                                "instead of these: the motions are the same, and D(T) = 0 is consistent");
}

static void show_predual(struct actio_duality *w)
{
    struct actio_pool *pool = dual_pool_of(w);
    section(w, "potential", "Potential", "strictly convex in U, minimal at the base states", "H(U, \\bar{U}, t)");
    actio_expr H = actio_shown_free(w->d, scalar(w, "H", "H_free"), scalar(w, "Potential", "Potential_free"),
                                    scalar(w, "H", "H_{R}"));
    say_long(w, dual_show(w, H, actio_group(pool, w->H)));
    section(w, "predual", "Pre-dual Lagrangian", "-D'*x - D*f + m*g + H",
            "\\mathcal{L}_H = -\\dot{D} \\cdot x - D \\cdot f + \\mu \\cdot g + H");
    actio_expr rest = actio_tidy_shown(w->d, actio_sub(pool, w->L, w->H));
    say_long(w, dual_show(w,
                          actio_shown_free(w->d, scalar(w, "Lpre", "Lpre_free"), scalar(w, "Predual", "Predual_free"),
                                           scalar(w, "\\mathcal{L}_H", "\\mathcal{L}_{H,R}")),
                          actio_add(pool, rest, H)));
}

static void show_matrix(struct actio_duality *w)
{
    section(w, "matrix", "Matrix of the map", "d^2 Lpre/dU dU = d^2 H/dU dU - D*d^2 f/dU dU + m*d^2 g/dU dU",
            "\\frac{\\partial^2 \\mathcal{L}_H}{\\partial U \\, \\partial U} = H_{UU} - D \\cdot f_{UU} + \\mu \\cdot "
            "g_{UU}");
    if (w->size > DENSE) {
        actio_shown_words(w->d, "too long to display");
        return;
    }
    actio_shown_matrix(w->d, w->is_free ? "N" : "M", w->u, w->u, w->M);
    struct actio_shown *order = actio_shown_add(w->d, ACTIO_SHOWN_LIST);
    order->rows = 1;
    order->cols = w->u;
    order->entry = w->U;
    actio_shown_words(w->d, "rows and columns are in this order; where it is positive definite, the map is one to one "
                            "and the dual action concave");
}

/* dL/dU = 0, unsolved */
static void show_implicit_map(struct actio_duality *w, const char *why)
{
    actio_expr *slope = dual_array(w, w->u);
    size_t lost = 0;
    section(w, "map", "From dual to primal", "dLpre/dU = 0", "\\frac{\\partial \\mathcal{L}_H}{\\partial U} = 0");
    actio_gradient(dual_pool_of(w), w->L, w->U, w->u, slope);
    for (size_t i = 0; i < w->u; i++) lost += dual_show(w, actio_tidy_shown(w->d, slope[i]), (actio_expr){ 0 });
    say_long(w, lost);
    actio_shown_words(w->d, why);
}

static void show_closed_map(struct actio_duality *w)
{
    const char *p = w->is_free ? "r" : "p", *M = w->is_free ? "N" : "M";
    size_t lost = 0;
    section(w, "map", "From dual to primal",
            actio_arena_format(&w->d->arena, "dLpre/dU = 0, so U = base + %s^-1*%s with %s = -dLpre/dU at the base", M,
                               p, p),
            actio_arena_format(
                &w->d->arena,
                "U = \\bar{U} + %s^{-1} %s, \\quad %s = -\\frac{\\partial \\mathcal{L}_H}{\\partial U}(\\bar{U})", M, p,
                p));
    for (size_t i = 0; i < w->u; i++) lost += dual_show(w, w->p[i], w->drive[i]);
    for (size_t i = 0; i < w->helpers; i++) lost += dual_show(w, w->helper[i].name, w->helper[i].value);
    for (size_t i = 0; i < w->u; i++) lost += dual_show(w, w->U[i], w->map[i]);
    say_long(w, lost);
}

/* -D(0).x(0) */
static actio_expr boundary(struct actio_duality *w)
{
    struct actio_arena *a = &w->d->arena;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < w->x; i++) {
        actio_expr D =
            named(w, with(w, "dual.", w->stem[i], "_start"), actio_arena_format(a, "{D_{%s}(0)}", w->latex[i]));
        actio_expr x = named(w, with(w, "", w->stem[i], "_start"), actio_arena_format(a, "{%s(0)}", w->latex[i]));
        sum = actio_sub(dual_pool_of(w), sum, actio_mul(dual_pool_of(w), x, D));
    }
    return sum;
}

static void show_action(struct actio_duality *w, const char *why)
{
    if (why) show_implicit_map(w, why);
    else show_closed_map(w);
    section(w, "action", "Dual action", "S = Boundary + integral of Ldual from the start to T, D(T) arbitrary, best 0",
            "S_H[D] = -D(0) \\cdot x(0) + \\int_0^T \\mathcal{L}_D \\, dt");
    actio_expr at_start =
        actio_shown_free(w->d, scalar(w, "Boundary", "Boundary_free"), scalar(w, "At_start", "At_start_free"), "S_0");
    say_long(w, dual_show(w, at_start, boundary(w)));
    actio_expr L = actio_shown_free(w->d, scalar(w, "Ldual", "Ldual_free"), scalar(w, "Dual", "Dual_free"),
                                    scalar(w, "\\mathcal{L}_D", "\\mathcal{L}_{D,R}"));
    if (!why) say_long(w, dual_show(w, L, w->dual));
    else actio_shown_words(w->d, "Ldual is Lpre where U solves the equations above");
    actio_shown_words(
        w->d,
        "its Euler-Lagrange equations are x' = f and 0 = g at these U, with x at the start as natural conditions");
}

/* ---- Hamiltonian side: x = -P */

static actio_expr by_momenta(struct actio_duality *w, actio_expr e)
{
    actio_expr *to = dual_array(w, w->x);
    for (size_t i = 0; i < w->x; i++) to[i] = actio_neg(dual_pool_of(w), w->P[i]);
    return actio_tidy_shown(w->d, actio_substitute(dual_pool_of(w), e, w->U, to, w->x));
}

/* H - D.f + m.g: L without -D'.x */
static actio_expr static_part(struct actio_duality *w)
{
    actio_expr *none = dual_array(w, w->x);
    return actio_substitute(dual_pool_of(w), w->L, w->rate, none, w->x);
}

static void show_hamiltonian(struct actio_duality *w)
{
    actio_expr rest = static_part(w), *slope = dual_array(w, w->u);
    size_t lost = 0;
    actio_gradient(dual_pool_of(w), rest, w->U, w->u, slope);
    section(w, "momenta", "Momenta", "dLdual/dD'", "P = \\frac{\\partial \\mathcal{L}_D}{\\partial \\dot{D}} = -x");
    for (size_t i = 0; i < w->x; i++) dual_show(w, w->P[i], actio_neg(dual_pool_of(w), w->U[i]));
    section(w, "rates", "Rates of the dual variables by momenta",
            "D' = R(D, P, t) = dH/dx - D*df/dx + m*dg/dx at x = -P", "\\dot{D} = \\mathcal{R}(D, P, t)");
    for (size_t i = 0; i < w->x; i++) lost += dual_show(w, w->rate[i], by_momenta(w, slope[i]));
    for (size_t i = w->x; i < w->u; i++) lost += dual_show(w, by_momenta(w, slope[i]), (actio_expr){ 0 });
    for (size_t i = 0; i < w->equations; i++) lost += dual_show(w, by_momenta(w, w->g[i]), (actio_expr){ 0 });
    say_long(w, lost);
    if (w->equations) actio_shown_words(w->d, "the last of these determine the algebraic unknowns and their duals");
    section(w, "hamiltonian", "Dual Hamiltonian", "P*D' - Ldual = D*f - m*g - H at x = -P",
            "\\mathcal{H}_D = P \\cdot \\dot{D} - \\mathcal{L}_D");
    say_long(w, dual_show(w, actio_shown_free(w->d, "Hdual", "Hamiltonian", "\\mathcal{H}_D"),
                          by_momenta(w, actio_neg(dual_pool_of(w), rest))));
    actio_shown_words(w->d,
                      "D' = dHdual/dP and P' = -dHdual/dD; constant where f, g, H and the base do not depend on time");
}

/* ---- the chapter */

static void show_dual(struct actio_duality *w)
{
    show_form(w);
    if (w->u > MOST) {
        actio_shown_words(w->d, "too many unknowns to display");
        return;
    }
    show_predual(w);
    show_matrix(w);
    show_action(w, actio_duality_solve(w));
    if (!w->is_free) show_hamiltonian(w);
}

static void show_own(struct actio_derivation *d)
{
    struct actio_duality w = { .d = d };
    bool eliminated = eliminated_briefly(&w);
    take_formulas(&w, eliminated);
    form_lagrangian(&w);
    if (eliminated && w.size > DENSE) {
        w = (struct actio_duality){ .d = d };
        take_formulas(&w, false);
        form_lagrangian(&w);
    }
    show_dual(&w);
}

/* Constraints on accelerations say nothing of velocities, and have no such form. */
static void show_free(struct actio_derivation *d)
{
    struct actio_duality w = { .d = d, .is_free = true };
    if (d->F->p == 0 || d->F->n == 0 || d->F->sys.levels < d->F->p) return;
    if (!free_formulas(&w)) {
        actio_shown_words(d, "omitted: W is coupled too widely to invert by hand");
        return;
    }
    form_lagrangian(&w);
    show_dual(&w);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    ACTIO_SHARED_PART("constraints"),
    { "first_order", "First-order form", "", "", show_own },
    { "free", "Free reactions", "", "", show_free },
};
const struct actio_chapter actio_chapter_dual = {
    .part = parts,
    .parts = sizeof parts / sizeof *parts,
    .no_code = "its equations hold on a whole interval at once and are solved by iteration"
};
