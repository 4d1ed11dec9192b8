/* SPDX-License-Identifier: Apache-2.0
 * What happens inside a step, and first: guards that change their signs, and a poor elimination. */
#include "solve/march_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROOTS = 64 };

static double guard_value(void *user, double t)
{
    struct actio_marching *m = user;
    m->flow->guard(m->flow->user, t, actio_march_known_at(m, t), m->g);
    return m->g[m->guard];
}

static double quality_value(void *user, double t)
{
    struct actio_marching *m = user;
    return m->flow->quality_at(m->flow->user, t, actio_march_known_at(m, t));
}

static void earliest(const struct actio_marching *m, struct actio_incident *best, enum actio_incident_kind kind,
                     double t)
{
    if (best->kind == NOTHING || before(m, t, best->t)) *best = (struct actio_incident){ kind, t, m->guard };
}

/* Does this turn count as new? Touches are reported in order, so only later ones do. */
static bool is_new_touch(const struct actio_marching *m, double t)
{
    return m->flow->touched && before(m, m->touched_at, t) && fabs(t - m->t) > 1e-6 * fabs(m->t_next - m->t);
}

static enum actio_incident_kind crossing(const struct actio_marching *m)
{
    return is_watched(m, m->guard) ? PASS : CROSSING;
}

double actio_march_instant(const struct actio_marching *m, double t)
{
    return m->direction * 1e-12 * fmax(fabs(t), fabs(m->task->t1 - m->task->t0));
}
static double instant(const struct actio_marching *m, double t) { return actio_march_instant(m, t); }

bool actio_march_ends(const struct actio_marching *m, const struct actio_incident *what)
{
    if (what->kind != PASS || !m->flow->own.ends) return what->kind == CROSSING;
    size_t i = watched_index(m, what->guard);
    int way = m->flow->way ? m->flow->way[i] : 0;
    return m->flow->own.ends[i] && (way == 0 || way == -m->side[what->guard]);
}

/* Another sign at once after a passage is rounding, as where a law finds velocities by iteration: it is not a second
 * passage. */
static bool is_stale(const struct actio_marching *m, enum actio_incident_kind kind, double t)
{
    return kind == PASS && !before(m, m->seen.passed[m->guard] + instant(m, t), t);
}

/* What is reached in the last instant is not passed: a motion that goes on from there decides. An end of its own is
 * wide enough for the errors of times. */
static bool is_at_end(const struct actio_marching *m, enum actio_incident_kind kind, double t)
{
    double span = m->task->t1 - m->task->t0, last = m->task->sides ? 0 : ACTIO_TIME_KNOWN * m->task->rtol * fabs(span);
    return kind == PASS && !before(m, t + m->direction * fmax(last, fabs(instant(m, t))), m->task->t1);
}

/* A passage at the instant of a switch is decided after it, by the sides before and after: the switch may turn the
 * guard back. */
static bool is_due(struct actio_marching *m, enum actio_incident_kind kind, double t)
{
    if (kind != PASS || m->firm.kind == NOTHING || before(m, t + instant(m, t), m->firm.t)) return false;
    m->seen.due[m->guard] = !before(m, m->firm.t + instant(m, t), t);
    return true;
}

static bool falls_away(struct actio_marching *m, double t, double d)
{
    return fabs(guard_value(m, t + d)) >= fabs(guard_value(m, t + 2 * d));
}

/* A sign that changes through infinity is not a passage: the guard is largest there. A switch may have made it jump at
 * the start of the step. */
static bool is_pole(struct actio_marching *m, enum actio_incident_kind kind, double t)
{
    double d = m->direction * fmax(1e-7 * fabs(m->t_next - m->t), 16 * DBL_EPSILON * fabs(t));
    bool left = before(m, m->look_start, t - 2 * d), right = before(m, t + 2 * d, m->look_end);
    if (kind != PASS || (m->fresh && t == m->t) || (!left && !right)) return false;
    return (!left || falls_away(m, t, -d)) && (!right || falls_away(m, t, d));
}

