/* SPDX-License-Identifier: Apache-2.0
 * A model as text that reads back to the same model. Families keep their declarations, members get their own formulas.
 */
#include "model/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names that are free */

static bool name_begins(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return name && strncmp(name, prefix, n) == 0
           && (name[n] == 0 || name[n] == '[' || (name[n] >= '0' && name[n] <= '9'));
}

static bool is_taken(const struct actio_model *m, const char *prefix)
{
    for (size_t i = 0; i < m->params; i++)
        if (name_begins(m->param[i].name, prefix)) return true;
    for (size_t i = 0; i < m->coords; i++)
        if (name_begins(m->coord[i].name, prefix)) return true;
    for (size_t i = 0; i < m->states; i++)
        if (name_begins(m->state[i].name, prefix)) return true;
    for (size_t i = 0; i < m->resets.helds; i++)
        if (name_begins(m->resets.held[i].name, prefix)) return true;
    for (size_t i = 0; i < m->field.axes; i++)
        if (name_begins(m->field.axis[i].name, prefix)) return true;
    for (size_t i = 0; i < m->named.frames; i++)
        if (name_begins(m->named.frame[i].name, prefix)) return true;
    for (size_t i = 0; i < m->output.observes; i++)
        if (name_begins(m->output.observe[i].name, prefix)) return true;
    return false;
}

static void free_name(const struct actio_model *m, char name[16], char letter)
{
    size_t n = 0;
    name[n++] = letter;
    name[n] = 0;
    while (n < 15 && is_taken(m, name)) {
        name[n++] = '_';
        name[n] = 0;
    }
}

/* ---- pieces of text */

static void print_add(struct actio_printing *p, const char *s) { actio_text_add(&p->out, s); }

static void symbol_name(void *user, actio_slot slot, struct actio_text *out)
{
    struct actio_printing *p = user;
    if (slot.space == ACTIO_SPACE_HIDDEN) actio_text_format(out, "%s%u", p->prefix, (unsigned)slot.index);
    else actio_model_symbol_name(p->m, slot, out);
}

static void formula(struct actio_printing *p, actio_expr e) { actio_print(&p->pool, e, symbol_name, p, &p->out); }

static void next_formula(struct actio_printing *p) { formula(p, p->copy[p->next++]); }

/* a[3] as the declaration of one member: a[i = 3 .. 3] */
static void head(struct actio_printing *p, const char *name)
{
    const char *bracket = strchr(name, '[');
    if (!bracket) {
        print_add(p, name);
        return;
    }
    long k = strtol(bracket + 1, NULL, 10);
    actio_text_format(&p->out, "%.*s[%s = %ld .. %ld]", (int)(bracket - name), name, p->index, k, k);
}

static void print_along(struct actio_printing *p, uint16_t axis)
{
    if (axis) actio_text_format(&p->out, "(%s)", p->m->field.axis[axis - 1].name);
}

static void unit(struct actio_printing *p, const char *text)
{
    if (text) actio_text_format(&p->out, " [%s]", text);
}

static const char *variable_name(const struct actio_printing *p, const struct actio_term *t)
{
    return t->is_state ? p->m->state[t->variable].name : p->m->coord[t->variable].name;
}

static void terms(struct actio_printing *p, const struct actio_term *term, size_t n, bool with_formula)
{
    for (size_t i = 0; i < n; i++) {
        print_add(p, i ? ", " : " ");
        print_add(p, variable_name(p, &term[i]));
        if (term[i].placed) {
            print_add(p, "(");
            next_formula(p);
            print_add(p, ")");
        }
        if (with_formula) {
            print_add(p, " = ");
            next_formula(p);
        } else p->next++;
    }
}

/* ---- statements */

static void print_description(struct actio_printing *p)
{
    const char *s = p->m->description;
    while (s && *s) {
        size_t n = strcspn(s, "\n");
        print_add(p, n ? "# " : "#");
        actio_text_bytes(&p->out, s, n);
        print_add(p, "\n");
        s += n + (s[n] == '\n');
    }
    if (p->out.length) print_add(p, "\n");
    if (p->m->name) actio_text_format(&p->out, "model %s\n", p->m->name);
}

static void print_params(struct actio_printing *p)
{
    for (size_t i = 0; i < p->m->params; i++) {
        print_add(p, "param ");
        head(p, p->m->param[i].name);
        unit(p, p->m->param[i].unit);
        print_add(p, " = ");
        next_formula(p);
        print_add(p, "\n");
    }
}

