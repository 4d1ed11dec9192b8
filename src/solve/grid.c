/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/grid.h"
#include "algebra/sbp.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64, MOST_ITERATIONS = 60, MOST_HALVINGS = 30 };

void actio_grid_close(struct actio_grid *g)
{
    if (!g->ctx) return;
    actio_sweep_close(g->sweep);
    actio_points_close(&g->pt);
    actio_free(g->ctx, g->block);
    actio_free(g->ctx, g->own_mode);
    *g = (struct actio_grid){ 0 };
}

static int grid_refuse(struct actio_grid *g)
{
    if (g->ctx->findings)
        actio_report(g->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the grid"), ACTIO_COUNT(g->ctx->bytes_limit)));
    actio_grid_close(g);
    return 1;
}

int actio_grid_open(struct actio_grid *g, struct actio_context *ctx, struct actio_system *sys,
                    struct actio_shared shared, int order, size_t points, double t0, double t1)
{
    *g = (struct actio_grid){
        .ctx = ctx, .order = order, .points = points, .reach = actio_sbp_reach(order), .t0 = t0, .t1 = t1
    };
    if (sys->switches.count) shared.mode = NULL;
    if (actio_points_open(&g->pt, ctx, sys, BLOCK, shared)) return 1;
    const struct actio_points *pt = &g->pt;
    size_t n = pt->n, nx = pt->nx, nz = pt->nz, own = nz - n, all = nx + 2 * n + 1;
    g->nt = nx + n;
    g->w = nx + nz;
    double **part[] = { &g->x, &g->z, &g->P, &g->F, &g->R, &g->v, &g->r };
    const size_t length[] = { nx, nz, n, n, own, n, g->w };
    size_t by_node = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) by_node += length[i];
    if (points > SIZE_MAX / 64 / (by_node + 1)) return grid_refuse(g);
    g->block = actio_alloc_raw(ctx, all + by_node * points, sizeof *g->block);
    if (!g->block) return grid_refuse(g);
    g->x0 = g->block;
    g->v0 = g->x0 + nx;
    g->P0 = g->v0 + n;
    double *next = g->P0 + n;
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++] * points) *part[i] = next;
    memset(g->z, 0, nz * points * sizeof *g->z); /* multipliers of a guess */
    g->sweep = actio_sweep_open(g);
    return g->sweep ? 0 : grid_refuse(g);
}

double actio_grid_time(const struct actio_grid *g, size_t k)
{
    return k + 1 == g->points ? g->t1 : g->t0 + (g->t1 - g->t0) * ((double)k / (double)(g->points - 1));
}

int actio_grid_data(struct actio_grid *g, const double *x, const double *v)
{
    struct actio_points *pt = &g->pt;
    memset(pt->z, 0, pt->nz * pt->lanes * sizeof *pt->z);
    memcpy(g->x0, x, pt->nx * sizeof *x);
    memcpy(g->v0, v, pt->n * sizeof *v);
    for (size_t i = 0; i < pt->nx; i++) pt->x[i * pt->lanes] = x[i];
    for (size_t i = 0; i < pt->n; i++) pt->z[i * pt->lanes] = v[i];
    pt->t[0] = g->t0;
    for (size_t i = 0; g->mode && i < pt->sys->switches.count; i++) pt->mode[i * pt->lanes] = g->mode[i];
    int bad = actio_points_values(pt, 1);
    for (size_t i = 0; i < pt->n; i++) g->P0[i] = pt->P[i * pt->lanes];
    return bad;
}

size_t actio_grid_load(struct actio_grid *g, size_t first)
{
    struct actio_points *pt = &g->pt;
    size_t count = g->points - first < pt->lanes ? g->points - first : pt->lanes;
    for (size_t l = 0; l < count; l++) {
        pt->t[l] = actio_grid_time(g, first + l);
        for (size_t i = 0; i < pt->nx; i++) pt->x[i * pt->lanes + l] = g->x[(first + l) * pt->nx + i];
        for (size_t i = 0; i < pt->nz; i++) pt->z[i * pt->lanes + l] = g->z[(first + l) * pt->nz + i];
        for (size_t i = 0; g->mode && i < pt->sys->switches.count; i++)
            pt->mode[i * pt->lanes + l] = g->mode[(first + l) * pt->sys->switches.count + i];
    }
    return count;
}

static void unload(const double *lane, size_t lanes, size_t count, size_t width, double *to)
{
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < width; i++) to[l * width + i] = lane[i * lanes + l];
}

static int values(struct actio_grid *g)
{
    struct actio_points *pt = &g->pt;
    size_t n = pt->n, own = pt->nz - n;
    for (size_t first = 0; first < g->points; first += pt->lanes) {
        size_t count = actio_grid_load(g, first);
        if (actio_points_values(pt, count)) return 1;
        unload(pt->P, pt->lanes, count, n, g->P + first * n);
        unload(pt->F, pt->lanes, count, n, g->F + first * n);
        unload(pt->R, pt->lanes, count, own, g->R + first * own);
        unload(pt->v, pt->lanes, count, n, g->v + first * n);
    }
    return 0;
}

