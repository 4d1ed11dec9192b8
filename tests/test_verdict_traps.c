/* SPDX-License-Identifier: Apache-2.0
 * Models that are easily judged wrong: switches at the start, constraints hidden in constraints, units far from 1, many
 * hidden ones. */
#include "check.h"

#include <actio/actio.h>

/* Does every claim of this model hold? */
static bool holds(const char *text)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "trap.act", text, strlen(text), NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    size_t count = 0, good = 0;
    struct actio_check *check = model ? actio_test(ctx, model, &options, f, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        good += check[i].ok;
        if (!check[i].ok)
            printf("%s: %.17g, not %.17g %s\n", check[i].claim, check[i].value, check[i].expected, check[i].why);
    }
    bool all = count > 0 && good == count;
    for (size_t i = 0; i < actio_findings_count(f) && !all; i++) printf("%s\n", actio_findings_message(f, i).message);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return all;
}

#define PLANE "coord x, y\nlagrangian (x'^2 + y'^2)/2\n"
#define SPACE "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\n"

TEST(switches_in_constraints_are_judged_on_the_side_where_the_start_is)
{
    CHECK(holds(PLANE "constraint c: y = abs(x)\nstart x = -1, y = 1, x' = -1, y' = 1\ntime 0 .. 1\nexpect verdict "
                      "regular\nexpect x at 1 = -2 within 1e-9\n"));
    CHECK(holds(PLANE "force x = -1\nconstraint c: max(-1, min(x, 1)) = y\nstart x = -2, y = -1\ntime 0 .. 1\nexpect "
                      "verdict regular\nexpect x at 1 = -2.5 within 1e-9\n"));
    CHECK(holds("coord x, y\nlagrangian if(x > 0, 0, 1)*x'^2/2 + y'^2/2 - x\nstart x = -1, y' = 1\ntime 0 .. 1\nexpect "
                "verdict regular\nexpect x at 1 = -1.5 within 1e-9\n"));
}

TEST(constraints_that_meet_in_a_smaller_manifold_are_not_contradictory)
{
    CHECK(holds(SPACE "constraint a: x' = z\nconstraint b: x = 0\nstart y' = 1\ntime 0 .. 1\nexpect verdict "
                      "hidden\nexpect y at 1 = 1 within 1e-9\n"));
    CHECK(holds(SPACE "constraint a: x' = z\nconstraint b: x = t^2/2\nstart z' = 1\ntime 0 .. 3\nexpect verdict "
                      "hidden\nexpect z at 3 = 3 within 1e-9\n"));
    CHECK(holds(SPACE "constraint a: x' = z\nconstraint b: x = 0\nconstraint c: z' = 1\nstart z' = 1\nexpect verdict "
                      "contradictory\n"));
    CHECK(holds(SPACE "force z = -1\nconstraint a: x' = z\nconstraint b: x = 0\nexpect verdict contradictory\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2\nconstraint a: x' = 0\nconstraint b: x' = t^2\ntime 0 .. 1\nexpect verdict "
                "contradictory\n"));
}

TEST(accelerations_that_hang_on_a_free_multiplier_are_undetermined)
{
    CHECK(holds(PLANE "constraint c: x = t along y = 1\nstart x' = 1\nexpect verdict undetermined\n"));
    CHECK(holds("coord x, y\nlagrangian (x'^2 - y'^2)/2\nconstraint c: x' = y'\nexpect verdict undetermined\n"));
}

TEST(hidden_constraints_are_found_in_units_far_from_one)
{
    CHECK(holds("coord x, y, l\nlagrangian 1e-12*(x'^2 + y'^2)/2 - 1e-12*y + l*(x^2 + y^2 - 1)\nstart x = 1\nexpect "
                "verdict hidden\n"));
    CHECK(holds("coord x, y, l\nlagrangian 1e6*(x'^2 + y'^2)/2 - 1e7*y + 1e6*l*(x^2 + y^2 - 1e8)\nstart x = "
                "1e4\nexpect verdict hidden\n"));
    CHECK(holds("param k = 1e-3, m = 1e-20\ncoord x, y\nlagrangian m*x'^2/2 - k*(x - y)^2/2 - k*y^2/2\nstart x = 1e-9, "
                "y = .5e-9\ntime 0 .. 1e-8\n"
                "expect verdict hidden\nexpect x at 1e-8 = 1e-9*cos(sqrt(k/2/m)*1e-8) within 1e-17\n"));
}

