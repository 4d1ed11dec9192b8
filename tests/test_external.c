/* SPDX-License-Identifier: Apache-2.0
 * Forces that a program gives: the motion is that of the same force written as a formula; whatever needs formulas is
 * refused by name; a callback that fails ends the motion with its rows kept. */
#include <actio/actio.h>

#include "check.h"
#include "subject.h"

static const char driven[] = "param k = 4\ncoord x\nlagrangian x'^2/2 - k*x^2/2\n"
                             "force x = -x'/8 + external(\"motor\")\nstart x = 1\ntime 0 .. 6\nobserve twice = 2*x\n";
static const char written[] = "param k = 4\ncoord x\nlagrangian x'^2/2 - k*x^2/2\n"
                              "force x = -x'/8 + sin(3*t) - x^3/2\nstart x = 1\ntime 0 .. 6\nobserve twice = 2*x\n";

struct motor {
    double stop, poison; /* from these times on it fails, or gives nothing */
    size_t calls;
    int wrong; /* which derivative is off by a hundredth: 1 by time, 2 and 3 by the state */
};

/* sin(3t) - x^3/2 */
static int motor(void *user, double t, const double *y, size_t size, double *value, double *dt, double *dy)
{
    struct motor *m = user;
    m->calls++;
    if (size < 2 || t > m->stop) return 7;
    *value = t > m->poison ? NAN : sin(3 * t) - y[0] * y[0] * y[0] / 2;
    if (dt) *dt = 3 * cos(3 * t);
    if (dy) dy[0] = -3 * y[0] * y[0] / 2;
    if (dt && m->wrong == 1) *dt *= 1.01;
    if (dy && m->wrong == 2) dy[0] *= 1.01;
    if (dy && m->wrong == 3) dy[1] = 0.01;
    return 0;
}

struct bench {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct motor motor;
};

static struct bench open_bench(const char *text)
{
    struct bench b = { .ctx = actio_context_create(NULL), .motor = { INFINITY, INFINITY, 0, 0 } };
    b.f = actio_findings_create(b.ctx);
    b.model = actio_model_read_string(b.ctx, "a.act", text, strlen(text), NULL, 0, b.f);
    return b;
}

/* The bench must have its place before its motor is bound. */
static int bind_motor(struct bench *b, bool derivatives)
{
    return actio_model_bind(b->model, "motor", motor, derivatives, &b->motor, b->f);
}

static void close_bench(struct bench *b)
{
    actio_model_free(b->model);
    actio_findings_free(b->f);
    actio_context_free(b->ctx);
}

static struct actio_message found(struct bench *b, const char *code)
{
    for (size_t i = 0; i < actio_findings_count(b->f); i++)
        if (strcmp(actio_findings_message(b->f, i).code, code) == 0) return actio_findings_message(b->f, i);
    return (struct actio_message){ .code = "" };
}
static bool said(struct bench *b, const char *code) { return *found(b, code).code; }

static struct actio_run_options local(double tolerance)
{
    struct actio_run_options o = actio_run_options_default();
    o.local = tolerance;
    o.points = 13;
    o.no_compile = true;
    return o;
}

TEST(an_external_force_that_nobody_gives_is_named_with_its_place)
{
    struct bench b = open_bench(driven);
    struct actio_run_options o = local(1e-9);
    bool bound = true;
    CHECK(actio_model_externals(b.model) == 1 && strcmp(actio_model_external(b.model, 0, &bound), "motor") == 0
          && !bound);
    CHECK(actio_run(b.ctx, b.model, &o, b.f) == NULL && actio_findings_status(b.f) == ACTIO_WRONG_MODEL);
    struct actio_message m = found(&b, "EXTERNAL_UNBOUND");
    CHECK(m.line == 4 && m.column == 19 && strstr(m.message, "motor") && strstr(m.hint, "actio_model_bind"));
    CHECK(actio_check_model(b.ctx, b.model, NULL, 0, b.f, NULL) == ACTIO_WRONG_MODEL);
    CHECK(actio_flow_create(b.ctx, b.model, NULL, b.f) == NULL
          && actio_integrator_create(b.ctx, b.model, &o, b.f) == NULL);
    CHECK(actio_model_bind(b.model, "moter", motor, false, NULL, b.f) == ACTIO_WRONG_USAGE
          && said(&b, "NOT_AN_EXTERNAL"));
    CHECK(strstr(actio_model_text(b.model), "external(\"motor\")"));
    struct bench again = open_bench(actio_model_text(b.model));
    CHECK(again.model && actio_model_externals(again.model) == 1);
    close_bench(&again);
    close_bench(&b);
}

