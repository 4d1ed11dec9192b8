/* SPDX-License-Identifier: Apache-2.0
 * Findings are kept as data; their words are put together on request. */
#include "base/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEPT = 20, QUOTE = 160 };

static const struct {
    const char *name;
    enum actio_severity severity;
    int status;
    const char *text, *hint;
} words[] = {
#define FINDING(name, severity, status, text, hint) [ACTIO_F_##name] = { #name, ACTIO_##severity, status, text, hint },
#include "base/findings.def"
#undef FINDING
};

enum {
    WORDED = 0
#define FINDING(name, severity, status, text, hint) +1
#include "base/findings.def"
#undef FINDING
};
_Static_assert((int)WORDED == (int)ACTIO_F_COUNT, "each code of codes.def has its words in findings.def");

void actio_findings_open(struct actio_findings *f, struct actio_context *ctx)
{
    *f = (struct actio_findings){ 0 };
    actio_arena_open(&f->arena, ctx);
}

void actio_findings_close(struct actio_findings *f)
{
    actio_arena_close(&f->arena);
    *f = (struct actio_findings){ 0 };
}

enum actio_severity actio_finding_severity(const struct actio_finding *f) { return words[f->code].severity; }
int actio_finding_status(const struct actio_finding *f) { return words[f->code].status; }
const char *actio_finding_name(const struct actio_finding *f) { return words[f->code].name; }

/* What a signal ended exits with 128 and the signal's number, as shells have it. */
int actio_cancel_exit(const struct actio_context *ctx)
{
    int cancel = ctx->cancel ? *ctx->cancel : 0;
    return cancel > 1 ? 128 + cancel : words[ACTIO_F_INTERRUPTED].status;
}

int actio_code_exit(const struct actio_findings *f, enum actio_code code)
{
    return code == ACTIO_F_INTERRUPTED ? actio_cancel_exit(f->arena.ctx) : words[code].status;
}

static void count_error(struct actio_findings *f, enum actio_code code)
{
    int status = actio_code_exit(f, code);
    if (words[code].severity != ACTIO_ERROR) return;
    f->errors++;
    if (f->status == 0 || status < f->status) f->status = status;
}

