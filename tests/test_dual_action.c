/* SPDX-License-Identifier: Apache-2.0
 * The dual action as it is handed out: derivatives against differences, its maximum against the run's, what it does
 * beyond its border and outside memory, what it refuses. */
#include "algebra/dense.h"
#include "subject.h"

#include <actio/actio.h>

/* a gallery model, or a text; size of random unknowns */
struct given {
    const char *stem, *time;
    struct actio_dual_action_options o;
    double size;
    struct actio_change more;
};

struct object {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_dual_action *a;
    size_t size, slices, nodes, points, count, nu, nx;
    const struct actio_action_slice *slice;
    const double *t, *point, *weight;
    const uint32_t *row, *col;
    const char *const *name;
};

static void read_model(struct object *o, const struct given *g)
{
    struct actio_change change[2];
    size_t changes = 0;
    if (g->time) change[changes++] = (struct actio_change){ ACTIO_CHANGE_TIME, g->time };
    if (g->more.kind) change[changes++] = g->more;
    *o = (struct object){ .ctx = actio_context_create(NULL) };
    o->f = actio_findings_create(o->ctx);
    o->model = strchr(g->stem, '\n')
                   ? actio_model_read_string(o->ctx, "own.act", g->stem, strlen(g->stem), change, changes, o->f)
                   : actio_model_read(o->ctx, g->stem, change, changes, o->f);
}

static bool open_object(struct object *o, const struct given *g)
{
    read_model(o, g);
    if (o->model) o->a = actio_dual_action_create(o->ctx, o->model, &g->o, o->f);
    CHECK(o->a != NULL && o->ctx->findings == NULL);
    if (!o->a) {
        printf("    no dual action of %s\n", g->stem);
        show_findings(o->f);
        return false;
    }
    o->size = actio_dual_action_size(o->a);
    o->slices = actio_dual_action_slices(o->a, &o->slice);
    o->nodes = actio_dual_action_times(o->a, &o->t);
    o->points = actio_dual_action_points(o->a, &o->point, &o->weight);
    o->count = actio_dual_action_pattern(o->a, &o->row, &o->col);
    o->nu = actio_dual_action_names(o->a, &o->name, &o->nx);
    return true;
}

static void close_object(struct object *o)
{
    actio_dual_action_free(o->a);
    actio_model_free(o->model);
    actio_findings_free(o->f);
    CHECK(o->ctx->bytes == 0);
    actio_context_free(o->ctx);
}

static double uniform(uint64_t *seed) /* -1 .. 1 */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double *random_unknowns(const struct object *o, double size, uint64_t seed)
{
    double *z = numbers(o->size);
    for (size_t i = 0; i < o->size; i++) z[i] = size * uniform(&seed);
    return z;
}

static bool says(const struct object *o, const char *code)
{
    for (size_t i = 0; i < actio_findings_count(o->f); i++)
        if (strcmp(actio_findings_message(o->f, i).code, code) == 0) return true;
    return false;
}

static const struct given gallery[] = {
    { "lorenz", "0..0.06", { .grid = 3 }, 0.05, { 0, NULL } },
    { "lorenz", "0..0.06", { .grid = 3, .order = 2, .multipliers = true }, 0.02, { 0, NULL } },
    { "lorenz", "0.06..0", { .grid = 3, .order = 3 }, 0.05, { 0, NULL } },
    { "pars42", "0..0.06", { .grid = 3, .order = 1 }, 0.002, { 0, NULL } },
    { "pars42", "0..0.06", { .grid = 3, .order = 2, .multipliers = true }, 0.005, { 0, NULL } },
    { "pars42", "0.06..0", { .grid = 2, .order = 2, .multipliers = true }, 0.005, { 0, NULL } },
    { "pars42", "0..0.06", { .grid = 2, .order = 2, .closure = "vakonomic" }, 0.002, { 0, NULL } },
    { "pars42", "0..0.06", { .grid = 2, .order = 2, .closure = "reduced" }, 0.002, { 0, NULL } },
    { "pars42", "0..0.06", { .grid = 2, .order = 2, .closure = "free", .power = "nonnegative" }, 0.002, { 0, NULL } },
    { "disk", "0..0.06", { .grid = 2, .order = 2, .multipliers = true }, 0.005, { 0, NULL } },
    { "driven-double-pendulum", "0..0.04", { .grid = 2, .order = 2, .base = "constant" }, 0.005, { 0, NULL } },
    { "double-pendulum", "0..0.06", { .grid = 2, .nodes = 6, .base = "exact" }, 0.005, { 0, NULL } },
    { "lorenz",
      "0..0.06",
      { .grid = 3, .order = 3, .base = "constant" },
      0.05,
      { ACTIO_CHANGE_POTENTIAL, "(x - x.base)^2/2 + (x - x.base)^4/40" } },
    { "lorenz", "0..0.06", { .grid = 1, .order = 1 }, 0.05, { ACTIO_CHANGE_FINAL, "x=.05,y=-.1" } },
};
enum { GALLERY = sizeof gallery / sizeof *gallery };

