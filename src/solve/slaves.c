/* SPDX-License-Identifier: Apache-2.0
 * Values of fields beyond an end that nothing moves and nothing holds: they follow from the others by their natural
 * conditions N(q) = 0; and start data of fields put on their constraints. */
#include "algebra/dense.h"
#include "solve/slaves.h"

#include <math.h>
#include <string.h>

#define TOLERATED 1e-10 /* of the size of a constraint's terms */
#define ROUNDING 1e-13  /* of the largest of them: differences of neighbours cancel */
enum { MOST_STEPS = 30, FAR_STEPS = 60 };

/* J d = r, rows that do not take part give 0. */
static bool slaves_solve(struct actio_motion *m, const double *J, double *r, bool positions)
{
    const struct actio_system *sys = m->sys;
    size_t S = sys->field.slaves;
    double *A = m->scratch.slave_work;
    int *pivot = m->scratch.slave_pivot;
    for (size_t k = 0; k < S; k++) {
        bool takes_part = !positions || !sys->field.slave_is_rate[k];
        for (size_t j = 0; j < S; j++) A[k * S + j] = takes_part ? J[k * S + j] : k == j;
        if (!takes_part) r[k] = 0;
    }
    if (actio_lu_factor(S, A, pivot)) return false;
    actio_lu_solve(S, A, pivot, r, 1, false);
    return true;
}

int actio_slaves_settle(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    size_t S = sys->field.slaves;
    double moved = 1, size = 0, *r = m->scratch.slave_work + S * S;
    if (S == 0) return ACTIO_FLOW_OK;
    for (int i = 0; i < MOST_STEPS && moved > 4e-16 * size; i++) {
        const double *x = actio_bound_values(&m->at[ACTIO_Q_SLAVES]);
        double before = moved;
        memcpy(r, x, S * sizeof *r);
        if (!slaves_solve(m, x + 2 * S, r, true)) return ACTIO_FLOW_SINGULAR;
        moved = size = 0;
        for (size_t k = 0; k < S; k++) {
            m->here.y[sys->field.slave[k]] -= r[k];
            moved = fmax(moved, fabs(r[k]));
            size = fmax(size, fabs(m->here.y[sys->field.slave[k]]));
        }
        if (!isfinite(moved)) return ACTIO_FLOW_NAN;
        if (i && moved >= 0.5 * before) break; /* rounding */
    }
    const double *x = actio_bound_values(&m->at[ACTIO_Q_SLAVES]);
    memcpy(r, x + S, S * sizeof *r);
    if (!slaves_solve(m, x + 2 * S, r, false)) return ACTIO_FLOW_SINGULAR;
    for (size_t k = 0; k < S; k++) m->here.y[m->n + sys->field.slave[k]] -= r[k];
    return ACTIO_FLOW_OK;
}

/* ---- start data */

/* What each residual may be: 1e-10 of its terms, and what rounding of numbers as large as the largest of their kind
 * brings (y(1) = sin(pi)). */
void actio_lanes_allowance(struct actio_motion *m, double *allowed)
{
    const struct actio_system *sys = m->sys;
    size_t holonomic = sys->holonomic, count = holonomic + sys->levels;
    const double *r = actio_bound_values(&m->at[ACTIO_Q_LEVELS]), *size = r + count, *F = size + count,
                 *A = actio_bound_values(&m->at[ACTIO_Q_MATRIX]) + sys->G.count;
    double far = 0, fast = 0, largest = 0;
    for (size_t i = 0; i < m->n; i++) {
        far = fmax(far, fabs(m->here.y[i]));
        fast = fmax(fast, fabs(m->here.y[m->n + i]));
    }
    for (size_t i = 0; i < count; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; i < count; i++) allowed[i] = TOLERATED * size[i] + ROUNDING * largest;
    for (size_t e = 0; e < sys->F.count; e++) allowed[sys->F.row[e]] += ROUNDING * fabs(F[e]) * far;
    for (size_t e = 0; e < sys->level_rows.count; e++)
        allowed[holonomic + sys->level_rows.row[e]] += ROUNDING * fabs(A[sys->level_rows.col[e]]) * fast;
}

static bool slaves_measure(struct actio_motion *m, double *allowed, struct actio_start_check *out)
{
    const struct actio_system *sys = m->sys;
    size_t count = sys->holonomic + sys->levels;
    bool fits = true;
    actio_lanes_allowance(m, allowed);
    const double *r = actio_bound_values(&m->at[ACTIO_Q_LEVELS]);
    if (out) {
        memset(out->position, 0, sys->p * sizeof(double));
        memset(out->velocity, 0, sys->p * sizeof(double));
    }
    for (size_t i = 0; i < count; i++) {
        if (fabs(r[i]) <= allowed[i]) continue;
        fits = false;
        if (!out) continue;
        if (i < sys->holonomic) out->position[sys->position_row[i]] = r[i];
        else out->velocity[sys->velocity_row[i - sys->holonomic]] = r[i];
    }
    return fits;
}

