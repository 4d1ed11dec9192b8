/* SPDX-License-Identifier: Apache-2.0
 * Lagrangian, forces, constraints, symmetries, initial data and time: formulas into the model, with the checks that
 * need no numbers. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool statements_fault(struct actio_reader *r, enum actio_code code, uint16_t origin, struct actio_span span,
                             const struct actio_value arg[6])
{
    actio_reader_fault(r, code, origin, span, arg);
    return false;
}

/* ---- items: NAME, NAME[3] or NAME[i = 1 .. n] = EXPR */

/* x(c) of a field is for one place; x(s), with its own axis, is all of it, as x is. */
static bool is_placed(const struct actio_reader *r, const struct actio_target *t)
{
    struct actio_formula f = t->item->second;
    if (f.count == 0 || t->item->is_option) return false;
    const struct actio_step *s = &r->parsed.step[f.first];
    bool coord = t->ref.kind == ACTIO_SY_COORD || t->ref.kind == ACTIO_SY_COORD_DOT;
    if (!coord || f.count != 1 || s->kind != ACTIO_ST_NAME) return true;
    struct actio_symbol_ref axis = r->vocabulary.word[s->u.use.word].value;
    return axis.kind != ACTIO_SY_AXIS || axis.index + 1 != r->model->coord[t->ref.index].axis;
}

/* A field's formula has a value at every point of its axis, unless it is for one place. */
static bool target_fits(struct actio_reader *r, struct actio_target *t, enum actio_setting in)
{
    bool coord = t->ref.kind == ACTIO_SY_COORD || t->ref.kind == ACTIO_SY_COORD_DOT;
    uint16_t axis = coord                            ? r->model->coord[t->ref.index].axis
                    : t->ref.kind == ACTIO_SY_LAMBDA ? r->model->constraint[t->ref.index].axis
                                                     : 0;
    if (!is_placed(r, t)) return !t->item->e.count || actio_field_fits(r, t->e, axis, in, t->item->e);
    if (!axis)
        return statements_fault(r, ACTIO_F_PLACE_OF_POINT, t->origin, t->item->span,
                                ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word))));
    double c;
    const struct actio_axis *x = &r->model->field.axis[axis - 1];
    if (!actio_machine_number(r, t->item->second, ACTIO_IN_BOUND, &c)
        || !actio_machine_run(r, t->item->second, ACTIO_IN_BOUND, &t->place))
        return false;
    if (!(c >= x->a && c <= x->b))
        return statements_fault(
            r, ACTIO_F_PLACE_OUTSIDE, t->origin, t->item->span,
            ACTIO_ARGS(ACTIO_NUMBER(c), ACTIO_TEXT(x->name), ACTIO_NUMBER(x->a), ACTIO_NUMBER(x->b)));
    actio_machine_keep_rule(r, (struct actio_number_rule){ .kind = ACTIO_RULE_INSIDE, .axis = axis, .e = t->place });
    return actio_field_fits(r, t->e, 0, in, t->item->e);
}

static bool one_target(struct actio_reader *r, struct actio_target *t, const struct actio_use *use,
                       enum actio_setting in, actio_target_fn *one, void *user)
{
    t->e = (actio_expr){ 0 };
    bool known = actio_resolve(r, use, &t->ref);
    /* also behind an unknown name: for its own faults */
    bool made = !t->item->e.count || actio_machine_run(r, t->item->e, in, &t->e);
    return known && made && target_fits(r, t, in) && one(r, t, user);
}

/* A family's bare name stands for all of its members where no value is given (acting a). */
static bool all_members(struct actio_reader *r, struct actio_target *t, struct actio_use *use, actio_target_fn *one,
                        void *user)
{
    struct actio_extent of = r->vocabulary.word[use->word].extent;
    use->indexed = true;
    for (use->index = of.low; use->index <= of.high; use->index++)
        if (!one_target(r, t, use, use->in, one, user)) return false;
    return true;
}

