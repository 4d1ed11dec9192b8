/* SPDX-License-Identifier: Apache-2.0
 * A field in motion: one panel whose shape moves, as SVG that needs no script; where it can't move it is the first
 * shape. */
#include "result/plot.h"

#include <math.h>
#include <string.h>

enum { MOST_FRAMES = 120, MOST_VERTICES = 200, MOST_TIMES = 40 };
static const double WIDTH = 720, EDGE = 18, SHORTEST = 2, LONGEST = 20;

struct animation {
    const struct actio_table *table;
    const char *axes;
    struct actio_arena arena;
    struct actio_findings *f;
    struct actio_canvas canvas;
    struct actio_frames frames;
    const double *time; /* rows of the frames, nodes of the vertices */
    size_t *row, *vertex, vertices;
    bool made;
};

/* Evenly chosen ones of `count`, the first and the last among them. */
static size_t *chosen(struct actio_arena *arena, size_t count, size_t most, size_t *n)
{
    *n = count < most ? count : most;
    size_t *list = actio_arena_array(arena, *n + 1, sizeof *list);
    for (size_t i = 0; i < *n; i++) list[i] = *n > 1 ? i * (count - 1) / (*n - 1) : 0;
    return list;
}

/* The shape requested, or the first field requested along its axis; by default that of the coordinates. */
static bool animate_choose(struct animation *a, struct actio_panel *out)
{
    struct actio_layer layer = { a->table, "" };
    struct actio_picture picture = { .layer = &layer, .layers = 1, .axes = a->axes };
    size_t n = 0, at = 0;
    struct actio_panel *p = actio_panels_choose(&picture, &a->arena, a->f, &n);
    if (!p) return false;
    while (at < n && !p[at].film) at++;
    for (size_t i = 0; at == n && i < n; i++)
        if (p[i].map) actio_panel_film(&p[at = i], a->table, ACTIO_WHOLE, p[i].up_col, a->time, &a->arena);
    if (at == n || a->table->rows == 0) {
        actio_report(a->f, ACTIO_F_NO_FIELD, ACTIO_ARGS(ACTIO_TEXT(a->table->from.model ? a->table->from.model : "")));
        return false;
    }
    *out = p[at];
    return true;
}

/* Every frame is drawn, not only the shapes of the still picture: all of them must be in the frame. */
static void all_frames(struct animation *a, struct actio_panel *p)
{
    const struct actio_column *c = &a->table->col[p->up_col];
    struct actio_series *s = actio_arena_array(&a->arena, a->frames.count, sizeof *s);
    for (size_t k = 0; k < a->frames.count; k++) {
        size_t from = a->row[k] * c->nodes;
        s[k] =
            (struct actio_series){ .x = p->across_col == ACTIO_WHOLE ? c->place : a->table->data[p->across_col] + from,
                                   .y = a->table->data[p->up_col] + from,
                                   .rows = c->nodes,
                                   .label = "",
                                   .width = 2 };
    }
    p->series = s;
    p->own = 0;
    p->count = a->frames.count;
}

static void time_frames(struct animation *a)
{
    double *key = actio_arena_array(&a->arena, a->frames.count, sizeof *key), length;
    double begin = a->time[a->row[0]], whole = fabs(a->time[a->row[a->frames.count - 1]] - begin);
    for (size_t k = 0; k < a->frames.count; k++) {
        length = fabs(a->time[a->row[k]] - begin);
        key[k] = whole > 0 && isfinite(whole) ? fmin(length / whole, 1)
                 : a->frames.count > 1        ? (double)k / (double)(a->frames.count - 1)
                                              : 0;
    }
    a->frames.key = key;
    a->frames.seconds = isfinite(whole) ? fmin(fmax(whole, SHORTEST), LONGEST) : SHORTEST;
}

/* Vertices that are not numbers lie on their neighbour before, so that every frame has as many; a frame of none repeats
 * the one before. */
