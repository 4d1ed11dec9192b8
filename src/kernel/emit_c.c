/* SPDX-License-Identifier: Apache-2.0
 * Programs as C text. Every name is made here and every number is written in hexadecimal: nothing of the model's text
 * gets in. */
#include "kernel/compile.h"
#include "math_text.h"

#include <string.h>

static const struct {
    const char *value;
    int arity;
} instr[] = {
#define INSTR(name, arity, value, ...) { #value, arity },
#include "kernel/instr.def"
#undef INSTR
};

/* A register's current name: x of an input, f of a fixed value, v of a result (w: of its cosine), or a literal. */
struct name {
    char letter;
    uint32_t number;
    double value;
};

struct emission {
    struct actio_text *text;
    const struct actio_program *program;
    const struct actio_section *section;
    struct name *name; /* by register */
    unsigned index;    /* of the kernel in this text */
};

static void emit_c_add(struct emission *e, const char *s) { actio_text_add(e->text, s); }

/* ---- numbers and names */

/* printf's %a would follow the locale. */
static void add_number(struct emission *e, double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    unsigned power = (unsigned)(u >> 52 & 2047);
    unsigned long long digits = (unsigned long long)(u & 0xfffffffffffff);
    const char *sign = u >> 63 ? "-" : "";
    if (power == 2047) actio_text_format(e->text, digits ? "NAN" : "(%sHUGE_VAL)", sign);
    else if (power) actio_text_format(e->text, "(%s0x1.%013llxp%d)", sign, digits, (int)power - 1023);
    else actio_text_format(e->text, "(%s0x0.%013llxp-1022)", sign, digits);
}

static void add_name(struct emission *e, const struct name *n)
{
    if (n->letter == '#') add_number(e, n->value);
    else actio_text_format(e->text, "%c%u", n->letter, n->number);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The value's text of instr.def with a, b, c and k replaced. */
static void add_value(struct emission *e, const struct actio_instr *i)
{
    for (const char *s = instr[i->op].value, *end; *s; s = end) {
        end = s + 1;
        if (!letter(*s)) {
            actio_text_bytes(e->text, s, 1);
            continue;
        }
        while (letter(*end)) end++;
        bool single = end == s + 1;
        if (single && *s == 'a') add_name(e, &e->name[i->a]);
        else if (single && *s == 'b') add_name(e, &e->name[i->b]);
        else if (single && *s == 'c') add_name(e, &e->name[i->c]);
        else if (single && *s == 'k') actio_text_format(e->text, "(%d)", (int)(int32_t)i->b);
        else actio_text_bytes(e->text, s, (size_t)(end - s));
    }
}

/* ---- straight-line code */

/* How a sine and cosine are requested: one lane decides at once, many note who must be done again. */
static const char at_once[] = "        double v%u, w%u; actio_sincos(";
static const char noted[] = "        double v%u, w%u; away[l] |= actio_sincos_near(";

static void add_code(struct emission *e, const char *sincos)
{
    for (uint32_t j = 0; j < e->section->count; j++) {
        const struct actio_instr *i = &e->section->code[j];
        if (i->op == ACTIO_I_SINCOS) {
            actio_text_format(e->text, sincos, j, j);
            add_name(e, &e->name[i->a]);
            actio_text_format(e->text, ", &v%u, &w%u);\n", j, j);
            e->name[i->b] = (struct name){ .letter = 'w', .number = j };
        } else {
            actio_text_format(e->text, "        const double v%u = ", j);
            add_value(e, i);
            emit_c_add(e, ";\n");
        }
        e->name[i->dst] = (struct name){ .letter = 'v', .number = j };
    }
}

/* The leaves' names; body values that the prologue only passes through are literals again. */
static void name_leaves(struct emission *e)
{
    const struct actio_section *s = e->section, *prologue = &e->program->prologue;
    bool body = s == &e->program->body;
    for (uint32_t r = 0; r < s->fixed; r++) {
        uint32_t from = body ? prologue->out[r] : r;
        e->name[r] =
            from < prologue->fixed ? (struct name){ '#', r, e->program->literal[from] } : (struct name){ 'f', r, 0 };
    }
    for (uint32_t i = 0; i < s->loaded; i++) e->name[s->fixed + i] = (struct name){ 'x', i, 0 };
}

/* One line for each leaf that is not a literal; `fixed` and `loaded` are formats with two numbers. */
static void add_leaves(struct emission *e, const char *fixed, const char *loaded)
{
    const struct actio_section *s = e->section;
    name_leaves(e);
    for (uint32_t r = 0; r < s->fixed; r++)
        if (e->name[r].letter == 'f') actio_text_format(e->text, fixed, r, r);
    for (uint32_t i = 0; i < s->loaded; i++) actio_text_format(e->text, loaded, i, i);
}

/* `result` is a format with two numbers, closed by the value. */
static void add_results(struct emission *e, const char *result)
{
    for (uint32_t j = 0; j < e->section->outs; j++) {
        actio_text_format(e->text, result, j, j);
        add_name(e, &e->name[e->section->out[j]]);
        emit_c_add(e, ";\n");
    }
}

/* ---- functions */

static const char preamble[] =
    "#include <stddef.h>\n"
    "struct arg { const double *p; ptrdiff_t lane; };\n"
    "typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));\n"
    "#define EXPORT __attribute__((visibility(\"default\")))\n"
    "static inline double value(const struct arg *in, size_t l) { return in->p[(ptrdiff_t)l * in->lane]; }\n"
    "static __attribute__((noinline)) const double *spread(double *to, const double *p, ptrdiff_t step, size_t first, "
    "size_t n)\n"
    "{\n"
    "    if (step == 0) { if (first == 0) for (size_t l = 0; l < n; l++) to[l] = *p; return to; }\n"
    "    for (size_t l = 0; l < n; l++) to[l] = p[(ptrdiff_t)(first + l) * step];\n"
    "    return to;\n"
    "}\n"
    "/* The lanes first .. first+n-1 of a value side by side: where they are, or in `to`. */\n"
    "static inline const double *feed(double *to, const double *p, ptrdiff_t step, size_t first, size_t n)\n"
    "{\n"
    "    return step == 1 ? p + first : spread(to, p, step, first, n);\n"
    "}\n";

static void add_prologue(struct emission *e)
{
    e->section = &e->program->prologue;
    actio_text_format(e->text,
                      "EXPORT void actio_p%u(size_t lanes, const struct arg *in, double *pre)\n{\n"
                      "    for (size_t l = 0; l < lanes; l++) {\n",
                      e->index);
    add_leaves(e, "", "        const double x%u = value(in + %u, l);\n");
    add_code(e, at_once);
    add_results(e, "        pre[%u * lanes + l] = ");
    emit_c_add(e, "    }\n}\n");
}

static bool has_sincos(const struct actio_section *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->code[i].op == ACTIO_I_SINCOS) return true;
    return false;
}

