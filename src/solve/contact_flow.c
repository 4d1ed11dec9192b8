/* SPDX-License-Identifier: Apache-2.0
 * Contacts along a motion: the flow under a stance, guards for everything that can end it, and what follows when one does. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TOUCHING 1e-12                                     /* of the size of a gap's terms: closed */
#define NO_RATE 1e-11                                      /* of the speed that the kinetic energy could give it: neither approaching nor leaving */
#define NO_FORCE 1e-12                                     /* of the forces at work: a contact that pulls less than this still holds */
#define AT_THE_EDGE 3e-13                                  /* of the largest sticking friction: beyond this it slides; a little more than stance.c allows */
#define ALLOWANCE 1e-13                                    /* of the size of a gap's terms: a released contact may come this far back */
enum { PLAIN, AFTER_IMPACT, AFTER_RELEASE };
#define STORM 1e-5                                         /* of the interval: this is a moment, and so many happenings in it are a storm: */
enum { MANY = 200 };
enum { MOST_IMPACTS = 200 };                               /* at one moment */

static const char *const words[] = { "impact", "rest", "contact", "release", "stick", "slip", "event" };
const char *actio_happening_word(enum actio_happening_kind kind) { return words[kind]; }

/* ---- what happened */

static bool grow(struct actio_contacts *c, void **list, size_t *cap, size_t count, size_t size)
{
    if (count < *cap) return true;
    size_t room = *cap ? 2 * *cap : 256;
    void *more = actio_take(c->m->ctx, room, size);
    if (!more) return false;
    if (count) memcpy(more, *list, count * size);
    actio_give(c->m->ctx, *list);
    *list = more, *cap = room;
    return true;
}

static int tell(struct actio_contacts *c, double t, enum actio_happening_kind kind, size_t index, double impulse, const char *rule)
{
    void *list = c->happening;
    if (!grow(c, &list, &c->happenings_cap, c->happenings, sizeof *c->happening)) return ACTIO_FLOW_FAILED;
    c->happening = list;
    c->happening[c->happenings++] = (struct actio_happening){ t, impulse, kind, (uint32_t)index, rule };
    return ACTIO_FLOW_OK;
}

/* Stances by time: a byte for each contact and rub, doubles for directions and signs. */
static int remember(struct actio_contacts *c, double t)
{
    size_t bytes = c->contacts + c->rubs, numbers = c->slips + c->rubs, room = c->changes_cap;
    void *change = c->change, *past = c->past, *toward = c->past_toward;
    bool ok = grow(c, &change, &c->changes_cap, c->changes, sizeof *c->change);
    size_t cap = room;
    c->change = change;
    if (ok) ok = grow(c, &past, &cap, c->changes, bytes + 1);
    c->past = past, cap = room;
    if (ok) ok = grow(c, &toward, &cap, c->changes, (numbers + 1) * sizeof(double));
    c->past_toward = toward;
    if (!ok) return ACTIO_FLOW_FAILED;
    unsigned char *b = c->past + c->changes * (bytes + 1);
    double *d = c->past_toward + c->changes * (numbers + 1);
    memcpy(b, c->now.closed, c->contacts), memcpy(b + c->contacts, c->now.rub, c->rubs);
    memcpy(d, c->now.toward, c->slips * sizeof *d), memcpy(d + c->slips, c->now.sign, c->rubs * sizeof *d);
    c->change[c->changes++].t = t;
    return ACTIO_FLOW_OK;
}

static void set_busy(struct actio_contacts *c)
{
    c->busy = false;
    for (size_t i = 0; i < c->contacts; i++) c->busy |= c->now.closed[i] != 0;
    for (size_t r = 0; r < c->rubs; r++) c->busy |= c->now.rub[r] != ACTIO_RUB_IDLE;
}

