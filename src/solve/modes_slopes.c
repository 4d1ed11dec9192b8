/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the equations at a point: by their formulas; by differences where integrals along an axis let every
 * value depend on every other. */
#include "solve/law.h"
#include "solve/modes.h"

#include <math.h>
#include <string.h>

#define STEP 1e-5  /* of max(1, |x|), in formulas of order 4 */
#define BENT 1e-4  /* what slopes may change by from one side to the other without a question */
#define AGREE 1e-6 /* formulas and differences, beside the sum of the terms of a row */

void actio_slopes_apply(const struct actio_slopes *s, size_t rows, const double *dy, double *out)
{
    memset(out, 0, rows * sizeof *out);
    for (size_t i = 0; i < s->count; i++) out[s->row[i]] += s->value[i] * dy[s->col[i]];
}

/* h - G z' + D' lambda, c - A z' at y with z' and lambda as they are in the motion. */
bool actio_slopes_residual(struct actio_motion *m, double t, const double *y, double *r)
{
    const struct actio_system *sys = m->sys;
    const double *G = actio_motion_values(m, t, y);
    if (!G) return false;
    const double *A = G + sys->G.count, *D = A + sys->A.count, *h = D + sys->D.count;
    memcpy(r, h, (m->N + m->p) * sizeof *r);
    for (size_t i = 0; i < sys->G.count; i++) r[sys->G.row[i]] -= G[i] * m->here.zdot[sys->G.col[i]];
    for (size_t i = 0; i < sys->D.count; i++) r[sys->D.col[i]] += D[i] * m->here.lambda[sys->D.row[i]];
    for (size_t i = 0; i < sys->A.count; i++) r[m->N + sys->A.row[i]] -= A[i] * m->here.zdot[sys->A.col[i]];
    const double *natural = sys->field.slaves ? actio_bound_values(&m->at[ACTIO_Q_SLAVES]) : NULL;
    for (size_t k = 0; k < sys->field.slaves; k++) r[sys->field.slave[k]] = natural[k];
    return true;
}

/* Along a direction: (8 (r(h) - r(-h)) - (r(2h) - r(-2h))) / 12h. work: ny + rows. */
static bool difference(struct actio_motion *m, double t, const double *y, const double *direction, double step,
                       double *out, double *work)
{
    static const struct {
        double at, weight;
    } place[] = { { 1, 8 }, { -1, -8 }, { 2, -1 }, { -2, 1 } };
    size_t rows = m->N + m->p;
    double *moved = work, *r = work + m->ny;
    memset(out, 0, rows * sizeof *out);
    for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
        for (size_t i = 0; i < m->ny; i++) moved[i] = y[i] + place[k].at * step * direction[i];
        if (!actio_slopes_residual(m, t, moved, r)) return false;
        for (size_t i = 0; i < rows; i++) out[i] += place[k].weight * r[i] / (12 * step);
    }
    return true;
}

static double step_of(size_t n, const double *y)
{
    double size = 1;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    return STEP * size;
}

/* A direction that no pattern of neighbours is orthogonal to; sizes of the terms of each row along it, none less than a
 * part of the largest. */
static void set_out(const struct actio_motion *m, const struct actio_slopes *s, double *direction, double *size)
{
    size_t rows = m->N + m->p;
    double largest = 0;
    for (size_t i = 0; i < m->ny; i++) direction[i] = sin(1.7 + 2.39996322972865332 * (double)i);
    memset(size, 0, rows * sizeof *size);
    for (size_t i = 0; i < s->count; i++) size[s->row[i]] += fabs(s->value[i] * direction[s->col[i]]);
    for (size_t i = 0; i < rows; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; i < rows; i++) size[i] += 1e-3 * largest;
}

/* r(step) - 2 r(0) + r(-step) along a direction. work: ny + rows. */
static bool bend_of(struct actio_motion *m, double t, const double *y, const double *direction, double step,
                    double *bend, double *work)
{
    static const double weight[] = { 1, -2, 1 };
    size_t rows = m->N + m->p;
    double *moved = work, *r = work + m->ny;
    memset(bend, 0, rows * sizeof *bend);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < m->ny; i++) moved[i] = y[i] + (k - 1) * step * direction[i];
        if (!actio_slopes_residual(m, t, moved, r)) return false;
        for (size_t i = 0; i < rows; i++) bend[i] += weight[k] * r[i];
    }
    return true;
}

