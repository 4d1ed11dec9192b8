/* SPDX-License-Identifier: Apache-2.0
 * Lagrange and d'Alembert: multipliers by elimination. */
#include "derive/derive.h"
#include "principle/principles.h"

const struct actio_principle actio_principle_dalembert = {
    .name = "dalembert",
    .title = "Lagrange-d'Alembert with multipliers",
    .key = "LM 11",
    .differs = "",
    .assumes = "reactions along dg/dq', or as `acting` and `along` say",
    .chapter = &actio_chapter_dalembert,
    .form = actio_form_dalembert,
    .needs = 0,
    .owns = ACTIO_OWNS_METHOD,
};
