/* SPDX-License-Identifier: Apache-2.0
 * What the units of each statement are compared with. */
#include "verdict/unit_checking.h"

static struct actio_unit_statement *units_add(struct actio_unit_checking *c, struct actio_span span, const char *what,
                                              actio_expr e)
{
    struct actio_unit_statement *s = &ACTIO_PUSH(&c->arena, c->list, c->count, c->cap);
    *s = (struct actio_unit_statement){ .what = what, .span = span, .e = e };
    return s;
}

static const char *labelled(struct actio_unit_checking *c, const char *what, const char *label)
{
    return actio_arena_format(&c->arena, "%s %s", what, label);
}

void actio_unit_add_parts(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (int second = 0; second < 2; second++) /* what the others are measured by comes first */
        for (size_t i = 0; i < m->written.parts; i++) {
            if (m->written.part[i].is_dissipation != second) continue;
            struct actio_unit_statement *s =
                units_add(c, m->written.part[i].span, second ? "dissipation" : "lagrangian", m->written.part[i].e);
            s->need = second ? ACTIO_UNIT_OVER_LAGRANGIAN : ACTIO_UNIT_LAGRANGIAN;
            s->unit = c->time;
            s->why = "lagrangian/t";
        }
}

void actio_unit_add_forces(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->forces; i++)
        for (size_t k = 0; k < m->force[i].terms; k++) {
            const struct actio_term *t = &m->force[i].term[k];
            const char *x = m->coord[t->variable].name;
            struct actio_unit_statement *s = units_add(c, t->span, labelled(c, "force on", x), t->e);
            s->need = ACTIO_UNIT_OVER_LAGRANGIAN;
            s->unit = c->coord[t->variable];
            s->why = actio_arena_format(&c->arena, "lagrangian/%s", x);
        }
}

static void add_made(struct actio_unit_checking *c, struct actio_span span, const char *what, actio_expr e,
                     const actio_quantity *unit)
{
    struct actio_unit_statement *s = units_add(c, span, what, e);
    if (unit->known) {
        s->need = ACTIO_UNIT_ITS_OWN;
        s->unit = *unit;
    }
}

void actio_unit_add_equations(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->flow.count; i++) {
        struct actio_unit_statement *s = units_add(c, m->flow.of[i].span, "flow", m->flow.of[i].left);
        s->need = ACTIO_UNIT_SAME_SIDES;
        s->other = m->flow.of[i].right;
    }
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *g = &m->constraint[i];
        struct actio_unit_statement *s = units_add(c, g->span, labelled(c, "constraint", g->label), g->left);
        s->need = ACTIO_UNIT_SAME_SIDES;
        s->other = g->right;
        for (size_t k = 0; g->rule == ACTIO_ALONG && k < g->reactions; k++)
            units_add(c, g->reaction[k].span, labelled(c, "direction of constraint", g->label), g->reaction[k].e);
    }
    for (size_t i = 0; i < m->named.frames; i++)
        add_made(c, m->named.frame[i].span, labelled(c, "frame", m->named.frame[i].name), m->named.frame[i].e,
                 &c->frame[i]);
    for (size_t i = 0; i < m->named.let_units; i++)
        add_made(c, m->named.let_unit[i].span, labelled(c, "let", m->named.let_unit[i].name), m->named.let_unit[i].e,
                 &c->let[i]);
    for (size_t i = 0; i < m->output.observes; i++)
        if (m->output.observe[i].unit)
            add_made(c, m->output.observe[i].span, labelled(c, "observe", m->output.observe[i].name),
                     m->output.observe[i].e, &c->observe[i]);
    for (size_t i = 0; i < m->symmetries; i++)
        for (size_t k = 0; k < m->symmetry[i].terms; k++)
            units_add(c, m->symmetry[i].term[k].span, labelled(c, "symmetry", m->symmetry[i].label),
                      m->symmetry[i].term[k].e);
}

/* ---- contacts and friction */

static void add_pure(struct actio_unit_checking *c, struct actio_span span, const char *what, actio_expr e)
{
    struct actio_unit_statement *s = units_add(c, span, what, e);
    s->need = ACTIO_UNIT_ITS_OWN;
    s->unit = actio_unit_pure;
    s->why = "a coefficient";
}

/* N times d slip/dq' is a force like lambda times d gap/dq: slip is to velocities what the gap is to positions. */
/* per NULL: nothing is required of the slip */
struct rough {
    const char *label, *why;
    actio_expr gap;
    const actio_quantity *per;
};

static void add_friction(struct actio_unit_checking *c, const struct actio_friction *f, const struct rough *of)
{
    if (f->given) add_pure(c, f->span, labelled(c, "friction of", of->label), f->coefficient);
    if (f->stick_given) add_pure(c, f->span, labelled(c, "stick of", of->label), f->stick);
    for (size_t k = 0; f->slip_given && k < f->slips; k++) {
        struct actio_unit_statement *s = units_add(c, f->span, labelled(c, "slip of", of->label), f->slip[k]);
        if (f->given && of->per) {
            s->need = ACTIO_UNIT_OVER_OTHER;
            s->other = of->gap;
            s->unit = *of->per;
            s->why = of->why;
        }
    }
}

