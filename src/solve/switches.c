/* SPDX-License-Identifier: Apache-2.0
 * Switches of a motion: which branch of abs, sign, min, max and if is in force, and which follows when the guard
 * reaches zero; of floor and mod, which whole number lies below the guard, and which follows when the guard reaches the
 * next one. */
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/corner.h"
#include "solve/resets.h"

#include <math.h>
#include <string.h>

#define HELD 1e-9          /* a switch at rest on its surface may wander this far */
#define NO_RATE 1e-12      /* of the fastest rate: slower than this and its own curve decides */
#define JUMP 1e-6          /* of what it covers on the way: a guard that is farther from its surface has jumped there */
#define SAME_INSTANT 1e-11 /* of the interval: another switch that is reached this soon is reached now */
#define MOMENT 1e-5        /* of the interval: how far ahead that curve is looked at */

static const double *guards_here(struct actio_motion *m)
{
    const struct actio_bound *b = &m->at[ACTIO_Q_GUARDS];
    actio_kernel_eval(b->k, 1, b->in, b->pre, 1, b->out, b->work);
    return b->value;
}

static const double *guards_at(struct actio_motion *m, double t, const double *y)
{
    m->here.t = t;
    memcpy(m->here.y, y, m->ny * sizeof *y);
    return guards_here(m);
}

static int sign_of(double x) { return (x > 0) - (x < 0); }

static bool is_whole(const struct actio_motion *m, size_t k) { return m->sys->switches.whole[k]; }
static bool rests(const struct actio_motion *m, size_t k)
{
    return is_whole(m, k) ? m->rests[k] : m->here.mode[k] == 0;
}

/* The surface next to a guard's value: zero, or a whole number. */
static double surface_at(const struct actio_motion *m, size_t k, double u) { return is_whole(m, k) ? nearbyint(u) : 0; }
static double mode_on(const struct actio_motion *m, size_t k, double surface, int side)
{
    return is_whole(m, k) ? surface - (side < 0) : side;
}

static void switches_take(struct actio_motion *m, size_t k, double surface, int side)
{
    m->here.mode[k] = mode_on(m, k, surface, side);
    m->rests[k] = side == 0;
}

static bool is_between(const struct actio_motion *m, size_t k) { return actio_is_between(m->here.mode[k]); }

/* Positive while both sides have a share in the motion along the surface. */
static void guard_shares(struct actio_motion *m, double t, const double *y, double *g)
{
    for (size_t k = 0; k < m->sys->switches.count; k++) {
        if (!is_between(m, k)) continue;
        double share = actio_between_share(m, k, t, y);
        g[k] = isfinite(share) ? share * (1 - share) : -1;
    }
}

/* Positive while the guard is where its mode says; of a whole number n, between n and n + 1. */
void actio_switch_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    if (m->sys->switches.count == 0) return;
    const double *u = guards_at(m, t, y);
    for (size_t k = 0; k < m->sys->switches.count; k++) {
        double n = is_whole(m, k) ? m->here.mode[k] : 0;
        if (rests(m, k)) g[k] = HELD * fmax(1, fabs(n)) - fabs(u[k] - n);
        else g[k] = is_whole(m, k) ? (u[k] - n) * (n + 1 - u[k]) : u[k];
    }
    if (actio_between_any(m)) guard_shares(m, t, y, g);
}

int actio_switch_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    return is_whole(m, k) || rests(m, k) || is_between(m, k) ? 1 : (int)m->here.mode[k];
}

/* Which way guard k goes from zero along the motion, 0 = it rests. Without a rate, a moment ahead to second order
 * decides. */
static int curve(struct actio_motion *m, size_t k, double t, const double *y)
{
    double now = guards_here(m)[k], h = MOMENT * m->span;
    m->here.t = t + h;
    for (size_t i = 0; i < m->n; i++) {
        m->here.y[i] = y[i] + h * (y[m->n + i] + 0.5 * h * m->here.zdot[i]);
        m->here.y[m->n + i] = y[m->n + i] + h * m->here.zdot[i];
    }
    for (size_t i = m->n; i < m->N; i++) m->here.y[m->n + i] = y[m->n + i] + h * m->here.zdot[i];
    return sign_of(guards_here(m)[k] - now);
}

struct course {
    bool known;
    int by_rate, goes;
}; /* by_rate: 0 where the rate is negligible */

