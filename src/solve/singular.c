/* SPDX-License-Identifier: Apache-2.0
 * Singular points inside a step: does the motion go on through them? */
#include "solve/law.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

/* of forces, times the quality: below it rows that are poor everywhere show rounding that grows */
#define ROUNDING 1e-6

/* Accelerations and reactions a little before and after a singular point. */
static int sample(struct actio_motion *m, double t, actio_dense_fn at, void *where, double *y, double *out)
{
    at(where, t, y);
    int status = actio_motion_solve(m, t, y);
    memcpy(out, m->here.zdot, m->N * sizeof *out);
    memcpy(out + m->N, m->here.reaction, m->N * sizeof *out);
    return status;
}

/* The largest of the reactions and multipliers there, the latter of positions only; *quality: of the elimination. */
static double largest_force(struct actio_motion *m, double t, actio_dense_fn at, void *where, double *y,
                            double *quality)
{
    double largest = 0;
    at(where, t, y);
    if (actio_motion_project(m, t, y) || actio_motion_solve(m, t, y)) return NAN;
    for (size_t i = 0; i < m->N; i++) largest = fmax(largest, fabs(m->here.reaction[i]));
    for (size_t i = 0; i < m->sys->holonomic; i++)
        largest = fmax(largest, fabs(m->here.lambda[m->sys->position_row[i]]));
    *quality = m->flow.quality_at(m, t, y);
    return largest;
}

/* Do forces in constraints of positions grow as 1 over the distance in time from a singular point, on the way to it or
 * from it? Then nothing holds the motion on its branch there, though accelerations may have a limit. Where the
 * elimination is so poor that rounding shows,
 * nothing is said. */
static bool forces_grow(struct actio_motion *m, double t, double side, actio_dense_fn at, void *where, double *y)
{
    double quality, far = largest_force(m, t + 0.3 * (side - t), at, where, y, &quality),
                    near = largest_force(m, t + 0.03 * (side - t), at, where, y, &quality);
    return quality > 1e-8 && near > 3 * far && near > ROUNDING / quality;
}

/* Do both sides tend to the same? Linear extrapolation to t from each, judged by the size of the quantity nearby. */
static bool tend_to_the_same(struct actio_motion *m, double t, double before, double after, double far,
                             actio_dense_fn at, void *where, double *y)
{
    size_t size = 2 * m->N;
    double *x[4] = { y + m->ny, y + m->ny + size, y + m->ny + 2 * size, y + m->ny + 3 * size };
    const double place[4] = { t + far * (before - t), t + far / 10 * (before - t), t + far / 10 * (after - t),
                              t + far * (after - t) };
    for (int i = 0; i < 4; i++)
        if (sample(m, place[i], at, where, y, x[i]) != ACTIO_FLOW_OK) return false;
    for (size_t i = 0; i < size; i++) {
        double left = x[1][i] + (x[1][i] - x[0][i]) / 9, right = x[2][i] + (x[2][i] - x[3][i]) / 9;
        if (!(fabs(left - right) <= 1e-3 * (1 + fabs(x[0][i]) + fabs(x[3][i])))) return false;
    }
    return true;
}

/* Near the point, or not so near: where rows are nearly dependent, rounding hides a limit. */
static bool same_limits(struct actio_motion *m, double t, double before, double after, actio_dense_fn at, void *where,
                        double *y)
{
    if (before == t || after == t) return false;
    if (!tend_to_the_same(m, t, before, after, 1e-2, at, where, y)
        && !tend_to_the_same(m, t, before, after, 1e-1, at, where, y))
        return false;
    if (m->sys->holonomic == 0 || m->sys->field.axes) return true;
    return !forces_grow(m, t, before, at, where, y) && !forces_grow(m, t, after, at, where, y);
}

/* Rows of d(phi)/d(q, v, s) at y, by differences: only requested at a singular point. */
static const double *full_rows(struct actio_motion *m, double t, double *y, double *rows)
{
    size_t first = m->sys->holonomic, levels = m->sys->levels;
    for (size_t i = 0; i < m->ny; i++) {
        double x = y[i], h = 1e-6 * (1 + fabs(x));
        for (int side = -1; side <= 1; side += 2) {
            y[i] = x + side * h;
            const double *phi = actio_motion_quantity(m, ACTIO_Q_LEVELS, t, y) + first;
            for (size_t r = 0; r < levels; r++)
                rows[r * m->ny + i] = (side < 0 ? 0 : rows[r * m->ny + i]) + side * phi[r] / (2 * h);
        }
        y[i] = x;
    }
    return rows;
}

/* Is the set of states that satisfy the constraints smooth at y? Where its full rows become dependent it branches, and
 * nothing says which branch the motion takes. */
static bool branches(struct actio_motion *m, double t, double *y)
{
    size_t levels = m->sys->levels, ny = m->ny, rank = m->rows.rank;
    if (levels == 0 || levels < m->p) return false;
    double *rows = actio_alloc(m->ctx, levels * ny + 1, sizeof *rows),
           *basis = actio_alloc(m->ctx, ny * ny + 1, sizeof *basis);
    double *work = actio_alloc(m->ctx, actio_rank_work(levels, ny) + 1, sizeof *work);
    int *iwork = actio_alloc(m->ctx, levels + ny + 1, sizeof *iwork);
    if (rows && basis && work && iwork) {
        full_rows(m, t, y, rows);
        rank = actio_row_bases(levels, ny, rows, 1e-3, basis, work, iwork);
    }
    actio_free(m->ctx, rows);
    actio_free(m->ctx, basis);
    actio_free(m->ctx, work);
    actio_free(m->ctx, iwork);
    return rank < m->rows.rank;
}

int actio_motion_singular(void *user, double t, double before, double after, actio_dense_fn at, void *where)
{
    struct actio_motion *m = user;
    double *y = m->scratch.step + m->N;
    if (same_limits(m, t, before, after, at, where, y)) {
        at(where, t, y);
        if (!branches(m, t, y)) return 0;
    }
    at(where, t, y);
    actio_saddle_factor(m->saddle, actio_motion_quantity(m, ACTIO_Q_MATRIX, t, y));
    actio_saddle_rank(m->saddle, NULL);
    m->halted.by = actio_saddle_weakest(m->saddle);
    m->halted.why = m->halted.by < m->p ? ACTIO_STOP_RANK : ACTIO_STOP_INERTIA;
    return ACTIO_FLOW_SINGULAR;
}
