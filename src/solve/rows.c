/* SPDX-License-Identifier: Apache-2.0
 * Columns over lanes: projection, multipliers and all outputs of hundreds of rows in a few kernel calls. */
#include "solve/rows.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/corner.h"
#include "solve/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct actio_binding lanes_of(struct actio_rows *r)
{
    struct actio_motion *m = r->motion;
    ptrdiff_t rows = (ptrdiff_t)r->rows;
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        const double *base;
    } varying[] = {
        { ACTIO_SPACE_Q, r->y },
        { ACTIO_SPACE_V, r->y + m->n * r->rows },
        { ACTIO_SPACE_STATE, r->y + 2 * m->n * r->rows },
        { ACTIO_SPACE_ACC, r->zdot },
        { ACTIO_SPACE_SDOT, r->zdot + m->n * r->rows },
        { ACTIO_SPACE_LAMBDA, r->lambda },
        { ACTIO_SPACE_REACTION, r->reaction },
        { ACTIO_SPACE_MODE, r->mode },
        { ACTIO_SPACE_HELD, r->mode + m->sys->switches.count * r->rows },
        { ACTIO_SPACE_EXTERNAL, r->outside },
        { ACTIO_SPACE_T, r->times },
    };
    for (size_t i = 0; i < sizeof varying / sizeof *varying; i++) {
        b.space[varying[i].space].base = varying[i].base;
        b.space[varying[i].space].index_step = rows;
        b.space[varying[i].space].lane_step = 1;
    }
    b.space[ACTIO_SPACE_PARAM].base = m->here.param;
    b.space[ACTIO_SPACE_PARAM].index_step = 1;
    b.space[ACTIO_SPACE_HIDDEN].base = m->here.hidden;
    b.space[ACTIO_SPACE_HIDDEN].index_step = 1;
    return b;
}

static bool bind(struct actio_rows *r, enum actio_quantity what, const struct actio_binding *at)
{
    const struct actio_kernel *k = r->motion->at[what].k;
    const actio_slot *slots;
    if (!k) return true;
    size_t inputs = actio_kernel_inputs(k, &slots), outputs = actio_kernel_outputs(k),
           work = actio_kernel_is_native(k) ? 0 : actio_kernel_work(k);
    size_t bytes = inputs * sizeof(struct actio_arg) + outputs * sizeof(double *) + (work + 1) * sizeof(double);
    /* the others lie behind it: none is aligned more strictly than the one before */
    r->lane[what].in = actio_alloc_raw(r->ctx, bytes, 1);
    if (!r->lane[what].in) return false;
    r->lane[what].out = (double **)(void *)(r->lane[what].in + inputs);
    r->lane[what].work = (double *)(void *)(r->lane[what].out + outputs);
    actio_kernel_bind(k, at, r->lane[what].in);
    return true;
}

static void point_at(struct actio_rows *r, enum actio_quantity what, size_t first, double *base, size_t lanes,
                     size_t count)
{
    for (size_t j = 0; r->lane[what].out && j < count; j++) r->lane[what].out[first + j] = base + j * lanes;
}

double *actio_rows_columns(const struct actio_rows *r, size_t lanes)
{
    return actio_alloc_raw(r->ctx, r->motion->sys->output.columns * lanes + 1, sizeof(double));
}

void actio_rows_too_many(const struct actio_rows *r)
{
    size_t columns = r->motion->sys->output.columns;
    actio_report(r->ctx->findings, ACTIO_F_TOO_MANY_ROWS,
                 ACTIO_ARGS(ACTIO_COUNT(r->rows), ACTIO_COUNT(columns), ACTIO_COUNT(r->ctx->bytes_limit)));
}

/* With fields a row is long: it is solved where the motion stands, and only states are kept. */
static int open_wide(struct actio_rows *r)
{
    size_t ny = r->motion->ny, columns = r->motion->sys->output.columns;
    bool ok = r->rows < SIZE_MAX / 64 / (ny + columns + 1)
              && (r->block = actio_alloc_raw(r->ctx, ny * r->rows + 1, sizeof(double)));
    r->y = r->block;
    if (ok) return 0;
    actio_rows_too_many(r);
    actio_rows_close(r);
    return 1;
}

