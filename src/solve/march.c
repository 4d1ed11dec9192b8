/* SPDX-License-Identifier: Apache-2.0
 * Marching: steps, output rows from dense output, and what happens inside a step: switches, touches, singular surfaces.
 * */
#include "solve/march_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 10000000, MOST_CHATTER = 1000, PROGRESS_EVERY = 50, CREEP_STEPS = 32768, POOR_STEPS = 512 };
#define CREEP 1e-6 /* of the interval, in so many steps */
#define SHORT 1e-3 /* of the interval: POOR_STEPS that go no farther are short */
#define POOR 1e-6  /* quality of the elimination: a singular surface is close */

/* The state inside the step; its ends exactly. */
static const double *state_at(struct actio_marching *m, double t)
{
    if (t == m->t) return m->y;
    if (t == m->t_next) return m->y_next;
    m->stepper->dense(m->h, t, m->y_at);
    return m->y_at;
}

/* The known state of an integrated one; what can't be unfolded is not a number. */
const double *actio_march_known_of(struct actio_marching *m, double t, const double *y, double *to)
{
    const struct actio_ode *flow = m->flow;
    if (!flow->unfold) return y;
    if (flow->unfold(flow->user, t, y, to))
        for (size_t i = 0; i < flow->known; i++) to[i] = NAN;
    return to;
}

const double *actio_march_known_at(struct actio_marching *m, double t)
{
    return actio_march_known_of(m, t, state_at(m, t), m->known);
}

double actio_march_slack(struct actio_marching *m, size_t guard, double t)
{
    double at, *f = m->f;
    if (!m->stepper->gap || m->flow->unfold || m->stepper->gap(m->h, &at, m->y_at, f)) return 0;
    const double *y = state_at(m, t);
    m->flow->guard(m->flow->user, t, y, m->g);
    double value = m->g[guard];
    for (size_t i = 0; i < m->flow->n; i++) m->y_at[i] = y[i] + f[i];
    m->flow->guard(m->flow->user, t, m->y_at, m->g);
    return fabs(m->g[guard] - value);
}

static void dense_at(void *where, double t, double *y)
{
    struct actio_marching *m = where;
    memcpy(y, actio_march_known_at(m, t), known_length(m->flow) * sizeof *y);
}

static void slope_at(void *where, double t, double *y, double *dy)
{
    struct actio_marching *m = where;
    m->stepper->slope(m->h, t, y, dy);
}

static bool looks_at(void *where, double from, double to, struct actio_looks *at)
{
    struct actio_marching *m = where;
    return m->stepper->looks && m->stepper->looks(m->h, from, to, at);
}

static struct actio_inside inside_of(struct actio_marching *m)
{
    const struct actio_stepper *s = m->stepper;
    bool knows = s->slope && !m->flow->unfold;
    return (struct actio_inside){ dense_at, knows ? slope_at : NULL, looks_at, m, s->pace ? s->pace(m->h) : 0, false };
}

static void follow_part(struct actio_marching *m, double t)
{
    const struct actio_follower *to = m->task->follower;
    struct actio_inside inside = inside_of(m);
    inside.cut = t != m->t_next;
    to->part(to->user, m->t, t, &inside);
}

/* A step that something narrow is passed over in is done again, up to there. */
static int vet(struct actio_marching *m)
{
    enum { MOST = 60 };
    int bad = 0;
    if (!m->flow->vet || !m->stepper->retake) return 0;
    for (int again = 0; !bad && again < MOST; again++) {
        struct actio_inside inside = inside_of(m);
        double end = m->flow->vet(m->flow->user, m->t, m->t_next, &inside);
        if (end == m->t_next || !before(m, m->t, end)) return 0;
        bad = m->stepper->retake(m->h, end, m->y_next);
        m->t_next = end;
    }
    return bad;
}

static void mark(const struct actio_marching *m, double t, const double *y)
{
    if (m->task->mark) m->task->mark(m->task->watch_user, t, y);
}

