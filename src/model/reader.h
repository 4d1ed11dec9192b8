/* SPDX-License-Identifier: Apache-2.0
 * The state of one reading, from characters to a model, and what its files offer one another. Internal to model/. */
#ifndef ACTIO_MODEL_READER_H
#define ACTIO_MODEL_READER_H

#include "model/model.h"
#include "model/syntax.h"

enum { ACTIO_FAMILY_LIMIT = 1000000, ACTIO_NAME_LIMIT = 200, ACTIO_STEP_LIMIT = 100000000 };

enum actio_mark { ACTIO_MARK_NEW, ACTIO_MARK_OPEN, ACTIO_MARK_DONE };
struct actio_definition { /* of a value; a family may have several, with different indices */
    uint32_t word, keyword, item;
    uint16_t origin;
    uint32_t next; /* next of the same name + 1 */
    enum actio_mark mark;
    uint32_t override, member_override; /* item + 1 that replaces it; list of items for single members */
    uint32_t first, made;               /* of a frame or an observe: what it made, where */
};
struct actio_opening {       /* parsing: an operator or bracket that waits */
    uint8_t kind, op, phase; /* start: of a bracket's current part; of + and -: of the left side */
    uint32_t primes, count, word, at, jump, start;
};
/* at: its index; then where to read on */
struct actio_left_family {
    uint32_t at;
    struct actio_lexer after;
    struct actio_token token;
};
struct actio_loop {
    uint32_t word, begin;
    double now, last, saved;
};
struct actio_visit {
    uint32_t definition, part, step;
};
struct actio_column_use {
    uint32_t word, at;
    uint16_t origin;
};

struct actio_vocabulary {
    struct actio_word *word;
    uint32_t words, words_cap;
    uint32_t *bucket, buckets;
};
struct actio_reading {
    struct actio_lexer lexer;
    struct actio_token token;
    uint32_t passed, formula_at; /* byte just behind the token before; where the formula being read begins */
    const struct actio_left_family *left_family; /* the family that the flow being read declares; NULL elsewhere */
};
struct actio_parsed {
    struct actio_step *step;
    uint32_t steps, steps_cap;
    struct actio_opening *opening;
    uint32_t openings, openings_cap;
    struct actio_item *item;
    uint32_t items, items_cap;
    struct actio_statement *statement;
    uint32_t statements, statements_cap;
};
/* machine.c */
struct actio_machine {
    actio_expr *value; /* its stack */
    uint32_t values, values_cap;
    struct actio_loop *loop;
    uint32_t loops, loops_cap;
    uint64_t steps_done, tokens;
};
/* By node of the pool. */
struct actio_node_notes {
    uint32_t *mask, masks, masks_cap; /* spaces that occur in it */
    uint32_t *open, opens, opens_cap; /* axes that it is open in: see fields.c */
    uint32_t *rate, rates_cap;        /* id + 1 of its time derivative, where known */
};
struct actio_claim_reading {
    struct actio_column_use *column_use;
    uint32_t column_uses, column_uses_cap;
    bool lenient; /* reading a claim of a model that --set has changed: the member that it is about does not exist */
    const char *absent;
};
/* Room in the lists of the model. */
struct actio_model_room {
    uint32_t let_units, column_axes, lets, params, coords, states, observes, constraints, forces, flows, symmetries,
        frames, claims, columns, contacts, events, parts, sums, start_items, frees, requires, axes, column_names, rules,
        externals, helds, instants;
};

struct actio_reader {
    struct actio_context *ctx;
    struct actio_model *model;
    struct actio_findings *findings;
    struct actio_arena scratch; /* dies when reading ends */
    size_t errors_before;
    const struct actio_override *override;
    size_t overrides;
    struct actio_origin *origin;
    uint32_t origins;
    struct actio_vocabulary vocabulary;
    struct actio_reading text;
    struct actio_parsed parsed;
    /* elaborating */
    struct actio_definition *definition;
    uint32_t definitions, definitions_cap;
    struct actio_visit *visit;
    uint32_t visits, visits_cap;
    actio_expr *let;
    uint32_t lets, lets_cap;
    struct actio_machine machine;
    struct actio_node_notes nodes;
    /* is the kinetic energy m/2*sum of q'^2 over all coordinates? */
    enum { ACTIO_MASS_UNKNOWN, ACTIO_MASS_POINT, ACTIO_MASS_OTHER } mass;
    uint32_t *released;       /* of each coordinate, rate, state: the line that frees it, 0 = none */
    uint32_t *in_list, lists; /* of each variable: the last list of terms that named it */
    struct actio_claim_reading claimed;
    struct actio_model_room cap;
};

