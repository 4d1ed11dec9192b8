/* SPDX-License-Identifier: Apache-2.0
 * Values in the order in which they need one another, whatever the order of the lines; a cycle is named. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

static struct actio_item *item_of(struct actio_reader *r, const struct actio_definition *d)
{
    return &r->parsed.item[d->item];
}

static void fail_value(struct actio_reader *r, uint32_t word) { r->vocabulary.word[word].value.kind = ACTIO_SY_FAILED; }

/* ---- what a declaration makes */

static void widen(struct actio_extent *x, double k)
{
    if (k < x->low) x->low = k;
    if (k > x->high) x->high = k;
}

/* Gives the name, or the member of a family, its meaning. False when it has one already. */
static bool bind_value(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k,
                       enum actio_symbol_kind kind, uint32_t index)
{
    const struct actio_item *item = item_of(r, d);
    if (word != d->word) {
        if (r->vocabulary.word[word].value.kind != ACTIO_SY_NONE) {
            actio_reader_fault(
                r, ACTIO_F_REDECLARED, d->origin, item->span,
                ACTIO_ARGS(
                    ACTIO_TEXT(actio_word_text(r, word)),
                    ACTIO_COUNT(
                        r->parsed.item[r->definition[r->vocabulary.word[d->word].definition - 1].item].span.line)));
            return false;
        }
        widen(&r->vocabulary.word[d->word].extent, k);
    }
    r->vocabulary.word[word].value = (struct actio_symbol_ref){ kind, index };
    return true;
}

static bool finite_value(struct actio_reader *r, struct actio_formula f, const char *name, double x)
{
    if (isfinite(x)) return true;
    actio_reader_fault_at(r, ACTIO_F_VALUE_NOT_FINITE, f.origin, actio_formula_at(r, f),
                          ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_NUMBER(isnan(x) ? NAN : x)));
    return false;
}

static bool define_param(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    struct actio_model *m = r->model;
    const struct actio_item *item = item_of(r, d);
    uint32_t instead = r->vocabulary.word[word].override ? r->vocabulary.word[word].override : d->override;
    struct actio_formula f = instead ? r->parsed.item[instead - 1].e : item->e;
    struct actio_param p = { .name = actio_word_text(r, word), .unit = item->unit, .span = item->span };
    if (!actio_machine_run(r, f, ACTIO_IN_PARAM, &p.definition)) return false;
    p.value = actio_model_number(m, p.definition);
    if (!finite_value(r, f, p.name, p.value) || !bind_value(r, d, word, k, ACTIO_SY_PARAM, (uint32_t)m->params))
        return false;
    uint32_t count = (uint32_t)m->params;
    ACTIO_PUSH(&m->arena, m->param, count, r->cap.params) = p;
    m->params = count;
    /* symbols are made in order: texts read back with the same order of terms */
    actio_symbol(&m->pool, ACTIO_SPACE_PARAM, count - 1);
    return true;
}

/* For those who show formulas: names of what is made of others. */
static void keep_let(struct actio_reader *r, uint32_t word, actio_expr e)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->named.lets;
    if (!actio_arity((enum actio_op)m->pool.node[e.id].op)) return;
    ACTIO_PUSH(&m->arena, m->named.let, count, r->cap.lets) = (struct actio_let){ actio_word_text(r, word), e };
    m->named.lets = count;
}

static bool define_let(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    actio_expr e;
    uint16_t axis;
    const struct actio_item *item = item_of(r, d);
    if (!actio_machine_run(r, item->e, ACTIO_IN_LET, &e)
        || !actio_axis_named(r, item->axis, d->origin, item->span, &axis))
        return false;
    if (axis && !actio_field_fits(r, e, axis, ACTIO_IN_OBSERVE, item->e)) return false;
    if (!bind_value(r, d, word, k, ACTIO_SY_LET, r->lets)) return false;
    ACTIO_PUSH(&r->scratch, r->let, r->lets, r->lets_cap) = e;
    if (item->unit) {
        uint32_t count = (uint32_t)r->model->named.let_units;
        ACTIO_PUSH(&r->model->arena, r->model->named.let_unit, count, r->cap.let_units) =
            (struct actio_let_unit){ actio_word_text(r, word), item->unit, e, item->span };
        r->model->named.let_units = count;
    }
    keep_let(r, word, e);
    return true;
}

