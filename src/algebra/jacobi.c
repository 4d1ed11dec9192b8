/* SPDX-License-Identifier: Apache-2.0
 * Jacobi rotations: singular values (one-sided) and symmetric eigenvalues (cyclic). Slow but exact: for small matrices
 * and checks. */
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60 };

/* (x, y) := (c x - s y, s x + c y) */
static void rotate(size_t n, double *x, double *y, size_t step, double c, double s)
{
    for (size_t i = 0; i < n * step; i += step) {
        double t = x[i];
        x[i] = c * t - s * y[i];
        y[i] = s * t + c * y[i];
    }
}

/* Cosine and sine of the small angle that makes (a, g; g, b) diagonal; returns the tangent. */
static double angle(double a, double b, double g, double *c, double *s)
{
    double theta = (b - a) / (2 * g);
    double t = isfinite(theta * theta) ? copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta)) : 1 / (2 * theta);
    *c = 1 / sqrt(1 + t * t);
    *s = t * *c;
    return t;
}

/* Rows of w (k x m) made orthogonal to each other, v (k x k) turned along; 0 when they are. */
static int orthogonalise(size_t k, size_t m, double *w, double *v)
{
    double tol = DBL_EPSILON * sqrt((double)m), c, s;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool turned = false;
        for (size_t p = 0; p < k; p++)
            for (size_t q = p + 1; q < k; q++) {
                if (q == p + 1 && k * m > 5000 && actio_abandon()) return 1;
                double *x = w + p * m, *y = w + q * m;
                double a = actio_dot(m, x, x), b = actio_dot(m, y, y), g = actio_dot(m, x, y);
                if (!(fabs(g) > tol * sqrt(a) * sqrt(b) && fabs(g) > DBL_MIN)) continue;
                angle(a, b, g, &c, &s);
                rotate(m, x, y, 1, c, s);
                rotate(k, v + p * k, v + q * k, 1, c, s);
                turned = true;
            }
        if (!turned) return 0;
    }
    return 1;
}

static void swap_rows(size_t n, double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* Descending; equal ones keep an order that depends on the input only. */
static void sort_descending(size_t k, size_t m, double *sigma, double *w, double *v)
{
    for (size_t i = 0; i < k; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < k; j++)
            if (sigma[j] > sigma[best]) best = j;
        if (best == i) continue;
        swap_rows(1, sigma + i, sigma + best);
        swap_rows(m, w + i * m, w + best * m);
        swap_rows(k, v + i * k, v + best * k);
    }
}

/* Row i of w becomes a unit vector orthogonal to the rows before it: the best of the coordinate axes, cleaned twice. */
static void complete_row(size_t m, double *w, size_t i)
{
    double *x = w + i * m, least = INFINITY;
    size_t axis = 0;
    for (size_t j = 0; j < m; j++) {
        double used = 0;
        for (size_t r = 0; r < i; r++) used += w[r * m + j] * w[r * m + j];
        if (used < least) {
            least = used;
            axis = j;
        }
    }
    memset(x, 0, m * sizeof *x);
    x[axis] = 1;
    for (size_t twice = 0; twice < 2; twice++)
        for (size_t r = 0; r < i; r++) {
            double f = actio_dot(m, x, w + r * m);
            for (size_t j = 0; j < m; j++) x[j] -= f * w[r * m + j];
        }
    double length = actio_norm(m, x);
    for (size_t j = 0; j < m; j++) x[j] /= length;
}

static void transpose_out(size_t k, size_t m, const double *rows, double *out)
{
    for (size_t i = 0; out && i < k; i++)
        for (size_t j = 0; j < m; j++) out[j * k + i] = rows[i * m + j];
}

int actio_svd(size_t m, size_t n, const double *a, double *sigma, double *u, double *v, double *work)
{
    /* the k shorter-side vectors lie in rows of w; for m < n they are the rows of a, and u and v change places */
    size_t k = m < n ? m : n, len = m < n ? n : m;
    double *w = work, *turn = work + k * len, largest = 0;
    for (size_t i = 0; i < m * n; i++) {
        if (!isfinite(a[i])) return 1;
        largest = fmax(largest, fabs(a[i]));
    }
    double s = actio_scale_power(largest);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < len; j++) w[i * len + j] = s * (m < n ? a[i * n + j] : a[j * n + i]);
    memset(turn, 0, k * k * sizeof *turn);
    for (size_t i = 0; i < k; i++) turn[i * k + i] = 1;
    int bad = orthogonalise(k, len, w, turn);
    for (size_t i = 0; i < k; i++) sigma[i] = actio_norm(len, w + i * len);
    sort_descending(k, len, sigma, w, turn);
    for (size_t i = 0; i < k; i++) {
        if (sigma[i] <= DBL_MIN / DBL_EPSILON) complete_row(len, w, i);
        else
            for (size_t j = 0; j < len; j++) w[i * len + j] /= sigma[i];
        sigma[i] /= s;
    }
    transpose_out(k, len, w, m < n ? v : u);
    transpose_out(k, k, turn, m < n ? u : v);
    return bad;
}

/* Turn the plane (p, q) so that a_pq vanishes. */
static void turn_plane(size_t n, double *a, double *vectors, size_t p, size_t q)
{
    double c, s, g = a[p * n + q], t = angle(a[p * n + p], a[q * n + q], g, &c, &s);
    double app = a[p * n + p] - t * g, aqq = a[q * n + q] + t * g;
    rotate(n, a + p * n, a + q * n, 1, c, s);
    rotate(n, a + p, a + q, n, c, s);
    a[p * n + p] = app;
    a[q * n + q] = aqq;
    a[p * n + q] = a[q * n + p] = 0;
    if (vectors) rotate(n, vectors + p, vectors + q, n, c, s);
}

/* True when adding a_pq would change neither diagonal entry, a hundred times over. */
static bool negligible(size_t n, const double *a, size_t p, size_t q)
{
    double g = 100 * fabs(a[p * n + q]), x = fabs(a[p * n + p]), y = fabs(a[q * n + q]);
    return x + g == x && y + g == y;
}

static int diagonalise(size_t n, double *a, double *vectors)
{
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool turned = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0 || negligible(n, a, p, q)) continue;
                turn_plane(n, a, vectors, p, q);
                turned = true;
            }
        if (!turned) return 0;
    }
    return 1;
}

static void sort_ascending(size_t n, double *w, double *vectors)
{
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < n; j++)
            if (w[j] < w[best]) best = j;
        swap_rows(best != i, w + i, w + best);
        for (size_t r = 0; vectors && best != i && r < n; r++)
            swap_rows(1, vectors + r * n + i, vectors + r * n + best);
    }
}

int actio_eigen_symmetric(size_t n, double *a, double *w, double *vectors)
{
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) return 1;
        largest = fmax(largest, fabs(a[i]));
    }
    double s = actio_scale_power(largest);
    for (size_t i = 0; i < n * n; i++) a[i] *= s;
    if (vectors) {
        memset(vectors, 0, n * n * sizeof *vectors);
        for (size_t i = 0; i < n; i++) vectors[i * n + i] = 1;
    }
    int bad = diagonalise(n, a, vectors);
    for (size_t i = 0; i < n; i++) w[i] = a[i * n + i] / s;
    sort_ascending(n, w, vectors);
    return bad;
}
