/* SPDX-License-Identifier: Apache-2.0
 * A principle takes force: does it apply, its equations, its law. */
#include "problem/problem.h"
#include "solve/contacts.h"

#include <stdio.h>
#include <string.h>

/* ---- does it apply? */

static bool not_ideal(const struct actio_model *m, const struct actio_constraint *c)
{
    (void)m;
    return c->rule != ACTIO_IDEAL;
}
static bool of_accelerations(const struct actio_model *m, const struct actio_constraint *c)
{
    (void)m;
    return c->kind == ACTIO_ACCELERATION;
}
static bool has_state(const struct actio_model *m, const struct actio_constraint *c)
{
    return actio_uses((struct actio_pool *)&m->pool, c->g, ACTIO_SPACE_STATE);
}
static bool is_rough(const struct actio_model *m, const struct actio_constraint *c)
{
    (void)m;
    return c->friction.given;
}
static bool no_start(const struct actio_model *m, const struct actio_constraint *c)
{
    (void)m;
    return !c->start_lambda_given;
}

static const struct {
    unsigned need;
    bool (*lacks)(const struct actio_model *, const struct actio_constraint *);
    const char *why;
} objections[] = {
    { ACTIO_NEEDS_IDEAL, not_ideal, "its reaction is not ideal (acting, along)" },
    { ACTIO_NEEDS_LEVELS, of_accelerations, "it is a constraint on accelerations" },
    { ACTIO_NEEDS_COORDINATES, has_state, "it contains a state" },
    { ACTIO_NEEDS_SMOOTH | ACTIO_NEEDS_SOFT | ACTIO_NEEDS_NO_FRICTION, is_rough, "it has friction" },
    { ACTIO_NEEDS_MULTIPLIERS, no_start, "the initial value of its multiplier is not given (start lambda.NAME = ...)" },
};

const char *actio_principle_objection(const struct actio_principle *p, const struct actio_model *model,
                                      const struct actio_constraint **about)
{
    *about = NULL;
    if ((p->needs & ACTIO_NEEDS_POINTS) && model->field.axes) return "it has fields";
    if ((p->needs & ACTIO_NEEDS_NO_INSTANTS) && model->resets.lines + model->resets.helds)
        return "it has `when`, `every` or `held`, for which it has no rule";
    if ((p->needs & ACTIO_NEEDS_FORMULAS) && model->outside.count) return "it has an external force, without a formula";
    if ((p->needs & ACTIO_NEEDS_CONSTRAINTS) && model->constraints == 0) return "there are no constraints";
    if ((p->needs & ACTIO_NEEDS_SMOOTH) && model->contacts) return "it has contacts";
    if ((p->needs & ACTIO_NEEDS_SOFT) && model->contacts && !(model->soft.sigma > 0))
        return "it has contacts, which need soft walls: give --sigma and --barrier";
    for (size_t i = 0; (p->needs & ACTIO_NEEDS_NO_FRICTION) && i < model->contacts; i++)
        if (model->contact[i].friction.given) return "its contacts have friction";
    if ((p->needs & ACTIO_NEEDS_NO_STATES) && model->states) return "it has states";
    for (size_t i = 0; i < sizeof objections / sizeof *objections; i++)
        for (size_t k = 0; (p->needs & objections[i].need) && k < model->constraints; k++)
            if (objections[i].lacks(model, &model->constraint[k])) {
                *about = &model->constraint[k];
                return objections[i].why;
            }
    return NULL;
}

const char *actio_problem_objection(const struct actio_problem *problem, const struct actio_principle *p,
                                    const struct actio_principle *by, const struct actio_constraint **about)
{
    const char *why = actio_principle_objection(p, problem->model, about);
    if (!why && by != p) why = actio_principle_objection(by, problem->model, about);
    if (why) return why;
    bool other = p->law || p->stepper || by->form != problem->form;
    if (other && problem->sys->hidden)
        return "hidden constraints follow from the equations of motion, and have no reaction";
    if (((p->needs | by->needs) & ACTIO_NEEDS_INDEPENDENT) && problem->motion.rows.rank < problem->sys->p)
        return "constraints are redundant";
    if (problem->model->mixed.frees && *p->differs)
        return "free data are found for d'Alembert's motion, and this principle gives another";
    return NULL;
}

