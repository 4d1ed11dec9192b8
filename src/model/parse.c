/* SPDX-License-Identifier: Apache-2.0
 * Statements, one function for each kind. After a fault the next statement is read: all faults of a text come in one
 * go. */
#include "model/reader.h"

#include <string.h>

void actio_parse_advance(struct actio_reader *r)
{
    r->text.passed = r->text.token.at + r->text.token.bytes;
    r->text.token = actio_lex_next(r);
}

static bool is_end(enum actio_token_kind kind) { return kind == ACTIO_T_NEWLINE || kind == ACTIO_T_END; }

bool actio_parse_expected(struct actio_reader *r, const char *what)
{
    const struct actio_token *t = &r->text.token;
    if (t->kind == ACTIO_T_BAD) return false; /* the lexer has said why */
    const char *found =
        is_end(t->kind)
            ? "the end of the line"
            : actio_arena_format(&r->scratch, "'%s'", actio_reader_quote(r, r->text.lexer.origin, t->at, t->bytes));
    actio_reader_fault(r, ACTIO_F_EXPECTED, r->text.lexer.origin, t->span,
                       ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_TEXT(found)));
    return false;
}

bool actio_parse_take(struct actio_reader *r, enum actio_token_kind kind, const char *what)
{
    if (r->text.token.kind != kind) return actio_parse_expected(r, what);
    actio_parse_advance(r);
    return true;
}

static bool parse_fault(struct actio_reader *r, enum actio_code code, struct actio_span span, uint32_t word)
{
    actio_reader_fault(r, code, r->text.lexer.origin, span, ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, word))));
    return false;
}

static bool take_word(struct actio_reader *r, uint32_t *word, const char *what)
{
    *word = r->text.token.word;
    return actio_parse_take(r, ACTIO_T_WORD, what);
}

static bool take_name(struct actio_reader *r, uint32_t *word, const char *what)
{
    struct actio_span span = r->text.token.span;
    if (!take_word(r, word, what)) return false;
    return actio_word_reserved(r, *word) ? parse_fault(r, ACTIO_F_RESERVED_NAME, span, *word) : true;
}

static bool at_word(const struct actio_reader *r, uint32_t word)
{
    return r->text.token.kind == ACTIO_T_WORD && r->text.token.word == word;
}

static const char *rest_of_line(struct actio_reader *r, uint32_t at);

/* ---- names with an index, a family or a unit */

struct place {
    struct actio_lexer lexer;
    struct actio_token token;
};
static struct place save(const struct actio_reader *r) { return (struct place){ r->text.lexer, r->text.token }; }
static void restore(struct actio_reader *r, struct place p)
{
    r->text.lexer = p.lexer;
    r->text.token = p.token;
}

static bool dotted_word(struct actio_reader *r, uint32_t *word)
{
    uint32_t label;
    if (r->text.token.kind != ACTIO_T_DOT) return true;
    actio_parse_advance(r);
    if (!take_word(r, &label, "a label after the point")) return false;
    *word = actio_word_dotted(r, *word, label);
    return true;
}

/* Does a bracket at hand hold a sign of this kind, before it closes? */
static bool bracket_holds(struct actio_reader *r, enum actio_token_kind kind)
{
    struct place start = save(r);
    int depth = 0;
    bool found = false;
    r->text.lexer.mute = true;
    do {
        enum actio_token_kind k = r->text.token.kind;
        depth += (k == ACTIO_T_OPEN_INDEX || k == ACTIO_T_OPEN) - (k == ACTIO_T_CLOSE_INDEX || k == ACTIO_T_CLOSE);
        found = k == kind;
        actio_parse_advance(r);
    } while (!found && depth > 0 && !is_end(r->text.token.kind));
    restore(r, start);
    return found;
}

/* [i = A .. B] */
static bool family(struct actio_reader *r, struct actio_range *range)
{
    actio_parse_advance(r);
    range->kind = ACTIO_R_FAMILY;
    return take_name(r, &range->index, "the index of the family")
           && actio_parse_take(r, ACTIO_T_EQUAL, "'=' after the index") && actio_parse_bounds(r, range)
           && actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'");
}

/* [i = A .. B] or [EXPR] */
static bool family_or_member(struct actio_reader *r, struct actio_range *range)
{
    if (r->text.token.kind != ACTIO_T_OPEN_INDEX) return true;
    if (bracket_holds(r, ACTIO_T_EQUAL)) return family(r, range);
    actio_parse_advance(r);
    range->kind = ACTIO_R_MEMBER;
    return actio_parse_expr(r, &range->from) && actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'");
}

static bool not_a_field(struct actio_reader *r)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    actio_reader_fault(r, ACTIO_F_NO_AXIS_HERE, r->text.lexer.origin, r->text.token.span, ACTIO_NO_ARGS);
    return false;
}

/* (s): at every point of an axis */
static bool axis_of(struct actio_reader *r, uint32_t *axis)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    actio_parse_advance(r);
    return take_name(r, axis, "the name of an axis") && actio_parse_take(r, ACTIO_T_CLOSE, "')'");
}

