/* SPDX-License-Identifier: Apache-2.0
 * Tables with fields on their way into files and pictures. With a folder as argument, writes samples there for
 * read_back.py and stops. */
#define _GNU_SOURCE
#include "check.h"

#include "result/canvas.h"
#include "result/output.h"
#include "result/plot.h"
#include "result/table.h"
#include <actio/actio.h>
#ifdef ACTIO_NATIVE
#include "native/native.h"
#include <unistd.h>
#endif

/* fontconfig, under cairo, keeps some memory until the end and the sanitizer takes it for lost. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }

static struct actio_context ctx;
static struct actio_findings found;
static struct actio_arena scratch;
static char folder[256], path[512];

/* ---- a chain that swings: t, x(s), y(s), x_dot(s), y_dot(s), lambda.link on cells, energy, residual.link on cells */
enum { T, X, Y, X_DOT, Y_DOT, LAMBDA, ENERGY, RESIDUAL, COLUMNS };
struct recipe {
    size_t nodes, rows;
    struct actio_table *table;
};

static double chain(size_t c, double s, double t)
{
    const double angle = .7 * cos(2.2 * t) + .35 * s * sin(5 * t), rate = -1.54 * sin(2.2 * t) + 1.75 * s * cos(5 * t);
    switch (c) {
    case X: return s * sin(angle);
    case Y: return -s * cos(angle);
    case X_DOT: return s * cos(angle) * rate;
    case Y_DOT: return s * sin(angle) * rate;
    case LAMBDA: return 9.8 * (1 - s) * cos(angle) + (1 - s * s) * rate * rate / 2;
    case RESIDUAL: return 1e-15 * sin(40 * s + 30 * t);
    default: return c == ENERGY ? 1 + 1e-12 * sin(9 * t) : t;
    }
}

static double *places(struct actio_arena *arena, size_t count, size_t cells, double shift)
{
    double *s = actio_arena_array(arena, count, sizeof *s);
    for (size_t k = 0; k < count; k++) s[k] = cells ? ((double)k + shift) / (double)cells : 0;
    return s;
}

static void cook(void *user)
{
    static const char *const name[] = { "t", "x", "y", "x_dot", "y_dot", "lambda.link", "energy", "residual.link" };
    static const enum actio_role role[] = {
        ACTIO_ROLE_TIME, ACTIO_ROLE_COORD,  ACTIO_ROLE_COORD,  ACTIO_ROLE_RATE,
        ACTIO_ROLE_RATE, ACTIO_ROLE_LAMBDA, ACTIO_ROLE_ENERGY, ACTIO_ROLE_RESIDUAL
    };
    struct recipe *r = user;
    struct actio_table *t = r->table = actio_table_create(&ctx);
    size_t cells = r->nodes - 1;
    const double *node = places(&t->arena, r->nodes, cells, 0), *cell = places(&t->arena, cells, cells, .5);
    t->rows = r->rows;
    t->col = actio_arena_array(&t->arena, COLUMNS, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, COLUMNS, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, COLUMNS, sizeof *t->error);
    for (size_t c = 0; c < COLUMNS; c++) {
        bool on_cells = c == LAMBDA || c == RESIDUAL, field = c != T && c != ENERGY;
        size_t nodes = field ? (on_cells ? cells : r->nodes) : 0;
        if (on_cells && !cells) continue; /* one node has no cells */
        struct actio_column *col = &t->col[t->cols];
        *col = (struct actio_column){ .name = name[c],
                                      .unit = "",
                                      .meaning = "",
                                      .role = role[c],
                                      .unique = true,
                                      .nodes = nodes,
                                      .axis = nodes ? "s" : NULL,
                                      .place = on_cells ? cell : node };
        double *x = t->data[t->cols] = actio_arena_array(&t->arena, t->rows * actio_column_width(col) + 1, sizeof *x);
        for (size_t i = 0; i < t->rows * actio_column_width(col); i++)
            x[i] = chain(c, nodes ? col->place[i % nodes] : 0, .02 * (double)(i / actio_column_width(col)));
        t->error[t->cols++] = 1e-10 * (double)(c + 1);
    }
    t->from.model = "chain";
    t->from.description = "A hanging chain that swings";
    t->from.by = "dalembert";
    t->from.method = "rattle";
    t->from.version = "0.1.0";
    t->reached = true;
    t->tol = 1e-9;
}

