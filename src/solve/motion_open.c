/* SPDX-License-Identifier: Apache-2.0
 * A motion opened and closed: its buffers, its kernels bound to them, and the flow that steppers integrate. */
#include "solve/motion_inside.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/corner.h"
#include "solve/entries.h"
#include "solve/resets.h"
#include "solve/law.h"
#include "solve/segments.h"
#include "solve/tension.h"

#include <string.h>

/* ---- binding */

static struct actio_binding here(struct actio_motion *m)
{
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    const double *base[ACTIO_SPACE_COUNT] = {
        [ACTIO_SPACE_T] = &m->here.t,
        [ACTIO_SPACE_PARAM] = m->here.param,
        [ACTIO_SPACE_HIDDEN] = m->here.hidden,
        [ACTIO_SPACE_MODE] = m->here.mode,
        [ACTIO_SPACE_HELD] = m->here.mode + m->sys->switches.count,
        [ACTIO_SPACE_EXTERNAL] = m->here.outside,
        [ACTIO_SPACE_Q] = m->here.y,
        [ACTIO_SPACE_V] = m->here.y + m->n,
        [ACTIO_SPACE_STATE] = m->here.y + 2 * m->n,
        [ACTIO_SPACE_ACC] = m->here.zdot,
        [ACTIO_SPACE_SDOT] = m->here.zdot + m->n,
        [ACTIO_SPACE_LAMBDA] = m->here.lambda,
        [ACTIO_SPACE_REACTION] = m->here.reaction,
        [ACTIO_SPACE_QMINUS] = m->scratch.weight,
        [ACTIO_SPACE_VMINUS] = m->scratch.weight_v,
        [ACTIO_SPACE_SMINUS] = m->scratch.weight + m->n,
        [ACTIO_SPACE_LMINUS] = m->scratch.weight + m->N,
    };
    for (int s = 0; s < ACTIO_SPACE_COUNT; s++) {
        b.space[s].base = base[s];
        b.space[s].index_step = 1;
    }
    return b;
}

/* The part of a kernel that depends on params and hidden numbers only. */
static bool run_prologue(struct actio_motion *m, const struct actio_kernel *k, struct actio_bound *b)
{
    const actio_slot *slots;
    struct actio_arg *given = actio_alloc(m->ctx, actio_kernel_params(k, &slots) + 1, sizeof *given);
    if (!given) return false;
    struct actio_binding at = here(m);
    actio_kernel_bind_params(k, &at, given);
    actio_kernel_prologue(k, 1, given, b->pre, b->work);
    actio_free(m->ctx, given);
    return true;
}

void actio_motion_prologue(struct actio_motion *m, enum actio_quantity what)
{
    if (m->at[what].lanes) actio_lanes_prologue(m->at[what].lanes);
    else run_prologue(m, m->at[what].k, &m->at[what]);
}

static void forget(struct actio_motion *m, struct actio_bound *b)
{
    void *parts[] = { b->in, b->pre, b->value, b->out, b->work };
    actio_lanes_close(b->lanes);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(m->ctx, parts[i]);
    *b = (struct actio_bound){ 0 };
}

static int out_of_memory(struct actio_motion *m)
{
    if (m->ctx->findings)
        actio_report(m->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(m->ctx->bytes_limit)));
    return 1;
}

static int need_lanes(struct actio_motion *m, enum actio_quantity what)
{
    struct actio_bound *b = &m->at[what];
    const struct actio_streams *s = m->sys->field.stream[what];
    struct actio_sources from = { &m->here.t,
                                  m->here.param,
                                  m->here.hidden,
                                  m->here.y,
                                  m->here.y + m->n,
                                  m->here.zdot,
                                  m->here.lambda,
                                  m->here.reaction,
                                  m->here.lambda,
                                  m->chain.inverse,
                                  m->chain.inverse ? m->chain.inverse + m->n : NULL };
    if (!s) return 1;
    b->count = s->values;
    b->value = actio_alloc(m->ctx, s->values + 1, sizeof *b->value);
    b->lanes = b->value ? actio_lanes_open(m->ctx, m->sys, s, &from) : NULL;
    if (b->lanes) return 0;
    forget(m, b); /* nothing half made stays: it may be wanted again */
    return out_of_memory(m);
}

