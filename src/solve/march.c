/* SPDX-License-Identifier: Apache-2.0
 * Marching: steps, output rows from dense output, and what happens inside a step: switches, touches, singular surfaces. */
#include "solve/march.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 10000000, MOST_CHATTER = 1000, MOST_ROOTS = 64, PROGRESS_EVERY = 50, CREEP_STEPS = 32768, POOR_STEPS = 512 };
#define CREEP 1e-6                                         /* of the interval, in so many steps */
#define POOR 1e-6                                          /* quality of the elimination: a singular surface is close */

enum kind { NOTHING, CROSSING, PASS, TOUCH, SINGULAR, CUT };    /* CUT: beyond, a guard has no value */
struct happening { enum kind kind; double t; size_t guard; };

struct march {
    struct actio_context *ctx;
    const struct actio_flow *flow;
    const struct actio_march_task *task;
    const struct actio_stepper *stepper;
    void *h;
    double t, t_next, direction;                           /* the step is t -> t_next, y -> y_next */
    double t_creep;                                        /* where it was CREEP_STEPS ago */
    double t_poor, poor;                                   /* where it was POOR_STEPS ago, and the quality there */
    double *y, *y_next, *y_at, *f, *g, *sample;            /* y_at, f, g: scratch */
    double *known, *moved;                                 /* scratch, where the known state is another */
    double *passed;                                        /* by guard that is only looked at: up to when its crossings were told */
    signed char *side;                                     /* sign that each guard has in this mode, 0 = not known yet */
    signed char *due;                                      /* by guard that is only looked at: it crosses together with `firm` */
    struct happening firm;                                 /* the first thing that changes modes in this step */
    size_t row[ACTIO_MARCH_LISTS];                         /* the next one of each list */
    size_t steps, rhs, projections, guard;                 /* guard: the one in hand */
    double look_start, look_end;                           /* of the part of the step in which the guard in hand has values */
    double touched_at, singular_at;                        /* the last ones told, not to be told twice */
    double chatter_from;
    size_t chatter;
    bool fresh;                                            /* the step is the first one after a restart */
    bool overdue;                                          /* rows could not be written in the time that is left after a stop */
};

static double zero_sign(double x) { return (double)(x > 0) - (double)(x < 0); }
static bool before(const struct march *m, double a, double b) { return (b - a) * m->direction > 0; }

/* The state inside the step; its ends exactly. */
static const double *state_at(struct march *m, double t)
{
    if (t == m->t) return m->y;
    if (t == m->t_next) return m->y_next;
    m->stepper->dense(m->h, t, m->y_at);
    return m->y_at;
}

/* The known state of an integrated one; what can't be unfolded is no number. */
static const double *known_of(struct march *m, double t, const double *y, double *to)
{
    const struct actio_flow *flow = m->flow;
    if (!flow->unfold) return y;
    if (flow->unfold(flow->user, t, y, to))
        for (size_t i = 0; i < flow->known; i++) to[i] = NAN;
    return to;
}

static const double *known_at(struct march *m, double t) { return known_of(m, t, state_at(m, t), m->known); }

static size_t known_length(const struct actio_flow *flow) { return flow->unfold ? flow->known : flow->n; }

static void dense_at(void *where, double t, double *y)
{
    struct march *m = where;
    memcpy(y, known_at(m, t), known_length(m->flow) * sizeof *y);
}

static void mark(const struct march *m, double t, const double *y)
{
    if (m->task->mark) m->task->mark(m->task->watch_user, t, y);
}

static void write_row(struct march *m, int list, const double *y)
{
    const struct actio_march_rows *rows = &m->task->rows[list];
    size_t r = m->row[list]++;
    for (size_t i = 0; rows->row && i < known_length(m->flow); i++) rows->row[i * rows->stride + r] = y[i];
    if (list == 0 && !m->stepper->gap) mark(m, rows->times[r], y);
}

static void tell_gap(struct march *m)
{
    double t;
    if (!m->task->gap || !m->stepper->gap || m->stepper->gap(m->h, &t, m->y_at, m->f)) return;
    if (!m->flow->unfold) {
        m->task->gap(m->task->watch_user, t, m->y_at, m->f);
        return;
    }
    known_of(m, t, m->y_at, m->known);
    for (size_t i = 0; i < m->flow->n; i++) m->y_at[i] += m->f[i];
    known_of(m, t, m->y_at, m->moved);
    for (size_t i = 0; i < m->flow->known; i++) m->moved[i] -= m->known[i];
    m->task->gap(m->task->watch_user, t, m->known, m->moved);
}