/* The stance in force at t. */
static void recall(struct actio_contacts *c, double t, bool backward)
{
    size_t bytes = c->contacts + c->rubs, numbers = c->slips + c->rubs, low = 0, high = c->changes;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        bool later = backward ? c->change[middle].t < t : c->change[middle].t > t;
        if (later) high = middle;
        else low = middle;
    }
    if (c->changes == 0) return;
    const unsigned char *b = c->past + low * (bytes + 1);
    const double *d = c->past_toward + low * (numbers + 1);
    memcpy(c->now.closed, b, c->contacts), memcpy(c->now.rub, b + c->contacts, c->rubs);
    memcpy(c->now.toward, d, c->slips * sizeof *d), memcpy(c->now.sign, d + c->slips, c->rubs * sizeof *d);
    set_busy(c);
}

/* ---- the flow under a stance */

static int solve_at(struct actio_contacts *c, double t, const double *y)
{
    int status = actio_contacts_at(c, t, y);
    if (status || actio_contacts_solve(c, &c->now)) return status ? status : ACTIO_FLOW_SINGULAR;
    if (c->solvable == 0) actio_contacts_share(c, &c->now);
    return ACTIO_FLOW_OK;
}

static int contacts_rhs(void *user, double t, const double *y, double *dy)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (!c->busy) return actio_motion_rhs(m, t, y, dy);
    m->evaluations++;
    int status = solve_at(c, t, y);
    memcpy(dy, y + m->n, m->n * sizeof *dy);
    memcpy(dy + m->n, c->zdot, m->N * sizeof *dy);
    return status;
}

/* Rows that hold: their residuals at position level (slips have none) or velocity level; moves q or v along the answers to unit forces. */
static int put_on(struct actio_contacts *c, double t, double *y, int level)
{
    size_t k = 0;
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    struct actio_stance *s = &c->now;
    for (size_t i = 0; i < c->contacts; i++)
        if (s->closed[i]) c->unknown[k++].index = (uint32_t)i;
    for (size_t r = 0; r < c->rubs; r++)                   /* what sticks does not move while others are put back */
        for (size_t j = 0; s->rub[r] == ACTIO_RUB_STICKS && j < c->rub[r].slips; j++) c->unknown[k++].index = (uint32_t)(c->contacts + c->rub[r].slip + j);
    if (k == 0) return ACTIO_FLOW_OK;
    double *z = level ? y + c->n : y, defect;
    for (size_t u = 0; u < k; u++) {
        size_t column = c->unknown[u].index;
        const double *head = column < c->contacts ? actio_gap_of(c, column) : actio_slip_of(c, column - c->contacts);
        c->b[u] = -(column < c->contacts ? head[level ? ACTIO_GAP_RATE : ACTIO_GAP_VALUE] : level ? head[ACTIO_SLIP_VALUE] : 0);
        for (size_t w = 0; w < k; w++) c->M[u * k + w] = actio_dot(c->n, actio_column_row(c, column), actio_contacts_answer(c, c->unknown[w].index));
    }
    actio_min_norm(k, k, c->M, c->b, 1e-10, c->force, &defect, c->work, c->iwork);
    for (size_t u = 0; u < k; u++) {
        const double *answer = actio_contacts_answer(c, c->unknown[u].index);
        for (size_t i = 0; i < (level ? c->N : c->n); i++) z[i] += c->force[u] * answer[i];
    }
    return ACTIO_FLOW_OK;
}

/* Constraints, then what holds, along directions that the constraints allow; twice, as both are curved. */
static int contacts_project(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    int status = m->sys->levels ? actio_motion_project(m, t, y) : ACTIO_FLOW_OK;
    for (int round = 0; c->busy && !status && round < 2; round++) {
        status = put_on(c, t, y, 0);
        if (!status && m->sys->levels) status = actio_motion_project(m, t, y);
        if (!status) status = put_on(c, t, y, 1);
    }
    return status == ACTIO_FLOW_SINGULAR ? ACTIO_FLOW_OK : status;
}

/* ---- guards: switches; contacts; rubs; signs of loaded constraints; whether forces can be found; then events, which are only listed */

static size_t first_contact(const struct actio_contacts *c) { return c->m->sys->modes; }
static size_t first_rub(const struct actio_contacts *c) { return first_contact(c) + c->contacts; }
static size_t first_sign(const struct actio_contacts *c) { return first_rub(c) + c->rubs; }
static size_t last_firm(const struct actio_contacts *c) { return first_sign(c) + c->rubs; }

