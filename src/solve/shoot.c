/* SPDX-License-Identifier: Apache-2.0
 * Multiple shooting for one orbit: nodes y_i and the period T with  flow(y_i) = y_(i+1),  the last one being the first
 * again. */
#include "solve/shoot.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40, MOST_HALVINGS = 8 };
#define COARSE 1e-4  /* local tolerance of the first steps */
#define CAREFUL 1e-9 /* the same where that leads nowhere */
#define FINEST 1e-15
/* A shorter step is accepted if it leaves at most this share of the residual. A large residual may keep more: it is
 * beyond the linear range. */
#define FITS 1e-3
#define NOISE 10.0 /* of the motion's local tolerance: a residual that small says nothing */
#define RANK_TOL 1e-13
#define FAMILY_TOL 1e-6 /* the same where orbits come in families: what is that small is their direction */
#define SOUND 0.03      /* of the largest singular value: such directions always count */
#define STAGNANT 1e-8
#define FAMILY 1e-5 /* of the largest singular value: orbits on that side, too */

int actio_shoot_open(struct actio_shoot *s, struct actio_orbit *o, struct actio_circuit *l)
{
    size_t m = l->nodes, d = o->d, ny = o->ny, width = 3 * d + 3;
    *s = (struct actio_shoot){
        .o = o, .l = l, .m = m, .d = d, .ny = ny, .width = width, .timed = !o->free_period, .first_period = l->period
    };
    double **part[] = { &s->Q,  &s->lift,  &s->end,  &s->rate,  &s->X,       &s->Phi, &s->by_period, &s->by_param,
                        &s->r,  &s->kept,  &s->pair, &s->xi,    &s->scratch, &s->K,   &s->kT,        &s->ka,
                        &s->kb, &s->phase, &s->svd,  &s->first, &s->tried,   &s->held };
    const size_t length[] = { m * ny * d,
                              m * ny,
                              m * ny,
                              2 * ny,
                              ny * (d + 1),
                              m * d * d,
                              m * d,
                              m * d,
                              m * d,
                              m * d * width,
                              2 * d * width,
                              m * d,
                              (d + 4) * (d + 4) + 6 * (d + 4) + 2 * width + ny,
                              d * d,
                              d,
                              d,
                              d,
                              d,
                              8 * (d + 3) * (d + 3),
                              d,
                              m * d,
                              m * ny * d };
    size_t all = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i] + 1;
    double *p = s->block = actio_alloc(o->ctx, all, sizeof *p);
    if (!p) return 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        *part[i] = p;
        p += length[i] + 1;
    }
    return 0;
}

void actio_shoot_close(struct actio_shoot *s)
{
    if (s->o) actio_free(s->o->ctx, s->block);
    s->block = NULL;
}

/* ---- segments */

/* to = Q' S^-1 v, strided. */
static void shoot_along(const struct actio_shoot *s, const double *Q, const double *v, size_t stride, double *to,
                        size_t to_stride)
{
    for (size_t j = 0; j < s->d; j++) {
        double sum = 0;
        for (size_t i = 0; i < s->ny; i++) sum += Q[i * s->d + j] * v[i * stride] / s->o->scale[i];
        to[j * to_stride] = sum;
    }
}

static const double *basis(const struct actio_shoot *s, size_t node) { return s->Q + node % s->m * s->ny * s->d; }

/* What the last node's segment misses the first node by, without what is allowed to be. */
static void mismatch(const struct actio_shoot *s, size_t i, double *gap)
{
    const double *end = s->end + i * s->ny, *next = s->l->y + (i + 1) % s->m * s->ny;
    bool wraps = i + 1 == s->m;
    for (size_t k = 0; k < s->ny; k++)
        gap[k] = wraps && s->o->loose[k] ? 0 : end[k] - next[k] - (wraps ? s->o->turn[k] : 0);
}

