/* SPDX-License-Identifier: Apache-2.0
 * Intervals: a range that has every value of an operation whose operands lie in ranges. Ends are moved outwards by more
 * than the operation's rounding. A value may be infinite: an end of the range is then infinite, too. For some of the
 * operands the value may not be a number: the range has the others, and says that it is so. */
#ifndef ACTIO_KERNEL_RANGE_H
#define ACTIO_KERNEL_RANGE_H

#include "base/math.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

struct actio_range {
    double lo, hi;
    bool undefined; /* some values may not be numbers */
};

#define ACTIO_RANGE_ALL ((struct actio_range){ -HUGE_VAL, HUGE_VAL, true })
/* In the place of a slope: the operation has no narrow features of its own. */
#define PLAIN ((struct actio_range){ 1, -1, false })
#define ACTIO_RANGE_ULP 0x1p-52 /* of a number, at least its distance to the next */
#define ACTIO_RANGE_FUNCTION 4  /* ulps that a function may be off, and its monotony with it */

static inline struct actio_range actio_range_at(double x) { return (struct actio_range){ x, x, false }; }

static inline double actio_range_down(double x, double ulps)
{
    if (!(x > -HUGE_VAL)) return -HUGE_VAL;
    return x == HUGE_VAL ? DBL_MAX : x - (fabs(x) * ACTIO_RANGE_ULP * ulps + 0x1p-1074 * ulps);
}

static inline double actio_range_up(double x, double ulps)
{
    if (!(x < HUGE_VAL)) return HUGE_VAL;
    return x == -HUGE_VAL ? -DBL_MAX : x + (fabs(x) * ACTIO_RANGE_ULP * ulps + 0x1p-1074 * ulps);
}

static inline struct actio_range actio_range_of(double lo, double hi) { return (struct actio_range){ lo, hi, false }; }

static inline struct actio_range actio_range_widened(double lo, double hi, double ulps)
{
    return actio_range_of(actio_range_down(lo, ulps), actio_range_up(hi, ulps));
}

/* Of a function that has values in a part of the range only. */
static inline struct actio_range actio_range_partly(struct actio_range a, bool undefined)
{
    a.undefined = undefined;
    return a;
}

/* Of a function that rises, from its values at the ends. */
static inline struct actio_range actio_range_rising(double lo, double hi)
{
    return actio_range_widened(lo, hi, ACTIO_RANGE_FUNCTION);
}

/* 0 times infinity is 0: the infinite end stands for finite numbers. */
static inline double actio_range_product(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }
static inline bool actio_range_has(struct actio_range a, double x) { return a.lo <= x && x <= a.hi; }

static inline struct actio_range actio_range_hull(struct actio_range a, struct actio_range b)
{
    return actio_range_of(fmin(a.lo, b.lo), fmax(a.hi, b.hi));
}

/* ---- sums and products */

static inline struct actio_range actio_range_neg(struct actio_range a) { return actio_range_of(-a.hi, -a.lo); }

static inline struct actio_range actio_range_add(struct actio_range a, struct actio_range b)
{
    return actio_range_widened(a.lo + b.lo, a.hi + b.hi, 1);
}

static inline struct actio_range actio_range_sub(struct actio_range a, struct actio_range b)
{
    return actio_range_widened(a.lo - b.hi, a.hi - b.lo, 1);
}

static inline struct actio_range actio_range_mul(struct actio_range a, struct actio_range b)
{
    double p = actio_range_product(a.lo, b.lo), q = actio_range_product(a.lo, b.hi),
           r = actio_range_product(a.hi, b.lo), s = actio_range_product(a.hi, b.hi);
    return actio_range_widened(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)), 1);
}

static inline struct actio_range actio_range_abs(struct actio_range a)
{
    double most = fmax(fabs(a.lo), fabs(a.hi));
    return actio_range_of(actio_range_has(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi)), most);
}

static inline struct actio_range actio_range_square(struct actio_range a)
{
    struct actio_range b = actio_range_abs(a);
    return actio_range_of(fmax(0, actio_range_down(b.lo * b.lo, 1)), actio_range_up(b.hi * b.hi, 1));
}

/* By a range with zero anything may come out, of either sign. */
static inline struct actio_range actio_range_div(struct actio_range a, struct actio_range b)
{
    if (actio_range_has(b, 0)) return ACTIO_RANGE_ALL;
    return actio_range_mul(a, actio_range_widened(1 / b.hi, 1 / b.lo, 1));
}

/* ---- corners and conditions */

