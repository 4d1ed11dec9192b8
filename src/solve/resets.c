/* SPDX-License-Identifier: Apache-2.0
 * Instants: which statements fire, and when. Clocks end a step exactly, and so do passages of events that statements
 * hang on; sides of these, and of those that held values have part in, are kept here. What a round sets is in
 * reset_round.c. */
#include "solve/resets_inside.h"
#include "solve/contacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAME 1e-12    /* of the interval: what is this close to an instant happens at it */
#define SMALL 1e-3    /* of its largest value: an event at zero is at least as near, and not at a pole */
#define ROUNDED 1e-12 /* of its largest value: an event is not known to be off zero by less */
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

int actio_resets_rates(struct actio_motion *m, double t, const double *y)
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
    bool known = actio_resets_rates(m, t, y) == ACTIO_FLOW_OK;
    if (!known) memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
    const double *values = actio_resets_values(m, t, y);
    memcpy(in->rate, start_numbers(in, values) + sys->resets.held, events * sizeof *in->rate);
    memcpy(in->g, actio_motion_quantity(m, ACTIO_Q_GAPS, t, y) + actio_first_event(sys), events * sizeof *in->g);
}

static bool is_at_zero(const struct actio_motion *m, size_t e, double t)
{
    const struct actio_resets *in = m->resets;
    double value = fabs(in->g[e]), moment = fmax(10 * moment_of(m, t), in->together);
    return isfinite(in->rate[e]) && value <= moment * fabs(in->rate[e]) && value <= SMALL * in->of.most[e];
}

/* The side on which an event is, or goes at once; 0: what follows shows it. */
static signed char side_now(const struct actio_motion *m, size_t e, double t)
{
    const struct actio_resets *in = m->resets;
    if (is_at_zero(m, e, t)) return (signed char)sign_of(in->rate[e]);
    return (signed char)(fabs(in->g[e]) <= ROUNDED * in->of.most[e] ? 0 : sign_of(in->g[e]));
}

static bool moves(const struct actio_motion *m, size_t e) { return m->resets->own[e] && !m->sys->resets.still[e]; }

/* After an impact the next step shows them anew, but of what was at zero, or was put there and may stay. */
static void forget_sides(struct actio_motion *m, double t)
{
    struct actio_resets *in = m->resets;
    for (size_t e = 0; e < m->sys->walls.events; e++)
        if (moves(m, e) && !in->at_zero[e] && !in->of.due[e] && side_now(m, e, t)) in->of.side[e] = 0;
}