static void write_row(struct actio_marching *m, int list, const double *y)
{
    const struct actio_march_rows *rows = &m->task->rows[list];
    size_t r = m->row[list]++;
    for (size_t i = 0; rows->row && i < known_length(m->flow); i++) rows->row[i * rows->stride + r] = y[i];
    if (list == 0 && !m->stepper->gap) mark(m, rows->times[r], y);
}

static void tell_gap(struct actio_marching *m)
{
    double t;
    if (!m->task->gap || !m->stepper->gap || m->stepper->gap(m->h, &t, m->y_at, m->f)) return;
    if (!m->flow->unfold) {
        m->task->gap(m->task->watch_user, t, m->y_at, m->f);
        return;
    }
    actio_march_known_of(m, t, m->y_at, m->known);
    for (size_t i = 0; i < m->flow->n; i++) m->y_at[i] += m->f[i];
    actio_march_known_of(m, t, m->y_at, m->moved);
    for (size_t i = 0; i < m->flow->known; i++) m->moved[i] -= m->known[i];
    m->task->gap(m->task->watch_user, t, m->known, m->moved);
}

/* All at once where the stepper can, in pieces between which the clock is looked at. */
static void dense_rows(struct actio_marching *m, const struct actio_march_rows *rows, size_t *next, size_t end)
{
    enum { NUMBERS = 1 << 20, FEWEST = 16 };
    size_t piece = m->flow->n < NUMBERS / FEWEST ? NUMBERS / m->flow->n : FEWEST;
    while (*next < end && !m->overdue) {
        size_t count = end - *next < 2 * piece ? end - *next : piece; /* the last one is not too short for it */
        m->stepper->dense_rows(m->h, count, rows->times + *next, rows->row + *next, rows->stride);
        *next += count;
        m->overdue = *next < end && actio_overdue(m->ctx);
    }
}

/* Rows of a list before t come from the interpolant of the step. Returns how many. */
static size_t list_before(struct actio_marching *m, int list, double t)
{
    const struct actio_march_rows *rows = &m->task->rows[list];
    size_t first = m->row[list], end = first;
    while (end < rows->count && before(m, rows->times[end], t)) end++;
    if (end == first) return 0;
    if (!rows->row && m->stepper->gap) {
        m->row[list] = end;
        return 0; /* its steps' ends are marked instead */
    }
    if (m->stepper->dense_rows && rows->row && !m->flow->unfold) dense_rows(m, rows, &m->row[list], end);
    for (; m->row[list] < end && !m->overdue; m->overdue = (m->row[list] & 15) == 0 && actio_overdue(m->ctx))
        write_row(m, list, actio_march_known_at(m, rows->times[m->row[list]]));
    return end - first;
}

static void rows_before(struct actio_marching *m, double t)
{
    if (m->task->follower) follow_part(m, t);
    size_t inside = list_before(m, 0, t);
    list_before(m, 1, t);
    if (inside && !m->task->mark) tell_gap(m);
}

/* Who follows the motion sees the known state; jumps: as it is before what happens there. */
static void follow(const struct actio_marching *m, const double *known, bool jumps)
{
    const struct actio_follower *to = m->task->follower;
    if (to) to->at(to->user, m->t, known, jumps);
}

/* Rows at the state reached; none may lie further back than the rounding of t. */
static void rows_here(struct actio_marching *m)
{
    for (int list = 0; list < ACTIO_MARCH_LISTS && !m->overdue; list++) {
        const struct actio_march_rows *rows = &m->task->rows[list];
        bool skip = !rows->row && m->stepper->gap;
        for (; m->row[list] < rows->count && !before(m, m->t, rows->times[m->row[list]]); m->row[list] += skip)
            if (!skip) write_row(m, list, actio_march_known_of(m, m->t, m->y, m->known));
    }
    if (m->task->follower) follow(m, actio_march_known_of(m, m->t, m->y, m->known), false);
}

