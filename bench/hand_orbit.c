/* SPDX-License-Identifier: Apache-2.0
 * What a careful programmer writes for this one problem: single shooting on the section z = 27, DOP853 for the three
 * unknowns and their nine derivatives,
 * everything inlined. The yardstick of P4. */
#define _GNU_SOURCE
#include "lorenz.h"

#include <math.h>
#include <string.h>

#include "solve/dop853_table.h"

enum { N = 12, PADDED = 16 };
#define INLINE static inline __attribute__((always_inline))
#if defined __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef double state[PADDED] __attribute__((aligned(64)));

/* x, y, z; then the rows of d(x, y, z)/d(x0, y0, z0). */
INLINE void rates(const double *restrict s, double *restrict f)
{
    const double sigma = 10, a = 28, b = 8.0 / 3, x = s[0], y = s[1], z = s[2];
    f[0] = sigma * (y - x);
    f[1] = x * (a - z) - y;
    f[2] = x * y - b * z;
    for (int j = 0; j < 3; j++) {
        double dx = s[3 + j], dy = s[6 + j], dz = s[9 + j];
        f[3 + j] = sigma * (dy - dx);
        f[6 + j] = (a - z) * dx - dy - x * dz;
        f[9 + j] = y * dx + x * dy - b * dz;
    }
}

INLINE void combine(double *restrict to, const double *restrict y, double h, state *restrict k, const struct weights *w)
{
    for (int i = 0; i < N; i++) {
        double sum = w->a[0] * k[w->of[0]][i];
        UNROLL
        for (int j = 1; j < w->terms; j++) sum += w->a[j] * k[w->of[j]][i];
        to[i] = y[i] + h * sum;
    }
}

INLINE double row_sum(state *k, const struct weights *w, int i)
{
    double sum = 0;
    UNROLL
    for (int j = 0; j < w->terms; j++) sum += w->a[j] * k[w->of[j]][i];
    return sum;
}

INLINE double error_norm(const double *y, const double *next, double h, state *k, double tol)
{
    double e5 = 0, e3 = 0;
    for (int i = 0; i < N; i++) {
        double scale = 1 / (tol + tol * fmax(fabs(y[i]), fabs(next[i])));
        double a = row_sum(k, &table[ROW_ERROR5], i) * scale, b = row_sum(k, &table[ROW_ERROR3], i) * scale;
        e5 += a * a;
        e3 += b * b;
    }
    double below = e5 + 0.01 * e3;
    return below > 0 ? h * e5 / sqrt(below * N) : 0;
}

#define STAGE(row) combine(next, y, h, k, &table[row]), rates(next, k[row])

/* y over the time `end`. */
static int turn(double *y_out, double end, double tol, long *calls)
{
    state k[STAGES], y, next;
    double t = 0, h = 1e-2 * pow(tol / 1e-9, 0.125);
    int rejected = 0;
    memcpy(y, y_out, sizeof y);
    rates(y, k[0]);
    for (;;) {
        int last = t + 1.0000001 * h >= end;
        if (last) h = end - t;
        STAGE(1);
        STAGE(2);
        STAGE(3);
        STAGE(4);
        STAGE(5);
        STAGE(6);
        STAGE(7);
        STAGE(8);
        STAGE(9);
        STAGE(10);
        STAGE(11);
        combine(next, y, h, k, &table[ROW_SUM]);
        *calls += 12;
        double err = error_norm(y, next, h, k, tol), factor = fmin(10, fmax(0.2, 0.9 * pow(err, -0.125)));
        if (!(err <= 1)) {
            rejected = 1;
            h *= fmin(factor, 0.9);
            if (!(h > 1e-12)) return 1;
            continue;
        }
        t = last ? end : t + h;
        memcpy(y, next, sizeof y);
        if (last) break;
        rates(y, k[0]);
        h *= rejected ? fmin(factor, 1) : factor;
        rejected = 0;
    }
    memcpy(y_out, y, sizeof y);
    return 0;
}

/* A 3 x 3 system with row exchanges. */
static int solve3(double a[3][4], double *x)
{
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (a[best][k] == 0) return 1;
        for (int j = 0; j < 4; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < 3; i++)
            for (int j = 3; j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    for (int k = 2; k >= 0; k--) {
        x[k] = a[k][3];
        for (int j = k + 1; j < 3; j++) x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return 0;
}

int bench_hand_orbit(double tol, double *period, long *rhs)
{
    double x = -13.7, y = -19.5, T = 1.55, step[3];
    *rhs = 0;
    for (int i = 0; i < 30; i++) {
        state s = { x, y, 27, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, f;
        if (turn(s, T, tol, rhs)) return 1;
        rates(s, f);
        double a[3][4] = { { s[3] - 1, s[4], f[0], x - s[0] },
                           { s[6], s[7] - 1, f[1], y - s[1] },
                           { s[9], s[10], f[2], 27 - s[2] } };
        if (solve3(a, step)) return 1;
        x += step[0];
        y += step[1];
        T += step[2];
        if (fabs(step[0]) + fabs(step[1]) + fabs(step[2]) < 1e-8) {
            *period = T;
            return 0;
        }
    }
    return 1;
}
