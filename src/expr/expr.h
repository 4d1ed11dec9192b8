/* SPDX-License-Identifier: Apache-2.0
 * Shared expressions: equal expressions have equal ids, operands come before their users, so each pass is a loop.
 * In: operations on expressions. Out: nodes of a pool. Callers: model, kernel, equations, verdict, explain, derive. */
#ifndef ACTIO_EXPR_EXPR_H
#define ACTIO_EXPR_EXPR_H

#include "base/arena.h"
#include "base/text.h"

typedef struct {
    uint32_t id;
} actio_expr; /* id 0 is the constant 0 */

enum actio_op {
#define OP(name, arity, text, c_text) ACTIO_##name,
#include "expr/ops.def"
#undef OP
    ACTIO_OP_COUNT
};
/* highest input a node depends on */
enum actio_level { ACTIO_LV_CONST, ACTIO_LV_PARAM, ACTIO_LV_TIME, ACTIO_LV_LANE };
enum actio_space {
#define SPACE(name, level, accent, meaning) ACTIO_SPACE_##name,
#include "expr/spaces.def"
#undef SPACE
    ACTIO_SPACE_COUNT
};

/* What a symbol is. `offset` is the neighbour along a field's axis (0 for anything else). */
typedef struct {
    uint8_t space;
    int8_t offset;
    uint16_t axis;
    uint32_t index;
} actio_slot;

/* CONST: a = index of value; SYMBOL: a = index of slot; POWI: b = exponent */
struct actio_node {
    uint8_t op, level;
    uint16_t flags;
    uint32_t a, b, c;
};

struct actio_pool {
    struct actio_arena *arena;
    struct actio_node *node;
    uint32_t count, cap;
    uint32_t *bucket, buckets; /* open addressing, power of two */
    double *value;
    uint32_t values, values_cap;
    actio_slot *slot;
    uint32_t slots, slots_cap;
    /* Scratch of the pass under way: a node is in it when stamp == now; `place` is its position in the pass's cone. */
    uint32_t *stamp, *place, marks, now;
    struct actio_buffer {
        uint32_t *at;
        size_t cap;
    } scratch[6];
};

void actio_pool_open(struct actio_pool *pool, struct actio_arena *arena); /* dies with the arena */

/* Constructors simplify only what cannot change the value (constants, x*1, x+0, --x, powers of two), then share. */
actio_expr actio_const(struct actio_pool *pool, double x);
actio_expr actio_symbol(struct actio_pool *pool, enum actio_space space, uint32_t index);
actio_expr actio_symbol_at(struct actio_pool *pool, actio_slot slot);
actio_expr actio_op1(struct actio_pool *pool, enum actio_op op, actio_expr a);
/* POW with a whole constant becomes POWI */
actio_expr actio_op2(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b);
actio_expr actio_power(struct actio_pool *pool, actio_expr a, int32_t k);
actio_expr actio_at(struct actio_pool *pool, actio_expr a, actio_expr axis, actio_expr c);
actio_expr actio_choose(struct actio_pool *pool, actio_expr cond, actio_expr a, actio_expr b);
actio_expr actio_add(struct actio_pool *pool, actio_expr a, actio_expr b);
actio_expr actio_sub(struct actio_pool *pool, actio_expr a, actio_expr b);
/* 0*x is 0 only for constants: x may be infinite */
actio_expr actio_mul(struct actio_pool *pool, actio_expr a, actio_expr b);
actio_expr actio_div(struct actio_pool *pool, actio_expr a, actio_expr b);
actio_expr actio_neg(struct actio_pool *pool, actio_expr a);

