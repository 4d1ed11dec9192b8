/* SPDX-License-Identifier: Apache-2.0
 * One slab of the dual action as a function of its unknowns: from dual to primal at every point, value and gradient.
 * [AS 21, DUAL 1.3] */
#include "solve/dual.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_MAPS = 40 };

/* ---- opening */

static struct actio_binding binding(const struct actio_dual_slab *s, struct actio_shared shared)
{
    struct actio_binding b;
    ptrdiff_t lanes = (ptrdiff_t)s->lanes;
    size_t n = s->sys->n, N = n + s->sys->m, nx = s->nx;
    memset(&b, 0, sizeof b);
    const double *y = s->lane.U + nx * s->lanes, *others = y + N * s->lanes; /* z', then multipliers or the slack */
    const struct {
        int space;
        const double *base;
    } varying[] = {
        { ACTIO_SPACE_T, s->lane.time },
        { ACTIO_SPACE_Q, s->lane.U },
        { ACTIO_SPACE_V, s->lane.U + n * s->lanes },
        { ACTIO_SPACE_STATE, s->lane.U + 2 * n * s->lanes },
        { ACTIO_SPACE_ACC, y },
        { ACTIO_SPACE_SDOT, y + n * s->lanes },
        { ACTIO_SPACE_LAMBDA, others },
        { ACTIO_SPACE_SLACK, others },
        { ACTIO_SPACE_BASE, s->lane.base },
        { ACTIO_SPACE_DUAL, s->lane.D },
        { ACTIO_SPACE_DUALDOT, s->lane.rate },
        { ACTIO_SPACE_DMU, s->lane.mu },
    };
    for (size_t i = 0; i < sizeof varying / sizeof *varying; i++) {
        b.space[varying[i].space].base = varying[i].base;
        b.space[varying[i].space].index_step = lanes;
        b.space[varying[i].space].lane_step = 1;
    }
    const struct {
        int space;
        const double *base;
    } common[] = { { ACTIO_SPACE_PARAM, shared.param },
                   { ACTIO_SPACE_MODE, shared.mode },
                   { ACTIO_SPACE_HIDDEN, shared.hidden } };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        b.space[common[i].space].base = common[i].base;
        b.space[common[i].space].index_step = 1;
    }
    return b;
}

static size_t all_unknowns(const struct actio_dual_slab *s, size_t elements)
{
    return (elements * s->e->k + 1) * s->nx + elements * s->e->k * s->ng;
}
size_t actio_dual_unknowns(const struct actio_dual_slab *s) { return all_unknowns(s, s->elements); }

/* One block; arrays in the order in which they are listed, and the kernel's outputs side by side. */
static bool dual_slab_take_memory(struct actio_dual_slab *s)
{
    const struct actio_first_order *fo = s->fo;
    size_t w = s->lanes, nx = s->nx, nu = s->nu, ng = s->ng, z = all_unknowns(s, s->most), ends = (s->most + 1) * nx,
           k = s->e->k, all = 0;
    size_t lane = nu * (nu + 2 * nx + ng) + (2 * nx + ng) * (2 * nx + ng) + 3 * nu * nu + 4 * nu + 8,
           dofs = s->most * k + 1;
    const struct {
        double **p;
        size_t n;
    } want[] = {
        { &s->lane.time, w },
        { &s->lane.U, nu * w },
        { &s->lane.base, fo->base * w },
        { &s->lane.D, nx * w },
        { &s->lane.rate, nx * w },
        { &s->lane.mu, ng * w },
        { &s->point.L, w },
        { &s->point.f, nx * w },
        { &s->point.g, ng * w },
        { &s->point.slope, nu * w },
        { &s->point.fU, fo->f_U.count * w },
        { &s->point.gU, fo->g_U.count * w },
        { &s->point.M, fo->M.count * w },
        { &s->point.C, fo->C.count * w },
        { &s->x0, nx },
        { &s->end, ends },
        { &s->x, ends },
        { &s->last, nx },
        { &s->found.sizes, nx },
        { &s->newton.z, z },
        { &s->newton.G, z },
        { &s->newton.step, z },
        { &s->newton.trial, z },
        { &s->newton.kept, nu * w },
        { &s->condensed.local, s->most * s->nl * s->nl },
        { &s->condensed.right, s->most * s->nl },
        { &s->condensed.diagonal, (s->most + 1) * nx * nx },
        { &s->condensed.beside, s->most * nx * nx },
        { &s->condensed.small, lane },
        { &s->condensed.band, dofs * (k + 1 + nx) },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        if (want[i].n > SIZE_MAX / 64 - all) return false;
        all += want[i].n;
    }
    double *next = s->block = actio_alloc(s->ctx, all + 1, sizeof *s->block);
    for (size_t i = 0; next && i < sizeof want / sizeof *want; next += want[i++].n) *want[i].p = next;
    return next != NULL;
}

