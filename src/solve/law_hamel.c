/* SPDX-License-Identifier: Apache-2.0
 * Hamel's equations in quasi-velocities, with brackets  [SBZB 3.5, HAMEL A.1].
 *     d/dt dl/dxi_j = (c^a_ij xi_i + c^a_0j) dl/dxi_a + u_j[l] + Psi_j Q,   v = Psi (xi - m0),   j over the xi that the
 *     constraints leave free
 * The derivatives of l are taken before the others are set to 0: all momenta enter through the brackets. By an identity
 * the brackets cancel against what the frame's own change brings; they are computed nevertheless, and so prove each
 * other. */
#include "solve/framed.h"
#include "algebra/brackets.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

struct hamel {
    struct actio_framed f; /* its inverse is Psi */
    double *c, *c0, *xi, *beta, *change, *sum, *states;
};

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
    size_t n = m->n;
    struct hamel *h = m->obeys.data = actio_alloc(m->ctx, 1, sizeof *h);
    if (!h) return 1;
    h->f.frame = m->sys->frame;
    h->f.r = n - h->f.frame->kept;
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &h->c, n * n * n },
        { &h->c0, n * n },
        { &h->xi, n },
        { &h->beta, n },
        { &h->change, n * n },
        { &h->sum, n },
        { &h->states, m->m * m->m + m->m },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    return actio_framed_open(m, &h->f);
}

