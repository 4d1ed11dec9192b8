/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra: constructed matrices whose condition, rank, inertia or solution is known; the sparse solvers against
 * the dense one. */
#include "algebra/dense.h"
#include "algebra/linear.h"
#include "algebra/newton.h"
#include "check.h"

#include <float.h>

enum { N = 40 }; /* largest dense matrix here */

/* ---- numbers and matrices that are the same on every machine */

static uint64_t seed;

static double draw(void) /* in (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

static void draw_all(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = draw();
}

/* a := (1 - 2 v v') a for a random unit v, or the same from the right */
static void mirror(size_t m, size_t n, double *a, bool right)
{
    double v[N], len = 0;
    size_t k = right ? n : m;
    draw_all(k, v);
    for (size_t i = 0; i < k; i++) len += v[i] * v[i];
    for (size_t o = 0; o < (right ? m : n); o++) {
        double *line = right ? a + o * n : a + o, f = 0;
        size_t step = right ? 1 : n;
        for (size_t i = 0; i < k; i++) f += v[i] * line[i * step];
        for (size_t i = 0; i < k; i++) line[i * step] -= 2 * f / len * v[i];
    }
}

/* Random m x n matrix with singular values 1 .. 1/cond, the first `rank` of them */
static void make(size_t m, size_t n, size_t rank, double cond, double *a)
{
    memset(a, 0, m * n * sizeof *a);
    for (size_t i = 0; i < rank; i++) a[i * n + i] = pow(cond, rank > 1 ? -(double)i / (double)(rank - 1) : 0);
    for (int i = 0; i < 4; i++) {
        mirror(m, n, a, false);
        mirror(m, n, a, true);
    }
}

/* Random symmetric matrix with the given eigenvalues */
static void make_symmetric(size_t n, const double *w, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) a[i * n + i] = w[i];
    for (int i = 0; i < 4; i++) {
        uint64_t same = seed;
        mirror(n, n, a, false);
        seed = same;
        mirror(n, n, a, true);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* |A x - b| / (n eps |A| |x|), largest row sums; A or its transpose */
static double ratio(size_t n, const double *a, const double *x, const double *b, bool transposed)
{
    double off = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = -b[i], row = 0;
        for (size_t j = 0; j < n; j++) {
            double e = transposed ? a[j * n + i] : a[i * n + j];
            sum += e * x[j];
            row += fabs(e);
        }
        off = fmax(off, fabs(sum));
        norm = fmax(norm, row);
    }
    return off / ((double)n * DBL_EPSILON * norm * largest(n, x));
}

/* Largest |rows_i . rows_j - delta_ij| */
static double unorthonormal(size_t k, size_t n, const double *rows)
{
    double off = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) off = fmax(off, fabs(actio_dot(n, rows + i * n, rows + j * n) - (i == j)));
    return off;
}

/* ---- dense */

TEST(lu_solves_to_rounding_whatever_the_condition)
{
    static double a[N * N], f[N * N], b[N], x[N];
    int pivot[N];
    for (int c = 0; c <= 12; c += 4)
        for (size_t n = 1; n <= N; n += 3) {
            make(n, n, n, pow(10, c), a);
            for (int t = 0; t < 2; t++) {
                memcpy(f, a, n * n * sizeof *a);
                draw_all(n, b);
                memcpy(x, b, n * sizeof *b);
                CHECK(actio_lu_factor(n, f, pivot) == 0);
                actio_lu_solve(n, f, pivot, x, 1, t);
                CHECK(ratio(n, a, x, b, t) < 30);
            }
        }
}

TEST(lu_solves_many_right_hand_sides_at_once)
{
    static double a[9 * 9], inverse[9 * 9], b[9 * 9] = { 0 };
    int pivot[9];
    make(9, 9, 9, 100, a);
    memcpy(b, a, sizeof b);
    memset(inverse, 0, sizeof inverse);
    for (size_t i = 0; i < 9; i++) inverse[i * 10] = 1;
    CHECK(actio_lu_factor(9, b, pivot) == 0);
    actio_lu_solve(9, b, pivot, inverse, 9, false);
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 9; j++) {
            double sum = 0;
            for (size_t k = 0; k < 9; k++) sum += a[i * 9 + k] * inverse[k * 9 + j];
            CHECK_NEAR(sum, i == j, 1e-13);
        }
    CHECK(actio_lu_pivot_ratio(9, b) > 1e-4 && actio_lu_pivot_ratio(9, b) <= 1);
}

