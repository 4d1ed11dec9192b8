/* SPDX-License-Identifier: Apache-2.0
 * Periodic orbits by the dual action with unknown period: U = (x, P) on s = 0 .. 1,  x' = P f(x), P' = 0;  the dual (D,
 * pi) is periodic, pi is held at one node.
 * No phase condition: the base breaks the symmetry. First the base is moved (D = 0) until it stays, then the fixed
 * base's dual problem is solved.  [DUAL 5.1, 5.2] */
#include "solve/dual_orbit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEGREE = ACTIO_DUAL_ORBIT_DEGREE,
    POINTS = ACTIO_DUAL_ORBIT_POINTS,
    FIRST = 32,
    MOST_ELEMENTS = 800,
    MOST_UNKNOWNS = 16000,
    MOST_MOVES = 30,
    MOST_STEPS = 12,
    MOST_HALVINGS = 10
};
#define CHARM 1e-2 /* |x - Pi x| of its size: more is not a motion */

/* ---- moving the base: D = 0 */

static void at_base(struct actio_dual_orbit *w)
{
    actio_dual_orbit_lay_base(w);
    memset(w->lane.D, 0, w->nx * w->lanes * sizeof *w->lane.D);
    memset(w->lane.rate, 0, w->nx * w->lanes * sizeof *w->lane.rate);
    memset(w->lane.pi_rate, 0, w->lanes * sizeof *w->lane.pi_rate);
    memcpy(w->lane.U, w->lane.base, w->nx * w->lanes * sizeof *w->lane.U);
    for (size_t l = 0; l < w->lanes; l++) w->lane.P[l] = w->period;
}

/* dU = C^-1 B dz by the factors as they are; its size. */
static double change(struct actio_dual_orbit *w, const double *P, const double *f, const double *fU)
{
    size_t b = w->b, q = w->lanes, nx = w->nx;
    double sum = 0;
    memcpy(w->step, w->G, w->N * DEGREE * b * sizeof *w->step);
    actio_cyclic_solve(&w->K, w->step);
    actio_dual_orbit_lay_dual(w, w->step);
    for (size_t l = 0; l < q; l++) {
        double dP = w->lane.pi_rate[l];
        for (size_t i = 0; i < nx; i++) {
            w->dU[i * q + l] = w->lane.rate[i * q + l];
            dP += w->lane.D[i * q + l] * f[i * q + l];
        }
        for (size_t i = 0; i < w->fo->f_U.count; i++)
            w->dU[w->fo->f_U.col[i] * q + l] += P[l] * fU[i * q + l] * w->lane.D[w->fo->f_U.row[i] * q + l];
        w->dP[l] = b > nx ? dP / actio_dual_orbit_weight_P(w) : 0;
        for (size_t i = 0; i < nx; i++) {
            w->dU[i * q + l] /= actio_dual_orbit_weight_x(w, i);
            sum += w->dU[i * q + l] * w->dU[i * q + l] * actio_dual_orbit_weight_x(w, i) * w->e.weight[l % POINTS]
                   / (double)w->N;
        }
        sum += w->dP[l] * w->dP[l] * actio_dual_orbit_weight_P(w) * w->e.weight[l % POINTS] / (double)w->N;
    }
    return sqrt(sum);
}

/* base := Pi(base + a dU), from the nodes and the period that are kept. */
static void move_base(struct actio_dual_orbit *w, const double *nodes, double period, const double *dU,
                      const double *dP, double a)
{
    double mean = 0;
    for (size_t l = 0; l < w->lanes; l++) mean += w->e.weight[l % POINTS] * dP[l] / (double)w->N;
    for (size_t i = 0; i < w->nx; i++) {
        double *x = w->dU + i * w->lanes; /* dU may be where it is: it is read before */
        for (size_t l = 0; l < w->lanes; l++)
            x[l] =
                w->o->turn[i] * ((double)(l / POINTS) + w->e.at[l % POINTS]) / (double)w->N + a * dU[i * w->lanes + l];
        actio_dual_orbit_project(w, i, x);
        for (size_t n = 0; n < w->N * DEGREE; n++) w->node[n * w->nx + i] = nodes[n * w->nx + i] + w->project[n];
    }
    w->period = period + a * mean;
}

struct copies {
    double *node, *dU, *dP, *f, *fU, *P;
};

/* One move with the natural test: the next correction by the same factors is smaller. 0, or 1: no move. *size: of the
 * correction. */
