/* SPDX-License-Identifier: Apache-2.0
 * Formulas to postfix code. What waits (operators, open brackets) stands on a stack of its own, so depth costs no C
 * stack. */
#include "model/reader.h"

enum opening { BINARY, PREFIX, GROUP, CALL, INDEX, IF_CALL, SUM_CALL, PLACE };
enum sum_phase { FROM, TO, BODY };
/* Of a comparison all operators of values are stronger, those of conditions weaker. -x^2 is -(x^2), a*-b*c is
 * (a*(-b))*c. */
enum strength { ALL, OR, AND, NOT, COMPARISON, SUM, PRODUCT, NEGATE, POWER };

struct operator { uint8_t kind, op, strength; }; /* kind: of the step that it becomes */
static const struct operator binary[] = {
    [ACTIO_T_PLUS] = { ACTIO_ST_OP2, ACTIO_ADD, SUM },
    [ACTIO_T_MINUS] = { ACTIO_ST_OP2, ACTIO_SUB, SUM },
    [ACTIO_T_TIMES] = { ACTIO_ST_OP2, ACTIO_MUL, PRODUCT },
    [ACTIO_T_DIVIDE] = { ACTIO_ST_OP2, ACTIO_DIV, PRODUCT },
    [ACTIO_T_POWER] = { ACTIO_ST_OP2, ACTIO_POW, POWER },
    [ACTIO_T_LESS] = { ACTIO_ST_OP2, ACTIO_LT, COMPARISON },
    [ACTIO_T_LESS_EQUAL] = { ACTIO_ST_OP2, ACTIO_LE, COMPARISON },
    [ACTIO_T_MORE] = { ACTIO_ST_SWAPPED, ACTIO_LT, COMPARISON },
    [ACTIO_T_MORE_EQUAL] = { ACTIO_ST_SWAPPED, ACTIO_LE, COMPARISON },
};
static const struct operator negation = { ACTIO_ST_OP1, ACTIO_NEG, NEGATE }, denial = { ACTIO_ST_OP1, ACTIO_NOT, NOT };
static const struct operator joint[] = { { ACTIO_ST_OP2, ACTIO_AND, AND }, { ACTIO_ST_OP2, ACTIO_OR, OR } };

static struct actio_step *emit(struct actio_reader *r, enum actio_instr_kind kind, uint8_t op, uint32_t at,
                               uint32_t word)
{
    struct actio_step *s = &ACTIO_PUSH(&r->scratch, r->parsed.step, r->parsed.steps, r->parsed.steps_cap);
    *s = (struct actio_step){ .kind = (uint8_t)kind, .op = op, .at = at };
    s->u.use.word = word;
    return s;
}

static void open_at(struct actio_reader *r, enum opening kind, uint8_t op, uint32_t word, uint32_t at)
{
    ACTIO_PUSH(&r->scratch, r->parsed.opening, r->parsed.openings, r->parsed.openings_cap) =
        (struct actio_opening){ .kind = (uint8_t)kind, .op = op, .word = word, .at = at };
}

static bool parse_expr_fault(struct actio_reader *r, enum actio_code code, const struct actio_value arg[6])
{
    actio_reader_fault(r, code, r->text.lexer.origin, r->text.token.span, arg);
    return false;
}

static const char *text_of(struct actio_reader *r, uint32_t word) { return actio_word_text(r, word); }

/* ---- conditions: what is compared, and joined by and, or, not. They stand in the first part of if( ) only */

static bool is_bracket(const struct actio_opening *o) { return o->kind > PREFIX; }
static bool joins_conditions(const struct actio_opening *o) { return !is_bracket(o) && o->phase <= NOT; }

/* Is the value that was just finished a condition? Its last step decides. */
static bool is_condition(const struct actio_reader *r)
{
    if (r->parsed.steps == 0) return false;
    const struct actio_step *s = &r->parsed.step[r->parsed.steps - 1];
    if (s->kind == ACTIO_ST_OP1) return s->op == ACTIO_NOT;
    if (s->kind != ACTIO_ST_OP2 && s->kind != ACTIO_ST_SWAPPED) return false;
    return s->op == ACTIO_LT || s->op == ACTIO_LE || s->op == ACTIO_AND || s->op == ACTIO_OR;
}

