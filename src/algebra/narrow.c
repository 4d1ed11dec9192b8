/* SPDX-License-Identifier: Apache-2.0
 * Orders that make a sparse matrix a narrow band: dense nodes apart, the rest by Cuthill and McKee (1969), reversed. */
#include "algebra/order.h"

#include <string.h>

static const uint32_t none = UINT32_MAX;
enum { MOST_TRIES = 8 };

static uint32_t degree(const struct actio_columns *g, size_t v) { return (uint32_t)(g->start[v + 1] - g->start[v]); }

/* Nodes by degree, of equals by number: by_degree[n]. count: n + 1, 0 on entry. */
static void sort_nodes(const struct actio_columns *g, uint32_t *by_degree, uint32_t *count)
{
    for (size_t v = 0; v < g->n; v++) count[degree(g, v) + 1]++;
    for (size_t d = 1; d <= g->n; d++) count[d] += count[d - 1];
    for (size_t v = 0; v < g->n; v++) by_degree[count[degree(g, v)]++] = (uint32_t)v;
}

/* How many of the nodes sorted by degree, from the last on, are far denser than the middle one. Too many do not form a
 * border. */
static size_t count_dense(const struct actio_columns *g, const uint32_t *by_degree)
{
    size_t dense = 0, bound = g->n ? 4 * (size_t)degree(g, by_degree[g->n / 2]) + 8 : 0;
    while (dense < g->n && degree(g, by_degree[g->n - 1 - dense]) > bound) dense++;
    return dense <= ACTIO_MOST_BORDER ? dense : 0;
}

/* The neighbours of every node by degree: nodes in that order enter the lists of their neighbours. */
static bool sort_neighbours(struct actio_columns *g, struct actio_context *ctx, const uint32_t *by_degree)
{
    size_t *at = actio_alloc_raw(ctx, g->n + 1, sizeof *at);
    uint32_t *row = actio_alloc_raw(ctx, g->start[g->n] + 1, sizeof *row);
    if (!at || !row) {
        actio_free(ctx, at);
        actio_free(ctx, row);
        return false;
    }
    memcpy(at, g->start, g->n * sizeof *at);
    for (size_t k = 0; k < g->n; k++)
        for (size_t e = g->start[by_degree[k]]; e < g->start[by_degree[k] + 1]; e++)
            row[at[g->row[e]]++] = by_degree[k];
    memcpy(g->row, row, g->start[g->n] * sizeof *row);
    actio_free(ctx, at);
    actio_free(ctx, row);
    return true;
}

/* Breadth first from root into queue; levels deep, the last of them from *last on. Nodes marked `none` are not there.
 * */
static size_t narrow_spread(const struct actio_columns *g, uint32_t root, uint32_t stamp, uint32_t *mark,
                            uint32_t *queue, size_t *last, size_t *levels)
{
    size_t count = 1;
    queue[0] = root;
    mark[root] = stamp;
    *last = 0;
    *levels = 1;
    for (size_t k = 0, end = 1; k < count; k++) {
        if (k == end) {
            *last = k;
            end = count;
            ++*levels;
        }
        for (size_t e = g->start[queue[k]]; e < g->start[queue[k] + 1]; e++) {
            uint32_t v = g->row[e];
            if (mark[v] == none || mark[v] == stamp) continue;
            mark[v] = stamp;
            queue[count++] = v;
        }
    }
    return count;
}

/* One component from an end of it (George and Liu 1979): as long as a sweep from the thinnest node of the last level is
 * deeper. */
static size_t narrow_lay_out(const struct actio_columns *g, uint32_t root, uint32_t *stamp, uint32_t *mark,
                             uint32_t *queue)
{
    size_t last, levels, deepest = 0, count = narrow_spread(g, root, ++*stamp, mark, queue, &last, &levels);
    for (int t = 0; t < MOST_TRIES && levels > deepest; t++) {
        deepest = levels;
        root = queue[last];
        for (size_t k = last; k < count; k++)
            if (degree(g, queue[k]) < degree(g, root)) root = queue[k];
        narrow_spread(g, root, ++*stamp, mark, queue, &last, &levels);
    }
    for (size_t k = 0; k < count; k++) mark[queue[k]] = none;
    return count;
}

static void reverse(size_t n, uint32_t *x)
{
    for (size_t k = 0; k < n / 2; k++) {
        uint32_t t = x[k];
        x[k] = x[n - 1 - k];
        x[n - 1 - k] = t;
    }
}

bool actio_order_narrow(struct actio_columns *graph, struct actio_context *ctx, uint32_t *order, size_t *border)
{
    size_t n = graph->n, done = 0;
    uint32_t *mark = actio_alloc(ctx, 2 * n + 2, sizeof *mark), *by_degree = mark + n + 1, stamp = 0;
    if (!mark) return false;
    sort_nodes(graph, by_degree, mark);
    *border = count_dense(graph, by_degree);
    if (!sort_neighbours(graph, ctx, by_degree)) {
        actio_free(ctx, mark);
        return false;
    }
    memset(mark, 0, n * sizeof *mark);
    for (size_t k = 0; k < *border; k++) {
        order[n - 1 - k] = by_degree[n - 1 - k];
        mark[by_degree[n - 1 - k]] = none;
    }
    for (uint32_t v = 0; v < n; v++)
        if (mark[v] != none) done += narrow_lay_out(graph, v, &stamp, mark, order + done);
    reverse(done, order);
    actio_free(ctx, mark);
    return true;
}
