/* SPDX-License-Identifier: Apache-2.0
 * Constraints along axes and at places: the patch that each works on, the numbers of its rows, and the rows as formulas
 * of a lane.  [HAMEL B.2, E] */
#include "equations/field.h"

static void open_lines(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    const struct actio_model *m = F->model;
    size_t rows = 0;
    struct actio_line *line = actio_form_array(F, m->constraints, sizeof *line);
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_constraint *c = &m->constraint[k];
        struct actio_patch *p = c->axis ? actio_patch_of(w, c->axis, actio_place_half(w, c->g)) : &w->patch[0];
        line[k] = (struct actio_line){
            .patch = (uint32_t)(p - w->patch), .first = (uint32_t)rows, .position = SIZE_MAX, .velocity = SIZE_MAX
        };
        rows += p->lanes;
    }
    w->line = line;
    F->p = F->listed = F->sys.p = rows;
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_constraint *c = &m->constraint[k];
        struct actio_patch *p = &w->patch[line[k].patch];
        w->tilt = c->axis && c->kind == ACTIO_VELOCITY ? m->field.tilt : 0;
        line[k].g = actio_place_local(w, c->g, c->axis, p->half);
        w->tilt = 0;
        actio_field_take_locals(w, p, line[k].g);
        if (c->axis && actio_uses(&F->pool, line[k].g, ACTIO_SPACE_SUM)) {
            actio_report_at(F->sys.ctx->findings, ACTIO_F_FIELD_SUM_ALONG, &m->source, c->span,
                            ACTIO_ARGS(ACTIO_TEXT(c->label)));
            actio_escape(F->sys.ctx);
        }
    }
}

static void number_rows(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    const struct actio_model *m = F->model;
    struct actio_system *sys = &F->sys;
    uint32_t *position = actio_form_array(F, F->p, sizeof *position),
             *velocity = actio_form_array(F, F->p, sizeof *velocity);
    const char **label = actio_form_array(F, F->p, sizeof *label);
    uint32_t *source = actio_form_array(F, F->p, sizeof *source);
    for (size_t k = 0; k < m->constraints; k++) {
        enum actio_constraint_kind kind = m->constraint[k].kind;
        struct actio_line *l = &w->line[k];
        if (kind == ACTIO_HOLONOMIC) l->position = sys->holonomic;
        if (kind != ACTIO_ACCELERATION) l->velocity = sys->levels;
        for (size_t i = 0; i < w->patch[l->patch].lanes; i++) {
            uint32_t row = l->first + (uint32_t)i;
            if (kind == ACTIO_HOLONOMIC) position[sys->holonomic++] = row;
            if (kind != ACTIO_ACCELERATION) velocity[sys->levels++] = row;
            label[row] = m->constraint[k].label;
            source[row] = m->constraint[k].span.line;
        }
    }
    sys->position_row = position;
    sys->velocity_row = velocity;
    sys->constraint = label;
    sys->constraint_line = source;
}

static void field_append(struct actio_fields *w, struct actio_entries *to, uint32_t row, size_t col, actio_expr e)
{
    if (!actio_is_zero(e))
        ACTIO_PUSH(&w->F->arena, to->at, to->count, to->cap) = (struct actio_entry){ row, (uint32_t)col, e };
}

/* Slopes of a formula by what its lane sees; row 0. */
static void slopes(struct actio_fields *w, const struct actio_patch *p, actio_expr f, uint8_t space,
                   struct actio_entries *out)
{
    actio_expr *wrt = actio_form_array(w->F, p->xs, sizeof *wrt), *slope = actio_form_array(w->F, p->xs, sizeof *slope);
    for (size_t i = 0; i < p->xs; i++)
        wrt[i] = space == ACTIO_SPACE_Q ? p->x[i].q : space == ACTIO_SPACE_V ? p->x[i].v : p->x[i].acc;
    actio_gradient(&w->F->pool, f, wrt, p->xs, slope);
    for (size_t i = 0; i < p->xs; i++) field_append(w, out, 0, i, slope[i]);
}

/* Where the reaction of a constraint along given directions goes. */
static void field_along(struct actio_fields *w, const struct actio_constraint *c, struct actio_line *l)
{
    struct actio_patch *p = &w->patch[l->patch];
    struct actio_pool *pool = &w->F->pool;
    for (size_t i = 0; i < c->reactions; i++) {
        const struct actio_term *t = &c->reaction[i];
        uint16_t axis = w->F->model->coord[t->variable].axis;
        actio_expr e = actio_place_local(w, t->e, c->axis, p->half);
        if (!axis) {
            field_append(w, &l->D, 0, actio_local_of(w, p, (actio_slot){ .index = (uint32_t)w->base[t->variable] }), e);
            continue;
        }
        if (p->half) e = actio_mul(pool, actio_const(pool, 0.5), e);
        for (int8_t o = 0; o <= (int8_t)p->half; o++)
            field_append(w, &l->D, 0,
                         actio_local_of(w, p, (actio_slot){ .axis = axis, .index = t->variable, .offset = o }), e);
    }
}

bool actio_field_acts_on(const struct actio_fields *w, const struct actio_constraint *c, const struct actio_local *x)
{
    if (c->rule == ACTIO_IDEAL) return true;
    actio_slot s = actio_slot_of(&w->F->pool, x->q);
    for (size_t i = 0; i < c->reactions; i++) {
        size_t variable = c->reaction[i].variable, base = w->base[variable];
        uint16_t axis = w->F->model->coord[variable].axis;
        size_t nodes = axis ? w->F->model->field.axis[axis - 1].nodes : 1;
        if (s.axis ? s.index == variable
                   : s.index + w->left[variable] >= base && s.index < base + nodes + w->right[variable])
            return true;
    }
    return false;
}

/* phi, its rows and what stands beside the accelerations. Of sums that stand in it the chain rule speaks when streams
 * are made. */
static void form_line(struct actio_fields *w, size_t k)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_constraint *c = &w->F->model->constraint[k];
    struct actio_line *l = &w->line[k];
    struct actio_patch *p = &w->patch[l->patch];
    bool acceleration = c->kind == ACTIO_ACCELERATION;
    l->level = l->g;
    if (c->kind == ACTIO_HOLONOMIC) {
        actio_field_drift(w, &l->g, 1, &l->level);
        slopes(w, p, l->g, ACTIO_SPACE_Q, &l->F);
    }
    slopes(w, p, l->level, acceleration ? ACTIO_SPACE_ACC : ACTIO_SPACE_V, &l->A);
    if (acceleration) l->c = actio_field_at_rest(w, l->g);
    else actio_field_drift(w, &l->level, 1, &l->c);
    l->c = actio_neg(pool, l->c);
    if (c->rule == ACTIO_ALONG) field_along(w, c, l);
    for (size_t i = 0; c->rule != ACTIO_ALONG && i < l->A.count; i++)
        if (actio_field_acts_on(w, c, &p->x[l->A.at[i].col])) field_append(w, &l->D, 0, l->A.at[i].col, l->A.at[i].e);
}

void actio_field_constraints(struct actio_fields *w)
{
    open_lines(w);
    number_rows(w);
    for (size_t k = 0; k < w->F->model->constraints; k++) form_line(w, k);
}
