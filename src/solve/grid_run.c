/* SPDX-License-Identifier: Apache-2.0
 * A run on one grid: seeded by a crude march of slabs, solved, and shown as the critical point is: positions,
 * velocities and multipliers of the nodes,
 * between them by polynomials through the nearest. Nothing is claimed of the error. */
#include "solve/grid_run.h"
#include "algebra/sbp.h"
#include "solve/contacts.h"
#include "solve/law.h"
#include "solve/slab.h"

#include <math.h>
#include <string.h>

#define CRUDE 1e-4 /* local tolerance of the march that seeds */
#define THIN 1.0   /* widths of a soft wall that neighbours may be apart */
#define SAFE 0.2   /* and at which nothing fails for that */
#define NEAR 6.0   /* widths within which it is felt */

struct work {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_aim *aim;
    struct actio_grid_report *reported;
    struct actio_grid *g;
    double *times, *seed, *mode; /* of the nodes: times; states, component i of node k at i*points + k; switches */
};

/* The states of a march by slabs at the nodes' times. A march status. */
static int march_seed(struct work *w)
{
    struct actio_motion *m = w->m;
    size_t points = w->g->points;
    /* a bounce elsewhere by a width is another wall */
    double crude = m->sys->walls.soft ? fmin(CRUDE, 1e-2 * m->sys->walls.sigma) : CRUDE;
    struct actio_march_task task = { .stepper = &actio_skg,
                                     .t0 = w->aim->t0,
                                     .t1 = w->aim->t1,
                                     .rtol = crude,
                                     .atol = crude,
                                     .y0 = w->aim->y0,
                                     .rows = { { points, w->times, w->seed, points } } };
    struct actio_march_result end = { .y = m->bad.y }; /* a place for the state at its end */
    size_t slabs = m->chosen.slabs, nodes = m->chosen.nodes;
    int order = m->chosen.order;
    m->chosen.slabs = m->chosen.nodes = 0;
    m->chosen.order = 0;
    m->flow.accuracy = crude;
    m->flow.first = 0;
    int status = actio_motion_begin(m, w->aim->t0, w->aim->y0);
    if (!status) status = actio_march(w->ctx, &m->flow, &task, &end);
    m->chosen.slabs = slabs;
    m->chosen.nodes = nodes;
    m->chosen.order = order;
    w->reported->march = status;
    w->reported->t_stop = end.t;
    w->reported->y = m->bad.y;
    return status;
}

static void take_seed(struct work *w)
{
    struct actio_grid *g = w->g;
    size_t n = g->pt.n, m = g->pt.m, points = g->points, modes = w->m->sys->switches.count;
    for (size_t k = 0; k < points; k++) {
        double *x = g->x + k * g->pt.nx, *z = g->z + k * g->pt.nz;
        for (size_t i = 0; i < n; i++) {
            x[i] = w->seed[i * points + k];
            z[i] = w->seed[(n + i) * points + k];
        }
        for (size_t i = 0; i < m; i++) x[n + i] = w->seed[(2 * n + i) * points + k];
        if (modes)
            memcpy(w->mode + k * modes, actio_motion_modes_at(w->m, w->times[k], w->aim->t1 < w->aim->t0),
                   modes * sizeof *w->mode);
    }
    g->mode = modes ? w->mode : NULL;
}

static void state_of(const struct actio_grid *g, size_t k, double *y)
{
    size_t n = g->pt.n;
    memcpy(y, g->x + k * g->pt.nx, n * sizeof *y);
    memcpy(y + n, g->v + k * n, n * sizeof *y);
    memcpy(y + 2 * n, g->x + k * g->pt.nx + n, g->pt.m * sizeof *y);
}

/* Do neighbours step over a wall? */
static bool walls_are_thin(struct work *w, bool solved, double widths)
{
    const struct actio_system *sys = w->m->sys;
    const struct actio_grid *g = w->g;
    double *y = w->m->scratch.step + w->m->N;
    for (size_t i = 0; i < sys->walls.soft; i++) {
        double before = INFINITY;
        for (size_t k = 0; k < g->points; k++) {
            for (size_t j = 0; j < g->pt.n; j++) y[j] = solved ? g->x[k * g->pt.nx + j] : w->seed[j * g->points + k];
            double gap = actio_motion_quantity(w->m, ACTIO_Q_GAPS, w->times[k], y)[i],
                   apart = k ? fabs(gap - before) : 0;
            /* the wall, or so near to it that the next step gets there */
            bool near = fmin(gap, before) < NEAR * sys->walls.sigma + apart;
            if (gap < -NEAR * sys->walls.sigma) apart = fmax(apart, -gap); /* through it */
            if (k && near && apart > fmax(w->reported->thin, widths * sys->walls.sigma)) {
                w->reported->thin = apart;
                w->reported->wall = i;
            }
            before = gap;
        }
    }
    return w->reported->thin > 0;
}

