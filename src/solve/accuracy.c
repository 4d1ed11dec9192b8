/* SPDX-License-Identifier: Apache-2.0
 * Global error, in two parts. Steps: the error of a run is close to proportional to its local tolerance; so the
 * difference of two runs, tolerances
 * `ratio` apart, at the ends of the coarse one's steps is its error, and ratio times that the error of the fine one,
 * which is what is shown.
 * Interpolants, which give the rows: by their defect, in each step that has rows; the worst are put through all columns
 * with and without it. */
#include "solve/accuracy.h"
#include "base/roles.h"
#include "solve/checks.h"
#include "solve/poles.h"
#include "solve/segments.h"
#include "solve/contacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RATIO 0.1 /* of the tolerances of the first two runs, down to 3e-8 */
/* theirs where tolerances are fine: error follows tolerance better there, and a rough run is cheap */
#define LEAST_RATIO 0.005
#define FIRST (1.0 / 10) /* local tolerance of the first fine run, of the requested one, where nothing is foreseen */
#define LEAST_FIRST (1.0 / 64) /* and at least */
#define MOST_FIRST (1.0 / 4)   /* and at most, where the first run shows how much its interpolants are wrong */
#define AIMED 3.0              /* which then leave this margin */
#define FINEST 4e-15           /* about here rounding speaks: one run finer, then it must do */
#define SILENT 10.0            /* a step that may grow by more finds nothing: */
#define SILENT_STEPS 64        /* so many of them in the first run at --tol 1e-9, fewer for coarser ones */
#define SILENT_PACE 7          /* and their h*lambda: beyond the limit of stability, for a stiff problem must show */
#define MARGIN 1.5             /* the estimate must hold with this factor */
#define DOUBT 2.0 /* two runs far apart show the steps' part to this factor: error follows tolerance only roughly */
#define ROUNDED (4 * DBL_EPSILON) /* of its size: a state is not known better */
#define NEAR 10.0      /* an error of a value next to a pole, seen by shaking the state, is known to such a factor */
#define MAGNIFIED 0.01 /* an error of the state, beside the requested one, which columns of fields may magnify */
/* SAMPLED: steps of the first run of which one interpolant is looked at; SHORTER: times that its steps may be too long
 * */
enum { MOST_RUNS = 8, SAMPLED = 4, SHORTER = 4 };

/* column: as in actio_rows, of `lanes` values each: the checks, the gaps without and with their errors, the requested
 * rows (not in the first run). */
struct pass {
    double local, *column;
    size_t lanes;
    struct actio_march_result result;
};

struct ladder {
    struct actio_context *ctx;
    struct actio_motion *m;
    const struct actio_aim *aim;
    struct actio_outcome *out;
    const struct actio_stepper *stepper;
    struct actio_rows rows; /* lanes: checks, gaps, the requested rows */
    struct actio_checks checks;
    double *times; /* of the lanes */
    struct pass pass[2];
    double *spare; /* columns that nothing needs any more, or NULL */
    size_t spare_lanes;
    double *by_column;                   /* holds the arrays that follow */
    double *last_difference, last_ratio; /* by column, of the two runs before; their tolerances */
    double *steps, *gap;                 /* by column: the parts of the error that steps and interpolants have */
    double *floor; /* what a small error of the state does to each, requested when it matters: fields only */
    bool have_floor;
    double *size, *terms; /* of each column, at least 1; of the terms it is the sum of, requested when they matter */
    bool have_terms;
    double first;              /* local tolerance of the first run */
    double early, early_local; /* length of an early step of the last run, and its tolerance */
    /* flights only: the fine run has no error but rounding, which the shaken first one shows the growth of */
    bool exact;
    /* explicit_only: a stiff method was tried and did not reach it; refused: too many rows, and reported */
    bool have_last, explicit_only, refused;
    size_t evaluated; /* right-hand sides when compiling was last thought of */
};

/* Between steps: progress, and compiled kernels as soon as what is left of this run pays for them (the swap changes no
 * bit). */
static void report_progress(void *user, double t)
{
    struct ladder *l = user;
    struct actio_context *ctx = l->ctx;
    double done = fabs(t - l->aim->t0), all = fabs(l->aim->t1 - l->aim->t0);
    if (ctx->progress) ctx->progress(ctx->progress_user, "motion", done, all);
    size_t first = 20000; /* of one lane; a field has many */
    for (size_t a = 0; a < l->m->sys->field.axes; a++) first = first * 8 / (l->m->sys->field.axis[a].nodes + 8);
    if (!l->aim->compile || l->m->evaluations < 2 * l->evaluated + first || done <= 0) return;
    l->evaluated = l->m->evaluations;
    actio_system_native(l->m->sys, (double)l->m->evaluations * (all - done) / done);
}

static double eighth_root(double x) { return sqrt(sqrt(sqrt(x))); }