static double apart(const struct actio_table *a, const struct actio_table *b, const char *name)
{
    size_t x, y;
    double most = 0;
    if (!actio_table_cell(a, name, &x, NULL) || !actio_table_cell(b, name, &y, NULL)) return NAN;
    if (actio_table_rows(a) != actio_table_rows(b)) return NAN;
    for (size_t r = 0; r < actio_table_rows(a); r++)
        most = fmax(most, fabs(actio_table_data(a, x)[r] - actio_table_data(b, y)[r]));
    return most;
}

TEST(the_motion_is_that_of_the_formula)
{
    struct bench a = open_bench(driven), b = open_bench(written);
    struct actio_run_options o = local(1e-11);
    CHECK(bind_motor(&a, false) == 0);
    struct actio_table *x = actio_run(a.ctx, a.model, &o, a.f), *y = actio_run(b.ctx, b.model, &o, b.f);
    CHECK(x && y && said(&a, "EXTERNAL_OUTSIDE") && actio_findings_status(a.f) == 0 && a.motor.calls > 100);
    /* roundings of the force differ, and grow for some hundred steps */
    CHECK(apart(x, y, "x") < 1e-10 && apart(x, y, "x_dot") < 1e-10 && apart(x, y, "twice") < 1e-10);
    CHECK(apart(x, y, "energy") < 1e-9);
    actio_table_free(x);
    actio_table_free(y);
    close_bench(&a);
    close_bench(&b);
}

TEST(without_derivatives_only_local_and_explicit_runs_apply)
{
    struct bench b = open_bench(driven);
    struct actio_run_options o = local(0), stiff = local(1e-6);
    stiff.method = "cvode";
    CHECK(bind_motor(&b, false) == 0 && actio_run(b.ctx, b.model, &o, b.f) == NULL && said(&b, "EXTERNAL_LOCAL"));
    CHECK(actio_findings_status(b.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_run(b.ctx, b.model, &stiff, b.f) == NULL);
    CHECK(bind_motor(&b, true) == 0);
    struct actio_table *t = actio_run(b.ctx, b.model, &o, b.f);
    struct bench c = open_bench(written);
    struct actio_table *u = actio_run(c.ctx, c.model, &o, c.f);
    CHECK(t && u && actio_table_info(t).reached && apart(t, u, "x") < 2e-9); /* each within 1e-9 */
    actio_table_free(t);
    actio_table_free(u);
    close_bench(&c);
    close_bench(&b);
}

TEST(a_callback_that_fails_ends_the_motion_and_keeps_its_rows)
{
    for (int kind = 0; kind < 2; kind++) {
        struct bench b = open_bench(driven);
        struct actio_run_options o = local(1e-9);
        CHECK(bind_motor(&b, false) == 0);
        *(kind ? &b.motor.poison : &b.motor.stop) = 3.3;
        struct actio_table *t = actio_run(b.ctx, b.model, &o, b.f);
        struct actio_message m = found(&b, "EXTERNAL_FAILED");
        CHECK(t && actio_findings_status(b.f) == ACTIO_NUMERICS_FAILED && m.line == 4);
        CHECK(strstr(m.message, kind ? "not a finite number" : "returns 7") && strstr(m.message, "motor"));
        /* rows at 0, .5, ... 3; a step may end a little before 3.3 */
        CHECK(actio_table_rows(t) >= 6 && actio_table_rows(t) <= 7);
        actio_table_free(t);
        struct actio_integrator *i = actio_integrator_create(b.ctx, b.model, &o, b.f);
        CHECK(i && actio_integrator_to(i, 3, b.f) == 0 && actio_integrator_to(i, 4, b.f) == ACTIO_NUMERICS_FAILED);
        CHECK(actio_integrator_time(i) >= 3 && actio_integrator_time(i) <= 3.3);
        actio_integrator_free(i);
        close_bench(&b);
    }
}

TEST(what_needs_formulas_is_refused_with_the_reason)
{
    static const char *const by[] = { "skg", "dual", "discrete" };
    struct bench b = open_bench(driven);
    struct actio_run_options o = local(1e-9);
    CHECK(bind_motor(&b, true) == 0);
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        struct actio_findings *f = actio_findings_create(b.ctx);
        o.by = by[k];
        CHECK(actio_run(b.ctx, b.model, &o, f) == NULL && actio_findings_status(f) != 0);
        bool named = false;
        for (size_t i = 0; i < actio_findings_count(f); i++)
            named |= strstr(actio_findings_message(f, i).message, "external") != NULL;
        CHECK(named);
        if (!named) printf("    %s\n", by[k]);
        actio_findings_free(f);
    }
    CHECK(actio_modes_find(b.ctx, b.model, 3, b.f) == NULL && actio_orbit_search(b.ctx, b.model, NULL, b.f) == NULL);
    CHECK(actio_action_create(b.ctx, b.model, NULL, b.f) == NULL);
    CHECK(actio_dual_action_create(b.ctx, b.model, NULL, b.f) == NULL);
    CHECK(actio_derive(b.ctx, b.model, NULL, "c", b.f) == NULL);
    struct actio_findings *f = actio_findings_create(b.ctx);
    struct actio_derivation *d = actio_derive(b.ctx, b.model, NULL, "text", f);
    CHECK(d && strstr(actio_derivation_text(d), "external(\"motor\")"));
    actio_derivation_free(d);
    d = actio_derive(b.ctx, b.model, NULL, "latex", f);
    CHECK(d && strstr(actio_derivation_text(d), "\\mathrm{motor}"));
    actio_derivation_free(d);
    const char *three[] = { "dalembert", "gauss", "skg" };
    o.by = "dalembert";
    o.local = 0;
    struct actio_comparison *c = actio_compare(b.ctx, b.model, &o, three, 3, f);
    CHECK(c && strcmp(actio_comparison_row(c, 1).status, "agrees") == 0);
    CHECK(c && strcmp(actio_comparison_row(c, 2).status, "inapplicable") == 0);
    actio_comparison_free(c);
    actio_findings_free(f);
    close_bench(&b);
}