/* ---- by full matrices */

enum { MOST_FULL = 600, FULL_STEPS = 60 };
struct full {
    double *J, *b, *step, *work;
    int *iwork;
};

static bool take_full(struct actio_motion *m, struct full *f)
{
    size_t n = m->n, p = m->p, big = n > p ? n : p, total = p * n + p + n + actio_rank_work(big, big) + 1;
    f->J = actio_alloc(m->ctx, total, sizeof *f->J);
    f->iwork = actio_alloc(m->ctx, n + p + 1, sizeof *f->iwork);
    if (!f->J || !f->iwork) return false;
    f->b = f->J + p * n;
    f->step = f->b + p;
    f->work = f->step + n;
    return true;
}

/* One step of positions (level 0) or velocities (1): the residual before it, beside the largest of its terms. */
static double step_nearer(struct actio_motion *m, struct full *f, int level)
{
    const struct actio_system *sys = m->sys;
    size_t n = m->n, count = sys->holonomic + sys->levels, rows = level ? sys->levels : sys->holonomic,
           first = level ? sys->holonomic : 0;
    const uint32_t *row = level ? sys->velocity_row : sys->position_row;
    const double *r = actio_bound_values(&m->at[ACTIO_Q_LEVELS]) + first,
                 *A = actio_bound_values(&m->at[ACTIO_Q_MATRIX]) + sys->G.count;
    double left = 0, largest = 0, defect;
    memset(f->J, 0, rows * n * sizeof *f->J);
    memset(f->iwork, 0, m->p * sizeof *f->iwork);
    for (size_t k = 0; k < rows; k++) {
        f->b[k] = -r[k];
        left = fmax(left, fabs(r[k]));
        largest = fmax(largest, r[count + k]);
        f->iwork[row[k]] = (int)k + 1;
    }
    for (size_t e = 0; e < sys->A.count; e++)
        if (f->iwork[sys->A.row[e]]) f->J[(size_t)(f->iwork[sys->A.row[e]] - 1) * n + sys->A.col[e]] += A[e];
    if (!isfinite(left)) return left;
    actio_min_norm(rows, n, f->J, f->b, 1e-10, f->step, &defect, f->work, f->iwork);
    for (size_t i = 0; i < n; i++) m->here.y[(size_t)level * n + i] += f->step[i];
    return largest > 0 ? left / largest : 0;
}

bool actio_lanes_nearest(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    struct full f = { 0 };
    bool ok = m->N == m->n && m->n + m->p <= MOST_FULL && take_full(m, &f);
    for (int level = 0; level < 2 && ok; level++) {
        double left = 1;
        for (int step = 0; (level ? sys->levels : sys->holonomic) && step < FULL_STEPS && left > 1e-13; step++)
            left = step_nearer(m, &f, level);
        ok = (!(level ? sys->levels : sys->holonomic) || left <= 1e-7) && actio_slaves_settle(m) == ACTIO_FLOW_OK;
    }
    actio_free(m->ctx, f.J);
    actio_free(m->ctx, f.iwork);
    return ok;
}

int actio_lanes_check_start(struct actio_motion *m, double t, const double *y, struct actio_start_check *out)
{
    double *allowed = actio_alloc(m->ctx, m->sys->holonomic + m->sys->levels + 1, sizeof *allowed);
    m->here.t = t;
    memcpy(m->here.y, y, m->ny * sizeof *y);
    out->found = allowed && actio_slaves_settle(m) == ACTIO_FLOW_OK;
    out->consistent = m->sys->levels == 0 || (allowed && slaves_measure(m, allowed, out));
    out->euclidean = false;
    if (m->sys->levels && out->found)
        out->found = actio_motion_project_far(m, FAR_STEPS) == ACTIO_FLOW_OK && slaves_measure(m, allowed, NULL);
    if (m->sys->levels && allowed && !out->found) {
        memcpy(m->here.y, y, m->ny * sizeof *y);
        out->found =
            actio_slaves_settle(m) == ACTIO_FLOW_OK && actio_lanes_nearest(m) && slaves_measure(m, allowed, NULL);
    }
    memcpy(out->nearest, m->here.y, m->ny * sizeof *y);
    actio_free(m->ctx, allowed);
    return 0;
}
