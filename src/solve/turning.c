/* SPDX-License-Identifier: Apache-2.0
 * Forces that turn round with a velocity and do not become smaller with it, -x'/hypot(x', y'): where that velocity
 * comes to 0 they would hold it, and no step is short enough. */
#include "solve/motion.h"

#include <math.h>
#include <string.h>

#define SLOW 1e-6 /* of the interval: it would stop in so much of it */
#define LESS 1e-2 /* of the velocity: forces that fall with it are those of damping */
#define STAYS 0.5 /* of the accelerations there */
#define ODD 0.1   /* of the accelerations: what does not turn round */

static double largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Accelerations with velocities so many times those of y; false: there are none. */
static bool accelerate(struct actio_motion *m, double t, double *y, double times, double *to)
{
    size_t n = m->n;
    for (size_t i = 0; i < n; i++) y[n + i] *= times;
    bool good = actio_motion_solve(m, t, y) == ACTIO_FLOW_OK;
    for (size_t i = 0; i < n; i++) y[n + i] /= times;
    memcpy(to, m->here.zdot, n * sizeof *to);
    return good;
}

bool actio_motion_turns(void *user, double t, const double *at)
{
    struct actio_motion *m = user;
    size_t n = m->n;
    double *y = memcpy(m->rooted, at, m->ny * sizeof *at), *a = m->rooted + m->ny, *back = a + n, *slower = back + n;
    if (n == 0 || !accelerate(m, t, y, 1, a)) return false;
    double size = largest_of(a, n), speed = largest_of(at + n, n);
    if (!(speed > 0) || !(speed < SLOW * fabs(m->span) * size)) return false;
    if (!accelerate(m, t, y, -1, back) || !accelerate(m, t, y, LESS, slower)) return false;
    for (size_t i = 0; i < n; i++) back[i] += a[i];
    return largest_of(back, n) <= ODD * size && largest_of(slower, n) >= STAYS * size;
}
