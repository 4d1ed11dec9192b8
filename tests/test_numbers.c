/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model set after reading: the same bits as with --set, --start and --time, the same findings; what a
 * table lists of its events. */
#include <actio/actio.h>

#include "check.h"
#include "subject.h"

/* A few steps of a rough run show every number that enters the equations, the start and the interval. */
static struct actio_run_options rough(void)
{
    struct actio_run_options o = actio_run_options_default();
    o.local = 1e-3;
    o.points = 4;
    o.no_compile = o.project = true;
    return o;
}

struct pair {
    struct actio_context *ctx;
    struct actio_findings *f, *g;
    struct actio_model *set, *read;
};

static struct pair open_pair(const char *text, const struct actio_change *change)
{
    struct actio_limits limits = { .seconds = 0 };
    struct pair p = { .ctx = actio_context_create(&limits) };
    p.f = actio_findings_create(p.ctx);
    p.g = actio_findings_create(p.ctx);
    p.set = actio_model_read_string(p.ctx, "a.act", text, strlen(text), NULL, 0, p.f);
    if (!p.set) {
        printf("%s\n", actio_findings_message(p.f, 0).message);
        exit(1);
    }
    p.read = actio_model_read_string(p.ctx, "a.act", text, strlen(text), change, change != NULL, p.g);
    return p;
}

static void close_pair(struct pair *p)
{
    actio_model_free(p->set);
    actio_model_free(p->read);
    actio_findings_free(p->f);
    actio_findings_free(p->g);
    actio_context_free(p->ctx);
}

static bool equal_tables(const struct actio_table *a, const struct actio_table *b)
{
    if (!a || !b) return a == b;
    bool same = actio_table_rows(a) == actio_table_rows(b) && actio_table_columns(a) == actio_table_columns(b);
    for (size_t c = 0; same && c < actio_table_columns(a); c++) {
        size_t nodes = actio_table_nodes(a, c) ? actio_table_nodes(a, c) : 1;
        same =
            memcmp(actio_table_data(a, c), actio_table_data(b, c), nodes * actio_table_rows(a) * sizeof(double)) == 0;
    }
    return same;
}

static bool same_findings(struct actio_findings *f, struct actio_findings *g)
{
    bool same = actio_findings_count(f) == actio_findings_count(g);
    for (size_t i = 0; same && i < actio_findings_count(f); i++) {
        struct actio_message a = actio_findings_message(f, i), b = actio_findings_message(g, i);
        same = strcmp(a.code, b.code) == 0 && strcmp(a.message, b.message) == 0 && a.line == b.line
               && a.column == b.column;
    }
    return same;
}

static size_t moved; /* motions that there are */

static bool same_motions(struct pair *p)
{
    struct actio_run_options o = rough();
    struct actio_table *a = actio_run(p->ctx, p->set, &o, p->f), *b = actio_run(p->ctx, p->read, &o, p->g);
    bool same = equal_tables(a, b) && same_findings(p->f, p->g);
    moved += a != NULL;
    actio_table_free(a);
    actio_table_free(b);
    return same;
}

static bool same_claims(const struct actio_model *a, const struct actio_model *b)
{
    bool same = a->claims == b->claims;
    for (size_t i = 0; same && i < a->claims; i++)
        same = a->claim[i].at == b->claim[i].at && a->claim[i].value == b->claim[i].value
               && a->claim[i].bound == b->claim[i].bound;
    return same;
}

static bool same_numbers(const struct actio_model *a, const struct actio_model *b)
{
    double t[4];
    bool same = a->params == b->params && actio_model_time(a, &t[0], &t[1]) == actio_model_time(b, &t[2], &t[3])
                && memcmp(&t[0], &t[2], 2 * sizeof *t) == 0 && same_claims(a, b);
    for (size_t i = 0; same && i < a->params; i++) same = a->param[i].value == b->param[i].value;
    for (size_t i = 0; same && i < actio_model_variables(a); i++) {
        double x = actio_model_variable(a, i).start, y = actio_model_variable(b, i).start;
        same = memcmp(&x, &y, sizeof x) == 0;
    }
    return same;
}