int actio_rows_open(struct actio_rows *r, struct actio_motion *m, const double *times, size_t rows, bool backward)
{
    static const enum actio_quantity used[] = { ACTIO_Q_SOLVE, ACTIO_Q_OUTPUTS, ACTIO_Q_PROJECT_Q, ACTIO_Q_PROJECT_V };
    size_t columns = m->sys->output.columns, widest = m->sys->p + m->N;
    *r = (struct actio_rows){ .ctx = m->ctx, .motion = m, .rows = rows, .times = times, .backward = backward };
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS)) return 1;
    if (m->sys->field.axes) return open_wide(r);
    struct {
        double **p;
        size_t n;
    } want[] = { { &r->y, m->ny },
                 { &r->zdot, m->N },
                 { &r->lambda, actio_system_reported(m->sys) },
                 { &r->reaction, m->N },
                 { &r->mode, actio_system_modes(m->sys) },
                 { &r->outside, m->sys->externals },
                 { &r->step, widest } };
    size_t values = 0;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) values += want[i].n;
    bool ok = rows < SIZE_MAX / 64 / (values + columns + 1)
              && (r->block = actio_alloc_raw(r->ctx, values * rows + 1, sizeof(double)));
    double *next = r->block;
    for (size_t i = 0; ok && i < sizeof want / sizeof *want; next += want[i++].n * rows) *want[i].p = next;
    struct actio_binding at = lanes_of(r);
    for (size_t i = 0; ok && i < sizeof used / sizeof *used; i++) ok = bind(r, used[i], &at);
    if (!ok) {
        actio_rows_too_many(r);
        actio_rows_close(r);
        return 1;
    }
    point_at(r, ACTIO_Q_SOLVE, 0, r->zdot, rows, m->N);
    point_at(r, ACTIO_Q_SOLVE, m->N, r->lambda, rows, m->p);
    point_at(r, ACTIO_Q_SOLVE, m->N + m->p, r->reaction, rows, m->N);
    point_at(r, ACTIO_Q_PROJECT_Q, 0, r->step, rows, m->sys->holonomic + m->n);
    point_at(r, ACTIO_Q_PROJECT_V, 0, r->step, rows, m->sys->levels + m->N);
    return 0;
}

void actio_rows_close(struct actio_rows *r)
{
    if (!r->ctx) return;
    actio_free(r->ctx, r->block);
    for (int k = 0; k < ACTIO_Q_COUNT; k++) actio_free(r->ctx, r->lane[k].in);
    *r = (struct actio_rows){ 0 };
}

static void rows_evaluate(struct actio_rows *r, enum actio_quantity what, size_t rows)
{
    const struct actio_bound *b = &r->motion->at[what];
    actio_kernel_eval(b->k, rows, r->lane[what].in, b->pre, 1, r->lane[what].out, r->lane[what].work);
}

/* The next evaluations begin so many rows further on, or back. */
static void shift(struct actio_rows *r, ptrdiff_t by)
{
    static const enum actio_quantity used[] = { ACTIO_Q_SOLVE, ACTIO_Q_OUTPUTS, ACTIO_Q_PROJECT_Q, ACTIO_Q_PROJECT_V };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        const struct actio_kernel *k = r->motion->at[used[i]].k;
        const actio_slot *slots;
        if (!k || !r->lane[used[i]].in) continue;
        for (size_t j = 0; j < actio_kernel_inputs(k, &slots); j++)
            r->lane[used[i]].in[j].p += by * r->lane[used[i]].in[j].lane;
        for (size_t j = 0; j < actio_kernel_outputs(k); j++) r->lane[used[i]].out[j] += by;
    }
}

/* Rows between two looks at the clock: some ten million operations. */
static size_t piece_of(const struct actio_rows *r)
{
    enum { OPERATIONS = 10000000, FEWEST = 64 };
    const struct actio_motion *m = r->motion;
    size_t ops = 1;
    for (int k = 0; k < ACTIO_Q_COUNT; k++) ops += m->at[k].k ? actio_kernel_ops(m->at[k].k) : 0;
    return ops < OPERATIONS / FEWEST ? OPERATIONS / ops : FEWEST;
}

