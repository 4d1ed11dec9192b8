/* SPDX-License-Identifier: Apache-2.0
 * What functions of polynomials are as polynomials: angles taken apart, roots and exponentials joined, denominators as
 * atoms. */
#include "expr/poly.h"

#include <math.h>

enum { MOST_ANGLES = 6, MOST_TURNS = 16, MOST_EXPONENTS = 8, MOST_POWERS = 1000, MOST_ROOT = 1000 };

static const int8_t parity[ACTIO_OP_COUNT] = {
    [ACTIO_SIN] = -1, [ACTIO_TAN] = -1,  [ACTIO_ASIN] = -1, [ACTIO_ATAN] = -1, [ACTIO_SINH] = -1, [ACTIO_TANH] = -1,
    [ACTIO_ERF] = -1, [ACTIO_SIGN] = -1, [ACTIO_COS] = 1,   [ACTIO_COSH] = 1,  [ACTIO_ABS] = 1,
};

static struct actio_poly whole(struct actio_normal *w, int64_t p) { return actio_poly_number(w, actio_ratio_whole(p)); }
static struct actio_poly minus(struct actio_normal *w, struct actio_poly a)
{
    return actio_poly_scale(w, a, actio_ratio_whole(-1));
}
static actio_expr argument(struct actio_normal *w, struct actio_poly a)
{
    return w->mode == ACTIO_PROVE ? actio_poly_plain(w, a) : actio_poly_shown(w, a);
}

/* ---- atoms */

uint32_t actio_atom_for(struct actio_normal *w, actio_expr e)
{
    if (e.id >= w->ids) {
        uint32_t ids = w->pool->cap > e.id ? w->pool->cap : e.id + 1;
        w->atom_of = actio_arena_grow(w->arena, w->atom_of, w->ids * sizeof *w->atom_of, ids * sizeof *w->atom_of);
        w->ids = ids;
    }
    if (!w->atom_of[e.id]) {
        ACTIO_PUSH(w->arena, w->atom, w->atoms, w->atoms_cap) =
            (struct actio_atom){ .op = (enum actio_op)w->pool->node[e.id].op, .e = e, .shown = e };
        w->atom_of[e.id] = w->atoms;
    }
    return w->atom_of[e.id] - 1;
}

/* A number that is not a fraction is a symbol in proofs, whatever its last digits; powers of two are taken out of it.
 * */
struct actio_poly actio_rule_const(struct actio_normal *w, actio_expr e)
{
    double x = actio_const_value(w->pool, e);
    actio_ratio r = actio_ratio_of(x);
    int two;
    if (!isfinite(x)) return actio_poly_atom(w, actio_atom_for(w, e), 1);
    if (actio_ratio_exact(r) || w->mode != ACTIO_PROVE) return actio_poly_number(w, r);
    double m = frexp(fabs(x), &two);
    if (two > 60 || two < -60) return actio_poly_atom(w, actio_atom_for(w, e), 1);
    actio_ratio power = two >= 0 ? actio_ratio_whole((int64_t)1 << two) : actio_ratio_fraction(1, (int64_t)1 << -two);
    struct actio_poly a = actio_poly_atom(w, actio_atom_for(w, actio_const(w->pool, m)), 1);
    return actio_poly_scale(w, a, x < 0 ? actio_ratio_neg(power) : power);
}

/* A call as the pool made it: folded to a number, or an atom. */
static struct actio_poly made(struct actio_normal *w, actio_expr e)
{
    return actio_is_const(w->pool, e) ? actio_rule_const(w, e) : actio_poly_atom(w, actio_atom_for(w, e), 1);
}

/* ---- denominators */

static void least_powers(struct actio_normal *w, struct actio_poly a, bool all, struct actio_term *by)
{
    *by = actio_term_one();
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < a.t[i].n; j++) {
            struct actio_factor f = a.t[i].f[j];
            int32_t have = actio_term_power(by, f.atom);
            if (-f.power > have && (all || w->atom[f.atom].op == ACTIO_ADD))
                *by = actio_term_times(w, *by, f.atom, -f.power - have);
        }
}

/* Radicands may bring new negative powers in, so this is repeated. */
struct actio_poly actio_rule_clear(struct actio_normal *w, struct actio_poly a, bool all, struct actio_term *by)
{
    *by = actio_term_one();
    for (int round = 0; !w->over; round++) {
        struct actio_term m;
        least_powers(w, a, all, &m);
        if (m.n == 0) break;
        if (round == 8) {
            w->over = true;
            break;
        }
        a = actio_poly_reduce(w, actio_poly_shift(w, a, m));
        *by = actio_term_mul(w, *by, m);
    }
    return a;
}

