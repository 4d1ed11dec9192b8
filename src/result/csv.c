/* SPDX-License-Identifier: Apache-2.0
 * Comma-separated values: one line of names, one line a row, numbers that read back exactly. */
#include "result/output.h"
#include "result/table.h"

#include <string.h>

/* Quoted only where RFC 4180 wants it. */
static void add_name(struct actio_text *out, const char *name)
{
    if (!name[strcspn(name, ",\"\r\n")]) {
        actio_text_add(out, name);
        return;
    }
    actio_text_add(out, "\"");
    for (; *name; name++) actio_text_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    actio_text_add(out, "\"");
}

/* Passed on piece by piece, since a line may have millions of numbers; but whole where it may be cut short, so that it
 * ends with a line. */
static void look_up(struct actio_output *out, size_t k)
{
    if (!out->whole_lines) actio_output_drain(out);
    else if ((k & 1023) == 1023) actio_poll_overdue(out->text.arena->ctx);
}

static void end_line(struct actio_output *out)
{
    actio_text_bytes(&out->text, "\n", 1);
    actio_output_drain(out);
}

/* x, or of a field x[0],x[1],... */
static void add_names(struct actio_output *out, const struct actio_column *col)
{
    struct actio_text name;
    actio_text_open(&name, out->text.arena);
    for (size_t k = 0; k < actio_column_width(col) && !out->error; k++) {
        if (k) actio_text_bytes(&out->text, ",", 1);
        name.length = 0;
        actio_text_format(&name, col->nodes ? "%s[%zu]" : "%s", col->name, k);
        add_name(&out->text, name.s);
        look_up(out, k);
    }
}

static void add_numbers(struct actio_output *out, const double *x, size_t count)
{
    for (size_t k = 0; k < count && !out->error; k++) {
        if (k) actio_text_bytes(&out->text, ",", 1);
        actio_text_number(&out->text, x[k]);
        look_up(out, k);
    }
}

static void csv_fill(struct actio_output *out, const void *user)
{
    const struct actio_table *table = user;
    for (size_t c = 0; c < table->cols; c++) {
        if (c) actio_text_bytes(&out->text, ",", 1);
        add_names(out, &table->col[c]);
    }
    end_line(out);
    for (size_t i = 0; i < table->rows && !out->error; i++) {
        for (size_t c = 0; c < table->cols; c++) {
            size_t width = actio_column_width(&table->col[c]);
            if (c) actio_text_bytes(&out->text, ",", 1);
            add_numbers(out, table->data[c] + i * width, width);
        }
        end_line(out);
    }
}

void actio_csv_text(const struct actio_table *table, struct actio_text *out)
{
    struct actio_output memory = { .text = *out };
    csv_fill(&memory, table);
    *out = memory.text;
}

static int write_csv(struct actio_context *ctx, const struct actio_table *table, const char *path,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, csv_fill, table, f);
}

const struct actio_writer actio_write_csv = { ".csv", "comma-separated values", write_csv };

/* ---- the list of events */

/* A column of one number or text, or of places and velocities one for each coordinate: x, x_dot before, x_dot after. */
static void event_names(struct actio_output *out, const struct actio_table *table, const struct actio_event_list *l)
{
    if (l->nodes == 0) add_name(&out->text, l->name);
    for (size_t k = 0; k < l->nodes; k++) {
        struct actio_text name;
        actio_text_open(&name, out->text.arena);
        if (l->column == ACTIO_EVENT_PLACE) actio_text_add(&name, table->coord[k]);
        else actio_text_format(&name, "%s %s", table->velocity[k], l->name);
        if (k) actio_text_bytes(&out->text, ",", 1);
        add_name(&out->text, name.s);
    }
}

static void event_cells(struct actio_output *out, const struct actio_event_list *l, size_t i)
{
    if (l->text) add_name(&out->text, l->text[i]);
    else if (l->nodes) add_numbers(out, l->number + i * l->nodes, l->nodes);
    else add_numbers(out, l->number + i, 1);
}

static void events_fill(struct actio_output *out, const void *user)
{
    const struct actio_table *table = user;
    struct actio_event_list list[ACTIO_EVENT_COLUMNS];
    size_t count = actio_events_columns(table, out->text.arena, list);
    for (size_t c = 0; c < count; c++) {
        if (c) actio_text_bytes(&out->text, ",", 1);
        event_names(out, table, &list[c]);
    }
    end_line(out);
    for (size_t i = 0; i < table->events && !out->error; i++) {
        for (size_t c = 0; c < count; c++) {
            if (c) actio_text_bytes(&out->text, ",", 1);
            event_cells(out, &list[c], i);
        }
        end_line(out);
    }
}

int actio_events_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                       struct actio_findings *f)
{
    return actio_output_write(ctx, path, events_fill, table, f);
}
