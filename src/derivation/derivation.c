/* SPDX-License-Identifier: Apache-2.0
 * The path of one derivation: form the equations, choose what is shown, write it. */
#include <actio/actio.h>

#include "base/roles.h"
#include "principle/principles.h"
#include "derive/derive.h"
#include "derivation/derivation.h"
#include "expr/normal.h"
#include "result/output.h"
#include "problem/problem.h"
#include "solve/chart.h"
#include "verdict/units.h"
#include "verdict/verdict.h"

#include <stdio.h>
#include <string.h>

static const struct format {
    const char *name;
    bool contents;
    void (*write)(struct actio_derivation *);
} formats[] = {
    { "text", true, actio_derive_text },
    { "latex", true, actio_derive_latex },
    { "c", false, actio_derive_c },
};

struct deriving {
    struct actio_derivation *d;
    const struct format *format;
    struct actio_problem *problem;
    const struct actio_verdict *v;
};

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

/* ---- singular equations: the verdict in the words and formulas of a derivation */

/* Formulas of the verdict in the pool of the system that is shown; without hidden constraints they are there already.
 * */
static actio_expr *taken(struct deriving *job, const actio_expr *from, size_t n)
{
    struct actio_formation *F = job->d->F;
    actio_expr *e = actio_form_array(F, n, sizeof *e);
    if (job->v->F == F) memcpy(e, from, n * sizeof *e);
    else actio_copy_all(&F->pool, &job->v->F->pool, from, n, e);
    return e;
}

static const char *open_rates(struct deriving *job)
{
    const struct actio_verdict *v = job->v;
    struct actio_text t;
    if (v->word != ACTIO_VERDICT_undetermined) return NULL;
    actio_text_open(&t, &job->d->arena);
    for (size_t i = 0; i < v->closure.undetermineds; i++) {
        actio_text_add(&t, i ? ", " : "");
        actio_print_nice(&job->d->F->pool, job->d->F->sym.zdot[v->closure.undetermined[i]], actio_model_symbol_name,
                         job->d->model, &t);
    }
    actio_text_add(&t, v->closure.undetermineds > 1 ? " are arbitrary: not determined by any equation"
                                                    : " is arbitrary: not determined by any equation");
    return t.s;
}

enum { LONG = 60 }; /* characters of a relation between rows that are worth reading */

static const char *open_multipliers(struct deriving *job)
{
    const struct actio_verdict *v = job->v;
    if (v->word == ACTIO_VERDICT_contradictory) return "none: no motion exists";
    if (v->related.redundants == 0)
        return v->closure.solved
                   ? NULL
                   : "solved numerically from B*(-lambda, q'') = e at each state, where they are determined";
    const char *relation = v->related.redundant[0].text;
    if (strlen(relation) > LONG) relation = "";
    return actio_arena_format(&job->d->arena,
                              "not unique: the rows are dependent%s%s%s; run and --format c give the smallest ones",
                              *relation ? " (" : "", relation, *relation ? ")" : "");
}

static void take_closure(struct deriving *job)
{
    const struct actio_verdict *v = job->v;
    struct actio_formation *F = job->d->F;
    struct actio_shown_closure *c = actio_form_array(F, 1, sizeof *c);
    *c = (struct actio_shown_closure){ .hiddens = v->closure.hiddens,
                                       .is_position = v->closure.hidden_is_position,
                                       .free_data = v->free_data,
                                       .naive_free_data = v->naive_free_data };
    if (v->closure.hiddens) c->hidden = taken(job, v->closure.hidden_e, v->closure.hiddens);
    if (v->closure.solved) {
        c->solved = taken(job, v->closure.solved, F->N + F->p);
        c->is_solved = v->closure.is_solved;
    }
    if (v->word == ACTIO_VERDICT_contradictory)
        c->verdict = v->closure.hiddens ? "no state satisfies this: no motion exists"
                                        : "no motion exists: the constraints contradict each other";
    if (v->too_large) c->verdict = "B is singular, and the hidden constraints are too long to derive";
    c->rates = open_rates(job);
    c->multipliers = open_multipliers(job);
    job->d->closure = c;
}

