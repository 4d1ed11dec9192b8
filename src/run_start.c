/* SPDX-License-Identifier: Apache-2.0
 * The start of a run: data on the constraints or the nearest that are, redundant rows, singular and undetermined models. */
#include "run_field.h"
#include "run_words.h"
#include "expr/normal.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

const char *actio_run_name(const struct actio_run *run, size_t i)
{
    struct actio_model *m = run->model;
    if (run->sys && run->sys->axes) return i < run->sys->n ? run->sys->variable[i] : run->sys->rate_name[i - run->sys->n];
    if (i < m->coords) return m->coord[i].name;
    if (i < 2 * m->coords) return m->coord[i - m->coords].dot_name;
    i -= 2 * m->coords;
    return i < m->states ? m->state[i].name : run->sys->variable[m->coords + i];             /* a multiplier that is a state */
}

void actio_run_find(struct actio_run *run, enum actio_code code, const struct actio_value arg[6])
{
    actio_find_at(run->f, code, &run->model->source, (struct actio_span){ 0 }, arg);
}

/* The node of a field's value, or -1. */
static long node_of(const struct actio_run *run, size_t i)
{
    const struct actio_model *m = run->model;
    for (size_t v = 0; run->sys && run->sys->axes && v < m->coords; v++) {
        size_t base = run->sys->base[v], at = i % run->sys->n;
        if (m->coord[v].axis && at >= base && at < base + m->axis[m->coord[v].axis - 1].nodes) return (long)(at - base);
    }
    return -1;
}

struct listing { struct actio_run *run; const double *y, *other; struct actio_text text; };

static void list_state(void *user)
{
    struct listing *l = user;
    size_t listed = 0, left = 0;
    actio_text_open(&l->text, &l->run->arena);
    for (size_t i = 0; i < l->run->ny; i++) {
        if (l->other && fabs(l->y[i] - l->other[i]) <= 1e-14 * (1 + fabs(l->y[i]))) continue;
        if (listed == 12) { left++; continue; }
        long node = node_of(l->run, i);
        actio_text_format(&l->text, "%s%s", listed++ ? ", " : "", actio_run_name(l->run, i));
        if (node >= 0) actio_text_format(&l->text, "[%ld]", node);
        actio_text_add(&l->text, " = ");
        if (l->other) actio_text_number(&l->text, l->y[i]);
        else actio_text_format(&l->text, "%.6g", l->y[i]);
    }
    if (left) actio_text_format(&l->text, ", and %zu more", left);
}

const char *actio_run_state_text(struct actio_run *run, const double *y, const double *compared_with)
{
    struct listing l = { .run = run, .y = y, .other = compared_with };
    return actio_attempt(run->ctx, list_state, &l) ? "" : l.text.s;
}

/* ---- start data */

static struct actio_start_check take_check(struct actio_run *run)
{
    return (struct actio_start_check){ .position = actio_take(run->ctx, run->sys->p + 1, sizeof(double)),
                                       .velocity = actio_take(run->ctx, run->sys->p + 1, sizeof(double)),
                                       .nearest = actio_take(run->ctx, run->ny + 1, sizeof(double)) };
}

static void give_check(struct actio_run *run, struct actio_start_check *c)
{
    actio_give(run->ctx, c->position);
    actio_give(run->ctx, c->velocity);
    actio_give(run->ctx, c->nearest);
}

/* A constraint that does not hold at the start: at which level, and the formula that should vanish there. */
struct violation { size_t k; double amount; bool rate; actio_expr e; };

static struct violation violation_of(const struct actio_run *run, const struct actio_start_check *c, size_t k)
{
    const struct actio_system *sys = run->sys;
    bool position = c->position[k] != 0, rate = false;
    struct violation v = { .k = k, .amount = position ? c->position[k] : c->velocity[k] };
    for (size_t i = 0; i < sys->holonomic; i++)
        if (sys->position_row[i] == k) rate = !position, v.e = sys->formation->f[i];
    for (size_t i = 0; i < sys->levels && !position; i++)
        if (sys->velocity_row[i] == k) v.e = sys->formation->phi[i];
    v.rate = rate;
    return v;
}

