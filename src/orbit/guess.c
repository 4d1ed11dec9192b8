/* SPDX-License-Identifier: Apache-2.0
 * Where a search for a periodic orbit begins: a near return of the motion from the model's start, or a period that is
 * given. */
#include "orbit/orbits.h"

#include "algebra/dense.h"
#include "problem/states.h"

#include <math.h>
#include <string.h>

/* DEAR: right-hand sides, beyond which nothing is done twice */
enum {
    SAMPLES = 2400,
    MOST_NODES = 400,
    PROBES = 16,
    STROBES = 200,
    PER_TURN = 12,
    STEPS_BESIDE = 60,
    LONG = 200000,
    MOST_EFFORT = 60000000,
    DEAR = 1000000
};
#define ROUGH 1e-9    /* local tolerance of trajectories */
#define BY_ERROR 1e-6 /* of its size: a way that their errors make */
#define FINE 1e-14    /* that to the first node: it stays on the orbit through the start */
#define NEAR 0.02     /* of the size of the motion: a return */
#define CLEAR 5e-3    /* of the period: no node is nearer to an instant */
#define GROWTH 50.0   /* between nodes: what a disturbance may grow by */

struct path {
    size_t count, ny;
    double *times, *y, *block;
}; /* component i of sample k at y[i*count + k] */

static double weight_of(const struct actio_search *s)
{
    const struct actio_motion *m = &s->problem->motion;
    const struct actio_kernel *k = m->at[m->rows.numeric ? ACTIO_Q_EQUATIONS_Y : ACTIO_Q_TANGENT].k;
    double size = (double)(m->N + m->p);
    return 1 + (k ? (double)actio_kernel_ops(k) / 200 : 0) + (m->rows.numeric ? size * size * size / 20 : 0);
}

double actio_orbit_effort(const struct actio_search *s) { return (double)s->o.x.rhs * weight_of(s); }

static int open_path(struct actio_search *s, struct path *p, double t0, double t1, size_t count)
{
    size_t ny = s->o.ny;
    *p = (struct path){ .ny = ny, .count = count };
    p->block = actio_alloc(s->problem->ctx, count * (ny + 1) + 1, sizeof(double));
    if (!p->block) return ACTIO_MARCH_NO_MEMORY;
    p->times = p->block;
    p->y = p->block + count;
    for (size_t k = 0; k < count; k++)
        p->times[k] = k + 1 == count ? t1 : t0 + (t1 - t0) * (double)k / (double)(count - 1);
    return 0;
}

static void close_path(struct actio_search *s, struct path *p) { actio_free(s->problem->ctx, p->block); }

static int follow_path(struct actio_search *s, struct path *p, const double *y)
{
    int status;
    size_t before = s->o.x.rhs;
    s->o.x.most_steps = (size_t)(MOST_EFFORT / 12 / weight_of(s)) + 100;
    bool start = y == s->problem->y0;
    if (start) actio_tangent_place(&s->o.x, NULL);
    else actio_tangent_rewind(&s->o.x);
    s->o.x.begins = start;
    s->o.x.whens = 0;
    size_t reached = actio_tangent_sample(&s->o.x, p->times[0], y, p->times, p->count, p->y, ROUGH, &status);
    s->o.x.begins = false;
    if (status == ACTIO_FLOW_STOPPED || reached < 2) return status ? status : ACTIO_FLOW_FAILED;
    for (size_t i = 1; reached < p->count && i < p->ny; i++)
        memmove(p->y + i * reached, p->y + i * p->count, reached * sizeof *p->y);
    p->count = reached;
    s->o.is_long = s->o.x.rhs - before > LONG;
    /* finer, and with derivatives, it takes some times as many; more is noise at a singular state */
    s->o.x.most_steps = STEPS_BESIDE * ((s->o.x.rhs - before) / 12 + 100);
    return 0;
}

static double distance(const struct actio_search *s, const struct path *p, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < p->ny; i++) {
        if (s->o.loose[i]) continue;
        double d = (p->y[i * p->count + b] - p->y[i * p->count + a] - s->o.turn[i]) / s->o.scale[i];
        sum += d * d;
    }
    return sqrt(sum / (double)p->ny);
}

