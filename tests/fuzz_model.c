/* SPDX-License-Identifier: Apache-2.0
 * Any bytes through the reader, and what reads through the printer. Seeds: models/ and tests/bad/; words:
 * tests/fuzz.dict. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct printing {
    struct actio_model *model;
    struct actio_text out;
};

static void print_stage(void *user)
{
    struct printing *p = user;
    actio_text_open(&p->out, p->out.arena);
    actio_model_print(p->model, &p->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    actio_context_init(&ctx);
    ctx.bytes_limit = (size_t)64 << 20;
    ctx.nodes_limit = 200000;
    actio_findings_open(&findings, &ctx);
    actio_arena_open(&arena, &ctx);
    struct printing p = { .out = { .arena = &arena } };
    p.model = actio_model_read_text(&ctx, "fuzz.act", (const char *)data, size, NULL, 0, &findings);
    if (!p.model && findings.errors == 0) abort(); /* refused without a word */
    ctx.findings = &findings;
    if (p.model) actio_attempt(&ctx, print_stage, &p);
    actio_model_free(p.model);
    actio_arena_close(&arena);
    actio_findings_close(&findings);
    if (ctx.bytes != 0) abort(); /* something was kept */
    return 0;
}
