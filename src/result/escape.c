/* SPDX-License-Identifier: Apache-2.0
 * Texts and numbers as JSON and XML want them, whatever the user's text contains. */
#include "result/output.h"

#include <math.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* By the first byte: length, its bits, and the smallest code that needs that length. */
static const struct {
    unsigned char mask, lead, bits;
    uint32_t least;
} shapes[] = {
    { 0x80, 0x00, 0x7F, 0 },
    { 0xE0, 0xC0, 0x1F, 0x80 },
    { 0xF0, 0xE0, 0x0F, 0x800 },
    { 0xF8, 0xF0, 0x07, 0x10000 },
};

size_t actio_utf8_next(const char *s, const char *end, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)s;
    *code = REPLACEMENT;
    for (size_t n = 0; n < 4; n++) {
        if ((p[0] & shapes[n].mask) != shapes[n].lead) continue;
        if ((size_t)(end - s) <= n) return 1;
        uint32_t c = p[0] & shapes[n].bits;
        for (size_t i = 1; i <= n; i++) {
            if ((p[i] & 0xC0) != 0x80) return 1;
            c = c << 6 | (p[i] & 0x3F);
        }
        if (c < shapes[n].least || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 1;
        *code = c;
        return n + 1;
    }
    return 1;
}

static const char *json_escape(uint32_t c)
{
    static const struct {
        uint32_t code;
        const char *text;
    } known[] = {
        { '"', "\\\"" },
        { '\\', "\\\\" },
        { '\n', "\\n" },
        { '\r', "\\r" },
        { '\t', "\\t" },
        { '<', "\\u003c" }, /* so that the text may stand inside a script element */
        { 0x2028, "\\u2028" },
        { 0x2029, "\\u2029" },
        { REPLACEMENT, "\xEF\xBF\xBD" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == c) return known[i].text;
    return NULL;
}

void actio_json_string(struct actio_text *out, const char *s)
{
    uint32_t c;
    if (!s) s = "";
    actio_text_add(out, "\"");
    for (const char *end = s + strlen(s); s < end;) {
        size_t n = actio_utf8_next(s, end, &c);
        const char *known = json_escape(c);
        if (known) actio_text_add(out, known);
        else if (c < 0x20 || c == 0x7F) actio_text_format(out, "\\u%04x", (unsigned)c);
        else actio_text_bytes(out, s, n);
        s += n;
    }
    actio_text_add(out, "\"");
}

void actio_json_number(struct actio_text *out, double x)
{
    if (!isfinite(x)) actio_text_add(out, "null");
    /* readers take -0 for a whole number, which has no sign */
    else if (x == 0 && signbit(x)) actio_text_add(out, "-0.0");
    else actio_text_number(out, x);
}

static const char *xml_escape(uint32_t c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case 0xFFFE:
    case 0xFFFF:
    case REPLACEMENT: return "\xEF\xBF\xBD";
    default: return c < 0x20 || c == 0x7F ? " " : NULL; /* control characters are not XML, even as references */
    }
}

void actio_xml_string(struct actio_text *out, const char *s)
{
    uint32_t c;
    for (const char *end = s + strlen(s); s < end;) {
        size_t n = actio_utf8_next(s, end, &c);
        const char *known = xml_escape(c);
        if (known) actio_text_add(out, known);
        else actio_text_bytes(out, s, n);
        s += n;
    }
}

void actio_fixed(struct actio_text *out, double x, int decimals, bool trim)
{
    char digits[48];
    size_t i = sizeof digits;
    double scaled = round(fabs(x) * pow(10, decimals));
    if (!(scaled < 9e18)) {
        actio_text_number(out, x);
        return;
    }
    uint64_t n = (uint64_t)scaled;
    if (n != 0 && x < 0) actio_text_add(out, "-");
    for (; trim && decimals > 0 && n % 10 == 0; decimals--) n /= 10;
    for (int k = 0; n > 0 || k <= decimals; k++, n /= 10) {
        if (k == decimals && k > 0) digits[--i] = '.';
        digits[--i] = (char)('0' + n % 10);
    }
    actio_text_bytes(out, digits + i, sizeof digits - i);
}
