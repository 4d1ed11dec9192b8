/* SPDX-License-Identifier: Apache-2.0
 * The grammar's pieces, shared by the parse_*.c files. A reader returns false after it has reported what is wrong. */
#ifndef ACTIO_MODEL_PARSE_H
#define ACTIO_MODEL_PARSE_H

#include "model/reader.h"

/* ---- parse_tokens.c: tokens, names, and looking ahead */

static inline bool actio_parse_at_end(const struct actio_reader *r)
{
    return r->text.token.kind == ACTIO_T_NEWLINE || r->text.token.kind == ACTIO_T_END;
}

static inline bool actio_parse_at_comparison(const struct actio_reader *r)
{
    return r->text.token.kind >= ACTIO_T_LESS && r->text.token.kind <= ACTIO_T_MORE_EQUAL;
}

/* 1 where a bracket opens, -1 where one closes */
static inline int actio_parse_nesting(enum actio_token_kind k)
{
    return (k == ACTIO_T_OPEN_INDEX || k == ACTIO_T_OPEN) - (k == ACTIO_T_CLOSE_INDEX || k == ACTIO_T_CLOSE);
}

bool actio_parse_at_word(const struct actio_reader *r, uint32_t word);
/* reports it with a word as its argument; false */
bool actio_parse_fault(struct actio_reader *r, enum actio_code code, struct actio_span span, uint32_t word);
bool actio_parse_word(struct actio_reader *r, uint32_t *word, const char *what);
bool actio_parse_name(struct actio_reader *r, uint32_t *word, const char *what); /* a word that is not reserved */
bool actio_parse_dotted(struct actio_reader *r, uint32_t *word);                 /* the rest of lambda.c, if any */
void actio_parse_primes(struct actio_reader *r, uint32_t *count);
/* A place to come back to after looking ahead. */
struct actio_parse_place {
    struct actio_lexer lexer;
    struct actio_token token;
};
struct actio_parse_place actio_parse_save(const struct actio_reader *r);
void actio_parse_restore(struct actio_reader *r, struct actio_parse_place p);
bool actio_parse_bracket_holds(struct actio_reader *r, enum actio_token_kind kind);
bool actio_parse_has_ahead(struct actio_reader *r, enum actio_token_kind kind);
const char *actio_parse_rest_of_line(struct actio_reader *r, uint32_t at);

/* ---- parse_items.c: families, axes, and items separated by commas */

bool actio_parse_family(struct actio_reader *r, struct actio_range *range);
bool actio_parse_axis(struct actio_reader *r, uint32_t *axis);
bool actio_parse_not_a_field(struct actio_reader *r);
bool actio_parse_body(struct actio_reader *r, const struct actio_range *range, struct actio_formula *out);
typedef bool actio_parse_item_fn(struct actio_reader *r, struct actio_item *item);
bool actio_parse_items(struct actio_reader *r, struct actio_statement *s, actio_parse_item_fn *read);
bool actio_parse_another(struct actio_reader *r);                  /* past a comma, if one is here */
actio_parse_item_fn actio_parse_bare_item, actio_parse_place_item; /* NAME[3]; NAME[3] = EXPR */

/* ---- statements, without their keyword */

typedef bool actio_parse_statement_fn(struct actio_reader *r, struct actio_statement *s);
/* parse_items.c */
actio_parse_statement_fn actio_parse_params, actio_parse_variables, actio_parse_starts, actio_parse_frees,
    actio_parse_frames, actio_parse_definition, actio_parse_field, actio_parse_force, actio_parse_symmetry,
    actio_parse_settings, actio_parse_when, actio_parse_every;
/* parse_relations.c */
bool actio_parse_label(struct actio_reader *r, struct actio_statement *s);
actio_parse_statement_fn actio_parse_flow, actio_parse_constraint, actio_parse_contact, actio_parse_event;
/* parse_claims.c */
actio_parse_statement_fn actio_parse_expect, actio_parse_require;

#endif
