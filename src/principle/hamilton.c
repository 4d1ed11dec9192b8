/* SPDX-License-Identifier: Apache-2.0
 * Hamilton's canonical equations (1835) with constraints kept.
 *     state (q, p, s);  p = L_v,  q' = H_p = v(q, p, s, t),  p' = -H_q + Q + D' lambda,  mu s' = S + D' lambda
 * -H_q = L_q at these v. The constraints in phase space, phi(q, v(q, p)) = 0, stay 0: (A G^-1 D') lambda = c - A G^-1
 * h, the brackets of constraints on the left. */
#include "algebra/dense.h"
#include "derive/square.h"
#include "expr/normal.h"
#include "principle/principles.h"
#include "solve/chart.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 50, MOST_HALVINGS = 40 };
#define ROUNDING 1e-11                /* of the terms of a momentum: a defect that Newton's method may leave */
#define LEAST (DBL_MIN / DBL_EPSILON) /* smaller terms have fewer digits */

/* ---- the law; of a chart it takes the choice of rows, room for matrices, and z, the last velocities found */

static const char *hamilton_objection(struct actio_motion *m, double t, const double *y)
{
    struct actio_dense_point at;
    int pivot[1];
    size_t n = m->n, N = m->N;
    if (n == 0) return "there are no coordinates, and so no momenta";
    int *pivots = n > 1 ? actio_alloc(m->ctx, n, sizeof *pivots) : pivot;
    if (!pivots || actio_motion_make_dense(m)) {
        if (n > 1) actio_free(m->ctx, pivots);
        return "there is no memory for its matrices";
    }
    bool whole = actio_motion_matrices(m, t, y, &at) == ACTIO_FLOW_OK;
    for (size_t i = 0; i < n && whole; i++) memmove(at.G + i * n, at.G + i * N, n * sizeof *at.G);
    bool singular = whole && actio_lu_factor(n, at.G, pivots);
    if (n > 1) actio_free(m->ctx, pivots);
    return singular ? "d2L/dq'dq' is singular at the start: velocities are not functions of the momenta, and there is "
                      "no Hamiltonian"
                    : NULL;
}

static int hamilton_open(struct actio_motion *m)
{
    return actio_chart_open(m) || actio_motion_need(m, ACTIO_Q_MOMENTA);
}
static size_t size(const struct actio_motion *m) { return m->ny; }

/* L_q + Q, then L_v. */
static const double *momenta(struct actio_motion *m, double t, const double *y)
{
    return actio_motion_quantity(m, ACTIO_Q_MOMENTA, t, y);
}

static int fold(struct actio_motion *m, double t, const double *y, double *Y)
{
    struct actio_chart *c = m->obeys.data;
    size_t n = m->n;
    memcpy(c->z, y + n, n * sizeof *y);
    memcpy(Y, y, m->ny * sizeof *Y);
    memcpy(Y + n, momenta(m, t, y) + n, n * sizeof *Y);
    return ACTIO_FLOW_OK;
}

/* The defect p - L_v at y into c->step, L_vv into c->M, and into c->Z the sizes of the terms of each momentum, L_vv v
 * and the rest. Returns the largest defect beside these: what is rounding of a large momentum is not of a small one,
 * and each passes 0. INFINITY: one is not a number. */
static double defect_of(struct actio_motion *m, double t, const double *y, const double *p)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t n = m->n;
    double largest = 0;
    const double *L_v = momenta(m, t, y) + n;
    for (size_t i = 0; i < n; i++) c->step[i] = p[i] - L_v[i];
    if (actio_motion_matrices(m, t, y, &at)) return INFINITY;
    for (size_t i = 0; i < n; i++) {
        double *row = memcpy(c->M + i * n, at.G + i * m->N, n * sizeof *c->M), moved = 0, size = fabs(p[i]);
        for (size_t j = 0; j < n; j++) {
            moved += row[j] * y[n + j];
            size += fabs(row[j] * y[n + j]);
        }
        size += fabs(p[i] - c->step[i] - moved);
        if (!isfinite(size)) return INFINITY;
        c->Z[i] = fmax(size, LEAST);
        largest = fmax(largest, fabs(c->step[i]) / c->Z[i]);
    }
    return largest;
}