/* The sum (no common factor) as an atom. */
static uint32_t sum_atom(struct actio_normal *w, struct actio_poly sum)
{
    actio_expr e = actio_poly_plain(w, sum), shown = w->mode == ACTIO_PROVE ? e : actio_poly_shown(w, sum);
    uint32_t at = actio_atom_for(w, e);
    struct actio_atom *a = &w->atom[at];
    if (a->radicand.n == 0) {
        a->op = ACTIO_ADD;
        a->shown = shown;
        a->radicand = sum;
        a->root = w->mode == ACTIO_KEEP ? 0 : 1;
    }
    return at;
}

/* a as one term: common factors and the rest as an atom. */
static struct actio_term as_one(struct actio_normal *w, struct actio_poly a, int32_t power)
{
    struct actio_poly rest;
    struct actio_term content = actio_poly_content(w, a, &rest);
    if (power < 0) content = actio_term_inverse(w, content);
    return rest.n == 1 ? content : actio_term_times(w, content, sum_atom(w, rest), power);
}

struct actio_poly actio_rule_inverse(struct actio_normal *w, struct actio_poly a)
{
    struct actio_term by = actio_term_one();
    a = actio_poly_tidy(w, a);
    if (a.n > 1 && w->mode != ACTIO_KEEP) a = actio_rule_clear(w, a, false, &by);
    if (a.n == 0) w->over = true; /* 1/0 stays as it was written */
    if (w->over) return a;
    struct actio_term t = a.n == 1 ? actio_term_inverse(w, a.t[0]) : as_one(w, a, -1);
    return actio_poly_reduce(w, actio_poly_of_term(w, actio_term_mul(w, t, by)));
}

struct actio_poly actio_rule_product(struct actio_normal *w, struct actio_poly a, struct actio_poly b)
{
    if (w->mode == ACTIO_KEEP && a.n > 1 && b.n > 1) {
        a = actio_poly_of_term(w, as_one(w, a, 1));
        b = actio_poly_of_term(w, as_one(w, b, 1));
    }
    return actio_poly_mul(w, a, b);
}

struct actio_poly actio_rule_power(struct actio_normal *w, struct actio_poly a, int32_t k)
{
    if (k < 0 && a.n != 1) {
        a = actio_rule_inverse(w, a);
        k = -k;
    }
    if (w->over) return a;
    if (w->mode == ACTIO_KEEP && a.n > 1 && k > 1) a = actio_poly_of_term(w, as_one(w, a, 1));
    return actio_poly_power(w, a, k);
}

/* ---- sine and cosine */

static bool is_sine(enum actio_op op) { return op == ACTIO_SIN || op == ACTIO_SINH; }

/* Sets what the square of an atom is: 1 - other^2, cosh^2 - 1 or 1 + sinh^2. */
static void set_square(struct actio_normal *w, uint32_t at, uint32_t other, struct actio_poly arg)
{
    enum actio_op op = w->atom[at].op;
    struct actio_poly square = actio_poly_atom(w, other, 2), one = whole(w, 1);
    struct actio_poly radicand = op == ACTIO_SINH   ? actio_poly_sub(w, square, one)
                                 : op == ACTIO_COSH ? actio_poly_add(w, one, square)
                                                    : actio_poly_sub(w, one, square);
    struct actio_atom *a = &w->atom[at];
    a->partner = other;
    a->arg = arg;
    a->radicand = radicand;
    if (op == ACTIO_COS && w->mode == ACTIO_PROVE) a->root = 2;
}

/* The pair sin, cos (or sinh, cosh) of an argument that is not constant and whose sign has been settled. */
static void pair_of(struct actio_normal *w, enum actio_op op, struct actio_poly arg, uint32_t *sine, uint32_t *cosine)
{
    bool circle = op == ACTIO_SIN || op == ACTIO_COS;
    actio_expr u = argument(w, arg);
    *sine = actio_atom_for(w, actio_op1(w->pool, circle ? ACTIO_SIN : ACTIO_SINH, u));
    *cosine = actio_atom_for(w, actio_op1(w->pool, circle ? ACTIO_COS : ACTIO_COSH, u));
    if (w->atom[*sine].radicand.n) return;
    set_square(w, *sine, *cosine, arg);
    set_square(w, *cosine, *sine, arg);
}

struct angle {
    struct actio_poly s, c;
};

