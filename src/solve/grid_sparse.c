/* SPDX-License-Identifier: Apache-2.0
 * The same linear system as sweep.c's, whole and sparse, with row exchanges across nodes: where the streamed one meets
 * a singular block, and to check it. */
#include "algebra/linear.h"
#include "algebra/sbp.h"
#include "solve/grid.h"

#include <string.h>

/* value NULL: places */
struct listing {
    struct actio_grid *g;
    uint32_t *row, *col;
    double *value, *jets;
    size_t count, cap;
};

static void grid_sparse_put(struct listing *l, size_t row, size_t col, double value)
{
    if (l->value) l->value[l->count] = value;
    else if (l->row) {
        l->row[l->count] = (uint32_t)row;
        l->col[l->count] = (uint32_t)col;
    }
    l->count++;
}

/* Equations of node k by the unknowns of node j: q_kj T_j, and for itself -hH Phi and its own rows, entries added up.
 * */
static void block(struct listing *l, size_t k, size_t j, double q, double *own)
{
    const struct actio_grid *g = l->g;
    const struct actio_points *pt = &g->pt;
    const struct actio_places *at = &pt->sys->jets.points;
    size_t n = pt->n, nx = pt->nx, w = g->w;
    const double *value = l->jets + j * at->count;
    double hH = (g->t1 - g->t0) / (double)(g->points - 1) * actio_sbp_weight(g->order, g->points, k);
    memset(own, 0, 2 * w * w * sizeof *own); /* values, then marks */
    for (size_t i = 0; i < nx; i++) {
        own[i * w + i] = q;
        own[w * w + i * w + i] = 1;
    }
    for (size_t i = 0; i < nx && j == k; i++) {
        own[i * w + nx + i] -= hH;
        own[w * w + i * w + nx + i] = 1;
    }
    for (size_t e = 0; e < at->count; e++) {
        size_t row = at->row[e], col = at->col[e];
        if (row >= n + pt->nz || (row >= n && j != k)) continue;
        size_t place = (row < n ? nx + row : nx + row - n) * w + col;
        own[place] += (row < n ? q : row < 2 * n ? -hH : 1) * value[e];
        own[w * w + place] = 1;
    }
    for (size_t i = 0; i < w * w; i++)
        if (own[w * w + i] > 0) grid_sparse_put(l, k * w + i / w, j * w + i % w, own[i]);
}

static void list(struct listing *l, double *own)
{
    const struct actio_grid *g = l->g;
    double q[ACTIO_SBP_WIDEST];
    l->count = 0;
    for (size_t k = 0; k < g->points; k++) {
        size_t first, width = actio_sbp_row(g->order, g->points, k, &first, q);
        bool has_own = first <= k && k < first + width;
        if (k == 0) q[0] += 1;
        for (size_t j = 0; j < width; j++)
            if (q[j] != 0 || first + j == k) block(l, k, first + j, q[j], own);
        if (!has_own) block(l, k, k, 0, own);
    }
}

static int all_jets(struct listing *l)
{
    struct actio_grid *g = l->g;
    struct actio_points *pt = &g->pt;
    size_t entries = pt->sys->jets.points.count;
    for (size_t first = 0; first < g->points; first += pt->lanes) {
        size_t count = actio_grid_load(g, first);
        if (actio_points_jets(pt, count)) return 1;
        for (size_t k = 0; k < count; k++)
            for (size_t e = 0; e < entries; e++) l->jets[(first + k) * entries + e] = pt->jet[e * pt->lanes + k];
    }
    return 0;
}

static int grid_sparse_eliminate(struct listing *l)
{
    struct actio_grid *g = l->g;
    struct actio_linear linear = { 0 };
    struct actio_pattern pattern = { .rows = g->points * g->w, .count = l->count, .i = l->row, .j = l->col };
    if (actio_linear_open(&linear, g->ctx, &pattern)) return ACTIO_GRID_STOPPED;
    int bad = linear.type->factor(linear.h, l->value);
    if (!bad) linear.type->solve(linear.h, g->r, 1, false);
    actio_linear_close(&linear);
    return bad < 0 ? ACTIO_GRID_STOPPED : bad ? ACTIO_GRID_SINGULAR : ACTIO_GRID_DONE;
}

int actio_grid_sparse(struct actio_grid *g)
{
    struct listing l = { .g = g };
    double *own = actio_alloc(g->ctx, 2 * g->w * g->w + 1, sizeof *own);
    l.jets = actio_alloc(g->ctx, g->points * g->pt.sys->jets.points.count + 1, sizeof *l.jets);
    int status = !own || !l.jets ? ACTIO_GRID_STOPPED : all_jets(&l) ? ACTIO_GRID_NO_NUMBER : ACTIO_GRID_DONE;
    if (!status) {
        list(&l, own); /* counts */
        l.row = actio_alloc(g->ctx, 2 * l.count + 1, sizeof *l.row);
        l.col = l.row ? l.row + l.count : NULL;
        double *value = actio_alloc(g->ctx, l.count + 1, sizeof *value);
        if (!l.row || !value) status = ACTIO_GRID_STOPPED;
        if (!status) {
            list(&l, own);
            l.value = value;
            list(&l, own);
            status = grid_sparse_eliminate(&l);
        }
        actio_free(g->ctx, l.row);
        actio_free(g->ctx, value);
    }
    actio_free(g->ctx, own);
    actio_free(g->ctx, l.jets);
    return status;
}
