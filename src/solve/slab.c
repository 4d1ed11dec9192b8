/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/slab.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 16, LARGE = 240 }; /* LARGE: unknowns from which sparse elimination pays */
#define STALLS 1e-9 /* a step of Newton's that is this short, and yet no shorter than the last one, is rounding */

void actio_slab_close(struct actio_slab *s)
{
    if (!s->ctx) return;
    actio_points_close(&s->pt);
    actio_linear_close(&s->linear);
    void *part[] = { s->block, s->pivot, s->place, s->coupled, s->pattern, s->values };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) actio_free(s->ctx, part[i]);
    *s = (struct actio_slab){ 0 };
}

/* Which entries of (own equations, unknowns) there are, and whether they couple nodes: what goes through x, or comes
 * from a force. */
static void mark_entries(struct actio_slab *s)
{
    const struct actio_points *pt = &s->pt;
    const struct actio_places *at = &pt->sys->jets.points;
    for (size_t i = 0; i < at->count; i++) {
        bool own = at->row[i] < pt->n || at->row[i] >= 2 * pt->n, through = at->col[i] < pt->nx;
        size_t row = at->row[i] < pt->n ? at->row[i] : at->row[i] - pt->n,
               col = through ? at->col[i] : at->col[i] - pt->nx;
        if (at->row[i] >= pt->n + pt->nz) continue;
        s->place[row * pt->nz + col] = 1;
        s->coupled[row * pt->nz + col] |= through || !own;
    }
}

/* Large, and with few entries? */
static bool pays(struct actio_slab *s)
{
    size_t nz = s->pt.nz, nodes = s->e->nodes;
    if (s->size <= LARGE) return false;
    s->place = actio_alloc(s->ctx, nz * nz + 1, sizeof *s->place);
    s->coupled = actio_alloc(s->ctx, nz * nz + 1, sizeof *s->coupled);
    if (!s->place || !s->coupled) return false;
    mark_entries(s);
    for (size_t b = 0; b < nz * nz; b++) s->entries += s->place[b] ? nodes * (s->coupled[b] ? nodes : 1) : 0;
    return s->entries < s->size / 8 * s->size;
}

static bool open_sparse(struct actio_slab *s)
{
    size_t nz = s->pt.nz, nodes = s->e->nodes, count = 0, all = s->entries;
    s->pattern = actio_alloc(s->ctx, 2 * all + 1, sizeof *s->pattern);
    s->values = actio_alloc(s->ctx, all + 1, sizeof *s->values);
    if (!s->pattern || !s->values || all > UINT32_MAX / 2) return false;
    for (size_t b = 0; b < nz * nz; b++) {
        if (!s->place[b]) continue;
        s->place[b] = (uint32_t)count + 1;
        for (size_t k = 0; k < nodes; k++)
            for (size_t j = 0; j < nodes; j++)
                if (s->coupled[b] || j == k) {
                    s->pattern[count] = (uint32_t)(k * nz + b / nz);
                    s->pattern[all + count++] = (uint32_t)(j * nz + b % nz);
                }
    }
    struct actio_pattern pattern = { .rows = s->size, .count = all, .i = s->pattern, .j = s->pattern + all };
    return actio_linear_open(&s->linear, s->ctx, &pattern) == 0;
}

int actio_slab_open(struct actio_slab *s, struct actio_context *ctx, struct actio_system *sys,
                    const struct actio_element *e, struct actio_shared shared)
{
    *s = (struct actio_slab){ .ctx = ctx, .e = e };
    if (actio_points_open(&s->pt, ctx, sys, e->nodes, shared)) return 1;
    size_t n = s->pt.n, nx = s->pt.nx, size = s->size = e->nodes * s->pt.nz, all = 1;
    double **part[] = { &s->x0, &s->v0, &s->P0, &s->lost, &s->dx, &s->r, &s->last, &s->weight, &s->M };
    s->sparse = pays(s);
    const size_t length[] = { nx, n, n, nx + n, nx * e->nodes, size, size, e->nodes, s->sparse ? 0 : size * size };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    s->block = actio_alloc(ctx, all, sizeof *s->block);
    s->pivot = actio_alloc(ctx, size + 1, sizeof *s->pivot);
    if (!s->block || !s->pivot || (s->sparse && !open_sparse(s))) {
        if (ctx->findings)
            actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                         ACTIO_ARGS(ACTIO_TEXT("a slab of the action"), ACTIO_COUNT(ctx->bytes_limit)));
        actio_slab_close(s);
        return 1;
    }
    double *next = s->block;
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    return 0;
}