/* Where the error control has nothing to go by, finer runs step finer by the same rule as elsewhere: order 8. What is
 * nothing for a rough first run is measured by the fine one's tolerance. */
static void set_silence(struct ladder *l, double local)
{
    double finer = eighth_root(fmin(local / l->first, 1)), coarse = fmin(32, fmax(1, pow(l->aim->tol / 1e-9, 0.3)));
    if (l->aim->local > 0) coarse = 1;
    l->m->flow.silent = SILENT * eighth_root(fmax(local / fmax(FIRST * l->aim->tol, FINEST), 1));
    l->m->flow.longest = finer * coarse * fabs(l->aim->t1 - l->aim->t0) / SILENT_STEPS;
    l->m->flow.paced = finer * SILENT_PACE;
}

/* One run of the whole interval at a local tolerance. */
static int run_once(struct ladder *l, struct pass *p, double local, struct actio_march_task task)
{
    struct actio_motion *m = l->m;
    const struct actio_aim *aim = l->aim;
    task.stepper = l->stepper;
    task.t0 = aim->t0;
    task.t1 = aim->t1;
    task.rtol = task.atol = local;
    task.y0 = aim->y0;
    /* rounding, but another one in each run */
    m->flow.shake = l->stepper != &actio_ballistic || aim->local > 0 || l->exact ? 0
                    : l->out->runs == 0                                          ? local
                                                                                 : DBL_EPSILON / 2;
    m->flow.shaken = l->out->runs;
    task.stop_when_stiff = !l->stepper->stiff && !l->explicit_only && strcmp(aim->method, "auto") == 0
                           && !actio_contacts_hard(l->m) && !l->m->sys->field.axes && actio_stepper_stiff();
    task.progress = report_progress;
    task.progress_user = l;
    p->local = local;
    set_silence(l, local);
    /* the first two runs alike */
    m->flow.accuracy = aim->local > 0 ? local : fmin(local, fmax(FIRST * aim->tol, FINEST));
    m->watch.worst = 1;
    m->evaluations = l->evaluated = 0;
    m->flow.first = l->early_local > 0 && !l->stepper->stiff ? l->early * eighth_root(local / l->early_local) : 0;
    if (task.mark) actio_checks_clear(&l->checks);
    actio_checks_clear_gaps(&l->checks);
    if (m->contacts) m->contacts->local = local;
    int status = actio_motion_begin(m, aim->t0, aim->y0);
    p->result.status = status;
    p->result.t = aim->t0;
    p->result.rows = 0;
    p->result.guard = SIZE_MAX;
    if (p->result.y) memcpy(p->result.y, aim->y0, m->ny * sizeof(double));
    struct actio_flow flow = l->stepper == &actio_dop853 ? actio_segments_flow(m) : m->flow;
    if (!status) status = actio_march(l->ctx, &flow, &task, &p->result);
    l->out->rhs += p->result.stats.rhs;
    l->out->runs++;
    if (!l->stepper->stiff) {
        l->early = p->result.stats.early;
        l->early_local = l->early > 0 ? local : 0;
    }
    return status;
}

/* When the explicit method finds the problem stiff, a stiff one takes over for good. */
static int run_by_either(struct ladder *l, struct pass *p, double local, const struct actio_march_task *task)
{
    int status = run_once(l, p, local, *task);
    if (status != ACTIO_MARCH_STIFF) return status;
    l->stepper = actio_stepper_stiff();
    actio_motion_jacobian(l->m);
    return run_once(l, p, local, *task);
}

/* Of the requested rows, those before or at t. */
static size_t rows_until(const struct ladder *l, double t)
{
    const struct actio_aim *aim = l->aim;
    size_t r = 0;
    while (r < aim->rows && (aim->t1 < aim->t0 ? aim->times[r] >= t : aim->times[r] <= t)) r++;
    return r;
}

/* The columns of a further run: errors that are out of date, else new ones. */
static bool make_room(struct ladder *l, struct pass *p, size_t lanes)
{
    if (p->column && p->lanes == lanes) return true;
    actio_free(l->ctx, p->column);
    p->lanes = lanes;
    p->column = l->spare && l->spare_lanes == lanes ? l->spare : actio_rows_columns(&l->rows, lanes);
    if (p->column == l->spare) l->spare = NULL;
    return p->column != NULL;
}

