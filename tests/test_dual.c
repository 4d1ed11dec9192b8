/* SPDX-License-Identifier: Apache-2.0
 * The dual action at random dual variables: its gradient against differences of its value, its Hessian against
 * differences of its gradient, M's sign against
 * Cholesky's method, all for eliminated and implicit first-order forms; elements, quadrature and interpolation against
 * closed forms. */
#include "subject.h"
#include "algebra/dense.h"
#include "solve/dual.h"

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1; /* -1 .. 1 */
}

static const struct actio_example *example(const char *stem)
{
    const struct actio_example *all;
    size_t count = actio_gallery(&all);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].stem, stem) == 0) return &all[i];
    return NULL;
}

struct bench {
    struct subject s;
    struct actio_dual dual;
    struct actio_dual_element e;
    struct actio_dual_slab slab;
    struct actio_dual_basing *basing;
};

static void open_bench(struct bench *b, const char *stem, bool multipliers, size_t k, size_t elements, double h)
{
    const struct actio_example *e = example(stem);
    *b = (struct bench){ .dual.task.choice.multipliers = multipliers };
    CHECK(e && open_subject(&b->s, e->text, strlen(e->text), NULL, 0)
          && actio_motion_open(&b->s.motion, b->s.ctx, b->s.sys, b->s.param) == 0);
    struct actio_motion *m = &b->s.motion;
    m->chosen.dual = &b->dual;
    CHECK(actio_motion_begin(m, 0, b->s.y0) == 0 && actio_system_dual(b->s.sys, &b->dual.task.choice) == 0);
    CHECK(actio_dual_element_open(&b->e, b->s.ctx, k, k + 1) == 0);
    CHECK(actio_dual_slab_open(&b->slab, b->s.ctx, b->s.sys, &b->e, elements,
                               (struct actio_shared){ m->here.param, m->here.mode, m->here.hidden })
          == 0);
    b->basing = actio_dual_basing_open(m, elements, k + 1);
    actio_dual_slab_place(&b->slab, 0, h, elements);
    CHECK(b->basing && actio_dual_set_base(b->basing, &b->slab, b->s.y0) == 0);
}

static void close_bench(struct bench *b)
{
    actio_dual_basing_close(b->basing);
    actio_dual_slab_close(&b->slab);
    actio_dual_element_close(&b->e);
    close_subject(&b->s);
}

/* Starts from the base: U of the last evaluation is where the map begins. */
static int at(struct bench *b, const double *z)
{
    memcpy(b->slab.lane.U, b->slab.lane.base, b->slab.nu * b->slab.lanes * sizeof *b->slab.lane.U);
    return actio_dual_at(&b->slab, z);
}

/* The whole gradient: at the held end what is left is -(x - base). */
static void gradient(struct bench *b, const double *z, double *G)
{
    CHECK(at(b, z) == ACTIO_DUAL_DONE);
    size_t count = actio_dual_unknowns(&b->slab), nx = b->slab.nx, end = b->slab.elements * b->e.k * nx;
    memcpy(G, b->slab.newton.G, count * sizeof *G);
    for (size_t i = 0; i < nx; i++) G[end + i] = -b->slab.x[b->slab.elements * nx + i];
}

static const struct {
    const char *stem;
    bool multipliers;
    double size;
} cases[] = {
    { "lorenz", false, 0.05 },
    { "lorenz", true, 0.02 },
    { "pars42", false, 0.002 },
    { "pars42", true, 0.005 },
    { "disk", true, 0.005 },
    { "double-pendulum", false, 0.01 },
    { "driven-double-pendulum", true, 0.005 },
    { "lorenz-restricted", true, 0.001 },
    { "rod-servo-along", true, 0.002 },
};

