/* SPDX-License-Identifier: Apache-2.0
 * Marks on a canvas, how wide a text is without a font at hand, and the list of canvas types. */
#include "result/canvas.h"
#include "result/output.h"

#include <string.h>

void actio_canvas_open(struct actio_canvas *canvas, struct actio_arena *arena, double width, double height)
{
    *canvas = (struct actio_canvas){ .arena = arena, .width = width, .height = height, .title = "", .summary = "" };
}

static struct actio_mark *canvas_add(struct actio_canvas *c, struct actio_mark mark)
{
    ACTIO_PUSH(c->arena, c->mark, c->marks, c->marks_cap) = mark;
    return &c->mark[c->marks - 1];
}

size_t actio_canvas_clip(struct actio_canvas *c, struct actio_box box)
{
    ACTIO_PUSH(c->arena, c->clip, c->clips, c->clips_cap) = box;
    return c->clips;
}

void actio_canvas_box(struct actio_canvas *c, struct actio_box box, uint32_t colour, double opacity)
{
    canvas_add(c, (struct actio_mark){ .kind = ACTIO_MARK_BOX, .box = box, .colour = colour, .opacity = opacity });
}

void actio_canvas_line(struct actio_canvas *c, const float *xy, size_t points, uint32_t colour, double width,
                       size_t clip)
{
    canvas_add(c, (struct actio_mark){ .kind = ACTIO_MARK_LINE,
                                       .xy = xy,
                                       .points = points,
                                       .colour = colour,
                                       .opacity = 1,
                                       .width = width,
                                       .clip = clip });
}

void actio_canvas_area(struct actio_canvas *c, const float *xy, size_t points, uint32_t colour, double opacity,
                       size_t clip)
{
    canvas_add(
        c,
        (struct actio_mark){
            .kind = ACTIO_MARK_AREA, .xy = xy, .points = points, .colour = colour, .opacity = opacity, .clip = clip });
}

void actio_canvas_tiles(struct actio_canvas *c, const float *boxes, size_t count, uint32_t colour, size_t clip)
{
    canvas_add(
        c, (struct actio_mark){
               .kind = ACTIO_MARK_TILES, .xy = boxes, .points = count, .colour = colour, .opacity = 1, .clip = clip });
}

void actio_canvas_segment(struct actio_canvas *c, double x0, double y0, double x1, double y1, uint32_t colour,
                          double width, bool dashed)
{
    float *xy = actio_arena_array(c->arena, 4, sizeof *xy);
    xy[0] = (float)x0;
    xy[1] = (float)y0;
    xy[2] = (float)x1;
    xy[3] = (float)y1;
    actio_canvas_line(c, xy, 2, colour, width, 0);
    c->mark[c->marks - 1].dashed = dashed;
}

void actio_canvas_disc(struct actio_canvas *c, double x, double y, double radius, uint32_t colour, size_t clip)
{
    canvas_add(c, (struct actio_mark){ .kind = ACTIO_MARK_DISC,
                                       .box = { x, y, 0, 0 },
                                       .width = radius,
                                       .colour = colour,
                                       .opacity = 1,
                                       .clip = clip });
}

void actio_canvas_ring(struct actio_canvas *c, double x, double y, double radius, uint32_t colour)
{
    actio_canvas_disc(c, x, y, radius, colour, 0);
    c->mark[c->marks - 1].hollow = true;
}

struct actio_mark *actio_canvas_text(struct actio_canvas *c, double x, double y, const char *text, double height,
                                     int anchor, uint32_t colour)
{
    return canvas_add(c, (struct actio_mark){ .kind = ACTIO_MARK_TEXT,
                                              .box = { x, y, 0, 0 },
                                              .text = text,
                                              .width = height,
                                              .anchor = anchor,
                                              .colour = colour,
                                              .opacity = 1 });
}

/* In heights of the letters; by class of letter is enough for margins. */
static double letter_width(uint32_t c)
{
    if (c < 0x80 && strchr("ijl'|.,:;!()[] ftrI", (int)c)) return .38;
    if (c < 0x80 && strchr("mwMW%@", (int)c)) return .92;
    if (c >= 'A' && c <= 'Z') return .72;
    if (c >= 0x2070 && c <= 0x209C) return .42; /* raised and lowered figures */
    if (c >= 0x0300 && c <= 0x036F) return 0;   /* accents on the letter before */
    return c >= 0x2E80 ? 1 : .62;
}

double actio_text_width(const char *text, double height)
{
    double sum = 0;
    uint32_t c;
    for (const char *end = text + strlen(text); text < end;) {
        text += actio_utf8_next(text, end, &c);
        sum += letter_width(c);
    }
    return sum * height;
}

const char *actio_text_fit(struct actio_arena *arena, const char *text, double height, double width)
{
    if (actio_text_width(text, height) <= width) return text;
    double sum = .9; /* the ellipsis */
    uint32_t c;
    const char *p = text, *end = text + strlen(text);
    while (p < end) {
        size_t n = actio_utf8_next(p, end, &c);
        sum += letter_width(c);
        if (sum * height > width) break;
        p += n;
    }
    return actio_arena_format(arena, "%.*s\xE2\x80\xA6", (int)(p - text), text);
}

enum { MOST_TYPES = 8 };
static const struct actio_canvas_type *types[MOST_TYPES] = { &actio_canvas_svg }; /* more at start-up */

void actio_canvas_register(const struct actio_canvas_type *type)
{
    size_t i = 0;
    while (i < MOST_TYPES && types[i] && types[i] != type) i++;
    if (i < MOST_TYPES) types[i] = type;
}

const struct actio_canvas_type *actio_canvas_for(const char *path)
{
    for (size_t i = 0; i < MOST_TYPES && types[i]; i++)
        if (actio_ends_with(path, types[i]->ending)) return types[i];
    return NULL;
}

bool actio_plot_fits(const char *path) { return actio_canvas_for(path) != NULL; }

int actio_canvas_unknown(const char *path, struct actio_findings *f)
{
    char list[16 * MOST_TYPES] = "";
    for (size_t i = 0; i < MOST_TYPES && types[i]; i++) {
        if (strlen(list) + strlen(types[i]->ending) + 3 > sizeof list) break;
        strcat(strcat(list, i ? ", " : ""), types[i]->ending);
    }
    actio_report(f, ACTIO_F_UNKNOWN_ENDING, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(list)));
    return 1;
}
