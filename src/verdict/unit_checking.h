/* SPDX-License-Identifier: Apache-2.0
 * The check of units on its way: units are declared, statements listed, one pass gives each formula a unit, and each
 * statement is compared with what it needs. Used by units.c and the files below. */
#ifndef ACTIO_VERDICT_UNIT_CHECKING_H
#define ACTIO_VERDICT_UNIT_CHECKING_H

#include "verdict/units.h"

enum actio_unit_need {
    ACTIO_UNIT_NOTHING,
    ACTIO_UNIT_SAME_SIDES,
    ACTIO_UNIT_LAGRANGIAN,
    ACTIO_UNIT_OVER_LAGRANGIAN,
    ACTIO_UNIT_ITS_OWN,
    ACTIO_UNIT_OVER_OTHER
};
struct actio_unit_statement {
    const char *what; /* "constraint rod" */
    struct actio_span span;
    enum actio_unit_need need;
    actio_expr e, other; /* other: the right side */
    actio_quantity unit; /* its own, or what the lagrangian's (the other side's) is divided by */
    const char *why;     /* "lagrangian/x" */
};
enum actio_unit_clash_kind {
    ACTIO_UNIT_AGREE,
    ACTIO_UNIT_DIFFERENT,
    ACTIO_UNIT_WITH_NUMBER,
    ACTIO_UNIT_OTHER_SIZE,
    ACTIO_UNIT_ARGUMENT,
    ACTIO_UNIT_ARGUMENT_SIZE,
    ACTIO_UNIT_EXPONENT,
    ACTIO_UNIT_BASE
};
/* a node that requires too much of its operands */
struct actio_unit_misfit {
    uint32_t id, a, b;
    enum actio_unit_clash_kind clash;
};

struct actio_unit_checking {
    struct actio_model *model;
    struct actio_findings *f;
    struct actio_arena arena;
    actio_quantity *param, *coord, *state, *held, *frame, *observe, *let, time;
    const char *time_word;
    struct actio_unit times;                /* the units of time that were seen */
    bool any_unit, noted, numbers_are_data; /* in definitions and start data a number may have any unit */
    struct actio_unit_statement *list;
    uint32_t count, cap;
    uint32_t *id, ids; /* every node that the statements are made of, ascending */
    actio_quantity *q;
    struct actio_unit_misfit *fault;
    uint32_t faults, faults_cap, open_faults;
    actio_quantity lagrangian;
    uint32_t lagrangian_line;
    struct actio_span last; /* of the last finding: members of a family share it */
};

/* ---- unit_declared.c: units of params, variables and what is made of them; the unit of t */
void actio_unit_declare_all(struct actio_unit_checking *c);

/* ---- unit_statements.c: what is compared, listed */
void actio_unit_add_parts(struct actio_unit_checking *c); /* lagrangian, dissipation */
void actio_unit_add_forces(struct actio_unit_checking *c);
void actio_unit_add_equations(struct actio_unit_checking *c); /* flows, constraints, frames, lets, symmetries */
void actio_unit_add_contacts(struct actio_unit_checking *c);  /* friction and events as well */
void actio_unit_add_instants(struct actio_unit_checking *c);  /* what when and every set */
void actio_unit_add_data(struct actio_unit_checking *c);      /* definitions of params, start data */
void actio_unit_add_columns(struct actio_unit_checking *c);

/* ---- unit_rules.c: the unit of each formula, by one rule an operation */
extern const actio_quantity actio_unit_unknown, actio_unit_pure;
enum actio_unit_clash_kind actio_unit_meet(const actio_quantity *a, const actio_quantity *b);
void actio_unit_pass(struct actio_unit_checking *c);
actio_quantity actio_unit_of(const void *checking, uint32_t id); /* of a node, after the pass */

/* ---- unit_findings.c: the pass, then a finding for each listed statement that disagrees; the list is empty then */
void actio_unit_ask_all(struct actio_unit_checking *c);

#endif