/* The course of guard k with its mode set to `mode`. */
static struct course course_under(struct actio_motion *m, size_t k, double mode, double t, const double *y)
{
    struct course c = { .known = false };
    double old = m->here.mode[k], scale = 1;
    m->here.mode[k] = mode;
    bool by_place = m->sys->switches.by_place && m->sys->switches.by_place[k];
    int status = actio_motion_solve(m, t, y);
    bool solved = status == ACTIO_FLOW_OK;
    by_place &= status == ACTIO_FLOW_NAN; /* not where rows contradict each other */
    if (by_place) {
        memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
        guards_at(m, t, y);
    }
    if (solved || by_place) {
        double rate = guards_here(m)[m->sys->switches.count + k];
        for (size_t j = 0; j < m->N; j++) scale = fmax(scale, fabs(m->here.zdot[j]));
        c.known = isfinite(rate);
        c.by_rate = fabs(rate) > NO_RATE * scale ? sign_of(rate * m->span) : 0;
        c.goes = c.by_rate ? c.by_rate : curve(m, k, t, y);
    }
    m->here.mode[k] = old;
    return c;
}

/* Both sides push the motion back: it goes along the surface. */
static bool hold_between(struct actio_motion *m, size_t k, double surface, double t, const double *y)
{
    bool busy = m->contacts && m->contacts->busy;
    double old = m->here.mode[k];
    m->here.mode[k] = 0;
    bool at_will = actio_switch_may_leave(m, k, t, y);
    m->here.mode[k] = old;
    if (busy || at_will || !actio_between_take(m, k, surface, t, y)) return false;
    m->rests[k] = false;
    return true;
}

/* On its surface: the side on which the motion stays under that side's mode. A rate decides; without one, the value
 * that the model gives on the surface itself says which way is first. False: each side pushes back, and the motion
 * can't go along the surface. */
static bool switches_settle(struct actio_motion *m, size_t k, double t, const double *y, int first)
{
    double surface = surface_at(m, k, guards_at(m, t, y)[k]);
    for (int side = first; side != 0; side = side == first ? -first : 0)
        if (course_under(m, k, mode_on(m, k, surface, side), t, y).by_rate == side) {
            switches_take(m, k, surface, side);
            return true;
        }
    if (hold_between(m, k, surface, t, y)) return true;
    struct course on = course_under(m, k, mode_on(m, k, surface, 0), t, y);
    bool at_rest = on.known && !on.by_rate;
    if (at_rest && !on.goes) {
        switches_take(m, k, surface, 0);
        return true;
    }
    if (at_rest) first = on.goes;
    for (int side = first; side != 0; side = side == first ? -first : 0) {
        struct course c = course_under(m, k, mode_on(m, k, surface, side), t, y);
        if (c.known && !c.by_rate && c.goes == side) {
            switches_take(m, k, surface, side);
            return true;
        }
    }
    switches_take(m, k, surface, 0);
    return at_rest;
}

/* A guard made of other switches jumps with them: it is then on no surface, and its mode is the one there. */
static bool jumped(struct actio_motion *m, size_t k, double t, const double *y)
{
    double u = guards_at(m, t, y)[k], far = fabs(u - surface_at(m, k, u)), rate = 0;
    if (actio_motion_solve(m, t, y) == ACTIO_FLOW_OK) rate = guards_here(m)[m->sys->switches.count + k];
    if (!(far > 2 * HELD * fmax(1, fabs(u)) + JUMP * fabs(rate * m->span))) return false;
    m->here.mode[k] = actio_mode_at(m->sys, k, u, 1);
    m->rests[k] = false;
    return true;
}

/* Dependent rows may agree on one side of a switch only: then it is they that end the motion. */
static bool rows_part(struct actio_motion *m, size_t k, double t, const double *y)
{
    bool dependent = m->rows.rank < m->p;
    double surface = surface_at(m, k, guards_at(m, t, y)[k]);
    return dependent
           && !(course_under(m, k, mode_on(m, k, surface, -1), t, y).known
                && course_under(m, k, mode_on(m, k, surface, 1), t, y).known);
}

static int stop_chattering(struct actio_motion *m, size_t k, double t, const double *y)
{
    bool part = rows_part(m, k, t, y);
    m->halted.why = part                       ? ACTIO_STOP_CONTRADICTION
                    : actio_between_refused(m) ? ACTIO_STOP_BETWEEN
                                               : ACTIO_STOP_CHATTER;
    m->halted.by = k;
    for (size_t j = m->p; part && j-- > 0;)
        if (!m->rows.unique[j]) m->halted.by = j;
    return ACTIO_FLOW_FAILED;
}

