/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/defect.h"
#include "solve/along.h"
#include "solve/between.h"
#include "algebra/cloned.h"
#include "solve/contacts.h"
#include "solve/defect_table.h"
#include "solve/dop853_table.h"
#include "solve/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NONLINEAR 0.05             /* of the error, in a step: beyond this a linear estimate may be far off */
#define ROUNDING_VARIES 3.0        /* rounding of two differences of rates: one may be so many times the other */
#define NOTHING (DBL_EPSILON / 64) /* of the states: what bends with a smaller error is rounding */
#define MAGNIFIED 64.0             /* times the error: shows rounding to this part squared */
#define ROUGH_RATES 2.0            /* times eps/2: what rounding leaves of a rate */
#define LATE 1e-3                  /* of the last step: a crossing that may be so far away is not a small correction */
#define DECIDING 1e-9              /* of the states: an error that is small enough to decide what happens */
#define ROUNDING_SOURCE 8.0        /* times eps: what rounding may add to a state in all, before it grows */
#define ROUNDING_SHARE 0.02        /* of the tolerance: less need not be followed */
#define USUAL_GROWTH 100.0 /* of an error in a motion: at tolerances where rounding then shows, it is always followed */
enum { PROJECT_EVERY = 16, GROUP = 4 };

static inline double greater(double a, double b) { return a > b ? a : b; }

/* ---- the integral of the defect */

static void weights_at(double x, double *w)
{
    for (size_t j = 0; j < ACTIO_DEFECTS; j++) {
        double sum = 0;
        for (size_t k = ACTIO_POWERS; k-- > 0;) sum = (sum + defect_powers[j][k]) * x;
        w[j] = sum;
    }
}

/* Vectors are padded to whole groups, whose tails stay 0. */
typedef actio_four quad;

/* to = from + sum w_j v_j */
CLONED static void add_weighted(size_t padded, const double *from, size_t count, const double *w, const double *v,
                                double *to)
{
    for (size_t i = 0; i < padded; i += GROUP) {
        quad sum = *(const quad *)(from + i);
        for (size_t j = 0; j < count; j++) sum += w[j] * *(const quad *)(v + j * padded + i);
        *(quad *)(to + i) = sum;
    }
}

/* The first of the defects in use: that of the end is 0 where the step ends there. */
static size_t first_defect(const struct actio_defect *d) { return d->step.cut ? 0 : 1; }

/* to = from + h sum w_j delta_j */
static void add_defects(const struct actio_defect *d, double h, const double *w, const double *from, double *to)
{
    double scaled[ACTIO_DEFECTS];
    size_t first = first_defect(d);
    for (size_t j = first; j < ACTIO_DEFECTS; j++) scaled[j] = h * w[j];
    add_weighted(d->padded, from, ACTIO_DEFECTS - first, scaled + first, d->delta + first * d->padded, to);
}

/* ---- random numbers: splitmix64, in -1 .. 1 */

