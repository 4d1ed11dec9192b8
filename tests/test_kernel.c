/* SPDX-License-Identifier: Apache-2.0
 * Kernels: the same bits however a program is run, params as inputs, and the C text that is made of them. */
#define _GNU_SOURCE
#include "check.h"
#include "base/math.h"
#include "kernel/compile.h"
#include "native/native.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a random world */

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}
static uint32_t below(uint32_t n) { return (uint32_t)((random_bits() >> 32) * n >> 32); }
static double uniform(double a, double b) { return a + (b - a) * (double)(random_bits() >> 11) * 0x1p-53; }

enum { INPUTS = 8, PARAMS = 4, LANES = 1000, OUTS = 5 };

struct world {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    struct actio_pool pool;
    struct actio_binding where;
    double q[INPUTS * LANES], t[1], param[PARAMS * LANES];
    actio_expr leaf[INPUTS + PARAMS + 3];
};

static void open_world(struct world *w)
{
    actio_context_init(&w->ctx);
    actio_findings_open(&w->findings, &w->ctx);
    w->ctx.findings = &w->findings;
    actio_arena_open(&w->arena, &w->ctx);
    actio_pool_open(&w->pool, &w->arena);
    size_t n = 0;
    for (uint32_t i = 0; i < INPUTS; i++) w->leaf[n++] = actio_symbol(&w->pool, ACTIO_SPACE_Q, i);
    for (uint32_t i = 0; i < PARAMS; i++) w->leaf[n++] = actio_symbol(&w->pool, ACTIO_SPACE_PARAM, i);
    w->leaf[n++] = actio_symbol(&w->pool, ACTIO_SPACE_T, 0);
    w->leaf[n++] = actio_const(&w->pool, 2.5);
    w->leaf[n++] = actio_const(&w->pool, -0.375);
    for (size_t i = 0; i < INPUTS * LANES; i++) w->q[i] = uniform(-2, 2);
    for (size_t i = 0; i < PARAMS * LANES; i++) w->param[i] = uniform(0.5, 2);
    w->t[0] = 1.25;
    memset(&w->where, 0, sizeof w->where);
    w->where.space[ACTIO_SPACE_Q].base = w->q;
    w->where.space[ACTIO_SPACE_Q].index_step = LANES;
    w->where.space[ACTIO_SPACE_Q].lane_step = 1;
    w->where.space[ACTIO_SPACE_T].base = w->t;
    w->where.space[ACTIO_SPACE_PARAM].base = w->param;
    w->where.space[ACTIO_SPACE_PARAM].index_step = LANES;
}

/* One value a lane side by side, or the values of a lane side by side. */
static void interleave(struct world *w, bool yes)
{
    w->where.space[ACTIO_SPACE_Q].index_step = yes ? 1 : LANES;
    w->where.space[ACTIO_SPACE_Q].lane_step = yes ? INPUTS : 1;
}

static void close_world(struct world *w)
{
    actio_arena_close(&w->arena);
    actio_findings_close(&w->findings);
    CHECK(w->ctx.bytes == 0);
}

static actio_expr random_node(struct actio_pool *pool, const actio_expr *from, uint32_t n)
{
    actio_expr a = from[below(n)], b = from[below(n)], c = from[below(n)];
    uint32_t kind = below(10);
    if (kind < 5) return actio_op2(pool, (enum actio_op)(ACTIO_ADD + below(3)), a, b);
    if (kind == 5) return actio_power(pool, a, (int32_t)below(80) - 40);
    if (kind == 6) return actio_choose(pool, actio_op2(pool, ACTIO_LT, a, b), c, a);
    if (kind == 7) return actio_op2(pool, (enum actio_op)(ACTIO_DIV + below(7)), a, b);
    return actio_op1(pool, (enum actio_op)(ACTIO_SQRT + below(14)), a);
}

static struct actio_kernel *random_kernel(struct world *w, uint32_t nodes)
{
    actio_expr *e = malloc((nodes + 32) * sizeof *e), out[OUTS];
    uint32_t n = sizeof w->leaf / sizeof *w->leaf;
    memcpy(e, w->leaf, sizeof w->leaf);
    for (uint32_t i = 0; i < nodes; i++, n++) e[n] = random_node(&w->pool, e, n);
    for (int j = 0; j < OUTS; j++) out[j] = e[n - 1 - below(n / 2)];
    out[0] = w->leaf[below(INPUTS + PARAMS + 3)]; /* an output may be a leaf, and two may be the same */
    free(e);
    return actio_kernel_compile(&w->ctx, &w->pool, out, OUTS);
}

