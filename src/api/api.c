/* SPDX-License-Identifier: Apache-2.0
 * The public interface where it is more than a call: contexts, findings, tables of options, tables of results. */
#include <actio/actio.h>

#include "api/entry.h"
#include "model/model.h"
#include "result/table.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#ifdef ACTIO_NATIVE
#include "native/native.h"
#endif

/* ---- contexts */

/* Once in a process, whichever thread comes first; the others wait for the tables to be complete. */
static void register_native(void)
{
#ifdef ACTIO_NATIVE
    static atomic_int registered; /* 0 no, 1 under way, 2 done */
    int none = 0;
    if (atomic_compare_exchange_strong(&registered, &none, 1)) {
        actio_native_register();
        atomic_store(&registered, 2);
    }
    while (atomic_load(&registered) != 2) {}
#endif
}

static void start_clock(struct actio_context *ctx, double seconds)
{
#ifdef ACTIO_NATIVE
    ctx->clock = actio_native_clock;
    ctx->plain_numbers = actio_native_plain_numbers;
    ctx->own_numbers = actio_native_own_numbers;
#endif
    if (ctx->clock && seconds > 0) ctx->deadline = ctx->clock() + seconds;
    if (0.05 * seconds > ctx->grace) ctx->grace = 0.05 * seconds;
}

struct actio_context *actio_context_create(const struct actio_limits *limits)
{
    register_native();
    if (limits && !(limits->seconds >= 0)) return NULL; /* findings do not exist yet */
    struct actio_context plain;
    actio_context_init(&plain);
    struct actio_context *ctx = plain.allocate(plain.allocate_user, NULL, sizeof *ctx);
    if (!ctx) return NULL;
    *ctx = plain;
    if (limits && limits->memory) ctx->bytes_limit = limits->memory;
    if (limits) {
        ctx->cancel = limits->cancel;
        ctx->progress = limits->progress;
        ctx->progress_user = limits->user;
    }
    start_clock(ctx, limits ? limits->seconds : 0);
    return ctx;
}

void actio_context_free(struct actio_context *ctx)
{
    if (ctx) ctx->allocate(ctx->allocate_user, ctx, 0);
}

/* ---- findings */

struct actio_findings *actio_findings_create(struct actio_context *ctx)
{
    struct actio_findings *f = ctx ? ctx->allocate(ctx->allocate_user, NULL, sizeof *f) : NULL;
    if (f) actio_findings_open(f, ctx);
    return f;
}

void actio_findings_free(struct actio_findings *f)
{
    if (!f) return;
    struct actio_context *ctx = f->arena.ctx;
    if (ctx->findings == f) ctx->findings = NULL;
    actio_findings_close(f);
    ctx->allocate(ctx->allocate_user, f, 0);
}

size_t actio_findings_count(const struct actio_findings *f) { return f ? f->count + f->starved : 0; }
size_t actio_findings_dropped(const struct actio_findings *f) { return f ? f->dropped : 0; }
int actio_findings_status(const struct actio_findings *f) { return f ? f->status : ACTIO_DONE; }

struct actio_message actio_findings_message(struct actio_findings *f, size_t i)
{
    static const enum actio_message_kind kinds[] = {
        [ACTIO_NOTE] = ACTIO_SAYS_NOTE, [ACTIO_WARNING] = ACTIO_SAYS_WARNING, [ACTIO_ERROR] = ACTIO_SAYS_ERROR
    };
    if (!f || i > f->count || (i == f->count && !f->starved))
        return (struct actio_message){ .kind = ACTIO_SAYS_NOTE, .code = "", .message = "", .hint = "" };
    if (i == f->count)
        return (struct actio_message){ .kind = ACTIO_SAYS_ERROR,
                                       .status = ACTIO_LIMIT_REACHED,
                                       .code = "OUT_OF_MEMORY",
                                       .message = actio_starved_message,
                                       .hint = actio_starved_hint };
    const struct actio_finding *item = &f->item[i];
    return (struct actio_message){
        .kind = kinds[actio_finding_severity(item)],
        .status = actio_code_exit(f, item->code),
        .code = actio_finding_name(item),
        .file = item->file,
        .line = item->span.line,
        .column = item->span.column,
        .length = item->span.length,
        .quote = item->quote,
        .quote_skipped = item->quote_skipped,
        .message = item->message,
        .hint = item->hint,
    };
}

/* ---- commands */

size_t actio_commands(const struct actio_command_row **rows)
{
    static const struct actio_command_row table[] = {
#define COMMAND(name, synopsis, help) { name, synopsis, help },
#define LATER(name, what) { name, NULL, what },
#include "api/commands.def"
#undef COMMAND
#undef LATER
    };
    if (rows) *rows = table;
    return sizeof table / sizeof *table;
}

