/* SPDX-License-Identifier: Apache-2.0
 * Solutions with the factors of a band with a border. */
#include "algebra/band.h"
#include "algebra/dense.h"

#include <string.h>

/* sum of u x, x[0] the newest: it comes last, so that only one product waits for it */
static double sum_to_newest(size_t w, const double *u, const double *x)
{
    double s0 = 0, s1 = 0;
    size_t c = w;
    for (; c > 2; c -= 2) {
        s0 += u[c - 1] * x[c - 1];
        s1 += u[c - 2] * x[c - 2];
    }
    if (c == 2) s0 += u[1] * x[1];
    return w ? (s0 + s1) + u[0] * x[0] : 0;
}

static void forward(const struct actio_band *s, double *restrict x, double *restrict y)
{
    size_t m = s->m, kl = s->kl;
    const uint32_t *row = s->row;
    const double *restrict lower = s->lower;
    for (size_t k = 0; k < m; k++, lower += kl) {
        size_t r = row[k], last = k + kl < m ? kl : m - 1 - k;
        if (r >= m) {
            y[r - m] = x[k];
            x[k] = 0;
            continue;
        }
        double t = x[r];
        x[r] = x[k];
        x[k] = t;
        for (size_t i = 0; i < last; i++) x[k + 1 + i] -= lower[i] * t;
    }
}

static void backward(const struct actio_band *s, double *x, const double *y)
{
    memset(x + s->m, 0, (s->w + ACTIO_BAND_LANES) * sizeof *x); /* beyond the last column U has zeros only */
    for (size_t k = s->m; k-- > 0;) {
        double t = x[k] - sum_to_newest(s->w, s->a + actio_band_first(s, k) + k + 1, x + k + 1);
        if (s->row[k] >= s->m) {
            x[k] = y[s->row[k] - s->m];
            continue;
        }
        for (size_t c = 0; c < s->slots; c++) t -= s->edge[k * s->room + c] * y[c];
        x[k] = t * s->inverse[k];
    }
}

void actio_band_solve(const struct actio_band *s, double *x, double *y)
{
    forward(s, x, y);
    for (size_t f = 0; f < s->slots; f++) y[f] -= actio_dot(s->m, s->foot + f * s->foot_stride, x);
    if (s->slots) actio_lu_solve(s->slots, s->lu, s->pivot, y, 1, false);
    backward(s, x, y);
}

static void forward_transposed(const struct actio_band *s, double *x, double *y)
{
    memset(x + s->m, 0, (s->w + ACTIO_BAND_LANES) * sizeof *x);
    memset(y + s->q, 0, (s->slots - s->q) * sizeof *y);
    for (size_t k = 0; k < s->m; k++) {
        const double *u = s->a + actio_band_first(s, k) + k;
        if (s->row[k] >= s->m) {
            y[s->row[k] - s->m] += x[k];
            x[k] = 0;
            continue;
        }
        double t = x[k] *= s->inverse[k];
        for (size_t c = 1; c <= s->w; c++) x[k + c] -= u[c] * t;
        for (size_t c = 0; c < s->slots; c++) y[c] -= s->edge[k * s->room + c] * t;
    }
}

static void backward_transposed(const struct actio_band *s, double *x, const double *y)
{
    for (size_t k = s->m; k-- > 0;) {
        size_t r = s->row[k], last = k + s->kl < s->m ? s->kl : s->m - 1 - k;
        if (r >= s->m) {
            x[k] = y[r - s->m];
            continue;
        }
        double t = x[k] - sum_to_newest(last, s->lower + k * s->kl, x + k + 1);
        x[k] = x[r];
        x[r] = t;
    }
}

void actio_band_solve_transposed(const struct actio_band *s, double *x, double *y)
{
    forward_transposed(s, x, y);
    if (s->slots) actio_lu_solve(s->slots, s->lu, s->pivot, y, 1, true);
    for (size_t f = 0; f < s->slots; f++) {
        const double *foot = s->foot + f * s->foot_stride;
        for (size_t k = 0; k < s->m; k++) x[k] -= foot[k] * y[f];
    }
    backward_transposed(s, x, y);
}
