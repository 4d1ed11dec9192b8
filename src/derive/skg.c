/* SPDX-License-Identifier: Apache-2.0
 * The doubled action, shown: its Lagrangian in means and differences of two paths, what its nodes are made of, and the
 * action on nodes whose critical point is the motion.  [RH 4 - 7, SKG 1] */
#include "derive/square.h"

enum { SHORT = 600 }; /* operations of a formula worth reading */

struct doubling {
    struct actio_derivation *d;
    actio_expr *q, *v, *s, *lambda; /* differences: of coordinates, their rates, states, multipliers */
};

static struct actio_pool *skg_pool_of(struct doubling *w) { return &w->d->F->pool; }

/* x_m of x, x_{-} in LaTeX, with a dot for rates. */
static actio_expr difference(struct doubling *w, const char *prefix, const char *name, bool rate)
{
    struct actio_arena *a = &w->d->arena;
    struct actio_text latex;
    actio_text_open(&latex, a);
    actio_text_add(&latex, rate ? "{\\dot{" : "{{");
    if (*prefix) actio_text_add(&latex, "\\lambda_{\\mathrm{");
    if (*prefix) {
        actio_text_add(&latex, name);
        actio_text_add(&latex, "}}");
    } else actio_latex_name(name, &latex);
    actio_text_add(&latex, "}}_{-}");
    const char *end = rate ? "_dot" : "";
    return actio_shown_free(w->d, actio_arena_format(a, "%s%s_m%s", prefix, name, end),
                            actio_arena_format(a, "%s%s_minus%s", prefix, name, end), latex.s);
}

static void skg_open(struct doubling *w)
{
    struct actio_formation *F = w->d->F;
    const struct actio_model *m = w->d->model;
    w->q = actio_form_array(F, F->n, sizeof *w->q);
    w->v = actio_form_array(F, F->n, sizeof *w->v);
    w->s = actio_form_array(F, F->m, sizeof *w->s);
    w->lambda = actio_form_array(F, F->p, sizeof *w->lambda);
    for (size_t i = 0; i < F->n; i++) {
        w->q[i] = difference(w, "", m->coord[i].name, false);
        w->v[i] = difference(w, "", m->coord[i].name, true);
    }
    for (size_t i = 0; i < F->m; i++) w->s[i] = difference(w, "", m->state[i].name, false);
    for (size_t k = 0; k < F->p; k++) w->lambda[k] = difference(w, "lambda_", m->constraint[k].label, false);
}

/* L on one of the two paths: side = 1 or -1. */
static actio_expr on_path(struct doubling *w, double side)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = skg_pool_of(w);
    size_t n = F->n;
    actio_expr *from = actio_form_array(F, 2 * n, sizeof *from), *to = actio_form_array(F, 2 * n, sizeof *to),
               half = actio_const(pool, 0.5 * side);
    for (size_t i = 0; i < n; i++) {
        from[i] = F->sym.q[i];
        to[i] = actio_add(pool, F->sym.q[i], actio_mul(pool, half, w->q[i]));
        from[n + i] = F->sym.v[i];
        to[n + i] = actio_add(pool, F->sym.v[i], actio_mul(pool, half, w->v[i]));
    }
    return actio_substitute(pool, F->L, from, to, 2 * n);
}

/* Reactions D' lambda of variable i. */
static actio_expr reaction_on(struct doubling *w, size_t i)
{
    struct actio_formation *F = w->d->F;
    actio_expr sum = { 0 };
    for (size_t e = 0; e < F->D.count; e++)
        if (F->D.at[e].col == i)
            sum = actio_add(
                skg_pool_of(w), sum,
                actio_mul(skg_pool_of(w), actio_tidy_shown(w->d, F->D.at[e].e), F->sym.lambda[F->D.at[e].row]));
    return sum;
}

static actio_expr flow_residual(struct doubling *w, size_t i)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = skg_pool_of(w);
    actio_expr sum = actio_neg(pool, actio_add(pool, F->flow.S[i], reaction_on(w, F->n + i)));
    for (size_t e = 0; e < F->flow.mu.count; e++)
        if (F->flow.mu.at[e].row == i)
            sum = actio_add(pool, sum, actio_mul(pool, F->flow.mu.at[e].e, F->sym.sdot[F->flow.mu.at[e].col]));
    return sum;
}