/* Are the equations regular at the start, or the nearest data on the constraints? What is said on the way is of no
 * interest here, limits are. */
static bool singular(struct actio_problem *problem)
{
    struct actio_findings silent;
    actio_findings_open(&silent, problem->ctx);
    struct actio_findings *own = problem->f;
    problem->ctx->findings = problem->f = &silent;
    bool open = actio_problem_examine(problem) == ACTIO_UNSETTLED;
    problem->ctx->findings = problem->f = own;
    for (size_t i = 0; i < silent.count; i++)
        if (actio_finding_status(&silent.item[i]) >= ACTIO_LIMIT_REACHED)
            actio_report(own, silent.item[i].code, silent.item[i].arg);
    actio_findings_close(&silent);
    return open;
}

/* ---- the whole */

/* Units that follow from those that are given. */
static void take_units(struct actio_derivation *d)
{
    struct actio_model *m = d->model;
    struct actio_column_units *u = actio_column_units_open(m, &d->arena);
    if (!u) return;
    d->rate_unit = actio_arena_array(&d->arena, m->coords + 1, sizeof *d->rate_unit);
    d->lambda_unit = actio_arena_array(&d->arena, m->constraints + 1, sizeof *d->lambda_unit);
    for (size_t i = 0; i < m->coords; i++)
        d->rate_unit[i] = actio_column_unit(u, m->coord[i].dot_name, ACTIO_ROLE_RATE);
    for (size_t i = 0; i < m->constraints; i++)
        d->lambda_unit[i] = actio_column_unit(u, m->constraint[i].label, ACTIO_ROLE_LAMBDA);
}

static void derivation_show(void *user)
{
    struct deriving *job = user;
    actio_text_open(&job->d->text, &job->d->arena);
    take_units(job->d);
    if (job->v) take_closure(job);
    if (job->d->chapter->prepare) job->d->chapter->prepare(job->d);
    if (job->format->contents) {
        actio_derive_contents(job->d);
        actio_derive_share(job->d);
    }
    job->format->write(job->d);
}

/* ---- principles other than d'Alembert's */

static bool derivation_refuse(struct actio_problem *problem, const struct actio_constraint *about, const char *why)
{
    char whom[256] = "this model";
    if (about) snprintf(whom, sizeof whom, "'%.240s'", about->label);
    actio_report_at(problem->f, ACTIO_F_INAPPLICABLE, &problem->model->source,
                    about ? about->span : (struct actio_span){ 0 },
                    ACTIO_ARGS(ACTIO_TEXT(problem->principle->name), ACTIO_TEXT(whom), ACTIO_TEXT(why)));
    return false;
}

/* Equations on paper need no initial multipliers; a program that starts by itself does. */
static bool applies(const struct deriving *job)
{
    struct actio_principle p = *job->problem->principle;
    const struct actio_constraint *about;
    if (job->format->contents) p.needs &= ~(unsigned)ACTIO_NEEDS_MULTIPLIERS;
    const char *why = actio_principle_objection(&p, job->problem->model, &about);
    return why ? derivation_refuse(job->problem, about, why) : true;
}

/* What the verdict on singular equations leaves of it. */
static bool goes_with(struct deriving *job)
{
    static const struct {
        enum actio_verdict_word word;
        unsigned need;
        const char *why;
    } table[] = {
        { ACTIO_VERDICT_contradictory, 0, "no motion exists, by any principle" },
        { ACTIO_VERDICT_undetermined, 0, "some of its accelerations are not determined" },
        { ACTIO_VERDICT_hidden, 0, "hidden constraints follow from the equations of motion, and have no reaction" },
        { ACTIO_VERDICT_redundant, ACTIO_NEEDS_INDEPENDENT, "constraints are redundant" },
    };
    for (size_t i = 0; job->v && i < sizeof table / sizeof *table; i++)
        if (job->v->word == table[i].word && (job->problem->principle->needs & table[i].need) == table[i].need)
            return derivation_refuse(job->problem, NULL, table[i].why);
    const struct actio_law *law = job->problem->principle->law;
    const char *why = law && law->objection
                          ? law->objection(&job->problem->motion, job->problem->model->time.t0, job->problem->y0)
                          : NULL;
    return why ? derivation_refuse(job->problem, NULL, why) : true;
}

