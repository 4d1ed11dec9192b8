/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/points.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

static struct actio_binding binding(const struct actio_points *pt)
{
    struct actio_binding b;
    ptrdiff_t lanes = (ptrdiff_t)pt->lanes;
    memset(&b, 0, sizeof b);
    const double *z = pt->z;
    const struct {
        int space;
        const double *base;
    } varying[] = {
        { ACTIO_SPACE_T, pt->t },
        { ACTIO_SPACE_Q, pt->x },
        { ACTIO_SPACE_STATE, pt->x + pt->n * pt->lanes },
        { ACTIO_SPACE_V, z },
        { ACTIO_SPACE_SDOT, z + pt->n * pt->lanes },
        { ACTIO_SPACE_LAMBDA, z + pt->nx * pt->lanes },
        { ACTIO_SPACE_MU, z + (pt->nx + pt->p) * pt->lanes },
    };
    for (size_t i = 0; i < sizeof varying / sizeof *varying; i++) {
        b.space[varying[i].space].base = varying[i].base;
        b.space[varying[i].space].index_step = lanes;
        b.space[varying[i].space].lane_step = 1;
    }
    const struct {
        int space;
        const double *base;
    } shared[] = {
        { ACTIO_SPACE_PARAM, pt->shared.param },
        { ACTIO_SPACE_MODE, pt->shared.mode },
        { ACTIO_SPACE_HIDDEN, pt->dropped ? pt->dropped : pt->shared.hidden },
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        b.space[shared[i].space].base = shared[i].base;
        b.space[shared[i].space].index_step = 1;
    }
    if (!pt->shared.mode) {
        b.space[ACTIO_SPACE_MODE].base = pt->mode;
        b.space[ACTIO_SPACE_MODE].index_step = lanes;
        b.space[ACTIO_SPACE_MODE].lane_step = 1;
    }
    return b;
}

void actio_points_prologue(struct actio_points *pt)
{
    if (pt->field_values) {
        actio_lanes_prologue(pt->field_values);
        actio_lanes_prologue(pt->field_jets);
        return;
    }
    actio_node_prologue(&pt->values);
    actio_node_prologue(&pt->jets);
    if (pt->params.k) actio_node_prologue(&pt->params);
}

static bool open_kernel(struct actio_points *pt, struct actio_node_kernel *nk, const struct actio_kernel *k, double *to)
{
    struct actio_binding at = binding(pt);
    return actio_node_open(nk, pt->ctx, k, &at, pt->lanes, to) == 0;
}

static bool points_take_memory(struct actio_points *pt)
{
    size_t rows = 3 * pt->n + pt->m + pt->p + pt->h,
           all = 1 + pt->nx + pt->nz + rows + pt->entries + pt->sys->switches.count;
    if (pt->lanes > SIZE_MAX / 64 / (all + 1)) return false;
    double *next = pt->block = actio_alloc(pt->ctx, all * pt->lanes + 1, sizeof *pt->block);
    if (!next) return false;
    pt->t = next;
    pt->x = pt->t + pt->lanes;
    pt->z = pt->x + pt->nx * pt->lanes;
    pt->P = pt->z + pt->nz * pt->lanes;
    pt->F = pt->P + pt->n * pt->lanes;
    pt->R = pt->F + pt->n * pt->lanes;
    pt->v = pt->R + (pt->m + pt->p + pt->h) * pt->lanes;
    pt->jet = pt->v + pt->n * pt->lanes;
    pt->mode = pt->jet + pt->entries * pt->lanes;
    return true;
}

/* Fields: nodes of time one after the other, numbers of one side by side: t, q, u, lambda, then values and jets. */
static bool open_fields(struct actio_points *pt)
{
    const struct actio_system *sys = pt->sys;
    size_t inputs = 1 + 2 * pt->n + pt->p, values = sys->field.stream[ACTIO_Q_JETS]->values;
    pt->one = actio_alloc(pt->ctx, inputs + values + 1, sizeof *pt->one);
    if (!pt->one || !points_take_memory(pt)) return false;
    const double *q = pt->one + 1;
    struct actio_sources from = { .t = pt->one,
                                  .param = pt->shared.param,
                                  .hidden = pt->shared.hidden,
                                  .q = q,
                                  .v = q + pt->n,
                                  .acc = q,
                                  .lambda = q + 2 * pt->n,
                                  .reaction = q,
                                  .mu = q };
    pt->field_values = actio_lanes_open(pt->ctx, sys, sys->field.stream[ACTIO_Q_POINTS], &from);
    pt->field_jets = actio_lanes_open(pt->ctx, sys, sys->field.stream[ACTIO_Q_JETS], &from);
    return pt->field_values && pt->field_jets;
}

static int evaluate_fields(struct actio_points *pt, struct actio_lanes *by, size_t values, size_t count)
{
    size_t lanes = pt->lanes, n = pt->n, rates = 2 * n + pt->p;
    double *in = pt->one, *out = in + 1 + 2 * n + pt->p, sum = 0;
    for (size_t k = 0; k < count; k++) {
        in[0] = pt->t[k];
        for (size_t i = 0; i < n; i++) in[1 + i] = pt->x[i * lanes + k];
        for (size_t i = 0; i < n + pt->p; i++) in[1 + n + i] = pt->z[i * lanes + k];
        actio_lanes_eval(by, out);
        for (size_t i = 0; i < n; i++) out[rates + i] = in[1 + n + i];
        for (size_t j = 0; j < values; j++) sum += 0 * (pt->P[j * lanes + k] = out[j]);
    }
    return !(sum == 0);
}