static inline struct actio_range actio_range_sign(struct actio_range a)
{
    return actio_range_of(a.lo > 0 ? 1 : a.lo < 0 ? -1 : 0, a.hi > 0 ? 1 : a.hi < 0 ? -1 : 0);
}
/* Beside what is not a number either operand may be the smaller and the larger one. */
static inline struct actio_range actio_range_min(struct actio_range a, struct actio_range b)
{
    struct actio_range r = actio_range_of(fmin(a.lo, b.lo), fmin(a.hi, b.hi));
    return a.undefined || b.undefined ? actio_range_hull(a, b) : r;
}
static inline struct actio_range actio_range_max(struct actio_range a, struct actio_range b)
{
    struct actio_range r = actio_range_of(fmax(a.lo, b.lo), fmax(a.hi, b.hi));
    return a.undefined || b.undefined ? actio_range_hull(a, b) : r;
}
/* Of a condition that holds throughout, or somewhere. */
static inline struct actio_range actio_range_truth(bool always, bool ever)
{
    return actio_range_of(always ? 1 : 0, ever ? 1 : 0);
}
/* a < b, a <= b */
static inline struct actio_range actio_range_less(struct actio_range a, struct actio_range b)
{
    if (a.undefined || b.undefined) return actio_range_of(0, 1);
    return actio_range_truth(a.hi < b.lo, a.lo < b.hi);
}
static inline struct actio_range actio_range_most(struct actio_range a, struct actio_range b)
{
    if (a.undefined || b.undefined) return actio_range_of(0, 1);
    return actio_range_truth(a.hi <= b.lo, a.lo <= b.hi);
}
static inline struct actio_range actio_range_if(struct actio_range a, struct actio_range b, struct actio_range c)
{
    if (a.lo > 0) return b;
    return a.hi == 0 ? c : actio_range_hull(b, c);
}
static inline struct actio_range actio_range_floor(struct actio_range a)
{
    return actio_range_of(floor(a.lo), floor(a.hi));
}

static inline struct actio_range actio_range_mod(struct actio_range a, struct actio_range b)
{
    struct actio_range whole = actio_range_div(a, b);
    if (!isfinite(whole.lo) || !isfinite(whole.hi)) return ACTIO_RANGE_ALL;
    if (floor(whole.lo) == floor(whole.hi))
        return actio_range_sub(a, actio_range_mul(b, actio_range_at(floor(whole.lo))));
    /* a - b floor(a/b) is rounded, and a/b may be -0 of a negative a */
    double off = fmax(fabs(a.lo), fabs(a.hi)) * 4 * ACTIO_RANGE_ULP + fmax(fabs(b.lo), fabs(b.hi)) * 0x1p-1020;
    return actio_range_widened(fmin(b.lo, 0) - off, fmax(b.hi, 0) + off, 4);
}

/* ---- functions */

static inline struct actio_range actio_range_sqrt(struct actio_range a)
{
    if (a.hi < 0) return ACTIO_RANGE_ALL;
    double least = fmax(0, actio_range_down(sqrt(fmax(a.lo, 0)), 1));
    return actio_range_partly(actio_range_of(least, actio_range_up(sqrt(a.hi), 1)), a.lo < 0);
}

static inline struct actio_range actio_range_hypot(struct actio_range a, struct actio_range b)
{
    struct actio_range x = actio_range_abs(a), y = actio_range_abs(b);
    double least = actio_range_down(actio_hypot(x.lo, y.lo), ACTIO_RANGE_FUNCTION);
    return actio_range_of(fmax(0, least), actio_range_up(actio_hypot(x.hi, y.hi), ACTIO_RANGE_FUNCTION));
}

static inline struct actio_range actio_range_log(struct actio_range a)
{
    if (a.hi < 0) return ACTIO_RANGE_ALL;
    return actio_range_partly(actio_range_rising(a.lo > 0 ? actio_log(a.lo) : -HUGE_VAL, actio_log(a.hi)), a.lo < 0);
}

/* Has [lo, hi] a place k*period + phase? Places are looked for a little beyond the ends. */
static inline bool actio_range_meets(struct actio_range a, double phase, double period)
{
    double off = 1e-15 * fmax(fabs(a.lo), fabs(a.hi));
    return floor((a.hi + off - phase) / period) >= ceil((a.lo - off - phase) / period);
}

#define ACTIO_RANGE_PI 3.14159265358979323846

/* shift: 0 of the sine, pi/2 of the cosine */
static inline struct actio_range actio_range_wave(struct actio_range a, double at_lo, double at_hi, double shift)
{
    if (!(a.hi - a.lo < 7) || fabs(a.lo) > 1e12 || fabs(a.hi) > 1e12) return actio_range_of(-1, 1);
    struct actio_range ends = actio_range_widened(fmin(at_lo, at_hi), fmax(at_lo, at_hi), ACTIO_RANGE_FUNCTION);
    if (actio_range_meets(a, ACTIO_RANGE_PI / 2 - shift, 2 * ACTIO_RANGE_PI)) ends.hi = 1;
    if (actio_range_meets(a, -ACTIO_RANGE_PI / 2 - shift, 2 * ACTIO_RANGE_PI)) ends.lo = -1;
    return actio_range_of(fmax(ends.lo, -1), fmin(ends.hi, 1));
}