static int move_once(struct actio_dual_orbit *w, double *size)
{
    size_t q = w->lanes, nx = w->nx, nodes = w->N * DEGREE * nx;
    double period = w->period,
           *block = actio_alloc(w->o->ctx, nodes + (2 * nx + 2 + w->fo->f_U.count) * q + 1, sizeof *block);
    if (!block) return 1;
    struct copies c = { block,
                        block + nodes,
                        block + nodes + nx * q,
                        block + nodes + (nx + 1) * q,
                        block + nodes + (2 * nx + 1) * q,
                        block + nodes + (2 * nx + 1 + w->fo->f_U.count) * q };
    at_base(w);
    int bad = actio_dual_orbit_evaluate(w);
    if (!bad) {
        actio_dual_orbit_gradient(w);
        bad = actio_dual_orbit_factor(w);
    }
    if (!bad) {
        memcpy(c.node, w->node, nodes * sizeof(double));
        memcpy(c.f, w->point.f, nx * q * sizeof(double));
        memcpy(c.fU, w->point.fU, w->fo->f_U.count * q * sizeof(double));
        memcpy(c.P, w->lane.P, q * sizeof(double));
        *size = change(w, c.P, c.f, c.fU);
        memcpy(c.dU, w->dU, nx * q * sizeof(double));
        memcpy(c.dP, w->dP, q * sizeof(double));
        double a = *size > 1 ? 1 / *size : 1;
        bad = 1;
        for (int it = 0; it < MOST_HALVINGS && bad; it++, a /= 2) {
            move_base(w, c.node, period, c.dU, c.dP, a);
            if (!(w->period > 0.2 * period && w->period < 5 * period)) continue;
            at_base(w);
            if (actio_dual_orbit_evaluate(w)) continue;
            actio_dual_orbit_gradient(w);
            double now = w->period;
            w->period = period; /* weights of the factors */
            bad = !(change(w, c.P, c.f, c.fU) < (1 - a / 4) * *size || *size < 1e-9);
            w->period = now;
        }
        if (bad) {
            memcpy(w->node, c.node, nodes * sizeof(double));
            w->period = period;
        }
    }
    actio_free(w->o->ctx, block);
    return bad;
}

/* Until corrections stay as they are: the projection's error is all that is left. 0, or -1. */
static int settle_base(struct actio_dual_orbit *w, struct actio_orbit_report *reported)
{
    double size = INFINITY, last;
    for (int i = 0; i < MOST_MOVES; i++) {
        last = size;
        int bad = move_once(w, &size);
        reported->iterations++;
        reported->step = size;
        if (actio_stopped(w->o->ctx)) return ACTIO_FLOW_STOPPED;
        if (bad) return size < 0.05 ? 0 : -1;
        if (size < 1e-9 || (size < 1e-2 && size > 0.5 * last)) return 0;
    }
    return size < 1e-2 ? 0 : -1;
}

/* ---- the fixed base's dual problem */

static int at_dual(struct actio_dual_orbit *w, const double *z)
{
    actio_dual_orbit_lay_dual(w, z);
    int bad = actio_dual_orbit_map(w);
    if (!bad) actio_dual_orbit_gradient(w);
    return bad;
}

/* Along the step, halved until the residual falls. 0, or 1: it does not, and (x, P) are as before; z is in `kept`. */
static int descend(struct actio_dual_orbit *w)
{
    size_t count = w->N * DEGREE * w->b, q = w->lanes, nx = w->nx;
    double *kept_U = w->kept + count, *kept_P = kept_U + nx * q, old = w->residual, a = 1;
    memcpy(w->kept, w->z, count * sizeof *w->z);
    memcpy(kept_U, w->lane.U, nx * q * sizeof(double));
    memcpy(kept_P, w->lane.P, q * sizeof(double));
    for (int h = 0; h < MOST_HALVINGS; h++, a /= 2) {
        for (size_t n = 0; n < count; n++) w->z[n] = w->kept[n] + a * w->step[n];
        if (at_dual(w, w->z) == ACTIO_DUAL_DONE && w->residual < old) return 0;
        memcpy(w->lane.U, kept_U, nx * q * sizeof(double));
        memcpy(w->lane.P, kept_P, q * sizeof(double));
    }
    return 1;
}

static int polish(struct actio_dual_orbit *w, struct actio_orbit_report *reported)
{
    size_t count = w->N * DEGREE * w->b;
    memset(w->z, 0, count * sizeof *w->z);
    at_base(w);
    if (at_dual(w, w->z)) return -1;
    for (int i = 0; i < MOST_STEPS; i++) {
        double old = w->residual;
        if (actio_dual_orbit_factor(w)) return -1;
        memcpy(w->step, w->G, count * sizeof *w->step);
        actio_cyclic_solve(&w->K, w->step);
        reported->iterations++;
        if (descend(w)) { /* rounding: what there was is as good */
            memcpy(w->z, w->kept, count * sizeof *w->z);
            return at_dual(w, w->z) == ACTIO_DUAL_DONE && old < 1e-9 ? 0 : -1;
        }
        if (w->residual < 1e-15 || (w->residual < 1e-12 && w->residual > 0.1 * old)) return 0;
    }
    return w->residual < 1e-9 ? 0 : -1;
}

/* ---- the whole */