/* One param of one model, a little larger. True where the set model and the one that was read agree in all. */
static bool agrees(const char *stem, const char *text, const struct actio_param_info *param, bool run)
{
    char change[128];
    double value = param->value == 0 ? 0.0625 : param->value * 1.0625;
    snprintf(change, sizeof change, "%.60s=%.17g", param->name, value);
    struct pair p = open_pair(text, &(struct actio_change){ ACTIO_CHANGE_PARAM, change });
    int status = actio_model_set_param(p.set, param->name, value, p.f);
    bool good;
    if (param->fixed)
        good = status == ACTIO_WRONG_USAGE && strcmp(actio_findings_message(p.f, 0).code, "PARAM_FIXED") == 0;
    else if (!p.read) good = status == actio_findings_status(p.g) && same_findings(p.f, p.g);
    else good = status == 0 && same_numbers(p.set, p.read) && (!run || same_motions(&p));
    if (!good) printf("    %s: %s\n", stem, change);
    close_pair(&p);
    return good;
}

TEST(a_param_that_is_set_gives_the_bits_of_one_that_is_read)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example), params = 0, fixed = 0, run = 0;
    for (size_t i = 0; i < count; i++) {
        struct pair p = open_pair(example[i].text, NULL);
        for (size_t k = 0; k < actio_model_params(p.set); k++) {
            struct actio_param_info param = actio_model_param(p.set, k);
            bool moves = !param.fixed && (!SANITIZED || ++params % 16 == 0);
            run += moves;
            fixed += param.fixed;
            CHECK(agrees(example[i].stem, example[i].text, &param, moves));
        }
        close_pair(&p);
    }
    CHECK(moved > 9 * run / 10); /* another number may make start data inconsistent */
    CHECK(fixed > 0 && run > (SANITIZED ? 10 : 300));
}

/* ---- one by one */

static const char wall[] =
    "param g = 10, e = 1/2, mu = .25, mus = 2*mu, h = 2, T = 3*h, v = sqrt(h), lot = g*h, b = 1\n"
    "coord x, y\n"
    "lagrangian (x'^2 + y'^2)/2 - g*y\n"
    "contact floor: y >= 0, restitution = e, friction = mu, stick = mus\n"
    "start y = h, x' = v\n"
    "time 0 .. T\n"
    "expect y at 0 = h within 1e-6*b\n";

TEST(what_a_model_has_is_listed)
{
    struct pair p = open_pair(wall, NULL);
    double t0, t1;
    CHECK(actio_model_params(p.set) == 9 && actio_model_variables(p.set) == 4);
    CHECK(strcmp(actio_model_param(p.set, 6).name, "v") == 0 && actio_model_param(p.set, 6).derived);
    CHECK(!actio_model_param(p.set, 0).derived && actio_model_param(p.set, 0).value == 10);
    CHECK(strcmp(actio_model_variable(p.set, 2).name, "x_dot") == 0 && actio_model_variable(p.set, 2).given);
    CHECK(strcmp(actio_model_variable(p.set, 2).role, "velocities") == 0);
    CHECK(actio_model_variable(p.set, 2).start == sqrt(2) && !actio_model_variable(p.set, 3).given);
    CHECK(actio_model_time(p.set, &t0, &t1) && t0 == 0 && t1 == 6);
    CHECK(strstr(actio_model_text(p.set), "param g = 10"));
    CHECK(actio_model_set_param(p.set, "g", 9.5, p.f) == 0 && strstr(actio_model_text(p.set), "param g = 9.5"));
    CHECK(*actio_model_param(p.set, 9).name == 0 && isnan(actio_model_variable(p.set, 4).start));
    close_pair(&p);
}