TEST(a_rod_of_atomic_length_has_a_gradient)
{
    CHECK(holds(PLANE "constraint rod: x^2 + y^2 = 1e-20\nstart x = 1e-10, y' = 1e2\nexpect verdict regular\n"));
    CHECK(holds(PLANE "constraint c: (x - y)^2 = 0\nstart x = 1e-5, y = 1e-5\nexpect verdict singular\n"));
}

TEST(many_hidden_constraints_are_all_found)
{
    CHECK(holds("param n = 20\ncoord x[1 .. n], y[1 .. n]\nlagrangian sum(i = 1 .. n, x[i]'^2/2 - (x[i] - y[i])^2/2 - "
                "y[i]^2/2)\n"
                "start x[i = 1 .. n] = 1, y[i = 1 .. n] = .5\ntime 0 .. 2\nexpect verdict hidden\nexpect x[20] at 2 = "
                "cos(sqrt(2)) within 1e-8\n"));
}

TEST(rounding_beside_the_model_s_own_size_does_not_break_a_start)
{
    CHECK(holds(PLANE
                "constraint c: y = 0\nstart x = 1, y = sin(pi), x' = 1\ntime 0 .. 1\nexpect x at 1 = 2 within 1e-9\n"));
    CHECK(holds("param n = 30\ncoord x[1 .. n], y[1 .. n]\nlagrangian sum(i = 1 .. n, (x[i]'^2 + y[i]'^2)/2 - y[i])\n"
                "constraint r[i = 2 .. n]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 4*sin(pi/n)^2\n"
                "constraint c: (x[1] - x[n])^2 + (y[1] - y[n])^2 = 4*sin(pi/n)^2\nconstraint px: x[1] = 1\nconstraint "
                "py: y[1] = 0\nconstraint both: 2*x[1] + y[1] = 2\n"
                "start x[i = 1 .. n] = cos(2*pi*(i - 1)/n), y[i = 1 .. n] = sin(2*pi*(i - 1)/n)\ntime 0 .. .01\nexpect "
                "verdict redundant\n"));
}

TEST(constraints_that_touch_are_singular_and_those_that_repeat_are_redundant)
{
    CHECK(holds(PLANE "constraint a: y = x^2\nconstraint b: y = 2*x^2\nexpect verdict singular\n"));
    CHECK(holds(PLANE "constraint a: y = x^3\nconstraint b: y = 0\nexpect verdict singular\n"));
    CHECK(holds(PLANE "constraint a: y = cos(x)\nconstraint b: y = 1\nstart y = 1\nexpect verdict singular\n"));
    CHECK(holds(PLANE "constraint a: x^2 + y^2 = 1\nconstraint b: y = 1\nconstraint c: 2*y = 2\nstart y = 1\nexpect "
                      "verdict singular\n"));
    CHECK(holds("param R = 6.4e6\n" PLANE
                "constraint a: x^2 + y^2 = R^2\nconstraint b: y = R\nstart y = R\nexpect verdict singular\n"));
    CHECK(holds("param R = 1e-6\n" PLANE
                "constraint a: x^2 + y^2 = R^2\nconstraint b: y = R\nstart y = R\nexpect verdict singular\n"));
    CHECK(holds("param R = 6.4e6\n" PLANE "constraint a: x^2 + y^2 = R^2\nconstraint b: sqrt(x^2 + y^2) = R\nstart y = "
                "R, x' = 10\nexpect verdict redundant\n"));
    CHECK(holds(PLANE "constraint a: (x - y)^2 = 0\nconstraint b: x = y\nstart x' = 1, y' = 1\ntime 0 .. 1\nexpect "
                      "verdict redundant\nexpect x at 1 = 1 within 1e-9\n"));
    CHECK(holds(PLANE "constraint a: x^2 + y^2 = 1\nconstraint b: sqrt(x^2 + y^2) = 1\nstart y = 1, x' = 1\ntime 0 .. "
                      "1\nexpect verdict redundant\nexpect x at 1 = sin(1) within 1e-8\n"));
    CHECK(holds(
        PLANE
        "constraint a: x*x' + y*y' = 0\nconstraint b: x^2 + y^2 = 4\nstart x = 2, y' = 1\nexpect verdict redundant\n"));
    CHECK(holds(SPACE "constraint a: x = 0\nconstraint b: y = 0\nconstraint c: x*y = 0\nstart z' = 1\ntime 0 .. "
                      "1\nexpect verdict redundant\nexpect z at 1 = 1 within 1e-9\n"));
    CHECK(holds(SPACE "constraint a: x^2 + y^2 + z^2 = 1\nconstraint b: x^2 + y^2 = .25\nstart x = .5, z = sqrt(.75), "
                      "y' = 1\nexpect verdict regular\n"));
}

