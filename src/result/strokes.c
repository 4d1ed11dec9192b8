/* SPDX-License-Identifier: Apache-2.0
 * Lines in pixels. Over time each column of pixels keeps its first, lowest, highest and last point; where the line
 * turns back several times within a few of them, the band between its extremes is filled. */
#include "result/strokes.h"

#include <math.h>
#include <stdlib.h>

/* Columns are dense around those where the line turns DENSE times within NEAR pixels on both sides, and has two points
 * a pixel; their extremes are those within REACH, which is more than a period there. */
enum { DENSE = 5, NEAR = 4, REACH = 2, MOST_PATH = 8000 };
static const float TURN = 1, JUMP = .75F, APART = 3, PATH_STEP = .3F;
static const double OFF = .06, THIN = .7, BAND = .45, EDGE = .8;

typedef struct actio_stroke_point point;
/* Points of one column of pixels. */
struct pixels {
    point first, low, high, last;
    size_t count, low_at, high_at, turns;
    bool crowded, dense;
};
enum way { LIFTED, JOINED, JUMPED };
struct actio_stroke {
    struct actio_canvas *canvas;
    point *at;
    unsigned char *way; /* how the line comes to the point */
    size_t count;
    bool over_time, lifted;
    uint32_t colour;
    double width;
    size_t clip;
    struct pixels *column;
};

struct actio_stroke *actio_stroke_begin(struct actio_canvas *canvas, size_t count, bool over_time)
{
    struct actio_stroke *s = actio_arena_alloc(canvas->arena, sizeof *s);
    *s = (struct actio_stroke){ .canvas = canvas, .over_time = over_time, .lifted = true };
    s->at = actio_arena_array(canvas->arena, count + 1, sizeof *s->at);
    s->way = actio_arena_array(canvas->arena, count + 1, 1);
    return s;
}

void actio_stroke_lift(struct actio_stroke *s) { s->lifted = true; }

/* A path in the plane drops points that move less than a fraction of a pixel. */
void actio_stroke_to(struct actio_stroke *s, point to, bool same)
{
    const point *last = s->count ? &s->at[s->count - 1] : NULL;
    bool jumps = s->over_time && same && !s->lifted && last && fabsf(to.y - last->y) > JUMP;
    if (!s->over_time && !s->lifted && hypotf(to.x - last->x, to.y - last->y) < PATH_STEP) return;
    s->at[s->count] = to;
    s->way[s->count++] = s->lifted ? LIFTED : jumps ? JUMPED : JOINED;
    s->lifted = false;
}

/* ---- over time */

/* Jumps close to each other are parts of the line. */
static void join_close_jumps(struct actio_stroke *s)
{
    size_t last = SIZE_MAX;
    bool close = false;
    for (size_t i = 0; i < s->count; i++) {
        if (s->way[i] != JUMPED) continue;
        bool near = last != SIZE_MAX && fabsf(s->at[i].x - s->at[last].x) < APART;
        if (last != SIZE_MAX && (near || close)) s->way[last] = JOINED;
        close = near;
        last = i;
    }
    if (close) s->way[last] = JOINED;
}

static void add_to_column(struct pixels *c, point p)
{
    if (!c->count) c->first = c->low = c->high = p;
    if (p.y < c->low.y) {
        c->low = p;
        c->low_at = c->count;
    }
    if (p.y > c->high.y) {
        c->high = p;
        c->high_at = c->count;
    }
    c->last = p;
    c->count++;
}

/* Where a line goes up and down: a turn is one after it went back by more than a pixel. */
struct zigzag {
    float extreme;
    int way;
};
static bool turns(struct zigzag *z, float y)
{
    bool back = z->way > 0 ? y < z->extreme - TURN : z->way < 0 ? y > z->extreme + TURN : false;
    if (z->way == 0 && fabsf(y - z->extreme) > TURN) z->way = y > z->extreme ? 1 : -1;
    if (back) z->way = -z->way;
    if (back || (y - z->extreme) * (float)z->way > 0) z->extreme = y;
    return back;
}

/* Columns of pixels of the points from `from` to `to`; how many. */
static size_t into_columns(struct actio_stroke *s, size_t from, size_t to)
{
    struct zigzag z = { s->at[from].y, 0 };
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        if (n == 0 || floorf(s->at[i].x) != floorf(s->column[n - 1].first.x)) s->column[n++] = (struct pixels){ 0 };
        s->column[n - 1].turns += turns(&z, s->at[i].y);
        add_to_column(&s->column[n - 1], s->at[i]);
    }
    return n;
}

/* Is the column within so many pixels of another? */
static bool is_near(const struct pixels *a, const struct pixels *b, int pixels)
{
    return fabsf(floorf(a->first.x) - floorf(b->first.x)) <= (float)pixels;
}