/* A formula in which the family's index is known. */
static bool body(struct actio_reader *r, const struct actio_range *range, struct actio_formula *out)
{
    uint32_t index = range->kind == ACTIO_R_FAMILY ? range->index : ACTIO_W_NONE;
    r->vocabulary.word[index].scope++;
    bool ok = actio_parse_expr(r, out);
    r->vocabulary.word[index].scope--;
    return ok;
}

static struct actio_item item_here(const struct actio_reader *r)
{
    return (struct actio_item){ .at = r->text.token.at, .span = r->text.token.span };
}

static void keep_item(struct actio_reader *r, struct actio_statement *s, const struct actio_item *item)
{
    ACTIO_PUSH(&r->scratch, r->parsed.item, r->parsed.items, r->parsed.items_cap) = *item;
    s->entries++;
}

static bool another(struct actio_reader *r)
{
    if (r->text.token.kind != ACTIO_T_COMMA) return false;
    actio_parse_advance(r);
    return true;
}

typedef bool item_fn(struct actio_reader *r, struct actio_item *item);

static bool item_list(struct actio_reader *r, struct actio_statement *s, item_fn *read)
{
    s->first = r->parsed.items;
    do {
        struct actio_item item = item_here(r);
        if (!read(r, &item)) return false;
        item.end = r->text.passed;
        keep_item(r, s, &item);
    } while (another(r));
    return true;
}

static bool equals(struct actio_reader *r, struct actio_item *item)
{
    return actio_parse_take(r, ACTIO_T_EQUAL, "'='") && body(r, &item->range, &item->e);
}

static bool param_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "the name of a param")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && bracket_holds(r, ACTIO_T_EQUAL) && !family(r, &item->range))
        return false;
    return actio_parse_unit(r, &item->unit) && equals(r, item);
}

static bool variable_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "a name")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && bracket_holds(r, ACTIO_T_RANGE)) {
        item->range.kind = ACTIO_R_FAMILY;
        if (bracket_holds(r, ACTIO_T_EQUAL)) { /* the index has no use here, but does no harm */
            if (!family(r, &item->range)) return false;
        } else {
            actio_parse_advance(r);
            if (!actio_parse_bounds(r, &item->range) || !actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'")) return false;
        }
    }
    return actio_parse_unit(r, &item->unit) && not_a_field(r);
}

static bool head_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "a name")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && bracket_holds(r, ACTIO_T_EQUAL) && !family(r, &item->range))
        return false;
    return axis_of(r, &item->axis) && actio_parse_unit(r, &item->unit) && equals(r, item);
}

/* NAME, NAME[3] or NAME[i = 1 .. n], then = EXPR */
static bool place_item(struct actio_reader *r, struct actio_item *item)
{
    return take_name(r, &item->word, "the name of a variable") && family_or_member(r, &item->range) && not_a_field(r)
           && equals(r, item);
}

/* the same, or a field at one place: x(1) = EXPR */
static bool force_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "the name of a variable") || !family_or_member(r, &item->range)) return false;
    if (r->text.token.kind != ACTIO_T_OPEN) return equals(r, item);
    actio_parse_advance(r);
    return actio_parse_expr(r, &item->second) && actio_parse_take(r, ACTIO_T_CLOSE, "')'") && equals(r, item);
}

/* a param of the model, or s.nodes */
static bool set_item(struct actio_reader *r, struct actio_item *item)
{
    return take_name(r, &item->word, "the name of a param") && dotted_word(r, &item->word)
           && family_or_member(r, &item->range) && not_a_field(r) && equals(r, item);
}

/* x(s) of a field statement */
static bool field_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "the name of a field")) return false;
    if (r->text.token.kind != ACTIO_T_OPEN)
        return actio_parse_expected(r, "the axis in brackets: field x(s) on s = 0 .. 1 nodes 65");
    return axis_of(r, &item->axis) && actio_parse_unit(r, &item->unit);
}

/* Does an option stand here? Such words are free names elsewhere. */
static bool is_option_ahead(struct actio_reader *r)
{
    struct place start = save(r);
    if (r->text.token.kind != ACTIO_T_WORD || r->text.token.word < ACTIO_W_restitution
        || r->text.token.word > ACTIO_W_stick)
        return false;
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool assigned = r->text.token.kind == ACTIO_T_EQUAL;
    restore(r, start);
    return assigned;
}

/* Is the bracket at hand (E, E), and not the beginning of a formula? */
static bool is_pair_ahead(struct actio_reader *r)
{
    struct place start = save(r);
    int depth = 0, commas = 0;
    r->text.lexer.mute = true;
    do {
        enum actio_token_kind k = r->text.token.kind;
        depth += (k == ACTIO_T_OPEN_INDEX || k == ACTIO_T_OPEN) - (k == ACTIO_T_CLOSE_INDEX || k == ACTIO_T_CLOSE);
        commas += k == ACTIO_T_COMMA && depth == 1;
        actio_parse_advance(r);
    } while (depth > 0 && !is_end(r->text.token.kind));
    restore(r, start);
    return commas > 0;
}

