/* SPDX-License-Identifier: Apache-2.0
 * Kernels: a program with its memory, how it is bound and run, and who runs it fastest. */
#include "kernel/interpret.h"

struct actio_kernel {
    struct actio_native_code native; /* NULL: the interpreter */
    struct actio_program program;
    struct actio_tape tape, prologue_tape;
    size_t work;
    const char *tier;
    bool refused; /* a tier could not take it: not tried again */
    void *library;
    void (*unload)(void *library);
    struct actio_arena arena; /* holds the kernel too */
};

/* ---- making and freeing */

struct making {
    struct actio_pool *pool;
    const actio_expr *out;
    size_t outputs;
    struct actio_arena keep, scratch;
    struct actio_kernel *made;
};

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t prologue_results(const struct actio_program *p)
{
    return (p->prologue.outs * sizeof(double *) + sizeof(double) - 1) / sizeof(double);
}

static void kernel_make(void *user)
{
    struct making *m = user;
    struct actio_kernel *k = actio_arena_alloc(&m->keep, sizeof *k);
    actio_plan(&m->keep, &m->scratch, m->pool, m->out, m->outputs, &k->program);
    actio_tape_make(&m->keep, &k->program.body, &k->tape);
    actio_tape_make(&m->keep, &k->program.prologue, &k->prologue_tape);
    k->work = larger(actio_section_work(&k->program.body),
                     actio_section_work(&k->program.prologue) + prologue_results(&k->program));
    k->tier = "interpret";
    m->made = k;
}

struct actio_kernel *actio_kernel_compile(struct actio_context *ctx, struct actio_pool *pool, const actio_expr *out,
                                          size_t outputs)
{
    struct making m = { .pool = pool, .out = out, .outputs = outputs };
    actio_arena_open(&m.keep, ctx);
    actio_arena_open(&m.scratch, ctx);
    int failed = actio_attempt(ctx, kernel_make, &m);
    actio_arena_close(&m.scratch);
    if (failed) {
        actio_arena_close(&m.keep);
        actio_escape(ctx);
    }
    m.made->arena = m.keep;
    return m.made;
}

static void detach(struct actio_kernel *k)
{
    if (k->unload) k->unload(k->library);
    k->unload = NULL;
}

void actio_kernel_free(struct actio_kernel *k)
{
    if (!k) return;
    detach(k);
    struct actio_arena arena = k->arena; /* the kernel lies in it */
    actio_arena_close(&arena);
}

/* ---- what it is */

const struct actio_program *actio_kernel_program(const struct actio_kernel *k) { return &k->program; }
size_t actio_kernel_outputs(const struct actio_kernel *k) { return k->program.body.outs; }
size_t actio_kernel_ops(const struct actio_kernel *k) { return k->program.body.count; }
size_t actio_kernel_pre(const struct actio_kernel *k) { return k->program.prologue.outs; }
size_t actio_kernel_work(const struct actio_kernel *k) { return k->work; }
bool actio_kernel_is_native(const struct actio_kernel *k) { return k->native.eval != NULL; }
const char *actio_kernel_tier(const struct actio_kernel *k) { return k->tier; }

size_t actio_kernel_inputs(const struct actio_kernel *k, const actio_slot **slots)
{
    if (slots) *slots = k->program.input;
    return k->program.body.loaded;
}

size_t actio_kernel_params(const struct actio_kernel *k, const actio_slot **slots)
{
    if (slots) *slots = k->program.param;
    return k->program.prologue.loaded;
}

/* ---- binding and running */

static void bind(const actio_slot *slot, size_t n, const struct actio_binding *where, struct actio_arg *in)
{
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t from = (ptrdiff_t)slot[i].index * where->space[slot[i].space].index_step
                         + slot[i].offset * where->space[slot[i].space].offset_step;
        in[i] = (struct actio_arg){ where->space[slot[i].space].base + from, where->space[slot[i].space].lane_step };
    }
}

void actio_kernel_bind(const struct actio_kernel *k, const struct actio_binding *where, struct actio_arg *in)
{
    bind(k->program.input, k->program.body.loaded, where, in);
}

void actio_kernel_bind_params(const struct actio_kernel *k, const struct actio_binding *where, struct actio_arg *in)
{
    bind(k->program.param, k->program.prologue.loaded, where, in);
}

void actio_kernel_prologue(const struct actio_kernel *k, size_t lanes, const struct actio_arg *params, double *pre,
                           double *work)
{
    const struct actio_section *s = &k->program.prologue;
    if (k->native.prologue) {
        k->native.prologue(lanes, params, pre);
        return;
    }
    double **out = (double **)(void *)work;
    for (size_t j = 0; j < s->outs; j++) out[j] = pre + j * lanes;
    actio_section_run(s, &k->prologue_tape, lanes, (struct actio_feed){ k->program.literal, 1, params }, out,
                      work + prologue_results(&k->program));
}