size_t actio_language(const struct actio_language_row **rows)
{
    static const struct actio_language_row table[] = {
#define FORM(group, form, help) { group, form, help },
#include "api/language.def"
#undef FORM
    };
    if (rows) *rows = table;
    return sizeof table / sizeof *table;
}

/* ---- tables */

static const struct actio_column *column_of(const struct actio_table *table, size_t i)
{
    return table && i < table->cols ? &table->col[i] : NULL;
}

static const struct actio_column *field_of(const struct actio_table *table, size_t i)
{
    const struct actio_column *c = column_of(table, i);
    return c && c->nodes ? c : NULL;
}

size_t actio_table_rows(const struct actio_table *table) { return table ? table->rows : 0; }
size_t actio_table_columns(const struct actio_table *table) { return table ? table->cols : 0; }

const char *actio_table_name(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = column_of(table, column);
    return c ? c->name : "";
}

const char *actio_table_unit(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = column_of(table, column);
    return c && c->unit ? c->unit : "";
}

const char *actio_table_role(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = column_of(table, column);
    return c ? actio_role_heading(c->role) : "";
}

const double *actio_table_data(const struct actio_table *table, size_t column)
{
    return column_of(table, column) ? table->data[column] : NULL;
}

size_t actio_table_nodes(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = field_of(table, column);
    return c ? c->nodes : 0;
}

const char *actio_table_axis(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = field_of(table, column);
    return c ? c->axis : "";
}

const double *actio_table_places(const struct actio_table *table, size_t column)
{
    const struct actio_column *c = field_of(table, column);
    return c ? c->place : NULL;
}

double actio_table_error(const struct actio_table *table, size_t column)
{
    return column_of(table, column) ? actio_table_error_of(table, column) : (double)NAN;
}

size_t actio_table_events(const struct actio_table *table) { return table ? table->events : 0; }

