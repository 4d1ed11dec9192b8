/* SPDX-License-Identifier: Apache-2.0
 * The doubled action as it is handed out: derivatives against differences, its symmetry, its critical point against the
 * reduced one, what it refuses. */
#include "action.h"

/* States, reactions along and on selected variables, soft walls, drives, damping, switches, time in constraints. */
static const struct given gallery[] = {
    { "disk", "0..1", 0, 0 },
    { "pendulum-cartesian", "0..1", 0, 0 },
    { "lorenz-chetaev", "0..1", 0, 0 },
    { "suslov-state", "0..1", 0, 0 },
    { "rod-servo", "0..1", 0, 0 },
    { "rod-servo-along", "0..1", 0, 0 },
    { "plane-servo", "0..1", 0, 0 },
    { "tumbler", NULL, 0.3, 5 },
    { "driven-double-pendulum", "0..1", 0, 0 },
    { "driven-oscillator", "1..0", 0, 0 },
    { "van-der-pol", "0..1", 0, 0 },
    { "rotating-wire", "0..1", 0, 0 },
    { "bilinear-oscillator", "0..1", 0, 0 },
    { "coin", "0..1", 0, 0 },
    { "lorenz-ideal", "0..1", 0, 0 },
    { "incline", "0..1", 0.2, 5 },
};
enum { GALLERY = sizeof gallery / sizeof *gallery };
static const char *const forms[] = { "weak", "strong", "bare" };

/* ---- derivatives */

/* The worst disagreement of column k: of the gradient with differences of the value, of the Hessian with differences of
 * the gradient. */
static void difference_at(const struct object *o, double *x, size_t k, const double *g, const double *H, double *g_off,
                          double *H_off)
{
    double eps = 2e-5, at = x[k], high, low, *up = numbers(o->size), *down = numbers(o->size);
    x[k] = at + eps;
    CHECK(actio_action_value(o->a, x, &high) == 0 && actio_action_gradient(o->a, x, up) == 0);
    x[k] = at - eps;
    CHECK(actio_action_value(o->a, x, &low) == 0 && actio_action_gradient(o->a, x, down) == 0);
    x[k] = at;
    *g_off = fmax(*g_off, fabs((high - low) / (2 * eps) - g[k]));
    for (size_t i = 0; i < o->size; i++)
        *H_off = fmax(*H_off, fabs((up[i] - down[i]) / (2 * eps) - H[i * o->size + k]));
    free(up);
    free(down);
}

static void derivatives_agree(struct given given, int order, size_t grid, const char *form)
{
    struct object o;
    bool open = open_object(&o, given, grid, order, form);
    CHECK(open);
    if (open) {
        double *x = random_fields(&o, 0.2, 0.3, 17 + (uint64_t)order), *g = numbers(o.size), *H, g_off = 0, H_off = 0;
        CHECK(actio_action_gradient(o.a, x, g) == 0);
        H = dense_hessian(&o, x);
        for (size_t k = 0; k < o.size; k++) difference_at(&o, x, k, g, H, &g_off, &H_off);
        double g_size = fmax(1, largest(g, o.size)), H_size = fmax(1, largest(H, o.size * o.size));
        if (!(g_off <= 1e-6 * g_size && H_off <= 1e-6 * H_size))
            printf("    %s %s order %d: gradient %.1e of %.1e, Hessian %.1e of %.1e\n", given.stem, form, order, g_off,
                   g_size, H_off, H_size);
        CHECK(g_off <= 1e-6 * g_size && H_off <= 1e-6 * H_size);
        free(x);
        free(g);
        free(H);
    }
    close_object(&o);
}

TEST(gradient_and_hessian_are_the_differences_of_value_and_gradient)
{
    for (size_t i = 0; i < GALLERY; i++) derivatives_agree(gallery[i], 4, 9, "weak");
    for (size_t i = 0; i < 3; i++) {
        derivatives_agree(gallery[i], 4, 9, "strong");
        derivatives_agree(gallery[i], 2, 5, "bare");
    }
    derivatives_agree(gallery[0], 2, 4, "weak");
    derivatives_agree(gallery[1], 6, 14, "weak");
    derivatives_agree(gallery[2], 8, 18, "weak");
}

