/* SPDX-License-Identifier: Apache-2.0
 * Words that several messages share. */
#include "explain/phrases.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

enum { MOST_LISTED = 12, MOST_PARAMS = 6, MOST_FORMULA = 100 };

/* ---- constraints */

static void add_cut(struct actio_text *out, const char *s)
{
    size_t n = strlen(s), most = MOST_FORMULA;
    while (n > most && most > 0 && ((unsigned char)s[most] & 0xC0) == 0x80) most--;
    actio_text_bytes(out, s, n > most ? most : n);
    if (n > most) actio_text_add(out, "...");
}

static void add_formula(struct actio_about *about, struct actio_text *out, actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, about->arena);
    actio_print_nice(&about->model->pool, e, actio_model_symbol_name, about->model, &t);
    add_cut(out, t.s);
}

static void add_constraint(struct actio_about *about, struct actio_text *t, uint32_t k)
{
    const struct actio_model *m = about->model;
    if (k >= m->constraints) {
        add_cut(t, about->sys->constraint[k]);
        return;
    }
    actio_text_format(t, "'%s' (line %u: ", m->constraint[k].label, (unsigned)m->constraint[k].span.line);
    add_formula(about, t, m->constraint[k].left);
    actio_text_add(t, " = ");
    add_formula(about, t, m->constraint[k].right);
    actio_text_add(t, ")");
}

const char *actio_words_constraints(struct actio_about *about, const uint32_t *row, size_t rows)
{
    struct actio_text t;
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < rows; i++) {
        actio_text_add(&t, i == 0 ? "" : i + 1 == rows ? " and " : ", ");
        add_constraint(about, &t, row[i]);
    }
    return t.s;
}

const char *actio_words_constraint(struct actio_about *about, uint32_t k)
{
    return actio_words_constraints(about, &k, 1);
}

const char *actio_words_lines(struct actio_about *about, const uint32_t *row, size_t rows)
{
    struct actio_text t;
    uint32_t last = 0;
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < rows; i++) {
        uint32_t line = row[i] < about->model->constraints ? about->model->constraint[row[i]].span.line : 0;
        if (line && line != last) {
            actio_text_format(&t, "%sline %u", last == 0 ? "" : i + 1 == rows ? " or " : ", ", (unsigned)line);
            last = line;
        }
    }
    return t.s;
}

/* ---- params */

static char *plain(char *number) /* whatever the locale */
{
    for (char *p = number; *p; p++)
        if (*p == ',') *p = '.';
    return number;
}

const char *actio_words_number(struct actio_about *about, double x)
{
    char exact[32];
    size_t n = actio_number_text(x, exact);
    return n <= 10 ? actio_arena_text(about->arena, exact, n) : plain(actio_arena_format(about->arena, "%.6g", x));
}

