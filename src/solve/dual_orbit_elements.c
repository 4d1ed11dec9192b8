/* SPDX-License-Identifier: Apache-2.0
 * The dual action of a periodic motion on elements of its turn: the lanes, the projection, the map from the dual to
 * (x, P), the gradient and the Hessian.  [DUAL 5.1] */
#include "solve/dual_orbit.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { DEGREE = ACTIO_DUAL_ORBIT_DEGREE, POINTS = ACTIO_DUAL_ORBIT_POINTS, MOST_MAPS = 25 };

void actio_dual_orbit_close(struct actio_dual_orbit *w)
{
    actio_node_close(&w->point.kernel, w->o->ctx);
    actio_cyclic_close(&w->K);
    actio_cyclic_close(&w->mass);
    actio_dual_element_close(&w->e);
    actio_free(w->o->ctx, w->block);
    w->block = NULL;
}

static struct actio_binding binding(const struct actio_dual_orbit *w)
{
    struct actio_binding b;
    size_t n = w->sys->n;
    const struct actio_motion *m = w->o->m;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        const double *base;
    } varying[] = {
        { ACTIO_SPACE_T, w->lane.time },
        { ACTIO_SPACE_Q, w->lane.U },
        { ACTIO_SPACE_V, w->lane.U + n * w->lanes },
        { ACTIO_SPACE_STATE, w->lane.U + 2 * n * w->lanes },
        { ACTIO_SPACE_BASE, w->lane.U },
        { ACTIO_SPACE_DUAL, w->lane.PD },
        { ACTIO_SPACE_DUALDOT, w->lane.rate },
    };
    for (size_t i = 0; i < sizeof varying / sizeof *varying; i++) {
        b.space[varying[i].space].base = varying[i].base;
        b.space[varying[i].space].index_step = (ptrdiff_t)w->lanes;
        b.space[varying[i].space].lane_step = 1;
    }
    const struct {
        int space;
        const double *base;
    } common[] = { { ACTIO_SPACE_PARAM, m->here.param },
                   { ACTIO_SPACE_MODE, m->here.mode },
                   { ACTIO_SPACE_HIDDEN, m->here.hidden } };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        b.space[common[i].space].base = common[i].base;
        b.space[common[i].space].index_step = 1;
    }
    return b;
}

static bool take_memory(struct actio_dual_orbit *w)
{
    size_t q = w->lanes, nx = w->nx, b = w->b, z = w->N * DEGREE * b, all = 0;
    const struct {
        double **p;
        size_t n;
    } want[] = {
        { &w->lane.time, q },
        { &w->lane.U, nx * q },
        { &w->lane.P, q },
        { &w->lane.base, nx * q },
        { &w->lane.D, nx * q },
        { &w->lane.PD, nx * q },
        { &w->lane.rate, nx * q },
        { &w->lane.pi_rate, q },
        { &w->point.L, q },
        { &w->point.f, nx * q },
        { &w->point.slope, nx * q },
        { &w->point.fU, w->fo->f_U.count * q },
        { &w->point.M, w->fo->M.count * q },
        { &w->point.C, w->fo->C.count * q },
        { &w->node, w->N * DEGREE * nx },
        { &w->z, z },
        { &w->G, z },
        { &w->step, z },
        { &w->kept, z + (nx + 1) * q + w->N * DEGREE * nx },
        { &w->ends, w->N * nx },
        { &w->small, 2 * b * b + 2 * b * b + 4 * b * b + 4 * b + 8 },
        { &w->project, w->N * DEGREE },
        { &w->dU, nx * q },
        { &w->dP, q },
        { &w->xe, w->N * nx },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) all += want[i].n;
    double *next = w->block = actio_alloc(w->o->ctx, all + 1, sizeof *w->block);
    for (size_t i = 0; next && i < sizeof want / sizeof *want; next += want[i++].n) *want[i].p = next;
    return next != NULL;
}