/* A switch that rested has left its surface: it takes the side where it is, if the motion goes on that way. */
static bool leave(struct actio_motion *m, size_t k, double t, const double *y)
{
    double u = guards_at(m, t, y)[k], surface = surface_at(m, k, u);
    int side = sign_of(u - surface);
    if (side == 0 || course_under(m, k, mode_on(m, k, surface, side), t, y).goes != side) return false;
    switches_take(m, k, surface, side);
    return true;
}

/* One side has no share any more: the motion goes on there. */
static void leave_between(struct actio_motion *m, size_t k, double t, double *y)
{
    double surface = surface_at(m, k, guards_at(m, t, y)[k]), share = actio_between_share(m, k, t, y);
    actio_between_put(m, k, surface, t, y);
    switches_take(m, k, surface, share < 0.5 ? -1 : 1);
}

/* The side of its surface on which the switch has not been. */
static int beyond(struct actio_motion *m, size_t k, double t, const double *y)
{
    if (!is_whole(m, k)) return -(int)m->here.mode[k];
    return nearbyint(guards_at(m, t, y)[k]) > m->here.mode[k] ? 1 : -1;
}

static int stop_at_will(struct actio_motion *m, size_t k)
{
    m->halted.why = ACTIO_STOP_AT_WILL;
    m->halted.by = k;
    return ACTIO_FLOW_FAILED;
}

