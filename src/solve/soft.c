/* SPDX-License-Identifier: Apache-2.0
 * Steps near soft walls: a Gaussian that is thin beside a step would be stepped over unseen. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <math.h>

#define REACH 6.0 /* widths: beyond, the wall pushes with less than 1e-8 of what it has in the middle */

/* So far that the gap changes by half a width at most inside of the wall, and by half of the way to it outside. */
static double soft_limit(void *user, double t, const double *y)
{
    struct actio_motion *m = user;
    const struct actio_system *sys = m->sys;
    double most = INFINITY, sigma = sys->walls.sigma, *dy = m->scratch.step;
    if (actio_motion_rhs(m, t, y, dy)) return INFINITY; /* the step decides */
    const double *x = actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y);
    for (size_t i = 0; i < sys->walls.soft; i++, x += m->n + ACTIO_GAP_HEAD) {
        double gap = x[ACTIO_GAP_VALUE], rate = fabs(x[ACTIO_GAP_RATE]),
               up = fabs(x[ACTIO_GAP_BIAS] + actio_dot(m->n, x + ACTIO_GAP_HEAD, dy + m->n));
        double way = 0.5 * fmax(sigma, gap - REACH * sigma);
        if (gap < -REACH * sigma) {
            m->halted.why = ACTIO_STOP_TUNNEL;
            m->halted.by = i;
            return 0;
        }
        if (rate > 0 || up > 0) most = fmin(most, 2 * way / (rate + sqrt(rate * rate + 2 * up * way)));
    }
    return most;
}

int actio_soft_open(struct actio_motion *m)
{
    if (m->sys->walls.soft == 0) return 0;
    if (actio_motion_need(m, ACTIO_Q_CONTACT)) return 1;
    m->flow.limit = soft_limit;
    return 0;
}
