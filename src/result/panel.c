/* SPDX-License-Identifier: Apache-2.0
 * One panel: grid, axes, lines thinned to the pixels, discs, and a label at the end of each line. */
#include "result/plot.h"
#include "result/strokes.h"

#include <math.h>
#include <stdlib.h>

/* from the frame to a label */
static const double LETTER = 11.5, TICK = 11, LABEL_STEP = 13, LABEL_MOST = 120, LINE_KEY = 12, FILM_KEY = 26;

/* The value that is drawn; false where there is none. */
static bool panel_value_at(const struct actio_panel *p, const struct actio_series *s, size_t i, double *v)
{
    double y = s->y[i];
    if (!isfinite(y) || !isfinite(s->x[i]) || (p->is_log && y == 0) || (p->log_across && !(s->x[i] > 0))) return false;
    *v = p->is_log ? log10(fabs(y)) : y - s->base;
    return true;
}

static double across_at(const struct actio_panel *p, const struct actio_series *s, size_t i)
{
    return p->log_across ? log10(s->x[i]) : s->x[i];
}
static size_t rows_of(const struct actio_panel *p)
{
    return p->map ? p->map->table->rows : p->count ? p->series[0].rows : 0;
}
static bool has_key(const struct actio_panel *p) { return p->own > ACTIO_MANY_LINES || p->film; }

static void widen(double x, double *lo, double *hi)
{
    if (!isfinite(x)) return;
    if (!(*lo <= x)) *lo = x;
    if (!(*hi >= x)) *hi = x;
}

/* Widens the shorter range so that a unit has the same length on both axes. */
static void make_equal(struct actio_panel *p, double width, double height)
{
    struct actio_scale *a = &p->sx, *b = &p->sy;
    double unit = fmax((a->hi - a->lo) / width, (b->hi - b->lo) / height);
    double more_x = (unit * width - (a->hi - a->lo)) / 2, more_y = (unit * height - (b->hi - b->lo)) / 2;
    a->lo -= more_x;
    a->hi += more_x;
    b->lo -= more_y;
    b->hi += more_y;
    double ticks = fmax(2, fmin(width, height) / 60), least = fmin(a->hi - a->lo, b->hi - b->lo);
    actio_scale_retick(a, ticks * (a->hi - a->lo) / least);
    actio_scale_retick(b, ticks * (b->hi - b->lo) / least);
}

/* A tall path gets a square frame in the middle rather than empty sides. */
void actio_panel_fit(struct actio_panel *p)
{
    struct actio_box *b = &p->frame;
    double ratio = (p->sx.hi - p->sx.lo) / (p->sy.hi - p->sy.lo), width = b->h * fmax(1.25, ratio);
    if (width < b->w) {
        b->x += (b->w - width) / 2;
        b->w = width;
    }
    actio_panel_scale(p, b->w, b->h);
    make_equal(p, b->w, b->h);
}

void actio_panel_scale(struct actio_panel *p, double width, double height)
{
    double xlo = NAN, xhi = NAN, lo = NAN, hi = NAN, v;
    if (p->map) {
        for (size_t i = 0; i < p->map->table->rows; i++) widen(p->map->time[i], &xlo, &xhi);
        p->sx = actio_scale_make(xlo, xhi, false, 0, fmax(2, width / 80));
        p->sy = actio_scale_make(p->map->from, p->map->to, false, 0, fmax(2, height / 42));
        actio_scale_retick(&p->map->value, fmax(2, height / 42));
        return;
    }
    for (size_t k = 0; k < p->count; k++) {
        const struct actio_series *s = &p->series[k];
        /* what is drawn */
        for (size_t i = s->width > 0 ? 0 : s->first; i<s->rows; i += s->width> 0 ? 1 : s->stride) {
            widen(across_at(p, s, i), &xlo, &xhi);
            if (panel_value_at(p, s, i, &v)) widen(v, &lo, &hi);
        }
    }
    /* motions over each other: one line */
    if (p->count > p->own && !p->is_log && hi - lo <= 1e-9 * fmax(fabs(lo), fabs(hi))) lo = hi = lo / 2 + hi / 2;
    p->sx = actio_scale_make(xlo, xhi, p->log_across, p->over_time ? 0 : .04, fmax(2, width / 80));
    p->sy = actio_scale_make(lo, hi, p->is_log, .06, fmax(2, height / 42));
}

