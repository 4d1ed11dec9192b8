/* SPDX-License-Identifier: Apache-2.0
 * The equations of motion as a function: integrated here they give the run's motion; derivatives agree with differences
 * and with numbers of another program; multipliers are those of tables; states come onto the constraints. */
#include <actio/actio.h>

#include "check.h"
#include "subject.h"

struct stage {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_flow *flow;
    size_t n;
    double t0, t1, *y, *z, *v, *way, *a, *b, *c;
};

static struct stage open_stage(const char *file, const char *text, const char *by)
{
    struct stage s = { .ctx = actio_context_create(NULL) };
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, file, text, strlen(text), NULL, 0, s.f);
    s.flow = s.model ? actio_flow_create(s.ctx, s.model, by, s.f) : NULL;
    s.n = actio_flow_size(s.flow);
    double **part[] = { &s.y, &s.z, &s.v, &s.a, &s.b, &s.c, &s.way };
    for (size_t i = 0; i < 7; i++) *part[i] = numbers(s.n + 1);
    s.t0 = actio_flow_start(s.flow, s.y);
    if (s.model) actio_model_time(s.model, NULL, &s.t1);
    return s;
}

static void close_stage(struct stage *s)
{
    double *part[] = { s->y, s->z, s->v, s->a, s->b, s->c, s->way };
    for (size_t i = 0; i < 7; i++) free(part[i]);
    actio_flow_free(s->flow);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double apart(const double *x, const double *y, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* ---- integrated here: Runge and Kutta's steps, projected */

static int runge_kutta(struct stage *s, double t1, size_t steps, double *y)
{
    size_t n = s->n;
    double h = (t1 - s->t0) / (double)steps, *k = numbers(4 * n), *at = numbers(n);
    int bad = 0;
    for (size_t i = 0; i < steps && !bad; i++) {
        double t = s->t0 + (double)i * h;
        for (int stage = 0; stage < 4 && !bad; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : .5;
            for (size_t j = 0; j < n; j++) at[j] = y[j] + share * h * (stage ? k[(size_t)(stage - 1) * n + j] : 0);
            bad = actio_flow_rhs(s->flow, t + share * h, at, k + (size_t)stage * n);
        }
        for (size_t j = 0; j < n; j++) y[j] += h / 6 * (k[j] + 2 * k[n + j] + 2 * k[2 * n + j] + k[3 * n + j]);
    }
    free(k);
    free(at);
    return bad;
}

/* The run's state at the end of a short piece, by the names of the flow. */
static bool run_to(struct stage *s, double t1, double *y)
{
    struct actio_run_options o = actio_run_options_default();
    o.tol = 1e-10;
    o.points = 2;
    o.no_compile = true;
    if (actio_model_set_time(s->model, s->t0, t1, s->f)) return false;
    struct actio_table *table = actio_run(s->ctx, s->model, &o, s->f);
    bool whole = table && actio_table_rows(table) == 2 && actio_table_events(table) == 0;
    for (size_t i = 0; whole && i < s->n; i++) {
        size_t column, node, nodes;
        whole = actio_table_cell(table, actio_flow_name(s->flow, i), &column, &node);
        if (!whole) break;
        nodes = actio_table_nodes(table, column);
        y[i] = nodes ? actio_table_data(table, column)[nodes + node] : actio_table_data(table, column)[1];
    }
    actio_table_free(table);
    return whole;
}

/* Halving the steps shows the error: 15 times less. A few thousandths of the interval, without events. */
static bool integrates(struct stage *s, bool *compared)
{
    enum { STEPS = 32 };
    double t1 = s->t0 + (s->t1 - s->t0) / 256;
    *compared = false;
    memcpy(s->a, s->y, s->n * sizeof *s->y);
    memcpy(s->b, s->y, s->n * sizeof *s->y);
    if (runge_kutta(s, t1, STEPS, s->a) || runge_kutta(s, t1, 2 * STEPS, s->b) || !run_to(s, t1, s->c)) return true;
    *compared = true;
    double size = fmax(1, largest(s->b, s->n)), seen = apart(s->a, s->b, s->n), off = apart(s->b, s->c, s->n);
    /* the run is within 1e-10 of its columns' sizes; what has no order (a switch within) is not compared */
    bool good = off <= seen + 1e-9 * size;
    if (!good) printf("    %s: off by %.2e, steps halved %.2e\n", actio_model_name(s->model), off, seen);
    return good;
}

/* ---- derivatives by differences */

static const double direction[] = { 1, -.5, .75, .25, -1, .625, -.375, .875 };

/* Of order 6: three pairs, steps of h, 2h and 3h. along: on the constraints; v becomes the direction there. */
static int difference(struct stage *s, double t, double h, bool along, double *out)
{
    static const double weight[] = { 3. / 4, -3. / 20, 1. / 60 };
    int bad = 0;
    double *way = numbers(s->n);
    memset(out, 0, s->n * sizeof *out);
    for (int k = 1; k <= 3 && !bad; k++)
        for (int side = -1; side <= 1 && !bad; side += 2) {
            for (size_t i = 0; i < s->n; i++) s->z[i] = s->y[i] + side * k * h * s->v[i];
            bad = along ? actio_flow_project(s->flow, t, s->z) : 0;
            if (!bad) bad = actio_flow_rhs(s->flow, t, s->z, s->c);
            for (size_t i = 0; i < s->n; i++) {
                out[i] += side * weight[k - 1] * s->c[i] / h;
                way[i] += side * weight[k - 1] * s->z[i] / h;
            }
        }
    if (along) memcpy(s->way, way, s->n * sizeof *way);
    free(way);
    return bad;
}

/* Are there constraints that follow from others? */
static bool is_overdetermined(struct stage *s)
{
    bool found = false;
    for (size_t i = 0; i < actio_findings_count(s->f); i++) {
        const char *code = actio_findings_message(s->f, i).code;
        found |= strstr(code, "HIDDEN") || strstr(code, "REDUNDANT");
    }
    return found;
}

/* Two steps show what the difference is good for. */
static bool derives(struct stage *s, bool *compared)
{
    double size = fmax(1, largest(s->y, s->n)), fast;
    *compared = false;
    for (size_t i = 0; i < s->n; i++) s->v[i] = direction[i % 8] * fmax(fabs(s->y[i]), .125);
    if (actio_flow_rhs(s->flow, s->t0, s->y, s->c)) return true;
    fast = fmax(1, largest(s->c, s->n));
    bool along = is_overdetermined(s);
    memcpy(s->way, s->v, s->n * sizeof *s->v);
    if (difference(s, s->t0, 2e-3, along, s->a) || difference(s, s->t0, 1e-3, along, s->b)) return true;
    double seen = apart(s->a, s->b, s->n), scale = fmax(fast, largest(s->b, s->n));
    *compared = seen < 1e-6 * scale; /* else a switch, or a singular point, is near */
    if (!*compared) return true;
    int bad = actio_flow_jvp(s->flow, s->t0, s->y, s->way, s->a);
    double off = apart(s->a, s->b, s->n);
    /* rounding of rates, over h, and in elongations of fields over the distance of nodes */
    bool good = !bad && off <= 2 * seen + 1e-10 * scale * size;
    if (!good)
        printf("    %s: status %d, off by %.2e, seen %.2e, scale %.2e\n", actio_model_name(s->model), bad, off, seen,
               scale);
    return good;
}

static bool has_jacobian(struct stage *s)
{
    size_t n = s->n;
    double *J = numbers(n * n);
    bool good = n > 200 || actio_flow_jacobian(s->flow, s->t0, s->y, J) == 0;
    for (size_t j = 0; n <= 200 && good && j < n; j += 1 + n / 16) {
        memset(s->v, 0, n * sizeof *s->v);
        s->v[j] = 1;
        good = actio_flow_jvp(s->flow, s->t0, s->y, s->v, s->a) == 0;
        for (size_t i = 0; i < n && good; i++) good = fabs(J[i * n + j] - s->a[i]) <= 1e-12 * (1 + fabs(s->a[i]));
    }
    free(J);
    if (!good) printf("    %s: Jacobian\n", actio_model_name(s->model));
    return good;
}

/* The same arguments give the same bits, whatever came between. */
static bool is_function(struct stage *s)
{
    int first = actio_flow_rhs(s->flow, s->t0, s->y, s->a);
    for (size_t i = 0; i < s->n; i++) s->z[i] = s->y[i] + .125 * direction[i % 8];
    actio_flow_rhs(s->flow, s->t0 + 1, s->z, s->b);
    actio_flow_jvp(s->flow, s->t0 + 1, s->z, s->v, s->b);
    actio_flow_project(s->flow, s->t0 + 1, s->z);
    int second = actio_flow_rhs(s->flow, s->t0, s->y, s->b);
    bool good = first == second && (first || memcmp(s->a, s->b, s->n * sizeof *s->a) == 0);
    if (!good) printf("    %s: not a function\n", actio_model_name(s->model));
    return good;
}

static size_t looked_at, integrated, derivable, derived;

static void look_at(const char *stem, const char *text, const char *by)
{
    struct stage s = open_stage(stem, text, by);
    bool compared = false;
    if (s.flow) {
        looked_at++;
        CHECK(is_function(&s));
        double *start = s.y;
        s.y = numbers(s.n);
        /* off the start, which may lie on a switch */
        for (size_t i = 0; i < s.n; i++) s.y[i] = start[i] + .03 * direction[i % 8] * fmax(fabs(start[i]), .125);
        if (actio_flow_project(s.flow, s.t0, s.y)) memcpy(s.y, start, s.n * sizeof *start);
        bool smooth = actio_flow_differentiable(s.flow);
        if (smooth) CHECK(derives(&s, &compared));
        else CHECK(actio_flow_jvp(s.flow, s.t0, s.y, s.v, s.a) == ACTIO_WRONG_USAGE);
        derivable += smooth;
        derived += compared;
        bool plain = actio_flow_rhs(s.flow, s.t0, s.y, s.c) == 0;
        if (plain && compared) CHECK(has_jacobian(&s));
        free(s.y);
        s.y = start;
        if (plain) CHECK(integrates(&s, &compared));
        integrated += plain && compared;
    } else if (s.model && getenv("SHOW")) printf("    %s: %s\n", stem, actio_findings_message(s.f, 0).message);
    close_stage(&s);
}

TEST(every_model_of_the_gallery_has_a_right_hand_side_with_derivatives)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t i = 0; i < count; i++)
        if (!SANITIZED || i % 8 == 0) look_at(example[i].stem, example[i].text, NULL);
    if (SANITIZED) return;
    printf("    %zu flows, %zu integrated, %zu of %zu differentiated\n", looked_at, integrated, derived, derivable);
    CHECK(looked_at > 120 && integrated > 110 && derived > 110 && derivable >= looked_at - 3);
}

