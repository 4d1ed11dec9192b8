/* SPDX-License-Identifier: Apache-2.0
 * Gibbs (1879) and Appell (1899): dS/du' = Q for the quasi-velocities u that the constraints leave free, S the energy
 * of accelerations (equations/gibbs.c).
 *     state (q, u, s);  u = M q' + m0;  q'' = X u' + beta,  M X = (1, 0),  M beta = -(M' q' + m0');  X' S_aa X u' = X'
 *     (Q - S_a(beta))
 * The frame M is that of Hamel's equations, completed where the model's own is not whole. Where there is none
 * (constraints that are not affine, on accelerations, or redundant), X is a basis of the directions that the
 * constraints leave free at the point, beta the shortest acceleration on them, and the state is (q, v, s). */
#include "algebra/brackets.h"
#include "algebra/dense.h"
#include "derive/framing.h"
#include "derive/square.h"
#include "expr/normal.h"
#include "principle/principles.h"
#include "solve/framed.h"

#include <math.h>
#include <string.h>

#define RANK_TOL 1e-9
/* of rows known to be redundant: inside a step they depend on each other only as far as positions fit */
#define REDUNDANT_TOL 1e-6
enum { MOST = 100 }; /* coordinates: S has n^2 second derivatives, a frame n^3 numbers */

struct appell {
    struct actio_framed f;
    double *X, *beta, *states, *copy, *right;
};
/* Places in the outputs of GIBBS. */
struct gibbs_values {
    const double *slope, *curvature, *force;
};

/* With the accelerations and state rates that stand in m->zdot. */
static struct gibbs_values gibbs_at(struct actio_motion *m, double t, const double *y)
{
    const double *x = actio_motion_quantity(m, ACTIO_Q_GIBBS, t, y);
    return (struct gibbs_values){ x, x + m->n, x + m->n + m->n * m->n };
}

/* ---- opening */

static const char *appell_objection(struct actio_motion *m, double t, const double *y)
{
    if (m->n == 0) return "there are no coordinates";
    if (m->n > MOST) return "there are more than 100 coordinates";
    return actio_system_frame(m->sys, t, y) ? NULL : "there is no memory for a frame";
}

static bool is_unframed(const struct actio_motion *m)
{
    const struct actio_frame *frame = m->sys->frame;
    return !frame || frame->why_not || frame->kept < m->p || m->sys->is.switched;
}

static int appell_open(struct actio_motion *m)
{
    size_t n = m->n, p = m->p, big = n > p ? n : p;
    struct appell *a = m->obeys.data = actio_alloc(m->ctx, 1, sizeof *a);
    if (!a) return 1;
    a->f.frame = is_unframed(m) ? NULL : m->sys->frame;
    a->f.r = n - (a->f.frame ? a->f.frame->kept : m->rows.rank);
    struct {
        double **at;
        size_t count;
    } want[] = {
        { &a->X, n * n },
        { &a->beta, n },
        { &a->copy, big * big },
        { &a->right, p },
        { &a->states, m->m * m->m + m->m },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].at = actio_alloc(m->ctx, want[i].count + 1, sizeof(double)))) return 1;
    return actio_framed_open(m, &a->f) || actio_motion_need(m, ACTIO_Q_GIBBS);
}

static void close(struct actio_motion *m)
{
    struct appell *a = m->obeys.data;
    if (!a) return;
    void *all[] = { a->X, a->beta, a->copy, a->right, a->states, a };
    actio_framed_close(m, &a->f);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
}

/* ---- the state */

/* M v = u - m0, the u of constraints 0. */
static int unfold(struct actio_motion *m, double t, const double *Y, double *y)
{
    struct appell *a = m->obeys.data;
    size_t n = a->f.n;
    double *v = y + n;
    memcpy(y, Y, n * sizeof *y);
    memset(v, 0, n * sizeof *v);
    memcpy(y + 2 * n, Y + n + a->f.r, m->m * sizeof *y);
    struct actio_frame_values at = actio_framed_at(m, t, y);
    memcpy(a->f.M, at.M, n * n * sizeof *a->f.M);
    if (actio_lu_factor(n, a->f.M, a->f.pivot)) return ACTIO_FLOW_SINGULAR;
    for (size_t j = 0; j < n; j++) v[j] = (j < a->f.r ? Y[n + j] : 0) - at.m0[j];
    actio_lu_solve(n, a->f.M, a->f.pivot, v, 1, false);
    return ACTIO_FLOW_OK;
}

