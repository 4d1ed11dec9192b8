/* SPDX-License-Identifier: Apache-2.0
 * Derivatives across instants: on the formulas of what statements set, and by differences of high order where
 * velocities are brought onto constraints or jump at a switch. */
#include "solve/saltation.h"
#include "algebra/dense.h"
#include "solve/contacts.h"
#include "solve/corner.h"
#include "solve/law.h"
#include "solve/resets_inside.h"

#include <math.h>
#include <string.h>

#define GRAZES 1e-9   /* of the size of its terms: a surface that is reached more slowly is only touched */
#define ONE_TIME 1e-8 /* two surfaces at one instant: neighbours reach both at one time, but for rounding */
#define STEP 2e-3     /* of the state, in differences of order 8 */
enum { SIDES = 4, MOST_SHRINKS = 3 };

/* f: rates; tau: times of arrival, by direction; H: directions of held values; row: what targets get, by direction;
 * from, to, sum: states; mode, rests: of switches; bounced: the state behind a bounce. */
struct actio_saltation {
    double *f, *tau, *H, *row, *from, *to, *sum, *param, *mode, *bounced;
    bool *rests;
    bool *matters, *moves;  /* by held value: the motion depends on it; the rates do */
    bool checked;           /* statements follow: what is before them was checked */
    bool met, any, bounces; /* neighbours stand on the surface; a time is known; a contact was hit */
    size_t guard;           /* what has been met */
};

/* ---- rows of RESETS_Y along directions */

static const double *rows_of(struct actio_tangent *x, double t, const double *y)
{
    return actio_motion_quantity(x->m, ACTIO_Q_RESETS_Y, t, y);
}

static size_t clock_row(const struct actio_reset_numbers *s, size_t k) { return s->assigns + 2 * k; }
static size_t gap_row(const struct actio_reset_numbers *s, size_t i) { return s->assigns + 2 * s->clocks + i; }
static size_t event_row(const struct actio_system *sys, size_t e)
{
    return gap_row(&sys->resets, sys->walls.contacts + e);
}

/* Row r along direction c, with the time moved by `late`. */
static double along(const struct actio_tangent *x, const double *J, size_t r, size_t c, double late)
{
    const struct actio_places *at = &x->m->sys->jets.resets_y;
    const double *X = x->seen + x->ny;
    double sum = x->by_param && c + 1 == x->columns ? J[at->count + r] : 0;
    for (size_t e = 0; e < at->count; e++) {
        size_t col = at->col[e];
        if (at->row[e] != r) continue;
        sum += J[e]
               * (col < x->ny    ? X[col * x->columns + c]
                  : col == x->ny ? late
                                 : x->across->H[(col - x->ny - 1) * x->columns + c]);
    }
    return sum;
}

/* How fast row r moves in the motion; false: it grazes. */
static bool rate_of_row(const struct actio_tangent *x, const double *J, size_t r, double *rate)
{
    const struct actio_places *at = &x->m->sys->jets.resets_y;
    double size = 0;
    *rate = 0;
    for (size_t e = 0; e < at->count; e++) {
        if (at->row[e] != r || at->col[e] > x->ny) continue;
        double part = J[e] * (at->col[e] < x->ny ? x->across->f[at->col[e]] : 1);
        *rate += part;
        size += fabs(part);
    }
    return fabs(*rate) > GRAZES * size;
}

/* ---- when neighbours arrive */

static int saltation_fails(struct actio_tangent *x, int why, size_t by)
{
    x->m->halted.why = why;
    x->m->halted.by = by;
    return ACTIO_FLOW_FAILED;
}

/* A time of arrival by direction; another one at this instant must be the same. */
static int take_time(struct actio_tangent *x, size_t c, double tau, double size)
{
    struct actio_saltation *s = x->across;
    if (s->any && !(fabs(s->tau[c] - tau) <= ONE_TIME * size)) return saltation_fails(x, ACTIO_STOP_TWO_SURFACES, 0);
    s->tau[c] = tau;
    return ACTIO_FLOW_OK;
}

/* Sizes of the times that are compared. */
static double largest_time(const struct actio_tangent *x)
{
    double most = 0;
    for (size_t c = 0; c < x->columns; c++) most = fmax(most, fabs(x->across->tau[c]));
    return most;
}

