/* SPDX-License-Identifier: Apache-2.0
 * Dense output of the built-in stepper: the interpolant of order 7 with three more stages, one row or many, and how
 * wrong it is. */
#include "solve/dop853.h"

#include <math.h>
#include <string.h>

/* Three more stages, then the coefficients of the interpolant. Written out for the same reason as all_stages. */
INLINE int dense_stages(struct dop853 *d, size_t stride, double h)
{
    int bad = stage(d, stride, 13, h);
    if (!bad) bad = stage(d, stride, 14, h);
    if (!bad) bad = stage(d, stride, 15, h);
    d->stats.rhs += 3;
    return bad;
}

INLINE void interpolant(double *b, size_t stride, size_t padded, double h)
{
    for (size_t i = 0; i < padded; i += GROUP) {
        quad rise = *(const quad *)(b + V_NEW * stride + i) - *(const quad *)(b + V_Y * stride + i), sum;
        quad left = h * *(const quad *)(b + i), right = h * *(const quad *)(b + STAGE_NEW * stride + i);
        double *poly = b + V_POLY * stride + i;
        *(quad *)poly = rise;
        *(quad *)(poly + stride) = left - rise;
        *(quad *)(poly + 2 * stride) = 2 * rise - (left + right);
        UNROLL
        for (size_t k = 0; k < 4; k++) {
            weighted(b + i, stride, ROW_DENSE + k, &sum);
            *(quad *)(poly + (3 + k) * stride) = h * sum;
        }
    }
}

INLINE int make_interpolant(struct dop853 *d, size_t stride, double h)
{
    int bad = dense_stages(d, stride, h);
    interpolant(d->block, stride, d->padded, h);
    return bad;
}

CLONED static int try_interpolant(struct dop853 *d, double h)
{
    return d->stride == SHORT ? make_interpolant(d, SHORT, h) : make_interpolant(d, d->stride, h);
}

/* The interpolant needs the derivative at the end, too. */
static void dop853_dense_prepare(struct dop853 *d)
{
    int bad = d->have_new ? 0 : eval(d, d->t_new, V_NEW, STAGE_NEW);
    d->have_new = !bad;
    if (bad) interpolant(d->block, d->stride, d->padded, d->h_done);
    else bad = try_interpolant(d, d->h_done);
    if (bad) memset(vector(d, V_POLY + 3), 0, 4 * d->stride * sizeof(double)); /* a cubic is left */
}

INLINE pair interpolate(const double *b, size_t s, double x, double z)
{
    const double *p = b + V_POLY * s;
    pair sum = load(p + 5 * s) + x * load(p + 6 * s);
    sum = load(p + 4 * s) + z * sum;
    sum = load(p + 3 * s) + x * sum;
    sum = load(p + 2 * s) + z * sum;
    sum = load(p + s) + x * sum;
    sum = load(p) + z * sum;
    return load(b + V_Y * s) + x * sum;
}

INLINE void write_dense(const double *b, size_t s, size_t n, double x, double *y)
{
    size_t i = 0;
    for (; i + 3 < n; i += 4) {
        pair first = interpolate(b + i, s, x, 1 - x), second = interpolate(b + i + 2, s, x, 1 - x);
        memcpy(y + i, &first, sizeof first);
        memcpy(y + i + 2, &second, sizeof second);
    }
    for (; i < n; i++) y[i] = interpolate(b + i / 2 * 2, s, x, 1 - x)[i % 2];
}

void actio_dop853_dense(void *handle, double t, double *y)
{
    struct dop853 *d = handle;
    if (d->h_done == 0) {
        memcpy(y, vector(d, V_NEW), d->n * sizeof *y);
        return;
    }
    if (!d->have_poly) {
        d->have_poly = true;
        dop853_dense_prepare(d);
    }
    double x = (t - d->t) / d->h_done;
    if (d->stride == SHORT) write_dense(d->block, SHORT, d->n, x, y);
    else write_dense(d->block, d->stride, d->n, x, y);
}

/* Four rows of one component at a time; the operations are those of `interpolate`. */

INLINE void interpolate_quad(const double *b, size_t s, const quad *at, quad *y)
{
    const double *p = b + V_POLY * s;
    quad x = *at, z = 1 - x, sum = p[4 * s] + z * (p[5 * s] + x * p[6 * s]);
    sum = p[2 * s] + z * (p[3 * s] + x * sum);
    sum = p[0] + z * (p[s] + x * sum);
    *y = b[V_Y * s] + x * sum;
}

INLINE void interpolate_four(const struct dop853 *d, size_t s, const double *t, double *row, size_t stride)
{
    quad x = (*(const quad *)t - d->t) / d->h_done;
    for (size_t i = 0; i < d->n; i++) interpolate_quad(d->block + i, s, &x, (quad *)(row + i * stride));
}

/* Fours, the last of which may overlap the one before: the same values again. */
CLONED static void interpolate_rows(const struct dop853 *d, size_t count, const double *t, double *row, size_t stride)
{
    for (size_t r = 0; r < count; r += 4) {
        size_t at = r + 4 > count ? count - 4 : r;
        if (d->stride == SHORT) interpolate_four(d, SHORT, t + at, row + at, stride);
        else interpolate_four(d, d->stride, t + at, row + at, stride);
    }
}