int actio_points_open(struct actio_points *pt, struct actio_context *ctx, struct actio_system *sys, size_t lanes,
                      struct actio_shared shared)
{
    *pt = (struct actio_points){ .ctx = ctx,
                                 .sys = sys,
                                 .shared = shared,
                                 .lanes = lanes,
                                 .n = sys->n,
                                 .m = sys->m,
                                 .p = sys->p,
                                 .h = sys->holonomic,
                                 .nx = sys->n + sys->m,
                                 .nz = sys->n + sys->m + sys->p + sys->holonomic };
    if (actio_system_need(sys, ACTIO_Q_POINTS) || actio_system_need(sys, ACTIO_Q_JETS)) return 1;
    pt->entries = sys->jets.points.count;
    if (sys->field.axes) {
        pt->h = 0;
        pt->nz = pt->nx + pt->p;
        if (open_fields(pt)) return 0;
        if (ctx->findings)
            actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                         ACTIO_ARGS(ACTIO_TEXT("the action"), ACTIO_COUNT(ctx->bytes_limit)));
        actio_points_close(pt);
        return 1;
    }
    if (sys->is.droppable) {
        pt->dropped = actio_alloc(ctx, pt->p + pt->h + (pt->nx + 3) * sys->levels + pt->nx + 1, sizeof *pt->dropped);
        pt->order = actio_alloc(ctx, sys->levels + 1, sizeof *pt->order);
        if (!pt->dropped || !pt->order) {
            actio_points_close(pt);
            return 1;
        }
    }
    /* P, F, R, v, jet lie side by side */
    if (points_take_memory(pt) && open_kernel(pt, &pt->values, sys->kernel[ACTIO_Q_POINTS], pt->P)
        && open_kernel(pt, &pt->jets, sys->kernel[ACTIO_Q_JETS], pt->P))
        return 0;
    if (ctx->findings)
        actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the action"), ACTIO_COUNT(ctx->bytes_limit)));
    actio_points_close(pt);
    return 1;
}

int actio_points_need_params(struct actio_points *pt)
{
    if (pt->params.k) return 0;
    if (actio_system_need(pt->sys, ACTIO_Q_PARAM_JETS)) return 1;
    pt->param_jet = actio_alloc(pt->ctx, pt->sys->jets.params.count * pt->lanes + 1, sizeof *pt->param_jet);
    if (pt->param_jet && open_kernel(pt, &pt->params, pt->sys->kernel[ACTIO_Q_PARAM_JETS], pt->param_jet)) return 0;
    if (pt->ctx->findings)
        actio_report(pt->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the sensitivities"), ACTIO_COUNT(pt->ctx->bytes_limit)));
    return 1;
}

void actio_points_close(struct actio_points *pt)
{
    if (!pt->ctx) return;
    actio_node_close(&pt->values, pt->ctx);
    actio_node_close(&pt->jets, pt->ctx);
    actio_node_close(&pt->params, pt->ctx);
    actio_lanes_close(pt->field_values);
    actio_lanes_close(pt->field_jets);
    actio_free(pt->ctx, pt->one);
    actio_free(pt->ctx, pt->param_jet);
    actio_free(pt->ctx, pt->block);
    actio_free(pt->ctx, pt->dropped);
    actio_free(pt->ctx, pt->order);
    *pt = (struct actio_points){ 0 };
}

/* The rows' derivatives by velocities and states, transposed: variables x constraints. */
static void gather_rows(const struct actio_points *pt, double *a)
{
    const struct actio_places *at = &pt->sys->jets.points;
    for (size_t i = 0; i < at->count; i++) {
        size_t row = at->row[i] - 2 * pt->n - pt->m, col = at->col[i];
        if (at->row[i] < 2 * pt->n + pt->m || row >= pt->sys->levels) continue;
        bool velocity = col >= pt->nx && col < pt->nx + pt->n, state = col >= pt->n && col < pt->nx;
        if (velocity || state) a[(velocity ? col - pt->nx : col) * pt->sys->levels + row] = pt->jet[i * pt->lanes];
    }
}

/* Columns of length 1, so that the choice does not depend on units. */
static void scale_columns(size_t rows, size_t columns, double *a)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += a[i * columns + j] * a[i * columns + j];
        for (size_t i = 0; i < rows && sum > 0; i++) a[i * columns + j] /= sqrt(sum);
    }
}

int actio_points_choose(struct actio_points *pt, size_t rank)
{
    const struct actio_system *sys = pt->sys;
    size_t rows = pt->nx, columns = sys->levels;
    memset(pt->dropped, 0, (pt->p + pt->h) * sizeof *pt->dropped);
    actio_points_prologue(pt);
    if (actio_points_jets(pt, 1)) return 1;
    double *a = pt->dropped + pt->p + pt->h;
    memset(a, 0, rows * columns * sizeof *a);
    gather_rows(pt, a);
    scale_columns(rows, columns, a);
    actio_qrcp(rows, columns, a, a + rows * columns, pt->order, 0, a + rows * columns + columns);
    for (size_t j = rank; j < columns; j++) pt->dropped[sys->velocity_row[pt->order[j]]] = 1;
    for (size_t i = 0; i < pt->h; i++) pt->dropped[pt->p + i] = pt->dropped[sys->position_row[i]];
    actio_points_prologue(pt);
    return 0;
}

int actio_points_values(struct actio_points *pt, size_t count)
{
    return pt->field_values ? evaluate_fields(pt, pt->field_values, 3 * pt->n + pt->p, count)
                            : actio_node_evaluate(&pt->values, count);
}

int actio_points_jets(struct actio_points *pt, size_t count)
{
    return pt->field_jets ? evaluate_fields(pt, pt->field_jets, 3 * pt->n + pt->p + pt->entries, count)
                          : actio_node_evaluate(&pt->jets, count);
}

int actio_points_params(struct actio_points *pt, size_t count) { return actio_node_evaluate(&pt->params, count); }
