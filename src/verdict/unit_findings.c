/* SPDX-License-Identifier: Apache-2.0
 * Statements whose units disagree, as findings: what is reported disagrees whatever units the others have. */
#include "verdict/unit_checking.h"

#include <string.h>

/* ---- words */

static const char *unit_text(struct actio_unit_checking *c, const actio_quantity *q)
{
    struct actio_text t;
    actio_text_open(&t, &c->arena);
    actio_unit_print(q, &t);
    return t.s;
}

static const char *formula_text(struct actio_unit_checking *c, uint32_t id)
{
    return actio_unit_formula(c->model, &c->arena, (actio_expr){ id });
}

/* The term of a sum that its unit comes from. */
static uint32_t term_of(const struct actio_unit_checking *c, uint32_t id)
{
    const struct actio_pool *pool = &c->model->pool;
    for (;;) {
        const struct actio_node *n = &pool->node[id];
        bool sums = n->op == ACTIO_ADD || n->op == ACTIO_SUB;
        if (!sums && n->op != ACTIO_NEG) return id;
        actio_quantity a = actio_unit_of(c, n->a), b = actio_unit_of(c, n->b);
        id = sums && (!a.known || (a.number && b.known)) ? n->b : n->a;
    }
}

static void units_say(struct actio_unit_checking *c, const struct actio_unit_statement *s, enum actio_code code,
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
static const char *remedy(struct actio_unit_checking *c, enum actio_unit_clash_kind clash, const char *names)
{
    const char *what = clash == ACTIO_UNIT_OTHER_SIZE ? "declare both in the same unit: numbers are never converted"
                                                      : "correct the unit that is wrong, or the formula";
    return *names ? actio_arena_format(&c->arena, "%s; declared are %s", what, names) : what;
}

static void say_two(struct actio_unit_checking *c, const struct actio_unit_statement *s,
                    enum actio_unit_clash_kind clash, const char *text, const char *hint)
{
    units_say(c, s, clash == ACTIO_UNIT_OTHER_SIZE ? ACTIO_F_UNITS_SIZE : ACTIO_F_UNITS_DIFFER,
              ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(text), ACTIO_TEXT(hint)));
}

static void say_clash(struct actio_unit_checking *c, const struct actio_unit_statement *s,
                      enum actio_unit_clash_kind clash, const struct side *a, const struct side *b)
{
    const struct side *left = b->q.number ? b : a, *right = b->q.number ? a : b;
    if (clash == ACTIO_UNIT_WITH_NUMBER)
        units_say(c, s, ACTIO_F_UNITS_NUMBER,
                  ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(left->text), ACTIO_TEXT(unit_text(c, &right->q)),
                             ACTIO_TEXT(right->text)));
    else
        say_two(c, s, clash,
                actio_arena_format(&c->arena, "`%s` is in [%s], but `%s` is in [%s]", a->text, unit_text(c, &a->q),
                                   b->text, unit_text(c, &b->q)),
                remedy(c, clash, actio_unit_names(c->model, &c->arena, (actio_expr){ b->id })));
}

static struct side side_of(struct actio_unit_checking *c, uint32_t id)
{
    uint32_t term = term_of(c, id);
    return (struct side){ actio_unit_of(c, id), formula_text(c, term), term };
}

/* A sum is reported by its terms, and the place is the term that is out of line. */
static void say_sum(struct actio_unit_checking *c, const struct actio_unit_statement *s,
                    const struct actio_unit_misfit *fault)
{
    struct side a = side_of(c, fault->a), b = side_of(c, fault->b);
    struct actio_unit_ask ask = { fault->id, s->span.line, s->need == ACTIO_UNIT_LAGRANGIAN, actio_unit_of, c };
    struct actio_unit_clash found;
    struct actio_unit_statement there = *s;
    bool known = actio_unit_clash_of(c->model, &c->arena, &ask, &found);
    if (known) there.span = found.span;
    if (known && found.span.line != s->span.line && s->span.line)
        there.what = actio_arena_format(&c->arena, "%s (line %u)", s->what, (unsigned)s->span.line);
    if (known && fault->clash != ACTIO_UNIT_WITH_NUMBER)
        say_two(c, &there, fault->clash, found.text, remedy(c, fault->clash, found.names));
    else say_clash(c, &there, fault->clash, &a, &b);
    c->last = s->span;
}

static void say_fault(struct actio_unit_checking *c, const struct actio_unit_statement *s,
                      const struct actio_unit_misfit *fault)
{
    static const enum actio_code code[] = { [ACTIO_UNIT_ARGUMENT] = ACTIO_F_UNITS_ARGUMENT,
                                            [ACTIO_UNIT_ARGUMENT_SIZE] = ACTIO_F_UNITS_ARGUMENT_SIZE,
                                            [ACTIO_UNIT_EXPONENT] = ACTIO_F_UNITS_EXPONENT,
                                            [ACTIO_UNIT_BASE] = ACTIO_F_UNITS_BASE };
    enum actio_op op = (enum actio_op)c->model->pool.node[fault->id].op;
    struct side a = side_of(c, fault->a);
    if (fault->clash < ACTIO_UNIT_ARGUMENT) say_sum(c, s, fault);
    else
        units_say(c, s, code[fault->clash],
                  ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(actio_op_text(op)), ACTIO_TEXT(unit_text(c, &a.q)),
                             ACTIO_TEXT(formula_text(c, fault->id))));
}

