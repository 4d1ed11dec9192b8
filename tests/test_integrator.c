/* SPDX-License-Identifier: Apache-2.0
 * A motion step by step: saved and restored it goes on bit for bit; cut anywhere it is as accurate as a run; what
 * happens at a seam happens once. */
#include <actio/actio.h>

#include "check.h"
#include "subject.h"

struct steps {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_integrator *i;
    size_t n;
    double t0, t1, *y;
};

static struct steps open_steps(const char *file, const char *text, const char *by, double local)
{
    struct steps s = { .ctx = actio_context_create(NULL), .t1 = 1 };
    struct actio_run_options o = actio_run_options_default();
    o.by = by ? by : o.by;
    o.local = local;
    o.no_compile = true;
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, file, text, strlen(text), NULL, 0, s.f);
    s.i = s.model ? actio_integrator_create(s.ctx, s.model, &o, s.f) : NULL;
    s.n = actio_integrator_state(s.i, NULL);
    s.y = numbers(s.n);
    actio_integrator_state(s.i, s.y);
    if (s.model) actio_model_time(s.model, &s.t0, &s.t1);
    return s;
}

static void close_steps(struct steps *s)
{
    free(s->y);
    actio_integrator_free(s->i);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

static bool said(struct steps *s, const char *code)
{
    for (size_t k = 0; k < actio_findings_count(s->f); k++)
        if (strcmp(actio_findings_message(s->f, k).code, code) == 0) return true;
    return false;
}

static const char *text_of(const char *stem)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t k = 0; k < count; k++)
        if (strcmp(example[k].stem, stem) == 0) return example[k].text;
    return "";
}

/* ---- saved and restored */

enum { CUTS = 7 };

static double random_share(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static void make_cuts(const struct steps *s, double share, uint64_t *seed, double *cut)
{
    for (size_t k = 0; k < CUTS; k++) cut[k] = random_share(seed);
    for (size_t k = 0; k < CUTS; k++) /* a few: in order by exchanges */
        for (size_t j = k + 1; j < CUTS; j++)
            if (cut[j] < cut[k]) {
                double x = cut[k];
                cut[k] = cut[j];
                cut[j] = x;
            }
    for (size_t k = 0; k < CUTS; k++) cut[k] = s->t0 + (s->t1 - s->t0) * share * cut[k];
}

/* On with a new context, a new model and a new integrator. */
static bool change_horses(struct steps *s, const char *stem, const char *text, const char *by, double local)
{
    size_t size = actio_integrator_save(s->i, NULL, 0);
    unsigned char *bytes = malloc(size + 1);
    bool good = bytes && actio_integrator_save(s->i, bytes, size) == size;
    struct steps next = open_steps(stem, text, by, local);
    good = good && next.i && actio_integrator_restore(next.i, bytes, size, next.f) == 0;
    good = good && actio_integrator_time(next.i) == actio_integrator_time(s->i);
    close_steps(s);
    *s = next;
    free(bytes);
    return good;
}

static size_t continued, events_seen;

static bool same_events(const struct actio_table *a, const struct actio_table *b)
{
    bool same = actio_table_events(a) == actio_table_events(b);
    for (size_t k = 0; same && k < actio_table_events(a); k++) {
        struct actio_event_info x = actio_table_event(a, k), y = actio_table_event(b, k);
        same = x.t == y.t && strcmp(x.kind, y.kind) == 0 && strcmp(x.name, y.name) == 0;
    }
    events_seen += actio_table_events(a);
    return same;
}

static bool goes_on(const char *stem, const char *text, const char *by, double share)
{
    uint64_t seed = 1;
    double local = 1e-6, cut[CUTS];
    for (const char *p = stem; *p; p++) seed = seed * 31 + (unsigned char)*p;
    struct steps a = open_steps(stem, text, by, local), b = open_steps(stem, text, by, local);
    bool good = (a.i != NULL) == (b.i != NULL);
    size_t k = 0;
    if (a.i && b.i) make_cuts(&a, share, &seed, cut);
    for (; a.i && b.i && good && k < CUTS; k++) {
        int x = actio_integrator_to(a.i, cut[k], a.f), y = actio_integrator_to(b.i, cut[k], b.f);
        actio_integrator_state(a.i, a.y);
        actio_integrator_state(b.i, b.y);
        good = x == y && memcmp(a.y, b.y, a.n * sizeof *a.y) == 0
               && same_events(actio_integrator_events(a.i), actio_integrator_events(b.i));
        if (x) break;
        if (good) good = change_horses(&b, stem, text, by, local);
    }
    continued += a.i && k == CUTS;
    if (!good) printf("    %s by %s: other bits after cut %zu\n", stem, by ? by : "dalembert", k);
    close_steps(&a);
    close_steps(&b);
    return good;
}

TEST(every_model_goes_on_bit_for_bit_where_it_was_saved)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t k = 0; k < count; k++)
        if (!SANITIZED || k % 8 == 3) CHECK(goes_on(example[k].stem, example[k].text, NULL, 1. / 4));
    if (!SANITIZED) printf("    %zu continued, %zu events\n", continued, events_seen);
    CHECK(SANITIZED || (continued > 110 && events_seen > 50));
}

