/* SPDX-License-Identifier: Apache-2.0
 * Complex numbers with an exponent of their own; what becomes of eigenvalues of something real. */
#include "algebra/scaled.h"

#include <float.h>
#include <stdbool.h>

#define LN_2 0.69314718055994530942

/* The larger part of the denominator divides, so that no square is taken. */
actio_cx actio_cx_div(actio_cx a, actio_cx b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        double r = b.im / b.re, d = b.re + r * b.im;
        return (actio_cx){ (a.re + r * a.im) / d, (a.im - r * a.re) / d };
    }
    double r = b.re / b.im, d = b.im + r * b.re;
    return (actio_cx){ (r * a.re + a.im) / d, (r * a.im - a.re) / d };
}

actio_cx actio_cx_sqrt(actio_cx a)
{
    double size = actio_cx_abs(a);
    if (size == 0) return (actio_cx){ 0, 0 };
    double larger = sqrt((size + fabs(a.re)) / 2), other = fabs(a.im) / (2 * larger);
    if (a.re >= 0) return (actio_cx){ larger, copysign(other, a.im) };
    return (actio_cx){ other, copysign(larger, a.im) };
}

struct actio_scaled actio_scaled_make(actio_cx m, double exponent)
{
    int e;
    double largest = fmax(fabs(m.re), fabs(m.im));
    if (largest == 0) return (struct actio_scaled){ { 0, 0 }, 0 };
    frexp(largest, &e);
    return (struct actio_scaled){ { ldexp(m.re, -e), ldexp(m.im, -e) }, exponent + e };
}

struct actio_scaled actio_scaled_mul(struct actio_scaled a, actio_cx b)
{
    struct actio_scaled by = actio_scaled_make(b, a.exponent);
    return actio_scaled_make(actio_cx_mul(a.m, by.m), by.exponent);
}

/* Beyond 5000 either way every double is 0 or infinite. */
static double times_power(double x, double exponent) { return ldexp(x, (int)fmax(-5000, fmin(5000, exponent))); }

actio_cx actio_scaled_ratio(struct actio_scaled a, struct actio_scaled b)
{
    actio_cx q = actio_cx_div(a.m, b.m);
    return (actio_cx){ times_power(q.re, a.exponent - b.exponent), times_power(q.im, a.exponent - b.exponent) };
}

static struct actio_multiplier finish(struct actio_scaled v)
{
    struct actio_multiplier w = { times_power(v.m.re, v.exponent), times_power(v.m.im, v.exponent), 0,
                                  atan2(v.m.im, v.m.re) };
    double size = actio_cx_abs((actio_cx){ w.re, w.im });
    w.log_modulus =
        size > DBL_MIN / DBL_EPSILON && size < DBL_MAX ? log(size) : log(actio_cx_abs(v.m)) + v.exponent * LN_2;
    return w;
}

static struct actio_multiplier finish_real(struct actio_scaled v)
{
    v.m.im = 0;
    return finish(actio_scaled_make(v.m, v.exponent)); /* atan2 of +0 is exactly 0 or pi */
}

/* v_i and v_j become the mean of v_i and the conjugate of v_j, and its conjugate. */
static void finish_pair(struct actio_scaled *v, struct actio_multiplier *w, size_t i, size_t j)
{
    actio_cx q = actio_scaled_ratio((struct actio_scaled){ { v[j].m.re, -v[j].m.im }, v[j].exponent }, v[i]);
    struct actio_scaled mean = actio_scaled_mul(v[i], (actio_cx){ (1 + q.re) / 2, q.im / 2 });
    w[i] = w[j] = finish(mean);
    w[j].im = -w[i].im;
    w[j].argument = -w[i].argument;
}

/* Share of the imaginary part in the modulus; -1: done with. */
static double imaginary_share(struct actio_scaled v)
{
    return v.exponent == INFINITY ? -1 : v.m.im == 0 ? 0 : fabs(v.m.im) / actio_cx_abs(v.m);
}

static double distance_to_conjugate(struct actio_scaled v, struct actio_scaled other)
{
    other.m.im = -other.m.im;
    actio_cx q = actio_scaled_ratio(other, v);
    return actio_cx_abs((actio_cx){ q.re - 1, q.im });
}

/* Which of the others is nearest to the conjugate of v_i, and nearer than v_i itself? n: none. */
static size_t partner(size_t n, const struct actio_scaled *v, size_t i)
{
    double least = 2 * imaginary_share(v[i]);
    size_t best = n;
    for (size_t j = 0; j < n; j++) {
        if (j == i || imaginary_share(v[j]) < 0) continue;
        double d = distance_to_conjugate(v[i], v[j]);
        if (d < least) {
            least = d;
            best = j;
        }
    }
    return best;
}

void actio_scaled_conjugates(size_t n, double noise, struct actio_scaled *v, struct actio_multiplier *w)
{
    for (size_t left = n; left > 0; left--) {
        size_t i = 0, j = n;
        for (size_t l = 1; l < n; l++)
            if (imaginary_share(v[l]) > imaginary_share(v[i])) i = l;
        if (imaginary_share(v[i]) > noise) j = partner(n, v, i);
        if (j == n) w[i] = finish_real(v[i]);
        else {
            finish_pair(v, w, i, j);
            v[j].exponent = INFINITY;
            left--;
        }
        v[i].exponent = INFINITY;
    }
}
