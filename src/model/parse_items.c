/* SPDX-License-Identifier: Apache-2.0
 * Statements that are lists of items: params, variables, fields, forces, symmetries, start data. A name may have an
 * index, a family, an axis or a unit. */
#include "model/parse.h"

#include <string.h>

/* ---- families and axes */

/* [i = A .. B] */
bool actio_parse_family(struct actio_reader *r, struct actio_range *range)
{
    actio_parse_advance(r);
    range->kind = ACTIO_R_FAMILY;
    return actio_parse_name(r, &range->index, "the index of the family")
           && actio_parse_take(r, ACTIO_T_EQUAL, "'=' after the index") && actio_parse_bounds(r, range)
           && actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'");
}

/* [i = A .. B] or [EXPR] */
static bool family_or_member(struct actio_reader *r, struct actio_range *range)
{
    if (r->text.token.kind != ACTIO_T_OPEN_INDEX) return true;
    if (actio_parse_bracket_holds(r, ACTIO_T_EQUAL)) return actio_parse_family(r, range);
    actio_parse_advance(r);
    range->kind = ACTIO_R_MEMBER;
    return actio_parse_expr(r, &range->from) && actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'");
}

bool actio_parse_not_a_field(struct actio_reader *r)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    actio_reader_fault(r, ACTIO_F_NO_AXIS_HERE, r->text.lexer.origin, r->text.token.span, ACTIO_NO_ARGS);
    return false;
}

/* (s): at every point of an axis */
bool actio_parse_axis(struct actio_reader *r, uint32_t *axis)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    actio_parse_advance(r);
    return actio_parse_name(r, axis, "the name of an axis") && actio_parse_take(r, ACTIO_T_CLOSE, "')'");
}

/* A formula in which the family's index is known. */
bool actio_parse_body(struct actio_reader *r, const struct actio_range *range, struct actio_formula *out)
{
    uint32_t index = range->kind == ACTIO_R_FAMILY ? range->index : ACTIO_W_NONE;
    r->vocabulary.word[index].scope++;
    bool ok = actio_parse_expr(r, out);
    r->vocabulary.word[index].scope--;
    return ok;
}

/* ---- lists */

static struct actio_item item_here(const struct actio_reader *r)
{
    return (struct actio_item){ .at = r->text.token.at, .span = r->text.token.span };
}

static void keep_item(struct actio_reader *r, struct actio_statement *s, const struct actio_item *item)
{
    ACTIO_PUSH(&r->scratch, r->parsed.item, r->parsed.items, r->parsed.items_cap) = *item;
    s->entries++;
}

bool actio_parse_another(struct actio_reader *r)
{
    if (r->text.token.kind != ACTIO_T_COMMA) return false;
    actio_parse_advance(r);
    return true;
}

bool actio_parse_items(struct actio_reader *r, struct actio_statement *s, actio_parse_item_fn *read)
{
    s->first = r->parsed.items;
    do {
        struct actio_item item = item_here(r);
        if (!read(r, &item)) return false;
        item.end = r->text.passed;
        keep_item(r, s, &item);
    } while (actio_parse_another(r));
    return true;
}

/* ---- items */

static bool equals(struct actio_reader *r, struct actio_item *item)
{
    return actio_parse_take(r, ACTIO_T_EQUAL, "'='") && actio_parse_body(r, &item->range, &item->e);
}

static bool param_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "the name of a param")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && actio_parse_bracket_holds(r, ACTIO_T_EQUAL)
        && !actio_parse_family(r, &item->range))
        return false;
    return actio_parse_unit(r, &item->unit) && equals(r, item);
}

static bool variable_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "a name")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && actio_parse_bracket_holds(r, ACTIO_T_RANGE)) {
        item->range.kind = ACTIO_R_FAMILY;
        if (actio_parse_bracket_holds(r, ACTIO_T_EQUAL)) { /* the index has no use here, but does no harm */
            if (!actio_parse_family(r, &item->range)) return false;
        } else {
            actio_parse_advance(r);
            if (!actio_parse_bounds(r, &item->range) || !actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'")) return false;
        }
    }
    return actio_parse_unit(r, &item->unit) && actio_parse_not_a_field(r);
}

static bool head_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "a name")) return false;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX && actio_parse_bracket_holds(r, ACTIO_T_EQUAL)
        && !actio_parse_family(r, &item->range))
        return false;
    return actio_parse_axis(r, &item->axis) && actio_parse_unit(r, &item->unit) && equals(r, item);
}

bool actio_parse_bare_item(struct actio_reader *r, struct actio_item *item)
{
    return actio_parse_name(r, &item->word, "the name of a variable") && family_or_member(r, &item->range);
}

/* NAME, NAME[3] or NAME[i = 1 .. n], then = EXPR */
bool actio_parse_place_item(struct actio_reader *r, struct actio_item *item)
{
    return actio_parse_name(r, &item->word, "the name of a variable") && family_or_member(r, &item->range)
           && actio_parse_not_a_field(r) && equals(r, item);
}

