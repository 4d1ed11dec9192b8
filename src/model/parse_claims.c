/* SPDX-License-Identifier: Apache-2.0
 * Claims about a motion, `expect`, and conditions on it, `require`. */
#include "model/parse.h"

#include <string.h>

/* Does a bracket follow the name at hand, and its primes? */
static bool is_place_ahead(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    if (r->text.token.kind != ACTIO_T_WORD) return false;
    r->text.lexer.mute = true;
    do actio_parse_advance(r);
    while (r->text.token.kind == ACTIO_T_PRIME);
    bool found = r->text.token.kind == ACTIO_T_OPEN;
    actio_parse_restore(r, start);
    return found;
}

/* x(c), x'(c), diff(x, s)(c): a column of its own, by the name that is written here */
static bool column_place(struct actio_reader *r, struct actio_statement *s)
{
    uint32_t from = r->text.token.at;
    if (!actio_parse_expr(r, &s->place)) return false;
    s->column = actio_word_of(r, actio_lex_origin(r)->source.text + from, r->text.passed - from);
    return true;
}

static bool column(struct actio_reader *r, struct actio_statement *s)
{
    s->column_span = r->text.token.span;
    s->at = r->text.token.at;
    if (is_place_ahead(r)) return column_place(r, s);
    if (!actio_parse_word(r, &s->column, "the name of a column") || !actio_parse_dotted(r, &s->column)) return false;
    actio_parse_primes(r, &s->column_primes);
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX) {
        actio_parse_advance(r);
        double k = r->text.token.number;
        if (r->text.token.kind != ACTIO_T_NUMBER || !actio_parse_small_whole(k))
            return actio_parse_expected(r, "a whole number");
        s->column = actio_word_member(r, s->column, k);
        actio_parse_advance(r);
        if (!actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'")) return false;
    }
    actio_parse_primes(r, &s->column_primes);
    return true;
}

static bool below(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_take(r, ACTIO_T_LESS, "'<'") && actio_parse_expr(r, &s->bound);
}

static bool drift_claim(struct actio_reader *r, struct actio_statement *s)
{
    s->rule = ACTIO_W_drift;
    actio_parse_advance(r);
    return actio_parse_take(r, ACTIO_T_OPEN, "'('") && column(r, s) && actio_parse_take(r, ACTIO_T_CLOSE, "')'")
           && below(r, s);
}

static bool residual_claim(struct actio_reader *r, struct actio_statement *s)
{
    s->rule = ACTIO_W_residual;
    actio_parse_advance(r);
    return below(r, s);
}

static bool verdict_claim(struct actio_reader *r, struct actio_statement *s)
{
    s->rule = ACTIO_W_verdict;
    actio_parse_advance(r);
    s->column_span = r->text.token.span;
    return actio_parse_word(r, &s->verdict, "a verdict");
}

/* NAME at T = V */
bool actio_parse_require(struct actio_reader *r, struct actio_statement *s)
{
    if (!column(r, s)) return false;
    if (r->text.token.kind == ACTIO_T_EQUAL)
        return actio_parse_fault(r, ACTIO_F_CLAIM_TIME, r->text.token.span, s->keyword);
    if (!actio_parse_at_word(r, ACTIO_W_at)) return actio_parse_expected(r, "`at` and a time");
    actio_parse_advance(r);
    return actio_parse_expr(r, &s->left) && actio_parse_take(r, ACTIO_T_EQUAL, "'=' and the value")
           && actio_parse_expr(r, &s->right);
}

static bool value_claim(struct actio_reader *r, struct actio_statement *s)
{
    s->rule = ACTIO_W_at;
    if (!actio_parse_require(r, s)) return false;
    if (!actio_parse_at_word(r, ACTIO_W_within)) return actio_parse_expected(r, "`within` and a tolerance");
    actio_parse_advance(r);
    return actio_parse_expr(r, &s->bound);
}

/* drift, verdict and residual are claims of their own only when what follows fits: a column may have such a name. */
static bool claim(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_parse_place start = actio_parse_save(r);
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    enum actio_token_kind next = r->text.token.kind;
    bool at = actio_parse_at_word(r, ACTIO_W_at);
    actio_parse_restore(r, start);
    if (actio_parse_at_word(r, ACTIO_W_drift) && next == ACTIO_T_OPEN) return drift_claim(r, s);
    if (actio_parse_at_word(r, ACTIO_W_residual) && next != ACTIO_T_DOT) return residual_claim(r, s);
    if (actio_parse_at_word(r, ACTIO_W_verdict) && next != ACTIO_T_OPEN_INDEX && next != ACTIO_T_PRIME && !at)
        return verdict_claim(r, s);
    return value_claim(r, s);
}

bool actio_parse_expect(struct actio_reader *r, struct actio_statement *s)
{
    uint32_t from = r->text.token.at;
    s->span = r->text.token.span;
    if (!claim(r, s)) return false;
    if (actio_parse_at_word(r, ACTIO_W_by)) {
        actio_parse_advance(r);
        s->span = r->text.token.span;
        if (!actio_parse_word(r, &s->by, "a principle")) return false;
    }
    const char *text = actio_lex_origin(r)->source.text;
    uint32_t to = r->text.token.at;
    const char *comment = memchr(text + from, '#', to - from);
    if (comment) to = (uint32_t)(comment - text);
    while (to > from && strchr(" \t\r\n", text[to - 1])) to--;
    s->text = actio_arena_text(&r->model->arena, text + from, to - from);
    return true;
}
