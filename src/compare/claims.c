/* SPDX-License-Identifier: Apache-2.0
 * Every claim of a model, checked on one motion that is ten times finer than the finest claim needs. */
#include "check/check.h"
#include "compare/comparison.h"
#include "principle/principles.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One motion: that of a principle, with the claims made on it. */
enum { PRINCIPLES = 64 }; /* more than there are */
struct testing {
    struct actio_run *run;
    struct actio_check *check;
    const char *by;
    double *time;
    size_t times;
    double tol;
    bool needed;
    const char *seen[PRINCIPLES]; /* principles whose motions were tested */
    size_t seens;
};

/* Tolerance that this claim needs; a column's size is at least that of the value claimed. */
static double needed(const struct actio_claim *c)
{
    if (c->kind == ACTIO_CLAIM_AT) return c->bound / (10 * fmax(1, fabs(c->value)));
    /* the largest of all rows, of a quantity whose terms may be larger than itself */
    return c->kind == ACTIO_CLAIM_DRIFT ? c->bound / 40 : 1;
}

static const char *by_of(const struct testing *t, const struct actio_claim *c) { return c->by ? c->by : t->by; }

static bool computable(const struct actio_run *run, const struct actio_claim *c, struct actio_check *out)
{
    if (c->kind == ACTIO_CLAIM_VERDICT || c->absent) return false; /* judged by itself, or not at all */
    if (c->by && !actio_principle_named(c->by)) out->why = "unknown principle";
    else if (c->kind == ACTIO_CLAIM_AT
             && (c->at - run->problem.model->time.t0) * (c->at - run->problem.model->time.t1) > 0)
        out->why = "the time is outside the model's interval";
    else return true;
    return false;
}

static void list_claims(void *user)
{
    struct testing *t = user;
    struct actio_model *m = t->run->problem.model;
    t->check = actio_arena_array(&m->arena, m->claims + 1, sizeof *t->check);
    for (size_t i = 0; i < m->claims; i++) {
        const struct actio_claim *c = &m->claim[i];
        t->check[i] = (struct actio_check){ .claim = c->text,
                                            .line = c->span.line,
                                            .value = NAN,
                                            .expected = c->value,
                                            .bound = c->bound,
                                            .skipped = c->absent,
                                            .why = c->absent ? c->absent : "" };
    }
}

/* Times and tolerance that the claims on this principle's motion need. */
static void claims_prepare(void *user)
{
    struct testing *t = user;
    struct actio_model *m = t->run->problem.model;
    t->time = actio_arena_array(&t->run->problem.arena, m->claims + 1, sizeof *t->time);
    t->tol = 1e-9;
    for (size_t i = 0; i < m->claims; i++) {
        const struct actio_claim *c = &m->claim[i];
        if (strcmp(by_of(t, c), t->run->problem.options.by) != 0 || !computable(t->run, c, &t->check[i])) continue;
        t->needed = true;
        if (c->kind == ACTIO_CLAIM_AT) t->time[t->times++] = c->at;
        if (needed(c) < t->tol) t->tol = needed(c);
    }
    if (t->tol < 2e-14) t->tol = 2e-14; /* finer than double precision can be requested */
}

static size_t column_named(const struct actio_system *sys, const char *name)
{
    const char *bracket = strchr(name, '[');
    for (size_t c = 0; c < sys->output.named; c++)
        if (strcmp(sys->output.column[c].name, name) == 0) return sys->output.column[c].first;
    for (size_t c = 0; bracket && c < sys->output.named; c++) { /* node 3 of x: x[3] */
        size_t length = (size_t)(bracket - name), k = (size_t)strtod(bracket + 1, NULL);
        if (strncmp(sys->output.column[c].name, name, length) == 0 && !sys->output.column[c].name[length]
            && k < sys->output.column[c].width)
            return sys->output.column[c].first + k;
    }
    return SIZE_MAX;
}

