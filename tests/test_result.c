/* SPDX-License-Identifier: Apache-2.0
 * Tables on their way into files. With a folder as argument, writes samples there for read_back.py and stops. */
#define _GNU_SOURCE
#include "check.h"

#include "result/canvas.h"
#include "result/output.h"
#include "result/plot.h"
#include "result/table.h"
#ifdef ACTIO_NATIVE
#include "native/native.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* fontconfig, under cairo, keeps some memory until the end and the sanitizer takes it for lost. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }

static struct actio_context ctx;
static struct actio_findings found;
static char folder[256], path[512];

/* ---- a table to play with */
struct recipe {
    size_t cols, rows;
    struct actio_table *table;
};

static void cook(void *user)
{
    struct recipe *r = user;
    struct actio_table *t = actio_table_create(&ctx);
    r->table = t;
    t->cols = r->cols;
    t->rows = r->rows;
    t->col = actio_arena_array(&t->arena, t->cols, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, t->cols, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, t->cols, sizeof *t->error);
    for (size_t c = 0; c < t->cols; c++) {
        t->col[c] = (struct actio_column){
            .name = actio_arena_format(&t->arena, "c%zu", c), .unit = "", .meaning = "", .unique = true
        };
        t->col[c].role = c ? ACTIO_ROLE_COORD : ACTIO_ROLE_TIME;
        t->data[c] = actio_arena_array(&t->arena, t->rows, sizeof **t->data);
        for (size_t i = 0; i < t->rows; i++) t->data[c][i] = c ? sin((double)(c * i)) : .1 * (double)i;
    }
    t->from.model = "sample";
    t->from.by = "dalembert";
    t->from.method = "dop853";
    t->from.version = "0.1.0";
    t->reached = true;
}

static struct actio_table *make_table(size_t cols, size_t rows)
{
    struct recipe r = { cols, rows, NULL };
    CHECK(actio_attempt(&ctx, cook, &r) == 0);
    return r.table;
}

static double random_double(void)
{
    static uint64_t state = 88172645463325252u;
    double x;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy(&x, &state, sizeof x);
    return x;
}

/* Names, units and values of all the awkward kinds. */
static struct actio_table *make_sample(void)
{
    static const char *const names[] = { "t",
                                         "x",
                                         "θ",
                                         "x_dot[1]",
                                         "lambda.roll",
                                         "error",
                                         "with,comma",
                                         "with \"quotes\"",
                                         "events",
                                         "energy",
                                         "residual.roll" };
    static const enum actio_role roles[] = { ACTIO_ROLE_TIME,    ACTIO_ROLE_COORD,   ACTIO_ROLE_COORD,
                                             ACTIO_ROLE_RATE,    ACTIO_ROLE_LAMBDA,  ACTIO_ROLE_OBSERVE,
                                             ACTIO_ROLE_OBSERVE, ACTIO_ROLE_OBSERVE, ACTIO_ROLE_OBSERVE,
                                             ACTIO_ROLE_ENERGY,  ACTIO_ROLE_RESIDUAL };
    static const double odd[] = {
        0.0, -0.0,   4.9406564584124654e-324, 2.2250738585072014e-308, 1.7976931348623157e308, NAN, INFINITY, -INFINITY,
        0.1, 1.0 / 3
    };
    static struct actio_event events[] = { { .t = 0.5, .kind = "event", .name = "apex <&> \"θ\"", .value = 2 },
                                           { .t = 1.25, .kind = "contact", .value = NAN } };
    static const char *coord[] = { "x", "β" }, *velocity[] = { "x_dot", "β_dot" };
    static double place[] = { 0.1, -0.0 }, before[] = { 3, 1e300 }, after[] = { -3, 5e-324 };
    static struct actio_setting params[] = { { "g", 9.8 }, { "α", 0.1 } };
    struct actio_table *t = make_table(sizeof names / sizeof *names, 500);
    for (size_t c = 0; c < t->cols; c++) {
        t->col[c].name = names[c];
        t->col[c].role = roles[c];
        t->col[c].unit = c % 3 ? "" : "m/s^2";
        t->col[c].meaning = "a \\ b\n</script>\xE2\x80\xA8";
        t->error[c] = c == 4 ? NAN : 1e-12 * (double)c;
        for (size_t i = 0; i < t->rows && c; i++) t->data[c][i] = i < 10 ? odd[(i + c) % 10] : random_double();
    }
    t->from.description = "line one\nline two <script>alert(1)</script> \xFF\xC0\xAF";
    t->from.source = "model sample\n# θ\ttab \x01\n";
    t->from.file = "dir/sample.act";
    events[1].place = place;
    events[1].before = before;
    events[1].after = after;
    events[1].energy = 0.3;
    events[1].line = 7;
    t->coord = coord;
    t->velocity = velocity;
    t->coords = 2;
    t->event = events;
    t->events = 2;
    t->from.param = params;
    t->from.params = 2;
    t->from.start = params;
    t->from.starts = 1;
    t->tol = 1e-9;
    t->holds_until = 49.9;
    t->steps = 7;
    t->rhs = 91;
    t->seconds = .25;
    t->residual = 3e-16;
    return t;
}

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *contents(const char *file, size_t *length)
{
    static char buffer[1 << 20];
    FILE *in = fopen(file, "rb");
    *length = in ? fread(buffer, 1, sizeof buffer - 1, in) : 0;
    buffer[*length] = 0;
    if (in) fclose(in);
    return in ? buffer : NULL;
}

