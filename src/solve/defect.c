/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/defect.h"
#include "solve/along.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/dop853_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The defect is a polynomial of degree 7 to leading order, 0 at both ends: four inner points of Lobatto, whose sums are
 * exact up to degree 9. */
enum { INNER = 4, POWERS = 6 };
static const double inner_at[INNER] = { .11747233803526765, .35738424175967745, .64261575824032255,
                                        .88252766196473235 };
static const double inner_weight[INNER] = { .18923747814892349, .27742918851774318, .27742918851774318,
                                            .18923747814892349 };

#define NONLINEAR 0.05 /* of the error, in a step: beyond this a linear estimate may be far off */
#define NONLINEAR_NOISE 16 /* times rounding: differences of rates are not better */
#define ROUGH_RATES 2.0    /* times eps/2: what rounding leaves of a rate */
#define LATE 1e-3          /* of the last step: a crossing that may be so far away is not a small correction */

/* ---- the integral of the defect */

/* By inner point: coefficients of x, x^2, ... in the integral from 0 to x of the polynomial that is 1 there, 0 at the
 * others and at both ends. */
static const double powers[INNER][POWERS] = {
    { 0, 10.1414159363196693, -43.8606614876656094, 74.9219643315031529, -57.6921830763946138, 16.6787017743863245 },
    { 0, -4.03618727030534801, 32.8327452286912563, -72.3643588846517, 64.0398062955574823, -20.1945761807739473 },
    { 0, 2.24468464817616682, -20.118150969819668, 55.0839701184734988, -57.1276507890862018, 20.1945761807739473 },
    { 0, -1.3499133141904881, 12.4794005621273545, -36.6415755653249517, 42.3800275699233334, -16.6787017743863245 },
};

static void weights_at(double x, double *w)
{
    for (size_t j = 0; j < INNER; j++) {
        double sum = 0;
        for (size_t k = POWERS; k-- > 0;) sum = (sum + powers[j][k]) * x;
        w[j] = sum;
    }
}

/* to = h sum w_j delta_j */
static void integrate(const struct actio_defect *d, double h, const double *w, double *to)
{
    size_t n = d->m->ny;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < INNER; j++) sum += w[j] * d->delta[j * n + i];
        to[i] = h * sum;
    }
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

static void doubt(struct actio_defect *d, double t)
{
    if (!d->doubtful) d->doubtful_at = t;
    d->doubtful = true;
}

static double *stage_of(const struct actio_defect *d, size_t s) { return d->stage + s * d->m->ny; }
static double *tangent_of(const struct actio_defect *d, size_t s) { return d->tangent + s * d->m->ny; }

/* States at the stages of the step, and the defects inside it. False: it can't be followed. */
static bool look_into(struct actio_defect *d, double from, double to, const struct actio_inside *inside)
{
    struct actio_motion *m = d->m;
    size_t n = m->ny;
    double h = to - from;
    memcpy(stage_of(d, 0), d->y, n * sizeof *d->y);
    for (size_t s = 1; s < STAGES; s++)
        inside->value(inside->where, s + 1 == STAGES ? to : from + table[s].c * h, stage_of(d, s));
    for (size_t j = 0; j < INNER; j++) {
        double t = from + inner_at[j] * h, *delta = d->delta + j * n;
        inside->value(inside->where, t, d->x);
        inside->slope(inside->where, t, delta);
        if (m->flow.rhs(m, t, d->x, d->f)) return false;
        for (size_t i = 0; i < n; i++) delta[i] -= d->f[i];
    }
    return true;
}

/* arg = e + h sum a_ij k_j (+ the interpolant's own error). */
static void stage_error(const struct actio_defect *d, size_t s, double h, const double *e, bool own)
{
    const struct weights *w = &table[s];
    size_t n = d->m->ny;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < w->terms; j++) sum += w->a[j] * tangent_of(d, w->of[j])[i];
        d->arg[i] = e[i] + h * sum;
    }
    if (!own || s == 0) return;
    integrate(d, h, d->own[s], d->x);
    for (size_t i = 0; i < n; i++) d->arg[i] += d->x[i];
}

/* How much of the error is beyond the linear estimate at a stage, h |f(u - e) - f(u) + J e| / |e|, less rounding. */
static void test_linear(struct actio_defect *d, size_t s, double t, double h)
{
    const double *u = stage_of(d, s), *k = tangent_of(d, s);
    double off = 0, size = 0, noise = 0;
    size_t n = d->m->ny;
    for (size_t i = 0; i < n; i++) d->x[i] = u[i] - d->arg[i];
    if (d->m->flow.rhs(d->m, t, d->x, d->homogeneous)) {
        doubt(d, t);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double scale = fmax(1, fabs(u[i]));
        off = fmax(off, fabs(d->homogeneous[i] - d->f[i] + k[i]) / scale);
        noise = fmax(noise, NONLINEAR_NOISE * DBL_EPSILON * fabs(d->f[i]) / scale);
        size = fmax(size, fabs(d->arg[i]) / scale);
    }
    if (fabs(h) * (off - noise) > NONLINEAR * size) doubt(d, t);
}