/* Maxima of one component that stand out: rounding and stiff steps make small ones. */
static size_t maxima_of(const double *y, size_t count)
{
    double low = y[0], high = y[0], top = y[0], bottom = y[0];
    size_t found = 0;
    bool rising = true;
    for (size_t k = 1; k < count; k++) {
        low = fmin(low, y[k]);
        high = fmax(high, y[k]);
    }
    double stands_out = 0.02 * (high - low);
    for (size_t k = 1; k < count; k++) {
        if (rising && y[k] > top) top = y[k];
        else if (!rising && y[k] < bottom) bottom = y[k];
        if (rising && y[k] < top - stands_out) {
            found++;
            rising = false;
            bottom = y[k];
        } else if (!rising && y[k] > bottom + stands_out) {
            rising = true;
            top = y[k];
        }
    }
    return found;
}

/* The most maxima of a component. */
static size_t turns_of(const struct path *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->ny; i++) {
        size_t own = maxima_of(p->y + i * p->count, p->count);
        if (own > most) most = own;
    }
    return most;
}

/* Sizes from a path; how long it takes to go round is counted by the maxima of what has most of them. */
static void guess_measure(struct actio_search *s, const struct path *p, size_t from)
{
    double *range = actio_alloc(s->problem->ctx, 2 * p->ny + 1, sizeof *range), *value = range ? range + p->ny : NULL;
    size_t turns = 1;
    for (size_t i = 0; range && i < p->ny; i++) {
        const double *y = p->y + i * p->count;
        double low = y[from], high = y[from];
        size_t own = maxima_of(y + from, p->count - from);
        for (size_t k = from; k < p->count; k++) {
            low = fmin(low, y[k]);
            high = fmax(high, y[k]);
            value[i] = fmax(value[i], fabs(y[k]));
        }
        range[i] = s->o.turn[i] != 0 ? fabs(s->o.turn[i]) : high - low;
        if (s->o.turn[i] != 0) value[i] = 0; /* an angle: what it has turned is not a size */
        if (own > turns) turns = own;
    }
    if (range) actio_orbit_sizes(&s->o, range, value, (p->times[p->count - 1] - p->times[from]) / (double)turns);
    actio_free(s->problem->ctx, range);
}

void actio_orbit_measure_start(struct actio_search *s, double span)
{
    size_t ny = s->o.ny;
    double *f = actio_alloc(s->problem->ctx, 2 * ny + 1, sizeof *f), *value = f ? f + ny : NULL;
    if (f && actio_tangent_rates(&s->o.x, s->o.t0, s->problem->y0, f) == 0) {
        for (size_t i = 0; i < ny; i++) {
            f[i] = fabs(f[i]) * span / 100;
            value[i] = fabs(s->problem->y0[i]) * 1e3;
        }
        actio_orbit_sizes(&s->o, f, value, span / 10);
    }
    actio_free(s->problem->ctx, f);
}

/* A coordinate that goes one way only, or nearly; their number: none. */
static size_t growing(const struct actio_search *s, const struct path *p)
{
    size_t n = s->problem->sys->n, last = p->count - 1;
    for (size_t i = 0; i < n; i++) {
        const double *y = p->y + i * p->count;
        double way = 0, late = 0;
        if (s->o.loose[i] || s->o.turn[i] != 0) continue;
        for (size_t k = 0; k < last; k++) {
            way += fabs(y[k + 1] - y[k]);
            late += k > last / 2 ? fabs(y[k + 1] - y[k]) : 0;
        }
        bool by_error = way < BY_ERROR * s->o.scale[i]; /* a height at which it circles */
        if (!by_error && fabs(y[last] - y[0]) > 0.7 * way && late > 0.25 * way) return i;
    }
    return n;
}

/* A return: from one sample to another; how far apart, beside the size of the motion. */
struct near {
    size_t from, to;
    double distance;
};

static bool earlier(const struct near *a, const struct near *b) { return a->distance < b->distance; }

