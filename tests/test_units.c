/* SPDX-License-Identifier: Apache-2.0
 * Units: every file of tests/units says what its first line names and nothing else, no part of a right model is called
 * wrong.
 * Started in the project's root, or with the root as its argument. */
#include "check.h"
#include "verdict/units.h"

#include <dirent.h>

static const char *root = ".";
static bool provoked[ACTIO_F_COUNT];

struct reading {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    struct actio_model *model;
};

static void check_this(struct reading *r, const char *text)
{
    actio_context_init(&r->ctx);
    actio_findings_open(&r->findings, &r->ctx);
    actio_arena_open(&r->arena, &r->ctx);
    r->ctx.findings = &r->findings;
    r->model = actio_model_read_text(&r->ctx, "test.act", text, strlen(text), NULL, 0, &r->findings);
    CHECK(r->model != NULL);
    if (r->model) actio_check_units(r->model, &r->findings);
    for (size_t i = 0; i < r->findings.count; i++) provoked[r->findings.item[i].code] = true;
}

static const char *said(struct reading *r, size_t i)
{
    struct actio_text t;
    actio_text_open(&t, &r->arena);
    actio_finding_message(&r->findings.item[i], &t);
    actio_text_add(&t, " ");
    actio_finding_hint(&r->findings.item[i], &t);
    return t.s;
}

static void show(struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        struct actio_span s = r->findings.item[i].span;
        printf("    %s:%u:%u: %s: %s\n", name, (unsigned)s.line, (unsigned)s.column,
               actio_finding_name(&r->findings.item[i]), said(r, i));
    }
}

static void close_reading(struct reading *r)
{
    actio_model_free(r->model);
    actio_arena_close(&r->arena);
    actio_findings_close(&r->findings);
    CHECK(r->ctx.bytes == 0);
}

static size_t errors_in(const char *name, const char *text)
{
    struct reading r;
    check_this(&r, text);
    size_t errors = r.findings.errors;
    if (name && errors) show(&r, name);
    close_reading(&r);
    return errors;
}

/* ---- all files of a folder */

static char *file_text(const char *folder, const char *name)
{
    char path[512];
    char *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *f = fopen(path, "rb");
    CHECK(f && text && fread(text, 1, (1 << 16) - 1, f) > 0);
    if (f) fclose(f);
    return text;
}

static int each_model(const char *folder, void (*one)(const char *name, const char *text))
{
    char path[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *d = opendir(path);
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (!strstr(e->d_name, ".act")) continue;
        char *text = file_text(folder, e->d_name);
        one(e->d_name, text);
        free(text);
        count++;
    }
    if (d) closedir(d);
    return count;
}

static bool is_fine(const char *text) { return strncmp(text, "# fine\n", 7) == 0; }

/* ---- the files */

static void says_its_first_line(const char *name, const char *text)
{
    struct reading r;
    unsigned line = 0, column = 0;
    int at = 0;
    char wanted[256] = "";
    check_this(&r, text);
    bool ok = is_fine(text) && r.findings.errors == 0;
    if (!is_fine(text) && sscanf(text, "# %u:%u %n", &line, &column, &at) == 2) {
        snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(text + at, "\n"), text + at);
        size_t last = r.findings.count ? r.findings.count - 1 : 0; /* a note may come first */
        ok = r.findings.errors == 1 && r.findings.item[last].span.line == line
             && r.findings.item[last].span.column == column && strstr(said(&r, last), wanted);
    }
    CHECK(ok);
    if (!ok) {
        printf("    wanted of %s: %u:%u %s\n", name, line, column, wanted);
        show(&r, name);
    }
    close_reading(&r);
}

TEST(every_file_says_what_its_first_line_names_and_nothing_else)
{
    CHECK(each_model("tests/units", says_its_first_line) >= 45);
}

static void is_silent(const char *name, const char *text)
{
    struct reading r;
    check_this(&r, text);
    CHECK(r.findings.count == 0);
    show(&r, name);
    close_reading(&r);
}

TEST(nothing_is_said_of_the_gallery) { CHECK(each_model("models", is_silent) > 40); }

/* ---- parts of right models: whatever is left out, the rest stays right */

