/* SPDX-License-Identifier: Apache-2.0
 * Derivatives on the shared graph: reverse sweeps for gradients, forward ones for directions and columns.
 * A derivative that is structurally zero is never multiplied, so patterns come out sparse by construction. */
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

static actio_expr zero(void) { return (actio_expr){ 0 }; }
static actio_expr one(struct actio_pool *pool) { return actio_const(pool, 1); }

/* Products in which a structural zero wins. */
static actio_expr diff_times(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? zero() : actio_mul(pool, a, b);
}

static actio_expr over(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) ? zero() : actio_div(pool, a, b);
}

static actio_expr one_minus_square(struct actio_pool *pool, actio_expr a)
{
    return actio_sub(pool, one(pool), actio_power(pool, a, 2));
}
static actio_expr one_plus_square(struct actio_pool *pool, actio_expr a)
{
    return actio_add(pool, one(pool), actio_power(pool, a, 2));
}

/* Derivative of a one-argument operation r = op(a), as a factor; *divide: it is a divisor (g/d in place of
 * g*d). */
static actio_expr slope(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr r, int32_t k, bool *divide)
{
    *divide = false;
    switch (op) {
    case ACTIO_NEG: return actio_const(pool, -1);
    case ACTIO_POWI: return actio_mul(pool, actio_const(pool, k), actio_power(pool, a, k - 1));
    case ACTIO_SQRT: *divide = true; return actio_mul(pool, actio_const(pool, 2), r);
    case ACTIO_SIN: return actio_op1(pool, ACTIO_COS, a);
    case ACTIO_COS: return actio_neg(pool, actio_op1(pool, ACTIO_SIN, a));
    case ACTIO_TAN: return one_plus_square(pool, r);
    case ACTIO_ASIN: *divide = true; return actio_op1(pool, ACTIO_SQRT, one_minus_square(pool, a));
    case ACTIO_ACOS: *divide = true; return actio_neg(pool, actio_op1(pool, ACTIO_SQRT, one_minus_square(pool, a)));
    case ACTIO_ATAN: *divide = true; return one_plus_square(pool, a);
    case ACTIO_SINH: return actio_op1(pool, ACTIO_COSH, a);
    case ACTIO_COSH: return actio_op1(pool, ACTIO_SINH, a);
    case ACTIO_TANH: return one_minus_square(pool, r);
    /* 2/sqrt(pi) */
    case ACTIO_ERF:
        return actio_mul(pool, actio_const(pool, 1.1283791670955126),
                         actio_op1(pool, ACTIO_EXP, actio_neg(pool, actio_mul(pool, a, a))));
    case ACTIO_EXP: return r;
    case ACTIO_LOG: *divide = true; return a;
    case ACTIO_ABS: return actio_op1(pool, ACTIO_SIGN, a);
    case ACTIO_SIGN:
    case ACTIO_FLOOR:
    case ACTIO_NOT: return zero();
    case ACTIO_CONST:
    case ACTIO_SYMBOL:
    case ACTIO_ADD:
    case ACTIO_SUB:
    case ACTIO_MUL:
    case ACTIO_DIV:
    case ACTIO_POW:
    case ACTIO_ATAN2:
    case ACTIO_MIN:
    case ACTIO_MAX:
    case ACTIO_LT:
    case ACTIO_LE:
    case ACTIO_AND:
    case ACTIO_OR:
    case ACTIO_IF:
    case ACTIO_FMA:
    case ACTIO_MOD:
    case ACTIO_HYPOT:
    case ACTIO_DIFF:
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING:
    case ACTIO_AT:
    case ACTIO_OP_COUNT: break;
    }
    return zero();
}

static actio_expr through(struct actio_pool *pool, actio_expr g, actio_expr factor, bool divide)
{
    return divide ? over(pool, g, factor) : diff_times(pool, g, factor);
}

/* x^(y-1) y and x^y log x, each only where its operand moves. */
static actio_expr power_by_base(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_mul(pool, b, actio_op2(pool, ACTIO_POW, a, actio_sub(pool, b, one(pool))));
}

static actio_expr power_by_exponent(struct actio_pool *pool, actio_expr a, actio_expr r)
{
    return actio_mul(pool, r, actio_op1(pool, ACTIO_LOG, a));
}

