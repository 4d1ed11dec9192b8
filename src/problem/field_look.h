/* SPDX-License-Identifier: Apache-2.0
 * A model with fields looked at with several numbers of nodes, shapes and placements. */
#ifndef ACTIO_FIELD_LOOK_H
#define ACTIO_FIELD_LOOK_H

#include "problem/fields.h"

enum {
    ACTIO_FIELD_STRAIGHT = 5,
    ACTIO_FIELD_AXES = 8,
    ACTIO_FIELD_NAMED = 64,
    ACTIO_FIELD_VALUES = 48,
    ACTIO_FIELD_WAYS = 4
};

struct actio_field_look {
    size_t cells, n, p, slaves, samples;
    size_t rank, start_rank, least; /* largest over shapes; at the start; smallest, and where: 0 is the start */
    unsigned least_shape;
    long dof;                            /* velocities that the constraints leave */
    int inertia[3], kernel[3];           /* of the kinetic energy at the start: plus, minus, zero; on what may move */
    size_t vanishing;                    /* 1 + a constraint whose gradient is 0 at the start and not beside it */
    size_t redundant[ACTIO_FIELD_NAMED]; /* by constraint: rows that those before them imply */
};
/* field_ranks.c: with this many cells. 1: it could not be done */
int actio_field_ranks(struct actio_problem *of, size_t cells, struct actio_field_look *out);

/* field_limits.c: the bent start moved by N, N + 1, 2N, 2N + 1 cells and with the rates of cells taken at either of
 * their nodes: do they go to one limit? */
/* value: 3*field + place (0 first end, 1 middle, 2 last end) */
struct actio_field_limits {
    bool one;
    double ratio, duration, seen[4];
    size_t value, way[2];
};
int actio_field_refine(struct actio_problem *of, struct actio_field_limits *out);
/* field_growth.c: NAN where it could not be found */
double actio_field_growth(struct actio_problem *of, size_t cells);

/* field_judge.c: the verdict as findings. Its word. */
struct actio_field_verdict {
    const char *word;
    struct actio_field_look look, finer;
    struct actio_field_limits limits;
    double growth[2];
    bool looked, refined;
};
/* judging: for check; else only what a run must refuse */
void actio_field_judge(struct actio_problem *problem, bool judging, struct actio_field_verdict *out);

#endif