/* The first row that is not before t, in the direction of the table. */
static size_t row_from(const struct actio_table *table, double t)
{
    size_t low = 0, high = table->rows;
    bool backward = table->rows > 1 && table->data[0][table->rows - 1] < table->data[0][0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        double at = table->data[0][middle];
        if (backward ? at > t : at < t) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct actio_event_info actio_table_event(const struct actio_table *table, size_t i)
{
    if (i >= actio_table_events(table))
        return (struct actio_event_info){
            .t = NAN, .value = NAN, .kind = "", .name = "", .rule = "", .error = NAN, .energy = NAN
        };
    const struct actio_event *e = &table->event[i];
    return (struct actio_event_info){ .t = e->t,
                                      .value = e->value,
                                      .kind = e->kind,
                                      .name = e->name,
                                      .rule = e->rule ? e->rule : "",
                                      .row = row_from(table, e->t),
                                      .error = e->error,
                                      .impulse = e->impulse,
                                      .energy = e->energy,
                                      .line = e->line,
                                      .coordinates = table->coords,
                                      .place = e->place,
                                      .before = e->before,
                                      .after = e->after };
}

size_t actio_table_slopes(const struct actio_table *table) { return table ? table->gradients * table->slopes : 0; }

struct actio_slope_row actio_table_slope(const struct actio_table *table, size_t i)
{
    if (i >= actio_table_slopes(table))
        return (struct actio_slope_row){ .of = "", .by = "", .value = NAN, .derivative = NAN, .error = NAN };
    const struct actio_sensitivity *s = &table->gradient[i / table->slopes];
    const struct actio_slope *slope = &s->slope[i % table->slopes];
    return (struct actio_slope_row){ s->of, slope->by, slope->is_param, s->value, slope->derivative, slope->error };
}

bool actio_table_proof(const struct actio_table *table, struct actio_proof_info *out)
{
    const struct actio_proof *p = table ? table->proof : NULL;
    if (!p || !out) return false;
    *out =
        (struct actio_proof_info){ p->order,    p->proved, p->unknowns,          p->iterations, { 0 },      p->action,
                                   p->gradient, p->minus,  p->minus_multipliers, p->apart,      p->started, { 0 },
                                   { 0 },       p->rate,   p->rate_end };
    for (size_t i = 0; i < 3; i++) {
        out->points[i] = p->row[i].points;
        out->error[i] = p->row[i].error;
        out->end[i] = p->row[i].end;
    }
    return true;
}

bool actio_table_dual(const struct actio_table *table, struct actio_dual_info *out)
{
    const struct actio_dual_numbers *d = table ? table->dual : NULL;
    if (!d || !out) return false;
    *out = (struct actio_dual_info){ d->closure,  d->action, d->hamiltonian, d->drift,  d->least, d->largest,
                                     d->detector, d->slabs,  d->elements,    d->newton, d->degree };
    return true;
}

struct actio_run_info actio_table_info(const struct actio_table *table)
{
    if (!table)
        return (struct actio_run_info){
            .by = "", .method = "", .tier = "", .model = "", .t_end = NAN, .status = ACTIO_WRONG_USAGE
        };
    return (struct actio_run_info){
        .by = table->from.by,
        .method = table->from.method,
        .tier = table->from.tier,
        .model = table->from.model,
        .t_end = table->rows ? table->data[0][table->rows - 1] : (double)NAN,
        .holds_until = table->holds_until,
        .tol = table->tol,
        .local = table->local,
        .energy_drift = table->energy_drift,
        .energy_less_work = table->energy_less_work,
        .work_error = table->work_error,
        .residual = table->residual,
        .worst_error = actio_table_worst_error(table),
        .seconds = table->seconds,
        .steps = table->steps,
        .rhs = table->rhs,
        .rejected = table->rejected,
        .events = table->events,
        .reached = table->reached,
        .local_only = table->local_only,
        .status = table->status,
    };
}

/* Writers build their text in arenas: whatever they throw ends here, as a finding. */
struct writing {
    struct actio_context *ctx;
    const struct actio_table *table;
    const struct actio_picture *picture;
    const struct actio_orbits *orbits;
    const char *axes, *path, *text;
    struct actio_findings *f;
    int failed;
};

static void write_table(void *user)
{
    struct writing *w = user;
    w->failed = actio_result_write(w->ctx, w->table, w->path, w->f);
}

static void write_events(void *user)
{
    struct writing *w = user;
    w->failed = actio_events_write(w->ctx, w->table, w->path, w->f);
}

static void write_plot(void *user)
{
    struct writing *w = user;
    w->failed = actio_plot_write(w->ctx, w->table, w->axes, w->path, w->f);
}

static void write_animation(void *user)
{
    struct writing *w = user;
    w->failed = actio_animation_write(w->ctx, w->table, w->axes, w->path, w->f);
}

static void write_picture(void *user)
{
    struct writing *w = user;
    w->failed = actio_picture_write(w->ctx, w->picture, w->path, w->f);
}

static void write_orbits(void *user)
{
    struct writing *w = user;
    w->failed = actio_orbits_plot_inside(w->ctx, w->orbits, w->axes, w->path, w->f);
}

/* Of a call that failed: by what it said last. That it was stopped may have been said before. */
static int failed_status(const struct actio_context *ctx, const struct actio_findings *f, size_t before, int otherwise)
{
    if (f->count > before) return actio_code_exit(f, f->item[f->count - 1].code);
    if (actio_cancelled(ctx)) return actio_cancel_exit(ctx);
    return actio_stopped(ctx) ? ACTIO_LIMIT_REACHED : otherwise;
}

/* `thing` is what is written, called `name`. */
static int attempt_writing(struct writing *w, void (*stage)(void *), const void *thing, const char *name)
{
    const char *missing = !thing ? name : !w->path ? "path" : NULL;
    if (!w->ctx || !w->f) return ACTIO_WRONG_USAGE;
    struct actio_call call = actio_call_begin(w->ctx, w->f);
    if (missing) {
        actio_report(w->f, ACTIO_F_NOTHING_GIVEN, ACTIO_ARGS(ACTIO_TEXT(missing)));
        actio_call_end(&call, true, "");
        return ACTIO_WRONG_USAGE;
    }
    size_t before = w->f->count;
    bool done = actio_attempt(w->ctx, stage, w) == 0 && !w->failed, starved = w->ctx->refused > 0;
    actio_call_end(&call, done, "writing a file");
    if (done) return ACTIO_DONE;
    if (starved) return ACTIO_LIMIT_REACHED;
    return failed_status(w->ctx, w->f, before, ACTIO_FILE_TROUBLE);
}

int actio_table_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                      struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .table = table, .path = path, .f = f };
    return attempt_writing(&w, write_table, table, "table");
}

int actio_table_write_events(struct actio_context *ctx, const struct actio_table *table, const char *path,
                             struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .table = table, .path = path, .f = f };
    return attempt_writing(&w, write_events, table, "table");
}

int actio_table_plot(struct actio_context *ctx, const struct actio_table *table, const char *axes, const char *path,
                     struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .table = table, .axes = axes, .path = path, .f = f };
    return attempt_writing(&w, write_plot, table, "table");
}

int actio_table_animate(struct actio_context *ctx, const struct actio_table *table, const char *axes, const char *path,
                        struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .table = table, .axes = axes, .path = path, .f = f };
    return attempt_writing(&w, write_animation, table, "table");
}