static void by_period(struct actio_shoot *s, size_t i, double t, double t_end)
{
    size_t d = s->d;
    double *to = s->by_period + i * d, before = s->l->at[i], after = i + 1 < s->m ? s->l->at[i + 1] : 1,
           *start = s->scratch;
    actio_tangent_rates(&s->o->x, t_end, s->end + i * s->ny, s->rate);
    shoot_along(s, basis(s, i + 1), s->rate, 1, to, 1);
    for (size_t j = 0; j < d; j++) to[j] *= s->timed ? after : after - before;
    if (!s->timed) return;
    actio_tangent_rates(&s->o->x, t, s->l->y + i * s->ny, s->rate);
    shoot_along(s, basis(s, i), s->rate, 1, start, 1);
    for (size_t j = 0; j < d; j++) to[j] -= before * actio_dot(d, s->Phi + i * d * d + j * d, start);
}

static int segment(struct actio_shoot *s, size_t i, double local)
{
    struct actio_orbit *o = s->o;
    size_t d = s->d, ny = s->ny, columns = d + o->x.by_param;
    double t = actio_orbit_time(o, s->l, i), t_end = actio_orbit_time(o, s->l, i + 1), *end = s->end + i * ny;
    const double *Q = basis(s, i);
    memcpy(end, s->l->y + i * ny, ny * sizeof *end);
    for (size_t k = 0; k < ny; k++) {
        for (size_t j = 0; j < d; j++) s->X[k * columns + j] = o->scale[k] * Q[k * d + j];
        if (o->x.by_param) s->X[k * columns + d] = s->lift[i * ny + k];
    }
    int bad = actio_tangent_go(&o->x, t, t_end, end, s->X, columns, local);
    if (bad) return bad;
    o->segments++;
    const double *next = basis(s, i + 1);
    for (size_t j = 0; j < d; j++) shoot_along(s, next, s->X + j, columns, s->Phi + i * d * d + j, d);
    if (o->x.by_param) {
        for (size_t k = 0; k < ny; k++) s->X[k * columns + d] -= s->lift[(i + 1) % s->m * ny + k];
        shoot_along(s, next, s->X + d, columns, s->by_param + i * d, 1);
    }
    mismatch(s, i, s->scratch);
    for (size_t k = 0; k < ny; k++) s->residual = fmax(s->residual, fabs(s->scratch[k]) / o->scale[k]);
    shoot_along(s, next, s->scratch, 1, s->r + i * d, 1);
    by_period(s, i, t, t_end);
    return 0;
}

/* ---- elimination */

/* Row block i of  Phi_i xi_i - xi_(i+1) + c dT + ca da = -r  into `at`: own, first, next, c, ca, right side. Components
 * that need not return are left out of the last. */
static void put_row(const struct actio_shoot *s, size_t i, double *at)
{
    size_t d = s->d, w = s->width;
    for (size_t a = 0; a < d; a++) {
        double *row = at + a * w;
        memset(row, 0, w * sizeof *row);
        memcpy(row, s->Phi + i * d * d + a * d, d * sizeof *row);
        row[2 * d + a] = -1;
        row[3 * d] = s->by_period[i * d + a];
        row[3 * d + 1] = s->by_param[i * d + a];
        row[3 * d + 2] = -s->r[i * d + a];
    }
    bool any = false;
    for (size_t k = 0; k < s->ny; k++) any = any || s->o->loose[k];
    if (!any || i + 1 < s->m) return;
    const double *Q = s->Q;
    double *column = s->scratch;
    for (size_t c = 0; c < w; c++) { /* Q' (1 - loose) Q */
        for (size_t a = 0; a < d; a++) {
            column[a] = at[a * w + c];
            at[a * w + c] = 0;
        }
        for (size_t k = 0; k < s->ny; k++) {
            double sum = 0;
            for (size_t a = 0; a < d && !s->o->loose[k]; a++) sum += Q[k * d + a] * column[a];
            for (size_t a = 0; a < d; a++) at[a * w + c] += Q[k * d + a] * sum;
        }
    }
}

