/* SPDX-License-Identifier: Apache-2.0
 * Errors of the times at which something happened: what the errors of the state are worth to the guard that showed it,
 * over its rate and bend; and how far the run before had the same instant away. */
#include "solve/accuracy_inside.h"
#include "base/roles.h"
#include "solve/motion.h"
#include "solve/resets.h"

#include <float.h>
#include <math.h>

#define DOUBT 2.0                 /* two runs show an error to this factor */
#define ROUNDED (8 * DBL_EPSILON) /* a time is not located better, beside its size */

/* Largest errors of coordinates, velocities and states up to each check, as far as they have grown. */
struct growth {
    double *q, *v, *s;
    size_t checks;
};

static double *group_of(const struct growth *g, int role)
{
    return role == ACTIO_ROLE_COORD ? g->q : role == ACTIO_ROLE_RATE ? g->v : role == ACTIO_ROLE_STATE ? g->s : NULL;
}

static void read_growth(const struct actio_ladder *l, struct growth *g)
{
    const struct actio_outcome *out = l->out;
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        double *to = group_of(g, actio_system_column(l->m->sys, c)->role), most = 0;
        const double *each = out->check_error + c * out->error_lanes;
        for (size_t i = 0; to && i < g->checks; i++) {
            most = fmax(most, isnan(each[i]) ? 0 : each[i]);
            to[i] = fmax(to[i], most);
        }
    }
}

/* The first check that is not before t, or the last one. */
static size_t check_at(const struct actio_ladder *l, size_t checks, double t)
{
    bool backward = l->aim->t1 < l->aim->t0;
    size_t i = 0, end = checks - 1;
    while (i < end) {
        size_t middle = (i + end) / 2;
        if (backward ? l->times[middle] > t : l->times[middle] < t) i = middle + 1;
        else end = middle;
    }
    return i;
}

/* The same instant of the run before: the nearest of its kind, where this is also its nearest. */
enum { LUCKY = 4 }; /* fewer differences than these may be small by luck */
struct matching {
    size_t *first, *next; /* by identity; by instant of the run before: the next of its identity, SIZE_MAX = none */
    size_t identities, kinds;
    /* by identity: the largest difference so far, as the guard has it, and how many there were */
    double *most;
    size_t *seen;
};

static size_t identity(const struct matching *k, const struct actio_instant *i)
{
    return i->index * k->kinds + i->kind;
}

static size_t largest_index(const struct actio_instant_list *l, size_t most)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].index > most) most = l->at[i].index;
    return most;
}

static bool open_matching(const struct actio_ladder *l, struct matching *k)
{
    const struct actio_instants *in = &l->m->instants;
    k->kinds = ACTIO_INSTANT_KINDS;
    k->identities = (largest_index(&in->before, largest_index(&in->now, 0)) + 1) * k->kinds;
    k->first = actio_alloc(l->ctx, k->identities, sizeof *k->first);
    k->next = actio_alloc(l->ctx, in->before.count + 1, sizeof *k->next);
    k->most = actio_alloc(l->ctx, k->identities, sizeof *k->most);
    k->seen = actio_alloc(l->ctx, k->identities, sizeof *k->seen);
    if (!k->first || !k->next || !k->most || !k->seen) return false;
    for (size_t i = 0; i < k->identities; i++) k->first[i] = SIZE_MAX;
    for (size_t i = in->before.count; i-- > 0;) {
        size_t *head = &k->first[identity(k, &in->before.at[i])];
        k->next[i] = *head;
        *head = i;
    }
    return true;
}

/* How far that instant was away; NAN: it has none. The list goes on from what was found. */
static double difference_of(const struct actio_instants *in, struct matching *k, size_t now)
{
    const struct actio_instant *i = &in->now.at[now];
    size_t *at = &k->first[identity(k, i)];
    if (*at == SIZE_MAX) return NAN;
    while (k->next[*at] != SIZE_MAX && fabs(in->before.at[k->next[*at]].t - i->t) < fabs(in->before.at[*at].t - i->t))
        *at = k->next[*at];
    double d = fabs(in->before.at[*at].t - i->t);
    for (size_t j = now + 1; j < in->now.count && j < now + 64; j++) /* closer to a later one of now */
        if (in->now.at[j].kind == i->kind && in->now.at[j].index == i->index)
            return fabs(in->before.at[*at].t - in->now.at[j].t) < d ? (double)NAN : d;
    return d;
}

/* Where a value that is off by `error` at the instant reaches 0, at most: rate s + bend s^2/2 = error. Where it may not
 * reach it, both ends of what it may do. Of a zero of high order steep s^order = error. */
