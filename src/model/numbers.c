/* SPDX-License-Identifier: Apache-2.0
 * Numbers set in a model that has been read: params, initial values, the time interval. Whatever is made of them
 * follows, and everything that the reader required of numbers is required again. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is made of params */

static bool renumber_params(struct actio_model *m)
{
    bool finite = true;
    for (size_t i = 0; i < m->params; i++) { /* a param comes after those that it is made of */
        m->param[i].value = actio_model_number(m, m->param[i].definition);
        finite &= isfinite(m->param[i].value) != 0;
    }
    return finite;
}

static bool renumber_time(struct actio_model *m)
{
    if (!m->time.given) return true;
    m->time.t0 = actio_model_number(m, m->time.t0_written);
    m->time.t1 = actio_model_number(m, m->time.t1_written);
    return isfinite(m->time.t0) && isfinite(m->time.t1) && m->time.t0 != m->time.t1;
}

static bool renumber_axes(struct actio_model *m)
{
    bool good = true;
    for (size_t i = 0; i < m->field.axes; i++) {
        struct actio_axis *x = &m->field.axis[i];
        x->a = actio_model_number(m, x->from);
        x->b = actio_model_number(m, x->to);
        good &= x->a < x->b && isfinite(x->b - x->a);
    }
    return good;
}

static bool renumber_claims(struct actio_model *m)
{
    bool good = true;
    for (size_t i = 0; i < m->claims; i++) {
        struct actio_claim *c = &m->claim[i];
        if (c->kind == ACTIO_CLAIM_VERDICT || c->absent) continue;
        c->bound = actio_model_number(m, c->bound_written);
        c->at = actio_model_number(m, c->at_written);
        c->value = actio_model_number(m, c->value_written);
        good &= isfinite(c->bound) && c->bound > 0 && isfinite(c->at) && isfinite(c->value);
    }
    return good;
}

static bool renumber_conditions(struct actio_model *m)
{
    bool good = true;
    for (size_t i = 0; i < m->mixed.requires; i++) {
        struct actio_require *c = &m->mixed.require[i];
        double at = actio_model_number(m, c->at);
        good &= isfinite(actio_model_number(m, c->value)) && isfinite(at) && actio_require_time(m, at, &c->time);
        for (size_t k = 0; k < i; k++)
            good &= m->mixed.require[k].time != c->time || strcmp(m->mixed.require[k].column, c->column) != 0;
    }
    return good;
}

/* ---- what is required of numbers */

static bool starts_finite(struct actio_model *m)
{
    bool good = true;
    for (size_t i = 0; i < m->coords; i++) {
        const struct actio_variable *v = &m->coord[i];
        if (v->axis) continue; /* one for each node, looked at when there are nodes */
        good &= isfinite(actio_model_number(m, v->start)) && isfinite(actio_model_number(m, v->start_dot));
    }
    for (size_t i = 0; i < m->states; i++) good &= isfinite(actio_model_number(m, m->state[i].start)) != 0;
    for (size_t i = 0; i < m->resets.helds; i++) good &= isfinite(actio_model_number(m, m->resets.held[i].start)) != 0;
    for (size_t i = 0; i < m->constraints; i++)
        if (m->constraint[i].start_lambda_given && !m->constraint[i].axis)
            good &= isfinite(actio_model_number(m, m->constraint[i].start_lambda)) != 0;
    return good;
}

static bool orbit_fits(struct actio_model *m)
{
    struct actio_orbit_data *o = &m->orbit;
    double period = o->has_period ? actio_model_number(m, o->period) : 1;
    bool good = isfinite(period) && period > 0;
    if (o->has_way) good &= isfinite(actio_model_number(m, o->way_from)) && isfinite(actio_model_number(m, o->way_to));
    return good;
}

static bool rule_holds(struct actio_model *m, const struct actio_number_rule *rule)
{
    double x = actio_model_number(m, rule->e);
    const struct actio_axis *axis = rule->axis ? &m->field.axis[rule->axis - 1] : NULL;
    double slack = axis ? rule->slack * (fabs(axis->a) + fabs(axis->b)) : 0;
    switch (rule->kind) {
    case ACTIO_RULE_FINITE: return isfinite(x);
    case ACTIO_RULE_NOT_NEGATIVE: return x >= 0 && isfinite(x);
    case ACTIO_RULE_POSITIVE: return x > 0 && isfinite(x);
    case ACTIO_RULE_SHARE: return x >= 0 && x <= 1;
    case ACTIO_RULE_NOT_BELOW: return x >= actio_model_number(m, rule->other);
    case ACTIO_RULE_INSIDE: return x >= axis->a - slack && x <= axis->b + slack;
    }
    return true;
}