TEST(laws_with_frames_of_their_own_go_on_too)
{
    static const char *const by[] = { "gauss",    "maggi",    "hamel",   "appell",
                                      "jourdain", "hamilton", "reduced", "vakonomic" };
    static const char *const stems[] = { "disk", "coin", "snakeboard", "sleigh", "coin-vakonomic" };
    size_t before = continued;
    for (size_t k = 0; k < 8; k++)
        for (size_t j = 0; j < 5; j++)
            if (!SANITIZED || j == 0) CHECK(goes_on(stems[j], text_of(stems[j]), by[k], 1. / 8));
    CHECK(continued - before > (SANITIZED ? 3 : 20));
}

/* ---- accuracy */

/* The end of a run at a fine tolerance, by the names of the state. */
static bool fine_end(struct steps *s, double *y)
{
    struct actio_run_options o = actio_run_options_default();
    o.tol = 1e-11;
    o.points = 2;
    o.no_compile = true;
    struct actio_table *table = actio_run(s->ctx, s->model, &o, s->f);
    struct actio_flow *names = actio_flow_create(s->ctx, s->model, NULL, s->f);
    bool whole = table && actio_table_rows(table) == 2;
    for (size_t k = 0; whole && k < s->n; k++) {
        size_t column, node;
        const char *name = names ? actio_flow_name(names, k) : actio_model_variable(s->model, k).name;
        whole = actio_table_cell(table, name, &column, &node);
        size_t nodes = whole ? actio_table_nodes(table, column) : 0;
        if (whole) y[k] = actio_table_data(table, column)[nodes ? nodes + node : 1];
    }
    actio_flow_free(names);
    actio_table_free(table);
    return whole;
}

static double off_after(const char *stem, size_t pieces, double local, const double *end)
{
    struct steps s = open_steps(stem, text_of(stem), NULL, local);
    double off = 0;
    for (size_t k = 1; k <= pieces && off == 0; k++)
        if (actio_integrator_to(s.i, k == pieces ? s.t1 : s.t0 + (s.t1 - s.t0) * (double)k / (double)pieces, s.f))
            off = NAN;
    actio_integrator_state(s.i, s.y);
    for (size_t k = 0; k < s.n; k++) off = fmax(off, fabs(s.y[k] - end[k]) / fmax(1, fabs(end[k])));
    close_steps(&s);
    return off;
}

/* Errors of a motion of S steps grow like S times the local tolerance and with the motion itself; 37 pieces have some
 * dozens of steps more. Belts and blocks stick, slide, and come to rest on the way. */
