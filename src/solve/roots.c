/* SPDX-License-Identifier: Apache-2.0
 * All roots of a smooth function on an interval: Chebyshev interpolants on pieces that resolve it, isolation by bounds
 * on their coefficients (never by sampled signs), polishing on the function itself. */
#include "solve/march.h"

#include <float.h>
#include <math.h>

enum { DEGREE = ACTIO_ROOT_NODES - 1, PIECE_DEPTH = 8, SPLIT_DEPTH = 44, PATIENCE = 20000, SPLITS = 2000 };

/* cos(pi j / 12) */
static const double cosine[DEGREE + 1] = {
    1.0,
    0.9659258262890683,
    0.8660254037844386,
    0.7071067811865476,
    0.5,
    0.25881904510252074,
    0.0,
    -0.25881904510252074,
    -0.5,
    -0.7071067811865476,
    -0.8660254037844386,
    -0.9659258262890683,
    -1.0,
};

struct search {
    actio_scalar_fn f;
    void *user;
    double *root;
    size_t count, cap;
    size_t values;        /* of f, so far: noise must not be resolved for ever */
    bool touches;         /* double roots are requested, too */
    double lo, hi, touch; /* the piece, and how small a turning value counts as a touch */
    double c[DEGREE + 1]; /* its coefficients */
};

static double value(struct search *s, double t)
{
    s->values++;
    return s->f(s->user, t);
}

double actio_root_node(double a, double b, size_t k)
{
    if (k == 0) return a;
    if (k == DEGREE) return b;
    return 0.5 * (a + b) - 0.5 * (b - a) * cosine[k];
}

enum { HALF = DEGREE / 2 };
/* cos(j*turn) for the sums below: even coefficients from f(x) + f(-x), odd ones from f(x) - f(-x). */
static const unsigned char turns[DEGREE + 1][HALF + 1] = {
    { 0, 0, 0, 0, 0, 0, 0 },    { 0, 1, 2, 3, 4, 5, 6 },  { 0, 2, 4, 6, 8, 10, 12 }, { 0, 3, 6, 9, 12, 9, 6 },
    { 0, 4, 8, 12, 8, 4, 0 },   { 0, 5, 10, 9, 4, 1, 6 }, { 0, 6, 12, 6, 0, 6, 12 }, { 0, 7, 10, 3, 4, 11, 6 },
    { 0, 8, 8, 0, 8, 8, 0 },    { 0, 9, 6, 3, 12, 3, 6 }, { 0, 10, 4, 6, 8, 2, 12 }, { 0, 11, 2, 9, 4, 7, 6 },
    { 0, 12, 0, 12, 0, 12, 0 },
};

/* Coefficients of the interpolant from values at the nodes, first node at -1. */
static void coefficients(const double *f, size_t stride, double *c)
{
    double even[HALF + 1], odd[HALF + 1];
    for (size_t k = 0; k < HALF; k++) {
        double left = f[k * stride], right = f[(DEGREE - k) * stride], half = k == 0 ? 0.5 : 1;
        even[k] = half * (right + left);
        odd[k] = half * (right - left);
    }
    even[HALF] = f[HALF * stride];
    odd[HALF] = 0;
    for (int j = 0; j <= DEGREE; j++) {
        const double *part = j % 2 ? odd : even;
        double sum = 0;
        for (int k = 0; k <= HALF; k++) sum += part[k] * cosine[turns[j][k]];
        c[j] = sum * (j == 0 || j == DEGREE ? 1.0 : 2.0) / DEGREE;
    }
}

static double largest(const double *c)
{
    double most = 0;
    for (int j = 0; j <= DEGREE; j++) most = fmax(most, fabs(c[j]));
    return most;
}

/* Is |c0| larger than all the rest can be? Then the sum has the sign of c0 everywhere. */
static bool one_sign(const double *c, double slack)
{
    double rest = slack;
    for (int j = 1; j <= DEGREE; j++) rest += fabs(c[j]);
    return fabs(c[0]) > rest;
}

static double tail(const double *c) { return fabs(c[DEGREE]) + fabs(c[DEGREE - 1]); }
static bool resolved(const double *c) { return tail(c) <= 1e-9 * largest(c); }

/* No root, even if the last coefficients show only a thousandth of what is missing. A value that rests far from zero
 * with noise on it is settled here; resolving noise would take for ever. */
static bool free_of_roots(const double *c) { return one_sign(c, 1e-8 * largest(c) + 1000 * tail(c)); }