bool actio_each_target(struct actio_reader *r, const struct actio_item *item, enum actio_setting in, uint16_t origin,
                       actio_target_fn *one, void *user)
{
    struct actio_target t = { .item = item, .origin = origin };
    struct actio_use use = { item->word, item->range.kind != ACTIO_R_NONE, 0, origin, item->at, ACTIO_IN_START, true };
    double low, high;
    actio_expr index;
    if (item->range.kind == ACTIO_R_NONE && !item->e.count && r->vocabulary.word[item->word].is_family)
        return all_members(r, &t, &use, one, user);
    if (item->range.kind == ACTIO_R_MEMBER) {
        if (!actio_machine_run(r, item->range.from, ACTIO_IN_INDEX, &index)
            || !actio_machine_whole(r, index, origin, item->at, &use.index))
            return false;
        return one_target(r, &t, &use, in, one, user);
    }
    if (!actio_machine_range(r, &item->range, &low, &high)) return false;
    for (use.index = low; use.index <= high; use.index++) {
        r->vocabulary.word[item->range.index].bound = use.index;
        if (!one_target(r, &t, &use, in, one, user)) return false;
    }
    return true;
}

/* list: number of a list that names each variable once, else 0 */
struct terms {
    struct actio_term *term;
    uint32_t count, cap, list;
};

static uint32_t new_list(struct actio_reader *r)
{
    if (!r->in_list)
        r->in_list = actio_arena_array(&r->scratch, r->model->coords + r->model->states, sizeof *r->in_list);
    return ++r->lists;
}

static bool add_term(struct actio_reader *r, const struct actio_target *t, struct terms *to)
{
    struct actio_term term = { .variable = t->ref.index,
                               .is_state = t->ref.kind == ACTIO_SY_STATE,
                               .e = t->e,
                               .span = t->item->span,
                               .placed = is_placed(r, t),
                               .place = t->place };
    uint32_t *seen =
        to->list ? &r->in_list[term.variable + (term.is_state ? r->model->coords : 0)] : &(uint32_t){ UINT32_MAX };
    if (*seen == to->list)
        return statements_fault(r, ACTIO_F_TERM_TWICE, t->origin, term.span,
                                ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word))));
    *seen = to->list;
    ACTIO_PUSH(&r->model->arena, to->term, to->count, to->cap) = term;
    return true;
}

static bool not_a(struct actio_reader *r, const struct actio_target *t, enum actio_code code)
{
    return statements_fault(
        r, code, t->origin, t->item->span,
        ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word)), ACTIO_TEXT(actio_kind_text(t->ref.kind))));
}

static bool variable_term(struct actio_reader *r, const struct actio_target *t, void *user)
{
    bool ok = t->ref.kind == ACTIO_SY_COORD || t->ref.kind == ACTIO_SY_STATE;
    return ok ? add_term(r, t, user) : not_a(r, t, ACTIO_F_NOT_A_VARIABLE);
}

static bool force_term(struct actio_reader *r, const struct actio_target *t, void *user)
{
    return t->ref.kind == ACTIO_SY_COORD
               ? add_term(r, t, user)
               : not_a(r, t, t->ref.kind == ACTIO_SY_STATE ? ACTIO_F_FORCE_ON_STATE : ACTIO_F_FORCE_TARGET);
}

static bool symmetry_term(struct actio_reader *r, const struct actio_target *t, void *user)
{
    return t->ref.kind == ACTIO_SY_COORD ? add_term(r, t, user) : not_a(r, t, ACTIO_F_SYMMETRY_TARGET);
}

static bool read_terms(struct actio_reader *r, const struct actio_statement *s, enum actio_setting in,
                       actio_target_fn *one, struct terms *terms)
{
    bool ok = true;
    for (uint32_t i = s->first; i < s->first + s->entries; i++)
        if (!actio_is_option(r, s, &r->parsed.item[i]))
            ok &= actio_each_target(r, &r->parsed.item[i], in, s->origin, one, terms);
    return ok;
}

/* ---- statements */

