/* SPDX-License-Identifier: Apache-2.0
 * Maggi's equations, the principal equation of ideal constraints: only what moves along the constraints, no multipliers
 *  [VKS 8, HAMEL A.2, A.3].
 *     state (q, xi),  xi = Z z;  z' = F xi' + beta,  M F = (1, 0),  M beta = (0, c),  M = [Z; A];  (F' G F) xi' = F' (h
 *     - G beta). */
#include "solve/chart.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define WORN 20.0 /* condition of the frame at which a new one is taken */

/* copy := G F, K := F' G F, step := F' rest */
static void law_maggi_reduce(struct actio_chart *c, const double *G, const double *rest)
{
    size_t N = c->N, r = c->r;
    const double *F = c->F;
    for (size_t i = 0; i < N && !actio_gives_up(N * r); i++)
        for (size_t j = 0; j < r; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++) sum += G[i * N + k] * F[k * r + j];
            c->copy[i * r + j] = sum;
        }
    for (size_t i = 0; i < r && !actio_gives_up(N * r); i++) {
        double sum = 0, *K = c->K + i * r;
        for (size_t k = 0; k < N; k++) sum += F[k * r + i] * rest[k];
        c->step[i] = sum;
        for (size_t j = 0; j < r; j++) {
            K[j] = 0;
            for (size_t k = 0; k < N; k++) K[j] += F[k * r + i] * c->copy[k * r + j];
        }
    }
}

/* z' at a known state, with the frame in force, into m->zdot; xi' into c->step. */
static int law_maggi_accelerations(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N, r = c->r;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    if (actio_chart_factor(c, at.A)) return ACTIO_FLOW_SINGULAR;
    double *beta = m->here.zdot, *F = c->F, *K = c->K, *rest = c->work;
    memset(F, 0, N * r * sizeof *F);
    for (size_t i = 0; i < r; i++) F[i * r + i] = 1;
    for (size_t i = 0; i < N; i++) beta[i] = i < r ? 0 : at.c[c->row[i - r]];
    if (r) actio_lu_solve(N, c->M, c->pivot, F, r, false);
    actio_lu_solve(N, c->M, c->pivot, beta, 1, false);
    for (size_t i = 0; i < N; i++) rest[i] = at.h[i] - actio_dot(N, at.G + i * N, beta);
    law_maggi_reduce(c, at.G, rest);
    if (r && actio_lu_factor(r, K, c->pivot)) return ACTIO_FLOW_SINGULAR;
    if (r) actio_lu_solve(r, K, c->pivot, c->step, 1, false);
    for (size_t i = 0; i < N; i++) beta[i] += actio_dot(r, F + i * r, c->step);
    return ACTIO_FLOW_OK;
}

static int maggi_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    struct actio_chart *c = m->obeys.data;
    double *y = m->obeys.y;
    int status = actio_chart_unfold(m, t, Y, y);
    if (!status) status = law_maggi_accelerations(m, t, y);
    memcpy(dY, y + m->n, m->n * sizeof *dY);
    memcpy(dY + m->n, c->step, c->r * sizeof *dY);
    return status;
}

/* The null space of A, as it is here. */
static int maggi_rebase(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N, p = m->p;
    c->r = N - m->rows.rank; /* it may change at a switch */
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    if (actio_chart_choose_rows(m, at.A)) return ACTIO_FLOW_SINGULAR;
    if (p) memcpy(c->copy, at.A, p * N * sizeof *c->copy);
    size_t rank = p ? actio_row_bases(p, N, c->copy, 1e-9, c->F, c->work, c->iwork) : 0;
    for (size_t i = 0; p == 0 && i < N * N; i++) c->F[i] = i % (N + 1) == 0;
    if (rank < N - c->r) return ACTIO_FLOW_SINGULAR;
    memcpy(c->Z, c->F + (N - c->r) * N, c->r * N * sizeof *c->Z);
    return ACTIO_FLOW_OK;
}

static double maggi_strain(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    return c->r == c->N ? 0 : actio_chart_condition(m, t, y) / WORN;
}

/* Accelerations do not depend on the frame: the one of this very point serves. */
static int maggi_solve(struct actio_motion *m, double t, const double *y)
{
    int status = maggi_rebase(m, t, y);
    if (!status) status = law_maggi_accelerations(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

/* ---- along lines, and where rows depend on velocities: state (q, v)
 * A constraint that is quadratic in the velocities gives them from the positions but for a sign, which (q, xi) loses
 * where they turn round.
 * Where blades stand along a string, its velocities follow from its positions by sums over all links with alternating
 * signs, so that a zigzag of q comes back in v magnified by 4/h^2, 4096 for 32 links. The control of steps in (q, xi)
 * does not see that: at a local tolerance of 1e-13 velocities were off by
 * 7e-10 at the ends of steps and, as interpolated positions are not on the constraints, by 2.5e-8 between them.
 * Accelerations do not depend on the frame. So velocities are integrated beside the positions, and projected, as for
 * Gauss: 4e-13.  [HAMEL A.3] */

/* How far the frame's directions are from those that are free here: |F|, 1 when they are the same, whatever the
 * condition of A. */
static double wear(const struct actio_chart *c)
{
    return c->r ? actio_norm(c->N * c->r, c->F) / sqrt((double)c->r) : 0;
}

static int line_rates(struct actio_motion *m, double t, const double *y, double *dy)
{
    const struct actio_chart *c = m->obeys.data;
    bool serves = m->obeys.based && c->r == c->N - m->rows.rank;
    int status = serves ? law_maggi_accelerations(m, t, y) : ACTIO_FLOW_SINGULAR;
    m->obeys.based = true; /* until the next run begins */
    if (status == ACTIO_FLOW_SINGULAR || (!status && wear(m->obeys.data) > WORN)) {
        status = maggi_rebase(m, t, y);
        if (!status) status = law_maggi_accelerations(m, t, y);
    }
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, m->here.zdot, m->N * sizeof *dy);
    return status;
}

static size_t line_size(const struct actio_motion *m) { return m->ny; }

static const struct actio_law along_lines = {
    .name = "maggi",
    .open = actio_chart_open,
    .close = actio_chart_close,
    .size = line_size,
    .rates = line_rates,
    .solve = maggi_solve,
    .rebase = maggi_rebase,
    .any_rank = true,
};

/* Where rows have switches, their rank may change, and the length of (q, xi) with it. */
static bool maggi_gives_way(const struct actio_motion *m) { return m->sys->is.switched; }

const struct actio_law actio_law_maggi = {
    .name = "maggi",
    .objection = actio_law_is_small,
    .open = actio_chart_open,
    .close = actio_chart_close,
    .size = actio_chart_size,
    .unfold = actio_chart_unfold,
    .fold = actio_chart_fold,
    .rates = maggi_rates,
    .solve = maggi_solve,
    .strain = maggi_strain,
    .rebase = maggi_rebase,
    .lines = &along_lines,
    .gives_way = maggi_gives_way,
};
