/* SPDX-License-Identifier: Apache-2.0
 * Operators with summation by parts. Equal steps: a table (tools/derive_sbp.py). Elements of Legendre-Gauss-Lobatto
 * nodes and the Runge-Kutta matrix are computed with twice the digits of a double, so that what comes out is rounded
 * once and the same on every machine. */
#include "algebra/sbp.h"

#include "algebra/sbp_table.inc"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- equal steps */

/* Rows 0 .. block - 1 are special, and so are the last ones; the others have `wide` neighbours on either side. */
struct scheme {
    int order;
    size_t wide, block;
    const double *weight, *inside, *upper;
};

static const struct scheme schemes[] = {
    { 2, 1, 1, weight_2, inside_2, NULL },
    { 4, 2, 4, weight_4, inside_4, upper_4 },
    { 6, 3, 6, weight_6, inside_6, upper_6 },
    { 8, 4, 8, weight_8, inside_8, upper_8 },
};

static const struct scheme *scheme_of(int order)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (schemes[i].order == order) return &schemes[i];
    return NULL;
}

static const struct scheme *scheme_for(int order, size_t points)
{
    const struct scheme *s = scheme_of(order);
    return s && points >= 2 * s->block ? s : NULL;
}

size_t actio_sbp_least(int order)
{
    const struct scheme *s = scheme_of(order);
    return s ? 2 * s->block : 0;
}

size_t actio_sbp_reach(int order)
{
    const struct scheme *s = scheme_of(order);
    if (!s) return 0;
    return s->block - 1 > s->wide ? s->block - 1 : s->wide;
}

double actio_sbp_weight(int order, size_t points, size_t k)
{
    const struct scheme *s = scheme_for(order, points);
    if (!s || k >= points) return 0;
    size_t from_end = k < points - 1 - k ? k : points - 1 - k;
    return from_end < s->block ? s->weight[from_end] : 1;
}

/* Q_ij, i < j, neither in the block of the far end together with the other */
static double above(const struct scheme *s, size_t i, size_t j)
{
    if (j < s->block) return s->upper[i * s->block - i * (i + 1) / 2 + j - i - 1];
    return j - i <= s->wide ? s->inside[j - i - 1] : 0;
}

static double entry(const struct scheme *s, size_t i, size_t j)
{
    if (i == j) return i == 0 ? -0.5 : 0;
    return i < j ? above(s, i, j) : -above(s, j, i);
}

size_t actio_sbp_row(int order, size_t points, size_t k, size_t *first, double *row)
{
    const struct scheme *s = scheme_for(order, points);
    if (!s || k >= points) return 0;
    bool far = k >= points - s->block; /* Q_(N-1-i, N-1-j) = -Q_ij */
    size_t i = far ? points - 1 - k : k;
    size_t from = i < s->block ? 0 : i - s->wide, end = i + s->wide + 1 > s->block ? i + s->wide + 1 : s->block;
    *first = far ? points - end : from;
    for (size_t j = from; j < end; j++) {
        if (far) row[end - 1 - j] = 0 - entry(s, i, j); /* no zero with a sign */
        else row[j - from] = entry(s, i, j);
    }
    return end - from;
}

void actio_sbp_element(int order, size_t points, double *x, double *H, double *Q)
{
    double steps = (double)(points - 1), row[ACTIO_SBP_WIDEST];
    assert(scheme_for(order, points));
    memset(Q, 0, points * points * sizeof *Q);
    for (size_t k = 0; k < points; k++) {
        size_t first = 0, length = actio_sbp_row(order, points, k, &first, row);
        x[k] = (double)k / steps;
        H[k] = actio_sbp_weight(order, points, k) / steps;
        memcpy(Q + k * points + first, row, length * sizeof *row);
    }
}

/* ---- pairs: hi + lo, |lo| <= ulp(hi) / 2; about 31 digits */

struct pair {
    double hi, lo;
};

static struct pair pair_of(double x) { return (struct pair){ x, 0 }; }

