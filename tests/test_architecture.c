/* SPDX-License-Identifier: Apache-2.0
 * Architecture: programs grow with the entries of their matrices, tables are complete, memory stays flat, a cancelled
 * run leaves no file. */
#define _POSIX_C_SOURCE 200809L
#include "subject.h"

#include <dirent.h>
#include <unistd.h>

static const struct actio_example *example_named(const char *stem)
{
    const struct actio_example *e;
    size_t n = actio_gallery(&e);
    for (size_t i = 0; i < n; i++)
        if (strcmp(e[i].stem, stem) == 0) return &e[i];
    CHECK(!"a gallery model of this name");
    return e;
}

/* ---- growth */

static size_t operations(const char *links, enum actio_quantity what)
{
    const struct actio_example *e = example_named("nlink");
    const struct actio_change change = { ACTIO_CHANGE_PARAM, links };
    struct subject s;
    size_t ops = 0;
    const char *claims = strstr(e->text, "\nexpect"); /* they name links that shorter chains don't have */
    bool open = open_subject(&s, e->text, claims ? (size_t)(claims + 1 - e->text) : strlen(e->text), &change, 1)
                && actio_system_need(s.sys, what) == 0;
    CHECK(open);
    if (open) ops = actio_kernel_ops(s.sys->formation->kernel[what]);
    close_subject(&s);
    return ops;
}

static void grows_at_most(enum actio_quantity what, double slope)
{
    static const char *const links[] = { "n=5", "n=10", "n=20", "n=40" };
    double ops[4];
    for (int i = 0; i < 4; i++) ops[i] = (double)operations(links[i], what);
    printf("quantity %d: %.0f %.0f %.0f %.0f operations for 5, 10, 20, 40 links\n", (int)what, ops[0], ops[1], ops[2],
           ops[3]);
    for (int i = 1; i < 4; i++) CHECK(log(ops[i] / ops[i - 1]) / log(2) <= slope);
}

TEST(the_matrix_of_a_chain_grows_like_its_entries) { grows_at_most(ACTIO_Q_MATRIX, 2.1); }
TEST(the_columns_of_a_chain_grow_no_faster_than_its_matrix) { grows_at_most(ACTIO_Q_OUTPUTS, 2.1); }

/* ---- tables */

static bool says_something(const char *s) { return s && strlen(s) > 5; }

TEST(every_option_and_command_has_help)
{
    const struct actio_option_row *option;
    const struct actio_command_row *command;
    size_t options = actio_options(&option), commands = actio_commands(&command);
    CHECK(options > 20 && commands > 5);
    for (size_t i = 0; i < options; i++)
        CHECK(says_something(option[i].help) && option[i].name && option[i].group && option[i].commands);
    for (size_t i = 0; i < commands; i++) CHECK(says_something(command[i].help) && command[i].name);
    for (size_t i = 0; i < options; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(option[i].name, option[k].name) != 0 || strcmp(option[i].commands, option[k].commands) != 0);
}

static const struct {
    const char *name;
    int severity, status;
    const char *text, *hint;
} findings[] = {
#define NOTE ACTIO_NOTE
#define WARNING ACTIO_WARNING
#define ERROR ACTIO_ERROR
#define FINDING(name, severity, status, text, hint) { #name, severity, status, text, hint },
#include "base/findings.def"
#undef FINDING
};

/* Does each {k} up to the largest one used occur? A gap would be a value that nobody reads. */
static bool places_are_dense(const char *text, const char *hint)
{
    bool used[6] = { false };
    for (int part = 0; part < 2; part++)
        for (const char *s = part ? hint : text; *s; s++)
            if (s[0] == '{' && s[1] >= '0' && s[1] <= '5' && s[2] == '}') used[s[1] - '0'] = true;
    for (int k = 1; k < 6; k++)
        if (used[k] && !used[k - 1]) return false;
    return true;
}

TEST(every_finding_has_words_and_a_status_that_fits_its_severity)
{
    static const int statuses[] = { 1, 2, 3, 4, 5, 130 };
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        bool known = false;
        for (size_t k = 0; k < 6; k++) known = known || findings[i].status == statuses[k];
        bool fits =
            strlen(findings[i].text) >= 3 && (findings[i].severity == ACTIO_ERROR ? known : findings[i].status == 0);
        if (!fits || !places_are_dense(findings[i].text, findings[i].hint)) printf("    %s\n", findings[i].name);
        CHECK(fits && places_are_dense(findings[i].text, findings[i].hint));
    }
}

TEST(every_quantity_role_and_operation_has_a_meaning)
{
    static const char *const meanings[] = {
#define QUANTITY(name, meaning, key) meaning,
#include "equations/quantities.def"
#undef QUANTITY
#define SPACE(name, level, accent, meaning) meaning,
#include "expr/spaces.def"
#undef SPACE
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) CHECK(strlen(meanings[i]) > 3);
    for (int op = 0; op < ACTIO_OP_COUNT; op++) CHECK(actio_op_text((enum actio_op)op) != NULL);
}

