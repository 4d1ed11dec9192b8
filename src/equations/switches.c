/* SPDX-License-Identifier: Apache-2.0
 * abs, sign, min, max and if become smooth: each switch is frozen as a MODE (-1, 0, 1), the sign of its guard, which
 * only an event changes. Of floor and mod the mode is the whole number below the guard. Within a step the formulas are
 * analytic, so orders survive kinks and a guard's zero can be located. */
#include "equations/formation.h"

/* Where the number of a guard's mode is kept, from 1: by the guard, and apart for whole numbers. */
static uint32_t *known_mode(struct actio_formation *F, actio_expr guard, bool whole)
{
    size_t at = 2 * (size_t)guard.id + whole, had = F->modes.of_count;
    if (at >= had) {
        F->modes.of_count = at + at / 2 + 2;
        F->modes.of = actio_arena_grow(&F->arena, F->modes.of, had * sizeof *F->modes.of,
                                       F->modes.of_count * sizeof *F->modes.of);
    }
    return &F->modes.of[at];
}

static actio_expr mode_of_kind(struct actio_formation *F, actio_expr guard, bool whole)
{
    struct actio_pool *pool = &F->pool;
    uint32_t *known = known_mode(F, guard, whole);
    if (*known) return actio_symbol(pool, ACTIO_SPACE_MODE, *known - 1);
    size_t k = F->sys.switches.count++;
    *known = (uint32_t)k + 1;
    if ((k & (k - 1)) == 0) { /* full: room for as many more */
        size_t room = k ? 2 * k : 1;
        F->modes.guard =
            actio_arena_grow(&F->arena, F->modes.guard, k * sizeof *F->modes.guard, room * sizeof *F->modes.guard);
        F->modes.origin =
            actio_arena_grow(&F->arena, F->modes.origin, k * sizeof *F->modes.origin, room * sizeof *F->modes.origin);
        F->modes.whole =
            actio_arena_grow(&F->arena, F->modes.whole, k * sizeof *F->modes.whole, room * sizeof *F->modes.whole);
    }
    F->modes.guard[k] = guard;
    F->modes.origin[k] = F->modes.made_of;
    F->modes.whole[k] = whole;
    F->sys.switches.whole = F->modes.whole;
    return actio_symbol(pool, ACTIO_SPACE_MODE, (uint32_t)k);
}

static actio_expr mode_of(struct actio_formation *F, actio_expr guard) { return mode_of_kind(F, guard, false); }
static actio_expr whole_below(struct actio_formation *F, actio_expr e) { return mode_of_kind(F, e, true); }

/* Between instants. Held values jump at them, so what is made only of them needs no guard. */
static bool moves(struct actio_formation *F, actio_expr e)
{
    enum actio_level level = actio_level_of(&F->pool, e);
    return level > ACTIO_LV_TIME
           || (level == ACTIO_LV_TIME
               && (actio_uses(&F->pool, e, ACTIO_SPACE_T) || actio_uses(&F->pool, e, ACTIO_SPACE_MODE)));
}

/* Is it frozen, with the mode of this guard? */
static bool freezes(struct actio_formation *F, bool moving, actio_expr guard, bool whole)
{
    return moving && (!F->modes.none_new || *known_mode(F, guard, whole));
}

/* a where the mode is positive (or not negative), else b */
static actio_expr branch(struct actio_formation *F, enum actio_op compare, actio_expr mode, actio_expr a, actio_expr b)
{
    return actio_choose(&F->pool, actio_op2(&F->pool, compare, actio_const(&F->pool, 0), mode), a, b);
}

/* max(0, x)^1.5 at the moment when x reaches 0: rounding must not make its base negative. */
static actio_expr one_sided(struct actio_formation *F, actio_expr base)
{
    struct actio_pool *pool = &F->pool;
    if (!actio_uses(pool, base, ACTIO_SPACE_MODE)) return base;
    F->sys.is.rooted = true;
    actio_expr zero = actio_const(pool, 0);
    return actio_choose(pool, actio_op2(pool, ACTIO_LT, zero, base), base, zero);
}