/* All at once where the stepper can, in pieces between which the clock is looked at. */
static void dense_rows(struct march *m, const struct actio_march_rows *rows, size_t *next, size_t end)
{
    enum { NUMBERS = 1 << 20, FEWEST = 16 };
    size_t piece = m->flow->n < NUMBERS / FEWEST ? NUMBERS / m->flow->n : FEWEST;
    while (*next < end && !m->overdue) {
        size_t count = end - *next < 2 * piece ? end - *next : piece;          /* the last one is not too short for it */
        m->stepper->dense_rows(m->h, count, rows->times + *next, rows->row + *next, rows->stride);
        *next += count;
        m->overdue = *next < end && actio_overdue(m->ctx);
    }
}

/* Rows of a list before t come from the interpolant of the step. Returns how many. */
static size_t list_before(struct march *m, int list, double t)
{
    const struct actio_march_rows *rows = &m->task->rows[list];
    size_t first = m->row[list], end = first;
    while (end < rows->count && before(m, rows->times[end], t)) end++;
    if (end == first) return 0;
    if (!rows->row && m->stepper->gap) return m->row[list] = end, 0;           /* its steps' ends are marked instead */
    if (m->stepper->dense_rows && rows->row && !m->flow->unfold) dense_rows(m, rows, &m->row[list], end);
    for (; m->row[list] < end && !m->overdue; m->overdue = (m->row[list] & 15) == 0 && actio_overdue(m->ctx))
        write_row(m, list, known_at(m, rows->times[m->row[list]]));
    return end - first;
}

static void rows_before(struct march *m, double t)
{
    size_t inside = list_before(m, 0, t);
    list_before(m, 1, t);
    if (inside && !m->task->mark) tell_gap(m);
}

/* Rows at the state reached; none may lie further back than the rounding of t. */
static void rows_here(struct march *m)
{
    for (int list = 0; list < ACTIO_MARCH_LISTS && !m->overdue; list++) {
        const struct actio_march_rows *rows = &m->task->rows[list];
        bool skip = !rows->row && m->stepper->gap;
        for (; m->row[list] < rows->count && !before(m, m->t, rows->times[m->row[list]]); m->row[list] += skip)
            if (!skip) write_row(m, list, known_of(m, m->t, m->y, m->known));
    }
}

static double guard_value(void *user, double t)
{
    struct march *m = user;
    m->flow->guard(m->flow->user, t, known_at(m, t), m->g);
    return m->g[m->guard];
}

static double quality_value(void *user, double t)
{
    struct march *m = user;
    return m->flow->quality_at(m->flow->user, t, known_at(m, t));
}

static void earliest(const struct march *m, struct happening *best, enum kind kind, double t)
{
    if (best->kind == NOTHING || before(m, t, best->t)) *best = (struct happening){ kind, t, m->guard };
}

/* Does this turn count as new? Touches are told in order, so only later ones do. */
static bool is_new_touch(const struct march *m, double t)
{
    return m->flow->touched && before(m, m->touched_at, t) && fabs(t - m->t) > 1e-6 * fabs(m->t_next - m->t);
}

static bool is_watched(const struct march *m, size_t guard) { return guard + m->flow->watched >= m->flow->guards; }
static enum kind crossing(const struct march *m) { return is_watched(m, m->guard) ? PASS : CROSSING; }

/* Times that differ by less than this are one instant. */
static double instant(const struct march *m, double t)
{
    return m->direction * 1e-12 * fmax(fabs(t), fabs(m->task->t1 - m->task->t0));
}

/* Another sign at once after a passage is rounding, as where a law finds velocities by iteration: it is no second passage. What is reached in the
 * last instant is not passed. */
static bool is_stale(const struct march *m, enum kind kind, double t)
{
    if (kind != PASS) return false;
    return !before(m, m->passed[m->guard] + instant(m, t), t) || !before(m, t + instant(m, t), m->task->t1);
}

