/* SPDX-License-Identifier: Apache-2.0
 * The plan: from expressions to straight-line code. Decides what is computed once per parameter set, which products
 * join a sum,
 * how small powers are multiplied out, and which registers are reused. */
#include "kernel/interpret.h"

#include <string.h>

/* An operand while registers are not given out yet: its kind in the two highest bits, then its index. */
enum { TEMP = 0, FIXED = 1, LOADED = 2 };
static uint32_t operand(uint32_t kind, uint32_t index) { return kind << 30 | index; }
static uint32_t kind_of(uint32_t x) { return x >> 30; }
static uint32_t plan_index_of(uint32_t x) { return x & 0x3fffffff; }

struct step {
    struct actio_instr i;
    uint32_t node;
};
struct list {
    uint32_t *at;
    uint32_t count, cap;
};
struct draft { /* one section in the making; every result has a name of its own */
    struct step *step;
    uint32_t count, cap;
    uint32_t temps;
    struct list fixed, loaded, out; /* nodes, nodes, operands */
};

/* Arrays are indexed by the place of a node in the cone. */
struct plan {
    struct actio_arena *keep, *scratch;
    struct actio_pool *pool;
    struct actio_cone cone;
    uint32_t *uses, *value; /* value: operand in the node's own section */
    /* 1 + index in the prologue's results, 1 + temp of sin(node), 1 + temp of node^2 */
    uint32_t *pre, *pair, *square;
    bool *joined; /* a product that a sum has taken over */
    struct draft prologue, body;
};

enum { MULTIPLY_OUT = 32 }; /* powers up to here become products */

static const uint8_t arity_of[] = {
#define INSTR(name, arity, value, ...) arity,
#include "kernel/instr.def"
#undef INSTR
};

/* Operations that are one instruction; the others have a function below. */
static const uint8_t plain[ACTIO_OP_COUNT] = {
    [ACTIO_NEG] = ACTIO_I_NEG,     [ACTIO_SQRT] = ACTIO_I_SQRT,   [ACTIO_TAN] = ACTIO_I_TAN,
    [ACTIO_ASIN] = ACTIO_I_ASIN,   [ACTIO_ACOS] = ACTIO_I_ACOS,   [ACTIO_ATAN] = ACTIO_I_ATAN,
    [ACTIO_SINH] = ACTIO_I_SINH,   [ACTIO_COSH] = ACTIO_I_COSH,   [ACTIO_TANH] = ACTIO_I_TANH,
    [ACTIO_ERF] = ACTIO_I_ERF,     [ACTIO_EXP] = ACTIO_I_EXP,     [ACTIO_LOG] = ACTIO_I_LOG,
    [ACTIO_ABS] = ACTIO_I_ABS,     [ACTIO_SIGN] = ACTIO_I_SIGN,   [ACTIO_MUL] = ACTIO_I_MUL,
    [ACTIO_DIV] = ACTIO_I_DIV,     [ACTIO_POW] = ACTIO_I_POW,     [ACTIO_ATAN2] = ACTIO_I_ATAN2,
    [ACTIO_MIN] = ACTIO_I_MIN,     [ACTIO_MAX] = ACTIO_I_MAX,     [ACTIO_LT] = ACTIO_I_LT,
    [ACTIO_LE] = ACTIO_I_LE,       [ACTIO_AND] = ACTIO_I_AND,     [ACTIO_OR] = ACTIO_I_OR,
    [ACTIO_NOT] = ACTIO_I_NOT,     [ACTIO_FLOOR] = ACTIO_I_FLOOR, [ACTIO_MOD] = ACTIO_I_MOD,
    [ACTIO_HYPOT] = ACTIO_I_HYPOT, [ACTIO_IF] = ACTIO_I_IF,       [ACTIO_FMA] = ACTIO_I_FMA
};

static uint32_t argument(const struct actio_instr *i, int k) { return k == 0 ? i->a : k == 1 ? i->b : i->c; }

/* ---- the graph */

static const struct actio_node *node_at(const struct plan *p, uint32_t place)
{
    return &p->pool->node[p->cone.id[place]];
}
static uint32_t plan_place_of(const struct plan *p, uint32_t id) { return p->pool->place[id]; }
static bool early(const struct plan *p, uint32_t place) { return node_at(p, place)->level <= ACTIO_LV_PARAM; }
static struct draft *section_of(struct plan *p, uint32_t place) { return early(p, place) ? &p->prologue : &p->body; }