int actio_motion_need(struct actio_motion *m, enum actio_quantity what)
{
    struct actio_bound *b = &m->at[what];
    if (b->k || b->lanes) return 0;
    if (actio_system_need(m->sys, what)) return 1;
    if (m->sys->field.axes) return need_lanes(m, what);
    const struct actio_kernel *k = m->sys->kernel[what];
    const actio_slot *slots;
    size_t inputs = actio_kernel_inputs(k, &slots), outputs = actio_kernel_outputs(k);
    b->in = actio_alloc(m->ctx, inputs + 1, sizeof *b->in);
    b->pre = actio_alloc(m->ctx, actio_kernel_pre(k) + 1, sizeof *b->pre);
    b->value = actio_alloc(m->ctx, outputs + 1, sizeof *b->value);
    b->out = actio_alloc(m->ctx, outputs + 1, sizeof *b->out);
    b->work = actio_alloc(m->ctx, actio_kernel_work(k) + 1, sizeof *b->work);
    if (!b->in || !b->pre || !b->value || !b->out || !b->work || !run_prologue(m, k, b)) {
        forget(m, b);
        return out_of_memory(m);
    }
    struct actio_binding at = here(m);
    actio_kernel_bind(k, &at, b->in);
    for (size_t j = 0; j < outputs; j++) b->out[j] = b->value + j;
    b->k = k;
    b->count = outputs;
    for (size_t j = 0; j < inputs; j++) b->asks |= slots[j].space == ACTIO_SPACE_EXTERNAL;
    return 0;
}

struct actio_arg *actio_motion_bind_rhs(struct actio_motion *m, const double *y)
{
    struct actio_binding at = here(m);
    size_t which = m->rhs.next++ % ACTIO_RHS_BUFFERS;
    at.space[ACTIO_SPACE_Q].base = y;
    at.space[ACTIO_SPACE_V].base = y + m->n;
    at.space[ACTIO_SPACE_STATE].base = y + 2 * m->n;
    actio_kernel_bind(m->at[ACTIO_Q_RHS].k, &at, m->rhs.in[which]);
    m->rhs.y[which] = y;
    return m->rhs.in[which];
}

struct actio_arg *actio_motion_bind_along(struct actio_motion *m, const double *t, const double *y, const double *dy,
                                          const double *dt)
{
    struct actio_binding at = here(m);
    const struct actio_kernel *k = m->at[ACTIO_Q_ALONG].k;
    const actio_slot *slots;
    struct actio_arg *in = actio_alloc(m->ctx, actio_kernel_inputs(k, &slots) + 1, sizeof *in);
    at.space[ACTIO_SPACE_T].base = t;
    at.space[ACTIO_SPACE_Q].base = y;
    at.space[ACTIO_SPACE_V].base = y + m->n;
    at.space[ACTIO_SPACE_STATE].base = y + 2 * m->n;
    at.space[ACTIO_SPACE_QMINUS].base = dy;
    at.space[ACTIO_SPACE_VMINUS].base = dy + m->n;
    at.space[ACTIO_SPACE_SMINUS].base = dy + 2 * m->n;
    at.space[ACTIO_SPACE_LMINUS].base = dt;
    if (in) actio_kernel_bind(k, &at, in);
    return in;
}

