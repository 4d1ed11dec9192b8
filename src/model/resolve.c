/* SPDX-License-Identifier: Apache-2.0
 * What a name stands for: declared values, members of families, and the names of columns. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

static bool resolve_fault(struct actio_reader *r, const struct actio_use *use, enum actio_code code,
                          const struct actio_value arg[6])
{
    actio_reader_fault_at(r, code, use->origin, use->at, arg);
    return false;
}

const char *actio_kind_text(enum actio_symbol_kind kind)
{
    static const char *const text[] = {
        "no name",    "no name",  "a param",    "a let",        "a coordinate", "a state",     "a quasi-velocity",
        "an observe", "an axis",  "a rate",     "a rate",       "a multiplier", "a column",    "a constraint",
        "a contact",  "an event", "a symmetry", "a base state", "a reaction",   "a held value"
    };
    return text[kind];
}

/* A column that an observe (or a let for one) reads by name; whether the model has it is checked when the columns are
 * known. */
static struct actio_symbol_ref column_ref(struct actio_reader *r, const struct actio_use *use, uint32_t word)
{
    struct actio_model *m = r->model;
    if (!r->vocabulary.word[word].column_ref) {
        uint32_t count = (uint32_t)m->output.column_names;
        ACTIO_PUSH(&m->arena, m->output.column_name, count, r->cap.column_names) = r->vocabulary.word[word].text;
        m->output.column_names = count;
        r->vocabulary.word[word].column_ref = count;
        ACTIO_PUSH(&r->scratch, r->claimed.column_use, r->claimed.column_uses, r->claimed.column_uses_cap) =
            (struct actio_column_use){ word, use->at, use->origin };
    }
    return (struct actio_symbol_ref){ ACTIO_SY_COLUMN, r->vocabulary.word[word].column_ref - 1 };
}

static bool out_of_range(struct actio_reader *r, const struct actio_use *use, uint32_t head, struct actio_extent of)
{
    struct actio_value name = ACTIO_TEXT(actio_word_text(r, head)), index = ACTIO_NUMBER(use->index);
    if (of.low > of.high) return resolve_fault(r, use, ACTIO_F_FAMILY_IS_EMPTY, ACTIO_ARGS(name, index));
    return resolve_fault(r, use, ACTIO_F_INDEX_OUT_OF_RANGE,
                         ACTIO_ARGS(name, index, ACTIO_NUMBER(of.low), ACTIO_NUMBER(of.high)));
}

bool actio_resolve_label(struct actio_reader *r, const struct actio_use *use, uint32_t label,
                         struct actio_symbol_ref *ref)
{
    const struct actio_word *w = &r->vocabulary.word[label];
    if (!w->label_definition) {
        if (w->suspect) return false;
        const char *hint = actio_word_hint(
            r, w->text, ACTIO_NEAR_LABEL,
            use->in == ACTIO_IN_ASSIGN ? "declare it with event or contact"
                                       : "declare labels with constraint, contact, event and symmetry statements");
        return resolve_fault(r, use, ACTIO_F_UNKNOWN_LABEL, ACTIO_ARGS(ACTIO_TEXT(w->text), ACTIO_TEXT(hint)));
    }
    if (w->tag.kind == ACTIO_SY_FAILED) return false;
    if (use->indexed != w->tag_is_family) {
        enum actio_code code = use->indexed ? ACTIO_F_NOT_A_FAMILY : ACTIO_F_FAMILY_WITHOUT_INDEX;
        return resolve_fault(r, use, code, ACTIO_ARGS(ACTIO_TEXT(w->text)));
    }
    uint32_t member = use->indexed ? actio_word_member(r, label, use->index) : label;
    *ref = r->vocabulary.word[member].tag;
    return ref->kind != ACTIO_SY_NONE || out_of_range(r, use, label, r->vocabulary.word[label].tag_extent);
}

/* What derivatives by time are called elsewhere: the letters before and after the name. */
static const struct {
    const char *before, *after;
    int primes;
} dots[] = {
    { "d2", "dt2", 2 }, { "dd", "", 2 },  { "d2", "", 2 },   { "", "ddot", 2 }, { "", "_ddot", 2 },
    { "", "_tt", 2 },   { "d", "dt", 1 }, { "d", "_dt", 1 }, { "d", "", 1 },    { "dot_", "", 1 },
    { "dot", "", 1 },   { "", "dot", 1 }, { "", "_t", 1 },   { "v", "", 1 },    { "v_", "", 1 },
};

