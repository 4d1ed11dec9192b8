/* SPDX-License-Identifier: Apache-2.0
 * A field over time and place: tiles in colours, and the bar that says what they mean. */
#include "result/plot.h"

#include <math.h>
#include <string.h>

enum { MOST_TILES = 200, LEVELS = 64, NONE = LEVELS }; /* tiles on each axis; a colour; what is not a number */
static const double TICK = 11, GAP = 10, BAR = 12;
static const uint32_t NO_VALUE = 0xBDBDBD;

/* Tiles of one picture: how many, their edges in pixels, their colours. */
struct tiles {
    size_t across, up;
    float *x, *y;
    uint8_t *level;
};

double actio_map_right(const struct actio_map *m, struct actio_arena *arena)
{
    double most = 20, v;
    for (int i = 0; actio_scale_tick(&m->value, i, &v); i++)
        most = fmax(most, actio_text_width(actio_scale_label(&m->value, v, arena), TICK));
    return GAP + BAR + 6 + most + 4;
}

static uint32_t colour_of(const struct actio_map *m, size_t level)
{
    double at = ((double)level + .5) / LEVELS;
    return level == NONE ? NO_VALUE : m->centred ? actio_colour_centred(2 * at - 1) : actio_colour_even(at);
}

static size_t first_of(size_t tile, size_t tiles, size_t count) { return tile * count / tiles; }

/* Mean of a tile; none where most of it is not a number. */
static double mean_of(const struct actio_map *m, const struct tiles *t, size_t i, size_t k)
{
    size_t rows = m->table->rows, nodes = m->table->col[m->col].nodes, good = 0, all = 0;
    double sum = 0;
    for (size_t r = first_of(i, t->across, rows); r < first_of(i + 1, t->across, rows); r++)
        for (size_t s = first_of(k, t->up, nodes); s < first_of(k + 1, t->up, nodes); s++, all++) {
            double x = m->table->data[m->col][r * nodes + s], v = m->is_log ? log10(fabs(x)) : x;
            if (isfinite(v)) {
                sum += v;
                good++;
            }
        }
    return 2 * good >= all && good ? sum / (double)good : NAN;
}

static uint8_t level_of(const struct actio_map *m, double v)
{
    double at = floor(LEVELS * actio_scale_at(&m->value, v));
    return isnan(v) ? NONE : (uint8_t)fmin(fmax(at, 0), LEVELS - 1);
}

/* Edges half way between neighbours, on whole pixels; the outermost are the frame's. */
static float *edges(const struct actio_scale *scale, const double *value, size_t count, size_t tiles, double from,
                    double length, struct actio_arena *arena)
{
    float *e = actio_arena_array(arena, tiles + 1, sizeof *e);
    bool backward = count > 1 && value[count - 1] < value[0];
    for (size_t i = 0; i <= tiles; i++) {
        size_t at = first_of(i, tiles, count);
        double where = i == 0       ? backward
                       : i == tiles ? !backward
                                    : actio_scale_at(scale, value[at - 1] / 2 + value[at] / 2);
        e[i] = (float)round(from + length * where);
    }
    return e;
}

static struct tiles make_tiles(const struct actio_panel *p, struct actio_arena *arena)
{
    const struct actio_map *m = p->map;
    const struct actio_column *c = &m->table->col[m->col];
    const struct actio_box *b = &p->frame;
    struct tiles t = { .across = m->table->rows < MOST_TILES ? m->table->rows : MOST_TILES,
                       .up = c->nodes < MOST_TILES ? c->nodes : MOST_TILES };
    t.x = edges(&p->sx, m->time, m->table->rows, t.across, b->x, b->w, arena);
    t.y = edges(&p->sy, c->place, c->nodes, t.up, b->y + b->h, -b->h, arena);
    t.level = actio_arena_array(arena, t.across * t.up, 1);
    for (size_t k = 0; k < t.up; k++)
        for (size_t i = 0; i < t.across; i++) t.level[k * t.across + i] = level_of(m, mean_of(m, &t, i, k));
    return t;
}

struct boxes {
    float *xywh;
    size_t count, cap;
};

static void add_box(struct boxes *b, float x0, float y0, float x1, float y1, struct actio_arena *arena)
{
    const float box[] = { x0 < x1 ? x0 : x1, y0 < y1 ? y0 : y1, x0 < x1 ? x1 - x0 : x0 - x1,
                          y0 < y1 ? y1 - y0 : y0 - y1 };
    if (box[2] == 0 || box[3] == 0) return;
    for (int i = 0; i < 4; i++) ACTIO_PUSH(arena, b->xywh, b->count, b->cap) = box[i];
}

/* One mark a colour: neighbours over time that have it are one box. */
static void draw_level(struct actio_canvas *canvas, const struct actio_map *m, const struct tiles *t, size_t level,
                       size_t clip)
{
    struct boxes b = { 0 };
    for (size_t k = 0; k < t->up; k++)
        for (size_t i = 0, end; i < t->across; i = end) {
            const uint8_t *row = t->level + k * t->across;
            for (end = i + 1; end < t->across && row[end] == row[i];) end++;
            if (row[i] == level) add_box(&b, t->x[i], t->y[k], t->x[end], t->y[k + 1], canvas->arena);
        }
    if (b.count) actio_canvas_tiles(canvas, b.xywh, b.count / 4, colour_of(m, level), clip);
}

static void frame_in(struct actio_canvas *canvas, const struct actio_box *b)
{
    const double x[] = { b->x, b->x + b->w, b->x + b->w, b->x, b->x },
                 y[] = { b->y, b->y, b->y + b->h, b->y + b->h, b->y };
    for (int i = 0; i < 4; i++) actio_canvas_segment(canvas, x[i], y[i], x[i + 1], y[i + 1], ACTIO_RULE, 1, false);
}

static void draw_bar(struct actio_canvas *canvas, const struct actio_panel *p)
{
    const struct actio_map *m = p->map;
    struct actio_box b = { p->frame.x + p->frame.w + GAP, p->frame.y, BAR, p->frame.h };
    double v;
    for (size_t i = 0; i < LEVELS; i++) {
        float *box = actio_arena_array(canvas->arena, 4, sizeof *box);
        float top = (float)round(b.y + b.h * (1 - (double)(i + 1) / LEVELS)),
              foot = (float)round(b.y + b.h * (1 - (double)i / LEVELS));
        box[0] = (float)b.x;
        box[1] = top;
        box[2] = (float)b.w;
        box[3] = foot - top;
        actio_canvas_tiles(canvas, box, 1, colour_of(m, i), 0);
    }
    frame_in(canvas, &b);
    for (int i = 0; actio_scale_tick(&m->value, i, &v); i++) {
        double y = b.y + b.h * (1 - actio_scale_at(&m->value, v));
        actio_canvas_segment(canvas, b.x + b.w, y, b.x + b.w + 3, y, ACTIO_RULE, 1, false);
        actio_canvas_text(canvas, b.x + b.w + 6, y + 4, actio_scale_label(&m->value, v, canvas->arena), TICK, -1,
                          ACTIO_INK);
    }
}

void actio_map_draw(struct actio_canvas *canvas, const struct actio_panel *p, size_t clip)
{
    struct tiles t = make_tiles(p, canvas->arena);
    for (size_t level = 0; level <= NONE; level++) draw_level(canvas, p->map, &t, level, clip);
    frame_in(canvas, &p->frame);
    draw_bar(canvas, p);
}
