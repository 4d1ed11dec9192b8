/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/shadow.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/resets_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LATE 1e-3     /* of the last step: a crossing that may be so far away is not a small correction */
#define CURVED 0.2    /* of the time by which it is late: a surface that is met so unevenly is grazed */
#define BEHIND 1e-6   /* of the last step: so far back a guard is looked at for its rate */
#define SHORTEST 1e-9 /* of the interval: and at least so far */
#define NOISE 100.0   /* times eps: what rounding leaves of a guard */
#define VISIBLE 1e-8  /* of the state: differences of rates by so much are free of rounding */

static inline double greater(double a, double b) { return a > b ? a : b; }

bool actio_shadow_needed(const struct actio_motion *m)
{
    return actio_contacts_hard(m) || m->sys->resets.statements || m->corner;
}

/* ---- its life */

int actio_shadow_open(struct actio_shadow *s, struct actio_context *ctx, struct actio_motion *m)
{
    size_t guards = m->flow.guards, watched = m->flow.watched, n = m->ny;
    *s = (struct actio_shadow){ .m = m };
    if (actio_motion_open(&s->own, ctx, m->sys, m->here.param)) return 1;
    s->open = true;
    s->own.flow.list = (struct actio_listener){ 0 };
    double *next = s->block = actio_alloc(ctx, 4 * n + guards + watched + 1, sizeof *next);
    s->side = actio_alloc(ctx, 2 * watched + 1, sizeof *s->side);
    if (!next || !s->side) return 1;
    s->due = s->side + watched;
    s->x = next;
    s->before = s->x + n;
    s->behind = s->before + n;
    s->moved = s->behind + n;
    s->guard = s->moved + n;
    s->most = s->guard + guards;
    return 0;
}

void actio_shadow_close(struct actio_shadow *s)
{
    if (!s->open) return;
    struct actio_context *ctx = s->own.ctx;
    actio_motion_close(&s->own);
    actio_free(ctx, s->block);
    actio_free(ctx, s->side);
    *s = (struct actio_shadow){ 0 };
}

/* As the run that is followed was set up. */
static void set_out(struct actio_shadow *s)
{
    const struct actio_motion *m = s->m;
    s->own.span = m->span;
    s->own.flow.accuracy = m->flow.accuracy;
    if (!m->contacts) return;
    s->own.contacts->local = m->contacts->local;
    s->own.contacts->pick = m->contacts->pick;
}

int actio_shadow_enter(struct actio_shadow *s, double t, const double *y0)
{
    size_t watched = s->m->flow.watched;
    s->met = NAN;
    set_out(s);
    memcpy(s->x, y0, s->m->ny * sizeof *y0);
    int status = actio_motion_begin(&s->own, t, s->x);
    s->flow = actio_resets_over(&s->own, s->own.flow);
    memset(s->side, 0, 2 * watched);
    memset(s->most, 0, watched * sizeof *s->most);
    s->of = (struct actio_sides){ s->side, s->due, s->most };
    if (s->flow.own.lend) s->flow.own.lend(&s->own, s->of);
    if (!status && s->flow.enter) status = s->flow.enter(&s->own, t, s->x);
    return status;
}

void actio_shadow_step(struct actio_shadow *s, double t, const double *y, const double *error)
{
    if (!s->flow.stepped) return;
    for (size_t i = 0; i < s->m->ny; i++) s->x[i] = y[i] - error[i];
    s->flow.stepped(&s->own, t, s->x);
}

/* ---- rates */

static bool holds_the_same(const struct actio_shadow *s)
{
    const struct actio_system *sys = s->m->sys;
    size_t first = sys->switches.count, held = sys->resets.held;
    return held == 0 || memcmp(s->m->here.mode + first, s->own.here.mode + first, held * sizeof(double)) == 0;
}

bool actio_shadow_rules(const struct actio_shadow *s)
{
    return s->open && ((s->m->contacts && s->m->contacts->busy) || !holds_the_same(s));
}

