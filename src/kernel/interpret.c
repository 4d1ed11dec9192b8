/* SPDX-License-Identifier: Apache-2.0
 * The interpreter: blocks of lanes, one loop per instruction; and a way of its own for a single lane. The bits are the
 * same. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call the C library stay as they are */
#endif
#include "kernel/interpret.h"
#include "base/math.h"

#include <string.h>

/* No iteration reads what another one writes, though a result may lie where an operand lay. */
#if defined(__clang__)
#define VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#define WIDE ""
#elif defined(__GNUC__)
#define VECTOR_LOOP _Pragma("GCC ivdep")
#define WIDE ",prefer-vector-width=512"
#else
#define VECTOR_LOOP
#endif

#if defined(__x86_64__) && !defined(__FMA__)
#define CHOOSE_ISA /* the baseline has no fma instruction: look at the processor */
#else
#define WITH_TAPE
#endif

#define TARGET
#define ISA(name) name##_base
#include "kernel/lanes.inc"
#include "kernel/one.inc"

#ifdef CHOOSE_ISA
#define WITH_TAPE
#undef TARGET
#undef ISA
#define TARGET __attribute__((target("avx2,fma,bmi,bmi2")))
#define ISA(name) name##_v3
#include "kernel/lanes.inc"
#include "kernel/one.inc"
#undef TARGET
#undef ISA
#define TARGET __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512dq,avx512vl,avx512bw" WIDE)))
#define ISA(name) name##_v4
#include "kernel/lanes.inc"
#endif

/* ---- which loops */

typedef void (*lanes_fn)(const struct actio_section *s, double *const *reg, size_t n);
typedef void (*tape_fn)(const struct actio_tape *tape, double *w);

static lanes_fn lanes_loop(void)
{
#ifdef CHOOSE_ISA
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return run_lanes_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_lanes_v3;
#endif
    return run_lanes_base;
}

/* NULL where fma is a library call: there the tape is slower than the instructions as they are. */
static tape_fn tape_loop(void)
{
#ifdef CHOOSE_ISA
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? run_tape_v3 : NULL;
#else
    return run_tape_base;
#endif
}

/* ---- the tape */

enum { ONE, MINUS_ONE, MINUS_ZERO }; /* its constants; x + y = fma(x, 1, y), x*y = fma(x, y, -0), exactly */

struct taping {
    struct actio_tape *tape;
    size_t fmas;
    uint32_t before, spare;
};

static uint32_t at(uint32_t reg) { return reg + ACTIO_TAPE_CONSTANTS; }

static void lay(struct taping *t, uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
    t->tape->fma[t->fmas++] = (struct actio_tape_fma){ dst, a, b, c };
    t->before++;
}

static void lay_stop(struct taping *t, const struct actio_instr *i)
{
    t->tape->stop[t->tape->stops++] =
        (struct actio_tape_stop){ t->before, { i->op, at(i->dst), at(i->a), i->b, i->c } };
    t->before = 0;
}

/* b and c are registers for some instructions, other things for others: only registers move. */
static void lay_instr(struct taping *t, const struct actio_instr *i)
{
    struct actio_instr moved = *i;
    switch (i->op) {
    case ACTIO_I_NEG: lay(t, at(i->dst), at(i->a), MINUS_ONE, MINUS_ZERO); return;
    case ACTIO_I_ADD: lay(t, at(i->dst), at(i->a), ONE, at(i->b)); return;
    case ACTIO_I_SUB: lay(t, at(i->dst), at(i->b), MINUS_ONE, at(i->a)); return;
    case ACTIO_I_MUL: lay(t, at(i->dst), at(i->a), at(i->b), MINUS_ZERO); return;
    case ACTIO_I_FMA: lay(t, at(i->dst), at(i->a), at(i->b), at(i->c)); return;
    case ACTIO_I_FMS:
        lay(t, t->spare, at(i->c), MINUS_ONE, MINUS_ZERO);
        lay(t, at(i->dst), at(i->a), at(i->b), t->spare);
        return;
    case ACTIO_I_FNMA:
        lay(t, t->spare, at(i->a), MINUS_ONE, MINUS_ZERO);
        lay(t, at(i->dst), t->spare, at(i->b), at(i->c));
        return;
    case ACTIO_I_POWI: break;
    default: moved.b = at(i->b); moved.c = at(i->c);
    }
    lay_stop(t, &moved);
}