/* What is only looked at keeps its side: a switch may take it to the other one. */
static void restart(struct actio_marching *m)
{
    size_t firm = m->flow->guards - m->flow->watched;
    for (size_t i = 0; i < firm && m->flow->side; i++) m->side[i] = (signed char)m->flow->side(m->flow->user, i);
    m->fresh = true;
    m->t_stop = m->flow->clock.next ? fmin(m->flow->clock.next(m->flow->user), m->task->t1) : m->task->t1;
    m->stepper->start(m->h, m->t, m->y, m->t_stop, m->task->rtol, m->task->atol);
}

/* One Newton correction along the flow: the state at t is more exact than the interpolant that t was found on. */
static void meet_surface(struct actio_marching *m, size_t guard, double *t, double *y)
{
    size_t n = m->flow->n;
    double length = m->t_next - m->t, small = 1e-6 * length;
    m->flow->guard(m->flow->user, *t, actio_march_known_of(m, *t, y, m->known), m->g);
    double g = m->g[guard];
    m->rhs++;
    if (m->flow->rhs(m->flow->user, *t, y, m->f)) return;
    for (size_t i = 0; i < n; i++) m->y_at[i] = y[i] + small * m->f[i];
    m->flow->guard(m->flow->user, *t + small, actio_march_known_of(m, *t + small, m->y_at, m->known), m->g);
    double shift = -g * small / (m->g[guard] - g);
    if (!(fabs(shift) <= 1e-4 * fabs(length)) || before(m, m->task->t1, *t + shift) || before(m, *t + shift, m->t))
        return;
    for (size_t i = 0; i < n; i++) y[i] += shift * m->f[i];
    double met = *t + shift;
    m->since = m->flow->timely ? (met - *t) - shift : 0;
    if (m->since * m->direction < 0 && before(m, met, m->task->t1)) {
        met = nextafter(met, m->direction * INFINITY);
        m->since = (met - *t) - shift;
    }
    *t = met;
}

/* Times are rounded: the state behind a crossing goes on for what has passed since it. Otherwise a long motion with
 * many crossings falls behind by half the last digit of t at each. */
static void catch_up(struct actio_marching *m)
{
    double since = m->since;
    m->since = 0;
    if (since == 0) return;
    m->rhs++;
    if (m->flow->rhs(m->flow->user, m->t, m->y, m->f)) return;
    for (size_t i = 0; i < m->flow->n; i++) m->y[i] += since * m->f[i];
}

/* Moves t and y to a time inside the step. */
static void move_to(struct actio_marching *m, const struct actio_incident *what)
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
        if (exact && (what->kind == CROSSING || what->kind == PASS)) meet_surface(m, what->guard, &t, y);
    }
    memcpy(m->y, y, bytes);
    m->t = m->t_next = t;
}

/* Crossings that get nowhere in time end the run instead of going on for ever. */
static bool chatters(struct actio_marching *m)
{
    double span = fmax(fabs(m->t), fabs(m->task->t1 - m->task->t0));
    if (fabs(m->t - m->chatter_from) > 1e-12 * span) {
        m->chatter_from = m->t;
        m->chatter = 0;
    }
    return ++m->chatter > MOST_CHATTER;
}

/* A known state that may have jumped becomes the one that is integrated, also where the motion ends with it. */
static int fold_back(struct actio_marching *m, const double *known, int stop)
{
    if (!m->flow->fold || (stop && stop != ACTIO_FLOW_ENDED)) return stop;
    int bad = m->flow->fold(m->flow->user, m->t, known, m->y);
    return bad ? bad : stop;
}

/* The guard's value in the state that the motion has there, which may be more exact than the interpolant. */
static void meet(struct actio_marching *m, struct actio_meeting *meeting, double t, const double *y)
{
    meeting->t = t;
    meeting->y = y;
    m->flow->guard(m->flow->user, t, y, m->g);
    meeting->value = m->g[meeting->guard];
    meeting->slack += fabs(meeting->value);
    if (fabs(meeting->value) > 0.5 * meeting->size && meeting->size > 0) meeting->rate = NAN;
    m->flow->list.meet(m->flow->user, meeting);
}

