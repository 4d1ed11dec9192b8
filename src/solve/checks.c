/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/checks.h"

#include <math.h>
#include <string.h>

enum { MOST = 128, FEWEST = 8 };
static const size_t room = 4 << 20; /* numbers in all of them */

int actio_checks_open(struct actio_checks *c, struct actio_context *ctx, size_t n)
{
    size_t fit = room / (n + 1), most = fit > MOST ? MOST : fit < FEWEST ? FEWEST : fit, states = most + 1;
    *c = (struct actio_checks){
        .n = n, .most = most, .every = 1, .t = actio_alloc_raw(ctx, states * (1 + n) + 2 * ACTIO_GAPS * n, sizeof *c->t)
    };
    if (!c->t) return 1;
    c->y = c->t + states;
    c->gap_y = c->y + states * n;
    c->gap_error = c->gap_y + ACTIO_GAPS * n;
    return 0;
}

void actio_checks_clear(struct actio_checks *c)
{
    c->count = c->passed = 0;
    c->every = 1;
}
void actio_checks_clear_gaps(struct actio_checks *c) { c->gaps = 0; }

static void checks_put(struct actio_checks *c, size_t i, double t, const double *y)
{
    c->t[i] = t;
    memmove(c->y + i * c->n, y, c->n * sizeof *y);
}

/* Every second one goes. */
static void thin(struct actio_checks *c)
{
    size_t kept = 0;
    for (size_t i = 1; i < c->count; i += 2, kept++) checks_put(c, kept, c->t[i], c->y + i * c->n);
    c->count = kept;
    c->every *= 2;
}

void actio_checks_note(void *checks, double t, const double *y)
{
    struct actio_checks *c = checks;
    if (++c->passed % c->every) return;
    if (c->count && c->t[c->count - 1] == t) return;
    if (c->count == c->most) {
        thin(c);
        if (c->passed % c->every) return;
    }
    checks_put(c, c->count++, t, y);
}

/* Takes the place of the smallest one. */
void actio_checks_gap(void *checks, double t, const double *y, const double *error)
{
    struct actio_checks *c = checks;
    double size = 0;
    size_t at = 0;
    for (size_t i = 0; i < c->n; i++) {
        double e = fabs(error[i]) / (1 + fabs(y[i]));
        size = e > size ? e : size;
    }
    for (size_t k = 1; k < c->gaps; k++)
        if (c->gap_size[k] < c->gap_size[at]) at = k;
    if (c->gaps < ACTIO_GAPS) at = c->gaps++;
    else if (!(size > c->gap_size[at])) return;
    c->gap_t[at] = t;
    c->gap_size[at] = size;
    memcpy(c->gap_y + at * c->n, y, c->n * sizeof *y);
    memcpy(c->gap_error + at * c->n, error, c->n * sizeof *error);
}

void actio_checks_end(struct actio_checks *c, double t, const double *y)
{
    if (c->count == 0 || c->t[c->count - 1] != t) checks_put(c, c->count++, t, y);
}

void actio_checks_close(struct actio_checks *c, struct actio_context *ctx)
{
    actio_free(ctx, c->t); /* the others lie behind it */
    *c = (struct actio_checks){ 0 };
}
