/* SPDX-License-Identifier: Apache-2.0
 * Do the units of a model agree, where they are given? Numbers are never converted. */
#ifndef ACTIO_VERDICT_UNITS_H
#define ACTIO_VERDICT_UNITS_H

#include "model/model.h"

/* Says what does not agree: at most one finding a statement. Nothing is required of quantities without a unit, and
 * nothing at all of a model without any. Says no wrong thing: what is reported disagrees whatever units the others
 * have. */
void actio_check_units(struct actio_model *model, struct actio_findings *f);

/* ---- unit_words.c: units as text. Used by unit_declared.c, unit_rules.c, unit_columns.c */

enum { ACTIO_BASE_UNITS = 7, ACTIO_WHOLE_POWER = 120 }; /* m kg s A K mol cd; exponents are multiples of 1/120 */

/* What is known of the unit of an expression. */
typedef struct {
    int16_t e[ACTIO_BASE_UNITS];
    bool known;  /* false: any unit fits, the rest means nothing */
    bool number; /* a number as it was written, not 0 */
    bool loose;  /* the size means nothing: a factor like 0.01 may be a conversion */
    double size; /* log of the unit's size in SI: 0 for m, log(0.01) for cm */
} actio_quantity;

enum actio_unit_fault { ACTIO_UNIT_FINE, ACTIO_UNIT_NO_WORD, ACTIO_UNIT_TWO_WAYS, ACTIO_UNIT_UNREADABLE };
struct actio_unit {
    actio_quantity q;
    char time[16];
    double time_size;
    bool several_times;          /* the unit of time in it; "" without */
    enum actio_unit_fault fault; /* and the word at fault */
    char word[64];
};
void actio_unit_read(const char *text, struct actio_unit *out);           /* q.known is false after a fault */
void actio_unit_print(const actio_quantity *q, struct actio_text *out);   /* "kg m^2/s^2"; "1" for pure numbers */
const char *actio_unit_hint(struct actio_arena *arena, const char *word); /* what may have been meant */

/* sign -1: quotient */
actio_quantity actio_quantity_product(const actio_quantity *a, const actio_quantity *b, int sign);
/* unknown where the exponents don't come out even */
actio_quantity actio_quantity_power(const actio_quantity *a, double k);
bool actio_same_powers(const actio_quantity *a, const actio_quantity *b);
bool actio_same_size(const actio_quantity *a, const actio_quantity *b); /* true as well where sizes mean nothing */

/* What is known of the units of a model's parts; `any` false: it gives none. In the arena. */
struct actio_unit_parts {
    bool any;
    const char *time_word;
    actio_quantity time, energy, *coord, *constraint, *contact, *observe, *frame;
};
void actio_unit_parts_of(struct actio_model *model, struct actio_arena *arena, struct actio_unit_parts *out);

/* ---- unit_columns.c: units of the columns of a result */

struct actio_column_units;
/* NULL: no units are given. Dies with the arena */
struct actio_column_units *actio_column_units_open(struct actio_model *model, struct actio_arena *arena);
/* "" where it is not known; columns are requested in their order */
const char *actio_column_unit(struct actio_column_units *u, const char *name, int role);

/* ---- unit_terms.c: sums as they stand in the text. Used by unit_findings.c */

/* The node whose operands do not agree, the line of the statement it was met in, and what is known of the unit of any
 * node. */
struct actio_unit_ask {
    uint32_t id, line;
    bool lagrangian;
    actio_quantity (*quantity)(const void *user, uint32_t id);
    const void *user;
};
/* "`a` is in [m], but `b` is in [s]", "b [s] (line 2)", the place of b */
struct actio_unit_clash {
    const char *text, *names;
    struct actio_span span;
};
/* false: not found */
bool actio_unit_clash_of(struct actio_model *m, struct actio_arena *arena, const struct actio_unit_ask *ask,
                         struct actio_unit_clash *out);
/* "m [kg] and g [m/s] (line 2)"; "" */
const char *actio_unit_names(struct actio_model *m, struct actio_arena *arena, actio_expr e);
/* printed, cut where it is long */
const char *actio_unit_formula(struct actio_model *m, struct actio_arena *arena, actio_expr e);

#endif