/* ---- numbers of another program: mpmath, 50 digits, the equations written by hand */

TEST(rates_and_derivatives_of_a_double_pendulum_are_those_of_mpmath)
{
    static const char pendulum[] =
        "param m1 = 2, m2 = 1, l1 = 1, l2 = 3/2, g = 9.8\ncoord a, b\n"
        "lagrangian (m1 + m2)/2*l1^2*a'^2 + m2/2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b)"
        " + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)\nstart a = .7, b = -.4, a' = 1.25, b' = -.5\ntime 0 .. 1\n";
    static const double f[] = { 1.25, -0.5, -7.74336405888268635, 5.8141141057441135388 },
                        Jv[] = { 0.25, 2, -2.3247795452312708117, -2.1090561308246709285 }, v[] = { 1, -.5, .25, 2 };
    struct stage s = open_stage("a.act", pendulum, "dalembert");
    CHECK(s.n == 4 && strcmp(actio_flow_name(s.flow, 2), "a_dot") == 0 && *actio_flow_name(s.flow, 4) == 0);
    CHECK(actio_flow_rhs(s.flow, 0, s.y, s.a) == 0 && actio_flow_jvp(s.flow, 0, s.y, v, s.b) == 0);
    for (size_t i = 0; i < 4; i++) {
        CHECK_NEAR(s.a[i], f[i], 4e-15 * 8); /* a few roundings of numbers below 8 */
        CHECK_NEAR(s.b[i], Jv[i], 1e-14 * 8);
    }
    close_stage(&s);
}