int actio_slab_data(struct actio_slab *s, double t, const double *x, const double *v)
{
    struct actio_points *pt = &s->pt;
    memset(pt->z, 0, pt->nz * pt->lanes * sizeof *pt->z);
    for (size_t i = 0; i < pt->nx; i++) pt->x[i * pt->lanes] = x[i];
    for (size_t i = 0; i < pt->n; i++) pt->z[i * pt->lanes] = v[i];
    pt->t[0] = s->t = t;
    int bad = actio_points_values(pt, 1);
    memcpy(s->x0, x, pt->nx * sizeof *x);
    memcpy(s->v0, v, pt->n * sizeof *v);
    for (size_t i = 0; i < pt->n; i++) s->P0[i] = pt->P[i * pt->lanes];
    memset(s->lost, 0, (pt->nx + pt->n) * sizeof *s->lost);
    s->have_last = false;
    return bad;
}

void actio_slab_guess(struct actio_slab *s, double h)
{
    struct actio_points *pt = &s->pt;
    size_t lanes = pt->lanes;
    double jump;
    /* extrapolation from equally spaced nodes is unreliable */
    bool far = !s->have_last || s->e->order || fabs(h) > 2.5 * fabs(s->last_h);
    for (size_t k = 0; k < lanes; k++) {
        if (!far) actio_element_weigh(s->e, 1 + s->e->c[k] * h / s->last_h, s->weight, &jump);
        for (size_t i = 0; i < pt->nz; i++) {
            double sum = 0;
            for (size_t j = 0; !far && j < lanes; j++) sum += s->weight[j] * s->last[i * lanes + j];
            if (far) sum = i < pt->n ? s->v0[i] : s->have_last ? s->last[i * lanes + lanes - 1] : 0;
            pt->z[i * lanes + k] = sum;
        }
    }
}

/* Sum over nodes of A's row k with one component's values. */
static inline double slab_along(const struct actio_slab *s, size_t k, const double *lane)
{
    const double *row = s->e->A + k * s->e->nodes;
    double sum = 0;
    for (size_t j = 0; j < s->e->nodes; j++) sum += row[j] * lane[j];
    return sum;
}

/* q = q0 + hA u, s = s0 + hA w  [SKG R1] */
void actio_slab_move(struct actio_slab *s, double h)
{
    struct actio_points *pt = &s->pt;
    s->h = h;
    for (size_t i = 0; i < pt->nx; i++)
        for (size_t k = 0; k < pt->lanes; k++) {
            double *dx = s->dx + i * pt->lanes + k;
            *dx = h * slab_along(s, k, pt->z + i * pt->lanes);
            pt->x[i * pt->lanes + k] = s->x0[i] + (*dx + s->lost[i]);
        }
}

/* P - P0 - hA F, and what each node has to satisfy by itself  [SKG R2, R3] */
static int residuals(struct actio_slab *s)
{
    struct actio_points *pt = &s->pt;
    size_t lanes = pt->lanes, n = pt->n, nz = pt->nz;
    if (actio_points_values(pt, lanes)) return 1;
    for (size_t k = 0; k < lanes; k++) {
        double *r = s->r + k * nz;
        for (size_t i = 0; i < n; i++)
            r[i] =
                (pt->P[i * lanes + k] - s->P0[i]) - (s->h * slab_along(s, k, pt->F + i * lanes) + s->lost[pt->nx + i]);
        for (size_t i = n; i < nz; i++) r[i] = pt->R[(i - n) * lanes + k];
    }
    return 0;
}