/* Keeps the nearest few that differ in period; of equal ones the nearest. */
static void add_near(struct near *list, size_t *count, struct near n)
{
    for (size_t i = 0; i < *count; i++) {
        double a = (double)(list[i].to - list[i].from), b = (double)(n.to - n.from);
        if (fabs(a - b) > 0.02 * a) continue;
        if (!earlier(&n, &list[i])) return;
        memmove(list + i, list + i + 1, (--*count - i) * sizeof *list);
        break;
    }
    size_t at = *count;
    while (at && earlier(&n, &list[at - 1])) at--;
    if (at == ACTIO_GUESSES) return;
    if (*count < ACTIO_GUESSES) ++*count;
    memmove(list + at + 1, list + at, (*count - 1 - at) * sizeof *list);
    list[at] = n;
}

/* Near returns to sample `from`: local minima of the distance, once the motion has been well away. `first`: the first
 * near one only. */
static void returns_to(const struct actio_search *s, const struct path *p, size_t from, bool first, struct near *list,
                       size_t *count)
{
    double away = 0, before = INFINITY, now = INFINITY;
    for (size_t k = from + 1; k < p->count; k++) {
        double next = distance(s, p, from, k);
        if (now <= before && now <= next && away > 0.15 && now < 0.3 * away) {
            if (!first || now < NEAR) add_near(list, count, (struct near){ from, k - 1, now });
            if (first && now < NEAR) return;
        }
        away = fmax(away, next);
        before = now;
        now = next;
    }
}

/* Those to the start first: the model says where to look; then those among all samples, the shorter of nearly equal
 * ones first. */
static size_t list_returns(const struct actio_search *s, const struct path *p, struct near *list)
{
    size_t count = 0, stride = 1 + p->count / 500;
    if (!s->late) returns_to(s, p, 0, true, list, &count);
    if (count) return count;
    for (size_t from = s->late ? p->count / 2 : 0; from + 2 < p->count && !actio_stopped(s->problem->ctx);
         from += stride)
        returns_to(s, p, from, false, list, &count);
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && list[k].distance < 2 * list[k - 1].distance + 0.5 * NEAR
                           && list[k].to - list[k].from < list[k - 1].to - list[k - 1].from;
             k--) {
            struct near n = list[k];
            list[k] = list[k - 1];
            list[k - 1] = n;
        }
    return count;
}

/* How much a disturbance grows along the way, in logarithms. */
static double growth_along(struct actio_search *s, const double *y, double period, double *X, double *at)
{
    size_t ny = s->o.ny;
    double sum = 0;
    memcpy(at, y, ny * sizeof *at);
    actio_tangent_rewind(&s->o.x);
    for (size_t k = 0; k < PROBES; k++) {
        memset(X, 0, ny * ny * sizeof *X);
        for (size_t i = 0; i < ny; i++) X[i * ny + i] = s->o.scale[i];
        if (actio_tangent_go(&s->o.x, s->o.t0 + period * (double)k / PROBES,
                             s->o.t0 + period * (double)(k + 1) / PROBES, at, X, ny, 1e-6))
            return INFINITY;
        double size = 0;
        for (size_t i = 0; i < ny; i++)
            for (size_t j = 0; j < ny; j++) size += X[i * ny + j] * X[i * ny + j] / (s->o.scale[i] * s->o.scale[i]);
        sum += fmax(0, 0.5 * log(size / (double)ny));
    }
    return sum;
}

size_t actio_orbit_nodes(struct actio_search *s, const double *y, double period)
{
    size_t ny = s->o.ny;
    /* stiff: what grows in a jump is forgotten after it */
    double *work = s->o.is_long ? NULL : actio_alloc(s->problem->ctx, ny * ny + ny + 1, sizeof *work);
    if (!work) return 1;
    actio_tangent_direct(&s->o.x, NULL);
    double growth = growth_along(s, y, period, work, work + ny * ny), count = ceil(growth / log(GROWTH)) - 1;
    actio_free(s->problem->ctx, work);
    return !isfinite(growth) ? 8 : count < 1 ? 1 : count > MOST_NODES ? MOST_NODES : (size_t)count;
}