/* Lanes for the checks and the requested rows; columns of a run that has `first` of them. */
static int open_lanes(struct ladder *l, struct pass *p, size_t first)
{
    const struct actio_aim *aim = l->aim;
    size_t checks = l->checks.count, before = checks + 2 * ACTIO_GAPS, lanes = before + aim->rows;
    actio_rows_close(&l->rows);
    actio_free(l->ctx, l->times);
    l->times = actio_alloc_raw(l->ctx, lanes + 1, sizeof *l->times);
    l->rows = (struct actio_rows){ .ctx = l->ctx, .motion = l->m, .rows = lanes };
    if (!l->times) {
        actio_rows_too_many(&l->rows);
        return 1;
    }
    if (checks) memcpy(l->times, l->checks.t, checks * sizeof *l->times);
    for (size_t i = checks; i < before; i++) l->times[i] = aim->t0;
    memcpy(l->times + before, aim->times, aim->rows * sizeof *l->times);
    if (actio_rows_open(&l->rows, l->m, l->times, lanes, aim->t1 < aim->t0)) return 1;
    if (make_room(l, p, first)) return 0;
    actio_rows_too_many(&l->rows);
    return 1;
}

/* Each kept gap in two lanes, without and with its error; those not used are the start. */
static void fill_gaps(struct ladder *l)
{
    const struct actio_checks *c = &l->checks;
    size_t first = l->rows.rows - l->aim->rows - 2 * ACTIO_GAPS, lanes = l->rows.rows;
    for (size_t k = 0; k < ACTIO_GAPS; k++) {
        bool used = k < c->gaps;
        const double *y = used ? c->gap_y + k * c->n : l->aim->y0;
        l->times[first + k] = l->times[first + ACTIO_GAPS + k] = used ? c->gap_t[k] : l->aim->t0;
        for (size_t i = 0; i < c->n; i++) {
            double *lane = l->rows.y + i * lanes + first + k;
            lane[0] = y[i];
            lane[ACTIO_GAPS] = y[i] + (used ? c->gap_error[k * c->n + i] : 0);
        }
    }
}

static bool interrupted(int status) { return status == ACTIO_FLOW_STOPPED || status == ACTIO_MARCH_NO_MEMORY; }

/* What the first run has when it is interrupted: its rows, if somebody could interrupt it. */
static void keep_rough(struct ladder *l, struct pass *p, const double *rough)
{
    size_t rows = l->aim->rows, before = l->checks.count + 2 * ACTIO_GAPS;
    if (!rough || open_lanes(l, p, before + rows)) {
        p->result.rows = 0;
        return;
    }
    for (size_t i = 0; i < l->m->ny; i++) {
        if (actio_overdue(l->ctx)) {
            p->result.rows = 0;
            return;
        }
        for (size_t j = 0; j < l->rows.rows; j++)
            l->rows.y[i * l->rows.rows + j] =
                j >= before && j - before < p->result.rows ? rough[i * rows + j - before] : l->aim->y0[i];
    }
    actio_rows_evaluate(&l->rows, before + p->result.rows, p->column, p->lanes, l->m->watch.worst < 1e-6);
    if (l->rows.done < before + p->result.rows) p->result.rows = l->rows.done > before ? l->rows.done - before : 0;
}

/* The first run shows where to compare. It needs few interpolants, unless it may have to show what it has. */
static int run_first(struct ladder *l, struct pass *p, double local)
{
    bool shows = l->ctx->cancel || l->ctx->deadline > 0;
    size_t ny = l->m->ny, rows = l->aim->rows, refused = l->ctx->refused;
    double *rough = shows && rows < SIZE_MAX / 64 / ny ? actio_alloc_raw(l->ctx, ny * rows, sizeof *rough) : NULL;
    actio_pardon(l->ctx, refused); /* without it nothing is kept if it is interrupted */
    struct actio_march_task task = { .rows = { { rows, l->aim->times, rough, rows } },
                                     .mark = actio_checks_note,
                                     .gap = actio_checks_gap,
                                     .watch_user = &l->checks,
                                     .gap_every = SAMPLED };
    int status = run_by_either(l, p, local, &task);
    if (status == ACTIO_FLOW_STOPPED) keep_rough(l, p, rough);
    actio_free(l->ctx, rough);
    if (interrupted(status)) return status;
    if (!status) actio_checks_end(&l->checks, p->result.t, p->result.y);
    if (open_lanes(l, p, l->checks.count + 2 * ACTIO_GAPS)) {
        l->refused = true;
        return ACTIO_MARCH_NO_MEMORY;
    }
    for (size_t c = 0; c < l->checks.count; c++)
        for (size_t i = 0; i < ny; i++) l->rows.y[i * l->rows.rows + c] = l->checks.y[c * ny + i];
    fill_gaps(l);
    if (actio_rows_evaluate(&l->rows, p->lanes, p->column, p->lanes, l->m->watch.worst < 1e-6) == ACTIO_FLOW_STOPPED) {
        p->result.rows = 0;
        return ACTIO_FLOW_STOPPED;
    }
    p->result.rows = rows_until(l, p->result.t);
    p->result.also = l->checks.count;
    return status;
}

