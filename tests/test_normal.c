/* SPDX-License-Identifier: Apache-2.0
 * Normal forms: identities proved and non-identities not, values kept, limits, and what formulas look like.
 * With the argument "-": reads formulas from standard input, one a line, and answers "zero" or the simplified formula.
 * */
#include "check.h"
#include "formulas.h"

#include "base/findings.h"
#include "expr/normal.h"

static struct actio_context ctx;
static struct actio_arena arena;
static struct actio_pool pool;
static uint64_t seed = 2024;

static double uniform(double a, double b)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * ((double)(seed >> 11) * 0x1p-53);
}

static unsigned below(unsigned n) { return (unsigned)uniform(0, n); }

static actio_expr read_formula(const char *text) { return formula(&pool, text); }
static bool zero(const char *text) { return actio_is_identically_zero(&pool, read_formula(text)); }

static const char *nice(actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, &arena);
    actio_print_nice(&pool, e, formula_symbol, NULL, &t);
    return t.s;
}

static const char *latex(actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, &arena);
    actio_print_latex_nice(&pool, e, formula_symbol, NULL, &t);
    return t.s;
}

static bool says(const char *got, const char *expected)
{
    if (strcmp(got, expected) == 0) return true;
    printf("   got %s\nwanted %s\n", got, expected);
    return false;
}

static bool simplifies(const char *text, const char *expected)
{
    return says(nice(actio_simplify(&pool, read_formula(text))), expected);
}
static bool groups(const char *text, const char *expected)
{
    return says(nice(actio_group(&pool, read_formula(text))), expected);
}
static bool equation(const char *text, const char *expected)
{
    return says(nice(actio_equation_form(&pool, actio_simplify(&pool, read_formula(text)))), expected);
}

/* ---- proofs */

TEST(identities_are_proved)
{
    static const char *const list[] = {
        "(x + y)^3 - x^3 - 3*x^2*y - 3*x*y^2 - y^3",
        "(x^2 - y^2)/(x - y) - x - y",
        "1/(x - 1) - 1/(x + 1) - 2/(x^2 - 1)",
        "x/(x + y) + y/(x + y) - 1",
        "1/(1 + 1/(x + y)) - (x + y)/(x + y + 1)",
        "(1/x + 1/y)*x*y - x - y",
        "sin(x)^2 + cos(x)^2 - 1",
        "sin(x)^4 - cos(x)^4 - 2*sin(x)^2 + 1",
        "tan(x) - sin(x)/cos(x)",
        "1 + tan(x)^2 - 1/cos(x)^2",
        "sin(a + b) - sin(a)*cos(b) - cos(a)*sin(b)",
        "cos(a - b) - cos(a)*cos(b) - sin(a)*sin(b)",
        "sin(2*a) - 2*sin(a)*cos(a)",
        "sin(a) - 2*sin(a/2)*cos(a/2)",
        "cos(3*a) - 4*cos(a)^3 + 3*cos(a)",
        "tan(a + b)*(1 - tan(a)*tan(b)) - tan(a) - tan(b)",
        "sin(x + 0.5)^2 + cos(x + 0.5)^2 - 1",
        "cos(a - b) - cos(b - a)",
        "sin(a - b) + sin(b - a)",
        "(1 - cos(a))*(1 + cos(a)) - sin(a)^2",
        "sqrt(x)^2 - x",
        "x/sqrt(x) - sqrt(x)",
        "sqrt(x^2 + y^2)^3 - (x^2 + y^2)*sqrt(x^2 + y^2)",
        "1/(sqrt(x) + 1) - (sqrt(x) - 1)/(x - 1)",
        "sqrt(4*x) - 2*sqrt(x)",
        "x^1.5 - x*sqrt(x)",
        "x^(1/3)*x^(2/3) - x",
        "abs(x)^2 - x^2",
        "abs(x - y) - abs(y - x)",
        "exp(x)*exp(y) - exp(x + y)",
        "exp(x)*exp(-x) - 1",
        "exp(x/2)^2 - exp(x)",
        "exp(3*log(x)) - x^3",
        "log(exp(x)) - x",
        "cosh(x)^2 - sinh(x)^2 - 1",
        "tanh(x) - sinh(x)/cosh(x)",
        "sinh(2*x) - 2*sinh(x)*cosh(x)",
        "x^n*x - x^(n + 1)",
        "x^(-n)*x^n - 1",
        "3.141592653589793*x - x*3.141592653589793",
        "(x + 0.1)^2 - x^2 - 0.2*x - 0.01",
        "2/3*x - x + x/3",
        "6.283185307179586*x/2 - 3.141592653589793*x",
        "sin(x*y + y*x) - sin(2*x*y)",
        "log(x + y) - log(y + x)",
        "atan2(y + x, x) - atan2(x + y, x)",
        "min(x, y + y) - min(x, 2*y)",
        "asin(-x) + asin(x)",
        "sin((x^2 - 1)/(x - 1)) - sin(x + 1)",
        "sqrt(sin(x)^2 + cos(x)^2) - 1",
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        CHECK(zero(list[i]));
        if (!zero(list[i])) printf("   %s\n", list[i]);
        CHECK(actio_is_zero(actio_simplify(&pool, read_formula(list[i]))));
    }
}

