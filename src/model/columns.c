/* SPDX-License-Identifier: Apache-2.0
 * The columns that a run of the model will have, in their order, and the claims about them. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_along(struct actio_reader *r, const char *name, struct actio_span span, uint16_t axis)
{
    struct actio_model *m = r->model;
    uint32_t word = actio_word_of(r, name, strlen(name)), count = (uint32_t)m->output.columns;
    if (r->vocabulary.word[word].column) {
        actio_reader_fault(r, ACTIO_F_COLUMN_TWICE, 0, span, ACTIO_ARGS(ACTIO_TEXT(name)));
        return;
    }
    uint32_t axes = count;
    ACTIO_PUSH(&m->arena, m->output.column, count, r->cap.columns) = r->vocabulary.word[word].text;
    ACTIO_PUSH(&m->arena, m->output.column_axis, axes, r->cap.column_axes) = axis;
    m->output.columns = count;
    r->vocabulary.word[word].column = count;
    r->vocabulary.word[word].column_axis = axis;
}

static void columns_add_column(struct actio_reader *r, const char *name, struct actio_span span)
{
    add_along(r, name, span, 0);
}

static void add_dotted_along(struct actio_reader *r, const char *stem, const char *label, struct actio_span span,
                             uint16_t axis)
{
    add_along(r, actio_arena_format(&r->scratch, "%s.%s", stem, label), span, axis);
}

static void add_dotted(struct actio_reader *r, const char *stem, const char *label, struct actio_span span)
{
    add_dotted_along(r, stem, label, span, 0);
}

/* States on which some constraint acts. */
static void mark_touched(struct actio_reader *r, const struct actio_constraint *c, bool *touched)
{
    const struct actio_pool *pool = &r->model->pool;
    for (size_t i = 0; i < c->reactions; i++)
        if (c->reaction[i].is_state) touched[c->reaction[i].variable] = true;
    if (c->rule != ACTIO_IDEAL || !(actio_machine_spaces(r, c->g) & ACTIO_BIT(STATE))) return;
    struct actio_cone cone = actio_cone_of(&r->model->pool, &c->g, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op == ACTIO_SYMBOL && pool->slot[n->a].space == ACTIO_SPACE_STATE)
            touched[pool->slot[n->a].index] = true;
    }
}

static void reaction_columns(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    bool *touched = actio_arena_array(&r->scratch, m->states, sizeof *touched);
    for (size_t i = 0; i < m->constraints; i++) mark_touched(r, &m->constraint[i], touched);
    for (size_t i = 0; m->constraints && i < m->coords; i++)
        add_dotted_along(r, "reaction", m->coord[i].name, m->coord[i].span, m->coord[i].axis);
    for (size_t i = 0; i < m->states; i++)
        if (touched[i]) add_dotted(r, "reaction", m->state[i].name, m->state[i].span);
}

static void power_columns(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    for (size_t i = 0; i < m->constraints; i++) add_dotted(r, "power", m->constraint[i].label, m->constraint[i].span);
    if (m->forces || !actio_is_zero(m->dissipation))
        columns_add_column(r, "power.force", (struct actio_span){ 1, 1, 1 });
    for (size_t i = 0; i < m->forces; i++)
        if (m->force[i].label) add_dotted(r, "power", m->force[i].label, m->force[i].span);
}

static void constraint_columns(struct actio_reader *r, const char *stem)
{
    for (size_t i = 0; i < r->model->constraints; i++) {
        const struct actio_constraint *c = &r->model->constraint[i];
        add_dotted_along(r, stem, c->label, c->span, c->axis);
    }
}

static void contact_columns(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    for (size_t i = 0; i < m->contacts; i++) add_dotted(r, "gap", m->contact[i].label, m->contact[i].span);
    for (size_t i = 0; i < m->contacts; i++) add_dotted(r, "force", m->contact[i].label, m->contact[i].span);
    for (size_t i = 0; i < m->contacts; i++)
        if (m->contact[i].friction.given) add_dotted(r, "friction", m->contact[i].label, m->contact[i].span);
    for (size_t i = 0; i < m->constraints; i++)
        if (m->constraint[i].friction.given) add_dotted(r, "friction", m->constraint[i].label, m->constraint[i].span);
}

static void symmetry_columns(struct actio_reader *r, const char *stem)
{
    for (size_t i = 0; i < r->model->symmetries; i++)
        add_dotted(r, stem, r->model->symmetry[i].label, r->model->symmetry[i].span);
}

