/* SPDX-License-Identifier: Apache-2.0 */
#include "run_applies.h"

const char *actio_run_objection(const struct actio_run *run, const struct actio_principle *p, const struct actio_principle *by, const struct actio_constraint **about)
{
    const char *why = actio_principle_objection(p, run->model, about);
    if (!why && by != p) why = actio_principle_objection(by, run->model, about);
    if (why) return why;
    bool other = p->law || p->stepper || by->form != run->form;
    if (other && run->sys->hidden) return "constraints follow from the equations of motion, and have no reaction";
    if (((p->needs | by->needs) & ACTIO_NEEDS_INDEPENDENT) && run->motion.rank < run->sys->p) return "constraints are redundant";
    if (run->model->frees && *p->differs) return "free data are found on the action's motion, and this principle has another";
    return NULL;
}

int actio_run_try_law(struct actio_motion *m, const struct actio_law *law, double t, const double *y, const char **why)
{
    *why = law->objection ? law->objection(m, t, y) : NULL;
    if (*why) return 0;
    if (actio_motion_obey(m, law)) return 1;
    if (actio_motion_begin(m, t, y) || !law->solve) return 0;
    if (law->rebase && law->rebase(m, t, y)) return 0;
    if (law->solve(m, t, y) == ACTIO_FLOW_SINGULAR) *why = "its equations have no solution at the start; is the kinetic energy positive along the constraints there?";
    return 0;
}
