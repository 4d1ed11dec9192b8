/* SPDX-License-Identifier: Apache-2.0
 * Householder QR with column pivoting and what rests on it: rank, row and null spaces, minimum-norm solutions. */
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double largest_scale(size_t n, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return actio_scale_power(largest);
}

double actio_norm(size_t n, const double *x)
{
    double sum = 0, s = largest_scale(n, x);
    for (size_t i = 0; i < n; i++) sum += (s * x[i]) * (s * x[i]);
    return isfinite(sum) ? sqrt(sum) / s : INFINITY;
}

void actio_row_scales(size_t m, size_t n, const double *a, double *s)
{
    double largest = 0;
    for (size_t i = 0; i < m; i++) {
        s[i] = actio_norm(n, a + i * n);
        largest = fmax(largest, s[i]);
    }
    for (size_t i = 0; i < m; i++) {
        if (s[i] <= 8 * DBL_EPSILON * largest) s[i] = largest;
        s[i] = s[i] > 0 && isfinite(1 / s[i]) ? 1 / s[i] : 1;
    }
}

double actio_reflector(size_t count, double *x)
{
    double tail = actio_norm(count - 1, x + 1);
    if (tail == 0) return 0;
    double beta = -copysign(hypot(x[0], tail), x[0]), f = x[0] - beta, tau = -f / beta;
    for (size_t i = 1; i < count; i++) x[i] /= f;
    x[0] = beta;
    return tau;
}

void actio_reflect(size_t count, size_t cols, double *a, size_t stride, const double *v, double tau, double *w)
{
    if (tau == 0) return;
    memcpy(w, a, cols * sizeof *w);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < cols; j++) w[j] += v[i] * a[i * stride + j];
    for (size_t j = 0; j < cols; j++) a[j] -= tau * w[j];
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < cols; j++) a[i * stride + j] -= tau * v[i] * w[j];
}

/* Squared length of each column from row k on, times s^2; returns the first of the longest. Afresh each time:
 * downdating loses digits. */
static size_t longest_column(size_t m, size_t n, const double *a, size_t k, double s, double *length)
{
    size_t best = k;
    memset(length, 0, n * sizeof *length);
    for (size_t i = k; i < m; i++)
        for (size_t j = k; j < n; j++) length[j] += (s * a[i * n + j]) * (s * a[i * n + j]);
    for (size_t j = k + 1; j < n; j++)
        if (length[j] > length[best]) best = j;
    return best;
}

static void swap_columns(size_t m, size_t n, double *a, int *jpvt, size_t k, size_t p)
{
    if (k == p) return;
    for (size_t i = 0; i < m; i++) {
        double t = a[i * n + k];
        a[i * n + k] = a[i * n + p];
        a[i * n + p] = t;
    }
    int t = jpvt[k];
    jpvt[k] = jpvt[p];
    jpvt[p] = t;
}

/* Reflection k of an m x n matrix: column k is taken out into v, reflected, put back and applied to the columns after
 * it. */
static double annihilate(size_t m, size_t n, double *a, size_t k, double *v, double *w)
{
    size_t count = m - k;
    for (size_t i = 0; i < count; i++) v[i] = a[(k + i) * n + k];
    double tau = actio_reflector(count, v);
    for (size_t i = 0; i < count; i++) a[(k + i) * n + k] = v[i];
    if (k + 1 < n) actio_reflect(count, n - k - 1, a + k * n + k + 1, n, v, tau, w);
    return tau;
}

static bool gives_up(size_t m, size_t n) { return actio_gives_up(m * n); }

size_t actio_qrcp(size_t m, size_t n, double *a, double *tau, int *jpvt, double tol, double *work)
{
    double *length = work, *w = work + n, *v = work + 2 * n, first = 0;
    size_t steps = m < n ? m : n, k;
    double s = largest_scale(m * n, a);
    for (size_t j = 0; j < n; j++) jpvt[j] = (int)j;
    for (k = 0; k < steps && !gives_up(m, n); k++) {
        size_t p = longest_column(m, n, a, k, s, length);
        double r = sqrt(length[p]); /* will be s |R_kk| */
        if (k == 0) first = r;
        if (!(r > tol * first && r <= DBL_MAX)) break;
        swap_columns(m, n, a, jpvt, k, p);
        tau[k] = annihilate(m, n, a, k, v, w);
    }
    for (size_t i = k; i < steps; i++) tau[i] = 0;
    return k;
}

/* b := H_0 H_1 .. b (forth) or .. H_1 H_0 b (back), the reflections of column 0..r-1 in the m x n matrix a; b has
 * `cols` columns; v: m, w: cols */
static void apply_reflections(size_t m, size_t n, const double *a, const double *tau, size_t r, bool back, double *b,
                              size_t cols, double *v, double *w)
{
    for (size_t s = 0; s < r && !gives_up(m, cols); s++) {
        size_t k = back ? s : r - 1 - s;
        for (size_t i = 1; i < m - k; i++) v[i] = a[(k + i) * n + k];
        actio_reflect(m - k, cols, b + k * cols, cols, v, tau[k], w);
    }
}

