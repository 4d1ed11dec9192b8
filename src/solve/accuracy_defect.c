/* SPDX-License-Identifier: Apache-2.0
 * Errors of a run by its own defect: columns of the states that it should have had beside those that it has. */
#include "solve/accuracy_inside.h"
#include "base/roles.h"
#include "algebra/cloned.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MARGIN 1.5                 /* the linear estimate is right to this factor */
#define ROUGHLY 3.0                /* random rounding shows the size of the real one to this factor */
#define LEAST 4e-3                 /* of the tolerance: no smaller error is reported, but those that are nothing: */
#define NOTHING (64 * DBL_EPSILON) /* of the size */
#define POOR 1e-2                  /* quality of the elimination: rows nearly depend on each other */
#define MATTERS 1e-3               /* of the tolerance: errors by rounding below this are left out of columns */

static inline double greater(double a, double b) { return a > b ? a : b; }

int actio_ladder_open_defect(struct actio_ladder *l)
{
    size_t lanes = l->rows.rows, ny = l->m->ny, first = lanes - l->aim->rows, checks = first - 2 * ACTIO_GAPS;
    if (!l->defect.block && actio_defect_open(&l->defect, l->ctx, l->m)) return 1;
    l->defect.noisy |= actio_defect_expects_rounding(l->aim->tol);
    if (actio_defect_make_shadows(&l->defect)) return 1;
    if (!l->missed || l->missed_lanes != lanes) {
        actio_free(l->ctx, l->missed);
        l->missed = actio_alloc_raw(l->ctx, 2 * ny * lanes + 1, sizeof *l->missed);
        l->missed_lanes = lanes;
        actio_free(l->ctx, l->third);
        l->third = NULL;
        if (!l->missed) return 1;
    }
    double *error = l->missed, *rounding = error + ny * lanes;
    memset(error, 0, ny * lanes * sizeof *error);
    if (l->defect.noisy) memset(rounding, 0, ny * lanes * sizeof *rounding);
    l->defect.list[0] = (struct actio_defect_list){ .count = l->aim->rows,
                                                    .stride = lanes,
                                                    .times = l->aim->times,
                                                    .error = error + first,
                                                    .rounding = rounding + first };
    l->defect.list[1] = (struct actio_defect_list){
        .count = checks, .stride = lanes, .times = l->times, .error = error, .rounding = rounding
    };
    return 0;
}

void actio_ladder_close_defect(struct actio_ladder *l)
{
    actio_defect_close(&l->defect);
    actio_free(l->ctx, l->missed);
    actio_free(l->ctx, l->third);
    l->missed = l->third = NULL;
}

/* Columns of the states less what they are off by. False: it was stopped. */
static bool evaluate_without(struct actio_ladder *l, const double *missed, size_t filled, double *column, size_t lanes)
{
    bool rounding = missed != l->missed;
    for (size_t i = 0; i < l->m->ny; i++)
        for (size_t r = 0; r < filled; r++) l->rows.y[i * lanes + r] -= missed[i * lanes + r];
    actio_defect_swap(&l->defect, rounding);
    int status = actio_rows_evaluate(&l->rows, filled, column, lanes, l->m->watch.worst < 1e-6);
    actio_defect_swap(&l->defect, rounding);
    return status != ACTIO_FLOW_STOPPED;
}

/* The states again, whatever projection and NAN have made of them. */
static void restore_states(struct actio_ladder *l, const double *kept)
{
    memcpy(l->rows.y, kept, l->m->ny * l->rows.rows * sizeof *kept);
}

/* Do errors by rounding matter beside the tolerance? */
static bool rounding_matters(const struct actio_ladder *l, const double *kept, size_t filled)
{
    size_t lanes = l->rows.rows, ny = l->m->ny;
    if (!l->defect.noisy) return false;
    const double *rounding = l->missed + ny * lanes;
    for (size_t i = 0; i < ny; i++) {
        double size = 1, most = 0;
        for (size_t r = 0; r < filled; r++) {
            size = greater(size, fabs(kept[i * lanes + r]));
            most = greater(most, fabs(rounding[i * lanes + r]));
        }
        if (!(most <= MATTERS * l->aim->tol * size)) return true;
    }
    return false;
}

