/* SPDX-License-Identifier: Apache-2.0
 * actio check: does the model make sense? */
#include "cli/cli.h"

static void print_report(const char *word, const struct actio_model *model, const struct actio_verdict_report *r, struct actio_findings *f, bool quiet)
{
    if (!quiet && r->verdict) {
        bool good = r->verdict[0] == 'r' || r->verdict[0] == 'h';               /* regular, redundant, hidden */
        fputs(actio_cli_paint(stdout, 'b'), stdout);
        actio_cli_text(stdout, model ? actio_model_name(model) : word);
        const char *but = good && actio_findings_status(f) ? r->but : NULL;
        printf("%s: %s%s%s%s%s%s\n", actio_cli_paint(stdout, ' '), actio_cli_paint(stdout, good && !but ? 'g' : 'e'), r->verdict, actio_cli_paint(stdout, ' '),
               but ? ", but " : "", but ? but : "", but ? ": see below" : "");
        for (const char *p = r->text; *p;) {
            printf("  ");
            for (; *p && *p != '\n'; p++) putchar(*p);
            putchar('\n');
            if (*p) p++;
        }
    }
    actio_cli_flush();
    actio_cli_findings(f, quiet);
}

static void print_json(const char *word, const struct actio_verdict_report *r, struct actio_findings *f)
{
    printf("{\"model\": ");
    actio_cli_json_string(stdout, word);
    printf(", \"status\": %d", actio_findings_status(f));
    if (r->json) printf(", %s", r->json);
    printf(", ");
    actio_cli_json_messages(stdout, f);
    printf("}\n");
}

static int check_one(const struct actio_cli_arguments *a, const char *word)
{
    struct actio_context *ctx = actio_context_create(&a->limits);
    if (!ctx) return ACTIO_LIMIT_REACHED;
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, word, a->change, a->changes, f);
    struct actio_verdict_report r = { 0 };
    if (model) actio_check_model(ctx, model, a->box, a->boxes, f, &r);
    actio_cli_progress_end();
    if (a->json) print_json(word, &r, f);
    else print_report(word, model, &r, f, a->quiet);
    int status = actio_findings_status(f);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return status;
}

int actio_cli_check(const struct actio_cli_arguments *a)
{
    int status = 0;
    for (size_t i = 0; i < a->models; i++) status = actio_cli_worse(status, check_one(a, a->model[i]));
    return status;
}
