/* SPDX-License-Identifier: Apache-2.0
 * A picture as a list of marks. plot.c makes the list; svg.c, and native/cairo.c for png and pdf, write it out. */
#ifndef ACTIO_RESULT_CANVAS_H
#define ACTIO_RESULT_CANVAS_H

#include "result/table.h"

struct actio_box {
    double x, y, w, h;
}; /* pixels from the top left corner */

#define ACTIO_RING_WIDTH 1.1 /* of an open disc's stroke */
enum actio_mark_kind {
    ACTIO_MARK_LINE,
    ACTIO_MARK_BOX,
    ACTIO_MARK_DISC,
    ACTIO_MARK_TEXT,
    ACTIO_MARK_TILES,
    ACTIO_MARK_AREA
};
/* What moves: `count` frames, each from its share `key` of the time on (0 first, 1 last). A canvas that can't move
 * shows the first. */
struct actio_frames {
    size_t count;
    const double *key;
    double seconds;
};
struct actio_mark {
    enum actio_mark_kind kind;
    uint32_t colour; /* 0xRRGGBB */
    double opacity;
    size_t clip;               /* 0 = none, else 1 + number of the clip box */
    double width;              /* LINE: of the stroke. DISC: its radius. TEXT: height of the letters */
    bool dashed, bold, hollow; /* LINE; TEXT; DISC */
    struct actio_box box;      /* BOX. DISC and TEXT: x, y of the centre or the base line's anchor */
    const float *xy; /* LINE, AREA: x0 y0 x1 y1 ...; TILES: boxes x y w h that touch, not smoothed at their edges */
    size_t points;
    /* NULL: still. LINE, DISC: xy has all frames, one after the other. TEXT: seen from this frame to `until` */
    const struct actio_frames *frames;
    size_t frame;
    size_t until;
    /* TEXT: valid UTF-8; -1 starts, 0 is centred, 1 ends at x; upward: turned by 90 degrees */
    const char *text;
    int anchor;
    bool upward;
};
struct actio_canvas {
    struct actio_arena *arena;
    double width, height;
    const char *title, *summary; /* for screen readers and file properties */
    struct actio_mark *mark;
    size_t marks, marks_cap;
    struct actio_box *clip;
    size_t clips, clips_cap;
};

void actio_canvas_open(struct actio_canvas *canvas, struct actio_arena *arena, double width, double height);
size_t actio_canvas_clip(struct actio_canvas *canvas, struct actio_box box); /* what a mark's `clip` wants */
void actio_canvas_box(struct actio_canvas *canvas, struct actio_box box, uint32_t colour, double opacity);
void actio_canvas_segment(struct actio_canvas *canvas, double x0, double y0, double x1, double y1, uint32_t colour,
                          double width, bool dashed);
/* keeps xy */
void actio_canvas_line(struct actio_canvas *canvas, const float *xy, size_t points, uint32_t colour, double width,
                       size_t clip);
/* the inside of a closed line; keeps xy */
void actio_canvas_area(struct actio_canvas *canvas, const float *xy, size_t points, uint32_t colour, double opacity,
                       size_t clip);
void actio_canvas_disc(struct actio_canvas *canvas, double x, double y, double radius, uint32_t colour, size_t clip);
/* an open disc */
void actio_canvas_ring(struct actio_canvas *canvas, double x, double y, double radius, uint32_t colour);
/* keeps boxes */
void actio_canvas_tiles(struct actio_canvas *canvas, const float *boxes, size_t count, uint32_t colour, size_t clip);
struct actio_mark *actio_canvas_text(struct actio_canvas *canvas, double x, double y, const char *text, double height,
                                     int anchor, uint32_t colour);
/* of a common sans-serif face, rather too wide than too narrow */
double actio_text_width(const char *text, double height);
/* cut with an ellipsis where it must be */
const char *actio_text_fit(struct actio_arena *arena, const char *text, double height, double width);

struct actio_canvas_type {
    const char *ending, *what;
    /* 0, or 1 and a finding */
    int (*write)(struct actio_context *ctx, const struct actio_canvas *canvas, const char *path,
                 struct actio_findings *f);
};
extern const struct actio_canvas_type actio_canvas_svg;
void actio_canvas_register(const struct actio_canvas_type *type);
const struct actio_canvas_type *actio_canvas_for(const char *path);   /* NULL when none fits */
int actio_canvas_unknown(const char *path, struct actio_findings *f); /* 1 and a finding that lists the endings */

#endif
