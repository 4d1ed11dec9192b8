/* SPDX-License-Identifier: Apache-2.0
 * Systems along a line: tridiagonal ones of every small size and of 100000, ill-conditioned ones, ones that are not
 * positive; small blocks. */
#include "algebra/dense.h"
#include "algebra/tri.h"
#include "check.h"

#include <float.h>
#include <stdint.h>

enum { MOST = 100003 };
static double diag[MOST], off[MOST], b[MOST], x[MOST], y[MOST], work[actio_tri_work(MOST)];

static uint64_t seed = 5;

static double draw(void) /* in (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

/* Couplings of any sign, a diagonal that outweighs them by `more`. */
static void make_random(size_t n, double more)
{
    for (size_t k = 0; k + 1 < n; k++) off[k] = draw();
    for (size_t k = 0; k < n; k++) {
        diag[k] = (k ? fabs(off[k - 1]) : 0) + (k + 1 < n ? fabs(off[k]) : 0) + more * (1 + draw());
        b[k] = draw();
    }
}

/* Tensions of a hung chain of n links whose direction turns, [HAMEL B.2]: condition like n^2. */
static void make_chain(size_t n)
{
    double h = 1 / (double)n, angle = 0.3, next;
    for (size_t k = 0; k < n; k++, angle = next) {
        next = angle + draw() / (double)n;
        diag[k] = (k ? 2 : 1) * h * h;
        off[k] = -h * h * cos(next - angle);
        b[k] = k ? 0 : 9.8 * h;
    }
}

/* The worst |b - A x| beside |b| + |A| |x|, row by row */
static double residual(size_t n, const double *at)
{
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        double left = k ? off[k - 1] * at[k - 1] : 0, right = k + 1 < n ? off[k] * at[k + 1] : 0;
        worst = fmax(worst, fabs(b[k] - diag[k] * at[k] - left - right)
                                / (fabs(b[k]) + fabs(diag[k] * at[k]) + fabs(left) + fabs(right) + DBL_MIN));
    }
    return worst;
}

static double distance(size_t n, const double *p, const double *q)
{
    double most = 0, size = 0;
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fabs(p[k] - q[k]));
        size = fmax(size, fabs(q[k]));
    }
    return most / size;
}

/* By Cholesky of the full matrix. */
static void solve_dense(size_t n, double *to)
{
    double *a = calloc(n * n, sizeof *a);
    for (size_t k = 0; k < n; k++) {
        a[k * n + k] = diag[k];
        if (k) a[k * n + k - 1] = a[(k - 1) * n + k] = off[k - 1];
    }
    memcpy(to, b, n * sizeof *to);
    CHECK(actio_cholesky_factor(n, a) == 0);
    actio_cholesky_solve(n, a, to, 1);
    free(a);
}

TEST(every_size_agrees_with_cholesky_of_the_full_matrix)
{
    for (size_t n = 1; n <= 300; n += n < 150 ? 1 : 13) {
        make_random(n, 0.1);
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
        solve_dense(n, y);
        CHECK(distance(n, x, y) < 2e-14);
        CHECK(residual(n, x) < 4 * DBL_EPSILON * 4);
    }
}

TEST(sizes_around_every_cut_leave_no_residual)
{
    for (size_t n = 350; n < 1100; n += n < 460 ? 1 : 7) {
        make_random(n, 1e-3);
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
        CHECK(residual(n, x) < 1e-14);
    }
}

TEST(a_hundred_thousand_links_have_the_tensions_of_eliminating_one_by_one)
{
    static double factors[2 * MOST];
    const size_t size[] = { 64, 100, 1000, 10000, 100000, MOST };
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int chain = 0; chain < 2; chain++) {
            size_t n = size[s];
            if (chain) make_chain(n);
            else make_random(n, 0.3);
            CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
            CHECK(actio_tri_factor(n, diag, off, factors) == 0);
            actio_tri_apply(n, factors, b, y);
            CHECK(residual(n, x) < 1e-14 && residual(n, y) < 1e-14);
            CHECK(distance(n, x, y) < (chain ? 0.1 * DBL_EPSILON * (double)n * (double)n + 1e-14 : 3e-15));
        }
}

/* Each link carries what hangs below it: exact when the chain is straight. */
TEST(a_straight_hanging_chain_carries_its_weight)
{
    for (size_t n = 10; n <= 100000; n *= 10) {
        double h = 1 / (double)n;
        for (size_t k = 0; k < n; k++) {
            diag[k] = (k ? 2 : 1) * h * h;
            off[k] = -h * h;
            b[k] = k ? 0 : h; /* w = 1, g = 1 */
        }
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
        double worst = 0;
        for (size_t k = 0; k < n; k++) worst = fmax(worst, fabs(x[k] * h / (double)(n - k) - 1));
        CHECK(worst < DBL_EPSILON * (double)n * (double)n + 1e-14); /* the condition, 0.4 n^2, times rounding */
    }
}

TEST(the_right_hand_side_may_be_replaced_and_runs_repeat_their_bits)
{
    for (size_t n = 40; n < 2000; n = n * 3 + 1) {
        make_random(n, 0.2);
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
        memcpy(y, b, n * sizeof *y);
        /* scratch at another place: nothing depends on it */
        CHECK(actio_tri_solve(n, diag, off, y, y, work + 1) == 0);
        CHECK(memcmp(x, y, n * sizeof *x) == 0);
        static double factors[2 * 4000];
        CHECK(actio_tri_factor(n, diag, off, factors) == 0);
        memcpy(y, b, n * sizeof *y);
        actio_tri_apply(n, factors, y, y);
        CHECK(distance(n, y, x) < 1e-14);
    }
}