/* After rounds that moved the state, or values that an event has part in. */
static void take_sides_set(struct actio_motion *m, double t, bool moved)
{
    struct actio_resets *in = m->resets;
    for (size_t e = 0; e < m->sys->walls.events; e++)
        if (moves(m, e) && (moved || m->sys->resets.of_held[e])) in->of.side[e] = side_now(m, e, t);
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

/* Those at zero now, by values and rates at hand. */
static void note_zeros(struct actio_motion *m, double t)
{
    for (size_t e = 0; e < m->sys->walls.events; e++) m->resets->at_zero[e] = moves(m, e) && is_at_zero(m, e, t);
}

/* Events that were at zero and are on their way to their other side, or there. */
static int gather_events(struct actio_motion *m, size_t hit, double t)
{
    struct actio_resets *in = m->resets;
    int status = ACTIO_FLOW_OK;
    for (size_t e = 0; e < m->sys->walls.events && !status; e++) {
        if (e == hit || !in->at_zero[e] || in->of.side[e] == 0 || side_now(m, e, t) != -in->of.side[e]) continue;
        in->of.side[e] = (signed char)-in->of.side[e];
        status = event_happens(m, e, in->of.side[e], t);
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
        if (in->ticked[k]) in->slack = actio_reset_slack(t);
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
    bool stops = false, any = false;
    if (again(m, t)) return chain(m, t);
    memcpy(in->start, y, m->ny * sizeof *y);
    for (size_t round = 0;; round++) {
        memcpy(in->crossed, in->happened, events * sizeof *in->crossed);
        if (!choose(m)) break;
        note_members(m, round == MOST_ROUNDS - LAST_ROUNDS);
        if (round == MOST_ROUNDS) return chain(m, t);
        note_levels(m, false);
        size_t since = m->instants.now.count;
        int status = actio_reset_round(m, t, y, &stops);
        if (status) return status;
        for (size_t i = 0; i < m->sys->resets.statements; i++) in->fired += in->fires[i] && in->changes[i];
        look_at_events(m, t, y);
        status = gather_jumps(m, in->crossed, t);
        if (status) return status;
        gather_impacts(m, since);
        any = true;
    }
    in->slack = 0;
    if (any) take_sides_set(m, t, memcmp(in->start, y, m->ny * sizeof *y) != 0);
    return stops ? ACTIO_FLOW_ENDED : ACTIO_FLOW_OK;
}

/* ---- the flow */

static void instants_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    in->inner.guard(m, t, y, g);
    double *watched = g + in->inner.guards - in->inner.watched;
    for (size_t e = 0; e < in->inner.watched; e++)
        if (m->sys->resets.still[e]) watched[e] = 1; /* nothing moves them between instants */
}

static void instants_lend(void *user, struct actio_sides sides)
{
    struct actio_motion *m = user;
    m->resets->of = sides;
}

/* A switch or a contact crosses, and what that does to the state and to the sides of events. */
static int cross_inside(struct actio_motion *m, size_t k, double t, double *y)
{
    struct actio_resets *in = m->resets;
    size_t since = m->instants.now.count;
    memcpy(in->y, y, m->ny * sizeof *y);
    int status = in->inner.crossed(m, k, t, y);
    if (status) return status;
    bool jumped = memcmp(in->y, y, m->ny * sizeof *y) != 0;
    gather_impacts(m, since);
    look_at_events(m, t, y);
    if (!actio_switches_on_surface(m, t, y)) status = gather_events(m, SIZE_MAX, t); /* else what follows decides */
    if (jumped) forget_sides(m, t);
    return status;
}

/* Does it count what a contact does, and nothing that moves the contact? */
static bool counts_bounces(const struct actio_motion *m, size_t i, size_t contact)
{
    const struct actio_reset_numbers *s = &m->sys->resets;
    const struct actio_reset *one = &s->statement[i];
    bool counts = one->on == ACTIO_ON_CONTACT && one->index == contact && m->resets->changes[i] && !one->stops;
    for (size_t a = one->first; a < one->first + one->count; a++) counts &= s->target[a] >= m->ny;
    return counts;
}

/* Bounces of a contact ran out: an impact that gives something back, and the contact holds. */
static bool series_ends(struct actio_motion *m, size_t since, const struct actio_instant *one)
{
    const struct actio_instant *at = m->instants.now.at;
    if (one->kind != ACTIO_CLOSES) return one->kind == ACTIO_RESTS;
    for (const struct actio_instant *i = at + since; i < one; i++)
        if (i->kind == ACTIO_IMPACT && i->index == one->index)
            return actio_gap_of(m->contacts, one->index)[ACTIO_GAP_RESTITUTION] > 0;
    return false;
}

/* What each of infinitely many bounces sets has no value behind them. */
static int check_series(struct actio_motion *m, size_t since, double t, const double *y)
{
    struct actio_resets *in = m->resets;
    if (m->sys->walls.contacts == 0 || since == m->instants.now.count) return ACTIO_FLOW_OK;
    int status = actio_contacts_at(m->contacts, t, y);
    for (size_t k = since; k < m->instants.now.count && !status; k++) {
        const struct actio_instant *one = &m->instants.now.at[k];
        if (!series_ends(m, since, one)) continue;
        for (size_t i = 0; i < m->sys->resets.statements; i++) {
            if (!counts_bounces(m, i, one->index)) continue;
            in->end = (struct actio_reset_end){
                .fault = ACTIO_RESET_ENDLESS, .t = one->t, .statement = i, .target = one->index
            };
            return actio_reset_fails(m);
        }
    }
    return status;
}

/* A contact or switch, or an event whose side is the one beyond. Impacts are first: what is set at their time reads the
 * values after them. */
static int instants_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_resets *in = m->resets;
    size_t firm = in->inner.guards - in->inner.watched, since = m->instants.now.count;
    int status;
    look_at_events(m, t, y);
    note_zeros(m, t);
    gather_clocks(m, t, in->together);
    if (k < firm) status = cross_inside(m, k, t, y);
    else {
        status = event_happens(m, k - firm, in->of.side[k - firm], t);
        if (!status) status = gather_events(m, k - firm, t);
    }
    if (!status) status = run_rounds(m, t, y);
    return status ? status : check_series(m, since, t, y);
}