/* Lanes a block holds: what is spread over lanes should stay in the first cache. */
static unsigned block_of(const struct actio_section *s)
{
    unsigned block = 64;
    while (block > 8 && (size_t)(s->fixed + s->loaded) * block > 4096) block /= 2;
    return block;
}

/* Lanes whose sine needs the long way are done again, separately, by the exported function. */
static void add_again(struct emission *e)
{
    const struct actio_section *s = e->section;
    actio_text_format(e->text,
                      "static __attribute__((noinline)) void again%u(size_t l, const struct arg *in, const double "
                      "*pre, size_t pre_lanes, double *const *out)\n"
                      "{\n    struct arg at[%u]; double own[%u], *to[%u];\n",
                      e->index, s->loaded + 1, s->fixed + 1, (unsigned)s->outs + 1);
    actio_text_format(
        e->text, "    for (size_t i = 0; i < %u; i++) at[i].p = in[i].p + (ptrdiff_t)l * in[i].lane, at[i].lane = 0;\n",
        s->loaded);
    actio_text_format(e->text,
                      "    for (size_t i = 0; i < %u; i++) own[i] = pre[i * pre_lanes + (pre_lanes == 1 ? 0 : l)];\n",
                      s->fixed);
    actio_text_format(e->text, "    for (size_t i = 0; i < %u; i++) to[i] = out[i] + l;\n", (unsigned)s->outs);
    actio_text_format(e->text, "    actio_e%u(1, at, own, 1, to);\n}\n", e->index);
}

/* Where all lanes of all inputs lie side by side there is nothing to spread, and one block holds them all. */
static void add_block(struct emission *e, bool sincos)
{
    const struct actio_section *s = e->section;
    emit_c_add(e, "    size_t most = block;\n");
    for (uint32_t r = 0; r < s->fixed; r++) sincos |= e->name[r].letter == 'f';
    if (sincos || s->loaded == 0) return;
    emit_c_add(e, "    if (1");
    for (uint32_t i = 0; i < s->loaded; i++) actio_text_format(e->text, " & (in[%u].lane == 1)", i);
    emit_c_add(e, ") most = lanes;\n");
}

enum { MOST_WIDE = 1500 }; /* operations: a compiler takes three times as long for all lanes at once */

