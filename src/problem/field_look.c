/* SPDX-License-Identifier: Apache-2.0
 * What a model with fields is like at several numbers of nodes and several shapes: rank, degrees of freedom, growth,
 * and whether different discretisations go to one limit. Only doubling the nodes would certify wrong answers.  [HAMEL
 * C, E] */
#include "problem/field_look.h"
#include "algebra/dense.h"
#include "algebra/periodic.h"
#include "solve/slaves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-4  /* of the largest eigenvalue: what differences leave of a real part that is 0 */
#define DEPENDENT 1e-9 /* rows nearer to each other than this */
enum { MODES = 4 };
/* of a bend, beside the length of the axis: what the constraints allow */
static const double amounts[] = { 0.25, 0.08, 0.02 };

/* ---- a run with other nodes */

struct trial {
    struct actio_problem problem;
    struct actio_findings silent;
};

static void set_nodes(struct actio_model *m, size_t cells, size_t *before)
{
    for (size_t a = 0; a < m->field.axes; a++) {
        if (before) before[a] = m->field.axis[a].nodes;
        m->field.axis[a].nodes = cells + 1;
    }
}

static void restore_nodes(struct actio_model *m, const size_t *before)
{
    for (size_t a = 0; a < m->field.axes; a++) m->field.axis[a].nodes = before[a];
}

static bool trial_open(struct trial *t, const struct actio_problem *of)
{
    actio_findings_open(&t->silent, of->ctx);
    actio_problem_open(&t->problem, of->ctx, of->model, &of->options, &t->silent);
    return actio_problem_form_fields(&t->problem) == 0;
}

static void trial_close(struct trial *t)
{
    actio_problem_close(&t->problem);
    actio_findings_close(&t->silent);
}

/* ---- shapes */

/* The same numbers in every call: between -1 and 1. */
static double shaken(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* A bend begins where a line is let go: all along it (hold 0), or behind the quarter next to its first (-1) or last (1)
 * end, which stays as it is. */
/* beyond: it is moved for longer than the model's time, if that is short */
struct bend {
    unsigned shape;
    double amount;
    int hold;
    bool velocities, beyond;
};

static double let_go(int hold, double sigma)
{
    double x = ((hold < 0 ? sigma : 1 - sigma) - 0.25) / 0.75;
    return hold == 0 ? 1 : x > 0 ? x * x * x : 0;
}

/* Every field along its chord: lines without curvature are where rows that differ elsewhere may fall together. False:
 * the line is closed. */
static bool straighten(const struct actio_problem *problem, double *y)
{
    const struct actio_model *m = problem->model;
    double longest = 0;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 1;
        double *x = y + problem->sys->field.base[i], a = x[0], b = x[nodes - 1];
        longest = fmax(longest, fabs(b - a));
        for (size_t j = 1; j + 1 < nodes; j++) x[j] = a + (b - a) * (double)j / (double)(nodes - 1);
    }
    return longest > 0;
}

/* Smooth bends of every field, the same functions of s for any number of nodes; point coordinates are moved. `shape` 0
 * leaves the start. */
static void bend_by(const struct actio_problem *problem, struct bend b, double *y)
{
    const struct actio_model *m = problem->model;
    const struct actio_system *sys = problem->sys;
    unsigned seed = 77 * b.shape;
    for (size_t i = 0; b.shape && i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        size_t nodes = axis ? m->field.axis[axis - 1].nodes : 1;
        double length = axis ? m->field.axis[axis - 1].b - m->field.axis[axis - 1].a : b.hold ? 0 : 1, a[2][MODES];
        for (int k = 0; k < MODES; k++) {
            a[0][k] = shaken(&seed) / (1 + k * k);
            a[1][k] = b.velocities ? shaken(&seed) / (1 + k * k) : 0;
        }
        for (size_t j = 0; j < nodes; j++) {
            double sigma = nodes > 1 ? (double)j / (double)(nodes - 1) : 0, free = axis ? let_go(b.hold, sigma) : 1;
            for (int k = 0; k < MODES; k++) {
                double mode = free * cos(3.14159265358979 * k * sigma + (double)i);
                y[sys->field.base[i] + j] += b.amount * length * a[0][k] * mode;
                y[sys->n + sys->field.base[i] + j] += b.amount * a[1][k] * mode;
            }
        }
    }
}