static void differentiate(size_t c, size_t k, double h)
{
    struct bench b;
    uint64_t seed = 3 + c;
    open_bench(&b, cases[c].stem, cases[c].multipliers, k, 3, h);
    size_t count = actio_dual_unknowns(&b.slab);
    double *z = numbers(count), *v = numbers(count), *G = numbers(count), *plus = numbers(count),
           *minus = numbers(count), *Kv = numbers(count), step = 1e-4, slope = 0, worst = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        z[i] = cases[c].size * uniform(&seed);
        v[i] = cases[c].size * uniform(&seed);
    }
    gradient(&b, z, G);
    CHECK(actio_dual_curve(&b.slab, v, Kv) == ACTIO_DUAL_DONE);
    for (size_t i = 0; i < count; i++) slope += G[i] * v[i];
    for (size_t i = 0; i < count; i++) z[i] += step * v[i];
    gradient(&b, z, plus);
    double S_plus = b.slab.found.action;
    for (size_t i = 0; i < count; i++) z[i] -= 2 * step * v[i];
    gradient(&b, z, minus);
    double difference = (S_plus - b.slab.found.action) / (2 * step), sign = h < 0 ? -1 : 1;
    CHECK_NEAR(difference, slope, 1e-7 * (1e-3 + fabs(slope)));
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs((plus[i] - minus[i]) / (2 * step) + sign * Kv[i]));
        size = fmax(size, fabs(Kv[i]));
    }
    if (!(worst <= 1e-6 * size)) printf("    %s: %g of %g\n", cases[c].stem, worst, size);
    CHECK(size > 0 && worst <= 1e-6 * size);
    free(z);
    free(v);
    free(G);
    free(plus);
    free(minus);
    free(Kv);
    close_bench(&b);
}

TEST(gradient_and_hessian_are_the_derivatives_of_the_value)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t k = 1; k <= 4; k++) differentiate(c, k, 0.02);
    differentiate(0, 3, -0.02); /* against time */
    differentiate(3, 3, -0.02);
}

/* Along a ray of dual variables M loses its sign once; the map fails from there on and not before. */
TEST(the_map_exists_as_long_as_m_is_positive)
{
    struct bench b;
    uint64_t seed = 5;
    open_bench(&b, "lorenz", false, 2, 2, 0.02);
    size_t count = actio_dual_unknowns(&b.slab), nu = b.slab.nu, lanes = b.slab.elements * b.e.points;
    double *v = numbers(count), *z = numbers(count), M[9], eigenvalue[3];
    for (size_t i = 0; i < count; i++) v[i] = uniform(&seed);
    int seen[2] = { 0, 0 };
    for (int j = 0; j < 40; j++) {
        for (size_t i = 0; i < count; i++) z[i] = 0.1 * j * v[i];
        int status = at(&b, z);
        double least = INFINITY;
        for (size_t l = 0; l < lanes; l++) { /* C = 1, M = 1 - D.f_xx: -z x in y', +x y in z' */
            double D1 = b.slab.lane.D[1 * b.slab.lanes + l], D2 = b.slab.lane.D[2 * b.slab.lanes + l];
            const double full[9] = { 1, -D2, D1, -D2, 1, 0, D1, 0, 1 };
            memcpy(M, full, sizeof M);
            CHECK(nu == 3 && actio_eigen_symmetric(3, M, eigenvalue, NULL) == 0);
            least = fmin(least, eigenvalue[0]);
        }
        if (fabs(least) < 1e-12) continue;
        CHECK((least > 0) == (status == ACTIO_DUAL_DONE) && (least > 0 || status == ACTIO_DUAL_NOT_POSITIVE));
        seen[least > 0]++;
        if (status == ACTIO_DUAL_DONE)
            CHECK(actio_dual_judge(&b.slab) == 0 && fabs(b.slab.found.least - fmin(least, 1)) < 1e-8);
    }
    CHECK(seen[0] > 3 && seen[1] > 3);
    free(v);
    free(z);
    close_bench(&b);
}