double actio_panel_left(const struct actio_panel *p, struct actio_arena *arena)
{
    double most = 20, v;
    for (int i = 0; actio_scale_tick(&p->sy, i, &v); i++)
        most = fmax(most, actio_text_width(actio_scale_label(&p->sy, v, arena), TICK));
    return most + 10 + (*p->up ? 18 : 0);
}

double actio_panel_right(const struct actio_panel *p, struct actio_arena *arena)
{
    double most = 0;
    if (p->map) return actio_map_right(p->map, arena);
    for (size_t k = 0; k < p->own; k++) most = fmax(most, actio_text_width(p->series[k].label, LETTER));
    return most > 0 ? fmin(most, LABEL_MOST) + (p->film ? FILM_KEY : LINE_KEY) + 4 : 12;
}

static double px(const struct actio_panel *p, double x) { return p->frame.x + p->frame.w * actio_scale_at(&p->sx, x); }

static double py(const struct actio_panel *p, double y)
{
    double at = fmin(fmax(actio_scale_at(&p->sy, y), -50), 50);
    return p->frame.y + p->frame.h * (1 - at);
}

static void draw_line(struct actio_canvas *canvas, const struct actio_panel *p, const struct actio_series *s,
                      size_t clip)
{
    struct actio_stroke *stroke = actio_stroke_begin(canvas, s->rows, p->over_time);
    double v;
    for (size_t i = 0; i < s->rows; i++) {
        if (p->is_log && s->y[i] == 0) continue; /* no place on a log scale, no reason to break the line */
        if (!panel_value_at(p, s, i, &v)) {
            actio_stroke_lift(stroke);
            continue;
        }
        struct actio_stroke_point at = { (float)px(p, across_at(p, s, i)), (float)py(p, v) };
        actio_stroke_to(stroke, at, i && s->x[i] == s->x[i - 1]);
    }
    actio_stroke_end(stroke, s->colour, s->width, clip, !s->dots);
}

/* Whole or absent: a disc on the edge of the frame is not cut. */
static void draw_discs(struct actio_canvas *canvas, const struct actio_panel *p, const struct actio_series *s)
{
    const struct actio_box *b = &p->frame;
    double v;
    for (size_t i = s->first; i < s->rows; i += s->stride) {
        if (!panel_value_at(p, s, i, &v)) continue;
        double x = px(p, across_at(p, s, i)), y = py(p, v);
        if (x < b->x - 1 || x > b->x + b->w + 1 || y < b->y - 1 || y > b->y + b->h + 1) continue;
        if (s->hollow) actio_canvas_ring(canvas, x, y, s->radius, s->colour);
        else actio_canvas_disc(canvas, x, y, s->radius, s->colour, 0);
    }
}

static void draw_ticks_across(struct actio_canvas *canvas, const struct actio_panel *p)
{
    const struct actio_box *b = &p->frame;
    double v;
    for (int i = 0; actio_scale_tick(&p->sx, i, &v); i++) {
        actio_canvas_segment(canvas, px(p, v), b->y, px(p, v), b->y + b->h, ACTIO_GRID, 1, false);
        actio_canvas_text(canvas, px(p, v), b->y + b->h + 15, actio_scale_label(&p->sx, v, canvas->arena), TICK, 0,
                          ACTIO_INK);
    }
}

