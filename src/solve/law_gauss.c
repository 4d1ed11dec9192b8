/* SPDX-License-Identifier: Apache-2.0
 * Gauss's least constraint: of all accelerations that the constraints allow, those nearest to the free ones in the
 * metric of the masses.  [VKS 9]
 *     min (z' - a)' S (z' - a) / 2,  S a = h,  subject to A z' = c,  by S = L L', B = A L'^-1, z' = a + L'^-1 B^+ (c -
 *     A a).
 * Rows may be redundant, and of acceleration level; nothing is eliminated, no multiplier is needed. Where S is positive
 * only along the constraints, s A'A joins it and s A'c joins h: the same minimum, as A z' = c.
 * Rates that need each other make a block; earlier blocks are data for later ones. In a block the rates that no row
 * touches follow their own equations,
 * S is what is left of G for those that rows do touch. Between coordinates G is symmetric and nothing need be left out.
 * With a state in a momentum, or with flows whose matrix is not symmetric, S must be symmetric, or there is nothing to
 * make least. */
#include "solve/law.h"
#include "algebra/components.h"
#include "algebra/dense.h"
#include "algebra/lcp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANK_TOL 1e-9
/* of rows known to be redundant: inside a step they depend on each other only as far as positions fit */
#define REDUNDANT_TOL 1e-6
#define UNEVEN 1e-9 /* of the largest entry of S: more is not rounding */

/* Variables of one block, those that rows touch first; its rows. */
struct block {
    size_t n, touched, rows;
    bool walls;
    uint32_t *at, *row;
};

struct gauss {
    struct block *block;
    size_t blocks;
    uint32_t *index;
    bool *mark;
    double *S, *h, *X, *A, *c, *metric, *walls, *E, *M, *q, *z, *lcp, *B, *copy, *rest, *y, *work;
    int *iwork, *pivot;
};

/* ---- blocks */

static bool has_states_coupled(const struct actio_system *sys)
{
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] != sys->G.col[i] && (sys->G.row[i] >= sys->n || sys->G.col[i] >= sys->n)) return true;
    return false;
}

/* Variables of constraint row k into `list`; how many. */
static size_t row_variables(const struct actio_system *sys, size_t k, uint32_t *list)
{
    size_t count = 0;
    for (size_t i = 0; i < sys->A.count; i++)
        if (sys->A.row[i] == k) list[count++] = sys->A.col[i];
    return count;
}

static size_t number_blocks(const struct actio_motion *m, struct gauss *g, uint32_t *block)
{
    const struct actio_system *sys = m->sys;
    uint32_t *list = g->index;
    size_t N = m->N;
    memset(g->mark, 0, N * N * sizeof *g->mark);
    for (size_t i = 0; i < sys->G.count; i++) g->mark[sys->G.row[i] * N + sys->G.col[i]] = true;
    for (size_t k = 0; k < m->p; k++) actio_components_join(N, g->mark, list, row_variables(sys, k, list));
    for (uint32_t i = 0; i < m->n; i++) list[i] = i;
    if (sys->walls.contacts) actio_components_join(N, g->mark, list, m->n);
    return actio_components(N, g->mark, block);
}

/* Touched by a row, or by a wall: any coordinate may be. */
static void mark_touched(const struct actio_motion *m, bool *touched, bool whole)
{
    for (size_t i = 0; i < m->N; i++) touched[i] = whole || (m->sys->walls.contacts && i < m->n);
    for (size_t i = 0; i < m->sys->A.count; i++) touched[m->sys->A.col[i]] = true;
}

static void fill_block(const struct actio_motion *m, struct block *b, size_t number, const uint32_t *block,
                       const bool *touched)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < m->N; i++) {
            if (block[i] != number || touched[i] != (pass == 0)) continue;
            b->at[b->n++] = i;
            b->touched += pass == 0;
            b->walls |= i < m->n && m->sys->walls.contacts;
        }
}

/* All variables of a row are in one block: the first of them says in which. */
static void fill_rows(const struct actio_motion *m, struct gauss *g, const uint32_t *block)
{
    memset(g->index, 0, (m->N + m->p) * sizeof *g->index);
    for (size_t i = 0; i < m->sys->A.count; i++) {
        uint32_t k = m->sys->A.row[i];
        struct block *b = &g->block[block[m->sys->A.col[i]]];
        if (g->index[k]) continue;
        g->index[k] = 1;
        b->row[b->rows++] = k;
    }
}