static actio_expr circle(struct actio_pool *pool, actio_expr y, actio_expr x)
{
    return actio_add(pool, actio_power(pool, y, 2), actio_power(pool, x, 2));
}

/* The condition under which min and max take their first operand: as base/math.h has it. */
static actio_expr takes_first(struct actio_pool *pool, enum actio_op op, actio_expr a, actio_expr b)
{
    return op == ACTIO_MIN ? actio_op2(pool, ACTIO_LT, a, b) : actio_op2(pool, ACTIO_LT, b, a);
}

/* mod(a, b) = a - n b, with the whole number n = floor(a/b) that is constant between its jumps. */
static actio_expr turns_of(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_op1(pool, ACTIO_FLOOR, actio_div(pool, a, b));
}

/* ---- forward */

static actio_expr tangent2(struct actio_pool *pool, enum actio_op op, actio_expr r, actio_expr a, actio_expr b,
                           actio_expr ta, actio_expr tb)
{
    actio_expr x;
    switch (op) {
    case ACTIO_ADD: return actio_add(pool, ta, tb);
    case ACTIO_SUB: return actio_sub(pool, ta, tb);
    case ACTIO_MUL: return actio_add(pool, diff_times(pool, ta, b), diff_times(pool, a, tb));
    case ACTIO_DIV: return over(pool, actio_sub(pool, ta, diff_times(pool, r, tb)), b);
    case ACTIO_POW:
        x = actio_is_zero(ta) ? zero() : diff_times(pool, ta, power_by_base(pool, a, b));
        return actio_is_zero(tb) ? x : actio_add(pool, x, diff_times(pool, tb, power_by_exponent(pool, a, r)));
    case ACTIO_ATAN2:
        return over(pool, actio_sub(pool, diff_times(pool, ta, b), diff_times(pool, tb, a)), circle(pool, a, b));
    case ACTIO_MIN:
    case ACTIO_MAX: return actio_choose(pool, takes_first(pool, op, a, b), ta, tb);
    case ACTIO_MOD: return actio_is_zero(tb) ? ta : actio_sub(pool, ta, diff_times(pool, tb, turns_of(pool, a, b)));
    case ACTIO_HYPOT:
        return actio_add(pool, diff_times(pool, ta, over(pool, a, r)), diff_times(pool, tb, over(pool, b, r)));
    /* linear in what stands under them */
    case ACTIO_DIFF:
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING: return actio_is_zero(ta) ? zero() : actio_op2(pool, op, ta, b);
    default: return zero();
    }
}

static actio_expr tangent(struct actio_pool *pool, uint32_t id, const actio_expr t[3])
{
    struct actio_node n = pool->node[id];
    actio_expr a = { n.a }, b = { n.b }, r = { id };
    bool divide;
    switch (actio_arity((enum actio_op)n.op)) {
    case 1:
        if (actio_is_zero(t[0])) return zero();
        a = slope(pool, (enum actio_op)n.op, a, r, (int32_t)n.b, &divide);
        return through(pool, t[0], a, divide);
    case 2:
        return actio_is_zero(t[0]) && actio_is_zero(t[1]) ? zero()
                                                          : tangent2(pool, (enum actio_op)n.op, r, a, b, t[0], t[1]);
    case 3:
        if (n.op == ACTIO_AT) return actio_is_zero(t[0]) ? zero() : actio_at(pool, t[0], b, (actio_expr){ n.c });
        return actio_is_zero(t[1]) && actio_is_zero(t[2]) ? zero() : actio_choose(pool, a, t[1], t[2]);
    default: return zero();
    }
}

static actio_expr *expr_scratch(struct actio_pool *pool, int which, size_t count)
{
    return (actio_expr *)(void *)actio_scratch(pool, which, count);
}

/* Tangents of the node at a place of the cone, from those of its operands. */
static actio_expr tangent_at(struct actio_pool *pool, uint32_t id, const actio_expr *dot)
{
    const struct actio_node *n = &pool->node[id];
    int arity = actio_arity((enum actio_op)n->op);
    actio_expr t[3] = { { 0 }, { 0 }, { 0 } };
    const uint32_t arg[3] = { n->a, n->b, n->c };
    for (int k = 0; k < arity; k++) t[k] = dot[pool->place[arg[k]]];
    return tangent(pool, id, t);
}