/* ---- accelerations that the constraints allow: q'' = X w + beta */

/* M' v + m0' of row i. */
static double frame_change(const struct actio_frame_values *at, size_t n, const double *v, size_t i)
{
    double sum = at->m0_t[i] + actio_dot(n, at->M_t + i * n, v);
    for (size_t l = 0; l < n; l++) sum += v[l] * (at->m0_q[l * n + i] + actio_dot(n, at->M_q + (l * n + i) * n, v));
    return sum;
}

static int along_frame(struct actio_motion *m, double t, const double *y)
{
    struct appell *a = m->obeys.data;
    size_t n = a->f.n, r = a->f.r;
    struct actio_frame_values at = actio_framed_at(m, t, y);
    memcpy(a->f.M, at.M, n * n * sizeof *a->f.M);
    if (actio_lu_factor(n, a->f.M, a->f.pivot)) return ACTIO_FLOW_SINGULAR;
    for (size_t i = 0; i < n; i++) a->beta[i] = -frame_change(&at, n, y + n, i);
    actio_lu_solve(n, a->f.M, a->f.pivot, a->beta, 1, false);
    memset(a->X, 0, n * r * sizeof *a->X);
    for (size_t j = 0; j < r; j++) a->X[j * r + j] = 1;
    if (r) actio_lu_solve(n, a->f.M, a->f.pivot, a->X, r, false);
    return ACTIO_FLOW_OK;
}

/* Rows of A without the columns of states, which are 0, and their right sides. Redundant ones count by what they were
 * at their longest: one that vanishes at an instant drops out, and the others hold. */
static void take_rows(const struct actio_motion *m, const struct actio_dense_point *at, double *to, double *right)
{
    size_t n = m->n;
    for (size_t k = 0; k < m->p; k++) {
        const double *row = at->A + k * m->N;
        double square = fmax(actio_saddle_longest(m->saddle, k), actio_dot(n, row, row));
        double scale = m->rows.rank < m->p && square > 0 ? 1 / sqrt(square) : 1;
        for (size_t i = 0; i < n; i++) to[k * n + i] = scale * row[i];
        right[k] = scale * at->c[k];
    }
}

static int along_directions(struct actio_motion *m, const struct actio_dense_point *at)
{
    struct appell *a = m->obeys.data;
    size_t n = a->f.n, r = a->f.r, p = m->p, rank;
    bool redundant = m->rows.rank < p;
    double defect, tol = redundant ? REDUNDANT_TOL : RANK_TOL;
    memset(a->beta, 0, n * sizeof *a->beta);
    for (size_t i = 0; i < n * n && p == 0; i++) a->X[i] = i % (n + 1) == 0;
    if (p == 0) return ACTIO_FLOW_OK;
    take_rows(m, at, a->copy, a->right);
    rank = (redundant ? actio_min_norm_as_is : actio_min_norm)(p, n, a->copy, a->right, tol, a->beta, &defect,
                                                               a->f.work, a->f.iwork);
    if (rank != n - r) return ACTIO_FLOW_SINGULAR;
    take_rows(m, at, a->copy, a->right);
    rank = redundant ? actio_row_bases_as_is(p, n, a->copy, tol, a->f.M, a->f.work, a->f.iwork)
                     : actio_row_bases(p, n, a->copy, tol, a->f.M, a->f.work, a->f.iwork);
    if (rank != n - r) return ACTIO_FLOW_SINGULAR;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < n; i++) a->X[i * r + j] = a->f.M[(n - r + j) * n + i];
    return ACTIO_FLOW_OK;
}

/* s' of the states, which no constraint binds. */
static int state_rates(struct actio_motion *m, const struct actio_dense_point *at)
{
    struct appell *a = m->obeys.data;
    size_t n = m->n, k = m->m;
    double *G = a->states, *s = m->here.zdot + n;
    for (size_t i = 0; i < k; i++) memcpy(G + i * k, at->G + (n + i) * m->N + n, k * sizeof *G);
    memcpy(s, at->h + n, k * sizeof *s);
    if (k && actio_lu_factor(k, G, a->f.iwork)) return ACTIO_FLOW_SINGULAR;
    if (k) actio_lu_solve(k, G, a->f.iwork, s, 1, false);
    return ACTIO_FLOW_OK;
}