/* Values of all lanes, done `group` lanes at a time; param_lanes: one set, or one for each lane. */
static void evaluate(struct world *w, const struct actio_kernel *k, size_t group, size_t param_lanes, double *result)
{
    struct actio_arg in[64], at[64], params[16];
    w->where.space[ACTIO_SPACE_PARAM].lane_step = param_lanes != 1;
    size_t inputs = actio_kernel_inputs(k, NULL), pre = actio_kernel_pre(k);
    double *work = malloc(actio_kernel_work(k) * sizeof *work),
           *values = malloc((pre * param_lanes + 1) * sizeof *values);
    double *some = malloc((pre * group + 1) * sizeof *some), *out[OUTS];
    actio_kernel_bind(k, &w->where, in);
    actio_kernel_bind_params(k, &w->where, params);
    actio_kernel_prologue(k, param_lanes, params, values, work);
    for (size_t first = 0; first < LANES; first += group) {
        size_t n = LANES - first < group ? LANES - first : group;
        for (size_t i = 0; i < inputs; i++)
            at[i] = (struct actio_arg){ in[i].p + (ptrdiff_t)first * in[i].lane, in[i].lane };
        for (size_t j = 0; j < pre && param_lanes != 1; j++)
            memcpy(some + j * n, values + j * param_lanes + first, n * sizeof *some);
        for (size_t j = 0; j < OUTS; j++) out[j] = result + j * LANES + first;
        actio_kernel_eval(k, n, at, param_lanes == 1 ? values : some, param_lanes == 1 ? 1 : n, out, work);
    }
    free(work);
    free(values);
    free(some);
}

static bool same_bits(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i]))) return false;
    return true;
}

static double first_result[OUTS * LANES], other_result[OUTS * LANES];

/* ---- tests */

TEST(any_number_of_lanes_gives_the_same_bits)
{
    static struct world w;
    open_world(&w);
    static const size_t group[] = { 7, 64, 1000 };
    for (int round = 0; round < 60; round++) {
        struct actio_kernel *k = random_kernel(&w, 20 + below(200));
        interleave(&w, round % 4 == 3);
        for (size_t param_lanes = 1; param_lanes <= LANES; param_lanes += LANES - 1) {
            evaluate(&w, k, 1, param_lanes, first_result);
            for (size_t g = 0; g < 3; g++) {
                evaluate(&w, k, group[g], param_lanes, other_result);
                CHECK(same_bits(first_result, other_result, OUTS * LANES));
            }
        }
        actio_kernel_free(k);
    }
    close_world(&w);
}

static double lookup(void *user, actio_slot slot)
{
    const struct world *w = user;
    return slot.space == ACTIO_SPACE_T       ? w->t[0]
           : slot.space == ACTIO_SPACE_PARAM ? w->param[slot.index * LANES]
                                             : w->q[slot.index * LANES];
}

TEST(kernels_agree_with_plain_evaluation)
{
    static struct world w;
    open_world(&w);
    for (int round = 0; round < 200; round++) {
        actio_expr e = w.leaf[below(INPUTS)];
        for (int i = 0; i < 6; i++) {
            actio_expr next = random_node(&w.pool, w.leaf, INPUTS + PARAMS + 3);
            e = actio_op2(&w.pool, i % 2 ? ACTIO_SUB : ACTIO_MUL, e, next);
        }
        double plain = actio_value_of(&w.pool, e, lookup, &w), value;
        struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, &e, 1);
        struct actio_arg in[64], params[16];
        double *work = malloc(actio_kernel_work(k) * sizeof *work), pre[64], *out = &value;
        actio_kernel_bind(k, &w.where, in);
        actio_kernel_bind_params(k, &w.where, params);
        actio_kernel_prologue(k, 1, params, pre, work);
        actio_kernel_eval(k, 1, in, pre, 1, &out, work);
        if (fabs(plain) < 1e3) CHECK_NEAR(value, plain, 1e-9);
        free(work);
        actio_kernel_free(k);
    }
    close_world(&w);
}