static struct actio_table *make_chain(size_t nodes, size_t rows)
{
    struct recipe r = { nodes, rows, NULL };
    CHECK(actio_attempt(&ctx, cook, &r) == 0);
    return r.table;
}

/* One field w(s): a wave on a string. */
static struct actio_table *make_string(size_t nodes, size_t rows)
{
    struct actio_table *t = make_chain(nodes, rows);
    t->cols = 2;
    t->col[X].name = "w";
    t->from.model = "string";
    t->from.description = "A wave on a string";
    for (size_t i = 0; i < rows * nodes; i++) {
        double s = t->col[X].place[i % nodes] - .3, at = .01 * (double)(i / nodes);
        t->data[X][i] = .01 * (exp(-200 * (s - at) * (s - at)) - .6 * exp(-200 * (s + at) * (s + at)));
    }
    return t;
}

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *contents(const char *file)
{
    static char buffer[1 << 23];
    FILE *in = fopen(file, "rb");
    size_t length = in ? fread(buffer, 1, sizeof buffer - 1, in) : 0;
    buffer[length] = 0;
    if (in) fclose(in);
    return buffer;
}

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

struct saying {
    void (*say)(const struct actio_table *, struct actio_text *);
    const struct actio_table *table;
    struct actio_text out;
};
static void say(void *user)
{
    struct saying *s = user;
    actio_text_open(&s->out, &scratch);
    s->say(s->table, &s->out);
}
static const char *text_of(void (*how)(const struct actio_table *, struct actio_text *),
                           const struct actio_table *table)
{
    struct saying s = { how, table, { 0 } };
    CHECK(actio_attempt(&ctx, say, &s) == 0);
    return s.out.s;
}

static enum actio_code last_code(void) { return found.count ? found.item[found.count - 1].code : 0; }
static void forget(void)
{
    actio_findings_close(&found);
    actio_findings_open(&found, &ctx);
}

static const char *svg_of(const struct actio_table *t, const char *axes)
{
    CHECK(actio_plot_write(&ctx, t, axes, in_folder("p.svg"), &found) == 0);
    const char *s = contents(path);
    CHECK(!strncmp(s, "<svg ", 5) && !strcmp(s + strlen(s) - 7, "</svg>\n") && !strstr(s, "nan")
          && !strstr(s, "inf\""));
    return s;
}

static const char *moving_of(const struct actio_table *t, const char *axes)
{
    CHECK(actio_animation_write(&ctx, t, axes, in_folder("a.svg"), &found) == 0);
    const char *s = contents(path);
    CHECK(!strncmp(s, "<svg ", 5) && !strcmp(s + strlen(s) - 7, "</svg>\n") && !strstr(s, "nan")
          && !strstr(s, "inf\""));
    return s;
}

/* ---- columns */
TEST(a_node_of_a_field_is_found_by_its_number)
{
    struct actio_table *t = make_chain(5, 3);
    static const struct {
        const char *name;
        size_t col, node;
    } good[] = {
        { "x[3]", X, 3 },        { "x_dot[4]", X_DOT, 4 },     { "x'[0]", X_DOT, 0 },   { "lambda.link[3]", LAMBDA, 3 },
        { "x", X, ACTIO_WHOLE }, { "x'", X_DOT, ACTIO_WHOLE }, { "energy", ENERGY, 0 },
    };
    static const char *const bad[] = {
        "x[5]", "lambda.link[4]",          "x[-1]", "x[]", "x[03]", "x[3", "x[3]]", "energy[0]", "z[0]",
        "[0]",  "x[99999999999999999999]", ""
    };
    size_t col, node;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(actio_table_cell(t, good[i].name, &col, &node) && col == good[i].col && node == good[i].node);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!actio_table_cell(t, bad[i], &col, &node));
    }
    t->col[ENERGY].name = "x[3]"; /* a member of a family of that name is a column */
    CHECK(actio_table_cell(t, "x[3]", &col, &node) && (col == X ? node == 3 : col == ENERGY));
    actio_table_free(t);
}

TEST(values_of_a_node_come_row_by_row)
{
    struct actio_table *t = make_chain(5, 4);
    const double *x = actio_table_values(t, Y, 3, &scratch);
    for (size_t r = 0; r < 4; r++) CHECK(x[r] == chain(Y, .75, .02 * (double)r));
    CHECK(actio_table_values(t, ENERGY, 0, &scratch) == t->data[ENERGY]);
    actio_table_free(t);
}

