/* SPDX-License-Identifier: Apache-2.0
 * A verdict in words: what is wrong or worth knowing, with the line to look at and what to write. What concerns the
 * Lagrangian: lagrangian.c. */
#include "explain/phrases.h"
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <string.h>

/* ---- places */

static struct actio_span constraint_place(const struct actio_about *about, uint32_t k)
{
    return k < about->model->constraints ? about->model->constraint[k].span : (struct actio_span){ 0 };
}

static struct actio_span last_place(const struct actio_about *about, const struct actio_relation *r)
{
    return r->rows ? constraint_place(about, r->row[r->rows - 1]) : (struct actio_span){ 0 };
}

static const char *names_of(struct actio_about *about, const struct actio_relation *r)
{
    return actio_words_constraints(about, r->row, r->rows);
}

/* The variables that the kinetic energy depends on. */
static bool *involved_in_inertia(struct actio_about *about)
{
    struct actio_formation *F = about->sys->formation;
    actio_expr *e = actio_arena_array(about->arena, F->G.count + 1, sizeof *e);
    for (size_t k = 0; k < F->G.count; k++) e[k] = F->G.at[k].e;
    return actio_words_involved(about, e, F->G.count);
}

/* The variables of some constraints and of the directions of their reactions. */
static bool *involved_in(struct actio_about *about, const uint32_t *row, size_t rows)
{
    struct actio_formation *F = about->sys->formation;
    actio_expr *e = actio_arena_array(about->arena, rows + F->D.count + 1, sizeof *e);
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        e[count++] = F->g[row[i]];
        for (size_t k = 0; k < F->D.count && F->model->constraint[row[i]].rule != ACTIO_IDEAL; k++)
            if (F->D.at[k].row == row[i]) e[count++] = F->D.at[k].e; /* where its reaction points */
    }
    return actio_words_involved(about, e, count);
}

/* ---- contradictions */

/* ": x' can't be 0 and 0.5 at once", where two constraints have the same left side and numbers on the right. */
static const char *not_both(struct actio_about *about, const struct actio_relation *r)
{
    struct actio_model *m = about->model;
    if (r->rows != 2 || r->row[0] >= m->constraints || r->row[1] >= m->constraints) return "";
    const struct actio_constraint *a = &m->constraint[r->row[0]], *b = &m->constraint[r->row[1]];
    bool numbers =
        actio_level_of(&m->pool, a->right) <= ACTIO_LV_PARAM && actio_level_of(&m->pool, b->right) <= ACTIO_LV_PARAM;
    if (!numbers || !actio_same(a->left, b->left)) return "";
    struct actio_text t;
    actio_text_open(&t, about->arena);
    actio_print_nice(&m->pool, a->left, actio_model_symbol_name, m, &t);
    return actio_arena_format(about->arena, ": %s can't be %s and %s at once", t.s,
                              actio_words_number(about, actio_model_number(m, a->right)),
                              actio_words_number(about, actio_model_number(m, b->right)));
}

/* Do the two differ by a number or a function of time? Then one of them is meant for something else. */
static bool same_left_side(struct actio_about *about, const struct actio_relation *r)
{
    struct actio_model *m = about->model;
    if (r->rows != 2 || r->row[0] >= m->constraints || r->row[1] >= m->constraints) return false;
    actio_expr difference =
        actio_simplify(&m->pool, actio_sub(&m->pool, m->constraint[r->row[0]].g, m->constraint[r->row[1]].g));
    return actio_level_of(&m->pool, difference) <= ACTIO_LV_TIME;
}

static const char *remedy_for_contradiction(struct actio_about *about, const struct actio_verdict *v,
                                            const struct actio_relation *r)
{
    const char *lines = actio_words_lines(about, r->row, r->rows), *what;
    const char *last = r->rows ? about->sys->constraint[r->row[r->rows - 1]] : "";
    if (r->rows == 1) what = actio_arena_format(about->arena, "correct %s: its two sides are never equal", lines);
    else if (same_left_side(about, r))
        what = actio_arena_format(about->arena,
                                  "delete %s. If '%s' applies to another point or direction, correct its left side. "
                                  "(With equal right sides, one of the two would be redundant.)",
                                  lines, last);
    else what = actio_arena_format(about->arena, "delete or correct one of them: %s", lines);
    if (!v->later) return what;
    return actio_arena_format(about->arena, "%s%s end the interval of time before %.7g", what,
                              what[strlen(what) - 1] == ')' ? " Or" : ", or", v->later_from);
}