/* A passage at the instant of a switch is decided after it, by the sides before and after: the switch may turn the guard back. */
static bool is_due(struct march *m, enum kind kind, double t)
{
    if (kind != PASS || m->firm.kind != CROSSING || before(m, t + instant(m, t), m->firm.t)) return false;
    m->due[m->guard] = !before(m, m->firm.t + instant(m, t), t);
    return true;
}

static bool falls_away(struct march *m, double t, double d)
{
    return fabs(guard_value(m, t + d)) >= fabs(guard_value(m, t + 2 * d));
}

/* A sign that changes through infinity is not a passage: the guard is largest there. A switch may have made it jump at the start of the step. */
static bool is_pole(struct march *m, enum kind kind, double t)
{
    double d = 1e-7 * (m->t_next - m->t);
    bool left = before(m, m->look_start, t - 2 * d), right = before(m, t + 2 * d, m->look_end);
    if (kind != PASS || (m->fresh && t == m->t) || (!left && !right)) return false;
    return (!left || falls_away(m, t, -d)) && (!right || falls_away(m, t, d));
}

/* Takes a crossing or touch that counts. */
static bool happens(struct march *m, enum kind kind, double t, struct happening *best)
{
    if (kind == NOTHING || is_stale(m, kind, t) || is_pole(m, kind, t)) return false;
    if (!is_due(m, kind, t)) earliest(m, best, kind, t);
    return true;
}

/* Since when the guard has the sign that it has at `there`: from the root before, but where the search has missed one (next to a pole). */
static double sign_since(struct march *m, double root, double there, double sign)
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
static void take_side(struct march *m, double sign, double t)
{
    m->side[m->guard] = (signed char)sign;
    m->passed[m->guard] = t;
}

/* Goes along the signs between the roots of one guard. From the side of the mode to the other is a crossing; the way back
 * is none: a start within round-off (or projection) of the surface may lie on the wrong side for a moment. True: something happens. */
static bool follow_signs(struct march *m, const double *root, size_t count, struct happening *best)
{
    signed char *side = &m->side[m->guard];
    double last = 0;
    for (size_t j = 0; j <= count; j++) {
        double left = j ? root[j - 1] : m->look_start, right = j < count ? root[j] : m->look_end;
        double sign = left == right ? 0 : zero_sign(guard_value(m, 0.5 * (left + right)));
        if (sign == 0) continue;
        if (*side == 0) *side = (signed char)sign;
        if (is_watched(m, m->guard) && !before(m, m->passed[m->guard], right)) continue;
        bool moment = j == 0 && count > 0 && fabs(right - left) <= 1e-6 * fabs(m->t_next - m->t);
        enum kind kind = sign != *side && !moment ? crossing(m) : j > 0 && sign == last && is_new_touch(m, left) ? TOUCH : NOTHING;
        if (kind == PASS) left = sign_since(m, left, 0.5 * (left + right), sign);
        if (happens(m, kind, left, best)) return true;
        if (kind == PASS) take_side(m, sign, left);
        last = sign;
    }
    return false;
}

/* The same for a guard without roots in the step. */
static void follow_sign(struct march *m, double sign, struct happening *best)
{
    signed char *side = &m->side[m->guard];
    if (*side == 0) *side = (signed char)sign;
    if (sign != *side && !happens(m, crossing(m), m->t, best)) take_side(m, sign, m->t);
}

static bool sample_at_once(struct march *m)
{
    const struct actio_flow *flow = m->flow;
    if (!flow->sample || !m->stepper->dense_rows || flow->unfold) return false;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) flow->sampled_t[k] = actio_root_node(m->t, m->t_next, k);
    m->stepper->dense_rows(m->h, ACTIO_ROOT_NODES, flow->sampled_t, flow->sampled_y, ACTIO_ROOT_NODES);
    return flow->sample(flow->user, m->sample);
}

static void sample_guards(struct march *m)
{
    if (sample_at_once(m)) return;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) {
        double t = actio_root_node(m->t, m->t_next, k);
        m->flow->guard(m->flow->user, t, known_at(m, t), m->sample + k * m->flow->guards);
    }
}

static size_t finite_nodes(const double *sample, size_t stride, size_t most)
{
    size_t k = 0;
    while (k < most && isfinite(sample[k * stride])) k++;
    return k;
}

