/* SPDX-License-Identifier: Apache-2.0
 * Fourier collocation: a trigonometric polynomial through M (odd) equally spaced states of the turn,  x'(s) = T f(x)
 * at each of them, s = 0 .. 1. Newton's method on all states and the period; M grows until the highest coefficients are
 * rounding.  [DUAL 5.2] */
#include "solve/orbit.h"
#include "algebra/dense.h"
#include "base/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_BORDERS = 16, FIRST = 33, MOST_UNKNOWNS = 1100, MOST_FIRST = 560, MOST_ITERATIONS = 10, MOST_HALVINGS = 6 };
#define PI 3.14159265358979323846
#define SHOWN 1e-6 /* highest coefficients of a guess beside the largest */
#define SHOWN_ROUGHLY 1e-2

static double sine(double x)
{
    double s, c;
    actio_sincos(x, &s, &c);
    return s;
}

struct fourier {
    struct actio_orbit *o;
    size_t M, ny, d, size; /* size: unknowns, M d and the period */
    double period, *block, *y, *Q, *f, *F, *A, *X, *dX, *D, *step, *kept, *work;
    int *pivot;
    size_t lack;   /* in rank, as far as it is known: families */
    double defect; /* largest |x' - T f|, scaled */
};

static void close_fourier(struct fourier *w)
{
    actio_free(w->o->ctx, w->block);
    actio_free(w->o->ctx, w->pivot);
    w->block = NULL;
    w->pivot = NULL;
}

/* Row of spectral differentiation by the distance of two points: (-1)^k pi / sin(pi k / M). */
static void fill_weights(struct fourier *w)
{
    for (size_t k = 1; k < w->M; k++) w->D[k] = (k % 2 ? -1 : 1) * PI / sine(PI * (double)k / (double)w->M);
    w->D[0] = 0;
}

static int open_fourier(struct fourier *w, struct actio_orbit *o, size_t M)
{
    size_t ny = o->ny, d = o->d, size = M * d + 1;
    *w = (struct fourier){ .o = o, .M = M, .ny = ny, .d = d, .size = size };
    double **part[] = { &w->y, &w->Q, &w->f, &w->F, &w->A, &w->X, &w->dX, &w->D, &w->step, &w->kept, &w->work };
    const size_t length[] = { M * ny, M * ny * d,          M * ny, size,    size * size, ny * d, ny * d,
                              M,      size + MOST_BORDERS, M * ny, 4 * size };
    size_t all = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i] + 1;
    double *p = w->block = actio_alloc(o->ctx, all, sizeof *p);
    w->pivot = actio_alloc(o->ctx, size + MOST_BORDERS + 1, sizeof *w->pivot);
    if (!p || !w->pivot) return 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        *part[i] = p;
        p += length[i] + 1;
    }
    fill_weights(w);
    return 0;
}

static double weight(const struct fourier *w, size_t j, size_t k) { return j >= k ? w->D[j - k] : -w->D[k - j]; }

/* x'(s_j) of the polynomial, with what a turn gains. */
static void slope(const struct fourier *w, size_t j, double *out)
{
    const double *turn = w->o->turn;
    for (size_t i = 0; i < w->ny; i++) {
        double sum = turn[i];
        for (size_t k = 0; k < w->M; k++) /* weights add up to 0 */
            if (k != j)
                sum += weight(w, j, k)
                       * (w->y[k * w->ny + i] - w->y[j * w->ny + i] - turn[i] * ((double)k - (double)j) / (double)w->M);
        out[i] = sum;
    }
}

static double time_of(const struct fourier *w, size_t j) { return w->o->t0 + w->period * (double)j / (double)w->M; }

/* v = S^-1 (x' - T f) at point j, once its f is known. */
static void point_defect(struct fourier *w, size_t j, double *v)
{
    const double *f = w->f + j * w->ny;
    slope(w, j, v);
    for (size_t i = 0; i < w->ny; i++) {
        v[i] = (v[i] - w->period * f[i]) / w->o->scale[i];
        w->defect = fmax(w->defect, fabs(v[i]));
    }
}

