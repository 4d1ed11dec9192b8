/* SPDX-License-Identifier: Apache-2.0
 * One motion by several principles: each with its own error, the largest difference from d'Alembert's, and whether that
 * is theory or numerics.
 * Or with soft walls of several widths, against hard ones. */
#include "principle/principles.h"
#include "compare/comparison.h"
#include "check/power.h"
#include "run/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR 10 /* of the error estimates of both: a difference beyond it is not rounding */

struct actio_comparison {
    struct actio_context *ctx;
    struct actio_arena arena;
    struct actio_compared *row;
    size_t rows;
    struct actio_table **table; /* by row: the motion, or NULL */
    size_t tables;
    struct actio_table *differences, *trend; /* over time; of the widths; NULL when there is nothing to draw */
    struct actio_layer *layer;               /* of the picture: the motions there are */
    size_t layers;
    bool soft; /* rows are widths */
};

/* What a row is about; column and layer name it in tables and pictures. */
struct one {
    const struct actio_principle *principle;
    double sigma;
    const char *column, *layer;
};

struct comparing {
    struct actio_comparison *c;
    struct actio_model *model;
    const struct actio_run_options *options;
    const char *const *by;
    size_t principles;
    struct one *one; /* by row */
    size_t count;
    struct actio_findings *f;
    const struct actio_table *reference;
    double **curve; /* by row of the comparison: difference over time, or NULL */
};

static bool is_position(const struct actio_column *c)
{
    return c->role == ACTIO_ROLE_COORD || c->role == ACTIO_ROLE_STATE;
}

/* Largest |difference| over coordinates and states at each time; returns the largest of all. */
static double contrast(const struct actio_table *a, const struct actio_table *b, double *curve)
{
    size_t rows = a->rows < b->rows ? a->rows : b->rows;
    double largest = 0;
    for (size_t c = 0; c < a->cols; c++) {
        size_t other = actio_table_find(b, a->col[c].name);
        size_t width = actio_column_width(&a->col[c]);
        if (!is_position(&a->col[c]) || other >= b->cols || actio_column_width(&b->col[other]) != width) continue;
        for (size_t i = 0; i < rows * width; i++) {
            double d = fabs(a->data[c][i] - b->data[other][i]);
            if (d > curve[i / width]) curve[i / width] = d;
            if (d > largest) largest = d;
        }
    }
    return largest;
}

/* What rounding may do to coordinates and states by other formulas, whatever small error is estimated. */
static double rounding(const struct actio_table *t)
{
    double largest = 0;
    for (size_t c = 0; c < t->cols; c++)
        for (size_t i = 0; is_position(&t->col[c]) && i < t->rows * actio_column_width(&t->col[c]); i++)
            largest = fmax(largest, fabs(t->data[c][i]));
    return 256 * DBL_EPSILON * largest;
}

static double own_error(const struct actio_table *t)
{
    double largest = 0;
    for (size_t c = 0; c < t->cols; c++)
        if (is_position(&t->col[c]) && t->error[c] > largest) largest = t->error[c];
    return t->local_only ? NAN : largest;
}

static struct actio_power_rows view(const struct actio_table *t, const struct actio_model *model,
                                    struct actio_arena *arena)
{
    const char **name = actio_arena_array(arena, t->cols + 1, sizeof *name);
    const double **data = actio_arena_array(arena, t->cols + 1, sizeof *data);
    for (size_t c = 0; c < t->cols; c++) {
        name[c] = t->col[c].nodes ? "" : t->col[c].name;
        data[c] = t->data[c];
    }
    return (struct actio_power_rows){ t->cols, t->rows, name, data, model };
}

/* Reactions along a line are densities or forces on nodes, as their constraint has it: their sum is not known here. */
static bool along_a_line(const struct actio_table *t)
{
    for (size_t c = 0; c < t->cols; c++)
        if (t->col[c].role == ACTIO_ROLE_REACTION && t->col[c].nodes) return true;
    return false;
}