static inline bool actio_is_const(const struct actio_pool *p, actio_expr e) { return p->node[e.id].op == ACTIO_CONST; }
static inline bool actio_is_zero(actio_expr e) { return e.id == 0; }
static inline bool actio_same(actio_expr a, actio_expr b) { return a.id == b.id; }
static inline double actio_const_value(const struct actio_pool *p, actio_expr e) { return p->value[p->node[e.id].a]; }
static inline actio_slot actio_slot_of(const struct actio_pool *p, actio_expr e) { return p->slot[p->node[e.id].a]; }
static inline enum actio_level actio_level_of(const struct actio_pool *p, actio_expr e)
{
    return (enum actio_level)p->node[e.id].level;
}
int actio_arity(enum actio_op op);
/* any operation, from its operands */
actio_expr actio_rebuild(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b, actio_expr c,
                         int32_t k);
const char *actio_op_text(enum actio_op op);

/* The nodes that `roots` are made of, operands first; place[id] is each one's position. Valid until the pool's next
 * pass. */
struct actio_cone {
    const uint32_t *id;
    uint32_t count;
};
struct actio_cone actio_cone_of(struct actio_pool *pool, const actio_expr *roots, size_t n);
/* 0 and 1 belong to actio_cone_of; not cleared */
uint32_t *actio_scratch(struct actio_pool *pool, int which, size_t count);
/* does any symbol of this space occur? */
bool actio_uses(struct actio_pool *pool, actio_expr e, enum actio_space space);
bool actio_uses_symbol(struct actio_pool *pool, actio_expr e, actio_expr symbol);

/* Value of one expression, symbols looked up by `value`; plain evaluation, for start data and tests (kernels are for
 * speed). */
typedef double (*actio_lookup_fn)(void *user, actio_slot slot);
double actio_value_of(struct actio_pool *pool, actio_expr e, actio_lookup_fn value, void *user);
/* one operation; the bits of base/math.h */
double actio_op_value(enum actio_op op, double a, double b, double c, int32_t k);

/* diff.c */
struct actio_seed {
    actio_expr x, dx;
}; /* symbol and its direction */
/* structurally nonzero entries, row by row */
struct actio_entries {
    struct actio_entry {
        uint32_t row, col;
        actio_expr e;
    } * at;
    size_t count, cap;
};
actio_expr actio_diff(struct actio_pool *pool, actio_expr f, actio_expr symbol);
/* reverse, one sweep */
void actio_gradient(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, actio_expr *g);
/* directional, one sweep */
void actio_along(struct actio_pool *pool, const actio_expr *f, size_t m, const struct actio_seed *seed, size_t seeds,
                 actio_expr *df);
void actio_jacobian(struct actio_pool *pool, const actio_expr *f, size_t m, const actio_expr *wrt, size_t n,
                    struct actio_entries *out);
void actio_hessian(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, struct actio_entries *lower);
/* affine, proved */
bool actio_linear_in(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, actio_expr *coef,
                     actio_expr *rest);
/* 0, 1, 2, or -1: more or not a polynomial */
int actio_degree_in(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n);
actio_expr actio_substitute(struct actio_pool *pool, actio_expr f, const actio_expr *from, const actio_expr *to,
                            size_t n);
actio_expr actio_rate(struct actio_pool *pool, actio_expr f); /* total d/dt: Q -> V -> ACC, STATE -> SDOT, T -> 1 */
actio_expr actio_copy(struct actio_pool *to, struct actio_pool *from, actio_expr e);
void actio_copy_all(struct actio_pool *to, struct actio_pool *from, const actio_expr *e, size_t n, actio_expr *out);

/* print.c: names come from the caller; brackets only where the model language needs them, so the text parses back to
 * the same expression. */
typedef void (*actio_name_fn)(void *user, actio_slot slot, struct actio_text *out);
void actio_print(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out);
void actio_print_latex(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out);
/* theta_1 -> \theta_1, I_S -> I_S, foo -> \mathit{foo} */
void actio_latex_name(const char *name, struct actio_text *out);
/* \dot, theta_1 -> \dot{\theta}_1 */
void actio_latex_accented(const char *accent, const char *name, struct actio_text *out);

#endif
