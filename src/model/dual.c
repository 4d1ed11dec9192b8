/* SPDX-License-Identifier: Apache-2.0
 * What the command line says of the dual action in the model's names: weights, a potential, base states, final values.
 * */
#include "model/reader.h"

#include <math.h>
#include <string.h>

struct list {
    struct actio_dual_item **item;
    size_t *count;
    const char *what, *to;
    bool multipliers, reactions, moves;
};

static struct list list_of(struct actio_dual_data *d, uint32_t keyword)
{
    if (keyword == ACTIO_W_weights)
        return (struct list){ &d->weight, &d->weights,
                              "weights",  "coordinates, velocities, states, multipliers and free reactions",
                              true,       true,
                              true };
    if (keyword == ACTIO_W_base)
        return (struct list){ &d->base, &d->bases, "base states", "coordinates, velocities, states and free reactions",
                              false,    true,      false };
    return (
        struct list){ &d->last, &d->lasts, "final values", "coordinates, velocities and states", false, false, false };
}

static bool dual_refuse(struct actio_reader *r, const struct actio_target *t, const struct list *l, const char *kind)
{
    actio_reader_fault(r, ACTIO_F_NOT_DUAL, t->origin, t->item->span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word)), ACTIO_TEXT(kind), ACTIO_TEXT(l->what),
                                  ACTIO_TEXT(l->to)));
    return false;
}

static bool is_finite(struct actio_reader *r, const struct actio_target *t)
{
    double x = actio_model_number(r->model, t->e);
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_FINITE, .e = t->e });
    if (isfinite(x)) return true;
    actio_reader_fault(r, ACTIO_F_VALUE_NOT_FINITE, t->origin, t->item->span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word)), ACTIO_NUMBER(x)));
    return false;
}

static bool dual_take(struct actio_reader *r, const struct actio_target *t, void *user)
{
    const struct list *l = user;
    struct actio_model *m = r->model;
    enum actio_symbol_kind k = t->ref.kind;
    bool rate = k == ACTIO_SY_COORD_DOT || (k == ACTIO_SY_COORD && t->item->primes == 1),
         lambda = k == ACTIO_SY_LAMBDA && l->multipliers, reaction = k == ACTIO_SY_REACTION && l->reactions;
    if ((k == ACTIO_SY_COORD_DOT) + t->item->primes > 1 || (k == ACTIO_SY_STATE && t->item->primes)
        || k == ACTIO_SY_STATE_DOT)
        return dual_refuse(r, t, l, "a rate");
    if (!rate && !lambda && !reaction && k != ACTIO_SY_COORD && k != ACTIO_SY_STATE)
        return dual_refuse(r, t, l, actio_kind_text(k));
    if (!l->moves && !is_finite(r, t)) return false;
    size_t at = *l->count, own = 2 * m->coords + m->states;
    size_t first = k == ACTIO_SY_STATE ? 2 * m->coords
                   : rate              ? m->coords
                   : lambda            ? own
                   : reaction          ? own + m->constraints
                                       : 0;
    while (at && (*l->item)[at - 1].component != first + t->ref.index) at--;
    if (at) {
        actio_reader_fault(r, ACTIO_F_DUAL_TWICE, t->origin, t->item->span,
                           ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word)), ACTIO_TEXT(l->what)));
        return false;
    }
    /* a few: copied each time */
    struct actio_dual_item *more = actio_arena_array(&m->arena, *l->count + 1, sizeof *more);
    if (*l->count) memcpy(more, *l->item, *l->count * sizeof *more);
    more[(*l->count)++] = (struct actio_dual_item){ (uint32_t)(first + t->ref.index), t->e, t->item->span };
    *l->item = more;
    return true;
}

void actio_dual_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_dual_data *d = &r->model->dual;
    struct list l = list_of(d, s->keyword);
    if (s->keyword == ACTIO_W_potential) {
        if (actio_machine_run(r, s->left, ACTIO_IN_POTENTIAL, &d->potential)) d->has_potential = true;
        return;
    }
    for (uint32_t i = s->first; i < s->first + s->entries; i++)
        actio_each_target(r, &r->parsed.item[i], s->keyword == ACTIO_W_weights ? ACTIO_IN_WEIGHT : ACTIO_IN_START,
                          s->origin, dual_take, &l);
}
