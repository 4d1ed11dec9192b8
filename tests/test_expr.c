/* SPDX-License-Identifier: Apache-2.0
 * Expressions: sharing, simplification that keeps values, derivatives against differences, printing. */
#include "check.h"

#include "base/findings.h"
#include "expr/expr.h"

static struct actio_context ctx;
static struct actio_arena arena;
static struct actio_pool pool;
static double point[8];
static uint64_t seed = 12345;

static double uniform(double a, double b)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * ((double)(seed >> 11) * 0x1p-53);
}

static unsigned below(unsigned n) { return (unsigned)uniform(0, n); }

static actio_expr sym(unsigned i) { return actio_symbol(&pool, ACTIO_SPACE_Q, i); }
static actio_expr num(double x) { return actio_const(&pool, x); }

static double lookup(void *user, actio_slot slot) { return ((const double *)user)[slot.index]; }
static double value(actio_expr e) { return actio_value_of(&pool, e, lookup, point); }

static void name(void *user, actio_slot slot, struct actio_text *out)
{
    (void)user;
    actio_text_format(out, "x%u", slot.index);
}

static const char *text(actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, &arena);
    actio_print(&pool, e, name, NULL, &t);
    return t.s;
}

static const char *latex(actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, &arena);
    actio_print_latex(&pool, e, name, NULL, &t);
    return t.s;
}

/* Every operation, on operands where it is smooth. */
static actio_expr random_expression(int size)
{
    actio_expr e[64];
    int n = 0;
    for (unsigned i = 0; i < 4; i++) e[n++] = sym(i);
    while (n < size) {
        actio_expr a = e[below((unsigned)n)], b = e[below((unsigned)n)];
        /* in [1.5, 2.5] */
        actio_expr safe = actio_add(&pool, num(1.5), actio_power(&pool, actio_op1(&pool, ACTIO_SIN, b), 2));
        static const enum actio_op one[] = { ACTIO_SIN, ACTIO_COS, ACTIO_ATAN, ACTIO_TANH, ACTIO_NEG };
        static const enum actio_op positive[] = { ACTIO_SQRT, ACTIO_LOG, ACTIO_EXP, ACTIO_SINH, ACTIO_COSH, ACTIO_ABS };
        switch (below(9)) {
        case 0: e[n++] = actio_op1(&pool, one[below(5)], a); break;
        case 1: e[n++] = actio_op1(&pool, positive[below(6)], safe); break;
        case 2: e[n++] = actio_add(&pool, a, b); break;
        case 3: e[n++] = actio_sub(&pool, a, b); break;
        case 4: e[n++] = actio_mul(&pool, actio_op1(&pool, ACTIO_SIN, a), b); break;
        case 5: e[n++] = actio_div(&pool, a, safe); break;
        case 6: e[n++] = actio_op2(&pool, ACTIO_POW, safe, actio_op1(&pool, ACTIO_COS, a)); break;
        case 7: e[n++] = actio_op2(&pool, ACTIO_ATAN2, safe, a); break;
        default:
            e[n++] = actio_choose(&pool, actio_op2(&pool, ACTIO_LT, a, num(7)), b, actio_op1(&pool, ACTIO_TANH, a));
            break;
        }
    }
    return e[n - 1];
}

static double difference(actio_expr f, unsigned i) /* fourth order */
{
    double x = point[i], h = 1e-3, v[4];
    const double at[4] = { -2, -1, 1, 2 };
    for (int k = 0; k < 4; k++) {
        point[i] = x + at[k] * h;
        v[k] = value(f);
    }
    point[i] = x;
    return (8 * (v[2] - v[1]) - (v[3] - v[0])) / (12 * h);
}

TEST(equal_expressions_have_equal_ids)
{
    actio_expr a = actio_add(&pool, sym(0), sym(1)), b = actio_add(&pool, sym(1), sym(0));
    CHECK(actio_same(a, b));
    CHECK(actio_same(actio_mul(&pool, a, sym(2)), actio_mul(&pool, sym(2), b)));
    CHECK(!actio_same(actio_sub(&pool, sym(0), sym(1)), actio_sub(&pool, sym(1), sym(0))));
    CHECK(actio_same(actio_mul(&pool, sym(0), sym(0)), actio_power(&pool, sym(0), 2)));
}

