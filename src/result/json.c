/* SPDX-License-Identifier: Apache-2.0
 * JSON: the summary that scripts read, and the file that has everything. What is not finite is null. */
#include "result/output.h"
#include "result/table.h"

#include <math.h>

/* "key": with the comma that separates it from what stands before. */
static void key(struct actio_text *out, const char *name)
{
    if (out->length && out->s[out->length - 1] != '{' && out->s[out->length - 1] != '[') actio_text_add(out, ", ");
    actio_json_string(out, name);
    actio_text_add(out, ": ");
}

static void text_key(struct actio_text *out, const char *name, const char *value)
{
    key(out, name);
    actio_json_string(out, value);
}

static void number_key(struct actio_text *out, const char *name, double value)
{
    key(out, name);
    actio_json_number(out, value);
}

static void count_key(struct actio_text *out, const char *name, size_t value)
{
    key(out, name);
    actio_text_format(out, "%zu", value);
}

static void bool_key(struct actio_text *out, const char *name, bool value)
{
    key(out, name);
    actio_text_add(out, value ? "true" : "false");
}

enum { FEW_NODES = 64 }; /* of a field whose nodes stand in the summary */

static double last(const struct actio_table *table, size_t c)
{
    return table->rows ? table->data[c][table->rows - 1] : NAN;
}

static void add_errors(const struct actio_table *table, struct actio_text *out)
{
    key(out, "error");
    actio_text_add(out, "{");
    for (size_t c = 0; c < table->cols; c++) number_key(out, table->col[c].name, actio_table_error_of(table, c));
    actio_text_add(out, "}");
}

/* {"nodes": .., "first": .., "last": .., "min": .., "max": ..} along the axis at the end, and where there are few the
 * nodes as x[0] ... */
static void add_field_end(const struct actio_table *table, struct actio_text *out, size_t c)
{
    const struct actio_column *col = &table->col[c];
    const double *x = table->rows ? table->data[c] + (table->rows - 1) * col->nodes : NULL;
    double least = NAN, most = NAN;
    for (size_t k = 0; x && k < col->nodes; k++) {
        least = fmin(least, x[k]);
        most = fmax(most, x[k]);
    }
    key(out, col->name);
    actio_text_add(out, "{");
    count_key(out, "nodes", col->nodes);
    number_key(out, "first", x ? x[0] : NAN);
    number_key(out, "last", x ? x[col->nodes - 1] : NAN);
    number_key(out, "min", least);
    number_key(out, "max", most);
    actio_text_add(out, "}");
    for (size_t k = 0; x && col->nodes <= FEW_NODES && k < col->nodes; k++)
        number_key(out, actio_arena_format(out->arena, "%s[%zu]", col->name, k), x[k]);
}

static void add_end(const struct actio_table *table, struct actio_text *out)
{
    key(out, "end");
    actio_text_add(out, "{");
    for (size_t c = 0; c < table->cols; c++) {
        if (table->col[c].nodes) add_field_end(table, out, c);
        else number_key(out, table->col[c].name, last(table, c));
    }
    actio_text_add(out, "}");
}

static void add_state(struct actio_text *out, const char *name, const char *const *names, const double *x, size_t n)
{
    if (!x) return;
    key(out, name);
    actio_text_add(out, "{");
    for (size_t k = 0; k < n; k++) number_key(out, names[k], x[k]);
    actio_text_add(out, "}");
}

static void add_events(const struct actio_table *table, struct actio_text *out)
{
    key(out, "events");
    actio_text_add(out, "[");
    for (size_t i = 0; i < table->events; i++) {
        const struct actio_event *e = &table->event[i];
        if ((i & 255) == 255) actio_poll_overdue(out->arena->ctx);
        actio_text_add(out, i ? ", {" : "{");
        number_key(out, "t", e->t);
        number_key(out, "error", e->error);
        text_key(out, "kind", e->kind);
        text_key(out, "name", e->name);
        if (e->line) count_key(out, "line", e->line);
        number_key(out, "value", e->value);
        if (e->contact) {
            text_key(out, "contact", e->contact);
            number_key(out, "impulse", e->impulse);
        }
        if (e->rule) text_key(out, "rule", e->rule);
        if (e->before) number_key(out, "energy", e->energy);
        add_state(out, "place", table->coord, e->place, table->coords);
        add_state(out, "before", table->velocity, e->before, table->coords);
        add_state(out, "after", table->velocity, e->after, table->coords);
        actio_text_add(out, "}");
    }
    actio_text_add(out, "]");
}