/* Row r passes 0: a gap, or the function of an event. */
static int time_of_row(struct actio_tangent *x, const double *J, size_t r)
{
    double rate, size = largest_time(x);
    int status = ACTIO_FLOW_OK;
    if (!rate_of_row(x, J, r, &rate)) return saltation_fails(x, ACTIO_STOP_GRAZES, r - gap_row(&x->m->sys->resets, 0));
    for (size_t c = 0; c < x->columns && !status; c++) {
        double tau = -along(x, J, r, c, 0) / rate;
        status = take_time(x, c, tau, fmax(size, fabs(tau)));
    }
    x->across->any = true;
    return status;
}

/* T0 + k T moves with the params only. */
static int time_of_clock(struct actio_tangent *x, const double *J, size_t k)
{
    const struct actio_reset_numbers *s = &x->m->sys->resets;
    size_t r = clock_row(s, k);
    double ticks = x->m->resets->tick[k] - 1, size = largest_time(x);
    int status = ACTIO_FLOW_OK;
    for (size_t c = 0; c < x->columns && !status; c++) {
        double tau = ticks * along(x, J, r, c, 0) + (s->has_from[k] ? along(x, J, r + 1, c, 0) : 0);
        status = take_time(x, c, tau, fmax(size, fabs(tau)));
    }
    x->across->any = true;
    return status;
}

static int times_of_statements(struct actio_tangent *x, double t, const double *y)
{
    const struct actio_reset_numbers *s = &x->m->sys->resets;
    const double *J = rows_of(x, t, y);
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < s->statements && !status; i++) {
        if (!x->m->resets->fires[i]) continue;
        if (s->statement[i].on == ACTIO_ON_EVENT)
            status = time_of_row(x, J, event_row(x->m->sys, s->statement[i].index));
        if (s->statement[i].on == ACTIO_ON_CLOCK) status = time_of_clock(x, J, s->statement[i].index);
    }
    return status;
}

/* dX = f tau: neighbours at the surface; sign -1: and on from it. */
static void move_along(struct actio_tangent *x, const double *f, double sign)
{
    double *X = x->seen + x->ny;
    for (size_t i = 0; i < x->ny; i++)
        for (size_t c = 0; c < x->columns; c++) X[i * x->columns + c] += sign * f[i] * x->across->tau[c];
}

static void come_to_surface(struct actio_tangent *x)
{
    if (!x->across->met) move_along(x, x->across->f, 1);
    x->across->met = true;
}

/* ---- what is set */

/* Directions of what targets get, read before the round. */
static int read_round(struct actio_tangent *x, double t, const double *y)
{
    struct actio_saltation *s = x->across;
    size_t targets = x->ny + x->m->sys->resets.held;
    int status = s->met ? ACTIO_FLOW_OK : times_of_statements(x, t, y);
    if (status) return status;
    come_to_surface(x);
    const double *J = rows_of(x, t, y);
    for (size_t i = 0; i < targets; i++)
        for (size_t c = 0; c < x->columns && x->m->resets->setter[i]; c++)
            s->row[i * x->columns + c] = along(x, J, x->m->resets->setter[i] - 1, c, s->tau[c]);
    return ACTIO_FLOW_OK;
}

static void take_rows(struct actio_tangent *x, size_t first, size_t end, double *to)
{
    for (size_t i = first; i < end; i++)
        if (x->m->resets->setter[i])
            memcpy(to + (i - first) * x->columns, x->across->row + i * x->columns, x->columns * sizeof *to);
}

/* A held value that moves with the motion moves the rates from now on: that is not formed. */
static int take_held(struct actio_tangent *x)
{
    struct actio_saltation *s = x->across;
    size_t held = x->m->sys->resets.held;
    take_rows(x, x->ny, x->ny + held, s->H);
    for (size_t i = 0; i < held * x->columns; i++)
        if (s->H[i] != 0 && s->moves[i / x->columns]) return saltation_fails(x, ACTIO_STOP_HELD_MOVES, i / x->columns);
    return ACTIO_FLOW_OK;
}