void actio_along(struct actio_pool *pool, const actio_expr *f, size_t m, const struct actio_seed *seed, size_t seeds,
                 actio_expr *df)
{
    struct actio_cone cone = actio_cone_of(pool, f, m);
    uint32_t now = pool->now;
    actio_expr *dot = expr_scratch(pool, 2, cone.count);
    memset(dot, 0, cone.count * sizeof *dot);
    for (size_t s = 0; s < seeds; s++)
        if (pool->stamp[seed[s].x.id] == now) dot[pool->place[seed[s].x.id]] = seed[s].dx;
    for (uint32_t i = 0; i < cone.count; i++)
        if (actio_arity((enum actio_op)pool->node[cone.id[i]].op)) dot[i] = tangent_at(pool, cone.id[i], dot);
    for (size_t j = 0; j < m; j++) df[j] = dot[pool->place[f[j].id]];
}

actio_expr actio_diff(struct actio_pool *pool, actio_expr f, actio_expr symbol)
{
    actio_expr d;
    actio_along(pool, &f, 1, &(struct actio_seed){ symbol, one(pool) }, 1, &d);
    return d;
}

/* ---- reverse */

struct reverse {
    struct actio_pool *pool;
    actio_expr *bar;
};

static void give(struct reverse *r, uint32_t id, actio_expr g)
{
    if (actio_is_zero(g)) return;
    actio_expr *bar = &r->bar[r->pool->place[id]];
    *bar = actio_add(r->pool, *bar, g);
}

static void back2(struct reverse *r, enum actio_op op, actio_expr e, actio_expr a, actio_expr b, actio_expr g)
{
    struct actio_pool *pool = r->pool;
    actio_expr x;
    switch (op) {
    case ACTIO_ADD:
        give(r, a.id, g);
        give(r, b.id, g);
        break;
    case ACTIO_SUB:
        give(r, a.id, g);
        give(r, b.id, actio_neg(pool, g));
        break;
    case ACTIO_MUL:
        give(r, a.id, diff_times(pool, g, b));
        give(r, b.id, diff_times(pool, g, a));
        break;
    case ACTIO_DIV:
        x = actio_div(pool, g, b);
        give(r, a.id, x);
        give(r, b.id, actio_neg(pool, diff_times(pool, x, e)));
        break;
    case ACTIO_POW:
        if (!actio_is_const(pool, a)) give(r, a.id, diff_times(pool, g, power_by_base(pool, a, b)));
        if (!actio_is_const(pool, b)) give(r, b.id, diff_times(pool, g, power_by_exponent(pool, a, e)));
        break;
    case ACTIO_ATAN2:
        x = actio_div(pool, g, circle(pool, a, b));
        give(r, a.id, diff_times(pool, x, b));
        give(r, b.id, actio_neg(pool, diff_times(pool, x, a)));
        break;
    case ACTIO_MIN:
    case ACTIO_MAX:
        x = takes_first(pool, op, a, b);
        give(r, a.id, actio_choose(pool, x, g, zero()));
        give(r, b.id, actio_choose(pool, x, zero(), g));
        break;
    case ACTIO_MOD:
        give(r, a.id, g);
        give(r, b.id, actio_neg(pool, diff_times(pool, g, turns_of(pool, a, b))));
        break;
    case ACTIO_HYPOT:
        x = actio_div(pool, g, e);
        give(r, a.id, diff_times(pool, x, a));
        give(r, b.id, diff_times(pool, x, b));
        break;
    default: break;
    }
}

static void back(struct reverse *r, uint32_t id, actio_expr g)
{
    struct actio_pool *pool = r->pool;
    struct actio_node n = pool->node[id];
    actio_expr a = { n.a }, b = { n.b }, c = { n.c };
    bool divide;
    switch (actio_arity((enum actio_op)n.op)) {
    case 1: {
        actio_expr d = slope(pool, (enum actio_op)n.op, a, (actio_expr){ id }, (int32_t)n.b, &divide);
        if (!actio_is_zero(d)) give(r, n.a, through(pool, g, d, divide));
        break;
    }
    case 2: back2(r, (enum actio_op)n.op, (actio_expr){ id }, a, b, g); break;
    case 3:
        give(r, b.id, actio_choose(pool, a, g, zero()));
        give(r, c.id, actio_choose(pool, a, zero(), g));
        break;
    default: break;
    }
}