static int leave(struct actio_marching *m, int stop, const double *old, const double *y)
{
    if (!m->flow->list.leave || (stop && stop != ACTIO_FLOW_ENDED)) return stop;
    int bad = m->flow->list.leave(m->flow->user, m->t, old, y);
    return bad ? bad : stop;
}

/* What follows a crossing at its own time has no rate of its own. */
static void meet_inside(struct actio_marching *m, const struct actio_incident *what, struct actio_meeting *meeting)
{
    actio_march_meet(m, what, meeting);
    if (what->kind == PASS && m->fresh && what->t == m->t && m->seen.crossed_at == m->t) meeting->rate = NAN;
}

/* A guard that ends the step is beyond; one that stays at zero has no side. */
static void go_beyond(struct actio_marching *m, const struct actio_incident *what)
{
    if (what->kind != PASS) return;
    m->side[what->guard] = (signed char)-m->side[what->guard];
    m->seen.passed[what->guard] = m->t;
}

static void fall_asleep(struct actio_marching *m, const struct actio_incident *what)
{
    if (what->kind != PASS || m->seen.calm[what->guard] == AWAKE) return;
    m->seen.calm[what->guard] = ASLEEP;
    m->side[what->guard] = 0;
}

static int cross(struct actio_marching *m, const struct actio_incident *what)
{
    struct actio_meeting meeting;
    if (m->flow->list.meet) meet_inside(m, what, &meeting);
    move_to(m, what);
    m->guard = what->guard;
    if (m->flow->project) {
        m->projections++;
        int bad = m->flow->project(m->flow->user, m->t, m->y);
        if (bad) return bad;
    }
    double *known = m->flow->unfold ? m->known : m->y, *old = m->flow->unfold ? m->moved : m->y_next;
    actio_march_known_of(m, m->t, m->y, known);
    memcpy(old, known, known_length(m->flow) * sizeof *old);
    if (m->task->follower && m->task->follower->crosses)
        m->task->follower->crosses(m->task->follower->user, what->guard, m->since);
    follow(m, known, true);
    if (m->flow->list.meet) meet(m, &meeting, m->t, old);
    actio_march_keep_sides(m);
    go_beyond(m, what);
    int stop = m->flow->crossed ? m->flow->crossed(m->flow->user, what->guard, m->t, known) : 0;
    stop = leave(m, stop, old, known);
    if (what->kind == CROSSING) m->seen.crossed_at = m->t;
    actio_march_see_sides(m, old, known);
    fall_asleep(m, what);
    stop = fold_back(m, known, stop);
    if (!stop) catch_up(m);
    rows_here(m); /* a row at this time has the state after it */
    if (!stop && chatters(m)) stop = ACTIO_FLOW_FAILED;
    if (stop) return stop;
    if (what->kind == CROSSING) m->side[what->guard] = (signed char)-m->side[what->guard];
    m->touched_at = m->t;
    restart(m);
    return 0;
}

/* Rows at the clock's time have the state after it, whatever rounding makes of T0 + k T. */
#define SAME_ROW (8 * DBL_EPSILON)

/* The step has ended where something happens by the clock. */
static int tick(struct actio_marching *m)
{
    double *known = m->flow->unfold ? m->known : m->y;
    actio_march_known_of(m, m->t, m->y, known);
    memcpy(m->moved_by_tick, known, known_length(m->flow) * sizeof *known);
    follow(m, known, true);
    memset(m->seen.due, 0, m->flow->guards);
    actio_march_keep_sides(m);
    int stop = leave(m, m->flow->clock.tick(m->flow->user, m->t, known), m->moved_by_tick, known);
    actio_march_see_sides(m, m->moved_by_tick, known);
    stop = fold_back(m, known, stop);
    rows_here(m);
    if (stop) return stop;
    m->ticks++;
    if (before(m, m->t, m->task->t1)) restart(m);
    return 0;
}

