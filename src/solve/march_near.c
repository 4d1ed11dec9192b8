/* SPDX-License-Identifier: Apache-2.0
 * Guards that come near 0 inside a step and turn back: whether they reach it may be within the errors. */
#include "solve/march_inside.h"

#include <math.h>

#define NEAR 1e-3  /* of the largest value in the step: nearer than this */
#define ABOUT 1e-1 /* so near at a node, it may be that near next to it */
enum { HALVINGS = 40 };

/* Value of the guard in hand, positive where the step has it. */
static double near_value(struct actio_marching *m, double t, double sign)
{
    m->flow->guard(m->flow->user, t, actio_march_known_at(m, t), m->g);
    return sign * m->g[m->guard];
}

/* The least value between two times that have a smaller one between them: by golden sections. */
static double near_least(struct actio_marching *m, double a, double b, double sign, double *least)
{
    const double golden = 0.6180339887498949;
    double x = b - golden * (b - a), y = a + golden * (b - a), fx = near_value(m, x, sign), fy = near_value(m, y, sign);
    for (int i = 0; i < HALVINGS && fabs(b - a) > 1e-8 * fabs(m->t_next - m->t); i++) {
        if (fx <= fy) {
            b = y;
            y = x;
            fy = fx;
            x = b - golden * (b - a);
            fx = near_value(m, x, sign);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + golden * (b - a);
            fy = near_value(m, y, sign);
        }
    }
    *least = fmin(fx, fy);
    return fx <= fy ? x : y;
}

/* Where the samples of one guard, all of one sign, are least inside the step: the node, or SIZE_MAX. */
static size_t least_node(const double *f, size_t stride, double *sign)
{
    size_t at = 0;
    double most = 0;
    *sign = f[0] > 0 ? 1 : -1;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) {
        double x = *sign * f[k * stride];
        if (!(x > 0) || !isfinite(x)) return SIZE_MAX;
        if (x < *sign * f[at * stride]) at = k;
        most = fmax(most, x);
    }
    return *sign * f[at * stride] <= ABOUT * most ? at : SIZE_MAX;
}

static double most_of(const double *f, size_t stride)
{
    double most = 0;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) most = fmax(most, fabs(f[k * stride]));
    return most;
}

/* At an end of the step: does the guard come nearer inside? */
static bool comes_nearer(struct actio_marching *m, size_t node, double sign)
{
    if (node > 0 && node + 1 < ACTIO_ROOT_NODES) return true;
    double at = node ? m->t_next : m->t, inside = at + (node ? -1 : 1) * 1e-4 * (m->t_next - m->t);
    return near_value(m, inside, sign) < near_value(m, at, sign);
}

static void look_near(struct actio_marching *m, size_t node, double sign, double until)
{
    if (!comes_nearer(m, node, sign)) return;
    double a = actio_root_node(m->t, m->t_next, node ? node - 1 : 0),
           b = actio_root_node(m->t, m->t_next, node + 1 < ACTIO_ROOT_NODES ? node + 1 : node), least;
    double t = near_least(m, a, b, sign, &least), edge = 1e-6 * fabs(m->t_next - m->t);
    bool inside = fabs(t - m->t) > edge && fabs(t - m->t_next) > edge && before(m, t, until) && fabs(t - until) > edge;
    if (!inside || least > NEAR * most_of(m->sample + m->guard, m->flow->guards)) return;
    struct actio_meeting near;
    actio_march_meet(m, &(struct actio_incident){ NOTHING, t, m->guard }, &near);
    near.value = sign * least;
    near.slack = actio_march_slack(m, m->guard, t);
    near.y = actio_march_known_at(m, t);
    m->flow->list.nears(m->flow->user, &near);
}

void actio_march_look_near(struct actio_marching *m, double until)
{
    size_t guards = m->flow->guards;
    for (m->guard = 0; m->flow->list.nears && m->guard < guards; m->guard++) {
        double sign;
        if (m->flow->list.may_near && !m->flow->list.may_near(m->flow->user, m->guard)) continue;
        size_t node = least_node(m->sample + m->guard, guards, &sign);
        if (node < ACTIO_ROOT_NODES) look_near(m, node, sign, until);
    }
    m->guard = SIZE_MAX;
}
