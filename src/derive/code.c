/* SPDX-License-Identifier: Apache-2.0
 * Formulas as C: one pass, operands first. A value used twice, or too long for a line, gets a name; everything else
 * stays where it is used. */
#include "derive/code.h"

#include <math.h>
#include <string.h>

enum { LONG = 88 };
enum binding { SUM, PRODUCT, UNARY, PRIMARY };
struct piece {
    const char *text;
    uint8_t binding;
};
struct pass {
    struct actio_emitter *c;
    const uint32_t *id;
    uint32_t *uses, *place;
    struct piece *piece; /* by place in the cone */
};

/* ---- numbers and names */

void actio_code_number(struct actio_text *out, double x)
{
    char s[32];
    if (!isfinite(x)) {
        actio_text_add(out, isnan(x) ? "NAN" : x > 0 ? "HUGE_VAL" : "(-HUGE_VAL)");
        return;
    }
    actio_number_text(fabs(x), s);
    bool whole = !strpbrk(s, ".e");
    actio_text_format(out, signbit(x) && x != 0 ? "(-%s%s)" : "%s%s", s, whole ? ".0" : "");
}

static const char *format_number(struct pass *p, double x)
{
    struct actio_text t;
    actio_text_open(&t, &p->c->d->arena);
    actio_code_number(&t, x);
    return t.s;
}

static const char *symbol(struct pass *p, actio_slot slot)
{
    struct actio_arena *a = &p->c->d->arena;
    size_t n = p->c->d->F->n;
    switch (slot.space) {
    case ACTIO_SPACE_T: p->c->uses.t = true; return "t";
    case ACTIO_SPACE_PARAM: p->c->uses.p = true; return actio_arena_format(a, "p[%u]", (unsigned)slot.index);
    case ACTIO_SPACE_HELD:
        p->c->uses.p = true;
        return actio_arena_format(a, "p[%zu]", p->c->d->model->params + slot.index); /* behind the params */
    case ACTIO_SPACE_Q: p->c->uses.y = true; return actio_arena_format(a, "y[%u]", (unsigned)slot.index);
    case ACTIO_SPACE_V: p->c->uses.y = true; return actio_arena_format(a, "y[%zu]", n + slot.index);
    case ACTIO_SPACE_STATE: p->c->uses.y = true; return actio_arena_format(a, "y[%zu]", 2 * n + slot.index);
    case ACTIO_SPACE_LAMBDA:
        p->c->uses.y = true;
        return actio_arena_format(a, "y[%zu]", 2 * n + p->c->d->F->m + slot.index); /* multipliers that evolve */
    default: return "NAN"; /* nothing that the equations are made of */
    }
}

/* ---- pieces of text */

static struct piece name_it(struct pass *p, struct piece x)
{
    struct actio_emitter *c = p->c;
    uint32_t k = ++c->temporaries;
    actio_text_format(&c->out, "    const double x%u = %s;\n", (unsigned)k, x.text);
    return (struct piece){ actio_arena_format(&c->d->arena, "x%u", (unsigned)k), PRIMARY };
}

/* The operand, in brackets if it binds less than its place requires. */
static const char *operand(struct pass *p, uint32_t id, enum binding need)
{
    struct piece x = p->piece[p->place[id]];
    return x.binding < need ? actio_arena_format(&p->c->d->arena, "(%s)", x.text) : x.text;
}

static bool is_short(const char *s) { return strlen(s) < 8 && !strpbrk(s, " *(/"); }

/* The operand as a name that may be written twice. */
static const char *named(struct pass *p, uint32_t id)
{
    struct piece *x = &p->piece[p->place[id]];
    if (x->binding != PRIMARY || !is_short(x->text)) *x = name_it(p, *x);
    return x->text;
}

static struct piece two(struct pass *p, const struct actio_node *n, const char *sign, enum binding class)
{
    bool commutes = n->op == ACTIO_ADD || n->op == ACTIO_MUL;
    const char *a = operand(p, n->a, class), *b = operand(p, n->b, commutes ? class : class + 1);
    return (struct piece){ actio_arena_format(&p->c->d->arena, "%s%s%s", a, sign, b), (uint8_t) class };
}