/* ---- differences of a map of the state at the instant */

typedef int (*map_fn)(struct actio_tangent *x, double t, double *y);

/* param + h direction. */
static void shift_params(struct actio_tangent *x, double h)
{
    struct actio_motion *m = x->m;
    for (size_t i = 0; i < m->sys->params; i++) m->here.param[i] = x->across->param[i] + h * m->here.hidden[i];
    for (int q = 0; q < ACTIO_Q_COUNT; q++)
        if (m->at[q].k) actio_motion_prologue(m, (enum actio_quantity)q);
}

/* So far along direction c: STEP of the largest component of each kind. */
static double length_of(const struct actio_tangent *x, const double *y, size_t c)
{
    const double *X = x->seen + x->ny;
    double most = 0;
    for (size_t i = 0; i < x->ny; i++) {
        double size = x->size ? x->size[i] : fmax(1, fabs(y[i]));
        most = fmax(most, fabs(X[i * x->columns + c]) / size);
    }
    return most > 0 ? STEP / most : 0;
}

static int map_at(struct actio_tangent *x, map_fn map, double t, const double *y, size_t c, double h)
{
    struct actio_saltation *s = x->across;
    bool params = x->by_param && c + 1 == x->columns;
    for (size_t i = 0; i < x->ny; i++) s->to[i] = y[i] + h * x->seen[x->ny + i * x->columns + c];
    if (params) memcpy(s->param, x->m->here.param, x->m->sys->params * sizeof *s->param);
    if (params) shift_params(x, h);
    int status = map(x, t + h * s->tau[c], s->to);
    if (params) shift_params(x, 0);
    return status;
}

/* dF along direction c by central differences of order 8, into s->sum. */
static int differences(struct actio_tangent *x, map_fn map, double t, size_t c, double h)
{
    static const double weight[SIDES] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    struct actio_saltation *s = x->across;
    int status = ACTIO_FLOW_OK;
    memset(s->sum, 0, x->ny * sizeof *s->sum);
    for (int k = 0; k < 2 * SIDES && h > 0 && !status; k++) {
        double side = k % 2 ? -1 : 1;
        status = map_at(x, map, t, s->from, c, side * (k / 2 + 1) * h);
        for (size_t i = 0; i < x->ny; i++) s->sum[i] += side * weight[k / 2] / h * s->to[i];
    }
    return status;
}

/* X = dF X; neighbours for which something else happens are too far. */
static int differentiate(struct actio_tangent *x, map_fn map, double t, const double *y)
{
    struct actio_saltation *s = x->across;
    int status = ACTIO_FLOW_OK;
    memcpy(s->from, y, x->ny * sizeof *y);
    for (size_t c = 0; c < x->columns && !status; c++) {
        double h = length_of(x, s->from, c);
        status = differences(x, map, t, c, h);
        for (int i = 0; i < MOST_SHRINKS && status; i++) status = differences(x, map, t, c, h *= 0.1);
        for (size_t i = 0; i < x->ny && !status; i++) x->seen[x->ny + i * x->columns + c] = s->sum[i];
    }
    return status;
}

static int put_on_constraints(struct actio_tangent *x, double t, double *y) { return actio_motion_project(x->m, t, y); }

/* Momenta across a change of held values. */
static int keep_momenta(struct actio_tangent *x, double t, double *y)
{
    return actio_corner_jump(x->m, t, y, x->m->resets->before, x->m->resets->after);
}

/* ---- one round, stage by stage */

static int round_reads(struct actio_tangent *x, double t, const double *y)
{
    int status = read_round(x, t, y);
    double *X = x->seen + x->ny;
    size_t n = x->m->n, columns = x->columns;
    if (status) return status;
    take_rows(x, 0, n, X);
    take_rows(x, 2 * n, x->ny, X + 2 * n * columns);
    return ACTIO_FLOW_OK;
}

static int round_jumps(struct actio_tangent *x, double t, const double *y)
{
    if (!x->m->corner) return ACTIO_FLOW_OK;
    int status = differentiate(x, keep_momenta, t, y);
    memcpy(x->m->here.mode, x->m->resets->after, actio_system_modes(x->m->sys) * sizeof(double));
    return status;
}