/* Affine in the velocities, and not free of them. */
static bool check_frame(struct actio_reader *r, struct actio_formula f, const char *name, actio_expr e)
{
    uint32_t n;
    actio_expr *v = actio_machine_symbols(r, e, ACTIO_SPACE_V, &n);
    /* of the formula as written: sign(x') has a derivative, too */
    bool affine = actio_degree_in(&r->model->pool, e, v, n) == 1;
    if (n && affine) return true;
    actio_reader_fault_at(r, n ? ACTIO_F_FRAME_NOT_AFFINE : ACTIO_F_FRAME_NO_VELOCITY, f.origin, actio_formula_at(r, f),
                          ACTIO_ARGS(ACTIO_TEXT(name)));
    return false;
}

/* In formulas a quasi-velocity stands for its own, like a let. */
static bool define_frame(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    struct actio_model *m = r->model;
    const struct actio_item *item = item_of(r, d);
    uint32_t count = (uint32_t)m->named.frames;
    struct actio_quasi_velocity u = { .name = actio_word_text(r, word), .unit = item->unit, .span = item->span };
    if (!actio_machine_run(r, item->e, ACTIO_IN_FRAME, &u.e) || !check_frame(r, item->e, u.name, u.e)) return false;
    if (!actio_axis_named(r, item->axis, d->origin, item->span, &u.axis)
        || !actio_field_fits(r, u.e, u.axis, ACTIO_IN_FRAME, item->e))
        return false;
    if (!bind_value(r, d, word, k, ACTIO_SY_FRAME, r->lets)) return false;
    ACTIO_PUSH(&r->scratch, r->let, r->lets, r->lets_cap) = u.e;
    ACTIO_PUSH(&m->arena, m->named.frame, count, r->cap.frames) = u;
    m->named.frames = count;
    return true;
}

static bool define_observe(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    struct actio_model *m = r->model;
    const struct actio_item *item = item_of(r, d);
    uint32_t count = (uint32_t)m->output.observes;
    struct actio_observe o = { .name = actio_word_text(r, word), .unit = item->unit, .span = item->span };
    if (!actio_machine_run(r, item->e, ACTIO_IN_OBSERVE, &o.e)
        || !actio_axis_named(r, item->axis, d->origin, item->span, &o.axis))
        return false;
    if (!actio_field_fits(r, o.e, o.axis, ACTIO_IN_OBSERVE, item->e)
        || !bind_value(r, d, word, k, ACTIO_SY_OBSERVE, count))
        return false;
    ACTIO_PUSH(&m->arena, m->output.observe, count, r->cap.observes) = o;
    m->output.observes = count;
    return true;
}

static const char *rate_name(struct actio_reader *r, uint32_t head, uint32_t word, double k)
{
    if (word == head) return actio_arena_format(&r->model->arena, "%s_dot", actio_word_text(r, word));
    return actio_arena_format(&r->model->arena, "%s_dot[%.0f]", actio_word_text(r, head), k);
}

static bool define_variable(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    struct actio_model *m = r->model;
    bool is_state = d->keyword == ACTIO_W_state;
    const struct actio_item *item = item_of(r, d);
    uint32_t count = (uint32_t)(is_state ? m->states : m->coords);
    struct actio_variable v = { .name = actio_word_text(r, word),
                                .dot_name = rate_name(r, d->word, word, k),
                                .unit = item->unit,
                                .span = item->span };
    if (!bind_value(r, d, word, k, is_state ? ACTIO_SY_STATE : ACTIO_SY_COORD, count)) return false;
    v.x = actio_symbol(&m->pool, is_state ? ACTIO_SPACE_STATE : ACTIO_SPACE_Q, count);
    v.dot = actio_symbol(&m->pool, is_state ? ACTIO_SPACE_SDOT : ACTIO_SPACE_V, count);
    if (!is_state) v.ddot = actio_symbol(&m->pool, ACTIO_SPACE_ACC, count);
    if (is_state) {
        ACTIO_PUSH(&m->arena, m->state, count, r->cap.states) = v;
        m->states = count;
    } else {
        ACTIO_PUSH(&m->arena, m->coord, count, r->cap.coords) = v;
        m->coords = count;
    }
    return true;
}

