/* SPDX-License-Identifier: Apache-2.0
 * Where to begin with a sparse matrix: rows for the diagonal, an order of elimination, and the fill it makes. */
#ifndef ACTIO_ALGEBRA_ORDER_H
#define ACTIO_ALGEBRA_ORDER_H

#include "base/context.h"

/* Compressed columns: the rows of column j are row[start[j] .. start[j+1]). */
struct actio_columns {
    size_t n;
    size_t *start;
    uint32_t *row;
};

/* Entries (i, j) by columns, in the order given; place[e] = where entry e went. False: no memory. Freed by
 * actio_columns_close. */
bool actio_columns_open(struct actio_columns *c, struct actio_context *ctx, size_t n, size_t count, const uint32_t *i,
                        const uint32_t *j, uint32_t *place);
void actio_columns_close(struct actio_columns *c, struct actio_context *ctx);

/* A row for each column such that as many (row, column) as can be are entries; the diagonal where it is one. work: 4 n
 * */
void actio_order_match(const struct actio_columns *a, uint32_t *row_of, uint32_t *work);
/* The graph of B + B' without its diagonal, B = the rows of a put where row_of says. False: no memory. */
bool actio_order_graph(struct actio_columns *graph, struct actio_context *ctx, const struct actio_columns *a,
                       const uint32_t *row_of);
/* Approximate minimum degree: order[k] = the node eliminated k-th. The graph is destroyed. False: no memory. */
bool actio_order_degree(struct actio_columns *graph, struct actio_context *ctx, uint32_t *order);
enum { ACTIO_MOST_BORDER = 16 };
/* A narrow band: order[k] = the node put k-th; the last *border of them (ACTIO_MOST_BORDER at most) are nodes with far
 * more neighbours than the rest.
 * The neighbours of each node are sorted anew. False: no memory. */
bool actio_order_narrow(struct actio_columns *graph, struct actio_context *ctx, uint32_t *order, size_t *border);
/* Entries below the diagonal of the Cholesky factor of the graph in that order. work: 3 n */
size_t actio_order_fill(const struct actio_columns *graph, const uint32_t *order, uint32_t *work);

#endif
