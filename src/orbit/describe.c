/* SPDX-License-Identifier: Apache-2.0
 * The report of an orbit: its multipliers and stability, its differences from others, and its motion over one
 * period. */
#include "result/table.h"
#include "orbit/orbits.h"

#include "algebra/dense.h"
#include "solve/law.h"
#include "solve/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEAN_SAMPLES = 257 };

void actio_found_free(struct actio_context *ctx, struct actio_found *f)
{
    if (!f) return;
    actio_circuit_close(&f->c, ctx);
    actio_free(ctx, f->multiplier);
    actio_free(ctx, (void *)f->trivial);
    actio_free(ctx, f->mean);
    actio_free(ctx, f);
}

/* ---- states and columns along the orbit */

int actio_orbit_sample(struct actio_search *s, const struct actio_circuit *c, size_t count, double *times, double *y)
{
    size_t ny = s->o.ny, r = 0;
    double *part = actio_alloc(s->problem->ctx, count * ny + 1, sizeof *part);
    int status = part ? 0 : ACTIO_MARCH_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        times[k] = s->o.t0 + c->period * (k + 1 == count ? 1 : (double)k / (double)(count - 1));
    actio_tangent_rewind(&s->o.x);
    for (size_t i = 0; i < c->nodes && !status; i++) {
        double from = actio_orbit_time(&s->o, c, i), end = actio_orbit_time(&s->o, c, i + 1);
        size_t first = r;
        while (r < count && (times[r] < end || i + 1 == c->nodes)) r++;
        if (r == first) continue;
        size_t got = actio_tangent_sample(&s->o.x, from, c->y + i * ny, times + first, r - first, part,
                                          fmax(1e-14, 0.1 * s->tol), &status);
        for (size_t k = 0; k < got; k++)
            for (size_t j = 0; j < ny; j++) y[j * count + first + k] = part[j * (r - first) + k];
    }
    actio_free(s->problem->ctx, part);
    return status;
}

struct along {
    struct actio_rows rows;
    double *times, *column;
    size_t count;
};

static void close_along(struct actio_search *s, struct along *a)
{
    actio_rows_close(&a->rows);
    actio_free(s->problem->ctx, a->times);
    actio_free(s->problem->ctx, a->column);
}

/* All columns at equal times. 0, or 1. */
static int columns_along(struct actio_search *s, const struct actio_circuit *c, size_t count, struct along *a)
{
    struct actio_motion *m = &s->problem->motion;
    *a = (struct along){ .count = count };
    a->times = actio_alloc(s->problem->ctx, count + 1, sizeof *a->times);
    if (!a->times || actio_rows_open(&a->rows, m, a->times, count, false)) return 1;
    a->column = actio_rows_columns(&a->rows, count);
    if (!a->column || actio_orbit_sample(s, c, count, a->times, a->rows.y)) return 1;
    return actio_rows_evaluate(&a->rows, count, a->column, count, false) != ACTIO_FLOW_OK;
}

/* ---- what the motion keeps */

bool actio_orbit_is_cyclic(const struct actio_search *s, size_t i)
{
    const struct actio_system *sys = s->problem->sys;
    const struct actio_places *list[] = { &sys->jets.equations_y, &sys->jets.levels_y, &sys->jets.guards_y,
                                          &sys->jets.resets_y };
    for (size_t a = 0; a < sys->resets.assigns; a++)
        if (sys->resets.target[a] == i) return false;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (size_t e = 0; e < list[k]->count; e++)
            if (list[k]->col[e] == i) return false;
    return true;
}

/* Contacts that take no energy. */
static bool all_elastic(const struct actio_search *s)
{
    static const enum actio_space moving[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_STATE, ACTIO_SPACE_T };
    struct actio_model *m = s->problem->model;
    bool elastic = true;
    for (size_t i = 0; i < s->problem->sys->walls.contacts; i++) {
        for (size_t k = 0; k < sizeof moving / sizeof *moving; k++)
            elastic = elastic && !actio_uses(&m->pool, m->contact[i].restitution, moving[k]);
        elastic = elastic && actio_model_number(m, m->contact[i].restitution) == 1;
    }
    return elastic;
}