/* ---- words.c */
void actio_words_open(struct actio_reader *r);
uint32_t actio_word_of(struct actio_reader *r, const char *text, size_t length);
uint32_t actio_word_member(struct actio_reader *r, uint32_t head, double index);   /* the word "a[3]" */
uint32_t actio_word_dotted(struct actio_reader *r, uint32_t stem, uint32_t label); /* the word "lambda.c" */
const char *actio_word_text(const struct actio_reader *r, uint32_t word);
bool actio_word_calls(const struct actio_reader *r, uint32_t word); /* before a bracket it is a function */
bool actio_word_reserved(const struct actio_reader *r, uint32_t word);
enum actio_near_list {
    ACTIO_NEAR_VALUE,
    ACTIO_NEAR_LABEL,
    ACTIO_NEAR_STATEMENT,
    ACTIO_NEAR_FUNCTION,
    ACTIO_NEAR_COLUMN
};
/* of a word before a bracket that is not a function */
const char *actio_word_function_hint(struct actio_reader *r, uint32_t word);
/* "did you mean ..?" */
const char *actio_word_hint(struct actio_reader *r, const char *text, enum actio_near_list list, const char *otherwise);

/* ---- fault.c: all findings of the reader go through here; those about an option become usage errors */
void actio_reader_fault(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                        const struct actio_value arg[6]);
/* at: a token's first byte */
void actio_reader_fault_at(struct actio_reader *r, enum actio_code code, uint16_t origin, uint32_t at,
                           const struct actio_value arg[6]);
bool actio_reader_failed(const struct actio_reader *r);
/* a piece of text for a message, shortened */
const char *actio_reader_quote(struct actio_reader *r, uint16_t origin, uint32_t at, uint32_t bytes);

/* ---- lex.c */
/* UTF-8, control characters; false: not worth reading */
bool actio_lex_check_text(struct actio_reader *r, uint16_t origin);
void actio_lex_open(struct actio_reader *r, uint16_t origin);
struct actio_token actio_lex_next(struct actio_reader *r);
/* Does a string begin here, behind the token at hand? Then it is read: a word without its quotation marks. */
bool actio_lex_at_string(struct actio_reader *r);
struct actio_token actio_lex_string(struct actio_reader *r);
/* bytes of the token that begins there */
uint32_t actio_lex_length(struct actio_reader *r, uint16_t origin, uint32_t at);
struct actio_origin *actio_lex_origin(struct actio_reader *r);

/* ---- parse_tokens.c, parse_expr.c, parse_unit.c, parse.c; what only statements need is in parse.h */
#define ACTIO_UNIT_EXAMPLE "units where names are declared: param g [m/s^2] = 9.81, coord x [m], observe v [m/s] = x'"
void actio_parse_advance(struct actio_reader *r);
/* reports that the token at hand is not `what`; false */
bool actio_parse_expected(struct actio_reader *r, const char *what);
bool actio_parse_expected_as(struct actio_reader *r, const char *what, const char *hint);
bool actio_parse_take(struct actio_reader *r, enum actio_token_kind kind, const char *what);
bool actio_at_joint(const struct actio_reader *r); /* at `and` or `or` */
bool actio_parse_expr(struct actio_reader *r, struct actio_formula *out);
bool actio_parse_bounds(struct actio_reader *r, struct actio_range *range); /* A .. B */
bool actio_parse_at_unit(struct actio_reader *r);                /* does a bracket at hand hold a unit, and no index? */
bool actio_parse_small_whole(double x);                          /* a whole number below 1e9 */
bool actio_parse_unit(struct actio_reader *r, const char **out); /* [kg m/s]; nothing where no bracket is */
void actio_parse_model(struct actio_reader *r);
void actio_parse_option(struct actio_reader *r, uint16_t origin, enum actio_override_kind kind);
/* ---- machine.c: runs postfix code */
enum actio_setting { /* where a formula stands: decides what it may contain */
                     ACTIO_IN_PARAM,
                     ACTIO_IN_BOUND,
                     ACTIO_IN_INDEX,
                     ACTIO_IN_START,
                     ACTIO_IN_TIME,
                     ACTIO_IN_CLAIM,
                     ACTIO_IN_REQUIRE,
                     ACTIO_IN_LET,
                     ACTIO_IN_OBSERVE,
                     ACTIO_IN_LAGRANGIAN,
                     ACTIO_IN_DISSIPATION,
                     ACTIO_IN_FORCE,
                     ACTIO_IN_FLOW_LEFT,
                     ACTIO_IN_FLOW_RIGHT,
                     ACTIO_IN_CONSTRAINT,
                     ACTIO_IN_ALONG,
                     ACTIO_IN_SYMMETRY,
                     ACTIO_IN_FRAME,
                     ACTIO_IN_GAP,
                     ACTIO_IN_OPTION,
                     ACTIO_IN_EVENT,
                     ACTIO_IN_ASSIGN,
                     ACTIO_IN_PERIOD,
                     ACTIO_IN_WEIGHT,
                     ACTIO_IN_POTENTIAL
};
#define ACTIO_BIT(space) (1u << ACTIO_SPACE_##space)
bool actio_machine_run(struct actio_reader *r, struct actio_formula f, enum actio_setting in, actio_expr *out);
/* not necessarily finite */
bool actio_machine_number(struct actio_reader *r, struct actio_formula f, enum actio_setting in, double *out);
unsigned actio_machine_spaces(struct actio_reader *r, actio_expr e); /* which spaces occur, as bits */
bool actio_machine_whole(struct actio_reader *r, actio_expr e, uint16_t origin, uint32_t at, double *out);
/* what was required of a number of params: kept for numbers.c */
void actio_machine_keep_rule(struct actio_reader *r, struct actio_number_rule rule);
/* NONE is 0 .. 0 */
bool actio_machine_range(struct actio_reader *r, const struct actio_range *range, double *low, double *high);
/* those that occur */
actio_expr *actio_machine_symbols(struct actio_reader *r, actio_expr e, enum actio_space space, uint32_t *count);
uint32_t actio_formula_at(const struct actio_reader *r, struct actio_formula f);

