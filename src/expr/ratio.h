/* SPDX-License-Identifier: Apache-2.0
 * Numbers that are exact fractions of 64-bit integers for as long as that fits, and doubles from then on. Inside expr/
 * only. */
#ifndef ACTIO_EXPR_RATIO_H
#define ACTIO_EXPR_RATIO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t p, q;
    double x;
} actio_ratio; /* q > 0: p/q in lowest terms; q == 0: x, not exact */

actio_ratio actio_ratio_whole(int64_t p);
actio_ratio actio_ratio_fraction(int64_t p, int64_t q); /* q > 0 */
actio_ratio actio_ratio_of(double x);   /* the short fraction or decimal that reads as exactly this double, or x */
actio_ratio actio_ratio_near(double x); /* the same, or a still shorter fraction within a few roundings of x */
double actio_ratio_value(actio_ratio a);
actio_ratio actio_ratio_add(actio_ratio a, actio_ratio b); /* inexact sums that cancel to 1e-12 are 0 */
actio_ratio actio_ratio_mul(actio_ratio a, actio_ratio b);
actio_ratio actio_ratio_neg(actio_ratio a);
actio_ratio actio_ratio_inverse(actio_ratio a); /* a is not 0 */
actio_ratio actio_ratio_power(actio_ratio a, int32_t k);
/* largest fraction of which both are whole multiples; inexact: 1 */
actio_ratio actio_ratio_gcd(actio_ratio a, actio_ratio b);
bool actio_ratio_same(actio_ratio a, actio_ratio b);
int64_t actio_whole_gcd(int64_t a, int64_t b); /* not negative */

static inline bool actio_ratio_exact(actio_ratio a) { return a.q != 0; }
static inline int actio_ratio_sign(actio_ratio a) { return a.q ? (a.p > 0) - (a.p < 0) : (a.x > 0) - (a.x < 0); }
static inline bool actio_ratio_is(actio_ratio a, int64_t p) { return a.q == 1 && a.p == p; }

#endif