/* Masses of what is held are made so large that it stays where it is. */
static void weigh(const struct actio_problem *problem, int hold, double *value)
{
    const struct actio_model *m = problem->model;
    const struct actio_system *sys = problem->sys;
    for (size_t e = 0; hold && e < sys->G.count; e++) {
        bool heavy = false;
        for (size_t i = 0; i < m->coords && !heavy; i++) {
            size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 1, at = sys->G.row[e],
                   base = sys->field.base[i];
            if (at < base || at >= base + nodes) continue;
            heavy = !m->coord[i].axis || let_go(hold, (double)(at - base) / (double)(nodes - 1)) == 0;
        }
        if (heavy) value[e] *= 1e8;
    }
}

/* Onto the constraints, positions first; what is held does not move. False: it does not get there. */
static bool onto_constraints(struct actio_problem *problem, int hold, double *value)
{
    struct actio_motion *m = &problem->motion;
    const struct actio_system *sys = problem->sys;
    size_t count = sys->holonomic + sys->levels;
    for (int level = 0; level < 2; level++) {
        size_t rows = level ? sys->levels : sys->holonomic, first = level ? sys->holonomic : 0;
        const uint32_t *row = level ? sys->velocity_row : sys->position_row;
        double left = 1, largest = 1;
        for (int step = 0; rows && step < 60 && left > 1e-13 * largest; step++) {
            const double *r = actio_bound_values(&m->at[ACTIO_Q_LEVELS]);
            left = 0;
            largest = 0;
            memset(m->scratch.residual, 0, m->p * sizeof *m->scratch.residual);
            for (size_t i = 0; i < rows; i++) {
                m->scratch.residual[row[i]] = r[first + i];
                left = fmax(left, fabs(r[first + i]));
                largest = fmax(largest, r[count + first + i]);
            }
            memcpy(value, actio_bound_values(&m->at[ACTIO_Q_MATRIX]), m->at[ACTIO_Q_MATRIX].count * sizeof *value);
            weigh(problem, hold, value);
            if (!isfinite(left)) return false;
            if (actio_saddle_factor(m->saddle, value)) return false;
            actio_saddle_step(m->saddle, m->scratch.residual, m->scratch.step);
            for (size_t i = 0; i < sys->n; i++) m->here.y[level * sys->n + i] += m->scratch.step[i];
        }
        if (rows && !(left <= 1e-7 * largest)) return false;
        if (actio_slaves_settle(m)) return false;
    }
    return true;
}

/* The start, bent and put on the constraints of this number of nodes. */
static bool shape_state(struct actio_problem *problem, struct bend b, double *y)
{
    struct actio_motion *m = &problem->motion;
    memcpy(y, problem->y0, problem->ny * sizeof *y);
    if (b.shape == ACTIO_FIELD_STRAIGHT && !straighten(problem, y)) return false;
    if (b.shape != ACTIO_FIELD_STRAIGHT) bend_by(problem, b, y);
    m->here.t = problem->model->time.given ? problem->model->time.t0 : 0;
    memcpy(m->here.y, y, problem->ny * sizeof *y);
    double *value = actio_alloc(problem->ctx, m->at[ACTIO_Q_MATRIX].count + 1, sizeof *value);
    bool ok =
        value && actio_slaves_settle(m) == 0 && (problem->sys->levels == 0 || onto_constraints(problem, b.hold, value));
    if (value && !ok && b.hold == 0) {
        memcpy(m->here.y, y, problem->ny * sizeof *y);
        ok = actio_slaves_settle(m) == 0 && actio_lanes_nearest(m);
    }
    actio_free(problem->ctx, value);
    memcpy(y, m->here.y, problem->ny * sizeof *y);
    return ok;
}

/* ---- rank */

struct dense {
    size_t n, p;
    double *A, *G, *basis, *work;
    int *iwork;
};

static bool dense_open(struct dense *d, struct actio_problem *problem)
{
    size_t n = problem->sys->n, p = problem->sys->p, big = n > p ? n : p;
    *d = (struct dense){ .n = n, .p = p };
    double **part[] = { &d->A, &d->G, &d->basis, &d->work };
    const size_t length[] = { p * n, n * n, n * n, actio_rank_work(big, big) + p * n + n * n };
    bool ok = (d->iwork = actio_alloc(problem->ctx, 2 * (n + p) + 1, sizeof *d->iwork)) != NULL;
    for (size_t i = 0; i < 4; i++)
        ok = (*part[i] = actio_alloc(problem->ctx, length[i] + 1, sizeof(double))) != NULL && ok;
    return ok;
}