/* Switches on their surfaces, but `k`. */
static int settle_resting(struct actio_motion *m, size_t k, double t, const double *y)
{
    for (size_t j = 0; j < m->sys->switches.count; j++) {
        if (j == k || !(rests(m, j) || is_between(m, j))) continue;
        if (actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
        if (!switches_settle(m, j, t, y, 1)) return stop_chattering(m, j, t, y);
        if (actio_switch_may_leave(m, j, t, y)) return stop_at_will(m, j);
    }
    return ACTIO_FLOW_OK;
}

/* The side of a switch that stands on its surface because others do: by its rate, or none. */
static int side_on_surface(struct actio_motion *m, size_t k, double t, const double *y)
{
    double scale = 1;
    if (actio_motion_solve(m, t, y) != ACTIO_FLOW_OK) memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
    double rate = guards_at(m, t, y)[m->sys->switches.count + k];
    for (size_t j = 0; j < m->N; j++) scale = fmax(scale, fabs(m->here.zdot[j]));
    return fabs(rate) > NO_RATE * scale ? sign_of(rate * m->span) : 0;
}

/* Switches whose expressions have others in them go where these have gone: floor(t) in floor(t) >= 2. */
static void follow_others(struct actio_motion *m, size_t but, double t, const double *y)
{
    const bool *nested = m->sys->switches.nested;
    bool changed = nested != NULL;
    for (size_t round = 0; changed && round <= m->sys->switches.count; round++) {
        changed = false;
        for (size_t k = 0; k < m->sys->switches.count; k++) {
            if (!nested[k] || k == but || is_between(m, k)) continue;
            double u = guards_at(m, t, y)[k], surface = surface_at(m, k, u), old = m->here.mode[k];
            bool on = fabs(u - surface) <= HELD * fmax(1, fabs(u));
            if (on) switches_take(m, k, surface, side_on_surface(m, k, t, y));
            else {
                m->here.mode[k] = actio_mode_at(m->sys, k, u, 1);
                m->rests[k] = false;
            }
            changed |= m->here.mode[k] != old;
        }
    }
}

static void cross(struct actio_motion *m, size_t k, double t, const double *y)
{
    switches_take(m, k, surface_at(m, k, guards_at(m, t, y)[k]), beyond(m, k, t, y));
}

/* A switch that is on its way through its surface at this instant. */
static bool arrives(struct actio_motion *m, size_t j, double t, const double *y)
{
    if (rests(m, j) || is_between(m, j)) return false;
    double u = guards_at(m, t, y)[j], far = u - surface_at(m, j, u);
    bool known = actio_motion_solve(m, t, y) == ACTIO_FLOW_OK || m->sys->switches.by_place[j];
    double rate = known ? guards_at(m, t, y)[m->sys->switches.count + j] * m->span : 0;
    bool now = fabs(far) <= SAME_INSTANT * fabs(rate);
    return now && sign_of(rate) == beyond(m, j, t, y);
}

/* Another one on the same surface, which has not been crossed yet: x < 1 and 1 < x in two formulas. */
static bool crosses_too(struct actio_motion *m, size_t j, size_t k, double t, const double *y)
{
    return arrives(m, j, t, y) && actio_corner_same_surface(m, j, k, t, y);
}

/* A switch that has shown its guard, where no velocities jump: it leaves its surface, or comes to it. */
static bool settle_here(struct actio_motion *m, size_t k, double t, double *y)
{
    if (is_between(m, k)) {
        leave_between(m, k, t, y);
        return true;
    }
    return rests(m, k) ? leave(m, k, t, y) : switches_settle(m, k, t, y, beyond(m, k, t, y));
}

/* Where velocities jump, they decide on which side the motion goes on. *turned: they did. */
static int turn_corner(struct actio_motion *m, size_t k, double t, double *y, bool *turned)
{
    *turned = false;
    if (!m->corner || rests(m, k) || is_between(m, k)) return ACTIO_FLOW_OK;
    actio_corner_note(m);
    for (size_t j = 0; j < m->sys->switches.count; j++)
        if (j == k || crosses_too(m, j, k, t, y)) cross(m, j, t, y);
    follow_others(m, k, t, y);
    int status = actio_corner_turn(m, k, t, y, turned);
    if (!*turned && !status) actio_corner_undo(m);
    return status;
}

/* Through both surfaces, one after the other; after the first one the motion may no longer reach the second. */
static int pass_both(struct actio_motion *m, size_t first, size_t second, double t, double *y)
{
    const size_t order[2] = { first, second };
    int status = ACTIO_FLOW_OK;
    for (int i = 0; i < 2 && !status; i++) {
        bool turned;
        if (i && !arrives(m, second, t, y)) break;
        status = turn_corner(m, order[i], t, y, &turned);
        if (!status && !turned) cross(m, order[i], t, y);
    }
    return status;
}

/* Different surfaces at one instant: does it matter which is first? */
static int check_order(struct actio_motion *m, size_t k, double t, const double *y)
{
    for (size_t j = 0; m->corner && !rests(m, k) && !is_between(m, k) && j < m->sys->switches.count; j++) {
        if (j == k || !arrives(m, j, t, y) || actio_corner_same_surface(m, j, k, t, y)) continue;
        if (actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
        double *one = actio_corner_try(m, 0, y), *other;
        int bad = pass_both(m, k, j, t, one);
        actio_corner_try_end(m);
        other = actio_corner_try(m, 1, y);
        bad += pass_both(m, j, k, t, other);
        actio_corner_try_end(m);
        m->halted.why = ACTIO_STOP_NONE;
        if (bad ? bad != ACTIO_FLOW_FAILED : actio_corner_same_end(m)) continue;
        m->halted.by = k;
        m->halted.with = j;
        m->halted.why = ACTIO_STOP_ORDER;
        return ACTIO_FLOW_FAILED;
    }
    return ACTIO_FLOW_OK;
}

int actio_switch_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    bool turned = false, apart = jumped(m, k, t, y);
    int status = apart ? ACTIO_FLOW_OK : check_order(m, k, t, y);
    if (!status && !apart) status = turn_corner(m, k, t, y, &turned);
    if (status) return status;
    if (!(turned || jumped(m, k, t, y) || settle_here(m, k, t, y))) return stop_chattering(m, k, t, y);
    if (rests(m, k) && actio_switch_may_leave(m, k, t, y)) return stop_at_will(m, k);
    for (size_t j = 0; m->corner && !turned && j < m->sys->switches.count; j++)
        if (j != k && crosses_too(m, j, k, t, y)) cross(m, j, t, y);
    follow_others(m, k, t, y);
    status = settle_resting(m, k, t, y); /* what changed may push others off their surfaces */
    if (status) return status;
    actio_motion_watch(m, t, y);
    return actio_modes_remember(m, t);
}

/* Modes by the guards here. A guard may depend on modes before it: as many rounds as switches stand inside each other.
 * there: what a switch on its surface is. */
static int read_modes(struct actio_motion *m, double t, const double *y, double there)
{
    bool changed = m->sys->switches.count > 0;
    for (size_t round = 0; changed && round <= m->sys->switches.count; round++) {
        const double *u = guards_at(m, t, y);
        changed = false;
        for (size_t k = 0; k < m->sys->switches.count; k++) {
            double mode = actio_mode_at(m->sys, k, u[k], there);
            changed |= mode != m->here.mode[k];
            m->here.mode[k] = mode;
            m->rests[k] = there == 0 && u[k] == surface_at(m, k, u[k]);
        }
        if (changed && actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
    }
    return ACTIO_FLOW_OK;
}

void actio_motion_take_sides(struct actio_motion *m, double t, const double *y) { read_modes(m, t, y, 1); }

/* What a motion remembers of the points before, to judge the next ones: of this one only. */
static int look_anew(struct actio_motion *m, double t, const double *y)
{
    for (size_t i = 0; i < m->sys->solved.pivots; i++) m->watch.size[i] = 0;
    actio_saddle_forget(m->saddle);
    const double *values = m->p && !m->sys->field.axes ? actio_motion_values(m, t, y) : NULL;
    if (values) actio_saddle_note(m->saddle, values);
    actio_motion_watch(m, t, y);
    return actio_system_modes(m->sys) ? actio_modes_remember(m, t) : 0;
}

static void forget_run(struct actio_motion *m)
{
    m->obeys.based = false;
    m->history.changes = 0;
    actio_instants_begin(m);
    m->halted.why = ACTIO_STOP_NONE;
    m->watch.quality = 1;
    m->outside.failed = 0;
}

int actio_motion_begin(struct actio_motion *m, double t, const double *y)
{
    forget_run(m);
    if (m->contacts) actio_contacts_begin(m);
    actio_resets_begin(m, t);
    int stopped = read_modes(m, t, y, 0);
    if (!stopped && actio_corner_rank_varies(m)) stopped = actio_corner_rank(m, t, y);
    if (!stopped) stopped = settle_resting(m, SIZE_MAX, t, y);
    return stopped ? stopped : look_anew(m, t, y);
}

int actio_motion_resume(struct actio_motion *m, double t, const double *y)
{
    forget_run(m);
    actio_between_resume(m);
    int status = m->contacts ? actio_contacts_resume(m, t) : 0;
    if (!status) status = actio_corner_resume(m, t, y);
    return status ? status : look_anew(m, t, y);
}

/* Where the state has jumped off the surfaces along which it went, switches have the side that it is on. */
int actio_switches_jumped(struct actio_motion *m, double t, const double *y)
{
    bool changed = false;
    for (size_t k = 0; k < m->sys->switches.count; k++) {
        if (!is_between(m, k)) continue;
        double u = guards_at(m, t, y)[k];
        if (m->contacts && m->contacts->busy) return stop_chattering(m, k, t, y);
        if (fabs(u - surface_at(m, k, u)) <= HELD * fmax(1, fabs(u))) continue;
        m->here.mode[k] = actio_mode_at(m->sys, k, u, 1);
        changed = true;
    }
    return changed ? actio_modes_remember(m, t) : ACTIO_FLOW_OK;
}

/* ---- instants */

void actio_switches_note(struct actio_motion *m, double t, const double *y, double *guard)
{
    if (m->sys->switches.count) memcpy(guard, guards_at(m, t, y), m->sys->switches.count * sizeof *guard);
}

/* One that stands on its surface takes the side where the motion goes. */
static int reread(struct actio_motion *m, size_t k, double t, const double *y, bool *changed)
{
    double u = guards_at(m, t, y)[k], old = m->here.mode[k];
    if (fabs(u - surface_at(m, k, u)) <= HELD * fmax(1, fabs(u))) {
        if (!switches_settle(m, k, t, y, 1)) return stop_chattering(m, k, t, y);
    } else {
        m->here.mode[k] = actio_mode_at(m->sys, k, u, 1);
        m->rests[k] = false;
    }
    *changed |= m->here.mode[k] != old;
    return ACTIO_FLOW_OK;
}

int actio_switches_reread(struct actio_motion *m, double t, const double *y, const double *guard)
{
    int status = ACTIO_FLOW_OK;
    bool changed = true;
    for (size_t round = 0; changed && round <= m->sys->switches.count; round++) {
        changed = false;
        for (size_t k = 0; k < m->sys->switches.count && !status; k++)
            if (guards_at(m, t, y)[k] != guard[k]) status = reread(m, k, t, y, &changed);
        if (status) return status;
    }
    return settle_resting(m, SIZE_MAX, t, y);
}
