/* SPDX-License-Identifier: Apache-2.0
 * Instants: which statements fire, and when. Clocks end a step exactly; events that statements hang on, or that held
 * values have part in, are guards in front of all others. What a round sets is in reset_round.c. */
#include "solve/resets_inside.h"
#include "solve/contacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAME 1e-12 /* of the interval: what is this close to an instant happens at it */
enum { MOST_ROUNDS = 1000, LAST_ROUNDS = 100, MOST_AGAIN = 900 };

double actio_reset_slack(double t) { return 8 * DBL_EPSILON * fabs(t); }

static double moment_of(const struct actio_motion *m, double t) { return SAME * fmax(fabs(t), fabs(m->span)); }

/* ---- numbers of the statements */

const double *actio_resets_values(struct actio_motion *m, double t, const double *y)
{
    return actio_motion_quantity(m, ACTIO_Q_RESETS, t, y);
}

static const double *clock_numbers(const struct actio_resets *in, const double *values)
{
    return values + in->sys->resets.assigns;
}
static const double *start_numbers(const struct actio_resets *in, const double *values)
{
    return clock_numbers(in, values) + 2 * in->sys->resets.clocks;
}

/* Accelerations and rates of states at a point, into the motion's buffers. */
static int find_rates(struct actio_motion *m, double t, const double *y)
{
    struct actio_contacts *c = m->contacts;
    if (actio_contacts_hard(m) && c->busy) {
        int status = actio_contacts_at(c, t, y);
        if (!status && actio_contacts_solve(c, &c->now)) status = ACTIO_FLOW_SINGULAR;
        if (!status) memcpy(m->here.zdot, c->found.zdot, m->N * sizeof *m->here.zdot);
        return status;
    }
    return m->obeys.law ? m->obeys.law->solve(m, t, y) : actio_motion_solve(m, t, y);
}

/* ---- sides of events */

static int sign_of(double x) { return (x > 0) - (x < 0); }

/* Values of all events, and their rates, at a point. */
static void look_at_events(struct actio_motion *m, double t, const double *y)
{
    struct actio_resets *in = m->resets;
    const struct actio_system *sys = m->sys;
    size_t events = sys->walls.events;
    if (events == 0) return;
    bool known = find_rates(m, t, y) == ACTIO_FLOW_OK;
    if (!known) memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
    const double *values = actio_resets_values(m, t, y);
    memcpy(in->rate, start_numbers(in, values) + sys->resets.held, events * sizeof *in->rate);
    memcpy(in->g, actio_motion_quantity(m, ACTIO_Q_GAPS, t, y) + actio_first_event(sys), events * sizeof *in->g);
}

static bool is_at_zero(const struct actio_motion *m, size_t e, double t)
{
    const struct actio_resets *in = m->resets;
    return fabs(in->g[e]) <= 10 * moment_of(m, t) * fabs(in->rate[e]);
}

/* The side on which an event is, or goes at once. */
static signed char side_now(const struct actio_motion *m, size_t e, double t)
{
    const struct actio_resets *in = m->resets;
    return (signed char)(is_at_zero(m, e, t) ? sign_of(in->rate[e]) : sign_of(in->g[e]));
}

/* Of values and rates at hand. */
static void take_sides(struct actio_motion *m, double t)
{
    struct actio_resets *in = m->resets;
    for (size_t i = 0; i < in->guards; i++) in->side[i] = side_now(m, in->event[i], t);
}

/* ---- which statements fire */

static bool counts(const struct actio_motion *m, size_t e, int way)
{
    int wanted = m->sys->resets.way[e];
    return wanted == 0 || wanted == way;
}

static int event_happens(struct actio_motion *m, size_t e, int way, double t)
{
    struct actio_resets *in = m->resets;
    if (!counts(m, e, way)) return ACTIO_FLOW_OK;
    in->happened[e] = true;
    return actio_contacts_happens(m->contacts, t, ACTIO_PASSES, e, 0, "");
}

/* Guards that cross at this time: `hit`, which has been located, and those that are at zero and on their way. */
static int gather_events(struct actio_motion *m, size_t hit, double t)
{
    struct actio_resets *in = m->resets;
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < in->guards && !status; i++) {
        size_t e = in->event[i];
        int way = sign_of(in->rate[e]);
        if (i != hit && !(is_at_zero(m, e, t) && in->side[i] && way == -in->side[i])) continue;
        if (way == 0) way = -in->side[i];
        status = event_happens(m, e, way, t);
    }
    return status;
}

