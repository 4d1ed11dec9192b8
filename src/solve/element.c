/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/sbp.h"
#include "solve/slab.h"

#include <math.h>

/* Interpolation with equally spaced nodes stays local: their values are known to order/2 + 1, and wide windows
 * oscillate. */
static void open_weights(struct actio_element *e)
{
    e->window = e->order ? (size_t)e->order + 1 : e->nodes;
    if (e->window > e->nodes) e->window = e->nodes;
    e->jump_order = e->order == 0 ? (double)e->nodes : e->order == 2 ? 2 : e->order == 8 ? 6 : 4; /* [SKG 3.5] */
    for (size_t k = 0; k < e->nodes && e->order == 0; k++) {
        e->bary[k] = 1;
        for (size_t j = 0; j < e->nodes; j++)
            if (j != k) e->bary[k] /= 4 * (e->c[k] - e->c[j]);
    }
}

int actio_element_open(struct actio_element *e, struct actio_context *ctx, int order, size_t nodes)
{
    *e = (struct actio_element){ .ctx = ctx, .order = order, .nodes = nodes };
    size_t square = nodes * nodes;
    e->block = actio_alloc(ctx, 3 * nodes + 2 * square + actio_sbp_work(nodes), sizeof *e->block);
    if (!e->block) return 1;
    e->c = e->block;
    e->H = e->c + nodes;
    e->bary = e->H + nodes;
    e->Q = e->bary + nodes;
    e->A = e->Q + square;
    if (order) actio_sbp_element(order, nodes, e->c, e->H, e->Q);
    else actio_lgl_element(nodes, e->c, e->H, e->Q);
    actio_sbp_runge_kutta(nodes, e->H, e->Q, e->A, e->A + square);
    open_weights(e);
    return 0;
}

void actio_element_close(struct actio_element *e)
{
    if (e->ctx) actio_free(e->ctx, e->block);
    *e = (struct actio_element){ 0 };
}

/* Polynomial of degree n with derivative -l_0/H_0, from 1 to 0: what the jump at the first node is worth inside, n
 * Lobatto nodes:
 * (-1)^(n-1)/2 ((1 - x) P_(n-1) + (P_n - P_(n-2))/(2n - 1)) on [-1, 1]. */
static double jump_at(size_t n, double x)
{
    double before = 1, now = x, last = 1; /* P_(k-1), P_k, and P_(n-2) */
    for (size_t k = 1; k < n; k++) {
        double next = ((double)(2 * k + 1) * x * now - (double)k * before) / (double)(k + 1);
        if (k + 1 == n) last = before;
        before = now;
        now = next;
    }
    return (n % 2 ? 0.5 : -0.5) * ((1 - x) * before + (now - last) / (double)(2 * n - 1));
}

static void weigh_lobatto(const struct actio_element *e, double theta, double *weight, double *jump)
{
    double sum = 0;
    *jump = jump_at(e->nodes, 2 * theta - 1);
    for (size_t k = 0; k < e->nodes; k++) {
        if (theta == e->c[k]) {
            for (size_t j = 0; j < e->nodes; j++) weight[j] = j == k;
            return;
        }
        sum += weight[k] = e->bary[k] / (theta - e->c[k]);
    }
    for (size_t k = 0; k < e->nodes; k++) weight[k] /= sum;
}

void actio_element_weigh(const struct actio_element *e, double theta, double *weight, double *jump)
{
    if (e->order == 0) {
        weigh_lobatto(e, theta, weight, jump);
        return;
    }
    double at = theta * (double)(e->nodes - 1);
    ptrdiff_t first = (ptrdiff_t)floor(at) - (ptrdiff_t)(e->window - 1) / 2, most = (ptrdiff_t)(e->nodes - e->window);
    first = first < 0 ? 0 : first > most ? most : first;
    for (size_t k = 0; k < e->nodes; k++) weight[k] = 0;
    for (size_t k = 0; k < e->window; k++) {
        double w = 1;
        for (size_t j = 0; j < e->window; j++)
            if (j != k) w *= (at - (double)first - (double)j) / ((double)k - (double)j);
        weight[(size_t)first + k] = w;
    }
    *jump = weight[0];
}