static double shift_of(struct actio_instant *i, double error)
{
    if (i->order) return pow(error / i->steep, 1.0 / i->order) + i->blur;
    double r = fabs(i->rate), c = fabs(i->bend), least = r * r - 2 * c * error;
    bool reaches = least > 0 || error == 0;
    i->touches = !reaches && (i->kind == ACTIO_PASSES || i->kind == ACTIO_IMPACT);
    if (reaches) return error > 0 ? 2 * error / (r + sqrt(least)) : 0;
    return c > 0 ? (r + sqrt(r * r + 2 * c * error)) / c : INFINITY;
}

/* Part of the difference of two runs that is the error of the finer one. */
static double part_of(const struct actio_ladder *l)
{
    double ratio = l->last_ratio;
    if (l->stepper->stiff || l->stepper->uneven) return fmin(1, pow(ratio, 0.7));
    return ratio < 0.5 ? ratio / (1 - ratio) : 1;
}

/* The guard's error by the differences so far; *enough: they are many. */
static double error_by_difference(const struct actio_ladder *l, struct matching *k, const struct actio_instant *i,
                                  double difference, bool *enough)
{
    size_t id = identity(k, i);
    if (!isnan(difference)) {
        double moved = difference * (fabs(i->rate) + 0.5 * fabs(i->bend) * difference);
        if (i->order) moved = i->steep * pow(difference, i->order);
        k->most[id] = fmax(k->most[id], moved);
        k->seen[id]++;
    }
    *enough = !isnan(difference) && k->seen[id] >= LUCKY;
    /* a series of bounces ends as its bounces went */
    if (i->kind == ACTIO_RESTS && !isnan(difference)) {
        struct actio_instant bounce = { .kind = ACTIO_IMPACT, .index = i->index };
        size_t before = identity(k, &bounce);
        *enough = k->seen[before] >= LUCKY;
        return DOUBT * part_of(l) * fmax(k->most[id], k->most[before]);
    }
    return DOUBT * part_of(l) * k->most[id];
}

/* By what the errors of the state are worth to the guard. */
static double error_by_state(const struct growth *g, const struct actio_instant *i, size_t check)
{
    return i->by.q * g->q[check] + i->by.v * g->v[check] + i->by.s * g->s[check];
}

static void date(const struct actio_ladder *l, const struct growth *g, struct matching *k, struct actio_instant *i,
                 double difference, double last)
{
    bool enough;
    size_t check = check_at(l, g->checks, i->met);
    if (isnan(i->rate)) {
        i->error = last; /* it comes with another; or it is where the motion begins, or between steps */
        return;
    }
    double late = fabs(i->t - i->met), value = error_by_difference(l, k, i, difference, &enough);
    if (!enough || l->measured) value = fmax(value, error_by_state(g, i, check));
    i->error = shift_of(i, value + i->residual) + ROUNDED * fmax(fabs(i->t), fabs(l->aim->t1 - l->aim->t0));
    /* what runs out after the instant that showed it */
    if (late > 0) i->error += isnan(difference) ? late : DOUBT * part_of(l) * difference;
}

/* Two passages of one guard that may be none: one instant between them. */
static void join_touches(struct actio_instant_list *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct actio_instant *last = kept ? &l->at[kept - 1] : NULL, *now = &l->at[i];
        bool same = last && last->touches && now->touches && last->kind == now->kind && last->index == now->index
                    && now->kind == ACTIO_PASSES && fabs(now->t - last->t) <= last->error + now->error;
        if (same) {
            last->error = fmax(last->error, now->error);
            last->t = 0.5 * (last->t + now->t);
        } else l->at[kept++] = *now;
    }
    l->count = kept;
}

/* ---- whether a contact happened at all */

/* Velocities that an impact there would change by, at most: of a gap that is off by `error` at a turn. */
static double kick_of(double error, double bend) { return 2 * sqrt(2 * fabs(bend) * error); }

static bool near_hangs(const struct actio_motion *m, const struct actio_near *near, double allowed)
{
    if (near->kind == ACTIO_PASSES)
        return !near->turns_back && near->error >= fabs(near->value) && actio_resets_acts_on(m, near->index);
    return near->kind == ACTIO_IMPACT && near->error >= fabs(near->value) && kick_of(near->error, near->bend) > allowed;
}