TEST(what_is_not_zero_is_not_called_zero)
{
    static const char *const list[] = {
        "x",
        "x - y",
        "1e-300*x",
        "sin(x)^2 - cos(x)^2",
        "sqrt(x^2) - x",
        "abs(x) - x",
        "exp(x) - 1",
        "sin(x) - x",
        "x/y - y/x",
        "(x + y)^2 - x^2 - y^2",
        "1.0000000000001*x - x",
        "3.141592653589793*x - 3.14159265358979*x",
        "x/0",
        "(x - x)/(y - y)",
        "0.1*x - 0.10000000000000002*x",
        "cos(2*a) - 2*cos(a)",
        "sqrt(x*y) - sqrt(x)*sqrt(y)",
        "log(x^2) - 2*log(x)",
        "sign(x)^2 - 1",
        "(1/0)*x - (1/0)*x + 1",
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        CHECK(!zero(list[i]));
        if (zero(list[i])) printf("   %s\n", list[i]);
    }
}

/* ---- random formulas */

static actio_expr random_symbol(void)
{
    static const char *const names[] = { "x", "y", "a", "b", "x'", "m", "l", "t" };
    return read_formula(names[below(8)]);
}

static actio_expr random_number(void)
{
    static const double list[] = { 1, 2, 3, 0.5, -1, 1.0 / 3, 0.4, 9.81, 3.141592653589793, -0.25 };
    return actio_const(&pool, list[below(10)]);
}

static actio_expr random_step(actio_expr u, actio_expr v)
{
    static const enum actio_op functions[] = { ACTIO_SIN, ACTIO_COS, ACTIO_SQRT, ACTIO_EXP, ACTIO_TAN, ACTIO_TANH,
                                               ACTIO_ABS, ACTIO_LOG, ACTIO_ATAN, ACTIO_SIN, ACTIO_COS, ACTIO_COSH };
    switch (below(10)) {
    case 0:
    case 1: return actio_add(&pool, u, v);
    case 2: return actio_sub(&pool, u, v);
    case 3:
    case 4:
    case 5: return actio_mul(&pool, u, v);
    case 6: return actio_div(&pool, u, v);
    case 7: return actio_power(&pool, u, (int32_t)below(5) - 2);
    case 8:
        return below(3) ? actio_op1(&pool, functions[below(12)], u)
                        : actio_op2(&pool, ACTIO_POW, u, actio_const(&pool, 1.5));
    default: return actio_add(&pool, u, actio_mul(&pool, random_number(), v));
    }
}

static actio_expr random_formula(unsigned steps)
{
    actio_expr list[40];
    unsigned n = 0;
    for (; n < 5; n++) list[n] = n < 4 ? random_symbol() : random_number();
    for (; n < 5 + steps; n++) list[n] = random_step(list[below(n)], list[n - 1 - below(3)]);
    return list[n - 1];
}