static void model_statement(struct actio_reader *r, struct actio_statement *s)
{
    if (r->model->name)
        statements_fault(r, ACTIO_F_STATEMENT_TWICE, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT("model")));
    r->model->name = actio_word_text(r, s->label);
}

/* The whole formula, as far as it stands in the statement's first line. */
static struct actio_span whole_formula(const struct actio_reader *r, const struct actio_statement *s)
{
    struct actio_span span = s->span;
    const char *p = r->origin[s->origin].source.text;
    span.length = 0;
    for (uint32_t i = s->at; i < s->end && p[i] != '\n' && p[i] != '\r' && p[i] != '#'; i++)
        span.length += ((unsigned char)p[i] & 0xC0) != 0x80;
    return span;
}

/* One more term of the Lagrangian or of the dissipation. */
static void add_part(struct actio_reader *r, const struct actio_statement *s, actio_expr e, bool is_dissipation)
{
    struct actio_model *m = r->model;
    actio_expr *sum = is_dissipation ? &m->dissipation : &m->lagrangian;
    uint32_t count = (uint32_t)m->written.parts;
    *sum = actio_add(&m->pool, *sum, e);
    ACTIO_PUSH(&m->arena, m->written.part, count, r->cap.parts) = (struct actio_part){
        .e = e, .span = whole_formula(r, s), .is_dissipation = is_dissipation, .from = s->at, .to = s->end
    };
    m->written.parts = count;
}

static void lagrangian_statement(struct actio_reader *r, struct actio_statement *s)
{
    actio_expr e;
    r->model->has_lagrangian = true;
    if (actio_machine_run(r, s->left, ACTIO_IN_LAGRANGIAN, &e)
        && actio_field_fits(r, e, 0, ACTIO_IN_LAGRANGIAN, s->left))
        add_part(r, s, e, false);
    if (r->model->coords == 0 && !actio_reader_failed(r))
        statements_fault(r, ACTIO_F_NO_COORDINATES, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT("a Lagrangian")));
}

static void dissipation_statement(struct actio_reader *r, struct actio_statement *s)
{
    actio_expr e;
    if (actio_machine_run(r, s->left, ACTIO_IN_DISSIPATION, &e)
        && actio_field_fits(r, e, 0, ACTIO_IN_DISSIPATION, s->left))
        add_part(r, s, e, true);
    if (r->model->coords == 0 && !actio_reader_failed(r))
        statements_fault(r, ACTIO_F_NO_COORDINATES, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT("a dissipation")));
}

/* Where a switch changes its branch is found from formulas: what comes from outside can't be under one. Fields have
 * no numbers from outside. */
static bool check_outside(struct actio_reader *r, const struct actio_statement *s, actio_expr e)
{
    static const uint8_t switches[] = { ACTIO_ABS, ACTIO_SIGN, ACTIO_FLOOR, ACTIO_MIN,
                                        ACTIO_MAX, ACTIO_LT,   ACTIO_LE,    ACTIO_MOD };
    struct actio_model *m = r->model;
    if (!(actio_machine_spaces(r, e) & ACTIO_BIT(EXTERNAL))) return true;
    if (m->field.axes)
        return statements_fault(r, ACTIO_F_FIELD_WITHOUT, s->origin, s->span,
                                ACTIO_ARGS(ACTIO_TEXT("external forces")));
    struct actio_cone cone = actio_cone_of(&m->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &m->pool.node[cone.id[i]];
        if (!memchr(switches, n->op, sizeof switches)) continue;
        const uint32_t arg[3] = { n->a, n->b, n->c };
        unsigned under = 0;
        for (int k = 0; k < actio_arity((enum actio_op)n->op); k++)
            under |= actio_machine_spaces(r, (actio_expr){ arg[k] });
        if (under & ACTIO_BIT(EXTERNAL))
            return statements_fault(r, ACTIO_F_EXTERNAL_SWITCHED, s->origin, s->span, ACTIO_NO_ARGS);
    }
    return true;
}