static bool pair(struct actio_reader *r, struct actio_item *item)
{
    uint32_t at = r->text.token.at;
    actio_parse_advance(r);
    if (!actio_parse_expr(r, &item->e) || !actio_parse_take(r, ACTIO_T_COMMA, "a comma and the second slip")
        || !actio_parse_expr(r, &item->second))
        return false;
    if (!is_end(r->text.token.kind)) return actio_parse_take(r, ACTIO_T_CLOSE, "')'");
    actio_reader_fault_at(r, ACTIO_F_UNCLOSED, r->text.lexer.origin, at, ACTIO_ARGS(ACTIO_TEXT(")")));
    return false;
}

static bool option_item(struct actio_reader *r, struct actio_item *item)
{
    item->is_option = true;
    if (!take_word(r, &item->word, "an option: restitution, friction, slip or stick")) return false;
    if (!actio_parse_take(r, ACTIO_T_EQUAL, "'=' after the option")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN && is_pair_ahead(r)) return pair(r, item);
    return actio_parse_expr(r, &item->e);
}

static bool bare_item(struct actio_reader *r, struct actio_item *item)
{
    return take_name(r, &item->word, "the name of a variable") && family_or_member(r, &item->range);
}

static bool acting_item(struct actio_reader *r, struct actio_item *item)
{
    return is_option_ahead(r) ? option_item(r, item) : bare_item(r, item);
}
static bool along_item(struct actio_reader *r, struct actio_item *item)
{
    return is_option_ahead(r) ? option_item(r, item) : place_item(r, item);
}

static void primes(struct actio_reader *r, uint32_t *count)
{
    for (; r->text.token.kind == ACTIO_T_PRIME; actio_parse_advance(r)) ++*count;
}

/* x(0) = 1: start data have no other time than the first. */
static bool not_at_a_time(struct actio_reader *r, const struct actio_item *item)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    struct actio_span span = r->text.token.span;
    const char *name = actio_reader_quote(r, r->text.lexer.origin, item->at, r->text.passed - item->at), *value = "...";
    int depth = 0;
    for (r->text.lexer.mute = true; !is_end(r->text.token.kind) && !(depth == 0 && r->text.token.kind == ACTIO_T_EQUAL);
         actio_parse_advance(r))
        depth += (r->text.token.kind == ACTIO_T_OPEN) - (r->text.token.kind == ACTIO_T_CLOSE);
    r->text.lexer.mute = false;
    if (r->text.token.kind == ACTIO_T_EQUAL) {
        actio_parse_advance(r);
        value = rest_of_line(r, r->text.token.at);
    }
    value = actio_arena_text(&r->scratch, value, strcspn(value, ","));
    actio_reader_fault(r, ACTIO_F_START_PLACE, r->text.lexer.origin, span,
                       ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(value)));
    return false;
}

/* x, x', lambda.c; the prime may stand before or behind an index */
static bool start_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_name(r, &item->word, "the name of a variable") || !dotted_word(r, &item->word)) return false;
    primes(r, &item->primes);
    if (!family_or_member(r, &item->range)) return false;
    primes(r, &item->primes);
    return not_at_a_time(r, item) && equals(r, item);
}

/* x, x', a[3]', a[i = 1 .. n]; other words are explained when names are known */
static bool free_item(struct actio_reader *r, struct actio_item *item)
{
    if (!take_word(r, &item->word, "the name of a variable") || !dotted_word(r, &item->word)) return false;
    primes(r, &item->primes);
    if (!family_or_member(r, &item->range)) return false;
    primes(r, &item->primes);
    return r->text.token.kind != ACTIO_T_EQUAL
           || actio_parse_expected(r, "a comma or the end of the line (a guess is given by `start`)");
}

/* ---- statements */

static bool model_statement(struct actio_reader *r, struct actio_statement *s)
{
    return take_word(r, &s->label, "the model's name");
}
static bool param_statement(struct actio_reader *r, struct actio_statement *s) { return item_list(r, s, param_item); }
static bool variable_statement(struct actio_reader *r, struct actio_statement *s)
{
    return item_list(r, s, variable_item);
}
static bool start_statement(struct actio_reader *r, struct actio_statement *s) { return item_list(r, s, start_item); }
static bool free_statement(struct actio_reader *r, struct actio_statement *s) { return item_list(r, s, free_item); }
static bool frame_statement(struct actio_reader *r, struct actio_statement *s) { return item_list(r, s, head_item); }
static bool formula_statement(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_expr(r, &s->left);
}

static bool head_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_item item = item_here(r);
    s->first = r->parsed.items;
    if (!head_item(r, &item)) return false;
    keep_item(r, s, &item);
    return true;
}

/* Does the statement at hand have a sign of this kind outside of brackets? */
static bool statement_has(struct actio_reader *r, enum actio_token_kind kind)
{
    struct place start = save(r);
    int depth = 0;
    bool found = false;
    for (r->text.lexer.mute = true; !found && !is_end(r->text.token.kind); actio_parse_advance(r)) {
        enum actio_token_kind k = r->text.token.kind;
        depth += (k == ACTIO_T_OPEN_INDEX || k == ACTIO_T_OPEN) - (k == ACTIO_T_CLOSE_INDEX || k == ACTIO_T_CLOSE);
        found = k == kind && depth == 0;
    }
    restore(r, start);
    return found;
}