static struct angle simple_angle(struct actio_normal *w, struct actio_poly arg)
{
    uint32_t s, c;
    bool turned = actio_poly_minus(arg);
    pair_of(w, ACTIO_SIN, turned ? minus(w, arg) : arg, &s, &c);
    struct angle a = { actio_poly_atom(w, s, 1), actio_poly_atom(w, c, 1) };
    if (turned) a.s = minus(w, a.s);
    return a;
}

static struct angle both(struct actio_normal *w, struct angle a, struct angle b)
{
    return (struct angle){ actio_poly_add(w, actio_poly_mul(w, a.s, b.c), actio_poly_mul(w, a.c, b.s)),
                           actio_poly_sub(w, actio_poly_mul(w, a.c, b.c), actio_poly_mul(w, a.s, b.s)) };
}

/* The finest part of the monomial m that has been requested; at most a few times a finer one comes and all starts
 * again. */
static int64_t unit_for(struct actio_normal *w, struct actio_term m, int64_t q)
{
    m.c = actio_ratio_whole(1);
    uint32_t id = actio_poly_plain(w, actio_poly_of_term(w, m)).id;
    for (uint32_t i = 0; i < w->units; i++)
        if (w->unit[i].id == id) {
            int64_t finer = q / actio_whole_gcd(q, w->unit[i].q);
            if (finer > 1 && w->unit[i].q < 1000 && finer < 1000) {
                w->unit[i].q *= finer;
                w->again = true;
            }
            return w->unit[i].q;
        }
    ACTIO_PUSH(w->arena, w->unit, w->units, w->units_cap) = (struct actio_unit){ id, q };
    return q;
}

/* t = turns * (one part), when that is a small whole number. */
static bool in_parts(struct actio_normal *w, struct actio_term t, int64_t most, int64_t *turns, struct actio_term *part)
{
    if (!actio_ratio_exact(t.c) || t.c.q > 1000) return false;
    int64_t q = unit_for(w, t, t.c.q);
    if (q % t.c.q || t.c.p > most || t.c.p < -most) return false;
    *turns = t.c.p * (q / t.c.q);
    *part = t;
    part->c = actio_ratio_fraction(1, q);
    return *turns <= most && *turns >= -most;
}

static struct angle angle_of_term(struct actio_normal *w, struct actio_term t)
{
    int64_t turns;
    struct actio_term part;
    if (!in_parts(w, t, MOST_TURNS, &turns, &part)) return simple_angle(w, actio_poly_of_term(w, t));
    struct angle one = simple_angle(w, actio_poly_of_term(w, part)), sum = one;
    for (int64_t k = 1; k < (turns < 0 ? -turns : turns); k++) sum = both(w, sum, one);
    if (turns < 0) sum.s = minus(w, sum.s);
    return sum;
}

/* A constant part stays with the first term: sine and cosine of a number would be folded and lose their relation. */
static struct angle taken_apart(struct actio_normal *w, struct actio_poly u)
{
    bool constant = u.t[u.n - 1].n == 0;
    for (uint32_t i = 0; i < u.n && !constant; i++) constant = u.t[i].n == 0;
    if (u.n > MOST_ANGLES || (constant && u.n < 3)) return simple_angle(w, u);
    struct actio_poly first = { NULL, 0 };
    struct angle sum = { { NULL, 0 }, whole(w, 1) };
    for (uint32_t i = 0; i < u.n && constant; i++)
        if (i == 0 || u.t[i].n == 0) first = actio_poly_add(w, first, actio_poly_of_term(w, u.t[i]));
    if (constant) sum = simple_angle(w, first);
    for (uint32_t i = constant; i < u.n && !w->over; i++)
        if (u.t[i].n) sum = both(w, sum, angle_of_term(w, u.t[i]));
    return sum;
}

static struct actio_poly circular(struct actio_normal *w, enum actio_op op, struct actio_poly u)
{
    struct angle a = taken_apart(w, u);
    if (op == ACTIO_TAN && !w->over) return actio_rule_product(w, a.s, actio_rule_inverse(w, a.c));
    return op == ACTIO_SIN ? a.s : a.c;
}

/* ---- exponentials, roots, powers */

/* exp(t) for one term: a power of exp(part); exp(k log v) is v^k. */
static struct actio_poly exponential_of_term(struct actio_normal *w, struct actio_term t)
{
    int64_t k;
    struct actio_term part;
    if (t.n == 1 && w->atom[t.f[0].atom].op == ACTIO_LOG && t.f[0].power == 1 && t.c.q == 1 && t.c.p <= MOST_POWERS
        && t.c.p >= -MOST_POWERS)
        return actio_rule_power(w, w->atom[t.f[0].atom].arg, (int32_t)t.c.p);
    if (t.n == 0 || !in_parts(w, t, MOST_POWERS, &k, &part)) {
        k = 1;
        part = t;
    }
    struct actio_poly arg = actio_poly_of_term(w, part), e = made(w, actio_op1(w->pool, ACTIO_EXP, argument(w, arg)));
    if (e.n == 1 && e.t[0].n == 1) w->atom[e.t[0].f[0].atom].arg = arg;
    return actio_poly_power(w, e, (int32_t)k);
}

