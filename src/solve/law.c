/* SPDX-License-Identifier: Apache-2.0
 * A motion that goes by another law than the elimination: the flow of its own state. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

static int law_rhs(void *user, double t, const double *Y, double *dY)
{
    struct actio_motion *m = user;
    m->evaluations++;
    int status = m->law->rates(m, t, Y, dY);
    for (size_t i = 0; !status && i < m->flow.n; i++)
        if (!isfinite(dY[i])) status = actio_motion_note_bad(m);
    return status;
}

static int law_unfold(void *user, double t, const double *Y, double *y)
{
    struct actio_motion *m = user;
    return m->law->unfold(m, t, Y, y);
}

static int law_fold(void *user, double t, const double *y, double *Y)
{
    struct actio_motion *m = user;
    int status = m->based || !m->law->rebase ? ACTIO_FLOW_OK : m->law->rebase(m, t, y);
    m->based = true;                                       /* until the next run begins */
    return status ? status : m->law->fold(m, t, y, Y);
}

/* Positions lie first in Y; the rest of it keeps velocities on their constraints, or is put there with them. */
static int law_project(void *user, double t, double *Y)
{
    struct actio_motion *m = user;
    if (!m->law->unfold) return actio_motion_project(m, t, Y);
    return actio_motion_project_positions(m, t, Y);
}

/* ---- switches of the model first, then the law's own guard */

static void law_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    size_t modes = m->sys->modes;
    if (modes) actio_switch_guard(m, t, y, g);
    g[modes] = 1 - m->law->strain(m, t, y);
}

static int law_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    return k < m->sys->modes ? actio_switch_side(m, k) : 1;
}

static int law_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    return k < m->sys->modes ? actio_switch_crossed(m, k, t, y) : m->law->rebase(m, t, y);
}

static void make_law_flow(struct actio_motion *m)
{
    const struct actio_law *law = m->law;
    struct actio_flow *flow = &m->flow;
    flow->n = law->size(m);
    if (m->contacts) { m->contacts->free_rhs = law_rhs, flow->is_free = NULL; return; }          /* flights are the law's, the rest that of contacts */
    flow->rhs = law_rhs;
    flow->project = m->sys->holonomic || (!law->unfold && m->sys->levels) ? law_project : NULL;
    flow->pattern = NULL, flow->jacobian = NULL;
    if (law->unfold) flow->known = m->ny, flow->unfold = law_unfold, flow->fold = law_fold;
    if (law->strain) flow->guards = m->sys->modes + 1, flow->guard = law_guard, flow->side = law_side, flow->crossed = law_crossed;
}

int actio_motion_make_dense(struct actio_motion *m)
{
    size_t N = m->N;
    if (m->law_G) return 0;
    m->law_G = actio_take(m->ctx, N * N + 1, sizeof(double));
    m->law_A = actio_take(m->ctx, m->p * N + 1, sizeof(double));
    m->law_y = actio_take(m->ctx, m->ny + 1, sizeof(double));
    return !m->law_G || !m->law_A || !m->law_y;
}

/* A matter of time, not of digits: an evaluation costs (n + p)^3, and blades along a string want steps that are shorter with every node. A sleigh that draws
 * 32 links (n + p = 132) takes 5 s by Maggi and 20 s by Gauss at the default accuracy, with 64 links (260) minutes; d'Alembert's band takes 0.6 and 2.4 s. */
const char *actio_law_is_small(struct actio_motion *m, double t, const double *y)
{
    enum { MOST = 200 };
    (void)t, (void)y;
    return m->sys->axes && m->N + m->p > MOST ? "it works with full matrices, and these nodes are too many for them: take fewer with --set NAME.nodes=N" : NULL;
}

int actio_motion_obey(struct actio_motion *m, const struct actio_law *law)
{
    if (!law) return 0;
    if (law->lines && (m->sys->axes || m->sys->curved)) law = law->lines;
    m->law = law;
    if (actio_motion_make_dense(m) || (law->open && law->open(m))) {
        actio_find(m->ctx->findings, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(m->ctx->bytes_limit)));
        return 1;
    }
    make_law_flow(m);
    return 0;
}

