/* SPDX-License-Identifier: Apache-2.0
 * When a wall is reached, or what held does so no longer: positions put back, impacts, bounces that come to rest, and
 * the stance that follows. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TOUCHING 1e-12 /* of the size of a gap's terms: closed */
#define NO_RATE 1e-11  /* of the speed that the kinetic energy could give it: neither approaching nor leaving */
#define STORM 1e-3     /* of the interval: this is a moment, and so many happenings in it are a storm: */
enum { MANY = 200, TOO_MANY = 1000000 };
enum { MOST_IMPACTS = 200 }; /* at one moment */

/* Rounding of the gaps. */
static void note_noise(struct actio_contacts *c)
{
    for (size_t i = 0; i < c->contacts; i++) c->gap_noise[i] = DBL_EPSILON * actio_gap_of(c, i)[ACTIO_GAP_SIZE];
}

static void note_energy(struct actio_contacts *c, const double *v)
{
    const struct actio_system *sys = c->m->sys;
    double energy = 0;
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] < c->n && sys->G.col[i] < c->n)
            energy += v[sys->G.row[i]] * c->point.values[i] * v[sys->G.col[i]];
    c->most_energy = fmax(c->most_energy, fabs(energy));
}

/* Touching: held before, or at the wall and not leaving it. */
static void find_touching(struct actio_contacts *c, const double *y, size_t hit)
{
    note_noise(c);
    for (size_t i = 0; i < c->contacts; i++) {
        const double *g = actio_gap_of(c, i);
        double size = c->gap_noise[i] / DBL_EPSILON, nothing = NO_RATE * actio_kinetic_speed(c, i, y + c->n);
        bool at_wall = fabs(g[ACTIO_GAP_VALUE]) <= TOUCHING * size || g[ACTIO_GAP_VALUE] < 0;
        c->touch[i] = c->now.closed[i] || i == hit || (at_wall && actio_gap_rate(c, i) <= nothing);
    }
}

/* Positions of those that touch onto the wall, and velocities of those that held onto its motion. */
static int put_back(struct actio_contacts *c, double t, double *y)
{
    struct actio_stance *s = &c->now;
    unsigned char *held = c->trial.closed;
    memcpy(held, s->closed, c->contacts);
    for (size_t i = 0; i < c->contacts; i++) s->closed[i] = c->touch[i];
    int status = actio_contacts_put_on(c, t, y, 0);
    memcpy(s->closed, held, c->contacts);
    if (!status && c->m->sys->levels) status = actio_motion_project(c->m, t, y);
    return status;
}

static bool any_approaches(const struct actio_contacts *c, const double *v)
{
    for (size_t i = 0; i < c->contacts; i++)
        if (c->touch[i] && actio_gap_rate(c, i) < -NO_RATE * actio_kinetic_speed(c, i, v)) return true;
    return false;
}

/* Impacts until nothing that touches approaches. */
static int strike(struct actio_contacts *c, double t, double *y)
{
    int usable = actio_contacts_check_friction(c);
    if (usable) return usable;
    for (int round = 0; round < MOST_IMPACTS; round++) {
        int status = actio_contacts_at(c, t, y);
        if (status) return status;
        if (!any_approaches(c, y + c->n)) return ACTIO_FLOW_OK;
        if (actio_contacts_check_touching(c)) return ACTIO_FLOW_FAILED;
        const char *rule = actio_contacts_impact(c, y + c->n, c->impulse);
        if (!rule) {
            c->m->halted.why = ACTIO_STOP_IMPACT;
            return ACTIO_FLOW_FAILED;
        }
        for (size_t i = 0; i < c->contacts && !status; i++)
            if (c->impulse[i] > 0)
                status = actio_contacts_happens(c, t, ACTIO_IMPACT, i,
                                                c->impulse[i] * actio_gap_of(c, i)[ACTIO_GAP_SCALE], rule);
        if (!status && c->m->sys->levels) status = actio_motion_project(c->m, t, y);
        if (status) return status;
    }
    c->m->halted.why = ACTIO_STOP_IMPACT;
    return ACTIO_FLOW_FAILED;
}

static bool is_rough(const struct actio_contacts *c, size_t i)
{
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == i && actio_rub_of(c, r)[ACTIO_RUB_SLIDING] > 0) return true;
    return false;
}

/* Without losses anywhere every hop is kept as long as it can be distinguished from rounding: such a motion can be run
 * backward. */
