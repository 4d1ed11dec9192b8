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
#define MARGIN 1.5                                         /* the estimate must hold with this factor */
enum { MOST_RUNS = 8 };

struct pass { double local; struct actio_rows rows; struct actio_march_result result; };

struct ladder {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_aim *aim;
    struct actio_outcome *out;
    const struct actio_stepper *stepper;
    struct pass pass[2];
    double *last_difference, last_ratio;                   /* by column, of the two runs before; their tolerances */
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

/* One run of the whole interval at a local tolerance. */
static int run_once(struct ladder *l, struct pass *p, double local)
{
    struct actio_motion *m = l->m;
    struct actio_march_task task = {
        .stepper = l->stepper, .t0 = l->aim->t0, .t1 = l->aim->t1, .rtol = local, .atol = local, .y0 = l->aim->y0, .rows = l->aim->rows,
        .times = l->aim->times, .row = p->rows.y, .stop_when_stiff = !l->stepper->stiff && !l->explicit_only && strcmp(l->aim->method, "auto") == 0 && actio_stepper_stiff(),
        .progress = report_progress, .progress_user = l,
    };
    p->local = local;
    p->rows.filled = 0;
    m->worst = 1;
    m->evaluations = l->evaluated = 0;
    int status = actio_motion_begin(m, l->aim->t0, l->aim->y0);
    p->result.status = status, p->result.t = l->aim->t0, p->result.rows = 0, p->result.guard = SIZE_MAX;
    if (p->result.y) memcpy(p->result.y, l->aim->y0, m->ny * sizeof(double));
    if (!status) status = actio_march(l->ctx, &m->flow, &task, &p->result);
    l->out->rhs += p->result.stats.rhs, l->out->runs++;
    p->rows.filled = p->result.rows;
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
    actio_rows_evaluate(&p->rows, l->m->worst < 1e-6);
    return status;
}

static double column_size(const struct actio_rows *r, size_t c, size_t rows)
{
    double size = 1;
    for (size_t i = 0; i < rows; i++) {
        double x = fabs(r->column[c * r->rows + i]);
        if (x > size && x <= DBL_MAX) size = x;
    }
    return size;
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
    double fraction = pow(ratio, gamma);
    return fraction < 0.5 ? fraction / (1 - fraction) : 1;
}

/* An undefined value claims nothing; a value that the coarse run could not define is its own matter for multipliers only. */
static double difference_of(double a, double b, bool multiplier)
{
    if (isnan(b) || a == b || (isnan(a) && multiplier)) return 0;
    return isnan(a - b) ? INFINITY : fabs(a - b);
}

/* Errors of the finer run against the coarser one, column by column; then row by row until when they hold. */
static void compare(struct ladder *l, const struct pass *coarse, const struct pass *fine)
{
    struct actio_outcome *out = l->out;
    size_t rows = coarse->rows.filled < fine->rows.filled ? coarse->rows.filled : fine->rows.filled, all = fine->rows.rows;
    size_t columns = l->m->sys->columns, good = rows;
    double ratio = fine->local / coarse->local;
    out->worst = 0;
    for (size_t c = 0; c < columns; c++) {
        const double *a = coarse->rows.column + c * all, *b = fine->rows.column + c * all;
        double size = column_size(&fine->rows, c, rows), largest = 0, *each = out->row_error + c * all;
        for (size_t i = 0; i < rows; i++) {
            each[i] = difference_of(a[i], b[i], l->m->sys->column[c].role == ACTIO_ROLE_LAMBDA);
            if (each[i] > largest) largest = each[i];
        }
        double part = share(l, c, largest, ratio, size), rounding = 2 * DBL_EPSILON * (size > 1 ? size : 0);
        for (size_t i = 0; i < rows; i++) {
            each[i] = fmax(part * each[i], rounding);
            if (each[i] > l->aim->tol * size && i < good) good = i;
        }
        out->error[c] = fmax(part * largest, rounding);
        out->worst = fmax(out->worst, out->error[c] / size);
        l->last_difference[c] = largest;
    }
    l->have_last = true;
    l->last_ratio = ratio;
    out->good_rows = good;
    out->holds_until = good ? l->aim->times[good - 1] : l->aim->t0;
}

static void keep(struct ladder *l, struct pass *p)
{
    struct actio_outcome *out = l->out;
    out->column = p->rows.column;
    p->rows.column = NULL;
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
    struct pass *now = &l->pass[0];
    l->have_last = false;
    int status = run_columns(l, now, fine / RATIO);
    if (l->aim->compile && !interrupted(status)) actio_system_native(l->m->sys, 4.0 * (double)now->result.stats.rhs);
    for (int run = 1, other = 1; run < MOST_RUNS && !interrupted(status); run++, other = !other) {
        struct pass *before = now;
        now = &l->pass[other];
        status = run_columns(l, now, fine);
        if (interrupted(status)) break;
        compare(l, before, now);
        out->reached = out->worst * (now->local <= FINEST ? 1 : MARGIN) <= tol && same_end(before, now);
        if (now->result.rows > before->result.rows && now->result.status) now->result.rows = before->result.rows;
        fine = next_local(l, now->local);
        if (out->reached || fine >= now->local || (now->rows.filled == 0 && run > 1)) break;
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
    l->out->error = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    l->last_difference = actio_take(l->ctx, m->sys->columns + 1, sizeof(double));
    l->out->row_error = actio_take(l->ctx, m->sys->columns * l->aim->rows + 1, sizeof(double));
    for (int i = 0; i < 2; i++) {
        if (actio_rows_open(&l->pass[i].rows, m, l->aim->times, l->aim->rows)) return 1;
        l->pass[i].result.y = actio_take(l->ctx, m->ny + 1, sizeof(double));
        if (!l->pass[i].result.y) return 1;
    }
    return !l->out->error || !l->last_difference || !l->out->row_error;
}

int actio_reach(struct actio_context *ctx, struct actio_motion *motion, const struct actio_aim *aim, struct actio_outcome *out)
{
    *out = (struct actio_outcome){ 0 };
    struct ladder l = { .ctx = ctx, .m = motion, .aim = aim, .out = out };
    int bad = open_ladder(&l);
    if (!bad && l.stepper->stiff) actio_motion_jacobian(motion);
    if (!bad) aim->local > 0 ? run_local(&l) : run_global(&l);
    for (int i = 0; i < 2; i++) {
        actio_rows_close(&l.pass[i].rows);
        actio_give(ctx, l.pass[i].result.y);
    }
    actio_give(ctx, l.last_difference);
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