static bool holds(const char *file, const char *text)
{
    size_t n;
    char *got = contents(file, &n);
    return got && !strcmp(got, text);
}

static struct actio_arena scratch;
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

static int last_status(void) { return found.count ? actio_finding_status(&found.item[found.count - 1]) : 0; }
static void forget(void)
{
    actio_findings_close(&found);
    actio_findings_open(&found, &ctx);
}

/* ---- texts */
TEST(csv_has_a_line_of_names_and_a_line_for_each_row)
{
    struct actio_table *t = make_table(2, 3);
    t->col[0].name = "t";
    t->col[1].name = "a,\"b\"";
    t->data[1][0] = NAN;
    t->data[1][1] = -INFINITY;
    t->data[1][2] = -0.25;
    t->data[0][1] = .5;
    t->data[0][2] = 1;
    CHECK(!strcmp(text_of(actio_csv_text, t), "t,\"a,\"\"b\"\"\"\n0,nan\n0.5,-inf\n1,-0.25\n"));
    actio_table_free(t);
}

TEST(csv_numbers_read_back_exactly)
{
    struct actio_table *t = make_table(1, 20000);
    for (size_t i = 0; i < t->rows; i++) t->data[0][i] = random_double();
    char *p = strchr((char *)(uintptr_t)text_of(actio_csv_text, t), '\n');
    size_t wrong = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double x = strtod(p, &p);
        wrong += memcmp(&x, &t->data[0][i], sizeof x) != 0 && !(isnan(x) && isnan(t->data[0][i]));
    }
    CHECK(wrong == 0);
    actio_table_free(t);
}

TEST(summary_has_the_keys_that_scripts_rely_on)
{
    struct actio_table *t = make_table(2, 3);
    t->error[1] = NAN;
    t->status = 3;
    t->steps = 12;
    const char *s = text_of(actio_json_summary, t);
    static const char *const keys[] = { "\"by\": \"dalembert\"",
                                        "\"status\": 3",
                                        "\"t\": 0.2",
                                        "\"end\": {\"c0\": 0.2",
                                        "\"error\": {\"c0\": 0, \"c1\": null}",
                                        "\"energy_drift\": null",
                                        "\"residual\": ",
                                        "\"events\": []",
                                        "\"steps\": 12",
                                        "\"seconds\": 0" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CHECK(strstr(s, keys[i]) != NULL);
    }
    CHECK(s[0] == '{' && s[strlen(s) - 1] == '}');
    t->local_only = true;
    t->error[0] = 1;
    CHECK(strstr(text_of(actio_json_summary, t), "\"error\": {\"c0\": null") != NULL);
    actio_table_free(t);
}