int actio_dual_slab_open(struct actio_dual_slab *s, struct actio_context *ctx, struct actio_system *sys,
                         const struct actio_dual_element *e, size_t most, struct actio_shared shared)
{
    *s = (struct actio_dual_slab){ .ctx = ctx, .sys = sys, .e = e, .most = most, .lanes = most * e->points };
    if (actio_system_need(sys, ACTIO_Q_DUAL_POINT)) return 1;
    s->fo = sys->first_order;
    s->nx = s->fo->x;
    s->nu = s->fo->u;
    s->ng = s->fo->g;
    s->ni = (e->k - 1) * s->nx + e->k * s->ng;
    s->nl = s->ni + 2 * s->nx;
    if (dual_slab_take_memory(s)) {
        struct actio_binding at = binding(s, shared);
        if (actio_node_open(&s->point.kernel, ctx, sys->kernel[ACTIO_Q_DUAL_POINT], &at, s->lanes, s->point.L) == 0)
            return 0;
    }
    if (ctx->findings)
        actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the dual action"), ACTIO_COUNT(ctx->bytes_limit)));
    actio_dual_slab_close(s);
    return 1;
}

void actio_dual_slab_close(struct actio_dual_slab *s)
{
    if (!s->ctx) return;
    actio_node_close(&s->point.kernel, s->ctx);
    actio_free(s->ctx, s->block);
    *s = (struct actio_dual_slab){ 0 };
}

void actio_dual_slab_place(struct actio_dual_slab *s, double t, double h, size_t elements)
{
    s->t = t;
    s->h = h;
    s->elements = elements;
    for (size_t e = 0; e < elements; e++)
        for (size_t q = 0; q < s->e->points; q++)
            s->lane.time[e * s->e->points + q] = t + h * ((double)e + s->e->at[q]);
}

/* ---- from dual to primal */

/* D, D' and m at the points. */
static void lay(struct actio_dual_slab *s, const double *z)
{
    size_t k = s->e->k, nx = s->nx, ng = s->ng, w = s->lanes;
    const double *coefficient = z + (s->elements * k + 1) * nx;
    for (size_t e = 0, l = 0; e < s->elements; e++)
        for (size_t q = 0; q < s->e->points; q++, l++) {
            const double *N = s->e->N + q * (k + 1), *dN = s->e->dN + q * (k + 1), *P = s->e->P + q * k,
                         *D = z + e * k * nx, *m = coefficient + e * k * ng;
            for (size_t i = 0; i < nx; i++) {
                double value = 0, rate = 0;
                for (size_t j = 0; j <= k; j++) {
                    value += N[j] * D[j * nx + i];
                    rate += dN[j] * D[j * nx + i];
                }
                s->lane.D[i * w + l] = value;
                s->lane.rate[i * w + l] = rate / s->h;
            }
            for (size_t i = 0; i < ng; i++) {
                double value = 0;
                for (size_t j = 0; j < k; j++) value += P[j] * m[j * ng + i];
                s->lane.mu[i * w + l] = value;
            }
        }
}