/* The mass matrix of continuous periodic polynomials, factored. 0, or 1. */
static int open_mass(struct actio_dual_orbit *w)
{
    size_t nl = w->mass.nl;
    memset(w->mass.local, 0, w->N * nl * nl * sizeof(double));
    for (size_t q = 0; q < POINTS; q++)
        for (size_t j = 0; j <= DEGREE; j++)
            for (size_t i = 0; i <= DEGREE; i++) {
                size_t row = actio_cyclic_place(&w->mass, j), col = actio_cyclic_place(&w->mass, i);
                if (col <= row)
                    w->mass.local[row * nl + col] +=
                        w->e.weight[q] * w->e.N[q * (DEGREE + 1) + j] * w->e.N[q * (DEGREE + 1) + i];
            }
    for (size_t e = 1; e < w->N; e++) memcpy(w->mass.local + e * nl * nl, w->mass.local, nl * nl * sizeof(double));
    return actio_cyclic_factor(&w->mass, 0);
}

int actio_dual_orbit_open(struct actio_dual_orbit *w, struct actio_orbit *o, size_t N)
{
    struct actio_system *sys = o->m->sys;
    *w = (struct actio_dual_orbit){ .o = o,
                                    .sys = sys,
                                    .fo = sys->first_order,
                                    .N = N,
                                    .nx = o->ny,
                                    .b = o->ny + o->free_period,
                                    .lanes = N * POINTS };
    if (actio_dual_element_open(&w->e, o->ctx, DEGREE, POINTS) || actio_cyclic_open(&w->K, o->ctx, N, DEGREE, w->b)
        || actio_cyclic_open(&w->mass, o->ctx, N, DEGREE, 1))
        return ACTIO_MARCH_NO_MEMORY;
    if (!take_memory(w)) return ACTIO_MARCH_NO_MEMORY;
    if (o->free_period) w->K.pinned = o->ny;
    struct actio_binding at = binding(w);
    if (actio_node_open(&w->point.kernel, o->ctx, sys->kernel[ACTIO_Q_DUAL_POINT], &at, w->lanes, w->point.L))
        return ACTIO_MARCH_NO_MEMORY;
    return open_mass(w) ? ACTIO_FLOW_FAILED : 0;
}

/* ---- projection onto continuous periodic polynomials */

/* Nodal values of the projection of one component, given at the points; what a turn gains is taken off before. */
void actio_dual_orbit_project(struct actio_dual_orbit *w, size_t i, const double *x)
{
    double *r = w->project, turn = w->o->turn[i];
    memset(r, 0, w->N * DEGREE * sizeof *r);
    for (size_t e = 0, l = 0; e < w->N; e++)
        for (size_t q = 0; q < POINTS; q++, l++) {
            double s = ((double)e + w->e.at[q]) / (double)w->N, v = w->e.weight[q] * (x[l] - turn * s);
            for (size_t j = 0; j <= DEGREE; j++)
                r[(e * DEGREE + j) % (w->N * DEGREE)] += w->e.N[q * (DEGREE + 1) + j] * v;
        }
    actio_cyclic_solve(&w->mass, r);
}

/* Nodal values to the points. */
static double at_point(const struct actio_dual_orbit *w, size_t i, const double *nodal, size_t stride, size_t e,
                       size_t q)
{
    double sum = w->o->turn[i] * ((double)e + w->e.at[q]) / (double)w->N;
    for (size_t j = 0; j <= DEGREE; j++)
        sum += w->e.N[q * (DEGREE + 1) + j] * nodal[(e * DEGREE + j) % (w->N * DEGREE) * stride];
    return sum;
}

