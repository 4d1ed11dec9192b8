/* SPDX-License-Identifier: Apache-2.0
 * Which panels a plot has: the axes requested, or the informative roles, split where their sizes differ too much to
 * share one. */
#include "result/curves.h"
#include "result/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 6, MOST_ASKED = 40, MOST_PARTS = 3, MOST_LINES = 24, PALETTE = ACTIO_MANY_LINES };

/* Okabe and Ito's colours, which colour-blind readers can distinguish; yellow, too light on white, is darkened. */
static const uint32_t palette[PALETTE] = { ACTIO_BLUE, 0xD55E00, 0x009E73, 0xCC79A7,
                                           0xE69F00,   0x56B4E9, 0x333333, 0xA89B00 };

/* Many lines (a chain, a field) go through one ramp, dark to light, so that neighbours look alike. */
static uint32_t ramp(double at)
{
    static const uint32_t stop[] = { 0x3B1F6B, 0x33638D, 0x1F968B, 0x55B867, 0xC3B81E };
    int i = (int)fmin(floor(at * 4), 3);
    double f = at * 4 - i;
    uint32_t c = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double a = stop[i] >> shift & 255, b = stop[i + 1] >> shift & 255;
        c |= (uint32_t)lround(a + f * (b - a)) << shift;
    }
    return c;
}

/* Roles by how much a reader wants to see them; the first ones, all of what moves, are never left out for another. */
enum { ALWAYS = 2 };
static const struct shown {
    enum actio_role role;
    bool change;
    const char *heading;
} shown[] = {
    { ACTIO_ROLE_COORD, false, NULL },
    { ACTIO_ROLE_STATE, false, NULL },
    { ACTIO_ROLE_OBSERVE, false, NULL },
    { ACTIO_ROLE_HELD, false, NULL },
    { ACTIO_ROLE_RATE, false, NULL },
    { ACTIO_ROLE_LAMBDA, false, NULL },
    { ACTIO_ROLE_ENERGY, true, "energy change" },
    { ACTIO_ROLE_RESIDUAL, false, NULL },
    { ACTIO_ROLE_FORCE, false, NULL },
    { ACTIO_ROLE_GAP, false, NULL },
    { ACTIO_ROLE_FRAME, false, NULL },
    { ACTIO_ROLE_FRICTION, false, NULL },
    { ACTIO_ROLE_CHARGE, false, NULL },
    { ACTIO_ROLE_REACTION, false, NULL },
    { ACTIO_ROLE_POWER, false, NULL },
    { ACTIO_ROLE_BALANCE, false, NULL },
    { ACTIO_ROLE_DIFFERENCE, false, NULL },
};

struct span {
    size_t col;
    double lo, hi;
    uint32_t colour;
};
struct group {
    enum { LINES, MAP, FILM } kind;
    size_t across, col, order;
    const struct shown *what;
    int part, rank;
    double lo, hi, least;
    struct span *member;
    size_t count;
};
struct choice {
    const struct actio_picture *picture;
    const struct actio_table *table;
    struct actio_arena *arena;
    struct actio_findings *f;
    const double *time;
    const char *time_name;
};

static struct span span_of(const struct actio_table *table, size_t col)
{
    struct span s = { .col = col, .lo = HUGE_VAL, .hi = -HUGE_VAL };
    const struct actio_curve *curve = actio_curve_of(table, col);
    size_t count = curve ? curve->count : table->rows * actio_column_width(&table->col[col]);
    for (size_t i = 0; i < count; i++) {
        double x = curve ? curve->y[i] : table->data[col][i];
        if (!isfinite(x)) continue;
        s.lo = fmin(s.lo, x);
        s.hi = fmax(s.hi, x);
    }
    return s;
}

static double length_of(const struct span *s)
{
    double length = s->hi - s->lo;
    return length > 1e-13 * fmax(fabs(s->lo), fabs(s->hi)) ? length : 0; /* rounding is not a motion */
}

static int longest_first(const void *a, const void *b)
{
    double x = length_of(a), y = length_of(b);
    if (x != y) return x > y ? -1 : 1;
    return ((const struct span *)a)->col < ((const struct span *)b)->col ? -1 : 1;
}

static int by_column(const void *a, const void *b)
{
    return ((const struct span *)a)->col < ((const struct span *)b)->col ? -1 : 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_role(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->what->role != y->what->role) return x->what->role < y->what->role ? -1 : 1;
    return x->part - y->part;
}