static void place_vertices(const struct animation *a, const struct actio_panel *p, const struct actio_series *s,
                           float *xy, const float *before)
{
    const struct actio_box *b = &p->frame;
    bool any = false;
    for (size_t i = 0; i < a->vertices; i++) {
        double x = s->x[a->vertex[i]], y = s->y[a->vertex[i]];
        if (!isfinite(x) || !isfinite(y)) {
            if (any) {
                xy[2 * i] = xy[2 * i - 2];
                xy[2 * i + 1] = xy[2 * i - 1];
            }
            continue;
        }
        xy[2 * i] = (float)(b->x + b->w * actio_scale_at(&p->sx, x));
        xy[2 * i + 1] = (float)(b->y + b->h * (1 - actio_scale_at(&p->sy, y)));
        for (size_t j = 0; j < i && !any; j++) {
            xy[2 * j] = xy[2 * i];
            xy[2 * j + 1] = xy[2 * i + 1];
        }
        any = true;
    }
    if (!any && before) memcpy(xy, before, 2 * a->vertices * sizeof *xy);
    for (size_t i = 0; i < a->vertices && !any && !before; i++) {
        xy[2 * i] = (float)b->x;
        xy[2 * i + 1] = (float)(b->y + b->h);
    }
}

/* The mark drawn last moves, unless there is one frame only. */
static void animate_move(struct animation *a, const float *xy)
{
    struct actio_mark *m = &a->canvas.mark[a->canvas.marks - 1];
    m->xy = xy;
    m->frames = a->frames.count > 1 ? &a->frames : NULL;
}

/* A disc where the axis begins, a ring where it ends. */
static void end_mark(struct animation *a, const float *xy, size_t vertex, bool hollow)
{
    float *at = actio_arena_array(&a->arena, 2 * a->frames.count, sizeof *at);
    for (size_t k = 0; k < a->frames.count; k++)
        memcpy(at + 2 * k, xy + 2 * (k * a->vertices + vertex), 2 * sizeof *at);
    actio_canvas_disc(&a->canvas, at[0], at[1], 4, hollow ? 0xFFFFFF : actio_colour_shade(1), 0);
    animate_move(a, at);
    if (!hollow) return;
    actio_canvas_ring(&a->canvas, at[0], at[1], 4, actio_colour_shade(1));
    animate_move(a, at);
}

static void draw_shape(struct animation *a, const struct actio_panel *p)
{
    float *xy = actio_arena_array(&a->arena, 2 * a->frames.count * a->vertices, sizeof *xy);
    for (size_t k = 0; k < a->frames.count; k++)
        place_vertices(a, p, &p->series[k], xy + 2 * k * a->vertices, k ? xy + 2 * (k - 1) * a->vertices : NULL);
    actio_canvas_line(&a->canvas, xy, a->vertices, actio_colour_shade(.75), 2.2, 0);
    animate_move(a, xy);
    if (p->across_col == ACTIO_WHOLE && a->vertices > 1) return;
    end_mark(a, xy, 0, false);
    if (a->vertices > 1) end_mark(a, xy, a->vertices - 1, true);
}

/* A few dozen texts, each in its turn. */
static void draw_times(struct animation *a, double right, double y)
{
    size_t n, *frame = chosen(&a->arena, a->frames.count, MOST_TIMES, &n);
    double first = a->time[a->row[0]], last = a->time[a->row[a->frames.count - 1]],
           step = n > 1 ? fabs(last - first) / (double)(n - 1) : 1;
    struct actio_scale s = actio_scale_make(fmin(first, last), fmax(first, last), false, 0,
                                            step > 0 ? fmax(2, fabs(last - first) / step) : 2);
    const char *note = actio_scale_note(&s, &a->arena);
    for (size_t i = 0; i < n; i++) {
        const char *label =
            actio_arena_format(&a->arena, "t = %s%s%s", actio_scale_label(&s, a->time[a->row[frame[i]]], &a->arena),
                               *note ? " " : "", note);
        struct actio_mark *m = actio_canvas_text(&a->canvas, right, y, label, 13, 1, ACTIO_INK);
        if (a->frames.count > 1) {
            m->frames = &a->frames;
            m->frame = frame[i];
            m->until = i + 1 < n ? frame[i + 1] : a->frames.count;
        }
    }
}

