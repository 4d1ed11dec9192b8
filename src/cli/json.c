/* SPDX-License-Identifier: Apache-2.0
 * JSON on standard output: findings and the small pieces that the commands put together. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

void actio_cli_json_string(FILE *out, const char *s)
{
    size_t n;
    fputc('"', out);
    for (; *s; s += n) {
        uint32_t c = actio_cli_decode(s, &n);
        if (c == '"' || c == '\\') fprintf(out, "\\%c", (int)c);
        else if (c < 0x20 || c == 0x7F || c == 0xFFFD || c == 0x2028 || c == 0x2029)
            fprintf(out, "\\u%04x", (unsigned)c);
        else fwrite(s, 1, n, out);
    }
    fputc('"', out);
}

/* The shortest of the texts that read back exactly; JSON has no word for what is not finite. */
void actio_cli_json_number(FILE *out, double x)
{
    char s[40];
    if (!isfinite(x)) {
        fputs("null", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, x);
        if (strtod(s, NULL) == x) break;
    }
    fputs(s, out);
}

void actio_cli_json_message(FILE *out, const struct actio_message *m)
{
    fputs("{\"file\": ", out);
    actio_cli_json_string(out, m->file ? m->file : "");
    fprintf(out, ", \"line\": %u, \"column\": %u, \"length\": %u, \"code\": ", (unsigned)m->line, (unsigned)m->column,
            (unsigned)m->length);
    actio_cli_json_string(out, m->code);
    fputs(", \"message\": ", out);
    actio_cli_json_string(out, m->message);
    fputs(", \"hint\": ", out);
    actio_cli_json_string(out, m->hint ? m->hint : "");
    fputc('}', out);
}

static void list(FILE *out, struct actio_findings *f, bool errors)
{
    bool first = true;
    for (size_t i = 0; i < actio_findings_count(f); i++) {
        struct actio_message m = actio_findings_message(f, i);
        if ((m.kind == ACTIO_SAYS_ERROR) != errors) continue;
        if (!first) fputs(", ", out);
        first = false;
        actio_cli_json_message(out, &m);
    }
}

void actio_cli_json_messages(FILE *out, struct actio_findings *f)
{
    if (actio_findings_status(f)) {
        fputs("\"errors\": [", out);
        list(out, f, true);
        fprintf(out, "], \"errors_left_out\": %zu, ", actio_findings_dropped(f));
    }
    fputs("\"warnings\": [", out);
    list(out, f, false);
    fputc(']', out);
}
