/* SPDX-License-Identifier: Apache-2.0
 * One line of a panel: thinned to the pixels, broken where it jumps, a band where it is too dense to be a line.
 * In: points in pixels, one by one. Out: marks on a canvas. Callers: panel.c. */
#ifndef ACTIO_RESULT_STROKES_H
#define ACTIO_RESULT_STROKES_H

#include "result/canvas.h"

struct actio_stroke_point {
    float x, y;
};
struct actio_stroke;
/* over_time: x never turns back, and a jump is known by its x (`same` below). count: points to come, at most. */
struct actio_stroke *actio_stroke_begin(struct actio_canvas *canvas, size_t count, bool over_time);
/* The next point; same: at the very place across of the one before, so that the line jumps. */
void actio_stroke_to(struct actio_stroke *s, struct actio_stroke_point to, bool same);
void actio_stroke_lift(struct actio_stroke *s); /* the line is broken here */
/* joined: lines may join the points; otherwise they are dots */
void actio_stroke_end(struct actio_stroke *s, uint32_t colour, double width, size_t clip, bool joined);

#endif