/* The same beside the larger of the sizes here and before a step: a velocity that becomes small keeps the rounding of
 * the one that it was. */
static double defect_since(const struct actio_chart *c, size_t n, const double *before)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(c->step[i]) / fmax(c->Z[i], before[i]));
    return largest;
}

/* v + dv, L_vv dv = p - L_v, or as much of dv as makes the defect smaller: velocities must stay where L is defined. The
 * defect is as before if none does: rounding is reached, or such velocities do not exist. A flow status. */
static int hamilton_advance(struct actio_motion *m, double t, double *y, const double *p, double *defect)
{
    struct actio_chart *c = m->obeys.data;
    size_t n = m->n;
    double *step = c->K, *from = c->F, *size = c->copy, part = 1, before = *defect;
    if (actio_lu_factor(n, c->M, c->pivot)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(n, c->M, c->pivot, c->step, 1, false);
    memcpy(step, c->step, n * sizeof *step);
    memcpy(from, y + n, n * sizeof *from);
    memcpy(size, c->Z, n * sizeof *size);
    for (int i = 0; i <= MOST_HALVINGS; i++, part /= 2) {
        for (size_t k = 0; k < n; k++) y[n + k] = from[k] + part * step[k];
        *defect = defect_of(m, t, y, p);
        if (isfinite(*defect) && defect_since(c, n, size) < before) return ACTIO_FLOW_OK;
        if (before <= ROUNDING) break;
    }
    memcpy(y + n, from, n * sizeof *from);
    *defect = before;
    return before <= ROUNDING ? ACTIO_FLOW_OK : ACTIO_FLOW_SINGULAR;
}

/* The velocities of these momenta: one step of Newton's method where L is quadratic in them. */
static int unfold(struct actio_motion *m, double t, const double *Y, double *y)
{
    struct actio_chart *c = m->obeys.data;
    size_t n = m->n;
    const double *p = Y + n;
    memcpy(y, Y, m->ny * sizeof *y);
    memcpy(y + n, c->z, n * sizeof *y);
    double defect = defect_of(m, t, y, p), before = INFINITY;
    for (int i = 0; i < MOST_ITERATIONS && isfinite(defect); i++) {
        if (defect <= 2 * DBL_EPSILON || (defect <= ROUNDING && defect >= 0.5 * before)) { /* rounding is reached */
            memcpy(c->z, y + n, n * sizeof *y);
            return ACTIO_FLOW_OK;
        }
        before = defect;
        int status = hamilton_advance(m, t, y, p, &defect);
        if (status) return status;
    }
    return isfinite(defect) ? ACTIO_FLOW_SINGULAR : ACTIO_FLOW_NAN;
}

/* Rows that are independent: all of them unless some are redundant. */
static int choose_rows(struct actio_motion *m, const double *A)
{
    struct actio_chart *c = m->obeys.data;
    for (size_t k = 0; k < m->p && m->rows.rank == m->p; k++) c->row[k] = (uint32_t)k;
    if (m->rows.rank < m->p && actio_chart_choose_rows(m, A)) return ACTIO_FLOW_SINGULAR;
    m->obeys.based = true; /* until the next run begins: lengths of rows are remembered */
    return ACTIO_FLOW_OK;
}

/* D' of the rows that are kept, N x rank: its entries stand before h in the MATRIX quantity. */
static void spread_reactions(struct actio_motion *m, const struct actio_dense_point *at, double *to)
{
    struct actio_chart *c = m->obeys.data;
    const struct actio_places *D = &m->sys->D;
    const double *value = at->h - D->count;
    size_t rank = c->N - c->r;
    memset(to, 0, c->N * rank * sizeof *to);
    for (size_t k = 0; k < rank; k++)
        for (size_t i = 0; i < D->count; i++)
            if (D->row[i] == c->row[k]) to[D->col[i] * rank + k] += value[i];
}

/* lambda of the rows kept into c->step, from A G^-1 D' lambda = c - A z'; z' in m->zdot is that of no constraints, F =
 * G^-1 D'. */
static int multipliers(struct actio_motion *m, const struct actio_dense_point *at)
{
    struct actio_chart *c = m->obeys.data;
    size_t N = c->N, rank = N - c->r;
    for (size_t k = 0; k < rank; k++) {
        const double *a = at->A + c->row[k] * N;
        c->step[k] = at->c[c->row[k]] - actio_dot(N, a, m->here.zdot);
        for (size_t l = 0; l < rank; l++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++) sum += a[i] * c->F[i * rank + l];
            c->K[k * rank + l] = sum;
        }
    }
    if (rank && actio_lu_factor(rank, c->K, c->iwork)) return ACTIO_FLOW_SINGULAR;
    if (rank) actio_lu_solve(rank, c->K, c->iwork, c->step, 1, false);
    return ACTIO_FLOW_OK;
}

