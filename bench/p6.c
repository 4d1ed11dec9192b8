/* SPDX-License-Identifier: Apache-2.0
 * P6: how fast a program of some 130 operations runs in each tier, and how long it takes to get there. Prints tables.
 * */
#define _GNU_SOURCE
#include "kernel/compile.h"
#include "native/native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 12, NODES = 140, OUTS = 6, LANES = 64 };

static uint64_t seed = 42;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed * 0x2545F4914F6CDD1Du >> 32) * n >> 32);
}

/* Sums, differences, products and a few quotients of values chosen among all (or, `chained`, among the last ten);
 * `functions` adds sines and cosines. */
static struct actio_kernel *random_program(struct actio_context *ctx, bool functions, bool chained)
{
    struct actio_arena arena;
    struct actio_pool pool;
    actio_arena_open(&arena, ctx);
    actio_pool_open(&pool, &arena);
    actio_expr e[INPUTS + NODES], out[OUTS];
    uint32_t n = 0;
    for (; n < INPUTS; n++) e[n] = actio_symbol(&pool, ACTIO_SPACE_Q, n);
    for (; n < INPUTS + NODES; n++) {
        uint32_t kind = below(20), oldest = chained ? n - 10 : 0;
        actio_expr a = e[oldest + below(n - oldest)], b = e[oldest + below(n - oldest)];
        if (functions && kind == 0) e[n] = actio_op1(&pool, n % 2 ? ACTIO_SIN : ACTIO_COS, a);
        else if (kind == 1)
            e[n] = actio_div(&pool, a, actio_add(&pool, actio_power(&pool, b, 2), actio_const(&pool, 1)));
        else
            e[n] = actio_op2(&pool,
                             kind < 7    ? ACTIO_ADD
                             : kind < 12 ? ACTIO_SUB
                                         : ACTIO_MUL,
                             a, kind < 12 ? b : e[below(INPUTS)]);
    }
    /* each result is the sum of a few values, so that nothing drawn is left out */
    for (uint32_t j = 0; j < OUTS; j++) out[j] = e[n - 1 - j];
    for (uint32_t i = INPUTS; i < n - OUTS; i++)
        out[i % OUTS] = i % 3 ? out[i % OUTS] : actio_add(&pool, out[i % OUTS], e[i]);
    struct actio_kernel *k = actio_kernel_compile(ctx, &pool, out, OUTS);
    actio_arena_close(&arena);
    return k;
}

/* Best of several runs: nanoseconds for one operation in one lane. */
static double measure(const struct actio_kernel *k, size_t lanes, double *per_call)
{
    static double q[INPUTS * LANES], y[OUTS * LANES], pre[256];
    struct actio_arg in[INPUTS];
    double *out[OUTS], *work = malloc(actio_kernel_work(k) * sizeof *work), best = 1e9;
    for (size_t i = 0; i < INPUTS * LANES; i++) q[i] = 0.1 + 0.001 * (double)i;
    struct actio_binding where = { 0 };
    where.space[ACTIO_SPACE_Q].base = q;
    where.space[ACTIO_SPACE_Q].index_step = LANES;
    where.space[ACTIO_SPACE_Q].lane_step = 1;
    actio_kernel_bind(k, &where, in);
    actio_kernel_prologue(k, 1, NULL, pre, work);
    for (size_t j = 0; j < OUTS; j++) out[j] = y + j * LANES;
    size_t calls = 400000 / lanes;
    for (int round = 0; round < 7; round++) {
        double start = actio_native_clock();
        for (size_t i = 0; i < calls; i++) actio_kernel_eval(k, lanes, in, pre, 1, out, work);
        double each = (actio_native_clock() - start) / (double)calls;
        if (each < best) best = each;
    }
    free(work);
    *per_call = best * 1e9;
    return best * 1e9 / (double)lanes / (double)actio_kernel_ops(k);
}

static void table(struct actio_context *ctx, bool functions, bool chained)
{
    double start = actio_native_clock();
    struct actio_kernel *k = random_program(ctx, functions, chained);
    double planned = actio_native_clock() - start, call[5], ns[5];
    const struct {
        const char *name;
        size_t lanes;
    } row[] = { { "interpreter, 1 lane", 1 },
                { "interpreter, 8 lanes", 8 },
                { "interpreter, 64 lanes", LANES },
                { "cc, 1 lane", 1 },
                { "cc, 64 lanes", LANES } };
    for (int i = 0; i < 3; i++) ns[i] = measure(k, row[i].lanes, &call[i]);
    start = actio_native_clock();
    bool cached = actio_exec_cc.ready(ctx, &k, 1, LANES);
    int failed = actio_exec_cc.load(ctx, &k, 1, LANES);
    double loaded = actio_native_clock() - start;
    for (int i = 3; i < 5; i++) ns[i] = measure(k, row[i].lanes, &call[i]);
    printf("\n%zu operations, %zu registers%s; built and planned in %.0f us, cc %s %.1f ms\n\n", actio_kernel_ops(k),
           (size_t)actio_kernel_program(k)->body.registers,
           functions ? ", some sin and cos"
           : chained ? ", each on the last ten"
                     : "",
           planned * 1e6,
           failed   ? "failed after"
           : cached ? "loaded from the cache in"
                    : "took",
           loaded * 1e3);
    printf("| %-22s | ns a call | ns an operation and lane | ratio |\n|---|---|---|---|\n", "");
    for (int i = 0; i < 5; i++)
        printf("| %-22s | %8.1f | %6.3f | %5.2f |\n", row[i].name, call[i], ns[i], ns[i] / ns[3]);
    actio_kernel_free(k);
}

int main(void)
{
    struct actio_context ctx;
    char folder[] = "/tmp/actio-p6-XXXXXX", command[64];
    actio_context_init(&ctx);
    if (!mkdtemp(folder)) return 1;
    printf("## P6: from formulas to numbers\n");
    setenv("XDG_CACHE_HOME", folder, 1); /* an empty cache: the first load is a real one */
    table(&ctx, false, false);
    table(&ctx, false, true);
    table(&ctx, true, false);
    seed = 42;
    table(&ctx, false, false); /* the first again, now cached */
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}
