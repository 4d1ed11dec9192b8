/* SPDX-License-Identifier: Apache-2.0
 * The dual action's maximum on a slab: -K = int B' M^-1 B element by element, inner unknowns condensed, Cholesky's
 * method over the blocks of the elements' ends, Newton steps that keep M positive and let S grow.  [DUAL 1.3] */
#include "solve/dual.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40, MOST_HALVINGS = 12 };
#define FLOOR 0.1 /* of the eigenvalues of M at first: paths along the border get nowhere */
#define LEAST_FLOOR 1e-7

/* ---- -K of one element */

/* Columns E, f_U', -g_U' of B at a lane, as rows of length nu. */
static void columns_of(const struct actio_dual_slab *s, size_t l, double *W)
{
    size_t nu = s->nu, nx = s->nx, w = s->lanes;
    const struct actio_places *f = &s->fo->f_U, *g = &s->fo->g_U;
    memset(W, 0, (2 * nx + s->ng) * nu * sizeof *W);
    for (size_t i = 0; i < nx; i++) W[i * nu + i] = 1;
    for (size_t i = 0; i < f->count; i++) W[(nx + f->row[i]) * nu + f->col[i]] = s->point.fU[i * w + l];
    for (size_t i = 0; i < g->count; i++) W[(2 * nx + g->row[i]) * nu + g->col[i]] = -s->point.gU[i * w + l];
}

/* The lower half of M or C at a lane. */
static void lay_matrix(const struct actio_dual_slab *s, const struct actio_places *at, const double *value, size_t l,
                       double *to)
{
    memset(to, 0, s->nu * s->nu * sizeof *to);
    for (size_t i = 0; i < at->count; i++) to[at->row[i] * s->nu + at->col[i]] = value[i * s->lanes + l];
}

/* Z = W M^-1 W', lower half; 0, or 1: M is not positive. */
static int lane_products(struct actio_dual_slab *s, size_t l, double *Z)
{
    size_t nu = s->nu, rows = 2 * s->nx + s->ng;
    double *M = Z + rows * rows, *W = M + nu * nu;
    lay_matrix(s, &s->fo->M, s->point.M, l, M);
    if (actio_cholesky_factor(nu, M)) return 1;
    columns_of(s, l, W);
    for (size_t r = 0; r < rows; r++) {
        double *y = W + r * nu; /* L y = column */
        for (size_t i = 0; i < nu; i++) y[i] = (y[i] - actio_dot(i, M + i * nu, y)) / M[i * nu + i];
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c <= r; c++) Z[r * rows + c] = actio_dot(nu, W + r * nu, W + c * nu);
    return 0;
}

/* Places in the element's matrix: inner nodes, then m, then the first and the last node. */
static size_t place_of_node(const struct actio_dual_slab *s, size_t j)
{
    return j == 0 ? s->ni : j == s->e->k ? s->ni + s->nx : (j - 1) * s->nx;
}
static size_t place_of_m(const struct actio_dual_slab *s, size_t l) { return (s->e->k - 1) * s->nx + l * s->ng; }

static double symmetric(const double *Z, size_t n, size_t i, size_t j) { return i >= j ? Z[i * n + j] : Z[j * n + i]; }

/* Adds weight * (a_j E + c_j F)' M^-1 (a_i E + c_i F) for nodes j, i. */
static void add_nodes(const struct actio_dual_slab *s, size_t q, const double *Z, double *K)
{
    size_t nx = s->nx, rows = 2 * nx + s->ng, nl = s->nl, k = s->e->k;
    const double *N = s->e->N + q * (k + 1), *dN = s->e->dN + q * (k + 1);
    double weight = s->e->weight[q] * fabs(s->h);
    for (size_t r = 0; r < nx; r++)
        for (size_t c = 0; c < nx; c++) {
            double ee = weight * symmetric(Z, rows, r, c) / (s->h * s->h),
                   ef = weight * symmetric(Z, rows, r, nx + c) / s->h;
            double fe = weight * symmetric(Z, rows, nx + r, c) / s->h, ff = weight * symmetric(Z, rows, nx + r, nx + c);
            for (size_t j = 0; j <= k; j++) {
                double by_rate = dN[j] * ee + N[j] * fe, by_value = dN[j] * ef + N[j] * ff;
                size_t row = place_of_node(s, j) + r;
                for (size_t i = 0; i <= k; i++) {
                    size_t col = place_of_node(s, i) + c;
                    if (col <= row) K[row * nl + col] += dN[i] * by_rate + N[i] * by_value;
                }
            }
        }
}

