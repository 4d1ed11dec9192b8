/* SPDX-License-Identifier: Apache-2.0
 * Maggi's equations. */
#include "derive/derive.h"
#include "principle/principles.h"

const struct actio_principle actio_principle_maggi = {
    .name = "maggi",
    .title = "Maggi's equations in a null-space frame",
    .key = "VKS 8",
    .differs = "",
    .assumes = "ideal reactions; only motion along the constraints, no multipliers",
    .chapter = &actio_chapter_maggi,
    .form = actio_form_dalembert,
    .law = &actio_law_maggi,
    .needs = ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_LEVELS | ACTIO_NEEDS_SMOOTH,
    .owns = ACTIO_OWNS_METHOD,
};
