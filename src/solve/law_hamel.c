/* SPDX-License-Identifier: Apache-2.0
 * Hamel's equations in quasi-velocities, with brackets  [SBZB 3.5, HAMEL A.1].
 *     d/dt dl/dxi_j = (c^a_ij xi_i + c^a_0j) dl/dxi_a + u_j[l] + Psi_j Q,   v = Psi (xi - m0),   j over the xi that the
 *     constraints leave free
 * The derivatives of l are taken before the others are set to 0: all momenta enter through the brackets. By an identity
 * the brackets cancel against what the frame's own change brings; they are computed nevertheless, and so prove each
 * other. */
#include "solve/law.h"
#include "algebra/brackets.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define WORN 20.0 /* condition of a frame with automatic rows at which new ones are taken */

struct hamel {
    const struct actio_frame *frame;
    size_t n, r;
    double *M, *Psi, *K, *c, *c0, *work, *xi, *beta, *change, *part, *rate, *sum, *states;
    int *pivot, *iwork;
};
/* Places in the FRAME kernel's outputs. */
struct frame_values {
    const double *M, *m0, *M_q, *m0_q, *M_t, *m0_t, *L_v;
};

static struct frame_values frame_at(struct actio_motion *m, double t, const double *y)
{
    size_t n = m->n;
    const double *x = actio_motion_quantity(m, ACTIO_Q_FRAME, t, y);
    return (struct frame_values){ x,
                                  x + n * n,
                                  x + n * n + n,
                                  x + n * n + n + n * n * n,
                                  x + 2 * n * n + n + n * n * n,
                                  x + 3 * n * n + n + n * n * n,
                                  x + 3 * n * n + 2 * n + n * n * n };
}

static const char *hamel_objection(struct actio_motion *m, double t, const double *y)
{
    const struct actio_frame *frame = actio_system_frame(m->sys, t, y);
    if (!frame) return "out of memory for a frame";
    if (!frame->why_not && frame->kept < m->p)
        return "constraints are redundant, and a frame can't contain redundant rows";
    return frame->why_not;
}

static int hamel_open(struct actio_motion *m)
{
    size_t n = m->n, p = m->p, big = n > p ? n : p;
    struct hamel *h = m->obeys.data = actio_alloc(m->ctx, 1, sizeof *h);
    if (!h) return 1;
    h->frame = m->sys->frame;
    h->n = n;
    h->r = n - h->frame->kept;
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &h->M, n * n },
        { &h->Psi, n * n },
        { &h->K, n * n },
        { &h->c, n * n * n },
        { &h->c0, n * n },
        { &h->work, 3 * n * n + n + actio_rank_work(big, big) + big },
        { &h->xi, n },
        { &h->beta, n },
        { &h->change, n * n },
        { &h->part, n },
        { &h->rate, n },
        { &h->sum, n },
        { &h->states, m->m * m->m + m->m },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    h->pivot = actio_alloc(m->ctx, m->N + 1, sizeof *h->pivot);
    h->iwork = actio_alloc(m->ctx, 2 * (n + p) + 1, sizeof *h->iwork);
    return !h->pivot || !h->iwork || actio_motion_make_hidden(m, h->frame->hidden)
           || actio_motion_need(m, ACTIO_Q_FRAME);
}

static void hamel_close(struct actio_motion *m)
{
    struct hamel *h = m->obeys.data;
    if (!h) return;
    void *all[] = { h->M,      h->Psi,  h->K,    h->c,   h->c0,     h->work,  h->xi,    h->beta,
                    h->change, h->part, h->rate, h->sum, h->states, h->pivot, h->iwork, h };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
}

static size_t hamel_size(const struct actio_motion *m)
{
    const struct hamel *h = m->obeys.data;
    return m->n + h->r + m->m;
}

/* LU of M in h->M; Psi in full. */
static int law_hamel_invert(struct hamel *h, const double *M)
{
    size_t n = h->n;
    memcpy(h->M, M, n * n * sizeof *M);
    if (actio_lu_factor(n, h->M, h->pivot)) return ACTIO_FLOW_SINGULAR;
    memset(h->Psi, 0, n * n * sizeof *h->Psi);
    for (size_t i = 0; i < n; i++) h->Psi[i * n + i] = 1;
    actio_lu_solve(n, h->M, h->pivot, h->Psi, n, false);
    return ACTIO_FLOW_OK;
}

/* to = A x, or A' x */
static void law_hamel_times(size_t n, const double *A, const double *x, double *to, bool transposed)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += (transposed ? A[j * n + i] : A[i * n + j]) * x[j];
        to[i] = sum;
    }
}