static bool is_clear(const struct actio_search *s, const struct path *p, size_t at)
{
    const struct actio_tangent *x = &s->o.x;
    double apart = CLEAR * (p->times[p->count - 1] - p->times[0]);
    for (size_t i = 0; i < x->whens; i++)
        if (fabs(x->when[i] - p->times[at]) < apart) return false;
    return true;
}

/* The next sample that is away from instants. */
static size_t clear_sample(const struct actio_search *s, const struct path *p, size_t at)
{
    size_t clear = at;
    while (at && clear + 1 < p->count && !is_clear(s, p, clear)) clear++;
    return clear;
}

/* Nodes at equal times from states on a path that lasts for the period. */
static int lay_on_path(struct actio_search *s, const struct path *p, double period, size_t nodes,
                       struct actio_circuit *c)
{
    size_t ny = s->o.ny;
    if (actio_circuit_open(c, s->problem->ctx, ny, nodes)) return ACTIO_MARCH_NO_MEMORY;
    c->nodes = nodes;
    c->period = period;
    for (size_t k = 0; k < nodes; k++) {
        c->at[k] = (double)k / (double)nodes;
        size_t at = clear_sample(s, p, k ? (size_t)((double)(p->count - 1) * c->at[k] + 0.5) : 0);
        c->at[k] = (double)at / (double)(p->count - 1);
        for (size_t i = 0; i < ny; i++) c->y[k * ny + i] = p->y[i * p->count + at];
    }
    return 0;
}

/* Where the path is nearest to its start, exactly: (y - y0).y' = 0. */
static double refine_time(struct actio_search *s, const double *y0, double period)
{
    size_t ny = s->o.ny;
    double *y = actio_alloc(s->problem->ctx, 2 * ny + 1, sizeof *y), *f = y ? y + ny : NULL, found = period;
    for (int i = 0; y && i < 8 && (i < 2 || actio_orbit_effort(s) < DEAR); i++) {
        double above = 0, below = 0;
        memcpy(y, y0, ny * sizeof *y);
        actio_tangent_rewind(&s->o.x);
        if (actio_tangent_go(&s->o.x, s->o.t0, s->o.t0 + found, y, NULL, 0, 1e-13)
            || actio_tangent_rates(&s->o.x, s->o.t0 + found, y, f))
            break;
        for (size_t k = 0; k < ny; k++) {
            double w = s->o.loose[k] ? 0 : 1 / (s->o.scale[k] * s->o.scale[k]);
            above += w * f[k] * (y[k] - y0[k] - s->o.turn[k]);
            below += w * f[k] * f[k];
        }
        double step = below > 0 ? above / below : 0;
        if (!(fabs(found - step - period) < 0.05 * period)) {
            actio_free(s->problem->ctx, y);
            return period;
        }
        found -= step;
        if (fabs(step) < 1e-12 * period) break;
    }
    actio_free(s->problem->ctx, y);
    return found;
}

double actio_orbit_nearest_time(struct actio_search *s, const double *y, double period)
{
    struct path p;
    double found = period;
    if (open_path(s, &p, s->o.t0, s->o.t0 + 1.25 * period, 500) == 0 && follow_path(s, &p, y) == 0) {
        double best = INFINITY;
        for (size_t k = p.count / 2; k < p.count; k++) {
            double d = distance(s, &p, 0, k) * (1 + 2 * fabs(p.times[k] - p.times[0] - period) / period);
            if (d < best) {
                best = d;
                found = p.times[k] - p.times[0];
            }
        }
    }
    close_path(s, &p);
    return refine_time(s, y, found);
}

int actio_orbit_lay(struct actio_search *s, const double *y, double period, size_t least, struct actio_circuit *c)
{
    struct path p;
    int bad = open_path(s, &p, s->o.t0, s->o.t0 + period, 481);
    if (!bad) bad = follow_path(s, &p, y);
    if (!bad) {
        guess_measure(s, &p, 0);
        size_t nodes = actio_orbit_nodes(s, y, period);
        bad = lay_on_path(s, &p, period, nodes > least ? nodes : least, c);
    }
    close_path(s, &p);
    return bad;
}