/* (Q + E0)(x - x0) - hH u,  (Q + E0)(P - P0) - hH F,  then what each node satisfies by itself  [SKG R1 - R3] */
static void residuals_at(struct actio_grid *g, size_t k, double *r)
{
    const struct actio_points *pt = &g->pt;
    size_t n = pt->n, nx = pt->nx, nz = pt->nz, first, width;
    double row[ACTIO_SBP_WIDEST],
        hH = (g->t1 - g->t0) / (double)(g->points - 1) * actio_sbp_weight(g->order, g->points, k);
    width = actio_sbp_row(g->order, g->points, k, &first, row);
    if (k == 0) row[0] += 1;
    for (size_t i = 0; i < nx; i++) r[i] = -hH * g->z[k * nz + i];
    for (size_t i = 0; i < n; i++) r[nx + i] = -hH * g->F[k * n + i];
    for (size_t j = 0; j < width; j++) {
        const double *x = g->x + (first + j) * nx, *P = g->P + (first + j) * n;
        for (size_t i = 0; i < nx; i++) r[i] += row[j] * (x[i] - g->x0[i]);
        for (size_t i = 0; i < n; i++) r[nx + i] += row[j] * (P[i] - g->P0[i]);
    }
    memcpy(r + g->nt, g->R + k * (nz - n), (nz - n) * sizeof *r);
}

int actio_grid_residuals(struct actio_grid *g, double *size)
{
    double most = 0;
    if (values(g)) return 1;
    for (size_t k = 0; k < g->points; k++) residuals_at(g, k, g->r + k * g->w);
    for (size_t i = 0; i < g->points * g->w; i++)
        if (!(fabs(g->r[i]) <= most)) most = fabs(g->r[i]);
    *size = most;
    return !isfinite(most);
}

/* Unknowns -= part * steps. Steps lie as (x, z) by node. */
static void grid_advance(struct actio_grid *g, const double *step, double part)
{
    size_t nx = g->pt.nx, nz = g->pt.nz;
    for (size_t k = 0; k < g->points; k++) {
        for (size_t i = 0; i < nx; i++) g->x[k * nx + i] -= part * step[k * g->w + i];
        for (size_t i = 0; i < nz; i++) g->z[k * nz + i] -= part * step[k * g->w + nx + i];
    }
}

/* The largest step of positions, states and their rates, beside their sizes. */
static double size_of_step(const struct actio_grid *g, const double *step)
{
    size_t nx = g->pt.nx, nz = g->pt.nz;
    double worst = 0;
    for (size_t i = 0; i < 2 * nx; i++) {
        double most = 0, size = 1;
        for (size_t k = 0; k < g->points; k++) {
            double d = fabs(step[k * g->w + i]), y = fabs(i < nx ? g->x[k * nx + i] : g->z[k * nz + i - nx]);
            if (!(d <= most)) most = d;
            size = fmax(size, y);
        }
        if (!(most / size <= worst)) worst = most / size;
    }
    return worst;
}

static double norm(const struct actio_grid *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->points * g->w; i++) sum += g->r[i] * g->r[i];
    return sqrt(sum);
}

/* Newton's step: streamed, or where a block of that is singular, by sparse elimination. */
static int solve_linear(struct actio_grid *g, double *step)
{
    size_t all = g->points * g->w;
    memcpy(step, g->r, all * sizeof *step);
    int bad = actio_sweep_solve(g->sweep);
    if (bad == ACTIO_GRID_SINGULAR) {
        memcpy(g->r, step, all * sizeof *step);
        bad = actio_grid_sparse(g);
        g->sparse++;
    }
    memcpy(step, g->r, all * sizeof *step);
    return bad;
}

/* One damped step: as much of it as lowers the residual. step: room for it. */
static int damped_step(struct actio_grid *g, double *step)
{
    double before = norm(g), part = 1;
    int bad = solve_linear(g, step);
    if (bad) return bad;
    g->step = size_of_step(g, step);
    if (!isfinite(g->step)) return ACTIO_GRID_SINGULAR;
    grid_advance(g, step, 1);
    for (int i = 0;; i++) {
        bool sound = actio_grid_residuals(g, &g->residual) == 0;
        if (sound && (norm(g) <= (1 - 1e-4 * part) * before || g->step * part <= 1e-9)) return ACTIO_GRID_DONE;
        if (i == MOST_HALVINGS) return sound ? ACTIO_GRID_DIVERGED : ACTIO_GRID_NO_NUMBER;
        part *= 0.5;
        grid_advance(g, step, -part);
    }
}

int actio_grid_solve(struct actio_grid *g)
{
    double *step = actio_alloc_raw(g->ctx, g->points * g->w + 1, sizeof *step), before = INFINITY;
    int bad = !step                                   ? ACTIO_GRID_STOPPED
              : actio_grid_residuals(g, &g->residual) ? ACTIO_GRID_NO_NUMBER
                                                      : ACTIO_GRID_DONE;
    bool done = false;
    for (g->iterations = 0; !bad && !done; g->iterations++) {
        if (actio_stopped(g->ctx)) bad = ACTIO_GRID_STOPPED;
        else if (g->iterations == MOST_ITERATIONS) bad = ACTIO_GRID_DIVERGED;
        else bad = damped_step(g, step);
        done = g->step <= 1e-13 || (g->step <= 1e-7 && g->step > 0.2 * before)
               || (g->step <= 1e-7 && g->step * g->step <= 1e-14 && g->step <= 1e-3 * before);
        before = g->step;
    }
    actio_free(g->ctx, step);
    return bad;
}
