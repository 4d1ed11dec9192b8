/* SPDX-License-Identifier: Apache-2.0
 * P3: a point mass in a circular tumbler, 100 s and 384 bounces, against hand-written event-driven C in the same run,
 * and against that in quadruple precision. Prints a table. */
#define _GNU_SOURCE
#include "tumbler.h"
#include "model/model.h"
#include "native/native.h"
#include "solve/accuracy.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, REPEATS = 20 };
static const double span = 100;

static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_motion motion;
static double start[4] = { -.5, -.75, 0, 0 };

static const char text[] = "param g = 9.8\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\ncontact wall: x^2 + y^2 <= "
                           "1\nstart x = -.5, y = -.75\ntime 0 .. 100\n";

static int open_tumbler(void)
{
    actio_native_register();
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    struct actio_model *model = actio_model_read_text(&ctx, "tumbler", text, sizeof text - 1, NULL, 0, &findings);
    double param[1] = { 9.8 };
    struct actio_system *sys = model ? actio_system_form(&ctx, model, actio_form_dalembert) : NULL;
    if (!sys || actio_motion_open(&motion, &ctx, sys, param) || actio_motion_need(&motion, ACTIO_Q_OUTPUTS)) return 1;
    motion.span = span;
    actio_system_native(sys, 1e12);
    return 0;
}

/* The motion alone, without an estimate and without rows. */
static long fly_for(double until, double *out)
{
    struct actio_march_task task = {
        .stepper = &actio_ballistic, .t1 = until, .rtol = 1e-10, .atol = 1e-10, .y0 = start
    };
    struct actio_march_result result = { .y = out };
    actio_motion_begin(&motion, 0, start);
    return actio_march(&ctx, &motion.flow, &task, &result) ? -1 : (long)motion.contacts->log.happenings;
}

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Siconos is of first order in its steps, and never as exact: its own accuracy stands beside its time, over 10 s. */
static void compare_with_siconos(void)
{
#ifdef BENCH_SICONOS
    static const double steps[] = { 1e-2, 1e-3, 1e-4 };
    double exact[4], theirs[4], mine[4], all = motion.span;
    motion.span = 10;
    bench_tumbler_quad(10, start, 9.8, exact);
    double from = bench_now();
    for (int i = 0; i < REPEATS; i++) fly_for(10, mine);
    double us = 1e6 * (bench_now() - from) / REPEATS;
    printf("\n| tumbler, 10 s | us | error of x, y | times Actio |\n|---|---|---|---|\n| Actio | %.0f | %.0e | 1 |\n",
           us, hypot(mine[0] - exact[0], mine[1] - exact[1]));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        from = bench_now();
        bench_tumbler_siconos(10, start, 9.8, steps[i], theirs);
        double their_us = 1e6 * (bench_now() - from);
        printf("| Siconos, Moreau-Jean, steps of %.0e | %.0f | %.0e | %.0f |\n", steps[i], their_us,
               hypot(theirs[0] - exact[0], theirs[1] - exact[1]), their_us / us);
    }
    motion.span = all;
#endif
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

int main(void)
{
    double hand[4], mine[4], exact[4], us[2][ROUNDS], ratio[ROUNDS];
    long bounces = 0, same = 0;
    if (open_tumbler()) return 1;
    bench_tumbler_quad(span, start, 9.8, exact);
    for (int r = 0; r < ROUNDS; r++) {
        double from = bench_now();
        for (int i = 0; i < REPEATS; i++) same = bench_tumbler(span, start, 9.8, hand);
        us[0][r] = 1e6 * (bench_now() - from) / REPEATS;
        from = bench_now();
        for (int i = 0; i < REPEATS; i++) bounces = fly_for(span, mine);
        us[1][r] = 1e6 * (bench_now() - from) / REPEATS;
        ratio[r] = us[1][r] / us[0][r];
    }
    printf("| tumbler, 100 s | us | ns per bounce | bounces | error of x, y | ratio |\n|---|---|---|---|---|---|\n");
    printf("| hand-written C, event-driven | %.0f | %.0f | %ld | %.0e | 1 |\n", median(us[0]),
           1e3 * median(us[0]) / (double)same, same, hypot(hand[0] - exact[0], hand[1] - exact[1]));
    printf("| Actio, no estimate, no rows | %.0f | %.0f | %ld | %.0e | %.1f |\n", median(us[1]),
           1e3 * median(us[1]) / (double)bounces, bounces, hypot(mine[0] - exact[0], mine[1] - exact[1]),
           median(ratio));
    double worst = median(ratio);
    compare_with_siconos();
    printf("\nbar: at most 10 times hand-written C: %s\n", worst <= 10 ? "holds" : "DOES NOT HOLD");
    return 0;
}
