/* SPDX-License-Identifier: Apache-2.0
 * The equations, shown: through the public header, and the lines that long formulas are broken into. */
#include "check.h"
#include "derive/derive.h"
#include "principle/principles.h"

#include <actio/actio.h>

struct shown {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_derivation *d;
};

static struct shown derive_by(const char *text, const char *by, const char *format, const struct actio_limits *limits)
{
    struct shown s = { .ctx = actio_context_create(limits) };
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, "test.act", text, strlen(text), NULL, 0, s.f);
    s.d = s.model ? actio_derive(s.ctx, s.model, by, format, s.f) : NULL;
    return s;
}

static struct shown derive_limited(const char *text, const char *format, const struct actio_limits *limits)
{
    return derive_by(text, NULL, format, limits);
}

static struct shown derived(const char *text, const char *format) { return derive_limited(text, format, NULL); }

static void forget(struct shown *s)
{
    actio_derivation_free(s->d);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

static bool says(const struct shown *s, const char *piece)
{
    bool found = s->d && strstr(actio_derivation_text(s->d), piece);
    if (!found) printf("nothing says \"%s\" in:\n%s\n", piece, s->d ? actio_derivation_text(s->d) : "(nothing)");
    return found;
}

static const char *const formats[] = { "text", "latex", "c" };
static const char pendulum[] = "param l = 1, g = 9.81\ncoord a\nlagrangian l^2/2*a'^2 + g*l*cos(a)\n";

TEST(a_pendulum_reads_as_in_a_textbook)
{
    struct shown s = derived(pendulum, "text");
    CHECK(says(&s, "\n  p_a = l^2*a'\n"));
    CHECK(says(&s, "\n  l^2*a'' = -l*g*sin(a)\n"));
    CHECK(says(&s, "\n  a'' = -g*sin(a)/l\n"));
    CHECK(says(&s, "p_a^2/(2*l^2)"));
    forget(&s);
}

TEST(every_model_of_the_gallery_is_derived_in_every_language)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            /* fields are shown on the continuum */
            if (strstr(example[i].text, "\nfield ") && strcmp(formats[k], "c") == 0) continue;
            struct shown s = derived(example[i].text, formats[k]);
            CHECK(s.d && actio_findings_status(s.f) == 0 && actio_derivation_sections(s.d) > 0);
            if (!s.d) printf("%s as %s\n", example[i].stem, formats[k]);
            forget(&s);
        }
}

TEST(switches_are_shown_as_they_were_written)
{
    struct shown s = derived("coord x, y\nlagrangian (x'^2 + y'^2)/2 - abs(x) - max(x, y)^2 - if(x < y, 1, 2)*y\nforce "
                             "x = -sign(x'), y = min(x, t)\n",
                             "text");
    CHECK(says(&s, "abs(x)") && says(&s, "sign(x)") && says(&s, "sign(x')") && says(&s, "min(") && says(&s, "max(")
          && says(&s, "if(x < y, "));
    CHECK(s.d && !strstr(actio_derivation_text(s.d), "s3_"));
    forget(&s);
}

TEST(a_singular_kinetic_energy_has_no_hamiltonian)
{
    struct shown s = derived("coord x, y\nlagrangian (x' + y')^2/2 - x^2\n", "text");
    CHECK(says(&s, "W is singular"));
    forget(&s);
    s = derived("coord x\nlagrangian sqrt(1 + x'^2)\n", "text");
    CHECK(says(&s, "not quadratic"));
    forget(&s);
}

TEST(a_magnetic_term_moves_the_momentum)
{
    struct shown s = derived("param m = 2, B = 3\ncoord x, y\nlagrangian m/2*(x'^2 + y'^2) + B*x*y'\n", "text");
    CHECK(says(&s, "p_y = m*y' + B*x") && says(&s, "p_x^2") && says(&s, "(p_y - B*x)^2"));
    forget(&s);
}