/* Small directions are enlarged until rounding does not matter; held values that differ are not. */
static double enlarged(const struct actio_shadow *s, const double *y, const double *dy)
{
    double most = 0;
    if (!holds_the_same(s)) return 1;
    for (size_t i = 0; i < s->m->ny; i++) most = greater(most, fabs(dy[i]) / greater(1, fabs(y[i])));
    return most > 0 && most < VISIBLE ? VISIBLE / most : 1;
}

int actio_shadow_along(struct actio_shadow *s, double t, const double *y, const double *dy, double dt, double *rates,
                       double *out)
{
    size_t n = s->m->ny;
    double by = enlarged(s, y, dy);
    int status = s->m->flow.rhs(s->m, t, y, rates);
    for (size_t i = 0; i < n; i++) s->moved[i] = y[i] - by * dy[i];
    if (!status) status = s->own.flow.rhs(&s->own, t - by * dt, s->moved, out);
    for (size_t i = 0; i < n; i++) out[i] = (rates[i] - out[i]) / by;
    return status;
}

/* ---- instants */

static double guard_of(struct actio_shadow *s, struct actio_motion *m, size_t guard, double t, const double *y)
{
    m->flow.guard(m, t, y, s->guard);
    return s->guard[guard];
}

/* How fast the guard moves with the motion, in front of the instant. */
static double rate_of(struct actio_shadow *s, size_t guard, double t, const double *y, double value, double h)
{
    double small =
        -copysign(greater(BEHIND * fabs(h), SHORTEST * fabs(s->m->span)), h); /* ahead, formulas may have no value */
    for (size_t i = 0; i < s->m->ny; i++) s->moved[i] = y[i] + small * s->before[i];
    return (guard_of(s, s->m, guard, t + small, s->moved) - value) / small;
}

static void go_along(struct actio_shadow *s, const double *rates, double dt)
{
    for (size_t i = 0; i < s->m->ny; i++) s->x[i] += rates[i] * dt;
}

/* When the shadow arrives at the surface, by Newton's method; it is taken there. False: the guard does not show it. */
static bool find_arrival(struct actio_shadow *s, size_t guard, double t, const double *y, double h)
{
    double here = guard_of(s, s->m, guard, t, y), rate = rate_of(s, guard, t, y, here, h), size = 1;
    for (size_t i = 0; i < s->m->ny; i++) size = greater(size, fabs(y[i]));
    double first = (here - guard_of(s, &s->own, guard, t, s->x)) / rate,
           noise = NOISE * DBL_EPSILON * (size / fabs(rate) + fabs(t));
    double small = LATE * greater(fabs(h), LATE * fabs(s->m->span)) + noise;
    if (!(fabs(first) <= small) || !(fabs(here) <= small * fabs(rate))) return false;
    go_along(s, s->before, first);
    double second = (here - guard_of(s, &s->own, guard, t + first, s->x)) / rate;
    go_along(s, s->before, second);
    s->late = first + second;
    return fabs(second) <= CURVED * fabs(first) + noise;
}

/* Where it is when the motion is at y. */
static void place(struct actio_shadow *s, const double *y, const double *error, double since)
{
    for (size_t i = 0; i < s->m->ny; i++) s->x[i] = y[i] - error[i];
    if (since != 0) go_along(s, s->before, since);
}

/* What another guard has shown at this time happens with it. */
static int arrive(struct actio_shadow *s, const struct actio_arrival *what, const double *y, const double *error)
{
    double with = s->late;
    place(s, y, error, what->since);
    if (find_arrival(s, what->guard, what->t, y, what->h)) return ACTIO_FLOW_OK;
    if (what->t != s->met) return ACTIO_FLOW_NAN;
    place(s, y, error, 0);
    s->late = with;
    go_along(s, s->before, with);
    return ACTIO_FLOW_OK;
}