static bool loses_energy(const struct actio_contacts *c)
{
    bool elastic = c->rubs == 0;
    for (size_t i = 0; i < c->contacts; i++) elastic &= actio_gap_of(c, i)[ACTIO_GAP_RESTITUTION] >= 1;
    return !elastic;
}

/* From one hop to the next where contacts take turns, as the corners of a rocking block do: two of them lie between two
 * of the same. */
static double series_ratio(const struct actio_contacts *c, size_t i, double rate)
{
    double before = c->off.rate[i];
    return c->off.how[i] == ACTIO_LEFT_AFTER_IMPACT && before > rate ? sqrt(rate / before) : 0;
}

/* Bodies jammed among rough walls may hop for ever, each a little: the more they do at one moment, the less is required
 * of a hop to be none. */
static double patience(const struct actio_contacts *c)
{
    return c->storm.count < MANY ? 1 : pow(10, fmin(4, (double)c->storm.count / MANY));
}

/* Events at one instant; true: they do not end. */
static bool is_endless(struct actio_contacts *c, double t)
{
    if (fabs(t - c->storm.moment_from) > 1e-2 * STORM * fabs(c->m->span)) {
        c->storm.moment_from = t;
        c->storm.moment = 0;
    }
    return ++c->storm.moment > TOO_MANY;
}

/* Those of several contacts together: a single one has its series, which ends when it ends. */
static void watch_storm(struct actio_contacts *c, double t)
{
    size_t touching = 0;
    for (size_t i = 0; i < c->contacts; i++) touching += c->touch[i];
    if (fabs(t - c->storm.from) > STORM * fabs(c->m->span)) {
        c->storm.from = t;
        c->storm.count = 0;
    }
    if (touching > 1) c->storm.count++;
    if (c->storm.count <= MANY) c->storm.calm = 0;
}

/* A wall that is met from behind: others have pressed the body through it. */
static bool is_squeezed(const struct actio_contacts *c, size_t hit)
{
    for (size_t i = 0; i < c->contacts; i++) {
        const double *g = actio_gap_of(c, i);
        if ((i == hit || c->now.closed[i]) && g[ACTIO_GAP_VALUE] < -1e-8 * fmax(1, g[ACTIO_GAP_SIZE])) return true;
    }
    return false;
}

/* A bounce that comes back before it can be seen, under the stance at hand. */
static bool hardly_leaves(struct actio_contacts *c, size_t i, const double *v, double *until)
{
    const double *g = actio_gap_of(c, i);
    double e = g[ACTIO_GAP_RESTITUTION], rate = actio_gap_rate(c, i),
           a = -(actio_dot(c->n, g + ACTIO_GAP_HEAD, c->found.zdot) + g[ACTIO_GAP_BIAS]);
    if (!c->touch[i] || c->now.closed[i] || !(a > 0) || !(rate > NO_RATE * actio_kinetic_speed(c, i, v))) return false;
    double ratio = e > 0 ? e : series_ratio(c, i, rate), height = rate * rate / (2 * a);
    *until = ratio < 1 ? 2 * rate / (a * (1 - ratio)) : 0;
    /* it can't be distinguished from rounding */
    if (height <= (loses_energy(c) || c->storm.count > MANY ? 1e4 * patience(c) : 4) * c->gap_noise[i]) return true;
    return e < 1 && height <= 1e-3 * c->local * fmax(1, g[ACTIO_GAP_SIZE])
           && rate <= 10 * c->local * fmax(1, actio_kinetic_speed(c, i, v));
}

/* Rates and slips that are too slow to matter are 0, all at once: what is left of the velocities is nearest in the
 * metric of the kinetic energy, so that energy does not grow. */
static int quiet(struct actio_contacts *c, double t, double *y)
{
    struct actio_stance *s = &c->now;
    actio_stance_copy(c, &c->trial, s);
    for (size_t i = 0; i < c->contacts; i++)
        s->closed[i] = c->touch[i] && (s->closed[i] || fabs(actio_gap_rate(c, i)) <= c->storm.calm);
    for (size_t r = 0; r < c->rubs; r++) {
        bool touches = c->rub[r].contact != UINT32_MAX && s->closed[c->rub[r].contact];
        s->rub[r] = touches && is_rough(c, c->rub[r].contact) && actio_slip_size(c, r) <= c->storm.calm
                        ? ACTIO_RUB_STICKS
                        : ACTIO_RUB_IDLE;
    }
    int status = actio_contacts_put_on(c, t, y, 1);
    actio_stance_copy(c, s, &c->trial);
    return status;
}

