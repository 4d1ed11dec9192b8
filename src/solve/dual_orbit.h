/* SPDX-License-Identifier: Apache-2.0
 * The dual action of a periodic motion on elements of its turn: dual_orbit_elements.c has the lanes, the map to (x, P),
 * the gradient and the Hessian; dual_orbit.c the search. */
#ifndef ACTIO_SOLVE_DUAL_ORBIT_H
#define ACTIO_SOLVE_DUAL_ORBIT_H

#include "algebra/cyclic.h"
#include "solve/dual.h"
#include "solve/orbit.h"

enum { ACTIO_DUAL_ORBIT_DEGREE = 6, ACTIO_DUAL_ORBIT_POINTS = 8 };

struct actio_dual_orbit {
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
/* Of so many elements. 0, a march or a flow status; close in any case. */
int actio_dual_orbit_open(struct actio_dual_orbit *w, struct actio_orbit *o, size_t N);
void actio_dual_orbit_close(struct actio_dual_orbit *w);

/* The weights of (x, P) in the distance from the base. */
static inline double actio_dual_orbit_weight_x(const struct actio_dual_orbit *w, size_t i)
{
    return 1 / (w->o->scale[i] * w->o->scale[i]);
}
static inline double actio_dual_orbit_weight_P(const struct actio_dual_orbit *w) { return 1 / (w->period * w->period); }

/* The projection of component i, given at the points, onto continuous periodic polynomials: into w->project. */
void actio_dual_orbit_project(struct actio_dual_orbit *w, size_t i, const double *x);
/* the base at the points and at the elements' ends */
void actio_dual_orbit_lay_base(struct actio_dual_orbit *w);
/* |x - Pi x| beside the sizes: small for a motion */
double actio_dual_orbit_detect(struct actio_dual_orbit *w);
/* D and its rate at the points; what DUAL_POINT puts out there; (x, P) that belong to D. A dual status. */
void actio_dual_orbit_lay_dual(struct actio_dual_orbit *w, const double *z);
int actio_dual_orbit_evaluate(struct actio_dual_orbit *w);
int actio_dual_orbit_map(struct actio_dual_orbit *w);
/* into w->G and w->residual, with the reactions at the elements' ends; the Hessian's factors into w->K: 0, or 1 */
void actio_dual_orbit_gradient(struct actio_dual_orbit *w);
int actio_dual_orbit_factor(struct actio_dual_orbit *w);

#endif
