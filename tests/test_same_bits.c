/* SPDX-License-Identifier: Apache-2.0
 * Architecture: the same bits whatever the number of lanes, the way of running a program, or the way a model was
 * written. */
#define _POSIX_C_SOURCE 200809L
#include "subject.h"

#ifdef ACTIO_NATIVE
#include "native/native.h"
#endif

enum { LANES = SANITIZED ? 130 : 1000 }; /* more than two groups of 64, and a rest */

/* ---- kernels */

struct inputs {
    double *space[ACTIO_SPACE_COUNT];
    size_t size[ACTIO_SPACE_COUNT];
};

static double next_random(void)
{
    static uint64_t seed = 0x2545F4914F6CDD1D;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

/* States around the start data; params around their values; switches on either side. */
static void fill_inputs(struct inputs *in, const struct subject *s)
{
    /* multipliers, then forces of contacts and frictions */
    size_t n = s->sys->n, m = s->sys->m, p = actio_friction_slot(s->sys, s->sys->walls.slips);
    const size_t size[ACTIO_SPACE_COUNT] = { [ACTIO_SPACE_T] = 1,
                                             [ACTIO_SPACE_PARAM] = s->sys->params,
                                             [ACTIO_SPACE_HIDDEN] = 1,
                                             [ACTIO_SPACE_MODE] = s->sys->switches.count,
                                             [ACTIO_SPACE_HELD] = s->sys->resets.held,
                                             [ACTIO_SPACE_Q] = n,
                                             [ACTIO_SPACE_V] = n,
                                             [ACTIO_SPACE_ACC] = n,
                                             [ACTIO_SPACE_STATE] = m,
                                             [ACTIO_SPACE_SDOT] = m,
                                             [ACTIO_SPACE_LAMBDA] = p,
                                             [ACTIO_SPACE_REACTION] = n + m };
    const double *around[ACTIO_SPACE_COUNT] = { [ACTIO_SPACE_PARAM] = s->param,
                                                [ACTIO_SPACE_Q] = s->y0,
                                                [ACTIO_SPACE_V] = s->y0 + n,
                                                [ACTIO_SPACE_STATE] = s->y0 + 2 * n };
    for (int k = 0; k < ACTIO_SPACE_COUNT; k++) {
        in->size[k] = size[k];
        in->space[k] = numbers(size[k] * LANES);
        for (size_t i = 0; i < size[k] * LANES; i++) {
            double centre = around[k] ? around[k][i / LANES] : 0, random = next_random();
            in->space[k][i] = k == ACTIO_SPACE_MODE ? (random < 0 ? -1 : 1) : centre + random * (1 + fabs(centre));
        }
    }
    if (LANES > 3 && n) {
        in->space[ACTIO_SPACE_Q][1] = 1e9;
        in->space[ACTIO_SPACE_Q][2] = 0;
        in->space[ACTIO_SPACE_Q][3] = NAN;
    }
}

static void free_inputs(struct inputs *in)
{
    for (int k = 0; k < ACTIO_SPACE_COUNT; k++) free(in->space[k]);
}

static struct actio_binding bound_at(const struct inputs *in, size_t lane, ptrdiff_t step)
{
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    for (int k = 0; k < ACTIO_SPACE_COUNT; k++) {
        b.space[k].base = in->space[k] + lane;
        b.space[k].index_step = LANES;
        b.space[k].lane_step = step;
    }
    return b;
}

/* All lanes in groups; own_params: each lane has a parameter set of its own. Result j of lane l at out[j*LANES + l]. */
static void evaluate(const struct actio_kernel *k, const struct inputs *in, size_t group, bool own_params, double *out)
{
    size_t outputs = actio_kernel_outputs(k), pre_size = actio_kernel_pre(k);
    struct actio_arg *arg = calloc(actio_kernel_inputs(k, NULL) + 1, sizeof *arg),
                     *given = calloc(actio_kernel_params(k, NULL) + 1, sizeof *given);
    double *pre = numbers(pre_size * group), *work = numbers(actio_kernel_work(k)),
           **to = calloc(outputs + 1, sizeof *to);
    if (!arg || !given || !to) abort();
    for (size_t first = 0; first < LANES; first += group) {
        size_t lanes = LANES - first < group ? LANES - first : group, sets = own_params ? lanes : 1;
        struct actio_binding at = bound_at(in, first, 1), with = bound_at(in, own_params ? first : 0, own_params);
        actio_kernel_bind(k, &at, arg);
        actio_kernel_bind_params(k, &with, given);
        actio_kernel_prologue(k, sets, given, pre, work);
        for (size_t j = 0; j < outputs; j++) to[j] = out + j * LANES + first;
        actio_kernel_eval(k, lanes, arg, pre, sets, to, work);
    }
    free(arg);
    free(given);
    free(pre);
    free(work);
    free(to);
}

static const size_t groups[] = { LANES, 64, 7, 1 };

static bool every_grouping_gives(const struct actio_kernel *k, const struct inputs *in, bool own_params,
                                 const double *want, double *scratch)
{
    size_t n = actio_kernel_outputs(k) * LANES;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        evaluate(k, in, groups[g], own_params, scratch);
        size_t i = first_difference(want, scratch, n);
        if (i == n) continue;
        printf("    %s, groups of %zu: output %zu in lane %zu is %a, not %a\n", actio_kernel_tier(k), groups[g],
               i / LANES, i % LANES, scratch[i], want[i]);
        return false;
    }
    return true;
}