static int cannot(struct actio_search *s, int status)
{
    if (!actio_problem_report_limits(s->problem, status, "searching for an orbit"))
        actio_report(s->problem->f, ACTIO_F_ORBIT_NO_MOTION, ACTIO_NO_ARGS);
    return 1;
}

static int add_guess(struct actio_search *s, const struct path *p, size_t at, double period)
{
    double *y = actio_alloc(s->problem->ctx, s->o.ny + s->problem->sys->resets.held + 1, sizeof *y);
    if (!y) return ACTIO_MARCH_NO_MEMORY;
    for (size_t i = 0; i < p->ny; i++) y[i] = p->y[i * p->count + at];
    const struct actio_motion *m = &s->problem->motion;
    const double *mode = actio_system_modes(m->sys) ? actio_motion_modes_at(m, p->times[at], false) : NULL;
    if (m->sys->resets.held) memcpy(y + p->ny, mode + m->sys->switches.count, m->sys->resets.held * sizeof *y);
    s->guess[s->guesses++] = (struct actio_start_guess){ y, period };
    return 0;
}

/* The motion from the start over the span; where it turns too often to be seen, over the first part of it. A status;
 * close the path in any case. */
static int follow_visibly(struct actio_search *s, struct path *p, double span)
{
    double t0 = s->problem->model->time.t0;
    for (;; span /= 8) {
        int bad = open_path(s, p, t0, t0 + span, SAMPLES);
        if (!bad) bad = follow_path(s, p, s->problem->y0);
        if (bad || turns_of(p) * PER_TURN <= p->count) return bad;
        close_path(s, p);
    }
}

static int add_returns(struct actio_search *s, const struct path *p)
{
    struct near list[ACTIO_GUESSES];
    size_t count = list_returns(s, p, list);
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++)
        bad = add_guess(s, p, list[i].from, p->times[list[i].to] - p->times[list[i].from]);
    return bad;
}

/* A motion over the model's interval; where it nearly returns. */
static int guess_by_return(struct actio_search *s)
{
    struct actio_problem *problem = s->problem;
    const struct actio_model *m = problem->model;
    struct path p;
    size_t n = problem->sys->n, grows = n;
    if (!m->time.given) {
        actio_report(problem->f, ACTIO_F_ORBIT_NO_TIME, ACTIO_NO_ARGS);
        return 1;
    }
    actio_orbit_measure_start(s, fabs(m->time.t1 - m->time.t0));
    /* the interval may be the period, or shorter */
    for (double factor = 1.05; factor < 30 && s->guesses == 0 && (factor < 2 || actio_orbit_effort(s) < DEAR);
         factor *= 5) {
        int bad = follow_visibly(s, &p, factor * fabs(m->time.t1 - m->time.t0));
        if (!bad) {
            guess_measure(s, &p, 0);
            /* where it was not followed to its end, nothing can be said of all the time */
            grows = p.count == SAMPLES ? growing(s, &p) : n;
            if (grows == n) bad = add_returns(s, &p); /* else: over a longer time it may turn */
        }
        close_path(s, &p);
        if (bad) return cannot(s, bad);
    }
    if (s->guesses) return 0;
    if (grows < n) actio_report(problem->f, ACTIO_F_ORBIT_GROWS, ACTIO_ARGS(ACTIO_TEXT(problem->sys->variable[grows])));
    else
        actio_report(problem->f, ACTIO_F_ORBIT_NO_RETURN,
                     ACTIO_ARGS(ACTIO_NUMBER(m->time.t0), ACTIO_NUMBER(m->time.t1)));
    return 1;
}