/* What stands from here to the end of the line, without a comment. */
static const char *rest_of_line(struct actio_reader *r, uint32_t at)
{
    const struct actio_source *s = &actio_lex_origin(r)->source;
    uint32_t n = 0;
    while (at + n < s->length && !strchr("#\r\n", s->text[at + n])) n++;
    while (n && strchr(" \t", s->text[at + n - 1])) n--;
    return actio_reader_quote(r, r->text.lexer.origin, at, n);
}

/* Is what stands here the beginning of a formula? After two words in a row only the colon between them is missing. */
static bool begins_formula(struct actio_reader *r)
{
    struct place start = save(r);
    bool word = r->text.token.kind == ACTIO_T_WORD;
    if (is_end(r->text.token.kind) || r->text.token.kind == ACTIO_T_BAD) return false;
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool two =
        word
        && (r->text.token.kind == ACTIO_T_WORD || r->text.token.kind == ACTIO_T_NUMBER || is_end(r->text.token.kind));
    restore(r, start);
    return !two;
}

static bool label(struct actio_reader *r, struct actio_statement *s)
{
    s->span = r->text.token.span;
    s->at = r->text.token.at;
    if (begins_formula(r) && !statement_has(r, ACTIO_T_COLON)) {
        const char *keyword = actio_word_text(r, s->keyword), *rest = rest_of_line(r, s->at);
        actio_reader_fault(r, ACTIO_F_LABEL_MISSING, r->text.lexer.origin, s->span,
                           ACTIO_ARGS(ACTIO_TEXT(keyword), ACTIO_TEXT(rest)));
        return false;
    }
    if (!take_name(r, &s->label, "a label")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && !family(r, &s->family)) return false;
    bool ok = s->keyword == ACTIO_W_constraint ? axis_of(r, &s->axis) : not_a_field(r);
    return ok && actio_parse_take(r, ACTIO_T_COLON, "':' after the label");
}

/* field x(s), y(s) on s = A .. B nodes N; the axis is the first item where it is declared here */
static bool field_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_statement names = { 0 };
    if (!item_list(r, &names, field_item)) return false;
    s->first = names.first;
    s->entries = names.entries;
    if (!at_word(r, ACTIO_W_on)) return actio_parse_expected(r, "`on` and the axis: field x(s) on s = 0 .. 1 nodes 65");
    actio_parse_advance(r);
    struct actio_item axis = item_here(r);
    if (!take_name(r, &axis.word, "the name of an axis")) return false;
    s->axis = axis.axis = axis.word;
    if (r->text.token.kind != ACTIO_T_EQUAL) return true;
    actio_parse_advance(r);
    if (!actio_parse_bounds(r, &axis.range)) return false;
    if (!at_word(r, ACTIO_W_nodes)) return actio_parse_expected(r, "`nodes` and their number");
    actio_parse_advance(r);
    if (!actio_parse_expr(r, &axis.e)) return false;
    keep_item(r, s, &axis);
    return true;
}

static bool force_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct place start = save(r);
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool labelled = r->text.token.kind == ACTIO_T_COLON;
    restore(r, start);
    return (!labelled || label(r, s)) && item_list(r, s, force_item);
}

/* Reads [i = A .. B] at hand and remembers where its bracket closes. */
static bool read_left_family(struct actio_reader *r, struct actio_range *range, struct actio_left_family *found)
{
    actio_parse_advance(r);
    found->at = r->text.token.at;
    range->kind = ACTIO_R_FAMILY;
    if (!take_name(r, &range->index, "an index") || !actio_parse_take(r, ACTIO_T_EQUAL, "'='")
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
    struct place start = save(r), bracket = start;
    int since = 0; /* tokens since the last open bracket */
    for (r->text.lexer.mute = true; r->text.token.kind != ACTIO_T_EQUAL && !is_end(r->text.token.kind);
         actio_parse_advance(r), since++)
        if (r->text.token.kind == ACTIO_T_OPEN_INDEX) {
            bracket = save(r);
            since = 0;
        }
    bool is_family = r->text.token.kind == ACTIO_T_EQUAL && since == 2 && bracket.token.kind == ACTIO_T_OPEN_INDEX;
    if (is_family) {
        bracket.lexer.mute = false;
        restore(r, bracket);
        if (!read_left_family(r, range, found)) return false;
    }
    restore(r, start);
    return true;
}

static bool flow_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_left_family found;
    bool ok = find_family(r, &s->family, &found) && body(r, &s->family, &s->left);
    r->text.left_family = NULL;
    return ok && actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the flow: p' = ...") && body(r, &s->family, &s->right);
}

static bool is_comparison(enum actio_token_kind k) { return k >= ACTIO_T_LESS && k <= ACTIO_T_MORE_EQUAL; }

/* Items in which the index of the label's family is known. */
static bool member_list(struct actio_reader *r, struct actio_statement *s, item_fn *read)
{
    uint32_t index = s->family.kind == ACTIO_R_FAMILY ? s->family.index : ACTIO_W_NONE;
    r->vocabulary.word[index].scope++;
    bool ok = item_list(r, s, read);
    r->vocabulary.word[index].scope--;
    return ok;
}

