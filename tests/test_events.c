/* SPDX-License-Identifier: Apache-2.0
 * What happens inside steps: roots, switches, touches and singular surfaces. */
#include "marching.h"
#include "native/native.h"

/* ---- roots */

static double cosine_of(void *user, double t) { return cos(*(double *)user * t); }
static double touching(void *user, double t)
{
    (void)user;
    return (t - 0.3) * (t - 0.3) * (2 + t);
}
static double nearly(void *user, double t)
{
    (void)user;
    return (t - 0.3) * (t - 0.3) + 1e-4;
}
static double close_pair(void *user, double t)
{
    (void)user;
    return (t - 0.3) * (t - 0.3001);
}
static double triple(void *user, double t)
{
    (void)user;
    return pow(t - 0.3, 3);
}
static double nothing(void *user, double t)
{
    (void)user;
    (void)t;
    return 0;
}

TEST(every_root_is_found_in_order_however_many)
{
    double root[200], w = 100 * PI;
    size_t n = actio_roots(cosine_of, &w, 0, 1, root, 200);
    CHECK(n == 100);
    for (size_t k = 0; k < n; k++) CHECK_NEAR(root[k], ((double)k + 0.5) / 100, 1e-15);
    n = actio_roots(cosine_of, &w, 1, 0, root, 200);
    CHECK(n == 100 && root[0] > root[1]);
    CHECK(actio_roots(cosine_of, &w, 0, 1, root, 7) == 7);
}

TEST(double_triple_and_close_roots_are_distinguished)
{
    double root[8];
    CHECK(actio_roots(touching, NULL, 0, 1, root, 8) == 1);
    CHECK_NEAR(root[0], 0.3, 1e-7);
    CHECK(actio_roots(nearly, NULL, 0, 1, root, 8) == 0);
    CHECK(actio_roots(close_pair, NULL, 0, 1, root, 8) == 2);
    CHECK_NEAR(root[0], 0.3, 1e-12);
    CHECK_NEAR(root[1], 0.3001, 1e-12);
    CHECK(actio_roots(triple, NULL, 0, 1, root, 8) >= 1);
    CHECK_NEAR(root[0], 0.3, 1e-4);
    CHECK(actio_roots(nothing, NULL, 0, 1, root, 8) == 0);
}

static size_t evaluations;
static double noisy(void *user, double t)
{
    (void)user;
    evaluations++;
    return 1e-9 + 1e-16 * sin(1e9 * t);
}

TEST(noise_far_from_zero_is_not_resolved)
{
    double root[8];
    CHECK(actio_roots(noisy, NULL, 0, 1, root, 8) == 0 && evaluations == ACTIO_ROOT_NODES);
}

static double edge(void *user, double t)
{
    (void)user;
    return fabs(t - 0.7123);
}

TEST(a_minimum_is_found_to_its_last_digits_even_at_an_edge)
{
    double at, least = actio_minimum(edge, NULL, 0, 2, &at);
    CHECK_NEAR(at, 0.7123, 1e-14);
    CHECK(least < 1e-14);
}

/* ---- switches: one mode variable, guard x */

struct switched {
    double mode, force;
    size_t crossings, limit;
    double at[64];
    bool both;
};

static int pulled(void *user, double t, const double *y, double *f) /* x'' = -sign(x) */
{
    const struct switched *s = user;
    (void)t;
    f[0] = y[1];
    f[1] = -s->mode;
    return 0;
}
static int kinked(void *user, double t, const double *y, double *f) /* x'' = -x - |x|/2 */
{
    const struct switched *s = user;
    (void)t;
    f[0] = y[1];
    f[1] = -y[0] - 0.5 * s->mode * y[0];
    return 0;
}
static int sliding(void *user, double t, const double *y, double *f) /* x' = -sign(x): stays at 0 */
{
    (void)t;
    (void)y;
    f[0] = -((const struct switched *)user)->mode;
    return 0;
}
static void first_component(void *user, double t, const double *y, double *g)
{
    (void)user;
    (void)t;
    g[0] = y[0];
}
static int flip(void *user, size_t guard, double t, double *y)
{
    struct switched *s = user;
    (void)y;
    (void)guard;
    if (s->crossings < 64) s->at[s->crossings] = t;
    s->mode = -s->mode;
    return ++s->crossings == s->limit ? 7 : 0;
}
static struct actio_ode switched_flow(size_t n, int (*rhs)(void *, double, const double *, double *),
                                      struct switched *s)
{
    return (struct actio_ode){ .n = n, .rhs = rhs, .user = s, .guards = 1, .guard = first_component, .crossed = flip };
}