/* A symmetric matrix of a lane from its entries, lower half. */
static void dual_slab_spread(const struct actio_places *at, const double *value, size_t lanes, size_t l, size_t n,
                             double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < at->count; i++) a[at->row[i] * n + at->col[i]] = value[i * lanes + l];
}

/* Newton's step of U in one lane; its size beside that of U, or -1: M is not positive there. */
static double map_lane(struct actio_dual_slab *s, size_t l, bool move)
{
    size_t nu = s->nu, w = s->lanes;
    double *M = s->condensed.small, *b = M + nu * nu, largest = 0;
    dual_slab_spread(&s->fo->M, s->point.M, w, l, nu, M);
    if (actio_cholesky_factor(nu, M)) return -1;
    for (size_t i = 0; i < nu; i++) b[i] = s->point.slope[i * w + l];
    actio_cholesky_solve(nu, M, b, 1);
    for (size_t i = 0; i < nu; i++) {
        double *U = &s->lane.U[i * w + l];
        largest = fmax(largest, fabs(b[i]) / (1 + fabs(*U)));
        if (move) *U -= b[i];
    }
    return largest;
}

static bool is_above(struct actio_dual_slab *s, size_t l)
{
    const struct actio_places *C = &s->fo->C;
    size_t nu = s->nu;
    double *M = s->condensed.small;
    if (s->newton.floor == 0) return true;
    dual_slab_spread(&s->fo->M, s->point.M, s->lanes, l, nu, M);
    for (size_t i = 0; i < C->count; i++)
        M[C->row[i] * nu + C->col[i]] -= s->newton.floor * s->point.C[i * s->lanes + l];
    return actio_cholesky_factor(nu, M) == 0;
}

/* dL/dU = 0 at every point. Where L is quadratic one step is the map itself. */
static int map(struct actio_dual_slab *s)
{
    size_t count = s->elements * s->e->points;
    bool final = false;
    for (int it = 0; it < MOST_MAPS; it++) {
        double largest = 0;
        s->newton.maps++;
        if (actio_node_evaluate(&s->point.kernel, count)) return ACTIO_DUAL_NO_NUMBER;
        for (size_t l = 0; l < count; l++) {
            double moved = map_lane(s, l, !final);
            if (moved < 0 || (final && !is_above(s, l))) return ACTIO_DUAL_NOT_POSITIVE;
            largest = fmax(largest, moved);
        }
        if (final) return ACTIO_DUAL_DONE;
        if (!(largest < 1e8)) return ACTIO_DUAL_NO_MAP;
        final = s->fo->quadratic || largest < 1e-9;
    }
    return ACTIO_DUAL_NO_MAP;
}

/* ---- value and gradient */

/* S = -D(0).x0 + int L */
static double value_of(const struct actio_dual_slab *s, const double *z)
{
    double sum = 0;
    for (size_t e = 0, l = 0; e < s->elements; e++)
        for (size_t q = 0; q < s->e->points; q++, l++) sum += s->e->weight[q] * s->point.L[l];
    return s->h * sum - actio_dot(s->nx, z, s->x0);
}

/* Of one element: of D by nodes from `G` on, int -N'.(x - start) - N.f; of m. x is counted from the base at the
 * element's start. */
static void gradient_in(struct actio_dual_slab *s, size_t e, double *GD, double *Gm)
{
    size_t k = s->e->k, nx = s->nx, ng = s->ng, w = s->lanes;
    const double *from = s->end + e * nx;
    memset(GD, 0, (k + 1) * nx * sizeof *GD);
    if (ng) memset(Gm, 0, k * ng * sizeof *Gm);
    for (size_t q = 0, l = e * s->e->points; q < s->e->points; q++, l++) {
        double weight = s->e->weight[q];
        for (size_t i = 0; i < nx; i++) {
            double x = weight * (s->lane.U[i * w + l] - from[i]), f = weight * s->h * s->point.f[i * w + l];
            for (size_t j = 0; j <= k; j++)
                GD[j * nx + i] -= s->e->dN[q * (k + 1) + j] * x + s->e->N[q * (k + 1) + j] * f;
        }
        for (size_t i = 0; i < ng; i++)
            for (size_t j = 0; j < k; j++) Gm[j * ng + i] += weight * s->h * s->e->P[q * k + j] * s->point.g[i * w + l];
    }
}

