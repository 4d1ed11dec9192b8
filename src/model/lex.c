/* SPDX-License-Identifier: Apache-2.0
 * Characters to tokens, one at a time: words, numbers, signs, and where a statement ends. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* longer ones first; goes_on: the statement does not end behind it */
static const struct {
    char text[3];
    uint8_t kind;
    bool goes_on;
} signs[] = {
    { "<=", ACTIO_T_LESS_EQUAL, true },  { ">=", ACTIO_T_MORE_EQUAL, true }, { "..", ACTIO_T_RANGE, true },
    { "(", ACTIO_T_OPEN, true },         { ")", ACTIO_T_CLOSE, false },      { "[", ACTIO_T_OPEN_INDEX, true },
    { "]", ACTIO_T_CLOSE_INDEX, false }, { ",", ACTIO_T_COMMA, true },       { ":", ACTIO_T_COLON, true },
    { "=", ACTIO_T_EQUAL, true },        { "+", ACTIO_T_PLUS, true },        { "-", ACTIO_T_MINUS, true },
    { "*", ACTIO_T_TIMES, true },        { "/", ACTIO_T_DIVIDE, true },      { "^", ACTIO_T_POWER, true },
    { "<", ACTIO_T_LESS, true },         { ">", ACTIO_T_MORE, true },        { "'", ACTIO_T_PRIME, false },
    { ".", ACTIO_T_DOT, false },
};
/* What people type or paste for a sign of the language. */
static const struct {
    const char *wrong, *right;
} mistaken[] = {
    { "**", "^" },
    { "==", "= between two sides, or a comparison in a condition: < <= > >=" },
    { "=<", "<=" },
    { "=>", ">=" },
    { "<>", "another comparison: < <= > >=" },
    { "//", "# for a comment, / for a quotient" },
    { "!=", "another comparison: < <= > >=" },
    { "!", "not, before a condition in if( )" },
    { ";", "a comma or a new line" },
    { "{", "(" },
    { "}", ")" },
    { "\"", "' for a derivative" },
    { "`", "'" },
    { "%", "/100" },
    { "&&", "and" },
    { "&", "and" },
    { "||", "or" },
    { "|", "abs( ) for a size, or between conditions" },
    { "−", "-" },
    { "–", "-" },
    { "—", "-" },
    { "·", "*" },
    { "×", "*" },
    { "⋅", "*" },
    { "∗", "*" },
    { "÷", "/" },
    { "∕", "/" },
    { "″", "''" },
    { "‘", "'" },
    { "´", "'" },
    { "≤", "<=" },
    { "≥", ">=" },
    { "²", "^2" },
    { "³", "^3" },
    { "½", "1/2" },
    { "√", "sqrt( )" },
    { "…", ".." },
};
/* of these the first sign has a meaning */
static const char *const doubled[] = { "**", "==", "//", "=<", "=>", "<>" };
static const char *const primes[] = { "′", "’" };

static bool is_digit(unsigned c) { return c >= '0' && c <= '9'; }
static bool is_ascii_letter(unsigned c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_letter(unsigned c)
{
    /* Latin with accents, Greek; 0xB5 and 0x2126 are folded into Greek */
    static const struct {
        uint16_t first, last;
    } range[] = {
        { 0xB5, 0xB5 },   { 0xC0, 0xD6 },   { 0xD8, 0xF6 },     { 0xF8, 0x24F },    { 0x370, 0x373 }, { 0x376, 0x377 },
        { 0x37B, 0x37D }, { 0x37F, 0x37F }, { 0x386, 0x386 },   { 0x388, 0x38A },   { 0x38C, 0x38C }, { 0x38E, 0x3A1 },
        { 0x3A3, 0x3F5 }, { 0x3F7, 0x3FF }, { 0x1E00, 0x1EFF }, { 0x2126, 0x2126 },
    };
    if (c < 0x80) return is_ascii_letter(c);
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i].first && c <= range[i].last) return true;
    return false;
}

/* The character at s, and its length; 0 bytes when it is not UTF-8. */
static unsigned decode(const char *text, const char *end, uint32_t *bytes)
{
    static const unsigned least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *s = (const unsigned char *)text;
    uint32_t n = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    unsigned c = n < 2 ? s[0] : s[0] & (0x7Fu >> n);
    if (n > (size_t)(end - text)) n = 0;
    for (uint32_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            *bytes = 0;
            return 0;
        }
        c = c << 6 | (s[i] & 0x3F);
    }
    *bytes = n < 2 || (c >= least[n] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)) ? n : 0;
    return *bytes ? c : 0;
}

/* ---- the text as a whole */