/* A mass on a circle: lambda = m v.v - m g.q at length 1, whatever the state. */
TEST(multipliers_and_projection_of_a_pendulum_are_those_on_paper)
{
    static const char circle[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 10*y\nconstraint rod: (x^2 + y^2)/2 = 1/2\n"
                                 "start x = .6, y = -.8, x' = 4, y' = 3\ntime 0 .. 1\n";
    struct stage s = open_stage("a.act", circle, NULL);
    double lambda, far[] = { .9, -1.2, 4, 2 };
    CHECK(actio_flow_multipliers(s.flow) == 1 && strcmp(actio_flow_multiplier_name(s.flow, 0), "lambda.rod") == 0);
    CHECK(actio_flow_multiplier_values(s.flow, 0, s.y, &lambda) == 0);
    CHECK_NEAR(lambda, -(25 + 10 * .8), 1e-12); /* q.q'' = -v.v: lambda = -v.v - g.q */
    CHECK(actio_flow_project(s.flow, 0, far) == 0);
    CHECK_NEAR(far[0], .6, 1e-14); /* towards the centre, then along the tangent (.8, .6): (4, 2).t = 4.4 */
    CHECK_NEAR(far[1], -.8, 1e-14);
    CHECK_NEAR(far[2], .8 * 4.4, 1e-13);
    CHECK_NEAR(far[3], .6 * 4.4, 1e-13);
    far[0] = far[1] = 0; /* the centre has no nearest point */
    CHECK(actio_flow_project(s.flow, 0, far) == ACTIO_NUMERICS_FAILED && far[0] == 0);
    far[0] = NAN;
    CHECK(actio_flow_rhs(s.flow, 0, far, s.a) == ACTIO_NUMERICS_FAILED);
    close_stage(&s);
}

/* The table's first row has the multipliers of the start. */
TEST(multipliers_are_those_of_tables)
{
    static const char *const stems[] = { "disk", "four-bar", "hanging-chain", "sleigh-driven", "bricard", "rod-servo" };
    const struct actio_example *example;
    size_t count = actio_gallery(&example), seen = 0;
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < count; i++) {
            if (strcmp(example[i].stem, stems[k]) != 0 || (SANITIZED && k > 1)) continue;
            struct stage s = open_stage(stems[k], example[i].text, NULL);
            double *lambda = numbers(actio_flow_multipliers(s.flow));
            CHECK(actio_flow_multiplier_values(s.flow, s.t0, s.y, lambda) == 0);
            struct actio_run_options o = actio_run_options_default();
            o.points = 2;
            o.local = 1e-6;
            struct actio_table *table = actio_run(s.ctx, s.model, &o, s.f);
            for (size_t j = 0; j < actio_flow_multipliers(s.flow); j++) {
                size_t column, node;
                if (!actio_table_cell(table, actio_flow_multiplier_name(s.flow, j), &column, &node)) continue;
                double x = actio_table_data(table, column)[node];
                seen++;
                CHECK(isnan(lambda[j]) ? isnan(x) || x == 0 : fabs(lambda[j] - x) <= 1e-9 * fmax(1, fabs(x)));
            }
            actio_table_free(table);
            free(lambda);
            close_stage(&s);
        }
    CHECK(seen > (SANITIZED ? 2 : 20));
}

