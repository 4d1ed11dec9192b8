/* SPDX-License-Identifier: Apache-2.0
 * Hamel's equations. */
#include "derive/derive.h"
#include "principle/principles.h"

const struct actio_principle actio_principle_hamel = {
    .name = "hamel",
    .title = "Hamel's equations in quasi-velocities",
    .key = "SBZB 3.5",
    .differs = "",
    .assumes = "ideal reactions, constraints affine in the velocities; uses the quasi-velocities of `frame`, completed "
               "where needed",
    .chapter = &actio_chapter_hamel,
    .form = actio_form_dalembert,
    .law = &actio_law_hamel,
    .needs = ACTIO_NEEDS_POINTS | ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_LEVELS | ACTIO_NEEDS_COORDINATES | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
};
