/* SPDX-License-Identifier: Apache-2.0
 * A sparse matrix with a border of constraints, [W, -C'; B, E], scaled before it is factored. */
#ifndef ACTIO_SOLVE_BORDER_H
#define ACTIO_SOLVE_BORDER_H

#include "algebra/linear.h"
#include "equations/system.h"

/* Places must outlive it. E is 1 in rows that stand by themselves (their entries of B and C are to be 0), 0 elsewhere.
 * */
struct actio_border {
    struct actio_context *ctx;
    size_t N, p, alone;
    struct actio_places W, C, B; /* N x N, p x N, p x N */
    uint32_t *i, *j;
    double *d, *e, *entry, *b; /* scales of variables and of rows; a right-hand side */
    struct actio_linear linear;
};

int actio_border_open(struct actio_border *b, struct actio_context *ctx, size_t N, size_t p,
                      const struct actio_places *W, const struct actio_places *C, const struct actio_places *B,
                      const bool *alone);        /* 0, or 1: no memory. alone: NULL = none */
void actio_border_close(struct actio_border *b); /* a closed or zeroed one is fine */
void actio_border_scale(struct actio_border *b, const double *W, const double *B);
/* with the scales it has; 0, or as actio_linear_type says */
int actio_border_factor(struct actio_border *b, const double *W, const double *C, const double *B);
double actio_border_rcond(const struct actio_border *b);
/* W z - C' l = h, B z + E l = c; h NULL = 0, l NULL = not requested. z may be h, l may be c. */
void actio_border_solve(struct actio_border *b, const double *h, const double *c, double *z, double *l);

#endif
