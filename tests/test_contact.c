/* SPDX-License-Identifier: Apache-2.0
 * The reader's contacts, events and rough constraints: gaps and slips against differences of numbers, what may be left
 * out, and texts that read back. */
#include "check.h"
#include "model/model.h"

struct reading {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    struct actio_model *model;
};

static void read_with(struct reading *r, const char *text, const struct actio_override *override)
{
    actio_context_init(&r->ctx);
    actio_findings_open(&r->findings, &r->ctx);
    actio_arena_open(&r->arena, &r->ctx);
    r->model = actio_model_read_text(&r->ctx, "test.act", text, strlen(text), override, override != NULL, &r->findings);
}

static void read_good(struct reading *r, const char *text)
{
    read_with(r, text, NULL);
    CHECK(r->model != NULL);
    for (size_t i = 0; i < r->findings.count; i++) {
        struct actio_text t;
        actio_text_open(&t, &r->arena);
        actio_finding_message(&r->findings.item[i], &t);
        printf("    %u:%u %s\n", (unsigned)r->findings.item[i].span.line, (unsigned)r->findings.item[i].span.column,
               t.s);
    }
}

static void close_reading(struct reading *r)
{
    actio_model_free(r->model);
    actio_arena_close(&r->arena);
    actio_findings_close(&r->findings);
    CHECK(r->ctx.bytes == 0);
}

static bool says(const char *text, enum actio_code code)
{
    struct reading r;
    read_with(&r, text, NULL);
    bool said = r.model == NULL && r.findings.count == 1 && r.findings.item[0].code == code;
    close_reading(&r);
    return said;
}

/* ---- numbers */

struct point {
    const struct actio_model *m;
    double q[3], v[3], s, t;
};

static double value(void *user, actio_slot slot)
{
    const struct point *p = user;
    switch (slot.space) {
    case ACTIO_SPACE_T: return p->t;
    case ACTIO_SPACE_Q: return p->q[slot.index];
    case ACTIO_SPACE_V: return p->v[slot.index];
    case ACTIO_SPACE_STATE: return p->s;
    case ACTIO_SPACE_PARAM: return p->m->param[slot.index].value;
    default: return NAN;
    }
}

static double at(const struct point *p, actio_expr e)
{
    return actio_value_of((struct actio_pool *)&p->m->pool, e, value, (void *)p);
}

static double unit_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0 * 2 - 1;
}

static void differences(struct point p, actio_expr e, double g[3])
{
    const double h = 1e-5;
    for (size_t i = 0; i < p.m->coords; i++) {
        double q = p.q[i];
        p.q[i] = q + h;
        g[i] = at(&p, e);
        p.q[i] = q - h;
        g[i] = (g[i] - at(&p, e)) / (2 * h);
        p.q[i] = q;
    }
}

/* The slip's coefficients: it is linear in the velocities, and 0 without them. */
static void direction(struct point p, actio_expr slip, double d[3])
{
    memset(p.v, 0, sizeof p.v);
    CHECK(at(&p, slip) == 0);
    for (size_t i = 0; i < p.m->coords; i++) {
        p.v[i] = 1;
        d[i] = at(&p, slip);
        p.v[i] = 0;
    }
}

