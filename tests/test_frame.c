/* SPDX-License-Identifier: Apache-2.0
 * Frames: which rows stand where, their numbers and derivatives, Hamel's coefficients against closed forms and
 * difference quotients, and
 * Hamel's equations along the motion. */
#include "subject.h"

#include "algebra/brackets.h"
#include "algebra/dense.h"

enum { MOST = 8 };

/* A model's frame at work: its kernel, bound to numbers of its own. */
struct frame {
    struct subject s;
    const struct actio_frame *rows;
    size_t n;
    double t, q[MOST], v[MOST], hidden[MOST * MOST], mode[16];
    struct actio_arg *in, *params;
    double *pre, *work, *out, **to;
    double M[MOST * MOST], m0[MOST], *M_q, *m0_q, *M_t, *m0_t, *L_v, *L_q; /* the derivatives: in out */
};

static bool open_frame(struct frame *f, const char *text)
{
    memset(f, 0, sizeof *f);
    bool open = open_subject(&f->s, text, strlen(text), NULL, 0);
    if (open) f->rows = actio_system_frame(f->s.sys, f->s.model->time.t0, f->s.y0);
    if (!open) show_findings(f->s.f);
    f->n = open ? f->s.sys->n : 0;
    CHECK(open && f->rows && f->n <= MOST);
    return open && f->rows;
}

static void bind_frame(struct frame *f)
{
    CHECK(actio_system_need(f->s.sys, ACTIO_Q_FRAME) == 0);
    const struct actio_kernel *k = f->s.sys->kernel[ACTIO_Q_FRAME];
    const actio_slot *slots;
    size_t n = f->n, outputs = actio_kernel_outputs(k);
    CHECK(outputs == n * n * n + 3 * n * n + 4 * n);
    f->in = calloc(actio_kernel_inputs(k, &slots) + 1, sizeof *f->in);
    f->params = calloc(actio_kernel_params(k, &slots) + 1, sizeof *f->params);
    f->pre = numbers(actio_kernel_pre(k));
    f->work = numbers(actio_kernel_work(k));
    f->out = numbers(outputs);
    f->to = calloc(outputs + 1, sizeof *f->to);
    for (size_t i = 0; i < outputs; i++) f->to[i] = f->out + i;
    struct actio_binding at;
    memset(&at, 0, sizeof at);
    const double *base[ACTIO_SPACE_COUNT] = {
        [ACTIO_SPACE_T] = &f->t,      [ACTIO_SPACE_PARAM] = f->s.param, [ACTIO_SPACE_HIDDEN] = f->hidden,
        [ACTIO_SPACE_MODE] = f->mode, [ACTIO_SPACE_Q] = f->q,           [ACTIO_SPACE_V] = f->v
    };
    for (int i = 0; i < ACTIO_SPACE_COUNT; i++) {
        at.space[i].base = base[i];
        at.space[i].index_step = 1;
    }
    actio_kernel_bind(k, &at, f->in);
    actio_kernel_bind_params(k, &at, f->params);
    for (size_t i = 0; i < 16; i++) f->mode[i] = 1;
    f->M_q = f->out + n * n + n;
    f->m0_q = f->M_q + n * n * n;
    f->M_t = f->m0_q + n * n;
    f->m0_t = f->M_t + n * n;
    f->L_v = f->m0_t + n;
    f->L_q = f->L_v + n;
}

static void evaluate(struct frame *f, double t, const double *q, const double *v)
{
    size_t n = f->n;
    const struct actio_kernel *k = f->s.sys->kernel[ACTIO_Q_FRAME];
    f->t = t;
    memcpy(f->q, q, n * sizeof *q);
    memcpy(f->v, v, n * sizeof *v);
    actio_kernel_prologue(k, 1, f->params, f->pre, f->work);
    actio_kernel_eval(k, 1, f->in, f->pre, 1, f->to, f->work);
    memcpy(f->M, f->out, n * n * sizeof *f->M);
    memcpy(f->m0, f->out + n * n, n * sizeof *f->m0);
}

static void close_frame(struct frame *f)
{
    close_subject(&f->s);
    free(f->in);
    free(f->params);
    free(f->pre);
    free(f->work);
    free(f->out);
    free(f->to);
}

