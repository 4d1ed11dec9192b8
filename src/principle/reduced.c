/* SPDX-License-Identifier: Apache-2.0
 * The minimal reaction. */
#include "derive/derive.h"
#include "principle/principles.h"

const struct actio_principle actio_principle_reduced = {
    .name = "reduced",
    .title = "the minimal reaction of a split",
    .key = "AS 49",
    .differs = "reactions act on as few velocities as there are constraints. They are neither ideal nor unique, and "
               "the motion depends on the split",
    .assumes = "free velocities move as if there were no constraint, bound ones follow from it",
    .chapter = &actio_chapter_reduced,
    .form = actio_form_reduced,
    .law = &actio_law_reduced,
    .needs = ACTIO_NEEDS_NO_INSTANTS | ACTIO_NEEDS_POINTS | ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_LEVELS
             | ACTIO_NEEDS_CONSTRAINTS | ACTIO_NEEDS_INDEPENDENT | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD | ACTIO_OWNS_RESPLIT,
};
