/* SPDX-License-Identifier: Apache-2.0
 * Soft walls of a run: checked options, a start where what lies on a wall is carried by it. */
#include "problem/problem.h"
#include "algebra/dense.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

static const double root_two_pi = 2.5066282746310002;

static void say_elastic(struct actio_problem *problem)
{
    for (size_t i = 0; i < problem->model->contacts; i++) {
        const struct actio_contact *c = &problem->model->contact[i];
        bool elastic = actio_is_const(&problem->model->pool, c->restitution)
                       && actio_model_number(problem->model, c->restitution) == 1;
        if (!elastic)
            actio_report_at(problem->f, ACTIO_F_SOFT_ELASTIC, &problem->model->source, c->span,
                            ACTIO_ARGS(ACTIO_TEXT(c->label)));
    }
}

/* Where V delta(gap) is the force that a hard wall has: sigma sqrt(2 ln(V/(sqrt(2 pi) sigma N))). */
static double offset(struct actio_problem *problem, size_t i, double force)
{
    double sigma = problem->options.sigma, V = problem->options.barrier, most = V / (root_two_pi * sigma);
    if (force < most) return sigma * sqrt(2 * log(most / force));
    actio_report_at(problem->f, ACTIO_F_SOFT_WEAK, &problem->model->source, problem->model->contact[i].span,
                    ACTIO_ARGS(ACTIO_TEXT(problem->model->contact[i].label), ACTIO_NUMBER(sigma), ACTIO_NUMBER(V),
                               ACTIO_NUMBER(most), ACTIO_NUMBER(force)));
    return NAN;
}

/* Positions with gaps `wanted` (NAN: whatever it is), along the answers to forces of the walls. */
static void move_off(struct actio_contacts *c, double t, double *y, const double *wanted)
{
    for (int round = 0; round < 20; round++) {
        size_t k = 0;
        double defect, most = 0;
        if (actio_contacts_at(c, t, y)) return;
        for (size_t i = 0; i < c->contacts; i++)
            if (!isnan(wanted[i])) c->small.unknown[k++].index = (uint32_t)i;
        for (size_t u = 0; u < k; u++) {
            size_t i = c->small.unknown[u].index;
            c->small.b[u] = wanted[i] - actio_gap_of(c, i)[ACTIO_GAP_VALUE];
            most = fmax(most, fabs(c->small.b[u]) / wanted[i]);
            for (size_t w = 0; w < k; w++)
                c->small.M[u * k + w] =
                    actio_dot(c->n, actio_column_row(c, i), actio_contacts_answer(c, c->small.unknown[w].index));
        }
        actio_min_norm(k, k, c->small.M, c->small.b, 1e-10, c->small.force, &defect, c->small.work, c->small.iwork);
        for (size_t u = 0; u < k; u++)
            for (size_t j = 0; j < c->n; j++)
                y[j] += c->small.force[u] * actio_contacts_answer(c, c->small.unknown[u].index)[j];
        if (most < 1e-15) return;
    }
}

/* What hard walls hold at the start goes to where soft ones hold it. */
static void find_offsets(struct actio_problem *problem, struct actio_contacts *c)
{
    double t = problem->model->time.given ? problem->model->time.t0 : 0,
           *y = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *y);
    double *wanted = actio_arena_array(&problem->arena, c->contacts + 1, sizeof *wanted);
    bool any = false;
    memcpy(y, problem->y0, problem->ny * sizeof *y);
    if (c->m->flow.enter(c->m, t, y) || actio_contacts_at(c, t, y) || actio_contacts_solve(c, &c->now)) return;
    for (size_t i = 0; i < c->contacts; i++) {
        wanted[i] = c->now.closed[i] && c->found.normal[i] > 0 ? offset(problem, i, c->found.normal[i]) : NAN;
        any |= !isnan(wanted[i]);
    }
    if (!any || problem->f->errors) return;
    for (size_t i = 0; i < c->contacts; i++)
        if (!isnan(wanted[i]))
            actio_report_at(problem->f, ACTIO_F_SOFT_START, &problem->model->source, problem->model->contact[i].span,
                            ACTIO_ARGS(ACTIO_TEXT(problem->model->contact[i].label), ACTIO_NUMBER(wanted[i])));
    problem->projected = true;
    move_off(c, t, y, wanted);
    memcpy(problem->y0, y, problem->model->coords * sizeof *y);
}

int actio_problem_soften(struct actio_problem *problem)
{
    struct actio_model *model = problem->model;
    const struct actio_run_options *o = &problem->options;
    model->soft.sigma = model->soft.barrier = 0;
    if (!(o->sigma > 0) && !(o->barrier > 0)) return 0;
    if (!(o->sigma > 0) || !(o->barrier > 0)) {
        actio_report(problem->f, ACTIO_F_NO_BARRIER, ACTIO_ARGS(ACTIO_TEXT(o->sigma > 0 ? "a width" : "a height")));
        return 1;
    }
    if (model->contacts == 0) {
        actio_report(problem->f, ACTIO_F_NO_WALLS, ACTIO_NO_ARGS);
        return 0;
    }
    struct actio_system *hard = actio_system_form(problem->ctx, model, actio_form_dalembert);
    struct actio_motion m;
    if (!hard) return 1;
    if (actio_problem_open_motion(problem, &m, hard) == 0) {
        m.span = model->time.t1 - model->time.t0;
        actio_motion_begin(&m, model->time.t0, problem->y0);
        find_offsets(problem, m.contacts);
        actio_motion_close(&m);
    }
    actio_system_free(hard);
    if (problem->f->errors) return 1;
    say_elastic(problem);
    model->soft.sigma = o->sigma;
    model->soft.barrier = o->barrier;
    return 0;
}
