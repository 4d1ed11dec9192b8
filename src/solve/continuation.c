/* SPDX-License-Identifier: Apache-2.0
 * The bordered system of continuation, brought down to the first node by shoot.c:
 *     K xi + kT dT + ka da = kb,   phase . xi = 0,   tangent . (xi, dT/T, da/size) = h - what is done. */
#include "solve/continuation.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 12 };
#define RANK_TOL 1e-9
#define FAMILY_TOL 1e-6 /* the family's own direction must count as 0 */

int actio_follow_take(struct actio_follow *f, const struct actio_circuit *c)
{
    if (f->at.room < c->nodes) {
        actio_circuit_close(&f->at, f->o->ctx);
        if (actio_circuit_open(&f->at, f->o->ctx, f->o->ny, c->nodes + 8)) return 1;
    }
    actio_circuit_copy(&f->at, c);
    return 0;
}

int actio_follow_open(struct actio_follow *f, struct actio_orbit *o, const struct actio_circuit *from, double a,
                      bool in_param)
{
    size_t d = o->d, n = d + 2;
    *f = (struct actio_follow){
        .o = o, .in_param = in_param, .a = a, .a_size = 1, .local = 1e-11, .unknowns = d + o->free_period + in_param
    };
    f->block = actio_alloc(o->ctx, 3 * n + 24 * (n + 2) * (n + 2) + o->ny + 1, sizeof(double));
    if (!f->block) return 1;
    f->tangent = f->block;
    f->y_tangent = f->tangent + n;
    f->work = f->y_tangent + o->ny;
    return actio_follow_take(f, from);
}

void actio_follow_close(struct actio_follow *f)
{
    if (!f->o) return;
    actio_free(f->o->ctx, f->block);
    actio_circuit_close(&f->at, f->o->ctx);
}

static size_t period_at(const struct actio_follow *f) { return f->o->d; }
static size_t param_at(const struct actio_follow *f) { return f->o->d + f->o->free_period; }

/* Rows of the orbit's equations in scaled unknowns, and of the phase; returns how many. slope: dT/da of a given period.
 * */
static size_t continuation_fill(const struct actio_follow *f, const struct actio_shoot *s, double slope, double *M,
                                double *b)
{
    size_t d = s->d, n = f->unknowns, rows = d;
    double speed = actio_norm(d, s->phase);
    for (size_t a = 0; a < d; a++) {
        double *row = M + a * n;
        memcpy(row, s->K + a * d, d * sizeof *row);
        if (f->o->free_period) row[period_at(f)] = s->kT[a] * s->l->period;
        if (f->in_param) row[param_at(f)] = (s->ka[a] + (f->o->free_period ? 0 : s->kT[a] * slope)) * f->a_size;
        b[a] = s->kb[a];
    }
    if (f->o->free_period && speed > 0) {
        double *row = M + d * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < d; k++) row[k] = s->phase[k] / speed;
        b[d] = 0;
        rows++;
    }
    return rows;
}

/* The shortest x with M x = b, as far as the singular values determine it; n columns, rows at least n - 1. */
static int shortest(const struct actio_follow *f, size_t rows, const double *M, const double *b, double *x)
{
    size_t n = f->unknowns, k = rows < n ? rows : n;
    double *sigma = f->work + 3 * (n + 2) * (n + 2), *u = sigma + n + 2, *v = u + (rows + 1) * (n + 1),
           *work = v + (n + 1) * (n + 1);
    if (actio_svd(rows, n, M, sigma, u, v, work)) return 1;
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < k && sigma[i] > (f->in_param ? RANK_TOL : FAMILY_TOL) * sigma[0]; i++) {
        double part = 0;
        for (size_t r = 0; r < rows; r++) part += u[r * k + i] * b[r];
        for (size_t j = 0; j < n; j++) x[j] += part / sigma[i] * v[j * k + i];
    }
    for (size_t j = 0; j < n; j++)
        if (!isfinite(x[j])) return 1;
    return 0;
}

static int linearise(struct actio_follow *f, struct actio_shoot *s, double a, double *slope)
{
    double period = NAN;
    *slope = 0;
    if (f->in_param && f->set(f->user, a, &period, slope)) return ACTIO_FLOW_FAILED;
    if (!f->o->free_period && f->in_param) s->l->period = period;
    return actio_shoot_linearise(s, f->local);
}

/* The tangent in the basis of the first node as it is now: bases of neighbouring points need not be alike. */
static void lay_tangent(const struct actio_follow *f, const struct actio_shoot *s, double *row)
{
    size_t d = s->d;
    for (size_t j = 0; j < d; j++) {
        row[j] = 0;
        for (size_t i = 0; i < f->o->ny; i++) row[j] += f->y_tangent[i] * s->Q[i * d + j];
    }
    memcpy(row + d, f->tangent + d, (f->unknowns - d) * sizeof *row);
}