static double tick_time(const struct actio_resets *in, size_t k) { return in->from[k] + in->tick[k] * in->period[k]; }

/* Clocks that are due, and on to their next time. */
static void gather_clocks(struct actio_motion *m, double t, double slack)
{
    struct actio_resets *in = m->resets;
    for (size_t k = 0; k < m->sys->resets.clocks; k++) {
        in->ticked[k] = tick_time(in, k) <= t + slack;
        while (tick_time(in, k) <= t + slack) in->tick[k]++;
    }
}

/* Contacts that were hit since the list had this length. */
static void gather_impacts(struct actio_motion *m, size_t since)
{
    const struct actio_instant_list *l = &m->instants.now;
    for (size_t i = since; i < l->count; i++)
        if (l->at[i].kind == ACTIO_IMPACT) m->resets->struck[l->at[i].index] = true;
}

/* Statements that fire, from what happened; that is then forgotten. */
static bool choose(struct actio_motion *m)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    bool any = false;
    for (size_t i = 0; i < s->statements; i++) {
        const bool *by[] = {
            [ACTIO_ON_EVENT] = in->happened, [ACTIO_ON_CONTACT] = in->struck, [ACTIO_ON_CLOCK] = in->ticked
        };
        in->fires[i] = by[s->statement[i].on][s->statement[i].index];
        any |= in->fires[i];
    }
    memset(in->happened, 0, m->sys->walls.events * sizeof *in->happened);
    memset(in->struck, 0, m->sys->walls.contacts * sizeof *in->struck);
    memset(in->ticked, 0, s->clocks * sizeof *in->ticked);
    return any;
}

/* Events that held values have part in: what a round has made 0, or brought to the other side. */
static int gather_jumps(struct actio_motion *m, const bool *crossed, double t)
{
    struct actio_resets *in = m->resets;
    int status = ACTIO_FLOW_OK;
    for (size_t e = 0; e < m->sys->walls.events && !status; e++) {
        bool passing = crossed[e] && !m->sys->resets.still[e];
        int before = passing ? 0 : in->level[e], after = sign_of(in->g[e]);
        if (!m->sys->resets.of_held[e]) continue;
        if (fabs(in->g[e]) <= 1e-12 * in->g_size[e]) after = 0;
        in->level[e] = (signed char)after;
        if (before && after != before) status = event_happens(m, e, -before, t);
    }
    return status;
}

/* ---- rounds */

static int chain(struct actio_motion *m, double t)
{
    struct actio_resets *in = m->resets;
    in->end = (struct actio_reset_end){ .fault = ACTIO_RESET_CHAINS, .t = t, .members = in->member };
    return actio_reset_fails(m);
}

/* Many instants at one time, one after the other, as where what is set stands on the event itself. */
static bool again(struct actio_motion *m, double t)
{
    struct actio_resets *in = m->resets;
    if (fabs(t - in->again_from) > moment_of(m, t)) {
        in->again_from = t;
        in->again = 0;
        memset(in->member, 0, m->sys->resets.statements * sizeof *in->member);
    }
    return ++in->again > MOST_AGAIN;
}

static void note_members(struct actio_motion *m, bool anew)
{
    struct actio_resets *in = m->resets;
    for (size_t i = 0; i < m->sys->resets.statements; i++) in->member[i] = in->fires[i] || (in->member[i] && !anew);
}

/* Values of events before a round: they tell what is rounding after it. What only held values move keeps its sign from
 * round to round, so that a rounding error beside 0 is not a side. */
static void note_levels(struct actio_motion *m, bool all)
{
    struct actio_resets *in = m->resets;
    for (size_t e = 0; e < m->sys->walls.events; e++) {
        in->g_size[e] = fmax(in->g_size[e], fabs(in->g[e]));
        if (all || !m->sys->resets.still[e]) in->level[e] = (signed char)sign_of(in->g[e]);
    }
}