void actio_dop853_dense_rows(void *handle, size_t count, const double *t, double *row, size_t stride)
{
    struct dop853 *d = handle;
    if (d->h_done != 0 && !d->have_poly) {
        d->have_poly = true;
        dop853_dense_prepare(d);
    }
    if (d->h_done != 0 && count >= 4) {
        interpolate_rows(d, count, t, row, stride);
        return;
    }
    double *y = vector(d, V_ARG); /* free after a step */
    for (size_t r = 0; r < count; r++) {
        actio_dop853_dense(d, t[r], y);
        for (size_t i = 0; i < d->n; i++) row[i * stride + r] = y[i];
    }
}

/* The error of the interpolant, from its defect at GAP: its shape over the step varies little from problem to problem,
 * is small in the first third, and changes fastest about there; GAP_SHARE of the defect is about its largest value
 * (0.12 to 0.4 of it in all that was tried). */
#define GAP 0.65
#define GAP_SHARE 0.2

/* Value and slope (by x) of the interpolant, nested as in `interpolate`. */
INLINE void value_and_slope(const double *b, size_t s, double x, pair *value, pair *slope)
{
    const double *p = b + V_POLY * s;
    pair sum = load(p + 6 * s), rate = { 0, 0 };
    UNROLL
    for (int k = 5; k >= -1; k--) {
        double w = k % 2 ? x : 1 - x;
        rate = w * rate + (k % 2 ? sum : -sum);
        sum = (k < 0 ? load(b + V_Y * s) : load(p + (size_t)k * s)) + w * sum;
    }
    *value = sum;
    *slope = rate;
}

void actio_dop853_slope(void *handle, double t, double *y, double *dy)
{
    struct dop853 *d = handle;
    const double *b = d->block, *p = b + V_POLY * d->stride;
    size_t s = d->stride;
    if (d->h_done != 0 && !d->have_poly) {
        d->have_poly = true;
        dop853_dense_prepare(d);
    }
    double x = d->h_done != 0 ? (t - d->t) / d->h_done : 0, z = 1 - x, inverse = d->h_done != 0 ? 1 / d->h_done : 0;
    for (size_t i = 0; i < d->n; i++, p++) {
        double sum = p[6 * s], rate = 0;
        UNROLL
        for (int k = 5; k >= 0; k--) {
            rate = (k % 2 ? x : z) * rate + (k % 2 ? sum : -sum);
            sum = p[(size_t)k * s] + (k % 2 ? x : z) * sum;
        }
        y[i] = b[V_Y * s + i] + x * sum;
        dy[i] = (sum + x * rate) * inverse;
    }
}

const double actio_look_places[ACTIO_LOOKS] = {
    0, .11747233803526765, .35738424175967745, .64261575824032255, .88252766196473235, 1
};

/* The operations are those of actio_dop853_slope, for four components. */
INLINE void look(const double *b, size_t s, double x, double inverse, double *y, double *dy)
{
    const double *p = b + V_POLY * s;
    quad sum = *(const quad *)(p + 6 * s), rate = { 0, 0, 0, 0 };
    UNROLL
    for (size_t k = 6; k-- > 0;) {
        double w = k % 2 ? x : 1 - x;
        rate = w * rate + (k % 2 ? sum : -sum);
        sum = *(const quad *)(p + k * s) + w * sum;
    }
    *(quad *)y = *(const quad *)(b + V_Y * s) + x * sum;
    *(quad *)dy = (sum + x * rate) * inverse;
}

CLONED static void find_looks(struct dop853 *d)
{
    double inverse = 1 / d->h_done, *y = vector(d, V_COUNT), *dy = vector(d, V_COUNT + ACTIO_LOOKS);
    for (size_t i = 0; i < d->padded; i += GROUP)
        for (size_t k = 0; k < ACTIO_LOOKS; k++)
            look(d->block + i, SHORT, actio_look_places[k], inverse, y + k * SHORT + i, dy + k * SHORT + i);
}

bool actio_dop853_looks(void *handle, double from, double to, struct actio_looks *at)
{
    struct dop853 *d = handle;
    if (d->stride != SHORT || d->h_done == 0 || from != d->t || to != d->t_new) return false;
    if (!d->have_poly) {
        d->have_poly = true;
        dop853_dense_prepare(d);
    }
    if (!d->have_looks) find_looks(d);
    d->have_looks = true;
    *at = (struct actio_looks){ vector(d, V_COUNT), vector(d, V_COUNT + ACTIO_LOOKS), SHORT };
    return true;
}

double actio_dop853_pace(void *handle) { return sqrt(((struct dop853 *)handle)->pace); }

int actio_dop853_gap(void *handle, double *t, double *y, double *error)
{
    struct dop853 *d = handle;
    /* all of them free after a step */
    double *at = vector(d, V_ARG), *slope = vector(d, V_INVERSE), *f = vector(d, STAGES_DENSE - 1), *b = d->block;
    if (d->h_done == 0) return ACTIO_FLOW_FAILED;
    if (!d->have_poly) {
        d->have_poly = true;
        dop853_dense_prepare(d);
    }
    *t = d->t + GAP * d->h_done;
    for (size_t i = 0; i < d->padded; i += 2) {
        pair value, rate;
        value_and_slope(b + i, d->stride, GAP, &value, &rate);
        store(slope + i, rate);
        store(at + i, value);
    }
    memcpy(y, at, d->n * sizeof *y);
    int bad = eval(d, *t, V_ARG, STAGES_DENSE - 1);
    for (size_t i = 0; i < d->n; i++) error[i] = GAP_SHARE * (slope[i] - d->h_done * f[i]);
    return bad;
}