TEST(simplification_removes_what_says_nothing)
{
    CHECK(actio_same(actio_mul(&pool, num(1), sym(0)), sym(0)));
    CHECK(actio_same(actio_add(&pool, sym(0), num(0)), sym(0)));
    CHECK(actio_same(actio_neg(&pool, actio_neg(&pool, sym(0))), sym(0)));
    CHECK(actio_same(actio_mul(&pool, num(2), actio_div(&pool, sym(0), num(2))), sym(0)));
    CHECK(actio_same(actio_diff(&pool, actio_div(&pool, actio_power(&pool, sym(0), 2), num(2)), sym(0)), sym(0)));
    /* 0 * (1/x) is not 0 at x = 0 */
    CHECK(!actio_is_zero(actio_mul(&pool, num(0), actio_div(&pool, num(1), sym(0)))));
}

TEST(constants_fold_to_the_values_of_the_kernels)
{
    CHECK_NEAR(actio_const_value(&pool, actio_op1(&pool, ACTIO_SIN, num(0.5))), sin(0.5), 2e-16);
    CHECK(actio_const_value(&pool, actio_op2(&pool, ACTIO_POW, num(-2), num(3))) == -8);
    CHECK(isinf(actio_const_value(&pool, actio_op2(&pool, ACTIO_POW, num(9), num(1e9)))));
}

TEST(every_derivative_agrees_with_differences)
{
    for (int trial = 0; trial < 300; trial++) {
        actio_expr f = random_expression(10 + (int)below(25)), wrt[4], g[4];
        for (unsigned i = 0; i < 4; i++) {
            wrt[i] = sym(i);
            point[i] = uniform(-1, 1);
        }
        actio_gradient(&pool, f, wrt, 4, g);
        for (unsigned i = 0; i < 4; i++) {
            double d = difference(f, i), forward = value(actio_diff(&pool, f, wrt[i])), reverse = value(g[i]),
                   size = 1 + fabs(d);
            CHECK_NEAR(reverse, forward, 1e-12 * size);
            if (fabs(d) < 1e6) CHECK_NEAR(reverse, d, 1e-6 * size);
        }
    }
}

TEST(second_derivatives_are_symmetric_and_right)
{
    for (int trial = 0; trial < 60; trial++) {
        actio_expr f = random_expression(20), wrt[4], g[4];
        for (unsigned i = 0; i < 4; i++) {
            wrt[i] = sym(i);
            point[i] = uniform(-1, 1);
        }
        actio_gradient(&pool, f, wrt, 4, g);
        struct actio_entries J = { 0 };
        actio_jacobian(&pool, g, 4, wrt, 4, &J);
        double H[16] = { 0 };
        for (size_t k = 0; k < J.count; k++) H[4 * J.at[k].row + J.at[k].col] = value(J.at[k].e);
        for (unsigned i = 0; i < 4; i++)
            for (unsigned j = 0; j < 4; j++) {
                double size = 1 + fabs(H[4 * i + j]), d = difference(g[i], j);
                CHECK_NEAR(H[4 * i + j], H[4 * j + i], 1e-10 * size);
                if (fabs(d) < 1e6) CHECK_NEAR(H[4 * i + j], d, 1e-5 * size);
            }
    }
}

TEST(jacobians_list_only_entries_that_exist)
{
    actio_expr f[3] = { actio_mul(&pool, sym(0), sym(1)), actio_op1(&pool, ACTIO_SIN, sym(2)), num(3) },
               wrt[3] = { sym(0), sym(1), sym(2) };
    struct actio_entries J = { 0 };
    actio_jacobian(&pool, f, 3, wrt, 3, &J);
    CHECK(J.count == 3 && J.at[0].row == 0 && J.at[0].col == 0 && J.at[2].row == 1 && J.at[2].col == 2);
}

