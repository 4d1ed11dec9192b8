/* SPDX-License-Identifier: Apache-2.0
 * Programs over ranges have every value inside; programs with rates have the derivatives that formulas give. Random
 * programs of every operation. */
#include "base/math.h"
#include "check.h"
#include "kernel/compile.h"
#include "kernel/narrow.h"
#include "kernel/range.h"

#include <stdlib.h>

static uint64_t seed = 1234567891011u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}
static uint32_t below(uint32_t n) { return (uint32_t)((random_bits() >> 32) * n >> 32); }
static double uniform(double a, double b) { return a + (b - a) * (double)(random_bits() >> 11) * 0x1p-53; }

enum { INPUTS = 5, LEAVES = INPUTS + 4, SAMPLES = 50, OUTS = 3, MOST_NODES = 64 };

struct world {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    struct actio_pool pool;
    struct actio_binding where;
    double q[INPUTS * SAMPLES];
    actio_expr leaf[LEAVES];
};

static void open_world(struct world *w)
{
    memset(w, 0, sizeof *w);
    actio_context_init(&w->ctx);
    actio_findings_open(&w->findings, &w->ctx);
    w->ctx.findings = &w->findings;
    actio_arena_open(&w->arena, &w->ctx);
    actio_pool_open(&w->pool, &w->arena);
    for (uint32_t i = 0; i < INPUTS; i++) w->leaf[i] = actio_symbol(&w->pool, ACTIO_SPACE_Q, i);
    w->leaf[INPUTS] = actio_const(&w->pool, 2.5);
    w->leaf[INPUTS + 1] = actio_const(&w->pool, -0.375);
    w->leaf[INPUTS + 2] = actio_const(&w->pool, 1e-3);
    w->leaf[INPUTS + 3] = actio_const(&w->pool, 0);
    w->where.space[ACTIO_SPACE_Q].base = w->q;
    w->where.space[ACTIO_SPACE_Q].index_step = SAMPLES;
    w->where.space[ACTIO_SPACE_Q].lane_step = 1;
}

static void close_world(struct world *w)
{
    actio_arena_close(&w->arena);
    actio_findings_close(&w->findings);
    CHECK(w->ctx.bytes == 0);
}

static actio_expr random_condition(struct actio_pool *pool, const actio_expr *from, uint32_t n)
{
    actio_expr a = actio_op2(pool, below(2) ? ACTIO_LT : ACTIO_LE, from[below(n)], from[below(n)]);
    actio_expr b = actio_op2(pool, ACTIO_LT, from[below(n)], from[below(n)]);
    switch (below(4)) {
    case 0: return actio_op2(pool, ACTIO_AND, a, b);
    case 1: return actio_op2(pool, ACTIO_OR, a, b);
    case 2: return actio_op1(pool, ACTIO_NOT, a);
    default: return a;
    }
}

/* Every operation of ops.def that programs have; `smooth`: those with a derivative everywhere that they have values. */
static actio_expr random_node(struct actio_pool *pool, const actio_expr *from, uint32_t n, bool smooth)
{
    static const enum actio_op one[] = { ACTIO_NEG,  ACTIO_SQRT, ACTIO_SIN,  ACTIO_COS,  ACTIO_TAN,  ACTIO_ASIN,
                                         ACTIO_ACOS, ACTIO_ATAN, ACTIO_SINH, ACTIO_COSH, ACTIO_TANH, ACTIO_ERF,
                                         ACTIO_EXP,  ACTIO_LOG,  ACTIO_ABS,  ACTIO_SIGN, ACTIO_FLOOR };
    static const enum actio_op two[] = { ACTIO_ADD, ACTIO_SUB,   ACTIO_MUL,   ACTIO_MUL, ACTIO_DIV, ACTIO_POW,
                                         ACTIO_ADD, ACTIO_HYPOT, ACTIO_ATAN2, ACTIO_MIN, ACTIO_MAX, ACTIO_MOD };
    actio_expr a = from[below(n)], b = from[below(n)], c = from[below(n)];
    uint32_t kind = below(12);
    if (kind < 6) return actio_op2(pool, two[below(smooth ? 9 : 12)], a, b);
    if (kind == 6) return actio_power(pool, a, (int32_t)below(80) - 40);
    if (kind == 7) return actio_op2(pool, ACTIO_ADD, actio_op2(pool, ACTIO_MUL, a, b), c);
    if (kind == 8 && !smooth) return actio_choose(pool, random_condition(pool, from, n), b, c);
    return actio_op1(pool, one[below(smooth ? 14 : 17)], a);
}

