/* SPDX-License-Identifier: Apache-2.0
 * What a model with fields is like at several numbers of nodes and several shapes: rank, degrees of freedom, growth, and whether different discretisations
 * go to one limit. Doubling the nodes alone would certify wrong answers.                                                              [HAMEL C, E] */
#include "field_look.h"
#include "algebra/dense.h"
#include "algebra/periodic.h"
#include "solve/slaves.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-9                                     /* rows nearer to each other than this */
enum { MODES = 4 };
static const double amounts[] = { 0.25, 0.08, 0.02 };      /* of a bend, beside the length of the axis: what the constraints allow */

/* ---- a run with other nodes */

struct trial { struct actio_run run; struct actio_findings silent; };

static void set_nodes(struct actio_model *m, size_t cells, size_t *before)
{
    for (size_t a = 0; a < m->axes; a++) {
        if (before) before[a] = m->axis[a].nodes;
        m->axis[a].nodes = cells + 1;
    }
}

static void restore_nodes(struct actio_model *m, const size_t *before)
{
    for (size_t a = 0; a < m->axes; a++) m->axis[a].nodes = before[a];
}

static bool trial_open(struct trial *t, const struct actio_run *of)
{
    actio_findings_open(&t->silent, of->ctx);
    actio_run_open(&t->run, of->ctx, of->model, &of->options, &t->silent);
    return actio_run_form_fields(&t->run) == 0;
}

static void trial_close(struct trial *t)
{
    actio_run_close(&t->run);
    actio_findings_close(&t->silent);
}

/* ---- shapes */

