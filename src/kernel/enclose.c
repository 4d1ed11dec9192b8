/* SPDX-License-Identifier: Apache-2.0
 * A program over ranges in place of numbers: ranges of its results that have every value it takes while its inputs stay
 * in theirs. The range of an instruction has its value for every choice of operands, so the result is wider than need
 * be where operands go together, and never too narrow. */
#include "kernel/compile.h"
#include "kernel/range.h"

static bool endless(struct actio_range x) { return !(isfinite(x.lo) && isfinite(x.hi)); }

/* An operand that is not a number makes a value that is not one, and infinite ones may. */
static struct actio_range completed(struct actio_range x, struct actio_range A, struct actio_range B,
                                    struct actio_range C)
{
    x.undefined |= A.undefined || B.undefined || C.undefined || endless(A) || endless(B) || endless(C);
    if (x.lo == x.lo && x.hi == x.hi) return x;
    return ACTIO_RANGE_ALL;
}

static const uint8_t arity_of[] = {
#define INSTR(name, arity, ...) arity,
#include "kernel/instr.def"
#undef INSTR
};

void actio_enclose_instr(const struct actio_instr *i, struct actio_range *w)
{
    const int32_t k = (int32_t)i->b;
    const int arity = arity_of[i->op];
    const struct actio_range A = w[i->a], B = w[arity > 1 ? i->b : i->a], C = w[arity > 2 ? i->c : i->a];
    if (i->op == ACTIO_I_SINCOS) {
        w[i->dst] = completed(actio_range_sin(A), A, A, A);
        w[i->b] = completed(actio_range_cos(A), A, A, A);
        return;
    }
    const bool same = i->a == i->b;
    struct actio_range r = ACTIO_RANGE_ALL;
    switch (i->op) {
#define INSTR(name, arity, value, rate, range, slope)                                                                  \
    case ACTIO_I_##name:                                                                                               \
        r = (range);                                                                                                   \
        break;
#include "kernel/instr.def"
#undef INSTR
    default: break;
    }
    w[i->dst] = completed(r, A, B, C);
}

size_t actio_kernel_registers(const struct actio_kernel *k) { return actio_kernel_program(k)->body.registers; }

void actio_kernel_enclose(const struct actio_kernel *k, const struct actio_range *in, const double *pre,
                          struct actio_range *out, struct actio_range *work)
{
    const struct actio_section *s = &actio_kernel_program(k)->body;
    for (uint32_t r = 0; r < s->fixed; r++) work[r] = isnan(pre[r]) ? ACTIO_RANGE_ALL : actio_range_at(pre[r]);
    for (uint32_t i = 0; i < s->loaded; i++) work[s->fixed + i] = in[i];
    for (size_t i = 0; i < s->count; i++) actio_enclose_instr(&s->code[i], work);
    for (size_t j = 0; j < s->outs; j++) out[j] = work[s->out[j]];
}
