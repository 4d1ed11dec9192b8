/* SPDX-License-Identifier: Apache-2.0
 * Formulas evaluated at points, and the constraints that make the manifold. */
#include "verdict/manifold.h"

#include <math.h>
#include <string.h>

static struct actio_binding here(struct actio_manifold *m)
{
    size_t n = m->F->n;
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        const double *base;
    } bound[] = {
        { ACTIO_SPACE_T, &m->t },      { ACTIO_SPACE_PARAM, m->param },      { ACTIO_SPACE_Q, m->y },
        { ACTIO_SPACE_V, m->y + n },   { ACTIO_SPACE_STATE, m->y + 2 * n },  { ACTIO_SPACE_MODE, m->mode },
        { ACTIO_SPACE_HELD, m->held }, { ACTIO_SPACE_EXTERNAL, m->outside },
    };
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        b.space[bound[i].space].base = bound[i].base;
        b.space[bound[i].space].index_step = 1;
    }
    return b;
}

static struct actio_kernel **free_slot(struct actio_kernels *in_use)
{
    size_t i = 0;
    while (i + 1 < ACTIO_MOST_KERNELS && in_use->k[i]) i++;
    return &in_use->k[i];
}

struct actio_probe actio_probe_open(struct actio_manifold *m, const actio_expr *e, size_t n)
{
    struct actio_formation *F = m->F;
    struct actio_probe p = { .slot = free_slot(m->in_use), .k = actio_kernel_compile(F->sys.ctx, &F->pool, e, n) };
    *p.slot = p.k;
    const actio_slot *slots;
    size_t inputs = actio_kernel_inputs(p.k, &slots), params = actio_kernel_params(p.k, &slots);
    struct actio_arg *given = actio_form_array(F, params, sizeof *given);
    p.in = actio_form_array(F, inputs, sizeof *p.in);
    p.pre = actio_form_array(F, actio_kernel_pre(p.k), sizeof *p.pre);
    p.value = actio_form_array(F, n, sizeof *p.value);
    p.out = actio_form_array(F, n, sizeof *p.out);
    p.work = actio_form_array(F, actio_kernel_work(p.k), sizeof *p.work);
    struct actio_binding at = here(m);
    actio_kernel_bind(p.k, &at, p.in);
    actio_kernel_bind_params(p.k, &at, given);
    actio_kernel_prologue(p.k, 1, given, p.pre, p.work);
    for (size_t j = 0; j < n; j++) p.out[j] = p.value + j;
    return p;
}

void actio_probe_close(struct actio_probe *p)
{
    if (!p->k) return;
    actio_kernel_free(p->k);
    p->k = *p->slot = NULL;
}

const double *actio_probe_at(const struct actio_probe *p)
{
    actio_kernel_eval(p->k, 1, p->in, p->pre, 1, p->out, p->work);
    return p->value;
}

static void close_levels(struct actio_manifold *m)
{
    actio_probe_close(&m->values);
    actio_probe_close(&m->slopes);
}

void actio_manifold_open(struct actio_manifold *m, struct actio_formation *F, const double *param,
                         struct actio_kernels *in_use)
{
    *m = (struct actio_manifold){ .F = F, .in_use = in_use, .ny = F->n + F->N, .unit = { 1, 1 } };
    m->y = actio_form_array(F, m->ny, sizeof *m->y);
    m->mode = actio_form_array(F, F->sys.switches.count, sizeof *m->mode);
    m->outside = actio_form_array(F, F->sys.externals, sizeof *m->outside);
    m->held = actio_form_array(F, F->sys.resets.held, sizeof *m->held);
    for (size_t i = 0; i < F->sys.resets.held; i++)
        m->held[i] = actio_model_number(F->model, F->model->resets.held[i].start);
    for (size_t i = 0; i < F->sys.externals; i++) m->outside[i] = 1; /* forces do not decide on ranks */
    for (size_t k = 0; k < F->sys.switches.count; k++) m->mode[k] = 1;
    m->param = actio_form_array(F, F->sys.params, sizeof *m->param);
    if (F->sys.params) memcpy(m->param, param, F->sys.params * sizeof *param);
    m->wrt = actio_form_array(F, m->ny, sizeof *m->wrt);
    memcpy(m->wrt, F->sym.q, F->n * sizeof *m->wrt);
    memcpy(m->wrt + F->n, F->sym.z, F->N * sizeof *m->wrt);
    for (size_t i = 0; i < F->sys.holonomic; i++) actio_manifold_add(m, F->f[i]);
    for (size_t i = 0; i < F->sys.levels; i++) actio_manifold_add(m, F->phi[i]);
    actio_manifold_ready(m);
    if (F->sys.switches.count) m->guards = actio_probe_open(m, F->modes.guard, F->sys.switches.count);
}

