/* SPDX-License-Identifier: Apache-2.0
 * Mixed data: initial values that are released, and the conditions on the motion that stand in their place. */
#include "model/reader.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool mixed_fault(struct actio_reader *r, enum actio_code code, struct actio_span span,
                        const struct actio_value arg[6])
{
    actio_reader_fault(r, code, 0, span, arg);
    return false;
}

/* ---- free */

static bool not_free(struct actio_reader *r, const struct actio_item *item, const char *kind)
{
    return mixed_fault(r, ACTIO_F_FREE_TARGET, item->span,
                       ACTIO_ARGS(ACTIO_TEXT(actio_word_text(r, item->word)), ACTIO_TEXT(kind)));
}

static const char *reserved_kind(const struct actio_reader *r, uint32_t word)
{
    if (word == ACTIO_W_t) return "the time";
    if (word == ACTIO_W_pi) return "a number";
    return r->vocabulary.word[word].class == ACTIO_WC_VALUE      ? "a column"
           : r->vocabulary.word[word].class == ACTIO_WC_FUNCTION ? "a function"
                                                                 : "a word of the language";
}

static const char *mixed_name_of(const struct actio_model *m, const struct actio_free_datum *f)
{
    return f->is_state ? m->state[f->variable].name : m->coord[f->variable].name;
}

static const char *datum_text(struct actio_reader *r, const struct actio_free_datum *f)
{
    return actio_arena_format(&r->scratch, "%s%s", mixed_name_of(r->model, f), f->dot ? "'" : "");
}

/* The line in which a datum was released; 0 when it is not. */
static uint32_t *released(struct actio_reader *r, const struct actio_free_datum *f)
{
    const struct actio_model *m = r->model;
    if (!r->released) r->released = actio_arena_array(&r->scratch, 2 * m->coords + m->states, sizeof *r->released);
    return &r->released[f->is_state ? 2 * m->coords + f->variable : 2 * (size_t)f->variable + f->dot];
}

static bool release(struct actio_reader *r, const struct actio_target *t, void *user)
{
    struct actio_model *m = r->model;
    enum actio_symbol_kind k = t->ref.kind;
    bool state = k == ACTIO_SY_STATE || k == ACTIO_SY_STATE_DOT,
         rate = k == ACTIO_SY_COORD_DOT || k == ACTIO_SY_STATE_DOT;
    struct actio_free_datum f = {
        .variable = t->ref.index, .is_state = state, .dot = rate || t->item->primes, .span = t->item->span
    };
    uint32_t count = (uint32_t)m->mixed.frees;
    (void)user;
    if (!state && !rate && k != ACTIO_SY_COORD) return not_free(r, t->item, actio_kind_text(k));
    if (state && f.dot)
        return mixed_fault(r, ACTIO_F_FREE_STATE_RATE, f.span, ACTIO_ARGS(ACTIO_TEXT(mixed_name_of(m, &f))));
    if (t->item->primes + rate > 1)
        return mixed_fault(r, ACTIO_F_FREE_ACCELERATION, f.span, ACTIO_ARGS(ACTIO_TEXT(mixed_name_of(m, &f))));
    uint32_t *line = released(r, &f);
    if (*line)
        return mixed_fault(r, ACTIO_F_FREE_TWICE, f.span,
                           ACTIO_ARGS(ACTIO_TEXT(datum_text(r, &f)), ACTIO_COUNT(*line)));
    *line = f.span.line;
    ACTIO_PUSH(&m->arena, m->mixed.free_data, count, r->cap.frees) = f;
    m->mixed.frees = count;
    return true;
}

static void free_statement(struct actio_reader *r, const struct actio_statement *s)
{
    for (uint32_t i = s->first; i < s->first + s->entries; i++) {
        const struct actio_item *item = &r->parsed.item[i];
        if (actio_word_reserved(r, item->word)) not_free(r, item, reserved_kind(r, item->word));
        else actio_each_target(r, item, ACTIO_IN_START, s->origin, release, NULL);
    }
}

void actio_frees_all(struct actio_reader *r)
{
    for (uint32_t i = 0; i < r->parsed.statements; i++)
        if (r->parsed.statement[i].keyword == ACTIO_W_free) free_statement(r, &r->parsed.statement[i]);
}

/* ---- require */

static bool condition_number(struct actio_reader *r, struct actio_formula f, actio_expr *e, double *x)
{
    if (!actio_machine_run(r, f, ACTIO_IN_REQUIRE, e)) return false;
    *x = actio_model_number(r->model, *e);
    if (isfinite(*x)) return true;
    actio_reader_fault_at(r, ACTIO_F_VALUE_NOT_FINITE, f.origin, actio_formula_at(r, f),
                          ACTIO_ARGS(ACTIO_TEXT("the condition"), ACTIO_NUMBER(isnan(*x) ? NAN : *x)));
    return false;
}

/* Inside the interval. 3*h may lie beyond the end 0.3 by rounding: then the end is meant. */
bool actio_require_time(const struct actio_model *m, double t, double *time)
{
    double near = 16 * DBL_EPSILON * fmax(fabs(m->time.t0), fabs(m->time.t1));
    *time = t;
    if (!m->time.given || (t >= fmin(m->time.t0, m->time.t1) && t <= fmax(m->time.t0, m->time.t1))) return true;
    *time = fabs(t - m->time.t0) < fabs(t - m->time.t1) ? m->time.t0 : m->time.t1;
    return fabs(t - *time) <= near;
}