static double inner(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void slides_along(const struct point *p, actio_expr surface, const struct actio_friction *f)
{
    size_t n = p->m->coords;
    double g[3], d[ACTIO_SLIPS][3];
    differences(*p, surface, g);
    double norm = sqrt(inner(g, g, n));
    CHECK(f->slips == n - 1 && !f->slip_given && f->given);
    CHECK_NEAR(at(p, f->scale), norm, 1e-7 * (1 + norm));
    for (size_t k = 0; k < f->slips; k++) {
        direction(*p, f->slip[k], d[k]);
        CHECK_NEAR(inner(d[k], d[k], n), 1, 1e-12);
        CHECK_NEAR(inner(d[k], g, n) / norm, 0, 1e-7);
    }
    if (n == 3) CHECK_NEAR(inner(d[0], d[1], n), 0, 1e-12);
    /* a quarter turn from the normal: x' on a floor y >= 0 */
    if (n == 2) CHECK_NEAR((g[0] * d[0][1] - g[1] * d[0][0]) / norm, -1, 1e-7);
}

static const char flat[] = "param mu = .3, al = .2\ncoord x, y\nlagrangian 3*(x'^2 + y'^2)/2 - y + (x*y' - y*x')*t\n"
                           "contact floor: y >= 0, friction = mu\ncontact roof: y <= 3 + t, friction = mu\ncontact "
                           "ramp: 2*y*cos(al) >= 2*x*sin(al), friction = mu\n"
                           "contact disk: x^2 + y^2 >= 1, friction = mu\ncontact wave: y >= sin(3*x - t)/2, friction = "
                           "mu\nconstraint wire: y = x^3/3, friction = mu\n";
static const char space[] =
    "param mu = .3, R = 2\ncoord x, y, z\nlet v2 = x'^2 + y'^2 + z'^2\nlagrangian v2/2 - z\n"
    "contact floor: z >= 0, friction = mu\ncontact roof: z <= 3, friction = mu\ncontact side: x + t <= y, friction = "
    "mu\ncontact ball: x^2 + y^2 + z^2 <= R^2, friction = mu\n"
    "contact hills: z >= sin(x)*cos(2*y), friction = mu\nconstraint bowl: 4*z = x^2 + y^2, friction = mu\n";

static void all_slide_along(const char *text)
{
    struct reading r;
    uint32_t seed = 7;
    read_good(&r, text);
    for (int trial = 0; r.model && trial < 200; trial++) {
        struct point p = { .m = r.model, .t = unit_random(&seed) };
        for (size_t i = 0; i < r.model->coords; i++) {
            p.q[i] = unit_random(&seed);
            p.v[i] = unit_random(&seed);
        }
        if (trial % 20 == 0) p.q[2] = trial % 40 ? 0 : -0.0; /* where the tangents of a ball change */
        if (r.model->coords == 3 && trial % 20 == 1) {
            p.q[0] *= 1e-9;
            p.q[1] *= 1e-9; /* where one formula for all of them would lose its digits */
        }
        for (size_t k = 0; k < r.model->contacts; k++)
            slides_along(&p, r.model->contact[k].gap, &r.model->contact[k].friction);
        for (size_t k = 0; k < r.model->constraints; k++)
            slides_along(&p, r.model->constraint[k].g, &r.model->constraint[k].friction);
    }
    close_reading(&r);
}

TEST(the_slip_of_a_point_mass_in_the_plane_is_its_velocity_along_the_wall) { all_slide_along(flat); }
TEST(the_slips_of_a_point_mass_in_space_are_orthonormal_tangents_of_the_wall) { all_slide_along(space); }

TEST(a_gap_is_positive_on_the_free_side_however_it_is_written)
{
    struct reading r;
    read_good(&r, "param h = 2\ncoord x\nlagrangian x'^2/2\ncontact a: x <= h\ncontact b: h >= x\ncontact c: -x <= h + "
                  "t\ncontact d: x >= -h - t\n");
    for (double x = -3; r.model && x <= 3; x += 0.5) {
        struct point p = { .m = r.model, .q = { x }, .t = 0.25 };
        for (size_t k = 0; k < 4; k++) CHECK(at(&p, r.model->contact[k].gap) == (k < 2 ? 2 - x : 2.25 + x));
    }
    CHECK(r.model && r.model->contact[0].at_most && !r.model->contact[1].at_most);
    close_reading(&r);
}

/* ---- what may be left out, and what is asked for */

TEST(options_that_are_left_out_mean_elastic_and_smooth)
{
    struct reading r;
    read_good(&r, "param e = .5, mu = .2, ms = .4\ncoord x, y\nstate p\nflow p' = -p\nlagrangian (x'^2 + "
                  "y'^2)/2\ncontact plain: y >= 0\n"
                  "contact all: x >= 0, stick = ms, slip = 2*y' - t + p, restitution = e*exp(-x'^2),\n    # goes on\n  "
                  "  friction = mu\n"
                  "contact half: x <= 9, slip = (x' + y', (y' + max(x, y))*2)\n");
    const struct actio_contact *c = r.model ? r.model->contact : NULL;
    struct point p = { .m = r.model, .q = { 1, 2 }, .v = { 0.5, -1 }, .s = 4, .t = 3 };
    if (!c) {
        close_reading(&r);
        return;
    }
    CHECK(at(&p, c[0].restitution) == 1 && !c[0].friction.given && c[0].friction.slips == 0
          && at(&p, c[0].friction.coefficient) == 0);
    CHECK_NEAR(at(&p, c[1].restitution), 0.5 * exp(-0.25), 1e-15);
    CHECK(c[1].friction.given && c[1].friction.slip_given && c[1].friction.stick_given && c[1].friction.slips == 1
          && at(&p, c[1].friction.scale) == 1);
    CHECK(at(&p, c[1].friction.slip[0]) == -1 && at(&p, c[1].friction.coefficient) == 0.2
          && at(&p, c[1].friction.stick) == 0.4);
    CHECK(c[1].friction.span.line == 9 && c[1].friction.span.column == 5);
    CHECK(!c[2].friction.given && c[2].friction.slips == 2 && at(&p, c[2].friction.slip[0]) == -0.5
          && at(&p, c[2].friction.slip[1]) == 2);
    close_reading(&r);
    read_good(&r, "coord x, y\nlagrangian (x'^2 + y'^2)/2\ncontact w: y >= 0, friction = 1/4\n");
    CHECK(r.model && actio_same(r.model->contact[0].friction.stick, r.model->contact[0].friction.coefficient)
          && !r.model->contact[0].friction.stick_given);
    close_reading(&r);
}

/* However it is written, and with terms that are no kinetic energy. */
TEST(a_point_mass_is_known_by_its_inertia)
{
    static const struct {
        const char *lagrangian;
        bool point;
    } row[] = {
        { "m/2*(x'^2 + y'^2)", true },
        { "m*((x' + y')^2 + (x' - y')^2)/4 - g*y", true },
        { "(2 + t^2)*(x'^2 + y'^2) + x*y' - y^2*x'", true },
        { "(x'^2 + y'^2)*(sin(x)^2 + cos(x)^2)/2", true },
        { "X'^2/2 + y'^2/2", true },
        { "m/2*(x'^2 + 2*y'^2)", false },
        { "(x'^2 + y'^2 + x'*y')/2", false },
        { "x^2*(x'^2 + y'^2)/2", false },
        { "sqrt(x'^2 + y'^2)", false },
        { "x'^2/2", false },
        { "(x'^2 + y'^2)^2", false },
        { "p*(x'^2 + y'^2)", false },
    };
    char text[400];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct reading r;
        snprintf(text, sizeof text,
                 "param m = 2, g = 9.8\ncoord x, y\nstate p\nflow p' = 0\nlet X = x + t\nlagrangian %s\ncontact w: y "
                 ">= 0, friction = .1\n",
                 row[i].lagrangian);
        read_with(&r, text, NULL);
        bool asked = r.findings.count == 1 && r.findings.item[0].code == ACTIO_F_FRICTION_NEEDS_SLIP;
        if ((r.model != NULL) != row[i].point || asked == row[i].point) printf("    %s\n", row[i].lagrangian);
        CHECK((r.model != NULL) == row[i].point && asked != row[i].point);
        close_reading(&r);
    }
}

