/* SPDX-License-Identifier: Apache-2.0
 * Block elimination along the grid. Node k has unknowns y = (x, z) and equations
 *     sum_j q_kj T_j - hH Phi_k y_k = b (what is transmitted, T = E y),   R_k y_k = b (its own),
 * q_kj numbers. What was eliminated before changes the coefficients of T only, by nt x nt blocks; rows are exchanged
 * within a node, never between nodes.
 * Each node is assembled, eliminated and left behind in one pass.  [SKG 7, SPEED P2] */
#include "algebra/sbp.h"
#include "solve/grid.h"

#include <math.h>
#include <string.h>

#if defined __x86_64__ && defined __linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__                     \
    && !defined __SANITIZE_THREAD__
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

/* A coefficient of T: a number times 1, or full. */
struct coefficient {
    bool full;
    double number, *block;
};

struct actio_sweep {
    struct actio_grid *g;
    /* span = 2 reach + 1 blocks a row; wide: of the augmented matrix; momenta: entries of dP */
    size_t nt, w, reach, span, wide, momenta;
    double *block, *aug, *gain, *t; /* aug: [S | 1 in the first nt rows | b]; gain: E V_j; t: E y */
    /* by node: S^-1 U_j (reach of them), S^-1 b, entries of dP/d(x, z); ring: T of the last nodes, on the way back */
    double *V, *y0, *dP, *ring;
    unsigned char *far;    /* by node: how far its U goes */
    struct coefficient *c; /* ring of rows: row i, column j at (i % span)*span + j - i + reach */
    uint32_t *p_row, *p_col;
};

void actio_sweep_close(struct actio_sweep *s)
{
    if (!s) return;
    struct actio_context *ctx = s->g->ctx;
    actio_free(ctx, s->block);
    actio_free(ctx, s->c);
    actio_free(ctx, s->p_row);
    actio_free(ctx, s->far);
    actio_free(ctx, s);
}

static bool sweep_take_memory(struct actio_sweep *s)
{
    struct actio_context *ctx = s->g->ctx;
    size_t nt = s->nt, w = s->w, reach = s->reach, points = s->g->points, ring = s->span * s->span;
    double **part[] = { &s->aug, &s->gain, &s->t, &s->V, &s->y0, &s->dP, &s->ring };
    const size_t length[] = { w * s->wide,         reach * nt * nt, nt, points * reach * w * nt, points * w,
                              points * s->momenta, (reach + 1) * nt };
    size_t all = ring * nt * nt + 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    if (points > SIZE_MAX / 64 / (reach * w * nt + w + s->momenta + 1)) return false;
    s->block = actio_alloc_raw(ctx, all, sizeof *s->block);
    s->c = actio_alloc(ctx, ring, sizeof *s->c);
    s->p_row = actio_alloc(ctx, 2 * s->momenta + 1, sizeof *s->p_row);
    s->far = actio_alloc(ctx, points, 1);
    if (!s->block || !s->c || !s->p_row || !s->far) return false;
    s->p_col = s->p_row + s->momenta;
    double *next = s->block;
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    for (size_t i = 0; i < ring; i++) s->c[i].block = next + i * nt * nt;
    return true;
}

struct actio_sweep *actio_sweep_open(struct actio_grid *g)
{
    struct actio_sweep *s = actio_alloc(g->ctx, 1, sizeof *s);
    const struct actio_places *jets = &g->pt.sys->jets.points;
    if (!s) return NULL;
    *s = (struct actio_sweep){ .g = g, .nt = g->nt, .w = g->w, .reach = g->reach, .span = 2 * g->reach + 1 };
    s->wide = (s->w + s->nt + 1 + 7) / 8 * 8;
    for (size_t i = 0; i < jets->count; i++) s->momenta += jets->row[i] < g->pt.n;
    if (!sweep_take_memory(s)) {
        actio_sweep_close(s);
        return NULL;
    }
    for (size_t i = 0, e = 0; i < jets->count; i++)
        if (jets->row[i] < g->pt.n) {
            s->p_row[e] = jets->row[i];
            s->p_col[e++] = jets->col[i];
        }
    return s;
}

