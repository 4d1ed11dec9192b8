/* SPDX-License-Identifier: Apache-2.0
 * Walls, events, and the options behind a comma: formulas into the model, once the lagrangian is known. */
#include "model/reader.h"

#include <math.h>

static bool contacts_fault(struct actio_reader *r, enum actio_code code, const struct actio_statement *s,
                           struct actio_span span, const struct actio_value arg[6])
{
    actio_reader_fault(r, code, s->origin, span, arg);
    return false;
}

/* ---- options */

static bool is_variable(const struct actio_reader *r, uint32_t word)
{
    uint32_t d = r->vocabulary.word[word].definition;
    return d && (r->definition[d - 1].keyword == ACTIO_W_coord || r->definition[d - 1].keyword == ACTIO_W_state);
}

/* A variable may be called like an option: among the directions of a reaction it is one of them. */
bool actio_is_option(const struct actio_reader *r, const struct actio_statement *s, const struct actio_item *item)
{
    return item->is_option && !(s->rule == ACTIO_W_along && item->second.count == 0 && is_variable(r, item->word));
}

static bool unknown_option(struct actio_reader *r, const struct actio_statement *s, const struct actio_item *item)
{
    static const char *const name[] = { "friction", "slip", "stick", "restitution" };
    bool contact = s->keyword == ACTIO_W_contact;
    const char *text = actio_word_text(r, item->word), *near = actio_near_name(text, name, contact ? 4 : 3);
    const char *hint = contact ? "use restitution, friction, slip or stick" : "use friction, slip or stick";
    if (near) hint = actio_arena_format(&r->scratch, "did you mean '%s'?", near);
    else if (item->word == ACTIO_W_restitution)
        hint = "write contact NAME: A <= B for a one-sided wall: a constraint always holds and never bounces";
    return contacts_fault(
        r, ACTIO_F_UNKNOWN_OPTION, s, item->span,
        ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(contact ? "contact" : "constraint"), ACTIO_TEXT(hint)));
}

static bool take_option(struct actio_reader *r, const struct actio_item *item, struct actio_options *out)
{
    uint32_t first = out->s->keyword == ACTIO_W_contact ? ACTIO_W_restitution : ACTIO_W_friction;
    struct actio_value name = ACTIO_TEXT(actio_word_text(r, item->word));
    if (item->word < first || item->word > ACTIO_W_stick) return unknown_option(r, out->s, item);
    if (item->second.count && item->word != ACTIO_W_slip)
        return contacts_fault(r, ACTIO_F_OPTION_PAIR, out->s, item->span, ACTIO_ARGS(name));
    const struct actio_item **at = &out->item[item->word - ACTIO_W_restitution];
    if (*at) return contacts_fault(r, ACTIO_F_OPTION_TWICE, out->s, item->span, ACTIO_ARGS(name));
    *at = item;
    return true;
}

bool actio_options_of(struct actio_reader *r, const struct actio_statement *s, struct actio_options *out)
{
    bool ok = true, begun = false;
    *out = (struct actio_options){ .s = s };
    for (uint32_t i = s->first; i < s->first + s->entries; i++) {
        begun = begun || actio_is_option(r, s, &r->parsed.item[i]);
        if (begun) ok &= take_option(r, &r->parsed.item[i], out); /* behind an option there are only options */
    }
    return ok;
}

bool actio_option_value(struct actio_reader *r, const struct actio_options *o, uint32_t word, actio_expr *out)
{
    const struct actio_item *item = o->item[word - ACTIO_W_restitution];
    return !item || actio_machine_run(r, item->e, ACTIO_IN_OPTION, out);
}

bool actio_option_number(struct actio_reader *r, actio_expr e, double *out)
{
    if (actio_machine_spaces(r, e) & ~ACTIO_BIT(PARAM)) return false;
    *out = actio_model_number(r->model, e);
    return true;
}

/* ---- contacts */

static bool check_gap(struct actio_reader *r, const struct actio_statement *s, const struct actio_contact *c)
{
    uint32_t n;
    bool moves = false;
    actio_expr *q = actio_machine_symbols(r, c->gap, ACTIO_SPACE_Q, &n),
               *g = actio_arena_array(&r->scratch, n, sizeof *g);
    actio_gradient(&r->model->pool, c->gap, q, n, g);
    for (uint32_t i = 0; i < n; i++) moves = moves || !actio_is_zero(g[i]);
    if (moves && !actio_same(c->left, c->right)) return true;
    return contacts_fault(r, ACTIO_F_CONTACT_NO_COORDINATE, s, s->span, ACTIO_ARGS(ACTIO_TEXT(c->label)));
}

