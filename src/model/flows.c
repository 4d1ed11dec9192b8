/* SPDX-License-Identifier: Apache-2.0
 * The free equations of states: linear in the primed states, as many as there are states. */
#include "model/reader.h"

struct left_side {
    actio_expr *rate, *coef, rest;
    uint32_t count;
}; /* sum of coef*rate, plus rest */

static bool flows_fault(struct actio_reader *r, enum actio_code code, const struct actio_statement *s,
                        const struct actio_value arg[6])
{
    actio_reader_fault_at(r, code, s->left.origin, actio_formula_at(r, s->left), arg);
    return false;
}

/* The primed states on the left side; false when it is not linear in them. */
static bool split(struct actio_reader *r, actio_expr left, struct left_side *out)
{
    struct actio_pool *pool = &r->model->pool;
    out->rate = actio_machine_symbols(r, left, ACTIO_SPACE_SDOT, &out->count);
    out->coef = actio_arena_array(&r->scratch, out->count, sizeof *out->coef);
    return actio_linear_in(pool, left, out->rate, out->count, out->coef, &out->rest);
}

static bool check_left(struct actio_reader *r, const struct actio_statement *s, actio_expr left,
                       struct left_side *parts)
{
    unsigned metric = ACTIO_BIT(PARAM) | ACTIO_BIT(STATE) | ACTIO_BIT(Q) | ACTIO_BIT(T);
    if (!split(r, left, parts)) return flows_fault(r, ACTIO_F_FLOW_NOT_LINEAR, s, ACTIO_NO_ARGS);
    if (parts->count == 0) return flows_fault(r, ACTIO_F_FLOW_NO_RATE, s, ACTIO_NO_ARGS);
    if (!actio_is_zero(parts->rest)) return flows_fault(r, ACTIO_F_FLOW_REST, s, ACTIO_NO_ARGS);
    for (uint32_t i = 0; i < parts->count; i++)
        if (actio_machine_spaces(r, parts->coef[i]) & ~metric)
            return flows_fault(r, ACTIO_F_FLOW_COEFFICIENT, s, ACTIO_NO_ARGS);
    return true;
}

/* of each state: where its own flow is, and whether any has its rate */
struct coverage {
    uint32_t *own_line;
    bool *covered;
};

static bool cover(struct actio_reader *r, const struct actio_statement *s, const struct left_side *parts,
                  struct coverage *c)
{
    for (uint32_t i = 0; i < parts->count; i++) c->covered[actio_slot_of(&r->model->pool, parts->rate[i]).index] = true;
    if (parts->count != 1) return true;
    uint32_t state = actio_slot_of(&r->model->pool, parts->rate[0]).index;
    if (c->own_line[state])
        return flows_fault(r, ACTIO_F_FLOW_TWICE, s,
                           ACTIO_ARGS(ACTIO_TEXT(r->model->state[state].name), ACTIO_COUNT(c->own_line[state])));
    c->own_line[state] = s->span.line;
    return true;
}

static bool flow_member(struct actio_reader *r, const struct actio_statement *s, struct coverage *c)
{
    struct actio_model *m = r->model;
    struct actio_flow_equation f = { .span = s->span };
    struct left_side parts;
    uint32_t count = (uint32_t)m->flow.count;
    if (!actio_machine_run(r, s->left, ACTIO_IN_FLOW_LEFT, &f.left)
        || !actio_machine_run(r, s->right, ACTIO_IN_FLOW_RIGHT, &f.right))
        return false;
    if (!check_left(r, s, f.left, &parts) || !cover(r, s, &parts, c)) return false;
    ACTIO_PUSH(&m->arena, m->flow.of, count, r->cap.flows) = f;
    m->flow.count = count;
    return true;
}

static void flow_statement(struct actio_reader *r, const struct actio_statement *s, struct coverage *c)
{
    double low, high;
    if (!actio_machine_range(r, &s->family, &low, &high)) return;
    for (double k = low; k <= high; k++) {
        r->vocabulary.word[s->family.index].bound = k;
        if (!flow_member(r, s, c)) return;
    }
}

static void check_count(struct actio_reader *r, const struct coverage *c)
{
    const struct actio_model *m = r->model;
    for (size_t i = 0; i < m->states; i++)
        if (!c->covered[i])
            actio_reader_fault(r, ACTIO_F_FLOW_MISSING, 0, m->state[i].span, ACTIO_ARGS(ACTIO_TEXT(m->state[i].name)));
    if (!actio_reader_failed(r) && m->flow.count != m->states)
        actio_reader_fault(r, ACTIO_F_FLOW_COUNT, 0, m->flow.of[m->flow.count - 1].span,
                           ACTIO_ARGS(ACTIO_COUNT(m->flow.count), ACTIO_COUNT(m->states)));
}

void actio_flows_all(struct actio_reader *r)
{
    struct coverage c = { actio_arena_array(&r->scratch, r->model->states, sizeof *c.own_line),
                          actio_arena_array(&r->scratch, r->model->states, sizeof *c.covered) };
    for (uint32_t i = 0; i < r->parsed.statements; i++)
        if (r->parsed.statement[i].keyword == ACTIO_W_flow) flow_statement(r, &r->parsed.statement[i], &c);
    if (!actio_reader_failed(r)) check_count(r, &c);
}
