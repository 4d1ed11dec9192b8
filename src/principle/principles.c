/* SPDX-License-Identifier: Apache-2.0
 * The table of principles, and which options belong to which of them. */
#include "principle/principles.h"
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

static const struct actio_principle *const principles[] = {
#define PRINCIPLE(name) &actio_principle_##name,
#include "principle/principles.def"
#undef PRINCIPLE
};
enum { COUNT = sizeof principles / sizeof *principles };

const struct actio_principle *const *actio_principles(size_t *count)
{
    *count = COUNT;
    return principles;
}

const char *actio_principle_name(size_t i) { return i < COUNT ? principles[i]->name : NULL; }

const struct actio_principle *actio_principle_named(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(principles[i]->name, name) == 0) return principles[i];
    return NULL;
}

/* "dalembert, gauss, ...": those that own one of these options, or all for 0; "and" before the last on request. */
static void list_names(unsigned owner, const char *last, char *text, size_t size)
{
    size_t owners = 0, listed = 0, used = 0;
    for (size_t i = 0; i < COUNT; i++) owners += !owner || (principles[i]->owns & owner);
    for (size_t i = 0; i < COUNT && used < size; i++) {
        if (owner && !(principles[i]->owns & owner)) continue;
        const char *before = listed == 0 ? "" : listed + 1 == owners ? last : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, principles[i]->name);
        listed++;
    }
}

static void say_unknown(const struct actio_model *model, const struct actio_claim *claim, struct actio_findings *f)
{
    const char *names[COUNT];
    char list[400], hint[100] = "";
    for (size_t i = 0; i < COUNT; i++) names[i] = principles[i]->name;
    const char *near = actio_near_name(claim->by, names, COUNT);
    list_names(0, ", ", list, sizeof list);
    if (near) snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    actio_find_at(f, ACTIO_F_UNKNOWN_PRINCIPLE, &model->source, claim->span, ACTIO_ARGS(ACTIO_TEXT(claim->by), ACTIO_TEXT(list), ACTIO_TEXT(hint)));
}

bool actio_principles_claimed(const struct actio_model *model, struct actio_findings *f)
{
    bool known = true;
    for (size_t i = 0; i < model->claims; i++) {
        if (!model->claim[i].by || actio_principle_named(model->claim[i].by)) continue;
        say_unknown(model, &model->claim[i], f);
        known = false;
    }
    return known;
}

int actio_principle_ready(struct actio_problem *problem)
{
    const struct actio_principle *p = actio_principle_named(problem->options.by);
    if (p) return actio_problem_ready(problem, p);
    actio_find(problem->f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(problem->options.by)));
    return 1;
}

/* ---- options */

int actio_principle_refuse(struct actio_problem *problem, const char *option, const char *whose)
{
    actio_find(problem->f, ACTIO_F_NOT_ITS_OPTION, ACTIO_ARGS(ACTIO_TEXT(option), ACTIO_TEXT(whose), ACTIO_TEXT(problem->principle->name)));
    return 1;
}

struct owned { const char *option; unsigned owner; bool given; };

int actio_principle_check(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    const struct actio_dual_data *d = &problem->model->dual;
    const struct actio_principle *p = problem->principle;
    const struct owned list[] = {
        { "gradient", ACTIO_OWNS_GRADIENT, o->gradients != 0 },
        { "form", ACTIO_OWNS_FORM, o->form != NULL },
        { "verify", ACTIO_OWNS_VERIFY, o->verify },
        { "order", ACTIO_OWNS_ORDER, o->order != 0 },
        { "slabs", ACTIO_OWNS_SLABS, o->slabs != 0 },
        { "nodes", ACTIO_OWNS_NODES, o->nodes != 0 },
        { "grid", ACTIO_OWNS_GRID, o->grid != 0 },
        { "closure", ACTIO_OWNS_DUAL, o->closure != NULL },
        { "power", ACTIO_OWNS_DUAL, o->power != NULL },
        { "multipliers", ACTIO_OWNS_DUAL, o->multipliers },
        { "base", ACTIO_OWNS_DUAL, o->base != NULL || d->bases },
        { "weights", ACTIO_OWNS_DUAL, d->weights > 0 },
        { "potential", ACTIO_OWNS_DUAL, d->has_potential },
        { "final", ACTIO_OWNS_DUAL, d->lasts > 0 },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char owners[200];
        if (!list[i].given || (p->owns & list[i].owner)) continue;
        list_names(list[i].owner, " and ", owners, sizeof owners);
        return actio_principle_refuse(problem, list[i].option, owners);
    }
    bool method = o->method && strcmp(o->method, "auto") != 0;
    if (method && !(p->owns & ACTIO_OWNS_METHOD)) return actio_principle_refuse(problem, "method", "principles that have equations of motion");
    return p->check ? p->check(problem) : 0;
}