static double point[ACTIO_SPACE_COUNT][16];
static double lookup(void *user, actio_slot slot)
{
    (void)user;
    return point[slot.space][slot.index];
}
static double value(actio_expr e) { return actio_value_of(&pool, e, lookup, NULL); }

/* The largest number met on the way: what rounding is relative to. */
static double size_on_the_way(actio_expr e)
{
    struct actio_cone cone = actio_cone_of(&pool, &e, 1);
    double most = 1;
    uint32_t *id = malloc(cone.count * sizeof *id), count = cone.count;
    memcpy(id, cone.id, count * sizeof *id);
    for (uint32_t i = 0; i < count; i++) {
        double x = fabs(value((actio_expr){ id[i] }));
        most = x > most ? x : most;
    }
    free(id);
    return most;
}

static void new_point(void)
{
    for (int s = 0; s < ACTIO_SPACE_COUNT; s++)
        for (int i = 0; i < 16; i++) point[s][i] = uniform(0.3, 1.7);
}

/* Points where e itself works with large numbers are left out: there rounding of e decides. */
static bool same_values(actio_expr e, actio_expr f)
{
    for (int k = 0; k < 4; k++) {
        new_point();
        double x = value(e), y = value(f);
        if (!isfinite(x) || !(size_on_the_way(e) < 100)) continue;
        if (!(fabs(x - y) <= 1e-10 * fmax(1, fabs(x)))) {
            printf("   %.17g and %.17g:\n   %s\n   %s\n", x, y, nice(e), nice(f));
            return false;
        }
    }
    return true;
}

/* Work is measured by the memory that it passes through: the same on every machine. */
enum { MUCH = 200 << 20 }; /* bytes; the worst takes 31 MB */
static struct {
    actio_allocate_fn allocate;
    size_t taken;
} counted;

static void *counting(void *user, void *old, size_t size)
{
    counted.taken += size;
    return counted.allocate(user, old, size);
}

static void begin_counting(void)
{
    counted.allocate = ctx.allocate;
    counted.taken = 0;
    ctx.allocate = counting;
}

static size_t end_counting(void)
{
    ctx.allocate = counted.allocate;
    return counted.taken;
}

TEST(simplified_collected_and_grouped_formulas_have_the_same_values)
{
    size_t most = 0;
    for (int i = 0; i < 3000; i++) {
        actio_expr e = random_formula(4 + below(14)), wrt = read_formula("x'");
        begin_counting();
        actio_expr s = actio_simplify(&pool, e), c = actio_collect(&pool, e, &wrt, 1);
        size_t work = end_counting();
        most = work > most ? work : most;
        CHECK(same_values(e, s));
        CHECK(same_values(e, c));
        CHECK(same_values(e, actio_group(&pool, e)));
        CHECK(same_values(e, actio_group(&pool, s)));
    }
    CHECK(most < MUCH);
}

TEST(what_is_proved_zero_is_zero_at_random_points)
{
    int proved = 0;
    for (int i = 0; i < 2000; i++) {
        actio_expr e = random_formula(3 + below(8)), d = actio_sub(&pool, e, actio_simplify(&pool, e));
        if (!actio_is_identically_zero(&pool, d)) continue;
        proved++;
        CHECK(same_values(e, actio_sub(&pool, e, d)));
    }
    CHECK(proved > 1000);
}

TEST(nice_text_reads_back_to_the_same_values)
{
    for (int i = 0; i < 2000; i++) {
        actio_expr e = random_formula(3 + below(10)), g = actio_group(&pool, e);
        CHECK(same_values(e, read_formula(nice(e))));
        CHECK(same_values(g, read_formula(nice(g))));
    }
}

/* ---- limits */

static size_t work_for(actio_expr e)
{
    begin_counting();
    actio_simplify(&pool, e);
    CHECK(!actio_is_identically_zero(&pool, e));
    return end_counting();
}