/* The same for polynomials of m beside nodes, and beside each other. */
static void add_m_and_nodes(const struct actio_dual_slab *s, size_t q, const double *Z, double *K)
{
    size_t nx = s->nx, rows = 2 * nx + s->ng, nl = s->nl, k = s->e->k;
    const double *N = s->e->N + q * (k + 1), *dN = s->e->dN + q * (k + 1), *P = s->e->P + q * k;
    double weight = s->e->weight[q] * fabs(s->h);
    for (size_t r = 0; r < s->ng; r++)
        for (size_t c = 0; c < nx; c++) {
            double ge = weight * symmetric(Z, rows, 2 * nx + r, c) / s->h,
                   gf = weight * symmetric(Z, rows, 2 * nx + r, nx + c);
            for (size_t l = 0; l < k; l++)
                for (size_t j = 0; j <= k; j++) {
                    size_t a = place_of_m(s, l) + r, b = place_of_node(s, j) + c;
                    K[a > b ? a * nl + b : b * nl + a] += P[l] * (dN[j] * ge + N[j] * gf);
                }
        }
}

static void add_m_and_m(const struct actio_dual_slab *s, size_t q, const double *Z, double *K)
{
    size_t nx = s->nx, rows = 2 * nx + s->ng, nl = s->nl, k = s->e->k;
    const double *P = s->e->P + q * k;
    double weight = s->e->weight[q] * fabs(s->h);
    for (size_t r = 0; r < s->ng; r++)
        for (size_t c = 0; c < s->ng; c++) {
            double gg = weight * symmetric(Z, rows, 2 * nx + r, 2 * nx + c);
            for (size_t l = 0; l < k; l++)
                for (size_t j = 0; j < k; j++) {
                    size_t row = place_of_m(s, l) + r, col = place_of_m(s, j) + c;
                    if (col <= row) K[row * nl + col] += P[l] * P[j] * gg;
                }
        }
}

static int element_matrix(struct actio_dual_slab *s, size_t e, double *K)
{
    double *Z = s->condensed.small;
    memset(K, 0, s->nl * s->nl * sizeof *K);
    for (size_t q = 0; q < s->e->points; q++) {
        if (lane_products(s, e * s->e->points + q, Z)) return ACTIO_DUAL_NOT_POSITIVE;
        add_nodes(s, q, Z, K);
        add_m_and_nodes(s, q, Z, K);
        add_m_and_m(s, q, Z, K);
    }
    return ACTIO_DUAL_DONE;
}

/* ---- linear algebra */

/* What is left of a condensed element joins the blocks of its ends. */
static void join_ends(struct actio_dual_slab *s, size_t e)
{
    size_t nx = s->nx, nl = s->nl, block = nx * nx;
    const double *first = s->condensed.local + e * nl * nl + s->ni * nl + s->ni, *last = first + nx * nl;
    double *here = s->condensed.diagonal + e * block, *next = here + block, *beside = s->condensed.beside + e * block;
    for (size_t i = 0; i < nx; i++) {
        for (size_t j = 0; j <= i; j++) {
            here[i * nx + j] += first[i * nl + j];
            next[i * nx + j] += last[i * nl + nx + j];
        }
        for (size_t j = 0; j < nx; j++) beside[i * nx + j] = last[i * nl + j];
    }
}

/* Factors the block of an end and takes it out of the next. 0, or 1. */
static int factor_end(struct actio_dual_slab *s, size_t e)
{
    size_t nx = s->nx, block = nx * nx;
    double *here = s->condensed.diagonal + e * block, *next = here + block, *beside = s->condensed.beside + e * block;
    if (actio_cholesky_factor(nx, here)) return 1;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < nx; j++)
            beside[i * nx + j] = (beside[i * nx + j] - actio_dot(j, beside + i * nx, here + j * nx)) / here[j * nx + j];
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j <= i; j++) next[i * nx + j] -= actio_dot(nx, beside + i * nx, beside + j * nx);
    return 0;
}

