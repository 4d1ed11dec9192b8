/* SPDX-License-Identifier: Apache-2.0
 * The start: data on the constraints or the nearest that are, redundant rows, singular and undetermined models. */
#include "problem/fields.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

/* ---- start data */

static struct actio_start_check take_check(struct actio_problem *problem)
{
    return (struct actio_start_check){ .position = actio_alloc(problem->ctx, problem->sys->p + 1, sizeof(double)),
                                       .velocity = actio_alloc(problem->ctx, problem->sys->p + 1, sizeof(double)),
                                       .nearest = actio_alloc(problem->ctx, problem->ny + 1, sizeof(double)) };
}

static void give_check(struct actio_problem *problem, struct actio_start_check *c)
{
    actio_free(problem->ctx, c->position);
    actio_free(problem->ctx, c->velocity);
    actio_free(problem->ctx, c->nearest);
}

/* A constraint that has no value or no rate at the start is a matter for the verdict. */
static bool has_numbers(const struct actio_problem *problem, const struct actio_start_check *c)
{
    for (size_t k = 0; k < problem->sys->p; k++)
        if (!isfinite(c->position[k]) || !isfinite(c->velocity[k])) return false;
    return true;
}

static int judge_start(struct actio_problem *problem, const struct actio_start_check *c)
{
    if (problem->surveyed) actio_problem_explain_hidden(problem, c);
    if (!c->found || !has_numbers(problem, c)) {
        if (problem->surveyed) actio_problem_explain_start(problem, c);
        return problem->surveyed && problem->f->errors ? 1 : ACTIO_UNSETTLED;
    }
    if (!c->consistent && !problem->options.project) {
        actio_problem_explain_start(problem, c);
        return 1;
    }
    if (!c->consistent) {
        problem->projected = true;
        actio_problem_report(problem, ACTIO_F_START_PROJECTED,
                             ACTIO_ARGS(ACTIO_TEXT(actio_problem_state_text(problem, c->nearest, problem->y0))));
        if (c->euclidean) actio_problem_report(problem, ACTIO_F_START_EUCLIDEAN, ACTIO_NO_ARGS);
    }
    memcpy(problem->y0, c->nearest, problem->ny * sizeof(double));
    return 0;
}

static int check_data(struct actio_problem *problem)
{
    struct actio_start_check c = take_check(problem);
    int bad = !c.position || !c.velocity || !c.nearest;
    if (bad)
        actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the start data"), ACTIO_COUNT(problem->ctx->bytes_limit)));
    else {
        actio_motion_check_start(&problem->motion, problem->model->time.t0, problem->y0, &c);
        bad = judge_start(problem, &c);
    }
    give_check(problem, &c);
    return bad;
}

/* ---- rank */

static size_t rank_at(struct actio_problem *problem, const double *y, bool *unique)
{
    struct actio_motion *m = &problem->motion;
    actio_motion_solve(m, problem->model->time.t0, y); /* moves there */
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    return actio_saddle_rank(m->saddle, unique);
}

static int check_rank(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    size_t p = problem->sys->p, rank = rank_at(problem, problem->y0, m->rows.unique);
    /* hidden rows may vanish at rest; the solution itself is checked below */
    if (rank == p || problem->sys->hidden) return 0;
    actio_saddle_expect_rank(m->saddle, rank);               /* ranks are now judged as for redundant rows */
    bool known = problem->surveyed && problem->rank == rank; /* by the verdict, and said */
    if (!known && !problem->tentative) return ACTIO_UNSETTLED;
    m->rows.numeric = true;
    m->rows.rank = rank;
    rank_at(problem, problem->y0, m->rows.unique);
    if (actio_motion_solve(m, problem->model->time.t0, problem->y0) == ACTIO_FLOW_SINGULAR) return ACTIO_UNSETTLED;
    return 0;
}

/* Accelerations exist and are unique at the start, whatever way they are computed. */
static int check_regular(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    if (actio_motion_begin(m, problem->model->time.t0, problem->y0)) return 0; /* explained by the run itself */
    if (actio_motion_solve(m, problem->model->time.t0, problem->y0) != ACTIO_FLOW_SINGULAR) return 0;
    return ACTIO_UNSETTLED;
}

static int no_way_back(struct actio_problem *problem, const char *label, struct actio_span span, const char *what)
{
    actio_report_at(problem->f, ACTIO_F_NO_WAY_BACK, &problem->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(label), ACTIO_TEXT(what)));
    return 1;
}

/* Impacts with losses and friction have no inverse. */
int actio_problem_check_direction(struct actio_problem *problem, bool backward)
{
    struct actio_model *m = problem->model;
    if (!backward) return 0;
    if (m->resets.lines) {
        actio_report_at(problem->f, ACTIO_F_INSTANTS_NO_WAY_BACK, &m->source, m->resets.line[0].span,
                        ACTIO_ARGS(ACTIO_TEXT(problem->sys->resets.statement[0].name)));
        return 1;
    }
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *c = &m->contact[i];
        if (c->friction.given) return no_way_back(problem, c->label, c->span, "friction");
        if (!actio_is_const(&m->pool, c->restitution) || actio_model_number(m, c->restitution) != 1)
            return no_way_back(problem, c->label, c->span, "a restitution other than 1");
    }
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].friction.given)
            return no_way_back(problem, m->constraint[k].label, m->constraint[k].span, "friction");
    return 0;
}

/* On the right side of every wall? */
static int check_contacts(struct actio_problem *problem)
{
    if (actio_problem_check_direction(problem, problem->model->time.t1 < problem->model->time.t0)) return 1;
    return actio_problem_check_walls(problem, problem->model->time.t0, problem->y0);
}

int actio_problem_check_walls(struct actio_problem *problem, double t, const double *y)
{
    double depth;
    size_t i = actio_contacts_beyond(&problem->motion, t, y, &depth);
    if (i >= problem->sys->walls.contacts) return 0;
    const struct actio_contact *c = &problem->model->contact[i];
    actio_report_at(problem->f, ACTIO_F_START_BEYOND, &problem->model->source, c->span,
                    ACTIO_ARGS(ACTIO_TEXT(c->label), ACTIO_NUMBER(depth),
                               ACTIO_TEXT(c->at_most ? "left side <= right side" : "left side >= right side")));
    return 1;
}

int actio_problem_examine(struct actio_problem *problem)
{
    if (problem->sys->field.axes) return actio_problem_examine_fields(problem);
    if (problem->sys->switches.count) actio_motion_take_sides(&problem->motion, problem->model->time.t0, problem->y0);
    int bad = problem->sys->levels ? check_data(problem) : 0;
    if (!bad && problem->sys->p) bad = check_rank(problem);
    if (!bad && problem->motion.contacts) bad = check_contacts(problem);
    return bad ? bad : check_regular(problem);
}