static const char *params_of(struct actio_about *about, const struct actio_relation *r)
{
    actio_expr *g = actio_arena_array(about->arena, r->rows + 1, sizeof *g);
    size_t count = 0;
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i] < about->model->constraints) g[count++] = about->model->constraint[r->row[i]].g;
    return actio_words_params(about, g, count);
}

static void say_contradiction(struct actio_about *about, const struct actio_verdict *v)
{
    const char *when = v->later ? actio_arena_format(about->arena, "from t = %.7g on ", v->later_from) : "";
    bool rows = v->contradiction && strcmp(v->contradiction, "accelerations") == 0;
    for (size_t i = 0; i < v->related.contradictories; i++) {
        const struct actio_relation *r = &v->related.contradictory[i];
        const char *names = actio_arena_format(about->arena, "%s%s", names_of(about, r), params_of(about, r)),
                   *remedy = remedy_for_contradiction(about, v, r);
        if (v->jumps)
            actio_report_at(about->f, ACTIO_F_CONTRADICTORY_JUMP, &about->model->source, last_place(about, r),
                            ACTIO_ARGS(ACTIO_TEXT(about->sys->constraint[r->row[0]]), ACTIO_NUMBER(v->later_from)));
        else if (rows)
            actio_report_at(about->f, ACTIO_F_CONTRADICTORY_ROWS, &about->model->source, last_place(about, r),
                            ACTIO_ARGS(ACTIO_TEXT(r->text), ACTIO_TEXT(names), ACTIO_TEXT(when), ACTIO_TEXT(remedy)));
        else
            actio_report_at(about->f, ACTIO_F_CONTRADICTORY_STATES, &about->model->source, last_place(about, r),
                            ACTIO_ARGS(ACTIO_TEXT(v->contradiction), ACTIO_TEXT(names), ACTIO_TEXT(when),
                                       ACTIO_TEXT(not_both(about, r)), ACTIO_TEXT(remedy)));
    }
    if (v->related.contradictories == 0) actio_say_no_motion(about, v);
}

/* ---- singular starts */

const char *actio_words_elsewhere(struct actio_about *about, const struct actio_verdict *v, const bool *involved)
{
    involved = actio_words_to_change(about, involved, v->elsewhere);
    if (!v->elsewhere)
        return "start at another state on the constraints; from this one, no motion or several may exist";
    const char *start = actio_words_start_from(about, involved, v->elsewhere);
    if (about->sys->levels == 0)
        return actio_arena_format(about->arena, "start at another state, for example %s", start);
    return actio_arena_format(
        about->arena,
        "start at another state on the constraints, for example: %s. Or change the start slightly and use `actio run "
        "--project`, which moves it onto the constraints",
        start);
}

static void say_singular_start(struct actio_about *about, const struct actio_verdict *v)
{
    const struct actio_relation *r = &v->related.at_start;
    const bool *involved = r->rows ? involved_in(about, r->row, r->rows) : involved_in_inertia(about);
    const char *what = "the kinetic energy degenerates on the constraints",
               *names = r->rows ? names_of(about, r) : "some constraints";
    if (about->sys->p == 0) what = "the kinetic energy degenerates";
    if (r->rows == 1 && v->start_rank < v->rank)
        what = actio_arena_format(about->arena, "the gradient of %s vanishes", names);
    else if (v->start_rank < v->rank)
        what = actio_arena_format(about->arena, "%s depend on each other (rank %zu there, nearby %zu)", names,
                                  v->start_rank, v->rank);
    struct actio_span span = actio_words_start_place(about, actio_words_to_change(about, involved, v->elsewhere));
    if (!span.line) span = last_place(about, r);
    actio_report_at(about->f, ACTIO_F_SINGULAR_AT_START, &about->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(actio_words_values(about, involved)), ACTIO_TEXT(what),
                               ACTIO_TEXT(actio_words_elsewhere(about, v, involved))));
}

/* ---- constraints without a gradient */

struct flawed {
    const struct actio_constraint *con;
    const char *where, *hint;
    struct actio_span span;
};

/* At the start only, the start is what must change. */
static struct flawed flawed_of(struct actio_about *about, const struct actio_verdict *v, const struct actio_flaw *flaw,
                               const char *remedy)
{
    struct flawed f = { &about->model->constraint[flaw->constraint], "", remedy,
                        about->model->constraint[flaw->constraint].span };
    if (!flaw->at_start_only) return f;
    const bool *involved = involved_in(about, &flaw->constraint, 1);
    struct actio_span start = actio_words_start_place(about, actio_words_to_change(about, involved, v->elsewhere));
    if (start.line) f.span = start;
    f.where = actio_arena_format(about->arena, " at the start %s", actio_words_values(about, involved));
    f.hint = actio_words_elsewhere(about, v, involved);
    return f;
}