/* ---- derivatives */

static double *dense_hessian(const struct object *o, const double *z)
{
    double *H = numbers(o->size * o->size), *values = numbers(o->count);
    CHECK(actio_dual_action_hessian(o->a, z, values) == 0);
    for (size_t e = 0; e < o->count; e++) H[o->row[e] * o->size + o->col[e]] += values[e];
    free(values);
    return H;
}

/* Column k: of the gradient by differences of the value, of the Hessian by differences of the gradient. */
static void difference_at(const struct object *o, double *z, size_t k, double step, const double *g, const double *H,
                          double *off)
{
    double at = z[k], high, low, *up = numbers(o->size), *down = numbers(o->size);
    z[k] = at + step;
    CHECK(actio_dual_action_value(o->a, z, &high) == 0 && actio_dual_action_gradient(o->a, z, up) == 0);
    z[k] = at - step;
    CHECK(actio_dual_action_value(o->a, z, &low) == 0 && actio_dual_action_gradient(o->a, z, down) == 0);
    z[k] = at;
    off[0] = fmax(off[0], fabs((high - low) / (2 * step) - g[k]));
    for (size_t i = 0; i < o->size; i++)
        off[1] = fmax(off[1], fabs((up[i] - down[i]) / (2 * step) - H[i * o->size + k]));
    free(up);
    free(down);
}

TEST(gradient_and_hessian_are_the_differences_of_value_and_gradient)
{
    for (size_t c = 0; c < GALLERY; c++) {
        struct object o;
        if (!open_object(&o, &gallery[c])) continue;
        double *z = random_unknowns(&o, gallery[c].size, 3 + c), *g = numbers(o.size), *H = dense_hessian(&o, z),
               off[2] = { 0, 0 }, large[2] = { 0, 0 };
        CHECK(actio_dual_action_gradient(o.a, z, g) == 0);
        for (size_t k = 0; k < o.size; k++) difference_at(&o, z, k, 1e-4 * gallery[c].size, g, H, off);
        for (size_t i = 0; i < o.size; i++) large[0] = fmax(large[0], fabs(g[i]));
        for (size_t i = 0; i < o.size * o.size; i++) large[1] = fmax(large[1], fabs(H[i]));
        if (!(off[0] <= 1e-6 * large[0] && off[1] <= 1e-6 * large[1]))
            printf("    %s (%zu): gradient %.1e of %.1e, Hessian %.1e of %.1e\n", gallery[c].stem, c, off[0], large[0],
                   off[1], large[1]);
        CHECK(large[0] > 0 && off[0] <= 1e-6 * large[0] && off[1] <= 1e-6 * large[1]);
        free(z);
        free(g);
        free(H);
        close_object(&o);
    }
}

/* Against time S is convex. */
TEST(the_hessian_is_symmetric_and_definite_and_lists_each_entry_once)
{
    for (size_t c = 0; c < GALLERY; c++) {
        struct object o;
        if (!open_object(&o, &gallery[c])) continue;
        double *z = random_unknowns(&o, gallery[c].size, 13 + c), *H = dense_hessian(&o, z),
               sign = o.t[0] < o.t[o.nodes - 1] ? -1 : 1;
        unsigned char *seen = calloc(o.size * o.size + 1, 1);
        for (size_t e = 0; seen && e < o.count; e++)
            CHECK(o.row[e] < o.size && o.col[e] < o.size && !seen[o.row[e] * o.size + o.col[e]]++);
        for (size_t i = 0; i < o.size; i++)
            for (size_t k = 0; k < i; k++) CHECK(H[i * o.size + k] == H[k * o.size + i]);
        for (size_t i = 0; i < o.size * o.size; i++) H[i] *= sign;
        CHECK(actio_cholesky_factor(o.size, H) == 0);
        free(z);
        free(H);
        free(seen);
        close_object(&o);
    }
}