/* At a known state: multipliers of the rows kept in c->step, z' in m->zdot, what reactions bring in c->Z (N). */
static int react(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N, rank = m->rows.rank; /* it may change at a switch */
    double *push = c->Z;
    c->r = N - rank;
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    if (choose_rows(m, at.A)) return ACTIO_FLOW_SINGULAR;
    memcpy(c->M, at.G, N * N * sizeof *c->M);
    if (actio_lu_factor(N, c->M, c->pivot)) return ACTIO_FLOW_SINGULAR;
    memcpy(m->here.zdot, at.h, N * sizeof *m->here.zdot);
    actio_lu_solve(N, c->M, c->pivot, m->here.zdot, 1, false);
    spread_reactions(m, &at, c->F);
    memcpy(c->copy, c->F, N * rank * sizeof *c->copy);
    if (rank) actio_lu_solve(N, c->M, c->pivot, c->F, rank, false);
    int status = multipliers(m, &at);
    for (size_t i = 0; i < N && !status; i++) {
        push[i] = actio_dot(rank, c->copy + i * rank, c->step);
        m->here.zdot[i] += actio_dot(rank, c->F + i * rank, c->step);
    }
    return status;
}

static int hamilton_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    struct actio_chart *c = m->obeys.data;
    double *y = m->obeys.y;
    size_t n = m->n;
    int status = unfold(m, t, Y, y);
    if (!status) status = react(m, t, y);
    if (status) return status;
    const double *force = momenta(m, t, y); /* -H_q + Q */
    memcpy(dY, y + n, n * sizeof *dY);
    for (size_t i = 0; i < n; i++) dY[n + i] = force[i] + c->Z[i];
    memcpy(dY + 2 * n, m->here.zdot + n, m->m * sizeof *dY);
    return ACTIO_FLOW_OK;
}

