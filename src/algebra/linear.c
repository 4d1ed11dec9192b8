/* SPDX-License-Identifier: Apache-2.0
 * The table of linear solvers and the choice among them. */
#include "algebra/linear.h"

enum { MAX_TYPES = 8 };

/* filled at start-up, before any thread */
static const struct actio_linear_type *table[MAX_TYPES] = { &actio_linear_dense, &actio_linear_sparse,
                                                            &actio_linear_band };
static size_t types = 3;

void actio_linear_register(const struct actio_linear_type *type)
{
    for (size_t t = 0; t < types; t++)
        if (table[t] == type) return;
    if (types < MAX_TYPES) table[types++] = type;
}

/* The most preferred type below `bound`, the first of equals; its preference comes back in *bound, 0 when there is
 * none. */
static const struct actio_linear_type *best_below(const struct actio_pattern *pattern, int *bound)
{
    const struct actio_linear_type *best = NULL;
    int most = 0;
    for (size_t t = 0; t < types; t++) {
        int fit = table[t]->fits(pattern);
        if (fit > most && fit < *bound) {
            most = fit;
            best = table[t];
        }
    }
    *bound = most;
    return best;
}

/* A type that finds no memory makes room for the next best: a dense matrix may fail where a sparse one fits. */
int actio_linear_open(struct actio_linear *l, struct actio_context *ctx, const struct actio_pattern *pattern)
{
    int bound = 1000;
    *l = (struct actio_linear){ 0 };
    for (const struct actio_linear_type *type; (type = best_below(pattern, &bound)) != NULL;) {
        void *h = type->open(ctx, pattern);
        if (!h) continue;
        *l = (struct actio_linear){ type, h };
        return 0;
    }
    return 1;
}

void actio_linear_close(struct actio_linear *l)
{
    if (l->type) l->type->close(l->h);
    *l = (struct actio_linear){ 0 };
}