static bool check_restitution(struct actio_reader *r, const struct actio_options *o, const struct actio_contact *c)
{
    double e;
    if (!actio_option_number(r, c->restitution, &e)) return true;
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_SHARE, .e = c->restitution });
    if (e >= 0 && e <= 1) return true;
    struct actio_value name = ACTIO_TEXT(c->label), value = ACTIO_NUMBER(isnan(e) ? NAN : e);
    return contacts_fault(r, ACTIO_F_RESTITUTION_RANGE, o->s, o->item[0]->span, ACTIO_ARGS(name, value));
}

static bool contact_member(struct actio_reader *r, const struct actio_options *o, uint32_t index)
{
    struct actio_pool *pool = &r->model->pool;
    struct actio_contact c = r->model->contact[index];
    if (!actio_machine_run(r, o->s->left, ACTIO_IN_GAP, &c.left)
        || !actio_machine_run(r, o->s->right, ACTIO_IN_GAP, &c.right))
        return false;
    c.gap = c.at_most ? actio_sub(pool, c.right, c.left) : actio_sub(pool, c.left, c.right);
    c.restitution = actio_const(pool, 1);
    if (!check_gap(r, o->s, &c) || !actio_option_value(r, o, ACTIO_W_restitution, &c.restitution)
        || !check_restitution(r, o, &c))
        return false;
    if (!actio_friction_of(r, o, &(struct actio_rough){ c.label, c.gap }, &c.friction)) return false;
    r->model->contact[index] = c;
    return true;
}

/* ---- friction of what always holds */

static bool rough_constraint(struct actio_reader *r, const struct actio_options *o, uint32_t index)
{
    struct actio_constraint *c = &r->model->constraint[index];
    if (!o->item[ACTIO_W_friction - ACTIO_W_restitution] && !o->item[ACTIO_W_slip - ACTIO_W_restitution]
        && !o->item[ACTIO_W_stick - ACTIO_W_restitution])
        return true;
    /* else the reaction is not along the gradient of a surface */
    bool plain = c->kind == ACTIO_HOLONOMIC && c->rule == ACTIO_IDEAL;
    return actio_friction_of(r, o, &(struct actio_rough){ c->label, plain ? c->g : (actio_expr){ 0 } }, &c->friction);
}

/* ---- events */

static bool event_member(struct actio_reader *r, const struct actio_options *o, uint32_t index)
{
    struct actio_event_line e = r->model->event[index];
    if (!actio_machine_run(r, o->s->left, ACTIO_IN_EVENT, &e.left)
        || !actio_machine_run(r, o->s->right, ACTIO_IN_EVENT, &e.right))
        return false;
    e.g = actio_sub(&r->model->pool, e.left, e.right);
    if (actio_same(e.left, e.right) || !(actio_machine_spaces(r, e.g) & ~ACTIO_BIT(PARAM)))
        return contacts_fault(r, ACTIO_F_EVENT_NO_VARIABLE, o->s, o->s->span, ACTIO_ARGS(ACTIO_TEXT(e.label)));
    r->model->event[index] = e;
    return true;
}

/* ---- all of them */

typedef bool member_fn(struct actio_reader *r, const struct actio_options *o, uint32_t index);

static member_fn *const member_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_contact] = contact_member, [ACTIO_W_event] = event_member, [ACTIO_W_constraint] = rough_constraint
};

static void each_member(struct actio_reader *r, const struct actio_statement *s)
{
    double low, high;
    struct actio_options o;
    if (s->failed || !member_of[s->keyword] || !actio_options_of(r, s, &o)
        || !actio_machine_range(r, &s->family, &low, &high))
        return;
    for (double k = low; k <= high; k++) {
        r->vocabulary.word[s->family.index].bound = k;
        if (!member_of[s->keyword](r, &o, s->index + (uint32_t)(k - low))) return;
        actio_poll(r->ctx);
    }
}

void actio_contacts_all(struct actio_reader *r)
{
    for (uint32_t i = 0; i < r->parsed.statements; i++) each_member(r, &r->parsed.statement[i]);
}