TEST(scales_from_one_end_to_the_other_do_not_matter)
{
    for (size_t n = 90; n < 700; n += 101) {
        make_random(n, 0.2);
        for (size_t k = 0; k < n; k++) {
            int e = (int)(k * 37 % 201) - 100, next = (int)((k + 1) * 37 % 201) - 100;
            diag[k] = ldexp(diag[k], 2 * e);
            off[k] = ldexp(off[k], e + next);
            b[k] = ldexp(b[k], e);
        }
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == 0);
        CHECK(residual(n, x) < 1e-14);
    }
}

/* The first leading minor that is not positive */
TEST(matrices_that_are_not_positive_are_reported_by_the_first_index)
{
    for (size_t n = 1; n < 1500; n = n < 40 ? n + 1 : n * 2 + 3)
        for (size_t bad = 0; bad < n; bad += n / 9 + 1) {
            make_random(n, 0.2);
            diag[bad] = bad % 2 ? -1 : 0;
            CHECK(actio_tri_solve(n, diag, off, b, x, work) == (int)bad + 1);
            make_random(n, 0.2);
            diag[bad] = NAN;
            CHECK(actio_tri_solve(n, diag, off, b, x, work) == (int)bad + 1);
        }
    for (size_t n = 2; n < 5000; n = n * 3 + 1) { /* a string without support: only the last minor vanishes */
        for (size_t k = 0; k < n; k++) {
            diag[k] = k == 0 || k + 1 == n ? 1 : 2;
            off[k] = -1;
            b[k] = 1;
        }
        CHECK(actio_tri_solve(n, diag, off, b, x, work) == (int)n);
    }
}

/* ---- blocks */

/* Blocks of size s, coupled at random, the diagonal outweighing; d and m as actio_blocktri takes them */
static void make_blocks(size_t count, size_t s, double *d, double *m)
{
    for (size_t e = 0; e < count * s * s; e++) m[e] = draw();
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < s; i++)
            for (size_t j = 0; j <= i; j++) {
                double v = i == j ? 3.5 * (double)s : draw();
                d[k * s * s + i * s + j] = d[k * s * s + j * s + i] = v;
            }
}

static void blocks_to_dense(size_t count, size_t s, const double *d, const double *m, double *a)
{
    size_t n = count * s;
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < s; i++)
            for (size_t j = 0; j < s; j++) {
                a[(k * s + i) * n + k * s + j] = d[k * s * s + i * s + j];
                if (k + 1 < count)
                    a[((k + 1) * s + i) * n + k * s + j] = a[(k * s + j) * n + (k + 1) * s + i] =
                        m[k * s * s + i * s + j];
            }
}

TEST(blocks_of_every_size_agree_with_cholesky_of_the_full_matrix)
{
    static double d[64 * 40], m[64 * 40], a[320 * 320];
    for (size_t s = 1; s <= 8; s++)
        for (size_t count = 1; count <= 40; count = count * 2 + 1) {
            size_t n = count * s;
            make_blocks(count, s, d, m);
            blocks_to_dense(count, s, d, m, a);
            for (size_t i = 0; i < n; i++) x[i] = y[i] = draw();
            CHECK(actio_blocktri_factor(count, s, d, m) == 0 && actio_cholesky_factor(n, a) == 0);
            actio_blocktri_solve(count, s, d, m, x);
            actio_cholesky_solve(n, a, y, 1);
            CHECK(distance(n, x, y) < 1e-14);
        }
}

TEST(blocks_of_one_are_a_tridiagonal_matrix)
{
    static double d[MOST], m[MOST];
    size_t n = 100000;
    make_chain(n);
    memcpy(d, diag, n * sizeof *d);
    memcpy(m, off, n * sizeof *m);
    memcpy(x, b, n * sizeof *x);
    CHECK(actio_blocktri_factor(n, 1, d, m) == 0);
    actio_blocktri_solve(n, 1, d, m, x);
    CHECK(residual(n, x) < 1e-14);
}

TEST(the_first_block_that_is_not_positive_is_reported)
{
    static double d[64 * 40], m[64 * 40];
    for (size_t s = 1; s <= 8; s++)
        for (size_t bad = 0; bad < 40; bad += 3) {
            make_blocks(40, s, d, m);
            d[bad * s * s + (s - 1) * s + s - 1] = -1;
            CHECK(actio_blocktri_factor(40, s, d, m) == (int)bad + 1);
        }
}

int main(void)
{
    RUN(every_size_agrees_with_cholesky_of_the_full_matrix);
    RUN(sizes_around_every_cut_leave_no_residual);
    RUN(a_hundred_thousand_links_have_the_tensions_of_eliminating_one_by_one);
    RUN(a_straight_hanging_chain_carries_its_weight);
    RUN(the_right_hand_side_may_be_replaced_and_runs_repeat_their_bits);
    RUN(scales_from_one_end_to_the_other_do_not_matter);
    RUN(matrices_that_are_not_positive_are_reported_by_the_first_index);
    RUN(blocks_of_every_size_agree_with_cholesky_of_the_full_matrix);
    RUN(blocks_of_one_are_a_tridiagonal_matrix);
    RUN(the_first_block_that_is_not_positive_is_reported);
    return DONE();
}