/* A run with its columns. */
static int run_columns(struct ladder *l, struct pass *p, double local)
{
    size_t lanes = l->rows.rows, before = lanes - l->aim->rows, checks = before - 2 * ACTIO_GAPS;
    struct actio_march_task task = { .rows = { { l->aim->rows, l->aim->times, l->rows.y + before, lanes },
                                               { checks, l->times, l->rows.y, lanes } },
                                     .gap = actio_checks_gap,
                                     .watch_user = &l->checks };
    int status = run_by_either(l, p, local, &task);
    if (status == ACTIO_MARCH_NO_MEMORY) return status;
    fill_gaps(l);
    if (actio_rows_evaluate(&l->rows, before + p->result.rows, p->column, p->lanes, l->m->watch.worst < 1e-6)
        != ACTIO_FLOW_STOPPED)
        return status;
    p->result.rows = l->rows.done > before ? l->rows.done - before : 0;
    return p->result.status = ACTIO_FLOW_STOPPED;
}

/* Part of the difference of two runs that is the error of the finer one: ratio^gamma of it, gamma = 1 unless the runs
 * before showed less. */
static double share(const struct ladder *l, size_t c, double difference, double ratio, double size)
{
    double gamma = l->stepper->stiff || l->stepper->uneven ? 0.7 : 1;
    double noise = 100 * DBL_EPSILON * size; /* differences this small are rounding on both sides */
    if (difference <= noise) return 1;
    if (l->have_last && l->last_difference[c] > noise) {
        double seen = log(difference / l->last_difference[c]) / log(l->last_ratio);
        gamma = fmin(gamma, fmax(seen, 0.5));
    }
    double fraction = gamma == 1 ? ratio : pow(ratio, gamma);
    return fraction < 0.5 ? fraction / (1 - fraction) : 1;
}

/* An undefined value claims nothing; a value that the coarse run could not define is its own matter for multipliers
 * only. */
static double difference_of(double a, double b, bool multiplier)
{
    if (isnan(b) || a == b || (isnan(a) && multiplier)) return 0;
    return isnan(a - b) ? INFINITY : fabs(a - b);
}

/* One column of both runs: the largest difference, and the largest value but at least 1. */
struct contrast {
    double difference, size;
    bool finite;
    double level;
}; /* level: above it, values stand out */

/* Two at a time: rows are many, and whether one is over must not wait for the one before. */
typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef long long bits __attribute__((vector_size(16), may_alias));

static inline pair accuracy_load(const double *x) { return *(const pair *)x; }
static inline pair accuracy_size_of(pair x) { return (pair)((bits)x & (bits){ INT64_MAX, INT64_MAX }); }
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
            pair fine = accuracy_load(b + i + 2 * j), d = accuracy_size_of(accuracy_load(a + i + 2 * j) - fine);
            strange[j] += 0.0 * d; /* NAN when a value is not finite */
            difference[j] = larger(d, difference[j]);
            size[j] = larger(accuracy_size_of(fine), size[j]);
        }
    pair most = larger(difference[0], difference[1]), value = larger(size[0], size[1]), odd = strange[0] + strange[1];
    for (; i < rows; i++) {
        pair fine = { b[i], b[i] }, d = accuracy_size_of(a[i] - fine);
        odd += 0.0 * d;
        most = larger(d, most);
        value = larger(accuracy_size_of(fine), value);
    }
    return (struct contrast){ fmax(most[0], most[1]), fmax(value[0], value[1]), odd[0] + odd[1] == 0, INFINITY };
}

/* The same when values are not finite: some are compared by other rules. */
static struct contrast contrast_one_by_one(const double *a, const double *b, size_t rows, bool multiplier)
{
    struct contrast c = { 0, 1, false, INFINITY };
    for (size_t i = 0; i < rows; i++) {
        double x = fabs(b[i]), d = difference_of(a[i], b[i], multiplier);
        if (d > c.difference) c.difference = d;
        if (x > c.size && x <= DBL_MAX) c.size = x;
    }
    return c;
}

/* What rounding leaves of a value, beside others as large as `size`. A switch is located to rounding only. */
static double rounding_of(double size, double restarts)
{
    return DBL_EPSILON * (2 * (size > 1 ? size : 0) + 16 * restarts * size);
}

/* Row by row max(part * difference, rounding), in the place of the coarser run's values; NAN without a finite
 * value. Values above `level` stand out (a pole is close): the rounding of the others is not theirs. */
static void set_errors(double *a, const double *b, size_t rows, double part, const struct contrast *seen,
                       double restarts, bool multiplier)
{
    double least = rounding_of(seen->size, restarts), level = seen->level;
    bool finite = seen->finite;
    for (size_t i = 0; i < rows && level < INFINITY; i++) {
        double e = part * difference_of(a[i], b[i], multiplier);
        a[i] =
            isfinite(b[i]) ? fmax(e, rounding_of(fmax(1, fmin(seen->size, fmax(fabs(b[i]), level))), restarts)) : NAN;
    }
    if (level < INFINITY) return;
    for (size_t i = 0; i < rows && finite; i++) {
        double e = part * fabs(a[i] - b[i]);
        a[i] = e > least ? e : least;
    }
    for (size_t i = 0; i < rows && !finite; i++)
        a[i] = isfinite(b[i]) ? fmax(part * difference_of(a[i], b[i], multiplier), least) : NAN;
}