static const char example1[] =
    "coord q1, q2, q3\nlagrangian q1'^2/2 + q2'^2/2 + q1'*q2' + q2'*q3' - (q1^2 + q2^2 + q3^2)/2\n"
    "constraint a: q1' + q3 = 0\nconstraint b: q2' - q3 = 0\n";

/* [LM example 1]: the start data, all 0 here, do not matter. */
TEST(constraints_that_follow_are_shown_with_the_multipliers_that_they_leave)
{
    struct shown s = derived(example1, "text");
    CHECK(says(&s, "\n# Hidden constraints\n  q3' + q3 = 0\n"));
    CHECK(says(&s, "free initial data: 3; a plain count of coordinates and constraints gives 4\n"));
    CHECK(says(&s, "\n  lambda.a = q1\n") && says(&s, "\n  lambda.b = q2 - q3'\n"));
    bool section = false;
    for (size_t i = 0; i < actio_derivation_sections(s.d); i++)
        section = section || strcmp(actio_derivation_section(s.d, i).key, "hidden") == 0;
    CHECK(section);
    forget(&s);
    s = derived(example1, "latex");
    CHECK(says(&s, "\\dot{q}_{3} + q_{3} &= 0") && says(&s, "&= q_{2} - \\dot{q}_{3}"));
    forget(&s);
    s = derived(example1, "c");
    CHECK(says(&s, " *   q3' + q3 = 0\n") && says(&s, "double B[6][5], e[6];"));
    forget(&s);
}

TEST(a_model_without_a_motion_says_so)
{
    struct shown s = derived("coord x, y\nlagrangian x'^2/2 + y\n", "text");
    CHECK(says(&s, "  0 = 1\n") && says(&s, "no motion exists"));
    forget(&s);
    s = derived("coord x, y\nlagrangian x'^2/2\n", "text");
    CHECK(says(&s, "x'' = 0\n") && says(&s, "y'' is arbitrary"));
    forget(&s);
    s = derived("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x' = y\nconstraint b: 2*x' = 2*y\n", "text");
    CHECK(says(&s, "not unique: the rows are dependent (b = 2*a)"));
    forget(&s);
}

TEST(a_negative_mass_does_not_make_a_negative_left_side)
{
    struct shown s = derived("param m = 1\ncoord x\nlagrangian -m*x'^2/2 - m*x^2/2\n", "text");
    CHECK(says(&s, "\n  m*x'' = m*x\n") && says(&s, "W = ( -m )"));
    forget(&s);
}

TEST(names_of_the_model_are_not_taken_twice)
{
    struct shown s = derived("param L = 1, H = 2, p_x = 3\ncoord x\nlagrangian L/2*x'^2 - H*x - p_x*x\n", "text");
    CHECK(says(&s, "Lagrangian = ") && says(&s, "Hamiltonian = ") && says(&s, "p_of_x = L*x'"));
    forget(&s);
}

#define KNIFE                                                                                                          \
    "coord x, y, th\nlagrangian (x'^2 + y'^2 + th'^2)/2\nconstraint blade: y'*cos(th) - x'*sin(th) = 0\nstart th' = "  \
    "1\n"

TEST(a_frame_is_shown_with_its_inverse_and_its_brackets)
{
    struct shown s = derived(KNIFE "frame v = x'*cos(th) + y'*sin(th), w = th'\n", "text");
    CHECK(says(&s, "  v = cos(th)*x' + sin(th)*y'\n  w = th'\n  xi_blade = cos(th)*y' - sin(th)*x'\n  # the xi of a "
                   "constraint is its left side"));
    CHECK(says(&s, "  x' = cos(th)*v - sin(th)*xi_blade\n  y' = sin(th)*v + cos(th)*xi_blade\n  th' = w\n"));
    /* c^3_12 = -1, c^1_23 = -1, no others */
    CHECK(says(&s, "are 0\n  # [e_v, e_w] = -e_blade\n  # [e_w, e_blade] = -e_v\n\n"));
    forget(&s);
    s = derived(KNIFE "frame v = x'*cos(th) + y'*sin(th), w = th'\n", "latex");
    CHECK(says(&s, "\\left[e_{v}, e_{w}\\right] &= -e_{") && says(&s, "\\xi_{"));
    forget(&s);
}