TEST(params_are_inputs_of_the_prologue)
{
    static struct world w;
    open_world(&w);
    struct actio_pool *p = &w.pool;
    actio_expr m = w.leaf[INPUTS], g = w.leaf[INPUTS + 1], x = w.leaf[0];
    actio_expr e = actio_mul(p, actio_op1(p, ACTIO_SQRT, actio_div(p, g, m)), x);
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, p, &e, 1);
    CHECK(actio_kernel_ops(k) == 1 && actio_kernel_params(k, NULL) == 2 && actio_kernel_pre(k) == 1
          && actio_kernel_inputs(k, NULL) == 1);
    double mass = 2, weight = 8, pre, value, *out = &value, work[2048];
    CHECK(actio_kernel_work(k) <= 2048);
    const actio_slot *slot;
    actio_kernel_params(k, &slot);
    struct actio_arg params[2], in = { &mass, 0 };
    for (int i = 0; i < 2; i++) params[i] = (struct actio_arg){ slot[i].index == 0 ? &mass : &weight, 0 };
    actio_kernel_prologue(k, 1, params, &pre, work);
    actio_kernel_eval(k, 1, &in, &pre, 1, &out, work);
    CHECK(value == 4);
    weight = 18;
    actio_kernel_prologue(k, 1, params, &pre, work);
    actio_kernel_eval(k, 1, &in, &pre, 1, &out, work);
    CHECK(value == 6);
    actio_kernel_free(k);
    close_world(&w);
}

TEST(a_kernel_outlives_its_pool)
{
    struct actio_context ctx;
    struct actio_arena arena;
    struct actio_pool pool;
    actio_context_init(&ctx);
    actio_arena_open(&arena, &ctx);
    actio_pool_open(&pool, &arena);
    actio_expr out[] = { actio_const(&pool, 3), actio_symbol(&pool, ACTIO_SPACE_PARAM, 0),
                         actio_symbol(&pool, ACTIO_SPACE_Q, 0) };
    struct actio_kernel *k = actio_kernel_compile(&ctx, &pool, out, 3);
    actio_arena_close(&arena);
    double pre[4], y[3][2], *to[] = { y[0], y[1], y[2] }, param = 5, q[2] = { 7, 8 }, work[1024];
    actio_kernel_prologue(k, 1, &(struct actio_arg){ &param, 0 }, pre, work);
    actio_kernel_eval(k, 2, &(struct actio_arg){ q, 1 }, pre, 1, to, work);
    CHECK(y[0][0] == 3 && y[0][1] == 3 && y[1][0] == 5 && y[1][1] == 5 && y[2][0] == 7 && y[2][1] == 8);
    actio_kernel_free(k);
    actio_kernel_free(NULL);
    CHECK(ctx.bytes == 0);
}

static const struct actio_section *body_of(const struct actio_kernel *k) { return &actio_kernel_program(k)->body; }

static size_t count_op(const struct actio_kernel *k, enum actio_instr_op op)
{
    size_t n = 0;
    for (size_t i = 0; i < body_of(k)->count; i++) n += body_of(k)->code[i].op == (uint32_t)op;
    return n;
}

TEST(the_plan_pairs_sine_and_cosine_and_joins_products)
{
    static struct world w;
    open_world(&w);
    struct actio_pool *p = &w.pool;
    actio_expr x = w.leaf[0], y = w.leaf[1], z = w.leaf[2];
    actio_expr out[] = { actio_add(p, actio_op1(p, ACTIO_SIN, x), actio_op1(p, ACTIO_COS, x)),
                         actio_sub(p, actio_mul(p, x, y), z), actio_sub(p, z, actio_mul(p, y, y)),
                         actio_sub(p, actio_power(p, x, 2), actio_power(p, z, 2)), actio_power(p, y, -3) };
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, p, out, OUTS);
    CHECK(count_op(k, ACTIO_I_SINCOS) == 1 && count_op(k, ACTIO_I_FMS) == 1 && count_op(k, ACTIO_I_FNMA) == 1);
    CHECK(count_op(k, ACTIO_I_INV) == 1 && count_op(k, ACTIO_I_POWI) == 0 && count_op(k, ACTIO_I_FMA) == 0);
    for (size_t l = 0; l < LANES; l++) w.q[2 * LANES + l] = w.q[l];
    evaluate(&w, k, 64, 1, first_result);
    for (size_t l = 0; l < LANES; l++) CHECK(first_result[3 * LANES + l] == 0); /* x^2 - z^2 where x = z, exactly */
    actio_kernel_free(k);
    close_world(&w);
}

