/* SPDX-License-Identifier: Apache-2.0
 * Start data: how far they are from the constraints, and the nearest ones that satisfy them (kinetic-energy metric
 * where it is positive). */
#include "algebra/dense.h"
#include "solve/motion.h"

#include <math.h>
#include <string.h>

#define TOLERATED 1e-10 /* of the size of a constraint's terms: more is the user's to know */
#define ROUNDING 7e-15  /* of a number that took part: 32 units in the last place */

struct nearest {
    struct actio_motion *m;
    bool positions;
    size_t rows, n;
    double *z; /* inside the motion's current point */
    double *z0, *L, *J, *B, *r, *x, *work;
    int *iwork;
    double *rounding; /* positions' residuals, then velocities' */
    bool euclidean;
};

static const double *levels(struct actio_motion *m) { return actio_bound_values(&m->at[ACTIO_Q_LEVELS]); }

static const double *matrix(struct actio_motion *m) { return actio_bound_values(&m->at[ACTIO_Q_MATRIX]); }

static double start_largest_of(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* What each residual may be: velocities off by 1e-10 of themselves, all by rounding beside the largest of their kind (y
 * = sin(pi)). For terms that are themselves small by cancellation, y'*cos(th) at th = pi/2 or a product of sums. */
static void fill_rounding(struct actio_motion *m, double *rounding)
{
    size_t rows = m->sys->holonomic + m->sys->levels;
    const double step = 0x1p-20, *c = levels(m);
    double *base = rounding + rows;
    memcpy(base, c, rows * sizeof *base);
    memset(rounding, 0, rows * sizeof *rounding);
    double far = start_largest_of(m->here.y, m->n), fast = start_largest_of(m->here.y + m->n, m->ny - m->n);
    for (size_t i = 0; i < m->ny; i++) {
        double y = m->here.y[i], size = i < m->n ? far : fast;
        if (size == 0) continue;
        m->here.y[i] = y + step * size;
        c = levels(m);
        double allowed = ROUNDING + (i < m->n ? 0 : TOLERATED * fabs(y) / size);
        for (size_t r = 0; r < rows; r++) rounding[r] += fabs(c[r] - base[r]) / step * allowed;
        m->here.y[i] = y;
    }
}

static void fill_rows(struct nearest *s)
{
    const struct actio_system *sys = s->m->sys;
    memset(s->J, 0, s->rows * s->n * sizeof *s->J);
    if (s->positions) {
        const double *F = levels(s->m) + 2 * (sys->holonomic + sys->levels);
        for (size_t i = 0; i < sys->F.count; i++) s->J[sys->F.row[i] * s->n + sys->F.col[i]] = F[i];
    } else {
        const double *A = matrix(s->m) + sys->G.count;
        for (size_t i = 0; i < sys->level_rows.count; i++) {
            uint32_t entry = sys->level_rows.col[i];
            s->J[sys->level_rows.row[i] * s->n + sys->A.col[entry]] = A[entry];
        }
    }
}

/* Lower Cholesky factor of the metric, or the unit matrix when it is not positive definite. */
static void fill_metric(struct nearest *s)
{
    const struct actio_system *sys = s->m->sys;
    size_t n = s->n;
    const double *G = matrix(s->m);
    memset(s->L, 0, n * n * sizeof *s->L);
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] < n && sys->G.col[i] < n) s->L[sys->G.row[i] * n + sys->G.col[i]] = G[i];
    s->euclidean = actio_cholesky_factor(n, s->L) != 0;
    if (!s->euclidean) return;
    memset(s->L, 0, n * n * sizeof *s->L);
    for (size_t i = 0; i < n; i++) s->L[i * n + i] = 1;
}

/* B = J L^-T, row by row: L b = J_row. */
static void weigh_rows(struct nearest *s)
{
    size_t n = s->n;
    for (size_t r = 0; r < s->rows; r++)
        for (size_t i = 0; i < n; i++) {
            double sum = s->J[r * n + i];
            for (size_t j = 0; j < i; j++) sum -= s->L[i * n + j] * s->B[r * n + j];
            s->B[r * n + i] = sum / s->L[i * n + i];
        }
}

static void unweigh(const struct nearest *s, double *x) /* x <- L^-T x */
{
    size_t n = s->n;
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= s->L[j * n + i] * x[j];
        x[i] /= s->L[i * n + i];
    }
}

/* z = z0 + x with x of least length and J x = J (z - z0) - c: at rest this is the foot of the perpendicular. `newton`:
 * steps from z instead. */
static double start_iterate(struct nearest *s, bool newton)
{
    const struct actio_system *sys = s->m->sys;
    size_t n = s->n;
    double defect, moved = 0;
    const double *c = levels(s->m) + (s->positions ? 0 : sys->holonomic);
    for (size_t r = 0; r < s->rows; r++) s->r[r] = -c[r];
    fill_rows(s);
    for (size_t r = 0; !newton && r < s->rows; r++)
        for (size_t i = 0; i < n; i++) s->r[r] += s->J[r * n + i] * (s->z[i] - s->z0[i]);
    weigh_rows(s);
    actio_min_norm(s->rows, n, s->B, s->r, 1e-10, s->x, &defect, s->work, s->iwork);
    unweigh(s, s->x);
    for (size_t i = 0; i < n; i++) {
        double next = (newton ? s->z[i] : s->z0[i]) + s->x[i];
        moved = fmax(moved, fabs(next - s->z[i]) / (1 + fabs(next)));
        s->z[i] = next;
    }
    return moved;
}

