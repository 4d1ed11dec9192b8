/* SPDX-License-Identifier: Apache-2.0
 * Polynomials back to expressions: gathered by what depends on the state, with params and common factors in front. */
#include "expr/poly.h"

enum { LONG = 400 }; /* gathering compares every term with every other */

struct quotient {
    actio_expr above, below;
};

static actio_expr one(struct actio_normal *w) { return actio_const(w->pool, 1); }

static void shown_put(struct actio_normal *w, struct quotient *q, actio_expr base, int32_t power)
{
    actio_expr *side = power > 0 ? &q->above : &q->below;
    *side = actio_mul(w->pool, *side, actio_power(w->pool, base, power > 0 ? power : -power));
}

static actio_expr joined(struct actio_normal *w, struct quotient q, actio_ratio c)
{
    actio_expr e = actio_is_const(w->pool, q.below) ? q.above : actio_div(w->pool, q.above, q.below);
    return actio_mul(w->pool, actio_const(w->pool, actio_ratio_value(c)), e);
}

/* ---- one term */

static actio_expr plain_term(struct actio_normal *w, struct actio_term t)
{
    struct quotient q = { one(w), one(w) };
    for (uint32_t i = 0; i < t.n; i++) shown_put(w, &q, w->atom[t.f[i].atom].shown, t.f[i].power);
    return joined(w, q, t.c);
}

actio_expr actio_poly_plain(struct actio_normal *w, struct actio_poly a)
{
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < a.n; i++) sum = actio_add(w->pool, sum, plain_term(w, a.t[i]));
    return sum;
}

/* The atom of which a root is taken, when it is one: a sum or the only factor of the radicand. */
static bool radicand_atom(struct actio_normal *w, const struct actio_atom *a, uint32_t *at)
{
    struct actio_poly u = a->radicand;
    if (a->root < 2 || u.n == 0 || (a->op != ACTIO_SQRT && a->op != ACTIO_POW)) return false;
    if (u.n == 1) {
        *at = u.t[0].n ? u.t[0].f[0].atom : 0;
        return u.t[0].n == 1 && u.t[0].f[0].power == 1 && actio_ratio_is(u.t[0].c, 1);
    }
    actio_expr e = actio_poly_plain(w, u);
    if (e.id >= w->ids || !w->atom_of[e.id]) return false;
    *at = w->atom_of[e.id] - 1;
    return true;
}

/* sqrt(u)/u^2 as 1/u^1.5: the root and the power of its radicand become one. */
static bool put_root(struct actio_normal *w, struct quotient *q, struct actio_term *t, struct actio_factor f)
{
    const struct actio_atom a = w->atom[f.atom];
    uint32_t base;
    if (!radicand_atom(w, &a, &base)) return false;
    int32_t k = actio_term_power(t, base), parts = k * a.root + f.power;
    if (k > 0 && a.root == 2) return false; /* x sqrt(x) */
    *t = actio_term_times(w, *t, base, -k);
    actio_expr u = w->atom[base].shown;
    double exponent = (double)(parts < 0 ? -parts : parts) / a.root;
    shown_put(w, q, actio_op2(w->pool, ACTIO_POW, u, actio_const(w->pool, exponent)), parts < 0 ? -1 : 1);
    return true;
}

/* All exponentials of a term as one. */
static bool put_exponentials(struct actio_normal *w, struct quotient *q, struct actio_term *t)
{
    struct actio_poly sum = { NULL, 0 };
    bool found = false;
    for (uint32_t i = 0; i < t->n;) {
        struct actio_factor f = t->f[i];
        const struct actio_atom *a = &w->atom[f.atom];
        if (a->op != ACTIO_EXP || a->arg.n == 0) {
            i++;
            continue;
        }
        sum = actio_poly_add(w, sum, actio_poly_scale(w, a->arg, actio_ratio_whole(f.power)));
        *t = actio_term_times(w, *t, f.atom, -f.power);
        found = true;
    }
    if (found) shown_put(w, q, actio_op1(w->pool, ACTIO_EXP, actio_poly_plain(w, sum)), 1);
    return found;
}

static actio_expr shown_term(struct actio_normal *w, struct actio_term t)
{
    struct quotient q = { one(w), one(w) };
    put_exponentials(w, &q, &t);
    for (uint32_t i = 0; i < t.n;) {
        struct actio_factor f = t.f[i];
        if (!put_root(w, &q, &t, f)) {
            i++;
            continue;
        }
        t = actio_term_times(w, t, f.atom, -f.power);
        i = 0;
    }
    for (uint32_t i = 0; i < t.n; i++) shown_put(w, &q, w->atom[t.f[i].atom].shown, t.f[i].power);
    return joined(w, q, t.c);
}