int actio_follow_tangent(struct actio_follow *f, bool first, bool up)
{
    struct actio_shoot s;
    size_t n = f->unknowns, d = f->o->d;
    double *M = f->work, *b = M + (n + 2) * (n + 1), *t = b + n + 2, slope;
    if (actio_shoot_open(&s, f->o, &f->at)) {
        actio_shoot_close(&s);
        return ACTIO_MARCH_NO_MEMORY;
    }
    int bad = linearise(f, &s, f->a, &slope);
    if (!bad) {
        size_t rows = continuation_fill(f, &s, slope, M, b);
        memset(b, 0, rows * sizeof *b);
        b[rows] = 1;
        double *row = M + rows * n;
        memset(row, 0, n * sizeof *row);
        if (first && f->in_param) row[param_at(f)] = up ? 1 : -1;
        else if (first)
            for (size_t i = 0; i < n; i++) row[i] = 1 / sqrt((double)n);
        else lay_tangent(f, &s, row);
        bad = shortest(f, rows + 1, M, b, t) ? -1 : 0;
        double length = actio_norm(n, t);
        if (!bad && !(length > 0)) bad = -1;
        for (size_t i = 0; i < n && !bad; i++) f->tangent[i] = t[i] / length;
        for (size_t i = 0; i < f->o->ny && !bad; i++) f->y_tangent[i] = actio_dot(d, s.Q + i * d, f->tangent);
    }
    actio_shoot_close(&s);
    return bad;
}

/* The move of all nodes that belongs to a move of the first. */
static void apply(struct actio_follow *f, struct actio_shoot *s, const double *x, double slope,
                  struct actio_circuit *from, double *a)
{
    double da = f->in_param ? x[param_at(f)] * f->a_size : 0,
           dT = f->o->free_period ? x[period_at(f)] * s->l->period : slope * da;
    actio_circuit_copy(from, s->l);
    actio_shoot_follow(s, x, dT, da);
    *a += da;
    actio_shoot_move(s, from, dT, 1);
    for (size_t i = 0; i < s->m && f->in_param; i++) /* the manifold itself moves with the param */
        for (size_t k = 0; k < s->ny; k++) s->l->y[i * s->ny + k] += da * s->lift[i * s->ny + k];
}

/* How far along the tangent the first node, period and param have come. */
static double done(const struct actio_follow *f, const struct actio_circuit *c, double a)
{
    double sum = 0;
    for (size_t i = 0; i < f->o->ny; i++) sum += f->y_tangent[i] * (c->y[i] - f->at.y[i]) / f->o->scale[i];
    if (f->o->free_period) sum += f->tangent[period_at(f)] * (c->period - f->at.period) / f->at.period;
    if (f->in_param) sum += f->tangent[param_at(f)] * (a - f->a) / f->a_size;
    return sum;
}

/* One correction: the equations, the phase, and h along the tangent, or the param's value. 0 and its size, or -1. */
static int correct(struct actio_follow *f, struct actio_shoot *s, double slope, double h, bool fixed, double value,
                   struct actio_circuit *before, double *a, double *size)
{
    size_t n = f->unknowns;
    double *M = f->work, *b = M + (n + 2) * (n + 1), *x = b + n + 2;
    size_t rows = continuation_fill(f, s, slope, M, b);
    double *row = M + rows * n;
    memset(row, 0, n * sizeof *row);
    if (fixed) {
        row[param_at(f)] = 1;
        b[rows] = (value - *a) / f->a_size;
    } else {
        lay_tangent(f, s, row);
        b[rows] = h - done(f, s->l, *a);
    }
    if (shortest(f, rows + 1, M, b, x)) return -1;
    *size = actio_norm(n, x);
    if (*size > 0.5) return -1; /* it leads elsewhere */
    apply(f, s, x, slope, before, a);
    if (f->o->rows && f->in_param) { /* on the manifold of the new param */
        double period = NAN, none;
        if (f->set(f->user, *a, &period, &none)) return -1;
        for (size_t i = 0; i < s->m; i++)
            if (actio_motion_project(f->o->m, actio_orbit_time(f->o, s->l, i), s->l->y + i * s->ny)) return -1;
    }
    return 0;
}

int actio_follow_step(struct actio_follow *f, double h, bool fixed, double value, struct actio_circuit *to, double *a)
{
    struct actio_shoot s;
    struct actio_circuit before;
    double slope, size = INFINITY, last;
    actio_circuit_copy(to, &f->at);
    *a = f->a;
    f->iterations = 0;
    int none = actio_circuit_open(&before, f->o->ctx, f->o->ny, to->nodes),
        bad = actio_shoot_open(&s, f->o, to) || none ? ACTIO_MARCH_NO_MEMORY : 0;
    for (int i = 0; i < MOST_ITERATIONS && !bad; i++) {
        bad = linearise(f, &s, *a, &slope);
        last = size;
        if (!bad) bad = correct(f, &s, slope, h, fixed, value, &before, a, &size);
        if (bad) break;
        f->iterations++;
        if (i > 0 && size <= fmax(20 * f->local, 1e-12)) break;
        if (i > 3 && size > 0.8 * last) bad = size < 1e-7 ? 0 : -1;
        if (i > 3 && size > 0.8 * last) break;
        if (i + 1 == MOST_ITERATIONS) bad = -1;
    }
    if (!bad && !(to->period > 0)) bad = -1;
    actio_shoot_close(&s);
    actio_circuit_close(&before, f->o->ctx);
    return bad;
}
