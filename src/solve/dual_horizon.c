/* SPDX-License-Identifier: Apache-2.0
 * How long one slab can be: along the motion x* the dual's critical point solves D' = H_x - f_x' D + g_x' m, 0 = H_y -
 * f_y' D + g_y' m backward from the end, and is a maximum while M stays positive there.  [DUAL 1.1] */
#include "solve/dual.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { STEPS = 400, LANES = 2 * STEPS + 1, BISECTIONS = 18 };
#define TOLERANCE 1e-11 /* local, of the motion */

struct horizon {
    struct actio_motion *m;
    struct actio_dual_element e;
    struct actio_dual_slab s;       /* one point an element: lanes are places of time */
    struct actio_dual_basing *base; /* on the elements of the run */
    struct actio_dual_slab grid;
    const double *y0; /* h: of an element of the run */
    double t0, h;
    double *block, *rows, *D, *rate, *m_now, *A, *U;
    int *pivot;
};

static int open_horizon(struct horizon *z, double t1)
{
    struct actio_motion *m = z->m;
    struct actio_shared shared = { m->here.param, m->here.mode, m->here.hidden };
    size_t elements = m->chosen.grid ? m->chosen.grid : 256;
    z->h = (t1 - z->t0) / (double)elements;
    if (actio_dual_element_open(&z->e, m->ctx, 1, 1)
        || actio_dual_slab_open(&z->s, m->ctx, m->sys, &z->e, LANES, shared))
        return 1;
    size_t nx = z->s.nx, nu = z->s.nu, ng = z->s.ng;
    if (ng && nu - nx != ng) return 1; /* free reactions: nothing to solve for */
    z->base = actio_dual_basing_open(m, elements, 1);
    z->block = actio_alloc(m->ctx, nx * LANES + 5 * nx + ng + ng * ng + 2 * nu + 1, sizeof *z->block);
    z->pivot = actio_alloc(m->ctx, ng + 1, sizeof *z->pivot);
    if (!z->base || !z->block || !z->pivot || actio_dual_slab_open(&z->grid, m->ctx, m->sys, &z->e, elements, shared))
        return 1;
    z->rows = z->block;
    z->D = z->rows + nx * LANES;
    z->rate = z->D + nx;
    z->m_now = z->rate + 4 * nx;
    z->A = z->m_now + ng;
    z->U = z->A + ng * ng;
    actio_dual_slab_place(&z->grid, z->t0, z->h, elements);
    return actio_dual_set_base(z->base, &z->grid, z->y0) != 0;
}

static void close_horizon(struct horizon *z)
{
    struct actio_context *ctx = z->m->ctx;
    actio_dual_basing_close(z->base);
    actio_dual_slab_close(&z->s);
    actio_dual_slab_close(&z->grid);
    actio_dual_element_close(&z->e);
    actio_free(ctx, z->block);
    actio_free(ctx, z->pivot);
}

/* U* and the base at the lanes of [t0, t0 + T], and the formulas there with D = 0. */
static int lay_motion(struct horizon *z, double T)
{
    struct actio_motion *m = z->m;
    struct actio_ode flow = m->flow;
    size_t nx = z->s.nx, nu = z->s.nu;
    for (size_t l = 0; l < LANES; l++)
        z->s.lane.time[l] = l + 1 == LANES ? z->t0 + T : z->t0 + T * (double)l / (LANES - 1);
    flow.guards = flow.watched = 0;
    flow.quality = NULL;
    flow.quality_at = NULL;
    flow.singular = NULL;
    flow.first = 0;
    struct actio_march_task task = { .stepper = &actio_dop853,
                                     .t0 = z->t0,
                                     .t1 = z->t0 + T,
                                     .rtol = TOLERANCE,
                                     .atol = TOLERANCE,
                                     .y0 = z->y0,
                                     .rows = { { LANES, z->s.lane.time, z->rows, LANES } } };
    struct actio_march_result result = { 0 };
    if (actio_march(m->ctx, &flow, &task, &result)) return 1;
    memset(z->s.lane.D, 0, nx * LANES * sizeof *z->s.lane.D);
    memset(z->s.lane.rate, 0, nx * LANES * sizeof *z->s.lane.rate);
    memset(z->s.lane.mu, 0, z->s.ng * LANES * sizeof *z->s.lane.mu);
    for (size_t l = 0; l < LANES; l++) {
        double *y = z->U + nu;
        for (size_t i = 0; i < nx; i++) y[i] = z->rows[i * LANES + l];
        actio_dual_unknowns_at(z->base, z->s.lane.time[l], y, z->U);
        for (size_t i = 0; i < nu; i++) z->s.lane.U[i * LANES + l] = z->U[i];
        actio_dual_base_at(z->base, z->s.lane.time[l], z->grid.elements, z->U);
        for (size_t i = 0; i < nu; i++) z->s.lane.base[i * LANES + l] = z->U[i];
    }
    z->s.elements = LANES;
    return actio_node_evaluate(&z->s.point.kernel, LANES);
}

