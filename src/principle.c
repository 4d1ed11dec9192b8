/* SPDX-License-Identifier: Apache-2.0 */
#include "principle.h"

#include <actio/actio.h>

#include <string.h>

#define IDEAL ACTIO_NEEDS_IDEAL
#define LEVELS ACTIO_NEEDS_LEVELS
#define COORDINATES ACTIO_NEEDS_COORDINATES
#define MULTIPLIERS ACTIO_NEEDS_MULTIPLIERS
#define CONSTRAINTS ACTIO_NEEDS_CONSTRAINTS
#define NO_STATES ACTIO_NEEDS_NO_STATES
#define INDEPENDENT ACTIO_NEEDS_INDEPENDENT
#define SMOOTH ACTIO_NEEDS_SMOOTH
#define NO_FRICTION ACTIO_NEEDS_NO_FRICTION
#define SOFT ACTIO_NEEDS_SOFT
#define POINTS ACTIO_NEEDS_POINTS
static const struct actio_principle principles[] = {
#define PRINCIPLE(name, title, key, form, law, stepper, needs, differs, assumes) { #name, title, key, form, law, stepper, needs, differs, assumes },
#include "principles.def"
#undef PRINCIPLE
};

const struct actio_principle *actio_principles(size_t *count)
{
    *count = sizeof principles / sizeof *principles;
    return principles;
}

const char *actio_principle_name(size_t i) { return i < sizeof principles / sizeof *principles ? principles[i].name : NULL; }

const struct actio_principle *actio_principle_named(const char *name)
{
    for (size_t i = 0; i < sizeof principles / sizeof *principles; i++)
        if (strcmp(principles[i].name, name) == 0) return &principles[i];
    return NULL;
}

static bool not_ideal(const struct actio_model *m, const struct actio_constraint *c) { (void)m; return c->rule != ACTIO_IDEAL; }
static bool of_accelerations(const struct actio_model *m, const struct actio_constraint *c) { (void)m; return c->kind == ACTIO_ACCELERATION; }
static bool has_state(const struct actio_model *m, const struct actio_constraint *c) { return actio_uses((struct actio_pool *)&m->pool, c->g, ACTIO_SPACE_STATE); }
static bool is_rough(const struct actio_model *m, const struct actio_constraint *c) { (void)m; return c->friction.given; }
static bool no_start(const struct actio_model *m, const struct actio_constraint *c) { (void)m; return !c->start_lambda_given; }

static const struct { unsigned need; bool (*lacks)(const struct actio_model *, const struct actio_constraint *); const char *why; } objections[] = {
    { IDEAL, not_ideal, "its reaction is not ideal (acting, along)" },
    { LEVELS, of_accelerations, "it is a constraint on accelerations" },
    { COORDINATES, has_state, "it has a state in it" },
    { SMOOTH | SOFT | NO_FRICTION, is_rough, "it has friction" },
    { MULTIPLIERS, no_start, "the initial value of its multiplier is not given (start lambda.NAME = ...)" },
};

const char *actio_principle_objection(const struct actio_principle *p, const struct actio_model *model, const struct actio_constraint **about)
{
    *about = NULL;
    if ((p->needs & POINTS) && model->axes) return "it has fields";
    if ((p->needs & CONSTRAINTS) && model->constraints == 0) return "there are no constraints";
    if ((p->needs & SMOOTH) && model->contacts) return "it has contacts";
    if ((p->needs & SOFT) && model->contacts && !(model->sigma > 0)) return "it has contacts, which the action takes as soft walls: give --sigma and --barrier";
    for (size_t i = 0; (p->needs & NO_FRICTION) && i < model->contacts; i++)
        if (model->contact[i].friction.given) return "its contacts have friction";
    if ((p->needs & NO_STATES) && model->states) return "it has states";
    for (size_t i = 0; i < sizeof objections / sizeof *objections; i++)
        for (size_t k = 0; (p->needs & objections[i].need) && k < model->constraints; k++)
            if (objections[i].lacks(model, &model->constraint[k])) return *about = &model->constraint[k], objections[i].why;
    return NULL;
}