struct actio_arg *actio_motion_bind_lanes(struct actio_motion *m, enum actio_quantity what, const double *t,
                                          const double *y, ptrdiff_t stride)
{
    struct actio_binding at = here(m);
    const struct actio_kernel *k = m->at[what].k;
    const actio_slot *slots;
    struct actio_arg *in = actio_alloc(m->ctx, actio_kernel_inputs(k, &slots) + 1, sizeof *in);
    static const int moving[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_STATE };
    const double *base[] = { y, y + m->n, y + 2 * m->n };
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) {
        at.space[moving[i]].base = base[i];
        at.space[moving[i]].lane_step = stride;
    }
    at.space[ACTIO_SPACE_T].base = t;
    at.space[ACTIO_SPACE_T].lane_step = 1;
    if (in) actio_kernel_bind(k, &at, in);
    return in;
}

int actio_motion_make_hidden(struct actio_motion *m, size_t count)
{
    double *more = actio_alloc(m->ctx, count + 1, sizeof *more);
    if (!more) return 1;
    actio_free(m->ctx, m->here.hidden);
    m->here.hidden = more;
    return 0;
}

/* ---- opening */

static bool take_buffers(struct actio_motion *m, const double *param)
{
    const struct actio_system *sys = m->sys;
    struct {
        double **p;
        size_t n;
    } want[] = {
        { &m->here.y, m->ny },
        { &m->here.zdot, m->N },
        { &m->here.lambda, actio_system_reported(sys) },
        { &m->here.reaction, m->N },
        { &m->here.param, sys->params },
        { &m->here.mode, actio_system_modes(sys) },
        { &m->here.hidden, 1 },
        { &m->here.outside, sys->externals },
        { &m->scratch.weight, m->N + m->p + 1 },
        { &m->scratch.weight_v, m->n },
        { &m->bad.y, m->ny },
        { &m->watch.size, sys->solved.pivots },
        { &m->scratch.residual, m->p },
        { &m->scratch.step, m->N + m->ny + 8 * m->N },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].p = actio_alloc(m->ctx, want[i].n + 1, sizeof(double)))) return false;
    if (!(m->rests = actio_alloc(m->ctx, sys->switches.count + 1, sizeof *m->rests))) return false;
    if (!(m->rooted = actio_alloc(m->ctx, m->ny + 3 * m->n + sys->switches.count + 1, sizeof *m->rooted))) return false;
    m->rows.unique = actio_alloc(m->ctx, m->p + 1, sizeof *m->rows.unique);
    m->rows.unique_here = actio_alloc(m->ctx, m->p + 1, sizeof *m->rows.unique_here);
    if (!m->rows.unique || !m->rows.unique_here) return false;
    for (size_t k = 0; k < m->p; k++) m->rows.unique[k] = true;
    if (sys->params) memcpy(m->here.param, param, sys->params * sizeof *param);
    size_t inputs = sys->solved.symbolic ? m->ny + actio_system_modes(sys) + sys->externals + 2 : 1; /* and time */
    m->scratch.slave_work =
        actio_alloc(m->ctx, (sys->field.slaves + 1) * (sys->field.slaves + 1), sizeof *m->scratch.slave_work);
    m->scratch.slave_pivot = actio_alloc(m->ctx, sys->field.slaves + 1, sizeof *m->scratch.slave_pivot);
    if (!m->scratch.slave_work || !m->scratch.slave_pivot) return false;
    struct actio_arg *in = actio_alloc(m->ctx, ACTIO_RHS_BUFFERS * inputs, sizeof *in);
    for (int i = 0; i < ACTIO_RHS_BUFFERS && in; i++) m->rhs.in[i] = in + (size_t)i * inputs;
    m->saddle = actio_saddle_open(m->ctx, sys);
    return m->saddle && in;
}

static void make_flow(struct actio_motion *m)
{
    bool watched = m->p || m->rows.numeric || m->sys->solved.pivots;
    m->flow = (struct actio_ode){
        .n = m->ny,
        .user = m,
        .rhs = actio_motion_rhs,
        .project = m->sys->levels || m->sys->field.slaves ? actio_motion_project : NULL,
        .guards = m->sys->switches.count,
        .guard = actio_switch_guard,
        .side = actio_switch_side,
        .crossed = actio_switch_crossed,
        .timely = true,
        .quality = watched ? actio_motion_quality : NULL,
        .sticks = m->sys->field.axes ? NULL : actio_motion_turns,
        .quality_at = watched ? actio_motion_quality_at : NULL,
        .singular = watched ? actio_motion_singular : NULL,
    };
}

