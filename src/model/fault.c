/* SPDX-License-Identifier: Apache-2.0
 * Findings of the reader: places are worked out here, and what is wrong with a command-line option becomes a usage
 * error. */
#include "model/reader.h"

#include <string.h>

bool actio_reader_failed(const struct actio_reader *r) { return r->findings->errors > r->errors_before; }

const char *actio_reader_quote(struct actio_reader *r, uint16_t origin, uint32_t at, uint32_t bytes)
{
    enum { MOST = 48 };
    const char *p = r->origin[origin].source.text + at;
    if (bytes <= MOST) return actio_arena_text(&r->scratch, p, bytes);
    uint32_t n = MOST;
    while (n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80) n--;
    return actio_arena_format(&r->scratch, "%.*s...", (int)n, p);
}

static void usage_fault(struct actio_reader *r, const struct actio_finding *f, const struct actio_source *source)
{
    struct actio_text message, hint;
    actio_text_open(&message, &r->scratch);
    actio_text_open(&hint, &r->scratch);
    actio_finding_message(f, &message);
    actio_finding_hint(f, &hint);
    actio_report_at(r->findings, ACTIO_F_BAD_OPTION, source, f->span,
                    ACTIO_ARGS(ACTIO_TEXT(message.s), ACTIO_TEXT(hint.s)));
}

static void keep_reason(struct actio_reader *r, const struct actio_finding *f)
{
    struct actio_text message;
    actio_text_open(&message, &r->model->arena);
    actio_finding_message(f, &message);
    r->claimed.absent = message.s;
}

void actio_reader_fault(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                        const struct actio_value arg[6])
{
    struct actio_finding f = { .code = code, .span = span };
    const struct actio_origin *o = &r->origin[origin];
    memcpy(f.arg, arg, sizeof f.arg);
    if (r->claimed.lenient && (code == ACTIO_F_INDEX_OUT_OF_RANGE || code == ACTIO_F_FAMILY_IS_EMPTY)) {
        keep_reason(r, &f);
        return;
    }
    if (o->is_option && actio_finding_status(&f) == 1) usage_fault(r, &f, &o->source);
    else actio_report_at(r->findings, code, &o->source, span, arg);
}

/* Lines and columns are counted from the start of the text: only faults pay for it. */
static struct actio_span span_at(struct actio_reader *r, uint16_t origin, uint32_t at)
{
    const char *p = r->origin[origin].source.text;
    struct actio_span span = { 1, 1, 1 };
    for (uint32_t i = 0; i < at; i++) {
        if (p[i] == '\n') {
            span.line++;
            span.column = 1;
        } else if (((unsigned char)p[i] & 0xC0) != 0x80) span.column++;
    }
    span.length = actio_lex_length(r, origin, at);
    return span;
}

void actio_reader_fault_at(struct actio_reader *r, enum actio_code code, uint16_t origin, uint32_t at,
                           const struct actio_value arg[6])
{
    bool kept = r->findings->errors < 20; /* those beyond are only counted */
    actio_reader_fault(r, code, origin, kept ? span_at(r, origin, at) : (struct actio_span){ 0 }, arg);
}