/* The running block has xi_0 in `first` and xi_i in `own`; stacked on row i, xi_i goes. */
static void shoot_eliminate(struct actio_shoot *s)
{
    size_t d = s->d, w = s->width;
    double *pair = s->pair, *v = s->scratch, *wide = v + 2 * d;
    put_row(s, 0, pair);
    for (size_t a = 0; a < d; a++) { /* Phi_0 acts on xi_0, -1 on xi_1 */
        double *row = pair + a * w;
        memcpy(row + d, row, d * sizeof *row);
        memcpy(row, row + 2 * d, d * sizeof *row);
        memset(row + 2 * d, 0, d * sizeof *row);
    }
    for (size_t i = 1; i < s->m; i++) {
        put_row(s, i, pair + d * w);
        for (size_t k = 0; k < d; k++) {
            for (size_t a = k; a < 2 * d; a++) v[a - k] = pair[a * w + k];
            double tau = actio_reflector(2 * d - k, v);
            actio_reflect(2 * d - k, w - k, pair + k * w + k, w, v, tau, wide);
        }
        memcpy(s->kept + i * d * w, pair, d * w * sizeof *pair);
        for (size_t a = 0; a < d; a++) {
            double *row = pair + a * w, *from = pair + (d + a) * w;
            memcpy(row, from + 2 * d, d * sizeof *row);
            memcpy(row + d, from + d, d * sizeof *row);
            memset(row + 2 * d, 0, d * sizeof *row);
            memcpy(row + 3 * d, from + 3 * d, 3 * sizeof *row);
        }
    }
    for (size_t a = 0; a < d; a++) {
        const double *row = pair + a * w;
        for (size_t k = 0; k < d; k++) s->K[a * d + k] = row[k] + row[d + k];
        s->kT[a] = row[3 * d];
        s->ka[a] = row[3 * d + 1];
        s->kb[a] = row[3 * d + 2];
    }
}

int actio_shoot_linearise(struct actio_shoot *s, double local)
{
    struct actio_orbit *o = s->o;
    s->residual = 0;
    s->local = local;
    for (size_t i = 0; i < s->m; i++)
        if (actio_orbit_directions(o, actio_orbit_time(o, s->l, i), s->l->y + i * s->ny, s->Q + i * s->ny * s->d,
                                   s->lift + i * s->ny))
            return ACTIO_FLOW_SINGULAR;
    actio_tangent_rewind(&o->x);
    for (size_t i = 0; i < s->m; i++) {
        int bad = segment(s, i, local);
        if (bad) return bad;
        if (actio_stopped(o->ctx)) return ACTIO_FLOW_STOPPED;
    }
    if (!actio_orbit_returns(o)) return ACTIO_FLOW_FAILED;
    shoot_eliminate(s);
    /* of the end: the start may still be on its way to the orbit */
    actio_tangent_rates(&o->x, o->t0 + s->l->period, s->end + (s->m - 1) * s->ny, s->rate);
    shoot_along(s, s->Q, s->rate, 1, s->phase, 1);
    return 0;
}

/* ---- the step */

/* M x = b for rows x d: as few singular directions as leave little of b, the largest first. Where orbits come in
 * families, the last ones are the differences of what the motion keeps: nothing is to be gained there but noise. */
static int shortest(struct actio_shoot *s, size_t rows, const double *M, const double *b, double *x)
{
    size_t d = s->d;
    double *sigma = s->svd, *u = sigma + d, *v = u + rows * d, *rest = v + d * d, *work = rest + rows,
           enough = fmin(0.5, fmax(FITS, 2 * s->residual)) * actio_norm(d, s->kb);
    if (actio_svd(rows, d, M, sigma, u, v, work)) return 1;
    memcpy(rest, b, rows * sizeof *rest);
    memset(x, 0, d * sizeof *x);
    for (size_t k = 0; k < d && sigma[k] > (s->o->in_families ? FAMILY_TOL : RANK_TOL) * sigma[0]; k++) {
        double part = 0, left = actio_norm(rows, rest);
        bool sound = sigma[k] > SOUND * sigma[0] && !s->o->in_families;
        if (left <= (sound ? 0.01 * s->local : fmax(enough, NOISE * s->local))) break;
        for (size_t i = 0; i < rows; i++) part += u[i * d + k] * rest[i];
        for (size_t i = 0; i < rows; i++) rest[i] -= part * u[i * d + k];
        for (size_t j = 0; j < d; j++) x[j] += part / sigma[k] * v[j * d + k];
    }
    for (size_t j = 0; j < d; j++)
        if (!isfinite(x[j])) return 1;
    return 0;
}