static bool renumber(struct actio_model *m)
{
    bool good = renumber_params(m);
    good &= renumber_time(m);
    good &= renumber_axes(m);
    good &= renumber_claims(m);
    good &= renumber_conditions(m);
    good &= starts_finite(m) && orbit_fits(m);
    for (size_t i = 0; i < m->numbers.rules; i++) good &= rule_holds(m, &m->numbers.rule[i]);
    m->numbers.printed = NULL;
    return good;
}

/* ---- what is said of a number that does not fit: what the reader says of it */

struct saying {
    struct actio_model *m;
    struct actio_arena arena;
    struct actio_override *list;
    size_t count;
};

static void add_change(struct saying *s, enum actio_override_kind kind, const char *name, double x, double y)
{
    struct actio_text text;
    actio_text_open(&text, &s->arena);
    if (kind == ACTIO_SET_PARAM) actio_text_format(&text, "%s=", name);
    actio_text_number(&text, x);
    if (kind == ACTIO_SET_TIME) actio_text_add(&text, "..");
    if (kind == ACTIO_SET_TIME) actio_text_number(&text, y);
    s->list[s->count++] = (struct actio_override){ kind, text.s };
}

static void list_changes(void *user)
{
    struct saying *s = user;
    struct actio_model *m = s->m;
    s->list = actio_arena_array(&s->arena, m->numbers.overrides + m->params + 2, sizeof *s->list);
    if (m->numbers.overrides) memcpy(s->list, m->numbers.override, m->numbers.overrides * sizeof *s->list);
    s->count = m->numbers.overrides;
    for (size_t i = 0; i < m->params; i++)
        if (m->param[i].changed)
            add_change(s, ACTIO_SET_PARAM, m->param[i].name, actio_model_number(m, m->param[i].definition), 0);
    if (m->numbers.time_changed)
        add_change(s, ACTIO_SET_TIME, NULL, actio_model_number(m, m->time.t0_written),
                   actio_model_number(m, m->time.t1_written));
}

/* The text is read with the number: its finding has the place. */
static void say_why(struct actio_model *m, const char *name, double value, struct actio_findings *f)
{
    struct saying s = { .m = m };
    size_t errors = f->errors;
    actio_arena_open(&s.arena, m->ctx);
    if (actio_attempt(m->ctx, list_changes, &s) == 0)
        actio_model_free(
            actio_model_read_text(m->ctx, m->source.file, m->source.text, m->source.length, s.list, s.count, f));
    actio_arena_close(&s.arena);
    if (f->errors == errors)
        actio_report(f, ACTIO_F_VALUE_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_NUMBER(value)));
}

/* ---- params */

static bool uses_param(struct actio_model *m, actio_expr e, const bool *which)
{
    struct actio_cone cone = actio_cone_of(&m->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &m->pool.node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL || m->pool.slot[n->a].space != ACTIO_SPACE_PARAM) continue;
        if (which[m->pool.slot[n->a].index]) return true;
    }
    return false;
}

struct fixing {
    struct actio_model *m;
    size_t param;
    bool fixed;
};

static void find_fixed(void *user)
{
    struct fixing *x = user;
    struct actio_model *m = x->m;
    struct actio_arena arena;
    x->fixed = m->param[x->param].sizes;
    bool any = x->fixed;
    for (size_t i = x->param; i < m->params; i++) any |= m->param[i].sizes;
    if (x->fixed || !any) return;
    actio_arena_open(&arena, m->ctx);
    bool *made_of = actio_arena_array(&arena, m->params + 1, sizeof *made_of);
    made_of[x->param] = true;
    for (size_t i = x->param + 1; i < m->params && !x->fixed; i++) {
        made_of[i] = uses_param(m, m->param[i].definition, made_of);
        x->fixed = made_of[i] && m->param[i].sizes;
    }
    actio_arena_close(&arena);
}