/* The row at this time, or SIZE_MAX where the motion has none. Times are in the order of the run. Where a statement
 * ends the motion is located, and only known to rounding. */
static size_t row_at(const struct actio_run *run, double t)
{
    const struct actio_outcome *o = &run->outcome;
    size_t low = 0, high = o->rows;
    if (o->status == ACTIO_FLOW_ENDED && fabs(t - o->t_stop) <= 1e-12 * fmax(1, fabs(t))) return o->rows - 1;
    bool backward = run->problem.model->time.t1 < run->problem.model->time.t0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (backward ? run->times[middle] > t : run->times[middle] < t) low = middle + 1;
        else high = middle;
    }
    return low < run->outcome.rows && run->times[low] == t ? low : SIZE_MAX;
}

/* Value and estimated error of a column at a time that is one of the rows. */
static double claims_value_at(const struct actio_run *run, size_t c, double t, double *error)
{
    *error = actio_outcome_error(&run->outcome, c, t);
    return actio_outcome_column(&run->outcome, c)[row_at(run, t)];
}

/* The largest of all rows; NAN where one of them is not a finite number. */
static double drift_of(const struct actio_run *run, size_t c, size_t width)
{
    double largest = 0;
    for (size_t k = 0; k < width; k++) {
        const double *x = actio_outcome_column(&run->outcome, c + k);
        for (size_t r = 0; r < run->rows; r++) {
            if (!isfinite(x[r])) return NAN;
            largest = fmax(largest, fabs(x[r] - x[0]));
        }
    }
    return largest;
}

static double residual_of(const struct actio_run *run)
{
    double largest = 0;
    for (size_t c = 0; c < run->problem.sys->output.columns; c++)
        for (size_t r = 0; actio_system_column(run->problem.sys, c)->role == ACTIO_ROLE_RESIDUAL && r < run->rows;
             r++) {
            double x = actio_outcome_column(&run->outcome, c)[r];
            if (!isfinite(x)) return NAN;
            largest = fmax(largest, fabs(x));
        }
    return largest;
}

/* What `check` says, without its words; NULL where it comes to no verdict. */
static const char *verdict_of(struct actio_run *run)
{
    struct actio_findings silent;
    struct actio_verdict_report report = { 0 };
    actio_findings_open(&silent, run->problem.ctx);
    actio_check_inside(run->problem.ctx, run->problem.model, NULL, 0, &silent, &report);
    actio_findings_close(&silent);
    return report.verdict;
}

static void judge_verdict(const char *verdict, const struct actio_claim *c, struct actio_check *out)
{
    out->computed = false;
    out->ok = verdict && strcmp(verdict, c->verdict) == 0;
    out->why = out->ok ? "" : verdict ? verdict : "no verdict was found";
}

static void judge_verdicts(struct testing *t)
{
    const struct actio_model *m = t->run->problem.model;
    const char *verdict = NULL;
    bool known = false;
    for (size_t i = 0; i < m->claims; i++) {
        if (m->claim[i].kind != ACTIO_CLAIM_VERDICT) continue;
        if (!known) {
            verdict = verdict_of(t->run);
            known = true;
        }
        judge_verdict(verdict, &m->claim[i], &t->check[i]);
    }
}

/* Does the motion have the rows that the claim is about? */
static bool gets_there(const struct actio_run *run, const struct actio_claim *c)
{
    return c->kind == ACTIO_CLAIM_AT ? row_at(run, c->at) != SIZE_MAX : run->outcome.rows >= run->rows;
}

