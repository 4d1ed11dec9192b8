/* SPDX-License-Identifier: Apache-2.0
 * Minimum degree ordering on the quotient graph, with the approximate degrees of Amestoy, Davis and Duff (1996).
 * An eliminated node becomes an element: the clique of its neighbours, stored once. The list of a live node holds first
 * the elements it lies in, then the nodes still joined to it by an edge of their own; it only ever shrinks. */
#include "algebra/order.h"

#include <math.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

struct degrees {
    struct actio_context *ctx;
    size_t n, live;
    size_t *start; /* of the lists of live nodes, and of the cliques of elements */
    uint32_t *list, *clique;
    uint32_t *elements, *nodes; /* lengths of the two parts of a list; elements: nodes = size of the clique */
    uint32_t *degree, *head, *next, *previous, *mark, *outside, *stamp;
    bool *gone; /* an element absorbed by a later one, or a node eliminated */
    size_t used, room, lowest;
};

static void bucket_insert(struct degrees *s, uint32_t i)
{
    uint32_t d = s->degree[i], first = s->head[d];
    s->next[i] = first;
    s->previous[i] = none;
    s->head[d] = i;
    if (first != none) s->previous[first] = i;
    if (d < s->lowest) s->lowest = d;
}

static void bucket_remove(struct degrees *s, uint32_t i)
{
    if (s->previous[i] != none) s->next[s->previous[i]] = s->next[i];
    else s->head[s->degree[i]] = s->next[i];
    if (s->next[i] != none) s->previous[s->next[i]] = s->previous[i];
}

static uint32_t bucket_lowest(struct degrees *s)
{
    while (s->head[s->lowest] == none) s->lowest++;
    return s->head[s->lowest];
}

static bool make_room(struct degrees *s, size_t more)
{
    if (s->used + more <= s->room) return true;
    size_t room = 2 * s->room + more;
    uint32_t *wider = actio_alloc(s->ctx, room, sizeof *wider);
    if (!wider) return false;
    memcpy(wider, s->clique, s->used * sizeof *wider);
    actio_free(s->ctx, s->clique);
    s->clique = wider;
    s->room = room;
    return true;
}

static void degree_join(struct degrees *s, uint32_t p, const uint32_t *candidates, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        uint32_t i = candidates[c];
        if (s->gone[i] || s->mark[i] == p) continue;
        s->mark[i] = p;
        s->clique[s->used++] = i;
    }
}

/* Node p becomes an element: its own neighbours and the cliques it lay in, which it absorbs. */
static bool make_element(struct degrees *s, uint32_t p)
{
    size_t first = s->start[p], bound = s->nodes[p];
    const uint32_t *list = s->list + first;
    for (uint32_t e = 0; e < s->elements[p]; e++) bound += s->nodes[list[e]];
    if (!make_room(s, bound)) return false;
    size_t begin = s->used;
    s->gone[p] = true;
    s->mark[p] = p;
    degree_join(s, p, list + s->elements[p], s->nodes[p]);
    for (uint32_t e = 0; e < s->elements[p]; e++) {
        degree_join(s, p, s->clique + s->start[list[e]], s->nodes[list[e]]);
        s->elements[list[e]] = 1; /* marks it absorbed: live elements have 0 here */
    }
    s->start[p] = begin;
    s->nodes[p] = (uint32_t)(s->used - begin);
    s->elements[p] = 0;
    return true;
}

/* outside[e] = nodes of element e that are not in the clique of p, for every element that meets it. */
static void count_outside(struct degrees *s, uint32_t p)
{
    for (size_t c = s->start[p]; c < s->start[p] + s->nodes[p]; c++) {
        const uint32_t *list = s->list + s->start[s->clique[c]];
        for (uint32_t e = 0; e < s->elements[s->clique[c]]; e++) {
            uint32_t f = list[e];
            if (s->stamp[f] != p) {
                s->stamp[f] = p;
                s->outside[f] = s->nodes[f];
            }
            s->outside[f]--;
        }
    }
}

/* The list of i, now that i lies in element p: what p covers is dropped. Sets the degree, a bound that is seldom above
 * the true one. */