static void escapes(const struct actio_table *table, struct actio_text *out)
{
    (void)table;
    actio_json_string(out, "\"\\\n\x01\xE2\x80\xA8</\xFF\xED\xA0\x80\xC3");
    actio_xml_string(out, "<a b='\"&\x02\xC0\xAF\xCE\xB8>");
    actio_fixed(out, -0.004, 2, true);
    actio_fixed(out, -1234.5, 2, true);
    actio_fixed(out, .999, 2, false);
}
TEST(hostile_texts_are_escaped)
{
    CHECK(!strcmp(text_of(escapes, NULL),
                  "\"\\\"\\\\\\n\\u0001\\u2028\\u003c/\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""
                  "&lt;a b=&#39;&quot;&amp; \xEF\xBF\xBD\xEF\xBF\xBD\xCE\xB8&gt;0-1234.51.00"));
}

static void names(const struct actio_table *table, struct actio_text *out)
{
    static const char *const from[] = {
        "theta_dot", "x_dot[12]", "lambda.roll", "phi_1", "I_S", "theta_wheel", "eta2"
    };
    (void)table;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        actio_text_format(out, "%s|", actio_pretty_name(from[i], out->arena));
}
TEST(names_in_pictures_are_written_as_by_hand)
{
    CHECK(!strcmp(text_of(names, NULL), "θ′|x′₁₂|λ roll|φ₁|I_S|θ_wheel|η₂|"));
}

static void ticks(const struct actio_table *table, struct actio_text *out)
{
    static const struct {
        double lo, hi;
        bool is_log;
    } range[] = {
        { -1, 1, 0 },        { 0, 6.28, 0 },  { 3, 3, 0 },          { -2e-14, 3e-14, 0 }, { 1000, 1000 + 2e-7, 0 },
        { -16.3, -12.2, 1 }, { NAN, NAN, 0 }, { -1e308, 1e308, 0 },
    };
    double v;
    (void)table;
    for (size_t r = 0; r < sizeof range / sizeof *range; r++) {
        struct actio_scale s = actio_scale_make(range[r].lo, range[r].hi, range[r].is_log, 0, 3);
        for (int i = 0; actio_scale_tick(&s, i, &v); i++)
            actio_text_format(out, "%s ", actio_scale_label(&s, v, out->arena));
        actio_text_format(out, "%s|", actio_scale_note(&s, out->arena));
    }
}
TEST(ticks_stand_at_round_numbers_with_short_labels)
{
    CHECK(!strcmp(text_of(ticks, NULL),
                  "−1.0 −0.5 0.0 0.5 1.0 |0 2 4 6 |2.8 3.0 3.2 |−2 0 2 ×10⁻¹⁴|0.0 0.5 1.0 1.5 2.0 ×10⁻⁷ + 1000|"
                  "10⁻¹⁶ 10⁻¹⁴ 10⁻¹² |0.0 0.2 0.4 0.6 0.8 1.0 |−1.0 −0.5 0.0 0.5 1.0 ×10³⁰⁰|"));
}

/* ---- files */
TEST(the_ending_chooses_the_writer)
{
    struct actio_table *t = make_table(2, 3);
    CHECK(actio_writer_for("a.csv") == &actio_write_csv && actio_writer_for("A.CSV") == &actio_write_csv
          && actio_writer_for("-") == &actio_write_csv);
    CHECK(actio_writer_for("x.npz") == &actio_write_npz && actio_writer_for(".json") == &actio_write_json
          && actio_writer_for("csv") == NULL);
    CHECK(actio_result_write(&ctx, t, in_folder("a.xlsx"), &found) == 1 && last_status() == 2);
    CHECK(actio_plot_write(&ctx, t, NULL, in_folder("a.gif"), &found) == 1 && last_status() == 2);
    CHECK(actio_plot_fits("a.svg") && !actio_plot_fits("a.csv"));
    actio_table_free(t);
    forget();
}

