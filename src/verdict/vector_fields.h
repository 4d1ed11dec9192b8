/* SPDX-License-Identifier: Apache-2.0
 * Admissible velocities as vector fields on (q, t), and their iterated brackets at points. Inside verdict/ only. */
#ifndef ACTIO_VERDICT_VECTOR_FIELDS_H
#define ACTIO_VERDICT_VECTOR_FIELDS_H

#include "verdict/growth.h"
#include "verdict/jet_numbers.h"

/* A point (q, t) with an admissible velocity, and what the fields span there. Numbers are scaled: q_i = scale_i x_i, t
 * = tau s. */
struct actio_spot {
    double *x, *u; /* (x, s): width numbers; u = dx/ds: n */
    size_t rank;   /* independent rows */
    uint32_t *pick;
    double *frame; /* n - rank rows: directions in which u is free, frozen */
    double *basis; /* orthonormal rows spanning what was found so far */
    size_t dim;
    bool doubt;   /* the last round left something between rounding and a direction */
    double clear; /* how far above the threshold the last new direction was */
};

struct actio_fields {
    struct actio_formation *F;
    struct actio_sampled *points;
    size_t n, width, rows; /* width = n + 1 */
    actio_expr *phi;       /* the rows: velocity constraints, rates of holonomic ones */
    uint32_t *constraint;  /* behind each row; written as holonomic */
    bool *is_given;
    double *scale;                     /* n lengths and a time */
    struct actio_jets residual, slope; /* phi; d phi / d v, rows x n */
    double span;                       /* of times looked at */
    double reach; /* how far fields go from a point's own velocity: less on a surface than on a plane */
    uint64_t seed;
    double *in; /* inputs of jets and what a bracket needs */
    size_t room;
    double *Y, *U, *T, *B, *R;
    unsigned level;
    double *J, *M, *work;
    int *iwork;
};

bool actio_fields_open(struct actio_fields *f, struct actio_formation *F, struct actio_sampled *points,
                       const uint32_t *level, size_t rows);
double actio_fields_uniform(struct actio_fields *f); /* in (-1, 1) */
/* unscaled: q, t, v */
void actio_fields_input(const struct actio_fields *f, const double *x, const double *u, double *in);
/* d phi / d u, rows scaled to length 1; how long they were in `length`. False when something is not finite. */
bool actio_fields_slopes(struct actio_fields *f, const double *x, const double *u, double *J, double *length);
/* A random state on the manifold near the sampled ones; false when none was reached. */
bool actio_spot_open(struct actio_fields *f, struct actio_spot *spot);
/* Adds brackets of depth + 1 random admissible fields until they bring nothing new; false when one could not be
 * computed. */
bool actio_spot_grow(struct actio_fields *f, struct actio_spot *spot, unsigned depth);
/* integral.c: functions of (q, t) that every admissible motion keeps, at most `wanted` independent ones, beyond the
 * constraints given as such. */
void actio_find_integrals(struct actio_fields *f, size_t wanted, struct actio_integrability *out);
/* Adds a vector to orthonormal rows if what is left of it is larger than tol. */
bool actio_extend(double *basis, size_t *dim, size_t width, const double *vector, double tol);

#endif
