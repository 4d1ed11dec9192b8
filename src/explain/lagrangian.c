/* SPDX-License-Identifier: Apache-2.0
 * What the Lagrangian lacks, in words: coordinates without inertia, equations that nothing can satisfy, negative
 * kinetic energies. The place is the line of the Lagrangian, and the remedy a term to write there. */
#include "explain/phrases.h"
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_ANGLES = 64, MOST_TERMS = 64 };

/* ---- the place */

/* The statement that a coordinate occurs in, else the first. */
static struct actio_span lagrangian_place(struct actio_about *about, size_t i)
{
    struct actio_model *m = about->model;
    const struct actio_part *first = NULL;
    for (size_t k = 0; k < m->written.parts; k++) {
        if (m->written.part[k].is_dissipation) continue;
        if (!first) first = &m->written.part[k];
        bool occurs = i < m->coords
                      && (actio_uses_symbol(&m->pool, m->written.part[k].e, m->coord[i].x)
                          || actio_uses_symbol(&m->pool, m->written.part[k].e, m->coord[i].dot));
        if (occurs) return m->written.part[k].span;
    }
    return first ? first->span : (struct actio_span){ 0 };
}

static bool is_word_sign(char c) { return isalnum((unsigned char)c) || c == '_' || ((unsigned char)c & 0x80); }

/* Is it a word of the text? */
static bool is_written(const struct actio_about *about, const char *word)
{
    const char *text = about->model->source.text;
    size_t n = strlen(word);
    for (const char *p = text; text && (p = strstr(p, word)) != NULL; p += n)
        if ((p == text || !is_word_sign(p[-1])) && !is_word_sign(p[n])) return true;
    return false;
}

static bool is_param(const struct actio_about *about, const char *name)
{
    for (size_t i = 0; i < about->model->params; i++)
        if (strcmp(about->model->param[i].name, name) == 0) return true;
    return false;
}

/* ---- a kinetic energy to write */

/* Does the coordinate occur in the argument of a sine or cosine? Then it is an angle. */
static bool is_angle(struct actio_about *about, size_t i)
{
    struct actio_model *m = about->model;
    actio_expr *e = actio_arena_array(about->arena, m->constraints + 1, sizeof *e), argument[MOST_ANGLES];
    const char *unit = m->coord[i].unit;
    size_t count = 0;
    if (unit) return strcmp(unit, "rad") == 0 || strcmp(unit, "deg") == 0 || strcmp(unit, "1") == 0;
    e[0] = m->lagrangian;
    for (size_t k = 0; k < m->constraints; k++) e[k + 1] = m->constraint[k].g;
    struct actio_cone cone = actio_cone_of(&m->pool, e, m->constraints + 1);
    for (uint32_t k = 0; k < cone.count && count < MOST_ANGLES; k++) {
        const struct actio_node *n = &m->pool.node[cone.id[k]];
        if (n->op == ACTIO_SIN || n->op == ACTIO_COS || n->op == ACTIO_TAN) argument[count++] = (actio_expr){ n->a };
    }
    for (size_t k = 0; k < count; k++)
        if (actio_uses_symbol(&m->pool, argument[k], m->coord[i].x)) return true;
    return false;
}

/* y1 and y2, a[1] and a[2]: the same letters. */
static bool same_stem(const char *a, const char *b)
{
    size_t n = strcspn(a, "0123456789[_");
    return n > 0 && n == strcspn(b, "0123456789[_") && strncmp(a, b, n) == 0;
}

/* m*y2'^2/2 where y1 has m*y1'^2/2 and differs in its number only; NULL without such a one. */
static const char *term_like_others(struct actio_about *about, size_t i)
{
    struct actio_formation *F = about->sys->formation;
    for (size_t k = 0; k < F->G.count; k++) {
        size_t j = F->G.at[k].row;
        actio_expr e = F->G.at[k].e;
        if (j == i || j >= F->n || F->G.at[k].col != j || !same_stem(F->model->coord[i].name, F->model->coord[j].name))
            continue;
        if (actio_level_of(&F->pool, e) > ACTIO_LV_PARAM) continue;
        struct actio_text t;
        actio_text_open(&t, about->arena);
        e = actio_mul(&F->pool, actio_const(&F->pool, 0.5),
                      actio_mul(&F->pool, e, actio_power(&F->pool, F->sym.v[i], 2)));
        actio_print_nice(&F->pool, e, actio_model_symbol_name, F->model, &t);
        return actio_arena_format(about->arena, "`%s`", t.s);
    }
    return NULL;
}