/* Element matrices condensed, the blocks of the ends factored. The last end is held. */
static int dual_solve_factor(struct actio_dual_slab *s)
{
    size_t nl = s->nl, N = s->elements;
    memset(s->condensed.diagonal, 0, (N + 1) * s->nx * s->nx * sizeof *s->condensed.diagonal);
    for (size_t e = 0; e < N; e++) {
        double *K = s->condensed.local + e * nl * nl;
        int status = actio_stopped(s->ctx) ? ACTIO_DUAL_DIVERGED : element_matrix(s, e, K);
        if (status) return status;
        if (actio_cholesky_part(nl, s->ni, K)) return ACTIO_DUAL_DIVERGED;
        join_ends(s, e);
    }
    for (size_t e = 0; e < N; e++)
        if (factor_end(s, e)) return ACTIO_DUAL_DIVERGED;
    return ACTIO_DUAL_DONE;
}

/* The element's part of a vector of unknowns; ends belong to the element before them. */
static void dual_solve_gather(const struct actio_dual_slab *s, size_t e, const double *z, double *to)
{
    size_t k = s->e->k, nx = s->nx, ng = s->ng;
    const double *D = z + e * k * nx, *m = z + (s->elements * k + 1) * nx + e * k * ng;
    memcpy(to, D + nx, (k - 1) * nx * sizeof *to);
    if (ng) memcpy(to + (k - 1) * nx, m, k * ng * sizeof *to);
    memcpy(to + s->ni, D, nx * sizeof *to);
    memcpy(to + s->ni + nx, D + k * nx, nx * sizeof *to);
}

static void scatter(const struct actio_dual_slab *s, size_t e, const double *from, double *z)
{
    size_t k = s->e->k, nx = s->nx, ng = s->ng;
    double *D = z + e * k * nx, *m = z + (s->elements * k + 1) * nx + e * k * ng;
    memcpy(D + nx, from, (k - 1) * nx * sizeof *D);
    if (ng) memcpy(m, from + (k - 1) * nx, k * ng * sizeof *m);
}

/* The right sides inside of an element, and what they bring to its ends; the last end is held. */
static void solve_inside(struct actio_dual_slab *s, size_t e)
{
    size_t nx = s->nx, ni = s->ni, nl = s->nl;
    double sign = s->h < 0 ? -1 : 1, *b = s->condensed.right + e * nl, *here = s->newton.step + e * s->e->k * nx,
           *next = here + s->e->k * nx;
    const double *K = s->condensed.local + e * nl * nl;
    dual_solve_gather(s, e, s->newton.G, b);
    for (size_t i = 0; i < ni; i++) b[i] *= sign;
    actio_lower_solve(ni, nl, K, b);
    for (size_t i = 0; i < nx; i++) {
        here[i] -= actio_dot(ni, K + (ni + i) * nl, b);
        next[i] -= e + 1 < s->elements ? actio_dot(ni, K + (ni + nx + i) * nl, b) : 0;
    }
}

/* The elements' ends, forward and back. */
static void solve_ends(struct actio_dual_slab *s)
{
    size_t k = s->e->k, nx = s->nx, N = s->elements, block = nx * nx;
    double *node = s->newton.step;
    for (size_t e = 0; e < N; e++) {
        double *here = node + e * k * nx;
        actio_lower_solve(nx, nx, s->condensed.diagonal + e * block, here);
        for (size_t i = 0; i < nx && e + 1 < N; i++)
            here[k * nx + i] -= actio_dot(nx, s->condensed.beside + e * block + i * nx, here);
    }
    for (size_t e = N; e-- > 0;) {
        double *here = node + e * k * nx;
        for (size_t i = 0; i < nx && e + 1 < N; i++)
            for (size_t j = 0; j < nx; j++) here[j] -= s->condensed.beside[e * block + i * nx + j] * here[k * nx + i];
        actio_lower_solve_back(nx, nx, s->condensed.diagonal + e * block, here);
    }
}

