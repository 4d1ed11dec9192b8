/* SPDX-License-Identifier: Apache-2.0
 * Dense LU with partial pivoting and Cholesky, row-major, in place. */
#include "algebra/dense.h"

#include <float.h>
#include <math.h>

/* Four partial sums: one fixed order that still fills the pipeline. */
double actio_dot(size_t n, const double *x, const double *y)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

double actio_scale_power(double largest)
{
    int e;
    if (!(largest > 0) || !isfinite(largest)) return 1;
    (void)frexp(largest, &e);
    return ldexp(1, e < -1000 ? 1000 : -e); /* the bound keeps scales of subnormal rows finite */
}

static void swap_rows(size_t n, double *a, size_t i, size_t j)
{
    if (i == j) return;
    double *x = a + i * n, *y = a + j * n;
    for (size_t k = 0; k < n; k++) {
        double t = x[k];
        x[k] = y[k];
        y[k] = t;
    }
}

/* Row of the largest entry of column k at or below the diagonal; n when one of them is not finite. */
static size_t pivot_row(size_t n, const double *a, size_t k)
{
    size_t best = k;
    double largest = -1;
    for (size_t i = k; i < n; i++) {
        double x = fabs(a[i * n + k]);
        if (!(x <= DBL_MAX)) return n;
        if (x > largest) {
            largest = x;
            best = i;
        }
    }
    return best;
}

/* Sum of |l_rj u_jk| over the steps done: times eps, the error of the candidate in row r. */
static double noise(size_t n, const double *a, size_t r, size_t k)
{
    double sum = 0;
    for (size_t j = 0; j < k; j++) sum += fabs(a[r * n + j] * a[j * n + k]);
    return sum;
}

/* b_i -= f b_j, rows of nrhs entries; they do not overlap */
static void subtract(size_t nrhs, double *restrict bi, double f, const double *restrict bj)
{
    for (size_t r = 0; r < nrhs; r++) bi[r] -= f * bj[r];
}

static void lu_eliminate(size_t n, double *a, size_t k)
{
    const double *top = a + k * n;
    for (size_t i = k + 1; i < n; i++) {
        double *row = a + i * n, l = row[k] /= top[k];
        if (l != 0) subtract(n - k - 1, row + k + 1, l, top + k + 1);
    }
}

int actio_lu_factor(size_t n, double *a, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        if (actio_gives_up(n * n)) return (int)k + 1;
        size_t p = pivot_row(n, a, k);
        if (p == n || fabs(a[p * n + k]) <= ACTIO_PIVOT_NOISE * noise(n, a, p, k)) return (int)k + 1;
        pivot[k] = (int)p;
        swap_rows(n, a, k, p);
        lu_eliminate(n, a, k);
    }
    return 0;
}

static void lu_divide(size_t nrhs, double *bi, double d)
{
    for (size_t r = 0; r < nrhs; r++) bi[r] /= d;
}

static void solve_plain(size_t n, const double *a, const int *pivot, double *b, size_t nrhs)
{
    for (size_t k = 0; k < n; k++) swap_rows(nrhs, b, k, (size_t)pivot[k]);
    for (size_t i = 1; i < n && !actio_gives_up(i * nrhs); i++)
        for (size_t j = 0; j < i; j++) subtract(nrhs, b + i * nrhs, a[i * n + j], b + j * nrhs);
    for (size_t i = n; i-- > 0 && !actio_gives_up((n - i) * nrhs);) {
        for (size_t j = i + 1; j < n; j++) subtract(nrhs, b + i * nrhs, a[i * n + j], b + j * nrhs);
        lu_divide(nrhs, b + i * nrhs, a[i * n + i]);
    }
}

static void solve_transposed(size_t n, const double *a, const int *pivot, double *b, size_t nrhs)
{
    for (size_t k = 0; k < n && !actio_gives_up((n - k) * nrhs); k++) {
        lu_divide(nrhs, b + k * nrhs, a[k * n + k]);
        for (size_t j = k + 1; j < n; j++) subtract(nrhs, b + j * nrhs, a[k * n + j], b + k * nrhs);
    }
    for (size_t k = n; k-- > 1 && !actio_gives_up(k * nrhs);)
        for (size_t j = 0; j < k; j++) subtract(nrhs, b + j * nrhs, a[k * n + j], b + k * nrhs);
    for (size_t k = n; k-- > 0;) swap_rows(nrhs, b, k, (size_t)pivot[k]);
}