static int round_turns(struct actio_tangent *x, double t, const double *y)
{
    size_t n = x->m->n;
    take_rows(x, n, 2 * n, x->seen + x->ny + n * x->columns);
    int status = take_held(x);
    return status || x->m->sys->levels == 0 ? status : differentiate(x, put_on_constraints, t, y);
}

/* ---- bounces: one contact, nothing holds, and Newton's restitution */

static int bounce(struct actio_tangent *x, double t, double *y)
{
    struct actio_contacts *c = x->m->contacts;
    size_t hit = x->across->guard - x->m->sys->switches.count;
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    const double *g = actio_gap_of(c, hit), *answer = actio_contacts_answer(c, hit);
    double impulse = -(1 + g[ACTIO_GAP_RESTITUTION]) * g[ACTIO_GAP_RATE] / actio_dot(c->n, g + ACTIO_GAP_HEAD, answer);
    for (size_t k = 0; k < c->N; k++) y[c->n + k] += impulse * answer[k];
    return ACTIO_FLOW_OK;
}

/* Neighbours bounce; `bounced` is where the motion must be then. */
static int meet_contact(struct actio_tangent *x, size_t hit, double t, const double *y)
{
    struct actio_saltation *s = x->across;
    int status = time_of_row(x, rows_of(x, t, y), gap_row(&x->m->sys->resets, hit));
    if (status) return status;
    come_to_surface(x);
    status = differentiate(x, bounce, t, y);
    memcpy(s->bounced, y, x->ny * sizeof *y);
    s->bounces = true;
    return status ? status : bounce(x, t, s->bounced);
}

/* More than one bounce at one time, or a contact that holds on. */
static int check_bounce(struct actio_tangent *x, const double *y)
{
    const struct actio_saltation *s = x->across;
    double off = 0, size = 0;
    if (x->m->contacts && x->m->contacts->busy) return saltation_fails(x, ACTIO_STOP_CONTACT_HOLDS, 0);
    for (size_t i = x->m->n; i < x->ny && s->bounces; i++) {
        off = fmax(off, fabs(y[i] - s->bounced[i]));
        size = fmax(size, fabs(y[i]) + fabs(s->bounced[i]));
    }
    return off > ONE_TIME * size ? saltation_fails(x, ACTIO_STOP_CONTACT_HOLDS, 0) : ACTIO_FLOW_OK;
}

static void note_time(struct actio_tangent *x, double t)
{
    bool known = x->whens && x->when[x->whens - 1] == t;
    if (!known && x->whens < ACTIO_TANGENT_WHENS) x->when[x->whens++] = t;
}

static int witness(void *user, enum actio_reset_stage stage, double t, const double *y)
{
    static int (*const stages[])(struct actio_tangent *, double, const double *) = {
        [ACTIO_RESET_READS] = round_reads, [ACTIO_RESET_JUMPS] = round_jumps, [ACTIO_RESET_TURNS] = round_turns
    };
    struct actio_tangent *x = user;
    int status = x->across->checked ? ACTIO_FLOW_OK : check_bounce(x, y);
    x->across->checked = true;
    if (stage == ACTIO_RESET_READS) note_time(x, t);
    if (status || x->columns == 0) return status;
    return stages[stage](x, t, y);
}

/* ---- around what happens */

static int rates_here(struct actio_tangent *x, double t, const double *y)
{
    struct actio_motion *m = x->m;
    int status = actio_motion_solve(m, t, y);
    memcpy(x->across->f, y + m->n, m->n * sizeof *y);
    memcpy(x->across->f + m->n, m->here.zdot, m->N * sizeof *y);
    return status;
}

/* dX = (f+ - f-) (g_y X + g_a) / g' at a switch. */
static void time_of_switch(struct actio_tangent *x, size_t k, double t, const double *y)
{
    struct actio_motion *m = x->m;
    const struct actio_places *at = &m->sys->jets.guards_y;
    double rate = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y)[m->sys->switches.count + k];
    const double *J = actio_motion_quantity(m, ACTIO_Q_GUARDS_Y, t, y), *X = x->seen + x->ny;
    if (rate == 0) return;
    for (size_t c = 0; c < x->columns; c++) {
        double lead = x->by_param && c + 1 == x->columns ? J[at->count + k] : 0;
        for (size_t e = 0; e < at->count; e++)
            if (at->row[e] == k) lead += J[e] * X[at->col[e] * x->columns + c];
        x->across->tau[c] = -lead / rate;
    }
    x->across->any = true;
}

