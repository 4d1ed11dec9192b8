/* SPDX-License-Identifier: Apache-2.0
 * Eigenvalues of products that are never formed: constructed chains, integer factors against 90-digit arithmetic,
 * traps. */
#include "algebra/dense.h"
#include "algebra/periodic.h"
#include "check.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

enum { N = 12, K = 1000 }; /* the largest here */
#define PI 3.14159265358979323846

static double chain[K * N * N], room[2 * (K + 1) * N * N + 4 * N + 2 * K * (N + 4)], ends[(K + 1) * N * N];
static struct actio_multiplier w[N];
static int places[N];

static int eigen(size_t n, size_t k)
{
    CHECK(actio_periodic_work(n, k) <= sizeof room / sizeof *room);
    /* nothing may be read before it is written */
    for (size_t i = 0; i < actio_periodic_work(n, k); i++) room[i] = NAN;
    return actio_periodic_eigen(n, k, chain, w, room, places);
}

/* ---- numbers and matrices that are the same on every machine */

static uint64_t seed;

static double draw(void) /* in (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

static void multiply(size_t n, const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < n * n; i++) {
        c[i] = 0;
        for (size_t l = 0; l < n; l++) c[i] += a[i / n * n + l] * b[l * n + i % n];
    }
}

/* 1 + something of half its size, and its inverse */
static void make_basis(size_t n, double *v)
{
    for (size_t i = 0; i < n * n; i++) v[i] = (i % (n + 1) == 0) + draw() / (2 * sqrt((double)n));
}

static void invert(size_t n, const double *v, double *inverse)
{
    double a[N * N];
    int pivot[N];
    memcpy(a, v, n * n * sizeof *a);
    memset(inverse, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;
    CHECK(actio_lu_factor(n, a, pivot) == 0);
    actio_lu_solve(n, a, pivot, inverse, n, false);
}

/* A_i = V_{i+1} D_i V_i^-1, V_k = V_0: eigenvalues of the product are those of the product of the D_i, columns of V_0
 * its vectors. */
static void make_chain(size_t n, size_t k, const double *core, bool same)
{
    double inverse[N * N], half[N * N];
    for (size_t i = 0; i < k; i++) make_basis(n, ends + i * n * n);
    memcpy(ends + k * n * n, ends, n * n * sizeof *ends);
    for (size_t i = 0; i < k; i++) {
        invert(n, ends + i * n * n, inverse);
        multiply(n, core + (same ? 0 : i * n * n), inverse, half);
        multiply(n, ends + (i + 1) * n * n, half, chain + i * n * n);
    }
}

/* The same diagonal in each factor, so that the product has eigenvalues 10^exponent; sign: of the eigenvalue */
static void make_powers(size_t n, size_t k, const double *exponent, const double *sign)
{
    double core[N * N] = { 0 };
    for (size_t i = 0; i < n; i++) core[i * n + i] = pow(10, exponent[i] / (double)k);
    make_chain(n, k, core, true);
    for (size_t i = 0; sign && i < n; i++) /* columns of A_0 V_0 */
        if (sign[i] < 0) {
            double inverse[N * N], flip[N * N] = { 0 }, half[N * N];
            for (size_t l = 0; l < n; l++) flip[l * n + l] = sign[l];
            invert(n, ends, inverse);
            multiply(n, flip, inverse, half);
            multiply(n, ends, half, flip);
            multiply(n, chain, flip, half);
            memcpy(chain, half, n * n * sizeof *half);
            return;
        }
}

/* ---- small and large ones together */

static void powers_come_out(size_t n, size_t k, const double *exponent, const double *sign, double tol)
{
    make_powers(n, k, exponent, sign);
    CHECK(eigen(n, k) == 0);
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(w[i].log_modulus, exponent[i] * log(10), tol); /* absolute here is relative for the eigenvalue */
        CHECK(w[i].im == 0 && w[i].argument == (sign && sign[i] < 0 ? PI : 0));
        double value = (sign ? sign[i] : 1) * pow(10, exponent[i]);
        if (fabs(exponent[i]) < 300) CHECK_NEAR(w[i].re, value, 2 * tol * fabs(value));
    }
}