static void find_dense(struct pixels *column, size_t n)
{
    size_t first = 0, end = 0, turned = 0, points = 0;
    for (size_t i = 0; i < n; i++) {
        for (; end < n && is_near(&column[end], &column[i], NEAR); end++) {
            turned += column[end].turns;
            points += column[end].count;
        }
        for (; !is_near(&column[first], &column[i], NEAR); first++) {
            turned -= column[first].turns;
            points -= column[first].count;
        }
        column[i].crowded = turned >= DENSE && points > 4 * NEAR;
    }
    for (size_t i = 0, last = SIZE_MAX; i < n; i++) {
        if (column[i].crowded) last = i;
        column[i].dense = last != SIZE_MAX && is_near(&column[last], &column[i], NEAR);
    }
    for (size_t i = n, last = SIZE_MAX; i-- > 0;) {
        if (column[i].crowded) last = i;
        column[i].dense |= last != SIZE_MAX && is_near(&column[last], &column[i], NEAR);
    }
}

static void keep_point(point *to, size_t *n, point p)
{
    if (*n && to[*n - 1].x == p.x && to[*n - 1].y == p.y) return;
    to[(*n)++] = p;
}

static void draw_columns(struct actio_stroke *s, size_t from, size_t to)
{
    point *p = actio_arena_array(s->canvas->arena, 4 * (to - from) + 1, sizeof *p);
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const struct pixels *c = &s->column[i];
        bool falls = c->high_at < c->low_at;
        keep_point(p, &n, c->first);
        keep_point(p, &n, falls ? c->high : c->low);
        keep_point(p, &n, falls ? c->low : c->high);
        keep_point(p, &n, c->last);
    }
    if (n == 1) actio_canvas_disc(s->canvas, p[0].x, p[0].y, 2, s->colour, 0);
    if (n > 1) actio_canvas_line(s->canvas, &p[0].x, n, s->colour, s->width, s->clip);
}

/* The extremes of the columns around one. */
static void extremes(const struct pixels *column, size_t n, size_t i, float *low, float *high)
{
    *low = column[i].low.y;
    *high = column[i].high.y;
    for (size_t k = i; k-- > 0 && is_near(&column[k], &column[i], REACH);) {
        *low = fminf(*low, column[k].low.y);
        *high = fmaxf(*high, column[k].high.y);
    }
    for (size_t k = i + 1; k < n && is_near(&column[k], &column[i], REACH); k++) {
        *low = fminf(*low, column[k].low.y);
        *high = fmaxf(*high, column[k].high.y);
    }
}

/* A filled shape: along the highest points, and back along the lowest. */
static void draw_band(struct actio_stroke *s, size_t from, size_t to, size_t n)
{
    size_t width = to - from;
    point *p = actio_arena_array(s->canvas->arena, 2 * width, sizeof *p);
    for (size_t i = 0; i < width; i++) {
        float low, high, x = i + 1 == width ? s->column[from + i].last.x : s->column[from + i].first.x;
        extremes(s->column, n, from + i, &low, &high);
        p[i] = (point){ x, low };
        p[2 * width - 1 - i] = (point){ x, high };
    }
    actio_canvas_area(s->canvas, &p[0].x, 2 * width, s->colour, BAND, s->clip);
    actio_canvas_line(s->canvas, &p[0].x, width, s->colour, EDGE, s->clip);
    actio_canvas_line(s->canvas, &p[width].x, width, s->colour, EDGE, s->clip);
}

/* Bands where the columns are dense, lines between them; a line begins and ends inside the bands beside it. */
static void draw_piece(struct actio_stroke *s, size_t from, size_t to)
{
    size_t n = into_columns(s, from, to);
    find_dense(s->column, n);
    for (size_t a = 0, b; a < n; a = b) {
        bool dense = s->column[a].dense;
        for (b = a + 1; b < n && s->column[b].dense == dense; b++) {}
        if (dense && b - a > 1) draw_band(s, a, b, n);
        else draw_columns(s, a ? a - 1 : a, b < n ? b + 1 : b);
    }
}

static void draw_over_time(struct actio_stroke *s)
{
    s->column = actio_arena_array(s->canvas->arena, s->count + 1, sizeof *s->column);
    join_close_jumps(s);
    for (size_t from = 0, to; from < s->count; from = to) {
        for (to = from + 1; to < s->count && s->way[to] == JOINED; to++) {}
        if (s->way[from] == JUMPED) actio_canvas_line(s->canvas, &s->at[from - 1].x, 2, s->colour, THIN, s->clip);
        bool lone = to == from + 1 && (s->way[from] == JUMPED || (to < s->count && s->way[to] == JUMPED));
        if (!lone) draw_piece(s, from, to);
    }
}

/* ---- in the plane */

static int by_place(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[1] != y[1] ? (x[1] > y[1]) - (x[1] < y[1]) : (x[0] > y[0]) - (x[0] < y[0]);
}

struct cells {
    int (*at)[2];
    size_t count, cap;
};