TEST(nodes_and_cells_of_an_axis_are_two_placements)
{
    struct actio_table *t = make_chain(5, 2);
    struct actio_placement *p;
    CHECK(actio_table_placements(t, &scratch, &p) == 2);
    CHECK(!strcmp(p[0].name, "s") && p[0].nodes == 5 && !strcmp(p[1].name, "s_cells") && p[1].nodes == 4
          && p[1].place[0] == .125);
    CHECK(actio_placement_of(p, 2, &t->col[RESIDUAL]) == 1 && actio_placement_of(p, 2, &t->col[Y_DOT]) == 0
          && actio_placement_of(p, 2, &t->col[T]) == 2);
    actio_table_free(t);
}

TEST(the_largest_error_is_judged_by_the_largest_node)
{
    struct actio_table *t = make_chain(5, 3);
    for (size_t c = 0; c < t->cols; c++) t->error[c] = 0;
    t->data[X][2 * 5 + 4] = -1000;
    t->error[X] = 1e-3;
    CHECK(fabs(actio_table_worst_error(t) - 1e-6) < 1e-18);
    actio_table_free(t);
}

TEST(the_library_hands_out_nodes_axis_and_places)
{
    struct actio_table *t = make_chain(5, 2);
    CHECK(actio_table_nodes(t, X) == 5 && actio_table_nodes(t, LAMBDA) == 4 && actio_table_nodes(t, ENERGY) == 0);
    CHECK(!strcmp(actio_table_axis(t, X), "s") && !strcmp(actio_table_axis(t, T), ""));
    CHECK(actio_table_places(t, LAMBDA)[3] == .875 && actio_table_places(t, T) == NULL);
    CHECK(actio_table_data(t, Y)[5 + 2] == chain(Y, .5, .02));
    CHECK(actio_table_info(t).t_end == .02);
    actio_table_free(t);
}

/* ---- texts */
TEST(csv_has_a_column_for_each_node)
{
    struct actio_table *t = make_chain(2, 1);
    const char *s = text_of(actio_csv_text, t);
    static const char head[] =
        "t,x[0],x[1],y[0],y[1],x_dot[0],x_dot[1],y_dot[0],y_dot[1],lambda.link[0],energy,residual.link[0]\n";
    CHECK(!strncmp(s, head, strlen(head)));
    CHECK(count_of(s, ",") == 2 * 11 && count_of(s, "\n") == 2);
    t->col[X].name = "a,b";
    CHECK(strstr(text_of(actio_csv_text, t), "t,\"a,b[0]\",\"a,b[1]\",y[0]") != NULL);
    actio_table_free(t);
}

/* The most that a context had at a time. */
static size_t most_bytes;
static actio_allocate_fn normal;
static void *watching(void *user, void *old, size_t size)
{
    if (ctx.bytes > most_bytes) most_bytes = ctx.bytes;
    return normal(user, old, size);
}

TEST(a_header_of_a_million_names_is_never_held_in_full)
{
    struct actio_table *t = make_chain(200000, 1);
    size_t before = ctx.bytes;
    normal = ctx.allocate;
    most_bytes = 0;
    ctx.allocate = watching;
    CHECK(actio_result_write(&ctx, t, in_folder("long.csv"), &found) == 0);
    ctx.allocate = normal;
    FILE *in = fopen(path, "rb");
    CHECK(in && fseek(in, 0, SEEK_END) == 0 && ftell(in) > 20000000);
    if (in) fclose(in);
    remove(path);
    CHECK(most_bytes < before + 1000000);
    actio_table_free(t);
}