TEST(a_switch_has_the_branch_of_the_state)
{
    struct stage s =
        open_stage("a.act", "coord x\nlagrangian x'^2/2\nforce x = if(x > 0, -4*x, -x)\nstart x = 1\n", NULL);
    double up[] = { 2, 0 }, down[] = { -2, 0 }, v[] = { 1, 0 };
    CHECK(s.t0 == 0 && actio_flow_rhs(s.flow, 0, up, s.a) == 0 && s.a[1] == -8);
    CHECK(actio_flow_rhs(s.flow, 0, down, s.a) == 0 && s.a[1] == 2);
    CHECK(actio_flow_jvp(s.flow, 0, down, v, s.a) == 0 && s.a[1] == -1);
    CHECK(actio_flow_jvp(s.flow, 0, up, v, s.a) == 0 && s.a[1] == -4);
    close_stage(&s);
}

static bool said(struct stage *s, const char *code)
{
    for (size_t i = 0; i < actio_findings_count(s->f); i++)
        if (strcmp(actio_findings_message(s->f, i).code, code) == 0) return true;
    return false;
}

static void check_other(const char *stem, const char *by, bool made, const char *code)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(example[i].stem, stem) != 0) continue;
        struct stage s = open_stage(stem, example[i].text, by);
        CHECK((s.flow != NULL) == made && (!code || said(&s, code)));
        if (s.flow) CHECK(actio_flow_rhs(s.flow, s.t0, s.y, s.a) == 0);
        close_stage(&s);
    }
}

TEST(principles_without_a_right_hand_side_are_refused)
{
    check_other("coin", "skg", false, "NO_FLOW");
    check_other("coin", "dual", false, "NO_FLOW");
    check_other("coin", "discrete", false, "NO_FLOW");
    check_other("coin", "gauss", false, "NO_FLOW");
    check_other("coin", "nonsense", false, "NO_PRINCIPLE");
    check_other("bead-wire", NULL, false, "NO_FLOW");
    check_other("bouncing-ball", NULL, true, "FLOW_IS_FREE");
    check_other("glass", NULL, true, "FLOW_HAS_CORNERS");
    check_other("sampled-cart", NULL, true, "FLOW_HAS_INSTANTS");
    check_other("coin-vakonomic", "vakonomic", true, "OTHER_THEORY");
}

int main(void)
{
    RUN(rates_and_derivatives_of_a_double_pendulum_are_those_of_mpmath);
    RUN(multipliers_and_projection_of_a_pendulum_are_those_on_paper);
    RUN(multipliers_are_those_of_tables);
    RUN(a_switch_has_the_branch_of_the_state);
    RUN(principles_without_a_right_hand_side_are_refused);
    RUN(every_model_of_the_gallery_has_a_right_hand_side_with_derivatives);
    return DONE();
}