/* A concave maximum: at the solution the gradient vanishes but at the held end, and every direction curves down. */
TEST(the_solution_is_a_maximum_and_its_reactions_are_the_motion)
{
    struct bench b;
    uint64_t seed = 9;
    open_bench(&b, "pars42", true, 4, 8, 0.05);
    CHECK(actio_dual_solve(&b.slab) == ACTIO_DUAL_DONE);
    size_t count = actio_dual_unknowns(&b.slab), end = 8 * 4 * b.slab.nx;
    double *v = numbers(count), *Kv = numbers(count);
    for (int j = 0; j < 10; j++) {
        for (size_t i = 0; i < count; i++) v[i] = uniform(&seed);
        CHECK(actio_dual_curve(&b.slab, v, Kv) == ACTIO_DUAL_DONE && actio_dot(count, v, Kv) > 0);
    }
    for (size_t i = 0; i < count; i++)
        if (i < end || i >= end + b.slab.nx) CHECK(fabs(b.slab.newton.G[i]) < 1e-13);
    for (int e = 0; e <= 8; e++) {
        double z = 0.3 + 0.7 * 0.05 * e, q = sqrt(1.09);
        CHECK_NEAR(b.slab.x[e * 6 + 2], z, 1e-14);
        CHECK_NEAR(b.slab.x[e * 6 + 3], q / sqrt(1 + z * z), 1e-13);
        CHECK_NEAR(b.slab.x[e * 6 + 1], 0.2 + q / 0.7 * (sqrt(1 + z * z) - q), 1e-13);
    }
    CHECK(b.slab.newton.iterations <= 4 && actio_dual_judge(&b.slab) == 0 && b.slab.found.least > 0.999
          && b.slab.found.detector < 1e-7);
    free(v);
    free(Kv);
    close_bench(&b);
}

TEST(shapes_reproduce_polynomials_and_quadrature_is_gausss)
{
    struct actio_context ctx;
    actio_context_init(&ctx);
    for (size_t k = ACTIO_DUAL_LEAST_DEGREE; k <= ACTIO_DUAL_MOST_DEGREE; k++)
        for (size_t points = k; points <= ACTIO_DUAL_MOST_POINTS; points++) {
            struct actio_dual_element e;
            CHECK(actio_dual_element_open(&e, &ctx, k, points) == 0);
            for (size_t p = 0; p <= 2 * points - 1; p++) {
                double sum = 0;
                for (size_t q = 0; q < points; q++) sum += e.weight[q] * pow(e.at[q], (double)p);
                CHECK_NEAR(sum, 1 / (double)(p + 1), 1e-15);
            }
            for (size_t q = 0; q < points; q++)
                for (size_t p = 0; p <= k; p++) {
                    double value = 0, slope = 0;
                    for (size_t j = 0; j <= k; j++) {
                        value += e.N[q * (k + 1) + j] * pow(e.node[j], (double)p);
                        slope += e.dN[q * (k + 1) + j] * pow(e.node[j], (double)p);
                    }
                    CHECK_NEAR(value, pow(e.at[q], (double)p), 1e-14);
                    CHECK_NEAR(slope, p ? (double)p * pow(e.at[q], (double)p - 1) : 0, 2e-13);
                }
            for (size_t a = 0; a < k; a++)
                for (size_t b = 0; b < k; b++) {
                    double sum = 0;
                    for (size_t q = 0; q < points; q++) sum += e.weight[q] * e.P[q * k + a] * e.P[q * k + b];
                    CHECK_NEAR(sum, a == b ? 1 : 0, 1e-14);
                }
            actio_dual_element_close(&e);
        }
    CHECK(ctx.bytes == 0);
}

