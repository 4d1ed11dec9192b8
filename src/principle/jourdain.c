/* SPDX-License-Identifier: Apache-2.0
 * Jourdain's principle (1909), virtual power:  (d/dt L_v - L_q - Q) dz = 0  for all virtual velocities dz that
 * reactions do no power on, D dz = 0.
 *     state (q, v, s);  [Z G; A] z' = (Z h, c),  rows of Z a basis of these dz at the point
 * One square system gives the accelerations; multipliers are made from the reaction afterwards. With ideal reactions D
 * = A. */
#include "algebra/dense.h"
#include "derive/square.h"
#include "expr/normal.h"
#include "principle/principles.h"
#include "solve/chart.h"

#include <string.h>

/* ---- the law */

/* D of the rows that stand in the system: its entries stand before h in the MATRIX quantity. */
static void spread_reactions(const struct actio_motion *m, const struct actio_dense_point *at, double *to)
{
    const struct actio_chart *c = m->obeys.data;
    const struct actio_places *D = &m->sys->D;
    const double *value = at->h - D->count;
    size_t N = c->N, rank = N - c->r;
    memset(to, 0, rank * N * sizeof *to);
    for (size_t k = 0; k < rank; k++)
        for (size_t i = 0; i < D->count; i++)
            if (D->row[i] == c->row[k]) to[k * N + D->col[i]] += value[i];
}

/* Rows of Z: an orthonormal basis of D dz = 0. */
static int virtual_velocities(struct actio_motion *m, const struct actio_dense_point *at)
{
    struct actio_chart *c = m->obeys.data;
    size_t N = c->N, rank = N - c->r;
    memset(c->F, 0, N * N * sizeof *c->F);
    for (size_t i = 0; rank == 0 && i < N; i++) c->F[i * N + i] = 1;
    spread_reactions(m, at, c->copy);
    if (rank && actio_row_bases(rank, N, c->copy, 1e-9, c->F, c->work, c->iwork) != rank) return ACTIO_FLOW_SINGULAR;
    memcpy(c->Z, c->F + rank * N, c->r * N * sizeof *c->Z);
    return ACTIO_FLOW_OK;
}

/* Rows of A that stand in the system: all of them unless some are redundant. */
static int choose_rows(struct actio_motion *m, const double *A)
{
    struct actio_chart *c = m->obeys.data;
    for (size_t k = 0; k < m->p && m->rows.rank == m->p; k++) c->row[k] = (uint32_t)k;
    if (m->rows.rank < m->p && actio_chart_choose_rows(m, A)) return ACTIO_FLOW_SINGULAR;
    return ACTIO_FLOW_OK;
}

/* Row i of the square system into c->M, its right side into to[i]. */
static void form_row(const struct actio_chart *c, const struct actio_dense_point *at, size_t i, double *to)
{
    size_t N = c->N;
    double *row = c->M + i * N;
    if (i >= c->r) {
        size_t k = c->row[i - c->r];
        memcpy(row, at->A + k * N, N * sizeof *row);
        to[i] = at->c[k];
        return;
    }
    const double *dz = c->Z + i * N;
    memset(row, 0, N * sizeof *row);
    for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < N && dz[k] != 0; j++) row[j] += dz[k] * at->G[k * N + j];
    to[i] = actio_dot(N, dz, at->h);
}

/* z' at a known state into m->zdot. */
static int jourdain_accelerations(struct actio_motion *m, double t, const double *y)
{
    struct actio_chart *c = m->obeys.data;
    struct actio_dense_point at;
    size_t N = c->N;
    double *rate = m->here.zdot;
    c->r = N - m->rows.rank; /* it may change at a switch */
    if (actio_motion_matrices(m, t, y, &at)) return ACTIO_FLOW_NAN;
    int status = choose_rows(m, at.A);
    if (!status) status = virtual_velocities(m, &at);
    if (status) return status;
    for (size_t i = 0; i < N && !actio_gives_up(N * N); i++) form_row(c, &at, i, rate);
    actio_row_scales(N, N, c->M, c->step);
    for (size_t i = 0; i < N; i++) rate[i] *= c->step[i];
    for (size_t i = 0; i < N * N; i++) c->M[i] *= c->step[i / N];
    if (actio_lu_factor(N, c->M, c->pivot)) return ACTIO_FLOW_SINGULAR;
    actio_lu_solve(N, c->M, c->pivot, rate, 1, false);
    return ACTIO_FLOW_OK;
}

static int jourdain_rates(struct actio_motion *m, double t, const double *y, double *dy)
{
    int status = jourdain_accelerations(m, t, y);
    m->obeys.based = true; /* until the next run begins: lengths of rows are remembered */
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, m->here.zdot, m->N * sizeof *dy);
    return status;
}

static int jourdain_solve(struct actio_motion *m, double t, const double *y)
{
    int status = jourdain_accelerations(m, t, y);
    return status ? status : actio_motion_react(m, t, y);
}

static size_t size(const struct actio_motion *m) { return m->ny; }

static const struct actio_law law = {
    .name = "jourdain",
    .objection = actio_law_is_small,
    .open = actio_chart_open,
    .close = actio_chart_close,
    .size = size,
    .rates = jourdain_rates,
    .solve = jourdain_solve,
    .any_rank = true,
};