static uint32_t random_nodes(struct world *w, actio_expr *e, uint32_t nodes, bool smooth)
{
    uint32_t n = LEAVES;
    memcpy(e, w->leaf, sizeof w->leaf);
    for (uint32_t i = 0; i < nodes; i++, n++) e[n] = random_node(&w->pool, e, n, smooth);
    return n;
}

/* A box of random width, and samples of it: corners among them. */
static void random_box(struct world *w, struct actio_range *box)
{
    for (size_t i = 0; i < INPUTS; i++) {
        double middle = below(6) ? uniform(-3, 3) : 0, width = below(8) ? exp(uniform(-28, 2)) : 0;
        box[i] = actio_range_of(middle - width, middle + width);
        for (size_t l = 0; l < SAMPLES; l++) {
            double x = uniform(box[i].lo, box[i].hi);
            if (below(4) == 0) x = below(2) ? box[i].lo : box[i].hi;
            w->q[i * SAMPLES + l] = fmin(fmax(x, box[i].lo), box[i].hi);
        }
    }
}

static size_t points, outside, infinite;

static void check_box(struct world *w, const struct actio_kernel *k, double *work, struct actio_range *registers,
                      const double *pre)
{
    static double result[OUTS * SAMPLES];
    struct actio_range box[INPUTS], in[INPUTS], range[OUTS];
    struct actio_arg arg[INPUTS];
    double *out[OUTS];
    const actio_slot *slot;
    random_box(w, box);
    size_t inputs = actio_kernel_inputs(k, &slot);
    for (size_t i = 0; i < inputs; i++) in[i] = box[slot[i].index];
    for (size_t j = 0; j < OUTS; j++) out[j] = result + j * SAMPLES;
    actio_kernel_bind(k, &w->where, arg);
    actio_kernel_eval(k, SAMPLES, arg, pre, 1, out, work);
    actio_kernel_enclose(k, in, pre, range, registers);
    for (size_t j = 0; j < OUTS; j++) {
        infinite += !(isfinite(range[j].lo) && isfinite(range[j].hi));
        for (size_t l = 0; l < SAMPLES; l++) {
            double x = result[j * SAMPLES + l];
            points++;
            outside += isnan(x) ? !range[j].undefined : !actio_range_has(range[j], x);
        }
    }
}

TEST(no_value_lies_outside_of_its_range)
{
    struct actio_range registers[4 * MOST_NODES];
    for (int round = 0; round < 1200; round++) {
        struct world w;
        actio_expr e[LEAVES + MOST_NODES], out[OUTS];
        open_world(&w);
        uint32_t n = random_nodes(&w, e, 2 + below(MOST_NODES - 2), false);
        for (uint32_t j = 0; j < OUTS; j++) out[j] = e[n - 1 - below(n > 8 ? 8 : n)];
        struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, out, OUTS);
        double *work = malloc(actio_kernel_work(k) * sizeof *work),
               *pre = malloc((actio_kernel_pre(k) + 1) * sizeof *pre);
        CHECK(actio_kernel_registers(k) <= sizeof registers / sizeof *registers);
        actio_kernel_prologue(k, 1, NULL, pre, work);
        for (int boxes = 0; boxes < 6; boxes++) check_box(&w, k, work, registers, pre);
        free(work);
        free(pre);
        actio_kernel_free(k);
        close_world(&w);
    }
    printf("    %zu values, %zu outside, %zu ranges without an end\n", points, outside, infinite);
    CHECK(points > 1000000 && outside == 0);
}

/* ---- operations that may have narrow features */

static size_t looks, astray;

static bool lies_in(struct actio_range a, double x) { return isnan(x) ? true : actio_range_has(a, x); }

