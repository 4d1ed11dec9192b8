/* SPDX-License-Identifier: Apache-2.0
 * One motion by several principles: each with its own error, the largest difference from d'Alembert's, and whether that is theory or numerics. */
#include "run_power.h"

#include <math.h>
#include <string.h>

#define FACTOR 10                                          /* of the error estimates of both: a difference beyond it is none of rounding */

struct actio_comparison {
    struct actio_context *ctx;
    struct actio_arena arena;
    struct actio_compared *row; size_t rows;
    struct actio_table *differences;                       /* over time; NULL when there is nothing to draw */
};

struct comparing {
    struct actio_comparison *c;
    struct actio_model *model;
    const struct actio_run_options *options;
    const char *const *by; size_t count;
    struct actio_findings *f;
    struct actio_table *reference;
    double **curve;                                        /* by row of the comparison: difference over time, or NULL */
};

static bool is_position(const struct actio_column *c) { return c->role == ACTIO_ROLE_COORD || c->role == ACTIO_ROLE_STATE; }

/* Largest |difference| over coordinates and states at each time; returns the largest of all. */
static double contrast(const struct actio_table *a, const struct actio_table *b, double *curve)
{
    size_t rows = a->rows < b->rows ? a->rows : b->rows;
    double largest = 0;
    for (size_t c = 0; c < a->cols; c++) {
        size_t other = actio_table_find(b, a->col[c].name);
        if (!is_position(&a->col[c]) || other >= b->cols) continue;
        for (size_t r = 0; r < rows; r++) {
            double d = fabs(a->data[c][r] - b->data[other][r]);
            if (d > curve[r]) curve[r] = d;
            if (d > largest) largest = d;
        }
    }
    return largest;
}

static double own_error(const struct actio_table *t)
{
    double largest = 0;
    for (size_t c = 0; c < t->cols; c++)
        if (is_position(&t->col[c]) && t->error[c] > largest) largest = t->error[c];
    return largest;
}

static struct actio_power_rows view(const struct actio_table *t, struct actio_arena *arena)
{
    const char **name = actio_arena_array(arena, t->cols + 1, sizeof *name);
    const double **data = actio_arena_array(arena, t->cols + 1, sizeof *data);
    for (size_t c = 0; c < t->cols; c++) name[c] = t->col[c].name, data[c] = t->data[c];
    return (struct actio_power_rows){ t->cols, t->rows, name, data };
}

/* Of all reactions, then of each force that has a name: "none; drag <= 0". */
static const char *power_of(struct comparing *x, const struct actio_table *t)
{
    struct actio_arena *arena = &x->c->arena;
    struct actio_power_rows rows = view(t, arena);
    const char *said = actio_power_of_reactions(&rows, arena);
    for (size_t k = 0; k < x->model->forces; k++) {
        const char *label = x->model->force[k].label, *column = label ? actio_arena_format(arena, "power.%s", label) : NULL;
        size_t c = label ? actio_table_find(t, column) : t->cols;
        if (c >= t->cols) continue;
        const char *word = actio_power_of_column(&rows, column, 10 * t->error[c] + 1e-12);
        said = actio_arena_format(arena, "%s%s%s %s", said, *said ? "; " : "", label, word);
    }
    return said;
}

static const char *kept(struct comparing *x, const char *s) { return actio_arena_text(&x->c->arena, s, strlen(s)); }

/* What went wrong, in the words of the first error. */
static const char *first_error(struct comparing *x, struct actio_findings *own)
{
    for (size_t i = 0; i < actio_findings_count(own); i++) {
        struct actio_message m = actio_findings_message(own, i);
        if (m.kind == ACTIO_SAYS_ERROR) return kept(x, m.message);
    }
    return "there is no motion";
}

static bool inapplicable(struct actio_findings *own)
{
    for (size_t i = 0; i < own->count; i++)
        if (own->item[i].code == ACTIO_F_INAPPLICABLE) return true;
    return false;
}

/* A limit that was reached, or Ctrl-C, is the whole comparison's matter. */
static void pass_on_limits(struct comparing *x, const struct actio_findings *own)
{
    for (size_t i = 0; i < own->count; i++) {
        int status = actio_finding_status(&own->item[i]);
        if (status != ACTIO_LIMIT_REACHED && status != ACTIO_INTERRUPTED) continue;
        actio_find(x->f, own->item[i].code, own->item[i].arg);
        return;
    }
}

/* Agrees, differs by theory, or disagrees. */
static void judge(struct comparing *x, const struct actio_principle *p, struct actio_compared *row)
{
    double bound = FACTOR * (row->error + own_error(x->reference));
    bool same = row->difference <= bound, other_theory = *p->differs;
    row->status = same ? "agrees" : other_theory ? "differs" : "disagrees";
    row->note = !same && other_theory ? p->differs : same && other_theory ? "another theory, and here the same motion" : !same ? "it should be the same motion" : "";
    if (!same && !other_theory) actio_find(x->f, ACTIO_F_DISAGREE, ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_NUMBER(row->difference), ACTIO_NUMBER(bound)));
}