/* Along any direction: rates and derivatives of the formula. */
TEST(a_flow_with_an_external_force_has_its_derivatives)
{
    struct bench a = open_bench(driven), b = open_bench(written);
    CHECK(bind_motor(&a, true) == 0);
    struct actio_flow *x = actio_flow_create(a.ctx, a.model, NULL, a.f),
                      *y = actio_flow_create(b.ctx, b.model, NULL, b.f);
    const double at[] = { .75, -1.5 }, v[] = { 1, .25 };
    double p[2], q[2];
    CHECK(x && y && actio_flow_differentiable(x));
    CHECK(actio_flow_rhs(x, 2, at, p) == 0 && actio_flow_rhs(y, 2, at, q) == 0);
    CHECK_NEAR(p[1], q[1], 1e-15);
    CHECK(actio_flow_jvp(x, 2, at, v, p) == 0 && actio_flow_jvp(y, 2, at, v, q) == 0 && p[0] == q[0]);
    CHECK_NEAR(p[1], q[1], 1e-14);
    actio_flow_free(x);
    actio_flow_free(y);
    CHECK(bind_motor(&a, false) == 0);
    x = actio_flow_create(a.ctx, a.model, NULL, a.f);
    CHECK(x && !actio_flow_differentiable(x) && actio_flow_jvp(x, 2, at, v, p) == ACTIO_WRONG_USAGE);
    actio_flow_free(x);
    close_bench(&a);
    close_bench(&b);
}

/* With a constraint, a contact and a second force: solved by numbers, too. */
TEST(walls_and_constraints_go_with_external_forces)
{
    static const char outside[] =
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 10*y\nconstraint slope: y = x/2\n"
        "contact stop: x <= 1, restitution = 1/2\nforce x = 4*external(\"motor\") + external(\"other\")\n"
        "start x = 0\ntime 0 .. 3\n";
    static const char inside[] =
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 10*y\nconstraint slope: y = x/2\n"
        "contact stop: x <= 1, restitution = 1/2\nforce x = 4*(sin(3*t) - x^3/2) + sin(3*t) - x^3/2\n"
        "start x = 0\ntime 0 .. 3\n";
    struct bench a = open_bench(outside), b = open_bench(inside);
    struct actio_run_options o = local(1e-10);
    CHECK(a.model && b.model && actio_model_externals(a.model) == 2 && bind_motor(&a, false) == 0);
    CHECK(actio_model_bind(a.model, "other", motor, false, &a.motor, a.f) == 0);
    struct actio_table *x = actio_run(a.ctx, a.model, &o, a.f), *y = actio_run(b.ctx, b.model, &o, b.f);
    CHECK(x && y && apart(x, y, "x") < 1e-8 && apart(x, y, "lambda.slope") < 1e-7);
    CHECK(actio_table_events(x) == actio_table_events(y));
    actio_table_free(x);
    actio_table_free(y);
    close_bench(&a);
    close_bench(&b);
}

