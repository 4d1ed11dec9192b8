/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/node.h"

int actio_node_open(struct actio_node_kernel *nk, struct actio_context *ctx, const struct actio_kernel *k,
                    const struct actio_binding *at, size_t lanes, double *out)
{
    const actio_slot *slots;
    size_t outputs = actio_kernel_outputs(k), inputs = actio_kernel_inputs(k, &slots);
    nk->k = k;
    nk->in = actio_alloc(ctx, inputs + 1, sizeof *nk->in);
    nk->pre = actio_alloc(ctx, actio_kernel_pre(k) + 1, sizeof *nk->pre);
    nk->out = actio_alloc(ctx, outputs + 1, sizeof *nk->out);
    nk->work = actio_alloc(ctx, actio_kernel_work(k) + 1, sizeof *nk->work);
    nk->given = actio_alloc(ctx, actio_kernel_params(k, &slots) + 1, sizeof *nk->given);
    if (!nk->in || !nk->pre || !nk->out || !nk->work || !nk->given) return 1;
    actio_kernel_bind(k, at, nk->in);
    actio_kernel_bind_params(k, at, nk->given);
    for (size_t j = 0; j < outputs; j++) nk->out[j] = out + j * lanes;
    actio_node_prologue(nk);
    return 0;
}

void actio_node_close(struct actio_node_kernel *nk, struct actio_context *ctx)
{
    void *parts[] = { nk->in, nk->given, nk->pre, nk->out, nk->work };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(ctx, parts[i]);
    *nk = (struct actio_node_kernel){ 0 };
}

void actio_node_prologue(struct actio_node_kernel *nk)
{
    actio_kernel_prologue(nk->k, 1, nk->given, nk->pre, nk->work);
}

int actio_node_evaluate(const struct actio_node_kernel *nk, size_t count)
{
    double sum = 0;
    size_t outputs = actio_kernel_outputs(nk->k);
    actio_kernel_eval(nk->k, count, nk->in, nk->pre, 1, nk->out, nk->work);
    for (size_t j = 0; j < outputs; j++)
        for (size_t l = 0; l < count; l++) sum += 0 * nk->out[j][l];
    return !(sum == 0); /* NaN: 0 times NaN is NaN, too */
}