/* ---- dS/du' = Q */

/* X' S_aa X into K, X' (Q - S_a(beta)) into rate. */
static void form_equations(struct appell *a, const struct gibbs_values *S)
{
    size_t n = a->f.n, r = a->f.r;
    const double *X = a->X;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < r; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += S->curvature[i * n + k] * X[k * r + j];
            a->f.work[i * r + j] = sum;
        }
    for (size_t i = 0; i < r; i++) {
        a->f.rate[i] = 0;
        for (size_t k = 0; k < n; k++) a->f.rate[i] += X[k * r + i] * (S->force[k] - S->slope[k]);
        for (size_t j = 0; j < r; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += X[k * r + i] * a->f.work[k * r + j];
            a->f.K[i * r + j] = sum;
        }
    }
}

/* u' into a->f.rate, z' into m->zdot, at a known state. */
static int appell_accelerations(struct actio_motion *m, double t, const double *y)
{
    struct appell *a = m->obeys.data;
    struct actio_dense_point at;
    if (!a->f.frame) a->f.r = a->f.n - m->rows.rank; /* it may change at a switch */
    size_t n = a->f.n, r = a->f.r;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    int status = state_rates(m, &at);
    if (!status) status = a->f.frame ? along_frame(m, t, y) : along_directions(m, &at);
    if (status) return status;
    memcpy(m->here.zdot, a->beta, n * sizeof *a->beta);
    struct gibbs_values S = gibbs_at(m, t, y);
    form_equations(a, &S);
    if (r && actio_lu_factor(r, a->f.K, a->f.iwork)) return ACTIO_FLOW_SINGULAR;
    if (r) actio_lu_solve(r, a->f.K, a->f.iwork, a->f.rate, 1, false);
    for (size_t k = 0; k < n; k++) m->here.zdot[k] += actio_dot(r, a->X + k * r, a->f.rate);
    return ACTIO_FLOW_OK;
}

static int appell_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    double *y = m->obeys.y;
    int status = unfold(m, t, Y, y);
    if (!status) status = appell_accelerations(m, t, y);
    actio_framed_rates(m, y, dY);
    return status;
}

