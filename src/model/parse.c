/* SPDX-License-Identifier: Apache-2.0
 * The text as a list of statements; each kind has its function. After a fault the next statement is read: all faults of
 * a text come in one go. */
#include "model/parse.h"

#include <string.h>

static bool model_statement(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_word(r, &s->label, "the model's name");
}

static bool formula_statement(struct actio_reader *r, struct actio_statement *s)
{
    return actio_parse_expr(r, &s->left);
}

static bool time_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_range range = { 0 };
    bool ok = actio_parse_bounds(r, &range);
    s->left = range.from;
    s->right = range.to;
    return ok;
}

static actio_parse_statement_fn *const statement_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_model] = model_statement,          [ACTIO_W_param] = actio_parse_params,
    [ACTIO_W_let] = actio_parse_definition,     [ACTIO_W_coord] = actio_parse_variables,
    [ACTIO_W_state] = actio_parse_variables,    [ACTIO_W_lagrangian] = formula_statement,
    [ACTIO_W_dissipation] = formula_statement,  [ACTIO_W_flow] = actio_parse_flow,
    [ACTIO_W_force] = actio_parse_force,        [ACTIO_W_constraint] = actio_parse_constraint,
    [ACTIO_W_symmetry] = actio_parse_symmetry,  [ACTIO_W_start] = actio_parse_starts,
    [ACTIO_W_frame] = actio_parse_frames,       [ACTIO_W_contact] = actio_parse_contact,
    [ACTIO_W_event] = actio_parse_event,        [ACTIO_W_time] = time_statement,
    [ACTIO_W_observe] = actio_parse_definition, [ACTIO_W_expect] = actio_parse_expect,
    [ACTIO_W_free] = actio_parse_frees,         [ACTIO_W_require] = actio_parse_require,
    [ACTIO_W_field] = actio_parse_field,        [ACTIO_W_held] = actio_parse_variables,
    [ACTIO_W_when] = actio_parse_when,          [ACTIO_W_every] = actio_parse_every,
};

/* ---- how a statement ends */

static const char *missing_hint(struct actio_reader *r, uint32_t keyword)
{
    static const char *const rules[] = { "acting", "along" };
    if (keyword == ACTIO_W_require && (actio_parse_at_word(r, ACTIO_W_within) || actio_parse_at_word(r, ACTIO_W_by)))
        return "end the condition with its value, or write expect to check a value with a tolerance";
    if (keyword == ACTIO_W_event && r->text.token.kind == ACTIO_T_WORD)
        return "write rising or falling behind the event for one direction, or * for a product";
    if (keyword == ACTIO_W_coord || keyword == ACTIO_W_state || keyword == ACTIO_W_free || keyword == ACTIO_W_held)
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
    while (!actio_parse_at_end(r) && r->text.token.kind != ACTIO_T_CLOSE_INDEX) actio_parse_advance(r);
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
    if (actio_parse_at_end(r)) return true;
    if (actio_parse_at_unit(r)) return unit_behind_value(r, keyword);
    if (k == ACTIO_T_OPEN_INDEX)
        return actio_parse_fault(r, ACTIO_F_INDEX_AFTER_NAME, r->text.token.span, ACTIO_W_NONE);
    if (k == ACTIO_T_EQUAL && (keyword == ACTIO_W_lagrangian || keyword == ACTIO_W_dissipation))
        return actio_parse_fault(r, ACTIO_F_FORMULA_HAS_NO_NAME, r->text.token.span, keyword);
    if (actio_parse_at_comparison(r))
        return actio_parse_fault(r, ACTIO_F_COMPARISON_HERE, r->text.token.span, ACTIO_W_NONE);
    if (k != ACTIO_T_WORD && k != ACTIO_T_NUMBER && k != ACTIO_T_OPEN)
        return actio_parse_expected(r, keyword == ACTIO_W_require && k == ACTIO_T_COMMA
                                           ? "the end of the line (each condition is a `require` of its own)"
                                           : "an operator or the end of the line");
    if (actio_at_joint(r)) return actio_parse_fault(r, ACTIO_F_JOINT_HERE, r->text.token.span, r->text.token.word);
    const char *found = actio_reader_quote(r, r->text.lexer.origin, r->text.token.at, r->text.token.bytes);
    actio_reader_fault(r, ACTIO_F_OPERATOR_MISSING, r->text.lexer.origin, r->text.token.span,
                       ACTIO_ARGS(ACTIO_TEXT(found), ACTIO_TEXT(missing_hint(r, keyword))));
    return false;
}

/* Past a statement that could not be read. What it may have declared is not reported as unknown later. */
static void skip_statement(struct actio_reader *r, struct actio_parse_place start)
{
    actio_parse_restore(r, start);
    for (r->text.lexer.mute = true; !actio_parse_at_end(r); actio_parse_advance(r))
        if (r->text.token.kind == ACTIO_T_WORD) r->vocabulary.word[r->text.token.word].suspect = true;
    r->text.lexer.mute = false;
}

/* ---- how it begins */

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
    [ACTIO_W_when] = "when LABEL: x = %s, with the event or contact LABEL",
    [ACTIO_W_every] = "every T: x = %s, with the time T between two instants",
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
    const char *rest = actio_parse_rest_of_line(r, equal.at + equal.bytes);
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

/* ---- the whole text */

static void statement(struct actio_reader *r, uint32_t keyword)
{
    struct actio_parse_place start = actio_parse_save(r);
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
           || word == ACTIO_W_frame || word == ACTIO_W_observe || word == ACTIO_W_field || word == ACTIO_W_held;
}

/* A name is declared behind the keyword, a comma that no bracket holds, and `on` of a field. */
static void mark_statement(struct actio_reader *r, uint32_t keyword)
{
    bool expected = true;
    for (int depth = 0; !actio_parse_at_end(r);) {
        struct actio_token t = r->text.token;
        actio_parse_advance(r);
        if (expected && t.kind == ACTIO_T_WORD) {
            r->vocabulary.word[t.word].declared = true;
            r->vocabulary.word[t.word].is_along |= r->text.token.kind == ACTIO_T_OPEN;
        }
        depth += actio_parse_nesting(t.kind);
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
        while (!actio_parse_at_end(r) && !declares(word)) actio_parse_advance(r);
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
            skip_statement(r, actio_parse_save(r));
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
    bool ok = kind == ACTIO_SET_PARAM       ? actio_parse_settings(r, &s)
              : list                        ? actio_parse_starts(r, &s)
              : kind == ACTIO_SET_POTENTIAL ? formula_statement(r, &s)
              : kind == ACTIO_SET_PERIOD    ? actio_parse_expr(r, &s.right)
                                            : statement_of[keyword[kind]](r, &s);
    ok = ok && statement_ends(r, s.keyword)
         && (r->text.token.kind == ACTIO_T_END || actio_parse_expected(r, "the end of the option"));
    if (ok) ACTIO_PUSH(&r->scratch, r->parsed.statement, r->parsed.statements, r->parsed.statements_cap) = s;
}