/* Largest of them; what is not a number is passed over. Four at a time, so that they need not wait for each other. */
static double largest_size(const double *x, size_t n)
{
    double most[4] = { 0, 0, 0, 0 };
    size_t i = 0;
    for (; i + 3 < n; i += 4)
        for (size_t j = 0; j < 4; j++) {
            double a = fabs(x[i + j]);
            most[j] = a > most[j] ? a : most[j];
        }
    for (; i < n; i++) most[0] = fmax(most[0], fabs(x[i]));
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* x += step where that is a number; two at a time. */
typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef long long mask __attribute__((vector_size(16), may_alias));

static void add_finite(double *x, const double *step, size_t n)
{
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        pair s = *(const pair *)(step + i);
        mask sound = (mask)(s - s == (pair){ 0, 0 });
        *(pair *)(x + i) += (pair)((mask)s & sound);
    }
    if (i < n && fabs(step[i]) <= DBL_MAX) x[i] += step[i];
}

/* Steps of all rows at once, until each residual is below what a further step would remove. */
static void project_lanes(struct actio_rows *r, size_t first, size_t count, enum actio_quantity what, size_t residuals,
                          double *z, size_t length)
{
    for (int iteration = 0; residuals && iteration < 4; iteration++) {
        double largest = 0, *step = r->step + first;
        rows_evaluate(r, what, count);
        for (size_t j = 0; j < residuals; j++) largest = fmax(largest, largest_size(step + j * r->rows, count));
        for (size_t i = 0; i < length; i++)
            add_finite(z + i * r->rows + first, step + (residuals + i) * r->rows, count);
        if (largest <= 1e-9) break;
    }
}

static void fill_modes(struct actio_rows *r, size_t first, size_t count)
{
    size_t modes = actio_system_modes(r->motion->sys);
    for (size_t l = first; modes && l < first + count; l++) {
        const double *mode = actio_motion_modes_at(r->motion, r->times[l], r->backward);
        for (size_t k = 0; k < modes; k++) r->mode[k * r->rows + l] = mode[k];
    }
}

static void rows_gather(const double *from, size_t rows, size_t l, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i * rows + l];
}

static void scatter(double *to, size_t rows, size_t l, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i * rows + l] = from[i];
}

/* The long way for a row: projection and elimination by the motion itself. */
static int solve_row(struct actio_rows *r, size_t l)
{
    struct actio_motion *m = r->motion;
    double *y = m->scratch.step + m->N; /* scratch of ny values */
    rows_gather(r->y, r->rows, l, y, m->ny);
    rows_gather(r->mode, r->rows, l, m->here.mode, actio_system_modes(m->sys));
    if (actio_corner_rank_varies(m)) actio_corner_rank(m, r->times[l], y);
    if (actio_contacts_hard(m)) {
        int status = actio_contacts_row(m, r->times[l], y, r->backward);
        scatter(r->y, r->rows, l, y, m->ny);
        scatter(r->zdot, r->rows, l, m->here.zdot, m->N);
        scatter(r->lambda, r->rows, l, m->here.lambda, actio_system_reported(m->sys));
        scatter(r->reaction, r->rows, l, m->here.reaction, m->N);
        scatter(r->outside, r->rows, l, m->here.outside, m->sys->externals);
        return status;
    }
    if (m->sys->levels && actio_motion_project(m, r->times[l], y) == ACTIO_FLOW_OK) scatter(r->y, r->rows, l, y, m->ny);
    int status = actio_motion_solve_by_law(m, r->times[l], y);
    if (m->p && m->rows.rank == m->p) actio_motion_undefined(m);
    scatter(r->zdot, r->rows, l, m->here.zdot, m->N);
    scatter(r->lambda, r->rows, l, m->here.lambda, actio_system_reported(m->sys));
    scatter(r->reaction, r->rows, l, m->here.reaction, m->N);
    scatter(r->outside, r->rows, l, m->here.outside, m->sys->externals);
    return status;
}

/* Projection, multipliers and columns of one row after the other. */
static int evaluate_wide(struct actio_rows *r, size_t filled, double *column, size_t lanes)
{
    struct actio_motion *m = r->motion;
    double *y = m->scratch.step + m->N; /* scratch of ny values */
    int status = ACTIO_FLOW_OK;
    for (size_t l = 0; l < filled; l++, r->done++) {
        if (actio_overdue(r->ctx)) return ACTIO_FLOW_STOPPED;
        rows_gather(r->y, r->rows, l, y, m->ny);
        if (m->flow.project && actio_motion_project(m, r->times[l], y) == ACTIO_FLOW_OK)
            scatter(r->y, r->rows, l, y, m->ny);
        int bad = actio_motion_solve_by_law(m, r->times[l], y);
        if (bad && !status) status = bad;
        scatter(column, lanes, l, actio_bound_values(&m->at[ACTIO_Q_OUTPUTS]), m->sys->output.columns);
    }
    return status;
}

