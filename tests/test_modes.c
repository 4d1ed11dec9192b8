/* SPDX-License-Identifier: Apache-2.0
 * Small motions: the derivatives that they are made of against differences, eigenvalues against closed forms, the
 * public functions. tests/modes.py has the models. */
#include "subject.h"

#include "algebra/dense.h"
#include "problem/fields.h"
#include "solve/law.h"
#include "solve/modes.h"

/* ---- derivatives of the equations of fields */

static double noise(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) / 2147483648.0 - 1; }

struct fields {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_problem problem;
    double *y;
    bool open;
};

static bool open_fields(struct fields *s, const char *text)
{
    *s = (struct fields){ .ctx = actio_context_create(NULL) };
    s->f = actio_findings_create(s->ctx);
    s->model = actio_model_read_string(s->ctx, "fields.act", text, strlen(text), NULL, 0, s->f);
    if (!s->model) {
        show_findings(s->f);
        return false;
    }
    actio_problem_open(&s->problem, s->ctx, s->model, NULL, s->f);
    s->open = true;
    if (actio_problem_form_fields(&s->problem) || actio_motion_need(&s->problem.motion, ACTIO_Q_EQUATIONS_Y)) {
        show_findings(s->f);
        return false;
    }
    s->y = numbers(s->problem.ny);
    return true;
}

static void close_fields(struct fields *s)
{
    if (s->open) actio_problem_close(&s->problem);
    free(s->y);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    CHECK(s->ctx->bytes == 0);
    actio_context_free(s->ctx);
}

/* Any state, any accelerations and multipliers: they need not belong to a motion. */
static void take_any_state(struct fields *s, unsigned seed)
{
    struct actio_motion *m = &s->problem.motion;
    for (size_t i = 0; i < s->problem.ny; i++) s->y[i] = s->problem.y0[i] + 0.1 * noise(&seed);
    for (size_t i = 0; i < m->N; i++) m->here.zdot[i] = noise(&seed);
    for (size_t k = 0; k < m->p; k++) m->here.lambda[k] = noise(&seed);
}

/* h - G z' + D' lambda; natural conditions; c - A z'. */
static void equations(struct fields *s, const double *y, double *r)
{
    struct actio_motion *m = &s->problem.motion;
    const struct actio_system *sys = m->sys;
    const double *G = actio_motion_values(m, 0, y), *A = G + sys->G.count, *D = A + sys->A.count, *h = D + sys->D.count;
    for (size_t i = 0; i < m->N + m->p; i++) r[i] = h[i];
    for (size_t i = 0; i < sys->G.count; i++) r[sys->G.row[i]] -= G[i] * m->here.zdot[sys->G.col[i]];
    for (size_t i = 0; i < sys->D.count; i++) r[sys->D.col[i]] += D[i] * m->here.lambda[sys->D.row[i]];
    for (size_t i = 0; i < sys->A.count; i++) r[m->N + sys->A.row[i]] -= A[i] * m->here.zdot[sys->A.col[i]];
    const double *natural = sys->field.slaves ? actio_motion_quantity(m, ACTIO_Q_SLAVES, 0, y) : NULL;
    for (size_t k = 0; k < sys->field.slaves; k++) r[sys->field.slave[k]] = natural[k];
}

static double apart(struct fields *s)
{
    struct actio_motion *m = &s->problem.motion;
    size_t rows = m->N + m->p;
    double *reported = numbers(rows * m->ny), *plus = numbers(rows), *minus = numbers(rows), worst = 0, largest = 0,
           step = 1e-5;
    const double *E = actio_motion_quantity(m, ACTIO_Q_EQUATIONS_Y, 0, s->y);
    for (size_t i = 0; i < m->sys->jets.equations_y.count; i++)
        reported[m->sys->jets.equations_y.row[i] * m->ny + m->sys->jets.equations_y.col[i]] += E[i];
    for (size_t j = 0; j < m->ny; j++) {
        double x = s->y[j];
        s->y[j] = x + step;
        equations(s, s->y, plus);
        s->y[j] = x - step;
        equations(s, s->y, minus);
        s->y[j] = x;
        for (size_t i = 0; i < rows; i++) {
            worst = fmax(worst, fabs(reported[i * m->ny + j] - (plus[i] - minus[i]) / (2 * step)));
            largest = fmax(largest, fabs(reported[i * m->ny + j]));
        }
    }
    free(reported);
    free(plus);
    free(minus);
    return worst / largest;
}

