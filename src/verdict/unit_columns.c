/* SPDX-License-Identifier: Apache-2.0
 * Units of the columns of a result: as declared, or made from what was. Where nothing certain follows there is none. */
#include "verdict/units.h"
#include "base/roles.h"

#include <stdlib.h>
#include <string.h>

struct actio_column_units {
    struct actio_model *model;
    struct actio_arena *arena;
    struct actio_unit_parts parts;
    /* by role: where the search goes on. Columns have the order of the model's parts */
    size_t last[ACTIO_ROLE_COUNT];
};

struct actio_column_units *actio_column_units_open(struct actio_model *model, struct actio_arena *arena)
{
    struct actio_column_units *u = actio_arena_array(arena, 1, sizeof *u);
    u->model = model;
    u->arena = arena;
    actio_unit_parts_of(model, arena, &u->parts);
    return u->parts.any ? u : NULL;
}

/* ---- as text */

static const struct {
    const char *made, *word;
} short_words[] = { { "kg m^2/s^2", "J" }, { "kg m^2/s^3", "W" }, { "kg m/s^2", "N" } };

static const char *text_of(struct actio_column_units *u, const actio_quantity *q)
{
    struct actio_text t;
    if (!q->known || q->number || q->loose) return "";
    actio_text_open(&t, u->arena);
    actio_unit_print(q, &t);
    for (size_t i = 0; i < sizeof short_words / sizeof *short_words; i++)
        if (strcmp(short_words[i].made, t.s) == 0) return short_words[i].word;
    return strcmp(t.s, "1") == 0 ? "" : t.s;
}

/* "m" is "m/s", "m/s" is "m/s^2": words as they were written, where a product of base units would be another text. */
static const char *per_time(struct actio_column_units *u, const char *unit)
{
    const char *word = u->parts.time_word, *slash = unit ? strrchr(unit, '/') : NULL;
    size_t n = strlen(word);
    if (!unit) return "";
    if (!slash || strncmp(slash + 1, word, n) != 0 || (slash[1 + n] && slash[1 + n] != '^'))
        return actio_arena_format(u->arena, "%s/%s", unit, word);
    long power = slash[1 + n] ? strtol(slash + 2 + n, NULL, 10) : 1;
    return actio_arena_format(u->arena, "%.*s/%s^%ld", (int)(slash - unit), unit, word, power + 1);
}

static actio_quantity over(const actio_quantity *a, const actio_quantity *b)
{
    return actio_quantity_product(a, b, -1);
}
static const char *quotient(struct actio_column_units *u, const actio_quantity *a, const actio_quantity *b)
{
    actio_quantity q = over(a, b);
    return text_of(u, &q);
}

/* ---- which part of the model a column is of */

typedef const char *name_fn(const struct actio_model *m, size_t i);
static const char *coord_name(const struct actio_model *m, size_t i) { return m->coord[i].name; }
static const char *variable_name(const struct actio_model *m, size_t i)
{
    return i < m->coords ? m->coord[i].name : m->state[i - m->coords].name;
}
static const char *held_name(const struct actio_model *m, size_t i) { return m->resets.held[i].name; }
static const char *rate_name(const struct actio_model *m, size_t i)
{
    return i < m->coords ? m->coord[i].dot_name : m->state[i - m->coords].dot_name;
}
static const char *constraint_name(const struct actio_model *m, size_t i) { return m->constraint[i].label; }
static const char *contact_name(const struct actio_model *m, size_t i) { return m->contact[i].label; }
static const char *observe_name(const struct actio_model *m, size_t i) { return m->output.observe[i].name; }
static const char *frame_name(const struct actio_model *m, size_t i) { return m->named.frame[i].name; }

/* SIZE_MAX where there is none. */
static size_t unit_columns_find(struct actio_column_units *u, int role, const char *name, name_fn *of, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = (u->last[role] + k) % count;
        if (strcmp(of(u->model, i), name) == 0) return u->last[role] = i;
    }
    return SIZE_MAX;
}

static const char *behind_point(const char *name)
{
    const char *point = strchr(name, '.');
    return point ? point + 1 : name;
}

/* ---- one function a role; i: the part that the column is of */

typedef const char *unit_fn(struct actio_column_units *u, size_t i);