TEST(registers_are_reused_and_deep_graphs_are_fine)
{
    static struct world w;
    open_world(&w);
    actio_expr e = w.leaf[0];
    for (uint32_t i = 0; i < 1000000; i++)
        e = i % 2 ? actio_op1(&w.pool, ACTIO_SIN, e) : actio_add(&w.pool, e, w.leaf[1 + i % 3]);
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, &e, 1);
    CHECK(actio_kernel_ops(k) == 1000000 && body_of(k)->registers < 12);
    actio_kernel_free(k);
    close_world(&w);
}

static void compile_sum(void *user)
{
    struct world *w = user;
    actio_expr e = w->leaf[0];
    for (int i = 0; i < 200000; i++) e = actio_add(&w->pool, actio_op1(&w->pool, ACTIO_SQRT, e), w->leaf[1]);
    w->ctx.bytes_limit = w->ctx.bytes + 1000000;
    actio_kernel_free(actio_kernel_compile(&w->ctx, &w->pool, &e, 1));
}

TEST(a_plan_over_budget_escapes_and_leaks_nothing)
{
    static struct world w;
    open_world(&w);
    CHECK(actio_attempt(&w.ctx, compile_sum, &w) == 1);
    CHECK(w.findings.errors == 1);
    w.ctx.bytes_limit = SIZE_MAX / 4;
    close_world(&w);
}

TEST(neighbours_are_bound_as_offsets)
{
    static struct world w;
    open_world(&w);
    struct actio_pool *p = &w.pool;
    actio_expr at[3];
    for (int o = -1; o <= 1; o++)
        at[o + 1] = actio_symbol_at(p, (actio_slot){ .space = ACTIO_SPACE_Q, .index = 1, .offset = (int8_t)o });
    actio_expr e = actio_add(p, actio_sub(p, at[2], actio_mul(p, actio_const(p, 2), at[1])), at[0]);
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, p, &e, 1);
    /* lane l at SIDE*l; a neighbour is STEP*SIDE away; two variables interleaved */
    enum { N = 100, STEP = 8, SIDE = 3 };
    static double field[2][(N + 2 * STEP) * SIDE], y[N], *out = y;
    for (size_t i = 0; i < sizeof field[1] / sizeof **field; i++) field[1][i] = (double)(i * i);
    struct actio_binding where = { 0 };
    where.space[ACTIO_SPACE_Q].base = &field[0][STEP * SIDE];
    where.space[ACTIO_SPACE_Q].index_step = (N + 2 * STEP) * SIDE;
    where.space[ACTIO_SPACE_Q].offset_step = STEP * SIDE;
    where.space[ACTIO_SPACE_Q].lane_step = SIDE;
    struct actio_arg in[3];
    double pre[4], work[4096];
    CHECK(actio_kernel_work(k) <= 4096);
    actio_kernel_bind(k, &where, in);
    actio_kernel_prologue(k, 1, NULL, pre, work);
    actio_kernel_eval(k, N, in, pre, 1, &out, work);
    for (int l = 0; l < N; l++) CHECK(y[l] == 2.0 * STEP * STEP * SIDE * SIDE);
    actio_kernel_free(k);
    close_world(&w);
}

TEST(locate_names_the_expression_that_broke)
{
    static struct world w;
    open_world(&w);
    struct actio_pool *p = &w.pool;
    actio_expr x = w.leaf[0], y = w.leaf[1], root = actio_op1(p, ACTIO_SQRT, x), safe = actio_op1(p, ACTIO_LOG, x);
    actio_expr chosen = actio_choose(p, actio_op2(p, ACTIO_LT, x, actio_const(p, 0)), y, safe);
    actio_expr out[] = { actio_add(p, chosen, y), actio_mul(p, actio_add(p, root, y), y) };
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, p, out, 2);
    struct actio_arg in[2];
    double pre[4], work[4096];
    actio_kernel_bind(k, &w.where, in);
    actio_kernel_prologue(k, 1, NULL, pre, work);
    w.q[0] = 1;
    w.q[1] = -1;
    w.q[2] = 2;
    w.q[LANES + 2] = NAN;
    CHECK(actio_kernel_locate(k, in, pre, 0, work) == 0);
    CHECK(actio_kernel_locate(k, in, pre, 1, work) == root.id); /* log(x) is not to blame: its branch is not taken */
    CHECK(actio_kernel_locate(k, in, pre, 2, work) == y.id);
    actio_kernel_free(k);
    close_world(&w);
}

