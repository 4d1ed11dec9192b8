/* SPDX-License-Identifier: Apache-2.0
 * One round of an instant: right sides are values before it; positions and states are set first, then held values, a
 * change of which in the Lagrangian, rows or gaps acts like a switch in time, then velocities. Those that break a
 * constraint are brought onto it by its ideal impulse. */
#include "solve/resets_inside.h"
#include "solve/contacts.h"
#include "solve/corner.h"

#include <math.h>
#include <string.h>

#define BREAKS 1e-10   /* of the size of its terms: a constraint that is off by more is broken, as by start data */
#define NO_CHANGE 1e-5 /* of a value */
#define ROUNDED 1e-13  /* of positions, and of what they cover on the way: their rounding */
#define PUSHED 1e-12   /* of the size of its terms: a velocity row that is off by more takes an impulse */

int actio_reset_fails(struct actio_motion *m)
{
    m->halted.why = ACTIO_STOP_INSTANT;
    return ACTIO_FLOW_FAILED;
}

static double *held_of(const struct actio_motion *m) { return m->here.mode + m->sys->switches.count; }

static int call_witness(struct actio_motion *m, enum actio_reset_stage stage, double t, const double *y)
{
    const struct actio_reset_witness *who = &m->resets->witness;
    return who->follow ? who->follow(who->user, stage, t, y) : ACTIO_FLOW_OK;
}

/* ---- what is set */

static int differs(struct actio_motion *m, size_t statement, size_t assign, size_t other, double t)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    size_t first = 0;
    while (!(other >= s->statement[first].first && other < s->statement[first].first + s->statement[first].count))
        first++;
    in->end = (struct actio_reset_end){ .fault = ACTIO_RESET_DIFFERS,
                                        .t = t,
                                        .x = { in->value[other], in->value[assign] },
                                        .statement = first,
                                        .other = statement,
                                        .target = assign };
    return actio_reset_fails(m);
}

/* What is set is another value than before; by so little it is not what makes an endless series different. */
static bool is_another(const struct actio_motion *m, size_t target, double value, const double *y)
{
    double now = target < m->ny ? y[target] : held_of(m)[target - m->ny];
    return fabs(value - now) > NO_CHANGE * fmax(fabs(now), fabs(value));
}

/* Who sets what, and that two who set one thing agree. */
static int collect(struct actio_motion *m, double t, const double *y)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    memset(in->setter, 0, (m->ny + s->held) * sizeof *in->setter);
    for (size_t i = 0; i < s->statements; i++) {
        const struct actio_reset *one = &s->statement[i];
        if (in->fires[i]) in->changes[i] = one->stops;
        for (size_t a = one->first; in->fires[i] && a < one->first + one->count; a++) {
            uint32_t *setter = &in->setter[s->target[a]];
            if (!isfinite(in->value[a])) {
                in->end =
                    (struct actio_reset_end){ .fault = ACTIO_RESET_NO_NUMBER, .t = t, .statement = i, .target = a };
                return actio_reset_fails(m);
            }
            if (*setter && in->value[*setter - 1] != in->value[a]) return differs(m, i, a, *setter - 1, t);
            *setter = (uint32_t)a + 1;
            in->changes[i] |= is_another(m, s->target[a], in->value[a], y);
        }
    }
    return ACTIO_FLOW_OK;
}

/* Targets from `first` to `end` get their values; *changed: one of them is another than before. */
static void set_between(const struct actio_resets *in, size_t first, size_t end, double *to, bool *changed)
{
    for (size_t i = first; i < end; i++) {
        if (!in->setter[i]) continue;
        double x = in->value[in->setter[i] - 1];
        *changed |= to[i - first] != x;
        to[i - first] = x;
    }
}

/* ---- what follows from it */

static size_t first_fired(const struct actio_motion *m)
{
    size_t i = 0;
    while (i + 1 < m->sys->resets.statements && !m->resets->fires[i]) i++;
    return i;
}

static int breaks(struct actio_motion *m, enum actio_reset_fault fault, size_t what, double by, double t)
{
    m->resets->end =
        (struct actio_reset_end){ .fault = fault, .t = t, .by = by, .statement = first_fired(m), .target = what };
    return actio_reset_fails(m);
}

/* What rounding of the state, and of what it covers on the way to an instant, makes of each row's value. */
static void find_rounding(struct actio_motion *m, double t, const double *y, double *by_row)
{
    const struct actio_system *sys = m->sys;
    const double *values = actio_motion_values(m, t, y);
    memset(by_row, 0, m->p * sizeof *by_row);
    for (size_t e = 0; values && e < sys->A.count; e++) {
        size_t col = sys->A.col[e];
        if (col < m->n)
            by_row[sys->A.row[e]] +=
                ROUNDED * fabs(values[sys->G.count + e]) * fmax(fabs(y[col]), fabs(m->span * y[m->n + col]));
    }
}

/* Positions on the constraints, and before the walls. */
static int check_positions(struct actio_motion *m, double t, const double *y)
{
    const struct actio_system *sys = m->sys;
    size_t rows = sys->holonomic + sys->levels;
    double *rounding = m->resets->residual;
    if (sys->holonomic) find_rounding(m, t, y, rounding);
    const double *f = sys->holonomic ? actio_motion_levels(m, t, y) : NULL;
    for (size_t i = 0; i < sys->holonomic; i++)
        if (!(fabs(f[i]) <= BREAKS * f[rows + i] + rounding[sys->position_row[i]]))
            return breaks(m, ACTIO_RESET_BREAKS_ROW, sys->position_row[i], f[i], t);
    double depth;
    size_t wall = sys->walls.contacts ? actio_contacts_beyond(m, t, y, &depth) : sys->walls.contacts;
    return wall < sys->walls.contacts ? breaks(m, ACTIO_RESET_BREAKS_WALL, wall, -depth, t) : ACTIO_FLOW_OK;
}