/* The unknowns inside of an element from those at its ends. */
static void solve_inside_back(struct actio_dual_slab *s, size_t e)
{
    size_t nx = s->nx, ni = s->ni, nl = s->nl;
    double *b = s->condensed.right + e * nl;
    const double *K = s->condensed.local + e * nl * nl, *here = s->newton.step + e * s->e->k * nx,
                 *next = here + s->e->k * nx;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ni; j++) b[j] -= K[(ni + i) * nl + j] * here[i] + K[(ni + nx + i) * nl + j] * next[i];
    actio_lower_solve_back(ni, nl, K, b);
    scatter(s, e, b, s->newton.step);
}

/* (-K) step = G, the last end held. Nodes' parts of the right side are in G itself: elements bring theirs only from
 * inside. */
static void solve_step(struct actio_dual_slab *s)
{
    size_t k = s->e->k, nx = s->nx, N = s->elements;
    double sign = s->h < 0 ? -1 : 1, *node = s->newton.step;
    for (size_t e = 0; e <= N; e++)
        for (size_t i = 0; i < nx; i++) node[e * k * nx + i] = e < N ? sign * s->newton.G[e * k * nx + i] : 0;
    for (size_t e = 0; e < N; e++) solve_inside(s, e);
    solve_ends(s);
    for (size_t e = 0; e < N; e++) solve_inside_back(s, e);
}

int actio_dual_curve(struct actio_dual_slab *s, const double *v, double *out)
{
    size_t k = s->e->k, nx = s->nx, nl = s->nl, N = s->elements, count = actio_dual_unknowns(s);
    double *b = s->condensed.right;
    memset(out, 0, count * sizeof *out);
    for (size_t e = 0; e < N; e++) {
        double *K = s->condensed.local, *sum = s->newton.trial, *D = out + e * k * nx;
        int status = element_matrix(s, e, K);
        if (status) return status;
        dual_solve_gather(s, e, v, b);
        for (size_t i = 0; i < nl; i++) {
            sum[i] = 0;
            for (size_t j = 0; j < nl; j++) sum[i] += symmetric(K, nl, i, j) * b[j];
        }
        scatter(s, e, sum, out);
        for (size_t i = 0; i < nx; i++) {
            D[i] += sum[s->ni + i];
            D[k * nx + i] += sum[s->ni + nx + i];
        }
    }
    return ACTIO_DUAL_DONE;
}

int actio_dual_matrix(struct actio_dual_slab *s, size_t e, double *K) { return element_matrix(s, e, K); }

/* ---- Newton's method */

static void dual_solve_keep(const struct actio_dual_slab *s, double *to, const double *from)
{
    for (size_t i = 0; i < s->nu; i++)
        memcpy(to + i * s->lanes, from + i * s->lanes, s->elements * s->e->points * sizeof *to);
}

/* Halves the step until M is positive all over and S has grown; near the maximum, where S has no more digits, the
 * gradient decides. 0, or a dual status. */
static int dual_solve_advance(struct actio_dual_slab *s, double slope, bool last)
{
    size_t count = actio_dual_unknowns(s);
    double before = s->found.action, residual = s->found.residual, relative = s->found.relative,
           sign = s->h < 0 ? -1 : 1;
    bool flat = last || slope < 1e-9 * (1 + fabs(before));
    int status = ACTIO_DUAL_DIVERGED;
    dual_solve_keep(s, s->newton.kept, s->lane.U);
    for (int it = 0; it < MOST_HALVINGS && !actio_stopped(s->ctx); it++) {
        double a = ldexp(1, -it);
        for (size_t i = 0; i < count; i++) s->newton.trial[i] = s->newton.z[i] + a * s->newton.step[i];
        status = actio_dual_at(s, s->newton.trial);
        bool grown = sign * (s->found.action - before) >= 1e-4 * a * slope;
        if (!status && (flat ? s->found.residual <= residual || s->found.relative <= relative : grown)) {
            memcpy(s->newton.z, s->newton.trial, count * sizeof *s->newton.z);
            return ACTIO_DUAL_DONE;
        }
        dual_solve_keep(s, s->lane.U, s->newton.kept);
        if (!status) status = ACTIO_DUAL_DIVERGED;
        if (flat && it > 1) break;
    }
    return status;
}