static void check_looks(struct world *w, const struct actio_kernel *k, struct actio_narrow *n, const double *pre)
{
    struct actio_range box[INPUTS], in[INPUTS];
    struct actio_narrow_range over[2 * MOST_NODES];
    struct actio_narrow_point look[2 * MOST_NODES];
    const actio_slot *slot;
    double x[INPUTS];
    size_t inputs = actio_kernel_inputs(k, &slot), tests = actio_narrow_tests(n);
    random_box(w, box);
    for (size_t i = 0; i < inputs; i++) in[i] = box[slot[i].index];
    actio_narrow_enclose(n, in, pre, over);
    for (size_t l = 0; l < SAMPLES; l++) {
        for (size_t i = 0; i < inputs; i++) x[i] = w->q[slot[i].index * SAMPLES + l];
        actio_narrow_sample(n, x, pre, look);
        for (size_t j = 0; j < tests; j++, looks++) {
            double most = fmax(fabs(over[j].slope.lo), fabs(over[j].slope.hi));
            astray += !lies_in(over[j].operand, look[j].operand) || !lies_in(over[j].value, look[j].value);
            astray += isfinite(look[j].slope) && look[j].slope > most * (1 + 1e-12) + 1e-300;
        }
    }
}

TEST(looks_at_operations_lie_in_their_ranges)
{
    for (int round = 0; round < 600; round++) {
        struct world w;
        actio_expr e[LEAVES + MOST_NODES], out[OUTS];
        open_world(&w);
        uint32_t n = random_nodes(&w, e, 2 + below(MOST_NODES - 2), false);
        for (uint32_t j = 0; j < OUTS; j++) out[j] = e[n - 1 - below(n > 8 ? 8 : n)];
        struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, out, OUTS);
        struct actio_narrow *narrow = actio_narrow_open(&w.ctx, k);
        double *work = malloc(actio_kernel_work(k) * sizeof *work),
               *pre = malloc((actio_kernel_pre(k) + 1) * sizeof *pre);
        actio_kernel_prologue(k, 1, NULL, pre, work);
        CHECK(narrow && actio_narrow_tests(narrow) <= 2 * MOST_NODES);
        for (int boxes = 0; boxes < 4 && narrow; boxes++) check_looks(&w, k, narrow, pre);
        actio_narrow_close(narrow, &w.ctx);
        free(work);
        free(pre);
        actio_kernel_free(k);
        close_world(&w);
    }
    printf("    %zu looks, %zu astray\n", looks, astray);
    CHECK(looks > 100000 && astray == 0);
}

/* f = exp(-(x/1e-3)^2)/(2 + sin x): what is missed of the exponential is at most that much of f, and not far less. */
TEST(what_is_missed_of_an_operation_bounds_what_its_result_may_be_off)
{
    struct world w;
    open_world(&w);
    actio_expr x = w.leaf[0], scaled = actio_op2(&w.pool, ACTIO_DIV, x, actio_const(&w.pool, 1e-3));
    actio_expr bell = actio_op1(&w.pool, ACTIO_EXP, actio_op1(&w.pool, ACTIO_NEG, actio_power(&w.pool, scaled, 2)));
    actio_expr below_it = actio_op2(&w.pool, ACTIO_ADD, actio_const(&w.pool, 2), actio_op1(&w.pool, ACTIO_SIN, x));
    actio_expr f = actio_op2(&w.pool, ACTIO_DIV, bell, below_it);
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, &f, 1);
    struct actio_narrow *n = actio_narrow_open(&w.ctx, k);
    struct actio_range in = actio_range_of(-1, 1);
    struct actio_narrow_range over[8];
    double pre[16], work[4096], missed[8] = { 0 }, out = 0;
    actio_kernel_prologue(k, 1, NULL, pre, work);
    actio_narrow_enclose(n, &in, pre, over);
    for (size_t j = 0; j < actio_narrow_tests(n); j++)
        if (over[j].operand.lo < -1e5) missed[j] = .5; /* the exponential */
    actio_narrow_missed(n, &in, pre, missed, &out);
    CHECK(out >= .5 / (2 - sin(1.)) && out <= .5 / (2 - sin(1.)) * 1.01);
    actio_narrow_close(n, &w.ctx);
    actio_kernel_free(k);
    close_world(&w);
}