/* ---- on paper */

enum { SHORT = 400 }; /* operations of a sum worth reading */

/* delta_x' of x. */
static actio_expr virtual_velocity(struct actio_derivation *d, size_t i)
{
    const struct actio_model *m = d->model;
    const char *name = i < m->coords ? m->coord[i].name : m->state[i - m->coords].name;
    struct actio_text latex;
    actio_text_open(&latex, &d->arena);
    actio_text_add(&latex, "\\delta ");
    if (i < m->coords) actio_latex_accented("\\dot", name, &latex);
    else actio_latex_name(name, &latex);
    const char *text = actio_arena_format(&d->arena, "delta_%s%s", name, i < m->coords ? "'" : "");
    return actio_shown_free(d, text, actio_arena_format(&d->arena, "delta_of_%s", name), latex.s);
}

static actio_expr *virtual_velocity_names(struct actio_derivation *d)
{
    actio_expr *dz = actio_form_array(d->F, d->F->N, sizeof *dz);
    for (size_t i = 0; i < d->F->N; i++) dz[i] = virtual_velocity(d, i);
    return dz;
}

/* Those that the constraints bind, by the others. */
static void show_bound(struct actio_derivation *d, const struct actio_directions *free, const actio_expr *dz)
{
    struct actio_pool *pool = &d->F->pool;
    size_t N = d->F->N;
    for (size_t i = 0; i < N; i++) {
        actio_expr sum = { 0 };
        if (!free->bound[i]) continue;
        for (size_t k = 0, j = 0; k < N; k++)
            if (!free->bound[k]) sum = actio_add(pool, sum, actio_times(pool, free->Z[i * free->r + j++], dz[k]));
        if (actio_tidy_size(d, sum) <= SHORT) actio_shown_equation(d, NULL, dz[i], actio_group(pool, sum));
        else
            actio_shown_words(
                d, actio_arena_format(&d->arena, "that of %s is too long to display", d->F->sys.variable[i]));
    }
    actio_shown_words(d, free->r == 0 ? "there is none but 0: the constraints give all velocities"
                         : d->F->p    ? "the others are arbitrary"
                                      : "all are arbitrary: there are no constraints");
}

/* P = sum of (equation's left side - right side) times the virtual velocity. */
static void show_power(struct actio_derivation *d, const actio_expr *dz)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr *none = actio_form_array(F, F->p, sizeof *none), *left, *right, sum = { 0 };
    actio_derive_balance(d, &left, &right);
    for (size_t i = 0; i < F->N; i++) {
        actio_expr off = actio_sub(pool, left[i], actio_substitute(pool, right[i], F->sym.lambda, none, F->p));
        sum =
            actio_add(pool, sum, actio_times(pool, actio_group(pool, actio_tidy_in(d, off, F->sym.zdot, F->N)), dz[i]));
    }
    if (actio_tidy_size(d, sum) <= SHORT) actio_shown_equation(d, NULL, actio_shown_free(d, "P", "power", "P"), sum);
    else
        actio_shown_words(d, "too long to display; its factors are the equations of `derive` by "
                             "dalembert without multipliers");
}

static void show_virtual_power(struct actio_derivation *d)
{
    struct actio_directions free;
    actio_expr *dz = virtual_velocity_names(d);
    show_power(d, dz);
    actio_shown_section(d, "virtual", "Virtual velocities that the constraints allow",
                        "(dg/dq')*delta q' = 0, or as `acting` and `along` say",
                        "\\frac{\\partial g}{\\partial \\dot{q}} \\, \\delta \\dot{q} = 0");
    if (!actio_directions_of(d, &d->F->D, &free)) {
        actio_shown_words(d, "they are too long to display; run computes them numerically");
        return;
    }
    show_bound(d, &free, dz);
    actio_shown_section(d, "projected", "Equations of motion: the factor of each arbitrary virtual velocity, 0", "",
                        "");
    actio_shown_along(d, free.best, free.r);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    { "power", "Virtual power, 0 for all virtual velocities", "(d/dt dL/dq' - dL/dq - F)*delta q'",
      "P = \\left( \\frac{d}{dt} \\frac{\\partial \\mathcal{L}}{\\partial \\dot{q}} - \\frac{\\partial "
      "\\mathcal{L}}{\\partial q} - F \\right) \\delta \\dot{q}",
      show_virtual_power },
    { "constraints", "With the constraints, and what follows from them", "", "", NULL },
    ACTIO_SHARED_PART("accelerations"),
    { "reactions", "Forces of constraint, once the accelerations are known", "lambda*dg/dq'",
      "\\lambda \\, \\partial g/\\partial \\dot{q}", NULL },
};
static const struct actio_chapter chapter = { .part = parts, .parts = sizeof parts / sizeof *parts, .charted = true };

const struct actio_principle actio_principle_jourdain = {
    .name = "jourdain",
    .title = "Jourdain's principle of virtual power (1909)",
    .key = "",
    .differs = "",
    .assumes = "reactions do no power on virtual velocities, positions and time held",
    .chapter = &chapter,
    .form = actio_form_dalembert,
    .law = &law,
    .needs = ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
};