/* Takes a crossing or touch that counts. */
static bool happens(struct actio_marching *m, enum actio_incident_kind kind, double t, struct actio_incident *best)
{
    if (kind == NOTHING || is_stale(m, kind, t) || is_pole(m, kind, t)) return false;
    if (!is_due(m, kind, t)) earliest(m, best, kind, t);
    return true;
}

/* Since when the guard has the sign that it has at `there`: from the root before, but where the search has missed one
 * (next to a pole). */
static double sign_since(struct actio_marching *m, double root, double there, double sign)
{
    double without = root + 1e-6 * (there - root);
    if (zero_sign(guard_value(m, without)) == sign) return root;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (without + there);
        if (zero_sign(guard_value(m, middle)) == sign) there = middle;
        else without = middle;
    }
    return there;
}

/* A side that is taken without a word; the step may be looked at again, from there. */
static void take_side(struct actio_marching *m, double sign, double t)
{
    m->side[m->guard] = (signed char)sign;
    m->seen.passed[m->guard] = t;
}

/* The guard's sign between two neighbouring roots; 0 when they are one. */
static double sign_between(struct actio_marching *m, double left, double right)
{
    return left == right ? 0 : zero_sign(guard_value(m, 0.5 * (left + right)));
}

static bool is_moment(const struct actio_marching *m, double left, double right)
{
    return fabs(right - left) <= 1e-6 * fabs(m->t_next - m->t);
}

/* Behind a reflection a state within round-off of the surface may need longer for its way back than the step is, when
 * that is what rounding left of the interval. */
static bool is_on_its_way_back(const struct actio_marching *m)
{
    const double *sample = m->sample + m->guard;
    double last = sample[(ACTIO_ROOT_NODES - 1) * m->flow->guards];
    return m->fresh && fabs(m->t_next - m->t) <= 512 * DBL_EPSILON * fabs(m->t_next)
           && (last - *sample) * m->side[m->guard] >= 0;
}

/* Of a watched guard: what is too short to show its first side, or was reported before. The first side is taken. */
static bool says_nothing(struct actio_marching *m, double sign, bool moment, double right)
{
    signed char *side = &m->side[m->guard];
    bool watched = is_watched(m, m->guard);
    if (*side == 0 && moment && watched) return true;
    if (*side == 0) *side = (signed char)sign;
    return watched && !before(m, m->seen.passed[m->guard], right);
}

/* What happens at a root after which the guard has this sign, and `last` before it. */
static enum actio_incident_kind incident_at(const struct actio_marching *m, double root, double sign, double last)
{
    if (sign != m->side[m->guard]) return crossing(m);
    return sign == last && is_new_touch(m, root) ? TOUCH : NOTHING;
}

/* Goes along the signs between the roots of one guard. From the side of the mode to the other is a crossing; the way
 * back is not a crossing: a start within round-off (or projection) of the surface may lie on the wrong side for a
 * moment.
 * True: something happens. */
static bool follow_signs(struct actio_marching *m, const double *root, size_t count, struct actio_incident *best)
{
    double last = 0;
    for (size_t j = 0; j <= count; j++) {
        double left = j ? root[j - 1] : m->look_start, right = j < count ? root[j] : m->look_end;
        double sign = sign_between(m, left, right);
        if (sign == 0) continue;
        bool moment = j == 0 && ((count > 0 && is_moment(m, left, right)) || is_on_its_way_back(m));
        if (says_nothing(m, sign, moment, right)) continue;
        enum actio_incident_kind kind = moment ? NOTHING : incident_at(m, left, sign, last);
        if (kind == PASS) left = sign_since(m, left, 0.5 * (left + right), sign);
        if (is_at_end(m, kind, left)) return false;
        if (happens(m, kind, left, best)) return true;
        if (kind == PASS) take_side(m, sign, left);
        last = sign;
    }
    return false;
}

