/* SPDX-License-Identifier: Apache-2.0
 * Units: one forward pass over all formulas, then a check that the terms of each statement agree.
 * A quantity without a unit takes any; what is reported disagrees whatever those turn out to be. */
#include "verdict/units.h"

#include <math.h>
#include <string.h>

enum need { NOTHING, SAME_SIDES, LAGRANGIAN, OVER_LAGRANGIAN, ITS_UNIT, OVER_OTHER };
struct statement {
    const char *what; /* "constraint rod" */
    struct actio_span span;
    enum need need;
    actio_expr e, other; /* other: the right side */
    actio_quantity unit; /* its own, or what the lagrangian's (the other side's) is divided by */
    const char *why;     /* "lagrangian/x" */
};
enum clash { AGREE, DIFFERENT, WITH_NUMBER, OTHER_SIZE, ARGUMENT, ARGUMENT_SIZE, EXPONENT, BASE };
struct fault {
    uint32_t id, a, b;
    enum clash clash;
}; /* a node that requires too much of its operands */

struct checking {
    struct actio_model *model;
    struct actio_findings *f;
    struct actio_arena arena;
    actio_quantity *param, *coord, *state, *frame, *observe, *let, time;
    const char *time_word;
    struct actio_unit times;                /* the units of time that were seen */
    bool any_unit, noted, numbers_are_data; /* in definitions and start data a number may have any unit */
    struct statement *list;
    uint32_t count, cap;
    uint32_t *id, ids; /* every node that the statements are made of, ascending */
    actio_quantity *q;
    struct fault *fault;
    uint32_t faults, faults_cap, open_faults;
    actio_quantity lagrangian;
    uint32_t lagrangian_line;
    struct actio_span last; /* of the last finding: members of a family share it */
};

static const actio_quantity unknown;
static const actio_quantity pure = { .known = true };

static bool is_pure(const actio_quantity *q) { return actio_same_powers(q, &pure); }

/* ---- declared units */

static void say_unit(struct checking *c, const char *name, const char *text, struct actio_span span,
                     const struct actio_unit *u)
{
    static const enum actio_code code[] = {
        [ACTIO_UNIT_NO_WORD] = ACTIO_F_UNIT_UNKNOWN,
        [ACTIO_UNIT_TWO_WAYS] = ACTIO_F_UNIT_TWO_WAYS,
        [ACTIO_UNIT_UNREADABLE] = ACTIO_F_UNIT_UNREADABLE,
    };
    const char *hint = u->fault == ACTIO_UNIT_NO_WORD ? actio_unit_hint(&c->arena, u->word) : "";
    actio_report_at(c->f, code[u->fault], &c->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(text), ACTIO_TEXT(u->word), ACTIO_TEXT(hint)));
}

static void gather_times(struct checking *c, const struct actio_unit *u)
{
    struct actio_unit *all = &c->times;
    if (!*u->time) return;
    if (!*all->time) {
        memcpy(all->time, u->time, sizeof all->time);
        all->time_size = u->time_size;
    }
    all->several_times = all->several_times || u->several_times || fabs(all->time_size - u->time_size) > 1e-9;
}

/* One declaration of a family, one message: its members share the text. */
struct declared {
    const char *name, *unit;
    struct actio_span span;
};

static actio_quantity declare(struct checking *c, const struct declared *d, const char **last, struct actio_unit *u)
{
    if (!d->unit) return unknown;
    c->any_unit = true;
    if (d->unit == *last) return u->q;
    *last = d->unit;
    actio_unit_read(d->unit, u);
    if (u->fault != ACTIO_UNIT_FINE) say_unit(c, d->name, d->unit, d->span, u);
    else gather_times(c, u);
    return u->q;
}

/* t counts in the unit of time that the model uses; in seconds when it uses several or none. */
static void choose_time(struct checking *c)
{
    struct actio_unit s;
    bool one = *c->times.time && !c->times.several_times;
    c->time_word = one ? c->times.time : "s";
    actio_unit_read("s", &s);
    c->time = s.q;
    if (one) c->time.size = c->times.time_size;
}

static void note_size(struct checking *c, const struct declared *d, const actio_quantity *q)
{
    if (c->noted || !q->known || actio_same_size(q, &pure)) return;
    c->noted = true;
    actio_report_at(c->f, ACTIO_F_UNIT_NOT_CONVERTED, &c->model->source, d->span,
                    ACTIO_ARGS(ACTIO_TEXT(d->name), ACTIO_TEXT(d->unit), ACTIO_TEXT(c->time_word)));
}