/* Front ends look such words up before they call; the library says them all the same. */
static void says(const char *by, const char *method, const char *path, const char *code)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, "pendulum", NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    options.by = by;
    options.method = method;
    struct actio_table *table = actio_run(ctx, model, &options, f);
    if (table)
        CHECK(actio_table_write(ctx, table, path, f) == ACTIO_WRONG_USAGE
              && actio_table_plot(ctx, table, NULL, path, f) == ACTIO_WRONG_USAGE);
    CHECK(actio_findings_count(f) > 0 && strcmp(actio_findings_message(f, 0).code, code) == 0
          && actio_findings_status(f) == ACTIO_WRONG_USAGE);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

TEST(unknown_principles_methods_and_endings_are_usage_errors_of_the_library_too)
{
    says("nobody", "auto", "", "NO_PRINCIPLE");
    says("dalembert", "euler", "", "NO_STEPPER");
    says("dalembert", "auto", "a.xyz", "UNKNOWN_ENDING");
}

/* ---- memory */

static void read_run_free(const struct actio_example *e, struct actio_context *ctx)
{
    static const struct actio_change shorter = { ACTIO_CHANGE_TIME, "0..0.2" };
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "disk.act", e->text, strlen(e->text), &shorter, 1, f);
    struct actio_run_options options = actio_run_options_default();
    options.points = 3;
    options.no_compile = true;
    struct actio_table *table = model ? actio_run(ctx, model, &options, f) : NULL;
    CHECK(table && actio_table_rows(table) == 3);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
}

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    fclose(file);
    return resident;
}

TEST(ten_thousand_read_run_free_cycles_keep_memory_flat)
{
    const struct actio_example *e = example_named("disk");
    struct actio_context *ctx = actio_context_create(NULL);
    int cycles = SANITIZED ? 300 : 10000;
    long pages = 0;
    for (int i = 0; i < cycles && !check_bad; i++) {
        if (i == cycles / 10) pages = resident_pages();
        read_run_free(e, ctx);
        CHECK(ctx->bytes == 0);
    }
    CHECK(SANITIZED || resident_pages() - pages < 64);
    actio_context_free(ctx);
}

/* ---- cancelling */

static volatile int cancel;
static int calls_left;

static void cancel_later(void *user, const char *what, double done, double of)
{
    (void)user;
    (void)what;
    (void)done;
    (void)of;
    if (--calls_left <= 0) cancel = 1;
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static const char endless[] = "coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 1e6\n";

TEST(a_cancelled_run_ends_soon_and_says_so)
{
    struct actio_limits limits = { .cancel = &cancel, .progress = cancel_later };
    struct actio_context *ctx = actio_context_create(&limits);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "endless.act", endless, strlen(endless), NULL, 0, f);
    cancel = 0;
    calls_left = 3;
    struct actio_table *table = actio_run(ctx, model, NULL, f);
    CHECK(actio_findings_status(f) == ACTIO_INTERRUPTED);
    CHECK(!table || actio_table_info(table).t_end < 1e6);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
    cancel = 0;
}

/* Cancelled before it began: no table, hence nothing to write. */
TEST(a_run_cancelled_at_once_leaves_nothing)
{
    struct actio_limits limits = { .cancel = &cancel };
    cancel = 1;
    struct actio_context *ctx = actio_context_create(&limits);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "endless.act", endless, strlen(endless), NULL, 0, f);
    struct actio_table *table = model ? actio_run(ctx, model, NULL, f) : NULL;
    CHECK(!table || actio_table_rows(table) <= 1);
    CHECK(actio_findings_status(f) == ACTIO_INTERRUPTED);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
    cancel = 0;
}

/* Memory that runs out in the middle of a file is the other way in which writing ends early. */
TEST(a_file_whose_writing_is_cut_short_is_absent)
{
    static const char *const names[] = { "a.csv", "a.json", "a.npz", "a.svg" };
    char folder[64] = "/tmp/actio-architecture-XXXXXX", path[96];
    CHECK(mkdtemp(folder) != NULL);
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    const struct actio_example *e = example_named("disk");
    struct actio_model *model = actio_model_read_string(ctx, "disk.act", e->text, strlen(e->text), NULL, 0, f);
    struct actio_table *table = actio_run(ctx, model, NULL, f);
    for (size_t i = 0; table && i < sizeof names / sizeof *names; i++)
        for (size_t room = 0; room < 300000; room = 2 * room + 64) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            ctx->bytes_limit = ctx->bytes + room;
            int status = i == 3 ? actio_table_plot(ctx, table, NULL, path, f) : actio_table_write(ctx, table, path, f);
            ctx->bytes_limit = (size_t)2 << 30;
            CHECK(files_in(folder) == (status == 0));
            remove(path);
        }
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
    CHECK(rmdir(folder) == 0);
}

int main(void)
{
    RUN(the_matrix_of_a_chain_grows_like_its_entries);
    RUN(the_columns_of_a_chain_grow_no_faster_than_its_matrix);
    RUN(every_option_and_command_has_help);
    RUN(every_finding_has_words_and_a_status_that_fits_its_severity);
    RUN(every_quantity_role_and_operation_has_a_meaning);
    RUN(unknown_principles_methods_and_endings_are_usage_errors_of_the_library_too);
    RUN(ten_thousand_read_run_free_cycles_keep_memory_flat);
    RUN(a_cancelled_run_ends_soon_and_says_so);
    RUN(a_run_cancelled_at_once_leaves_nothing);
    RUN(a_file_whose_writing_is_cut_short_is_absent);
    return DONE();
}