/* The kernels that a run compiles, in its order: the product is then in the cache when the run comes. */
static bool compile_as_a_run_does(struct subject *s)
{
#ifdef ACTIO_NATIVE
    struct actio_kernel *list[ACTIO_Q_COUNT];
    size_t n = 0;
    for (int q = 0; q < ACTIO_Q_COUNT; q++)
        if (s->sys->formation->kernel[q] && q != ACTIO_Q_LEVELS && q != ACTIO_Q_RHS_Y)
            list[n++] = s->sys->formation->kernel[q];
    if (SANITIZED || !actio_exec_cc.present()) return false;
    CHECK(actio_exec_cc.load(s->ctx, list, n, 1) == 0);
    return true;
#else
    (void)s;
    return false;
#endif
}

/* Interpreted with every grouping, then compiled with every grouping. */
static void compare_kernels(struct subject *s)
{
    struct actio_kernel *kernel[ACTIO_Q_COUNT];
    struct inputs in;
    double *want[ACTIO_Q_COUNT][2], *scratch[ACTIO_Q_COUNT];
    size_t n = compile_all(s, kernel);
    if (n == 0) return;
    fill_inputs(&in, s);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = numbers(actio_kernel_outputs(kernel[i]) * LANES);
        for (int own = 0; own < 2; own++) {
            want[i][own] = numbers(actio_kernel_outputs(kernel[i]) * LANES);
            evaluate(kernel[i], &in, LANES, own, want[i][own]);
            CHECK(every_grouping_gives(kernel[i], &in, own, want[i][own], scratch[i]));
        }
    }
    bool there = compile_as_a_run_does(s);
    for (size_t i = 0; i < n && there; i++)
        for (int own = 0; own < 2 && strcmp(actio_kernel_tier(kernel[i]), "cc") == 0; own++)
            CHECK(every_grouping_gives(kernel[i], &in, own, want[i][own], scratch[i]));
    for (size_t i = 0; i < n; i++) {
        free(want[i][0]);
        free(want[i][1]);
        free(scratch[i]);
    }
    free_inputs(&in);
}

static void compare_kernels_of(const struct actio_example *e)
{
    struct subject s;
    bool open = open_subject(&s, e->text, strlen(e->text), NULL, 0);
    int bad = check_bad;
    CHECK(open);
    if (open) compare_kernels(&s);
    if (check_bad != bad) {
        printf("    that was %s\n", e->stem);
        show_findings(s.f);
    }
    close_subject(&s);
}

TEST(kernels_of_every_gallery_model_give_the_same_bits_in_any_lanes_interpreted_or_compiled)
{
    const struct actio_example *examples;
    size_t n = actio_gallery(&examples);
    CHECK(n >= 40);
    for (size_t i = 0; i < n; i++) compare_kernels_of(&examples[i]);
}

/* ---- whole runs */

struct outcome {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_table *table;
};

static struct outcome run_text(const char *text, size_t length, bool no_compile)
{
    struct outcome o = { .ctx = actio_context_create(NULL) };
    o.f = actio_findings_create(o.ctx);
    o.model = actio_model_read_string(o.ctx, "a.act", text, length, NULL, 0, o.f);
    struct actio_run_options options = actio_run_options_default();
    options.no_compile = no_compile;
    if (o.model) o.table = actio_run(o.ctx, o.model, &options, o.f);
    return o;
}

static void close_outcome(struct outcome *o)
{
    actio_table_free(o->table);
    actio_model_free(o->model);
    actio_findings_free(o->f);
    actio_context_free(o->ctx);
}

