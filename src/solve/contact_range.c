/* SPDX-License-Identifier: Apache-2.0
 * Coefficients that a motion uses are in their ranges: restitution between 0 and 1, friction not negative, the static
 * coefficient not below that of sliding. */
#include "solve/contacts.h"

#include <math.h>

#define ROUNDED 1e-13 /* coefficients may be that far out: what is located on the border is on it */
#define MARGIN 2e-13  /* and the border is looked for a little beyond it */

static int leaves_range(struct actio_contacts *c, size_t by, enum actio_coefficient what, double value)
{
    c->m->halted.why = ACTIO_STOP_COEFFICIENT;
    c->m->halted.by = by;
    c->m->halted.what = what;
    c->m->halted.value = value;
    return ACTIO_FLOW_FAILED;
}

static int check_restitution(struct actio_contacts *c, size_t i)
{
    double e = actio_gap_of(c, i)[ACTIO_GAP_RESTITUTION];
    if (e >= -ROUNDED && e <= 1 + ROUNDED) return ACTIO_FLOW_OK;
    return leaves_range(c, i, ACTIO_COEFFICIENT_RESTITUTION, e);
}

int actio_contacts_check_touching(struct actio_contacts *c)
{
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < c->contacts && !status; i++)
        if (c->touch[i]) status = check_restitution(c, i);
    return status;
}

static bool is_in_use(const struct actio_contacts *c, size_t r)
{
    size_t contact = c->rub[r].contact;
    return contact == UINT32_MAX || c->now.closed[contact] || c->touch[contact];
}

int actio_contacts_check_friction(struct actio_contacts *c)
{
    for (size_t r = 0; r < c->rubs; r++) {
        double sliding = actio_rub_of(c, r)[ACTIO_RUB_SLIDING], sticking = actio_rub_of(c, r)[ACTIO_RUB_STICKING];
        bool wall = c->rub[r].contact != UINT32_MAX;
        /* constraints stand behind all contacts of the model */
        size_t by = wall ? c->rub[r].contact : c->contacts + c->rub[r].constraint;
        if (!is_in_use(c, r)) continue;
        if (!(sliding >= -ROUNDED)) return leaves_range(c, by, ACTIO_COEFFICIENT_FRICTION, sliding);
        if (!(sticking >= sliding - ROUNDED)) return leaves_range(c, by, ACTIO_COEFFICIENT_STICK, sticking);
    }
    return ACTIO_FLOW_OK;
}

double actio_contacts_friction_guard(const struct actio_contacts *c, size_t r)
{
    const double *rub = actio_rub_of(c, r);
    double more = rub[ACTIO_RUB_STICKING] - rub[ACTIO_RUB_SLIDING];
    bool same = fabs(more) <= ROUNDED; /* as where no static coefficient is given */
    return (same ? rub[ACTIO_RUB_SLIDING] : fmin(rub[ACTIO_RUB_SLIDING], more)) + MARGIN;
}
