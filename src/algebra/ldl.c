/* SPDX-License-Identifier: Apache-2.0
 * P A P' = L D L' of symmetric matrices, D with blocks 1x1 and 2x2, pivots searched in all of the rest (Bunch and
 * Parlett 1971):
 * L stays bounded and small pivots come last, so that the signs of D can be trusted where A is singular.
 * pivot[k] >= 0: block of one, rows k and pivot[k] exchanged. Blocks of two have -1 - p in both places, each row
 * exchanged with its p. */
#include "algebra/dense.h"

#include <float.h>
#include <math.h>

#define A(i, j) a[(size_t)(i)*n + (size_t)(j)]

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

/* The largest |entry| of the rest on the diagonal and beside it, and where. False when one is not finite. */
struct choice {
    double diagonal, beside;
    size_t d, i, j;
};

static bool search(size_t n, const double *a, size_t k, struct choice *c)
{
    *c = (struct choice){ .d = k, .i = k, .j = k };
    for (size_t i = k; i < n; i++) {
        for (size_t j = k; j < i; j++) {
            double x = fabs(A(i, j));
            if (x > c->beside) {
                c->beside = x;
                c->i = i;
                c->j = j;
            }
            if (!(x <= DBL_MAX)) return false;
        }
        double x = fabs(A(i, i));
        if (x > c->diagonal) {
            c->diagonal = x;
            c->d = i;
        }
        if (!(x <= DBL_MAX)) return false;
    }
    return true;
}

/* Exchange rows and columns i < p of the trailing matrix from k, lower half. */
static void exchange(size_t n, double *a, size_t k, size_t i, size_t p)
{
    if (i == p) return;
    for (size_t j = k; j < i; j++) swap(&A(i, j), &A(p, j));
    for (size_t j = i + 1; j < p; j++) swap(&A(j, i), &A(p, j));
    for (size_t j = p + 1; j < n; j++) swap(&A(j, i), &A(j, p));
    swap(&A(i, i), &A(p, p));
}

/* In both updates column k still holds d l_j for the rows not yet reached: rows are taken from below. */
static void update_one(size_t n, double *a, size_t k)
{
    double d = A(k, k);
    for (size_t i = n; i-- > k + 1;) {
        double l = A(i, k) / d;
        for (size_t j = k + 1; j <= i; j++) A(i, j) -= l * A(j, k);
        A(i, k) = l;
    }
}

static void update_two(size_t n, double *a, size_t k)
{
    double d21 = A(k + 1, k), d11 = A(k + 1, k + 1) / d21, d22 = A(k, k) / d21, t = 1 / (d11 * d22 - 1) / d21;
    for (size_t i = n; i-- > k + 2;) {
        double l0 = t * (d11 * A(i, k) - A(i, k + 1)), l1 = t * (d22 * A(i, k + 1) - A(i, k));
        for (size_t j = k + 2; j <= i; j++) A(i, j) -= l0 * A(j, k) + l1 * A(j, k + 1);
        A(i, k) = l0;
        A(i, k + 1) = l1;
    }
}

/* Brings the pivot to k and notes where it was; returns the size of the block. */
static size_t place_pivot(size_t n, double *a, size_t k, const struct choice *c, int *pivot)
{
    const double alpha = (1 + sqrt(17)) / 8; /* makes one step of two grow no more than two of one */
    if (c->diagonal >= alpha * c->beside) {
        exchange(n, a, k, k, c->d);
        pivot[k] = (int)c->d;
        return 1;
    }
    exchange(n, a, k, k, c->j); /* j < i, so i is still where it was */
    exchange(n, a, k, k + 1, c->i);
    pivot[k] = -1 - (int)c->j;
    pivot[k + 1] = -1 - (int)c->i;
    return 2;
}

int actio_ldl_factor(size_t n, double *a, int *pivot)
{
    struct choice c;
    for (size_t k = 0; k < n;) {
        bool finite = !actio_gives_up((n - k) * (n - k)) && search(n, a, k, &c);
        if (!finite || fmax(c.diagonal, c.beside) == 0) {
            for (size_t i = k; i < n; i++) pivot[i] = (int)i;
            return (int)k + 1;
        }
        size_t size = place_pivot(n, a, k, &c, pivot);
        (size == 1 ? update_one : update_two)(n, a, k);
        k += size;
    }
    return 0;
}

