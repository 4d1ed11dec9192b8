/* SPDX-License-Identifier: Apache-2.0
 * The free equations of states, mu s' = S: which flow is whose, and its row.  [VKS 14]
 * A reaction on a state enters that state's own equation. For a metric with a heavy diagonal that is the flow where its
 * rate stands out; in general flows are matched to states by the largest product of coefficients at the start, for the
 * whole run. */
#include "equations/formation.h"
#include "algebra/assign.h"

#include <math.h>
#include <string.h>

struct pairing {
    uint32_t *state, *rival;
}; /* of each flow */

struct open_ends {
    uint32_t *state_of, *count, *last;
    bool *taken;
}; /* state_of: UINT32_MAX while a flow has none */

static bool is_open(const struct open_ends *o, const struct actio_entry *e)
{
    return o->state_of[e->row] == UINT32_MAX && !o->taken[e->col];
}

/* Flows (or states) with one coefficient left are matched by it. Returns how many. */
static size_t pair_those(const struct actio_entries *mu, size_t m, struct open_ends *o, bool by_state)
{
    size_t paired = 0;
    memset(o->count, 0, m * sizeof *o->count);
    for (uint32_t i = 0; i < mu->count; i++) {
        uint32_t at = by_state ? mu->at[i].col : mu->at[i].row;
        if (!is_open(o, &mu->at[i])) continue;
        o->count[at]++;
        o->last[at] = i;
    }
    for (size_t k = 0; k < m; k++) {
        if (o->count[k] != 1 || !is_open(o, &mu->at[o->last[k]])) continue;
        const struct actio_entry *e = &mu->at[o->last[k]];
        o->state_of[e->row] = e->col;
        o->taken[e->col] = true;
        paired++;
    }
    return paired;
}

/* Most models need no more than this. Returns how many flows are left. */
static size_t pair_single(const struct actio_entries *mu, size_t m, struct open_ends *o)
{
    size_t left = m, paired;
    do {
        paired = pair_those(mu, m, o, false);
        paired += pair_those(mu, m, o, true);
        left -= paired;
    } while (left && paired);
    return left;
}

/* Sizes of the coefficients of flows and states that are left, and who they are. */
static double *sizes_left(struct actio_formation *F, const struct actio_entries *mu, const struct open_ends *o,
                          size_t left, uint32_t *flow, uint32_t *state)
{
    double *size = actio_form_array(F, left * left, sizeof *size);
    uint32_t *row = actio_form_array(F, F->m, sizeof *row), *col = actio_form_array(F, F->m, sizeof *col);
    uint32_t flows = 0, states = 0;
    for (uint32_t i = 0; i < F->m; i++) {
        if (o->state_of[i] == UINT32_MAX) flow[row[i] = flows++] = i;
        if (!o->taken[i]) state[col[i] = states++] = i;
    }
    for (size_t i = 0; i < left * left; i++) size[i] = -1;
    for (size_t i = 0; i < mu->count; i++) {
        const struct actio_entry *e = &mu->at[i];
        if (!is_open(o, e)) continue;
        double value = fabs(actio_value_of(&F->pool, e->e, actio_start_value, F->model));
        size[row[e->row] * left + col[e->col]] = isfinite(value) ? value : 0;
    }
    return size;
}

/* A metric without a full matching is singular everywhere: that is found later, with its place. */
static struct pairing pair_flows(struct actio_formation *F, const struct actio_entries *mu)
{
    struct pairing p = { actio_form_array(F, F->m, sizeof *p.state), actio_form_array(F, F->m, sizeof *p.rival) };
    struct open_ends o = { p.state, actio_form_array(F, F->m, sizeof *o.count),
                           actio_form_array(F, F->m, sizeof *o.last), actio_form_array(F, F->m, sizeof *o.taken) };
    for (size_t i = 0; i < F->m; i++) p.state[i] = UINT32_MAX;
    size_t left = pair_single(mu, F->m, &o);
    if (left) {
        uint32_t *flow = actio_form_array(F, left, sizeof *flow), *state = actio_form_array(F, left, sizeof *state);
        uint32_t *column = actio_form_array(F, left, sizeof *column), *rival = actio_form_array(F, left, sizeof *rival);
        double *size = sizes_left(F, mu, &o, left, flow, state),
               *work = actio_form_array(F, left * left + 3 * (left + 1), sizeof *work);
        actio_assign(left, size, column, rival, work, actio_form_array(F, 4 * (left + 1), sizeof(size_t)));
        for (size_t i = 0; i < left; i++) {
            p.state[flow[i]] = state[column[i]];
            p.rival[flow[i]] = state[rival[i]] + 1;
        }
    }
    for (size_t i = 0; i < F->m; i++) p.rival[i] = p.rival[i] ? p.rival[i] - 1 : p.state[i];
    return p;
}

void actio_form_flows(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    size_t m = F->m;
    F->flow.S = actio_form_array(F, m, sizeof *F->flow.S);
    F->flow.of = actio_form_array(F, m, sizeof *F->flow.of);
    F->flow.rival = actio_form_array(F, m, sizeof *F->flow.rival);
    if (m == 0) return;
    actio_expr *both = actio_form_array(F, 2 * m, sizeof *both), *side = actio_form_array(F, 2 * m, sizeof *side),
               *none = actio_form_array(F, m, sizeof *none);
    for (size_t i = 0; i < m; i++) {
        both[i] = F->model->flow.of[i].left;
        both[m + i] = F->model->flow.of[i].right;
    }
    actio_copy_switched(F, both, 2 * m, side);
    struct actio_entries mu = { 0 };
    actio_jacobian(pool, side, m, F->sym.sdot, m, &mu);
    struct pairing p = pair_flows(F, &mu);
    for (size_t i = 0; i < m; i++) {
        F->flow.S[p.state[i]] = actio_sub(pool, side[m + i], actio_substitute(pool, side[i], F->sym.sdot, none, m));
        F->flow.of[p.state[i]] = (uint32_t)i;
        F->flow.rival[p.state[i]] = p.rival[i];
    }
    for (size_t i = 0; i < mu.count; i++) {
        if (actio_is_zero(mu.at[i].e)) continue;
        ACTIO_PUSH(&F->arena, F->flow.mu.at, F->flow.mu.count, F->flow.mu.cap) =
            (struct actio_entry){ p.state[mu.at[i].row], mu.at[i].col, mu.at[i].e };
    }
}

/* Whose flow it is matters where a reaction enters: then two matchings of the same product are two models. */
void actio_check_flows(struct actio_formation *F)
{
    for (size_t i = 0; i < F->D.count; i++) {
        if (F->D.at[i].col < F->n) continue;
        size_t state = F->D.at[i].col - F->n;
        const struct actio_variable *name = F->model->state;
        if (F->flow.rival[state] == state) continue;
        if (F->sys.ctx->findings)
            actio_report_at(F->sys.ctx->findings, ACTIO_F_FLOW_TIE, &F->model->source,
                            F->model->flow.of[F->flow.of[state]].span,
                            ACTIO_ARGS(ACTIO_TEXT(name[state].name), ACTIO_TEXT(name[F->flow.rival[state]].name),
                                       ACTIO_TEXT(F->model->constraint[F->D.at[i].row].label)));
        actio_escape(F->sys.ctx);
    }
}