/* The few states that return best after one period, none of them near another. */
static size_t list_strobes(const struct actio_search *s, const struct path *p, struct near *list)
{
    size_t count = 0;
    for (size_t k = 0; k + 1 < p->count; k++) {
        struct near n = { k, k + 1, distance(s, p, k, k + 1) };
        bool known = false;
        for (size_t i = 0; i < count; i++) known = known || distance(s, p, list[i].from, k) < NEAR;
        if (known) continue;
        if (count < ACTIO_GUESSES - 2) count++;
        else if (!earlier(&n, &list[count - 1])) continue;
        size_t at = count - 1;
        for (; at > 0 && earlier(&n, &list[at - 1]); at--) list[at] = list[at - 1];
        list[at] = n;
    }
    return count;
}

/* Driven: states one period apart. The start first, if it nearly returns; then those that do best. */
static int guess_driven(struct actio_search *s, double period)
{
    const struct actio_model *m = s->problem->model;
    struct near list[ACTIO_GUESSES];
    struct path p;
    double t0 = m->time.given ? m->time.t0 : 0;
    actio_orbit_measure_start(s, 10 * period);
    int bad = open_path(s, &p, t0, t0 + STROBES * period, STROBES + 1);
    if (!bad) bad = follow_path(s, &p, s->problem->y0);
    if (!bad) {
        guess_measure(s, &p, 0);
        if (!m->orbit.has_period || distance(s, &p, 0, 1) < NEAR) bad = add_guess(s, &p, 0, period);
        size_t count = list_strobes(s, &p, list);
        for (size_t i = 0; i < count && !bad; i++) bad = add_guess(s, &p, list[i].from, period);
        if (!bad) bad = add_guess(s, &p, 0, period);
    }
    close_path(s, &p);
    return bad ? cannot(s, bad) : 0;
}

static int guess_by_start(struct actio_search *s, double period)
{
    struct actio_circuit rough = { 0 };
    struct path p;
    actio_orbit_measure_start(s, 10 * period);
    int bad = actio_orbit_lay(s, s->problem->y0, period, 1, &rough); /* sizes, before distances are measured */
    actio_circuit_close(&rough, s->problem->ctx);
    if (!bad) bad = open_path(s, &p, s->o.t0, s->o.t0 + period / 8, 2);
    if (!bad) bad = follow_path(s, &p, s->problem->y0); /* behind what happens at the start */
    if (!bad) bad = add_guess(s, &p, 0, period);
    close_path(s, &p);
    return bad ? cannot(s, bad) : 0;
}

int actio_orbit_guess(struct actio_search *s)
{
    double period = actio_orbit_given_period(s);
    if (s->timed)
        return isnan(period) ? (actio_report(s->problem->f, ACTIO_F_ORBIT_NEEDS_PERIOD, ACTIO_NO_ARGS), 1)
                             : guess_driven(s, period);
    return isnan(period) ? guess_by_return(s) : guess_by_start(s, period);
}

/* The middle of the longest time without instants from t0 to t1. */
static double clear_time(const struct actio_tangent *x, double t0, double t1)
{
    double from = t0, longest = 0, middle = t0;
    for (size_t i = 0; i <= x->whens; i++) {
        double to = i < x->whens ? x->when[i] : t1;
        if (to - from > longest) {
            longest = to - from;
            middle = 0.5 * (from + to);
        }
        from = to;
    }
    return middle;
}

/* A turn begins away from instants: at one, the least step of Newton's method puts it on the other side. */
static int clear_start(struct actio_search *s, double *y, double period)
{
    struct actio_tangent *x = &s->o.x;
    struct path p;
    actio_tangent_place(x, y + s->o.ny);
    int bad = open_path(s, &p, s->base, s->base + 1.25 * period, 2);
    if (!bad) bad = follow_path(s, &p, y);
    close_path(s, &p);
    if (s->timed) s->o.t0 = s->base;
    if (bad || x->whens == 0) return bad;
    double middle = clear_time(x, s->base, s->base + 1.25 * period);
    actio_tangent_rewind(x);
    bad = actio_tangent_go(x, s->base, middle, y, NULL, 0, FINE);
    actio_tangent_place(x, x->held);
    if (s->timed) s->o.t0 = middle;
    return bad;
}