TEST(program_size_grows_with_the_graph_not_with_its_tree)
{
    static struct world w;
    open_world(&w);
    actio_expr e = w.leaf[0];
    for (int i = 0; i < 60; i++)
        e = actio_mul(&w.pool, actio_add(&w.pool, e, w.leaf[1]), actio_sub(&w.pool, e, w.leaf[2]));
    struct actio_kernel *k = actio_kernel_compile(&w.ctx, &w.pool, &e, 1);
    CHECK(actio_kernel_ops(k) == 180 && body_of(k)->registers <= 6);
    actio_kernel_free(k);
    close_world(&w);
}

/* ---- the text, and what is made of it */

static bool generated_name(const char *s, size_t n)
{
    static const char *const words[] = {
        "include",    "WIDE",    "optimize",  "tree",          "loop",     "vectorize", "vect",    "cost",
        "model",      "dynamic", "expensive", "optimizations", "stddef",   "h",         "struct",  "arg",
        "const",      "double",  "p",         "ptrdiff_t",     "lane",     "define",    "EXPORT",  "__attribute__",
        "visibility", "default", "static",    "inline",        "value",    "size_t",    "in",      "l",
        "return",     "feed",    "spread",    "most",          "to",       "step",      "first",   "n",
        "block",      "if",      "for",       "void",          "ifdef",    "__clang__", "LOOP",    "_Pragma",
        "clang",      "loop",    "vectorize", "assume_safety", "else",     "GCC",       "ivdep",   "endif",
        "lanes",      "pre",     "pre_lanes", "out",           "noinline", "at",        "own",     "i",
        "enum",       "aligned", "uint64_t",  "away",          "any",      "pair",      "typedef", "vector_size",
        "may_alias",  "head",    "rest",      "HUGE_VAL",      "NAN",      "sqrt",      "fabs"
    };
    if (n > 6 && !strncmp(s, "actio_", 6)) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && !strncmp(s, words[i], n)) return true;
    size_t digits = 0;
    while (digits < n && s[n - 1 - digits] >= '0' && s[n - 1 - digits] <= '9') digits++;
    static const char *const stems[] = { "v", "w", "x", "f", "pf", "px", "po", "again", "many" };
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (digits && strlen(stems[i]) == n - digits && !strncmp(s, stems[i], n - digits)) return true;
    return false;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

TEST(the_c_text_has_generated_names_only)
{
    static struct world w;
    open_world(&w);
    struct actio_kernel *k[] = { random_kernel(&w, 300), random_kernel(&w, 30) };
    const char *text = actio_emit_c(&w.arena, k, 2), *s = strstr(text, "#include <stddef.h>");
    CHECK(s != NULL);
    while (s && *s) {
        if (!strncmp(s, "/*", 2)) {
            s = strstr(s, "*/") + 2;
            continue;
        }
        if (!word_char(*s)) {
            CHECK(strchr(" \n#<>.()[]{};,*&+-=!?:|/\"", *s) != NULL);
            s++;
            continue;
        }
        const char *end = s;
        while (word_char(*end)) end++;
        bool number = *s >= '0' && *s <= '9';
        bool after_point = s[-1] == '.' && s[-2] >= '0' && s[-2] <= '9';
        if (!number && !after_point) CHECK(generated_name(s, (size_t)(end - s)));
        s = end;
    }
    actio_kernel_free(k[0]);
    actio_kernel_free(k[1]);
    close_world(&w);
}

#ifdef ACTIO_NATIVE

TEST(compiled_c_gives_the_bits_of_the_interpreter)
{
    static struct world w;
    open_world(&w);
    enum { N = 12 };
    struct actio_kernel *k[N];
    static double interpreted[N][2][OUTS * LANES];
    for (int i = 0; i < N; i++) {
        k[i] = random_kernel(&w, 20 + below(80));
        if (i % 3 == 1) actio_kernel_widen(k[i]);
        w.q[i] = 1e9 * (i + 1);
        w.q[LANES + i] = 3.14159265358979312; /* lanes that need the long way */
    }
    for (int i = 0; i < N; i++) {
        interleave(&w, i % 2);
        evaluate(&w, k[i], 64, 1, interpreted[i][0]);
        evaluate(&w, k[i], 64, LANES, interpreted[i][1]);
    }
    bool there = actio_exec_cc.present();
    CHECK((actio_exec_cc.load(&w.ctx, k, N, 1) == 0) == there);
    for (int i = 0; i < N; i++) {
        static const size_t group[] = { 1, 7, 64, 1000 };
        CHECK(strcmp(actio_kernel_tier(k[i]), there ? "cc" : "interpret") == 0);
        interleave(&w, i % 2);
        for (int g = 0; g < 4; g++) {
            evaluate(&w, k[i], group[g], 1, other_result);
            CHECK(same_bits(interpreted[i][0], other_result, OUTS * LANES));
            evaluate(&w, k[i], group[g], LANES, other_result);
            CHECK(same_bits(interpreted[i][1], other_result, OUTS * LANES));
        }
        actio_kernel_free(k[i]);
    }
    close_world(&w);
}