TEST(affine_forms_are_recognised_by_proof)
{
    actio_expr wrt[2] = { sym(0), sym(1) }, coef[2], rest;
    actio_expr f = actio_sub(&pool, actio_mul(&pool, sym(0), actio_op1(&pool, ACTIO_SIN, sym(2))),
                             actio_mul(&pool, sym(1), sym(3)));
    CHECK(actio_linear_in(&pool, actio_add(&pool, f, sym(3)), wrt, 2, coef, &rest));
    CHECK(actio_same(rest, sym(3)) && actio_same(coef[1], actio_neg(&pool, sym(3))));
    CHECK(!actio_linear_in(&pool, actio_mul(&pool, f, sym(0)), wrt, 2, coef, &rest));
    CHECK(actio_degree_in(&pool, actio_mul(&pool, f, sym(0)), wrt, 2) == 2);
    CHECK(actio_degree_in(&pool, actio_op1(&pool, ACTIO_SIN, sym(0)), wrt, 2) == -1);
    CHECK(actio_degree_in(&pool, actio_op1(&pool, ACTIO_SIN, sym(2)), wrt, 2) == 0);
}

TEST(rates_follow_coordinates_velocities_and_time)
{
    actio_expr q = sym(0), v = actio_symbol(&pool, ACTIO_SPACE_V, 0), a = actio_symbol(&pool, ACTIO_SPACE_ACC, 0),
               t = actio_symbol(&pool, ACTIO_SPACE_T, 0);
    CHECK(actio_same(actio_rate(&pool, actio_op1(&pool, ACTIO_SIN, q)),
                     actio_mul(&pool, v, actio_op1(&pool, ACTIO_COS, q))));
    CHECK(actio_same(actio_rate(&pool, actio_mul(&pool, t, v)), actio_add(&pool, v, actio_mul(&pool, t, a))));
}

TEST(printed_text_needs_no_superfluous_brackets)
{
    actio_expr x = sym(0), y = sym(1), z = sym(2);
    CHECK(strcmp(text(actio_sub(&pool, x, actio_sub(&pool, y, z))), "x0 - (x1 - x2)") == 0);
    CHECK(strcmp(text(actio_neg(&pool, actio_power(&pool, x, 2))), "-x0^2") == 0);
    CHECK(strcmp(text(actio_power(&pool, actio_neg(&pool, actio_add(&pool, x, y)), 3)), "-(x0 + x1)^3") == 0);
    CHECK(strcmp(text(actio_div(&pool, x, actio_mul(&pool, y, z))), "x0/(x1*x2)") == 0);
    CHECK(strcmp(text(actio_div(&pool, actio_power(&pool, x, 2), num(2))), "x0^2/2") == 0);
    CHECK(strcmp(latex(actio_div(&pool, x, actio_add(&pool, y, z))), "\\frac{x0}{x1 + x2}") == 0);
    CHECK(
        strcmp(latex(actio_op1(&pool, ACTIO_SQRT, actio_op1(&pool, ACTIO_SIN, x))), "\\sqrt{\\sin\\!\\left(x0\\right)}")
        == 0);
}

TEST(names_become_latex)
{
    struct actio_text t;
    actio_text_open(&t, &arena);
    actio_latex_name("theta_1", &t);
    actio_text_add(&t, " ");
    actio_latex_name("I_S", &t);
    actio_text_add(&t, " ");
    actio_latex_name("a[3]", &t);
    actio_text_add(&t, " ");
    actio_latex_name("foo", &t);
    CHECK(strcmp(t.s, "\\theta_{1} I_{S} a_{3} \\mathit{foo}") == 0);
}

