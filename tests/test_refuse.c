/* SPDX-License-Identifier: Apache-2.0
 * The library refuses what it is handed wrongly: with a finding where there are findings, without a crash in any case.
 * */
#define _POSIX_C_SOURCE 200809L
#include <actio/actio.h>

#include "check.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char oscillator[] =
    "coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 1\nexpect x at 1 = cos(1) within 1e-6\n";

struct subject {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
};

static struct subject open_subject(void)
{
    struct subject s = { .ctx = actio_context_create(NULL) };
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, "a.act", oscillator, strlen(oscillator), NULL, 0, s.f);
    return s;
}

static void close_subject(struct subject *s)
{
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

/* Forgets what was said before. */
static struct actio_findings *fresh(struct subject *s)
{
    actio_findings_free(s->f);
    return s->f = actio_findings_create(s->ctx);
}

static bool says(struct subject *s, const char *code)
{
    for (size_t i = 0; i < actio_findings_count(s->f); i++)
        if (strcmp(actio_findings_message(s->f, i).code, code) == 0) return true;
    return false;
}

static bool refused(struct subject *s, const void *made, const char *code)
{
    return !made && actio_findings_status(s->f) == ACTIO_WRONG_USAGE && says(s, code);
}

/* One list of findings for many calls: what an earlier call did wrong is not the next one's fault. */
TEST(errors_of_an_earlier_call_do_not_stop_the_next)
{
    struct subject s = open_subject();
    struct actio_run_options options = actio_run_options_default();
    options.by = "newton";
    CHECK(refused(&s, actio_run(s.ctx, s.model, &options, s.f), "NO_PRINCIPLE"));
    size_t count = actio_findings_count(s.f);
    options.by = NULL;
    struct actio_table *table = actio_run(s.ctx, s.model, &options, s.f);
    CHECK(table != NULL);
    struct actio_verdict_report report;
    CHECK(actio_check_model(s.ctx, s.model, NULL, 0, s.f, &report) == ACTIO_DONE && report.verdict);
    CHECK(actio_findings_count(s.f) == count);
    CHECK(actio_findings_status(s.f) == ACTIO_WRONG_USAGE);
    actio_table_free(table);
    close_subject(&s);
}

/* ---- NULL */

TEST(nothing_for_a_context_or_findings_gives_nothing)
{
    struct subject s = open_subject();
    size_t count = 7;
    CHECK(actio_findings_create(NULL) == NULL);
    CHECK(actio_model_read(NULL, "disk", NULL, 0, s.f) == NULL
          && actio_model_read(s.ctx, "disk", NULL, 0, NULL) == NULL);
    CHECK(actio_model_read_string(NULL, "a", "", 0, NULL, 0, s.f) == NULL
          && actio_model_read_string(s.ctx, "a", "", 0, NULL, 0, NULL) == NULL);
    CHECK(actio_run(NULL, s.model, NULL, s.f) == NULL && actio_run(s.ctx, s.model, NULL, NULL) == NULL);
    CHECK(actio_compare(NULL, s.model, NULL, NULL, 0, s.f) == NULL
          && actio_compare(s.ctx, s.model, NULL, NULL, 0, NULL) == NULL);
    CHECK(actio_orbit_search(NULL, s.model, NULL, s.f) == NULL
          && actio_orbit_search(s.ctx, s.model, NULL, NULL) == NULL);
    CHECK(actio_test(NULL, s.model, NULL, s.f, &count) == NULL && count == 0
          && actio_test(s.ctx, s.model, NULL, NULL, NULL) == NULL);
    CHECK(actio_check_model(NULL, s.model, NULL, 0, s.f, NULL) == ACTIO_WRONG_USAGE
          && actio_check_model(s.ctx, s.model, NULL, 0, NULL, NULL) == ACTIO_WRONG_USAGE);
    CHECK(actio_modes_find(NULL, s.model, 1, s.f) == NULL && actio_modes_find(s.ctx, s.model, 1, NULL) == NULL);
    CHECK(actio_derive(NULL, s.model, NULL, NULL, s.f) == NULL
          && actio_derive(s.ctx, s.model, NULL, NULL, NULL) == NULL);
    CHECK(actio_action_create(NULL, s.model, NULL, s.f) == NULL
          && actio_action_create(s.ctx, s.model, NULL, NULL) == NULL);
    CHECK(actio_dual_action_create(NULL, s.model, NULL, s.f) == NULL
          && actio_dual_action_create(s.ctx, s.model, NULL, NULL) == NULL);
    CHECK(actio_table_write(NULL, NULL, "a.csv", s.f) == ACTIO_WRONG_USAGE
          && actio_table_write(s.ctx, NULL, "a.csv", NULL) == ACTIO_WRONG_USAGE);
    CHECK(actio_findings_status(s.f) == 0);
    close_subject(&s);
}

TEST(nothing_for_an_object_is_refused_by_name)
{
    struct subject s = open_subject();
    CHECK(refused(&s, actio_model_read(s.ctx, NULL, NULL, 0, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_model_read_string(s.ctx, "a", NULL, 3, NULL, 0, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_run(s.ctx, NULL, NULL, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_compare(s.ctx, NULL, NULL, NULL, 0, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_compare(s.ctx, s.model, NULL, NULL, 0, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_compare(s.ctx, s.model, NULL, (const char *const[]){ "gauss", NULL }, 2, fresh(&s)),
                  "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_orbit_search(s.ctx, NULL, NULL, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_test(s.ctx, NULL, NULL, fresh(&s), NULL), "NOTHING_GIVEN"));
    CHECK(actio_check_model(s.ctx, NULL, NULL, 0, fresh(&s), NULL) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_check_model(s.ctx, s.model, NULL, 3, fresh(&s), NULL) == ACTIO_WRONG_USAGE
          && says(&s, "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_modes_find(s.ctx, NULL, 1, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_derive(s.ctx, NULL, NULL, NULL, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_action_create(s.ctx, NULL, NULL, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_dual_action_create(s.ctx, NULL, NULL, fresh(&s)), "NOTHING_GIVEN"));
    CHECK(actio_table_write(s.ctx, NULL, "a.csv", fresh(&s)) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_table_plot(s.ctx, NULL, NULL, "a.svg", fresh(&s)) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_table_animate(s.ctx, NULL, NULL, "a.svg", fresh(&s)) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_comparison_overlay(s.ctx, NULL, NULL, "a.svg", fresh(&s)) == ACTIO_WRONG_USAGE
          && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_orbits_plot(s.ctx, NULL, NULL, "a.svg", fresh(&s)) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    CHECK(actio_derivation_write(s.ctx, NULL, "a.txt", fresh(&s)) == ACTIO_WRONG_USAGE && says(&s, "NOTHING_GIVEN"));
    close_subject(&s);
}

TEST(queries_of_nothing_answer_nothing)
{
    double x = 0;
    actio_findings_free(NULL);
    actio_context_free(NULL);
    actio_model_free(NULL);
    actio_table_free(NULL);
    actio_comparison_free(NULL);
    actio_action_free(NULL);
    actio_dual_action_free(NULL);
    actio_orbits_free(NULL);
    actio_modes_free(NULL);
    actio_derivation_free(NULL);
    CHECK(actio_findings_count(NULL) == 0 && actio_findings_dropped(NULL) == 0 && actio_findings_status(NULL) == 0
          && !*actio_findings_message(NULL, 0).message);
    CHECK(!*actio_model_name(NULL) && !*actio_model_description(NULL) && actio_model_claims(NULL) == 0);
    CHECK(actio_gallery(NULL) > 0 && actio_templates(NULL) > 0 && actio_language(NULL) > 0);
    CHECK(actio_options(NULL) > 0 && actio_commands(NULL) > 0 && actio_principle_name(SIZE_MAX) == NULL
          && !actio_can_write(NULL, true));
    CHECK(actio_comparison_rows(NULL) == 0 && !*actio_comparison_row(NULL, 0).by
          && actio_comparison_table(NULL) == NULL);
    CHECK(actio_action_size(NULL) == 0 && actio_action_slices(NULL, NULL) == 0 && actio_action_times(NULL, NULL) == 0
          && actio_action_pattern(NULL, NULL, NULL) == 0);
    CHECK(actio_action_value(NULL, &x, &x) == 2 && actio_action_gradient(NULL, &x, &x) == 2
          && actio_action_hessian(NULL, &x, &x) == 2 && actio_action_solve(NULL, &x, NULL) == 2);
    actio_action_guess(NULL, &x);
    CHECK(actio_dual_action_size(NULL) == 0 && actio_dual_action_slices(NULL, NULL) == 0
          && actio_dual_action_times(NULL, NULL) == 0);
    CHECK(actio_dual_action_points(NULL, NULL, NULL) == 0 && actio_dual_action_names(NULL, NULL, NULL) == 0
          && actio_dual_action_pattern(NULL, NULL, NULL) == 0);
    CHECK(actio_dual_action_value(NULL, &x, &x) == 2 && actio_dual_action_gradient(NULL, &x, &x) == 2
          && actio_dual_action_hessian(NULL, &x, &x) == 2);
    CHECK(actio_dual_action_state(NULL, &x, &x, &x) == 2 && actio_dual_action_hamiltonian(NULL, &x, &x) == 2
          && actio_dual_action_least(NULL, &x, &x, &x) == 2);
    CHECK(actio_dual_action_solve(NULL, &x, NULL) == 2);
    CHECK(actio_orbits_count(NULL) == 0 && isnan(actio_orbits_info(NULL, 0).period) && !*actio_orbits_name(NULL, 0)
          && isnan(actio_orbits_point(NULL, 0, 0)));
    CHECK(isnan(actio_orbits_multiplier(NULL, 0, 0).re) && actio_orbits_levels(NULL, NULL) == 0
          && !*actio_orbits_level(NULL, 0, NULL) && actio_orbits_branch_points(NULL) == 0);
    CHECK(isnan(actio_orbits_branch_point(NULL, 0).param) && actio_orbits_diagram(NULL) == NULL
          && actio_orbits_table(NULL, 0) == NULL);
    CHECK(actio_modes_count(NULL) == 0 && actio_modes_all(NULL, NULL) == 0 && isnan(actio_modes_info(NULL, 0).omega)
          && actio_modes_entries(NULL) == 0);
    CHECK(!*actio_modes_name(NULL, 0) && isnan(actio_modes_shape(NULL, 0, 0)));
    CHECK(!*actio_derivation_text(NULL) && actio_derivation_sections(NULL) == 0
          && !*actio_derivation_section(NULL, 0).text);
    CHECK(actio_table_rows(NULL) == 0 && actio_table_columns(NULL) == 0 && !*actio_table_name(NULL, 0)
          && !*actio_table_unit(NULL, 0) && !*actio_table_role(NULL, 0));
    CHECK(actio_table_data(NULL, 0) == NULL && actio_table_nodes(NULL, 0) == 0 && !*actio_table_axis(NULL, 0)
          && actio_table_places(NULL, 0) == NULL);
    CHECK(isnan(actio_table_error(NULL, 0)) && actio_table_slopes(NULL) == 0 && !*actio_table_slope(NULL, 0).of
          && !actio_table_proof(NULL, NULL) && !actio_table_dual(NULL, NULL));
    CHECK(actio_table_info(NULL).status == ACTIO_WRONG_USAGE && strcmp(actio_table_json(NULL), "{}") == 0);
    size_t column, node;
    CHECK(!actio_table_cell(NULL, "x", &column, &node));
}

/* ---- indices */

TEST(an_index_beyond_the_end_answers_nothing)
{
    struct subject s = open_subject();
    struct actio_table *t = actio_run(s.ctx, s.model, NULL, s.f);
    size_t far = actio_table_columns(t);
    CHECK(far > 0 && !*actio_table_name(t, far) && !*actio_table_unit(t, far) && actio_table_data(t, far) == NULL
          && isnan(actio_table_error(t, far)) && actio_table_nodes(t, far) == 0);
    CHECK(!*actio_table_slope(t, 0).of && !*actio_findings_message(s.f, 99).message);
    struct actio_comparison *c = actio_compare(s.ctx, s.model, NULL, (const char *const[]){ "dalembert" }, 1, s.f);
    CHECK(!*actio_comparison_row(c, 1).by && strcmp(actio_comparison_row(c, 0).by, "dalembert") == 0);
    struct actio_derivation *d = actio_derive(s.ctx, s.model, NULL, NULL, s.f);
    CHECK(!*actio_derivation_section(d, actio_derivation_sections(d)).key);
    actio_derivation_free(d);
    actio_comparison_free(c);
    actio_table_free(t);
    close_subject(&s);
}

/* ---- words and numbers */

TEST(unknown_words_are_refused_by_name)
{
    struct subject s = open_subject();
    const struct {
        struct actio_run_options o;
        const char *code;
    } row[] = {
        { { .by = "nobody" }, "NO_PRINCIPLE" },
        { { .method = "magic" }, "NO_STEPPER" },
        { { .by = "gauss", .method = "magic" }, "NO_STEPPER" },
        { { .closure = "open" }, "NO_SUCH_WORD" },
        { { .by = "dual", .closure = "open" }, "NO_SUCH_WORD" },
        { { .by = "dual", .closure = "free", .power = "some" }, "NO_SUCH_WORD" },
        { { .by = "skg", .grid = 64, .form = "strange" }, "NO_SUCH_WORD" },
        { { .tol = -1 }, "NOT_A_SIZE" },
        { { .tol = NAN }, "NOT_A_SIZE" },
        { { .local = INFINITY }, "NOT_A_SIZE" },
        { { .tol = 2.5 }, "NOT_A_SIZE" },
        { { .by = "reduced", .resplit = 1.5 }, "NOT_A_SIZE" },
        { { .order = 9 }, "NOT_A_SIZE" },
        { { .resplit = 0.2 }, "NOT_ITS_OPTION" },
        { { .by = "skg", .verify = true, .resplit = 0.2 }, "NOT_ITS_OPTION" },
        { { .gradients = 2 }, "NOTHING_GIVEN" },
        { { .width_count = 2 }, "NOTHING_GIVEN" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CHECK(refused(&s, actio_run(s.ctx, s.model, &row[i].o, fresh(&s)), row[i].code));
    for (size_t i = 0; i < 3; i++)
        CHECK(refused(&s, actio_test(s.ctx, s.model, &row[i].o, fresh(&s), NULL), row[i].code));
    CHECK(refused(&s, actio_compare(s.ctx, s.model, NULL, (const char *const[]){ "dalembert", "nobody" }, 2, fresh(&s)),
                  "NO_PRINCIPLE"));
    struct actio_comparison *none = actio_compare(s.ctx, s.model, &(struct actio_run_options){ .resplit = 0.2 },
                                                  (const char *const[]){ "dalembert", "gauss" }, 2, fresh(&s));
    CHECK(actio_comparison_rows(none) == 0 && strcmp(actio_findings_message(s.f, 0).code, "NOT_ITS_OPTION") == 0);
    actio_comparison_free(none);
    CHECK(refused(&s, actio_compare(s.ctx, s.model, NULL, (const char *const[]){ "dalembert" }, 0, fresh(&s)),
                  "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_orbit_search(s.ctx, s.model, &(struct actio_orbit_options){ .method = "magic" }, fresh(&s)),
                  "NO_SUCH_WORD"));
    CHECK(refused(&s, actio_derive(s.ctx, s.model, "nobody", NULL, fresh(&s)), "NO_PRINCIPLE"));
    CHECK(refused(&s, actio_derive(s.ctx, s.model, NULL, "poem", fresh(&s)), "NO_FORMAT"));
    close_subject(&s);
}

TEST(numbers_that_are_not_sizes_are_refused)
{
    struct subject s = open_subject();
    const double bad[] = { NAN, -1, INFINITY, -INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct actio_action_options width = { .grid = 16, .sigma = bad[i], .barrier = 1 },
                                          height = { .grid = 16, .sigma = 1, .barrier = bad[i] };
        const struct actio_dual_action_options slack = { .closure = "free", .power = "nonnegative", .slack = bad[i] };
        struct actio_run_options own = { .sigma = bad[i], .barrier = 1 };
        CHECK(refused(&s, actio_action_create(s.ctx, s.model, &width, fresh(&s)), "NOT_A_SIZE"));
        CHECK(refused(&s, actio_action_create(s.ctx, s.model, &height, fresh(&s)), "NOT_A_SIZE"));
        /* a slack has either sign */
        if (bad[i] != -1) CHECK(refused(&s, actio_dual_action_create(s.ctx, s.model, &slack, fresh(&s)), "NOT_A_SIZE"));
        CHECK(refused(&s, actio_run(s.ctx, s.model, &own, fresh(&s)), "NOT_A_SIZE"));
        struct actio_context *ctx = actio_context_create(&(struct actio_limits){ .seconds = bad[i] });
        CHECK((ctx != NULL) == (bad[i] == INFINITY));
        actio_context_free(ctx);
    }
    close_subject(&s);
}

TEST(unknown_kinds_of_change_are_refused)
{
    struct subject s = open_subject();
    const struct actio_change bad[] = { { (enum actio_change_kind)'q', "0..2" },
                                        { (enum actio_change_kind)0, "0..2" },
                                        { ACTIO_CHANGE_TIME, NULL } };
    for (size_t i = 0; i < 3; i++)
        CHECK(refused(&s,
                      actio_model_read_string(s.ctx, "a.act", oscillator, strlen(oscillator), &bad[i], 1, fresh(&s)),
                      i < 2 ? "NO_SUCH_WORD" : "NOTHING_GIVEN"));
    CHECK(refused(&s, actio_model_read(s.ctx, "disk", NULL, 1, fresh(&s)), "NOTHING_GIVEN"));
    close_subject(&s);
}

TEST(options_of_zeros_are_the_defaults)
{
    struct subject s = open_subject();
    struct actio_run_options zeros = { 0 };
    struct actio_table *a = actio_run(s.ctx, s.model, &zeros, s.f), *b = actio_run(s.ctx, s.model, NULL, s.f);
    size_t rows = actio_table_rows(b);
    CHECK(actio_findings_status(s.f) == 0 && rows > 2 && actio_table_rows(a) == rows
          && actio_table_columns(a) == actio_table_columns(b));
    CHECK(memcmp(actio_table_data(a, 1), actio_table_data(b, 1), rows * sizeof(double)) == 0
          && actio_table_info(a).tol == actio_table_info(b).tol);
    struct actio_action *action = actio_action_create(s.ctx, s.model, &(struct actio_action_options){ 0 }, s.f);
    CHECK(action && actio_action_size(action) > 0);
    struct actio_orbits *o = actio_orbit_search(s.ctx, s.model, &(struct actio_orbit_options){ 0 }, s.f);
    CHECK(o && actio_orbits_count(o) == 1);
    actio_orbits_free(o);
    actio_action_free(action);
    actio_table_free(a);
    actio_table_free(b);
    close_subject(&s);
}

/* ---- the host's locale */

/* One that is installed, or one that is made here. */
static bool with_comma(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) return true;
    if (system("mkdir -p build/locale && localedef -i de_DE -f UTF-8 build/locale/de_DE.UTF-8 >/dev/null 2>&1"))
        return false;
    setenv("LOCPATH", "build/locale", 1);
    return setlocale(LC_ALL, names[0]) != NULL;
}

TEST(numbers_have_a_point_whatever_the_host_has_set)
{
    static const char name[] = "refuse_base.csv";
    struct subject s = open_subject();
    bool comma = with_comma();
    if (!comma) printf("    no locale with a comma is installed: the C locale is looked at only\n");
    char before[64] = "";
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    char number[16];
    snprintf(number, sizeof number, "%.1f", 0.5);
    CHECK(!comma || strcmp(number, "0,5") == 0);
    FILE *f = fopen(name, "w");
    for (int i = 0; i < 60; i++) fprintf(f, i ? "%d.%d,0.5\n" : "t,x\n", (i - 1) / 10, (i - 1) % 10);
    fclose(f);
    struct actio_run_options o = { .by = "dual", .base = name, .grid = 8 };
    struct actio_table *t = actio_run(s.ctx, s.model, &o, fresh(&s));
    CHECK(t && actio_findings_status(s.f) == 0);
    CHECK(!strstr(actio_table_json(t), "0,") || strstr(actio_table_json(t), "0."));
    remove(name);
    o = (struct actio_run_options){ .tol = 0.5, .local = -0.5 };
    CHECK(refused(&s, actio_run(s.ctx, s.model, &o, fresh(&s)), "NOT_A_SIZE")
          && strstr(actio_findings_message(s.f, 0).message, "-0.5"));
    CHECK(strcmp(setlocale(LC_ALL, NULL), before) == 0);
    actio_table_free(t);
    setlocale(LC_ALL, "C");
    close_subject(&s);
}

int main(void)
{
    RUN(errors_of_an_earlier_call_do_not_stop_the_next);
    RUN(nothing_for_a_context_or_findings_gives_nothing);
    RUN(nothing_for_an_object_is_refused_by_name);
    RUN(queries_of_nothing_answer_nothing);
    RUN(an_index_beyond_the_end_answers_nothing);
    RUN(unknown_words_are_refused_by_name);
    RUN(numbers_that_are_not_sizes_are_refused);
    RUN(unknown_kinds_of_change_are_refused);
    RUN(options_of_zeros_are_the_defaults);
    RUN(numbers_have_a_point_whatever_the_host_has_set);
    return DONE();
}