/* Velocities that break a constraint: its impulse is listed. */
static int push_velocities(struct actio_motion *m, double t, double *y)
{
    const struct actio_system *sys = m->sys;
    struct actio_resets *in = m->resets;
    if (sys->levels == 0) return ACTIO_FLOW_OK;
    const double *f = actio_motion_levels(m, t, y), *phi = f + sys->holonomic,
                 *size = phi + sys->levels + sys->holonomic;
    int status = ACTIO_FLOW_OK;
    for (size_t r = 0; r < sys->levels && !status; r++)
        if (fabs(phi[r]) > PUSHED * size[r])
            status = actio_contacts_happens(m->contacts, t, ACTIO_PUSHES, sys->velocity_row[r], 0, "ideal impulse");
    if (status) return status;
    bool good = actio_motion_project(m, t, y) == ACTIO_FLOW_OK;
    if (good) f = actio_motion_levels(m, t, y);
    for (size_t r = 0; r < sys->levels && good; r++)
        good = fabs(f[sys->holonomic + r]) <= 1e-9 * f[2 * sys->holonomic + sys->levels + r] + 1e-12;
    if (good) return ACTIO_FLOW_OK;
    in->end = (struct actio_reset_end){ .fault = ACTIO_RESET_IS_STUCK, .t = t, .statement = first_fired(m) };
    return actio_reset_fails(m);
}

/* Held values change: momenta across it, where L or a row has them. */
static int set_held(struct actio_motion *m, double t, double *y)
{
    struct actio_resets *in = m->resets;
    size_t modes = actio_system_modes(m->sys);
    bool changed = false;
    memcpy(in->before, m->here.mode, modes * sizeof *in->before);
    actio_switches_note(m, t, y, in->guard);
    set_between(in, m->ny, m->ny + m->sys->resets.held, held_of(m), &changed);
    if (!changed) return ACTIO_FLOW_OK;
    int status = actio_switches_reread(m, t, y, in->guard);
    memcpy(in->after, m->here.mode, modes * sizeof *in->after);
    if (!status) status = call_witness(m, ACTIO_RESET_JUMPS, t, y);
    return status ? status : actio_corner_jump(m, t, y, in->before, in->after);
}

static int set_all(struct actio_motion *m, double t, double *y, bool *moved)
{
    struct actio_resets *in = m->resets;
    bool turned = false;
    actio_switches_note(m, t, y, in->guard);
    set_between(in, 0, m->n, y, moved);
    set_between(in, 2 * m->n, m->ny, y + 2 * m->n, moved);
    int status = *moved ? actio_switches_reread(m, t, y, in->guard) : ACTIO_FLOW_OK;
    if (!status) status = set_held(m, t, y);
    if (status) return status;
    actio_switches_note(m, t, y, in->guard);
    set_between(in, m->n, 2 * m->n, y + m->n, &turned);
    status = check_positions(m, t, y);
    if (!status) status = call_witness(m, ACTIO_RESET_TURNS, t, y);
    if (!status) status = push_velocities(m, t, y);
    return status ? status : actio_switches_reread(m, t, y, in->guard);
}

static int list_statements(struct actio_motion *m, double t)
{
    const struct actio_reset_numbers *s = &m->sys->resets;
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < s->statements && !status; i++)
        if (m->resets->fires[i]) status = actio_contacts_happens(m->contacts, t, ACTIO_SETS, i, 0, "");
    return status;
}

/* What contacts go by: accelerations and gaps. Counters change none of them, and what bounces goes on as it did. */
static void note_course(struct actio_motion *m, double t, const double *y, double *course)
{
    size_t N = m->N, contacts = m->sys->walls.contacts;
    if (actio_resets_rates(m, t, y)) memset(m->here.zdot, 0, N * sizeof *course);
    memcpy(course, m->here.zdot, N * sizeof *course);
    if (contacts) memcpy(course + N, actio_motion_quantity(m, ACTIO_Q_GAPS, t, y), contacts * sizeof *course);
}

static bool is_same_course(struct actio_motion *m, double t, const double *y)
{
    struct actio_resets *in = m->resets;
    size_t length = m->N + m->sys->walls.contacts;
    if (memcmp(in->old, y, m->ny * sizeof *y) != 0) return false;
    note_course(m, t, y, in->course + length);
    return memcmp(in->course, in->course + length, length * sizeof *in->course) == 0;
}

int actio_reset_round(struct actio_motion *m, double t, double *y, bool *stops)
{
    struct actio_resets *in = m->resets;
    const struct actio_reset_numbers *s = &m->sys->resets;
    bool moved = false, hard = actio_contacts_hard(m);
    memcpy(in->old, y, m->ny * sizeof *y);
    if (hard) note_course(m, t, y, in->course);
    memcpy(in->value, actio_resets_values(m, t, y), s->assigns * sizeof *in->value);
    for (size_t i = 0; i < s->statements; i++) *stops |= in->fires[i] && s->statement[i].stops;
    int status = collect(m, t, y);
    if (!status) status = call_witness(m, ACTIO_RESET_READS, t, y);
    if (!status) status = list_statements(m, t);
    if (!status) status = set_all(m, t, y, &moved);
    if (!status && hard && !is_same_course(m, t, y)) status = actio_contacts_set(m->contacts, t, y, moved);
    if (status) return status;
    actio_motion_watch(m, t, y);
    return actio_system_modes(m->sys) ? actio_modes_remember(m, t - in->slack) : ACTIO_FLOW_OK;
}