bool actio_model_param_fixed(struct actio_model *m, size_t param)
{
    struct fixing x = { .m = m, .param = param };
    return actio_attempt(m->ctx, find_fixed, &x) != 0 || x.fixed;
}

/* Is the param this one, or a member of the family of this name? */
static bool is_named(const char *param, const char *name)
{
    size_t length = strlen(name);
    return strncmp(param, name, length) == 0 && (param[length] == 0 || param[length] == '[');
}

struct putting {
    struct actio_model *m;
    const char *name;
    double value;
    actio_expr e;
};

static void make_number(void *user)
{
    struct putting *p = user;
    p->e = actio_const(&p->m->pool, p->value);
}

static const char *near_hint(const char *near, char *hint, size_t size, const char *otherwise)
{
    if (near) snprintf(hint, size, "did you mean '%.100s'?", near);
    return near ? hint : otherwise;
}

static int no_param(const struct actio_model *m, const char *name, struct actio_findings *f)
{
    enum { MOST = 256 };
    const char *names[MOST];
    char hint[128];
    size_t count = m->params < MOST ? m->params : MOST;
    for (size_t i = 0; i < count; i++) names[i] = m->param[i].name;
    actio_report(f, ACTIO_F_NOT_A_PARAM,
                 ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(near_hint(actio_near_name(name, names, count), hint,
                                                                   sizeof hint, "use a param of the model"))));
    return 1;
}

static int not_finite(const char *name, double value, struct actio_findings *f)
{
    actio_report(f, ACTIO_F_VALUE_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_NUMBER(isnan(value) ? NAN : value)));
    return 1;
}

static int is_fixed(struct actio_model *m, size_t i, double value, struct actio_findings *f)
{
    if (!actio_model_param_fixed(m, i)) return 0;
    actio_report(f, ACTIO_F_PARAM_FIXED, ACTIO_ARGS(ACTIO_TEXT(m->param[i].name), ACTIO_NUMBER(value)));
    return 1;
}

/* Everything numbered anew, in an attempt of its own. */
struct renumbering {
    struct actio_model *m;
    bool good;
};

static void try_renumber(void *user)
{
    struct renumbering *r = user;
    r->good = renumber(r->m);
}

static bool renumbered(struct actio_model *m)
{
    struct renumbering r = { .m = m };
    return actio_attempt(m->ctx, try_renumber, &r) == 0 && r.good;
}

/* All members with the new definition; the old ones are put back where it does not fit. */
struct kept_param {
    actio_expr definition;
    bool changed;
};

static int put_members(struct putting *p, size_t first, struct kept_param *kept, struct actio_findings *f)
{
    struct actio_model *m = p->m;
    for (size_t i = first; i < m->params; i++) {
        kept[i] = (struct kept_param){ m->param[i].definition, m->param[i].changed };
        if (!is_named(m->param[i].name, p->name)) continue;
        m->param[i].definition = p->e;
        m->param[i].changed = true;
    }
    if (renumbered(m)) return 0;
    if (!m->ctx->refused && !actio_stopped(m->ctx)) say_why(m, p->name, p->value, f);
    for (size_t i = first; i < m->params; i++) {
        m->param[i].definition = kept[i].definition;
        m->param[i].changed = kept[i].changed;
    }
    renumbered(m);
    return 1;
}

int actio_model_put_param(struct actio_model *m, const char *name, double value, struct actio_findings *f)
{
    struct putting p = { .m = m, .name = name, .value = value };
    size_t first = 0;
    while (first < m->params && !is_named(m->param[first].name, name)) first++;
    if (first == m->params) return no_param(m, name, f);
    if (!isfinite(value)) return not_finite(name, value, f);
    for (size_t i = first; i < m->params; i++)
        if (is_named(m->param[i].name, name) && is_fixed(m, i, value, f)) return 1;
    if (actio_attempt(m->ctx, make_number, &p)) return 1;
    struct kept_param *kept = actio_alloc(m->ctx, m->params + 1, sizeof *kept);
    int bad = !kept || put_members(&p, first, kept, f);
    actio_free(m->ctx, kept);
    return bad;
}

/* ---- initial values */

/* Where a start value is kept. */
struct start_place {
    actio_expr *e;
    bool *given;
    struct actio_span *span;
};

static bool is_rate_of(const char *name, const char *of)
{
    size_t length = strlen(of);
    return strncmp(name, of, length) == 0 && strcmp(name + length, "'") == 0;
}

