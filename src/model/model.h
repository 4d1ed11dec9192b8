/* SPDX-License-Identifier: Apache-2.0
 * A model as it is written: names, spans and expressions. The only numbers are those of params and start data.
 * In: text, overrides of the command line. Out: a struct actio_model, or findings. Callers: equations, later rooms. */
#ifndef ACTIO_MODEL_MODEL_H
#define ACTIO_MODEL_MODEL_H

#include "base/findings.h"
#include "expr/expr.h"

/* A command-line override, as text: --set n=3, --start x'=1 (or x_dot), --time A..B; of orbits --period, A..B of
 * --follow, --turn theta=2*pi. */
enum actio_override_kind {
    ACTIO_SET_PARAM,
    ACTIO_SET_START,
    ACTIO_SET_TIME,
    ACTIO_SET_WEIGHTS,
    ACTIO_SET_POTENTIAL,
    ACTIO_SET_BASE,
    ACTIO_SET_FINAL, /* of the dual action */
    ACTIO_SET_PERIOD,
    ACTIO_SET_WAY,
    ACTIO_SET_TURN /* of orbits */
};
/* "NAME=EXPR", "A..B"; of a period and a potential "EXPR" */
struct actio_override {
    enum actio_override_kind kind;
    const char *text;
};

/* symbol: PARAM, its index; overrides are in `definition` and `value` */
struct actio_param {
    const char *name, *unit;
    struct actio_span span;
    actio_expr definition;
    double value;
    bool sizes;   /* a whole number that the reader has used is made of it: of a family, an index, a sum, an axis */
    bool changed; /* set after reading */
};
/* An axis that fields live on: places s from a to b, nodes at equal distances. Symbols of fields carry its number, 1
 * for the first. */
/* resized: the command line says how many nodes */
struct actio_axis {
    const char *name;
    struct actio_span span;
    actio_expr s, from, to, nodes_written;
    double a, b;
    size_t nodes;
    bool resized;
};
/* A coordinate (symbols Q, V, ACC at its index) or a state (STATE, SDOT). A field is a coordinate at every point of its
 * axis. Family members are variables of their own: name "a[3]", dot_name "a_dot[3]". */
struct actio_variable {
    const char *name, *dot_name, *unit;
    struct actio_span span;
    uint16_t axis;           /* of a field: which, from 1 on; its start data are formulas of s */
    actio_expr x, dot, ddot; /* ddot of a state: none (0) */
    actio_expr start, start_dot;
    bool start_given, start_dot_given;
    struct actio_span start_span, start_dot_span; /* line 0 when the command line gives it */
};
/* index among coords or states; placed: of a field, at one place of it */
struct actio_term {
    uint32_t variable;
    bool is_state;
    actio_expr e;
    struct actio_span span;
    bool placed;
    actio_expr place;
};
/* label NULL: unnamed */
struct actio_force {
    const char *label;
    struct actio_term *term;
    size_t terms;
    struct actio_span span;
};
/* left is linear in SDOT, right free of it */
struct actio_flow_equation {
    actio_expr left, right;
    struct actio_span span;
};
/* as many as states */
struct actio_model_flows {
    struct actio_flow_equation *of;
    size_t count;
};

/* Dry friction: -coefficient*N*slip/|slip| through d slip/dq', N = lambda*scale (of a constraint |lambda|*scale); held
 * up to stick*N. */
enum { ACTIO_SLIPS = 2 };
struct actio_friction {
    bool given; /* else coefficient and stick are 0 */
    actio_expr coefficient, stick;
    actio_expr slip[ACTIO_SLIPS]; /* affine in V; 0 without friction and slip */
    size_t slips;
    bool slip_given, stick_given;
    /* 1 when slip is written, |d gap/dq| for a point mass whose slip is its velocity along the wall */
    actio_expr scale;
    struct actio_span span; /* of the option `friction` */
};
/* A one-sided wall. gap = B - A for A <= B, A - B for A >= B, made of Q, T and params: >= 0 in free flight. */
struct actio_contact {
    const char *label;
    struct actio_span span;
    actio_expr left, right, gap; /* at_most: A <= B */
    bool at_most;
    actio_expr restitution; /* 1 where not given */
    struct actio_friction friction;
};
/* crossings of g = left - right */
struct actio_event_line {
    const char *label;
    struct actio_span span;
    actio_expr left, right, g;
    signed char way; /* 1 rising, -1 falling, 0 either */
};