static void add_many(struct emission *e, bool sincos)
{
    const struct actio_section *s = e->section;
    unsigned block = block_of(s);
    actio_text_format(
        e->text,
        "static __attribute__((noinline)) %s void many%u(size_t lanes, const struct arg *in, const double "
        "*pre, size_t pre_lanes, double *const *out)\n"
        "{\n    enum { block = %u };\n    double to[%u][block] __attribute__((aligned(64)));\n",
        e->program->wide && s->count <= MOST_WIDE ? "WIDE" : "", e->index, block, s->fixed + s->loaded + 1);
    name_leaves(e);
    add_block(e, sincos);
    emit_c_add(e,
               "    for (size_t first = 0; first < lanes; first += most) {\n        size_t n = lanes - first < most ? "
               "lanes - first : most;\n");
    if (sincos) emit_c_add(e, "        uint64_t away[block] = { 0 }, any = 0;\n");
    for (uint32_t r = 0; r < s->fixed; r++)
        if (e->name[r].letter == 'f')
            actio_text_format(
                e->text, "        const double *pf%u = feed(to[%u], pre + %u * pre_lanes, pre_lanes != 1, first, n);\n",
                r, r, r);
    for (uint32_t i = 0; i < s->loaded; i++)
        actio_text_format(e->text, "        const double *px%u = feed(to[%u], in[%u].p, in[%u].lane, first, n);\n", i,
                          s->fixed + i, i, i);
    for (uint32_t j = 0; j < s->outs; j++)
        actio_text_format(e->text, "        double *po%u = out[%u] + first;\n", j, j);
    emit_c_add(e, "        LOOP for (size_t l = 0; l < n; l++) {\n");
    add_leaves(e, "        const double f%u = pf%u[l];\n", "        const double x%u = px%u[l];\n");
    add_code(e, noted);
    add_results(e, "        po%u[l] = ");
    if (sincos) emit_c_add(e, "        any |= away[l];\n");
    emit_c_add(e, "        }\n");
    if (sincos)
        actio_text_format(e->text,
                          "        if (any) for (size_t l = 0; l < n; l++) if (away[l]) again%u(first + l, in, pre, "
                          "pre_lanes, out);\n",
                          e->index);
    emit_c_add(e, "    }\n}\n");
}

static void add_one(struct emission *e)
{
    actio_text_format(e->text,
                      "EXPORT void actio_e%u(size_t lanes, const struct arg *in, const double *pre, size_t pre_lanes, "
                      "double *const *out)\n{\n"
                      "    if (lanes != 1) { many%u(lanes, in, pre, pre_lanes, out); return; }\n",
                      e->index, e->index);
    add_leaves(e, "        const double f%u = pre[%u];\n", "        const double x%u = *in[%u].p;\n");
    add_code(e, at_once);
    add_results(e, "        *out[%u] = ");
    emit_c_add(e, "}\n");
}

/* Outputs from..to at `where`; pairs begin at even places. */
static void add_pairs(struct emission *e, const char *where, size_t from, size_t to, bool odd)
{
    for (size_t j = from; j < to;) {
        bool pair = (j - from + odd) % 2 == 0 && j + 1 < to;
        actio_text_format(e->text, pair ? "    *(pair *)(%s + %u) = (pair){ " : "    %s[%u] = ", where,
                          (unsigned)(j - from));
        add_name(e, &e->name[e->section->out[j++]]);
        if (pair) {
            emit_c_add(e, ", ");
            add_name(e, &e->name[e->section->out[j++]]);
        }
        emit_c_add(e, pair ? " };\n" : ";\n");
    }
}

/* A single lane whose outputs lie side by side. */
static void add_side_by_side(struct emission *e)
{
    size_t head = e->program->head;
    actio_text_format(e->text,
                      "EXPORT void actio_o%u(const struct arg *in, const double *pre, double *head, double *rest)\n{\n",
                      e->index);
    add_leaves(e, "        const double f%u = pre[%u];\n", "        const double x%u = *in[%u].p;\n");
    add_code(e, at_once);
    add_pairs(e, "head", 0, head, e->program->odd);
    add_pairs(e, "rest", head, e->section->outs, false);
    emit_c_add(e, "}\n");
}

static void add_body(struct emission *e)
{
    e->section = &e->program->body;
    bool sincos = has_sincos(e->section);
    actio_text_format(e->text,
                      "EXPORT void actio_e%u(size_t lanes, const struct arg *in, const double *pre, size_t pre_lanes, "
                      "double *const *out);\n",
                      e->index);
    if (sincos) add_again(e);
    add_many(e, sincos);
    add_one(e);
    if (e->program->split) add_side_by_side(e);
}

const char *actio_emit_c(struct actio_arena *arena, struct actio_kernel *const *kernels, size_t n)
{
    struct actio_text text;
    actio_text_open(&text, arena);
    actio_text_add(&text, math_text);
    actio_text_add(&text, preamble);
    /* at -O1 gcc makes one lane at a time of a loop, but on request */
    actio_text_add(&text,
                   "#ifdef __clang__\n#define LOOP _Pragma(\"clang loop vectorize(assume_safety)\")\n#define WIDE\n"
                   "#else\n#define LOOP _Pragma(\"GCC ivdep\")\n"
                   "#define WIDE __attribute__((optimize(\"tree-loop-vectorize\", \"vect-cost-model=dynamic\", "
                   "\"expensive-optimizations\")))\n"
                   "#endif\n");
    for (size_t i = 0; i < n; i++) {
        const struct actio_program *p = actio_kernel_program(kernels[i]);
        uint32_t most = p->body.registers > p->prologue.registers ? p->body.registers : p->prologue.registers;
        struct emission e = {
            .text = &text, .program = p, .index = (unsigned)i, .name = actio_arena_array(arena, most, sizeof *e.name)
        };
        if (p->prologue.count) add_prologue(&e);
        add_body(&e);
    }
    return text.s;
}