static enum actio_code wrong_character(const char *p, const char *end, uint32_t *bytes)
{
    unsigned c = decode(p, end, bytes);
    if (*bytes == 0) {
        *bytes = 1;
        return ACTIO_F_NOT_UTF8;
    }
    if (c == 0) return ACTIO_F_NUL_BYTE;
    if (c == '\r') return p + 1 < end && p[1] == '\n' ? ACTIO_F_COUNT : ACTIO_F_LONE_RETURN;
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7F || (c >= 0x80 && c < 0xA0)) return ACTIO_F_CONTROL_CHARACTER;
    return ACTIO_F_COUNT;
}

bool actio_lex_check_text(struct actio_reader *r, uint16_t origin)
{
    enum { ENOUGH = 5 }; /* after so many it is not a text at all */
    const struct actio_source *s = &r->origin[origin].source;
    const char *end = s->text + s->length;
    struct actio_span span = { 1, 1, 1 };
    uint32_t bytes, bad = 0, characters = 0;
    for (const char *p = s->text; p < end && bad < ENOUGH; p += bytes) {
        if ((++characters & 65535) == 0) actio_poll(r->ctx);
        enum actio_code code = wrong_character(p, end, &bytes);
        if (code != ACTIO_F_COUNT) {
            char shown[8];
            static const char hex[] = "0123456789ABCDEF";
            unsigned char c = (unsigned char)p[bytes - 1];
            shown[0] = hex[c >> 4];
            shown[1] = hex[c & 15];
            shown[2] = 0;
            actio_reader_fault(r, code, origin, span, ACTIO_ARGS(ACTIO_TEXT(shown)));
            bad++;
        }
        if (*p == '\n') {
            span.line++;
            span.column = 1;
        } else span.column++;
    }
    return bad < ENOUGH;
}

/* ---- tokens */

struct actio_origin *actio_lex_origin(struct actio_reader *r) { return &r->origin[r->text.lexer.origin]; }

void actio_lex_open(struct actio_reader *r, uint16_t origin)
{
    r->text.lexer = (struct actio_lexer){ .origin = origin, .line = 1, .column = 1, .last = ACTIO_T_NEWLINE };
}

static const char *text_end(struct actio_reader *r)
{
    return actio_lex_origin(r)->source.text + actio_lex_origin(r)->source.length;
}
static const char *text_here(struct actio_reader *r) { return actio_lex_origin(r)->source.text + r->text.lexer.at; }

static void skip(struct actio_lexer *l, uint32_t bytes, uint32_t characters)
{
    l->at += bytes;
    l->column += characters;
}

static void skip_comment(struct actio_reader *r)
{
    const char *p = text_here(r), *end = text_end(r);
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    r->text.lexer.at += (uint32_t)((stop ? stop : end) - p); /* columns start anew behind it */
}

static bool continues(const struct actio_lexer *l)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].kind == l->last) return signs[i].goes_on || l->depth > 0;
    return l->depth > 0 && l->last != ACTIO_T_NEWLINE;
}

static struct actio_token token_here(struct actio_reader *r, enum actio_token_kind kind, uint32_t bytes,
                                     uint32_t characters)
{
    struct actio_lexer *l = &r->text.lexer;
    struct actio_token t = { .kind = kind, .at = l->at, .bytes = bytes, .span = { l->line, l->column, characters } };
    skip(l, bytes, characters);
    l->end_line = l->line;
    l->end_column = l->column;
    if (kind == ACTIO_T_OPEN || kind == ACTIO_T_OPEN_INDEX) l->depth++;
    if ((kind == ACTIO_T_CLOSE || kind == ACTIO_T_CLOSE_INDEX) && l->depth) l->depth--;
    l->last = kind;
    return t;
}

static struct actio_token bad_token(struct actio_reader *r, enum actio_code code, uint32_t bytes, uint32_t characters,
                                    const struct actio_value arg[6])
{
    struct actio_token t = token_here(r, ACTIO_T_BAD, bytes, characters);
    if (!r->text.lexer.mute) actio_reader_fault(r, code, r->text.lexer.origin, t.span, arg);
    return t;
}

/* Bytes and characters of the word at p. */
static uint32_t word_length(const char *p, const char *end, uint32_t *characters)
{
    uint32_t n = 0, bytes;
    for (*characters = 0; p + n < end; n += bytes, ++*characters) {
        unsigned char c = (unsigned char)p[n];
        bytes = 1;
        if (is_ascii_letter(c) || is_digit(c)) continue;
        if (c < 0x80 || !is_letter(decode(p + n, end, &bytes)) || bytes == 0) break;
    }
    return n;
}

