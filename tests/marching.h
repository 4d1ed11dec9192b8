/* SPDX-License-Identifier: Apache-2.0
 * What the tests of marching share. */
#ifndef ACTIO_TESTS_MARCHING_H
#define ACTIO_TESTS_MARCHING_H

#include "check.h"
#include "solve/march.h"

#define PI 3.14159265358979323846

static struct actio_context context;

static inline struct actio_ode flow_of(size_t n, int (*rhs)(void *, double, const double *, double *))
{
    return (struct actio_ode){ .n = n, .rhs = rhs };
}

/* Marches without rows; y holds the start, then the end. */
static inline struct actio_march_result march(const struct actio_ode *flow, const struct actio_stepper *stepper,
                                              double t0, double t1, double tol, double *y)
{
    double start[16];
    memcpy(start, y, flow->n * sizeof *y);
    struct actio_march_task task = { .stepper = stepper, .t0 = t0, .t1 = t1, .rtol = tol, .atol = tol, .y0 = start };
    struct actio_march_result out = { .y = y };
    actio_march(&context, flow, &task, &out);
    return out;
}

#endif