/* "'rod' (line 4: x^2 + y^2 = 1)", "the time derivative of 'rod' (...), 2*x*x' + 2*y*y' = 0". */
static const char *what_is_broken(struct actio_run *run, const struct violation *v)
{
    struct actio_formation *F = run->sys->formation;
    const char *name = actio_words_constraint(run, (uint32_t)v->k);
    struct actio_text t;
    if (!v->rate) return name;
    actio_text_open(&t, &run->arena);
    actio_text_format(&t, "the time derivative of %s", name);
    size_t before = t.length;
    actio_text_add(&t, ", which is ");
    actio_print_nice(&F->pool, v->e, actio_model_symbol_name, F->model, &t);
    actio_text_add(&t, " = 0");
    return t.length - before < 100 ? t.s : actio_arena_text(&run->arena, t.s, before);
}

/* Constraints that share variables with a hidden one, directly or through others: it follows from them and the equations of motion. */
static const char *what_it_follows_from(struct actio_run *run, actio_expr e)
{
    const struct actio_system *sys = run->sys;
    enum { MOST = 3 };
    bool *in = actio_words_involved(run, &e, 1), *row = actio_arena_array(&run->arena, sys->p + 1, sizeof *row), more = true;
    uint32_t *listed = actio_arena_array(&run->arena, sys->p + 1, sizeof *listed), count = 0;
    size_t n = sys->n;
    for (size_t i = 0; i < n; i++) in[i] = in[i] || in[n + i];
    for (size_t i = n; i < n + sys->m; i++) in[i] = in[n + i];                 /* now by columns: coordinates, states */
    while (more) {
        more = false;
        for (size_t i = 0; i < sys->G.count; i++)
            if (in[sys->G.row[i]] != in[sys->G.col[i]]) more = in[sys->G.row[i]] = in[sys->G.col[i]] = true;
        for (size_t i = 0; i < sys->A.count; i++)
            if (sys->A.row[i] < run->model->constraints && in[sys->A.col[i]] != row[sys->A.row[i]]) more = row[sys->A.row[i]] = in[sys->A.col[i]] = true;
    }
    for (uint32_t k = 0; k < run->model->constraints; k++)
        if (row[k]) listed[count++] = k;
    if (count == 0) return "the equations of motion";
    return actio_arena_format(&run->arena, "%s and the equations of motion", count > MOST ? "the constraints" : actio_words_constraints(run, listed, count));
}

static const double *better_start(const struct actio_run *run, const struct actio_start_check *c) { return c->found ? c->nearest : run->elsewhere; }

/* Told once, with the first: what to write, all constraints considered. */
static const char *remedy_for_start(struct actio_run *run, const struct actio_start_check *c, const struct violation *v, const bool *involved)
{
    const double *y = better_start(run, c);
    const char *kind = c->found ? "the nearest data that satisfy all constraints" : "data that satisfy all constraints (near the given ones there are none)";
    const char *other = v->k < run->model->constraints ? actio_arena_format(&run->arena, ", or correct '%s'", run->sys->constraint[v->k]) : "";
    if (!y) return actio_arena_format(&run->arena, "no data near these that satisfy all constraints were found. Give other start data%s", other);
    return actio_arena_format(&run->arena, "%s, %s%s%s", actio_words_start_from(run, involved, y), kind, other,
                              c->found ? ". `actio run` with the option --project takes these data by itself" : "");
}

