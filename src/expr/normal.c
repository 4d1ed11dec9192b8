/* SPDX-License-Identifier: Apache-2.0
 * The questions of normal.h, each answered on a private pool whose memory goes when the answer is there. */
#include "expr/normal.h"
#include "expr/poly.h"
#include "expr/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 20000, MOST_RESTARTS = 4 };

/* ---- expressions to polynomials */

/* Variables (momenta among them, which are names of a caller's own) before time before params: decides which term
 * leads, and so the signs. */
static const uint8_t space_order[ACTIO_SPACE_COUNT] = {
    [ACTIO_SPACE_ACC] = 1,     [ACTIO_SPACE_SDOT] = 2,  [ACTIO_SPACE_V] = 3,      [ACTIO_SPACE_HIDDEN] = 4,
    [ACTIO_SPACE_Q] = 5,       [ACTIO_SPACE_STATE] = 6, [ACTIO_SPACE_LAMBDA] = 7, [ACTIO_SPACE_REACTION] = 8,
    [ACTIO_SPACE_T] = 9,       [ACTIO_SPACE_MODE] = 10, [ACTIO_SPACE_PARAM] = 11, [ACTIO_SPACE_COLUMN] = 12,
    [ACTIO_SPACE_WEIGHT] = 13, [ACTIO_SPACE_AXIS] = 14, [ACTIO_SPACE_HELD] = 15,
};

struct placed {
    actio_slot slot;
    actio_expr e;
};

static int by_slot(const void *a, const void *b)
{
    actio_slot x = ((const struct placed *)a)->slot, y = ((const struct placed *)b)->slot;
    int spaces = space_order[x.space] - space_order[y.space];
    if (spaces) return spaces;
    if (x.axis != y.axis) return x.axis < y.axis ? -1 : 1;
    if (x.index != y.index) return x.index < y.index ? -1 : 1;
    return x.offset - y.offset;
}

/* Symbols become atoms first, so that the order of terms does not depend on how the formula was built. */
static void name_symbols(struct actio_normal *w, const uint32_t *id, uint32_t count)
{
    struct placed *list = actio_arena_array(w->arena, count, sizeof *list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        actio_expr e = { id[i] };
        if (w->pool->node[e.id].op == ACTIO_SYMBOL) list[n++] = (struct placed){ actio_slot_of(w->pool, e), e };
    }
    if (n) qsort(list, n, sizeof *list, by_slot);
    for (uint32_t i = 0; i < n; i++) actio_atom_for(w, list[i].e);
}

static struct actio_poly of_node(struct actio_normal *w, uint32_t id, const struct actio_poly arg[3])
{
    struct actio_node n = w->pool->node[id];
    switch ((enum actio_op)n.op) {
    case ACTIO_CONST: return actio_rule_const(w, (actio_expr){ id });
    case ACTIO_SYMBOL: return actio_poly_atom(w, actio_atom_for(w, (actio_expr){ id }), 1);
    case ACTIO_NEG: return actio_poly_scale(w, arg[0], actio_ratio_whole(-1));
    case ACTIO_ADD: return actio_poly_add(w, arg[0], arg[1]);
    case ACTIO_SUB: return actio_poly_sub(w, arg[0], arg[1]);
    case ACTIO_MUL: return actio_rule_product(w, arg[0], arg[1]);
    case ACTIO_DIV: return actio_rule_product(w, arg[0], actio_rule_inverse(w, arg[1]));
    case ACTIO_POWI: return actio_rule_power(w, arg[0], (int32_t)n.b);
    case ACTIO_FMA: return actio_poly_add(w, actio_rule_product(w, arg[0], arg[1]), arg[2]);
    default: return actio_rule_call(w, &n, arg);
    }
}

/* Without products and functions: terms that need them stay as they are. */
static bool stays_opaque(const struct actio_normal *w, const struct actio_node *n)
{
    switch ((enum actio_op)n->op) {
    case ACTIO_CONST:
    case ACTIO_SYMBOL:
    case ACTIO_NEG:
    case ACTIO_ADD:
    case ACTIO_SUB: return false;
    case ACTIO_MUL: return w->pool->node[n->a].op != ACTIO_CONST;
    default: return true;
    }
}