/* Accelerations do not depend on the automatic rows: those of this very point serve. */
static int appell_solve(struct actio_motion *m, double t, const double *y)
{
    int status = actio_framed_rebase(m, t, y);
    if (!status) status = appell_accelerations(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

/* ---- without a frame */

static size_t plain_size(const struct actio_motion *m) { return m->ny; }

static int plain_rates(struct actio_motion *m, double t, const double *y, double *dy)
{
    int status = appell_accelerations(m, t, y);
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, m->here.zdot, m->N * sizeof *dy);
    return status;
}

static const struct actio_law unframed = { .name = "appell",
                                           .open = appell_open,
                                           .close = close,
                                           .size = plain_size,
                                           .rates = plain_rates,
                                           .solve = appell_solve,
                                           .any_rank = true };

static const struct actio_law law = {
    .name = "appell",
    .objection = appell_objection,
    .open = appell_open,
    .close = close,
    .size = actio_framed_size,
    .unfold = unfold,
    .fold = actio_framed_fold,
    .rates = appell_rates,
    .solve = appell_solve,
    .strain = actio_framed_strain,
    .rebase = actio_framed_rebase,
    .lines = &unframed,
    .gives_way = is_unframed,
};

/* ---- on paper */

enum { ROOM = ACTIO_FRAMING_ROOM, SHORT = 400 }; /* operations of a formula worth reading */

/* Velocities and accelerations by quasi-velocities that are free and their rates; without a frame by themselves. */
struct moving {
    struct actio_derivation *d;
    size_t r;
    actio_expr u[ROOM], rate[ROOM], *from, *to, S;
};

static actio_expr rate_named(struct actio_derivation *d, const struct actio_framing_row *row)
{
    struct actio_text latex;
    if (!actio_is_zero(row->rate)) return row->rate;
    actio_text_open(&latex, &d->arena);
    actio_latex_accented("\\dot", row->of, &latex);
    return actio_shown_symbol(d, actio_arena_format(&d->arena, "%s'", row->of), latex.s);
}

static void show_or_say(struct actio_derivation *d, actio_expr left, actio_expr right, const char *what)
{
    right = actio_group(&d->F->pool, right);
    if (actio_tidy_size(d, left) + actio_tidy_size(d, right) <= SHORT) actio_shown_equation(d, NULL, left, right);
    else actio_shown_words(d, actio_arena_format(&d->arena, "%s is too long to display", what));
}

static actio_expr by_u(const struct moving *m, actio_expr e)
{
    return actio_substitute(&m->d->F->pool, e, m->from, m->to, 2 * m->d->F->n);
}

/* The rate of a velocity that is a function of q, u, t. */
static actio_expr acceleration(const struct moving *m, const actio_expr *v, size_t k)
{
    struct actio_formation *F = m->d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr sum = actio_diff(pool, v[k], F->sym.time);
    for (size_t j = 0; j < m->r; j++)
        sum = actio_add(pool, sum, actio_times(pool, actio_diff(pool, v[k], m->u[j]), m->rate[j]));
    for (size_t l = 0; l < F->n; l++)
        sum = actio_add(pool, sum, actio_times(pool, actio_diff(pool, v[k], F->sym.q[l]), v[l]));
    return actio_tidy_in(m->d, actio_tidy(m->d, sum), m->rate, m->r);
}

/* The u of constraints are 0. */
static void find_motion(struct moving *m, const struct actio_framing *f)
{
    struct actio_formation *F = m->d->F;
    size_t n = F->n;
    m->r = n - F->sys.frame->kept;
    actio_expr *v = m->to;
    for (size_t j = 0; j < m->r; j++) {
        m->u[j] = f->row[j].name;
        m->rate[j] = rate_named(m->d, &f->row[j]);
    }
    for (size_t k = 0; k < n; k++) {
        v[k] = f->w[k];
        for (size_t j = 0; j < m->r; j++)
            v[k] = actio_add(&F->pool, v[k], actio_times(&F->pool, f->Psi[k * n + j], m->u[j]));
        v[k] = actio_tidy(m->d, v[k]);
    }
    for (size_t k = 0; k < n; k++) m->to[n + k] = acceleration(m, v, k);
}

/* What has no rate in it is left out: it has no part in dS/du'. */
static actio_expr with_rates(struct actio_derivation *d, actio_expr S, const actio_expr *rate, size_t r)
{
    struct actio_pool *pool = &d->F->pool;
    actio_expr rest = actio_substitute(pool, S, rate, actio_form_array(d->F, r, sizeof *rate), r);
    return actio_tidy_in(d, actio_tidy(d, actio_sub(pool, S, rest)), rate, r);
}

static void show_gibbs(struct actio_derivation *d, actio_expr S)
{
    actio_shown_section(d, "gibbs", "Gibbs function, the energy of accelerations",
                        "1/2*q''*W*q'' + ..., up to a part without rates", "");
    show_or_say(d, actio_shown_free(d, "S", "Gibbs", "S"), S, "it");
}

static void begin_equations(struct actio_derivation *d, const char *rule, const char *latex)
{
    actio_shown_section(d, "appell", "Equations of motion", rule, latex);
}

static void show_states(struct moving *m)
{
    struct actio_formation *F = m->d->F;
    actio_expr *left, *right;
    actio_derive_balance(m->d, &left, &right);
    for (size_t i = F->n; i < F->N; i++) actio_shown_equation(m->d, NULL, left[i], by_u(m, right[i]));
}

static void show_framed(struct moving *m)
{
    struct actio_derivation *d = m->d;
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *Q = actio_form_array(F, F->n, sizeof *Q);
    actio_shown_section(d, "by-rates", "Accelerations by the rates of quasi-velocities", "", "");
    for (size_t k = 0; k < F->n; k++)
        if (!actio_same(m->to[F->n + k], F->sym.acc[k]))
            show_or_say(d, F->sym.acc[k], m->to[F->n + k], d->model->coord[k].name);
    m->S = with_rates(d, by_u(m, actio_gibbs_function(F)), m->rate, m->r);
    show_gibbs(d, m->S);
    begin_equations(d, "dS/du' = Q, u the quasi-velocities that are free",
                    "\\frac{\\partial S}{\\partial \\dot{u}} = Q");
    actio_gibbs_forces(F, Q);
    for (size_t j = 0; j < m->r; j++) {
        actio_expr force = { 0 };
        for (size_t k = 0; k < F->n; k++)
            force = actio_add(pool, force, actio_times(pool, actio_diff(pool, m->to[k], m->u[j]), by_u(m, Q[k])));
        actio_expr left = actio_tidy_in(d, actio_diff(pool, m->S, m->rate[j]), m->rate, m->r);
        show_or_say(d, actio_group(pool, left), actio_tidy(d, force), "one of them");
    }
    show_states(m);
}

/* Rows that depend on others, if only on the constraints, are left out: the frame has chosen at the start. */
static void keep_independent(struct actio_derivation *d)
{
    const struct actio_frame *frame = d->F->sys.frame;
    bool *kept = actio_arena_array(&d->arena, d->F->p + 1, sizeof *kept);
    if (frame->why_not) return;
    for (size_t i = 0; i < frame->kept; i++) kept[frame->constraint[i]] = true;
    d->kept = kept;
}

/* Without a frame: along the directions that the constraints leave free. */
static void show_unframed(struct moving *m)
{
    struct actio_derivation *d = m->d;
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    struct actio_directions free;
    actio_expr *Q = actio_form_array(F, F->n, sizeof *Q);
    m->S = with_rates(d, actio_gibbs_function(F), F->sym.acc, F->n);
    show_gibbs(d, m->S);
    begin_equations(d, "Z'*(dS/dq'' - Q) = 0, columns of Z the directions that the constraints leave free",
                    "Z^T \\left( \\frac{\\partial S}{\\partial \\ddot{q}} - Q \\right) = 0");
    actio_gibbs_forces(F, Q);
    keep_independent(d);
    bool found = actio_directions_of(d, &F->A, &free);
    if (!found) actio_shown_words(d, "the directions are too long to display; run computes them numerically");
    for (size_t j = 0; found && j < free.r; j++) {
        actio_expr left = { 0 }, right = { 0 };
        for (size_t k = 0; k < F->n; k++) {
            left = actio_add(pool, left,
                             actio_times(pool, free.best[k * free.r + j], actio_diff(pool, m->S, F->sym.acc[k])));
            right = actio_add(pool, right, actio_times(pool, free.best[k * free.r + j], Q[k]));
        }
        actio_tidy_rates(d, &left, &right);
        if (!actio_is_zero(left)) show_or_say(d, actio_group(pool, left), right, "one of them");
    }
    show_states(m);
}

static void show_appell(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct moving m = { .d = d,
                        .from = actio_form_array(F, 2 * F->n, sizeof *m.from),
                        .to = actio_form_array(F, 2 * F->n, sizeof *m.to) };
    memcpy(m.from, F->sym.v, F->n * sizeof *m.from);
    memcpy(m.from + F->n, F->sym.acc, F->n * sizeof *m.from);
    memcpy(m.to, m.from, 2 * F->n * sizeof *m.to);
    bool framed = actio_derive_bare_frame(d);
    if (framed) find_motion(&m, d->framing);
    if (framed) show_framed(&m);
    else show_unframed(&m);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    ACTIO_SHARED_PART("constraints"),
    { "frame", "Quasi-velocities", "", "", show_appell },
};
static const struct actio_chapter chapter = { .part = parts, .parts = sizeof parts / sizeof *parts };

const struct actio_principle actio_principle_appell = {
    .name = "appell",
    .title = "Gibbs (1879) and Appell (1899): the energy of accelerations in quasi-velocities",
    .key = "",
    .differs = "",
    .assumes = "ideal reactions; the quasi-velocities of `frame`, completed where they are too few",
    .chapter = &chapter,
    .form = actio_form_dalembert,
    .law = &law,
    .needs = ACTIO_NEEDS_POINTS | ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_COORDINATES | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
};
