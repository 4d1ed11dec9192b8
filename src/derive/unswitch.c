/* SPDX-License-Identifier: Apache-2.0
 * Switches as they were written: a formation freezes abs, sign, min, max and if as modes; here the modes become
 * functions again. */
#include "derive/derive.h"

/* guards without modes; by node, its place in the pass */
struct unswitching {
    struct actio_formation *F;
    actio_expr *guard;
    uint32_t *place;
    size_t places;
};

static bool is_mode(const struct actio_pool *pool, uint32_t id, uint32_t *index)
{
    if (pool->node[id].op != ACTIO_SYMBOL) return false;
    actio_slot slot = pool->slot[pool->node[id].a];
    *index = slot.index;
    return slot.space == ACTIO_SPACE_MODE;
}

/* 0 < b - a is written a < b */
static actio_expr unswitch_compare(struct actio_pool *pool, enum actio_op op, actio_expr guard)
{
    struct actio_node n = pool->node[guard.id];
    if (n.op == ACTIO_SUB) return actio_op2(pool, op, (actio_expr){ n.b }, (actio_expr){ n.a });
    if (n.op == ACTIO_NEG) return actio_op2(pool, op, (actio_expr){ n.a }, actio_const(pool, 0));
    return actio_op2(pool, op, actio_const(pool, 0), guard);
}

static actio_expr unswitch_choose(struct actio_pool *pool, actio_expr cond, actio_expr a, actio_expr b)
{
    struct actio_node n = pool->node[cond.id];
    if (n.op == ACTIO_LT && n.a == a.id && n.b == b.id) return actio_op2(pool, ACTIO_MIN, a, b);
    if (n.op == ACTIO_LT && n.a == b.id && n.b == a.id) return actio_op2(pool, ACTIO_MAX, a, b);
    return actio_choose(pool, cond, a, b);
}

/* a - b floor(a/b) is mod(a, b). */
static actio_expr remainder_or_difference(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    struct actio_node n = pool->node[b.id];
    actio_expr first = n.op == ACTIO_MUL ? (actio_expr){ n.a } : actio_const(pool, 1),
               second = n.op == ACTIO_MUL ? (actio_expr){ n.b } : b;
    for (int turn = 0; turn < 2; turn++) {
        const struct actio_node *f = &pool->node[second.id];
        if (f->op == ACTIO_FLOOR && actio_same(actio_div(pool, a, first), (actio_expr){ pool->node[second.id].a }))
            return actio_op2(pool, ACTIO_MOD, a, first);
        actio_expr swap = first;
        first = second;
        second = swap;
    }
    return actio_sub(pool, a, b);
}

/* The node with operands that have no modes any more. */
static actio_expr rebuilt(struct unswitching *u, struct actio_node n, const actio_expr arg[3])
{
    struct actio_pool *pool = &u->F->pool;
    uint32_t k;
    switch ((enum actio_op)n.op) {
    case ACTIO_LT:
    case ACTIO_LE:
        if (n.a == 0 && is_mode(pool, n.b, &k)) return unswitch_compare(pool, (enum actio_op)n.op, u->guard[k]);
        break;
    case ACTIO_MUL:
        if (is_mode(pool, n.a, &k) && !u->F->modes.whole[k] && n.b == u->F->modes.guard[k].id)
            return actio_op1(pool, ACTIO_ABS, arg[1]);
        if (is_mode(pool, n.b, &k) && !u->F->modes.whole[k] && n.a == u->F->modes.guard[k].id)
            return actio_op1(pool, ACTIO_ABS, arg[0]);
        break;
    case ACTIO_SUB: return remainder_or_difference(pool, arg[0], arg[1]);
    case ACTIO_IF: return unswitch_choose(pool, arg[0], arg[1], arg[2]);
    default: break;
    }
    return actio_rebuild(pool, (enum actio_op)n.op, arg[0], arg[1], arg[2], (int32_t)n.b);
}