static void say_no_reaction(struct actio_about *about, const struct actio_verdict *v, const struct actio_flaw *flaw)
{
    bool along = about->model->constraint[flaw->constraint].rule == ACTIO_ALONG, start = flaw->at_start_only;
    struct flawed f =
        flawed_of(about, v, flaw, along ? "give a direction" : "name variables that occur in the constraint");
    actio_report_at(about->f, ACTIO_F_NO_REACTION, &about->model->source, f.span,
                    ACTIO_ARGS(ACTIO_TEXT(actio_words_constraint(about, flaw->constraint)), ACTIO_TEXT(f.where),
                               ACTIO_TEXT(along   ? "its `along` direction vanishes"
                                          : start ? "it does not change with its `acting` variables"
                                                  : "its `acting` variables do not occur in it"),
                               ACTIO_TEXT(f.hint)));
}

/* The line anew, where the remedy is one equation and nothing else belongs to the line. */
static const char *remedy_for_flaw(struct actio_about *about, const struct actio_flaw *flaw, const char *how)
{
    const struct actio_constraint *con = &about->model->constraint[flaw->constraint];
    if (!flaw->remedy) return "write what must vanish as a separate constraint with a nonzero gradient";
    if (strstr(flaw->remedy, " and "))
        return actio_arena_format(about->arena, "write it %s: %s, each as a separate constraint", how, flaw->remedy);
    bool whole = con->rule == ACTIO_IDEAL && !strchr(con->label, '[');
    return whole ? actio_arena_format(about->arena, "write it %s: `constraint %s: %s`", how, con->label, flaw->remedy)
                 : actio_arena_format(about->arena, "write it %s: %s", how, flaw->remedy);
}

static const char *derivatives_by(const struct actio_about *about, const struct actio_constraint *con)
{
    static const char *const words[] = {
        [ACTIO_HOLONOMIC] = "coordinates", [ACTIO_VELOCITY] = "velocities", [ACTIO_ACCELERATION] = "accelerations"
    };
    return con->kind == ACTIO_VELOCITY && about->model->coords == 0 ? "states" : words[con->kind];
}

static void say_flaw(struct actio_about *about, const struct actio_verdict *v, const struct actio_flaw *flaw)
{
    static const struct {
        const char *what, *how;
    } words[] = {
        [ACTIO_GRADIENT_VANISHES] = { "", "without the square or other power" },
        [ACTIO_GRADIENT_HAS_NO_LIMIT] = { " has a gradient without a limit where it holds",
                                          "without the root, absolute value or switch" },
        [ACTIO_HOLDS_ON_A_JUMP] = { " holds only where it jumps", "without the jump" },
    };
    struct actio_model *m = about->model;
    if (flaw->kind == ACTIO_REACTION_VANISHES) {
        say_no_reaction(about, v, flaw);
        return;
    }
    struct flawed f = flawed_of(about, v, flaw, remedy_for_flaw(about, flaw, words[flaw->kind].how));
    const char *what =
        flaw->at_start_only ? actio_arena_format(about->arena, " has no gradient%s", f.where) : words[flaw->kind].what;
    if (flaw->kind == ACTIO_GRADIENT_VANISHES)
        actio_report_at(
            about->f, ACTIO_F_GRADIENT_VANISHES, &m->source, f.span,
            ACTIO_ARGS(ACTIO_TEXT(f.con->label), ACTIO_TEXT(derivatives_by(about, f.con)), ACTIO_TEXT(f.hint)));
    else
        actio_report_at(about->f, ACTIO_F_GRADIENT_NO_LIMIT, &m->source, f.span,
                        ACTIO_ARGS(ACTIO_TEXT(f.con->label), ACTIO_TEXT(what), ACTIO_TEXT(f.hint)));
}

static void say_touching(struct actio_about *about, const struct actio_verdict *v)
{
    const struct actio_relation *r = &v->related.touching;
    const char *lines = actio_words_lines(about, r->row, r->rows);
    const char *remedy = actio_arena_format(about->arena, "delete %s, or replace them by their common set", lines);
    if (v->related.common)
        remedy = actio_arena_format(about->arena, "delete %s, or write their common set, %s, instead of %s", lines,
                                    v->related.common, v->related.common_is_all ? "them" : "one");
    actio_report_at(about->f, ACTIO_F_TOUCHING, &about->model->source, last_place(about, r),
                    ACTIO_ARGS(ACTIO_TEXT(names_of(about, r)), ACTIO_TEXT(r->text), ACTIO_TEXT(remedy)));
}

