/* SPDX-License-Identifier: Apache-2.0
 * Global error, in two parts. Steps: the error of a run is close to proportional to its local tolerance. So the
 * difference of two runs, tolerances `ratio` apart, at the ends of the coarse one's steps is its error, and ratio times
 * that the error of the fine one, which is what is shown.
 * Interpolants, which give the rows: by their defect, in each step that has rows; the worst are put through all columns
 * with and without it. */
#include "solve/accuracy_inside.h"
#include "base/roles.h"
#include "solve/contacts.h"
#include "solve/poles.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RATIO 0.1 /* of the tolerances of the first two runs, down to 3e-8 */
/* theirs where tolerances are fine: error follows tolerance better there, and a rough run is cheap */
#define LEAST_RATIO 0.005
/* The first fine run's local tolerance, of the requested one, where the first run shows how much its interpolants are
 * wrong: at least, at most, and with this margin. */
#define LEAST_FIRST (1.0 / 64)
#define MOST_FIRST (1.0 / 4)
#define AIMED 3.0
#define STRAIGHT_LOCAL (1.0 / 32) /* of a run that nothing was foreseen for: a second one would cost far more */
#define COARSEST 2e-6 /* its local tolerance at most: the defect of longer steps shows less of their error */
#define DECIDING 1e-2 /* times finer, where the motion hangs on a contact that may be none */
#define AGAIN 0.5     /* times as fine: another run, for times of instants are compared */
#define CLOSER 0.03   /* times finer, where the first run ended before the others did */
#define MARGIN 1.5    /* the estimate must hold with this factor */
#define ROUNDED (4 * DBL_EPSILON) /* of its size: a state is not known better */
#define NEAR 10.0    /* an error of a value next to a pole, seen by shaking the state, is known to such a factor */
#define FEWEST 200.0 /* right-hand sides: any motion takes so many */
enum { MOST_RUNS = 8, SHORTER = 4 }; /* SHORTER: times that the first run's steps may be too long */

static void accuracy_keep(struct actio_ladder *l, struct actio_pass *p)
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
static bool holds(const struct actio_ladder *l, const struct actio_pass *now)
{
    bool finest = now->local <= 0.6 * ACTIO_FINEST_LOCAL;
    return l->out->worst * (l->measured || finest ? 1 : MARGIN) <= l->aim->tol * (l->measured && finest ? MARGIN : 1);
}

/* The next local tolerance, from what the last pair showed. */
static double next_local(const struct actio_ladder *l, double local)
{
    if (local <= ACTIO_FINEST_LOCAL) return local > 0.6 * ACTIO_FINEST_LOCAL ? 0.5 * ACTIO_FINEST_LOCAL : local;
    if (l->out->hangs && holds(l, &(struct actio_pass){ .local = local }))
        return fmax(DECIDING * local, ACTIO_FINEST_LOCAL);
    /* a rough first run may be wrong all over, and an error that is not known says nothing */
    bool known = l->straight ? l->out->worst < INFINITY : l->out->runs > 2;
    double wanted = local * 0.4 * l->aim->tol / l->out->worst, least = known ? 1e-3 : 0.05;
    return fmax(fmax(fmin(wanted, 0.5 * local), least * local), ACTIO_FINEST_LOCAL);
}

/* Two runs agree on where they end: at the end of the interval, or early at about the same row. */
static bool same_end(const struct actio_pass *a, const struct actio_pass *b)
{
    size_t apart = a->result.rows > b->result.rows ? a->result.rows - b->result.rows : b->result.rows - a->result.rows;
    return apart == 0 || (a->result.status && b->result.status && apart <= 1);
}

/* Local tolerance for a fine run: the first one's interpolants show how much theirs will be wrong. */
static double foresee(const struct actio_ladder *l, const struct actio_pass *rough, double fine)
{
    double worst = actio_ladder_gap(l, rough);
    if (!(worst > 0 && worst < INFINITY)) return fine;
    return fmax(
        fmin(fmax(rough->local * l->aim->tol / (AIMED * worst), LEAST_FIRST * l->aim->tol), MOST_FIRST * l->aim->tol),
        ACTIO_FINEST_LOCAL);
}

