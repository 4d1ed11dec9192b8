/* SPDX-License-Identifier: Apache-2.0
 * Integrability: growth vectors, holonomic and nonholonomic combinations, integrals, and what nonlinear constraints
 * really are; each case as written and again after a linear change of coordinates with renamed variables and rescaled
 * rows. */
#include "subject.h"
#include "verdict/growth.h"

#include <stdarg.h>

enum { NONE = -1, MOST_COORDS = 12, MUCH = 100 << 20 }; /* MUCH: bytes; the largest takes 13 MB */

struct expected {
    /* constraint: g of g = 0, or "A = B" when it has an equals sign */
    const char *coords[MOST_COORDS + 1], *constraint[12];
    size_t growth[16];
    int holonomic, nonholonomic;
    const char *integral[4];
    int kind; /* of the first constraint, or NONE */
};

/* ---- models */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static size_t coords_of(const struct expected *e)
{
    size_t n = 0;
    while (e->coords[n]) n++;
    return n;
}

static size_t put(char *text, size_t at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text + at, 16384 - at, format, list);
    va_end(list);
    return at + (size_t)n;
}

/* The old names become abbreviations of new coordinates: x = 1.3*a1 - 0.4*a2. */
static size_t put_changed_coords(char *text, size_t at, const struct expected *e, uint64_t *seed)
{
    size_t n = coords_of(e);
    for (size_t i = 0; i < n; i++) at = put(text, at, "coord a%zu\n", i + 1);
    for (size_t i = 0; i < n; i++) {
        at = put(text, at, "let %s = 0", e->coords[i]);
        for (size_t k = 0; k < n; k++)
            at = put(text, at, " + (%.6f)*a%zu", (i == k ? 1.2 : 0) + 0.6 * uniform(seed), k + 1);
        at = put(text, at, "\n");
    }
    return at;
}

static const char *model_text(const struct expected *e, uint64_t seed)
{
    static char text[16384];
    size_t n = coords_of(e), at = put(text, 0, "param R = 0.5, b = 2\n");
    if (seed) at = put_changed_coords(text, at, e, &seed);
    for (size_t i = 0; !seed && i < n; i++) at = put(text, at, "coord %s\n", e->coords[i]);
    at = put(text, at, "lagrangian 0");
    for (size_t i = 0; i < n; i++) at = put(text, at, " + %s'^2", e->coords[i]);
    for (size_t k = 0; e->constraint[k]; k++)
        if (strchr(e->constraint[k], '=')) at = put(text, at, "\nconstraint c%zu: %s", k, e->constraint[k]);
        else
            at = put(text, at, "\nconstraint c%zu: %.6f*(%s) = 0", k, seed ? pow(10, 2 * uniform(&seed)) : 1,
                     e->constraint[k]);
    put(text, at, "\ntime 0 .. 2\n");
    return text;
}

/* ---- verdicts */

struct judged {
    struct subject s;
    struct actio_manifold M;
    struct actio_kernels kernels;
    struct actio_sampled points;
    struct actio_verdict v;
    struct actio_integrability *it;
    size_t work;
};

static void sample(struct judged *j)
{
    struct actio_formation *F = j->s.sys->formation;
    size_t ny = F->n + F->N, rank, worst;
    uint64_t seed = 12345;
    actio_manifold_open(&j->M, F, j->s.param, &j->kernels);
    j->points = (struct actio_sampled){ &j->M, actio_form_array(F, 24 * ny, sizeof(double)),
                                        actio_form_array(F, 24, sizeof(double)), 0 };
    for (int k = 0; k < 24; k++) {
        double *y = j->points.y + ny * j->points.count;
        for (size_t i = 0; i < ny; i++) y[i] = uniform(&seed) + (i < F->n ? 0.3 : 0);
        if (actio_manifold_reach(&j->M, 0, y, &rank, &worst)) j->points.count++;
    }
}

