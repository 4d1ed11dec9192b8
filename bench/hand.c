/* SPDX-License-Identifier: Apache-2.0
 * What a careful programmer writes for this one problem: DOP853 for eight unknowns, everything inlined. The yardstick
 * of P1. */
#define _GNU_SOURCE
#include "rivals.h"
#include "disk.h"

#include <string.h>

#include "solve/dop853_table.h"

#define INLINE static inline __attribute__((always_inline))
#if defined __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef double state[DISK_N] __attribute__((aligned(64)));

/* to = y + h * (row of the table) . k */
INLINE void combine(double *restrict to, const double *restrict y, double h, state *restrict k, const struct weights *w)
{
    for (int i = 0; i < DISK_N; i++) {
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
    for (int i = 0; i < DISK_N; i++) {
        double scale = 1 / (tol + tol * fmax(fabs(y[i]), fabs(next[i])));
        double a = row_sum(k, &table[ROW_ERROR5], i) * scale, b = row_sum(k, &table[ROW_ERROR3], i) * scale;
        e5 += a * a;
        e3 += b * b;
    }
    double below = e5 + 0.01 * e3;
    return below > 0 ? h * e5 / sqrt(below * DISK_N) : 0;
}

static double norm(const double *x, const double *y, double tol)
{
    double sum = 0;
    for (int i = 0; i < DISK_N; i++) {
        double z = x[i] / (tol + tol * fabs(y[i]));
        sum += z * z;
    }
    return sqrt(sum);
}

/* Hairer's first step. */
static double first_step(const double *y, const double *f, double tol)
{
    state probe, there;
    double size = norm(y, y, tol), slope = norm(f, y, tol),
           h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
    for (int i = 0; i < DISK_N; i++) probe[i] = y[i] + h * f[i];
    disk_rhs(probe, there);
    for (int i = 0; i < DISK_N; i++) there[i] -= f[i];
    double bend = norm(there, y, tol) / h, most = fmax(slope, bend);
    return fmin(100 * h, most <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / most, 0.125));
}

#define STAGE(row) combine(next, y, h, k, &table[row]), disk_rhs(next, k[row])

int bench_hand(double tol, bench_note note, long *rhs)
{
    state k[STAGES], y, next;
    double t = 0;
    long calls = 2;
    int rejected = 0;
    memcpy(y, disk_start, sizeof y);
    disk_rhs(y, k[0]);
    double h = first_step(y, k[0], tol);
    for (;;) {
        int last = t + 1.0000001 * h >= DISK_END;
        if (last) h = DISK_END - t;
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
        calls += 11;
        double err = error_norm(y, next, h, k, tol), factor = fmin(10, fmax(0.2, 0.9 * pow(err, -0.125)));
        if (!(err <= 1)) {
            rejected = 1;
            h *= fmin(factor, 0.9);
            if (!(h > 1e-12)) return 1;
            continue;
        }
        t = last ? DISK_END : t + h;
        memcpy(y, next, sizeof y);
        if (note) note(t, y);
        if (last) break;
        disk_rhs(y, k[0]);
        calls++;
        h *= rejected ? fmin(factor, 1) : factor;
        rejected = 0;
    }
    *rhs = calls;
    return 0;
}