/* Would each line of the group, and this one, still fill a fortieth of a common panel? */
static bool shares(const struct group *g, const struct span *s)
{
    double length = length_of(s), whole = fmax(g->hi, s->hi) - fmin(g->lo, s->lo);
    double least = length > 0 ? fmin(g->least, length) : g->least;
    return !(s->lo <= s->hi) || g->count == 0 || whole <= 40 * least || whole == 0;
}

static void choose_join(struct group *g, const struct span *s)
{
    double length = length_of(s);
    g->member[g->count++] = *s;
    if (!(s->lo <= s->hi)) return;
    g->lo = fmin(g->lo, s->lo);
    g->hi = fmax(g->hi, s->hi);
    if (length > 0) g->least = fmin(g->least, length);
}

/* One role's columns into at most MOST_PARTS groups; what fits nowhere goes into the last. */
static size_t split(const struct choice *c, const struct shown *what, struct span *all, size_t n, struct group *out)
{
    size_t parts = 0, most = actio_role_is_log(what->role) || what->change ? 1 : MOST_PARTS;
    qsort(all, n, sizeof *all, longest_first);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < parts && !shares(&out[k], &all[i])) k++;
        if (k == most) k = most - 1;
        if (k == parts) {
            out[parts++] = (struct group){ .what = what,
                                           .part = (int)k,
                                           .lo = HUGE_VAL,
                                           .hi = -HUGE_VAL,
                                           .least = HUGE_VAL,
                                           .member = actio_arena_array(c->arena, n, sizeof *all) };
        }
        choose_join(&out[k], &all[i]);
    }
    for (size_t k = 0; k < parts; k++) qsort(out[k].member, out[k].count, sizeof *all, by_column);
    return parts;
}

static size_t choose_collect(const struct choice *c, const struct shown *what, struct group *out)
{
    const struct actio_table *table = c->table;
    struct span *all = actio_arena_array(c->arena, table->cols + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < table->cols; i++)
        if (table->col[i].role == what->role && !table->col[i].nodes) all[n++] = span_of(table, i);
    for (size_t i = 0; i < n; i++)
        all[i].colour = n <= PALETTE ? palette[i] : ramp(n > 1 ? (double)i / (double)(n - 1) : 0);
    return n ? split(c, what, all, n, out) : 0;
}

/* Which of the members are drawn, when there are very many. */
static size_t lines_of(const struct group *g) { return g->count < MOST_LINES ? g->count : MOST_LINES; }
static const struct span *line_of(const struct group *g, size_t k)
{
    size_t n = lines_of(g);
    return &g->member[n > 1 ? k * (g->count - 1) / (n - 1) : 0];
}

static const char *unit_of(const struct actio_table *table, size_t col)
{
    return table->col[col].unit ? table->col[col].unit : "";
}

static bool one_unit(const struct actio_table *table, const struct group *g)
{
    for (size_t k = 1; k < g->count; k++)
        if (strcmp(unit_of(table, g->member[k].col), unit_of(table, g->member[0].col))) return false;
    return true;
}

const char *actio_with_unit(const struct actio_table *table, const char *name, size_t col, struct actio_arena *arena)
{
    const char *unit = actio_clean_text(unit_of(table, col), arena);
    return *unit ? actio_arena_format(arena, "%s [%s]", name, unit) : name;
}

static const char *with_unit(const struct choice *c, const char *name, size_t col)
{
    return actio_with_unit(c->table, name, col, c->arena);
}

/* In a panel of its role a column needs no prefix; only a multiplier keeps its letter. */
static const char *short_name(const struct choice *c, size_t col)
{
    const struct actio_column *column = &c->table->col[col];
    const char *dot = strchr(column->name, '.');
    /* of a principle or a width: no name of mathematics */
    if (column->role == ACTIO_ROLE_DIFFERENCE && dot) return actio_clean_text(dot + 1, c->arena);
    const char *name = actio_pretty_name(dot ? dot + 1 : column->name, c->arena);
    if (column->role != ACTIO_ROLE_LAMBDA) return name;
    return actio_arena_format(c->arena, "λ %s%s", name, column->unique ? "" : "*");
}

static const char *note_of(const struct choice *c, const struct group *g)
{
    struct actio_text t;
    bool unique = true;
    actio_text_open(&t, c->arena);
    for (size_t k = 0; k < g->count && g->what->role == ACTIO_ROLE_LAMBDA; k++)
        unique = unique && c->table->col[g->member[k].col].unique;
    if (!unique) actio_text_add(&t, "* one of many");
    if (lines_of(g) < g->count) actio_text_format(&t, "%s%zu of %zu", t.length ? ", " : "", lines_of(g), g->count);
    return t.s;
}