/* ---- symmetry */

static void is_odd(struct given given, const char *form)
{
    struct object o;
    if (open_object(&o, given, 12, 4, form)) {
        double *x = random_fields(&o, 0.2, 0.3, 5), S, other;
        CHECK(actio_action_value(o.a, x, &S) == 0 && S != 0);
        for (size_t i = 0; i < o.slices; i++)
            for (size_t k = 0; k < o.slice[i].count; k++) x[o.slice[i].first + k] *= parity(o.slice[i].name);
        CHECK(actio_action_value(o.a, x, &other) == 0);
        CHECK_NEAR(other, -S, 1e-13 * fmax(1, fabs(S)));
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(the_action_is_odd_in_the_differences)
{
    for (size_t i = 0; i < GALLERY; i++)
        for (size_t k = 0; k < 3; k++) is_odd(gallery[i], forms[k]);
}

static int *parities(const struct object *o)
{
    int *of = calloc(o->size + 1, sizeof *of);
    if (!of) abort();
    for (size_t i = 0; i < o->slices; i++)
        for (size_t k = 0; k < o->slice[i].count; k++) of[o->slice[i].first + k] = parity(o->slice[i].name);
    return of;
}

static void splits(struct given given, const char *form)
{
    struct object o;
    if (open_object(&o, given, 12, 4, form)) {
        double *x = random_fields(&o, 0.2, 0, 6), *g = numbers(o.size), *H = dense_hessian(&o, x), same = 0, skew = 0,
               plus = 0, S;
        int *of = parities(&o);
        CHECK(actio_action_value(o.a, x, &S) == 0 && S == 0 && actio_action_gradient(o.a, x, g) == 0);
        for (size_t i = 0; i < o.size; i++) {
            if (of[i] > 0) plus = fmax(plus, fabs(g[i]));
            for (size_t k = 0; k < o.size; k++) {
                skew = fmax(skew, fabs(H[i * o.size + k] - H[k * o.size + i]));
                if (of[i] == of[k]) same = fmax(same, fabs(H[i * o.size + k]));
            }
        }
        CHECK(plus == 0 && same == 0 && skew == 0);
        free(x);
        free(g);
        free(H);
        free(of);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(without_differences_the_value_is_0_and_the_sectors_go_apart)
{
    for (size_t i = 0; i < GALLERY; i++)
        for (size_t k = 0; k < 3; k++) splits(gallery[i], forms[k]);
}

/* ---- critical points */

static void newton_ends_at_the_motion(struct given given, size_t grid, int order)
{
    struct object o;
    if (open_object(&o, given, grid, order, NULL)) {
        uint64_t seed = 99;
        double *x = numbers(o.size), plus, minus;
        struct actio_table *rough = run_by(&o, "dalembert", 0, 0, grid),
                           *reduced = run_by(&o, "skg", grid, order, grid);
        CHECK(rough && reduced);
        put_motion(&o, rough, x);
        add_noise(&o, x, 0.01, 0.3, &seed);
        CHECK(actio_action_solve(o.a, x, o.f) == ACTIO_DONE);
        compare_with(&o, reduced, x, &plus, &minus);
        printf("    %s: plus %.1e from the reduced one, minus %.1e\n", strchr(given.stem, '\n') ? "own" : given.stem,
               plus, minus);
        CHECK(plus <= 1e-11 && minus <= 1e-13);
        actio_table_free(rough);
        actio_table_free(reduced);
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(newton_from_random_differences_ends_at_the_reduced_solution_without_any)
{
    static const struct given list[] = {
        { "disk", NULL, 0, 0 },
        { "pendulum-cartesian", "0..2", 0, 0 },
        { "lorenz-chetaev", "0..4", 0, 0 },
        { "suslov-state", NULL, 0, 0 },
        { "rod-servo-along", NULL, 0, 0 },
        { "driven-double-pendulum", "0..4", 0, 0 },
        { "rotating-wire", "0..2", 0, 0 },
        { "tumbler", NULL, 0.1, 5 },
        { "plane-servo", "0..2", 0, 0 },
        { "coord x\nlagrangian x'^2/2 - if(x > 0, 1, 9)*x^2/2\nstart x = 1\ntime 0 .. 4\n", NULL, 0, 0 },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) newton_ends_at_the_motion(list[i], 64, 4);
    newton_ends_at_the_motion(list[0], 64, 8);
}

/* ---- what it says */

/* given.time: a start here. */
static void says_no(struct given given, size_t grid, int order, const char *form, const char *code)
{
    struct object o;
    struct actio_action_options options = {
        .grid = grid, .order = order, .form = form, .sigma = given.sigma, .barrier = given.barrier
    };
    struct actio_change change = { ACTIO_CHANGE_START, given.time };
    o = (struct object){ .ctx = actio_context_create(NULL) };
    o.f = actio_findings_create(o.ctx);
    o.model = actio_model_read(o.ctx, given.stem, &change, given.time ? 1 : 0, o.f);
    CHECK(o.model && (o.a = actio_action_create(o.ctx, o.model, &options, o.f)) == NULL);
    CHECK(actio_findings_count(o.f) == 1 && strcmp(actio_findings_message(o.f, 0).code, code) == 0);
    show_findings(o.f);
    close_object(&o);
}

TEST(what_is_no_action_is_said)
{
    static const struct given plain = { "disk", NULL, 0, 0 };
    says_no(plain, 64, 4, "loose", "NO_FORM");
    says_no(plain, 64, 3, "weak", "NO_ORDER");
    says_no(plain, 7, 4, "weak", "FEW_NODES");
    says_no((struct given){ "tumbler", NULL, 0, 0 }, 64, 4, NULL, "INAPPLICABLE");
    says_no((struct given){ "tumbler", NULL, 0.1, 0 }, 64, 4, NULL, "NO_BARRIER");
    says_no((struct given){ "pars-acceleration", NULL, 0, 0 }, 64, 4, NULL, "INAPPLICABLE");
    says_no((struct given){ "pendulum-cartesian", "x=1.1", 0, 0 }, 64, 4, NULL, "START_BREAKS");
}

/* Redundant constraints leave multipliers open, and the second variation is singular. */
TEST(an_undetermined_critical_point_is_said)
{
    struct object o;
    if (!open_object(&o, (struct given){ "four-bar", NULL, 0, 0 }, 16, 4, NULL)) return;
    double *x = numbers(o.size);
    bool said = false;
    actio_action_guess(o.a, x);
    CHECK(actio_action_solve(o.a, x, o.f) == ACTIO_NUMERICS_FAILED);
    for (size_t i = 0; i < actio_findings_count(o.f); i++)
        said = said || strcmp(actio_findings_message(o.f, i).code, "ACTION_SINGULAR") == 0;
    CHECK(said);
    free(x);
    close_object(&o);
}

/* Each allocation fails once: nothing leaks, and it is said. */
TEST(memory_that_runs_out_leaves_nothing_behind)
{
    struct object o = { .ctx = actio_context_create(NULL) };
    struct actio_action_options options = { .grid = 32 };
    o.f = actio_findings_create(o.ctx);
    o.model = actio_model_read(o.ctx, "disk", NULL, 0, o.f);
    size_t before = o.ctx->bytes, made = 0;
    for (size_t room = 1000; room < 4000000 && !made; room += room / 3) {
        struct actio_findings *f = actio_findings_create(o.ctx);
        o.ctx->bytes_limit = before + room;
        struct actio_action *a = actio_action_create(o.ctx, o.model, &options, f);
        o.ctx->bytes_limit = (size_t)2 << 30;
        CHECK(a || actio_findings_status(f) == ACTIO_LIMIT_REACHED);
        made = a ? room : 0;
        actio_action_free(a);
        actio_findings_free(f);
        CHECK(o.ctx->bytes == before);
    }
    CHECK(made > 0);
    close_object(&o);
}

int main(void)
{
    RUN(gradient_and_hessian_are_the_differences_of_value_and_gradient);
    RUN(the_action_is_odd_in_the_differences);
    RUN(without_differences_the_value_is_0_and_the_sectors_go_apart);
    RUN(newton_from_random_differences_ends_at_the_reduced_solution_without_any);
    RUN(what_is_no_action_is_said);
    RUN(an_undetermined_critical_point_is_said);
    RUN(memory_that_runs_out_leaves_nothing_behind);
    return DONE();
}
