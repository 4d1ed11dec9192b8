/* SPDX-License-Identifier: Apache-2.0
 * The forms of the doubled action: what each leaves open, the errors of their critical points beside the printed ones,
 * and what the weak one conserves. */
#include "action.h"
#include "algebra/sbp.h"
#include "solve/slab.h"

/* ---- what the forms leave open  [SKG 4.1] */

static const struct given disk = { "disk", NULL, 0, 0 };

static size_t nullity(const struct object *o, const double *x)
{
    double *H = dense_hessian(o, x);
    int *pivot = calloc(o->size + 1, sizeof *pivot), inertia[3];
    if (!pivot) abort();
    actio_ldl_factor(o->size, H, pivot);
    actio_ldl_inertia(o->size, H, pivot, 1e-11, inertia);
    CHECK(inertia[0] == inertia[1]); /* [0 J'; J 0] has as many positive as negative ones */
    free(H);
    free(pivot);
    return (size_t)inertia[2];
}

/* At the exact motion, which is near the critical points of all forms. */
static void put_disk(const struct object *o, double *x)
{
    double k = 49.0 / 15, *field[6];
    static const char *const name[6] = { "q+ x", "q+ y", "q+ theta", "q+ phi", "lambda+ roll", "lambda+ blade" };
    for (int i = 0; i < 6; i++) field[i] = x + slice_named(o, name[i])->first;
    for (size_t i = 0; i < o->points; i++) {
        double t = o->t[i], u = 5 + k * sin(t);
        const double y[6] = { 5 * sin(t) + k / 2 * sin(t) * sin(t),
                              5 * (1 - cos(t)) + k * (t / 2 - sin(2 * t) / 4),
                              5 * t + k * (1 - cos(t)),
                              t,
                              -k / 2 * cos(t) / (2 * u),
                              -u - 4.9 * sin(t) };
        for (int c = 0; c < 6; c++) field[c][i] = y[c];
    }
}

