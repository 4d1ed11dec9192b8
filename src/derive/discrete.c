/* SPDX-License-Identifier: Apache-2.0
 * The discrete Lagrange-d'Alembert principle, shown: the action of a step is h L at its middle, momenta match from step
 * to step.  [RH]
 *     p0 = L_v - h/2 (L_q + Q) - h/2 C'l,   p1 = L_v + h/2 (L_q + Q) + h/2 C'l   at q = (q0 + q1)/2, v = (q1 - q0)/h
 * C: gradients of holonomic constraints at q0, whose part of p1 comes from their rates at q1; rows of the others in the
 * middle. */
#include "derive/square.h"
#include "expr/normal.h"

enum { SHORT = 400 }; /* operations of a formula worth reading */

struct stepping {
    struct actio_derivation *d;
    actio_expr h, half, *q0, *q1, *p1, *mu; /* mu of holonomic constraints: what puts momenta on their rates */
    actio_expr before, after;               /* times of the ends, where t is that of the middle */
    bool *holonomic;                        /* by constraint */
};

static struct actio_pool *discrete_pool_of(struct stepping *s) { return &s->d->F->pool; }

/* NAME_0 of a name and {..}^{(0)} of its LaTeX */
static actio_expr at_end(struct stepping *s, const char *text, const char *latex, const char *end)
{
    struct actio_arena *a = &s->d->arena;
    return actio_shown_free(s->d, actio_arena_format(a, "%s_%s", text, end),
                            actio_arena_format(a, "%s_at_%s", text, end),
                            actio_arena_format(a, "{{%s}^{(%s)}}", latex, end));
}

static actio_expr coordinate(struct stepping *s, size_t i, const char *end)
{
    struct actio_text latex;
    actio_text_open(&latex, &s->d->arena);
    actio_latex_name(s->d->model->coord[i].name, &latex);
    return at_end(s, s->d->model->coord[i].name, latex.s, end);
}

static actio_expr momentum(struct stepping *s, size_t i, const char *end)
{
    struct actio_text latex;
    const char *name = s->d->model->coord[i].name;
    actio_text_open(&latex, &s->d->arena);
    actio_text_add(&latex, "p_{");
    actio_latex_name(name, &latex);
    actio_text_add(&latex, "}");
    return at_end(s, actio_arena_format(&s->d->arena, "p_%s", name), latex.s, end);
}

static void discrete_open(struct stepping *s)
{
    struct actio_formation *F = s->d->F;
    size_t n = F->n;
    s->q0 = actio_form_array(F, n, sizeof *s->q0);
    s->q1 = actio_form_array(F, n, sizeof *s->q1);
    s->p1 = actio_form_array(F, n, sizeof *s->p1);
    s->mu = actio_form_array(F, F->p, sizeof *s->mu);
    s->holonomic = actio_form_array(F, F->p, sizeof *s->holonomic);
    s->h = actio_shown_free(s->d, "h", "step", "h");
    s->half = actio_div(discrete_pool_of(s), s->h, actio_const(discrete_pool_of(s), 2));
    s->before = actio_sub(discrete_pool_of(s), F->sym.time, s->half);
    s->after = actio_add(discrete_pool_of(s), F->sym.time, s->half);
    for (size_t i = 0; i < n; i++) {
        s->q0[i] = coordinate(s, i, "0");
        s->q1[i] = coordinate(s, i, "1");
    }
    for (size_t k = 0; k < F->sys.holonomic; k++) {
        uint32_t row = F->sys.position_row[k];
        s->holonomic[row] = true;
        s->mu[row] = actio_shown_indexed(s->d, "mu", "\\mu", s->d->model->constraint[row].label);
    }
}

/* A formula of positions at an end of the step. */
static actio_expr there(struct stepping *s, actio_expr e, const actio_expr *q, actio_expr t)
{
    struct actio_formation *F = s->d->F;
    e = actio_substitute(discrete_pool_of(s), e, F->sym.q, q, F->n);
    return actio_substitute(discrete_pool_of(s), e, &F->sym.time, &t, 1);
}

