/* SPDX-License-Identifier: Apache-2.0
 * The disk as a plain function for timing: model text to a motion with compiled kernels, then step by step from the start. */
#include "slot.h"

#include "kernel/compile.h"
#include "model/model.h"
#include "native/native.h"
#include "run.h"
#include "solve/motion.h"

#include <stdlib.h>
#include <string.h>

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_system *sys;
static struct actio_motion motion;
static void *stepper;
static double start[16];

static const char disk[] =
    "param M = 1, R = 1, g = 9.8, alpha = pi/6\n"
    "param I_S = M*R^2/2, I_D = M*R^2/4\n"
    "coord x, y, theta, phi\n"
    "lagrangian M/2*(x'^2 + y'^2) + I_S/2*theta'^2 + I_D/2*phi'^2 + M*g*x*sin(alpha)\n"
    "constraint roll:  x'^2 + y'^2 = R^2*theta'^2\n"
    "constraint blade: x'*sin(phi) = y'*cos(phi)\n"
    "start x' = 5, theta' = 5, phi' = 1\n"
    "time 0 .. 2*pi\n";

static int open_disk(int compiled)
{
    actio_native_register();
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    model = actio_model_read_text(&ctx, "disk", disk, sizeof disk - 1, NULL, 0, &findings);
    if (!model) return 1;
    double param[16];
    for (size_t i = 0; i < model->params; i++) param[i] = model->param[i].value;
    sys = actio_system_form(&ctx, model, actio_form_dalembert);
    if (!sys || actio_motion_open(&motion, &ctx, sys, param)) return 1;
    for (size_t i = 0; i < 4; i++) start[i] = actio_model_number(model, model->coord[i].start), start[4 + i] = actio_model_number(model, model->coord[i].start_dot);
    if (compiled) actio_system_native(sys, 1e12);
    stepper = actio_dop853.open(&ctx, &motion.flow);
    return stepper == NULL;
}

int slot_p1(double tol, void (*note)(double t, const double *y), long *rhs)
{
    static int opened;
    double t = 0, y[8];
    struct actio_march_stats before, after;
    if (!opened && open_disk(1)) return -1;
    opened = 1;
    memcpy(y, start, sizeof y);
    actio_motion_begin(&motion, 0, y);
    actio_dop853.stats(stepper, &before);
    actio_dop853.start(stepper, 0, y, model->t1, tol, tol);
    while (t < model->t1) {
        if (actio_dop853.step(stepper, &t, y)) return -1;
        if (note) note(t, y);
    }
    actio_dop853.stats(stepper, &after);
    *rhs = (long)(after.rhs - before.rhs);
    return 0;
}