/* ---- what it is made of */

TEST(unknowns_have_names_and_nodes_and_points_have_times)
{
    struct object o;
    const struct given given = { "pars42", "0..1", { .grid = 5, .order = 3, .multipliers = true }, 0, { 0, NULL } };
    static const char *const names[] = { "dual x1",         "dual x2",         "dual x3",         "dual x1_dot",
                                         "dual x2_dot",     "dual x3_dot",     "dual x1_balance", "dual x2_balance",
                                         "dual x3_balance", "dual lambda.edge" };
    if (!open_object(&o, &given)) return;
    CHECK(o.slices == 10 && o.nodes == 16 && o.points == 20 && o.size == 10 * 15 && o.nx == 6 && o.nu == 10
          && strcmp(o.name[9], "lambda.edge") == 0);
    unsigned char seen[150] = { 0 };
    for (size_t i = 0; i < o.slices && i < 10; i++) {
        CHECK(strcmp(o.slice[i].name, names[i]) == 0 && o.slice[i].count == 15);
        for (size_t k = 0; k < o.slice[i].count; k++)
            CHECK(o.slice[i].first + k * o.slice[i].stride < 150 && !seen[o.slice[i].first + k * o.slice[i].stride]++);
    }
    double sum = 0;
    for (size_t l = 0; l < o.points; l++) {
        sum += o.weight[l];
        CHECK(o.point[l] > 0 && o.point[l] < 1 && (l == 0 || o.point[l] > o.point[l - 1]));
    }
    for (size_t i = 1; i < o.nodes; i++) CHECK(o.t[i] > o.t[i - 1]);
    CHECK(o.t[0] == 0 && o.t[15] == 1);
    CHECK_NEAR(sum, 1, 1e-15);
    CHECK_NEAR(o.t[1], 0.2 * (1 - sqrt(0.2)) / 2, 1e-16); /* Lobatto's nodes of degree 3 */
    close_object(&o);
}

TEST(without_options_there_are_32_elements_of_degree_4)
{
    struct object o;
    read_model(&o, &(struct given){ .stem = "lorenz", .time = "0..0.1" });
    o.a = actio_dual_action_create(o.ctx, o.model, NULL, o.f);
    CHECK(o.a && actio_dual_action_size(o.a) == 32 * 4 * 3);
    close_object(&o);
}

/* ---- the maximum */

static const double *column(const struct actio_table *t, const char *kind, const char *name)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s%s", kind, name);
    for (size_t c = 0; t && c < actio_table_columns(t); c++)
        if (strcmp(actio_table_name(t, c), whole) == 0) return actio_table_data(t, c);
    return NULL;
}

static struct actio_table *run_dual(const struct object *o, const struct given *g)
{
    struct actio_run_options r = actio_run_options_default();
    r.by = "dual";
    r.points = 2;
    r.grid = g->o.grid;
    r.order = g->o.order;
    r.nodes = g->o.nodes;
    r.closure = g->o.closure;
    r.power = g->o.power;
    r.base = g->o.base;
    r.multipliers = g->o.multipliers;
    struct actio_table *t = actio_run(o->ctx, o->model, &r, o->f);
    if (!t) show_findings(o->f);
    CHECK(t != NULL);
    return t;
}