/* A node that is too much for the limits becomes a symbol of its own: whatever is proved then holds all the same. */
static struct actio_poly of_cone(struct actio_normal *w, const uint32_t *id, uint32_t count, struct actio_poly *value,
                                 bool linear)
{
    struct actio_poly last = { NULL, 0 };
    for (uint32_t i = 0; i < count && !w->spent; i++) {
        struct actio_node n = w->pool->node[id[i]];
        const uint32_t of[3] = { n.a, n.b, n.c };
        struct actio_poly arg[3] = { { NULL, 0 } };
        for (int k = 0; k < actio_arity((enum actio_op)n.op); k++) arg[k] = value[of[k]];
        bool opaque = linear && stays_opaque(w, &n);
        if (!opaque) last = of_node(w, id[i], arg);
        if (opaque || (w->over && !w->spent)) {
            w->over = false;
            last = actio_poly_atom(w, actio_atom_for(w, (actio_expr){ id[i] }), 1);
        }
        value[id[i]] = last;
    }
    return last;
}

static void normal_begin(struct actio_normal *w)
{
    w->atoms = 0;
    if (w->ids) memset(w->atom_of, 0, w->ids * sizeof *w->atom_of);
    w->over = w->again = false;
}

/* The polynomial of e; its node ids stay valid, the pool only grows. */
static struct actio_poly polynomial(struct actio_normal *w, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(w->pool, &e, 1);
    uint32_t *id = actio_arena_array(w->arena, cone.count, sizeof *id), count = cone.count;
    memcpy(id, cone.id, count * sizeof *id);
    struct actio_poly *value = actio_arena_array(w->arena, (size_t)e.id + 1, sizeof *value), p = { NULL, 0 };
    for (int k = 0; k < MOST_RESTARTS; k++) {
        normal_begin(w);
        name_symbols(w, id, count);
        p = of_cone(w, id, count, value, false);
        if (!w->again || w->spent) break;
    }
    if (!w->spent) return p;
    w->spent = false;
    w->work = 0; /* too much work: only what cancels as it stands */
    normal_begin(w);
    return of_cone(w, id, count, value, true);
}

static struct actio_normal start(struct actio_pool *pool, enum actio_mode mode)
{
    return (struct actio_normal){ .pool = pool, .arena = pool->arena, .mode = mode, .eliminate = ACTIO_CONST };
}

/* ---- answers on the private pool */

static bool proved_zero(struct actio_pool *pool, actio_expr e)
{
    if (actio_is_const(pool, e)) return actio_is_zero(e);
    struct actio_normal w = start(pool, ACTIO_PROVE);
    struct actio_poly p = polynomial(&w, e);
    struct actio_term by;
    if (w.over) return false;
    p = actio_rule_clear(&w, p, true, &by);
    return !w.over && p.n == 0;
}

/* Length as text, shared parts counted each time; a fraction below a fraction's line is hard to read. */
static double length(struct actio_pool *pool, actio_expr e)
{
    enum { NESTED = 20 };
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    double *size = actio_arena_array(pool->arena, cone.count, sizeof *size);
    bool *divides = actio_arena_array(pool->arena, cone.count, sizeof *divides);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node n = pool->node[cone.id[i]];
        const uint32_t of[3] = { n.a, n.b, n.c };
        size[i] = n.op == ACTIO_NEG ? 0.5 : 1;
        for (int k = 0; k < actio_arity((enum actio_op)n.op); k++) {
            size[i] += size[pool->place[of[k]]];
            divides[i] = divides[i] || divides[pool->place[of[k]]];
        }
        if (n.op == ACTIO_DIV && divides[pool->place[n.b]]) size[i] += NESTED;
        divides[i] = divides[i] || n.op == ACTIO_DIV;
    }
    return size[cone.count - 1];
}

static actio_expr best(struct actio_pool *pool, actio_expr e, actio_expr expanded, actio_expr kept)
{
    double size = length(pool, e), wide = length(pool, expanded), narrow = length(pool, kept);
    if (1.25 * narrow + 2 < wide) {
        expanded = kept;
        wide = narrow;
    }
    return wide > 1.25 * size + 4 ? e : expanded;
}

static bool has_rounding(struct actio_poly p)
{
    for (uint32_t i = 0; i < p.n; i++)
        if (!actio_ratio_exact(p.t[i].c)) return true;
    return false;
}

/* Sums multiplied out with rounded coefficients cancel badly: (y - 1)^7 is good near 1, its powers of y are not. */
static bool rounded(const struct actio_normal *w, struct actio_poly p)
{
    bool found = has_rounding(p);
    for (uint32_t i = 0; i < w->atoms && !found; i++)
        found = has_rounding(w->atom[i].radicand) || has_rounding(w->atom[i].arg);
    return found;
}