TEST(the_summary_has_a_span_of_each_field_and_few_nodes_by_name)
{
    struct actio_table *t = make_chain(3, 2);
    for (size_t i = 0; i < 6; i++) {
        t->data[X][i] = (double)i;
        t->data[Y][i] = i == 4 ? NAN : (double)i;
    }
    const char *s = text_of(actio_json_summary, t);
    CHECK(strstr(s, "\"x\": {\"nodes\": 3, \"first\": 3, \"last\": 5, \"min\": 3, \"max\": 5}, \"x[0]\": 3, \"x[1]\": "
                    "4, \"x[2]\": 5, \"y\": {")
          != NULL);
    CHECK(strstr(s, "\"y[0]\": 3, \"y[1]\": null, \"y[2]\": 5") && strstr(s, "\"t\": 0.02")
          && strstr(s, "\"error\": {\"t\": 1e-10, \"x\": 2e-10"));
    actio_table_free(t);
    t = make_chain(65, 2);
    s = text_of(actio_json_summary, t);
    CHECK(!strstr(s, "\"x[0]\"") && strstr(s, "\"lambda.link[63]\"") && strstr(s, "\"x\": {\"nodes\": 65"));
    t->rows = 0;
    CHECK(strstr(text_of(actio_json_summary, t),
                 "\"x\": {\"nodes\": 65, \"first\": null, \"last\": null, \"min\": null, \"max\": null}")
          != NULL);
    actio_table_free(t);
}

/* ---- colours */
static double lightness(uint32_t c)
{
    double y = 0;
    static const double part[] = { .2126, .7152, .0722 };
    for (int i = 0; i < 3; i++) {
        double v = (double)(c >> (16 - 8 * i) & 255) / 255;
        y += part[i] * (v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4));
    }
    return y > .008856 ? 116 * cbrt(y) - 16 : 903.3 * y; /* CIE L*, another measure than the one they are made by */
}

TEST(colours_grow_lighter_in_even_steps)
{
    double least = 100, most = 0;
    for (int i = 0; i < 16; i++) {
        double step = lightness(actio_colour_even((i + 1) / 16.0)) - lightness(actio_colour_even(i / 16.0));
        least = fmin(least, step);
        most = fmax(most, step);
        /* neither sign weighs more */
        CHECK(fabs(lightness(actio_colour_centred((i + 1) / 16.0)) - lightness(actio_colour_centred(-(i + 1) / 16.0)))
              < 6);
        CHECK(lightness(actio_colour_shade((i + 1) / 16.0)) < lightness(actio_colour_shade(i / 16.0)));
    }
    CHECK(least > 2.5 && most < 6);
}

/* ---- pictures */
TEST(fields_have_a_panel_each_and_coordinates_their_shape)
{
    struct actio_table *t = make_chain(65, 101);
    const char *s = svg_of(t, NULL);
    CHECK(count_of(s, "clipPath id") == 6 && strstr(s, "shape (x, y)") && strstr(s, "x(s)") && strstr(s, "λ link(s)")
          && strstr(s, "energy change"));
    CHECK(count_of(s, "<polyline") < 250 && strlen(s) < 1200000); /* no line a node */
    CHECK(strstr(s, "t = 0<") && strstr(s, "t = 2<"));
    actio_table_free(t);
    t = make_string(300, 80);
    s = svg_of(t, NULL);
    CHECK(count_of(s, "clipPath id") == 2 && strstr(s, "w along s") && strstr(s, "w(s)"));
    actio_table_free(t);
}

TEST(pictures_of_fields_stand_any_size_and_any_value)
{
    static const size_t nodes[] = { 1, 2, 5, 300 }, rows[] = { 0, 1, 2, 700 };
    static const double fill[] = { 0, 1, NAN, INFINITY, 1e308 };
    for (size_t n = 0; n < 4; n++)
        for (size_t r = 0; r < 4; r++) {
            struct actio_table *t = make_chain(nodes[n], rows[r]);
            svg_of(t, NULL);
            svg_of(t, "x:y,x,s:x,x[0],x[0]:y[0]");
            if (rows[r]) {
                moving_of(t, NULL);
                moving_of(t, "x");
            }
            for (size_t k = 0; k < sizeof fill / sizeof *fill; k++) {
                for (size_t i = 0; i < t->rows * nodes[n]; i++) t->data[X][i] = t->data[Y][i] = fill[k];
                svg_of(t, NULL);
                if (rows[r]) moving_of(t, NULL);
            }
            actio_table_free(t);
        }
    CHECK(found.count == 0);
}

TEST(what_is_no_number_is_grey)
{
    struct actio_table *t = make_chain(5, 4);
    CHECK(!strstr(svg_of(t, "x"), "#bdbdbd"));
    t->data[X][7] = NAN;
    const char *grey = strstr(svg_of(t, "x"), "#bdbdbd");
    /* one tile */
    CHECK(grey && count_of(grey, "#bdbdbd") == 1 && strchr(grey, 'z')
          && strchr(strchr(grey, 'z'), '"') == strchr(grey, 'z') + 1);
    actio_table_free(t);
}

