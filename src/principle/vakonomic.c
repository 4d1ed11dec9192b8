/* SPDX-License-Identifier: Apache-2.0
 * The vakonomic principle. */
#include "derive/derive.h"
#include "principle/principles.h"
#include "problem/problem.h"

/* The corner conditions of L + sum lambda g are not formed. */
static const char *vakonomic_objection(const struct actio_problem *problem)
{
    return problem->sys->is.jumping ? "a constraint has a switch, where its multiplier may jump" : NULL;
}

const struct actio_principle actio_principle_vakonomic = {
    .name = "vakonomic",
    .title = "vakonomic: the action varied with its constraints",
    .key = "LM 53",
    .differs = "the varied paths obey the constraints, not the virtual displacements. The motion differs unless the "
               "constraints are integrable or lambda(0) is special",
    .assumes =
        "the action is stationary among paths that obey the constraints; the multipliers' initial values are data",
    .chapter = &actio_chapter_vakonomic,
    .form = actio_form_vakonomic,
    .needs = ACTIO_NEEDS_POINTS | ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_LEVELS | ACTIO_NEEDS_COORDINATES
             | ACTIO_NEEDS_MULTIPLIERS | ACTIO_NEEDS_CONSTRAINTS | ACTIO_NEEDS_INDEPENDENT | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
    .objection = vakonomic_objection,
};