static void dense_close(struct dense *d, struct actio_problem *problem)
{
    void *all[] = { d->A, d->G, d->basis, d->work, d->iwork };
    for (size_t i = 0; i < 5; i++) actio_free(problem->ctx, all[i]);
}

/* Rows of A in units of the masses, each of length 1; G beside them. Values beyond an end that follow from others count
 * as held. */
static bool field_look_fill(struct dense *d, struct actio_problem *problem, const double *y)
{
    const struct actio_system *sys = problem->sys;
    struct actio_motion *m = &problem->motion;
    m->here.t = problem->model->time.given ? problem->model->time.t0 : 0;
    memcpy(m->here.y, y, problem->ny * sizeof *y);
    const double *v = actio_bound_values(&m->at[ACTIO_Q_MATRIX]), *A = v + sys->G.count;
    memset(d->A, 0, d->p * d->n * sizeof *d->A);
    memset(d->G, 0, d->n * d->n * sizeof *d->G);
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
    if (rows == 0) { /* everything may move */
        memset(d->basis, 0, d->n * d->n * sizeof *d->basis);
        for (size_t i = 0; i < d->n; i++) d->basis[i * d->n + i] = 1;
        return 0;
    }
    memcpy(copy, A, rows * d->n * sizeof *copy);
    return actio_row_bases(rows, d->n, copy, DEPENDENT, d->basis, work, d->iwork);
}

/* Inertia of the kinetic energy: everywhere, and where the constraints let things move. */
static void inertia(struct dense *d, const struct actio_system *sys, size_t rank, int all[3], int kernel[3])
{
    size_t n = d->n, r = n - rank;
    double *M = d->work, *GZ = d->work + n * n;
    memcpy(M, d->G, n * n * sizeof *M);
    for (size_t k = 0; k < sys->field.slaves; k++)
        for (size_t i = 0; i < n; i++) M[sys->field.slave[k] * n + i] = M[i * n + sys->field.slave[k]] = 0;
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
    kernel[2] -= (int)sys->field.slaves;
    all[2] -= (int)sys->field.slaves;
}

/* Constraints whose rows say nothing that those before them don't. */
static void mark_redundant(struct dense *d, const struct actio_problem *problem, struct actio_field_look *out)
{
    size_t p = d->p, n = d->n, kept = 0;
    double *Q = d->G; /* n x n: not needed any more */
    for (size_t k = 0, c = 0; k < p; k++) {
        while (c + 1 < problem->model->constraints && problem->sys->field.row[c + 1] <= k) c++;
        double *row = d->work;
        memcpy(row, d->A + k * n, n * sizeof *row);
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < kept; j++) {
                double x = actio_dot(n, row, Q + j * n);
                for (size_t i = 0; i < n; i++) row[i] -= x * Q[j * n + i];
            }
        double length = actio_norm(n, row);
        if (kept == n || length <= 1e-7) {
            if (c < ACTIO_FIELD_NAMED) out->redundant[c]++;
            continue;
        }
        for (size_t i = 0; i < n; i++) Q[kept * n + i] = row[i] / length;
        kept++;
    }
}

/* 1 + the first constraint with a row that is 0 at y and is not beside it: its gradient vanishes where it holds; 0:
 * none. */
static size_t find_vanishing(struct dense *d, struct actio_problem *problem, double *y)
{
    size_t zeros = 0, *zero = actio_alloc(problem->ctx, d->p + 1, sizeof *zero), found = 0;
    if (!zero || !field_look_fill(d, problem, y)) {
        actio_free(problem->ctx, zero);
        return 0;
    }
    for (size_t k = 0; k < d->p; k++)
        if (actio_norm(d->n, d->A + k * d->n) == 0) zero[zeros++] = k;
    for (size_t i = 0; zeros && i < problem->ny; i++) y[i] += 1e-3 * (1 + (double)(i % 7));
    bool there = zeros && field_look_fill(d, problem, y);
    for (size_t i = 0; there && i < zeros && !found; i++) {
        if (actio_norm(d->n, d->A + zero[i] * d->n) == 0) continue;
        while (found < problem->model->constraints && problem->sys->field.row[found] <= zero[i]) found++;
    }
    actio_free(problem->ctx, zero);
    return found;
}