/* ---- sections */

static void show_middle(struct stepping *s)
{
    struct actio_formation *F = s->d->F;
    actio_expr *mid = actio_form_array(F, F->n, sizeof *mid), *slope = actio_form_array(F, F->n, sizeof *slope);
    for (size_t i = 0; i < F->n; i++) {
        mid[i] = actio_div(discrete_pool_of(s), actio_add(discrete_pool_of(s), s->q0[i], s->q1[i]),
                           actio_const(discrete_pool_of(s), 2));
        slope[i] = actio_div(discrete_pool_of(s), actio_sub(discrete_pool_of(s), s->q1[i], s->q0[i]), s->h);
        actio_shown_equation(s->d, NULL, F->sym.q[i], mid[i]);
        actio_shown_equation(s->d, NULL, F->sym.v[i], slope[i]);
    }
    actio_shown_words(
        s->d, "here and below, each coordinate, velocity and the time t denote their values at the middle of the step");
    actio_shown_section(s->d, "discrete", "Discrete Lagrangian", "h*L at the middle, the action of a step",
                        "\\mathcal{L}_d = h \\, \\mathcal{L}");
    actio_expr L = actio_substitute(
        discrete_pool_of(s), actio_substitute(discrete_pool_of(s), F->L, F->sym.v, slope, F->n), F->sym.q, mid, F->n);
    if (actio_tidy_size(s->d, L) > SHORT) {
        actio_shown_words(s->d, "too long to display in terms of the ends of the step");
        return;
    }
    actio_shown_equation(s->d, NULL, actio_shown_free(s->d, "Ld", "Discrete", "\\mathcal{L}_d"),
                         actio_mul(discrete_pool_of(s), s->h, L));
}

/* sum over constraints of one kind of their rows times `by`; entries through `end` when that is given */
static actio_expr impulse(struct stepping *s, size_t i, bool holonomic, const actio_expr *by, const actio_expr *q,
                          actio_expr t)
{
    struct actio_formation *F = s->d->F;
    actio_expr sum = { 0 };
    for (size_t e = 0; e < F->A.count; e++) {
        const struct actio_entry *a = &F->A.at[e];
        if (a->col != i || s->holonomic[a->row] != holonomic) continue;
        sum = actio_add(
            discrete_pool_of(s), sum,
            actio_mul(discrete_pool_of(s), actio_tidy_shown(s->d, q ? there(s, a->e, q, t) : a->e), by[a->row]));
    }
    return sum;
}

static void show_momentum(struct stepping *s, size_t i)
{
    struct actio_formation *F = s->d->F;
    struct actio_pool *pool = discrete_pool_of(s);
    actio_expr p = actio_tidy_shown(s->d, F->Lv[i]),
               force = actio_tidy_shown(s->d, actio_add(pool, F->Lq[i], F->total_force[i]));
    actio_expr middle = impulse(s, i, false, F->sym.lambda, NULL, F->sym.time),
               begin = impulse(s, i, true, F->sym.lambda, s->q0, s->before);
    actio_expr both = actio_add(pool, force, middle), all = actio_add(pool, both, begin);
    actio_shown_equation(s->d, NULL, momentum(s, i, "0"),
                         actio_is_zero(all) ? p : actio_sub(pool, p, actio_mul(pool, s->half, all)));
    s->p1[i] = momentum(s, i, "1");
    actio_shown_equation(s->d, NULL, s->p1[i],
                         actio_is_zero(both) ? p : actio_add(pool, p, actio_mul(pool, s->half, both)));
}

