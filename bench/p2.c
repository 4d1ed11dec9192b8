/* SPDX-License-Identifier: Apache-2.0
 * P2: the disk from its discretised action. One grid, all time points unknown, against a hand-written streaming Newton
 * on a system of the same kind in the same run (and IPOPT on ours, where it is installed); and a million points by
 * slabs. Prints tables. */
#define _GNU_SOURCE
#include "grid.h"
#include "disk.h"
#include "model/model.h"
#include "native/native.h"
#include "solve/grid.h"
#include "solve/slab.h"
#include "ipopt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };
static struct actio_context ctx;
static struct actio_findings findings;
static struct actio_system *sys;
static const double param[] = { DISK_MASS, DISK_RADIUS, DISK_PULL, DISK_ROLL, 0.25 };
static const char text[] =
    "param M = 1, R = 1, pull = 4.9, I_S = .5, I_D = .25\ncoord x, y, theta, phi\n"
    "lagrangian M/2*(x'^2 + y'^2) + I_S/2*theta'^2 + I_D/2*phi'^2 + M*pull*x\nconstraint roll: x'^2 + y'^2 = "
    "R^2*theta'^2\n"
    "constraint blade: x'*sin(phi) = y'*cos(phi)\nstart x' = 5, theta' = 5, phi' = 1\ntime 0 .. 2*pi\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[n / 2];
}

static int open_disk(void)
{
    actio_native_register();
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    ctx.findings = &findings;
    struct actio_model *model = actio_model_read_text(&ctx, "disk", text, sizeof text - 1, NULL, 0, &findings);
    sys = model ? actio_system_form(&ctx, model, actio_form_action) : NULL;
    if (!sys || actio_system_need(sys, ACTIO_Q_POINTS) || actio_system_need(sys, ACTIO_Q_JETS)) return 1;
    actio_system_native(sys, 1e12);
    return 0;
}

static struct actio_shared shared(void) { return (struct actio_shared){ param, param, param }; }

static void guess(struct actio_grid *g)
{
    for (size_t k = 0; k < g->points; k++) {
        memset(g->z + k * g->pt.nz, 0, g->pt.nz * sizeof *g->z);
        bench_grid_guess(actio_grid_time(g, k), g->x + k * g->pt.nx, g->z + k * g->pt.nz);
    }
}

static double grid_error(const struct actio_grid *g)
{
    double most = 0, y[DISK_N];
    for (size_t k = 0; k < g->points; k++) {
        disk_motion(actio_grid_time(g, k), y);
        for (int i = 0; i < 4; i++) most = fmax(most, fabs(g->x[k * g->pt.nx + i] - y[i]));
    }
    return most;
}

/* From the same guess, opening included as by hand. Seconds, or -1. */
static double solve_ours(int order, size_t points, size_t *iterations, double *error)
{
    struct actio_grid g;
    double from = now();
    if (actio_grid_open(&g, &ctx, sys, shared(), order, points, 0, DISK_END)) return -1;
    guess(&g);
    int bad = actio_grid_data(&g, disk_start, disk_start + 4) || actio_grid_solve(&g);
    double took = now() - from;
    *iterations = g.iterations;
    *error = grid_error(&g);
    actio_grid_close(&g);
    return bad ? -1 : took;
}

static void row_of_grid(int order, size_t points)
{
    double hand[ROUNDS], ours[ROUNDS], ratio[ROUNDS], error[2];
    size_t iterations = 1;
    int steps = 1;
    for (int r = 0; r < ROUNDS; r++) {
        double from = now();
        steps = bench_hand_grid(order, (int)points, &error[0]);
        hand[r] = 1e6 * (now() - from) / (double)points / fmax(1, steps);
        ours[r] =
            1e6 * solve_ours(order, points, &iterations, &error[1]) / (double)points / fmax(1, (double)iterations);
        ratio[r] = ours[r] / hand[r];
    }
    printf("| %d | %zu | %.2f (%d) %.0e | %.2f (%zu) %.0e | %.2f |", order, points, median(hand, ROUNDS), steps,
           error[0], median(ours, ROUNDS), iterations, error[1], median(ratio, ROUNDS));
    double with = -1;
    if (points <= 1000) {
        struct actio_grid g;
        if (actio_grid_open(&g, &ctx, sys, shared(), order, points, 0, DISK_END) == 0) {
            guess(&g);
            if (actio_grid_data(&g, disk_start, disk_start + 4) == 0) with = bench_ipopt(&g);
            actio_grid_close(&g);
        }
    }
    if (with > 0)
        printf(" %.1f ms, %.0f |\n", 1e3 * with, with / (1e-6 * ours[ROUNDS / 2] * (double)(points * iterations)));
    else printf(" %s |\n", points > 1000 ? "-" : bench_ipopt_why());
}

/* A million points: slabs of five Lobatto nodes, 64 to a turn, 4000 turns. */
static void by_slabs(void)
{
    enum { TURNS = 4000, EACH = 64 };
    struct actio_element e;
    struct actio_slab s;
    size_t before = ctx.bytes;
    if (actio_element_open(&e, &ctx, 0, 5) || actio_slab_open(&s, &ctx, sys, &e, shared())
        || actio_slab_data(&s, 0, disk_start, disk_start + 4))
        return;
    size_t bytes = ctx.bytes - before, iterations = 0;
    double h = DISK_END / EACH, from = now();
    for (size_t k = 0; k < (size_t)TURNS * EACH; k++) {
        actio_slab_guess(&s, h);
        if (actio_slab_solve(&s, h, 1e-15)) {
            printf("a slab has no solution\n");
            return;
        }
        iterations += s.iterations;
        actio_slab_pass(&s, h * (double)(k + 1));
    }
    double took = now() - from, points = 4.0 * TURNS * EACH, y[DISK_N], most = 0;
    disk_motion(TURNS * DISK_END, y);
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(s.x0[i] - y[i]));
    printf("| %.0f | %.2f | %.2f | %.1e | %zu |\n", points, 1e6 * took / points, (double)iterations / (TURNS * EACH),
           most, bytes / 1024);
    actio_slab_close(&s);
    actio_element_close(&e);
}

int main(void)
{
    if (open_disk()) {
        printf("the model can't be opened\n");
        return 1;
    }
    printf("## P2 the disk from its action, 2 pi, from the motion without gravity\n\nMicroseconds a point and "
           "iteration (iterations) largest error of positions; kernels compiled.\n\n");
    printf("| order | points | by hand, streaming band | Actio, streaming blocks | ratio | IPOPT on the same "
           "equations: time, times as long |\n|---|---|---|---|---|---|\n");
    static const size_t points[] = { 64, 1000, 10000 };
    for (int order = 2; order <= 4; order += 2)
        for (size_t i = 0; i < 3; i++) row_of_grid(order, points[i]);
    printf("\n4000 turns by slabs of five Lobatto nodes:\n\n| points | microseconds a point | iterations a slab | "
           "error | workspace, kB |\n|---|---|---|---|---|\n");
    by_slabs();
    return 0;
}