static void declare_variables(struct checking *c, const struct actio_variable *v, size_t n, actio_quantity **q)
{
    const char *last = NULL;
    struct actio_unit u;
    *q = actio_arena_array(&c->arena, n + 1, sizeof **q);
    for (size_t i = 0; i < n; i++)
        (*q)[i] = declare(c, &(struct declared){ v[i].name, v[i].unit, v[i].span }, &last, &u);
}

static void declare_params(struct checking *c)
{
    const struct actio_param *p = c->model->param;
    const char *last = NULL;
    struct actio_unit u;
    c->param = actio_arena_array(&c->arena, c->model->params + 1, sizeof *c->param);
    for (size_t i = 0; i < c->model->params; i++)
        c->param[i] = declare(c, &(struct declared){ p[i].name, p[i].unit, p[i].span }, &last, &u);
}

/* What is made of others and has a unit of its own: quasi-velocities, observed values, lets. */
static void declare_made(struct checking *c)
{
    const struct actio_model *m = c->model;
    const char *last = NULL;
    struct actio_unit u;
    c->frame = actio_arena_array(&c->arena, m->named.frames + 1, sizeof *c->frame);
    c->observe = actio_arena_array(&c->arena, m->output.observes + 1, sizeof *c->observe);
    c->let = actio_arena_array(&c->arena, m->named.let_units + 1, sizeof *c->let);
    for (size_t i = 0; i < m->named.frames; i++)
        c->frame[i] = declare(
            c, &(struct declared){ m->named.frame[i].name, m->named.frame[i].unit, m->named.frame[i].span }, &last, &u);
    for (size_t i = 0; i < m->output.observes; i++)
        c->observe[i] = declare(
            c, &(struct declared){ m->output.observe[i].name, m->output.observe[i].unit, m->output.observe[i].span },
            &last, &u);
    for (size_t i = 0; i < m->named.let_units; i++)
        c->let[i] = declare(
            c, &(struct declared){ m->named.let_unit[i].name, m->named.let_unit[i].unit, m->named.let_unit[i].span },
            &last, &u);
}

static void declare_all(struct checking *c)
{
    const struct actio_model *m = c->model;
    declare_params(c);
    declare_made(c);
    declare_variables(c, m->coord, m->coords, &c->coord);
    declare_variables(c, m->state, m->states, &c->state);
    choose_time(c);
    for (size_t i = 0; i < m->params; i++)
        note_size(c, &(struct declared){ m->param[i].name, m->param[i].unit, m->param[i].span }, &c->param[i]);
    for (size_t i = 0; i < m->coords; i++)
        note_size(c, &(struct declared){ m->coord[i].name, m->coord[i].unit, m->coord[i].span }, &c->coord[i]);
    for (size_t i = 0; i < m->states; i++)
        note_size(c, &(struct declared){ m->state[i].name, m->state[i].unit, m->state[i].span }, &c->state[i]);
}

/* ---- what two quantities say about each other */

static enum clash meet(const actio_quantity *a, const actio_quantity *b)
{
    if (!a->known || !b->known) return AGREE;
    if (!actio_same_powers(a, b)) return a->number || b->number ? WITH_NUMBER : DIFFERENT;
    return a->number || b->number || actio_same_size(a, b) ? AGREE : OTHER_SIZE;
}

/* The unit of a sum: the better known one of the two; a number beside something without a unit makes that a pure
 * number. */
static actio_quantity joined(const actio_quantity *a, const actio_quantity *b)
{
    bool second = !a->known || (b->known && !b->number && (a->number || a->loose));
    actio_quantity q = second ? *b : *a;
    q.loose = q.loose || q.number;
    q.number = false;
    return q;
}

/* 1/2, 3, 8/3, 1/16: factors of physics. Others (0.01, 60, pi/180) may convert, and then sizes mean nothing. */
static bool may_convert(double x)
{
    int e;
    if (frexp(fabs(x), &e) == 0.5 && e > -12 && e < 12) return false;
    for (int q = 1; q <= 9; q++) {
        double p = fabs(x) * q;
        if (p > 0.5 && p < 9.5 && fabs(p - round(p)) < 1e-12) return false;
    }
    return true;
}

/* ---- the pass: one rule an operation */

struct node {
    uint32_t id;
    enum actio_op op;
    int32_t k;
    uint32_t arg[3];
    actio_quantity v[3];
};
typedef actio_quantity rule_fn(struct checking *c, const struct node *n);

static void blame(struct checking *c, const struct node *n, enum clash clash, int a, int b)
{
    ACTIO_PUSH(&c->arena, c->fault, c->faults, c->faults_cap) = (struct fault){ n->id, n->arg[a], n->arg[b], clash };
}

