/* SPDX-License-Identifier: Apache-2.0
 * The doubled action of a gallery model or of a text, with fields to try on it. */
#ifndef ACTIO_TESTS_ACTION_H
#define ACTIO_TESTS_ACTION_H

#include "algebra/dense.h"
#include "check.h"
#include "subject.h"

#include <actio/actio.h>

struct given {
    const char *stem, *time; /* a gallery model, or a text; NULL: its own interval */
    double sigma, barrier;
};

struct object {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_action *a;
    size_t size, slices, points, count;
    const struct actio_action_slice *slice;
    const double *t;
    const uint32_t *row, *col;
    struct given given;
};

static inline bool open_object(struct object *o, struct given g, size_t grid, int order, const char *form)
{
    struct actio_change change = { ACTIO_CHANGE_TIME, g.time };
    struct actio_action_options options = {
        .grid = grid, .order = order, .form = form, .sigma = g.sigma, .barrier = g.barrier
    };
    *o = (struct object){ .ctx = actio_context_create(NULL), .given = g };
    o->f = actio_findings_create(o->ctx);
    o->model = strchr(g.stem, '\n') ? actio_model_read_string(o->ctx, "own.act", g.stem, strlen(g.stem), NULL, 0, o->f)
                                    : actio_model_read(o->ctx, g.stem, &change, g.time ? 1 : 0, o->f);
    if (o->model) o->a = actio_action_create(o->ctx, o->model, &options, o->f);
    if (!o->a) {
        printf("    no action of %s\n", g.stem);
        show_findings(o->f);
        return false;
    }
    o->size = actio_action_size(o->a);
    o->slices = actio_action_slices(o->a, &o->slice);
    o->points = actio_action_times(o->a, &o->t);
    o->count = actio_action_pattern(o->a, &o->row, &o->col);
    return true;
}

static inline void close_object(struct object *o)
{
    actio_action_free(o->a);
    actio_model_free(o->model);
    actio_findings_free(o->f);
    CHECK(o->ctx->bytes == 0);
    actio_context_free(o->ctx);
}

/* ---- random fields */

static inline double uniform(uint64_t *state) /* -1 .. 1 */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

/* +1 for what stays when the paths are exchanged, -1 for what changes its sign. */
static inline int parity(const char *name)
{
    size_t n = strcspn(name, " ");
    if (name[n - 1] == '-' || strncmp(name, "kappa", 5) == 0) return -1;
    return 1;
}

static inline void add_noise(const struct object *o, double *x, double plus, double minus, uint64_t *seed)
{
    for (size_t i = 0; i < o->slices; i++)
        for (size_t k = 0; k < o->slice[i].count; k++)
            x[o->slice[i].first + k * o->slice[i].stride] +=
                (parity(o->slice[i].name) > 0 ? plus : minus) * uniform(seed);
}

static inline double *random_fields(const struct object *o, double plus, double minus, uint64_t seed)
{
    double *x = numbers(o->size);
    actio_action_guess(o->a, x);
    add_noise(o, x, plus, minus, &seed);
    return x;
}

static inline double *dense_hessian(const struct object *o, const double *x)
{
    double *H = numbers(o->size * o->size), *values = numbers(o->count);
    CHECK(actio_action_hessian(o->a, x, values) == 0);
    for (size_t e = 0; e < o->count; e++) H[o->row[e] * o->size + o->col[e]] += values[e];
    free(values);
    return H;
}

static inline double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static inline const struct actio_action_slice *slice_named(const struct object *o, const char *name)
{
    for (size_t i = 0; i < o->slices; i++)
        if (strcmp(o->slice[i].name, name) == 0) return &o->slice[i];
    printf("    no slice '%s'\n", name);
    CHECK(!"a slice of this name");
    return o->slice;
}

/* ---- motions */

static inline struct actio_table *run_by(const struct object *o, const char *by, size_t grid, int order, size_t points)
{
    struct actio_run_options options = actio_run_options_default();
    options.by = by;
    options.points = points;
    options.no_compile = true;
    options.sigma = o->given.sigma;
    options.barrier = o->given.barrier;
    if (grid) {
        options.grid = grid;
        options.order = order;
    } else options.local = 1e-6;
    struct actio_table *t = actio_run(o->ctx, o->model, &options, o->f);
    if (!t) show_findings(o->f);
    return t;
}

static inline const double *column(const struct actio_table *t, const char *name)
{
    for (size_t c = 0; t && c < actio_table_columns(t); c++)
        if (strcmp(actio_table_name(t, c), name) == 0) return actio_table_data(t, c);
    return NULL;
}

/* The table's column that a slice of the plus sector is, or NULL. */
static inline const double *shown(const struct actio_table *t, const char *slice)
{
    char name[128];
    const char *of = strchr(slice, ' ') + 1;
    if (strncmp(slice, "q+ ", 3) == 0 || strncmp(slice, "s+ ", 3) == 0) return column(t, of);
    snprintf(name, sizeof name, "lambda.%s", of);
    return strncmp(slice, "lambda+ ", 8) == 0 ? column(t, name) : NULL;
}

static inline void put_motion(const struct object *o, const struct actio_table *t, double *x)
{
    for (size_t i = 0; i < o->slices; i++) {
        const double *y = shown(t, o->slice[i].name);
        for (size_t k = 0; y && k < o->points; k++) x[o->slice[i].first + k] = y[k];
    }
}

/* Largest differences of the plus sector from a table, and of the minus sector from 0. */
static inline void compare_with(const struct object *o, const struct actio_table *t, const double *x, double *plus,
                                double *minus)
{
    *plus = *minus = 0;
    for (size_t i = 0; i < o->slices; i++) {
        const struct actio_action_slice *s = &o->slice[i];
        const double *y = shown(t, s->name);
        double size = y ? fmax(1, largest(y, s->count)) : 1;
        for (size_t k = 0; k < s->count; k++) {
            if (y) *plus = fmax(*plus, fabs(x[s->first + k] - y[k]) / size);
            if (parity(s->name) < 0) *minus = fmax(*minus, fabs(x[s->first + k]));
        }
    }
}

#endif