static int lines_of(const char *command, char *first, size_t size)
{
    FILE *f = popen(command, "r");
    char line[256];
    int n = 0;
    first[0] = 0;
    while (f && fgets(line, sizeof line, f))
        if (n++ < 64) strncat(first, line, size - strlen(first) - 1);
    if (f) pclose(f);
    return n;
}

/* Gives the test a cache of its own. */
static char cache[64];

static void open_cache(void)
{
    snprintf(cache, sizeof cache, "/tmp/actio-test-XXXXXX");
    CHECK(mkdtemp(cache) != NULL);
    setenv("XDG_CACHE_HOME", cache, 1);
}

static void close_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    CHECK(system(command) == 0);
}

TEST(the_product_exports_what_was_asked_for_and_runs_nothing_when_loaded)
{
    static struct world w;
    open_world(&w);
    struct actio_kernel *k = random_kernel(&w, 60);
    if (actio_exec_cc.present() && actio_exec_cc.load(&w.ctx, &k, 1, 1) == 0) {
        char command[256], found[4096];
        snprintf(command, sizeof command,
                 "for f in %s/actio/*.so; do nm -D --defined-only $f; done | grep -v ' T actio_[ep][0-9]*$'", cache);
        CHECK(lines_of(command, found, sizeof found) == 0);
        snprintf(command, sizeof command, "for f in %s/actio/*.so; do readelf -SW $f; done | grep -E 'init|ctors|fini'",
                 cache);
        CHECK(lines_of(command, found, sizeof found) == 0);
        if (found[0]) printf("%s", found);
    }
    actio_kernel_free(k);
    close_world(&w);
}

TEST(a_planted_link_in_the_cache_is_refused)
{
    static struct world w;
    open_world(&w);
    char real[80], link[96];
    char mine[64];
    memcpy(mine, cache, sizeof mine);
    open_cache();
    snprintf(real, sizeof real, "%s/real", cache);
    snprintf(link, sizeof link, "%s/actio", cache);
    CHECK(mkdir(real, 0700) == 0 && symlink(real, link) == 0);
    struct actio_kernel *k = random_kernel(&w, 10);
    CHECK(actio_exec_cc.load(&w.ctx, &k, 1, 1) != 0 && strcmp(actio_kernel_tier(k), "interpret") == 0);
    CHECK(unlink(link) == 0 && mkdir(link, 0755) == 0 && chmod(link, 0777) == 0);
    CHECK(actio_exec_cc.load(&w.ctx, &k, 1, 1) != 0); /* nor one that others can write to */
    actio_kernel_free(k);
    close_cache();
    memcpy(cache, mine, sizeof mine);
    setenv("XDG_CACHE_HOME", cache, 1);
    close_world(&w);
}

TEST(the_tier_is_chosen_by_what_it_costs)
{
    static struct world w;
    open_world(&w);
    actio_exec_register(&actio_exec_cc);
    struct actio_kernel *k = random_kernel(&w, 40);
    actio_kernels_native(&w.ctx, &k, 1, 1000, 1);
    CHECK(strcmp(actio_kernel_tier(k), "interpret") == 0);
    actio_kernels_native(&w.ctx, &k, 1, 1e9, 1);
    CHECK(strcmp(actio_kernel_tier(k), actio_exec_cc.present() ? "cc" : "interpret") == 0);
    if (actio_exec_cc.present()) CHECK(actio_exec_cc.ready(&w.ctx, &k, 1, 1));
    actio_kernel_free(k);
    close_world(&w);
}

#endif

/* ---- functions against the long double library */