TEST(a_fault_elsewhere_does_not_ask_for_a_slip)
{
    CHECK(says("coord x, y\nlagrangian (x'^2 + yy'^2)/2\ncontact w: y >= 0, friction = .1\n", ACTIO_F_UNKNOWN_NAME));
    CHECK(says("coord x, y\ncontact w: y >= 0, friction = .1\n", ACTIO_F_NO_LAGRANGIAN));
}

TEST(coefficients_are_checked_with_the_numbers_of_the_command_line)
{
    static const char text[] = "param e = .5, mu = .2\ncoord x, y\nlagrangian (x'^2 + y'^2)/2\ncontact w: y >= 0, "
                               "restitution = e, friction = mu, stick = .3\n";
    static const struct {
        const char *set;
        enum actio_code code;
    } row[] = {
        { "e=1.1", ACTIO_F_RESTITUTION_RANGE },
        { "mu=-1", ACTIO_F_FRICTION_NEGATIVE },
        { "mu=.4", ACTIO_F_STICK_BELOW_FRICTION },
        { "e=1", ACTIO_F_COUNT },
        { "mu=.3", ACTIO_F_COUNT },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct reading r;
        read_with(&r, text, &(struct actio_override){ ACTIO_SET_PARAM, row[i].set });
        CHECK((r.model != NULL) == (row[i].code == ACTIO_F_COUNT));
        CHECK(r.model || (r.findings.count == 1 && r.findings.item[0].code == row[i].code));
        close_reading(&r);
    }
}

