/* SPDX-License-Identifier: Apache-2.0
 * What happens at an instant: held values, and the statements `when` and `every` that set them and the state. */
#include "model/reader.h"

#include <math.h>

static bool instants_fault(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                           const struct actio_value arg[6])
{
    actio_reader_fault(r, code, origin, span, arg);
    return false;
}

/* ---- held values */

bool actio_define_held(struct actio_reader *r, const struct actio_item *item, uint32_t word)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->resets.helds;
    struct actio_held_line u = { .name = actio_word_text(r, word), .unit = item->unit, .span = item->span };
    u.x = actio_symbol(&m->pool, ACTIO_SPACE_HELD, count);
    ACTIO_PUSH(&m->arena, m->resets.held, count, r->cap.helds) = u;
    m->resets.helds = count;
    return true;
}

bool actio_start_held(struct actio_reader *r, const struct actio_target *t, bool option)
{
    struct actio_held_line *u = &r->model->resets.held[t->ref.index];
    if (u->start_given && !option)
        return instants_fault(r, ACTIO_F_START_TWICE, t->origin, t->item->span, ACTIO_ARGS(ACTIO_TEXT(u->name)));
    u->start = t->e;
    u->start_given = true;
    return true;
}

/* ---- what is set */

struct setting {
    struct actio_reset_line *line;
    uint32_t cap;
};

static bool kind_of_target(const struct actio_target *t, enum actio_assign_kind *kind)
{
    uint32_t primes = t->item->primes;
    switch (t->ref.kind) {
    case ACTIO_SY_COORD: *kind = primes ? ACTIO_SETS_RATE : ACTIO_SETS_COORD; return primes < 2;
    case ACTIO_SY_COORD_DOT: *kind = ACTIO_SETS_RATE; return primes == 0;
    case ACTIO_SY_STATE: *kind = ACTIO_SETS_STATE; return primes == 0;
    case ACTIO_SY_HELD: *kind = ACTIO_SETS_HELD; return primes == 0;
    default: return false;
    }
}

static bool not_settable(struct actio_reader *r, const struct actio_target *t)
{
    uint32_t primes = t->item->primes;
    const char *name = actio_arena_format(&r->scratch, "%s%s", actio_word_text(r, t->item->word),
                                          primes > 1 ? "''"
                                          : primes   ? "'"
                                                     : "");
    bool coord = t->ref.kind == ACTIO_SY_COORD || t->ref.kind == ACTIO_SY_COORD_DOT;
    const char *kind = !primes ? actio_kind_text(t->ref.kind) : coord ? "an acceleration" : "a rate";
    return instants_fault(r, ACTIO_F_ASSIGN_TARGET, t->origin, t->item->span,
                          ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(kind)));
}

static bool assign_target(struct actio_reader *r, const struct actio_target *t, void *user)
{
    struct setting *to = user;
    struct actio_reset_line *s = to->line;
    struct actio_assign_line a = { .index = t->ref.index, .e = t->e, .span = t->item->span };
    struct actio_value name = ACTIO_TEXT(actio_word_text(r, t->item->word));
    if (!kind_of_target(t, &a.kind)) return not_settable(r, t);
    for (uint32_t i = 0; i < s->assigns; i++)
        if (s->assign[i].kind == a.kind && s->assign[i].index == a.index)
            return instants_fault(r, ACTIO_F_TERM_TWICE, t->origin, t->item->span, ACTIO_ARGS(name));
    ACTIO_PUSH(&r->model->arena, s->assign, s->assigns, to->cap) = a;
    return true;
}

static bool read_assignments(struct actio_reader *r, const struct actio_statement *s, struct actio_reset_line *line)
{
    struct setting to = { .line = line };
    bool ok = true;
    for (uint32_t i = s->first; i < s->first + s->entries; i++) {
        const struct actio_item *item = &r->parsed.item[i];
        if (item->is_option) line->stops = true;
        else ok &= actio_each_target(r, item, ACTIO_IN_ASSIGN, s->origin, assign_target, &to);
    }
    return ok;
}

static void keep_line(struct actio_reader *r, const struct actio_statement *s, struct actio_reset_line line)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->resets.lines;
    line.span = s->span;
    if (!read_assignments(r, s, &line)) return;
    ACTIO_PUSH(&m->arena, m->resets.line, count, r->cap.instants) = line;
    m->resets.lines = count;
}

/* ---- when */

static bool when_one(struct actio_reader *r, const struct actio_statement *s, bool indexed, double index)
{
    struct actio_symbol_ref ref;
    struct actio_use use = { s->label, indexed, index, s->origin, s->at, ACTIO_IN_ASSIGN, false };
    if (!actio_resolve_label(r, &use, s->label, &ref)) return false;
    if (ref.kind != ACTIO_SY_EVENT && ref.kind != ACTIO_SY_CONTACT)
        return instants_fault(
            r, ACTIO_F_WHEN_NOT_EVENT, s->origin, s->span,
            ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, s->label)), ACTIO_TEXT(actio_kind_text(ref.kind))));
    struct actio_reset_line line = { .kind = ref.kind == ACTIO_SY_EVENT ? ACTIO_WHEN_EVENT : ACTIO_WHEN_CONTACT,
                                     .index = ref.index };
    keep_line(r, s, line);
    return true;
}

static void when_statement(struct actio_reader *r, const struct actio_statement *s)
{
    double low, high;
    actio_expr e;
    if (s->family.kind == ACTIO_R_NONE) {
        when_one(r, s, false, 0);
    } else if (s->family.kind == ACTIO_R_MEMBER) {
        if (actio_machine_run(r, s->family.from, ACTIO_IN_INDEX, &e)
            && actio_machine_whole(r, e, s->origin, s->at, &low))
            when_one(r, s, true, low);
    } else if (actio_machine_range(r, &s->family, &low, &high)) {
        for (double k = low; k <= high; k++) {
            r->vocabulary.word[s->family.index].bound = k;
            if (!when_one(r, s, true, k)) return;
        }
    }
}

/* ---- every */

static void every_statement(struct actio_reader *r, const struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct actio_reset_line line = { .kind = ACTIO_EVERY, .written = s->text, .has_from = s->right.count > 0 };
    if (!actio_machine_run(r, s->left, ACTIO_IN_PERIOD, &line.period)) return;
    if (line.has_from && !actio_machine_run(r, s->right, ACTIO_IN_PERIOD, &line.from)) return;
    double period = actio_model_number(m, line.period), from = line.has_from ? actio_model_number(m, line.from) : 0;
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_POSITIVE, .e = line.period });
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_FINITE, .e = line.from });
    if (!(period > 0) || !isfinite(period) || !isfinite(from)) {
        instants_fault(r, ACTIO_F_EVERY_NOT_POSITIVE, s->origin, s->span,
                       ACTIO_ARGS(ACTIO_NUMBER(isnan(period) ? NAN : period), ACTIO_NUMBER(isnan(from) ? NAN : from)));
        return;
    }
    keep_line(r, s, line);
}

void actio_instants_all(struct actio_reader *r)
{
    for (uint32_t i = 0; i < r->parsed.statements; i++) {
        const struct actio_statement *s = &r->parsed.statement[i];
        actio_poll(r->ctx);
        if (s->keyword == ACTIO_W_when) when_statement(r, s);
        else if (s->keyword == ACTIO_W_every) every_statement(r, s);
    }
}