static double first_ratio(const struct actio_ladder *l, double fine)
{
    return l->stepper->uneven ? RATIO : fmax(LEAST_RATIO, fmin(RATIO, RATIO * sqrt(fine / 3e-8)));
}

/* Equal steps that are too long are not found: shorter ones. */
static int run_first_found(struct actio_ladder *l, struct actio_pass *p, double *fine)
{
    int status = actio_ladder_run_first(l, p, l->first);
    for (int i = 0; i < SHORTER && status == ACTIO_FLOW_FAILED && l->stepper == &actio_discrete; i++) {
        l->first /= 16;
        *fine = fmax(*fine / 16, ACTIO_FINEST_LOCAL);
        status = actio_ladder_run_first(l, p, l->first);
    }
    return status;
}

/* Values next to a pole that rounding of the state decides are not compared, nor those that were none in the run
 * before. */
static int blank_poles(struct actio_ladder *l, const struct actio_pass *before, struct actio_pass *p)
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
static void blank_unknown(struct actio_ladder *l, struct actio_pass *p)
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

/* The first run, and the local tolerance of the next. A flow or march status. */
static int run_rough(struct actio_ladder *l, struct actio_pass *p, double *fine)
{
    *fine = fmax(ACTIO_FIRST_LOCAL * l->aim->tol * l->closer, ACTIO_FINEST_LOCAL);
    l->first = *fine / first_ratio(l, *fine);
    l->have_last = l->exact = false;
    int status = run_first_found(l, p, fine);
    if (!actio_ladder_interrupted(status)) *fine = foresee(l, p, *fine);
    l->exact = l->stepper == &actio_ballistic && !p->result.stats.inexact;
    if (l->exact) *fine = ACTIO_FINEST_LOCAL;
    if (l->aim->compile && !actio_ladder_interrupted(status))
        actio_system_native(l->m->sys, 4.0 * (double)p->result.stats.rhs);
    return status;
}

/* Errors of a run against the one before it, and whether they hold. Errors that do not are held against more: what a
 * column is made of, and (fields) what it magnifies. */
static int judge_pair(struct actio_ladder *l, struct actio_pass *before, struct actio_pass *now)
{
    int status = ACTIO_FLOW_OK;
    if (actio_ladder_measures(l)) status = actio_ladder_measure(l, before, now);
    else actio_ladder_compare(l, before, now);
    if (status) return status;
    if (!holds(l, now) && !l->have_terms) actio_ladder_allow_terms(l, before, now);
    if (!holds(l, now) && l->m->sys->field.axes && !l->have_floor) actio_ladder_allow_floor(l, before, now);
    actio_ladder_date(l);
    bool failed = before->result.status == ACTIO_FLOW_FAILED && now->result.status == ACTIO_FLOW_FAILED;
    bool alike = before->fired == now->fired || failed; /* where bounces have no end, a finer run sees more */
    l->out->reached = holds(l, now) && same_end(before, now) && alike && !l->out->hangs;
    l->again = l->measured && actio_defect_may_be_rounding(&l->defect, l->aim->tol);
    if (l->again) l->defect.noisy = true;
    l->again &= l->out->reached; /* about the same run, with what rounding does to it */
    l->out->reached &= !l->again;
    if (now->result.rows > before->result.rows && now->result.status && now->result.status != ACTIO_FLOW_ENDED)
        now->result.rows = before->result.rows;
    return ACTIO_FLOW_OK;
}

/* Further runs, the next one at local tolerance `fine`, until the error holds or nothing finer helps; *now: the last
 * one. */