static bool look_at(struct actio_problem *problem, struct dense *d, unsigned shape, double *y,
                    struct actio_field_look *out)
{
    bool there = false;
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts && !there; k++)
        there = shape_state(problem, (struct bend){ shape, amounts[k], 0, true, false }, y);
    if (!there || !field_look_fill(d, problem, y)) return false;
    size_t rank = rank_of(d, d->p, d->A), slaves = problem->sys->field.slaves;
    if (out->samples == 0) out->start_rank = rank; /* the start, where it is on the constraints */
    if (out->samples == 0 || rank < out->least) {
        out->least = rank;
        out->least_shape = shape;
    }
    if (out->samples == 0 || rank > out->rank) out->rank = rank;
    if (out->samples++ == 0) {
        inertia(d, problem->sys, rank, out->inertia, out->kernel);
        if (rank < d->p && field_look_fill(d, problem, y)) {
            mark_redundant(d, problem, out);
            out->vanishing = find_vanishing(d, problem, y);
        }
    }
    out->dof = (long)d->n - (long)slaves - (long)out->rank;
    return true;
}

/* Ranks at the start and at shapes around it, with this many cells. 0, or 1: it could not be done. */
int actio_field_ranks(struct actio_problem *of, size_t cells, struct actio_field_look *out)
{
    struct trial t;
    struct dense d = { 0 };
    size_t before[ACTIO_FIELD_AXES];
    if (of->model->field.axes > ACTIO_FIELD_AXES) return 1;
    *out = (struct actio_field_look){ .cells = cells };
    set_nodes(of->model, cells, before);
    bool ok = trial_open(&t, of) && dense_open(&d, &t.problem);
    double *y = ok ? actio_alloc(of->ctx, t.problem.ny + 1, sizeof *y) : NULL;
    if (y) {
        out->n = d.n;
        out->p = d.p;
        out->slaves = t.problem.sys->field.slaves;
        for (unsigned shape = 0; shape <= ACTIO_FIELD_STRAIGHT; shape++) look_at(&t.problem, &d, shape, y, out);
    }
    ok = y && out->samples > 0;
    actio_free(of->ctx, y);
    if (t.problem.sys) dense_close(&d, &t.problem);
    trial_close(&t);
    restore_nodes(of->model, before);
    return !ok;
}

/* ---- one limit? */

/* The bent start, moved for a while: values at the ends and in the middle of every field. */
/* rough: second differences of the rates at the beginning, beside the rates */
struct outcome {
    double value[ACTIO_FIELD_VALUES], rough;
    size_t count;
    bool ok;
};

static double fastest(const struct actio_problem *problem, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < problem->sys->n; i++) most = fmax(most, fabs(y[problem->sys->n + i]));
    return most;
}

static double roughness(const struct actio_problem *problem, const double *y)
{
    const struct actio_model *m = problem->model;
    double bends = 0, all = 0;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 0;
        const double *v = y + problem->sys->n + problem->sys->field.base[i];
        for (size_t k = 0; k < nodes; k++) all = fmax(all, fabs(v[k]));
        for (size_t k = 1; k + 1 < nodes; k++) bends = fmax(bends, fabs(v[k - 1] - 2 * v[k] + v[k + 1]));
    }
    return all > 0 ? bends / all : 0;
}

static void read_values(const struct actio_problem *problem, const double *y, struct outcome *out)
{
    const struct actio_model *m = problem->model;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 0, middle = nodes / 2;
        const double *x = y + problem->sys->field.base[i];
        if (nodes < 2 || out->count + 3 > ACTIO_FIELD_VALUES) continue;
        out->value[out->count++] = x[0];
        out->value[out->count++] = nodes % 2 ? x[middle] : 0.5 * (x[middle - 1] + x[middle]);
        out->value[out->count++] = x[nodes - 1];
    }
}

/* Rows that follow from others stay. */
static void expect_rank(struct actio_motion *m, double t, const double *y)
{
    actio_motion_solve(m, t, y);
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    size_t rank = actio_saddle_rank(m->saddle, NULL);
    if (rank < m->p) {
        actio_saddle_expect_rank(m->saddle, rank);
        m->rows.rank = rank;
    }
}