/* The motion stands where row l was solved: its lanes have forces of contacts, and rows of constraints count there. */
static void return_to(struct actio_rows *r, size_t l, double *y)
{
    struct actio_motion *m = r->motion;
    rows_gather(r->y, r->rows, l, y, m->ny);
    rows_gather(r->lambda, r->rows, l, m->here.lambda, actio_system_reported(m->sys));
    rows_gather(r->outside, r->rows, l, m->here.outside, m->sys->externals);
    if (actio_corner_rank_varies(m)) actio_corner_rank(m, r->times[l], y);
}

/* Columns of rows along surfaces of switches are mixtures of those on both sides. What has none has no value. */
static int mix_columns(struct actio_rows *r, size_t first, size_t count, int status)
{
    struct actio_motion *m = r->motion;
    double *y = m->scratch.step + m->N, *mixed = NULL; /* scratch of ny values */
    size_t columns = m->sys->output.columns;
    for (size_t l = first; actio_between_was(m) && l < first + count; l++) {
        rows_gather(r->mode, r->rows, l, m->here.mode, actio_system_modes(m->sys));
        if (!actio_between_any(m)) continue;
        if (!mixed && actio_between_make_outputs(m)) return ACTIO_FLOW_FAILED;
        if (!mixed && !(mixed = actio_alloc(r->ctx, columns + 1, sizeof *mixed))) return ACTIO_FLOW_FAILED;
        return_to(r, l, y);
        int bad = actio_between_outputs(m, r->times[l], y, mixed);
        if (bad && !status) status = bad;
        for (size_t c = 0; c < columns; c++) r->lane[ACTIO_Q_OUTPUTS].out[c][l - first] = bad ? NAN : mixed[c];
    }
    actio_free(r->ctx, mixed);
    return status;
}

static int evaluate_piece(struct actio_rows *r, size_t first, size_t count, bool one_by_one)
{
    struct actio_motion *m = r->motion;
    int status = ACTIO_FLOW_OK;
    fill_modes(r, first, count);
    for (size_t l = first; one_by_one && l < first + count; l++) {
        int bad = actio_overdue(r->ctx) ? ACTIO_FLOW_STOPPED : solve_row(r, l);
        if (bad == ACTIO_FLOW_STOPPED) return bad;
        if (bad && !status) status = bad;
    }
    if (!one_by_one) {
        project_lanes(r, first, count, ACTIO_Q_PROJECT_Q, m->sys->holonomic, r->y, m->n);
        project_lanes(r, first, count, ACTIO_Q_PROJECT_V, m->sys->levels, r->y + m->n * r->rows, m->N);
        rows_evaluate(r, ACTIO_Q_SOLVE, count);
    }
    rows_evaluate(r, ACTIO_Q_OUTPUTS, count);
    return one_by_one ? mix_columns(r, first, count, status) : status;
}

int actio_rows_evaluate(struct actio_rows *r, size_t filled, double *column, size_t lanes, bool one_by_one)
{
    struct actio_motion *m = r->motion;
    int status = ACTIO_FLOW_OK;
    r->done = 0;
    if (filled == 0) return status;
    if (m->sys->field.axes) return evaluate_wide(r, filled, column, lanes);
    point_at(r, ACTIO_Q_OUTPUTS, 0, column, lanes, m->sys->output.columns);
    size_t piece = piece_of(r);
    bool singly = one_by_one || m->rows.numeric || m->obeys.law || m->outside.ask || actio_contacts_hard(m)
                  || actio_between_was(m);
    while (r->done < filled && status != ACTIO_FLOW_STOPPED) {
        size_t count = filled - r->done < piece ? filled - r->done : piece;
        int bad = r->done && actio_overdue(r->ctx) ? ACTIO_FLOW_STOPPED : evaluate_piece(r, r->done, count, singly);
        if (bad == ACTIO_FLOW_STOPPED || (bad && !status)) status = bad;
        if (bad != ACTIO_FLOW_STOPPED) {
            r->done += count;
            shift(r, (ptrdiff_t)count);
        }
    }
    shift(r, -(ptrdiff_t)r->done);
    return status;
}