TEST(an_existing_file_is_replaced)
{
    CHECK(actio_file_write(&ctx, in_folder("-a.txt"), "old", 3, &found) == 0 && holds(path, "old"));
    CHECK(actio_file_write(&ctx, path, "new", 3, &found) == 0 && holds(path, "new"));
    CHECK(found.count == 0);
}

TEST(what_cannot_be_written_is_a_finding_with_status_5)
{
    static const char *const bad[] = { "", "/nonexistent/a.csv" };
    for (size_t i = 0; i < 2; i++) {
        CHECK(actio_file_write(&ctx, bad[i], "x", 1, &found) == 1 && last_status() == 5);
    }
    CHECK(actio_file_write(&ctx, folder, "x", 1, &found) == 1);
    forget();
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
    for (size_t i = 0; i < 4; i++)
        if (actio_writer_for(files[i])) bad |= actio_result_write(&ctx, t, in_folder(files[i]), &found);
    return bad | actio_plot_write(&ctx, t, NULL, in_folder("m.svg"), &found)
           | actio_plot_write(&ctx, t, "c1:c2,c1", in_folder("n.svg"), &found);
}

TEST(running_out_of_memory_leaves_no_memory_and_no_temporary_behind)
{
    struct actio_table *t = make_table(4, 5000);
    actio_allocate_fn normal = ctx.allocate;
    size_t before = ctx.bytes;
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
        ctx.allocate = normal;
        actio_pardon(&ctx, 0); /* a public call ends so */
        actio_findings_open(&found, &ctx);
    }
    CHECK(bad == 0);
    actio_table_free(t);
}

#ifdef ACTIO_NATIVE
static int temporaries(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) n += !strncmp(e->d_name, ".actio-", 7);
    if (d) closedir(d);
    return n;
}

TEST(a_link_stays_and_what_it_points_to_is_replaced)
{
    char link_path[512], target[512];
    struct stat s;
    strcpy(target, in_folder("target.txt"));
    strcpy(link_path, in_folder("link.txt"));
    CHECK(symlink("target.txt", link_path) == 0); /* dangling at first */
    for (int i = 0; i < 2; i++) {
        CHECK(actio_file_write(&ctx, link_path, i ? "2" : "1", 1, &found) == 0 && holds(target, i ? "2" : "1"));
        CHECK(lstat(link_path, &s) == 0 && S_ISLNK(s.st_mode));
    }
    CHECK(symlink("loop.txt", in_folder("loop.txt")) == 0);
    CHECK(actio_file_write(&ctx, path, "x", 1, &found) == 1 && last_status() == 5);
    forget();
}

TEST(a_file_keeps_its_mode_and_a_new_one_follows_the_umask)
{
    struct stat s;
    mode_t old = umask(027);
    CHECK(actio_file_write(&ctx, in_folder("mode.txt"), "1", 1, &found) == 0 && stat(path, &s) == 0
          && (s.st_mode & 0777) == 0640);
    CHECK(chmod(path, 0604) == 0 && actio_file_write(&ctx, path, "2", 1, &found) == 0 && stat(path, &s) == 0
          && (s.st_mode & 0777) == 0604);
    umask(old);
}

static bool cannot_link;

int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
    if (cannot_link) {
        errno = EXDEV;
        return -1;
    }
    return __real_linkat(from, old, to, new, flags);
}

/* Where a file without a name can't get one it is copied; on a file system with named temporaries this is the usual
 * way. */