static bool condition_time(struct actio_reader *r, const struct actio_statement *s, double *time)
{
    const struct actio_model *m = r->model;
    double t = *time;
    if (actio_require_time(m, t, time)) return true;
    actio_reader_fault_at(r, ACTIO_F_REQUIRE_OUTSIDE, s->left.origin, actio_formula_at(r, s->left),
                          ACTIO_ARGS(ACTIO_NUMBER(t), ACTIO_NUMBER(m->time.t0), ACTIO_NUMBER(m->time.t1)));
    return false;
}

static void require_statement(struct actio_reader *r, const struct actio_statement *s)
{
    struct actio_model *m = r->model;
    struct actio_require c = { .span = s->column_span };
    double value;
    uint32_t count = (uint32_t)m->mixed.requires;
    bool known = actio_column_named(r, s, &c.column);
    if (known && strcmp(c.column, "t") == 0) known = mixed_fault(r, ACTIO_F_REQUIRE_OF_TIME, c.span, ACTIO_NO_ARGS);
    bool timed = condition_number(r, s->left, &c.at, &c.time) && condition_time(r, s, &c.time);
    if (!condition_number(r, s->right, &c.value, &value) || !known || !timed) return;
    ACTIO_PUSH(&m->arena, m->mixed.require, count, r->cap.requires) = c;
    m->mixed.requires = count;
}

static int compare_conditions(const void *a, const void *b)
{
    const struct actio_require *x = *(struct actio_require *const *)a, *y = *(struct actio_require *const *)b;
    int c = strcmp(x->column, y->column);
    if (c) return c;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x > y) - (x < y);
}

static void check_conditions(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    struct actio_require **list = actio_arena_array(&r->scratch, m->mixed.requires, sizeof *list);
    for (size_t i = 0; i < m->mixed.requires; i++) list[i] = &m->mixed.require[i];
    qsort(list, m->mixed.requires, sizeof *list, compare_conditions);
    for (size_t i = 1; i < m->mixed.requires; i++) {
        const struct actio_require *a = list[i - 1], *b = list[i];
        if (a->time == b->time && strcmp(a->column, b->column) == 0)
            mixed_fault(r, ACTIO_F_REQUIRE_TWICE, b->span,
                        ACTIO_ARGS(ACTIO_TEXT(b->column), ACTIO_NUMBER(b->time), ACTIO_COUNT(a->span.line)));
    }
}

/* ---- as many as are free: that there are any is checked here, the numbers are compared where constraints are counted
 * */

static const char *counted(struct actio_reader *r, size_t n, const char *one, const char *many)
{
    return actio_arena_format(&r->scratch, "%zu %s", n, n == 1 ? one : many);
}

/* What to release so that this column can be met: the velocity of a coordinate, the value of a state. */
static struct actio_free_datum remedy(const struct actio_model *m, const char *column)
{
    for (size_t i = 0; i < m->coords; i++)
        if (strcmp(m->coord[i].name, column) == 0 || strcmp(m->coord[i].dot_name, column) == 0)
            return (struct actio_free_datum){ .variable = (uint32_t)i, .dot = true };
    for (size_t i = 0; i < m->states; i++)
        if (strcmp(m->state[i].name, column) == 0 || strcmp(m->state[i].dot_name, column) == 0)
            return (struct actio_free_datum){ .variable = (uint32_t)i, .is_state = true };
    return m->coords ? (struct actio_free_datum){ .dot = true } : (struct actio_free_datum){ .is_state = true };
}

static void nothing_is_free(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    struct actio_free_datum f = remedy(m, m->mixed.require[0].column);
    const char *many =
        m->mixed.requires == 1
            ? "one"
            : actio_arena_format(&r->scratch, "%zu initial values, perhaps one of these", m->mixed.requires);
    mixed_fault(r, ACTIO_F_FREE_MISSING, m->mixed.require[0].span,
                ACTIO_ARGS(ACTIO_TEXT(counted(r, m->mixed.requires, "condition", "conditions")), ACTIO_TEXT(many),
                           ACTIO_TEXT(datum_text(r, &f))));
}

static void nothing_is_required(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    const struct actio_free_datum *f = &m->mixed.free_data[0];
    char time[40]; /* in full, so that the line can be copied */
    time[actio_number_text(m->time.given ? m->time.t1 : 1, time)] = 0;
    const char *what = m->mixed.frees == 1
                           ? actio_arena_format(&r->scratch, "the initial value of %s", datum_text(r, f))
                           : "their initial values";
    mixed_fault(r, ACTIO_F_REQUIRE_MISSING, f->span,
                ACTIO_ARGS(ACTIO_TEXT(counted(r, m->mixed.frees, "free datum", "free data")), ACTIO_TEXT(what),
                           ACTIO_TEXT(m->mixed.frees == 1 ? "a condition" : "conditions"),
                           ACTIO_TEXT(mixed_name_of(m, f)), ACTIO_TEXT(time)));
}

void actio_requires_all(struct actio_reader *r)
{
    const struct actio_model *m = r->model;
    for (uint32_t i = 0; i < r->parsed.statements; i++)
        if (r->parsed.statement[i].keyword == ACTIO_W_require) require_statement(r, &r->parsed.statement[i]);
    if (actio_reader_failed(r)) return;
    check_conditions(r);
    if (m->mixed.requires && !m->mixed.frees) nothing_is_free(r);
    if (m->mixed.frees && !m->mixed.requires) nothing_is_required(r);
}
