/* SPDX-License-Identifier: Apache-2.0
 * Where the doubled action's Hessian has entries: fields meet in the density by value or by rate, a rate reaches the
 * nodes around. */
#include "solve/doubled.h"

#include <string.h>

enum { WINDOW = 4 * ACTIO_SBP_WIDEST + 1 }; /* times that one can be coupled to */

/* By pair of fields: bit 2*(first by rate) + (second by rate). */
static unsigned char *meetings(const struct actio_doubled *d)
{
    size_t fields = 2 * d->sector;
    const struct actio_places *at = &d->sys->jets.curvature;
    unsigned char *meet = actio_alloc(d->ctx, fields * fields + 1, 1);
    for (size_t e = 0; meet && e < at->count; e++) {
        struct actio_local a = d->local[at->row[e]], b = d->local[at->col[e]];
        meet[a.field * fields + b.field] |= (unsigned char)(1u << (2 * a.rate + b.rate));
        meet[b.field * fields + a.field] |= (unsigned char)(1u << (2 * b.rate + a.rate));
    }
    return meet;
}

/* Times of field b that meet field a's time j in the density of node k. */
static void mark_node(const struct actio_doubled *d, uint32_t b, bool rate, size_t j, size_t k, bool *mark)
{
    size_t centre = WINDOW / 2;
    const struct actio_rate_row *r = &d->row[k];
    if (!rate) mark[centre + k - j] = true;
    for (size_t i = r->first; rate && i < r->first + r->width; i++)
        if (actio_doubled_coefficient(d, b, k, i) != 0) mark[centre + i - j] = true;
}

static void mark(const struct actio_doubled *d, uint32_t a, uint32_t b, unsigned meet, size_t j, bool *mark)
{
    size_t from = j > d->reach ? j - d->reach : 0, to = j + d->reach < d->points ? j + d->reach : d->points - 1;
    memset(mark, 0, WINDOW * sizeof *mark);
    for (unsigned bit = 0; bit < 4; bit++) {
        if (!(meet >> bit & 1)) continue;
        if (bit < 2) mark_node(d, b, bit & 1, j, j, mark);
        for (size_t k = from; bit >= 2 && k <= to; k++)
            if (actio_doubled_coefficient(d, a, k, j) != 0) mark_node(d, b, bit & 1, j, k, mark);
    }
}

static void doubled_pattern_put(uint32_t *to, size_t *count, size_t col)
{
    if (to) to[*count] = (uint32_t)col;
    ++*count;
}

/* Columns of one row of a field, ascending, into `to` unless that is NULL; how many. */
static size_t field_row(const struct actio_doubled *d, const unsigned char *meet, uint32_t a, size_t j, uint32_t *to)
{
    size_t fields = 2 * d->sector, N = d->points, count = 0;
    bool marks[WINDOW];
    for (uint32_t b = 0; b < fields; b++) {
        if (!meet[a * fields + b]) continue;
        mark(d, a, b, meet[a * fields + b], j, marks);
        for (size_t w = 0; w < WINDOW; w++)
            if (marks[w]) doubled_pattern_put(to, &count, b * N + j + w - WINDOW / 2);
    }
    for (size_t i = 0; i < d->ties; i++)
        if (d->tie[i].col == a * N + j) doubled_pattern_put(to, &count, d->tie[i].row);
    return count;
}

static size_t tie_row(const struct actio_doubled *d, uint32_t row, uint32_t *to)
{
    size_t count = 0;
    for (size_t i = 0; i < d->ties; i++)
        if (d->tie[i].row == row) doubled_pattern_put(to, &count, d->tie[i].col);
    return count;
}

static size_t list_row(const struct actio_doubled *d, const unsigned char *meet, size_t row, uint32_t *to)
{
    size_t N = d->points;
    return row < 2 * d->sector * N ? field_row(d, meet, (uint32_t)(row / N), row % N, to)
                                   : tie_row(d, (uint32_t)row, to);
}

static bool take_entries(struct actio_doubled *d)
{
    d->hessian.count = d->hessian.start[d->size];
    if (d->hessian.count >= UINT32_MAX) return false;
    d->hessian.i = actio_alloc(d->ctx, d->hessian.count + 1, sizeof *d->hessian.i);
    d->hessian.j = actio_alloc(d->ctx, d->hessian.count + 1, sizeof *d->hessian.j);
    return d->hessian.i && d->hessian.j;
}

int actio_doubled_pattern(struct actio_doubled *d)
{
    unsigned char *meet = meetings(d);
    d->hessian.start = actio_alloc(d->ctx, d->size + 1, sizeof *d->hessian.start);
    bool sound = meet && d->hessian.start;
    for (size_t r = 0; sound && r < d->size; r++)
        d->hessian.start[r + 1] = d->hessian.start[r] + list_row(d, meet, r, NULL);
    sound = sound && take_entries(d);
    for (size_t r = 0; sound && r < d->size; r++) {
        list_row(d, meet, r, d->hessian.j + d->hessian.start[r]);
        for (size_t e = d->hessian.start[r]; e < d->hessian.start[r + 1]; e++) d->hessian.i[e] = (uint32_t)r;
    }
    actio_free(d->ctx, meet);
    return !sound;
}