static struct pair sum(double a, double b)
{
    double s = a + b, c = s - a;
    return (struct pair){ s, (a - (s - c)) + (b - c) };
}

/* Halves of 26 bits, whose products are exact: no fused instruction, which not every machine has. */
static struct pair halves(double a)
{
    double c = 134217729.0 * a, hi = c - (c - a);
    return (struct pair){ hi, a - hi };
}

static struct pair sbp_product(double a, double b)
{
    double p = a * b;
    struct pair x = halves(a), y = halves(b);
    return (struct pair){ p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo };
}

static struct pair sbp_plus(struct pair a, struct pair b)
{
    struct pair s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
    s = sum(s.hi, s.lo + t.hi);
    return sum(s.hi, s.lo + t.lo);
}

static struct pair minus(struct pair a, struct pair b) { return sbp_plus(a, (struct pair){ -b.hi, -b.lo }); }

static struct pair sbp_times(struct pair a, struct pair b)
{
    struct pair p = sbp_product(a.hi, b.hi);
    return sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static struct pair sbp_scaled(double f, struct pair a) { return sbp_times(pair_of(f), a); }

static struct pair over(struct pair a, struct pair b)
{
    double q = a.hi / b.hi;
    struct pair rest = minus(a, sbp_scaled(q, b));
    double r = rest.hi / b.hi;
    rest = minus(rest, sbp_scaled(r, b));
    return sbp_plus(sum(q, r), pair_of(rest.hi / b.hi));
}

/* ---- Legendre-Gauss-Lobatto elements */

/* P_m(x) by the recurrence (k + 1) P_(k+1) = (2k + 1) x P_k - k P_(k-1), and P_(m-1)(x), m >= 1 */
static struct pair legendre(size_t m, struct pair x, struct pair *before)
{
    struct pair last = pair_of(1), P = x;
    for (size_t k = 1; k < m; k++) {
        struct pair next = minus(sbp_scaled((double)(2 * k + 1), sbp_times(x, P)), sbp_scaled((double)k, last));
        last = P;
        P = over(next, pair_of((double)(k + 1)));
    }
    *before = last;
    return P;
}

/* The zero of P_m' near x. (1 - x^2) P' = m (P_(m-1) - x P_m), (1 - x^2) P'' = 2 x P' - m (m + 1) P_m; the step itself
 * needs no more than a double. */
static struct pair zero_near(size_t m, struct pair x)
{
    enum { STEPS = 10 }; /* from three digits quadratic convergence needs four */
    double degree = (double)m;
    for (int i = 0; i < STEPS; i++) {
        struct pair before, P = legendre(m, x, &before);
        double slope = degree * minus(before, sbp_times(x, P)).hi,
               bend = 2 * x.hi * slope / ((1 - x.hi) * (1 + x.hi)) - degree * (degree + 1) * P.hi;
        x = minus(x, pair_of(slope / bend));
    }
    return x;
}

/* Nodes on [-1, 1] and the values of P_m there, m = points - 1. The left half is computed, the right half mirrored. */
static void lobatto(size_t points, struct pair *xi, struct pair *P)
{
    const double pi = 3.141592653589793;
    size_t m = points - 1;
    for (size_t k = 0; 2 * k <= m; k++) {
        struct pair before, x = pair_of(2 * k == m ? 0 : -cos(pi * (double)k / (double)m));
        x = k == 0 ? pair_of(-1) : 2 * k == m ? x : zero_near(m, x);
        struct pair value = legendre(m, x, &before);
        xi[k] = x;
        P[k] = value;
        if (2 * k == m) continue;
        xi[m - k] = (struct pair){ -x.hi, -x.lo };
        P[m - k] = m % 2 ? (struct pair){ -value.hi, -value.lo } : value;
    }
}

/* H_i = 1 / (m (m + 1) P_i^2) and D_ij = P_i / (P_j (xi_i - xi_j)): in Q = H D the two indices differ by a sign only.
 * */
void actio_lgl_element(size_t points, double *x, double *H, double *Q)
{
    struct pair xi[ACTIO_LGL_MOST], P[ACTIO_LGL_MOST];
    assert(points >= 2 && points <= ACTIO_LGL_MOST);
    double scale = (double)(points * (points - 1));
    lobatto(points, xi, P);
    for (size_t i = 0; i < points; i++) {
        x[i] = 0.5 * sbp_plus(pair_of(1), xi[i]).hi;
        H[i] = over(pair_of(1), sbp_scaled(scale, sbp_times(P[i], P[i]))).hi;
        Q[i * points + i] = i == 0 ? -0.5 : i + 1 == points ? 0.5 : 0;
        for (size_t j = 0; j < i; j++) {
            struct pair below = sbp_scaled(scale, sbp_times(sbp_times(P[i], P[j]), minus(xi[i], xi[j])));
            Q[i * points + j] = over(pair_of(2), below).hi;
            Q[j * points + i] = -Q[i * points + j];
        }
    }
}

/* ---- the Runge-Kutta matrix */

/* Square matrix of pairs in doubles */
struct square {
    size_t n;
    double *w;
};

static struct pair get(const struct square *s, size_t i, size_t j)
{
    const double *w = s->w + 2 * (i * s->n + j);
    return (struct pair){ w[0], w[1] };
}

static void sbp_put(const struct square *s, size_t i, size_t j, struct pair p)
{
    double *w = s->w + 2 * (i * s->n + j);
    w[0] = p.hi;
    w[1] = p.lo;
}

static void swap(const struct square *s, size_t a, size_t b, bool columns)
{
    for (size_t k = 0; a != b && k < s->n; k++) {
        size_t i = columns ? k : a, j = columns ? a : k, i2 = columns ? k : b, j2 = columns ? b : k;
        struct pair p = get(s, i, j);
        sbp_put(s, i, j, get(s, i2, j2));
        sbp_put(s, i2, j2, p);
    }
}

static size_t largest_below(const struct square *s, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < s->n; i++)
        if (fabs(get(s, i, k).hi) > fabs(get(s, best, k).hi)) best = i;
    return best;
}

