/* SPDX-License-Identifier: Apache-2.0
 * A plot: title, key, panels in one or two columns, and a line that says how it was computed. */
#include "result/plot.h"

#include <math.h>
#include <string.h>

static const double WIDTH = 900, EDGE = 18, GAP = 26, TITLE = 17, TOP = 26, FOOT = 44, LINE = 15;

struct plot {
    const struct actio_picture *picture;
    const struct actio_table *table;
    struct actio_arena arena;
    struct actio_findings *f;
    struct actio_canvas canvas;
    bool made;
};

/* Two figures, and no zero in front of the exponent's. */
static const char *brief(struct actio_arena *arena, double x)
{
    double unit = x != 0 && isfinite(x) ? pow(10, floor(log10(fabs(x))) - 1) : 1;
    char *s = actio_arena_alloc(arena, 32);
    actio_number_text(unit >= 1 ? round(x / unit) * unit : round(x / unit) / round(1 / unit), s);
    char *e = strchr(s, 'e');
    if (e && e[2] == '0') memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return s;
}

static void add_accuracy(struct actio_text *t, const struct actio_table *table, struct actio_arena *arena)
{
    double worst = actio_table_worst_error(table);
    if (table->local_only) {
        actio_text_format(t, " · local tolerance %s, global error not estimated", brief(arena, table->local));
        return;
    }
    if (table->tol > 0) actio_text_format(t, " · tolerance %s", brief(arena, table->tol));
    if (isfinite(worst)) actio_text_format(t, " · estimated error %s", brief(arena, worst));
    if (!table->reached && isfinite(table->holds_until))
        actio_text_format(t, ", holds until t = %.6g", table->holds_until);
}

static const char *footer(struct plot *p)
{
    const struct actio_table *table = p->table;
    struct actio_text t;
    actio_text_open(&t, &p->arena);
    actio_text_format(&t, "by %s", table->from.by ? actio_clean_text(table->from.by, &p->arena) : "?");
    if (table->from.method && *table->from.method)
        actio_text_format(&t, " · %s", actio_clean_text(table->from.method, &p->arena));
    add_accuracy(&t, table, &p->arena);
    if (table->events) actio_text_format(&t, " · %zu event%s", table->events, table->events == 1 ? "" : "s");
    return t.s;
}

/* ---- what is left out */

static bool is_drawn(const struct actio_panel *p, size_t n, size_t col)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i].map ? p[i].map->col == col : p[i].film && (p[i].up_col == col || p[i].across_col == col)) return true;
        for (size_t k = 0; k < p[i].own && !p[i].map && !p[i].film; k++)
            if (p[i].series[k].col == col) return true;
    }
    return false;
}

/* "not shown: power.c, residual.c and 12 more", as long as the line is; "" where everything is, or the axes were
 * requested. */
static const char *left_out(struct plot *plot, const struct actio_panel *p, size_t n, double room)
{
    const struct actio_table *table = plot->table;
    struct actio_arena *arena = &plot->arena;
    const char *list = "", *last = "";
    size_t missing = 0, named = 0;
    for (size_t c = 0; c < table->cols && !plot->picture->axes; c++) {
        if (table->col[c].role == ACTIO_ROLE_TIME || is_drawn(p, n, c)) continue;
        const char *longer = actio_arena_format(arena, "%s%s %s", missing ? list : "not shown:", missing ? "," : "",
                                                actio_clean_text(table->col[c].name, arena));
        if (named == missing && actio_text_width(longer, 10.5) < room - 80) {
            list = longer;
            named++;
        }
        missing++;
    }
    if (missing > named)
        last = actio_arena_format(arena, "%s%zu more", named ? " and " : "not shown: ", missing - named);
    return missing ? actio_arena_format(arena, "%s%s", list, last) : "";
}

/* An odd panel gets the whole first row. */
static void place_cells(struct actio_panel *p, size_t n, double top, double height)
{
    double half = (WIDTH - 2 * EDGE - GAP) / 2, y = top;
    for (size_t i = 0, column = n % 2 ? 1 : 0; i < n; i++) {
        bool whole = n % 2 && i == 0;
        p[i].cell = (struct actio_box){ EDGE + (column && !whole ? half + GAP : 0), y, whole ? WIDTH - 2 * EDGE : half,
                                        height };
        if (column) y += height;
        column = !column;
    }
}

/* Tiles have sharp edges. */
static struct actio_box on_pixels(struct actio_box b)
{
    return (struct actio_box){ round(b.x), round(b.y), round(b.w), round(b.h) };
}

/* Frames of one height, with common margins so that they stand in line; the lowest ones name the time. */
static void place_frames(struct plot *plot, struct actio_panel *p, size_t n)
{
    double left = 0, right = 0, bottom = 0;
    for (size_t i = 0; i < n; i++) {
        actio_panel_scale(&p[i], p[i].cell.w - 100, p[i].cell.h - 60);
        left = fmax(left, actio_panel_left(&p[i], &plot->arena));
        right = fmax(right, actio_panel_right(&p[i], &plot->arena));
        bottom = fmax(bottom, p[i].cell.y);
    }
    for (size_t i = 0; i < n; i++) {
        const struct actio_box *c = &p[i].cell;
        p[i].frame = (struct actio_box){ c->x + left, c->y + 22, c->w - left - right, c->h - 22 - 42 };
        if (p[i].over_time && c->y < bottom) p[i].across = "";
        if (p[i].equal) actio_panel_fit(&p[i]);
        if (p[i].map) p[i].frame = on_pixels(p[i].frame);
    }
}

