/* SPDX-License-Identifier: Apache-2.0
 * Multipliers 1 taken out of turns by vectors that do not move: turns made from known blocks, in bases that change from
 * factor to factor. */
#include "actio/actio.h"
#include "algebra/dense.h"
#include "check.h"
#include "solve/orbit.h"

#include <float.h>
#include <stdint.h>

enum { N = 8, K = 5 };
#define ROUNDING (1e3 * DBL_EPSILON) /* bases of condition 10, K factors, N terms in each sum */

static struct actio_context *ctx;
static double Phi[K * N * N], V[K][N * N], inverse[K][N * N];
static struct actio_turn turn = { .d = N, .factors = K, .Phi = Phi };

static uint64_t seed = 3;

static double draw(void) /* in (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

static void multiply(const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < N * N; i++) {
        c[i] = 0;
        for (size_t l = 0; l < N; l++) c[i] += a[i / N * N + l] * b[l * N + i % N];
    }
}

static void make_bases(void)
{
    for (size_t i = 0; i < K; i++) {
        double a[N * N];
        int pivot[N];
        for (size_t e = 0; e < N * N; e++) V[i][e] = (e % (N + 1) == 0) + draw() / 6;
        memcpy(a, V[i], sizeof a);
        memset(inverse[i], 0, sizeof inverse[i]);
        for (size_t e = 0; e < N; e++) inverse[i][e * N + e] = 1;
        CHECK(actio_lu_factor(N, a, pivot) == 0);
        actio_lu_solve(N, a, pivot, inverse[i], N, false);
    }
}

/* Each factor has a block of 1 (3 x 3, one vector), 1 twice, and roots of 3, 1/5 and -2. */
static void make_turn(void)
{
    double core[N * N] = { 0 }, half[N * N];
    make_bases();
    for (size_t e = 0; e < 5; e++) core[e * N + e] = 1;
    core[1] = .3;
    core[2] = -.2;
    core[N + 2] = .7;
    core[5 * N + 5] = pow(3, 1.0 / K);
    core[6 * N + 6] = pow(.2, 1.0 / K);
    core[7 * N + 7] = -pow(2, 1.0 / K);
    for (size_t i = 0; i < K; i++) {
        multiply(core, inverse[i], half);
        multiply(V[(i + 1) % K], half, Phi + i * N * N);
    }
}

/* Right vector e of the core, or left one. */
static void put(struct actio_unmoved *u, size_t c, bool left, size_t e)
{
    u->left[c] = left;
    for (size_t i = 0; i < K; i++)
        for (size_t a = 0; a < N; a++)
            u->at[(i * u->count + c) * N + a] = left ? inverse[i][e * N + a] : V[i][a * N + e];
}

static void check_rest(struct actio_turn *t, const double *wanted, size_t count)
{
    struct actio_multiplier w[N];
    CHECK(t->d == count && actio_turn_multipliers(t, ctx, w, NULL, 0) == 0);
    for (size_t i = 0; i < count && t->d == count; i++) {
        CHECK_NEAR(w[i].re, wanted[i], ROUNDING * fabs(wanted[i]));
        CHECK(w[i].im == 0);
    }
}

TEST(a_block_of_one_does_not_split_once_its_ends_are_known)
{
    struct actio_unmoved u;
    struct actio_turn rest;
    size_t by[N], count;
    make_turn();
    CHECK(actio_unmoved_open(&u, ctx, &turn, 4) == 0);
    put(&u, 0, false, 0);
    put(&u, 1, true, 2);
    put(&u, 2, false, 3); /* a 1 of its own, seen from both sides: it counts once */
    put(&u, 3, true, 3);
    for (size_t c = 0; c < 4; c++) CHECK(actio_turn_misses(&turn, &u, c) < ROUNDING);
    CHECK(actio_turn_deflate(&turn, ctx, &u, 1e-6, &rest, by, &count) == 0);
    CHECK(count == 3 && by[0] == 0 && by[1] == 1 && by[2] == 3);
    check_rest(&rest, (const double[]){ 3, -2, 1, 1, .2 }, 5);
    actio_turn_close(&rest, ctx);
    actio_unmoved_close(&u, ctx);
}

TEST(vectors_that_depend_on_others_make_nothing_more)
{
    struct actio_unmoved u;
    struct actio_turn rest;
    size_t by[N], count;
    make_turn();
    CHECK(actio_unmoved_open(&u, ctx, &turn, 3) == 0);
    put(&u, 0, false, 3);
    put(&u, 1, false, 4);
    put(&u, 2, false, 0);
    for (size_t e = 0; e < K; e++) /* the last one is a sum of the others */
        for (size_t a = 0; a < N; a++) u.at[(e * 3 + 2) * N + a] = u.at[e * 3 * N + a] - 2 * u.at[(e * 3 + 1) * N + a];
    CHECK(actio_turn_deflate(&turn, ctx, &u, 1e-6, &rest, by, &count) == 0);
    CHECK(count == 2 && by[0] == 0 && by[1] == 1);
    actio_turn_close(&rest, ctx);
    actio_unmoved_close(&u, ctx);
}

TEST(what_nobody_knows_shows_in_the_turn_itself)
{
    double work[(K + 4) * N * N];
    struct actio_turn t = turn;
    size_t ones = 0, count = 1;
    make_turn();
    double tol = 100 * DBL_EPSILON * actio_turn_growth(&t, work);
    for (int round = 0; round < 4 && count; round++) {
        struct actio_unmoved u;
        struct actio_turn rest;
        size_t by[N];
        count = 0;
        CHECK(actio_turn_find_unmoved(&t, ctx, tol, &u) == 0);
        if (u.count) {
            CHECK(actio_turn_deflate(&t, ctx, &u, 1e-6, &rest, by, &count) == 0);
            if (t.Phi != Phi) actio_turn_close(&t, ctx);
            t = rest;
        }
        ones += count;
        actio_unmoved_close(&u, ctx);
    }
    CHECK(ones == 5);
    check_rest(&t, (const double[]){ 3, -2, .2 }, 3);
    if (t.Phi != Phi) actio_turn_close(&t, ctx);
}

TEST(a_vector_that_moves_is_seen)
{
    struct actio_unmoved u;
    make_turn();
    CHECK(actio_unmoved_open(&u, ctx, &turn, 3) == 0);
    put(&u, 0, false, 1);
    put(&u, 1, true, 5);
    CHECK(actio_turn_misses(&turn, &u, 0) > .01 && actio_turn_misses(&turn, &u, 1) > .01);
    CHECK(isinf(actio_turn_misses(&turn, &u, 2))); /* nothing at all */
    actio_unmoved_close(&u, ctx);
}

int main(void)
{
    ctx = actio_context_create(NULL);
    RUN(a_block_of_one_does_not_split_once_its_ends_are_known);
    RUN(vectors_that_depend_on_others_make_nothing_more);
    RUN(what_nobody_knows_shows_in_the_turn_itself);
    RUN(a_vector_that_moves_is_seen);
    actio_context_free(ctx);
    return DONE();
}
