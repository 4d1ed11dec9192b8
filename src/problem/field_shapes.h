/* SPDX-License-Identifier: Apache-2.0
 * field_shapes.c: a model with fields formed with other nodes, and its start bent into other shapes. Used by
 * field_ranks.c, field_limits.c and field_growth.c. */
#ifndef ACTIO_FIELD_SHAPES_H
#define ACTIO_FIELD_SHAPES_H

#include "problem/field_look.h"

/* The problem with other nodes, formed beside its own; what it reports is not passed on. */
struct actio_field_trial {
    struct actio_problem problem;
    struct actio_findings silent;
    struct actio_model *model;
    size_t nodes_before[ACTIO_FIELD_AXES];
};
/* The model has these cells on each axis until the trial is closed. tilt: where rates of cells are taken, 0 for the
 * middle. Close it also after false. */
bool actio_field_trial_open(struct actio_field_trial *t, const struct actio_problem *of, size_t cells, int tilt);
void actio_field_trial_close(struct actio_field_trial *t);

/* A bend begins where a line is let go: all along it (hold 0), or behind the quarter next to its first (-1) or last (1)
 * end, which stays as it is. */
/* beyond: it is moved for longer than the model's time, if that is short */
struct actio_field_bend {
    unsigned shape;
    double amount;
    int hold;
    bool velocities, beyond;
};
/* of a bend, beside the length of the axis: what the constraints allow */
enum { ACTIO_FIELD_AMOUNTS = 3 };
extern const double actio_field_amount[ACTIO_FIELD_AMOUNTS];

/* The start, bent and put on the constraints of this number of nodes; false: it does not get there. */
bool actio_field_shape(struct actio_problem *problem, struct actio_field_bend b, double *y);
/* The same numbers in every call: between -1 and 1. */
double actio_field_shaken(unsigned *seed);
/* Rows that follow from others stay. */
void actio_field_expect_rank(struct actio_motion *m, double t, const double *y);

#endif