/* The derivative of residual a of point j by the point itself and by the period. */
static void point_row(struct fourier *w, size_t j, size_t a)
{
    size_t d = w->d, ny = w->ny, size = w->size;
    const double *Q = w->Q + j * ny * d, *f = w->f + j * ny, *scale = w->o->scale;
    double *row = w->A + (j * d + a) * size;
    memset(row, 0, size * sizeof *row);
    for (size_t b = 0; b < d; b++)
        for (size_t i = 0; i < ny; i++) row[j * d + b] -= w->period * Q[i * d + a] * w->dX[i * d + b] / scale[i];
    for (size_t i = 0; i < ny; i++) row[size - 1] -= Q[i * d + a] * f[i] / scale[i];
}

/* Residuals Q' S^-1 (x' - T f), and, when `matrix`, the derivatives: rows of points, then the phase. A flow status. */
static int fourier_evaluate(struct fourier *w, bool matrix)
{
    struct actio_orbit *o = w->o;
    size_t d = w->d, ny = w->ny;
    double *v = w->work;
    w->defect = 0;
    for (size_t j = 0; j < w->M; j++) {
        double *Q = w->Q + j * ny * d, *y = w->y + j * ny, *f = w->f + j * ny;
        if (matrix && actio_orbit_directions(o, time_of(w, j), y, Q, NULL)) return ACTIO_FLOW_SINGULAR;
        for (size_t i = 0; i < ny * d; i++) w->X[i] = o->scale[i / d] * Q[i];
        int bad = matrix ? actio_tangent_derive(&o->x, time_of(w, j), y, w->X, d, f, w->dX)
                         : actio_tangent_rates(&o->x, time_of(w, j), y, f);
        if (bad) return bad;
        point_defect(w, j, v);
        for (size_t a = 0; a < d; a++) {
            double sum = 0;
            for (size_t i = 0; i < ny; i++) sum += Q[i * d + a] * v[i];
            w->F[j * d + a] = sum;
            if (matrix) point_row(w, j, a);
        }
    }
    w->F[w->size - 1] = 0;
    return isfinite(w->defect) ? 0 : ACTIO_FLOW_NAN;
}

/* Point k in the rows of point j. */
static void couple_points(struct fourier *w, size_t j, size_t k)
{
    size_t d = w->d, ny = w->ny;
    const double *Qj = w->Q + j * ny * d, *Qk = w->Q + k * ny * d;
    double c = weight(w, j, k);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double sum = w->o->rows == 0 && a == b;
            for (size_t i = 0; i < ny && w->o->rows; i++) sum += Qj[i * d + a] * Qk[i * d + b];
            w->A[(j * d + a) * w->size + k * d + b] += c * sum;
        }
}

/* The phase: the change is perpendicular to the motion, all in all; or the period is held. */
static void phase_row(struct fourier *w)
{
    size_t d = w->d, ny = w->ny, size = w->size;
    double *row = w->A + (size - 1) * size, length = 0;
    memset(row, 0, size * sizeof *row);
    if (!w->o->free_period) {
        row[size - 1] = 1;
        return;
    }
    for (size_t j = 0; j < w->M; j++)
        for (size_t a = 0; a < d; a++) {
            double sum = 0;
            for (size_t i = 0; i < ny; i++) sum += w->Q[j * ny * d + i * d + a] * w->f[j * ny + i] / w->o->scale[i];
            row[j * d + a] = sum;
            length += sum * sum;
        }
    for (size_t i = 0; i + 1 < size && length > 0; i++) row[i] /= sqrt(length);
}

/* What couples the points, and the phase. */
static void couple(struct fourier *w)
{
    for (size_t j = 0; j < w->M; j++)
        for (size_t k = 0; k < w->M; k++)
            if (k != j) couple_points(w, j, k);
    phase_row(w);
}

/* Numbers between -1 and 1, always the same. */
static double scattered(size_t i)
{
    uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* [A B; C 0] with as many scattered borders as A lacks in rank: one solution out of many, near the others. */
static int solve_bordered(struct fourier *w, double *M)
{
    size_t size = w->size, all = size + w->lack;
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < all; j++)
            M[i * all + j] = i < size && j < size   ? w->A[i * size + j]
                             : i < size || j < size ? scattered(i * 977 + j)
                                                    : 0;
    for (size_t i = size; i < all; i++) w->step[i] = 0;
    if (actio_lu_factor(all, M, w->pivot)) return 1;
    actio_lu_solve(all, M, w->pivot, w->step, 1, false);
    return 0;
}

