/* SPDX-License-Identifier: Apache-2.0
 * The discrete action: what its options need, and how it ends, in words. */
#include "derive/derive.h"
#include "principle/principles.h"
#include "problem/problem.h"

static int discrete_check(struct actio_problem *problem)
{
    int order = problem->options.order;
    if (order == 0 || order == 2 || order == 4) return 0;
    actio_report(problem->f, ACTIO_F_DISCRETE_ORDER, ACTIO_ARGS(ACTIO_NUMBER(order)));
    return 1;
}

static bool explain(struct actio_problem *problem, const struct actio_outcome *o)
{
    if (o->status != ACTIO_FLOW_FAILED) return false;
    actio_report(problem->f, ACTIO_F_DISCRETE_FAILS,
                 ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(problem, o->y_stop, NULL))));
    return true;
}

const struct actio_principle actio_principle_discrete = {
    .name = "discrete",
    .title = "discrete Lagrange-d'Alembert: the action of each step",
    .key = "RH",
    .differs = "",
    .assumes = "ideal reactions; equal steps, no drift of the energy in long conservative runs",
    .chapter = &actio_chapter_discrete,
    .form = actio_form_dalembert,
    .stepper = &actio_discrete,
    .needs = ACTIO_NEEDS_NO_INSTANTS | ACTIO_NEEDS_FORMULAS | ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_LEVELS
             | ACTIO_NEEDS_NO_STATES | ACTIO_NEEDS_INDEPENDENT | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD | ACTIO_OWNS_GRID | ACTIO_OWNS_ORDER,
    .check = discrete_check,
    .explain = explain,
};
