/* SPDX-License-Identifier: Apache-2.0
 * Errors from two runs of a motion: the steps' part by their difference, that of the interpolants by their gaps; and
 * until when all of them hold. */
#include "solve/accuracy_inside.h"
#include "base/roles.h"
#include "solve/poles.h"

#include <float.h>
#include <math.h>

#define DOUBT 2.0 /* two runs far apart show the steps' part to this factor: error follows tolerance only roughly */
#define TERM_ROUNDING 100.0 /* times eps: what rounding of its terms leaves of a sum */
#define MAGNIFIED 0.01      /* an error of the state, beside the requested one, which columns of fields may magnify */

/* Part of the difference of two runs that is the error of the finer one: ratio^gamma of it, gamma = 1 unless the runs
 * before showed less. */
static double share(const struct actio_ladder *l, size_t c, double difference, double ratio, double size)
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
double actio_ladder_rounding(double size, double restarts)
{
    return DBL_EPSILON * (2 * (size > 1 ? size : 0) + 16 * restarts * size);
}

/* Row by row max(part * difference, rounding), in the place of the coarser run's values; NAN without a finite value.
 * Rounding is that of the largest value so far. Values above `level` stand out (a pole is close): their rounding is
 * theirs only. */
static void set_errors(double *a, const double *b, size_t rows, double part, const struct contrast *seen,
                       double restarts, bool multiplier)
{
    bool stands_out = seen->level < INFINITY;
    double size = 1;
    for (size_t i = 0; i < rows; i++) {
        double here = fabs(b[i]);
        if (!isfinite(here)) {
            a[i] = NAN;
            continue;
        }
        size = fmax(size, here);
        double rounded = stands_out ? fmax(1, fmin(seen->size, fmax(here, seen->level))) : size;
        a[i] = fmax(part * difference_of(a[i], b[i], multiplier), actio_ladder_rounding(rounded, restarts));
    }
}

/* The first of `rows` whose error is over the bound, times the size that the column has had so far: what an error makes
 * large does not excuse the rows before. */
static size_t first_over(const double *error, const double *value, size_t rows, double bound)
{
    double size = 1;
    for (size_t i = 0; i < rows; i++) {
        if (isfinite(value[i])) size = fmax(size, fabs(value[i]));
        if (error[i] > bound * size) return i;
    }
    return rows;
}

/* The size that a column's error is held against: its own, and for what the program makes as a sum (energy, power,
 * balances, residuals) also that of its terms, which may cancel: no energy is known better than its parts. */
static double judged_size(const struct actio_ladder *l, size_t c)
{
    double rounding = fmin(1, TERM_ROUNDING * DBL_EPSILON / l->aim->tol), part = l->measured ? rounding : 1;
    double size = l->have_terms ? fmax(l->size[c], part * l->terms[c]) : l->size[c];
    /* fields: what magnifies a far smaller error of the state is not held to more */
    return l->have_floor ? fmax(size, l->floor[c] / l->aim->tol) : size;
}

static size_t rows_of_both(const struct actio_pass *a, const struct actio_pass *b)
{
    return a->result.rows < b->result.rows ? a->result.rows : b->result.rows;
}

/* Where the errors stand: the worst, and until which row all of them hold. */
void actio_ladder_judge(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine)
{
    struct actio_outcome *out = l->out;
    size_t good = out->compared, rows = rows_of_both(coarse, fine), good_rows = rows,
           first = l->rows.rows - l->aim->rows; /* the rows' own errors, where they are known */
    out->worst = 0;
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        double size = judged_size(l, c), relative = out->error[c] / size;
        if (relative > out->worst) {
            out->worst = relative;
            out->worst_column = c;
        }
        if (out->error[c] > l->aim->tol * size)
            good = first_over(out->check_error + c * out->error_lanes, fine->column + c * fine->lanes, good,
                              l->aim->tol * size / l->size[c]);
        if (out->error[c] > l->aim->tol * size && l->measured)
            good_rows = first_over(out->check_error + c * out->error_lanes + first,
                                   fine->column + c * fine->lanes + first, good_rows, l->aim->tol * size / l->size[c]);
    }
    out->good_rows = good == out->compared ? rows : good ? actio_ladder_rows_until(l, l->times[good - 1]) : 0;
    if (l->measured) out->good_rows = good_rows;
    if (out->good_rows > rows) out->good_rows = rows;
    out->holds_until = out->good_rows ? l->aim->times[out->good_rows - 1] : l->aim->t0;
}

