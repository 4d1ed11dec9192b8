/* SPDX-License-Identifier: Apache-2.0
 * The branch of a followed orbit as a table and as a picture: stable parts as lines, unstable ones as discs, what
 * happens on the way as events. */
#include "result/table.h"
#include "orbit/orbits.h"

#include <math.h>
#include <string.h>

enum part { ALL, STABLE, UNSTABLE };
struct drawing {
    struct actio_orbits *o;
    const struct actio_problem *problem;
    enum part part;
    struct actio_table *table;
};

static bool belongs(const struct actio_found *f, enum part part)
{
    return part == ALL || (strcmp(f->stability, "unstable") == 0) == (part == UNSTABLE);
}

/* Neighbours of the other kind belong to a part as well: so lines and discs meet. */
static bool shown(const struct actio_orbits *o, size_t i, enum part part)
{
    return belongs(o->branch[i], part)
           || (part == STABLE
               && ((i && belongs(o->branch[i - 1], part)) || (i + 1 < o->points && belongs(o->branch[i + 1], part))));
}

static void diagram_add_column(struct drawing *d, const char *name, const char *meaning, enum actio_role role,
                               size_t component)
{
    struct actio_table *t = d->table;
    size_t at = t->cols++, ny = d->o->ny;
    t->col[at] = (struct actio_column){ .name = actio_arena_text(&t->arena, name, strlen(name)),
                                        .unit = "",
                                        .meaning = actio_arena_text(&t->arena, meaning, strlen(meaning)),
                                        .latex = "",
                                        .role = role,
                                        .unique = true };
    t->data[at] = actio_arena_array(&t->arena, t->rows + 1, sizeof(double));
    t->error[at] = NAN;
    for (size_t i = 0; i < t->rows; i++) {
        const struct actio_found *f = d->o->branch[i];
        size_t outside = 0;
        for (size_t k = 0; k < f->multipliers; k++) outside += !f->trivial[k] && f->multiplier[k].log_modulus > 0;
        double value = role == ACTIO_ROLE_TIME ? f->param
                       : component < 2 * ny    ? f->mean[2 * ny + component]
                       : component == 2 * ny   ? f->c.period
                                               : (double)outside;
        t->data[at][i] = role == ACTIO_ROLE_TIME || shown(d->o, i, d->part) ? value : NAN;
    }
}

static void diagram_draw(void *user)
{
    struct drawing *d = user;
    const struct actio_orbits *o = d->o;
    const struct actio_system *sys = d->problem->sys;
    struct actio_table *t = d->table = actio_table_create(o->ctx);
    size_t cols = 2 * o->ny + 3, n = sys->n;
    t->col = actio_arena_array(&t->arena, cols, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, cols, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, cols, sizeof *t->error);
    t->rows = o->points;
    diagram_add_column(d, o->followed, actio_arena_format(&t->arena, "%s", o->followed), ACTIO_ROLE_TIME, 0);
    for (size_t i = 0; i < o->ny; i++) {
        if (i >= n && i < 2 * n) continue; /* positions and states */
        enum actio_role role = i < n ? ACTIO_ROLE_COORD : ACTIO_ROLE_STATE;
        diagram_add_column(d, actio_arena_format(&t->arena, "%s_max", o->name[i]), "largest value over the period",
                           role, o->ny + i);
        diagram_add_column(d, actio_arena_format(&t->arena, "%s_min", o->name[i]), "smallest value over the period",
                           role, i);
    }
    diagram_add_column(d, "period", "period", ACTIO_ROLE_OBSERVE, 2 * o->ny);
    if (d->part == ALL)
        diagram_add_column(d, "outside", "multipliers outside of the unit circle", ACTIO_ROLE_OBSERVE, 2 * o->ny + 1);
    for (size_t i = 0; i < o->points; i++) {
        const struct actio_found *f = o->branch[i];
        if (!*f->mark || strcmp(f->mark, "start") == 0 || strcmp(f->mark, "end") == 0) continue;
        ACTIO_PUSH(&t->arena, t->event, t->events, t->events_cap) =
            (struct actio_event){ .t = f->param, .kind = f->mark, .name = f->mark, .value = f->c.period };
    }
    t->from.model =
        actio_arena_text(&t->arena, actio_model_name(d->problem->model), strlen(actio_model_name(d->problem->model)));
    t->from.description =
        actio_arena_format(&t->arena, "periodic orbits along %s: lines are stable, discs are not", o->followed);
    t->from.file = t->from.source = t->from.tier = "";
    t->from.method = "shooting";
    t->from.by = "dalembert";
    t->from.version = actio_version();
    t->reached = t->local_only = true;
    t->local = 1e-10;
    t->energy_drift = NAN;
    t->worst = NAN;
    t->holds_until = o->points ? o->branch[o->points - 1]->param : 0;
}

static struct actio_table *diagram_make(struct actio_orbits *o, const struct actio_problem *problem, enum part part)
{
    struct drawing d = { o, problem, part, NULL };
    if (actio_attempt(o->ctx, diagram_draw, &d) == 0) return d.table;
    actio_table_free(d.table);
    return NULL;
}

int actio_orbit_draw(struct actio_search *s)
{
    struct actio_orbits *o = s->out;
    if (o->points < 2) return 0;
    o->diagram = diagram_make(o, s->problem, ALL);
    o->stable = diagram_make(o, s->problem, STABLE);
    o->unstable = diagram_make(o, s->problem, UNSTABLE);
    if (o->diagram && o->stable && o->unstable) return 0;
    actio_table_free(o->diagram);
    actio_table_free(o->stable);
    actio_table_free(o->unstable); /* no part of it without the others */
    o->diagram = o->stable = o->unstable = NULL;
    return 1;
}

static bool is_empty(const struct actio_table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        if (isfinite(t->data[1][i])) return false;
    return true;
}

int actio_orbits_plot_inside(struct actio_context *ctx, const struct actio_orbits *o, const char *axes,
                             const char *path, struct actio_findings *f)
{
    if (!o->diagram) return o->count ? actio_plot_write(ctx, o->table[0], axes, path, f) : 0;
    struct actio_layer layer[2] = { { o->stable, "stable" }, { o->unstable, "unstable" } };
    bool only_unstable = is_empty(o->stable), only_stable = is_empty(o->unstable);
    struct actio_picture picture = { .layer = only_unstable ? layer + 1 : layer,
                                     .layers = only_unstable || only_stable ? 1 : 2,
                                     .look = ACTIO_LOOK_DISCS,
                                     .marked = only_unstable,
                                     .axes = axes };
    actio_picture_write(ctx, &picture, path, f);
    return f->status;
}
