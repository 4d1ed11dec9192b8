/* SPDX-License-Identifier: Apache-2.0
 * The shortest of equal polynomials: denominators divided out, squares of sine and cosine met, angle sums put together.
 * */
#include "expr/poly.h"

enum { LONG = 400 }; /* longer sums are left unchanged */

static struct actio_poly cast_back(struct actio_normal *w, struct actio_poly tried, struct actio_poly before)
{
    if (!w->over) return tried;
    w->over = w->spent;
    return before;
}

/* ---- denominators */

/* Terms with exactly this power of the atom, the atom taken out; the others are put in *rest. */
static struct actio_poly with_power(struct actio_normal *w, struct actio_poly a, uint32_t atom, int32_t power,
                                    struct actio_poly *rest)
{
    struct actio_poly in = { actio_arena_array(w->arena, a.n, sizeof *in.t), 0 };
    *rest = (struct actio_poly){ actio_arena_array(w->arena, a.n, sizeof *in.t), 0 };
    for (uint32_t i = 0; i < a.n; i++)
        if (actio_term_power(&a.t[i], atom) == power) in.t[in.n++] = actio_term_times(w, a.t[i], atom, -power);
        else rest->t[rest->n++] = a.t[i];
    return in;
}

static int32_t least_power(struct actio_poly a, uint32_t atom)
{
    int32_t least = 0;
    for (uint32_t i = 0; i < a.n; i++) {
        int32_t power = actio_term_power(&a.t[i], atom);
        if (power < least) least = power;
    }
    return least;
}

/* part/D, where D = q * (the part without common factors), is common factors/q. */
static bool numerator_divides(struct actio_normal *w, struct actio_poly part, uint32_t atom, struct actio_poly *r)
{
    struct actio_poly rest, q;
    struct actio_term content = actio_poly_content(w, part, &rest);
    if (rest.n < 2 || rest.n >= w->atom[atom].radicand.n + 2 || !actio_poly_divide(w, w->atom[atom].radicand, rest, &q))
        return false;
    *r = actio_poly_mul(w, actio_poly_of_term(w, content), actio_rule_inverse(w, q));
    return !w->over;
}

/* Where the numerator over the highest power of the denominator is a multiple of the denominator, or the other way
 * round, divides. */
static struct actio_poly divided(struct actio_normal *w, struct actio_poly a, uint32_t atom)
{
    for (int32_t power = least_power(a, atom); power < 0 && !w->over; power = least_power(a, atom)) {
        struct actio_poly rest, q, part = with_power(w, a, atom, power, &rest);
        if (!actio_poly_divide(w, part, w->atom[atom].radicand, &q) && !numerator_divides(w, part, atom, &q)) break;
        q = actio_poly_reduce(w, actio_poly_shift(w, q, actio_term_times(w, actio_term_one(), atom, power + 1)));
        a = actio_poly_add(w, rest, q);
    }
    return a;
}

static struct actio_poly settled(struct actio_normal *w, struct actio_poly a)
{
    if (a.n > LONG) return a;
    struct actio_poly before = a;
    uint32_t atoms = w->atoms; /* those made meanwhile are not denominators of a */
    for (uint32_t k = 0; k < atoms && !w->over; k++)
        if (w->atom[k].op == ACTIO_ADD && w->atom[k].radicand.n) a = divided(w, a, k);
    return cast_back(w, a, before);
}

/* Everything over one denominator, what divides divided out. */
static struct actio_poly over_one(struct actio_normal *w, struct actio_poly a, bool all)
{
    struct actio_term by;
    struct actio_poly n = actio_rule_clear(w, a, all, &by);
    if (w->over || n.n == 0) return n;
    return settled(w, actio_poly_shift(w, n, actio_term_inverse(w, by)));
}

/* ---- squares */

static struct actio_poly without_squares(struct actio_normal *w, struct actio_poly a, enum actio_op op)
{
    w->eliminate = op;
    struct actio_poly r = actio_poly_reduce(w, a);
    w->eliminate = ACTIO_CONST;
    return cast_back(w, r, a);
}

/* a gains c times the term m. */
static struct actio_poly gain(struct actio_normal *w, struct actio_poly a, struct actio_term m, actio_ratio c)
{
    m.c = c;
    return actio_poly_add(w, a, actio_poly_of_term(w, m));
}

/* x M + a M f^2 + b M g^2, alpha f^2 + beta g^2 = 1 */
struct squares {
    struct actio_term one, this, other;
    actio_ratio x, a, b;
    int alpha, beta;
};

static struct squares squares_of(struct actio_normal *w, struct actio_poly p, struct actio_term t, uint32_t atom)
{
    struct squares s = { .this = t, .alpha = 1, .beta = 1 };
    enum actio_op op = w->atom[atom].op;
    if (op == ACTIO_SINH) s.alpha = -1;
    if (op == ACTIO_COSH) s.beta = -1;
    s.one = actio_term_times(w, t, atom, -2);
    s.other = actio_term_times(w, s.one, w->atom[atom].partner, 2);
    s.x = actio_poly_coefficient(p, s.one);
    s.a = t.c;
    s.b = actio_poly_coefficient(p, s.other);
    return s;
}

static actio_ratio shorten_times(actio_ratio c, int k) { return actio_ratio_mul(c, actio_ratio_whole(k)); }

