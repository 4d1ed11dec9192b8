/* SPDX-License-Identifier: Apache-2.0
 * The parts of a plot, between the files that make it: scales, names, panels. */
#ifndef ACTIO_RESULT_PLOT_H
#define ACTIO_RESULT_PLOT_H

#include "result/canvas.h"

/* From values to the unit interval, with ticks at round numbers. A log scale holds decimal exponents. */
struct actio_scale { double lo, hi, step, offset; bool is_log; int decimals, exponent; };
struct actio_scale actio_scale_make(double lo, double hi, bool is_log, double padding, double ticks);
void actio_scale_retick(struct actio_scale *s, double ticks);                          /* after lo or hi were changed */
double actio_scale_at(const struct actio_scale *s, double value);
bool actio_scale_tick(const struct actio_scale *s, int i, double *value);              /* false after the last */
const char *actio_scale_label(const struct actio_scale *s, double value, struct actio_arena *arena);
const char *actio_scale_note(const struct actio_scale *s, struct actio_arena *arena);  /* what every label leaves out; "" when nothing */

const char *actio_pretty_name(const char *name, struct actio_arena *arena);            /* theta_dot[1] as letters, primes and indices */
const char *actio_raised(int number, struct actio_arena *arena);                       /* as an exponent */
const char *actio_clean_text(const char *s, struct actio_arena *arena);                /* valid UTF-8 on one line; NULL is "" */

struct actio_series { const double *y; double base; const char *label; uint32_t colour; };
struct actio_panel {
    const char *heading, *note;                            /* in bold; after it in grey */
    const char *across, *up;                               /* names of the axes; "" = not written */
    const double *x; size_t rows;
    struct actio_series *series; size_t count;
    bool over_time, is_log, equal;                         /* equal: one unit is as long across as up */
    struct actio_scale sx, sy;
    struct actio_box cell, frame;
};
void actio_panel_scale(struct actio_panel *p, double width, double height);            /* of the frame, roughly */
void actio_panel_fit(struct actio_panel *p);                                           /* an equal panel: its frame, then its scales */
double actio_panel_left(const struct actio_panel *p, struct actio_arena *arena);       /* room that tick labels and names want */
double actio_panel_right(const struct actio_panel *p);
void actio_panel_draw(struct actio_canvas *canvas, struct actio_panel *p, const struct actio_table *table, bool name_events);

/* The panels of a plot: as asked, or by role. NULL and a finding when a name is unknown. */
struct actio_panel *actio_panels_choose(const struct actio_table *table, const char *axes, struct actio_arena *arena, struct actio_findings *f, size_t *count);

enum { ACTIO_INK = 0x222222, ACTIO_GREY = 0x6B6B6B, ACTIO_RULE = 0x9A9A9A, ACTIO_GRID = 0xE6E6E6 };

#endif