/* Work is measured by the memory that it passes through: the same on every machine. */
struct counter {
    actio_allocate_fn allocate;
    void *user;
    size_t taken;
};

static void *counting(void *user, void *old, size_t size)
{
    struct counter *c = user;
    c->taken += size;
    return c->allocate(c->user, old, size);
}

static void judge_stage(void *user)
{
    struct judged *j = user;
    struct actio_context *ctx = j->s.ctx;
    struct counter c = { ctx->allocate, ctx->allocate_user, 0 };
    sample(j);
    j->v.F = j->s.sys->formation;
    ctx->allocate = counting;
    ctx->allocate_user = &c;
    j->it = actio_integrability_of(&j->v, &j->points);
    ctx->allocate = c.allocate;
    ctx->allocate_user = c.user;
    j->work = c.taken;
}

static struct actio_integrability *judge(struct judged *j, const char *text)
{
    memset(j, 0, sizeof *j);
    if (!open_subject(&j->s, text, strlen(text), NULL, 0)) {
        show_findings(j->s.f);
        printf("%s\n", text);
        abort();
    }
    CHECK(actio_attempt(j->s.ctx, judge_stage, j) == 0);
    CHECK(j->work < MUCH);
    return j->it;
}

static void end(struct judged *j)
{
    actio_manifold_close(&j->M);
    close_subject(&j->s);
}

static void say(const struct judged *j)
{
    const struct actio_integrability *it = j->it;
    printf("    [");
    for (size_t i = 0; i < it->growths; i++) printf(i ? ",%zu" : "%zu", it->growth[i]);
    printf("] of %zu: %zu holonomic, %zu not, %s, %s, %zu bytes;", it->dimension, it->holonomic, it->nonholonomic,
           it->decided ? "decided" : "open", it->proved ? "proved" : "sampled", j->work);
    for (size_t i = 0; i < it->integrals; i++) printf(" %s;", it->integral[i].text);
    for (size_t i = 0; i < it->count; i++)
        printf(" (%s %.3g)", actio_velocity_form_text(it->of[i].kind), it->of[i].curvature);
    printf("\n");
}

static void check_counts(const struct judged *j, const struct expected *e)
{
    const struct actio_integrability *it = j->it;
    CHECK(it->decided);
    CHECK((int)it->holonomic == e->holonomic && (int)it->nonholonomic == e->nonholonomic);
    for (size_t i = 0; e->growth[i]; i++) CHECK(i < it->growths && it->growth[i] == e->growth[i]);
    CHECK(it->growths == 0 || e->growth[it->growths] == 0);
    if (e->kind != NONE) CHECK((int)it->of[0].kind == e->kind);
}

static void check_case(const struct expected *e)
{
    struct judged j;
    judge(&j, model_text(e, 0));
    check_counts(&j, e);
    for (size_t i = 0; e->integral[i]; i++) {
        bool there = i < j.it->integrals && strcmp(j.it->integral[i].text, e->integral[i]) == 0;
        CHECK(there);
        if (!there) say(&j);
    }
    end(&j);
    for (uint64_t seed = 7; seed < 10; seed++) {
        judge(&j, model_text(e, seed));
        int bad = check_bad;
        check_bad = 0;
        check_counts(&j, e);
        if (check_bad) {
            printf("    after the change %llu\n", (unsigned long long)seed);
            say(&j);
        }
        check_bad = check_bad || bad;
        end(&j);
    }
}

#define CASE(name, ...)                                                                                                \
    TEST(name) { check_case(&(struct expected){ __VA_ARGS__ }); }
#define LINEAR ACTIO_FORM_LINEAR
#define AFFINE ACTIO_FORM_AFFINE

/* ---- nonholonomic */

CASE(a_knife_edge_grows_to_everything, { "x", "y", "th" }, { "x'*sin(th) - y'*cos(th)" }, { 3, 4 }, 0, 1, { 0 }, LINEAR)
CASE(a_rolling_coin_grows_twice, { "x", "y", "phi", "th" }, { "x' - R*phi'*cos(th)", "y' - R*phi'*sin(th)" },
     { 3, 4, 5 }, 0, 2, { 0 }, LINEAR)