/* An undefined value claims nothing; where the state's error is not known no other is. */
static double away(double shown, double truth, double missed, bool multiplier)
{
    if (isnan(missed)) return INFINITY;
    if (isnan(shown) || shown == truth || (isnan(truth) && multiplier)) return 0;
    return isnan(shown - truth) ? INFINITY : fabs(shown - truth);
}

/* One column: what is shown, what it should be by the defect, and without errors by rounding (NULL: they are nothing).
 */
struct measured {
    const double *shown, *missed;
    double *truth, *rough; /* truth becomes the error */
    double restarts;
};

/* Four at a time: rows are many, and whether one is over must not wait for the one before. */
typedef actio_four quad;
typedef long long bits __attribute__((vector_size(32), may_alias));
static inline __attribute__((always_inline)) void take_sizes(quad *x)
{
    *x = (quad)((bits)*x & (bits){ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX });
}
static inline __attribute__((always_inline)) void take_largest(quad *most, const quad *x)
{
    bits first = (bits)(*x > *most);
    *most = (quad)(((bits)*x & first) | ((bits)*most & ~first));
}

/* Where all values are finite and rounding does not matter: errors in the place of the true values; the largest error
 * and value. */
CLONED static void measure_fast(const struct measured *x, size_t from, size_t to, double *worst, double *size)
{
    quad most = { 0, 0, 0, 0 }, value = most;
    size_t r = from;
    for (; r + 3 < to; r += 4) {
        quad shown = *(const quad *)(x->shown + r), d = shown - *(quad *)(x->truth + r);
        take_sizes(&d);
        take_sizes(&shown);
        take_largest(&most, &d);
        take_largest(&value, &shown);
        *(quad *)(x->truth + r) = MARGIN * d;
    }
    for (; r < to; r++) {
        double d = fabs(x->shown[r] - x->truth[r]);
        most[0] = greater(d, most[0]);
        value[0] = greater(fabs(x->shown[r]), value[0]);
        x->truth[r] = MARGIN * d;
    }
    for (size_t j = 1; j < 4; j++) {
        most[0] = greater(most[j], most[0]);
        value[0] = greater(value[j], value[0]);
    }
    *worst = greater(*worst, MARGIN * most[0]);
    *size = greater(*size, value[0]);
}

static double error_at(const struct measured *x, size_t r, double size, bool multiplier)
{
    double error = MARGIN * away(x->shown[r], x->truth[r], x->missed[r], multiplier);
    if (x->rough) error += ROUGHLY * away(x->shown[r], x->rough[r], x->missed[r], multiplier);
    return greater(error, actio_ladder_rounding(size, x->restarts));
}

/* The same in full. Rounding is that of the largest value so far. */
static void measure_slowly(const struct measured *x, size_t from, size_t to, bool multiplier, double *worst,
                           double *size)
{
    double so_far = 1;
    for (size_t r = from; r < to; r++) {
        if (!isfinite(x->shown[r])) {
            x->truth[r] = NAN;
            continue;
        }
        so_far = greater(so_far, fabs(x->shown[r]));
        x->truth[r] = error_at(x, r, so_far, multiplier);
        *worst = greater(*worst, x->truth[r]);
        *size = greater(*size, so_far);
    }
}

CLONED static bool is_plain(const struct measured *x, size_t from, size_t to)
{
    quad sum[2] = { { 0 } }; /* of zeros, or NAN */
    size_t r = from;
    if (x->rough) return false;
    for (; r + 7 < to; r += 8)
        for (size_t j = 0; j < 2; j++) {
            quad shown = *(const quad *)(x->shown + r + 4 * j), truth = *(quad *)(x->truth + r + 4 * j);
            sum[j] += 0.0 * (shown - truth + *(const quad *)(x->missed + r + 4 * j));
        }
    for (; r < to; r++) sum[0] += 0.0 * (x->shown[r] - x->truth[r] + x->missed[r]);
    sum[0] += sum[1];
    return sum[0][0] + sum[0][1] + sum[0][2] + sum[0][3] == 0;
}

