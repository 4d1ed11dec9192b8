/* SPDX-License-Identifier: Apache-2.0
 * The formulas of a model in the order in which they are printed. What would be long when written out in full is
 * written once, as a let. */
#include "model/print.h"

#include <string.h>

/* nodes: written out in full / worth a let when used twice / a let in any case */
enum { SHORT = 4000, WORTH = 12, LONG = 2000 };

/* ---- which formulas, in the order of the text */

static void add_root(struct actio_printing *p, actio_expr e) { ACTIO_PUSH(&p->arena, p->root, p->roots, p->cap) = e; }

static void add_terms(struct actio_printing *p, const struct actio_term *term, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (term[i].placed) add_root(p, term[i].place);
        add_root(p, term[i].e);
    }
}

/* Options as they are printed: what is by default is left out. */
static void add_friction(struct actio_printing *p, const struct actio_friction *f)
{
    if (f->given) add_root(p, f->coefficient);
    for (size_t i = 0; f->slip_given && i < f->slips; i++) add_root(p, f->slip[i]);
    if (f->stick_given) add_root(p, f->stick);
}

static void add_contacts(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *c = &m->contact[i];
        add_root(p, c->left);
        add_root(p, c->right);
        if (!actio_print_is_elastic(m, c)) add_root(p, c->restitution);
        add_friction(p, &c->friction);
    }
    for (size_t i = 0; i < m->events; i++) {
        add_root(p, m->event[i].left);
        add_root(p, m->event[i].right);
    }
    for (size_t i = 0; i < m->resets.lines; i++) {
        const struct actio_reset_line *s = &m->resets.line[i];
        if (s->kind == ACTIO_EVERY) add_root(p, s->period);
        if (s->kind == ACTIO_EVERY && s->has_from) add_root(p, s->from);
        for (size_t k = 0; k < s->assigns; k++) add_root(p, s->assign[k].e);
    }
}

static void print_collect(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->params; i++) add_root(p, m->param[i].definition);
    for (size_t i = 0; i < m->field.axes; i++) {
        add_root(p, m->field.axis[i].from);
        add_root(p, m->field.axis[i].to);
    }
    for (size_t i = 0; i < m->named.frames; i++) add_root(p, m->named.frame[i].e);
    add_root(p, m->lagrangian);
    add_root(p, m->dissipation);
    for (size_t i = 0; i < m->forces; i++) add_terms(p, m->force[i].term, m->force[i].terms);
    for (size_t i = 0; i < m->flow.count; i++) {
        add_root(p, m->flow.of[i].left);
        add_root(p, m->flow.of[i].right);
    }
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *c = &m->constraint[i];
        add_root(p, c->left);
        add_root(p, c->right);
        add_terms(p, c->reaction, c->reactions);
        add_friction(p, &c->friction);
    }
    add_contacts(p);
    for (size_t i = 0; i < m->symmetries; i++) add_terms(p, m->symmetry[i].term, m->symmetry[i].terms);
    for (size_t i = 0; i < m->coords; i++) {
        add_root(p, m->coord[i].start);
        add_root(p, m->coord[i].start_dot);
    }
    for (size_t i = 0; i < m->states; i++) add_root(p, m->state[i].start);
    for (size_t i = 0; i < m->resets.helds; i++) add_root(p, m->resets.held[i].start);
    for (size_t i = 0; i < m->constraints; i++) add_root(p, m->constraint[i].start_lambda);
    for (size_t i = 0; i < m->output.observes; i++) add_root(p, m->output.observe[i].e);
    for (size_t i = 0; i < m->mixed.requires; i++) {
        add_root(p, m->mixed.require[i].at);
        add_root(p, m->mixed.require[i].value);
    }
}

/* ---- what becomes a let */

struct sharing {
    const uint32_t *id;
    uint32_t count;
    uint32_t *uses, *size, *place;
    bool full;
};

