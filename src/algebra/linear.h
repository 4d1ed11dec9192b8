/* SPDX-License-Identifier: Apache-2.0
 * Linear systems with one interface; the pattern decides on the structure, once. Built in: dense, sparse, band with
 * a border. native/ adds KLU.
 * In: a pattern, then values. Out: solutions. Callers: solve, verdict, action. */
#ifndef ACTIO_ALGEBRA_LINEAR_H
#define ACTIO_ALGEBRA_LINEAR_H

#include "base/context.h"

/* Square matrix of `rows`; entries by (i, j), values in the same order; no duplicates. symmetric, definite: promises
 * about the values;
 * both halves are given all the same. */
struct actio_pattern {
    size_t rows, count;
    const uint32_t *i, *j;
    bool symmetric, definite;
};

struct actio_linear_type {
    const char *name;
    int (*fits)(const struct actio_pattern *pattern); /* 0 no, else preference */
    /* symbolic analysis, all memory; NULL when there is none */
    void *(*open)(struct actio_context *ctx, const struct actio_pattern *pattern);
    /* 0, 1 + the failing column, or -1: no memory. Same values, same bits, whatever came before */
    int (*factor)(void *h, const double *values);
    void (*solve)(void *h, double *b, size_t nrhs, bool transposed); /* b: right-hand side r at b + r*rows */
    double (*rcond)(void *h);                                        /* cheap estimate from the pivots */
    void (*close)(void *h);
};

struct actio_linear {
    const struct actio_linear_type *type;
    void *h;
};
/* 0, or 1: no memory */
int actio_linear_open(struct actio_linear *l, struct actio_context *ctx, const struct actio_pattern *pattern);
void actio_linear_close(struct actio_linear *l);                  /* a closed or zeroed one is fine */
void actio_linear_register(const struct actio_linear_type *type); /* native/ at start-up */

extern const struct actio_linear_type actio_linear_dense, actio_linear_sparse, actio_linear_band;

#endif
