/* SPDX-License-Identifier: Apache-2.0
 * A toy writer: a table in Markdown. */
#include "result/output.h"
#include "seams/seams.h"

static void fill(struct actio_output *out, const void *user)
{
    const struct actio_table *t = user;
    for (size_t c = 0; c < t->cols; c++) actio_text_format(&out->text, "| %s ", t->col[c].name);
    actio_text_add(&out->text, "|\n");
    for (size_t c = 0; c < t->cols; c++) actio_text_add(&out->text, "|---");
    actio_text_add(&out->text, "|\n");
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->cols; c++) {
            actio_text_add(&out->text, "| ");
            actio_text_number(&out->text, t->data[c][r]);
            actio_text_add(&out->text, " ");
        }
        actio_text_add(&out->text, "|\n");
        actio_output_drain(out);
    }
}

static int write_markdown(struct actio_context *ctx, const struct actio_table *table, const char *path,
                          struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill, table, f);
}

const struct actio_writer toy_writer = { ".md", "a table in Markdown", write_markdown };