/* Nodes of one interpolation: few, for what a grid has of errors goes from node to node. */
static size_t window_of(const struct actio_grid *g)
{
    size_t width = g->order <= 4 ? 4 : (size_t)g->order;
    return width < g->points ? width : g->points;
}

/* Weights of the nodes around t, from `first` on. */
static size_t window(const struct actio_grid *g, double t, double *weight)
{
    size_t width = window_of(g);
    double at = (t - g->t0) / (g->t1 - g->t0) * (double)(g->points - 1), nearest = round(at);
    if (fabs(at - nearest) < 1e-9) at = nearest; /* a node's row is the node */
    ptrdiff_t first = (ptrdiff_t)floor(at) - (ptrdiff_t)(width - 1) / 2, most = (ptrdiff_t)(g->points - width);
    first = first < 0 ? 0 : first > most ? most : first;
    for (size_t k = 0; k < width; k++) {
        weight[k] = 1;
        for (size_t j = 0; j < width; j++)
            if (j != k) weight[k] *= (at - (double)first - (double)j) / ((double)k - (double)j);
    }
    return (size_t)first;
}

/* Rates of the velocities at a node: the operator's, with the initial data. */
static void grid_run_accelerations(const struct actio_grid *g, size_t k, double *a)
{
    size_t n = g->pt.n, first;
    double row[ACTIO_SBP_WIDEST],
        hH = (g->t1 - g->t0) / (double)(g->points - 1) * actio_sbp_weight(g->order, g->points, k);
    size_t width = actio_sbp_row(g->order, g->points, k, &first, row);
    if (k == 0) row[0] += 1;
    memset(a, 0, n * sizeof *a);
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < n; i++) a[i] += row[j] * (g->v[(first + j) * n + i] - g->v0[i]) / hH;
}

/* One row: y, z' and multipliers of the nodes around it. */
static const double *mix_row(const struct work *w, double t, double *scratch)
{
    const struct actio_grid *g = w->g;
    const struct actio_motion *m = w->m;
    size_t ny = m->ny, N = m->N, all = ny + N + m->p, width = window_of(g);
    double weight[16], *at = scratch, *sum = scratch + all;
    size_t first = window(g, t, weight);
    memset(sum, 0, all * sizeof *sum);
    for (size_t k = 0; k < width; k++) {
        const double *z = g->z + (first + k) * g->pt.nz;
        if (weight[k] == 0) continue;
        state_of(g, first + k, at);
        grid_run_accelerations(g, first + k, at + ny);
        memcpy(at + ny + m->n, z + m->n, m->m * sizeof *z);
        memcpy(at + ny + N, z + g->pt.nx, m->p * sizeof *z);
        for (size_t i = 0; i < all; i++) sum[i] += weight[k] * at[i];
    }
    return sum;
}

/* Reactions D' lambda, one `step` after the other. */
static void react(struct actio_motion *m, double t, const double *y, const double *lambda, double *reaction,
                  size_t step)
{
    const struct actio_places *A = &m->sys->A, *D = &m->sys->D;
    const double *values = actio_motion_values(m, t, y);
    for (size_t i = 0; i < m->N; i++) reaction[i * step] = 0;
    for (size_t i = 0; values && i < D->count; i++)
        reaction[D->col[i] * step] += values[m->sys->G.count + A->count + i] * lambda[D->row[i]];
}

static void fill_row(struct work *w, struct actio_rows *r, size_t l, double *scratch)
{
    struct actio_motion *m = w->m;
    size_t ny = m->ny, N = m->N;
    const double *sum = mix_row(w, r->times[l], scratch);
    for (size_t i = 0; i < ny; i++) r->y[i * r->rows + l] = sum[i];
    for (size_t i = 0; i < N; i++) r->zdot[i * r->rows + l] = sum[ny + i];
    for (size_t i = 0; i < m->p; i++) r->lambda[i * r->rows + l] = sum[ny + N + i];
    react(m, r->times[l], sum, sum + ny + N, r->reaction + l, r->rows);
}