int actio_saltation_meet(struct actio_tangent *x, size_t guard, double t, const double *y)
{
    struct actio_saltation *s = x->across;
    const struct actio_system *sys = x->m->sys;
    size_t contact = sys->switches.count;
    s->met = s->any = s->bounces = s->checked = false;
    s->guard = guard;
    memcpy(x->seen, y, x->ny * sizeof *y);
    if (x->columns == 0) return ACTIO_FLOW_OK;
    int status = rates_here(x, t, y);
    memset(s->tau, 0, x->columns * sizeof *s->tau);
    if (status || guard == SIZE_MAX) return status;
    if (guard < contact) time_of_switch(x, guard, t, y);
    return guard >= contact && guard < contact + sys->walls.contacts ? meet_contact(x, guard - contact, t, y) : status;
}

static size_t switch_met(const struct actio_tangent *x) { return x->across->guard; }

/* The same side as the motion, or another answer: beyond the critical angle. */
static int turn_corner(struct actio_tangent *x, double t, double *y)
{
    const struct actio_motion *m = x->m;
    int status = actio_corner_repeat(x->m, switch_met(x), t, y);
    bool same = memcmp(m->here.mode, x->across->mode, m->sys->switches.count * sizeof *m->here.mode) == 0;
    return status ? status : same ? ACTIO_FLOW_OK : ACTIO_FLOW_FAILED;
}

/* Velocities have jumped at a switch: those of neighbours by other amounts. */
static int cross_corner(struct actio_tangent *x, double t)
{
    struct actio_motion *m = x->m;
    size_t switches = m->sys->switches.count;
    if (x->across->guard == SIZE_MAX || switch_met(x) >= switches)
        return saltation_fails(x, ACTIO_STOP_CONTACT_HOLDS, 0);
    if (!x->across->any || !m->corner) return saltation_fails(x, ACTIO_STOP_VELOCITIES_JUMP, switch_met(x));
    come_to_surface(x);
    memcpy(x->across->mode, m->here.mode, switches * sizeof *x->across->mode);
    memcpy(x->across->rests, m->rests, switches * sizeof *x->across->rests);
    int status = differentiate(x, turn_corner, t, x->seen);
    memcpy(m->here.mode, x->across->mode, switches * sizeof *x->across->mode);
    memcpy(m->rests, x->across->rests, switches * sizeof *x->across->rests);
    return status ? saltation_fails(x, ACTIO_STOP_VELOCITIES_JUMP, switch_met(x)) : ACTIO_FLOW_OK;
}

int actio_saltation_leave(struct actio_tangent *x, double t, const double *y)
{
    struct actio_saltation *s = x->across;
    bool known = s->met || s->bounces, jumps = !known && memcmp(x->seen, y, x->ny * sizeof *y) != 0;
    if (jumps || s->bounces) note_time(x, t);
    int status = s->checked ? ACTIO_FLOW_OK : check_bounce(x, y);
    if (status || x->columns == 0) return status;
    status = jumps ? cross_corner(x, t) : ACTIO_FLOW_OK;
    if (status) return status;
    if (s->any) come_to_surface(x);
    if (!s->met) return ACTIO_FLOW_OK;
    status = rates_here(x, t, y);
    move_along(x, s->f, -1);
    return status;
}

void actio_saltation_begin(struct actio_tangent *x)
{
    size_t held = x->m->sys->resets.held;
    if (held) memset(x->across->H, 0, held * x->columns * sizeof *x->across->H);
}

int actio_saltation_end(struct actio_tangent *x)
{
    for (size_t i = 0; i < x->m->sys->resets.held * x->columns; i++)
        if (x->across->H[i] != 0 && x->across->matters[i / x->columns])
            return saltation_fails(x, ACTIO_STOP_HELD_MOVES, i / x->columns);
    return ACTIO_FLOW_OK;
}

