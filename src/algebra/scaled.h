/* SPDX-License-Identifier: Apache-2.0
 * Complex numbers without <complex.h>, whose products need run-time support, and with an exponent of their own:
 * products of thousands fit. */
#ifndef ACTIO_ALGEBRA_SCALED_H
#define ACTIO_ALGEBRA_SCALED_H

#include "algebra/periodic.h"

#include <math.h>

typedef struct {
    double re, im;
} actio_cx;

/* m 2^exponent; the larger part of m lies in [1/2, 1), or m = 0. The exponent is a whole number, a double so that all
 * scratch is of one kind. */
struct actio_scaled {
    actio_cx m;
    double exponent;
};

static inline actio_cx actio_cx_add(actio_cx a, actio_cx b) { return (actio_cx){ a.re + b.re, a.im + b.im }; }
static inline actio_cx actio_cx_sub(actio_cx a, actio_cx b) { return (actio_cx){ a.re - b.re, a.im - b.im }; }
static inline actio_cx actio_cx_mul(actio_cx a, actio_cx b)
{
    return (actio_cx){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
static inline double actio_cx_abs(actio_cx a) { return hypot(a.re, a.im); }
actio_cx actio_cx_div(actio_cx a, actio_cx b);
actio_cx actio_cx_sqrt(actio_cx a); /* the one with re >= 0 */

struct actio_scaled actio_scaled_make(actio_cx m, double exponent);
struct actio_scaled actio_scaled_mul(struct actio_scaled a, actio_cx b);
/* a / b: 0 or not finite when out of range */
actio_cx actio_scaled_ratio(struct actio_scaled a, struct actio_scaled b);

/* The eigenvalues v[n] of something real, each with its rounding errors, as exact reals and conjugate pairs w[n] in the
 * same places.
 * An imaginary part below `noise` beside the modulus is rounding. v is used up. */
void actio_scaled_conjugates(size_t n, double noise, struct actio_scaled *v, struct actio_multiplier *w);

#endif