/* One replacement that makes p shorter, if there is one for this term and atom. */
static bool squares_meet(struct actio_normal *w, struct actio_poly *p, struct actio_term t, uint32_t atom)
{
    struct squares s = squares_of(w, *p, t, atom);
    bool x = actio_ratio_sign(s.x), b = actio_ratio_sign(s.b);
    actio_ratio whole = shorten_times(s.a, s.alpha); /* a f^2 = a/alpha (1 - beta g^2) */
    bool equal = b && actio_ratio_same(whole, shorten_times(s.b, s.beta)),
         opposite = x && !b && actio_ratio_same(actio_ratio_neg(s.x), whole);
    if (!(x && b) && !equal && !opposite) return false;
    struct actio_poly r = gain(w, *p, s.this, actio_ratio_neg(s.a));
    r = gain(w, r, s.one, whole);
    r = gain(w, r, s.other, shorten_times(whole, -s.beta));
    if (w->over || r.n >= p->n) return false;
    *p = r;
    return true;
}

/* ---- angle sums */

static struct actio_poly call(struct actio_normal *w, enum actio_op op, struct actio_poly u)
{
    struct actio_node n = { .op = (uint8_t)op };
    return actio_rule_call(w, &n, (const struct actio_poly[3]){ u });
}

/* x M f(u) g(v) + y M f'(u) g'(v) with y = x or -x is x M or -x M times the sine or cosine of u + v or u - v. */
static bool angles_meet(struct actio_normal *w, struct actio_poly *p, struct actio_term t, uint32_t first,
                        uint32_t second)
{
    struct actio_atom f = w->atom[first], g = w->atom[second];
    struct actio_term m = actio_term_times(w, actio_term_times(w, t, first, -1), second, -1);
    struct actio_term other = actio_term_times(w, actio_term_times(w, m, f.partner, 1), g.partner, 1);
    actio_ratio y = actio_poly_coefficient(*p, other);
    bool same = actio_ratio_same(y, t.c), opposite = actio_ratio_same(y, actio_ratio_neg(t.c)), alike = f.op == g.op;
    if (actio_ratio_sign(y) == 0 || (!same && !opposite)) return false;
    bool sum = alike ? opposite : same; /* cos u cos v + sin u sin v is of the difference */
    struct actio_poly u = sum ? actio_poly_add(w, f.arg, g.arg) : actio_poly_sub(w, f.arg, g.arg);
    struct actio_poly value = call(w, alike ? ACTIO_COS : ACTIO_SIN, u);
    bool turned = alike ? sum && f.op == ACTIO_SIN : !sum && f.op == ACTIO_COS;
    struct actio_poly r = gain(w, gain(w, *p, t, actio_ratio_neg(t.c)), other, actio_ratio_neg(y));
    m.c = turned ? actio_ratio_neg(t.c) : t.c;
    r = actio_poly_add(w, r, actio_poly_mul(w, actio_poly_of_term(w, m), value));
    if (w->over || r.n >= p->n) return false;
    *p = r;
    return true;
}

static bool circular(const struct actio_atom *a) { return (a->op == ACTIO_SIN || a->op == ACTIO_COS) && a->arg.n; }
static bool squared(const struct actio_atom *a)
{
    return (circular(a) || a->op == ACTIO_SINH || a->op == ACTIO_COSH) && a->radicand.n;
}

static bool term_meets(struct actio_normal *w, struct actio_poly *p, struct actio_term t)
{
    for (uint32_t i = 0; i < t.n; i++)
        if (t.f[i].power >= 2 && squared(&w->atom[t.f[i].atom]) && squares_meet(w, p, t, t.f[i].atom)) return true;
    for (uint32_t i = 0; i < t.n; i++)
        for (uint32_t j = i + 1; j < t.n; j++)
            if (t.f[i].power > 0 && t.f[j].power > 0 && circular(&w->atom[t.f[i].atom])
                && circular(&w->atom[t.f[j].atom]) && w->atom[t.f[i].atom].partner != t.f[j].atom
                && angles_meet(w, p, t, t.f[i].atom, t.f[j].atom))
                return true;
    return false;
}

/* Each replacement takes at least one term away, so this ends. */
static struct actio_poly met(struct actio_normal *w, struct actio_poly p)
{
    for (uint32_t i = 0; i < p.n && !w->over;) {
        struct actio_poly before = p;
        i = term_meets(w, &p, p.t[i]) ? 0 : i + 1;
        p = cast_back(w, p, before);
    }
    return p;
}

static bool any_square(const struct actio_normal *w, struct actio_poly a)
{
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < a.t[i].n; j++)
            if (a.t[i].f[j].power > 1 && circular(&w->atom[a.t[i].f[j].atom])) return true;
    return false;
}

static struct actio_poly shortest(struct actio_normal *w, struct actio_poly a)
{
    static const enum actio_op way[] = { ACTIO_COS, ACTIO_SIN };
    struct actio_poly best = met(w, a);
    if (best.n < 2 || !any_square(w, best)) return best;
    for (int k = 0; k < 2; k++) {
        struct actio_poly other = met(w, without_squares(w, a, way[k]));
        if (other.n < best.n && !w->over) best = other;
    }
    return best;
}

/* ---- */

struct actio_poly actio_poly_tidy(struct actio_normal *w, struct actio_poly a)
{
    if (w->over || a.n == 0) return a;
    if (w->mode == ACTIO_PROVE) return over_one(w, a, true);
    if (a.n < 2 || a.n > LONG) return a;
    a = settled(w, a);
    if (w->mode == ACTIO_EXPAND) {
        struct actio_poly one = cast_back(w, over_one(w, a, false), a);
        if (one.n < a.n) a = one;
    }
    return cast_back(w, shortest(w, a), a);
}
