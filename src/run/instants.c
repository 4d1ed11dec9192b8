/* SPDX-License-Identifier: Apache-2.0
 * Instants in words. */
#include "run/instants.h"
#include "solve/resets.h"

#include <math.h>
#include <string.h>

static const struct actio_reset_numbers *numbers_of(const struct actio_run *run) { return &run->problem.sys->resets; }

const char *actio_run_statement_kind(const struct actio_run *run, size_t statement)
{
    return numbers_of(run)->statement[statement].on == ACTIO_ON_CLOCK ? "every" : "when";
}

const char **actio_run_statement_names(const struct actio_run *run, struct actio_table *t)
{
    const struct actio_reset_numbers *s = numbers_of(run);
    const char **name = actio_arena_array(&t->arena, s->statements + 1, sizeof *name);
    for (size_t i = 0; i < s->statements; i++) {
        const char *text = strchr(s->statement[i].name, ' ') + 1;
        name[i] = actio_arena_text(&t->arena, text, strlen(text));
    }
    return name;
}

static struct actio_value statement_text(const struct actio_run *run, size_t i)
{
    return ACTIO_TEXT(numbers_of(run)->statement[i].name);
}

/* The members of a chain, as many as can be read. */
static const char *members_text(struct actio_run *run, const bool *member)
{
    enum { MOST = 8 };
    const struct actio_reset_numbers *s = numbers_of(run);
    struct actio_text out;
    size_t shown = 0;
    actio_text_open(&out, &run->problem.arena);
    for (size_t i = 0; i < s->statements; i++)
        if (member[i] && shown++ < MOST)
            actio_text_format(&out, "%s`%s`", out.length ? ", " : "", s->statement[i].name);
    if (shown > MOST) actio_text_add(&out, " ...");
    return out.length ? out.s : "an event and what it sets";
}

static void say_broken(struct actio_run *run, const struct actio_reset_end *end)
{
    const struct actio_system *sys = run->problem.sys;
    const struct actio_model *m = run->problem.model;
    bool wall = end->fault == ACTIO_RESET_BREAKS_WALL;
    actio_report_at(run->problem.f, ACTIO_F_INSTANT_BREAKS, &m->source, m->resets.line[end->statement].span,
                    ACTIO_ARGS(statement_text(run, end->statement), ACTIO_TEXT(wall ? "contact" : "constraint"),
                               ACTIO_TEXT(wall ? sys->walls.contact[end->target] : sys->constraint[end->target]),
                               ACTIO_NUMBER(fabs(end->by)), ACTIO_NUMBER(end->t)));
}

void actio_run_explain_instant(struct actio_run *run)
{
    const struct actio_reset_end *end = actio_resets_end(&run->problem.motion);
    const struct actio_model *m = run->problem.model;
    struct actio_span span = m->resets.line[end->statement].span;
    const char *const *target = numbers_of(run)->target_name;
    switch (end->fault) {
    case ACTIO_RESET_DIFFERS:
        actio_report_at(run->problem.f, ACTIO_F_INSTANT_DIFFERS, &m->source, m->resets.line[end->other].span,
                        ACTIO_ARGS(statement_text(run, end->statement), statement_text(run, end->other),
                                   ACTIO_TEXT(target[end->target]), ACTIO_NUMBER(end->t), ACTIO_NUMBER(end->x[0]),
                                   ACTIO_NUMBER(end->x[1])));
        return;
    case ACTIO_RESET_CHAINS:
        actio_report(run->problem.f, ACTIO_F_INSTANT_CHAIN,
                     ACTIO_ARGS(ACTIO_NUMBER(end->t), ACTIO_TEXT(members_text(run, end->members))));
        return;
    case ACTIO_RESET_NO_NUMBER:
        actio_report_at(
            run->problem.f, ACTIO_F_INSTANT_NUMBER, &m->source, span,
            ACTIO_ARGS(statement_text(run, end->statement), ACTIO_TEXT(target[end->target]), ACTIO_NUMBER(end->t)));
        return;
    case ACTIO_RESET_IS_STUCK:
        actio_report_at(run->problem.f, ACTIO_F_INSTANT_STUCK, &m->source, span,
                        ACTIO_ARGS(statement_text(run, end->statement), ACTIO_NUMBER(end->t)));
        return;
    case ACTIO_RESET_ENDLESS:
        actio_report_at(run->problem.f, ACTIO_F_INSTANT_ENDLESS, &m->source, span,
                        ACTIO_ARGS(statement_text(run, end->statement), ACTIO_NUMBER(end->t),
                                   ACTIO_TEXT(run->problem.sys->walls.contact[end->target])));
        return;
    default: say_broken(run, end); return;
    }
}
