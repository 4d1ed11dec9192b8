/* SPDX-License-Identifier: Apache-2.0
 * The Hungarian method on logarithms: rows join one after the other by a shortest path of exchanges; potentials keep
 * all reduced costs >= 0. */
#include "algebra/assign.h"

#include <math.h>
#include <string.h>

#define VANISHES 1e4 /* costs beside logarithms of doubles, at most 745; sums of them stay exact enough */
#define MISSING 1e8
#define SAME 1e-9 /* of logarithms: products this close are equal */

/* Rows and columns from 1 on; 0 is the row that is joining, and no column. */
struct matching {
    size_t n;
    const double *cost;
    double *row_potential, *column_potential, *shortest;
    size_t *row_of, *from, *seen, *spare;
};

static double reduced(const struct matching *m, size_t i, size_t j)
{
    return m->cost[(i - 1) * m->n + j - 1] - m->row_potential[i] - m->column_potential[j];
}

/* One more column is reached by the cheapest exchange; returns it. */
static size_t reach(struct matching *m, size_t at)
{
    size_t i = m->row_of[at], next = 0;
    double least = INFINITY;
    m->seen[at] = 1;
    for (size_t j = 1; j <= m->n; j++) {
        if (m->seen[j]) continue;
        double c = reduced(m, i, j);
        if (c < m->shortest[j]) {
            m->shortest[j] = c;
            m->from[j] = at;
        }
        if (m->shortest[j] < least) {
            least = m->shortest[j];
            next = j;
        }
    }
    for (size_t j = 0; j <= m->n; j++) {
        if (m->seen[j]) {
            m->row_potential[m->row_of[j]] += least;
            m->column_potential[j] -= least;
        } else m->shortest[j] -= least;
    }
    return next;
}

static void assign_join(struct matching *m, size_t row)
{
    size_t at = 0;
    m->row_of[0] = row;
    memset(m->seen, 0, (m->n + 1) * sizeof *m->seen);
    for (size_t j = 0; j <= m->n; j++) m->shortest[j] = INFINITY;
    do at = reach(m, at);
    while (m->row_of[at]);
    while (at) {
        size_t before = m->from[at];
        m->row_of[at] = m->row_of[before];
        at = before;
    }
}

/* Another matching of the same product runs around a cycle of exchanges that cost nothing. From column `from` all
 * columns that are reached that way; does one of them lead back? The exchange out of `from` that does it, or 0. */
static size_t leads_back(struct matching *m, size_t first, size_t from)
{
    size_t *list = m->spare, count = 1;
    memset(m->seen, 0, (m->n + 1) * sizeof *m->seen);
    list[0] = first;
    m->seen[first] = 1;
    for (size_t k = 0; k < count; k++)
        for (size_t j = 1; j <= m->n; j++) {
            if (m->seen[j] || fabs(reduced(m, m->row_of[list[k]], j)) > SAME) continue;
            if (j == from) return first;
            m->seen[j] = 1;
            list[count++] = j;
        }
    return 0;
}

static size_t rival_of(struct matching *m, size_t j)
{
    for (size_t k = 1; k <= m->n; k++)
        if (k != j && fabs(reduced(m, m->row_of[j], k)) <= SAME && leads_back(m, k, j)) return k;
    return j;
}

static double cost_of(double size) { return size > 0 && isfinite(size) ? -log(size) : size < 0 ? MISSING : VANISHES; }

bool actio_assign(size_t n, const double *size, uint32_t *column, uint32_t *rival, double *work, size_t *iwork)
{
    struct matching m = { .n = n,
                          .cost = work,
                          .row_potential = work + n * n,
                          .column_potential = work + n * n + n + 1,
                          .shortest = work + n * n + 2 * (n + 1),
                          .row_of = iwork,
                          .from = iwork + n + 1,
                          .seen = iwork + 2 * (n + 1),
                          .spare = iwork + 3 * (n + 1) };
    bool perfect = true;
    for (size_t i = 0; i < n * n; i++) work[i] = cost_of(size[i]);
    memset(work + n * n, 0, 2 * (n + 1) * sizeof *work);
    memset(iwork, 0, 4 * (n + 1) * sizeof *iwork);
    for (size_t i = 1; i <= n; i++) assign_join(&m, i);
    m.row_of[0] = 0;
    for (size_t j = 1; j <= n; j++) {
        size_t row = m.row_of[j] - 1;
        column[row] = (uint32_t)j - 1;
        rival[row] = (uint32_t)rival_of(&m, j) - 1;
        perfect = perfect && size[row * n + j - 1] >= 0;
    }
    return perfect;
}