/* Takes out of M x = b what a change of the period does, so that the state moves as little as it can; the row of the
 * phase joins. The number of rows. */
static size_t without_period(const struct actio_shoot *s, double length, double *M, double *b, double *u)
{
    size_t d = s->d;
    double speed = actio_norm(d, s->phase);
    for (size_t a = 0; a < d; a++) u[a] = s->kT[a] / length;
    for (size_t k = 0; k <= d; k++) {
        double sum = 0;
        for (size_t a = 0; a < d; a++) sum += u[a] * (k < d ? M[a * d + k] : b[a]);
        for (size_t a = 0; a < d; a++) *(k < d ? &M[a * d + k] : &b[a]) -= u[a] * sum;
    }
    for (size_t k = 0; k < d && speed > 0; k++) M[d * d + k] = s->phase[k] / speed;
    b[d] = 0;
    return d + (speed > 0);
}

int actio_shoot_step(struct actio_shoot *s, double *xi, double *dT)
{
    size_t d = s->d, rows = d;
    double *M = s->scratch, *b = M + (d + 4) * (d + 4), *u = b + d + 4, length = actio_norm(d, s->kT), sum = 0;
    bool free_period = s->o->free_period && length > 0;
    memcpy(M, s->K, d * d * sizeof *M);
    memcpy(b, s->kb, d * sizeof *b);
    *dT = 0;
    if (free_period) rows = without_period(s, length, M, b, u);
    if (shortest(s, rows, M, b, xi)) return 1;
    if (!free_period) return 0;
    for (size_t a = 0; a < d; a++) sum += s->kT[a] / length * (s->kb[a] - actio_dot(d, s->K + a * d, xi));
    *dT = sum / length;
    return !isfinite(*dT);
}

void actio_shoot_follow(struct actio_shoot *s, const double *xi, double dT, double da)
{
    size_t d = s->d, w = s->width;
    memcpy(s->xi, xi, d * sizeof *xi);
    for (size_t i = s->m - 1; i > 0; i--) {
        double *to = s->xi + i * d;
        const double *next = s->xi + (i + 1) % s->m * d;
        for (size_t a = d; a-- > 0;) {
            const double *row = s->kept + (i * d + a) * w;
            double sum = row[3 * d + 2] - row[3 * d] * dT - row[3 * d + 1] * da - actio_dot(d, row + d, xi)
                         - actio_dot(d, row + 2 * d, next);
            for (size_t k = a + 1; k < d; k++) sum -= row[k] * to[k];
            to[a] = sum / row[a];
        }
    }
}

int actio_shoot_move(struct actio_shoot *s, const struct actio_circuit *from, double dT, double part)
{
    struct actio_orbit *o = s->o;
    int bad = 0;
    s->l->period = from->period + part * dT;
    for (size_t i = 0; i < s->m && !bad; i++) {
        double *y = s->l->y + i * s->ny;
        const double *Q = basis(s, i);
        for (size_t k = 0; k < s->ny; k++)
            y[k] = from->y[i * s->ny + k] + part * o->scale[k] * actio_dot(s->d, Q + k * s->d, s->xi + i * s->d);
        if (o->rows) bad = actio_motion_project(o->m, actio_orbit_time(o, s->l, i), y);
    }
    return bad;
}

/* ---- the search */

static double step_size(const struct actio_shoot *s, double dT)
{
    double most = fabs(dT) / s->l->period;
    for (size_t i = 0; i < s->m * s->d; i++) most = fmax(most, fabs(s->xi[i]));
    return most;
}

/* A turn in which next to nothing moves is a state of rest. */
static bool at_rest(const struct actio_shoot *s)
{
    double way = 0;
    for (size_t i = 0; i < s->m; i++) {
        actio_tangent_rates(&s->o->x, actio_orbit_time(s->o, s->l, i), s->l->y + i * s->ny, s->rate);
        /* the period itself may be on its way to nothing */
        for (size_t k = 0; k < s->ny; k++) way = fmax(way, fabs(s->rate[k]) * s->first_period / s->o->scale[k]);
    }
    return way < 0.05;
}

