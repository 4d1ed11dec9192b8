/* SPDX-License-Identifier: Apache-2.0
 * Shapes of the dual action's elements: Lagrange's polynomials on Lobatto nodes, Legendre's of norm 1, Gauss's
 * quadrature. */
#include "solve/dual.h"
#include "algebra/sbp.h"

#include <math.h>

/* P_n and its derivative on [-1, 1]. */
static double legendre(size_t n, double x, double *slope)
{
    double before = 1, now = x, d_before = 0, d_now = 1;
    if (n == 0) {
        *slope = 0;
        return 1;
    }
    for (size_t j = 1; j < n; j++) {
        double a = (double)(2 * j + 1) / (double)(j + 1), b = (double)j / (double)(j + 1);
        double next = a * x * now - b * before, d_next = a * (now + x * d_now) - b * d_before;
        before = now;
        now = next;
        d_before = d_now;
        d_now = d_next;
    }
    *slope = d_now;
    return now;
}

static void gauss(size_t n, double *at, double *weight)
{
    const double pi = 3.14159265358979323846;
    for (size_t i = 0; i < n; i++) {
        double x = -cos(pi * ((double)i + 0.75) / ((double)n + 0.5)), d;
        for (int it = 0; it < 20; it++) {
            double step = legendre(n, x, &d) / d;
            x -= step;
            if (fabs(step) < 1e-16) break;
        }
        legendre(n, x, &d);
        at[i] = 0.5 * (1 + x);
        weight[i] = 1 / ((1 - x * x) * d * d);
    }
}

void actio_dual_shapes(const struct actio_dual_element *e, double theta, double *N, double *dN, double *P)
{
    size_t n = e->k + 1;
    double unused;
    for (size_t j = 0; j < n && N; j++) {
        double value = 1, slope = 0; /* product rule, factor by factor */
        for (size_t i = 0; i < n; i++) {
            if (i == j) continue;
            double over = 1 / (e->node[j] - e->node[i]), factor = (theta - e->node[i]) * over;
            slope = slope * factor + value * over;
            value *= factor;
        }
        N[j] = value;
        if (dN) dN[j] = slope;
    }
    for (size_t l = 0; l < e->k && P; l++) P[l] = sqrt((double)(2 * l + 1)) * legendre(l, 2 * theta - 1, &unused);
}

int actio_dual_element_open(struct actio_dual_element *e, struct actio_context *ctx, size_t k, size_t points)
{
    *e = (struct actio_dual_element){ .ctx = ctx, .k = k, .points = points };
    size_t n = k + 1;
    e->block = actio_alloc(ctx, n + 2 * points + points * (2 * n + k) + n + n * n, sizeof *e->block);
    if (!e->block) return 1;
    e->node = e->block;
    e->at = e->node + n;
    e->weight = e->at + points;
    e->N = e->weight + points;
    e->dN = e->N + points * n;
    e->P = e->dN + points * n;
    double *H = e->P + points * k; /* weights and matrix of the Lobatto element: not wanted here */
    actio_lgl_element(n, e->node, H, H + n);
    gauss(points, e->at, e->weight);
    for (size_t q = 0; q < points; q++) actio_dual_shapes(e, e->at[q], e->N + q * n, e->dN + q * n, e->P + q * k);
    return 0;
}

void actio_dual_element_close(struct actio_dual_element *e)
{
    if (e->ctx) actio_free(e->ctx, e->block);
    *e = (struct actio_dual_element){ 0 };
}
