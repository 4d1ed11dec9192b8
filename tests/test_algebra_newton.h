/* SPDX-License-Identifier: Apache-2.0
 * Part of test_algebra.c: the minimum-norm Newton against closed forms. */

struct problem {
    double mass[9];
    int calls;
    double shift;
};

static double newton_work[4000];
static int newton_iwork[40];

static int unit_metric(void *user, const double *z, double *G)
{
    struct problem *p = user;
    (void)z;
    memcpy(G, p->mass, 4 * sizeof *G);
    return 0;
}

static int circle(void *user, const double *z, double *c)
{
    ((struct problem *)user)->calls++;
    c[0] = z[0] * z[0] + z[1] * z[1] - 1;
    return 0;
}

static int circle_slope(void *user, const double *z, double *J)
{
    (void)user;
    J[0] = 2 * z[0];
    J[1] = 2 * z[1];
    return 0;
}

TEST(newton_goes_radially_to_the_circle)
{
    struct problem p = { .calls = 0 };
    struct actio_newton n = { .m = 1, .n = 2, .residual = circle, .jacobian = circle_slope, .user = &p, .tol = 1e-14 };
    struct actio_newton_result r;
    double z[2] = { 3, 4 };
    CHECK(actio_newton_work(1, 2) < 4000);
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    CHECK(r.converged && r.rank == 1 && !r.used_euclid && r.iterations < 12);
    CHECK_NEAR(z[0], 0.6, 1e-14);
    CHECK_NEAR(z[1], 0.8, 1e-14);
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    CHECK(r.iterations == 0 && r.rank == 1);
}

TEST(newton_at_the_centre_says_that_it_is_stuck)
{
    struct problem p = { .calls = 0 };
    struct actio_newton n = { .m = 1, .n = 2, .residual = circle, .jacobian = circle_slope, .user = &p, .tol = 1e-14 };
    struct actio_newton_result r;
    double z[2] = { 0, 0 };
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 1);
    CHECK(!r.converged && !r.round_off && r.rank == 0 && z[0] == 0 && z[1] == 0);
}

/* the same circle three times, in other units */
static int circles(void *user, const double *z, double *c)
{
    circle(user, z, c);
    c[1] = 1e6 * c[0];
    c[2] = -1e-6 * c[0] + ((struct problem *)user)->shift;
    return 0;
}

static int circles_slope(void *user, const double *z, double *J)
{
    circle_slope(user, z, J);
    for (int j = 0; j < 2; j++) {
        J[2 + j] = 1e6 * J[j];
        J[4 + j] = -1e-6 * J[j];
    }
    return 0;
}

TEST(newton_takes_copies_of_a_constraint)
{
    struct problem p = { .calls = 0 };
    struct actio_newton n = {
        .m = 3, .n = 2, .residual = circles, .jacobian = circles_slope, .user = &p, .tol = 1e-13
    };
    struct actio_newton_result r;
    double z[2] = { -0.5, 1.5 };
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    CHECK(r.converged && r.rank == 1);
    CHECK_NEAR(z[1] / z[0], -3, 1e-13);
    CHECK_NEAR(hypot(z[0], z[1]), 1, 1e-13);
}

TEST(newton_names_the_constraint_that_contradicts_the_others)
{
    struct problem p = { .shift = 1e-7 };
    struct actio_newton n = {
        .m = 3, .n = 2, .residual = circles, .jacobian = circles_slope, .user = &p, .tol = 1e-13
    };
    struct actio_newton_result r;
    double z[2] = { -0.5, 1.5 };
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 1);
    CHECK(!r.converged && !r.round_off && r.worst == 2);
}

/* x + 2 y = 3: a plane, so one step in any metric is exact */
static int line(void *user, const double *z, double *c)
{
    ((struct problem *)user)->calls++;
    c[0] = z[0] + 2 * z[1] - 3;
    return 0;
}

static int line_slope(void *user, const double *z, double *J)
{
    (void)user;
    (void)z;
    J[0] = 1;
    J[1] = 2;
    return 0;
}

/* from 0 to the line x + 2 y = 3 along G^-1 (1, 2) */
static struct actio_newton_result to_line(double a, double b, double d, double z[2])
{
    struct problem p = { .mass = { a, b, b, d } };
    struct actio_newton n = {
        .m = 1, .n = 2, .residual = line, .jacobian = line_slope, .metric = unit_metric, .user = &p, .tol = 1e-14
    };
    struct actio_newton_result r;
    z[0] = z[1] = 0;
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    return r;
}

