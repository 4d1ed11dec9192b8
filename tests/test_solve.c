/* SPDX-License-Identifier: Apache-2.0
 * Marching: the steppers' orders and counts, dense output, projection, stiffness, and every way a run can end early. */
#include "marching.h"
#include "native/native.h"
#include "solve/checks.h"

/* ---- flows */

static int oscillator(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return 0;
}

static int kepler(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return 0;
}

/* The restricted three-body orbit of Hairer, Norsett and Wanner, II.0. */
static int arenstorf(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double mu = 0.012277471, m = 1 - mu;
    double a = y[0] + mu, b = y[0] - m, d1 = pow(a * a + y[1] * y[1], 1.5), d2 = pow(b * b + y[1] * y[1], 1.5);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2 * y[3] - m * a / d1 - mu * b / d2;
    f[3] = y[1] - 2 * y[2] - m * y[1] / d1 - mu * y[1] / d2;
    return 0;
}
static const double arenstorf_start[4] = { 0.994, 0, 0, -2.00158510637908252240537862224 };
static const double arenstorf_period = 17.0652165601579625588917206249;

static int van_der_pol(void *user, double t, const double *y, double *f)
{
    (void)t;
    double mu = *(const double *)user;
    f[0] = y[1];
    f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
    return 0;
}

static int blow_up(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = y[0] * y[0];
    return 0;
}

/* y' = -1 while y > 0; not defined below. */
static int falling_log(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = -1 + 0 * log(y[0]);
    return isfinite(f[0]) ? 0 : ACTIO_FLOW_NAN;
}

static int undefined(void *user, double t, const double *y, double *f)
{
    (void)t;
    (void)y;
    if (user) ++*(int *)user;
    f[0] = log(-1.0);
    return ACTIO_FLOW_NAN;
}

/* ---- order, counts, known orbits */

TEST(the_error_falls_with_the_eighth_power_of_the_work)
{
    struct actio_ode flow = flow_of(2, oscillator);
    double error[2], calls[2], tol[2] = { 1e-6, 1e-10 };
    for (int k = 0; k < 2; k++) {
        double y[2] = { 1, 0 };
        calls[k] = (double)march(&flow, &actio_dop853, 0, 20, tol[k], y).stats.rhs;
        error[k] = hypot(y[0] - cos(20), y[1] + sin(20));
    }
    double order = log(error[0] / error[1]) / log(calls[1] / calls[0]);
    CHECK(order > 7.5 && order < 9.5);
}

TEST(the_arenstorf_orbit_closes)
{
    struct actio_ode flow = flow_of(4, arenstorf);
    double y[4];
    memcpy(y, arenstorf_start, sizeof y);
    struct actio_march_result out = march(&flow, &actio_dop853, 0, arenstorf_period, 1e-12, y);
    CHECK(out.status == 0 && out.t == arenstorf_period);
    CHECK_NEAR(y[0], arenstorf_start[0], 5e-9);
    CHECK_NEAR(y[3], arenstorf_start[3], 5e-6);
}

TEST(kepler_keeps_its_energy_over_a_hundred_turns)
{
    struct actio_ode flow = flow_of(4, kepler);
    double e = 0.5, y[4] = { 1 - e, 0, 0, sqrt((1 + e) / (1 - e)) };
    march(&flow, &actio_dop853, 0, 200 * PI, 1e-13, y);
    CHECK_NEAR(0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / hypot(y[0], y[1]), -0.5, 5e-11);
    CHECK_NEAR(y[0], 1 - e, 1e-9);
}

/* Counts of the DOP853 of SciPy 1.10 for the same problems. */
TEST(the_number_of_right_hand_sides_is_that_of_the_reference)
{
    static const struct {
        int (*rhs)(void *, double, const double *, double *);
        size_t n;
        double y[4], t1, tol, calls;
    } row[] = {
        { oscillator, 2, { 1, 0 }, 100, 1e-6, 1094 },
        { oscillator, 2, { 1, 0 }, 100, 1e-9, 2546 },
        { oscillator, 2, { 1, 0 }, 100, 1e-12, 6002 },
        { kepler, 4, { 0.5, 0, 0, 1.7320508075688772 }, 20, 1e-9, 1490 },
        { kepler, 4, { 0.5, 0, 0, 1.7320508075688772 }, 20, 1e-12, 2714 },
        { arenstorf,
          4,
          { 0.994, 0, 0, -2.00158510637908252240537862224 },
          17.0652165601579625588917206249,
          1e-9,
          2234 },
        { arenstorf,
          4,
          { 0.994, 0, 0, -2.00158510637908252240537862224 },
          17.0652165601579625588917206249,
          1e-12,
          4286 },
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        struct actio_ode flow = flow_of(row[k].n, row[k].rhs);
        double y[4];
        memcpy(y, row[k].y, sizeof y);
        CHECK_NEAR((double)march(&flow, &actio_dop853, 0, row[k].t1, row[k].tol, y).stats.rhs, row[k].calls,
                   0.05 * row[k].calls);
    }
}