CASE(example_two_of_lemos_and_moriconi_is_nonholonomic, { "x", "y", "z" }, { "x' + z*y'" }, { 3, 4 }, 0, 1, { 0 },
     LINEAR)
CASE(a_velocity_given_by_time_and_place_is_nonholonomic, { "x", "y" }, { "x' - t*y" }, { 2, 3 }, 0, 1, { 0 }, AFFINE)
CASE(a_ball_on_a_turntable_grows_by_two, { "x", "y", "al", "be", "ga" },
     { "x' - (be'*sin(al) - ga'*cos(al)*sin(be)) + b*y", "y' + (be'*cos(al) + ga'*sin(al)*sin(be)) - b*x" }, { 4, 6 },
     0, 2, { 0 }, AFFINE)
CASE(a_snakeboard_grows_twice, { "x", "y", "th", "psi", "phi" },
     { "-sin(th + phi)*x' + cos(th + phi)*y' - cos(phi)*th'", "-sin(th - phi)*x' + cos(th - phi)*y' + cos(phi)*th'" },
     { 4, 5, 6 }, 0, 2, { 0 }, LINEAR)
CASE(suslovs_body_is_nonholonomic, { "al", "be", "ga" }, { "al'*cos(be) + ga'" }, { 3, 4 }, 0, 1, { 0 }, LINEAR)
CASE(a_long_chain_of_forms_grows_one_by_one, { "x1", "x2", "x3", "x4", "x5", "x6" },
     { "x3' - x4*x1'", "x4' - x5*x1'", "x5' - x6*x1'", "x6' - x2*x1'" }, { 3, 4, 5, 6, 7 }, 0, 4, { 0 }, LINEAR)

static const struct expected chain_of_ten = {
    { "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12" },
    { "x3' - x4*x1'", "x4' - x5*x1'", "x5' - x6*x1'", "x6' - x7*x1'", "x7' - x8*x1'", "x8' - x9*x1'", "x9' - x10*x1'",
      "x10' - x11*x1'", "x11' - x12*x1'", "x12' - x2*x1'" },
    { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 },
    0,
    10,
    { 0 },
    LINEAR
};

/* ---- holonomic */

CASE(one_combination_of_example_one_is_holonomic, { "q1", "q2", "q3" }, { "q1' + q3", "q2' - q3" }, { 2, 3, 3 }, 1, 1,
     { "q1 + q2 = const" }, AFFINE)
CASE(a_coin_with_fixed_heading_is_holonomic, { "x", "y", "phi", "th" },
     { "x' - R*phi'*cos(th)", "y' - R*phi'*sin(th)", "th'" }, { 2, 2 }, 3, 0, { "th = const" }, LINEAR)
CASE(a_coin_whose_heading_is_a_position_is_holonomic, { "x", "y", "phi", "th" },
     { "x' - R*phi'*cos(th)", "y' - R*phi'*sin(th)", "th = 0.3" }, { 2, 2 }, 3, 0, { 0 }, LINEAR)
CASE(a_pendulum_keeps_its_length, { "x", "y" }, { "x*x' + y*y'" }, { 2, 2 }, 1, 0, { "x^2 + y^2 = const" }, LINEAR)
CASE(a_radial_motion_keeps_its_ratio, { "x", "y" }, { "y*x' - x*y'" }, { 2, 2 }, 1, 0, { "x/y = const" }, LINEAR)
CASE(a_product_of_three_is_kept, { "x", "y", "z" }, { "y*z*x' + x*z*y' + x*y*z'" }, { 3, 3 }, 1, 0, { "x*y*z = const" },
     LINEAR)
