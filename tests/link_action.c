/* SPDX-License-Identifier: Apache-2.0
 * The disk by its action, linked from the action's own objects: nothing that forms or solves an equation of motion is
 * in this program (cmake/tests.cmake lists what is). Once by slabs, once on a grid in the reduced sector, once with
 * both sectors. */
#include "base/findings.h"
#include "check.h"
#include "equations/system.h"
#include "model/model.h"
#include "solve/doubled.h"
#include "solve/grid.h"
#include "solve/slab.h"

/* Weak: there, or a null address. */
#define ABSENT(list)                                                                                                   \
    list(actio_form_equations) list(actio_eliminate) list(actio_saddle_open) list(actio_saddle_solve)                  \
        list(actio_motion_open) list(actio_motion_solve) list(actio_motion_rhs) list(actio_law_gauss)                  \
            list(actio_law_maggi) list(actio_law_hamel) list(actio_law_reduced) list(actio_march) list(actio_dop853)   \
                list(actio_discrete) list(actio_run)
#define DECLARE(name) extern const char name[] __attribute__((weak));
ABSENT(DECLARE)
#pragma weak actio_form_dalembert
#pragma weak actio_form_vakonomic
#pragma weak actio_form_reduced

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_system *sys;
static double param[8], q[4], v[4];

static double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) abort();
    return x;
}

static const double k = 49.0 / 15; /* g sin(alpha)/(1 + I_S/(M R^2)) */
static double exact_x(double t) { return 5 * sin(t) + k / 2 * sin(t) * sin(t); }
static double exact_y(double t) { return 5 * (1 - cos(t)) + k * (t / 2 - sin(2 * t) / 4); }
static double exact_theta(double t) { return 5 * t + k * (1 - cos(t)); }

static bool read_disk(void)
{
    static char text[8192];
    FILE *file = fopen(SOURCE_DIR "/models/disk.act", "rb");
    if (!file) return false;
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    model = actio_model_read_text(&ctx, "disk.act", text, length, NULL, 0, &findings);
    sys = model ? actio_system_form(&ctx, model, actio_form_action) : NULL;
    if (!sys || model->params > 8 || model->coords != 4) return false;
    for (size_t i = 0; i < model->params; i++) param[i] = model->param[i].value;
    for (size_t i = 0; i < 4; i++) {
        q[i] = actio_model_number(model, model->coord[i].start);
        v[i] = actio_model_number(model, model->coord[i].start_dot);
    }
    return true;
}

TEST(slabs_have_the_motion_to_ten_digits)
{
    struct actio_element e;
    struct actio_slab s;
    double h = (model->time.t1 - model->time.t0) / 32;
    CHECK(actio_element_open(&e, &ctx, 0, 6) == 0
          && actio_slab_open(&s, &ctx, sys, &e, (struct actio_shared){ .param = param }) == 0);
    CHECK(actio_slab_data(&s, model->time.t0, q, v) == 0);
    for (int i = 0; i < 32; i++) {
        for (size_t c = 0; c < 4; c++)
            for (size_t l = 0; l < 6; l++) s.pt.z[c * 6 + l] = s.v0[c];
        CHECK(actio_slab_solve(&s, h, 1e-13) == ACTIO_SLAB_DONE);
        actio_slab_pass(&s, model->time.t0 + (i + 1) * h);
    }
    CHECK_NEAR(s.x0[0], exact_x(s.t), 1e-11);
    CHECK_NEAR(s.x0[1], exact_y(s.t), 1e-11);
    CHECK_NEAR(s.x0[2], exact_theta(s.t), 1e-11);
    actio_slab_close(&s);
    actio_element_close(&e);
}

static void seed(struct actio_grid *g, double *X)
{
    size_t N = g->points;
    for (size_t i = 0; i < N; i++) {
        double t = actio_grid_time(g, i), u = 5 + k * sin(t), y[4] = { exact_x(t), exact_y(t), exact_theta(t), t },
               rate[4] = { u * cos(t), u * sin(t), u, 1 };
        for (size_t c = 0; c < 4; c++) {
            X[c * N + i] = g->x[i * 4 + c] = y[c] + 0.01 * sin(3 * t);
            g->z[i * g->pt.nz + c] = rate[c];
        }
    }
}

TEST(one_grid_has_it_too_and_both_sectors_at_once_agree_with_one)
{
    struct actio_grid g;
    struct actio_doubled d;
    double worst = 0, minus = 0, residual[4];
    CHECK(
        actio_grid_open(&g, &ctx, sys, (struct actio_shared){ .param = param }, 6, 128, model->time.t0, model->time.t1)
        == 0);
    CHECK(
        actio_doubled_open(
            &d, &ctx, sys,
            &(struct actio_doubled_task){
                .order = 6, .points = 128, .t0 = model->time.t0, .t1 = model->time.t1, .x = q, .v = v, .param = param })
        == 0);
    double *X = numbers(d.size);
    seed(&g, X);
    CHECK(actio_grid_data(&g, q, v) == 0 && actio_grid_solve(&g) == ACTIO_GRID_DONE);
    CHECK(actio_doubled_data(&d, residual) == 0 && actio_doubled_solve(&d, X) == ACTIO_GRID_DONE);
    for (size_t i = 0; i < 128; i++)
        for (size_t c = 0; c < 4; c++) {
            worst = fmax(worst, fabs(X[c * 128 + i] - g.x[i * 4 + c]));
            minus = fmax(minus, fabs(X[(d.sector + c) * 128 + i]));
        }
    CHECK(worst < 1e-11 && minus < 1e-13);
    CHECK_NEAR(g.x[127 * 4 + 1], exact_y(model->time.t1), 1e-6);
    free(X);
    actio_doubled_close(&d);
    actio_grid_close(&g);
}

TEST(no_equation_of_motion_is_in_this_program)
{
#define SAY(name)                                                                                                      \
    if (name != NULL) printf("    %s is linked\n", #name);
#define TELL(name) CHECK(name == NULL);
    ABSENT(SAY)
    ABSENT(TELL)
    CHECK(actio_form_dalembert == NULL && actio_form_vakonomic == NULL && actio_form_reduced == NULL);
}

int main(void)
{
    printf("made of %s\n", ACTION_OBJECTS);
    if (!read_disk()) {
        printf("link_action: 0 passed, 1 failed\n");
        return 1;
    }
    RUN(no_equation_of_motion_is_in_this_program);
    RUN(slabs_have_the_motion_to_ten_digits);
    RUN(one_grid_has_it_too_and_both_sectors_at_once_agree_with_one);
    actio_system_free(sys);
    actio_model_free(model);
    actio_findings_close(&findings);
    return DONE();
}
