/* SPDX-License-Identifier: Apache-2.0
 * What happens at instants, as numbers and formulas: what each statement sets, when clocks tick, which events held
 * values have part in. Right sides are evaluated as they are written: nothing moves at an instant. */
#include "equations/formation.h"

#include <string.h>

static const char *name_of(struct actio_formation *F, const struct actio_reset_line *s)
{
    const struct actio_model *m = F->model;
    if (s->kind == ACTIO_EVERY) return actio_arena_format(&F->arena, "every %s", s->written);
    return actio_arena_format(&F->arena, "when %s",
                              s->kind == ACTIO_WHEN_EVENT ? m->event[s->index].label : m->contact[s->index].label);
}

static uint32_t target_of(const struct actio_formation *F, const struct actio_assign_line *a)
{
    size_t first[] = { [ACTIO_SETS_COORD] = 0,
                       [ACTIO_SETS_RATE] = F->n,
                       [ACTIO_SETS_STATE] = 2 * F->n,
                       [ACTIO_SETS_HELD] = 2 * F->n + F->m };
    return (uint32_t)(first[a->kind] + a->index);
}

static const char *target_name(struct actio_formation *F, const struct actio_assign_line *a)
{
    const struct actio_model *m = F->model;
    switch (a->kind) {
    case ACTIO_SETS_RATE: return actio_arena_format(&F->arena, "%s'", m->coord[a->index].name);
    case ACTIO_SETS_STATE: return m->state[a->index].name;
    case ACTIO_SETS_HELD: return m->resets.held[a->index].name;
    default: return m->coord[a->index].name;
    }
}

static void form_statements(struct actio_formation *F)
{
    const struct actio_model_instants *line = &F->model->resets;
    struct actio_reset_numbers *in = &F->sys.resets;
    size_t assigns = 0;
    for (size_t i = 0; i < line->lines; i++) assigns += line->line[i].assigns;
    struct actio_reset *statement = actio_form_array(F, line->lines, sizeof *statement);
    uint32_t *target = actio_form_array(F, assigns, sizeof *target);
    const char **name = actio_form_array(F, assigns, sizeof *name);
    bool *has_from = actio_form_array(F, line->lines, sizeof *has_from);
    for (size_t i = 0; i < line->lines; i++) {
        const struct actio_reset_line *s = &line->line[i];
        bool clock = s->kind == ACTIO_EVERY;
        statement[i] = (struct actio_reset){ .on = clock                         ? ACTIO_ON_CLOCK
                                                   : s->kind == ACTIO_WHEN_EVENT ? ACTIO_ON_EVENT
                                                                                 : ACTIO_ON_CONTACT,
                                             .index = clock ? (uint32_t)in->clocks : s->index,
                                             .first = in->assigns,
                                             .count = s->assigns,
                                             .stops = s->stops,
                                             .name = name_of(F, s) };
        if (clock) has_from[in->clocks++] = s->has_from;
        for (size_t k = 0; k < s->assigns; k++) {
            target[in->assigns] = target_of(F, &s->assign[k]);
            name[in->assigns++] = target_name(F, &s->assign[k]);
        }
    }
    in->statements = line->lines;
    in->statement = statement;
    in->target = target;
    in->target_name = name;
    in->has_from = has_from;
}

static void form_events(struct actio_formation *F)
{
    static const enum actio_space moving[] = { ACTIO_SPACE_Q, ACTIO_SPACE_V, ACTIO_SPACE_STATE, ACTIO_SPACE_T,
                                               ACTIO_SPACE_MODE };
    struct actio_model *m = F->model;
    signed char *way = actio_form_array(F, m->events, sizeof *way);
    bool *of_held = actio_form_array(F, m->events, sizeof *of_held),
         *still = actio_form_array(F, m->events, sizeof *still);
    for (size_t e = 0; e < m->events; e++) {
        actio_expr g = F->walls.event[e];
        way[e] = m->event[e].way;
        still[e] = of_held[e] = actio_uses(&F->pool, g, ACTIO_SPACE_HELD);
        for (size_t k = 0; k < sizeof moving / sizeof *moving; k++) still[e] &= !actio_uses(&F->pool, g, moving[k]);
    }
    F->sys.resets.way = way;
    F->sys.resets.of_held = of_held;
    F->sys.resets.still = still;
}

void actio_form_instants(struct actio_formation *F)
{
    const struct actio_model *m = F->model;
    const char **name = actio_form_array(F, m->resets.helds, sizeof *name);
    for (size_t i = 0; i < m->resets.helds; i++) name[i] = m->resets.held[i].name;
    F->sys.resets.held = m->resets.helds;
    F->sys.resets.held_name = name;
    F->sys.resets.from = m->time.given ? m->time.t0 : 0;
    form_statements(F);
    form_events(F);
}

size_t actio_list_instants(struct actio_formation *F, actio_expr **out)
{
    const struct actio_model *m = F->model;
    const struct actio_model_instants *line = &m->resets;
    const struct actio_reset_numbers *in = &F->sys.resets;
    size_t count = 0, all = in->assigns + 2 * in->clocks + in->held + F->sys.walls.events;
    actio_expr *e = actio_form_array(F, all, sizeof *e);
    for (size_t i = 0; i < line->lines; i++)
        for (size_t k = 0; k < line->line[i].assigns; k++) e[count++] = line->line[i].assign[k].e;
    for (size_t i = 0; i < line->lines; i++) {
        if (line->line[i].kind != ACTIO_EVERY) continue;
        e[count++] = line->line[i].period;
        e[count++] = line->line[i].from;
    }
    for (size_t i = 0; i < in->held; i++) e[count++] = line->held[i].start;
    *out = actio_form_array(F, all, sizeof **out);
    if (count) actio_copy_all(&F->pool, &F->model->pool, e, count, *out);
    for (size_t i = 0; i < F->sys.walls.events; i++) (*out)[count++] = actio_rate(&F->pool, F->walls.event[i]);
    return count;
}