static bool begin(struct frame *f, const char *text)
{
    if (!open_frame(f, text)) return false;
    CHECK(f->rows->why_not == NULL);
    if (f->rows->why_not) return false;
    bind_frame(f);
    evaluate(f, f->s.model->time.t0, f->s.y0, f->s.y0 + f->n);
    double work[400];
    int iwork[2 * MOST];
    size_t first = f->rows->given, count = f->rows->automatic;
    CHECK(actio_frame_complete(f->n, first, count, f->M, 1e-9, work, iwork) == f->n - count);
    memcpy(f->hidden, f->M + first * f->n, count * f->n * sizeof *f->hidden);
    return true;
}

static void brackets(struct frame *f, double *c, double *c0)
{
    double lu[MOST * MOST], work[3 * MOST * MOST + MOST];
    int pivot[MOST];
    memcpy(lu, f->M, f->n * f->n * sizeof *lu);
    CHECK(actio_lu_factor(f->n, lu, pivot) == 0);
    struct actio_frame_point at = { f->n, lu, pivot, f->m0, f->M_q, f->m0_q, f->M_t };
    actio_brackets(&at, c, c0, work);
}

/* Numbers that nobody chose. */
static double some(size_t k) { return 0.9 * sin(12.9898 * (double)k + 4.1) + 0.4; }

static void evaluate_somewhere(struct frame *f, size_t seed)
{
    double q[MOST], v[MOST];
    for (size_t i = 0; i < f->n; i++) {
        q[i] = some(31 * seed + i) + 0.6;
        v[i] = some(57 * seed + 3 * i + 1);
    }
    evaluate(f, 0.3 + 0.1 * (double)seed, q, v);
}

/* ---- rows */

static const char sleigh[] = "param m = 1, I = 1, a = .5\ncoord x, y, th\nlagrangian m/2*((x' - a*th'*sin(th))^2 + (y' "
                             "+ a*th'*cos(th))^2) + I/2*th'^2\n"
                             "constraint blade: y'*cos(th) - x'*sin(th) = 0\nstart x' = 1, th' = 1\ntime 0 .. 1\n";

TEST(rows_are_given_ones_then_automatic_ones_then_constraints)
{
    struct frame f;
    char text[800];
    snprintf(text, sizeof text, "frame w = th'\n%s", sleigh);
    if (begin(&f, text)) {
        CHECK(f.rows->given == 1 && f.rows->automatic == 1 && f.rows->kept == 1 && f.rows->hidden == 3);
        CHECK(f.rows->quasi_velocity[0] == 0 && f.rows->constraint[0] == 0);
        evaluate_somewhere(&f, 1);
        CHECK(f.M[0] == 0 && f.M[1] == 0 && f.M[2] == 1);
        for (int k = 0; k < 3; k++) CHECK(f.M[3 + k] == f.hidden[k]);
        CHECK_NEAR(f.M[6], -sin(f.q[2]), 1e-15);
        CHECK_NEAR(f.M[7], cos(f.q[2]), 1e-15);
        f.hidden[1] = 17; /* a new base: no new kernel */
        evaluate_somewhere(&f, 1);
        CHECK(f.M[4] == 17);
    }
    close_frame(&f);
}

TEST(a_quasi_velocity_that_is_a_constraints_row_and_redundant_constraints_are_left_out)
{
    struct frame f;
    char text[800];
    snprintf(text, sizeof text,
             "frame w = th', s = 3*x'*sin(th) - 3*y'*cos(th) + x\nconstraint again: 2*y'*cos(th) = 2*x'*sin(th)\n%s",
             sleigh);
    if (begin(&f, text)) {
        CHECK(f.rows->given == 1 && f.rows->automatic == 1 && f.rows->kept == 1);
        CHECK(f.rows->constraint[0] == 0 && strcmp(f.s.sys->constraint[0], "again") == 0);
    }
    close_frame(&f);
}

TEST(a_holonomic_constraint_gives_the_row_of_its_rate)
{
    struct frame f;
    if (begin(&f, "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1 + t\nframe s = x*y' - "
                  "y*x'\nstart x = 1, x' = .5, y' = 1\ntime 0 .. 1\n")) {
        CHECK(f.rows->given == 1 && f.rows->automatic == 0 && f.rows->kept == 1);
        evaluate_somewhere(&f, 2);
        CHECK_NEAR(f.M[2], 2 * f.q[0], 1e-15);
        CHECK_NEAR(f.M[3], 2 * f.q[1], 1e-15);
        CHECK_NEAR(f.m0[1], -1, 1e-15);
    }
    close_frame(&f);
}