static void move_on(struct actio_problem *problem, const double *y, double duration, struct outcome *out)
{
    double t0 = problem->model->time.given ? problem->model->time.t0 : 0,
           *end = actio_alloc(problem->ctx, problem->ny + 1, sizeof *end);
    struct actio_march_result result = { .y = end };
    struct actio_march_task task = {
        .stepper = &actio_dop853, .t0 = t0, .t1 = t0 + duration, .rtol = 1e-7, .atol = 1e-7, .y0 = y, .max_steps = 20000
    };
    problem->motion.span = duration;
    expect_rank(&problem->motion, t0, y);
    out->ok = end && actio_motion_begin(&problem->motion, t0, y) == 0
              && actio_march(problem->ctx, &problem->motion.flow, &task, &result) == 0;
    if (out->ok) read_values(problem, result.y, out);
    actio_free(problem->ctx, end);
}

/* So long that the line moves on by a good part of its length. */
static double duration_of(const struct actio_problem *problem, const double *y, bool beyond)
{
    const struct actio_model *m = problem->model;
    double length = m->field.axis[0].b - m->field.axis[0].a, speed = fastest(problem, y),
           whole = m->time.given ? m->time.t1 - m->time.t0 : 1, far = speed > 0 ? 0.6 * length / speed : 0;
    if (beyond) return far > 1.2 * fabs(whole) ? copysign(far, whole) : NAN;
    return far > 0 ? copysign(fmin(fabs(whole), far), whole) : whole;
}

static struct outcome move_by(struct actio_problem *of, size_t cells, int tilt, struct bend b, double *duration)
{
    struct trial t;
    struct outcome out = { .ok = false };
    size_t before[ACTIO_FIELD_AXES];
    set_nodes(of->model, cells, before);
    of->model->field.tilt = tilt;
    double *y = trial_open(&t, of) ? actio_alloc(of->ctx, t.problem.ny + 1, sizeof *y) : NULL;
    b.velocities = y && fastest(&t.problem, t.problem.y0) == 0;
    if (y && shape_state(&t.problem, b, y)) {
        if (*duration == 0) *duration = duration_of(&t.problem, y, b.beyond);
        out.rough = roughness(&t.problem, y);
        if (isfinite(*duration)) move_on(&t.problem, y, *duration, &out);
    }
    actio_free(of->ctx, y);
    trial_close(&t);
    of->model->field.tilt = 0;
    restore_nodes(of->model, before);
    return out;
}

struct way {
    struct outcome coarse, fine;
    double apart;
    bool ok;
};

/* ---- who leads an end: where a body, a force, a curve or a path is, rates taken at that very node would put the
 * cell's constraint on it, which is another model */

static bool stands_at(struct actio_model *m, actio_expr e, bool last)
{
    struct actio_cone cone = actio_cone_of(&m->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node n = m->pool.node[cone.id[i]];
        if (n.op != ACTIO_AT) continue;
        double place = actio_model_number(m, (actio_expr){ n.c });
        for (size_t a = 0; a < m->field.axes; a++)
            if (n.b == m->field.axis[a].s.id
                && fabs(place - (last ? m->field.axis[a].b : m->field.axis[a].a))
                       <= 1e-9 * (m->field.axis[a].b - m->field.axis[a].a))
                return true;
    }
    return false;
}

/* The line's own slope at a place, and no time and no coordinate beside it. */
static bool is_own_slope(struct actio_model *m, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(&m->pool, &e, 1);
    bool slope = false;
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &m->pool.node[cone.id[i]];
        slope |= n->op == ACTIO_AT && m->pool.node[n->a].op == ACTIO_DIFF;
        if (n->op != ACTIO_SYMBOL) continue;
        actio_slot s = m->pool.slot[n->a];
        if (s.space == ACTIO_SPACE_T || (!s.axis && (s.space == ACTIO_SPACE_Q || s.space == ACTIO_SPACE_V)))
            return false;
    }
    return slope;
}

/* A blade there has no direction but the line's: it does not lead. */
static bool is_led(struct actio_model *m, bool last)
{
    for (size_t k = 0; k < m->written.parts; k++)
        if (stands_at(m, m->written.part[k].e, last)) return true;
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_constraint *c = &m->constraint[k];
        if (c->axis || !(stands_at(m, c->left, last) || stands_at(m, c->right, last))) continue;
        if (c->kind == ACTIO_HOLONOMIC || !(is_own_slope(m, c->left) || is_own_slope(m, c->right))) return true;
    }
    for (size_t k = 0; k < m->forces; k++)
        for (size_t j = 0; j < m->force[k].terms; j++) {
            const struct actio_term *x = &m->force[k].term[j];
            uint16_t axis = x->is_state ? 0 : m->coord[x->variable].axis;
            if (x->placed && axis
                && actio_model_number(m, x->place) == (last ? m->field.axis[axis - 1].b : m->field.axis[axis - 1].a))
                return true;
        }
    return false;
}