/* ---- words */

TEST(the_words_of_options_are_free_elsewhere)
{
    struct reading r;
    read_good(&r, "param stick = 1, gap = 2\ncoord slip, friction, x\nlet restitution = slip + gap*stick\nlagrangian "
                  "(slip'^2 + friction'^2 + x'^2)/2 - restitution^2\n"
                  "constraint a: slip' = friction' along x = 1, slip = 2, friction = 3\nconstraint b: x = slip acting "
                  "friction, slip, friction = .1, slip = x' - slip'\n"
                  "contact restitution: slip >= stick, friction = friction^2, slip = slip' + friction', stick = "
                  "friction^2 + stick\n"
                  "event slip: slip' = stick\nobserve f = friction.restitution + gap.restitution + slip + friction\n");
    const struct actio_model *m = r.model;
    if (m) {
        CHECK(m->constraint[0].reactions == 3 && !m->constraint[0].friction.given
              && m->constraint[0].reaction[1].variable == 0);
        CHECK(m->constraint[1].reactions == 2 && m->constraint[1].rule == ACTIO_ACTING
              && m->constraint[1].friction.given && m->constraint[1].friction.slips == 1);
        CHECK(m->contact[0].friction.given && m->contact[0].friction.stick_given && m->events == 1);
        struct point p = { .m = m, .q = { 5, 3, 0 }, .v = { 1, 2, 0 } };
        CHECK(at(&p, m->contact[0].gap) == 4 && at(&p, m->contact[0].friction.coefficient) == 9
              && at(&p, m->contact[0].friction.stick) == 10);
        CHECK(at(&p, m->contact[0].friction.slip[0]) == 3 && at(&p, m->event[0].g) == 0);
    }
    close_reading(&r);
}

static const char everything[] =
    "# walls\nparam n = 3, e = .5, mu = .2\ncoord x [m], y, a[1 .. n]\nstate p\nflow p' = -p\nlagrangian (x'^2 + "
    "y'^2)/2 + sum(i = 1 .. n, a[i]'^2/2)\n"
    "constraint rod: x^2 + y^2 = 1, friction = mu, slip = x*y' - y*x', stick = 2*mu\nconstraint g[i = 2 .. n]: a[i]' = "
    "a[i-1]' acting a[i], friction = mu/i, slip = a[i]'\n"
    "contact w[i = 1 .. n]: a[i] <= i + t, restitution = e^i, friction = mu*i, slip = (a[i]' - x', y' + (x + "
    "1)*a[i]')\n"
    "contact last: x + y >= if(x < y, min(x, y), t)\ncontact w[i = 5 .. 6]: i*x >= -y, slip = x'\n"
    "event top: x' = p\nevent e[i = 1 .. n]: a[i]' = sin(t) + i\nsymmetry s: time\nforce drag: x = -x'\n"
    "observe all = gap.w[2] + force.w[3]*friction.w[1] + friction.rod + friction.g[3] + force.last\n"
    "expect gap.last at 1 = 0 within 1e-12\nexpect drift(force.w[2]) < 1\ntime 0 .. 1\n";