/* The step goes to where the guard has no value (a wall written with a root, stepped over): it ends before that, if not by a crossing. */
static void look_at_part(struct march *m, size_t finite, struct happening *best)
{
    double root[MOST_ROOTS];
    double first = actio_root_node(m->t, m->t_next, 1);
    for (int i = 0; finite == 1 && i < 40; i++) {          /* shorter than to the first node */
        m->look_end = m->t + ldexp(first - m->t, -1 - i);
        if (isfinite(guard_value(m, m->look_end))) finite = 2;
    }
    if (finite > 1) follow_signs(m, root, actio_roots_from(guard_value, m, m->t, m->look_end, NULL, 1, false, root, MOST_ROOTS), best);
    earliest(m, best, CUT, m->look_end);
}

/* From where the guard has a value towards where it has none: the last time at which it has. */
static double last_value(struct march *m, double with, double without)
{
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (with + without);
        if (isfinite(guard_value(m, middle))) with = middle;
        else without = middle;
    }
    return with;
}

/* Crossings of a guard that is only looked at, in a part of the step; sample: its values at the nodes, or NULL. */
static bool look_between(struct march *m, double from, double to, const double *sample, struct happening *best)
{
    double root[MOST_ROOTS], passed = m->passed[m->guard];
    if (!before(m, passed, to)) return false;
    if (before(m, from, passed)) from = passed, sample = NULL;
    size_t count = MOST_ROOTS;
    for (; count == MOST_ROOTS && before(m, from, to); from = root[count - 1], sample = NULL) {
        count = actio_roots_from(guard_value, m, from, to, sample, m->flow->guards, false, root, MOST_ROOTS);
        m->look_start = from, m->look_end = count == MOST_ROOTS ? root[count - 1] : to;
        if (follow_signs(m, root, count, best)) return true;
        if (count == 0) break;
    }
    return false;
}

/* Where the guard has no value for a while, nothing is known of its sides: each part with values is looked at for itself. */
static void look_at_parts(struct march *m, const double *sample, struct happening *best)
{
    size_t guards = m->flow->guards, last = ACTIO_ROOT_NODES - 1;
    for (size_t k = 0; k <= last; k++) {
        if (!isfinite(sample[k * guards])) continue;
        size_t end = k + finite_nodes(sample + k * guards, guards, ACTIO_ROOT_NODES - k) - 1;
        double from = actio_root_node(m->t, m->t_next, k), to = actio_root_node(m->t, m->t_next, end);
        if (k > 0) from = last_value(m, from, actio_root_node(m->t, m->t_next, k - 1));
        if (end < last) to = last_value(m, to, actio_root_node(m->t, m->t_next, end + 1));
        if (k > 0 && before(m, m->passed[m->guard], from)) m->side[m->guard] = 0;
        if (look_between(m, from, to, NULL, best)) return;
        k = end + 1;
    }
    if (!isfinite(sample[last * guards])) m->side[m->guard] = 0;
}

static void look_at_watched(struct march *m, const double *sample, struct happening *best)
{
    size_t guards = m->flow->guards;
    m->look_start = m->t, m->look_end = m->t_next;
    if (finite_nodes(sample, guards, ACTIO_ROOT_NODES) < ACTIO_ROOT_NODES) look_at_parts(m, sample, best);
    else if (actio_root_free(sample, guards)) follow_sign(m, zero_sign(*sample), best);
    else look_between(m, m->t, m->t_next, sample, best);
}

static void look_at_firm(struct march *m, const double *sample, struct happening *best)
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
        follow_signs(m, root, actio_roots_from(guard_value, m, m->t, m->t_next, sample, guards, touches, root, MOST_ROOTS), best);
    }
}

static void look_at_guards(struct march *m, struct happening *best)
{
    size_t guards = m->flow->guards, firm = guards - m->flow->watched;
    for (m->guard = 0; m->guard < firm; m->guard++) look_at_firm(m, m->sample + m->guard, best);
    m->firm = *best;
    memset(m->due, 0, guards);
    for (; m->guard < guards; m->guard++) look_at_watched(m, m->sample + m->guard, best);
}