static int hamilton_solve(struct actio_motion *m, double t, const double *y)
{
    int status = react(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

/* Momenta go where the velocities that the constraints allow take them. */
static int hamilton_project(struct actio_motion *m, double t, double *Y)
{
    double *y = m->obeys.y;
    int status = unfold(m, t, Y, y);
    if (!status) status = actio_motion_project(m, t, y);
    return status ? status : fold(m, t, y, Y);
}

static const struct actio_law law = {
    .name = "hamilton",
    .objection = hamilton_objection,
    .open = hamilton_open,
    .close = actio_chart_close,
    .size = size,
    .unfold = unfold,
    .fold = fold,
    .rates = hamilton_rates,
    .solve = hamilton_solve,
    .project = hamilton_project,
    .any_rank = true,
};

/* ---- on paper */

enum { SHORT = 260 }; /* operations of a formula worth reading */

/* v by momenta; explicit: there is an H */
struct canonical {
    struct actio_derivation *d;
    actio_expr *p, *v, H;
    bool explicit;
};

static void hamilton_show(struct canonical *c, actio_expr left, actio_expr right, const char *of)
{
    struct actio_derivation *d = c->d;
    right = actio_group(&d->F->pool, right);
    if (actio_tidy_size(d, right) <= 2 * SHORT) actio_shown_equation(d, NULL, left, right);
    else actio_shown_words(d, actio_arena_format(&d->arena, "that of %s is too long to display", of));
}

/* q' = H_p; without H they are what the section on momenta makes them. */
static void show_velocities(struct canonical *c)
{
    struct actio_formation *F = c->d->F;
    for (size_t i = 0; i < F->n; i++) {
        c->v[i] = c->explicit ? actio_tidy(c->d, actio_diff(&F->pool, c->H, c->p[i])) : F->sym.v[i];
        if (c->explicit) hamilton_show(c, F->sym.v[i], c->v[i], c->d->model->coord[i].name);
    }
    if (!c->explicit)
        actio_shown_words(c->d,
                          "q': the solution of p = dL/dq' for the velocities, which run finds by Newton's method");
}

static actio_expr rate_of_momentum(struct canonical *c, size_t i)
{
    struct actio_derivation *d = c->d;
    const struct actio_shown_name *p = &d->name[actio_slot_of(&d->F->pool, c->p[i]).index];
    return actio_shown_symbol(d, actio_arena_format(&d->arena, "%s'", p->text),
                              actio_arena_format(&d->arena, "\\dot{p}%s", p->latex + 1));
}

static actio_expr reaction_on(struct actio_formation *F, size_t i)
{
    actio_expr sum = { 0 };
    for (size_t k = 0; k < F->D.count; k++)
        if (F->D.at[k].col == i)
            sum = actio_add(&F->pool, sum, actio_mul(&F->pool, F->D.at[k].e, F->sym.lambda[F->D.at[k].row]));
    return sum;
}

/* p' = -H_q + Q + lambda dg/dq', velocities in Q and in the rows by momenta. */
static void show_rates_of_momenta(struct canonical *c)
{
    struct actio_formation *F = c->d->F;
    struct actio_pool *pool = &F->pool;
    for (size_t i = 0; i < F->n; i++) {
        actio_expr push = c->explicit ? actio_neg(pool, actio_diff(pool, c->H, F->sym.q[i])) : F->Lq[i];
        actio_expr other = actio_add(pool, F->total_force[i], reaction_on(F, i));
        push = actio_tidy(c->d, actio_add(pool, push, actio_substitute(pool, other, F->sym.v, c->v, F->n)));
        hamilton_show(c, rate_of_momentum(c, i), F->p ? actio_tidy_in(c->d, push, F->sym.lambda, F->p) : push,
                      c->d->model->coord[i].name);
    }
}

static void show_canonical(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct canonical c = { .d = d, .p = actio_shown_momenta(d), .v = actio_form_array(F, F->n, sizeof(actio_expr)) };
    actio_expr *left, *right;
    if (!c.p) return;
    c.explicit = actio_derive_hamiltonian(d, c.p, &c.H);
    actio_shown_section(d, "canonical", "Canonical equations", "q' = dH/dp, p' = -dH/dq + F + lambda*dg/dq'",
                        "\\dot{q} = \\frac{\\partial \\mathcal{H}}{\\partial p}, \\quad \\dot{p} = -\\frac{\\partial "
                        "\\mathcal{H}}{\\partial q} + F + \\lambda \\, \\frac{\\partial g}{\\partial \\dot{q}}");
    show_velocities(&c);
    show_rates_of_momenta(&c);
    actio_derive_balance(d, &left, &right);
    for (size_t i = F->n; i < F->N; i++) actio_shown_equation(d, NULL, left[i], right[i]);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("momenta"),
    ACTIO_SHARED_PART("forces"),
    { "hamiltonian", "Hamiltonian", "p*q' - L", "\\mathcal{H} = p \\, \\dot{q} - \\mathcal{L}", show_canonical },
    { "constraints", "With the constraints, and what follows from them", "", "", NULL },
    ACTIO_SHARED_PART("multipliers"),
};
static const struct actio_chapter chapter = { .part = parts, .parts = sizeof parts / sizeof *parts };

const struct actio_principle actio_principle_hamilton = {
    .name = "hamilton",
    .title = "Hamilton's canonical equations with constraints (1835)",
    .key = "",
    .differs = "",
    .assumes = "velocities are functions of the momenta, d2L/dq'dq' is regular; reactions along dg/dq', or as `acting` "
               "and `along` say",
    .chapter = &chapter,
    .form = actio_form_dalembert,
    .law = &law,
    .needs = ACTIO_NEEDS_POINTS | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
};