/* the same, or a field at one place: x(1) = EXPR */
static bool force_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "the name of a variable") || !family_or_member(r, &item->range)) return false;
    if (r->text.token.kind != ACTIO_T_OPEN) return equals(r, item);
    actio_parse_advance(r);
    return actio_parse_expr(r, &item->second) && actio_parse_take(r, ACTIO_T_CLOSE, "')'") && equals(r, item);
}

/* a param of the model, or s.nodes */
static bool set_item(struct actio_reader *r, struct actio_item *item)
{
    return actio_parse_name(r, &item->word, "the name of a param") && actio_parse_dotted(r, &item->word)
           && family_or_member(r, &item->range) && actio_parse_not_a_field(r) && equals(r, item);
}

/* x(s) of a field statement */
static bool field_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "the name of a field")) return false;
    if (r->text.token.kind != ACTIO_T_OPEN)
        return actio_parse_expected(r, "the axis in brackets: field x(s) on s = 0 .. 1 nodes 65");
    return actio_parse_axis(r, &item->axis) && actio_parse_unit(r, &item->unit);
}

/* x(0) = 1: start data have no other time than the first. */
static bool not_at_a_time(struct actio_reader *r, const struct actio_item *item)
{
    if (r->text.token.kind != ACTIO_T_OPEN) return true;
    struct actio_span span = r->text.token.span;
    const char *name = actio_reader_quote(r, r->text.lexer.origin, item->at, r->text.passed - item->at), *value = "...";
    int depth = 0;
    for (r->text.lexer.mute = true; !actio_parse_at_end(r) && !(depth == 0 && r->text.token.kind == ACTIO_T_EQUAL);
         actio_parse_advance(r))
        depth += (r->text.token.kind == ACTIO_T_OPEN) - (r->text.token.kind == ACTIO_T_CLOSE);
    r->text.lexer.mute = false;
    if (r->text.token.kind == ACTIO_T_EQUAL) {
        actio_parse_advance(r);
        value = actio_parse_rest_of_line(r, r->text.token.at);
    }
    value = actio_arena_text(&r->scratch, value, strcspn(value, ","));
    actio_reader_fault(r, ACTIO_F_START_PLACE, r->text.lexer.origin, span,
                       ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(value)));
    return false;
}

/* x, x', lambda.c; the prime may stand before or behind an index */
static bool start_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_name(r, &item->word, "the name of a variable") || !actio_parse_dotted(r, &item->word))
        return false;
    actio_parse_primes(r, &item->primes);
    if (!family_or_member(r, &item->range)) return false;
    actio_parse_primes(r, &item->primes);
    return not_at_a_time(r, item) && equals(r, item);
}

/* x, x', a[3]', a[i = 1 .. n]; other words are explained when names are known */
static bool free_item(struct actio_reader *r, struct actio_item *item)
{
    if (!actio_parse_word(r, &item->word, "the name of a variable") || !actio_parse_dotted(r, &item->word))
        return false;
    actio_parse_primes(r, &item->primes);
    if (!family_or_member(r, &item->range)) return false;
    actio_parse_primes(r, &item->primes);
    return r->text.token.kind != ACTIO_T_EQUAL
           || actio_parse_expected(r, "a comma or the end of the line (a guess is given by `start`)");
}

/* ---- statements */

bool actio_parse_params(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_items(r, s, param_item);
}

bool actio_parse_variables(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_items(r, s, variable_item);
}

bool actio_parse_starts(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_items(r, s, start_item);
}

bool actio_parse_frees(struct actio_reader *r, struct actio_statement *s) { return actio_parse_items(r, s, free_item); }

bool actio_parse_frames(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_items(r, s, head_item);
}

/* of an option: --set */
bool actio_parse_settings(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_items(r, s, set_item);
}

bool actio_parse_definition(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_item item = item_here(r);
    s->first = r->parsed.items;
    if (!head_item(r, &item)) return false;
    keep_item(r, s, &item);
    return true;
}

/* field x(s), y(s) on s = A .. B nodes N; the axis is the first item where it is declared here */
bool actio_parse_field(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_statement names = { 0 };
    if (!actio_parse_items(r, &names, field_item)) return false;
    s->first = names.first;
    s->entries = names.entries;
    if (!actio_parse_at_word(r, ACTIO_W_on))
        return actio_parse_expected(r, "`on` and the axis: field x(s) on s = 0 .. 1 nodes 65");
    actio_parse_advance(r);
    struct actio_item axis = item_here(r);
    if (!actio_parse_name(r, &axis.word, "the name of an axis")) return false;
    s->axis = axis.axis = axis.word;
    if (r->text.token.kind != ACTIO_T_EQUAL) return true;
    actio_parse_advance(r);
    if (!actio_parse_bounds(r, &axis.range)) return false;
    if (!actio_parse_at_word(r, ACTIO_W_nodes)) return actio_parse_expected(r, "`nodes` and their number");
    actio_parse_advance(r);
    if (!actio_parse_expr(r, &axis.e)) return false;
    keep_item(r, s, &axis);
    return true;
}