/* May a condition begin here, where an operand is expected? */
static bool condition_begins(const struct actio_reader *r, uint32_t base)
{
    if (r->parsed.openings == base) return false;
    const struct actio_opening *o = &r->parsed.opening[r->parsed.openings - 1];
    return joins_conditions(o) || (o->kind == IF_CALL && o->count == 0) || (o->kind == GROUP && o->phase);
}

static bool holds_condition(const struct actio_opening *o)
{
    return (o->kind == IF_CALL && o->count == 0) || (o->kind == GROUP && o->phase);
}

/* The innermost bracket; NULL: the formula stands in none. */
static const struct actio_opening *bracket_here(const struct actio_reader *r, uint32_t base)
{
    uint32_t n = r->parsed.openings;
    while (n > base && !is_bracket(&r->parsed.opening[n - 1])) n--;
    return n == base ? NULL : &r->parsed.opening[n - 1];
}

/* Does it hold a condition? */
static bool in_condition(const struct actio_reader *r, uint32_t base)
{
    const struct actio_opening *o = bracket_here(r, base);
    return o && holds_condition(o);
}

static bool not_a_condition(struct actio_reader *r, const struct actio_opening *o)
{
    actio_reader_fault_at(r, ACTIO_F_JOINS_CONDITIONS, r->text.lexer.origin, o->at,
                          ACTIO_ARGS(ACTIO_TEXT(actio_op_text((enum actio_op)o->op))));
    return false;
}

/* Operators that bind at least as strongly as what comes get their operands now. */
static bool parse_expr_reduce(struct actio_reader *r, uint32_t base, int strength)
{
    for (; r->parsed.openings > base; r->parsed.openings--) {
        const struct actio_opening *o = &r->parsed.opening[r->parsed.openings - 1];
        if (is_bracket(o) || o->phase < strength) return true;
        if (joins_conditions(o) && !is_condition(r)) return not_a_condition(r, o);
        emit(r, (enum actio_instr_kind)o->word, o->op, o->at, o->start)->u.use.jump = r->text.passed;
    }
    return true;
}

static void push_operator(struct actio_reader *r, enum opening kind, struct operator x, uint32_t start)
{
    open_at(r, kind, x.op, x.kind, r->text.token.at);
    r->parsed.opening[r->parsed.openings - 1].phase = x.strength;
    r->parsed.opening[r->parsed.openings - 1].start = start;
}

/* ---- where an operand is expected */

static bool unclosed(struct actio_reader *r, const struct actio_opening *o)
{
    const char *close = o->kind == INDEX ? "]" : ")";
    actio_reader_fault_at(r, ACTIO_F_UNCLOSED, r->text.lexer.origin, o->at, ACTIO_ARGS(ACTIO_TEXT(close)));
    return false;
}

static void emit_rates(struct actio_reader *r, uint32_t primes, uint32_t at)
{
    for (uint32_t i = 0; i < primes; i++) emit(r, ACTIO_ST_RATE, 0, at, 0);
}

static bool sum_head(struct actio_reader *r, uint32_t at)
{
    actio_parse_advance(r);
    if (r->text.token.kind != ACTIO_T_WORD)
        return actio_parse_expected(r, "the index of the sum: sum(i = 1 .. n, ...)");
    uint32_t word = r->text.token.word;
    if (actio_word_reserved(r, word))
        return parse_expr_fault(r, ACTIO_F_RESERVED_NAME, ACTIO_ARGS(ACTIO_TEXT(text_of(r, word))));
    actio_parse_advance(r);
    if (!actio_parse_take(r, ACTIO_T_EQUAL, "'=' after the index: sum(i = 1 .. n, ...)")) return false;
    open_at(r, SUM_CALL, 0, word, at);
    return true;
}

static bool call(struct actio_reader *r, uint32_t word, uint32_t at)
{
    if (word == ACTIO_W_sum) return sum_head(r, at);
    open_at(r, word == ACTIO_W_if ? IF_CALL : CALL, r->vocabulary.word[word].op, word, at);
    actio_parse_advance(r);
    return true;
}