/* ---- gathering */

typedef bool (*choice_fn)(const struct actio_normal *w, struct actio_factor f);

static bool varies(const struct actio_normal *w, struct actio_factor f)
{
    return w->pool->node[w->atom[f.atom].e.id].level > ACTIO_LV_PARAM;
}
static bool divides(const struct actio_normal *w, struct actio_factor f)
{
    return f.power < 0 && w->atom[f.atom].op == ACTIO_ADD;
}

/* The factors of t that are chosen. */
static struct actio_term part_of(struct actio_normal *w, struct actio_term t, choice_fn chosen)
{
    struct actio_term m = { .c = actio_ratio_whole(1), .f = actio_arena_array(w->arena, t.n, sizeof *m.f) };
    for (uint32_t i = 0; i < t.n; i++)
        if (chosen(w, t.f[i])) m.f[m.n++] = t.f[i];
    return m;
}

struct groups {
    struct actio_term *key;
    struct actio_poly *of;
    uint32_t count;
};

/* a = sum of key * of, each key once, in the order in which they come. */
static struct groups gathered(struct actio_normal *w, struct actio_poly a, choice_fn chosen)
{
    struct groups g = { actio_arena_array(w->arena, a.n, sizeof *g.key), actio_arena_array(w->arena, a.n, sizeof *g.of),
                        0 };
    for (uint32_t i = 0; i < a.n; i++) {
        struct actio_term key = part_of(w, a.t[i], chosen),
                          rest = actio_term_mul(w, a.t[i], actio_term_inverse(w, key));
        uint32_t at = 0;
        while (at < g.count && actio_term_order(&g.key[at], &key)) at++;
        if (at == g.count) g.key[g.count++] = key;
        g.of[at] = actio_poly_add(w, g.of[at], actio_poly_of_term(w, rest));
    }
    return g;
}

/* Common factors; a decimal fraction is not one of them: 9.81*y - x'^2 stays, and does not become 0.01*(981*y -
 * 100*x'^2). */
static struct actio_term content_of(struct actio_normal *w, struct actio_poly a, struct actio_poly *rest)
{
    struct actio_term t = actio_poly_content(w, a, rest);
    if (!actio_ratio_exact(t.c) || t.c.q <= 5 || t.c.q % 5) return t;
    actio_ratio one = actio_ratio_whole(actio_ratio_sign(t.c));
    *rest = actio_poly_scale(w, *rest, actio_ratio_mul(t.c, one));
    t.c = one;
    return t;
}

/* Sum whose factors that vary are gathered, for instance (m1 + m2) l x. */
static actio_expr by_params(struct actio_normal *w, struct actio_poly a)
{
    struct groups g = gathered(w, a, varies);
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < g.count; i++) {
        struct actio_poly rest = g.of[i];
        struct actio_term content = actio_term_one();
        if (rest.n > 1 && g.key[i].n) content = content_of(w, rest, &rest);
        actio_expr e = rest.n == 1 ? shown_term(w, actio_term_mul(w, rest.t[0], actio_term_mul(w, content, g.key[i])))
                                   : actio_mul(w->pool, shown_term(w, actio_term_mul(w, content, g.key[i])),
                                               actio_poly_plain(w, rest));
        sum = actio_add(w->pool, sum, e);
    }
    return sum;
}

actio_expr actio_poly_factored(struct actio_normal *w, struct actio_poly a)
{
    struct actio_poly rest = a;
    if (a.n == 0) return (actio_expr){ 0 };
    if (a.n == 1) return shown_term(w, a.t[0]);
    if (a.n > LONG) return actio_poly_plain(w, a);
    struct actio_term content = content_of(w, a, &rest);
    return actio_mul(w->pool, shown_term(w, content), by_params(w, rest));
}

actio_expr actio_poly_shown(struct actio_normal *w, struct actio_poly a)
{
    if (a.n > LONG) return actio_poly_plain(w, a);
    struct groups g = gathered(w, a, divides);
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < g.count; i++) {
        struct actio_poly whole = actio_poly_shift(w, g.of[i], g.key[i]);
        sum = actio_add(w->pool, sum, g.key[i].n ? actio_poly_factored(w, whole) : by_params(w, whole));
    }
    return sum;
}