static double draw(struct actio_defect *d)
{
    uint64_t z = d->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* ---- one step */

static double *stage_of(const struct actio_defect *d, size_t s) { return d->stage + s * d->padded; }
static double *tangent_of(const struct actio_defect *d, size_t s) { return d->tangent + s * d->padded; }
static double *arg_of(const struct actio_defect *d, size_t s) { return d->arg + s * d->padded; }
static const double *end_of(const struct actio_defect *d) { return stage_of(d, (size_t)d->by->stages - 1); }

/* State and slope where defect j is looked for. */
static void look_at(struct actio_defect *d, size_t j, double t, const struct actio_inside *inside,
                    const struct actio_looks *looks, double *slope)
{
    if (!looks) {
        inside->slope(inside->where, t, d->x, slope);
        return;
    }
    memcpy(d->x, looks->y + j * looks->stride, d->padded * sizeof *d->x);
    memcpy(slope, looks->dy + j * looks->stride, d->padded * sizeof *slope);
}

static bool subtract_rates(struct actio_defect *d, double t, double *slope)
{
    if (d->m->flow.rhs(d->m, t, d->x, d->f)) return false;
    for (size_t i = 0; i < d->m->ny; i++) slope[i] -= d->f[i];
    return true;
}

/* Rates and their derivatives at all stages. */
static bool find_entries(struct actio_defect *d, double from, double h)
{
    for (size_t s = 0; s < (size_t)d->by->stages; s++) d->time[s] = from + d->by->at[s] * h;
    return actio_rate_entries_find(&d->entries, (size_t)d->by->stages);
}

/* The defects inside the step, and at its end. */
static bool find_defects(struct actio_defect *d, double from, double to, const struct actio_inside *inside)
{
    size_t n = d->m->n, ny = d->m->ny;
    bool brief = d->by == &carry_short, at_stages = brief && d->step.by_entries;
    struct actio_looks looks;
    bool all = !d->step.cut && inside->looks(inside->where, from, to, &looks);
    for (size_t j = first_defect(d); j < ACTIO_DEFECTS; j++) {
        double t = from + defects_at[j] * (to - from), *delta = d->delta + j * d->padded;
        look_at(d, j, t, inside, all ? &looks : NULL, delta);
        if (brief && j) memcpy(stage_of(d, j), d->x, ny * sizeof *d->x);
        if (!(at_stages && j) && !subtract_rates(d, t, delta)) return false;
    }
    if (d->step.by_entries && !find_entries(d, from, to - from)) return false;
    for (size_t j = 1; j < ACTIO_DEFECTS && at_stages; j++) {
        double *delta = d->delta + j * d->padded;
        actio_rate_entries_rates(&d->entries, j, d->f + n);
        for (size_t i = 0; i < n; i++) delta[i] -= stage_of(d, j)[n + i];
        for (size_t i = n; i < ny; i++) delta[i] -= d->f[i];
    }
    return true;
}

/* States at the stages of the step, and the defects inside it. False: it can't be followed. */
static bool look_into(struct actio_defect *d, double from, double to, const struct actio_inside *inside)
{
    size_t n = d->m->ny, stages;
    double h = to - from;
    d->step.cut = inside->cut;
    d->by = inside->pace < CARRY_SHORT_PACE ? &carry_short : &d->longer;
    d->step.ruled = actio_shadow_rules(&d->shadow[0]) || actio_shadow_rules(&d->shadow[1]);
    d->step.by_entries = d->entries.in && !d->step.ruled;
    stages = (size_t)d->by->stages;
    if (d->by != &carry_short)
        for (size_t s = 1; s + 1 < stages; s++) inside->value(inside->where, from + d->by->at[s] * h, stage_of(d, s));
    memcpy(stage_of(d, 0), d->y, n * sizeof *d->y);
    inside->value(inside->where, to, stage_of(d, stages - 1));
    return find_defects(d, from, to, inside);
}

/* h |f(u - c e) - f(u) + c J e| / (c^2 |e|): how much of the error is beyond the linear estimate, in a step. */
static double bend_at(struct actio_defect *d, size_t s, double h, double c)
{
    const double *u = stage_of(d, s), *k = tangent_of(d, s), *e = arg_of(d, s);
    double off = 0, size = 0, *f = d->homogeneous;
    size_t n = d->m->ny;
    for (size_t i = 0; i < n; i++) d->x[i] = u[i] - c * e[i];
    if (d->m->flow.rhs(d->m, d->time[s], d->x, f)) return INFINITY;
    for (size_t i = 0; i < n; i++) {
        double scale = greater(1, fabs(u[i]));
        if (i >= d->m->n) off = greater(off, fabs(f[i] - d->f[i] + c * k[i]) / scale);
        size = greater(size, fabs(e[i]) / scale);
    }
    return size > NOTHING ? fabs(h) * off / (c * c * size) : 0;
}

/* A difference of rates may be rounding: what bends is seen as well with a larger error, of rounding the square of that
 * part. */
static void test_linear(struct actio_defect *d, size_t s, double h)
{
    double near = bend_at(d, s, h, 1);
    if (near <= NONLINEAR) return;
    double rounding = ROUNDING_VARIES * near / (MAGNIFIED * MAGNIFIED);
    if (bend_at(d, s, h, MAGNIFIED) - rounding > NONLINEAR / 2) d->doubtful = true;
}

/* Rates (d->f) and their tangent at a stage. */
static bool tangent_at(struct actio_defect *d, size_t s, struct actio_shadow *shadow)
{
    struct actio_motion *m = d->m;
    const struct actio_bound *b = &m->at[ACTIO_Q_ALONG];
    size_t n = m->n, N = m->N, pivots = m->sys->solved.pivots;
    double *k = tangent_of(d, s);
    if (d->step.ruled)
        return !actio_shadow_along(shadow, d->time[s], stage_of(d, s), arg_of(d, s), d->shift[s], d->f, k);
    if (d->step.by_entries) {
        for (size_t i = 0; i < n; i++) {
            d->f[i] = stage_of(d, s)[n + i];
            k[i] = arg_of(d, s)[n + i];
        }
        actio_rate_entries_rates(&d->entries, s, d->f + n);
        actio_rate_entries_along(&d->entries, s, arg_of(d, s), d->shift[s], k + n);
        return true;
    }
    if (d->in[s] && !m->rows.numeric) {
        for (size_t j = 0; j < N; j++) {
            d->out[j] = d->f + n + j;
            d->out[N + pivots + j] = k + n + j;
        }
        actio_kernel_eval(b->k, 1, d->in[s], b->pre, 1, d->out, b->work);
        double finite = 0;
        for (size_t j = 0; j < N; j++) finite += (d->f[n + j] + k[n + j]) * 0;
        if (finite == 0 && actio_motion_relies(m, d->pivot)) {
            memcpy(d->f, stage_of(d, s) + n, n * sizeof *k);
            memcpy(k, arg_of(d, s) + n, n * sizeof *k);
            return true;
        }
    }
    return !actio_motion_along(m, d->time[s], stage_of(d, s), arg_of(d, s), d->shift[s], d->f, k);
}

static void add_noise(struct actio_defect *d, size_t s)
{
    double *k = tangent_of(d, s);
    for (size_t i = d->m->n; i < d->m->ny; i++) k[i] += draw(d) * ROUGH_RATES * DBL_EPSILON / 2 * fabs(d->f[i]);
}

/* Tangents at all stages of a vector that is carried along; noisy: with what rounding leaves of rates and times. */
static bool carry(struct actio_defect *d, double from, double h, const double *e, bool noisy)
{
    const struct actio_carrying *by = d->by;
    struct actio_shadow *shadow = &d->shadow[noisy];
    size_t first = noisy ? ACTIO_DEFECTS : first_defect(d), own = ACTIO_DEFECTS - first;
    const double *vectors = d->delta + first * d->padded; /* the tangents lie behind the defects */
    double scaled[ACTIO_DEFECTS + ACTIO_CARRY_MOST];
    for (size_t s = 0; s < (size_t)by->stages; s++) {
        d->time[s] = from + by->at[s] * h;
        d->shift[s] = noisy ? draw(d) * DBL_EPSILON / 2 * fabs(d->time[s]) : 0;
        for (size_t j = 0; j < own; j++) scaled[j] = h * d->own[by == &d->longer][s][first + j];
        for (size_t j = 0; j < s; j++) scaled[own + j] = h * by->a[s][j];
        add_weighted(d->padded, e, s ? own + s : 0, scaled, vectors, arg_of(d, s));
        if (!tangent_at(d, s, shadow)) return false;
        if (noisy) add_noise(d, s);
        else if ((int)s == by->tested && !d->step.ruled) test_linear(d, s, h);
    }
    return true;
}

/* The end of the homogeneous part: e + h sum b_i k_i. */
static void carried_to(const struct actio_defect *d, double h, const double *e, double *to)
{
    double scaled[ACTIO_CARRY_MOST];
    for (size_t s = 0; s < (size_t)d->by->stages; s++) scaled[s] = h * d->by->sum[s];
    add_weighted(d->padded, e, (size_t)d->by->stages, scaled, d->tangent, to);
}

/* Inside the step; not known where the linear estimate was not to be trusted. */
static void fill_rows(const struct actio_defect *d, const struct actio_defect_list *l, size_t end,
                      const struct actio_carried *c, double *to)
{
    size_t n = d->m->ny, first = l->next;
    if (!to || end == first) return;
    if (!d->doubtful && !d->lost) {
        actio_carried_rows(c, end - first, l->times + first, to + first, l->stride);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t r = first; r < end; r++) to[i * l->stride + r] = NAN;
}

static size_t rows_until(const struct actio_defect *d, const struct actio_defect_list *l, double t)
{
    size_t end = l->next;
    while (end < l->count && (t - l->times[end]) * d->direction >= 0) end++;
    return end;
}

static void fill_all(const struct actio_defect *d, double from, double to, const double *e, const double *e_end,
                     bool rounding)
{
    struct actio_carried c = { .n = d->m->ny,
                               .padded = d->padded,
                               .from = from,
                               .h = to - from,
                               .e = e,
                               .e_end = e_end,
                               .k = tangent_of(d, 0),
                               .k_end = tangent_of(d, (size_t)d->by->stages - 1),
                               .delta = rounding ? NULL : d->delta,
                               .first = first_defect(d),
                               .room = d->arg };
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) {
        const struct actio_defect_list *l = &d->list[k];
        fill_rows(d, l, rows_until(d, l, to), &c, rounding ? l->rounding : l->error);
    }
}

