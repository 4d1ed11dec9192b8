/* SPDX-License-Identifier: Apache-2.0
 * Periodic orbits by the dual action with unknown period: U = (x, P) on s = 0 .. 1,  x' = P f(x), P' = 0;  the dual (D,
 * pi) is periodic, pi is held at one node.
 * No phase condition: the base breaks the symmetry. First the base is moved (D = 0) until it stays, then the fixed
 * base's dual problem is solved.  [DUAL 5.1, 5.2] */
#include "solve/dual.h"
#include "solve/orbit.h"
#include "algebra/cyclic.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEGREE = 6,
    POINTS = 8,
    FIRST = 32,
    MOST_ELEMENTS = 800,
    MOST_UNKNOWNS = 16000,
    MOST_MOVES = 30,
    MOST_STEPS = 12,
    MOST_MAPS = 25,
    MOST_HALVINGS = 10
};
#define CHARM 1e-2 /* |x - Pi x| of its size: more is not a motion */

struct dual_orbit {
    struct actio_orbit *o;
    struct actio_system *sys;
    const struct actio_first_order *fo;
    struct actio_dual_element e;
    struct actio_cyclic K, mass;
    size_t N, nx, b, lanes; /* b: nx, and one more where the period is unknown */
    double *block;
    struct {
        double *time, *U, *P, *base, *D, *PD, *rate, *pi_rate;
    } lane;
    struct { /* by lane: of DUAL_POINT, whose base is U itself and whose D is P D */
        double *L, *f, *slope, *fU, *M, *C;
        struct actio_node_kernel kernel;
    } point;
    double *node, period; /* the base: at the nodes, its period */
    double *z, *G, *step, *kept, *ends, *small, *project, *dU, *dP, *xe;
    double residual;
    bool kept_ones; /* the motion keeps something: families, constraints */
};

static void close_all(struct dual_orbit *w)
{
    actio_node_close(&w->point.kernel, w->o->ctx);
    actio_cyclic_close(&w->K);
    actio_cyclic_close(&w->mass);
    actio_dual_element_close(&w->e);
    actio_free(w->o->ctx, w->block);
    w->block = NULL;
}

static struct actio_binding binding(const struct dual_orbit *w)
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

static bool dual_orbit_take_memory(struct dual_orbit *w)
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

static int open_all(struct dual_orbit *w, struct actio_orbit *o, size_t N)
{
    struct actio_system *sys = o->m->sys;
    *w = (struct dual_orbit){ .o = o,
                              .sys = sys,
                              .fo = sys->first_order,
                              .N = N,
                              .nx = o->ny,
                              .b = o->ny + o->free_period,
                              .lanes = N * POINTS };
    if (actio_dual_element_open(&w->e, o->ctx, DEGREE, POINTS) || actio_cyclic_open(&w->K, o->ctx, N, DEGREE, w->b)
        || actio_cyclic_open(&w->mass, o->ctx, N, DEGREE, 1))
        return 1;
    if (!dual_orbit_take_memory(w)) return 1;
    if (o->free_period) w->K.pinned = o->ny;
    struct actio_binding at = binding(w);
    return actio_node_open(&w->point.kernel, o->ctx, sys->kernel[ACTIO_Q_DUAL_POINT], &at, w->lanes, w->point.L);
}

static double weight_x(const struct dual_orbit *w, size_t i) { return 1 / (w->o->scale[i] * w->o->scale[i]); }
static double weight_P(const struct dual_orbit *w) { return 1 / (w->period * w->period); }

/* ---- projection onto continuous periodic polynomials */

static int open_mass(struct dual_orbit *w)
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

/* Nodal values of the projection of one component, given at the points; what a turn gains is taken off before. */
static void dual_orbit_project(struct dual_orbit *w, size_t i, const double *x)
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
static double at_point(const struct dual_orbit *w, size_t i, const double *nodal, size_t stride, size_t e, size_t q)
{
    double sum = w->o->turn[i] * ((double)e + w->e.at[q]) / (double)w->N;
    for (size_t j = 0; j <= DEGREE; j++)
        sum += w->e.N[q * (DEGREE + 1) + j] * nodal[(e * DEGREE + j) % (w->N * DEGREE) * stride];
    return sum;
}

/* The base at the points and at the elements' ends from its nodes. */
static void lay_base(struct dual_orbit *w)
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
static double detect(struct dual_orbit *w)
{
    double most = 0;
    for (size_t i = 0; i < w->nx; i++) {
        dual_orbit_project(w, i, w->lane.U + i * w->lanes);
        for (size_t e = 0; e < w->N; e++)
            for (size_t q = 0; q < POINTS; q++)
                most = fmax(most, fabs(w->lane.U[i * w->lanes + e * POINTS + q] - at_point(w, i, w->project, 1, e, q))
                                      / w->o->scale[i]);
    }
    return most;
}