/* What keeps its value between instants (symbol HELD). */
struct actio_held_line {
    const char *name, *unit;
    struct actio_span span;
    actio_expr x, start;
    bool start_given;
};
/* What an instant sets. */
enum actio_assign_kind { ACTIO_SETS_COORD, ACTIO_SETS_RATE, ACTIO_SETS_STATE, ACTIO_SETS_HELD };
struct actio_assign_line {
    enum actio_assign_kind kind;
    uint32_t index;
    actio_expr e;
    struct actio_span span;
};
/* `when` an event or a contact happens, or `every` period from a time on (has_from false: the start). */
enum actio_reset_kind { ACTIO_WHEN_EVENT, ACTIO_WHEN_CONTACT, ACTIO_EVERY };
struct actio_reset_line {
    enum actio_reset_kind kind;
    uint32_t index; /* of the event or contact */
    actio_expr period, from;
    const char *written; /* the period, as in the text */
    bool has_from, stops;
    struct actio_assign_line *assign;
    uint32_t assigns;
    struct actio_span span;
};
struct actio_model_instants {
    struct actio_held_line *held;
    size_t helds;
    struct actio_reset_line *line;
    size_t lines;
};

enum actio_constraint_kind { ACTIO_HOLONOMIC, ACTIO_VELOCITY, ACTIO_ACCELERATION }; /* with a state in it: VELOCITY */
enum actio_reaction_rule { ACTIO_IDEAL, ACTIO_ACTING, ACTIO_ALONG };
struct actio_constraint {
    const char *label; /* "c[2]" for family members */
    struct actio_span span;
    actio_expr left, right, g; /* g = left - right */
    uint16_t axis;             /* at every point of it; 0: once */
    enum actio_constraint_kind kind;
    enum actio_reaction_rule rule;
    struct actio_term *reaction; /* ACTING: the named variables (e unused); ALONG: variable = direction */
    size_t reactions;
    actio_expr start_lambda;
    bool start_lambda_given;
    struct actio_friction friction;
};
/* A sum a + b or a - b as it stands in the text, by bytes: where a begins, the sign, just behind b. The sums of a + b -
 * c all begin at a. */
struct actio_written_sum {
    actio_expr a, b;
    bool minus;
    uint32_t from, at, to;
};
struct actio_written_term {
    actio_expr e;
    bool minus;
    uint32_t from, to;
};
/* An item of a `start` statement, by bytes; of which variable: UINT32_MAX for families and multipliers. */
struct actio_start_item {
    uint32_t variable;
    bool is_state, is_rate;
    uint32_t from, to, statement_from, statement_to;
};
/* Mixed data: the initial value of `variable` (of its rate) is not known, and that of `start` only a guess. */
struct actio_free_datum {
    uint32_t variable;
    bool is_state, dot;
    struct actio_span span;
};
/* bytes of its formula */
struct actio_part {
    actio_expr e;
    struct actio_span span;
    bool is_dissipation;
    uint32_t from, to;
};
struct actio_symmetry {
    const char *label;
    bool is_time;
    struct actio_term *term;
    size_t terms;
    struct actio_span span;
};
/* affine in V, made of Q, T and params else */
struct actio_quasi_velocity {
    const char *name, *unit;
    actio_expr e;
    struct actio_span span;
    uint16_t axis;
};
/* claimed: x(c) of an expect, by the name written there */
struct actio_observe {
    const char *name, *unit;
    actio_expr e;
    struct actio_span span;
    uint16_t axis;
    bool claimed;
};

/* a let whose unit is given; formulas have its formula in them */
struct actio_let_unit {
    const char *name, *unit;
    actio_expr e;
    struct actio_span span;
};
struct actio_let {
    const char *name;
    actio_expr e;
};