/* ---- held values that matter */

static void mark_inputs(const struct actio_motion *m, enum actio_quantity what, bool *matters)
{
    const actio_slot *slots;
    size_t inputs = m->at[what].k ? actio_kernel_inputs(m->at[what].k, &slots) : 0;
    for (size_t i = 0; i < inputs; i++)
        if (slots[i].space == ACTIO_SPACE_HELD) matters[slots[i].index] = true;
}

/* Does row r of RESETS_Y count: an event that sets something, or what something that matters gets? */
static bool row_counts(const struct actio_tangent *x, size_t r)
{
    const struct actio_reset_numbers *s = &x->m->sys->resets;
    size_t first = event_row(x->m->sys, 0);
    if (r >= first) return x->m->resets && x->m->resets->own[r - first];
    return r < s->assigns && (s->target[r] < x->ny || x->across->matters[s->target[r] - x->ny]);
}

static void mark_held(struct actio_tangent *x)
{
    const struct actio_places *at = &x->m->sys->jets.resets_y;
    struct actio_saltation *s = x->across;
    mark_inputs(x->m, ACTIO_Q_MATRIX, s->moves);
    mark_inputs(x->m, ACTIO_Q_LEVELS, s->moves);
    memcpy(s->matters, s->moves, x->m->sys->resets.held * sizeof *s->matters);
    mark_inputs(x->m, ACTIO_Q_GUARDS, s->matters);
    for (size_t round = 0; round < x->m->sys->resets.held; round++)
        for (size_t e = 0; e < at->count; e++)
            if (at->col[e] > x->ny && row_counts(x, at->row[e])) s->matters[at->col[e] - x->ny - 1] = true;
}

bool actio_tangent_returns(const struct actio_tangent *x, size_t *which)
{
    size_t held = x->m->sys->resets.held;
    for (*which = 0; x->across && *which < held; ++*which)
        if (x->across->matters[*which] && x->held[*which] != x->held_first[*which]) return false;
    return true;
}

/* ---- opening */

int actio_saltation_open(struct actio_tangent *x)
{
    size_t held = x->m->sys->resets.held, targets = x->ny + held, switches = x->m->sys->switches.count;
    if (switches + x->m->sys->resets.statements + x->m->sys->walls.contacts == 0) return 0;
    struct actio_saltation *s = x->across = actio_alloc(x->ctx, 1, sizeof *s);
    size_t most = x->most, all = 5 * x->ny + most + (held + targets) * most + 2 * held + 8 + x->m->sys->params
                                 + ACTIO_TANGENT_WHENS + switches;
    double *p = s ? s->f = actio_alloc(x->ctx, all, sizeof *p) : NULL;
    if (s) s->matters = actio_alloc(x->ctx, 2 * held + switches + 2, sizeof *s->matters);
    if (!p || !s->matters) return 1;
    s->moves = s->matters + held + 1;
    s->rests = s->moves + held + 1;
    s->from = p + x->ny;
    s->to = s->from + x->ny;
    s->sum = s->to + x->ny;
    s->bounced = s->sum + x->ny;
    s->tau = s->bounced + x->ny;
    s->H = s->tau + most + 1;
    s->row = s->H + held * most + 1;
    x->held = s->row + targets * most + 1;
    x->held_first = x->held + held + 1;
    s->param = x->held_first + held + 1;
    x->when = s->param + x->m->sys->params + 1;
    s->mode = x->when + ACTIO_TANGENT_WHENS;
    if (x->m->sys->resets.statements + x->m->sys->walls.contacts == 0) return 0;
    if (actio_motion_need(x->m, ACTIO_Q_RESETS_Y)) return 1;
    mark_held(x);
    actio_tangent_place(x, NULL);
    return 0;
}

void actio_saltation_close(struct actio_tangent *x)
{
    if (!x->across) return;
    actio_free(x->ctx, x->across->f);
    actio_free(x->ctx, x->across->matters);
    actio_free(x->ctx, x->across);
    x->across = NULL;
}

struct actio_reset_witness actio_saltation_witness(struct actio_tangent *x)
{
    return (struct actio_reset_witness){ witness, x };
}