static int operands(const struct plan *p, uint32_t place, uint32_t arg[3])
{
    const struct actio_node *n = node_at(p, place);
    const uint32_t id[3] = { n->a, n->b, n->c };
    int arity = actio_arity((enum actio_op)n->op);
    for (int i = 0; i < arity; i++) arg[i] = plan_place_of(p, id[i]);
    return arity;
}

static void count_uses(struct plan *p, const actio_expr *out, size_t outputs)
{
    for (uint32_t i = 0; i < p->cone.count; i++) {
        uint32_t arg[3];
        int arity = operands(p, i, arg);
        for (int k = 0; k < arity; k++) p->uses[arg[k]]++;
    }
    for (size_t j = 0; j < outputs; j++) p->uses[plan_place_of(p, out[j].id)]++;
}

static bool is_product(const struct plan *p, uint32_t place, uint32_t sum)
{
    const struct actio_node *n = node_at(p, place);
    bool product = n->op == ACTIO_MUL || (n->op == ACTIO_POWI && n->b == 2);
    return product && early(p, place) == early(p, sum);
}

/* A product used once, by a sum, becomes fma. Of two products neither is taken: x*x - y*y stays exactly 0 where x = y,
 * and a sum doesn't depend on the order of its terms. */
static void join_products(struct plan *p)
{
    for (uint32_t i = 0; i < p->cone.count; i++) {
        uint32_t op = node_at(p, i)->op, arg[3];
        if (op != ACTIO_ADD && op != ACTIO_SUB) continue;
        operands(p, i, arg);
        bool left = is_product(p, arg[0], i), right = is_product(p, arg[1], i);
        if (left == right) continue;
        uint32_t product = left ? arg[0] : arg[1];
        p->joined[product] = p->uses[product] == 1;
    }
}

/* ---- drafting */

static void plan_append(struct plan *p, struct list *l, uint32_t x)
{
    ACTIO_PUSH(p->scratch, l->at, l->count, l->cap) = x;
}

static uint32_t push(struct plan *p, struct draft *d, uint32_t op, uint32_t a, uint32_t b, uint32_t c, uint32_t node)
{
    uint32_t dst = operand(TEMP, d->temps++);
    ACTIO_PUSH(p->scratch, d->step, d->count, d->cap) = (struct step){ { op, dst, a, b, c }, node };
    return dst;
}

/* What section `d` calls the value at `place`: the body sees the prologue's values as fixed registers. */
static uint32_t value_in(struct plan *p, const struct draft *d, uint32_t place)
{
    if (d == &p->prologue || !early(p, place)) return p->value[place];
    if (!p->pre[place]) {
        plan_append(p, &p->prologue.out, p->value[place]);
        plan_append(p, &p->body.fixed, p->cone.id[place]);
        p->pre[place] = p->prologue.out.count;
    }
    return operand(FIXED, p->pre[place] - 1);
}

static uint32_t draft_leaf(struct plan *p, struct draft *d, uint32_t place)
{
    bool literal = node_at(p, place)->op == ACTIO_CONST;
    struct list *l = literal ? &d->fixed : &d->loaded;
    plan_append(p, l, p->cone.id[place]);
    return operand(literal ? FIXED : LOADED, l->count - 1);
}

static uint32_t draft_sincos(struct plan *p, struct draft *d, uint32_t place)
{
    uint32_t arg = plan_place_of(p, node_at(p, place)->a);
    if (!p->pair[arg]) {
        uint32_t cosine = operand(TEMP, d->temps + 1); /* the name after the sine's */
        p->pair[arg] = 1 + push(p, d, ACTIO_I_SINCOS, value_in(p, d, arg), cosine, 0, p->cone.id[place]);
        d->temps++;
    }
    return p->pair[arg] - 1 + (node_at(p, place)->op == ACTIO_COS);
}

static uint32_t square(struct plan *p, struct draft *d, uint32_t arg, uint32_t node)
{
    uint32_t x = value_in(p, d, arg);
    if (!p->square[arg]) p->square[arg] = 1 + push(p, d, ACTIO_I_MUL, x, x, 0, node);
    return p->square[arg] - 1;
}

/* Binary powering in the order of actio_powi, so that the bits are its bits. */
static uint32_t draft_power(struct plan *p, struct draft *d, uint32_t place)
{
    const struct actio_node *n = node_at(p, place);
    int32_t k = (int32_t)n->b;
    uint32_t arg = plan_place_of(p, n->a), id = p->cone.id[place], x = value_in(p, d, arg), result = 0;
    if (k == 0 || k > MULTIPLY_OUT || k < -MULTIPLY_OUT) return push(p, d, ACTIO_I_POWI, x, n->b, 0, id);
    bool any = false, first = true;
    for (uint32_t bits = (uint32_t)(k < 0 ? -k : k); bits; bits >>= 1) {
        if (bits & 1) {
            result = any ? push(p, d, ACTIO_I_MUL, result, x, 0, id) : x;
            any = true;
        }
        if (bits > 1) {
            x = first ? square(p, d, arg, id) : push(p, d, ACTIO_I_MUL, x, x, 0, id);
            first = false;
        }
    }
    return k < 0 ? push(p, d, ACTIO_I_INV, result, 0, 0, id) : result;
}