static double gap_guard(const struct actio_contacts *c, size_t i, double t, double gap)
{
    if (c->left[i] == PLAIN) return gap;
    if (c->left[i] == AFTER_RELEASE) return gap - c->left_gap[i] + ALLOWANCE * c->gap_noise[i] / DBL_EPSILON;
    double since = fabs(t - c->left_t[i]);
    return since * c->left_rate[i] > 100 * c->gap_noise[i] ? (gap - c->left_gap[i]) / since : c->left_rate[i];   /* at first that is its rate */
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double hold_guard(const struct actio_contacts *c, size_t i)
{
    double row = largest(actio_column_row(c, i), c->n);
    return c->normal[i] + (row > 0 ? NO_FORCE * c->force_size / row : 0);
}

/* Load of a rub: the normal force. */
static double load_of(const struct actio_contacts *c, size_t r)
{
    const struct actio_rub *rub = &c->rub[r];
    double lambda = rub->contact != UINT32_MAX ? c->normal[rub->contact] : fabs(c->lambda[rub->constraint]);
    return lambda * actio_rub_of(c, r)[ACTIO_RUB_SCALE];
}

static double rub_guard(const struct actio_contacts *c, size_t r)
{
    const struct actio_rub *rub = &c->rub[r];
    double along = 0, size = 0;
    if (c->now.rub[r] == ACTIO_RUB_IDLE) return 1;
    for (size_t j = 0; j < rub->slips; j++) {
        along += actio_slip_of(c, rub->slip + j)[ACTIO_SLIP_VALUE] * c->now.toward[rub->slip + j];
        size = hypot(size, c->friction[rub->slip + j]);
    }
    if (c->now.rub[r] == ACTIO_RUB_SLIDES) return along;
    double most = actio_rub_of(c, r)[ACTIO_RUB_STICKING] * load_of(c, r);
    return most - size + AT_THE_EDGE * (fabs(most) + 0.1 * c->force_size);
}

static double sign_guard(const struct actio_contacts *c, size_t r)
{
    if (c->rub[r].constraint == UINT32_MAX || c->now.rub[r] != ACTIO_RUB_SLIDES) return 1;
    return c->lambda[c->rub[r].constraint] * c->now.sign[r] + NO_FORCE * c->force_size;
}

static void contacts_guard(void *user, double t, const double *y, double *g)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (m->sys->modes) actio_switch_guard(m, t, y, g);
    const double *gap = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y);
    for (size_t i = 0; i < c->contacts; i++) g[first_contact(c) + i] = gap_guard(c, i, t, gap[i]);
    for (size_t i = 0; i < m->sys->events; i++) g[last_firm(c) + i] = gap[c->contacts + i];
    for (size_t k = first_rub(c); k < last_firm(c); k++) g[k] = 1;
    if (!c->busy) return;
    bool solved = solve_at(c, t, y) == ACTIO_FLOW_OK;
    for (size_t i = 0; i < c->contacts; i++)
        if (c->now.closed[i]) g[first_contact(c) + i] = solved ? hold_guard(c, i) : -1;
    for (size_t r = 0; solved && r < c->rubs; r++) g[first_rub(c) + r] = rub_guard(c, r), g[first_sign(c) + r] = sign_guard(c, r);
}

/* In free flight: gaps and events over lanes. */
static bool contacts_sample(void *user, double *g)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    const struct actio_bound *b = &m->at[ACTIO_Q_GAPS];
    size_t guards = m->flow.guards, nodes = ACTIO_ROOT_NODES;
    if (c->busy || m->sys->modes) return false;
    actio_kernel_eval(b->k, nodes, c->lane_in, b->pre, 1, c->lane_out, c->lane_work);
    for (size_t k = 0; k < nodes; k++, g += guards) {
        for (size_t i = 0; i < c->contacts; i++) g[i] = gap_guard(c, i, c->lane_t[k], c->lane_out[i][k]);
        for (size_t i = c->contacts; i < last_firm(c); i++) g[i] = 1;
        for (size_t i = 0; i < m->sys->events; i++) g[last_firm(c) + i] = c->lane_out[c->contacts + i][k];
    }
    return true;
}

