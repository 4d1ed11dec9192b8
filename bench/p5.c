/* SPDX-License-Identifier: Apache-2.0
 * P5: a chain whose tensions are solved for in every step, ns per node and step. All ways go on from the same start in
 * turn; ratios are formed inside each round, to the chain cut into eight lane segments by hand. Prints tables. */
#define _GNU_SOURCE
#include "chain.h"
#include "algebra/tri.h"
#include "native/native.h"
#include "result/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };
#define ROUND_NODE_STEPS 2e6 /* of each way in a round */

/* bar: what the ratio to the first may be from 1000 nodes on; 0 = none */
struct way {
    const char *name;
    chain_steps steps;
    void (*enter)(struct chain *), (*leave)(struct chain *);
    double bar, ns[ROUNDS], ratio[ROUNDS], off;
};

static struct way ways[] = {
    { .name = "by hand, eight lane segments",
      .steps = chain_lanes,
      .enter = chain_lanes_enter,
      .leave = chain_lanes_leave },
    { .name = "by hand, from both ends", .steps = chain_twisted },
    { .name = "by hand, Thomas", .steps = chain_thomas },
    { .name = "streams by hand, actio_tri_solve", .steps = chain_streams },
    { .name = "Actio, from the model text",
      .steps = chain_text,
      .enter = chain_text_enter,
      .leave = chain_text_leave,
      .bar = 2 },
};
enum { WAYS = sizeof ways / sizeof *ways };

static double *numbers(size_t n)
{
    double *p = aligned_alloc(64, (n * sizeof *p + 127) / 64 * 64);
    if (!p) abort();
    memset(p, 0, n * sizeof *p);
    return p;
}

/* A bent chain at rest: headings from 0.3 to 0. */
static void open_chain(struct chain *c, size_t n)
{
    double **part[] = { &c->x, &c->y, &c->u, &c->v, &c->dx, &c->dy, &c->diag, &c->off, &c->right, &c->T };
    c->n = n;
    c->work = numbers(actio_tri_work(n));
    c->lane = numbers(10 * n);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = numbers(n + 1);
    for (size_t i = 0; i < n; i++) {
        double angle = 0.3 * (1 - (double)(i + 1) / (double)n);
        c->x[i] = (i ? c->x[i - 1] : 0) + sin(angle) / (double)n;
        c->y[i] = (i ? c->y[i - 1] : 0) - cos(angle) / (double)n;
    }
}

static void close_chain(struct chain *c)
{
    double *part[] = { c->x, c->y, c->u, c->v, c->dx, c->dy, c->diag, c->off, c->right, c->T, c->work, c->lane };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
}

/* One round of one way; where it got to comes back in x, y. */
static double run(const struct way *w, size_t n, long count, double *x, double *y)
{
    struct chain c;
    open_chain(&c, n);
    if (w->enter) w->enter(&c);
    double start = actio_native_clock();
    w->steps(&c, count, 1e-3 / (double)n);
    double seconds = actio_native_clock() - start;
    if (w->leave) w->leave(&c);
    memcpy(x, c.x, n * sizeof *x);
    memcpy(y, c.y, n * sizeof *y);
    close_chain(&c);
    return 1e9 * seconds / (double)count / (double)n;
}

static int by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

static void race(size_t n)
{
    long count = (long)(ROUND_NODE_STEPS / (double)n) + 1;
    double *x = numbers(n), *y = numbers(n), *x0 = numbers(n), *y0 = numbers(n);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WAYS; i++) {
            struct way *w = &ways[i];
            w->ns[round] = run(w, n, count, i ? x : x0, i ? y : y0);
            w->ratio[round] = w->ns[round] / ways[0].ns[round];
            w->off = 0;
            for (size_t k = 0; i && k < n; k++) w->off = fmax(w->off, fmax(fabs(x[k] - x0[k]), fabs(y[k] - y0[k])));
        }
    free(x);
    free(y);
    free(x0);
    free(y0);
    printf("\n%zu nodes, %ld steps:\n\n| %-33s | ns per node and step | ratio | difference of places | "
           "|\n|---|---|---|---|---|\n",
           n, count, "");
    for (int i = 0; i < WAYS; i++) {
        struct way *w = &ways[i];
        double ns = median(w->ns), ratio = median(w->ratio), spread = w->ratio[ROUNDS * 3 / 4] - w->ratio[ROUNDS / 4];
        printf("| %-33s | %5.2f | **%.2f** ± %.2f | %.0e | ", w->name, ns, ratio, spread / 2, w->off);
        if (w->bar > 0 && n >= 1000) printf("bar %.2f: %s |\n", w->bar, ratio <= w->bar ? "holds" : "does not hold");
        else printf("|\n");
    }
    fflush(stdout);
}

/* ---- time of a step by the number of nodes */

static void fill_curve(const struct chain_way *w, struct chain_curve *curve)
{
    static const size_t nodes[] = { 104, 304, 1000, 3000, 10000, 30000, 100000 };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct chain c;
        open_chain(&c, nodes[i]);
        curve->nodes[curve->count] = (double)nodes[i];
        curve->seconds[curve->count++] = chain_time(&c, w, w->steps == chain_dop853 ? 3e6 : 1e6);
        close_chain(&c);
    }
}

static void draw(const char *path)
{
    static const struct chain_way shown[] = {
        { "by hand", chain_lanes, chain_lanes_enter, chain_lanes_leave },
        { "Actio", chain_text, chain_text_enter, chain_text_leave },
        { "Actio, DOP853", chain_dop853, chain_text_enter, chain_text_leave },
    };
    static const uint32_t colour[] = { ACTIO_GREY, ACTIO_BLUE, 0xD55E00 };
    struct chain_curve curve[3];
    printf("\nOne step by the number of nodes, nanoseconds per node:\n\n| nodes | by hand | Actio | a whole step of "
           "DOP853, twelve right-hand sides |\n|---|---|---|---|\n");
    for (size_t k = 0; k < 3; k++) {
        curve[k] = (struct chain_curve){ .name = shown[k].name, .colour = colour[k] };
        fill_curve(&shown[k], &curve[k]);
    }
    for (size_t i = 0; i < curve[0].count; i++) {
        double n = curve[0].nodes[i];
        printf("| %.0f | %.2f | %.2f | %.0f |\n", n, 1e9 * curve[0].seconds[i] / n, 1e9 * curve[1].seconds[i] / n,
               1e9 * curve[2].seconds[i] / n);
    }
    struct actio_context ctx;
    struct actio_findings findings;
    actio_context_init(&ctx);
    actio_findings_open(&findings, &ctx);
    if (path) chain_draw(&ctx, &findings, curve, 3, path);
    actio_findings_close(&findings);
}

int main(int argc, char **argv)
{
    printf("## P5: a chain, its tensions solved for in every step\n");
    for (size_t n = 104; n <= 100000; n = n == 104 ? 1000 : n * 10) race(n);
    printf("\n104: the segments are of equal length.\n");
    draw(argc > 1 ? argv[1] : NULL);
    return 0;
}
