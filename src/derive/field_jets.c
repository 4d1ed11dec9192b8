/* SPDX-License-Identifier: Apache-2.0
 * Jets: formulas of the model into them, derivatives along an axis and by time, places, integrals and what varies with
 * them. */
#include "derive/field_jets.h"
#include "derive/square.h"

#include <math.h>
#include <string.h>

static actio_expr zero(void) { return (actio_expr){ 0 }; }

struct actio_field_jets *actio_field_jets_open(struct actio_derivation *d)
{
    struct actio_field_jets *j = actio_arena_array(&d->arena, 1, sizeof *j);
    *j = (struct actio_field_jets){ .d = d, .pool = &d->F->pool };
    return j;
}

actio_expr actio_jet(struct actio_field_jets *j, enum actio_space space, uint32_t coord, int order)
{
    return actio_symbol_at(j->pool, (actio_slot){ .space = (uint8_t)space,
                                                  .offset = (int8_t)order,
                                                  .axis = j->d->model->coord[coord].axis,
                                                  .index = coord });
}

actio_expr actio_jet_own(struct actio_field_jets *j, const char *name, uint16_t axis)
{
    ACTIO_PUSH(&j->d->arena, j->own, j->owns, j->owns_cap) = name;
    return actio_symbol_at(j->pool, (actio_slot){ .space = ACTIO_SPACE_STATE, .axis = axis, .index = j->owns - 1 });
}

int actio_jet_order(struct actio_field_jets *j)
{
    int most = 0;
    for (uint32_t i = 0; i < j->pool->slots; i++)
        if (j->pool->slot[i].axis && j->pool->slot[i].offset > most) most = j->pool->slot[i].offset;
    for (uint32_t i = 0; i < j->points; i++)
        if (j->point[i].of.offset > most) most = j->point[i].of.offset;
    return most;
}

/* ---- what stands behind a symbol */

static struct actio_opaque *opaque_of(const struct actio_field_jets *j, actio_expr symbol)
{
    for (uint32_t i = 0; i < j->opaques; i++)
        if (actio_same(j->opaque[i].symbol, symbol)) return &j->opaque[i];
    return NULL;
}

static actio_expr opaque(struct actio_field_jets *j, enum actio_op op, actio_expr e, uint16_t axis, actio_expr place)
{
    if (actio_is_zero(e)) return e;
    for (uint32_t i = 0; i < j->opaques; i++) {
        const struct actio_opaque *o = &j->opaque[i];
        if (o->op == op && o->axis == axis && actio_same(o->e, e) && actio_same(o->place, place)) return o->symbol;
    }
    actio_expr symbol = actio_shown_symbol(j->d, "", "");
    ACTIO_PUSH(&j->d->arena, j->opaque, j->opaques, j->opaques_cap) =
        (struct actio_opaque){ .op = op, .axis = axis, .symbol = symbol, .e = e, .place = place };
    return symbol;
}

actio_expr actio_jet_integral(struct actio_field_jets *j, actio_expr e, uint16_t axis)
{
    return opaque(j, ACTIO_INTEGRAL, e, axis, zero());
}

static actio_expr axis_symbol(struct actio_field_jets *j, uint16_t axis)
{
    return actio_symbol_at(j->pool, (actio_slot){ .space = ACTIO_SPACE_AXIS, .axis = axis, .index = axis - 1u });
}

/* Later ones may have earlier ones in them. */
actio_expr actio_jet_shown(struct actio_field_jets *j, actio_expr e)
{
    for (uint32_t i = j->opaques; i-- > 0;) {
        struct actio_opaque o = j->opaque[i];
        actio_expr s = axis_symbol(j, o.axis);
        actio_expr node = actio_op2(j->pool, o.op == ACTIO_INTEGRAL ? ACTIO_INTEGRAL : ACTIO_RUNNING,
                                    o.op == ACTIO_INTEGRAL ? actio_tidy_shown(j->d, o.e) : o.e, s);
        if (o.op == ACTIO_AT) node = actio_at(j->pool, node, s, o.place);
        e = actio_substitute(j->pool, e, &o.symbol, &node, 1);
    }
    return e;
}

/* ---- derivatives: every symbol in a formula has its own */

typedef actio_expr (*direction_fn)(struct actio_field_jets *j, actio_expr symbol, uint16_t axis);

static size_t symbols_of(struct actio_field_jets *j, actio_expr e, struct actio_seed **seed)
{
    struct actio_cone cone = actio_cone_of(j->pool, &e, 1);
    size_t n = 0;
    *seed = actio_form_array(j->d->F, cone.count, sizeof **seed);
    for (uint32_t i = 0; i < cone.count; i++)
        if (j->pool->node[cone.id[i]].op == ACTIO_SYMBOL) (*seed)[n++].x = (actio_expr){ cone.id[i] };
    return n;
}