static void force_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct terms terms = { 0 };
    uint32_t count = (uint32_t)m->forces;
    /* an empty family is not a force */
    if (!read_terms(r, s, ACTIO_IN_FORCE, force_term, &terms) || terms.count == 0) return;
    for (size_t i = 0; i < terms.count; i++)
        if (!check_outside(r, s, terms.term[i].e)) return;
    ACTIO_PUSH(&m->arena, m->force, count, r->cap.forces) =
        (struct actio_force){ .label = s->label ? actio_word_text(r, s->label) : NULL,
                              .term = terms.term,
                              .terms = terms.count,
                              .span = s->span };
    m->forces = count;
}

static void symmetry_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct terms terms = { .list = new_list(r) };
    uint32_t count = (uint32_t)m->symmetries;
    if (!read_terms(r, s, ACTIO_IN_SYMMETRY, symmetry_term, &terms) || (terms.count == 0 && s->rule != ACTIO_W_time))
        return;
    ACTIO_PUSH(&m->arena, m->symmetry, count, r->cap.symmetries) =
        (struct actio_symmetry){ .label = actio_word_text(r, s->label),
                                 .is_time = s->rule == ACTIO_W_time,
                                 .term = terms.term,
                                 .terms = terms.count,
                                 .span = s->span };
    m->symmetries = count;
}

/* ---- constraints */

/* The accelerations in e; an acceleration constraint must be affine in them. */
static bool linear_in_accelerations(struct actio_reader *r, actio_expr e)
{
    struct actio_pool *pool = &r->model->pool;
    uint32_t n;
    actio_expr *wrt = actio_machine_symbols(r, e, ACTIO_SPACE_ACC, &n), rest;
    return actio_linear_in(pool, e, wrt, n, actio_arena_array(&r->scratch, n, sizeof(actio_expr)), &rest);
}

static bool constraint_kind(struct actio_reader *r, const struct actio_statement *s, struct actio_constraint *c)
{
    unsigned spaces = actio_machine_spaces(r, c->g);
    if (actio_same(c->left, c->right))
        return statements_fault(r, ACTIO_F_CONSTRAINT_IS_EMPTY, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT(c->label)));
    if (!(spaces & (ACTIO_BIT(Q) | ACTIO_BIT(V) | ACTIO_BIT(ACC) | ACTIO_BIT(STATE))))
        return statements_fault(r, ACTIO_F_CONSTRAINT_NO_VARIABLE, s->origin, s->span,
                                ACTIO_ARGS(ACTIO_TEXT(c->label)));
    c->kind = spaces & ACTIO_BIT(ACC)                      ? ACTIO_ACCELERATION
              : spaces & (ACTIO_BIT(V) | ACTIO_BIT(STATE)) ? ACTIO_VELOCITY
                                                           : ACTIO_HOLONOMIC;
    if (c->kind == ACTIO_ACCELERATION && !linear_in_accelerations(r, c->g))
        return statements_fault(r, ACTIO_F_ACCELERATION_NOT_LINEAR, s->origin, s->span,
                                ACTIO_ARGS(ACTIO_TEXT(c->label)));
    return true;
}

static bool constraint_member(struct actio_reader *r, struct actio_statement *s, uint32_t index)
{
    struct actio_constraint c = r->model->constraint[index];
    struct terms terms = { .list = new_list(r) };
    if (!actio_machine_run(r, s->left, ACTIO_IN_CONSTRAINT, &c.left)
        || !actio_machine_run(r, s->right, ACTIO_IN_CONSTRAINT, &c.right))
        return false;
    if (!actio_field_fits(r, c.left, c.axis, ACTIO_IN_CONSTRAINT, s->left)
        || !actio_field_fits(r, c.right, c.axis, ACTIO_IN_CONSTRAINT, s->right))
        return false;
    c.g = actio_sub(&r->model->pool, c.left, c.right);
    if (c.axis && !actio_open_axes(r, c.g))
        return statements_fault(r, ACTIO_F_NOTHING_ALONG, s->origin, s->span,
                                ACTIO_ARGS(ACTIO_TEXT(c.label), ACTIO_TEXT(r->model->field.axis[c.axis - 1].name)));
    if (!constraint_kind(r, s, &c) || !read_terms(r, s, ACTIO_IN_ALONG, variable_term, &terms)) return false;
    c.rule = s->rule == ACTIO_W_acting ? ACTIO_ACTING : s->rule == ACTIO_W_along ? ACTIO_ALONG : ACTIO_IDEAL;
    c.reaction = terms.term;
    c.reactions = terms.count;
    r->model->constraint[index] = c;
    return true;
}