TEST(axes_choose_shape_map_profile_or_node)
{
    struct actio_table *t = make_chain(5, 40);
    CHECK(count_of(svg_of(t, "x:y"), "clipPath id") == 1 && count_of(svg_of(t, "x"), "<path") > 64
          && strstr(svg_of(t, "s:x"), "x along s"));
    CHECK(strstr(svg_of(t, "x[3]"), "x₃") && count_of(contents(path), "<path") == 0
          && strstr(svg_of(t, "x[3]:y'[4]"), "y′₄ against x₃"));
    CHECK(count_of(svg_of(t, "x:y;x,y;energy"), "clipPath id") == 4);
    actio_table_free(t);
}

TEST(axes_that_do_not_go_together_are_refused)
{
    static const char *const bad[] = { "x:energy", "energy:x", "x:lambda.link", "x:y[0]", "s:energy", "s:x[0]" };
    struct actio_table *t = make_chain(5, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(actio_plot_write(&ctx, t, bad[i], in_folder("no.svg"), &found) == 1 && last_code() == ACTIO_F_FIELD_AXES);
        forget();
    }
    CHECK(actio_plot_write(&ctx, t, "s", in_folder("no.svg"), &found) == 1 && last_code() == ACTIO_F_UNKNOWN_COLUMN);
    CHECK(actio_plot_write(&ctx, t, "x[5]", in_folder("no.svg"), &found) == 1 && last_code() == ACTIO_F_UNKNOWN_COLUMN);
    forget();
    actio_table_free(t);
}

TEST(further_tables_lie_over_a_node)
{
    struct actio_table *a = make_chain(5, 40), *b = make_chain(5, 20), *c = make_chain(2, 20);
    struct actio_layer layer[] = { { a, "first" }, { b, "second" }, { c, "third" } };
    struct actio_picture p = { .layer = layer, .layers = 3, .axes = "x[3],x" };
    CHECK(actio_picture_write(&ctx, &p, in_folder("l.svg"), &found) == 0);
    CHECK(count_of(contents(path), "<circle") == 20 + 4); /* the third has no such node */
    actio_table_free(a);
    actio_table_free(b);
    actio_table_free(c);
}

/* ---- what moves */
TEST(an_animation_has_a_shape_that_moves_and_a_time_that_changes)
{
    struct actio_table *t = make_chain(300, 500);
    const char *s = moving_of(t, NULL), *values = strstr(s, " values=\""),
               *end = values ? strchr(values + 9, '"') : NULL;
    CHECK(count_of(s, "<polyline fill=\"none\" stroke-linejoin=\"round\"") > 3
          && count_of(s, "attributeName=\"points\"") == 1 && count_of(s, "attributeName=\"cx\"") == 3);
    size_t frames = 1, vertices = 1;
    for (const char *p = values; p && p < end; p++) frames += *p == ';';
    for (const char *p = values + 9; p < end && *p != ';'; p++) vertices += *p == ' ';
    CHECK(frames == 120 && vertices == 200);
    CHECK(count_of(s, "repeatCount=\"indefinite\"") == 7 + 40 && count_of(s, "dur=\"9.98s\"") == 7 + 40
          && count_of(s, " visibility=\"hidden\"") == 39);
    CHECK(strstr(s, "keyTimes=\"0;") && strstr(s, ";1\"") && !strstr(s, "<script"));
    actio_table_free(t);
}

static double seconds_of(const struct actio_table *t)
{
    const char *dur = strstr(moving_of(t, NULL), "dur=\"");
    return dur ? strtod(dur + 5, NULL) : 0;
}

TEST(an_animation_takes_two_to_twenty_seconds)
{
    struct actio_table *t = make_chain(5, 11);
    static const double span[][2] = { { 1e-6, 2 }, { 3, 3 }, { 1e6, 20 }, { -7, 7 } };
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < t->rows; i++) t->data[T][i] = 1 + span[k][0] * (double)i / 10;
        CHECK(fabs(seconds_of(t) - span[k][1]) < 1e-2);
    }
    actio_table_free(t);
}

