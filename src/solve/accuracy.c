/* SPDX-License-Identifier: Apache-2.0
 * Global error. The error of a run is close to proportional to its local tolerance; so the difference of two runs, tolerances `ratio`
 * apart, is the error of the coarse one, and ratio times that is the error of the fine one, which is what is shown. */
#include "solve/accuracy.h"
#include "base/roles.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RATIO 0.1                                          /* of the tolerances of two successive runs, at first */
#define FIRST (1.0/24)                                     /* local tolerance of the first fine run, of the asked one: most motions amplify local errors less */
#define FINEST 4e-15                                       /* about here rounding speaks: one run finer, then it must do */
#define SILENT_STEPS 64                                    /* of the first run at --tol 1e-9 where nothing seems to happen; fewer for coarser ones */
#define SILENT_PACE 7                                      /* and their h*lambda: beyond the limit of stability, for a stiff problem must show */
#define MARGIN 1.5                                         /* the estimate must hold with this factor */
enum { MOST_RUNS = 8 };

struct pass { double local, *column; struct actio_march_result result; };     /* column: as in actio_rows, result.rows of them filled */

struct ladder {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_aim *aim;
    struct actio_outcome *out;
    const struct actio_stepper *stepper;
    struct actio_rows rows;                                /* of the run under way */
    struct pass pass[2];
    double *spare;                                         /* columns that nothing needs any more, or NULL */
    double *last_difference, last_ratio;                   /* by column, of the two runs before; their tolerances */
    double *size, *terms; bool have_terms;                 /* of each column, at least 1; of the terms it is the sum of, asked for when they matter */
    double first;                                          /* local tolerance of the first run */
    bool have_last, explicit_only;                         /* explicit_only: a stiff method was tried and did not reach it */
    size_t evaluated;                                      /* right-hand sides when compiling was last thought of */
};

/* Between steps: progress, and compiled kernels as soon as what is left of this run pays for them (the swap changes no bit). */
static void report_progress(void *user, double t)
{
    struct ladder *l = user;
    struct actio_context *ctx = l->ctx;
    double done = fabs(t - l->aim->t0), all = fabs(l->aim->t1 - l->aim->t0);
    if (ctx->progress) ctx->progress(ctx->progress_user, "motion", done, all);
    if (!l->aim->compile || l->m->evaluations < 2 * l->evaluated + 20000 || done <= 0) return;
    l->evaluated = l->m->evaluations;
    actio_system_native(l->m->sys, (double)l->m->evaluations * (all - done) / done);
}

/* Where the error control has nothing to go by, finer runs step finer by the same rule as elsewhere: order 8. */
static void set_silence(struct ladder *l, double local)
{
    double finer = sqrt(sqrt(sqrt(fmin(local / l->first, 1)))), coarse = fmin(32, fmax(1, pow(l->aim->tol / 1e-9, 0.3)));
    if (l->aim->local > 0) coarse = 1;
    l->m->flow.longest = finer * coarse * fabs(l->aim->t1 - l->aim->t0) / SILENT_STEPS;
    l->m->flow.paced = finer * SILENT_PACE;
}

/* One run of the whole interval at a local tolerance. */
static int run_once(struct ladder *l, struct pass *p, double local)
{
    struct actio_motion *m = l->m;
    struct actio_march_task task = {
        .stepper = l->stepper, .t0 = l->aim->t0, .t1 = l->aim->t1, .rtol = local, .atol = local, .y0 = l->aim->y0, .rows = l->aim->rows,
        .times = l->aim->times, .row = l->rows.y, .stop_when_stiff = !l->stepper->stiff && !l->explicit_only && strcmp(l->aim->method, "auto") == 0 && actio_stepper_stiff(),
        .progress = report_progress, .progress_user = l,
    };
    p->local = local;
    if (l->out->runs == 0) l->first = local;
    set_silence(l, local);
    m->worst = 1;
    m->evaluations = l->evaluated = 0;
    int status = actio_motion_begin(m, l->aim->t0, l->aim->y0);
    p->result.status = status, p->result.t = l->aim->t0, p->result.rows = 0, p->result.guard = SIZE_MAX;
    if (p->result.y) memcpy(p->result.y, l->aim->y0, m->ny * sizeof(double));
    if (!status) status = actio_march(l->ctx, &m->flow, &task, &p->result);
    l->out->rhs += p->result.stats.rhs, l->out->runs++;
    return status;
}