static void has_no_frame(const char *text, const char *why)
{
    struct frame f;
    if (open_frame(&f, text)) {
        bool said = f.rows->why_not && strstr(f.rows->why_not, why);
        if (!said) printf("    said: %s, not: %s\n", f.rows->why_not ? f.rows->why_not : "nothing", why);
        CHECK(said && f.rows->given + f.rows->automatic + f.rows->kept == 0);
        CHECK(actio_system_need(f.s.sys, ACTIO_Q_FRAME) == 0
              && actio_kernel_outputs(f.s.sys->kernel[ACTIO_Q_FRAME]) == 0);
    }
    close_frame(&f);
}

TEST(models_without_such_a_frame_say_why)
{
    static const char two[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nstart x = 1, y = 1, x' = 1, y' = 1\n";
    static const struct {
        const char *more, *why;
    } cases[] = {
        { "constraint speed: x'^2 + y'^2 = 2\n", "constraint 'speed' is not affine in the velocities" },
        { "constraint c: x' = y' acting x\n", "the reaction of constraint 'c' is not ideal" },
        { "constraint c: x' = y' along y = 1\n", "the reaction of constraint 'c' is not ideal" },
        { "constraint c: x'' = 1\n", "constraint 'c' restricts accelerations" },
        { "state p\nflow p' = 1\nconstraint c: x' = y' + p\n", "constraint 'c' contains a state" },
        { "frame u = abs(x)*x' + y'\n", "the quasi-velocity 'u' contains a switch" },
    };
    char text[800];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s%s", two, cases[i].more);
        has_no_frame(text, cases[i].why);
    }
    has_no_frame("state p\nflow p' = 1\n", "no coordinates");
    /* dependent only where the run begins: no start data, so nobody said it before */
    has_no_frame("coord f, th\nlagrangian (f'^2 + th'^2)/2\nframe u = f'*sin(th) + th', w = th'\n",
                 "the quasi-velocity 'w' depends on 'u' there");
}

static void is_refused(const char *lines, enum actio_code code, const char *names)
{
    struct subject s;
    char text[800];
    snprintf(text, sizeof text, "%s%s", lines, sleigh);
    CHECK(!open_subject(&s, text, strlen(text), NULL, 0));
    bool said = s.f->count == 1 && s.f->item[0].code == code && s.f->item[0].span.line == 1
                && strstr(actio_findings_message(s.f, 0).message, names);
    if (!said) {
        printf("    %s\n", lines);
        show_findings(s.f);
    }
    CHECK(said && actio_findings_status(s.f) == 1);
    close_subject(&s);
}

TEST(quasi_velocities_that_depend_on_others_are_refused_by_name)
{
    is_refused("frame u = x', v = x' + y', w = th'\n", ACTIO_F_FRAME_DEPENDENT,
               "'v' depends on constraint 'blade' and 'u'");
    is_refused("frame u = x' + th', v = 2*x' + 2*th'\n", ACTIO_F_FRAME_DEPENDENT, "'v' depends on 'u' at");
    /* at th = 0 only: it is not the constraint's row */
    is_refused("frame u = y'\n", ACTIO_F_FRAME_DEPENDENT, "'u' depends on constraint 'blade'");
    is_refused("frame s = y'*cos(th) - x'*sin(th), r = x'*sin(th) - y'*cos(th)\n", ACTIO_F_FRAME_DEPENDENT,
               "'r' depends on 's'");
    is_refused("frame u = x*x'\n", ACTIO_F_FRAME_VANISHES, "'u' vanish");
}

/* ---- derivatives */

static double lagrangian_at(void *user, actio_slot slot)
{
    const struct frame *f = user;
    switch (slot.space) {
    case ACTIO_SPACE_T: return f->t;
    case ACTIO_SPACE_Q: return f->q[slot.index];
    case ACTIO_SPACE_V: return f->v[slot.index];
    case ACTIO_SPACE_PARAM: return f->s.param[slot.index];
    default: return 1;
    }
}

static double lagrangian(struct frame *f)
{
    return actio_value_of(&f->s.sys->formation->pool, f->s.sys->formation->L, lagrangian_at, f);
}