static double draw_title(struct animation *a)
{
    struct actio_canvas *c = &a->canvas;
    const char *name = actio_clean_text(a->table->from.model, &a->arena),
               *text = actio_clean_text(a->table->from.description, &a->arena);
    c->title = *name ? name : "motion";
    c->summary = text;
    actio_canvas_text(c, EDGE, 26, actio_text_fit(&a->arena, c->title, 17, WIDTH - 2 * EDGE - 130), 17, -1, ACTIO_INK)
        ->bold = true;
    if (!*text) return 40;
    actio_canvas_text(c, EDGE, 46, actio_text_fit(&a->arena, text, 12.5, WIDTH - 2 * EDGE), 12.5, -1, ACTIO_GREY);
    return 58;
}

static void animate_draw(void *user)
{
    struct animation *a = user;
    struct actio_panel p;
    size_t time = actio_table_first(a->table, ACTIO_ROLE_TIME);
    double *numbers = actio_arena_array(&a->arena, a->table->rows + 1, sizeof *numbers);
    for (size_t i = 0; i < a->table->rows; i++) numbers[i] = (double)i;
    a->time = time < a->table->cols ? a->table->data[time] : numbers;
    if (!animate_choose(a, &p)) return;
    a->row = chosen(&a->arena, a->table->rows, MOST_FRAMES, &a->frames.count);
    a->vertex = chosen(&a->arena, a->table->col[p.up_col].nodes, MOST_VERTICES, &a->vertices);
    time_frames(a);
    all_frames(a, &p);
    actio_canvas_open(&a->canvas, &a->arena, WIDTH, 0);
    actio_canvas_box(&a->canvas, (struct actio_box){ 0, 0, WIDTH, 0 }, 0xFFFFFF, 1);
    double top = draw_title(a);
    a->canvas.height = a->canvas.mark[0].box.h = top + 500;
    p.cell = (struct actio_box){ EDGE, top, WIDTH - 2 * EDGE, 500 };
    actio_panel_scale(&p, p.cell.w - 60, 420);
    double left = actio_panel_left(&p, &a->arena);
    p.frame = (struct actio_box){ EDGE + left, top + 26, p.cell.w - left - 12, 420 };
    if (p.equal) actio_panel_fit(&p);
    p.film = false;
    p.note = "";
    actio_panel_stage(&a->canvas, &p);
    draw_shape(a, &p);
    draw_times(a, WIDTH - EDGE, 26);
    a->made = true;
}

static void animate_check(void *user)
{
    struct animation *a = user;
    struct actio_panel p;
    a->time = a->table->data[0];
    a->made = animate_choose(a, &p);
}

static void check_axes(void *user)
{
    struct animation *a = user;
    struct actio_layer layer = { a->table, "" };
    struct actio_picture picture = { .layer = &layer, .layers = 1, .axes = a->axes };
    size_t n = 0;
    a->made = actio_panels_choose(&picture, &a->arena, a->f, &n) != NULL;
}

int actio_axes_check(struct actio_context *ctx, const struct actio_table *table, const char *axes, bool animate,
                     struct actio_findings *f)
{
    struct animation a = { .table = table, .axes = axes, .f = f };
    actio_arena_open(&a.arena, ctx);
    int bad = actio_attempt(ctx, animate ? animate_check : check_axes, &a) != 0 || !a.made;
    actio_arena_close(&a.arena);
    return bad;
}

int actio_animation_write(struct actio_context *ctx, const struct actio_table *table, const char *axes,
                          const char *path, struct actio_findings *f)
{
    struct animation a = { .table = table, .axes = axes, .f = f };
    if (!actio_ends_with(path, actio_canvas_svg.ending)) {
        actio_report(f, ACTIO_F_UNKNOWN_ENDING, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(actio_canvas_svg.ending)));
        return 1;
    }
    struct actio_findings *outer = ctx->findings;
    ctx->findings = f;
    actio_arena_open(&a.arena, ctx);
    int bad = actio_attempt(ctx, animate_draw, &a) != 0 || !a.made;
    if (!bad) bad = actio_canvas_svg.write(ctx, &a.canvas, path, f);
    actio_arena_close(&a.arena);
    ctx->findings = outer;
    return bad;
}
