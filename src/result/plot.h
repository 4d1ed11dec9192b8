/* SPDX-License-Identifier: Apache-2.0
 * The parts of a plot, shared by the files that draw it: scales, names, panels.
 * In: tables. Out: shapes on a canvas. Callers: result/ only. */
#ifndef ACTIO_RESULT_PLOT_H
#define ACTIO_RESULT_PLOT_H

#include "result/canvas.h"

/* From values to the unit interval, with ticks at round numbers. A log scale holds decimal exponents. */
struct actio_scale {
    double lo, hi, step, offset;
    bool is_log;
    int decimals, exponent;
};
struct actio_scale actio_scale_make(double lo, double hi, bool is_log, double padding, double ticks);
void actio_scale_retick(struct actio_scale *s, double ticks); /* after lo or hi were changed */
double actio_scale_at(const struct actio_scale *s, double value);
bool actio_scale_tick(const struct actio_scale *s, int i, double *value); /* false after the last */
const char *actio_scale_label(const struct actio_scale *s, double value, struct actio_arena *arena);
/* what every label leaves out; "" when nothing */
const char *actio_scale_note(const struct actio_scale *s, struct actio_arena *arena);

/* theta_dot[1] as letters, primes and indices */
const char *actio_pretty_name(const char *name, struct actio_arena *arena);
const char *actio_raised(int number, struct actio_arena *arena);        /* as an exponent */
const char *actio_clean_text(const char *s, struct actio_arena *arena); /* valid UTF-8 on one line; NULL is "" */

/* A line, discs, or both. A line may have more points than the table has rows. col: of the first table. */
struct actio_series {
    const double *x, *y;
    size_t rows, col;
    double base;
    const char *label;
    uint32_t colour;
    double width, radius; /* of the line, of the discs; 0: none */
    bool hollow, dots;    /* dots: a line may not join its points */
    size_t first, stride; /* rows that have a disc */
    size_t node;          /* of a field */
};
/* A field over time and place, in colours. */
struct actio_map {
    const struct actio_table *table;
    size_t col;
    const double *time; /* the axis, of all that lives on it */
    double from, to;
    struct actio_scale value; /* centred: two colours that meet at 0 */
    bool is_log, centred;
};
struct actio_panel {
    const char *heading, *note;  /* in bold; after it in grey */
    const char *across, *up;     /* names of the axes; "" = not written */
    struct actio_series *series; /* those of the first table, which have labels, come first */
    size_t own, count;
    bool over_time, is_log, log_across, equal; /* equal: one unit is as long across as up */
    struct actio_map *map;                     /* in place of series; NULL: none */
    bool film; /* shapes of a field at several times, from light to dark; across_col ACTIO_WHOLE: over its place */
    size_t across_col, up_col;
    struct actio_scale sx, sy;
    struct actio_box cell, frame;
};
void actio_panel_scale(struct actio_panel *p, double width, double height); /* of the frame, roughly */
void actio_panel_fit(struct actio_panel *p); /* an equal panel: its frame, then its scales */
/* room that tick labels and names want */
double actio_panel_left(const struct actio_panel *p, struct actio_arena *arena);
double actio_panel_right(const struct actio_panel *p, struct actio_arena *arena);
/* axes and words, for what is drawn by others */
void actio_panel_stage(struct actio_canvas *canvas, const struct actio_panel *p);
void actio_panel_draw(struct actio_canvas *canvas, struct actio_panel *p, const struct actio_table *table,
                      bool name_events);

/* The panels of a plot: as requested, or by role. NULL and a finding when a name is unknown. */
struct actio_panel *actio_panels_choose(const struct actio_picture *picture, struct actio_arena *arena,
                                        struct actio_findings *f, size_t *count);
/* fields.c: a field over time; its shapes: one field against another, or (across ACTIO_WHOLE) along the axis.
 * actio_field_mate: the coordinate that makes a shape with this one, or `cols`. colour.c: 0 .. 1 to colours of even
 * steps; from -1 to 1 with white between; from light to dark.
 * map.c draws. */
void actio_panel_map(struct actio_panel *p, const struct actio_table *table, size_t col, const double *time,
                     struct actio_arena *arena);
void actio_panel_film(struct actio_panel *p, const struct actio_table *table, size_t across, size_t up,
                      const double *time, struct actio_arena *arena);
size_t actio_field_mate(const struct actio_table *table, size_t col);
bool actio_same_axis(const struct actio_column *a, const struct actio_column *b); /* nodes by nodes */
/* may they share a unit of length, neither more than `most` times the other? */
bool actio_in_scale(const struct actio_table *table, size_t a, size_t b, double most);
const char *actio_with_unit(const struct actio_table *table, const char *name, size_t col, struct actio_arena *arena);
uint32_t actio_colour_even(double at);
uint32_t actio_colour_centred(double at);
uint32_t actio_colour_shade(double at);
double actio_map_right(const struct actio_map *map, struct actio_arena *arena);
void actio_map_draw(struct actio_canvas *canvas, const struct actio_panel *p, size_t clip);
/* layer.c: how a table is drawn, by its rows: line or discs, shades also have a colour. What other tables have of the
 * panel's columns joins it, `across` (NULL: time) against them; change: less the first value of the first table. The
 * key under the title: y of what comes next. */
void actio_layer_style(const struct actio_picture *picture, size_t layer, struct actio_series *s);
void actio_panel_join(struct actio_panel *p, const struct actio_picture *picture, const char *across, bool change,
                      struct actio_arena *arena);
/* The series' column against another one. */
void actio_series_against(struct actio_series *s, const struct actio_table *table, size_t across, size_t node,
                          struct actio_arena *arena);
double actio_key_draw(struct actio_canvas *canvas, const struct actio_picture *picture, double left, double right,
                      double y);

enum { ACTIO_MANY_LINES = 8 }; /* more than colours can distinguish */
enum {
    ACTIO_BLUE = 0x0072B2,
    ACTIO_INK = 0x222222,
    ACTIO_GREY = 0x6B6B6B,
    ACTIO_RULE = 0x9A9A9A,
    ACTIO_GRID = 0xE6E6E6
};

#endif