static actio_expr switched(struct actio_formation *F, const struct actio_node *node, actio_expr a, actio_expr b,
                           actio_expr c)
{
    struct actio_pool *pool = &F->pool;
    switch ((enum actio_op)node->op) {
    case ACTIO_ABS:
        if (freezes(F, moves(F, a), a, false)) return actio_mul(pool, mode_of(F, a), a);
        break;
    case ACTIO_SIGN:
        if (freezes(F, moves(F, a), a, false)) return mode_of(F, a);
        break;
    case ACTIO_FLOOR:
        if (freezes(F, moves(F, a), a, true)) return whole_below(F, a);
        break;
    case ACTIO_MOD:
        if (freezes(F, moves(F, a) || moves(F, b), actio_div(pool, a, b), true))
            return actio_sub(pool, a, actio_mul(pool, b, whole_below(F, actio_div(pool, a, b))));
        break;
    case ACTIO_MIN:
        if (freezes(F, moves(F, a) || moves(F, b), actio_sub(pool, b, a), false))
            return branch(F, ACTIO_LT, mode_of(F, actio_sub(pool, b, a)), a, b);
        break;
    case ACTIO_MAX:
        if (freezes(F, moves(F, a) || moves(F, b), actio_sub(pool, a, b), false))
            return branch(F, ACTIO_LT, mode_of(F, actio_sub(pool, a, b)), a, b);
        break;
    case ACTIO_LT:
    case ACTIO_LE:
        if (freezes(F, moves(F, a) || moves(F, b), actio_sub(pool, b, a), false))
            return actio_op2(pool, (enum actio_op)node->op, actio_const(pool, 0), mode_of(F, actio_sub(pool, b, a)));
        break;
    case ACTIO_POW:
    case ACTIO_SQRT: a = F->modes.none_new ? a : one_sided(F, a); break;
    default: break;
    }
    return actio_rebuild(pool, (enum actio_op)node->op, a, b, c, (int32_t)node->b);
}

static bool is_sum(enum actio_op op) { return op == ACTIO_ADD || op == ACTIO_SUB; }
static bool is_product(enum actio_op op) { return op == ACTIO_MUL || op == ACTIO_DIV; }

/* x + (y + z) is written y + z + x, and products likewise. */
static bool second_comes_first(const struct actio_pool *pool, const struct actio_node *node)
{
    enum actio_op op = (enum actio_op)node->op, a = (enum actio_op)pool->node[node->a].op,
                  b = (enum actio_op)pool->node[node->b].op;
    return (op == ACTIO_ADD && is_sum(b) && !is_sum(a))
           || (op == ACTIO_MUL && is_product(b) && !is_product(a) && a != ACTIO_CONST);
}

/* Operands first, in the order in which the formulas are written: the equations then don't depend on the order in which
 * the reader came upon their parts, and a model that was printed and read back moves by the same bits. */
static uint32_t *as_written(struct actio_formation *F, const actio_expr *roots, size_t count, struct actio_cone cone)
{
    const struct actio_pool *old = &F->model->pool;
    uint32_t *order = actio_form_array(F, cone.count, sizeof *order),
             *stack = actio_form_array(F, 3 * (size_t)cone.count + count, sizeof *stack);
    /* 1: its operands are on the stack, 2: in the order */
    uint8_t *seen = actio_form_array(F, cone.count, sizeof *seen);
    size_t top = 0, n = 0;
    for (size_t i = count; i-- > 0;) stack[top++] = roots[i].id;
    while (top) {
        uint32_t id = stack[top - 1], place = old->place[id];
        const struct actio_node *node = &old->node[id];
        if (seen[place]) {
            if (seen[place] == 1) {
                order[n++] = id;
                seen[place] = 2;
            }
            top--;
            continue;
        }
        seen[place] = 1;
        int arity = actio_arity((enum actio_op)node->op);
        bool swap = arity == 2 && second_comes_first(old, node);
        const uint32_t arg[3] = { swap ? node->b : node->a, swap ? node->a : node->b, node->c };
        for (int k = arity; k-- > 0;)
            if (!seen[old->place[arg[k]]]) stack[top++] = arg[k];
    }
    return order;
}

void actio_copy_switched(struct actio_formation *F, const actio_expr *from, size_t count, actio_expr *to)
{
    struct actio_pool *old = &F->model->pool;
    struct actio_cone cone = actio_cone_of(old, from, count);
    const uint32_t *order = as_written(F, from, count, cone);
    actio_expr *e = actio_form_array(F, cone.count, sizeof *e), none = { 0 };
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node node = old->node[order[i]];
        int arity = actio_arity((enum actio_op)node.op);
        F->modes.made_of = order[i];
        actio_expr *made = &e[old->place[order[i]]];
        if (node.op == ACTIO_CONST) *made = actio_const(&F->pool, old->value[node.a]);
        else if (node.op == ACTIO_SYMBOL) *made = actio_symbol_at(&F->pool, old->slot[node.a]);
        else
            *made = switched(F, &node, e[old->place[node.a]], arity > 1 ? e[old->place[node.b]] : none,
                             arity > 2 ? e[old->place[node.c]] : none);
    }
    F->modes.made_of = 0;
    for (size_t j = 0; j < count; j++) to[j] = e[old->place[from[j].id]];
}

void actio_copy_column(struct actio_formation *F, const actio_expr *from, size_t count, actio_expr *to)
{
    if (F->sys.switches.count == 0 || F->sys.field.axes) {
        actio_copy_all(&F->pool, &F->model->pool, from, count, to);
        return;
    }
    F->modes.none_new = true;
    actio_copy_switched(F, from, count, to);
    F->modes.none_new = false;
}