static void say_violation(struct actio_run *run, const struct actio_start_check *c, const struct violation *v, bool first)
{
    bool written = v->k < run->model->constraints;         /* or hidden: then its label is the equation itself */
    const bool *involved = actio_words_involved(run, &v->e, 1);
    const char *values = actio_words_values(run, involved), *what = what_is_broken(run, v), *hint;
    involved = actio_words_to_change(run, involved, better_start(run, c));
    struct actio_span span = actio_words_start_place(run, involved);
    hint = first ? remedy_for_start(run, c, v, involved) : "";
    if (!span.line && written) span = run->model->constraint[v->k].span;
    if (!isfinite(v->amount))
        actio_find_at(run->f, ACTIO_F_START_NO_VALUE, &run->model->source, span, ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what)));
    else if (written)
        actio_find_at(run->f, ACTIO_F_START_BREAKS, &run->model->source, span,
                      ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what), ACTIO_NUMBER(v->amount), ACTIO_TEXT(hint)));
    else
        actio_find_at(run->f, ACTIO_F_START_BREAKS_HIDDEN, &run->model->source, span,
                      ACTIO_ARGS(ACTIO_TEXT(values), ACTIO_TEXT(what), ACTIO_TEXT(what_it_follows_from(run, v->e)), ACTIO_NUMBER(v->amount), ACTIO_TEXT(hint)));
}

struct saying { struct actio_run *run; const struct actio_start_check *c; };

static void say_start(void *user)
{
    struct saying *s = user;
    bool first = true;
    for (size_t k = 0; k < s->run->sys->p; k++) {
        if (s->c->position[k] == 0 && s->c->velocity[k] == 0) continue;
        struct violation v = violation_of(s->run, s->c, k);
        say_violation(s->run, s->c, &v, first);
        if (isfinite(v.amount)) first = false;
    }
}

void actio_run_say_start(struct actio_run *run, const struct actio_start_check *c) { actio_attempt(run->ctx, say_start, &(struct saying){ run, c }); }

/* Hidden constraints that the start satisfies; those that it breaks are told as errors. */
static void say_hidden(void *user)
{
    struct saying *s = user;
    struct actio_run *run = s->run;
    for (size_t k = run->model->constraints; k < run->sys->p; k++) {
        struct violation v = violation_of(run, s->c, k);
        if (v.amount == 0 || run->options.project)
            actio_run_find(run, ACTIO_F_HIDDEN_CONSTRAINT, ACTIO_ARGS(ACTIO_TEXT(actio_words_constraint(run, (uint32_t)k)), ACTIO_TEXT(what_it_follows_from(run, v.e))));
    }
}

void actio_run_say_hidden(struct actio_run *run, const struct actio_start_check *c) { actio_attempt(run->ctx, say_hidden, &(struct saying){ run, c }); }

/* A constraint that has no value or no rate at the start is a matter for the verdict. */
static bool has_numbers(const struct actio_run *run, const struct actio_start_check *c)
{
    for (size_t k = 0; k < run->sys->p; k++)
        if (!isfinite(c->position[k]) || !isfinite(c->velocity[k])) return false;
    return true;
}

static int judge_start(struct actio_run *run, const struct actio_start_check *c)
{
    if (run->surveyed) actio_run_say_hidden(run, c);
    if (!c->found || !has_numbers(run, c)) {
        if (run->surveyed) actio_run_say_start(run, c);
        return run->surveyed && run->f->errors ? 1 : ACTIO_UNSETTLED;
    }
    if (!c->consistent && !run->options.project) {
        actio_run_say_start(run, c);
        return 1;
    }
    if (!c->consistent) {
        run->projected = true;
        actio_run_find(run, ACTIO_F_START_PROJECTED, ACTIO_ARGS(ACTIO_TEXT(actio_run_state_text(run, c->nearest, run->y0))));
        if (c->euclidean) actio_run_find(run, ACTIO_F_START_EUCLIDEAN, ACTIO_NO_ARGS);
    }
    memcpy(run->y0, c->nearest, run->ny * sizeof(double));
    return 0;
}