static actio_expr side_with_unit(const struct actio_unit_checking *c, actio_expr a, actio_expr b)
{
    return actio_is_const(&c->model->pool, a) ? b : a;
}

void actio_unit_add_contacts(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *w = &m->contact[i];
        struct actio_unit_statement *s = units_add(c, w->span, labelled(c, "contact", w->label), w->left);
        s->need = ACTIO_UNIT_SAME_SIDES;
        s->other = w->right;
        add_pure(c, w->span, labelled(c, "restitution of", w->label), w->restitution);
        add_friction(c, &w->friction,
                     &(struct rough){ w->label, "gap/t", side_with_unit(c, w->left, w->right), &c->time });
    }
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *g = &m->constraint[i];
        bool holonomic = g->kind == ACTIO_HOLONOMIC, plain = g->rule == ACTIO_IDEAL && g->kind != ACTIO_ACCELERATION;
        add_friction(c, &g->friction,
                     &(struct rough){ g->label, holonomic ? "the constraint's side/t" : "the constraint's side",
                                      side_with_unit(c, g->left, g->right),
                                      !plain      ? NULL
                                      : holonomic ? &c->time
                                                  : &actio_unit_pure });
    }
    for (size_t i = 0; i < m->events; i++) {
        struct actio_unit_statement *s =
            units_add(c, m->event[i].span, labelled(c, "event", m->event[i].label), m->event[i].left);
        s->need = ACTIO_UNIT_SAME_SIDES;
        s->other = m->event[i].right;
    }
}

/* ---- instants */

static void add_assigned(struct actio_unit_checking *c, const struct actio_assign_line *a)
{
    const struct actio_model *m = c->model;
    actio_quantity rate = actio_unit_unknown;
    if (a->kind == ACTIO_SETS_RATE) rate = actio_quantity_product(&c->coord[a->index], &c->time, -1);
    const actio_quantity *unit = a->kind == ACTIO_SETS_RATE    ? &rate
                                 : a->kind == ACTIO_SETS_STATE ? &c->state[a->index]
                                 : a->kind == ACTIO_SETS_HELD  ? &c->held[a->index]
                                                               : &c->coord[a->index];
    const char *name = a->kind == ACTIO_SETS_STATE  ? m->state[a->index].name
                       : a->kind == ACTIO_SETS_HELD ? m->resets.held[a->index].name
                                                    : m->coord[a->index].name;
    const char *prime = a->kind == ACTIO_SETS_RATE ? "'" : "";
    add_made(c, a->span, actio_arena_format(&c->arena, "what sets %s%s", name, prime), a->e, unit);
}

void actio_unit_add_instants(struct actio_unit_checking *c)
{
    const struct actio_model_instants *s = &c->model->resets;
    for (size_t i = 0; i < s->lines; i++) {
        for (size_t k = 0; k < s->line[i].assigns; k++) add_assigned(c, &s->line[i].assign[k]);
        if (s->line[i].kind == ACTIO_EVERY) add_made(c, s->line[i].span, "every", s->line[i].period, &c->time);
    }
}

/* ---- data and columns */

static void add_start(struct actio_unit_checking *c, const struct actio_variable *v, const actio_quantity *unit)
{
    struct actio_unit_statement *s;
    actio_quantity rate = actio_quantity_product(unit, &c->time, -1);
    if (v->start_given) {
        s = units_add(c, v->start_span, labelled(c, "start of", v->name), v->start);
        s->need = ACTIO_UNIT_ITS_OWN;
        s->unit = *unit;
    }
    if (v->start_dot_given) {
        s = units_add(c, v->start_dot_span, actio_arena_format(&c->arena, "start of %s'", v->name), v->start_dot);
        s->need = ACTIO_UNIT_ITS_OWN;
        s->unit = rate;
    }
}

void actio_unit_add_data(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->params; i++) {
        if (actio_is_const(&m->pool, m->param[i].definition)) continue;
        struct actio_unit_statement *s =
            units_add(c, m->param[i].span, labelled(c, "param", m->param[i].name), m->param[i].definition);
        s->need = ACTIO_UNIT_ITS_OWN;
        s->unit = c->param[i];
    }
    for (size_t i = 0; i < m->coords; i++) add_start(c, &m->coord[i], &c->coord[i]);
    for (size_t i = 0; i < m->states; i++) add_start(c, &m->state[i], &c->state[i]);
    for (size_t i = 0; i < m->resets.helds; i++)
        if (m->resets.held[i].start_given)
            add_made(c, m->resets.held[i].span, labelled(c, "start of", m->resets.held[i].name),
                     m->resets.held[i].start, &c->held[i]);
}

/* Formulas that no statement about units requires: they are only checked. */
void actio_unit_add_columns(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    for (size_t i = 0; i < m->output.observes; i++)
        units_add(c, m->output.observe[i].span, "observe", m->output.observe[i].e);
}
