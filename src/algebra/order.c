/* SPDX-License-Identifier: Apache-2.0
 * Sparse patterns: compressed columns, a zero-free diagonal by augmenting paths, the symmetric graph and its fill. */
#include "algebra/order.h"

#include <string.h>

static const uint32_t none = UINT32_MAX;

void actio_columns_close(struct actio_columns *c, struct actio_context *ctx)
{
    actio_free(ctx, c->start);
    actio_free(ctx, c->row);
    *c = (struct actio_columns){ 0 };
}

static bool take_columns(struct actio_columns *c, struct actio_context *ctx, size_t n, size_t count)
{
    *c = (struct actio_columns){ .n = n,
                                 .start = actio_alloc(ctx, n + 2, sizeof *c->start),
                                 .row = actio_alloc(ctx, count + 1, sizeof *c->row) };
    if (c->start && c->row) return true;
    actio_columns_close(c, ctx);
    return false;
}

/* Counts in start[j + 2] become beginnings in start[j + 1]; filling moves each on to the next one's beginning. */
static void sum_starts(struct actio_columns *c)
{
    for (size_t j = 0; j < c->n; j++) c->start[j + 2] += c->start[j + 1];
}

bool actio_columns_open(struct actio_columns *c, struct actio_context *ctx, size_t n, size_t count, const uint32_t *i,
                        const uint32_t *j, uint32_t *place)
{
    if (!take_columns(c, ctx, n, count)) return false;
    for (size_t e = 0; e < count; e++) c->start[j[e] + 2]++;
    sum_starts(c);
    for (size_t e = 0; e < count; e++) {
        size_t at = c->start[j[e] + 1]++;
        place[e] = (uint32_t)at;
        c->row[at] = i[e];
    }
    return true;
}

struct matching {
    const struct actio_columns *a;
    uint32_t *row_of, *col_of, *seen, *stack, *at;
};

/* A free row in column j, if there is one: most paths end at once. */
static bool take_free_row(struct matching *m, uint32_t j)
{
    for (size_t e = m->a->start[j]; e < m->a->start[j + 1]; e++)
        if (m->col_of[m->a->row[e]] == none) {
            m->row_of[j] = m->a->row[e];
            m->col_of[m->row_of[j]] = j;
            return true;
        }
    return false;
}

/* The path on the stack ends in a column that took a free row: each column before it takes over the row it was waiting
 * for. */
static void shift_rows(struct matching *m, size_t depth)
{
    while (depth-- > 0) {
        uint32_t j = m->stack[depth], r = m->a->row[m->a->start[j] + m->at[depth] - 1];
        m->row_of[j] = r;
        m->col_of[r] = j;
    }
}

static void augment(struct matching *m, uint32_t root)
{
    size_t depth = 0;
    m->stack[0] = root;
    m->at[0] = 0;
    m->seen[root] = root;
    if (take_free_row(m, root)) return;
    for (;;) {
        uint32_t j = m->stack[depth];
        if (m->a->start[j] + m->at[depth] == m->a->start[j + 1]) {
            if (depth-- == 0) return;
            continue;
        }
        uint32_t next = m->col_of[m->a->row[m->a->start[j] + m->at[depth]++]];
        if (next == none || m->seen[next] == root) continue;
        m->seen[next] = root;
        if (take_free_row(m, next)) {
            shift_rows(m, depth + 1);
            return;
        }
        depth++;
        m->stack[depth] = next;
        m->at[depth] = 0;
    }
}

/* Columns left without a row (the matrix is singular whatever its values) get the rows nobody took. */
static void pair_leftovers(struct matching *m)
{
    uint32_t r = 0;
    for (uint32_t j = 0; j < m->a->n; j++) {
        if (m->row_of[j] != none) continue;
        while (m->col_of[r] != none) r++;
        m->row_of[j] = r;
        m->col_of[r] = j;
    }
}

void actio_order_match(const struct actio_columns *a, uint32_t *row_of, uint32_t *work)
{
    size_t n = a->n;
    struct matching m = { a, row_of, work, work + n, work + 2 * n, work + 3 * n };
    memset(row_of, 0xff, n * sizeof *row_of);
    memset(work, 0xff, 2 * n * sizeof *work);
    for (uint32_t j = 0; j < n; j++)
        for (size_t e = a->start[j]; e < a->start[j + 1]; e++)
            if (a->row[e] == j) row_of[j] = m.col_of[j] = j;
    for (uint32_t j = 0; j < n; j++)
        if (row_of[j] == none) augment(&m, j);
    pair_leftovers(&m);
}

/* Duplicates (both (i, j) and (j, i) given) are taken out column by column. */
static void unique_rows(struct actio_columns *g, uint32_t *mark)
{
    size_t to = 0, from = 0;
    memset(mark, 0xff, g->n * sizeof *mark);
    for (uint32_t j = 0; j < g->n; j++) {
        for (size_t end = g->start[j + 1]; from < end; from++)
            if (mark[g->row[from]] != j) {
                mark[g->row[from]] = j;
                g->row[to++] = g->row[from];
            }
        g->start[j + 1] = to;
    }
}

bool actio_order_graph(struct actio_columns *g, struct actio_context *ctx, const struct actio_columns *a,
                       const uint32_t *row_of)
{
    size_t n = a->n;
    uint32_t *node = actio_alloc(ctx, n + 1, sizeof *node);
    if (!node || !take_columns(g, ctx, n, 2 * a->start[n])) {
        actio_free(ctx, node);
        return false;
    }
    for (uint32_t j = 0; j < n; j++) node[row_of[j]] = j;
    for (uint32_t j = 0; j < n; j++)
        for (size_t e = a->start[j]; e < a->start[j + 1]; e++)
            if (node[a->row[e]] != j) {
                g->start[j + 2]++;
                g->start[node[a->row[e]] + 2]++;
            }
    sum_starts(g);
    for (uint32_t j = 0; j < n; j++)
        for (size_t e = a->start[j]; e < a->start[j + 1]; e++) {
            uint32_t i = node[a->row[e]];
            if (i != j) {
                g->row[g->start[j + 1]++] = i;
                g->row[g->start[i + 1]++] = j;
            }
        }
    unique_rows(g, node);
    actio_free(ctx, node);
    return true;
}

size_t actio_order_fill(const struct actio_columns *graph, const uint32_t *order, uint32_t *work)
{
    uint32_t *position = work, *parent = work + graph->n, *mark = work + 2 * graph->n;
    size_t fill = 0;
    for (uint32_t k = 0; k < graph->n; k++) {
        position[order[k]] = k;
        parent[k] = mark[k] = none;
    }
    for (uint32_t k = 0; k < graph->n; k++) {
        mark[k] = k;
        for (size_t e = graph->start[order[k]]; e < graph->start[order[k] + 1]; e++)
            for (uint32_t i = position[graph->row[e]]; i < k && mark[i] != k; i = parent[i]) {
                mark[i] = k; /* row k of the factor has an entry in column i */
                fill++;
                if (parent[i] == none) parent[i] = k;
            }
    }
    return fill;
}