TEST(held_values_are_listed_behind_the_state)
{
    struct pair p = open_pair(
        "param a = 3\ncoord x\nheld u, n [m]\nlagrangian x'^2/2\nevery 1: u = u + 1\nstart n = 2*a\ntime 0 .. 1\n",
        NULL);
    CHECK(actio_model_helds(p.set) == 2 && actio_model_variables(p.set) == 2);
    CHECK(strcmp(actio_model_held(p.set, 0).name, "u") == 0 && !actio_model_held(p.set, 0).given);
    CHECK(actio_model_held(p.set, 0).start == 0 && actio_model_held(p.set, 1).start == 6);
    CHECK(strcmp(actio_model_held(p.set, 1).unit, "m") == 0 && actio_model_held(p.set, 1).given);
    CHECK(strcmp(actio_model_held(p.set, 1).role, "held values") == 0 && *actio_model_held(p.set, 2).name == 0);
    close_pair(&p);
}

/* Numbers that do not fit: the finding is the reader's, and the model is as before. */
TEST(a_number_that_does_not_fit_changes_nothing)
{
    static const struct {
        const char *name, *code;
        double value;
    } bad[] = { { "e", "RESTITUTION_RANGE", 1.5 }, { "e", "RESTITUTION_RANGE", -1 },
                { "mu", "FRICTION_NEGATIVE", -1 }, { "mus", "STICK_BELOW_FRICTION", .125 },
                { "T", "TIME_EMPTY", 0 },          { "h", "VALUE_NOT_FINITE", -1 },
                { "g", "VALUE_NOT_FINITE", NAN },  { "gg", "NOT_A_PARAM", 1 },
                { "b", "CLAIM_BOUND", 0 } };
    char change[64], before[2000];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(change, sizeof change, "%s=%.17g", bad[i].name, bad[i].value);
        bool spoken = !isnan(bad[i].value);
        struct pair p = open_pair(wall, spoken ? &(struct actio_change){ ACTIO_CHANGE_PARAM, change } : NULL);
        snprintf(before, sizeof before, "%s", actio_model_text(p.set));
        int status = actio_model_set_param(p.set, bad[i].name, bad[i].value, p.f);
        bool said = false;
        for (size_t k = 0; k < actio_findings_count(p.f); k++)
            said |= strcmp(actio_findings_message(p.f, k).code, bad[i].code) == 0;
        CHECK(said && status != 0 && status == actio_findings_status(p.f));
        if (spoken && strcmp(bad[i].code, "NOT_A_PARAM") != 0) CHECK(!p.read && same_findings(p.f, p.g));
        CHECK(strcmp(before, actio_model_text(p.set)) == 0 && p.set->time.t1 == 6 && p.set->param[7].value == 20);
        if (!said) printf("    %s: %s\n", change, actio_findings_message(p.f, 0).message);
        close_pair(&p);
    }
}

TEST(a_number_set_and_set_back_leaves_no_trace)
{
    struct pair p = open_pair(wall, &(struct actio_change){ ACTIO_CHANGE_PARAM, "g=10" });
    struct actio_run_options o = rough();
    for (int i = 0; i < 3; i++) {
        CHECK(actio_model_set_param(p.set, "g", 9 + i, p.f) == 0);
        actio_table_free(actio_run(p.ctx, p.set, &o, p.f));
    }
    CHECK(actio_model_set_param(p.set, "g", 10, p.f) == 0 && same_numbers(p.set, p.read) && same_motions(&p));
    close_pair(&p);
}