TEST(families_of_contacts_have_members_columns_and_formulas_of_their_own)
{
    struct reading r;
    read_good(&r, everything);
    const struct actio_model *m = r.model;
    if (m) {
        CHECK(m->contacts == 6 && strcmp(m->contact[1].label, "w[2]") == 0 && strcmp(m->contact[3].label, "last") == 0
              && strcmp(m->contact[4].label, "w[5]") == 0);
        CHECK(m->events == 4 && strcmp(m->event[3].label, "e[3]") == 0 && m->contact[2].span.line == 9);
        struct point p = { .m = m, .q = { 1, 2, 3 }, .v = { 4, 5, 6 }, .s = 7, .t = 0.5 };
        CHECK(at(&p, m->contact[0].gap) == -1.5 && at(&p, m->contact[5].gap) == 8
              && at(&p, m->contact[1].restitution) == 0.25 && at(&p, m->contact[3].gap) == 2);
        CHECK(at(&p, m->contact[0].friction.slip[0]) == 2 && at(&p, m->contact[0].friction.slip[1]) == 17
              && at(&p, m->event[0].g) == -3);
        CHECK_NEAR(at(&p, m->constraint[2].friction.coefficient), 0.2 / 3, 1e-16);
        CHECK(at(&p, m->constraint[0].friction.stick) == 0.4 && m->constraint[0].friction.span.line == 7);
    }
    close_reading(&r);
}

TEST(columns_of_contacts_stand_between_powers_and_energy_by_kind)
{
    static const char *const want[] = { "power.force",   "power.drag",   "gap.w[1]",      "gap.w[2]",
                                        "gap.w[3]",      "gap.last",     "gap.w[5]",      "gap.w[6]",
                                        "force.w[1]",    "force.w[2]",   "force.w[3]",    "force.last",
                                        "force.w[5]",    "force.w[6]",   "friction.w[1]", "friction.w[2]",
                                        "friction.w[3]", "friction.rod", "friction.g[2]", "friction.g[3]",
                                        "energy" };
    enum { WANT = sizeof want / sizeof *want };
    struct reading r;
    const char *const *name;
    read_good(&r, everything);
    size_t n = r.model ? actio_model_columns(r.model, &name) : 0, from = 0;
    while (from < n && strcmp(name[from], want[0]) != 0) from++;
    CHECK(from + WANT <= n);
    for (size_t i = 0; from + WANT <= n && i < WANT; i++) CHECK(strcmp(name[from + i], want[i]) == 0);
    close_reading(&r);
}

/* ---- texts that read back */

static char *printed(struct reading *r)
{
    struct actio_text t;
    actio_text_open(&t, &r->arena);
    if (r->model) actio_model_print(r->model, &t);
    char *kept = malloc(t.length + 1);
    memcpy(kept, t.s ? t.s : "", t.length + 1);
    return kept;
}