static actio_quantity constant(struct checking *c, const struct node *n)
{
    double x = actio_const_value(&c->model->pool, (actio_expr){ n->id });
    if (x == 0 || c->numbers_are_data) return unknown;
    return (actio_quantity){ .known = true, .number = true, .loose = may_convert(x) };
}

static actio_quantity symbol(struct checking *c, const struct node *n)
{
    actio_slot s = actio_slot_of(&c->model->pool, (actio_expr){ n->id });
    actio_quantity rate;
    switch (s.space) {
    case ACTIO_SPACE_T: return c->time;
    case ACTIO_SPACE_PARAM: return c->param[s.index];
    case ACTIO_SPACE_Q: return c->coord[s.index];
    case ACTIO_SPACE_STATE: return c->state[s.index];
    case ACTIO_SPACE_V: return actio_quantity_product(&c->coord[s.index], &c->time, -1);
    case ACTIO_SPACE_SDOT: return actio_quantity_product(&c->state[s.index], &c->time, -1);
    case ACTIO_SPACE_ACC:
        rate = actio_quantity_product(&c->coord[s.index], &c->time, -1);
        return actio_quantity_product(&rate, &c->time, -1);
    default: return unknown;
    }
}

static actio_quantity same(struct checking *c, const struct node *n)
{
    (void)c;
    return n->v[0];
}
static actio_quantity anything_to_pure(struct checking *c, const struct node *n)
{
    (void)c;
    (void)n;
    return pure;
}
static actio_quantity whole_power(struct checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_power(&n->v[0], n->k);
}
static actio_quantity root(struct checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_power(&n->v[0], 0.5);
}

static actio_quantity function(struct checking *c, const struct node *n)
{
    const actio_quantity *x = &n->v[0];
    if (x->known && !is_pure(x)) blame(c, n, ARGUMENT, 0, 0);
    else if (x->known && !actio_same_size(x, &pure)) blame(c, n, ARGUMENT_SIZE, 0, 0);
    return pure;
}

static actio_quantity together(struct checking *c, const struct node *n, int a, int b)
{
    enum clash clash = meet(&n->v[a], &n->v[b]);
    if (clash == AGREE) return joined(&n->v[a], &n->v[b]);
    blame(c, n, clash, a, b);
    return unknown;
}

static actio_quantity sum(struct checking *c, const struct node *n) { return together(c, n, 0, 1); }
static actio_quantity compared(struct checking *c, const struct node *n)
{
    together(c, n, 0, 1);
    return pure;
}
static actio_quantity chosen(struct checking *c, const struct node *n) { return together(c, n, 1, 2); }

static actio_quantity units_product(struct checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_product(&n->v[0], &n->v[1], 1);
}
static actio_quantity quotient(struct checking *c, const struct node *n)
{
    (void)c;
    return actio_quantity_product(&n->v[0], &n->v[1], -1);
}

/* a^b. A param as exponent may have any value: nothing follows. One that changes would change the unit. */
static actio_quantity power(struct checking *c, const struct node *n)
{
    const struct actio_pool *pool = &c->model->pool;
    actio_expr exponent = { n->arg[1] };
    const actio_quantity *a = &n->v[0], *b = &n->v[1];
    if (actio_is_const(pool, exponent)) return actio_quantity_power(a, actio_const_value(pool, exponent));
    if (b->known && !is_pure(b)) blame(c, n, EXPONENT, 1, 1);
    if (!a->known) return unknown;
    if (is_pure(a)) return (actio_quantity){ .known = true, .loose = true };
    if (actio_level_of(pool, exponent) > ACTIO_LV_PARAM) blame(c, n, BASE, 0, 0);
    return unknown;
}