void actio_gradient(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, actio_expr *g)
{
    struct actio_cone cone = actio_cone_of(pool, &f, 1);
    struct reverse r = { pool, expr_scratch(pool, 2, cone.count) };
    memset(r.bar, 0, cone.count * sizeof *r.bar);
    r.bar[cone.count - 1] = one(pool);
    for (uint32_t i = cone.count; i-- > 0;)
        if (!actio_is_zero(r.bar[i])) back(&r, cone.id[i], r.bar[i]);
    for (size_t k = 0; k < n; k++) {
        bool inside = wrt[k].id < pool->marks && pool->stamp[wrt[k].id] == pool->now;
        g[k] = inside ? r.bar[pool->place[wrt[k].id]] : zero();
    }
}

/* ---- sparse Jacobians: a forward sweep over the dependents of each symbol only */

struct users {
    uint32_t *start, *list;
};

static struct users users_of(struct actio_pool *pool, const struct actio_cone *cone)
{
    struct users u = { actio_scratch(pool, 3, (size_t)cone->count + 2), NULL };
    memset(u.start, 0, ((size_t)cone->count + 2) * sizeof *u.start);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < cone->count; i++) {
            const struct actio_node *n = &pool->node[cone->id[i]];
            const uint32_t arg[3] = { n->a, n->b, n->c };
            for (int k = 0; k < actio_arity((enum actio_op)n->op); k++) {
                uint32_t at = pool->place[arg[k]];
                if (fill) u.list[u.start[at + 1]++] = i;
                else u.start[at + 2]++;
            }
        }
        if (fill) break;
        for (uint32_t i = 2; i < cone->count + 2; i++) u.start[i] += u.start[i - 1];
        u.list = actio_scratch(pool, 4, u.start[cone->count + 1] + 1);
    }
    return u;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Places that depend on `seed`, ascending; `seen` marks them (place -> column + 1). */
static uint32_t dependents(struct actio_pool *pool, const struct users *u, uint32_t seed, uint32_t *seen, uint32_t mark,
                           uint32_t **out)
{
    uint32_t count = 0, *list = actio_scratch(pool, 5, 2);
    list[count++] = seed;
    seen[seed] = mark;
    for (uint32_t next = 0; next < count; next++) {
        uint32_t at = list[next];
        list = actio_scratch(pool, 5, (size_t)count + (u->start[at + 1] - u->start[at]) + 1);
        for (uint32_t k = u->start[at]; k < u->start[at + 1]; k++)
            if (seen[u->list[k]] != mark) {
                seen[u->list[k]] = mark;
                list[count++] = u->list[k];
            }
    }
    qsort(list, count, sizeof *list, ascending);
    *out = list;
    return count;
}

static int by_row(const void *a, const void *b)
{
    const struct actio_entry *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->col > y->col) - (x->col < y->col);
}

void actio_jacobian(struct actio_pool *pool, const actio_expr *f, size_t m, const actio_expr *wrt, size_t n,
                    struct actio_entries *out)
{
    struct actio_cone cone = actio_cone_of(pool, f, m);
    uint32_t now = pool->now;
    struct users u = users_of(pool, &cone);
    /* tangents, marks and output rows by place: three parts of one buffer */
    uint32_t *part = actio_scratch(pool, 2, 3 * (size_t)cone.count + m + 1);
    actio_expr *dot = (actio_expr *)(void *)part;
    /* first output at a place, next output there */
    uint32_t *seen = part + cone.count, *first = seen + cone.count, *chain = first + cone.count;
    memset(part, 0, 3 * (size_t)cone.count * sizeof *part);
    for (size_t j = m; j-- > 0;) {
        uint32_t at = pool->place[f[j].id];
        chain[j] = first[at];
        first[at] = (uint32_t)j + 1;
    }
    out->count = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t id = wrt[k].id, *list;
        if (id >= pool->marks || pool->stamp[id] != now) continue;
        uint32_t count = dependents(pool, &u, pool->place[id], seen, (uint32_t)k + 1, &list);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = list[i];
            dot[at] = cone.id[at] == id ? one(pool) : tangent_at(pool, cone.id[at], dot);
            if (actio_is_zero(dot[at])) continue;
            for (uint32_t j = first[at]; j; j = chain[j - 1])
                ACTIO_PUSH(pool->arena, out->at, out->count, out->cap) =
                    (struct actio_entry){ j - 1, (uint32_t)k, dot[at] };
        }
        for (uint32_t i = 0; i < count; i++) dot[list[i]] = zero();
    }
    if (out->count) qsort(out->at, out->count, sizeof *out->at, by_row);
}