/* A constraint's row that has a name goes by that; what is missing are velocities of coordinates. */
TEST(a_frame_is_completed_by_velocities)
{
    struct shown s = derived(KNIFE "frame slip = y'*cos(th) - x'*sin(th), w = th'\n", "text");
    CHECK(says(&s, "  w = th'\n  slip = cos(th)*y' - sin(th)*x'\n")
          && strstr(actio_derivation_text(s.d), "xi_") == NULL);
    CHECK(says(&s, "  y' = (sin(th)*x' + slip)/cos(th)\n  th' = w\n") && says(&s, "[e_w, e_x] = e_slip/cos(th)"));
    forget(&s);
    s = derived("coord x, y\nlagrangian (x'^2 + y'^2)/2\nframe u = x' + y', w = x' - y'\n", "text");
    CHECK(says(&s, "  x' = (u + w)/2\n") && says(&s, "  # all brackets vanish\n"));
    forget(&s);
}

TEST(a_frame_that_moves_has_brackets_with_time)
{
    struct shown s =
        derived("param k = 2\ncoord x, y\nlagrangian (x'^2 + y'^2)/2\nframe u = x' - k*y, w = exp(t)*y'\n", "text");
    CHECK(says(&s, "  x' = u + k*y\n") && says(&s, "  # [e_0, e_w] = -k*exp(-t)*e_u - e_w\n") && says(&s, "# e_0: "));
    forget(&s);
}

TEST(where_there_are_no_brackets_the_reason_is_said)
{
    struct shown s = derived("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint speed: x'^2 + y'^2 = 1\nframe L = "
                             "x*y' - y*x'\nstart x' = 1, x = 1, y = 1\n",
                             "text");
    CHECK(
        says(&s, "  L = x*y' - y*x'\n  # brackets are not shown: constraint 'speed' is not affine in the velocities\n")
        && says(&s, "Lagrangian = "));
    forget(&s);
    s = derived("coord a[1 .. 7]\nlagrangian sum(i = 1 .. 7, a[i]'^2/2)\nframe u[i = 1 .. 7] = a[i]'\n", "text");
    CHECK(says(&s, "  u[7] = a[7]'\n  # brackets are not shown: the model has more than 6 coordinates\n"));
    forget(&s);
}

TEST(what_is_not_there_is_said)
{
    struct shown s = derived(pendulum, "pdf");
    CHECK(!s.d && actio_findings_status(s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_derive(s.ctx, s.model, "nobody", "text", s.f) == NULL);
    forget(&s);
    s = derived("param a = 1\n", "text");
    CHECK(!s.d && actio_findings_status(s.f) == ACTIO_WRONG_MODEL);
    forget(&s);
}

TEST(too_little_memory_is_a_limit_and_nothing_else)
{
    const struct actio_example *example;
    actio_gallery(&example);
    bool whole = false;
    for (size_t memory = 64 << 10; memory < (size_t)64 << 20; memory += memory / 2) {
        struct shown s =
            derive_limited(example[0].text, memory & 1024 ? "latex" : "c", &(struct actio_limits){ .memory = memory });
        CHECK(s.d ? actio_findings_status(s.f) == 0 : actio_findings_status(s.f) == ACTIO_LIMIT_REACHED);
        whole = s.d != NULL;
        forget(&s);
    }
    CHECK(whole);
}

/* ---- other principles */

TEST(every_principle_has_a_chapter)
{
    for (size_t i = 0; actio_principle_name(i); i++)
        CHECK(actio_principle_named(actio_principle_name(i))->chapter != NULL);
}

/* Or the model is not for this principle, which is said. */
TEST(every_model_of_the_gallery_is_derived_by_every_principle)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example), shown = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; actio_principle_name(k); k++) {
            const char *by = actio_principle_name(k), *format = formats[(i + k) % 3];
            struct shown s = derive_by(example[i].text, by, format, NULL);
            int status = actio_findings_status(s.f);
            /* of fields d'Alembert's and Hamel's are shown */
            bool no_code = (strcmp(format, "c") == 0 && actio_principle_named(by)->chapter->no_code)
                           || (!s.d && strstr(example[i].text, "\nfield ") && status == ACTIO_WRONG_USAGE);
            CHECK(s.d ? status == 0 && actio_derivation_sections(s.d) > 0
                      : status == (no_code ? ACTIO_WRONG_USAGE : ACTIO_WRONG_MODEL));
            shown += s.d != NULL;
            forget(&s);
        }
    CHECK(shown > 3 * count);
}