/* row i -= factor * row k, the column k becoming one of the inverse */
static void clear(const struct square *s, size_t i, size_t k)
{
    struct pair factor = get(s, i, k);
    sbp_put(s, i, k, pair_of(0));
    if (factor.hi == 0) return;
    for (size_t j = 0; j < s->n; j++) sbp_put(s, i, j, minus(get(s, i, j), sbp_times(factor, get(s, k, j))));
}

/* In place, by Gauss and Jordan with exchanged rows; `exchanged` remembers n of them. */
static void sbp_invert(const struct square *s, double *exchanged)
{
    for (size_t k = 0; k < s->n; k++) {
        size_t p = largest_below(s, k);
        exchanged[k] = (double)p;
        swap(s, k, p, false);
        struct pair pivot = get(s, k, k);
        sbp_put(s, k, k, pair_of(1));
        for (size_t j = 0; j < s->n; j++) sbp_put(s, k, j, over(get(s, k, j), pivot));
        for (size_t i = 0; i < s->n; i++)
            if (i != k) clear(s, i, k);
    }
    for (size_t k = s->n; k-- > 0;) swap(s, k, (size_t)exchanged[k], true);
}

void actio_sbp_runge_kutta(size_t points, const double *H, const double *Q, double *A, double *work)
{
    const struct square s = { points, work };
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j < points; j++) sbp_put(&s, i, j, sum(Q[i * points + j], i + j == 0));
    sbp_invert(&s, A);
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j < points; j++) A[i * points + j] = sbp_scaled(H[j], get(&s, i, j)).hi;
    for (size_t i = 0; i < points; i++) A[i * points] = H[0]; /* (Q + E0) 1 = e_0 */
    memcpy(A + (points - 1) * points, H, points * sizeof *H); /* 1' (Q + E0) = e_(N-1)' */
}
