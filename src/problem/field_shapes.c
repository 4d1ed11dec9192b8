/* SPDX-License-Identifier: Apache-2.0
 * A model with fields formed with other nodes, and its start bent into shapes that the constraints allow: where its
 * ranks, its limits and its growth are looked at. */
#include "problem/field_shapes.h"
#include "solve/slaves.h"

#include <math.h>
#include <string.h>

enum { MODES = 4 };
const double actio_field_amount[ACTIO_FIELD_AMOUNTS] = { 0.25, 0.08, 0.02 };

/* ---- a problem with other nodes */

bool actio_field_trial_open(struct actio_field_trial *t, const struct actio_problem *of, size_t cells, int tilt)
{
    struct actio_model *m = t->model = of->model;
    for (size_t a = 0; a < m->field.axes; a++) {
        t->nodes_before[a] = m->field.axis[a].nodes;
        m->field.axis[a].nodes = cells + 1;
    }
    m->field.tilt = tilt;
    actio_findings_open(&t->silent, of->ctx);
    actio_problem_open(&t->problem, of->ctx, of->model, &of->options, &t->silent);
    return actio_problem_form_fields(&t->problem) == 0;
}

void actio_field_trial_close(struct actio_field_trial *t)
{
    actio_problem_close(&t->problem);
    actio_findings_close(&t->silent);
    t->model->field.tilt = 0;
    for (size_t a = 0; a < t->model->field.axes; a++) t->model->field.axis[a].nodes = t->nodes_before[a];
}

/* ---- shapes */

/* The same numbers in every call: between -1 and 1. */
double actio_field_shaken(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

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
static void bend_by(const struct actio_problem *problem, struct actio_field_bend b, double *y)
{
    const struct actio_model *m = problem->model;
    const struct actio_system *sys = problem->sys;
    unsigned seed = 77 * b.shape;
    for (size_t i = 0; b.shape && i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        size_t nodes = axis ? m->field.axis[axis - 1].nodes : 1;
        double length = axis ? m->field.axis[axis - 1].b - m->field.axis[axis - 1].a : b.hold ? 0 : 1, a[2][MODES];
        for (int k = 0; k < MODES; k++) {
            a[0][k] = actio_field_shaken(&seed) / (1 + k * k);
            a[1][k] = b.velocities ? actio_field_shaken(&seed) / (1 + k * k) : 0;
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

/* ---- onto the constraints */

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

/* Constraints on positions, or on velocities: `first` of them among the levels, and the part of the state that they
 * hold. */
struct level {
    size_t rows, first;
    const uint32_t *row;
    double *state;
};

/* How far a level's constraints are from holding, beside their largest terms; the residuals are left in the scratch. */
struct misfit {
    double left, largest;
};

static struct misfit misfit_of(struct actio_problem *problem, const struct level *l)
{
    struct actio_motion *m = &problem->motion;
    const double *r = actio_bound_values(&m->at[ACTIO_Q_LEVELS]) + l->first,
                 *size = r + problem->sys->holonomic + problem->sys->levels;
    struct misfit off = { 0, 0 };
    memset(m->scratch.residual, 0, m->p * sizeof *m->scratch.residual);
    for (size_t i = 0; i < l->rows; i++) {
        m->scratch.residual[l->row[i]] = r[i];
        off.left = fmax(off.left, fabs(r[i]));
        off.largest = fmax(off.largest, size[i]);
    }
    return off;
}

static bool step_nearer(struct actio_problem *problem, const struct level *l, int hold, double *value)
{
    struct actio_motion *m = &problem->motion;
    memcpy(value, actio_bound_values(&m->at[ACTIO_Q_MATRIX]), m->at[ACTIO_Q_MATRIX].count * sizeof *value);
    weigh(problem, hold, value);
    if (actio_saddle_factor(m->saddle, value)) return false;
    actio_saddle_step(m->saddle, m->scratch.residual, m->scratch.step);
    for (size_t i = 0; i < problem->sys->n; i++) l->state[i] += m->scratch.step[i];
    return true;
}

static bool onto_level(struct actio_problem *problem, const struct level *l, int hold, double *value)
{
    struct misfit off = { 1, 1 };
    for (int step = 0; step < 60 && off.left > 1e-13 * off.largest; step++) {
        off = misfit_of(problem, l);
        if (!isfinite(off.left) || !step_nearer(problem, l, hold, value)) return false;
    }
    return off.left <= 1e-7 * off.largest;
}

/* Onto the constraints, positions first; what is held does not move. False: it does not get there. */
static bool onto_constraints(struct actio_problem *problem, int hold, double *value)
{
    struct actio_motion *m = &problem->motion;
    const struct actio_system *sys = problem->sys;
    const struct level level[] = { { sys->holonomic, 0, sys->position_row, m->here.y },
                                   { sys->levels, sys->holonomic, sys->velocity_row, m->here.y + sys->n } };
    for (int i = 0; i < 2; i++) {
        if (level[i].rows && !onto_level(problem, &level[i], hold, value)) return false;
        if (actio_slaves_settle(m)) return false;
    }
    return true;
}

/* The start, bent and put on the constraints of this number of nodes. */
bool actio_field_shape(struct actio_problem *problem, struct actio_field_bend b, double *y)
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

/* Rows that follow from others stay. */
void actio_field_expect_rank(struct actio_motion *m, double t, const double *y)
{
    actio_motion_solve(m, t, y);
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    size_t rank = actio_saddle_rank(m->saddle, NULL);
    if (rank < m->p) {
        actio_saddle_expect_rank(m->saddle, rank);
        m->rows.rank = rank;
    }
}