/* The check that comes next after each gap; `checks` where there is none. */
static void place_gaps(const struct actio_ladder *l, size_t checks, size_t *next)
{
    double sign = l->aim->t1 < l->aim->t0 ? -1 : 1;
    for (size_t k = 0; k < l->checks.gaps; k++) {
        size_t i = 0;
        while (i < checks && sign * (l->checks.gap_t[k] - l->times[i]) > 0) i++;
        next[k] = i;
    }
}

/* What the interpolants add to the error of a column; and to that of the check that comes next. */
static double add_gaps(const struct actio_ladder *l, const struct actio_pass *fine, size_t c, size_t checks,
                       const size_t *next, double *each)
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
static void set_steps(struct actio_ladder *l, size_t c, double difference, double part, double ratio)
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

void actio_ladder_compare(struct actio_ladder *l, struct actio_pass *coarse, const struct actio_pass *fine)
{
    struct actio_outcome *out = l->out;
    size_t checks = coarse->result.also < fine->result.also ? coarse->result.also : fine->result.also;
    double ratio = fine->local / coarse->local, restarts = (double)fine->result.stats.restarts;
    size_t next[ACTIO_GAPS];
    l->measured = out->by_row = false;
    place_gaps(l, checks, next);
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        double *each = coarse->column + c * coarse->lanes;
        const double *shown = fine->column + c * fine->lanes;
        bool multiplier = actio_system_column(l->m->sys, c)->role == ACTIO_ROLE_LAMBDA;
        struct contrast seen = contrast_of(each, shown, checks);
        if (!seen.finite) seen = contrast_one_by_one(each, shown, checks, multiplier);
        if (actio_system_column(l->m->sys, c)->role == ACTIO_ROLE_OBSERVE) seen.level = actio_stands_out(shown, checks);
        double part = share(l, c, seen.difference, ratio, seen.size),
               rounding = actio_ladder_rounding(seen.size, restarts);
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
    actio_ladder_judge(l, coarse, fine);
}

double actio_ladder_gap(const struct actio_ladder *l, const struct actio_pass *run)
{
    const double *column = run->column;
    double worst = 0;
    for (size_t c = 0; c < l->m->sys->output.columns; c++, column += run->lanes) {
        const double *without = column + run->lanes - 2 * ACTIO_GAPS;
        double e = 0, size = 1;
        for (size_t k = 0; k < l->checks.gaps; k++) {
            e = fmax(e, difference_of(without[k], without[ACTIO_GAPS + k], true));
            size = fmax(size, fabs(without[k]));
        }
        bool counts = l->follows || !actio_role_is_sum(actio_system_column(l->m->sys, c)->role);
        if (counts && e > worst * size) worst = e / size;
    }
    return worst;
}

void actio_ladder_allow_terms(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine)
{
    size_t lanes = l->out->compared ? l->out->compared : l->rows.rows - l->aim->rows + fine->result.rows;
    if (actio_rows_terms(&l->rows, lanes, l->terms)) return;
    share_sizes(l->m->sys, l->terms);
    l->have_terms = true;
    actio_ladder_judge(l, coarse, fine);
}

void actio_ladder_allow_floor(struct actio_ladder *l, const struct actio_pass *coarse, const struct actio_pass *fine)
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
    actio_ladder_judge(l, coarse, fine);
}