TEST(kinks_that_have_a_direction_are_no_flaw)
{
    CHECK(holds(PLANE "constraint c: if(x < 0, x, 2*x) = 0\nstart y' = 1\ntime 0 .. 1\nexpect verdict regular\nexpect "
                      "y at 1 = 1 within 1e-9\n"));
    CHECK(holds(PLANE "constraint c: max(x, y) = 0\nstart y = -1, y' = .5\ntime 0 .. 1\nexpect verdict regular\nexpect "
                      "y at 1 = -.5 within 1e-9\n"));
    CHECK(holds(PLANE "constraint c: max(abs(x), abs(y)) = 1\nstart x = 1, y' = .5\nexpect verdict regular\n"));
    CHECK(holds(PLANE "constraint c: sqrt(x^2 + y^2) = 1\nstart x = 1, y' = 1\nexpect verdict regular\n"));
    CHECK(holds(PLANE "constraint c: (x^2)^(1/3) = 0\nstart y' = 1\nexpect verdict singular\n"));
}

TEST(rows_of_any_size_count_alike)
{
    CHECK(holds(
        SPACE
        "constraint a: 1e18*(x' - y') = 0\nconstraint b: z' = 0\nstart x' = 1, y' = 1\nexpect verdict regular\n"));
    CHECK(holds(SPACE "constraint a: 1e-18*(x' - y') = 0\nconstraint b: z' = 0\nconstraint c: 1e12*(x' - y' + z') = "
                      "0\nstart x' = 1, y' = 1\nexpect verdict redundant\n"));
    CHECK(holds(
        "coord x, y, th, ph\nlagrangian (x'^2 + y'^2)/2 + th'^2/4 + ph'^2/8 + 4.9*x\nconstraint a: 1e8*(x'^2 + y'^2) = "
        "1e8*th'^2\n"
        "constraint b: 1e-8*x'*sin(ph) = 1e-8*y'*cos(ph)\nstart x' = 5, th' = 5, ph' = 1\nexpect verdict regular\n"));
    CHECK(holds(PLANE "constraint a: t*(x' - y') = 0\nstart x' = 1, y' = 1\ntime 0 .. 1\nexpect verdict singular\n"));
}

TEST(hidden_constraints_may_depend_on_time_and_follow_each_other)
{
    CHECK(holds("coord a, b, c, d\nlagrangian a'^2/2 + b*(a - c) + d*(c - sin(t))\nstart a' = 1, b' = -1, c' = 1, d' = "
                "-1\ntime 0 .. 1\n"
                "expect verdict hidden\nexpect b at 1 = -sin(1) within 1e-8\n"));
    /* the branch y = 0 */
    CHECK(holds("coord x, y\nlagrangian x'^2/2 - x*y^2\nstart x = 1, x' = 1\ntime 0 .. 1\nexpect verdict "
                "hidden\nexpect x at 1 = 2 within 1e-9\n"));
    CHECK(holds("coord q1, q2, q3\nlagrangian q1'*q2' - q2*q3 - q1^2/2\nexpect verdict hidden\n"));
}

int main(void)
{
    RUN(constraints_that_touch_are_singular_and_those_that_repeat_are_redundant);
    RUN(kinks_that_have_a_direction_are_no_flaw);
    RUN(rows_of_any_size_count_alike);
    RUN(hidden_constraints_may_depend_on_time_and_follow_each_other);
    RUN(switches_in_constraints_are_judged_on_the_side_where_the_start_is);
    RUN(constraints_that_meet_in_a_smaller_manifold_are_not_contradictory);
    RUN(accelerations_that_hang_on_a_free_multiplier_are_undetermined);
    RUN(hidden_constraints_are_found_in_units_far_from_one);
    RUN(a_rod_of_atomic_length_has_a_gradient);
    RUN(many_hidden_constraints_are_all_found);
    RUN(rounding_beside_the_model_s_own_size_does_not_break_a_start);
    return DONE();
}