static const char edge[] = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint edge: z*x' = y'\nstart x' = "
                           "1, y' = .3, z = .3, z' = .7\n";

static void shows(const char *by, const char *piece)
{
    struct shown s = derive_by(edge, by, "text", NULL);
    CHECK(says(&s, piece));
    forget(&s);
}

TEST(a_particle_on_a_moving_edge_reads_as_in_the_papers)
{
    shows("gauss", "\n  Z = (x''^2 + y''^2 + z''^2)/2\n");
    shows("maggi", "\n  x'' + z*y'' = 0\n");
    shows("hamel", "\n  # [e_x, e_z] = e_edge\n");
    shows("hamel", "\n  (z^2 + 1)*x'' = -z*x'*z'\n");
    shows("vakonomic", "\n  x'' = -z'*lambda.edge - z*lambda.edge'\n");
    shows("reduced", "\n  power = x'*y'*z'\n");
    shows("discrete", "\n  p_x_0 = x' - z*h*lambda.edge/2\n");
    shows("dual", "\n  dual.y_dot' = -y_dot.base - dual.y - P_y_dot\n");
    shows("dual", "\n  slack = slack.base + r_slack/(dual.power + 1)\n");
}

/* What the command line would put there: a weight of x that changes in time, a potential that is not quadratic. */
TEST(the_dual_is_shown_with_the_weights_and_the_potential_that_were_asked_for)
{
    struct shown s = { .ctx = actio_context_create(NULL) };
    static const char text[] = "param k = 2\nstate x, y\nflow x' = k*x*y\nflow y' = -x\nstart x = 1\n";
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, "test.act", text, strlen(text), NULL, 0, s.f);
    struct actio_pool *pool = &s.model->pool;
    actio_expr time = actio_symbol(pool, ACTIO_SPACE_T, 0),
               shift =
                   actio_sub(pool, actio_symbol(pool, ACTIO_SPACE_STATE, 1), actio_symbol(pool, ACTIO_SPACE_BASE, 1));
    struct actio_dual_item weight = { .component = 0, .e = actio_op1(pool, ACTIO_EXP, time) };
    s.model->dual.weight = &weight;
    s.model->dual.weights = 1;
    s.d = actio_derive(s.ctx, s.model, "dual", "text", s.f);
    CHECK(says(&s, "  M = ( exp(t)     -k*dual.x )\n      ( -k*dual.x  1         )\n"));
    CHECK(says(&s, "\n  x = x.base + (k*dual.x*p_y + p_x)/(exp(t) - k^2*dual.x^2)\n"));
    actio_derivation_free(s.d);
    s.model->dual.has_potential = true;
    s.model->dual.potential = actio_add(pool, actio_power(pool, shift, 2), actio_power(pool, shift, 4));
    s.d = actio_derive(s.ctx, s.model, "dual", "text", s.f);
    CHECK(says(&s, "\n  H = (y - y.base)^4 + exp(t)*(x - x.base)^2/2 + (y - y.base)^2\n")
          && says(&s, "L is not quadratic in the unknowns"));
    forget(&s);
}

