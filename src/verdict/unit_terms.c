/* SPDX-License-Identifier: Apache-2.0
 * Terms of a sum whose units do not agree, as they stand in the text: which one is out of line, and what it is made of.
 * */
#include "verdict/units.h"

#include <string.h>

enum { MOST_TERMS = 32, MOST_LENGTH = 60, MOST_SHOWN = 3, MOST_NAMES = 8 };

/* ---- the sum in the text */

static actio_expr made(struct actio_model *m, const struct actio_written_sum *s)
{
    return s->minus ? actio_sub(&m->pool, s->a, s->b) : actio_add(&m->pool, s->a, s->b);
}

/* Sums are shared between lines, and powers of two stand before them: is it this node all the same? */
static bool makes(struct actio_model *m, const struct actio_written_sum *s, uint32_t id)
{
    const struct actio_pool *pool = &m->pool;
    for (uint32_t at = made(m, s).id;;) {
        const struct actio_node *n = &pool->node[at];
        bool scaled = n->op == ACTIO_MUL && actio_is_const(pool, (actio_expr){ n->a });
        if (at == id) return true;
        if (!scaled && n->op != ACTIO_NEG) return false;
        at = scaled ? n->b : n->a;
    }
}

/* In the statement's own line if it is there, else the first (in a let, say). */
static const struct actio_written_sum *find_sum(struct actio_model *m, uint32_t id, uint32_t line)
{
    const struct actio_written_sum *found = NULL;
    for (size_t i = 0; i < m->written.sums; i++) {
        if (!makes(m, &m->written.sum[i], id)) continue;
        if (!found) found = &m->written.sum[i];
        if (actio_source_span(&m->source, m->written.sum[i].from, m->written.sum[i].to).line == line)
            return &m->written.sum[i];
    }
    return found;
}

/* ---- its terms */

struct terms {
    struct actio_written_term at[MOST_TERMS];
    actio_quantity q[MOST_TERMS];
    size_t count, odd;
};

static bool agree(const actio_quantity *a, const actio_quantity *b)
{
    return actio_same_powers(a, b) && actio_same_size(a, b);
}

static bool is_energy(const actio_quantity *q)
{
    struct actio_unit joule;
    actio_unit_read("J", &joule);
    return actio_same_powers(q, &joule.q);
}

/* How much speaks for a term: the others of its unit; in a Lagrangian also that it is an energy. Numbers speak for
 * nothing. */
static size_t support(const struct terms *t, size_t k, bool lagrangian)
{
    size_t count = 0;
    if (t->q[k].number) return 0;
    for (size_t i = 0; i < t->count; i++) count += t->q[i].known && !t->q[i].number && agree(&t->q[i], &t->q[k]);
    return 2 * count + (lagrangian && is_energy(&t->q[k]));
}

/* The term that is out of line has the least support; of equals the last. False when all agree. */
static bool find_odd(struct terms *t, bool lagrangian)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t k = 0; k < t->count; k++) {
        if (!t->q[k].known) continue;
        size_t s = support(t, k, lagrangian);
        if (s <= least) {
            least = s;
            t->odd = k;
        }
        if (s > most) most = s;
    }
    for (size_t k = 0; k < t->count; k++)
        if (t->q[k].known && !agree(&t->q[k], &t->q[t->odd])) return most > 0;
    return false;
}

/* ---- words */

static const char *cut(struct actio_arena *arena, const char *s)
{
    size_t n = 0;
    for (int shown = 0; s[n]; n++)
        if (((unsigned char)s[n] & 0xC0) != 0x80 && ++shown > MOST_LENGTH)
            return actio_arena_format(arena, "%.*s...", (int)n, s);
    return s;
}

const char *actio_unit_formula(struct actio_model *m, struct actio_arena *arena, actio_expr e)
{
    struct actio_text t;
    actio_text_open(&t, arena);
    actio_print(&m->pool, e, actio_model_symbol_name, m, &t);
    return cut(arena, t.s);
}

/* As written; what goes over lines or holds a comment is printed instead. */
static const char *term_text(struct actio_model *m, struct actio_arena *arena, const struct actio_written_term *t)
{
    const char *text = m->source.text + t->from;
    size_t n = t->to - t->from;
    if (memchr(text, '\n', n) || memchr(text, '#', n)) return actio_unit_formula(m, arena, t->e);
    return cut(arena, actio_arena_text(arena, text, n));
}

static void add_unit(struct actio_text *t, const actio_quantity *q)
{
    actio_text_add(t, "[");
    actio_unit_print(q, t);
    actio_text_add(t, "]");
}

/* "`a` and `b` are in [m], but `c` is in [s]": those that agree with the first that does not agree with the odd one. */
static const char *clash_text(struct actio_model *m, struct actio_arena *arena, const struct terms *t)
{
    struct actio_text out;
    size_t first = SIZE_MAX, shown = 0, all = 0;
    for (size_t k = 0; k < t->count; k++) {
        if (!t->q[k].known || t->q[k].number || agree(&t->q[k], &t->q[t->odd])) continue;
        if (first == SIZE_MAX) first = k;
        all += agree(&t->q[k], &t->q[first]);
    }
    actio_text_open(&out, arena);
    for (size_t k = first; k < t->count && shown < MOST_SHOWN; k++) {
        if (!t->q[k].known || t->q[k].number || !agree(&t->q[k], &t->q[first])) continue;
        bool last = ++shown == all;
        actio_text_format(&out, "%s`%s`", shown == 1 ? "" : last ? " and " : ", ", term_text(m, arena, &t->at[k]));
    }
    if (all > shown) actio_text_format(&out, " and %zu more", all - shown);
    actio_text_add(&out, all > 1 ? " are in " : " is in ");
    add_unit(&out, &t->q[first]);
    actio_text_format(&out, ", but `%s` ", term_text(m, arena, &t->at[t->odd]));
    if (t->q[t->odd].number) actio_text_add(&out, "has no unit");
    else {
        actio_text_add(&out, "is in ");
        add_unit(&out, &t->q[t->odd]);
    }
    return out.s;
}