static int run_finer(struct actio_ladder *l, struct actio_pass **now, double fine)
{
    int status = ACTIO_FLOW_OK;
    for (int run = 1, other = 1; run < MOST_RUNS; run++, other = !other) {
        struct actio_pass *before = *now;
        if (!actio_ladder_make_room(l, &l->pass[other], l->rows.rows)) return ACTIO_MARCH_NO_MEMORY;
        *now = &l->pass[other];
        status = actio_ladder_run_columns(l, *now, fine);
        if (actio_ladder_interrupted(status)) return status;
        if (blank_poles(l, before, *now)) return ACTIO_FLOW_STOPPED;
        status = judge_pair(l, before, *now);
        if (status) return status;
        double local = (*now)->local;
        fine = l->exact ? local : l->again ? fmax(AGAIN * local, 0.5 * ACTIO_FINEST_LOCAL) : next_local(l, local);
        if (l->again) continue;
        if (l->out->reached || fine >= local || ((*now)->result.rows == 0 && run > 1)) break;
    }
    return status;
}

/* ---- judged by their own defect only */

/* Was it followed to its end, and nothing happened in it? */
static bool is_plain(const struct actio_ladder *l, const struct actio_pass *p)
{
    const struct actio_instants *in = &l->m->instants;
    return actio_ladder_measures(l) && p->result.status == ACTIO_FLOW_OK && p->result.stats.restarts == 0
           && in->now.count + in->nears == 0;
}

/* Lanes without checks: each row has an error of its own. */
static int open_straight(struct actio_ladder *l, double *fine)
{
    *fine = fmax(fmin(STRAIGHT_LOCAL * l->aim->tol, COARSEST), ACTIO_FINEST_LOCAL);
    l->first = *fine / first_ratio(l, *fine);
    l->have_last = l->exact = false;
    actio_checks_clear(&l->checks);
    return actio_ladder_open_lanes(l, &l->pass[0], 2 * ACTIO_GAPS + l->aim->rows);
}

/* Judged without a second run: the pass of that run gets the same end. */
static int judge_one(struct actio_ladder *l, struct actio_pass *other, struct actio_pass *p)
{
    other->local = l->first;
    other->result.status = p->result.status;
    other->result.rows = p->result.rows;
    other->fired = p->fired;
    size_t filled = l->rows.rows - l->aim->rows + p->result.rows;
    int status = actio_rows_blank_poles(&l->rows, filled, p->column, p->lanes, ROUNDED, l->aim->tol);
    return status ? status : judge_pair(l, other, p);
}

/* Runs at tolerances finer and finer, until the error holds. False: one can't be judged by its defect, or something
 * happens in the motion, which two runs have to show alike. */
static bool climb_straight(struct actio_ladder *l, struct actio_pass **now, int *status)
{
    double fine;
    *now = &l->pass[0];
    *status = ACTIO_MARCH_NO_MEMORY;
    l->refused = open_straight(l, &fine) != 0;
    if (l->refused || actio_ladder_open_defect(l)) return true;
    if (l->aim->compile) actio_system_native(l->m->sys, FEWEST);
    for (int run = 0, other = 1; run < MOST_RUNS; run++, other = !other) {
        struct actio_pass *p = *now = &l->pass[!other];
        *status = actio_ladder_make_room(l, p, l->rows.rows) ? ACTIO_FLOW_OK : ACTIO_MARCH_NO_MEMORY;
        if (*status) return true;
        *status = actio_ladder_run_columns(l, p, fine);
        if (actio_ladder_interrupted(*status)) return true;
        if (!is_plain(l, p)) return false;
        *status = judge_one(l, &l->pass[other], p);
        if (*status) return true;
        fine = l->again ? fmax(AGAIN * p->local, 0.5 * ACTIO_FINEST_LOCAL) : next_local(l, p->local);
        if (!l->again && (l->out->reached || fine >= p->local || p->result.rows == 0)) break;
        if (l->aim->compile) actio_system_native(l->m->sys, 4.0 * (double)p->result.stats.rhs);
    }
    return true;
}

/* ---- by two runs, if need be */