enum actio_claim_kind { ACTIO_CLAIM_AT, ACTIO_CLAIM_DRIFT, ACTIO_CLAIM_RESIDUAL, ACTIO_CLAIM_VERDICT };
struct actio_claim {
    enum actio_claim_kind kind;
    struct actio_span span;
    const char *text;                  /* the claim as written, without `expect` */
    const char *column, *by, *verdict; /* column name as in the output (x_dot for x'), NULL where not used */
    double at, value, bound;           /* bound: within, or the right side of < */
    actio_expr at_written, value_written, bound_written;
    const char *absent; /* why it does not apply: --set has made a family smaller; NULL where it does */
};

/* A condition on the motion: this column has this value at this time. As many as free data, constraints being counted
 * by who solves for them. */
struct actio_require {
    const char *column;   /* as in actio_model_columns: x_dot for x' */
    actio_expr at, value; /* made of params, finite */
    double time;          /* of `at`; t0 or t1 where it lies beyond by rounding only */
    struct actio_span span;
};

/* What the command line says of the dual action: weights (params and time), base states and final values (params), by
 * component of (q, q', s, lambda,
 * reactions on q and s); the potential, in names of the model and BASE symbols. */
struct actio_dual_item {
    uint32_t component;
    actio_expr e;
    struct actio_span span;
};
struct actio_dual_data {
    struct actio_dual_item *weight, *base, *last;
    size_t weights, bases, lasts;
    actio_expr potential;
    bool has_potential;
};

struct actio_model_field {
    struct actio_axis *axis; /* none: a model without fields */
    size_t axes;
    /* rates in constraints at cells: 0 the mean of two nodes, 1 the right one, -1 the left; set by a verdict only */
    int tilt;
};
/* Statements as the text has them. */
struct actio_as_written {
    struct actio_part *part; /* of the lagrangian and the dissipation, one by one */
    size_t parts;
    struct actio_written_sum *sum; /* of families and loops the first only */
    size_t sums;
    struct actio_start_item *start_item;
    size_t start_items;
};
/* Soft walls: width and height, set by a run before it forms equations; 0 = hard ones. */
struct actio_softness {
    double sigma, barrier;
};
/* Formulas that use one of these have its formula in them. */
struct actio_named {
    struct actio_let *let; /* those of more than a number */
    size_t lets;
    struct actio_let_unit *let_unit;
    size_t let_units;
    struct actio_quasi_velocity *frame; /* in the order of the text */
    size_t frames;
};
struct actio_model_output {
    struct actio_observe *observe; /* may use the symbols COLUMN below, LAMBDA, ACC, SDOT */
    size_t observes;
    /* names behind COLUMN symbols ("reaction.x", "energy", "power.c", another observe); each is a real column */
    const char **column_name;
    size_t column_names;
    const char **column; /* see actio_model_columns */
    size_t columns;
    uint16_t *column_axis; /* of each: the axis that it has a number at every node or cell of; 0: none */
};
/* By the command line: formulas of params; turn by coordinate, NULL: none. */
struct actio_orbit_data {
    actio_expr period, way_from, way_to, *turn;
    bool has_period, has_way;
};
struct actio_time_span {
    bool given;
    double t0, t1;
    actio_expr t0_written, t1_written; /* formulas of params */
};
struct actio_mixed_data {
    struct actio_free_datum *free_data; /* each datum once; none without a require */
    size_t frees;
    struct actio_require *require; /* none without a free */
    size_t requires;
};

/* What the reader has required of a number that is made of params; checked again when a param is set. */
enum actio_rule_kind {
    ACTIO_RULE_FINITE,
    ACTIO_RULE_NOT_NEGATIVE,
    ACTIO_RULE_POSITIVE,
    ACTIO_RULE_SHARE,
    ACTIO_RULE_NOT_BELOW,
    ACTIO_RULE_INSIDE
};
/* SHARE: from 0 to 1; NOT_BELOW: another one; INSIDE: of an axis, from 1, to within slack of its size */
struct actio_number_rule {
    enum actio_rule_kind kind;
    uint16_t axis;
    actio_expr e, other;
    double slack;
};
/* A force that a program gives: external("name"). derivatives: the callback gives those, too. */
typedef int (*actio_outside_fn)(void *user, double t, const double *y, size_t size, double *value, double *dt,
                                double *dy);