TEST(a_file_is_written_where_links_fail)
{
    static char large[100000];
    struct stat s;
    memset(large, 'x', sizeof large - 1);
    cannot_link = true;
    CHECK(actio_file_write(&ctx, in_folder("linkless.txt"), "old", 3, &found) == 0 && holds(path, "old")
          && chmod(path, 0604) == 0);
    CHECK(actio_file_write(&ctx, path, large, sizeof large - 1, &found) == 0 && stat(path, &s) == 0
          && (size_t)s.st_size == sizeof large - 1);
    CHECK((s.st_mode & 0777) == 0604 && temporaries() == 0);
    cannot_link = false;
}

TEST(pipes_and_devices_are_written_straight_into)
{
    char got[8] = "";
    CHECK(actio_file_write(&ctx, "/dev/null", "x", 1, &found) == 0);
    CHECK(actio_file_write(&ctx, "/dev/full", "x", 1, &found) == 1 && last_status() == 5);
    CHECK(mkfifo(in_folder("fifo"), 0600) == 0);
    int in = open(path, O_RDONLY | O_NONBLOCK);
    CHECK(actio_file_write(&ctx, path, "hello", 5, &found) == 0 && read(in, got, 5) == 5 && !strcmp(got, "hello"));
    close(in);
    struct stat s;
    CHECK(stat(path, &s) == 0 && S_ISFIFO(s.st_mode));
    forget();
}

TEST(a_full_disk_leaves_the_old_file_whole)
{
    static const char *const files[] = { "full.csv", "full.json", "full.npz", "full.h5",
                                         "full.svg", "full.png",  "full.pdf" };
    struct actio_table *t = make_table(8, 4000);
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 3000;
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool plot = actio_plot_fits(files[i]);
        if (!plot && !actio_writer_for(files[i])) continue;
        CHECK(actio_file_write(&ctx, in_folder(files[i]), "old", 3, &found) == 0);
        setrlimit(RLIMIT_FSIZE, &small);
        CHECK((plot ? actio_plot_write(&ctx, t, NULL, path, &found) : actio_result_write(&ctx, t, path, &found)) == 1);
        setrlimit(RLIMIT_FSIZE, &was);
        CHECK(last_status() == 5 && holds(path, "old") && temporaries() == 0);
        forget();
    }
    signal(SIGXFSZ, SIG_DFL);
    actio_table_free(t);
}

TEST(no_temporary_is_left) { CHECK(temporaries() == 0); }
#endif

/* ---- pictures */
static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

static const char *svg_of(const struct actio_table *t, const char *axes)
{
    size_t n;
    CHECK(actio_plot_write(&ctx, t, axes, in_folder("p.svg"), &found) == 0);
    const char *s = contents(path, &n);
    CHECK(s && !strncmp(s, "<svg ", 5) && n > 7 && !strcmp(s + n - 7, "</svg>\n"));
    return s ? s : "";
}

TEST(a_plot_holds_no_markup_from_names_and_no_odd_numbers)
{
    struct actio_table *t = make_sample();
    t->from.model = "<script>alert(1)</script>";
    t->col[1].name = "\"/><img onload=x";
    t->col[2].name = "\xFF<";
    const char *s = svg_of(t, NULL);
    CHECK(!strstr(s, "<script") && !strstr(s, "<img") && !strstr(s, "nan") && !strstr(s, "inf"));
    CHECK(count_of(s, "clipPath id") >= 5);
    actio_table_free(t);
}

TEST(tables_without_rows_or_columns_still_make_a_picture)
{
    static const size_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 3, 1 }, { 3, 2 }, { 200, 5 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct actio_table *t = make_table(sizes[i][0], sizes[i][1]);
        svg_of(t, NULL);
        if (t->cols > 1) svg_of(t, "c1:c1;c1");
        actio_table_free(t);
    }
    CHECK(found.count == 0);
}

TEST(axes_give_one_panel_each)
{
    struct actio_table *t = make_table(3, 50);
    t->col[1].name = "x";
    t->col[2].name = "x_dot";
    CHECK(count_of(svg_of(t, "x, x'; x:x_dot"), "clipPath id") == 3);
    CHECK(strstr(svg_of(t, "x:x_dot"), "x′ against x") != NULL);
    actio_table_free(t);
}