static void variable_columns(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    columns_add_column(r, "t", (struct actio_span){ 1, 1, 1 });
    for (size_t i = 0; i < m->coords; i++) add_along(r, m->coord[i].name, m->coord[i].span, m->coord[i].axis);
    for (size_t i = 0; i < m->states; i++) columns_add_column(r, m->state[i].name, m->state[i].span);
    for (size_t i = 0; i < m->resets.helds; i++) columns_add_column(r, m->resets.held[i].name, m->resets.held[i].span);
    for (size_t i = 0; i < m->coords; i++) add_along(r, m->coord[i].dot_name, m->coord[i].span, m->coord[i].axis);
    for (size_t i = 0; i < m->states; i++) columns_add_column(r, m->state[i].dot_name, m->state[i].span);
    for (size_t i = 0; i < m->named.frames; i++)
        add_along(r, m->named.frame[i].name, m->named.frame[i].span, m->named.frame[i].axis);
}

/* The extent of the family that "a[10]", "a_dot[10]" or "lambda.c[10]" names a member of; false: it names none. */
static bool family_of(struct actio_reader *r, const char *name, double *index, const char **head,
                      struct actio_extent *extent)
{
    const char *bracket = strchr(name, '['), *dot = strchr(name, '.');
    if (!bracket) return false;
    bool label = dot && dot < bracket;
    const char *stem = label ? dot + 1 : name;
    size_t length = (size_t)(bracket - stem);
    const struct actio_word *w = &r->vocabulary.word[actio_word_of(r, stem, length)];
    if (!label && !w->is_family && length > 4 && memcmp(bracket - 4, "_dot", 4) == 0)
        w = &r->vocabulary.word[actio_word_of(r, stem, length - 4)];
    *index = strtod(bracket + 1, NULL);
    *head = actio_arena_text(&r->scratch, name, (size_t)(bracket - name));
    if (label && w->is_family && !w->tag_is_family) {
        *extent = w->extent;
        return true; /* reaction.a[10] */
    }
    *extent = label ? w->tag_extent : w->extent;
    return label ? w->tag_is_family : w->is_family;
}

static bool unknown_column(struct actio_reader *r, const char *name, uint16_t origin, uint32_t at)
{
    const char *head;
    double index;
    struct actio_extent of;
    if (family_of(r, name, &index, &head, &of)) {
        struct actio_value family = ACTIO_TEXT(head), k = ACTIO_NUMBER(index);
        if (of.low > of.high) actio_reader_fault_at(r, ACTIO_F_FAMILY_IS_EMPTY, origin, at, ACTIO_ARGS(family, k));
        else if (index < of.low || index > of.high)
            actio_reader_fault_at(r, ACTIO_F_INDEX_OUT_OF_RANGE, origin, at,
                                  ACTIO_ARGS(family, k, ACTIO_NUMBER(of.low), ACTIO_NUMBER(of.high)));
        if (of.low > of.high || index < of.low || index > of.high) return false;
    }
    const char *hint = actio_word_hint(r, name, ACTIO_NEAR_COLUMN,
                                       "use one of the columns: variables, NAME_dot, frame names, lambda.LABEL, "
                                       "reaction.NAME, power.LABEL, gap.LABEL, force.LABEL, friction.LABEL, energy, "
                                       "residual.LABEL, charge.LABEL, balance.LABEL and observe names");
    actio_reader_fault_at(r, ACTIO_F_NO_SUCH_COLUMN, origin, at, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(hint)));
    return false;
}

/* A claim on the value at a place has a column for it. */
static void claim_place(struct actio_reader *r, const struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct actio_observe o = { .span = s->column_span, .claimed = true };
    if (!s->place.count || r->vocabulary.word[s->column].column) return;
    if (!actio_machine_run(r, s->place, ACTIO_IN_OBSERVE, &o.e)
        || !actio_field_fits(r, o.e, 0, ACTIO_IN_OBSERVE, s->place))
        return;
    uint32_t count = (uint32_t)m->output.observes;
    o.name = actio_word_text(r, s->column);
    r->cap.observes = count; /* the list was sorted: it is a new one, with no room */
    ACTIO_PUSH(&m->arena, m->output.observe, count, r->cap.observes) = o;
    m->output.observes = count;
    columns_add_column(r, o.name, o.span);
}