/* Also from unknowns that are not 0. */
TEST(its_maximum_is_that_of_the_run)
{
    static const struct given list[] = {
        { "lorenz", "0..0.1", { .grid = 8, .base = "constant" }, 0.02, { 0, NULL } },
        { "lorenz", "0..0.1", { .grid = 8 }, 0.02, { ACTIO_CHANGE_BASE, "x=1.5,y=2,z=.5" } },
        { "lorenz", "0.1..0", { .grid = 8 }, 0.01, { 0, NULL } },
        { "lorenz", "0..0.5", { .grid = 20 }, 1e-3, { 0, NULL } },
        { "lorenz",
          "0..0.1",
          { .grid = 8, .base = "constant" },
          0.002,
          { ACTIO_CHANGE_WEIGHTS, "x=1,y=2,z=exp(-3*t)" } },
        { "pars42", "0..1", { .grid = 10 }, 1e-4, { 0, NULL } },
        { "pars42", "0..1", { .grid = 10, .base = "constant" }, 1e-3, { 0, NULL } },
        { "pars45", "0..1", { .grid = 10, .multipliers = true }, 1e-3, { 0, NULL } },
        { "pars42", "0..1", { .grid = 10, .closure = "vakonomic" }, 1e-4, { 0, NULL } },
        { "pars42", "0..1", { .grid = 10, .closure = "reduced" }, 1e-4, { 0, NULL } },
        { "pars42", "0..1", { .grid = 10, .closure = "free", .power = "zero" }, 1e-4, { 0, NULL } },
        { "disk", "0..0.5", { .grid = 10, .order = 3 }, 1e-4, { 0, NULL } },
        { "driven-double-pendulum", "0..0.5", { .grid = 20 }, 1e-5, { 0, NULL } },
        { "pars47", "0..1", { .grid = 16 }, 0.1, { ACTIO_CHANGE_FINAL, "v1=.2" } },
        { "pendulum-cartesian", "0..0.5", { .grid = 10, .base = "exact" }, 1e-5, { 0, NULL } },
    };
    for (size_t c = 0; c < sizeof list / sizeof *list; c++)
        for (int from = 0; from < 2; from++) {
            struct object o;
            struct actio_dual_info info = { 0 };
            if (!open_object(&o, &list[c])) continue;
            struct actio_table *t = run_dual(&o, &list[c]);
            double *z = random_unknowns(&o, from ? list[c].size : 0, c), *ends = numbers((list[c].o.grid + 1) * o.nx),
                   *H = numbers(list[c].o.grid + 1), S, least, detector, off = 0, off_x = 0;
            CHECK(t && actio_table_dual(t, &info));
            CHECK(actio_dual_action_solve(o.a, z, o.f) == 0 && actio_dual_action_value(o.a, z, &S) == 0
                  && actio_dual_action_state(o.a, z, NULL, ends) == 0);
            CHECK(actio_dual_action_least(o.a, z, &least, &detector) == 0
                  && actio_dual_action_hamiltonian(o.a, z, H) == 0);
            for (size_t i = 0; t && i < o.nx; i++) {
                const double *D = column(t, "dual.", o.name[i]), *x = column(t, "", o.name[i]);
                if (D) off = fmax(off, fabs(D[0] - z[o.slice[i].first]));
                else off = INFINITY;
                if (x) off_x = fmax(off_x, fabs(x[actio_table_rows(t) - 1] - ends[list[c].o.grid * o.nx + i]));
            }
            if (!(off <= 1e-9 && off_x <= 1e-9))
                printf("    %s (%zu): D(0) off by %.1e, x by %.1e\n", list[c].stem, c, off, off_x);
            CHECK(off <= 1e-9 && off_x <= 1e-9);
            CHECK_NEAR(S, info.action, 1e-11 * fmax(1, fabs(S)));
            CHECK_NEAR(H[0], info.hamiltonian, 1e-8 * fmax(1, fabs(H[0])));
            CHECK(fabs(least - info.min_eigenvalue) < 1e-7 && fabs(detector - info.detector) < 1e-6);
            actio_table_free(t);
            free(z);
            free(ends);
            free(H);
            close_object(&o);
        }
}

/* ---- where there is none */