static int hamel_fold(struct actio_motion *m, double t, const double *y, double *Y)
{
    struct hamel *h = m->obeys.data;
    struct frame_values at = frame_at(m, t, y);
    memcpy(Y, y, m->n * sizeof *Y);
    for (size_t j = 0; j < h->r; j++) Y[m->n + j] = at.m0[j] + actio_dot(h->n, at.M + j * h->n, y + m->n);
    memcpy(Y + m->n + h->r, y + 2 * m->n, m->m * sizeof *Y);
    return ACTIO_FLOW_OK;
}

/* v = Psi (xi - m0), the xi of constraints 0. */
static int hamel_unfold(struct actio_motion *m, double t, const double *Y, double *y)
{
    struct hamel *h = m->obeys.data;
    size_t n = h->n;
    memcpy(y, Y, n * sizeof *y);
    memset(y + n, 0, n * sizeof *y);
    memcpy(y + 2 * n, Y + n + h->r, m->m * sizeof *y);
    struct frame_values at = frame_at(m, t, y);
    int status = law_hamel_invert(h, at.M);
    for (size_t j = 0; j < n; j++) h->part[j] = (j < h->r ? Y[n + j] : 0) - at.m0[j];
    if (!status) law_hamel_times(n, h->Psi, h->part, y + n, false);
    return status;
}

/* s' of the states, which no constraint binds; what they bring to the coordinates' equations is taken off h. */
static int state_rates(struct actio_motion *m, const struct actio_dense_point *at, double *h_q)
{
    struct hamel *h = m->obeys.data;
    size_t n = m->n, k = m->m, N = m->N;
    double *G = h->states, *s = m->here.zdot + n;
    memcpy(h_q, at->h, n * sizeof *h_q);
    if (k == 0) return ACTIO_FLOW_OK;
    for (size_t i = 0; i < k; i++) memcpy(G + i * k, at->G + (n + i) * N + n, k * sizeof *G);
    memcpy(s, at->h + n, k * sizeof *s);
    if (actio_lu_factor(k, G, h->iwork)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(k, G, h->iwork, s, 1, false);
    for (size_t i = 0; i < n; i++) h_q[i] -= actio_dot(k, at->G + i * N + n, s);
    return ACTIO_FLOW_OK;
}

/* What the frame's change along the motion brings: M' = M_q v + M_t in h->change, beta = -Psi (M' v + m0'). */
static void frame_change(struct hamel *h, const struct frame_values *at, const double *v)
{
    size_t n = h->n;
    for (size_t i = 0; i < n * n; i++) {
        h->change[i] = at->M_t[i];
        for (size_t l = 0; l < n; l++) h->change[i] += at->M_q[l * n * n + i] * v[l];
    }
    law_hamel_times(n, h->change, v, h->part, false);
    for (size_t a = 0; a < n; a++) {
        h->part[a] += at->m0_t[a];
        for (size_t l = 0; l < n; l++) h->part[a] += at->m0_q[l * n + a] * v[l];
    }
    law_hamel_times(n, h->Psi, h->part, h->beta, false);
    for (size_t i = 0; i < n; i++) h->beta[i] = -h->beta[i];
}

/* Equation j without xi': brackets, u_j[l], the change of the momentum's own frame, forces. */
static double right_side(struct hamel *h, const struct frame_values *at, const double *v, const double *p,
                         const double *force, size_t j)
{
    size_t n = h->n;
    double sum = 0;
    for (size_t a = 0; a < n; a++) {
        double bracket = h->c0[a * n + j];
        for (size_t i = 0; i < h->r; i++) bracket += h->c[(a * n + i) * n + j] * h->xi[i];
        double moved = 0, turned = 0; /* (M_q u_j) v + m0_q u_j;  (M' Psi)_aj: both with momentum p_a */
        for (size_t l = 0; l < n; l++) {
            double u = h->Psi[l * n + j];
            moved += u * (actio_dot(n, at->M_q + (l * n + a) * n, v) + at->m0_q[l * n + a]);
            turned += h->change[a * n + l] * u;
        }
        sum += p[a] * (bracket - moved + turned);
    }
    for (size_t k = 0; k < n; k++) sum += h->Psi[k * n + j] * force[k];
    return sum;
}

/* xi' into h->rate, z' into m->zdot, at a known state. */
static int law_hamel_accelerations(struct actio_motion *m, double t, const double *y)
{
    struct hamel *h = m->obeys.data;
    struct actio_dense_point point;
    size_t n = h->n, r = h->r, N = m->N;
    const double *v = y + n;
    double *force = h->sum;
    if (actio_motion_matrices(m, t, y, &point)) return ACTIO_FLOW_NAN;
    int status = state_rates(m, &point, force);
    struct frame_values at = frame_at(m, t, y);
    if (!status) status = law_hamel_invert(h, at.M);
    if (status) return status;
    law_hamel_times(n, at.M, v, h->xi, false);
    for (size_t i = 0; i < n; i++) h->xi[i] += at.m0[i];
    frame_change(h, &at, v);
    struct actio_frame_point brackets = { n, h->M, h->pivot, at.m0, at.M_q, at.m0_q, at.M_t };
    actio_brackets(&brackets, h->c, h->c0, h->work);
    double *p = h->work;
    law_hamel_times(n, h->Psi, at.L_v, p, true);
    for (size_t i = 0; i < n; i++) force[i] -= actio_dot(n, point.G + i * N, h->beta);
    for (size_t j = 0; j < r; j++) h->rate[j] = right_side(h, &at, v, p, force, j);
    for (size_t j = 0; j < r; j++) /* Psi' W Psi of the free ones */
        for (size_t i = 0; i < r; i++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++) sum += h->Psi[k * n + j] * point.G[k * N + l] * h->Psi[l * n + i];
            h->K[j * r + i] = sum;
        }
    if (r && actio_lu_factor(r, h->K, h->iwork)) return ACTIO_FLOW_SINGULAR;
    if (r) actio_lu_solve(r, h->K, h->iwork, h->rate, 1, false);
    for (size_t k = 0; k < n; k++) {
        m->here.zdot[k] = h->beta[k];
        for (size_t j = 0; j < r; j++) m->here.zdot[k] += h->Psi[k * n + j] * h->rate[j];
    }
    return ACTIO_FLOW_OK;
}