static struct coefficient *place(const struct actio_sweep *s, size_t i, size_t j)
{
    return &s->c[(i % s->span) * s->span + (j + s->reach - i)];
}

/* Row i as the operator has it. */
static void start_row(struct actio_sweep *s, size_t i)
{
    double row[ACTIO_SBP_WIDEST];
    size_t first, width = actio_sbp_row(s->g->order, s->g->points, i, &first, row);
    for (size_t j = 0; j < s->span; j++) {
        s->c[(i % s->span) * s->span + j].full = false;
        s->c[(i % s->span) * s->span + j].number = 0;
    }
    for (size_t j = 0; j < width; j++) place(s, i, first + j)->number = row[j];
    if (i == 0) place(s, 0, 0)->number += 1;
}

static void sweep_fill(const struct actio_sweep *s, struct coefficient *c)
{
    if (c->full) return;
    memset(c->block, 0, s->nt * s->nt * sizeof *c->block);
    for (size_t i = 0; i < s->nt; i++) c->block[i * s->nt + i] = c->number;
    c->full = true;
}

/* S = K + (coefficient of T) E, rows of T first; the right sides beside it. */
static void assemble(struct actio_sweep *s, size_t k, size_t lane)
{
    const struct actio_grid *g = s->g;
    const struct actio_points *pt = &g->pt;
    const struct actio_places *jets = &pt->sys->jets.points;
    const struct coefficient *own = place(s, k, k);
    size_t nx = pt->nx, n = pt->n, nt = s->nt, wide = s->wide, e = 0;
    double hH = (g->t1 - g->t0) / (double)(g->points - 1) * actio_sbp_weight(g->order, g->points, k), *S = s->aug,
           *dP = s->dP + k * s->momenta;
    memset(S, 0, s->w * wide * sizeof *S);
    for (size_t i = 0; i < nx; i++) S[i * wide + nx + i] = -hH;
    for (size_t i = 0; i < nt; i++) {
        S[i * wide + s->w + i] = 1;
        if (!own->full && i < nx) S[i * wide + i] += own->number;
        for (size_t j = 0; own->full && j < nx; j++) S[i * wide + j] += own->block[i * nt + j];
    }
    for (size_t a = 0; a < jets->count; a++) {
        double value = pt->jet[a * pt->lanes + lane];
        size_t row = jets->row[a], col = jets->col[a];
        if (row >= n + pt->nz) continue;
        if (row >= 2 * n) S[(nx + row - n) * wide + col] += value;
        else if (row >= n) S[(nx + row - n) * wide + col] -= hH * value;
        else {
            dP[e++] = value;
            if (!own->full) S[(nx + row) * wide + col] += own->number * value;
            for (size_t i = 0; own->full && i < nt; i++) S[i * wide + col] += own->block[i * nt + nx + row] * value;
        }
    }
    for (size_t i = 0; i < s->w; i++) S[i * wide + s->w + nt] = g->r[k * s->w + i];
}

/* Rows are whole groups of eight numbers: row -= f * top, from group `first` on. */
enum { GROUP = 8 };
static inline __attribute__((always_inline)) void sweep_reduce(double *restrict row, double f,
                                                               const double *restrict top, size_t first, size_t groups)
{
    for (size_t g = first; g < groups; g++)
        for (size_t j = 0; j < GROUP; j++) row[g * GROUP + j] -= f * top[g * GROUP + j];
}

