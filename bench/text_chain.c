/* SPDX-License-Identifier: Apache-2.0
 * The chain from its model text: right-hand sides as every stepper gets them, and symplectic Euler's update around
 * them. */
#include "chain.h"
#include "native/native.h"
#include "solve/segments.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "param h = 1, g = 9.8\n"
                           "field x(s), y(s) on s = 0 .. 1 nodes 3\n"
                           "let rho = if(1 - h/2 < s, 2, 1)\n" /* the last node has a whole mass, too */
                           "lagrangian integral(s, rho*((x'^2 + y'^2)/2 - g*y))\n"
                           "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\n"
                           "constraint topx: x(0) = 0\nconstraint topy: y(0) = 0\n";

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_system *sys;
static struct actio_motion motion;
static struct actio_ode flow;
static double *y, *dy, *known;

void chain_text_enter(struct chain *c)
{
    char nodes[32], step[32];
    size_t n = c->n + 1;
    snprintf(nodes, sizeof nodes, "s.nodes=%zu", n);
    snprintf(step, sizeof step, "h=1/%zu", c->n);
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
    flow = actio_segments_flow(&motion);
    /* half a page out of step: what is read is not taken for what is written */
    size_t apart = (flow.n + 511) / 512 * 512 + 256;
    y = aligned_alloc(64, (2 * apart * sizeof *y + 63) / 64 * 64);
    dy = y + apart;
    known = calloc(4 * n, sizeof *known);
    memcpy(known + 1, c->x, c->n * sizeof *y);
    memcpy(known + n + 1, c->y, c->n * sizeof *y);
    if (flow.fold) flow.fold(flow.user, 0, known, y);
    else memcpy(y, known, 4 * n * sizeof *y);
}

void chain_text(struct chain *c, long count, double dt)
{
    size_t n = flow.n / 2;
    (void)c;
    for (long k = 0; k < count; k++) {
        if (actio_segments_accelerations(&motion, y, dy)) abort();
        for (size_t i = 0; i < n; i++) {
            y[n + i] += dt * dy[i];
            y[i] += dt * y[n + i];
        }
    }
}

void chain_dop853(struct chain *c, long count, double dt)
{
    double *from = calloc(flow.known, sizeof *from);
    (void)c;
    (void)dt;
    struct actio_march_task task = {
        .stepper = &actio_dop853, .t1 = 1e3, .rtol = 1e-9, .atol = 1e-9, .y0 = known, .max_steps = (size_t)count
    };
    struct actio_march_result end = { .y = from };
    actio_march(&ctx, &flow, &task, &end);
    if (end.stats.steps < (size_t)count) abort();
    free(from);
}

void chain_text_leave(struct chain *c)
{
    if (flow.unfold) flow.unfold(flow.user, 0, y, known);
    else memcpy(known, y, flow.n * sizeof *y);
    memcpy(c->x, known + 1, c->n * sizeof *y);
    memcpy(c->y, known + c->n + 2, c->n * sizeof *y);
    actio_motion_close(&motion);
    actio_system_free(sys);
    actio_model_free(model);
    actio_findings_close(&findings);
    free(y);
    free(known);
}
