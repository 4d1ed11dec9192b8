/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/along.h"
#include "solve/between.h"
#include "solve/entries.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

int actio_along_need(struct actio_motion *m)
{
    if (actio_rate_entries_serve(m)) return actio_motion_need(m, ACTIO_Q_RATES_Y);
    if (!m->rows.numeric) return actio_motion_need(m, ACTIO_Q_ALONG);
    return actio_motion_need(m, ACTIO_Q_EQUATIONS_ALONG) || actio_motion_need(m, ACTIO_Q_MATRIX);
}

static void set_direction(struct actio_motion *m, const double *dy, double dt)
{
    memcpy(m->scratch.weight, dy, m->n * sizeof *dy);
    memcpy(m->scratch.weight_v, dy + m->n, m->n * sizeof *dy);
    memcpy(m->scratch.weight + m->n, dy + 2 * m->n, m->m * sizeof *dy);
    m->scratch.weight[m->N] = dt;
}

static bool along_all_finite(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

static bool along_by_formulas(struct actio_motion *m, double t, const double *y, double *rates, double *out)
{
    const double *v = actio_motion_quantity(m, ACTIO_Q_ALONG, t, y);
    if (!actio_motion_relies(m, v + m->N)) return false;
    memcpy(rates, v, m->N * sizeof *v);
    memcpy(out, v + m->N + m->sys->solved.pivots, m->N * sizeof *v);
    return along_all_finite(v, m->N) && along_all_finite(out, m->N);
}

/* G dz' - D' dlambda = d(h - G z' + D' lambda),  A dz' = d(c - A z'). */
static int along_by_equations(struct actio_motion *m, double t, const double *y, double *rates, double *out)
{
    bool numeric = m->rows.numeric;
    m->rows.numeric = true; /* the factors of this point are wanted */
    int status = actio_motion_solve(m, t, y);
    m->rows.numeric = numeric;
    if (status) return status;
    memcpy(rates, m->here.zdot, m->N * sizeof *rates);
    const double *r = actio_motion_quantity(m, ACTIO_Q_EQUATIONS_ALONG, t, y);
    if (actio_saddle_answer(m->saddle, r, r + m->N, true, out)) return ACTIO_FLOW_SINGULAR;
    return along_all_finite(out, m->N) ? ACTIO_FLOW_OK : ACTIO_FLOW_NAN;
}

int actio_motion_along(struct actio_motion *m, double t, const double *y, const double *dy, double dt, double *rates,
                       double *out)
{
    if (actio_between_any(m)) return ACTIO_FLOW_FAILED; /* held between its sides: these are not the formulas */
    set_direction(m, dy, dt);
    memcpy(rates, y + m->n, m->n * sizeof *y);
    memcpy(out, dy + m->n, m->n * sizeof *dy);
    if (!m->rows.numeric && along_by_formulas(m, t, y, rates + m->n, out + m->n)) return ACTIO_FLOW_OK;
    return m->at[ACTIO_Q_EQUATIONS_ALONG].k ? along_by_equations(m, t, y, rates + m->n, out + m->n)
                                            : ACTIO_FLOW_SINGULAR;
}