/* In free flight between walls rates are constant only if no force comes from outside. */
TEST(a_flight_between_walls_feels_an_external_force)
{
    struct bench a = open_bench("coord x\nlagrangian x'^2/2\nforce x = external(\"motor\")\ncontact w: x <= 1.2\n"
                                "start x = 1\ntime 0 .. 3\n"),
                 b = open_bench("coord x\nlagrangian x'^2/2\nforce x = sin(3*t) - x^3/2\ncontact w: x <= 1.2\n"
                                "start x = 1\ntime 0 .. 3\n");
    struct actio_run_options o = local(1e-10);
    CHECK(a.model && b.model && bind_motor(&a, false) == 0);
    struct actio_table *x = actio_run(a.ctx, a.model, &o, a.f), *y = actio_run(b.ctx, b.model, &o, b.f);
    CHECK(x && y && apart(x, y, "x") < 1e-8);
    actio_table_free(x);
    actio_table_free(y);
    close_bench(&a);
    close_bench(&b);
}

/* ---- other principles, with constraints of velocities */

/* by `reduced` the sled is gone at t = 2.87 */
#define SLED(end)                                                                                                      \
    "param m = 2, J = 1/2\ncoord x, y, a\nlagrangian m/2*(x'^2 + y'^2) + J/2*a'^2\n"                                   \
    "constraint blade: x'*sin(a) = y'*cos(a)\nstart x = 1/4, x' = 1, a' = 3/4, lambda.blade = 1/3\n"                   \
    "time 0 .. " end "\nobserve speed = x'^2 + y'^2\n"
static const char sled[] =
    SLED("3") "force pull: x = external(\"motor\") - x'/3\nforce turn: a = cos(t)*external(\"motor\")\n";
static const char sled_for_all[] =
    SLED("2") "force pull: x = external(\"motor\") - x'/3\nforce turn: a = cos(t)*external(\"motor\")\n";
static const char sled_written[] =
    SLED("2") "force pull: x = sin(3*t) - x^3/2 - x'/3\nforce turn: a = cos(t)*(sin(3*t) - x^3/2)\n";
static const char *const laws[] = { "dalembert", "gauss",    "maggi",   "hamel",    "appell",
                                    "jourdain",  "hamilton", "reduced", "vakonomic" };
enum { LAWS = sizeof laws / sizeof *laws };

TEST(other_principles_move_by_external_forces_as_by_the_formula)
{
    for (int global = 0; global < 2; global++)
        for (size_t k = 0; k < LAWS; k++) {
            struct bench a = open_bench(sled_for_all), b = open_bench(sled_written);
            struct actio_run_options o = local(global ? 0 : 1e-11);
            o.by = laws[k];
            CHECK(a.model && b.model && bind_motor(&a, global) == 0);
            struct actio_table *x = actio_run(a.ctx, a.model, &o, a.f), *y = actio_run(b.ctx, b.model, &o, b.f);
            double off = x && y ? fmax(apart(x, y, "a"), apart(x, y, "lambda.blade")) : NAN;
            /* both runs are within 1e-9; by local tolerance the same steps with other roundings */
            bool good = off < 4e-9 && (!global || actio_table_info(x).reached) && said(&a, "EXTERNAL_OUTSIDE");
            CHECK(good);
            if (!good) printf("    %s, %s: %g\n", laws[k], global ? "global" : "local", off);
            actio_table_free(x);
            actio_table_free(y);
            close_bench(&a);
            close_bench(&b);
        }
}

TEST(a_callback_that_fails_ends_every_principle_with_its_rows_kept)
{
    for (size_t k = 0; k < LAWS; k++)
        for (int kind = 0; kind < 2; kind++) {
            struct bench b = open_bench(sled);
            struct actio_run_options o = local(1e-9);
            o.by = laws[k];
            CHECK(bind_motor(&b, false) == 0);
            *(kind ? &b.motor.poison : &b.motor.stop) = 1.6;
            struct actio_table *t = actio_run(b.ctx, b.model, &o, b.f);
            bool good = t && said(&b, "EXTERNAL_FAILED") && actio_findings_status(b.f) == ACTIO_NUMERICS_FAILED
                        && actio_table_rows(t) >= 6 && actio_table_rows(t) <= 7; /* at 0, .25, ... 1.5 */
            CHECK(good);
            if (!good) printf("    %s: %zu rows\n", laws[k], t ? actio_table_rows(t) : 0);
            actio_table_free(t);
            close_bench(&b);
        }
}