static void take_sides(struct actio_shadow *s)
{
    size_t watched = s->m->flow.watched;
    if (!s->flow.own.lend) return;
    memcpy(s->side, s->m->resets->of.side, watched);
    memcpy(s->most, s->m->resets->of.most, watched * sizeof *s->most);
}

int actio_shadow_meet(struct actio_shadow *s, const struct actio_arrival *what, const double *y, const double *error)
{
    int status = ACTIO_FLOW_OK;
    take_sides(s);
    if (what->guard == SIZE_MAX) {
        s->late = 0;
        place(s, y, error, 0);
    } else if (actio_between_any(s->m) || s->m->flow.rhs(s->m, what->t, y, s->before)) status = ACTIO_FLOW_FAILED;
    else status = arrive(s, what, y, error);
    s->met = what->t;
    return status;
}

/* What happened to the shadow is dated as it is in the motion, whose rows are looked up by time. */
static void date_changes(struct actio_shadow *s, size_t modes, size_t stances, double t)
{
    const struct actio_mode_history *as = &s->m->history;
    for (size_t i = modes; i < s->own.history.changes; i++)
        s->own.history.change[i].t = i < as->changes ? as->change[i].t : t;
    for (size_t i = stances; s->own.contacts && i < s->own.contacts->past.changes; i++)
        s->own.contacts->past.change[i].t = i < s->m->contacts->past.changes ? s->m->contacts->past.change[i].t : t;
}

/* Has the same happened to both? */
static bool went_alike(const struct actio_shadow *s)
{
    const struct actio_motion *a = s->m, *b = &s->own;
    const struct actio_contacts *c = a->contacts, *d = b->contacts;
    if (memcmp(a->here.mode, b->here.mode, a->sys->switches.count * sizeof *a->here.mode) != 0) return false;
    return !c
           || (memcmp(c->now.closed, d->now.closed, c->contacts) == 0 && memcmp(c->now.rub, d->now.rub, c->rubs) == 0);
}

static int happen(struct actio_shadow *s, size_t guard, double t)
{
    size_t watched = s->m->flow.watched, firm = s->m->flow.guards - watched;
    struct actio_motion *m = &s->own;
    size_t modes = m->history.changes, stances = m->contacts ? m->contacts->past.changes : 0;
    if (s->flow.own.lend) memcpy(s->due, s->m->resets->of.due, watched);
    if (guard != SIZE_MAX && guard >= firm) s->side[guard - firm] = (signed char)-s->side[guard - firm];
    m->instants.now.count = m->instants.now.numbers = 0;
    int status = guard == SIZE_MAX ? s->flow.clock.tick(m, t, s->x) : s->flow.crossed(m, guard, t + s->late, s->x);
    date_changes(s, modes, stances, t);
    return status == ACTIO_FLOW_ENDED ? ACTIO_FLOW_OK : status;
}

int actio_shadow_leave(struct actio_shadow *s, size_t guard, double t, const double *y, double *error)
{
    bool can = guard == SIZE_MAX ? s->flow.clock.tick != NULL : s->flow.crossed != NULL;
    if (!can || happen(s, guard, t) || !went_alike(s) || actio_between_any(s->m)) return ACTIO_FLOW_FAILED;
    if (s->late != 0) {
        if (s->m->flow.rhs(s->m, t, y, s->behind)) return ACTIO_FLOW_FAILED;
        go_along(s, s->behind, -s->late);
    }
    for (size_t i = 0; i < s->m->ny; i++) error[i] = y[i] - s->x[i];
    return ACTIO_FLOW_OK;
}

/* ---- what is remembered of instants */

void actio_shadow_swap(struct actio_shadow *s)
{
    if (!s->open) return;
    struct actio_mode_history modes = s->m->history;
    s->m->history = s->own.history;
    s->own.history = modes;
    if (!s->m->contacts) return;
    struct actio_past_stances past = s->m->contacts->past;
    s->m->contacts->past = s->own.contacts->past;
    s->own.contacts->past = past;
}