/* The same for a guard without roots in the step. */
static void follow_sign(struct actio_marching *m, double sign, struct actio_incident *best)
{
    signed char *side = &m->side[m->guard];
    if (*side == 0) *side = (signed char)sign;
    if (sign != *side && (is_on_its_way_back(m) || is_at_end(m, crossing(m), m->t))) return;
    if (sign != *side && !happens(m, crossing(m), m->t, best)) take_side(m, sign, m->t);
}

static bool sample_at_once(struct actio_marching *m)
{
    const struct actio_ode *flow = m->flow;
    if (!flow->sample || !m->stepper->dense_rows || flow->unfold) return false;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) flow->sampled_t[k] = actio_root_node(m->t, m->t_next, k);
    m->stepper->dense_rows(m->h, ACTIO_ROOT_NODES, flow->sampled_t, flow->sampled_y, ACTIO_ROOT_NODES);
    return flow->sample(flow->user, m->sample);
}

void actio_march_sample_guards(struct actio_marching *m)
{
    if (sample_at_once(m)) return;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) {
        double t = actio_root_node(m->t, m->t_next, k);
        m->flow->guard(m->flow->user, t, actio_march_known_at(m, t), m->sample + k * m->flow->guards);
    }
}

static size_t finite_nodes(const double *sample, size_t stride, size_t most)
{
    size_t k = 0;
    while (k < most && isfinite(sample[k * stride])) k++;
    return k;
}

/* The step goes to where the guard has no value (a wall written with a root, stepped over): it ends before that, if not
 * by a crossing. */
static void look_at_part(struct actio_marching *m, size_t finite, struct actio_incident *best)
{
    double root[MOST_ROOTS];
    double first = actio_root_node(m->t, m->t_next, 1);
    for (int i = 0; finite == 1 && i < 40; i++) { /* shorter than to the first node */
        m->look_end = m->t + ldexp(first - m->t, -1 - i);
        if (isfinite(guard_value(m, m->look_end))) finite = 2;
    }
    if (finite > 1) {
        size_t count = actio_roots_from(guard_value, m, m->t, m->look_end, NULL, 1, false, root, MOST_ROOTS);
        follow_signs(m, root, count, best);
    }
    earliest(m, best, CUT, m->look_end);
}

/* From where the guard has a value towards where it has none: the last time at which it has. */
static double last_value(struct actio_marching *m, double with, double without)
{
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (with + without);
        if (isfinite(guard_value(m, middle))) with = middle;
        else without = middle;
    }
    return with;
}

/* Crossings of a guard that is only looked at, in a part of the step; sample: its values at the nodes, or NULL. */
static bool look_between(struct actio_marching *m, double from, double to, const double *sample,
                         struct actio_incident *best)
{
    double root[MOST_ROOTS], passed = m->seen.passed[m->guard];
    if (!before(m, passed, to)) return false;
    if (before(m, from, passed)) {
        from = passed;
        sample = NULL;
    }
    size_t count = MOST_ROOTS;
    for (; count == MOST_ROOTS && before(m, from, to); from = root[count - 1], sample = NULL) {
        count = actio_roots_from(guard_value, m, from, to, sample, m->flow->guards, false, root, MOST_ROOTS);
        m->look_start = from;
        m->look_end = count == MOST_ROOTS ? root[count - 1] : to;
        if (follow_signs(m, root, count, best)) return true;
        if (count == 0) break;
    }
    return false;
}

/* Where the guard has no value for a while, nothing is known of its sides: each part with values is looked at by
 * itself. */