/* The rest of its infinitely many bounces follow a geometric series, rate -> e rate, and end at t + 2 rate/(a (1 - e))
 * with a = -gap'' in flight. It rests already: velocities onto those of all that do. *any: a stance must be found anew.
 * */
static int come_to_rest(struct actio_contacts *c, double t, double *y, bool *any)
{
    int status = actio_contacts_at(c, t, y);
    if (!status && actio_contacts_solve(c, &c->now)) status = ACTIO_FLOW_SINGULAR;
    *any = false;
    for (size_t i = 0; i < c->contacts && !status; i++) {
        double until = 0;
        bool rests = hardly_leaves(c, i, y + c->n, &until);
        if (!rests) continue;
        *any = c->rests[i] = true;
        c->storm.calm = fmax(c->storm.calm, 3 * actio_gap_rate(c, i));
        status = actio_contacts_happens(c, t + copysign(until, c->m->span), ACTIO_RESTS, i, 0,
                                        "geometric series of bounces");
    }
    return status || !*any ? status : quiet(c, t, y);
}

/* How those that are open came off, for the guards to come. */
static void let_go(struct actio_contacts *c, double t, const double *y)
{
    for (size_t i = 0; i < c->contacts; i++) {
        if (c->now.closed[i] || !c->touch[i]) continue;
        bool bounces = actio_gap_rate(c, i) > NO_RATE * actio_kinetic_speed(c, i, y + c->n);
        c->off.how[i] = bounces ? ACTIO_LEFT_AFTER_IMPACT : ACTIO_LEFT_AFTER_RELEASE;
        c->off.t[i] = t;
        c->off.rate[i] = actio_gap_rate(c, i);
        c->off.gap[i] = actio_gap_of(c, i)[ACTIO_GAP_VALUE];
    }
}

static int tell_changes(struct actio_contacts *c, double t, size_t stopped)
{
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < c->contacts && !status; i++)
        if (c->now.closed[i] != c->best.closed[i] && !c->rests[i])
            status = actio_contacts_happens(c, t, c->now.closed[i] ? ACTIO_CLOSES : ACTIO_OPENS, i, 0, "");
    for (size_t r = 0; r < c->rubs && !status; r++)
        if (c->now.rub[r] != c->best.rub[r] && c->now.rub[r] != ACTIO_RUB_IDLE) {
            bool sticks = c->now.rub[r] == ACTIO_RUB_STICKS;
            status = actio_contacts_happens(c, t + (sticks && r == stopped ? copysign(c->delay, c->m->span) : 0),
                                            sticks ? ACTIO_STICKS : ACTIO_SLIDES, r, 0, "");
        }
    return status;
}

/* No accelerations will do: the one contact that slides jams. */
static bool jam(struct actio_contacts *c, double t, double *y)
{
    size_t one = c->contacts;
    if (actio_contacts_at(c, t, y)) return false;
    for (size_t i = 0; i < c->contacts; i++) {
        if (!c->touch[i] || !is_rough(c, i)) continue;
        if (one < c->contacts) return false;
        one = i;
    }
    if (one == c->contacts || !actio_contacts_jam(c, one, y + c->n, c->impulse)) return false;
    if (c->jam.contact == c->contacts) {
        c->jam.contact = one;
        c->jam.at = t;
    }
    return actio_contacts_happens(c, t, ACTIO_IMPACT, one, c->impulse[one] * actio_gap_of(c, one)[ACTIO_GAP_SCALE],
                                  "impact without collision: friction jams the contact")
           == ACTIO_FLOW_OK;
}

/* One smooth contact is hit while nothing holds, and nothing else is near: by far the commonest happening, so it goes
 * the short way. Newton's restitution, and the flight goes on. *done false: it is not as simple as that, and nothing
 * was changed. */