/* One for all passes: there may be as many as switches. */
static uint32_t *places(struct unswitching *u)
{
    size_t need = u->F->pool.count;
    if (need > u->places) {
        u->place = actio_arena_grow(&u->F->arena, u->place, u->places * sizeof *u->place, 2 * need * sizeof *u->place);
        u->places = 2 * need;
    }
    return u->place;
}

static void unswitch_pass(struct unswitching *u, const actio_expr *from, size_t count, actio_expr *to)
{
    struct actio_pool *pool = &u->F->pool;
    struct actio_cone cone = actio_cone_of(pool, from, count);
    uint32_t *id = actio_form_array(u->F, cone.count, sizeof *id), *place = places(u), k;
    actio_expr *made = actio_form_array(u->F, cone.count, sizeof *made);
    for (uint32_t i = 0; i < cone.count; i++) {
        id[i] = cone.id[i];
        place[id[i]] = i;
    }
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node n = pool->node[id[i]];
        int arity = actio_arity((enum actio_op)n.op);
        actio_expr arg[3] = { { 0 }, { 0 }, { 0 } };
        if (arity > 0) arg[0] = made[place[n.a]];
        if (arity > 1) arg[1] = made[place[n.b]];
        if (arity > 2) arg[2] = made[place[n.c]];
        if (is_mode(pool, id[i], &k))
            made[i] = actio_op1(pool, u->F->modes.whole[k] ? ACTIO_FLOOR : ACTIO_SIGN, u->guard[k]);
        else made[i] = arity ? rebuilt(u, n, arg) : (actio_expr){ id[i] };
    }
    for (size_t j = 0; j < count; j++) to[j] = made[place[from[j].id]];
}

struct list {
    struct actio_formation *F;
    actio_expr **at;
    size_t count, cap;
};

static void unswitch_add(struct list *l, actio_expr *e, size_t n)
{
    for (size_t i = 0; e && i < n; i++) ACTIO_PUSH(&l->F->arena, l->at, l->count, l->cap) = &e[i];
}

static void add_entries(struct list *l, struct actio_entries *e)
{
    for (size_t i = 0; i < e->count; i++) unswitch_add(l, &e->at[i].e, 1);
}

static struct list formulas(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct list l = { .F = F };
    unswitch_add(&l, &F->L, 1);
    unswitch_add(&l, F->Lq, F->n);
    unswitch_add(&l, F->Lv, F->n);
    unswitch_add(&l, F->total_force, F->n);
    unswitch_add(&l, F->force, F->model->forces * F->n);
    unswitch_add(&l, F->h, F->N);
    unswitch_add(&l, F->c, F->sys.p);
    unswitch_add(&l, F->g, F->p);
    unswitch_add(&l, F->f, F->sys.holonomic);
    unswitch_add(&l, F->phi, F->sys.levels);
    add_entries(&l, &F->G);
    add_entries(&l, &F->A);
    add_entries(&l, &F->D);
    if (F->sys.solved.symbolic) {
        unswitch_add(&l, F->solved.zdot, F->N);
        unswitch_add(&l, F->solved.lambda, F->p);
    }
    unswitch_add(&l, F->column, F->sys.output.columns);
    if (d->closure) {
        unswitch_add(&l, d->closure->hidden, d->closure->hiddens);
        unswitch_add(&l, d->closure->solved, F->N + F->p);
    }
    return l;
}

/* A guard is made of modes before it only. */
void actio_unswitch(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct unswitching u = { .F = F, .guard = actio_form_array(F, F->sys.switches.count, sizeof *u.guard) };
    if (F->sys.switches.count == 0) return;
    struct list l = formulas(d);
    actio_expr *e = actio_form_array(F, l.count, sizeof *e);
    for (size_t k = 0; k < F->sys.switches.count; k++) unswitch_pass(&u, &F->modes.guard[k], 1, &u.guard[k]);
    for (size_t i = 0; i < l.count; i++) e[i] = *l.at[i];
    unswitch_pass(&u, e, l.count, e);
    for (size_t i = 0; i < l.count; i++) *l.at[i] = e[i];
}