/* Every slope that the quantity has, against what a small shift changes. */
static void slopes_are_right(struct frame *f)
{
    enum { h_digits = 5 };
    size_t n = f->n;
    double h = pow(10, -h_digits), q[MOST], v[MOST], t = f->t, M[MOST * MOST], m0[MOST],
           *slopes = numbers(n * n * n + 3 * n * n + 4 * n);
    memcpy(q, f->q, sizeof q);
    memcpy(v, f->v, sizeof v);
    memcpy(slopes, f->out, (n * n * n + 3 * n * n + 4 * n) * sizeof *slopes);
    const double *M_q = slopes + (f->M_q - f->out), *m0_q = slopes + (f->m0_q - f->out),
                 *M_t = slopes + (f->M_t - f->out), *m0_t = slopes + (f->m0_t - f->out);
    const double *L_v = slopes + (f->L_v - f->out), *L_q = slopes + (f->L_q - f->out);
    for (size_t l = 0; l <= n; l++) { /* n: time */
        double *x = l < n ? &q[l] : &t, keep = *x, L;
        *x = keep - h;
        evaluate(f, t, q, v);
        L = lagrangian(f);
        memcpy(M, f->M, sizeof M);
        memcpy(m0, f->m0, sizeof m0);
        *x = keep + h;
        evaluate(f, t, q, v);
        for (size_t i = 0; i < n * n; i++)
            CHECK_NEAR(l < n ? M_q[l * n * n + i] : M_t[i], (f->M[i] - M[i]) / (2 * h), 1e-7);
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(l < n ? m0_q[l * n + i] : m0_t[i], (f->m0[i] - m0[i]) / (2 * h), 1e-7);
        if (l < n) CHECK_NEAR(L_q[l], (lagrangian(f) - L) / (2 * h), 1e-6);
        *x = keep;
    }
    for (size_t l = 0; l < n; l++) {
        double keep = v[l], L;
        v[l] = keep - h;
        evaluate(f, t, q, v);
        L = lagrangian(f);
        v[l] = keep + h;
        evaluate(f, t, q, v);
        CHECK_NEAR(L_v[l], (lagrangian(f) - L) / (2 * h), 1e-6);
        v[l] = keep;
    }
    evaluate(f, t, q, v);
    free(slopes);
}

/* Columns of M^-1, then w = -M^-1 m0, at a shifted place. */
static void fields(struct frame *f, double t, const double *q, double *u)
{
    size_t n = f->n;
    double v[MOST] = { 0 }, lu[MOST * MOST], psi[MOST * MOST] = { 0 };
    int pivot[MOST];
    evaluate(f, t, q, v);
    memcpy(lu, f->M, n * n * sizeof *lu);
    CHECK(actio_lu_factor(n, lu, pivot) == 0);
    for (size_t i = 0; i < n; i++) {
        psi[i * n + i] = 1;
        u[n * n + i] = -f->m0[i];
    }
    actio_lu_solve(n, lu, pivot, psi, n, false);
    actio_lu_solve(n, lu, pivot, u + n * n, 1, false);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) u[j * n + i] = psi[i * n + j];
}

/* c^a_ij = (M [u_i, u_j])_a with [u_i, u_j] = Du_j u_i - Du_i u_j by difference quotients of the inverse; i = n is u_0,
 * along which time moves, too. */
static void brackets_are_right(struct frame *f)
{
    size_t n = f->n, all = n * n + n;
    double h = 1e-5, q[MOST], t = f->t, M[MOST * MOST], *c = numbers(n * n * n), *c0 = numbers(n * n),
           *u = numbers(all), *low = numbers(all), *D = numbers((n + 1) * all);
    memcpy(q, f->q, sizeof q);
    memcpy(M, f->M, sizeof M);
    brackets(f, c, c0);
    for (size_t l = 0; l <= n; l++) {
        double *x = l < n ? &q[l] : &t, keep = *x;
        *x = keep - h;
        fields(f, t, q, low);
        *x = keep + h;
        fields(f, t, q, D + l * all);
        for (size_t i = 0; i < all; i++) D[l * all + i] = (D[l * all + i] - low[i]) / (2 * h);
        *x = keep;
    }
    fields(f, t, q, u);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j < n; j++) {
            double b[MOST];
            for (size_t k = 0; k < n; k++) {
                b[k] = i == n ? D[n * all + j * n + k] : 0;
                for (size_t l = 0; l < n; l++)
                    b[k] += D[l * all + j * n + k] * u[i * n + l] - D[l * all + i * n + k] * u[j * n + l];
            }
            for (size_t a = 0; a < n; a++)
                CHECK_NEAR(i < n ? c[(a * n + i) * n + j] : c0[a * n + j], actio_dot(n, M + a * n, b), 1e-6);
        }
    free(c);
    free(c0);
    free(u);
    free(low);
    free(D);
}