static void look_at_quality(struct march *m, struct happening *best)
{
    double t;
    if (!m->flow->quality || !m->flow->quality_at || !m->flow->singular) return;
    if (!(m->flow->quality(m->flow->user) < 0.03)) return;
    double least = actio_minimum(quality_value, m, m->t, m->t_next, &t);
    /* still falling at the end: the next step will tell, unless the motion ends here */
    bool falling = fabs(t - m->t_next) <= 1e-6 * fabs(m->t_next - m->t) && before(m, m->t_next, m->task->t1);
    /* rows that are nearly dependent all the time are no singular point: it shows as a dip */
    double around = fmax(quality_value(m, m->t), quality_value(m, m->t_next));
    if (least >= 1e-7 || (falling && least > 1e-14) || (least > 1e-2 * around && least > 1e-14)) return;
    if (fabs(t - m->singular_at) > 1e-6 * fabs(m->t_next - m->t)) earliest(m, best, SINGULAR, t);
}

/* What is only looked at keeps its side: a switch may take it to the other one. */
static void restart(struct march *m)
{
    size_t firm = m->flow->guards - m->flow->watched;
    for (size_t i = 0; i < firm && m->flow->side; i++) m->side[i] = (signed char)m->flow->side(m->flow->user, i);
    m->fresh = true;
    m->stepper->start(m->h, m->t, m->y, m->task->t1, m->task->rtol, m->task->atol);
}

/* One Newton correction along the flow: the state at t is more exact than the interpolant that t was found on. */
static void meet_surface(struct march *m, size_t guard, double *t, double *y)
{
    size_t n = m->flow->n;
    double length = m->t_next - m->t, small = 1e-6 * length;
    m->flow->guard(m->flow->user, *t, known_of(m, *t, y, m->known), m->g);
    double g = m->g[guard];
    m->rhs++;
    if (m->flow->rhs(m->flow->user, *t, y, m->f)) return;
    for (size_t i = 0; i < n; i++) m->y_at[i] = y[i] + small * m->f[i];
    m->flow->guard(m->flow->user, *t + small, known_of(m, *t + small, m->y_at, m->known), m->g);
    double shift = -g * small / (m->g[guard] - g);
    if (!(fabs(shift) <= 1e-4 * fabs(length)) || before(m, m->task->t1, *t + shift) || before(m, *t + shift, m->t)) return;
    for (size_t i = 0; i < n; i++) y[i] += shift * m->f[i];
    *t += shift;
}

/* Moves t and y to a time inside the step. */
static void move_to(struct march *m, const struct happening *what)
{
    size_t bytes = m->flow->n * sizeof *m->y;
    double t = what->t;
    if (t == m->t) return;
    rows_before(m, t);
    double *y = m->y_next;
    if (t != m->t_next) {
        m->stepper->dense(m->h, t, m->y_at);
        memcpy(m->f, m->y_at, bytes);
        bool exact = m->stepper->retake && m->stepper->retake(m->h, t, y) == 0;
        if (!exact) memcpy(y, m->f, bytes);
        if (exact && what->kind == CROSSING) meet_surface(m, what->guard, &t, y);
    }
    memcpy(m->y, y, bytes);
    m->t = m->t_next = t;
}

/* Crossings that get nowhere in time end the run instead of going on for ever. */
static bool chatters(struct march *m)
{
    double span = fmax(fabs(m->t), fabs(m->task->t1 - m->task->t0));
    if (fabs(m->t - m->chatter_from) > 1e-12 * span) m->chatter_from = m->t, m->chatter = 0;
    return ++m->chatter > MOST_CHATTER;
}

/* A velocity that an impact turns has not passed zero: sides are seen anew, but of what crosses at this very instant. */
static void forget_sides(struct march *m, const double *old, const double *new)
{
    if (memcmp(old, new, known_length(m->flow) * sizeof *old) == 0) return;
    for (size_t i = m->flow->guards - m->flow->watched; i < m->flow->guards; i++)
        if (!m->due[i]) m->side[i] = 0;
}