int actio_contacts_bounce(struct actio_contacts *c, double t, double *y, size_t hit, bool *done)
{
    struct actio_motion *m = c->m;
    *done = false;
    if (c->busy || hit >= c->contacts || m->sys->walls.rubs || m->sys->levels) return ACTIO_FLOW_OK;
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    if (is_squeezed(c, hit) || is_endless(c, t)) {
        m->halted.why = ACTIO_STOP_IMPACT;
        return ACTIO_FLOW_FAILED;
    }
    const double *g = actio_gap_of(c, hit), *row = g + ACTIO_GAP_HEAD, *answer = actio_contacts_answer(c, hit);
    for (size_t i = 0; i < c->contacts; i++) {
        const double *other = actio_gap_of(c, i);
        if (i != hit && other[ACTIO_GAP_VALUE] <= 1e3 * TOUCHING * other[ACTIO_GAP_SIZE]) return ACTIO_FLOW_OK;
    }
    double e = g[ACTIO_GAP_RESTITUTION], rate = actio_gap_rate(c, hit), mobility = actio_dot(c->n, row, answer),
           fall = fabs(actio_dot(c->n, row, c->point.z0) + g[ACTIO_GAP_BIAS]);
    double after = -e * rate, energy = c->most_energy;
    note_energy(c, y + c->n);
    double slow = 1e3 * NO_RATE * sqrt(c->most_energy * fabs(mobility));
    bool rests = loses_energy(c)
                 && after * after <= 2 * fall * 1e3
                                         * fmax(1e-3 * c->local * fmax(1, g[ACTIO_GAP_SIZE]),
                                                1e4 * DBL_EPSILON * g[ACTIO_GAP_SIZE]);
    if (!(mobility > 0) || !(e > 0 && e <= 1) || !(-rate > slow && after > slow) || rests) {
        c->most_energy = energy;
        return ACTIO_FLOW_OK;
    }
    double impulse = (after - rate) / mobility, back = -g[ACTIO_GAP_VALUE] / mobility;
    for (size_t k = 0; k < c->n; k++) y[k] += back * answer[k];
    for (size_t k = 0; k < c->N; k++) y[c->n + k] += (m->span < 0 ? -impulse : impulse) * answer[k];
    c->gap_noise[hit] = DBL_EPSILON * g[ACTIO_GAP_SIZE];
    c->off.how[hit] = ACTIO_LEFT_AFTER_IMPACT;
    c->off.t[hit] = t;
    c->off.rate[hit] = after;
    status = actio_contacts_happens(c, t, ACTIO_IMPACT, hit, impulse * g[ACTIO_GAP_SCALE], "Newton's restitution");
    *done = true;
    c->off.gap[hit] = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y)[hit];
    return status;
}

/* From the moment when `hit` reached its wall (contacts: none did), or when what held does so no longer, to the stance
 * that follows. */
int actio_contacts_settle(struct actio_contacts *c, double t, double *y, size_t hit)
{
    size_t stopped = c->stopped;
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    note_energy(c, y + c->n);
    if (is_squeezed(c, hit) || is_endless(c, t)) {
        c->m->halted.why = ACTIO_STOP_IMPACT;
        return ACTIO_FLOW_FAILED;
    }
    memset(c->rests, 0, c->contacts * sizeof *c->rests);
    find_touching(c, y, hit);
    watch_storm(c, t);
    status = put_back(c, t, y);
    if (!status) status = strike(c, t, y);
    if (!status && c->storm.calm > 0) status = quiet(c, t, y);
    if (status) return status;
    actio_stance_copy(c, &c->best, &c->now); /* as it was */
    status = actio_contacts_decide(c, t, y);
    if (status && c->m->halted.why == ACTIO_STOP_NO_STANCE && jam(c, t, y)) {
        c->m->halted.why = ACTIO_STOP_NONE;
        status = strike(c, t, y);
        if (!status) status = actio_contacts_decide(c, t, y);
    }
    for (bool again = true; again && !status;) {
        status = come_to_rest(c, t, y, &again);
        if (again && !status) status = actio_contacts_decide(c, t, y);
    }
    if (status) return status;
    for (size_t r = 0; r < c->rubs; r++)
        if (c->now.rub[r] != ACTIO_RUB_SLIDES || c->best.rub[r] != ACTIO_RUB_SLIDES) c->halt[r] = 0;
    actio_contacts_set_busy(c);
    if (c->busy) status = actio_contacts_put_on(c, t, y, 1); /* what sticks has no slip, not even a slow one */
    if (!status) status = actio_contacts_at(c, t, y);
    actio_contacts_note_edges(c, true);
    let_go(c, t, y);
    if (!status) status = tell_changes(c, t, stopped);
    return status ? status : actio_contacts_remember(c, t);
}