static void look_at_parts(struct actio_marching *m, const double *sample, struct actio_incident *best)
{
    size_t guards = m->flow->guards, last = ACTIO_ROOT_NODES - 1;
    for (size_t k = 0; k <= last; k++) {
        if (!isfinite(sample[k * guards])) continue;
        size_t end = k + finite_nodes(sample + k * guards, guards, ACTIO_ROOT_NODES - k) - 1;
        double from = actio_root_node(m->t, m->t_next, k), to = actio_root_node(m->t, m->t_next, end);
        if (k > 0) from = last_value(m, from, actio_root_node(m->t, m->t_next, k - 1));
        if (end < last) to = last_value(m, to, actio_root_node(m->t, m->t_next, end + 1));
        if (k > 0 && before(m, m->seen.passed[m->guard], from)) m->side[m->guard] = 0;
        if (look_between(m, from, to, NULL, best)) return;
        k = end + 1;
    }
    if (!isfinite(sample[last * guards])) m->side[m->guard] = 0;
}

/* Modes change at its start, so it shows nothing: sides are not taken from it. */
static bool is_void(const struct actio_marching *m)
{
    return m->firm.kind == CROSSING && !before(m, m->t + instant(m, m->t), m->firm.t);
}

static void look_at_watched(struct actio_marching *m, const double *sample, struct actio_incident *best)
{
    size_t guards = m->flow->guards;
    m->look_start = m->t;
    m->look_end = m->t_next;
    if (is_void(m) && (m->side[m->guard] == 0 || m->seen.calm[m->guard] != AWAKE)) {
        m->seen.due[m->guard] = m->seen.calm[m->guard] == AT_ZERO;
        return;
    }
    if (actio_march_is_calm(m, sample, best)) return;
    if (finite_nodes(sample, guards, ACTIO_ROOT_NODES) < ACTIO_ROOT_NODES) look_at_parts(m, sample, best);
    else if (actio_root_free(sample, guards)) follow_sign(m, zero_sign(*sample), best);
    else look_between(m, m->t, m->t_next, sample, best);
}

static void look_at_firm(struct actio_marching *m, const double *sample, struct actio_incident *best)
{
    double root[MOST_ROOTS];
    size_t guards = m->flow->guards, finite = finite_nodes(sample, guards, ACTIO_ROOT_NODES);
    m->look_start = m->t;
    m->look_end = finite == ACTIO_ROOT_NODES ? m->t_next : actio_root_node(m->t, m->t_next, finite ? finite - 1 : 0);
    if (finite < ACTIO_ROOT_NODES) {
        look_at_part(m, finite, best);
    } else if (actio_root_free(sample, guards)) {
        follow_sign(m, zero_sign(*sample), best);
    } else {
        bool touches = m->flow->touched != NULL;
        size_t count = actio_roots_from(guard_value, m, m->t, m->t_next, sample, guards, touches, root, MOST_ROOTS);
        follow_signs(m, root, count, best);
    }
}