/* ---- from dual to primal */

static void lay_dual(struct dual_orbit *w, const double *z)
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
static void lane_matrix(const struct dual_orbit *w, size_t l, double *M)
{
    size_t b = w->b, q = w->lanes;
    memset(M, 0, b * b * sizeof *M);
    for (size_t i = 0; i < w->fo->M.count; i++) M[w->fo->M.row[i] * b + w->fo->M.col[i]] += w->point.M[i * q + l];
    for (size_t i = 0; i < w->fo->C.count; i++) M[w->fo->C.row[i] * b + w->fo->C.col[i]] -= w->point.C[i * q + l];
    for (size_t i = 0; i < w->nx; i++) M[i * b + i] += weight_x(w, i);
    if (b == w->nx) return;
    M[w->nx * b + w->nx] = weight_P(w);
    for (size_t i = 0; i < w->fo->f_U.count; i++)
        M[w->nx * b + w->fo->f_U.col[i]] -= w->point.fU[i * q + l] * w->lane.D[w->fo->f_U.row[i] * q + l];
}

/* One Newton step of (x, P) in a lane; its relative size, or -1: not positive. */
static double map_lane(struct dual_orbit *w, size_t l, bool dual_orbit_move)
{
    size_t b = w->b, q = w->lanes, nx = w->nx;
    double *M = w->small, *r = M + b * b, most = 0;
    lane_matrix(w, l, M);
    if (actio_cholesky_factor(b, M)) return -1;
    for (size_t i = 0; i < nx; i++)
        r[i] = w->point.slope[i * q + l] + weight_x(w, i) * (w->lane.U[i * q + l] - w->lane.base[i * q + l]);
    if (b > nx) {
        r[nx] = weight_P(w) * (w->lane.P[l] - w->period) - w->lane.pi_rate[l];
        for (size_t i = 0; i < nx; i++) r[nx] -= w->lane.D[i * q + l] * w->point.f[i * q + l];
    }
    actio_cholesky_solve(b, M, r, 1);
    for (size_t i = 0; i < b; i++) {
        double size = i < nx ? w->o->scale[i] : w->period;
        most = fmax(most, fabs(r[i]) / size);
        if (dual_orbit_move) *(i < nx ? &w->lane.U[i * q + l] : &w->lane.P[l]) -= r[i];
    }
    return most;
}

static int dual_orbit_evaluate(struct dual_orbit *w)
{
    for (size_t i = 0; i < w->nx; i++)
        for (size_t l = 0; l < w->lanes; l++) w->lane.PD[i * w->lanes + l] = w->lane.P[l] * w->lane.D[i * w->lanes + l];
    return actio_node_evaluate(&w->point.kernel, w->lanes) ? ACTIO_DUAL_NO_NUMBER : ACTIO_DUAL_DONE;
}