TEST(where_m_is_not_positive_there_is_no_value_and_that_is_said)
{
    static const struct given list[] = { { "lorenz", "0..0.1", { .grid = 4 }, 3, { 0, NULL } },
                                         { "pars42", "0..1", { .grid = 4 }, 60, { 0, NULL } },
                                         { "pars42", "0..1", { .grid = 4, .multipliers = true }, 60, { 0, NULL } } };
    for (size_t c = 0; c < 3; c++) {
        struct object o;
        if (!open_object(&o, &list[c])) continue;
        double *z = random_unknowns(&o, list[c].size, 5), *zero = numbers(o.size), *g = numbers(o.size),
               *H = numbers(o.count), *ends = numbers(5 * o.nx), before, after, value = 17, least = 17;
        CHECK(actio_dual_action_value(o.a, zero, &before) == 0);
        CHECK(actio_dual_action_value(o.a, z, &value) == ACTIO_NUMERICS_FAILED && value == 17);
        CHECK(actio_dual_action_gradient(o.a, z, g) == ACTIO_NUMERICS_FAILED
              && actio_dual_action_hessian(o.a, z, H) == ACTIO_NUMERICS_FAILED
              && actio_dual_action_state(o.a, z, NULL, ends) == ACTIO_NUMERICS_FAILED);
        CHECK(actio_dual_action_hamiltonian(o.a, z, ends) == ACTIO_NUMERICS_FAILED && actio_findings_count(o.f) == 0);
        /* M of the second asks for U */
        if (c != 1) CHECK(actio_dual_action_least(o.a, z, &least, NULL) == 0 && least < 0);
        else CHECK(actio_dual_action_least(o.a, z, &least, NULL) == ACTIO_NUMERICS_FAILED);
        CHECK(actio_dual_action_solve(o.a, z, NULL) == ACTIO_NUMERICS_FAILED && actio_findings_count(o.f) == 0);
        CHECK(actio_dual_action_solve(o.a, z, o.f) == ACTIO_NUMERICS_FAILED && says(&o, "DUAL_FAILS")
              && o.ctx->findings == NULL);
        for (size_t i = 0; i < o.size; i++) z[i] = NAN;
        CHECK(actio_dual_action_value(o.a, z, &value) == ACTIO_NUMERICS_FAILED);
        CHECK(actio_dual_action_value(o.a, zero, &after) == 0 && after == before); /* nothing is left of it */
        free(z);
        free(zero);
        free(g);
        free(H);
        free(ends);
        close_object(&o);
    }
}

/* Beyond the horizon there is a function without a maximum. */
TEST(a_slab_that_is_too_long_has_values_and_its_solution_names_the_horizon)
{
    struct object o;
    double S;
    if (!open_object(&o, &(struct given){ "lorenz", "0..0.2", { .grid = 10, .base = "constant" }, 0, { 0, NULL } }))
        return;
    double *z = numbers(o.size);
    CHECK(actio_dual_action_value(o.a, z, &S) == 0 && S == 0);
    CHECK(actio_dual_action_solve(o.a, z, o.f) == ACTIO_NUMERICS_FAILED && says(&o, "DUAL_HORIZON")
          && actio_findings_status(o.f) == ACTIO_NUMERICS_FAILED);
    CHECK(actio_dual_action_value(o.a, z, &S) == 0 && S > 0); /* it has climbed as far as it goes */
    free(z);
    close_object(&o);
}

TEST(a_solution_that_is_cancelled_says_so)
{
    volatile int cancel = 0;
    struct actio_context *ctx = actio_context_create(&(struct actio_limits){ .cancel = &cancel });
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model =
        actio_model_read(ctx, "lorenz", &(struct actio_change){ ACTIO_CHANGE_TIME, "0..0.1" }, 1, f);
    struct actio_dual_action *a = actio_dual_action_create(ctx, model, NULL, f);
    double *z = numbers(32 * 4 * 3), S;
    cancel = 1;
    CHECK(a && actio_dual_action_solve(a, z, f) == ACTIO_INTERRUPTED && actio_findings_status(f) == ACTIO_INTERRUPTED);
    CHECK(a && actio_dual_action_value(a, z, &S) == 0); /* which takes no time */
    free(z);
    actio_dual_action_free(a);
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
}