static void compare_one(struct comparing *x, size_t i)
{
    const struct actio_principle *p = actio_principle_named(x->by[i]);
    struct actio_compared *row = &x->c->row[i];
    struct actio_run_options options = *x->options;
    struct actio_findings own;
    *row = (struct actio_compared){ .by = p->name, .status = "failed", .note = "", .power = "", .difference = NAN, .error = NAN, .seconds = NAN };
    options.by = p->name;
    actio_findings_open(&own, x->c->ctx);
    struct actio_table *t = actio_run(x->c->ctx, x->model, &options, &own);
    if (!t || own.errors) row->status = inapplicable(&own) ? "inapplicable" : "failed", row->note = first_error(x, &own);
    if (t) row->seconds = t->seconds, row->error = own_error(t);
    if (t && !own.errors) row->power = power_of(x, t);
    if (t && !own.errors && !x->reference) {
        x->reference = t;
        row->status = "reference", row->difference = 0;
        t = NULL;
    } else if (t && !own.errors) {
        x->curve[i] = actio_arena_array(&x->c->arena, x->reference->rows + 1, sizeof(double));
        row->difference = contrast(x->reference, t, x->curve[i]);
        judge(x, p, row);
    }
    pass_on_limits(x, &own);
    if (i == 0 && !x->reference) actio_find(x->f, ACTIO_F_NO_REFERENCE, ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_TEXT(row->note)));
    actio_table_free(t);
    actio_findings_close(&own);
}

/* The differences over time, as a table that can be written and drawn. */
static void draw_up(struct comparing *x)
{
    const struct actio_table *ref = x->reference;
    struct actio_table *t = actio_table_create(x->c->ctx);
    size_t cols = 1;
    x->c->differences = t;
    for (size_t i = 0; i < x->count; i++) cols += x->curve[i] != NULL;
    t->col = actio_arena_array(&t->arena, cols + 1, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, cols + 1, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, cols + 1, sizeof *t->error);
    t->rows = ref->rows;
    for (size_t i = 0, at = 0; i <= x->count; i++) {
        const double *from = i ? x->curve[i - 1] : ref->data[0];
        if (!from) continue;
        const char *name = i ? actio_arena_format(&t->arena, "difference.%s", x->by[i - 1]) : "t";
        t->col[at] = (struct actio_column){ name, "", i ? "largest difference of a coordinate" : "time", "", i ? ACTIO_ROLE_DIFFERENCE : ACTIO_ROLE_TIME, true };
        t->data[at] = actio_arena_array(&t->arena, t->rows + 1, sizeof(double));
        memcpy(t->data[at], from, t->rows * sizeof(double));
        t->error[at++] = NAN;
    }
    t->cols = cols;
    t->model = actio_arena_text(&t->arena, ref->model, strlen(ref->model));
    t->description = actio_arena_format(&t->arena, "the same motion by several principles, against that by %s", x->by[0]);
    t->file = t->source = t->method = t->tier = "";
    t->by = x->by[0], t->version = actio_version(), t->tol = ref->tol, t->reached = true, t->holds_until = ref->holds_until;
}

static void compare_all(void *user)
{
    struct comparing *x = user;
    x->c->row = actio_arena_array(&x->c->arena, x->count + 1, sizeof *x->c->row);
    x->curve = actio_arena_array(&x->c->arena, x->count + 1, sizeof *x->curve);
    for (size_t i = 0; i < x->count; i++) {
        compare_one(x, i);
        x->c->rows = i + 1;
        if (!x->reference || actio_stopped(x->c->ctx)) break;
    }
    if (x->reference) draw_up(x);
}

struct actio_comparison *actio_compare(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, const char *const *by, size_t count,
                                       struct actio_findings *f)
{
    struct actio_comparison *c = actio_take(ctx, 1, sizeof *c);
    if (!c) return NULL;
    c->ctx = ctx;
    actio_arena_open(&c->arena, ctx);
    struct comparing x = { .c = c, .model = model, .options = options, .by = by, .count = count, .f = f };
    struct actio_findings *outer = ctx->findings;
    ctx->findings = f;
    int bad = actio_attempt(ctx, compare_all, &x);
    ctx->findings = outer;
    actio_table_free(x.reference);
    if (!bad) return c;
    actio_comparison_free(c);
    return NULL;
}

size_t actio_comparison_rows(const struct actio_comparison *c) { return c->rows; }
struct actio_compared actio_comparison_row(const struct actio_comparison *c, size_t i) { return c->row[i]; }
const struct actio_table *actio_comparison_table(const struct actio_comparison *c) { return c->differences; }

void actio_comparison_free(struct actio_comparison *c)
{
    if (!c) return;
    actio_table_free(c->differences);
    actio_arena_close(&c->arena);
    actio_give(c->ctx, c);
}