/* The Newton step from where the nodes are, of all of them; its size, or INFINITY. */
static double find_step(struct actio_shoot *s, double *dT)
{
    if (actio_shoot_step(s, s->first, dT)) return INFINITY;
    actio_shoot_follow(s, s->first, *dT, 0);
    return step_size(s, *dT);
}

/* Moves by the step, halved until the residual or the next step is smaller, and leaves that step. 0; -1: no part of the
 * step helps; or a motion's status. */
static int descend(struct actio_shoot *s, struct actio_circuit *before, double local, double *dT, double *size)
{
    /* never further than the orbit is large */
    double old = s->residual, was = *size, step = *dT, part = was > 1 ? 1 / was : 1;
    if (fabs(step) * part > 0.3 * s->l->period) part = 0.3 * s->l->period / fabs(step);
    int bad = 0;
    actio_circuit_copy(before, s->l);
    memcpy(s->tried, s->xi, s->m * s->d * sizeof *s->xi);
    memcpy(s->held, s->Q, s->m * s->ny * s->d * sizeof *s->Q);
    for (int i = 0; i < MOST_HALVINGS; i++, part /= 2) {
        memcpy(s->xi, s->tried, s->m * s->d * sizeof *s->xi);
        memcpy(s->Q, s->held, s->m * s->ny * s->d * sizeof *s->Q);
        bad = actio_shoot_move(s, before, step, part);
        if (!bad && !(s->l->period > 0)) continue;
        if (!bad) bad = actio_shoot_linearise(s, local);
        if (bad == ACTIO_FLOW_STOPPED) return bad;
        if (bad) continue;
        *size = find_step(s, dT);
        if (s->residual <= (1 - part / 4) * old || *size <= (1 - part / 4) * was) return 0;
    }
    actio_circuit_copy(s->l, before);
    return bad ? bad : -1;
}

/* Newton's method at one tolerance of the motion. 0 when corrections are as small as it allows. */
static int newton(struct actio_shoot *s, struct actio_circuit *before, double local, double enough,
                  struct actio_orbit_report *reported)
{
    double dT, last = INFINITY, size;
    int bad = actio_shoot_linearise(s, local), stagnant = 0;
    if (bad) return bad;
    size = find_step(s, &dT);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        reported->step = size;
        reported->iterations++;
        if (!isfinite(size)) return -1;
        if (s->o->free_period && at_rest(s)) return ACTIO_ORBIT_RESTS;
        if (size <= fmax(enough, local > 1e-12 ? sqrt(enough) / 10 : 0)) { /* its square is what is left after it */
            if (size * 4 > last) return 0;                                 /* rounding moves it about */
            reported->step = fmin(size, 100 * size * size);
            actio_circuit_copy(before, s->l);
            return actio_shoot_move(s, before, dT, 1);
        }
        /* rounding, times the condition of the orbit: that is its error */
        if (size <= STAGNANT && size > 0.25 * last && ++stagnant == 3) return 0;
        last = size;
        bad = descend(s, before, local, &dT, &size);
        if (bad == -1 && last <= 1e3 * enough) return 0;
        if (bad) return bad;
    }
    return -1;
}

/* Mismatches beside max(1, size) of the component. */
static double relative_residual(const struct actio_shoot *s)
{
    double most = 0;
    for (size_t k = 0; k < s->ny; k++) {
        double size = fmax(1, s->o->scale[k]), gap = 0;
        for (size_t i = 0; i < s->m; i++) {
            mismatch(s, i, s->scratch);
            size = fmax(size, fabs(s->end[i * s->ny + k]));
            gap = fmax(gap, fabs(s->scratch[k]));
        }
        most = fmax(most, gap / size);
    }
    return most;
}

int actio_orbit_mismatch(struct actio_orbit *o, struct actio_circuit *l, double local, double *residual)
{
    struct actio_shoot s;
    int bad = actio_shoot_open(&s, o, l) ? ACTIO_MARCH_NO_MEMORY : 0;
    actio_tangent_rewind(&o->x);
    for (size_t i = 0; i < l->nodes && !bad; i++) {
        memcpy(s.end + i * o->ny, l->y + i * o->ny, o->ny * sizeof *s.end);
        bad = actio_tangent_go(&o->x, actio_orbit_time(o, l, i), actio_orbit_time(o, l, i + 1), s.end + i * o->ny, NULL,
                               0, local);
    }
    if (!bad) *residual = relative_residual(&s);
    actio_shoot_close(&s);
    return bad;
}

