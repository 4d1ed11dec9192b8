/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ipopt.h"

#ifndef BENCH_IPOPT
double bench_ipopt(struct actio_grid *g)
{
    (void)g;
    return -1;
}
const char *bench_ipopt_why(void) { return "not installed"; }
#else
#include "algebra/sbp.h"

#include <IpStdCInterface.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *bench_ipopt_why(void) { return "no convergence"; }

/* Entries of the equations' derivatives in one fixed order; `put` NULL: their places into row and col. */
static int entries(struct actio_grid *g, int *row, int *col, double *value)
{
    const struct actio_points *pt = &g->pt;
    const struct actio_places *jets = &pt->sys->jets;
    size_t n = pt->n, nx = pt->nx, w = g->w, count = 0, all = g->points;
    double *P = malloc(sizeof *P * all * jets->count), weight[ACTIO_SBP_WIDEST]; /* entries of all nodes */
    for (size_t first = 0; value && first < all; first += pt->lanes) {
        size_t lanes = actio_grid_load(g, first);
        actio_points_jets(&g->pt, lanes);
        for (size_t l = 0; l < lanes; l++)
            for (size_t e = 0; e < jets->count; e++) P[(first + l) * jets->count + e] = pt->jet[e * pt->lanes + l];
    }
#define PUT(r, c, v)                                                                                                   \
    do {                                                                                                               \
        if (value) value[count] = (v);                                                                                 \
        else row[count] = (int)(r), col[count] = (int)(c);                                                             \
        count++;                                                                                                       \
    } while (0)
    for (size_t k = 0; k < all; k++) {
        size_t from, width = actio_sbp_row(g->order, all, k, &from, weight);
        double hH = (g->t1 - g->t0) / (double)(all - 1) * actio_sbp_weight(g->order, all, k);
        if (k == 0) weight[0] += 1;
        for (size_t j = 0; j < width; j++) {
            size_t at = (from + j) * w;
            for (size_t i = 0; i < nx; i++) PUT(k * w + i, at + i, weight[j]);
            for (size_t e = 0; e < jets->count; e++)
                if (jets->row[e] < n)
                    PUT(k * w + nx + jets->row[e], at + jets->col[e], weight[j] * P[(from + j) * jets->count + e]);
        }
        for (size_t i = 0; i < nx; i++) PUT(k * w + i, k * w + nx + i, -hH);
        for (size_t e = 0; e < jets->count; e++)
            if (jets->row[e] >= n)
                PUT(k * w + nx + jets->row[e] - n, k * w + jets->col[e],
                    (jets->row[e] < 2 * n ? -hH : 1) * P[k * jets->count + e]);
    }
#undef PUT
    free(P);
    return (int)count;
}

static void set_unknowns(struct actio_grid *g, const double *x)
{
    for (size_t k = 0; k < g->points; k++) {
        memcpy(g->x + k * g->pt.nx, x + k * g->w, g->pt.nx * sizeof *x);
        memcpy(g->z + k * g->pt.nz, x + k * g->w + g->pt.nx, g->pt.nz * sizeof *x);
    }
}

static Bool no_objective(Index n, Number *x, Bool is_new, Number *value, UserDataPtr user)
{
    (void)n;
    (void)x;
    (void)is_new;
    (void)user;
    *value = 0;
    return TRUE;
}
static Bool no_gradient(Index n, Number *x, Bool is_new, Number *out, UserDataPtr user)
{
    (void)x;
    (void)is_new;
    (void)user;
    memset(out, 0, sizeof *out * (size_t)n);
    return TRUE;
}

static Bool equations(Index n, Number *x, Bool is_new, Index m, Number *out, UserDataPtr user)
{
    struct actio_grid *g = user;
    double size;
    (void)n;
    (void)is_new;
    set_unknowns(g, x);
    if (actio_grid_residuals(g, &size)) return FALSE;
    memcpy(out, g->r, sizeof *out * (size_t)m);
    return TRUE;
}

static Bool derivatives(Index n, Number *x, Bool is_new, Index m, Index count, Index *row, Index *col, Number *value,
                        UserDataPtr user)
{
    (void)n;
    (void)is_new;
    (void)m;
    (void)count;
    if (value) set_unknowns(user, x);
    entries(user, row, col, value);
    return TRUE;
}

static Bool no_hessian(Index n, Number *x, Bool is_new, Number factor, Index m, Number *lambda, Bool new_lambda,
                       Index count, Index *row, Index *col, Number *value, UserDataPtr user)
{
    (void)n;
    (void)x;
    (void)is_new;
    (void)factor;
    (void)m;
    (void)lambda;
    (void)new_lambda;
    (void)count;
    (void)row;
    (void)col;
    (void)value;
    (void)user;
    return FALSE;
}

double bench_ipopt(struct actio_grid *g)
{
    Index n = (Index)(g->points * g->w);
    double *x = malloc(sizeof *x * (size_t)n), *low = malloc(sizeof *low * (size_t)n),
           *high = malloc(sizeof *high * (size_t)n), *zero = calloc((size_t)n, sizeof *zero);
    size_t most = g->points * (g->w + g->pt.sys->jets.count) * (ACTIO_SBP_WIDEST + 1);
    int *place = malloc(2 * most * sizeof *place), count = entries(g, place, place + most, NULL);
    struct timespec a, b;
    for (Index i = 0; i < n; i++) {
        low[i] = -2e19;
        high[i] = 2e19;
    }
    for (size_t k = 0; k < g->points; k++) {
        memcpy(x + k * g->w, g->x + k * g->pt.nx, g->pt.nx * sizeof *x);
        memcpy(x + k * g->w + g->pt.nx, g->z + k * g->pt.nz, g->pt.nz * sizeof *x);
    }
    IpoptProblem p = CreateIpoptProblem(n, low, high, n, zero, zero, count, 0, 0, no_objective, equations, no_gradient,
                                        derivatives, no_hessian);
    AddIpoptIntOption(p, "print_level", 0);
    AddIpoptStrOption(p, "sb", "yes");
    AddIpoptStrOption(p, "hessian_approximation", "limited-memory");
    AddIpoptNumOption(p, "tol", 1e-8);
    AddIpoptNumOption(p, "max_cpu_time", 30);
    clock_gettime(CLOCK_MONOTONIC, &a);
    int status = IpoptSolve(p, x, NULL, NULL, NULL, NULL, NULL, g);
    clock_gettime(CLOCK_MONOTONIC, &b);
    FreeIpoptProblem(p);
    free(x);
    free(low);
    free(high);
    free(zero);
    free(place);
    return status == Solve_Succeeded || status == Solved_To_Acceptable_Level
               ? (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)
               : -1;
}
#endif
