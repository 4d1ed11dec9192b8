/* SPDX-License-Identifier: Apache-2.0
 * Architecture: a way to run programs, a linear solver, a stepper, a writer and a canvas, each one file in tests/seams,
 * come in through the tables and work in whole runs; nothing else had to change. */
#define _DEFAULT_SOURCE
#include "seams/seams.h"
#include "subject.h"

#include <unistd.h>

struct outcome {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_table *table;
};

static struct outcome run_model(const char *stem, const char *method, double local, bool compile)
{
    struct outcome o = { .ctx = actio_context_create(NULL) };
    o.f = actio_findings_create(o.ctx);
    o.model = actio_model_read(o.ctx, stem, NULL, 0, o.f);
    struct actio_run_options options = actio_run_options_default();
    options.method = method;
    options.local = local;
    options.no_compile = !compile;
    if (o.model) o.table = actio_run(o.ctx, o.model, &options, o.f);
    if (!o.table) show_findings(o.f);
    CHECK(o.table != NULL);
    return o;
}

static void close_outcome(struct outcome *o)
{
    actio_table_free(o->table);
    actio_model_free(o->model);
    actio_findings_free(o->f);
    CHECK(o->ctx->bytes == 0);
    actio_context_free(o->ctx);
}

/* The largest distance over all entries, relative to the size of the column. */
static double distance(const struct actio_table *a, const struct actio_table *b)
{
    double far = 0;
    if (!a || !b || actio_table_rows(a) != actio_table_rows(b)) return INFINITY;
    for (size_t c = 0; c < actio_table_columns(a); c++) {
        const double *x = actio_table_data(a, c), *y = actio_table_data(b, c);
        double size = 1, most = 0;
        for (size_t r = 0; r < actio_table_rows(a); r++) {
            size = fmax(size, fabs(x[r]));
            most = fmax(most, fabs(x[r] - y[r]));
        }
        far = fmax(far, most / size);
    }
    return far;
}

static const char *const gallery[] = { "disk",   "double-pendulum",    "rattleback", "nlink",
                                       "lorenz", "pendulum-cartesian", "chain-links" };
enum { GALLERY = sizeof gallery / sizeof *gallery };

TEST(a_toy_writer_writes_by_its_ending)
{
    char path[] = "/tmp/actio-seams-XXXXXX.md", line[256] = "";
    int fd = mkstemps(path, 3);
    struct outcome o = run_model("disk", "auto", 0, false);
    CHECK(!actio_can_write(path, false));
    actio_writer_register(&toy_writer);
    CHECK(fd >= 0 && actio_can_write(path, false));
    CHECK(actio_table_write(o.ctx, o.table, path, o.f) == 0);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file) && strncmp(line, "| t | x | y | theta | phi |", 27) == 0);
    if (file) fclose(file);
    if (fd >= 0) close(fd);
    remove(path);
    close_outcome(&o);
}