TEST(going_back_in_time_returns_to_the_start)
{
    struct actio_ode flow = flow_of(4, kepler);
    double y[4] = { 0.5, 0, 0, sqrt(3) };
    march(&flow, &actio_dop853, 0, 20, 1e-12, y);
    struct actio_march_result out = march(&flow, &actio_dop853, 20, 0, 1e-12, y);
    CHECK(out.status == 0 && out.t == 0);
    CHECK_NEAR(y[0], 0.5, 1e-9);
    CHECK_NEAR(y[3], sqrt(3), 1e-9);
}

static int turning_and_creeping(void *user, double t, const double *y, double *f)
{
    f[2] = 0.1;
    return oscillator(user, t, y, f);
}

/* The oscillator makes 20 000 steps of it; rounding of a plain sum would show. */
TEST(round_off_does_not_accumulate_over_steps)
{
    struct actio_ode flow = flow_of(3, turning_and_creeping);
    double y[3] = { 1, 0, 1000 };
    CHECK(march(&flow, NULL, 0, 1e4, 1e-9, y).stats.steps > 10000);
    CHECK_NEAR(y[2], 2000, 1e-12); /* the coefficients' own rounding is 7e-16 */
}

/* ---- rows and dense output */

TEST(rows_between_steps_are_as_exact_as_the_steps)
{
    struct actio_ode flow = flow_of(2, oscillator);
    enum { ROWS = 1001 };
    static double times[ROWS], row[2 * ROWS];
    double y0[2] = { 1, 0 }, worst = 0;
    for (int k = 0; k < ROWS; k++) times[k] = 10.0 * k / (ROWS - 1);
    struct actio_march_task task = {
        .t1 = 10, .rtol = 1e-10, .atol = 1e-10, .y0 = y0, .rows = { { ROWS, times, row, ROWS } }
    };
    struct actio_march_result out = { 0 };
    CHECK(actio_march(&context, &flow, &task, &out) == 0 && out.rows == ROWS);
    for (int k = 0; k < ROWS; k++) worst = fmax(worst, hypot(row[k] - cos(times[k]), row[ROWS + k] + sin(times[k])));
    CHECK(worst < 5e-9);
    CHECK(row[0] == 1 && row[ROWS] == 0);
}

/* The error of one step's interpolant at its worst place, for a step of length h. */
static double dense_error(double length)
{
    struct actio_ode flow = flow_of(2, oscillator);
    void *h = actio_dop853.open(&context, &flow);
    double t, y[2] = { 1, 0 }, worst = 0;
    actio_dop853.start(h, 0, y, length, 1e-3, 1e3);
    CHECK(actio_dop853.step(h, &t, y) == 0 && t == length);
    for (int k = 1; k < 50; k++) {
        double at = length * k / 50, x[2];
        actio_dop853.dense(h, at, x);
        worst = fmax(worst, hypot(x[0] - cos(at), x[1] + sin(at)));
    }
    actio_dop853.close(h);
    return worst;
}

TEST(dense_output_has_order_seven)
{
    double order = log2(dense_error(0.5) / dense_error(0.25)) - 1;
    CHECK(order > 6.8);
}

TEST(many_rows_at_once_have_the_bits_of_one_by_one)
{
    struct actio_ode flow = flow_of(2, oscillator);
    void *h = actio_dop853.open(&context, &flow);
    double t, y[2] = { 1, 0 }, times[11], row[2 * 11];
    actio_dop853.start(h, 0, y, 1, 1e-6, 1e-6);
    CHECK(actio_dop853.step(h, &t, y) == 0);
    for (size_t count = 1; count <= 11; count++) {
        for (size_t k = 0; k < count; k++) times[k] = t * (double)(k + 1) / (double)(count + 1);
        actio_dop853.dense_rows(h, count, times, row, 11);
        for (size_t k = 0; k < count; k++) {
            double x[2];
            actio_dop853.dense(h, times[k], x);
            CHECK(x[0] == row[k] && x[1] == row[11 + k]);
        }
    }
    actio_dop853.close(h);
}