static bool same_unit(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Does v[i + 1] go on with the family of v[i]? */
static bool family_goes_on(const struct actio_variable *v, size_t i)
{
    const char *a = strchr(v[i].name, '['), *b = strchr(v[i + 1].name, '[');
    if (!a || !b || a - v[i].name != b - v[i + 1].name
        || strncmp(v[i].name, v[i + 1].name, (size_t)(a - v[i].name)) != 0)
        return false;
    return strtol(b + 1, NULL, 10) == strtol(a + 1, NULL, 10) + 1 && same_unit(v[i].unit, v[i + 1].unit);
}

static void print_variables(struct actio_printing *p, const char *keyword, const struct actio_variable *v, size_t n)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && family_goes_on(v, last);) last++;
        const char *bracket = strchr(v[i].name, '[');
        if (!bracket) actio_text_format(&p->out, "%s %s", keyword, v[i].name);
        else
            actio_text_format(&p->out, "%s %.*s[%ld .. %ld]", keyword, (int)(bracket - v[i].name), v[i].name,
                              strtol(bracket + 1, NULL, 10), strtol(strchr(v[last].name, '[') + 1, NULL, 10));
        unit(p, v[i].unit);
        print_add(p, "\n");
    }
}

static void print_held(struct actio_printing *p)
{
    const struct actio_model_instants *s = &p->m->resets;
    struct actio_variable *v = actio_arena_array(&p->arena, s->helds + 1, sizeof *v);
    for (size_t i = 0; i < s->helds; i++)
        v[i] = (struct actio_variable){ .name = s->held[i].name, .unit = s->held[i].unit };
    print_variables(p, "held", v, s->helds);
}

/* Each axis with the first of its fields; its bounds are the formulas at hand, in the order of axes. */
static void print_fields(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    bool *known = actio_arena_array(&p->arena, m->field.axes + 1, sizeof *known);
    size_t bounds = p->next;
    for (size_t i = 0; i < m->coords; i++) {
        const struct actio_variable *v = &m->coord[i];
        if (!v->axis) {
            print_variables(p, "coord", v, 1);
            continue;
        }
        const struct actio_axis *x = &m->field.axis[v->axis - 1];
        actio_text_format(&p->out, "field %s(%s)", v->name, x->name);
        unit(p, v->unit);
        actio_text_format(&p->out, " on %s", x->name);
        if (!known[v->axis]) {
            print_add(p, " = ");
            formula(p, p->copy[bounds + 2 * (v->axis - 1u)]);
            print_add(p, " .. ");
            formula(p, p->copy[bounds + 2 * (v->axis - 1u) + 1]);
            actio_text_format(&p->out, " nodes %zu", x->nodes);
        }
        known[v->axis] = true;
        print_add(p, "\n");
    }
    p->next += 2 * m->field.axes;
}

static void print_lets(struct actio_printing *p)
{
    for (uint32_t i = 0; i < p->lets; i++) {
        actio_text_format(&p->out, "let %s%u = ", p->prefix, (unsigned)(i + 1));
        formula(p, p->let[i]);
        print_add(p, "\n");
    }
}

static void print_frames(struct actio_printing *p)
{
    for (size_t i = 0; i < p->m->named.frames; i++) {
        print_add(p, "frame ");
        head(p, p->m->named.frame[i].name);
        print_along(p, p->m->named.frame[i].axis);
        print_add(p, " = ");
        next_formula(p);
        print_add(p, "\n");
    }
}

static void print_sums(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    if (m->has_lagrangian) {
        print_add(p, "lagrangian ");
        formula(p, p->copy[p->next]);
        print_add(p, "\n");
    }
    if (!actio_is_zero(m->dissipation)) {
        print_add(p, "dissipation ");
        formula(p, p->copy[p->next + 1]);
        print_add(p, "\n");
    }
    p->next += 2;
    for (size_t i = 0; i < m->forces; i++) {
        print_add(p, "force");
        if (m->force[i].label) actio_text_format(&p->out, " %s:", m->force[i].label);
        terms(p, m->force[i].term, m->force[i].terms, true);
        print_add(p, "\n");
    }
    for (size_t i = 0; i < m->flow.count; i++) {
        print_add(p, "flow ");
        next_formula(p);
        print_add(p, " = ");
        next_formula(p);
        print_add(p, "\n");
    }
}

static void print_friction(struct actio_printing *p, const struct actio_friction *f)
{
    if (f->given) {
        print_add(p, ", friction = ");
        next_formula(p);
    }
    if (f->slip_given) {
        print_add(p, f->slips > 1 ? ", slip = (" : ", slip = ");
        next_formula(p);
        if (f->slips > 1) {
            print_add(p, ", ");
            next_formula(p);
            print_add(p, ")");
        }
    }
    if (f->stick_given) {
        print_add(p, ", stick = ");
        next_formula(p);
    }
}

