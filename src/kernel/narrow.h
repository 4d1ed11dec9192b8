/* SPDX-License-Identifier: Apache-2.0
 * Where a program may have narrow features: exponentials, quotients, roots, for example. Their operands may pass a
 * place of sudden change between two looks at them. Sums and products have none that their operands do not show.
 * In: a kernel. Out: values and ranges of these operations' operands and results. Callers: solve. */
#ifndef ACTIO_KERNEL_NARROW_H
#define ACTIO_KERNEL_NARROW_H

#include "kernel/kernel.h"
#include "kernel/range.h"

struct actio_narrow;

/* NULL: no memory. */
struct actio_narrow *actio_narrow_open(struct actio_context *ctx, const struct actio_kernel *k);
void actio_narrow_close(struct actio_narrow *n, struct actio_context *ctx);
size_t actio_narrow_tests(const struct actio_narrow *n); /* how many such operations there are */
/* Does an operand of a tested operation depend on this input? */
bool actio_narrow_reads(const struct actio_narrow *n, size_t input);
/* By test, at one point: operand, result, |slope|. */
struct actio_narrow_point {
    double operand, value, slope;
};
void actio_narrow_sample(struct actio_narrow *n, const double *in, const double *pre, struct actio_narrow_point *out);
/* By test, while inputs stay in their ranges. */
struct actio_narrow_range {
    struct actio_range operand, value, slope;
};
void actio_narrow_enclose(struct actio_narrow *n, const struct actio_range *in, const double *pre,
                          struct actio_narrow_range *out);
/* Do all operands keep within a part of the scale on which their operations change? Then nothing can hide. */
bool actio_narrow_is_calm(struct actio_narrow *n, const struct actio_range *in, const double *pre);
/* By output: how far it may be off if so much of each tested result was missed. */
void actio_narrow_missed(struct actio_narrow *n, const struct actio_range *in, const double *pre, const double *missed,
                         double *out);
uint32_t actio_narrow_node(const struct actio_narrow *n, size_t test); /* the expression that it is made of */

#endif
