/* SPDX-License-Identifier: Apache-2.0
 * Exact fractions while they fit. */
#include "expr/ratio.h"
#include "base/text.h"

#include <math.h>

enum { PLAIN_DIGITS = 15 };                    /* this many decimal digits survive a double */
static const double cancelled = 1e-12;         /* of the larger summand: an inexact sum below it is rounding */
static const double significant = 0x1p40;      /* p q below this: a fraction that fits a double by chance is rare */
static const double near_significant = 0x1p30; /* the same of one that it fits to `rounding` */
static const double rounding = 0x1p-50;        /* of a number: a few operations leave as much */

static actio_ratio inexact(double x) { return (actio_ratio){ .x = x }; }

int64_t actio_whole_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

actio_ratio actio_ratio_whole(int64_t p) { return (actio_ratio){ .p = p, .q = 1 }; }

actio_ratio actio_ratio_fraction(int64_t p, int64_t q)
{
    int64_t g = actio_whole_gcd(p, q);
    return (actio_ratio){ .p = p / g, .q = q / g };
}

double actio_ratio_value(actio_ratio a) { return a.q ? (double)a.p / (double)a.q : a.x; }

/* Continued fraction of x > 0, to a part `off` of x. */
static bool short_fraction(double x, double off, double most, actio_ratio *r)
{
    double p0 = 0, p1 = 1, q0 = 1, q1 = 0, y = x;
    for (int i = 0; i < 40; i++) {
        double a = floor(y), p = a * p1 + p0, q = a * q1 + q0;
        if (!(p * q < most)) return false;
        if (p > 0 && fabs(p / q - x) <= off * x) {
            *r = (actio_ratio){ .p = (int64_t)p, .q = (int64_t)q };
            return true;
        }
        if (y == a) return false;
        y = 1 / (y - a);
        p0 = p1;
        p1 = p;
        q0 = q1;
        q1 = q;
    }
    return false;
}

/* Digits and exponent of the shortest decimal that reads back as x > 0, at most PLAIN_DIGITS of them. */
static bool short_decimal(double x, actio_ratio *r)
{
    char s[32];
    size_t length = actio_number_text(x, s);
    int64_t p = 0, scale = 1;
    int digits = 0, after = 0, exponent = 0, sign = 1;
    size_t i = 0;
    for (bool point = false; i < length && s[i] != 'e'; i++) {
        if (s[i] == '.') {
            point = true;
            continue;
        }
        p = 10 * p + (s[i] - '0');
        digits += p != 0;
        after += point;
        if (digits > PLAIN_DIGITS) return false;
    }
    for (i++; i < length; i++)
        if (s[i] == '-') sign = -1;
        else if (s[i] != '+') exponent = 10 * exponent + (s[i] - '0');
    int ten = sign * exponent - after;
    for (int k = 0; k < (ten < 0 ? -ten : ten); k++)
        if (__builtin_mul_overflow(scale, (int64_t)10, &scale)) return false;
    if (ten >= 0) {
        *r = actio_ratio_whole(p);
        return !__builtin_mul_overflow(p, scale, &r->p);
    }
    *r = actio_ratio_fraction(p, scale);
    return true;
}

actio_ratio actio_ratio_of(double x)
{
    actio_ratio r;
    double size = fabs(x);
    if (!isfinite(x)) return inexact(x);
    if (size < 0x1p53 && size == floor(size)) return actio_ratio_whole((int64_t)x);
    if (!short_fraction(size, 0, significant, &r) && !short_decimal(size, &r)) return inexact(x);
    return x < 0 ? actio_ratio_neg(r) : r;
}

actio_ratio actio_ratio_near(double x)
{
    actio_ratio r = actio_ratio_of(x);
    if (r.q || !isfinite(x) || !short_fraction(fabs(x), rounding, near_significant, &r)) return r;
    return x < 0 ? actio_ratio_neg(r) : r;
}

actio_ratio actio_ratio_neg(actio_ratio a)
{
    if (a.q && a.p == INT64_MIN) return inexact(-(double)a.p / (double)a.q);
    return (actio_ratio){ .p = -a.p, .q = a.q, .x = -a.x };
}

static actio_ratio added(double a, double b)
{
    double sum = a + b, size = fmax(fabs(a), fabs(b));
    return fabs(sum) <= cancelled * size ? actio_ratio_whole(0) : inexact(sum);
}

actio_ratio actio_ratio_add(actio_ratio a, actio_ratio b)
{
    if (a.q && a.p == 0) return b;
    if (b.q && b.p == 0) return a;
    if (!a.q || !b.q) return added(actio_ratio_value(a), actio_ratio_value(b));
    int64_t g = actio_whole_gcd(a.q, b.q), left, right, p, q;
    if (__builtin_mul_overflow(a.p, b.q / g, &left) || __builtin_mul_overflow(b.p, a.q / g, &right)
        || __builtin_add_overflow(left, right, &p) || __builtin_mul_overflow(a.q, b.q / g, &q) || p == INT64_MIN)
        return added(actio_ratio_value(a), actio_ratio_value(b));
    return actio_ratio_fraction(p, q);
}

actio_ratio actio_ratio_mul(actio_ratio a, actio_ratio b)
{
    if ((a.q && a.p == 0) || (b.q && b.p == 0)) return actio_ratio_whole(0);
    if (!a.q || !b.q) return inexact(actio_ratio_value(a) * actio_ratio_value(b));
    int64_t g = actio_whole_gcd(a.p, b.q), h = actio_whole_gcd(b.p, a.q), p, q;
    if (__builtin_mul_overflow(a.p / g, b.p / h, &p) || __builtin_mul_overflow(a.q / h, b.q / g, &q) || p == INT64_MIN)
        return inexact(actio_ratio_value(a) * actio_ratio_value(b));
    return (actio_ratio){ .p = p, .q = q };
}

actio_ratio actio_ratio_inverse(actio_ratio a)
{
    if (!a.q) return inexact(1 / a.x);
    return a.p > 0 ? (actio_ratio){ .p = a.q, .q = a.p } : (actio_ratio){ .p = -a.q, .q = -a.p };
}

actio_ratio actio_ratio_power(actio_ratio a, int32_t k)
{
    actio_ratio r = actio_ratio_whole(1);
    if (k < 0) a = actio_ratio_inverse(a);
    for (uint32_t n = k < 0 ? 0u - (uint32_t)k : (uint32_t)k; n; n >>= 1) {
        if (n & 1) r = actio_ratio_mul(r, a);
        if (n > 1) a = actio_ratio_mul(a, a);
    }
    return r;
}

actio_ratio actio_ratio_gcd(actio_ratio a, actio_ratio b)
{
    int64_t q;
    if (!a.q || !b.q || __builtin_mul_overflow(a.q, b.q / actio_whole_gcd(a.q, b.q), &q)) return actio_ratio_whole(1);
    return (actio_ratio){ .p = actio_whole_gcd(a.p, b.p), .q = q };
}

bool actio_ratio_same(actio_ratio a, actio_ratio b)
{
    if (a.q && b.q) return a.p == b.p && a.q == b.q;
    double x = actio_ratio_value(a), y = actio_ratio_value(b);
    return fabs(x - y) <= cancelled * fmax(fabs(x), fabs(y));
}