/* With fields a row is long, and lanes are its nodes: its columns are made where the motion stands. */
static void fill_wide(struct work *w, struct actio_rows *r, size_t l, double *scratch, double *column)
{
    struct actio_motion *m = w->m;
    const double *sum = mix_row(w, r->times[l], scratch);
    react(m, r->times[l], sum, sum + m->ny + m->N, m->here.reaction, 1);
    memcpy(m->here.zdot, sum + m->ny, m->N * sizeof *sum);
    memcpy(m->here.lambda, sum + m->ny + m->N, m->p * sizeof *sum);
    const double *x = actio_bound_values(&m->at[ACTIO_Q_OUTPUTS]);
    for (size_t c = 0; c < m->sys->output.columns; c++) column[c * r->rows + l] = x[c];
}

static void grid_run_fill(struct work *w, struct actio_rows *r, double *scratch, double *column)
{
    bool wide = w->m->sys->field.axes != 0;
    for (size_t l = 0; l < r->rows; l++)
        if (wide) fill_wide(w, r, l, scratch, column);
        else fill_row(w, r, l, scratch);
    if (!wide) actio_rows_outputs(r, r->rows, column, r->rows);
}

static int grid_run_show(struct work *w, struct actio_outcome *out)
{
    struct actio_motion *m = w->m;
    struct actio_rows r;
    const struct actio_aim *aim = w->aim;
    if (actio_rows_open(&r, m, aim->times, aim->rows, aim->t1 < aim->t0)) return 1;
    double *scratch = actio_alloc(w->ctx, 2 * (m->ny + m->N + m->p) + 1, sizeof *scratch);
    out->column = actio_rows_columns(&r, aim->rows);
    out->error = actio_alloc(w->ctx, m->sys->output.columns + 1, sizeof(double));
    out->y_stop = actio_alloc(w->ctx, m->ny + 1, sizeof(double));
    int bad = !scratch || !out->column || !out->error || !out->y_stop;
    if (bad) actio_rows_too_many(&r);
    if (!bad) {
        grid_run_fill(w, &r, scratch, out->column);
        out->lanes = out->rows = out->good_rows = aim->rows;
        for (size_t c = 0; c < m->sys->output.columns; c++) out->error[c] = NAN;
        out->worst = out->holds_until = NAN;
        out->t_stop = aim->t1;
        out->stepper = &actio_skg;
        out->steps = w->g->points - 1;
        out->rhs = w->g->points * w->g->iterations;
        out->runs = 1;
        state_of(w->g, w->g->points - 1, out->y_stop);
    }
    actio_free(w->ctx, scratch);
    actio_rows_close(&r);
    return bad;
}

/* Behind the last node of the field that begins here, or behind the one coordinate. */
static size_t end_of(const struct actio_system *sys, size_t first, size_t n)
{
    size_t end = first + 1;
    while (sys->field.axes && end < n && sys->variable[end] == sys->variable[first]) end++;
    return end;
}

/* The crude march knows the branch: a solution as far from it as it is large is another. A node is as large as its
 * field: some hardly move. */
static bool far_from_seed(struct work *w)
{
    const struct actio_grid *g = w->g;
    for (size_t first = 0, end; first < g->pt.n; first = end) {
        double most = 0, size = 1e-6;
        end = end_of(w->m->sys, first, g->pt.n);
        for (size_t i = first; i < end; i++)
            for (size_t k = 0; k < g->points; k++) {
                size = fmax(size, fabs(w->seed[i * g->points + k]));
                most = fmax(most, fabs(g->x[k * g->pt.nx + i] - w->seed[i * g->points + k]));
            }
        if (most > 0.5 * size) {
            w->reported->away = most;
            return true;
        }
    }
    return false;
}

/* A wrong branch begins elsewhere than the data say.  [SKG 3.5] */
static bool far_from_start(struct work *w)
{
    const struct actio_grid *g = w->g;
    double size = 0;
    for (size_t i = 0; i < g->pt.n * g->points; i++) size = fmax(size, fabs(w->seed[g->pt.n * g->points + i]));
    for (size_t i = 0; i < g->pt.n; i++) w->reported->jump = fmax(w->reported->jump, fabs(g->v[i] - g->v0[i]));
    return w->reported->jump > ACTIO_WRONG_BRANCH * size || far_from_seed(w);
}

