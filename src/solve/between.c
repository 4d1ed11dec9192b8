/* SPDX-License-Identifier: Apache-2.0
 * The motion along the surfaces of switches: each is evaluated on both of its sides, and the shares of the sides follow
 * from the rates of the surfaces' guards, which are zero under the mixture. With several switches rates must be sums of
 * what each of them does; elsewhere the mixture is not unique. */
#include "solve/between.h"
#include "algebra/dense.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 };     /* switches that hold a motion together */
#define STRICTLY 1e-10 /* of the fastest rate: slower ones do not push */
#define SUMS 1e-8      /* of the largest value: rates of several switches are sums to so much */
#define ALMOST 1e-9    /* shares may be that far outside when a motion comes onto the surface */

/* at: switches that hold the motion, between: their modes; value: `room` of them with all on their lower side, then
 * with each on its upper side, then with all; rate: of their guards likewise; share: of the upper sides. */
struct actio_between {
    bool was, refused; /* since the motion was opened; by who marches */
    size_t count, room, at[MOST];
    double between[MOST], share[MOST], rate[(MOST + 1) * MOST];
    double *value, *known;
    int (*rhs)(void *user, double t, const double *y, double *dy);
    const double *integrated;
};
typedef int (*side_fn)(struct actio_motion *m, double t, const double *y, double *value);

/* ---- sides */

static void list_those_between(struct actio_motion *m)
{
    struct actio_between *b = m->between;
    b->count = 0;
    for (size_t k = 0; k < m->sys->switches.count && b->count < MOST; k++) {
        if (!actio_is_between(m->here.mode[k])) continue;
        b->between[b->count] = m->here.mode[k];
        b->at[b->count++] = k;
    }
}

static void go_to_side(struct actio_motion *m, size_t i, bool upper)
{
    const struct actio_between *b = m->between;
    bool whole = m->sys->switches.whole[b->at[i]];
    m->here.mode[b->at[i]] = whole ? b->between[i] + (upper ? 0.5 : -0.5) : upper ? 1 : -1;
}

static void back_between(struct actio_motion *m)
{
    for (size_t i = 0; i < m->between->count; i++) m->here.mode[m->between->at[i]] = m->between->between[i];
}

static const double *guards_now(struct actio_motion *m) { return actio_bound_values(&m->at[ACTIO_Q_GUARDS]); }

/* Values and rates with all switches below, then one of them above, then all. */
static int look_at_sides(struct actio_motion *m, double t, const double *y, side_fn fn)
{
    struct actio_between *b = m->between;
    int status = ACTIO_FLOW_OK;
    size_t looks = b->count > 1 ? b->count + 2 : b->count + 1;
    for (size_t j = 0; j < looks && !status; j++) {
        for (size_t i = 0; i < b->count; i++) go_to_side(m, i, j == i + 1 || j == b->count + 1);
        status = fn(m, t, y, b->value + j * b->room);
        const double *rate = guards_now(m) + m->sys->switches.count;
        for (size_t i = 0; j <= b->count && i < b->count; i++) b->rate[j * MOST + i] = rate[b->at[i]];
    }
    back_between(m);
    return status;
}

/* Are the values sums of what each switch does? */
static bool are_sums(const struct actio_between *b, size_t length)
{
    for (size_t l = 0; b->count > 1 && l < length; l++) {
        double base = b->value[l], all = b->value[(b->count + 1) * b->room + l] - base, size = fabs(base);
        for (size_t i = 1; i <= b->count; i++) {
            all -= b->value[i * b->room + l] - base;
            size = fmax(size, fabs(b->value[i * b->room + l]));
        }
        if (!(fabs(all) <= SUMS * size)) return false;
    }
    return true;
}

/* Under the mixture all guards have rate 0. */
static bool find_shares(struct actio_between *b)
{
    double A[MOST * MOST];
    int pivot[MOST];
    size_t n = b->count;
    for (size_t i = 0; i < n; i++) {
        b->share[i] = -b->rate[i];
        for (size_t j = 0; j < n; j++) A[i * n + j] = b->rate[(j + 1) * MOST + i] - b->rate[i];
    }
    if (actio_lu_factor(n, A, pivot)) return false;
    actio_lu_solve(n, A, pivot, b->share, 1, false);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(b->share[i])) return false;
    return true;
}

static void mix_sides(const struct actio_between *b, double *value, size_t length)
{
    for (size_t l = 0; l < length; l++) {
        value[l] = b->value[l];
        for (size_t i = 0; i < b->count; i++) value[l] += b->share[i] * (b->value[(i + 1) * b->room + l] - b->value[l]);
    }
}