static struct actio_series line(const struct choice *c, size_t col, const char *label, uint32_t colour)
{
    const struct actio_curve *curve = actio_curve_of(c->table, col);
    struct actio_series s = {
        .x = c->time, .y = c->table->data[col], .rows = c->table->rows, .col = col, .label = label, .colour = colour
    };
    if (!curve) return s;
    s.x = curve->t;
    s.y = curve->y;
    s.rows = curve->count;
    return s;
}

static struct actio_panel over_time(const struct choice *c, const char *heading, const char *note, size_t lines)
{
    return (struct actio_panel){ .heading = heading,
                                 .note = note,
                                 .across = c->time_name,
                                 .up = "",
                                 .series = actio_arena_array(c->arena, lines, sizeof(struct actio_series)),
                                 .count = lines,
                                 .over_time = true };
}

static struct actio_panel panel_of_field(const struct choice *c, const struct group *g)
{
    struct actio_panel p = { 0 };
    if (g->kind == FILM) actio_panel_film(&p, c->table, g->across, g->col, c->time, c->arena);
    else {
        actio_panel_map(&p, c->table, g->col, c->time, c->arena);
        p.across = c->time_name;
    }
    return p;
}

static struct actio_panel panel_of(const struct choice *c, const struct group *g)
{
    if (g->kind != LINES) return panel_of_field(c, g);
    bool same = one_unit(c->table, g), alone = g->count == 1 && g->what->role == ACTIO_ROLE_ENERGY;
    const char *heading = g->what->heading ? g->what->heading : actio_role_heading(g->what->role);
    struct actio_panel p =
        over_time(c, same ? with_unit(c, heading, g->member[0].col) : heading, note_of(c, g), lines_of(g));
    p.is_log = actio_role_is_log(g->what->role);
    for (size_t k = 0; k < p.count; k++) {
        const struct span *s = line_of(g, k);
        const char *name = alone ? "" : short_name(c, s->col);
        p.series[k] = line(c, s->col, same ? name : with_unit(c, name, s->col), s->colour);
    }
    actio_panel_join(&p, c->picture, NULL, g->what->change, c->arena);
    if (g->what->change) p.note = c->picture->layers > 1 ? "E \xE2\x88\x92 E(0) of the line" : "E \xE2\x88\x92 E(0)";
    if (p.is_log && !*p.note) p.note = "absolute values";
    return p;
}

/* Fields of one role, each over time; coordinates have their shapes, too, one an axis. */
static size_t collect_fields(const struct choice *c, const struct shown *what, struct group *out)
{
    const struct actio_table *t = c->table;
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < t->cols; i++) {
        if (t->col[i].role != what->role || !t->col[i].nodes) continue;
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first =
                first && !(t->col[j].role == what->role && t->col[j].nodes && !strcmp(t->col[j].axis, t->col[i].axis));
        size_t mate = actio_field_mate(t, i);
        if (first && what->role == ACTIO_ROLE_COORD)
            out[n++] = (struct group){ .kind = FILM,
                                       .what = what,
                                       .part = -1,
                                       .across = mate < t->cols ? i : ACTIO_WHOLE,
                                       .col = mate < t->cols ? mate : i };
        out[n++] = (struct group){ .kind = MAP, .what = what, .part = MOST_PARTS + (int)seen++, .col = i };
    }
    return n;
}

static struct actio_panel *by_roles(const struct choice *c, size_t *count)
{
    enum { ROWS = sizeof shown / sizeof *shown };
    struct group *g = actio_arena_array(c->arena, ROWS * MOST_PARTS + 2 * c->table->cols, sizeof *g);
    size_t n = 0;
    for (size_t r = 0; r < ROWS; r++) {
        size_t parts = choose_collect(c, &shown[r], g + n);
        parts += collect_fields(c, &shown[r], g + n + parts);
        for (size_t k = 0; k < parts; k++) {
            g[n + k].rank = r < ALWAYS ? (int)r : (int)(ALWAYS + k * ROWS + r);
            g[n + k].order = n + k;
        }
        n += parts;
    }
    qsort(g, n, sizeof *g, by_rank);
    if (n > MOST_PANELS) n = MOST_PANELS;
    qsort(g, n, sizeof *g, by_role);
    struct actio_panel *p = actio_arena_array(c->arena, n + 1, sizeof *p);
    for (size_t k = 0; k < n; k++) p[k] = panel_of(c, &g[k]);
    *count = n;
    return p;
}