/* Of all reactions, then of each force that has a name: "none; drag <= 0". */
static const char *power_of(struct comparing *x, const struct actio_table *t)
{
    struct actio_arena *arena = &x->c->arena;
    struct actio_power_rows rows = view(t, x->model, arena);
    const char *said = along_a_line(t) ? "" : actio_power_of_reactions(&rows, arena);
    for (size_t k = 0; k < x->model->forces; k++) {
        const char *label = x->model->force[k].label,
                   *column = label ? actio_arena_format(arena, "power.%s", label) : NULL;
        size_t c = label ? actio_table_find(t, column) : t->cols;
        if (c >= t->cols || t->col[c].nodes) continue;
        const char *word = actio_power_of_column(&rows, column, fmax(10 * t->error[c], 0) + 1e-12);
        said = actio_arena_format(arena, "%s%s%s %s", said, *said ? "; " : "", label, word);
    }
    return said;
}

static const char *kept(struct comparing *x, const char *s) { return actio_arena_text(&x->c->arena, s, strlen(s)); }

/* What went wrong, in the words of the first error. */
static const char *first_error(struct comparing *x, struct actio_findings *own)
{
    for (size_t i = 0; i < own->count; i++)
        if (actio_finding_severity(&own->item[i]) == ACTIO_ERROR) return kept(x, own->item[i].message);
    return own->starved ? actio_starved_message : "no motion";
}

static bool inapplicable(struct actio_findings *own)
{
    static const enum actio_code codes[] = { ACTIO_F_INAPPLICABLE, ACTIO_F_RANK_SWITCHES, ACTIO_F_NO_CORNER_RULE,
                                             ACTIO_F_HELD_BETWEEN };
    for (size_t i = 0; i < own->count; i++)
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
            if (own->item[i].code == codes[k]) return true;
    return false;
}

/* A limit that was reached, Ctrl-C, or options that do not fit are the whole comparison's matter. */
static void pass_on(struct comparing *x, const struct actio_findings *own)
{
    for (size_t i = 0; i < own->count; i++) {
        int status = actio_finding_status(&own->item[i]);
        /* said once, of the first width */
        bool no_walls = x->c->soft && own->item[i].code == ACTIO_F_NO_WALLS && x->c->rows == 2;
        if (status != ACTIO_LIMIT_REACHED && status != ACTIO_INTERRUPTED && status != ACTIO_WRONG_USAGE && !no_walls)
            continue;
        actio_report(x->f, own->item[i].code, own->item[i].arg);
        return;
    }
}

static bool has_nodes(const struct actio_principle *p) { return p->on_nodes; }
static bool softens(const struct actio_principle *p) { return p->needs & ACTIO_NEEDS_SOFT; }

/* "64 points, order 4", "4 equal slabs"; NULL where the steps follow the tolerance. */
static const char *grid_text(struct comparing *x, const struct actio_principle *p)
{
    const struct actio_run_options *o = x->options;
    struct actio_arena *arena = &x->c->arena;
    if (!has_nodes(p) || !(o->grid || o->slabs)) return NULL;
    if (o->grid) return actio_arena_format(arena, "%zu points, order %d", o->grid, o->order ? o->order : 4);
    return actio_arena_format(arena, "%zu equal slabs", o->slabs);
}

/* Nothing is claimed of a motion on given nodes, so that nothing follows from its difference; a soft wall is another
 * one. */
static void judge_unclaimed(struct comparing *x, const struct one *one, struct actio_compared *row,
                            struct actio_findings *own)
{
    const char *grid = grid_text(x, one->principle);
    row->status = x->c->soft ? "soft" : "grid";
    if (grid) row->note = actio_arena_format(&x->c->arena, "grid of %s: error not estimated", grid);
    else if (x->reference->local_only) row->note = "the reference is on a grid: error not estimated";
    for (size_t i = 0; i < own->count; i++)
        if (own->item[i].code == ACTIO_F_SOFT_START) {
            row->note =
                actio_arena_format(&x->c->arena, "%s%s%s", row->note, *row->note ? "; " : "", own->item[i].message);
            break;
        }
}

/* Agrees, differs by theory, or disagrees. */
static void compare_judge(struct comparing *x, const struct actio_principle *p, struct actio_compared *row)
{
    double bound = FACTOR * (row->error + own_error(x->reference)) + rounding(x->reference);
    bool same = row->difference <= bound, other_theory = *p->differs;
    row->status = same ? "agrees" : other_theory ? "differs" : "disagrees";
    row->note = !same && other_theory  ? p->differs
                : same && other_theory ? "a different theory, but the same motion here"
                : !same                ? "it should give the same motion"
                                       : "";
    if (!same && !other_theory)
        actio_report(x->f, ACTIO_F_DISAGREE,
                     ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_NUMBER(row->difference), ACTIO_NUMBER(bound)));
}