CASE(a_factor_does_not_hide_an_integral, { "x", "y", "z" }, { "exp(x)*(x' + y*y' + z*z')" }, { 3, 3 }, 1, 0,
     { "2*x + y^2 + z^2 = const" }, LINEAR)
CASE(a_moving_wall_is_holonomic, { "x", "y" }, { "x' - cos(2*t)" }, { 2, 2 }, 1, 0, { "2*x - sin(2*t) = const" },
     AFFINE)
CASE(a_rigid_rotation_is_holonomic, { "x", "y", "z" }, { "x' + b*y", "y' - b*x" }, { 2, 2 }, 2, 0,
     { "x^2 + y^2 = const", "2*t - atan2(y, x) = const" }, AFFINE)
CASE(powers_are_found_as_logarithms, { "x", "y" }, { "2*y*x' + 3*x*y'" }, { 2, 2 }, 1, 0,
     { "2*log(abs(x)) + 3*log(abs(y)) = const" }, LINEAR)
CASE(as_many_rows_as_coordinates_leave_time_alone, { "x", "y" }, { "x' - 1", "y' - x" }, { 1, 1 }, 2, 0,
     { "x - t = const", "2*y - x^2 = const" }, AFFINE)
CASE(mixed_rows_are_counted_apart, { "x", "y", "z", "w" }, { "x' - y*z'", "w'" }, { 3, 4, 4 }, 1, 1, { "w = const" },
     LINEAR)
CASE(a_row_twice_counts_once, { "x", "y", "th" }, { "x'*sin(th) - y'*cos(th)", "2*x'*sin(th) - 2*y'*cos(th)" },
     { 3, 4 }, 0, 1, { 0 }, LINEAR)
CASE(what_is_written_as_holonomic_needs_no_test, { "x", "y", "z" }, { "x^2 + y^2 + z^2 = 1" }, { 0 }, 1, 0, { 0 },
     ACTIO_FORM_HOLONOMIC_ALREADY)

/* ---- nonlinear */

CASE(appells_and_hamels_constraint_is_nonlinear, { "x", "y", "z" }, { "z'^2 - R*(x'^2 + y'^2)" }, { 4 }, 0, 1, { 0 },
     ACTIO_FORM_NONLINEAR)
CASE(a_given_speed_is_nonlinear, { "x", "y" }, { "x'^2 + y'^2 - 1" }, { 3 }, 0, 1, { 0 }, ACTIO_FORM_NONLINEAR)
CASE(an_exponential_may_hide_an_integral, { "x", "phi" }, { "exp(x' - 2*phi') - 1" }, { 2, 2 }, 1, 0,
     { "x - 2*phi = const" }, ACTIO_FORM_AFFINE_EQUIVALENT)
CASE(a_cube_may_hide_an_affine_row, { "x", "y", "z" }, { "(x' - y*z') + (x' - y*z')^3" }, { 3, 4 }, 0, 1, { 0 },
     ACTIO_FORM_AFFINE_EQUIVALENT)
CASE(a_difference_of_squares_is_integrable_on_each_branch, { "x", "y" }, { "x'^2 - y'^2" }, { 2, 2 }, 1, 0, { 0 },
     ACTIO_FORM_AFFINE_EQUIVALENT)
CASE(a_blade_makes_quadratic_rolling_linear, { "x", "y", "th", "phi" },
     { "x'^2 + y'^2 - R^2*th'^2", "x'*sin(phi) - y'*cos(phi)" }, { 3, 4, 5 }, 0, 2, { 0 }, ACTIO_FORM_AFFINE_EQUIVALENT)
CASE(two_nonlinear_rows_may_hide_a_linear_one, { "x", "y", "z" }, { "x'^2 + y'^2 - 1", "x'^2 + y'^2 + z' - 1" },
     { 3, 3 }, 1, 1, { "z = const" }, ACTIO_FORM_NONLINEAR)

TEST(a_chain_of_ten_forms_grows_ten_times)
{
    struct judged j;
    judge(&j, model_text(&chain_of_ten, 0));
    check_counts(&j, &chain_of_ten);
    end(&j);
}

