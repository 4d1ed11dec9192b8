/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model at work: the box it looks into, its words as findings, and the system with the constraints that follow. */
#include "run.h"
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the box */

/* Around the start: as far as the values themselves and 1 more. */
static void widen(double *low, double *high)
{
    double range = *high - *low, size = fmax(fabs(*low), fabs(*high)), more = 1 + 0.5 * size + range;
    *low -= more, *high += more;
}

/* Where the motion goes at a rough tolerance; what can't be computed is left out. */
enum { ROWS = 65 };

static void visit(struct actio_run *run, struct actio_box *box)
{
    struct actio_findings silent;
    struct actio_rows rows = { 0 };
    double times[ROWS], *start = actio_arena_array(&run->arena, run->ny + 1, sizeof *start);
    struct actio_model *m = run->model;
    if (!m->has_time) return;
    box->end = actio_arena_array(&run->arena, run->ny + 1, sizeof *box->end);
    actio_findings_open(&silent, run->ctx);
    struct actio_findings *outer = run->ctx->findings, *own = run->f;
    run->ctx->findings = run->f = &silent;
    for (int i = 0; i < ROWS; i++) times[i] = m->t0 + (m->t1 - m->t0) * i / (ROWS - 1);
    memcpy(start, run->y0, run->ny * sizeof *start);
    run->tentative = true;
    if (actio_run_examine(run) == 0 && actio_rows_open(&rows, &run->motion, times, ROWS, m->t1 < m->t0) == 0) {
        struct actio_march_task task = { .stepper = &actio_dop853, .t0 = m->t0, .t1 = m->t1, .rtol = 1e-5, .atol = 1e-5, .y0 = run->y0, .rows = { { ROWS, times, rows.y, ROWS } },
                                         .max_steps = 20000 };
        struct actio_march_result result = { .y = box->end };
        if (actio_motion_begin(&run->motion, m->t0, run->y0) == 0) actio_march(run->ctx, &run->motion.flow, &task, &result);
        box->t_end = result.t, box->rows_disagreed = run->motion.stop == ACTIO_STOP_CONTRADICTION;
        for (size_t i = 0; i < run->ny; i++)
            for (size_t r = 0; r < result.rows; r++) {
                double x = box->seed[r * run->ny + i] = rows.y[i * ROWS + r];
                if (isfinite(x)) box->low[i] = fmin(box->low[i], x), box->high[i] = fmax(box->high[i], x);
            }
        box->seeds = result.rows;
    }
    run->tentative = false;
    memcpy(run->y0, start, run->ny * sizeof *start);       /* as given: examining puts it on the constraints */
    actio_rows_close(&rows);
    run->ctx->findings = outer, run->f = own;
    actio_findings_close(&silent);
}

static void make_box(struct actio_run *run, struct actio_box *box)
{
    for (size_t i = 0; i < run->ny; i++) box->low[i] = box->high[i] = run->y0[i];
    visit(run, box);
    for (size_t i = 0; i < run->ny; i++) {
        widen(&box->low[i], &box->high[i]);
        if (run->box_given && run->box_given[i]) box->low[i] = run->box_low[i], box->high[i] = run->box_high[i];
    }
}

/* ---- the survey */

struct surveying { struct actio_run *run; bool judging; struct actio_verdict *verdict; struct actio_kernels in_use; };

static void survey(void *user)
{
    struct surveying *s = user;
    struct actio_run *run = s->run;
    struct actio_box box = { .low = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)), .high = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)),
                             .seed = actio_arena_array(&run->arena, ROWS * run->ny + 1, sizeof(double)) };
    box.in_use = &s->in_use, box.rows = ROWS;
    box.t1 = run->model->has_time ? run->model->t1 : 1;    /* constraints that depend on time are looked at at other times, too */
    box.look_later = s->judging && run->model->has_time;
    make_box(run, &box);
    s->verdict = actio_survey(run->sys->formation, run->param, run->model->has_time ? run->model->t0 : 0, run->y0, &box);
}

struct actio_verdict *actio_run_survey(struct actio_run *run, bool judging)
{
    struct surveying s = { .run = run, .judging = judging };
    int bad = actio_attempt(run->ctx, survey, &s);
    for (size_t i = 0; i < ACTIO_MOST_KERNELS; i++)
        if (s.in_use.k[i]) actio_kernel_free(s.in_use.k[i]);
    return bad ? NULL : s.verdict;
}

/* ---- its words */