/* The seed of nodes from `from` on, moved to where the solution of those before has got. */
static void seed_rest(struct work *w, struct actio_grid *g, size_t from)
{
    size_t nx = g->pt.nx, nz = g->pt.nz;
    for (size_t k = from; k < g->points; k++) {
        for (size_t i = 0; i < nx; i++)
            g->x[k * nx + i] =
                w->g->x[k * nx + i] + (from ? g->x[(from - 1) * nx + i] - w->g->x[(from - 1) * nx + i] : 0);
        for (size_t i = 0; i < nz; i++)
            g->z[k * nz + i] = i < nx ? w->g->z[k * nz + i] : from ? g->z[(from - 1) * nz + i] : 0;
    }
}

/* Where Newton's method does not get there from the crude march at once: longer and longer parts of the interval, in
 * the same steps.  [SKG 4.4] */
static int continue_in_time(struct work *w)
{
    const struct actio_grid *all = w->g;
    size_t least = 4 * actio_sbp_least(all->order), points = all->points, nx = all->pt.nx, nz = all->pt.nz;
    double *x = actio_alloc(w->ctx, points * (nx + nz) + 1, sizeof *x), *z = x ? x + points * nx : NULL;
    int status = x ? ACTIO_GRID_DONE : ACTIO_GRID_STOPPED;
    take_seed(w);
    for (size_t done = 0, next = points / 8 > least ? points / 8 : least; !status && done < points;
         next = next + next / 4 + 1) {
        struct actio_grid part;
        if (next > points) next = points;
        if (actio_grid_open(&part, w->ctx, w->m->sys,
                            (struct actio_shared){ w->m->here.param, w->m->here.mode, w->m->here.hidden }, all->order,
                            next, all->t0, w->times[next - 1])) {
            status = ACTIO_GRID_STOPPED;
            break;
        }
        part.mode = all->mode;
        if (done) {
            memcpy(part.x, x, done * nx * sizeof *x);
            memcpy(part.z, z, done * nz * sizeof *z);
        }
        seed_rest(w, &part, done);
        status = actio_grid_data(&part, all->x0, all->v0)
                         || (part.pt.dropped && actio_points_choose(&part.pt, w->m->rows.rank))
                     ? ACTIO_GRID_NO_NUMBER
                     : actio_grid_solve(&part);
        w->reported->iterations += part.iterations;
        w->reported->residual = part.residual;
        if (!status) {
            memcpy(x, part.x, next * nx * sizeof *x);
            memcpy(z, part.z, next * nz * sizeof *z);
        }
        done = next;
        actio_grid_close(&part);
    }
    if (!status) {
        memcpy(w->g->x, x, points * nx * sizeof *x);
        memcpy(w->g->z, z, points * nz * sizeof *z);
        status = actio_grid_solve(w->g);
    }
    actio_free(w->ctx, x);
    return status;
}