/* From what is gathered, round after round. The motion may end: ACTIO_FLOW_ENDED. */
static int run_rounds(struct actio_motion *m, double t, double *y)
{
    struct actio_resets *in = m->resets;
    size_t events = m->sys->walls.events;
    bool stops = false;
    if (again(m, t)) return chain(m, t);
    for (size_t round = 0;; round++) {
        memcpy(in->crossed, in->happened, events * sizeof *in->crossed);
        if (!choose(m)) break;
        note_members(m, round == MOST_ROUNDS - LAST_ROUNDS);
        if (round == MOST_ROUNDS) return chain(m, t);
        note_levels(m, false);
        size_t since = m->instants.now.count;
        int status = actio_reset_round(m, t, y, &stops);
        if (status) return status;
        look_at_events(m, t, y);
        status = gather_jumps(m, in->crossed, t);
        if (status) return status;
        gather_impacts(m, since);
        in->rounds++;
    }
    take_sides(m, t);
    return stops ? ACTIO_FLOW_ENDED : ACTIO_FLOW_OK;
}

/* ---- the flow */

static void instants_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    in->inner.guard(m, t, y, g + in->guards);
    if (m->sys->walls.events == 0) return;
    const double *value = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y) + actio_first_event(m->sys);
    for (size_t i = 0; i < in->guards; i++) g[i] = value[in->event[i]];
    /* not looked at twice, nor where nothing moves them */
    double *watched = g + in->guards + in->inner.guards - in->inner.watched;
    for (size_t e = 0; e < in->inner.watched; e++)
        if (in->own[e]) watched[e] = 1;
}

static int instants_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    if (k < in->guards) return in->side[k];
    return in->inner.side ? in->inner.side(m, k - in->guards) : 0;
}

/* Something else happened: a state that jumped is seen anew. */
static int follow_up(struct actio_motion *m, size_t since, double t, double *y)
{
    struct actio_resets *in = m->resets;
    bool jumped = memcmp(in->y, y, m->ny * sizeof *y) != 0;
    gather_impacts(m, since);
    if (jumped) look_at_events(m, t, y);
    if (jumped) take_sides(m, t);
    return run_rounds(m, t, y);
}

static int instants_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    size_t since = m->instants.now.count;
    memcpy(in->y, y, m->ny * sizeof *y);
    look_at_events(m, t, y);
    int status = gather_events(m, k, t);
    if (status) return status;
    gather_clocks(m, t, moment_of(m, t));
    if (k >= in->guards) {
        status = in->inner.crossed(m, k - in->guards, t, y);
        return status ? status : follow_up(m, since, t, y);
    }
    size_t rounds = in->rounds;
    signed char beyond = (signed char)(in->side[k] ? -in->side[k] : sign_of(in->rate[in->event[k]]));
    status = run_rounds(m, t, y);
    if (rounds == in->rounds) in->side[k] = beyond; /* it is past zero, whatever rounding says */
    return status;
}

static int instants_passed(void *user, size_t k, double t, const double *y)
{
    struct actio_motion *m = user;
    return m->resets->inner.passed(m, k - m->resets->guards, t, y);
}

static int instants_touched(void *user, size_t k, double t, const double *y)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    return k < in->guards ? ACTIO_FLOW_OK : in->inner.touched(m, k - in->guards, t, y);
}

static int instants_enter(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    size_t since = m->instants.now.count;
    int status = in->inner.enter ? in->inner.enter(m, t, y) : ACTIO_FLOW_OK;
    if (status) return status;
    look_at_events(m, t, y);
    take_sides(m, t);
    note_levels(m, true);
    gather_impacts(m, since);
    gather_clocks(m, t, actio_reset_slack(t));
    return run_rounds(m, t, y);
}

static double instants_next(void *user)
{
    const struct actio_motion *m = user;
    double next = HUGE_VAL;
    for (size_t k = 0; k < m->sys->resets.clocks; k++) next = fmin(next, tick_time(m->resets, k));
    return next;
}

/* No guard shows what happens by the clock. */
static void meet_clock(struct actio_motion *m, double t, const double *y)
{
    struct actio_instants *l = &m->instants;
    l->meeting = (struct actio_meeting){ .guard = SIZE_MAX, .t = t, .rate = NAN, .bend = NAN };
    l->by = (struct actio_instant_weights){ 0 };
    l->from = l->now.count;
    l->change = m->history.changes;
    l->energy = actio_instants_energy(m, t, y);
    l->open = true;
}

