/* SPDX-License-Identifier: Apache-2.0
 * Long chains in lanes: folded and unfolded, and the rates of states that lie in lanes beside those of the whole
 * equations. */
#include "check.h"
#include "solve/segments.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {
    /* hung up, uniform */
    "field x(s), y(s) on s = 0 .. 1 nodes 3\nlagrangian integral(s, (x'^2 + y'^2)/2 - 9.8*y)\n"
    "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\nconstraint topx: x(0) = 0\nconstraint topy: y(0) = 0\n",
    /* free, three dimensions, masses and forces that change along it, drag that needs velocities */
    "param c = .3\nfield x(s), y(s), z(s) on s = 0 .. 2 nodes 3\nlet rho = 1 + s^2\n"
    "lagrangian integral(s, rho*(x'^2 + y'^2 + z'^2)/2 - rho*(1 + s)*z - sin(x)/2)\nforce x = -c*x', y = -c*y'*s, z = "
    "sin(t)\n"
    "constraint link(s): diff(x, s)^2 + diff(y, s)^2 + diff(z, s)^2 = 1\n",
    /* held at its far end, with a step in its masses */
    "field x(s), y(s) on s = 0 .. 1 nodes 3\nlet rho = if(s < .5, 1, 3)\nlagrangian integral(s, rho*((x'^2 + 2*y'^2)/2 "
    "- y))\n"
    "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\nconstraint endx: x(1) = 1\nconstraint endy: y(1) = 0\n",
    /* a length that changes in time */
    "field x(s), y(s) on s = 0 .. 1 nodes 3\nlagrangian integral(s, (x'^2 + y'^2)/2)\nconstraint link(s): diff(x, s)^2 "
    "+ diff(y, s)^2 = (1 + .1*sin(t)*s)^2\n",
};
enum { MODELS = sizeof models / sizeof *models };

struct subject {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_model *model;
    struct actio_system *sys;
    struct actio_motion motion;
};

static void open_subject(struct subject *s, const char *text, size_t nodes)
{
    char change[40];
    snprintf(change, sizeof change, "s.nodes=%zu", nodes);
    const struct actio_override set = { ACTIO_SET_PARAM, change };
    actio_context_init(&s->ctx);
    actio_findings_open(&s->findings, &s->ctx);
    s->ctx.findings = &s->findings;
    s->model = actio_model_read_text(&s->ctx, "chain", text, strlen(text), &set, 1, &s->findings);
    CHECK(s->model != NULL);
    double param[4] = { 0 };
    for (size_t i = 0; i < s->model->params; i++) param[i] = s->model->param[i].value;
    s->sys = actio_system_form(&s->ctx, s->model, actio_form_dalembert);
    CHECK(s->sys && actio_motion_open(&s->motion, &s->ctx, s->sys, param) == 0);
}

static void close_subject(struct subject *s)
{
    actio_motion_close(&s->motion);
    actio_system_free(s->sys);
    actio_model_free(s->model);
    actio_findings_close(&s->findings);
    CHECK(s->ctx.bytes == 0);
}

static uint64_t seed = 7;

static double draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

/* A line that bends slowly, so that tensions are well determined, with any velocities. */
static void any_state(const struct subject *s, size_t nodes, double *y)
{
    size_t fields = s->motion.n / nodes;
    double h = 1 / (double)(nodes - 1), angle = draw();
    for (size_t i = 0; i < nodes; i++, angle += h * draw())
        for (size_t f = 0; f < fields; f++) {
            double along = f == 0 ? cos(angle) : f == 1 ? sin(angle) : 0.3 * sin(3 * angle);
            y[f * nodes + i] = i ? y[f * nodes + i - 1] + h * along : 0;
            y[s->motion.n + f * nodes + i] = draw();
        }
}

/* The largest difference beside the largest number, of the second halves. */
static double apart(size_t n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

static bool in_lanes(size_t nodes, const char *text)
{
    struct subject s;
    open_subject(&s, text, nodes);
    struct actio_ode flow = actio_segments_flow(&s.motion);
    bool folded = flow.fold != NULL;
    double *y = calloc(4 * s.motion.ny + 4 * flow.n + 1, sizeof *y), *dy = y + s.motion.ny, *back = dy + s.motion.ny,
           *other = back + s.motion.ny, *Y = other + s.motion.ny, *dY = Y + flow.n;
    any_state(&s, nodes, y);
    if (folded) {
        CHECK(flow.known == s.motion.ny);
        CHECK(flow.fold(flow.user, 0.4, y, Y) == 0 && flow.unfold(flow.user, 0.4, Y, back) == 0);
        CHECK(memcmp(y, back, s.motion.ny * sizeof *y) == 0);
        CHECK(flow.rhs(flow.user, 0.4, Y, dY) == 0 && flow.unfold(flow.user, 0.4, dY, back) == 0);
        actio_segments_close(&s.motion); /* from here on by the whole matrices */
        struct actio_tension *tension = s.motion.chain.tension;
        s.motion.chain.tension = NULL;
        CHECK(actio_motion_rhs(&s.motion, 0.4, y, dy) == 0);
        s.motion.chain.tension = tension;
        CHECK(actio_motion_rhs(&s.motion, 0.4, y, other) == 0);
        /* the condition of the tensions: nodes^2 */
        CHECK_NEAR(apart(s.motion.ny, back, dy), 0, 1e-15 * (double)(nodes * nodes));
        CHECK_NEAR(apart(s.motion.ny, back, other), 0, 1e-15 * (double)(nodes * nodes));
    }
    free(y);
    close_subject(&s);
    return folded;
}

TEST(rates_in_lanes_are_those_of_the_whole_equations)
{
    static const size_t nodes[] = { 64, 65, 66, 71, 72, 73, 80, 127, 399, 400, 401, 415, 416, 417, 433, 1001 };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (size_t k = 0; k < MODELS; k++) CHECK(in_lanes(nodes[i], models[k]));
}

TEST(short_chains_and_other_lines_stay_as_they_are)
{
    for (size_t nodes = 3; nodes < 64; nodes += 12) CHECK(!in_lanes(nodes, models[0]));
    CHECK(!in_lanes(200, "field x(s) on s = 0 .. 1 nodes 3\nlagrangian integral(s, (x'^2 - diff(x, s)^2)/2)\n"));
}

/* Where a node is no number the flow says so, and places that are no nodes stay at rest. */
TEST(what_is_no_number_is_reported)
{
    struct subject s;
    open_subject(&s, models[1], 401);
    struct actio_ode flow = actio_segments_flow(&s.motion);
    double *y = calloc(s.motion.ny + 2 * flow.n, sizeof *y), *Y = y + s.motion.ny, *dY = Y + flow.n;
    any_state(&s, 401, y);
    flow.fold(flow.user, 0, y, Y);
    CHECK(flow.rhs(flow.user, 0, Y, dY) == 0);
    size_t rests = 0;
    for (size_t i = 0; i < flow.n; i++) rests += dY[i] == 0 && Y[i] == 0;
    CHECK(rests >= flow.n - s.motion.ny);
    y[200] = NAN;
    flow.fold(flow.user, 0, y, Y);
    CHECK(flow.rhs(flow.user, 0, Y, dY) != 0);
    free(y);
    close_subject(&s);
}

int main(void)
{
    RUN(rates_in_lanes_are_those_of_the_whole_equations);
    RUN(short_chains_and_other_lines_stay_as_they_are);
    RUN(what_is_no_number_is_reported);
    return DONE();
}
