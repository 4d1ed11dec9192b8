/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/narrow.h"
#include "kernel/compile.h"

#include <string.h>

/* The program with a number for every value, so that none is overwritten. */
struct test {
    uint32_t instr, operand, value;
    bool cosine;
};

struct actio_narrow {
    const struct actio_section *section;
    struct actio_instr *code;
    uint32_t *out, values;
    bool *feeds; /* by instruction: an operand of a tested one hangs on it */
    bool *reads; /* the same by input */
    struct test *test;
    size_t tests;
    struct actio_range *range;
    double *value, *rate, *missed;
};

static const uint8_t arity_of[] = {
#define INSTR(name, arity, ...) arity,
#include "kernel/instr.def"
#undef INSTR
};

/* Of an operation on these operands; PLAIN where it has no narrow features of its own. */
static struct actio_range slope_of(uint32_t op, struct actio_range A, struct actio_range B, int32_t k)
{
    (void)B;
    switch (op) {
#define INSTR(name, arity, value, rate, range, slope)                                                                  \
    case ACTIO_I_##name:                                                                                               \
        return (slope);
#include "kernel/instr.def"
#undef INSTR
    default: return PLAIN;
    }
}

static bool is_tested(const struct actio_instr *i)
{
    struct actio_range one = actio_range_at(1), s = slope_of(i->op, one, one, (int32_t)i->b);
    return s.lo <= s.hi;
}

/* ---- making one */

static void number_values(struct actio_narrow *n, uint32_t *at)
{
    const struct actio_section *s = n->section;
    uint32_t next = s->fixed + s->loaded;
    for (uint32_t r = 0; r < s->registers; r++) at[r] = r;
    for (size_t i = 0; i < s->count; i++) {
        struct actio_instr x = s->code[i];
        int arity = arity_of[x.op];
        x.a = at[x.a];
        if (arity > 1) x.b = at[x.b];
        if (arity > 2) x.c = at[x.c];
        at[s->code[i].dst] = x.dst = next++;
        if (x.op == ACTIO_I_SINCOS) at[s->code[i].b] = x.b = next++;
        n->code[i] = x;
    }
    for (size_t j = 0; j < s->outs; j++) n->out[j] = at[s->out[j]];
    n->values = next;
}

static void add_test(struct actio_narrow *n, uint32_t i, bool cosine)
{
    const struct actio_instr *x = &n->code[i];
    n->test[n->tests++] = (struct test){ i, x->op == ACTIO_I_DIV ? x->b : x->a, cosine ? x->b : x->dst, cosine };
}

/* Instructions from the last to the first: what feeds the operand of a tested one. wanted: by value. */
static void find_tests(struct actio_narrow *n, bool *wanted)
{
    for (uint32_t i = 0; i < n->section->count; i++) {
        if (!is_tested(&n->code[i])) continue;
        add_test(n, i, false);
        if (n->code[i].op == ACTIO_I_SINCOS) add_test(n, i, true);
        wanted[n->code[i].a] = true;
        if (arity_of[n->code[i].op] > 1) wanted[n->code[i].b] = true;
    }
    for (size_t i = n->section->count; i-- > 0;) {
        const struct actio_instr *x = &n->code[i];
        bool sincos = x->op == ACTIO_I_SINCOS;
        n->feeds[i] = wanted[x->dst] || (sincos && wanted[x->b]);
        if (!n->feeds[i]) continue;
        wanted[x->a] = true;
        if (arity_of[x->op] > 1) wanted[x->b] = true;
        if (arity_of[x->op] > 2) wanted[x->c] = true;
    }
}

struct actio_narrow *actio_narrow_open(struct actio_context *ctx, const struct actio_kernel *k)
{
    const struct actio_section *s = &actio_kernel_program(k)->body;
    size_t values = s->fixed + s->loaded + 2 * s->count + 1;
    struct actio_narrow *n = actio_alloc(ctx, 1, sizeof *n);
    uint32_t *at = actio_alloc(ctx, s->registers + 1, sizeof *at);
    bool *wanted = actio_alloc(ctx, values, sizeof *wanted);
    if (n) {
        n->section = s;
        n->code = actio_alloc(ctx, s->count + 1, sizeof *n->code);
        n->out = actio_alloc(ctx, s->outs + 1, sizeof *n->out);
        n->feeds = actio_alloc(ctx, s->count + 1, sizeof *n->feeds);
        n->reads = actio_alloc(ctx, s->loaded + 1, sizeof *n->reads);
        n->test = actio_alloc(ctx, 2 * s->count + 1, sizeof *n->test);
        n->range = actio_alloc(ctx, values, sizeof *n->range);
        n->value = actio_alloc(ctx, 3 * values, sizeof *n->value);
        n->rate = n->value + values;
        n->missed = n->rate + values;
    }
    bool good = n && at && wanted && n->code && n->out && n->feeds && n->reads && n->test && n->range && n->value;
    if (good) {
        number_values(n, at);
        find_tests(n, wanted);
        memcpy(n->reads, wanted + s->fixed, s->loaded * sizeof *n->reads);
    }
    actio_free(ctx, at);
    actio_free(ctx, wanted);
    if (good) return n;
    actio_narrow_close(n, ctx);
    return NULL;
}