/* In a flow's left side p[i = 1 .. n] declares the family (read beforehand) and stands for p[i]. */
static bool left_family(struct actio_reader *r, uint32_t word, uint32_t primes, uint32_t at)
{
    uint32_t index = r->text.token.word;
    r->text.lexer = r->text.left_family->after;
    r->text.token = r->text.left_family->token;
    r->text.left_family = NULL;
    if (!actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'")) return false;
    emit(r, ACTIO_ST_BOUND, 0, at, index);
    emit(r, ACTIO_ST_INDEX, 0, at, word);
    emit_rates(r, primes, at);
    return true;
}

static bool dotted(struct actio_reader *r, uint32_t *word)
{
    actio_parse_advance(r);
    if (r->text.token.kind != ACTIO_T_WORD) return actio_parse_expected(r, "a label after the point");
    *word = actio_word_dotted(r, *word, r->text.token.word);
    actio_parse_advance(r);
    return true;
}

/* Words that are not names by themselves. Returns false after a fault. */
static bool check_word(struct actio_reader *r, uint32_t word, uint32_t at)
{
    uint8_t class = r->vocabulary.word[word].class;
    if (r->text.token.kind == ACTIO_T_DOT || class <= ACTIO_WC_FREE || class == ACTIO_WC_VALUE) return true;
    enum actio_code code = class == ACTIO_WC_FUNCTION || class == ACTIO_WC_SPECIAL ? ACTIO_F_FUNCTION_NEEDS_BRACKETS
                                                                                   : ACTIO_F_KEYWORD_IN_FORMULA;
    actio_reader_fault_at(r, code, r->text.lexer.origin, at, ACTIO_ARGS(ACTIO_TEXT(text_of(r, word))));
    return false;
}

/* A bracket behind a value: a field at a place. Whether it is a field is known later. */
static bool open_place(struct actio_reader *r, uint32_t word, uint32_t of)
{
    open_at(r, PLACE, 0, word, r->text.token.at);
    r->parsed.opening[r->parsed.openings - 1].jump = of;
    actio_parse_advance(r);
    return true;
}

/* [m/s]: words that nothing is called. As an index they could only be unknown. */
bool actio_parse_at_unit(struct actio_reader *r)
{
    struct actio_lexer lexer = r->text.lexer;
    bool unit = r->text.token.kind == ACTIO_T_OPEN_INDEX;
    size_t words = 0;
    r->text.lexer.mute = true;
    for (struct actio_token t = actio_lex_next(r); unit && t.kind != ACTIO_T_CLOSE_INDEX; t = actio_lex_next(r)) {
        unit = t.kind == ACTIO_T_WORD || t.kind == ACTIO_T_NUMBER || t.kind == ACTIO_T_DIVIDE || t.kind == ACTIO_T_POWER
               || t.kind == ACTIO_T_MINUS;
        if (t.kind == ACTIO_T_WORD) {
            words++;
            unit = !r->vocabulary.word[t.word].declared && !r->vocabulary.word[t.word].scope;
        }
    }
    r->text.lexer = lexer;
    return unit && words;
}

/* external("name"): a number that the program gives */
static bool external(struct actio_reader *r, uint32_t at, bool *want)
{
    r->text.token = actio_lex_string(r);
    if (r->text.token.kind != ACTIO_T_STRING) return false;
    emit(r, ACTIO_ST_EXTERNAL, 0, at, r->text.token.word);
    actio_parse_advance(r);
    *want = false;
    return actio_parse_take(r, ACTIO_T_CLOSE, "')'");
}

static bool name(struct actio_reader *r, bool *want)
{
    uint32_t word = r->text.token.word, at = r->text.token.at, primes = 0;
    actio_parse_advance(r);
    if (r->text.token.kind == ACTIO_T_OPEN && word == ACTIO_W_external && actio_lex_at_string(r))
        return external(r, at, want);
    if (r->text.token.kind == ACTIO_T_OPEN && actio_word_calls(r, word)) return call(r, word, at);
    if (!check_word(r, word, at)) return false;
    if (r->text.token.kind == ACTIO_T_DOT && !dotted(r, &word)) return false;
    for (; r->text.token.kind == ACTIO_T_PRIME; actio_parse_advance(r)) primes++;
    if (r->text.token.at > r->text.passed && actio_parse_at_unit(r))
        return parse_expr_fault(r, ACTIO_F_UNIT_PLACE, ACTIO_ARGS(ACTIO_TEXT(ACTIO_UNIT_EXAMPLE)));
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX) {
        actio_parse_advance(r);
        if (r->text.left_family && r->text.token.at == r->text.left_family->at) {
            *want = false;
            return left_family(r, word, primes, at);
        }
        open_at(r, INDEX, 0, word, at);
        r->parsed.opening[r->parsed.openings - 1].primes = primes;
        return true;
    }
    bool placed = r->text.token.kind == ACTIO_T_OPEN;
    emit(r, r->vocabulary.word[word].scope ? ACTIO_ST_BOUND : ACTIO_ST_NAME, placed, at, word);
    emit_rates(r, primes, at);
    if (placed) return open_place(r, word, at);
    *want = false;
    return true;
}