/* A run with its columns. When the explicit method finds the problem stiff, a stiff one takes over for good. */
static int run_columns(struct ladder *l, struct pass *p, double local)
{
    int status = run_once(l, p, local);
    if (status == ACTIO_MARCH_STIFF) {
        l->stepper = actio_stepper_stiff();
        actio_motion_jacobian(l->m);
        status = run_once(l, p, local);
    }
    if (status == ACTIO_MARCH_NO_MEMORY) return status;
    actio_rows_evaluate(&l->rows, p->result.rows, p->column, l->m->worst < 1e-6);
    return status;
}

/* Part of the difference of two runs that is the error of the finer one: ratio^gamma of it, gamma = 1 unless the runs before showed less. */
static double share(const struct ladder *l, size_t c, double difference, double ratio, double size)
{
    double gamma = l->stepper->stiff ? 0.7 : 1;
    double noise = 100 * DBL_EPSILON * size;               /* differences this small are rounding on both sides */
    if (difference <= noise) return 1;
    if (l->have_last && l->last_difference[c] > noise) {
        double seen = log(difference / l->last_difference[c]) / log(l->last_ratio);
        gamma = fmin(gamma, fmax(seen, 0.5));
    }
    double fraction = gamma == 1 ? ratio : pow(ratio, gamma);
    return fraction < 0.5 ? fraction / (1 - fraction) : 1;
}

/* An undefined value claims nothing; a value that the coarse run could not define is its own matter for multipliers only. */
static double difference_of(double a, double b, bool multiplier)
{
    if (isnan(b) || a == b || (isnan(a) && multiplier)) return 0;
    return isnan(a - b) ? INFINITY : fabs(a - b);
}

/* One column of both runs: the largest difference, and the largest value but at least 1. */
struct contrast { double difference, size; bool finite; };

/* Two at a time: rows are many, and whether one is over must not wait for the one before. */
typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef long long bits __attribute__((vector_size(16), may_alias));

static inline pair load(const double *x) { return *(const pair *)x; }
static inline pair size_of(pair x) { return (pair)((bits)x & (bits){ INT64_MAX, INT64_MAX }); }
static inline pair larger(pair x, pair y)
{
    bits first = (bits)(x > y);
    return (pair)(((bits)x & first) | ((bits)y & ~first));
}

static struct contrast contrast_of(const double *a, const double *b, size_t rows)
{
    pair difference[2] = { { 0, 0 }, { 0, 0 } }, size[2] = { { 1, 1 }, { 1, 1 } }, strange[2] = { { 0, 0 }, { 0, 0 } };
    size_t i = 0;
    for (; i + 3 < rows; i += 4)
        for (size_t j = 0; j < 2; j++) {
            pair fine = load(b + i + 2 * j), d = size_of(load(a + i + 2 * j) - fine);
            strange[j] += 0.0 * d;                         /* NAN when a value is not finite */
            difference[j] = larger(d, difference[j]);
            size[j] = larger(size_of(fine), size[j]);
        }
    pair most = larger(difference[0], difference[1]), value = larger(size[0], size[1]), odd = strange[0] + strange[1];
    for (; i < rows; i++) {
        pair fine = { b[i], b[i] }, d = size_of(a[i] - fine);
        odd += 0.0 * d, most = larger(d, most), value = larger(size_of(fine), value);
    }
    return (struct contrast){ fmax(most[0], most[1]), fmax(value[0], value[1]), odd[0] + odd[1] == 0 };
}

/* The same when values are not finite: some are compared by other rules. */
static struct contrast contrast_one_by_one(const double *a, const double *b, size_t rows, bool multiplier)
{
    struct contrast c = { 0, 1, false };
    for (size_t i = 0; i < rows; i++) {
        double x = fabs(b[i]), d = difference_of(a[i], b[i], multiplier);
        if (d > c.difference) c.difference = d;
        if (x > c.size && x <= DBL_MAX) c.size = x;
    }
    return c;
}

/* Row by row max(part * difference, least), in the place of the coarser run's values. */
static void set_errors(double *a, const double *b, size_t rows, double part, double least, bool finite, bool multiplier)
{
    for (size_t i = 0; i < rows && finite; i++) {
        double e = part * fabs(a[i] - b[i]);
        a[i] = e > least ? e : least;
    }
    for (size_t i = 0; i < rows && !finite; i++) a[i] = fmax(part * difference_of(a[i], b[i], multiplier), least);
}

/* The first of `rows` whose error is over the bound. */
static size_t first_over(const double *error, size_t rows, double bound)
{
    size_t i = 0;
    while (i < rows && !(error[i] > bound)) i++;
    return i;
}

/* The size that a column's error is held against: its own, and for what the program makes as a sum (energy, power, balances, residuals) also
 * that of its terms, which may cancel: no energy is known better than its parts. */
static double judged_size(const struct ladder *l, size_t c) { return l->have_terms && l->terms[c] > l->size[c] ? l->terms[c] : l->size[c]; }

