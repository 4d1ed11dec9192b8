/* SPDX-License-Identifier: Apache-2.0
 * Constraints that follow from the equations join the system: rows without a reaction of their own. Everything else
 * (projection, start data, elimination) then treats them like those that were written down. */
#include "equations/formation.h"

#include <string.h>

static void *longer(struct actio_formation *F, const void *old, size_t count, size_t more, size_t size)
{
    char *p = actio_form_array(F, count + more, size);
    if (count) memcpy(p, old, count * size);
    return p;
}

static void add_row(struct actio_formation *F, uint32_t row, actio_expr level)
{
    actio_expr *slope = actio_form_array(F, F->N, sizeof *slope), rate;
    actio_gradient(&F->pool, level, F->sym.z, F->N, slope);
    for (uint32_t j = 0; j < F->N; j++)
        if (!actio_is_zero(slope[j]))
            ACTIO_PUSH(&F->arena, F->A.at, F->A.count, F->A.cap) = (struct actio_entry){ row, j, slope[j] };
    actio_drift_rates(F, &level, 1, &rate);
    F->c[row] = actio_neg(&F->pool, rate);
}

void actio_add_hidden(struct actio_formation *F, const actio_expr *e, const char *const *text, const bool *is_position,
                      size_t count)
{
    struct actio_system *sys = &F->sys;
    size_t p = F->p;
    F->c = longer(F, F->c, p, count, sizeof *F->c);
    F->f = longer(F, F->f, sys->holonomic, count, sizeof *F->f);
    F->phi = longer(F, F->phi, sys->levels, count, sizeof *F->phi);
    uint32_t *position = longer(F, sys->position_row, sys->holonomic, count, sizeof *position);
    uint32_t *velocity = longer(F, sys->velocity_row, sys->levels, count, sizeof *velocity);
    const char **label = longer(F, sys->constraint, p, count, sizeof *label);
    for (size_t j = 0; j < count; j++) {
        actio_expr level = e[j];
        if (is_position[j]) {
            position[sys->holonomic] = (uint32_t)(p + j);
            F->f[sys->holonomic++] = e[j];
            actio_drift_rates(F, &e[j], 1, &level);
        }
        velocity[sys->levels] = (uint32_t)(p + j);
        F->phi[sys->levels++] = level;
        add_row(F, (uint32_t)(p + j), level);
        label[p + j] = text[j];
    }
    sys->position_row = position;
    sys->velocity_row = velocity;
    sys->constraint = label;
    sys->p = p + count;
    sys->hidden = count;
    sys->solved.symbolic = sys->is.symmetric = false;
    sys->solved.pivots = sys->solved.pivot_pairs = sys->solved.pivot_signs = 0;
    F->F.count = 0;
    if (sys->holonomic) actio_jacobian(&F->pool, F->f, sys->holonomic, F->sym.q, F->n, &F->F);
    actio_form_places(F);
}
