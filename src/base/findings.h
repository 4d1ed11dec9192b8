/* SPDX-License-Identifier: Apache-2.0
 * Findings (errors, warnings, verdicts) as data; findings_*.def have the words.
 * In: a code, a place, values. Out: sentences, exit statuses. Callers: all rooms. */
#ifndef ACTIO_BASE_FINDINGS_H
#define ACTIO_BASE_FINDINGS_H

#include "base/arena.h"
#include "base/text.h"

enum actio_severity { ACTIO_NOTE, ACTIO_WARNING, ACTIO_ERROR };

enum actio_code {
#define CODE(name) ACTIO_F_##name,
#include "base/codes.def"
#undef CODE
    ACTIO_F_COUNT
};

struct actio_span {
    uint32_t line, column, length;
}; /* from 1; line 0 = no place. Columns count characters */

enum actio_value_kind { ACTIO_V_NONE, ACTIO_V_TEXT, ACTIO_V_NUMBER, ACTIO_V_COUNT };
struct actio_value {
    enum actio_value_kind kind;
    const char *text;
    double number;
};

struct actio_finding {
    enum actio_code code;
    struct actio_span span;
    const char *file, *quote; /* file and the text of the line, or NULL */
    uint32_t quote_skipped;   /* characters of the line left out before `quote` (very long lines) */
    struct actio_value arg[6];
    const char *message, *hint; /* the words, made with it: saying them takes no memory */
};

struct actio_findings {
    struct actio_arena arena;
    struct actio_finding *item;
    size_t count, cap, errors, dropped; /* of errors only the first 20 are kept, `dropped` counts the rest */
    int status;                         /* smallest exit status of the errors, 0 without */
    bool starved;                       /* there was no memory for a finding: one more error, that of memory */
};

#define ACTIO_TEXT(s) ((struct actio_value){ .kind = ACTIO_V_TEXT, .text = (s) })
#define ACTIO_NUMBER(x) ((struct actio_value){ .kind = ACTIO_V_NUMBER, .number = (x) })
#define ACTIO_COUNT(x) ((struct actio_value){ .kind = ACTIO_V_COUNT, .number = (double)(x) })
#define ACTIO_ARGS(...) ((const struct actio_value[6]){ __VA_ARGS__ })
#define ACTIO_NO_ARGS ((const struct actio_value[6]){ { 0 } })

void actio_findings_open(struct actio_findings *f, struct actio_context *ctx);
void actio_findings_close(struct actio_findings *f);
/* Adds a finding without a place. Copies texts; never escapes: for one that finds no memory `starved` speaks. After
 * memory was refused and not pardoned, an error is a consequence of that: it is kept as OUT_OF_MEMORY, once. */
struct actio_finding *actio_report(struct actio_findings *f, enum actio_code code, const struct actio_value arg[6]);
/* The same with a place; `source` may be NULL. */
struct actio_source {
    const char *file, *text;
    size_t length;
};
/* of bytes of the text, up to the end of the line */
struct actio_span actio_source_span(const struct actio_source *source, size_t from, size_t to);
struct actio_finding *actio_report_at(struct actio_findings *f, enum actio_code code, const struct actio_source *source,
                                      struct actio_span span, const struct actio_value arg[6]);

enum actio_severity actio_finding_severity(const struct actio_finding *f);
int actio_finding_status(const struct actio_finding *f); /* by the table: what a signal ended has 130 */
int actio_cancel_exit(const struct actio_context *ctx);  /* of what a signal ended */
/* the program's: 128 and the signal's number */
int actio_code_exit(const struct actio_findings *f, enum actio_code code);
const char *actio_finding_name(const struct actio_finding *f);                     /* "UNKNOWN_NAME" */
void actio_finding_message(const struct actio_finding *f, struct actio_text *out); /* {0} {1} put in, no place */
void actio_finding_hint(const struct actio_finding *f, struct actio_text *out);    /* empty when there is none */
extern const char actio_starved_message[], actio_starved_hint[]; /* of the error that `starved` stands for */

/* Around a public function: errors of the call go to `f`. Where memory was refused and not pardoned, and where a limit
 * stopped it, that is said at its end. */
struct actio_call {
    struct actio_context *ctx;
    struct actio_findings *f, *outer;
    size_t refused, errors, count; /* of errors and findings: what was there before */
    int status;
    bool abandoned;
    void *locale;
    struct actio_context *watched;
};
struct actio_call actio_call_begin(struct actio_context *ctx, struct actio_findings *f);
void actio_call_end(struct actio_call *call, bool done, const char *what); /* what: "the comparison" */

#endif
