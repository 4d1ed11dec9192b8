/* SPDX-License-Identifier: Apache-2.0
 * A switch that rests on its surface under a root or a fractional power: where it is pushed away by a rate whose
 * derivative is infinite there, x' = sqrt(abs(x)) from 0, it may leave at any time. */
#include "solve/law.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-6  /* how far from the surface the rates are looked at first, */
#define NEARER 100 /* then so much nearer, twice */
#define GROWS 1.3  /* rate over distance must grow by this each time; by a power, it is the same each time: */
#define STEADY .97

static const double *guards_near(struct actio_motion *m, double t, const double *y)
{
    return actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y);
}

/* The component of the state that moves guard k most, and by how much; 0: none does. */
static double lever(struct actio_motion *m, size_t k, double t, double *y, size_t *component)
{
    double now = guards_near(m, t, y)[k], most = 0;
    for (size_t i = 0; i < m->ny; i++) {
        double kept = y[i];
        y[i] += NEAR;
        double slope = (guards_near(m, t, y)[k] - now) / NEAR;
        y[i] = kept;
        if (fabs(slope) <= fabs(most)) continue;
        most = slope;
        *component = i;
    }
    return most;
}

void actio_switch_take_near(struct actio_motion *m, size_t k, int side, double t, const double *at)
{
    size_t i = 0;
    double *y = memcpy(m->rooted, at, m->ny * sizeof *at), slope = lever(m, k, t, y, &i);
    if (slope == 0) return;
    y[i] += side * NEAR / slope;
    const double *u = guards_near(m, t, y);
    for (size_t j = 0; j < m->sys->switches.count; j++)
        if (j != k && !m->sys->switches.whole[j] && m->here.mode[j] == 0) m->here.mode[j] = (u[j] > 0) - (u[j] < 0);
}

/* How fast the guard goes away at this distance, over it; at rest: how it is accelerated. */
static double push_at(struct actio_motion *m, size_t k, double t, double *y, size_t i, double slope, double far)
{
    double kept = y[i], push = NAN;
    y[i] += far / slope;
    if (actio_motion_solve(m, t, y) == ACTIO_FLOW_OK)
        push = i < m->n ? slope * m->here.zdot[i] : guards_near(m, t, y)[m->sys->switches.count + k];
    y[i] = kept;
    return i < m->n ? push / far : push / far * (m->span < 0 ? -1 : 1);
}

static bool leaves_at_will(struct actio_motion *m, size_t k, int side, double t, double *y)
{
    size_t i = 0;
    double slope = lever(m, k, t, y, &i), push[3], far = side * NEAR;
    if (slope == 0) return false;
    m->here.mode[k] = side;
    for (int look = 0; look < 3; look++, far /= NEARER) push[look] = push_at(m, k, t, y, i, slope, far);
    m->here.mode[k] = 0;
    double grows = push[1] / push[0];
    return push[0] > 0 && grows > GROWS && push[2] / push[1] > STEADY * grows;
}

bool actio_switch_may_leave(struct actio_motion *m, size_t k, double t, const double *at)
{
    if (!m->sys->is.rooted || m->sys->switches.whole[k] || m->here.mode[k] != 0) return false;
    double *y = memcpy(m->rooted, at, m->ny * sizeof *at);
    return leaves_at_will(m, k, 1, t, y) || leaves_at_will(m, k, -1, t, y);
}
