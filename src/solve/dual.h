/* SPDX-License-Identifier: Apache-2.0
 * The dual action on elements of time: continuous polynomials D of degree k for the first-order equations,
 * discontinuous ones of degree k - 1 for the algebraic ones, Gauss's points. One slab is a concave maximisation while M
 * = L_UU is positive; its critical point maps to the motion.  [AS 22, DUAL 1] */
#ifndef ACTIO_SOLVE_DUAL_H
#define ACTIO_SOLVE_DUAL_H

#include "solve/law.h"
#include "solve/points.h"

enum { ACTIO_DUAL_LEAST_DEGREE = 1, ACTIO_DUAL_MOST_DEGREE = 8, ACTIO_DUAL_MOST_POINTS = 16 };

/* On [0, 1]: nodes of D (Legendre-Gauss-Lobatto), Gauss's points and weights, and at the points N and dN of the k + 1
 * nodes, P of k Legendre polynomials of norm 1. */
struct actio_dual_element {
    struct actio_context *ctx;
    size_t k, points;
    double *block, *node, *at, *weight, *N, *dN, *P;
};
/* 0, or 1: no memory */
int actio_dual_element_open(struct actio_dual_element *e, struct actio_context *ctx, size_t k, size_t points);
void actio_dual_element_close(struct actio_dual_element *e);
/* anywhere; NULL: not wanted */
void actio_dual_shapes(const struct actio_dual_element *e, double theta, double *N, double *dN, double *P);

enum actio_dual_status {
    ACTIO_DUAL_DONE,
    ACTIO_DUAL_NO_NUMBER,
    ACTIO_DUAL_NOT_POSITIVE,
    ACTIO_DUAL_NO_MAP,
    ACTIO_DUAL_DIVERGED,
    ACTIO_DUAL_TOO_MANY,
    ACTIO_DUAL_SPURIOUS,
    ACTIO_DUAL_NO_BASE
};

/* By lane; time and base are the caller's. */
struct actio_dual_lanes {
    double *time, *U, *base, *D, *rate, *mu;
};
/* By lane: what DUAL_POINT puts out. */
struct actio_dual_point {
    double *L, *f, *g, *slope, *fU, *gU, *M, *C;
    double *mode; /* numbers of switches, shared */
    struct actio_node_kernel kernel;
};
struct actio_dual_newton {
    double *z, *G, *step, *trial, *kept; /* unknowns, gradient, Newton's step, a trial; U of the last good z */
    double floor;                        /* trials keep M - floor*C positive */
    size_t iterations, maps;             /* Newton steps of the last solve; evaluations of all lanes */
};
struct actio_dual_condensed {
    /* condensed elements, their right sides; blocks of the nodes and between them */
    double *local, *right, *diagonal, *beside;
    double *small, *band; /* scratch: of a lane; of the projection */
};
struct actio_dual_found {
    double *sizes, size, relative; /* largest |x| by component, of all; largest |G| beside its component */
    /* S; largest |G|; least eigenvalue of C^-1/2 M C^-1/2; |x - Pi x|, and beside its component */
    double action, residual, least, detector, jump;
};
/* Component i of lane l (a quadrature point) at [i*lanes + l]. Unknowns z: D of node a (element e has nodes e*k .. e*k
 * + k) from a*nx on, then the coefficients of m: of element e and polynomial l from (elements*k + 1)*nx + (e*k + l)*ng
 * on. */
struct actio_dual_slab {
    struct actio_context *ctx;
    struct actio_system *sys;
    const struct actio_first_order *fo;
    const struct actio_dual_element *e;
    size_t most, elements, lanes, nx, nu, ng, nl, ni; /* nl: unknowns of an element, the first ni of them inside it */
    double t, h;                                      /* from t on, elements of length h (against time: h < 0) */
    double *block;
    struct actio_dual_lanes lane;
    struct actio_dual_point point;
    /* data; the base at the elements' ends (caller's); the motion there; D at the end (caller's) */
    double *x0, *end, *x, *last;
    struct actio_dual_newton newton;
    struct actio_dual_condensed condensed;
    struct actio_dual_found found;
};
/* 0, or 1 */
int actio_dual_slab_open(struct actio_dual_slab *s, struct actio_context *ctx, struct actio_system *sys,
                         const struct actio_dual_element *e, size_t most, struct actio_shared shared);