/* Where the entries of an equation of node k by one unknown of all nodes lie: node j's at j times the step. Without
 * coupling only that of k itself is there. */
static inline double *row_of(struct actio_slab *s, size_t k, size_t row, size_t col, size_t *step)
{
    size_t nz = s->pt.nz, nodes = s->e->nodes, b = row * nz + col;
    if (!s->sparse) {
        *step = nz;
        return s->M + (k * nz + row) * s->size + col;
    }
    *step = 1;
    return s->coupled[b] ? s->values + s->place[b] - 1 + k * nodes : (*step = 0, s->values + s->place[b] - 1 + k);
}

/* d/dz of a node's own quantity: by z, and through x. */
static void place_own(struct actio_slab *s, size_t row, size_t col, const double *value)
{
    size_t nodes = s->e->nodes, nx = s->pt.nx, step;
    const double *A = s->e->A;
    for (size_t k = 0; k < nodes; k++) {
        double *to = row_of(s, k, row, col >= nx ? col - nx : col, &step);
        if (col >= nx) to[k * step] += value[k];
        else
            for (size_t j = 0; j < nodes; j++) to[j * step] += s->h * A[k * nodes + j] * value[k];
    }
}

/* The same of a force, which enters all nodes: -hA F. */
static void place_force(struct actio_slab *s, size_t row, size_t col, const double *value)
{
    size_t nodes = s->e->nodes, nx = s->pt.nx, step;
    const double *A = s->e->A;
    for (size_t k = 0; k < nodes; k++) {
        double *to = row_of(s, k, row, col >= nx ? col - nx : col, &step);
        for (size_t l = 0; l < nodes; l++) {
            double f = -s->h * A[k * nodes + l] * value[l];
            if (col >= nx) to[l * step] += f;
            else
                for (size_t j = 0; j < nodes; j++) to[j * step] += s->h * f * A[l * nodes + j];
        }
    }
}

int actio_slab_factor(struct actio_slab *s)
{
    struct actio_points *pt = &s->pt;
    const struct actio_places *at = &pt->sys->jets.points;
    if (actio_points_jets(pt, pt->lanes)) return ACTIO_SLAB_NO_NUMBER;
    memset(s->sparse ? s->values : s->M, 0, (s->sparse ? s->entries : s->size * s->size) * sizeof *s->M);
    for (size_t i = 0; i < at->count; i++) {
        const double *value = pt->jet + i * pt->lanes;
        size_t row = at->row[i], col = at->col[i];
        if ((i & 1023) == 1023 && actio_abandon()) return ACTIO_SLAB_SINGULAR;
        if (row < pt->n) place_own(s, row, col, value);
        else if (row < 2 * pt->n) place_force(s, row - pt->n, col, value);
        else if (row < pt->n + pt->nz) place_own(s, row - pt->n, col, value);
    }
    s->factored++;
    int bad = s->sparse ? s->linear.type->factor(s->linear.h, s->values) : actio_lu_factor(s->size, s->M, s->pivot);
    return bad ? ACTIO_SLAB_SINGULAR : ACTIO_SLAB_DONE;
}

void actio_slab_apply(struct actio_slab *s, double *b, bool transposed)
{
    if (s->sparse) s->linear.type->solve(s->linear.h, b, 1, transposed);
    else actio_lu_solve(s->size, s->M, s->pivot, b, 1, transposed);
}

/* z -= step; the largest of the rates' steps beside the size of the rates. A state moves by h times its rate: rounding
 * of momenta over h, which multipliers pass on to rates, does not count. */