/* ---- fields.c */
bool actio_is_axis(const struct actio_reader *r, const struct actio_definition *d);
/* an axis or a field */
bool actio_define_field(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k);
/* is each name's axis the statement's? */
void actio_fields_check(struct actio_reader *r, const struct actio_statement *s);
/* its number; 0 of no word */
bool actio_axis_named(struct actio_reader *r, uint32_t word, uint16_t origin, struct actio_span span, uint16_t *axis);
/* bit 1 << axis: it has a value at every point of that axis */
unsigned actio_open_axes(struct actio_reader *r, actio_expr e);
actio_expr actio_field_at(struct actio_reader *r, actio_expr e, uint16_t axis, actio_expr place);
/* open in this axis at most (0: in none) */
bool actio_field_fits(struct actio_reader *r, actio_expr e, uint16_t axis, enum actio_setting in,
                      struct actio_formula f);

/* ---- resolve.c: what a name stands for; says so when it is nothing */
struct actio_use {
    uint32_t word;
    bool indexed;
    double index;
    uint16_t origin;
    uint32_t at;
    enum actio_setting in;
    bool target;
};
bool actio_resolve(struct actio_reader *r, const struct actio_use *use, struct actio_symbol_ref *ref);
/* what a label stands for */
bool actio_resolve_label(struct actio_reader *r, const struct actio_use *use, uint32_t label,
                         struct actio_symbol_ref *ref);
actio_expr actio_resolved_expr(struct actio_reader *r, struct actio_symbol_ref ref);
const char *actio_kind_text(enum actio_symbol_kind kind); /* "a param" */

/* ---- define.c: declarations, their order, and what they define */
void actio_declare_all(struct actio_reader *r);
void actio_define_all(struct actio_reader *r);

/* ---- dual.c: --weights, --potential, --base, --final */
void actio_dual_statement(struct actio_reader *r, struct actio_statement *s);

/* ---- statements.c, flows.c, contacts.c, friction.c, columns.c, mixed.c */
void actio_statements_all(struct actio_reader *r);
struct actio_target {
    const struct actio_item *item;
    uint16_t origin;
    struct actio_symbol_ref ref;
    actio_expr e, place;
};
typedef bool actio_target_fn(struct actio_reader *r, const struct actio_target *target, void *user);
bool actio_each_target(struct actio_reader *r, const struct actio_item *item, enum actio_setting in, uint16_t origin,
                       actio_target_fn *one, void *user);
void actio_flows_all(struct actio_reader *r);
/* contacts, events, friction of constraints: when the lagrangian is known */
void actio_contacts_all(struct actio_reader *r);

enum { ACTIO_OPTIONS = ACTIO_W_stick - ACTIO_W_restitution + 1 };
/* as written; NULL where not */
struct actio_options {
    const struct actio_statement *s;
    const struct actio_item *item[ACTIO_OPTIONS];
};
bool actio_is_option(const struct actio_reader *r, const struct actio_statement *s, const struct actio_item *item);
bool actio_options_of(struct actio_reader *r, const struct actio_statement *s, struct actio_options *out);
/* leaves *out where it is not written */
bool actio_option_value(struct actio_reader *r, const struct actio_options *o, uint32_t word, actio_expr *out);
bool actio_option_number(struct actio_reader *r, actio_expr e, double *out); /* false: it changes with the motion */
/* A wall that may be rough: its gap or holonomic g, 0 where the slip can't be found from it. */
struct actio_rough {
    const char *label;
    actio_expr surface;
};
bool actio_friction_of(struct actio_reader *r, const struct actio_options *o, const struct actio_rough *of,
                       struct actio_friction *out);
void actio_columns_all(struct actio_reader *r);
void actio_claims_all(struct actio_reader *r);
/* its name in the output: x_dot for x' */
bool actio_column_named(struct actio_reader *r, const struct actio_statement *s, const char **out);
/* instants.c: when and every, once events and contacts are known */
void actio_instants_all(struct actio_reader *r);
bool actio_define_held(struct actio_reader *r, const struct actio_item *item, uint32_t word);
/* start u = EXPR; false after a fault */
bool actio_start_held(struct actio_reader *r, const struct actio_target *t, bool option);
void actio_frees_all(struct actio_reader *r);
void actio_requires_all(struct actio_reader *r); /* when the columns are known */

#endif