static double ulps(double value, long double reference)
{
    double r = (double)reference;
    if (isnan(value) || isnan(r)) return isnan(value) && isnan(r) ? 0 : HUGE_VAL;
    if (isinf(value) || isinf(r)) return value == r ? 0 : HUGE_VAL;
    int e;
    frexp(r, &e);
    return (double)(fabsl(value - reference) / ldexpl(1, (e < -1021 ? -1021 : e) - 53));
}

static double worst[4];

static void compare(double x)
{
    double s, c;
    actio_sincos(x, &s, &c);
    const double u[] = { fabs(x) < 1e15 ? ulps(s, sinl(x)) : 0, fabs(x) < 1e15 ? ulps(c, cosl(x)) : 0,
                         ulps(actio_exp(x), expl(x)), ulps(actio_log(x), logl(x)) };
    for (int i = 0; i < 4; i++)
        if (!(u[i] <= worst[i])) worst[i] = u[i];
}

TEST(functions_are_right_to_two_ulp)
{
    for (int i = 0; i < 200000; i++) {
        static const double size[] = { 1.6, 10, 750, 1e5, 1e9 };
        for (int s = 0; s < 5; s++) compare(uniform(-size[s], size[s]));
        compare(actio_of_bits(random_bits()));
    }
    for (int k = -20000; k <= 20000; k++) {
        double x = (double)(k * 1.57079632679489661923132169163975144L);
        compare(x);
        compare(nextafter(x, HUGE_VAL));
        compare(nextafter(x, -HUGE_VAL));
    }
    for (int i = 0; i < 4; i++) CHECK(worst[i] < 1);
}

TEST(special_arguments_have_their_values)
{
    double s, c;
    CHECK(signbit(actio_sin(-0.0)) && actio_sin(-0.0) == 0 && !signbit(actio_sin(0.0)) && actio_cos(-0.0) == 1);
    actio_sincos(HUGE_VAL, &s, &c);
    CHECK(isnan(s) && isnan(c) && isnan(actio_sin(NAN)) && isnan(actio_cos(-HUGE_VAL)));
    /* nearest of all doubles to a multiple of pi/2 */
    CHECK_NEAR(actio_cos(0x1.6ac5b262ca1ffp+849), -4.68716592425462761112e-19, 1e-34);
    CHECK(actio_exp(HUGE_VAL) == HUGE_VAL && actio_exp(-HUGE_VAL) == 0 && actio_exp(0) == 1 && isnan(actio_exp(NAN))
          && actio_exp(710) == HUGE_VAL && actio_exp(-746) == 0);
    CHECK(actio_log(0) == -HUGE_VAL && actio_log(-0.0) == -HUGE_VAL && isnan(actio_log(-1))
          && actio_log(HUGE_VAL) == HUGE_VAL && isnan(actio_log(NAN)) && actio_log(1) == 0);
    CHECK(actio_powi(2, 10) == 1024 && actio_powi(2, -2) == 0.25 && actio_powi(0, 0) == 1
          && actio_powi(1, INT32_MIN) == 1);
    CHECK(actio_sign(-3) == -1 && actio_sign(0) == 0 && actio_sign(9) == 1 && actio_min(1, 2) == 1
          && actio_max(1, 2) == 2 && actio_if(1, 5, NAN) == 5);
}

int main(void)
{
    RUN(functions_are_right_to_two_ulp);
    RUN(special_arguments_have_their_values);
    RUN(any_number_of_lanes_gives_the_same_bits);
    RUN(kernels_agree_with_plain_evaluation);
    RUN(params_are_inputs_of_the_prologue);
    RUN(a_kernel_outlives_its_pool);
    RUN(the_plan_pairs_sine_and_cosine_and_joins_products);
    RUN(registers_are_reused_and_deep_graphs_are_fine);
    RUN(a_plan_over_budget_escapes_and_leaks_nothing);
    RUN(neighbours_are_bound_as_offsets);
    RUN(locate_names_the_expression_that_broke);
    RUN(program_size_grows_with_the_graph_not_with_its_tree);
    RUN(the_c_text_has_generated_names_only);
#ifdef ACTIO_NATIVE
    open_cache();
    RUN(compiled_c_gives_the_bits_of_the_interpreter);
    RUN(the_product_exports_what_was_asked_for_and_runs_nothing_when_loaded);
    RUN(a_planted_link_in_the_cache_is_refused);
    RUN(the_tier_is_chosen_by_what_it_costs);
    close_cache();
#endif
    return DONE();
}