/* The largest residual there; *within: all are rounding beside their terms. */
static double largest_residual(const struct nearest *s, bool *within)
{
    const struct actio_system *sys = s->m->sys;
    const double *c = levels(s->m) + (s->positions ? 0 : sys->holonomic), *size = c + sys->holonomic + sys->levels;
    const double *rounding = s->rounding + (s->positions ? 0 : sys->holonomic);
    double largest = 0;
    *within = true;
    for (size_t r = 0; r < s->rows; r++) {
        largest = fmax(largest, fabs(c[r]));
        if (!(fabs(c[r]) <= TOLERATED * size[r] + rounding[r])) *within = false;
    }
    return largest;
}

/* Where a row vanishes no step is taken either: only a residual that has gone says that the place was found. */
static bool start_settle(struct nearest *s)
{
    bool within;
    double moved = 1, before = largest_residual(s, &within);
    memcpy(s->z0, s->z, s->n * sizeof *s->z0);
    for (int i = 0; i < 100 && moved > 1e-14; i++) {
        moved = start_iterate(s, false);
        if (!(moved < 1e12)) break;
    }
    if (!(moved <= 1e-9)) memcpy(s->z, s->z0, s->n * sizeof *s->z);
    for (int i = 0; i < 60; i++)
        if ((moved = start_iterate(s, true)) <= 1e-15 || !(moved < 1e12)) break;
    double after = largest_residual(s, &within);
    return moved <= 1e-9 && (within || after <= 1e-6 * before);
}

static bool find_nearest(struct actio_motion *m, bool positions, double *rounding, bool *euclidean)
{
    const struct actio_system *sys = m->sys;
    struct nearest s = { .m = m,
                         .positions = positions,
                         .rows = positions ? sys->holonomic : sys->levels,
                         .n = positions ? m->n : m->N,
                         .z = positions ? m->here.y : m->here.y + m->n,
                         .rounding = rounding };
    if (s.rows == 0) return true;
    size_t n = s.n, r = s.rows, big = n > r ? n : r;
    double **part[] = { &s.z0, &s.L, &s.J, &s.B, &s.r, &s.x, &s.work };
    size_t size[] = { n, n * n, r * n, r * n, r, n, actio_rank_work(big, big) };
    bool ok = (s.iwork = actio_alloc(m->ctx, n + r + 1, sizeof *s.iwork)) != NULL;
    for (int i = 0; i < 7; i++) ok = (*part[i] = actio_alloc(m->ctx, size[i] + 1, sizeof(double))) && ok;
    if (ok) {
        fill_metric(&s);
        ok = start_settle(&s);
        *euclidean = *euclidean || s.euclidean;
    }
    for (int i = 0; i < 7; i++) actio_free(m->ctx, *part[i]);
    actio_free(m->ctx, s.iwork);
    return ok;
}

/* Residuals by constraint; those within rounding of their terms count as 0. */
static bool start_measure(struct actio_motion *m, const double *rounding, struct actio_start_check *out)
{
    const struct actio_system *sys = m->sys;
    const double *f = levels(m), *phi = f + sys->holonomic, *f_size = phi + sys->levels,
                 *phi_size = f_size + sys->holonomic;
    bool consistent = true;
    memset(out->position, 0, sys->p * sizeof *out->position);
    memset(out->velocity, 0, sys->p * sizeof *out->velocity);
    for (size_t i = 0; i < sys->holonomic; i++)
        if (!(fabs(f[i]) <= TOLERATED * f_size[i] + rounding[i])) {
            out->position[sys->position_row[i]] = f[i];
            consistent = false;
        }
    for (size_t i = 0; i < sys->levels; i++)
        if (!(fabs(phi[i]) <= TOLERATED * phi_size[i] + rounding[sys->holonomic + i])) {
            out->velocity[sys->velocity_row[i]] = phi[i];
            consistent = false;
        }
    return consistent;
}

static bool find_both(struct actio_motion *m, const double *y, double *rounding, bool *euclidean)
{
    memcpy(m->here.y, y, m->ny * sizeof *y);
    *euclidean = false;
    return find_nearest(m, true, rounding, euclidean) && find_nearest(m, false, rounding, euclidean);
}

/* Data that fit but for rounding: one projection as after a step, whatever the size of the model. */
static bool start_polish(struct actio_motion *m, double t, const double *y)
{
    double *z = m->scratch.step + m->N; /* scratch of ny values */
    memcpy(z, y, m->ny * sizeof *z);
    bool ok = actio_motion_begin(m, t, y) == 0 && actio_motion_project(m, t, z) == ACTIO_FLOW_OK;
    for (size_t i = 0; i < m->ny && ok; i++) ok = fabs(z[i] - y[i]) <= 1e-8 * (1 + fabs(y[i]));
    m->here.t = t;
    memcpy(m->here.y, ok ? z : y, m->ny * sizeof *z);
    return ok;
}

int actio_motion_check_start(struct actio_motion *m, double t, const double *y, struct actio_start_check *out)
{
    size_t rows = m->sys->holonomic + m->sys->levels;
    double *rounding = actio_alloc(m->ctx, 2 * rows + 1, sizeof *rounding);
    actio_motion_take_sides(m, t, y);
    m->here.t = t;
    memcpy(m->here.y, y, m->ny * sizeof *y);
    out->consistent = true;
    out->euclidean = false;
    out->found = rounding != NULL;
    if (rounding && rows) {
        out->consistent = start_measure(m, rounding, out);
        out->found = out->consistent && start_polish(m, t, y);
        if (!out->found) { /* rounding costs many evaluations and is hardly ever needed */
            memcpy(m->here.y, y, m->ny * sizeof *y);
            fill_rounding(m, rounding);
            out->consistent = start_measure(m, rounding, out);
            out->found = find_both(m, y, rounding, &out->euclidean);
        }
    }
    actio_free(m->ctx, rounding);
    memcpy(out->nearest, m->here.y, m->ny * sizeof *y);
    return 0;
}