void actio_columns_all(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    variable_columns(r);
    constraint_columns(r, "lambda");
    reaction_columns(r);
    power_columns(r);
    contact_columns(r);
    if (m->has_lagrangian) columns_add_column(r, "energy", (struct actio_span){ 1, 1, 1 });
    constraint_columns(r, "residual");
    symmetry_columns(r, "charge");
    symmetry_columns(r, "balance");
    for (size_t i = 0; i < m->output.observes; i++)
        add_along(r, m->output.observe[i].name, m->output.observe[i].span, m->output.observe[i].axis);
    for (uint32_t i = 0; i < r->parsed.statements; i++) claim_place(r, &r->parsed.statement[i]);
    for (uint32_t i = 0; i < r->claimed.column_uses; i++) {
        const struct actio_column_use *u = &r->claimed.column_use[i];
        if (!r->vocabulary.word[u->word].column) unknown_column(r, actio_word_text(r, u->word), u->origin, u->at);
    }
}

size_t actio_model_columns(struct actio_model *model, const char *const **names)
{
    *names = (const char *const *)model->output.column;
    return model->output.columns;
}

/* ---- claims */

static bool one_of(struct actio_reader *r, uint32_t word, const char *const *list, size_t count, enum actio_code code,
                   const struct actio_statement *s, struct actio_span span)
{
    const char *text = actio_word_text(r, word);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0) return true;
    const char *near = actio_near_name(text, list, count);
    const char *hint = near ? actio_arena_format(&r->scratch, "did you mean '%s'?", near) : "";
    actio_reader_fault(r, code, s->origin, span, ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_TEXT(hint)));
    return false;
}

/* x[3] of a column that has a number at every node. */
static bool is_node(struct actio_reader *r, const char *name)
{
    const char *bracket = strchr(name, '[');
    if (!bracket) return false;
    uint32_t head = actio_word_of(r, name, (size_t)(bracket - name));
    uint16_t axis = r->vocabulary.word[head].column ? r->vocabulary.word[head].column_axis : 0;
    /* with other nodes than the text has, a claim on a missing one is not a fault of the text: it fails when it is
     * tested */
    return axis
           && (r->model->field.axis[axis - 1].resized
               || strtod(bracket + 1, NULL) < (double)r->model->field.axis[axis - 1].nodes);
}

/* x'[3] is x_dot[3]; families have columns of their own. */
static const char *rate_node(struct actio_reader *r, const char *name)
{
    int head = (int)(strchr(name, '[') - name);
    return actio_arena_format(&r->scratch, "%.*s_dot%s", head, name, name + head);
}

/* Fewer nodes than the text has: like a family that has become smaller. */
static bool node_exists(struct actio_reader *r, const char *name, const struct actio_statement *s)
{
    const char *bracket = strchr(name, '['), *head = actio_arena_text(&r->scratch, name, (size_t)(bracket - name));
    const struct actio_axis *axis =
        &r->model->field.axis[r->vocabulary.word[actio_word_of(r, head, strlen(head))].column_axis - 1];
    double k = strtod(bracket + 1, NULL), last = (double)axis->nodes - 1;
    if (k <= last) return true;
    actio_reader_fault_at(r, ACTIO_F_INDEX_OUT_OF_RANGE, s->origin, s->at,
                          ACTIO_ARGS(ACTIO_TEXT(head), ACTIO_NUMBER(k), ACTIO_NUMBER(0), ACTIO_NUMBER(last)));
    return false;
}

bool actio_column_named(struct actio_reader *r, const struct actio_statement *s, const char **out)
{
    uint32_t word = s->column;
    struct actio_symbol_ref ref = r->vocabulary.word[word].value;
    const char *name = actio_word_text(r, word);
    if (s->column_primes == 1 && ref.kind == ACTIO_SY_NONE && strchr(name, '[')) name = rate_node(r, name);
    else if (s->column_primes == 1 && ref.kind == ACTIO_SY_COORD) name = r->model->coord[ref.index].dot_name;
    else if (s->column_primes == 1 && ref.kind == ACTIO_SY_STATE) name = r->model->state[ref.index].dot_name;
    else if (s->column_primes && !strstr(name, "_dot["))
        name = actio_arena_format(&r->scratch, "%s%s", name, s->column_primes == 1 ? "'" : "''");
    uint32_t column = actio_word_of(r, name, strlen(name));
    *out = actio_word_text(r, column);
    if (r->vocabulary.word[column].column) return true;
    if (is_node(r, name)) return node_exists(r, name, s);
    if (ref.kind != ACTIO_SY_PARAM && ref.kind != ACTIO_SY_LET) return unknown_column(r, name, s->origin, s->at);
    actio_reader_fault(r, ACTIO_F_CLAIM_NOT_COLUMN, s->origin, s->column_span,
                       ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(actio_kind_text(ref.kind))));
    return false;
}