/* The first of `rows` whose error is over the bound. */
static size_t first_over(const double *error, size_t rows, double bound)
{
    size_t i = 0;
    while (i < rows && !(error[i] > bound)) i++;
    return i;
}

/* The size that a column's error is held against: its own, and for what the program makes as a sum (energy, power,
 * balances, residuals) also that of its terms, which may cancel: no energy is known better than its parts. */
static double judged_size(const struct ladder *l, size_t c)
{
    double size = l->have_terms && l->terms[c] > l->size[c] ? l->terms[c] : l->size[c];
    /* fields: what magnifies a far smaller error of the state is not held to more */
    return l->have_floor ? fmax(size, l->floor[c] / l->aim->tol) : size;
}

/* Where the errors stand: the worst, and until which row all of them hold. */
static void accuracy_judge(struct ladder *l, size_t rows)
{
    struct actio_outcome *out = l->out;
    size_t good = out->compared;
    out->worst = 0;
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        double size = judged_size(l, c), relative = out->error[c] / size;
        if (relative > out->worst) {
            out->worst = relative;
            out->worst_column = c;
        }
        if (out->error[c] > l->aim->tol * size)
            good = first_over(out->check_error + c * out->error_lanes, good, l->aim->tol * size);
    }
    out->good_rows = good == out->compared ? rows : good ? rows_until(l, l->times[good - 1]) : 0;
    if (out->good_rows > rows) out->good_rows = rows;
    out->holds_until = out->good_rows ? l->aim->times[out->good_rows - 1] : l->aim->t0;
}

/* The check that comes next after each gap; `checks` where there is none. */
static void place_gaps(const struct ladder *l, size_t checks, size_t *next)
{
    double sign = l->aim->t1 < l->aim->t0 ? -1 : 1;
    for (size_t k = 0; k < l->checks.gaps; k++) {
        size_t i = 0;
        while (i < checks && sign * (l->checks.gap_t[k] - l->times[i]) > 0) i++;
        next[k] = i;
    }
}

/* What the interpolants add to the error of a column; and to that of the check that comes next. */
static double add_gaps(const struct ladder *l, const struct pass *fine, size_t c, size_t checks, const size_t *next,
                       double *each)
{
    const double *without = fine->column + c * fine->lanes + l->rows.rows - l->aim->rows - 2 * ACTIO_GAPS,
                 *with = without + ACTIO_GAPS;
    double largest = 0;
    for (size_t k = 0; k < l->checks.gaps; k++) {
        double e = difference_of(without[k], with[k], true);
        if (e > largest) largest = e;
        if (next[k] < checks && e > each[next[k]]) each[next[k]] = e;
    }
    return largest;
}

/* The steps' part of a column's error. The first run is compared at the ends of its own steps; where a later one is
 * compared its interpolants speak, too, and when they explain the difference nothing was learned. Two runs may agree by
 * luck, three hardly do. */
static void set_steps(struct ladder *l, size_t c, double difference, double part, double ratio)
{
    double own = (l->have_last ? 1 : DOUBT) * part * difference, scaled = l->have_last ? l->steps[c] * ratio : 0;
    bool explained = l->have_last && difference < 2 * l->gap[c];
    l->steps[c] = explained ? fmin(scaled, own) : fmax(own, fmin(scaled / 2, 2 * own));
}

/* A column of a field is as large as it is anywhere along its axis. */
static void share_sizes(const struct actio_system *sys, double *size)
{
    for (size_t k = 0; sys->field.axes && k < sys->output.named; k++) {
        double *x = size + sys->output.column[k].first, most = 0;
        for (size_t i = 0; i < sys->output.column[k].width; i++) most = fmax(most, x[i]);
        for (size_t i = 0; i < sys->output.column[k].width; i++) x[i] = most;
    }
}

/* What is not known better because it magnifies errors of the state. */
static void ask_floor(struct ladder *l, size_t rows)
{
    const struct actio_system *sys = l->m->sys;
    if (actio_rows_floor(&l->rows, l->out->compared, fmax(DBL_EPSILON, MAGNIFIED * l->aim->tol), l->floor)) return;
    for (size_t c = 0; c < sys->output.columns; c++) {
        int role = actio_system_column(sys, c)->role;
        if (role != ACTIO_ROLE_LAMBDA && role != ACTIO_ROLE_REACTION && role != ACTIO_ROLE_POWER
            && role != ACTIO_ROLE_BALANCE && role != ACTIO_ROLE_OBSERVE)
            l->floor[c] = 0;
    }
    share_sizes(sys, l->floor);
    l->have_floor = true;
    accuracy_judge(l, rows);
}