/* The line of a place, shortened around its column when it is very long. */
static void quote_line(struct actio_findings *f, struct actio_finding *item, const struct actio_source *source,
                       struct actio_span span)
{
    const char *p = source->text, *end = p + source->length;
    for (uint32_t line = 1; line < span.line && p; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    if (!p) return;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    if (stop > p && stop[-1] == '\r') stop--;
    uint32_t skip = span.column > QUOTE / 2 && stop - p > QUOTE ? span.column - QUOTE / 2 : 0;
    for (uint32_t i = 0; i < skip && p < stop; i++) do
            p++;
        while (p < stop && ((unsigned char)*p & 0xC0) == 0x80);
    size_t n = (size_t)(stop - p);
    if (n > QUOTE)
        for (n = QUOTE; n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80; n--) {}
    item->quote = actio_arena_text(&f->arena, p, n);
    item->quote_skipped = skip;
}

struct actio_span actio_source_span(const struct actio_source *source, size_t from, size_t to)
{
    struct actio_span span = { 1, 1, 0 };
    const char *p = source->text;
    if (to > source->length) to = source->length;
    for (size_t i = 0; i < to && (i < from || (p[i] != '\n' && p[i] != '\r')); i++) {
        bool begins = ((unsigned char)p[i] & 0xC0) != 0x80;
        if (i >= from) span.length += begins;
        else if (p[i] == '\n') {
            span.line++;
            span.column = 1;
        } else span.column += begins;
    }
    return span;
}

/* ---- words */

static void add_value(const struct actio_value *v, struct actio_text *out)
{
    if (v->kind == ACTIO_V_TEXT) actio_text_add(out, v->text);
    else if (v->kind == ACTIO_V_COUNT) actio_text_format(out, "%.0f", v->number);
    else if (v->kind == ACTIO_V_NUMBER) {
        char s[40];
        snprintf(s, sizeof s, "%.10g", v->number);
        for (char *p = s; *p; p++)
            if (*p == ',') *p = '.';
        actio_text_add(out, s);
    }
}

static void findings_fill(const char *template, const struct actio_finding *f, struct actio_text *out)
{
    for (const char *p = template; *p; p++) {
        if (p[0] == '{' && p[1] >= '0' && p[1] <= '5' && p[2] == '}') {
            add_value(&f->arg[p[1] - '0'], out);
            p += 2;
        } else actio_text_bytes(out, p, 1);
    }
}

void actio_finding_message(const struct actio_finding *f, struct actio_text *out)
{
    findings_fill(words[f->code].text, f, out);
}
void actio_finding_hint(const struct actio_finding *f, struct actio_text *out)
{
    findings_fill(words[f->code].hint, f, out);
}

static const char *text_of(struct actio_findings *f, void (*write)(const struct actio_finding *, struct actio_text *),
                           const struct actio_finding *item)
{
    struct actio_text out;
    actio_text_open(&out, &f->arena);
    actio_text_add(&out, "");
    write(item, &out);
    return out.s ? out.s : "";
}

/* ---- making one */

struct making {
    struct actio_findings *f;
    enum actio_code code;
    const struct actio_source *source;
    struct actio_span span;
    const struct actio_value *arg;
    struct actio_finding *made;
};

static void findings_make(void *user)
{
    struct making *m = user;
    struct actio_findings *f = m->f;
    struct actio_finding item = { .code = m->code, .span = m->span };
    for (int i = 0; i < 6; i++) {
        item.arg[i] = m->arg[i];
        if (item.arg[i].kind == ACTIO_V_TEXT) {
            const char *s = item.arg[i].text ? item.arg[i].text : "";
            item.arg[i].text = actio_arena_text(&f->arena, s, strlen(s));
        }
    }
    if (m->source) {
        if (m->source->file) item.file = actio_arena_text(&f->arena, m->source->file, strlen(m->source->file));
        if (m->source->text && m->span.line) quote_line(f, &item, m->source, m->span);
    }
    item.message = text_of(f, actio_finding_message, &item);
    item.hint = text_of(f, actio_finding_hint, &item);
    ACTIO_PUSH(&f->arena, f->item, f->count, f->cap) = item;
    m->made = &f->item[f->count - 1];
}

const char actio_starved_message[] = "out of memory: too little is left to report the cause";
const char actio_starved_hint[] = "make the model smaller, or raise --limit-memory";

static bool has_code(const struct actio_findings *f, enum actio_code code)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].code == code) return true;
    return code == ACTIO_F_OUT_OF_MEMORY && f->starved;
}

/* A limit that the user set, or all that the machine has: the remedies differ. */
static void complete_memory(const struct actio_context *ctx, struct actio_value arg[6])
{
    if (ctx->refused && ctx->system_refused) {
        arg[1] = ACTIO_TEXT("");
        arg[2] = ACTIO_TEXT("the system has left");
        arg[3] = ACTIO_TEXT("close other programs");
        return;
    }
    arg[1] = ACTIO_COUNT(ctx->bytes_limit);
    arg[2] = ACTIO_TEXT("the limit of ");
    arg[3] = ACTIO_TEXT("raise it with --limit-memory");
}

/* What an error is one of, after a refusal or after algebra was given up: of memory, of time. */
static enum actio_code cause(const struct actio_context *ctx, enum actio_code code)
{
    static const enum actio_code own[] = { ACTIO_F_OUT_OF_MEMORY, ACTIO_F_OUT_OF_TIME, ACTIO_F_INTERRUPTED };
    bool changes = words[code].severity == ACTIO_ERROR;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) changes = changes && code != own[i];
    if (changes && ctx->refused && (ctx->system_refused || words[code].status != words[ACTIO_F_OUT_OF_MEMORY].status))
        return ACTIO_F_OUT_OF_MEMORY;
    return !changes || !ctx->abandoned ? code : actio_cancelled(ctx) ? ACTIO_F_INTERRUPTED : ACTIO_F_OUT_OF_TIME;
}

