/* SPDX-License-Identifier: Apache-2.0
 * Architecture: nothing recurses on the size of its input. Formulas a million levels deep go from text to motion on a
 * stack of 64 kB. */
#define _XOPEN_SOURCE 700
#include "subject.h"

#include <sys/resource.h>
#include <unistd.h>

/* A sanitized frame takes 100 bytes and more: a tenth of the levels would still overflow its megabyte ten times. */
enum { DEEP = SANITIZED ? 100000 : 1000000 };

static char *repeated(const char *before, const char *piece, const char *middle, const char *other, const char *after,
                      size_t n)
{
    size_t a = strlen(piece), b = strlen(other);
    char *text = malloc(strlen(before) + strlen(middle) + strlen(after) + n * (a + b) + 1), *p = text;
    if (!text) abort();
    p = stpcpy(p, before);
    for (size_t i = 0; i < n; i++) p = stpcpy(p, piece);
    p = stpcpy(p, middle);
    for (size_t i = 0; i < n; i++) p = stpcpy(p, other);
    stpcpy(p, after);
    return text;
}

static char *deep_model(const char *piece, const char *middle, const char *other)
{
    return repeated("coord x\nlagrangian x'^2/2 - 1e-6*(", piece, middle, other,
                    ")\nstart x = 0.75, x' = 0.25\ntime 0 .. 1e-3\n", DEEP);
}

static size_t printed_length(struct subject *s)
{
    struct actio_arena arena;
    struct actio_text t;
    actio_arena_open(&arena, s->ctx);
    actio_text_open(&t, &arena);
    actio_model_print(s->model, &t);
    size_t n = t.length;
    actio_arena_close(&arena);
    return n;
}

/* Read, print, differentiate, plan, evaluate, march a few steps, free: within the budget of nodes and bytes of every
 * run. */
static void travels(const char *what, const char *piece, const char *middle, const char *other)
{
    struct subject s;
    char *text = deep_model(piece, middle, other);
    bool open = open_subject(&s, text, strlen(text), NULL, 0);
    CHECK(open);
    if (!open) show_findings(s.f);
    else {
        CHECK(printed_length(&s) > 0);
        CHECK(actio_motion_open(&s.motion, s.ctx, s.sys, s.param) == 0);
        double dy[2] = { NAN, NAN };
        CHECK(s.motion.ctx && actio_motion_rhs(&s.motion, 0, s.y0, dy) == 0);
        CHECK(dy[0] == 0.25 && isfinite(dy[1]));
        CHECK(s.sys->formation->pool.count < s.ctx->nodes_limit);
        printf("%s: %u nodes read, %u after differentiation, x'' = %.3g\n", what, s.model->pool.count,
               s.sys->formation->pool.count, dy[1]);
    }
    close_subject(&s);
    free(text);
}

TEST(a_million_nested_brackets_move) { travels("brackets", "(", "x", ")"); }
TEST(a_sum_of_a_million_terms_moves) { travels("sum", "x*x + ", "x", ""); }
TEST(right_powers_a_million_deep_move) { travels("powers", "x^", "x", ""); }
TEST(functions_a_million_deep_move) { travels("sines", "sin(", "x", ")"); }

TEST(a_whole_run_of_a_deep_model_needs_no_deep_stack)
{
    char *text = deep_model("sin(", "x", ")");
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "deep.act", text, strlen(text), NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    options.local = 1e-6;
    options.points = 3;
    options.no_compile = true;
    struct actio_table *table = model ? actio_run(ctx, model, &options, f) : NULL;
    if (!table) show_findings(f);
    CHECK(table && actio_table_rows(table) == 3);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
    free(text);
}

/* Whichever stage the budget falls into: reading, forming, differentiating the columns. */
TEST(a_budget_of_nodes_ends_any_stage_with_a_finding)
{
    static const uint32_t budgets[] = { 100, 300, 1000, 3000 };
    const char text[] =
        "coord a[1 .. 12]\nlagrangian sum(i = 1 .. 12, a[i]'^2*(1 + sin(sum(k = 1 .. 12, a[k]*k))^2)/2)\n";
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        struct subject s = { .ctx = actio_context_create(NULL) };
        s.f = actio_findings_create(s.ctx);
        s.ctx->findings = s.f;
        s.ctx->nodes_limit = budgets[i];
        s.model = actio_model_read_string(s.ctx, "a.act", text, strlen(text), NULL, 0, s.f);
        if (s.model) s.sys = actio_system_form(s.ctx, s.model, actio_form_dalembert);
        bool done = s.sys && actio_system_need(s.sys, ACTIO_Q_OUTPUTS) == 0;
        CHECK(done
              || (actio_findings_count(s.f) > 0 && strcmp(actio_findings_message(s.f, 0).code, "TOO_MANY_NODES") == 0));
        CHECK(!done || budgets[i] > 100);
        close_subject(&s);
    }
}

/* The stack is that of the first thread: its limit counts from the next exec on. */
static void shrink_stack(char **argv)
{
    const rlim_t size = (rlim_t)(SANITIZED ? 1024 : 64) << 10;
    struct rlimit limit;
    if (getenv("ACTIO_TEST_SMALL_STACK") || getrlimit(RLIMIT_STACK, &limit)) return;
    limit.rlim_cur = size;
    setenv("ACTIO_TEST_SMALL_STACK", "1", 1);
    if (setrlimit(RLIMIT_STACK, &limit) == 0) execv("/proc/self/exe", argv);
}

TEST(the_stack_is_small)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur <= (rlim_t)1 << 20);
}

int main(int argc, char **argv)
{
    if (argc > 0) shrink_stack(argv);
    RUN(the_stack_is_small);
    RUN(a_million_nested_brackets_move);
    RUN(a_sum_of_a_million_terms_moves);
    RUN(right_powers_a_million_deep_move);
    RUN(functions_a_million_deep_move);
    RUN(a_whole_run_of_a_deep_model_needs_no_deep_stack);
    RUN(a_budget_of_nodes_ends_any_stage_with_a_finding);
    return DONE();
}
