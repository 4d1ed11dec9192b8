/* SPDX-License-Identifier: Apache-2.0
 * A canvas as SVG: two decimals, every text escaped, no script and nothing from outside. */
#include "result/canvas.h"
#include "result/output.h"

static void attribute(struct actio_text *t, const char *name, double value, int decimals)
{
    actio_text_format(t, " %s=\"", name);
    actio_fixed(t, value, decimals, true);
    actio_text_add(t, "\"");
}

/* Named after its box, so that pictures put into one page can't use each other's by mistake. */
static void clip_name(struct actio_text *t, const struct actio_box *b)
{
    actio_text_format(t, "c%.0f-%.0f-%.0f-%.0f", 100 * b->x, 100 * b->y, 100 * b->w, 100 * b->h);
}

static void colour_of(struct actio_text *t, const char *name, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_format(t, " %s=\"#%06x\"", name, (unsigned)(m->colour & 0xFFFFFF));
    if (m->opacity < 1) attribute(t, "opacity", m->opacity, 3);
    if (!m->clip) return;
    actio_text_add(t, " clip-path=\"url(#");
    clip_name(t, &c->clip[m->clip - 1]);
    actio_text_add(t, ")\"");
}

static void box_attributes(struct actio_text *t, const struct actio_box *b)
{
    attribute(t, "x", b->x, 2);
    attribute(t, "y", b->y, 2);
    attribute(t, "width", b->w, 2);
    attribute(t, "height", b->h, 2);
}

static void add_points(struct actio_text *t, const float *xy, size_t points)
{
    for (size_t i = 0; i < points; i++) {
        if (i) actio_text_add(t, " ");
        actio_fixed(t, xy[2 * i], 2, true);
        actio_text_add(t, ",");
        actio_fixed(t, xy[2 * i + 1], 2, true);
    }
}

/* An animation's beginning, up to its values. */
static void animate(struct actio_text *t, const struct actio_mark *m, const char *what, const char *mode)
{
    actio_text_format(t, "<animate attributeName=\"%s\" calcMode=\"%s\" repeatCount=\"indefinite\" dur=\"", what, mode);
    actio_fixed(t, m->frames->seconds, 3, true);
    actio_text_add(t, "s\" keyTimes=\"");
    for (size_t k = 0; k < m->frames->count; k++) {
        if (k) actio_text_add(t, ";");
        actio_fixed(t, m->frames->key[k], 6, true);
    }
    actio_text_add(t, "\"");
}

static void add_line(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_add(t, "<polyline fill=\"none\" stroke-linejoin=\"round\"");
    colour_of(t, "stroke", c, m);
    attribute(t, "stroke-width", m->width, 2);
    if (m->dashed) actio_text_add(t, " stroke-dasharray=\"3 3\"");
    actio_text_add(t, " points=\"");
    add_points(t, m->xy, m->points);
    if (!m->frames) {
        actio_text_add(t, "\"/>\n");
        return;
    }
    actio_text_add(t, "\">\n");
    animate(t, m, "points", "linear");
    actio_text_add(t, " values=\"");
    for (size_t k = 0; k < m->frames->count; k++) {
        if (k) actio_text_add(t, ";");
        add_points(t, m->xy + 2 * k * m->points, m->points);
    }
    actio_text_add(t, "\"/>\n</polyline>\n");
}

static void add_area(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_add(t, "<polygon");
    colour_of(t, "fill", c, m);
    actio_text_add(t, " points=\"");
    add_points(t, m->xy, m->points);
    actio_text_add(t, "\"/>\n");
}

static void add_box(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_add(t, "<rect");
    box_attributes(t, &m->box);
    colour_of(t, "fill", c, m);
    actio_text_add(t, "/>\n");
}

static void add_disc(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_add(t, "<circle");
    attribute(t, "cx", m->box.x, 2);
    attribute(t, "cy", m->box.y, 2);
    attribute(t, "r", m->width, 2);
    colour_of(t, m->hollow ? "stroke" : "fill", c, m);
    if (m->hollow) {
        actio_text_add(t, " fill=\"none\"");
        attribute(t, "stroke-width", ACTIO_RING_WIDTH, 2);
    }
    if (!m->frames) {
        actio_text_add(t, "/>\n");
        return;
    }
    actio_text_add(t, ">\n");
    for (size_t axis = 0; axis < 2; axis++) {
        animate(t, m, axis ? "cy" : "cx", "linear");
        actio_text_add(t, " values=\"");
        for (size_t k = 0; k < m->frames->count; k++) {
            if (k) actio_text_add(t, ";");
            actio_fixed(t, m->xy[2 * k + axis], 2, true);
        }
        actio_text_add(t, "\"/>\n");
    }
    actio_text_add(t, "</circle>\n");
}