static const char *unit_of_variable(struct actio_column_units *u, size_t i)
{
    const char *unit = i < u->model->coords ? u->model->coord[i].unit : u->model->state[i - u->model->coords].unit;
    return unit ? unit : "";
}

static const char *unit_of_held(struct actio_column_units *u, size_t i)
{
    return u->model->resets.held[i].unit ? u->model->resets.held[i].unit : "";
}

static const char *unit_of_rate(struct actio_column_units *u, size_t i)
{
    return per_time(u, i < u->model->coords ? u->model->coord[i].unit : u->model->state[i - u->model->coords].unit);
}

static const char *unit_of_reaction(struct actio_column_units *u, size_t i)
{
    return quotient(u, &u->parts.energy, &u->parts.coord[i]);
}
static const char *unit_of_residual(struct actio_column_units *u, size_t i)
{
    return text_of(u, &u->parts.constraint[i]);
}
static const char *unit_of_gap(struct actio_column_units *u, size_t i) { return text_of(u, &u->parts.contact[i]); }
static const char *unit_of_force(struct actio_column_units *u, size_t i)
{
    return quotient(u, &u->parts.energy, &u->parts.contact[i]);
}

/* lambda*dg/dq, lambda*dg/dq' and lambda*dg/dq'' are forces. */
static const char *unit_of_lambda(struct actio_column_units *u, size_t i)
{
    const struct actio_constraint *c = &u->model->constraint[i];
    actio_quantity q = over(&u->parts.energy, &u->parts.constraint[i]);
    if (c->rule != ACTIO_IDEAL || c->axis) return "";
    for (int k = c->kind == ACTIO_HOLONOMIC ? 0 : c->kind == ACTIO_VELOCITY ? 1 : 2; k > 0; k--)
        q = over(&q, &u->parts.time);
    return text_of(u, &q);
}

static const char *unit_of_observed(struct actio_column_units *u, size_t i)
{
    return u->model->output.observe[i].unit ? u->model->output.observe[i].unit : text_of(u, &u->parts.observe[i]);
}
static const char *unit_of_frame(struct actio_column_units *u, size_t i)
{
    return u->model->named.frame[i].unit ? u->model->named.frame[i].unit : text_of(u, &u->parts.frame[i]);
}

static const char *unit_of_part(struct actio_column_units *u, int role, const char *name)
{
    const struct actio_model *m = u->model;
    const struct {
        int role;
        bool labelled;
        name_fn *of;
        size_t count;
        unit_fn *unit;
    } rule[] = {
        { ACTIO_ROLE_COORD, false, variable_name, m->coords, unit_of_variable },
        { ACTIO_ROLE_STATE, false, variable_name, m->coords + m->states, unit_of_variable },
        { ACTIO_ROLE_HELD, false, held_name, m->resets.helds, unit_of_held },
        { ACTIO_ROLE_RATE, false, rate_name, m->coords + m->states, unit_of_rate },
        { ACTIO_ROLE_REACTION, true, coord_name, m->coords, unit_of_reaction },
        { ACTIO_ROLE_LAMBDA, true, constraint_name, m->constraints, unit_of_lambda },
        { ACTIO_ROLE_RESIDUAL, true, constraint_name, m->constraints, unit_of_residual },
        { ACTIO_ROLE_GAP, true, contact_name, m->contacts, unit_of_gap },
        { ACTIO_ROLE_FORCE, true, contact_name, m->contacts, unit_of_force },
        { ACTIO_ROLE_OBSERVE, false, observe_name, m->output.observes, unit_of_observed },
        { ACTIO_ROLE_FRAME, false, frame_name, m->named.frames, unit_of_frame },
    };
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        if (rule[k].role != role) continue;
        size_t i = unit_columns_find(u, role, rule[k].labelled ? behind_point(name) : name, rule[k].of, rule[k].count);
        return i == SIZE_MAX ? "" : rule[k].unit(u, i);
    }
    return "";
}

const char *actio_column_unit(struct actio_column_units *u, const char *name, int role)
{
    switch (role) {
    case ACTIO_ROLE_TIME: return u->parts.time_word;
    case ACTIO_ROLE_ENERGY: return text_of(u, &u->parts.energy);
    case ACTIO_ROLE_POWER: return quotient(u, &u->parts.energy, &u->parts.time);
    default: return unit_of_part(u, role, name);
    }
}