/* "`J/2*th'^2` with `param J = 1`": an inertia of its own, by a param that is there or a name that is not used. */
static const char *kinetic_term(struct actio_about *about, size_t i)
{
    static const char *const names[2][4] = { { "m", "M", "m_1", "mass" }, { "J", "I", "J_1", "inertia" } };
    const char *like = term_like_others(about, i), *name = about->model->coord[i].name;
    if (like) return like;
    bool angle = is_angle(about, i);
    const char *const *letter = names[angle], *chosen = letter[3];
    for (size_t k = 4; k-- > 0;)
        if (is_param(about, letter[k]) || !is_written(about, letter[k])) chosen = letter[k];
    if (is_param(about, chosen)) return actio_arena_format(about->arena, "`%s/2*%s'^2`", chosen, name);
    return actio_arena_format(about->arena, "`%s/2*%s'^2` with `param %s = 1`, its %s", chosen, name, chosen,
                              angle ? "moment of inertia" : "mass");
}

/* ---- accelerations that nothing determines */

/* Does the acceleration of a coordinate stand in any equation of motion? */
static bool has_inertia(const struct actio_system *sys, size_t i)
{
    for (size_t k = 0; k < sys->G.count; k++)
        if (sys->G.row[k] == i) return true;
    return false;
}

/* Reactions of its own kind, of rows that depend on each other: the masses are there, and the reactions are too few or
 * too many. */
static bool reactions_are_at_fault(const struct actio_about *about, const struct actio_verdict *v, size_t i)
{
    bool own = false;
    for (size_t k = 0; k < about->model->constraints; k++) own = own || about->model->constraint[k].rule != ACTIO_IDEAL;
    return own && has_inertia(about->sys, i) && v->rank < about->sys->p;
}

static const char *free_label(const struct actio_about *about)
{
    static const char *const labels[] = { "hold", "drive", "given" };
    for (size_t k = 0; k < 3; k++)
        if (!is_written(about, labels[k])) return labels[k];
    return "prescribed";
}

void actio_say_arbitrary(struct actio_about *about, const struct actio_verdict *v, uint32_t i)
{
    struct actio_model *m = about->model;
    if (i >= m->coords) {
        const struct actio_variable *s = &m->state[i - m->coords];
        actio_report_at(
            about->f, ACTIO_F_ARBITRARY, &m->source, s->span,
            ACTIO_ARGS(
                ACTIO_TEXT(s->name), ACTIO_TEXT("neither the flows nor the constraints determine its rate"),
                ACTIO_TEXT(actio_arena_format(
                    about->arena, "write an independent flow with %s' on its left side, or a constraint", s->name))));
        return;
    }
    const char *name = m->coord[i].name, *why = "the kinetic energy and the constraints do not determine it";
    if (!actio_uses_symbol(&m->pool, m->lagrangian, m->coord[i].dot))
        why = actio_arena_format(about->arena, "the lagrangian does not contain %s' and no constraint determines it",
                                 name);
    const char *hint = actio_arena_format(about->arena,
                                          "add the kinetic energy of %s to the lagrangian, for example %s. Or "
                                          "prescribe its motion, for example with `constraint %s: %s' = %s`",
                                          name, kinetic_term(about, i), free_label(about), name,
                                          actio_words_number(about, about->y0[m->coords + i]));
    struct actio_span place = lagrangian_place(about, i);
    if (reactions_are_at_fault(about, v, i)) {
        why = "the constraints are dependent, and their reactions act in different ways (`acting`, `along`)";
        hint = "delete a constraint that follows from the others, or let it act as they do";
        place = m->constraint[m->constraints - 1].span;
    }
    actio_report_at(about->f, ACTIO_F_ARBITRARY, &m->source, place,
                    ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(why), ACTIO_TEXT(hint)));
}

