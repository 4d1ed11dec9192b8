/* SPDX-License-Identifier: Apache-2.0
 * Constraints with states in them: is one nonlinear in the velocities also where all of them hold? States are numbers
 * here, those of the sampled points; brackets of fields in (q, t) say nothing of them.  [HAMEL F.4] */
#include "verdict/growth.h"
#include "verdict/manifold.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define FLAT 1e-7 /* curvature below this is rounding */
#define RANK_TOL 1e-9

/* Behind each other: rows of d phi/dv of all levels, dense, then the entries of phi_vv of the one looked at. */
struct bending {
    struct actio_formation *F;
    struct actio_entries H;
    actio_expr *list;
    size_t rows, n, of; /* of: the level looked at */
    double *a, *basis, *work;
    int *iwork;
};

static void list_slopes(struct bending *b)
{
    struct actio_formation *F = b->F;
    b->list = actio_form_array(F, b->rows * b->n + b->n * b->n, sizeof *b->list);
    for (size_t r = 0; r < b->rows; r++) actio_gradient(&F->pool, F->phi[r], F->sym.v, b->n, b->list + r * b->n);
    actio_hessian(&F->pool, F->phi[b->of], F->sym.v, b->n, &b->H);
    for (size_t i = 0; i < b->H.count; i++) b->list[b->rows * b->n + i] = b->H.at[i].e;
}

/* |Z' phi_vv Z| beside |phi_v| + |phi_vv|, Z the directions that the rows leave free. */
static double bend_at(struct bending *b, const double *x)
{
    size_t n = b->n;
    const double *h = x + b->rows * n, *row = x + b->of * n;
    double length = sqrt(actio_dot(n, row, row)), whole = sqrt(actio_dot(b->H.count, h, h)), sum = 0;
    memcpy(b->a, x, b->rows * n * sizeof *b->a);
    size_t rank = actio_row_bases(b->rows, n, b->a, RANK_TOL, b->basis, b->work, b->iwork);
    for (size_t i = rank; i < n; i++)
        for (size_t j = rank; j < n; j++) {
            const double *za = b->basis + i * n, *zb = b->basis + j * n;
            double entry = 0;
            for (size_t e = 0; e < b->H.count; e++) {
                uint32_t r = b->H.at[e].row, c = b->H.at[e].col;
                entry += h[e] * (r == c ? za[r] * zb[r] : za[r] * zb[c] + za[c] * zb[r]);
            }
            sum += entry * entry;
        }
    return length + whole > 0 ? sqrt(sum) / (length + whole) : 0;
}

static double largest_bend(struct bending *b, struct actio_sampled *points)
{
    struct actio_formation *F = b->F;
    size_t ny = points->M->ny, big = b->rows > b->n ? b->rows : b->n;
    double most = 0;
    list_slopes(b);
    b->a = actio_form_array(F, b->rows * b->n, sizeof *b->a);
    b->basis = actio_form_array(F, b->n * b->n, sizeof *b->basis);
    b->work = actio_form_array(F, actio_rank_work(big, big), sizeof *b->work);
    b->iwork = actio_form_array(F, b->rows + b->n, sizeof *b->iwork);
    struct actio_probe probe = actio_probe_open(points->M, b->list, b->rows * b->n + b->H.count);
    for (size_t s = 0; s < points->count; s++) {
        points->M->t = points->t[s];
        memcpy(points->M->y, points->y + s * ny, ny * sizeof(double));
        double bend = bend_at(b, actio_probe_at(&probe));
        if (isfinite(bend)) most = fmax(most, bend);
    }
    actio_probe_close(&probe);
    return most;
}

void actio_look_at_states(struct actio_formation *F, struct actio_sampled *points, struct actio_integrability *out)
{
    for (size_t r = 0; r < F->sys.levels; r++) {
        uint32_t k = F->sys.velocity_row[r];
        actio_expr *coef = actio_form_array(F, F->n, sizeof *coef), rest;
        if (k >= out->count || out->of[k].kind != ACTIO_FORM_ON_STATES
            || actio_linear_in(&F->pool, F->phi[r], F->sym.v, F->n, coef, &rest))
            continue;
        struct bending b = { .F = F, .rows = F->sys.levels, .n = F->n, .of = r };
        out->of[k].curvature = largest_bend(&b, points);
        if (points->count)
            out->of[k].kind = out->of[k].curvature > FLAT ? ACTIO_FORM_NONLINEAR : ACTIO_FORM_AFFINE_EQUIVALENT;
    }
}