TEST(names_of_the_dual_stay_apart_from_those_of_the_model_and_from_each_other)
{
    struct shown s =
        derive_by("param H = 2, p_x = 1\ncoord x, y, reaction_x\nlagrangian (x'^2 + y'^2 + reaction_x'^2)/2 - H*x^2/2\n"
                  "constraint x: x' = p_x*y\nconstraint power: y' = reaction_x\n",
                  "dual", "text", NULL);
    CHECK(says(&s, "\n  Potential = ") && says(&s, "\n  p_x_ = dual.x'\n"));
    /* base of a reaction, duals of the power and of the constraint x */
    CHECK(says(&s, "\n  r_x_dot = dual.x - reaction_x.base_*dual.power_ - dual.x_ + dual.x_dot'\n"));
    forget(&s);
    s = derive_by("state x, x_start\nflow x' = x_start\nflow x_start' = -x\n", "dual", "text", NULL);
    CHECK(says(&s, "\n  Boundary = -dual.x_start_*x_start_ - dual.x_start_start*x_start_start\n"));
    forget(&s);
}

TEST(a_dual_that_is_coupled_too_widely_is_left_as_its_equations)
{
    struct shown s =
        derive_by("state x[1 .. 5]\nflow x[i = 1 .. 5]' = sum(j = 1 .. 5, (i + j)*x[j]*x[i])\n", "dual", "text", NULL);
    CHECK(says(&s, "M is coupled too widely to invert by hand") && says(&s, "x[1]") && says(&s, "x.base[1]")
          && says(&s, "dual.x[1]'"));
    forget(&s);
}

TEST(a_program_by_vakonomic_needs_initial_multipliers_and_equations_on_paper_do_not)
{
    struct shown s = derive_by(edge, "vakonomic", "c", NULL);
    CHECK(!s.d && actio_findings_status(s.f) == ACTIO_WRONG_MODEL);
    forget(&s);
    char text[400];
    snprintf(text, sizeof text, "%sstart lambda.edge = .25\n", edge);
    s = derive_by(text, "vakonomic", "c", NULL);
    CHECK(says(&s, "y[6]  lambda.edge") && says(&s, "y[6] = 0.25;") && says(&s, "STATE = 7"));
    forget(&s);
}

TEST(constraints_that_only_the_others_make_superfluous_leave_directions)
{
    struct shown s = derive_by("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 = 1\nconstraint b: "
                               "(x^2 + y^2)^2 = 1\nstart x = 1, y' = 1\n",
                               "maggi", "text", NULL);
    CHECK(says(&s, "  Z = ( -y )\n      ( x  )\n"));
    forget(&s);
}

TEST(too_little_memory_for_another_principle_is_a_limit_too)
{
    for (size_t k = 0; actio_principle_name(k); k++) {
        bool whole = false;
        for (size_t memory = 64 << 10; memory < (size_t)64 << 20; memory *= 2) {
            struct shown s =
                derive_by(edge, actio_principle_name(k), "text", &(struct actio_limits){ .memory = memory });
            CHECK(s.d ? actio_findings_status(s.f) == 0 : actio_findings_status(s.f) == ACTIO_LIMIT_REACHED);
            whole = s.d != NULL;
            forget(&s);
        }
        CHECK(whole);
    }
}

TEST(an_interrupted_derivation_ends)
{
    static volatile int cancel = 0;
    struct shown s = derive_limited(pendulum, "text", &(struct actio_limits){ .cancel = &cancel });
    cancel = 1;
    CHECK(actio_derive(s.ctx, s.model, NULL, "text", s.f) == NULL);
    CHECK(actio_findings_status(s.f) == ACTIO_INTERRUPTED);
    forget(&s);
}

/* The pieces, put together again with their signs. */
static size_t joined(const char *text, size_t width, int depth, char *out, size_t *longest)
{
    struct actio_wrap w = { .at = text, .width = width, .depth = depth };
    size_t lines = 0, at = 0;
    *longest = 0;
    for (;;) {
        const char *from = w.at;
        size_t n = actio_wrap_next(&w);
        memcpy(out + at, from, n);
        at += n;
        lines++;
        if (n > *longest) *longest = n;
        if (!w.sign) break;
        at += (size_t)sprintf(out + at, " %c ", w.sign);
    }
    out[at] = 0;
    return lines;
}