/* ---- equations of motion that nothing can satisfy */

static bool has_reaction(const struct actio_system *sys, size_t i)
{
    for (size_t k = 0; k < sys->D.count; k++)
        if (sys->D.col[k] == i) return true;
    return false;
}

/* The coordinate whose own equation of motion is what can't be satisfied: no inertia, no reaction, the same formula. n:
 * none. */
static size_t whose_equation(struct actio_about *about, const struct actio_verdict *v)
{
    struct actio_formation *F = v->F;
    for (size_t i = 0; i < F->n && v->closure.hiddens; i++) {
        if (has_inertia(about->sys, i) || has_reaction(about->sys, i)) continue;
        actio_expr own = actio_equation_form(&F->pool, actio_simplify(&F->pool, F->h[i]));
        if (actio_same(own, v->closure.hidden_e[v->closure.hiddens - 1])) return i;
    }
    return F->n;
}

static const char *why_no_motion(struct actio_about *about, const struct actio_verdict *v, size_t i)
{
    struct actio_model *m = about->model;
    const char *equation = v->closure.hiddens ? v->closure.hidden[v->closure.hiddens - 1].text : "a contradiction";
    if (i >= m->coords) return actio_arena_format(about->arena, "the equations of motion require %s", equation);
    const char *name = m->coord[i].name;
    bool rate = actio_uses_symbol(&m->pool, m->lagrangian, m->coord[i].dot),
         itself = actio_uses_symbol(&m->pool, m->lagrangian, m->coord[i].x);
    const char *why = rate ? "the lagrangian gives it no inertia"
                           : actio_arena_format(about->arena,
                                                itself ? "the lagrangian contains %s, but not %s'"
                                                       : "the lagrangian does not contain %s'",
                                                name, name);
    return actio_arena_format(about->arena, "the equation of %s reads %s: %s", name, equation, why);
}

void actio_say_no_motion(struct actio_about *about, const struct actio_verdict *v)
{
    struct actio_model *m = about->model;
    size_t own = whose_equation(about, v), i = own;
    if (i == m->coords)
        for (i = 0; i < m->coords && has_inertia(about->sys, i);) i++;
    const char *hint =
        "add kinetic energy for the velocities that the constraints leave free, or remove a force or a constraint";
    if (i < m->coords)
        hint = actio_arena_format(about->arena,
                                  "add the kinetic energy of %s to the lagrangian, for example %s (or check for a "
                                  "mistyped name). Or couple %s to other coordinates by a constraint",
                                  m->coord[i].name, kinetic_term(about, i), m->coord[i].name);
    actio_report_at(about->f, ACTIO_F_NO_MOTION, &m->source, lagrangian_place(about, i),
                    ACTIO_ARGS(ACTIO_TEXT(why_no_motion(about, v, own)), ACTIO_TEXT(hint)));
}

/* ---- negative kinetic energies */

struct term {
    const struct actio_part *part;
    struct actio_written_term at;
    double size;
};

static double second_derivative(struct actio_model *m, actio_expr e, actio_expr by)
{
    return actio_value_of(&m->pool, actio_diff(&m->pool, actio_diff(&m->pool, e, by), by), actio_start_value, m);
}

static void narrow(struct term *t, actio_expr e, bool minus, uint32_t from, uint32_t to, double size)
{
    if (size < 0 && to - from < t->at.to - t->at.from) t->at = (struct actio_written_term){ e, minus, from, to };
}

/* (a'^2 - b'^2)/2: the part of the term that is negative by itself, where there is one. */
static void look_inside(struct actio_about *about, struct term *t, actio_expr by)
{
    struct actio_model *m = about->model;
    const struct actio_written_term whole = t->at;
    for (size_t i = 0; i < m->written.sums; i++) {
        const struct actio_written_sum *s = &m->written.sum[i];
        if (s->from < whole.from || s->to > whole.to) continue;
        narrow(t, s->a, false, s->from, s->at, second_derivative(m, s->a, by));
        narrow(t, s->b, s->minus, s->at + 1, s->to, (s->minus ? -1 : 1) * second_derivative(m, s->b, by));
    }
    actio_written_trim(m, &t->at);
}