static struct actio_poly exponential(struct actio_normal *w, struct actio_poly u)
{
    struct actio_poly r = whole(w, 1);
    if (u.n > MOST_EXPONENTS) return made(w, actio_op1(w->pool, ACTIO_EXP, argument(w, u)));
    for (uint32_t i = 0; i < u.n && !w->over; i++) r = actio_rule_product(w, r, exponential_of_term(w, u.t[i]));
    return r;
}

/* sinh, cosh and tanh of u from exp(u), for proofs. */
static struct actio_poly hyperbolic(struct actio_normal *w, enum actio_op op, struct actio_poly u)
{
    struct actio_poly up = exponential(w, u), down = exponential(w, minus(w, u));
    struct actio_poly s = actio_poly_sub(w, up, down), c = actio_poly_add(w, up, down);
    if (w->over) return s;
    if (op == ACTIO_TANH) return actio_rule_product(w, s, actio_rule_inverse(w, c));
    return actio_poly_scale(w, op == ACTIO_SINH ? s : c, actio_ratio_fraction(1, 2));
}

/* The atom e with e^root = radicand. */
static struct actio_poly rooted(struct actio_normal *w, actio_expr e, int32_t root, struct actio_poly radicand,
                                struct actio_poly inverse)
{
    if (actio_is_const(w->pool, e)) return actio_rule_const(w, e);
    uint32_t at = actio_atom_for(w, e);
    struct actio_atom *a = &w->atom[at];
    if (a->root == 0) {
        a->root = root;
        a->radicand = radicand;
        a->inverse = inverse;
    }
    return actio_poly_atom(w, at, 1);
}

/* sqrt(p/q) when both are squares; a common square factor of the radicand goes in front. */
static bool square_root(actio_ratio c, actio_ratio *r)
{
    if (!actio_ratio_exact(c) || c.p <= 0 || c.p > (int64_t)1 << 50 || c.q > (int64_t)1 << 50) return false;
    int64_t p = (int64_t)sqrt((double)c.p), q = (int64_t)sqrt((double)c.q);
    *r = (actio_ratio){ .p = p, .q = q };
    return p * p == c.p && q * q == c.q;
}

static struct actio_poly rules_root_of(struct actio_normal *w, struct actio_poly u, int32_t root)
{
    actio_ratio front = actio_ratio_whole(1), divisor;
    if (u.n == 0) return u;
    divisor = actio_poly_divisor(u);
    if (root == 2 && square_root(divisor, &front)) u = actio_poly_scale(w, u, actio_ratio_inverse(divisor));
    else front = actio_ratio_whole(1);
    actio_expr x = argument(w, u);
    actio_expr e = root == 2 ? actio_op1(w->pool, ACTIO_SQRT, x)
                             : actio_op2(w->pool, ACTIO_POW, x, actio_const(w->pool, 1.0 / root));
    struct actio_poly inverse = actio_rule_inverse(w, u);
    if (w->over) return u;
    return actio_poly_scale(w, rooted(w, e, root, u, inverse), front);
}

static struct actio_poly absolute(struct actio_normal *w, struct actio_poly u)
{
    if (actio_poly_minus(u)) u = minus(w, u);
    actio_expr e = actio_op1(w->pool, ACTIO_ABS, argument(w, u));
    struct actio_poly square = actio_rule_power(w, u, 2), inverse = actio_rule_inverse(w, u);
    if (w->over) return u;
    return rooted(w, e, 2, square, actio_poly_mul(w, inverse, inverse));
}

/* u^(k + v) = u^k u^v: derivatives lower exponents by one. */
static struct actio_poly symbolic_power(struct actio_normal *w, struct actio_poly u, struct actio_poly v)
{
    bool below = actio_poly_minus(v);
    if (below) v = minus(w, v);
    actio_ratio c = actio_poly_coefficient(v, actio_term_one());
    int64_t k =
        actio_ratio_exact(c) && c.p < 1000 * c.q && c.p > -1000 * c.q ? (int64_t)floor((double)c.p / (double)c.q) : 0;
    v = actio_poly_sub(w, v, whole(w, k));
    struct actio_poly r = made(w, actio_op2(w->pool, ACTIO_POW, argument(w, u), argument(w, v)));
    if (below) {
        r = actio_rule_inverse(w, r);
        k = -k;
    }
    return w->over ? r : actio_rule_product(w, r, actio_rule_power(w, u, (int32_t)k));
}

