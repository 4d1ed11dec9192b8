/* SPDX-License-Identifier: Apache-2.0
 * Gauss's principle. */
#include "derive/derive.h"
#include "principle/principles.h"

const struct actio_principle actio_principle_gauss = {
    .name = "gauss",
    .title = "Gauss's least constraint",
    .key = "VKS 9",
    .differs = "",
    .assumes = "ideal reactions, positive kinetic energy; accelerations nearest to the free ones in the mass metric",
    .chapter = &actio_chapter_gauss,
    .form = actio_form_dalembert,
    .law = &actio_law_gauss,
    .needs = ACTIO_NEEDS_IDEAL | ACTIO_NEEDS_NO_FRICTION,
    .owns = ACTIO_OWNS_METHOD,
};