TEST(the_sign_oscillator_has_its_closed_form_period)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    double x0 = 0.7, quarter = sqrt(2 * x0), y[2] = { x0, 0 };
    struct actio_march_result out = march(&flow, NULL, 0, 40 * quarter, 1e-10, y);
    CHECK(out.status == 0 && s.crossings == 20);
    for (size_t k = 0; k < s.crossings; k++) CHECK_NEAR(s.at[k], (double)(2 * k + 1) * quarter, 5e-12);
    CHECK_NEAR(y[0], x0, 1e-11);
    CHECK_NEAR(y[1], 0, 1e-11);
}

/* Half periods pi/sqrt(1.5) above and pi/sqrt(0.5) below. */
static double kink_error(double tol, double *calls)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, kinked, &s);
    double period = PI / sqrt(1.5) + PI / sqrt(0.5), y[2] = { 1, 0 };
    *calls = (double)march(&flow, NULL, 0, 4 * period, tol, y).stats.rhs;
    CHECK(s.crossings == 8);
    return hypot(y[0] - 1, y[1]);
}

TEST(kinks_keep_order_eight)
{
    double calls[2], loose = kink_error(1e-7, &calls[0]), tight = kink_error(1e-11, &calls[1]);
    double order = log(loose / tight) / log(calls[1] / calls[0]);
    CHECK(order > 7.3);
    CHECK(tight < 3e-10);
}

TEST(a_guard_can_stop_the_run_and_rows_before_it_are_kept)
{
    struct switched s = { .mode = 1, .limit = 2 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    double times[6] = { 0, 1, 2, 3, 4, 5 }, row[12], y0[2] = { 0.5, 0 }, y[2];
    struct actio_march_task task = {
        .t1 = 5, .rtol = 1e-10, .atol = 1e-10, .y0 = y0, .rows = { { 6, times, row, 6 } }
    };
    struct actio_march_result out = { .y = y };
    CHECK(actio_march(&context, &flow, &task, &out) == 7);
    CHECK(out.guard == 0 && out.rows == (out.t < 3 ? 3 : 4)); /* crossings at 1 and, to rounding, 3 */
    CHECK_NEAR(out.t, 3, 1e-12);
    CHECK_NEAR(row[2], -0.5, 1e-12);
    CHECK_NEAR(y[0], 0, 1e-12);
    CHECK_NEAR(y[1], 1, 1e-12);
}

TEST(a_start_exactly_on_the_surface_is_no_crossing)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    double y[2] = { 0, 1 };
    march(&flow, NULL, 0, 5, 1e-10, y);
    CHECK(s.crossings == 2);
    CHECK_NEAR(s.at[0], 2, 1e-12);
    CHECK_NEAR(s.at[1], 4, 1e-12);
}

static int assumed(void *user, size_t guard)
{
    (void)guard;
    return (int)((struct switched *)user)->mode;
}

TEST(a_mode_that_starts_on_the_wrong_side_is_changed_at_once)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    flow.side = assumed;
    double y[2] = { 0, -1 };
    march(&flow, NULL, 0, 5, 1e-10, y);
    CHECK(s.crossings == 3 && s.at[0] == 0);
    CHECK_NEAR(s.at[1], 2, 1e-12);
}

TEST(switches_work_backwards_in_time)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    double y[2] = { 0.5, 0 };
    march(&flow, NULL, 0, -8, 1e-10, y);
    CHECK(s.crossings == 4);
    CHECK_NEAR(s.at[3], -7, 1e-12);
    CHECK_NEAR(y[0], 0.5, 1e-11);
}

TEST(chattering_ends_with_the_guard_and_not_in_a_hang)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(1, sliding, &s);
    double y[1] = { 1 };
    struct actio_march_result out = march(&flow, NULL, 0, 5, 1e-9, y);
    CHECK(out.status == ACTIO_FLOW_FAILED && out.guard == 0);
    CHECK_NEAR(out.t, 1, 1e-11);
    CHECK(out.stats.rhs < 100000);
}

static int drifting(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    (void)y;
    f[0] = 1;
    return 0;
}
static void fast_guard(void *user, double t, const double *y, double *g)
{
    (void)user;
    (void)y;
    g[0] = sin(60 * t + 0.1);
}

TEST(no_root_of_a_guard_faster_than_the_steps_is_missed)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = { .n = 1, .rhs = drifting, .user = &s, .guards = 1, .guard = fast_guard, .crossed = flip };
    double y[1] = { 0 };
    march(&flow, NULL, 0, 3, 1e-6, y);
    CHECK(s.crossings == 57);
    for (size_t k = 0; k < s.crossings; k++) CHECK_NEAR(s.at[k], ((double)(k + 1) * PI - 0.1) / 60, 1e-13);
}

