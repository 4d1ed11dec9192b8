/* SPDX-License-Identifier: Apache-2.0
 * From characters to statements: words, tokens, postfix code and the parsed statements. Internal to model/. */
#ifndef ACTIO_MODEL_SYNTAX_H
#define ACTIO_MODEL_SYNTAX_H

#include "base/findings.h"
#include "expr/expr.h"

/* ---- words: every name in the text once, so that names are compared as numbers */

enum actio_word_class {
    ACTIO_WC_NAME,
    ACTIO_WC_OPENER,
    ACTIO_WC_FREE,
    ACTIO_WC_STATEMENT,
    ACTIO_WC_LATER,
    ACTIO_WC_SPECIAL,
    ACTIO_WC_VALUE,
    ACTIO_WC_FUNCTION
};
enum {
    ACTIO_W_NONE,
#define WORD(name, class) ACTIO_W_##name,
#include "model/words.def"
#undef WORD
    ACTIO_W_FIRST_FUNCTION /* functions of ops.def follow, then the names of the text */
};

enum actio_symbol_kind {
    ACTIO_SY_NONE,
    ACTIO_SY_FAILED,
    ACTIO_SY_PARAM,
    ACTIO_SY_LET,
    ACTIO_SY_COORD,
    ACTIO_SY_STATE,
    ACTIO_SY_FRAME,
    ACTIO_SY_OBSERVE,
    ACTIO_SY_AXIS,
    ACTIO_SY_COORD_DOT,
    ACTIO_SY_STATE_DOT,
    ACTIO_SY_LAMBDA,
    ACTIO_SY_COLUMN, /* what column names stand for */
    ACTIO_SY_CONSTRAINT,
    ACTIO_SY_CONTACT,
    ACTIO_SY_EVENT,
    ACTIO_SY_SYMMETRY, /* labels */
    ACTIO_SY_BASE,     /* x.base in a potential: component of (q, q', s) */
    ACTIO_SY_REACTION, /* reaction.x as what is given a value: component of (q, s) */
    ACTIO_SY_HELD
};
struct actio_symbol_ref {
    enum actio_symbol_kind kind;
    uint32_t index;
};

struct actio_extent {
    double low, high;
}; /* smallest and largest index; empty: low > high */

struct actio_word {
    const char *text;
    uint32_t length;
    uint8_t class; /* op of a FUNCTION, and of a FREE word that is one where no value has its name */
    uint8_t op;
    bool declared, is_along; /* known before formulas are read: the model has a value of this name; it is NAME(s) */
    bool settled;            /* all its definitions are elaborated */
    bool suspect;            /* occurs in a statement that could not be read: not reported as unknown */
    uint32_t scope;          /* parsing: how many open sums and families use it as their index */
    double bound;            /* elaborating: the index's value now */
    uint32_t stem, label;    /* of "lambda.c": the two words; of "x_dot": stem; else 0 */
    uint32_t definition, label_definition; /* last of its definitions + 1, 0 = not declared */
    uint32_t pending;                      /* the definition + 1 that has to be looked at next */
    /* as a value and as a label; family members ("a[3]") have words of their own */
    struct actio_symbol_ref value, tag;
    bool is_family, tag_is_family; /* of a family's head */
    struct actio_extent extent, tag_extent;
    uint16_t column_axis;        /* of a column that has a number at every node or cell */
    uint32_t column, column_ref; /* index + 1 among the columns / among model->column_name */
    uint32_t override;           /* entry + 1 that replaces this member of a param family */
};

/* ---- tokens */

