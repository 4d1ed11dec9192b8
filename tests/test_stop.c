/* SPDX-License-Identifier: Apache-2.0
 * A stop that comes at a certain poll: the clock below counts how often it is read, and raises the signal then. Nothing
 * here depends on seconds. */
#define _XOPEN_SOURCE 700
#include <actio/actio.h>

#include "base/context.h"
#include "check.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_SAYS(cond, ...)                                                                                          \
    do {                                                                                                               \
        if (!(cond)) check_bad = 1, printf(__VA_ARGS__), printf("\n");                                                 \
    } while (0)

static volatile int raised;
static size_t polls, raise_at; /* SIZE_MAX: never */
static double now;

/* After the signal a second passes between two polls: whatever goes on then is overdue. */
static double counting_clock(void)
{
    if (++polls >= raise_at) raised = SIGTERM;
    return now += raised ? 1 : 1e-6;
}

static struct actio_context *open_counting(void)
{
    struct actio_context *ctx = actio_context_create(&(struct actio_limits){ .seconds = 1e9, .cancel = &raised });
    raised = 0;
    polls = 0;
    raise_at = SIZE_MAX;
    now = 1;
    ctx->clock = counting_clock;
    ctx->deadline = 1e9;
    return ctx;
}

struct subject {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
};

static struct subject open_subject(const char *text)
{
    struct subject s = { .ctx = open_counting() };
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, "a.act", text, strlen(text), NULL, 0, s.f);
    CHECK(s.model != NULL);
    return s;
}

static void close_subject(struct subject *s)
{
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

#ifdef ACTIO_NATIVE
/* ---- files */

static const char oscillator[] = "coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 1\n";
static const char string[] = "field u(s) on s = 0 .. 1 nodes 65\nlagrangian integral(s, u'^2/2 - diff(u, "
                             "s)^2/2)\nstart u = s*(1 - s)\ntime 0 .. 1\n";

typedef int (*writing)(struct actio_context *ctx, const struct actio_table *table, const char *path,
                       struct actio_findings *f);
static int plot(struct actio_context *ctx, const struct actio_table *table, const char *path, struct actio_findings *f)
{
    return actio_table_plot(ctx, table, NULL, path, f);
}
static int animate(struct actio_context *ctx, const struct actio_table *table, const char *path,
                   struct actio_findings *f)
{
    return actio_table_animate(ctx, table, NULL, path, f);
}

static char folder[] = "/tmp/actio-stop-XXXXXX";

/* Interrupted at its first poll, and at one in the middle. */
static void interrupted_writing(const char *text, size_t points, const char *name, writing write)
{
    struct subject s = open_subject(text);
    struct actio_run_options options = actio_run_options_default();
    options.points = points;
    options.no_compile = true;
    options.local = 1e-6;
    struct actio_table *table = actio_run(s.ctx, s.model, &options, s.f);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(table && actio_can_write(path, write != actio_table_write));
    polls = 0;
    CHECK(write(s.ctx, table, path, s.f) == 0 && access(path, F_OK) == 0);
    size_t most = polls;
    remove(path);
    for (size_t part = 0; part < 2 && most; part++) {
        polls = 0;
        raise_at = 1 + part * most / 2;
        raised = 0;
        s.ctx->cancel_seen = 0;
        int status = write(s.ctx, table, path, s.f);
        CHECK_SAYS((status == 143 || status == 0) && (access(path, F_OK) == 0) == (status == 0),
                   "%s, stopped at poll %zu of %zu: %d", name, raise_at, most, status);
        if (status == 143) CHECK(actio_findings_status(s.f) == 143);
        remove(path);
    }
    CHECK_SAYS(most > 0, "%s: no poll", name);
    actio_table_free(table);
    close_subject(&s);
}

TEST(a_signal_while_a_file_is_written_exits_143_and_leaves_no_file)
{
    CHECK(mkdtemp(folder) != NULL);
    interrupted_writing(oscillator, 60000, "x.csv", actio_table_write);
    interrupted_writing(oscillator, 60000, "x.json", actio_table_write);
    interrupted_writing(oscillator, 60000, "x.npz", actio_table_write);
    interrupted_writing(oscillator, 60000, "x.svg", plot);
    interrupted_writing(string, 200, "y.svg", animate);
    rmdir(folder);
}

#endif

/* ---- what is claimed */

TEST(a_run_that_was_stopped_before_it_was_compared_claims_nothing)
{
    struct subject s = open_subject("coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 1000\n");
    struct actio_run_options options = actio_run_options_default();
    options.no_compile = true;
    options.points = 2001;
    polls = 0;
    actio_table_free(actio_run(s.ctx, s.model, &options, s.f));
    size_t most = polls;
    for (size_t part = 1; part < 8; part++) { /* in the first of at least two runs, in the last, between */
        polls = 0;
        raise_at = part * most / 8;
        raised = 0;
        s.ctx->cancel_seen = 0;
        struct actio_table *table = actio_run(s.ctx, s.model, &options, s.f);
        double held = table ? actio_table_info(table).holds_until : 0;
        for (size_t i = 0; table && i < actio_table_rows(table); i++) {
            double t = actio_table_data(table, 0)[i], x = actio_table_data(table, 1)[i],
                   error = actio_table_error(table, 1);
            CHECK_SAYS(isnan(error) || fabs(x - cos(t)) <= error, "stopped at %zu of %zu: x is off by %g, reported %g",
                       raise_at, most, fabs(x - cos(t)), error);
            CHECK_SAYS(t > held || fabs(x - cos(t)) <= 1e-9,
                       "stopped at %zu of %zu: the accuracy is reported to hold until %g", raise_at, most, held);
        }
        actio_table_free(table);
    }
    close_subject(&s);
}

int main(void)
{
#ifdef ACTIO_NATIVE
    RUN(a_signal_while_a_file_is_written_exits_143_and_leaves_no_file);
#endif
    RUN(a_run_that_was_stopped_before_it_was_compared_claims_nothing);
    return DONE();
}