/* Ends the step where guards still have values, and goes on from there. */
static int cut(struct actio_marching *m, const struct actio_incident *what)
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

static int pass(struct actio_marching *m, const struct actio_incident *what)
{
    const struct actio_ode *flow = m->flow;
    struct actio_meeting meeting;
    if (!flow->list.meet) return flow->passed(flow->user, what->guard, what->t, actio_march_known_at(m, what->t));
    meet_inside(m, what, &meeting);
    meeting.slack = actio_march_slack(m, what->guard, what->t);
    const double *y = actio_march_known_at(m, what->t);
    meet(m, &meeting, what->t, y);
    int stop = flow->passed(flow->user, what->guard, what->t, y);
    return stop ? stop : flow->list.leave(flow->user, what->t, y, y);
}

/* Reports a touch or a singular surface; the step stays as it is unless the answer is to stop. */
static int tell(struct actio_marching *m, const struct actio_incident *what)
{
    static const signed char either = 0;
    const struct actio_ode *flow = m->flow;
    const double *y = what->kind == PASS ? NULL : actio_march_known_at(m, what->t);
    int stop;
    if (what->kind == PASS) {
        m->seen.passed[what->guard] = what->t;
        m->side[what->guard] = (signed char)-m->side[what->guard];
        const signed char *way = flow->way ? flow->way + what->guard + flow->watched - flow->guards : &either;
        stop = *way && *way != m->side[what->guard] ? 0 : pass(m, what);
        fall_asleep(m, what);
    } else if (what->kind == TOUCH) {
        m->touched_at = what->t;
        stop = flow->touched(flow->user, what->guard, what->t, y);
    } else {
        m->singular_at = what->t;
        stop = flow->singular(flow->user, what->t, m->t, m->t_next, dense_at, m);
    }
    if (!stop) return 0;
    move_to(m, what);
    rows_here(m);
    m->guard = what->kind == SINGULAR ? SIZE_MAX : what->guard;
    return stop;
}

/* Everything that happens inside the step, in order. *crossed: the step ended at a crossing. */
static int inside_step(struct actio_marching *m, bool *crossed)
{
    struct actio_incident poor = { NOTHING, 0, SIZE_MAX };
    bool looked = m->flow->guards == 0;
    *crossed = false;
    actio_march_look_at_quality(m, &poor);
    if (m->flow->guards) actio_march_sample_guards(m);
    for (;;) {
        struct actio_incident next = poor;
        int late = m->flow->guards ? actio_march_look_at_guards(m, &next) : 0;
        m->guard = SIZE_MAX;
        if (late) return late;
        if (next.kind == NOTHING && !looked) actio_march_meets_clock(m, &next);
        bool ends = actio_march_ends(m, &next);
        if (!looked) actio_march_look_near(m, ends || next.kind == CUT ? next.t : m->t_next);
        looked = true;
        if (next.kind == NOTHING) return 0;
        if (ends) {
            *crossed = true;
            return cross(m, &next);
        }
        if (next.kind == CUT) {
            *crossed = true;
            return cut(m, &next);
        }
        if (next.kind == SINGULAR) poor.kind = NOTHING;
        int stop = tell(m, &next);
        if (stop) return stop;
    }
}

static bool looks_stiff(struct actio_marching *m)
{
    struct actio_march_stats stats;
    m->stepper->stats(m->h, &stats);
    return stats.looks_stiff;
}

/* At such a pace the end is 5e8 steps away, and the elimination is poor and becomes poorer: a singular surface, which
 * rounding keeps the steps from. */
static bool creeps_to_surface(struct actio_marching *m, double way)
{
    if (!m->flow->quality_at) return false;
    double before = m->poor;
    m->poor = m->flow->quality_at(m->flow->user, m->t, actio_march_known_of(m, m->t, m->y, m->known));
    return way < CREEP * fabs(m->task->t1 - m->task->t0) && before < POOR && m->poor < before;
}