/* y' = a(t, y): reported and true error of an interpolant over the first step of length h. */
static void gap_of(int (*rhs)(void *, double, const double *, double *), const double *start, double length,
                   double (*exact)(double), double *reported, double *true_error)
{
    struct actio_ode flow = flow_of(2, rhs);
    flow.first = length;
    void *h = actio_dop853.open(&context, &flow);
    double t, y[2] = { start[0], start[1] }, at, x[2], error[2];
    actio_dop853.start(h, 0, y, length, 1e-3, 1e3);
    CHECK(actio_dop853.step(h, &t, y) == 0 && t == length && actio_dop853.gap(h, &at, x, error) == 0);
    *reported = fabs(error[0]);
    *true_error = 0;
    for (int k = 1; k < 50; k++) {
        actio_dop853.dense(h, length * k / 50, x);
        *true_error = fmax(*true_error, fabs(x[0] - exact(length * k / 50)));
    }
    actio_dop853.close(h);
}

static int growing(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[0] * cos(t);
    dy[1] = 0;
    return 0;
}
static double grown_to(double t) { return exp(sin(t)); }

TEST(the_interpolants_error_is_reported_within_a_factor_of_three)
{
    double reported, true_error;
    for (double h = 0.3; h < 1.5; h *= 1.3) {
        gap_of(oscillator, (double[]){ 1, 0 }, h, cos, &reported, &true_error);
        CHECK(true_error < 1e-14 || (reported < 3 * true_error && reported > true_error / 3));
        gap_of(growing, (double[]){ 1, 0 }, h, grown_to, &reported, &true_error);
        CHECK(true_error < 1e-14 || (reported < 3 * true_error && reported > true_error / 3));
    }
}

TEST(checks_are_thinned_evenly_and_keep_the_end)
{
    struct actio_checks c;
    CHECK(actio_checks_open(&c, &context, 1) == 0);
    for (int i = 1; i <= 1000; i++) actio_checks_note(&c, i, &(double){ i });
    actio_checks_end(&c, 1001, &(double){ 1001 });
    CHECK(c.most == 128 && c.count > c.most / 2 && c.count <= c.most + 1 && c.t[c.count - 1] == 1001);
    for (size_t i = 0; i + 2 < c.count; i++) CHECK(c.t[i + 1] - c.t[i] == c.t[1] - c.t[0] && c.y[i] == c.t[i]);
    for (int i = 0; i < 10; i++) actio_checks_gap(&c, i, &(double){ 0 }, &(double){ i % 7 });
    double sum = 0;
    for (size_t k = 0; k < c.gaps; k++) sum += c.gap_error[k];
    CHECK(c.gaps == ACTIO_GAPS && sum == 6 + 5 + 4 + 3);
    actio_checks_close(&c, &context);
    /* of large states fewer */
    CHECK(actio_checks_open(&c, &context, 400000) == 0 && c.most >= 8 && c.most * c.n * sizeof(double) < 64e6);
    actio_checks_close(&c, &context);
}

TEST(rows_go_backwards_too_and_take_the_steps_own_values_at_the_ends)
{
    struct actio_ode flow = flow_of(2, oscillator);
    double times[3] = { 1, 0.5, 0 }, row[6], y0[2] = { cos(1), -sin(1) }, end[2];
    struct actio_march_task task = {
        .t0 = 1, .t1 = 0, .rtol = 1e-11, .atol = 1e-11, .y0 = y0, .rows = { { 3, times, row, 3 } }
    };
    struct actio_march_result out = { .y = end };
    CHECK(actio_march(&context, &flow, &task, &out) == 0 && out.rows == 3);
    CHECK(row[0] == y0[0] && row[2] == end[0] && row[5] == end[1]);
    CHECK_NEAR(row[1], cos(0.5), 1e-9);
    CHECK_NEAR(end[0], 1, 1e-9);
}

/* ---- early ends */

TEST(a_blow_up_ends_at_its_time_and_soon)
{
    struct actio_ode flow = flow_of(1, blow_up);
    double y[1] = { 1 };
    struct actio_march_result out = march(&flow, NULL, 0, 2, 1e-9, y);
    CHECK(out.status == ACTIO_MARCH_STEP_TO_ZERO);
    CHECK_NEAR(out.t, 1, 1e-8);
    CHECK(out.stats.rhs < 5000);
    y[0] = 1;
    out = march(&flow, NULL, -1, 2, 1e-9, y); /* the pole at t = 0, where the spacing of numbers is no bound */
    CHECK(out.status != 0);
    CHECK_NEAR(out.t, 0, 1e-8);
    CHECK(out.stats.rhs < 20000);
}