/* Onto the constraints, as the motion is: the error of what was projected. */
static void project_error(struct actio_defect *d, double t, const double *y, double *e)
{
    size_t n = d->m->ny;
    if (!d->m->flow.project) return;
    for (size_t i = 0; i < n; i++) d->x[i] = y[i] - e[i];
    if (d->m->flow.project(d->m, t, d->x)) return;
    for (size_t i = 0; i < n; i++) e[i] = y[i] - d->x[i];
}

/* How much the step itself adds, and what became of all that was added. */
static void note_sizes(struct actio_defect *d)
{
    const double *y = end_of(d);
    for (size_t i = 0; i < d->m->ny; i++) {
        double scale = greater(1, fabs(y[i]));
        d->added = greater(d->added, fabs(d->e[i] - d->homogeneous[i]) / scale);
        d->grown = greater(d->grown, fabs(d->e[i]) / scale);
    }
}

static void carry_error(struct actio_defect *d, double from, double to)
{
    static const double all[ACTIO_DEFECTS] = { 1. / 30, WEIGHT_1, WEIGHT_2, WEIGHT_2, WEIGHT_1 };
    double h = to - from;
    if (!carry(d, from, h, d->e, false)) {
        d->lost = true;
        return;
    }
    carried_to(d, h, d->e, d->homogeneous);
    fill_all(d, from, to, d->e, d->homogeneous, false);
    add_defects(d, h, all, d->homogeneous, d->e);
    note_sizes(d);
    if (d->steps % PROJECT_EVERY == 0) project_error(d, to, end_of(d), d->e);
}