/* The k-th unit, from its bracket to behind the closing one: it follows a space and stands in a declaration. */
static bool unit_at(const char *text, int k, size_t *from, size_t *to)
{
    bool declares = false;
    for (const char *p = text; *p; p++) {
        if (p == text || p[-1] == '\n')
            declares = strncmp(p, "param", 5) == 0 || strncmp(p, "coord", 5) == 0 || strncmp(p, "state", 5) == 0;
        if (!declares || *p != '[' || p[-1] != ' ' || k-- > 0) continue;
        *from = (size_t)(p - text);
        *to = *from + strcspn(p, "]") + 1;
        return true;
    }
    return false;
}

static char *with_unit(const char *text, int k, const char *unit)
{
    size_t from, to, n = strlen(text) + strlen(unit) + 1;
    if (!unit_at(text, k, &from, &to)) return NULL;
    char *out = malloc(n);
    snprintf(out, n, "%.*s%s%s", (int)from, text, unit, text + to);
    return out;
}

static void without_any_subset(const char *name, const char *text)
{
    uint32_t random = 12345;
    for (int trial = 0; is_fine(text) && trial < 60; trial++) {
        char *now = malloc(strlen(text) + 1);
        strcpy(now, text);
        for (int k = 0;;) {
            random = random * 1664525u + 1013904223u;
            char *next = (random >> 16) % 3 ? with_unit(now, k, "") : NULL;
            size_t from, to;
            if (next) {
                free(now);
                now = next;
            } else if (unit_at(now, k, &from, &to)) k++;
            else break;
        }
        size_t errors = errors_in(name, now);
        if (errors) printf("%s\n", now);
        CHECK(errors == 0);
        free(now);
    }
}

TEST(a_right_model_stays_right_whatever_units_are_left_out) { each_model("tests/units", without_any_subset); }

static int changed, noticed;

static void with_each_unit_changed(const char *name, const char *text)
{
    bool whole = strstr("disk.act pendulum.act kepler.act driven_oscillator.act sleigh.act double_pendulum.act "
                        "suslov.act weber.act",
                        name)
                 != NULL;
    for (int k = 0; whole; k++) {
        char *now = with_unit(text, k, "[mol^3]");
        if (!now) break;
        bool found = errors_in(NULL, now) > 0;
        if (!found) printf("    not noticed in %s: unit %d\n", name, k);
        changed++;
        noticed += found;
        free(now);
    }
}

TEST(a_wrong_unit_in_a_model_with_all_units_is_noticed)
{
    each_model("tests/units", with_each_unit_changed);
    printf("%d of %d wrong units noticed\n", noticed, changed);
    CHECK(changed > 40 && noticed == changed);
}

/* Every unit of a model in another size: nothing is mixed, so nothing disagrees. */
static void in_centimetres_and_grams(const char *name, const char *text)
{
    static const char *const si[] = { "[m]", "[kg]", "[m/s^2]", "[m/s]", "[kg m^2]" }, *const cgs[] = {
        "[cm]", "[g]", "[cm/s^2]", "[cm/s]", "[g cm^2]"
    };
    if (!strstr("disk.act pendulum.act sleigh.act double_pendulum.act suslov.act servo.act turntable.act", name))
        return;
    char *now = malloc(strlen(text) + 1);
    strcpy(now, text);
    size_t from, to;
    for (int k = 0; unit_at(now, k, &from, &to); k++)
        for (size_t i = 0; i < sizeof si / sizeof *si; i++)
            if (strlen(si[i]) == to - from && strncmp(now + from, si[i], to - from) == 0) {
                char *next = with_unit(now, k, cgs[i]);
                free(now);
                now = next;
                break;
            }
    CHECK(errors_in(name, now) == 0);
    free(now);
}

TEST(a_right_model_stays_right_in_other_units) { each_model("tests/units", in_centimetres_and_grams); }

TEST(one_length_in_centimetres_among_metres_is_noticed)
{
    char *text = file_text("tests/units", "disk.act"), *now = with_unit(text, 6, "[cm]");
    CHECK(now && strstr(now, "coord x [cm], y [m]") && errors_in(NULL, now) > 0);
    free(now);
    free(text);
}

/* ---- units as text */