static bool says(const char *what)
{
    struct actio_text s;
    actio_text_open(&s, &scratch);
    actio_finding_message(&found.item[found.count - 1], &s);
    actio_finding_hint(&found.item[found.count - 1], &s);
    return strstr(s.s, what) != NULL;
}

static const char *svg_of_layers(const struct actio_picture *picture)
{
    size_t n;
    CHECK(actio_picture_write(&ctx, picture, in_folder("l.svg"), &found) == 0);
    const char *s = contents(path, &n);
    return s ? s : "";
}

TEST(further_tables_lie_over_the_first_as_discs_or_shades)
{
    struct actio_table *a = make_table(3, 300), *b = make_table(3, 50), *c = make_table(3, 90);
    c->col[2].name = "another"; /* has no line to lie over */
    struct actio_layer layer[] = { { a, "first" }, { b, "<second>" }, { c, "third" } };
    struct actio_picture p = { .layer = layer, .layers = 3, .axes = "c1,c2" };
    for (size_t i = 0; i < 50; i++) b->data[1][i] = b->data[2][i] = 1;
    for (size_t i = 0; i < 90; i++) c->data[1][i] = i == 3 ? NAN : 2;
    const char *s = svg_of_layers(&p);
    /* of 90 every second from the second, less the one without a value; the key has 2 and 2 */
    CHECK(count_of(s, "<circle") == 2 * 50 + 44 + 4);
    CHECK(count_of(s, "fill=\"none\" stroke-width") == 2 * 50 + 2);
    CHECK(strstr(s, "&lt;second&gt;") && !strstr(s, "<second>") && count_of(s, "clipPath id") == 2);
    p.look = ACTIO_LOOK_SHADES;
    s = svg_of_layers(&p);
    /* broken in two */
    CHECK(count_of(s, "<circle") == 0 && count_of(s, "stroke=\"#c8c8c8\" clip-path") == 2
          && count_of(s, "stroke=\"#383838\" clip-path") == 2);
    actio_table_free(a);
    actio_table_free(b);
    actio_table_free(c);
}

TEST(a_trend_is_a_panel_more_with_logarithms_on_both_axes)
{
    struct actio_table *a = make_table(2, 20), *trend = make_table(2, 3);
    struct actio_layer layer = { a, "" };
    struct actio_picture p = { .layer = &layer, .layers = 1, .trend = trend };
    for (size_t i = 0; i < 3; i++) {
        trend->data[0][i] = pow(10, -(double)i - 1);
        trend->data[1][i] = i == 1 ? 0 : .5;
    }
    trend->from.description = "how it goes";
    const char *s = svg_of_layers(&p);
    /* a zero has no logarithm */
    CHECK(count_of(s, "<circle") == 2 && strstr(s, "how it goes") && count_of(s, "clipPath id") == 2);
    CHECK(strstr(s, "10⁻³") && strstr(s, "10⁻¹"));
    actio_table_free(a);
    actio_table_free(trend);
}

TEST(an_unknown_column_in_axes_gets_a_hint)
{
    static const struct {
        const char *axes, *says;
    } bad[] = { { "x,thetta", "did you mean 'theta'" },
                { "nothing", "the columns t, theta, x" },
                { "", "unknown column" },
                { "x:", "unknown column" },
                { "x:x:x", "x:y" },
                { "x,,x", "unknown column" } };
    struct actio_table *t = make_table(3, 50);
    t->col[0].name = "t";
    t->col[1].name = "theta";
    t->col[2].name = "x";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(actio_plot_write(&ctx, t, bad[i].axes, in_folder("no.svg"), &found) == 1 && last_status() == 2
              && says(bad[i].says));
    }
    size_t n;
    CHECK(contents(in_folder("no.svg"), &n) == NULL);
    actio_table_free(t);
    forget();
}