static void say_singular(struct actio_about *about, const struct actio_verdict *v)
{
    if (v->related.touching.rows) say_touching(about, v);
    else if (v->flaws == 0) say_singular_start(about, v);
    for (size_t i = 0; i < v->flaws && !v->related.touching.rows; i++) say_flaw(about, v, &v->flaw[i]);
}

/* ---- redundant rows */

/* How often a constraint is differentiated before its row takes part. */
static int derivatives(const struct actio_about *about, const struct actio_relation *r, size_t i)
{
    enum actio_constraint_kind highest = ACTIO_HOLONOMIC, own = about->model->constraint[r->row[i]].kind;
    for (size_t k = 0; k < r->rows; k++)
        if (about->model->constraint[r->row[k]].kind > highest) highest = about->model->constraint[r->row[k]].kind;
    return (int)highest - (int)own;
}

/* "'again' is 1.5 times the time derivative of 'rod'": proved on the formulas, else NULL. */
static const char *proportion(struct actio_about *about, const struct actio_relation *r)
{
    static const char *const of[] = { "", "the time derivative of ", "the second time derivative of " };
    struct actio_model *m = about->model;
    if (r->rows != 2 || !r->constant || r->row[0] >= m->constraints || r->row[1] >= m->constraints) return NULL;
    int more[2] = { derivatives(about, r, 0), derivatives(about, r, 1) };
    actio_expr g[2];
    for (int k = 0; k < 2; k++) {
        g[k] = m->constraint[r->row[k]].g;
        for (int i = 0; i < more[k]; i++) g[k] = actio_rate(&m->pool, g[k]);
    }
    int spare = more[1] > more[0] ? 0 : 1; /* the one that is not differentiated is a multiple of the other */
    double factor = spare == 1 ? r->factor : 1 / r->factor;
    actio_expr left = actio_mul(&m->pool, actio_const(&m->pool, factor), g[!spare]);
    if (!actio_is_identically_zero(&m->pool, actio_sub(&m->pool, g[spare], left))) return NULL;
    const char *times =
        factor == 1 ? "" : actio_arena_format(about->arena, "%s times ", actio_words_number(about, factor));
    const char *name = m->constraint[r->row[spare]].label, *other = m->constraint[r->row[!spare]].label;
    if (factor == 1 && more[!spare] == 0)
        return actio_arena_format(about->arena, "'%s' and '%s' are the same equation", other, name);
    return actio_arena_format(about->arena, "'%s' is %s%s'%s'", name, times, of[more[!spare]], other);
}

/* What follows from what: the others by name while they are few. */
static const char *others_of(struct actio_about *about, const struct actio_relation *r)
{
    struct actio_text t;
    size_t listed = 0;
    if (r->rows > 4) return "the others";
    actio_text_open(&t, about->arena);
    for (size_t i = 0; i < r->rows; i++) {
        if (i == r->spare) continue;
        actio_text_format(&t, "%s'%s'",
                          listed == 0             ? ""
                          : listed + 2 == r->rows ? " and "
                                                  : ", ",
                          about->sys->constraint[r->row[i]]);
        listed++;
    }
    return t.s;
}

static const char *remedy_for_redundant(struct actio_about *about, const struct actio_relation *r)
{
    static const char left[] = "if you keep it, the multipliers with the least sum of squares are shown";
    if (r->spare == r->rows)
        return "keep all of them: none follows from the others. The multipliers with the least sum of squares are "
               "shown";
    if (r->spare > r->rows)
        return actio_arena_format(about->arena,
                                  "delete one that follows from the others to make every multiplier unique; %s", left);
    uint32_t k = r->row[r->spare];
    return actio_arena_format(about->arena,
                              "delete line %u, as '%s' follows from %s, to make every multiplier unique; %s",
                              (unsigned)constraint_place(about, k).line, about->sys->constraint[k],
                              about->model->constraints > r->rows ? "the others" : others_of(about, r), left);
}

static bool all_holonomic(const struct actio_about *about, const struct actio_relation *r)
{
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i] >= about->model->constraints || about->model->constraint[r->row[i]].kind != ACTIO_HOLONOMIC)
            return false;
    return true;
}

/* Does the formula have a condition that time or the motion decides? */
static bool has_switch(struct actio_about *about, uint32_t row)
{
    struct actio_pool *pool = &about->model->pool;
    if (row >= about->model->constraints) return false;
    struct actio_cone cone = actio_cone_of(pool, &about->model->constraint[row].g, 1);
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_IF) return true;
    return false;
}

