/* SPDX-License-Identifier: Apache-2.0
 * Quasi-velocities of a frame as states. */
#include "solve/framed.h"
#include "algebra/brackets.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define WORN 20.0 /* condition of a frame with automatic rows at which new ones are taken */

int actio_framed_open(struct actio_motion *m, struct actio_framed *f)
{
    size_t n = f->n = m->n, p = m->p, big = n > p ? n : p;
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &f->M, n * n }, { &f->inverse, n * n }, { &f->K, n * n },
        { &f->part, n },  { &f->rate, n },        { &f->work, 3 * n * n + n + actio_rank_work(big, big) + big },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    f->pivot = actio_alloc(m->ctx, m->N + 1, sizeof *f->pivot);
    f->iwork = actio_alloc(m->ctx, 2 * (n + p) + m->m + 1, sizeof *f->iwork);
    if (!f->pivot || !f->iwork) return 1;
    return f->frame ? actio_motion_make_hidden(m, f->frame->hidden) || actio_motion_need(m, ACTIO_Q_FRAME) : 0;
}

void actio_framed_close(struct actio_motion *m, struct actio_framed *f)
{
    void *all[] = { f->M, f->inverse, f->K, f->part, f->rate, f->work, f->pivot, f->iwork };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
}

struct actio_frame_values actio_framed_at(struct actio_motion *m, double t, const double *y)
{
    size_t n = m->n;
    const double *x = actio_motion_quantity(m, ACTIO_Q_FRAME, t, y), *M_q = x + n * n + n, *m0_q = M_q + n * n * n,
                 *M_t = m0_q + n * n, *m0_t = M_t + n * n;
    return (struct actio_frame_values){ x, x + n * n, M_q, m0_q, M_t, m0_t, m0_t + n };
}

size_t actio_framed_size(const struct actio_motion *m)
{
    const struct actio_framed *f = m->obeys.data;
    return m->n + f->r + m->m;
}

int actio_framed_fold(struct actio_motion *m, double t, const double *y, double *Y)
{
    struct actio_framed *f = m->obeys.data;
    struct actio_frame_values at = actio_framed_at(m, t, y);
    size_t n = f->n;
    memcpy(Y, y, n * sizeof *Y);
    for (size_t j = 0; j < f->r; j++) Y[n + j] = at.m0[j] + actio_dot(n, at.M + j * n, y + n);
    memcpy(Y + n + f->r, y + 2 * n, m->m * sizeof *Y);
    return ACTIO_FLOW_OK;
}

int actio_framed_rebase(struct actio_motion *m, double t, const double *y)
{
    struct actio_framed *f = m->obeys.data;
    size_t n = f->n, count = f->frame ? f->frame->automatic : 0;
    if (count == 0) return ACTIO_FLOW_OK;
    size_t first = f->frame->given;
    struct actio_frame_values at = actio_framed_at(m, t, y);
    memcpy(f->K, at.M, n * n * sizeof *f->K);
    if (actio_frame_complete(n, first, count, f->K, 1e-9, f->work, f->iwork) < n - count) return ACTIO_FLOW_SINGULAR;
    memcpy(m->here.hidden, f->K + first * n, count * n * sizeof *m->here.hidden);
    actio_motion_prologue(m, ACTIO_Q_FRAME);
    return ACTIO_FLOW_OK;
}

int actio_framed_invert(struct actio_framed *f, const double *M)
{
    size_t n = f->n;
    memcpy(f->M, M, n * n * sizeof *M);
    if (actio_lu_factor(n, f->M, f->pivot)) return ACTIO_FLOW_SINGULAR;
    memset(f->inverse, 0, n * n * sizeof *f->inverse);
    for (size_t i = 0; i < n; i++) f->inverse[i * n + i] = 1;
    actio_lu_solve(n, f->M, f->pivot, f->inverse, n, false);
    return ACTIO_FLOW_OK;
}

/* The condition of the frame with rows of one size, beside the one that is allowed. */
double actio_framed_strain(struct actio_motion *m, double t, const double *y)
{
    struct actio_framed *f = m->obeys.data;
    size_t n = f->n;
    if (f->frame->automatic == 0) return 0;
    struct actio_frame_values at = actio_framed_at(m, t, y);
    memcpy(f->K, at.M, n * n * sizeof *f->K);
    actio_row_scales(n, n, f->K, f->part);
    for (size_t i = 0; i < n * n; i++) f->K[i] *= f->part[i / n];
    double size = actio_norm(n * n, f->K);
    if (actio_framed_invert(f, f->K)) return 1e6;
    return fmin(size * actio_norm(n * n, f->inverse) / ((double)n * WORN), 1e6);
}

void actio_framed_rates(const struct actio_motion *m, const double *y, double *dY)
{
    const struct actio_framed *f = m->obeys.data;
    memcpy(dY, y + m->n, m->n * sizeof *dY);
    memcpy(dY + m->n, f->rate, f->r * sizeof *dY);
    memcpy(dY + m->n + f->r, m->here.zdot + m->n, m->m * sizeof *dY);
}