/* The same numbers in every call: between -1 and 1. */
static double shaken(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* Smooth bends of every field, the same functions of s for any number of nodes; point coordinates are moved. `shape` 0 leaves the start. */
static void bend(const struct actio_run *run, unsigned shape, double amount, bool velocities, double *y)
{
    const struct actio_model *m = run->model;
    const struct actio_system *sys = run->sys;
    unsigned seed = 77 * shape;
    for (size_t i = 0; shape && i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        size_t nodes = axis ? m->axis[axis - 1].nodes : 1;
        double length = axis ? m->axis[axis - 1].b - m->axis[axis - 1].a : 1, a[2][MODES];
        for (int k = 0; k < MODES; k++) a[0][k] = shaken(&seed) / (1 + k * k), a[1][k] = velocities ? shaken(&seed) / (1 + k * k) : 0;
        for (size_t j = 0; j < nodes; j++) {
            double sigma = nodes > 1 ? (double)j / (double)(nodes - 1) : 0;
            for (int k = 0; k < MODES; k++) {
                double mode = cos(3.14159265358979 * k * sigma + (double)i);
                y[sys->base[i] + j] += amount * length * a[0][k] * mode;
                y[sys->n + sys->base[i] + j] += amount * a[1][k] * mode;
            }
        }
    }
}

/* The start, bent and put on the constraints of this number of nodes. */
static bool shape_state(struct actio_run *run, unsigned shape, double amount, bool velocities, double *y)
{
    struct actio_motion *m = &run->motion;
    memcpy(y, run->y0, run->ny * sizeof *y);
    bend(run, shape, amount, velocities, y);
    m->t = run->model->has_time ? run->model->t0 : 0;
    memcpy(m->y, y, run->ny * sizeof *y);
    if (actio_slaves_settle(m)) return false;
    if (run->sys->levels && actio_motion_project_far(m, 60)) return false;
    memcpy(y, m->y, run->ny * sizeof *y);
    const double *r = run->sys->levels ? actio_bound_values(&m->at[ACTIO_Q_LEVELS]) : NULL, *size = r ? r + run->sys->holonomic + run->sys->levels : NULL;
    double largest = 0;
    for (size_t i = 0; r && i < run->sys->holonomic + run->sys->levels; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; r && i < run->sys->holonomic + run->sys->levels; i++)
        if (!(fabs(r[i]) <= 1e-7 * largest)) return false;
    return true;
}

/* ---- rank */

struct dense { size_t n, p; double *A, *G, *basis, *work; int *iwork; };

static bool dense_open(struct dense *d, struct actio_run *run)
{
    size_t n = run->sys->n, p = run->sys->p, big = n > p ? n : p;
    *d = (struct dense){ .n = n, .p = p };
    double **part[] = { &d->A, &d->G, &d->basis, &d->work };
    const size_t length[] = { p * n, n * n, n * n, actio_rank_work(big, big) + p * n + n * n };
    bool ok = (d->iwork = actio_take(run->ctx, 2 * (n + p) + 1, sizeof *d->iwork)) != NULL;
    for (size_t i = 0; i < 4; i++) ok = (*part[i] = actio_take(run->ctx, length[i] + 1, sizeof(double))) != NULL && ok;
    return ok;
}

static void dense_close(struct dense *d, struct actio_run *run)
{
    void *all[] = { d->A, d->G, d->basis, d->work, d->iwork };
    for (size_t i = 0; i < 5; i++) actio_give(run->ctx, all[i]);
}

/* Rows of A in units of the masses, each of length 1; G beside them. Values beyond an end that follow from others count as held. */
static bool fill(struct dense *d, struct actio_run *run, const double *y)
{
    const struct actio_system *sys = run->sys;
    struct actio_motion *m = &run->motion;
    m->t = run->model->has_time ? run->model->t0 : 0;
    memcpy(m->y, y, run->ny * sizeof *y);
    const double *v = actio_bound_values(&m->at[ACTIO_Q_MATRIX]), *A = v + sys->G.count;
    memset(d->A, 0, d->p * d->n * sizeof *d->A), memset(d->G, 0, d->n * d->n * sizeof *d->G);
    for (size_t i = 0; i < sys->G.count; i++) d->G[sys->G.row[i] * d->n + sys->G.col[i]] += v[i];
    for (size_t i = 0; i < sys->A.count; i++) d->A[sys->A.row[i] * d->n + sys->A.col[i]] += A[i];
    for (size_t k = 0; k < d->p; k++) {
        double length = actio_norm(d->n, d->A + k * d->n);
        if (!isfinite(length)) return false;
        for (size_t i = 0; length > 0 && i < d->n; i++) d->A[k * d->n + i] /= length;
    }
    return true;
}

static size_t rank_of(struct dense *d, size_t rows, const double *A)
{
    double *copy = d->work, *work = d->work + d->p * d->n + d->n * d->n;
    if (rows == 0) return 0;
    memcpy(copy, A, rows * d->n * sizeof *copy);
    return actio_row_bases(rows, d->n, copy, DEPENDENT, d->basis, work, d->iwork);
}

/* Inertia of the kinetic energy: everywhere, and where the constraints let things move. */
static void inertia(struct dense *d, const struct actio_system *sys, size_t rank, int all[3], int kernel[3])
{
    size_t n = d->n, r = n - rank;
    double *M = d->work, *GZ = d->work + n * n;
    memcpy(M, d->G, n * n * sizeof *M);
    for (size_t k = 0; k < sys->slaves; k++)
        for (size_t i = 0; i < n; i++) M[sys->slave[k] * n + i] = M[i * n + sys->slave[k]] = 0;
    memcpy(d->G, M, n * n * sizeof *M);
    actio_ldl_factor(n, M, d->iwork);
    actio_ldl_inertia(n, M, d->iwork, 1e-12, all);
    (void)GZ;
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b <= a; b++) {
            const double *x = d->basis + (rank + a) * n, *y = d->basis + (rank + b) * n;
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += x[i] * actio_dot(n, d->G + i * n, y);
            M[a * r + b] = M[b * r + a] = sum;
        }
    actio_ldl_factor(r, M, d->iwork);
    actio_ldl_inertia(r, M, d->iwork, 1e-10, kernel);
    kernel[2] -= (int)sys->slaves, all[2] -= (int)sys->slaves;
}

/* Constraints whose rows say nothing that those before them don't. */
static void mark_redundant(struct dense *d, const struct actio_run *run, struct actio_field_look *out)
{
    size_t p = d->p, n = d->n, kept = 0;
    double *Q = d->G;                                      /* n x n: not needed any more */
    for (size_t k = 0, c = 0; k < p && kept < n; k++) {
        while (c + 1 < run->model->constraints && run->sys->row[c + 1] <= k) c++;
        double *row = d->work;
        memcpy(row, d->A + k * n, n * sizeof *row);
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < kept; j++) {
                double x = actio_dot(n, row, Q + j * n);
                for (size_t i = 0; i < n; i++) row[i] -= x * Q[j * n + i];
            }
        double length = actio_norm(n, row);
        if (length <= 1e-7) { if (c < ACTIO_FIELD_NAMED) out->redundant[c]++; continue; }
        for (size_t i = 0; i < n; i++) Q[kept * n + i] = row[i] / length;
        kept++;
    }
}

