/* SPDX-License-Identifier: Apache-2.0
 * Values next to a pole: what stands out of its column, and is another number when the state moves within its own
 * error, is not known. It becomes no number, as the pole itself is. */
#include "solve/poles.h"
#include "base/roles.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SHAKES = 4 };
#define STANDS_OUT 1e3 /* times the geometric mean of the column */

/* One row at a time, on inputs of its own. */
struct shaking {
    struct actio_rows *rows;
    const actio_slot *slot;
    size_t inputs;
    struct actio_arg *in;
    double *at, *size, *value, **out, *block; /* inputs of the row; their sizes over all rows; its columns */
};

/* The level above which values of a column stand out; INFINITY where none does. */
double actio_stands_out(const double *x, size_t n)
{
    double most = 0, sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i]) > most && fabs(x[i]) <= DBL_MAX) most = fabs(x[i]);
    if (most <= STANDS_OUT) return INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            sum += log(fmax(1, fabs(x[i])));
            counted++;
        }
    double level = STANDS_OUT * exp(sum / (double)counted);
    return most > level ? level : INFINITY;
}

/* All that is computed, but neither params nor branches. */
static bool moves(actio_slot s)
{
    return s.space != ACTIO_SPACE_PARAM && s.space != ACTIO_SPACE_HIDDEN && s.space != ACTIO_SPACE_MODE
           && s.space != ACTIO_SPACE_HELD;
}

static bool open_shaking(struct shaking *s, struct actio_rows *r, size_t filled)
{
    const struct actio_kernel *k = r->motion->at[ACTIO_Q_OUTPUTS].k;
    size_t columns = r->motion->sys->output.columns, inputs = actio_kernel_inputs(k, &s->slot);
    s->rows = r;
    s->inputs = inputs;
    s->block = actio_alloc(r->ctx, 2 * inputs + columns + 1, sizeof *s->block);
    s->in = actio_alloc(r->ctx, inputs + 1, sizeof *s->in);
    s->out = actio_alloc(r->ctx, columns + 1, sizeof *s->out);
    if (!s->block || !s->in || !s->out) return false;
    s->at = s->block;
    s->size = s->at + inputs;
    s->value = s->size + inputs;
    for (size_t c = 0; c < columns; c++) s->out[c] = s->value + c;
    for (size_t j = 0; j < inputs; j++) {
        const struct actio_arg *from = &r->lane[ACTIO_Q_OUTPUTS].in[j];
        s->in[j] = (struct actio_arg){ s->at + j, 0 };
        for (size_t l = 0; moves(s->slot[j]) && l < filled; l++)
            s->size[j] = fmax(s->size[j], fabs(from->p[(ptrdiff_t)l * from->lane]));
    }
    return true;
}

static void close_shaking(struct shaking *s)
{
    struct actio_context *ctx = s->rows->ctx;
    actio_free(ctx, s->block);
    actio_free(ctx, s->in);
    actio_free(ctx, s->out);
}

/* The columns of a row whose time is shaken by rounding and whose state by this part of its size. */
static const double *shaken(struct shaking *s, size_t l, double part, unsigned seed)
{
    const struct actio_bound *b = &s->rows->motion->at[ACTIO_Q_OUTPUTS];
    for (size_t j = 0; j < s->inputs; j++) {
        const struct actio_arg *from = &s->rows->lane[ACTIO_Q_OUTPUTS].in[j];
        s->at[j] = from->p[(ptrdiff_t)l * from->lane];
        seed = seed * 1664525u + 1013904223u;
        double by = s->slot[j].space == ACTIO_SPACE_T ? DBL_EPSILON : part;
        if (moves(s->slot[j])) s->at[j] += (seed >> 31 ? by : -by) * s->size[j];
    }
    actio_kernel_eval(b->k, 1, s->in, b->pre, 1, s->out, s->rows->lane[ACTIO_Q_OUTPUTS].work);
    return s->value;
}

static bool is_known(struct shaking *s, size_t c, size_t l, double x, double part, double tol)
{
    for (unsigned k = 0; k < SHAKES; k++)
        if (!(fabs(shaken(s, l, part, 7 + 1000003 * k)[c] - x) <= tol * fabs(x))) return false;
    return true;
}

int actio_rows_blank_poles(struct actio_rows *r, size_t filled, double *column, size_t lanes, double part, double tol)
{
    const struct actio_system *sys = r->motion->sys;
    struct shaking s = { .rows = NULL };
    int status = ACTIO_FLOW_OK;
    for (size_t c = 0; c < sys->output.columns && !sys->field.axes && !status; c++) {
        double *x = column + c * lanes, level = INFINITY;
        if (actio_system_column(sys, c)->role == ACTIO_ROLE_OBSERVE) level = actio_stands_out(x, filled);
        if (level < INFINITY && !s.rows && !open_shaking(&s, r, filled)) status = ACTIO_MARCH_NO_MEMORY;
        for (size_t l = 0; level < INFINITY && l < filled && !status; l++) {
            if ((l & 1023) == 0 && actio_overdue(r->ctx)) status = ACTIO_FLOW_STOPPED;
            if (fabs(x[l]) > level && !is_known(&s, c, l, x[l], part, tol)) x[l] = NAN;
        }
    }
    if (s.rows) close_shaking(&s);
    return status;
}
