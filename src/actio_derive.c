/* SPDX-License-Identifier: Apache-2.0
 * The path of one derivation: form the equations, choose what is shown, write it. */
#include <actio/actio.h>

#include "derive/derive.h"
#include "expr/normal.h"
#include "result/output.h"
#include "run.h"
#include "verdict/verdict.h"

#include <string.h>

static const struct format { const char *name; bool contents; void (*write)(struct actio_derivation *); } formats[] = {
    { "text", true, actio_derive_text },
    { "latex", true, actio_derive_latex },
    { "c", false, actio_derive_c },
};

struct deriving { struct actio_derivation *d; const struct format *format; struct actio_run *run; const struct actio_verdict *v; };

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

/* ---- singular equations: the verdict in the words and formulas of a derivation */

/* Formulas of the verdict in the pool of the system that is shown; without hidden constraints they are there already. */
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
    for (size_t i = 0; i < v->undetermineds; i++) {
        actio_text_add(&t, i ? ", " : "");
        actio_print_nice(&job->d->F->pool, job->d->F->zdot[v->undetermined[i]], actio_model_symbol_name, job->d->model, &t);
    }
    actio_text_add(&t, v->undetermineds > 1 ? " are arbitrary: nothing determines them" : " is arbitrary: nothing determines it");
    return t.s;
}

enum { LONG = 60 };                                        /* characters of a relation between rows that are worth reading */

static const char *open_multipliers(struct deriving *job)
{
    const struct actio_verdict *v = job->v;
    if (v->word == ACTIO_VERDICT_contradictory) return "there are none: no motion exists";
    if (v->redundants == 0) return v->solved ? NULL : "solved from B*(-lambda, q'') = e by numbers at each state, where they are determined";
    const char *relation = v->redundant[0].text;
    if (strlen(relation) > LONG) relation = "";
    return actio_arena_format(&job->d->arena, "not unique: rows depend on each other%s%s%s; run and --format c give the smallest ones", *relation ? " (" : "", relation, *relation ? ")" : "");
}

static void take_closure(struct deriving *job)
{
    const struct actio_verdict *v = job->v;
    struct actio_formation *F = job->d->F;
    struct actio_shown_closure *c = actio_form_array(F, 1, sizeof *c);
    *c = (struct actio_shown_closure){ .hiddens = v->hiddens, .is_position = v->hidden_is_position, .free_data = v->free_data, .naive_free_data = v->naive_free_data };
    if (v->hiddens) c->hidden = taken(job, v->hidden_e, v->hiddens);
    if (v->solved) c->solved = taken(job, v->solved, F->N + F->p), c->is_solved = v->is_solved;
    if (v->word == ACTIO_VERDICT_contradictory) c->verdict = v->hiddens ? "no state satisfies this: no motion exists" : "no motion exists: the constraints exclude each other";
    if (v->too_large) c->verdict = "B is singular, and the model is too large to look for the constraints that follow";
    c->rates = open_rates(job), c->multipliers = open_multipliers(job);
    job->d->closure = c;
}

/* Are the equations regular at the start, or the nearest data on the constraints? What is said on the way is of no interest here, limits are. */
static bool singular(struct actio_run *run)
{
    struct actio_findings silent;
    actio_findings_open(&silent, run->ctx);
    struct actio_findings *own = run->f;
    run->ctx->findings = run->f = &silent;
    bool open = actio_run_examine(run) == ACTIO_UNSETTLED;
    run->ctx->findings = run->f = own;
    for (size_t i = 0; i < silent.count; i++)
        if (actio_finding_status(&silent.item[i]) >= ACTIO_LIMIT_REACHED) actio_find(own, silent.item[i].code, silent.item[i].arg);
    actio_findings_close(&silent);
    return open;
}

/* ---- the whole */

static void show(void *user)
{
    struct deriving *job = user;
    actio_text_open(&job->d->text, &job->d->arena);
    if (job->v) take_closure(job);
    if (job->format->contents) actio_derive_contents(job->d);
    job->format->write(job->d);
}

static bool derive(struct deriving *job)
{
    struct actio_run *run = job->run;
    if (actio_run_form(run)) return false;
    if (singular(run)) {
        job->v = actio_run_survey(run, false);
        if (!job->v || (job->v->word == ACTIO_VERDICT_hidden && !job->v->too_large && actio_run_take_hidden(run, job->v))) return false;
        if (job->v->word == ACTIO_VERDICT_singular || job->v->word == ACTIO_VERDICT_regular) job->v = NULL;   /* only there */
    }
    job->d->F = run->sys->formation;
    return run->f->errors == 0 && actio_attempt(run->ctx, show, job) == 0;
}

struct actio_derivation *actio_derive(struct actio_context *ctx, struct actio_model *model, const char *by, const char *format, struct actio_findings *f)
{
    const struct actio_principle *p = actio_principle_named(by ? by : "dalembert");
    const struct format *as = format_named(format ? format : "text");
    if (!p) actio_find(f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(by)));
    else if (p->law || p->form != actio_form_dalembert) actio_find(f, ACTIO_F_NO_DERIVATION, ACTIO_ARGS(ACTIO_TEXT(p->name))), p = NULL;
    else if (!as) actio_find(f, ACTIO_F_NO_FORMAT, ACTIO_ARGS(ACTIO_TEXT(format)));
    if (!p || !as) return NULL;
    struct actio_derivation *d = actio_take(ctx, 1, sizeof *d);
    if (!d) {
        actio_find(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("showing the equations"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    d->ctx = ctx, d->model = model, d->by = p->name, d->by_title = p->title;
    actio_arena_open(&d->arena, ctx);
    struct actio_run run;
    struct actio_run_options options = actio_run_options_default();
    options.by = p->name, options.project = true;          /* equations are shown whatever the start data are */
    actio_run_open(&run, ctx, model, &options, f);
    bool whole = derive(&(struct deriving){ .d = d, .format = as, .run = &run });
    actio_run_close(&run);
    d->F = NULL, d->model = NULL, d->closure = NULL;
    if (whole) return d;
    actio_derivation_free(d);
    return NULL;
}

void actio_derivation_free(struct actio_derivation *d)
{
    if (!d) return;
    actio_arena_close(&d->arena);
    actio_give(d->ctx, d);
}

const char *actio_derivation_text(const struct actio_derivation *d) { return d->text.s; }
size_t actio_derivation_sections(const struct actio_derivation *d) { return d->sections; }

struct actio_derived_section actio_derivation_section(const struct actio_derivation *d, size_t i)
{
    const struct actio_shown_section *s = &d->section[i];
    return (struct actio_derived_section){ s->key, s->title, s->text };
}

int actio_derivation_write(struct actio_context *ctx, const struct actio_derivation *d, const char *path, struct actio_findings *f)
{
    return actio_file_write(ctx, path, d->text.s, d->text.length, f) ? ACTIO_FILE_TROUBLE : ACTIO_DONE;
}