static void constraint_statement(struct actio_reader *r, struct actio_statement *s)
{
    double low, high;
    if (s->failed || !actio_machine_range(r, &s->family, &low, &high)) return;
    for (double k = low; k <= high; k++) {
        r->vocabulary.word[s->family.index].bound = k;
        if (!constraint_member(r, s, s->index + (uint32_t)(k - low))) {
            s->failed = true;
            return;
        }
    }
}

/* ---- acting: not more constraints on a set of variables than it has members */

static int compare_terms(const void *a, const void *b)
{
    const struct actio_term *x = a, *y = b;
    if (x->is_state != y->is_state) return x->is_state ? 1 : -1;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

static int compare_sets(const void *a, const void *b)
{
    const struct actio_constraint *x = *(struct actio_constraint *const *)a, *y = *(struct actio_constraint *const *)b;
    if (x->reactions != y->reactions) return x->reactions < y->reactions ? -1 : 1;
    for (size_t i = 0; i < x->reactions; i++) {
        int c = compare_terms(&x->reaction[i], &y->reaction[i]);
        if (c) return c;
    }
    return 0;
}

static void check_acting(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    struct actio_constraint **list = actio_arena_array(&r->scratch, m->constraints, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < m->constraints; i++) /* along nothing is as bad as acting on nothing */
        if (m->constraint[i].rule == ACTIO_ACTING
            || (m->constraint[i].rule == ACTIO_ALONG && m->constraint[i].reactions == 0))
            list[n++] = &m->constraint[i];
    for (size_t i = 0; i < n; i++)
        qsort(list[i]->reaction, list[i]->reactions, sizeof *list[i]->reaction, compare_terms);
    qsort(list, n, sizeof *list, compare_sets);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && compare_sets(&list[i], &list[j]) == 0; j++) {}
        if (j - i > list[i]->reactions)
            statements_fault(
                r, ACTIO_F_ACTING_COUNT, 0, list[i]->span,
                ACTIO_ARGS(ACTIO_COUNT(j - i), ACTIO_COUNT(list[i]->reactions), ACTIO_TEXT(list[i]->label)));
    }
}

static bool is_named(const struct actio_constraint *c, size_t variable, bool is_state)
{
    for (size_t i = 0; i < c->reactions; i++)
        if (c->reaction[i].variable == variable && c->reaction[i].is_state == is_state) return true;
    return false;
}

/* Acting on every variable that the constraint restricts is what an ideal reaction does. */
static bool acts_on_all(struct actio_model *m, const struct actio_constraint *c)
{
    for (size_t i = 0; i < m->coords; i++) {
        const struct actio_variable *v = &m->coord[i];
        actio_expr varied = c->kind == ACTIO_HOLONOMIC ? v->x : c->kind == ACTIO_VELOCITY ? v->dot : v->ddot;
        if (!is_named(c, i, false) && !actio_is_zero(actio_diff(&m->pool, c->g, varied))) return false;
    }
    for (size_t i = 0; i < m->states; i++)
        if (!is_named(c, i, true) && !actio_is_zero(actio_diff(&m->pool, c->g, m->state[i].x))) return false;
    return true;
}

