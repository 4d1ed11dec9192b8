/* SPDX-License-Identifier: Apache-2.0
 * A toy way to run programs: every instruction in turn, one lane after the other. Evaluation has no user pointer
 * (compiled code needs none), so each loaded kernel gets one of a few functions of its own. */
#include "base/math.h"
#include "seams/seams.h"

#include <stdlib.h>

size_t toy_exec_loads;

enum { PLACES = 8 };
static const struct actio_program *loaded[PLACES];

static void run_one(const struct actio_instr *i, double *w)
{
    double a = w[i->a], c = i->op == ACTIO_I_FMA || i->op == ACTIO_I_FMS || i->op == ACTIO_I_FNMA || i->op == ACTIO_I_IF
                                ? w[i->c]
                                : 0;
    int32_t k = (int32_t)i->b;
    if (i->op == ACTIO_I_SINCOS) {
        actio_sincos(a, &w[i->dst], &w[i->b]);
        return;
    }
    double b = i->op == ACTIO_I_POWI ? 0 : w[i->b];
    switch (i->op) {
#define INSTR(name, arity, value, ...)                                                                                 \
    case ACTIO_I_##name:                                                                                               \
        w[i->dst] = (value);                                                                                           \
        break;
#include "kernel/instr.def"
#undef INSTR
    default: break;
    }
}

static void run(const struct actio_program *p, size_t lanes, const struct actio_arg *in, const double *pre,
                size_t pre_lanes, double *const *out)
{
    const struct actio_section *s = &p->body;
    double *w = calloc((size_t)s->registers + 1, sizeof *w);
    for (size_t l = 0; w && l < lanes; l++) {
        for (uint32_t r = 0; r < s->fixed; r++) w[r] = pre[pre_lanes == 1 ? r : r * pre_lanes + l];
        for (uint32_t r = 0; r < s->loaded; r++) w[s->fixed + r] = in[r].p[(ptrdiff_t)l * in[r].lane];
        for (size_t i = 0; i < s->count; i++) run_one(&s->code[i], w);
        for (size_t j = 0; j < s->outs; j++) out[j][l] = w[s->out[j]];
    }
    free(w);
}

/* clang-format off */
#define PLACE(n) \
    static void run_##n(size_t lanes, const struct actio_arg *in, const double *pre, size_t pre_lanes, \
                        double *const *out) \
    { \
        run(loaded[n], lanes, in, pre, pre_lanes, out); \
    }
PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)
    /* clang-format on */
    static const actio_eval_fn place[PLACES] = { run_0, run_1, run_2, run_3, run_4, run_5, run_6, run_7 };

static void unload(void *library) { *(const struct actio_program **)library = NULL; }

static int load(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes)
{
    (void)ctx;
    (void)lanes;
    for (size_t i = 0, at = 0; i < n; i++) {
        while (at < PLACES && loaded[at]) at++;
        if (at == PLACES) return 1;
        loaded[at] = actio_kernel_program(kernels[i]);
        actio_kernel_attach(kernels[i], "toy", (struct actio_native_code){ .eval = place[at] }, &loaded[at], unload);
        toy_exec_loads++;
    }
    return 0;
}

static bool present(void) { return true; }

/* Cheaper than anything. */
static double cost(size_t ops, double evals, double lanes)
{
    (void)ops;
    (void)lanes;
    return -1 - evals;
}

const struct actio_exec toy_exec = { "toy", present, cost, NULL, load, 0 };