static rule_fn *const rules[ACTIO_OP_COUNT] = {
    [ACTIO_CONST] = constant,
    [ACTIO_SYMBOL] = symbol,
    [ACTIO_NEG] = same,
    [ACTIO_ABS] = same,
    [ACTIO_SIGN] = anything_to_pure,
    [ACTIO_POWI] = whole_power,
    [ACTIO_SQRT] = root,
    [ACTIO_SIN] = function,
    [ACTIO_COS] = function,
    [ACTIO_TAN] = function,
    [ACTIO_ASIN] = function,
    [ACTIO_ACOS] = function,
    [ACTIO_ATAN] = function,
    [ACTIO_SINH] = function,
    [ACTIO_COSH] = function,
    [ACTIO_TANH] = function,
    [ACTIO_ERF] = function,
    [ACTIO_EXP] = function,
    [ACTIO_LOG] = function,
    [ACTIO_ADD] = sum,
    [ACTIO_SUB] = sum,
    [ACTIO_MIN] = sum,
    [ACTIO_MAX] = sum,
    [ACTIO_ATAN2] = compared,
    [ACTIO_FLOOR] = function,
    [ACTIO_MOD] = sum,
    [ACTIO_HYPOT] = sum,
    [ACTIO_AND] = anything_to_pure,
    [ACTIO_OR] = anything_to_pure,
    [ACTIO_NOT] = anything_to_pure,
    [ACTIO_LT] = compared,
    [ACTIO_LE] = compared,
    [ACTIO_IF] = chosen,
    [ACTIO_MUL] = units_product,
    [ACTIO_DIV] = quotient,
    [ACTIO_POW] = power,
};

static struct node look_at(const struct checking *c, uint32_t id)
{
    const struct actio_pool *pool = &c->model->pool;
    const struct actio_node *at = &pool->node[id];
    struct node n = { .id = id, .op = (enum actio_op)at->op, .k = (int32_t)at->b, .arg = { at->a, at->b, at->c } };
    for (int i = 0; i < actio_arity(n.op); i++) n.v[i] = c->q[pool->place[n.arg[i]]];
    return n;
}

static void units_pass(struct checking *c)
{
    struct actio_pool *pool = &c->model->pool;
    const struct actio_model *m = c->model;
    size_t own = 2 * (size_t)c->count, all = own + 2 * m->written.sums;
    actio_expr *roots = actio_arena_array(&c->arena, all + 1, sizeof *roots);
    for (uint32_t i = 0; i < c->count; i++) {
        roots[2 * i] = c->list[i].e;
        roots[2 * i + 1] = c->list[i].other;
    }
    for (size_t i = 0; i < m->written.sums; i++) {
        roots[own + 2 * i] = m->written.sum[i].a;
        roots[own + 2 * i + 1] = m->written.sum[i].b;
    }
    struct actio_cone cone = actio_cone_of(pool, roots, all);
    c->ids = cone.count;
    c->q = actio_arena_array(&c->arena, (size_t)cone.count + 1, sizeof *c->q);
    c->id = actio_arena_array(&c->arena, (size_t)cone.count + 1, sizeof *c->id);
    memcpy(c->id, cone.id, cone.count * sizeof *c->id);
    c->faults = 0;
    for (uint32_t i = 0; i < c->ids; i++) {
        struct node n = look_at(c, c->id[i]);
        c->q[i] = rules[n.op] ? rules[n.op](c, &n) : unknown;
        if ((i & 65535) == 0) actio_poll(c->model->ctx);
    }
}

static actio_quantity quantity_of(const void *checking, uint32_t id)
{
    const struct checking *c = checking;
    uint32_t low = 0, high = c->ids;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (c->id[mid] <= id) low = mid;
        else high = mid;
    }
    return low < c->ids && c->id[low] == id ? c->q[low] : unknown;
}

/* ---- saying it */

static const char *unit_text(struct checking *c, const actio_quantity *q)
{
    struct actio_text t;
    actio_text_open(&t, &c->arena);
    actio_unit_print(q, &t);
    return t.s;
}

static const char *formula_text(struct checking *c, uint32_t id)
{
    return actio_unit_formula(c->model, &c->arena, (actio_expr){ id });
}

/* The term of a sum that its unit comes from. */
static uint32_t term_of(const struct checking *c, uint32_t id)
{
    const struct actio_pool *pool = &c->model->pool;
    for (;;) {
        const struct actio_node *n = &pool->node[id];
        bool sums = n->op == ACTIO_ADD || n->op == ACTIO_SUB;
        if (!sums && n->op != ACTIO_NEG) return id;
        actio_quantity a = quantity_of(c, n->a), b = quantity_of(c, n->b);
        id = sums && (!a.known || (a.number && b.known)) ? n->b : n->a;
    }
}

static void units_say(struct checking *c, const struct statement *s, enum actio_code code,
                      const struct actio_value arg[6])
{
    actio_report_at(c->f, code, s->span.line ? &c->model->source : NULL, s->span, arg);
    c->last = s->span;
}

struct side {
    actio_quantity q;
    const char *text;
    uint32_t id;
};

/* The hint: what was declared in the term, and what to do. */
static const char *remedy(struct checking *c, enum clash clash, const char *names)
{
    const char *what = clash == OTHER_SIZE ? "declare both in the same unit: numbers are never converted"
                                           : "correct the unit that is wrong, or the formula";
    return *names ? actio_arena_format(&c->arena, "%s; declared are %s", what, names) : what;
}