void actio_narrow_close(struct actio_narrow *n, struct actio_context *ctx)
{
    if (!n) return;
    void *parts[] = { n->code, n->out, n->feeds, n->reads, n->test, n->range, n->value };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(ctx, parts[i]);
    actio_free(ctx, n);
}

size_t actio_narrow_tests(const struct actio_narrow *n) { return n->tests; }
bool actio_narrow_reads(const struct actio_narrow *n, size_t input) { return n->reads[input]; }
uint32_t actio_narrow_node(const struct actio_narrow *n, size_t test) { return n->section->node[n->test[test].instr]; }

/* ---- at a point */

/* Of a quotient the inverse of the divisor is tested: a product has no features of its own. Sine and cosine are the
 * slopes of each other. */
static struct actio_narrow_point point_of(struct actio_narrow *n, const struct test *t)
{
    const struct actio_instr *x = &n->code[t->instr];
    double a = n->value[t->operand];
    if (t->cosine) return (struct actio_narrow_point){ a, n->value[x->b], fabs(n->value[x->dst]) };
    if (x->op == ACTIO_I_DIV) return (struct actio_narrow_point){ a, 1 / a, 1 / (a * a) };
    n->rate[t->operand] = 1;
    actio_forward_instr(x, n->value, n->rate);
    n->rate[t->operand] = 0;
    struct actio_narrow_point p = { a, n->value[t->value], fabs(n->rate[t->value]) };
    n->rate[x->dst] = 0;
    if (x->op == ACTIO_I_SINCOS) n->rate[x->b] = 0;
    return p;
}

void actio_narrow_sample(struct actio_narrow *n, const double *in, const double *pre, struct actio_narrow_point *out)
{
    const struct actio_section *s = n->section;
    memset(n->rate, 0, n->values * sizeof *n->rate);
    for (uint32_t r = 0; r < s->fixed; r++) n->value[r] = pre[r];
    for (uint32_t i = 0; i < s->loaded; i++) n->value[s->fixed + i] = in[i];
    for (size_t i = 0; i < s->count; i++)
        if (n->feeds[i]) actio_forward_instr(&n->code[i], n->value, n->rate);
    for (size_t k = 0; k < n->tests; k++) out[k] = point_of(n, &n->test[k]);
}

/* ---- over ranges */

static void load_ranges(struct actio_narrow *n, const struct actio_range *in, const double *pre)
{
    const struct actio_section *s = n->section;
    for (uint32_t r = 0; r < s->fixed; r++) n->range[r] = isnan(pre[r]) ? ACTIO_RANGE_ALL : actio_range_at(pre[r]);
    for (uint32_t i = 0; i < s->loaded; i++) n->range[s->fixed + i] = in[i];
}

/* A slope may be anything where the operand's range is endless. */
static struct actio_range slope_over(const struct actio_narrow *n, const struct test *t)
{
    const struct actio_instr *x = &n->code[t->instr];
    struct actio_range A = n->range[x->a], B = arity_of[x->op] > 1 ? n->range[x->b] : A, s;
    if (x->op == ACTIO_I_SINCOS) return n->range[t->cosine ? x->dst : x->b];
    if (arity_of[x->op] > 1 && x->a == x->b) return ACTIO_RANGE_ALL; /* x^x: both operands move */
    s = slope_of(x->op, A, B, (int32_t)x->b);
    return s.lo == s.lo && s.hi == s.hi ? s : ACTIO_RANGE_ALL;
}

static struct actio_range value_over(const struct actio_narrow *n, const struct test *t)
{
    if (n->code[t->instr].op != ACTIO_I_DIV) return n->range[t->value];
    return actio_range_div(actio_range_at(1), n->range[t->operand]);
}

void actio_narrow_enclose(struct actio_narrow *n, const struct actio_range *in, const double *pre,
                          struct actio_narrow_range *out)
{
    size_t next = 0;
    load_ranges(n, in, pre);
    for (uint32_t i = 0; i < n->section->count; i++) {
        bool tested = next < n->tests && n->test[next].instr == i;
        if (n->feeds[i] || tested) actio_enclose_instr(&n->code[i], n->range);
        for (; next < n->tests && n->test[next].instr == i; next++) {
            const struct test *t = &n->test[next];
            out[next] = (struct actio_narrow_range){ n->range[t->operand], value_over(n, t), slope_over(n, t) };
        }
    }
}