static const char *printed(const char *text, char out[128])
{
    struct actio_context ctx;
    struct actio_arena arena;
    struct actio_unit u;
    struct actio_text t;
    actio_context_init(&ctx);
    actio_arena_open(&arena, &ctx);
    actio_text_open(&t, &arena);
    actio_unit_read(text, &u);
    if (u.fault) snprintf(out, 128, "fault %d", (int)u.fault);
    else {
        actio_unit_print(&u.q, &t);
        snprintf(out, 128, "%s", t.s);
    }
    actio_arena_close(&arena);
    return out;
}

TEST(units_are_read_and_printed_in_base_units)
{
    static const char *const pairs[][2] = {
        { "m", "m" },
        { "kg m^2/s^2", "kg m^2/s^2" },
        { "J", "kg m^2/s^2" },
        { "N m", "kg m^2/s^2" },
        { "W s", "kg m^2/s^2" },
        { "1/s", "1/s" },
        { "s^-1", "1/s" },
        { "1", "1" },
        { "rad", "1" },
        { "m/m", "1" },
        { "cm", "0.01 m" },
        { "mm^2", "1e-06 m^2" },
        { "km/h", "0.277778 m/s" },
        { "kPa", "1000 kg/m/s^2" },
        { "J/kg/K", "m^2/s^2/K" },
        { "V A", "kg m^2/s^3" },
        { "V/A", "kg m^2/s^3/A^2" },
        { "Ohm", "kg m^2/s^3/A^2" },
        { "μs", "1e-06 s" },
        { "us", "1e-06 s" },
        { "min", "60 s" },
        { "mol", "mol" },
        { "cd", "cd" },
        { "T", "kg/s^2/A" },
        { "Wb/m^2", "kg/s^2/A" },
        { "C V", "kg m^2/s^2" },
        { "F V^2", "kg m^2/s^2" },
        { "H A^2", "kg m^2/s^2" },
        { "dam", "10 m" },
        { "ft", "0.3048 m" },
        { "rpm", "0.10472/s" },
        { "g cm/s^2", "1e-05 kg m/s^2" },
        { "L", "0.001 m^3" },
        { "Nm", "fault 1" },
        { "kkg", "fault 1" },
        { "mmin", "fault 1" },
        { "m/s kg", "fault 2" },
        { "m//s", "fault 3" },
        { "m/", "fault 3" },
        { "/s", "1/s" },
        { "m^", "fault 3" },
        { "^2", "fault 3" },
        { "1^2", "fault 3" },
        { "m^-21", "fault 3" },
        { "m^1e+09", "fault 3" },
        { "m^-99999999999999999999", "fault 3" },
    };
    char out[128];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool same = strcmp(printed(pairs[i][0], out), pairs[i][1]) == 0;
        if (!same) printf("    [%s] is [%s], not [%s]\n", pairs[i][0], out, pairs[i][1]);
        CHECK(same);
    }
}

TEST(misspelt_units_get_a_hint)
{
    static const char *const pairs[][2] = {
        { "Kg", "'kg'" },       { "KM", "'km'" },     { "Nm", "'N m'" }, { "kNm", "'kN m'" },
        { "meters", "'m'" },    { "Seconds", "'s'" }, { "hz", "'Hz'" },  { "j", "'J'" },
        { "Degrees", "'deg'" }, { "rda", "'rad'" },   { "KG", "'kg'" },  { "xyzzy", "use units like" },
    };
    struct actio_context ctx;
    struct actio_arena arena;
    actio_context_init(&ctx);
    actio_arena_open(&arena, &ctx);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *hint = actio_unit_hint(&arena, pairs[i][0]);
        if (!strstr(hint, pairs[i][1])) printf("    %s: %s\n", pairs[i][0], hint);
        CHECK(strstr(hint, pairs[i][1]) != NULL);
    }
    actio_arena_close(&arena);
}

/* ---- notes, limits */

TEST(a_unit_that_is_not_of_size_one_is_noted_once_with_what_t_counts_in)
{
    struct reading r;
    check_this(&r, "param l [cm] = 1, k [ms] = 2\ncoord x [cm]\nlagrangian x'^2\nforce x = l*sin(t/k)\n");
    CHECK(r.findings.count >= 1 && r.findings.item[0].code == ACTIO_F_UNIT_NOT_CONVERTED);
    CHECK(r.findings.count >= 1 && strstr(said(&r, 0), "'l' is in [cm]: numbers are never converted, and t is in ms"));
    size_t notes = 0;
    for (size_t i = 0; i < r.findings.count; i++) notes += r.findings.item[i].code == ACTIO_F_UNIT_NOT_CONVERTED;
    CHECK(notes == 1);
    close_reading(&r);
}