static const char *const along_axes[] = {
    "field x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2 - 3*y)\nconstraint link(s): "
    "diff(x, s)^2 + diff(y, s)^2 = 1\nconstraint top: x(0) = 0\nstart y = -s\ntime 0 .. 1\n",
    "field w(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (1 + w^2)*w'^2/2 - diff(diff(w, s), s)^2/2 - "
    "w^4)\nconstraint root: w(0) = 0\nconstraint clamp: diff(w, s)(0) = 0\nstart w = s^2\ntime 0 .. 1\n",
    "field w(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^4) - w(1)^4 - 3*diff(w, "
    "s)(1)^2\ndissipation integral(s, diff(diff(w', s), s)^2/5)\nconstraint root: w(0) = 0\nstart w = s^2\ntime 0 .. "
    "1\n",
    ("coord Z\nfield y(s) on s = 0 .. 2 nodes 8\nlagrangian integral(s, (1 + Z^2)*y'^2/2 + y*y'*Z' - sin(y)*diff(y, "
     "s)^2/2 - Z*y^3) + Z'^2*(2 + y(2)^2)/2\n"
     "force Z = y(1)*Z', y = -.3*y'^3\nconstraint a: y(0) = Z^2\nstart y = s\ntime 0 .. 1\n"),
    "field x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2)\nconstraint edge(s): x'*diff(y, "
    "s) = y'*diff(x, s)\nconstraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\nstart x = s\ntime 0 .. 1\n",
};

TEST(derivatives_of_the_equations_of_fields_are_those_of_differences)
{
    for (size_t k = 0; k < sizeof along_axes / sizeof *along_axes; k++) {
        struct fields s;
        bool ok = open_fields(&s, along_axes[k]);
        CHECK(ok);
        for (unsigned seed = 1; ok && seed <= 3; seed++) {
            take_any_state(&s, seed);
            double d = apart(&s);
            if (!(d <= 2e-8)) printf("model %zu, state %u: %.2e apart\n", k, seed, d);
            CHECK(d <= 2e-8);
        }
        close_fields(&s);
    }
}

/* ---- the same where every value depends on every other */

static void reaches_differences(const char *text, bool all_by_formulas)
{
    struct fields s;
    bool ok = open_fields(&s, text);
    CHECK(ok);
    if (ok) {
        struct actio_motion *m = &s.problem.motion;
        struct actio_slopes slope = { 0 };
        size_t rows = m->N + m->p;
        double *plus = numbers(rows), *minus = numbers(rows), *direction = numbers(s.problem.ny),
               *reported = numbers(rows), *at = numbers(s.problem.ny), step = 1e-5, size = 0;
        unsigned seed = 7;
        take_any_state(&s, 5);
        for (size_t i = 0; i < m->N; i++) m->here.zdot[i] = s.y[m->n + i] = 0; /* at rest, as small motions are about */
        CHECK(actio_slopes_open(&slope, m, 0, s.y) == 0);
        CHECK((slope.count == m->sys->jets.equations_y.count) == all_by_formulas);
        for (size_t i = 0; i < s.problem.ny; i++) direction[i] = noise(&seed);
        actio_slopes_apply(&slope, rows, direction, reported);
        for (size_t i = 0; i < s.problem.ny; i++) at[i] = s.y[i] + step * direction[i];
        equations(&s, at, plus);
        for (size_t i = 0; i < s.problem.ny; i++) at[i] = s.y[i] - step * direction[i];
        equations(&s, at, minus);
        for (size_t i = 0; i < rows; i++) size = fmax(size, fabs(reported[i]));
        for (size_t i = 0; i < rows; i++) CHECK_NEAR(reported[i], (plus[i] - minus[i]) / (2 * step), 2e-8 * size);
        actio_slopes_close(&slope, s.ctx);
        free(plus);
        free(minus);
        free(direction);
        free(reported);
        free(at);
    }
    close_fields(&s);
}

TEST(reactions_of_a_constrained_integral_bend_with_its_density)
{
    reaches_differences("field y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2)\nconstraint "
                        "norm: integral(s, y^2) = 1\nstart y = 1\ntime 0 .. 1\n",
                        true);
}

TEST(functions_of_integrals_are_differentiated_by_differences)
{
    reaches_differences("field y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, y'^2/2) - integral(s, diff(y, "
                        "s)^2)^2/4\nconstraint a: y(0) = 0\nstart y = s\ntime 0 .. 1\n",
                        false);
}

/* ---- eigenvalues */

/* Second differences: 2 - 2 cos(k pi/(n+1)), turned by a reflection so that the matrix is full. */
static double worst_of_second_differences(size_t n)
{
    double *a = numbers(n * n), *v = numbers(n), *p = numbers(n), *w = numbers(n), *work = numbers(4 * n), worst = 0;
    unsigned seed = 3;
    for (size_t i = 0; i < n; i++) {
        a[i * n + i] = 2;
        v[i] = noise(&seed);
        if (i + 1 < n) a[i * n + i + 1] = a[(i + 1) * n + i] = -1;
    }
    double length = actio_norm(n, v), along;
    for (size_t i = 0; i < n; i++) v[i] /= length;
    for (size_t i = 0; i < n; i++) p[i] = actio_dot(n, a + i * n, v);
    along = actio_dot(n, p, v);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) a[i * n + j] += -2 * v[i] * p[j] - 2 * p[i] * v[j] + 4 * along * v[i] * v[j];
    CHECK(actio_eigenvalues_symmetric(n, a, w, work) == 0);
    for (size_t k = 1; k <= n; k++)
        worst = fmax(worst, fabs(w[k - 1] - 2 + 2 * cos(3.14159265358979323846 * (double)k / (double)(n + 1))));
    free(a);
    free(v);
    free(p);
    free(w);
    free(work);
    return worst;
}