static actio_expr field_jets_along(struct actio_field_jets *j, actio_expr e, direction_fn direction, uint16_t axis)
{
    struct actio_seed *seed;
    size_t n = symbols_of(j, e, &seed);
    actio_expr de;
    for (size_t i = 0; i < n; i++) seed[i].dx = direction(j, seed[i].x, axis);
    actio_along(j->pool, &e, 1, seed, n, &de);
    return de;
}

static actio_expr next_of(struct actio_field_jets *j, actio_expr x, uint16_t axis)
{
    actio_slot s = actio_slot_of(j->pool, x);
    if (s.space == ACTIO_SPACE_HIDDEN) {
        const struct actio_opaque *o = opaque_of(j, x);
        return o && o->op == ACTIO_RUNNING && o->axis == axis ? o->e : zero();
    }
    if (s.axis != axis) return zero();
    if (s.space == ACTIO_SPACE_AXIS) return actio_const(j->pool, 1);
    s.offset++;
    return actio_symbol_at(j->pool, s);
}

actio_expr actio_jet_next(struct actio_field_jets *j, actio_expr e, uint16_t axis)
{
    return field_jets_along(j, e, next_of, axis);
}

static actio_expr field_jets_rate_of(struct actio_field_jets *j, actio_expr x, uint16_t axis)
{
    static const uint8_t next[ACTIO_SPACE_COUNT] = {
        [ACTIO_SPACE_Q] = ACTIO_SPACE_V, [ACTIO_SPACE_V] = ACTIO_SPACE_ACC, [ACTIO_SPACE_STATE] = ACTIO_SPACE_SDOT
    };
    actio_slot s = actio_slot_of(j->pool, x);
    (void)axis;
    if (s.space == ACTIO_SPACE_T) return actio_const(j->pool, 1);
    if (s.space == ACTIO_SPACE_HIDDEN) {
        const struct actio_opaque *o = opaque_of(j, x);
        return o ? o->rate : zero();
    }
    if (!next[s.space]) return zero();
    s.space = next[s.space];
    return actio_symbol_at(j->pool, s);
}

/* Integrals first, in the order in which they were made: inner ones have their rates before outer ones need them. */
actio_expr actio_jet_rate(struct actio_field_jets *j, actio_expr e)
{
    for (uint32_t i = 0, n = j->opaques; i < n && actio_uses(j->pool, e, ACTIO_SPACE_HIDDEN); i++) {
        if (j->opaque[i].rated) continue;
        struct actio_opaque o = j->opaque[i];
        actio_expr rate = opaque(j, o.op, field_jets_along(j, o.e, field_jets_rate_of, 0), o.axis, o.place);
        j->opaque[i].rate = rate;
        j->opaque[i].rated = true;
    }
    return field_jets_along(j, e, field_jets_rate_of, 0);
}

/* ---- places */

uint32_t actio_jet_point(struct actio_field_jets *j, actio_slot of, actio_expr place)
{
    double at = actio_value_of(j->pool, place, actio_start_value, j->d->model);
    if (of.space == ACTIO_SPACE_V || of.space == ACTIO_SPACE_ACC) of.space = ACTIO_SPACE_Q;
    if (of.space == ACTIO_SPACE_SDOT) of.space = ACTIO_SPACE_STATE;
    for (uint32_t i = 0; i < j->points; i++) {
        const struct actio_jet_point *p = &j->point[i];
        if (p->of.space == of.space && p->of.axis == of.axis && p->of.index == of.index && p->of.offset == of.offset
            && p->at == at)
            return i;
    }
    ACTIO_PUSH(&j->d->arena, j->point, j->points, j->points_cap) = (struct actio_jet_point){ of, place, at };
    return j->points - 1;
}

actio_expr actio_jet_point_symbol(struct actio_field_jets *j, uint32_t point, enum actio_space space)
{
    return actio_symbol(j->pool, space, ACTIO_POINT + point);
}

static actio_expr placed(struct actio_field_jets *j, actio_expr x, uint16_t axis, actio_expr place)
{
    actio_slot s = actio_slot_of(j->pool, x);
    const struct actio_opaque *o = s.space == ACTIO_SPACE_HIDDEN ? opaque_of(j, x) : NULL;
    if (o && o->op == ACTIO_RUNNING && o->axis == axis) return opaque(j, ACTIO_AT, o->e, axis, place);
    if (s.axis != axis || s.space == ACTIO_SPACE_HIDDEN) return x;
    return s.space == ACTIO_SPACE_AXIS
               ? place
               : actio_jet_point_symbol(j, actio_jet_point(j, s, place), (enum actio_space)s.space);
}

actio_expr actio_jet_at(struct actio_field_jets *j, actio_expr e, uint16_t axis, actio_expr place)
{
    struct actio_seed *seed;
    size_t n = symbols_of(j, e, &seed);
    actio_expr *from = actio_form_array(j->d->F, n, sizeof *from), *to = actio_form_array(j->d->F, n, sizeof *to);
    for (size_t i = 0; i < n; i++) {
        from[i] = seed[i].x;
        to[i] = placed(j, seed[i].x, axis, place);
    }
    return actio_substitute(j->pool, e, from, to, n);
}

