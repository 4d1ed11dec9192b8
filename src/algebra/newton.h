/* SPDX-License-Identifier: Apache-2.0
 * The one small Newton for start data and projection: c(z) = 0, m equations in n unknowns, reached by the shortest
 * steps. */
#ifndef ACTIO_ALGEBRA_NEWTON_H
#define ACTIO_ALGEBRA_NEWTON_H

#include <stdbool.h>
#include <stddef.h>

/* Callbacks return 0 to go on; anything else means "not defined here": a step that leads there is shortened. */
struct actio_newton {
    size_t m, n;
    int (*residual)(void *user, const double *z, double *c);
    int (*jacobian)(void *user, const double *z, double *J); /* m x n, row-major */
    int (*metric)(void *user, const double *z, double *G);   /* n x n, symmetric; NULL = Euclidean */
    void *user;
    double tol;         /* of c, each row relative to the length of its row of J */
    int max_iterations; /* 0 = 50 */
    double rank_tol;    /* rows of J shorter than this beside the others depend on them; 0 = 1e-10 */
    bool lazy;          /* leave the rank unknown (0) when z fits already */
};

struct actio_newton_result {
    int iterations;     /* steps taken */
    double residual;    /* largest |c_i| / |J_i| at the end */
    size_t rank, worst; /* of J where it was last computed; the row of the largest residual */
    bool used_euclid;   /* the metric was not fit at some step */
    bool converged;     /* residual <= tol */
    bool round_off;     /* not, but nothing more is to be had: residual <= 1e-9 |z|, no step lowers it */
};

size_t actio_newton_work(size_t m, size_t n); /* doubles; iwork: m + n ints */
/* z: first guess in, solution out (the best point when there is none). 0: converged or round_off; 1: neither; 2: c or J
 * undefined at the guess. */
int actio_newton_solve(const struct actio_newton *p, double *z, double *work, int *iwork,
                       struct actio_newton_result *r);

#endif
