/* SPDX-License-Identifier: Apache-2.0
 * A point mass under gravity inside the unit circle, elastic: flights by hand, in double and in quadruple precision.
 * Returns the bounces. */
#ifndef ACTIO_BENCH_TUMBLER_H
#define ACTIO_BENCH_TUMBLER_H

long bench_tumbler(double span, const double start[4], double g, double out[4]);
long bench_tumbler_quad(double span, const double start[4], double g, double out[4]);
/* By Siconos in steps of this length; only where it is installed (BENCH_SICONOS). */
void bench_tumbler_siconos(double span, const double start[4], double g, double step, double out[4]);

#endif
