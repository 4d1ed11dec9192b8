/* SPDX-License-Identifier: Apache-2.0
 * Units: do the terms of each statement agree, and what are the columns of a result made of? */
#include "verdict/unit_checking.h"

#include <string.h>

static void units_check(void *user)
{
    struct actio_unit_checking *c = user;
    actio_unit_declare_all(c);
    if (!c->any_unit) return;
    actio_unit_add_parts(c);
    actio_unit_add_forces(c);
    actio_unit_add_equations(c);
    actio_unit_add_contacts(c);
    actio_unit_add_instants(c);
    actio_unit_ask_all(c);
    c->numbers_are_data = true;
    actio_unit_add_data(c);
    actio_unit_ask_all(c);
}

void actio_check_units(struct actio_model *model, struct actio_findings *f)
{
    struct actio_unit_checking c = { .model = model, .f = f };
    actio_arena_open(&c.arena, model->ctx);
    int escaped = actio_attempt(model->ctx, units_check, &c);
    actio_arena_close(&c.arena);
    if (escaped && model->ctx->escape) actio_escape(model->ctx);
}

/* ---- what the columns of a result are made of */

struct collecting {
    struct actio_unit_checking c;
    struct actio_arena *keep;
    struct actio_unit_parts *out;
};

static actio_quantity unit_of_side(const struct actio_unit_checking *c, actio_expr a, actio_expr b)
{
    actio_quantity left = actio_unit_of(c, a.id), right = actio_unit_of(c, b.id);
    return left.known && !left.number ? left : right.known && !right.number ? right : actio_unit_unknown;
}

static void units_collect(void *user)
{
    struct collecting *x = user;
    struct actio_unit_checking *c = &x->c;
    struct actio_unit_parts *out = x->out;
    const struct actio_model *m = c->model;
    actio_unit_declare_all(c);
    if (!c->any_unit) return;
    actio_unit_add_parts(c);
    actio_unit_add_equations(c);
    actio_unit_add_contacts(c);
    actio_unit_add_columns(c);
    struct actio_unit_statement *list = c->list;
    uint32_t count = c->count;
    actio_unit_ask_all(c);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].need == ACTIO_UNIT_LAGRANGIAN && !out->energy.known && !actio_unit_of(c, list[i].e.id).number)
            out->energy = actio_unit_of(c, list[i].e.id);
    out->any = true;
    out->time = c->time;
    out->time_word = actio_arena_text(x->keep, c->time_word, strlen(c->time_word));
    out->coord = actio_arena_array(x->keep, m->coords + 1, sizeof *out->coord);
    out->constraint = actio_arena_array(x->keep, m->constraints + 1, sizeof *out->constraint);
    out->contact = actio_arena_array(x->keep, m->contacts + 1, sizeof *out->contact);
    out->observe = actio_arena_array(x->keep, m->output.observes + 1, sizeof *out->observe);
    out->frame = actio_arena_array(x->keep, m->named.frames + 1, sizeof *out->frame);
    memcpy(out->coord, c->coord, m->coords * sizeof *out->coord);
    for (size_t i = 0; i < m->constraints; i++)
        out->constraint[i] = unit_of_side(c, m->constraint[i].left, m->constraint[i].right);
    for (size_t i = 0; i < m->contacts; i++) out->contact[i] = unit_of_side(c, m->contact[i].left, m->contact[i].right);
    for (size_t i = 0; i < m->output.observes; i++) out->observe[i] = actio_unit_of(c, m->output.observe[i].e.id);
    for (size_t i = 0; i < m->named.frames; i++) out->frame[i] = actio_unit_of(c, m->named.frame[i].e.id);
}

void actio_unit_parts_of(struct actio_model *model, struct actio_arena *arena, struct actio_unit_parts *out)
{
    struct actio_findings silent;
    struct collecting x = { .c = { .model = model, .f = &silent }, .keep = arena, .out = out };
    *out = (struct actio_unit_parts){ .any = false };
    actio_findings_open(&silent, model->ctx);
    actio_arena_open(&x.c.arena, model->ctx);
    int escaped = actio_attempt(model->ctx, units_collect, &x);
    actio_arena_close(&x.c.arena);
    actio_findings_close(&silent);
    if (escaped && model->ctx->escape) actio_escape(model->ctx);
}
