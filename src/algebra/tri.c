/* SPDX-License-Identifier: Apache-2.0
 * Tridiagonal systems. A long one is cut into segments that lie in the lanes of vectors: each is eliminated towards its last node, the
 * separator, with a spike for the separator before it; the separators are solved one after the other; then all segments go back at once.
 * That is Cholesky's elimination in another order, and so as stable.                                                     [SPEED P5] */
#include "algebra/tri.h"
#include "algebra/dense.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__ && defined __linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED
#endif
#define INLINE static inline __attribute__((always_inline))

/* Four lanes a vector, and several vectors at once so that divisions overlap: 8 segments, 16 of a long system, none of a short one. Each
 * machine has as many, so that all do the same sums. */
enum { W = 4, FEW = 2, SETS = 4, SHORT = 64, LONG = 400 };
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long flags __attribute__((vector_size(32), aligned(8), may_alias));

static const double suspicious = 1e-9;                     /* a pivot so far below its diagonal: eliminated anew from 0 on, which decides */

/* ---- one by one */

int actio_tri_factor(size_t n, const double *diag, const double *off, double *factors)
{
    double m = 0, before = 0;
    for (size_t k = 0; k < n; k++) {
        double pivot = diag[k] - before * m;
        if (!(pivot > ACTIO_PIVOT_NOISE * diag[k]) || !(pivot <= DBL_MAX)) return (int)k + 1;
        factors[2 * k] = 1 / pivot;
        before = k + 1 < n ? off[k] : 0;
        m = factors[2 * k + 1] = before * factors[2 * k];
    }
    return 0;
}

void actio_tri_apply(size_t n, const double *factors, const double *b, double *x)
{
    double f = 0, m = 0;
    for (size_t k = 0; k < n; k++) {
        f = b[k] - m * f;
        m = factors[2 * k + 1];
        x[k] = f * factors[2 * k];
    }
    for (size_t k = n; k-- > 1;) x[k - 1] -= factors[2 * k - 1] * x[k];
}

static int solve_simply(size_t n, const double *diag, const double *off, const double *b, double *x, double *work)
{
    int bad = actio_tri_factor(n, diag, off, work);
    if (!bad) actio_tri_apply(n, work, b, x);
    return bad;
}

/* ---- in lanes */

INLINE void transpose(lanes *v)
{
    lanes a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6), b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    lanes c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6), d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5), v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* v[j][lane] = p[(lane0 + lane) L + j0 + j]; beyond `count` there is `rest`. */
INLINE void gather(size_t count, const double *p, size_t L, size_t lane0, size_t j0, double rest, lanes *v)
{
    for (size_t l = 0; l < W; l++) {
        size_t first = (lane0 + l) * L + j0;
        if (first + W <= count) v[l] = *(const lanes *)(p + first);
        else
            for (size_t j = 0; j < W; j++) ((double *)&v[l])[j] = first + j < count ? p[first + j] : rest;
    }
    transpose(v);
}

/* The way back for `many` of the four; v is used up. */
INLINE void scatter(size_t n, double *x, size_t L, size_t lane0, size_t j0, size_t many, lanes *v)
{
    transpose(v);
    for (size_t l = 0; l < W; l++) {
        size_t first = (lane0 + l) * L + j0;
        if (many == W && first + W <= n) *(lanes *)(x + first) = v[l];
        else
            for (size_t j = 0; j < many && first + j < n; j++) x[first + j] = ((const double *)&v[l])[j];
    }
}

/* What the segments leave for their separators, by set of lanes: pivot, right-hand side and coupling of its own; what goes to the one before. */
struct ends { lanes pivot[SETS], right[SETS], beside[SETS], take_pivot[SETS], take_right[SETS], size[SETS]; flags bad; };