bool actio_root_free(const double *f, size_t stride)
{
    double c[DEGREE + 1];
    coefficients(f, stride, c);
    return free_of_roots(c);
}

static double clenshaw(const double *c, double x)
{
    double b1 = 0, b2 = 0;
    for (int j = DEGREE; j > 0; j--) {
        double b0 = 2 * x * b1 - b2 + c[j];
        b2 = b1;
        b1 = b0;
    }
    return x * b1 - b2 + c[0];
}

/* Coefficients on [lo, hi] within the piece. */
static void restrict_to(const double *c, double lo, double hi, double *out)
{
    double f[DEGREE + 1];
    for (int k = 0; k <= DEGREE; k++) f[k] = clenshaw(c, 0.5 * (lo + hi) - 0.5 * (hi - lo) * cosine[k]);
    coefficients(f, 1, out);
}

static void derivative(const double *c, double *d)
{
    double above[DEGREE + 3] = { 0 };
    for (int j = DEGREE; j > 0; j--) above[j - 1] = above[j + 1] + 2 * j * c[j];
    for (int j = 0; j <= DEGREE; j++) d[j] = j == 0 ? 0.5 * above[0] : above[j];
}

static double time_at(const struct search *s, double x)
{
    if (x <= -1) return s->lo;
    if (x >= 1) return s->hi;
    return 0.5 * (s->lo + s->hi) + 0.5 * (s->hi - s->lo) * x;
}

static void found(struct search *s, double t)
{
    double near = 4 * DBL_EPSILON * fabs(t);
    if (s->count && fabs(s->root[s->count - 1] - t) <= near) return;
    if (s->count < s->cap) s->root[s->count++] = t;
}

/* Bisection with a secant try in each turn (Illinois): always converges, to the last bits. */
static double roots_polish(struct search *s, double a, double fa, double b, double fb)
{
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (a + b), t = i % 3 == 2 ? middle : b - fb * ((b - a) / (fb - fa));
        if (middle == a || middle == b || fabs(b - a) <= 2 * DBL_EPSILON * fabs(b)) break;
        if (!(fmin(a, b) < t && t < fmax(a, b))) t = middle;
        double ft = value(s, t);
        if (ft == 0) return t;
        if ((ft > 0) == (fb > 0)) fa *= 0.5; /* the same end moves again: pull the secant over */
        else {
            a = b;
            fa = fb;
        }
        b = t;
        fb = ft;
    }
    return b;
}

/* f is monotone between two times. */
static void monotone(struct search *s, double a, double fa, double b, double fb)
{
    if (fa == 0) found(s, a);
    if ((fa < 0 && fb > 0) || (fa > 0 && fb < 0)) found(s, roots_polish(s, a, fa, b, fb));
    if (fb == 0) found(s, b);
}

/* The zero of a derivative that has one sign change on [-1, 1]. */
static double turning_point(const double *d)
{
    double lo = -1, hi = 1, first = clenshaw(d, -1);
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (lo + hi);
        if ((clenshaw(d, x) > 0) == (first > 0)) lo = x;
        else hi = x;
    }
    return 0.5 * (lo + hi);
}

/* Settles [lo, hi] of the piece when f has at most one turn there; false: split it. */
static bool roots_settle(struct search *s, double lo, double hi, bool force)
{
    double c[DEGREE + 1], d[DEGREE + 1], dd[DEGREE + 1];
    restrict_to(s->c, lo, hi, c);
    if (one_sign(c, s->touch)) return true;
    if (!s->touches && largest(c) <= 1e-4 * s->touch) force = true; /* nothing but rounding: its ends decide */
    derivative(c, d);
    derivative(d, dd);
    bool straight = one_sign(d, 0);
    if (!straight && !one_sign(dd, 0) && !force) return false;
    double a = time_at(s, lo), b = time_at(s, hi), fa = value(s, a), fb = value(s, b);
    if (straight || (clenshaw(d, -1) > 0) == (clenshaw(d, 1) > 0)) {
        monotone(s, a, fa, b, fb);
        return true;
    }
    double m = time_at(s, 0.5 * (lo + hi) + 0.5 * (hi - lo) * turning_point(d)), fm = value(s, m);
    bool through = (fa < 0) == (fb < 0) && fabs(fm) > 0 && (fm < 0) != (fa < 0);
    if (!through && fabs(fm) <= s->touch && (fa < 0) == (fb < 0)) {
        if (s->touches) found(s, m);
        return true;
    }
    monotone(s, a, fa, m, fm);
    monotone(s, m, fm, b, fb);
    return true;
}