static size_t rows_of_both(const struct pass *a, const struct pass *b)
{
    return a->result.rows < b->result.rows ? a->result.rows : b->result.rows;
}

/* Errors of the finer run against the coarser one, column by column; then check by check until when they hold. The
 * coarser run's columns become the errors. */
static void accuracy_compare(struct ladder *l, struct pass *coarse, const struct pass *fine)
{
    struct actio_outcome *out = l->out;
    size_t checks = coarse->result.also < fine->result.also ? coarse->result.also : fine->result.also;
    double ratio = fine->local / coarse->local, restarts = (double)fine->result.stats.restarts;
    size_t next[ACTIO_GAPS];
    place_gaps(l, checks, next);
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        double *each = coarse->column + c * coarse->lanes;
        const double *shown = fine->column + c * fine->lanes;
        bool multiplier = actio_system_column(l->m->sys, c)->role == ACTIO_ROLE_LAMBDA;
        struct contrast seen = contrast_of(each, shown, checks);
        if (!seen.finite) seen = contrast_one_by_one(each, shown, checks, multiplier);
        if (actio_system_column(l->m->sys, c)->role == ACTIO_ROLE_OBSERVE) seen.level = actio_stands_out(shown, checks);
        double part = share(l, c, seen.difference, ratio, seen.size), rounding = rounding_of(seen.size, restarts);
        set_errors(each, shown, checks, part, &seen, restarts, multiplier);
        set_steps(l, c, seen.difference, part, ratio);
        l->gap[c] = add_gaps(l, fine, c, checks, next, each);
        out->error[c] = fmax(fmax(l->steps[c], rounding), l->gap[c]);
        l->size[c] = seen.size;
        l->last_difference[c] = seen.difference;
    }
    share_sizes(l->m->sys, l->size);
    l->have_last = true;
    l->last_ratio = ratio;
    actio_free(l->ctx, l->spare);
    l->spare = out->check_error;
    l->spare_lanes = out->error_lanes;
    out->check_error = coarse->column;
    out->error_lanes = coarse->lanes;
    coarse->column = NULL;
    out->compared = checks;
    accuracy_judge(l, rows_of_both(coarse, fine));
}

static void accuracy_keep(struct ladder *l, struct pass *p)
{
    struct actio_outcome *out = l->out;
    out->column = p->column;
    p->column = NULL;
    out->lanes = p->lanes;
    out->first = p->lanes > l->aim->rows ? p->lanes - l->aim->rows : 0;
    out->check_time = l->times;
    l->times = NULL;
    out->rows = p->result.rows;
    out->finest = p->local;
    out->status = p->result.status;
    out->t_stop = p->result.t;
    out->guard = p->result.guard;
    out->y_stop = p->result.y;
    p->result.y = NULL;
    out->stepper = l->stepper;
    out->steps = p->result.stats.steps;
    out->rejected = p->result.stats.rejected;
    out->restarts = p->result.stats.restarts;
    out->change = l->m->history.change;
    out->changes = l->m->history.changes;
    out->magnified = l->have_floor;
}

/* Does it hold? Near rounding nothing finer can be had. */
static bool holds(const struct ladder *l, const struct pass *now)
{
    return l->out->worst * (now->local <= 0.6 * FINEST ? 1 : MARGIN) <= l->aim->tol;
}

/* The next local tolerance, from what the last pair showed. */
static double next_local(const struct ladder *l, double local)
{
    if (local <= FINEST) return local > 0.6 * FINEST ? 0.5 * FINEST : local;
    /* a rough first run may be wrong all over */
    double wanted = local * 0.4 * l->aim->tol / l->out->worst, least = l->out->runs > 2 ? 1e-3 : 0.05;
    return fmax(fmax(fmin(wanted, 0.5 * local), least * local), FINEST);
}

/* Two runs agree on where they end: at the end of the interval, or early at about the same row. */
static bool same_end(const struct pass *a, const struct pass *b)
{
    size_t apart = a->result.rows > b->result.rows ? a->result.rows - b->result.rows : b->result.rows - a->result.rows;
    return apart == 0 || (a->result.status && b->result.status && apart <= 1);
}

/* Local tolerance for a fine run: the first one's interpolants show how much theirs will be wrong. */
static double foresee(const struct ladder *l, const struct pass *rough, double fine)
{
    const double *column = rough->column;
    double worst = 0;
    for (size_t c = 0; c < l->m->sys->output.columns; c++, column += rough->lanes) {
        const double *without = column + rough->lanes - 2 * ACTIO_GAPS;
        double e = 0, size = 1;
        for (size_t k = 0; k < l->checks.gaps; k++) {
            e = fmax(e, difference_of(without[k], without[ACTIO_GAPS + k], true));
            size = fmax(size, fabs(without[k]));
        }
        if (!actio_role_is_sum(actio_system_column(l->m->sys, c)->role) && e > worst * size) worst = e / size;
    }
    if (!(worst > 0 && worst < INFINITY)) return fine;
    return fmax(
        fmin(fmax(rough->local * l->aim->tol / (AIMED * worst), LEAST_FIRST * l->aim->tol), MOST_FIRST * l->aim->tol),
        FINEST);
}