struct actio_external_line {
    const char *name;
    struct actio_span span; /* where it stands first */
    actio_outside_fn callback;
    void *user;
    bool derivatives;
};
struct actio_model_outside {
    struct actio_external_line *line;
    size_t count;
};
struct actio_model_numbers {
    struct actio_number_rule *rule;
    size_t rules;
    struct actio_override *override; /* as given when the model was read */
    size_t overrides;
    bool time_changed;
    const char *printed; /* actio_model_text; NULL: not up to date */
};

struct actio_model {
    struct actio_context *ctx;
    struct actio_arena arena; /* owns everything, dies with the model */
    struct actio_pool pool;
    struct actio_source source;
    const char *name, *description;
    struct actio_param *param;
    size_t params;
    struct actio_model_field field;
    struct actio_variable *coord;
    size_t coords;
    struct actio_variable *state;
    size_t states;
    bool has_lagrangian; /* sums of all statements; 0 without */
    actio_expr lagrangian, dissipation;
    struct actio_as_written written;
    struct actio_force *force;
    size_t forces;
    struct actio_model_flows flow;
    struct actio_constraint *constraint;
    size_t constraints;
    struct actio_contact *contact;
    size_t contacts;
    struct actio_event_line *event;
    size_t events;
    struct actio_model_instants resets;
    struct actio_softness soft;
    struct actio_named named;
    struct actio_symmetry *symmetry;
    size_t symmetries;
    struct actio_model_output output;
    struct actio_dual_data dual;
    struct actio_orbit_data orbit;
    struct actio_time_span time;
    struct actio_claim *claim;
    size_t claims;
    struct actio_mixed_data mixed;
    struct actio_model_numbers numbers;
    struct actio_model_outside outside;
};

/* Read a model text. NULL when it is wrong (all errors are in `findings`). `file` is for messages only. Free with
 * actio_model_free. */
struct actio_model *actio_model_read_text(struct actio_context *ctx, const char *file, const char *text, size_t length,
                                          const struct actio_override *override, size_t overrides,
                                          struct actio_findings *findings);
__attribute__((visibility("default"))) void actio_model_free(struct actio_model *model); /* public: see actio.h */

/* Names of symbols as the language writes them (x, x', x'', lambda.c, t), for actio_print; user is the model. */
void actio_model_symbol_name(void *model, actio_slot slot, struct actio_text *out);
void actio_model_symbol_latex(void *model, actio_slot slot, struct actio_text *out);
/* Model text that reads back to the same model (families and lets written out). */
void actio_model_print(struct actio_model *model, struct actio_text *out);
/* The columns a run of this model has, in the order in which they are written; made once by the reader (duplicates are
 * its error), used by equations/. */
size_t actio_model_columns(struct actio_model *model, const char *const **names);
double actio_model_number(struct actio_model *model, actio_expr e);              /* value of an expression of params */
double actio_model_number_at(struct actio_model *model, actio_expr e, double t); /* of params and time */

/* numbers.c: numbers set in a model that has been read, with all that is made of them. 0, or 1 and a
 * finding; then nothing has changed. A family's name sets all its members. */
int actio_model_put_param(struct actio_model *model, const char *name, double value, struct actio_findings *f);
int actio_model_put_start(struct actio_model *model, const char *name, double value, struct actio_findings *f);
int actio_model_put_time(struct actio_model *model, double t0, double t1, struct actio_findings *f);
/* does the size of the model depend on it? */
bool actio_model_param_fixed(struct actio_model *model, size_t param);
const char *actio_model_printed(struct actio_model *model); /* lives as long as the model; NULL: no memory */
/* mixed.c: the time of a condition, t0 or t1 where it lies beyond by rounding; false: outside of the interval */
bool actio_require_time(const struct actio_model *model, double t, double *time);
/* The terms of the formula that begins at this byte of the text, at most `most` of them; 0 when it is not a sum. */
void actio_written_trim(const struct actio_model *model, struct actio_written_term *t); /* no blanks around it */
size_t actio_model_terms(const struct actio_model *model, uint32_t from, struct actio_written_term *out, size_t most);

#endif