/* A row without entries belongs to no block: it restricts nothing. */
static int make_blocks(struct actio_motion *m, struct gauss *g)
{
    size_t N = m->N, p = m->p;
    bool whole = !has_states_coupled(m->sys);
    uint32_t *block = actio_alloc(m->ctx, N + 1, sizeof *block);
    bool *touched = actio_alloc(m->ctx, N + 1, sizeof *touched);
    g->blocks = block && !whole ? number_blocks(m, g, block) : 1;
    g->block = actio_alloc(m->ctx, g->blocks, sizeof *g->block);
    bool ok = block && touched && g->block;
    if (ok) mark_touched(m, touched, whole);
    for (size_t k = 0; ok && k < g->blocks; k++) {
        struct block *b = &g->block[k];
        b->at = actio_alloc(m->ctx, N + p + 1, sizeof *b->at);
        ok = b->at != NULL;
        b->row = b->at + N;
        if (ok) fill_block(m, b, k, block, touched);
    }
    if (ok) fill_rows(m, g, block);
    actio_free(m->ctx, block);
    actio_free(m->ctx, touched);
    return !ok;
}

static int gauss_open(struct actio_motion *m)
{
    size_t N = m->N, p = m->p, big = N > p ? N : p, c = m->sys->walls.contacts;
    struct gauss *g = m->obeys.data = actio_alloc(m->ctx, 1, sizeof *g);
    if (!g) return 1;
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &g->S, N * N },
        { &g->h, N },
        { &g->X, 3 * N * (N + 1) },
        { &g->A, p * N },
        { &g->c, p },
        { &g->metric, N * N },
        { &g->B, p * N },
        { &g->copy, p * N },
        { &g->rest, p },
        { &g->y, N },
        { &g->work, actio_rank_work(big, big) + big },
        { &g->walls, c * N },
        { &g->E, N * N },
        { &g->M, c * c },
        { &g->q, c },
        { &g->z, c },
        { &g->lcp, actio_lcp_work(c) },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    g->iwork = actio_alloc(m->ctx, 2 * (N + p) + c + 1, sizeof(int));
    g->pivot = actio_alloc(m->ctx, N + 1, sizeof(int));
    g->index = actio_alloc(m->ctx, N + p + 1, sizeof *g->index);
    g->mark = actio_alloc(m->ctx, N * N + 1, sizeof *g->mark);
    return !g->iwork || !g->pivot || !g->index || !g->mark || make_blocks(m, g);
}

static void gauss_close(struct actio_motion *m)
{
    struct gauss *g = m->obeys.data;
    if (!g) return;
    for (size_t k = 0; g->block && k < g->blocks; k++) actio_free(m->ctx, g->block[k].at);
    void *all[] = { g->block, g->index, g->mark, g->S, g->h,    g->X,    g->A, g->c,    g->metric, g->walls, g->E, g->M,
                    g->q,     g->z,     g->lcp,  g->B, g->copy, g->rest, g->y, g->work, g->iwork,  g->pivot, g };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
    m->obeys.data = NULL;
}

/* ---- one block: S z' = h for what rows touch */

/* Right side of variable i of the block: known rates go over to it. */
static double given(const struct actio_motion *m, const struct gauss *g, const struct actio_dense_point *at, size_t i)
{
    double sum = at->h[i];
    for (size_t j = 0; j < m->N; j++)
        if (g->index[j] == 0) sum -= at->G[i * m->N + j] * m->here.zdot[j];
    return sum;
}

static void law_gauss_gather(const struct actio_motion *m, struct gauss *g, const struct block *b,
                             const struct actio_dense_point *at)
{
    size_t N = m->N, t = b->touched;
    for (size_t i = 0; i < t; i++) {
        for (size_t j = 0; j < t; j++) g->S[i * t + j] = at->G[b->at[i] * N + b->at[j]];
        g->h[i] = given(m, g, at, b->at[i]);
    }
    for (size_t k = 0; k < b->rows; k++) {
        g->c[k] = at->c[b->row[k]];
        for (size_t j = 0; j < t; j++) g->A[k * t + j] = at->A[b->row[k] * N + b->at[j]];
    }
}

/* What no row touches goes by its own equations:  z'_u = X_h - X_t z'_t,  X = G_uu^-1 (G_ut, h_u);  S = G_tt - G_tu
 * X_t. 0, or 1: they have no solution. */