void actio_motion_disobey(struct actio_motion *m)
{
    if (m->law && m->law->close) m->law->close(m);
    actio_give(m->ctx, m->law_G);
    actio_give(m->ctx, m->law_A);
    actio_give(m->ctx, m->law_y);
    m->law = NULL;
    m->law_G = m->law_A = m->law_y = NULL;
}

static void spread(const struct actio_places *at, const double *value, double *to, size_t rows, size_t cols)
{
    memset(to, 0, rows * cols * sizeof *to);
    for (size_t i = 0; i < at->count; i++) to[at->row[i] * cols + at->col[i]] += value[i];
}

int actio_motion_matrices(struct actio_motion *m, double t, const double *y, struct actio_dense_point *at)
{
    const struct actio_system *sys = m->sys;
    const double *values = actio_motion_values(m, t, y);
    if (!values) return ACTIO_FLOW_NAN;
    spread(&sys->G, values, m->law_G, m->N, m->N);
    spread(&sys->A, values + sys->G.count, m->law_A, m->p, m->N);
    at->G = m->law_G, at->A = m->law_A;
    at->h = values + sys->G.count + sys->A.count + sys->D.count;
    at->c = at->h + m->N;
    return ACTIO_FLOW_OK;
}

void actio_motion_residuals(struct actio_motion *m, double t, const double *y, double *phi)
{
    const struct actio_system *sys = m->sys;
    memset(phi, 0, m->p * sizeof *phi);
    if (!sys->levels) return;
    const double *level = actio_motion_levels(m, t, y) + sys->holonomic;
    for (size_t i = 0; i < sys->levels; i++) phi[sys->velocity_row[i]] = level[i];
}

/* D' lambda = R by singular values of D with rows of length 1; those that are rounding beside the largest are left out. */
static int multipliers(struct actio_motion *m, const double *values)
{
    const struct actio_system *sys = m->sys;
    size_t N = m->N, p = m->p, k = N < p ? N : p;
    double *D = actio_take(m->ctx, p * N + 2 * p + k * (1 + p + N) + 2 * p * N + N * N + p * p, sizeof *D);
    if (!D) return ACTIO_FLOW_FAILED;
    double *scale = D + p * N, *sigma = scale + 2 * p, *u = sigma + k, *v = u + p * k, *work = v + N * k;
    for (size_t i = 0; i < sys->D.count; i++) D[sys->D.row[i] * N + sys->D.col[i]] += values[sys->G.count + sys->A.count + i];
    actio_row_scales(p, N, D, scale);
    for (size_t i = 0; i < p * N; i++) D[i] *= scale[i / N];
    memset(m->lambda, 0, p * sizeof *m->lambda);
    int bad = actio_svd(p, N, D, sigma, u, v, work);
    for (size_t j = 0; !bad && j < k && sigma[j] > 1e-9 * sigma[0]; j++) {
        double part = 0;
        for (size_t i = 0; i < N; i++) part += v[i * k + j] * m->reaction[i];
        for (size_t i = 0; i < p; i++) m->lambda[i] += scale[i] * u[i * k + j] * part / sigma[j];
    }
    actio_give(m->ctx, D);
    return bad ? ACTIO_FLOW_NAN : ACTIO_FLOW_OK;
}

int actio_motion_react(struct actio_motion *m, double t, const double *y)
{
    const struct actio_system *sys = m->sys;
    const double *values = actio_motion_values(m, t, y);
    if (!values) return ACTIO_FLOW_NAN;
    const double *h = values + sys->G.count + sys->A.count + sys->D.count;
    for (size_t i = 0; i < m->N; i++) m->reaction[i] = -h[i];
    for (size_t i = 0; i < sys->G.count; i++) m->reaction[sys->G.row[i]] += values[i] * m->zdot[sys->G.col[i]];
    if (m->p == 0) memset(m->reaction, 0, m->N * sizeof *m->reaction);
    return m->p ? multipliers(m, values) : ACTIO_FLOW_OK;
}