static void draw_ticks_up(struct actio_canvas *canvas, const struct actio_panel *p)
{
    const struct actio_box *b = &p->frame;
    double v;
    for (int i = 0; actio_scale_tick(&p->sy, i, &v); i++) {
        bool zero = !p->is_log && fabs(v) < 1e-9 * p->sy.step;
        actio_canvas_segment(canvas, b->x, py(p, v), b->x + b->w, py(p, v), zero ? 0xC4C4C4 : ACTIO_GRID, 1, false);
        actio_canvas_text(canvas, b->x - 7, py(p, v) + 4, actio_scale_label(&p->sy, v, canvas->arena), TICK, 1,
                          ACTIO_INK);
    }
}

static void draw_axes(struct actio_canvas *canvas, const struct actio_panel *p, bool any)
{
    const struct actio_box *b = &p->frame;
    if (rows_of(p)) draw_ticks_across(canvas, p);
    if (any) draw_ticks_up(canvas, p);
    actio_canvas_segment(canvas, b->x, b->y + b->h, b->x + b->w, b->y + b->h, ACTIO_RULE, 1, false);
    actio_canvas_segment(canvas, b->x, b->y, b->x, b->y + b->h, ACTIO_RULE, 1, false);
}

static void draw_words(struct actio_canvas *canvas, const struct actio_panel *p)
{
    const struct actio_box *b = &p->frame;
    const char *scale = actio_scale_note(p->map ? &p->map->value : &p->sy, canvas->arena),
               *across = actio_scale_note(&p->sx, canvas->arena);
    double used = actio_text_width(p->heading, 12.5) * 1.08 + 8;
    const char *note = actio_arena_format(canvas->arena, "%s%s%s", p->note, *scale && *p->note ? ", " : "", scale);
    const char *heading = actio_text_fit(canvas->arena, p->heading, 13.5, p->cell.w - 6);
    actio_canvas_text(canvas, b->x, b->y - 8, heading, 12.5, -1, ACTIO_INK)->bold = true;
    if (*note && used < b->w)
        actio_canvas_text(canvas, b->x + used, b->y - 8, actio_text_fit(canvas->arena, note, 11, p->cell.w - used), 11,
                          -1, ACTIO_GREY);
    if (*p->across) {
        const char *name = actio_arena_format(canvas->arena, *across ? "%s  (%s)" : "%s", p->across, across);
        actio_canvas_text(canvas, b->x + b->w / 2, b->y + b->h + 31, name, 12, 0, ACTIO_INK);
    }
    if (*p->up)
        actio_canvas_text(canvas, b->x - actio_panel_left(p, canvas->arena) + 10, b->y + b->h / 2, p->up, 12, 0,
                          ACTIO_INK)
            ->upward = true;
}

/* Events, and the part of the motion for which the accuracy requested is not claimed. */
static void draw_times(struct actio_canvas *canvas, const struct actio_panel *p, const struct actio_table *table,
                       bool name_events)
{
    const struct actio_box *b = &p->frame;
    double end = rows_of(p) && !p->map ? p->series[0].x[rows_of(p) - 1] : NAN, until = table->holds_until, before = -1;
    if (!table->local_only && !table->reached && until >= p->sx.lo && until <= p->sx.hi && isfinite(end)) {
        double from = fmin(px(p, until), px(p, end)), to = fmax(px(p, until), px(p, end));
        actio_canvas_box(canvas, (struct actio_box){ from, b->y, to - from, b->h }, 0xF2F2F2, 1);
    }
    bool crowd = table->events > 30; /* short strokes at the foot, so that the lines stay in view */
    for (size_t i = 0; i < table->events; i++) {
        double t = table->event[i].t;
        if (!(t >= p->sx.lo && t <= p->sx.hi)) continue;
        double x = px(p, t);
        if (fabs(x - before) < 1) continue; /* many on one pixel look like one */
        actio_canvas_segment(canvas, x, crowd ? b->y + b->h - 6 : b->y, x, b->y + b->h, crowd ? 0x808080 : 0xB0B0B0, 1,
                             !crowd);
        const char *name =
            actio_text_fit(canvas->arena, actio_clean_text(table->event[i].name, canvas->arena), 9.5, 56);
        bool early = x < b->x + 1; /* at the start: everything there is in the way */
        if (name_events && !crowd && !early && (before < 0 || fabs(x - before) > 60))
            actio_canvas_text(canvas, x + 3, b->y + 9, name, 9.5, -1, ACTIO_GREY);
        before = x;
    }
}