static void say_two(struct checking *c, const struct statement *s, enum clash clash, const char *text, const char *hint)
{
    units_say(c, s, clash == OTHER_SIZE ? ACTIO_F_UNITS_SIZE : ACTIO_F_UNITS_DIFFER,
              ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(text), ACTIO_TEXT(hint)));
}

static void say_clash(struct checking *c, const struct statement *s, enum clash clash, const struct side *a,
                      const struct side *b)
{
    const struct side *left = b->q.number ? b : a, *right = b->q.number ? a : b;
    if (clash == WITH_NUMBER)
        units_say(c, s, ACTIO_F_UNITS_NUMBER,
                  ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(left->text), ACTIO_TEXT(unit_text(c, &right->q)),
                             ACTIO_TEXT(right->text)));
    else
        say_two(c, s, clash,
                actio_arena_format(&c->arena, "`%s` is in [%s], but `%s` is in [%s]", a->text, unit_text(c, &a->q),
                                   b->text, unit_text(c, &b->q)),
                remedy(c, clash, actio_unit_names(c->model, &c->arena, (actio_expr){ b->id })));
}

static struct side side_of(struct checking *c, uint32_t id)
{
    uint32_t term = term_of(c, id);
    return (struct side){ quantity_of(c, id), formula_text(c, term), term };
}

/* A sum is reported by its terms, and the place is the term that is out of line. */
static void say_sum(struct checking *c, const struct statement *s, const struct fault *fault)
{
    struct side a = side_of(c, fault->a), b = side_of(c, fault->b);
    struct actio_unit_ask ask = { fault->id, s->span.line, s->need == LAGRANGIAN, quantity_of, c };
    struct actio_unit_clash found;
    struct statement there = *s;
    bool known = actio_unit_clash_of(c->model, &c->arena, &ask, &found);
    if (known) there.span = found.span;
    if (known && found.span.line != s->span.line && s->span.line)
        there.what = actio_arena_format(&c->arena, "%s (line %u)", s->what, (unsigned)s->span.line);
    if (known && fault->clash != WITH_NUMBER)
        say_two(c, &there, fault->clash, found.text, remedy(c, fault->clash, found.names));
    else say_clash(c, &there, fault->clash, &a, &b);
    c->last = s->span;
}

static void say_fault(struct checking *c, const struct statement *s, const struct fault *fault)
{
    static const enum actio_code code[] = { [ARGUMENT] = ACTIO_F_UNITS_ARGUMENT,
                                            [ARGUMENT_SIZE] = ACTIO_F_UNITS_ARGUMENT_SIZE,
                                            [EXPONENT] = ACTIO_F_UNITS_EXPONENT,
                                            [BASE] = ACTIO_F_UNITS_BASE };
    enum actio_op op = (enum actio_op)c->model->pool.node[fault->id].op;
    struct side a = side_of(c, fault->a);
    if (fault->clash < ARGUMENT) say_sum(c, s, fault);
    else
        units_say(c, s, code[fault->clash],
                  ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(actio_op_text(op)), ACTIO_TEXT(unit_text(c, &a.q)),
                             ACTIO_TEXT(formula_text(c, fault->id))));
}

/* The first fault in a statement's formulas that no statement before it has reported (lets are shared). Faulty nodes
 * count as unknown, so whatever else is required of the statement stays right. */
static bool faulty(struct checking *c, const struct statement *s)
{
    struct actio_pool *pool = &c->model->pool;
    if (c->open_faults == 0) return false;
    actio_cone_of(pool, (actio_expr[]){ s->e, s->other }, 2);
    for (uint32_t i = 0; i < c->faults; i++) {
        struct fault found = c->fault[i];
        if (found.clash == AGREE || pool->stamp[found.id] != pool->now) continue;
        c->fault[i].clash = AGREE;
        c->open_faults--;
        say_fault(c, s, &found);
        return true;
    }
    return false;
}

/* ---- statements */

static struct statement *units_add(struct checking *c, struct actio_span span, const char *what, actio_expr e)
{
    struct statement *s = &ACTIO_PUSH(&c->arena, c->list, c->count, c->cap);
    *s = (struct statement){ .what = what, .span = span, .e = e };
    return s;
}

static const char *labelled(struct checking *c, const char *what, const char *label)
{
    return actio_arena_format(&c->arena, "%s %s", what, label);
}

