/* SPDX-License-Identifier: Apache-2.0
 * The disk of models/disk.act for programs written by hand: its numbers, its right-hand side, its motion in closed
 * form. */
#ifndef ACTIO_BENCH_DISK_H
#define ACTIO_BENCH_DISK_H

#include <math.h>

/* y = (x, y, theta, phi and their rates), t = 0 .. 2 pi */
#define DISK_MASS 1.0
#define DISK_RADIUS 1.0
/* moment of inertia about the axis; about a diameter it drops out */
#define DISK_ROLL (0.5 * DISK_MASS * DISK_RADIUS * DISK_RADIUS)
#define DISK_PULL 4.9 /* g sin(alpha) */
#define DISK_END 6.283185307179586
enum { DISK_N = 8 };
static const double disk_start[DISK_N] = { 0, 0, 0, 0, 5, 0, 5, 1 };

/* Rows of the constraints in the accelerations: (2u, 2v, -2R^2 w) and (sin phi, -cos phi, 0); with a = M^-1 (h + rows'
 * lambda) they leave two equations for lambda, solved by their determinant. */
static inline __attribute__((always_inline)) void disk_rhs(const double *restrict y, double *restrict f)
{
    double s, c, u = y[4], v = y[5], w = y[6], turn = y[7];
    sincos(y[3], &s, &c);
    double a = 2 * u, b = 2 * v, d = -2 * DISK_RADIUS * DISK_RADIUS * w;
    double s11 = (a * a + b * b) / DISK_MASS + d * d / DISK_ROLL, s12 = (a * s - b * c) / DISK_MASS,
           s22 = 1 / DISK_MASS;
    double r1 = -a * DISK_PULL, r2 = -turn * (u * c + v * s) - s * DISK_PULL;
    double inverse = 1 / (s11 * s22 - s12 * s12);
    double roll = (r1 * s22 - r2 * s12) * inverse, blade = (r2 * s11 - r1 * s12) * inverse;
    f[0] = u;
    f[1] = v;
    f[2] = w;
    f[3] = turn;
    f[4] = DISK_PULL + (a * roll + s * blade) / DISK_MASS;
    f[5] = (b * roll - c * blade) / DISK_MASS;
    f[6] = d * roll / DISK_ROLL;
    f[7] = 0;
}

/* phi = t; the disk rolls with the speed 5 + k sin t. */
static inline void disk_motion(double t, double *y)
{
    double k = DISK_PULL / (1 + DISK_ROLL / (DISK_MASS * DISK_RADIUS * DISK_RADIUS)), s = sin(t), c = cos(t),
           speed = 5 + k * s;
    y[0] = 5 * s + k * s * s / 2;
    y[1] = 5 * (1 - c) + k * (t - s * c) / 2;
    y[2] = 5 * t + k * (1 - c);
    y[3] = t;
    y[4] = speed * c;
    y[5] = speed * s;
    y[6] = speed;
    y[7] = 1;
}

/* Largest |error| / (1 + |value|) of the components at t. */
static inline double disk_error(double t, const double *y)
{
    double exact[DISK_N], largest = 0;
    disk_motion(t, exact);
    for (int i = 0; i < DISK_N; i++) {
        double e = fabs(y[i] - exact[i]) / (1 + fabs(exact[i]));
        if (!(e <= largest)) largest = e;
    }
    return largest;
}

#endif