static bool define_held(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k)
{
    return bind_value(r, d, word, k, ACTIO_SY_HELD, (uint32_t)r->model->resets.helds)
           && actio_define_held(r, item_of(r, d), word);
}

typedef bool define_fn(struct actio_reader *r, const struct actio_definition *d, uint32_t word, double k);

static define_fn *const define_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_param] = define_param,       [ACTIO_W_let] = define_let,        [ACTIO_W_frame] = define_frame,
    [ACTIO_W_observe] = define_observe,   [ACTIO_W_coord] = define_variable, [ACTIO_W_state] = define_variable,
    [ACTIO_W_field] = actio_define_field, [ACTIO_W_held] = define_held,
};

static void define(struct actio_reader *r, uint32_t index)
{
    const struct actio_definition d = r->definition[index];
    const struct actio_range range = item_of(r, &d)->range;
    bool family = range.kind == ACTIO_R_FAMILY;
    double low, high;
    const size_t *made = d.keyword == ACTIO_W_frame ? &r->model->named.frames : &r->model->output.observes;
    r->definition[index].first = (uint32_t)*made;
    bool ok = r->vocabulary.word[d.word].value.kind != ACTIO_SY_FAILED && actio_machine_range(r, &range, &low, &high);
    for (double k = ok ? low : 1; ok && k <= high; k++) {
        r->vocabulary.word[range.index].bound = k;
        ok = define_of[d.keyword](r, &d, family ? actio_word_member(r, d.word, k) : d.word, k);
        if (((int64_t)k & 1023) == 0) actio_poll(r->ctx);
    }
    r->definition[index].made = (uint32_t)*made - r->definition[index].first;
    if (!ok) fail_value(r, d.word);
}

/* ---- order */

/* The formulas that a definition is made of: its bounds, itself, and options for single members. */
static bool part_of(struct actio_reader *r, const struct actio_definition *d, uint32_t part, struct actio_formula *f)
{
    const struct actio_item *item = item_of(r, d);
    uint32_t member = d->member_override;
    *f = (struct actio_formula){ 0 };
    if (part == 0) *f = item->range.from;
    else if (part == 1) *f = item->range.to;
    else if (part == 2) *f = d->override ? r->parsed.item[d->override - 1].e : item->e;
    for (uint32_t i = 3; i < part && member; i++) member = r->parsed.item[member - 1].next;
    if (part >= 3 && member) *f = r->parsed.item[member - 1].e;
    return part < 3 || member;
}

/* The next name used that is declared and not settled; 0 when there is none. */
static uint32_t next_use(struct actio_reader *r, struct actio_visit *v)
{
    struct actio_formula f;
    for (; part_of(r, &r->definition[v->definition], v->part, &f); v->part++, v->step = 0)
        for (; v->step < f.count; v->step++) {
            const struct actio_step *s = &r->parsed.step[f.first + v->step];
            if (s->kind != ACTIO_ST_NAME && s->kind != ACTIO_ST_INDEX) continue;
            const struct actio_word *w = &r->vocabulary.word[s->u.use.word];
            if (w->definition && !w->settled) return s->u.use.word;
        }
    return ACTIO_W_NONE;
}

static void report_cycle(struct actio_reader *r, uint32_t definition)
{
    enum { MOST = 8 };
    const struct actio_visit *top = &r->visit[r->visits - 1];
    uint32_t from = r->visits - 1, shown = 0;
    struct actio_formula f;
    struct actio_text path;
    while (from > 0 && r->visit[from].definition != definition) from--;
    actio_text_open(&path, &r->scratch);
    for (uint32_t i = from; i < r->visits; i++) {
        r->vocabulary.word[r->definition[r->visit[i].definition].word].value.kind = ACTIO_SY_FAILED;
        if (shown++ < MOST)
            actio_text_format(&path, "%s -> ", actio_word_text(r, r->definition[r->visit[i].definition].word));
        else if (shown == MOST + 1) actio_text_add(&path, "... -> ");
    }
    actio_text_add(&path, actio_word_text(r, r->definition[definition].word));
    part_of(r, &r->definition[top->definition], top->part, &f);
    actio_reader_fault_at(
        r, ACTIO_F_CYCLE, f.origin, r->parsed.step[f.first + top->step].at,
        ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, r->definition[definition].word)), ACTIO_TEXT(path.s)));
}