/* The mixture of what fn gives on the sides. */
static int mix(struct actio_motion *m, double t, const double *y, side_fn fn, double *value, size_t length)
{
    struct actio_between *b = m->between;
    list_those_between(m);
    int status = look_at_sides(m, t, y, fn);
    if (status) return status;
    if (!find_shares(b)) return ACTIO_FLOW_SINGULAR;
    mix_sides(b, value, length);
    return ACTIO_FLOW_OK;
}

/* ---- what is mixed */

static int plain_side(struct actio_motion *m, double t, const double *y, double *value)
{
    int status = actio_motion_solve(m, t, y);
    memcpy(value, m->here.zdot, m->N * sizeof *value);
    memcpy(value + m->N, m->here.lambda, m->p * sizeof *value);
    memcpy(value + m->N + m->p, m->here.reaction, m->N * sizeof *value);
    return status;
}

static int law_side(struct actio_motion *m, double t, const double *y, double *value)
{
    int status = m->obeys.law ? m->obeys.law->solve(m, t, y) : actio_motion_solve(m, t, y);
    memcpy(value, m->here.zdot, m->N * sizeof *value);
    memcpy(value + m->N, m->here.lambda, m->p * sizeof *value);
    memcpy(value + m->N + m->p, m->here.reaction, m->N * sizeof *value);
    return status;
}

/* The flow's own rates; and accelerations for the guards. */
static int flow_side(struct actio_motion *m, double t, const double *y, double *value)
{
    int status = m->between->rhs(m, t, m->between->integrated, value);
    if (!status && m->flow.unfold) return actio_motion_solve(m, t, y);
    m->here.t = t;
    memcpy(m->here.y, y, m->ny * sizeof *y);
    memcpy(m->here.zdot, value + m->n, m->N * sizeof *value);
    return status;
}

static int outputs_side(struct actio_motion *m, double t, const double *y, double *value)
{
    int status = m->obeys.law ? m->obeys.law->solve(m, t, y) : actio_motion_solve(m, t, y);
    memcpy(value, actio_bound_values(&m->at[ACTIO_Q_OUTPUTS]), m->sys->output.columns * sizeof *value);
    return status;
}

/* ---- outside */

bool actio_between_was(const struct actio_motion *m) { return m->between && m->between->was; }

bool actio_between_any(const struct actio_motion *m)
{
    for (size_t k = 0; actio_between_was(m) && k < m->sys->switches.count; k++)
        if (actio_is_between(m->here.mode[k])) return true;
    return false;
}

static int between_rhs(void *user, double t, const double *Y, double *dY)
{
    struct actio_motion *m = user;
    struct actio_between *b = m->between;
    if (!actio_between_any(m)) return b->rhs(m, t, Y, dY);
    const double *y = Y;
    if (m->flow.unfold) {
        int status = m->flow.unfold(m, t, Y, b->known);
        if (status) return status;
        y = b->known;
    }
    b->integrated = Y;
    return mix(m, t, y, flow_side, dY, m->flow.n);
}

int actio_between_solve(struct actio_motion *m, double t, const double *y, bool by_law)
{
    double *value = m->between->value + (MOST + 2) * m->between->room;
    int status = mix(m, t, y, by_law ? law_side : plain_side, value, 2 * m->N + m->p);
    if (status) return status;
    memcpy(m->here.zdot, value, m->N * sizeof *value);
    memcpy(m->here.lambda, value + m->N, m->p * sizeof *value);
    memcpy(m->here.reaction, value + m->N + m->p, m->N * sizeof *value);
    return ACTIO_FLOW_OK;
}

double actio_between_share(struct actio_motion *m, size_t k, double t, const double *y)
{
    struct actio_between *b = m->between;
    list_those_between(m);
    if (look_at_sides(m, t, y, plain_side) || !are_sums(b, m->N) || !find_shares(b)) return NAN;
    for (size_t i = 0; i < b->count; i++)
        if (b->at[i] == k) return b->share[i];
    return NAN;
}

double actio_between_margin(struct actio_motion *m, size_t k, double t, const double *y)
{
    const struct actio_between *b = m->between;
    double share = actio_between_share(m, k, t, y);
    size_t i = 0;
    if (!isfinite(share)) return NAN;
    while (b->at[i] != k) i++;
    double push = b->rate[i] - b->rate[(i + 1) * MOST + i];
    return share * (1 - share) * push / (1 + fabs(push));
}