static void dual_solve_begin(struct actio_dual_slab *s)
{
    size_t nodes = s->elements * s->e->k + 1, nx = s->nx;
    memset(s->newton.z, 0, actio_dual_unknowns(s) * sizeof *s->newton.z);
    for (size_t a = 0; a < nodes; a++) memcpy(s->newton.z + a * nx, s->last, nx * sizeof *s->newton.z);
    dual_solve_keep(s, s->lane.U, s->lane.base);
}

int actio_dual_climb(struct actio_dual_slab *s)
{
    double length = fabs(s->h) * (double)s->elements;
    s->newton.iterations = s->newton.maps = 0;
    s->newton.floor = FLOOR;
    int status = actio_dual_at(s, s->newton.z);
    while (status == ACTIO_DUAL_NOT_POSITIVE && !actio_stopped(s->ctx) && (s->newton.floor *= 0.1) > LEAST_FLOOR)
        status = actio_dual_at(s, s->newton.z);
    bool polished = false;
    while (!status && !polished) {
        double action = s->found.action, residual = s->found.residual, sign = s->h < 0 ? -1 : 1;
        status = actio_stopped(s->ctx) ? ACTIO_DUAL_DIVERGED : dual_solve_factor(s);
        if (status) break;
        solve_step(s);
        double slope = sign * actio_dot(actio_dual_unknowns(s), s->newton.G, s->newton.step),
               change = sqrt(fmax(slope, 0) / length);
        polished = residual <= 1e-11 * s->found.size
                   || change <= 1e-12 * s->found.size; /* one step more, for the last digits */
        if (s->found.relative <= 4 * DBL_EPSILON && s->ng == 0) break;
        status = dual_solve_advance(s, slope, polished);
        while (status == ACTIO_DUAL_NOT_POSITIVE && !actio_stopped(s->ctx) && (s->newton.floor *= 0.1) > LEAST_FLOOR) {
            s->found.action = action;
            s->found.residual = residual;
            status = dual_solve_advance(s, slope, polished);
        }
        if (status && polished) {
            status = actio_dual_at(s, s->newton.z);
            break;
        } /* rounding: what there was is as good */
        if (++s->newton.iterations > MOST_ITERATIONS) status = ACTIO_DUAL_DIVERGED;
    }
    return status;
}

int actio_dual_solve(struct actio_dual_slab *s)
{
    dual_solve_begin(s);
    return actio_dual_climb(s);
}

/* ---- is it a motion? */

static void transpose(size_t n, double *M)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double m = M[i * n + j];
            M[i * n + j] = M[j * n + i];
            M[j * n + i] = m;
        }
}

/* M := L^-1 M; `column` is scratch. */
static void lower_solve_columns(size_t n, const double *L, double *M, double *column)
{
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < n; i++) column[i] = M[i * n + c];
        actio_lower_solve(n, n, L, column);
        for (size_t i = 0; i < n; i++) M[i * n + c] = column[i];
    }
}

/* Least eigenvalue of C^-1/2 M C^-1/2 in a lane, where it is below `known`; `known` else. */
static double least_in(struct actio_dual_slab *s, size_t l, double known)
{
    size_t nu = s->nu;
    double *C = s->condensed.small, *M = C + nu * nu, *eigenvalue = M + nu * nu;
    lay_matrix(s, &s->fo->C, s->point.C, l, C);
    lay_matrix(s, &s->fo->M, s->point.M, l, M);
    for (size_t i = 0; i < nu * nu; i++) C[i] = M[i] - (known - 1e-9) * C[i]; /* most lanes end here */
    if (actio_cholesky_factor(nu, C) == 0) return known;
    lay_matrix(s, &s->fo->C, s->point.C, l, C);
    if (actio_cholesky_factor(nu, C)) return NAN;
    for (size_t i = 0; i < nu; i++)
        for (size_t j = i + 1; j < nu; j++) M[i * nu + j] = M[j * nu + i];
    for (int side = 0; side < 2; side++) { /* L^-1 M, transposed, L^-1 again */
        lower_solve_columns(nu, C, M, eigenvalue);
        transpose(nu, M);
    }
    return actio_eigen_symmetric(nu, M, eigenvalue, NULL) ? NAN : fmin(known, eigenvalue[0]);
}