enum actio_token_kind {
    ACTIO_T_END,
    ACTIO_T_NEWLINE,
    ACTIO_T_BAD,
    ACTIO_T_WORD,
    ACTIO_T_NUMBER,
    ACTIO_T_PRIME,
    ACTIO_T_DOT,
    ACTIO_T_OPEN,
    ACTIO_T_CLOSE,
    ACTIO_T_OPEN_INDEX,
    ACTIO_T_CLOSE_INDEX,
    ACTIO_T_COMMA,
    ACTIO_T_COLON,
    ACTIO_T_EQUAL,
    ACTIO_T_RANGE,
    ACTIO_T_PLUS,
    ACTIO_T_MINUS,
    ACTIO_T_TIMES,
    ACTIO_T_DIVIDE,
    ACTIO_T_POWER,
    ACTIO_T_LESS,
    ACTIO_T_LESS_EQUAL,
    ACTIO_T_MORE,
    ACTIO_T_MORE_EQUAL,
    ACTIO_T_STRING /* only inside external( ): see actio_lex_string */
};
struct actio_token {
    enum actio_token_kind kind;
    uint32_t at, bytes, word;
    double number;
    struct actio_span span;
};

/* A text that is read: the model file or one command-line option, whose faults are usage errors. */
struct actio_origin {
    struct actio_source source;
    bool is_option;
};

struct actio_lexer {
    uint16_t origin;
    uint32_t at, line, column, depth;
    uint32_t end_line, end_column; /* just behind the last token */
    enum actio_token_kind last;
    bool mute;
};

/* ---- postfix code of an expression */

enum actio_instr_kind {
    ACTIO_ST_NUMBER,
    ACTIO_ST_NAME,
    ACTIO_ST_BOUND,
    ACTIO_ST_INDEX,
    ACTIO_ST_RATE,
    ACTIO_ST_OP1,
    ACTIO_ST_OP2,
    ACTIO_ST_SWAPPED,
    ACTIO_ST_IF,
    ACTIO_ST_SUM,
    ACTIO_ST_SUM_END,
    ACTIO_ST_AT,
    ACTIO_ST_EXTERNAL
};
struct actio_step {
    /* op of a NAME: 1 where a bracket follows. at: byte in the text, for messages. Of a + or -: use.word, use.jump are
     * the bytes where its */
    uint8_t kind, op;
    bool kept;
    uint32_t at;
    /* left side begins and just behind its right side; kept: the model knows it */
    union {
        double number;
        struct {
            uint32_t word, jump;
        } use;
    } u;
};
struct actio_formula {
    uint32_t first, count;
    uint16_t origin;
}; /* in reader->step */

/* ---- statements */

enum actio_range_kind { ACTIO_R_NONE, ACTIO_R_MEMBER, ACTIO_R_FAMILY };
/* MEMBER: `from` is the index */
struct actio_range {
    enum actio_range_kind kind;
    uint32_t index;
    struct actio_formula from, to;
};

struct actio_item { /* one declaration or assignment: name, index, unit, expression */
    uint32_t word, primes, at;
    struct actio_span span;
    struct actio_range range;
    struct actio_formula e;
    const char *unit;
    uint32_t next;  /* options for members of the same param family: item + 1 */
    uint32_t end;   /* byte just behind it */
    bool is_option; /* restitution, friction, slip, stick = e; slip = (e, second); of a force on x(c): the place */
    struct actio_formula second;
    uint32_t axis; /* word of NAME(s); of an axis itself its own: bounds in `range`, nodes in `e` */
};
struct actio_statement {
    uint32_t keyword, label, at; /* the label's span where there is one */
    struct actio_span span;
    uint16_t origin;
    struct actio_range family;                      /* of a label or of a flow */
    struct actio_formula left, right, bound, place; /* place: x(c) in the place of a column */
    uint32_t first, entries;                        /* in reader->entry */
    uint32_t rule; /* ACTIO_W_acting, _along, _time; of a claim _drift, _residual, _verdict, _at */
    uint32_t column_primes, by, verdict, column;
    struct actio_span column_span;
    const char *text; /* a claim as written */
    uint32_t end;     /* byte just behind its last word; `at` is the first behind the keyword */
    uint32_t axis;    /* word of LABEL(s) */
    bool at_most;     /* of a contact: A <= B */
    unsigned option;  /* an actio_override_kind, where the command line gives it */
    uint32_t index;   /* where its constraints, contacts or events begin; its label could not be made */
    bool failed;
};

#endif