void actio_manifold_close(struct actio_manifold *m)
{
    close_levels(m);
    actio_probe_close(&m->guards);
}

void actio_manifold_add(struct actio_manifold *m, actio_expr c)
{
    ACTIO_PUSH(&m->F->arena, m->c, m->added, m->cap) = c;
}

void actio_manifold_ready(struct actio_manifold *m)
{
    struct actio_formation *F = m->F;
    close_levels(m);
    m->count = m->added;
    m->J.count = 0;
    if (m->count) actio_jacobian(&F->pool, m->c, m->count, m->wrt, m->ny, &m->J);
    actio_expr *e = actio_form_array(F, m->J.count, sizeof *e);
    for (size_t i = 0; i < m->J.count; i++) e[i] = m->J.at[i].e;
    m->values = actio_probe_open(m, m->c, m->count);
    m->slopes = actio_probe_open(m, e, m->J.count);
    m->is_position = actio_form_array(F, m->count, sizeof *m->is_position);
    m->row_of = actio_form_array(F, m->count, sizeof *m->row_of);
    m->weight = actio_form_array(F, m->count, sizeof *m->weight);
    for (size_t i = 0; i < m->count; i++) m->weight[i] = 1;
    for (size_t i = 0; i < m->count; i++)
        m->is_position[i] =
            !actio_uses(&F->pool, m->c[i], ACTIO_SPACE_V) && !actio_uses(&F->pool, m->c[i], ACTIO_SPACE_STATE);
    actio_manifold_room(m);
}

static void go(struct actio_manifold *m, const double *y) { memcpy(m->y, y, m->ny * sizeof *y); }

static double unit_of(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest > 0 ? fmin(1, largest) : 1;
}

void actio_manifold_take_sides(struct actio_manifold *m, double t, const double *y)
{
    size_t modes = m->F->sys.switches.count;
    bool changed = true;
    m->t = t;
    go(m, y);
    for (size_t round = 0; round < modes && changed; round++) { /* a guard may depend on modes before it */
        const double *g = actio_probe_at(&m->guards);
        actio_poll(m->F->sys.ctx);
        changed = false;
        for (size_t k = 0; k < modes; k++) {
            double side = actio_mode_at(&m->F->sys, k, g[k], 1);
            changed = changed || side != m->mode[k];
            m->mode[k] = side;
        }
    }
}

bool actio_manifold_on_sides(struct actio_manifold *m, double t, const double *y)
{
    size_t modes = m->F->sys.switches.count;
    m->t = t;
    go(m, y);
    const double *g = modes ? actio_probe_at(&m->guards) : NULL;
    for (size_t k = 0; k < modes; k++)
        if (m->F->sys.switches.whole[k] ? fabs(g[k] - m->mode[k] - 0.5) > 0.5 + 1e-8 : m->mode[k] * g[k] < -1e-8)
            return false;
    return true;
}

void actio_manifold_start_at(struct actio_manifold *m, double t, const double *y)
{
    size_t n = m->F->n;
    actio_manifold_take_sides(m, t, y);
    m->unit[0] = unit_of(y, n);
    m->unit[1] = unit_of(y + n, m->ny - n);
}