/* Of the watched ones, those that end the step, or the others. */
static int look_between_guards(struct actio_marching *m, size_t from, size_t to, bool ends, struct actio_incident *best)
{
    size_t guards = m->flow->guards, firm = guards - m->flow->watched;
    for (m->guard = from; m->guard < to; m->guard++) {
        const double *sample = m->sample + m->guard;
        bool looks = m->guard < firm || ends == (m->flow->own.ends && m->flow->own.ends[m->guard - firm]);
        if (!looks) continue;
        if (!actio_root_free(sample, guards) && actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
        if (m->guard < firm) look_at_firm(m, sample, best);
        else look_at_watched(m, sample, best);
    }
    return ACTIO_FLOW_OK;
}

/* What ends the step is looked at first: others at its time are decided after it. Each root costs an evaluation of all
 * guards: where there are thousands, one step can take long. */
int actio_march_look_at_guards(struct actio_marching *m, struct actio_incident *best)
{
    size_t guards = m->flow->guards, firm = guards - m->flow->watched;
    memset(m->seen.due, 0, guards);
    m->firm = (struct actio_incident){ NOTHING, 0, SIZE_MAX };
    int status = look_between_guards(m, 0, firm, false, best);
    if (actio_march_ends(m, best)) m->firm = *best;
    if (!status && m->flow->own.ends) status = look_between_guards(m, firm, guards, true, best);
    if (actio_march_ends(m, best)) m->firm = *best;
    return status ? status : look_between_guards(m, firm, guards, false, best);
}

/* Bends of two widths agree but for rounding. */
static double agreed(double wide, double narrow)
{
    double less = fmin(fabs(wide), fabs(narrow)), more = fmax(fabs(wide), fabs(narrow));
    return wide * narrow > 0 && more <= 2 * less ? wide : 0;
}

/* By which power the guard grows with the distance from the instant, on both sides; 0: it doesn't. */
static double power_at(struct actio_marching *m, double t, double d)
{
    double before_it = guard_value(m, t - d) / guard_value(m, t - 0.5 * d),
           behind = guard_value(m, t + d) / guard_value(m, t + 0.5 * d);
    return before_it > 0 && behind > 0 ? log2(fmin(before_it, behind)) : 0;
}

/* A zero of third or higher order: the power, how steep it is, and how near the power still shows. What is nearer is
 * rounding, and the zero may be anywhere there. */
static void see_order(struct actio_marching *m, double d, struct actio_meeting *meeting)
{
    enum { HALVINGS = 60, MOST_ORDER = 15 };
    double t = meeting->t, power = power_at(m, t, d), order = round(power);
    if (!(power > 2.5) || order > MOST_ORDER) return;
    meeting->order = (int)order;
    meeting->steep = fmin(fabs(guard_value(m, t - d)), fabs(guard_value(m, t + d))) / pow(fabs(d), order);
    for (int i = 0; i < HALVINGS && fabs(power_at(m, t, 0.5 * d) - order) < 0.5; i++) d *= 0.5;
    meeting->blur = fabs(d);
}

/* A parabola through values of the guard next to the instant, inside the step. */
void actio_march_meet(struct actio_marching *m, const struct actio_incident *what, struct actio_meeting *meeting)
{
    double h = 0.5 * fmax(0.05 * fabs(what->t - m->t), 1e-3 * fabs(m->t_next - m->t)) * m->direction, g[5],
           first = what->t - 2 * h;
    if (before(m, first, m->t)) first = m->t;
    if (before(m, m->t_next, first + 4 * h)) first = m->t_next - 4 * h;
    m->guard = what->guard;
    for (int i = 0; i < 5; i++) g[i] = guard_value(m, first + i * h);
    double bend = agreed((g[4] - 2 * g[2] + g[0]) / (4 * h * h), (g[3] - 2 * g[2] + g[1]) / (h * h));
    *meeting = (struct actio_meeting){ .guard = what->guard,
                                       .t = what->t,
                                       .rate = (g[4] - g[0]) / (4 * h) + bend * (what->t - first - 2 * h),
                                       .bend = bend,
                                       .size = fmax(fabs(g[0]), fabs(g[4])) };
    if (is_watched(m, what->guard) && first == what->t - 2 * h) see_order(m, 2 * h, meeting);
}

void actio_march_look_at_quality(struct actio_marching *m, struct actio_incident *best)
{
    double t;
    if (!m->flow->quality || !m->flow->quality_at || !m->flow->singular) return;
    if (!(m->flow->quality(m->flow->user) < 0.03)) return;
    double least = actio_minimum(quality_value, m, m->t, m->t_next, &t);
    /* still falling at the end: the next step decides, unless the motion ends here */
    bool falling = fabs(t - m->t_next) <= 1e-6 * fabs(m->t_next - m->t) && before(m, m->t_next, m->task->t1);
    /* rows that are nearly dependent all the time are not a singular point: that shows as a dip */
    double around = fmax(quality_value(m, m->t), quality_value(m, m->t_next));
    if (least >= 1e-7 || (falling && least > 1e-14) || (least > 1e-2 * around && least > 1e-14)) return;
    if (fabs(t - m->singular_at) > 1e-6 * fabs(m->t_next - m->t)) earliest(m, best, SINGULAR, t);
}