static void hamel_close(struct actio_motion *m)
{
    struct hamel *h = m->obeys.data;
    if (!h) return;
    void *all[] = { h->c, h->c0, h->xi, h->beta, h->change, h->sum, h->states, h };
    actio_framed_close(m, &h->f);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
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

/* v = Psi (xi - m0), the xi of constraints 0. */
static int hamel_unfold(struct actio_motion *m, double t, const double *Y, double *y)
{
    struct hamel *h = m->obeys.data;
    size_t n = h->f.n;
    memcpy(y, Y, n * sizeof *y);
    memset(y + n, 0, n * sizeof *y);
    memcpy(y + 2 * n, Y + n + h->f.r, m->m * sizeof *y);
    struct actio_frame_values at = actio_framed_at(m, t, y);
    int status = actio_framed_invert(&h->f, at.M);
    for (size_t j = 0; j < n; j++) h->f.part[j] = (j < h->f.r ? Y[n + j] : 0) - at.m0[j];
    if (!status) law_hamel_times(n, h->f.inverse, h->f.part, y + n, false);
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
    if (actio_lu_factor(k, G, h->f.iwork)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(k, G, h->f.iwork, s, 1, false);
    for (size_t i = 0; i < n; i++) h_q[i] -= actio_dot(k, at->G + i * N + n, s);
    return ACTIO_FLOW_OK;
}

/* What the frame's change along the motion brings: M' = M_q v + M_t in h->change, beta = -Psi (M' v + m0'). */
static void frame_change(struct hamel *h, const struct actio_frame_values *at, const double *v)
{
    size_t n = h->f.n;
    for (size_t i = 0; i < n * n; i++) {
        h->change[i] = at->M_t[i];
        for (size_t l = 0; l < n; l++) h->change[i] += at->M_q[l * n * n + i] * v[l];
    }
    law_hamel_times(n, h->change, v, h->f.part, false);
    for (size_t a = 0; a < n; a++) {
        h->f.part[a] += at->m0_t[a];
        for (size_t l = 0; l < n; l++) h->f.part[a] += at->m0_q[l * n + a] * v[l];
    }
    law_hamel_times(n, h->f.inverse, h->f.part, h->beta, false);
    for (size_t i = 0; i < n; i++) h->beta[i] = -h->beta[i];
}

/* Equation j without xi': brackets, u_j[l], the change of the momentum's own frame, forces. */
static double right_side(struct hamel *h, const struct actio_frame_values *at, const double *v, const double *p,
                         const double *force, size_t j)
{
    size_t n = h->f.n;
    double sum = 0;
    for (size_t a = 0; a < n; a++) {
        double bracket = h->c0[a * n + j];
        for (size_t i = 0; i < h->f.r; i++) bracket += h->c[(a * n + i) * n + j] * h->xi[i];
        double moved = 0, turned = 0; /* (M_q u_j) v + m0_q u_j;  (M' Psi)_aj: both with momentum p_a */
        for (size_t l = 0; l < n; l++) {
            double u = h->f.inverse[l * n + j];
            moved += u * (actio_dot(n, at->M_q + (l * n + a) * n, v) + at->m0_q[l * n + a]);
            turned += h->change[a * n + l] * u;
        }
        sum += p[a] * (bracket - moved + turned);
    }
    for (size_t k = 0; k < n; k++) sum += h->f.inverse[k * n + j] * force[k];
    return sum;
}

/* xi' into h->f.rate, z' into m->zdot, at a known state. */
static int law_hamel_accelerations(struct actio_motion *m, double t, const double *y)
{
    struct hamel *h = m->obeys.data;
    struct actio_dense_point point;
    size_t n = h->f.n, r = h->f.r, N = m->N;
    const double *v = y + n;
    double *force = h->sum;
    if (actio_motion_matrices(m, t, y, &point)) return ACTIO_FLOW_NAN;
    int status = state_rates(m, &point, force);
    struct actio_frame_values at = actio_framed_at(m, t, y);
    if (!status) status = actio_framed_invert(&h->f, at.M);
    if (status) return status;
    law_hamel_times(n, at.M, v, h->xi, false);
    for (size_t i = 0; i < n; i++) h->xi[i] += at.m0[i];
    frame_change(h, &at, v);
    struct actio_frame_point brackets = { n, h->f.M, h->f.pivot, at.m0, at.M_q, at.m0_q, at.M_t };
    actio_brackets(&brackets, h->c, h->c0, h->f.work);
    double *p = h->f.work;
    law_hamel_times(n, h->f.inverse, at.L_v, p, true);
    for (size_t i = 0; i < n; i++) force[i] -= actio_dot(n, point.G + i * N, h->beta);
    for (size_t j = 0; j < r; j++) h->f.rate[j] = right_side(h, &at, v, p, force, j);
    for (size_t j = 0; j < r; j++) /* Psi' W Psi of the free ones */
        for (size_t i = 0; i < r; i++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    sum += h->f.inverse[k * n + j] * point.G[k * N + l] * h->f.inverse[l * n + i];
            h->f.K[j * r + i] = sum;
        }
    if (r && actio_lu_factor(r, h->f.K, h->f.iwork)) return ACTIO_FLOW_SINGULAR;
    if (r) actio_lu_solve(r, h->f.K, h->f.iwork, h->f.rate, 1, false);
    for (size_t k = 0; k < n; k++) {
        m->here.zdot[k] = h->beta[k];
        for (size_t j = 0; j < r; j++) m->here.zdot[k] += h->f.inverse[k * n + j] * h->f.rate[j];
    }
    return ACTIO_FLOW_OK;
}

static int hamel_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    double *y = m->obeys.y;
    int status = hamel_unfold(m, t, Y, y);
    if (!status) status = law_hamel_accelerations(m, t, y);
    actio_framed_rates(m, y, dY);
    return status;
}

/* Accelerations do not depend on the automatic rows: those of this very point serve. */
static int hamel_solve(struct actio_motion *m, double t, const double *y)
{
    int status = actio_framed_rebase(m, t, y);
    if (!status) status = law_hamel_accelerations(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

const struct actio_law actio_law_hamel = {
    .name = "hamel",
    .objection = hamel_objection,
    .open = hamel_open,
    .close = hamel_close,
    .size = actio_framed_size,
    .unfold = hamel_unfold,
    .fold = actio_framed_fold,
    .rates = hamel_rates,
    .solve = hamel_solve,
    .strain = actio_framed_strain,
    .rebase = actio_framed_rebase,
};