static bool look_at(struct actio_run *run, struct dense *d, unsigned shape, double *y, struct actio_field_look *out)
{
    bool there = false;
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts && !there; k++) there = shape_state(run, shape, amounts[k], true, y);
    if (!there || !fill(d, run, y)) return false;
    size_t rank = rank_of(d, d->p, d->A), slaves = run->sys->slaves;
    if (shape == 0) out->start_rank = rank;
    if (out->samples == 0 || rank < out->least) out->least = rank, out->least_shape = shape;
    if (out->samples == 0 || rank > out->rank) out->rank = rank;
    out->samples++;
    if (shape == 0) {
        inertia(d, run->sys, rank, out->inertia, out->kernel);
        if (rank < d->p && fill(d, run, y)) mark_redundant(d, run, out);
    }
    out->dof = (long)d->n - (long)slaves - (long)out->rank;
    return true;
}

/* Ranks at the start and at shapes around it, with this many cells. 0, or 1: it could not be done. */
int actio_field_ranks(struct actio_run *of, size_t cells, struct actio_field_look *out)
{
    struct trial t;
    struct dense d = { 0 };
    size_t before[ACTIO_FIELD_AXES];
    if (of->model->axes > ACTIO_FIELD_AXES) return 1;
    *out = (struct actio_field_look){ .cells = cells };
    set_nodes(of->model, cells, before);
    bool ok = trial_open(&t, of) && dense_open(&d, &t.run);
    double *y = ok ? actio_take(of->ctx, t.run.ny + 1, sizeof *y) : NULL;
    if (y) {
        out->n = d.n, out->p = d.p, out->slaves = t.run.sys->slaves;
        for (unsigned shape = 0; shape < 5; shape++) look_at(&t.run, &d, shape, y, out);
    }
    ok = y && out->samples > 0;
    actio_give(of->ctx, y);
    if (t.run.sys) dense_close(&d, &t.run);
    trial_close(&t);
    restore_nodes(of->model, before);
    return !ok;
}

/* ---- one limit? */

/* The bent start, moved for a while: values at the ends and in the middle of every field. */
struct outcome { double value[ACTIO_FIELD_VALUES]; size_t count; bool ok; };

static double fastest(const struct actio_run *run, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < run->sys->n; i++) most = fmax(most, fabs(y[run->sys->n + i]));
    return most;
}

static void read_values(const struct actio_run *run, const double *y, struct outcome *out)
{
    const struct actio_model *m = run->model;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->axis[m->coord[i].axis - 1].nodes : 0, middle = nodes / 2;
        const double *x = y + run->sys->base[i];
        if (nodes < 2 || out->count + 3 > ACTIO_FIELD_VALUES) continue;
        out->value[out->count++] = x[0];
        out->value[out->count++] = nodes % 2 ? x[middle] : 0.5 * (x[middle - 1] + x[middle]);
        out->value[out->count++] = x[nodes - 1];
    }
}

static struct outcome move_by(struct actio_run *of, size_t cells, int tilt, double amount, double *duration)
{
    struct trial t;
    struct outcome out = { .ok = false };
    struct actio_model *m = of->model;
    size_t before[ACTIO_FIELD_AXES];
    set_nodes(m, cells, before);
    m->tilt = tilt;
    bool ok = trial_open(&t, of);
    double *y = ok ? actio_take(of->ctx, 2 * t.run.ny + 2, sizeof *y) : NULL;
    if (y && shape_state(&t.run, 1, amount, fastest(&t.run, t.run.y0) == 0, y)) {
        if (*duration == 0) {
            double length = m->axis[0].b - m->axis[0].a, speed = fastest(&t.run, y), whole = m->has_time ? m->t1 - m->t0 : 1;
            *duration = speed > 0 ? copysign(fmin(fabs(whole), 0.6 * length / speed), whole) : whole;
        }
        double t0 = m->has_time ? m->t0 : 0;
        struct actio_march_result result = { .y = y + t.run.ny };
        struct actio_march_task task = { .stepper = &actio_dop853, .t0 = t0, .t1 = t0 + *duration, .rtol = 1e-7, .atol = 1e-7, .y0 = y, .max_steps = 20000 };
        t.run.motion.span = *duration;
        out.ok = actio_motion_begin(&t.run.motion, t0, y) == 0 && actio_march(of->ctx, &t.run.motion.flow, &task, &result) == 0;
        if (out.ok) read_values(&t.run, result.y, &out);
    }
    actio_give(of->ctx, y);
    trial_close(&t);
    m->tilt = 0;
    restore_nodes(m, before);
    return out;
}