/* ---- pictures of motions that are not computed yet */

struct drawing {
    struct actio_context *ctx;
    struct actio_model *model;
    const char *axes;
    bool animate;
    struct actio_findings *f;
    struct actio_table *table;
    int failed;
};

/* The columns that the model's motions have, in one row of zeros. */
static void fake_table(struct drawing *d)
{
    const struct actio_model *m = d->model;
    struct actio_table *t = d->table = actio_table_create(d->ctx);
    t->from.model = m->name;
    t->rows = 1;
    t->cols = m->output.columns;
    t->col = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->data);
    for (size_t c = 0; c < t->cols; c++) {
        const struct actio_axis *axis = m->output.column_axis[c] ? &m->field.axis[m->output.column_axis[c] - 1] : NULL;
        size_t nodes = axis ? axis->nodes : 0;
        t->col[c] = (struct actio_column){ .name = m->output.column[c],
                                           .unit = "",
                                           .meaning = "",
                                           .latex = "",
                                           .role = c ? ACTIO_ROLE_COORD : ACTIO_ROLE_TIME,
                                           .unique = true,
                                           .nodes = nodes,
                                           .axis = axis ? axis->name : "",
                                           .place = actio_arena_array(&t->arena, nodes + 1, sizeof(double)) };
        t->data[c] = actio_arena_array(&t->arena, nodes + 1, sizeof(double));
    }
}

static void try_drawing(void *user)
{
    struct drawing *d = user;
    fake_table(d);
    d->failed = actio_axes_check(d->ctx, d->table, d->axes, d->animate, d->f);
}

int actio_model_drawable(struct actio_context *ctx, struct actio_model *model, const char *axes, bool animate,
                         struct actio_findings *f)
{
    struct drawing d = { .ctx = ctx, .model = model, .axes = axes, .animate = animate, .f = f };
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return ACTIO_WRONG_USAGE;
    if (axes && strstr(axes, "dual.")) { /* known when the dual action is formed */
        actio_call_end(&call, true, "");
        return ACTIO_DONE;
    }
    size_t before = f->count;
    bool done = actio_attempt(ctx, try_drawing, &d) == 0 && !d.failed;
    actio_table_free(d.table);
    actio_call_end(&call, done, "reading the axes");
    if (done) return ACTIO_DONE;
    return failed_status(ctx, f, before, ACTIO_WRONG_USAGE);
}

int actio_comparison_overlay(struct actio_context *ctx, const struct actio_comparison *c, const char *axes,
                             const char *path, struct actio_findings *f)
{
    struct actio_picture picture = c ? actio_comparison_picture(c) : (struct actio_picture){ 0 };
    struct writing w = { .ctx = ctx, .picture = &picture, .path = path, .f = f };
    picture.axes = axes;
    if (c && !picture.layers) return ACTIO_DONE; /* a picture needs motions */
    return attempt_writing(&w, write_picture, c, "comparison");
}

int actio_orbits_plot(struct actio_context *ctx, const struct actio_orbits *o, const char *axes, const char *path,
                      struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .orbits = o, .axes = axes, .path = path, .f = f };
    return attempt_writing(&w, write_orbits, o, "orbits");
}

static void write_derivation(void *user)
{
    struct writing *w = user;
    w->failed = actio_file_write(w->ctx, w->path, w->text, strlen(w->text), w->f);
}

int actio_derivation_write(struct actio_context *ctx, const struct actio_derivation *d, const char *path,
                           struct actio_findings *f)
{
    struct writing w = { .ctx = ctx, .path = path, .f = f, .text = d ? actio_derivation_text(d) : NULL };
    return attempt_writing(&w, write_derivation, d, "derivation");
}

bool actio_can_write(const char *path, bool plot)
{
    register_native();
    if (!path) return false;
    return plot ? actio_plot_fits(path) : actio_writer_for(path) != NULL;
}

struct summing {
    struct actio_table *table;
    struct actio_text out;
};

static void sum_up(void *user)
{
    struct summing *s = user;
    actio_text_open(&s->out, &s->table->arena);
    actio_json_summary(s->table, &s->out);
}

const char *actio_table_json(struct actio_table *table)
{
    struct summing s = { .table = table };
    if (!table) return "{}";
    struct actio_context *ctx = table->arena.ctx;
    struct actio_findings own; /* with findings it ends when it is overdue */
    actio_findings_open(&own, ctx);
    struct actio_call call = actio_call_begin(ctx, &own);
    bool done = actio_attempt(ctx, sum_up, &s) == 0 && s.out.s;
    actio_call_end(&call, done, "the summary");
    actio_findings_close(&own);
    return done ? s.out.s : "{}";
}