TEST(hostile_formulas_are_given_up_soon)
{
    actio_expr x = read_formula("x"), one = actio_const(&pool, 1), e = x, f = x, g = x, h = x, d = x;
    for (int i = 0; i < 60; i++) {
        e = actio_power(&pool, actio_add(&pool, e, one), 2); /* squares of squares */
        /* sines of sines */
        f = actio_op1(&pool, ACTIO_SIN, actio_add(&pool, actio_mul(&pool, f, f), read_formula("y*t")));
        /* continued fraction */
        g = actio_div(&pool, actio_add(&pool, g, one), actio_add(&pool, g, read_formula("y")));
        h = actio_op1(&pool, ACTIO_SQRT, actio_add(&pool, h, actio_power(&pool, h, 2)));
        d = actio_mul(&pool, actio_add(&pool, d, actio_symbol(&pool, ACTIO_SPACE_Q, (uint32_t)i % 10)),
                      actio_add(&pool, d, read_formula("m")));
    }
    CHECK(work_for(e) < MUCH);
    CHECK(work_for(f) < MUCH);
    CHECK(work_for(g) < MUCH);
    CHECK(work_for(h) < MUCH);
    CHECK(work_for(d) < MUCH);
    CHECK(actio_same(actio_simplify(&pool, e), e));
    CHECK(actio_is_identically_zero(&pool, actio_sub(&pool, actio_mul(&pool, e, f), actio_mul(&pool, f, e))));
    CHECK(strlen(nice(e)) > 0 && strlen(nice(d)) > 0 && strlen(latex(g)) > 0);
}

TEST(deep_formulas_do_not_need_a_deep_stack)
{
    actio_expr e = read_formula("x"), f = e;
    for (int i = 0; i < 15000; i++) e = actio_op1(&pool, i % 2 ? ACTIO_SIN : ACTIO_ATAN, e);
    for (int i = 0; i < 8000; i++)
        f = actio_sub(&pool, actio_op1(&pool, ACTIO_EXP, actio_neg(&pool, f)), read_formula("y"));
    CHECK(!actio_is_identically_zero(&pool, e));
    CHECK(!actio_is_identically_zero(&pool, f));
    actio_simplify(&pool, e);
    actio_simplify(&pool, f);
    CHECK(strlen(nice(e)) > 15000);
}

TEST(memory_of_an_answer_is_given_back)
{
    actio_expr e = read_formula("(x + y + z + a + b)^6*(x - y)^3/(sin(x) + cos(y))");
    actio_simplify(&pool, e);
    size_t before = ctx.bytes;
    for (int i = 0; i < 50; i++) {
        actio_simplify(&pool, e);
        actio_is_identically_zero(&pool, e);
    }
    CHECK(ctx.bytes <= before + 200000);
}

static void simplify_much(void *user) { actio_simplify(&pool, *(actio_expr *)user); }

TEST(running_out_of_memory_leaves_nothing_behind)
{
    actio_expr e = read_formula("(x + y + z + a + b)^6*(x - y)^3/(sin(x) + cos(y) + tan(z))");
    size_t before = ctx.bytes, limit = ctx.bytes_limit;
    for (size_t more = 1000; more < 1000000; more *= 3) {
        ctx.bytes_limit = ctx.bytes + more;
        bool escaped = actio_attempt(&ctx, simplify_much, &e);
        CHECK(escaped || more > 100000);
    }
    ctx.bytes_limit = limit;
    CHECK(ctx.bytes <= before + 200000);
}

/* ---- looks */