void actio_rows_outputs(struct actio_rows *r, size_t filled, double *column, size_t lanes)
{
    point_at(r, ACTIO_Q_OUTPUTS, 0, column, lanes, r->motion->sys->output.columns);
    fill_modes(r, 0, filled);
    rows_evaluate(r, ACTIO_Q_OUTPUTS, filled);
}

/* Largest sizes of the terms, row by row. */
static void terms_wide(struct actio_rows *r, size_t filled, double *size)
{
    struct actio_motion *m = r->motion;
    size_t columns = m->sys->output.columns;
    double *y = m->scratch.step + m->N;
    memset(size, 0, columns * sizeof *size);
    for (size_t l = 0; l < filled && !actio_overdue(r->ctx); l++) {
        rows_gather(r->y, r->rows, l, y, m->ny);
        if (actio_motion_solve_by_law(m, r->times[l], y)) continue;
        const double *x = actio_bound_values(&m->at[ACTIO_Q_TERMS]);
        for (size_t c = 0; c < columns; c++)
            if (x[c] > size[c] && isfinite(x[c])) size[c] = x[c];
    }
}

/* A row's columns as the motion computes them, its state shaken by this much of itself. */
static const double *shaken_row(struct actio_rows *r, size_t l, double shake)
{
    struct actio_motion *m = r->motion;
    double *y = m->scratch.step + m->N, far = 0, fast = 0;
    unsigned seed = 12345;
    rows_gather(r->y, r->rows, l, y, m->ny);
    for (size_t i = 0; i < m->n; i++) {
        far = fmax(far, fabs(y[i]));
        fast = fmax(fast, fabs(y[m->n + i]));
    }
    for (size_t i = 0; shake > 0 && i < m->ny; i++) {
        seed = seed * 1664525u + 1013904223u;
        y[i] += (seed >> 31 ? 1 : -1) * shake * fmax(fabs(y[i]), 0.125 * (i < m->n ? far : fast));
    }
    if (m->flow.project) actio_motion_project(m, r->times[l], y);
    if (actio_motion_solve_by_law(m, r->times[l], y)) return NULL;
    return actio_bound_values(&m->at[ACTIO_Q_OUTPUTS]);
}

int actio_rows_floor(struct actio_rows *r, size_t filled, double shake, double *floor)
{
    enum { LOOKS = 6 };
    size_t columns = r->motion->sys->output.columns;
    double *before = actio_alloc(r->ctx, columns + 1, sizeof *before);
    if (!before) return 1;
    memset(floor, 0, columns * sizeof *floor);
    for (size_t k = 0; k < LOOKS && filled && !actio_overdue(r->ctx); k++) {
        size_t l = k * (filled - 1) / (LOOKS - 1);
        const double *x = shaken_row(r, l, 0);
        if (!x) continue;
        memcpy(before, x, columns * sizeof *x);
        x = shaken_row(r, l, shake);
        for (size_t c = 0; x && c < columns; c++) floor[c] = fmax(floor[c], 8 * fabs(x[c] - before[c]));
    }
    actio_free(r->ctx, before);
    return 0;
}

int actio_rows_terms(struct actio_rows *r, size_t filled, double *size)
{
    struct actio_motion *m = r->motion;
    size_t columns = m->sys->output.columns;
    if (actio_motion_need(m, ACTIO_Q_TERMS)) return 1;
    if (m->sys->field.axes) {
        terms_wide(r, filled, size);
        return 0;
    }
    struct actio_binding at = lanes_of(r);
    double *value = actio_alloc_raw(r->ctx, columns * r->rows + 1, sizeof *value);
    bool ok = value && (r->lane[ACTIO_Q_TERMS].in || bind(r, ACTIO_Q_TERMS, &at));
    if (ok) {
        const struct actio_bound *b = &m->at[ACTIO_Q_TERMS];
        point_at(r, ACTIO_Q_TERMS, 0, value, r->rows, columns);
        actio_kernel_eval(b->k, filled, r->lane[ACTIO_Q_TERMS].in, b->pre, 1, r->lane[ACTIO_Q_TERMS].out,
                          r->lane[ACTIO_Q_TERMS].work);
        for (size_t c = 0; c < columns; c++) {
            size[c] = 0;
            for (size_t l = 0; l < filled; l++)
                if (value[c * r->rows + l] > size[c] && isfinite(value[c * r->rows + l]))
                    size[c] = value[c * r->rows + l];
        }
    }
    actio_free(r->ctx, value);
    return !ok;
}