const char *actio_words_params(struct actio_about *about, const actio_expr *e, size_t count)
{
    struct actio_model *m = about->model;
    struct actio_text t;
    size_t listed = 0;
    actio_text_open(&t, about->arena);
    struct actio_cone cone = actio_cone_of(&m->pool, e, count);
    for (uint32_t i = 0; i < cone.count && listed < MOST_PARAMS; i++) {
        if (m->pool.node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot slot = actio_slot_of(&m->pool, (actio_expr){ cone.id[i] });
        if (slot.space != ACTIO_SPACE_PARAM) continue;
        const struct actio_param *p = &m->param[slot.index];
        actio_text_format(&t, "%s%s = %s (line %u)", listed++ ? ", " : " with ", p->name,
                          actio_words_number(about, p->value), (unsigned)p->span.line);
    }
    return t.s;
}

/* ---- variables at the start */

/* Coordinates, velocities, states: those of the model, whatever a principle adds. */
static size_t components(const struct actio_about *about) { return 2 * about->model->coords + about->model->states; }

bool *actio_words_involved(struct actio_about *about, const actio_expr *e, size_t count)
{
    struct actio_formation *F = about->sys->formation;
    bool *is = actio_arena_array(about->arena, components(about) + 1, sizeof *is);
    struct actio_cone cone = actio_cone_of(&F->pool, e, count);
    for (uint32_t i = 0; i < cone.count; i++) {
        if (F->pool.node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        actio_slot slot = actio_slot_of(&F->pool, (actio_expr){ cone.id[i] });
        if (slot.space == ACTIO_SPACE_Q) is[slot.index] = true;
        if (slot.space == ACTIO_SPACE_V) is[F->n + slot.index] = true;
        if (slot.space == ACTIO_SPACE_STATE && slot.index < about->model->states) is[2 * F->n + slot.index] = true;
    }
    return is;
}

static const struct actio_variable *variable_of(const struct actio_about *about, size_t i, bool *rate)
{
    const struct actio_model *m = about->model;
    *rate = i >= m->coords && i < 2 * m->coords;
    return i < m->coords ? &m->coord[i] : *rate ? &m->coord[i - m->coords] : &m->state[i - 2 * m->coords];
}

static bool is_given(const struct actio_about *about, size_t i)
{
    bool rate;
    const struct actio_variable *v = variable_of(about, i, &rate);
    return rate ? v->start_dot_given : v->start_given;
}

/* As the language writes it: x' and not x_dot. */
static const char *phrases_name_of(struct actio_about *about, size_t i)
{
    bool rate;
    const struct actio_variable *v = variable_of(about, i, &rate);
    return rate ? actio_arena_format(about->arena, "%s'", v->name) : v->name;
}

const char *actio_words_values(struct actio_about *about, const bool *involved)
{
    struct actio_text t;
    size_t listed = 0, left = 0;
    bool some = false;
    for (size_t i = 0; i < components(about); i++) some = some || (involved[i] && is_given(about, i));
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < components(about); i++) {
        if (!involved[i]) continue;
        if (listed == MOST_LISTED) {
            left++;
            continue;
        }
        actio_text_format(&t, "%s%s = %s%s", listed++ ? ", " : "", phrases_name_of(about, i),
                          actio_words_number(about, about->y0[i]), is_given(about, i) || !some ? "" : " (not given)");
    }
    if (left) actio_text_format(&t, " and %zu more", left);
    if (!some && listed) actio_text_add(&t, " (not given)");
    return t.s;
}

/* ---- the start statement */

static size_t component_of(const struct actio_about *about, const struct actio_start_item *item)
{
    size_t n = about->model->coords;
    if (item->variable == UINT32_MAX) return SIZE_MAX;
    return item->is_state ? 2 * n + item->variable : item->is_rate ? n + item->variable : item->variable;
}

/* The item of a component, if it has one of its own in the file. */
static const struct actio_start_item *item_of(const struct actio_about *about, size_t component)
{
    for (size_t i = 0; i < about->model->written.start_items; i++)
        if (component_of(about, &about->model->written.start_item[i]) == component)
            return &about->model->written.start_item[i];
    return NULL;
}

/* Does the item give a value to one of these? Members of a family all have its place. */
static bool gives_one(const struct actio_about *about, const struct actio_start_item *item, const bool *involved)
{
    size_t component = component_of(about, item);
    if (component != SIZE_MAX) return involved[component];
    struct actio_span here = actio_source_span(&about->model->source, item->from, item->to);
    for (size_t i = 0; i < components(about); i++) {
        bool rate;
        const struct actio_variable *v = variable_of(about, i, &rate);
        const struct actio_span *own = rate ? &v->start_dot_span : &v->start_span;
        if (involved[i] && own->line == here.line && own->column == here.column) return true;
    }
    return false;
}

/* The statement that has a value of an involved variable; without one the first. */
static const struct actio_start_item *statement_of(const struct actio_about *about, const bool *involved)
{
    const struct actio_model *m = about->model;
    for (size_t i = 0; i < m->written.start_items; i++)
        if (gives_one(about, &m->written.start_item[i], involved)) return &m->written.start_item[i];
    return m->written.start_items ? &m->written.start_item[0] : NULL;
}

struct actio_span actio_words_start_place(struct actio_about *about, const bool *involved)
{
    const struct actio_start_item *s = statement_of(about, involved);
    return s ? actio_source_span(&about->model->source, s->statement_from, s->statement_to) : (struct actio_span){ 0 };
}

/* Few digits where they say the same to the last bits; zero beside the others. */
static double phrases_tidy(struct actio_about *about, const double *y, double x)
{
    double largest = 0, brief;
    for (size_t i = 0; i < components(about); i++) largest = fmax(largest, fabs(y[i]));
    if (fabs(x) < 1e-15 * largest) return 0;
    const char *digits = plain(actio_arena_format(about->arena, "%.12g", fabs(x)));
    actio_number_read(digits, digits + strlen(digits), &brief);
    return fabs(brief - fabs(x)) <= 4.5e-16 * fabs(x) ? copysign(brief, x) : x;
}

static void add_value(struct actio_about *about, struct actio_text *t, const double *y, size_t i, bool first)
{
    actio_text_format(t, "%s%s = ", first ? "" : ", ", phrases_name_of(about, i));
    actio_text_number(t, phrases_tidy(about, y, y[i]));
}

static bool differs(double x, double y) { return fabs(x - y) > 1e-14 * (1 + fabs(x)); }

/* The items of one statement as they were written, with new values where they change, and what was not given before.
 * NULL when other statements, families or options would have to change, too, or when it would get long. */
static const char *rewritten(struct actio_about *about, const struct actio_start_item *at, const double *y)
{
    const struct actio_model *m = about->model;
    struct actio_text t;
    size_t listed = 0;
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < m->written.start_items && at; i++) {
        const struct actio_start_item *item = &m->written.start_item[i];
        size_t component = component_of(about, item), n = item->to - item->from;
        const char *text = m->source.text + item->from;
        if (item->statement_from != at->statement_from) continue;
        if (memchr(text, '\n', n) || memchr(text, '#', n)) return NULL;
        if (component != SIZE_MAX && differs(y[component], about->y0[component]))
            add_value(about, &t, y, component, listed == 0);
        else actio_text_format(&t, "%s%.*s", listed ? ", " : "", (int)n, text);
        listed++;
    }
    for (size_t i = 0; i < components(about); i++) {
        if (!differs(y[i], about->y0[i])) continue;
        const struct actio_start_item *item = item_of(about, i);
        if (is_given(about, i) && (!item || item->statement_from != at->statement_from)) return NULL;
        if (!is_given(about, i)) {
            add_value(about, &t, y, i, listed == 0);
            listed++;
        }
    }
    return listed <= MOST_LISTED ? t.s : NULL;
}

