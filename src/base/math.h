/* SPDX-License-Identifier: Apache-2.0
 * The value of every operation, once: included by the library and put in front of emitted C, so all ways give the same
 * bits.
 * sin, cos, exp and log are branch-free where a loop over lanes needs it; errors stay below 2 ulp. NaN counts as one
 * value. */
#ifndef ACTIO_BASE_MATH_H
#define ACTIO_BASE_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Loops over lanes are compiled for several processors: what they call must become part of them. */
#define ACTIO_INLINE static inline __attribute__((always_inline))

/* One rounding. WebAssembly has no such instruction: there results agree to rounding, not in bits. */
ACTIO_INLINE double actio_fma(double a, double b, double c)
{
#ifdef __wasm__
    return a * b + c;
#else
    return __builtin_fma(a, b, c);
#endif
}

ACTIO_INLINE uint64_t actio_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
ACTIO_INLINE double actio_of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
/* -1022 <= e <= 1023 */
static inline double actio_two_to(int e) { return actio_of_bits((uint64_t)(1023 + e) << 52); }

/* Adding this rounds to a whole number and leaves it, as two's complement, in the low bits. */
#define ACTIO_ROUND 0x1.8p52

/* ---- sine and cosine */

/* sin and cos of hi + lo, |hi| <= pi/4 and a little more. */
ACTIO_INLINE void actio_eighth(double hi, double lo, double *s, double *c)
{
    double z = hi * hi, h = 0.5 * z, w = 1.0 - h;
    /* polynomials by halves and quarters: the longest chain is what a right-hand side waits for */
    double z2 = z * z, z4 = z2 * z2;
    double p = actio_fma(z, 0x1.1111111110bb1p-7, -0x1.5555555555555p-3),
           p2 = actio_fma(z, 0x1.71de37961e4c6p-19, -0x1.a01a019e8357dp-13);
    double p4 = actio_fma(z, 0x1.5e0af186af739p-33, -0x1.ae600a926c89ap-26);
    p = actio_fma(z4, p4, actio_fma(z2, p2, p));
    double q = actio_fma(z, -0x1.6c16c16c16966p-10, 0x1.5555555555555p-5),
           q2 = actio_fma(z, -0x1.27e4fa17a41b4p-22, 0x1.a01a019f4e867p-16);
    double q4 = actio_fma(z, -0x1.907d7aebd5e3dp-37, 0x1.1eeb68b109173p-29);
    q = actio_fma(z4, q4, actio_fma(z2, q2, q));
    *s = hi + actio_fma(hi * z, p, lo * w);
    *c = w + ((1.0 - w - h) + actio_fma(z2, q, -(hi * lo)));
}

/* The same, turned by n quarters. */
ACTIO_INLINE void actio_quarter(double hi, double lo, uint64_t n, double *s, double *c)
{
    double sine, cosine;
    actio_eighth(hi, lo, &sine, &cosine);
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t a = actio_bits(sine) | (actio_bits(hi) & sign); /* sin(-0) is -0 */
    uint64_t b = actio_bits(cosine), swap = (a ^ b) & -(n & 1);
    *s = actio_of_bits((a ^ swap) ^ (n << 62 & sign));
    *c = actio_of_bits((b ^ swap) ^ ((n + 1) << 62 & sign));
}

/* x = hi + lo + n pi/2 for moderate arguments that aren't the very neighbours of a multiple of pi/2: pi/2 in three
 * parts, the first two short enough that their products are exact; what is left is wrong by n 2^-121. Returns 0, or 1
 * where it is wrong and actio_sincos_far must be called. */
ACTIO_INLINE uint64_t actio_reduce(double x, double *hi, double *lo, uint64_t *n)
{
    double t = actio_fma(x, 0x1.45f306dc9c883p-1, ACTIO_ROUND), k = t - ACTIO_ROUND;
    double a = actio_fma(-k, 0x1.921fb544p+0, x), w = k * 0x1.0b4611a6p-34;
    double h = actio_fma(-k, 0x1.0b4611a6p-34, a), v = h - a;
    *hi = h;
    *lo = ((a - (h - v)) - (w + v)) - k * 0x1.3198a2e037073p-69;
    *n = actio_bits(t);
    uint64_t wide = !(fabs(x) < 1e5), close = (k != 0) & (fabs(h) < fabs(k) * 0x1p-58);
    return wide | close;
}

/* Over lanes: no branch. The result is that of actio_reduce. */
ACTIO_INLINE uint64_t actio_sincos_near(double x, double *s, double *c)
{
    double hi, lo;
    uint64_t n, far = actio_reduce(x, &hi, &lo, &n);
    actio_quarter(hi, lo, n, s, c);
    return far;
}