static void print_contacts(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *c = &m->contact[i];
        print_add(p, "contact ");
        head(p, c->label);
        print_add(p, ": ");
        next_formula(p);
        print_add(p, c->at_most ? " <= " : " >= ");
        next_formula(p);
        if (!actio_print_is_elastic(m, c)) {
            print_add(p, ", restitution = ");
            next_formula(p);
        }
        print_friction(p, &c->friction);
        print_add(p, "\n");
    }
    for (size_t i = 0; i < m->events; i++) {
        print_add(p, "event ");
        head(p, m->event[i].label);
        print_add(p, ": ");
        next_formula(p);
        print_add(p, " = ");
        next_formula(p);
        print_add(p, m->event[i].way > 0 ? " rising\n" : m->event[i].way < 0 ? " falling\n" : "\n");
    }
}

/* Label of what sets it off; a member of a family by its index. */
static void print_trigger(struct actio_printing *p, const struct actio_reset_line *s)
{
    const struct actio_model *m = p->m;
    if (s->kind != ACTIO_EVERY) {
        actio_text_format(
            &p->out, "when %s:", s->kind == ACTIO_WHEN_EVENT ? m->event[s->index].label : m->contact[s->index].label);
        return;
    }
    print_add(p, "every ");
    next_formula(p);
    if (s->has_from) {
        print_add(p, " from ");
        next_formula(p);
    }
    print_add(p, ":");
}

static const char *assigned_name(const struct actio_model *m, const struct actio_assign_line *a)
{
    return a->kind == ACTIO_SETS_STATE  ? m->state[a->index].name
           : a->kind == ACTIO_SETS_HELD ? m->resets.held[a->index].name
                                        : m->coord[a->index].name;
}

static void print_instants(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->resets.lines; i++) {
        const struct actio_reset_line *s = &m->resets.line[i];
        print_trigger(p, s);
        for (size_t k = 0; k < s->assigns; k++) {
            const struct actio_assign_line *a = &s->assign[k];
            actio_text_format(&p->out, "%s %s%s = ", k ? "," : "", assigned_name(m, a),
                              a->kind == ACTIO_SETS_RATE ? "'" : "");
            next_formula(p);
        }
        if (s->stops) print_add(p, s->assigns ? ", stop" : " stop");
        print_add(p, "\n");
    }
}

static void print_constraints(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->constraints; i++) {
        const struct actio_constraint *c = &m->constraint[i];
        print_add(p, "constraint ");
        head(p, c->label);
        print_along(p, c->axis);
        print_add(p, ": ");
        next_formula(p);
        print_add(p, " = ");
        next_formula(p);
        if (c->rule != ACTIO_IDEAL) print_add(p, c->rule == ACTIO_ACTING ? " acting" : " along");
        terms(p, c->reaction, c->reactions, c->rule == ACTIO_ALONG);
        print_friction(p, &c->friction);
        print_add(p, "\n");
    }
    print_contacts(p);
    print_instants(p);
    for (size_t i = 0; i < m->symmetries; i++) {
        actio_text_format(&p->out, "symmetry %s:%s", m->symmetry[i].label, m->symmetry[i].is_time ? " time" : "");
        terms(p, m->symmetry[i].term, m->symmetry[i].terms, true);
        print_add(p, "\n");
    }
}

static void start(struct actio_printing *p, const char *before, const char *name, const char *after, bool given)
{
    if (!given) {
        p->next++;
        return;
    }
    actio_text_format(&p->out, "start %s%s%s = ", before, name, after);
    next_formula(p);
    print_add(p, "\n");
}

static void print_data(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->coords; i++) {
        start(p, "", m->coord[i].name, "", m->coord[i].start_given);
        start(p, "", m->coord[i].name, "'", m->coord[i].start_dot_given);
    }
    for (size_t i = 0; i < m->states; i++) start(p, "", m->state[i].name, "", m->state[i].start_given);
    for (size_t i = 0; i < m->resets.helds; i++)
        start(p, "", m->resets.held[i].name, "", m->resets.held[i].start_given);
    for (size_t i = 0; i < m->constraints; i++)
        start(p, "lambda.", m->constraint[i].label, "", m->constraint[i].start_lambda_given);
    if (m->time.given) {
        print_add(p, "time ");
        actio_text_number(&p->out, m->time.t0);
        print_add(p, " .. ");
        actio_text_number(&p->out, m->time.t1);
        print_add(p, "\n");
    }
    for (size_t i = 0; i < m->output.observes; i++) {
        const struct actio_observe *o = &m->output.observe[i];
        if (o->claimed) p->next++;
        else {
            print_add(p, "observe ");
            head(p, o->name);
            print_along(p, o->axis);
            unit(p, o->unit);
            print_add(p, " = ");
            next_formula(p);
            print_add(p, "\n");
        }
    }
}