static int cross(struct march *m, const struct happening *what)
{
    move_to(m, what);
    m->guard = what->guard;
    if (m->flow->project) {
        m->projections++;
        int bad = m->flow->project(m->flow->user, m->t, m->y);
        if (bad) return bad;
    }
    double *known = m->flow->unfold ? m->known : m->y, *old = m->flow->unfold ? m->moved : m->y_next;
    known_of(m, m->t, m->y, known);
    memcpy(old, known, known_length(m->flow) * sizeof *old);
    int stop = m->flow->crossed ? m->flow->crossed(m->flow->user, what->guard, m->t, known) : 0;
    forget_sides(m, old, known);
    if (!stop && m->flow->fold) stop = m->flow->fold(m->flow->user, m->t, known, m->y);
    rows_here(m);                                          /* a row at this time has the state after it */
    if (!stop && chatters(m)) stop = ACTIO_FLOW_FAILED;
    if (stop) return stop;
    m->side[what->guard] = (signed char)-m->side[what->guard];
    m->touched_at = m->t;
    restart(m);
    return 0;
}

/* Ends the step where guards still have values, and goes on from there. */
static int cut(struct march *m, const struct happening *what)
{
    if (fabs(what->t - m->t) <= 1e-13 * fabs(m->task->t1 - m->task->t0)) return ACTIO_MARCH_STEP_TO_ZERO;
    move_to(m, what);
    if (m->flow->project) {
        m->projections++;
        int bad = m->flow->project(m->flow->user, m->t, m->y);
        if (bad) return bad;
    }
    rows_here(m);
    restart(m);
    return 0;
}

/* Tells of a touch or a singular surface; the step stays as it is unless the answer is to stop. */
static int tell(struct march *m, const struct happening *what)
{
    const struct actio_flow *flow = m->flow;
    const double *y = known_at(m, what->t);
    int stop;
    if (what->kind == PASS) {
        m->passed[what->guard] = what->t;
        m->side[what->guard] = (signed char)-m->side[what->guard];
        stop = flow->passed(flow->user, what->guard, what->t, y);
    } else if (what->kind == TOUCH) m->touched_at = what->t, stop = flow->touched(flow->user, what->guard, what->t, y);
    else m->singular_at = what->t, stop = flow->singular(flow->user, what->t, m->t, m->t_next, dense_at, m);
    if (!stop) return 0;
    move_to(m, what);
    rows_here(m);
    m->guard = what->kind == SINGULAR ? SIZE_MAX : what->guard;
    return stop;
}

/* Everything that happens inside the step, in order. *crossed: the step ended at a crossing. */
static int inside_step(struct march *m, bool *crossed)
{
    struct happening poor = { NOTHING, 0, SIZE_MAX };
    *crossed = false;
    look_at_quality(m, &poor);
    if (m->flow->guards) sample_guards(m);
    for (;;) {
        struct happening next = poor;
        if (m->flow->guards) look_at_guards(m, &next);
        m->guard = SIZE_MAX;
        if (next.kind == NOTHING) return 0;
        if (next.kind == CROSSING) return *crossed = true, cross(m, &next);
        if (next.kind == CUT) return *crossed = true, cut(m, &next);
        if (next.kind == SINGULAR) poor.kind = NOTHING;
        int stop = tell(m, &next);
        if (stop) return stop;
    }
}

static bool looks_stiff(struct march *m)
{
    struct actio_march_stats stats;
    m->stepper->stats(m->h, &stats);
    return stats.looks_stiff;
}

/* At such a pace the end is 5e8 steps away, and the elimination is poor and becomes poorer: a singular surface, which rounding keeps the steps from. */
static bool creeps_to_surface(struct march *m)
{
    if (!m->flow->quality_at || m->steps % POOR_STEPS) return false;
    double before = m->poor, way = fabs(m->t - m->t_poor);
    m->t_poor = m->t;
    m->poor = m->flow->quality_at(m->flow->user, m->t, known_of(m, m->t, m->y, m->known));
    return way < CREEP * fabs(m->task->t1 - m->task->t0) && before < POOR && m->poor < before;
}

/* At such a pace the end is 1e10 steps away: a place that is approached ever more slowly. */
static bool creeps(struct march *m)
{
    if (creeps_to_surface(m)) return true;
    if (m->steps % CREEP_STEPS) return false;
    bool slow = fabs(m->t - m->t_creep) < CREEP * fabs(m->task->t1 - m->task->t0);
    m->t_creep = m->t;
    return slow && m->steps > CREEP_STEPS;
}