static void claims_judge(struct actio_run *run, const struct actio_claim *c, struct actio_check *out)
{
    if (*out->why) return; /* then there may be no motion at all */
    size_t column = c->column ? column_named(run->problem.sys, c->column) : SIZE_MAX;
    double error = 0;
    if (c->kind != ACTIO_CLAIM_RESIDUAL && column == SIZE_MAX) {
        out->why = "unknown column";
        return;
    }
    if (!gets_there(run, c)) {
        out->why = "the motion ends before this time";
        return;
    }
    if (c->kind == ACTIO_CLAIM_RESIDUAL) out->value = residual_of(run);
    else if (c->kind == ACTIO_CLAIM_DRIFT)
        out->value =
            drift_of(run, column, strchr(c->column, '[') ? 1 : actio_system_column(run->problem.sys, column)->width);
    else out->value = claims_value_at(run, column, c->at, &error);
    out->computed = isfinite(out->value);
    if (!out->computed) {
        out->why =
            c->kind == ACTIO_CLAIM_AT ? "it is not a finite number there" : "it is not a finite number in every row";
        return;
    }
    if (c->kind == ACTIO_CLAIM_AT) out->ok = fabs(out->value - c->value) <= c->bound;
    else out->ok = out->value < c->bound;
    if (out->ok && isnan(error)) {
        out->ok = false;
        out->why = "it has no error estimate there: a nearby value is not finite";
    }
    if (out->ok && error > c->bound) {
        out->ok = false;
        out->why = "the motion's estimated error is larger than the claim's bound";
    }
}

/* An accuracy that a claim does not need is not a failure of the claim: only the estimate is compared with its bound.
 * */
static bool only_accuracy(const struct actio_finding *f)
{
    return f->code == ACTIO_F_NOT_REACHED || f->code == ACTIO_F_NOT_REACHED_BY || f->code == ACTIO_F_NOT_REACHED_AT_ALL;
}

static void copy_findings(const struct actio_findings *from, struct actio_findings *to)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct actio_finding *f = &from->item[i];
        if (only_accuracy(f)) continue;
        struct actio_finding *n = actio_report_at(to, f->code, NULL, f->span, f->arg);
        if (n) n->file = f->file ? actio_arena_text(&to->arena, f->file, strlen(f->file)) : NULL;
        if (n && f->quote) {
            n->quote = actio_arena_text(&to->arena, f->quote, strlen(f->quote));
            n->quote_skipped = f->quote_skipped;
        }
    }
}

struct copying {
    const struct actio_findings *from;
    struct actio_findings *to;
};

static void copy(void *user)
{
    struct copying *c = user;
    copy_findings(c->from, c->to);
}

/* The claims on the motion that was computed. Where time is over the rest of them stays open. */
static void judge_all(struct testing *t)
{
    struct actio_run *run = t->run;
    const struct actio_model *m = run->problem.model;
    bool stopped = false;
    for (size_t i = 0; i < m->claims; i++) {
        const struct actio_claim *c = &m->claim[i];
        if (c->kind == ACTIO_CLAIM_VERDICT || strcmp(by_of(t, c), run->problem.options.by) != 0) continue;
        stopped = stopped || actio_overdue(run->problem.ctx);
        if (!stopped) claims_judge(run, c, &t->check[i]);
        else if (!*t->check[i].why) t->check[i].why = "not checked: time limit reached";
    }
    if (stopped) actio_problem_report_limits(&run->problem, ACTIO_FLOW_STOPPED, "claims were being checked");
}

/* Why the principle that claims name does not apply; NULL: it does. */
static const char *inapplicable(struct actio_model *m, const struct actio_findings *own)
{
    for (size_t i = 0; i < own->count; i++)
        if (own->item[i].code == ACTIO_F_INAPPLICABLE)
            return actio_arena_text(&m->arena, own->item[i].message, strlen(own->item[i].message));
    return NULL;
}

struct refusing {
    struct testing *t;
    struct actio_model *model;
    const struct actio_findings *own;
    const char *by;
    bool done;
};

/* Claims `by P` where P does not apply: they fail, each by itself. */
static void refuse_claims(void *user)
{
    struct refusing *r = user;
    const char *why = strcmp(r->by, r->t->by) != 0 ? inapplicable(r->model, r->own) : NULL;
    for (size_t i = 0; why && i < r->model->claims; i++) {
        const struct actio_claim *c = &r->model->claim[i];
        if (c->kind != ACTIO_CLAIM_VERDICT && strcmp(by_of(r->t, c), r->by) == 0 && !*r->t->check[i].why)
            r->t->check[i].why = why;
    }
    r->done = why != NULL;
}