static void parabola_guard(void *user, double t, const double *y, double *g)
{
    (void)user;
    (void)y;
    g[0] = (t - 1.3) * (t - 1.3) * (t + 1);
    g[1] = t - 2.5;
}
static int note_touch(void *user, size_t guard, double t, const double *y)
{
    struct switched *s = user;
    (void)y;
    s->both = guard == 0;
    s->force = t;
    return 0;
}

TEST(a_touch_is_reported_but_does_not_change_the_mode)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = { .n = 1,
                              .rhs = drifting,
                              .user = &s,
                              .guards = 2,
                              .guard = parabola_guard,
                              .crossed = flip,
                              .touched = note_touch };
    double y[1] = { 0 };
    CHECK(march(&flow, NULL, 0, 3, 1e-9, y).status == 0);
    CHECK(s.both && s.crossings == 1);
    CHECK_NEAR(s.force, 1.3, 1e-7);
    CHECK_NEAR(s.at[0], 2.5, 1e-14);
}

/* ---- singular surfaces */

static double seen_quality(void *user)
{
    (void)user;
    return 1e-3;
}
static double quality_here(void *user, double t, const double *y)
{
    (void)user;
    (void)y;
    return fabs(t - 1.25);
}
static int tell_singular(void *user, double t, double before, double after, actio_dense_fn at, void *where)
{
    struct switched *s = user;
    double y;
    at(where, t, &y);
    CHECK_NEAR(y, t, 1e-12); /* y' = 1 from 0 */
    CHECK(before <= t && t <= after);
    s->at[s->crossings++] = t;
    return s->both ? ACTIO_FLOW_SINGULAR : 0;
}

TEST(a_singular_surface_inside_a_step_is_found_and_may_stop_the_run)
{
    struct switched s = { .both = false };
    struct actio_ode flow = { .n = 1,
                              .rhs = drifting,
                              .user = &s,
                              .quality = seen_quality,
                              .quality_at = quality_here,
                              .singular = tell_singular };
    double y[1] = { 0 };
    CHECK(march(&flow, NULL, 0, 3, 1e-9, y).status == 0);
    CHECK(s.crossings == 1);
    s = (struct switched){ .both = true };
    y[0] = 0;
    struct actio_march_result out = march(&flow, NULL, 0, 3, 1e-9, y);
    CHECK(out.status == ACTIO_FLOW_SINGULAR && out.guard == SIZE_MAX);
    CHECK_NEAR(out.t, 1.25, 1e-7);
    CHECK_NEAR(y[0], 1.25, 1e-7);
}

#ifdef ACTIO_WITH_SUNDIALS
TEST(cvode_meets_switches_too)
{
    struct switched s = { .mode = 1 };
    struct actio_ode flow = switched_flow(2, pulled, &s);
    const struct actio_stepper *cvode = actio_stepper_find("cvode");
    double y[2] = { 0.5, 0 };
    CHECK(march(&flow, cvode, 0, 8, 1e-9, y).status == 0 && s.crossings == 4);
    CHECK_NEAR(s.at[3], 7, 1e-6);
}
#endif

int main(void)
{
    actio_context_init(&context);
#ifdef ACTIO_WITH_SUNDIALS
    actio_stepper_register(&actio_cvode);
    RUN(cvode_meets_switches_too);
#endif
    RUN(every_root_is_found_in_order_however_many);
    RUN(double_triple_and_close_roots_are_distinguished);
    RUN(noise_far_from_zero_is_not_resolved);
    RUN(a_minimum_is_found_to_its_last_digits_even_at_an_edge);
    RUN(the_sign_oscillator_has_its_closed_form_period);
    RUN(kinks_keep_order_eight);
    RUN(a_guard_can_stop_the_run_and_rows_before_it_are_kept);
    RUN(a_start_exactly_on_the_surface_is_no_crossing);
    RUN(a_mode_that_starts_on_the_wrong_side_is_changed_at_once);
    RUN(switches_work_backwards_in_time);
    RUN(chattering_ends_with_the_guard_and_not_in_a_hang);
    RUN(no_root_of_a_guard_faster_than_the_steps_is_missed);
    RUN(a_touch_is_reported_but_does_not_change_the_mode);
    RUN(a_singular_surface_inside_a_step_is_found_and_may_stop_the_run);
    return DONE();
}