TEST(singular_matrices_report_the_column)
{
    static double a[N * N];
    int pivot[N];
    double plain[9] = { 1, 2, 3, 2, 4, 1, 3, 6, 5 }, nan_at[4] = { 1, 2, 3, NAN }, triangle[4] = { 1e-20, 1e20, 0, 1 };
    CHECK(actio_lu_factor(3, plain, pivot) == 2);
    CHECK(actio_lu_factor(2, nan_at, pivot) == 2);
    CHECK(actio_lu_factor(2, triangle, pivot) == 0); /* badly scaled, but no digit is lost */
    int found = 0, all = 0;
    for (size_t n = 2; n <= N; n++, all++) { /* the sum of the others but for rounding */
        make(n, n, n, 10, a);
        for (size_t i = 0; i < n; i++) {
            a[i * n + n - 1] = 0;
            for (size_t j = 0; j + 1 < n; j++) a[i * n + n - 1] += a[i * n + j];
        }
        found += actio_lu_factor(n, a, pivot) == (int)n;
    }
    CHECK(found == all);
}

TEST(cholesky_solves_and_refuses_indefinite_matrices)
{
    static double a[N * N], f[N * N], b[N], x[N], w[N];
    for (size_t n = 1; n <= N; n += 3) {
        for (size_t i = 0; i < n; i++) w[i] = pow(10, -6 * (double)i / (double)n);
        make_symmetric(n, w, a);
        memcpy(f, a, n * n * sizeof *a);
        draw_all(n, b);
        memcpy(x, b, n * sizeof *b);
        CHECK(actio_cholesky_factor(n, f) == 0);
        actio_cholesky_solve(n, f, x, 1);
        CHECK(ratio(n, a, x, b, false) < 30);
        w[n - 1] = -1;
        make_symmetric(n, w, a);
        CHECK(actio_cholesky_factor(n, a) > 0);
    }
}

TEST(cholesky_refuses_singular_matrices_of_whole_numbers)
{
    double rows[12 * 12], a[12 * 12];  /* the first n - 1 well apart, the last one any */
    for (size_t n = 2; n <= 12; n++) { /* n vectors of n - 1 entries: their products are exact and dependent */
        for (size_t i = 0; i < n * (n - 1); i++) rows[i] = floor(5 * draw()) + (i % n == 0 ? 40 : 0);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) a[i * n + j] = actio_dot(n - 1, rows + i * (n - 1), rows + j * (n - 1));
        CHECK(actio_cholesky_factor(n, a) == (int)n);
    }
}

TEST(ldl_solves_and_counts_signs)
{
    static double a[N * N], f[N * N], b[2 * N], x[2 * N], w[N];
    int pivot[N], count[3], expect[3];
    for (size_t n = 1; n <= N; n++)
        for (size_t zeros = 0; zeros <= n / 3; zeros += 2) {
            memset(expect, 0, sizeof expect);
            for (size_t i = 0; i < n; i++) {
                w[i] = i < zeros ? 0 : (draw() > 0 ? 1 : -1) * (0.01 + fabs(draw()));
                expect[w[i] > 0 ? 0 : w[i] < 0 ? 1 : 2]++;
            }
            make_symmetric(n, w, a);
            memcpy(f, a, n * n * sizeof *a);
            int bad = actio_ldl_factor(n, f, pivot);
            actio_ldl_inertia(n, f, pivot, 1e-11, count);
            CHECK(memcmp(count, expect, sizeof count) == 0);
            if (zeros) continue;
            draw_all(2 * n, b);
            memcpy(x, b, 2 * n * sizeof *b);
            CHECK(bad == 0);
            actio_ldl_solve(n, f, pivot, x, 2);
            for (size_t r = 0; r < 2; r++) {
                double xr[N], br[N];
                for (size_t i = 0; i < n; i++) {
                    xr[i] = x[2 * i + r];
                    br[i] = b[2 * i + r];
                }
                CHECK(ratio(n, a, xr, br, false) < 30);
            }
        }
}

