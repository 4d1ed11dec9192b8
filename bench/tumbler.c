/* SPDX-License-Identifier: Apache-2.0 */
#include "tumbler.h"

#include <math.h>

#define REAL double
#define FLY fly
#define ROOT sqrt
#include "tumbler_flight.h"
#undef REAL
#undef FLY
#undef ROOT
#define REAL __float128
#define FLY fly_quad
#define ROOT root_quad

/* Newton's method from the double one: two steps are enough. */
static __float128 root_quad(__float128 x)
{
    __float128 r = sqrt((double)x);
    for (int i = 0; i < 3; i++) r = (r + x / r) / 2;
    return r;
}
#include "tumbler_flight.h"

long bench_tumbler(double span, const double start[4], double g, double out[4]) { return fly(span, start, g, out); }

long bench_tumbler_quad(double span, const double start[4], double g, double out[4])
{
    __float128 from[4] = { start[0], start[1], start[2], start[3] }, to[4];
    long n = fly_quad(span, from, (__float128)g, to);
    for (int i = 0; i < 4; i++) out[i] = (double)to[i];
    return n;
}