/* ---- what a term is made of */

static const char *declared_of(const struct actio_model *m, actio_slot slot, const char **unit, uint32_t *line)
{
    const struct actio_variable *v = NULL;
    switch (slot.space) {
    case ACTIO_SPACE_PARAM:
        *unit = m->param[slot.index].unit;
        *line = m->param[slot.index].span.line;
        return m->param[slot.index].name;
    case ACTIO_SPACE_HELD:
        *unit = m->resets.held[slot.index].unit;
        *line = m->resets.held[slot.index].span.line;
        return m->resets.held[slot.index].name;
    case ACTIO_SPACE_Q:
    case ACTIO_SPACE_V:
    case ACTIO_SPACE_ACC: v = &m->coord[slot.index]; break;
    case ACTIO_SPACE_STATE:
    case ACTIO_SPACE_SDOT: v = &m->state[slot.index]; break;
    default: return NULL;
    }
    *unit = v->unit;
    *line = v->span.line;
    return v->name;
}

struct name {
    const char *name, *unit;
    uint32_t line;
};

static size_t names_in(struct actio_model *m, actio_expr e, struct name *out)
{
    struct actio_pool *pool = &m->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    size_t count = 0;
    for (uint32_t i = 0; i < cone.count && count < MOST_NAMES; i++) {
        if (pool->node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        struct name n = { 0 };
        n.name = declared_of(m, actio_slot_of(pool, (actio_expr){ cone.id[i] }), &n.unit, &n.line);
        bool known = false;
        for (size_t k = 0; k < count; k++) known = known || out[k].name == n.name;
        if (n.name && n.unit && !known) out[count++] = n;
    }
    return count;
}

const char *actio_unit_names(struct actio_model *m, struct actio_arena *arena, actio_expr e)
{
    struct name name[MOST_NAMES];
    size_t count = names_in(m, e, name);
    struct actio_text t;
    actio_text_open(&t, arena);
    for (size_t k = 0; k < count; k++) {
        bool ends_line = k + 1 == count || name[k + 1].line != name[k].line;
        actio_text_format(&t, "%s%s [%s]", k == 0 ? "" : k + 1 == count ? " and " : ", ", name[k].name, name[k].unit);
        if (ends_line) actio_text_format(&t, " (line %u)", (unsigned)name[k].line);
    }
    return t.s;
}

/* ---- what it could have been */

/* Is the term this param times something without it, and no other term has it? Then its unit follows from the
 * others. */
static bool is_own_factor(struct actio_model *m, const struct terms *t, actio_expr param)
{
    struct actio_pool *pool = &m->pool;
    actio_expr e = t->at[t->odd].e, none = { 0 };
    for (size_t k = 0; k < t->count; k++)
        if (k != t->odd && actio_uses_symbol(pool, t->at[k].e, param)) return false;
    return !actio_uses_symbol(pool, actio_diff(pool, e, param), param)
           && actio_is_zero(actio_substitute(pool, e, &param, &none, 1));
}

/* ", and the terms would agree if g were in [m/s^2]" where that is so for one param only; else "". */
static const char *suggestion(struct actio_model *m, struct actio_arena *arena, const struct terms *t,
                              const struct actio_unit_ask *ask)
{
    struct actio_text out;
    size_t found = 0, other = 0;
    while (other < t->count && (!t->q[other].known || t->q[other].number || agree(&t->q[other], &t->q[t->odd])))
        other++;
    if (other == t->count || t->q[t->odd].number) return "";
    actio_quantity missing = actio_quantity_product(&t->q[other], &t->q[t->odd], -1);
    actio_text_open(&out, arena);
    for (uint32_t i = 0; i < m->params; i++) {
        actio_expr param = actio_symbol(&m->pool, ACTIO_SPACE_PARAM, i);
        if (!m->param[i].unit || !actio_uses_symbol(&m->pool, t->at[t->odd].e, param) || !is_own_factor(m, t, param))
            continue;
        actio_quantity has = ask->quantity(ask->user, param.id), needs = actio_quantity_product(&has, &missing, 1);
        if (!has.known || !needs.known || found++) return "";
        actio_text_format(&out, ", and the terms would agree if %s were in ", m->param[i].name);
        add_unit(&out, &needs);
    }
    return found ? out.s : "";
}

bool actio_unit_clash_of(struct actio_model *m, struct actio_arena *arena, const struct actio_unit_ask *ask,
                         struct actio_unit_clash *out)
{
    const struct actio_written_sum *s = find_sum(m, ask->id, ask->line);
    struct terms t = { 0 };
    if (!s) return false;
    t.count = actio_model_terms(m, s->from, t.at, MOST_TERMS);
    for (size_t k = 0; k < t.count; k++) t.q[k] = ask->quantity(ask->user, t.at[k].e.id);
    if (!find_odd(&t, ask->lagrangian)) return false;
    const struct actio_written_term *odd = &t.at[t.odd];
    const char *names = actio_unit_names(m, arena, odd->e), *could = suggestion(m, arena, &t, ask);
    if (*names && *could) names = actio_arena_format(arena, "%s%s", names, could);
    *out =
        (struct actio_unit_clash){ clash_text(m, arena, &t), names, actio_source_span(&m->source, odd->from, odd->to) };
    return true;
}
