/* SPDX-License-Identifier: Apache-2.0
 * What happened in a run, as its table lists it: names, times with their errors, places, velocities around jumps. */
#include "run/instants.h"
#include "solve/contacts.h"

#include <math.h>

/* Names of what events are about, kept once each: a run may have millions of events. */
static const char **kept_names(struct actio_table *t, const char *const *name, size_t count)
{
    const char **kept = actio_arena_array(&t->arena, count + 1, sizeof *kept);
    for (size_t i = 0; i < count; i++) kept[i] = actio_table_text(t, name[i]);
    return kept;
}

struct names {
    const char **contact, **constraint, **event, **mode, **statement;
    const struct actio_model *model;
};
/* Who has it, and on which line. */
struct owner {
    const char *name, *contact;
    size_t line;
};

static struct owner contact_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    return (struct owner){ names->contact[i], names->contact[i], sys->walls.contact_line[i] };
}

/* Friction of a contact, or of a constraint. */
static struct owner rub_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    const struct actio_rub *r = &sys->walls.rub[i];
    if (r->contact != UINT32_MAX) return contact_owner(sys, names, r->contact);
    const char *name = names->constraint[r->constraint];
    return (struct owner){ name, name, sys->constraint_line[r->constraint] };
}

static struct owner event_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    return (struct owner){ names->event[i], NULL, sys->walls.event_line[i] };
}

static struct owner mode_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    return (struct owner){ names->mode[i], NULL, sys->switches.line ? sys->switches.line[i] : 0 };
}

static struct owner statement_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    (void)sys;
    return (struct owner){ names->statement[i], NULL, names->model->resets.line[i].span.line };
}

static struct owner row_owner(const struct actio_system *sys, const struct names *names, size_t i)
{
    return (struct owner){ names->constraint[i], NULL, sys->constraint_line[i] };
}

static struct owner owner_of(const struct actio_system *sys, const struct names *names, const struct actio_instant *i)
{
    static struct owner (*const of[ACTIO_INSTANT_KINDS])(const struct actio_system *, const struct names *, size_t) = {
        [ACTIO_IMPACT] = contact_owner, [ACTIO_RESTS] = contact_owner, [ACTIO_CLOSES] = contact_owner,
        [ACTIO_OPENS] = contact_owner,  [ACTIO_STICKS] = rub_owner,    [ACTIO_SLIDES] = rub_owner,
        [ACTIO_PASSES] = event_owner,   [ACTIO_SWITCHES] = mode_owner, [ACTIO_HOLDS] = mode_owner,
        [ACTIO_TURNS] = mode_owner,     [ACTIO_REFLECTS] = mode_owner, [ACTIO_SETS] = statement_owner,
        [ACTIO_PUSHES] = row_owner,
    };
    return of[i->kind](sys, names, i->index);
}

static void add_event(struct actio_table *t, struct actio_event e)
{
    if ((t->events & 1023) == 0) actio_poll_overdue(t->arena.ctx);
    ACTIO_PUSH(&t->arena, t->event, t->events, t->events_cap) = e;
}

/* The numbers of all instants, kept once. */
static const double *kept_numbers(struct actio_table *t, const struct actio_instant_list *l)
{
    double *kept = actio_arena_array(&t->arena, l->numbers + 1, sizeof *kept);
    for (size_t i = 0; i < l->numbers; i++) kept[i] = l->number[i];
    return kept;
}

static struct actio_event event_of(const struct actio_instant *i, const struct owner *owner, const double *number,
                                   size_t n)
{
    const double *place = i->numbers == ACTIO_NOWHERE ? NULL : number + i->numbers;
    return (struct actio_event){ .t = i->t,
                                 .error = i->error,
                                 .kind = i->touches ? "touches" : actio_instant_word((enum actio_instant_kind)i->kind),
                                 .name = owner->name,
                                 .value = i->value,
                                 .contact = owner->contact,
                                 .impulse = i->kind == ACTIO_IMPACT ? i->value : 0,
                                 .rule = i->rule && *i->rule ? i->rule : NULL,
                                 .energy = i->energy,
                                 .place = place,
                                 .before = place && i->jumps ? place + n : NULL,
                                 .after = place && i->jumps ? place + 2 * n : NULL,
                                 .line = owner->line };
}

/* As far as rows are shown. */
static bool is_shown(const struct actio_run *run, const struct actio_table *t, double at)
{
    const struct actio_outcome *o = &run->outcome;
    double until = o->status == ACTIO_FLOW_STOPPED && t->rows ? t->data[0][t->rows - 1] : t->holds_until;
    return o->reached || t->local_only || (run->problem.motion.span < 0 ? at >= until : at <= until);
}

static void name_places(struct actio_run *run, struct actio_table *t)
{
    size_t n = t->coords = run->problem.motion.n;
    const char **name = actio_arena_array(&t->arena, 2 * n + 1, sizeof *name);
    for (size_t i = 0; i < 2 * n; i++) name[i] = actio_table_text(t, actio_problem_name(&run->problem, i));
    t->coord = name;
    t->velocity = name + n;
}

void actio_run_list_events(struct actio_run *run, struct actio_table *t)
{
    const struct actio_motion *m = &run->problem.motion;
    const struct actio_system *sys = run->problem.sys;
    const struct actio_instant_list *l = &m->instants.now;
    if (l->count == 0) return;
    struct names names = { kept_names(t, sys->walls.contact, sys->walls.contacts),
                           kept_names(t, sys->constraint, sys->p),
                           kept_names(t, sys->walls.event, sys->walls.events),
                           kept_names(t, sys->switches.count ? sys->switches.written : NULL, sys->switches.count),
                           actio_run_statement_names(run, t),
                           run->problem.model };
    name_places(run, t);
    const double *number = kept_numbers(t, l);
    for (size_t i = 0; i < l->count; i++) {
        if (!is_shown(run, t, l->at[i].t)) continue;
        struct owner owner = owner_of(sys, &names, &l->at[i]);
        struct actio_event e = event_of(&l->at[i], &owner, number, m->n);
        if (l->at[i].kind == ACTIO_SETS) e.kind = actio_run_statement_kind(run, l->at[i].index);
        add_event(t, e);
    }
    actio_events_sort(&t->arena, t->event, t->events, m->span < 0);
}

bool actio_run_taken(const struct actio_table *t, bool backward, double *taken)
{
    double way = backward ? -1 : 1, sum = 0;
    bool any = false;
    for (size_t r = 0, next = 0; r < t->rows; r++) {
        for (; next < t->events && way * t->event[next].t <= way * t->data[0][r]; next++) {
            const struct actio_event *e = &t->event[next];
            if (!e->before || e->contact) continue;
            if (isnan(e->energy)) return false;
            sum += e->energy;
            any = true;
        }
        taken[r] = sum;
    }
    return any;
}

void actio_run_less_jumps(struct actio_table *t, bool backward)
{
    size_t energy = actio_table_first(t, ACTIO_ROLE_ENERGY);
    double *taken = actio_arena_array(&t->arena, t->rows + 1, sizeof *taken), largest = 0;
    if (energy >= t->cols || isnan(t->energy_drift) || !actio_run_taken(t, backward, taken)) return;
    for (size_t r = 0; r < t->rows; r++)
        largest = fmax(largest, fabs(t->data[energy][r] + taken[r] - t->data[energy][0]));
    t->energy_drift = largest;
}