static void enter(struct actio_reader *r, uint32_t definition)
{
    r->definition[definition].mark = ACTIO_MARK_OPEN;
    ACTIO_PUSH(&r->scratch, r->visit, r->visits, r->visits_cap) = (struct actio_visit){ .definition = definition };
}

/* All definitions of a name (a family may have several) come before whoever uses it. */
static void need(struct actio_reader *r, uint32_t word)
{
    bool failed = r->vocabulary.word[word].value.kind == ACTIO_SY_FAILED;
    for (uint32_t d; (d = r->vocabulary.word[word].pending) != 0;
         r->vocabulary.word[word].pending = r->definition[d - 1].next) {
        if (r->definition[d - 1].mark == ACTIO_MARK_DONE) continue;
        if (r->definition[d - 1].mark == ACTIO_MARK_NEW) {
            enter(r, d - 1);
            return;
        }
        if (!failed) report_cycle(r, d - 1);
        r->visit[r->visits - 1].step++;
        return;
    }
    r->vocabulary.word[word].settled = true;
}

static void define_settle(struct actio_reader *r, uint32_t definition)
{
    if (r->definition[definition].mark != ACTIO_MARK_NEW) return;
    for (enter(r, definition); r->visits;) {
        actio_poll(r->ctx);
        struct actio_visit *top = &r->visit[r->visits - 1];
        uint32_t word = next_use(r, top);
        if (word) {
            need(r, word);
            continue;
        }
        define(r, top->definition);
        r->definition[top->definition].mark = ACTIO_MARK_DONE;
        r->visits--;
    }
}

static void settle_all(struct actio_reader *r, uint32_t keyword)
{
    for (uint32_t d = 0; d < r->definitions; d++)
        if (r->definition[d].keyword == keyword) define_settle(r, d);
}

/* ---- constraints, contacts and events get their places before any formula can use their labels */

static struct actio_symbol_ref new_constraint(struct actio_reader *r, const struct actio_statement *s,
                                              const char *label)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->constraints;
    uint16_t axis;
    if (!actio_axis_named(r, s->axis, s->origin, s->span, &axis)) axis = 0;
    ACTIO_PUSH(&m->arena, m->constraint, count, r->cap.constraints) =
        (struct actio_constraint){ .label = label, .span = s->span, .axis = axis };
    m->constraints = count;
    return (struct actio_symbol_ref){ ACTIO_SY_CONSTRAINT, count - 1 };
}

static struct actio_symbol_ref new_contact(struct actio_reader *r, const struct actio_statement *s, const char *label)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->contacts;
    ACTIO_PUSH(&m->arena, m->contact, count, r->cap.contacts) =
        (struct actio_contact){ .label = label, .span = s->span, .at_most = s->at_most };
    m->contacts = count;
    return (struct actio_symbol_ref){ ACTIO_SY_CONTACT, count - 1 };
}

static struct actio_symbol_ref new_event(struct actio_reader *r, const struct actio_statement *s, const char *label)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->events;
    ACTIO_PUSH(&m->arena, m->event, count, r->cap.events) =
        (struct actio_event_line){ .label = label,
                                   .span = s->span,
                                   .way = (signed char)((s->rule == ACTIO_W_rising) - (s->rule == ACTIO_W_falling)) };
    m->events = count;
    return (struct actio_symbol_ref){ ACTIO_SY_EVENT, count - 1 };
}

typedef struct actio_symbol_ref place_fn(struct actio_reader *r, const struct actio_statement *s, const char *label);