/* Rates that jump from node to node are not a start of the continuous line: its end does not fit the bend. */
static bool is_smooth(const struct way *w) { return w->fine.rough < 0.5 * w->coarse.rough || w->fine.rough < 1e-6; }

static void compare_ways(const struct way *way, struct actio_field_limits *out)
{
    for (size_t a = 0; a < ACTIO_FIELD_WAYS; a++)
        for (size_t b = a + 1; b < ACTIO_FIELD_WAYS; b++)
            for (size_t i = 0; way[a].ok && way[b].ok && i < way[a].fine.count; i++) {
                double d = fabs(way[a].fine.value[i] - way[b].fine.value[i]),
                       ratio = d / (4 * (way[a].apart + way[b].apart) + 1e-5);
                if (ratio <= out->ratio) continue;
                *out = (struct actio_field_limits){ .ratio = ratio,
                                                    .value = i,
                                                    .way = { a, b },
                                                    .duration = out->duration,
                                                    .seen = { way[a].coarse.value[i], way[a].fine.value[i],
                                                              way[b].coarse.value[i], way[b].fine.value[i] } };
            }
    out->one = out->ratio <= 1;
}

/* 0; or 1: this bend does not decide. */
static int refine(struct actio_problem *of, struct bend b, struct actio_field_limits *out)
{
    static const struct {
        size_t cells, finer;
        int tilt;
    } how[ACTIO_FIELD_WAYS] = { { 12, 24, 0 }, { 13, 25, 0 }, { 12, 24, 1 }, { 12, 24, -1 } };
    struct way way[ACTIO_FIELD_WAYS];
    double duration = 0;
    for (size_t w = 0; w < ACTIO_FIELD_WAYS; w++) {
        way[w] = (struct way){ .ok = false };
        if (how[w].tilt && is_led(of->model, how[w].tilt > 0)) continue;
        way[w].coarse = move_by(of, how[w].cells, how[w].tilt, b, &duration);
        way[w].fine = move_by(of, how[w].finer, how[w].tilt, b, &duration);
        way[w].ok = way[w].coarse.ok && way[w].fine.ok;
        if (w < 2 && (!way[w].ok || !is_smooth(&way[w]))) return 1;
        for (size_t i = 0; way[w].ok && i < way[w].fine.count; i++)
            way[w].apart = fmax(way[w].apart, fabs(way[w].fine.value[i] - way[w].coarse.value[i]));
    }
    *out = (struct actio_field_limits){ .duration = duration };
    compare_ways(way, out);
    return 0;
}

int actio_field_refine(struct actio_problem *of, struct actio_field_limits *out)
{
    bool reported = false;
    *out = (struct actio_field_limits){ .one = true };
    if (of->model->field.axes > ACTIO_FIELD_AXES) return 1;
    for (int trial = 0; trial < 6 && out->one; trial++) {
        int hold = trial % 3 - 1; /* 0: the start as it is */
        for (size_t k = 0, bad = 1; k < sizeof amounts / sizeof *amounts && bad; k++) {
            struct actio_field_limits x;
            bad = refine(of, (struct bend){ hold != 0, amounts[k], hold, false, trial >= 3 }, &x) != 0;
            if (!bad && (!reported || x.ratio > out->ratio)) *out = x;
            reported = reported || !bad;
        }
    }
    return !reported;
}

/* ---- growth */

static int by_real_part(const void *a, const void *b)
{
    double x = ((const struct actio_multiplier *)a)->re, y = ((const struct actio_multiplier *)b)->re;
    return (x < y) - (x > y);
}

/* Of eigenvalues that fall together rounding makes a ring, as wide as it likes; their mean stays. A ring ends where the
 * largest gap of real parts is. */
static double mean_of_ring(const struct actio_multiplier *w, size_t n)
{
    size_t last = 0;
    double gap = 0, sum = 0;
    for (size_t i = 0; i + 1 < n && w[i].re >= 0.05 * w[0].re; i++)
        if (w[i].re - w[i + 1].re > gap) {
            gap = w[i].re - w[i + 1].re;
            last = i;
        }
    for (size_t i = 0; i <= last; i++) sum += w[i].re;
    return sum / (double)(last + 1);
}