TEST(broken_lines_are_the_formula_again)
{
    static const char *const formulas[] = { "a",
                                            "",
                                            "a + b - c",
                                            "(a + b + c + d)*(e - f) + g",
                                            "x'' = -(a + b)*sin(c - d)/(e + f)",
                                            "\\frac{a + b}{c} + \\left(d - e\\right)^{2} - f" };
    char out[200];
    size_t longest;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        for (size_t width = 1; width < 60; width++)
            for (int depth = 0; depth <= ACTIO_WRAP_DEPTH; depth += 2) {
                joined(formulas[i], width, depth, out, &longest);
                CHECK(strcmp(out, formulas[i]) == 0);
            }
    CHECK(joined("a + b + c + d + e + f", 9, 0, out, &longest) == 2 && longest == 9);
    CHECK(joined("(a + b + c + d + e + f)", 9, 0, out, &longest) == 1);
}

TEST(wide_latex_gets_brackets_and_fractions_that_can_be_broken)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_arena arena;
    actio_arena_open(&arena, ctx);
    CHECK(strcmp(actio_wrap_loose(&arena, "\\frac{a + b}{c}", 10), "\\frac{a + b}{c}") == 0);
    CHECK(strcmp(actio_wrap_loose(&arena, "\\frac{a + b + c + d}{2 \\, e} + \\left(f + g\\right)^{2}", 10),
                 "\\bigl(a + b + c + d\\bigr) \\big/ \\bigl(2 \\, e\\bigr) + \\bigl(f + g\\bigr)^{2}")
          == 0);
    CHECK(strcmp(actio_wrap_loose(&arena, "x + \\frac{\\frac{a + b + c + d + e}{f}}{g}", 10),
                 "x + \\bigl(a + b + c + d + e\\bigr) \\big/ \\bigl(f\\bigr) \\big/ \\bigl(g\\bigr)")
          == 0);
    actio_arena_close(&arena);
    actio_context_free(ctx);
}

int main(void)
{
    RUN(a_pendulum_reads_as_in_a_textbook);
    RUN(every_model_of_the_gallery_is_derived_in_every_language);
    RUN(switches_are_shown_as_they_were_written);
    RUN(a_singular_kinetic_energy_has_no_hamiltonian);
    RUN(a_magnetic_term_moves_the_momentum);
    RUN(constraints_that_follow_are_shown_with_the_multipliers_that_they_leave);
    RUN(a_model_without_a_motion_says_so);
    RUN(a_negative_mass_does_not_make_a_negative_left_side);
    RUN(names_of_the_model_are_not_taken_twice);
    RUN(a_frame_is_shown_with_its_inverse_and_its_brackets);
    RUN(a_frame_is_completed_by_velocities);
    RUN(a_frame_that_moves_has_brackets_with_time);
    RUN(where_there_are_no_brackets_the_reason_is_said);
    RUN(what_is_not_there_is_said);
    RUN(too_little_memory_is_a_limit_and_nothing_else);
    RUN(every_principle_has_a_chapter);
    RUN(every_model_of_the_gallery_is_derived_by_every_principle);
    RUN(a_particle_on_a_moving_edge_reads_as_in_the_papers);
    RUN(the_dual_is_shown_with_the_weights_and_the_potential_that_were_asked_for);
    RUN(names_of_the_dual_stay_apart_from_those_of_the_model_and_from_each_other);
    RUN(a_dual_that_is_coupled_too_widely_is_left_as_its_equations);
    RUN(a_program_by_vakonomic_needs_initial_multipliers_and_equations_on_paper_do_not);
    RUN(constraints_that_only_the_others_make_superfluous_leave_directions);
    RUN(too_little_memory_for_another_principle_is_a_limit_too);
    RUN(an_interrupted_derivation_ends);
    RUN(broken_lines_are_the_formula_again);
    RUN(wide_latex_gets_brackets_and_fractions_that_can_be_broken);
    return DONE();
}