static void carry_rounding(struct actio_defect *d, double from, double to)
{
    if (d->lost || !d->noisy) return;
    if (!carry(d, from, to - from, d->r, true)) {
        d->lost = true;
        return;
    }
    carried_to(d, to - from, d->r, d->homogeneous);
    fill_all(d, from, to, d->r, d->homogeneous, true);
    for (size_t i = 0; i < d->m->ny; i++)
        d->r[i] = d->homogeneous[i] + draw(d) * 0.15 * DBL_EPSILON * fabs(end_of(d)[i]);
    if (d->steps % PROJECT_EVERY == 0) project_error(d, to, end_of(d), d->r);
}

static void defect_part(void *user, double from, double to, const struct actio_inside *inside)
{
    struct actio_defect *d = user;
    if (from == to || d->lost) return;
    if (!inside->slope || !look_into(d, from, to, inside)) {
        d->lost = true;
        return;
    }
    carry_error(d, from, to);
    carry_rounding(d, from, to);
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) d->list[k].next = rows_until(d, &d->list[k], to);
    d->h = to - from;
    d->t = to;
    d->steps++;
    memcpy(d->y, end_of(d), d->m->ny * sizeof *d->y);
    if (d->shadowed) actio_shadow_step(&d->shadow[0], to, d->y, d->e);
    if (d->shadowed && d->noisy) actio_shadow_step(&d->shadow[1], to, d->y, d->r);
}

