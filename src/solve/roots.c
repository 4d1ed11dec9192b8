/* SPDX-License-Identifier: Apache-2.0
 * All roots of a smooth function on an interval: Chebyshev interpolants on pieces that resolve it, isolation by bounds on
 * their coefficients (never by sampled signs), polishing on the function itself. */
#include "solve/march.h"

#include <float.h>
#include <math.h>

enum { DEGREE = ACTIO_ROOT_NODES - 1, PIECE_DEPTH = 8, SPLIT_DEPTH = 44 };

/* cos(pi j / 12) */
static const double cosine[DEGREE + 1] = {
    1.0, 0.9659258262890683, 0.8660254037844386, 0.7071067811865476, 0.5, 0.25881904510252074, 0.0,
    -0.25881904510252074, -0.5, -0.7071067811865476, -0.8660254037844386, -0.9659258262890683, -1.0,
};

struct search {
    actio_scalar_fn f;
    void *user;
    double *root;
    size_t count, cap;
    double lo, hi, touch;                                  /* the piece, and how small a turning value counts as a touch */
    double c[DEGREE + 1];                                  /* its coefficients */
};

static double value(struct search *s, double t) { return s->f(s->user, t); }

double actio_root_node(double a, double b, size_t k)
{
    if (k == 0) return a;
    if (k == DEGREE) return b;
    return 0.5 * (a + b) - 0.5 * (b - a) * cosine[k];
}

/* Coefficients of the interpolant from values at the nodes, first node at -1. */
static void coefficients(const double *f, size_t stride, double *c)
{
    for (int j = 0; j <= DEGREE; j++) {
        double sum = 0;
        for (int k = 0; k <= DEGREE; k++) {
            int turn = j * (DEGREE - k) % (2 * DEGREE);
            double term = f[(size_t)k * stride] * cosine[turn <= DEGREE ? turn : 2 * DEGREE - turn];
            sum += k == 0 || k == DEGREE ? 0.5 * term : term;
        }
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

/* No root, even if the last coefficients show only a thousandth of what is missing. A value that rests far from zero with
 * noise on it is settled here; resolving noise would take for ever. */
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
static double polish(struct search *s, double a, double fa, double b, double fb)
{
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (a + b), t = i % 3 == 2 ? middle : b - fb * ((b - a) / (fb - fa));
        if (middle == a || middle == b || fabs(b - a) <= 2 * DBL_EPSILON * fabs(b)) break;
        if (!(fmin(a, b) < t && t < fmax(a, b))) t = middle;
        double ft = value(s, t);
        if (ft == 0) return t;
        if ((ft > 0) == (fb > 0)) fa *= 0.5;               /* the same end moves again: pull the secant over */
        else a = b, fa = fb;
        b = t;
        fb = ft;
    }
    return b;
}

/* f is monotone between two times. */
static void monotone(struct search *s, double a, double fa, double b, double fb)
{
    if (fa == 0) found(s, a);
    if ((fa < 0 && fb > 0) || (fa > 0 && fb < 0)) found(s, polish(s, a, fa, b, fb));
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
static bool settle(struct search *s, double lo, double hi, bool force)
{
    double c[DEGREE + 1], d[DEGREE + 1], dd[DEGREE + 1];
    restrict_to(s->c, lo, hi, c);
    if (one_sign(c, s->touch)) return true;
    derivative(c, d);
    derivative(d, dd);
    bool straight = one_sign(d, 0);
    if (!straight && !one_sign(dd, 0) && !force) return false;
    double a = time_at(s, lo), b = time_at(s, hi), fa = value(s, a), fb = value(s, b);
    if (straight || (clenshaw(d, -1) > 0) == (clenshaw(d, 1) > 0)) return monotone(s, a, fa, b, fb), true;
    double m = time_at(s, 0.5 * (lo + hi) + 0.5 * (hi - lo) * turning_point(d)), fm = value(s, m);
    bool through = (fa < 0) == (fb < 0) && fabs(fm) > 0 && (fm < 0) != (fa < 0);
    if (!through && fabs(fm) <= s->touch && (fa < 0) == (fb < 0)) return found(s, m), true;
    monotone(s, a, fa, m, fm);
    monotone(s, m, fm, b, fb);
    return true;
}

/* Isolates the roots of one piece, left to right. */
static void isolate(struct search *s)
{
    double lo[SPLIT_DEPTH + 2] = { -1 }, hi[SPLIT_DEPTH + 2] = { 1 };
    int depth = 1;
    while (depth > 0 && s->count < s->cap) {
        double a = lo[depth - 1], b = hi[depth - 1], m = 0.5 * (a + b);
        depth--;
        if (settle(s, a, b, depth >= SPLIT_DEPTH || b - a < 1e-12)) continue;
        lo[depth] = m, hi[depth] = b, depth++;
        lo[depth] = a, hi[depth] = m, depth++;
    }
}

/* Takes values on [lo, hi]; false when the interpolant does not represent f well enough. */
static bool interpolate(struct search *s, double lo, double hi)
{
    double f[DEGREE + 1];
    for (size_t k = 0; k <= DEGREE; k++) f[k] = value(s, actio_root_node(lo, hi, k));
    coefficients(f, 1, s->c);
    s->lo = lo;
    s->hi = hi;
    s->touch = 1e-9 * largest(s->c);
    return resolved(s->c);
}

size_t actio_roots(actio_scalar_fn f, void *user, double a, double b, double *root, size_t cap)
{
    struct search s = { .f = f, .user = user, .root = root, .cap = cap };
    double lo[PIECE_DEPTH + 2] = { a }, hi[PIECE_DEPTH + 2] = { b };
    int depth[PIECE_DEPTH + 2] = { 0 }, top = 1;
    while (top > 0 && s.count < cap) {
        double from = lo[--top], to = hi[top], middle = 0.5 * (from + to);
        int level = depth[top];
        bool good = interpolate(&s, from, to);
        if (s.touch == 0 || free_of_roots(s.c)) continue;  /* zero throughout: nothing crosses */
        if (good || level == PIECE_DEPTH) {
            isolate(&s);
            continue;
        }
        lo[top] = middle, hi[top] = to, depth[top++] = level + 1;
        lo[top] = from, hi[top] = middle, depth[top++] = level + 1;
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
        if (v < best) best = v, *at = t;
    }
    double width = (b - a) / SAMPLES;
    lo = *at == a ? a : *at - width;
    hi = *at == b ? b : *at + width;
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo), fx = f(user, x), fy = f(user, y);
    for (int i = 0; i < 90 && fabs(hi - lo) > 4 * DBL_EPSILON * fabs(hi); i++) {
        if (fx <= fy) hi = y, y = x, fy = fx, x = hi - golden * (hi - lo), fx = f(user, x);
        else lo = x, x = y, fx = fy, y = lo + golden * (hi - lo), fy = f(user, y);
        if (fx < best) best = fx, *at = x;
        if (fy < best) best = fy, *at = y;
    }
    return best;
}