static void scale_rows(bool even, size_t m, size_t n, const double *a, double *scale)
{
    if (even) actio_row_scales(m, n, a, scale);
    for (size_t i = 0; !even && i < m; i++) scale[i] = 1;
}

static size_t bases(bool even, size_t m, size_t n, const double *a, double tol, double *basis, double *work, int *iwork)
{
    double *t = work, *scale = t + m * n, *tau = scale + m, *rest = tau + (m < n ? m : n);
    scale_rows(even, m, n, a, scale);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) t[j * m + i] = scale[i] * a[i * n + j];
    size_t rank = actio_qrcp(n, m, t, tau, iwork, tol, rest);
    memset(basis, 0, n * n * sizeof *basis);
    for (size_t i = 0; i < n; i++) basis[i * n + i] = 1;
    apply_reflections(n, m, t, tau, rank, true, basis, n, rest, rest + n); /* Q' : its rows are the columns of Q */
    return rank;
}

size_t actio_row_bases(size_t m, size_t n, double *a, double tol, double *basis, double *work, int *iwork)
{
    return bases(true, m, n, a, tol, basis, work, iwork);
}

size_t actio_row_bases_as_is(size_t m, size_t n, const double *a, double tol, double *basis, double *work, int *iwork)
{
    return bases(false, m, n, a, tol, basis, work, iwork);
}

/* A = S^-1 Q (R 0) P', R' = Z T: the complete orthogonal decomposition, everything kept where it arose. */
struct decomposition {
    size_t m, n, rank;
    double *q, *z, *scale, *tau_q, *tau_z, *c, *v;
    int *jpvt;
};

static void decompose(bool even, struct decomposition *d, size_t m, size_t n, double *a, double tol, double *work,
                      int *iwork)
{
    size_t least = m < n ? m : n;
    *d = (struct decomposition){ .m = m, .n = n, .q = a, .z = work, .scale = work + n * n, .jpvt = iwork };
    d->tau_q = d->scale + m;
    d->tau_z = d->tau_q + least;
    d->c = d->tau_z + least;       /* m + n - least, room for a right-hand side or a solution */
    d->v = d->c + (m + n - least); /* 2 n + m */
    scale_rows(even, m, n, a, d->scale);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) a[i * n + j] *= d->scale[i];
    size_t r = d->rank = actio_qrcp(m, n, a, d->tau_q, iwork, tol, d->v);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < n; j++) d->z[j * r + i] = j < i ? 0 : a[i * n + j];
    for (size_t k = 0; k < r; k++) d->tau_z[k] = gives_up(n, r) ? 0 : annihilate(n, r, d->z, k, d->v, d->v + n);
}

/* x = P Z T'^-1 (Q' S b)_1..r; b is read with a step, and x written with one, so that columns serve as well as vectors
 * */
static void decomposition_solve(const struct decomposition *d, const double *b, size_t b_step, double *x, size_t x_step)
{
    size_t r = d->rank;
    double *c = d->c;
    for (size_t i = 0; i < d->m; i++) c[i] = d->scale[i] * b[i * b_step];
    apply_reflections(d->m, d->n, d->q, d->tau_q, r, true, c, 1, d->v, d->v + d->m);
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < i; j++) c[i] -= d->z[j * r + i] * c[j];
        c[i] /= d->z[i * r + i];
    }
    for (size_t i = r; i < d->n; i++) c[i] = 0;
    apply_reflections(d->n, r, d->z, d->tau_z, r, false, c, 1, d->v, d->v + d->n);
    for (size_t i = 0; i < d->n; i++) x[(size_t)d->jpvt[i] * x_step] = c[i];
}

static size_t min_norm(bool even, size_t m, size_t n, double *a, const double *b, double tol, double *x, double *defect,
                       double *work, int *iwork)
{
    struct decomposition d;
    double *copy = work;
    memcpy(copy, a, m * n * sizeof *a);
    decompose(even, &d, m, n, a, tol, work + m * n, iwork);
    decomposition_solve(&d, b, 1, x, 1);
    *defect = 0;
    for (size_t i = 0; i < m; i++) {
        double e = fabs(actio_dot(n, copy + i * n, x) - b[i]);
        if (!(e <= *defect)) *defect = e;
    }
    return d.rank;
}

size_t actio_min_norm(size_t m, size_t n, double *a, const double *b, double tol, double *x, double *defect,
                      double *work, int *iwork)
{
    return min_norm(true, m, n, a, b, tol, x, defect, work, iwork);
}

size_t actio_min_norm_as_is(size_t m, size_t n, double *a, const double *b, double tol, double *x, double *defect,
                            double *work, int *iwork)
{
    return min_norm(false, m, n, a, b, tol, x, defect, work, iwork);
}

size_t actio_pseudo_inverse(size_t m, size_t n, double *a, double tol, double *p, double *work, int *iwork)
{
    struct decomposition d;
    double *unit = work;
    memset(unit, 0, m * sizeof *unit);
    decompose(true, &d, m, n, a, tol, work + m, iwork);
    for (size_t i = 0; i < m; i++) {
        unit[i] = 1;
        decomposition_solve(&d, unit, 1, p + i, m);
        unit[i] = 0;
    }
    return d.rank;
}
