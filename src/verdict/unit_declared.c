/* SPDX-License-Identifier: Apache-2.0
 * Units as they are declared, and the unit of time that follows from them. */
#include "verdict/unit_checking.h"

#include <math.h>
#include <string.h>

static void say_unit(struct actio_unit_checking *c, const char *name, const char *text, struct actio_span span,
                     const struct actio_unit *u)
{
    static const enum actio_code code[] = {
        [ACTIO_UNIT_NO_WORD] = ACTIO_F_UNIT_UNKNOWN,
        [ACTIO_UNIT_TWO_WAYS] = ACTIO_F_UNIT_TWO_WAYS,
        [ACTIO_UNIT_UNREADABLE] = ACTIO_F_UNIT_UNREADABLE,
    };
    const char *hint = u->fault == ACTIO_UNIT_NO_WORD ? actio_unit_hint(&c->arena, u->word) : "";
    actio_report_at(c->f, code[u->fault], &c->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(text), ACTIO_TEXT(u->word), ACTIO_TEXT(hint)));
}

static void gather_times(struct actio_unit_checking *c, const struct actio_unit *u)
{
    struct actio_unit *all = &c->times;
    if (!*u->time) return;
    if (!*all->time) {
        memcpy(all->time, u->time, sizeof all->time);
        all->time_size = u->time_size;
    }
    all->several_times = all->several_times || u->several_times || fabs(all->time_size - u->time_size) > 1e-9;
}

/* One declaration of a family, one message: its members share the text. */
struct declared {
    const char *name, *unit;
    struct actio_span span;
};

static actio_quantity declare(struct actio_unit_checking *c, const struct declared *d, const char **last,
                              struct actio_unit *u)
{
    if (!d->unit) return actio_unit_unknown;
    c->any_unit = true;
    if (d->unit == *last) return u->q;
    *last = d->unit;
    actio_unit_read(d->unit, u);
    if (u->fault != ACTIO_UNIT_FINE) say_unit(c, d->name, d->unit, d->span, u);
    else gather_times(c, u);
    return u->q;
}

/* t counts in the unit of time that the model uses; in seconds when it uses several or none. */
static void choose_time(struct actio_unit_checking *c)
{
    struct actio_unit s;
    bool one = *c->times.time && !c->times.several_times;
    c->time_word = one ? c->times.time : "s";
    actio_unit_read("s", &s);
    c->time = s.q;
    if (one) c->time.size = c->times.time_size;
}

static void note_size(struct actio_unit_checking *c, const struct declared *d, const actio_quantity *q)
{
    if (c->noted || !q->known || actio_same_size(q, &actio_unit_pure)) return;
    c->noted = true;
    actio_report_at(c->f, ACTIO_F_UNIT_NOT_CONVERTED, &c->model->source, d->span,
                    ACTIO_ARGS(ACTIO_TEXT(d->name), ACTIO_TEXT(d->unit), ACTIO_TEXT(c->time_word)));
}

static void declare_variables(struct actio_unit_checking *c, const struct actio_variable *v, size_t n,
                              actio_quantity **q)
{
    const char *last = NULL;
    struct actio_unit u;
    *q = actio_arena_array(&c->arena, n + 1, sizeof **q);
    for (size_t i = 0; i < n; i++)
        (*q)[i] = declare(c, &(struct declared){ v[i].name, v[i].unit, v[i].span }, &last, &u);
}

static void declare_held(struct actio_unit_checking *c)
{
    const struct actio_held_line *h = c->model->resets.held;
    const char *last = NULL;
    struct actio_unit u;
    c->held = actio_arena_array(&c->arena, c->model->resets.helds + 1, sizeof *c->held);
    for (size_t i = 0; i < c->model->resets.helds; i++)
        c->held[i] = declare(c, &(struct declared){ h[i].name, h[i].unit, h[i].span }, &last, &u);
}

static void declare_params(struct actio_unit_checking *c)
{
    const struct actio_param *p = c->model->param;
    const char *last = NULL;
    struct actio_unit u;
    c->param = actio_arena_array(&c->arena, c->model->params + 1, sizeof *c->param);
    for (size_t i = 0; i < c->model->params; i++)
        c->param[i] = declare(c, &(struct declared){ p[i].name, p[i].unit, p[i].span }, &last, &u);
}

/* What is made of others and has a unit of its own: quasi-velocities, observed values, lets. */
static void declare_made(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    const char *last = NULL;
    struct actio_unit u;
    c->frame = actio_arena_array(&c->arena, m->named.frames + 1, sizeof *c->frame);
    c->observe = actio_arena_array(&c->arena, m->output.observes + 1, sizeof *c->observe);
    c->let = actio_arena_array(&c->arena, m->named.let_units + 1, sizeof *c->let);
    for (size_t i = 0; i < m->named.frames; i++)
        c->frame[i] = declare(
            c, &(struct declared){ m->named.frame[i].name, m->named.frame[i].unit, m->named.frame[i].span }, &last, &u);
    for (size_t i = 0; i < m->output.observes; i++)
        c->observe[i] = declare(
            c, &(struct declared){ m->output.observe[i].name, m->output.observe[i].unit, m->output.observe[i].span },
            &last, &u);
    for (size_t i = 0; i < m->named.let_units; i++)
        c->let[i] = declare(
            c, &(struct declared){ m->named.let_unit[i].name, m->named.let_unit[i].unit, m->named.let_unit[i].span },
            &last, &u);
}

void actio_unit_declare_all(struct actio_unit_checking *c)
{
    const struct actio_model *m = c->model;
    declare_params(c);
    declare_made(c);
    declare_variables(c, m->coord, m->coords, &c->coord);
    declare_variables(c, m->state, m->states, &c->state);
    declare_held(c);
    choose_time(c);
    for (size_t i = 0; i < m->params; i++)
        note_size(c, &(struct declared){ m->param[i].name, m->param[i].unit, m->param[i].span }, &c->param[i]);
    for (size_t i = 0; i < m->coords; i++)
        note_size(c, &(struct declared){ m->coord[i].name, m->coord[i].unit, m->coord[i].span }, &c->coord[i]);
    for (size_t i = 0; i < m->states; i++)
        note_size(c, &(struct declared){ m->state[i].name, m->state[i].unit, m->state[i].span }, &c->state[i]);
}