/* One operation, narrow operands: the range is the slope times the width, not much more. */
TEST(ranges_of_single_operations_are_narrow)
{
    struct world w;
    open_world(&w);
    static const enum actio_op one[] = { ACTIO_NEG,  ACTIO_SQRT, ACTIO_SIN,  ACTIO_COS,  ACTIO_TAN,
                                         ACTIO_ASIN, ACTIO_ACOS, ACTIO_ATAN, ACTIO_SINH, ACTIO_COSH,
                                         ACTIO_TANH, ACTIO_ERF,  ACTIO_EXP,  ACTIO_LOG,  ACTIO_ABS };
    for (size_t o = 0; o < sizeof one / sizeof *one; o++) {
        actio_expr out = actio_op1(&w.pool, one[o], w.leaf[0]);
        struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, &out, 1);
        struct actio_range in = actio_range_of(.5, .5 + 1e-6), range, registers[8];
        double pre[4], work[4096];
        actio_kernel_prologue(k, 1, NULL, pre, work);
        actio_kernel_enclose(k, &in, pre, &range, registers);
        CHECK(range.hi - range.lo < 2.1e-6 && range.hi >= range.lo);
        actio_kernel_free(k);
    }
    close_world(&w);
}

static double agree_to(double size) { return 1e-9 * (1 + size); } /* cancelling sums of random programs */

static bool forward_agrees(struct world *w, actio_expr e, actio_expr slope)
{
    actio_expr out[2] = { e, slope };
    struct actio_kernel *both = actio_kernel_compile(&w->ctx, &w->pool, out, 2),
                        *k = actio_kernel_compile(&w->ctx, &w->pool, &e, 1);
    double pre[256], work[8192], value[2], *at[2] = { &value[0], &value[1] }, got, rate, rates[INPUTS];
    struct actio_arg arg[INPUTS];
    const actio_slot *slot;
    bool good = true;
    size_t inputs = actio_kernel_inputs(k, &slot);
    for (size_t i = 0; i < inputs; i++) rates[i] = slot[i].index == 0;
    actio_kernel_bind(both, &w->where, arg);
    actio_kernel_prologue(both, 1, NULL, pre, work);
    actio_kernel_eval(both, 1, arg, pre, 1, at, work);
    actio_kernel_bind(k, &w->where, arg);
    actio_kernel_prologue(k, 1, NULL, pre, work);
    actio_kernel_forward(k, arg, rates, pre, &got, &rate, work);
    if (isfinite(value[0])) good &= fabs(got - value[0]) <= agree_to(fabs(value[0]));
    if (isfinite(value[0]) && isfinite(value[1]) && isfinite(rate) && fabs(value[1]) < 1e6)
        good &= fabs(rate - value[1]) <= agree_to(fabs(value[1]) + fabs(value[0]));
    if (!good) printf("    value %.17g, %.17g; rate %.17g, %.17g\n", value[0], got, value[1], rate);
    actio_kernel_free(k);
    actio_kernel_free(both);
    return good;
}

TEST(rates_are_the_derivatives_of_formulas)
{
    size_t wrong = 0;
    for (int round = 0; round < 1500; round++) {
        struct world w;
        struct actio_range box[INPUTS];
        actio_expr e[LEAVES + MOST_NODES];
        open_world(&w);
        uint32_t n = random_nodes(&w, e, 2 + below(8), true);
        random_box(&w, box);
        wrong += !forward_agrees(&w, e[n - 1], actio_diff(&w.pool, e[n - 1], w.leaf[0]));
        close_world(&w);
    }
    CHECK(wrong == 0);
}

int main(void)
{
    RUN(no_value_lies_outside_of_its_range);
    RUN(ranges_of_single_operations_are_narrow);
    RUN(rates_are_the_derivatives_of_formulas);
    RUN(looks_at_operations_lie_in_their_ranges);
    RUN(what_is_missed_of_an_operation_bounds_what_its_result_may_be_off);
    return DONE();
}