static void find_ideal(struct actio_reader *r)
{
    for (size_t i = 0; i < r->model->constraints; i++) {
        struct actio_constraint *c = &r->model->constraint[i];
        if (c->rule == ACTIO_ACTING && acts_on_all(r->model, c)) {
            c->rule = ACTIO_IDEAL;
            c->reactions = 0;
        }
    }
}

/* ---- initial data and time */

static bool start_lambda(struct actio_reader *r, const struct actio_target *t, bool option)
{
    struct actio_constraint *c = &r->model->constraint[t->ref.index];
    if (c->start_lambda_given && !option)
        return statements_fault(r, ACTIO_F_START_TWICE, t->origin, t->item->span,
                                ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word))));
    c->start_lambda = t->e;
    c->start_lambda_given = true;
    return true;
}

static bool start_variable(struct actio_reader *r, const struct actio_target *t, bool is_rate, bool option)
{
    struct actio_model *m = r->model;
    bool state = t->ref.kind == ACTIO_SY_STATE || t->ref.kind == ACTIO_SY_STATE_DOT;
    if (state && is_rate) return not_a(r, t, ACTIO_F_START_STATE_RATE);
    struct actio_variable *v = state ? &m->state[t->ref.index] : &m->coord[t->ref.index];
    bool *given = is_rate ? &v->start_dot_given : &v->start_given;
    if (*given && !option)
        return statements_fault(r, ACTIO_F_START_TWICE, t->origin, t->item->span,
                                ACTIO_ARGS(ACTIO_TEXT(is_rate ? v->dot_name : v->name)));
    *given = true;
    *(is_rate ? &v->start_dot_span : &v->start_span) = option ? (struct actio_span){ 0 } : t->item->span;
    *(is_rate ? &v->start_dot : &v->start) = t->e;
    return true;
}

static bool start_target(struct actio_reader *r, const struct actio_target *t, void *user)
{
    (void)user;
    bool option = r->origin[t->origin].is_option;
    uint32_t primes = t->item->primes;
    enum actio_symbol_kind k = t->ref.kind;
    bool along = (k == ACTIO_SY_COORD || k == ACTIO_SY_COORD_DOT) && r->model->coord[t->ref.index].axis;
    /* of a field: one for each node, looked at when there are nodes */
    double x = along ? 0 : actio_model_number(r->model, t->e);
    if (!isfinite(x))
        return statements_fault(
            r, ACTIO_F_VALUE_NOT_FINITE, t->origin, t->item->span,
            ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word)), ACTIO_NUMBER(isnan(x) ? NAN : x)));
    bool rate = k == ACTIO_SY_COORD_DOT || k == ACTIO_SY_STATE_DOT;
    if (primes + rate > 1)
        return statements_fault(r, ACTIO_F_START_ACCELERATION, t->origin, t->item->span,
                                ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, t->item->word))));
    if (k == ACTIO_SY_LAMBDA && primes == 0) return start_lambda(r, t, option);
    if (k == ACTIO_SY_HELD && primes == 0) return actio_start_held(r, t, option);
    if (rate || k == ACTIO_SY_COORD || k == ACTIO_SY_STATE) return start_variable(r, t, rate || primes, option);
    return not_a(r, t, ACTIO_F_START_TARGET);
}

static bool keep_variable(struct actio_reader *r, const struct actio_target *t, void *user)
{
    struct actio_start_item *kept = user;
    enum actio_symbol_kind k = t->ref.kind;
    (void)r;
    if (t->item->range.kind == ACTIO_R_FAMILY || k == ACTIO_SY_LAMBDA || k == ACTIO_SY_HELD) return true;
    kept->variable = t->ref.index;
    kept->is_state = k == ACTIO_SY_STATE;
    kept->is_rate = k == ACTIO_SY_COORD_DOT || t->item->primes;
    return true;
}

