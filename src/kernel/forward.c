/* SPDX-License-Identifier: Apache-2.0
 * A program and its derivative along one direction: each instruction's value with its rate. Where all operands have the
 * rate 0 the result has, also where a slope is infinite. */
#include "base/math.h"
#include "kernel/compile.h"

static double choose_rate(bool first, double da, double db) { return first ? da : db; }

/* a^b with a and b moving; a constant exponent needs no logarithm */
static double rate_of_power(double a, double b, double r, double da, double db)
{
    double by_base = da == 0 ? 0 : b * actio_pow(a, b - 1) * da;
    return db == 0 ? by_base : by_base + r * actio_log(a) * db;
}

static const uint8_t arity_of[] = {
#define INSTR(name, arity, ...) arity,
#include "kernel/instr.def"
#undef INSTR
};

/* A register of an operand that the instruction does not have is that of the first. */
static uint32_t operand(const struct actio_instr *i, int which)
{
    if (arity_of[i->op] <= which) return i->a;
    return which == 1 ? i->b : i->c;
}

static void forward_sincos(const struct actio_instr *i, double *w, double *d)
{
    double s, c, da = d[i->a];
    actio_sincos(w[i->a], &s, &c);
    w[i->dst] = s;
    w[i->b] = c;
    d[i->dst] = da == 0 ? 0 : c * da;
    d[i->b] = da == 0 ? 0 : -s * da;
}

struct operands {
    double a, b, c, da, db, dc;
    int32_t k;
};

static double value_of(uint32_t op, double a, double b, double c, int32_t k)
{
    switch (op) {
#define INSTR(name, arity, value, rate, range, slope)                                                                  \
    case ACTIO_I_##name:                                                                                               \
        return (value);
#include "kernel/instr.def"
#undef INSTR
    default: return 0;
    }
}

static double rate_of(uint32_t op, const struct operands *x, double r)
{
    const double a = x->a, b = x->b, c = x->c, da = x->da, db = x->db, dc = x->dc;
    const int32_t k = x->k;
    (void)c;
    switch (op) {
#define INSTR(name, arity, value, rate, range, slope)                                                                  \
    case ACTIO_I_##name:                                                                                               \
        return (rate);
#include "kernel/instr.def"
#undef INSTR
    default: return 0;
    }
}

void actio_forward_instr(const struct actio_instr *i, double *w, double *d)
{
    if (i->op == ACTIO_I_SINCOS) {
        forward_sincos(i, w, d);
        return;
    }
    const uint32_t second = operand(i, 1), third = operand(i, 2);
    struct operands x = { w[i->a], w[second], w[third], d[i->a], d[second], d[third], (int32_t)i->b };
    bool still = x.da == 0 && x.db == 0 && x.dc == 0;
    double r = value_of(i->op, x.a, x.b, x.c, x.k);
    w[i->dst] = r;
    d[i->dst] = still ? 0 : rate_of(i->op, &x, r);
}

void actio_kernel_forward(const struct actio_kernel *k, const struct actio_arg *in, const double *rate,
                          const double *pre, double *out, double *out_rate, double *work)
{
    const struct actio_section *s = &actio_kernel_program(k)->body;
    double *w = work, *d = work + s->registers;
    for (uint32_t r = 0; r < s->fixed; r++) {
        w[r] = pre[r];
        d[r] = 0;
    }
    for (uint32_t i = 0; i < s->loaded; i++) {
        w[s->fixed + i] = *in[i].p;
        d[s->fixed + i] = rate[i];
    }
    for (size_t i = 0; i < s->count; i++) actio_forward_instr(&s->code[i], w, d);
    for (size_t j = 0; j < s->outs; j++) {
        out[j] = w[s->out[j]];
        out_rate[j] = d[s->out[j]];
    }
}