static uint32_t draft_sum(struct plan *p, struct draft *d, uint32_t place)
{
    uint32_t arg[3], factor[3] = { 0 };
    operands(p, place, arg);
    bool add = node_at(p, place)->op == ACTIO_ADD, left = p->joined[arg[0]], right = p->joined[arg[1]];
    uint32_t id = p->cone.id[place];
    if (!left && !right)
        return push(p, d, add ? ACTIO_I_ADD : ACTIO_I_SUB, value_in(p, d, arg[0]), value_in(p, d, arg[1]), 0, id);
    uint32_t product = left ? arg[0] : arg[1], other = left ? arg[1] : arg[0];
    if (operands(p, product, factor) == 1) factor[1] = factor[0]; /* a square */
    uint32_t op = add ? ACTIO_I_FMA : left ? ACTIO_I_FMS : ACTIO_I_FNMA;
    return push(p, d, op, value_in(p, d, factor[0]), value_in(p, d, factor[1]), value_in(p, d, other), id);
}

static uint32_t draft_plain(struct plan *p, struct draft *d, uint32_t place)
{
    uint32_t arg[3], x[3] = { 0 };
    int arity = operands(p, place, arg);
    for (int i = 0; i < arity; i++) x[i] = value_in(p, d, arg[i]);
    return push(p, d, plain[node_at(p, place)->op], x[0], x[1], x[2], p->cone.id[place]);
}

static uint32_t draft_node(struct plan *p, uint32_t place)
{
    struct draft *d = section_of(p, place);
    switch (node_at(p, place)->op) {
    case ACTIO_CONST:
    case ACTIO_SYMBOL: return draft_leaf(p, d, place);
    case ACTIO_SIN:
    case ACTIO_COS: return draft_sincos(p, d, place);
    case ACTIO_POWI: return draft_power(p, d, place);
    case ACTIO_ADD:
    case ACTIO_SUB: return draft_sum(p, d, place);
    default: return draft_plain(p, d, place);
    }
}

/* ---- registers */

struct registers {        /* of one section, given out in one sweep */
    const uint32_t *last; /* by temp: the step after which nobody reads it */
    uint32_t *reg;        /* by temp */
    struct list idle;
    uint32_t base, count;
};

static uint32_t *last_uses(struct plan *p, const struct draft *d)
{
    uint32_t *last = actio_arena_array(p->scratch, d->temps + 1, sizeof *last);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct actio_instr *instr = &d->step[i].i;
        for (int k = 0; k < arity_of[instr->op]; k++) {
            uint32_t x = argument(instr, k);
            if (kind_of(x) == TEMP) last[plan_index_of(x)] = i;
        }
    }
    for (uint32_t j = 0; j < d->out.count; j++)
        if (kind_of(d->out.at[j]) == TEMP) last[plan_index_of(d->out.at[j])] = UINT32_MAX;
    return last;
}

static uint32_t take_register(struct registers *r, uint32_t temp)
{
    uint32_t reg = r->idle.count ? r->idle.at[--r->idle.count] : r->base + r->count++;
    return r->reg[plan_index_of(temp)] = reg;
}

static void release(struct plan *p, struct registers *r, uint32_t x, uint32_t step)
{
    if (kind_of(x) == TEMP && r->last[plan_index_of(x)] <= step) plan_append(p, &r->idle, r->reg[plan_index_of(x)]);
}

static void release_operands(struct plan *p, struct registers *r, const struct actio_instr *i, uint32_t step)
{
    for (int k = 0; k < arity_of[i->op]; k++) {
        bool again = (k > 0 && argument(i, k) == i->a) || (k > 1 && i->c == i->b);
        if (!again) release(p, r, argument(i, k), step);
    }
}

static uint32_t register_of(const struct draft *d, const struct registers *r, uint32_t x)
{
    if (kind_of(x) == TEMP) return r->reg[plan_index_of(x)];
    return kind_of(x) == FIXED ? plan_index_of(x) : d->fixed.count + plan_index_of(x);
}