void actio_hessian(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, struct actio_entries *lower)
{
    actio_expr *g = actio_arena_array(pool->arena, n + 1, sizeof *g);
    actio_gradient(pool, f, wrt, n, g);
    actio_jacobian(pool, g, n, wrt, n, lower);
    size_t kept = 0;
    for (size_t i = 0; i < lower->count; i++)
        if (lower->at[i].col <= lower->at[i].row) lower->at[kept++] = lower->at[i];
    lower->count = kept;
}

/* ---- rebuilding */

static actio_expr rebuilt(struct actio_pool *pool, const struct actio_node *n, actio_expr a, actio_expr b, actio_expr c)
{
    if (n->op == ACTIO_MUL) return diff_times(pool, a, b); /* a structural zero put in for a symbol */
    if (n->op == ACTIO_DIV) return over(pool, a, b);
    return actio_rebuild(pool, (enum actio_op)n->op, a, b, c, (int32_t)n->b);
}

actio_expr actio_substitute(struct actio_pool *pool, actio_expr f, const actio_expr *from, const actio_expr *to,
                            size_t n)
{
    struct actio_cone cone = actio_cone_of(pool, &f, 1);
    actio_expr *e = expr_scratch(pool, 2, cone.count);
    uint32_t now = pool->now;
    for (uint32_t i = 0; i < cone.count; i++) e[i] = (actio_expr){ UINT32_MAX };
    for (size_t k = 0; k < n; k++)
        if (from[k].id < pool->marks && pool->stamp[from[k].id] == now) e[pool->place[from[k].id]] = to[k];
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node node = pool->node[cone.id[i]];
        int arity = actio_arity((enum actio_op)node.op);
        if (e[i].id != UINT32_MAX) continue;
        if (arity == 0) {
            e[i] = (actio_expr){ cone.id[i] };
            continue;
        }
        actio_expr a = e[pool->place[node.a]], b = arity > 1 ? e[pool->place[node.b]] : zero(),
                   c = arity > 2 ? e[pool->place[node.c]] : zero();
        bool same = a.id == node.a && (arity < 2 || b.id == node.b) && (arity < 3 || c.id == node.c);
        e[i] = same ? (actio_expr){ cone.id[i] } : rebuilt(pool, &node, a, b, c);
    }
    return e[cone.count - 1];
}

void actio_copy_all(struct actio_pool *to, struct actio_pool *from, const actio_expr *f, size_t n, actio_expr *out)
{
    struct actio_cone cone = actio_cone_of(from, f, n);
    actio_expr *e = expr_scratch(from, 2, cone.count);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node node = from->node[cone.id[i]];
        int arity = actio_arity((enum actio_op)node.op);
        if (node.op == ACTIO_CONST) e[i] = actio_const(to, from->value[node.a]);
        else if (node.op == ACTIO_SYMBOL) e[i] = actio_symbol_at(to, from->slot[node.a]);
        else
            e[i] = actio_rebuild(to, (enum actio_op)node.op, e[from->place[node.a]],
                                 arity > 1 ? e[from->place[node.b]] : zero(),
                                 arity > 2 ? e[from->place[node.c]] : zero(), (int32_t)node.b);
    }
    for (size_t j = 0; j < n; j++) out[j] = e[from->place[f[j].id]];
}

actio_expr actio_copy(struct actio_pool *to, struct actio_pool *from, actio_expr e)
{
    actio_expr out;
    actio_copy_all(to, from, &e, 1, &out);
    return out;
}

/* ---- questions about the form */