/* A finding may be about memory running out: it gets a little more than the limit and must not report itself. */
static struct actio_finding *findings_keep(struct making *m)
{
    struct actio_context *ctx = m->f->arena.ctx;
    struct actio_findings *outer = ctx->findings;
    size_t limit = ctx->bytes_limit;
    ctx->findings = NULL;
    if (limit < SIZE_MAX / 2) ctx->bytes_limit = limit + ((size_t)1 << 20);
    bool failed = actio_attempt(ctx, findings_make, m) != 0;
    ctx->bytes_limit = limit;
    ctx->findings = outer;
    if (failed) m->f->starved = true;
    count_error(m->f, failed ? ACTIO_F_OUT_OF_MEMORY : m->code);
    return m->made;
}

/* That time is over, or a signal came, is said once, by whoever sees it first. */
static bool said_of_stop(const struct actio_findings *f, enum actio_code code)
{
    static const enum actio_code stops[] = { ACTIO_F_INTERRUPTED, ACTIO_F_OUT_OF_TIME, ACTIO_F_TIME_RAN_OUT };
    bool is_stop = false, said = false;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        is_stop |= code == stops[i];
        said |= has_code(f, stops[i]);
    }
    return is_stop && said;
}

struct actio_finding *actio_report_at(struct actio_findings *f, enum actio_code code, const struct actio_source *source,
                                      struct actio_span span, const struct actio_value arg[6])
{
    struct actio_context *ctx = f->arena.ctx;
    struct actio_value own[6];
    memcpy(own, arg, sizeof own);
    enum actio_code reported = cause(ctx, code);
    if (reported != code) {
        if (has_code(f, reported)) return NULL;
        code = reported;
        source = NULL;
        span = (struct actio_span){ 0 };
        own[0] = ACTIO_TEXT(code == ACTIO_F_OUT_OF_MEMORY ? "the work under way" : "the work was under way");
    }
    if (said_of_stop(f, code)) return NULL;
    if (code == ACTIO_F_OUT_OF_MEMORY) complete_memory(ctx, own);
    if (words[code].severity == ACTIO_ERROR && f->errors >= KEPT) {
        count_error(f, code);
        f->dropped++;
        return NULL;
    }
    return findings_keep(&(struct making){ f, code, source, span, own, NULL });
}

struct actio_finding *actio_report(struct actio_findings *f, enum actio_code code, const struct actio_value arg[6])
{
    return actio_report_at(f, code, NULL, (struct actio_span){ 0 }, arg);
}

/* ---- around a public function */

/* As such, or in better words: too many rows, too large a matrix. */
static bool reported_memory(const struct actio_findings *f, size_t first)
{
    bool reported = f->starved;
    for (size_t i = first; i < f->count; i++)
        reported = reported || words[f->item[i].code].status == words[ACTIO_F_OUT_OF_MEMORY].status;
    return reported;
}

/* Errors count from 0: those of earlier calls do not stop this one. */
struct actio_call actio_call_begin(struct actio_context *ctx, struct actio_findings *f)
{
    struct actio_call call = { .ctx = ctx,
                               .f = f,
                               .outer = ctx->findings,
                               .refused = ctx->refused,
                               .errors = f->errors,
                               .count = f->count,
                               .status = f->status,
                               .abandoned = ctx->abandoned };
    call.locale = ctx->plain_numbers ? ctx->plain_numbers() : NULL;
    call.watched = actio_watch(ctx);
    f->errors = 0;
    f->status = 0;
    ctx->findings = f;
    ctx->refused = 0;
    ctx->abandoned = false;
    return call;
}

void actio_call_end(struct actio_call *call, bool done, const char *what)
{
    struct actio_context *ctx = call->ctx;
    struct actio_findings *f = call->f;
    bool silent = (ctx->abandoned || !done) && f->errors == 0;
    if (ctx->refused && !reported_memory(f, call->count))
        actio_report(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT(what)));
    else if (silent && actio_cancelled(ctx)) actio_report(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else if (silent && actio_stopped(ctx))
        actio_report(f, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT("the work was under way")));
    f->errors += call->errors;
    if (f->status == 0 || (call->status && call->status < f->status)) f->status = call->status;
    ctx->findings = call->outer;
    ctx->refused += call->refused;
    ctx->abandoned |= call->abandoned;
    actio_watch(call->watched);
    if (ctx->own_numbers) ctx->own_numbers(call->locale);
}