/* 64 bits of the number in `limb` (32 bits each, least first) from bit `at` upwards. */
static inline uint64_t actio_window(const uint32_t limb[12], int at)
{
    const uint32_t *l = limb + at / 32;
    int by = at % 32;
    uint64_t u = l[0] | (uint64_t)l[1] << 32;
    return by ? u >> by | (uint64_t)l[2] << (64 - by) : u;
}

/* limb = m times the 7 words of 2/pi from `first` on; bits of 2/pi left of those give whole turns. */
static inline void actio_times_two_by_pi(uint64_t m, int first, uint32_t limb[12])
{
    static const uint32_t word[] = { 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                                     0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                                     0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                                     0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                                     0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                                     0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d };
    for (int i = 0; i < 12; i++) limb[i] = 0;
    for (int half = 0; half < 2; half++) {
        uint64_t factor = half ? m >> 32 : m & 0xffffffff, carry = 0;
        for (int i = 0; i < 7; i++) {
            uint64_t sum = factor * word[first + 6 - i] + limb[i + half] + carry;
            limb[i + half] = (uint32_t)sum;
            carry = sum >> 32;
        }
        limb[7 + half] = (uint32_t)carry;
    }
}

/* Any argument: x * 2/pi in whole numbers, so that nothing is lost however large x is. */
static inline void actio_sincos_far(double x, double *s, double *c)
{
    if (!(fabs(x) <= 0x1.fffffffffffffp1023)) {
        *s = *c = x - x;
        return;
    }
    uint64_t u = actio_bits(x), m = (u & 0xfffffffffffff) | 0x10000000000000;
    int e = (int)(u >> 52 & 2047) - 1075, first = e >= 34 ? (e - 2) / 32 : 0, point = 32 * (first + 7) - e;
    uint32_t limb[12];
    actio_times_two_by_pi(m, first, limb);
    uint64_t n = actio_window(limb, point), f = actio_window(limb, point - 64), g = actio_window(limb, point - 128);
    uint64_t down = f >> 63; /* nearest whole number is above: the rest is negative */
    if (down) {
        n++;
        f = ~f;
        g = ~g;
    }
    int zeros = 0;
    while (zeros < 64 && !(f >> 63)) {
        f = f << 1 | g >> 63;
        g <<= 1;
        zeros++;
    }
    double hi = (double)(f >> 11) * actio_two_to(-53 - zeros);
    double lo = (double)(f << 53 >> 11 | g >> 22) * actio_two_to(-106 - zeros);
    double r = hi * 0x1.921fb54442d18p+0;
    double tail =
        actio_fma(hi, 0x1.921fb54442d18p+0, -r) + actio_fma(hi, 0x1.1a62633145c07p-54, lo * 0x1.921fb54442d18p+0);
    double sum = r + tail, rest = (r - sum) + tail;
    actio_quarter(down ? -sum : sum, down ? -rest : rest, n, s, c);
    if (u >> 63) *s = -*s;
}

/* One value, for which a right-hand side waits: branches that are foreseen cost nothing, and no value leaves the
 * floating-point registers.
 * The bits are those of the loop over lanes. */
ACTIO_INLINE void actio_sincos(double x, double *s, double *c)
{
    double hi, lo, sine, cosine;
    const uint64_t one = (uint64_t)1023 << 52, sign = (uint64_t)1 << 63;
    uint64_t n;
    if (__builtin_expect(actio_reduce(x, &hi, &lo, &n) != 0, 0)) {
        actio_sincos_far(x, &sine, &cosine);
        *s = sine;
        *c = cosine;
        return;
    }
    double plus = actio_of_bits(one | (n << 62 & sign)), minus = actio_of_bits(one | ((n + 1) << 62 & sign));
    actio_eighth(hi, lo, &sine, &cosine);
    sine = copysign(sine, hi); /* sin(-0) is -0 */
    if (n & 1) {
        *s = cosine * plus;
        *c = sine * minus;
    } else {
        *s = sine * plus;
        *c = cosine * minus;
    }
}

ACTIO_INLINE double actio_sin(double x)
{
    double s, c;
    actio_sincos(x, &s, &c);
    return s;
}
ACTIO_INLINE double actio_cos(double x)
{
    double s, c;
    actio_sincos(x, &s, &c);
    return c;
}

/* ---- exponential and logarithm */

