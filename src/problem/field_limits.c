/* SPDX-License-Identifier: Apache-2.0
 * Do different discretisations of a model with fields go to one limit? Bent starts are moved with several numbers of
 * nodes and placements of rates. Only doubling the nodes would certify wrong answers.  [HAMEL C] */
#include "problem/field_shapes.h"

#include <math.h>

/* ---- one motion */

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

static void move_on(struct actio_problem *problem, const double *y, double duration, struct outcome *out)
{
    double t0 = problem->model->time.given ? problem->model->time.t0 : 0,
           *end = actio_alloc(problem->ctx, problem->ny + 1, sizeof *end);
    struct actio_march_result result = { .y = end };
    struct actio_march_task task = {
        .stepper = &actio_dop853, .t0 = t0, .t1 = t0 + duration, .rtol = 1e-7, .atol = 1e-7, .y0 = y, .max_steps = 20000
    };
    problem->motion.span = duration;
    actio_field_expect_rank(&problem->motion, t0, y);
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

static struct outcome move_by(struct actio_problem *of, size_t cells, int tilt, struct actio_field_bend b,
                              double *duration)
{
    struct actio_field_trial t;
    struct outcome out = { .ok = false };
    double *y = actio_field_trial_open(&t, of, cells, tilt) ? actio_alloc(of->ctx, t.problem.ny + 1, sizeof *y) : NULL;
    b.velocities = y && fastest(&t.problem, t.problem.y0) == 0;
    if (y && actio_field_shape(&t.problem, b, y)) {
        if (*duration == 0) *duration = duration_of(&t.problem, y, b.beyond);
        out.rough = roughness(&t.problem, y);
        if (isfinite(*duration)) move_on(&t.problem, y, *duration, &out);
    }
    actio_free(of->ctx, y);
    actio_field_trial_close(&t);
    return out;
}

/* ---- who leads an end: where a body, a force, a curve or a path is, rates taken at that very node would put the
 * cell's constraint on it, which is another model */

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

/* ---- ways to discretise, compared */

struct way {
    struct outcome coarse, fine;
    double apart;
    bool ok;
};

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
static int refine(struct actio_problem *of, struct actio_field_bend b, struct actio_field_limits *out)
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
        for (size_t k = 0, bad = 1; k < ACTIO_FIELD_AMOUNTS && bad; k++) {
            struct actio_field_limits x;
            bad = refine(of, (struct actio_field_bend){ hold != 0, actio_field_amount[k], hold, false, trial >= 3 }, &x)
                  != 0;
            if (!bad && (!reported || x.ratio > out->ratio)) *out = x;
            reported = reported || !bad;
        }
    }
    return !reported;
}