TEST(formulas_look_as_a_person_writes_them)
{
    CHECK(simplifies("g*l*m*sin(a) + l^2*a''*m", "m*l^2*a'' + m*g*l*sin(a)"));
    CHECK(simplifies("-2*x/3 + 1/3", "1/3 - 2*x/3"));
    CHECK(simplifies("1 - cos(a)", "1 - cos(a)"));
    CHECK(simplifies("1 - cos(a)^2", "sin(a)^2"));
    CHECK(simplifies("M + m - m*cos(a)^2", "m*sin(a)^2 + M"));
    CHECK(simplifies("m*x'^2*sin(a)^2/2 + m*x'^2*cos(a)^2/2", "m*x'^2/2"));
    CHECK(simplifies("a'*x'*cos(a)^2 + 3*cos(a)^2 + a'*x'*sin(a)^2", "x'*a' + 3*cos(a)^2"));
    CHECK(simplifies("(x + y)^5", "(x + y)^5"));
    CHECK(simplifies("(x + y)*(x - y) + y^2", "x^2"));
    CHECK(simplifies("x/(x^2 + y^2)^1.5", "x/(x^2 + y^2)^(3/2)"));
    CHECK(simplifies("x/(x^2 + y^2)*sqrt(x^2 + y^2)", "x/sqrt(x^2 + y^2)"));
    CHECK(simplifies("(x + 1)/(x^2 + 3*x + 2)", "1/(x + 2)"));
    CHECK(simplifies("9.81*m + 0.4*x + 0.1*y", "2*x/5 + 0.1*y + 9.81*m"));
    CHECK(simplifies("m*x'' + k*x - 2*x*L1 + m*g + c*x'", "m*x'' + c*x' + k*x + m*g - 2*x*L1"));
    CHECK(simplifies("exp(2*x + y)*exp(-y)", "exp(2*x)"));
    CHECK(simplifies("x - x", "0"));
}

TEST(what_terms_of_one_kind_share_stands_before_a_bracket)
{
    CHECK(groups("m*x'^2/2 + m*y'^2/2 + m*g*y", "m*(x'^2 + y'^2)/2 + m*g*y"));
    CHECK(groups("k*y - k*x", "k*(y - x)"));
    CHECK(groups("m*x'' - m*y'' - m*l*x", "m*(x'' - y'') - m*l*x"));
    CHECK(groups("k*x' - k*x^2*x' - x", "k*(1 - x^2)*x' - x"));
    CHECK(groups("c*cos(t)/m - k*x/m - g*x'/m", "(c*cos(t) - g*x' - k*x)/m"));
    CHECK(groups("-l*cos(a)*L1 - l*sin(a)*L2", "-l*(cos(a)*L1 + sin(a)*L2)"));
    CHECK(groups("cos(a)*x'*a' + sin(a)*y'*a'", "(cos(a)*x' + sin(a)*y')*a'"));
    CHECK(groups("z*x'^2 + z*y'^2 + a*x'*y'", "z*(x'^2 + y'^2) + a*x'*y'"));
    CHECK(groups("(2*x - 2)*L1 + (4 - 2*y)*L2", "2*((x - 1)*L1 + (2 - y)*L2)"));
    CHECK(groups("1/((m1 + m2)*x^2 + (m1 + m2)*y^2)", "1/((m1 + m2)*(x^2 + y^2))"));
}