TEST(a_toy_canvas_draws_by_its_ending)
{
    char path[] = "/tmp/actio-seams-XXXXXX.txt", text[4096] = "";
    int fd = mkstemps(path, 4);
    struct outcome o = run_model("disk", "auto", 0, false);
    CHECK(!actio_can_write(path, true));
    actio_canvas_register(&toy_canvas);
    CHECK(fd >= 0 && actio_can_write(path, true));
    CHECK(actio_table_plot(o.ctx, o.table, NULL, path, o.f) == 0);
    FILE *file = fopen(path, "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && strstr(text, "multipliers") != NULL);
    if (file) fclose(file);
    if (fd >= 0) close(fd);
    remove(path);
    close_outcome(&o);
}

TEST(a_toy_stepper_moves_models_by_its_name)
{
    actio_stepper_register(&toy_stepper);
    for (size_t i = 0; i < GALLERY; i++) {
        struct outcome fine = run_model(gallery[i], "dop853", 1e-12, false),
                       toy = run_model(gallery[i], "toy", 1e-10, false);
        double far = distance(fine.table, toy.table);
        if (!(far < 1e-3)) printf("    %s: %.2e apart\n", gallery[i], far);
        CHECK(far < 1e-3 && toy.table && strcmp(actio_table_info(toy.table).method, "toy") == 0);
        close_outcome(&fine);
        close_outcome(&toy);
    }
    CHECK(toy_stepper_steps > 1000);
}

/* Also through the ladder of tolerances: a method of order 4 earns its estimate like any other. */
TEST(the_error_of_a_toy_stepper_is_estimated)
{
    actio_stepper_register(&toy_stepper);
    struct outcome fine = run_model("pendulum", "dop853", 0, false), toy = run_model("pendulum", "toy", 0, false);
    if (toy.table && fine.table) {
        struct actio_run_info info = actio_table_info(toy.table);
        CHECK(info.reached && info.worst_error > 0 && distance(fine.table, toy.table) < 1e-8);
    }
    close_outcome(&fine);
    close_outcome(&toy);
}

TEST(a_toy_linear_solver_takes_over_what_fits_it)
{
    struct outcome plain[GALLERY];
    for (size_t i = 0; i < GALLERY; i++) plain[i] = run_model(gallery[i], "dop853", 0, false);
    size_t before = toy_linear_factors;
    actio_linear_register(&toy_linear);
    for (size_t i = 0; i < GALLERY; i++) {
        struct outcome toy = run_model(gallery[i], "dop853", 0, false);
        double far = distance(plain[i].table, toy.table);
        if (!(far < 1e-8)) printf("    %s: %.2e apart\n", gallery[i], far);
        CHECK(far < 1e-8);
        close_outcome(&toy);
        close_outcome(&plain[i]);
    }
    CHECK(toy_linear_factors > before + 1000);
}

TEST(a_toy_solver_solves_both_ways)
{
    static const uint32_t i[] = { 0, 0, 1, 2, 2, 1 }, j[] = { 1, 2, 0, 1, 2, 2 };
    static const double a[] = { 4, 1, -3, 2, 5, 7 }; /* 0 4 1; -3 0 7; 0 2 5 */
    const struct actio_pattern pattern = { .rows = 3, .count = 6, .i = i, .j = j };
    struct actio_context ctx;
    actio_context_init(&ctx);
    void *h = toy_linear.open(&ctx, &pattern);
    CHECK(h && toy_linear.factor(h, a) == 0);
    for (int transposed = 0; transposed < 2; transposed++) {
        double x[3] = { 1, -2, 3 }, b[3] = { 0 };
        for (int k = 0; k < 6; k++) b[transposed ? j[k] : i[k]] += a[k] * x[transposed ? i[k] : j[k]];
        toy_linear.solve(h, b, 1, transposed);
        for (int k = 0; k < 3; k++) CHECK_NEAR(b[k], x[k], 1e-14);
    }
    toy_linear.close(h);
    CHECK(ctx.bytes == 0);
}

/* Last: once it is in the table it is the cheapest. */
TEST(a_toy_way_to_run_programs_gives_the_same_bits)
{
    struct outcome plain[GALLERY];
    for (size_t i = 0; i < GALLERY; i++) plain[i] = run_model(gallery[i], "dop853", 0, false);
    actio_exec_register(&toy_exec);
    for (size_t i = 0; i < GALLERY; i++) {
        struct outcome toy = run_model(gallery[i], "dop853", 0, true);
        CHECK(toy.table && strcmp(actio_table_info(toy.table).tier, "toy") == 0);
        CHECK(plain[i].table && toy.table && same_tables(plain[i].table, toy.table));
        close_outcome(&toy);
        close_outcome(&plain[i]);
    }
    CHECK(toy_exec_loads > GALLERY);
}

int main(void)
{
    RUN(a_toy_writer_writes_by_its_ending);
    RUN(a_toy_canvas_draws_by_its_ending);
    RUN(a_toy_stepper_moves_models_by_its_name);
    RUN(the_error_of_a_toy_stepper_is_estimated);
    RUN(a_toy_solver_solves_both_ways);
    RUN(a_toy_linear_solver_takes_over_what_fits_it);
    RUN(a_toy_way_to_run_programs_gives_the_same_bits);
    return DONE();
}