TEST(initial_values_and_times_are_those_of_the_options)
{
    static const struct {
        enum actio_change_kind kind;
        const char *text, *name;
        double x, y;
    } given[] = { { ACTIO_CHANGE_START, "y=1.5", "y", 1.5, 0 },
                  { ACTIO_CHANGE_START, "y'=-1.5", "y'", -1.5, 0 },
                  { ACTIO_CHANGE_START, "x_dot=.5", "x_dot", .5, 0 },
                  { ACTIO_CHANGE_TIME, "1..2.5", NULL, 1, 2.5 },
                  { ACTIO_CHANGE_TIME, "1..-2.5", NULL, 1, -2.5 } };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct pair p = open_pair(wall, &(struct actio_change){ given[i].kind, given[i].text });
        CHECK((given[i].name ? actio_model_set_start(p.set, given[i].name, given[i].x, p.f)
                             : actio_model_set_time(p.set, given[i].x, given[i].y, p.f))
              == 0);
        CHECK(same_numbers(p.set, p.read) && same_motions(&p));
        close_pair(&p);
    }
    struct pair p = open_pair(wall, NULL);
    CHECK(actio_model_set_start(p.set, "z", 1, p.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_model_set_start(p.set, "x", INFINITY, p.f) == ACTIO_WRONG_MODEL);
    CHECK(actio_model_set_time(p.set, 1, 1, p.f) == ACTIO_WRONG_MODEL);
    CHECK(actio_model_set_time(p.set, 0, NAN, p.f) == ACTIO_WRONG_MODEL && p.set->time.t1 == 6);
    CHECK(strcmp(actio_findings_message(p.f, 0).code, "NOT_A_START") == 0);
    close_pair(&p);
}

