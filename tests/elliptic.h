/* SPDX-License-Identifier: Apache-2.0
 * Complete elliptic integrals and Jacobi's functions, by arithmetic-geometric means. The argument is the complementary
 * parameter m1 = 1 - m = 1 - k^2, 0 <= m1 <= 1, so that m near 1 keeps its digits. Outside: NAN. Sums of positive
 * terms.
 * a_0 = 1, b_0 = sqrt(m1), a_{i+1} = (a_i + b_i)/2, b_{i+1} = sqrt(a_i b_i), c_{i+1} = (a_i - b_i)/2.
 * [AbSt 17.6, 16.12]: Abramowitz and Stegun, Handbook of Mathematical Functions. */
#ifndef ACTIO_TESTS_ELLIPTIC_H
#define ACTIO_TESTS_ELLIPTIC_H

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846
enum { MOST = 24 }; /* from m1 = 4.9e-324 the means meet within 13 steps */

struct means {
    int last;
    double a[MOST], b[MOST];
};

static void take_means(struct means *g, double b)
{
    g->a[0] = 1;
    g->b[0] = b;
    int i = 0;
    for (; i + 1 < MOST && fabs(g->a[i] - g->b[i]) > 4 * DBL_EPSILON * g->a[i]; i++) {
        g->a[i + 1] = (g->a[i] + g->b[i]) / 2;
        g->b[i + 1] = sqrt(g->a[i] * g->b[i]);
    }
    g->last = i;
}

static int outside(double m1) { return !(m1 >= 0 && m1 <= 1); }

static double actio_elliptic_k(double m1) /* [AbSt 17.6.3] */
{
    struct means g;
    if (outside(m1)) return NAN;
    if (m1 == 0) return INFINITY;
    take_means(&g, sqrt(m1));
    return PI / (2 * g.a[g.last]);
}

/* Legendre's relation with (K' - E')/K' = sum of 2^(i-1) c_i'^2 from the complementary means, where E/K = 1 - sum would
 * cancel: [AbSt 17.3.13, 17.6.4]
 * E = K (K' - E')/K' + pi/(2 K') */
static double actio_elliptic_e(double m1)
{
    struct means g;
    if (outside(m1)) return NAN;
    if (m1 == 0) return 1;
    if (m1 == 1) return PI / 2;
    take_means(&g, sqrt(1 - m1));
    double sum = m1 / 2, power = 1;
    for (int i = 0; i < g.last; i++, power *= 2) {
        double c = (g.a[i] - g.b[i]) / 2;
        sum += power * c * c;
    }
    return actio_elliptic_k(m1) * sum + g.a[g.last];
}

static void hyperbolic(double u, double *sn, double *cn, double *dn)
{
    *sn = tanh(u);
    *cn = *dn = 1 / cosh(u);
}

/* dn_i = (C^2 + b_i a_{i+1}) / (C^2 + a_i a_{i+1}) with C = a_{i+1} cs_{i+1}, divided by C^2 where that is large */
static double climb(double c, double b, double a, double next)
{
    if (fabs(c) <= 1) return (c * c + b * next) / (c * c + a * next);
    return (1 + b / c * (next / c)) / (1 + a / c * (next / c));
}

/* Landen's descending transformation in C_i = a_i cs(a_i u, m_i), cs = cn/sn: C_i = C_{i+1} dn_{i+1}.  [AbSt 16.12] */
static void actio_jacobi(double u, double m1, double *sn, double *cn, double *dn)
{
    struct means g;
    *sn = *cn = *dn = NAN;
    if (outside(m1) || !isfinite(u)) return;
    if (m1 == 0) {
        hyperbolic(u, sn, cn, dn);
        return;
    }
    take_means(&g, sqrt(m1));
    double s = sin(g.a[g.last] * u), c = cos(g.a[g.last] * u), d = 1;
    *sn = s;
    *cn = c;
    *dn = 1;
    if (s == 0) return;
    double C = g.a[g.last] * (c / s);
    for (int i = g.last; i-- > 0;) {
        double before = d;
        d = climb(C, g.b[i], g.a[i], g.a[i + 1]);
        C *= before;
    }
    *sn = copysign(1 / hypot(1, C), s);
    *cn = C * *sn;
    *dn = d;
}

#endif