static bool options(struct actio_reader *r, struct actio_statement *s)
{
    return !another(r) || member_list(r, s, option_item);
}

static bool reaction_rule(struct actio_reader *r, struct actio_statement *s)
{
    if (!at_word(r, ACTIO_W_acting) && !at_word(r, ACTIO_W_along)) return options(r, s);
    s->rule = r->text.token.word;
    actio_parse_advance(r);
    return member_list(r, s, s->rule == ACTIO_W_acting ? acting_item : along_item);
}

static bool constraint_statement(struct actio_reader *r, struct actio_statement *s)
{
    if (!label(r, s) || !body(r, &s->family, &s->left)) return false;
    if (is_comparison(r->text.token.kind))
        return parse_fault(r, ACTIO_F_CONSTRAINT_IS_EQUALITY, r->text.token.span, ACTIO_W_NONE);
    return actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the constraint") && body(r, &s->family, &s->right)
           && reaction_rule(r, s);
}

static bool contact_statement(struct actio_reader *r, struct actio_statement *s)
{
    if (!label(r, s) || !body(r, &s->family, &s->left)) return false;
    enum actio_token_kind sign = r->text.token.kind;
    if (sign == ACTIO_T_EQUAL || sign == ACTIO_T_LESS || sign == ACTIO_T_MORE)
        return parse_fault(r, ACTIO_F_CONTACT_IS_INEQUALITY, r->text.token.span, ACTIO_W_NONE);
    if (!is_comparison(sign)) return actio_parse_expected(r, "'<=' or '>=' in the contact");
    s->at_most = sign == ACTIO_T_LESS_EQUAL;
    actio_parse_advance(r);
    if (!body(r, &s->family, &s->right)) return false;
    return is_comparison(r->text.token.kind) ? parse_fault(r, ACTIO_F_CONTACT_TWO_SIDED, r->text.token.span, s->label)
                                             : options(r, s);
}

static bool event_statement(struct actio_reader *r, struct actio_statement *s)
{
    if (!label(r, s) || !body(r, &s->family, &s->left)) return false;
    if (is_comparison(r->text.token.kind))
        return parse_fault(r, ACTIO_F_EVENT_IS_EQUALITY, r->text.token.span, ACTIO_W_NONE);
    return actio_parse_take(r, ACTIO_T_EQUAL, "'=' in the event") && body(r, &s->family, &s->right);
}

static bool symmetry_statement(struct actio_reader *r, struct actio_statement *s)
{
    if (!label(r, s)) return false;
    if (!at_word(r, ACTIO_W_time)) return item_list(r, s, place_item);
    s->rule = ACTIO_W_time;
    actio_parse_advance(r);
    return true;
}

static bool time_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_range range = { 0 };
    bool ok = actio_parse_bounds(r, &range);
    s->left = range.from;
    s->right = range.to;
    return ok;
}

/* ---- claims */

/* Does a bracket follow the name at hand, and its primes? */
static bool is_place_ahead(struct actio_reader *r)
{
    struct place start = save(r);
    if (r->text.token.kind != ACTIO_T_WORD) return false;
    r->text.lexer.mute = true;
    do actio_parse_advance(r);
    while (r->text.token.kind == ACTIO_T_PRIME);
    bool found = r->text.token.kind == ACTIO_T_OPEN;
    restore(r, start);
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
    if (!take_word(r, &s->column, "the name of a column") || !dotted_word(r, &s->column)) return false;
    primes(r, &s->column_primes);
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX) {
        actio_parse_advance(r);
        double k = r->text.token.number;
        if (r->text.token.kind != ACTIO_T_NUMBER || !actio_parse_small_whole(k))
            return actio_parse_expected(r, "a whole number");
        s->column = actio_word_member(r, s->column, k);
        actio_parse_advance(r);
        if (!actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'")) return false;
    }
    primes(r, &s->column_primes);
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
    return take_word(r, &s->verdict, "a verdict");
}

/* NAME at T = V */
static bool parse_value_at(struct actio_reader *r, struct actio_statement *s)
{
    if (!column(r, s)) return false;
    if (r->text.token.kind == ACTIO_T_EQUAL) return parse_fault(r, ACTIO_F_CLAIM_TIME, r->text.token.span, s->keyword);
    if (!at_word(r, ACTIO_W_at)) return actio_parse_expected(r, "`at` and a time");
    actio_parse_advance(r);
    return actio_parse_expr(r, &s->left) && actio_parse_take(r, ACTIO_T_EQUAL, "'=' and the value")
           && actio_parse_expr(r, &s->right);
}

static bool value_claim(struct actio_reader *r, struct actio_statement *s)
{
    s->rule = ACTIO_W_at;
    if (!parse_value_at(r, s)) return false;
    if (!at_word(r, ACTIO_W_within)) return actio_parse_expected(r, "`within` and a tolerance");
    actio_parse_advance(r);
    return actio_parse_expr(r, &s->bound);
}