static uint32_t node_args(const struct actio_pool *pool, uint32_t id, uint32_t arg[3])
{
    const struct actio_node *n = &pool->node[id];
    arg[0] = n->a;
    arg[1] = n->b;
    arg[2] = n->c;
    return (uint32_t)actio_arity((enum actio_op)n->op);
}

static bool is_let(const struct sharing *s, uint32_t i)
{
    return !s->full && ((s->uses[i] > 1 && s->size[i] >= WORTH) || s->size[i] > LONG);
}

/* Nodes of each formula as text, lets counted once; returns the sum over roots, at most UINT32_MAX / 2. */
static uint64_t print_measure(struct actio_printing *p, struct sharing *s)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t arg[3], n = node_args(&p->m->pool, s->id[i], arg);
        uint64_t size = 1;
        for (uint32_t k = 0; k < n; k++) size += is_let(s, s->place[arg[k]]) ? 1 : s->size[s->place[arg[k]]];
        s->size[i] = size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)size;
    }
    for (size_t k = 0; k < p->roots; k++) total += s->size[s->place[p->root[k].id]];
    return total;
}

static struct sharing share(struct actio_printing *p)
{
    struct actio_pool *pool = &p->m->pool;
    struct actio_cone cone = actio_cone_of(pool, p->root, p->roots);
    uint32_t *id = actio_arena_array(&p->arena, cone.count, sizeof *id);
    memcpy(id, cone.id, cone.count * sizeof *id);
    struct sharing s = { id,
                         cone.count,
                         actio_arena_array(&p->arena, cone.count, 4),
                         actio_arena_array(&p->arena, cone.count, 4),
                         actio_arena_array(&p->arena, pool->count, 4),
                         true };
    for (uint32_t i = 0; i < s.count; i++) s.place[id[i]] = i;
    for (uint32_t i = 0; i < s.count; i++) {
        uint32_t arg[3], n = node_args(pool, id[i], arg);
        for (uint32_t k = 0; k < n; k++) s.uses[s.place[arg[k]]]++;
    }
    for (size_t k = 0; k < p->roots; k++) s.uses[s.place[p->root[k].id]]++;
    s.full = print_measure(p, &s) <= SHORT;
    if (!s.full) print_measure(p, &s);
    return s;
}

/* Copies all formulas, operands first; a let is a HIDDEN symbol from then on. */
static void copy_formulas(struct actio_printing *p)
{
    const struct actio_pool *from = &p->m->pool;
    struct sharing s = share(p);
    actio_expr *made = actio_arena_array(&p->arena, s.count, sizeof *made);
    for (uint32_t i = 0; i < s.count; i++) {
        const struct actio_node *n = &from->node[s.id[i]];
        actio_expr a[3] = { { 0 }, { 0 }, { 0 } };
        uint32_t arg[3], arity = node_args(from, s.id[i], arg);
        for (uint32_t k = 0; k < arity; k++) a[k] = made[s.place[arg[k]]];
        if (n->op == ACTIO_CONST) made[i] = actio_const(&p->pool, from->value[n->a]);
        else if (n->op == ACTIO_SYMBOL) made[i] = actio_symbol_at(&p->pool, from->slot[n->a]);
        else made[i] = actio_rebuild(&p->pool, (enum actio_op)n->op, a[0], a[1], a[2], (int32_t)n->b);
        if (!is_let(&s, i)) continue;
        ACTIO_PUSH(&p->arena, p->let, p->lets, p->lets_cap) = made[i];
        made[i] = actio_symbol(&p->pool, ACTIO_SPACE_HIDDEN, p->lets);
    }
    p->copy = actio_arena_array(&p->arena, p->roots, sizeof *p->copy);
    for (size_t k = 0; k < p->roots; k++) p->copy[k] = made[s.place[p->root[k].id]];
}

void actio_print_formulas(struct actio_printing *p)
{
    print_collect(p);
    copy_formulas(p);
}