static bool find_start(struct actio_model *m, const char *name, struct start_place *at)
{
    for (size_t i = 0; i < m->coords; i++) {
        struct actio_variable *v = &m->coord[i];
        *at = (struct start_place){ &v->start, &v->start_given, &v->start_span };
        if (strcmp(name, v->name) == 0) return true;
        *at = (struct start_place){ &v->start_dot, &v->start_dot_given, &v->start_dot_span };
        if (strcmp(name, v->dot_name) == 0 || is_rate_of(name, v->name)) return true;
    }
    for (size_t i = 0; i < m->states; i++) {
        struct actio_variable *v = &m->state[i];
        *at = (struct start_place){ &v->start, &v->start_given, &v->start_span };
        if (strcmp(name, v->name) == 0) return true;
    }
    for (size_t i = 0; i < m->resets.helds; i++) {
        struct actio_held_line *u = &m->resets.held[i];
        *at = (struct start_place){ &u->start, &u->start_given, NULL };
        if (strcmp(name, u->name) == 0) return true;
    }
    for (size_t i = 0; i < m->constraints; i++) {
        struct actio_constraint *c = &m->constraint[i];
        *at = (struct start_place){ &c->start_lambda, &c->start_lambda_given, NULL };
        if (strncmp(name, "lambda.", 7) == 0 && strcmp(name + 7, c->label) == 0) return true;
    }
    return false;
}

static int no_start(const struct actio_model *m, const char *name, struct actio_findings *f)
{
    enum { MOST = 256 };
    const char *names[MOST];
    char hint[128];
    size_t count = 0;
    for (size_t i = 0; i < m->coords && count + 1 < MOST; i++) {
        names[count++] = m->coord[i].name;
        names[count++] = m->coord[i].dot_name;
    }
    for (size_t i = 0; i < m->states && count < MOST; i++) names[count++] = m->state[i].name;
    actio_report(
        f, ACTIO_F_NOT_A_START,
        ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(near_hint(actio_near_name(name, names, count), hint, sizeof hint,
                                                          "use a coordinate, x' or x_dot for its rate, or a state"))));
    return 1;
}

int actio_model_put_start(struct actio_model *m, const char *name, double value, struct actio_findings *f)
{
    struct putting p = { .m = m, .name = name, .value = value };
    struct start_place at;
    if (!find_start(m, name, &at)) return no_start(m, name, f);
    if (!isfinite(value)) return not_finite(name, value, f);
    if (actio_attempt(m->ctx, make_number, &p)) return 1;
    *at.e = p.e;
    *at.given = true;
    if (at.span) *at.span = (struct actio_span){ 0 };
    m->numbers.printed = NULL;
    return 0;
}

/* ---- time */

int actio_model_put_time(struct actio_model *m, double t0, double t1, struct actio_findings *f)
{
    struct putting from = { .m = m, .value = t0 }, to = { .m = m, .value = t1 };
    struct actio_time_span kept = m->time;
    bool changed = m->numbers.time_changed;
    if (!isfinite(t0) || !isfinite(t1) || t0 == t1) {
        actio_report(f, ACTIO_F_TIME_EMPTY, ACTIO_ARGS(ACTIO_NUMBER(t0), ACTIO_NUMBER(t1)));
        return 1;
    }
    if (actio_attempt(m->ctx, make_number, &from) || actio_attempt(m->ctx, make_number, &to)) return 1;
    m->time = (struct actio_time_span){ true, t0, t1, from.e, to.e };
    m->numbers.time_changed = true;
    if (renumbered(m)) return 0;
    if (!m->ctx->refused && !actio_stopped(m->ctx)) say_why(m, "the time interval", t1, f);
    m->time = kept;
    m->numbers.time_changed = changed;
    renumbered(m);
    return 1;
}

/* ---- text */

static void print_text(void *user)
{
    struct actio_model *m = user;
    struct actio_text out;
    actio_text_open(&out, &m->arena);
    actio_model_print(m, &out);
    m->numbers.printed = out.s;
}

const char *actio_model_printed(struct actio_model *m)
{
    if (!m->numbers.printed && actio_attempt(m->ctx, print_text, m)) m->numbers.printed = NULL;
    return m->numbers.printed;
}