/* Where the errors stand: the worst, and until which row all of them hold. */
static void judge(struct ladder *l, size_t rows)
{
    struct actio_outcome *out = l->out;
    size_t good = rows;
    out->worst = 0;
    for (size_t c = 0; c < l->m->sys->columns; c++) {
        double size = judged_size(l, c), relative = out->error[c] / size;
        if (relative > out->worst) out->worst = relative, out->worst_column = c;
        if (out->error[c] > l->aim->tol * size) good = first_over(out->row_error + c * l->rows.rows, good, l->aim->tol * size);
    }
    out->good_rows = good;
    out->holds_until = good ? l->aim->times[good - 1] : l->aim->t0;
}

/* Errors of the finer run against the coarser one, column by column; then row by row until when they hold. The coarser run's columns
 * become the errors. */
static void compare(struct ladder *l, struct pass *coarse, const struct pass *fine)
{
    struct actio_outcome *out = l->out;
    size_t rows = coarse->result.rows < fine->result.rows ? coarse->result.rows : fine->result.rows, all = l->rows.rows;
    double ratio = fine->local / coarse->local, restarts = (double)fine->result.stats.restarts;   /* a switch is located to rounding only */
    for (size_t c = 0; c < l->m->sys->columns; c++) {
        double *each = coarse->column + c * all;
        const double *shown = fine->column + c * all;
        bool multiplier = l->m->sys->column[c].role == ACTIO_ROLE_LAMBDA;
        struct contrast seen = contrast_of(each, shown, rows);
        if (!seen.finite) seen = contrast_one_by_one(each, shown, rows, multiplier);
        double part = share(l, c, seen.difference, ratio, seen.size), rounding = DBL_EPSILON * (2 * (seen.size > 1 ? seen.size : 0) + 16 * restarts * seen.size);
        set_errors(each, shown, rows, part, rounding, seen.finite, multiplier);
        out->error[c] = fmax(part * seen.difference, rounding);
        l->size[c] = seen.size;
        l->last_difference[c] = seen.difference;
    }
    for (size_t c = 0; rows < all && c < l->m->sys->columns; c++) memset(coarse->column + c * all + rows, 0, (all - rows) * sizeof(double));
    l->have_last = true;
    l->last_ratio = ratio;
    l->spare = out->row_error;
    out->row_error = coarse->column;
    coarse->column = NULL;
    out->rows_compared = rows;
    judge(l, rows);
}

static void keep(struct ladder *l, struct pass *p)
{
    struct actio_outcome *out = l->out;
    struct pass *other = p == l->pass ? l->pass + 1 : l->pass;
    if (!out->row_error) {                                 /* nothing was compared: nothing is known */
        out->row_error = other->column;
        other->column = NULL;
        memset(out->row_error, 0, l->m->sys->columns * l->rows.rows * sizeof(double));
    }
    out->column = p->column;
    p->column = NULL;
    out->rows = p->result.rows;
    out->finest = p->local;
    out->status = p->result.status;
    out->t_stop = p->result.t;
    out->guard = p->result.guard;
    out->y_stop = p->result.y;
    p->result.y = NULL;
    out->stepper = l->stepper;
    out->steps = p->result.stats.steps, out->rejected = p->result.stats.rejected, out->restarts = p->result.stats.restarts;
    out->change = l->m->change, out->changes = l->m->changes;
}

/* The next local tolerance, from what the last pair showed. */
static double next_local(const struct ladder *l, double local)
{
    if (local <= FINEST) return local > 0.6 * FINEST ? 0.5 * FINEST : local;
    double wanted = l->out->worst * MARGIN <= l->aim->tol ? RATIO * local : local * 0.4 * l->aim->tol / l->out->worst;
    return fmax(fmax(fmin(wanted, 0.5 * local), 1e-3 * local), FINEST);
}

/* The columns of a further run: errors that are out of date, else new ones. */
static bool make_room(struct ladder *l, struct pass *p)
{
    if (!p->column) p->column = l->spare ? l->spare : actio_rows_columns(&l->rows);
    if (p->column == l->spare) l->spare = NULL;
    return p->column != NULL;
}

static bool interrupted(int status) { return status == ACTIO_FLOW_STOPPED || status == ACTIO_MARCH_NO_MEMORY; }

/* Two runs agree on where they end: at the end of the interval, or early at about the same row. */
static bool same_end(const struct pass *a, const struct pass *b)
{
    size_t apart = a->result.rows > b->result.rows ? a->result.rows - b->result.rows : b->result.rows - a->result.rows;
    return apart == 0 || (a->result.status && b->result.status && apart <= 1);
}

