/* SPDX-License-Identifier: Apache-2.0
 * Integrals within integrals: what depends on the motion there would have to be varied through the outer one. It is
 * refused, not left out.
 * And integrals of accelerations: what is left of them where accelerations are 0. */
#include "equations/field.h"

#include <string.h>

static bool stands_in(struct actio_pool *pool, actio_expr e, const bool *moves, uint32_t sums)
{
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL || pool->slot[n->a].space != ACTIO_SPACE_SUM) continue;
        if (pool->slot[n->a].index < sums && moves[pool->slot[n->a].index]) return true;
    }
    return false;
}

/* Sums are numbered from the inside. */
bool actio_field_moves_within(struct actio_fields *w, actio_expr e, bool rates_only)
{
    struct actio_pool *pool = &w->F->pool;
    bool *moves = actio_form_array(w->F, w->sums, sizeof *moves);
    for (uint32_t k = 0; k < w->sums; k++) {
        actio_expr of = w->sum[k].e;
        moves[k] = actio_uses(pool, of, ACTIO_SPACE_V) || actio_uses(pool, of, ACTIO_SPACE_ACC)
                   || (!rates_only && actio_uses(pool, of, ACTIO_SPACE_Q)) || stands_in(pool, of, moves, k);
    }
    return stands_in(pool, e, moves, w->sums);
}

static bool has_integral(struct actio_pool *pool, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_INTEGRAL) return true;
    return false;
}

static bool has_integral_within(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t count = cone.count, *id = actio_form_array(w->F, count, sizeof *id);
    memcpy(id, cone.id, count * sizeof *id);
    for (uint32_t i = 0; i < count; i++)
        if (pool->node[id[i]].op == ACTIO_INTEGRAL && has_integral(pool, (actio_expr){ pool->node[id[i]].a }))
            return true;
    return false;
}

void actio_field_refuse_within(struct actio_fields *w, bool is_dissipation)
{
    const struct actio_model *m = w->F->model;
    struct actio_span span = { 0 };
    for (size_t k = m->written.parts; k-- > 0;)
        if (m->written.part[k].is_dissipation == is_dissipation && has_integral_within(w, m->written.part[k].e))
            span = m->written.part[k].span;
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_WITHIN, &m->source, span, ACTIO_NO_ARGS);
    actio_escape(w->F->sys.ctx);
}

/* ---- where to look: the statement that has most of something in it */

enum { ALONG = 10 }; /* how much more likely a value at one place is meant where something holds along the axis */

/* Derivatives and integrals, one within another. */
static int depth_of(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    int *depth = actio_form_array(w->F, cone.count, sizeof *depth);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        const uint32_t arg[3] = { n->a, n->b, n->c };
        for (int k = 0; k < actio_arity((enum actio_op)n->op); k++)
            if (depth[pool->place[arg[k]]] > depth[i]) depth[i] = depth[pool->place[arg[k]]];
        depth[i] += n->op == ACTIO_DIFF || n->op == ACTIO_INTEGRAL;
    }
    return depth[cone.count - 1];
}

static int values_in(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    int at = 0, along = 1;
    for (uint32_t i = 0; i < cone.count; i++) {
        at += pool->node[cone.id[i]].op == ACTIO_AT;
        along += (ALONG - 1) * (pool->node[cone.id[i]].op == ACTIO_INTEGRAL);
    }
    return at * along;
}

struct finding_most {
    struct actio_span span;
    int most;
};

static void weigh_statement(struct finding_most *f, int amount, struct actio_span span)
{
    if (amount > f->most) {
        f->most = amount;
        f->span = span;
    }
}

static struct actio_span statement_with_most(struct actio_fields *w, int (*of)(struct actio_fields *w, actio_expr e),
                                             int along)
{
    const struct actio_model *m = w->F->model;
    struct finding_most f = { .most = 0 };
    for (size_t k = 0; k < m->written.parts; k++)
        weigh_statement(&f, of(w, m->written.part[k].e), m->written.part[k].span);
    for (size_t k = 0; k < m->constraints; k++)
        weigh_statement(
            &f, (m->constraint[k].axis ? along : 1) * (of(w, m->constraint[k].left) + of(w, m->constraint[k].right)),
            m->constraint[k].span);
    for (size_t k = 0; k < m->forces; k++)
        for (size_t j = 0; j < m->force[k].terms; j++)
            weigh_statement(&f, of(w, m->force[k].term[j].e), m->force[k].span);
    for (size_t k = 0; k < m->output.observes; k++)
        weigh_statement(&f, of(w, m->output.observe[k].e), m->output.observe[k].span);
    return f.span;
}

void actio_field_refuse_depth(struct actio_fields *w)
{
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_DERIVATIVES, &w->F->model->source,
                    statement_with_most(w, depth_of, 1), ACTIO_NO_ARGS);
    actio_escape(w->F->sys.ctx);
}

void actio_field_refuse_pinned(struct actio_fields *w)
{
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_PINNED, &w->F->model->source,
                    statement_with_most(w, values_in, ALONG), ACTIO_NO_ARGS);
    actio_escape(w->F->sys.ctx);
}

/* Symbols of one space in a formula. */
static uint32_t symbols_of(struct actio_fields *w, actio_expr e, uint8_t space, actio_expr **out)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t count = 0, cap = 0;
    *out = NULL;
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op == ACTIO_SYMBOL && pool->slot[n->a].space == space)
            ACTIO_PUSH(&w->F->arena, *out, count, cap) = (actio_expr){ cone.id[i] };
    }
    return count;
}

static actio_expr at_rest(struct actio_fields *w, actio_expr e)
{
    actio_expr *acc;
    uint32_t count = symbols_of(w, e, ACTIO_SPACE_ACC, &acc);
    actio_expr *none = actio_form_array(w->F, count, sizeof *none);
    return count ? actio_substitute(&w->F->pool, e, acc, none, count) : e;
}

/* g without its accelerations, also without those that its integrals are made of. */
actio_expr actio_field_at_rest(struct actio_fields *w, actio_expr g)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr *sum;
    uint32_t count = symbols_of(w, g, ACTIO_SPACE_SUM, &sum);
    actio_expr *left = actio_form_array(w->F, count, sizeof *left);
    for (uint32_t i = 0; i < count; i++) {
        const struct actio_sum of = w->sum[actio_slot_of(pool, sum[i]).index];
        actio_expr e = at_rest(w, of.e);
        left[i] = actio_is_zero(e) ? e : actio_symbol(pool, ACTIO_SPACE_SUM, actio_field_sum(w, of.axis, of.half, e));
    }
    return at_rest(w, count ? actio_substitute(pool, g, sum, left, count) : g);
}