TEST(newton_moves_along_the_inverse_mass)
{
    double z[2];
    struct actio_newton_result r = to_line(2, 1, 3, z); /* G^-1 (1, 2) = (1, 3) / 5 */
    CHECK(r.converged && !r.used_euclid && r.iterations == 1);
    CHECK_NEAR(z[0], 3.0 / 7, 1e-15);
    CHECK_NEAR(z[1], 9.0 / 7, 1e-15);
}

TEST(newton_uses_a_singular_mass_where_it_still_tells_the_nearest_point)
{
    double z[2];
    CHECK(!to_line(1, 0, 0, z).used_euclid); /* y costs nothing: only y moves */
    CHECK_NEAR(z[0], 0, 1e-15);
    CHECK_NEAR(z[1], 1.5, 1e-15);
}

TEST(newton_uses_an_indefinite_mass_that_is_positive_on_the_step)
{
    double z[2];
    CHECK(!to_line(-1, 0, 1, z).used_euclid); /* along (-1, 2), where G = +3 */
    CHECK_NEAR(z[0], -1, 1e-14);
    CHECK_NEAR(z[1], 2, 1e-14);
}

TEST(newton_falls_back_to_plain_distance_and_says_so)
{
    double z[2];
    CHECK(to_line(-1, 0, -1, z).used_euclid);
    CHECK_NEAR(z[0], 0.6, 1e-14);
    CHECK_NEAR(z[1], 1.2, 1e-14);
    CHECK(to_line(NAN, 0, 1, z).used_euclid);
    CHECK(to_line(0, 0, 0, z).used_euclid);
}

/* atan: plain Newton diverges from 3; outside |z| < 20 it is not defined */
static int bend(void *user, const double *z, double *c)
{
    (void)user;
    c[0] = atan(z[0]);
    return fabs(z[0]) > 20;
}

static int bend_slope(void *user, const double *z, double *J)
{
    (void)user;
    J[0] = 1 / (1 + z[0] * z[0]);
    return 0;
}

TEST(newton_shortens_steps_that_do_not_help_or_leave_the_domain)
{
    struct actio_newton n = { .m = 1, .n = 1, .residual = bend, .jacobian = bend_slope, .tol = 1e-15 };
    struct actio_newton_result r;
    double z[1] = { 15 };
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    CHECK(r.converged && fabs(z[0]) < 1e-14);
    z[0] = 30;
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 2);
}

/* a residual with a large constant: no better than 1e-8 can be had */
static int coarse(void *user, const double *z, double *c)
{
    (void)user;
    volatile double big = 1e6 + z[0] * z[0];
    c[0] = big - (1e6 + 2);
    return 0;
}

static int coarse_slope(void *user, const double *z, double *J)
{
    (void)user;
    J[0] = 2 * z[0];
    return 0;
}

TEST(newton_notices_that_rounding_stops_it)
{
    struct actio_newton n = { .m = 1, .n = 1, .residual = coarse, .jacobian = coarse_slope, .tol = 1e-300 };
    struct actio_newton_result r;
    double z[1] = { 1 };
    CHECK(actio_newton_solve(&n, z, newton_work, newton_iwork, &r) == 0);
    CHECK(r.converged || r.round_off);
    CHECK(r.iterations < 20);
    CHECK_NEAR(z[0], sqrt(2), 1e-9);
}

TEST(newton_gives_the_same_bits_again)
{
    struct problem p = { .calls = 0 };
    struct actio_newton n = {
        .m = 3, .n = 2, .residual = circles, .jacobian = circles_slope, .user = &p, .tol = 1e-13
    };
    struct actio_newton_result r;
    double z[2] = { 0.3, 0.1 }, y[2] = { 0.3, 0.1 };
    actio_newton_solve(&n, z, newton_work, newton_iwork, &r);
    actio_newton_solve(&n, y, newton_work, newton_iwork, &r);
    CHECK(memcmp(y, z, sizeof z) == 0);
}

static void run_newton(void)
{
    RUN(newton_goes_radially_to_the_circle);
    RUN(newton_at_the_centre_says_that_it_is_stuck);
    RUN(newton_takes_copies_of_a_constraint);
    RUN(newton_names_the_constraint_that_contradicts_the_others);
    RUN(newton_moves_along_the_inverse_mass);
    RUN(newton_uses_a_singular_mass_where_it_still_tells_the_nearest_point);
    RUN(newton_uses_an_indefinite_mass_that_is_positive_on_the_step);
    RUN(newton_falls_back_to_plain_distance_and_says_so);
    RUN(newton_shortens_steps_that_do_not_help_or_leave_the_domain);
    RUN(newton_notices_that_rounding_stops_it);
    RUN(newton_gives_the_same_bits_again);
}