void actio_kernel_eval(const struct actio_kernel *k, size_t lanes, const struct actio_arg *in, const double *pre,
                       size_t pre_lanes, double *const *out, double *work)
{
    if (k->native.eval) k->native.eval(lanes, in, pre, pre_lanes, out);
    else actio_section_run(&k->program.body, &k->tape, lanes, (struct actio_feed){ pre, pre_lanes, in }, out, work);
}

void actio_kernel_split(struct actio_kernel *k, size_t head, bool odd)
{
    k->program.split = true;
    k->program.odd = odd;
    k->program.head = head;
}

void actio_kernel_widen(struct actio_kernel *k) { k->program.wide = true; }

const actio_one_fn *actio_kernel_one(const struct actio_kernel *k) { return &k->native.one; }

uint32_t actio_kernel_locate(const struct actio_kernel *k, const struct actio_arg *in, const double *pre, size_t lane,
                             double *work)
{
    return actio_section_locate(&k->program.body, (struct actio_feed){ pre, 1, in }, lane, work);
}

/* ---- faster ways */

void actio_kernel_attach(struct actio_kernel *k, const char *tier, struct actio_native_code code, void *library,
                         void (*unload)(void *library))
{
    detach(k);
    k->tier = tier;
    k->native = code;
    k->library = library;
    k->unload = unload;
}

enum { MOST_TIERS = 8 };
static const struct actio_exec *tiers[MOST_TIERS]; /* filled at start-up, then only read */
static size_t tier_count;

void actio_exec_register(const struct actio_exec *exec)
{
    for (size_t i = 0; i < tier_count; i++)
        if (tiers[i] == exec) return;
    if (tier_count < MOST_TIERS) tiers[tier_count++] = exec;
}

size_t actio_kernel_weight(const struct actio_kernel *k)
{
    const struct actio_section *s = &k->program.body;
    size_t ops = s->count;
    for (size_t i = 0; i < s->count; i++)
        if (s->code[i].op == ACTIO_I_SINCOS || s->code[i].op == ACTIO_I_EXP || s->code[i].op == ACTIO_I_LOG) ops += 20;
    return ops;
}

/* Seconds in the interpreter: a call, and a good nanosecond an operation. Lanes go eight at a time. */
static double interpreted(size_t ops, double evals, double lanes)
{
    double rounds = lanes > 1 ? lanes / 8 : 1;
    return evals * rounds * (20e-9 + (double)ops * 1.6e-9);
}

/* Kernels that wait for a tier and that this one takes; their number and operations. */
struct group {
    struct actio_kernel **kernel;
    size_t n, ops;
};

static void kernel_gather(struct group *g, const struct actio_exec *exec, struct actio_kernel *const *kernels, size_t n)
{
    g->n = g->ops = 0;
    for (size_t i = 0; i < n; i++) {
        bool small = !exec->most_ops || actio_kernel_ops(kernels[i]) <= exec->most_ops;
        if (!small || kernels[i]->refused || kernels[i]->native.eval) continue;
        g->ops += actio_kernel_weight(kernels[i]);
        g->kernel[g->n++] = kernels[i];
    }
}

/* Seconds that the tier saves; 0 or less: none. */
static double gain(const struct actio_exec *exec, struct actio_context *ctx, const struct group *g, double evals,
                   double lanes)
{
    double slow = interpreted(g->ops, evals, lanes), all = exec->cost(g->ops, evals, lanes),
           fast = all - exec->cost(g->ops, 0, lanes);
    if (g->n == 0 || fast + 1e-3 >= slow || !exec->present()) return 0;
    bool ready = exec->ready && exec->ready(ctx, g->kernel, g->n, lanes);
    return slow - (ready ? fast + 1e-3 : all);
}

/* If loading fails the interpreter stays, for good: a compiler that ran into its limit once is not called again. */
static void kernel_load(const struct actio_exec *exec, struct actio_context *ctx, const struct group *g, double lanes)
{
    if (exec->load(ctx, g->kernel, g->n, lanes) == 0) return;
    for (size_t i = 0; i < g->n; i++) g->kernel[i]->refused = true;
}

void actio_kernels_native(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double evals,
                          double lanes)
{
    struct group g = { .kernel = actio_alloc(ctx, n + 1, sizeof *g.kernel) };
    const struct actio_exec *best = NULL;
    double most = 0;
    size_t before = ctx->refused;
    for (size_t i = 0; g.kernel && i < tier_count; i++) {
        kernel_gather(&g, tiers[i], kernels, n);
        double saved = gain(tiers[i], ctx, &g, evals, lanes);
        if (saved > most) {
            most = saved;
            best = tiers[i];
        }
    }
    if (best) {
        kernel_gather(&g, best, kernels, n);
        kernel_load(best, ctx, &g, lanes);
    }
    actio_free(ctx, g.kernel);
    actio_pardon(ctx, before);
}