static void add_parts(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (int second = 0; second < 2; second++) /* what the others are measured by comes first */
        for (size_t i = 0; i < m->written.parts; i++) {
            if (m->written.part[i].is_dissipation != second) continue;
            struct statement *s =
                units_add(c, m->written.part[i].span, second ? "dissipation" : "lagrangian", m->written.part[i].e);
            s->need = second ? OVER_LAGRANGIAN : LAGRANGIAN;
            s->unit = c->time;
            s->why = "lagrangian/t";
        }
}

static void add_forces(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->forces; i++)
        for (size_t k = 0; k < m->force[i].terms; k++) {
            const struct actio_term *t = &m->force[i].term[k];
            const char *x = m->coord[t->variable].name;
            struct statement *s = units_add(c, t->span, labelled(c, "force on", x), t->e);
            s->need = OVER_LAGRANGIAN;
            s->unit = c->coord[t->variable];
            s->why = actio_arena_format(&c->arena, "lagrangian/%s", x);
        }
}

static void add_made(struct checking *c, struct actio_span span, const char *what, actio_expr e,
                     const actio_quantity *unit)
{
    struct statement *s = units_add(c, span, what, e);
    if (unit->known) {
        s->need = ITS_UNIT;
        s->unit = *unit;
    }
}

static void add_equations(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->flows; i++) {
        struct statement *s = units_add(c, m->flow[i].span, "flow", m->flow[i].left);
        s->need = SAME_SIDES;
        s->other = m->flow[i].right;
    }
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *g = &m->constraint[i];
        struct statement *s = units_add(c, g->span, labelled(c, "constraint", g->label), g->left);
        s->need = SAME_SIDES;
        s->other = g->right;
        for (size_t k = 0; g->rule == ACTIO_ALONG && k < g->reactions; k++)
            units_add(c, g->reaction[k].span, labelled(c, "direction of constraint", g->label), g->reaction[k].e);
    }
    for (size_t i = 0; i < m->named.frames; i++)
        add_made(c, m->named.frame[i].span, labelled(c, "frame", m->named.frame[i].name), m->named.frame[i].e,
                 &c->frame[i]);
    for (size_t i = 0; i < m->named.let_units; i++)
        add_made(c, m->named.let_unit[i].span, labelled(c, "let", m->named.let_unit[i].name), m->named.let_unit[i].e,
                 &c->let[i]);
    for (size_t i = 0; i < m->output.observes; i++)
        if (m->output.observe[i].unit)
            add_made(c, m->output.observe[i].span, labelled(c, "observe", m->output.observe[i].name),
                     m->output.observe[i].e, &c->observe[i]);
    for (size_t i = 0; i < m->symmetries; i++)
        for (size_t k = 0; k < m->symmetry[i].terms; k++)
            units_add(c, m->symmetry[i].term[k].span, labelled(c, "symmetry", m->symmetry[i].label),
                      m->symmetry[i].term[k].e);
}

static void add_pure(struct checking *c, struct actio_span span, const char *what, actio_expr e)
{
    struct statement *s = units_add(c, span, what, e);
    s->need = ITS_UNIT;
    s->unit = pure;
    s->why = "a coefficient";
}

/* N times d slip/dq' is a force like lambda times d gap/dq: slip is to velocities what the gap is to positions. */
/* per NULL: nothing is required of the slip */
struct rough {
    const char *label, *why;
    actio_expr gap;
    const actio_quantity *per;
};

static void add_friction(struct checking *c, const struct actio_friction *f, const struct rough *of)
{
    if (f->given) add_pure(c, f->span, labelled(c, "friction of", of->label), f->coefficient);
    if (f->stick_given) add_pure(c, f->span, labelled(c, "stick of", of->label), f->stick);
    for (size_t k = 0; f->slip_given && k < f->slips; k++) {
        struct statement *s = units_add(c, f->span, labelled(c, "slip of", of->label), f->slip[k]);
        if (f->given && of->per) {
            s->need = OVER_OTHER;
            s->other = of->gap;
            s->unit = *of->per;
            s->why = of->why;
        }
    }
}

static actio_expr side_with_unit(const struct checking *c, actio_expr a, actio_expr b)
{
    return actio_is_const(&c->model->pool, a) ? b : a;
}