/* What was asked before makes no difference, to the last bit. */
TEST(it_is_a_function_of_its_unknowns_alone)
{
    for (size_t c = 0; c < GALLERY; c++) {
        struct object o;
        if (!open_object(&o, &gallery[c])) continue;
        double *z = random_unknowns(&o, gallery[c].size, 1), *other = random_unknowns(&o, 0.1 * gallery[c].size, 2),
               *H = numbers(gallery[c].o.grid + 1), *K = numbers(o.count), *again = numbers(o.count), S, next, least;
        CHECK(actio_dual_action_value(o.a, z, &S) == 0 && actio_dual_action_hessian(o.a, z, K) == 0);
        CHECK(actio_dual_action_hamiltonian(o.a, z, H) == 0 && actio_dual_action_least(o.a, other, &least, NULL) == 0
              && actio_dual_action_solve(o.a, other, o.f) == 0);
        CHECK(actio_dual_action_value(o.a, z, &next) == 0 && next == S && actio_dual_action_hessian(o.a, z, again) == 0
              && memcmp(K, again, o.count * sizeof *K) == 0);
        free(z);
        free(other);
        free(H);
        free(K);
        free(again);
        close_object(&o);
    }
}

/* ---- memory */

static size_t taken;

static void *count_and_allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    taken++;
    return realloc(old, size);
}

TEST(neither_evaluations_nor_solutions_take_memory)
{
    for (size_t c = 0; c < GALLERY; c++) {
        struct object o;
        if (!open_object(&o, &gallery[c])) continue;
        double *z = random_unknowns(&o, gallery[c].size, 4), *g = numbers(o.size), *K = numbers(o.count),
               *U = numbers(o.points * o.nu), *x = numbers((gallery[c].o.grid + 1) * o.nx), S, least;
        o.ctx->allocate = count_and_allocate;
        taken = 0;
        CHECK(actio_dual_action_value(o.a, z, &S) == 0 && actio_dual_action_gradient(o.a, z, g) == 0
              && actio_dual_action_hessian(o.a, z, K) == 0 && actio_dual_action_state(o.a, z, U, x) == 0);
        memset(z, 0, o.size * sizeof *z);
        CHECK(actio_dual_action_least(o.a, z, &least, NULL) == 0 && actio_dual_action_solve(o.a, z, o.f) == 0);
        CHECK(taken == 0);
        free(z);
        free(g);
        free(K);
        free(U);
        free(x);
        close_object(&o);
    }
}

static void run_out(const struct actio_dual_action_options options)
{
    struct object o;
    read_model(&o, &(struct given){ .stem = "pars42", .time = "0..1" });
    size_t before = o.ctx->bytes, made = 0;
    for (size_t room = 1000; room < 64000000 && !made; room += room / 20) {
        struct actio_findings *f = actio_findings_create(o.ctx);
        o.ctx->bytes_limit = before + room;
        struct actio_dual_action *a = actio_dual_action_create(o.ctx, o.model, &options, f);
        o.ctx->bytes_limit = (size_t)2 << 30;
        if (!a && actio_findings_status(f) != ACTIO_LIMIT_REACHED)
            printf("    with %zu bytes: status %d\n", room, actio_findings_status(f));
        CHECK(a || actio_findings_status(f) == ACTIO_LIMIT_REACHED);
        made = a ? room : 0;
        actio_dual_action_free(a);
        actio_findings_free(f);
        CHECK(o.ctx->bytes == before);
    }
    CHECK(made > 0);
    close_object(&o);
}

TEST(memory_that_runs_out_leaves_nothing_behind)
{
    run_out((struct actio_dual_action_options){ .grid = 32, .multipliers = true });
    run_out((struct actio_dual_action_options){ .grid = 8, .base = "exact" });
    run_out((struct actio_dual_action_options){ .grid = 8, .closure = "reduced" });
}

/* ---- what it says */

static void says_no(struct given given, const char *code)
{
    struct object o;
    read_model(&o, &given);
    CHECK(o.model && (o.a = actio_dual_action_create(o.ctx, o.model, &given.o, o.f)) == NULL);
    if (!says(&o, code) || actio_findings_status(o.f) == 0) {
        printf("    %s: not %s\n", given.stem, code);
        show_findings(o.f);
    }
    CHECK(says(&o, code) && actio_findings_status(o.f) != 0 && o.ctx->findings == NULL);
    close_object(&o);
}