/* The guess at the nodes, without what a turn gains. */
static int take_guess(struct actio_dual_orbit *w, struct actio_circuit *l)
{
    size_t nodes = w->N * DEGREE;
    double *at = w->project;
    for (size_t n = 0; n < nodes; n++) at[n] = ((double)(n / DEGREE) + w->e.node[n % DEGREE]) / (double)w->N;
    w->period = l->period;
    int bad = actio_orbit_states(w->o, l, at, nodes, w->node);
    for (size_t n = 0; n < nodes && !bad; n++)
        for (size_t c = 0; c < w->nx; c++) w->node[n * w->nx + c] -= w->o->turn[c] * at[n];
    return bad;
}

/* The result as the guess of finer elements, and as what is reported. */
static void give(struct actio_dual_orbit *w, struct actio_circuit *l)
{
    double mean = 0;
    for (size_t q = 0; q < w->lanes; q++) mean += w->e.weight[q % POINTS] * (w->lane.P[q] - w->period) / (double)w->N;
    l->period = w->period + mean;
    for (size_t i = 0; i < l->nodes; i++) { /* nodes become ends of elements: there the reactions are exact */
        size_t e = (size_t)(l->at[i] * (double)w->N + 0.5) % w->N;
        l->at[i] = (double)e / (double)w->N;
        memcpy(l->y + i * w->nx, w->xe + e * w->nx, w->nx * sizeof *l->y);
    }
}

/* One number of elements. 0, -1, a status of the motion; *detector. */
static int solve_on(struct actio_orbit *o, struct actio_circuit *l, size_t N, bool kept_ones,
                    struct actio_orbit_report *reported, double *detector)
{
    struct actio_dual_orbit w;
    int bad = actio_dual_orbit_open(&w, o, N);
    if (!bad && take_guess(&w, l)) bad = ACTIO_FLOW_FAILED;
    reported->unknowns = N * DEGREE * w.b;
    w.kept_ones = kept_ones;
    if (!bad) bad = settle_base(&w, reported);
    if (!bad) bad = polish(&w, reported);
    if (!bad) {
        *detector = actio_dual_orbit_detect(&w);
        give(&w, l);
    }
    actio_dual_orbit_close(&w);
    return bad;
}

/* Twice as many elements until the detector or the period says that they are enough. 0, -1, a status of the motion. */
static int grow_elements(struct actio_orbit *o, struct actio_circuit *l, double tol,
                         struct actio_orbit_report *reported)
{
    double before = INFINITY;
    bool kept_ones = o->rows || actio_orbit_lack(o, l);
    for (size_t N = FIRST * (l->nodes > 4 ? l->nodes / 2 : 1);; N *= 2) {
        double period = l->period;
        int bad = solve_on(o, l, N, kept_ones, reported, &reported->detector);
        if (bad) return bad;
        double square = reported->detector * reported->detector;
        reported->period_error = fmin(fabs(l->period - period), square * l->period) + 8 * DBL_EPSILON * l->period;
        bool settled = fabs(l->period - before) <= fmax(tol, 2e-15) * l->period;
        if ((square < 1e-3 * fmax(tol, 1e-15) || settled) && reported->detector < 1e-5) return 0;
        if (2 * N > MOST_ELEMENTS || 2 * N * DEGREE * (o->ny + 1) > MOST_UNKNOWNS || actio_stopped(o->ctx)) return 0;
        before = l->period;
    }
}

static bool moves(struct actio_orbit *o, const struct actio_circuit *l)
{
    bool any = false;
    for (size_t i = 0; i < l->nodes; i++) {
        double *f = o->work;
        if (actio_tangent_rates(&o->x, actio_orbit_time(o, l, i), l->y + i * o->ny, f)) continue;
        for (size_t k = 0; k < o->ny; k++) any = any || fabs(f[k]) * l->period > 0.05 * o->scale[k];
    }
    return any;
}

int actio_orbit_dual(struct actio_orbit *o, struct actio_circuit *l, double tol, struct actio_orbit_report *reported)
{
    *reported = (struct actio_orbit_report){ .local = NAN, .detector = NAN };
    int bad = grow_elements(o, l, tol, reported);
    bool moving = !bad && moves(o, l);
    for (size_t i = 0; !bad && o->rows && i < l->nodes; i++)
        bad = actio_motion_project(o->m, actio_orbit_time(o, l, i), l->y + i * o->ny);
    if (!bad) bad = actio_orbit_mismatch(o, l, fmax(1e-15, 0.1 * tol), &reported->residual);
    /* closing follows from the motion itself */
    reported->period_error = o->free_period ? reported->period_error + reported->residual * l->period : 0;
    actio_orbit_ended(bad, reported);
    if (bad) return reported->status;
    if (o->free_period && !moving) reported->status = ACTIO_ORBIT_AT_REST;
    else if (reported->detector > CHARM) reported->status = ACTIO_ORBIT_SPURIOUS;
    return reported->status;
}