TEST(an_undefined_value_ends_the_run_near_the_edge_of_the_domain)
{
    struct actio_ode flow = flow_of(1, falling_log);
    double y[1] = { 1 };
    struct actio_march_result out = march(&flow, NULL, 0, 2, 1e-9, y);
    CHECK(out.status == ACTIO_FLOW_NAN);
    CHECK_NEAR(out.t, 1, 1e-9);
    CHECK(out.stats.rhs < 20000);
}

TEST(a_start_that_is_undefined_ends_at_once)
{
    int calls = 0;
    struct actio_ode flow = { .n = 1, .rhs = undefined, .user = &calls };
    double y[1] = { 3 };
    struct actio_march_result out = march(&flow, NULL, 0, 2, 1e-9, y);
    CHECK(out.status == ACTIO_FLOW_NAN && out.t == 0 && y[0] == 3 && calls == 1);
}

static int silent_nan(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)y;
    f[0] = sqrt(1 - t);
    return 0;
}

TEST(values_that_are_not_finite_are_noticed_even_if_nobody_says_so)
{
    struct actio_ode flow = flow_of(1, silent_nan);
    double y[1] = { 0 };
    struct actio_march_result out = march(&flow, NULL, 0, 2, 1e-6, y);
    CHECK(out.status == ACTIO_FLOW_NAN && isfinite(y[0]));
    CHECK_NEAR(out.t, 1, 1e-3);
}

TEST(a_run_can_be_cancelled_and_its_steps_limited)
{
    struct actio_ode flow = flow_of(2, oscillator);
    volatile int cancel = 1;
    double y0[2] = { 1, 0 };
    struct actio_march_task task = { .t1 = 1e9, .rtol = 1e-9, .atol = 1e-9, .y0 = y0, .max_steps = 100 };
    struct actio_march_result out = { 0 };
    CHECK(actio_march(&context, &flow, &task, &out) == ACTIO_MARCH_TOO_MANY_STEPS && out.stats.steps == 100);
    context.cancel = &cancel;
    CHECK(actio_march(&context, &flow, &task, &out) == ACTIO_FLOW_STOPPED && out.stats.steps == 0);
    context.cancel = NULL;
}

/* ---- projection */

static int onto_circle(void *user, double t, double *y)
{
    double r = hypot(y[0], y[1]);
    (void)t;
    if (user) ++*(size_t *)user;
    y[0] /= r;
    y[1] /= r;
    return 0;
}

TEST(projection_keeps_a_circle)
{
    size_t calls = 0;
    struct actio_ode flow = { .n = 2, .rhs = oscillator, .project = onto_circle, .user = &calls };
    double y[2] = { 1, 0 };
    struct actio_march_result out = march(&flow, NULL, 0, 1000, 1e-6, y);
    CHECK_NEAR(hypot(y[0], y[1]), 1, 3e-16);
    CHECK(calls >= out.stats.steps && out.stats.projections == calls);
}

/* ---- stiffness */

TEST(stiffness_is_noticed_and_its_absence_too)
{
    double mu = 1000, y[2] = { 2, 0 }, y0[2] = { 2, 0 };
    struct actio_ode flow = { .n = 2, .rhs = van_der_pol, .user = &mu };
    struct actio_march_task task = { .t1 = 1500, .rtol = 1e-6, .atol = 1e-6, .y0 = y0, .stop_when_stiff = true };
    struct actio_march_result out = { 0 };
    CHECK(actio_march(&context, &flow, &task, &out) == ACTIO_MARCH_STIFF && out.stats.looks_stiff);
    CHECK(out.stats.rhs < 5000);
    mu = 1;
    CHECK(!march(&flow, NULL, 0, 100, 1e-9, y).stats.looks_stiff);
    struct actio_ode orbit = flow_of(4, arenstorf);
    double z[4];
    memcpy(z, arenstorf_start, sizeof z);
    CHECK(!march(&orbit, NULL, 0, 17, 1e-9, z).stats.looks_stiff);
}

#ifdef ACTIO_WITH_SUNDIALS
static int van_der_pol_jacobian(void *user, double t, const double *y, double *j)
{
    double mu = *(const double *)user;
    (void)t;
    j[0] = 1;
    j[1] = -2 * mu * y[0] * y[1] - 1;
    j[2] = mu * (1 - y[0] * y[0]);
    return 0;
}

