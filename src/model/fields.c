/* SPDX-License-Identifier: Apache-2.0
 * Fields and their axes: what a formula is open in (which axes it has a value at every point of), values at a place,
 * and what may stand where. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

enum { MOST_AXES = 31 };
static const double most_nodes = 1e12; /* memory refuses far fewer, with the amount */

static bool fields_fault(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                         const struct actio_value arg[6])
{
    actio_reader_fault(r, code, origin, span, arg);
    return false;
}

/* ---- declarations */

static bool axis_nodes(struct actio_reader *r, const struct actio_definition *d, struct actio_axis *axis)
{
    const struct actio_item *item = &r->parsed.item[d->item];
    struct actio_formula f = d->override ? r->parsed.item[d->override - 1].e : item->e;
    double nodes;
    if (!actio_machine_run(r, f, ACTIO_IN_BOUND, &axis->nodes_written)
        || !actio_machine_whole(r, axis->nodes_written, f.origin, actio_formula_at(r, f), &nodes))
        return false;
    if (nodes < 2 || nodes > most_nodes) {
        actio_reader_fault_at(r, ACTIO_F_AXIS_NODES, f.origin, actio_formula_at(r, f),
                              ACTIO_ARGS(ACTIO_TEXT(axis->name), ACTIO_NUMBER(nodes)));
        return false;
    }
    axis->nodes = (size_t)nodes;
    axis->resized = d->override != 0;
    return true;
}

static bool define_axis(struct actio_reader *r, const struct actio_definition *d)
{
    struct actio_model *m = r->model;
    const struct actio_item *item = &r->parsed.item[d->item];
    struct actio_axis axis = { .name = actio_word_text(r, d->word), .span = item->span };
    uint32_t count = (uint32_t)m->field.axes;
    if (!actio_machine_run(r, item->range.from, ACTIO_IN_BOUND, &axis.from)
        || !actio_machine_run(r, item->range.to, ACTIO_IN_BOUND, &axis.to))
        return false;
    axis.a = actio_model_number(m, axis.from);
    axis.b = actio_model_number(m, axis.to);
    if (!(axis.a < axis.b) || !isfinite(axis.b - axis.a))
        return fields_fault(r, ACTIO_F_AXIS_EMPTY, d->origin, item->span,
                            ACTIO_ARGS(ACTIO_TEXT(axis.name), ACTIO_NUMBER(axis.a), ACTIO_NUMBER(axis.b)));
    if (!axis_nodes(r, d, &axis)) return false;
    if (count >= MOST_AXES)
        return fields_fault(r, ACTIO_F_TOO_MANY_AXES, d->origin, item->span, ACTIO_ARGS(ACTIO_COUNT(MOST_AXES)));
    axis.s = actio_symbol_at(&m->pool,
                             (actio_slot){ .space = ACTIO_SPACE_AXIS, .axis = (uint16_t)(count + 1), .index = count });
    ACTIO_PUSH(&m->arena, m->field.axis, count, r->cap.axes) = axis;
    m->field.axes = count;
    r->vocabulary.word[d->word].value = (struct actio_symbol_ref){ ACTIO_SY_AXIS, count - 1 };
    return true;
}

bool actio_axis_named(struct actio_reader *r, uint32_t word, uint16_t origin, struct actio_span span, uint16_t *axis)
{
    *axis = 0;
    if (word == ACTIO_W_NONE) return true;
    if (r->vocabulary.word[word].value.kind == ACTIO_SY_FAILED) return false;
    if (r->vocabulary.word[word].value.kind != ACTIO_SY_AXIS)
        return r->vocabulary.word[word].suspect ? false
                                                : fields_fault(r, ACTIO_F_NOT_AN_AXIS, origin, span,
                                                               ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, word))));
    *axis = (uint16_t)(r->vocabulary.word[word].value.index + 1);
    return true;
}

