/* SPDX-License-Identifier: Apache-2.0
 * Which line of the model has a switch, and how its condition is written there: each switch remembers the node of the
 * model that it was made of. */
#include "equations/formation.h"
#include "model/model.h"

/* A walk over the model's formulas, statement by statement: a node belongs to the first statement that has it. */
struct walk {
    struct actio_formation *F;
    uint32_t *stack, *line, *of; /* of: by node of the model, the switches made of it begin here, from 1 */
    size_t top;
    bool *seen;
};

static void walk_push(struct walk *w, uint32_t id)
{
    if (w->seen[id]) return;
    w->seen[id] = true;
    w->stack[w->top++] = id;
}

static void walk(struct walk *w, actio_expr e, struct actio_span span)
{
    const struct actio_pool *pool = &w->F->model->pool;
    if (e.id == 0) return;
    walk_push(w, e.id);
    while (w->top) {
        uint32_t id = w->stack[--w->top];
        const struct actio_node *node = &pool->node[id];
        w->of[id] = span.line;
        int arity = actio_arity((enum actio_op)node->op);
        const uint32_t arg[3] = { node->a, node->b, node->c };
        for (int k = 0; k < arity; k++) walk_push(w, arg[k]);
    }
}

static void walk_friction(struct walk *w, const struct actio_friction *f, struct actio_span span)
{
    walk(w, f->coefficient, span);
    walk(w, f->stick, span);
    for (size_t i = 0; i < f->slips; i++) walk(w, f->slip[i], span);
}

static void walk_rows(struct walk *w, const struct actio_model *m)
{
    for (size_t k = 0; k < m->constraints; k++) {
        walk(w, m->constraint[k].g, m->constraint[k].span);
        for (size_t i = 0; i < m->constraint[k].reactions; i++)
            walk(w, m->constraint[k].reaction[i].e, m->constraint[k].span);
        walk_friction(w, &m->constraint[k].friction, m->constraint[k].span);
    }
    for (size_t k = 0; k < m->contacts; k++) {
        walk(w, m->contact[k].gap, m->contact[k].span);
        walk(w, m->contact[k].restitution, m->contact[k].span);
        walk_friction(w, &m->contact[k].friction, m->contact[k].span);
    }
    for (size_t k = 0; k < m->events; k++) walk(w, m->event[k].g, m->event[k].span);
}

static void walk_all(struct walk *w, const struct actio_model *m)
{
    for (size_t i = 0; i < m->written.parts; i++) walk(w, m->written.part[i].e, m->written.part[i].span);
    for (size_t k = 0; k < m->forces; k++)
        for (size_t t = 0; t < m->force[k].terms; t++) walk(w, m->force[k].term[t].e, m->force[k].span);
    for (size_t i = 0; i < m->flow.count; i++) {
        walk(w, m->flow.of[i].left, m->flow.of[i].span);
        walk(w, m->flow.of[i].right, m->flow.of[i].span);
    }
    walk_rows(w, m);
}

static const char *written_of(struct actio_formation *F, uint32_t node)
{
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    actio_print(&F->model->pool, (actio_expr){ node }, actio_model_symbol_name, F->model, &t);
    return t.s;
}

void actio_form_switch_lines(struct actio_formation *F)
{
    size_t count = F->sys.switches.count, nodes = F->model->pool.count;
    if (count == 0) return;
    const char **written = actio_form_array(F, count, sizeof *written);
    struct walk w = { .F = F,
                      .stack = actio_form_array(F, nodes + 1, sizeof *w.stack),
                      .line = actio_form_array(F, count, sizeof *w.line),
                      .of = actio_form_array(F, nodes + 1, sizeof *w.of),
                      .seen = actio_form_array(F, nodes + 1, sizeof *w.seen) };
    walk_all(&w, F->model);
    for (size_t k = 0; k < count; k++) {
        uint32_t node = F->modes.origin[k];
        w.line[k] = node ? w.of[node] : 0;
        written[k] = node ? written_of(F, node) : F->sys.switches.text[k];
    }
    F->sys.switches.line = w.line;
    F->sys.switches.written = written;
}