/* Isolates the roots of one piece, left to right. */
static void isolate(struct search *s)
{
    double lo[SPLIT_DEPTH + 2] = { -1 }, hi[SPLIT_DEPTH + 2] = { 1 };
    int depth = 1, splits = 0;
    while (depth > 0 && s->count < s->cap) {
        double a = lo[depth - 1], b = hi[depth - 1], m = 0.5 * (a + b);
        depth--;
        if (roots_settle(s, a, b, depth >= SPLIT_DEPTH || b - a < 1e-12 || s->values > PATIENCE || ++splits > SPLITS))
            continue;
        lo[depth] = m;
        hi[depth] = b;
        depth++;
        lo[depth] = a;
        hi[depth] = m;
        depth++;
    }
}

/* ---- polynomials of low degree: flights between walls */

enum { LOW = 6, STACK = 64 };

static double horner(const double *p, int n, double x)
{
    double sum = p[n];
    for (int j = n - 1; j >= 0; j--) sum = sum * x + p[j];
    return sum;
}

/* Powers from Chebyshev coefficients: T_k by its recurrence. */
static void to_powers(const double *c, int n, double *p)
{
    double before[LOW + 1] = { 1 }, now[LOW + 1] = { 0, 1 }, next[LOW + 1];
    for (int j = 0; j <= n; j++) p[j] = j == 0 ? c[0] : 0;
    for (int k = 1; k <= n; k++) {
        for (int j = 0; j <= n; j++) p[j] += c[k] * now[j];
        for (int j = 0; j <= n; j++) {
            next[j] = 2 * (j ? now[j - 1] : 0) - before[j];
            before[j] = now[j];
        }
        for (int j = 0; j <= n; j++) now[j] = next[j];
    }
}

/* Bernstein's coefficients on [0, 1] from powers of x = 2 s - 1. */
static void to_bernstein(const double *p, int n, double *b)
{
    static const double choose[LOW + 1][LOW + 1] = { { 1 },
                                                     { 1, 1 },
                                                     { 1, 2, 1 },
                                                     { 1, 3, 3, 1 },
                                                     { 1, 4, 6, 4, 1 },
                                                     { 1, 5, 10, 10, 5, 1 },
                                                     { 1, 6, 15, 20, 15, 6, 1 } };
    double a[LOW + 1]; /* powers of s: p(2 s - 1), by Horner's scheme on polynomials */
    for (int j = 0; j <= n; j++) a[j] = 0;
    for (int k = n; k >= 0; k--) {
        for (int j = n; j >= 0; j--) a[j] = -a[j] + (j ? 2 * a[j - 1] : 0);
        a[0] += p[k];
    }
    for (int i = 0; i <= n; i++) {
        b[i] = 0;
        for (int j = 0; j <= i; j++) b[i] += choose[i][j] / choose[n][j] * a[j];
    }
}

static int sign_changes(const double *b, int n, double nothing)
{
    int changes = 0, last = 0;
    for (int i = 0; i <= n; i++) {
        int sign = fabs(b[i]) <= nothing ? 0 : b[i] > 0 ? 1 : -1;
        if (sign == 0) return 2; /* too close to decide: split, or leave it to others */
        changes += last && sign != last;
        last = sign;
    }
    return changes;
}

/* The root of p on [lo, hi], then on f itself by the slope of p. */
static double polish_low(struct search *s, const double *p, int n, double lo, double hi)
{
    double flo = horner(p, n, lo), x = 0.5 * (lo + hi), d[LOW + 1];
    for (int j = 1; j <= n; j++) d[j - 1] = j * p[j];
    for (int i = 0; i < 60; i++) {
        double fx = horner(p, n, x), next = x - fx / horner(d, n - 1, x);
        if ((fx > 0) == (flo > 0)) lo = x;
        else hi = x;
        if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
        bool there = fabs(next - x) <= 1e-15 * (1 + fabs(x));
        x = next;
        if (there) break;
    }
    double half = 0.5 * (s->hi - s->lo), t = time_at(s, x), slope = horner(d, n - 1, x) / half;
    for (int i = 0; i < 2 && slope != 0; i++) {
        double shift = value(s, t) / slope;
        if (!(fabs(shift) <= 1e-8 * fabs(half))) break;
        t -= shift;
        if (fabs(shift) <= DBL_EPSILON * fabs(t)) break;
    }
    return t;
}

/* Roots of a piece that is a polynomial of low degree to rounding, by the signs of its Bernstein coefficients: none,
 * one, or split it. False: it is not such a piece, or two roots are too close together for this; nothing was found
 * then. */