/* The term of the Lagrangian that is most negative in this velocity, as it stands in the text. */
static struct term negative_term(struct actio_about *about, size_t i)
{
    struct actio_model *m = about->model;
    struct term worst = { 0 };
    struct actio_written_term *term = actio_arena_array(about->arena, MOST_TERMS, sizeof *term);
    for (size_t k = 0; k < m->written.parts; k++) {
        const struct actio_part *part = &m->written.part[k];
        size_t count = part->is_dissipation ? 0 : actio_model_terms(m, part->from, term, MOST_TERMS);
        if (count == 0 && !part->is_dissipation)
            term[count++] = (struct actio_written_term){ .e = part->e, .from = part->from, .to = part->to };
        for (size_t j = 0; j < count; j++) {
            double size = (term[j].minus ? -1 : 1) * second_derivative(m, term[j].e, m->coord[i].dot);
            if (size < worst.size) worst = (struct term){ part, term[j], size };
        }
    }
    if (worst.part) look_inside(about, &worst, m->coord[i].dot);
    return worst;
}

static size_t coordinate_named(const struct actio_about *about, const char *name)
{
    size_t i = 0;
    while (i < about->model->coords && (!name || strcmp(about->model->coord[i].name, name) != 0)) i++;
    return i;
}

/* " (`-b'^2/2`)" between the words given, where the term stands in one line. */
static const char *term_text(struct actio_about *about, const struct term *t, const char *before, const char *sign,
                             const char *after)
{
    const char *text = about->model->source.text + t->at.from;
    size_t n = t->at.to - t->at.from;
    if (!t->part || n > 60 || memchr(text, '\n', n) || memchr(text, '#', n)) return "";
    return actio_arena_format(about->arena, "%s`%s%.*s`%s", before, sign, (int)n, text, after);
}

void actio_say_indefinite(struct actio_about *about, const struct actio_verdict *v, bool is_cause)
{
    struct actio_model *m = about->model;
    size_t i = coordinate_named(about, v->negative);
    struct term t = i < m->coords ? negative_term(about, i) : (struct term){ 0 };
    uint32_t from = t.at.from;
    /* the sign is what may be wrong */
    while (t.at.minus && from > t.part->from && m->source.text[from] != '-') from--;
    struct actio_span span = t.part ? actio_source_span(&m->source, from, t.at.to) : lagrangian_place(about, i);
    const char *who =
        i < m->coords ? actio_arena_format(about->arena, "%s a negative kinetic energy%s", m->coord[i].name,
                                           term_text(about, &t, " (", t.at.minus ? "-" : "", ")"))
        : v->negative && strlen(v->negative) <= 80
            ? actio_arena_format(about->arena, "a negative kinetic energy to motions along %s", v->negative)
        : v->negative ? "a negative kinetic energy to some motions"
                      : "a negative kinetic energy to some motions, though not at the start";
    const char *more =
        v->inertia[1] > 1 ? actio_arena_format(about->arena, ", one of %d such directions", v->inertia[1]) : "";
    const char *what =
        actio_arena_format(about->arena, "%s%s", more, is_cause ? "" : "; such motions may be unstable or unphysical");
    const char *sure = v->inertia[2] == 0 ? "follow from it" : "may follow from it";
    const char *hint = "check the signs of the squared velocities if this is not intended";
    if (is_cause)
        hint = actio_arena_format(about->arena, "correct this %s first if it is a mistake%s. The errors below %s",
                                  t.part ? "sign" : "kinetic energy",
                                  t.at.minus ? term_text(about, &t, ": write ", "+ ", "") : "", sure);
    actio_report_at(about->f, ACTIO_F_INDEFINITE, &m->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(who), ACTIO_TEXT(what), ACTIO_TEXT(hint)));
}