/* The text ends where an operand should be: an open bracket is what is wrong, if there is one. */
static bool no_operand(struct actio_reader *r, uint32_t base)
{
    uint32_t n = r->parsed.openings;
    while (n > base && !is_bracket(&r->parsed.opening[n - 1])) n--;
    bool open = n > base && (r->text.token.kind == ACTIO_T_NEWLINE || r->text.token.kind == ACTIO_T_END);
    return open ? unclosed(r, &r->parsed.opening[n - 1])
                : actio_parse_expected(r, "a number, a name or an open bracket");
}

/* `not` denies the condition that follows, unless a value has that name and what follows fits a value: "not < 2", "not
 * + 1 < x". */
static bool denies(struct actio_reader *r, uint32_t base)
{
    if (r->text.token.kind != ACTIO_T_WORD || r->text.token.word != ACTIO_W_not || !condition_begins(r, base))
        return false;
    const struct actio_word *w = &r->vocabulary.word[ACTIO_W_not];
    struct actio_lexer lexer = r->text.lexer;
    r->text.lexer.mute = true;
    struct actio_token next = actio_lex_next(r);
    r->text.lexer = lexer;
    if (w->scope) return next.kind == ACTIO_T_WORD || next.kind == ACTIO_T_NUMBER || next.kind == ACTIO_T_OPEN;
    return !w->declared || next.kind == ACTIO_T_WORD || next.kind == ACTIO_T_NUMBER
           || (next.kind == ACTIO_T_OPEN && !w->is_along);
}

static bool operand(struct actio_reader *r, uint32_t base, bool *want)
{
    uint32_t at = r->text.token.at;
    struct actio_opening *top = r->parsed.openings > base ? &r->parsed.opening[r->parsed.openings - 1] : NULL;
    if (top && (is_bracket(top) || top->phase <= COMPARISON)) top->start = at;
    bool may_compare = condition_begins(r, base);
    switch (r->text.token.kind) {
    case ACTIO_T_WORD:
        if (!denies(r, base)) return name(r, want);
        push_operator(r, PREFIX, denial, at);
        break;
    case ACTIO_T_NUMBER:
        emit(r, ACTIO_ST_NUMBER, 0, at, 0)->u.number = r->text.token.number;
        *want = false;
        break;
    case ACTIO_T_OPEN:
        open_at(r, GROUP, 0, 0, at);
        r->parsed.opening[r->parsed.openings - 1].phase = may_compare;
        break;
    case ACTIO_T_MINUS: push_operator(r, PREFIX, negation, at); break;
    case ACTIO_T_PLUS: return parse_expr_fault(r, ACTIO_F_UNARY_PLUS, ACTIO_NO_ARGS);
    default: return no_operand(r, base);
    }
    actio_parse_advance(r);
    return true;
}

/* ---- where an operator is expected */

/* + and - bind weakest of what makes values: what stands on their left begins where the current part of the bracket or
 * condition does. */
static uint32_t part_start(const struct actio_reader *r, uint32_t base)
{
    return r->parsed.openings > base ? r->parsed.opening[r->parsed.openings - 1].start : r->text.formula_at;
}

static bool binary_operator(struct actio_reader *r, uint32_t base)
{
    struct operator x = binary[r->text.token.kind];
    if (is_condition(r)) return parse_expr_fault(r, ACTIO_F_CONDITION_AS_VALUE, ACTIO_NO_ARGS);
    if (!parse_expr_reduce(r, base, x.strength == POWER ? POWER + 1 : x.strength)) return false;
    push_operator(r, BINARY, x, part_start(r, base));
    return true;
}