static int instants_tick(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    if (m->flow.list.leave) meet_clock(m, t, y);
    look_at_events(m, t, y);
    int status = gather_events(m, SIZE_MAX, t);
    gather_clocks(m, t, actio_reset_slack(t));
    m->resets->slack = actio_reset_slack(t);
    if (!status) status = run_rounds(m, t, y);
    m->resets->slack = 0;
    return status;
}

/* ---- the list of instants, whose guards are those of the inner flow: there each event is looked at, too */

static size_t inner_guard(const struct actio_resets *in, size_t k)
{
    return k < in->guards ? in->inner.guards - in->inner.watched + in->event[k] : k - in->guards;
}

static void resets_meet(void *user, const struct actio_meeting *what)
{
    struct actio_motion *m = user;
    struct actio_meeting inner = *what;
    inner.guard = inner_guard(m->resets, what->guard);
    m->resets->inner.list.meet(m, &inner);
    if (what->guard < m->resets->guards) m->instants.energy = actio_instants_energy(m, what->t, what->y);
}

static bool resets_may_near(void *user, size_t k)
{
    struct actio_motion *m = user;
    return m->resets->inner.list.may_near(m, inner_guard(m->resets, k));
}

static void resets_nears(void *user, const struct actio_meeting *what)
{
    struct actio_motion *m = user;
    struct actio_meeting inner = *what;
    inner.guard = inner_guard(m->resets, what->guard);
    m->resets->inner.list.nears(m, &inner);
}

struct actio_ode actio_resets_over(struct actio_motion *m, struct actio_ode flow)
{
    struct actio_resets *in = m->resets;
    if (!in || m->sys->resets.statements == 0) return flow;
    in->inner = flow;
    flow.guards += in->guards;
    flow.guard = instants_guard;
    flow.side = instants_side;
    flow.crossed = instants_crossed;
    flow.enter = instants_enter;
    flow.sample = NULL;
    if (flow.passed) flow.passed = instants_passed;
    if (flow.list.meet) flow.list.meet = resets_meet;
    if (flow.list.may_near) flow.list.may_near = resets_may_near;
    if (flow.list.nears) flow.list.nears = resets_nears;
    if (flow.touched) flow.touched = instants_touched;
    if (m->sys->resets.clocks) {
        flow.clock.next = instants_next;
        flow.clock.tick = instants_tick;
    }
    return flow;
}

/* ---- a motion's life */

/* k such that T0 + k T is the first time that is not before t; clocks begin with k = 0. */
static double first_tick(double from, double period, double t)
{
    double k = fmax(0, floor((t - from) / period) - 1);
    while (from + k * period < t - actio_reset_slack(t)) k++;
    return k;
}

void actio_resets_begin(struct actio_motion *m, double t)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    if (!in) return;
    memset(in->y, 0, m->ny * sizeof *in->y);
    const double *values = actio_resets_values(m, t, in->y), *clock = clock_numbers(in, values);
    if (s->held)
        memcpy(m->here.mode + m->sys->switches.count, in->start ? in->start : start_numbers(in, values),
               s->held * sizeof *m->here.mode);
    for (size_t k = 0; k < s->clocks; k++) {
        in->period[k] = clock[2 * k];
        in->from[k] = s->has_from[k] ? clock[2 * k + 1] : s->from;
        in->tick[k] = first_tick(in->from[k], in->period[k], t);
    }
    size_t events = m->sys->walls.events;
    memset(in->happened, 0, events * sizeof *in->happened);
    memset(in->struck, 0, m->sys->walls.contacts * sizeof *in->struck);
    memset(in->g_size, 0, events * sizeof *in->g_size);
    memset(in->side, 0, in->guards);
    memset(in->member, 0, s->statements * sizeof *in->member);
    in->again = in->rounds = 0;
    in->again_from = t;
    in->end = (struct actio_reset_end){ .fault = ACTIO_RESET_FINE };
}

static bool hangs_on(const struct actio_reset_numbers *s, size_t e)
{
    for (size_t i = 0; i < s->statements; i++)
        if (s->statement[i].on == ACTIO_ON_EVENT && s->statement[i].index == e) return true;
    return false;
}

