/* SPDX-License-Identifier: Apache-2.0
 * Time of one step of a chain by its number of nodes: measured, and drawn. */
#define _GNU_SOURCE
#include "chain.h"
#include "native/native.h"
#include "result/canvas.h"
#include "result/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 460, ROUNDS = 5 };

static void open_picture(struct actio_canvas *canvas, struct actio_arena *arena)
{
    actio_canvas_open(canvas, arena, WIDTH, HEIGHT);
    canvas->title = "Time of a step by the number of nodes";
    canvas->summary = "Both axes are logarithmic.";
    actio_canvas_box(canvas, (struct actio_box){ 0, 0, WIDTH, HEIGHT }, 0xFFFFFF, 1);
}

void chain_draw(struct actio_context *ctx, struct actio_findings *f, const struct chain_curve *curve, size_t curves,
                const char *path)
{
    struct actio_arena arena;
    struct actio_canvas canvas;
    actio_arena_open(&arena, ctx);
    open_picture(&canvas, &arena);
    struct actio_series *series = actio_arena_array(&arena, curves, sizeof *series);
    for (size_t i = 0; i < curves; i++)
        series[i] = (struct actio_series){ .x = curve[i].nodes,
                                           .y = curve[i].seconds,
                                           .rows = curve[i].count,
                                           .label = curve[i].name,
                                           .colour = curve[i].colour,
                                           .width = 1.4,
                                           .radius = 3,
                                           .stride = 1 };
    struct actio_panel p = { .heading = "A hanging chain",
                             .note = "seconds of one step",
                             .across = "nodes",
                             .up = "",
                             .series = series,
                             .own = curves,
                             .count = curves,
                             .is_log = true,
                             .log_across = true,
                             .cell = { 0, 0, WIDTH, HEIGHT } };
    actio_panel_scale(&p, WIDTH - 200, HEIGHT - 100);
    double left = actio_panel_left(&p, &arena), right = actio_panel_right(&p, &arena);
    p.frame = (struct actio_box){ left + 12, 44, WIDTH - left - right - 24, HEIGHT - 44 - 52 };
    const struct actio_table none = { .rows = 0 };
    actio_panel_draw(&canvas, &p, &none, false);
    if (actio_canvas_svg.write(ctx, &canvas, path, f)) printf("%s can't be written\n", path);
    else printf("\nDrawn in %s.\n", path);
    actio_arena_close(&arena);
}

/* The shortest of some rounds, seconds per step. */
double chain_time(struct chain *c, const struct chain_way *w, double node_steps)
{
    long count = (long)(node_steps / (double)c->n) + 1;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        if (w->enter) w->enter(c);
        double start = actio_native_clock();
        w->steps(c, count, 1e-4 / (double)c->n);
        best = fmin(best, (actio_native_clock() - start) / (double)count);
        if (w->leave) w->leave(c);
    }
    return best;
}