static bool few_coefficients(struct search *s)
{
    struct {
        double b[LOW + 1], lo, hi;
    } stack[STACK];
    double p[LOW + 1], noise = 1e-13 * largest(s->c), rest = 0;
    size_t before = s->count;
    int top = 1;
    for (int j = LOW + 1; j <= DEGREE; j++) rest = fmax(rest, fabs(s->c[j]));
    if (rest > noise) return false;
    to_powers(s->c, LOW, p);
    to_bernstein(p, LOW, stack[0].b);
    stack[0].lo = -1;
    stack[0].hi = 1;
    while (top > 0) {
        double *b = stack[--top].b, lo = stack[top].lo, hi = stack[top].hi, middle = 0.5 * (lo + hi);
        int changes = sign_changes(b, LOW, noise);
        if (changes == 0) continue;
        if (changes == 1) {
            found(s, polish_low(s, p, LOW, lo, hi));
            continue;
        }
        if (top + 2 > STACK || hi - lo < 1e-5) {
            s->count = before;
            return false;
        }
        double left[LOW + 1];
        for (int i = 0; i <= LOW; i++) { /* de Casteljau: the right half stays in place */
            left[i] = b[0];
            for (int j = 0; j < LOW - i; j++) b[j] = 0.5 * (b[j] + b[j + 1]);
        }
        stack[top].lo = middle;
        stack[top].hi = hi;
        top++;
        for (int i = 0; i <= LOW; i++) stack[top].b[i] = left[i];
        stack[top].lo = lo;
        stack[top].hi = middle;
        top++;
    }
    return true;
}

/* Takes values on [lo, hi]; false when the interpolant does not represent f well enough. */
static bool interpolate(struct search *s, double lo, double hi, const double *sample, size_t stride)
{
    double f[DEGREE + 1];
    for (size_t k = 0; !sample && k <= DEGREE; k++) f[k] = value(s, actio_root_node(lo, hi, k));
    coefficients(sample ? sample : f, sample ? stride : 1, s->c);
    s->lo = lo;
    s->hi = hi;
    s->touch = 1e-9 * largest(s->c);
    return resolved(s->c);
}

size_t actio_roots(actio_scalar_fn f, void *user, double a, double b, double *root, size_t cap)
{
    return actio_roots_from(f, user, a, b, NULL, 1, true, root, cap);
}

size_t actio_roots_from(actio_scalar_fn f, void *user, double a, double b, const double *sample, size_t stride,
                        bool touches, double *root, size_t cap)
{
    struct search s = { .f = f, .user = user, .root = root, .cap = cap, .touches = touches };
    double lo[PIECE_DEPTH + 2] = { a }, hi[PIECE_DEPTH + 2] = { b };
    int depth[PIECE_DEPTH + 2] = { 0 }, top = 1;
    while (top > 0 && s.count < cap) {
        double from = lo[--top], to = hi[top], middle = 0.5 * (from + to);
        int level = depth[top];
        bool good = interpolate(&s, from, to, level == 0 ? sample : NULL, stride);
        if (s.touch == 0 || free_of_roots(s.c)) continue; /* zero throughout: nothing crosses */
        if (good || level == PIECE_DEPTH || s.values > PATIENCE) {
            if (!few_coefficients(&s)) isolate(&s);
            continue;
        }
        lo[top] = middle;
        hi[top] = to;
        depth[top++] = level + 1;
        lo[top] = from;
        hi[top] = middle;
        depth[top++] = level + 1;
    }
    return s.count;
}

double actio_minimum(actio_scalar_fn f, void *user, double a, double b, double *at)
{
    enum { SAMPLES = 32 };
    const double golden = 0.6180339887498949;
    double best = f(user, a), lo = a, hi = b;
    *at = a;
    for (int k = 1; k <= SAMPLES; k++) {
        double t = k == SAMPLES ? b : a + (b - a) * k / SAMPLES, v = f(user, t);
        if (v < best) {
            best = v;
            *at = t;
        }
    }
    double width = (b - a) / SAMPLES;
    lo = *at == a ? a : *at - width;
    hi = *at == b ? b : *at + width;
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo), fx = f(user, x), fy = f(user, y);
    for (int i = 0; i < 90 && fabs(hi - lo) > 4 * DBL_EPSILON * fabs(hi); i++) {
        if (fx <= fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = f(user, x);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = f(user, y);
        }
        if (fx < best) {
            best = fx;
            *at = x;
        }
        if (fy < best) {
            best = fy;
            *at = y;
        }
    }
    return best;
}