/* drift, verdict and residual are claims of their own only when what follows fits: a column may have such a name. */
static bool claim(struct actio_reader *r, struct actio_statement *s)
{
    struct place start = save(r);
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    enum actio_token_kind next = r->text.token.kind;
    bool at = at_word(r, ACTIO_W_at);
    restore(r, start);
    if (at_word(r, ACTIO_W_drift) && next == ACTIO_T_OPEN) return drift_claim(r, s);
    if (at_word(r, ACTIO_W_residual) && next != ACTIO_T_DOT) return residual_claim(r, s);
    if (at_word(r, ACTIO_W_verdict) && next != ACTIO_T_OPEN_INDEX && next != ACTIO_T_PRIME && !at)
        return verdict_claim(r, s);
    return value_claim(r, s);
}

static bool expect_statement(struct actio_reader *r, struct actio_statement *s)
{
    uint32_t from = r->text.token.at;
    s->span = r->text.token.span;
    if (!claim(r, s)) return false;
    if (at_word(r, ACTIO_W_by)) {
        actio_parse_advance(r);
        s->span = r->text.token.span;
        if (!take_word(r, &s->by, "a principle")) return false;
    }
    const char *text = actio_lex_origin(r)->source.text;
    uint32_t to = r->text.token.at;
    const char *comment = memchr(text + from, '#', to - from);
    if (comment) to = (uint32_t)(comment - text);
    while (to > from && strchr(" \t\r\n", text[to - 1])) to--;
    s->text = actio_arena_text(&r->model->arena, text + from, to - from);
    return true;
}

/* ---- the whole text */

typedef bool statement_fn(struct actio_reader *r, struct actio_statement *s);

static statement_fn *const statement_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_model] = model_statement,
    [ACTIO_W_param] = param_statement,
    [ACTIO_W_let] = head_statement,
    [ACTIO_W_coord] = variable_statement,
    [ACTIO_W_state] = variable_statement,
    [ACTIO_W_lagrangian] = formula_statement,
    [ACTIO_W_dissipation] = formula_statement,
    [ACTIO_W_flow] = flow_statement,
    [ACTIO_W_force] = force_statement,
    [ACTIO_W_constraint] = constraint_statement,
    [ACTIO_W_symmetry] = symmetry_statement,
    [ACTIO_W_start] = start_statement,
    [ACTIO_W_frame] = frame_statement,
    [ACTIO_W_contact] = contact_statement,
    [ACTIO_W_event] = event_statement,
    [ACTIO_W_time] = time_statement,
    [ACTIO_W_observe] = head_statement,
    [ACTIO_W_expect] = expect_statement,
    [ACTIO_W_free] = free_statement,
    [ACTIO_W_require] = parse_value_at,
    [ACTIO_W_field] = field_statement,
};

static const char *missing_hint(struct actio_reader *r, uint32_t keyword)
{
    static const char *const rules[] = { "acting", "along" };
    if (keyword == ACTIO_W_require && (at_word(r, ACTIO_W_within) || at_word(r, ACTIO_W_by)))
        return "end the condition with its value, or write expect to check a value with a tolerance";
    if (keyword == ACTIO_W_coord || keyword == ACTIO_W_state || keyword == ACTIO_W_free)
        return "separate the names with commas";
    const char *near = keyword == ACTIO_W_constraint && r->text.token.kind == ACTIO_T_WORD
                           ? actio_near_name(actio_word_text(r, r->text.token.word), rules, 2)
                           : NULL;
    return near                       ? actio_arena_format(&r->scratch, "did you mean '%s'?", near)
           : keyword == ACTIO_W_model ? "use a single word as the model's name"
                                      : "write * for a product";
}

/* param g = 9.81 [m/s^2]: the same with the unit in its place, if that can be made from the last item. */
static bool unit_behind_value(struct actio_reader *r, uint32_t keyword)
{
    struct actio_token open = r->text.token;
    bool declares =
        (keyword == ACTIO_W_param || keyword == ACTIO_W_observe) && r->parsed.items && actio_lex_origin(r) == r->origin;
    const struct actio_item *last = declares ? &r->parsed.item[r->parsed.items - 1] : NULL;
    const char *value =
        last ? actio_reader_quote(r, r->text.lexer.origin, r->text.formula_at, r->text.passed - r->text.formula_at)
             : "";
    r->text.lexer.mute = true;
    while (!is_end(r->text.token.kind) && r->text.token.kind != ACTIO_T_CLOSE_INDEX) actio_parse_advance(r);
    const char *unit =
        actio_reader_quote(r, r->text.lexer.origin, open.at, r->text.token.at + r->text.token.bytes - open.at);
    const char *better = last && !last->unit
                             ? actio_arena_format(&r->scratch, "%s %s %s = %s", actio_word_text(r, keyword),
                                                  actio_word_text(r, last->word), unit, value)
                             : ACTIO_UNIT_EXAMPLE;
    actio_reader_fault(r, ACTIO_F_UNIT_PLACE, r->text.lexer.origin, open.span, ACTIO_ARGS(ACTIO_TEXT(better)));
    return false;
}