static bool define_values(struct actio_reader *r, const struct actio_definition *d)
{
    struct actio_model *m = r->model;
    const struct actio_item *item = &r->parsed.item[d->item];
    uint32_t count = (uint32_t)m->coords;
    struct actio_variable v = { .name = actio_word_text(r, d->word), .unit = item->unit, .span = item->span };
    if (!actio_axis_named(r, item->axis, d->origin, item->span, &v.axis)) return false;
    v.dot_name = actio_arena_format(&m->arena, "%s_dot", v.name);
    actio_slot slot = { .space = ACTIO_SPACE_Q, .axis = v.axis, .index = count };
    v.x = actio_symbol_at(&m->pool, slot);
    slot.space = ACTIO_SPACE_V;
    v.dot = actio_symbol_at(&m->pool, slot);
    slot.space = ACTIO_SPACE_ACC;
    v.ddot = actio_symbol_at(&m->pool, slot);
    ACTIO_PUSH(&m->arena, m->coord, count, r->cap.coords) = v;
    m->coords = count;
    r->vocabulary.word[d->word].value = (struct actio_symbol_ref){ ACTIO_SY_COORD, count - 1 };
    return true;
}

/* The item of an axis has a number of nodes; the field x(x) is not an axis, although it has the same name. */
bool actio_is_axis(const struct actio_reader *r, const struct actio_definition *d)
{
    return d->keyword == ACTIO_W_field && r->parsed.item[d->item].axis == d->word && r->parsed.item[d->item].e.count;
}

bool actio_define_field(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    (void)word;
    (void)k;
    return actio_is_axis(r, d) ? define_axis(r, d) : define_values(r, d);
}

/* The axis of `on` is the one in the brackets. */
void actio_fields_check(struct actio_reader *r, const struct actio_statement *s)
{
    for (uint32_t i = s->first; i < s->first + s->entries; i++)
        if (r->parsed.item[i].axis != s->axis)
            fields_fault(r, ACTIO_F_FIELD_AXIS, s->origin, r->parsed.item[i].span,
                         ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, r->parsed.item[i].word)),
                                    ACTIO_TEXT(actio_word_text(r, r->parsed.item[i].axis)),
                                    ACTIO_TEXT(actio_word_text(r, s->axis))));
}

/* ---- what a formula is open in: one bit for each axis */

static unsigned own_axis(const struct actio_pool *pool, uint32_t id)
{
    const struct actio_node *n = &pool->node[id];
    return n->op == ACTIO_SYMBOL && pool->slot[n->a].axis ? 1u << pool->slot[n->a].axis : 0;
}

static unsigned open_of(const struct actio_reader *r, uint32_t id)
{
    const struct actio_pool *pool = &r->model->pool;
    const struct actio_node *n = &pool->node[id];
    switch (n->op) {
    case ACTIO_DIFF:
    case ACTIO_RUNNING: return r->nodes.open[n->a];
    case ACTIO_INTEGRAL: return r->nodes.open[n->a] & ~own_axis(pool, n->b);
    case ACTIO_AT: return (r->nodes.open[n->a] & ~own_axis(pool, n->b)) | r->nodes.open[n->c];
    default: break;
    }
    const uint32_t arg[3] = { n->a, n->b, n->c };
    unsigned open = own_axis(pool, id);
    for (int k = 0; k < actio_arity((enum actio_op)n->op); k++) open |= r->nodes.open[arg[k]];
    return open;
}

unsigned actio_open_axes(struct actio_reader *r, actio_expr e)
{
    const struct actio_pool *pool = &r->model->pool;
    if (r->nodes.opens_cap < pool->count) {
        r->nodes.open = actio_arena_grow(&r->scratch, r->nodes.open, r->nodes.opens_cap * sizeof *r->nodes.open,
                                         pool->cap * sizeof *r->nodes.open);
        r->nodes.opens_cap = pool->cap;
    }
    for (; r->nodes.opens < pool->count; r->nodes.opens++) r->nodes.open[r->nodes.opens] = open_of(r, r->nodes.opens);
    return r->nodes.open[e.id];
}

/* ---- values at a place: of the fields themselves and of their derivatives, so that a formula at a place is a formula
 * of values there */