/* "'rod' (line 4: x^2 + y^2 = 1)" */
static void add_constraint(struct actio_run *run, struct actio_text *t, uint32_t k)
{
    struct actio_model *m = run->model;
    actio_text_format(t, "'%s'", run->sys->constraint[k]);
    if (k >= m->constraints) return;
    actio_text_format(t, " (line %u: ", (unsigned)m->constraint[k].span.line);
    actio_print_nice(&m->pool, m->constraint[k].left, actio_model_symbol_name, m, t);
    actio_text_add(t, " = ");
    actio_print_nice(&m->pool, m->constraint[k].right, actio_model_symbol_name, m, t);
    actio_text_add(t, ")");
}

static const char *names_of(struct actio_run *run, const struct actio_relation *r)
{
    struct actio_text t;
    actio_text_open(&t, &run->arena);
    for (size_t i = 0; i < r->rows; i++) {
        actio_text_add(&t, i == 0 ? "" : i + 1 == r->rows ? " and " : ", ");
        add_constraint(run, &t, r->row[i]);
    }
    return t.s;
}

static struct actio_span place_of(struct actio_run *run, const struct actio_relation *r)
{
    return r->rows && r->row[r->rows - 1] < run->model->constraints ? run->model->constraint[r->row[r->rows - 1]].span : (struct actio_span){ 0 };
}

/* Does the acceleration of a coordinate stand in any equation of motion? */
static bool has_inertia(const struct actio_system *sys, size_t i)
{
    bool found = false;
    for (size_t k = 0; k < sys->G.count; k++) found = found || sys->G.row[k] == i;
    return found;
}

static const char *remedy_for_no_motion(struct actio_run *run)
{
    const struct actio_system *sys = run->sys;
    struct actio_text t;
    size_t listed = 0;
    actio_text_open(&t, &run->arena);
    for (size_t i = 0; i < sys->n; i++)
        if (!has_inertia(sys, i)) actio_text_format(&t, "%s%s", listed++ ? ", " : "", sys->variable[i]);
    if (listed == 0) return "the Lagrangian does not fit the constraints: on the velocities that they leave free, the kinetic energy is degenerate and cannot take up the forces";
    actio_text_format(&t, "%s no mass or inertia in the Lagrangian, but a force: give %s a mass, or tie %s to the others by a constraint", listed > 1 ? " have" : " has", listed > 1 ? "each" : "it",
                      listed > 1 ? "each" : "it");
    return t.s;
}

static struct actio_span variable_place(const struct actio_run *run, size_t i)
{
    struct actio_model *m = run->model;
    return i < m->coords ? m->coord[i].span : m->state[i - m->coords].span;
}

/* The first coordinate without inertia is the place of an equation of motion that nothing can satisfy. */
static void say_no_motion(struct actio_run *run, const struct actio_verdict *v)
{
    size_t i = 0;
    while (i < run->sys->n && has_inertia(run->sys, i)) i++;
    actio_find_at(run->f, ACTIO_F_NO_MOTION, &run->model->source, i < run->sys->n ? variable_place(run, i) : (struct actio_span){ 0 },
                  ACTIO_ARGS(ACTIO_TEXT(v->hiddens ? v->hidden[v->hiddens - 1].text : "a contradiction"), ACTIO_TEXT(remedy_for_no_motion(run))));
}

/* Without a time when it is so from the start. */
static const char *from_when(struct actio_run *run, const struct actio_verdict *v)
{
    return v->later ? actio_arena_format(&run->arena, "from t = %.7g on ", v->later_from) : "";
}

static void say_contradiction(struct actio_run *run, const struct actio_verdict *v)
{
    const char *when = from_when(run, v);
    const char *remedy = v->later ? actio_arena_format(&run->arena, ", or end the interval of time before %.7g", v->later_from) : "";
    for (size_t i = 0; i < v->contradictories; i++) {
        const struct actio_relation *r = &v->contradictory[i];
        const char *what = r->rows == 1 ? "correct a side of it" : "constraints that exclude each other: take one out, or correct a right side";
        if (strcmp(v->contradiction, "accelerations") == 0)
            actio_find_at(run->f, ACTIO_F_CONTRADICTORY_ROWS, &run->model->source, place_of(run, r),
                          ACTIO_ARGS(ACTIO_TEXT(r->text), ACTIO_TEXT(names_of(run, r)), ACTIO_TEXT(when), ACTIO_TEXT(remedy)));
        else actio_find_at(run->f, ACTIO_F_CONTRADICTORY_STATES, &run->model->source, place_of(run, r),
                           ACTIO_ARGS(ACTIO_TEXT(v->contradiction), ACTIO_TEXT(names_of(run, r)), ACTIO_TEXT(when),
                                      ACTIO_TEXT(actio_arena_format(&run->arena, "%s%s", what, remedy))));
    }
    if (v->contradictories == 0) say_no_motion(run, v);
}