/* ---- formulas of the model */

static uint16_t axis_of(const struct actio_field_jets *j, uint32_t id)
{
    return j->pool->slot[j->pool->node[id].a].axis;
}

/* What stands behind a symbol has no derivative along another axis. */
static actio_expr closed(struct actio_field_jets *j, enum actio_op op, actio_expr e, uint16_t axis)
{
    struct actio_cone cone = actio_cone_of(j->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &j->pool->node[cone.id[i]];
        uint16_t other = n->op == ACTIO_SYMBOL ? j->pool->slot[n->a].axis : 0;
        if (!other || other == axis) continue;
        actio_report(j->d->ctx->findings, ACTIO_F_FIELD_FUNCTION, ACTIO_NO_ARGS);
        actio_escape(j->d->ctx);
    }
    return opaque(j, op, e, axis, zero());
}

static actio_expr converted(struct actio_field_jets *j, struct actio_node n, const actio_expr arg[3])
{
    switch ((enum actio_op)n.op) {
    case ACTIO_DIFF: return actio_jet_next(j, arg[0], axis_of(j, n.b));
    case ACTIO_INTEGRAL:
    case ACTIO_RUNNING: return closed(j, (enum actio_op)n.op, arg[0], axis_of(j, n.b));
    case ACTIO_AT: return actio_jet_at(j, arg[0], axis_of(j, n.b), arg[2]);
    default: return actio_rebuild(j->pool, (enum actio_op)n.op, arg[0], arg[1], arg[2], (int32_t)n.b);
    }
}

actio_expr actio_jet_of(struct actio_field_jets *j, actio_expr e)
{
    actio_expr copy = actio_copy(j->pool, &j->d->model->pool, e);
    struct actio_cone cone = actio_cone_of(j->pool, &copy, 1);
    uint32_t count = cone.count, *id = actio_form_array(j->d->F, count, sizeof *id),
             *place = actio_form_array(j->d->F, j->pool->count, sizeof *place);
    actio_expr *made = actio_form_array(j->d->F, count, sizeof *made);
    for (uint32_t i = 0; i < count; i++) {
        id[i] = cone.id[i];
        place[id[i]] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct actio_node n = j->pool->node[id[i]];
        const uint32_t of[3] = { n.a, n.b, n.c };
        actio_expr arg[3] = { { 0 }, { 0 }, { 0 } };
        int arity = actio_arity((enum actio_op)n.op);
        for (int k = 0; k < arity; k++) arg[k] = made[place[of[k]]];
        made[i] = arity ? converted(j, n, arg) : (actio_expr){ id[i] };
    }
    return count ? made[count - 1] : copy;
}

/* ---- what varies with integrals */

struct actio_functional actio_functional_of(struct actio_field_jets *j, actio_expr f)
{
    struct actio_functional made = { .f = f, .n = j->opaques };
    made.w = actio_form_array(j->d->F, made.n, sizeof *made.w);
    for (uint32_t i = made.n; i-- > 0;) {
        actio_expr symbol = j->opaque[i].symbol;
        if (j->opaque[i].op != ACTIO_INTEGRAL) continue;
        made.w[i] = actio_diff(j->pool, f, symbol);
        for (uint32_t k = i + 1; k < made.n; k++) {
            if (actio_is_zero(made.w[k])) continue;
            actio_expr inner = actio_times(j->pool, made.w[k], actio_diff(j->pool, j->opaque[k].e, symbol));
            made.w[i] = actio_add(j->pool, made.w[i], actio_jet_integral(j, inner, j->opaque[k].axis));
        }
    }
    return made;
}

actio_expr actio_functional_density(struct actio_field_jets *j, const struct actio_functional *f, uint16_t axis,
                                    actio_expr jet)
{
    actio_expr sum = zero();
    for (uint32_t i = 0; i < f->n; i++)
        if (j->opaque[i].axis == axis && !actio_is_zero(f->w[i]))
            sum = actio_add(j->pool, sum, actio_times(j->pool, f->w[i], actio_diff(j->pool, j->opaque[i].e, jet)));
    return sum;
}

actio_expr actio_functional_by(struct actio_field_jets *j, const struct actio_functional *f, actio_expr symbol)
{
    actio_expr sum = actio_diff(j->pool, f->f, symbol);
    for (uint32_t i = 0; i < f->n; i++) {
        if (actio_is_zero(f->w[i])) continue;
        actio_expr e = actio_times(j->pool, f->w[i], actio_diff(j->pool, j->opaque[i].e, symbol));
        sum = actio_add(j->pool, sum, actio_jet_integral(j, e, j->opaque[i].axis));
    }
    return sum;
}
