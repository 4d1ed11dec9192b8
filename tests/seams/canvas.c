/* SPDX-License-Identifier: Apache-2.0
 * A toy canvas: the words of a picture, one a line. */
#include "result/output.h"
#include "seams/seams.h"

static void fill(struct actio_output *out, const void *user)
{
    const struct actio_canvas *c = user;
    for (size_t i = 0; i < c->marks; i++)
        if (c->mark[i].kind == ACTIO_MARK_TEXT) actio_text_format(&out->text, "%s\n", c->mark[i].text);
}

static int write_words(struct actio_context *ctx, const struct actio_canvas *canvas, const char *path,
                       struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill, canvas, f);
}

const struct actio_canvas_type toy_canvas = { ".txt", "the words of a picture", write_words };
