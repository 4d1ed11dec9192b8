/* SPDX-License-Identifier: Apache-2.0
 * Programs over lanes: the numeric face of formulas. A lane is a time point, a node, a cell or a member; a kernel
 * does not know which. In: formulas and their symbols. Out: functions of numbers. Callers: equations makes them,
 * solve and verdict call them. */
#ifndef ACTIO_KERNEL_KERNEL_H
#define ACTIO_KERNEL_KERNEL_H

#include "expr/expr.h" /* actio_slot and the spaces only */

/* value in lane l: p[l*lane]; lane step 0 = shared by all; a neighbour offset is already in p */
struct actio_arg {
    const double *p;
    ptrdiff_t lane;
};
struct actio_kernel; /* immutable once made; may be evaluated by several threads */

/* Where each space's values lie: slot (space, index, offset) in lane l is base[space][index*index_step +
 * offset*offset_step + l*lane_step]. */
struct actio_binding {
    struct {
        const double *base;
        ptrdiff_t index_step, offset_step, lane_step;
    } space[ACTIO_SPACE_COUNT];
};

size_t actio_kernel_inputs(const struct actio_kernel *k, const actio_slot **slots); /* what the body reads */
size_t actio_kernel_params(const struct actio_kernel *k, const actio_slot **slots); /* what the prologue reads */
size_t actio_kernel_outputs(const struct actio_kernel *k);
size_t actio_kernel_ops(const struct actio_kernel *k); /* operations of the body: for cost and growth tests */
size_t actio_kernel_pre(const struct actio_kernel *k); /* values that the prologue leaves for one parameter set */
/* doubles of scratch for actio_kernel_eval, any number of lanes */
size_t actio_kernel_work(const struct actio_kernel *k);
bool actio_kernel_is_native(const struct actio_kernel *k); /* eval leaves the scratch unchanged, from now on */

/* fills inputs() entries */
void actio_kernel_bind(const struct actio_kernel *k, const struct actio_binding *at, struct actio_arg *in);
void actio_kernel_bind_params(const struct actio_kernel *k, const struct actio_binding *at, struct actio_arg *in);
/* Once per parameter set: constants and formulas of params. pre[j*lanes + l]; lanes = 1 for one shared set. work as for
 * eval. */
void actio_kernel_prologue(const struct actio_kernel *k, size_t lanes, const struct actio_arg *params, double *pre,
                           double *work);
/* out[j][l] for l < lanes. `pre` has pre_lanes sets: 1 (shared) or `lanes`. Allocates nothing. An output may not alias
 * an input. */
void actio_kernel_eval(const struct actio_kernel *k, size_t lanes, const struct actio_arg *in, const double *pre,
                       size_t pre_lanes, double *const *out, double *work);
/* One lane of a kernel that was split: the first outputs side by side from `head` on, the others from `rest` on. The
 * place keeps NULL until a faster way than eval is attached. */
typedef void (*actio_one_fn)(const struct actio_arg *in, const double *pre, double *head, double *rest);
const actio_one_fn *actio_kernel_one(const struct actio_kernel *k);
/* The expression id whose value is the first that is not finite in this lane while its operands are; 0 if all are
 * finite. */
uint32_t actio_kernel_locate(const struct actio_kernel *k, const struct actio_arg *in, const double *pre, size_t lane,
                             double *work);
/* enclose.c: ranges (range.h) of the outputs while each input stays in its own; forward.c: outputs and their
 * derivatives while the inputs have these rates. By the interpreter; work: registers() ranges, or twice as many
 * doubles. */
size_t actio_kernel_registers(const struct actio_kernel *k);
struct actio_range;
void actio_kernel_enclose(const struct actio_kernel *k, const struct actio_range *in, const double *pre,
                          struct actio_range *out, struct actio_range *work);
void actio_kernel_forward(const struct actio_kernel *k, const struct actio_arg *in, const double *rate,
                          const double *pre, double *out, double *out_rate, double *work);
const char *actio_kernel_tier(const struct actio_kernel *k); /* "interpret", "cc" */
void actio_kernel_free(struct actio_kernel *k);

#endif