/* Very short steps in which forces turn round. */
static bool creeps_to_rest(struct actio_marching *m, double way)
{
    return m->flow->sticks && way < SHORT * fabs(m->task->t1 - m->task->t0)
           && m->flow->sticks(m->flow->user, m->t, actio_march_known_of(m, m->t, m->y, m->known));
}

/* At such a pace the end is 1e10 steps away: a place that is approached ever more slowly. */
static bool creeps(struct actio_marching *m)
{
    double way = fabs(m->t - m->t_poor);
    bool looks = m->steps % POOR_STEPS == 0;
    if (looks) m->t_poor = m->t;
    if (looks && (creeps_to_surface(m, way) || creeps_to_rest(m, way))) return true;
    if (m->steps % CREEP_STEPS) return false;
    bool slow = fabs(m->t - m->t_creep) < CREEP * fabs(m->task->t1 - m->task->t0);
    m->t_creep = m->t;
    return slow && m->steps > CREEP_STEPS;
}

static void mark_here(struct actio_marching *m)
{
    if (m->stepper->gap && m->task->mark) mark(m, m->t, actio_march_known_of(m, m->t, m->y, m->known));
}

/* The end of a step in which nothing happened, but what the clock makes happen there. */
static int end_step(struct actio_marching *m)
{
    size_t every = m->task->gap_every;
    double slack = SAME_ROW * fabs(m->t_next), *done = m->y;
    bool ticks = m->flow->clock.next && m->flow->clock.next(m->flow->user) <= m->t_next + slack;
    rows_before(m, ticks ? m->t_next - slack : m->t_next);
    if (every && m->steps % every == 0) tell_gap(m);
    m->y = m->y_next;
    m->y_next = done;
    m->t = m->t_next;
    m->fresh = false;
    if (!ticks) rows_here(m);
    if (m->flow->stepped) m->flow->stepped(m->flow->user, m->t, m->y);
    int stop = ticks ? tick(m) : 0;
    if (!stop) mark_here(m);
    return stop;
}

static int one_step(struct actio_marching *m)
{
    const struct actio_march_task *task = m->task;
    bool crossed;
    if (actio_stopped(m->ctx)) return ACTIO_FLOW_STOPPED;
    if (m->steps++ >= (task->max_steps ? task->max_steps : MOST_STEPS)) return ACTIO_MARCH_TOO_MANY_STEPS;
    int bad = m->stepper->step(m->h, &m->t_next, m->y_next);
    if (!bad) bad = vet(m);
    if (!bad) bad = inside_step(m, &crossed);
    if (!bad && !crossed) bad = end_step(m);
    if (bad) return bad;
    if (m->overdue) return ACTIO_FLOW_STOPPED;
    if (creeps(m)) return ACTIO_MARCH_STEP_TO_ZERO;
    if (task->progress && m->steps % PROGRESS_EVERY == 0) task->progress(task->progress_user, m->t);
    return task->stop_when_stiff && looks_stiff(m) ? ACTIO_MARCH_STIFF : 0;
}

/* One block for all vectors; false when there is no memory. */
static bool march_take_memory(struct actio_marching *m, double **block)
{
    size_t n = m->flow->n, guards = m->flow->guards, known = m->flow->unfold ? m->flow->known : 0;
    size_t jump = m->flow->clock.next ? known_length(m->flow) : 0;
    *block = actio_alloc(m->ctx, 4 * n + jump + 2 * known + (ACTIO_ROOT_NODES + 3) * guards + 1, sizeof **block);
    m->side = actio_alloc(m->ctx, 4 * guards + 1, sizeof *m->side);
    m->h = m->stepper->open(m->ctx, m->flow);
    if (!*block || !m->side || !m->h) return false;
    m->seen.due = m->side + guards;
    m->seen.was = m->seen.due + guards;
    m->seen.calm = m->seen.was + guards;
    m->y = *block;
    m->y_next = m->y + n;
    m->y_at = m->y_next + n;
    m->f = m->y_at + n;
    m->g = m->f + n;
    m->sample = m->g + guards;
    m->known = m->sample + ACTIO_ROOT_NODES * guards;
    m->moved = m->known + known;
    m->seen.passed = m->moved + known;
    m->seen.most = m->seen.passed + guards;
    m->moved_by_tick = m->seen.most + guards;
    return true;
}