static void say_redundant(struct actio_about *about, const struct actio_relation *r)
{
    struct actio_span span = r->spare < r->rows ? constraint_place(about, r->row[r->spare]) : last_place(about, r);
    if (r->rows == 1) {
        const char *when = about->off ? about->off[r->row[0]] : NULL;
        actio_report_at(
            about->f, has_switch(about, r->row[0]) ? ACTIO_F_SWITCHED_OFF : ACTIO_F_REDUNDANT_ROW,
            &about->model->source, span,
            ACTIO_ARGS(ACTIO_TEXT(names_of(about, r)), ACTIO_TEXT(when ? when : "on this side of its switch")));
        return;
    }
    const char *how = proportion(about, r);
    if (!how)
        how = actio_arena_format(about->arena, "in their %s, %s",
                                 all_holonomic(about, r) ? "time derivatives" : "terms with velocities", r->text);
    actio_report_at(about->f, ACTIO_F_REDUNDANT_ROWS, &about->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(how), ACTIO_TEXT(names_of(about, r)),
                               ACTIO_TEXT(r->rows == 2 ? "restrict the same velocities" : "depend on each other"),
                               ACTIO_TEXT(remedy_for_redundant(about, r))));
}

/* ---- the whole */

/* Positive kinetic energies leave nothing undetermined and nothing hidden: with a negative one, that is where to look
 * first. */
static bool indefinite_is_cause(const struct actio_verdict *v)
{
    bool inertia = v->word == ACTIO_VERDICT_hidden || v->word == ACTIO_VERDICT_undetermined
                   || (v->word == ACTIO_VERDICT_contradictory && v->related.contradictories == 0);
    return v->inertia[1] && inertia;
}

static void say_too_large(struct actio_about *about)
{
    bool several = about->model->constraints > 1;
    actio_explain_report(
        about, ACTIO_F_HIDDEN_TOO_LARGE,
        ACTIO_ARGS(ACTIO_TEXT(
            several
                ? "let the reactions of different constraints act on different coordinates, or make the model smaller "
                  "and write what follows as constraints"
                : "give every coordinate a mass, or make the model smaller and write what follows as a constraint")));
}

static void say_all(struct actio_about *about, const struct actio_verdict *v)
{
    bool cause = indefinite_is_cause(v);
    if (cause) actio_say_indefinite(about, v, true);
    if (v->word == ACTIO_VERDICT_contradictory) say_contradiction(about, v);
    if (v->word == ACTIO_VERDICT_singular) say_singular(about, v);
    for (size_t i = 0; i < v->closure.undetermineds && v->word == ACTIO_VERDICT_undetermined; i++)
        actio_say_arbitrary(about, v, v->closure.undetermined[i]);
    if (v->at_will)
        actio_explain_report(about, v->pushed ? ACTIO_F_STARTS_PUSHED : ACTIO_F_STARTS_AT_WILL,
                             ACTIO_ARGS(ACTIO_TEXT(about->sys->switches.text[v->at_will - 1])));
    if (v->too_large) say_too_large(about);
    /* of `hidden`: with the start data */
    for (size_t i = 0;
         i < v->closure.hiddens && v->word != ACTIO_VERDICT_contradictory && v->word != ACTIO_VERDICT_hidden; i++)
        actio_explain_report(about, ACTIO_F_HIDDEN_CONSTRAINT,
                             ACTIO_ARGS(ACTIO_TEXT(v->closure.hidden[i].text), ACTIO_TEXT("the equations of motion")));
    for (size_t i = 0; i < v->related.redundants && v->word >= ACTIO_VERDICT_hidden; i++)
        say_redundant(about, &v->related.redundant[i]);
    if (v->inertia[1] && v->word != ACTIO_VERDICT_contradictory && !cause) actio_say_indefinite(about, v, false);
    for (size_t i = 0; i < v->singulars && v->word >= ACTIO_VERDICT_redundant; i++)
        actio_explain_report(about, ACTIO_F_SINGULAR_STATE,
                             ACTIO_ARGS(ACTIO_TEXT(v->singular_at[i].what),
                                        ACTIO_TEXT(actio_explain_state(about, v->singular_at[i].y, NULL))));
}

struct saying {
    struct actio_about *about;
    const struct actio_verdict *v;
};

static void verdict_say(void *user)
{
    struct saying *s = user;
    say_all(s->about, s->v);
}

void actio_explain_verdict(struct actio_about *about, const struct actio_verdict *v)
{
    actio_attempt(about->ctx, verdict_say, &(struct saying){ about, v });
}