/* exp(k ln 2 + r), the power of two in two factors so that neither over- nor underflows. */
ACTIO_INLINE double actio_exp(double x)
{
    double y = x > 800 ? 800 : x < -800 ? -800 : x;
    double t = y * 0x1.71547652b82fep+0 + ACTIO_ROUND, k = t - ACTIO_ROUND;
    double a = y - k * 0x1.62e42feep-1, b = k * 0x1.a39ef35793c76p-33;
    double r = a - b, lo = (a - r) - b;
    double p = actio_fma(r, 0x1.1f730349868cep-29, 0x1.af4de97ca4194p-26);
    p = actio_fma(r, p, 0x1.27e4db646b17ep-22);
    p = actio_fma(r, p, 0x1.71de0231960ebp-19);
    p = actio_fma(r, p, 0x1.a01a01a6d889cp-16);
    p = actio_fma(r, p, 0x1.a01a01abe7fe1p-13);
    p = actio_fma(r, p, 0x1.6c16c16c162d4p-10);
    p = actio_fma(r, p, 0x1.11111111100dcp-7);
    p = actio_fma(r, p, 0x1.5555555555556p-5);
    p = actio_fma(r, p, 0x1.5555555555557p-3);
    p = actio_fma(r, p, 0.5);
    double v = 1.0 + (r + actio_fma(r * r, p, lo));
    uint64_t e = actio_bits(t) - actio_bits(ACTIO_ROUND) + 2046, half = e >> 1;
    return v * actio_of_bits(half << 52) * actio_of_bits((e - half) << 52);
}

/* x = 2^k (1 + f), s = f/(2 + f): log(1 + f) = 2 artanh(s), written so that f, which is exact, comes last. */
ACTIO_INLINE double actio_log(double x)
{
    int tiny = x < 0x1p-1022;
    uint64_t u = actio_bits(tiny ? x * 0x1p54 : x);
    /* of sqrt(1/2): the exponent of the nearest power of two */
    uint64_t above = u - 0x3fe6a09e667f3bcd + ((uint64_t)1023 << 52);
    uint64_t power = above >> 52;
    double k = actio_of_bits(power | 0x4330000000000000) - (tiny ? 0x1p52 + 1077 : 0x1p52 + 1023);
    double f = actio_of_bits(u - ((power - 1023) << 52)) - 1.0;
    double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
    double p = actio_fma(z, 0x1.2b5b5fb2eac92p-3, 0x1.39fe208c33457p-3);
    p = actio_fma(z, p, 0x1.7462b69705382p-3);
    p = actio_fma(z, p, 0x1.c71c62debf86bp-3);
    p = actio_fma(z, p, 0x1.2492492df6947p-2);
    p = actio_fma(z, p, 0x1.99999999952b2p-2);
    p = actio_fma(z, p, 0x1.5555555555558p-1);
    double v = k * 0x1.62e42feep-1 - ((h - (s * actio_fma(z, p, h) + k * 0x1.a39ef35793c76p-33)) - f);
    v = x == 0 ? -HUGE_VAL : v;
    v = x < 0 ? NAN : v;
    return x < HUGE_VAL ? v : x; /* also passes NaN on */
}

/* ---- from the C library, one lane at a time */

static inline double actio_tan(double x) { return tan(x); }
static inline double actio_asin(double x) { return asin(x); }
static inline double actio_acos(double x) { return acos(x); }
static inline double actio_atan(double x) { return atan(x); }
static inline double actio_sinh(double x) { return sinh(x); }
static inline double actio_cosh(double x) { return cosh(x); }
static inline double actio_tanh(double x) { return tanh(x); }
static inline double actio_erf(double x) { return erf(x); }
static inline double actio_atan2(double y, double x) { return atan2(y, x); }
static inline double actio_pow(double x, double y) { return pow(x, y); }

/* ---- small ones */

/* Binary powering from the lowest bit; the plan's products for small k follow the same order. */
ACTIO_INLINE double actio_powi(double x, int32_t k)
{
    uint32_t n = k < 0 ? 0u - (uint32_t)k : (uint32_t)k;
    double power = 1.0;
    for (; n; n >>= 1) {
        if (n & 1) power *= x;
        x *= x;
    }
    return k < 0 ? 1.0 / power : power;
}

ACTIO_INLINE double actio_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
ACTIO_INLINE double actio_min(double a, double b) { return a < b ? a : b; }
ACTIO_INLINE double actio_max(double a, double b) { return a > b ? a : b; }
ACTIO_INLINE double actio_mod(double a, double b) { return a - b * floor(a / b); } /* has the sign of b */

/* sqrt(a^2 + b^2). Where squares would overflow or lose bits, the larger of the two is brought near 1 by a power of
 * two, which is exact. */
ACTIO_INLINE double actio_hypot(double a, double b)
{
    double x = fabs(a), y = fabs(b), most = x > y ? x : y;
    double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-450 ? 0x1p600 : 1.0;
    x *= scale;
    y *= scale;
    return sqrt(x * x + y * y) / scale;
}
ACTIO_INLINE double actio_if(double cond, double a, double b) { return cond != 0 ? a : b; }

#endif