static int take_out(const struct actio_motion *m, struct gauss *g, const struct block *b,
                    const struct actio_dense_point *at)
{
    size_t N = m->N, t = b->touched, u = b->n - t, width = t + 1;
    double *X = g->X, *own = g->X + N * (N + 1);
    if (u == 0) return 0;
    for (size_t i = 0; i < u; i++) {
        const double *row = at->G + b->at[t + i] * N;
        for (size_t j = 0; j < u; j++) own[i * u + j] = row[b->at[t + j]];
        for (size_t j = 0; j < t; j++) X[i * width + j] = row[b->at[j]];
        X[i * width + t] = given(m, g, at, b->at[t + i]);
    }
    if (actio_lu_factor(u, own, g->pivot)) return 1;
    actio_lu_solve(u, own, g->pivot, X, width, false);
    for (size_t i = 0; i < t && !actio_gives_up(t * u); i++)
        for (size_t k = 0; k < u; k++) {
            double factor = at->G[b->at[i] * N + b->at[t + k]];
            for (size_t j = 0; j < t; j++) g->S[i * t + j] -= factor * X[k * width + j];
            g->h[i] -= factor * X[k * width + t];
        }
    return 0;
}

/* Is S symmetric? The pair that is not, or true. What is rounding is levelled. */
static bool is_even(size_t n, double *S, size_t *row, size_t *col)
{
    double size = 0;
    for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(S[i]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            *row = i;
            *col = j;
            if (fabs(S[i * n + j] - S[j * n + i]) > UNEVEN * size) return false;
            S[i * n + j] = S[j * n + i] = 0.5 * (S[i * n + j] + S[j * n + i]);
        }
    return true;
}

/* x := L^-1 x for each row of `rows` (that is X L'^-1), L in the lower half. */
static void divide_rows(size_t n, const double *L, double *x, size_t rows)
{
    for (size_t r = 0; r < rows && !actio_gives_up(n * n / 2); r++, x += n)
        for (size_t i = 0; i < n; i++) {
            double sum = x[i];
            for (size_t j = 0; j < i; j++) sum -= L[i * n + j] * x[j];
            x[i] = sum / L[i * n + i];
        }
}

/* x := L'^-1 x */
static void divide_upper(size_t n, const double *L, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= L[j * n + i] * x[j];
        x[i] /= L[i * n + i];
    }
}

/* s A'A joins S, and s A'c joins the right side. */
static void weigh_rows(struct gauss *g, const struct block *b, double weight)
{
    size_t n = b->touched;
    for (size_t k = 0; k < b->rows && !actio_gives_up(n * n); k++) {
        const double *row = g->A + k * n;
        double s = weight * g->rest[k] * g->rest[k];
        for (size_t i = 0; i < n; i++) {
            g->h[i] += s * row[i] * g->c[k];
            for (size_t j = 0; j < n; j++) g->S[i * n + j] += s * row[i] * row[j];
        }
    }
}

/* S = L L' in place, by the least of a few weights of the constraints' rows that makes it positive. 0, or 1: there is
 * none. */
static int law_gauss_factor(struct gauss *g, const struct block *b)
{
    static const double weights[] = { 1, 1e2, 1e4 };
    size_t n = b->touched;
    double size = 0, *h = g->y;
    memcpy(g->metric, g->S, n * n * sizeof *g->S);
    memcpy(h, g->h, n * sizeof *h);
    if (actio_cholesky_factor(n, g->S) == 0) return 0;
    for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(g->metric[i]));
    actio_row_scales(b->rows, n, g->A, g->rest);
    for (size_t w = 0; b->rows && w < sizeof weights / sizeof *weights; w++) {
        memcpy(g->S, g->metric, n * n * sizeof *g->S);
        memcpy(g->h, h, n * sizeof *h);
        weigh_rows(g, b, weights[w] * size);
        if (actio_cholesky_factor(n, g->S) == 0) return 0;
    }
    return 1;
}

static double rank_tol(const struct actio_motion *m) { return m->rows.rank < m->p ? REDUNDANT_TOL : RANK_TOL; }

/* Redundant rows count by what they were at their longest: one that vanishes at an instant drops out, and the others
 * hold. */
static void scale_by_longest(const struct actio_motion *m, struct gauss *g, const struct block *b)
{
    size_t n = b->touched;
    for (size_t k = 0; k < b->rows; k++) {
        double square =
            fmax(actio_saddle_longest(m->saddle, b->row[k]), actio_dot(n, g->copy + k * n, g->copy + k * n));
        double scale = square > 0 ? 1 / sqrt(square) : 1;
        g->rest[k] *= scale;
        for (size_t j = 0; j < n; j++) g->copy[k * n + j] *= scale;
    }
}