/* `instead` is the answer when the limits do not allow one, or when rounding would spoil it. */
static actio_expr simplified(struct actio_pool *pool, actio_expr e, enum actio_mode mode, actio_expr instead)
{
    struct actio_normal w = start(pool, mode);
    struct actio_poly p = polynomial(&w, e);
    if (mode == ACTIO_EXPAND && rounded(&w, p)) return instead;
    actio_expr r = actio_poly_shown(&w, actio_poly_tidy(&w, p));
    return w.over ? instead : r;
}

static actio_expr simplest(struct actio_pool *pool, actio_expr e)
{
    if (proved_zero(pool, e)) return (actio_expr){ 0 };
    actio_expr kept = simplified(pool, e, ACTIO_KEEP, e);
    return best(pool, e, simplified(pool, e, ACTIO_EXPAND, kept), kept);
}

/* ---- collecting */

struct wanted {
    const actio_expr *wrt;
    size_t n;
};

static bool is_wanted(const struct actio_normal *w, struct actio_factor f, struct wanted q)
{
    for (size_t k = 0; k < q.n; k++)
        if (actio_same(w->atom[f.atom].e, q.wrt[k])) return true;
    return false;
}

static struct actio_term wanted_part(struct actio_normal *w, struct actio_term t, struct wanted q)
{
    struct actio_term m = actio_term_one();
    for (uint32_t i = 0; i < t.n; i++)
        if (is_wanted(w, t.f[i], q)) m = actio_term_times(w, m, t.f[i].atom, t.f[i].power);
    return m;
}

/* Coefficient and what it multiplies, left out when the coefficient is zero. */
static actio_expr collected_term(struct actio_normal *w, struct actio_term key, struct actio_poly coefficient)
{
    coefficient = actio_poly_tidy(w, coefficient);
    actio_expr e = actio_poly_shown(w, coefficient), factored = actio_poly_factored(w, coefficient);
    if (w->over || proved_zero(w->pool, e)) return (actio_expr){ 0 };
    if (key.n == 0) return e;
    if (length(w->pool, factored) < length(w->pool, e)) e = factored;
    return actio_mul(w->pool, e, actio_poly_plain(w, actio_poly_of_term(w, key)));
}

static actio_expr collected(struct actio_pool *pool, actio_expr e, struct wanted q, enum actio_mode mode,
                            actio_expr instead)
{
    struct actio_normal w = start(pool, mode);
    struct actio_poly p = polynomial(&w, e), *of = actio_arena_array(pool->arena, p.n, sizeof *of);
    struct actio_term *key = actio_arena_array(pool->arena, p.n, sizeof *key);
    uint32_t count = 0;
    if (mode == ACTIO_EXPAND && rounded(&w, p)) return instead;
    for (uint32_t i = 0; i < p.n && !w.over; i++) {
        struct actio_term m = wanted_part(&w, p.t[i], q), rest = actio_term_mul(&w, p.t[i], actio_term_inverse(&w, m));
        uint32_t at = 0;
        while (at < count && actio_term_order(&key[at], &m)) at++;
        if (at == count) key[count++] = m;
        of[at] = actio_poly_add(&w, of[at], actio_poly_of_term(&w, rest));
    }
    actio_expr sum = { 0 };
    for (uint32_t i = 0; i < count && !w.over; i++) sum = actio_add(pool, sum, collected_term(&w, key[i], of[i]));
    return w.over ? instead : sum;
}

/* ---- the way to the private pool and back */

struct job {
    struct actio_pool *pool;
    actio_expr e;
    const actio_expr *wrt;
    size_t n;
    void (*answer)(struct job *job, struct actio_pool *own, actio_expr e, const actio_expr *wrt);
    struct actio_arena arena;
    actio_expr result;
    bool yes;
};

static void answer_zero(struct job *job, struct actio_pool *own, actio_expr e, const actio_expr *wrt)
{
    (void)wrt;
    job->yes = proved_zero(own, e);
}

static void answer_simplify(struct job *job, struct actio_pool *own, actio_expr e, const actio_expr *wrt)
{
    (void)wrt;
    actio_expr r = simplest(own, e);
    if (!actio_same(r, e)) job->result = actio_copy(job->pool, own, r);
}