static void add_slopes(struct actio_text *out, const char *name, const struct actio_table *table,
                       const struct actio_sensitivity *s, bool params)
{
    key(out, name);
    actio_text_add(out, "{");
    for (size_t i = 0; i < table->slopes; i++)
        if (s->slope[i].is_param == params) number_key(out, s->slope[i].by, s->slope[i].derivative);
    actio_text_add(out, "}");
}

/* {"x": {"value": .., "start": {"x": .., "x'": ..}, "params": {..}, "error": largest}} */
static void add_gradient(const struct actio_table *table, struct actio_text *out)
{
    if (table->gradients == 0) return;
    key(out, "gradient");
    actio_text_add(out, "{");
    for (size_t o = 0; o < table->gradients; o++) {
        const struct actio_sensitivity *s = &table->gradient[o];
        double worst = 0;
        for (size_t i = 0; i < table->slopes; i++) worst = s->slope[i].error > worst ? s->slope[i].error : worst;
        key(out, s->of);
        actio_text_add(out, "{");
        number_key(out, "value", s->value);
        add_slopes(out, "start", table, s, false);
        add_slopes(out, "params", table, s, true);
        number_key(out, "error", worst);
        actio_text_add(out, "}");
    }
    actio_text_add(out, "}");
}

static void add_proof(const struct actio_table *table, struct actio_text *out)
{
    const struct actio_proof *p = table->proof;
    if (!p) return;
    key(out, "verify");
    actio_text_add(out, "{");
    count_key(out, "order", (size_t)p->order);
    count_key(out, "points", p->proved);
    count_key(out, "unknowns", p->unknowns);
    count_key(out, "iterations", p->iterations);
    number_key(out, "action", p->action);
    number_key(out, "gradient", p->gradient);
    number_key(out, "minus", p->minus);
    number_key(out, "minus_multipliers", p->minus_multipliers);
    number_key(out, "apart", p->apart);
    number_key(out, "started", p->started);
    key(out, "convergence");
    actio_text_add(out, "[");
    for (size_t i = 0; i < 3; i++) {
        actio_text_add(out, i ? ", {" : "{");
        count_key(out, "points", p->row[i].points);
        number_key(out, "error", p->row[i].error);
        number_key(out, "end", p->row[i].end);
        actio_text_add(out, "}");
    }
    actio_text_add(out, "]");
    number_key(out, "rate", p->rate);
    number_key(out, "rate_end", p->rate_end);
    actio_text_add(out, "}");
}

static void add_dual(const struct actio_table *table, struct actio_text *out)
{
    const struct actio_dual_numbers *d = table->dual;
    if (!d) return;
    key(out, "dual");
    actio_text_add(out, "{");
    text_key(out, "closure", d->closure);
    number_key(out, "action", d->action);
    number_key(out, "hamiltonian", d->hamiltonian);
    number_key(out, "hamiltonian_drift", d->drift);
    number_key(out, "min_eigenvalue", d->least);
    number_key(out, "max_dual", d->largest);
    number_key(out, "detector", d->detector);
    count_key(out, "slabs", d->slabs);
    count_key(out, "elements", d->elements);
    count_key(out, "newton", d->newton);
    count_key(out, "degree", d->degree);
    actio_text_add(out, "}");
}

static void add_cost(const struct actio_table *table, struct actio_text *out)
{
    count_key(out, "steps", table->steps);
    count_key(out, "rejected", table->rejected);
    count_key(out, "evaluations", table->rhs);
    number_key(out, "seconds", table->seconds);
}

static void add_accuracy(const struct actio_table *table, struct actio_text *out)
{
    number_key(out, "tol", table->local_only ? NAN : table->tol);
    bool_key(out, "reached", table->reached);
    number_key(out, "holds_until", table->holds_until);
    number_key(out, "local", table->local);
    bool_key(out, "local_only", table->local_only);
}