/* ---- instants */

/* The state where the march goes on may be another one than the interpolant's end: it is more exact, or at a time that
 * is a little later. */
static void move_on(struct actio_defect *d, double t, const double *y)
{
    struct actio_motion *m = d->m;
    double late = t - d->t;
    bool moved = late != 0 && !m->flow.rhs(m, d->t, d->y, d->f) && !m->flow.rhs(m, t, y, d->x);
    for (size_t i = 0; i < m->ny; i++) {
        d->e[i] += y[i] - (d->y[i] + (moved ? late * (d->f[i] + d->x[i]) / 2 : 0));
        d->y[i] = y[i];
    }
    d->t = t;
}

static void defect_crosses(void *user, size_t guard, double since)
{
    struct actio_defect *d = user;
    d->next.guard = guard;
    d->next.since = since;
}

static double size_of_error(const struct actio_defect *d, const double *e)
{
    double most = 0;
    for (size_t i = 0; i < d->m->ny; i++) most = greater(most, fabs(e[i]) / greater(1, fabs(d->y[i])));
    return most;
}

/* What can't be followed is lost. What a small error does not decide is in doubt: with a smaller one it may be decided;
 * if not, as where bounces pile up, it can't be followed either. */
static void take_answer(struct actio_defect *d, int status, const double *e)
{
    bool doubt = status == ACTIO_FLOW_NAN && size_of_error(d, e) > DECIDING;
    d->doubtful |= doubt;
    d->lost |= status && !doubt;
}

/* Before rates jump at a switch: by how much the true motion is late, n e / v. */
static void meet_switch(struct actio_defect *d, double t, const double *y)
{
    struct actio_motion *m = d->m;
    size_t switches = m->sys->switches.count, k = d->next.guard;
    if (k >= switches || actio_between_any(m) || actio_motion_solve(m, t, y)) {
        d->lost = true;
        return;
    }
    memcpy(d->next.before, m->here.zdot, m->N * sizeof *d->next.before);
    const double *g = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y);
    double here = g[k], rate = g[switches + k];
    for (size_t i = 0; i < m->ny; i++) d->x[i] = y[i] - d->e[i];
    g = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, d->x);
    d->next.late = (here - g[k]) / rate;
    if (!(fabs(d->next.late) <= LATE * fabs(d->h))) take_answer(d, ACTIO_FLOW_NAN, d->e);
}

/* Behind it: e+ = e + (f+ - f-) late. */
static void leave_switch(struct actio_defect *d, double t, const double *y)
{
    struct actio_motion *m = d->m;
    bool same = !actio_between_any(m);
    for (size_t i = 0; i < m->ny; i++) same &= fabs(y[i] - d->y[i]) <= 64 * DBL_EPSILON * greater(1, fabs(y[i]));
    if (!same || actio_motion_solve(m, t, y)) {
        d->lost = true;
        return;
    }
    for (size_t i = 0; i < m->N; i++) d->e[m->n + i] += (m->here.zdot[i] - d->next.before[i]) * d->next.late;
}

static void meet_by_shadows(struct actio_defect *d, double t, const double *y)
{
    struct actio_arrival what = { d->next.guard, t, d->h, 0 };
    take_answer(d, actio_shadow_meet(&d->shadow[0], &what, y, d->e), d->e);
    what.since = d->next.since;
    if (d->noisy) take_answer(d, actio_shadow_meet(&d->shadow[1], &what, y, d->r), d->r);
    d->next.since = 0;
}

static void leave_by_shadows(struct actio_defect *d, double t, const double *y)
{
    if (d->doubtful) return;
    take_answer(d, actio_shadow_leave(&d->shadow[0], d->next.guard, t, y, d->e), d->e);
    if (d->noisy && !d->lost) take_answer(d, actio_shadow_leave(&d->shadow[1], d->next.guard, t, y, d->r), d->r);
}