TEST(eigenvalues_a_hundred_orders_apart_keep_their_relative_accuracy)
{
    seed = 1;
    for (int again = 0; again < 5; again++) {
        powers_come_out(3, 100, (double[]){ 40, 0, -60 }, NULL, 1e-13);
        powers_come_out(5, 100, (double[]){ 40, 0.3, 0, -59, -60 }, (double[]){ 1, -1, 1, 1, -1 }, 3e-13);
        powers_come_out(2, 20, (double[]){ 5, -5 }, (double[]){ -1, -1 }, 3e-14);
    }
}

TEST(what_leaves_the_range_of_a_double_keeps_its_logarithm)
{
    seed = 2;
    powers_come_out(3, 1000, (double[]){ 400, 0, -400 }, NULL, 1e-12);
    CHECK(isinf(w[0].re) && w[2].re == 0);
    powers_come_out(6, 1000, (double[]){ 900.1, 900, 0.03, 0, -900, -900.05 }, (double[]){ -1, 1, 1, 1, 1, -1 }, 3e-11);
    CHECK(isinf(w[0].re) && w[0].re < 0);
}

TEST(one_number_and_one_matrix_are_chains_too)
{
    chain[0] = -3;
    CHECK(eigen(1, 1) == 0 && w[0].re == -3 && w[0].im == 0 && w[0].argument == PI);
    for (size_t i = 0; i < K; i++) chain[i] = i % 2 ? 1e300 : -1e300;
    CHECK(eigen(1, K) == 0 && isinf(w[0].re) && w[0].re > 0);
    CHECK_NEAR(w[0].log_modulus, 300.0 * K * log(10), 1e-9);
    double x;
    CHECK(actio_periodic_vector(1, K, 0, &x, room, places) == 0 && x == 1);
    seed = 3;
    powers_come_out(4, 1, (double[]){ 1, 0.5, 0, -1 }, (double[]){ -1, 1, 1, -1 }, 1e-13);
}

/* ---- complex ones */

/* modulus 10^exponent and angle in all, in the first two places of each factor */
static void rotation(size_t n, double *core, double log10_modulus, double angle)
{
    double r = pow(10, log10_modulus);
    core[0] = core[n + 1] = r * cos(angle);
    core[1] = -r * sin(angle);
    core[n] = r * sin(angle);
}

TEST(pairs_are_exact_conjugates_of_any_size)
{
    static const double exponent[] = { 0, 30, -50, 500, -500 };
    for (size_t e = 0; e < 5; e++) {
        double core[16] = { 0 };
        size_t k = 200;
        seed = 4 + e;
        rotation(4, core, exponent[e] / (double)k, 2.2 / (double)k);
        core[10] = pow(10, 3. / (double)k);
        core[15] = pow(10, -70. / (double)k);
        make_chain(4, k, core, true);
        CHECK(eigen(4, k) == 0);
        size_t i = w[0].im != 0 ? 0 : w[1].im != 0 ? 1 : 2;
        CHECK(w[i].argument > 0 && w[i].argument == -w[i + 1].argument && w[i].im == -w[i + 1].im
              && w[i].re == w[i + 1].re);
        CHECK_NEAR(w[i].argument, 2.2, 1e-12);
        CHECK_NEAR(w[i].log_modulus, exponent[e] * log(10), 1e-12);
        for (size_t l = 0; l < 4; l++) CHECK(l == i || l == i + 1 || (w[l].im == 0 && w[l].argument == 0));
    }
}