/* 0, or 1. */
static int fourier_solve(struct fourier *w)
{
    size_t all = w->size + w->lack;
    couple(w);
    for (size_t i = 0; i < w->size; i++) w->step[i] = -w->F[i];
    double *M = actio_alloc(w->o->ctx, all * all + 1, sizeof *M);
    int bad = !M || solve_bordered(w, M);
    actio_free(w->o->ctx, M);
    for (size_t i = 0; i < w->size && !bad; i++) bad = !isfinite(w->step[i]);
    return bad;
}

static double step_size(const struct fourier *w)
{
    double most = fabs(w->step[w->size - 1]) / w->period;
    for (size_t i = 0; i + 1 < w->size; i++) most = fmax(most, fabs(w->step[i]));
    return most;
}

static int fourier_move(struct fourier *w, double period, double part)
{
    struct actio_orbit *o = w->o;
    int bad = 0;
    w->period = period + part * w->step[w->size - 1];
    for (size_t j = 0; j < w->M && !bad; j++) {
        for (size_t i = 0; i < w->ny; i++)
            w->y[j * w->ny + i] =
                w->kept[j * w->ny + i]
                + part * o->scale[i] * actio_dot(w->d, w->Q + (j * w->ny + i) * w->d, w->step + j * w->d);
        if (o->rows) bad = actio_motion_project(o->m, time_of(w, j), w->y + j * w->ny);
    }
    return bad;
}

/* Along the step, halved until the defect falls; where the step is small, or after the last halving, as it is. A
 * motion's status. */
static int descend(struct fourier *w, double size)
{
    double old = w->defect, period = w->period, part = size > 0.5 ? 0.5 / size : 1;
    int bad = 0;
    memcpy(w->kept, w->y, w->M * w->ny * sizeof *w->y);
    for (int h = 0; h < MOST_HALVINGS; h++, part /= 2) {
        bad = fourier_move(w, period, part);
        if (!bad && w->period > 0) bad = fourier_evaluate(w, false);
        if (!bad && (w->defect < old || size < 1e-6)) return 0;
    }
    return bad;
}

/* 0: corrections are as small as they get; -1: they do not get smaller; or a motion's status. */
static int newton(struct fourier *w, double enough, struct actio_orbit_report *reported)
{
    double last = INFINITY;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        int bad = fourier_evaluate(w, true);
        if (bad) return bad;
        if (actio_stopped(w->o->ctx)) return ACTIO_FLOW_STOPPED;
        if (fourier_solve(w)) return -1;
        double size = step_size(w);
        reported->step = size;
        reported->iterations++;
        if (size <= 1e-9 && 4 * size > last) return 0; /* rounding moves it about */
        bad = descend(w, size);
        if (bad) return bad;
        if (size <= enough) return 0;
        last = size;
    }
    return -1;
}

/* The sizes of the highest eighth of the coefficients, beside the largest. */
static double tail(const struct fourier *w)
{
    size_t H = w->M / 2, from = H - H / 8;
    double top = 0, most = 0;
    for (size_t h = 1; h <= H; h++)
        for (size_t i = 0; i < w->ny; i++) {
            double c = 0, s = 0;
            for (size_t k = 0; k < w->M; k++) {
                double x = w->y[k * w->ny + i] - w->o->turn[i] * (double)k / (double)w->M, sin_k, cos_k;
                actio_sincos(2 * PI * (double)(h * k % w->M) / (double)w->M, &sin_k, &cos_k);
                c += x * cos_k;
                s += x * sin_k;
            }
            double size = hypot(c, s) / w->o->scale[i];
            most = fmax(most, size);
            if (h >= from) top = fmax(top, size);
        }
    return most > 0 ? top / most : 0;
}

/* The polynomial's value at s. */
static void fourier_value_at(const struct fourier *w, double s, double *y)
{
    double M = (double)w->M, place = s * M;
    size_t near = (size_t)(place + 0.5);
    if (fabs(place - (double)near) < 1e-12) {
        for (size_t i = 0; i < w->ny; i++) y[i] = w->y[near % w->M * w->ny + i] + (near >= w->M ? w->o->turn[i] : 0);
        return;
    }
    for (size_t i = 0; i < w->ny; i++) y[i] = w->o->turn[i] * s;
    for (size_t k = 0; k < w->M; k++) {
        double z = PI * (place - (double)k) / M, c = sine(M * z) / (M * sine(z)); /* Dirichlet's kernel, M odd */
        for (size_t i = 0; i < w->ny; i++) y[i] += c * (w->y[k * w->ny + i] - w->o->turn[i] * (double)k / M);
    }
}