/* After a formula only an operator could follow: what stands there instead is mostly a missing sign. */
static bool statement_ends(struct actio_reader *r, uint32_t keyword)
{
    enum actio_token_kind k = r->text.token.kind;
    if (is_end(k)) return true;
    if (actio_parse_at_unit(r)) return unit_behind_value(r, keyword);
    if (k == ACTIO_T_OPEN_INDEX) return parse_fault(r, ACTIO_F_INDEX_AFTER_NAME, r->text.token.span, ACTIO_W_NONE);
    if (k == ACTIO_T_EQUAL && (keyword == ACTIO_W_lagrangian || keyword == ACTIO_W_dissipation))
        return parse_fault(r, ACTIO_F_FORMULA_HAS_NO_NAME, r->text.token.span, keyword);
    if (is_comparison(k)) return parse_fault(r, ACTIO_F_COMPARISON_HERE, r->text.token.span, ACTIO_W_NONE);
    if (k != ACTIO_T_WORD && k != ACTIO_T_NUMBER && k != ACTIO_T_OPEN)
        return actio_parse_expected(r, keyword == ACTIO_W_require && k == ACTIO_T_COMMA
                                           ? "the end of the line (each condition is a `require` of its own)"
                                           : "an operator or the end of the line");
    if (actio_at_joint(r)) return parse_fault(r, ACTIO_F_JOINT_HERE, r->text.token.span, r->text.token.word);
    const char *found = actio_reader_quote(r, r->text.lexer.origin, r->text.token.at, r->text.token.bytes);
    actio_reader_fault(r, ACTIO_F_OPERATOR_MISSING, r->text.lexer.origin, r->text.token.span,
                       ACTIO_ARGS(ACTIO_TEXT(found), ACTIO_TEXT(missing_hint(r, keyword))));
    return false;
}

/* Past a statement that could not be read. What it may have declared is not reported as unknown later. */
static void skip_statement(struct actio_reader *r, struct place start)
{
    restore(r, start);
    for (r->text.lexer.mute = true; !is_end(r->text.token.kind); actio_parse_advance(r))
        if (r->text.token.kind == ACTIO_T_WORD) r->vocabulary.word[r->text.token.word].suspect = true;
    r->text.lexer.mute = false;
}

static bool unknown_statement(struct actio_reader *r)
{
    if (r->text.token.kind != ACTIO_T_WORD)
        return actio_parse_expected(r, "a statement, which begins with its keyword");
    const char *text = actio_word_text(r, r->text.token.word);
    if (r->vocabulary.word[r->text.token.word].class == ACTIO_WC_LATER) {
        actio_reader_fault(r, ACTIO_F_NOT_IN_VERSION, r->text.lexer.origin, r->text.token.span,
                           ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT("statements are")));
        return false;
    }
    const char *hint =
        actio_word_hint(r, text, ACTIO_NEAR_STATEMENT,
                        "begin the line with a keyword: param, coord, lagrangian, constraint, start, time, expect ...");
    actio_reader_fault(r, ACTIO_F_UNKNOWN_STATEMENT, r->text.lexer.origin, r->text.token.span,
                       ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(hint)));
    return false;
}

/* What stands between a keyword and its '='; the others have none. */
static const char *const before_equal[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_param] = "param NAME = %s",
    [ACTIO_W_let] = "let NAME = %s",
    [ACTIO_W_observe] = "observe NAME = %s",
    [ACTIO_W_frame] = "frame u = %s",
    [ACTIO_W_force] = "force x = %s, with the coordinate x that it acts on",
    [ACTIO_W_flow] = "flow p' = %s, with the state p that it moves",
    [ACTIO_W_start] = "start x = %s, with the coordinate or state x",
    [ACTIO_W_constraint] = "constraint NAME: A = %s",
    [ACTIO_W_event] = "event NAME: A = %s",
    [ACTIO_W_contact] = "contact NAME: A <= %s",
    [ACTIO_W_symmetry] = "symmetry NAME: x = %s, with a coordinate x",
    [ACTIO_W_expect] = "expect NAME at T = %s",
    [ACTIO_W_require] = "require NAME at T = %s",
};

/* lagrangian = T - V */
static bool no_equal_here(struct actio_reader *r, uint32_t keyword)
{
    struct actio_token equal = r->text.token;
    if (equal.kind != ACTIO_T_EQUAL) return true;
    const char *rest = rest_of_line(r, equal.at + equal.bytes);
    rest += strspn(rest, " \t");
    if (before_equal[keyword]) {
        const char *form = actio_arena_format(&r->scratch, before_equal[keyword], rest);
        actio_reader_fault(r, ACTIO_F_NO_NAME_BEFORE_EQUAL, r->text.lexer.origin, equal.span,
                           ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, keyword)), ACTIO_TEXT(form)));
        return false;
    }
    actio_reader_fault(r, ACTIO_F_EQUAL_AFTER_KEYWORD, r->text.lexer.origin, equal.span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, keyword)), ACTIO_TEXT(rest)));
    return false;
}

