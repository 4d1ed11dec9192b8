/* SPDX-License-Identifier: Apache-2.0
 * Long formulas in lines: broken at sums that stand in no bracket. */
#include "derive/derive.h"

#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

enum { CLOSED = ACTIO_WRAP_DEPTH + 1 }; /* what LaTeX must have in one line */

/* The change of depth by the sign or LaTeX word at s, and its length. */
static int depth_by(const char *s, size_t *length)
{
    *length = 1;
    if (*s == '{' || *s == '}') return *s == '{' ? CLOSED : -CLOSED;
    if (*s == '(' || *s == '[') return 1;
    if (*s == ')' || *s == ']') return -1;
    if (*s != '\\') return 0;
    while (is_letter(s[*length])) ++*length;
    size_t n = *length - 1;
    const char *word = s + 1;
    bool opens = (n == 4 && memcmp(word, "left", 4) == 0) || (n == 5 && memcmp(word, "begin", 5) == 0);
    bool closes = (n == 5 && memcmp(word, "right", 5) == 0) || (n == 3 && memcmp(word, "end", 3) == 0);
    if (n == 0 && s[1]) ++*length; /* \, and \! */
    /* the bracket belongs to the word */
    if ((n == 4 && opens) || (n == 5 && closes && *word == 'r')) *length += s[*length] ? 1 : 0;
    return CLOSED * (opens - closes);
}

static bool is_break(const char *s) { return s[0] == ' ' && s[1] && strchr("+-=", s[1]) && s[2] == ' '; }

size_t actio_wrap_length(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* What the piece of `length` bytes at s takes of a line: LaTeX words are one sign, those that only arrange others are
 * none. */
static size_t width_of(const char *s, size_t length)
{
    static const char *const none[] = { "\\left", "\\right",        "\\begin",  "\\end",    "\\frac",
                                        "\\dot",  "\\ddot",         "\\mathit", "\\mathrm", "\\mathcal",
                                        "\\text", "\\operatorname", "\\bigl",   "\\bigr" };
    if (*s != '\\') return ((unsigned char)*s & 0xC0) != 0x80 && !strchr("{}^_", *s);
    if (!is_letter(s[1])) return 0;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        size_t n = strlen(none[i]);
        if (strncmp(s, none[i], n) == 0 && !is_letter(s[n])) return length > n; /* \left( has its bracket with it */
    }
    return 1;
}

size_t actio_wrap_width(const char *s)
{
    size_t width = 0;
    for (size_t step; *s; s += step) {
        depth_by(s, &step);
        width += width_of(s, step);
    }
    return width;
}

/* The last break at each depth within the width; the outermost that does not leave the line too empty wins. */
struct breaks {
    const char *at[ACTIO_WRAP_DEPTH + 1];
    size_t seen[ACTIO_WRAP_DEPTH + 1];
};

static const char *best(const struct actio_wrap *w, const struct breaks *b, size_t least)
{
    for (int depth = 0; depth <= w->depth; depth++)
        if (b->at[depth] && b->seen[depth] >= least) return b->at[depth];
    return NULL;
}

size_t actio_wrap_next(struct actio_wrap *w)
{
    struct breaks b = { { 0 }, { 0 } };
    const char *s = w->at, *end = NULL;
    size_t step, seen = 0;
    int depth = w->open;
    for (; *s; s += step) {
        if (seen > w->width) end = best(w, &b, w->width / 3);
        if (seen > w->width && !end) end = best(w, &b, 0);
        if (end) break;
        step = 3;
        if (depth >= 0 && depth <= w->depth && s > w->at && is_break(s)) {
            b.at[depth] = s;
            b.seen[depth] = seen;
            seen += 3;
        } else {
            depth += depth_by(s, &step);
            seen += width_of(s, step);
        }
    }
    bool whole = !end;
    if (whole) end = s;
    for (int k = 0; k <= w->depth; k++)
        if (b.at[k] == end) w->open = k;
    size_t length = (size_t)(end - w->at);
    w->sign = whole ? 0 : end[1];
    w->at = whole ? end : end + 3;
    return length;
}

/* ---- wide LaTeX */

static bool starts(const char *s, const char *word) { return strncmp(s, word, strlen(word)) == 0; }

/* Behind the group in braces that begins at s. */
static const char *group_end(const char *s)
{
    int open = 0;
    do {
        if (*s == '\\' && s[1]) s++;
        else open += (*s == '{') - (*s == '}');
        s++;
    } while (open && *s);
    return s;
}

/* Is there a sum that no bracket holds? */
static bool is_sum(const char *s, const char *end)
{
    int depth = 0;
    for (size_t step; s < end; s += step) {
        step = 1;
        if (depth == 0 && is_break(s)) return true;
        depth += depth_by(s, &step);
    }
    return false;
}

static void add_side(struct actio_text *out, const char *from, const char *end, bool always)
{
    bool bracket = always || is_sum(from, end);
    actio_text_add(out, bracket ? "\\bigl(" : "");
    actio_text_bytes(out, from, (size_t)(end - from));
    actio_text_add(out, bracket ? "\\bigr)" : "");
}

/* One pass: a wide fraction in a line, what is in its sides is seen by the next pass; brackets that may be broken. */
static bool loosen(const char *s, size_t width, struct actio_text *out)
{
    bool changed = false;
    while (*s) {
        size_t step;
        if (starts(s, "\\frac{")) {
            const char *above = s + 5, *below = group_end(above), *end = group_end(below);
            struct actio_text whole;
            actio_text_open(&whole, out->arena);
            actio_text_bytes(&whole, s, (size_t)(end - s));
            bool wide = actio_wrap_width(whole.s) > width;
            if (wide) {
                add_side(out, above + 1, below - 1, false);
                actio_text_add(out, " \\big/ ");
                add_side(out, below + 1, end - 1, true);
            } else actio_text_bytes(out, s, (size_t)(end - s));
            changed = changed || wide;
            s = end;
        } else if (*s == '{') {
            const char *end = group_end(s);
            actio_text_bytes(out, s, (size_t)(end - s));
            s = end;
        } else if (starts(s, "\\left(") || starts(s, "\\right)")) {
            actio_text_add(out, s[1] == 'l' ? "\\bigl(" : "\\bigr)");
            s += s[1] == 'l' ? 6 : 7;
        } else {
            depth_by(s, &step);
            actio_text_bytes(out, s, step);
            s += step;
        }
    }
    return changed;
}

const char *actio_wrap_loose(struct actio_arena *arena, const char *s, size_t width)
{
    struct actio_text out;
    if (actio_wrap_width(s) <= width) return s;
    for (bool again = true; again; s = out.s) {
        actio_text_open(&out, arena);
        again = loosen(s, width, &out);
    }
    return s;
}