static void add_cell(struct actio_arena *arena, struct cells *c, float x, float y)
{
    int cell[2] = { (int)floorf(x), (int)floorf(y) };
    if (c->count && c->at[c->count - 1][0] == cell[0] && c->at[c->count - 1][1] == cell[1]) return;
    ACTIO_PUSH(arena, c->at, c->count, c->cap);
    c->at[c->count - 1][0] = cell[0];
    c->at[c->count - 1][1] = cell[1];
}

/* Each pixel once. */
static void sort_cells(struct cells *c)
{
    size_t kept = 0;
    qsort(c->at, c->count, sizeof *c->at, by_place);
    for (size_t i = 0; i < c->count; i++)
        if (kept == 0 || by_place(&c->at[i], &c->at[kept - 1])) {
            c->at[kept][0] = c->at[i][0];
            c->at[kept++][1] = c->at[i][1];
        }
    c->count = kept;
}

static void draw_cells(struct actio_stroke *s, const struct cells *c)
{
    float *box = actio_arena_array(s->canvas->arena, 4 * c->count + 4, sizeof *box);
    size_t n = 0;
    for (size_t i = 0, j; i < c->count; i = j) {
        for (j = i + 1; j < c->count && c->at[j][1] == c->at[i][1] && c->at[j][0] == c->at[j - 1][0] + 1; j++) {}
        const float one[4] = { (float)c->at[i][0], (float)c->at[i][1], (float)(j - i), 1 };
        for (size_t k = 0; k < 4; k++) box[4 * n + k] = one[k];
        n++;
    }
    actio_canvas_tiles(s->canvas, box, n, s->colour, s->clip);
}

/* A path of very many points, or one whose points may not be joined: the pixels that it meets. */
static void draw_pixels(struct actio_stroke *s, bool joined)
{
    enum { FULL = 1 << 18, LONGEST = 4000 };
    struct cells c = { 0 };
    for (size_t i = 0; i < s->count; i++) {
        point to = s->at[i], from = i && joined && s->way[i] != LIFTED ? s->at[i - 1] : to;
        float length = fminf(fmaxf(fabsf(to.x - from.x), fabsf(to.y - from.y)), LONGEST);
        for (float k = 0; k <= length; k++) {
            float f = length > 0 ? k / length : 0;
            add_cell(s->canvas->arena, &c, from.x + f * (to.x - from.x), from.y + f * (to.y - from.y));
        }
        if (c.count > FULL) sort_cells(&c);
    }
    sort_cells(&c);
    draw_cells(s, &c);
}

/* Directions from a point in which a line passes all points since by less than OFF. */
struct cone {
    double first, from, to, far;
    bool any;
};

/* Narrows the cone by a point; false: the line can't pass it, or it lies further back. */
static bool narrow(struct cone *c, point apex, point p)
{
    double x = p.x - apex.x, y = p.y - apex.y, far = hypot(x, y), half = far > OFF ? asin(OFF / far) : 4;
    double at = atan2(y, x);
    if (!c->any) *c = (struct cone){ at, -half, half, far, true };
    double turned = remainder(at - c->first, 8 * atan(1));
    if (turned < c->from || turned > c->to || far < c->far - OFF) return false;
    c->from = fmax(c->from, turned - half);
    c->to = fmin(c->to, turned + half);
    c->far = fmax(c->far, far);
    return true;
}

/* Points that lie on a line between others go. */
static void straighten(struct actio_stroke *s)
{
    size_t kept = 0; /* the last of those that stay for certain; one behind it is still open */
    struct cone c = { 0 };
    for (size_t i = 1; i < s->count; i++) {
        bool open = c.any, goes_on = s->way[i] == JOINED && narrow(&c, s->at[kept], s->at[i]);
        if (!goes_on) {
            kept += open;
            c = (struct cone){ 0 };
            if (s->way[i] == JOINED) narrow(&c, s->at[kept], s->at[i]);
            else kept++;
        }
        size_t to = kept + c.any;
        s->at[to] = s->at[i];
        s->way[to] = s->way[i];
    }
    s->count = kept + c.any + (s->count > 0);
}

static void draw_path(struct actio_stroke *s)
{
    for (size_t from = 0, to; from < s->count; from = to) {
        for (to = from + 1; to < s->count && s->way[to] == JOINED; to++) {}
        if (to - from == 1) actio_canvas_disc(s->canvas, s->at[from].x, s->at[from].y, 2, s->colour, 0);
        else actio_canvas_line(s->canvas, &s->at[from].x, to - from, s->colour, s->width, s->clip);
    }
}

void actio_stroke_end(struct actio_stroke *s, uint32_t colour, double width, size_t clip, bool joined)
{
    s->colour = colour;
    s->width = width;
    s->clip = clip;
    actio_poll_overdue(s->canvas->arena->ctx);
    if (!s->over_time && joined) straighten(s);
    if (s->over_time) draw_over_time(s);
    else if (!joined || s->count > MOST_PATH) draw_pixels(s, joined);
    else draw_path(s);
}