/* Where it stands, so that a remedy can write the line anew. */
static void keep_start(struct actio_reader *r, const struct actio_statement *s, const struct actio_item *item)
{
    struct actio_model *m = r->model;
    struct actio_start_item kept = {
        .variable = UINT32_MAX, .from = item->at, .to = item->end, .statement_from = s->at, .statement_to = s->end
    };
    uint32_t count = (uint32_t)m->written.start_items;
    if (s->origin != 0 || actio_reader_failed(r)) return;
    if (item->range.kind != ACTIO_R_FAMILY) actio_each_target(r, item, ACTIO_IN_START, s->origin, keep_variable, &kept);
    ACTIO_PUSH(&m->arena, m->written.start_item, count, r->cap.start_items) = kept;
    m->written.start_items = count;
}

/* What a coordinate gains in one period of an orbit. */
static bool turn_target(struct actio_reader *r, const struct actio_target *t, void *user)
{
    struct actio_model *m = r->model;
    (void)user;
    if (t->ref.kind != ACTIO_SY_COORD || t->item->primes) return not_a(r, t, ACTIO_F_TURN_TARGET);
    if (!m->orbit.turn) m->orbit.turn = actio_arena_array(&m->arena, m->coords + 1, sizeof *m->orbit.turn);
    m->orbit.turn[t->ref.index] = t->e;
    return true;
}

static void start_statement(struct actio_reader *r, struct actio_statement *s)
{
    for (uint32_t i = s->first; s->option == ACTIO_SET_TURN && i < s->first + s->entries; i++)
        actio_each_target(r, &r->parsed.item[i], ACTIO_IN_START, s->origin, turn_target, NULL);
    if (s->option == ACTIO_SET_TURN) return;
    for (uint32_t i = s->first; i < s->first + s->entries; i++) {
        actio_each_target(r, &r->parsed.item[i], ACTIO_IN_START, s->origin, start_target, NULL);
        keep_start(r, s, &r->parsed.item[i]);
    }
}

/* A number of params that must be finite and not 0. */
static bool option_formula(struct actio_reader *r, const struct actio_statement *s, struct actio_formula f,
                           const char *what, bool positive, actio_expr *out)
{
    if (!actio_machine_run(r, f, ACTIO_IN_TIME, out)) return false;
    double x = actio_model_number(r->model, *out);
    return (isfinite(x) && (x > 0 || !positive))
           || statements_fault(r, ACTIO_F_OPTION_NUMBER, s->origin, s->span,
                               ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_NUMBER(x)));
}

static void time_statement(struct actio_reader *r, struct actio_statement *s)
{
    struct actio_model *m = r->model;
    actio_expr from, to;
    if (s->option == ACTIO_SET_PERIOD) {
        m->orbit.has_period = option_formula(r, s, s->right, "the period", true, &m->orbit.period);
        return;
    }
    if (s->option == ACTIO_SET_WAY) {
        m->orbit.has_way = option_formula(r, s, s->left, "where to begin", false, &m->orbit.way_from)
                           && option_formula(r, s, s->right, "where to end", false, &m->orbit.way_to);
        return;
    }
    if (!actio_machine_run(r, s->left, ACTIO_IN_TIME, &from) || !actio_machine_run(r, s->right, ACTIO_IN_TIME, &to))
        return;
    double t0 = actio_model_number(m, from), t1 = actio_model_number(m, to);
    if (m->time.given && !r->origin[s->origin].is_option)
        statements_fault(r, ACTIO_F_STATEMENT_TWICE, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT("time")));
    if (!isfinite(t0) || !isfinite(t1) || t0 == t1)
        statements_fault(r, ACTIO_F_TIME_EMPTY, s->origin, s->span, ACTIO_ARGS(ACTIO_NUMBER(t0), ACTIO_NUMBER(t1)));
    m->time.given = true;
    m->time.t0 = t0;
    m->time.t1 = t1;
    m->time.t0_written = from;
    m->time.t1_written = to;
}

static void field_statement(struct actio_reader *r, struct actio_statement *s) { actio_fields_check(r, s); }

/* ---- all of them */