/* Right ones pass: every other test with derivatives. */
TEST(wrong_derivatives_are_seen_at_the_start)
{
    static const char *const by[] = { "", "by t", "by x,", "by x_dot," };
    for (int wrong = 1; wrong <= 3; wrong++)
        for (int stepwise = 0; stepwise < 2; stepwise++) {
            struct bench b = open_bench(driven);
            struct actio_run_options o = actio_run_options_default();
            b.motor.wrong = wrong;
            CHECK(bind_motor(&b, true) == 0);
            struct actio_table *t = stepwise ? NULL : actio_run(b.ctx, b.model, &o, b.f);
            struct actio_integrator *i = stepwise ? actio_integrator_create(b.ctx, b.model, &o, b.f) : NULL;
            CHECK(!t && !i && said(&b, "EXTERNAL_SLOPES") && actio_findings_status(b.f) == ACTIO_WRONG_USAGE);
            struct actio_message m = found(&b, "EXTERNAL_SLOPES");
            CHECK(m.message && strstr(m.message, by[wrong]) != NULL);
            if (m.message && !strstr(m.message, by[wrong])) printf("    %s\n", m.message);
            actio_table_free(t);
            actio_integrator_free(i);
            close_bench(&b);
        }
}

/* |v| at rest has any slope between -1 and 1; sqrt(x) ends at its start; a large force has slopes of its size. */
static int cornered(void *user, double t, const double *y, size_t size, double *value, double *dt, double *dy)
{
    (void)user;
    (void)size;
    if (y[0] < 1) return 1;
    *value = 1e6 * sin(t) + fabs(y[1]) + sqrt(y[0] - 1);
    if (dt) *dt = 1e6 * cos(t);
    if (dy) dy[1] = y[1] < 0 ? -1 : 1;
    if (dy) dy[0] = 0.5 / sqrt(fmax(y[0] - 1, 1e-300));
    return 0;
}

TEST(a_corner_or_an_end_at_the_start_is_not_a_wrong_derivative)
{
    struct bench b = open_bench(driven);
    struct actio_run_options o = local(1e-6);
    CHECK(actio_model_bind(b.model, "motor", cornered, true, NULL, b.f) == 0);
    struct actio_table *t = actio_run(b.ctx, b.model, &o, b.f);
    CHECK(!said(&b, "EXTERNAL_SLOPES"));
    actio_table_free(t);
    close_bench(&b);
}

TEST(a_verdict_is_that_of_the_formula)
{
    struct bench a = open_bench(sled_for_all), b = open_bench(sled_written);
    struct actio_verdict_report x, y;
    CHECK(bind_motor(&a, false) == 0);
    CHECK(actio_check_model(a.ctx, a.model, NULL, 0, a.f, &x) == 0 && strcmp(x.verdict, "regular") == 0);
    CHECK(actio_check_model(b.ctx, b.model, NULL, 0, b.f, &y) == 0);
    size_t same = 0; /* up to the principles that need formulas */
    while (x.text[same] && x.text[same] == y.text[same]) same++;
    CHECK(same > 300 && strncmp(y.text + same, ", discrete, skg, dual", 21) == 0);
    CHECK(strcmp(x.text + same, y.text + same + 21) == 0);
    close_bench(&a);
    close_bench(&b);
}

/* The verdict does not need the force; what follows from a singular one would be its derivative. */
TEST(redundant_rows_and_claims_go_with_external_forces_and_hidden_constraints_do_not)
{
    static const char hidden[] = "coord x, y\nlagrangian x'^2/2 - (x - y)^2/2\nforce y = external(\"motor\")\n"
                                 "time 0 .. 1\n";
    static const char redundant[] =
        "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x = 2*y\nconstraint b: 2*x = 4*y\n"
        "force x = external(\"motor\")\ntime 0 .. 1\n";
    static const char claimed[] =
        "coord x\nlagrangian x'^2/2\nforce x = external(\"motor\")\ntime 0 .. 1\nexpect verdict regular\n";
    struct bench a = open_bench(redundant), b = open_bench(claimed);
    struct actio_run_options o = local(1e-6);
    size_t count;
    CHECK(bind_motor(&a, true) == 0);
    struct actio_table *t = actio_run(a.ctx, a.model, &o, a.f);
    CHECK(t && actio_findings_status(a.f) == 0);
    actio_table_free(t);
    CHECK(bind_motor(&b, true) == 0);
    struct actio_check *check = actio_test(b.ctx, b.model, &o, b.f, &count);
    CHECK(check && count == 1 && check[0].ok);
    struct bench c = open_bench(hidden);
    CHECK(bind_motor(&c, true) == 0 && actio_run(c.ctx, c.model, &o, c.f) == NULL && said(&c, "EXTERNAL_NO_FORMULA"));
    CHECK(actio_check_model(c.ctx, c.model, NULL, 0, c.f, NULL) == ACTIO_WRONG_USAGE);
    close_bench(&c);
    close_bench(&a);
    close_bench(&b);
}