int actio_motion_open(struct actio_motion *m, struct actio_context *ctx, struct actio_system *sys, const double *param)
{
    *m = (struct actio_motion){ .watch.sign = 1,
                                .span = 1,
                                .ctx = ctx,
                                .sys = sys,
                                .n = sys->n,
                                .m = sys->m,
                                .N = sys->n + sys->m,
                                .p = sys->p,
                                .ny = 2 * sys->n + sys->m,
                                .watch.pairs = sys->solved.pivot_pairs,
                                .watch.signs = sys->solved.pivot_signs,
                                .watch.singles = sys->solved.pivots - 2 * sys->solved.pivot_pairs,
                                .rows.numeric = !sys->solved.symbolic,
                                .rows.rank = sys->p,
                                .watch.quality = 1,
                                .watch.worst = 1 };
    bool ok = take_buffers(m, param);
    if (!ok && ctx->findings)
        actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(ctx->bytes_limit)));
    int bad = !ok || actio_motion_need(m, ACTIO_Q_MATRIX);
    if (!bad && sys->levels) bad = actio_motion_need(m, ACTIO_Q_LEVELS);
    if (!bad && sys->switches.count) bad = actio_motion_need(m, ACTIO_Q_GUARDS);
    if (!bad && sys->field.slaves) bad = actio_motion_need(m, ACTIO_Q_SLAVES);
    if (!bad && sys->solved.symbolic) bad = actio_motion_need(m, ACTIO_Q_RHS) || actio_motion_need(m, ACTIO_Q_SOLVE);
    if (!bad && sys->solved.symbolic) m->rhs.one = actio_kernel_one(m->at[ACTIO_Q_RHS].k);
    if (!bad && sys->solved.symbolic && sys->holonomic) bad = actio_motion_need(m, ACTIO_Q_PROJECT_Q);
    if (!bad && sys->solved.symbolic && sys->levels) bad = actio_motion_need(m, ACTIO_Q_PROJECT_V);
    if (bad) {
        actio_motion_close(m);
        return 1;
    }
    make_flow(m);
    if (actio_tension_open(m) || actio_segments_open(m) || actio_corner_open(m)) {
        out_of_memory(m);
        actio_motion_close(m);
        return 1;
    }
    if (actio_contacts_open(m) || actio_soft_open(m) || actio_resets_open(m)) {
        actio_motion_close(m);
        return 1;
    }
    if (actio_instants_open(m) || actio_between_open(m)) {
        out_of_memory(m);
        actio_motion_close(m);
        return 1;
    }
    return 0;
}

void actio_motion_close(struct actio_motion *m)
{
    if (!m->ctx) return;
    actio_motion_disobey(m);
    actio_contacts_close(m);
    actio_instants_close(m);
    actio_corner_close(m);
    actio_between_close(m);
    actio_resets_close(m);
    actio_segments_close(m);
    actio_tension_close(m);
    void *all[] = {
        m->here.y,         m->here.zdot,    m->here.lambda,      m->here.reaction,      m->here.param,
        m->here.mode,      m->here.hidden,  m->here.outside,     m->scratch.weight,     m->scratch.weight_v,
        m->bad.y,          m->watch.size,   m->scratch.residual, m->scratch.step,       m->rooted,
        m->rests,          m->rows.unique,  m->rows.unique_here, m->scratch.slave_work, m->scratch.slave_pivot,
        m->history.change, m->history.flip, m->history.base,     m->history.last,       m->rhs.in[0],
        m->stiff.i,        m->stiff.j
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
    for (int k = 0; k < ACTIO_Q_COUNT; k++) forget(m, &m->at[k]);
    actio_saddle_close(m->saddle);
    *m = (struct actio_motion){ 0 };
}
