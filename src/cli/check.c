/* SPDX-License-Identifier: Apache-2.0
 * actio check: does the model make sense? */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

/* ---- frequencies */

static void print_mode(const struct actio_mode_info *m, bool growth)
{
    printf("    %-20.12g ", m->omega);
    if (isfinite(m->period)) printf("%-20.12g ", m->period);
    else printf("%-20s ", "-");
    if (growth) printf("%-20.12g ", m->growth);
    puts(strcmp(m->kind, "swings") == 0 ? "" : m->kind);
}

static void print_modes(const struct actio_modes *o)
{
    double rounding;
    size_t count = actio_modes_count(o), all = actio_modes_all(o, &rounding);
    bool growth = false, free = false;
    for (size_t i = 0; i < count; i++) {
        struct actio_mode_info m = actio_modes_info(o, i);
        growth = growth || m.growth != 0;
        free = free || (m.growth == 0 && m.omega == 0);
    }
    printf("  small motions about the equilibrium: %zu of %zu\n    %-20s %-20s %s\n", count, all, "omega", "period",
           growth ? "growth" : "");
    for (size_t i = 0; i < count; i++) {
        struct actio_mode_info m = actio_modes_info(o, i);
        print_mode(&m, growth);
    }
    if (free && rounding > 0)
        printf("    free: no restoring force; 0 means below %.1e, the limit of rounding\n", rounding);
}

/* A field's values as a list, a coordinate's as a number. */
static void json_shape(const struct actio_modes *o, size_t i)
{
    size_t entries = actio_modes_entries(o);
    printf(", \"shape\": {");
    for (size_t k = 0, next; k < entries; k = next) {
        for (next = k + 1; next < entries && strcmp(actio_modes_name(o, next), actio_modes_name(o, k)) == 0;) next++;
        printf("%s", k ? ", " : "");
        actio_cli_json_string(stdout, actio_modes_name(o, k));
        printf(next > k + 1 ? ": [" : ": ");
        for (size_t e = k; e < next; e++) {
            printf("%s", e > k ? ", " : "");
            actio_cli_json_number(stdout, actio_modes_shape(o, i, e));
        }
        if (next > k + 1) putchar(']');
    }
    putchar('}');
}

static void json_modes(const struct actio_modes *o)
{
    double rounding;
    size_t count = actio_modes_count(o), all = actio_modes_all(o, &rounding);
    printf(", \"modes\": [");
    for (size_t i = 0; i < count; i++) {
        struct actio_mode_info m = actio_modes_info(o, i);
        printf("%s{\"omega\": ", i ? ", " : "");
        actio_cli_json_number(stdout, m.omega);
        printf(", \"growth\": ");
        actio_cli_json_number(stdout, m.growth);
        printf(", \"period\": ");
        actio_cli_json_number(stdout, m.period);
        printf(", \"kind\": \"%s\"", m.kind);
        if (actio_modes_entries(o)) json_shape(o, i);
        putchar('}');
    }
    printf("], \"modes_all\": %zu, \"modes_rounding\": ", all);
    actio_cli_json_number(stdout, rounding);
}

/* ---- the verdict */

static void print_indented(const char *text)
{
    for (const char *p = text; *p;) {
        printf("  ");
        for (; *p && *p != '\n'; p++) putchar(*p);
        putchar('\n');
        if (*p) p++;
    }
}

/* "disk: regular", or "disk: regular, but units differ: see below" */
static void print_verdict(const char *name, const struct actio_verdict_report *r, int status)
{
    bool good = r->verdict[0] == 'r' || r->verdict[0] == 'h'; /* regular, redundant, hidden */
    const char *but = good && status ? r->but : NULL;
    fputs(actio_cli_paint(stdout, 'b'), stdout);
    actio_cli_text(stdout, name);
    printf("%s: %s%s%s", actio_cli_paint(stdout, ' '), actio_cli_paint(stdout, good && !but ? 'g' : 'e'), r->verdict,
           actio_cli_paint(stdout, ' '));
    if (but) printf(", but %s: see below", but);
    putchar('\n');
}

static void print_report(const char *word, const struct actio_model *model, const struct actio_verdict_report *r,
                         const struct actio_modes *modes, struct actio_findings *f, bool quiet)
{
    if (!quiet && r->verdict) {
        print_verdict(model ? actio_model_name(model) : word, r, actio_findings_status(f));
        print_indented(r->text);
        if (modes) print_modes(modes);
    }
    actio_cli_flush();
    actio_cli_findings(f, quiet);
}

static void print_json(const char *word, const struct actio_verdict_report *r, const struct actio_modes *modes,
                       struct actio_findings *f)
{
    printf("{\"model\": ");
    actio_cli_json_string(stdout, word);
    printf(", \"status\": %d", actio_findings_status(f));
    if (r->json) printf(", %s", r->json);
    if (modes) json_modes(modes);
    printf(", ");
    actio_cli_json_messages(stdout, f);
    printf("}\n");
}

static int check_one(const struct actio_cli_arguments *a, const char *word)
{
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) return ACTIO_LIMIT_REACHED;
    struct actio_model *model = actio_model_read(ctx, word, a->change, a->changes, f);
    struct actio_verdict_report r = { 0 };
    struct actio_modes *modes = NULL;
    if (model) actio_check_model(ctx, model, a->box, a->boxes, f, &r);
    if (model && a->modes && actio_findings_status(f) == 0) modes = actio_modes_find(ctx, model, a->modes, f);
    actio_cli_progress_end();
    if (a->json) print_json(word, &r, modes, f);
    else print_report(word, model, &r, modes, f, a->quiet);
    int status = actio_findings_status(f);
    actio_modes_free(modes);
    actio_model_free(model);
    return actio_cli_end(ctx, f, status);
}

int actio_cli_check(const struct actio_cli_arguments *a)
{
    int status = 0;
    for (size_t i = 0; i < a->models; i++) status = actio_cli_worse(status, check_one(a, a->model[i]));
    return status;
}