/* Are slopes to either side the same? Where they are, what is bent falls with the square of the step; at a kink with
 * the step. */
static bool is_smooth(struct actio_motion *m, const struct actio_slopes *s, double t, const double *y, double *work)
{
    size_t rows = m->N + m->p;
    double *direction = work, *size = direction + m->ny, *bend = size + rows, *less = bend + rows,
           step = step_of(m->ny, y);
    set_out(m, s, direction, size);
    if (!bend_of(m, t, y, direction, step, bend, less + rows)
        || !bend_of(m, t, y, direction, step / 8, less, less + rows))
        return false;
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(bend[i]) <= BENT * step * size[i] || fabs(less[i]) <= fabs(bend[i]) / 16)) return false;
    return true;
}

/* Do the formulas agree with differences along some direction? */
static bool agree(struct actio_motion *m, const struct actio_slopes *s, double t, const double *y, double *work)
{
    size_t rows = m->N + m->p;
    double *direction = work, *size = direction + m->ny, *reported = size + rows, *seen = reported + rows;
    set_out(m, s, direction, size);
    actio_slopes_apply(s, rows, direction, reported);
    if (!difference(m, t, y, direction, step_of(m->ny, y), seen, seen + rows)) return false;
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(seen[i] - reported[i]) <= AGREE * size[i])) return false;
    return true;
}

static bool modes_slopes_take(struct actio_slopes *s, struct actio_context *ctx, size_t count)
{
    *s =
        (struct actio_slopes){ actio_alloc(ctx, count + 1, sizeof *s->row), actio_alloc(ctx, count + 1, sizeof *s->col),
                               actio_alloc(ctx, count + 1, sizeof *s->value), 0 };
    return s->row && s->col && s->value;
}

void actio_slopes_close(struct actio_slopes *s, struct actio_context *ctx)
{
    actio_free(ctx, s->row);
    actio_free(ctx, s->col);
    actio_free(ctx, s->value);
    *s = (struct actio_slopes){ 0 };
}

static int by_differences(struct actio_motion *m, struct actio_slopes *s, double t, const double *y, double *work)
{
    size_t rows = m->N + m->p;
    double *direction = work, *slope = direction + m->ny, step = step_of(m->ny, y);
    if (!modes_slopes_take(s, m->ctx, rows * m->ny)) return 1;
    memset(direction, 0, m->ny * sizeof *direction);
    for (uint32_t j = 0; j < m->ny; j++) {
        direction[j] = 1;
        if (!difference(m, t, y, direction, step, slope, slope + rows)) return 1;
        direction[j] = 0;
        for (uint32_t i = 0; i < rows; i++)
            if (slope[i] != 0) {
                s->row[s->count] = i;
                s->col[s->count] = j;
                s->value[s->count++] = slope[i];
            }
    }
    return 0;
}

int actio_slopes_open(struct actio_slopes *s, struct actio_motion *m, double t, const double *y)
{
    /* the params' direction, 0 */
    if ((!m->sys->field.axes && actio_motion_make_hidden(m, m->sys->params))
        || actio_motion_need(m, ACTIO_Q_EQUATIONS_Y))
        return 1;
    const struct actio_places *at = &m->sys->jets.equations_y;
    const double *value = actio_motion_quantity(m, ACTIO_Q_EQUATIONS_Y, t, y);
    if (!modes_slopes_take(s, m->ctx, at->count)) return 1;
    for (size_t i = 0; i < at->count; i++) {
        s->row[i] = at->row[i];
        s->col[i] = at->col[i];
        s->value[i] = value[i];
    }
    s->count = at->count;
    if (!m->sys->field.axes) return 0;
    double *work = actio_alloc(m->ctx, 2 * m->ny + 5 * (m->N + m->p) + 1, sizeof *work);
    int bad = work == NULL;
    if (!bad && !agree(m, s, t, y, work)) {
        actio_slopes_close(s, m->ctx);
        bad = by_differences(m, s, t, y, work);
    }
    if (!bad && !is_smooth(m, s, t, y, work)) bad = ACTIO_SLOPES_BENT;
    actio_free(m->ctx, work);
    return bad;
}