static bool parse_expr_compare(struct actio_reader *r, uint32_t base)
{
    if (!in_condition(r, base)) return parse_expr_fault(r, ACTIO_F_COMPARISON_HERE, ACTIO_NO_ARGS);
    if (!parse_expr_reduce(r, base, COMPARISON)) return false;
    if (is_condition(r)) return parse_expr_fault(r, ACTIO_F_COMPARISON_CHAIN, ACTIO_NO_ARGS);
    push_operator(r, BINARY, binary[r->text.token.kind], r->text.token.at);
    return true;
}

/* and, or */
static bool parse_expr_join(struct actio_reader *r, uint32_t base)
{
    struct operator x = joint[r->text.token.word == ACTIO_W_or];
    if (!parse_expr_reduce(r, base, x.strength)) return false;
    push_operator(r, BINARY, x, r->text.token.at);
    return is_condition(r) || not_a_condition(r, &r->parsed.opening[r->parsed.openings - 1]);
}

static bool to_range(struct actio_reader *r, struct actio_opening *o)
{
    if (o->kind != SUM_CALL || o->phase != FROM) return actio_parse_expected(r, "an operator or ')'");
    o->phase = TO;
    return true;
}

/* Functions of two numbers or more, taken one after the other. */
static bool takes_many(uint8_t op) { return op == ACTIO_MIN || op == ACTIO_MAX || op == ACTIO_HYPOT; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* 2,5 between the bracket and here */
static bool has_decimal_comma(struct actio_reader *r, const struct actio_opening *o)
{
    const char *text = actio_lex_origin(r)->source.text;
    for (uint32_t i = o->at + 1; i + 1 < r->text.token.at; i++)
        if (text[i] == ',' && is_digit(text[i - 1]) && is_digit(text[i + 1])) return true;
    return false;
}

/* The call as it is written, by what its arguments are. */
static const char *call_form(struct actio_reader *r, const struct actio_opening *o)
{
    static const struct {
        uint8_t op;
        const char *arguments;
    } own[] = {
        { ACTIO_ATAN2, "y, x" },
        { ACTIO_DIFF, "f, s" },
        { ACTIO_INTEGRAL, "s, f" },
        { ACTIO_RUNNING, "s, f" },
    };
    const char *arguments = takes_many(o->op) ? "x, y, ..." : actio_arity((enum actio_op)o->op) == 1 ? "x" : "x, y";
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].op == o->op) arguments = own[i].arguments;
    if (o->kind == IF_CALL) arguments = "a < b, value, other value";
    return actio_arena_format(&r->scratch, "write %s(%s)", text_of(r, o->word), arguments);
}

static bool wrong_count(struct actio_reader *r, const struct actio_opening *o, const char *takes, uint32_t count)
{
    const char *hint = has_decimal_comma(r, o) ? "write 2.5: a decimal comma is not supported" : call_form(r, o);
    actio_reader_fault_at(
        r, ACTIO_F_ARGUMENT_COUNT, r->text.lexer.origin, o->at,
        ACTIO_ARGS(ACTIO_TEXT(text_of(r, o->word)), ACTIO_TEXT(takes), ACTIO_COUNT(count), ACTIO_TEXT(hint)));
    return false;
}

static bool comma(struct actio_reader *r, struct actio_opening *o)
{
    switch (o->kind) {
    case IF_CALL:
        if (o->count == 0 && !is_condition(r)) return parse_expr_fault(r, ACTIO_F_IF_NEEDS_COMPARISON, ACTIO_NO_ARGS);
        break;
    case SUM_CALL:
        if (o->phase != TO) return actio_parse_expected(r, o->phase == FROM ? "'..' in the sum's range" : "')'");
        o->phase = BODY;
        o->jump = r->parsed.steps;
        r->vocabulary.word[o->word].scope++;
        emit(r, ACTIO_ST_SUM, 0, o->at, o->word);
        return true;
    case PLACE:
        if (!o->word) return actio_parse_expected(r, "')'");
        actio_reader_fault_at(
            r, ACTIO_F_NOT_A_FUNCTION, r->text.lexer.origin, o->jump,
            ACTIO_ARGS(ACTIO_TEXT(text_of(r, o->word)), ACTIO_TEXT(actio_word_function_hint(r, o->word))));
        return false;
    case CALL:
        if (o->count > 0 && takes_many(o->op)) emit(r, ACTIO_ST_OP2, o->op, o->at, 0);
        break;
    default: return actio_parse_expected(r, o->kind == INDEX ? "']'" : "')'");
    }
    o->count++;
    return true;
}

