/* SPDX-License-Identifier: Apache-2.0
 * actio test: every expect line of the models, each with what came out. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

struct verdict {
    const char *word;
    struct actio_model *model;
    struct actio_findings *f;
    const struct actio_check *check;
    size_t checks, passed, failed, skipped;
    int status;
};

static void print_claim(const struct actio_check *c, size_t widest)
{
    char paint = c->skipped ? 'd' : c->ok ? 'g' : 'e';
    printf("  %s%-6s%s  ", actio_cli_paint(stdout, paint),
           c->skipped ? "skip"
           : c->ok    ? "ok"
                      : "FAILED",
           actio_cli_paint(stdout, ' '));
    actio_cli_text(stdout, c->claim);
    for (size_t i = actio_cli_width(c->claim); i < widest; i++) putchar(' ');
    if (c->computed && strstr(c->claim, " within "))
        printf("  %.15g (off by %.1e)", c->value, fabs(c->value - c->expected));
    else if (c->computed) printf("  %.2e", c->value);
    if (!c->ok && c->why && *c->why) {
        printf("%s", c->computed ? ": " : "  ");
        actio_cli_text(stdout, c->why);
    }
    putchar('\n');
}

/* Of claims that a limit or a signal left open the number is enough. A signal that comes while they are listed ends the
 * list. */
static void print_claims(const struct actio_cli_arguments *a, const struct verdict *v)
{
    size_t widest = 0, open = 0;
    bool before = *a->limits.cancel != 0;
    for (size_t i = 0; i < v->checks; i++) {
        size_t width = actio_cli_width(v->check[i].claim);
        if (width > widest && width <= 60) widest = width;
    }
    for (size_t i = 0; i < v->checks && (before || !*a->limits.cancel); i++) {
        const struct actio_check *c = &v->check[i];
        bool left = v->status >= ACTIO_LIMIT_REACHED && !c->computed && !c->skipped && !c->ok;
        if (left) open++;
        else if (!a->quiet || (!c->ok && !c->skipped)) print_claim(c, widest);
    }
    if (open) printf("  %zu %s not checked\n", open, open == 1 ? "claim was" : "claims were");
}

static void print_verdict(const struct actio_cli_arguments *a, const struct verdict *v)
{
    if (!a->quiet) {
        fputs(actio_cli_paint(stdout, 'b'), stdout);
        actio_cli_text(stdout, v->word);
        printf("%s%s\n", actio_cli_paint(stdout, ' '), v->model && !v->checks && !v->failed ? ": no expect lines" : "");
    }
    print_claims(a, v);
    actio_cli_findings(v->f, a->quiet);
    if (a->quiet) return;
    actio_cli_text(stdout, v->model ? actio_model_name(v->model) : v->word);
    printf(": %zu passed, %zu failed", v->passed, v->failed);
    if (v->skipped) printf(", %zu skipped", v->skipped);
    putchar('\n');
}

static void json_claim(const struct actio_check *c)
{
    printf("{\"claim\": ");
    actio_cli_json_string(stdout, c->claim);
    printf(", \"line\": %u, \"value\": ", (unsigned)c->line);
    actio_cli_json_number(stdout, c->computed ? c->value : (double)NAN);
    printf(", \"expected\": ");
    actio_cli_json_number(stdout, c->expected);
    printf(", \"bound\": ");
    actio_cli_json_number(stdout, c->bound);
    printf(", \"ok\": %s, \"why\": ", c->skipped ? "null" : c->ok ? "true" : "false");
    actio_cli_json_string(stdout, c->why ? c->why : "");
    putchar('}');
}

static void json_verdict(const struct verdict *v)
{
    printf("{\"model\": ");
    actio_cli_json_string(stdout, v->word);
    printf(", \"name\": ");
    actio_cli_json_string(stdout, v->model ? actio_model_name(v->model) : "");
    printf(", \"status\": %d, \"passed\": %zu, \"failed\": %zu, \"skipped\": %zu, \"claims\": [", v->status, v->passed,
           v->failed, v->skipped);
    for (size_t i = 0; i < v->checks; i++) {
        if (i) printf(", ");
        json_claim(&v->check[i]);
    }
    printf("], ");
    actio_cli_json_messages(stdout, v->f);
    printf("}\n");
}

/* A limit that was reached leaves claims open: they are not false for that. */
static bool stopped_short(const struct verdict *v)
{
    for (size_t i = 0; i < v->checks; i++)
        if (v->check[i].computed && !v->check[i].ok) return false;
    return v->status >= ACTIO_LIMIT_REACHED;
}

static int test_model(const struct actio_cli_arguments *a, const char *word, struct verdict *v)
{
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) {
        v->failed = 1;
        return ACTIO_LIMIT_REACHED;
    }
    *v = (struct verdict){ .word = word, .f = f };
    v->model = actio_model_read(ctx, word, a->change, a->changes, f);
    if (v->model) v->check = actio_test(ctx, v->model, &a->run, f, &v->checks);
    actio_cli_progress_end();
    if (!v->check) v->checks = 0;
    for (size_t i = 0; i < v->checks; i++)
        v->check[i].skipped ? v->skipped++ : v->check[i].ok ? v->passed++ : v->failed++;
    v->status = actio_findings_status(f);
    if (v->failed && !stopped_short(v)) v->status = ACTIO_WRONG_MODEL;
    if (v->status && !v->failed) v->failed = 1; /* what could not be tested did not pass */
    if (a->json) json_verdict(v);
    else print_verdict(a, v);
    actio_model_free(v->model);
    return actio_cli_end(ctx, f, v->status);
}

int actio_cli_test(const struct actio_cli_arguments *a)
{
    size_t passed = 0, failed = 0, models = 0;
    int status = 0;
    if (!a->models)
        return actio_cli_usage(a, "run `actio test disk` for a model of the gallery", "`test` needs a model");
    for (; models < a->models && !*a->limits.cancel; models++) {
        struct verdict v = { 0 };
        status = actio_cli_worse(status, test_model(a, a->model[models], &v));
        passed += v.passed;
        failed += v.failed;
    }
    if (*a->limits.cancel) status = actio_cli_worse(status, 128 + *a->limits.cancel);
    if (a->models > 1 && !a->json && !a->quiet)
        printf("\nin %zu models: %zu passed, %zu failed\n", models, passed, failed);
    return status;
}
