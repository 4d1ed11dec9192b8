/* SPDX-License-Identifier: Apache-2.0
 * Part of test_algebra.c: complementarity problems, by what a solution is. */
#include "algebra/lcp.h"

enum { LCP_MOST = 12 };
static double lcp_work[actio_lcp_work(LCP_MOST)];
static int lcp_basis[LCP_MOST];

/* The worst of w < 0, z < 0 and w z not 0. */
static double lcp_defect(size_t n, const double *M, const double *q, const double *z)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double w = q[i];
        for (size_t j = 0; j < n; j++) w += M[i * n + j] * z[j];
        worst = fmax(worst, fmax(fmax(-w, -z[i]), fmin(fabs(w), fabs(z[i]))));
    }
    return worst;
}

TEST(complementarity_problems_of_positive_matrices_are_solved)
{
    for (int trial = 0; trial < 2000; trial++) {
        size_t n = 1 + (size_t)trial % 8;
        double B[64], M[64], q[8], z[8];
        for (size_t i = 0; i < n * n; i++) B[i] = draw();
        for (size_t i = 0; i < n; i++) {
            q[i] = trial % 5 == 0 && i % 2 ? 0 : draw(); /* some of them degenerate */
            for (size_t j = 0; j < n; j++) {
                M[i * n + j] = i == j ? 1e-3 : 0;
                for (size_t k = 0; k < n; k++) M[i * n + j] += B[i * n + k] * B[j * n + k];
            }
        }
        CHECK(actio_lcp(n, M, q, z, lcp_work, lcp_basis) == 0);
        CHECK(lcp_defect(n, M, q, z) < 1e-8);
    }
}

/* A sliding contact and one that only touches: ties at every pivot. */
TEST(a_degenerate_problem_of_friction_is_solved)
{
    const double M[25] = { 1.1879595773910308,
                           0.59397978869551471,
                           1.0288031726896587,
                           -1.0288031726896587,
                           0,
                           0.59397978869551471,
                           1.1879595773910305,
                           0,
                           0,
                           0,
                           1.0288031726896587,
                           0,
                           3.5638787321730927,
                           -3.5638787321730927,
                           1,
                           -1.0288031726896587,
                           0,
                           -3.5638787321730927,
                           3.5638787321730927,
                           1,
                           0,
                           0.38373900640824266,
                           -1,
                           -1,
                           0 };
    const double q[5] = { 0, 0.43845229769839705, 0.75942165630893954, -0.75942165630893954, 0 };
    double z[5];
    CHECK(actio_lcp(5, M, q, z, lcp_work, lcp_basis) == 0);
    CHECK(lcp_defect(5, M, q, z) < 1e-12);
}

TEST(a_problem_without_a_solution_is_reported)
{
    const double M[4] = { 0, 0, 0, 0 }, q[2] = { 1, -1 };
    double z[2];
    CHECK(actio_lcp(2, M, q, z, lcp_work, lcp_basis) == 1);
}

static void run_lcp(void)
{
    RUN(complementarity_problems_of_positive_matrices_are_solved);
    RUN(a_degenerate_problem_of_friction_is_solved);
    RUN(a_problem_without_a_solution_is_reported);
}
