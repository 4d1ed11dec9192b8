/* SPDX-License-Identifier: Apache-2.0
 * Symmetric positive systems around a ring of elements, against the same system solved as a dense one. */
#include "algebra/cyclic.h"
#include "algebra/dense.h"
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double scattered(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Random element matrices A A' + a little; the whole assembled as a dense matrix. */
static void fill(struct actio_cyclic *c, double *whole, uint64_t seed)
{
    size_t nl = c->nl, size = c->N * c->k * c->b;
    double *A = calloc(nl * nl, sizeof *A);
    memset(whole, 0, size * size * sizeof *whole);
    for (size_t e = 0; e < c->N; e++) {
        double *K = c->local + e * nl * nl;
        for (size_t i = 0; i < nl * nl; i++) A[i] = scattered(&seed);
        for (size_t i = 0; i < nl; i++)
            for (size_t j = 0; j <= i; j++) K[i * nl + j] = actio_dot(nl, A + i * nl, A + j * nl) + (i == j);
        for (size_t p = 0; p <= c->k; p++)
            for (size_t q = 0; q <= c->k; q++)
                for (size_t i = 0; i < c->b; i++)
                    for (size_t j = 0; j < c->b; j++) {
                        size_t a = actio_cyclic_place(c, p) + i, b = actio_cyclic_place(c, q) + j;
                        size_t row = (e * c->k + p) % (c->N * c->k) * c->b + i,
                               col = (e * c->k + q) % (c->N * c->k) * c->b + j;
                        whole[row * size + col] += a >= b ? K[a * nl + b] : K[b * nl + a];
                    }
    }
    free(A);
}

/* The largest difference of both solutions beside the largest entry. */
static double difference(size_t N, size_t k, size_t b, bool pinned, double add)
{
    struct actio_context ctx;
    struct actio_cyclic c;
    actio_context_init(&ctx);
    CHECK(actio_cyclic_open(&c, &ctx, N, k, b) == 0);
    size_t size = N * k * b;
    double *whole = calloc(size * size, sizeof *whole), *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y),
           worst = 0, most = 0;
    uint64_t seed = N * 1000 + k * 10 + b;
    fill(&c, whole, seed);
    for (size_t i = 0; i < size; i++) {
        x[i] = y[i] = scattered(&seed);
        whole[i * size + i] += add;
    }
    if (pinned) { /* the last unknown of the first node is 0 */
        c.pinned = b - 1;
        for (size_t i = 0; i < size; i++) whole[i * size + b - 1] = whole[(b - 1) * size + i] = 0;
        whole[(b - 1) * size + b - 1] = 1;
        y[b - 1] = 0;
    }
    CHECK(actio_cyclic_factor(&c, add) == 0);
    actio_cyclic_solve(&c, x);
    CHECK(actio_cholesky_factor(size, whole) == 0);
    actio_cholesky_solve(size, whole, y, 1);
    for (size_t i = 0; i < size; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        most = fmax(most, fabs(y[i]));
    }
    free(whole);
    free(x);
    free(y);
    actio_cyclic_close(&c);
    CHECK(ctx.bytes == 0);
    return worst / most;
}

TEST(a_ring_of_elements_has_the_solution_of_the_whole_matrix)
{
    for (size_t N = 3; N < 9; N++)
        for (size_t k = 1; k < 6; k++)
            for (size_t b = 1; b < 5; b++) CHECK(difference(N, k, b, false, 0) < 1e-11);
}

TEST(an_unknown_of_the_first_node_can_be_held)
{
    for (size_t N = 3; N < 9; N++)
        for (size_t b = 1; b < 5; b++) CHECK(difference(N, 3, b, true, 0) < 1e-11);
}

TEST(what_is_added_is_added_to_every_unknown_once) { CHECK(difference(5, 3, 2, false, 0.7) < 1e-11); }

TEST(a_matrix_that_is_not_positive_is_reported)
{
    struct actio_context ctx;
    struct actio_cyclic c;
    actio_context_init(&ctx);
    CHECK(actio_cyclic_open(&c, &ctx, 4, 2, 1) == 0);
    for (size_t e = 0; e < 4; e++)
        for (size_t i = 0; i < 3; i++) c.local[e * 9 + i * 4] = e == 2 && i == 0 ? -1 : 1;
    CHECK(actio_cyclic_factor(&c, 0) != 0);
    actio_cyclic_close(&c);
}

int main(void)
{
    RUN(a_ring_of_elements_has_the_solution_of_the_whole_matrix);
    RUN(an_unknown_of_the_first_node_can_be_held);
    RUN(what_is_added_is_added_to_every_unknown_once);
    RUN(a_matrix_that_is_not_positive_is_reported);
    return DONE();
}
