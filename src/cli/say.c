/* SPDX-License-Identifier: Apache-2.0
 * Messages for people. Texts may hold anything a file name or a model can hold, so nothing reaches a terminal as a
 * command. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool no_color; /* set once from the command line */

void actio_cli_say_setup(const struct actio_cli_arguments *a)
{
    const char *variable = getenv("NO_COLOR"), *term = getenv("TERM");
    no_color = a->no_color || (variable && *variable) || (term && strcmp(term, "dumb") == 0);
}

bool actio_cli_colors(FILE *out) { return !no_color && isatty(fileno(out)); }

const char *actio_cli_paint(FILE *out, char what)
{
    static const struct {
        char what;
        const char *code;
    } table[] = {
        { 'e', "\033[1;31m" }, { 'w', "\033[1;35m" }, { 'n', "\033[1;36m" }, { 'b', "\033[1m" },
        { 'g', "\033[32m" },   { 'd', "\033[2m" },    { ' ', "\033[0m" },
    };
    if (!actio_cli_colors(out)) return "";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].what == what) return table[i].code;
    return "";
}

/* Blanks up to the column, a tab where the line has a tab, then ^~~~ under the place. */
static void caret_line(const struct actio_message *m)
{
    const char *s = m->quote;
    size_t n, width;
    uint32_t column = m->quote_skipped + 1;
    for (; *s && column < m->column; s += n, column++) {
        actio_cli_shown(s, &n, &width);
        if (*s == '\t') fputc('\t', stderr);
        else
            for (size_t i = 0; i < width; i++) fputc(' ', stderr);
    }
    fprintf(stderr, "%s^", actio_cli_paint(stderr, 'g'));
    size_t marked = 0;
    for (uint32_t i = 0; *s && *s != '\t' && i < m->length; s += n, i++) {
        actio_cli_shown(s, &n, &width);
        marked += width;
    }
    for (size_t i = 1; i < marked; i++) fputc('~', stderr);
    fprintf(stderr, "%s\n", actio_cli_paint(stderr, ' '));
}

void actio_cli_message(const struct actio_message *m)
{
    static const struct {
        const char *word;
        char paint;
    } kinds[] = {
        [ACTIO_SAYS_NOTE] = { "note", 'n' },
        [ACTIO_SAYS_WARNING] = { "warning", 'w' },
        [ACTIO_SAYS_ERROR] = { "error", 'e' },
    };
    fputs(actio_cli_paint(stderr, 'b'), stderr);
    actio_cli_text(stderr, m->file ? m->file : "actio");
    if (m->line) fprintf(stderr, ":%u:%u", (unsigned)m->line, (unsigned)m->column);
    fprintf(stderr, ":%s %s%s:%s ", actio_cli_paint(stderr, ' '), actio_cli_paint(stderr, kinds[m->kind].paint),
            kinds[m->kind].word, actio_cli_paint(stderr, ' '));
    actio_cli_text(stderr, m->message);
    fputc('\n', stderr);
    if (m->quote && m->line) {
        fputs("  ", stderr);
        actio_cli_text(stderr, m->quote);
        fputs("\n  ", stderr);
        caret_line(m);
    }
    if (m->hint && *m->hint) {
        fputs("  hint: ", stderr);
        actio_cli_text(stderr, m->hint);
        fputc('\n', stderr);
    }
}

void actio_cli_findings(struct actio_findings *f, bool quiet)
{
    actio_cli_flush();
    for (size_t i = 0; i < actio_findings_count(f); i++) {
        struct actio_message m = actio_findings_message(f, i);
        if (m.kind == ACTIO_SAYS_ERROR || !quiet) actio_cli_message(&m);
    }
    if (actio_findings_dropped(f)) fprintf(stderr, "actio: and %zu more errors\n", actio_findings_dropped(f));
}

static const char *code_of(int status)
{
    return status == ACTIO_WRONG_USAGE     ? "WRONG_USAGE"
           : status == ACTIO_LIMIT_REACHED ? "OUT_OF_MEMORY"
           : status == ACTIO_FILE_TROUBLE  ? "CANNOT_WRITE"
           : status >= ACTIO_INTERRUPTED   ? "INTERRUPTED"
                                           : "COMMAND_LINE";
}

static int complain(const struct actio_cli_arguments *a, int status, const char *hint, const char *format, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    struct actio_message m = {
        .kind = ACTIO_SAYS_ERROR, .status = status, .code = code_of(status), .message = text, .hint = hint ? hint : ""
    };
    if (a->json) {
        printf("{\"status\": %d, \"errors\": [", status);
        actio_cli_json_message(stdout, &m);
        printf("]}\n");
    } else actio_cli_message(&m);
    return status;
}

int actio_cli_complain(const struct actio_cli_arguments *a, int status, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(a, status, hint, format, args);
    va_end(args);
    return status;
}

int actio_cli_usage(const struct actio_cli_arguments *a, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(a, ACTIO_WRONG_USAGE, hint, format, args);
    va_end(args);
    return ACTIO_WRONG_USAGE;
}

int actio_cli_unsaid(const struct actio_cli_arguments *a, int status)
{
    int signal = *a->limits.cancel;
    if (signal) return actio_cli_complain(a, actio_cli_worse(status, 128 + signal), NULL, "interrupted");
    return actio_cli_complain(a, actio_cli_worse(status, ACTIO_LIMIT_REACHED), "raise --limit-memory or --limit-time",
                              "limit reached while the result was being printed");
}

bool actio_cli_begin(const struct actio_cli_arguments *a, struct actio_context **ctx, struct actio_findings **f)
{
    struct actio_limits limits = a->limits;
    actio_cli_progress_setup(a, &limits);
    *ctx = actio_context_create(&limits);
    *f = *ctx ? actio_findings_create(*ctx) : NULL;
    if (*f) return true;
    actio_context_free(*ctx);
    actio_cli_complain(a, ACTIO_LIMIT_REACHED, "close other programs", "out of memory at the start");
    return false;
}

int actio_cli_end(struct actio_context *ctx, struct actio_findings *f, int status)
{
    actio_findings_free(f);
    actio_context_free(ctx);
    return status;
}