static inline __attribute__((always_inline)) void exchange(double *restrict a, double *restrict b, size_t first,
                                                           size_t groups)
{
    for (size_t j = first * GROUP; j < groups * GROUP; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* [S | B] -> S^-1 B by elimination with row exchanges; false: singular. `groups` is a constant where this is put in. */
static inline __attribute__((always_inline)) bool eliminate_in(size_t w, size_t groups, double *S)
{
    size_t wide = groups * GROUP;
    for (size_t k = 0; k < w; k++) {
        size_t best = k, first = k / GROUP;
        for (size_t i = k + 1; i < w; i++)
            if (fabs(S[i * wide + k]) > fabs(S[best * wide + k])) best = i;
        double *top = S + k * wide, pivot = S[best * wide + k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
        if (best != k) exchange(top, S + best * wide, first, groups);
        double inverse = 1 / pivot;
        for (size_t i = k + 1; i < w; i++) {
            double *row = S + i * wide, f = row[k] * inverse;
            if (f != 0) {
                sweep_reduce(row, f, top, first, groups);
                row[k] = 0;
            }
        }
    }
    size_t right = w / GROUP;
    for (size_t k = w; k-- > 0;) {
        double *low = S + k * wide, inverse = 1 / low[k];
        for (size_t j = w; j < wide; j++) low[j] *= inverse;
        for (size_t i = 0; i < k; i++) {
            double *row = S + i * wide, f = row[k];
            if (f != 0) sweep_reduce(row, f, low, right, groups);
        }
    }
    return true;
}

CLONED static bool eliminate(size_t w, size_t wide, double *S)
{
    switch (wide / GROUP) {
    case 1: return eliminate_in(w, 1, S);
    case 2: return eliminate_in(w, 2, S);
    case 3: return eliminate_in(w, 3, S);
    case 4: return eliminate_in(w, 4, S);
    default: return eliminate_in(w, wide / GROUP, S);
    }
}

/* E y for columns: rows (x, then P by its entries). */
static void transmit(const struct actio_sweep *s, size_t k, const double *y, size_t columns, size_t stride, double *T)
{
    size_t nx = s->g->pt.nx;
    const double *dP = s->dP + k * s->momenta;
    for (size_t i = 0; i < nx; i++) memcpy(T + i * columns, y + i * stride, columns * sizeof *T);
    memset(T + nx * columns, 0, (s->nt - nx) * columns * sizeof *T);
    for (size_t e = 0; e < s->momenta; e++) {
        double *to = T + (nx + s->p_row[e]) * columns, value = dP[e];
        const double *from = y + s->p_col[e] * stride;
        for (size_t j = 0; j < columns; j++) to[j] += value * from[j];
    }
}

/* C = A B (m x n by n x n), or a number times A. A has rows `stride` apart. */
CLONED static void multiply(size_t m, size_t n, const double *restrict A, size_t stride, const struct coefficient *B,
                            double *restrict C)
{
    for (size_t i = 0; i < m; i++) {
        double *restrict c = C + i * n;
        const double *restrict a = A + i * stride;
        for (size_t j = 0; j < n; j++) c[j] = B->full ? 0 : B->number * a[j];
        for (size_t l = 0; B->full && l < n; l++)
            for (size_t j = 0; j < n; j++) c[j] += a[l] * B->block[l * n + j];
    }
}

/* C -= A B, n x n; A a coefficient, C full. */
CLONED static void subtract(size_t n, const struct coefficient *A, const double *restrict B, double *restrict C)
{
    for (size_t i = 0; i < n && A->full; i++)
        for (size_t l = 0; l < n; l++) {
            double f = A->block[i * n + l];
            for (size_t j = 0; j < n; j++) C[i * n + j] -= f * B[l * n + j];
        }
    for (size_t i = 0; i < n * n && !A->full; i++) C[i] -= A->number * B[i];
}

/* What node k leaves for the rows below it. */
static void pass_on(struct actio_sweep *s, size_t k, size_t last, size_t lowest)
{
    struct actio_grid *g = s->g;
    size_t nt = s->nt;
    for (size_t i = k + 1; i <= lowest; i++) {
        const struct coefficient *A = place(s, i, k);
        double *b = g->r + i * s->w;
        if (!A->full && A->number == 0) continue;
        for (size_t j = k + 1; j <= last; j++) {
            struct coefficient *to = place(s, i, j);
            sweep_fill(s, to);
            subtract(nt, A, s->gain + (j - k - 1) * nt * nt, to->block);
        }
        for (size_t l = 0; l < nt; l++)
            for (size_t m = 0; m < nt && A->full; m++) b[l] -= A->block[l * nt + m] * s->t[m];
        for (size_t l = 0; l < nt && !A->full; l++) b[l] -= A->number * s->t[l];
    }
}

/* The furthest neighbour that row k has. */
static size_t furthest(const struct actio_sweep *s, size_t k)
{
    size_t j = k + s->reach < s->g->points ? k + s->reach : s->g->points - 1;
    while (j > k && !place(s, k, j)->full && place(s, k, j)->number == 0) j--;
    return j;
}

static bool forward(struct actio_sweep *s, size_t k, size_t lane)
{
    struct actio_grid *g = s->g;
    size_t nt = s->nt, w = s->w, last = furthest(s, k);
    double *y = s->y0 + k * w;
    assemble(s, k, lane);
    if (!eliminate(w, s->wide, s->aug)) return false;
    for (size_t i = 0; i < w; i++) y[i] = s->aug[i * s->wide + w + nt];
    transmit(s, k, y, 1, 1, s->t);
    s->far[k] = (unsigned char)(last - k);
    for (size_t j = k + 1; j <= last; j++) {
        double *V = s->V + (k * s->reach + j - k - 1) * w * nt;
        multiply(w, nt, s->aug + w, s->wide, place(s, k, j), V);
        transmit(s, k, V, nt, nt, s->gain + (j - k - 1) * nt * nt);
    }
    pass_on(s, k, last, k + s->reach < g->points ? k + s->reach : g->points - 1);
    return true;
}

CLONED static void take_away(size_t w, size_t nt, const double *restrict V, const double *restrict t,
                             double *restrict y)
{
    for (size_t i = 0; i < w; i++) {
        double sum = 0;
        for (size_t l = 0; l < nt; l++) sum += V[i * nt + l] * t[l];
        y[i] -= sum;
    }
}

static void backward(struct actio_sweep *s)
{
    struct actio_grid *g = s->g;
    size_t nt = s->nt, w = s->w, ring = s->reach + 1;
    for (size_t k = g->points; k-- > 0;) {
        double *y = g->r + k * w;
        memcpy(y, s->y0 + k * w, w * sizeof *y);
        for (size_t j = 1; j <= s->far[k]; j++)
            take_away(w, nt, s->V + (k * s->reach + j - 1) * w * nt, s->ring + (k + j) % ring * nt, y);
        transmit(s, k, y, 1, 1, s->ring + k % ring * nt);
    }
}

int actio_sweep_solve(struct actio_sweep *s)
{
    struct actio_grid *g = s->g;
    for (size_t i = 0; i <= s->reach && i < g->points; i++) start_row(s, i);
    for (size_t first = 0; first < g->points; first += g->pt.lanes) {
        size_t count = actio_grid_load(g, first);
        if (actio_stopped(g->ctx)) return ACTIO_GRID_STOPPED;
        if (g->ctx->progress) g->ctx->progress(g->ctx->progress_user, "action", (double)first, (double)g->points);
        if (actio_points_jets(&g->pt, count)) return ACTIO_GRID_NO_NUMBER;
        for (size_t l = 0; l < count; l++) {
            if (!forward(s, first + l, l)) return ACTIO_GRID_SINGULAR;
            if (first + l + s->reach + 1 < g->points) start_row(s, first + l + s->reach + 1);
        }
    }
    backward(s);
    return ACTIO_GRID_DONE;
}