static void has_nullity(const char *form, size_t grid, size_t size, size_t expected)
{
    struct object o;
    if (open_object(&o, disk, grid, 4, form)) {
        double *x = numbers(o.size);
        put_disk(&o, x);
        CHECK(o.size == size);
        size_t found = nullity(&o, x);
        printf("    disk %s, %zu points: %zu unknowns, nullity %zu\n", form, grid, o.size, found);
        CHECK(found == expected);
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(the_weak_form_determines_all_and_the_strong_one_leaves_two_numbers_a_constraint)
{
    has_nullity("weak", 64, 768, 0);
    has_nullity("strong", 64, 788, 4);
    has_nullity("bare", 64, 788, 4);
}

/* ---- numbers of the disk, N = 64, order 4  [SKG 4.1] */

/* x, y, theta, phi, roll, blade; inside: without the last two points and the first four */
struct measured {
    double most[6], last[6], inside[6], g[2], g_last[2], E, E_last;
};

/* Rates of a field on the grid: D with the initial datum at its first point. */
static void rates_of(const struct object *o, int order, const double *q, double start, double *v)
{
    size_t N = o->points, first;
    double row[ACTIO_SBP_WIDEST], h = (o->t[N - 1] - o->t[0]) / (double)(N - 1);
    for (size_t k = 0; k < N; k++) {
        size_t width = actio_sbp_row(order, N, k, &first, row);
        double sum = k == 0 ? q[0] - start : 0;
        for (size_t j = 0; j < width; j++) sum += row[j] * q[first + j];
        v[k] = sum / (h * actio_sbp_weight(order, N, k));
    }
}

static void measure_disk(const struct object *o, const double *x, struct measured *m)
{
    static const char *const name[6] = { "q+ x", "q+ y", "q+ theta", "q+ phi", "lambda+ roll", "lambda+ blade" };
    static const double mass[4] = { 1, 1, 0.5, 0.25 };
    size_t N = o->points;
    double *exact = numbers(o->size), *v = numbers(4 * N);
    const double *q[6];
    *m = (struct measured){ 0 };
    put_disk(o, exact);
    for (int c = 0; c < 6; c++) {
        size_t at = slice_named(o, name[c])->first;
        q[c] = x + at;
        for (size_t k = 0; k < N; k++) {
            double off = fabs(x[at + k] - exact[at + k]);
            m->most[c] = fmax(m->most[c], off);
            m->last[c] = off;
            if (k >= 4 && k + 4 < N) m->inside[c] = fmax(m->inside[c], off);
        }
    }
    for (int c = 0; c < 4; c++) rates_of(o, 4, q[c], 0, v + (size_t)c * N);
    for (size_t k = 0; k < N; k++) {
        const double *vx = v + k, *vy = vx + N, *vt = vy + N, phi = q[3][k];
        double g[2] = { *vx * *vx + *vy * *vy - *vt * *vt, *vx * sin(phi) - *vy * cos(phi) }, E = -4.9 * q[0][k];
        for (size_t c = 0; c < 4; c++) E += mass[c] / 2 * v[c * N + k] * v[c * N + k];
        for (int c = 0; c < 2; c++) {
            m->g_last[c] = fabs(g[c]);
            m->g[c] = k + 1 < N ? fmax(m->g[c], fabs(g[c])) : m->g[c];
        }
        m->E_last = E - 18.875;
        m->E = fmax(m->E, fabs(E - 18.875));
    }
    free(exact);
    free(v);
}

static struct measured solve_disk(const char *form, int *status)
{
    struct object o;
    struct measured m = { 0 };
    if (open_object(&o, disk, 64, 4, form)) {
        double *x = numbers(o.size);
        put_disk(&o, x);
        *status = actio_action_solve(o.a, x, o.f);
        measure_disk(&o, x, &m);
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
    printf("    %s: most %.2e %.2e %.2e %.2e, last %.2e %.2e %.2e; roll %.2e blade %.2e, inside %.2e %.2e; g %.1e "
           "%.1e, last %.2e %.2e; E %.2e, last %.3e\n",
           form, m.most[0], m.most[1], m.most[2], m.most[3], m.last[0], m.last[1], m.last[2], m.most[4], m.most[5],
           m.inside[4], m.inside[5], m.g[0], m.g[1], m.g_last[0], m.g_last[1], m.E, m.E_last);
    return m;
}

static bool about(double x, double printed) { return fabs(x) > 0.9 * printed && fabs(x) < 1.1 * printed; }

TEST(the_weak_disk_has_the_errors_that_are_printed)
{
    int status = -1;
    struct measured m = solve_disk("weak", &status);
    CHECK(status == ACTIO_DONE);
    CHECK(about(m.most[0], 2.16e-3) && about(m.most[1], 4.4e-3) && about(m.most[2], 1.04e-2) && m.most[3] < 1e-14);
    CHECK(about(m.last[0], 1.1e-5) && about(m.last[1], 3.9e-4) && about(m.last[2], 2.1e-4));
    CHECK(about(m.most[4], 1.4e-3) && about(m.most[5], 2.6e-2));
    CHECK(m.g[0] < 1e-11 && m.g[1] < 1e-11 && m.g_last[0] < 1e-11 && m.g_last[1] < 1e-11);
    CHECK(about(m.E, 3.0e-2) && about(m.E_last, 9.86112e-9) && m.E_last < 0);
}

TEST(the_strong_disk_breaks_its_constraints_at_the_last_point_and_loses_superconvergence)
{
    int status = -1;
    struct measured m = solve_disk("strong", &status);
    CHECK(status == ACTIO_DONE);
    CHECK(about(m.most[0], 2.6e-3) && about(m.most[1], 4.1e-3) && about(m.most[2], 1.04e-2) && m.most[3] < 1e-13);
    CHECK(about(m.last[0], 4e-4) && about(m.last[1], 9.4e-5) && about(m.last[2], 1.04e-2));
    CHECK(m.most[4] > 0.1 && about(m.inside[4], 1.9e-4) && about(m.inside[5], 3.5e-3));
    CHECK(m.g[0] < 1e-11 && m.g[1] < 1e-11 && about(m.g_last[0], 3.1) && about(m.g_last[1], 7.3e-3));
    CHECK(about(m.E_last, 0.64));
}

/* Another start, other multipliers at the last two points, and nothing else: so many as D's last row reaches. With
 * order 4 it reaches four, and what is left open is spread over these. */
TEST(the_strong_form_does_not_determine_the_last_two_multipliers)
{
    struct object o;
    if (open_object(&o, disk, 48, 2, "strong")) {
        double *x = numbers(o.size), *other = numbers(o.size), elsewhere = 0;
        const struct actio_action_slice *roll = slice_named(&o, "lambda+ roll");
        size_t last = roll->first + o.points - 1;
        put_disk(&o, x);
        put_disk(&o, other);
        other[last] += 1;
        other[last - 1] -= 0.5;
        CHECK(actio_action_solve(o.a, x, o.f) == ACTIO_DONE && actio_action_solve(o.a, other, o.f) == ACTIO_DONE);
        for (size_t i = 0; i < o.slices; i++)
            for (size_t k = 0; k < o.slice[i].count; k++) {
                size_t at = o.slice[i].first + k;
                bool end = strncmp(o.slice[i].name, "lambda+", 7) == 0 && k + 2 >= o.points,
                     extra = o.slice[i].count == 1;
                if (!end && !extra) elsewhere = fmax(elsewhere, fabs(x[at] - other[at]));
            }
        printf("    strong: last two multipliers differ by %.2f and %.2f, all else by %.1e\n",
               fabs(x[last] - other[last]), fabs(x[last - 1] - other[last - 1]), elsewhere);
        CHECK(fabs(x[last] - other[last]) > 0.1 && fabs(x[last - 1] - other[last - 1]) > 0.1 && elsewhere < 1e-8);
        free(x);
        free(other);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(the_bare_form_has_no_solution_near_the_motion)
{
    struct object o;
    if (open_object(&o, disk, 20, 4, "bare")) {
        double *x = numbers(o.size), *exact = numbers(o.size), off = 0;
        put_disk(&o, x);
        put_disk(&o, exact);
        int status = actio_action_solve(o.a, x, o.f);
        for (size_t i = 0; i < 3 * o.points; i++) off = fmax(off, fabs(x[i] - exact[i]));
        printf("    bare: status %d, %.1e from the motion\n", status, off);
        CHECK(status != ACTIO_DONE || off > 0.3);
        free(x);
        free(exact);
    } else CHECK(!"an action");
    close_object(&o);
}

/* Free fall with bare D, order 2, 9 points: the rows -(v0 + v1)/2 + f/2 = 0, then v_k+1 - v_k-1 = -2f.  [SKG 2.1] */
TEST(the_bare_form_zigzags_in_free_fall)
{
    static const double expected[] = { 1, -1.125, 0.75, -1.375, 0.5, -1.625, 0.25 };
    static const struct given fall = { "coord q\nlagrangian q'^2/2 - q\nstart q' = 1\ntime 0 .. 1\n", NULL, 0, 0 };
    struct object o;
    if (open_object(&o, fall, 9, 2, "bare")) {
        double *x = numbers(o.size), v[9];
        actio_action_guess(o.a, x);
        CHECK(actio_action_solve(o.a, x, o.f) == ACTIO_DONE);
        rates_of(&o, 2, x, x[0], v);
        for (int k = 0; k < 7; k++) CHECK_NEAR(v[k], expected[k], 1e-12);
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
}

/* ---- damped oscillator q'' = -q - q'/2, steps of 0.1  [SKG 2.1] */

static double damped_error(const char *form, double T, int order)
{
    static const char text[] = "coord q\nlagrangian q'^2/2 - q^2/2\ndissipation q'^2/4\nstart q = 1\ntime 0 .. %g\n";
    char model[160];
    struct object o;
    double worst = NAN, w = sqrt(15) / 4;
    snprintf(model, sizeof model, text, T);
    if (open_object(&o, (struct given){ model, NULL, 0, 0 }, (size_t)lround(10 * T) + 1, order, form)) {
        double *x = numbers(o.size);
        actio_action_guess(o.a, x);
        CHECK(actio_action_solve(o.a, x, o.f) == ACTIO_DONE);
        worst = 0;
        for (size_t k = 0; k < o.points; k++)
            worst = fmax(worst, fabs(x[k] - exp(-o.t[k] / 4) * (cos(w * o.t[k]) + sin(w * o.t[k]) / (4 * w))));
        free(x);
    } else CHECK(!"an action");
    close_object(&o);
    printf("    damped oscillator, %s, order %d, T = %g: %.2e\n", form, order, T, worst);
    return worst;
}

TEST(the_strong_form_grows_where_the_weak_one_decays)
{
    CHECK(about(damped_error("weak", 10, 2), 2.5e-3) && about(damped_error("weak", 80, 2), 2.5e-3));
    CHECK(about(damped_error("weak", 80, 4), 1.7e-4) && about(damped_error("weak", 80, 6), 2.1e-5));
    CHECK(about(damped_error("strong", 10, 2), 3.1e-2) && about(damped_error("strong", 40, 2), 5.0e1)
          && about(damped_error("strong", 80, 2), 8.7e5));
    CHECK(about(damped_error("strong", 80, 4), 4.6e1) && about(damped_error("strong", 80, 6), 5.8e-1));
}

/* ---- what is conserved  [SKG 6.1] */

/* Masses and squared frequencies of up to 4 coordinates, the rest of the energy linear in them. */
struct mechanics {
    struct given given;
    size_t n;
    double mass[4], spring[4], slope[4];
    const char *name[4];
};

static const struct mechanics mechanics[] = {
    { { "disk", NULL, 0, 0 }, 4, { 1, 1, 0.5, 0.25 }, { 0 }, { -4.9, 0, 0, 0 }, { "x", "y", "theta", "phi" } },
    { { "coord q\nlagrangian q'^2 - 9/2*q^2\nstart q = 1, q' = .5\ntime 0 .. 4\n", NULL, 0, 0 },
      1,
      { 2 },
      { 9 },
      { 0 },
      { "q" } },
};

static double energy(const struct mechanics *m, const double *q, const double *v)
{
    double E = 0;
    for (size_t i = 0; i < m->n; i++)
        E += m->mass[i] / 2 * v[i] * v[i] + m->spring[i] / 2 * q[i] * q[i] + m->slope[i] * q[i];
    return E;
}

/* What the jump at the first point takes. */
static double loss(const struct mechanics *m, const double *dq, const double *dv)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) sum += m->mass[i] / 2 * dv[i] * dv[i] + m->spring[i] / 2 * dq[i] * dq[i];
    return sum;
}

static void energy_on_a_grid(const struct mechanics *m, int order)
{
    struct object o;
    size_t grid = 64;
    if (open_object(&o, m->given, grid, order, NULL)) {
        double *x = numbers(o.size), *v = numbers(m->n * grid), qi[4], vi[4], q0[4], v0[4], qN[4], vN[4];
        struct actio_table *rough = run_by(&o, "dalembert", 0, 0, grid);
        put_motion(&o, rough, x);
        CHECK(rough && actio_action_solve(o.a, x, o.f) == ACTIO_DONE);
        for (size_t i = 0; i < m->n; i++) {
            qi[i] = actio_model_number(o.model, o.model->coord[i].start);
            vi[i] = actio_model_number(o.model, o.model->coord[i].start_dot);
            rates_of(&o, order, x + i * grid, qi[i], v + i * grid);
            qN[i] = x[i * grid + grid - 1];
            vN[i] = v[i * grid + grid - 1];
            q0[i] = x[i * grid] - qi[i];
            v0[i] = v[i * grid] - vi[i];
        }
        double E = energy(m, qi, vi), gain = energy(m, qN, vN) - E, lost = loss(m, q0, v0);
        printf("    order %d: energy %+.6e, jump %.6e, off by %.1e\n", order, gain, lost, fabs(gain + lost));
        CHECK(lost > 0 && fabs(gain + lost) <= 2e-13);
        actio_table_free(rough);
        free(x);
        free(v);
    } else CHECK(!"an action");
    close_object(&o);
}

TEST(the_terminal_energy_is_lower_by_what_the_jump_at_the_start_takes)
{
    for (size_t k = 0; k < sizeof mechanics / sizeof *mechanics; k++)
        for (int order = 2; order <= 8; order += 2) energy_on_a_grid(&mechanics[k], order);
}

/* The same of each of a chain of slabs; and phi's momentum at every node. */
static void energy_of_slabs(const struct mechanics *m, int order, size_t nodes, size_t slabs)
{
    struct object o;
    struct actio_element e;
    struct actio_slab s;
    if (!open_object(&o, m->given, 64, 4, NULL)) {
        CHECK(!"an action");
        close_object(&o);
        return;
    }
    struct actio_system *sys = actio_system_form(o.ctx, o.model, actio_form_action);
    double *param = numbers(o.model->params), x[4], v[4], dq[4], dv[4], qN[4], vN[4], worst = 0,
           h = (o.model->time.t1 - o.model->time.t0) / (double)slabs;
    for (size_t i = 0; i < o.model->params; i++) param[i] = o.model->param[i].value;
    for (size_t i = 0; i < m->n; i++) {
        x[i] = actio_model_number(o.model, o.model->coord[i].start);
        v[i] = actio_model_number(o.model, o.model->coord[i].start_dot);
    }
    bool open = sys && actio_element_open(&e, o.ctx, order, nodes) == 0
                && actio_slab_open(&s, o.ctx, sys, &e, (struct actio_shared){ .param = param }) == 0;
    CHECK(open && actio_slab_data(&s, o.model->time.t0, x, v) == 0);
    for (size_t k = 0; open && k < slabs; k++) {
        for (size_t i = 0; i < m->n; i++)
            for (size_t l = 0; l < nodes; l++) s.pt.z[i * nodes + l] = v[i];
        CHECK(actio_slab_solve(&s, h, 1e-14) == ACTIO_SLAB_DONE);
        double E = energy(m, x, v), p = m->mass[3] * v[3];
        for (size_t i = 0; i < m->n; i++) {
            dq[i] = s.pt.x[i * nodes] - x[i];
            dv[i] = s.pt.v[i * nodes] - v[i];
            qN[i] = s.pt.x[i * nodes + nodes - 1];
            vN[i] = s.pt.v[i * nodes + nodes - 1];
        }
        worst = fmax(worst, fabs(energy(m, qN, vN) - E + loss(m, dq, dv)));
        for (size_t l = 0; m->n == 4 && l < nodes; l++) CHECK_NEAR(s.pt.P[3 * nodes + l], p, 1e-15);
        memcpy(x, qN, m->n * sizeof *x);
        memcpy(v, vN, m->n * sizeof *v);
        actio_slab_pass(&s, o.model->time.t0 + (double)(k + 1) * h);
    }
    printf("    %zu slabs of %zu nodes, order %d: energies off by %.1e\n", slabs, nodes, order, worst);
    CHECK(worst <= 1e-13);
    actio_slab_close(&s);
    actio_element_close(&e);
    actio_system_free(sys);
    free(param);
    close_object(&o);
}

TEST(so_is_the_energy_of_every_slab_and_momenta_of_free_coordinates_stay)
{
    static const struct {
        int order;
        size_t nodes, slabs;
    } list[] = { { 0, 3, 64 }, { 0, 5, 32 }, { 2, 8, 32 }, { 4, 8, 64 }, { 6, 12, 16 }, { 8, 16, 16 } };
    for (size_t k = 0; k < sizeof mechanics / sizeof *mechanics; k++)
        for (size_t i = 0; i < sizeof list / sizeof *list; i++)
            energy_of_slabs(&mechanics[k], list[i].order, list[i].nodes, list[i].slabs);
}

/* Cyclic coordinates, and a sum of them: total momentum of two masses on a spring. */
TEST(linear_charges_are_those_of_the_start_at_every_node)
{
    static const struct given pair = {
        "coord a, b\nlagrangian a'^2/2 + b'^2 - 2*(a - b)^2 - (a - b)^4\nstart a = 1, a' = .3, b' = .1\ntime 0 .. 2\n",
        NULL, 0, 0
    };
    for (int order = 2; order <= 8; order += 2) {
        struct object o;
        if (open_object(&o, pair, 40, order, NULL)) {
            double *x = numbers(o.size), *v = numbers(2 * o.points);
            struct actio_table *rough = run_by(&o, "dalembert", 0, 0, 40);
            put_motion(&o, rough, x);
            CHECK(rough && actio_action_solve(o.a, x, o.f) == ACTIO_DONE);
            rates_of(&o, order, x, 1, v);
            rates_of(&o, order, x + o.points, 0, v + o.points);
            for (size_t k = 0; k < o.points; k++) CHECK_NEAR(v[k] + 2 * v[o.points + k], 0.5, 1e-13);
            actio_table_free(rough);
            free(x);
            free(v);
        } else CHECK(!"an action");
        close_object(&o);
    }
}

int main(void)
{
    RUN(the_weak_form_determines_all_and_the_strong_one_leaves_two_numbers_a_constraint);
    RUN(the_weak_disk_has_the_errors_that_are_printed);
    RUN(the_strong_disk_breaks_its_constraints_at_the_last_point_and_loses_superconvergence);
    RUN(the_strong_form_does_not_determine_the_last_two_multipliers);
    RUN(the_bare_form_has_no_solution_near_the_motion);
    RUN(the_bare_form_zigzags_in_free_fall);
    RUN(the_strong_form_grows_where_the_weak_one_decays);
    RUN(the_terminal_energy_is_lower_by_what_the_jump_at_the_start_takes);
    RUN(so_is_the_energy_of_every_slab_and_momenta_of_free_coordinates_stay);
    RUN(linear_charges_are_those_of_the_start_at_every_node);
    return DONE();
}