/* The claims on the motion by one principle. 0, or 1: no such motion. */
static int test_by(struct testing *all, const struct actio_run_options *options, const char *by,
                   struct actio_context *ctx, struct actio_model *model, struct actio_findings *own)
{
    struct actio_run run;
    struct testing t = { .run = &run, .check = all->check, .by = all->by };
    actio_run_open(&run, ctx, model, options, own);
    run.problem.options = actio_principle_options(actio_principle_named(by), &run.problem.options);
    int bad = actio_attempt(ctx, claims_prepare, &t);
    run.problem.options.tol = t.tol;
    if (!bad && t.needed) bad = actio_run_motion(&run, t.time, t.times);
    if (!bad) judge_all(&t);
    actio_run_close(&run);
    return bad;
}

/* Is it the first claim on this principle's motion? */
static bool is_first(struct testing *t, const char *by)
{
    for (size_t i = 0; i < t->seens; i++)
        if (strcmp(t->seen[i], by) == 0) return false;
    if (t->seens < PRINCIPLES) t->seen[t->seens++] = by;
    return true;
}

/* The same with findings of its own: where the principle does not apply they are the claims' reasons, and others go on.
 */
static int test_apart(struct testing *t, const struct actio_run_options *options, const char *by,
                      struct actio_context *ctx, struct actio_model *model, struct actio_findings *all)
{
    struct actio_findings own;
    actio_findings_open(&own, ctx);
    struct refusing r = { .t = t, .model = model, .own = &own, .by = by };
    int bad = test_by(t, options, by, ctx, model, &own);
    if (bad) actio_attempt(ctx, refuse_claims, &r);
    if (!r.done) actio_attempt(ctx, copy, &(struct copying){ &own, all });
    actio_findings_close(&own);
    return r.done ? 0 : bad;
}

/* Has each option an owner among the principles of the claims? */
static bool owned(const struct testing *t, const struct actio_model *m, const struct actio_run_options *options,
                  struct actio_findings *f)
{
    struct testing all = { .by = t->by };
    for (size_t i = 0; i < m->claims; i++)
        if (m->claim[i].kind != ACTIO_CLAIM_VERDICT) is_first(&all, by_of(t, &m->claim[i]));
    return !all.seens || actio_principles_own(all.seen, all.seens, options, f);
}

struct actio_check *actio_test_inside(struct actio_context *ctx, struct actio_model *model,
                                      const struct actio_run_options *options, struct actio_findings *f, size_t *count)
{
    struct actio_run run;
    struct actio_findings own;
    struct testing t = { .run = &run };
    int bad = 0;
    actio_findings_open(&own, ctx);
    actio_run_open(&run, ctx, model, options, &own);
    t.by = run.problem.options.by;
    *count = 0;
    if (owned(&t, model, &run.problem.options, &own) && actio_attempt(ctx, list_claims, &t) == 0) {
        /* the first claim on a principle's motion stands for all of them */
        for (size_t i = 0; i < model->claims && !bad; i++) {
            const struct actio_claim *c = &model->claim[i];
            if (c->by && !actio_principle_named(c->by)) t.check[i].why = "unknown principle";
            else if (c->kind != ACTIO_CLAIM_VERDICT && is_first(&t, by_of(&t, c)))
                bad = test_apart(&t, options, by_of(&t, c), ctx, model, &own);
        }
        if (!bad) judge_verdicts(&t);
        if (!bad) *count = model->claims;
    }
    actio_attempt(ctx, copy, &(struct copying){ &own, f });
    actio_run_close(&run);
    actio_findings_close(&own);
    return *count ? t.check : NULL;
}
