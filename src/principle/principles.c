/* SPDX-License-Identifier: Apache-2.0
 * The table of principles, and which options belong to which of them. */
#include "principle/principles.h"
#include "problem/options.h"
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
    actio_report_at(f, ACTIO_F_UNKNOWN_PRINCIPLE, &model->source, claim->span,
                    ACTIO_ARGS(ACTIO_TEXT(claim->by), ACTIO_TEXT(list), ACTIO_TEXT(hint)));
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
    actio_report(problem->f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(problem->options.by)));
    return 1;
}

/* ---- options */

int actio_principle_refuse(struct actio_problem *problem, const char *option, const char *whose)
{
    actio_report(problem->f, ACTIO_F_NOT_ITS_OPTION,
                 ACTIO_ARGS(ACTIO_TEXT(option), ACTIO_TEXT(whose), ACTIO_TEXT(problem->principle->name)));
    return 1;
}

/* An option that stands in the model's data for the dual action. */
static bool changed(const struct actio_option_row *row, const struct actio_dual_data *d)
{
    switch (row->change) {
    case ACTIO_CHANGE_WEIGHTS: return d->weights > 0;
    case ACTIO_CHANGE_POTENTIAL: return d->has_potential;
    case ACTIO_CHANGE_FINAL: return d->lasts > 0;
    default: return false;
    }
}

static bool given(const struct actio_problem *problem, const struct actio_option_row *row)
{
    const struct actio_dual_data *d = &problem->model->dual;
    return actio_option_given(row, &problem->options) || changed(row, d)
           || (strcmp(row->name, "base") == 0 && d->bases);
}

void actio_option_owners(const struct actio_option_row *row, char *text, size_t size)
{
    if (!text || size == 0) return;
    *text = 0;
    if (!row) return;
    if (row->owner == ACTIO_OWNS_METHOD) snprintf(text, size, "principles with equations of motion");
    else list_names(row->owner, " and ", text, size);
}

bool actio_principle_owns(const char *by, const struct actio_option_row *row)
{
    const struct actio_principle *p = by ? actio_principle_named(by) : NULL;
    return p && row && (!row->owner || (p->owns & row->owner));
}

int actio_principle_check(struct actio_problem *problem)
{
    const struct actio_principle *p = problem->principle;
    const struct actio_option_row *row;
    size_t rows = actio_options(&row);
    for (size_t i = 0; i < rows; i++) {
        char owners[200];
        if (!row[i].owner || (p->owns & row[i].owner) || !given(problem, &row[i])) continue;
        actio_option_owners(&row[i], owners, sizeof owners);
        return actio_principle_refuse(problem, row[i].name, owners);
    }
    return p->check ? p->check(problem) : 0;
}

struct actio_run_options actio_principle_options(const struct actio_principle *p,
                                                 const struct actio_run_options *options)
{
    struct actio_run_options o = *options;
    const struct actio_option_row *row;
    size_t rows = actio_options(&row);
    for (size_t i = 0; i < rows; i++)
        if (row[i].owner && !(p->owns & row[i].owner)) actio_option_reset(&row[i], &o);
    o.by = p->name;
    return o;
}

/* "dalembert, gauss". */
static void join_names(const char *const *by, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", by[i]);
}

bool actio_principles_own(const char *const *by, size_t count, const struct actio_run_options *options,
                          struct actio_findings *f)
{
    const struct actio_option_row *row;
    size_t rows = actio_options(&row);
    for (size_t i = 0; i < rows; i++) {
        bool owned = !row[i].owner || !actio_option_given(&row[i], options);
        for (size_t k = 0; k < count && !owned; k++) owned = actio_principle_owns(by[k], &row[i]);
        if (owned) continue;
        char owners[200], names[200] = "";
        actio_option_owners(&row[i], owners, sizeof owners);
        join_names(by, count, names, sizeof names);
        actio_report(f, ACTIO_F_NOT_ITS_OPTION,
                     ACTIO_ARGS(ACTIO_TEXT(row[i].name), ACTIO_TEXT(owners), ACTIO_TEXT(names)));
        return false;
    }
    return true;
}
