/* SPDX-License-Identifier: Apache-2.0
 * Errors at rows inside a step, four rows at a time. */
#include "algebra/cloned.h"
#include "solve/defect_table.h"

#include <math.h>
#include <string.h>

enum { FOUR = 4, PARTS = 4 + ACTIO_DEFECTS };
typedef actio_four quad;

/* Weights of e, its end, both slopes and the defects from the first one on, at four times in the step. */
static inline __attribute__((always_inline)) void weights_of_four(const struct actio_carried *c, const double *t,
                                                                  size_t first, quad *w)
{
    double h = c->h;
    quad x = (*(const quad *)t - c->from) / h, z = 1 - x;
    w[1] = x * x * (3 - 2 * x);
    w[0] = 1 - w[1];
    w[2] = h * (x * z * z);
    w[3] = h * (x * x * -z);
    for (size_t j = first; j < ACTIO_DEFECTS; j++) {
        quad sum = x * 0;
        for (size_t k = ACTIO_POWERS; k-- > 0;) sum = (sum + defect_powers[j][k]) * x;
        w[4 + j - first] = h * sum;
    }
}

CLONED static void four_rows(const struct actio_carried *c, const double *t, double *to, size_t stride)
{
    const double *part[PARTS] = { c->e, c->e_end, c->k, c->k_end };
    size_t parts = c->delta ? PARTS - c->first : 4;
    quad w[PARTS];
    for (size_t j = 4; j < parts; j++) part[j] = c->delta + (c->first + j - 4) * c->padded;
    weights_of_four(c, t, c->first, w);
    for (size_t i = 0; i < c->n; i++) {
        quad sum = w[0] * part[0][i];
        for (size_t j = 1; j < parts; j++) sum += w[j] * part[j][i];
        *(quad *)(to + i * stride) = sum;
    }
}

void actio_carried_rows(const struct actio_carried *c, size_t count, const double *t, double *to, size_t stride)
{
    if (count >= FOUR) {
        for (size_t r = 0; r < count; r += FOUR) { /* the last four may overlap those before: the same values again */
            size_t at = r + FOUR > count ? count - FOUR : r;
            four_rows(c, t + at, to + at, stride);
        }
        return;
    }
    double some[FOUR] = { 0 };
    for (size_t r = 0; r < count; r++) some[r] = t[r];
    for (size_t r = count; r < FOUR; r++) some[r] = c->from;
    four_rows(c, some, c->room, FOUR);
    for (size_t i = 0; i < c->n; i++) memcpy(to + i * stride, c->room + i * FOUR, count * sizeof *to);
}