/* ---- constraints without a gradient */

static void say_no_reaction(struct actio_run *run, const struct actio_flaw *flaw)
{
    const struct actio_constraint *con = &run->model->constraint[flaw->constraint];
    bool along = con->rule == ACTIO_ALONG, start = flaw->at_start_only;
    actio_find_at(run->f, ACTIO_F_NO_REACTION, &run->model->source, con->span,
                  ACTIO_ARGS(ACTIO_TEXT(con->label), ACTIO_TEXT(start ? " at the start" : ""),
                             ACTIO_TEXT(along ? "what it is `along` vanishes" : start ? "it does not change with what it is `acting` on" : "what it is `acting` on does not occur in it"),
                             ACTIO_TEXT(start ? "start a little away from this state" : along ? "give a direction" : "name variables that occur in the constraint")));
}

static void say_flaw(struct actio_run *run, const struct actio_flaw *flaw)
{
    if (flaw->kind == ACTIO_REACTION_VANISHES) { say_no_reaction(run, flaw); return; }
    static const struct { const char *what, *how; } words[] = {
        [ACTIO_GRADIENT_VANISHES] = { "", "without the square (or even power)" },
        [ACTIO_GRADIENT_HAS_NO_LIMIT] = { "is written so that its gradient has no limit where it holds", "without the root, absolute value or switch" },
        [ACTIO_HOLDS_ON_A_JUMP] = { "holds only where it jumps", "without the jump" },
    };
    struct actio_model *m = run->model;
    const struct actio_constraint *con = &m->constraint[flaw->constraint];
    bool several = flaw->remedy && strstr(flaw->remedy, " and ");
    const char *remedy = "write what must vanish as a constraint of its own, with a gradient";
    if (flaw->remedy) remedy = actio_arena_format(&run->arena, "write it %s: %s%s", words[flaw->kind].how, flaw->remedy, several ? ", each a constraint of its own" : "");
    if (flaw->kind == ACTIO_GRADIENT_VANISHES)
        actio_find_at(run->f, ACTIO_F_GRADIENT_VANISHES, &m->source, con->span, ACTIO_ARGS(ACTIO_TEXT(con->label), ACTIO_TEXT(remedy)));
    else actio_find_at(run->f, ACTIO_F_GRADIENT_NO_LIMIT, &m->source, con->span,
                       ACTIO_ARGS(ACTIO_TEXT(con->label), ACTIO_TEXT(flaw->at_start_only ? "has no gradient at the start" : words[flaw->kind].what),
                                  ACTIO_TEXT(flaw->at_start_only ? "start a little away from this state" : remedy)));
}

static void say_touching(struct actio_run *run, const struct actio_verdict *v)
{
    const struct actio_relation *r = &v->touching;
    const char *remedy = "take one out, or replace them by what they have in common";
    if (v->common && v->common_is_all) remedy = actio_arena_format(&run->arena, "take one out, or write what they have in common in their place: %s", v->common);
    else if (v->common) remedy = actio_arena_format(&run->arena, "take one out, or write what they have in common, %s, in place of one", v->common);
    actio_find_at(run->f, ACTIO_F_TOUCHING, &run->model->source, place_of(run, r), ACTIO_ARGS(ACTIO_TEXT(names_of(run, r)), ACTIO_TEXT(r->text), ACTIO_TEXT(remedy)));
}

static void say_singular_start(struct actio_run *run, const struct actio_verdict *v)
{
    const struct actio_relation *r = &v->start_relation;
    const char *what = "the kinetic energy degenerates on the constraints";
    if (r->rows == 1 && v->start_rank < v->rank) what = actio_arena_format(&run->arena, "the gradient of %s vanishes", names_of(run, r));
    else if (v->start_rank < v->rank) what = actio_arena_format(&run->arena, "%s restrict the same velocities (they count for %zu, nearby for %zu)",
                                                                r->rows ? names_of(run, r) : "some constraints", v->start_rank, v->rank);
    actio_find_at(run->f, ACTIO_F_SINGULAR_AT_START, &run->model->source, r->rows ? place_of(run, r) : (struct actio_span){ 0 }, ACTIO_ARGS(ACTIO_TEXT(what)));
}

static void say_singular(struct actio_run *run, const struct actio_verdict *v)
{
    if (v->touching.rows) say_touching(run, v);
    else if (v->flaws == 0) say_singular_start(run, v);
    for (size_t i = 0; i < v->flaws && !v->touching.rows; i++) say_flaw(run, &v->flaw[i]);
}