static void tidy_node(struct degrees *s, uint32_t p, uint32_t i)
{
    uint32_t *list = s->list + s->start[i], old = s->elements[i], e = 0, v = 0;
    size_t degree = s->nodes[p] - 1;
    for (uint32_t k = 0; k < old; k++) {
        uint32_t f = list[k];
        if (s->elements[f]) continue;
        if (s->outside[f] == 0) s->elements[f] = 1; /* lies within p: absorbed as well */
        else {
            list[e++] = f;
            degree += s->outside[f];
        }
    }
    for (uint32_t k = old; k < old + s->nodes[i]; k++)
        if (!s->gone[list[k]] && s->mark[list[k]] != p) list[e + v++] = list[k];
    degree += v;
    list[e + v] = list[e]; /* there is room: p, or an element p absorbed, has left the list */
    list[e] = p;
    s->elements[i] = e + 1;
    s->nodes[i] = v;
    size_t grown = (size_t)s->degree[i] + s->nodes[p] - 1, most = s->live - 1;
    if (grown < degree) degree = grown;
    s->degree[i] = (uint32_t)(degree < most ? degree : most);
}

static bool degree_eliminate(struct degrees *s, uint32_t p)
{
    bucket_remove(s, p);
    s->live--;
    if (!make_element(s, p)) return false;
    for (size_t c = 0; c < s->nodes[p]; c++) bucket_remove(s, s->clique[s->start[p] + c]);
    count_outside(s, p);
    for (size_t c = 0; c < s->nodes[p]; c++) {
        uint32_t i = s->clique[s->start[p] + c];
        tidy_node(s, p, i);
        bucket_insert(s, i);
    }
    return true;
}

/* Nodes joined to very many others come last, without a look: they would be in every clique. Returns how many. */
static size_t put_dense_last(struct degrees *s, uint32_t *order)
{
    size_t last = s->n;
    double many = fmax(16, 10 * sqrt((double)s->n));
    for (uint32_t i = (uint32_t)s->n; i-- > 0;)
        if (s->nodes[i] > many) {
            s->gone[i] = true;
            order[--last] = i;
        }
    return s->n - last;
}

static void start_degrees(struct degrees *s)
{
    memset(s->head, 0xff, s->n * sizeof *s->head);
    memset(s->mark, 0xff, s->n * sizeof *s->mark);
    memset(s->stamp, 0xff, s->n * sizeof *s->stamp);
    for (uint32_t i = (uint32_t)s->n; i-- > 0;) { /* backwards: of equals the first is found first */
        if (s->gone[i]) continue;
        uint32_t v = 0, *list = s->list + s->start[i];
        for (uint32_t k = 0; k < s->nodes[i]; k++)
            if (!s->gone[list[k]]) list[v++] = list[k];
        s->nodes[i] = s->degree[i] = v;
        bucket_insert(s, i);
    }
}

static bool run(struct degrees *s, uint32_t *order)
{
    s->live = s->n - put_dense_last(s, order);
    s->lowest = s->n;
    start_degrees(s);
    for (size_t k = 0; s->live > 0; k++) {
        order[k] = bucket_lowest(s);
        if (!degree_eliminate(s, order[k])) return false;
    }
    return true;
}

bool actio_order_degree(struct actio_columns *graph, struct actio_context *ctx, uint32_t *order)
{
    size_t n = graph->n;
    if (n == 0) return true;
    uint32_t *words = actio_alloc(ctx, 9 * n, sizeof *words);
    bool *gone = actio_alloc(ctx, n, sizeof *gone);
    struct degrees s = {
        .ctx = ctx, .n = n, .start = graph->start, .list = graph->row, .gone = gone, .room = graph->start[n] + n
    };
    s.clique = actio_alloc(ctx, s.room, sizeof *s.clique);
    bool ok = words && gone && s.clique;
    if (ok) {
        uint32_t **part[] = { &s.elements, &s.nodes, &s.degree,  &s.head, &s.next,
                              &s.previous, &s.mark,  &s.outside, &s.stamp };
        for (size_t k = 0; k < 9; k++) *part[k] = words + k * n;
        for (size_t i = 0; i < n; i++) s.nodes[i] = (uint32_t)(graph->start[i + 1] - graph->start[i]);
        ok = run(&s, order);
    }
    actio_free(ctx, s.clique);
    actio_free(ctx, gone);
    actio_free(ctx, words);
    return ok;
}
