/* SPDX-License-Identifier: Apache-2.0
 * A branch of orbits under way: shared by branch.c (the walk) and bifurcations.c (what
 * happens on the way). */
#ifndef ACTIO_ORBIT_BRANCH_H
#define ACTIO_ORBIT_BRANCH_H

#include "orbit/orbits.h"
#include "solve/continuation.h"

struct actio_way {
    struct actio_search *s;
    struct actio_follow f;
    size_t param, column; /* one of them counts: the other is its count */
    double from, to;
    actio_expr *slope; /* d(definition i)/d(param j) at i*params + j */
    actio_expr *period_slope;
    double *direction;
    struct actio_circuit next;
    struct actio_found *last;         /* the point before */
    double h, first_period, passed_a; /* length of the next step; the param beyond the end */
};

/* A place on the branch, to come back to. */
struct actio_spot {
    struct actio_circuit c;
    double a, *tangent;
};
/* a march status; forget in any case */
int actio_way_remember(struct actio_way *w, struct actio_spot *x);
void actio_way_forget(struct actio_way *w, struct actio_spot *x);
void actio_way_go_back(struct actio_way *w, const struct actio_spot *x);

/* The param's part of the tangent; of a family 1. */
double actio_way_param_part(const struct actio_way *w);
/* The report of the orbit at this point; NULL: no memory, or stopped. */
struct actio_found *actio_way_look(struct actio_way *w, const struct actio_circuit *c, double a);
/* it joins the branch; 0, or 1: no memory, and it is gone */
int actio_way_keep(struct actio_search *s, struct actio_found *f);

/* bifurcations.c: what happened between two points, with the param's part of the tangent before and after;
 * ACTIO_BIFURCATIONS: nothing. */
enum actio_bifurcation {
    ACTIO_BIFURCATION_FOLD,
    ACTIO_BIFURCATION_DOUBLING,
    ACTIO_BIFURCATION_TORUS,
    ACTIO_BIFURCATION_BRANCH,
    ACTIO_BIFURCATIONS
};
enum actio_bifurcation actio_way_happened(const struct actio_way *w, const struct actio_found *a,
                                          const struct actio_found *b, double before, double after);
/* Keeps the point where it happens, marked, within the step h from the point in hand. 0, or 1. */
int actio_way_locate(struct actio_way *w, enum actio_bifurcation kind, const struct actio_found *from, double h);

#endif