TEST(cvode_solves_the_stiff_problem_with_and_without_a_jacobian)
{
    static const uint32_t row[] = { 0, 1, 1 }, column[] = { 1, 0, 1 };
    const struct actio_pattern pattern = { .rows = 2, .count = 3, .i = row, .j = column };
    double mu = 1000, y[2] = { 2, 0 }, z[2] = { 2, 0 };
    struct actio_ode flow = { .n = 2, .rhs = van_der_pol, .user = &mu };
    struct actio_march_result out = march(&flow, actio_stepper_stiff(), 0, 1500, 1e-10, y);
    CHECK(out.status == 0 && strcmp(out.stats.stepper, "cvode") == 0 && out.t == 1500);
    CHECK_NEAR(y[0], -1.35474592, 1e-6);
    flow.pattern = &pattern;
    flow.jacobian = van_der_pol_jacobian;
    out = march(&flow, actio_stepper_stiff(), 0, 1500, 1e-10, z);
    CHECK(out.status == 0);
    CHECK_NEAR(z[0], -1.35474592, 1e-6);
}

enum { RODS = 60 };
static int heat(void *user, double t, const double *y, double *f) /* u_t = u_xx, ends at 0 */
{
    double k = (RODS + 1.0) * (RODS + 1.0);
    (void)user;
    (void)t;
    for (int i = 0; i < RODS; i++) f[i] = k * ((i ? y[i - 1] : 0) - 2 * y[i] + (i < RODS - 1 ? y[i + 1] : 0));
    return 0;
}
static int heat_jacobian(void *user, double t, const double *y, double *j)
{
    double k = (RODS + 1.0) * (RODS + 1.0);
    (void)user;
    (void)t;
    (void)y;
    for (int i = 0; i < RODS; i++) j[i] = -2 * k;
    for (int i = RODS; i < 3 * RODS - 2; i++) j[i] = k;
    return 0;
}

TEST(cvode_uses_a_sparse_jacobian)
{
    static uint32_t row[3 * RODS], column[3 * RODS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < RODS; i++) {
        row[count] = i;
        column[count++] = i;
    }
    for (uint32_t i = 0; i + 1 < RODS; i++) {
        row[count] = i;
        column[count++] = i + 1;
        row[count] = i + 1;
        column[count++] = i;
    }
    const struct actio_pattern pattern = { .rows = RODS, .count = count, .i = row, .j = column };
    struct actio_ode flow = { .n = RODS, .rhs = heat, .jacobian = heat_jacobian, .pattern = &pattern };
    double y0[RODS], y[RODS], rate = 4 * (RODS + 1.0) * (RODS + 1.0) * pow(sin(PI / 2 / (RODS + 1)), 2);
    for (int i = 0; i < RODS; i++) y0[i] = sin(PI * (i + 1) / (RODS + 1));
    struct actio_march_task task = {
        .stepper = actio_stepper_stiff(), .t1 = 0.2, .rtol = 1e-9, .atol = 1e-9, .y0 = y0
    };
    struct actio_march_result out = { .y = y };
    CHECK(actio_march(&context, &flow, &task, &out) == 0 && out.stats.rhs < 5000);
    for (int i = 0; i < RODS; i++) CHECK_NEAR(y[i], y0[i] * exp(-rate * 0.2), 1e-7);
}

TEST(cvode_projects_and_ends_like_the_other)
{
    const struct actio_stepper *cvode = actio_stepper_find("cvode");
    struct actio_ode circle = { .n = 2, .rhs = oscillator, .project = onto_circle };
    double z[2] = { 1, 0 };
    CHECK(march(&circle, cvode, 0, 50, 1e-8, z).status == 0);
    CHECK_NEAR(hypot(z[0], z[1]), 1, 1e-12);
    struct actio_ode bad = flow_of(1, undefined), up = flow_of(1, blow_up), edge_of = flow_of(1, falling_log);
    double x[1] = { 1 };
    CHECK(march(&bad, cvode, 0, 2, 1e-9, x).status == ACTIO_FLOW_NAN);
    struct actio_march_result out = march(&up, cvode, 0, 2, 1e-9, x);
    CHECK(out.status != 0);
    CHECK_NEAR(out.t, 1, 1e-6);
    x[0] = 1;
    out = march(&edge_of, cvode, 0, 2, 1e-9, x);
    CHECK(out.status == ACTIO_FLOW_NAN);
    CHECK_NEAR(out.t, 1, 1e-3);
}
#endif