static double slab_advance(struct actio_slab *s)
{
    struct actio_points *pt = &s->pt;
    double worst = 0;
    for (size_t i = 0; i < pt->nz; i++) {
        double *z = pt->z + i * pt->lanes, step = 0, size = 1, counts = i < pt->n ? 1 : fmin(1, fabs(s->h));
        for (size_t k = 0; k < pt->lanes; k++) {
            double d = s->r[k * pt->nz + i];
            z[k] -= d;
            if (!(fabs(d) <= step)) step = fabs(d);
            size = fmax(size, fabs(z[k]));
        }
        if (i < pt->nx && !(counts * step / size <= worst)) worst = counts * step / size;
        if (!isfinite(step)) return NAN;
    }
    return worst;
}

/* Rates that keep positions on holonomic constraints are no better known than the rounding of positions over h. */
static double rounding_of_rates(const struct actio_slab *s)
{
    const struct actio_points *pt = &s->pt;
    double largest = 0;
    for (size_t i = 0; i < pt->n && pt->h; i++) largest = fmax(largest, fabs(s->x0[i]));
    return 1e-11 + 100 * DBL_EPSILON * largest / fabs(s->h);
}

/* Is a step of Newton's so short that nothing is left to gain? rate: beside the step before; fresh: with factors of the
 * point it started from. */
static bool settles(const struct actio_slab *s, double step, double rate, double tol, bool fresh)
{
    if (step <= 1e-15 || (rate < 0.5 && step * rate <= tol)) return true;
    if (!(rate > 0.2)) return false;
    double rounding = rounding_of_rates(s);
    return step <= (fresh ? fmax(STALLS, rounding) : rounding);
}

/* The factors are kept while they serve: a chord's steps shrink by a constant factor, and cost little. */
int actio_slab_solve(struct actio_slab *s, double h, double tol)
{
    struct actio_points *pt = &s->pt;
    double before = INFINITY;
    bool have = false;
    s->factored = 0;
    for (size_t k = 0; k < pt->lanes; k++) pt->t[k] = s->t + s->e->c[k] * h;
    for (s->iterations = 0; s->iterations < MOST_ITERATIONS; s->iterations++) {
        actio_slab_move(s, h);
        if (residuals(s)) return ACTIO_SLAB_NO_NUMBER;
        bool fresh = !have;
        int bad = fresh ? actio_slab_factor(s) : ACTIO_SLAB_DONE;
        if (bad) return bad;
        actio_slab_apply(s, s->r, false);
        double step = slab_advance(s), rate = s->iterations ? step / before : 1;
        if (!isfinite(step)) return ACTIO_SLAB_DIVERGED;
        if (settles(s, step, rate, tol, fresh)) {
            actio_slab_move(s, h);
            return actio_points_values(pt, pt->lanes) ? ACTIO_SLAB_NO_NUMBER : ACTIO_SLAB_DONE;
        }
        if (fresh && rate > 2 && s->iterations > 2) return ACTIO_SLAB_DIVERGED;
        have = s->iterations ? rate < 0.05 : step < 1e-3;
        before = step;
    }
    return ACTIO_SLAB_DIVERGED;
}

/* to += step; what rounding takes is carried along. */
static void carry(double *to, double *lost, double step)
{
    double with = step + *lost, sum = *to + with;
    *lost = with - (sum - *to);
    *to = sum;
}

void actio_slab_pass(struct actio_slab *s, double t)
{
    struct actio_points *pt = &s->pt;
    size_t lanes = pt->lanes, last = lanes - 1;
    memcpy(s->last, pt->z, pt->nz * lanes * sizeof *s->last);
    s->last_h = s->h;
    s->have_last = true;
    for (size_t i = 0; i < pt->nx; i++) carry(&s->x0[i], &s->lost[i], s->dx[i * lanes + last]);
    for (size_t i = 0; i < pt->n; i++) {
        carry(&s->P0[i], &s->lost[pt->nx + i], s->h * slab_along(s, last, pt->F + i * lanes));
        s->v0[i] = pt->v[i * lanes + last];
    }
    s->t = t;
}