/* Within this width of its operand an operation changes by a factor of about 2 at most; 0: it is not known. */
static double scale_of(const struct actio_instr *x, struct actio_range a)
{
    double nearest = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0;
    switch (x->op) {
    case ACTIO_I_SINCOS:
    case ACTIO_I_EXP:
    case ACTIO_I_SINH:
    case ACTIO_I_COSH:
    case ACTIO_I_TANH:
    case ACTIO_I_ATAN:
    case ACTIO_I_ERF: return 0.7;
    case ACTIO_I_INV:
    case ACTIO_I_DIV:
    case ACTIO_I_SQRT:
    case ACTIO_I_LOG: return 0.5 * nearest;
    case ACTIO_I_POWI: return 0.5 * nearest / fmax(1, fabs((double)(int32_t)x->b));
    default: return 0;
    }
}

bool actio_narrow_is_calm(struct actio_narrow *n, const struct actio_range *in, const double *pre)
{
    size_t next = 0;
    load_ranges(n, in, pre);
    for (uint32_t i = 0; i < n->section->count; i++) {
        if (n->feeds[i]) actio_enclose_instr(&n->code[i], n->range);
        for (; next < n->tests && n->test[next].instr == i; next++) {
            struct actio_range a = n->range[n->test[next].operand];
            if (!(a.hi - a.lo <= scale_of(&n->code[i], a))) return false;
        }
    }
    return true;
}

static double largest_in(struct actio_range a) { return fmax(fabs(a.lo), fabs(a.hi)); }
static double width_of(struct actio_range a) { return a.hi - a.lo; }
/* Nothing that is missed stays nothing, whatever it is multiplied with. */
static double scaled(double by, double missed) { return missed == 0 ? 0 : by * missed; }

static double missed_of_quotient(struct actio_range a, struct actio_range b, double of_a, double of_b)
{
    double inverse = largest_in(actio_range_div(actio_range_at(1), b));
    return scaled(inverse, of_a) + scaled(largest_in(a) * inverse * inverse, of_b);
}

/* What is missed of a result where so much of its operands is; a tested one adds its own. */
static double missed_of(const struct actio_narrow *n, const struct actio_instr *x)
{
    const double *m = n->missed;
    const struct actio_range *w = n->range;
    switch (x->op) {
    case ACTIO_I_NEG: return m[x->a];
    case ACTIO_I_ADD:
    case ACTIO_I_SUB: return m[x->a] + m[x->b];
    case ACTIO_I_MUL: return scaled(largest_in(w[x->a]), m[x->b]) + scaled(largest_in(w[x->b]), m[x->a]);
    case ACTIO_I_FMA:
    case ACTIO_I_FMS:
    case ACTIO_I_FNMA: return scaled(largest_in(w[x->a]), m[x->b]) + scaled(largest_in(w[x->b]), m[x->a]) + m[x->c];
    case ACTIO_I_DIV: return fmin(width_of(w[x->dst]), missed_of_quotient(w[x->a], w[x->b], m[x->a], m[x->b]));
    default: break;
    }
    bool any = m[x->a] > 0 || (arity_of[x->op] > 1 && m[x->b] > 0) || (arity_of[x->op] > 2 && m[x->c] > 0);
    struct actio_range s = slope_of(x->op, w[x->a], arity_of[x->op] > 1 ? w[x->b] : w[x->a], (int32_t)x->b);
    bool one = arity_of[x->op] == 1 && s.lo <= s.hi;
    return !any ? 0 : one ? fmin(width_of(w[x->dst]), scaled(largest_in(s), m[x->a])) : width_of(w[x->dst]);
}

static void add_own(struct actio_narrow *n, const struct test *t, double own)
{
    const struct actio_instr *x = &n->code[t->instr];
    if (own > 0) n->missed[t->value] += x->op == ACTIO_I_DIV ? largest_in(n->range[x->a]) * own : own;
}

void actio_narrow_missed(struct actio_narrow *n, const struct actio_range *in, const double *pre, const double *missed,
                         double *out)
{
    size_t next = 0;
    load_ranges(n, in, pre);
    memset(n->missed, 0, n->values * sizeof *n->missed);
    for (uint32_t i = 0; i < n->section->count; i++) {
        const struct actio_instr *x = &n->code[i];
        actio_enclose_instr(x, n->range);
        n->missed[x->dst] = missed_of(n, x);
        if (x->op == ACTIO_I_SINCOS) n->missed[x->b] = n->missed[x->dst];
        for (; next < n->tests && n->test[next].instr == i; next++) add_own(n, &n->test[next], missed[next]);
    }
    for (size_t j = 0; j < n->section->outs; j++) out[j] = n->missed[n->out[j]];
}