/* Do both sides push onto the surface, the other switches between theirs? */
static bool is_pushed(struct actio_motion *m, size_t i)
{
    const struct actio_between *b = m->between;
    double scale = 1;
    for (size_t l = 0; l < m->N; l++) scale = fmax(scale, fabs(b->value[l]));
    return b->rate[(i + 1) * MOST + i] - b->rate[i] < -STRICTLY * scale;
}

bool actio_between_take(struct actio_motion *m, size_t k, double surface, double t, const double *y)
{
    if (!m->between || m->between->refused || m->span < 0) return false; /* backward it is left at any time */
    double old = m->here.mode[k];
    bool was = m->between->was;
    m->here.mode[k] = m->sys->switches.whole[k] ? surface - 0.5 : 0.5;
    m->between->was = true;
    bool held = true, found = isfinite(actio_between_share(m, k, t, y));
    for (size_t i = 0; found && i < m->between->count; i++)
        held &= m->between->share[i] > -ALMOST && m->between->share[i] < 1 + ALMOST && is_pushed(m, i);
    if (found && held) return true;
    m->here.mode[k] = old;
    m->between->was = was;
    return false;
}

void actio_between_put(struct actio_motion *m, size_t k, double surface, double t, double *y)
{
    struct actio_between *b = m->between;
    if (!isfinite(actio_between_share(m, k, t, y))) return;
    size_t i = 0;
    while (b->at[i] != k) i++;
    memcpy(m->here.y, y, m->ny * sizeof *y);
    double far = guards_now(m)[k] - surface, rate = b->rate[(i + 1) * MOST + i] - b->rate[i];
    const double *low = b->value, *high = b->value + (i + 1) * b->room;
    for (size_t l = 0; l < m->N; l++) y[m->n + l] -= far / rate * (high[l] - low[l]);
}

int actio_between_make_outputs(struct actio_motion *m)
{
    struct actio_between *b = m->between;
    size_t room = m->sys->output.columns;
    if (!b || b->room >= room) return 0;
    double *value = actio_alloc(m->ctx, (MOST + 3) * room + 1, sizeof *value);
    if (!value) return 1;
    actio_free(m->ctx, b->value);
    b->value = value;
    b->room = room;
    return 0;
}

/* Where shares are not determined, only what all sides have in common has a value. */
static void take_common(const struct actio_between *b, double *value, size_t length)
{
    for (size_t l = 0; l < length; l++) {
        bool same = true;
        for (size_t i = 1; i <= b->count; i++)
            same &= fabs(b->value[i * b->room + l] - b->value[l]) <= SUMS * fabs(b->value[l]);
        value[l] = same ? b->value[l] : NAN;
    }
}

int actio_between_outputs(struct actio_motion *m, double t, const double *y, double *column)
{
    size_t columns = m->sys->output.columns;
    list_those_between(m);
    int status = look_at_sides(m, t, y, outputs_side);
    if (status) return status;
    if (find_shares(m->between)) mix_sides(m->between, column, columns);
    else take_common(m->between, column, columns);
    return ACTIO_FLOW_OK;
}

void actio_between_refuse(struct actio_motion *m, bool refuse)
{
    if (m->between) m->between->refused = refuse;
}

bool actio_between_refused(const struct actio_motion *m) { return m->between && m->between->refused; }

void actio_between_resume(struct actio_motion *m)
{
    for (size_t k = 0; m->between && k < m->sys->switches.count; k++)
        m->between->was |= actio_is_between(m->here.mode[k]);
}

void actio_between_over(struct actio_motion *m)
{
    if (!m->between || m->chain.segments || m->flow.rhs == between_rhs) return;
    m->between->rhs = m->flow.rhs;
    m->flow.rhs = between_rhs;
}

int actio_between_open(struct actio_motion *m)
{
    if (!m->sys->switches.count || m->sys->field.axes) return 0;
    struct actio_between *b = m->between = actio_alloc(m->ctx, 1, sizeof *b);
    if (!b) return 1;
    b->room = 2 * m->ny + 2 * m->N + m->p + 1;
    b->value = actio_alloc(m->ctx, (MOST + 3) * b->room, sizeof *b->value);
    b->known = actio_alloc(m->ctx, m->ny + 1, sizeof *b->known);
    if (!b->value || !b->known) return 1;
    actio_between_over(m);
    return 0;
}

void actio_between_close(struct actio_motion *m)
{
    if (!m->between) return;
    actio_free(m->ctx, m->between->value);
    actio_free(m->ctx, m->between->known);
    actio_free(m->ctx, m->between);
    m->between = NULL;
}