/* ---- memory */

static size_t taken;
static void *counting(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    taken++;
    return realloc(old, size);
}

TEST(nothing_is_allocated_between_open_and_close)
{
    struct actio_context own;
    actio_context_init(&own);
    own.allocate = counting;
    struct actio_ode flow = flow_of(4, kepler);
    double t = 0, y[4] = { 0.5, 0, 0, sqrt(3) }, x[4];
    void *h = actio_dop853.open(&own, &flow);
    size_t opened = taken;
    actio_dop853.start(h, 0, y, 20, 1e-9, 1e-9);
    while (t < 20 && actio_dop853.step(h, &t, y) == 0) actio_dop853.dense(h, t - 1e-3, x);
    actio_dop853.start(h, t, y, 0, 1e-9, 1e-9);
    CHECK(actio_dop853.step(h, &t, y) == 0);
    CHECK(opened > 0 && taken == opened);
    actio_dop853.close(h);
    CHECK(own.bytes == 0);
}

static size_t left;
static void *failing(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return left-- > 0 && left < SIZE_MAX / 2 ? realloc(old, size) : NULL;
}

TEST(a_lack_of_memory_is_a_status)
{
    struct actio_ode flow = flow_of(2, oscillator);
    double y0[2] = { 1, 0 };
    struct actio_march_task task = { .t1 = 1, .rtol = 1e-9, .atol = 1e-9, .y0 = y0 };
    struct actio_march_result out = { 0 };
    for (size_t k = 0; k < 4; k++) {
        struct actio_context own;
        actio_context_init(&own);
        own.allocate = failing;
        left = k;
        CHECK(actio_march(&own, &flow, &task, &out) == (k < 4 ? ACTIO_MARCH_NO_MEMORY : 0));
        CHECK(own.bytes == 0);
    }
}

TEST(a_long_state_gives_the_same_motion_as_a_short_one)
{
    double y[2] = { 1, 0 };
    struct actio_ode one = flow_of(2, oscillator);
    march(&one, NULL, 0, 10, 1e-9, y);
    CHECK_NEAR(y[0], cos(10), 1e-8);
    struct actio_ode many = flow_of(16, kepler); /* components 4 to 15 rest */
    many.rhs = kepler;
    double z[16] = { 0.5, 0, 0, 1.7320508075688772 };
    CHECK(march(&many, NULL, 0, 20, 1e-9, z).status == 0);
}

int main(void)
{
    actio_context_init(&context);
#ifdef ACTIO_WITH_SUNDIALS
    actio_stepper_register(&actio_cvode);
    RUN(cvode_solves_the_stiff_problem_with_and_without_a_jacobian);
    RUN(cvode_uses_a_sparse_jacobian);
    RUN(cvode_projects_and_ends_like_the_other);
#endif
    RUN(the_error_falls_with_the_eighth_power_of_the_work);
    RUN(the_arenstorf_orbit_closes);
    RUN(kepler_keeps_its_energy_over_a_hundred_turns);
    RUN(the_number_of_right_hand_sides_is_that_of_the_reference);
    RUN(going_back_in_time_returns_to_the_start);
    RUN(round_off_does_not_accumulate_over_steps);
    RUN(rows_between_steps_are_as_exact_as_the_steps);
    RUN(dense_output_has_order_seven);
    RUN(many_rows_at_once_have_the_bits_of_one_by_one);
    RUN(the_interpolants_error_is_reported_within_a_factor_of_three);
    RUN(checks_are_thinned_evenly_and_keep_the_end);
    RUN(rows_go_backwards_too_and_take_the_steps_own_values_at_the_ends);
    RUN(a_blow_up_ends_at_its_time_and_soon);
    RUN(an_undefined_value_ends_the_run_near_the_edge_of_the_domain);
    RUN(a_start_that_is_undefined_ends_at_once);
    RUN(values_that_are_not_finite_are_noticed_even_if_nobody_says_so);
    RUN(a_run_can_be_cancelled_and_its_steps_limited);
    RUN(projection_keeps_a_circle);
    RUN(stiffness_is_noticed_and_its_absence_too);
    RUN(nothing_is_allocated_between_open_and_close);
    RUN(a_lack_of_memory_is_a_status);
    RUN(a_long_state_gives_the_same_motion_as_a_short_one);
    return DONE();
}