actio_expr actio_field_at(struct actio_reader *r, actio_expr e, uint16_t axis, actio_expr place)
{
    struct actio_pool *pool = &r->model->pool;
    actio_expr s = r->model->field.axis[axis - 1].s;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *made = actio_arena_array(&r->scratch, cone.count, sizeof *made);
    uint32_t *id = actio_arena_array(&r->scratch, cone.count, sizeof *id);
    memcpy(id, cone.id, cone.count * sizeof *id);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node n = pool->node[id[i]];
        int arity = actio_arity((enum actio_op)n.op);
        actio_expr x = { id[i] }, none = { 0 };
        if (!(actio_open_axes(r, x) & 1u << axis)) made[i] = x;
        else if (actio_same(x, s)) made[i] = place;
        else if (arity == 0 || n.op == ACTIO_DIFF || n.op == ACTIO_RUNNING) made[i] = actio_at(pool, x, s, place);
        else
            made[i] = actio_rebuild(pool, (enum actio_op)n.op, made[pool->place[n.a]],
                                    arity > 1 ? made[pool->place[n.b]] : none,
                                    arity > 2 ? made[pool->place[n.c]] : none, (int32_t)n.b);
    }
    return made[cone.count - 1];
}

/* ---- what may stand where */

static const char *first_field(struct actio_reader *r, actio_expr e, unsigned axes)
{
    const struct actio_model *m = r->model;
    struct actio_cone cone = actio_cone_of(&r->model->pool, &e, 1);
    const char *axis = "";
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &m->pool.node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL || !(own_axis(&m->pool, cone.id[i]) & axes)) continue;
        actio_slot s = m->pool.slot[n->a];
        if (s.space == ACTIO_SPACE_Q || s.space == ACTIO_SPACE_V || s.space == ACTIO_SPACE_ACC)
            return m->coord[s.index].name;
        axis = s.space == ACTIO_SPACE_AXIS ? m->field.axis[s.index].name
               : s.space == ACTIO_SPACE_LAMBDA
                   ? actio_arena_format(&r->scratch, "lambda.%s", m->constraint[s.index].label)
                   : axis;
    }
    return axis;
}

static const char *axis_name(const struct actio_reader *r, unsigned axes)
{
    for (size_t a = 0; a < r->model->field.axes; a++)
        if (axes & 1u << (a + 1)) return r->model->field.axis[a].name;
    return "s";
}

/* Does a running integral of something that moves stand in it? */
static bool runs(struct actio_reader *r, actio_expr e)
{
    const struct actio_pool *pool = &r->model->pool;
    struct actio_cone cone = actio_cone_of(&r->model->pool, &e, 1);
    bool found = false;
    for (uint32_t i = 0; i < cone.count && !found; i++)
        found = pool->node[cone.id[i]].op == ACTIO_RUNNING
                && (actio_machine_spaces(r, (actio_expr){ pool->node[cone.id[i]].a })
                    & ~(ACTIO_BIT(PARAM) | ACTIO_BIT(AXIS)));
    return found;
}

bool actio_field_fits(struct actio_reader *r, actio_expr e, uint16_t axis, enum actio_setting in,
                      struct actio_formula f)
{
    if (r->model->field.axes == 0) return true;
    unsigned open = actio_open_axes(r, e), wrong = open & ~(axis ? 1u << axis : 0);
    uint32_t at = actio_formula_at(r, f);
    if (wrong && axis) {
        actio_reader_fault_at(r, ACTIO_F_OTHER_AXIS, f.origin, at,
                              ACTIO_ARGS(ACTIO_TEXT(first_field(r, e, wrong)), ACTIO_TEXT(axis_name(r, wrong)),
                                         ACTIO_TEXT(r->model->field.axis[axis - 1].name)));
        return false;
    }
    if (wrong) {
        actio_reader_fault_at(r, ACTIO_F_FIELD_NEEDS_PLACE, f.origin, at,
                              ACTIO_ARGS(ACTIO_TEXT(first_field(r, e, wrong)), ACTIO_TEXT(axis_name(r, wrong))));
        return false;
    }
    if (in == ACTIO_IN_OBSERVE || in == ACTIO_IN_START || !runs(r, e)) return true;
    actio_reader_fault_at(r, ACTIO_F_RUNNING_HERE, f.origin, at, ACTIO_NO_ARGS);
    return false;
}