size_t actio_orbit_lack(struct actio_orbit *o, struct actio_circuit *l)
{
    struct actio_shoot s;
    size_t d = o->d, n = d + o->free_period, lack = 0;
    double *M = actio_alloc(o->ctx, 6 * (n + 1) * (n + 1) + 2 * n + 1, sizeof *M), *sigma = M ? M + n * n : NULL;
    if (actio_shoot_open(&s, o, l) == 0 && M && actio_shoot_linearise(&s, 1e-9) == 0) {
        double speed = actio_norm(d, s.phase);
        for (size_t a = 0; a < d; a++) {
            memcpy(M + a * n, s.K + a * d, d * sizeof *M);
            if (o->free_period) {
                M[a * n + d] = s.kT[a] * l->period;
                M[d * n + a] = speed > 0 ? s.phase[a] / speed : 0;
            }
        }
        if (actio_svd(n, n, M, sigma, NULL, NULL, sigma + n) == 0)
            for (size_t i = 0; i < n; i++) lack += sigma[i] < FAMILY * sigma[0];
    }
    actio_shoot_close(&s);
    actio_free(o->ctx, M);
    return lack;
}

/* From coarse to fine; what one tolerance found is the guess of the next. */
static int refine(struct actio_shoot *s, struct actio_circuit *before, double local, double fine,
                  struct actio_orbit_report *reported)
{
    double period = NAN, coarse = NAN;
    for (;;) {
        int bad = newton(s, before, local, fmax(10 * local, 1e-13), reported);
        if (bad) return bad;
        if (local <= fine) break;
        period = s->l->period;
        coarse = local;
        local = fine >= 1e-10 ? fine : fmax(local * (local > 1e-6 ? 1e-4 : 1e-3), fine);
    }
    double shown = isnan(period) ? reported->step * s->l->period
                                 : fabs(s->l->period - period) * sqrt(fine / coarse * sqrt(fine / coarse));
    if (reported->step > 1e-13) shown += reported->step * s->l->period;
    reported->period_error = s->o->free_period ? shown + 4 * DBL_EPSILON * s->l->period : 0;
    return 0;
}

int actio_orbit_shoot(struct actio_orbit *o, struct actio_circuit *l, double tol, struct actio_orbit_report *reported)
{
    struct actio_shoot s;
    struct actio_circuit before, guess = { 0 };
    double fine = fmax(FINEST, (tol > 1e-11 ? 0.5 : 0.1) * tol);
    *reported = (struct actio_orbit_report){ .unknowns = l->nodes * o->d + o->free_period };
    int none =
            actio_circuit_open(&before, o->ctx, o->ny, l->nodes) || actio_circuit_open(&guess, o->ctx, o->ny, l->nodes),
        bad = ACTIO_MARCH_NO_MEMORY;
    if (actio_shoot_open(&s, o, l) == 0 && !none) {
        actio_circuit_copy(&guess, l);
        bad = refine(&s, &before,
                     fmax(o->in_families ? 1e-2 * CAREFUL
                          : o->is_long   ? CAREFUL
                                         : COARSE,
                          fine),
                     fine, reported);
        if (bad < 0 && fine < CAREFUL && !o->is_long && !o->in_families) { /* coarse steps may have led it astray */
            actio_circuit_copy(l, &guess);
            bad = refine(&s, &before, CAREFUL, fine, reported);
        }
        if (!bad) bad = actio_orbit_mismatch(o, l, fine, &reported->residual);
        reported->local = fine;
        if (!bad && o->free_period) reported->period_error += reported->residual * l->period;
    }
    if (s.block) actio_orbit_ended(bad, reported);
    else reported->status = ACTIO_ORBIT_NO_MEMORY;
    actio_shoot_close(&s);
    actio_circuit_close(&before, o->ctx);
    actio_circuit_close(&guess, o->ctx);
    o->iterations += reported->iterations;
    return reported->status;
}