static double draw_title(struct plot *p)
{
    struct actio_canvas *c = &p->canvas;
    const char *name = actio_clean_text(p->table->from.model, &p->arena),
               *text = actio_clean_text(p->table->from.description, &p->arena);
    double y = TOP;
    c->title = *name ? name : "plot";
    c->summary = text;
    if (*name) {
        actio_canvas_text(c, EDGE, y, actio_text_fit(&p->arena, name, TITLE, WIDTH - 2 * EDGE), TITLE, -1, ACTIO_INK)
            ->bold = true;
        y += 20;
    }
    if (*text) {
        actio_canvas_text(c, EDGE, y, actio_text_fit(&p->arena, text, 12.5, WIDTH - 2 * EDGE), 12.5, -1, ACTIO_GREY);
        y += 16;
    }
    return y + 6;
}

static void draw_footer(struct plot *p, const char *left)
{
    struct actio_canvas *c = &p->canvas;
    const char *version =
        p->table->from.version && *p->table->from.version
            ? actio_arena_format(&p->arena, "Actio %s", actio_clean_text(p->table->from.version, &p->arena))
            : "Actio";
    double room = WIDTH - 2 * EDGE - actio_text_width(version, 10.5) - 20;
    actio_canvas_text(c, EDGE, c->height - 14, actio_text_fit(&p->arena, footer(p), 10.5, room), 10.5, -1, ACTIO_GREY);
    actio_canvas_text(c, WIDTH - EDGE, c->height - 14, version, 10.5, 1, ACTIO_GREY);
    if (*left) actio_canvas_text(c, EDGE, c->height - 14 - LINE, left, 10.5, -1, ACTIO_GREY);
}

/* Panels of a path or a film are higher: they show shapes. */
static double height_of_panels(const struct actio_panel *panel, size_t n)
{
    bool path = false, film = false;
    for (size_t i = 0; i < n; i++) {
        path = path || !panel[i].over_time;
        film = film || panel[i].film;
    }
    if (n == 1) return path ? 560 : 400;
    if (film && n > 2) return 290;
    if (path) return 350;
    return n == 2 ? 320 : n <= 4 ? 264 : 232;
}

static void plot_draw(void *user)
{
    struct plot *p = user;
    size_t n = 0;
    struct actio_panel *panel = actio_panels_choose(p->picture, &p->arena, p->f, &n);
    if (!panel) return;
    double height = height_of_panels(panel, n);
    actio_canvas_open(&p->canvas, &p->arena, WIDTH, 0);
    actio_canvas_box(&p->canvas, (struct actio_box){ 0, 0, WIDTH, 0 }, 0xFFFFFF, 1);
    double top = draw_title(p);
    top = actio_key_draw(&p->canvas, p->picture, EDGE, WIDTH - EDGE, top);
    const char *left = left_out(p, panel, n, WIDTH - 2 * EDGE);
    p->canvas.height = ceil(top + height * (double)(n / 2 + n % 2) + (n ? FOOT - 14 : 60) + (*left ? LINE : 0));
    p->canvas.mark[0].box.h = p->canvas.height;
    place_cells(panel, n, top, height);
    place_frames(p, panel, n);
    for (size_t i = 0; i < n; i++) actio_panel_draw(&p->canvas, &panel[i], p->table, i == 0);
    if (!n) actio_canvas_text(&p->canvas, WIDTH / 2, top + 24, "no columns to draw", 12, 0, ACTIO_GREY);
    draw_footer(p, left);
    p->made = true;
}

int actio_picture_write(struct actio_context *ctx, const struct actio_picture *picture, const char *path,
                        struct actio_findings *f)
{
    struct plot p = { .picture = picture, .table = picture->layer[0].table, .f = f };
    const struct actio_canvas_type *type = actio_canvas_for(path);
    if (!type) return actio_canvas_unknown(path, f);
    struct actio_findings *outer = ctx->findings;
    ctx->findings = f;
    actio_arena_open(&p.arena, ctx);
    int bad = actio_attempt(ctx, plot_draw, &p) != 0 || !p.made;
    if (!bad) bad = type->write(ctx, &p.canvas, path, f);
    actio_arena_close(&p.arena);
    ctx->findings = outer;
    return bad;
}

int actio_plot_write(struct actio_context *ctx, const struct actio_table *table, const char *axes, const char *path,
                     struct actio_findings *f)
{
    struct actio_layer layer = { table, "" };
    struct actio_picture picture = { .layer = &layer, .layers = 1, .axes = axes, .trend = table->trend };
    return actio_picture_write(ctx, &picture, path, f);
}