bool actio_linear_in(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n, actio_expr *coef,
                     actio_expr *rest)
{
    actio_expr *none = actio_arena_array(pool->arena, n + 1, sizeof *none);
    actio_gradient(pool, f, wrt, n, coef);
    actio_cone_of(pool, coef, n);
    for (size_t k = 0; k < n; k++)
        if (wrt[k].id < pool->marks && pool->stamp[wrt[k].id] == pool->now) return false;
    *rest = actio_substitute(pool, f, wrt, none, n);
    return true;
}

static int degree_of(enum actio_op op, const int d[3], int32_t k)
{
    enum { MORE = 3 };
    int r = MORE;
    int most = d[0] > d[1] ? d[0] : d[1];
    switch (op) {
    case ACTIO_CONST:
    case ACTIO_SYMBOL: r = 0; break;
    case ACTIO_NEG: r = d[0]; break;
    case ACTIO_ADD:
    case ACTIO_SUB: r = most; break;
    case ACTIO_MUL: r = d[0] + d[1]; break;
    case ACTIO_DIV: r = d[1] == 0 ? d[0] : MORE; break;
    case ACTIO_POWI: r = d[0] == 0 ? 0 : k > 0 && k < 3 ? k * d[0] : MORE; break;
    case ACTIO_DIFF:
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING:
    case ACTIO_AT: r = d[0]; break;
    case ACTIO_IF: r = d[0] == 0 ? (d[1] > d[2] ? d[1] : d[2]) : MORE; break;
    default: r = most == 0 ? 0 : MORE; break;
    }
    return r > MORE ? MORE : r;
}

int actio_degree_in(struct actio_pool *pool, actio_expr f, const actio_expr *wrt, size_t n)
{
    struct actio_cone cone = actio_cone_of(pool, &f, 1);
    uint32_t *d = actio_scratch(pool, 2, cone.count), now = pool->now;
    memset(d, 0, cone.count * sizeof *d);
    for (size_t k = 0; k < n; k++)
        if (wrt[k].id < pool->marks && pool->stamp[wrt[k].id] == now) d[pool->place[wrt[k].id]] = 1;
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *node = &pool->node[cone.id[i]];
        int arity = actio_arity((enum actio_op)node->op);
        const uint32_t arg[3] = { node->a, node->b, node->c };
        int of[3] = { 0 };
        for (int k = 0; k < arity; k++) of[k] = (int)d[pool->place[arg[k]]];
        if (arity) d[i] = (uint32_t)degree_of((enum actio_op)node->op, of, (int32_t)node->b);
    }
    int r = (int)d[cone.count - 1];
    return r > 2 ? -1 : r;
}

/* d/dt with q' = v, v' = a, p' = its rate. An acceleration has no rate here: callers do not need it. */
actio_expr actio_rate(struct actio_pool *pool, actio_expr f)
{
    static const uint8_t next[ACTIO_SPACE_COUNT] = {
        [ACTIO_SPACE_Q] = ACTIO_SPACE_V, [ACTIO_SPACE_V] = ACTIO_SPACE_ACC, [ACTIO_SPACE_STATE] = ACTIO_SPACE_SDOT
    };
    struct actio_cone cone = actio_cone_of(pool, &f, 1);
    struct actio_seed *seed = NULL;
    uint32_t seeds = 0, cap = 0;
    for (uint32_t i = 0; i < cone.count; i++) {
        actio_expr x = { cone.id[i] };
        if (pool->node[x.id].op != ACTIO_SYMBOL) continue;
        actio_slot s = actio_slot_of(pool, x);
        if (s.space == ACTIO_SPACE_T)
            ACTIO_PUSH(pool->arena, seed, seeds, cap) = (struct actio_seed){ x, { UINT32_MAX } };
        else if (next[s.space]) ACTIO_PUSH(pool->arena, seed, seeds, cap) = (struct actio_seed){ x, { 0 } };
    }
    for (uint32_t i = 0; i < seeds; i++) { /* symbols are made only now: making nodes ends a pass */
        actio_slot s = actio_slot_of(pool, seed[i].x);
        if (s.space == ACTIO_SPACE_T) seed[i].dx = one(pool);
        else {
            s.space = next[s.space];
            seed[i].dx = actio_symbol_at(pool, s);
        }
    }
    actio_expr d;
    actio_along(pool, &f, 1, seed, seeds, &d);
    return d;
}