static void own_events(struct actio_motion *m)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    for (size_t e = 0; e < m->sys->walls.events; e++) {
        in->own[e] = s->of_held[e] || hangs_on(s, e);
        if (in->own[e] && !s->still[e]) in->event[in->guards++] = (uint32_t)e;
    }
}

static bool take_memory(struct actio_motion *m, struct actio_resets *in)
{
    const struct actio_reset_numbers *s = &m->sys->resets;
    size_t events = m->sys->walls.events, contacts = m->sys->walls.contacts, modes = actio_system_modes(m->sys),
           targets = m->ny + s->held, switches = m->sys->switches.count;
    struct {
        double **p;
        size_t n;
    } number[] = { { &in->tick, s->clocks },   { &in->period, s->clocks }, { &in->from, s->clocks },
                   { &in->g, events },         { &in->rate, events },      { &in->g_size, events },
                   { &in->y, m->ny },          { &in->old, m->ny },        { &in->value, s->assigns },
                   { &in->before, modes },     { &in->after, modes },      { &in->guard, switches },
                   { &in->residual, 2 * m->p } };
    struct {
        bool **p;
        size_t n;
    } flag[] = { { &in->fires, s->statements }, { &in->member, s->statements }, { &in->ticked, s->clocks },
                 { &in->happened, events },     { &in->crossed, events },       { &in->own, events },
                 { &in->struck, contacts } };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!(*number[i].p = actio_alloc(m->ctx, number[i].n + 1, sizeof(double)))) return false;
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (!(*flag[i].p = actio_alloc(m->ctx, flag[i].n + 1, sizeof(bool)))) return false;
    in->event = actio_alloc(m->ctx, events + 1, sizeof *in->event);
    in->side = actio_alloc(m->ctx, 2 * events + 2, sizeof *in->side);
    in->setter = actio_alloc(m->ctx, targets + 1, sizeof *in->setter);
    in->level = in->side ? in->side + events + 1 : NULL;
    return in->event && in->side && in->setter;
}

int actio_resets_open(struct actio_motion *m)
{
    if (m->sys->resets.statements + m->sys->resets.held == 0) return 0;
    struct actio_resets *in = actio_alloc(m->ctx, 1, sizeof *in);
    m->resets = in;
    if (in) in->sys = m->sys;
    if (!in || !take_memory(m, in)) {
        actio_report(m->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(m->ctx->bytes_limit)));
        return 1;
    }
    if (actio_motion_need(m, ACTIO_Q_RESETS)) return 1;
    own_events(m);
    actio_resets_begin(m, m->sys->resets.from);
    return 0;
}

void actio_resets_close(struct actio_motion *m)
{
    struct actio_resets *in = m->resets;
    if (!in) return;
    void *parts[] = { in->tick,     in->period, in->from,   in->g,      in->rate,     in->g_size,
                      in->y,        in->old,    in->value,  in->before, in->after,    in->guard,
                      in->residual, in->fires,  in->member, in->ticked, in->happened, in->crossed,
                      in->own,      in->struck, in->event,  in->side,   in->setter };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(m->ctx, parts[i]);
    actio_free(m->ctx, in);
    m->resets = NULL;
}

void actio_resets_attend(struct actio_motion *m, struct actio_reset_witness who)
{
    if (m->resets) m->resets->witness = who;
}

void actio_resets_start(struct actio_motion *m, const double *held)
{
    if (m->resets) m->resets->start = held;
}

void actio_resets_skip(struct actio_motion *m, double t)
{
    for (size_t k = 0; m->resets && k < m->sys->resets.clocks; k++)
        while (tick_time(m->resets, k) <= t + actio_reset_slack(t)) m->resets->tick[k]++;
}

size_t actio_resets_rounds(const struct actio_motion *m) { return m->resets ? m->resets->rounds : 0; }

struct actio_resets_kept actio_resets_keep(struct actio_motion *m)
{
    struct actio_resets *in = m->resets;
    return in ? (struct actio_resets_kept){ in->tick,   in->side,
                                            in->level,  m->sys->resets.clocks,
                                            in->guards, m->sys->walls.events }
              : (struct actio_resets_kept){ 0 };
}

const struct actio_reset_end *actio_resets_end(const struct actio_motion *m)
{
    return m->resets ? &m->resets->end : NULL;
}