/* Nodes of time are for principles that have them; walls are soft in rows of a width. */
static struct actio_run_options options_of(const struct comparing *x, const struct one *one)
{
    struct actio_run_options o = actio_principle_options(one->principle, x->options);
    o.widths = NULL;
    o.width_count = 0;
    o.curves = o.curves && (x->c->soft || !x->reference); /* of the motions that are drawn as lines */
    if (!has_nodes(one->principle)) {
        o.grid = o.slabs = o.nodes = 0;
        o.order = 0;
    }
    if (!x->c->soft) return o;
    o.sigma_auto = false;
    o.sigma = isnan(one->sigma) ? 0 : one->sigma;
    if (isnan(one->sigma)) o.barrier = 0;
    return o;
}

/* A motion to the end of the interval: the reference, or measured by it. */
static void compare_take(struct comparing *x, size_t i, struct actio_table *t, struct actio_findings *own)
{
    struct actio_compared *row = &x->c->row[i];
    const struct one *one = &x->one[i];
    x->c->table[i] = t;
    row->power = power_of(x, t);
    if (!x->reference) {
        x->reference = t;
        row->status = "reference";
        row->difference = 0;
        if (grid_text(x, one->principle)) {
            judge_unclaimed(x, one, row, own);
            row->status = "reference";
        }
        return;
    }
    x->curve[i] = actio_arena_array(&x->c->arena, x->reference->rows + 1, sizeof(double));
    row->difference = contrast(x->reference, t, x->curve[i]);
    if (x->c->soft || t->local_only || x->reference->local_only) judge_unclaimed(x, one, row, own);
    else compare_judge(x, one->principle, row);
}

static struct actio_table *run_one(struct comparing *x, const struct actio_run_options *options,
                                   struct actio_findings *own)
{
    struct actio_call call = actio_call_begin(x->c->ctx, own);
    struct actio_table *t = actio_run_inside(x->c->ctx, x->model, options, own);
    actio_call_end(&call, t != NULL, "the motion");
    return t;
}

static void compare_one(struct comparing *x, size_t i)
{
    const struct one *one = &x->one[i];
    struct actio_compared *row = &x->c->row[i];
    struct actio_run_options options = options_of(x, one);
    struct actio_findings own;
    *row = (struct actio_compared){ .by = one->principle->name,
                                    .status = "failed",
                                    .note = "",
                                    .power = "",
                                    .difference = NAN,
                                    .error = NAN,
                                    .seconds = NAN,
                                    .sigma = one->sigma };
    actio_findings_open(&own, x->c->ctx);
    struct actio_table *t = run_one(x, &options, &own);
    if (t) {
        row->seconds = t->seconds;
        row->error = own_error(t);
    }
    if (t && !actio_run_failed(&own)) compare_take(x, i, t, &own);
    else {
        row->status = inapplicable(&own) ? "inapplicable" : "failed";
        row->note = first_error(x, &own);
        actio_table_free(t);
    }
    x->c->rows = i + 1;
    pass_on(x, &own);
    if (i == 0 && !x->reference)
        actio_report(x->f, ACTIO_F_NO_REFERENCE, ACTIO_ARGS(ACTIO_TEXT(row->by), ACTIO_TEXT(row->note)));
    actio_findings_close(&own);
}

/* ---- tables and pictures of it */

static struct actio_table *open_table(struct comparing *x, size_t cols, size_t rows)
{
    const struct actio_table *ref = x->reference;
    struct actio_table *t = actio_table_create(x->c->ctx);
    t->col = actio_arena_array(&t->arena, cols + 1, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, cols + 1, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, cols + 1, sizeof *t->error);
    t->rows = rows;
    t->from.model = actio_arena_text(&t->arena, ref->from.model, strlen(ref->from.model));
    t->from.file = t->from.source = t->from.method = t->from.tier = "";
    t->from.by = x->by[0];
    t->from.version = actio_version();
    t->tol = ref->tol;
    t->reached = true;
    t->holds_until = ref->holds_until;
    return t;
}

