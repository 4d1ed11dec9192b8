/* SPDX-License-Identifier: Apache-2.0
 * Several threads at once, each with a context of its own and another model: the results are those of one thread. Built
 * with the thread sanitizer, which reports every access that is not ordered. */
#include <actio/actio.h>

#include "check.h"

#include <pthread.h>

enum { THREADS = 6, NUMBERS = 64 };

struct job {
    const char *stem, *time;
    double end[NUMBERS]; /* of the run, of the integrator, of the flow */
    size_t count;
    int status;
    bool judged;
};

static const struct job jobs[THREADS] = {
    { .stem = "disk", .time = "0..0.2" },        { .stem = "kepler", .time = "0..0.2", .judged = true },
    { .stem = "bouncing-ball", .time = "0..1" }, { .stem = "pendulum-cartesian", .time = "0..0.2" },
    { .stem = "lorenz", .time = "0..0.1" },      { .stem = "duffing", .time = "0..0.1" },
};

static void keep(struct job *j, double x)
{
    if (j->count < NUMBERS) j->end[j->count++] = x;
}

static void run(struct job *j, struct actio_context *ctx, struct actio_model *model, struct actio_findings *f)
{
    struct actio_run_options o = actio_run_options_default();
    o.local = 1e-5;
    o.points = 3;
    o.no_compile = true;
    struct actio_table *table = actio_run(ctx, model, &o, f);
    for (size_t c = 0; c < actio_table_columns(table) && c < 8; c++)
        if (!actio_table_nodes(table, c)) keep(j, actio_table_data(table, c)[actio_table_rows(table) - 1]);
    keep(j, (double)strlen(actio_table_json(table)) > 2);
    actio_table_free(table);
    struct actio_integrator *i = actio_integrator_create(ctx, model, &o, f);
    j->status |= i ? actio_integrator_to(i, .05, f) : 1;
    double y[256] = { 0 };
    size_t n = actio_integrator_state(i, NULL);
    if (n <= 256) actio_integrator_state(i, y);
    for (size_t k = 0; k < n && k < 4; k++) keep(j, y[k]);
    actio_integrator_free(i);
}

static void look(struct job *j, struct actio_context *ctx, struct actio_model *model, struct actio_findings *f)
{
    double y[256] = { 0 }, dy[256] = { 0 };
    struct actio_flow *flow = actio_flow_create(ctx, model, NULL, f);
    size_t n = actio_flow_size(flow);
    if (n && n <= 256) {
        double t = actio_flow_start(flow, y);
        j->status |= actio_flow_rhs(flow, t, y, dy);
        for (size_t k = 0; k < n && k < 4; k++) keep(j, dy[k]);
        if (actio_flow_differentiable(flow)) j->status |= actio_flow_jvp(flow, t, y, dy, dy);
        keep(j, dy[n - 1]);
    }
    actio_flow_free(flow);
    struct actio_verdict_report report;
    if (j->judged) j->status |= actio_check_model(ctx, model, NULL, 0, f, &report);
    struct actio_derivation *d = actio_derive(ctx, model, NULL, "text", f);
    keep(j, (double)strlen(actio_derivation_text(d)));
    actio_derivation_free(d);
}

static void *work(void *user)
{
    struct job *j = user;
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_change change = { ACTIO_CHANGE_TIME, j->time };
    struct actio_model *model = actio_model_read(ctx, j->stem, &change, 1, f);
    j->status |= model ? 0 : 1;
    if (model) {
        run(j, ctx, model, f);
        look(j, ctx, model, f);
    }
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return NULL;
}

TEST(threads_with_contexts_of_their_own_do_not_meet)
{
    struct job one[THREADS], many[THREADS];
    pthread_t thread[THREADS];
    memcpy(many, jobs, sizeof many); /* the first call of the process is made by all of them */
    for (size_t k = 0; k < THREADS; k++) CHECK(pthread_create(&thread[k], NULL, work, &many[k]) == 0);
    for (size_t k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
    memcpy(one, jobs, sizeof one);
    for (size_t k = 0; k < THREADS; k++) {
        work(&one[k]);
        CHECK(one[k].status == 0 && one[k].count > 8 && one[k].count == many[k].count && many[k].status == 0);
        CHECK(memcmp(one[k].end, many[k].end, one[k].count * sizeof(double)) == 0);
    }
}

int main(void)
{
    RUN(threads_with_contexts_of_their_own_do_not_meet);
    return DONE();
}