static void answer_group(struct job *job, struct actio_pool *own, actio_expr e, const actio_expr *wrt)
{
    (void)wrt;
    actio_expr r = actio_grouped(own, e);
    if (!actio_same(r, e)) job->result = actio_copy(job->pool, own, r);
}

static void answer_collect(struct job *job, struct actio_pool *own, actio_expr e, const actio_expr *wrt)
{
    struct wanted q = { wrt, job->n };
    actio_expr r = { 0 };
    if (!proved_zero(own, e)) {
        actio_expr kept = collected(own, e, q, ACTIO_KEEP, e);
        r = best(own, e, collected(own, e, q, ACTIO_EXPAND, kept), kept);
    }
    if (!actio_same(r, e)) job->result = actio_copy(job->pool, own, r);
}

static void stage(void *user)
{
    struct job *job = user;
    struct actio_pool own;
    actio_expr *all = actio_arena_array(&job->arena, job->n + 1, sizeof *all);
    all[0] = job->e;
    for (size_t k = 0; k < job->n; k++) all[k + 1] = job->wrt[k];
    if (actio_cone_of(job->pool, all, job->n + 1).count > MOST_NODES) return;
    actio_pool_open(&own, &job->arena);
    actio_copy_all(&own, job->pool, all, job->n + 1, all);
    job->answer(job, &own, all[0], all + 1);
}

static void ask(struct job *job)
{
    struct actio_context *ctx = job->pool->arena->ctx;
    actio_arena_open(&job->arena, ctx);
    int escaped = actio_attempt(ctx, stage, job);
    actio_arena_close(&job->arena);
    if (escaped) actio_escape(ctx);
}

bool actio_is_identically_zero(struct actio_pool *pool, actio_expr e)
{
    struct job job = { .pool = pool, .e = e, .answer = answer_zero };
    if (actio_is_const(pool, e)) return actio_is_zero(e);
    ask(&job);
    return job.yes;
}

actio_expr actio_simplify(struct actio_pool *pool, actio_expr e)
{
    struct job job = { .pool = pool, .e = e, .answer = answer_simplify, .result = e };
    ask(&job);
    return job.result;
}

actio_expr actio_group(struct actio_pool *pool, actio_expr e)
{
    struct job job = { .pool = pool, .e = e, .answer = answer_group, .result = e };
    ask(&job);
    return job.result;
}

actio_expr actio_collect(struct actio_pool *pool, actio_expr e, const actio_expr *wrt, size_t n)
{
    struct job job = { .pool = pool, .e = e, .wrt = wrt, .n = n, .answer = answer_collect, .result = e };
    ask(&job);
    return job.result;
}

/* ---- rows */

static size_t first_nonzero(struct actio_pool *pool, const actio_expr *row, size_t n)
{
    size_t k = 0;
    while (k < n && actio_is_identically_zero(pool, row[k])) k++;
    return k;
}

static actio_expr normal_product(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(pool, a, b);
}

/* With b_k not zero: a = f b exactly when a_i b_k = a_k b_i for all i. */
bool actio_proportional(struct actio_pool *pool, const actio_expr *a, const actio_expr *b, size_t n, actio_expr *factor)
{
    size_t k = first_nonzero(pool, b, n);
    if (k == n && first_nonzero(pool, a, n) < n) return false;
    for (size_t i = 0; i < n && k < n; i++) {
        if (i == k) continue;
        actio_expr d = actio_sub(pool, normal_product(pool, a[i], b[k]), normal_product(pool, a[k], b[i]));
        if (!actio_is_identically_zero(pool, d)) return false;
    }
    if (factor)
        *factor = k == n || actio_is_identically_zero(pool, a[k]) ? (actio_expr){ 0 }
                                                                  : actio_simplify(pool, actio_div(pool, a[k], b[k]));
    return true;
}

/* ---- numbers for reading */

actio_expr actio_round_numbers(struct actio_pool *pool, actio_expr e)
{
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *from = actio_arena_array(pool->arena, 2 * (size_t)cone.count + 1, sizeof *from),
               *to = from + cone.count;
    size_t count = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_CONST) from[count++] = (actio_expr){ cone.id[i] };
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        double x = actio_const_value(pool, from[i]), near = actio_ratio_value(actio_ratio_near(x));
        if (near != x && isfinite(x)) {
            from[changed] = from[i];
            to[changed++] = actio_const(pool, near);
        }
    }
    return changed ? actio_substitute(pool, e, from, to, changed) : e;
}