void actio_tape_make(struct actio_arena *keep, const struct actio_section *s, struct actio_tape *tape)
{
    size_t fmas = 0, stops = 1;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t op = s->code[i].op;
        if (op == ACTIO_I_FMS || op == ACTIO_I_FNMA) fmas += 2;
        else if (op == ACTIO_I_NEG || op == ACTIO_I_ADD || op == ACTIO_I_SUB || op == ACTIO_I_MUL || op == ACTIO_I_FMA)
            fmas++;
        else stops++;
    }
    *tape = (struct actio_tape){ .fma = actio_arena_array(keep, fmas, sizeof *tape->fma),
                                 .stop = actio_arena_array(keep, stops, sizeof *tape->stop) };
    struct taping t = { .tape = tape, .spare = at(s->registers) };
    for (size_t i = 0; i < s->count; i++) lay_instr(&t, &s->code[i]);
    tape->stop[tape->stops++].fmas = t.before;
}

/* ---- scratch */

enum { BLOCK = 64, LEAST_BLOCK = 8, CACHE = 32 * 1024, LINE = 8 }; /* CACHE and LINE in doubles */

static size_t block_of(const struct actio_section *s)
{
    size_t block = BLOCK;
    while (block > LEAST_BLOCK && s->registers * block > CACHE) block /= 2;
    return block;
}

static size_t pointers(size_t count) { return (count * sizeof(double *) + sizeof(double) - 1) / sizeof(double); }

size_t actio_section_work(const struct actio_section *s)
{
    size_t one = ACTIO_TAPE_CONSTANTS + (size_t)s->registers + 1,
           many = pointers(s->registers) + s->registers * block_of(s) + LINE;
    return (one > many ? one : many) + s->registers; /* and the blame of actio_section_locate */
}

/* ---- one lane */

static void load_one(const struct actio_section *s, const struct actio_feed *feed, size_t lane, double *w)
{
    if (s->fixed) memcpy(w, feed->fixed, s->fixed * sizeof *w);
    w += s->fixed;
    for (uint32_t i = 0; i < s->loaded; i++) w[i] = feed->arg[i].p[(ptrdiff_t)lane * feed->arg[i].lane];
}

static void run_one(const struct actio_section *s, const struct actio_tape *tape, const struct actio_feed *feed,
                    double *const *out, double *work)
{
    double *w = work + ACTIO_TAPE_CONSTANTS;
    tape_fn run = tape_loop();
    load_one(s, feed, 0, w);
    if (run) {
        work[ONE] = 1;
        work[MINUS_ONE] = -1;
        work[MINUS_ZERO] = -0.0;
        run(tape, work);
    } else {
        for (size_t i = 0; i < s->count; i++) instr_one_base(&s->code[i], w);
    }
    for (size_t j = 0; j < s->outs; j++) *out[j] = w[s->out[j]];
}

/* ---- many lanes */

/* where each register's lanes lie: in the buffer, or where they were given */
struct block {
    double **reg, *buffer;
    size_t size;
};

static struct block open_block(const struct actio_section *s, double *work)
{
    double *buffer = work + pointers(s->registers);
    size_t off = (uintptr_t)buffer / sizeof *buffer % LINE;
    return (struct block){ (double **)(void *)work, buffer + (off ? LINE - off : 0), block_of(s) };
}

static void interpret_fill(double *to, double x, size_t n)
{
    for (size_t l = 0; l < n; l++) to[l] = x;
}

static void interpret_gather(double *to, const double *from, ptrdiff_t step, size_t n)
{
    for (size_t l = 0; l < n; l++) to[l] = from[(ptrdiff_t)l * step];
}

/* Shared values are spread once; those of one value a lane are read where they are. (Leaves are never written.) */
static void place_shared(const struct actio_section *s, const struct actio_feed *feed, struct block *b)
{
    for (uint32_t r = 0; r < s->registers; r++) b->reg[r] = b->buffer + r * b->size;
    if (feed->fixed_lanes == 1)
        for (uint32_t r = 0; r < s->fixed; r++) interpret_fill(b->reg[r], feed->fixed[r], b->size);
    for (uint32_t i = 0; i < s->loaded; i++)
        if (feed->arg[i].lane == 0) interpret_fill(b->reg[s->fixed + i], *feed->arg[i].p, b->size);
}