static int check_data(struct actio_run *run)
{
    struct actio_start_check c = take_check(run);
    int bad = !c.position || !c.velocity || !c.nearest;
    if (bad) actio_find(run->f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the start data"), ACTIO_COUNT(run->ctx->bytes_limit)));
    else {
        actio_motion_check_start(&run->motion, run->model->t0, run->y0, &c);
        bad = judge_start(run, &c);
    }
    give_check(run, &c);
    return bad;
}

/* ---- rank */

static size_t rank_at(struct actio_run *run, const double *y, bool *unique)
{
    struct actio_motion *m = &run->motion;
    actio_motion_solve(m, run->model->t0, y);              /* moves there */
    actio_saddle_factor(m->saddle, actio_bound_values(&m->at[ACTIO_Q_MATRIX]));
    return actio_saddle_rank(m->saddle, unique);
}

static int check_rank(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    size_t p = run->sys->p, rank = rank_at(run, run->y0, m->unique);
    if (rank == p || run->sys->hidden) return 0;           /* hidden rows may vanish at rest; the solution itself is asked below */
    actio_saddle_expect_rank(m->saddle, rank);             /* ranks are now judged as for redundant rows */
    bool known = run->surveyed && run->rank == rank;       /* by the verdict, and said */
    if (!known && !run->tentative) return ACTIO_UNSETTLED;
    m->numeric = true;
    m->rank = rank;
    rank_at(run, run->y0, m->unique);
    if (actio_motion_solve(m, run->model->t0, run->y0) == ACTIO_FLOW_SINGULAR) return ACTIO_UNSETTLED;
    return 0;
}

/* Accelerations exist and are unique at the start, whatever way they are computed. */
static int check_regular(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    if (actio_motion_begin(m, run->model->t0, run->y0)) return 0;              /* explained by the run itself */
    if (actio_motion_solve(m, run->model->t0, run->y0) != ACTIO_FLOW_SINGULAR) return 0;
    return ACTIO_UNSETTLED;
}

static int no_way_back(struct actio_run *run, const char *label, struct actio_span span, const char *what)
{
    actio_find_at(run->f, ACTIO_F_NO_WAY_BACK, &run->model->source, span, ACTIO_ARGS(ACTIO_TEXT(label), ACTIO_TEXT(what)));
    return 1;
}

/* Impacts with losses and friction have no inverse. */
static int check_direction(struct actio_run *run)
{
    struct actio_model *m = run->model;
    if (!(m->t1 < m->t0)) return 0;
    for (size_t i = 0; i < m->contacts; i++) {
        const struct actio_contact *c = &m->contact[i];
        if (c->friction.given) return no_way_back(run, c->label, c->span, "friction");
        if (!actio_is_const(&m->pool, c->restitution) || actio_model_number(m, c->restitution) != 1) return no_way_back(run, c->label, c->span, "a restitution other than 1");
    }
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].friction.given) return no_way_back(run, m->constraint[k].label, m->constraint[k].span, "friction");
    return 0;
}

/* On the right side of every wall? */
static int check_contacts(struct actio_run *run)
{
    double depth;
    if (check_direction(run)) return 1;
    size_t i = actio_contacts_beyond(&run->motion, run->model->t0, run->y0, &depth);
    if (i >= run->sys->contacts) return 0;
    const struct actio_contact *c = &run->model->contact[i];
    actio_find_at(run->f, ACTIO_F_START_BEYOND, &run->model->source, c->span,
                  ACTIO_ARGS(ACTIO_TEXT(c->label), ACTIO_NUMBER(depth), ACTIO_TEXT(c->at_most ? "left side <= right side" : "left side >= right side")));
    return 1;
}

int actio_run_examine(struct actio_run *run)
{
    if (run->sys->axes) return actio_run_examine_fields(run);
    if (run->sys->modes) actio_motion_take_sides(&run->motion, run->model->t0, run->y0);
    int bad = run->sys->levels ? check_data(run) : 0;
    if (!bad && run->sys->p) bad = check_rank(run);
    if (!bad && run->motion.contacts) bad = check_contacts(run);
    return bad ? bad : check_regular(run);
}