TEST(what_is_no_kind_stays_as_it_is)
{
    static const char *const plain[] = { "x - x^3 - k*y",    "x' - x*y'/(y^2 + 1)",        "x'*y' + y'^2/2",
                                         "m*x'^2/2 + m*g*y", "2.8284271247461903*y + 2*x", "k*x - c*x'" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        CHECK(says(nice(actio_group(&pool, read_formula(plain[i]))), nice(read_formula(plain[i]))));
}

TEST(a_minus_goes_into_a_difference_and_numbers_to_fractions)
{
    CHECK(says(nice(read_formula("-2*(x - y)*L1")), "2*(y - x)*L1"));
    CHECK(says(nice(read_formula("-(x + y)*L1")), "-(x + y)*L1"));
    CHECK(says(nice(read_formula("z - 2*(x - y)*L1")), "z - 2*(x - y)*L1"));
    CHECK(says(nice(read_formula("(x^2/m + k*y^2)/2")), "x^2/(2*m) + k*y^2/2"));
    CHECK(says(nice(read_formula("sin(l)*m*g*x")), "m*g*sin(l)*x"));
}

TEST(latex_has_fractions_powers_and_brackets)
{
    CHECK(says(latex(read_formula("2/5*m*l^2*a''")), "\\frac{2}{5} \\, m \\, l^{2} \\, a''"));
    CHECK(says(latex(read_formula("(m1 + m2)*x''")), "\\left(m1 + m2\\right) \\, x''"));
    CHECK(says(latex(read_formula("(x + y)/(x - y)")), "\\frac{x + y}{x - y}"));
    CHECK(says(latex(read_formula("m*sin(a)^2*a'^2")), "m \\, a'^{2} \\, \\sin^{2} a"));
    CHECK(says(latex(read_formula("-x/3 - 1")), "-\\frac{1}{3} \\, x - 1"));
    CHECK(says(latex(read_formula("sin(a - b)*x'*cos(a)")), "x' \\, \\cos a \\, \\sin\\!\\left(a - b\\right)"));
}

TEST(an_equation_has_whole_coefficients_and_a_positive_first_term)
{
    CHECK(equation("-q3' - q3", "q3' + q3"));
    CHECK(equation("-2*q3 - 2*q3'", "q3' + q3"));
    CHECK(equation("q3/3 - q3'/2", "3*q3' - 2*q3"));
    CHECK(equation("-m*l^2*a'' - m*g*l*sin(a)", "m*l^2*a'' + m*g*l*sin(a)"));
    CHECK(equation("-3*x", "x"));
    CHECK(equation("x'^2 - k*x^2/m - g*y/l^2", "m*l^2*x'^2 - l^2*k*x^2 - m*g*y"));
    CHECK(equation("3.141592653589793*x - y", "3.141592653589793*x - y"));
}

/* d/dt L_v - L_q for the coordinate of this index. */
static actio_expr motion(actio_expr lagrangian, const char *q, const char *v)
{
    actio_expr p = actio_diff(&pool, lagrangian, read_formula(v));
    return actio_sub(&pool, actio_rate(&pool, p), actio_diff(&pool, lagrangian, read_formula(q)));
}

TEST(equations_of_the_pendulum_look_like_a_textbook)
{
    actio_expr acc = read_formula("a''"), e = motion(read_formula("m*l^2*a'^2/2 + m*g*l*cos(a)"), "a", "a'");
    CHECK(says(nice(actio_collect(&pool, e, &acc, 1)), "m*l^2*a'' + m*g*l*sin(a)"));
}

TEST(equations_of_the_double_pendulum_look_like_a_textbook)
{
    const char *lagrangian = "m1/2*((l1*cos(a1)*a1')^2 + (l1*sin(a1)*a1')^2) + m1*g*l1*cos(a1)"
                             "+ m2/2*((l1*cos(a1)*a1' + l2*cos(a2)*a2')^2 + (l1*sin(a1)*a1' + l2*sin(a2)*a2')^2) + "
                             "m2*g*(l1*cos(a1) + l2*cos(a2))";
    actio_expr acc[2] = { read_formula("a1''"), read_formula("a2''") };
    actio_expr e = motion(read_formula(lagrangian), "a1", "a1'"), f = motion(read_formula(lagrangian), "a2", "a2'");
    CHECK(says(
        nice(actio_collect(&pool, e, acc, 2)),
        "(m1 + m2)*l1^2*a1'' + m2*l1*l2*cos(a1 - a2)*a2'' + m2*l1*l2*sin(a1 - a2)*a2'^2 + (m1 + m2)*g*l1*sin(a1)"));
    CHECK(says(nice(actio_collect(&pool, f, acc, 2)),
               "m2*l1*l2*cos(a1 - a2)*a1'' + m2*l2^2*a2'' - m2*l1*l2*sin(a1 - a2)*a1'^2 + m2*g*l2*sin(a2)"));
}

/* L = (q1'^2 + q2'^2 - q3'^2 - q1^2 - q2^2 - q3^2)/2 with q1' + q3 q2' = 0: accelerations into the rate of the
 * constraint. [LM 48] */
TEST(the_multiplier_of_lemos_and_moriconi_is_shown_and_satisfies_the_constraint)
{
    actio_expr rate = actio_rate(&pool, read_formula("q1' + q3*q2'")), lambda = read_formula("L1"), coefficient, rest;
    actio_expr acc[2] = { read_formula("q1''"), read_formula("q2''") },
               by[2] = { read_formula("L1 - q1"), read_formula("L1*q3 - q2") };
    actio_expr e = actio_substitute(&pool, rate, acc, by, 2);
    CHECK(says(nice(actio_collect(&pool, e, &lambda, 1)), "q2'*q3' - q2*q3 - q1 + (q3^2 + 1)*L1"));
    CHECK(actio_linear_in(&pool, e, &lambda, 1, &coefficient, &rest));
    actio_expr value_48 = actio_simplify(&pool, actio_neg(&pool, actio_div(&pool, rest, coefficient)));
    CHECK(says(nice(value_48), "(q2*q3 - q2'*q3' + q1)/(q3^2 + 1)"));
    CHECK(actio_is_identically_zero(&pool, actio_substitute(&pool, e, &lambda, &value_48, 1)));
}

TEST(proportional_rows_are_found_with_their_factor)
{
    actio_expr a[3] = { read_formula("x^2 - y^2"), read_formula("sin(x)*(x + y)"), read_formula("0") };
    actio_expr b[3] = { read_formula("x - y"), read_formula("sin(x)"), read_formula("0") }, f;
    CHECK(actio_proportional(&pool, a, b, 3, &f) && says(nice(f), "x + y"));
    b[2] = read_formula("1");
    CHECK(!actio_proportional(&pool, a, b, 3, NULL));
    actio_expr none[3] = { { 0 }, { 0 }, read_formula("sin(x)^2 + cos(x)^2 - 1") };
    CHECK(actio_proportional(&pool, none, b, 3, &f) && actio_is_zero(f));
    CHECK(!actio_proportional(&pool, a, none, 3, NULL));
}

/* ---- */

static void all_tests(void *user)
{
    (void)user;
    RUN(identities_are_proved);
    RUN(what_is_not_zero_is_not_called_zero);
    RUN(simplified_collected_and_grouped_formulas_have_the_same_values);
    RUN(what_is_proved_zero_is_zero_at_random_points);
    RUN(nice_text_reads_back_to_the_same_values);
    RUN(hostile_formulas_are_given_up_soon);
    RUN(deep_formulas_do_not_need_a_deep_stack);
    RUN(memory_of_an_answer_is_given_back);
    RUN(running_out_of_memory_leaves_nothing_behind);
    RUN(formulas_look_as_a_person_writes_them);
    RUN(what_terms_of_one_kind_share_stands_before_a_bracket);
    RUN(what_is_no_kind_stays_as_it_is);
    RUN(a_minus_goes_into_a_difference_and_numbers_to_fractions);
    RUN(latex_has_fractions_powers_and_brackets);
    RUN(an_equation_has_whole_coefficients_and_a_positive_first_term);
    RUN(equations_of_the_pendulum_look_like_a_textbook);
    RUN(equations_of_the_double_pendulum_look_like_a_textbook);
    RUN(the_multiplier_of_lemos_and_moriconi_is_shown_and_satisfies_the_constraint);
    RUN(proportional_rows_are_found_with_their_factor);
}

static void answer_lines(void *user)
{
    char line[4096];
    (void)user;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        actio_expr e = read_formula(line);
        puts(actio_is_identically_zero(&pool, e) ? "zero" : nice(actio_simplify(&pool, e)));
    }
}

int main(int argc, char **argv)
{
    bool lines = argc > 1 && strcmp(argv[1], "-") == 0;
    actio_context_init(&ctx);
    actio_arena_open(&arena, &ctx);
    actio_pool_open(&pool, &arena);
    int escaped = actio_attempt(&ctx, lines ? answer_lines : all_tests, NULL);
    CHECK(escaped == 0);
    actio_arena_close(&arena);
    return lines ? escaped : DONE();
}