/* Forward. keep: by node and set f / pivot, multiplier of the next node, spike / pivot. */
INLINE void go_forward(size_t sets, size_t n, size_t L, const double *diag, const double *off, const double *b, lanes *keep, struct ends *end)
{
    lanes e[SETS], inverse[SETS], f[SETS], s[SETS];
    flags bad = { 0 };
    for (size_t g = 0; g < sets; g++) {
        inverse[g] = f[g] = s[g] = end->take_pivot[g] = end->take_right[g] = (lanes){ 0 };
        for (size_t l = 0; l < W; l++) {
            size_t first = (g * W + l) * L;
            ((double *)&e[g])[l] = first > 0 && first < n ? off[first - 1] : 0;
        }
    }
    for (size_t j0 = 0; j0 < L; j0 += W) {
        lanes D[SETS][W], C[SETS][W], R[SETS][W];
        for (size_t g = 0; g < sets; g++) gather(n, diag, L, g * W, j0, 1, D[g]), gather(n - 1, off, L, g * W, j0, 0, C[g]), gather(n, b, L, g * W, j0, 0, R[g]);
        for (size_t j = j0; j < j0 + W && j < L; j++)
            for (size_t g = 0; g < sets; g++) {
                lanes *to = keep + 3 * (j * sets + g), m = e[g] * inverse[g], square = e[g] * e[g], d = D[g][j - j0];
                lanes pivot = d - square * inverse[g], r = R[g][j - j0] - m * f[g];
                if (j > 0) to[-3 * (long)sets + 1] = m;
                if (j == 0) s[g] = e[g];
                else s[g] *= -m;
                f[g] = r;
                if (j + 1 == L) {
                    end->pivot[g] = pivot, end->right[g] = r, end->beside[g] = s[g], end->size[g] = d;
                    continue;
                }
                bad |= ~(pivot > suspicious * d);
                inverse[g] = 1 / pivot;
                lanes q = s[g] * inverse[g];
                end->take_right[g] += q * r, end->take_pivot[g] += q * s[g];
                to[0] = r * inverse[g], to[2] = q;
                e[g] = C[g][j - j0];
            }
    }
    end->bad = bad;
}

/* The separators one after the other: their values. False: a pivot is suspicious. */
INLINE bool solve_ends(size_t sets, const struct ends *end, double *T)
{
    const double *pivot = (const double *)end->pivot, *right = (const double *)end->right, *beside = (const double *)end->beside, *size = (const double *)end->size;
    const double *take_pivot = (const double *)end->take_pivot, *take_right = (const double *)end->take_right;
    double m[SETS * W], m0 = 0, f = 0;
    size_t K = sets * W;
    for (size_t k = 0; k < K; k++) {
        bool last = k + 1 == K;
        double p = pivot[k] - (last ? 0 : take_pivot[k + 1]) - (k ? m0 * beside[k] : 0);
        if (!(p > suspicious * size[k])) return false;
        f = right[k] - (last ? 0 : take_right[k + 1]) - m0 * f;
        double inverse = 1 / p;
        m0 = m[k] = last ? 0 : beside[k + 1] * inverse;
        T[k] = f * inverse;
    }
    for (size_t k = K - 1; k-- > 0;) T[k] -= m[k] * T[k + 1];
    return true;
}

INLINE void go_back(size_t sets, size_t n, size_t L, const lanes *keep, const double *T, double *x)
{
    lanes t[SETS], left[SETS], X[SETS][W];
    memset(X, 0, sizeof X);
    for (size_t g = 0; g < sets; g++) {
        t[g] = *(const lanes *)(T + g * W);
        left[g] = *(const lanes *)(T + g * W - 1);
        X[g][(L - 1) % W] = t[g];
    }
    size_t many = (L - 1) % W + 1;
    for (size_t j = L - 1;;) {
        if (j % W == 0) {
            for (size_t g = 0; g < sets; g++) scatter(n, x, L, g * W, j, many, X[g]);
            many = W;
            if (j == 0) return;
        }
        j--;
        for (size_t g = 0; g < sets; g++) {
            const lanes *from = keep + 3 * (j * sets + g);
            t[g] = (from[0] - from[2] * left[g]) - from[1] * t[g];
            X[g][j % W] = t[g];
        }
    }
}

INLINE bool solve_segments(size_t sets, size_t n, const double *diag, const double *off, const double *b, double *x, lanes *keep)
{
    size_t L = (n + sets * W - 1) / (sets * W);
    struct ends end;
    double T[SETS * W + 1] = { 0 };                        /* before the first there is nothing */
    go_forward(sets, n, L, diag, off, b, keep, &end);
    long long bad = 0;
    for (size_t l = 0; l < W; l++) bad |= end.bad[l];
    if (bad || !solve_ends(sets, &end, T + 1)) return false;
    go_back(sets, n, L, keep, T + 1, x);
    return true;
}

CLONED static bool in_few(size_t n, const double *diag, const double *off, const double *b, double *x, lanes *keep)
{
    return solve_segments(FEW, n, diag, off, b, x, keep);
}

CLONED static bool in_many(size_t n, const double *diag, const double *off, const double *b, double *x, lanes *keep)
{
    return solve_segments(SETS, n, diag, off, b, x, keep);
}

int actio_tri_solve(size_t n, const double *diag, const double *off, const double *b, double *x, double *work)
{
    lanes *keep = (lanes *)(((uintptr_t)work + 63) & ~(uintptr_t)63);
    if (n >= SHORT && (n < LONG ? in_few : in_many)(n, diag, off, b, x, keep)) return 0;
    return solve_simply(n, diag, off, b, x, work);
}