static const char rheonomic[] =
    "param k = .3\ncoord a, b, c\nlagrangian (a'^2 + 2*b'^2 + 3*c'^2)/2 + a'*b'*sin(t) + b*c' - a^2/2\n"
    "frame u = (1 + k*sin(t))*a' + b*c' + t*b, w = b' - a*cos(t)*c' + a*b\nconstraint row: c' + k*a*b' = "
    "sin(t)*b\nstart a = .4, b = .5\ntime 0 .. 1\n";

TEST(a_rheonomic_affine_frame_has_the_brackets_of_its_fields)
{
    struct frame f;
    if (begin(&f, rheonomic))
        for (size_t seed = 1; seed <= 10; seed++) {
            evaluate_somewhere(&f, seed);
            slopes_are_right(&f);
            brackets_are_right(&f);
        }
    close_frame(&f);
}

TEST(automatic_rows_have_brackets_of_the_constraints_alone)
{
    struct frame f;
    if (begin(&f, sleigh))
        for (size_t seed = 1; seed <= 10; seed++) {
            double c[27];
            evaluate_somewhere(&f, seed);
            brackets_are_right(&f);
            evaluate_somewhere(&f, seed);
            brackets(&f, c, NULL);
            for (int i = 0; i < 18; i++) CHECK(c[i] == 0);
        }
    close_frame(&f);
}

/* ---- closed forms */

static void only_these(size_t n, const double *c, const int (*where)[3], const double *value, size_t count)
{
    for (size_t a = 0; a < n; a++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double want = 0;
                for (size_t k = 0; k < count; k++) {
                    bool up = where[k][0] == (int)a + 1 && where[k][1] == (int)i + 1 && where[k][2] == (int)j + 1,
                         down = where[k][0] == (int)a + 1 && where[k][2] == (int)i + 1 && where[k][1] == (int)j + 1;
                    if (up || down) want = up ? value[k] : -value[k];
                }
                CHECK_NEAR(c[(a * n + i) * n + j], want, 1e-14);
            }
}

TEST(the_sleigh_has_two_constant_brackets)
{
    static const int where[][3] = { { 3, 1, 2 }, { 1, 2, 3 } };
    static const double value[] = { -1, -1 };
    for (double th = -3; th < 3; th += 0.7) {
        double lu[9] = { cos(th), sin(th), 0, 0, 0, 1, -sin(th), cos(th), 0 }, M_q[27] = { 0 }, none[9] = { 0 }, c[27],
               c0[9], work[30];
        int pivot[3];
        M_q[18] = -sin(th);
        M_q[19] = cos(th);
        M_q[24] = -cos(th);
        M_q[25] = -sin(th);
        CHECK(actio_lu_factor(3, lu, pivot) == 0);
        actio_brackets(&(struct actio_frame_point){ 3, lu, pivot, none, M_q, none, none }, c, c0, work);
        only_these(3, c, where, value, 2);
        for (int i = 0; i < 9; i++) CHECK(c0[i] == 0);
    }
}

TEST(the_body_frame_of_a_rotation_has_those_of_its_group)
{
    static const int where[][3] = { { 3, 1, 2 }, { 2, 1, 3 }, { 1, 2, 3 } };
    static const double value[] = { 1, -1, 1 };
    struct frame f;
    if (begin(&f, "coord f, th, ps\nlagrangian (f'^2 + th'^2 + ps'^2)/2\nframe w1 = f'*sin(th)*sin(ps) + th'*cos(ps), "
                  "w2 = f'*sin(th)*cos(ps) - th'*sin(ps)\n"
                  "constraint spin: f'*cos(th) + ps' = 0\nstart th = 1\ntime 0 .. 1\n"))
        for (size_t seed = 1; seed <= 10; seed++) {
            double c[27];
            evaluate_somewhere(&f, seed);
            brackets(&f, c, NULL);
            only_these(3, c, where, value, 3);
        }
    close_frame(&f);
}

/* ---- Hamel's equations */

/* d/dt (dl/dxi_j) = sum_a (sum_i c^a_ij xi_i + c^a_0j) dl/dxi_a + u_j[l] with dl/dxi = Psi' L_v, and u_j[l] = (L_q - (M
 * v + m0)_q Psi' L_v).u_j */