/* The base at the points and at the elements' ends from its nodes. */
void actio_dual_orbit_lay_base(struct actio_dual_orbit *w)
{
    for (size_t i = 0; i < w->nx; i++) {
        for (size_t e = 0; e < w->N; e++) {
            for (size_t q = 0; q < POINTS; q++)
                w->lane.base[i * w->lanes + e * POINTS + q] = at_point(w, i, w->node + i, w->nx, e, q);
            w->ends[e * w->nx + i] = w->node[e * DEGREE * w->nx + i] + w->o->turn[i] * (double)e / (double)w->N;
        }
    }
    for (size_t l = 0; l < w->lanes; l++)
        w->lane.time[l] = w->o->t0 + w->period * ((double)(l / POINTS) + w->e.at[l % POINTS]) / (double)w->N;
}

/* |x - Pi x| beside the sizes: small for a motion. */
double actio_dual_orbit_detect(struct actio_dual_orbit *w)
{
    double most = 0;
    for (size_t i = 0; i < w->nx; i++) {
        actio_dual_orbit_project(w, i, w->lane.U + i * w->lanes);
        for (size_t e = 0; e < w->N; e++)
            for (size_t q = 0; q < POINTS; q++)
                most = fmax(most, fabs(w->lane.U[i * w->lanes + e * POINTS + q] - at_point(w, i, w->project, 1, e, q))
                                      / w->o->scale[i]);
    }
    return most;
}

/* ---- from dual to primal */

void actio_dual_orbit_lay_dual(struct actio_dual_orbit *w, const double *z)
{
    size_t b = w->b, nodes = w->N * DEGREE;
    for (size_t e = 0, l = 0; e < w->N; e++)
        for (size_t q = 0; q < POINTS; q++, l++) {
            const double *N = w->e.N + q * (DEGREE + 1), *dN = w->e.dN + q * (DEGREE + 1);
            for (size_t i = 0; i < b; i++) {
                double value = 0, rate = 0;
                for (size_t j = 0; j <= DEGREE; j++) {
                    double D = z[(e * DEGREE + j) % nodes * b + i];
                    value += N[j] * D;
                    rate += dN[j] * D;
                }
                if (i < w->nx) {
                    w->lane.D[i * w->lanes + l] = value;
                    w->lane.rate[i * w->lanes + l] = rate * (double)w->N;
                } else w->lane.pi_rate[l] = rate * (double)w->N;
            }
        }
}

/* The matrix of the map in a lane, lower half: weights - D.f_UU, beside it -f_x' D. */
static void lane_matrix(const struct actio_dual_orbit *w, size_t l, double *M)
{
    size_t b = w->b, q = w->lanes;
    memset(M, 0, b * b * sizeof *M);
    for (size_t i = 0; i < w->fo->M.count; i++) M[w->fo->M.row[i] * b + w->fo->M.col[i]] += w->point.M[i * q + l];
    for (size_t i = 0; i < w->fo->C.count; i++) M[w->fo->C.row[i] * b + w->fo->C.col[i]] -= w->point.C[i * q + l];
    for (size_t i = 0; i < w->nx; i++) M[i * b + i] += actio_dual_orbit_weight_x(w, i);
    if (b == w->nx) return;
    M[w->nx * b + w->nx] = actio_dual_orbit_weight_P(w);
    for (size_t i = 0; i < w->fo->f_U.count; i++)
        M[w->nx * b + w->fo->f_U.col[i]] -= w->point.fU[i * q + l] * w->lane.D[w->fo->f_U.row[i] * q + l];
}

/* One Newton step of (x, P) in a lane; its relative size, or -1: not positive. */
static double map_lane(struct actio_dual_orbit *w, size_t l, bool move)
{
    size_t b = w->b, q = w->lanes, nx = w->nx;
    double *M = w->small, *r = M + b * b, most = 0;
    lane_matrix(w, l, M);
    if (actio_cholesky_factor(b, M)) return -1;
    for (size_t i = 0; i < nx; i++)
        r[i] = w->point.slope[i * q + l]
               + actio_dual_orbit_weight_x(w, i) * (w->lane.U[i * q + l] - w->lane.base[i * q + l]);
    if (b > nx) {
        r[nx] = actio_dual_orbit_weight_P(w) * (w->lane.P[l] - w->period) - w->lane.pi_rate[l];
        for (size_t i = 0; i < nx; i++) r[nx] -= w->lane.D[i * q + l] * w->point.f[i * q + l];
    }
    actio_cholesky_solve(b, M, r, 1);
    for (size_t i = 0; i < b; i++) {
        double size = i < nx ? w->o->scale[i] : w->period;
        most = fmax(most, fabs(r[i]) / size);
        if (move) *(i < nx ? &w->lane.U[i * q + l] : &w->lane.P[l]) -= r[i];
    }
    return most;
}