/* One right-hand side: the inner loops run along rows of a. */
static void solve_one(size_t n, const double *a, const int *pivot, double *b)
{
    for (size_t k = 0; k < n; k++) swap_rows(1, b, k, (size_t)pivot[k]);
    for (size_t i = 1; i < n; i++) b[i] -= actio_dot(i, a + i * n, b);
    for (size_t i = n; i-- > 0;) b[i] = (b[i] - actio_dot(n - 1 - i, a + i * n + i + 1, b + i + 1)) / a[i * n + i];
}

static void solve_one_transposed(size_t n, const double *a, const int *pivot, double *b)
{
    for (size_t k = 0; k < n; k++) {
        b[k] /= a[k * n + k];
        subtract(n - 1 - k, b + k + 1, b[k], a + k * n + k + 1);
    }
    for (size_t k = n; k-- > 1;) subtract(k, b, b[k], a + k * n);
    for (size_t k = n; k-- > 0;) swap_rows(1, b, k, (size_t)pivot[k]);
}

void actio_lu_solve(size_t n, const double *a, const int *pivot, double *b, size_t nrhs, bool transposed)
{
    if (nrhs == 1) (transposed ? solve_one_transposed : solve_one)(n, a, pivot, b);
    else (transposed ? solve_transposed : solve_plain)(n, a, pivot, b, nrhs);
}

double actio_lu_pivot_ratio(size_t n, const double *a)
{
    double small = INFINITY, large = 0;
    for (size_t k = 0; k < n; k++) {
        double x = fabs(a[k * n + k]);
        small = fmin(small, x);
        large = fmax(large, x);
    }
    return n == 0 ? 1 : large > 0 ? small / large : 0;
}

int actio_cholesky_factor(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n;
        if (actio_gives_up(i * i)) return (int)i + 1;
        for (size_t j = 0; j < i; j++) row[j] = (row[j] - actio_dot(j, row, a + j * n)) / a[j * n + j];
        double sum = actio_dot(i, row, row), d = row[i] - sum;
        if (!(d > ACTIO_PIVOT_NOISE * sum && d <= DBL_MAX)) return (int)i + 1;
        row[i] = sqrt(d);
    }
    return 0;
}

static void cholesky_solve_one(size_t n, const double *a, double *b)
{
    for (size_t i = 0; i < n; i++) b[i] = (b[i] - actio_dot(i, a + i * n, b)) / a[i * n + i];
    for (size_t i = n; i-- > 0;) {
        b[i] /= a[i * n + i];
        subtract(i, b, b[i], a + i * n);
    }
}

void actio_cholesky_solve(size_t n, const double *a, double *b, size_t nrhs)
{
    if (nrhs == 1) {
        cholesky_solve_one(n, a, b);
        return;
    }
    for (size_t i = 0; i < n && !actio_gives_up(i * nrhs); i++) {
        for (size_t j = 0; j < i; j++) subtract(nrhs, b + i * nrhs, a[i * n + j], b + j * nrhs);
        lu_divide(nrhs, b + i * nrhs, a[i * n + i]);
    }
    for (size_t i = n; i-- > 0 && !actio_gives_up(i * nrhs);) {
        lu_divide(nrhs, b + i * nrhs, a[i * n + i]);
        for (size_t j = 0; j < i; j++) subtract(nrhs, b + j * nrhs, a[i * n + j], b + i * nrhs);
    }
}

int actio_cholesky_part(size_t n, size_t inner, double *a)
{
    for (size_t j = 0; j < inner; j++) {
        double pivot = a[j * n + j] - actio_dot(j, a + j * n, a + j * n);
        if (!(pivot > 0) || actio_gives_up((n - j) * j)) return 1;
        a[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++)
            a[i * n + j] = (a[i * n + j] - actio_dot(j, a + i * n, a + j * n)) / a[j * n + j];
    }
    for (size_t i = inner; i < n && !actio_gives_up((i - inner) * inner); i++)
        for (size_t j = inner; j <= i; j++) a[i * n + j] -= actio_dot(inner, a + i * n, a + j * n);
    return 0;
}

void actio_lower_solve(size_t count, size_t n, const double *a, double *x)
{
    for (size_t i = 0; i < count; i++) x[i] = (x[i] - actio_dot(i, a + i * n, x)) / a[i * n + i];
}

void actio_lower_solve_back(size_t count, size_t n, const double *a, double *x)
{
    for (size_t i = count; i-- > 0;) {
        x[i] /= a[i * n + i];
        for (size_t j = 0; j < i; j++) x[j] -= a[i * n + j] * x[i];
    }
}