static void meet_instant(struct actio_defect *d, double t, const double *y)
{
    move_on(d, t, y);
    if (d->shadowed) meet_by_shadows(d, t, y);
    else meet_switch(d, t, y);
}

static void leave_instant(struct actio_defect *d, double t, const double *y)
{
    if (d->shadowed) leave_by_shadows(d, t, y);
    else leave_switch(d, t, y);
    d->next.guard = SIZE_MAX;
}

/* The motion begins: what happens at its start happens to the shadows, too. */
static void enter(struct actio_defect *d, double t, const double *y)
{
    double *e[] = { d->e, d->r };
    d->begun = true;
    for (int i = 0; i < 1 + d->noisy && d->shadowed; i++) {
        for (size_t k = 0; k < d->m->ny; k++) d->x[k] = d->y[k] - e[i][k];
        take_answer(d, actio_shadow_enter(&d->shadow[i], t, d->x), e[i]);
        for (size_t k = 0; k < d->m->ny; k++) e[i][k] = y[k] - d->shadow[i].x[k];
    }
    if (d->shadowed) memcpy(d->y, y, d->m->ny * sizeof *y);
}

/* Rows at this very time. */
static void fill_here(struct actio_defect *d, double t)
{
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) {
        struct actio_defect_list *l = &d->list[k];
        for (size_t r = l->next > 0 ? l->next - 1 : 0; r < l->count && l->times[r] == t; r++)
            for (size_t i = 0; i < d->m->ny; i++) {
                l->error[i * l->stride + r] = d->doubtful ? NAN : d->e[i];
                if (l->rounding) l->rounding[i * l->stride + r] = d->r[i];
            }
        l->next = rows_until(d, l, t);
    }
}

static void defect_at(void *user, double t, const double *y, bool jumps)
{
    struct actio_defect *d = user;
    size_t n = d->m->ny;
    if (!d->begun) enter(d, t, y);
    if (d->lost) return;
    if (jumps) meet_instant(d, t, y);
    else if (d->next.jumping) leave_instant(d, t, y);
    else if (memcmp(y, d->y, n * sizeof *y) != 0 || t != d->t) move_on(d, t, y);
    memcpy(d->y, y, n * sizeof *y);
    d->next.jumping = jumps;
    if (!jumps) fill_here(d, t);
}

struct actio_follower actio_defect_follower(struct actio_defect *d)
{
    return (struct actio_follower){ .at = defect_at, .part = defect_part, .crosses = defect_crosses, .user = d };
}

/* ---- its life */

bool actio_defect_applies(const struct actio_motion *m)
{
    bool laws = m->obeys.law && actio_shadow_needed(m);
    return !m->sys->field.axes && !m->outside.ask && !m->flow.unfold && !m->flow.is_free && !m->chain.tension
           && !m->chain.segments && !laws;
}

static void make_longer(struct actio_carrying *by)
{
    *by = (struct actio_carrying){ .stages = STAGES, .tested = 9 };
    for (size_t s = 0; s < STAGES; s++) {
        by->at[s] = table[s].c;
        for (int j = 0; j < table[s].terms; j++) by->a[s][table[s].of[j]] = table[s].a[j];
    }
    for (int j = 0; j < table[ROW_SUM].terms; j++) by->sum[table[ROW_SUM].of[j]] = table[ROW_SUM].a[j];
}

/* Inputs of the tangent's formulas at each stage, where there are such formulas. */
static int bind_stages(struct actio_defect *d)
{
    if (actio_rate_entries_serve(d->m)) return actio_rate_entries_open(&d->entries, d->m, d->time, d->stage, d->padded);
    for (size_t s = 0; s < ACTIO_CARRY_MOST && d->m->at[ACTIO_Q_ALONG].k; s++) {
        d->in[s] = actio_motion_bind_along(d->m, &d->time[s], stage_of(d, s), arg_of(d, s), &d->shift[s]);
        if (!d->in[s]) return 1;
    }
    size_t N = d->m->N, pivots = d->m->sys->solved.pivots;
    d->out = actio_alloc(d->ctx, 2 * N + pivots + 1, sizeof *d->out);
    for (size_t j = 0; j < pivots && d->out; j++) d->out[N + j] = d->pivot + j;
    return d->out == NULL;
}