static void place_block(const struct actio_section *s, const struct actio_feed *feed, struct block *b, size_t first,
                        size_t n)
{
    if (feed->fixed_lanes != 1)
        for (uint32_t r = 0; r < s->fixed; r++)
            b->reg[r] = (double *)(uintptr_t)(feed->fixed + r * feed->fixed_lanes + first);
    for (uint32_t i = 0; i < s->loaded; i++) {
        const struct actio_arg *arg = &feed->arg[i];
        const double *from = arg->p + (ptrdiff_t)first * arg->lane;
        double **to = &b->reg[s->fixed + i];
        if (arg->lane == 1) *to = (double *)(uintptr_t)from;
        else if (arg->lane != 0) interpret_gather(*to = b->buffer + (s->fixed + i) * b->size, from, arg->lane, n);
    }
}

/* A temporary that ends as a result lives in the result's memory from the start. */
static void place_results(const struct actio_section *s, double *const *out, struct block *b, size_t first)
{
    for (size_t j = 0; j < s->outs; j++)
        if (s->out[j] >= s->fixed + s->loaded) b->reg[s->out[j]] = out[j] + first;
}

static void copy_results(const struct actio_section *s, double *const *out, const struct block *b, size_t first,
                         size_t n)
{
    for (size_t j = 0; j < s->outs; j++)
        if (b->reg[s->out[j]] != out[j] + first) memcpy(out[j] + first, b->reg[s->out[j]], n * sizeof **out);
}

static void run_many(const struct actio_section *s, size_t lanes, const struct actio_feed *feed, double *const *out,
                     double *work)
{
    struct block b = open_block(s, work);
    lanes_fn run = lanes_loop();
    place_shared(s, feed, &b);
    for (size_t first = 0; first < lanes; first += b.size) {
        size_t n = lanes - first < b.size ? lanes - first : b.size;
        place_block(s, feed, &b, first, n);
        place_results(s, out, &b, first);
        run(s, b.reg, n);
        copy_results(s, out, &b, first, n);
    }
}

void actio_section_run(const struct actio_section *s, const struct actio_tape *tape, size_t lanes,
                       struct actio_feed feed, double *const *out, double *work)
{
    if (lanes == 1) run_one(s, tape, &feed, out, work);
    else run_many(s, lanes, &feed, out, work);
}

/* ---- where a value stopped being finite */

static const uint8_t arity_of[] = {
#define INSTR(name, arity, value, ...) arity,
#include "kernel/instr.def"
#undef INSTR
};

/* Who is to blame for an instruction's result that is not finite: an operand that is not (of `if`, the branch taken),
 * or itself. */
static double blame_of(const struct actio_section *s, size_t i, const double *w, const double *blame)
{
    const struct actio_instr *instr = &s->code[i];
    uint32_t x[3] = { instr->a, instr->b, instr->c };
    if (instr->op == ACTIO_I_IF) x[w[x[0]] != 0 ? 2 : 1] = x[0];
    for (int k = 0; k < arity_of[instr->op]; k++)
        if (!isfinite(w[x[k]])) return blame[x[k]];
    return s->node[i];
}

uint32_t actio_section_locate(const struct actio_section *s, struct actio_feed feed, size_t lane, double *work)
{
    double *w = work, *blame = work + s->registers;
    load_one(s, &feed, lane, w);
    for (uint32_t r = 0; r < s->fixed + s->loaded; r++) blame[r] = s->leaf_node[r];
    for (size_t i = 0; i < s->count; i++) {
        double guilty = blame_of(s, i, w, blame);
        instr_one_base(&s->code[i], w);
        blame[s->code[i].dst] = guilty;
        if (s->code[i].op == ACTIO_I_SINCOS) blame[s->code[i].b] = guilty;
    }
    for (size_t j = 0; j < s->outs; j++)
        if (!isfinite(w[s->out[j]])) return (uint32_t)blame[s->out[j]];
    return 0;
}