static void print_conditions(struct actio_printing *p)
{
    const struct actio_model *m = p->m;
    for (size_t i = 0; i < m->mixed.frees; i++) {
        const struct actio_free_datum *f = &m->mixed.free_data[i];
        actio_text_format(&p->out, "free %s%s\n", f->is_state ? m->state[f->variable].name : m->coord[f->variable].name,
                          f->dot ? "'" : "");
    }
    for (size_t i = 0; i < m->mixed.requires; i++) {
        actio_text_format(&p->out, "require %s at ", m->mixed.require[i].column);
        next_formula(p);
        print_add(p, " = ");
        next_formula(p);
        print_add(p, "\n");
    }
}

static void number(struct actio_printing *p, const char *before, double x)
{
    print_add(p, before);
    actio_text_number(&p->out, x);
}

/* Claims may use lets that are not there any more: their numbers are written. */
static void print_claims(struct actio_printing *p)
{
    for (size_t i = 0; i < p->m->claims; i++) {
        const struct actio_claim *c = &p->m->claim[i];
        switch (c->kind) {
        case ACTIO_CLAIM_AT:
            actio_text_format(&p->out, "expect %s", c->column);
            number(p, " at ", c->at);
            number(p, " = ", c->value);
            number(p, " within ", c->bound);
            break;
        case ACTIO_CLAIM_DRIFT:
            actio_text_format(&p->out, "expect drift(%s)", c->column);
            number(p, " < ", c->bound);
            break;
        case ACTIO_CLAIM_RESIDUAL: number(p, "expect residual < ", c->bound); break;
        case ACTIO_CLAIM_VERDICT: actio_text_format(&p->out, "expect verdict %s", c->verdict); break;
        }
        if (c->by) actio_text_format(&p->out, " by %s", c->by);
        print_add(p, "\n");
    }
}

/* ---- the whole */

static void print_once(void *user)
{
    struct actio_printing *p = user;
    actio_text_open(&p->out, &p->arena);
    actio_pool_open(&p->pool, &p->arena);
    free_name(p->m, p->prefix, 's');
    free_name(p->m, p->index, 'i');
    actio_print_formulas(p);
    print_description(p);
    print_params(p);
    if (p->m->field.axes) print_fields(p);
    else print_variables(p, "coord", p->m->coord, p->m->coords);
    print_variables(p, "state", p->m->state, p->m->states);
    print_held(p);
    print_lets(p);
    print_frames(p);
    print_sums(p);
    print_constraints(p);
    print_data(p);
    print_conditions(p);
    print_claims(p);
}

/* Terms of a sum stand in the order in which the reader met them, so a text settles when it is read and printed again.
 * */
static struct actio_model *read_again(struct actio_model *m, const struct actio_text *text)
{
    struct actio_findings unheard;
    actio_findings_open(&unheard, m->ctx);
    struct actio_model *again = actio_model_read_text(m->ctx, m->source.file, text->s, text->length, NULL, 0, &unheard);
    actio_findings_close(&unheard);
    return again;
}

static bool same_text(const struct actio_text *a, const struct actio_text *b)
{
    return a->length == b->length && memcmp(a->s, b->s, a->length) == 0;
}

void actio_model_print(struct actio_model *model, struct actio_text *out)
{
    enum { ROUNDS = 4 };
    struct actio_printing p[2] = { { .m = model } };
    struct actio_model *again = NULL;
    int now = 0, escaped = 0;
    for (int round = 0; round < ROUNDS && !escaped; round++) {
        struct actio_printing *next = &p[round ? !now : 0];
        actio_arena_open(&next->arena, model->ctx);
        escaped = actio_attempt(model->ctx, print_once, next);
        bool settled = round && !escaped && same_text(&p[0].out, &p[1].out);
        if (round && !escaped) {
            actio_arena_close(&p[now].arena);
            now = !now;
        }
        actio_model_free(again);
        again = escaped || settled || round + 1 == ROUNDS ? NULL : read_again(model, &p[now].out);
        if (!again) break;
        p[!now] = (struct actio_printing){ .m = again };
    }
    if (!escaped) actio_text_bytes(out, p[now].out.s, p[now].out.length);
    actio_arena_close(&p[0].arena);
    actio_arena_close(&p[1].arena);
    if (escaped) actio_escape(model->ctx);
}