static int contacts_side(void *user, size_t k)
{
    struct actio_motion *m = user;
    return k < m->sys->modes ? actio_switch_side(m, k) : k < last_firm(m->contacts) ? 1 : 0;
}

/* ---- when something happens */

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
        if (sys->G.row[i] < c->n && sys->G.col[i] < c->n) energy += v[sys->G.row[i]] * c->values[i] * v[sys->G.col[i]];
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
    int status = put_on(c, t, y, 0);
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
    for (int round = 0; round < MOST_IMPACTS; round++) {
        int status = actio_contacts_at(c, t, y);
        if (status) return status;
        if (!any_approaches(c, y + c->n)) return ACTIO_FLOW_OK;
        const char *rule = actio_contacts_impact(c, y + c->n, c->impulse);
        if (!rule) return c->m->stop = ACTIO_STOP_IMPACT, ACTIO_FLOW_FAILED;
        for (size_t i = 0; i < c->contacts && !status; i++)
            if (c->impulse[i] > 0) status = tell(c, t, ACTIO_IMPACT, i, c->impulse[i] * actio_gap_of(c, i)[ACTIO_GAP_SCALE], rule);
        if (!status && c->m->sys->levels) status = actio_motion_project(c->m, t, y);
        if (status) return status;
    }
    return c->m->stop = ACTIO_STOP_IMPACT, ACTIO_FLOW_FAILED;
}

static bool is_rough(const struct actio_contacts *c, size_t i)
{
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == i && actio_rub_of(c, r)[ACTIO_RUB_SLIDING] > 0) return true;
    return false;
}

/* From one hop to the next where contacts take turns, as the corners of a rocking block do: two of them lie between two of the same. */
static double series_ratio(const struct actio_contacts *c, size_t i, double rate)
{
    double before = c->left_rate[i];
    return c->left[i] == AFTER_IMPACT && before > rate ? sqrt(rate / before) : 0;
}

/* Bodies jammed among rough walls may hop for ever, each a little: the more they do at one moment, the less is asked of a hop to be none. */
static double patience(const struct actio_contacts *c) { return c->storm < MANY ? 1 : pow(10, fmin(4, (double)c->storm / MANY)); }

static void watch_storm(struct actio_contacts *c, double t)
{
    if (fabs(t - c->storm_from) > STORM * fabs(c->m->span)) c->storm_from = t, c->storm = 0;
    if (c->storm++ < MANY) c->calm = 0;
}

/* A bounce that comes back before it can be seen, under the stance at hand. */
static bool hardly_leaves(struct actio_contacts *c, size_t i, const double *v, double *until)
{
    const double *g = actio_gap_of(c, i);
    double e = g[ACTIO_GAP_RESTITUTION], rate = actio_gap_rate(c, i), a = -(actio_dot(c->n, g + ACTIO_GAP_HEAD, c->zdot) + g[ACTIO_GAP_BIAS]);
    if (!c->touch[i] || c->now.closed[i] || !(a > 0) || !(rate > NO_RATE * actio_kinetic_speed(c, i, v))) return false;
    double ratio = e > 0 ? e : series_ratio(c, i, rate), height = rate * rate / (2 * a);
    *until = ratio < 1 ? 2 * rate / (a * (1 - ratio)) : 0;
    if (height <= (e < 1 || is_rough(c, i) || c->storm > MANY ? 1e4 * patience(c) : 4) * c->gap_noise[i]) return true;       /* it can't be told from rounding */
    return e < 1 && height <= 1e-3 * c->local * fmax(1, g[ACTIO_GAP_SIZE]) && rate <= 10 * c->local * fmax(1, actio_kinetic_speed(c, i, v));
}

/* The rest of its infinitely many bounces follow a geometric series, rate -> e rate, and end at t + 2 rate/(a (1 - e)) with a = -gap'' in flight. It
 * rests already: velocities onto those of all that do. *any: a stance must be found anew. */
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
        c->calm = fmax(c->calm, 3 * actio_gap_rate(c, i));
        status = tell(c, t + copysign(until, c->m->span), ACTIO_RESTS, i, 0, "geometric series of bounces");
    }
    for (size_t i = 0; i < c->contacts; i++) c->now.closed[i] |= c->rests[i];
    return status || !*any ? status : put_on(c, t, y, 1);
}