/* The guess at equal times. */
static int take_guess(struct fourier *w, const struct actio_circuit *l)
{
    double *at = w->work;
    for (size_t j = 0; j < w->M; j++) at[j] = (double)j / (double)w->M;
    w->period = l->period;
    return actio_orbit_states(w->o, l, at, w->M, w->y);
}

/* A finer one from a coarser. */
static void refine(struct fourier *fine, const struct fourier *coarse)
{
    fine->period = coarse->period;
    fine->lack = coarse->lack;
    for (size_t j = 0; j < fine->M; j++) fourier_value_at(coarse, (double)j / (double)fine->M, fine->y + j * fine->ny);
}

static bool rests(const struct fourier *w)
{
    double way = 0;
    for (size_t j = 0; j < w->M; j++)
        for (size_t i = 0; i < w->ny; i++) way = fmax(way, fabs(w->f[j * w->ny + i]) * w->period / w->o->scale[i]);
    return way < 0.05;
}

/* Grows until the coefficients have died away. 0, -1, a motion's status; *slow: it would take more unknowns than are
 * sensible. */
static int fourier_grow(struct fourier *w, double tol, struct actio_orbit_report *reported, bool *slow)
{
    double wanted = fmax(tol, 1e-15), before = INFINITY;
    for (;;) {
        int bad = newton(w, fmax(1e-3 * wanted, 1e-13), reported);
        if (bad) return bad;
        double left = tail(w), change = fabs(w->period - before);
        reported->period_error = fmin(change, left * w->period) + 4 * DBL_EPSILON * w->period;
        if (left <= wanted || (left < 1e-13 && change <= 4e-15 * w->period)) return 0;
        size_t M = w->M + w->M / 2;
        M += M % 2 == 0;
        if (M * w->d + 1 > MOST_UNKNOWNS) {
            *slow = left > 1e-10;
            return 0;
        }
        struct fourier fine;
        if (open_fourier(&fine, w->o, M)) {
            close_fourier(&fine);
            return ACTIO_MARCH_NO_MEMORY;
        }
        refine(&fine, w);
        before = w->period;
        close_fourier(w);
        *w = fine;
    }
}

/* So many points that they show the guess. A motion's status; *slow: it would take more than are sensible. */
static int open_guess(struct fourier *w, struct actio_orbit *o, struct actio_circuit *l, bool *slow)
{
    size_t lack = actio_orbit_lack(o, l);
    for (size_t M = FIRST;; M = 2 * M - 1) {
        int bad = open_fourier(w, o, M) ? ACTIO_MARCH_NO_MEMORY : take_guess(w, l) ? ACTIO_FLOW_FAILED : 0;
        w->lack = lack < MOST_BORDERS ? lack : MOST_BORDERS;
        double left = bad ? 0 : tail(w);
        if (left < SHOWN) return bad;
        if ((2 * M - 1) * o->d + 1 > MOST_FIRST) {
            *slow = !(left < SHOWN_ROUGHLY);
            return 0;
        }
        close_fourier(w);
    }
}

/* The result at the nodes; how far the motion itself misses it. A motion's status. */
static int give(const struct fourier *w, struct actio_circuit *l, double tol, struct actio_orbit_report *reported)
{
    struct actio_orbit *o = w->o;
    l->period = w->period;
    for (size_t i = 0; i < l->nodes; i++) fourier_value_at(w, l->at[i], l->y + i * o->ny);
    int bad = actio_orbit_mismatch(o, l, fmax(1e-15, 0.1 * tol), &reported->residual);
    /* closing follows from the motion itself */
    reported->period_error = o->free_period ? reported->period_error + reported->residual * l->period : 0;
    return bad;
}

int actio_orbit_fourier(struct actio_orbit *o, struct actio_circuit *l, double tol, struct actio_orbit_report *reported)
{
    struct fourier w;
    bool unseen = false, slow = false;
    *reported = (struct actio_orbit_report){ .local = NAN };
    int bad = open_guess(&w, o, l, &unseen);
    if (!bad && !unseen) bad = fourier_grow(&w, 0.1 * tol, reported, &slow);
    if (!bad && !unseen && o->free_period && rests(&w)) bad = ACTIO_ORBIT_RESTS;
    if (!bad && !unseen) bad = give(&w, l, tol, reported);
    reported->unknowns = w.size;
    close_fourier(&w);
    actio_orbit_ended(bad, reported);
    if (unseen || slow) reported->status = ACTIO_ORBIT_SLOW;
    return reported->status;
}
