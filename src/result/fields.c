/* SPDX-License-Identifier: Apache-2.0
 * Panels of fields: one over time and place in colours, its shapes at several times. */
#include "result/plot.h"

#include <math.h>
#include <string.h>

enum { SHAPES = 12 };

bool actio_same_axis(const struct actio_column *a, const struct actio_column *b)
{
    return a->nodes && a->nodes == b->nodes && !strcmp(a->axis, b->axis)
           && (a->place == b->place || !memcmp(a->place, b->place, a->nodes * sizeof *a->place));
}

/* The next coordinate on the same nodes, of the same unit. */
size_t actio_field_mate(const struct actio_table *table, size_t col)
{
    const struct actio_column *a = &table->col[col];
    size_t i = col + 1;
    for (; i < table->cols; i++) {
        const struct actio_column *b = &table->col[i];
        if (b->role == a->role && actio_same_axis(a, b) && !strcmp(a->unit ? a->unit : "", b->unit ? b->unit : ""))
            break;
    }
    return i;
}

/* x(s) */
static const char *field_name(const struct actio_table *table, size_t col, struct actio_arena *arena)
{
    const struct actio_column *c = &table->col[col];
    const char *name = actio_pretty_name(c->name, arena), *axis = actio_pretty_name(c->axis, arena);
    return actio_arena_format(arena, "%s(%s)%s", name, axis, c->unique ? "" : "*");
}

static void widen(double x, double *lo, double *hi)
{
    if (!isfinite(x)) return;
    if (!(*lo <= x)) *lo = x;
    if (!(*hi >= x)) *hi = x;
}

/* From the first to the last place of anything on the axis: cells would miss half a cell at each end. */
static void measure_axis(const struct actio_table *table, const char *axis, double *from, double *to)
{
    *from = *to = NAN;
    for (size_t c = 0; c < table->cols; c++) {
        const struct actio_column *col = &table->col[c];
        if (!col->nodes || strcmp(col->axis, axis)) continue;
        widen(col->place[0], from, to);
        widen(col->place[col->nodes - 1], from, to);
    }
}

/* Around 0 where both signs have a good part in it. */
static void measure_values(struct actio_map *m)
{
    const double *x = m->table->data[m->col];
    double lo = NAN, hi = NAN;
    for (size_t i = 0; i < m->table->rows * m->table->col[m->col].nodes; i++)
        if (!m->is_log || x[i] != 0) widen(m->is_log ? log10(fabs(x[i])) : x[i], &lo, &hi);
    m->centred = !m->is_log && lo < 0 && hi > 0 && fmin(-lo, hi) > .15 * fmax(-lo, hi);
    if (m->centred) {
        hi = fmax(-lo, hi);
        lo = -hi;
    }
    m->value = actio_scale_make(lo, hi, m->is_log, 0, 5);
}

void actio_panel_map(struct actio_panel *p, const struct actio_table *table, size_t col, const double *time,
                     struct actio_arena *arena)
{
    const struct actio_column *c = &table->col[col];
    struct actio_map *m = actio_arena_alloc(arena, sizeof *m);
    *m = (struct actio_map){ .table = table, .col = col, .time = time, .is_log = actio_role_is_log(c->role) };
    measure_axis(table, c->axis, &m->from, &m->to);
    measure_values(m);
    const char *note = actio_role_heading(c->role);
    if (m->is_log) note = actio_arena_format(arena, "%s, absolute values", note);
    if (!c->unique) note = actio_arena_format(arena, "%s, * one of many", note);
    *p = (struct actio_panel){ .heading = actio_with_unit(table, field_name(table, col, arena), col, arena),
                               .note = note,
                               .across = "t",
                               .up = actio_pretty_name(c->axis, arena),
                               .over_time = true,
                               .map = m,
                               .up_col = col };
}

static const char *time_label(double t, struct actio_arena *arena)
{
    struct actio_text s;
    char figures[32];
    double unit = t != 0 && isfinite(t) ? pow(10, floor(log10(fabs(t))) - 2) : 1; /* three figures */
    actio_text_open(&s, arena);
    actio_number_text(unit >= 1 ? round(t / unit) * unit : round(t / unit) / round(1 / unit), figures);
    actio_text_format(&s, "t = %s%s", *figures == '-' ? "\xE2\x88\x92" : "", figures + (*figures == '-'));
    return s.s;
}

static const char *film_note(const struct actio_panel *p, const struct actio_table *table, size_t shapes,
                             struct actio_arena *arena)
{
    const struct actio_column *c = &table->col[p->up_col];
    const char *times = actio_arena_format(arena, "at %zu time%s", shapes, shapes == 1 ? "" : "s");
    if (p->across_col == ACTIO_WHOLE || c->nodes < 2) return times;
    return actio_arena_format(arena, "%s, \xE2\x97\x8F %s = %.4g, \xE2\x97\x8B %s = %.4g", times,
                              actio_pretty_name(c->axis, arena), c->place[0], actio_pretty_name(c->axis, arena),
                              c->place[c->nodes - 1]);
}

void actio_panel_film(struct actio_panel *p, const struct actio_table *table, size_t across, size_t up,
                      const double *time, struct actio_arena *arena)
{
    const struct actio_column *c = &table->col[up];
    size_t n = table->rows < SHAPES ? table->rows : SHAPES, nodes = c->nodes;
    const char *y = actio_pretty_name(c->name, arena),
               *x = actio_pretty_name(across == ACTIO_WHOLE ? c->axis : table->col[across].name, arena);
    *p = (struct actio_panel){ .up = actio_with_unit(table, y, up, arena),
                               .series = actio_arena_array(arena, n + 1, sizeof *p->series),
                               .own = n,
                               .count = n,
                               .film = true,
                               .across_col = across,
                               .up_col = up };
    p->across = across == ACTIO_WHOLE ? x : actio_with_unit(table, x, across, arena);
    p->heading = across == ACTIO_WHOLE ? actio_arena_format(arena, "%s along %s", y, x)
                                       : actio_arena_format(arena, "shape (%s, %s)", x, y);
    p->note = film_note(p, table, n, arena);
    p->equal = across != ACTIO_WHOLE && actio_in_scale(table, across, up, 40);
    for (size_t k = 0; k < n; k++) {
        size_t row = n > 1 ? k * (table->rows - 1) / (n - 1) : 0;
        p->series[k] = (struct actio_series){ .x = across == ACTIO_WHOLE ? c->place : table->data[across] + row * nodes,
                                              .y = table->data[up] + row * nodes,
                                              .rows = nodes,
                                              .col = up,
                                              .label = time_label(time[row], arena),
                                              .colour = actio_colour_shade(n > 1 ? (double)k / (double)(n - 1) : 1),
                                              .width = 1.4 };
    }
}