/* How those that are open came off, for the guards to come. */
static void let_go(struct actio_contacts *c, double t, const double *y)
{
    for (size_t i = 0; i < c->contacts; i++) {
        if (c->now.closed[i] || !c->touch[i]) continue;
        bool bounces = actio_gap_rate(c, i) > NO_RATE * actio_kinetic_speed(c, i, y + c->n);
        c->left[i] = bounces ? AFTER_IMPACT : AFTER_RELEASE;
        c->left_t[i] = t, c->left_rate[i] = actio_gap_rate(c, i), c->left_gap[i] = actio_gap_of(c, i)[ACTIO_GAP_VALUE];
    }
}

static int tell_changes(struct actio_contacts *c, double t)
{
    int status = ACTIO_FLOW_OK;
    for (size_t i = 0; i < c->contacts && !status; i++)
        if (c->now.closed[i] != c->best.closed[i] && !c->rests[i]) status = tell(c, t, c->now.closed[i] ? ACTIO_CLOSES : ACTIO_OPENS, i, 0, "");
    for (size_t r = 0; r < c->rubs && !status; r++)
        if (c->now.rub[r] != c->best.rub[r] && c->now.rub[r] != ACTIO_RUB_IDLE) status = tell(c, t, c->now.rub[r] == ACTIO_RUB_STICKS ? ACTIO_STICKS : ACTIO_SLIDES, r, 0, "");
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
    if (c->jammed == c->contacts) c->jammed = one, c->jammed_at = t;
    return tell(c, t, ACTIO_IMPACT, one, c->impulse[one] * actio_gap_of(c, one)[ACTIO_GAP_SCALE], "impact without collision: friction jams the contact") == ACTIO_FLOW_OK;
}

/* One smooth contact is hit while nothing holds, and nothing else is near: by far the commonest happening, so it goes the short way. Newton's
 * restitution, and the flight goes on. *done false: it is not as simple as that, and nothing was changed. */
static int bounce(struct actio_contacts *c, double t, double *y, size_t hit, bool *done)
{
    struct actio_motion *m = c->m;
    *done = false;
    if (c->busy || hit >= c->contacts || m->sys->rubs || m->sys->levels) return ACTIO_FLOW_OK;
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    const double *g = actio_gap_of(c, hit), *row = g + ACTIO_GAP_HEAD, *answer = actio_contacts_answer(c, hit);
    for (size_t i = 0; i < c->contacts; i++) {
        const double *other = actio_gap_of(c, i);
        if (i != hit && other[ACTIO_GAP_VALUE] <= 1e3 * TOUCHING * other[ACTIO_GAP_SIZE]) return ACTIO_FLOW_OK;
    }
    double e = g[ACTIO_GAP_RESTITUTION], rate = actio_gap_rate(c, hit), mobility = actio_dot(c->n, row, answer), fall = fabs(actio_dot(c->n, row, c->z0) + g[ACTIO_GAP_BIAS]);
    double after = -e * rate, energy = c->most_energy;
    note_energy(c, y + c->n);
    double slow = 1e3 * NO_RATE * sqrt(c->most_energy * fabs(mobility));
    bool rests = e < 1 && after * after <= 2 * fall * 1e3 * fmax(1e-3 * c->local * fmax(1, g[ACTIO_GAP_SIZE]), 1e4 * DBL_EPSILON * g[ACTIO_GAP_SIZE]);
    if (!(mobility > 0) || !(e > 0 && e <= 1) || !(-rate > slow && after > slow) || rests) return c->most_energy = energy, ACTIO_FLOW_OK;
    double impulse = (after - rate) / mobility, back = -g[ACTIO_GAP_VALUE] / mobility;
    for (size_t k = 0; k < c->n; k++) y[k] += back * answer[k];
    for (size_t k = 0; k < c->N; k++) y[c->n + k] += (m->span < 0 ? -impulse : impulse) * answer[k];
    c->gap_noise[hit] = DBL_EPSILON * g[ACTIO_GAP_SIZE];
    c->left[hit] = AFTER_IMPACT, c->left_t[hit] = t, c->left_rate[hit] = after;
    status = tell(c, t, ACTIO_IMPACT, hit, impulse * g[ACTIO_GAP_SCALE], "Newton's restitution");
    *done = true;
    c->left_gap[hit] = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y)[hit];
    return status;
}