struct label {
    const struct actio_series *series;
    double from, at;
    size_t order;
};

static int by_height(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Pushes labels apart downwards, then back up from the foot of the frame. */
static void panel_spread(struct label *l, size_t n, double top, double foot)
{
    for (size_t i = 0; i < n; i++) l[i].at = fmax(l[i].from, i ? l[i - 1].at + LABEL_STEP : top);
    for (size_t i = n; i-- > 0;) l[i].at = fmin(l[i].at, i + 1 < n ? l[i + 1].at - LABEL_STEP : foot);
}

/* Height of a line's right end; a motion backward in time has its first row there. */
static bool end_of(const struct actio_panel *p, const struct actio_series *s, double *y)
{
    double v;
    bool backward = s->rows > 1 && s->x[s->rows - 1] < s->x[0];
    for (size_t k = 0; k < s->rows; k++) /* below the axis: at its foot */
        if (panel_value_at(p, s, backward ? k : s->rows - 1 - k, &v)) {
            *y = fmin(fmax(py(p, v), p->frame.y), p->frame.y + p->frame.h);
            return true;
        }
    return false;
}

/* Letters need more contrast than lines. */
static uint32_t darker(uint32_t c)
{
    return ((c >> 16 & 255) * 4 / 5) << 16 | ((c >> 8 & 255) * 4 / 5) << 8 | (c & 255) * 4 / 5;
}

/* Names at the ends of the lines, or for many lines a key in their order: every one, or evenly chosen ones. */
static size_t choose_labels(const struct actio_panel *p, struct label *l, size_t wanted)
{
    size_t n = 0;
    for (size_t k = 0; k < wanted; k++) {
        size_t i = wanted > 1 ? k * (p->own - 1) / (wanted - 1) : 0;
        l[n] = (struct label){ .series = &p->series[i], .order = k };
        if (!*p->series[i].label || !end_of(p, &p->series[i], &l[n].from)) continue;
        if (has_key(p)) l[n].from = p->frame.y + LABEL_STEP * (double)k;
        n++;
    }
    return n;
}

static void draw_labels(struct actio_canvas *canvas, const struct actio_panel *p)
{
    const struct actio_box *b = &p->frame;
    size_t fit = (size_t)fmax(1, floor(b->h / LABEL_STEP)), wanted = p->own < fit ? p->own : fit;
    struct label *l = actio_arena_array(canvas->arena, wanted + 1, sizeof *l);
    size_t n = choose_labels(p, l, wanted);
    qsort(l, n, sizeof *l, by_height);
    panel_spread(l, n, b->y + 4, b->y + b->h - 2);
    for (size_t i = 0; i < n; i++) {
        double x = b->x + b->w, text_x = x + (p->film ? FILM_KEY : LINE_KEY), from = has_key(p) ? l[i].at : l[i].from;
        const char *text = actio_text_fit(canvas->arena, l[i].series->label, LETTER, LABEL_MOST);
        actio_canvas_segment(canvas, x + (has_key(p) ? 4 : 1), from, text_x - (p->film ? 6 : 2), l[i].at,
                             l[i].series->colour, has_key(p) ? 2 : .8, false);
        actio_canvas_text(canvas, text_x, l[i].at + 4, text, LETTER, -1,
                          p->film ? ACTIO_INK : darker(l[i].series->colour));
    }
}

/* Shapes from the first to the last, with their ends: a disc where the axis begins, a ring where it ends. */
static void draw_film(struct actio_canvas *canvas, const struct actio_panel *p, size_t clip)
{
    for (size_t k = 0; k < p->own; k++) {
        const struct actio_series *s = &p->series[k];
        double v;
        size_t i = 0, j = s->rows;
        draw_line(canvas, p, s, clip);
        if (p->across_col == ACTIO_WHOLE) continue;
        while (i < s->rows && !panel_value_at(p, s, i, &v)) i++;
        if (i < s->rows) actio_canvas_disc(canvas, px(p, s->x[i]), py(p, v), 2.6, s->colour, 0);
        while (j > i + 1 && !panel_value_at(p, s, j - 1, &v)) j--;
        if (j > i + 1) {
            actio_canvas_disc(canvas, px(p, s->x[j - 1]), py(p, v), 3, 0xFFFFFF, 0);
            actio_canvas_ring(canvas, px(p, s->x[j - 1]), py(p, v), 3, s->colour);
        }
    }
}

static void draw_start(struct actio_canvas *canvas, const struct actio_panel *p)
{
    double v;
    size_t i = 0;
    const struct actio_series *s = &p->series[0];
    while (i < s->rows && !panel_value_at(p, s, i, &v)) i++;
    if (i < s->rows) actio_canvas_disc(canvas, px(p, across_at(p, s, i)), py(p, v), 3.5, s->colour, 0);
}

static bool all_zero(const struct actio_panel *p)
{
    for (size_t k = 0; k < p->count; k++)
        for (size_t i = 0; i < p->series[k].rows; i++)
            if (p->series[k].y[i] != 0) return false;
    return rows_of(p) > 0;
}

static bool has_values(const struct actio_panel *p)
{
    double ignored;
    if (p->map) return p->map->table->rows > 0;
    for (size_t k = 0; k < p->count; k++)
        if (end_of(p, &p->series[k], &ignored)) return true;
    return false;
}

/* Lines of the first table over those of others, the first line on top; discs over all lines. */
static void draw_all(struct actio_canvas *canvas, const struct actio_panel *p, size_t clip)
{
    for (size_t k = p->own; k < p->count; k++)
        if (p->series[k].width > 0) draw_line(canvas, p, &p->series[k], clip);
    for (size_t k = p->own; k-- > 0;) draw_line(canvas, p, &p->series[k], clip);
    for (size_t k = 0; k < p->count; k++)
        if (p->series[k].radius > 0) draw_discs(canvas, p, &p->series[k]);
}

void actio_panel_stage(struct actio_canvas *canvas, const struct actio_panel *p)
{
    draw_axes(canvas, p, true);
    draw_words(canvas, p);
}

void actio_panel_draw(struct actio_canvas *canvas, struct actio_panel *p, const struct actio_table *table,
                      bool name_events)
{
    const struct actio_box *b = &p->frame;
    size_t clip = actio_canvas_clip(canvas, (struct actio_box){ b->x - 1, b->y - 1, b->w + 2, b->h + 2 });
    bool any = has_values(p);
    if (p->over_time && !p->map) draw_times(canvas, p, table, name_events);
    draw_axes(canvas, p, any);
    draw_words(canvas, p);
    if (!any) {
        actio_canvas_text(canvas, b->x + b->w / 2, b->y + b->h / 2 + 4, all_zero(p) ? "exactly 0" : "no values", 12, 0,
                          ACTIO_GREY);
        return;
    }
    if (p->map) {
        actio_map_draw(canvas, p, clip);
        draw_times(canvas, p, table, name_events);
        return;
    }
    if (p->film) draw_film(canvas, p, clip);
    else draw_all(canvas, p, clip);
    if (p->over_time || p->log_across || p->film) draw_labels(canvas, p);
    else draw_start(canvas, p);
}