int actio_problem_try_law(struct actio_motion *m, const struct actio_law *law, double t, const double *y,
                          const char **why)
{
    *why = law->objection ? law->objection(m, t, y) : NULL;
    if (*why) return 0;
    if (actio_motion_obey(m, law)) return 1;
    if (actio_motion_begin(m, t, y) || !law->solve) return 0;
    if (law->rebase && law->rebase(m, t, y)) return 0;
    if (law->solve(m, t, y) == ACTIO_FLOW_SINGULAR)
        *why = "its equations have no solution at the start; check that the kinetic energy is positive along the "
               "constraints";
    return 0;
}

/* ---- in force */

/* The principle's own equations take the place of d'Alembert's, with more states than the model has: multipliers that
 * have rates. */
static int take_equations(struct actio_problem *problem, actio_form_fn form)
{
    struct actio_model *m = problem->model;
    struct actio_system *next = actio_system_form(problem->ctx, m, form);
    if (!next) return 1;
    actio_motion_close(&problem->motion);
    if (problem->spent) actio_system_free(problem->spent);
    problem->spent = problem->sys;
    problem->sys = next;
    size_t ny = 2 * next->n + next->m;
    double *y0 = actio_alloc(problem->ctx, ny + 1, sizeof *y0);
    if (!y0) return 1;
    memcpy(y0, problem->y0, problem->ny * sizeof *y0);
    for (size_t k = 0; problem->ny + k < ny; k++)
        y0[problem->ny + k] = actio_model_number(m, m->constraint[k].start_lambda);
    problem->extended = problem->y0 = y0;
    problem->ny = ny;
    if (actio_problem_open_motion(problem, &problem->motion, next)) return 1;
    problem->motion.span = m->time.t1 - m->time.t0;
    return 0;
}

static int inapplicable(struct actio_problem *problem, const struct actio_constraint *about, const char *why)
{
    char whom[256] = "this model";
    if (about) snprintf(whom, sizeof whom, "'%.240s'", about->label);
    actio_report_at(problem->f, ACTIO_F_INAPPLICABLE, &problem->model->source,
                    about ? about->span : (struct actio_span){ 0 },
                    ACTIO_ARGS(ACTIO_TEXT(problem->principle->name), ACTIO_TEXT(whom), ACTIO_TEXT(why)));
    return 1;
}

/* Does the principle apply? `by` is the one whose equations and law it takes: itself, but for the dual action's other
 * closures. */
static int object(struct actio_problem *problem, const struct actio_principle *by)
{
    const struct actio_constraint *about;
    const char *why = actio_problem_objection(problem, problem->principle, by, &about);
    return why ? inapplicable(problem, about, why) : 0;
}

static int take_law(struct actio_problem *problem, const struct actio_law *law)
{
    const char *why;
    if (actio_problem_try_law(&problem->motion, law, problem->model->time.t0, problem->y0, &why)) return 1;
    return why ? inapplicable(problem, NULL, why) : 0;
}

int actio_problem_obey(struct actio_problem *problem)
{
    const struct actio_principle *p = problem->principle, *by = p->closure ? p->closure(problem) : p;
    const struct actio_run_options *o = &problem->options;
    struct actio_motion *motion = &problem->motion;
    if (object(problem, by)) return 1;
    if (by->form != problem->form && take_equations(problem, by->form)) return 1;
    if (*by->differs)
        actio_report(problem->f, ACTIO_F_OTHER_THEORY, ACTIO_ARGS(ACTIO_TEXT(by->name), ACTIO_TEXT(by->differs)));
    const char *why = p->objection ? p->objection(problem) : NULL;
    if (why) return inapplicable(problem, NULL, why);
    motion->chosen.grid = o->grid;
    motion->chosen.order = o->order;
    motion->chosen.slabs = o->slabs;
    motion->chosen.nodes = o->nodes;
    motion->chosen.resplit = o->resplit;
    if (motion->contacts) motion->contacts->pick = o->pick;
    if (p->prepare && p->prepare(problem)) return 1;
    if (by->law && take_law(problem, by->law)) return 1;
    return p->begin ? p->begin(problem) : 0;
}

int actio_problem_ready(struct actio_problem *problem, const struct actio_principle *p)
{
    problem->principle = p;
    return actio_problem_form(problem) || actio_problem_settle(problem) || actio_problem_obey(problem);
}