/* L[q1] - L[q2] + q_m (Q + D' lambda) + lambda_m g - s_m (mu s' - S - D' lambda) */
static actio_expr doubled(struct doubling *w)
{
    struct actio_formation *F = w->d->F;
    struct actio_pool *pool = skg_pool_of(w);
    actio_expr sum = actio_tidy_shown(w->d, actio_sub(pool, on_path(w, 1), on_path(w, -1)));
    for (size_t i = 0; i < F->n; i++) {
        actio_expr push = actio_add(pool, actio_tidy_shown(w->d, F->total_force[i]), reaction_on(w, i));
        if (!actio_is_zero(push)) sum = actio_add(pool, sum, actio_mul(pool, w->q[i], push));
    }
    for (size_t k = 0; k < F->sys.levels; k++) {
        uint32_t row = F->sys.velocity_row[k];
        sum = actio_add(pool, sum, actio_mul(pool, w->lambda[row], actio_tidy_shown(w->d, F->phi[k])));
    }
    for (size_t i = 0; i < F->m; i++)
        sum = actio_sub(pool, sum, actio_mul(pool, w->s[i], actio_tidy_shown(w->d, flow_residual(w, i))));
    return sum;
}

static void show_paths(struct doubling *w)
{
    actio_shown_words(w->d, "the two paths are the mean plus and minus half of the difference: plain names denote "
                            "means, names with _m differences");
    actio_expr all = doubled(w);
    if (actio_tidy_size(w->d, all) > SHORT) {
        actio_shown_words(w->d, "too long to display when expanded");
        return;
    }
    actio_shown_equation(w->d, NULL, actio_shown_free(w->d, "Lambda", "Doubled", "\\Lambda"), all);
    if (w->d->F->sys.holonomic)
        actio_shown_words(w->d, "a holonomic constraint enters by its rate; on nodes its positions are enforced as "
                                "well, by multipliers mu in q' = v + mu*dg/dq");
}

static void show_nodes(struct doubling *w)
{
    struct actio_derivation *d = w->d;
    struct actio_formation *F = d->F;
    actio_shown_section(
        d, "nodes", "Quantities at a time node", "p = dL/dq', F = dL/dq + forces + lambda*dg/dq'",
        "p = \\frac{\\partial \\mathcal{L}}{\\partial \\dot{q}}, \\quad "
        "F = \\frac{\\partial \\mathcal{L}}{\\partial q} + Q + \\lambda \\, \\frac{\\partial g}{\\partial \\dot{q}}");
    for (size_t i = 0; i < F->n; i++)
        actio_shown_equation(d, NULL, actio_shown_indexed(d, "p", "p", d->model->coord[i].name),
                             actio_tidy_shown(d, F->Lv[i]));
    for (size_t i = 0; i < F->n; i++)
        actio_shown_equation(d, NULL, actio_shown_indexed(d, "F", "F", d->model->coord[i].name),
                             actio_add(skg_pool_of(w),
                                       actio_tidy_shown(d, actio_add(skg_pool_of(w), F->Lq[i], F->total_force[i])),
                                       reaction_on(w, i)));
}

static void show_action(struct actio_derivation *d)
{
    actio_shown_section(d, "discrete", "The action on nodes",
                        "S = sum of H*Lambda + p_start*q_m at the first node, v = D*q + (q - q_start)/H there, v_m = "
                        "D*q_m - q_m/H at the last",
                        "S = \\sum_k H_k \\Lambda_k + p_i \\, q_{-,0}, \\quad v_+ = D q_+ + H^{-1} e_0 (q_{+,0} - "
                        "q_i), \\quad v_- = D q_- - H^{-1} e_N q_{-,N}");
    actio_shown_words(d, "D = Q/H differentiates by summation by parts, Q + Q' = -1 at the first node, 1 at the last, "
                         "0 else; H are its weights");
    actio_shown_section(
        d, "critical", "Its critical point",
        "(Q + E0)*(q - q_start) = H*q', (Q + E0)*(p - p_start) = H*F, and the constraints at every node",
        "(Q + E_0)(q - q_i) = H \\dot{q}, \\quad (Q + E_0)(p - p_i) = H F, \\quad g_k = 0");
    actio_shown_words(d, "differences vanish there: the minus equations are the transposed ones with zero right side; "
                         "the last q and p of a slab start the next one");
}

static void show_doubled(struct actio_derivation *d)
{
    struct doubling w = { .d = d };
    skg_open(&w);
    show_paths(&w);
    show_nodes(&w);
    show_action(d);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    ACTIO_SHARED_PART("constraints"),
    { "doubled", "The doubled Lagrangian", "L[path 1] - L[path 2] + q_m*(forces + lambda*dg/dq') + lambda_m*g",
      "\\Lambda = \\mathcal{L}[q_1] - \\mathcal{L}[q_2] + q_- (Q + \\lambda_+ \\tfrac{\\partial g}{\\partial "
      "\\dot{q}}) + \\lambda_- g",
      show_doubled },
};
const struct actio_chapter actio_chapter_skg = {
    .part = parts,
    .parts = sizeof parts / sizeof *parts,
    .no_code = "its equations hold on all nodes of a slab at once and are solved by iteration"
};