TEST(ldl_counts_a_saddle_point_and_exact_zeros)
{
    double saddle[9] = { 0, 0, 0, 0, 0, 0, 1, 1, 0 }, zero[4] = { 0 };
    int pivot[3], count[3];
    actio_ldl_factor(3, saddle, pivot); /* lower half of (0 0 1; 0 0 1; 1 1 0) */
    actio_ldl_inertia(3, saddle, pivot, 1e-12, count);
    CHECK(count[0] == 1 && count[1] == 1 && count[2] == 1);
    CHECK(actio_ldl_factor(2, zero, pivot) == 1);
    actio_ldl_inertia(2, zero, pivot, 1e-12, count);
    CHECK(count[0] == 0 && count[1] == 0 && count[2] == 2);
}

TEST(row_and_null_space_are_orthonormal_and_have_the_right_size)
{
    static double a[N * N], f[N * N], basis[N * N], work[6 * N * N];
    int iwork[2 * N];
    for (size_t m = 1; m <= 24; m += 4)
        for (size_t n = 1; n <= 24; n += 3)
            for (size_t rank = 0; rank <= (m < n ? m : n); rank += 2) {
                make(m, n, rank, 100, a);
                for (size_t i = 0; i < m; i++) /* units of the rows must not matter */
                    for (size_t j = 0; j < n; j++) a[i * n + j] *= pow(10, (double)(i % 9) - 4);
                memcpy(f, a, m * n * sizeof *a);
                size_t got = actio_row_bases(m, n, f, 1e-10, basis, work, iwork);
                CHECK(got == rank);
                CHECK(unorthonormal(n, n, basis) < 1e-14);
                for (size_t i = 0; i < m; i++)
                    for (size_t z = got; z < n; z++)
                        CHECK(fabs(actio_dot(n, a + i * n, basis + z * n)) <= 1e-13 * actio_norm(n, a + i * n));
            }
}

TEST(a_row_that_is_only_rounding_error_has_no_rank)
{
    double a[6] = { 1, 0, 0, 0, 6e-17, 0 }, basis[9], work[60];
    int iwork[5];
    CHECK(actio_row_bases(2, 3, a, 1e-10, basis, work, iwork) == 1);
    double units[6] = { 1e6, 0, 0, 0, 1e-6, 0 };
    CHECK(actio_row_bases(2, 3, units, 1e-10, basis, work, iwork) == 2);
}

/* x = V S^+ U' b by the singular values, for rows of length one */
static void by_svd(size_t m, size_t n, const double *a, const double *b, double *x)
{
    static double sigma[N], u[N * N], v[N * N], work[4 * N * N];
    size_t k = m < n ? m : n;
    actio_svd(m, n, a, sigma, u, v, work);
    memset(x, 0, n * sizeof *x);
    for (size_t s = 0; s < k && sigma[s] > 1e-9 * sigma[0]; s++) {
        double f = 0;
        for (size_t i = 0; i < m; i++) f += u[i * k + s] * b[i] / sigma[s];
        for (size_t j = 0; j < n; j++) x[j] += f * v[j * k + s];
    }
}

TEST(minimum_norm_solutions_agree_with_the_singular_values)
{
    static double a[N * N], f[N * N], p[N * N], b[N], x[N], y[N], work[6 * N * N];
    int iwork[2 * N];
    double defect;
    for (size_t m = 1; m <= 20; m += 3)
        for (size_t n = 1; n <= 20; n += 2)
            for (size_t rank = 1; rank <= (m < n ? m : n); rank += 2) {
                make(m, n, rank, 10, a);
                for (size_t i = 0; i < m; i++) {
                    double len = actio_norm(n, a + i * n);
                    for (size_t j = 0; j < n; j++) a[i * n + j] /= len;
                }
                draw_all(m, b);
                by_svd(m, n, a, b, y);
                memcpy(f, a, m * n * sizeof *a);
                CHECK(actio_min_norm(m, n, f, b, 1e-9, x, &defect, work, iwork) == rank);
                memcpy(f, a, m * n * sizeof *a);
                CHECK(actio_pseudo_inverse(m, n, f, 1e-9, p, work, iwork) == rank);
                for (size_t j = 0; j < n; j++) {
                    CHECK_NEAR(x[j], y[j], 1e-10 * (1 + largest(n, y)));
                    CHECK_NEAR(actio_dot(m, p + j * m, b), y[j], 1e-10 * (1 + largest(n, y)));
                }
                if (rank == m) CHECK(defect < 1e-12 * (1 + largest(n, y)));
            }
}