static int instants_enter(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    size_t since = m->instants.now.count;
    int status = m->resets->inner.enter ? m->resets->inner.enter(m, t, y) : ACTIO_FLOW_OK;
    if (status) return status;
    look_at_events(m, t, y);
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
    note_zeros(m, t);
    int status = gather_events(m, SIZE_MAX, t);
    gather_clocks(m, t, actio_reset_slack(t));
    return status ? status : run_rounds(m, t, y);
}

struct actio_ode actio_resets_over(struct actio_motion *m, struct actio_ode flow)
{
    struct actio_resets *in = m->resets;
    if (!in || m->sys->resets.statements == 0) return flow;
    in->inner = flow;
    in->together = fabs(m->span) * fmax(SAME, ACTIO_TIME_KNOWN * m->flow.accuracy);
    flow.guard = instants_guard;
    flow.crossed = instants_crossed;
    flow.enter = instants_enter;
    flow.sample = NULL;
    flow.own = (struct actio_own){ in->ends, in->own, instants_lend, in->together };
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
        memcpy(m->here.mode + m->sys->switches.count, in->given ? in->given : start_numbers(in, values),
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
    memset(in->member, 0, s->statements * sizeof *in->member);
    memset(in->changes, 0, s->statements * sizeof *in->changes);
    in->again = in->fired = 0;
    in->slack = 0;
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
        in->ends[e] = hangs_on(s, e);
        in->own[e] = s->of_held[e] || in->ends[e];
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
    } number[] = { { &in->tick, s->clocks },    { &in->period, s->clocks }, { &in->from, s->clocks },
                   { &in->g, events },          { &in->rate, events },      { &in->g_size, events },
                   { &in->y, m->ny },           { &in->old, m->ny },        { &in->value, s->assigns },
                   { &in->before, modes },      { &in->after, modes },      { &in->guard, switches },
                   { &in->residual, 2 * m->p }, { &in->start, m->ny },      { &in->course, 2 * (m->N + contacts) } };
    struct {
        bool **p;
        size_t n;
    } flag[] = { { &in->fires, s->statements },  { &in->member, s->statements }, { &in->ticked, s->clocks },
                 { &in->happened, events },      { &in->crossed, events },       { &in->own, events },
                 { &in->struck, contacts },      { &in->ends, events },          { &in->at_zero, events },
                 { &in->changes, s->statements } };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!(*number[i].p = actio_alloc(m->ctx, number[i].n + 1, sizeof(double)))) return false;
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (!(*flag[i].p = actio_alloc(m->ctx, flag[i].n + 1, sizeof(bool)))) return false;
    in->level = actio_alloc(m->ctx, events + 1, sizeof *in->level);
    in->setter = actio_alloc(m->ctx, targets + 1, sizeof *in->setter);
    return in->level && in->setter;
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
    void *parts[] = { in->tick,   in->period, in->from,     in->g,       in->rate,    in->g_size,   in->y,
                      in->old,    in->value,  in->before,   in->after,   in->guard,   in->residual, in->fires,
                      in->member, in->ticked, in->happened, in->crossed, in->own,     in->struck,   in->level,
                      in->setter, in->start,  in->ends,     in->at_zero, in->changes, in->course };
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
    if (m->resets) m->resets->given = held;
}

void actio_resets_skip(struct actio_motion *m, double t)
{
    for (size_t k = 0; m->resets && k < m->sys->resets.clocks; k++)
        while (tick_time(m->resets, k) <= t + actio_reset_slack(t)) m->resets->tick[k]++;
}

size_t actio_resets_fired(const struct actio_motion *m) { return m->resets ? m->resets->fired : 0; }

bool actio_resets_acts_on(const struct actio_motion *m, size_t event)
{
    return m->resets && m->sys->resets.statements && m->resets->ends[event];
}

struct actio_resets_kept actio_resets_keep(struct actio_motion *m)
{
    struct actio_resets *in = m->resets;
    return in ? (struct actio_resets_kept){ in->tick, in->level, m->sys->resets.clocks, m->sys->walls.events }
              : (struct actio_resets_kept){ 0 };
}

const struct actio_reset_end *actio_resets_end(const struct actio_motion *m)
{
    return m->resets ? &m->resets->end : NULL;
}
