/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/cyclic.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

int actio_cyclic_open(struct actio_cyclic *c, struct actio_context *ctx, size_t N, size_t k, size_t b)
{
    size_t nl = (k + 1) * b, square = b * b;
    *c = (struct actio_cyclic){ .ctx = ctx, .N = N, .k = k, .b = b, .nl = nl, .ni = (k - 1) * b, .pinned = b };
    c->block = actio_alloc(ctx, N * (nl * nl + 3 * square + nl) + 2 * square + 1, sizeof *c->block);
    if (!c->block) return 1;
    c->local = c->block;
    c->diagonal = c->local + N * nl * nl;
    c->beside = c->diagonal + N * square;
    c->arm = c->beside + N * square;
    c->right = c->arm + N * square;
    return 0;
}

void actio_cyclic_close(struct actio_cyclic *c)
{
    if (c->ctx) actio_free(c->ctx, c->block);
    *c = (struct actio_cyclic){ 0 };
}

/* a := a L'^-1, row by row. */
static void cyclic_divide(size_t b, const double *L, double *a)
{
    for (size_t r = 0; r < b; r++)
        for (size_t j = 0; j < b; j++)
            a[r * b + j] = (a[r * b + j] - actio_dot(j, a + r * b, L + j * b)) / L[j * b + j];
}

/* to -= x y'; lower half only where it is symmetric. */
static void subtract(size_t b, double *to, const double *x, const double *y, bool lower)
{
    for (size_t i = 0; i < b; i++)
        for (size_t j = 0; j < (lower ? i + 1 : b); j++) to[i * b + j] -= actio_dot(b, x + i * b, y + j * b);
}

/* Blocks of the ends: own, beside the one before, and the arm to the first (rows of the first). */
static int cyclic_gather(struct actio_cyclic *c, double add)
{
    size_t b = c->b, nl = c->nl, ni = c->ni, square = b * b, N = c->N;
    memset(c->diagonal, 0, N * square * sizeof(double));
    memset(c->arm, 0, N * square * sizeof(double));
    for (size_t e = 0; e < N; e++) {
        double *K = c->local + e * nl * nl, *here = c->diagonal + e * square,
               *next = c->diagonal + (e + 1) % N * square, *beside = c->beside + e * square;
        for (size_t i = 0; i < nl; i++) K[i * nl + i] += i < ni ? add : 0;
        if (actio_cholesky_part(nl, ni, K)) return 1;
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < b; j++) {
                if (j <= i) {
                    here[i * b + j] += K[(ni + i) * nl + ni + j];
                    next[i * b + j] += K[(ni + b + i) * nl + ni + b + j];
                }
                beside[i * b + j] = K[(ni + b + i) * nl + ni + j];
            }
        for (size_t i = 0; i < b; i++) here[i * b + i] += add;
    }
    for (size_t i = 0; i < b; i++)
        for (size_t j = 0; j < b; j++) {
            c->arm[square + i * b + j] += c->beside[j * b + i];
            c->arm[(N - 1) * square + i * b + j] += c->beside[(N - 1) * square + i * b + j];
        }
    if (c->pinned >= b) return 0;
    for (size_t e = 0; e < N; e++) memset(c->arm + e * square + c->pinned * b, 0, b * sizeof(double));
    for (size_t j = 0; j < b; j++) c->diagonal[c->pinned * b + j] = c->diagonal[j * b + c->pinned] = 0;
    c->diagonal[c->pinned * b + c->pinned] = 1;
    return 0;
}

int actio_cyclic_factor(struct actio_cyclic *c, double add)
{
    size_t b = c->b, square = b * b, N = c->N;
    if (cyclic_gather(c, add)) return 1;
    for (size_t e = 1; e < N; e++) {
        double *here = c->diagonal + e * square, *next = here + square, *beside = c->beside + e * square,
               *arm = c->arm + e * square;
        if (actio_cholesky_factor(b, here)) return 1;
        cyclic_divide(b, here, arm);
        subtract(b, c->diagonal, arm, arm, true);
        if (e + 1 == N) break;
        cyclic_divide(b, here, beside);
        subtract(b, next, beside, beside, true);
        subtract(b, arm + square, arm, beside, false);
    }
    return actio_cholesky_factor(b, c->diagonal);
}

/* Around the ring: the ends only. */
static void solve_ends(struct actio_cyclic *c, double *x)
{
    size_t b = c->b, square = b * b, N = c->N, step = c->k * b;
    for (size_t e = 1; e < N; e++) {
        double *here = x + e * step;
        actio_lower_solve(b, b, c->diagonal + e * square, here);
        for (size_t i = 0; i < b; i++) {
            x[i] -= actio_dot(b, c->arm + e * square + i * b, here);
            if (e + 1 < N) here[step + i] -= actio_dot(b, c->beside + e * square + i * b, here);
        }
    }
    actio_lower_solve(b, b, c->diagonal, x);
    actio_lower_solve_back(b, b, c->diagonal, x);
    for (size_t e = N; e-- > 1;) {
        double *here = x + e * step;
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < b; j++)
                here[j] -= c->arm[e * square + i * b + j] * x[i]
                           + (e + 1 < N ? c->beside[e * square + i * b + j] * here[step + i] : 0);
        actio_lower_solve_back(b, b, c->diagonal + e * square, here);
    }
}

void actio_cyclic_solve(struct actio_cyclic *c, double *x)
{
    size_t b = c->b, ni = c->ni, nl = c->nl, N = c->N, step = c->k * b;
    for (size_t e = 0; e < N; e++) {
        double *in = c->right + e * nl, *here = x + e * step, *next = x + (e + 1) % N * step;
        const double *K = c->local + e * nl * nl;
        memcpy(in, here + b, ni * sizeof *in);
        actio_lower_solve(ni, nl, K, in);
        for (size_t i = 0; i < b; i++) {
            here[i] -= actio_dot(ni, K + (ni + i) * nl, in);
            next[i] -= actio_dot(ni, K + (ni + b + i) * nl, in);
        }
    }
    if (c->pinned < b) x[c->pinned] = 0;
    solve_ends(c, x);
    for (size_t e = 0; e < N; e++) {
        double *in = c->right + e * nl, *here = x + e * step;
        const double *K = c->local + e * nl * nl, *next = x + (e + 1) % N * step;
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < ni; j++)
                in[j] -= K[(ni + i) * nl + j] * here[i] + K[(ni + b + i) * nl + j] * next[i];
        actio_lower_solve_back(ni, nl, K, in);
        memcpy(here + b, in, ni * sizeof *in);
    }
}