int actio_dual_orbit_evaluate(struct actio_dual_orbit *w)
{
    for (size_t i = 0; i < w->nx; i++)
        for (size_t l = 0; l < w->lanes; l++) w->lane.PD[i * w->lanes + l] = w->lane.P[l] * w->lane.D[i * w->lanes + l];
    return actio_node_evaluate(&w->point.kernel, w->lanes) ? ACTIO_DUAL_NO_NUMBER : ACTIO_DUAL_DONE;
}

int actio_dual_orbit_map(struct actio_dual_orbit *w)
{
    bool final = false;
    for (int it = 0; it < MOST_MAPS; it++) {
        double most = 0;
        int bad = actio_dual_orbit_evaluate(w);
        if (bad) return bad;
        for (size_t l = 0; l < w->lanes; l++) {
            double moved = map_lane(w, l, !final);
            if (moved < 0) return ACTIO_DUAL_NOT_POSITIVE;
            most = fmax(most, moved);
        }
        if (final) return ACTIO_DUAL_DONE;
        if (!(most < 1e6)) return ACTIO_DUAL_NO_MAP;
        final = most < 1e-9;
    }
    return ACTIO_DUAL_NO_MAP;
}

/* ---- gradient and Hessian */

/* Component i over element e, counted from the base at its start, and the reaction at its end. */
static void element_gradient(struct actio_dual_orbit *w, size_t e, size_t i)
{
    size_t b = w->b, nx = w->nx, nodes = w->N * DEGREE, next = (e + 1) % w->N;
    double from = w->ends[e * nx + i], turn = next ? 0 : w->o->turn[i], last = 0;
    for (size_t p = 0; p < POINTS; p++) {
        size_t l = e * POINTS + p;
        double x = w->e.weight[p] * (w->lane.U[i * w->lanes + l] - from),
               f = w->e.weight[p] * w->lane.P[l] * w->point.f[i * w->lanes + l] / (double)w->N;
        for (size_t j = 0; j <= DEGREE; j++) {
            double g = w->e.dN[p * (DEGREE + 1) + j] * x + w->e.N[p * (DEGREE + 1) + j] * f;
            w->G[(e * DEGREE + j) % nodes * b + i] -= g;
            if (j == DEGREE) last += g;
        }
    }
    w->xe[next * nx + i] = from + last - turn;
    w->G[e * DEGREE * b + i] += from;
    w->G[next * DEGREE * b + i] -= from - turn;
}

static void element_gradient_by_period(struct actio_dual_orbit *w, size_t e)
{
    size_t b = w->b, nodes = w->N * DEGREE;
    for (size_t p = 0; p < POINTS; p++)
        for (size_t j = 0; j <= DEGREE; j++)
            w->G[(e * DEGREE + j) % nodes * b + w->nx] -=
                w->e.weight[p] * w->e.dN[p * (DEGREE + 1) + j] * (w->lane.P[e * POINTS + p] - w->period);
}

static double largest_gradient(const struct actio_dual_orbit *w)
{
    size_t b = w->b;
    double most = 0;
    for (size_t a = 0; a < w->N * DEGREE; a++)
        for (size_t i = 0; i < b; i++)
            most = fmax(most, fabs(w->G[a * b + i]) / (i < w->nx ? w->o->scale[i] : w->period));
    return most;
}

