/* SPDX-License-Identifier: Apache-2.0
 * A motion that goes by another law than the elimination: the flow of its own state. */
#include "solve/between.h"
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

static int law_rhs(void *user, double t, const double *Y, double *dY)
{
    struct actio_motion *m = user;
    m->evaluations++;
    int status = m->obeys.law->rates(m, t, Y, dY);
    for (size_t i = 0; !status && i < m->flow.n; i++)
        if (!isfinite(dY[i])) status = actio_motion_note_bad(m);
    return status;
}

static int law_unfold(void *user, double t, const double *Y, double *y)
{
    struct actio_motion *m = user;
    return m->obeys.law->unfold(m, t, Y, y);
}

/* A new frame. Where the constraints' own rows are nearly dependent it is strained at once, and another would be no
 * better: then it may double. */
static int take_frame(struct actio_motion *m, double t, const double *y)
{
    int status = m->obeys.law->rebase(m, t, y);
    double strain = !status && m->obeys.law->strain ? m->obeys.law->strain(m, t, y) : 0;
    m->obeys.strain_allowed = fmax(1, 2 * strain);
    return status;
}

static int law_fold(void *user, double t, const double *y, double *Y)
{
    struct actio_motion *m = user;
    int status = m->obeys.based || !m->obeys.law->rebase ? ACTIO_FLOW_OK : take_frame(m, t, y);
    m->obeys.based = true; /* until the next run begins */
    return status ? status : m->obeys.law->fold(m, t, y, Y);
}

/* Positions lie first in Y; the rest of it keeps velocities on their constraints, or is put there with them. */
static int law_project(void *user, double t, double *Y)
{
    struct actio_motion *m = user;
    if (m->obeys.law->project) return m->obeys.law->project(m, t, Y);
    if (!m->obeys.law->unfold) return actio_motion_project(m, t, Y);
    return actio_motion_project_positions(m, t, Y);
}

/* ---- switches of the model first, then the law's own guard, then events, which are only watched */

static void law_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    size_t modes = m->sys->switches.count, events = m->sys->walls.events;
    if (modes) actio_switch_guard(m, t, y, g);
    g[modes] = 1 - m->obeys.law->strain(m, t, y) / m->obeys.strain_allowed;
    if (!events) return;
    const double *gap = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y);
    memcpy(g + modes + 1, gap + actio_first_event(m->sys), events * sizeof *g);
}

static int law_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    size_t modes = m->sys->switches.count;
    if (k < modes) return actio_switch_side(m, k);
    return k == modes ? 1 : 0;
}

static int law_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    return k < m->sys->switches.count ? actio_switch_crossed(m, k, t, y) : take_frame(m, t, y);
}

static int law_passed(void *user, size_t k, double t, const double *y)
{
    struct actio_motion *m = user;
    (void)y;
    return actio_contacts_happens(m->contacts, t, ACTIO_PASSES, k - m->sys->switches.count - 1, 0, "");
}

static void add_strain(struct actio_motion *m)
{
    m->obeys.strain_allowed = 1;
    struct actio_ode *flow = &m->flow;
    flow->guards = m->sys->switches.count + 1 + m->sys->walls.events;
    flow->guard = law_guard;
    flow->side = law_side;
    flow->crossed = law_crossed;
    flow->passed = law_passed;
    flow->sample = NULL;
    flow->timely = false; /* a new frame changes nothing */
}

static void make_law_flow(struct actio_motion *m)
{
    const struct actio_law *law = m->obeys.law;
    struct actio_ode *flow = &m->flow;
    flow->n = law->size(m);
    if (actio_contacts_hard(m)) { /* flights are the law's, the rest that of contacts */
        m->contacts->free_rhs = law_rhs;
        flow->is_free = NULL;
        return;
    }
    flow->rhs = law_rhs;
    flow->project = m->sys->holonomic || ((law->project || !law->unfold) && m->sys->levels) ? law_project : NULL;
    flow->pattern = NULL;
    flow->jacobian = NULL;
    if (law->unfold) {
        flow->known = m->ny;
        flow->unfold = law_unfold;
        flow->fold = law_fold;
    }
    if (law->strain) add_strain(m);
}

