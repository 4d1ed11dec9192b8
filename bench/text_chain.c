/* SPDX-License-Identifier: Apache-2.0
 * The chain from its model text: right-hand sides as every stepper gets them, and symplectic Euler's update around them. */
#include "chain.h"
#include "native/native.h"
#include "solve/motion.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "param h = 1, g = 9.8\n"
    "field x(s), y(s) on s = 0 .. 1 nodes 3\n"
    "let rho = if(1 - h/2 < s, 2, 1)\n"                   /* the last node has a whole mass, too */
    "lagrangian integral(s, rho*((x'^2 + y'^2)/2 - g*y))\n"
    "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\n"
    "constraint topx: x(0) = 0\nconstraint topy: y(0) = 0\n";

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_system *sys;
static struct actio_motion motion;
static double *y, *dy;

void chain_text_enter(struct chain *c)
{
    char nodes[32], step[32];
    size_t n = c->n + 1;
    snprintf(nodes, sizeof nodes, "s.nodes=%zu", n), snprintf(step, sizeof step, "h=1/%zu", c->n);
    const struct actio_override change[] = { { ACTIO_SET_PARAM, nodes }, { ACTIO_SET_PARAM, step } };
    actio_native_register();
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    model = actio_model_read_text(&ctx, "chain", text, strlen(text), change, 2, &findings);
    double param[2] = { model->param[0].value, model->param[1].value };
    sys = actio_system_form(&ctx, model, actio_form_dalembert);
    if (!sys || actio_motion_open(&motion, &ctx, sys, param)) abort();
    actio_system_native(sys, 1e9);
    y = aligned_alloc(64, (4 * n * sizeof *y + 127) / 64 * 64), dy = aligned_alloc(64, (4 * n * sizeof *y + 127) / 64 * 64);
    memset(y, 0, 4 * n * sizeof *y);
    memcpy(y + 1, c->x, c->n * sizeof *y), memcpy(y + n + 1, c->y, c->n * sizeof *y);
}

void chain_text(struct chain *c, long count, double dt)
{
    size_t n = 2 * (c->n + 1);
    for (long k = 0; k < count; k++) {
        if (actio_motion_rhs(&motion, 0, y, dy)) abort();
        for (size_t i = 0; i < n; i++) y[n + i] += dt * dy[n + i], y[i] += dt * y[n + i];
    }
}

void chain_text_leave(struct chain *c)
{
    memcpy(c->x, y + 1, c->n * sizeof *y), memcpy(c->y, y + c->n + 2, c->n * sizeof *y);
    actio_motion_close(&motion);
    actio_system_free(sys);
    actio_model_free(model);
    actio_findings_close(&findings);
    free(y), free(dy);
}
