/* SPDX-License-Identifier: Apache-2.0
 * Comma-separated values: one line of names, one line a row, numbers that read back exactly. */
#include "result/output.h"
#include "result/table.h"

#include <string.h>

/* Quoted only where RFC 4180 wants it. */
static void add_name(struct actio_text *out, const char *name)
{
    if (!name[strcspn(name, ",\"\r\n")]) { actio_text_add(out, name); return; }
    actio_text_add(out, "\"");
    for (; *name; name++) actio_text_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    actio_text_add(out, "\"");
}

static void fill(struct actio_output *out, const void *user)
{
    const struct actio_table *table = user;
    for (size_t c = 0; c < table->cols; c++) {
        if (c) actio_text_add(&out->text, ",");
        add_name(&out->text, table->col[c].name);
    }
    actio_text_add(&out->text, "\n");
    for (size_t i = 0; i < table->rows && !out->error; i++) {
        for (size_t c = 0; c < table->cols; c++) {
            if (c) actio_text_bytes(&out->text, ",", 1);
            actio_text_number(&out->text, table->data[c][i]);
        }
        actio_text_bytes(&out->text, "\n", 1);
        actio_output_drain(out);
    }
}

void actio_csv_text(const struct actio_table *table, struct actio_text *out)
{
    struct actio_output memory = { .text = *out };
    fill(&memory, table);
    *out = memory.text;
}

static int write_csv(struct actio_context *ctx, const struct actio_table *table, const char *path, struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill, table, f);
}

const struct actio_writer actio_write_csv = { ".csv", "comma-separated values", write_csv };
