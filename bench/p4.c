/* SPDX-License-Identifier: Apache-2.0
 * P4: one periodic orbit (Lorenz's shortest) to 1e-10 of its period from a common guess, against hand-written shooting
 * in the same run, and AUTO-07p's own timer where it is installed. Also to rounding, and by the other methods. Prints
 * tables. */
#define _GNU_SOURCE
#include "lorenz.h"
#include "model/model.h"
#include "native/native.h"
#include "solve/orbit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, REPEATS = 40 };

static const char lorenz[] = "param sigma = 10, a = 28, b = 8/3\nstate x, y, z\nflow x' = sigma*(y - x)\nflow y' = "
                             "x*(a - z) - y\nflow z' = x*y - b*z\n"
                             "start x = -13.7, y = -19.5, z = 27\ntime 0 .. 1.55\n";

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_model *model;
static struct actio_motion motion;
static struct actio_orbit orbit;
static const double guess[3] = { -13.7, -19.5, 27 };

static int open_orbit(void)
{
    double param[8];
    actio_native_register();
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    model = actio_model_read_text(&ctx, "lorenz", lorenz, sizeof lorenz - 1, NULL, 0, &findings);
    if (!model) return 1;
    for (size_t i = 0; i < model->params; i++) param[i] = model->param[i].value;
    struct actio_system *sys = actio_system_form(&ctx, model, actio_form_dalembert);
    const struct actio_dual_choice choice = { .closure = ACTIO_CLOSURE_GAUSS };
    if (!sys || actio_system_dual(sys, &choice) || actio_system_need(sys, ACTIO_Q_DUAL_POINT)
        || actio_motion_open(&motion, &ctx, sys, param))
        return 1;
    motion.span = 1.55;
    actio_motion_begin(&motion, 0, guess);
    if (actio_orbit_open(&orbit, &ctx, &motion, 0, guess)) return 1;
    /* what the guess's own motion shows */
    for (size_t i = 0; i < 3; i++) orbit.scale[i] = (const double[]){ 35, 48, 38 }[i];
    actio_system_native(sys, 1e12);
    return 0;
}

typedef int (*method)(struct actio_orbit *, struct actio_circuit *, double, struct actio_orbit_report *);

static int solve(method by, double tol, double *period, long *rhs)
{
    struct actio_circuit c;
    struct actio_orbit_report reported;
    if (actio_circuit_open(&c, &ctx, 3, 1)) return 1;
    memcpy(c.y, guess, sizeof guess);
    c.nodes = 1;
    c.period = 1.55;
    orbit.x.rhs = 0;
    int bad = by(&orbit, &c, tol, &reported);
    *period = c.period;
    *rhs = (long)orbit.x.rhs;
    actio_circuit_close(&c, &ctx);
    return bad;
}

struct rival {
    const char *name;
    method by;
    double tol, us[ROUNDS], ratio[ROUNDS], error;
    long rhs;
};
static struct rival rivals[] = {
    { .name = "hand-written C, shooting", .tol = 1e-9 },
    { .name = "Actio, shooting", .by = actio_orbit_shoot, .tol = 1e-10 },
    { .name = "hand-written C, to rounding", .tol = 1e-13 },
    { .name = "Actio, shooting, to rounding", .by = actio_orbit_shoot, .tol = 1e-14 },
    { .name = "Actio, Fourier, to rounding", .by = actio_orbit_fourier, .tol = 1e-14 },
    { .name = "Actio, dual action, to rounding", .by = actio_orbit_dual, .tol = 1e-14 },
};
enum { RIVALS = sizeof rivals / sizeof *rivals };

static double once(struct rival *r)
{
    double period = NAN, start = actio_native_clock();
    int repeats = r->by && r->by != actio_orbit_shoot ? 2 : REPEATS;
    for (int i = 0; i < repeats; i++)
        if (r->by ? solve(r->by, r->tol, &period, &r->rhs) : bench_hand_orbit(r->tol, &period, &r->rhs)) return NAN;
    r->error = fabs(period - LORENZ_PERIOD);
    return 1e6 * (actio_native_clock() - start) / repeats;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

/* Seconds of AUTO's own timer, by bench/auto/one.py; NAN where it is not installed. */
static double auto_seconds(double *error)
{
    double seconds = NAN;
    FILE *p = popen("/usr/bin/python3 " SOURCE_DIR "/bench/auto/one.py 2>/dev/null", "r");
    if (p && fscanf(p, "%lf %lf", &seconds, error) != 2) seconds = NAN;
    if (p) pclose(p);
    return seconds;
}

int main(void)
{
    if (open_orbit()) {
        puts("bench_p4 failed: the model can't be opened");
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < RIVALS; i++) {
            rivals[i].us[round] = once(&rivals[i]);
            rivals[i].ratio[round] = rivals[i].us[round] / rivals[0].us[round];
        }
    printf("## P4: Lorenz's shortest orbit\n\nFrom (-13.7, -19.5, 27) and the period 1.55:\n\n| %-32s | error of the "
           "period | right-hand sides | us | ratio | |\n|---|---|---|---|---|---|\n",
           "");
    for (int i = 0; i < RIVALS; i++) {
        double ratio = median(rivals[i].ratio);
        printf("| %-32s | %.1e | %6ld | %8.1f | **%.2f** | %s |\n", rivals[i].name, rivals[i].error, rivals[i].rhs,
               median(rivals[i].us), ratio,
               i != 1                                  ? ""
               : ratio <= 2 && rivals[i].error < 1e-10 ? "bar 2: holds"
                                                       : "bar 2: does not hold");
    }
    double error = NAN, seconds = auto_seconds(&error), own = median(rivals[1].us);
    if (isnan(seconds)) puts("\nAUTO-07p was not found.");
    else
        printf("\nAUTO-07p, its own timer: %.1f us, error %.1e: Actio is **%.0f** times as fast (bar 15: %s)\n",
               1e6 * seconds, error, 1e6 * seconds / own, 1e6 * seconds / own >= 15 ? "holds" : "does not hold");
    return 0;
}
