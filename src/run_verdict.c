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
    actio_findings_open(&silent, run->ctx);
    struct actio_findings *outer = run->ctx->findings, *own = run->f;
    run->ctx->findings = run->f = &silent;
    for (int i = 0; i < ROWS; i++) times[i] = m->t0 + (m->t1 - m->t0) * i / (ROWS - 1);
    memcpy(start, run->y0, run->ny * sizeof *start);
    run->tentative = true;
    if (actio_run_examine(run) == 0 && actio_rows_open(&rows, &run->motion, times, ROWS, m->t1 < m->t0) == 0) {
        struct actio_march_task task = { .stepper = &actio_dop853, .t0 = m->t0, .t1 = m->t1, .rtol = 1e-5, .atol = 1e-5, .y0 = run->y0, .rows = { { ROWS, times, rows.y, ROWS } },
                                         .max_steps = 20000 };
        struct actio_march_result result = { 0 };
        if (actio_motion_begin(&run->motion, m->t0, run->y0) == 0) actio_march(run->ctx, &run->motion.flow, &task, &result);
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

static void make_box(struct actio_run *run, struct actio_box *box, bool may_march)
{
    for (size_t i = 0; i < run->ny; i++) box->low[i] = box->high[i] = run->y0[i];
    if (may_march) visit(run, box);
    for (size_t i = 0; i < run->ny; i++) {
        widen(&box->low[i], &box->high[i]);
        if (run->box_given && run->box_given[i]) box->low[i] = run->box_low[i], box->high[i] = run->box_high[i];
    }
}

/* ---- the survey */

struct surveying { struct actio_run *run; bool may_march; struct actio_verdict *verdict; struct actio_kernels in_use; };

static void survey(void *user)
{
    struct surveying *s = user;
    struct actio_run *run = s->run;
    struct actio_box box = { .low = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)), .high = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)),
                             .seed = actio_arena_array(&run->arena, ROWS * run->ny + 1, sizeof(double)) };
    box.in_use = &s->in_use;
    box.t1 = run->model->has_time ? run->model->t1 : 1;    /* constraints that depend on time are looked at at other times, too */
    make_box(run, &box, s->may_march);
    s->verdict = actio_survey(run->sys->formation, run->param, run->model->has_time ? run->model->t0 : 0, run->y0, &box);
}

struct actio_verdict *actio_run_survey(struct actio_run *run, bool may_march)
{
    struct surveying s = { .run = run, .may_march = may_march };
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

static void say_contradiction(struct actio_run *run, const struct actio_verdict *v)
{
    for (size_t i = 0; i < v->contradictories; i++) {
        const struct actio_relation *r = &v->contradictory[i];
        if (strcmp(v->contradiction, "accelerations") == 0)
            actio_find_at(run->f, ACTIO_F_CONTRADICTORY_ROWS, &run->model->source, place_of(run, r), ACTIO_ARGS(ACTIO_TEXT(r->text), ACTIO_TEXT(names_of(run, r))));
        else actio_find_at(run->f, ACTIO_F_CONTRADICTORY_STATES, &run->model->source, place_of(run, r), ACTIO_ARGS(ACTIO_TEXT(v->contradiction), ACTIO_TEXT(names_of(run, r))));
    }
    if (v->contradictories == 0) say_no_motion(run, v);
}

/* g = h^2 or another even power: the remedy is h = 0. */
static const char *root_of(struct actio_run *run, uint32_t k)
{
    struct actio_model *m = run->model;
    actio_expr g = m->constraint[k].g;
    const struct actio_node *n = &m->pool.node[g.id];
    if (n->op != ACTIO_POWI) return "use the factor itself";
    struct actio_text t;
    actio_text_open(&t, &run->arena);
    actio_print(&m->pool, (actio_expr){ n->a }, actio_model_symbol_name, m, &t);
    actio_text_add(&t, " = 0");
    return t.s;
}

static void say_singular_start(struct actio_run *run, const struct actio_verdict *v)
{
    const struct actio_relation *r = &v->start_relation;
    const char *what = "the kinetic energy degenerates on the constraints";
    if (v->start_rank < v->rank) what = actio_arena_format(&run->arena, "%s restrict the same velocities (they count for %zu, nearby for %zu)",
                                                           r->rows ? names_of(run, r) : "some constraints", v->start_rank, v->rank);
    actio_find_at(run->f, ACTIO_F_SINGULAR_AT_START, &run->model->source, r->rows ? place_of(run, r) : (struct actio_span){ 0 }, ACTIO_ARGS(ACTIO_TEXT(what)));
}

static void say_all(struct actio_run *run, const struct actio_verdict *v)
{
    struct actio_model *m = run->model;
    if (v->word == ACTIO_VERDICT_contradictory) say_contradiction(run, v);
    for (size_t i = 0; i < v->vanishings; i++)
        actio_find_at(run->f, ACTIO_F_GRADIENT_VANISHES, &m->source, m->constraint[v->vanishing[i]].span,
                      ACTIO_ARGS(ACTIO_TEXT(m->constraint[v->vanishing[i]].label), ACTIO_TEXT(root_of(run, v->vanishing[i]))));
    if (v->word == ACTIO_VERDICT_singular && v->vanishings == 0)
        say_singular_start(run, v);
    for (size_t i = 0; i < v->undetermineds && v->word == ACTIO_VERDICT_undetermined; i++)
        actio_find_at(run->f, ACTIO_F_ARBITRARY, &m->source, variable_place(run, v->undetermined[i]), ACTIO_ARGS(ACTIO_TEXT(run->sys->variable[v->undetermined[i]])));
    if (v->too_large) actio_run_find(run, ACTIO_F_HIDDEN_TOO_LARGE, ACTIO_NO_ARGS);
    for (size_t i = 0; i < v->hiddens && v->word != ACTIO_VERDICT_contradictory; i++)
        actio_run_find(run, ACTIO_F_HIDDEN_CONSTRAINT, ACTIO_ARGS(ACTIO_TEXT(v->hidden[i].text)));
    for (size_t i = 0; i < v->redundants && v->word > ACTIO_VERDICT_contradictory; i++)
        actio_find_at(run->f, ACTIO_F_REDUNDANT_ROWS, &m->source, place_of(run, &v->redundant[i]), ACTIO_ARGS(ACTIO_TEXT(v->redundant[i].text), ACTIO_TEXT(names_of(run, &v->redundant[i]))));
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