static int open_work(struct work *w, size_t points, int order)
{
    struct actio_motion *m = w->m;
    struct actio_shared shared = { m->here.param, m->here.mode, m->here.hidden };
    if (actio_grid_open(w->g, w->ctx, m->sys, shared, order, points, w->aim->t0, w->aim->t1)) return 1;
    w->times = actio_alloc(w->ctx, points, sizeof(double));
    w->seed = actio_alloc(w->ctx, points * m->ny + 1, sizeof(double));
    w->mode = w->g->own_mode = actio_alloc(w->ctx, points * m->sys->switches.count + 1, sizeof(double));
    if (!w->times || !w->seed || !w->mode || (m->sys->walls.soft && actio_motion_need(m, ACTIO_Q_GAPS))) {
        actio_report(w->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the grid"), ACTIO_COUNT(w->ctx->bytes_limit)));
        return 1;
    }
    for (size_t k = 0; k < points; k++) w->times[k] = actio_grid_time(w->g, k);
    return 0;
}

/* The march's states at the nodes, then Newton's method; and is it a motion? A grid status. */
static int find_critical(struct work *w)
{
    struct actio_motion *m = w->m;
    struct actio_grid *g = w->g;
    struct actio_grid_report *reported = w->reported;
    double *x = m->scratch.step; /* (q, s) */
    if (march_seed(w)) return ACTIO_GRID_NO_SEED;
    if (walls_are_thin(w, false, THIN)) return ACTIO_GRID_THIN;
    memcpy(x, w->aim->y0, m->n * sizeof *x);
    memcpy(x + m->n, w->aim->y0 + 2 * m->n, m->m * sizeof *x);
    take_seed(w);
    int status =
        actio_grid_data(g, x, w->aim->y0 + m->n) || (g->pt.dropped && actio_points_choose(&g->pt, m->rows.rank))
            ? ACTIO_GRID_NO_NUMBER
            : actio_grid_solve(g);
    reported->iterations = g->iterations;
    reported->residual = g->residual;
    if (status == ACTIO_GRID_DIVERGED || status == ACTIO_GRID_NO_NUMBER) status = continue_in_time(w);
    if (!status && far_from_start(w)) return ACTIO_GRID_BRANCH;
    bool thin =
        status ? status == ACTIO_GRID_DIVERGED && walls_are_thin(w, false, SAFE) : walls_are_thin(w, true, THIN);
    return thin ? ACTIO_GRID_THIN : status;
}

int actio_grid_find(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim, size_t points,
                    int order, struct actio_grid *g, struct actio_grid_report *reported)
{
    struct work w = { .ctx = ctx, .m = m, .aim = aim, .reported = reported, .g = g };
    *reported = (struct actio_grid_report){ 0 };
    int bad = open_work(&w, points, order);
    if (!bad) reported->status = find_critical(&w);
    actio_free(ctx, w.times);
    actio_free(ctx, w.seed);
    return bad;
}

/* ---- the action as it was published  [SKG 1.1, 4.1] */

/* Fields of the plus sector, from the grid and back. Rates are the operator's, with the initial data. */
static void to_fields(const struct actio_grid *g, double *X)
{
    size_t N = g->points, nx = g->pt.nx, rest = g->pt.p + g->pt.h;
    for (size_t k = 0; k < N; k++) {
        for (size_t i = 0; i < nx; i++) X[i * N + k] = g->x[k * nx + i];
        for (size_t i = 0; i < rest; i++) X[(nx + i) * N + k] = g->z[k * g->pt.nz + nx + i];
    }
}

static void from_fields(struct actio_grid *g, const double *X)
{
    size_t N = g->points, nx = g->pt.nx, rest = g->pt.p + g->pt.h, first;
    double row[ACTIO_SBP_WIDEST];
    for (size_t k = 0; k < N; k++) {
        double *z = g->z + k * g->pt.nz, hH = (g->t1 - g->t0) / (double)(N - 1) * actio_sbp_weight(g->order, N, k);
        size_t width = actio_sbp_row(g->order, N, k, &first, row);
        if (k == 0) row[0] += 1;
        for (size_t i = 0; i < nx; i++) {
            g->x[k * nx + i] = X[i * N + k];
            z[i] = 0;
        }
        for (size_t i = 0; i < rest; i++) z[nx + i] = X[(nx + i) * N + k];
        for (size_t j = 0; j < width; j++)
            for (size_t i = 0; i < nx; i++) z[i] += row[j] * (X[i * N + first + j] - g->x0[i]) / hH;
    }
}

int actio_grid_as_published(struct actio_grid *g, enum actio_action_form form, struct actio_grid_report *reported)
{
    struct actio_doubled d;
    struct actio_doubled_task task = { form,  g->order,           g->points,          g->t0, g->t1, g->x0,
                                       g->v0, g->pt.shared.param, g->pt.shared.hidden };
    double size;
    if (actio_doubled_open(&d, g->ctx, g->pt.sys, &task)) return 1;
    double *X = actio_alloc(g->ctx, d.size + 1, sizeof *X),
           *residual = actio_alloc(g->ctx, d.p + d.h + 1, sizeof *residual);
    int bad = !X || !residual || actio_doubled_data(&d, residual);
    if (!bad) {
        to_fields(g, X);
        reported->status = actio_doubled_solve(&d, X);
        reported->iterations = d.iterations;
        reported->residual = d.residual;
        from_fields(g, X);
        if (!reported->status && actio_grid_residuals(g, &size)) reported->status = ACTIO_GRID_NO_NUMBER;
    }
    actio_free(g->ctx, X);
    actio_free(g->ctx, residual);
    actio_doubled_close(&d);
    return bad;
}

int actio_reach_grid(struct actio_context *ctx, struct actio_motion *m, const struct actio_aim *aim,
                     const struct actio_grid_task *task, struct actio_outcome *out, struct actio_grid_report *reported)
{
    struct actio_grid g;
    struct work w = { .ctx = ctx, .m = m, .aim = aim, .reported = reported, .g = &g };
    *out = (struct actio_outcome){ 0 };
    int bad = actio_grid_find(ctx, m, aim, task->points, task->order, &g, reported);
    if (!bad && !reported->status && task->form != ACTIO_ACTION_WEAK)
        bad = actio_grid_as_published(&g, task->form, reported);
    if (!bad && !reported->status) bad = grid_run_show(&w, out);
    actio_grid_close(&g);
    if (bad || reported->status) actio_outcome_close(ctx, out);
    return bad;
}
