/* SPDX-License-Identifier: Apache-2.0
 * Statements with two sides: flow, constraint, contact, event. Most have a label before them, and rules of the
 * reaction or options of a wall behind. */
#include "model/parse.h"

/* ---- labels */

/* Is what stands here the beginning of a formula? After two words in a row only the colon between them is missing. */
static bool begins_formula(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    bool word = r->text.token.kind == ACTIO_T_WORD;
    if (actio_parse_at_end(r) || r->text.token.kind == ACTIO_T_BAD) return false;
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool two =
        word && (r->text.token.kind == ACTIO_T_WORD || r->text.token.kind == ACTIO_T_NUMBER || actio_parse_at_end(r));
    actio_parse_restore(r, start);
    return !two;
}

bool actio_parse_label(struct actio_reader *r, struct actio_statement *s)
{
    s->span = r->text.token.span;
    s->at = r->text.token.at;
    if (begins_formula(r) && !actio_parse_has_ahead(r, ACTIO_T_COLON)) {
        const char *keyword = actio_word_text(r, s->keyword), *rest = actio_parse_rest_of_line(r, s->at);
        actio_reader_fault(r, ACTIO_F_LABEL_MISSING, r->text.lexer.origin, s->span,
                           ACTIO_ARGS(ACTIO_TEXT(keyword), ACTIO_TEXT(rest)));
        return false;
    }
    if (!actio_parse_name(r, &s->label, "a label")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && !actio_parse_family(r, &s->family)) return false;
    bool ok = s->keyword == ACTIO_W_constraint ? actio_parse_axis(r, &s->axis) : actio_parse_not_a_field(r);
    return ok && actio_parse_take(r, ACTIO_T_COLON, "':' after the label");
}

/* ---- flows */

/* Reads [i = A .. B] at hand and remembers where its bracket closes. */
static bool read_left_family(struct actio_reader *r, struct actio_range *range, struct actio_left_family *found)
{
    actio_parse_advance(r);
    found->at = r->text.token.at;
    range->kind = ACTIO_R_FAMILY;
    if (!actio_parse_name(r, &range->index, "an index") || !actio_parse_take(r, ACTIO_T_EQUAL, "'='")
        || !actio_parse_bounds(r, range))
        return false;
    found->after = r->text.lexer;
    found->token = r->text.token;
    r->text.left_family = found;
    return true;
}

/* A flow's family stands inside its left side, maybe behind the first use of its index: it is looked for beforehand. */
static bool find_family(struct actio_reader *r, struct actio_range *range, struct actio_left_family *found)
{
    struct actio_parse_place start = actio_parse_save(r), bracket = start;
    int since = 0; /* tokens since the last open bracket */
    for (r->text.lexer.mute = true; r->text.token.kind != ACTIO_T_EQUAL && !actio_parse_at_end(r);
         actio_parse_advance(r), since++)
        if (r->text.token.kind == ACTIO_T_OPEN_INDEX) {
            bracket = actio_parse_save(r);
            since = 0;
        }
    bool is_family = r->text.token.kind == ACTIO_T_EQUAL && since == 2 && bracket.token.kind == ACTIO_T_OPEN_INDEX;
    if (is_family) {
        bracket.lexer.mute = false;
        actio_parse_restore(r, bracket);
        if (!read_left_family(r, range, found)) return false;
    }
    actio_parse_restore(r, start);
    return true;
}

bool actio_parse_flow(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_left_family found;
    bool ok = find_family(r, &s->family, &found) && actio_parse_body(r, &s->family, &s->left);
    r->text.left_family = NULL;
    return ok && actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the flow: p' = ...")
           && actio_parse_body(r, &s->family, &s->right);
}

/* ---- options and rules behind the right side */

/* Does an option stand here? Such words are free names elsewhere. */
static bool is_option_ahead(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    if (r->text.token.kind != ACTIO_T_WORD || r->text.token.word < ACTIO_W_restitution
        || r->text.token.word > ACTIO_W_stick)
        return false;
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool assigned = r->text.token.kind == ACTIO_T_EQUAL;
    actio_parse_restore(r, start);
    return assigned;
}

/* Is the bracket at hand (E, E), and not the beginning of a formula? */
static bool is_pair_ahead(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    int depth = 0, commas = 0;
    r->text.lexer.mute = true;
    do {
        enum actio_token_kind k = r->text.token.kind;
        depth += actio_parse_nesting(k);
        commas += k == ACTIO_T_COMMA && depth == 1;
        actio_parse_advance(r);
    } while (depth > 0 && !actio_parse_at_end(r));
    actio_parse_restore(r, start);
    return commas > 0;
}