static void compare_add_column(struct actio_table *t, const char *name, const char *meaning, enum actio_role role,
                               const double *from)
{
    size_t at = t->cols++;
    t->col[at] = (struct actio_column){ .name = actio_arena_text(&t->arena, name, strlen(name)),
                                        .unit = "",
                                        .meaning = meaning,
                                        .latex = "",
                                        .role = role,
                                        .unique = true };
    t->data[at] = actio_arena_array(&t->arena, t->rows + 1, sizeof(double));
    memcpy(t->data[at], from, t->rows * sizeof(double));
    t->error[at] = NAN;
}

/* The differences over time, as a table that can be written and drawn. */
static void draw_up(struct comparing *x)
{
    struct actio_table *t = x->c->differences = open_table(x, x->count + 1, x->reference->rows);
    compare_add_column(t, "t", "time", ACTIO_ROLE_TIME, x->reference->data[0]);
    for (size_t i = 0; i < x->count; i++)
        if (x->curve[i])
            compare_add_column(t, actio_arena_format(&t->arena, "difference.%s", x->one[i].column),
                               "largest difference of a coordinate", ACTIO_ROLE_DIFFERENCE, x->curve[i]);
    t->from.description =
        x->c->soft
            ? "soft walls of several widths, against hard ones"
            : actio_arena_format(&t->arena, "the same motion by several principles, against that by %s", x->by[0]);
}

/* Distances from hard walls over the width. */
static void draw_trend(struct comparing *x)
{
    double *sigma = actio_arena_array(&x->c->arena, x->count, sizeof *sigma),
           *distance = actio_arena_array(&x->c->arena, x->count, sizeof *distance);
    size_t n = 0;
    for (size_t i = 1; i < x->c->rows; i++)
        if (x->curve[i]) {
            sigma[n] = x->c->row[i].sigma;
            distance[n++] = x->c->row[i].difference;
        }
    if (n < 2) return;
    struct actio_table *t = x->c->trend = open_table(x, 2, n);
    compare_add_column(t, "sigma", "width \xCF\x83 of soft walls", ACTIO_ROLE_TIME, sigma);
    compare_add_column(t, "distance", "largest difference of a coordinate", ACTIO_ROLE_DIFFERENCE, distance);
    t->from.description = "largest distance from hard walls";
}

static void lay_over(struct comparing *x)
{
    struct actio_comparison *c = x->c;
    c->layer = actio_arena_array(&c->arena, x->count + 1, sizeof *c->layer);
    for (size_t i = 0; i < c->rows; i++)
        if (c->table[i]) c->layer[c->layers++] = (struct actio_layer){ c->table[i], x->one[i].layer };
}

struct actio_picture actio_comparison_picture(const struct actio_comparison *c)
{
    bool widths = c->soft && c->layers > 2; /* one width is a motion like any other */
    return (struct actio_picture){
        .layer = c->layer, .layers = c->layers, .look = widths ? ACTIO_LOOK_SHADES : ACTIO_LOOK_DISCS, .trend = c->trend
    };
}

/* ---- what is compared */

static int wider_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* A width as it was likely written: 1/110. */
static const char *width_text(struct actio_arena *arena, double sigma)
{
    double parts = round(1 / sigma);
    return parts > 1 && parts < 1e6 && fabs(1 / sigma - parts) < 1e-9 * parts
               ? actio_arena_format(arena, "1/%.0f", parts)
               : actio_arena_format(arena, "%.4g", sigma);
}

static const char *with_grid(struct comparing *x, const struct actio_principle *p)
{
    const char *grid = grid_text(x, p);
    return grid ? actio_arena_format(&x->c->arena, "%s, %s", p->name, grid) : p->name;
}

static void plan_principles(struct comparing *x)
{
    x->one = actio_arena_array(&x->c->arena, x->principles + 1, sizeof *x->one);
    for (; x->count < x->principles; x->count++) {
        const struct actio_principle *p = actio_principle_named(x->by[x->count]);
        x->one[x->count] = (struct one){ p, NAN, p->name, with_grid(x, p) };
    }
}

/* The first of the table for which a condition holds. */
static const struct actio_principle *first_that(bool (*holds)(const struct actio_principle *))
{
    size_t count, i = 0;
    const struct actio_principle *const *table = actio_principles(&count);
    while (i + 1 < count && !holds(table[i])) i++;
    return table[i];
}