TEST(a_motion_in_pieces_is_as_accurate_as_one_in_one_piece)
{
    static const char *const stems[] = {
        "disk",        "kepler",        "duffing",   "four-bar",        "pendulum-tension", "bricard",
        "belt",        "bouncing-ball", "incline",   "cradle",          "friction-block",   "bilinear-oscillator",
        "moving-wall", "block-sticks",  "bead-wire", "vibrating-string"
    };
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        struct steps s = open_steps(stems[k], text_of(stems[k]), NULL, 1e-9);
        double *end = numbers(s.n);
        bool known = fine_end(&s, end);
        CHECK(known);
        if (known) {
            double one = off_after(stems[k], 1, 1e-9, end), many = off_after(stems[k], 37, 1e-9, end);
            bool good = one < 1e-5 && many <= 10 * one + 1e-8;
            if (!good) printf("    %s: one piece %.1e, many %.1e\n", stems[k], one, many);
            CHECK(good);
        }
        free(end);
        close_steps(&s);
    }
}

/* ---- seams */

/* x = cos(t): the event x = 0 at pi/2 is seen once, though a piece ends within rounding of it, or at it. */
TEST(an_event_at_a_seam_is_seen_once)
{
    static const char text[] = "coord x\nlagrangian x'^2/2 - x^2/2\nevent zero: x = 0\nstart x = 1\ntime 0 .. 10\n";
    const double pi = 3.14159265358979323846;
    for (int k = -3; k <= 3; k++) {
        struct steps s = open_steps("a.act", text, NULL, 1e-10);
        size_t count = 0;
        double at = pi / 2 + k * 1e-13;
        CHECK(actio_integrator_to(s.i, at, s.f) == 0);
        count += actio_table_events(actio_integrator_events(s.i));
        CHECK(actio_integrator_to(s.i, 4, s.f) == 0);
        count += actio_table_events(actio_integrator_events(s.i));
        CHECK(count == 1);
        CHECK(actio_integrator_to(s.i, 6, s.f) == 0 && actio_table_events(actio_integrator_events(s.i)) == 1);
        CHECK_NEAR(actio_table_event(actio_integrator_events(s.i), 0).t, 3 * pi / 2, 1e-7);
        close_steps(&s);
    }
}

/* It falls from 5 under g = 10: floor at 1, top at 1.5, floor at 2; half of the speed is left each time. */
TEST(impacts_happen_on_the_way)
{
    static const char text[] = "coord y\nlagrangian y'^2/2 - 10*y\ncontact floor: y >= 0, restitution = 1/2\n"
                               "start y = 5\ntime 0 .. 4\n";
    struct steps s = open_steps("a.act", text, NULL, 1e-9);
    double y[2];
    CHECK(actio_integrator_events(s.i) == NULL && actio_integrator_to(s.i, .5, s.f) == 0);
    CHECK(actio_table_events(actio_integrator_events(s.i)) == 0);
    CHECK(actio_integrator_to(s.i, 1.5, s.f) == 0 && actio_integrator_state(s.i, y) == 2);
    CHECK(actio_table_events(actio_integrator_events(s.i)) == 1);
    CHECK_NEAR(actio_table_event(actio_integrator_events(s.i), 0).t, 1, 1e-9);
    CHECK_NEAR(y[0], 1.25, 1e-8);
    CHECK_NEAR(y[1], 0, 1e-8);
    CHECK(actio_integrator_to(s.i, 3.5, s.f) == 0 && actio_integrator_state(s.i, y) == 2);
    CHECK(fabs(y[0]) < 1e-9 && fabs(y[1]) < 1e-9); /* all bounces are over at 3 */
    CHECK(actio_integrator_to(s.i, 3, s.f) == ACTIO_WRONG_MODEL && said(&s, "NO_WAY_BACK"));
    CHECK(actio_integrator_to(s.i, 4, s.f) == 0); /* it stands where it stood */
    close_steps(&s);
}

TEST(a_smooth_motion_goes_back_to_where_it_came_from)
{
    struct steps s = open_steps("a.act", "coord x\nlagrangian x'^2/2 - x^4/4\nstart x = 1\ntime 0 .. 3\n", NULL, 1e-11);
    double y[2];
    CHECK(actio_integrator_to(s.i, 7, s.f) == 0 && actio_integrator_to(s.i, 2, s.f) == 0);
    CHECK(actio_integrator_to(s.i, 0, s.f) == 0 && actio_integrator_time(s.i) == 0);
    actio_integrator_state(s.i, y);
    CHECK_NEAR(y[0], 1, 1e-8); /* some hundred steps of 1e-11 */
    CHECK_NEAR(y[1], 0, 1e-8);
    close_steps(&s);
}