/* The summary's members, without the outer braces. */
static void add_summary(const struct actio_table *table, struct actio_text *out)
{
    size_t time = actio_table_first(table, ACTIO_ROLE_TIME);
    text_key(out, "model", table->from.model);
    text_key(out, "by", table->from.by);
    text_key(out, "method", table->from.method);
    key(out, "status");
    actio_text_format(out, "%d", table->status);
    number_key(out, "t", time < table->cols ? last(table, time) : NAN);
    key(out, "start");
    actio_text_add(out, "{");
    for (size_t i = 0; i < table->from.starts; i++)
        number_key(out, table->from.start[i].name, table->from.start[i].value);
    actio_text_add(out, "}");
    add_end(table, out);
    add_errors(table, out);
    number_key(out, "energy_drift", table->energy_drift);
    number_key(out, "energy_less_work", table->energy_less_work);
    number_key(out, "work_error", table->work_error);
    number_key(out, "residual", table->residual);
    add_events(table, out);
    add_gradient(table, out);
    add_proof(table, out);
    add_dual(table, out);
    add_cost(table, out);
    add_accuracy(table, out);
    text_key(out, "tier", table->from.tier);
}

void actio_json_summary(const struct actio_table *table, struct actio_text *out)
{
    actio_text_add(out, "{");
    add_summary(table, out);
    actio_text_add(out, "}");
}

static void add_settings(struct actio_text *out, const char *name, const struct actio_setting *s, size_t count)
{
    key(out, name);
    actio_text_add(out, "{");
    for (size_t i = 0; i < count; i++) number_key(out, s[i].name, s[i].value);
    actio_text_add(out, "}");
}

static void add_provenance(const struct actio_table *table, struct actio_text *out)
{
    key(out, "provenance");
    actio_text_add(out, "{");
    text_key(out, "version", table->from.version);
    text_key(out, "model", table->from.model);
    text_key(out, "file", table->from.file);
    text_key(out, "description", table->from.description);
    text_key(out, "source", table->from.source);
    add_settings(out, "params", table->from.param, table->from.params);
    add_settings(out, "starts", table->from.start, table->from.starts);
    actio_text_add(out, "}");
}

static void add_list(struct actio_output *out, const double *x, size_t count)
{
    actio_text_add(&out->text, "[");
    for (size_t i = 0; i < count && !out->error; i++) {
        if (i) actio_text_bytes(&out->text, ", ", 2);
        actio_json_number(&out->text, x[i]);
        actio_output_drain(out);
    }
    actio_text_add(&out->text, "]");
}

/* Of a field a list of lists, one a row. */
static void add_data(struct actio_output *out, const struct actio_column *col, const double *x, size_t rows)
{
    key(&out->text, "data");
    if (!col->nodes) {
        add_list(out, x, rows);
        return;
    }
    actio_text_add(&out->text, "[");
    for (size_t i = 0; i < rows && !out->error; i++) {
        if (i) actio_text_add(&out->text, ", ");
        add_list(out, x + i * col->nodes, col->nodes);
    }
    actio_text_add(&out->text, "]");
}

static void add_axis(struct actio_output *out, const struct actio_column *col)
{
    if (!col->nodes) return;
    text_key(&out->text, "axis", col->axis);
    count_key(&out->text, "nodes", col->nodes);
    key(&out->text, "place");
    add_list(out, col->place, col->nodes);
}

static void json_add_column(struct actio_output *out, const struct actio_table *table, size_t c)
{
    const struct actio_column *col = &table->col[c];
    actio_text_add(&out->text, "{");
    text_key(&out->text, "name", col->name);
    text_key(&out->text, "unit", col->unit);
    text_key(&out->text, "role", actio_role_heading(col->role));
    text_key(&out->text, "meaning", col->meaning);
    bool_key(&out->text, "unique", col->unique || col->role != ACTIO_ROLE_LAMBDA);
    number_key(&out->text, "error", actio_table_error_of(table, c));
    add_axis(out, col);
    add_data(out, col, table->data[c], table->rows);
    actio_text_add(&out->text, "}");
}

static void json_fill(struct actio_output *out, const void *user)
{
    const struct actio_table *table = user;
    actio_text_add(&out->text, "{");
    add_summary(table, &out->text);
    add_provenance(table, &out->text);
    key(&out->text, "columns");
    actio_text_add(&out->text, "[\n");
    for (size_t c = 0; c < table->cols; c++) {
        if (c) actio_text_add(&out->text, ",\n");
        json_add_column(out, table, c);
    }
    actio_text_add(&out->text, "\n]}\n");
}

static int write_json(struct actio_context *ctx, const struct actio_table *table, const char *path,
                      struct actio_findings *f)
{
    return actio_output_write(ctx, path, json_fill, table, f);
}

const struct actio_writer actio_write_json = { ".json", "JSON, everything in one object", write_json };
