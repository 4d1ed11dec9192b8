/* SPDX-License-Identifier: Apache-2.0
 * Tables over each other in one picture: how each of them is drawn, which of its columns lie over which line, and the
 * key. */
#include "result/curves.h"
#include "result/plot.h"

#include <math.h>

enum { MOST_DISCS = 80 }; /* of one series: more make a band; of many motions each has fewer */
static const double SAMPLE = 22, LETTER = 11.5, KEY_ROW = 18, KEY_GAP = 16;

/* Marks of further motions; those of one size are distinguished by being open, and each begins at a row of its own. */
static const struct {
    double radius;
    bool hollow;
} marks[] = { { 3, true },   { 2, false },   { 4.2, true }, { 3, false },
              { 5.4, true }, { 1.2, false }, { 1.9, true }, { 4, false } };

/* From light to dark; a single motion is dark. */
static uint32_t shade(size_t number, size_t count)
{
    double at = count > 1 ? (double)number / (double)(count - 1) : 1;
    uint32_t grey = (uint32_t)lround(0xC8 + at * (0x38 - 0xC8));
    return grey << 16 | grey << 8 | grey;
}

void actio_layer_style(const struct actio_picture *picture, size_t layer, struct actio_series *s)
{
    size_t others = picture->layers > 1 ? picture->layers - 1 : 1, number = layer ? layer - 1 : 0;
    s->width = 1.6;
    s->radius = 0;
    if (layer == 0 && !picture->marked) return;
    if (layer) s->label = "";
    if (layer && picture->look == ACTIO_LOOK_SHADES) {
        s->width = 1.2;
        s->colour = shade(number, others);
        return;
    }
    size_t kind = number % (sizeof marks / sizeof *marks);
    s->width = 0;
    s->radius = marks[kind].radius;
    s->hollow = marks[kind].hollow;
    size_t share = MOST_DISCS / ((others + 1) / 2), most = share > 5 ? share : 5;
    s->stride = (s->rows + most - 1) / most;
    if (s->stride == 0) s->stride = 1;
    s->first = s->stride * number / others;
}

static double first_value(const double *y, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (isfinite(y[i])) return y[i];
    return 0;
}

/* A line has the motion between the rows, discs have the rows. */
static void take_curve(struct actio_series *s, const struct actio_table *t, size_t col, size_t across)
{
    const struct actio_curve *curve = actio_curve_of(t, col);
    s->dots = across != ACTIO_WHOLE && !t->curves->joined;
    if (across == ACTIO_WHOLE && !curve) return;
    s->x = across == ACTIO_WHOLE ? curve->t : t->curves->data[across];
    s->y = across == ACTIO_WHOLE ? curve->y : t->curves->data[col];
    s->rows = across == ACTIO_WHOLE ? curve->count : t->curves->rows;
}

void actio_series_against(struct actio_series *s, const struct actio_table *table, size_t across, size_t node,
                          struct actio_arena *arena)
{
    s->x = actio_table_values(table, across, node, arena);
    s->y = actio_table_values(table, s->col, s->node, arena);
    s->rows = table->rows;
    if (table->curves) take_curve(s, table, s->col, across);
}

/* The column of another table that lies over this line; false where it has none. */
static bool over(const struct actio_picture *picture, size_t layer, const char *across, struct actio_series *s,
                 struct actio_arena *arena)
{
    const struct actio_table *first = picture->layer[0].table, *t = picture->layer[layer].table;
    size_t x = actio_table_first(t, ACTIO_ROLE_TIME), node = 0, y = actio_table_find(t, first->col[s->col].name);
    if ((across && !actio_table_cell(t, across, &x, &node)) || x >= t->cols || y >= t->cols || node == ACTIO_WHOLE)
        return false;
    if (t->col[y].nodes ? s->node >= t->col[y].nodes : first->col[s->col].nodes > 0) return false;
    s->x = actio_table_values(t, x, node, arena);
    s->y = actio_table_values(t, y, s->node, arena);
    s->rows = t->rows;
    s->dots = false;
    actio_layer_style(picture, layer, s);
    if (s->width > 0 && t->curves) take_curve(s, t, y, across ? x : ACTIO_WHOLE);
    return true;
}

void actio_panel_join(struct actio_panel *p, const struct actio_picture *picture, const char *across, bool change,
                      struct actio_arena *arena)
{
    struct actio_series *all = actio_arena_array(arena, p->count * picture->layers + 1, sizeof *all);
    size_t n = p->own = p->count;
    for (size_t k = 0; k < n; k++) {
        all[k] = p->series[k];
        all[k].base = change ? first_value(all[k].y, all[k].rows) : 0;
        all[k].width = p->own > ACTIO_MANY_LINES || p->is_log ? 1.1 : 1.6;
        if (picture->marked) actio_layer_style(picture, 0, &all[k]);
    }
    for (size_t layer = 1; layer < picture->layers; layer++)
        for (size_t k = 0; k < p->own; k++) {
            all[n] = all[k];
            n += over(picture, layer, across, &all[n], arena);
        }
    p->series = all;
    p->count = n;
}

/* A short piece of what the table looks like. Colours distinguish columns, so discs here have none. */
static void draw_sample(struct actio_canvas *c, const struct actio_picture *picture, size_t layer, double x, double y)
{
    struct actio_series s = { .colour = picture->look == ACTIO_LOOK_SHADES ? ACTIO_BLUE : ACTIO_INK };
    actio_layer_style(picture, layer, &s);
    if (s.width > 0) actio_canvas_segment(c, x, y, x + SAMPLE, y, s.colour, s.width + .2, false);
    for (int i = 0; i < 2 && s.radius > 0; i++) {
        double at = x + SAMPLE * (i ? .75 : .25);
        if (s.hollow) actio_canvas_ring(c, at, y, s.radius, s.colour);
        else actio_canvas_disc(c, at, y, s.radius, s.colour, 0);
    }
}

double actio_key_draw(struct actio_canvas *c, const struct actio_picture *picture, double left, double right, double y)
{
    if (picture->layers < 2 && !picture->marked) return y;
    double x = left;
    for (size_t layer = 0; layer < picture->layers; layer++) {
        const char *name = actio_text_fit(c->arena, actio_clean_text(picture->layer[layer].name, c->arena), LETTER,
                                          right - left - SAMPLE - 7);
        double width = SAMPLE + 7 + actio_text_width(name, LETTER);
        if (x > left && x + width > right) {
            x = left;
            y += KEY_ROW;
        }
        draw_sample(c, picture, layer, x, y);
        actio_canvas_text(c, x + SAMPLE + 7, y + 4, name, LETTER, -1, ACTIO_INK);
        x += width + KEY_GAP;
    }
    return y + KEY_ROW;
}