int actio_motion_make_dense(struct actio_motion *m)
{
    size_t N = m->N;
    if (m->obeys.G) return 0;
    m->obeys.G = actio_alloc(m->ctx, N * N + 1, sizeof(double));
    m->obeys.A = actio_alloc(m->ctx, m->p * N + 1, sizeof(double));
    m->obeys.y = actio_alloc(m->ctx, m->ny + 1, sizeof(double));
    return !m->obeys.G || !m->obeys.A || !m->obeys.y;
}

/* A matter of time, not of digits: an evaluation costs (n + p)^3, and blades along a string want steps that are shorter
 * with every node. A sleigh that draws
 * 32 links (n + p = 132) takes 5 s by Maggi and 20 s by Gauss at the default accuracy, with 64 links (260) minutes;
 * d'Alembert's band takes 0.6 and 2.4 s. */
const char *actio_law_is_small(struct actio_motion *m, double t, const double *y)
{
    enum { MOST = 200 };
    (void)t;
    (void)y;
    return m->sys->field.axes && m->N + m->p > MOST
               ? "it uses dense matrices, which are too large for these nodes: use fewer with --set NAME.nodes=N"
               : NULL;
}

int actio_motion_obey(struct actio_motion *m, const struct actio_law *law)
{
    if (!law) return 0;
    if (law->lines && (m->sys->field.axes || m->sys->is.curved || (law->gives_way && law->gives_way(m))))
        law = law->lines;
    m->obeys.law = law;
    if (actio_motion_make_dense(m) || (law->open && law->open(m))) {
        actio_report(m->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(m->ctx->bytes_limit)));
        return 1;
    }
    make_law_flow(m);
    actio_between_over(m);
    return 0;
}

int actio_motion_solve_by_law(struct actio_motion *m, double t, const double *y)
{
    if (actio_between_any(m)) return actio_between_solve(m, t, y, true);
    return m->obeys.law ? m->obeys.law->solve(m, t, y) : actio_motion_solve(m, t, y);
}

void actio_motion_disobey(struct actio_motion *m)
{
    if (m->obeys.law && m->obeys.law->close) m->obeys.law->close(m);
    actio_free(m->ctx, m->obeys.G);
    actio_free(m->ctx, m->obeys.A);
    actio_free(m->ctx, m->obeys.y);
    m->obeys.law = NULL;
    m->obeys.G = m->obeys.A = m->obeys.y = NULL;
}

static void law_spread(const struct actio_places *at, const double *value, double *to, size_t rows, size_t cols)
{
    memset(to, 0, rows * cols * sizeof *to);
    for (size_t i = 0; i < at->count; i++) to[at->row[i] * cols + at->col[i]] += value[i];
}