/* Up to cubes are products; negative ones one over them. */
static struct piece power(struct pass *p, uint32_t base, int32_t k)
{
    static const char *const product[] = { "", "%s", "%s*%s", "%s*%s*%s" };
    struct actio_arena *a = &p->c->d->arena;
    uint32_t size = k < 0 ? 0u - (uint32_t)k : (uint32_t)k;
    const char *x = named(p, base);
    if (size == 0) return (struct piece){ "1.0", PRIMARY };
    if (size > 3) {
        p->c->needs_power = true;
        return (struct piece){ actio_arena_format(a, "%s_power(%s, %d)", p->c->name, x, (int)k), PRIMARY };
    }
    const char *text = size == 1   ? actio_arena_format(a, product[1], x)
                       : size == 2 ? actio_arena_format(a, product[2], x, x)
                                   : actio_arena_format(a, product[3], x, x, x);
    if (k < 0) text = actio_arena_format(a, size == 1 ? "1.0/%s" : "1.0/(%s)", text);
    return (struct piece){ text, k == 1 ? PRIMARY : PRODUCT };
}

static struct piece call(struct pass *p, const struct actio_node *n, const char *function)
{
    struct actio_arena *a = &p->c->d->arena;
    if (actio_arity((enum actio_op)n->op) == 1)
        return (struct piece){ actio_arena_format(a, "%s(%s)", function, operand(p, n->a, SUM)), PRIMARY };
    return (struct piece){ actio_arena_format(a, "%s(%s, %s)", function, operand(p, n->a, SUM), operand(p, n->b, SUM)),
                           PRIMARY };
}

static struct piece choice(struct pass *p, const char *condition, const char *a, const char *b)
{
    return (struct piece){ actio_arena_format(&p->c->d->arena, "(%s ? %s : %s)", condition, a, b), PRIMARY };
}

static struct piece smaller_or_larger(struct pass *p, const struct actio_node *n)
{
    const char *a = named(p, n->a), *b = named(p, n->b);
    return choice(p, actio_arena_format(&p->c->d->arena, "%s %c %s", a, n->op == ACTIO_MIN ? '<' : '>', b), a, b);
}

/* The remainder with the sign of the divisor, which fmod does not have. */
static struct piece remainder_of(struct pass *p, const struct actio_node *n)
{
    const char *a = named(p, n->a), *b = named(p, n->b);
    return (struct piece){ actio_arena_format(&p->c->d->arena, "%s - %s*floor(%s/%s)", a, b, a, b), SUM };
}

/* Conditions are written where they are used; brackets keep them apart. */
static struct piece condition(struct pass *p, const struct actio_node *n)
{
    struct actio_arena *a = &p->c->d->arena;
    const char *first = p->piece[p->place[n->a]].text;
    if (n->op == ACTIO_NOT) return (struct piece){ actio_arena_format(a, "!(%s)", first), PRIMARY };
    return (struct piece){ actio_arena_format(a, n->op == ACTIO_AND ? "(%s && %s)" : "(%s || %s)", first,
                                              p->piece[p->place[n->b]].text),
                           PRIMARY };
}

static const char *const functions[ACTIO_OP_COUNT] = {
    [ACTIO_SQRT] = "sqrt",   [ACTIO_SIN] = "sin",    [ACTIO_COS] = "cos",   [ACTIO_TAN] = "tan",
    [ACTIO_ASIN] = "asin",   [ACTIO_ACOS] = "acos",  [ACTIO_ATAN] = "atan", [ACTIO_SINH] = "sinh",
    [ACTIO_COSH] = "cosh",   [ACTIO_TANH] = "tanh",  [ACTIO_ERF] = "erf",   [ACTIO_EXP] = "exp",
    [ACTIO_LOG] = "log",     [ACTIO_ABS] = "fabs",   [ACTIO_POW] = "pow",   [ACTIO_ATAN2] = "atan2",
    [ACTIO_FLOOR] = "floor", [ACTIO_HYPOT] = "hypot"
};

