/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic of sums of products. Every result is new; limits are watched here, so that no caller can run away. */
#include "expr/poly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits */

static bool spend(struct actio_normal *w, size_t products)
{
    w->work += products;
    if (w->work > ACTIO_WORK) w->over = w->spent = true;
    if (products > ACTIO_PRODUCTS) w->over = true;
    return !w->over;
}

/* In proofs a coefficient that left the whole numbers is worth nothing. */
static void watch(struct actio_normal *w, actio_ratio c)
{
    if (!actio_ratio_exact(c) && (w->mode == ACTIO_PROVE || !isfinite(c.x))) w->over = true;
}

static struct actio_poly none(void) { return (struct actio_poly){ NULL, 0 }; }

static struct actio_poly room(struct actio_normal *w, size_t n)
{
    return (struct actio_poly){ actio_arena_array(w->arena, n, sizeof(struct actio_term)), 0 };
}

/* ---- terms */

int actio_term_order(const struct actio_term *a, const struct actio_term *b)
{
    uint32_t i = 0;
    for (; i < a->n && i < b->n; i++) {
        struct actio_factor x = a->f[i], y = b->f[i];
        if (x.atom < y.atom) return x.power > 0 ? 1 : -1;
        if (x.atom > y.atom) return y.power > 0 ? -1 : 1;
        if (x.power != y.power) return x.power > y.power ? 1 : -1;
    }
    if (i < a->n) return a->f[i].power > 0 ? 1 : -1;
    return i < b->n ? (b->f[i].power > 0 ? -1 : 1) : 0;
}

int32_t actio_term_power(const struct actio_term *t, uint32_t atom)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->f[i].atom == atom) return t->f[i].power;
    return 0;
}

struct actio_term actio_term_mul(struct actio_normal *w, struct actio_term a, struct actio_term b)
{
    struct actio_term r = { .c = actio_ratio_mul(a.c, b.c),
                            .f = actio_arena_array(w->arena, (size_t)a.n + b.n, sizeof *r.f) };
    uint32_t i = 0, j = 0;
    while (i < a.n || j < b.n) {
        bool left = j == b.n || (i < a.n && a.f[i].atom <= b.f[j].atom),
             right = i == a.n || (j < b.n && b.f[j].atom <= a.f[i].atom);
        struct actio_factor f = left ? a.f[i] : b.f[j];
        if (left && right) f.power += b.f[j].power;
        i += left;
        j += right;
        if (f.power > ACTIO_POWER || f.power < -ACTIO_POWER) {
            w->over = true;
            f.power = 1;
        }
        if (f.power) r.f[r.n++] = f;
    }
    watch(w, r.c);
    return r;
}

struct actio_term actio_term_inverse(struct actio_normal *w, struct actio_term a)
{
    struct actio_term r = { .c = actio_ratio_inverse(a.c),
                            .f = actio_arena_array(w->arena, a.n, sizeof *r.f),
                            .n = a.n };
    for (uint32_t i = 0; i < a.n; i++) r.f[i] = (struct actio_factor){ a.f[i].atom, -a.f[i].power };
    watch(w, r.c);
    return r;
}

struct actio_term actio_term_times(struct actio_normal *w, struct actio_term a, uint32_t atom, int32_t power)
{
    struct actio_factor f = { atom, power };
    return actio_term_mul(w, a, (struct actio_term){ .c = actio_ratio_whole(1), .f = &f, .n = power != 0 });
}

/* ---- sums */

struct actio_poly actio_poly_of_term(struct actio_normal *w, struct actio_term t)
{
    if (actio_ratio_sign(t.c) == 0) return none();
    struct actio_poly r = room(w, 1);
    r.t[r.n++] = t;
    return r;
}

struct actio_poly actio_poly_number(struct actio_normal *w, actio_ratio c)
{
    return actio_poly_of_term(w, (struct actio_term){ .c = c });
}

struct actio_poly actio_poly_atom(struct actio_normal *w, uint32_t atom, int32_t power)
{
    return actio_poly_of_term(w, actio_term_times(w, (struct actio_term){ .c = actio_ratio_whole(1) }, atom, power));
}