/* Not more quasi-velocities than velocities. */
static void check_frames(struct actio_reader *r)
{
    enum { MOST = 12 };
    const struct actio_model *m = r->model;
    struct actio_text names;
    if (m->named.frames <= m->coords) return;
    actio_text_open(&names, &r->scratch);
    for (size_t i = 0; i < m->named.frames && i < MOST; i++)
        actio_text_format(&names, "%s%s", i ? ", " : "", m->named.frame[i].name);
    if (m->named.frames > MOST) actio_text_add(&names, " ...");
    statements_fault(r, ACTIO_F_FRAME_COUNT, 0, m->named.frame[m->coords].span,
                     ACTIO_ARGS(ACTIO_COUNT(m->named.frames), ACTIO_TEXT(names.s), ACTIO_COUNT(m->coords)));
}

/* What fields can't be together with. */
static void check_company(struct actio_reader *r)
{
    static const char *const what[ACTIO_W_FIRST_FUNCTION] = {
        [ACTIO_W_state] = "states",     [ACTIO_W_flow] = "states",    [ACTIO_W_contact] = "contacts",
        [ACTIO_W_event] = "events",     [ACTIO_W_free] = "free data", [ACTIO_W_require] = "free data",
        [ACTIO_W_held] = "held values", [ACTIO_W_when] = "events",    [ACTIO_W_every] = "instants"
    };
    for (uint32_t i = 0; r->model->field.axes && i < r->parsed.statements; i++) {
        const struct actio_statement *s = &r->parsed.statement[i];
        if (what[s->keyword])
            statements_fault(r, ACTIO_F_FIELD_WITHOUT, s->origin, s->span, ACTIO_ARGS(ACTIO_TEXT(what[s->keyword])));
    }
}

static void check_whole(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    struct actio_span top = { 1, 1, 1 };
    if (actio_reader_failed(r)) return;
    if (m->coords + m->states == 0) statements_fault(r, ACTIO_F_NOTHING_MOVES, 0, top, ACTIO_NO_ARGS);
    if (m->coords && !m->has_lagrangian)
        statements_fault(r, ACTIO_F_NO_LAGRANGIAN, 0, m->coord[0].span, ACTIO_ARGS(ACTIO_TEXT(m->coord[0].name)));
    check_frames(r);
    if (m->symmetries && !m->has_lagrangian)
        statements_fault(r, ACTIO_F_SYMMETRY_NO_LAGRANGIAN, 0, m->symmetry[0].span, ACTIO_NO_ARGS);
}

void actio_statements_all(struct actio_reader *r)
{
    typedef void statement_fn(struct actio_reader * r, struct actio_statement * s);
    static statement_fn *const elaborate[ACTIO_W_FIRST_FUNCTION] = {
        [ACTIO_W_model] = model_statement,
        [ACTIO_W_lagrangian] = lagrangian_statement,
        [ACTIO_W_dissipation] = dissipation_statement,
        [ACTIO_W_force] = force_statement,
        [ACTIO_W_constraint] = constraint_statement,
        [ACTIO_W_symmetry] = symmetry_statement,
        [ACTIO_W_start] = start_statement,
        [ACTIO_W_time] = time_statement,
        [ACTIO_W_field] = field_statement,
        [ACTIO_W_weights] = actio_dual_statement,
        [ACTIO_W_potential] = actio_dual_statement,
        [ACTIO_W_base] = actio_dual_statement,
        [ACTIO_W_final] = actio_dual_statement,
    };
    check_company(r);
    for (uint32_t i = 0; i < r->parsed.statements; i++) {
        actio_poll(r->ctx);
        if (elaborate[r->parsed.statement[i].keyword])
            elaborate[r->parsed.statement[i].keyword](r, &r->parsed.statement[i]);
    }
    if (!actio_reader_failed(r)) check_acting(r);
    if (!actio_reader_failed(r)) find_ideal(r);
    if (r->model->field.axes && actio_reader_failed(r)) return;
    actio_contacts_all(r);
    actio_instants_all(r);
    actio_flows_all(r);
    actio_frees_all(r);
    check_whole(r);
}