/* The hint for such a word, where the name is one that moves; else NULL. */
static const char *prime_hint(struct actio_reader *r, uint32_t word)
{
    const char *text = r->vocabulary.word[word].text;
    size_t n = r->vocabulary.word[word].length;
    for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
        size_t before = strlen(dots[i].before), after = strlen(dots[i].after);
        if (n <= before + after || memcmp(text, dots[i].before, before) != 0
            || memcmp(text + n - after, dots[i].after, after) != 0)
            continue;
        uint32_t stem = actio_word_of(r, text + before, n - before - after);
        text = r->vocabulary.word[word].text; /* words may have moved */
        enum actio_symbol_kind kind =
            r->vocabulary.word[stem].definition ? r->vocabulary.word[stem].value.kind : ACTIO_SY_NONE;
        if (kind == ACTIO_SY_COORD || (kind == ACTIO_SY_STATE && dots[i].primes == 1))
            return actio_arena_format(&r->scratch, "write %s%s: ' denotes the time derivative",
                                      r->vocabulary.word[stem].text, dots[i].primes == 1 ? "'" : "''");
    }
    return NULL;
}

static bool unknown(struct actio_reader *r, const struct actio_use *use);
static bool value_of(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref);
static bool resolve_rate_of(struct actio_reader *r, const struct actio_use *use, uint32_t stem,
                            struct actio_symbol_ref *ref);
static uint32_t rate_stem(struct actio_reader *r, uint32_t word);

/* x.base, x_dot.base: the base state beside x and x' in a potential. */
static bool base_of(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref)
{
    struct actio_use of = *use;
    uint32_t n = (uint32_t)r->model->coords;
    of.word = r->vocabulary.word[use->word].stem;
    bool defined = r->vocabulary.word[of.word].definition;
    uint32_t stem = defined ? ACTIO_W_NONE : rate_stem(r, of.word);
    if (!defined && !stem) return unknown(r, &of);
    if (!(stem ? resolve_rate_of(r, &of, stem, ref) : value_of(r, &of, ref))) return false;
    bool coord = ref->kind == ACTIO_SY_COORD, rate = ref->kind == ACTIO_SY_COORD_DOT;
    if (!coord && !rate && ref->kind != ACTIO_SY_STATE)
        return resolve_fault(
            r, use, ACTIO_F_NO_BASE,
            ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, of.word)), ACTIO_TEXT(actio_kind_text(ref->kind))));
    *ref = (struct actio_symbol_ref){ ACTIO_SY_BASE, ref->index + (coord ? 0 : rate ? n : 2 * n) };
    return true;
}

/* reaction.x where a value is given: the dual action's free reactions have weights and base states, also where the
 * model has no constraints and no such column. */
static bool reaction_of(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref)
{
    struct actio_use of = *use;
    of.word = r->vocabulary.word[use->word].label;
    if (!r->vocabulary.word[of.word].definition) return unknown(r, &of);
    if (!value_of(r, &of, ref)) return false;
    bool state = ref->kind == ACTIO_SY_STATE;
    if (!state && ref->kind != ACTIO_SY_COORD)
        return resolve_fault(
            r, use, ACTIO_F_REACTION_TARGET,
            ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, of.word)), ACTIO_TEXT(actio_kind_text(ref->kind))));
    *ref = (struct actio_symbol_ref){ ACTIO_SY_REACTION, ref->index + (state ? (uint32_t)r->model->coords : 0) };
    return true;
}

/* lambda.c is a symbol of its own, every other dotted name is a column. */
static bool dotted(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref)
{
    uint32_t stem = r->vocabulary.word[use->word].stem, label = r->vocabulary.word[use->word].label;
    if (use->in == ACTIO_IN_POTENTIAL && label == ACTIO_W_base) return base_of(r, use, ref);
    if (use->target && stem == ACTIO_W_reaction) return reaction_of(r, use, ref);
    if (stem != ACTIO_W_lambda) {
        *ref = column_ref(r, use, use->indexed ? actio_word_member(r, use->word, use->index) : use->word);
        return true;
    }
    if (!actio_resolve_label(r, use, label, ref)) return false;
    if (ref->kind != ACTIO_SY_CONSTRAINT) {
        const char *text = actio_word_text(r, label);
        const char *hint =
            ref->kind == ACTIO_SY_CONTACT
                ? actio_arena_format(&r->scratch, "use the column force.%s for the force of a contact", text)
                : "";
        return resolve_fault(r, use, ACTIO_F_NO_MULTIPLIER,
                             ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(actio_kind_text(ref->kind)), ACTIO_TEXT(hint)));
    }
    ref->kind = ACTIO_SY_LAMBDA;
    return true;
}

/* x_dot is the column of x' */
static uint32_t rate_stem(struct actio_reader *r, uint32_t word)
{
    uint32_t n = r->vocabulary.word[word].length;
    if (n < 5 || memcmp(r->vocabulary.word[word].text + n - 4, "_dot", 4) != 0) return ACTIO_W_NONE;
    uint32_t stem = actio_word_of(r, r->vocabulary.word[word].text, n - 4);
    return r->vocabulary.word[stem].definition ? stem : ACTIO_W_NONE;
}