static bool impact_hangs(const struct actio_motion *m, const struct actio_instant *i, double allowed)
{
    const struct actio_instants *in = &m->instants;
    size_t n = m->n;
    double change = 0;
    if (i->kind == ACTIO_PASSES && i->touches) return actio_resets_acts_on(m, i->index);
    if (i->kind != ACTIO_IMPACT || !i->touches) return false;
    if (!i->jumps || i->numbers == ACTIO_NOWHERE) return true;
    const double *before = in->now.number + i->numbers + n;
    for (size_t k = 0; k < n; k++) change = fmax(change, fabs(before[n + k] - before[k]));
    return change > allowed;
}

static void hang_on(struct actio_ladder *l, size_t index, int kind)
{
    l->out->hangs_on = index;
    l->out->hangs_on_event = kind == ACTIO_PASSES;
}

/* The first time at which the motion hangs on an impact that may be none, or on none that may be one; or a statement on
 * such an event. */
static void find_hanging(struct actio_ladder *l)
{
    const struct actio_motion *m = l->m;
    const struct actio_instants *in = &m->instants;
    double way = l->aim->t1 < l->aim->t0 ? -1 : 1, first = INFINITY;
    for (size_t i = 0; i < in->nears; i++)
        if (near_hangs(m, &in->near[i], l->aim->tol) && way * in->near[i].t < first) {
            first = way * in->near[i].t;
            hang_on(l, in->near[i].index, in->near[i].kind);
        }
    for (size_t i = 0; i < in->now.count; i++)
        if (impact_hangs(m, &in->now.at[i], l->aim->tol) && way * in->now.at[i].t < first) {
            first = way * in->now.at[i].t;
            hang_on(l, in->now.at[i].index, in->now.at[i].kind);
        }
    l->out->hangs = first < INFINITY;
    l->out->hangs_at = way * first;
    if (!l->out->hangs || way * l->out->holds_until < first) return;
    l->out->good_rows = actio_ladder_rows_until(l, l->out->hangs_at);
    l->out->holds_until = l->out->good_rows ? l->aim->times[l->out->good_rows - 1] : l->aim->t0;
}

/* What may have happened is listed with the time around it; the order is made later. */
static void list_nears(struct actio_ladder *l)
{
    struct actio_instants *in = &l->m->instants;
    for (size_t i = 0; i < in->nears; i++) {
        const struct actio_near *near = &in->near[i];
        if (near->error < fabs(near->value)) continue;
        if (actio_instants_add(l->m, near->t, (enum actio_instant_kind)near->kind, near->index, 0, "")) return;
        struct actio_instant *one = &in->now.at[in->now.count - 1];
        one->touches = true;
        one->error = sqrt(2 * (near->error + fabs(near->value)) / fabs(near->bend));
    }
}

static void date_all(struct actio_ladder *l, const struct growth *g, struct matching *k)
{
    struct actio_instants *in = &l->m->instants;
    double same = 1e-11 * fabs(l->aim->t1 - l->aim->t0);
    for (size_t i = 0; i < in->now.count; i++) {
        struct actio_instant *now = &in->now.at[i], *last = i ? now - 1 : NULL;
        date(l, g, k, now, difference_of(in, k, i), last && fabs(last->t - now->t) <= same ? last->error : 0);
    }
    for (size_t i = 0; i < in->nears; i++) {
        struct actio_near *near = &in->near[i];
        size_t check = check_at(l, g->checks, near->t);
        double doubt = l->measured ? 1 : DOUBT; /* errors by the defect have their margin */
        near->error = doubt * (near->by.q * g->q[check] + near->by.v * g->v[check] + near->by.s * g->s[check])
                      + DOUBT * near->slack;
    }
    find_hanging(l);
}

void actio_ladder_finish(struct actio_ladder *l)
{
    list_nears(l);
    join_touches(&l->m->instants.now);
}

void actio_ladder_date(struct actio_ladder *l)
{
    struct actio_instants *in = &l->m->instants;
    size_t checks = l->out->compared;
    l->out->hangs = false;
    if (in->now.count + in->nears == 0 || checks == 0) return;
    double *room = actio_alloc(l->ctx, 3 * checks, sizeof *room);
    struct growth g = { room, room ? room + checks : NULL, room ? room + 2 * checks : NULL, checks };
    struct matching k = { 0 };
    if (room && open_matching(l, &k)) {
        read_growth(l, &g);
        date_all(l, &g, &k);
    }
    actio_free(l->ctx, room);
    actio_free(l->ctx, k.first);
    actio_free(l->ctx, k.next);
    actio_free(l->ctx, k.most);
    actio_free(l->ctx, k.seen);
}