TEST(eigenvalues_of_second_differences_are_exact_to_rounding)
{
    static const size_t sizes[] = { 1, 2, 3, 10, 100, 400 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(worst_of_second_differences(sizes[i]) <= 1e-15 * (double)(sizes[i] + 10));
}

TEST(multiple_eigenvalues_and_those_of_other_units_are_reported_as_they_are)
{
    double a[16] = { 3e200, 0, 0, 0, 0, 3e200, 0, 0, 0, 0, 3e200, 1e200, 0, 0, 1e200, 3e200 }, w[4], work[16],
           zero[4] = { 0 }, bad[4] = { 1, NAN, NAN, 1 };
    const double is[4] = { 2e200, 3e200, 3e200, 4e200 };
    CHECK(actio_eigenvalues_symmetric(4, a, w, work) == 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(w[i], is[i], 1e186);
    CHECK(actio_eigenvalues_symmetric(2, zero, w, work) == 0 && w[0] == 0 && w[1] == 0);
    CHECK(actio_eigenvalues_symmetric(2, bad, w, work) == 1);
    CHECK(actio_eigenvalues_symmetric(0, zero, w, work) == 0);
}

TEST(rotations_and_reflections_find_the_same_eigenvalues)
{
    enum { N = 40 };
    double a[N * N], b[N * N], w[N], x[N], work[4 * N];
    unsigned seed = 11;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++) a[i * N + j] = a[j * N + i] = noise(&seed);
    memcpy(b, a, sizeof a);
    CHECK(actio_eigen_symmetric(N, a, w, NULL) == 0 && actio_eigenvalues_symmetric(N, b, x, work) == 0);
    for (int i = 0; i < N; i++) CHECK_NEAR(w[i], x[i], 1e-13);
}

/* ---- the public functions */

static struct actio_modes *modes_of(struct actio_context *ctx, const char *text, size_t most, struct actio_findings *f,
                                    struct actio_model **model)
{
    *model = actio_model_read_string(ctx, "small.act", text, strlen(text), NULL, 0, f);
    return *model ? actio_modes_find(ctx, *model, most, f) : NULL;
}

TEST(two_equal_masses_on_three_springs_swing_together_and_against_each_other)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model;
    struct actio_modes *o = modes_of(
        ctx, "coord a, b\nlagrangian (a'^2 + b'^2)/2 - (a^2 + b^2 + (a - b)^2)/2\ntime 0 .. 1\n", 5, f, &model);
    double rounding;
    CHECK(o && actio_findings_count(f) == 0);
    if (o) {
        CHECK(actio_modes_count(o) == 2 && actio_modes_all(o, &rounding) == 2 && rounding < 1e-6
              && actio_modes_entries(o) == 2);
        CHECK_NEAR(actio_modes_info(o, 0).omega, 1, 1e-15);
        CHECK_NEAR(actio_modes_info(o, 1).omega, sqrt(3), 1e-15);
        CHECK_NEAR(actio_modes_info(o, 0).period, 2 * 3.14159265358979323846, 1e-14);
        CHECK(strcmp(actio_modes_name(o, 1), "b") == 0 && strcmp(actio_modes_info(o, 0).kind, "swings") == 0);
        CHECK_NEAR(actio_modes_shape(o, 0, 0), actio_modes_shape(o, 0, 1), 1e-14);
        CHECK_NEAR(actio_modes_shape(o, 1, 0), -actio_modes_shape(o, 1, 1), 1e-14);
    }
    actio_modes_free(o);
    actio_modes_free(NULL);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

TEST(without_an_equilibrium_there_are_no_modes_but_a_reason)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model;
    CHECK(modes_of(ctx, "coord x\nlagrangian x'^2/2 - 3*x\ntime 0 .. 1\n", 5, f, &model) == NULL);
    CHECK(actio_findings_count(f) == 1 && strstr(actio_findings_message(f, 0).message, "x'' = -3"));
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

int main(void)
{
    RUN(derivatives_of_the_equations_of_fields_are_those_of_differences);
    RUN(reactions_of_a_constrained_integral_bend_with_its_density);
    RUN(functions_of_integrals_are_differentiated_by_differences);
    RUN(eigenvalues_of_second_differences_are_exact_to_rounding);
    RUN(multiple_eigenvalues_and_those_of_other_units_are_reported_as_they_are);
    RUN(rotations_and_reflections_find_the_same_eigenvalues);
    RUN(two_equal_masses_on_three_springs_swing_together_and_against_each_other);
    RUN(without_an_equilibrium_there_are_no_modes_but_a_reason);
    return DONE();
}