/* From the moment when `hit` reached its wall (contacts: none did), or when what held does so no longer, to the stance that follows. */
static int settle(struct actio_contacts *c, double t, double *y, size_t hit)
{
    int status = actio_contacts_at(c, t, y);
    if (status) return status;
    note_energy(c, y + c->n);
    watch_storm(c, t);
    memset(c->rests, 0, c->contacts * sizeof *c->rests);
    find_touching(c, y, hit);
    status = put_back(c, t, y);
    if (!status) status = strike(c, t, y);
    if (status) return status;
    actio_stance_copy(c, &c->best, &c->now);               /* as it was */
    status = actio_contacts_decide(c, t, y);
    if (status && c->m->stop == ACTIO_STOP_NO_STANCE && jam(c, t, y)) {
        c->m->stop = ACTIO_STOP_NONE;
        status = strike(c, t, y);
        if (!status) status = actio_contacts_decide(c, t, y);
    }
    for (bool again = true; again && !status;) {
        status = come_to_rest(c, t, y, &again);
        if (again && !status) status = actio_contacts_decide(c, t, y);
    }
    if (status) return status;
    set_busy(c);
    if (!c->busy) status = actio_contacts_at(c, t, y);
    let_go(c, t, y);
    if (!status) status = tell_changes(c, t);
    return status ? status : remember(c, t);
}

/* Along two slips the one in view may vanish while the other does not: then it only turns. */
static bool has_stopped(struct actio_contacts *c, size_t r, double t, const double *y)
{
    if (c->rub[r].slips == 1 || actio_contacts_at(c, t, y)) return true;
    return actio_slip_size(c, r) <= 1e-6 * actio_kinetic_speed(c, c->contacts + c->rub[r].slip, y + c->n);
}

static int contacts_crossed(void *user, size_t k, double t, double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    if (k < m->sys->modes) {
        int status = actio_switch_crossed(m, k, t, y);
        return status ? status : c->busy ? settle(c, t, y, c->contacts) : ACTIO_FLOW_OK;
    }
    size_t contact = k - first_contact(c);
    if (k >= first_rub(c) && k < first_sign(c) && has_stopped(c, k - first_rub(c), t, y)) c->stopped = k - first_rub(c);
    size_t hit = contact < c->contacts && !c->now.closed[contact] ? contact : c->contacts;
    c->refused = hit == c->contacts;
    bool done;
    int status = bounce(c, t, y, hit, &done);
    return status || done ? status : settle(c, t, y, hit);
}

static int contacts_passed(void *user, size_t k, double t, const double *y)
{
    struct actio_motion *m = user;
    (void)y;
    return tell(m->contacts, t, ACTIO_PASSES, k - last_firm(m->contacts), 0, "");
}

/* Between steps: a released contact that is clear of the wall is looked at plainly; directions of sliding are taken anew where they turn. */
static void contacts_stepped(void *user, double t, const double *y)
{
    struct actio_motion *m = user;
    struct actio_contacts *c = m->contacts;
    const double *gap = NULL;
    for (size_t i = 0; i < c->contacts; i++) {
        if (c->left[i] != AFTER_RELEASE || c->now.closed[i]) continue;
        if (!gap) gap = actio_motion_quantity(m, ACTIO_Q_GAPS, t, y);
        if (gap[i] > 100 * ALLOWANCE * c->gap_noise[i] / DBL_EPSILON) c->left[i] = PLAIN;
    }
    bool turns = false;
    for (size_t r = 0; r < c->rubs; r++) turns |= c->now.rub[r] == ACTIO_RUB_SLIDES && c->rub[r].slips > 1;
    if (!turns || actio_contacts_at(c, t, y)) return;
    for (size_t r = 0; r < c->rubs; r++) {
        double size = actio_slip_size(c, r);
        for (size_t j = 0; c->now.rub[r] == ACTIO_RUB_SLIDES && c->rub[r].slips > 1 && size > 0 && j < c->rub[r].slips; j++)
            c->now.toward[c->rub[r].slip + j] = actio_slip_of(c, c->rub[r].slip + j)[ACTIO_SLIP_VALUE] / size;
    }
    remember(c, t);
}