static bool close_call(struct actio_reader *r, const struct actio_opening *o)
{
    uint32_t count = o->count + 1;
    int arity = actio_arity((enum actio_op)o->op);
    if (takes_many(o->op) ? count < 2 : count != (uint32_t)arity)
        return wrong_count(r, o,
                           takes_many(o->op) ? "two arguments or more"
                           : arity == 1      ? "one argument"
                                             : "two arguments",
                           count);
    bool axis_first = o->op == ACTIO_INTEGRAL || o->op == ACTIO_RUNNING;
    emit(r, arity == 1 ? ACTIO_ST_OP1 : axis_first ? ACTIO_ST_SWAPPED : ACTIO_ST_OP2, o->op, o->at, 0);
    return true;
}

static bool close_sum(struct actio_reader *r, const struct actio_opening *o)
{
    if (o->phase != BODY)
        return actio_parse_expected(r, o->phase == FROM ? "'..' in the sum's range" : "a comma and what is summed");
    emit(r, ACTIO_ST_SUM_END, 0, o->at, o->word);
    r->parsed.step[o->jump].u.use.jump = r->parsed.steps;
    r->vocabulary.word[o->word].scope--;
    return true;
}

static bool close_bracket(struct actio_reader *r, struct actio_opening o)
{
    if ((o.kind == INDEX) != (r->text.token.kind == ACTIO_T_CLOSE_INDEX))
        return actio_parse_expected(r, o.kind == INDEX ? "']'" : "')'");
    switch (o.kind) {
    case CALL:
        if (!close_call(r, &o)) return false;
        break;
    case IF_CALL:
        if (o.count != 2) return wrong_count(r, &o, "three arguments", o.count + 1);
        emit(r, ACTIO_ST_IF, 0, o.at, 0);
        break;
    case SUM_CALL:
        if (!close_sum(r, &o)) return false;
        break;
    case PLACE: emit(r, ACTIO_ST_AT, 0, o.at, 0); break;
    case INDEX:
        emit(r, ACTIO_ST_INDEX, 0, o.at, o.word);
        emit_rates(r, o.primes, o.at);
        break;
    default: break;
    }
    r->parsed.openings--;
    return true;
}

bool actio_at_joint(const struct actio_reader *r)
{
    return r->text.token.kind == ACTIO_T_WORD
           && (r->text.token.word == ACTIO_W_and || r->text.token.word == ACTIO_W_or);
}

static bool no_operator(struct actio_reader *r)
{
    uint32_t bytes = r->text.token.bytes;
    if (r->text.token.kind == ACTIO_T_OPEN_INDEX) return parse_expr_fault(r, ACTIO_F_INDEX_AFTER_NAME, ACTIO_NO_ARGS);
    if (actio_at_joint(r))
        return parse_expr_fault(r, ACTIO_F_JOINT_HERE, ACTIO_ARGS(ACTIO_TEXT(text_of(r, r->text.token.word))));
    if (r->text.token.kind == ACTIO_T_WORD && r->text.token.word == ACTIO_W_not
        && !r->vocabulary.word[ACTIO_W_not].declared)
        return parse_expr_fault(r, ACTIO_F_NOT_BEFORE, ACTIO_NO_ARGS);
    return parse_expr_fault(r, ACTIO_F_IMPLICIT_PRODUCT,
                            ACTIO_ARGS(ACTIO_TEXT("..."), ACTIO_TEXT(actio_reader_quote(r, r->text.lexer.origin,
                                                                                        r->text.token.at, bytes))));
}