static int run(struct actio_marching *m)
{
    const struct actio_march_task *task = m->task;
    int status = 0;
    double *known = m->flow->unfold ? m->known : m->y;
    memcpy(known, task->y0, known_length(m->flow) * sizeof *known);
    size_t firm = m->flow->guards - m->flow->watched;
    if (m->flow->own.lend)
        m->flow->own.lend(m->flow->user,
                          (struct actio_sides){ m->side + firm, m->seen.due + firm, m->seen.most + firm });
    for (size_t i = 0; i < m->flow->guards; i++) m->seen.passed[i] = task->t0 - m->direction * HUGE_VAL;
    if (task->sides && m->flow->watched) {
        size_t watched = m->flow->watched;
        memcpy(m->side + firm, task->sides, watched);
        memcpy(m->seen.calm + firm, task->sides + watched, watched);
        memcpy(m->seen.passed + firm, task->passed, watched * sizeof *m->seen.passed);
        memcpy(m->seen.most + firm, task->passed + watched, watched * sizeof *m->seen.most);
    }
    if (m->flow->enter) status = m->flow->enter(m->flow->user, task->t0, known);
    if (!status && m->flow->fold) status = m->flow->fold(m->flow->user, task->t0, known, m->y);
    m->t = m->t_next = m->chatter_from = m->t_poor = task->t0;
    m->poor = 1;
    m->touched_at = m->singular_at = m->seen.crossed_at = task->t0 - m->direction * HUGE_VAL;
    m->guard = SIZE_MAX;
    rows_here(m);
    if (status) return status;
    restart(m);
    while (!status && before(m, m->t, task->t1)) status = one_step(m);
    return status;
}

static void report(struct actio_marching *m, struct actio_march_result *out)
{
    double *y = out->y;
    m->stepper->stats(m->h, &out->stats);
    out->stats.rhs += m->rhs;
    out->stats.projections += m->projections;
    out->stats.restarts -= m->ticks < out->stats.restarts ? m->ticks : out->stats.restarts; /* at known times */
    out->rows = m->row[0];
    out->also = m->row[1];
    out->t = m->t;
    out->guard = m->guard;
    if (y) memcpy(y, actio_march_known_of(m, m->t, m->y, m->known), known_length(m->flow) * sizeof *y);
    size_t watched = m->flow->watched, firm = m->flow->guards - watched;
    if (!m->task->sides || !watched) return;
    memcpy(m->task->sides, m->side + firm, watched);
    memcpy(m->task->sides + watched, m->seen.calm + firm, watched);
    memcpy(m->task->passed, m->seen.passed + firm, watched * sizeof *m->seen.passed);
    memcpy(m->task->passed + watched, m->seen.most + firm, watched * sizeof *m->seen.most);
}

int actio_march(struct actio_context *ctx, const struct actio_ode *flow, const struct actio_march_task *task,
                struct actio_march_result *out)
{
    struct actio_marching m = { .ctx = ctx,
                                .flow = flow,
                                .task = task,
                                .stepper = task->stepper ? task->stepper : &actio_dop853,
                                .direction = task->t1 < task->t0 ? -1 : 1 };
    double *block = NULL;
    *out =
        (struct actio_march_result){ .status = ACTIO_MARCH_NO_MEMORY, .t = task->t0, .guard = SIZE_MAX, .y = out->y };
    if (march_take_memory(&m, &block)) {
        out->status = run(&m);
        report(&m, out);
    }
    if (m.h) m.stepper->close(m.h);
    actio_free(ctx, m.side);
    actio_free(ctx, block);
    return out->status;
}
