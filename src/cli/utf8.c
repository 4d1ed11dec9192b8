/* SPDX-License-Identifier: Apache-2.0
 * UTF-8 as a terminal shows it: widths of characters, and a harmless sign in place of those that would command it. */
#include "cli/cli.h"

uint32_t actio_cli_decode(const char *s, size_t *length)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = (const unsigned char *)s;
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
               : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
               : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                                             : 0;
    *length = 1;
    if (n == 0) return 0xFFFD;
    if (n == 1) return p[0];
    uint32_t c = p[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0xFFFD;
        c = c << 6 | (p[i] & 0x3F);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0xFFFD;
    *length = n;
    return c;
}

static bool within(uint32_t c, const uint32_t (*range)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c >= range[i][0] && c <= range[i][1]) return true;
    return false;
}

/* Controls, and the signs that turn the direction of writing. */
static bool commands_terminal(uint32_t c)
{
    static const uint32_t range[][2] = { { 0, 8 },           { 10, 31 },         { 0x7F, 0x9F },    { 0x200E, 0x200F },
                                         { 0x2028, 0x202E }, { 0x2066, 0x2069 }, { 0xFEFF, 0xFEFF } };
    return within(c, range, sizeof range / sizeof *range);
}

static size_t columns(uint32_t c)
{
    static const uint32_t none[][2] = { { 0x300, 0x36F }, { 0x200B, 0x200D }, { 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F } };
    static const uint32_t two[][2] = { { 0x1100, 0x115F },  { 0x2E80, 0x303E }, { 0x3041, 0xA4CF },
                                       { 0xAC00, 0xD7A3 },  { 0xF900, 0xFAFF }, { 0xFE30, 0xFE6F },
                                       { 0xFF00, 0xFF60 },  { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1FAFF },
                                       { 0x20000, 0x3FFFD } };
    if (within(c, none, sizeof none / sizeof *none)) return 0;
    return within(c, two, sizeof two / sizeof *two) ? 2 : 1;
}

const char *actio_cli_shown(const char *s, size_t *length, size_t *width)
{
    uint32_t c = actio_cli_decode(s, length);
    bool replaced = c == 0xFFFD || commands_terminal(c);
    *width = replaced ? 1 : columns(c);
    return replaced ? "\xEF\xBF\xBD" : NULL;
}

void actio_cli_text(FILE *out, const char *s)
{
    size_t n, width;
    for (; *s; s += n) {
        const char *instead = actio_cli_shown(s, &n, &width);
        if (instead) fputs(instead, out);
        else fwrite(s, 1, n, out);
    }
}

size_t actio_cli_width(const char *s)
{
    size_t n, width, sum = 0;
    for (; *s; s += n, sum += width) actio_cli_shown(s, &n, &width);
    return sum;
}
