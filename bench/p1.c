/* SPDX-License-Identifier: Apache-2.0
 * P1: one trajectory of the disk, against hand-written C and SUNDIALS in the same run. Every way gets the tolerance
 * with which it meets the target with the fewest right-hand sides; all are then timed in turn, and ratios formed inside
 * each turn.
 * Prints tables. */
#define _GNU_SOURCE
#include "disk.h"
#include "rivals.h"
#include "slot.h"
#include "native/native.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9 };
#define ROUND_SECONDS 4e-3 /* of each rival in a round */

/* bar: what the ratio to the first may be at 1e-9 and 1e-12; 0 = none. As asked: tol = target instead of the best
 * tolerance. */
struct rival {
    const char *name;
    bench_run run;
    double bar;
    bool as_asked;
    bool meets;
    double tol, error;
    long rhs, repeats;
    double us[ROUNDS], ratio[ROUNDS];
};

static struct rival rivals[] = {
    { .name = "hand-written C, DOP853", .run = bench_hand },
    { .name = "Actio, the integration alone", .run = slot_p1, .bar = 1.5 },
    { .name = "Actio, complete", .run = slot_complete, .bar = 6, .as_asked = true },
    { .name = "Actio, complete, memory kept", .run = slot_complete_kept, .as_asked = true },
#ifdef BENCH_PEERS
    { .name = "CVODE Adams", .run = bench_adams },
    { .name = "CVODE BDF", .run = bench_bdf },
    { .name = "ARKODE Dormand-Prince 5(4)", .run = bench_erk5 },
    { .name = "ARKODE Fehlberg 8(7)", .run = bench_erk8 },
#endif
};
enum { RIVALS = sizeof rivals / sizeof *rivals };

static double largest_error;

static void note_error(double t, const double *y)
{
    double e = disk_error(t, y);
    if (!(e <= largest_error)) largest_error = e;
}

/* Tries one tolerance; keeps it when it meets the target with fewer right-hand sides, else the best error seen. */
static void try_tolerance(struct rival *r, double tol, double target)
{
    long rhs = 0;
    largest_error = 0;
    if (r->run(tol, note_error, &rhs)) return;
    bool meets = largest_error <= target;
    if (meets ? !r->meets || rhs < r->rhs : !r->meets && largest_error < r->error) {
        r->tol = tol;
        r->error = largest_error;
        r->rhs = rhs;
    }
    r->meets |= meets;
}

static void match(struct rival *r, double target)
{
    r->meets = false;
    r->error = HUGE_VAL;
    r->rhs = 0;
    if (r->as_asked) try_tolerance(r, target, target);
    else
        for (int k = 8; k <= 58; k++) try_tolerance(r, pow(10, -0.25 * k), target);
}

static double time_of(const struct rival *r, long repeats)
{
    long rhs;
    double start = actio_native_clock();
    for (long i = 0; i < repeats; i++) r->run(r->tol, NULL, &rhs);
    return (actio_native_clock() - start) / (double)repeats;
}

static void race(void)
{
    for (int i = 0; i < RIVALS; i++)
        if (rivals[i].meets) {
            double once = fmin(time_of(&rivals[i], 1), time_of(&rivals[i], 1));
            rivals[i].repeats = (long)(ROUND_SECONDS / once) + 1;
        }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < RIVALS; i++) {
            struct rival *r = &rivals[i];
            if (!r->meets) continue;
            r->us[round] = 1e6 * time_of(r, r->repeats);
            r->ratio[round] = r->us[round] / rivals[0].us[round];
        }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

static void print(struct rival *r, double target)
{
    if (!r->meets) {
        printf("| %-29s | not reached, %.1e at best | | | | | |\n", r->name, r->error);
        return;
    }
    double us = median(r->us), ratio = median(r->ratio), spread = r->ratio[ROUNDS * 3 / 4] - r->ratio[ROUNDS / 4];
    printf("| %-29s | %.1e | %.1e | %5ld | %8.1f | **%.2f** ± %.2f | ", r->name, r->tol, r->error, r->rhs, us, ratio,
           spread / 2);
    if (r->bar > 0 && target < 1e-8) printf("bar %.1f: %s |\n", r->bar, ratio <= r->bar ? "holds" : "does not hold");
    else printf("|\n");
}

static void table(double target)
{
    for (int i = 0; i < RIVALS; i++) match(&rivals[i], target);
    race();
    printf("\nTrue error at most %.0e:\n\n", target);
    printf("| %-29s | tolerance | true error | right-hand sides | us | ratio | |\n|---|---|---|---|---|---|---|\n", "");
    for (int i = 0; i < RIVALS; i++) print(&rivals[i], target);
    fflush(stdout);
}

int main(void)
{
    printf("## P1: one trajectory of the disk\n");
    table(1e-6);
    table(1e-9);
    table(1e-12);
    printf("\nComplete: --tol = target; the error of every column, all columns of 201 rows. Memory "
           "kept: the same without "
           "asking the system for it each time.\n");
#ifndef BENCH_PEERS
    printf("SUNDIALS was not found.\n");
#endif
    return 0;
}
