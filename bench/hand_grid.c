/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "grid.h"
#include "disk.h"

#include <stdlib.h>
#include <string.h>

enum { Q = 4, U = 6, MOST_NEAR = 16, MOST_STEPS = 50 }; /* positions and unknowns of a point */
static const double mass[Q] = { DISK_MASS, DISK_MASS, DISK_ROLL, 0.25 }, sign[3] = { 1, 1, -1 };

/* One row of an operator over neighbouring points. */
struct row {
    int first, count;
    double a[MOST_NEAR];
};

struct hand {
    int points, order;
    double h, at_start;
    struct row *D, *DD;
    double *z, *v, *r, *band, *trial;
};

void bench_grid_guess(double t, double *q, double *v)
{
    q[0] = 5 * sin(t);
    q[1] = 5 * (1 - cos(t));
    q[2] = 5 * t;
    q[3] = t;
    v[0] = 5 * cos(t);
    v[1] = 5 * sin(t);
    v[2] = 5;
    v[3] = 1;
}

/* Rows of D times h, mirrored at the end. */
static void set_row(const struct hand *p, int i, struct row *to)
{
    static const double second[1][2] = { { -1, 1 } };
    static const double fourth[4][6] = { { -24. / 17, 59. / 34, -4. / 17, -3. / 34, 0, 0 },
                                         { -.5, 0, .5, 0, 0, 0 },
                                         { 4. / 43, -59. / 86, 0, 59. / 86, -4. / 43, 0 },
                                         { 3. / 98, 0, -59. / 98, 0, 32. / 49, -4. / 49 } };
    static const double inner[2][5] = { { -.5, 0, .5 }, { 1. / 12, -2. / 3, 0, 2. / 3, -1. / 12 } };
    int edge = p->order == 2 ? 1 : 4, wide = p->order == 2 ? 2 : 6, reach = p->order / 2, mirrored = p->points - 1 - i;
    const double *table = p->order == 2 ? second[0] : fourth[0];
    memset(to, 0, sizeof *to);
    if (i < edge) {
        to->first = 0;
        to->count = wide;
        for (int j = 0; j < wide; j++) to->a[j] = table[i * wide + j];
    } else if (mirrored < edge) {
        to->first = p->points - wide;
        to->count = wide;
        for (int j = 0; j < wide; j++) to->a[j] = -table[mirrored * wide + wide - 1 - j];
    } else {
        to->first = i - reach;
        to->count = 2 * reach + 1;
        for (int j = 0; j < to->count; j++) to->a[j] = inner[reach - 1][j];
    }
    for (int j = 0; j < to->count; j++) to->a[j] /= p->h;
    if (i == 0) to->a[0] += p->at_start;
}

static void square_row(const struct hand *p, int i, struct row *to)
{
    const struct row *d = &p->D[i];
    int last = 0;
    to->first = p->points;
    for (int j = 0; j < d->count; j++) {
        const struct row *e = &p->D[d->first + j];
        if (e->first < to->first) to->first = e->first;
        if (e->first + e->count > last) last = e->first + e->count;
    }
    if (i < to->first) to->first = i;
    to->count = last - to->first;
    memset(to->a, 0, sizeof to->a);
    for (int j = 0; j < d->count; j++) {
        const struct row *e = &p->D[d->first + j];
        for (int k = 0; k < e->count; k++) to->a[e->first + k - to->first] += d->a[j] * e->a[k];
    }
}

static void velocities(const struct hand *p, const double *z)
{
    for (int i = 0; i < p->points; i++) {
        const struct row *d = &p->D[i];
        double v[Q] = { 0, 0, 0, 0 };
        for (int j = 0; j < d->count; j++)
            for (int k = 0; k < Q; k++) v[k] += d->a[j] * z[U * (d->first + j) + k];
        memcpy(p->v + Q * i, v, sizeof v); /* the start is at 0 */
    }
}

static void residuals(const struct hand *p, const double *z)
{
    velocities(p, z);
    for (int i = 0; i < p->points; i++) {
        const struct row *d = &p->D[i];
        const double *q = z + U * i, *v = p->v + Q * i;
        double s, c, a[Q] = { 0, 0, 0, 0 }, *r = p->r + U * i;
        sincos(q[3], &s, &c);
        for (int j = 0; j < d->count; j++)
            for (int k = 0; k < Q; k++) a[k] += d->a[j] * p->v[Q * (d->first + j) + k];
        for (int k = 0; i == 0 && k < Q; k++) a[k] -= p->at_start * disk_start[Q + k];
        r[0] = mass[0] * a[0] - DISK_PULL - 2 * q[4] * v[0] - q[5] * s;
        r[1] = mass[1] * a[1] - 2 * q[4] * v[1] + q[5] * c;
        r[2] = mass[2] * a[2] + 2 * q[4] * v[2];
        r[3] = mass[3] * a[3];
        r[4] = v[0] * v[0] + v[1] * v[1] - v[2] * v[2];
        r[5] = v[0] * s - v[1] * c;
    }
}