static void add_contacts(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *w = &m->contact[i];
        struct statement *s = units_add(c, w->span, labelled(c, "contact", w->label), w->left);
        s->need = SAME_SIDES;
        s->other = w->right;
        add_pure(c, w->span, labelled(c, "restitution of", w->label), w->restitution);
        add_friction(c, &w->friction,
                     &(struct rough){ w->label, "gap/t", side_with_unit(c, w->left, w->right), &c->time });
    }
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *g = &m->constraint[i];
        bool holonomic = g->kind == ACTIO_HOLONOMIC, plain = g->rule == ACTIO_IDEAL && g->kind != ACTIO_ACCELERATION;
        add_friction(c, &g->friction,
                     &(struct rough){ g->label, holonomic ? "the constraint's side/t" : "the constraint's side",
                                      side_with_unit(c, g->left, g->right),
                                      !plain      ? NULL
                                      : holonomic ? &c->time
                                                  : &pure });
    }
    for (size_t i = 0; i < m->events; i++) {
        struct statement *s = units_add(c, m->event[i].span, labelled(c, "event", m->event[i].label), m->event[i].left);
        s->need = SAME_SIDES;
        s->other = m->event[i].right;
    }
}

static void add_start(struct checking *c, const struct actio_variable *v, const actio_quantity *unit)
{
    struct statement *s;
    actio_quantity rate = actio_quantity_product(unit, &c->time, -1);
    if (v->start_given) {
        s = units_add(c, v->start_span, labelled(c, "start of", v->name), v->start);
        s->need = ITS_UNIT;
        s->unit = *unit;
    }
    if (v->start_dot_given) {
        s = units_add(c, v->start_dot_span, actio_arena_format(&c->arena, "start of %s'", v->name), v->start_dot);
        s->need = ITS_UNIT;
        s->unit = rate;
    }
}

static void add_data(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->params; i++) {
        if (actio_is_const(&m->pool, m->param[i].definition)) continue;
        struct statement *s =
            units_add(c, m->param[i].span, labelled(c, "param", m->param[i].name), m->param[i].definition);
        s->need = ITS_UNIT;
        s->unit = c->param[i];
    }
    for (size_t i = 0; i < m->coords; i++) add_start(c, &m->coord[i], &c->coord[i]);
    for (size_t i = 0; i < m->states; i++) add_start(c, &m->state[i], &c->state[i]);
}

/* ---- queries */

static void ask_unit(struct checking *c, const struct statement *s, const actio_quantity *asked, const char *why)
{
    actio_quantity q = quantity_of(c, s->e.id);
    enum clash clash = meet(&q, asked);
    if (clash == AGREE) return;
    struct side is = side_of(c, s->e.id);
    static const enum actio_code code[] = { [DIFFERENT] = ACTIO_F_UNITS_ASKED,
                                            [WITH_NUMBER] = ACTIO_F_UNITS_ASKED_NUMBER,
                                            [OTHER_SIZE] = ACTIO_F_UNITS_ASKED_SIZE };
    const char *hint = remedy(c, clash, actio_unit_names(c->model, &c->arena, (actio_expr){ is.id }));
    units_say(c, s, code[clash],
              ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(is.text), ACTIO_TEXT(unit_text(c, asked)), ACTIO_TEXT(why),
                         ACTIO_TEXT(unit_text(c, &q)), ACTIO_TEXT(hint)));
}

static void ask_lagrangian(struct checking *c, const struct statement *s)
{
    actio_quantity q = quantity_of(c, s->e.id);
    if (c->lagrangian.known)
        ask_unit(c, s, &c->lagrangian,
                 actio_arena_format(&c->arena, "lagrangian of line %u", (unsigned)c->lagrangian_line));
    if (q.known && !q.number && (!c->lagrangian.known || c->lagrangian.loose)) {
        c->lagrangian = q;
        c->lagrangian_line = s->span.line;
    }
}

static void ask_sides(struct checking *c, const struct statement *s)
{
    actio_quantity a = quantity_of(c, s->e.id), b = quantity_of(c, s->other.id);
    enum clash clash = meet(&a, &b);
    if (clash == AGREE) return;
    struct side left = side_of(c, s->e.id), right = side_of(c, s->other.id);
    say_clash(c, s, clash, &left, &right);
}

static void ask_over_other(struct checking *c, const struct statement *s)
{
    actio_quantity other = quantity_of(c, s->other.id), over = actio_quantity_product(&other, &s->unit, -1);
    if (other.known && !other.number) ask_unit(c, s, &over, s->why);
}

static void ask(struct checking *c, const struct statement *s)
{
    actio_quantity over = actio_quantity_product(&c->lagrangian, &s->unit, -1);
    switch (s->need) {
    case NOTHING: break;
    case SAME_SIDES: ask_sides(c, s); break;
    case LAGRANGIAN: ask_lagrangian(c, s); break;
    case OVER_LAGRANGIAN: ask_unit(c, s, &over, s->why); break;
    case ITS_UNIT: ask_unit(c, s, &s->unit, s->why ? s->why : "its unit"); break;
    case OVER_OTHER: ask_over_other(c, s); break;
    }
}

