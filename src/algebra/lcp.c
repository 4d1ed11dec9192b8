/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/lcp.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12 };

/* Columns of a row of the tableau: w (n), z (n), the artificial variable, the right side. */
struct tableau {
    size_t n, cols;
    double *a;
    int *basis;
};

static double *row(const struct tableau *t, size_t i) { return t->a + i * t->cols; }
static size_t artificial(const struct tableau *t) { return 2 * t->n; }
static size_t right(const struct tableau *t) { return 2 * t->n + 1; }

static void lcp_fill(struct tableau *t, const double *M, const double *q)
{
    size_t n = t->n;
    memset(t->a, 0, n * t->cols * sizeof *t->a);
    for (size_t i = 0; i < n; i++) {
        double *r = row(t, i);
        r[i] = 1;
        for (size_t j = 0; j < n; j++) r[n + j] = -M[i * n + j];
        r[artificial(t)] = -1;
        r[right(t)] = q[i];
        t->basis[i] = (int)i;
    }
}

static void pivot(struct tableau *t, size_t at, size_t entering)
{
    double *p = row(t, at), inverse = 1 / p[entering];
    for (size_t j = 0; j < t->cols; j++) p[j] *= inverse;
    p[entering] = 1;
    for (size_t i = 0; i < t->n; i++) {
        double *r = row(t, i), factor = r[entering];
        if (i == at || factor == 0) continue;
        for (size_t j = 0; j < t->cols; j++) r[j] -= factor * p[j];
        r[entering] = 0;
    }
    t->basis[at] = (int)entering;
}

/* Is (right side, rows of the inverse) of a, over its pivot, lexicographically less than that of b? Ratios closer than
 * rounding are equal. */
static int less(const struct tableau *t, size_t a, size_t b, size_t entering)
{
    const double *x = row(t, a), *y = row(t, b);
    double px = x[entering], py = y[entering], d = x[right(t)] / px - y[right(t)] / py;
    if (fabs(d) > 1e-11 * (1 + fabs(x[right(t)] / px))) return d < 0;
    d = 0;
    for (size_t j = 0; fabs(d) <= 1e-11 && j < t->n; j++) d = x[j] / px - y[j] / py;
    return d < 0;
}

static size_t leaving_row(const struct tableau *t, size_t entering)
{
    size_t best = t->n;
    double largest = 0;
    for (size_t i = 0; i < t->n; i++) largest = fmax(largest, fabs(row(t, i)[entering]));
    for (size_t i = 0; i < t->n; i++) {
        if (!(row(t, i)[entering] > 1e-12 * largest)) continue;
        if (best == t->n || less(t, i, best, entering)) best = i;
    }
    if (best == t->n) return best;
    const double *b = row(t, best);
    for (size_t i = 0; i < t->n; i++) { /* among equals the artificial variable leaves: then it is done */
        const double *r = row(t, i);
        if ((size_t)t->basis[i] == artificial(t) && r[entering] > 1e-12 * largest
            && r[right(t)] / r[entering] <= b[right(t)] / b[entering] + 1e-11 * (1 + fabs(b[right(t)] / b[entering])))
            return i;
    }
    return best;
}

static void read_out(const struct tableau *t, double *z)
{
    size_t n = t->n;
    memset(z, 0, n * sizeof *z);
    for (size_t i = 0; i < n; i++)
        if ((size_t)t->basis[i] >= n && (size_t)t->basis[i] < 2 * n)
            z[(size_t)t->basis[i] - n] = fmax(0, row(t, i)[right(t)]);
}

/* How far z is from solving it. */
static double miss(size_t n, const double *M, const double *q, const double *z)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double w = q[i];
        for (size_t j = 0; j < n; j++) w += M[i * n + j] * z[j];
        worst = fmax(worst, fmax(-w, fmin(fabs(w), z[i])));
    }
    return worst;
}

/* One try with a covering vector; 0 when the artificial variable left. */
static int follow_path(struct tableau *t, const double *M, const double *q, unsigned seed)
{
    size_t n = t->n, first = 0;
    lcp_fill(t, M, q);
    for (size_t i = 0; i < n && seed; i++) {
        seed = seed * 1664525u + 1013904223u;
        row(t, i)[artificial(t)] = -1 - (double)(seed >> 8) / (double)(1 << 24);
    }
    for (size_t i = 1; i < n; i++)
        if (q[i] / row(t, i)[artificial(t)] > q[first] / row(t, first)[artificial(t)]) first = i;
    size_t left = (size_t)t->basis[first];
    pivot(t, first, artificial(t));
    for (size_t step = 0; left != artificial(t) && step < 100 * n + 100; step++) {
        size_t entering = left < n ? left + n : left - n, at = leaving_row(t, entering);
        if (at == n) return 1;
        left = (size_t)t->basis[at];
        pivot(t, at, entering);
    }
    return left != artificial(t);
}

int actio_lcp(size_t n, const double *M, const double *q, double *z, double *work, int *basis)
{
    struct tableau t = { n, 2 * n + 2, work, basis };
    double size = 0;
    size_t worst = 0;
    memset(z, 0, n * sizeof *z);
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(q[i]));
        if (q[i] < q[worst]) worst = i;
    }
    if (n == 0 || q[worst] >= -1e-15 * size) return 0;
    for (unsigned attempt = 0; attempt < TRIES; attempt++) { /* rounding may lead one path astray, hardly all */
        if (follow_path(&t, M, q, attempt)) continue;
        read_out(&t, z);
        if (miss(n, M, q, z) <= 1e-7 * size) return 0;
    }
    return 1;
}