static int refine(struct actio_run *of, double amount, struct actio_field_limits *out)
{
    static const struct { size_t cells; int tilt; } way[ACTIO_FIELD_WAYS] = { { 12, 0 }, { 13, 0 }, { 12, 1 }, { 12, -1 } };
    struct outcome coarse[ACTIO_FIELD_WAYS], fine[ACTIO_FIELD_WAYS];
    double duration = 0, apart[ACTIO_FIELD_WAYS] = { 0 };
    *out = (struct actio_field_limits){ .one = true };
    if (of->model->axes > ACTIO_FIELD_AXES) return 1;
    for (size_t w = 0; w < ACTIO_FIELD_WAYS; w++) {
        coarse[w] = move_by(of, way[w].cells, way[w].tilt, amount, &duration);
        fine[w] = move_by(of, 2 * way[w].cells - (way[w].cells % 2), way[w].tilt, amount, &duration);
        if (!coarse[w].ok || !fine[w].ok) { if (w < 2) return 1; continue; }
        for (size_t i = 0; i < fine[w].count; i++) apart[w] = fmax(apart[w], fabs(fine[w].value[i] - coarse[w].value[i]));
    }
    out->duration = duration;
    for (size_t a = 0; a < ACTIO_FIELD_WAYS; a++)
        for (size_t b = a + 1; b < ACTIO_FIELD_WAYS; b++) {
            if (!coarse[a].ok || !fine[a].ok || !coarse[b].ok || !fine[b].ok) continue;
            for (size_t i = 0; i < fine[a].count; i++) {
                double d = fabs(fine[a].value[i] - fine[b].value[i]), ratio = d / (4 * (apart[a] + apart[b]) + 1e-5);
                if (ratio <= out->ratio) continue;
                out->ratio = ratio, out->value = i;
                out->seen[0] = coarse[a].value[i], out->seen[1] = fine[a].value[i], out->seen[2] = coarse[b].value[i], out->seen[3] = fine[b].value[i];
                out->way[0] = a, out->way[1] = b;
            }
        }
    out->one = out->ratio <= 1;
    return 0;
}

int actio_field_refine(struct actio_run *of, struct actio_field_limits *out)
{
    int bad = 1;
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts && bad; k++) bad = refine(of, amounts[k], out);
    return bad;
}

/* ---- growth */

/* Largest real part of the linearisation's eigenvalues at the start, with this many cells; NAN: it could not be found. */
double actio_field_growth(struct actio_run *of, size_t cells)
{
    struct trial t;
    size_t before[ACTIO_FIELD_AXES];
    double most = NAN;
    if (of->model->axes > ACTIO_FIELD_AXES) return NAN;
    set_nodes(of->model, cells, before);
    bool ok = trial_open(&t, of);
    size_t ny = ok ? t.run.ny : 0, work = actio_periodic_work(ny, 1);
    double *J = ok ? actio_take(of->ctx, ny * ny + 4 * ny + work + 1, sizeof *J) : NULL;
    struct actio_multiplier *w = ok ? actio_take(of->ctx, ny + 1, sizeof *w) : NULL;
    int *iwork = ok ? actio_take(of->ctx, ny + 1, sizeof *iwork) : NULL;
    double *y = J ? J + ny * ny : NULL, *f = J ? y + ny : NULL;
    if (J && w && iwork && shape_state(&t.run, 0, 0, false, y)) {
        double t0 = of->model->has_time ? of->model->t0 : 0;
        ok = actio_motion_begin(&t.run.motion, t0, y) == 0;
        for (size_t i = 0; ok && i < ny; i++) {
            double x = y[i], h = 1e-5 * (1 + fabs(x));
            y[i] = x + h, ok = actio_motion_rhs(&t.run.motion, t0, y, f) == 0;
            y[i] = x - h, ok = ok && actio_motion_rhs(&t.run.motion, t0, y, f + ny) == 0;
            y[i] = x;
            for (size_t k = 0; ok && k < ny; k++) J[k * ny + i] = (f[k] - f[ny + k]) / (2 * h);
        }
        if (ok && actio_periodic_eigen(ny, 1, J, w, f + 2 * ny, iwork) == 0)
            for (size_t i = 0; i < ny; i++) most = i == 0 ? w[i].re : fmax(most, w[i].re);
    }
    actio_give(of->ctx, J), actio_give(of->ctx, w), actio_give(of->ctx, iwork);
    trial_close(&t);
    restore_nodes(of->model, before);
    return most;
}