static bool pair(struct actio_reader *r, struct actio_item *item)
{
    uint32_t at = r->text.token.at;
    actio_parse_advance(r);
    if (!actio_parse_expr(r, &item->e) || !actio_parse_take(r, ACTIO_T_COMMA, "a comma and the second slip")
        || !actio_parse_expr(r, &item->second))
        return false;
    if (!actio_parse_at_end(r)) return actio_parse_take(r, ACTIO_T_CLOSE, "')'");
    actio_reader_fault_at(r, ACTIO_F_UNCLOSED, r->text.lexer.origin, at, ACTIO_ARGS(ACTIO_TEXT(")")));
    return false;
}

static bool option_item(struct actio_reader *r, struct actio_item *item)
{
    item->is_option = true;
    if (!actio_parse_word(r, &item->word, "an option: restitution, friction, slip or stick")) return false;
    if (!actio_parse_take(r, ACTIO_T_EQUAL, "'=' after the option")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN && is_pair_ahead(r)) return pair(r, item);
    return actio_parse_expr(r, &item->e);
}

static bool acting_item(struct actio_reader *r, struct actio_item *item)
{
    return is_option_ahead(r) ? option_item(r, item) : actio_parse_bare_item(r, item);
}

static bool along_item(struct actio_reader *r, struct actio_item *item)
{
    return is_option_ahead(r) ? option_item(r, item) : actio_parse_place_item(r, item);
}

/* Items in which the index of the label's family is known. */
static bool member_list(struct actio_reader *r, struct actio_statement *s, actio_parse_item_fn *read)
{
    uint32_t index = s->family.kind == ACTIO_R_FAMILY ? s->family.index : ACTIO_W_NONE;
    r->vocabulary.word[index].scope++;
    bool ok = actio_parse_items(r, s, read);
    r->vocabulary.word[index].scope--;
    return ok;
}

static bool options(struct actio_reader *r, struct actio_statement *s)
{
    return !actio_parse_another(r) || member_list(r, s, option_item);
}

static bool reaction_rule(struct actio_reader *r, struct actio_statement *s)
{
    if (!actio_parse_at_word(r, ACTIO_W_acting) && !actio_parse_at_word(r, ACTIO_W_along)) return options(r, s);
    s->rule = r->text.token.word;
    actio_parse_advance(r);
    return member_list(r, s, s->rule == ACTIO_W_acting ? acting_item : along_item);
}

/* ---- constraints, contacts, events */

bool actio_parse_constraint(struct actio_reader *r, struct actio_statement *s)
{
    if (!actio_parse_label(r, s) || !actio_parse_body(r, &s->family, &s->left)) return false;
    if (actio_parse_at_comparison(r))
        return actio_parse_fault(r, ACTIO_F_CONSTRAINT_IS_EQUALITY, r->text.token.span, ACTIO_W_NONE);
    return actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the constraint") && actio_parse_body(r, &s->family, &s->right)
           && reaction_rule(r, s);
}

bool actio_parse_contact(struct actio_reader *r, struct actio_statement *s)
{
    if (!actio_parse_label(r, s) || !actio_parse_body(r, &s->family, &s->left)) return false;
    enum actio_token_kind sign = r->text.token.kind;
    if (sign == ACTIO_T_EQUAL || sign == ACTIO_T_LESS || sign == ACTIO_T_MORE)
        return actio_parse_fault(r, ACTIO_F_CONTACT_IS_INEQUALITY, r->text.token.span, ACTIO_W_NONE);
    if (!actio_parse_at_comparison(r)) return actio_parse_expected(r, "'<=' or '>=' in the contact");
    s->at_most = sign == ACTIO_T_LESS_EQUAL;
    actio_parse_advance(r);
    if (!actio_parse_body(r, &s->family, &s->right)) return false;
    return actio_parse_at_comparison(r) ? actio_parse_fault(r, ACTIO_F_CONTACT_TWO_SIDED, r->text.token.span, s->label)
                                        : options(r, s);
}

bool actio_parse_event(struct actio_reader *r, struct actio_statement *s)
{
    if (!actio_parse_label(r, s) || !actio_parse_body(r, &s->family, &s->left)) return false;
    if (actio_parse_at_comparison(r))
        return actio_parse_fault(r, ACTIO_F_EVENT_IS_EQUALITY, r->text.token.span, ACTIO_W_NONE);
    if (!actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the event") || !actio_parse_body(r, &s->family, &s->right))
        return false;
    if (!actio_parse_at_word(r, ACTIO_W_rising) && !actio_parse_at_word(r, ACTIO_W_falling)) return true;
    s->rule = r->text.token.word;
    actio_parse_advance(r);
    return true;
}