static int hamel_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    struct hamel *h = m->obeys.data;
    double *y = m->obeys.y;
    int status = hamel_unfold(m, t, Y, y);
    if (!status) status = law_hamel_accelerations(m, t, y);
    memcpy(dY, y + m->n, m->n * sizeof *dY);
    memcpy(dY + m->n, h->rate, h->r * sizeof *dY);
    memcpy(dY + m->n + h->r, m->here.zdot + m->n, m->m * sizeof *dY);
    return status;
}

/* Automatic rows anew: perpendicular to the others as they are here. */
static int hamel_rebase(struct actio_motion *m, double t, const double *y)
{
    struct hamel *h = m->obeys.data;
    size_t n = h->n, first = h->frame->given, count = h->frame->automatic;
    if (count == 0) return ACTIO_FLOW_OK;
    struct frame_values at = frame_at(m, t, y);
    memcpy(h->K, at.M, n * n * sizeof *h->K);
    if (actio_frame_complete(n, first, count, h->K, 1e-9, h->work, h->iwork) < n - count) return ACTIO_FLOW_SINGULAR;
    memcpy(m->here.hidden, h->K + first * n, count * n * sizeof *m->here.hidden);
    actio_motion_prologue(m, ACTIO_Q_FRAME);
    return ACTIO_FLOW_OK;
}

static double hamel_strain(struct actio_motion *m, double t, const double *y)
{
    struct hamel *h = m->obeys.data;
    size_t n = h->n;
    if (h->frame->automatic == 0) return 0;
    struct frame_values at = frame_at(m, t, y);
    memcpy(h->K, at.M, n * n * sizeof *h->K);
    actio_row_scales(n, n, h->K, h->part);
    for (size_t i = 0; i < n * n; i++) h->K[i] *= h->part[i / n];
    double size = actio_norm(n * n, h->K);
    if (law_hamel_invert(h, h->K)) return 1e6;
    return fmin(size * actio_norm(n * n, h->Psi) / ((double)n * WORN), 1e6);
}

/* Accelerations do not depend on the automatic rows: those of this very point serve. */
static int hamel_solve(struct actio_motion *m, double t, const double *y)
{
    int status = hamel_rebase(m, t, y);
    if (!status) status = law_hamel_accelerations(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

const struct actio_law actio_law_hamel = {
    .name = "hamel",
    .objection = hamel_objection,
    .open = hamel_open,
    .close = hamel_close,
    .size = hamel_size,
    .unfold = hamel_unfold,
    .fold = hamel_fold,
    .rates = hamel_rates,
    .solve = hamel_solve,
    .strain = hamel_strain,
    .rebase = hamel_rebase,
};