/* Energy, where nothing drives the motion or brakes it: it is kept by neighbours, too. */
bool actio_orbit_conserves(const struct actio_search *s)
{
    const struct actio_model *m = s->problem->model;
    return m->has_lagrangian && !m->forces && actio_is_zero(m->dissipation) && !m->states && !s->timed
           && !m->resets.lines && all_elastic(s);
}

/* The largest value of samples over a period, by a parabola through the three around it; sign -1: the smallest. */
static double extreme(const double *x, size_t count, double sign)
{
    size_t best = 0, last = count - 1; /* the last sample is the first */
    for (size_t k = 1; k < last; k++)
        if (sign * x[k] > sign * x[best]) best = k;
    double before = x[best ? best - 1 : last - 1], now = x[best], after = x[best + 1], bend = before - 2 * now + after;
    return sign * bend < 0 ? now - 0.125 * (after - before) * (after - before) / bend : now;
}

/* Means of the components and of their squares: the same along mirror images but for signs. */
static int means_of(struct actio_search *s, struct actio_found *f)
{
    size_t ny = s->o.ny;
    double *times = actio_alloc(s->problem->ctx, MEAN_SAMPLES * (ny + 1) + 1, sizeof *times),
           *y = times ? times + MEAN_SAMPLES : NULL;
    int bad = !times || actio_orbit_sample(s, &f->c, MEAN_SAMPLES, times, y);
    f->mean = actio_alloc(s->problem->ctx, 4 * ny + 1, sizeof *f->mean);
    for (size_t i = 0; !bad && f->mean && i < ny; i++)
        for (size_t k = 0; k + 1 < MEAN_SAMPLES; k++) {
            double v = y[i * MEAN_SAMPLES + k];
            f->mean[i] += v / (MEAN_SAMPLES - 1);
            f->mean[ny + i] += v * v / (MEAN_SAMPLES - 1);
        }
    for (size_t i = 0; !bad && f->mean && i < ny; i++) {
        f->mean[2 * ny + i] = extreme(y + i * MEAN_SAMPLES, MEAN_SAMPLES, -1);
        f->mean[3 * ny + i] = extreme(y + i * MEAN_SAMPLES, MEAN_SAMPLES, 1);
    }
    actio_free(s->problem->ctx, times);
    return bad || !f->mean;
}

int actio_orbit_describe(struct actio_search *s, struct actio_found *f)
{
    struct actio_context *ctx = s->problem->ctx;
    struct actio_turn turn;
    size_t d = s->o.d;
    f->stability = "";
    f->mark = f->mark ? f->mark : "";
    f->multiplier = actio_alloc(ctx, d + 1, sizeof *f->multiplier);
    f->trivial = actio_alloc(ctx, d + 1, sizeof *f->trivial);
    if (!f->multiplier || !f->trivial) return 1;
    actio_tangent_direct(&s->o.x, NULL);
    int bad = actio_orbit_linearise(&s->o, &f->c, fmax(1e-14, 0.1 * s->tol), &turn);
    int lost = bad ? 0 : actio_orbit_multipliers(s, f, &turn);
    actio_turn_close(&turn, ctx);
    if (lost || bad == ACTIO_ORBIT_STOPPED || bad == ACTIO_ORBIT_NO_MEMORY) return 1;
    for (size_t i = 0; i < f->multipliers; i++)
        s->conservative = s->conservative || (f->trivial[i] && strcmp(f->trivial[i], "energy") == 0);
    if (f->multipliers) f->stability = actio_found_stability(f);
    return means_of(s, f);
}

bool actio_orbit_is_family(const struct actio_search *s, const struct actio_found *f)
{
    size_t ones = 0;
    for (size_t i = 0; i < f->multipliers; i++) ones += hypot(f->multiplier[i].re - 1, f->multiplier[i].im) < 1e-3;
    return ones > (size_t)s->o.free_period;
}

/* ---- the same orbit? */

