/* SPDX-License-Identifier: Apache-2.0
 * What drives a model: does it depend on time, and does all of it repeat after a time? */
#include "orbit/orbits.h"

#include <math.h>
#include <string.h>

static bool uses_time(struct actio_model *m, actio_expr e) { return actio_uses(&m->pool, e, ACTIO_SPACE_T); }

static bool instants_use_time(struct actio_model *m)
{
    bool any = false;
    for (size_t i = 0; i < m->resets.lines; i++) {
        const struct actio_reset_line *line = &m->resets.line[i];
        const struct actio_event_line *event = line->kind == ACTIO_WHEN_EVENT ? &m->event[line->index] : NULL;
        any = any || line->kind == ACTIO_EVERY || (event && (uses_time(m, event->left) || uses_time(m, event->right)));
        for (size_t k = 0; k < line->assigns; k++) any = any || uses_time(m, line->assign[k].e);
    }
    return any;
}

bool actio_orbit_timed(struct actio_search *s)
{
    struct actio_model *m = s->problem->model;
    bool any = uses_time(m, m->lagrangian) || uses_time(m, m->dissipation);
    for (size_t i = 0; i < m->forces; i++)
        for (size_t k = 0; k < m->force[i].terms; k++) any = any || uses_time(m, m->force[i].term[k].e);
    for (size_t i = 0; i < m->flow.count; i++)
        any = any || uses_time(m, m->flow.of[i].left) || uses_time(m, m->flow.of[i].right);
    any = any || instants_use_time(m);
    for (size_t i = 0; i < s->problem->sys->walls.contacts; i++)
        any = any || uses_time(m, m->contact[i].gap) || uses_time(m, m->contact[i].restitution);
    for (size_t i = 0; i < m->constraints; i++) {
        any = any || uses_time(m, m->constraint[i].g);
        for (size_t k = 0; k < m->constraint[i].reactions; k++)
            any = any || uses_time(m, m->constraint[i].reaction[k].e);
    }
    return any;
}

/* Do the equations repeat themselves after this time? */
static bool repeats_after(struct actio_search *s, double period)
{
    size_t ny = s->o.ny;
    double *f = actio_alloc(s->problem->ctx, 3 * ny + 1, sizeof *f), *g = f ? f + ny : NULL, *y = g ? g + ny : NULL,
           most = 0, size = 0;
    for (int k = 0; f && k < 7; k++) {
        double t = s->o.t0 + period * (0.05 + 0.137 * k);
        for (size_t i = 0; i < ny; i++) y[i] = s->problem->y0[i] * (1 + 0.1 * k);
        if (actio_tangent_rates(&s->o.x, t, y, f) || actio_tangent_rates(&s->o.x, t + period, y, g)) continue;
        for (size_t i = 0; i < ny; i++) {
            most = fmax(most, fabs(f[i] - g[i]));
            size = fmax(size, fabs(f[i]));
        }
    }
    actio_free(s->problem->ctx, f);
    return most <= 1e-7 * size;
}

/* Right sides of what is set, and functions of events, in order. */
static void instant_values(struct actio_search *s, double t, const double *y, double *to)
{
    struct actio_motion *m = &s->problem->motion;
    const struct actio_system *sys = s->problem->sys;
    size_t assigns = sys->resets.assigns, events = sys->walls.events;
    memcpy(to, actio_motion_quantity(m, ACTIO_Q_RESETS, t, y), assigns * sizeof *to);
    if (events)
        memcpy(to + assigns, actio_motion_quantity(m, ACTIO_Q_GAPS, t, y) + actio_first_event(sys),
               events * sizeof *to);
}

static bool values_repeat_after(struct actio_search *s, double period)
{
    const struct actio_system *sys = s->problem->sys;
    size_t count = sys->resets.assigns + sys->walls.events;
    double *one = actio_alloc(s->problem->ctx, 2 * count + 1, sizeof *one), *other = one ? one + count : NULL;
    bool same = true;
    for (int k = 0; one && k < 7; k++) {
        double t = s->o.t0 + period * (0.05 + 0.137 * k);
        instant_values(s, t, s->problem->y0, one);
        instant_values(s, t + period, s->problem->y0, other);
        for (size_t i = 0; i < count; i++) same = same && fabs(one[i] - other[i]) <= 1e-7 * fmax(1, fabs(one[i]));
    }
    actio_free(s->problem->ctx, one);
    return same;
}

/* Does each clock tick a whole number of times in this time, and does what statements read repeat with it? */
static bool instants_repeat_after(struct actio_search *s, double period)
{
    struct actio_model *m = s->problem->model;
    for (size_t i = 0; i < m->resets.lines; i++) {
        if (m->resets.line[i].kind != ACTIO_EVERY) continue;
        double ticks = period / actio_model_number(m, m->resets.line[i].period);
        if (fabs(ticks - nearbyint(ticks)) > 1e-9 * ticks || ticks < 0.5) return false;
    }
    return m->resets.lines == 0 || values_repeat_after(s, period);
}

bool actio_orbit_repeats(struct actio_search *s, double period)
{
    return repeats_after(s, period) && instants_repeat_after(s, period);
}