static double first_ratio(const struct ladder *l, double fine)
{
    return l->stepper->uneven ? RATIO : fmax(LEAST_RATIO, fmin(RATIO, RATIO * sqrt(fine / 3e-8)));
}

/* Equal steps that are too long are not found: shorter ones. */
static int run_first_found(struct ladder *l, struct pass *p, double *fine)
{
    int status = run_first(l, p, l->first);
    for (int i = 0; i < SHORTER && status == ACTIO_FLOW_FAILED && l->stepper == &actio_discrete; i++) {
        l->first /= 16;
        *fine = fmax(*fine / 16, FINEST);
        status = run_first(l, p, l->first);
    }
    return status;
}

/* Values next to a pole that rounding of the state decides are not compared, nor those that were none in the run
 * before. */
static int blank_poles(struct ladder *l, const struct pass *before, struct pass *p)
{
    size_t first = l->rows.rows - l->aim->rows, checks = first - 2 * ACTIO_GAPS;
    int status = actio_rows_blank_poles(&l->rows, first + p->result.rows, p->column, p->lanes, ROUNDED, l->aim->tol);
    for (size_t c = 0; c < l->m->sys->output.columns && !status; c++) {
        double *x = p->column + c * p->lanes;
        if (actio_system_column(l->m->sys, c)->role != ACTIO_ROLE_OBSERVE) continue;
        double level = actio_stands_out(x, checks);
        for (size_t i = 0; level < INFINITY && i < checks; i++)
            if (isnan(before->column[c * before->lanes + i]) && fabs(x[i]) > level) x[i] = NAN;
    }
    return status;
}

/* The same for the rows that are shown, by the error that the state turned out to have. */
static void blank_unknown(struct ladder *l, struct pass *p)
{
    double part = ROUNDED;
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        int role = actio_system_column(l->m->sys, c)->role;
        if (role == ACTIO_ROLE_COORD || role == ACTIO_ROLE_STATE || role == ACTIO_ROLE_RATE)
            part = fmax(part, l->out->error[c] / l->size[c]);
    }
    if (part < 1)
        actio_rows_blank_poles(&l->rows, p->lanes - l->aim->rows + p->result.rows, p->column, p->lanes, part,
                               NEAR * l->aim->tol);
}

/* Runs finer and finer until the error holds; returns the last one. */
static struct pass *climb(struct ladder *l)
{
    struct actio_outcome *out = l->out;
    double tol = l->aim->tol, fine = fmax(FIRST * tol, FINEST);
    struct pass *now = &l->pass[0];
    l->first = fine / first_ratio(l, fine);
    l->have_last = l->exact = false;
    actio_free(l->ctx, out->check_error);
    out->check_error = NULL;
    int status = run_first_found(l, now, &fine);
    if (!interrupted(status)) fine = foresee(l, now, fine);
    l->exact = l->stepper == &actio_ballistic && !now->result.stats.inexact;
    if (l->exact) fine = FINEST;
    if (l->aim->compile && !interrupted(status)) actio_system_native(l->m->sys, 4.0 * (double)now->result.stats.rhs);
    for (int run = 1, other = 1; run < MOST_RUNS && !interrupted(status); run++, other = !other) {
        struct pass *before = now;
        if (!make_room(l, &l->pass[other], l->rows.rows)) {
            status = ACTIO_MARCH_NO_MEMORY;
            break;
        }
        now = &l->pass[other];
        status = run_columns(l, now, fine);
        if (!interrupted(status) && blank_poles(l, before, now)) status = ACTIO_FLOW_STOPPED;
        if (interrupted(status)) break;
        accuracy_compare(l, before, now);
        if (!holds(l, now) && !l->have_terms && actio_rows_terms(&l->rows, out->compared, l->terms) == 0) {
            share_sizes(l->m->sys, l->terms);
            l->have_terms = true;
            accuracy_judge(l, rows_of_both(before, now));
        }
        if (!holds(l, now) && l->m->sys->field.axes && !l->have_floor) ask_floor(l, rows_of_both(before, now));
        out->reached = holds(l, now) && same_end(before, now);
        if (now->result.rows > before->result.rows && now->result.status) now->result.rows = before->result.rows;
        fine = l->exact ? now->local : next_local(l, now->local);
        if (out->reached || fine >= now->local || (now->result.rows == 0 && run > 1)) break;
    }
    if (out->reached) blank_unknown(l, now);
    if (interrupted(status)) {
        out->reached = false;
        now->result.status = status;
        if (!now->column || status == ACTIO_MARCH_NO_MEMORY) now->result.rows = 0;
    }
    return now;
}