static bool same_means(const struct actio_search *s, const struct actio_found *a, const struct actio_found *b,
                       bool mirrored)
{
    for (size_t i = 0; i < s->o.ny; i++) {
        double size = sqrt(a->mean[s->o.ny + i]) + 1e-6 * s->o.scale[i],
               other = mirrored && s->mirror[i] ? -b->mean[i] : b->mean[i];
        if (fabs(a->mean[i] - other) > 1e-5 * size
            || fabs(a->mean[s->o.ny + i] - b->mean[s->o.ny + i]) > 1e-5 * size * size)
            return false;
    }
    return true;
}

bool actio_orbit_same(const struct actio_search *s, const struct actio_found *a, const struct actio_found *b)
{
    if (fabs(a->c.period - b->c.period) > 1e-7 * a->c.period) return false;
    return same_means(s, a, b, false) || (s->has_mirror && same_means(s, a, b, true));
}

int actio_orbit_keep(struct actio_search *s, struct actio_found *f)
{
    struct actio_orbits *out = s->out;
    if (out->count == out->room) {
        size_t room = out->room ? 2 * out->room : 16;
        struct actio_found **more = actio_alloc(s->problem->ctx, room, sizeof *more);
        if (!more) {
            actio_found_free(s->problem->ctx, f);
            return 1;
        }
        if (out->count) memcpy(more, out->orbit, out->count * sizeof *more);
        actio_free(s->problem->ctx, out->orbit);
        out->orbit = more;
        out->room = room;
    }
    out->orbit[out->count++] = f;
    return 0;
}

/* ---- its motion as a table */

struct filling {
    struct actio_search *s;
    const struct actio_found *f;
    struct along *a;
    struct actio_table *table;
};

static const char *kept_text(struct actio_table *t, const char *x)
{
    return actio_arena_text(&t->arena, x ? x : "", x ? strlen(x) : 0);
}

static void describe_fill(void *user)
{
    struct filling *x = user;
    struct actio_problem *problem = x->s->problem;
    const struct actio_system *sys = problem->sys;
    struct actio_table *t = x->table = actio_table_create(problem->ctx);
    t->cols = sys->output.columns;
    t->rows = x->a->count;
    t->col = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->error);
    for (size_t c = 0; c < t->cols; c++) {
        const struct actio_system_column *from = &sys->output.column[c];
        t->col[c] = (struct actio_column){ .name = kept_text(t, from->name),
                                           .unit = kept_text(t, from->unit),
                                           .meaning = kept_text(t, from->meaning),
                                           .latex = "",
                                           .role = (enum actio_role)from->role,
                                           .unique = true };
        t->data[c] = actio_arena_array(&t->arena, t->rows + 1, sizeof(double));
        memcpy(t->data[c], x->a->column + c * x->a->count, t->rows * sizeof(double));
        t->error[c] = NAN;
    }
    t->from.model = kept_text(t, actio_model_name(problem->model));
    t->from.file = kept_text(t, problem->model->source.file);
    t->from.source = actio_arena_text(&t->arena, problem->model->source.text, problem->model->source.length);
    t->from.description = actio_arena_format(&t->arena, "%s%speriodic orbit, period %.15g", x->f->word,
                                             *x->f->word ? ": " : "", x->f->c.period);
    t->from.by = kept_text(t, problem->options.by);
    t->from.method = kept_text(t, x->s->out->method);
    t->from.version = actio_version();
    t->from.tier = "";
    t->reached = true;
    t->tol = x->s->tol;
    t->local = x->f->reported.local;
    t->holds_until = x->a->times[t->rows - 1];
    t->energy_drift = NAN;
    t->worst = NAN;
    t->local_only = true;
}

struct actio_table *actio_orbit_table(struct actio_search *s, const struct actio_found *f, size_t points)
{
    struct along a;
    struct filling x = { s, f, &a, NULL };
    int bad = columns_along(s, &f->c, points < 2 ? 2 : points, &a);
    if (!bad && actio_attempt(s->problem->ctx, describe_fill, &x)) {
        actio_table_free(x.table);
        x.table = NULL;
    }
    close_along(s, &a);
    return x.table;
}