TEST(one_field_moves_as_a_profile)
{
    struct actio_table *t = make_string(33, 20);
    const char *s = moving_of(t, NULL);
    CHECK(strstr(s, "w along s") && count_of(s, "attributeName=\"points\"") == 1
          && count_of(s, "attributeName=\"cx\"") == 0);
    actio_table_free(t);
    t = make_chain(5, 4);
    CHECK(strstr(moving_of(t, "y"), "y along s") && strstr(moving_of(t, "energy,y:x"), "shape (y, x)"));
    actio_table_free(t);
}

TEST(without_a_field_nothing_is_animated)
{
    struct actio_table *t = make_chain(5, 4);
    remove(in_folder("none.svg"));
    CHECK(actio_animation_write(&ctx, t, "energy", in_folder("none.svg"), &found) == 1
          && last_code() == ACTIO_F_NO_FIELD);
    CHECK(actio_animation_write(&ctx, t, "q", in_folder("none.svg"), &found) == 1
          && last_code() == ACTIO_F_UNKNOWN_COLUMN);
    CHECK(actio_animation_write(&ctx, t, NULL, in_folder("none.png"), &found) == 1
          && last_code() == ACTIO_F_UNKNOWN_ENDING);
    t->cols = 1;
    CHECK(actio_animation_write(&ctx, t, NULL, in_folder("none.svg"), &found) == 1 && last_code() == ACTIO_F_NO_FIELD);
    FILE *in = fopen(in_folder("none.svg"), "rb");
    CHECK(in == NULL);
    if (in) fclose(in);
    forget();
    actio_table_free(t);
}

/* An allocator that fails at the n-th call. */
static size_t calls_left;
static void *failing(void *user, void *old, size_t size)
{
    (void)user;
    if (!size) {
        free(old);
        return NULL;
    }
    return calls_left == 0 ? NULL : (calls_left--, realloc(old, size));
}

static int write_all(const struct actio_table *t)
{
    static const char *const files[] = { "m.csv", "m.json", "m.npz", "m.h5" };
    int bad = 0;
    for (size_t i = 0; i < 4; i++) {
        if (actio_writer_for(files[i])) bad |= actio_result_write(&ctx, t, in_folder(files[i]), &found);
        remove(in_folder(files[i]));
    }
    bad |= actio_plot_write(&ctx, t, NULL, in_folder("p.svg"), &found);
    return bad | actio_animation_write(&ctx, t, NULL, in_folder("a.svg"), &found);
}

TEST(running_out_of_memory_leaves_no_memory_behind)
{
    struct actio_table *t = make_chain(5, 20);
    actio_allocate_fn usual = ctx.allocate;
    size_t before = 0;
    int bad = 1;
    for (size_t n = 0; bad && n < 500; n++) {
        actio_findings_close(&found);
        ctx.allocate = failing;
        calls_left = n;
        actio_findings_open(&found, &ctx);
        bad = write_all(t);
        actio_findings_close(&found);
        CHECK(ctx.bytes == before || n == 0);
        if (n == 0) before = ctx.bytes;
        ctx.allocate = usual;
        actio_findings_open(&found, &ctx);
    }
    CHECK(bad == 0);
    actio_table_free(t);
}

/* ---- samples for read_back.py: the data behind them, column by column, with its number of nodes */
static void write_raw(const struct actio_table *t, const char *stem)
{
    char name[64];
    snprintf(name, sizeof name, "%s.raw", stem);
    FILE *out = fopen(in_folder(name), "wb");
    for (size_t c = 0; out && c < t->cols; c++) {
        fprintf(out, "%s %zu %zu\n", t->col[c].name, t->rows, t->col[c].nodes);
        fwrite(t->data[c], sizeof **t->data, t->rows * actio_column_width(&t->col[c]), out);
    }
    if (out) fclose(out);
}

/* What was asked for, with events, and a part of the field without values. */
static void write_asked(void)
{
    static struct actio_event events[] = { { .t = .5, .kind = "event", .name = "apex" },
                                           { .t = 1.7, .kind = "event", .name = "low" } };
    struct actio_table *t = make_chain(300, 150);
    t->event = events;
    t->events = 2;
    for (size_t i = 40; i < 60; i++)
        for (size_t k = 100; k < 160; k++) t->data[X_DOT][i * 300 + k] = NAN;
    CHECK(actio_plot_write(&ctx, t, "x:y,x',residual.link,x[250],s:y", in_folder("asked.svg"), &found) == 0);
    actio_table_free(t);
}

