/* SPDX-License-Identifier: Apache-2.0
 * actio orbit: periodic orbits and their stability. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people */

static void print_multiplier(const struct actio_multiplier_info *m)
{
    if (m->im == 0 && m->re != 0 && isfinite(m->re)) printf("%.10g", m->re);
    else if (isfinite(m->re) && (m->re != 0 || m->im != 0)) printf("%.10g %+.10gi", m->re, m->im);
    else printf("exp(%.10g)", m->log_modulus);
    if (m->trivial) printf(" (%s)", m->trivial);
}

/* Of its multipliers: those that are 1 by something known, and those that are 1 without. */
struct ones {
    size_t explained, unexplained;
};

static struct ones count_ones(const struct actio_orbits *o, size_t i, size_t count)
{
    struct ones n = { 0, 0 };
    for (size_t k = 0; k < count; k++) {
        const char *why = actio_orbits_multiplier(o, i, k).trivial;
        if (why && strcmp(why, "not explained") == 0) n.unexplained++;
        else n.explained += why != NULL;
    }
    return n;
}

static void print_unexplained(size_t count, bool more)
{
    if (count == 0) return;
    printf("    %zu%s multiplier%s 1 within %s error: a family of orbits, or a symmetry that was not found\n", count,
           more ? " more" : "", count == 1 ? " is" : "s are", count == 1 ? "its" : "their");
}

static void print_orbit(const struct actio_orbits *o, size_t i)
{
    struct actio_orbit_info r = actio_orbits_info(o, i);
    printf("  period %s%.16g%s", actio_cli_paint(stdout, 'b'), r.period, actio_cli_paint(stdout, ' '));
    if (r.error > 0) printf(" +- %.0e", r.error);
    printf("  residual %.1e", r.residual);
    if (*r.word) printf("  word %s", r.word);
    printf("  %s%s%s\n    at ", actio_cli_paint(stdout, strcmp(r.stability, "unstable") == 0 ? 'w' : 'g'), r.stability,
           actio_cli_paint(stdout, ' '));
    for (size_t k = 0; k < r.components; k++) {
        printf("%s", k ? ", " : "");
        actio_cli_text(stdout, actio_orbits_name(o, k));
        printf(" = %.15g", actio_orbits_point(o, i, k));
    }
    printf("\n    multipliers ");
    for (size_t k = 0; k < r.multipliers; k++) {
        struct actio_multiplier_info m = actio_orbits_multiplier(o, i, k);
        if (k) printf(", ");
        print_multiplier(&m);
    }
    putchar('\n');
    struct ones n = count_ones(o, i, r.multipliers);
    print_unexplained(n.unexplained, n.explained > 0);
}

static void print_levels(const struct actio_orbits *o)
{
    double period, value;
    size_t count = actio_orbits_levels(o, &period);
    for (size_t i = 0; i < count; i++) {
        printf("%s", i ? ", " : "  averaged: ");
        actio_cli_text(stdout, actio_orbits_level(o, i, &value));
        printf(" = %.16g", value);
    }
    if (count) printf(", period %.16g\n", period);
}

/* Points of the branch at which something happens. */
static void print_branch(const struct actio_orbits *o, const char *name)
{
    size_t points = actio_orbits_branch_points(o);
    for (size_t i = 0; i < points; i++) {
        struct actio_branch_info b = actio_orbits_branch_point(o, i);
        if (!*b.mark) continue;
        printf("  ");
        actio_cli_text(stdout, name);
        printf(" = %-14.10g  period %-16.12g  %-9s %s\n", b.param, b.period, b.stability, b.mark);
    }
}

static void print_all(const struct actio_cli_arguments *a, const struct actio_model *model,
                      const struct actio_orbits *o)
{
    size_t count = actio_orbits_count(o);
    fputs(actio_cli_paint(stdout, 'b'), stdout);
    actio_cli_text(stdout, actio_model_name(model));
    printf("%s: %zu periodic orbit%s\n", actio_cli_paint(stdout, ' '), count, count == 1 ? "" : "s");
    print_levels(o);
    print_branch(o, a->orbit.follow);
    for (size_t i = 0; i < count; i++) print_orbit(o, i);
}

/* ---- for programs */

static void json_number(const char *key, double x)
{
    printf("\"%s\": ", key);
    actio_cli_json_number(stdout, x);
    printf(", ");
}

static void json_multipliers(const struct actio_orbits *o, size_t i, size_t count)
{
    printf("\"multipliers\": [");
    for (size_t k = 0; k < count; k++) {
        struct actio_multiplier_info m = actio_orbits_multiplier(o, i, k);
        printf("%s[", k ? ", " : "");
        actio_cli_json_number(stdout, m.re);
        printf(", ");
        actio_cli_json_number(stdout, m.im);
        printf("]");
    }
    printf("], \"log_moduli\": [");
    for (size_t k = 0; k < count; k++) {
        printf("%s", k ? ", " : "");
        actio_cli_json_number(stdout, actio_orbits_multiplier(o, i, k).log_modulus);
    }
    printf("], \"trivial\": [");
    for (size_t k = 0; k < count; k++) {
        const char *why = actio_orbits_multiplier(o, i, k).trivial;
        printf("%s", k ? ", " : "");
        if (why) actio_cli_json_string(stdout, why);
        else printf("null");
    }
    struct ones n = count_ones(o, i, count);
    printf("], \"explained\": %zu, \"unexplained\": %zu", n.explained, n.unexplained);
}