static struct piece piece_of(struct pass *p, const struct actio_node *n)
{
    struct actio_arena *a = &p->c->d->arena;
    const struct actio_pool *pool = p->c->pool;
    switch ((enum actio_op)n->op) {
    case ACTIO_CONST: return (struct piece){ format_number(p, pool->value[n->a]), PRIMARY };
    case ACTIO_SYMBOL: return (struct piece){ symbol(p, pool->slot[n->a]), PRIMARY };
    case ACTIO_NEG:
        return (struct piece){ actio_arena_format(a, "-%s", operand(p, n->a, PRODUCT)),
                               p->piece[p->place[n->a]].binding == PRODUCT ? PRODUCT : UNARY };
    case ACTIO_ADD: return two(p, n, " + ", SUM);
    case ACTIO_SUB: return two(p, n, " - ", SUM);
    case ACTIO_MUL: return two(p, n, "*", PRODUCT);
    case ACTIO_DIV: return two(p, n, "/", PRODUCT);
    case ACTIO_POWI: return power(p, n->a, (int32_t)n->b);
    case ACTIO_SIGN: p->c->needs_sign = true; return call(p, n, actio_arena_format(a, "%s_sign", p->c->name));
    case ACTIO_MIN:
    case ACTIO_MAX: return smaller_or_larger(p, n);
    case ACTIO_LT:
    case ACTIO_LE:
        return (struct piece){
            actio_arena_format(a, n->op == ACTIO_LT ? "%s < %s" : "%s <= %s", named(p, n->a), named(p, n->b)), PRIMARY
        };
    case ACTIO_AND:
    case ACTIO_OR:
    case ACTIO_NOT: return condition(p, n);
    case ACTIO_MOD: return remainder_of(p, n);
    case ACTIO_IF: return choice(p, operand(p, n->a, SUM), operand(p, n->b, UNARY), operand(p, n->c, UNARY));
    default: return call(p, n, functions[n->op]);
    }
}

/* ---- the pass */

static bool is_condition(const struct actio_node *n)
{
    return n->op == ACTIO_LT || n->op == ACTIO_LE || n->op == ACTIO_AND || n->op == ACTIO_OR || n->op == ACTIO_NOT;
}
static bool is_leaf(const struct actio_node *n) { return n->op == ACTIO_CONST || n->op == ACTIO_SYMBOL; }

static void count_uses(struct pass *p, uint32_t count, const actio_expr *root, size_t n)
{
    const struct actio_pool *pool = p->c->pool;
    for (uint32_t i = 0; i < count; i++) {
        const struct actio_node *node = &pool->node[p->id[i]];
        const uint32_t arg[3] = { node->a, node->b, node->c };
        for (int k = actio_arity((enum actio_op)node->op); k-- > 0;) p->uses[p->place[arg[k]]]++;
    }
    for (size_t j = 0; j < n; j++) p->uses[p->place[root[j].id]]++;
}

void actio_code_values(struct actio_emitter *c, const actio_expr *root, size_t n, const char **value)
{
    struct actio_arena *a = &c->d->arena;
    struct actio_cone cone = actio_cone_of(c->pool, root, n);
    uint32_t *id = actio_arena_array(a, cone.count + 1, sizeof *id);
    if (c->places < c->pool->count) {
        c->places = 2 * (size_t)c->pool->count;
        c->place = actio_arena_array(a, c->places, sizeof *c->place);
    }
    struct pass p = { c, id, actio_arena_array(a, cone.count + 1, sizeof *p.uses), c->place,
                      actio_arena_array(a, cone.count + 1, sizeof *p.piece) };
    for (uint32_t i = 0; i < cone.count; i++) {
        id[i] = cone.id[i];
        p.place[id[i]] = i;
    }
    count_uses(&p, cone.count, root, n);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node node = c->pool->node[id[i]];
        if ((i & 1023) == 0) actio_poll(c->d->ctx);
        struct piece x = piece_of(&p, &node);
        bool worth = !is_leaf(&node) && !is_condition(&node) && (p.uses[i] > 1 || strlen(x.text) > LONG);
        p.piece[i] = worth ? name_it(&p, x) : x;
    }
    for (size_t j = 0; j < n; j++) value[j] = p.piece[p.place[root[j].id]].text;
}

void actio_code_open(struct actio_emitter *c)
{
    actio_text_open(&c->out, &c->d->arena);
    c->uses = (struct actio_code_uses){ 0 };
    c->temporaries = 0;
}