/* h becomes z'. With B of rank r, B^+ gives the change of least constraint; rows that contradict each other leave a
 * defect. Returns the rank. */
static size_t least_constraint(const struct actio_motion *m, struct gauss *g, const struct block *b)
{
    size_t n = b->touched, p = b->rows;
    double defect = 0;
    actio_cholesky_solve(n, g->S, g->h, 1);
    if (p == 0) return 0;
    for (size_t k = 0; k < p; k++) g->rest[k] = g->c[k] - actio_dot(n, g->A + k * n, g->h);
    memcpy(g->B, g->A, p * n * sizeof *g->B);
    divide_rows(n, g->S, g->B, p);
    memcpy(g->copy, g->B, p * n * sizeof *g->B);
    bool redundant = m->rows.rank < m->p;
    if (redundant) scale_by_longest(m, g, b);
    size_t rank = (redundant ? actio_min_norm_as_is : actio_min_norm)(p, n, g->copy, g->rest, rank_tol(m), g->y,
                                                                      &defect, g->work, g->iwork);
    divide_upper(n, g->S, g->y);
    for (size_t i = 0; i < n; i++) g->h[i] += g->y[i];
    return rank;
}

/* ---- walls */

/* Rows of the walls in the same measure, without what the constraints' rows hold already; and by how much each would be
 * broken: q. */
static size_t take_walls(struct actio_motion *m, struct gauss *g, const struct block *b, const double *x,
                         const unsigned char *held)
{
    size_t n = b->touched, count = 0, rank = 0;
    if (b->rows) {
        memcpy(g->copy, g->B, b->rows * n * sizeof *g->B);
        rank = actio_row_bases(b->rows, n, g->copy, rank_tol(m), g->E, g->work, g->iwork);
    }
    for (size_t i = 0; i < m->sys->walls.contacts; i++, x += m->n + ACTIO_GAP_HEAD) {
        double *row = g->walls + count * n;
        if (!held[i]) continue;
        for (size_t j = 0; j < n; j++) row[j] = b->at[j] < m->n ? x[ACTIO_GAP_HEAD + b->at[j]] : 0;
        g->q[count++] = actio_dot(n, row, g->h) + x[ACTIO_GAP_BIAS];
        divide_rows(n, g->S, row, 1);
        for (size_t k = 0; k < rank; k++) {
            double part = actio_dot(n, g->E + k * n, row);
            for (size_t j = 0; j < n; j++) row[j] -= part * g->E[k * n + j];
        }
    }
    return count;
}

/* Of all accelerations that constraints and walls allow the nearest ones: what walls add is a sum of their rows with
 * weights z >= 0, and a wall that pushes (z > 0) is not left (w = 0). */
static int push_off(struct actio_motion *m, struct gauss *g, const struct block *b, double t, const double *y,
                    const unsigned char *held)
{
    size_t n = b->touched;
    size_t count = take_walls(m, g, b, actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y), held);
    for (size_t i = 0; i < count && !actio_gives_up(count * n); i++)
        for (size_t j = 0; j < count; j++) g->M[i * count + j] = actio_dot(n, g->walls + i * n, g->walls + j * n);
    if (actio_lcp(count, g->M, g->q, g->z, g->lcp, g->iwork)) return ACTIO_FLOW_SINGULAR;
    memset(g->y, 0, n * sizeof *g->y);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n; j++) g->y[j] += g->z[i] * g->walls[i * n + j];
    divide_upper(n, g->S, g->y);
    for (size_t i = 0; i < n; i++) g->h[i] += g->y[i];
    return ACTIO_FLOW_OK;
}

/* ---- all blocks */

/* z' of the touched ones from h, of the others from what was taken out. */
static void put_back(struct actio_motion *m, const struct gauss *g, const struct block *b)
{
    size_t t = b->touched, width = t + 1;
    for (size_t i = 0; i < t; i++) m->here.zdot[b->at[i]] = g->h[i];
    for (size_t i = 0; i < b->n - t; i++) {
        const double *row = g->X + i * width;
        m->here.zdot[b->at[t + i]] = row[t] - actio_dot(t, row, g->h);
    }
}

static int form_block(struct actio_motion *m, struct gauss *g, const struct block *b,
                      const struct actio_dense_point *at)
{
    law_gauss_gather(m, g, b, at);
    return take_out(m, g, b, at);
}

/* index: 0 for rates that are known already. */
static void begin_blocks(const struct actio_motion *m, struct gauss *g)
{
    for (size_t i = 0; i < m->N; i++) g->index[i] = 1;
}