/* Runs finer and finer until the error holds; returns the last one. */
static struct pass *climb(struct ladder *l)
{
    struct actio_outcome *out = l->out;
    double tol = l->aim->tol, fine = fmax(FIRST * tol, FINEST);
    int first = l->pass[0].column ? 0 : 1;                 /* one of them has room, also after another climb */
    struct pass *now = &l->pass[first];
    l->have_last = false;
    int status = run_columns(l, now, fine / RATIO);
    if (l->aim->compile && !interrupted(status)) actio_system_native(l->m->sys, 4.0 * (double)now->result.stats.rhs);
    for (int run = 1, other = !first; run < MOST_RUNS && !interrupted(status); run++, other = !other) {
        struct pass *before = now;
        if (!make_room(l, &l->pass[other])) { status = ACTIO_MARCH_NO_MEMORY; break; }
        now = &l->pass[other];
        status = run_columns(l, now, fine);
        if (interrupted(status)) break;
        compare(l, before, now);
        if (out->worst * MARGIN > tol && !l->have_terms && actio_rows_terms(&l->rows, now->result.rows, l->terms) == 0) l->have_terms = true, judge(l, out->rows_compared);
        out->reached = out->worst * (now->local <= FINEST ? 1 : MARGIN) <= tol && same_end(before, now);
        if (now->result.rows > before->result.rows && now->result.status) now->result.rows = before->result.rows;
        fine = next_local(l, now->local);
        if (out->reached || fine >= now->local || (now->result.rows == 0 && run > 1)) break;
    }
    if (interrupted(status)) out->reached = false, now->result.status = status;
    return now;
}

static void run_global(struct ladder *l)
{
    struct pass *last = climb(l);
    bool chosen = strcmp(l->aim->method, "auto") != 0;
    if (!l->out->reached && l->stepper->stiff && !chosen && !interrupted(last->result.status)) {
        l->stepper = &actio_dop853;                        /* stiff or not, it may still get there */
        l->explicit_only = true;
        last = climb(l);
    }
    keep(l, last);
}

static void run_local(struct ladder *l)
{
    run_columns(l, &l->pass[0], l->aim->local);
    for (size_t c = 0; c < l->m->sys->columns; c++) l->out->error[c] = NAN;
    l->out->good_rows = l->pass[0].result.rows;
    l->out->holds_until = NAN;
    l->out->worst = NAN;
    keep(l, &l->pass[0]);
}

static int open_ladder(struct ladder *l)
{
    struct actio_motion *m = l->m;
    l->stepper = strcmp(l->aim->method, "auto") == 0 ? &actio_dop853 : actio_stepper_find(l->aim->method);
    if (!l->stepper) {
        actio_find(l->ctx->findings, ACTIO_F_NO_STEPPER, ACTIO_ARGS(ACTIO_TEXT(l->aim->method)));
        return 1;
    }
    if (actio_rows_open(&l->rows, m, l->aim->times, l->aim->rows)) return 1;
    l->out->error = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    l->last_difference = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    l->size = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    l->terms = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    bool ok = l->out->error && l->last_difference && l->size && l->terms;
    for (int i = 0; i < 2 && ok; i++) {
        l->pass[i].result.y = actio_take(l->ctx, m->ny + 1, sizeof(double));
        l->pass[i].column = actio_rows_columns(&l->rows);
        ok = l->pass[i].result.y && l->pass[i].column;
    }
    if (!ok) actio_rows_too_many(&l->rows);
    return !ok;
}

int actio_reach(struct actio_context *ctx, struct actio_motion *motion, const struct actio_aim *aim, struct actio_outcome *out)
{
    *out = (struct actio_outcome){ 0 };
    struct ladder l = { .ctx = ctx, .m = motion, .aim = aim, .out = out };
    int bad = open_ladder(&l);
    if (!bad && l.stepper->stiff) actio_motion_jacobian(motion);
    if (!bad) aim->local > 0 ? run_local(&l) : run_global(&l);
    for (int i = 0; i < 2; i++) {
        actio_give(ctx, l.pass[i].column);
        actio_give(ctx, l.pass[i].result.y);
    }
    actio_give(ctx, l.spare);
    actio_give(ctx, l.last_difference);
    actio_give(ctx, l.size);
    actio_give(ctx, l.terms);
    actio_rows_close(&l.rows);
    if (bad) actio_outcome_close(ctx, out);
    return bad;
}

void actio_outcome_close(struct actio_context *ctx, struct actio_outcome *out)
{
    actio_give(ctx, out->column);
    actio_give(ctx, out->error);
    actio_give(ctx, out->row_error);
    actio_give(ctx, out->y_stop);
    *out = (struct actio_outcome){ 0 };
}