/* A result may take the register of an operand that ends here, except that sin and cos read theirs twice. */
static struct actio_instr with_registers(struct plan *p, const struct draft *d, struct registers *r, uint32_t step)
{
    const struct actio_instr *i = &d->step[step].i;
    bool sincos = i->op == ACTIO_I_SINCOS;
    int arity = arity_of[i->op];
    struct actio_instr made = *i;
    made.a = register_of(d, r, i->a);
    if (arity > 1) made.b = register_of(d, r, i->b);
    if (arity > 2) made.c = register_of(d, r, i->c);
    if (!sincos) release_operands(p, r, i, step);
    made.dst = take_register(r, i->dst);
    if (!sincos) return made;
    made.b = take_register(r, i->b);
    release_operands(p, r, i, step);
    release(p, r, i->dst, step); /* whichever of the two nobody wants */
    release(p, r, i->b, step);
    return made;
}

static void finish(struct plan *p, const struct draft *d, struct actio_section *s)
{
    struct registers r = { .last = last_uses(p, d),
                           .base = d->fixed.count + d->loaded.count,
                           .reg = actio_arena_array(p->scratch, d->temps + 1, sizeof *r.reg) };
    s->code = actio_arena_array(p->keep, d->count, sizeof *s->code);
    s->node = actio_arena_array(p->keep, d->count, sizeof *s->node);
    s->count = d->count;
    for (uint32_t i = 0; i < d->count; i++) {
        if ((i & 4095) == 0) actio_poll(p->pool->arena->ctx);
        s->code[i] = with_registers(p, d, &r, i);
        s->node[i] = d->step[i].node;
    }
    s->fixed = d->fixed.count;
    s->loaded = d->loaded.count;
    s->registers = r.base + r.count;
    s->leaf_node = actio_arena_array(p->keep, r.base, sizeof *s->leaf_node);
    if (s->fixed) memcpy(s->leaf_node, d->fixed.at, s->fixed * sizeof *s->leaf_node);
    if (s->loaded) memcpy(s->leaf_node + s->fixed, d->loaded.at, s->loaded * sizeof *s->leaf_node);
    s->outs = d->out.count;
    s->out = actio_arena_array(p->keep, s->outs, sizeof *s->out);
    for (uint32_t j = 0; j < s->outs; j++) s->out[j] = register_of(d, &r, d->out.at[j]);
}

static actio_slot *slots_of(struct plan *p, const struct list *nodes)
{
    actio_slot *slot = actio_arena_array(p->keep, nodes->count, sizeof *slot);
    for (uint32_t i = 0; i < nodes->count; i++) slot[i] = actio_slot_of(p->pool, (actio_expr){ nodes->at[i] });
    return slot;
}

static void open_plan(struct plan *p)
{
    size_t n = p->cone.count;
    p->uses = actio_arena_array(p->scratch, n, sizeof *p->uses);
    p->value = actio_arena_array(p->scratch, n, sizeof *p->value);
    p->pre = actio_arena_array(p->scratch, n, sizeof *p->pre);
    p->pair = actio_arena_array(p->scratch, n, sizeof *p->pair);
    p->square = actio_arena_array(p->scratch, n, sizeof *p->square);
    p->joined = actio_arena_array(p->scratch, n, sizeof *p->joined);
}

void actio_plan(struct actio_arena *keep, struct actio_arena *scratch, struct actio_pool *pool, const actio_expr *out,
                size_t outputs, struct actio_program *program)
{
    struct plan p = { .keep = keep, .scratch = scratch, .pool = pool, .cone = actio_cone_of(pool, out, outputs) };
    open_plan(&p);
    count_uses(&p, out, outputs);
    join_products(&p);
    for (uint32_t i = 0; i < p.cone.count; i++) {
        if ((i & 4095) == 0) actio_poll(pool->arena->ctx);
        if (!p.joined[i]) p.value[i] = draft_node(&p, i);
    }
    for (size_t j = 0; j < outputs; j++)
        plan_append(&p, &p.body.out, value_in(&p, &p.body, plan_place_of(&p, out[j].id)));
    finish(&p, &p.prologue, &program->prologue);
    finish(&p, &p.body, &program->body);
    program->literal = actio_arena_array(keep, p.prologue.fixed.count, sizeof *program->literal);
    for (uint32_t i = 0; i < p.prologue.fixed.count; i++)
        program->literal[i] = actio_const_value(pool, (actio_expr){ p.prologue.fixed.at[i] });
    program->param = slots_of(&p, &p.prologue.loaded);
    program->input = slots_of(&p, &p.body.loaded);
}
