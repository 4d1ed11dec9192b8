/* SPDX-License-Identifier: Apache-2.0
 * A canvas as PNG (twice the size, for sharp print and screens) and PDF, drawn by cairo. */
#include "native/native.h"
#include "result/canvas.h"
#include "result/output.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>

enum { PNG_SCALE = 2, FONTS = 32 << 20 }; /* FONTS: bytes, more than was ever seen */

static cairo_status_t cairo_pass(void *user, const unsigned char *bytes, unsigned length)
{
    struct actio_output *out = user;
    if (!out->error) out->error = out->system->write(out->file, (const char *)bytes, length);
    return out->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void draw_line(cairo_t *cr, const struct actio_mark *m)
{
    const double dashes[] = { 3, 3 };
    cairo_new_path(cr); /* a text leaves its end behind */
    for (size_t i = 0; i < m->points; i++) cairo_line_to(cr, m->xy[2 * i], m->xy[2 * i + 1]);
    cairo_set_line_width(cr, m->width);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(cr, dashes, m->dashed ? 2 : 0, 0);
    cairo_stroke(cr);
}

static void draw_area(cairo_t *cr, const struct actio_mark *m)
{
    cairo_new_path(cr);
    for (size_t i = 0; i < m->points; i++) cairo_line_to(cr, m->xy[2 * i], m->xy[2 * i + 1]);
    cairo_close_path(cr);
    cairo_fill(cr);
}

static void draw_box(cairo_t *cr, const struct actio_mark *m)
{
    cairo_new_path(cr);
    cairo_rectangle(cr, m->box.x, m->box.y, m->box.w, m->box.h);
    cairo_fill(cr);
}

static void draw_disc(cairo_t *cr, const struct actio_mark *m)
{
    cairo_new_path(cr);
    cairo_arc(cr, m->box.x, m->box.y, m->width, 0, 2 * acos(-1));
    cairo_set_line_width(cr, ACTIO_RING_WIDTH);
    if (m->hollow) cairo_stroke(cr);
    else cairo_fill(cr);
}

static void draw_text(cairo_t *cr, const struct actio_mark *m)
{
    cairo_text_extents_t size;
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           m->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, m->width);
    cairo_text_extents(cr, m->text, &size);
    cairo_translate(cr, m->box.x, m->box.y);
    if (m->upward) cairo_rotate(cr, -acos(-1) / 2);
    cairo_move_to(cr, -size.x_advance * (m->anchor + 1) / 2, 0);
    cairo_show_text(cr, m->text);
}

static void draw_tiles(cairo_t *cr, const struct actio_mark *m)
{
    cairo_new_path(cr);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE); /* or the seams show */
    for (size_t i = 0; i < m->points; i++)
        cairo_rectangle(cr, m->xy[4 * i], m->xy[4 * i + 1], m->xy[4 * i + 2], m->xy[4 * i + 3]);
    cairo_fill(cr);
}

static void (*const draw[])(cairo_t *, const struct actio_mark *) = {
    [ACTIO_MARK_LINE] = draw_line, [ACTIO_MARK_BOX] = draw_box,     [ACTIO_MARK_DISC] = draw_disc,
    [ACTIO_MARK_TEXT] = draw_text, [ACTIO_MARK_TILES] = draw_tiles, [ACTIO_MARK_AREA] = draw_area,
};

static void draw_mark(cairo_t *cr, const struct actio_canvas *canvas, const struct actio_mark *m)
{
    if (m->kind == ACTIO_MARK_TEXT && m->frames && m->frame) return; /* of a later time */
    cairo_save(cr);
    if (m->clip) {
        const struct actio_box *b = &canvas->clip[m->clip - 1];
        cairo_rectangle(cr, b->x, b->y, b->w, b->h);
        cairo_clip(cr);
    }
    cairo_set_source_rgba(cr, (m->colour >> 16 & 255) / 255.0, (m->colour >> 8 & 255) / 255.0,
                          (m->colour & 255) / 255.0, m->opacity);
    draw[m->kind](cr, m);
    cairo_restore(cr);
}

/* Given up where time is over: the output's error says so. */
static cairo_status_t draw_all(cairo_surface_t *surface, const struct actio_canvas *canvas, double scale,
                               struct actio_output *out)
{
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    for (size_t i = 0; i < canvas->marks && !out->error; i++) {
        draw_mark(cr, canvas, &canvas->mark[i]);
        if (actio_overdue(out->text.arena->ctx)) out->error = EINTR;
    }
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    return status;
}

static cairo_status_t make_png(const struct actio_canvas *canvas, struct actio_output *out)
{
    cairo_surface_t *s =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, PNG_SCALE * (int)canvas->width, PNG_SCALE * (int)canvas->height);
    cairo_status_t status = draw_all(s, canvas, PNG_SCALE, out);
    if (!status && !out->error) status = cairo_surface_write_to_png_stream(s, cairo_pass, out);
    cairo_surface_destroy(s);
    return status;
}

/* A pixel of the plot is 1/96 inch, a point of PDF 1/72. */
static cairo_status_t make_pdf(const struct actio_canvas *canvas, struct actio_output *out)
{
    cairo_surface_t *s =
        cairo_pdf_surface_create_for_stream(cairo_pass, out, canvas->width * .75, canvas->height * .75);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, canvas->title);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, "Actio");
    cairo_status_t status = draw_all(s, canvas, .75, out);
    cairo_surface_finish(s);
    if (!status) status = cairo_surface_status(s);
    cairo_surface_destroy(s);
    return status;
}

struct picture {
    const struct actio_canvas *canvas;
    cairo_status_t (*make)(const struct actio_canvas *, struct actio_output *);
};

/* cairo crashes where its memory runs out at a bad moment: what pixels, fonts and their caches need is requested
 * beforehand. */
static bool has_room(struct actio_context *ctx, const struct actio_canvas *canvas)
{
    size_t pixels = (size_t)(PNG_SCALE * canvas->width * PNG_SCALE * canvas->height);
    void *room = ctx->allocate(ctx->allocate_user, NULL, 2 * sizeof(uint32_t) * pixels + FONTS);
    if (room) ctx->allocate(ctx->allocate_user, room, 0);
    return room != NULL;
}

/* cairo's frames must not be jumped over: bytes go straight to the file, nothing here can escape. */
static void fill(struct actio_output *out, const void *user)
{
    const struct picture *p = user;
    cairo_status_t status =
        has_room(out->text.arena->ctx, p->canvas) ? p->make(p->canvas, out) : CAIRO_STATUS_NO_MEMORY;
    /* of what libpng meets in a good picture only memory is left */
    bool starved = status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_PNG_ERROR;
    if (!status || out->error) return;
    out->error = starved ? ENOMEM : EIO;
    out->why = cairo_status_to_string(status);
}

static int write_png(struct actio_context *ctx, const struct actio_canvas *canvas, const char *path,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill, &(struct picture){ canvas, make_png }, f);
}

static int write_pdf(struct actio_context *ctx, const struct actio_canvas *canvas, const char *path,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill, &(struct picture){ canvas, make_pdf }, f);
}

const struct actio_canvas_type actio_canvas_png = { ".png", "picture", write_png };
const struct actio_canvas_type actio_canvas_pdf = { ".pdf", "page", write_pdf };