static void statement(struct actio_reader *r, uint32_t keyword)
{
    struct place start = save(r);
    actio_parse_advance(r);
    struct actio_statement s = {
        .keyword = keyword, .at = r->text.token.at, .span = r->text.token.span, .origin = r->text.lexer.origin
    };
    bool ok = no_equal_here(r, keyword) && statement_of[keyword](r, &s);
    s.end = r->text.passed;
    if (ok && statement_ends(r, keyword))
        ACTIO_PUSH(&r->scratch, r->parsed.statement, r->parsed.statements, r->parsed.statements_cap) = s;
    else skip_statement(r, start);
}

static bool declares(uint32_t word)
{
    return word == ACTIO_W_param || word == ACTIO_W_let || word == ACTIO_W_coord || word == ACTIO_W_state
           || word == ACTIO_W_frame || word == ACTIO_W_observe || word == ACTIO_W_field;
}

/* A name is declared behind the keyword, a comma that no bracket holds, and `on` of a field. */
static void mark_statement(struct actio_reader *r, uint32_t keyword)
{
    bool expected = true;
    for (int depth = 0; !is_end(r->text.token.kind);) {
        struct actio_token t = r->text.token;
        actio_parse_advance(r);
        if (expected && t.kind == ACTIO_T_WORD) {
            r->vocabulary.word[t.word].declared = true;
            r->vocabulary.word[t.word].is_along |= r->text.token.kind == ACTIO_T_OPEN;
        }
        depth += (t.kind == ACTIO_T_OPEN || t.kind == ACTIO_T_OPEN_INDEX)
                 - (t.kind == ACTIO_T_CLOSE || t.kind == ACTIO_T_CLOSE_INDEX);
        expected = depth == 0
                   && (t.kind == ACTIO_T_COMMA
                       || (keyword == ACTIO_W_field && t.kind == ACTIO_T_WORD && t.word == ACTIO_W_on));
    }
}

/* Which values the model declares, before any formula is read: a word like mod is a function only where none has that
 * name. */
static void mark_declared(struct actio_reader *r)
{
    actio_lex_open(r, 0);
    r->text.lexer.mute = true;
    for (actio_parse_advance(r); r->text.token.kind != ACTIO_T_END; actio_parse_advance(r)) {
        uint32_t word = r->text.token.kind == ACTIO_T_WORD ? r->text.token.word : ACTIO_W_NONE;
        actio_poll(r->ctx);
        while (!is_end(r->text.token.kind) && !declares(word)) actio_parse_advance(r);
        if (declares(word)) {
            actio_parse_advance(r);
            mark_statement(r, word);
        }
        if (r->text.token.kind == ACTIO_T_END) break;
    }
}

void actio_parse_model(struct actio_reader *r)
{
    mark_declared(r);
    actio_lex_open(r, 0);
    for (actio_parse_advance(r); r->text.token.kind != ACTIO_T_END;) {
        actio_poll(r->ctx);
        uint32_t word = r->text.token.kind == ACTIO_T_WORD ? r->text.token.word : ACTIO_W_NONE;
        if (r->text.token.kind == ACTIO_T_NEWLINE) actio_parse_advance(r);
        else if (word < ACTIO_W_FIRST_FUNCTION && statement_of[word]) statement(r, word);
        else {
            unknown_statement(r);
            skip_statement(r, save(r));
        }
    }
}

/* An option is one statement without its keyword. */
void actio_parse_option(struct actio_reader *r, uint16_t origin, enum actio_override_kind kind)
{
    static const uint32_t keyword[] = { [ACTIO_SET_PARAM] = ACTIO_W_param,
                                        [ACTIO_SET_START] = ACTIO_W_start,
                                        [ACTIO_SET_TIME] = ACTIO_W_time,
                                        [ACTIO_SET_WEIGHTS] = ACTIO_W_weights,
                                        [ACTIO_SET_POTENTIAL] = ACTIO_W_potential,
                                        [ACTIO_SET_BASE] = ACTIO_W_base,
                                        [ACTIO_SET_FINAL] = ACTIO_W_final,
                                        [ACTIO_SET_PERIOD] = ACTIO_W_time,
                                        [ACTIO_SET_WAY] = ACTIO_W_time,
                                        [ACTIO_SET_TURN] = ACTIO_W_start };
    actio_lex_open(r, origin);
    actio_parse_advance(r);
    struct actio_statement s = {
        .keyword = keyword[kind], .at = r->text.token.at, .span = r->text.token.span, .origin = origin
    };
    s.option = kind;
    bool list = kind == ACTIO_SET_WEIGHTS || kind == ACTIO_SET_BASE || kind == ACTIO_SET_FINAL;
    bool ok = kind == ACTIO_SET_PARAM       ? item_list(r, &s, set_item)
              : list                        ? start_statement(r, &s)
              : kind == ACTIO_SET_POTENTIAL ? formula_statement(r, &s)
              : kind == ACTIO_SET_PERIOD    ? actio_parse_expr(r, &s.right)
                                            : statement_of[keyword[kind]](r, &s);
    ok = ok && statement_ends(r, s.keyword)
         && (r->text.token.kind == ACTIO_T_END || actio_parse_expected(r, "the end of the option"));
    if (ok) ACTIO_PUSH(&r->scratch, r->parsed.statement, r->parsed.statements, r->parsed.statements_cap) = s;
}