static void write_samples(void)
{
    write_asked();
    static const struct {
        const char *stem;
        size_t nodes, rows;
        bool string;
    } sample[] = {
        { "f1", 1, 20, 0 }, { "f2", 2, 20, 0 }, { "f5", 5, 20, 0 }, { "f300", 300, 150, 0 }, { "w300", 300, 90, 1 }
    };
    static const char *const endings[] = { "csv", "json", "npz", "h5", "svg", "png", "pdf" };
    char name[64];
    for (size_t k = 0; k < sizeof sample / sizeof *sample; k++) {
        struct actio_table *t = sample[k].string ? make_string(sample[k].nodes, sample[k].rows)
                                                 : make_chain(sample[k].nodes, sample[k].rows);
        if (sample[k].nodes == 2) t->col[ENERGY].name = "axis"; /* what HDF5 would call its group */
        snprintf(name, sizeof name, "%s.moving.svg", sample[k].stem);
        CHECK(actio_animation_write(&ctx, t, NULL, in_folder(name), &found) == 0);
        for (size_t i = sizeof endings / sizeof *endings; i-- > 0;) {
            snprintf(name, sizeof name, "%s.%s", sample[k].stem, endings[i]);
            if (i == 3) {
                t->data[X][0] = NAN;
                t->data[X][t->rows * sample[k].nodes - 1] = -0.0;
                t->data[X][t->rows] = 1.0 / 3; /* pictures come first */
            }
            if (actio_plot_fits(name)) CHECK(actio_plot_write(&ctx, t, NULL, in_folder(name), &found) == 0);
            else if (actio_writer_for(name)) CHECK(actio_result_write(&ctx, t, in_folder(name), &found) == 0);
        }
        write_raw(t, sample[k].stem);
        actio_table_free(t);
    }
}

static void run_all(void)
{
    RUN(a_node_of_a_field_is_found_by_its_number);
    RUN(values_of_a_node_come_row_by_row);
    RUN(nodes_and_cells_of_an_axis_are_two_placements);
    RUN(the_largest_error_is_judged_by_the_largest_node);
    RUN(the_library_hands_out_nodes_axis_and_places);
    RUN(csv_has_a_column_for_each_node);
    RUN(a_header_of_a_million_names_is_never_held_in_full);
    RUN(the_summary_has_a_span_of_each_field_and_few_nodes_by_name);
    RUN(colours_grow_lighter_in_even_steps);
    RUN(fields_have_a_panel_each_and_coordinates_their_shape);
    RUN(pictures_of_fields_stand_any_size_and_any_value);
    RUN(what_is_no_number_is_grey);
    RUN(axes_choose_shape_map_profile_or_node);
    RUN(axes_that_do_not_go_together_are_refused);
    RUN(further_tables_lie_over_a_node);
    RUN(an_animation_has_a_shape_that_moves_and_a_time_that_changes);
    RUN(an_animation_takes_two_to_twenty_seconds);
    RUN(one_field_moves_as_a_profile);
    RUN(without_a_field_nothing_is_animated);
    RUN(running_out_of_memory_leaves_no_memory_behind);
}

static void make_folder(void)
{
#ifdef ACTIO_NATIVE
    strcpy(folder, "/tmp/actio_test_fields.XXXXXX");
    if (!mkdtemp(folder)) exit(1);
#else
    strcpy(folder, ".");
#endif
}

static void remove_folder(void)
{
    static const char *const left[] = { "p.svg", "a.svg", "l.svg" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) remove(in_folder(left[i]));
#ifdef ACTIO_NATIVE
    rmdir(folder);
#endif
}

int main(int argc, char **argv)
{
    actio_context_init(&ctx);
    actio_findings_open(&found, &ctx);
    actio_arena_open(&scratch, &ctx);
#ifdef ACTIO_NATIVE
    actio_native_register();
#endif
    if (argc > 1) snprintf(folder, sizeof folder, "%s", argv[1]);
    else make_folder();
    if (argc > 1) RUN(write_samples);
    else run_all();
    if (argc == 1) remove_folder();
    actio_arena_close(&scratch);
    actio_findings_close(&found);
    return DONE();
}