static bool claim_number(struct actio_reader *r, struct actio_formula f, actio_expr *e, double *out)
{
    if (!actio_machine_run(r, f, ACTIO_IN_CLAIM, e)) return false;
    *out = actio_model_number(r->model, *e);
    if (isfinite(*out)) return true;
    actio_reader_fault_at(r, ACTIO_F_VALUE_NOT_FINITE, f.origin, actio_formula_at(r, f),
                          ACTIO_ARGS(ACTIO_TEXT("the claim"), ACTIO_NUMBER(isnan(*out) ? NAN : *out)));
    return false;
}

static bool claim_bound(struct actio_reader *r, const struct actio_statement *s, struct actio_claim *c)
{
    double *out = &c->bound;
    if (!claim_number(r, s->bound, &c->bound_written, out)) return false;
    if (*out > 0) return true;
    actio_reader_fault_at(r, ACTIO_F_CLAIM_BOUND, s->bound.origin, actio_formula_at(r, s->bound),
                          ACTIO_ARGS(ACTIO_NUMBER(isnan(*out) ? NAN : *out)));
    return false;
}

/* A value at a time is one number. */
static bool one_number(struct actio_reader *r, const struct actio_statement *s, const char *name)
{
    const struct actio_word *w = &r->vocabulary.word[actio_word_of(r, name, strlen(name))];
    if (!w->column || !w->column_axis) return true;
    actio_reader_fault(r, ACTIO_F_CLAIM_ALONG, s->origin, s->column_span,
                       ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(r->model->field.axis[w->column_axis - 1].name)));
    return false;
}

static bool claim_parts(struct actio_reader *r, const struct actio_statement *s, struct actio_claim *c)
{
    static const char *const verdicts[] = { "contradictory", "singular",  "undetermined",
                                            "hidden",        "redundant", "regular" };
    switch (s->rule) {
    case ACTIO_W_verdict:
        c->kind = ACTIO_CLAIM_VERDICT;
        c->verdict = actio_word_text(r, s->verdict);
        return one_of(r, s->verdict, verdicts, sizeof verdicts / sizeof *verdicts, ACTIO_F_UNKNOWN_VERDICT, s,
                      s->column_span);
    case ACTIO_W_residual: c->kind = ACTIO_CLAIM_RESIDUAL; return claim_bound(r, s, c);
    case ACTIO_W_drift:
        c->kind = ACTIO_CLAIM_DRIFT;
        return actio_column_named(r, s, &c->column) && claim_bound(r, s, c);
    default:
        c->kind = ACTIO_CLAIM_AT;
        return actio_column_named(r, s, &c->column) && one_number(r, s, c->column)
               && claim_number(r, s->left, &c->at_written, &c->at)
               && claim_number(r, s->right, &c->value_written, &c->value) && claim_bound(r, s, c);
    }
}

/* Are params others than the text has? Then a claim on a member that is not there is not a fault of the text. */
static bool is_changed(const struct actio_reader *r)
{
    for (size_t i = 0; i < r->overrides; i++)
        if (r->override[i].kind == ACTIO_SET_PARAM) return true;
    return false;
}

static void claim(struct actio_reader *r, const struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct actio_claim c = { .span = s->span, .text = s->text, .by = s->by ? actio_word_text(r, s->by) : NULL };
    uint32_t count = (uint32_t)m->claims;
    r->claimed.lenient = is_changed(r);
    r->claimed.absent = NULL;
    bool whole = claim_parts(r, s, &c);
    r->claimed.lenient = false;
    c.absent = r->claimed.absent;
    if (!whole && !c.absent) return;
    ACTIO_PUSH(&m->arena, m->claim, count, r->cap.claims) = c;
    m->claims = count;
}

void actio_claims_all(struct actio_reader *r)
{
    for (uint32_t i = 0; i < r->parsed.statements; i++)
        if (r->parsed.statement[i].keyword == ACTIO_W_expect) claim(r, &r->parsed.statement[i]);
}