static void note_chart(void *user)
{
    struct deriving *job = user;
    const struct actio_chart *c = job->problem->motion.obeys.data;
    bool *bound = actio_arena_array(&job->d->arena, c->N + 1, sizeof *bound),
         *kept = actio_arena_array(&job->d->arena, job->problem->sys->p + 1, sizeof *kept);
    for (size_t i = 0; i < c->N; i++) bound[i] = true;
    for (size_t k = 0; k < c->r * c->N; k++)
        if (c->Z[k] == 1) bound[k % c->N] = false;
    for (size_t k = 0; k < c->N - c->r; k++) kept[c->row[k]] = true;
    job->d->bound = bound;
    job->d->kept = kept;
}

/* As a run would start by its law: what that chooses there, a split, rows that are independent; and does it have a
 * solution, unless the start is singular? */
static bool starts(struct deriving *job, bool regular)
{
    struct actio_problem *problem = job->problem;
    struct actio_motion *m = &problem->motion;
    const struct actio_law *law = problem->principle->law;
    double t = problem->model->time.given ? problem->model->time.t0 : 0;
    if (!law) return true;
    if (actio_motion_obey(m, law)) return false;
    if (actio_motion_begin(m, t, problem->y0) || (law->rebase && law->rebase(m, t, problem->y0)))
        return job->d->chapter->splits
                   ? derivation_refuse(problem, NULL, "its constraints are dependent in the velocities at the start")
                   : true;
    if (regular && law->solve && law->solve(m, t, problem->y0) == ACTIO_FLOW_SINGULAR)
        return derivation_refuse(
            problem, NULL,
            "its equations have no solution at the start; check that the kinetic energy is positive definite there");
    return !job->d->chapter->charted || actio_attempt(problem->ctx, note_chart, job) == 0;
}

/* ---- models with fields: formulas of the continuum, of which no system is made */

static void show_fields(void *user)
{
    struct deriving *job = user;
    struct actio_derivation *d = job->d;
    d->F = actio_formation_open(d->ctx, d->model);
    actio_text_open(&d->text, &d->arena);
    d->chapter = d->chapter->fields;
    if (d->chapter->prepare) d->chapter->prepare(d);
    actio_derive_contents(d);
    job->format->write(d);
}

/* On paper a principle may have fields that the machine can't move by it. */
static bool fields_apply(struct deriving *job, struct actio_findings *f)
{
    struct actio_derivation *d = job->d;
    struct actio_principle p = *actio_principle_named(d->by);
    const struct actio_constraint *about;
    const char *what = d->model->states ? "states" : d->model->contacts ? "contacts" : NULL;
    p.needs &= ~(unsigned)(ACTIO_NEEDS_MULTIPLIERS | ACTIO_NEEDS_POINTS);
    if (what) actio_report(f, ACTIO_F_FIELD_WITHOUT, ACTIO_ARGS(ACTIO_TEXT(what)));
    else if (!job->format->contents || !d->chapter->fields)
        actio_report(f, ACTIO_F_NO_FIELD_DERIVATION, ACTIO_ARGS(ACTIO_TEXT(d->by), ACTIO_TEXT(job->format->name)));
    const char *why = f->errors ? NULL : actio_principle_objection(&p, d->model, &about);
    if (why) {
        struct actio_problem problem = { .f = f, .model = d->model, .principle = actio_principle_named(d->by) };
        derivation_refuse(&problem, about, why);
    }
    return f->errors == 0;
}

static bool derive_fields(struct deriving *job, struct actio_findings *f)
{
    struct actio_derivation *d = job->d;
    if (!fields_apply(job, f)) return false;
    struct actio_findings *before = d->ctx->findings;
    d->ctx->findings = f;
    d->ctx->forming = NULL;
    bool whole = actio_attempt(d->ctx, show_fields, job) == 0;
    if (d->ctx->forming) actio_system_free(&((struct actio_formation *)d->ctx->forming)->sys);
    d->ctx->forming = NULL;
    d->ctx->findings = before;
    return whole;
}

/* ---- the path */