/* What an axis shows: a column, a node of a field, or (col ACTIO_WHOLE) the places on a line. */
struct spot {
    size_t col, node;
    const char *name;
};

static bool is_axis(const struct actio_table *table, const char *name)
{
    for (size_t c = 0; c < table->cols; c++)
        if (table->col[c].nodes && !strcmp(table->col[c].axis, name)) return true;
    return false;
}

static bool find_column(const struct choice *c, const char *s, size_t length, bool across, struct spot *spot)
{
    while (length && (*s == ' ' || *s == '\t')) {
        s++;
        length--;
    }
    while (length && (s[length - 1] == ' ' || s[length - 1] == '\t')) length--;
    char *name = actio_arena_text(c->arena, s, length);
    if (actio_table_cell(c->table, name, &spot->col, &spot->node)) {
        const struct actio_column *column = &c->table->col[spot->col];
        bool node = column->nodes && spot->node != ACTIO_WHOLE;
        spot->name = node ? actio_arena_format(c->arena, "%s[%zu]", column->name, spot->node) : column->name;
        return true;
    }
    if (across && is_axis(c->table, name)) {
        *spot = (struct spot){ ACTIO_WHOLE, ACTIO_WHOLE, name };
        return true;
    }
    const char **names = actio_arena_array(c->arena, c->table->cols + 1, sizeof *names);
    const char *list = "use one of the columns";
    for (size_t i = 0; i < c->table->cols; i++) {
        names[i] = c->table->col[i].name;
        if (i < 12) list = actio_arena_format(c->arena, "%s%s %s", list, i ? "," : "", names[i]);
    }
    if (c->table->cols > 12) list = actio_arena_format(c->arena, "%s, \xE2\x80\xA6", list);
    const char *near = actio_near_name(name, names, c->table->cols);
    if (near) list = actio_arena_format(c->arena, "did you mean '%s'?", near);
    actio_report(c->f, ACTIO_F_UNKNOWN_COLUMN, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(list)));
    return false;
}

static struct actio_series line_of_spot(const struct choice *c, const struct spot *s, size_t number)
{
    struct actio_series made = line(c, s->col, "", palette[number % PALETTE]);
    if (c->table->col[s->col].nodes) made.y = actio_table_values(c->table, s->col, s->node, c->arena);
    made.node = s->node;
    return made;
}

static struct actio_panel asked_over_time(const struct choice *c, const struct spot *s, size_t number)
{
    const struct actio_column *column = &c->table->col[s->col];
    if (s->node == ACTIO_WHOLE) return panel_of_field(c, &(struct group){ .kind = MAP, .col = s->col });
    const char *heading = with_unit(c, actio_pretty_name(s->name, c->arena), s->col);
    struct actio_panel p = over_time(c, heading, actio_clean_text(column->meaning, c->arena), 1);
    p.is_log = actio_role_is_log(column->role);
    p.series[0] = line_of_spot(c, s, number);
    actio_panel_join(&p, c->picture, NULL, false, c->arena);
    return p;
}

/* Equal units of length on both axes for a path, unless one of them would be squeezed to a line. */
bool actio_in_scale(const struct actio_table *table, size_t a, size_t b, double most)
{
    struct span x = span_of(table, a), y = span_of(table, b);
    double ratio = (x.hi - x.lo) / (y.hi - y.lo);
    return table->col[a].role == ACTIO_ROLE_COORD && table->col[b].role == ACTIO_ROLE_COORD
           && !strcmp(unit_of(table, a), unit_of(table, b)) && ratio < most && ratio > 1 / most;
}

static struct actio_panel asked_against(const struct choice *c, const struct spot *across, const struct spot *up,
                                        size_t number)
{
    if (up->node == ACTIO_WHOLE)
        return panel_of_field(c, &(struct group){ .kind = FILM, .across = across->col, .col = up->col });
    const char *x = actio_pretty_name(across->name, c->arena), *y = actio_pretty_name(up->name, c->arena);
    struct actio_panel p = over_time(c, actio_arena_format(c->arena, "%s against %s", y, x), "\xE2\x97\x8F start", 1);
    p.over_time = false;
    p.across = with_unit(c, x, across->col);
    p.up = with_unit(c, y, up->col);
    p.equal = actio_in_scale(c->table, across->col, up->col, 12);
    p.series[0] = line_of_spot(c, up, number);
    actio_series_against(&p.series[0], c->table, across->col, across->node, c->arena);
    actio_panel_join(&p, c->picture, across->name, false, c->arena);
    return p;
}