/* Errors of these lanes in the place of their true values; the largest error and value. */
static void measure_lanes(const struct measured *x, size_t from, size_t to, bool multiplier, double *worst,
                          double *size)
{
    *worst = 0;
    *size = 1;
    if (!is_plain(x, from, to)) {
        measure_slowly(x, from, to, multiplier, worst, size);
        return;
    }
    measure_fast(x, from, to, worst, size);
    *worst = greater(*worst, actio_ladder_rounding(*size, x->restarts));
}

static void measure_columns(struct actio_ladder *l, double *truth, double *rough, const struct actio_pass *now,
                            size_t filled)
{
    size_t lanes = l->rows.rows, first = lanes - l->aim->rows;
    double of_checks, its_size;
    for (size_t c = 0; c < l->m->sys->output.columns; c++) {
        struct measured x = { .shown = now->column + c * lanes,
                              .missed = l->missed,
                              .truth = truth + c * lanes,
                              .rough = rough ? rough + c * lanes : NULL,
                              .restarts = (double)now->result.stats.restarts };
        bool multiplier = actio_system_column(l->m->sys, c)->role == ACTIO_ROLE_LAMBDA;
        double *error = &l->out->error[c], least = LEAST * l->aim->tol;
        measure_lanes(&x, 0, first - 2 * ACTIO_GAPS, multiplier, &of_checks, &its_size); /* for times of instants */
        measure_lanes(&x, first, filled, multiplier, error, &l->size[c]);
        if (*error > NOTHING * l->size[c]) *error = greater(*error, least * l->size[c]);
        l->gap[c] = 0;
    }
}

/* What the errors are made of becomes that of the outcome. */
static void hand_over(struct actio_ladder *l, struct actio_pass *before, const struct actio_pass *now)
{
    struct actio_outcome *out = l->out;
    size_t lanes = l->rows.rows, checks = lanes - l->aim->rows - 2 * ACTIO_GAPS;
    actio_free(l->ctx, l->spare);
    l->spare = out->check_error;
    l->spare_lanes = out->error_lanes;
    out->check_error = before->column;
    out->error_lanes = lanes;
    before->column = NULL;
    out->compared = now->result.also < checks ? now->result.also : checks;
    out->by_row = true;
    l->measured = true;
    l->last_ratio = now->local / before->local; /* for times of instants */
    actio_ladder_judge(l, before, now);
}

bool actio_ladder_measures(const struct actio_ladder *l)
{
    bool poor = l->m->watch.worst < POOR; /* by a dead point tangents are anything */
    return l->follows && l->stepper == &actio_dop853 && !l->defect.lost && !poor;
}

/* Columns without errors by rounding, where these matter. A status. */
static int evaluate_rough(struct actio_ladder *l, const double *kept, size_t filled, double **rough)
{
    size_t lanes = l->rows.rows;
    if (!rounding_matters(l, kept, filled)) return 0;
    if (!l->third) l->third = actio_rows_columns(&l->rows, lanes);
    if (!l->third) return ACTIO_MARCH_NO_MEMORY;
    *rough = l->third;
    bool good = evaluate_without(l, l->missed + l->m->ny * lanes, filled, l->third, lanes);
    restore_states(l, kept);
    return good ? 0 : ACTIO_FLOW_STOPPED;
}

int actio_ladder_measure(struct actio_ladder *l, struct actio_pass *before, struct actio_pass *now)
{
    size_t lanes = l->rows.rows, filled = lanes - l->aim->rows + now->result.rows, ny = l->m->ny;
    double *kept = actio_alloc_raw(l->ctx, ny * lanes + 1, sizeof *kept), *rough = NULL;
    int status = kept && actio_ladder_make_room(l, before, lanes) ? 0 : ACTIO_MARCH_NO_MEMORY;
    if (!status) memcpy(kept, l->rows.y, ny * lanes * sizeof *kept);
    if (!status) status = evaluate_rough(l, kept, filled, &rough);
    if (!status && !evaluate_without(l, l->missed, filled, before->column, lanes)) status = ACTIO_FLOW_STOPPED;
    if (kept && status != ACTIO_MARCH_NO_MEMORY) restore_states(l, kept);
    actio_free(l->ctx, kept);
    if (status) return status;
    measure_columns(l, before->column, rough, now, filled);
    hand_over(l, before, now);
    return 0;
}
