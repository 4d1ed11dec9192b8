/* SPDX-License-Identifier: Apache-2.0
 * All eigenvalues of a symmetric matrix of some hundreds of rows: reflections make it tridiagonal, and how many lie
 * below a number is read off the signs of its pivots there. Without vectors; Jacobi's rotations have them for small
 * matrices. */
#include "algebra/dense.h"

#include <float.h>
#include <math.h>

/* a := H a H for H = 1 - tau v v' on `count` rows of a (both halves), with p = tau a v and q = p - tau/2 (p.v) v: a - v
 * q' - q v'. */
static void reflect_both_sides(size_t count, double *a, size_t stride, const double *v, double tau, double *q)
{
    for (size_t i = 0; i < count; i++) q[i] = tau * actio_dot(count, a + i * stride, v);
    double half = 0.5 * tau * actio_dot(count, q, v);
    for (size_t i = 0; i < count; i++) q[i] -= half * v[i];
    for (size_t i = 0; i < count; i++) {
        double *row = a + i * stride, vi = v[i], qi = q[i];
        for (size_t j = 0; j < count; j++) row[j] -= vi * q[j] + qi * v[j];
    }
}

/* Diagonal d and what stands beside it, e[0 .. n-2]; a is destroyed. work: 2 n. 0, or 1: time is over. */
static int tridiagonalise(size_t n, double *a, double *d, double *e, double *work)
{
    double *v = work, *q = work + n;
    for (size_t k = 0; k + 1 < n; k++) {
        size_t left = n - k - 1;
        if (actio_gives_up(left * left)) return 1;
        for (size_t i = 0; i < left; i++) v[i] = a[k * n + k + 1 + i];
        double tau = left > 1 ? actio_reflector(left, v) : 0;
        d[k] = a[k * n + k];
        e[k] = v[0];
        v[0] = 1;
        if (tau != 0) reflect_both_sides(left, a + (k + 1) * n + k + 1, n, v, tau, q);
    }
    d[n - 1] = a[n * n - 1];
    return 0;
}

/* Eigenvalues below x: negative pivots of the matrix less x. A pivot that vanishes is taken for the smallest number
 * that does no harm. */
static size_t below(size_t n, const double *d, const double *e, double x, double tiny)
{
    size_t count = 0;
    double pivot = 1;
    for (size_t i = 0; i < n; i++) {
        pivot = d[i] - x - (i ? e[i - 1] * e[i - 1] / pivot : 0);
        if (fabs(pivot) < tiny) pivot = -tiny;
        count += pivot < 0;
    }
    return count;
}

/* Bisection between low and high, until they are neighbouring numbers. */
static double number(size_t n, const double *d, const double *e, size_t which, double low, double high, double tiny)
{
    for (;;) {
        double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high) || high - low <= DBL_EPSILON * (fabs(low) + fabs(high)) + tiny)
            return middle;
        if (below(n, d, e, middle, tiny) > which) high = middle;
        else low = middle;
    }
}

int actio_eigenvalues_symmetric(size_t n, double *a, double *w, double *work)
{
    double largest = 0, *d = work, *e = d + n;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) return 1;
        largest = fmax(largest, fabs(a[i]));
    }
    for (size_t i = 0; i < n; i++) w[i] = 0;
    if (largest == 0) return 0;
    double s = actio_scale_power(largest), bound = 0;
    for (size_t i = 0; i < n * n; i++) a[i] *= s;
    if (tridiagonalise(n, a, d, e, e + n)) return 1;
    /* Gershgorin's circles */
    for (size_t i = 0; i < n; i++)
        bound = fmax(bound, fabs(d[i]) + (i ? fabs(e[i - 1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0));
    double tiny = DBL_EPSILON * DBL_EPSILON * bound + DBL_MIN, low = -bound * (1 + 1e-12) - tiny;
    for (size_t i = 0; i < n && !actio_gives_up(60 * n); i++)
        w[i] = low = number(n, d, e, i, low - tiny, bound * (1 + 1e-12) + tiny, tiny);
    for (size_t i = 1; i < n; i++) w[i] = fmax(w[i], w[i - 1]);
    for (size_t i = 0; i < n; i++) w[i] /= s;
    return 0;
}