static void ask_all(struct checking *c)
{
    units_pass(c);
    c->open_faults = c->faults;
    for (uint32_t i = 0; i < c->count && c->f->dropped == 0; i++) {
        const struct statement *s = &c->list[i];
        /* of another member of its family */
        bool reported = s->span.line && memcmp(&s->span, &c->last, sizeof c->last) == 0;
        if (!reported && !faulty(c, s)) ask(c, s);
        actio_poll(c->model->ctx);
    }
    c->count = 0;
}

static void units_check(void *user)
{
    struct checking *c = user;
    declare_all(c);
    if (!c->any_unit) return;
    add_parts(c);
    add_forces(c);
    add_equations(c);
    add_contacts(c);
    ask_all(c);
    c->numbers_are_data = true;
    add_data(c);
    ask_all(c);
}

void actio_check_units(struct actio_model *model, struct actio_findings *f)
{
    struct checking c = { .model = model, .f = f };
    actio_arena_open(&c.arena, model->ctx);
    int escaped = actio_attempt(model->ctx, units_check, &c);
    actio_arena_close(&c.arena);
    if (escaped && model->ctx->escape) actio_escape(model->ctx);
}

/* ---- what the columns of a result are made of */

struct collecting {
    struct checking c;
    struct actio_arena *keep;
    struct actio_unit_parts *out;
};

/* Formulas that no statement about units requires: they are only checked. */
static void add_columns(struct checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->output.observes; i++)
        units_add(c, m->output.observe[i].span, "observe", m->output.observe[i].e);
}

static actio_quantity unit_of_side(const struct checking *c, actio_expr a, actio_expr b)
{
    actio_quantity left = quantity_of(c, a.id), right = quantity_of(c, b.id);
    return left.known && !left.number ? left : right.known && !right.number ? right : unknown;
}

static void units_collect(void *user)
{
    struct collecting *x = user;
    struct checking *c = &x->c;
    struct actio_unit_parts *out = x->out;
    const struct actio_model *m = c->model;
    declare_all(c);
    if (!c->any_unit) return;
    add_parts(c);
    add_equations(c);
    add_contacts(c);
    add_columns(c);
    struct statement *list = c->list;
    uint32_t count = c->count;
    ask_all(c);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].need == LAGRANGIAN && !out->energy.known && !quantity_of(c, list[i].e.id).number)
            out->energy = quantity_of(c, list[i].e.id);
    out->any = true;
    out->time = c->time;
    out->time_word = actio_arena_text(x->keep, c->time_word, strlen(c->time_word));
    out->coord = actio_arena_array(x->keep, m->coords + 1, sizeof *out->coord);
    out->constraint = actio_arena_array(x->keep, m->constraints + 1, sizeof *out->constraint);
    out->contact = actio_arena_array(x->keep, m->contacts + 1, sizeof *out->contact);
    out->observe = actio_arena_array(x->keep, m->output.observes + 1, sizeof *out->observe);
    out->frame = actio_arena_array(x->keep, m->named.frames + 1, sizeof *out->frame);
    memcpy(out->coord, c->coord, m->coords * sizeof *out->coord);
    for (size_t i = 0; i < m->constraints; i++)
        out->constraint[i] = unit_of_side(c, m->constraint[i].left, m->constraint[i].right);
    for (size_t i = 0; i < m->contacts; i++) out->contact[i] = unit_of_side(c, m->contact[i].left, m->contact[i].right);
    for (size_t i = 0; i < m->output.observes; i++) out->observe[i] = quantity_of(c, m->output.observe[i].e.id);
    for (size_t i = 0; i < m->named.frames; i++) out->frame[i] = quantity_of(c, m->named.frame[i].e.id);
}

void actio_unit_parts_of(struct actio_model *model, struct actio_arena *arena, struct actio_unit_parts *out)
{
    struct actio_findings silent;
    struct collecting x = { .c = { .model = model, .f = &silent }, .keep = arena, .out = out };
    *out = (struct actio_unit_parts){ .any = false };
    actio_findings_open(&silent, model->ctx);
    actio_arena_open(&x.c.arena, model->ctx);
    int escaped = actio_attempt(model->ctx, units_collect, &x);
    actio_arena_close(&x.c.arena);
    actio_findings_close(&silent);
    if (escaped && model->ctx->escape) actio_escape(model->ctx);
}