static void prints_and_reads_back(const char *text)
{
    struct reading first, second;
    read_good(&first, text);
    char *a = printed(&first);
    read_good(&second, a);
    char *b = printed(&second);
    CHECK(strlen(a) > 0 && strcmp(a, b) == 0);
    struct point p = { .m = first.model, .q = { 0.3, 0.4, 0.5 }, .v = { 0.6, 0.7, 0.8 }, .s = 0.9, .t = 0.2 }, q = p;
    q.m = second.model;
    bool both = first.model && second.model && first.model->contacts == second.model->contacts
                && first.model->events == second.model->events;
    CHECK(both && first.model->output.columns == second.model->output.columns);
    for (size_t i = 0; both && i < first.model->contacts; i++) {
        const struct actio_contact *x = &first.model->contact[i], *y = &second.model->contact[i];
        CHECK(at(&p, x->gap) == at(&q, y->gap) && at(&p, x->restitution) == at(&q, y->restitution)
              && x->at_most == y->at_most);
        CHECK(x->friction.given == y->friction.given && x->friction.slips == y->friction.slips
              && x->friction.slip_given == y->friction.slip_given
              && x->friction.stick_given == y->friction.stick_given);
        for (size_t k = 0; k < x->friction.slips; k++)
            CHECK_NEAR(at(&p, x->friction.slip[k]), at(&q, y->friction.slip[k]), 1e-15);
        CHECK(at(&p, x->friction.stick) == at(&q, y->friction.stick)
              && at(&p, x->friction.coefficient) == at(&q, y->friction.coefficient));
    }
    free(a);
    free(b);
    close_reading(&first);
    close_reading(&second);
}

TEST(contacts_and_events_print_and_read_back)
{
    prints_and_reads_back("param a = 1\ncoord x\nlagrangian x'^2/2\ncontact w: (x - a)*2 >= -x^2, slip = (x'), "
                          "restitution = a/2\nevent e: -x = x'\n");
    prints_and_reads_back(flat);
    prints_and_reads_back(space);
}

TEST(families_of_contacts_print_and_read_back)
{
    struct reading r, again;
    read_good(&r, everything);
    char *a = printed(&r);
    read_good(&again, a);
    char *b = printed(&again);
    CHECK(strstr(a, "contact w[i = 2 .. 2]: ") && strstr(a, "event e[i = 3 .. 3]: ") && strcmp(a, b) == 0);
    CHECK(again.model && r.model && again.model->contacts == r.model->contacts
          && again.model->output.columns == r.model->output.columns);
    free(a);
    free(b);
    close_reading(&r);
    close_reading(&again);
}

/* ---- memory */

static void *failing(void *user, void *old, size_t size)
{
    long *left = user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return (*left)-- <= 0 ? NULL : realloc(old, size);
}

static void survives_every_failure(const char *text)
{
    bool whole = false;
    for (long k = 0; !whole && k < 3000; k++) {
        struct reading r;
        long left = k;
        actio_context_init(&r.ctx);
        r.ctx.allocate = failing;
        r.ctx.allocate_user = &left;
        actio_findings_open(&r.findings, &r.ctx);
        r.model = actio_model_read_text(&r.ctx, "test.act", text, strlen(text), NULL, 0, &r.findings);
        whole = r.model != NULL;
        CHECK(whole || r.findings.errors > 0);
        actio_arena_open(&r.arena, &r.ctx);
        close_reading(&r);
    }
    CHECK(whole);
}

TEST(memory_may_run_out_at_any_call)
{
    survives_every_failure(everything);
    survives_every_failure(space);
}

int main(void)
{
    RUN(the_slip_of_a_point_mass_in_the_plane_is_its_velocity_along_the_wall);
    RUN(the_slips_of_a_point_mass_in_space_are_orthonormal_tangents_of_the_wall);
    RUN(a_gap_is_positive_on_the_free_side_however_it_is_written);
    RUN(options_that_are_left_out_mean_elastic_and_smooth);
    RUN(a_point_mass_is_known_by_its_inertia);
    RUN(a_fault_elsewhere_does_not_ask_for_a_slip);
    RUN(coefficients_are_checked_with_the_numbers_of_the_command_line);
    RUN(the_words_of_options_are_free_elsewhere);
    RUN(families_of_contacts_have_members_columns_and_formulas_of_their_own);
    RUN(columns_of_contacts_stand_between_powers_and_energy_by_kind);
    RUN(contacts_and_events_print_and_read_back);
    RUN(families_of_contacts_print_and_read_back);
    RUN(memory_may_run_out_at_any_call);
    return DONE();
}