/* ---- other states, wrong bytes, ends */

TEST(a_state_that_breaks_a_constraint_is_refused)
{
    struct steps s = open_steps("a.act", text_of("pendulum-cartesian"), NULL, 1e-9);
    double good[] = { 0, -1, 1, 0 }, bad[] = { 0, -1.5, 1, 0 }, nan[] = { NAN, 0, 0, 0 };
    CHECK(s.n == 4 && actio_integrator_set_state(s.i, 2, good, s.f) == 0 && actio_integrator_time(s.i) == 2);
    CHECK(actio_integrator_set_state(s.i, 3, bad, s.f) == ACTIO_WRONG_USAGE && said(&s, "STATE_BREAKS"));
    CHECK(actio_integrator_set_state(s.i, 3, nan, s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_integrator_to(s.i, NAN, s.f) == ACTIO_WRONG_USAGE && actio_integrator_time(s.i) == 2);
    CHECK(actio_integrator_to(s.i, 2.5, s.f) == 0 && actio_integrator_state(s.i, good) == 4);
    CHECK_NEAR(good[0] * good[0] + good[1] * good[1], 1, 1e-12);
    close_steps(&s);
}

TEST(bytes_that_were_not_saved_here_are_refused)
{
    struct steps s = open_steps("a.act", text_of("kepler"), NULL, 1e-9),
                 other = open_steps("b.act", text_of("disk"), NULL, 1e-9);
    size_t size = actio_integrator_save(s.i, NULL, 0);
    unsigned char *bytes = calloc(size, 1);
    CHECK(size > 0 && actio_integrator_save(s.i, bytes, size - 1) == size && bytes[0] == 0);
    CHECK(actio_integrator_restore(s.i, bytes, size, s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_integrator_save(s.i, bytes, size) == size && actio_integrator_restore(s.i, bytes, size, s.f) == 0);
    CHECK(actio_integrator_restore(s.i, bytes, size - 1, s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_integrator_restore(s.i, bytes, 3, s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_integrator_restore(other.i, bytes, size, other.f) == ACTIO_WRONG_USAGE && said(&other, "NOT_SAVED"));
    bytes[size - 1] ^= 1;
    CHECK(actio_integrator_restore(s.i, bytes, size, s.f) == ACTIO_WRONG_USAGE);
    free(bytes);
    close_steps(&s);
    close_steps(&other);
}

/* x' = x^2 from 1 reaches infinity at t = 1. */
TEST(a_motion_that_ends_stands_where_it_ended)
{
    struct steps s = open_steps("a.act", "state x\nflow x' = x^2\nstart x = 1\ntime 0 .. 2\n", NULL, 1e-9);
    double y[1], one[1] = { 1 };
    CHECK(actio_integrator_to(s.i, .5, s.f) == 0);
    CHECK(actio_integrator_to(s.i, 2, s.f) == ACTIO_NUMERICS_FAILED);
    CHECK(actio_integrator_state(s.i, y) == 1 && actio_integrator_time(s.i) > .99 && actio_integrator_time(s.i) < 1.01);
    CHECK(actio_integrator_to(s.i, 3, s.f) == ACTIO_NUMERICS_FAILED && said(&s, "CANNOT_GO_ON"));
    CHECK(actio_integrator_set_state(s.i, 0, one, s.f) == 0 && actio_integrator_to(s.i, .5, s.f) == 0);
    actio_integrator_state(s.i, y);
    CHECK_NEAR(y[0], 2, 1e-7);
    close_steps(&s);
}

/* x is 1 at t = 1, then goes back twice as fast; the clock counts at 0, 1/4, 1/2 ... */
TEST(instants_happen_on_the_way)
{
    static const char text[] = "coord x\nheld n, k\nlagrangian x'^2/2\nevent e: x = 1\nwhen e: x' = -2*x', n = n + 1\n"
                               "every 1/4: k = k + 1\nstart x' = 1, k = 10\ntime 0 .. 1.5\n";
    static const double cut[][3] = { { 1.5 }, { .25, 1.5 }, { 1, 1.5 }, { .3, 1 - 1e-13, 1.5 } };
    for (size_t j = 0; j < 4; j++) {
        struct steps s = open_steps("a.act", text, NULL, 1e-10);
        double y[2], held[2];
        CHECK(actio_integrator_held(s.i, held) == 2 && held[0] == 0 && held[1] == 10);
        CHECK(strcmp(actio_integrator_held_name(s.i, 1), "k") == 0 && !actio_integrator_held_name(s.i, 2));
        for (size_t k = 0; k < 3 && cut[j][k] > 0; k++) CHECK(actio_integrator_to(s.i, cut[j][k], s.f) == 0);
        actio_integrator_state(s.i, y);
        actio_integrator_held(s.i, held);
        CHECK_NEAR(y[0], 0, 1e-12);
        CHECK_NEAR(y[1], -2, 1e-12);
        CHECK(held[0] == 1 && held[1] == 17);
        CHECK(actio_integrator_to(s.i, 1, s.f) == ACTIO_WRONG_MODEL && said(&s, "INSTANTS_NO_WAY_BACK"));
        close_steps(&s);
    }
}

TEST(stop_ends_a_motion_in_pieces)
{
    struct steps s = open_steps("a.act", text_of("bounce-counter"), NULL, 1e-10);
    double held[4], t;
    size_t saved = actio_integrator_save(s.i, NULL, 0);
    CHECK(saved > 0 && actio_integrator_to(s.i, 1, s.f) == 0 && actio_integrator_time(s.i) == 1);
    CHECK(actio_integrator_to(s.i, s.t1, s.f) == 0);
    t = actio_integrator_time(s.i);
    CHECK(t < s.t1 && actio_integrator_held(s.i, held) > 0);
    CHECK(actio_integrator_to(s.i, s.t1, s.f) == ACTIO_NUMERICS_FAILED && said(&s, "CANNOT_GO_ON"));
    CHECK(actio_integrator_time(s.i) == t);
    close_steps(&s);
}

/* What has come to rest is no event again, whatever rounding leaves of it, and wherever the motion is cut. */
TEST(what_rests_at_zero_is_counted_once)
{
    static const char text[] = "coord x\nheld n\nlagrangian x'^2/2\nforce x = -.5*sign(x')\nevent rest: x' = 0\n"
                               "when rest: n = n + 1\nstart x' = 1\ntime 0 .. 4\n";
    struct steps s = open_steps("a.act", text, NULL, 1e-10);
    double n = 0;
    for (int k = 1; k <= 40; k++) CHECK(actio_integrator_to(s.i, .1 * k, s.f) == 0);
    actio_integrator_held(s.i, &n);
    CHECK(n == 1);
    close_steps(&s);
}

TEST(principles_that_take_no_steps_are_refused)
{
    static const char *const by[] = { "skg", "dual", "discrete" };
    for (size_t k = 0; k < 3; k++) {
        struct steps s = open_steps("a.act", text_of("coin"), by[k], 1e-9);
        CHECK(!s.i && said(&s, "NO_INTEGRATOR"));
        close_steps(&s);
    }
}

int main(void)
{
    RUN(a_motion_in_pieces_is_as_accurate_as_one_in_one_piece);
    RUN(an_event_at_a_seam_is_seen_once);
    RUN(impacts_happen_on_the_way);
    RUN(a_smooth_motion_goes_back_to_where_it_came_from);
    RUN(a_state_that_breaks_a_constraint_is_refused);
    RUN(bytes_that_were_not_saved_here_are_refused);
    RUN(a_motion_that_ends_stands_where_it_ended);
    RUN(instants_happen_on_the_way);
    RUN(stop_ends_a_motion_in_pieces);
    RUN(what_rests_at_zero_is_counted_once);
    RUN(principles_that_take_no_steps_are_refused);
    RUN(every_model_goes_on_bit_for_bit_where_it_was_saved);
    RUN(laws_with_frames_of_their_own_go_on_too);
    return DONE();
}