static int contacts_enter(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    return settle(m->contacts, t, y, m->contacts->contacts);
}

static bool is_free(void *user) { return !((struct actio_motion *)user)->contacts->busy; }

/* ---- outside */

void actio_contacts_begin(struct actio_motion *m)
{
    struct actio_contacts *c = m->contacts;
    memset(c->now.closed, 0, c->contacts);
    memset(c->now.rub, 0, c->rubs);
    memset(c->left, 0, c->contacts);
    memset(c->now.toward, 0, c->slips * sizeof *c->now.toward);
    for (size_t r = 0; r < c->rubs; r++) c->now.sign[r] = 1;
    c->happenings = c->changes = 0;
    c->ambiguity = (struct actio_ambiguity){ 0 };
    c->busy = false;
    c->stopped = SIZE_MAX, c->most_energy = 0;
    c->jammed = c->contacts;
    c->storm = 0, c->storm_from = 0;
}

int actio_contacts_open(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    if (sys->contacts + sys->rubs + sys->events == 0) return 0;
    if (actio_contacts_allocate(m)) return 1;
    struct actio_flow *f = &m->flow;
    f->rhs = contacts_rhs, f->project = sys->contacts + sys->rubs ? contacts_project : f->project;
    f->guards = last_firm(m->contacts) + sys->events, f->watched = sys->events;
    f->guard = contacts_guard, f->side = contacts_side, f->crossed = contacts_crossed, f->passed = contacts_passed;
    f->sample = contacts_sample, f->sampled_t = m->contacts->lane_t, f->sampled_y = m->contacts->lane_y;
    f->enter = contacts_enter, f->stepped = contacts_stepped;
    f->pattern = NULL, f->jacobian = NULL;
    if (sys->ballistic && sys->rubs + sys->contacts) f->is_free = is_free, f->positions = m->n;
    m->contacts->local = 1e-9;
    actio_contacts_begin(m);
    return 0;
}

int actio_contacts_row(struct actio_motion *m, double t, double *y, bool backward)
{
    struct actio_contacts *c = m->contacts;
    recall(c, t, backward);
    int status = contacts_project(m, t, y);
    if (!status) status = solve_at(c, t, y);
    if (status) return status;
    const struct actio_system *sys = m->sys;
    const double *D = c->values + sys->G.count + sys->A.count;
    memcpy(m->zdot, c->zdot, m->N * sizeof *m->zdot);
    memcpy(m->lambda, c->lambda, m->p * sizeof *m->lambda);
    memset(m->reaction, 0, m->N * sizeof *m->reaction);
    for (size_t i = 0; i < sys->D.count; i++) m->reaction[sys->D.col[i]] += D[i] * c->lambda[sys->D.row[i]];
    for (size_t i = 0; i < c->contacts; i++) m->lambda[actio_force_slot(sys, i)] = c->normal[i] * actio_gap_of(c, i)[ACTIO_GAP_SCALE];
    for (size_t j = 0; j < c->slips; j++) m->lambda[actio_friction_slot(sys, j)] = c->friction[j];
    return ACTIO_FLOW_OK;
}

size_t actio_contacts_beyond(struct actio_motion *m, double t, const double *y, double *depth)
{
    struct actio_contacts *c = m->contacts;
    const double *gap = actio_motion_quantity(m, ACTIO_Q_CONTACT, t, y);
    c->x = gap;
    note_noise(c);
    for (size_t i = 0; i < c->contacts; i++)
        if ((*depth = -actio_gap_of(c, i)[ACTIO_GAP_VALUE]) > 1e-10 * fmax(c->gap_noise[i] / DBL_EPSILON, 1e-300) && *depth > 0) return i;
    return c->contacts;
}
