/* SPDX-License-Identifier: Apache-2.0
 * Start data that break constraints, in words: which, by how much, what to write instead. */
#include "explain/phrases.h"
#include "expr/normal.h"
#include "solve/motion.h"

#include <math.h>

/* A constraint that does not hold at the start: at which level, and the formula that should vanish there. */
struct violation {
    size_t k;
    double amount;
    bool rate;
    actio_expr e;
};

static struct violation violation_of(const struct actio_about *about, const struct actio_start_check *c, size_t k)
{
    const struct actio_system *sys = about->sys;
    bool position = c->position[k] != 0, rate = false;
    struct violation v = { .k = k, .amount = position ? c->position[k] : c->velocity[k] };
    for (size_t i = 0; i < sys->holonomic; i++)
        if (sys->position_row[i] == k) {
            rate = !position;
            v.e = sys->formation->f[i];
        }
    for (size_t i = 0; i < sys->levels && !position; i++)
        if (sys->velocity_row[i] == k) v.e = sys->formation->phi[i];
    v.rate = rate;
    return v;
}

/* "'rod' (line 4: x^2 + y^2 = 1)", "the time derivative of 'rod' (...), 2*x*x' + 2*y*y' = 0". */
static const char *what_is_broken(struct actio_about *about, const struct violation *v)
{
    struct actio_formation *F = about->sys->formation;
    const char *name = actio_words_constraint(about, (uint32_t)v->k);
    struct actio_text t;
    if (!v->rate) return name;
    actio_text_open(&t, about->arena);
    actio_text_format(&t, "the time derivative of %s", name);
    size_t before = t.length;
    actio_text_add(&t, ", which is ");
    actio_print_nice(&F->pool, v->e, actio_model_symbol_name, F->model, &t);
    actio_text_add(&t, " = 0");
    return t.length - before < 100 ? t.s : actio_arena_text(about->arena, t.s, before);
}

/* Constraints that share variables with a hidden one, directly or through others: it follows from them and the
 * equations of motion. */
static const char *what_it_follows_from(struct actio_about *about, actio_expr e)
{
    const struct actio_system *sys = about->sys;
    enum { MOST = 3 };
    bool *in = actio_words_involved(about, &e, 1), *row = actio_arena_array(about->arena, sys->p + 1, sizeof *row),
         more = true;
    uint32_t *listed = actio_arena_array(about->arena, sys->p + 1, sizeof *listed), count = 0;
    size_t n = sys->n;
    for (size_t i = 0; i < n; i++) in[i] = in[i] || in[n + i];
    for (size_t i = n; i < n + sys->m; i++) in[i] = in[n + i]; /* now by columns: coordinates, states */
    while (more) {
        more = false;
        for (size_t i = 0; i < sys->G.count; i++)
            if (in[sys->G.row[i]] != in[sys->G.col[i]]) more = in[sys->G.row[i]] = in[sys->G.col[i]] = true;
        for (size_t i = 0; i < sys->A.count; i++)
            if (sys->A.row[i] < about->model->constraints && in[sys->A.col[i]] != row[sys->A.row[i]])
                more = row[sys->A.row[i]] = in[sys->A.col[i]] = true;
    }
    for (uint32_t k = 0; k < about->model->constraints; k++)
        if (row[k]) listed[count++] = k;
    if (count == 0) return "the equations of motion";
    return actio_arena_format(about->arena, "%s and the equations of motion",
                              count > MOST ? "the constraints" : actio_words_constraints(about, listed, count));
}

static const double *better_start(const struct actio_about *about, const struct actio_start_check *c)
{
    return c->found ? c->nearest : about->elsewhere;
}

/* Reported once, with the first: what to write, all constraints considered. */
static const char *remedy_for_start(struct actio_about *about, const struct actio_start_check *c,
                                    const struct violation *v, const bool *involved)
{
    const double *y = better_start(about, c);
    const char *kind =
        c->found ? "the nearest data on all constraints" : "data on all constraints (none exist near the given ones)";
    const char *other = v->k < about->model->constraints
                            ? actio_arena_format(about->arena, ", or correct '%s'", about->sys->constraint[v->k])
                            : "";
    if (!y)
        return actio_arena_format(about->arena, "give other start data%s; none near these satisfy all constraints",
                                  other);
    return actio_arena_format(about->arena, "%s, %s%s%s", actio_words_start_from(about, involved, y), kind, other,
                              c->found ? ". Or use `actio run --project`, which takes these data" : "");
}

static void say_violation(struct actio_about *about, const struct actio_start_check *c, const struct violation *v,
                          bool first)
{
    bool written = v->k < about->model->constraints; /* or hidden: then its label is the equation itself */
    const bool *involved = actio_words_involved(about, &v->e, 1);
    const char *values = actio_words_values(about, involved), *what = what_is_broken(about, v), *hint;
    involved = actio_words_to_change(about, involved, better_start(about, c));
    struct actio_span span = actio_words_start_place(about, involved);
    hint = first ? remedy_for_start(about, c, v, involved) : "";
    if (!span.line && written) span = about->model->constraint[v->k].span;
    if (!isfinite(v->amount))
        actio_report_at(about->f, ACTIO_F_START_NO_VALUE, &about->model->source, span,
                        ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what)));
    else if (written)
        actio_report_at(about->f, ACTIO_F_START_BREAKS, &about->model->source, span,
                        ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what), ACTIO_NUMBER(v->amount), ACTIO_TEXT(hint)));
    else
        actio_report_at(about->f, ACTIO_F_START_BREAKS_HIDDEN, &about->model->source, span,
                        ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what), ACTIO_TEXT(what_it_follows_from(about, v->e)),
                                   ACTIO_NUMBER(v->amount), ACTIO_TEXT(hint)));
}

struct saying {
    struct actio_about *about;
    const struct actio_start_check *c;
};

static void say_start(void *user)
{
    struct saying *s = user;
    bool first = true;
    for (size_t k = 0; k < s->about->sys->p; k++) {
        if (s->c->position[k] == 0 && s->c->velocity[k] == 0) continue;
        struct violation v = violation_of(s->about, s->c, k);
        say_violation(s->about, s->c, &v, first);
        if (isfinite(v.amount)) first = false;
    }
}

void actio_explain_start(struct actio_about *about, const struct actio_start_check *c)
{
    actio_attempt(about->ctx, say_start, &(struct saying){ about, c });
}

/* Hidden constraints that the start satisfies; those that it breaks are reported as errors. */
static void say_hidden(void *user)
{
    struct saying *s = user;
    struct actio_about *about = s->about;
    for (size_t k = about->model->constraints; k < about->sys->p; k++) {
        struct violation v = violation_of(about, s->c, k);
        if (v.amount == 0 || about->project)
            actio_explain_report(about, ACTIO_F_HIDDEN_CONSTRAINT,
                                 ACTIO_ARGS(ACTIO_TEXT(actio_words_constraint(about, (uint32_t)k)),
                                            ACTIO_TEXT(what_it_follows_from(about, v.e))));
    }
}

void actio_explain_hidden(struct actio_about *about, const struct actio_start_check *c)
{
    actio_attempt(about->ctx, say_hidden, &(struct saying){ about, c });
}