int actio_motion_matrices(struct actio_motion *m, double t, const double *y, struct actio_dense_point *at)
{
    const struct actio_system *sys = m->sys;
    const double *values = actio_motion_values(m, t, y);
    if (!values) return ACTIO_FLOW_NAN;
    law_spread(&sys->G, values, m->obeys.G, m->N, m->N);
    law_spread(&sys->A, values + sys->G.count, m->obeys.A, m->p, m->N);
    at->G = m->obeys.G;
    at->A = m->obeys.A;
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

/* D' lambda = R: by singular values of D with rows of length 1, so that a row's unit does not decide whether it counts;
 * those that are rounding beside the largest are left out. Returns the rank, or SIZE_MAX. */
static size_t solve_multipliers(const struct actio_motion *m, const double *D, const double *scale, double *work)
{
    size_t N = m->N, p = m->p, k = N < p ? N : p, rank = 0;
    double *sigma = work, *u = sigma + k, *v = u + p * k, *rest = v + N * k;
    memset(m->here.lambda, 0, p * sizeof *m->here.lambda);
    if (actio_svd(p, N, D, sigma, u, v, rest)) return SIZE_MAX;
    for (; rank < k && sigma[rank] > 1e-9 * sigma[0]; rank++) {
        double part = 0;
        for (size_t i = 0; i < N; i++) part += v[i * k + rank] * m->here.reaction[i];
        for (size_t i = 0; i < p; i++) m->here.lambda[i] += scale[i] * u[i * k + rank] * part / sigma[rank];
    }
    return rank;
}

/* Multipliers that make up no force, D' x = 0, are taken off: what stays is of least norm in the units of the rows as
 * they are written. */
static void take_off_idle(const struct actio_motion *m, const double *D, const double *scale, double *work, int *iwork)
{
    size_t N = m->N, p = m->p;
    double *turned = work, *basis = turned + N * p, *rest = basis + p * p;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < N; j++) turned[j * p + i] = D[i * N + j];
    /* as it is: what rounding leaves in a row of D' is not made as long as the others */
    size_t rank = actio_row_bases_as_is(N, p, turned, 1e-9, basis, rest, iwork);
    /* x = scale * null vector of the scaled rows; made orthonormal one after the other, twice */
    for (size_t a = rank; a < p; a++) {
        double *x = basis + a * p;
        for (size_t i = 0; i < p; i++) x[i] *= scale[i];
        for (int round = 0; round < 2; round++)
            for (size_t b = rank; b < a; b++) {
                double part = actio_dot(p, basis + b * p, x);
                for (size_t i = 0; i < p; i++) x[i] -= part * basis[b * p + i];
            }
        double size = actio_norm(p, x);
        for (size_t i = 0; i < p; i++) x[i] = size > 0 ? x[i] / size : 0;
        double part = actio_dot(p, x, m->here.lambda);
        for (size_t i = 0; i < p; i++) m->here.lambda[i] -= part * x[i];
    }
}

static int multipliers(struct actio_motion *m, const double *values)
{
    const struct actio_system *sys = m->sys;
    size_t N = m->N, p = m->p, k = N < p ? N : p, big = N > p ? N : p;
    size_t svd = k * (1 + p + N) + 2 * p * N + N * N + p * p, bases = N * p + p * p + actio_rank_work(big, big);
    double *D = actio_alloc(m->ctx, p * N + p + (svd > bases ? svd : bases), sizeof *D);
    int *iwork = actio_alloc(m->ctx, N + p + 1, sizeof *iwork);
    double *scale = D + p * N;
    size_t rank = SIZE_MAX;
    if (D && iwork) {
        for (size_t i = 0; i < sys->D.count; i++)
            D[sys->D.row[i] * N + sys->D.col[i]] += values[sys->G.count + sys->A.count + i];
        actio_row_scales(p, N, D, scale);
        for (size_t i = 0; i < p * N; i++) D[i] *= scale[i / N];
        rank = solve_multipliers(m, D, scale, scale + p);
        if (rank < p) take_off_idle(m, D, scale, scale + p, iwork);
    }
    bool had_memory = D && iwork;
    actio_free(m->ctx, D);
    actio_free(m->ctx, iwork);
    return rank != SIZE_MAX ? ACTIO_FLOW_OK : had_memory ? ACTIO_FLOW_NAN : ACTIO_FLOW_FAILED;
}

int actio_motion_react(struct actio_motion *m, double t, const double *y)
{
    const struct actio_system *sys = m->sys;
    const double *values = actio_motion_values(m, t, y);
    if (!values) return ACTIO_FLOW_NAN;
    const double *h = values + sys->G.count + sys->A.count + sys->D.count;
    for (size_t i = 0; i < m->N; i++) m->here.reaction[i] = -h[i];
    for (size_t i = 0; i < sys->G.count; i++)
        m->here.reaction[sys->G.row[i]] += values[i] * m->here.zdot[sys->G.col[i]];
    if (m->p == 0) memset(m->here.reaction, 0, m->N * sizeof *m->here.reaction);
    return m->p ? multipliers(m, values) : ACTIO_FLOW_OK;
}
