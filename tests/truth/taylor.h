/* SPDX-License-Identifier: Apache-2.0
 * Ordinary differential equations by Taylor series of order 34 in double-double numbers. The right-hand side is a list
 * of operations, each with its recurrence; guards and columns are further results of the same list. */
#ifndef TRUTH_TAYLOR_H
#define TRUTH_TAYLOR_H

#include "dd.h"

#include <stdbool.h>
#include <stddef.h>

enum { TAYLOR_ORDER = 34, TAYLOR_STATES = 12, TAYLOR_OPS = 700, TAYLOR_GUARDS = 4, TAYLOR_COLUMNS = 32 };

enum taylor_kind {
    TAYLOR_NUMBER,
    TAYLOR_STATE,
    TAYLOR_TIME,
    TAYLOR_ADD,
    TAYLOR_SUB,
    TAYLOR_MUL,
    TAYLOR_DIV,
    TAYLOR_SQRT,
    TAYLOR_EXP,
    TAYLOR_LOG,
    TAYLOR_SIN, /* the cosine follows at once, and the other way round */
    TAYLOR_COS,
    TAYLOR_TANH,
    TAYLOR_SECH2, /* 1 - tanh^2, behind its tanh */
    TAYLOR_POWER  /* of a positive number, to a constant */
};

struct taylor_op {
    enum taylor_kind kind;
    int a, b;
    dd number;
};

/* One smooth branch of a motion. */
struct tape {
    int ops, states, guards, columns;
    struct taylor_op op[TAYLOR_OPS];
    int rate[TAYLOR_STATES], guard[TAYLOR_GUARDS], column[TAYLOR_COLUMNS];
};

typedef int node;
node tape_number(struct tape *t, dd x);
node tape_state(struct tape *t, int i);
node tape_time(struct tape *t);
node tape_two(struct tape *t, enum taylor_kind kind, node a, node b);
node tape_one(struct tape *t, enum taylor_kind kind, node a); /* SIN makes COS at the next node, TANH SECH2 */
node tape_power(struct tape *t, node a, dd exponent);

/* A step: the expansion about t in units of `unit`. */
struct taylor {
    const struct tape *tape;
    double unit;
    dd t, coefficient[TAYLOR_OPS][TAYLOR_ORDER + 1], y[TAYLOR_STATES][TAYLOR_ORDER + 1];
};
void taylor_expand(struct taylor *s, const struct tape *tape, dd t, const dd *y, double unit);
double taylor_step(
    const struct taylor *s); /* length for which the series of states, guards and columns are exact to 1e-30 */
dd taylor_value(const dd *coefficient, dd x); /* x in units */
/* The first x in (0, end] (units) where the series turns negative, starting positive or at zero and rising from it;
 * false: nowhere. *near: the smallest positive minimum on the way. */
bool taylor_root(const dd *coefficient, double end, bool at_zero, dd *x, double *near);

#endif