/* What would declare such a name; a label does not. */
static const char *value_hint(struct actio_reader *r, const struct actio_use *use, const char *text)
{
    const struct actio_word *w = &r->vocabulary.word[use->word];
    if (use->target && w->label_definition)
        return actio_arena_format(&r->scratch, "use the name of a variable: '%s' is the label of a statement", text);
    return actio_word_hint(r, text, ACTIO_NEAR_VALUE,
                           use->in == ACTIO_IN_ASSIGN ? "declare it with held, param, let, coord or state"
                           : r->model->resets.helds   ? "declare it with param, let, coord, state or held"
                                                      : "declare it with param, let, coord or state");
}

static bool unknown(struct actio_reader *r, const struct actio_use *use)
{
    const char *text = actio_word_text(r, use->word);
    if (r->vocabulary.word[use->word].suspect) return false;
    const char *dotted = prime_hint(r, use->word);
    const char *hint =
        dotted ? dotted
        : r->vocabulary.word[use->word].op
            ? actio_arena_format(&r->scratch, "write %s( ) with its argument in brackets to call the function", text)
            : value_hint(r, use, text);
    return resolve_fault(r, use, ACTIO_F_UNKNOWN_NAME, ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(hint)));
}

static bool value_of(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref)
{
    const struct actio_word *w = &r->vocabulary.word[use->word];
    if (w->value.kind == ACTIO_SY_FAILED) return false; /* said before */
    if (use->indexed && !w->is_family)
        return resolve_fault(r, use, ACTIO_F_NOT_A_FAMILY, ACTIO_ARGS(ACTIO_TEXT(w->text)));
    if (!use->indexed && w->is_family)
        return resolve_fault(r, use, ACTIO_F_FAMILY_WITHOUT_INDEX, ACTIO_ARGS(ACTIO_TEXT(w->text)));
    uint32_t member = use->indexed ? actio_word_member(r, use->word, use->index) : use->word;
    *ref = r->vocabulary.word[member].value;
    if (ref->kind == ACTIO_SY_NONE)
        return use->indexed ? out_of_range(r, use, use->word, r->vocabulary.word[use->word].extent) : false;
    if (ref->kind == ACTIO_SY_OBSERVE) *ref = column_ref(r, use, member);
    return true;
}

static bool resolve_rate_of(struct actio_reader *r, const struct actio_use *use, uint32_t stem,
                            struct actio_symbol_ref *ref)
{
    const char *text = actio_word_text(r, stem);
    struct actio_use of = *use;
    of.word = stem;
    if (use->in != ACTIO_IN_OBSERVE && use->in != ACTIO_IN_LET && use->in != ACTIO_IN_START
        && use->in != ACTIO_IN_POTENTIAL)
        return resolve_fault(r, use, ACTIO_F_UNKNOWN_NAME,
                             ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, use->word)),
                                        ACTIO_TEXT(actio_arena_format(&r->scratch, "write %s'", text))));
    if (!value_of(r, &of, ref)) return false;
    if (ref->kind != ACTIO_SY_COORD && ref->kind != ACTIO_SY_STATE) return unknown(r, use);
    ref->kind = ref->kind == ACTIO_SY_COORD ? ACTIO_SY_COORD_DOT : ACTIO_SY_STATE_DOT;
    return true;
}

bool actio_resolve(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref)
{
    if (r->vocabulary.word[use->word].label) return dotted(r, use, ref);
    if (use->word == ACTIO_W_energy && !use->indexed) {
        *ref = column_ref(r, use, use->word);
        return true;
    }
    if (r->vocabulary.word[use->word].definition) return value_of(r, use, ref);
    uint32_t stem = rate_stem(r, use->word);
    return stem ? resolve_rate_of(r, use, stem, ref) : unknown(r, use);
}

actio_expr actio_resolved_expr(struct actio_reader *r, struct actio_symbol_ref ref)
{
    struct actio_model *m = r->model;
    switch (ref.kind) {
    case ACTIO_SY_PARAM: return actio_symbol(&m->pool, ACTIO_SPACE_PARAM, ref.index);
    case ACTIO_SY_LET:
    case ACTIO_SY_FRAME: return r->let[ref.index];
    case ACTIO_SY_COORD: return m->coord[ref.index].x;
    case ACTIO_SY_COORD_DOT: return m->coord[ref.index].dot;
    case ACTIO_SY_STATE: return m->state[ref.index].x;
    case ACTIO_SY_STATE_DOT: return m->state[ref.index].dot;
    case ACTIO_SY_HELD: return m->resets.held[ref.index].x;
    case ACTIO_SY_AXIS: return m->field.axis[ref.index].s;
    /* params are made before constraints have a place; they are refused there */
    case ACTIO_SY_LAMBDA:
        return actio_symbol_at(&m->pool,
                               (actio_slot){ .space = ACTIO_SPACE_LAMBDA,
                                             .axis = ref.index < m->constraints ? m->constraint[ref.index].axis : 0,
                                             .index = ref.index });
    case ACTIO_SY_BASE: return actio_symbol(&m->pool, ACTIO_SPACE_BASE, ref.index);
    case ACTIO_SY_COLUMN: return actio_symbol(&m->pool, ACTIO_SPACE_COLUMN, ref.index);
    default: return (actio_expr){ 0 };
    }
}