static int climb_once(struct actio_ladder *l, struct actio_pass **now)
{
    double fine;
    int status;
    if (l->straight && climb_straight(l, now, &status)) return status;
    if (l->straight) { /* all begins anew: the first of two runs is a rough one */
        l->out->runs = 0;
        l->early = l->early_local = 0;
    }
    l->straight = false;
    *now = &l->pass[0];
    actio_free(l->ctx, l->out->check_error);
    l->out->check_error = NULL;
    status = run_rough(l, *now, &fine);
    bool ended = status != ACTIO_FLOW_OK;
    if (!actio_ladder_interrupted(status)) status = run_finer(l, now, fine);
    l->unseen = ended && (*now)->result.status == ACTIO_FLOW_OK && !actio_ladder_interrupted(status);
    return status;
}

/* Runs finer and finer until the error holds; returns the last one. A first run that ended early leaves nothing to
 * compare later ones with from there on: a finer one begins. */
static struct actio_pass *climb(struct actio_ladder *l)
{
    struct actio_outcome *out = l->out;
    struct actio_pass *now;
    l->closer = 1;
    int status = climb_once(l, &now);
    for (int i = 0; i < SHORTER && l->unseen; i++) {
        l->closer *= CLOSER;
        status = climb_once(l, &now);
    }
    out->reached &= !l->unseen;
    if (out->reached) blank_unknown(l, now);
    if (!actio_ladder_interrupted(status)) actio_ladder_finish(l);
    if (actio_ladder_interrupted(status)) {
        out->reached = false;
        now->result.status = status;
        if (!now->column || status == ACTIO_MARCH_NO_MEMORY) now->result.rows = 0;
    }
    return now;
}

static void run_global(struct actio_ladder *l)
{
    struct actio_pass *last = climb(l);
    bool chosen = strcmp(l->aim->method, "auto") != 0;
    if (!l->out->reached && l->stepper->stiff && !chosen && !actio_ladder_interrupted(last->result.status)) {
        l->stepper = &actio_dop853; /* stiff or not, it may still get there */
        l->explicit_only = true;
        last = climb(l);
    }
    accuracy_keep(l, last);
}

static void run_local(struct actio_ladder *l)
{
    if (actio_ladder_open_lanes(l, &l->pass[0], 2 * ACTIO_GAPS + l->aim->rows)) {
        l->refused = true;
        return;
    }
    l->first = l->aim->local;
    actio_ladder_run_columns(l, &l->pass[0], l->aim->local);
    for (size_t c = 0; c < l->m->sys->output.columns; c++) l->out->error[c] = NAN;
    l->out->good_rows = l->pass[0].result.rows;
    l->out->holds_until = NAN;
    l->out->worst = NAN;
    accuracy_keep(l, &l->pass[0]);
}

static int open_ladder(struct actio_ladder *l)
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
    l->follows = l->aim->local == 0 && l->stepper == &actio_dop853 && actio_defect_applies(m);
    l->straight = l->follows && m->flow.guards == 0;
    if (l->stepper == &actio_dop853 && !m->flow.unfold && actio_features_open(&l->features, m)) {
        actio_report(l->ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(l->ctx->bytes_limit)));
        return 1;
    }
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
    struct actio_ladder l = { .ctx = ctx, .m = motion, .aim = aim, .out = out };
    int bad = open_ladder(&l);
    if (!bad && l.stepper->stiff) actio_motion_jacobian(motion);
    if (!bad) aim->local > 0 ? run_local(&l) : run_global(&l);
    bad |= l.refused;
    for (int i = 0; i < 2; i++) {
        actio_free(ctx, l.pass[i].column);
        actio_free(ctx, l.pass[i].result.y);
    }
    actio_free(ctx, l.spare);
    actio_ladder_close_defect(&l);
    actio_features_close(l.features);
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
    size_t from = out->by_row ? out->first : 0, count = out->by_row ? out->rows : out->compared;
    const double *error = out->check_error + c * out->error_lanes + from, *at = out->check_time + from;
    if (count == 0) return 0;
    bool backward = count > 1 && at[1] < at[0];
    size_t i = 0, end = count - 1; /* the first check that is not before t, or the last one */
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