/* The six rows of a point into the band; row r has column c at r*wide + c - r + half. */
static inline __attribute__((always_inline)) void assemble(const struct hand *p, const double *z, int i, double *band,
                                                           int half, int wide)
{
    const struct row *d = &p->D[i], *e = &p->DD[i];
    const double *q = z + U * i, *v = p->v + Q * i;
    double s, c, *b[U];
    sincos(q[3], &s, &c);
    memset(band + (size_t)U * i * wide, 0, sizeof(double) * U * wide);
    for (int k = 0; k < U; k++) b[k] = band + (size_t)(U * i + k) * wide + half - (U * i + k);
    for (int j = 0; j < e->count; j++)
        for (int k = 0; k < Q; k++) b[k][U * (e->first + j) + k] += mass[k] * e->a[j];
    for (int j = 0; j < d->count; j++) {
        int at = U * (d->first + j);
        for (int k = 0; k < 3; k++) {
            b[k][at + k] -= 2 * q[4] * sign[k] * d->a[j];
            b[4][at + k] += 2 * sign[k] * v[k] * d->a[j];
        }
        b[5][at] += s * d->a[j];
        b[5][at + 1] -= c * d->a[j];
    }
    int own = U * i;
    b[0][own + 3] -= q[5] * c;
    b[1][own + 3] -= q[5] * s;
    b[5][own + 3] += v[0] * c + v[1] * s;
    for (int k = 0; k < 3; k++) b[k][own + 4] -= 2 * sign[k] * v[k];
    b[0][own + 5] -= s;
    b[1][own + 5] += c;
}

/* Assembles, eliminates and solves in one pass; `half` is a constant where this is put in. */
static inline __attribute__((always_inline)) void stream(const struct hand *p, const double *z, double *x,
                                                         const int half)
{
    const int n = U * p->points, wide = (3 * half + 8) & ~7, length = 2 * half + 1;
    double *band = p->band;
    int ready = 0;
    for (int k = 0; k < n; k++) {
        int below = n - 1 - k < half ? n - 1 - k : half, best = 0;
        for (; ready <= k + below; ready += U) assemble(p, z, ready / U, band, half, wide);
        double *restrict top = band + (size_t)k * wide + half, largest = fabs(top[0]);
        for (int i = 1; i <= below; i++) {
            double a = fabs(top[(size_t)i * (wide - 1)]);
            if (a > largest) {
                largest = a;
                best = i;
            }
        }
        if (best) {
            double *other = top + (size_t)best * (wide - 1), swap = x[k];
            for (int j = 0; j < length; j++) {
                double a = top[j];
                top[j] = other[j];
                other[j] = a;
            }
            x[k] = x[k + best];
            x[k + best] = swap;
        }
        double inverse = 1 / top[0], b = x[k];
        for (int i = 1; i <= below; i++) {
            double *restrict row = top + (size_t)i * (wide - 1), f = row[0];
            if (f == 0) continue;
            f *= inverse;
            for (int j = 1; j < length; j++) row[j] -= f * top[j];
            x[k + i] -= f * b;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = band + (size_t)k * wide + half;
        int right = n - 1 - k < 2 * half ? n - 1 - k : 2 * half, j = 1;
        double a = x[k], b = 0, c = 0, d = 0;
        for (; j + 3 <= right; j += 4) {
            a -= row[j] * x[k + j];
            b -= row[j + 1] * x[k + j + 1];
            c -= row[j + 2] * x[k + j + 2];
            d -= row[j + 3] * x[k + j + 3];
        }
        for (; j <= right; j++) a -= row[j] * x[k + j];
        x[k] = (a + b + c + d) / row[0];
    }
}

static int open_hand(struct hand *p)
{
    int half = p->order == 2 ? 17 : 35, wide = (3 * half + 8) & ~7;
    size_t n = (size_t)U * p->points;
    p->h = DISK_END / (p->points - 1);
    p->at_start = 1 / ((p->order == 2 ? .5 : 17. / 48) * p->h);
    p->D = malloc(sizeof *p->D * p->points);
    p->DD = malloc(sizeof *p->DD * p->points);
    p->z = malloc(n * sizeof *p->z);
    p->v = malloc(n * sizeof *p->v);
    p->r = malloc(n * sizeof *p->r);
    p->trial = malloc(n * sizeof *p->trial);
    p->band = malloc(sizeof *p->band * ((size_t)wide * (n + half + 1) + 64));
    if (!p->D || !p->DD || !p->z || !p->v || !p->r || !p->trial || !p->band) return 1;
    for (int i = 0; i < p->points; i++) set_row(p, i, &p->D[i]);
    for (int i = 0; i < p->points; i++) square_row(p, i, &p->DD[i]);
    return 0;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static double error_of(const struct hand *p)
{
    double most = 0, y[DISK_N];
    for (int i = 0; i < p->points; i++) {
        disk_motion(i * p->h, y);
        for (int k = 0; k < Q; k++) most = fmax(most, fabs(p->z[U * i + k] - y[k]));
    }
    return most;
}

int bench_hand_grid(int order, int points, double *error)
{
    struct hand p = { .points = points, .order = order };
    size_t n = (size_t)U * points;
    int steps = -1;
    double v[Q], asked;
    if (open_hand(&p)) return -1;
    for (int i = 0; i < points; i++) {
        bench_grid_guess(i * p.h, p.z + U * i, v);
        p.z[U * i + 4] = p.z[U * i + 5] = 0;
    }
    asked = fmax(1e-9, 100 * 2.2e-16 / (p.h * p.h)); /* rounding of second differences */
    residuals(&p, p.z);
    for (int i = 0; i < MOST_STEPS; i++) {
        if (largest(p.r, n) < asked) {
            steps = i;
            break;
        }
        memcpy(p.trial, p.r, n * sizeof *p.r);
        if (order == 2) stream(&p, p.z, p.trial, 17);
        else stream(&p, p.z, p.trial, 35);
        for (size_t k = 0; k < n; k++) p.z[k] -= p.trial[k];
        residuals(&p, p.z);
    }
    *error = error_of(&p);
    free(p.D);
    free(p.DD);
    free(p.z);
    free(p.v);
    free(p.r);
    free(p.trial);
    free(p.band);
    return steps;
}