static void run_global(struct ladder *l)
{
    struct pass *last = climb(l);
    bool chosen = strcmp(l->aim->method, "auto") != 0;
    if (!l->out->reached && l->stepper->stiff && !chosen && !interrupted(last->result.status)) {
        l->stepper = &actio_dop853; /* stiff or not, it may still get there */
        l->explicit_only = true;
        last = climb(l);
    }
    accuracy_keep(l, last);
}

static void run_local(struct ladder *l)
{
    if (open_lanes(l, &l->pass[0], 2 * ACTIO_GAPS + l->aim->rows)) {
        l->refused = true;
        return;
    }
    l->first = l->aim->local;
    run_columns(l, &l->pass[0], l->aim->local);
    for (size_t c = 0; c < l->m->sys->output.columns; c++) l->out->error[c] = NAN;
    l->out->good_rows = l->pass[0].result.rows;
    l->out->holds_until = NAN;
    l->out->worst = NAN;
    accuracy_keep(l, &l->pass[0]);
}

static int open_ladder(struct ladder *l)
{
    struct actio_motion *m = l->m;
    l->stepper = strcmp(l->aim->method, "auto") == 0 ? m->flow.is_free ? &actio_ballistic : &actio_dop853
                                                     : actio_stepper_find(l->aim->method);
    if (!l->stepper || (l->stepper->stiff && actio_contacts_hard(m))) {
        actio_report(l->ctx->findings, l->stepper ? ACTIO_F_NO_STIFF_CONTACT : ACTIO_F_NO_STEPPER,
                     ACTIO_ARGS(ACTIO_TEXT(l->aim->method)));
        return 1;
    }
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS)) return 1;
    size_t columns = m->sys->output.columns + 1;
    l->out->error = actio_alloc(l->ctx, columns, sizeof(double));
    l->by_column = actio_alloc(l->ctx, 6 * columns, sizeof(double));
    bool ok = l->out->error && l->by_column && actio_checks_open(&l->checks, l->ctx, m->ny) == 0;
    double **array[] = { &l->last_difference, &l->steps, &l->gap, &l->size, &l->terms, &l->floor };
    for (size_t i = 0; ok && i < 6; i++) *array[i] = l->by_column + i * columns;
    for (int i = 0; i < 2 && ok; i++)
        ok = (l->pass[i].result.y = actio_alloc(l->ctx, m->ny + 1, sizeof(double))) != NULL;
    if (!ok)
        actio_report(l->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(l->ctx->bytes_limit)));
    return !ok;
}

int actio_reach(struct actio_context *ctx, struct actio_motion *motion, const struct actio_aim *aim,
                struct actio_outcome *out)
{
    *out = (struct actio_outcome){ 0 };
    struct ladder l = { .ctx = ctx, .m = motion, .aim = aim, .out = out };
    int bad = open_ladder(&l);
    if (!bad && l.stepper->stiff) actio_motion_jacobian(motion);
    if (!bad) aim->local > 0 ? run_local(&l) : run_global(&l);
    bad |= l.refused;
    for (int i = 0; i < 2; i++) {
        actio_free(ctx, l.pass[i].column);
        actio_free(ctx, l.pass[i].result.y);
    }
    actio_free(ctx, l.spare);
    actio_free(ctx, l.times);
    actio_checks_close(&l.checks, ctx);
    actio_free(ctx, l.by_column);
    actio_rows_close(&l.rows);
    if (bad) actio_outcome_close(ctx, out);
    return bad;
}

const double *actio_outcome_column(const struct actio_outcome *out, size_t c)
{
    return out->column ? out->column + c * out->lanes + out->first : NULL;
}

double actio_outcome_error(const struct actio_outcome *out, size_t c, double t)
{
    const double *error = out->check_error + c * out->error_lanes, *at = out->check_time;
    if (out->compared == 0) return 0;
    bool backward = out->compared > 1 && at[1] < at[0];
    size_t i = 0, end = out->compared - 1; /* the first check that is not before t, or the last one */
    while (i < end) {
        size_t middle = (i + end) / 2;
        if (backward ? at[middle] > t : at[middle] < t) i = middle + 1;
        else end = middle;
    }
    return i && at[i] != t ? fmax(error[i - 1], error[i]) : error[i];
}

void actio_outcome_close(struct actio_context *ctx, struct actio_outcome *out)
{
    actio_free(ctx, out->column);
    actio_free(ctx, out->error);
    actio_free(ctx, out->check_error);
    actio_free(ctx, out->check_time);
    actio_free(ctx, out->y_stop);
    *out = (struct actio_outcome){ 0 };
}