/* Ends of axes, places on them, conditions: numbers that the reader has looked at, too. */
TEST(fields_and_conditions_follow_their_params)
{
    static const char string[] = "param L = 2, c = L/2, n = 9, k = n + 2, N = 5\nfield y(s) on s = 0 .. L nodes k\n"
                                 "lagrangian integral(s, y'^2/2 - diff(y, s)^2/2)\nforce y(c) = 1\n"
                                 "start y = sin(pi*s/L)\ntime 0 .. N/10\nobserve middle = y(c)\n";
    static const char shot[] =
        "param v = 1, T = 1, at = T/2\ncoord x\nlagrangian x'^2/2\nstart x = 0, x' = v\nfree x'\n"
        "time 0 .. T\nrequire x at at = 3\n";
    struct pair p = open_pair(string, &(struct actio_change){ ACTIO_CHANGE_PARAM, "L=3" });
    CHECK(p.set && p.read && actio_model_set_param(p.set, "L", 3, p.f) == 0);
    CHECK(p.set->field.axis[0].b == 3 && same_numbers(p.set, p.read) && same_motions(&p));
    CHECK(actio_model_param(p.set, 2).fixed && actio_model_param(p.set, 3).fixed && !actio_model_param(p.set, 4).fixed);
    CHECK(actio_model_set_param(p.set, "n", 8, p.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_model_set_param(p.set, "c", 3.5, p.f) == ACTIO_WRONG_MODEL && p.set->param[1].value == 1.5);
    CHECK(actio_model_set_param(p.set, "L", -1, p.f) == ACTIO_WRONG_MODEL && p.set->field.axis[0].b == 3);
    close_pair(&p);
    p = open_pair(shot, &(struct actio_change){ ACTIO_CHANGE_PARAM, "T=2" });
    CHECK(p.set && p.read && actio_model_set_param(p.set, "T", 2, p.f) == 0 && p.set->mixed.require[0].time == 1);
    CHECK(same_motions(&p));
    CHECK(actio_model_set_param(p.set, "at", 3, p.f) == ACTIO_WRONG_MODEL && p.set->mixed.require[0].time == 1);
    close_pair(&p);
}

/* Exponents, conditions and whole numbers inside formulas are not sizes. */
TEST(an_exponent_is_a_number_like_others)
{
    static const char powers[] =
        "param n = 4, m = 2\ncoord x\nlagrangian x'^2/2 - x^n/n - mod(x + 8, m) - if(n > 4, x, x^2)\n"
        "start x = n/4\ntime 0 .. n\n";
    for (int k = 0; k < 2; k++) {
        struct pair p = open_pair(powers, &(struct actio_change){ ACTIO_CHANGE_PARAM, k ? "n=6" : "n=2.5" });
        CHECK(!actio_model_param(p.set, 0).fixed && actio_model_set_param(p.set, "n", k ? 6 : 2.5, p.f) == 0);
        CHECK(same_numbers(p.set, p.read) && same_motions(&p));
        close_pair(&p);
    }
}

TEST(a_family_is_set_as_a_whole_or_by_its_members)
{
    static const char chain[] =
        "param n = 3, m[i = 1 .. n] = i\ncoord x[i = 1 .. n]\n"
        "lagrangian sum(i = 1 .. n, m[i]*x[i]'^2/2 - x[i]^2/2)\nstart x[i = 1 .. n] = i\ntime 0 .. 1\n";
    struct pair p = open_pair(chain, &(struct actio_change){ ACTIO_CHANGE_PARAM, "m[2]=5" });
    CHECK(p.set && p.read && actio_model_set_param(p.set, "m[2]", 5, p.f) == 0);
    CHECK(same_numbers(p.set, p.read) && same_motions(&p));
    close_pair(&p);
    p = open_pair(chain, &(struct actio_change){ ACTIO_CHANGE_PARAM, "m=5" });
    CHECK(p.set && p.read && actio_model_set_param(p.set, "m", 5, p.f) == 0 && same_numbers(p.set, p.read));
    CHECK(actio_model_set_start(p.set, "x[2]", 7, p.f) == 0 && actio_model_set_start(p.set, "x_dot[2]", 7, p.f) == 0);
    CHECK(actio_model_set_param(p.set, "n", 4, p.f) == ACTIO_WRONG_USAGE);
    close_pair(&p);
}

/* ---- events */

TEST(a_table_lists_its_events)
{
    struct pair p =
        open_pair("param e = 1/2\ncoord y\nlagrangian y'^2/2 - 10*y\ncontact floor: y >= 0, restitution = e\n"
                  "event top: y' = 0\nstart y = 5\ntime 0 .. 2.5\n",
                  NULL);
    struct actio_run_options o = actio_run_options_default();
    struct actio_table *t = actio_run(p.ctx, p.set, &o, p.f);
    struct actio_event_info hit = actio_table_event(t, 0), top = actio_table_event(t, 1),
                            again = actio_table_event(t, 2);
    CHECK(actio_table_events(t) >= 3 && actio_table_events(t) == actio_table_info(t).events);
    CHECK(strcmp(hit.kind, "impact") == 0 && strcmp(hit.name, "floor") == 0 && *hit.rule);
    CHECK_NEAR(hit.t, 1, 1e-9); /* from 5 it falls for 1, arrives with 10, leaves with 5, is on top .5 later */
    CHECK_NEAR(hit.value, 15, 1e-8);
    CHECK(strcmp(top.kind, "event") == 0 && strcmp(top.name, "top") == 0);
    CHECK_NEAR(top.t, 1.5, 1e-9);
    CHECK_NEAR(again.t, 2, 1e-9);
    const double *time = actio_table_data(t, 0);
    for (size_t i = 0; i < actio_table_events(t); i++) {
        struct actio_event_info e = actio_table_event(t, i);
        CHECK(e.row < actio_table_rows(t) && time[e.row] >= e.t && (e.row == 0 || time[e.row - 1] < e.t));
    }
    CHECK(isnan(actio_table_event(t, actio_table_events(t)).t) && actio_table_events(NULL) == 0);
    actio_table_free(t);
    close_pair(&p);
}

int main(void)
{
    RUN(what_a_model_has_is_listed);
    RUN(held_values_are_listed_behind_the_state);
    RUN(a_number_that_does_not_fit_changes_nothing);
    RUN(a_number_set_and_set_back_leaves_no_trace);
    RUN(initial_values_and_times_are_those_of_the_options);
    RUN(fields_and_conditions_follow_their_params);
    RUN(an_exponent_is_a_number_like_others);
    RUN(a_family_is_set_as_a_whole_or_by_its_members);
    RUN(a_table_lists_its_events);
    RUN(a_param_that_is_set_gives_the_bits_of_one_that_is_read);
    return DONE();
}