static void add_tiles(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    actio_text_add(t, "<path shape-rendering=\"crispEdges\"");
    colour_of(t, "fill", c, m);
    actio_text_add(t, " d=\"");
    for (size_t i = 0; i < m->points; i++) {
        const float *b = m->xy + 4 * i;
        const char *const step[] = { "M", " ", "h", "v", "h" };
        const double value[] = { b[0], b[1], b[2], b[3], -b[2] };
        for (size_t k = 0; k < 5; k++) {
            actio_text_add(t, step[k]);
            actio_fixed(t, value[k], 2, true);
        }
        actio_text_add(t, "z");
    }
    actio_text_add(t, "\"/>\n");
}

/* Seen in one stretch of the time. The first is there also where nothing moves. */
static void add_turn(struct actio_text *t, const struct actio_mark *m)
{
    const double *key = m->frames->key;
    bool last = m->until >= m->frames->count, first = m->frame == 0;
    actio_text_add(t, "<animate attributeName=\"visibility\" calcMode=\"discrete\" repeatCount=\"indefinite\" dur=\"");
    actio_fixed(t, m->frames->seconds, 3, true);
    actio_text_format(t, "s\" values=\"%svisible%s\" keyTimes=\"0", first ? "" : "hidden;", last ? "" : ";hidden");
    if (!first) {
        actio_text_add(t, ";");
        actio_fixed(t, key[m->frame], 6, true);
    }
    if (!last) {
        actio_text_add(t, ";");
        actio_fixed(t, key[m->until], 6, true);
    }
    actio_text_add(t, "\"/>");
}

static void add_text(struct actio_text *t, const struct actio_canvas *c, const struct actio_mark *m)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    actio_text_add(t, "<text");
    attribute(t, "x", m->box.x, 2);
    attribute(t, "y", m->box.y, 2);
    attribute(t, "font-size", m->width, 2);
    colour_of(t, "fill", c, m);
    if (m->anchor >= 0) actio_text_format(t, " text-anchor=\"%s\"", anchors[m->anchor + 1]);
    if (m->bold) actio_text_add(t, " font-weight=\"bold\"");
    if (m->upward) {
        actio_text_add(t, " transform=\"rotate(-90 ");
        actio_fixed(t, m->box.x, 2, true);
        actio_text_add(t, " ");
        actio_fixed(t, m->box.y, 2, true);
        actio_text_add(t, ")\"");
    }
    if (m->frames && m->frame) actio_text_add(t, " visibility=\"hidden\"");
    actio_text_add(t, ">");
    actio_xml_string(t, m->text);
    if (m->frames) add_turn(t, m);
    actio_text_add(t, "</text>\n");
}

static void (*const add_mark[])(struct actio_text *, const struct actio_canvas *, const struct actio_mark *) = {
    [ACTIO_MARK_LINE] = add_line, [ACTIO_MARK_BOX] = add_box,     [ACTIO_MARK_DISC] = add_disc,
    [ACTIO_MARK_TEXT] = add_text, [ACTIO_MARK_TILES] = add_tiles, [ACTIO_MARK_AREA] = add_area,
};

static void head(struct actio_text *t, const struct actio_canvas *c)
{
    actio_text_format(t,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                      "%.0f\" role=\"img\"",
                      c->width, c->height, c->width, c->height);
    actio_text_add(t, " font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>");
    actio_xml_string(t, c->title);
    actio_text_add(t, "</title>\n<desc>");
    actio_xml_string(t, c->summary);
    actio_text_add(t, "</desc>\n");
    for (size_t i = 0; i < c->clips; i++) {
        actio_text_add(t, "<clipPath id=\"");
        clip_name(t, &c->clip[i]);
        actio_text_add(t, "\"><rect");
        box_attributes(t, &c->clip[i]);
        actio_text_add(t, "/></clipPath>\n");
    }
}

static void svg_fill(struct actio_output *out, const void *user)
{
    const struct actio_canvas *c = user;
    head(&out->text, c);
    for (size_t i = 0; i < c->marks && !out->error; i++) {
        add_mark[c->mark[i].kind](&out->text, c, &c->mark[i]);
        actio_output_drain(out);
    }
    actio_text_add(&out->text, "</svg>\n");
}

static int write_svg(struct actio_context *ctx, const struct actio_canvas *canvas, const char *path,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, svg_fill, canvas, f);
}

const struct actio_canvas_type actio_canvas_svg = { ".svg", "scalable picture", write_svg };