static void say_redundant(struct actio_run *run, const struct actio_relation *r)
{
    if (r->rows == 1) {
        actio_find_at(run->f, ACTIO_F_REDUNDANT_ROW, &run->model->source, place_of(run, r), ACTIO_ARGS(ACTIO_TEXT(names_of(run, r))));
        return;
    }
    const char *remedy = "harmless: take out one that follows from the others, and the multipliers have one value each; left in, the smallest ones are shown";
    if (r->spare < r->rows) remedy = actio_arena_format(&run->arena, "harmless: '%s' follows from the other%s: take it out, and the multipliers have one value each; left in, the smallest ones are shown",
                                                        run->sys->constraint[r->row[r->spare]], run->model->constraints > 2 ? "s" : "");
    else if (r->spare == r->rows) remedy = "harmless: none of them follows from the others, so that all are needed; of the multipliers the smallest ones are shown";
    actio_find_at(run->f, ACTIO_F_REDUNDANT_ROWS, &run->model->source, place_of(run, r), ACTIO_ARGS(ACTIO_TEXT(r->text), ACTIO_TEXT(names_of(run, r)), ACTIO_TEXT(remedy)));
}

static void say_all(struct actio_run *run, const struct actio_verdict *v)
{
    struct actio_model *m = run->model;
    if (v->word == ACTIO_VERDICT_contradictory) say_contradiction(run, v);
    if (v->word == ACTIO_VERDICT_singular) say_singular(run, v);
    for (size_t i = 0; i < v->undetermineds && v->word == ACTIO_VERDICT_undetermined; i++)
        actio_find_at(run->f, ACTIO_F_ARBITRARY, &m->source, variable_place(run, v->undetermined[i]), ACTIO_ARGS(ACTIO_TEXT(run->sys->variable[v->undetermined[i]])));
    if (v->too_large) actio_run_find(run, ACTIO_F_HIDDEN_TOO_LARGE, ACTIO_NO_ARGS);
    for (size_t i = 0; i < v->hiddens && v->word != ACTIO_VERDICT_contradictory; i++)
        actio_run_find(run, ACTIO_F_HIDDEN_CONSTRAINT, ACTIO_ARGS(ACTIO_TEXT(v->hidden[i].text)));
    for (size_t i = 0; i < v->redundants && v->word >= ACTIO_VERDICT_hidden; i++) say_redundant(run, &v->redundant[i]);
    if (v->inertia[1] && v->word != ACTIO_VERDICT_contradictory)
        actio_run_find(run, ACTIO_F_INDEFINITE, ACTIO_ARGS(ACTIO_COUNT(v->inertia[1]), ACTIO_COUNT(run->sys->n), ACTIO_TEXT(v->negative ? v->negative : "another direction elsewhere")));
    for (size_t i = 0; i < v->singulars && v->word >= ACTIO_VERDICT_redundant; i++)
        actio_run_find(run, ACTIO_F_SINGULAR_STATE, ACTIO_ARGS(ACTIO_TEXT(v->singular_at[i].what), ACTIO_TEXT(actio_run_state_text(run, v->singular_at[i].y, NULL))));
}

struct saying { struct actio_run *run; const struct actio_verdict *v; };

static void say(void *user)
{
    struct saying *s = user;
    say_all(s->run, s->v);
}

void actio_run_say_verdict(struct actio_run *run, const struct actio_verdict *v) { actio_attempt(run->ctx, say, &(struct saying){ run, v }); }

/* ---- the system with its hidden constraints */

struct extending { struct actio_run *run; const struct actio_verdict *v; struct actio_system *next; };

static void extend(void *user)
{
    struct extending *x = user;
    struct actio_formation *from = x->v->F, *to = x->next->formation;
    size_t n = x->v->hiddens;
    actio_expr *e = actio_form_array(to, n, sizeof *e);
    const char **text = actio_form_array(to, n, sizeof *text);
    actio_copy_all(&to->pool, &from->pool, x->v->hidden_e, n, e);
    for (size_t i = 0; i < n; i++) text[i] = actio_arena_text(&to->arena, x->v->hidden[i].text, strlen(x->v->hidden[i].text));
    actio_add_hidden(to, e, text, x->v->hidden_is_position, n);
}

int actio_run_take_hidden(struct actio_run *run, const struct actio_verdict *v)
{
    struct extending x = { run, v, actio_system_form(run->ctx, run->model, run->form) };
    if (!x.next) return 1;
    if (actio_attempt(run->ctx, extend, &x)) {
        actio_system_free(x.next);
        return 1;
    }
    actio_motion_close(&run->motion);
    run->spent = run->sys;                                 /* the verdict lives there */
    run->sys = x.next;
    return actio_motion_open(&run->motion, run->ctx, run->sys, run->param);
}