static void end_block(struct gauss *g, const struct block *b)
{
    for (size_t i = 0; i < b->n; i++) g->index[b->at[i]] = 0;
}

/* z' into m->zdot; held: walls that are touched, or NULL. */
static int law_gauss_accelerations(struct actio_motion *m, double t, const double *y, const unsigned char *held)
{
    struct gauss *g = m->obeys.data;
    struct actio_dense_point at;
    size_t rank = 0, row, col;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    begin_blocks(m, g);
    for (size_t k = 0; k < g->blocks; k++) {
        const struct block *b = &g->block[k];
        if (form_block(m, g, b, &at)) return ACTIO_FLOW_SINGULAR;
        if (b->touched) {
            /* the constraint has no least value */
            if (!is_even(b->touched, g->S, &row, &col) || law_gauss_factor(g, b)) return ACTIO_FLOW_SINGULAR;
            rank += least_constraint(m, g, b);
            int status = held && b->walls ? push_off(m, g, b, t, y, held) : ACTIO_FLOW_OK;
            if (status) return status;
        }
        put_back(m, g, b);
        end_block(g, b);
    }
    return rank < m->rows.rank ? ACTIO_FLOW_SINGULAR : ACTIO_FLOW_OK;
}

static int gauss_one_sided(struct actio_motion *m, double t, const double *y, const unsigned char *held)
{
    return law_gauss_accelerations(m, t, y, held);
}

static size_t gauss_size(const struct actio_motion *m) { return m->ny; }

static int gauss_rates(struct actio_motion *m, double t, const double *y, double *dy)
{
    int status = law_gauss_accelerations(m, t, y, NULL);
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, m->here.zdot, m->N * sizeof *dy);
    return status;
}

/* The reaction is G z' - h; the multipliers of least norm that make it up, A' lambda = reaction, come with it. */
static int gauss_solve(struct actio_motion *m, double t, const double *y)
{
    int status = law_gauss_accelerations(m, t, y, NULL);
    return status ? status : actio_motion_react(m, t, y);
}

/* ---- does it apply? */

/* The first pair of variables, at this state, whose part of the metric is not symmetric: named in m->objection. */
static bool uneven_at(struct actio_motion *m, double t, const double *y)
{
    struct gauss *g = m->obeys.data;
    struct actio_dense_point at;
    size_t row, col;
    if (actio_motion_matrices(m, t, y, &at)) return false;
    begin_blocks(m, g);
    memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
    for (size_t k = 0; k < g->blocks; k++) {
        const struct block *b = &g->block[k];
        if (form_block(m, g, b, &at)) return false;
        if (!is_even(b->touched, g->S, &row, &col)) {
            snprintf(
                m->obeys.objection, sizeof m->obeys.objection,
                "its rows contain '%s' and '%s', whose mass matrix is not symmetric: no function to minimise exists",
                m->sys->variable[b->at[col]], m->sys->variable[b->at[row]]);
            return true;
        }
        end_block(g, b);
    }
    return false;
}

/* At the start, and nearby, where entries that vanish there do not. */
static const char *unevenness(struct actio_motion *m, double t, const double *y)
{
    enum { PLACES = 3 };
    double *near = actio_alloc(m->ctx, m->ny + 1, sizeof *near);
    bool uneven = false, ok = near && actio_motion_make_dense(m) == 0 && gauss_open(m) == 0;
    for (int place = 0; ok && !uneven && place < PLACES; place++) {
        for (size_t i = 0; i < m->ny; i++)
            near[i] = y[i] + place * 0.01 * (1 + fabs(y[i])) * sin(1.0 + 2.7 * (double)i + place);
        uneven = uneven_at(m, t + place * 0.013 * m->span, near);
    }
    gauss_close(m);
    actio_free(m->ctx, near);
    return uneven ? m->obeys.objection : NULL;
}

static const char *gauss_objection(struct actio_motion *m, double t, const double *y)
{
    if (m->sys->field.slaves) return "a second derivative extends beyond an end of a line, where values have no mass";
    const char *why = actio_law_is_small(m, t, y);
    return why || !has_states_coupled(m->sys) ? why : unevenness(m, t, y);
}

const struct actio_law actio_law_gauss = {
    .name = "gauss",
    .objection = gauss_objection,
    .open = gauss_open,
    .close = gauss_close,
    .size = gauss_size,
    .rates = gauss_rates,
    .solve = gauss_solve,
    .one_sided = gauss_one_sided,
    .any_rank = true,
};