static inline struct actio_range actio_range_sin(struct actio_range a)
{
    return actio_range_wave(a, actio_sin(a.lo), actio_sin(a.hi), 0);
}
static inline struct actio_range actio_range_cos(struct actio_range a)
{
    return actio_range_wave(a, actio_cos(a.lo), actio_cos(a.hi), ACTIO_RANGE_PI / 2);
}

static inline struct actio_range actio_range_tan(struct actio_range a)
{
    bool pole = !(a.hi - a.lo < 4) || fabs(a.lo) > 1e12 || fabs(a.hi) > 1e12
                || actio_range_meets(a, ACTIO_RANGE_PI / 2, ACTIO_RANGE_PI);
    return pole ? ACTIO_RANGE_ALL : actio_range_rising(actio_tan(a.lo), actio_tan(a.hi));
}

static inline struct actio_range actio_range_asin(struct actio_range a)
{
    if (a.hi < -1 || a.lo > 1) return ACTIO_RANGE_ALL;
    return actio_range_partly(actio_range_rising(actio_asin(fmax(a.lo, -1)), actio_asin(fmin(a.hi, 1))),
                              a.lo < -1 || a.hi > 1);
}

static inline struct actio_range actio_range_acos(struct actio_range a)
{
    if (a.hi < -1 || a.lo > 1) return ACTIO_RANGE_ALL;
    return actio_range_partly(actio_range_rising(actio_acos(fmin(a.hi, 1)), actio_acos(fmax(a.lo, -1))),
                              a.lo < -1 || a.hi > 1);
}

/* Away from the cut, where the angle jumps, the corners have the extremes. */
static inline struct actio_range actio_range_atan2(struct actio_range y, struct actio_range x)
{
    if (x.lo <= 0 && y.lo <= 0 && y.hi >= 0) return actio_range_widened(-ACTIO_RANGE_PI, ACTIO_RANGE_PI, 1);
    double p = actio_atan2(y.lo, x.lo), q = actio_atan2(y.lo, x.hi), r = actio_atan2(y.hi, x.lo),
           s = actio_atan2(y.hi, x.hi);
    return actio_range_rising(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static inline struct actio_range actio_range_cosh(struct actio_range a)
{
    struct actio_range b = actio_range_abs(a);
    return actio_range_of(fmax(1, actio_range_down(actio_cosh(b.lo), ACTIO_RANGE_FUNCTION)),
                          actio_range_up(actio_cosh(b.hi), ACTIO_RANGE_FUNCTION));
}

/* Products of k factors are off by k roundings. */
static inline struct actio_range actio_range_powi(struct actio_range a, int32_t k)
{
    double ulps = fabs((double)k) + 2;
    if (k == 0) return actio_range_at(1);
    if (k < 0 && a.lo <= 0 && a.hi >= 0) {
        double least = actio_powi(fmax(fabs(a.lo), fabs(a.hi)), k);
        if (k % 2 == 0) return actio_range_of(fmax(0, actio_range_down(least, ulps)), HUGE_VAL);
        return ACTIO_RANGE_ALL;
    }
    struct actio_range b = k % 2 == 0 ? actio_range_abs(a) : a;
    double p = actio_powi(b.lo, k), q = actio_powi(b.hi, k);
    return actio_range_widened(fmin(p, q), fmax(p, q), ulps);
}

/* a^b of positive numbers: the corners have the extremes. Of negative ones a power exists where b is whole. */
static inline struct actio_range actio_range_pow(struct actio_range a, struct actio_range b)
{
    bool whole = b.lo == b.hi && b.lo == floor(b.lo);
    if (a.lo < 0 && (whole || b.lo != b.hi)) return ACTIO_RANGE_ALL;
    /* infinity to a power is not refused as -1 is, and 1/0 has either sign */
    if (a.hi < 0 || a.lo == -HUGE_VAL || (a.lo <= 0 && b.lo < 0)) return ACTIO_RANGE_ALL;
    double low = fmax(a.lo, 0);
    double p = actio_pow(low, b.lo), q = actio_pow(low, b.hi), r = actio_pow(a.hi, b.lo), s = actio_pow(a.hi, b.hi);
    return actio_range_partly(actio_range_rising(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))), a.lo < 0);
}

/* The slope of the error function, 2/sqrt(pi) exp(-a^2). */
static inline struct actio_range actio_range_bell(struct actio_range a)
{
    struct actio_range b = actio_range_square(a);
    return actio_range_mul(actio_range_at(0x1.20dd750429b6dp+0),
                           actio_range_rising(actio_exp(-b.hi), actio_exp(-b.lo)));
}

#endif