/* The micro and ohm signs are Greek letters: one name, however it was typed. */
static uint32_t intern_folded(struct actio_reader *r, const char *p, uint32_t bytes)
{
    char folded[2 * ACTIO_NAME_LIMIT];
    uint32_t n = 0;
    for (uint32_t i = 0; i < bytes;) {
        if (bytes - i >= 2 && memcmp(p + i, "\xC2\xB5", 2) == 0) {
            memcpy(folded + n, "\xCE\xBC", 2);
            i += 2;
            n += 2;
        } else if (bytes - i >= 3 && memcmp(p + i, "\xE2\x84\xA6", 3) == 0) {
            memcpy(folded + n, "\xCE\xA9", 2);
            i += 3;
            n += 2;
        } else folded[n++] = p[i++];
    }
    return actio_word_of(r, folded, n);
}

static struct actio_token word_token(struct actio_reader *r)
{
    uint32_t characters, bytes = word_length(text_here(r), text_end(r), &characters);
    if (bytes > ACTIO_NAME_LIMIT)
        return bad_token(r, ACTIO_F_NAME_TOO_LONG, bytes, characters,
                         ACTIO_ARGS(ACTIO_COUNT(bytes), ACTIO_COUNT(ACTIO_NAME_LIMIT)));
    uint32_t word = intern_folded(r, text_here(r), bytes);
    struct actio_token t = token_here(r, ACTIO_T_WORD, bytes, characters);
    t.word = word;
    return t;
}

/* What is wrong with the number of n bytes at p, when a point or a letter follows it at once. */
static struct actio_token spoilt_number(struct actio_reader *r, const char *p, const char *end, uint32_t n)
{
    const char *shown = actio_reader_quote(r, r->text.lexer.origin, r->text.lexer.at, n);
    if (p[n] == '.') return bad_token(r, ACTIO_F_NUMBER_ENDS_IN_POINT, n + 1, n + 1, ACTIO_ARGS(ACTIO_TEXT(shown)));
    uint32_t characters, bytes = word_length(p + n, end, &characters);
    const char *name = actio_reader_quote(r, r->text.lexer.origin, r->text.lexer.at + n, bytes);
    return bad_token(r, ACTIO_F_IMPLICIT_PRODUCT, n + bytes, n + characters,
                     ACTIO_ARGS(ACTIO_TEXT(shown), ACTIO_TEXT(name)));
}

static struct actio_token number_token(struct actio_reader *r)
{
    const char *p = text_here(r), *end = text_end(r);
    double x = 0;
    uint32_t n = (uint32_t)actio_number_read(p, end, &x), characters;
    bool point = p + n < end && p[n] == '.' && !(p + n + 1 < end && p[n + 1] == '.');
    if (point || word_length(p + n, end, &characters)) return spoilt_number(r, p, end, n);
    if (!isfinite(x))
        return bad_token(r, ACTIO_F_NUMBER_TOO_LARGE, n, n,
                         ACTIO_ARGS(ACTIO_TEXT(actio_reader_quote(r, r->text.lexer.origin, r->text.lexer.at, n))));
    struct actio_token t = token_here(r, ACTIO_T_NUMBER, n, n);
    t.number = x;
    return t;
}

static bool begins(const char *p, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

static struct actio_token unknown_character(struct actio_reader *r)
{
    const char *p = text_here(r), *end = text_end(r);
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++)
        if (begins(p, end, mistaken[i].wrong)) {
            uint32_t n = (uint32_t)strlen(mistaken[i].wrong);
            return bad_token(r, ACTIO_F_WRONG_SIGN, n, (unsigned char)*p < 0x80 ? n : 1,
                             ACTIO_ARGS(ACTIO_TEXT(mistaken[i].wrong), ACTIO_TEXT(mistaken[i].right)));
        }
    uint32_t bytes;
    decode(p, end, &bytes);
    if (bytes == 0) bytes = 1;
    const char *shown = actio_reader_quote(r, r->text.lexer.origin, r->text.lexer.at, bytes);
    return bad_token(r, ACTIO_F_UNKNOWN_CHARACTER, bytes, 1, ACTIO_ARGS(ACTIO_TEXT(shown)));
}