TEST(equal_pairs_stay_together)
{
    memset(chain, 0, 36 * sizeof *chain);
    for (size_t i = 0; i < 6; i += 2) {
        chain[i * 6 + i + 1] = 1;
        chain[(i + 1) * 6 + i] = -1;
    }
    CHECK(eigen(6, 1) == 0);
    for (size_t i = 0; i < 6; i++) {
        CHECK_NEAR(w[i].im, i % 2 ? -1 : 1, 1e-15);
        CHECK_NEAR(w[i].re, 0, 1e-15);
    }
}

TEST(roots_of_one_need_an_odd_shift)
{
    memset(chain, 0, 49 * sizeof *chain);
    for (size_t i = 0; i < 7; i++) chain[(i + 1) % 7 * 7 + i] = 1;
    CHECK(eigen(7, 1) == 0);
    bool seen[7] = { false };
    for (size_t i = 0; i < 7; i++) {
        CHECK_NEAR(w[i].log_modulus, 0, 3e-15);
        double turns = w[i].argument * 7 / (2 * PI);
        CHECK_NEAR(turns, round(turns), 1e-14);
        seen[(int)round(turns) + 3] = true;
    }
    for (size_t i = 0; i < 7; i++) CHECK(seen[i]);
}

/* ---- multiple ones */