/* nothing: a real part below it may be 0 */
struct growing {
    double *J, *copy, *y, *f, *work;
    struct actio_multiplier *w;
    int *iwork;
    size_t ny;
    double nothing;
};

/* The largest real part, and the mean of its ring, with entries off by `noise` of the largest. */
static bool eigenvalues(struct growing *g, double noise, double *most, double *mean)
{
    unsigned seed = 5;
    double radius = 0, size = 0;
    for (size_t i = 0; i < g->ny * g->ny; i++) size = fmax(size, fabs(g->J[i]));
    for (size_t i = 0; i < g->ny * g->ny; i++) g->copy[i] = g->J[i] + noise * size * shaken(&seed);
    if (actio_periodic_eigen(g->ny, 1, g->copy, g->w, g->work, g->iwork)) return false;
    qsort(g->w, g->ny, sizeof *g->w, by_real_part);
    for (size_t i = 0; i < g->ny; i++) radius = fmax(radius, hypot(g->w[i].re, g->w[i].im));
    g->nothing = ROUNDING * radius;
    *most = g->w[0].re < g->nothing ? fmin(g->w[0].re, 0) : g->w[0].re;
    *mean = *most > 0 ? mean_of_ring(g->w, g->ny) : *most;
    return true;
}

static bool linearise(struct actio_problem *problem, struct growing *g)
{
    double t0 = problem->model->time.given ? problem->model->time.t0 : 0;
    expect_rank(&problem->motion, t0, g->y);
    bool ok = actio_motion_begin(&problem->motion, t0, g->y) == 0;
    for (size_t i = 0; ok && i < g->ny; i++) {
        double x = g->y[i], h = 1e-5 * (1 + fabs(x));
        g->y[i] = x + h;
        ok = actio_motion_rhs(&problem->motion, t0, g->y, g->f) == 0;
        g->y[i] = x - h;
        ok = ok && actio_motion_rhs(&problem->motion, t0, g->y, g->f + g->ny) == 0;
        g->y[i] = x;
        for (size_t k = 0; ok && k < g->ny; k++) g->J[k * g->ny + i] = (g->f[k] - g->f[g->ny + k]) / (2 * h);
    }
    return ok;
}

static double field_look_grow(struct actio_problem *problem, struct growing *g)
{
    double most[2], mean[2];
    if (!shape_state(problem, (struct bend){ 0 }, g->y) || !linearise(problem, g)
        || !eigenvalues(g, 0, &most[0], &mean[0]) || !eigenvalues(g, 3e-10, &most[1], &mean[1]))
        return NAN;
    if (fabs(most[0] - most[1]) <= 1e-3 * fabs(most[0])) return most[0];
    if (fmax(most[0], most[1]) <= 0 && fmin(most[0], most[1]) > -g->nothing) return 0; /* rounding below 0 */
    return fabs(mean[0] - mean[1]) <= 1e-3 * fabs(mean[0]) ? mean[0] : NAN;            /* neither can be determined */
}

/* Largest real part of the linearisation's eigenvalues at the start, with this many cells; NAN: it could not be found.
 * */
double actio_field_growth(struct actio_problem *of, size_t cells)
{
    struct trial t;
    struct growing g = { 0 };
    size_t before[ACTIO_FIELD_AXES];
    if (of->model->field.axes > ACTIO_FIELD_AXES) return NAN;
    set_nodes(of->model, cells, before);
    bool ok = trial_open(&t, of);
    size_t ny = g.ny = ok ? t.problem.ny : 0;
    g.J = ok ? actio_alloc(of->ctx, 2 * ny * ny + 3 * ny + actio_periodic_work(ny, 1) + 1, sizeof *g.J) : NULL;
    g.w = ok ? actio_alloc(of->ctx, ny + 1, sizeof *g.w) : NULL;
    g.iwork = ok ? actio_alloc(of->ctx, ny + 1, sizeof *g.iwork) : NULL;
    if (g.J) {
        g.copy = g.J + ny * ny;
        g.y = g.copy + ny * ny;
        g.f = g.y + ny;
        g.work = g.f + 2 * ny;
    }
    double growth = g.J && g.w && g.iwork ? field_look_grow(&t.problem, &g) : NAN;
    actio_free(of->ctx, g.J);
    actio_free(of->ctx, g.w);
    actio_free(of->ctx, g.iwork);
    trial_close(&t);
    restore_nodes(of->model, before);
    return growth;
}