static struct actio_token sign_token(struct actio_reader *r)
{
    const char *p = text_here(r), *end = text_end(r);
    uint32_t bytes;
    /* reported by actio_lex_check_text */
    if (wrong_character(p, end, &bytes) != ACTIO_F_COUNT) return token_here(r, ACTIO_T_BAD, bytes, 1);
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        if (begins(p, end, primes[i])) return token_here(r, ACTIO_T_PRIME, (uint32_t)strlen(primes[i]), 1);
    for (size_t i = 0; i < sizeof doubled / sizeof *doubled; i++)
        if (begins(p, end, doubled[i])) return unknown_character(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (begins(p, end, signs[i].text)) {
            uint32_t n = (uint32_t)strlen(signs[i].text);
            return token_here(r, (enum actio_token_kind)signs[i].kind, n, n);
        }
    return unknown_character(r);
}

/* Blanks, comments, and line ends that do not end the statement. True at a line end that does. */
static bool skip_blanks(struct actio_reader *r, bool *crossed)
{
    struct actio_lexer *l = &r->text.lexer;
    const char *text = actio_lex_origin(r)->source.text, *end = text_end(r);
    for (; text + l->at < end;) {
        const char *p = text + l->at;
        if (*p == '#') skip_comment(r);
        else if (*p == '\n') {
            if (!continues(l)) return true;
            *crossed = true;
            l->at++;
            l->line++;
            l->column = 1;
        } else if (*p == ' ' || *p == '\t') skip(l, 1, 1);
        else if (begins(p, end, "\xC2\xA0")) skip(l, 2, 1); /* a no-break space is a space */
        else if (begins(p, end, "\r\n")) skip(l, 1, 1);
        else return false;
    }
    return false;
}

/* A statement keyword can't stand inside a formula: at the start of a line it means that the statement before was left
 * open. */
static bool begins_statement(const struct actio_reader *r, const struct actio_token *t, enum actio_token_kind last)
{
    if (t->kind != ACTIO_T_WORD || (last == ACTIO_T_COLON && t->word == ACTIO_W_time)) return false;
    uint8_t class = r->vocabulary.word[t->word].class;
    return class == ACTIO_WC_STATEMENT || class == ACTIO_WC_LATER;
}

/* The end of a statement has its place behind the statement's last sign. */
static struct actio_token end_token(struct actio_reader *r, enum actio_token_kind kind)
{
    struct actio_lexer *l = &r->text.lexer;
    struct actio_span span = { l->end_line, l->end_column, 1 };
    struct actio_token t = { .kind = kind, .at = l->at, .span = span };
    if (span.line == 0) t.span = (struct actio_span){ l->line, l->column, 1 };
    l->last = kind;
    l->depth = 0;
    return t;
}

static struct actio_token end_of_line(struct actio_reader *r)
{
    struct actio_token t = end_token(r, ACTIO_T_NEWLINE);
    r->text.lexer.at++;
    r->text.lexer.line++;
    r->text.lexer.column = 1;
    return t;
}

struct actio_token actio_lex_next(struct actio_reader *r)
{
    bool crossed = false;
    if ((++r->machine.tokens & 1023) == 0) actio_poll(r->ctx);
    if (skip_blanks(r, &crossed)) return end_of_line(r);
    const char *p = text_here(r), *end = text_end(r);
    if (p == end) return end_token(r, ACTIO_T_END);
    struct actio_lexer before = r->text.lexer;
    uint32_t bytes;
    bool number = is_digit((unsigned char)*p) || (*p == '.' && end - p > 1 && is_digit((unsigned char)p[1]));
    struct actio_token t = number ? number_token(r) : is_letter(decode(p, end, &bytes)) ? word_token(r) : sign_token(r);
    if (!crossed || !begins_statement(r, &t, before.last)) return t;
    r->text.lexer = before;
    return end_token(r, ACTIO_T_NEWLINE);
}

/* ---- strings: the name in external("name"), and nothing else */

bool actio_lex_at_string(struct actio_reader *r)
{
    const char *p = text_here(r), *end = text_end(r);
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return p < end && *p == '"';
}

static bool is_plain(unsigned char c) { return is_ascii_letter(c) || is_digit(c) || c == '.' || c == '-'; }

struct actio_token actio_lex_string(struct actio_reader *r)
{
    while (*text_here(r) != '"') skip(&r->text.lexer, 1, 1);
    const char *p = text_here(r) + 1, *end = text_end(r);
    uint32_t n = 0;
    while (p + n < end && is_plain((unsigned char)p[n])) n++;
    bool closed = p + n < end && p[n] == '"';
    if (!closed || n == 0 || n > ACTIO_NAME_LIMIT)
        return bad_token(r, ACTIO_F_EXTERNAL_NAME, n + 1 + closed, n + 1 + closed, ACTIO_NO_ARGS);
    uint32_t word = actio_word_of(r, p, n);
    struct actio_token t = token_here(r, ACTIO_T_STRING, n + 2, n + 2);
    t.word = word;
    return t;
}

uint32_t actio_lex_length(struct actio_reader *r, uint16_t origin, uint32_t at)
{
    struct actio_lexer saved = r->text.lexer;
    actio_lex_open(r, origin);
    r->text.lexer.at = at;
    r->text.lexer.mute = true;
    struct actio_token t = actio_lex_next(r);
    r->text.lexer = saved;
    return t.span.length;
}