TEST(a_double_eigenvalue_of_a_jordan_block_is_found_to_half_the_digits)
{
    for (uint64_t s = 0; s < 20; s++) {
        double core[16] = { 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.2 };
        double step[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, all[30 * 16];
        seed = 100 + s;
        for (size_t i = 0; i < 30; i++) memcpy(all + i * 16, i == 7 ? core : step, sizeof step);
        make_chain(4, 30, all, false);
        CHECK(eigen(4, 30) == 0);
        CHECK_NEAR(w[0].re, 3, 1e-13);
        CHECK_NEAR(w[3].re, 0.2, 1e-14);
        for (size_t i = 1; i < 3; i++) CHECK_NEAR(hypot(w[i].re - 1, w[i].im), 0, 1e-6);
        CHECK_NEAR(w[1].re + w[2].re, 2, 1e-12); /* their mean is not disturbed */
        CHECK(w[1].im == -w[2].im && w[0].im == 0 && w[3].im == 0);
    }
}

TEST(many_equal_real_ones_stay_real)
{
    double core[25] = { 0 };
    for (size_t i = 0; i < 5; i++) core[i * 6] = 1;
    for (uint64_t s = 0; s < 20; s++) {
        seed = 200 + s;
        make_chain(5, 1 + s % 3, core, true);
        CHECK(eigen(5, 1 + s % 3) == 0);
        for (size_t i = 0; i < 5; i++) CHECK_NEAR(hypot(w[i].re - 1, w[i].im), 0, 1e-14);
    }
    for (size_t f = 0; f < 7; f++) memcpy(chain + f * 25, core, sizeof core);
    CHECK(eigen(5, 7) == 0);
    for (size_t i = 0; i < 5; i++) CHECK(w[i].re == 1 && w[i].im == 0 && w[i].log_modulus == 0 && w[i].argument == 0);
}

/* ---- singular factors */

TEST(singular_factors_give_a_zero_wherever_they_stand)
{
    for (size_t k = 1; k < 5; k++)
        for (size_t at = 0; at < k; at++)
            for (size_t zero = 0; zero < 5; zero++) {
                seed = 300 + zero;
                for (size_t i = 0; i < k * 25; i++) chain[i] = draw();
                double *a = chain + at * 25;
                for (size_t i = 0; i < 25; i++) /* triangular already, with a zero on the diagonal */
                    if (i / 5 > i % 5 || i == 6 * zero) a[i] = 0;
                CHECK(eigen(5, k) == 0);
                CHECK(fabs(w[4].re) <= 1e-14 && fabs(w[4].im) <= 1e-14);
            }
}

TEST(nothing_at_all_and_rank_one_and_nilpotent_chains_end)
{
    seed = 5;
    for (size_t i = 0; i < 4 * 25; i++) chain[i] = i / 25 == 1 ? 0 : draw();
    CHECK(eigen(5, 4) == 0);
    for (size_t i = 0; i < 5; i++) CHECK(w[i].re == 0 && w[i].im == 0 && w[i].log_modulus == -INFINITY);
    for (size_t i = 0; i < 25; i++) chain[25 + i] = chain[i / 5] * chain[50 + i % 5];
    CHECK(eigen(5, 4) == 0);
    CHECK(fabs(w[0].re) > 1e-3 && fabs(w[1].re) < 1e-14 && fabs(w[4].re) < 1e-14);
    memset(chain, 0, 36 * sizeof *chain);
    for (size_t i = 0; i < 5; i++) chain[(i + 1) * 6 + i] = 1;
    CHECK(eigen(6, 1) == 0);
    for (size_t i = 0; i < 6; i++) CHECK(fabs(w[i].re) < 1e-2); /* a block of six: the sixth root of rounding */
}

TEST(every_small_chain_of_minus_one_zero_one_ends)
{
    seed = 6;
    for (int trial = 0; trial < 3000; trial++) {
        size_t n = 1 + (size_t)(3 + 3 * draw()), k = 1 + (size_t)(2.5 + 2.5 * draw());
        for (size_t i = 0; i < k * n * n; i++) chain[i] = round(1.5 * draw());
        double sum = 0;
        CHECK(eigen(n, k) == 0);
        for (size_t i = 0; i < n; i++) sum += w[i].im;
        CHECK(sum == 0);
    }
}

TEST(what_is_not_finite_is_refused)
{
    seed = 7;
    for (size_t i = 0; i < 18; i++) chain[i] = draw();
    chain[13] = NAN;
    CHECK(eigen(3, 2) == ACTIO_PERIODIC_NOT_FINITE);
    chain[13] = INFINITY;
    CHECK(eigen(3, 2) == ACTIO_PERIODIC_NOT_FINITE);
}

/* ---- integer factors, eigenvalues by mpmath with 90 digits of the product formed exactly */

static uint32_t integer_state;

static double integer(void)
{
    integer_state = (uint32_t)(((uint64_t)integer_state * 1103515245u + 12345u) % 2147483648u);
    return (double)((integer_state >> 16) % 19) - 9;
}

static const struct {
    size_t n, k;
    double re[9], im[9];
} printed[] = {
    { 6,
      1,
      { -12.192860710823161, -12.192860710823161, 8.9469030936024687, -1.436696350076461, -1.436696350076461,
        -3.6877889718032247 },
      { 5.4009311584107268, -5.4009311584107268, 0, 8.1475961222559211, -8.1475961222559211, 0 } },
    { 6,
      5,
      { 150133.8206519159, 150133.8206519159, -140047.3990714667, 33380.497708167663, -11441.278538562345,
        -1976.4614019704132 },
      { 235970.37097936828, -235970.37097936828 } },
    { 4,
      40,
      { -1.3060623175934997e+37, -1.3060623175934997e+37, 2.7996232982116909e+32, 1.7802229576944951e+19 },
      { 2.6935516196554356e+37, -2.6935516196554356e+37 } },
    { 9,
      12,
      { 266237852410090.77, -46270147917737.166, 4496486257686.6138, 4496486257686.6138, 51115352282.083779,
        51115352282.083779, -116999161523.22523, 1754250603.271774, -48657133.041787962 },
      { 0, 0, 12134845331436.925, -12134845331436.925, 3834822729338.5274, -3834822729338.5274 } },
};

TEST(integer_factors_give_the_eigenvalues_of_their_exact_product)
{
    for (size_t c = 0; c < sizeof printed / sizeof *printed; c++) {
        size_t n = printed[c].n, k = printed[c].k;
        integer_state = 1;
        for (size_t i = 0; i < k * n * n; i++) chain[i] = integer();
        CHECK(eigen(n, k) == 0);
        for (size_t i = 0; i < n; i++) {
            double size = hypot(printed[c].re[i], printed[c].im[i]);
            CHECK_NEAR(w[i].re, printed[c].re[i], 3e-14 * size);
            CHECK_NEAR(w[i].im, printed[c].im[i], 3e-14 * size);
            CHECK_NEAR(w[i].log_modulus, log(size), 3e-14);
            CHECK(printed[c].im[i] != 0 || w[i].im == 0);
        }
    }
}

/* ---- vectors */

static void vectors_come_out(size_t n, size_t k, const double *exponent, double tol)
{
    make_powers(n, k, exponent, NULL);
    CHECK(eigen(n, k) == 0);
    for (size_t j = 0; j < n; j++) {
        double x[N], length = 0, most = 0, sign = 1;
        CHECK(actio_periodic_vector(n, k, j, x, room, places) == 0);
        for (size_t i = 0; i < n; i++) length += ends[i * n + j] * ends[i * n + j];
        for (size_t i = 0; i < n; i++)
            if (fabs(ends[i * n + j]) > most) {
                most = fabs(ends[i * n + j]);
                sign = copysign(1, ends[i * n + j]);
            }
        for (size_t i = 0; i < n; i++) CHECK_NEAR(x[i], sign * ends[i * n + j] / sqrt(length), tol);
    }
}

TEST(vectors_of_large_and_of_small_ones_come_out_alike)
{
    for (uint64_t s = 0; s < 10; s++) {
        seed = 400 + s;
        vectors_come_out(3, 100, (double[]){ 40, 0, -60 }, 1e-13);
        vectors_come_out(4, 1, (double[]){ 1, 0.5, 0, -1 }, 1e-13);
        vectors_come_out(5, 300, (double[]){ 400, 100, 0.5, 0, -400 }, 3e-12);
    }
}

TEST(the_vector_of_zero_is_the_null_vector)
{
    double x[5];
    seed = 8;
    for (size_t i = 0; i < 3 * 25; i++) chain[i] = draw();
    for (size_t i = 0; i < 5; i++) chain[i * 5 + 3] = 2 * chain[i * 5 + 1] - chain[i * 5];
    CHECK(eigen(5, 3) == 0 && fabs(w[4].re) < 1e-14);
    CHECK(actio_periodic_vector(5, 3, 4, x, room, places) == 0);
    for (size_t i = 0; i < 5; i++) CHECK_NEAR(actio_dot(5, chain + i * 5, x), 0, 1e-14);
    CHECK_NEAR(actio_norm(5, x), 1, 1e-15);
}

TEST(the_same_chain_gives_the_same_bits)
{
    struct actio_multiplier before[5];
    seed = 9;
    for (size_t i = 0; i < 20 * 25; i++) chain[i] = draw();
    CHECK(eigen(5, 20) == 0);
    memcpy(before, w, sizeof before);
    CHECK(eigen(5, 20) == 0);
    CHECK(memcmp(before, w, sizeof before) == 0);
}

int main(void)
{
    RUN(eigenvalues_a_hundred_orders_apart_keep_their_relative_accuracy);
    RUN(what_leaves_the_range_of_a_double_keeps_its_logarithm);
    RUN(one_number_and_one_matrix_are_chains_too);
    RUN(pairs_are_exact_conjugates_of_any_size);
    RUN(equal_pairs_stay_together);
    RUN(roots_of_one_need_an_odd_shift);
    RUN(a_double_eigenvalue_of_a_jordan_block_is_found_to_half_the_digits);
    RUN(many_equal_real_ones_stay_real);
    RUN(singular_factors_give_a_zero_wherever_they_stand);
    RUN(nothing_at_all_and_rank_one_and_nilpotent_chains_end);
    RUN(every_small_chain_of_minus_one_zero_one_ends);
    RUN(what_is_not_finite_is_refused);
    RUN(integer_factors_give_the_eigenvalues_of_their_exact_product);
    RUN(vectors_of_large_and_of_small_ones_come_out_alike);
    RUN(the_vector_of_zero_is_the_null_vector);
    RUN(the_same_chain_gives_the_same_bits);
    return DONE();
}