/* The first fault in a statement's formulas that no statement before it has reported (lets are shared). Faulty nodes
 * count as unknown, so whatever else is required of the statement stays right. */
static bool faulty(struct actio_unit_checking *c, const struct actio_unit_statement *s)
{
    struct actio_pool *pool = &c->model->pool;
    if (c->open_faults == 0) return false;
    actio_cone_of(pool, (actio_expr[]){ s->e, s->other }, 2);
    for (uint32_t i = 0; i < c->faults; i++) {
        struct actio_unit_misfit found = c->fault[i];
        if (found.clash == ACTIO_UNIT_AGREE || pool->stamp[found.id] != pool->now) continue;
        c->fault[i].clash = ACTIO_UNIT_AGREE;
        c->open_faults--;
        say_fault(c, s, &found);
        return true;
    }
    return false;
}

/* ---- queries */

static void ask_unit(struct actio_unit_checking *c, const struct actio_unit_statement *s, const actio_quantity *asked,
                     const char *why)
{
    actio_quantity q = actio_unit_of(c, s->e.id);
    enum actio_unit_clash_kind clash = actio_unit_meet(&q, asked);
    if (clash == ACTIO_UNIT_AGREE) return;
    struct side is = side_of(c, s->e.id);
    static const enum actio_code code[] = { [ACTIO_UNIT_DIFFERENT] = ACTIO_F_UNITS_ASKED,
                                            [ACTIO_UNIT_WITH_NUMBER] = ACTIO_F_UNITS_ASKED_NUMBER,
                                            [ACTIO_UNIT_OTHER_SIZE] = ACTIO_F_UNITS_ASKED_SIZE };
    const char *hint = remedy(c, clash, actio_unit_names(c->model, &c->arena, (actio_expr){ is.id }));
    units_say(c, s, code[clash],
              ACTIO_ARGS(ACTIO_TEXT(s->what), ACTIO_TEXT(is.text), ACTIO_TEXT(unit_text(c, asked)), ACTIO_TEXT(why),
                         ACTIO_TEXT(unit_text(c, &q)), ACTIO_TEXT(hint)));
}

static void ask_lagrangian(struct actio_unit_checking *c, const struct actio_unit_statement *s)
{
    actio_quantity q = actio_unit_of(c, s->e.id);
    if (c->lagrangian.known)
        ask_unit(c, s, &c->lagrangian,
                 actio_arena_format(&c->arena, "lagrangian of line %u", (unsigned)c->lagrangian_line));
    if (q.known && !q.number && (!c->lagrangian.known || c->lagrangian.loose)) {
        c->lagrangian = q;
        c->lagrangian_line = s->span.line;
    }
}

static void ask_sides(struct actio_unit_checking *c, const struct actio_unit_statement *s)
{
    actio_quantity a = actio_unit_of(c, s->e.id), b = actio_unit_of(c, s->other.id);
    enum actio_unit_clash_kind clash = actio_unit_meet(&a, &b);
    if (clash == ACTIO_UNIT_AGREE) return;
    struct side left = side_of(c, s->e.id), right = side_of(c, s->other.id);
    say_clash(c, s, clash, &left, &right);
}

static void ask_over_other(struct actio_unit_checking *c, const struct actio_unit_statement *s)
{
    actio_quantity other = actio_unit_of(c, s->other.id), over = actio_quantity_product(&other, &s->unit, -1);
    if (other.known && !other.number) ask_unit(c, s, &over, s->why);
}

static void ask(struct actio_unit_checking *c, const struct actio_unit_statement *s)
{
    actio_quantity over = actio_quantity_product(&c->lagrangian, &s->unit, -1);
    switch (s->need) {
    case ACTIO_UNIT_NOTHING: break;
    case ACTIO_UNIT_SAME_SIDES: ask_sides(c, s); break;
    case ACTIO_UNIT_LAGRANGIAN: ask_lagrangian(c, s); break;
    case ACTIO_UNIT_OVER_LAGRANGIAN: ask_unit(c, s, &over, s->why); break;
    case ACTIO_UNIT_ITS_OWN: ask_unit(c, s, &s->unit, s->why ? s->why : "its unit"); break;
    case ACTIO_UNIT_OVER_OTHER: ask_over_other(c, s); break;
    }
}

void actio_unit_ask_all(struct actio_unit_checking *c)
{
    actio_unit_pass(c);
    c->open_faults = c->faults;
    for (uint32_t i = 0; i < c->count && c->f->dropped == 0; i++) {
        const struct actio_unit_statement *s = &c->list[i];
        /* of another member of its family */
        bool reported = s->span.line && memcmp(&s->span, &c->last, sizeof c->last) == 0;
        if (!reported && !faulty(c, s)) ask(c, s);
        actio_poll(c->model->ctx);
    }
    c->count = 0;
}