static place_fn *const place_of[ACTIO_W_FIRST_FUNCTION] = {
    [ACTIO_W_constraint] = new_constraint, [ACTIO_W_contact] = new_contact, [ACTIO_W_event] = new_event
};

static bool make_label(struct actio_reader *r, const struct actio_statement *s, uint32_t word, double k)
{
    if (word != s->label) {
        if (r->vocabulary.word[word].tag.kind != ACTIO_SY_NONE) {
            actio_reader_fault(
                r, ACTIO_F_LABEL_TWICE, s->origin, s->span,
                ACTIO_ARGS(
                    ACTIO_TEXT(actio_word_text(r, word)),
                    ACTIO_COUNT(r->parsed.statement[r->vocabulary.word[s->label].label_definition - 1].span.line)));
            return false;
        }
        widen(&r->vocabulary.word[s->label].tag_extent, k);
    }
    r->vocabulary.word[word].tag = place_of[s->keyword](r, s, actio_word_text(r, word));
    return true;
}

static void make_labels(struct actio_reader *r, struct actio_statement *s)
{
    const struct actio_model *m = r->model;
    double low, high;
    bool family = s->family.kind == ACTIO_R_FAMILY;
    if (s->failed || !place_of[s->keyword]) return;
    s->index = (uint32_t)(s->keyword == ACTIO_W_constraint ? m->constraints
                          : s->keyword == ACTIO_W_contact  ? m->contacts
                                                           : m->events);
    bool ok = actio_machine_range(r, &s->family, &low, &high);
    for (double k = ok ? low : 1; ok && k <= high; k++)
        ok = make_label(r, s, family ? actio_word_member(r, s->label, k) : s->label, k);
    s->failed = !ok;
    if (!ok) r->vocabulary.word[s->label].tag.kind = ACTIO_SY_FAILED;
}

/* Columns have the order of the text, also where one observe or frame needs a later one. */
static void *in_text_order(struct actio_reader *r, uint32_t keyword, const void *list, size_t count, size_t size)
{
    char *sorted = actio_arena_array(&r->model->arena, count, size), *to = sorted;
    for (uint32_t k = 0; k < r->definitions; k++) {
        const struct actio_definition *d = &r->definition[k];
        if (d->keyword != keyword || d->made == 0) continue;
        memcpy(to, (const char *)list + d->first * size, d->made * size);
        to += d->made * size;
    }
    return sorted;
}

static void check_member_options(struct actio_reader *r)
{
    for (uint32_t d = 0; d < r->definitions; d++)
        for (uint32_t i = r->definition[d].member_override; i; i = r->parsed.item[i - 1].next) {
            const struct actio_item *item = &r->parsed.item[i - 1];
            struct actio_use use = { item->word,     true,     r->parsed.step[item->range.from.first].u.number,
                                     item->e.origin, item->at, ACTIO_IN_PARAM,
                                     false };
            struct actio_symbol_ref ref;
            actio_resolve(r, &use, &ref);
        }
}

void actio_define_all(struct actio_reader *r)
{
    settle_all(r, ACTIO_W_param);
    check_member_options(r);
    for (uint32_t d = 0; d < r->definitions; d++)
        if (actio_is_axis(r, &r->definition[d])) define_settle(r, d);
    /* variables in the order of the text: it is the order of the columns */
    for (uint32_t d = 0; d < r->definitions; d++)
        if (r->definition[d].keyword == ACTIO_W_coord || r->definition[d].keyword == ACTIO_W_state
            || r->definition[d].keyword == ACTIO_W_field || r->definition[d].keyword == ACTIO_W_held)
            define_settle(r, d);
    for (uint32_t s = 0; s < r->parsed.statements; s++) make_labels(r, &r->parsed.statement[s]);
    settle_all(r, ACTIO_W_let);
    settle_all(r, ACTIO_W_frame);
    settle_all(r, ACTIO_W_observe);
    struct actio_model *m = r->model;
    m->named.frame = in_text_order(r, ACTIO_W_frame, m->named.frame, m->named.frames, sizeof *m->named.frame);
    m->output.observe =
        in_text_order(r, ACTIO_W_observe, m->output.observe, m->output.observes, sizeof *m->output.observe);
}