/* The mass matrix of continuous polynomials, as a band; right sides int N x. */
static void mass(struct actio_dual_slab *s, double *a, double *b)
{
    size_t k = s->e->k, nx = s->nx, dofs = s->elements * k + 1;
    memset(a, 0, dofs * (k + 1 + nx) * sizeof *a);
    for (size_t e = 0, l = 0; e < s->elements; e++)
        for (size_t q = 0; q < s->e->points; q++, l++)
            for (size_t j = 0; j <= k; j++) {
                double N = s->e->weight[q] * s->e->N[q * (k + 1) + j];
                size_t row = e * k + j;
                for (size_t i = 0; i <= j; i++) a[row * (k + 1) + k + i - j] += N * s->e->N[q * (k + 1) + i];
                for (size_t i = 0; i < nx; i++) b[row * nx + i] += N * s->lane.U[i * s->lanes + l];
            }
}

/* Cholesky's method on a band of k below the diagonal, which is at a[r*(k + 1) + k]. */
static void factor_band(size_t dofs, size_t k, double *a)
{
    for (size_t r = 0; r < dofs; r++) {
        size_t first = r > k ? r - k : 0;
        for (size_t c = first; c <= r; c++) {
            double sum = a[r * (k + 1) + k + c - r];
            for (size_t i = first; i < c; i++) sum -= a[r * (k + 1) + k + i - r] * a[c * (k + 1) + k + i - c];
            a[r * (k + 1) + k + c - r] = c < r ? sum / a[c * (k + 1) + k] : sqrt(sum);
        }
    }
}

static void solve_band(size_t dofs, size_t k, size_t nx, const double *a, double *b)
{
    for (size_t r = 0; r < dofs; r++)
        for (size_t i = 0; i < nx; i++) {
            for (size_t c = r > k ? r - k : 0; c < r; c++) b[r * nx + i] -= a[r * (k + 1) + k + c - r] * b[c * nx + i];
            b[r * nx + i] /= a[r * (k + 1) + k];
        }
    for (size_t r = dofs; r-- > 0;)
        for (size_t i = 0; i < nx; i++) {
            b[r * nx + i] /= a[r * (k + 1) + k];
            for (size_t c = r > k ? r - k : 0; c < r; c++) b[c * nx + i] -= a[r * (k + 1) + k + c - r] * b[r * nx + i];
        }
}

/* |x - Pi x| at the points: small for a motion, as large as the motion for a spurious solution.  [DUAL 1.4] */
static double detect(struct actio_dual_slab *s)
{
    size_t k = s->e->k, nx = s->nx, dofs = s->elements * k + 1;
    double *a = s->condensed.band, *b = a + dofs * (k + 1), largest = 0;
    s->found.jump = 0;
    mass(s, a, b);
    factor_band(dofs, k, a);
    solve_band(dofs, k, nx, a, b);
    for (size_t e = 0, l = 0; e < s->elements; e++)
        for (size_t q = 0; q < s->e->points; q++, l++)
            for (size_t i = 0; i < nx; i++) {
                double x = s->lane.U[i * s->lanes + l];
                for (size_t j = 0; j <= k; j++) x -= s->e->N[q * (k + 1) + j] * b[(e * k + j) * nx + i];
                largest = fmax(largest, fabs(x));
                s->found.jump = fmax(s->found.jump, fabs(x) / fmax(s->found.sizes[i], 1e-4 * s->found.size));
            }
    return largest;
}

int actio_dual_judge(struct actio_dual_slab *s)
{
    double least = 1;
    for (size_t l = 0; l < s->elements * s->e->points; l++) least = least_in(s, l, least);
    s->found.least = least;
    s->found.detector = detect(s);
    return !isfinite(s->found.least + s->found.detector);
}