TEST(start_values_of_the_command_line_have_no_place_in_the_file)
{
    static const char text[] = "param l [m] = 1\ncoord x [m]\nlagrangian x'^2\nstart x = l\n";
    const struct actio_override change = { ACTIO_SET_START, "x'=l" };
    struct reading r;
    actio_context_init(&r.ctx);
    actio_findings_open(&r.findings, &r.ctx);
    actio_arena_open(&r.arena, &r.ctx);
    r.model = actio_model_read_text(&r.ctx, "test.act", text, strlen(text), &change, 1, &r.findings);
    CHECK(r.model != NULL);
    if (r.model) actio_check_units(r.model, &r.findings);
    CHECK(r.findings.count == 1 && r.findings.item[0].span.line == 0 && !r.findings.item[0].quote);
    close_reading(&r);
}

TEST(long_terms_are_cut_to_sixty_characters)
{
    struct reading r;
    check_this(&r,
               "param long_name_of_a_param [m] = 1, another_name_of_a_param [m] = 2\ncoord x [m]\n"
               "lagrangian x'^2 + x*sqrt(long_name_of_a_param*another_name_of_a_param)*sin(x/long_name_of_a_param)\n");
    CHECK(r.findings.count == 1 && strstr(said(&r, 0), "...") && strlen(said(&r, 0)) < 330);
    if (check_bad) show(&r, "long");
    close_reading(&r);
}

TEST(running_out_of_memory_is_said_and_nothing_leaks)
{
    static const char text[] =
        "param l [m] = 1\ncoord x [m], y [s]\nlagrangian x'^2 + l*x + y\nconstraint c: x = y\nstart x = l\n";
    size_t escaped = 0;
    for (size_t room = 0; room < 40000; room += 512) {
        struct reading r;
        actio_context_init(&r.ctx);
        actio_findings_open(&r.findings, &r.ctx);
        actio_arena_open(&r.arena, &r.ctx);
        r.ctx.findings = &r.findings;
        r.model = actio_model_read_text(&r.ctx, "test.act", text, strlen(text), NULL, 0, &r.findings);
        r.ctx.bytes_limit = r.ctx.bytes + room;
        if (r.model) actio_check_units(r.model, &r.findings);
        for (size_t i = 0; i < r.findings.count; i++) escaped += r.findings.item[i].code == ACTIO_F_OUT_OF_MEMORY;
        CHECK(r.findings.errors > 0);
        r.ctx.bytes_limit = (size_t)2 << 30;
        close_reading(&r);
    }
    CHECK(escaped > 0);
}

TEST(every_finding_about_units_was_provoked)
{
    for (int i = ACTIO_F_UNIT_UNKNOWN; i <= ACTIO_F_UNITS_ASKED_SIZE; i++) {
        if (!provoked[i])
            printf("    never said: %s\n", actio_finding_name(&(struct actio_finding){ .code = (enum actio_code)i }));
        CHECK(provoked[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) root = argv[1];
    RUN(every_file_says_what_its_first_line_names_and_nothing_else);
    RUN(nothing_is_said_of_the_gallery);
    RUN(a_right_model_stays_right_whatever_units_are_left_out);
    RUN(a_wrong_unit_in_a_model_with_all_units_is_noticed);
    RUN(a_right_model_stays_right_in_other_units);
    RUN(one_length_in_centimetres_among_metres_is_noticed);
    RUN(units_are_read_and_printed_in_base_units);
    RUN(misspelt_units_get_a_hint);
    RUN(a_unit_that_is_not_of_size_one_is_noted_once_with_what_t_counts_in);
    RUN(start_values_of_the_command_line_have_no_place_in_the_file);
    RUN(long_terms_are_cut_to_sixty_characters);
    RUN(running_out_of_memory_is_said_and_nothing_leaks);
    RUN(every_finding_about_units_was_provoked);
    return DONE();
}