/* The model's own sides of a velocity constraint; positions at the end of the step. */
static void show_constraints(struct stepping *s)
{
    struct actio_derivation *d = s->d;
    struct actio_formation *F = d->F;
    if (F->p == 0) return;
    actio_shown_section(d, "constraints", "Constraints", "holonomic ones at the end of the step, others in its middle",
                        "");
    for (size_t k = 0, level = 0; k < F->p; k++, level++) {
        const struct actio_constraint *c = &d->model->constraint[k];
        actio_expr side[2];
        const actio_expr from[2] = { c->left, c->right };
        actio_copy_all(&F->pool, &d->model->pool, from, 2, side);
        for (int j = 0; s->holonomic[k] && j < 2; j++) side[j] = there(s, side[j], s->q1, s->after);
        actio_shown_equation(d, c->label, side[0], side[1]);
    }
}

/* Rates of holonomic constraints at the end: the velocities there, and what their gradients bring to the momenta. */
static void show_end(struct stepping *s)
{
    struct actio_derivation *d = s->d;
    struct actio_formation *F = d->F;
    if (F->sys.holonomic == 0) return;
    actio_shown_section(d, "end", "Momenta at the end, on the rates of the holonomic constraints",
                        "dL/dq' there = p_1 + mu*dg/dq, mu such that dg/dq*q' + dg/dt = 0 there",
                        "\\frac{\\partial \\mathcal{L}}{\\partial \\dot{q}} = p^{(1)} + \\mu \\, \\frac{\\partial "
                        "g}{\\partial q}, \\quad "
                        "\\frac{\\partial g}{\\partial q} \\, \\dot{q} + \\frac{\\partial g}{\\partial t} = 0");
    for (size_t i = 0; i < F->n; i++) {
        actio_expr push = impulse(s, i, true, s->mu, s->q1, s->after);
        if (!actio_is_zero(push))
            actio_shown_equation(d, NULL, momentum(s, i, "next"), actio_add(discrete_pool_of(s), s->p1[i], push));
    }
}

static void show_discrete(struct actio_derivation *d)
{
    struct stepping s = { .d = d };
    discrete_open(&s);
    show_middle(&s);
    actio_shown_section(d, "matching", "Momenta at the ends of a step",
                        "p_0 = -dLd/dq_0 - h/2*(F + lambda*dg/dq'), p_1 = dLd/dq_1 + h/2*(F + lambda*dg/dq')",
                        "p^{(0)} = -\\frac{\\partial \\mathcal{L}_d}{\\partial q^{(0)}} - \\frac{h}{2} \\, (F + "
                        "\\lambda \\, \\tfrac{\\partial g}{\\partial \\dot{q}}), \\quad "
                        "p^{(1)} = \\frac{\\partial \\mathcal{L}_d}{\\partial q^{(1)}} + \\frac{h}{2} \\, (F + "
                        "\\lambda \\, \\tfrac{\\partial g}{\\partial \\dot{q}})");
    for (size_t i = 0; i < d->F->n; i++) show_momentum(&s, i);
    actio_shown_words(
        d, d->F->p ? "p_0 is known from the previous step; with the constraints this determines q_1 and lambda; p_1 is "
                     "the p_0 of the next step"
                   : "p_0 is known from the previous step; this determines q_1; p_1 is the p_0 of the next step");
    if (d->F->sys.holonomic)
        actio_shown_words(d, "the gradient of a holonomic constraint is taken at the beginning of the step; its "
                             "contribution to p_1 is added last");
    show_constraints(&s);
    show_end(&s);
    actio_shown_section(d, "composition", "Steps of order 4", "", "");
    actio_shown_words(
        d, "run combines five of these steps, of lengths a*h, a*h, (1 - 4*a)*h, a*h, a*h with a = 1/(4 - 4^(1/3))");
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "middle", "The middle of a step of length h", "", "", show_discrete },
};
const struct actio_chapter actio_chapter_discrete = {
    .part = parts,
    .parts = sizeof parts / sizeof *parts,
    .no_code = "its steps are equations solved by iteration, not rates of a state"
};