/* The gradient, and with it the nodal reactions x: the end of an element from what lies before it.  [DUAL 1.2] */
static void gradient_of(struct actio_dual_slab *s)
{
    size_t k = s->e->k, nx = s->nx, ng = s->ng, N = s->elements;
    double *m = s->newton.G + (N * k + 1) * nx, *here = s->condensed.small;
    for (size_t i = 0; i < nx; i++) {
        s->newton.G[i] = s->end[i] - s->x0[i];
        s->x[i] = s->x0[i];
    }
    s->found.residual = 0;
    for (size_t i = 0; i < nx; i++) s->found.sizes[i] = fabs(s->x0[i]);
    for (size_t e = 0; e < N; e++) {
        double *G = s->newton.G + e * k * nx, *start = s->end + e * nx, *next = start + nx, *x = s->x + (e + 1) * nx;
        gradient_in(s, e, here, m + e * k * ng);
        for (size_t i = 0; i < nx; i++) {
            G[i] += here[i];
            for (size_t j = 1; j < k; j++) G[j * nx + i] = here[j * nx + i];
            double beyond = (start[i] - next[i]) - here[k * nx + i]; /* end of this element, counted from its base */
            x[i] = next[i] + beyond;
            G[k * nx + i] = -beyond;
            s->found.sizes[i] = fmax(s->found.sizes[i], fabs(x[i]));
        }
    }
    s->found.size = s->found.relative = 0;
    for (size_t i = 0; i < nx; i++) s->found.size = fmax(s->found.size, s->found.sizes[i]);
    for (size_t i = 0; i < N * k * nx; i++) {
        double g = fabs(s->newton.G[i]), own = s->found.sizes[i % nx];
        s->found.residual = fmax(s->found.residual, g);
        s->found.relative =
            fmax(s->found.relative, g > 0 ? g / own : 0); /* a large component must not hide the others */
    }
    for (size_t i = 0; i < N * k * ng; i++) s->found.residual = fmax(s->found.residual, fabs(m[i]));
}

/* At the held end the gradient is what is left of -x there: -(x - base). */
int actio_dual_at(struct actio_dual_slab *s, const double *z)
{
    lay(s, z);
    int status = map(s);
    if (status) return status;
    s->found.action = value_of(s, z);
    gradient_of(s);
    return isfinite(s->found.action) ? ACTIO_DUAL_DONE : ACTIO_DUAL_NO_NUMBER;
}

/* ---- the Hamiltonian */

bool actio_dual_is_open(const struct actio_dual_slab *s) { return s->ng < s->nu - s->nx; }

/* y and m of the nearest point: where the way to those of a node begins. */
static void begin_at_node(struct actio_dual_slab *s, size_t e)
{
    size_t w = s->lanes, near = e ? e * s->e->points - 1 : 0;
    for (size_t i = s->nx; i < s->nu; i++) s->lane.U[i * w] = s->lane.U[i * w + near];
    for (size_t i = 0; i < s->ng; i++) s->lane.mu[i * w] = s->lane.mu[i * w + near];
}

/* M_yy by its lower half and the rows of g_y in lane 0. */
static void spread_algebraic(const struct actio_dual_slab *s, double *M, double *g)
{
    const struct actio_places *m = &s->fo->M, *rows = &s->fo->g_U;
    size_t nx = s->nx, ny = s->nu - nx, w = s->lanes;
    memset(M, 0, ny * ny * sizeof *M);
    memset(g, 0, s->ng * ny * sizeof *g);
    for (size_t i = 0; i < m->count; i++)
        if (m->col[i] >= nx) M[(m->row[i] - nx) * ny + m->col[i] - nx] = s->point.M[i * w];
    for (size_t i = 0; i < rows->count; i++)
        if (rows->col[i] >= nx) g[rows->row[i] * ny + rows->col[i] - nx] = s->point.gU[i * w];
}