/* Two numbers of a row, two fields node by node, or a field along its axis. */
static bool go_together(const struct choice *c, const struct spot *a, const struct spot *b)
{
    const struct actio_column *x = a->col == ACTIO_WHOLE ? NULL : &c->table->col[a->col], *y = &c->table->col[b->col];
    bool good = !x                                                 ? b->node == ACTIO_WHOLE && !strcmp(a->name, y->axis)
                : a->node != ACTIO_WHOLE && b->node != ACTIO_WHOLE ? true
                                                                   : a->node == b->node && actio_same_axis(x, y);
    if (!good) actio_report(c->f, ACTIO_F_FIELD_AXES, ACTIO_ARGS(ACTIO_TEXT(a->name), ACTIO_TEXT(b->name)));
    return good;
}

/* The trend of the picture, behind the others. */
static struct actio_panel trend_of(const struct choice *c)
{
    const struct actio_table *t = c->picture->trend;
    static const uint32_t ink[] = { ACTIO_INK, ACTIO_BLUE };
    size_t count = t->cols > 1 ? t->cols - 1 : 0;
    struct actio_panel p = { .heading = actio_clean_text(t->from.description, c->arena),
                             .note = "",
                             .across = actio_clean_text(t->col[0].meaning, c->arena),
                             .up = "",
                             .series = actio_arena_array(c->arena, count + 1, sizeof *p.series),
                             .own = count,
                             .count = count,
                             .is_log = true,
                             .log_across = true };
    for (size_t i = 0; i < count; i++)
        p.series[i] = (struct actio_series){ .x = t->data[0],
                                             .y = t->data[1 + i],
                                             .rows = t->rows,
                                             .label = count > 1 ? actio_clean_text(t->col[1 + i].name, c->arena) : "",
                                             .colour = ink[i % 2],
                                             .width = 1.1,
                                             .radius = 3,
                                             .stride = 1 };
    return p;
}

/* axes = item {("," | ";") item};  item = column [":" column] */
static struct actio_panel *as_asked(const struct choice *c, const char *axes, size_t *count)
{
    size_t n = 0, cap = 0;
    struct spot a, b;
    struct actio_panel *p = NULL;
    for (const char *s = axes, *end;; s = end + 1) {
        end = s + strcspn(s, ",;");
        const char *colon = memchr(s, ':', (size_t)(end - s));
        if (n == MOST_ASKED || (colon && memchr(colon + 1, ':', (size_t)(end - colon - 1)))) {
            actio_report(c->f, ACTIO_F_BAD_AXES, ACTIO_ARGS(ACTIO_TEXT(axes)));
            return NULL;
        }
        if (!find_column(c, s, (size_t)((colon ? colon : end) - s), colon != NULL, &a)) return NULL;
        if (colon && (!find_column(c, colon + 1, (size_t)(end - colon - 1), false, &b) || !go_together(c, &a, &b)))
            return NULL;
        struct actio_panel made = colon ? asked_against(c, &a, &b, n) : asked_over_time(c, &a, n);
        ACTIO_PUSH(c->arena, p, n, cap) = made;
        if (!*end) break;
    }
    *count = n;
    return p;
}

static const double *row_numbers(const struct choice *c)
{
    double *x = actio_arena_array(c->arena, c->table->rows + 1, sizeof *x);
    for (size_t i = 0; i < c->table->rows; i++) x[i] = (double)i;
    return x;
}

struct actio_panel *actio_panels_choose(const struct actio_picture *picture, struct actio_arena *arena,
                                        struct actio_findings *f, size_t *count)
{
    const struct actio_table *table = picture->layer[0].table;
    struct choice c = { .picture = picture, .table = table, .arena = arena, .f = f };
    size_t time = actio_table_first(table, ACTIO_ROLE_TIME);
    c.time = time < table->cols ? table->data[time] : row_numbers(&c);
    c.time_name = time < table->cols ? with_unit(&c, actio_pretty_name(table->col[time].name, arena), time) : "row";
    struct actio_panel *p = picture->axes ? as_asked(&c, picture->axes, count) : by_roles(&c, count);
    if (!p || !picture->trend) return p;
    struct actio_panel *more = actio_arena_array(arena, *count + 1, sizeof *more);
    memcpy(more, p, *count * sizeof *p);
    more[(*count)++] = trend_of(&c);
    return more;
}
