/* SPDX-License-Identifier: Apache-2.0
 * The disk as plain functions for timing: model text to a motion with compiled kernels, then step by step from the
 * start, or a whole run with its estimates and rows. */
#include "slot.h"
#include "solve/along.h"

#include "kernel/compile.h"
#include "model/model.h"
#include "native/native.h"
#include "solve/accuracy.h"

#include <stdlib.h>
#include <string.h>

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_system *sys;
static struct actio_motion motion;
static void *stepper;
static double start[16];
enum { ROWS = 201 };
static double times[ROWS];

static const char disk[] = "param M = 1, R = 1, g = 9.8, alpha = pi/6\n"
                           "param I_S = M*R^2/2, I_D = M*R^2/4\n"
                           "coord x, y, theta, phi\n"
                           "lagrangian M/2*(x'^2 + y'^2) + I_S/2*theta'^2 + I_D/2*phi'^2 + M*g*x*sin(alpha)\n"
                           "constraint roll:  x'^2 + y'^2 = R^2*theta'^2\n"
                           "constraint blade: x'*sin(phi) = y'*cos(phi)\n"
                           "start x' = 5, theta' = 5, phi' = 1\n"
                           "time 0 .. 2*pi\n";

static int open_disk(void)
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
    if (!sys || actio_motion_open(&motion, &ctx, sys, param) || actio_motion_need(&motion, ACTIO_Q_OUTPUTS)
        || actio_along_need(&motion))
        return 1;
    for (size_t i = 0; i < 4; i++) {
        start[i] = actio_model_number(model, model->coord[i].start);
        start[4 + i] = actio_model_number(model, model->coord[i].start_dot);
    }
    for (size_t i = 0; i < ROWS; i++)
        times[i] = i + 1 == ROWS ? model->time.t1 : model->time.t1 * (double)i / (ROWS - 1);
    actio_system_native(sys, 1e12);
    stepper = actio_dop853.open(&ctx, &motion.flow);
    return stepper == NULL;
}

static int ready(void)
{
    static int opened;
    if (!opened && open_disk()) return 0;
    return opened = 1;
}

int slot_p1(double tol, void (*note)(double t, const double *y), long *rhs)
{
    double t = 0, y[8];
    struct actio_march_stats before, after;
    if (!ready()) return -1;
    memcpy(y, start, sizeof y);
    actio_motion_begin(&motion, 0, y);
    actio_dop853.stats(stepper, &before);
    actio_dop853.start(stepper, 0, y, model->time.t1, tol, tol);
    while (t < model->time.t1) {
        if (actio_dop853.step(stepper, &t, y)) return -1;
        if (note) note(t, y);
    }
    actio_dop853.stats(stepper, &after);
    *rhs = (long)(after.rhs - before.rhs);
    return 0;
}

/* ---- whole runs */

static void show_rows(const struct actio_outcome *o, void (*note)(double t, const double *y))
{
    double y[8];
    for (size_t r = 0; r < o->rows; r++) {
        /* after t: x, y, theta, phi and their rates */
        for (size_t i = 0; i < 8; i++) y[i] = actio_outcome_column(o, 1 + i)[r];
        note(actio_outcome_column(o, 0)[r], y);
    }
}

int slot_complete(double tol, void (*note)(double t, const double *y), long *rhs)
{
    struct actio_outcome o;
    if (!ready()) return -1;
    struct actio_aim aim = {
        .t1 = model->time.t1, .y0 = start, .times = times, .rows = ROWS, .tol = tol, .method = "auto"
    };
    if (actio_reach(&ctx, &motion, &aim, &o)) return -1;
    if (note) show_rows(&o, note);
    *rhs = (long)o.rhs;
    int good = o.reached && o.rows == ROWS;
    actio_outcome_close(&ctx, &o);
    return good ? 0 : -1;
}

/* Blocks given back wait here, by size, for the next run. */
enum { MOST_KEPT = 256 };
struct block {
    size_t size;
    struct block *next;
};
static struct {
    size_t size;
    struct block *first;
} kept[MOST_KEPT];
static size_t sizes;

static struct block **shelf_of(size_t size)
{
    size_t i = 0;
    while (i < sizes && kept[i].size != size) i++;
    if (i == MOST_KEPT) abort();
    if (i == sizes) kept[sizes++].size = size;
    return &kept[i].first;
}

static void *from_shelf(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        struct block *b = (struct block *)old - 1, **shelf = shelf_of(b->size);
        b->next = *shelf;
        *shelf = b;
        return NULL;
    }
    struct block **shelf = shelf_of(size), *b = *shelf;
    if (b) *shelf = b->next;
    else if (!(b = malloc(sizeof *b + size))) return NULL;
    b->size = size;
    return b + 1;
}

int slot_complete_kept(double tol, void (*note)(double t, const double *y), long *rhs)
{
    if (!ready()) return -1;
    void *(*usual)(void *, void *, size_t) = ctx.allocate;
    ctx.allocate = from_shelf; /* a run gives back all that it takes */
    int bad = slot_complete(tol, note, rhs);
    ctx.allocate = usual;
    return bad;
}
