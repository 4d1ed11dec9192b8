/* SPDX-License-Identifier: Apache-2.0
 * Expressions -> programs: the only door between formulas and numbers, and the table of ways to run a program. */
#ifndef ACTIO_KERNEL_COMPILE_H
#define ACTIO_KERNEL_COMPILE_H

#include "base/findings.h"
#include "kernel/kernel.h"

enum actio_instr_op {
#define INSTR(name, arity, value, ...) ACTIO_I_##name,
#include "kernel/instr.def"
#undef INSTR
    ACTIO_I_COUNT
};

/* One instruction. SINCOS leaves the cosine in register b; POWI's exponent is (int32_t)b. */
struct actio_instr {
    uint32_t op, dst, a, b, c;
};

/* Straight-line code. Registers 0 .. fixed-1 hold values given once (literals for the prologue, what the prologue left
 * for the body), the next `loaded` hold params or inputs, the rest are temporaries reused by liveness. */
struct actio_section {
    struct actio_instr *code;
    size_t count;
    uint32_t *node;      /* expression of each instruction */
    uint32_t *leaf_node; /* and of each fixed and loaded register */
    uint32_t fixed, loaded, registers;
    uint32_t *out; /* registers of the results, valid at the end */
    size_t outs;
};

struct actio_program {
    struct actio_section prologue, body; /* the prologue's results are the body's fixed registers, in order */
    double *literal;                     /* the prologue's fixed registers */
    actio_slot *param, *input;           /* their loaded registers */
    bool split, odd;                     /* as passed to actio_kernel_split */
    bool wide;                           /* evaluated over many lanes */
    size_t head;
};

/* enclose.c and forward.c: one instruction over ranges, or numbers and their rates, of registers. */
struct actio_range;
void actio_enclose_instr(const struct actio_instr *i, struct actio_range *w);
void actio_forward_instr(const struct actio_instr *i, double *w, double *d);

/* Makes a kernel for the outputs; it owns its program and outlives the pool. Escapes when the plan is over budget;
 * never NULL.
 * Runs in the interpreter until actio_kernels_native succeeds. Freed with actio_kernel_free. */
struct actio_kernel *actio_kernel_compile(struct actio_context *ctx, struct actio_pool *pool, const actio_expr *out,
                                          size_t outputs);
const struct actio_program *actio_kernel_program(const struct actio_kernel *k);
/* Before it is made faster: the first `head` outputs will be wanted side by side, from an odd place on or not: they are
 * stored in pairs, as a stepper reads them. */
void actio_kernel_split(struct actio_kernel *k, size_t head, bool odd);
/* Likewise: many lanes will be evaluated at a time. */
void actio_kernel_widen(struct actio_kernel *k);

/* A faster way to run programs than the interpreter (native/ registers cc; web none). Several kernels go through one
 * compiler call. */
struct actio_exec {
    const char *name;
    bool (*present)(void);
    /* seconds to load and to run: the tier is chosen by a number */
    double (*cost)(size_t ops, double evals, double lanes);
    /* is loading nearly free (cached)? may be NULL */
    bool (*ready)(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes);
    /* 0 and attached, or not */
    int (*load)(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes);
    size_t most_ops; /* of one program; 0: any number */
};
typedef void (*actio_eval_fn)(size_t lanes, const struct actio_arg *in, const double *pre, size_t pre_lanes,
                              double *const *out);
typedef void (*actio_pre_fn)(size_t lanes, const struct actio_arg *params, double *pre);
/* The kernel takes the library over; a NULL prologue leaves that part to the interpreter, a NULL `one` to eval. */
struct actio_native_code {
    actio_eval_fn eval;
    actio_one_fn one;
    actio_pre_fn prologue;
};
void actio_kernel_attach(struct actio_kernel *k, const char *tier, struct actio_native_code code, void *library,
                         void (*unload)(void *library));

/* operations as a compiler feels them: a function's polynomials are part of the text */
size_t actio_kernel_weight(const struct actio_kernel *k);
/* Lets those kernels that are still interpreted run natively where `evals` evaluations of `lanes` lanes pay for it; the
 * swap changes no bit. */
void actio_kernels_native(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double evals,
                          double lanes);
void actio_exec_register(const struct actio_exec *exec); /* at start-up, before threads; twice is once */
/* C text of several programs: generated names only, numbers as hexadecimal floats; NULL-terminated, in the arena.
 * Kernel i is exported as actio_e<i>, its prologue (if it has instructions) as actio_p<i>, one lane of it (if it is
 * split) as actio_o<i>. */
const char *actio_emit_c(struct actio_arena *arena, struct actio_kernel *const *kernels, size_t n);

#endif