struct actio_poly actio_poly_add(struct actio_normal *w, struct actio_poly a, struct actio_poly b)
{
    if (a.n == 0 || b.n == 0) return a.n ? a : b;
    if (!spend(w, ((size_t)a.n + b.n) / 4)) return none();
    struct actio_poly r = room(w, (size_t)a.n + b.n);
    uint32_t i = 0, j = 0;
    while (i < a.n || j < b.n) {
        int order = i == a.n ? -1 : j == b.n ? 1 : actio_term_order(&a.t[i], &b.t[j]);
        struct actio_term t = order >= 0 ? a.t[i] : b.t[j];
        if (order == 0) {
            t.c = actio_ratio_add(t.c, b.t[j].c);
            watch(w, t.c);
        }
        i += order >= 0;
        j += order <= 0;
        if (actio_ratio_sign(t.c)) r.t[r.n++] = t;
    }
    if (r.n > ACTIO_TERMS) w->over = true;
    return r;
}

struct actio_poly actio_poly_scale(struct actio_normal *w, struct actio_poly a, actio_ratio c)
{
    if (actio_ratio_sign(c) == 0) return none();
    struct actio_poly r = room(w, a.n);
    for (; r.n < a.n; r.n++) {
        r.t[r.n] = a.t[r.n];
        r.t[r.n].c = actio_ratio_mul(a.t[r.n].c, c);
        watch(w, r.t[r.n].c);
    }
    return r;
}

struct actio_poly actio_poly_sub(struct actio_normal *w, struct actio_poly a, struct actio_poly b)
{
    return actio_poly_add(w, a, actio_poly_scale(w, b, actio_ratio_whole(-1)));
}

actio_ratio actio_poly_coefficient(struct actio_poly a, struct actio_term m)
{
    uint32_t low = 0, high = a.n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        int order = actio_term_order(&a.t[mid], &m);
        if (order == 0) return a.t[mid].c;
        if (order > 0) low = mid + 1;
        else high = mid;
    }
    return actio_ratio_whole(0);
}

/* ---- products */

struct actio_poly actio_poly_shift(struct actio_normal *w, struct actio_poly a, struct actio_term by)
{
    if (!spend(w, a.n)) return none();
    struct actio_poly r = room(w, a.n);
    for (; r.n < a.n; r.n++) r.t[r.n] = actio_term_mul(w, a.t[r.n], by); /* the order keeps under multiplication */
    return r;
}

static int descending(const void *a, const void *b) { return -actio_term_order(a, b); }

static struct actio_poly gathered(struct actio_normal *w, struct actio_poly a)
{
    uint32_t kept = 0;
    if (a.n) qsort(a.t, a.n, sizeof *a.t, descending);
    for (uint32_t i = 0; i < a.n;) {
        struct actio_term t = a.t[i++];
        for (; i < a.n && actio_term_order(&a.t[i], &t) == 0; i++) t.c = actio_ratio_add(t.c, a.t[i].c);
        watch(w, t.c);
        if (actio_ratio_sign(t.c)) a.t[kept++] = t;
    }
    a.n = kept;
    if (a.n > ACTIO_TERMS) w->over = true;
    return a;
}

struct actio_poly actio_poly_raw_mul(struct actio_normal *w, struct actio_poly a, struct actio_poly b)
{
    if (a.n == 0 || b.n == 0) return none();
    if (b.n == 1) return actio_poly_shift(w, a, b.t[0]);
    if (a.n == 1) return actio_poly_shift(w, b, a.t[0]);
    if (!spend(w, (size_t)a.n * b.n)) return none();
    struct actio_poly r = room(w, (size_t)a.n * b.n);
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < b.n; j++) r.t[r.n++] = actio_term_mul(w, a.t[i], b.t[j]);
    return gathered(w, r);
}