static void exchange_rhs(size_t nrhs, double *b, size_t i, size_t p)
{
    for (size_t r = 0; i != p && r < nrhs; r++) swap(&b[i * nrhs + r], &b[p * nrhs + r]);
}

/* b_i -= l_ik b_k below the block of `size` that starts at k0 */
static void forward(size_t n, const double *a, size_t k0, size_t size, double *b, size_t nrhs)
{
    for (size_t k = k0; k < k0 + size; k++)
        for (size_t i = k0 + size; i < n; i++)
            for (size_t r = 0; r < nrhs; r++) b[i * nrhs + r] -= A(i, k) * b[k * nrhs + r];
}

static void backward(size_t n, const double *a, size_t k0, size_t size, double *b, size_t nrhs)
{
    for (size_t k = k0; k < k0 + size; k++)
        for (size_t i = k0 + size; i < n; i++)
            for (size_t r = 0; r < nrhs; r++) b[k * nrhs + r] -= A(i, k) * b[i * nrhs + r];
}

static void divide_block(size_t n, const double *a, size_t k, size_t size, double *b, size_t nrhs)
{
    double *x = b + k * nrhs, *y = x + nrhs;
    if (size == 1) {
        for (size_t r = 0; r < nrhs; r++) x[r] /= A(k, k);
        return;
    }
    double d21 = A(k + 1, k), d11 = A(k, k) / d21, d22 = A(k + 1, k + 1) / d21, det = d11 * d22 - 1;
    for (size_t r = 0; r < nrhs; r++) {
        double b0 = x[r] / d21, b1 = y[r] / d21;
        x[r] = (d22 * b0 - b1) / det;
        y[r] = (d11 * b1 - b0) / det;
    }
}

static size_t exchanged_with(int pivot) { return (size_t)(pivot < 0 ? -1 - pivot : pivot); }

void actio_ldl_solve(size_t n, const double *a, const int *pivot, double *b, size_t nrhs)
{
    for (size_t k = 0, size; k < n; k += size) {
        size = pivot[k] < 0 ? 2 : 1;
        for (size_t i = k; i < k + size; i++) exchange_rhs(nrhs, b, i, exchanged_with(pivot[i]));
        forward(n, a, k, size, b, nrhs);
        divide_block(n, a, k, size, b, nrhs);
    }
    for (size_t end = n, size; end > 0; end -= size) {
        size = pivot[end - 1] < 0 ? 2 : 1;
        backward(n, a, end - size, size, b, nrhs);
        for (size_t i = end; i-- > end - size;) exchange_rhs(nrhs, b, i, exchanged_with(pivot[i]));
    }
}

/* Eigenvalues of the block at k, the larger one first; returns its size. */
static size_t block_eigenvalues(size_t n, const double *a, const int *pivot, size_t k, double w[2])
{
    w[0] = w[1] = A(k, k);
    if (pivot[k] >= 0) return 1;
    double mean = A(k, k) / 2 + A(k + 1, k + 1) / 2, half = A(k, k) / 2 - A(k + 1, k + 1) / 2;
    double radius = hypot(half, A(k + 1, k)), big = mean < 0 ? mean - radius : mean + radius;
    w[0] = big;
    /* the determinant over the larger one: the smaller without cancellation */
    w[1] = big == 0 ? 0 : A(k, k) * (A(k + 1, k + 1) / big) - A(k + 1, k) * (A(k + 1, k) / big);
    return 2;
}

void actio_ldl_inertia(size_t n, const double *a, const int *pivot, double tol, int inertia[3])
{
    double largest = 0, w[2];
    for (size_t k = 0, size; k < n; k += size) {
        size = block_eigenvalues(n, a, pivot, k, w);
        largest = fmax(largest, fabs(w[0]));
    }
    inertia[0] = inertia[1] = inertia[2] = 0;
    for (size_t k = 0, size; k < n; k += size) {
        size = block_eigenvalues(n, a, pivot, k, w);
        for (size_t i = 0; i < size; i++) inertia[w[i] > tol * largest ? 0 : w[i] < -tol * largest ? 1 : 2]++;
    }
}