TEST(numbers_read_back_exactly_whatever_they_are)
{
    for (int i = 0; i < 20000; i++) {
        uint64_t bits;
        double x, back = 0;
        char s[32];
        uniform(0, 1);
        bits = seed ^ (seed >> 17);
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        x = fabs(x);
        size_t n = actio_number_text(x, s);
        CHECK(actio_number_read(s, s + n, &back) == n && back == x);
    }
    double x;
    char s[32];
    actio_number_text(1e-9, s);
    CHECK(strcmp(s, "1e-9") == 0);
    actio_number_text(-2.5e120, s);
    CHECK(strcmp(s, "-2.5e120") == 0);
    CHECK(actio_number_read("0..10", "0..10" + 5, &x) == 1 && x == 0);
    CHECK(actio_number_read(".5x", ".5x" + 3, &x) == 2 && x == 0.5);
    CHECK(actio_number_read("1e", "1e" + 2, &x) == 1);
    CHECK(actio_number_read("9007199254740993", "9007199254740993" + 16, &x) == 16 && x == 9007199254740992.0);
}

TEST(near_names_are_found_and_far_ones_not)
{
    const char *const names[] = { "theta", "phi", "lagrangian", "x" };
    CHECK(strcmp(actio_near_name("thetta", names, 4), "theta") == 0);
    CHECK(strcmp(actio_near_name("lagrangain", names, 4), "lagrangian") == 0);
    CHECK(actio_near_name("omega", names, 4) == NULL);
}

/* Derivatives of deep and of heavily shared graphs stay linear and need no stack. */
static void deep(void *user)
{
    actio_expr *out = user, e = sym(0), g;
    for (int i = 0; i < 1000000; i++) e = actio_op1(&pool, i % 2 ? ACTIO_SIN : ACTIO_ATAN, e);
    actio_gradient(&pool, e, &(actio_expr){ sym(0).id }, 1, &g);
    *out = g;
}

TEST(a_million_levels_deep_is_no_trouble)
{
    actio_expr g = { 0 };
    uint32_t before = pool.count;
    CHECK(actio_attempt(&ctx, deep, &g) == 0 && g.id != 0);
    CHECK(pool.count - before < 8000000u);
    actio_expr e = sym(0), d;
    uint32_t start = pool.count;
    for (int i = 0; i < 60; i++) e = actio_mul(&pool, e, actio_add(&pool, e, num(i + 1))); /* 2^60 terms as a tree */
    actio_gradient(&pool, e, &(actio_expr){ sym(0).id }, 1, &d);
    CHECK(pool.count - start < 60 * 12);
}

static void grow_forever(void *user)
{
    (void)user;
    for (actio_expr e = sym(0);; e = actio_op1(&pool, ACTIO_SIN, e)) {}
}

TEST(the_node_budget_ends_in_a_finding)
{
    struct actio_findings f;
    actio_findings_open(&f, &ctx);
    ctx.findings = &f;
    ctx.nodes_limit = pool.count + 1000;
    CHECK(actio_attempt(&ctx, grow_forever, NULL) == 1);
    CHECK(f.status == 4 && f.count == 1 && f.item[0].code == ACTIO_F_TOO_MANY_NODES);
    ctx.findings = NULL;
    ctx.nodes_limit = UINT32_MAX;
    actio_findings_close(&f);
}

static void all(void *user)
{
    (void)user;
    actio_pool_open(&pool, &arena);
    for (unsigned i = 0; i < 4; i++) sym(i); /* printing goes by the order of making */
    RUN(equal_expressions_have_equal_ids);
    RUN(simplification_removes_what_says_nothing);
    RUN(constants_fold_to_the_values_of_the_kernels);
    RUN(every_derivative_agrees_with_differences);
    RUN(second_derivatives_are_symmetric_and_right);
    RUN(jacobians_list_only_entries_that_exist);
    RUN(affine_forms_are_recognised_by_proof);
    RUN(rates_follow_coordinates_velocities_and_time);
    RUN(printed_text_needs_no_superfluous_brackets);
    RUN(names_become_latex);
    RUN(numbers_read_back_exactly_whatever_they_are);
    RUN(near_names_are_found_and_far_ones_not);
    RUN(a_million_levels_deep_is_no_trouble);
    RUN(the_node_budget_ends_in_a_finding);
}

int main(void)
{
    actio_context_init(&ctx);
    actio_arena_open(&arena, &ctx);
    CHECK(actio_attempt(&ctx, all, NULL) == 0);
    actio_arena_close(&arena);
    CHECK(ctx.bytes == 0);
    return DONE();
}