static int map(struct dual_orbit *w)
{
    bool final = false;
    for (int it = 0; it < MOST_MAPS; it++) {
        double most = 0;
        int bad = dual_orbit_evaluate(w);
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
static void element_gradient(struct dual_orbit *w, size_t e, size_t i)
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

static void element_gradient_by_period(struct dual_orbit *w, size_t e)
{
    size_t b = w->b, nodes = w->N * DEGREE;
    for (size_t p = 0; p < POINTS; p++)
        for (size_t j = 0; j <= DEGREE; j++)
            w->G[(e * DEGREE + j) % nodes * b + w->nx] -=
                w->e.weight[p] * w->e.dN[p * (DEGREE + 1) + j] * (w->lane.P[e * POINTS + p] - w->period);
}

static double largest_gradient(const struct dual_orbit *w)
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
static void gradient(struct dual_orbit *w)
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
static int lane_rows(struct dual_orbit *w, size_t l, double *W)
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
static void add_point(const struct dual_orbit *w, size_t q, const double *W, double *K)
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

static int dual_orbit_factor(struct dual_orbit *w)
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

/* ---- moving the base: D = 0 */

static void at_base(struct dual_orbit *w)
{
    lay_base(w);
    memset(w->lane.D, 0, w->nx * w->lanes * sizeof *w->lane.D);
    memset(w->lane.rate, 0, w->nx * w->lanes * sizeof *w->lane.rate);
    memset(w->lane.pi_rate, 0, w->lanes * sizeof *w->lane.pi_rate);
    memcpy(w->lane.U, w->lane.base, w->nx * w->lanes * sizeof *w->lane.U);
    for (size_t l = 0; l < w->lanes; l++) w->lane.P[l] = w->period;
}

/* dU = C^-1 B dz by the factors as they are; its size. */
static double change(struct dual_orbit *w, const double *P, const double *f, const double *fU)
{
    size_t b = w->b, q = w->lanes, nx = w->nx;
    double sum = 0;
    memcpy(w->step, w->G, w->N * DEGREE * b * sizeof *w->step);
    actio_cyclic_solve(&w->K, w->step);
    lay_dual(w, w->step);
    for (size_t l = 0; l < q; l++) {
        double dP = w->lane.pi_rate[l];
        for (size_t i = 0; i < nx; i++) {
            w->dU[i * q + l] = w->lane.rate[i * q + l];
            dP += w->lane.D[i * q + l] * f[i * q + l];
        }
        for (size_t i = 0; i < w->fo->f_U.count; i++)
            w->dU[w->fo->f_U.col[i] * q + l] += P[l] * fU[i * q + l] * w->lane.D[w->fo->f_U.row[i] * q + l];
        w->dP[l] = b > nx ? dP / weight_P(w) : 0;
        for (size_t i = 0; i < nx; i++) {
            w->dU[i * q + l] /= weight_x(w, i);
            sum += w->dU[i * q + l] * w->dU[i * q + l] * weight_x(w, i) * w->e.weight[l % POINTS] / (double)w->N;
        }
        sum += w->dP[l] * w->dP[l] * weight_P(w) * w->e.weight[l % POINTS] / (double)w->N;
    }
    return sqrt(sum);
}

/* base := Pi(base + a dU), from the nodes and the period that are kept. */
static void move_base(struct dual_orbit *w, const double *nodes, double period, const double *dU, const double *dP,
                      double a)
{
    double mean = 0;
    for (size_t l = 0; l < w->lanes; l++) mean += w->e.weight[l % POINTS] * dP[l] / (double)w->N;
    for (size_t i = 0; i < w->nx; i++) {
        double *x = w->dU + i * w->lanes; /* dU may be where it is: it is read before */
        for (size_t l = 0; l < w->lanes; l++)
            x[l] =
                w->o->turn[i] * ((double)(l / POINTS) + w->e.at[l % POINTS]) / (double)w->N + a * dU[i * w->lanes + l];
        dual_orbit_project(w, i, x);
        for (size_t n = 0; n < w->N * DEGREE; n++) w->node[n * w->nx + i] = nodes[n * w->nx + i] + w->project[n];
    }
    w->period = period + a * mean;
}

struct copies {
    double *node, *dU, *dP, *f, *fU, *P;
};

/* One move with the natural test: the next correction by the same factors is smaller. 0, or 1: no move. *size: of the
 * correction. */
static int dual_orbit_move(struct dual_orbit *w, double *size)
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
    int bad = dual_orbit_evaluate(w) || (gradient(w), dual_orbit_factor(w));
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
            if (dual_orbit_evaluate(w)) continue;
            gradient(w);
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
static int settle_base(struct dual_orbit *w, struct actio_orbit_report *reported)
{
    double size = INFINITY, last;
    for (int i = 0; i < MOST_MOVES; i++) {
        last = size;
        int bad = dual_orbit_move(w, &size);
        reported->iterations++;
        reported->step = size;
        if (actio_stopped(w->o->ctx)) return ACTIO_FLOW_STOPPED;
        if (bad) return size < 0.05 ? 0 : -1;
        if (size < 1e-9 || (size < 1e-2 && size > 0.5 * last)) return 0;
    }
    return size < 1e-2 ? 0 : -1;
}

/* ---- the fixed base's dual problem */

static int at_dual(struct dual_orbit *w, const double *z)
{
    lay_dual(w, z);
    int bad = map(w);
    if (!bad) gradient(w);
    return bad;
}

/* Along the step, halved until the residual falls. 0, or 1: it does not, and (x, P) are as before; z is in `kept`. */
static int descend(struct dual_orbit *w)
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

static int dual_orbit_polish(struct dual_orbit *w, struct actio_orbit_report *reported)
{
    size_t count = w->N * DEGREE * w->b;
    memset(w->z, 0, count * sizeof *w->z);
    at_base(w);
    if (at_dual(w, w->z)) return -1;
    for (int i = 0; i < MOST_STEPS; i++) {
        double old = w->residual;
        if (dual_orbit_factor(w)) return -1;
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
static int take_guess(struct dual_orbit *w, struct actio_circuit *l)
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
static void give(struct dual_orbit *w, struct actio_circuit *l)
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
    struct dual_orbit w;
    int bad = open_all(&w, o, N) ? ACTIO_MARCH_NO_MEMORY : open_mass(&w) || take_guess(&w, l) ? ACTIO_FLOW_FAILED : 0;
    reported->unknowns = N * DEGREE * w.b;
    w.kept_ones = kept_ones;
    if (!bad) bad = settle_base(&w, reported);
    if (!bad) bad = dual_orbit_polish(&w, reported);
    if (!bad) {
        *detector = detect(&w);
        give(&w, l);
    }
    close_all(&w);
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
