/* SPDX-License-Identifier: Apache-2.0
 * Double-double numbers: the unevaluated sum of two doubles, 106 bits. For references, which have to be apart from the
 * library's arithmetic. Sums and products are exact to some 2^-104, functions to some 2^-100. */
#ifndef TRUTH_DD_H
#define TRUTH_DD_H

#include <math.h>

typedef struct {
    double h, l;
} dd;

static inline dd dd_of(double h) { return (dd){ h, 0 }; }

static inline dd dd_quick(double a, double b)
{
    double s = a + b;
    return (dd){ s, b - (s - a) };
}

static inline dd dd_sum2(double a, double b)
{
    double s = a + b, v = s - a;
    return (dd){ s, (a - (s - v)) + (b - v) };
}

static inline dd dd_product2(double a, double b)
{
    double p = a * b;
    return (dd){ p, fma(a, b, -p) };
}

static inline dd dd_add(dd a, dd b)
{
    dd s = dd_sum2(a.h, b.h), t = dd_sum2(a.l, b.l);
    s.l += t.h;
    s = dd_quick(s.h, s.l);
    s.l += t.l;
    return dd_quick(s.h, s.l);
}

static inline dd dd_neg(dd a) { return (dd){ -a.h, -a.l }; }
static inline dd dd_sub(dd a, dd b) { return dd_add(a, dd_neg(b)); }

static inline dd dd_mul(dd a, dd b)
{
    dd p = dd_product2(a.h, b.h);
    p.l += a.h * b.l + a.l * b.h;
    return dd_quick(p.h, p.l);
}

static inline dd dd_scale(dd a, double b) /* b: a power of two, or rounded like any product */
{
    dd p = dd_product2(a.h, b);
    p.l += a.l * b;
    return dd_quick(p.h, p.l);
}

static inline dd dd_div(dd a, dd b)
{
    double q = a.h / b.h;
    dd r = dd_sub(a, dd_scale(b, q));
    double q2 = r.h / b.h;
    r = dd_sub(r, dd_scale(b, q2));
    dd s = dd_quick(q, q2);
    return dd_add(s, dd_of(r.h / b.h));
}

static inline dd dd_sqrt(dd a)
{
    if (a.h <= 0) return dd_of(a.h == 0 ? 0 : NAN);
    double x = sqrt(a.h);
    dd r = dd_sub(a, dd_product2(x, x));
    dd s = dd_add(dd_of(x), dd_of(r.h / (2 * x)));
    r = dd_sub(a, dd_mul(s, s));
    return dd_add(s, dd_of(r.h / (2 * x)));
}

static inline double dd_size(dd a) { return fabs(a.h); }
static inline double dd_value(dd a) { return a.h + a.l; }

static inline dd dd_decimal(long digits, long places) /* digits / 10^places, exact to 2^-104 */
{
    dd ten = dd_of(1);
    for (long i = 0; i < places; i++) ten = dd_scale(ten, 10);
    return dd_div(dd_of((double)digits), ten);
}

#define DD_PI ((dd){ 3.141592653589793116, 1.224646799147353207e-16 })
#define DD_LN2 ((dd){ 6.931471805599452862e-01, 2.319046813846299558e-17 })

/* e^a: a = k ln 2 + r, and r/512 by its series. */
static inline dd dd_exp(dd a)
{
    if (a.h < -700) return dd_of(0);
    double k = nearbyint(a.h / DD_LN2.h);
    dd r = dd_scale(dd_sub(a, dd_scale(DD_LN2, k)), 1.0 / 512), term = r, sum = r;
    for (int n = 2; n <= 14; n++) {
        term = dd_div(dd_mul(term, r), dd_of(n));
        sum = dd_add(sum, term);
    }
    /* (1 + s)^2 - 1 = 2 s + s^2, nine times: nothing cancels */
    for (int i = 0; i < 9; i++) sum = dd_add(dd_scale(sum, 2), dd_mul(sum, sum));
    sum = dd_add(sum, dd_of(1));
    return (dd){ ldexp(sum.h, (int)k), ldexp(sum.l, (int)k) };
}

static inline dd dd_log(dd a)
{
    dd y = dd_of(log(a.h));
    for (int i = 0; i < 2; i++) y = dd_sub(dd_add(y, dd_mul(a, dd_exp(dd_neg(y)))), dd_of(1));
    return y;
}

static inline void dd_sincos(dd a, dd *s, dd *c)
{
    dd half = dd_scale(DD_PI, 0.5);
    double k = nearbyint(a.h / half.h);
    dd r = dd_sub(a, dd_scale(half, k)), square = dd_mul(r, r), term = r, sum = r, co = dd_of(1), cterm = dd_of(1);
    for (int n = 1; n <= 16; n++) {
        cterm = dd_neg(dd_div(dd_mul(cterm, square), dd_of((2.0 * n - 1) * (2 * n))));
        term = dd_neg(dd_div(dd_mul(term, square), dd_of((2.0 * n) * (2 * n + 1))));
        co = dd_add(co, cterm);
        sum = dd_add(sum, term);
    }
    int quarter = (int)(((long long)k % 4 + 4) % 4);
    *s = quarter == 0 ? sum : quarter == 1 ? co : quarter == 2 ? dd_neg(sum) : dd_neg(co);
    *c = quarter == 0 ? co : quarter == 1 ? dd_neg(sum) : quarter == 2 ? dd_neg(co) : sum;
}

#endif