/* Where L is quadratic the map is one Newton step, recognised from the formulas. */
TEST(quadratic_duals_are_recognised)
{
    static const struct {
        const char *stem;
        bool multipliers, quadratic, implicit;
        size_t x, u, g;
    } known[] = {
        { "lorenz", false, true, false, 3, 3, 0 }, { "pars42", false, false, false, 6, 6, 0 },
        { "pars42", true, true, true, 6, 10, 4 },  { "lorenz", true, true, true, 3, 6, 3 },
        { "pars47", false, true, false, 2, 2, 0 }, { "pendulum", false, false, false, 2, 2, 0 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct bench b;
        open_bench(&b, known[i].stem, known[i].multipliers, 2, 2, 0.01);
        const struct actio_first_order *fo = b.s.sys->first_order;
        CHECK(fo->quadratic == known[i].quadratic && fo->implicit == known[i].implicit && fo->x == known[i].x
              && fo->u == known[i].u && fo->g == known[i].g);
        CHECK(actio_dual_solve(&b.slab) == ACTIO_DUAL_DONE);
        close_bench(&b);
    }
}

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

TEST(no_slab_takes_memory)
{
    static const struct {
        const char *stem;
        bool multipliers;
    } list[] = { { "lorenz", false },
                 { "pars42", false },
                 { "disk", true },
                 { "double-pendulum", true },
                 { "bilinear-oscillator", false } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct bench b;
        open_bench(&b, list[i].stem, list[i].multipliers, 3, 4, 0.01);
        struct actio_motion *m = &b.s.motion;
        double *y = numbers(m->ny), t = 0;
        void *h = actio_dual.open(b.s.ctx, &m->flow);
        actio_dual.start(h, 0, b.s.y0, 1, 1e-9, 1e-9);
        b.s.ctx->allocate = count_and_allocate;
        taken = 0;
        for (int step = 0; step < 5 && t < 1; step++) CHECK(actio_dual.step(h, &t, y) == 0);
        actio_dual.dense(h, 0.99 * t, y);
        CHECK(taken == 0 && t > 0 && isfinite(y[0]));
        actio_dual.close(h);
        free(y);
        close_bench(&b);
    }
}

TEST(degrees_that_there_are_not_are_a_usage_error)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, "pars42", NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    options.by = "dual";
    options.order = ACTIO_DUAL_MOST_DEGREE + 1;
    CHECK(actio_run(ctx, model, &options, f) == NULL && actio_findings_status(f) == ACTIO_WRONG_USAGE);
    CHECK(actio_findings_count(f) == 1 && strcmp(actio_findings_message(f, 0).code, "NOT_A_SIZE") == 0);
    struct actio_dual_action_options action = { .grid = 4, .order = ACTIO_DUAL_MOST_DEGREE + 1 };
    CHECK(actio_dual_action_create(ctx, model, &action, f) == NULL);
    CHECK(actio_findings_count(f) == 2 && strcmp(actio_findings_message(f, 1).code, "NO_DEGREE") == 0);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

/* What the library tells of a run, and what it leaves of memory. */
TEST(a_run_tells_its_dual_and_gives_all_memory_back)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    const struct actio_change change[] = { { ACTIO_CHANGE_TIME, "0..1" },
                                           { ACTIO_CHANGE_BASE, "v1=0,v2=0" },
                                           { ACTIO_CHANGE_WEIGHTS, "v1=2,v2=2" },
                                           { ACTIO_CHANGE_FINAL, "v1=0" } };
    struct actio_model *model = actio_model_read(ctx, "pars47", change, 4, f);
    struct actio_run_options options = actio_run_options_default();
    struct actio_dual_info info;
    options.by = "dual";
    options.grid = 16;
    options.points = 5;
    struct actio_table *table = model ? actio_run(ctx, model, &options, f) : NULL;
    CHECK(table && actio_table_dual(table, &info) && info.slabs == 1 && info.elements == 16 && info.degree == 4
          && strcmp(info.closure, "gauss") == 0);
    if (table) CHECK_NEAR(info.action, 2 * 0.545, 1e-12); /* weights of 2 */
    actio_table_free(table);
    options.by = "dalembert";
    options.grid = 0;
    CHECK(model && actio_run(ctx, model, &options, f) == NULL); /* weights are not its options */
    actio_model_free(model);
    actio_findings_free(f);
    CHECK(ctx->bytes == 0);
    actio_context_free(ctx);
}

int main(void)
{
    RUN(gradient_and_hessian_are_the_derivatives_of_the_value);
    RUN(the_map_exists_as_long_as_m_is_positive);
    RUN(the_solution_is_a_maximum_and_its_reactions_are_the_motion);
    RUN(shapes_reproduce_polynomials_and_quadrature_is_gausss);
    RUN(quadratic_duals_are_recognised);
    RUN(no_slab_takes_memory);
    RUN(degrees_that_there_are_not_are_a_usage_error);
    RUN(a_run_tells_its_dual_and_gives_all_memory_back);
    return DONE();
}