/* ---- words */

static void refuses(const char *text, const char *code)
{
    struct bench b = open_bench(text);
    bool good = !b.model && said(&b, code);
    CHECK(good);
    if (!good) printf("    %s: %s\n", code, actio_findings_message(b.f, 0).message);
    close_bench(&b);
}

#define BODY "coord x\nlagrangian x'^2/2\nstart x = 1\ntime 0 .. 1\n"

TEST(external_is_a_name_like_others_elsewhere)
{
    struct bench b = open_bench("param external = 3\n" BODY "force x = -external*x\n");
    CHECK(b.model && actio_model_externals(b.model) == 0);
    close_bench(&b);
    b = open_bench("param external = 3\n" BODY "force x = -external*x + external(\"a-1.b_2\")\n");
    CHECK(b.model && actio_model_externals(b.model) == 1);
    close_bench(&b);
    b = open_bench(BODY "let pull = 2*external( \"a\" )\nforce x = pull\nforce x = external(\"a\")\n");
    CHECK(b.model && actio_model_externals(b.model) == 1);
    close_bench(&b);
}

TEST(external_is_refused_where_it_has_no_meaning)
{
    refuses("coord x\nlagrangian x'^2/2 + external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "param p = external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "observe o = external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "constraint c: x = external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "event e: x = external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "let p = external(\"a\")\nlagrangian p*x\n", "EXTERNAL_HERE");
    refuses("state s\nflow s' = external(\"a\")\n", "EXTERNAL_HERE");
    refuses(BODY "force x = abs(external(\"a\"))\n", "EXTERNAL_SWITCHED");
    refuses(BODY "force x = if(external(\"a\") > 0, 1, 2)\n", "EXTERNAL_SWITCHED");
    refuses(BODY "force x = external(\"\")\n", "EXTERNAL_NAME");
    refuses(BODY "force x = external(\"a b\")\n", "EXTERNAL_NAME");
    refuses(BODY "force x = external(\"a)\n", "EXTERNAL_NAME");
    refuses(BODY "force x = external(\"a\"\n", "EXPECTED");
    refuses(BODY "force x = external(\"a\", 2)\n", "EXPECTED");
    refuses(BODY "force x = sin(\"a\")\n", "WRONG_SIGN");
    refuses(BODY "force x = external(a)\n", "NOT_A_FUNCTION");
    refuses("field y(s) on s = 0 .. 1 nodes 5\nlagrangian integral(s, y'^2/2)\nforce y(1/2) = external(\"a\")\n",
            "FIELD_WITHOUT");
}

int main(void)
{
    RUN(an_external_force_that_nobody_gives_is_named_with_its_place);
    RUN(the_motion_is_that_of_the_formula);
    RUN(without_derivatives_only_local_and_explicit_runs_apply);
    RUN(a_callback_that_fails_ends_the_motion_and_keeps_its_rows);
    RUN(what_needs_formulas_is_refused_with_the_reason);
    RUN(a_flow_with_an_external_force_has_its_derivatives);
    RUN(walls_and_constraints_go_with_external_forces);
    RUN(a_flight_between_walls_feels_an_external_force);
    RUN(other_principles_move_by_external_forces_as_by_the_formula);
    RUN(a_callback_that_fails_ends_every_principle_with_its_rows_kept);
    RUN(wrong_derivatives_are_seen_at_the_start);
    RUN(a_corner_or_an_end_at_the_start_is_not_a_wrong_derivative);
    RUN(a_verdict_is_that_of_the_formula);
    RUN(redundant_rows_and_claims_go_with_external_forces_and_hidden_constraints_do_not);
    RUN(external_is_a_name_like_others_elsewhere);
    RUN(external_is_refused_where_it_has_no_meaning);
    return DONE();
}