/* One Newton step of dL/dy = 0, g = 0 in y and m of lane 0, by M_yy and g_y M_yy^-1 g_y'. Its size beside theirs, or
 * -1: there is none. */
static double step_algebraic(struct actio_dual_slab *s)
{
    size_t nx = s->nx, ny = s->nu - nx, ng = s->ng, w = s->lanes;
    double *M = s->condensed.small, *g = M + ny * ny, *Z = g + ng * ny, *S = Z + ng * ny, *r = S + ng * ng, *m = r + ny,
           largest = 0;
    spread_algebraic(s, M, g);
    if (actio_cholesky_factor(ny, M)) return -1;
    for (size_t i = 0; i < ny; i++) r[i] = s->point.slope[(nx + i) * w];
    actio_cholesky_solve(ny, M, r, 1);
    memcpy(Z, g, ng * ny * sizeof *Z);
    for (size_t a = 0; a < ng; a++) {
        actio_cholesky_solve(ny, M, Z + a * ny, 1);
        m[a] = s->point.g[a * w] - actio_dot(ny, g + a * ny, r);
    }
    for (size_t a = 0; a < ng; a++)
        for (size_t b = 0; b <= a; b++) S[a * ng + b] = actio_dot(ny, g + a * ny, Z + b * ny);
    if (actio_cholesky_factor(ng, S)) return -1;
    actio_cholesky_solve(ng, S, m, 1);
    for (size_t i = 0; i < ny; i++) {
        double *y = &s->lane.U[(nx + i) * w], step = r[i];
        for (size_t a = 0; a < ng; a++) step += Z[a * ny + i] * m[a];
        *y -= step;
        largest = fmax(largest, fabs(step) / (1 + fabs(*y)));
    }
    for (size_t a = 0; a < ng; a++) {
        s->lane.mu[a * w] += m[a];
        largest = fmax(largest, fabs(m[a]) / (1 + fabs(s->lane.mu[a * w])));
    }
    return largest;
}

/* Where x and D are given, dL/dy = 0 and g = 0 are for y and m: the way from momenta to what is algebraic.  [AS, remark
 * 4] */
static int close_algebraic(struct actio_dual_slab *s)
{
    for (int it = 0; it < MOST_MAPS; it++) {
        if (actio_node_evaluate(&s->point.kernel, 1)) return 1;
        double moved = step_algebraic(s);
        if (!(moved >= 0 && moved < 1e8)) return 1;
        if (moved < 1e-12) return 0;
    }
    return 1;
}

double actio_dual_hamiltonian(struct actio_dual_slab *s, size_t e, const double *U, const double *base)
{
    size_t w = s->lanes, given = actio_dual_is_open(s) ? s->nx : s->nu;
    if (given < s->nu) begin_at_node(s, e);
    else
        for (size_t i = 0; i < s->ng; i++) s->lane.mu[i * w] = 0;
    for (size_t i = 0; i < given; i++) s->lane.U[i * w] = U[i];
    for (size_t i = 0; i < s->fo->base; i++) s->lane.base[i * w] = base[i];
    for (size_t i = 0; i < s->nx; i++) {
        s->lane.D[i * w] = s->newton.z[e * s->e->k * s->nx + i];
        s->lane.rate[i * w] = 0;
    }
    double t = s->lane.time[0];
    s->lane.time[0] = s->t + s->h * (double)e;
    int bad = (given < s->nu && close_algebraic(s)) || actio_node_evaluate(&s->point.kernel, 1);
    s->lane.time[0] = t;
    return bad ? NAN : -s->point.L[0];
}