static void plan_widths(struct comparing *x)
{
    struct actio_arena *arena = &x->c->arena;
    size_t n = x->options->width_count;
    double *width = actio_arena_array(arena, n, sizeof *width);
    const struct actio_principle *hard = actio_principle_named(x->by[0]),
                                 *soft = x->principles > 1 ? actio_principle_named(x->by[1]) : first_that(softens);
    memcpy(width, x->options->widths, n * sizeof *width);
    qsort(width, n, sizeof *width, wider_first);
    x->one = actio_arena_array(arena, n + 2, sizeof *x->one);
    x->one[x->count++] = (struct one){ hard, NAN, hard->name, actio_arena_format(arena, "%s, hard walls", hard->name) };
    for (size_t i = 0; i < n; i++) {
        const char *text = actio_arena_format(arena, "\xCF\x83 = %s", width_text(arena, width[i]));
        const char *layer = i ? text : actio_arena_format(arena, "%s, %s", with_grid(x, soft), text);
        x->one[x->count++] = (struct one){ soft, width[i], actio_arena_format(arena, "%.4g", width[i]), layer };
    }
}

/* Options on nodes of time want somebody who has nodes. */
static bool fits(struct comparing *x)
{
    const struct actio_run_options *o = x->options;
    const char *option = o->grid ? "grid" : o->slabs ? "slabs" : o->nodes ? "nodes" : o->order ? "order" : NULL;
    for (size_t i = 0; i < x->count && option; i++)
        if (has_nodes(x->one[i].principle)) option = NULL;
    if (option)
        actio_report(
            x->f, ACTIO_F_NOT_ITS_OPTION,
            ACTIO_ARGS(ACTIO_TEXT(option),
                       ACTIO_TEXT(actio_arena_format(&x->c->arena, "%s in `compare`", first_that(has_nodes)->name)),
                       ACTIO_TEXT(x->by[x->principles - 1])));
    const char **by = actio_arena_array(&x->c->arena, x->count + 1, sizeof *by);
    for (size_t i = 0; i < x->count; i++) by[i] = x->one[i].principle->name;
    return !option && actio_principles_own(by, x->count, o, x->f);
}

static void compare_all(void *user)
{
    struct comparing *x = user;
    x->c->soft = x->options->width_count > 0;
    if (x->c->soft) plan_widths(x);
    else plan_principles(x);
    if (!fits(x)) return;
    x->c->row = actio_arena_array(&x->c->arena, x->count + 1, sizeof *x->c->row);
    x->c->table = actio_arena_array(&x->c->arena, x->count + 1, sizeof *x->c->table);
    x->c->tables = x->count;
    x->curve = actio_arena_array(&x->c->arena, x->count + 1, sizeof *x->curve);
    for (size_t i = 0; i < x->count; i++) {
        compare_one(x, i);
        if (!x->reference || actio_stopped(x->c->ctx)) break;
    }
    if (!x->reference) return;
    draw_up(x);
    if (x->c->soft) draw_trend(x);
    lay_over(x);
}

struct actio_comparison *actio_compare_inside(struct actio_context *ctx, struct actio_model *model,
                                              const struct actio_run_options *options, const char *const *by,
                                              size_t count, struct actio_findings *f)
{
    struct actio_comparison *c = actio_alloc(ctx, 1, sizeof *c);
    if (!c) return NULL;
    c->ctx = ctx;
    actio_arena_open(&c->arena, ctx);
    struct actio_run_options plain = actio_run_options_default();
    struct comparing x = {
        .c = c, .model = model, .options = options ? options : &plain, .by = by, .principles = count, .f = f
    };
    struct actio_findings *outer = ctx->findings;
    ctx->findings = f;
    int bad = actio_attempt(ctx, compare_all, &x);
    ctx->findings = outer;
    if (!bad) return c;
    actio_comparison_free(c);
    return NULL;
}

size_t actio_comparison_rows(const struct actio_comparison *c) { return c ? c->rows : 0; }
struct actio_compared actio_comparison_row(const struct actio_comparison *c, size_t i)
{
    static const struct actio_compared none = {
        .by = "", .status = "", .note = "", .power = "", .difference = NAN, .error = NAN, .seconds = NAN, .sigma = NAN
    };
    return c && i < c->rows ? c->row[i] : none;
}

const struct actio_table *actio_comparison_table(const struct actio_comparison *c) { return c ? c->differences : NULL; }

void actio_comparison_free(struct actio_comparison *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->tables; i++) actio_table_free(c->table[i]);
    actio_table_free(c->differences);
    actio_table_free(c->trend);
    actio_arena_close(&c->arena);
    actio_free(c->ctx, c);
}