static void json_orbit(const struct actio_orbits *o, size_t i)
{
    struct actio_orbit_info r = actio_orbits_info(o, i);
    putchar('{');
    json_number("period", r.period);
    json_number("error", r.error);
    json_number("residual", r.residual);
    printf("\"point\": {");
    for (size_t k = 0; k < r.components; k++) {
        printf("%s", k ? ", " : "");
        actio_cli_json_string(stdout, actio_orbits_name(o, k));
        printf(": ");
        actio_cli_json_number(stdout, actio_orbits_point(o, i, k));
    }
    printf("}, ");
    json_multipliers(o, i, r.multipliers);
    printf(", \"stability\": \"%s\", \"word\": \"%s\", \"iterations\": %zu, \"nodes\": %zu}", r.stability, r.word,
           r.iterations, r.nodes);
}

static void json_branch(const struct actio_orbits *o, const char *name)
{
    printf("\"follow\": ");
    actio_cli_json_string(stdout, name);
    printf(", \"branch\": [");
    for (size_t i = 0; i < actio_orbits_branch_points(o); i++) {
        struct actio_branch_info b = actio_orbits_branch_point(o, i);
        printf("%s{", i ? ", " : "");
        json_number("value", b.param);
        json_number("period", b.period);
        printf("\"stability\": \"%s\", \"mark\": \"%s\"}", b.stability, b.mark);
    }
    printf("], ");
}

static void json_levels(const struct actio_orbits *o)
{
    double period, value;
    size_t count = actio_orbits_levels(o, &period);
    if (count == 0) return;
    printf("\"average\": {");
    json_number("period", period);
    printf("\"levels\": {");
    for (size_t i = 0; i < count; i++) {
        printf("%s", i ? ", " : "");
        actio_cli_json_string(stdout, actio_orbits_level(o, i, &value));
        printf(": ");
        actio_cli_json_number(stdout, value);
    }
    printf("}}, ");
}

static void json_all(const struct actio_cli_arguments *a, const struct actio_model *model, const struct actio_orbits *o,
                     struct actio_findings *f, int status)
{
    printf("{\"model\": ");
    actio_cli_json_string(stdout, a->model[0]);
    printf(", \"name\": ");
    actio_cli_json_string(stdout, model ? actio_model_name(model) : "");
    printf(", \"status\": %d, \"method\": \"%s\", \"orbits\": [", status, a->orbit.method);
    for (size_t i = 0; o && i < actio_orbits_count(o); i++) {
        if (i) printf(", ");
        json_orbit(o, i);
    }
    printf("], ");
    if (o && actio_orbits_branch_points(o)) json_branch(o, a->orbit.follow);
    if (o) json_levels(o);
    actio_cli_json_messages(stdout, f);
    printf("}\n");
}

/* ---- files: the branch of --follow, or the motion over one period; of several orbits the first */

static int write_files(const struct actio_cli_arguments *a, struct actio_context *ctx, const struct actio_orbits *o,
                       struct actio_findings *f)
{
    const struct actio_table *t = !o                        ? NULL
                                  : actio_orbits_diagram(o) ? actio_orbits_diagram(o)
                                  : actio_orbits_count(o)   ? actio_orbits_table(o, 0)
                                                            : NULL;
    int status = 0;
    for (size_t i = 0; t && i < a->outputs; i++)
        status = actio_cli_worse(status, actio_table_write(ctx, t, a->output[i], f));
    for (size_t i = 0; t && i < a->plots; i++)
        status = actio_cli_worse(status, actio_orbits_plot(ctx, o, a->axes, a->plot[i], f));
    return status;
}

static int orbits_of(const struct actio_cli_arguments *a, struct actio_context *ctx, struct actio_findings *f)
{
    struct actio_orbit_options options = a->orbit;
    options.run = a->run;
    struct actio_model *model = actio_model_read(ctx, a->model[0], a->change, a->changes, f);
    int status = model ? actio_cli_folders(a) : 0;
    if (status) {
        actio_model_free(model);
        return status;
    }
    /* a branch has columns of its own */
    bool drawable = model && (options.follow || actio_cli_drawable(a, ctx, model, f) == 0);
    struct actio_orbits *o = drawable ? actio_orbit_search(ctx, model, &options, f) : NULL;
    actio_cli_progress_end();
    status = actio_cli_worse(write_files(a, ctx, o, f), actio_findings_status(f));
    bool csv = false; /* on standard output: nothing else goes there */
    for (size_t i = 0; i < a->outputs; i++) csv = csv || strcmp(a->output[i], "-") == 0;
    if (a->json) json_all(a, model, o, f, status);
    else if (o && !csv && (actio_orbits_count(o) || actio_orbits_branch_points(o)) && !a->quiet) print_all(a, model, o);
    if (!a->json) actio_cli_findings(f, a->quiet);
    actio_orbits_free(o);
    actio_model_free(model);
    return status;
}

int actio_cli_orbit(const struct actio_cli_arguments *a)
{
    if (a->models != 1)
        return actio_cli_usage(a, a->models ? NULL : "run `actio list` for the built-in models",
                               "`orbit` takes one model; found %s", a->models ? "several" : "none");
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) return ACTIO_LIMIT_REACHED;
    return actio_cli_end(ctx, f, orbits_of(a, ctx, f));
}