/* A sign inside brackets that is not an operator: it may close or divide the innermost one. */
static bool inside(struct actio_reader *r)
{
    struct actio_opening *o = &r->parsed.opening[r->parsed.openings - 1];
    switch (r->text.token.kind) {
    case ACTIO_T_CLOSE:
    case ACTIO_T_CLOSE_INDEX: return close_bracket(r, *o);
    case ACTIO_T_COMMA: return comma(r, o);
    case ACTIO_T_RANGE: return to_range(r, o);
    case ACTIO_T_NEWLINE:
    case ACTIO_T_END: return unclosed(r, o);
    case ACTIO_T_EQUAL:
        if (holds_condition(o)) return parse_expr_fault(r, ACTIO_F_EQUAL_IN_CONDITION, ACTIO_NO_ARGS);
        return actio_parse_expected(r, o->kind == INDEX ? "an operator or ']'" : "an operator or ')'");
    case ACTIO_T_WORD:
    case ACTIO_T_NUMBER:
    case ACTIO_T_OPEN:
    case ACTIO_T_OPEN_INDEX: return no_operator(r);
    default: return actio_parse_expected(r, o->kind == INDEX ? "an operator or ']'" : "an operator or ')'");
    }
}

/* diff(x, s)(c), also with a prime in between */
static bool ends_in_diff(const struct actio_reader *r)
{
    uint32_t i = r->parsed.steps;
    while (i > 0 && r->parsed.step[i - 1].kind == ACTIO_ST_RATE) i--;
    return i > 0 && r->parsed.step[i - 1].kind == ACTIO_ST_OP2 && r->parsed.step[i - 1].op == ACTIO_DIFF;
}

static bool is_binary(enum actio_token_kind k) { return k >= ACTIO_T_PLUS && k <= ACTIO_T_POWER; }
static bool is_comparison(enum actio_token_kind k) { return k >= ACTIO_T_LESS && k <= ACTIO_T_MORE_EQUAL; }

/* What stands behind an operand and is not an operator. Sets *done where the formula ends. */
static bool no_more_operators(struct actio_reader *r, uint32_t base, bool *want, bool *done)
{
    bool closes = r->text.token.kind == ACTIO_T_CLOSE || r->text.token.kind == ACTIO_T_CLOSE_INDEX;
    if (!parse_expr_reduce(r, base, ALL)) return false;
    if (r->parsed.openings == base) return *done = true;
    *want = !closes;
    return inside(r);
}

/* One token. Sets *done where the formula ends. */
static bool advance_formula(struct actio_reader *r, uint32_t base, bool *want, bool *done)
{
    enum actio_token_kind k = r->text.token.kind;
    if (*want) return operand(r, base, want);
    if (k == ACTIO_T_OPEN && ends_in_diff(r)) {
        *want = true;
        return open_place(r, ACTIO_W_NONE, 0);
    }
    bool compares = is_comparison(k) && bracket_here(r, base), joins = actio_at_joint(r) && in_condition(r, base),
         ok = true;
    if (k == ACTIO_T_PRIME && is_condition(r)) ok = parse_expr_fault(r, ACTIO_F_CONDITION_AS_VALUE, ACTIO_NO_ARGS);
    else if (k == ACTIO_T_PRIME) emit(r, ACTIO_ST_RATE, 0, r->text.token.at, 0);
    else if (is_binary(k) || compares || joins) {
        ok = joins ? parse_expr_join(r, base) : compares ? parse_expr_compare(r, base) : binary_operator(r, base);
        *want = true;
    } else ok = no_more_operators(r, base, want, done);
    if (ok && !*done) actio_parse_advance(r);
    return ok;
}

bool actio_parse_expr(struct actio_reader *r, struct actio_formula *out)
{
    uint32_t base = r->parsed.openings, first = r->parsed.steps;
    bool want = true, done = false, ok = true;
    r->text.formula_at = r->text.token.at;
    while (ok && !done) ok = advance_formula(r, base, &want, &done);
    for (; r->parsed.openings > base; r->parsed.openings--) { /* after a fault only */
        const struct actio_opening *o = &r->parsed.opening[r->parsed.openings - 1];
        if (o->kind == SUM_CALL && o->phase == BODY) r->vocabulary.word[o->word].scope--;
    }
    *out = (struct actio_formula){ .first = first, .count = r->parsed.steps - first, .origin = r->text.lexer.origin };
    return ok;
}

bool actio_parse_bounds(struct actio_reader *r, struct actio_range *range)
{
    if (!actio_parse_expr(r, &range->from)) return false;
    if (!actio_parse_take(r, ACTIO_T_RANGE, "'..' between the bounds")) return false;
    return actio_parse_expr(r, &range->to);
}