TEST(what_is_no_dual_action_is_said)
{
    says_no((struct given){ .stem = "pars42", .o = { .order = 9 } }, "NO_DEGREE");
    says_no((struct given){ .stem = "pars42", .o = { .order = 4, .nodes = 3 } }, "NO_QUADRATURE");
    says_no((struct given){ .stem = "pars42", .o = { .closure = "nobody" } }, "BAD_OPTION");
    says_no((struct given){ .stem = "pars42", .o = { .closure = "free", .power = "some" } }, "BAD_OPTION");
    says_no((struct given){ .stem = "pars42", .o = { .power = "zero" } }, "NOT_ITS_OPTION");
    says_no((struct given){ .stem = "pars42", .o = { .grid = (size_t)-1 / 2 } }, "TOO_LARGE");
    says_no((struct given){ .stem = "pars42", .o = { .base = "nowhere.csv" } }, "CANNOT_READ");
    says_no((struct given){ .stem = "pars42", .more = { ACTIO_CHANGE_WEIGHTS, "x1=-1" } }, "DUAL_WEIGHT");
    says_no((struct given){ .stem = "lorenz",
                            .time = "0..0.1",
                            .more = { ACTIO_CHANGE_POTENTIAL, "(x - x.base)^2*(.05 - t)" } },
            "DUAL_NOT_CONVEX");
    says_no((struct given){ .stem = "lorenz", .o = { .closure = "reduced" } }, "INAPPLICABLE");
    says_no((struct given){ .stem = "bouncing-ball" }, "INAPPLICABLE");
    says_no((struct given){ .stem = "four-bar" }, "INAPPLICABLE");
    says_no((struct given){ .stem = "pendulum-cartesian", .more = { ACTIO_CHANGE_START, "x=1.1" } }, "START_BREAKS");
    says_no((struct given){ .stem = "coord x\nlagrangian x'^2/2\nstart x = 1\n" }, "NO_TIME");
    says_no(
        (struct given){ .stem = "coord x\nlagrangian x'^2/2\nstart x = 1\ntime 0 .. 1\nfree x'\nrequire x at 1 = 0\n" },
        "INAPPLICABLE");
    says_no((struct given){ .stem = "state x\nflow x' = x^2\nstart x = 1\ntime 0 .. 50\n", .o = { .grid = 40 } },
            "DUAL_NO_BASE");
    says_no((struct given){ .stem = "state x\nflow x' = x^2\nstart x = 1\ntime 0 .. 50\n",
                            .o = { .grid = 40, .base = "exact" } },
            "DUAL_NO_VALUE");
}

TEST(switches_stay_as_they_are_at_the_start_and_that_is_said)
{
    struct object o;
    if (!open_object(&o, &(struct given){ "bilinear-oscillator", "0..4", { .grid = 40 }, 0, { 0, NULL } })) return;
    double *z = numbers(o.size), *ends = numbers(41 * o.nx);
    CHECK(says(&o, "DUAL_FROZEN") && actio_findings_status(o.f) == 0);
    CHECK(actio_dual_action_solve(o.a, z, o.f) == 0 && actio_dual_action_state(o.a, z, NULL, ends) == 0);
    /* one spring all the way */
    for (size_t e = 0; e <= 40; e++) CHECK_NEAR(ends[e * o.nx], 2 * sin(0.1 * (double)e), 1e-9);
    free(z);
    free(ends);
    close_object(&o);
}

int main(void)
{
    RUN(gradient_and_hessian_are_the_differences_of_value_and_gradient);
    RUN(the_hessian_is_symmetric_and_definite_and_lists_each_entry_once);
    RUN(unknowns_have_names_and_nodes_and_points_have_times);
    RUN(without_options_there_are_32_elements_of_degree_4);
    RUN(its_maximum_is_that_of_the_run);
    RUN(where_m_is_not_positive_there_is_no_value_and_that_is_said);
    RUN(a_slab_that_is_too_long_has_values_and_its_solution_names_the_horizon);
    RUN(a_solution_that_is_cancelled_says_so);
    RUN(it_is_a_function_of_its_unknowns_alone);
    RUN(neither_evaluations_nor_solutions_take_memory);
    RUN(memory_that_runs_out_leaves_nothing_behind);
    RUN(what_is_no_dual_action_is_said);
    RUN(switches_stay_as_they_are_at_the_start_and_that_is_said);
    return DONE();
}