static int one_step(struct march *m)
{
    const struct actio_march_task *task = m->task;
    bool crossed;
    if (actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
    if (m->steps++ >= (task->max_steps ? task->max_steps : MOST_STEPS)) return ACTIO_MARCH_TOO_MANY_STEPS;
    int bad = m->stepper->step(m->h, &m->t_next, m->y_next);
    if (!bad) bad = inside_step(m, &crossed);
    if (bad) return bad;
    if (!crossed) {
        rows_before(m, m->t_next);
        if (task->gap_every && m->steps % task->gap_every == 0) tell_gap(m);
        double *done = m->y;
        m->y = m->y_next;
        m->y_next = done;
        m->t = m->t_next;
        m->fresh = false;
        rows_here(m);
        if (m->flow->stepped) m->flow->stepped(m->flow->user, m->t, m->y);
        if (m->stepper->gap) mark(m, m->t, m->task->mark ? known_of(m, m->t, m->y, m->known) : NULL);
    }
    if (m->overdue) return ACTIO_FLOW_STOPPED;
    if (creeps(m)) return ACTIO_MARCH_STEP_TO_ZERO;
    if (task->progress && m->steps % PROGRESS_EVERY == 0) task->progress(task->progress_user, m->t);
    return task->stop_when_stiff && looks_stiff(m) ? ACTIO_MARCH_STIFF : 0;
}

/* One block for all vectors; false when there is no memory. */
static bool take_memory(struct march *m, double **block)
{
    size_t n = m->flow->n, guards = m->flow->guards, known = m->flow->unfold ? m->flow->known : 0;
    *block = actio_take(m->ctx, 4 * n + 2 * known + (ACTIO_ROOT_NODES + 2) * guards + 1, sizeof **block);
    m->side = actio_take(m->ctx, 2 * guards + 1, sizeof *m->side);
    m->h = m->stepper->open(m->ctx, m->flow);
    if (!*block || !m->side || !m->h) return false;
    m->due = m->side + guards;
    m->y = *block;
    m->y_next = m->y + n;
    m->y_at = m->y_next + n;
    m->f = m->y_at + n;
    m->g = m->f + n;
    m->sample = m->g + guards;
    m->known = m->sample + ACTIO_ROOT_NODES * guards;
    m->moved = m->known + known;
    m->passed = m->moved + known;
    return true;
}

static int run(struct march *m)
{
    const struct actio_march_task *task = m->task;
    int status = 0;
    double *known = m->flow->unfold ? m->known : m->y;
    memcpy(known, task->y0, known_length(m->flow) * sizeof *known);
    if (m->flow->enter) status = m->flow->enter(m->flow->user, task->t0, known);
    if (!status && m->flow->fold) status = m->flow->fold(m->flow->user, task->t0, known, m->y);
    for (size_t i = 0; i < m->flow->guards; i++) m->passed[i] = task->t0 - m->direction * HUGE_VAL;
    m->t = m->t_next = m->chatter_from = m->t_poor = task->t0;
    m->poor = 1;
    m->touched_at = m->singular_at = task->t0 - m->direction * HUGE_VAL;
    m->guard = SIZE_MAX;
    rows_here(m);
    if (status) return status;
    restart(m);
    while (!status && before(m, m->t, task->t1)) status = one_step(m);
    return status;
}

static void report(struct march *m, struct actio_march_result *out)
{
    double *y = out->y;
    m->stepper->stats(m->h, &out->stats);
    out->stats.rhs += m->rhs;
    out->stats.projections += m->projections;
    out->rows = m->row[0], out->also = m->row[1];
    out->t = m->t;
    out->guard = m->guard;
    if (y) memcpy(y, known_of(m, m->t, m->y, m->known), known_length(m->flow) * sizeof *y);
}

int actio_march(struct actio_context *ctx, const struct actio_flow *flow, const struct actio_march_task *task, struct actio_march_result *out)
{
    struct march m = { .ctx = ctx, .flow = flow, .task = task, .stepper = task->stepper ? task->stepper : &actio_dop853,
                       .direction = task->t1 < task->t0 ? -1 : 1 };
    double *block = NULL;
    *out = (struct actio_march_result){ .status = ACTIO_MARCH_NO_MEMORY, .t = task->t0, .guard = SIZE_MAX, .y = out->y };
    if (take_memory(&m, &block)) {
        out->status = run(&m);
        report(&m, out);
    }
    if (m.h) m.stepper->close(m.h);
    actio_give(ctx, m.side);
    actio_give(ctx, block);
    return out->status;
}