static void right_sides(struct frame *f, double *out)
{
    size_t n = f->n;
    double lu[MOST * MOST], p[MOST], force[MOST], xi[MOST], *c = numbers(n * n * n), *c0 = numbers(n * n);
    int pivot[MOST];
    memcpy(lu, f->M, n * n * sizeof *lu);
    actio_lu_factor(n, lu, pivot);
    memcpy(p, f->L_v, n * sizeof *p);
    actio_lu_solve(n, lu, pivot, p, 1, true);
    brackets(f, c, c0);
    for (size_t l = 0; l < n; l++) {
        force[l] = f->L_q[l];
        for (size_t a = 0; a < n; a++)
            force[l] -= p[a] * (actio_dot(n, f->M_q + (l * n + a) * n, f->v) + f->m0_q[l * n + a]);
        xi[l] = actio_dot(n, f->M + l * n, f->v) + f->m0[l];
    }
    actio_lu_solve(n, lu, pivot, force, 1, true);
    for (size_t j = 0; j < n; j++) {
        out[j] = force[j];
        for (size_t a = 0; a < n; a++) {
            out[j] += c0[a * n + j] * p[a];
            for (size_t i = 0; i < n; i++) out[j] += c[(a * n + i) * n + j] * xi[i] * p[a];
        }
    }
    free(c);
    free(c0);
}

static void momenta(struct frame *f, double h, const double *y, const double *a, double *p)
{
    size_t n = f->n;
    double q[MOST], v[MOST], lu[MOST * MOST];
    int pivot[MOST];
    for (size_t i = 0; i < n; i++) {
        q[i] = y[i] + h * y[n + i] + h * h / 2 * a[i];
        v[i] = y[n + i] + h * a[i];
    }
    evaluate(f, f->s.model->time.t0 + h, q, v);
    memcpy(lu, f->M, n * n * sizeof *lu);
    CHECK(actio_lu_factor(n, lu, pivot) == 0);
    memcpy(p, f->L_v, n * sizeof *p);
    actio_lu_solve(n, lu, pivot, p, 1, true);
}

static void hamel_holds(const char *stem, const char *text, bool with_frame)
{
    struct frame f;
    double before[MOST], after[MOST], right[MOST], h = 1e-4;
    if (begin(&f, text)) {
        size_t n = f.n, free_ones = n - f.rows->kept;
        CHECK(actio_motion_open(&f.s.motion, f.s.ctx, f.s.sys, f.s.param) == 0);
        CHECK(actio_motion_begin(&f.s.motion, f.s.model->time.t0, f.s.y0) == 0
              && actio_motion_solve(&f.s.motion, f.s.model->time.t0, f.s.y0) == 0);
        const double *a = f.s.motion.here.zdot;
        momenta(&f, -h, f.s.y0, a, before);
        momenta(&f, h, f.s.y0, a, after);
        evaluate(&f, f.s.model->time.t0, f.s.y0, f.s.y0 + n);
        right_sides(&f, right);
        for (size_t j = 0; j < free_ones; j++) {
            if (!(fabs((after[j] - before[j]) / (2 * h) - right[j]) < 1e-6))
                printf("    %s, equation %zu\n", stem, j + 1);
            CHECK_NEAR((after[j] - before[j]) / (2 * h), right[j], 1e-6);
        }
        CHECK(!with_frame || f.rows->automatic == 0);
        slopes_are_right(&f);
        brackets_are_right(&f);
    }
    close_frame(&f);
}

TEST(hamels_equations_hold_along_the_motions_of_the_gallery)
{
    static const char *const with_frame[] = { "sleigh", "coin", "suslov", "turntable", "snakeboard" },
                             *const without[] = { "knife", "vertical-disk", "rotating-wire", "pendulum", "rod" };
    const struct actio_example *e;
    size_t n = actio_gallery(&e), tried = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 5; k++) {
            bool given = strcmp(e[i].stem, with_frame[k]) == 0, automatic = strcmp(e[i].stem, without[k]) == 0;
            if (given || automatic) {
                tried++;
                hamel_holds(e[i].stem, e[i].text, given);
            }
        }
    CHECK(tried == 10);
}

int main(void)
{
    RUN(rows_are_given_ones_then_automatic_ones_then_constraints);
    RUN(a_quasi_velocity_that_is_a_constraints_row_and_redundant_constraints_are_left_out);
    RUN(a_holonomic_constraint_gives_the_row_of_its_rate);
    RUN(models_without_such_a_frame_say_why);
    RUN(quasi_velocities_that_depend_on_others_are_refused_by_name);
    RUN(a_rheonomic_affine_frame_has_the_brackets_of_its_fields);
    RUN(automatic_rows_have_brackets_of_the_constraints_alone);
    RUN(the_sleigh_has_two_constant_brackets);
    RUN(the_body_frame_of_a_rotation_has_those_of_its_group);
    RUN(hamels_equations_hold_along_the_motions_of_the_gallery);
    return DONE();
}