const bool *actio_words_to_change(struct actio_about *about, const bool *involved, const double *y)
{
    bool *changes = actio_arena_array(about->arena, 2 * components(about) + 1, sizeof *changes),
         *both = changes + components(about), any = false, any_both = false;
    for (size_t i = 0; i < components(about) && y; i++) {
        if (!differs(y[i], about->y0[i]) || !is_given(about, i)) continue;
        any = changes[i] = true;
        if (involved[i]) any_both = both[i] = true;
    }
    return any_both ? both : any ? changes : involved;
}

static const char *changed_values(struct actio_about *about, const double *y)
{
    struct actio_text t;
    size_t listed = 0, left = 0;
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < components(about); i++) {
        if (!differs(y[i], about->y0[i])) continue;
        if (listed == MOST_LISTED) left++;
        else add_value(about, &t, y, i, listed++ == 0);
    }
    if (left) actio_text_format(&t, " and %zu more", left);
    return t.s;
}

const char *actio_words_start_from(struct actio_about *about, const bool *involved, const double *y)
{
    const struct actio_start_item *at = statement_of(about, involved);
    const char *line = rewritten(about, at, y);
    if (line) return actio_arena_format(about->arena, "%s `start %s`", at ? "write" : "add the line", line);
    return actio_arena_format(about->arena, "start from %s, with all other values unchanged", changed_values(about, y));
}
