/* SPDX-License-Identifier: Apache-2.0
 * Which names a text declares, and which declarations the command line replaces. */
#include "model/reader.h"

#include <math.h>

static const struct actio_extent nothing = { INFINITY, -INFINITY };

static bool redeclared(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                       uint32_t word, uint32_t first_line)
{
    actio_reader_fault(r, code, origin, span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, word)), ACTIO_COUNT(first_line)));
    return false;
}

/* A family may be declared in pieces (with different indices), anything else once. */
static void declare_value(struct actio_reader *r, const struct actio_statement *s, uint32_t item)
{
    const struct actio_item *it = &r->parsed.item[item];
    struct actio_word *w = &r->vocabulary.word[it->word];
    bool family = it->range.kind == ACTIO_R_FAMILY;
    struct actio_definition d = {
        .word = it->word, .keyword = s->keyword, .item = item, .origin = s->origin, .next = w->definition
    };
    if (w->definition) {
        const struct actio_definition *first = &r->definition[w->definition - 1];
        const struct actio_item *other = &r->parsed.item[first->item];
        if (!family || other->range.kind != ACTIO_R_FAMILY || first->keyword != s->keyword) {
            redeclared(r, ACTIO_F_REDECLARED, s->origin, it->span, it->word, other->span.line);
            return;
        }
    } else w->extent = nothing;
    w->is_family = family;
    ACTIO_PUSH(&r->scratch, r->definition, r->definitions, r->definitions_cap) = d;
    w->definition = w->pending = r->definitions;
}

static const enum actio_symbol_kind kind_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_constraint] = ACTIO_SY_CONSTRAINT,
    [ACTIO_W_contact] = ACTIO_SY_CONTACT,
    [ACTIO_W_event] = ACTIO_SY_EVENT,
    [ACTIO_W_symmetry] = ACTIO_SY_SYMMETRY,
};

static void declare_label(struct actio_reader *r, uint32_t statement)
{
    struct actio_statement *s = &r->parsed.statement[statement];
    struct actio_word *w = &r->vocabulary.word[s->label];
    bool family = s->family.kind == ACTIO_R_FAMILY;
    if (family && (s->keyword == ACTIO_W_symmetry || s->keyword == ACTIO_W_force)) {
        actio_reader_fault(r, ACTIO_F_LABEL_NO_FAMILY, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT(w->text)));
        return;
    }
    if (s->keyword == ACTIO_W_force) return; /* not in the list of labels: equal columns would be found later */
    if (w->label_definition) {
        const struct actio_statement *first = &r->parsed.statement[w->label_definition - 1];
        if (!family || first->family.kind != ACTIO_R_FAMILY || first->keyword != s->keyword) {
            s->failed = true;
            redeclared(r, ACTIO_F_LABEL_TWICE, s->origin, s->span, s->label, first->span.line);
        }
        return;
    }
    w->label_definition = statement + 1;
    w->tag_is_family = family;
    w->tag_extent = nothing;
    if (!family) w->tag.kind = kind_of[s->keyword];
}

/* --set s.nodes=N */
static bool replace_nodes(struct actio_reader *r, const struct actio_statement *s, uint32_t item)
{
    const struct actio_item *it = &r->parsed.item[item];
    uint32_t axis = r->vocabulary.word[it->word].stem, d = r->vocabulary.word[axis].definition;
    if (r->vocabulary.word[it->word].label == ACTIO_W_nodes && d && actio_is_axis(r, &r->definition[d - 1])
        && it->range.kind == ACTIO_R_NONE) {
        r->definition[d - 1].override = item + 1;
        return true;
    }
    actio_reader_fault(r, ACTIO_F_NOT_A_PARAM, s->origin, it->span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, it->word)),
                                  ACTIO_TEXT("use --set for params, and for NAME.nodes of an axis")));
    return false;
}

/* --set NAME=EXPR; a member of a family by its number */
static bool replace_param(struct actio_reader *r, const struct actio_statement *s, uint32_t item)
{
    struct actio_item *it = &r->parsed.item[item];
    const char *text = actio_word_text(r, it->word);
    uint32_t first = r->vocabulary.word[it->word].definition;
    if (r->vocabulary.word[it->word].label) return replace_nodes(r, s, item);
    if (!first || r->definition[first - 1].keyword != ACTIO_W_param) {
        const char *hint = first ? "use --set for params, and --start for initial values"
                                 : actio_word_hint(r, text, ACTIO_NEAR_VALUE, "use --set with a param of the model");
        actio_reader_fault(r, ACTIO_F_NOT_A_PARAM, s->origin, it->span, ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(hint)));
        return false;
    }
    if (it->range.kind == ACTIO_R_NONE) {
        for (uint32_t d = first; d; d = r->definition[d - 1].next) r->definition[d - 1].override = item + 1;
        return true;
    }
    const struct actio_step *index = &r->parsed.step[it->range.from.first];
    if (it->range.kind == ACTIO_R_FAMILY || it->range.from.count != 1 || index->kind != ACTIO_ST_NUMBER
        || !r->vocabulary.word[it->word].is_family) {
        actio_reader_fault(r, ACTIO_F_OPTION_MEMBER, s->origin, it->span, ACTIO_ARGS(ACTIO_TEXT(text)));
        return false;
    }
    uint32_t member = actio_word_member(r, it->word, index->u.number);
    r->vocabulary.word[member].override = item + 1;
    it->next = r->definition[first - 1].member_override;
    r->definition[first - 1].member_override = item + 1;
    return true;
}

static void declare_items(struct actio_reader *r, const struct actio_statement *s)
{
    for (uint32_t i = s->first; i < s->first + s->entries; i++) declare_value(r, s, i);
}

static bool is_option(const struct actio_reader *r, const struct actio_statement *s)
{
    return r->origin[s->origin].is_option;
}

void actio_declare_all(struct actio_reader *r)
{
    for (uint32_t i = 0; i < r->parsed.statements; i++) {
        const struct actio_statement *s = &r->parsed.statement[i];
        uint32_t k = s->keyword;
        bool values = k == ACTIO_W_param || k == ACTIO_W_let || k == ACTIO_W_coord || k == ACTIO_W_state
                      || k == ACTIO_W_frame || k == ACTIO_W_observe || k == ACTIO_W_field || k == ACTIO_W_held;
        if (values && !is_option(r, s)) declare_items(r, s);
        if (s->label && k != ACTIO_W_model && k != ACTIO_W_when) declare_label(r, i);
    }
    for (uint32_t i = 0; i < r->parsed.statements; i++) {
        const struct actio_statement *s = &r->parsed.statement[i];
        if (s->keyword != ACTIO_W_param || !is_option(r, s)) continue;
        for (uint32_t k = s->first; k < s->first + s->entries; k++) replace_param(r, s, k);
    }
}