bool actio_parse_force(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_parse_place start = actio_parse_save(r);
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool labelled = r->text.token.kind == ACTIO_T_COLON;
    actio_parse_restore(r, start);
    return (!labelled || actio_parse_label(r, s)) && actio_parse_items(r, s, force_item);
}

bool actio_parse_symmetry(struct actio_reader *r, struct actio_statement *s)
{
    if (!actio_parse_label(r, s)) return false;
    if (!actio_parse_at_word(r, ACTIO_W_time)) return actio_parse_items(r, s, actio_parse_place_item);
    s->rule = ACTIO_W_time;
    actio_parse_advance(r);
    return true;
}

/* ---- instants */

/* The word `stop`, and not a value of that name that is set. */
static bool is_stop_ahead(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    if (!actio_parse_at_word(r, ACTIO_W_stop)) return false;
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    bool ends = actio_parse_at_end(r) || r->text.token.kind == ACTIO_T_COMMA;
    actio_parse_restore(r, start);
    return ends;
}

/* What is wrong with n += 1 and Stop. */
static const char *assignment_hint(struct actio_reader *r, const char *name)
{
    const char *next = actio_lex_origin(r)->source.text + r->text.token.at;
    bool ends = actio_parse_at_end(r) || r->text.token.kind == ACTIO_T_COMMA;
    if (ends && (strcmp(name, "Stop") == 0 || strcmp(name, "STOP") == 0)) return "write stop to end the motion";
    if (!ends && strchr("+-*/", next[0]) && next[1] == '=')
        return actio_arena_format(&r->scratch, "write %s = %s %c ...", name, name, next[0]);
    return NULL;
}

static bool check_assignment(struct actio_reader *r)
{
    struct actio_parse_place start = actio_parse_save(r);
    if (r->text.token.kind != ACTIO_T_WORD) return true;
    const char *name = actio_word_text(r, r->text.token.word);
    r->text.lexer.mute = true;
    actio_parse_advance(r);
    const char *hint = assignment_hint(r, name);
    if (hint) return actio_parse_expected_as(r, "'='", hint);
    actio_parse_restore(r, start);
    return true;
}

static bool assign_item(struct actio_reader *r, struct actio_item *item)
{
    item->is_option = is_stop_ahead(r);
    if (!item->is_option) return check_assignment(r) && start_item(r, item);
    actio_parse_advance(r);
    return true;
}

/* Items in which the index of the label's family is known. */
static bool assignments(struct actio_reader *r, struct actio_statement *s)
{
    uint32_t index = s->family.kind == ACTIO_R_FAMILY ? s->family.index : ACTIO_W_NONE;
    r->vocabulary.word[index].scope++;
    bool ok = actio_parse_items(r, s, assign_item);
    r->vocabulary.word[index].scope--;
    return ok;
}

static bool take_colon(struct actio_reader *r, const char *what, const char *hint)
{
    if (r->text.token.kind != ACTIO_T_COLON) return actio_parse_expected_as(r, what, hint);
    actio_parse_advance(r);
    return true;
}

static const char *when_hint(struct actio_reader *r, const char *label)
{
    if (r->text.token.kind == ACTIO_T_WORD) return "write a colon between the label and what is set";
    return actio_arena_format(&r->scratch, "give the condition a label: event e: %s = 0 falling, then when e: ...",
                              label);
}

/* when LABEL[i = A .. B]: x = EXPR, ... , stop */
bool actio_parse_when(struct actio_reader *r, struct actio_statement *s)
{
    s->span = r->text.token.span;
    s->at = r->text.token.at;
    if (!actio_parse_name(r, &s->label, "the label of an event or a contact") || !family_or_member(r, &s->family))
        return false;
    return take_colon(r, "':' after the label", when_hint(r, actio_word_text(r, s->label))) && assignments(r, s);
}

/* every T from T0: x = EXPR, ... */
bool actio_parse_every(struct actio_reader *r, struct actio_statement *s)
{
    uint32_t at = s->at = r->text.token.at;
    s->span = r->text.token.span;
    if (!actio_parse_expr(r, &s->left)) return false;
    s->text = actio_arena_text(&r->model->arena, actio_lex_origin(r)->source.text + at, r->text.passed - at);
    if (actio_parse_at_word(r, ACTIO_W_from)) {
        actio_parse_advance(r);
        if (!actio_parse_expr(r, &s->right)) return false;
    }
    return take_colon(r, "':' after the time", "write a colon between the time and what is set") && assignments(r, s);
}