int actio_defect_open(struct actio_defect *d, struct actio_context *ctx, struct actio_motion *m)
{
    size_t n = (m->ny + GROUP - 1) / GROUP * GROUP, most = ACTIO_CARRY_MOST;
    *d = (struct actio_defect){ .ctx = ctx, .m = m, .next.guard = SIZE_MAX, .padded = n };
    struct {
        double **p;
        size_t n;
    } part[] = { { &d->y, n },
                 { &d->e, n },
                 { &d->r, n },
                 { &d->stage, ACTIO_ENTRY_LANES * n },
                 { &d->delta, ACTIO_DEFECTS * n }, /* the tangents lie behind them */
                 { &d->tangent, most * n },
                 { &d->arg, most * n },
                 { &d->f, n },
                 { &d->x, n },
                 { &d->homogeneous, n },
                 { &d->next.before, n },
                 { &d->pivot, m->sys->solved.pivots } };
    size_t all = 0, parts = sizeof part / sizeof *part;
    for (size_t i = 0; i < parts; i++) all += part[i].n;
    double *next = d->block = actio_alloc(ctx, all + 1, sizeof *d->block);
    if (!next || actio_along_need(m)) return 1;
    for (size_t i = 0; i < parts; next += part[i++].n) *part[i].p = next;
    make_longer(&d->longer);
    for (int s = 0; s < ACTIO_CARRY_MOST; s++) {
        weights_at(carry_short.at[s], d->own[0][s]);
        weights_at(d->longer.at[s], d->own[1][s]);
    }
    return bind_stages(d);
}

void actio_defect_close(struct actio_defect *d)
{
    if (!d->ctx) return;
    for (size_t s = 0; s < ACTIO_CARRY_MOST; s++) actio_free(d->ctx, d->in[s]);
    actio_rate_entries_close(&d->entries);
    actio_free(d->ctx, d->out);
    actio_free(d->ctx, d->block);
    for (int i = 0; i < 2; i++) actio_shadow_close(&d->shadow[i]);
    *d = (struct actio_defect){ 0 };
}

int actio_defect_make_shadows(struct actio_defect *d)
{
    d->shadowed = actio_shadow_needed(d->m);
    for (int i = 0; i < 1 + d->noisy && d->shadowed; i++)
        if (!d->shadow[i].open && actio_shadow_open(&d->shadow[i], d->ctx, d->m)) return 1;
    return 0;
}

void actio_defect_swap(struct actio_defect *d, bool rounding) { actio_shadow_swap(&d->shadow[rounding]); }

void actio_defect_begin(struct actio_defect *d, double t0, double t1, const double *y0)
{
    size_t n = d->m->ny;
    d->direction = t1 < t0 ? -1 : 1;
    d->lost = d->doubtful = d->next.jumping = d->begun = false;
    d->next.guard = SIZE_MAX;
    d->t = t0;
    d->random = 1;
    d->h = t1 - t0;
    d->steps = 1;
    d->added = d->grown = 0;
    d->by = &carry_short;
    memcpy(d->y, y0, n * sizeof *y0);
    memset(d->e, 0, d->padded * sizeof *d->e);
    for (size_t i = 0; i < n; i++) d->r[i] = draw(d) * DBL_EPSILON / 2 * fabs(y0[i]);
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) d->list[k].next = 0;
}

bool actio_defect_expects_rounding(double tol)
{
    return USUAL_GROWTH * ROUNDING_SOURCE * DBL_EPSILON > tol * ROUNDING_SHARE;
}

bool actio_defect_may_be_rounding(const struct actio_defect *d, double tol)
{
    double growth = d->added > 0 ? d->grown / d->added : 1;
    return !d->noisy && growth * ROUNDING_SOURCE * DBL_EPSILON > tol * ROUNDING_SHARE;
}
