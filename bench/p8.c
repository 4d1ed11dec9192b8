/* SPDX-License-Identifier: Apache-2.0
 * P8: from model text to the first right-hand side, in the interpreter: n links on a cart, and the disk. Prints a
 * table. */
#include "api/gallery.h"
#include "model/model.h"
#include "native/native.h"
#include "solve/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ, FORM, PLAN, FIRST, PARTS, ROUNDS = 9 };

/* seconds; sympy: as recorded, to derive and to make a function */
struct problem {
    const char *model;
    int n;
    double bar;
    double sympy;
};

static const struct problem problems[] = {
    { "disk", 0, 1e-3, 0 },       { "nlink", 3, 0, 0.6 + 0.2 },
    { "nlink", 6, 0, 2.3 + 0.9 }, { "nlink", 10, 50e-3, 8.7 + 2.8 },
    { "nlink", 25, 0, 0 },        { "nlink", 50, 2, 0 },
};

struct measurement {
    double part[PARTS], total;
    size_t operations;
    bool eliminated;
};

/* A model of the gallery without its claims, which name the links of n = 10; *length is how much of the text that is.
 * */
static const char *text_of(const char *name, size_t *length)
{
    for (size_t i = 0; i < actio_gallery_count; i++) {
        const struct actio_example *e = &actio_gallery_examples[i];
        if (strcmp(e->stem, name) != 0) continue;
        const char *claims = strstr(e->text, "\nexpect");
        *length = claims ? (size_t)(claims - e->text) + 1 : strlen(e->text);
        return e->text;
    }
    return NULL;
}

static int first_rates(struct actio_motion *motion, struct actio_model *m)
{
    double *y = calloc(2 * motion->ny, sizeof *y);
    if (!y) return 1;
    for (size_t i = 0; i < m->coords; i++) {
        y[i] = actio_model_number(m, m->coord[i].start);
        y[m->coords + i] = actio_model_number(m, m->coord[i].start_dot);
    }
    int bad = actio_motion_begin(motion, 0, y) || actio_motion_rhs(motion, 0, y, y + motion->ny);
    free(y);
    return bad;
}

/* One passage, from nothing. */
static int pass(struct actio_context *ctx, struct actio_findings *f, const struct problem *p, struct measurement *out)
{
    size_t length = 0;
    const char *text = text_of(p->model, &length);
    char value[32];
    struct actio_override set = { ACTIO_SET_PARAM, value };
    struct actio_motion motion = { 0 };
    struct actio_system *sys = NULL;
    double param[64] = { 0 }, t[PARTS + 1];
    snprintf(value, sizeof value, "n=%d", p->n);
    t[0] = actio_native_clock();
    struct actio_model *m = text ? actio_model_read_text(ctx, p->model, text, length, &set, p->n > 0, f) : NULL;
    t[1] = actio_native_clock();
    for (size_t i = 0; m && i < m->params && i < 64; i++) param[i] = m->param[i].value;
    if (m) sys = actio_system_form(ctx, m, actio_form_dalembert);
    t[2] = actio_native_clock();
    int bad = !sys || actio_motion_open(&motion, ctx, sys, param);
    t[3] = actio_native_clock();
    if (!bad) bad = first_rates(&motion, m);
    t[4] = actio_native_clock();
    for (int i = 0; i < PARTS; i++) out->part[i] = t[i + 1] - t[i];
    out->total = t[PARTS] - t[0];
    if (!bad) {
        out->eliminated = sys->solved.symbolic;
        out->operations = actio_kernel_ops(sys->kernel[sys->solved.symbolic ? ACTIO_Q_RHS : ACTIO_Q_MATRIX]);
    }
    actio_motion_close(&motion);
    actio_system_free(sys);
    actio_model_free(m);
    return bad;
}

static int measure(const struct problem *p, struct measurement *out)
{
    struct actio_context ctx;
    struct actio_findings f;
    actio_context_init(&ctx);
    actio_findings_open(&f, &ctx);
    ctx.findings = &f;
    int bad = pass(&ctx, &f, p, out);
    actio_findings_close(&f);
    return bad;
}

static int by_total(const void *a, const void *b)
{
    double x = ((const struct measurement *)a)->total, y = ((const struct measurement *)b)->total;
    return (x > y) - (x < y);
}

static int report(const struct problem *p)
{
    struct measurement m[ROUNDS], *mid = &m[ROUNDS / 2];
    for (int i = 0; i < ROUNDS; i++)
        if (measure(p, &m[i])) {
            printf("| %s | failed | | | | | | | |\n", p->model);
            return 1;
        }
    qsort(m, ROUNDS, sizeof *m, by_total);
    char name[32], bar[64] = "", sympy[32] = "";
    snprintf(name, sizeof name, p->n ? "%s, n = %d" : "%s", p->model, p->n);
    if (p->bar > 0)
        snprintf(bar, sizeof bar, "%.3f of bar %g ms: %s", mid->total / p->bar, p->bar * 1e3,
                 mid->total <= p->bar ? "holds" : "does not hold");
    if (p->sympy > 0) snprintf(sympy, sizeof sympy, "1/%.0f", p->sympy / mid->total);
    printf("| %-13s | %.3f | %.3f | %.3f | %.3f | **%.3f** | %s | %s | %zu operations%s |\n", name,
           mid->part[READ] * 1e3, mid->part[FORM] * 1e3, mid->part[PLAN] * 1e3, mid->part[FIRST] * 1e3,
           mid->total * 1e3, bar, sympy, mid->operations, mid->eliminated ? "" : " of the matrix");
    fflush(stdout);
    return 0;
}

int main(void)
{
    int failed = 0;
    printf("## P8: model text to first right-hand side, without a compiler\n\nMilliseconds, median of %d passages.\n\n",
           ROUNDS);
    printf("| model | read | form | plan | first value | all | bar | to SymPy | a right-hand side "
           "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) failed += report(&problems[i]);
    printf("\nTo SymPy: against figures recorded once for SymPy 1.11 on a machine of this kind (docs/speed.md), not "
           "measured here.\n");
    return failed != 0;
}