/* m and D' at a lane; H_U is the slope at D = 0. */
static int rate_at(struct horizon *z, size_t l, const double *D, double *m, double *rate)
{
    const struct actio_dual_slab *s = &z->s;
    const struct actio_places *f = &s->fo->f_U, *g = &s->fo->g_U;
    size_t nx = s->nx, ng = s->ng;
    memset(z->A, 0, ng * ng * sizeof *z->A);
    for (size_t i = 0; i < ng; i++) m[i] = -s->point.slope[(nx + i) * LANES + l];
    for (size_t i = 0; i < f->count; i++)
        if (f->col[i] >= nx) m[f->col[i] - nx] += s->point.fU[i * LANES + l] * D[f->row[i]];
    for (size_t i = 0; i < g->count; i++)
        if (g->col[i] >= nx) z->A[(g->col[i] - nx) * ng + g->row[i]] = s->point.gU[i * LANES + l];
    if (ng && actio_lu_factor(ng, z->A, z->pivot)) return 1;
    if (ng) actio_lu_solve(ng, z->A, z->pivot, m, 1, false);
    for (size_t i = 0; i < nx; i++) rate[i] = s->point.slope[i * LANES + l];
    for (size_t i = 0; i < f->count; i++)
        if (f->col[i] < nx) rate[f->col[i]] -= s->point.fU[i * LANES + l] * D[f->row[i]];
    for (size_t i = 0; i < g->count; i++)
        if (g->col[i] < nx) rate[g->col[i]] += s->point.gU[i * LANES + l] * m[g->row[i]];
    return 0;
}

/* Backward by Runge and Kutta's steps of two lanes; D and m at every second lane are kept. 0, or 1. */
static int adjoint(struct horizon *z, double T, double *kept)
{
    size_t nx = z->s.nx, ng = z->s.ng, row = nx + ng;
    const double *last = z->m->chosen.dual->task.last;
    double h = -T / STEPS, *D = z->D, *k1 = z->rate, *k2 = k1 + nx, *k3 = k2 + nx, *x = k3 + nx;
    for (size_t i = 0; i < nx; i++) D[i] = last ? last[i] : 0;
    for (size_t step = STEPS + 1; step-- > 0;) {
        size_t l = 2 * step;
        if (rate_at(z, l, D, z->m_now, k1)) return 1;
        memcpy(kept + step * row, D, nx * sizeof *D);
        memcpy(kept + step * row + nx, z->m_now, ng * sizeof *D);
        if (step == 0) break;
        for (size_t i = 0; i < nx; i++) x[i] = D[i] + 0.5 * h * k1[i];
        if (rate_at(z, l - 1, x, z->m_now, k2)) return 1;
        for (size_t i = 0; i < nx; i++) x[i] = D[i] + 0.5 * h * k2[i];
        if (rate_at(z, l - 1, x, z->m_now, k3)) return 1;
        for (size_t i = 0; i < nx; i++) {
            x[i] = D[i] + h * k3[i];
            D[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i]);
        }
        if (rate_at(z, l - 2, x, z->m_now, k1)) return 1;
        for (size_t i = 0; i < nx; i++) D[i] += h / 6 * k1[i];
    }
    return 0;
}

/* Is M positive along the critical point of a slab of length T? 1, 0, or -1: not known. */
static int is_positive(struct horizon *z, double T)
{
    size_t nx = z->s.nx, ng = z->s.ng, row = nx + ng, nu = z->s.nu;
    double *kept = actio_alloc(z->m->ctx, (STEPS + 1) * row + nu * nu, sizeof *kept), *M = kept + (STEPS + 1) * row;
    if (!kept) return -1;
    int answer = lay_motion(z, T) || adjoint(z, T, kept) ? -1 : 1;
    for (size_t l = 0; l < LANES && answer > 0; l++) {
        /* odd lanes as their neighbours: not requested */
        for (size_t i = 0; i < nx; i++) z->s.lane.D[i * LANES + l] = kept[l / 2 * row + i];
        for (size_t i = 0; i < ng; i++) z->s.lane.mu[i * LANES + l] = kept[l / 2 * row + nx + i];
    }
    if (answer > 0 && actio_node_evaluate(&z->s.point.kernel, LANES)) answer = 0;
    for (size_t l = 0; l < LANES && answer > 0; l += 2) {
        memset(M, 0, nu * nu * sizeof *M);
        for (size_t i = 0; i < z->s.fo->M.count; i++)
            M[z->s.fo->M.row[i] * nu + z->s.fo->M.col[i]] = z->s.point.M[i * LANES + l];
        if (actio_cholesky_factor(nu, M)) answer = 0;
    }
    actio_free(z->m->ctx, kept);
    return answer;
}

int actio_dual_horizon(struct actio_motion *m, double t0, double t1, const double *y0, double *horizon)
{
    struct horizon z = { .m = m, .y0 = y0, .t0 = t0 };
    double good = 0, bad = t1 - t0;
    int answer = actio_motion_begin(m, t0, y0) || open_horizon(&z, t1) ? -1 : is_positive(&z, bad);
    *horizon = INFINITY;
    for (int i = 0; answer == 0 && i < BISECTIONS; i++) {
        double T = 0.5 * (good + bad);
        int here = is_positive(&z, T);
        if (here > 0) good = T;
        else bad = T;
    }
    if (answer == 0) *horizon = fabs(0.5 * (good + bad));
    close_horizon(&z);
    return answer < 0;
}