void actio_dual_slab_close(struct actio_dual_slab *s);
/* sets the lanes' times */
void actio_dual_slab_place(struct actio_dual_slab *s, double t, double h, size_t elements);
size_t actio_dual_unknowns(const struct actio_dual_slab *s);
/* For proofs: U, the value and (into s->G, whole: also at nodes that are held) the gradient at z; then -K times a
 * vector there. A dual status. */
int actio_dual_at(struct actio_dual_slab *s, const double *z);
int actio_dual_curve(struct actio_dual_slab *s, const double *v, double *out);
/* -K of one element by its lower half, nl*nl numbers: inner nodes, m, the first and the last node. A dual status. */
int actio_dual_matrix(struct actio_dual_slab *s, size_t e, double *K);
/* From z and U as they are to the critical point: actio_dual_solve after its beginning. */
int actio_dual_climb(struct actio_dual_slab *s);
/* From D = last everywhere to the critical point. Base, end, x0, last and switches are set. A dual status. */
int actio_dual_solve(struct actio_dual_slab *s);
/* After it: least and detector; D.f - H (the dual Hamiltonian) at node e, U and base there given. Where g leaves y open
 * (reactions are free), of U only x counts. */
int actio_dual_judge(struct actio_dual_slab *s);
bool actio_dual_is_open(const struct actio_dual_slab *s);
double actio_dual_hamiltonian(struct actio_dual_slab *s, size_t e, const double *U, const double *base);

/* What the run requests, and what it reports. */
enum actio_dual_base { ACTIO_BASE_RK4, ACTIO_BASE_EXACT, ACTIO_BASE_CONSTANT, ACTIO_BASE_TABLE };
/* column by component of y, then of reactions; NULL: not in the table */
struct actio_dual_table {
    size_t rows;
    const double *t, *const *column;
};
struct actio_dual_task {
    struct actio_dual_choice choice;
    enum actio_dual_base base;
    const double *given; /* of a constant base: by component, reactions behind y; others are the slab's start */
    const bool *is_given;
    const double *last; /* D at the end of the last slab, by component of x; NULL: 0 */
    double slack;       /* the base of the slack */
    struct actio_dual_table table;
    bool horizon; /* one slab: reported before it is tried */
};
struct actio_dual_report {
    size_t slabs, elements, newton, degree;
    /* sums and extremes over all slabs of the last run; drift: of the Hamiltonian */
    double action, hamiltonian, drift, least, largest, detector;
    int status; /* of the slab that failed: a dual status, where, how long; the longest that has a maximum, or NAN */
    double t, length, horizon;
    /* Of one slab over the whole interval: D of its nodes, and the algebraic unknowns' polynomials; nodes 0 where there
     * are several. */
    size_t nodes, nx, ny;
    double *block, *times, *D, *y;
};
struct actio_dual {
    struct actio_dual_task task;
    struct actio_dual_report reported;
    struct actio_dual_element element;
};
void actio_dual_close(struct actio_context *ctx, struct actio_dual *d);
/* D at a time of the one slab, or of algebraic unknowns there. */
void actio_dual_look(const struct actio_dual *d, double t, double *D, double *y);

/* dual_base.c: the base of a slab that starts at y (the known state); 0, or a flow status. */
struct actio_dual_basing;
/* NULL: no memory */
struct actio_dual_basing *actio_dual_basing_open(struct actio_motion *m, size_t most, size_t points);
void actio_dual_basing_close(struct actio_dual_basing *b);
int actio_dual_set_base(struct actio_dual_basing *b, struct actio_dual_slab *s, const double *y);
/* of a base that is not exact, once set: all of U */
void actio_dual_base_at(struct actio_dual_basing *b, double t, size_t elements, double *U);
/* Algebraic unknowns and all of U at a known state, by the motion's own equations; the base at one: all of U, and of
 * free reactions. */
void actio_dual_unknowns_at(struct actio_dual_basing *b, double t, const double *y, double *U);
void actio_dual_base_of(struct actio_dual_basing *b, double t, const double *y, double *U);
/* One step of Runge and Kutta's order 4 from a known state, with rates there or NULL. A flow status. */
int actio_dual_rk4(struct actio_dual_basing *b, double t, double h, const double *y, const double *rate, double *out);
int actio_dual_rates(struct actio_dual_basing *b, double t, const double *y, double *rate);
/* dual_horizon.c: the longest slab from the start on in which M stays positive along the motion; INFINITY: the whole
 * interval does. 0, or 1.  [DUAL 1.1] */
int actio_dual_horizon(struct actio_motion *m, double t0, double t1, const double *y0, double *horizon);

#endif