static char *printed(struct actio_model *model)
{
    struct actio_arena arena;
    struct actio_text t;
    actio_arena_open(&arena, model->ctx);
    actio_text_open(&t, &arena);
    actio_model_print(model, &t);
    char *kept = calloc(1, t.length + 1);
    if (!kept) abort();
    memcpy(kept, t.s, t.length);
    actio_arena_close(&arena);
    return kept;
}

/* Printed, read back and run again. */
static void compare_with_its_print(const struct actio_example *e, const struct outcome *first)
{
    char *text = printed(first->model);
    struct outcome second = run_text(text, strlen(text), true);
    char *again = second.model ? printed(second.model) : calloc(1, 1);
    bool same = strcmp(text, again) == 0 && (first->table != NULL) == (second.table != NULL)
                && (!first->table || same_tables(first->table, second.table));
    if (!same) {
        printf("    that was %s, printed and read back\n", e->stem);
        show_findings(second.f);
    }
    CHECK(same);
    free(text);
    free(again);
    close_outcome(&second);
}

#ifdef ACTIO_NATIVE

/* The compiler, as if it cost nothing. */
static double nothing(size_t ops, double evals, double lanes)
{
    (void)ops;
    (void)lanes;
    return -1 - evals;
}

static int load_by_cc(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes)
{
    return actio_exec_cc.load(ctx, kernels, n, lanes);
}
static bool cc_is_present(void) { return actio_exec_cc.present(); }
static const struct actio_exec forced = { "forced", cc_is_present, nothing, NULL, load_by_cc, 0 };

static size_t compare_with_compiled(const struct actio_example *e, const struct outcome *plain)
{
    struct outcome compiled = run_text(e->text, strlen(e->text), false);
    size_t used = 0;
    CHECK((plain->table != NULL) == (compiled.table != NULL));
    if (plain->table && compiled.table) {
        struct actio_run_info info = actio_table_info(compiled.table);
        CHECK(strcmp(actio_table_info(plain->table).tier, "interpret") == 0);
        used = strcmp(info.tier, "cc") == 0;
        bool same = same_tables(plain->table, compiled.table);
        if (!same) printf("    that was %s\n", e->stem);
        CHECK(same);
    }
    close_outcome(&compiled);
    return used;
}

/* After the kernels' test, whose products are in the cache. */
static size_t compiled_runs(const struct actio_example *e, const struct outcome *plain, size_t i)
{
    return SANITIZED && i >= 3 ? 0 : compare_with_compiled(e, plain);
}
static size_t compiled_wanted(size_t n) { return cc_is_present() ? SANITIZED ? 3 : n : 0; }
#else
static size_t compiled_runs(const struct actio_example *e, const struct outcome *plain, size_t i)
{
    (void)e;
    (void)plain;
    (void)i;
    return 0;
}
static size_t compiled_wanted(size_t n) { return 0 * n; }
#endif

/* Each model is run once for both comparisons. */
TEST(whole_runs_are_the_same_to_the_last_bit_printed_and_read_back_compiled_or_not)
{
    const struct actio_example *examples;
    size_t n = actio_gallery(&examples), used = 0;
    for (size_t i = 0; i < n; i++) {
        struct outcome plain = run_text(examples[i].text, strlen(examples[i].text), true);
        CHECK(plain.model != NULL);
        if (plain.model) {
            compare_with_its_print(&examples[i], &plain);
            used += compiled_runs(&examples[i], &plain, i);
        }
        close_outcome(&plain);
    }
    CHECK(used + 7 >= compiled_wanted(n)); /* some models have verdicts only */
}

#ifdef ACTIO_NATIVE

/* A cache of its own, so that the test says the same on every machine. */
static char cache[64] = "/tmp/actio-bits-XXXXXX";

static void open_cache(void)
{
    if (mkdtemp(cache)) setenv("XDG_CACHE_HOME", cache, 1);
}

static void close_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    CHECK(system(command) == 0);
}
#endif

int main(void)
{
#ifdef ACTIO_NATIVE
    open_cache();
#endif
    RUN(kernels_of_every_gallery_model_give_the_same_bits_in_any_lanes_interpreted_or_compiled);
#ifdef ACTIO_NATIVE
    actio_exec_register(&forced);
#endif
    RUN(whole_runs_are_the_same_to_the_last_bit_printed_and_read_back_compiled_or_not);
#ifdef ACTIO_NATIVE
    close_cache();
#endif
    return DONE();
}