TEST(long_runs_are_thinned_to_the_pixels)
{
    struct actio_table *t = make_table(2, 400000);
    for (size_t i = 0; i < t->rows; i++) t->data[1][i] = i == 123456 ? 5 : sin((double)i);
    const char *s = svg_of(t, NULL);
    CHECK(strlen(s) < 100000);
    CHECK(strstr(s, ">5<") || strstr(s, ">4<")); /* the single spike still sets the scale */
    actio_table_free(t);
}

/* ---- samples for read_back.py */
static void write_samples(void)
{
    static const char *const files[] = { "sample.csv", "sample.json", "sample.npz", "sample.h5",
                                         "sample.svg", "sample.png",  "sample.pdf" };
    struct actio_table *t = make_sample(), *wide = make_table(70000, 1);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (actio_plot_fits(files[i])) CHECK(actio_plot_write(&ctx, t, NULL, in_folder(files[i]), &found) == 0);
        else if (actio_writer_for(files[i])) CHECK(actio_result_write(&ctx, t, in_folder(files[i]), &found) == 0);
    }
    CHECK(actio_result_write(&ctx, wide, in_folder("wide.npz"), &found) == 0);
    FILE *out = fopen(in_folder("names"), "wb");
    for (size_t c = 0; out && c < t->cols; c++) fwrite(t->col[c].name, 1, strlen(t->col[c].name) + 1, out);
    if (out) fclose(out);
    out = fopen(in_folder("data"), "wb");
    for (size_t c = 0; out && c < t->cols; c++) fwrite(t->data[c], sizeof **t->data, t->rows, out);
    if (out) fclose(out);
    actio_table_free(t);
    actio_table_free(wide);
}

static void run_file_tests(void)
{
    RUN(the_ending_chooses_the_writer);
    RUN(an_existing_file_is_replaced);
    RUN(what_cannot_be_written_is_a_finding_with_status_5);
    RUN(running_out_of_memory_leaves_no_memory_and_no_temporary_behind);
#ifdef ACTIO_NATIVE
    RUN(a_link_stays_and_what_it_points_to_is_replaced);
    RUN(a_file_keeps_its_mode_and_a_new_one_follows_the_umask);
    RUN(a_file_is_written_where_links_fail);
    RUN(pipes_and_devices_are_written_straight_into);
    RUN(a_full_disk_leaves_the_old_file_whole);
    RUN(no_temporary_is_left);
#endif
}

static void run_all(void)
{
    RUN(csv_has_a_line_of_names_and_a_line_for_each_row);
    RUN(csv_numbers_read_back_exactly);
    RUN(summary_has_the_keys_that_scripts_rely_on);
    RUN(hostile_texts_are_escaped);
    RUN(names_in_pictures_are_written_as_by_hand);
    RUN(ticks_stand_at_round_numbers_with_short_labels);
    run_file_tests();
    RUN(a_plot_holds_no_markup_from_names_and_no_odd_numbers);
    RUN(tables_without_rows_or_columns_still_make_a_picture);
    RUN(axes_give_one_panel_each);
    RUN(further_tables_lie_over_the_first_as_discs_or_shades);
    RUN(a_trend_is_a_panel_more_with_logarithms_on_both_axes);
    RUN(an_unknown_column_in_axes_gets_a_hint);
    RUN(long_runs_are_thinned_to_the_pixels);
}

static void make_folder(void)
{
#ifdef ACTIO_NATIVE
    strcpy(folder, "/tmp/actio_test_result.XXXXXX");
    if (!mkdtemp(folder)) exit(1);
#else
    strcpy(folder, ".");
#endif
}

static void remove_folder(void)
{
#ifdef ACTIO_NATIVE
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlink(in_folder(e->d_name));
    if (d) closedir(d);
    rmdir(folder);
#else
    static const char *const left[] = { "-a.txt", "m.csv", "m.json", "m.npz", "m.svg", "n.svg", "p.svg" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) remove(in_folder(left[i]));
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