TEST(brackets_too_deep_for_their_accuracy_decide_nothing_wrong)
{
    for (uint64_t seed = 7; seed < 11; seed++) {
        struct judged j;
        judge(&j, model_text(&chain_of_ten, seed));
        CHECK(!j.it->decided || j.it->holonomic == 0);
        end(&j);
    }
}

TEST(a_vanishing_gradient_is_named_and_nothing_claimed)
{
    struct judged j;
    struct actio_integrability *it = judge(
        &j, model_text(&(struct expected){ { "x", "y", "z" }, { "(x' - y*z')^2" }, { 0 }, 0, 0, { 0 }, NONE }, 0));
    CHECK(!it->decided && it->of[0].kind == ACTIO_FORM_VANISHING);
    end(&j);
}

TEST(curvature_is_a_number_of_order_one)
{
    struct judged j;
    struct actio_integrability *it =
        judge(&j, model_text(&(struct expected){ { "x", "y" }, { "x'^2 + y'^2 - 1" }, { 0 }, 0, 0, { 0 }, NONE }, 0));
    CHECK(it->of[0].curvature > 0.2 && it->of[0].curvature < 5);
    end(&j);
}

TEST(integrals_are_written_in_latex_too)
{
    struct judged j;
    struct actio_integrability *it =
        judge(&j, model_text(&(struct expected){ { "x", "theta" }, { "x' - 2*theta'" }, { 0 }, 0, 0, { 0 }, NONE }, 0));
    CHECK(it->integrals == 1 && it->proved && strcmp(it->integral[0].latex, "x - 2\\,\\theta = \\mathrm{const}") == 0);
    end(&j);
}

int main(void)
{
    RUN(a_knife_edge_grows_to_everything);
    RUN(a_rolling_coin_grows_twice);
    RUN(example_two_of_lemos_and_moriconi_is_nonholonomic);
    RUN(a_velocity_given_by_time_and_place_is_nonholonomic);
    RUN(a_ball_on_a_turntable_grows_by_two);
    RUN(a_snakeboard_grows_twice);
    RUN(suslovs_body_is_nonholonomic);
    RUN(a_long_chain_of_forms_grows_one_by_one);
    RUN(a_chain_of_ten_forms_grows_ten_times);
    RUN(one_combination_of_example_one_is_holonomic);
    RUN(a_coin_with_fixed_heading_is_holonomic);
    RUN(a_coin_whose_heading_is_a_position_is_holonomic);
    RUN(a_pendulum_keeps_its_length);
    RUN(a_radial_motion_keeps_its_ratio);
    RUN(a_product_of_three_is_kept);
    RUN(a_factor_does_not_hide_an_integral);
    RUN(a_moving_wall_is_holonomic);
    RUN(a_rigid_rotation_is_holonomic);
    RUN(powers_are_found_as_logarithms);
    RUN(as_many_rows_as_coordinates_leave_time_alone);
    RUN(mixed_rows_are_counted_apart);
    RUN(a_row_twice_counts_once);
    RUN(what_is_written_as_holonomic_needs_no_test);
    RUN(appells_and_hamels_constraint_is_nonlinear);
    RUN(a_given_speed_is_nonlinear);
    RUN(an_exponential_may_hide_an_integral);
    RUN(a_cube_may_hide_an_affine_row);
    RUN(a_difference_of_squares_is_integrable_on_each_branch);
    RUN(a_blade_makes_quadratic_rolling_linear);
    RUN(two_nonlinear_rows_may_hide_a_linear_one);
    RUN(brackets_too_deep_for_their_accuracy_decide_nothing_wrong);
    RUN(a_vanishing_gradient_is_named_and_nothing_claimed);
    RUN(integrals_are_written_in_latex_too);
    RUN(curvature_is_a_number_of_order_one);
    return DONE();
}