int actio_orbit_guess_late(struct actio_search *s)
{
    for (size_t i = 0; i < s->guesses; i++) actio_free(s->problem->ctx, s->guess[i].y);
    s->guesses = 0;
    s->late = true;
    return guess_by_return(s);
}

int actio_orbit_lay_guess(struct actio_search *s, size_t i, struct actio_circuit *c)
{
    const struct actio_start_guess *g = &s->guess[i];
    int bad = clear_start(s, g->y, g->period);
    if (bad) return bad;
    double period = s->timed ? g->period : actio_orbit_nearest_time(s, g->y, g->period);
    /* stiff: a start may be where a jump has just ended, and the least delay puts the end before it */
    if (s->o.is_long && !s->timed && !s->o.in_families)
        bad = actio_tangent_go(&s->o.x, s->o.t0, s->o.t0 + 0.3 * period, g->y, NULL, 0, ROUGH);
    return bad ? bad : actio_orbit_lay(s, g->y, period, 1, c);
}

int actio_orbit_relay(struct actio_search *s, const struct actio_circuit *from, size_t nodes, struct actio_circuit *c)
{
    size_t ny = s->o.ny;
    double *times = actio_alloc(s->problem->ctx, (nodes + 1) * (ny + 1) + 1, sizeof *times),
           *y = times ? times + nodes + 1 : NULL;
    int bad =
        !times || actio_circuit_open(c, s->problem->ctx, ny, nodes) || actio_orbit_sample(s, from, nodes + 1, times, y);
    for (size_t k = 0; k < nodes && !bad; k++) {
        c->at[k] = (double)k / (double)nodes;
        for (size_t i = 0; i < ny; i++) c->y[k * ny + i] = y[i * (nodes + 1) + k];
    }
    c->nodes = nodes;
    c->period = from->period;
    actio_free(s->problem->ctx, times);
    return bad;
}

int actio_orbit_lay_along(struct actio_search *s, const struct actio_circuit *from, struct actio_circuit *c)
{
    if (actio_circuit_open(c, s->problem->ctx, s->o.ny, from->nodes)) return ACTIO_MARCH_NO_MEMORY;
    actio_circuit_copy(c, from);
    struct actio_circuit rough = { 0 };
    int bad = actio_orbit_lay(s, from->y, from->period, 1, &rough); /* sizes */
    actio_circuit_close(&rough, s->problem->ctx);
    return bad;
}

/* ---- a guess from a file */

enum { FILE_NODES = 48 };

int actio_orbit_read_guess(struct actio_search *s, struct actio_circuit *c)
{
    struct actio_dual_table t;
    size_t ny = s->o.ny;
    struct actio_circuit rough = { 0 };
    if (actio_problem_read_states(s->problem, s->options->guess, false, &t, NULL)) return 1;
    for (size_t i = 0; i < ny; i++)
        if (!t.column[i]) {
            actio_report(s->problem->f, ACTIO_F_ORBIT_GUESS_LACKS,
                         ACTIO_ARGS(ACTIO_TEXT(s->options->guess), ACTIO_TEXT(actio_problem_name(s->problem, i))));
            return 1;
        }
    size_t nodes = t.rows - 1 < FILE_NODES ? t.rows - 1 : FILE_NODES;
    double first = t.t[0], period = t.t[t.rows - 1] - first;
    if (actio_circuit_open(c, s->problem->ctx, ny, nodes)) return cannot(s, ACTIO_MARCH_NO_MEMORY);
    c->nodes = nodes;
    c->period = s->timed ? actio_orbit_given_period(s) * fmax(1, round(period / actio_orbit_given_period(s))) : period;
    for (size_t k = 0; k < nodes; k++) {
        size_t row = k * (t.rows - 1) / nodes;
        c->at[k] = (t.t[row] - first) / period;
        for (size_t i = 0; i < ny; i++) c->y[k * ny + i] = t.column[i][row];
    }
    actio_orbit_measure_start(s, 10 * period);
    int bad = actio_orbit_lay(s, c->y, c->period, 1, &rough); /* sizes */
    actio_circuit_close(&rough, s->problem->ctx);
    return bad ? cannot(s, bad) : 0;
}