/* Tangents at all stages of a vector that is carried along; noisy: with what rounding leaves of rates and times. */
static bool carry(struct actio_defect *d, double from, double h, const double *e, bool noisy)
{
    enum { TESTED = 9 };
    struct actio_motion *m = d->m;
    for (size_t s = 0; s < STAGES; s++) {
        double t = from + table[s].c * h, dt = noisy ? draw(d) * DBL_EPSILON / 2 * fabs(t) : 0, *k = tangent_of(d, s);
        stage_error(d, s, h, e, !noisy);
        if (actio_motion_along(m, t, stage_of(d, s), d->arg, dt, d->f, k)) return false;
        if (!noisy && s == TESTED) test_linear(d, s, t, h);
        for (size_t i = 0; noisy && i < m->ny; i++)
            k[i] += draw(d) * ROUGH_RATES * DBL_EPSILON / 2 * fabs(d->f[i]);
    }
    return true;
}

/* The end of the homogeneous part: e + h sum b_i k_i. */
static void carried_to(const struct actio_defect *d, double h, const double *e, double *to)
{
    const struct weights *w = &table[ROW_SUM];
    for (size_t i = 0; i < d->m->ny; i++) {
        double sum = 0;
        for (int j = 0; j < w->terms; j++) sum += w->a[j] * tangent_of(d, w->of[j])[i];
        to[i] = e[i] + h * sum;
    }
}

/* Inside the step: the cubic of Hermite through both ends of the homogeneous part. */
static void fill_rows(const struct actio_defect *d, const struct actio_defect_list *l, size_t first, size_t end,
                      double from, double h, const double *e, const double *e_end, bool own, double *to)
{
    size_t n = d->m->ny;
    const double *k0 = tangent_of(d, 0), *k1 = tangent_of(d, STAGES - 1);
    double w[INNER];
    for (size_t r = first; r < end && to; r++) {
        double x = (l->times[r] - from) / h, a = x * x * (3 - 2 * x), b = x * (1 - x) * (1 - x), c = x * x * (x - 1);
        bool known = !d->doubtful && !d->lost;
        weights_at(x, w);
        integrate(d, own ? h : 0, w, d->x);
        for (size_t i = 0; i < n; i++)
            to[i * l->stride + r] = known ? (1 - a) * e[i] + a * e_end[i] + h * (b * k0[i] + c * k1[i]) + d->x[i] : NAN;
    }
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
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) {
        const struct actio_defect_list *l = &d->list[k];
        fill_rows(d, l, l->next, rows_until(d, l, to), from, to - from, e, e_end, !rounding,
                  rounding ? l->rounding : l->error);
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

static void carry_error(struct actio_defect *d, double from, double to)
{
    size_t n = d->m->ny;
    double h = to - from;
    if (!carry(d, from, h, d->e, false)) {
        d->lost = true;
        return;
    }
    carried_to(d, h, d->e, d->homogeneous);
    fill_all(d, from, to, d->e, d->homogeneous, false);
    integrate(d, h, inner_weight, d->x);
    for (size_t i = 0; i < n; i++) d->e[i] = d->homogeneous[i] + d->x[i];
    project_error(d, to, stage_of(d, STAGES - 1), d->e);
}

static void carry_rounding(struct actio_defect *d, double from, double to)
{
    size_t n = d->m->ny;
    if (d->lost) return;
    if (!carry(d, from, to - from, d->r, true)) {
        d->lost = true;
        return;
    }
    carried_to(d, to - from, d->r, d->homogeneous);
    fill_all(d, from, to, d->r, d->homogeneous, true);
    for (size_t i = 0; i < n; i++)
        d->r[i] = d->homogeneous[i] + draw(d) * 0.15 * DBL_EPSILON * fabs(stage_of(d, STAGES - 1)[i]);
    project_error(d, to, stage_of(d, STAGES - 1), d->r);
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
    memcpy(d->y, stage_of(d, STAGES - 1), d->m->ny * sizeof *d->y);
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

static void defect_crosses(void *user, size_t guard)
{
    struct actio_defect *d = user;
    d->crossing = guard;
}

/* Before rates jump at a switch: by how much the true motion is late, n e / v. */
static void meet_switch(struct actio_defect *d, double t, const double *y)
{
    struct actio_motion *m = d->m;
    size_t switches = m->sys->switches.count, k = d->crossing;
    if (k >= switches || actio_between_any(m) || actio_motion_solve(m, t, y)) {
        d->lost = true;
        return;
    }
    memcpy(d->before, m->here.zdot, m->N * sizeof *d->before);
    const double *g = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y);
    double here = g[k], rate = g[switches + k];
    for (size_t i = 0; i < m->ny; i++) d->x[i] = y[i] - d->e[i];
    g = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, d->x);
    d->late = (here - g[k]) / rate;
    if (!(fabs(d->late) <= LATE * fabs(d->h))) doubt(d, t);
}