static struct actio_poly raw_power(struct actio_normal *w, struct actio_poly a, int32_t k)
{
    struct actio_poly r = actio_poly_number(w, actio_ratio_whole(1));
    if (a.n > 1 && k > 64) w->over = true;
    for (uint32_t n = (uint32_t)k; n && !w->over; n >>= 1) {
        if (n & 1) r = actio_poly_raw_mul(w, r, a);
        if (n > 1) a = actio_poly_raw_mul(w, a, a);
    }
    return r;
}

/* ---- roots: a power outside 0 .. root-1 is a power of the radicand and a rest */

static int32_t poly_root_of(const struct actio_normal *w, const struct actio_atom *a)
{
    return w->eliminate != ACTIO_CONST && a->op == w->eliminate ? 2 : a->root;
}

static bool reducible(const struct actio_normal *w, struct actio_factor f)
{
    const struct actio_atom *a = &w->atom[f.atom];
    int32_t root = poly_root_of(w, a);
    return root && (f.power >= root || (f.power < 0 && a->inverse.n));
}

/* Powers of the radicand in f, rounded down. */
static int32_t whole_part(const struct actio_normal *w, struct actio_factor f)
{
    int32_t root = poly_root_of(w, &w->atom[f.atom]);
    return f.power >= 0 ? f.power / root : -((-f.power + root - 1) / root);
}

static struct actio_poly reduced_term(struct actio_normal *w, struct actio_term t, uint32_t at)
{
    struct actio_factor f = t.f[at];
    const struct actio_atom *a = &w->atom[f.atom];
    int32_t k = whole_part(w, f);
    struct actio_term rest = actio_term_times(w, t, f.atom, -k * poly_root_of(w, a));
    return actio_poly_raw_mul(w, actio_poly_of_term(w, rest),
                              k > 0 ? raw_power(w, a->radicand, k) : raw_power(w, a->inverse, -k));
}

struct actio_poly actio_poly_reduce(struct actio_normal *w, struct actio_poly a)
{
    for (bool found = true; found && !w->over;) {
        struct actio_poly sum = none();
        uint32_t cap = 0;
        found = false;
        for (uint32_t i = 0; i < a.n && !w->over; i++) {
            uint32_t at = 0;
            while (at < a.t[i].n && !reducible(w, a.t[i].f[at])) at++;
            struct actio_poly part = { &a.t[i], 1 };
            if (at < a.t[i].n) {
                part = reduced_term(w, a.t[i], at);
                found = true;
            }
            for (uint32_t k = 0; k < part.n; k++) ACTIO_PUSH(w->arena, sum.t, sum.n, cap) = part.t[k];
            if (sum.n > ACTIO_PRODUCTS) w->over = true;
        }
        if (found) a = gathered(w, sum);
    }
    return a;
}

struct actio_poly actio_poly_mul(struct actio_normal *w, struct actio_poly a, struct actio_poly b)
{
    return actio_poly_reduce(w, actio_poly_raw_mul(w, a, b));
}

static struct actio_poly term_power(struct actio_normal *w, struct actio_term t, int32_t k)
{
    struct actio_term r = { .c = actio_ratio_power(t.c, k),
                            .f = actio_arena_array(w->arena, t.n, sizeof *r.f),
                            .n = t.n };
    for (uint32_t i = 0; i < t.n; i++) {
        int64_t power = (int64_t)t.f[i].power * k;
        if (power > ACTIO_POWER || power < -ACTIO_POWER) {
            w->over = true;
            power = 1;
        }
        r.f[i] = (struct actio_factor){ t.f[i].atom, (int32_t)power };
    }
    watch(w, r.c);
    return actio_poly_reduce(w, actio_poly_of_term(w, r));
}

struct actio_poly actio_poly_power(struct actio_normal *w, struct actio_poly a, int32_t k)
{
    if (k == 0) return actio_poly_number(w, actio_ratio_whole(1));
    if (a.n == 1) return term_power(w, a.t[0], k);
    struct actio_poly r = actio_poly_number(w, actio_ratio_whole(1));
    if (a.n > 1 && k > 64) w->over = true;
    for (int32_t i = 0; i < k && a.n && !w->over; i++) r = actio_poly_mul(w, r, a);
    return a.n ? r : a;
}

/* ---- division and content */

