/* SPDX-License-Identifier: Apache-2.0
 * actio compare: the same motion by several principles, and how far apart they are. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

enum { MOST = 32 };

/* Principles to compare: those requested, the first of them the reference; else all there are; of widths the
 * reference, and the library chooses the other. */
static size_t list_principles(const struct actio_cli_arguments *a, const char **by)
{
    size_t count = 0;
    size_t most = a->run.width_count ? 1 : MOST;
    for (; count < a->principles && count < MOST; count++) by[count] = a->principle[count];
    for (size_t i = 0; a->principles == 0 && count < most && actio_principle_name(i); i++)
        by[count++] = actio_principle_name(i);
    return count;
}

static void print_number(double x, int width)
{
    if (isnan(x)) printf("  %*s", width, "");
    else printf("  %*.1e", width, x);
}

static void print_row(const struct actio_compared *r, bool widths)
{
    char paint = strcmp(r->status, "disagrees") == 0 || strcmp(r->status, "failed") == 0 ? 'e'
                 : strcmp(r->status, "agrees") == 0                                      ? 'g'
                                                                                         : ' ';
    printf("  %-10s", r->by);
    if (widths && isnan(r->sigma)) printf("  %-10s", "hard");
    else if (widths) printf("  %-10.4g", r->sigma);
    printf("  %s%-12s%s", actio_cli_paint(stdout, paint), r->status, actio_cli_paint(stdout, ' '));
    print_number(strcmp(r->status, "reference") == 0 ? (double)NAN : r->difference, 10);
    print_number(r->error, 10);
    if (isnan(r->seconds)) printf("  %8s", "");
    else printf("  %8.4f", r->seconds);
    printf("  %-6s", r->power);
    if (*r->note) {
        printf("  ");
        actio_cli_text(stdout, r->note);
    }
    putchar('\n');
}

static void print_table(const struct actio_cli_arguments *a, const char *word, const struct actio_model *model,
                        const struct actio_comparison *c)
{
    bool widths = a->run.width_count > 0;
    fputs(actio_cli_paint(stdout, 'b'), stdout);
    actio_cli_text(stdout, model ? actio_model_name(model) : word);
    printf("%s\n  %-10s", actio_cli_paint(stdout, ' '), "by");
    if (widths) printf("  %-10s", "sigma");
    printf("  %-12s  %10s  %10s  %8s  %s\n", "", "difference", "own error", "seconds", "power of reactions");
    for (size_t i = 0; i < actio_comparison_rows(c); i++) {
        struct actio_compared r = actio_comparison_row(c, i);
        print_row(&r, widths);
    }
}

static void json_table(const char *word, bool widths, const struct actio_model *model, const struct actio_comparison *c,
                       struct actio_findings *f, int status)
{
    printf("{\"model\": ");
    actio_cli_json_string(stdout, word);
    printf(", \"name\": ");
    actio_cli_json_string(stdout, model ? actio_model_name(model) : "");
    printf(", \"status\": %d, \"reference\": ", status);
    actio_cli_json_string(stdout, c && actio_comparison_rows(c) ? actio_comparison_row(c, 0).by : "");
    printf(", \"principles\": [");
    for (size_t i = 0; c && i < actio_comparison_rows(c); i++) {
        struct actio_compared r = actio_comparison_row(c, i);
        printf("%s{\"by\": \"%s\", \"status\": \"%s\", ", i ? ", " : "", r.by, r.status);
        if (widths) {
            printf("\"sigma\": ");
            actio_cli_json_number(stdout, r.sigma);
            printf(", ");
        }
        printf("\"difference\": ");
        actio_cli_json_number(stdout, r.difference);
        printf(", \"error\": ");
        actio_cli_json_number(stdout, r.error);
        printf(", \"seconds\": ");
        actio_cli_json_number(stdout, r.seconds);
        printf(", \"power\": \"%s\", \"note\": ", r.power);
        actio_cli_json_string(stdout, r.note);
        putchar('}');
    }
    printf("], ");
    actio_cli_json_messages(stdout, f);
    printf("}\n");
}

static int write_files(const struct actio_cli_arguments *a, struct actio_context *ctx, const struct actio_comparison *c,
                       struct actio_findings *f)
{
    const struct actio_table *t = c ? actio_comparison_table(c) : NULL;
    int status = 0;
    for (size_t i = 0; t && i < a->outputs; i++)
        status = actio_cli_worse(status, actio_table_write(ctx, t, a->output[i], f));
    for (size_t i = 0; t && i < a->plots; i++)
        status = actio_cli_worse(status, actio_table_plot(ctx, t, NULL, a->plot[i], f));
    for (size_t i = 0; t && i < a->overlays; i++)
        status = actio_cli_worse(status, actio_comparison_overlay(ctx, c, a->axes, a->overlay[i], f));
    return status;
}

static int compare_model(const struct actio_cli_arguments *a, const char *word)
{
    const char *by[MOST];
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) return ACTIO_LIMIT_REACHED;
    struct actio_model *model = actio_model_read(ctx, word, a->change, a->changes, f);
    size_t count = list_principles(a, by);
    struct actio_run_options options = a->run;
    options.curves = a->overlays > 0;
    struct actio_comparison *c =
        model && actio_cli_drawable(a, ctx, model, f) == 0 ? actio_compare(ctx, model, &options, by, count, f) : NULL;
    actio_cli_progress_end();
    int status = actio_cli_worse(write_files(a, ctx, c, f), actio_findings_status(f));
    if (a->json) json_table(word, a->run.width_count > 0, model, c, f, status);
    else if (c && !a->quiet) print_table(a, word, model, c);
    if (!a->json) actio_cli_findings(f, a->quiet);
    actio_comparison_free(c);
    actio_model_free(model);
    return actio_cli_end(ctx, f, status);
}

int actio_cli_compare(const struct actio_cli_arguments *a)
{
    int status = 0;
    if (a->models == 0)
        return actio_cli_usage(a, "run `actio list` for the built-in models",
                               "`compare` takes one or more models; found none");
    if (a->models > 1 && a->outputs + a->plots + a->overlays)
        return actio_cli_usage(a, NULL, "-o, --plot and --overlay take one model; found several");
    if (a->run.width_count && !(a->run.barrier > 0))
        return actio_cli_usage(a, "give --barrier V, an energy",
                               "soft walls need both a width and a height; only widths are given");
    if (a->run.width_count && a->principles > 2)
        return actio_cli_usage(
            a, "write --by dalembert,skg",
            "several widths need two principles: the first for hard walls, the second for soft ones");
    if (actio_cli_folders(a)) return ACTIO_FILE_TROUBLE;
    for (size_t i = 0; i < a->models; i++) status = actio_cli_worse(status, compare_model(a, a->model[i]));
    return status;
}
