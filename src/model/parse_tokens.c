/* SPDX-License-Identifier: Apache-2.0
 * Tokens and names of statements, what is reported when another stands there, and looking ahead. */
#include "model/parse.h"

#include <string.h>

void actio_parse_advance(struct actio_reader *r)
{
    r->text.passed = r->text.token.at + r->text.token.bytes;
    r->text.token = actio_lex_next(r);
}

bool actio_parse_expected(struct actio_reader *r, const char *what) { return actio_parse_expected_as(r, what, ""); }

bool actio_parse_expected_as(struct actio_reader *r, const char *what, const char *hint)
{
    const struct actio_token *t = &r->text.token;
    if (t->kind == ACTIO_T_BAD) return false; /* the lexer has said why */
    const char *found =
        actio_parse_at_end(r)
            ? "the end of the line"
            : actio_arena_format(&r->scratch, "'%s'", actio_reader_quote(r, r->text.lexer.origin, t->at, t->bytes));
    actio_reader_fault(r, ACTIO_F_EXPECTED, r->text.lexer.origin, t->span,
                       ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_TEXT(found), ACTIO_TEXT(hint)));
    return false;
}

bool actio_parse_take(struct actio_reader *r, enum actio_token_kind kind, const char *what)
{
    if (r->text.token.kind != kind) return actio_parse_expected(r, what);
    actio_parse_advance(r);
    return true;
}

bool actio_parse_fault(struct actio_reader *r, enum actio_code code, struct actio_span span, uint32_t word)
{
    actio_reader_fault(r, code, r->text.lexer.origin, span, ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, word))));
    return false;
}

bool actio_parse_word(struct actio_reader *r, uint32_t *word, const char *what)
{
    *word = r->text.token.word;
    return actio_parse_take(r, ACTIO_T_WORD, what);
}

bool actio_parse_name(struct actio_reader *r, uint32_t *word, const char *what)
{
    struct actio_span span = r->text.token.span;
    if (!actio_parse_word(r, word, what)) return false;
    return actio_word_reserved(r, *word) ? actio_parse_fault(r, ACTIO_F_RESERVED_NAME, span, *word) : true;
}

bool actio_parse_at_word(const struct actio_reader *r, uint32_t word)
{
    return r->text.token.kind == ACTIO_T_WORD && r->text.token.word == word;
}

bool actio_parse_dotted(struct actio_reader *r, uint32_t *word)
{
    uint32_t label;
    if (r->text.token.kind != ACTIO_T_DOT) return true;
    actio_parse_advance(r);
    if (!actio_parse_word(r, &label, "a label after the point")) return false;
    *word = actio_word_dotted(r, *word, label);
    return true;
}

void actio_parse_primes(struct actio_reader *r, uint32_t *count)
{
    for (; r->text.token.kind == ACTIO_T_PRIME; actio_parse_advance(r)) ++*count;
}

/* ---- looking ahead */

struct actio_parse_place actio_parse_save(const struct actio_reader *r)
{
    return (struct actio_parse_place){ r->text.lexer, r->text.token };
}

void actio_parse_restore(struct actio_reader *r, struct actio_parse_place p)
{
    r->text.lexer = p.lexer;
    r->text.token = p.token;
}

/* Does a bracket at hand hold a sign of this kind, before it closes? */
bool actio_parse_bracket_holds(struct actio_reader *r, enum actio_token_kind kind)
{
    struct actio_parse_place start = actio_parse_save(r);
    int depth = 0;
    bool found = false;
    r->text.lexer.mute = true;
    do {
        enum actio_token_kind k = r->text.token.kind;
        depth += actio_parse_nesting(k);
        found = k == kind;
        actio_parse_advance(r);
    } while (!found && depth > 0 && !actio_parse_at_end(r));
    actio_parse_restore(r, start);
    return found;
}

/* Does the statement at hand have a sign of this kind outside of brackets? */
bool actio_parse_has_ahead(struct actio_reader *r, enum actio_token_kind kind)
{
    struct actio_parse_place start = actio_parse_save(r);
    int depth = 0;
    bool found = false;
    for (r->text.lexer.mute = true; !found && !actio_parse_at_end(r); actio_parse_advance(r)) {
        enum actio_token_kind k = r->text.token.kind;
        depth += actio_parse_nesting(k);
        found = k == kind && depth == 0;
    }
    actio_parse_restore(r, start);
    return found;
}

/* What stands from here to the end of the line, without a comment. */
const char *actio_parse_rest_of_line(struct actio_reader *r, uint32_t at)
{
    const struct actio_source *s = &actio_lex_origin(r)->source;
    uint32_t n = 0;
    while (at + n < s->length && !strchr("#\r\n", s->text[at + n])) n++;
    while (n && strchr(" \t", s->text[at + n - 1])) n--;
    return actio_reader_quote(r, r->text.lexer.origin, at, n);
}