actio_ratio actio_poly_divisor(struct actio_poly a)
{
    actio_ratio g = a.t[0].c;
    for (uint32_t i = 1; i < a.n; i++) g = actio_ratio_gcd(g, a.t[i].c);
    if (!actio_ratio_exact(g)) g = actio_ratio_whole(1);
    return actio_ratio_sign(g) < 0 ? actio_ratio_neg(g) : g;
}

/* The lowest power of every atom, 0 where a term does without. */
static struct actio_term common_factors(struct actio_normal *w, struct actio_poly a)
{
    struct actio_term m = { .c = actio_ratio_whole(1) };
    uint32_t cap = 0;
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < a.t[i].n; j++)
            if (a.t[i].f[j].power < 0 || i == 0) {
                int32_t have = actio_term_power(&m, a.t[i].f[j].atom), least = a.t[i].f[j].power;
                for (uint32_t k = 0; k < a.n && have == 0; k++) {
                    int32_t power = actio_term_power(&a.t[k], a.t[i].f[j].atom);
                    if (power < least) least = power;
                }
                if (have == 0 && least)
                    ACTIO_PUSH(w->arena, m.f, m.n, cap) = (struct actio_factor){ a.t[i].f[j].atom, least };
            }
    return m;
}

static int by_atom(const void *a, const void *b)
{
    uint32_t x = ((const struct actio_factor *)a)->atom, y = ((const struct actio_factor *)b)->atom;
    return (x > y) - (x < y);
}

bool actio_poly_minus(struct actio_poly a)
{
    uint32_t minus = 0;
    for (uint32_t i = 0; i < a.n; i++) minus += actio_ratio_sign(a.t[i].c) < 0;
    return 2 * minus > a.n || (a.n && 2 * minus == a.n && actio_ratio_sign(a.t[0].c) < 0);
}

struct actio_term actio_poly_content(struct actio_normal *w, struct actio_poly a, struct actio_poly *rest)
{
    struct actio_term m = common_factors(w, a);
    if (m.n > 1) qsort(m.f, m.n, sizeof *m.f, by_atom);
    m.c = actio_poly_divisor(a);
    if (actio_poly_minus(a)) m.c = actio_ratio_neg(m.c);
    *rest = actio_poly_shift(w, a, actio_term_inverse(w, m));
    return m;
}

static bool has_negative(const struct actio_term *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->f[i].power < 0) return true;
    return false;
}

/* Division of polynomials without common factors, the quotient's terms from the first; false leaves `over` to the
 * caller. */
static bool poly_divide(struct actio_normal *w, struct actio_poly rest, struct actio_poly by, struct actio_poly *q)
{
    uint32_t cap = 0;
    *q = none();
    while (rest.n) {
        struct actio_term t = actio_term_mul(w, rest.t[0], actio_term_inverse(w, by.t[0]));
        if (w->over || q->n > 300 || has_negative(&t)) return false;
        ACTIO_PUSH(w->arena, q->t, q->n, cap) = t;
        rest = actio_poly_sub(w, rest, actio_poly_shift(w, by, t));
    }
    return !w->over;
}

static bool exact(struct actio_poly a)
{
    for (uint32_t i = 0; i < a.n; i++)
        if (!actio_ratio_exact(a.t[i].c)) return false;
    return true;
}

bool actio_poly_divide(struct actio_normal *w, struct actio_poly a, struct actio_poly b, struct actio_poly *q)
{
    struct actio_poly rest, by;
    /* rounding would add up from step to step */
    if (w->over || a.n == 0 || b.n == 0 || b.n > 200 || !exact(a) || !exact(b)) return false;
    struct actio_term above = actio_poly_content(w, a, &rest), below = actio_poly_content(w, b, &by);
    bool divides = !w->over && poly_divide(w, rest, by, q);
    if (divides)
        *q = actio_poly_reduce(w, actio_poly_shift(w, *q, actio_term_mul(w, above, actio_term_inverse(w, below))));
    divides = divides && !w->over;
    w->over = w->spent; /* a failed attempt is not a fault of its caller */
    return divides;
}
