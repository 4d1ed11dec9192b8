/* SPDX-License-Identifier: Apache-2.0
 * Ideal or not: does the reaction of a constraint do work on motions that satisfy it, and which part of its statement
 * makes it so?
 * Power = lambda (D v): D v is looked at where all constraints hold.  [AS 43, VKS 9] */
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

static const char *reason_of(struct actio_formation *F, size_t k, actio_expr level)
{
    const struct actio_constraint *con = &F->model->constraint[k];
    actio_expr *none = actio_form_array(F, F->n, sizeof *none);
    if (con->rule == ACTIO_ALONG) return "its reaction is `along` a direction of its own";
    if (con->rule == ACTIO_ACTING) return "its reaction is `acting` on some variables only";
    if (con->kind == ACTIO_ACCELERATION) return "it restricts accelerations";
    if (con->kind == ACTIO_HOLONOMIC) return "it moves with t";
    actio_expr *coef = actio_form_array(F, F->n, sizeof *coef), rest;
    if (!actio_linear_in(&F->pool, level, F->sym.v, F->n, coef, &rest))
        return "it is not homogeneous in the velocities: its reaction can add or remove energy";
    rest = actio_simplify(&F->pool, actio_substitute(&F->pool, level, F->sym.v, none, F->n));
    if (actio_uses(&F->pool, rest, ACTIO_SPACE_STATE))
        return "it has a term without velocities, which depends on a state";
    if (!actio_is_zero(rest)) return "it has a term without velocities: the support moves";
    return "it is not homogeneous in the velocities";
}

/* D_k v and the size of its terms. */
static void form_rates(struct actio_formation *F, actio_expr *rate, actio_expr *size)
{
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        if (e->col >= F->n) continue;
        actio_expr term = actio_mul(&F->pool, e->e, F->sym.v[e->col]);
        rate[e->row] = actio_add(&F->pool, rate[e->row], term);
        size[e->row] = actio_add(&F->pool, size[e->row], actio_op1(&F->pool, ACTIO_ABS, term));
    }
}

void actio_find_power(struct actio_verdict *v, struct actio_sampled *points)
{
    struct actio_formation *F = v->F;
    size_t p = F->p, ny = points->M->ny;
    actio_expr *list = actio_form_array(F, 2 * p, sizeof *list);
    v->works = actio_form_array(F, p, sizeof *v->works);
    if (p == 0 || points->count == 0) return;
    form_rates(F, list, list + p);
    struct actio_probe probe = actio_probe_open(points->M, list, 2 * p);
    bool *works = actio_form_array(F, p, sizeof *works);
    for (size_t s = 0; s < points->count; s++) {
        points->M->t = points->t[s];
        memcpy(points->M->y, points->y + s * ny, ny * sizeof(double));
        const double *x = actio_probe_at(&probe);
        /* at rest nothing shows */
        for (size_t k = 0; k < p; k++) works[k] = works[k] || fabs(x[k]) > 1e-7 * x[p + k] + 1e-12;
    }
    actio_probe_close(&probe);
    for (size_t r = 0; r < F->sys.levels; r++) {
        size_t k = F->sys.velocity_row[r];
        if (k < p && works[k]) v->works[k] = reason_of(F, k, F->phi[r]);
    }
    for (size_t k = 0; k < p; k++)
        if (works[k] && !v->works[k]) v->works[k] = reason_of(F, k, F->g[k]);
}