/* G(phi) = int -phi'.x - phi.P f, G(eta) = int -eta' P; x is counted from the base at the element's start. Also the
 * nodal reactions.  [DUAL 1.2, 5.1] */
void actio_dual_orbit_gradient(struct actio_dual_orbit *w)
{
    memset(w->G, 0, w->N * DEGREE * w->b * sizeof *w->G);
    for (size_t e = 0; e < w->N; e++) {
        for (size_t i = 0; i < w->nx; i++) element_gradient(w, e, i);
        if (w->b > w->nx) element_gradient_by_period(w, e);
    }
    if (w->b > w->nx) w->G[w->nx] = 0;
    w->residual = largest_gradient(w);
}

/* Rows of B in a lane: what the rate of each dual variable does to U, then its value; then L^-1 of each, L from the
 * matrix of the map. 0, or 1. */
static int lane_rows(struct actio_dual_orbit *w, size_t l, double *W)
{
    size_t b = w->b, q = w->lanes, nx = w->nx;
    double *M = W + 2 * b * b;
    lane_matrix(w, l, M);
    if (actio_cholesky_factor(b, M)) return 1;
    memset(W, 0, 2 * b * b * sizeof *W);
    for (size_t i = 0; i < b; i++) W[i * b + i] = 1;
    for (size_t i = 0; i < w->fo->f_U.count; i++)
        W[(b + w->fo->f_U.row[i]) * b + w->fo->f_U.col[i]] = w->lane.P[l] * w->point.fU[i * q + l];
    for (size_t i = 0; i < nx && b > nx; i++) W[(b + i) * b + nx] = w->point.f[i * q + l];
    for (size_t r = 0; r < 2 * b; r++)
        for (size_t i = 0; i < b; i++)
            W[r * b + i] = (W[r * b + i] - actio_dot(i, M + i * b, W + r * b)) / M[i * b + i];
    return 0;
}

/* Adds what a point, with its rows W, gives to each pair of nodes. */
static void add_point(const struct actio_dual_orbit *w, size_t q, const double *W, double *K)
{
    size_t b = w->b, nl = w->K.nl;
    const double *N = w->e.N + q * (DEGREE + 1), *dN = w->e.dN + q * (DEGREE + 1);
    double weight = w->e.weight[q] / (double)w->N, per = (double)w->N;
    for (size_t r = 0; r < b; r++)
        for (size_t c = 0; c < b; c++) {
            double rr = weight * actio_dot(b, W + r * b, W + c * b) * per * per,
                   rv = weight * actio_dot(b, W + r * b, W + (b + c) * b) * per;
            double vr = weight * actio_dot(b, W + (b + r) * b, W + c * b) * per,
                   vv = weight * actio_dot(b, W + (b + r) * b, W + (b + c) * b);
            for (size_t j = 0; j <= DEGREE; j++) {
                size_t row = actio_cyclic_place(&w->K, j) + r;
                for (size_t i = 0; i <= DEGREE; i++) {
                    size_t col = actio_cyclic_place(&w->K, i) + c;
                    if (col <= row)
                        K[row * nl + col] += dN[j] * (dN[i] * rr + N[i] * rv) + N[j] * (dN[i] * vr + N[i] * vv);
                }
            }
        }
}

int actio_dual_orbit_factor(struct actio_dual_orbit *w)
{
    size_t nl = w->K.nl;
    double *W = w->small, most = 0;
    memset(w->K.local, 0, w->N * nl * nl * sizeof(double));
    for (size_t e = 0; e < w->N; e++) {
        double *K = w->K.local + e * nl * nl;
        for (size_t q = 0; q < POINTS; q++) {
            if (lane_rows(w, e * POINTS + q, W)) return 1;
            add_point(w, q, W, K);
        }
        for (size_t i = 0; i < nl; i++) most = fmax(most, K[i * nl + i]);
    }
    /* what integrals and constraints leave undetermined gets a short answer */
    return actio_cyclic_factor(&w->K, (w->kept_ones ? 1e-11 : 1e-15) * most);
}
