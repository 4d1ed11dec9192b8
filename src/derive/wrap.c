/* SPDX-License-Identifier: Apache-2.0
 * Long formulas in lines: broken at sums that stand in no bracket. */
#include "derive/derive.h"

#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The change of depth by the sign or LaTeX word at s, and its length. */
static int depth_by(const char *s, size_t *length)
{
    *length = 1;
    if (strchr("({[", *s)) return 1;
    if (strchr(")}]", *s)) return -1;
    if (*s != '\\') return 0;
    while (is_letter(s[*length])) ++*length;
    size_t n = *length - 1;
    const char *word = s + 1;
    bool opens = (n == 4 && memcmp(word, "left", 4) == 0) || (n == 5 && memcmp(word, "begin", 5) == 0);
    bool closes = (n == 5 && memcmp(word, "right", 5) == 0) || (n == 3 && memcmp(word, "end", 3) == 0);
    if (n == 0 && s[1]) ++*length;                         /* \, and \! */
    if ((n == 4 && opens) || (n == 5 && closes && *word == 'r')) *length += s[*length] ? 1 : 0;   /* the bracket belongs to the word */
    return opens - closes;
}

static bool is_break(const char *s) { return s[0] == ' ' && s[1] && strchr("+-=", s[1]) && s[2] == ' '; }

size_t actio_wrap_length(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* The last break at each depth within the width; the outermost that does not leave the line too empty wins. */
static const char *best(const struct actio_wrap *w, const char *const *last, bool any)
{
    for (int depth = 0; depth <= w->depth; depth++)
        if (last[depth] && (any || (size_t)(last[depth] - w->at) > w->width / 3)) return last[depth];
    return NULL;
}

size_t actio_wrap_next(struct actio_wrap *w)
{
    const char *last[ACTIO_WRAP_DEPTH + 1] = { 0 }, *s = w->at, *end = NULL;
    size_t step;
    int depth = w->open;
    w->sign = 0;
    for (; *s; s += step) {
        bool over = (size_t)(s - w->at) > w->width;
        if (over && !end) end = best(w, last, false);
        if (over && !end) end = best(w, last, true);
        if (end) break;
        step = 1;
        if (depth >= 0 && depth <= w->depth && s > w->at && is_break(s)) last[depth] = s, step = 3;
        else depth += depth_by(s, &step);
    }
    bool whole = !end;
    if (whole) end = s;
    for (int k = 0; k <= w->depth; k++)
        if (last[k] == end) w->open = k;
    size_t length = (size_t)(end - w->at);
    w->sign = whole ? 0 : end[1];
    w->at = whole ? end : end + 3;
    return length;
}