static bool derive(struct deriving *job)
{
    struct actio_problem *problem = job->problem;
    bool other = !job->d->chapter->is_reference, regular = true;
    if (actio_problem_form(problem) || (other && !applies(job))) return false;
    if (singular(problem)) {
        if (actio_problem_needs_formulas(problem->model, "the search for hidden and redundant constraints", problem->f))
            return false;
        job->v = actio_problem_survey(problem, false);
        if (!job->v
            || (!other && job->v->word == ACTIO_VERDICT_hidden && !job->v->too_large
                && actio_problem_take_hidden(problem, job->v)))
            return false;
        regular = job->v->word != ACTIO_VERDICT_singular;
        if (!regular || job->v->word == ACTIO_VERDICT_regular) job->v = NULL; /* only there */
    }
    if (other && (!goes_with(job) || !starts(job, regular))) return false;
    job->d->F = problem->sys->formation;
    return problem->f->errors == 0 && actio_attempt(problem->ctx, derivation_show, job) == 0;
}

static bool derive_points(struct actio_derivation *d, const struct format *as, struct actio_findings *f)
{
    struct actio_problem problem;
    struct actio_run_options options = actio_run_options_default();
    options.by = d->by;
    options.project = true; /* equations are shown whatever the start data are */
    actio_problem_open(&problem, d->ctx, d->model, &options, f);
    problem.principle = actio_principle_named(d->by);
    problem.shows = true;
    bool whole = derive(&(struct deriving){ .d = d, .format = as, .problem = &problem });
    actio_problem_close(&problem);
    return whole;
}

/* The principle and its chapter; NULL and a finding where one is missing. */
static const struct actio_principle *principle_for(const char *by, const char *format, const struct format *as,
                                                   struct actio_findings *f)
{
    const struct actio_principle *p = actio_principle_named(by);
    const struct actio_chapter *chapter = p ? p->chapter : NULL;
    const char *why = !chapter ? "no derivation is available" : as && !as->contents ? chapter->no_code : NULL;
    if (!p) actio_report(f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(by)));
    else if (!as) actio_report(f, ACTIO_F_NO_FORMAT, ACTIO_ARGS(ACTIO_TEXT(format)));
    else if (why)
        actio_report(f, ACTIO_F_NO_DERIVATION, ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_TEXT(as->name), ACTIO_TEXT(why)));
    return as && !why ? p : NULL;
}

struct actio_derivation *actio_derive_inside(struct actio_context *ctx, struct actio_model *model, const char *by,
                                             const char *format, struct actio_findings *f)
{
    const struct format *as = format_named(format ? format : "text");
    const struct actio_principle *p = principle_for(by ? by : "dalembert", format, as, f);
    if (!p) return NULL;
    struct actio_derivation *d = actio_alloc(ctx, 1, sizeof *d);
    if (!d) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("writing the equations"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    d->ctx = ctx;
    d->model = model;
    d->by = p->name;
    d->by_title = p->title;
    d->assumes = p->assumes;
    d->differs = p->differs;
    d->chapter = p->chapter;
    actio_arena_open(&d->arena, ctx);
    bool whole =
        model->field.axes ? derive_fields(&(struct deriving){ .d = d, .format = as }, f) : derive_points(d, as, f);
    d->F = NULL;
    d->model = NULL;
    d->closure = NULL;
    d->framing = NULL;
    d->jets = NULL;
    d->continuum = NULL;
    if (whole) return d;
    actio_derivation_free(d);
    return NULL;
}

void actio_derivation_free(struct actio_derivation *d)
{
    if (!d) return;
    actio_arena_close(&d->arena);
    actio_free(d->ctx, d);
}

const char *actio_derivation_text(const struct actio_derivation *d) { return d && d->text.s ? d->text.s : ""; }
size_t actio_derivation_sections(const struct actio_derivation *d) { return d ? d->sections : 0; }

struct actio_derived_section actio_derivation_section(const struct actio_derivation *d, size_t i)
{
    if (!d || i >= d->sections) return (struct actio_derived_section){ "", "", "" };
    const struct actio_shown_section *s = &d->section[i];
    return (struct actio_derived_section){ s->key, s->title, s->text };
}