static struct actio_poly general_power(struct actio_normal *w, struct actio_poly u, struct actio_poly v)
{
    if (v.n == 0) return whole(w, 1);
    if (u.n == 0 || !actio_poly_constant(v)) return symbolic_power(w, u, v);
    actio_ratio c = v.t[0].c;
    if (!actio_ratio_exact(c) || c.q > MOST_ROOT || c.p > MOST_POWERS || c.p < -MOST_POWERS)
        return made(w, actio_op2(w->pool, ACTIO_POW, argument(w, u), argument(w, v)));
    if (c.q == 1) return actio_rule_power(w, u, (int32_t)c.p);
    return actio_rule_power(w, rules_root_of(w, u, (int32_t)c.q), (int32_t)c.p);
}

/* ---- calls */

/* log of a product of exponentials. */
static bool undone(struct actio_normal *w, struct actio_poly u, struct actio_poly *sum)
{
    *sum = (struct actio_poly){ NULL, 0 };
    if (u.n != 1 || u.t[0].n == 0 || !actio_ratio_is(u.t[0].c, 1)) return false;
    for (uint32_t i = 0; i < u.t[0].n; i++) {
        struct actio_factor f = u.t[0].f[i];
        if (w->atom[f.atom].op != ACTIO_EXP || w->atom[f.atom].arg.n == 0) return false;
        *sum = actio_poly_add(w, *sum, actio_poly_scale(w, w->atom[f.atom].arg, actio_ratio_whole(f.power)));
    }
    return true;
}

static struct actio_poly plain_call(struct actio_normal *w, enum actio_op op, struct actio_poly u)
{
    bool turned = parity[op] && actio_poly_minus(u);
    if (turned) u = minus(w, u);
    struct actio_poly r;
    if (!actio_poly_constant(u) && (op == ACTIO_SIN || op == ACTIO_COS || op == ACTIO_SINH || op == ACTIO_COSH)) {
        uint32_t s, c;
        pair_of(w, op, u, &s, &c);
        r = actio_poly_atom(w, is_sine(op) ? s : c, 1);
    } else {
        r = made(w, actio_op1(w->pool, op, argument(w, u)));
        if (op == ACTIO_LOG && r.n == 1 && r.t[0].n == 1) w->atom[r.t[0].f[0].atom].arg = u;
    }
    return turned && parity[op] < 0 ? minus(w, r) : r;
}

static struct actio_poly call1(struct actio_normal *w, enum actio_op op, struct actio_poly u)
{
    struct actio_poly r;
    bool taken = w->mode == ACTIO_PROVE && !actio_poly_constant(u);
    switch (op) {
    case ACTIO_SQRT: return rules_root_of(w, u, 2);
    case ACTIO_EXP: return exponential(w, u);
    case ACTIO_ABS: return u.n ? absolute(w, u) : u;
    case ACTIO_LOG: return undone(w, u, &r) ? r : plain_call(w, op, u);
    case ACTIO_SIN:
    case ACTIO_COS:
    case ACTIO_TAN: return taken ? circular(w, op, u) : plain_call(w, op, u);
    case ACTIO_SINH:
    case ACTIO_COSH:
    case ACTIO_TANH: return taken ? hyperbolic(w, op, u) : plain_call(w, op, u);
    default: return plain_call(w, op, u);
    }
}

struct actio_poly actio_rule_call(struct actio_normal *w, const struct actio_node *n, const struct actio_poly arg[3])
{
    enum actio_op op = (enum actio_op)n->op;
    int arity = actio_arity(op);
    struct actio_poly u[3] = { { NULL, 0 } };
    actio_expr e[3] = { { 0 } };
    for (int k = 0; k < arity; k++) u[k] = actio_poly_tidy(w, arg[k]);
    if (w->over) return u[0];
    if (arity == 1) return call1(w, op, u[0]);
    if (op == ACTIO_POW) return general_power(w, u[0], u[1]);
    for (int k = 0; k < arity; k++) e[k] = argument(w, u[k]);
    actio_expr r = actio_rebuild(w->pool, op, e[0], e[1], e[2], 0);
    for (int k = 0; k < arity; k++)
        if (actio_same(r, e[k])) return u[k];
    return made(w, r);
}