TEST(singular_values_and_vectors_rebuild_the_matrix)
{
    static double a[N * N], u[N * N], v[N * N], sigma[N], t[N * N], work[4 * N * N];
    for (size_t m = 1; m <= 22; m += 3)
        for (size_t n = 1; n <= 22; n += 4) {
            size_t k = m < n ? m : n, rank = k - (k > 3);
            make(m, n, rank, 1e6, a);
            CHECK(actio_svd(m, n, a, sigma, u, v, work) == 0);
            for (size_t s = 0; s < k; s++)
                CHECK_NEAR(sigma[s], s < rank ? pow(1e6, rank > 1 ? -(double)s / (double)(rank - 1) : 0) : 0, 2e-14);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (size_t s = 0; s < k; s++) sum += u[i * k + s] * sigma[s] * v[j * k + s];
                    CHECK_NEAR(sum, a[i * n + j], 2e-14);
                }
            for (size_t s = 0; s < k; s++)
                for (size_t j = 0; j < n; j++) t[s * n + j] = v[j * k + s];
            CHECK(unorthonormal(k, n, t) < 2e-14);
            for (size_t s = 0; s < k; s++)
                for (size_t i = 0; i < m; i++) t[s * m + i] = u[i * k + s];
            CHECK(unorthonormal(k, m, t) < 2e-14);
        }
}

TEST(eigenvalues_are_those_the_matrix_was_made_of)
{
    static double a[N * N], f[N * N], w[N], got[N], v[N * N];
    for (size_t n = 1; n <= N; n += 3) {
        for (size_t i = 0; i < n; i++) w[i] = (double)i - (double)(n / 2);
        make_symmetric(n, w, a);
        memcpy(f, a, n * n * sizeof *a);
        CHECK(actio_eigen_symmetric(n, f, got, v) == 0);
        for (size_t s = 0; s < n; s++) {
            CHECK_NEAR(got[s], w[s], 1e-14 * (double)(n * n));
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++) sum += a[i * n + j] * v[j * n + s];
                CHECK_NEAR(sum, got[s] * v[i * n + s], 1e-14 * (double)(n * n));
            }
        }
    }
}

TEST(singular_values_of_a_symmetric_matrix_are_its_eigenvalues)
{
    static double a[N * N], w[N], sigma[N], work[4 * N * N];
    double graded[4] = { 1e-200, 0, 0, 3e-190 };
    for (size_t i = 0; i < N; i++) w[i] = pow(0.7, (double)i);
    make_symmetric(N, w, a);
    CHECK(actio_svd(N, N, a, sigma, NULL, NULL, work) == 0);
    CHECK(actio_eigen_symmetric(N, a, w, NULL) == 0);
    for (size_t i = 0; i < N; i++) CHECK_NEAR(sigma[i], w[N - 1 - i], 1e-14);
    CHECK(actio_svd(2, 2, graded, sigma, NULL, NULL, work) == 0);
    CHECK_NEAR(sigma[1] / 1e-200, 1, 1e-15);
    graded[0] = NAN;
    CHECK(actio_svd(2, 2, graded, sigma, NULL, NULL, work) == 1);
}

#include "test_algebra_sparse.h"
#include "test_algebra_newton.h"
#include "test_algebra_lcp.h"

int main(void)
{
    RUN(lu_solves_to_rounding_whatever_the_condition);
    RUN(lu_solves_many_right_hand_sides_at_once);
    RUN(singular_matrices_report_the_column);
    RUN(cholesky_solves_and_refuses_indefinite_matrices);
    RUN(cholesky_refuses_singular_matrices_of_whole_numbers);
    RUN(ldl_solves_and_counts_signs);
    RUN(ldl_counts_a_saddle_point_and_exact_zeros);
    RUN(row_and_null_space_are_orthonormal_and_have_the_right_size);
    RUN(a_row_that_is_only_rounding_error_has_no_rank);
    RUN(minimum_norm_solutions_agree_with_the_singular_values);
    RUN(singular_values_and_vectors_rebuild_the_matrix);
    RUN(eigenvalues_are_those_the_matrix_was_made_of);
    RUN(singular_values_of_a_symmetric_matrix_are_its_eigenvalues);
    run_sparse();
    run_newton();
    run_lcp();
    return DONE();
}