/* Behind it: e+ = e + (f+ - f-) late. Velocities that jump are not followed. */
static void leave_switch(struct actio_defect *d, double t, const double *y)
{
    struct actio_motion *m = d->m;
    bool same = !actio_between_any(m);
    for (size_t i = 0; i < m->ny; i++) same &= fabs(y[i] - d->y[i]) <= 64 * DBL_EPSILON * fmax(1, fabs(y[i]));
    if (!same || actio_motion_solve(m, t, y)) {
        d->lost = true;
        return;
    }
    for (size_t i = 0; i < m->N; i++) d->e[m->n + i] += (m->here.zdot[i] - d->before[i]) * d->late;
}

static void defect_at(void *user, double t, const double *y, bool jumps)
{
    struct actio_defect *d = user;
    size_t n = d->m->ny;
    if (d->lost) return;
    if (jumps) {
        move_on(d, t, y);
        meet_switch(d, t, y);
        d->crossing = SIZE_MAX;
    } else if (d->jumping) leave_switch(d, t, y);
    else if (memcmp(y, d->y, n * sizeof *y) != 0 || t != d->t) move_on(d, t, y);
    memcpy(d->y, y, n * sizeof *y);
    d->jumping = jumps;
    if (jumps) return;
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) { /* rows at this very time */
        struct actio_defect_list *l = &d->list[k];
        for (size_t r = l->next > 0 ? l->next - 1 : 0; r < l->count && l->times[r] == t; r++)
            for (size_t i = 0; i < n; i++) {
                l->error[i * l->stride + r] = d->doubtful ? NAN : d->e[i];
                if (l->rounding) l->rounding[i * l->stride + r] = d->r[i];
            }
        l->next = rows_until(d, l, t);
    }
}

struct actio_follower actio_defect_follower(struct actio_defect *d)
{
    return (struct actio_follower){
        .at = defect_at, .part = defect_part, .crosses = defect_crosses, .user = d
    };
}

/* ---- its life */

bool actio_defect_applies(const struct actio_motion *m)
{
    return !m->sys->field.axes && !actio_contacts_hard(m) && !m->sys->resets.statements && !m->outside.ask
           && !m->flow.unfold && !m->flow.is_free && !m->chain.tension && !m->chain.segments;
}

int actio_defect_open(struct actio_defect *d, struct actio_context *ctx, struct actio_motion *m)
{
    size_t n = m->ny;
    *d = (struct actio_defect){ .ctx = ctx, .m = m, .crossing = SIZE_MAX };
    double **part[] = { &d->y, &d->e, &d->r, &d->stage, &d->delta, &d->tangent, &d->arg,
                        &d->f, &d->x, &d->homogeneous, &d->before };
    const size_t length[] = { n, n, n, STAGES * n, INNER * n, STAGES * n, n, n, n, n, n };
    size_t all = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    double *next = d->block = actio_alloc(ctx, all + 1, sizeof *d->block);
    if (!next || actio_along_need(m)) return 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    for (size_t s = 0; s < STAGES; s++) weights_at(table[s].c, d->own[s]);
    return 0;
}

void actio_defect_close(struct actio_defect *d)
{
    if (d->ctx) actio_free(d->ctx, d->block);
    d->block = NULL;
}

void actio_defect_begin(struct actio_defect *d, double t0, double t1, const double *y0)
{
    size_t n = d->m->ny;
    d->direction = t1 < t0 ? -1 : 1;
    d->lost = d->doubtful = d->jumping = false;
    d->t = t0;
    d->random = 1;
    d->h = t1 - t0;
    memcpy(d->y, y0, n * sizeof *y0);
    memset(d->e, 0, n * sizeof *d->e);
    for (size_t i = 0; i < n; i++) d->r[i] = draw(d) * DBL_EPSILON / 2 * fabs(y0[i]);
    for (size_t k = 0; k < ACTIO_DEFECT_LISTS; k++) d->list[k].next = 0;
}
