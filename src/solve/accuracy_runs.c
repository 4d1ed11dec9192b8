/* SPDX-License-Identifier: Apache-2.0
 * One run of a motion at a local tolerance, with its columns. */
#include "solve/accuracy_inside.h"
#include "solve/contacts.h"
#include "solve/resets.h"
#include "solve/segments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SILENT 10.0     /* a step that may grow by more finds nothing: */
#define SILENT_STEPS 64 /* so many of them in the first run at --tol 1e-9, fewer for coarser ones */
#define SILENT_PACE 7   /* and their h*lambda: beyond the limit of stability, for a stiff problem must show */
enum { SAMPLED = 4 };   /* steps of the first run of which one interpolant is looked at */

/* Between steps: progress, and compiled kernels as soon as what is left of this run pays for them (the swap changes no
 * bit). */
static void report_progress(void *user, double t)
{
    struct actio_ladder *l = user;
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
void actio_motion_pace(struct actio_motion *m, double local, double tol, double finer, double coarse, double length)
{
    m->flow.pacing.silent = SILENT * eighth_root(fmax(local / fmax(ACTIO_FIRST_LOCAL * tol, ACTIO_FINEST_LOCAL), 1));
    m->flow.pacing.longest = finer * coarse * length / SILENT_STEPS;
    m->flow.pacing.paced = finer * SILENT_PACE;
}

static void set_silence(struct actio_ladder *l, double local)
{
    double finer = eighth_root(fmin(local / l->first, 1)), coarse = fmin(32, fmax(1, pow(l->aim->tol / 1e-9, 0.3)));
    if (l->aim->local > 0) coarse = 1;
    actio_motion_pace(l->m, local, l->aim->tol, finer, coarse, fabs(l->aim->t1 - l->aim->t0));
}

/* One run of the whole interval at a local tolerance. */
static int run_once(struct actio_ladder *l, struct actio_pass *p, double local, struct actio_march_task task)
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
    struct actio_follower follower = actio_defect_follower(&l->defect);
    if (l->follows && l->defect.block && l->stepper == &actio_dop853 && task.rows[1].row) task.follower = &follower;
    if (task.follower) actio_defect_begin(&l->defect, aim->t0, aim->t1, aim->y0);
    p->local = local;
    set_silence(l, local);
    /* the first two runs alike */
    m->flow.accuracy = aim->local > 0 ? local : fmin(local, fmax(ACTIO_FIRST_LOCAL * aim->tol, ACTIO_FINEST_LOCAL));
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
    struct actio_ode flow = actio_resets_over(m, l->stepper == &actio_dop853 ? actio_segments_flow(m) : m->flow);
    m->features = l->stepper == &actio_dop853 && !task.mark ? l->features : NULL; /* the rough run needs no guard */
    flow = actio_features_over(m->features, flow, local);
    if (!status) status = actio_march(l->ctx, &flow, &task, &p->result);
    m->features = NULL;
    p->fired = actio_resets_fired(m);
    l->out->rhs += p->result.stats.rhs;
    l->out->runs++;
    if (!l->stepper->stiff) {
        l->early = p->result.stats.early;
        l->early_local = l->early > 0 ? local : 0;
    }
    return status;
}

/* When the explicit method finds the problem stiff, a stiff one takes over for good. */
static int run_by_either(struct actio_ladder *l, struct actio_pass *p, double local,
                         const struct actio_march_task *task)
{
    int status = run_once(l, p, local, *task);
    if (status != ACTIO_MARCH_STIFF) return status;
    l->stepper = actio_stepper_stiff();
    actio_motion_jacobian(l->m);
    return run_once(l, p, local, *task);
}

size_t actio_ladder_rows_until(const struct actio_ladder *l, double t)
{
    const struct actio_aim *aim = l->aim;
    size_t r = 0;
    while (r < aim->rows && (aim->t1 < aim->t0 ? aim->times[r] >= t : aim->times[r] <= t)) r++;
    return r;
}

bool actio_ladder_make_room(struct actio_ladder *l, struct actio_pass *p, size_t lanes)
{
    if (p->column && p->lanes == lanes) return true;
    actio_free(l->ctx, p->column);
    p->lanes = lanes;
    p->column = l->spare && l->spare_lanes == lanes ? l->spare : actio_rows_columns(&l->rows, lanes);
    if (p->column == l->spare) l->spare = NULL;
    return p->column != NULL;
}

int actio_ladder_open_lanes(struct actio_ladder *l, struct actio_pass *p, size_t first)
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
    if (actio_ladder_make_room(l, p, first)) return 0;
    actio_rows_too_many(&l->rows);
    return 1;
}

/* Each kept gap in two lanes, without and with its error; those not used are the start. */
static void fill_gaps(struct actio_ladder *l)
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

/* What the first run has when it is interrupted: its rows, if somebody could interrupt it. */
static void keep_rough(struct actio_ladder *l, struct actio_pass *p, const double *rough)
{
    size_t rows = l->aim->rows, before = l->checks.count + 2 * ACTIO_GAPS;
    if (!rough || actio_ladder_open_lanes(l, p, before + rows)) {
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

int actio_ladder_run_first(struct actio_ladder *l, struct actio_pass *p, double local)
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
    if (actio_ladder_interrupted(status)) return status;
    if (!status) actio_checks_end(&l->checks, p->result.t, p->result.y);
    if (actio_ladder_open_lanes(l, p, l->checks.count + 2 * ACTIO_GAPS)) {
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
    p->result.rows = actio_ladder_rows_until(l, p->result.t);
    p->result.also = l->checks.count;
    return status;
}

/* A motion that a statement ends has a row there. */
static void add_last_row(struct actio_ladder *l, struct actio_pass *p)
{
    size_t lanes = l->rows.rows, next = lanes - l->aim->rows + p->result.rows;
    if (next >= lanes || (p->result.rows && l->times[next - 1] == p->result.t)) return;
    l->times[next] = p->result.t;
    for (size_t i = 0; i < l->m->ny; i++) l->rows.y[i * lanes + next] = p->result.y[i];
    p->result.rows++;
}

int actio_ladder_run_columns(struct actio_ladder *l, struct actio_pass *p, double local)
{
    size_t lanes = l->rows.rows, before = lanes - l->aim->rows, checks = before - 2 * ACTIO_GAPS;
    struct actio_march_task task = { .rows = { { l->aim->rows, l->aim->times, l->rows.y + before, lanes },
                                               { checks, l->times, l->rows.y, lanes } },
                                     .gap = l->straight ? NULL : actio_checks_gap,
                                     .watch_user = &l->checks };
    if (l->follows && l->stepper == &actio_dop853 && actio_ladder_open_defect(l)) return ACTIO_MARCH_NO_MEMORY;
    int status = run_by_either(l, p, local, &task);
    if (status == ACTIO_MARCH_NO_MEMORY) return status;
    if (status == ACTIO_FLOW_ENDED) add_last_row(l, p);
    fill_gaps(l);
    if (actio_rows_evaluate(&l->rows, before + p->result.rows, p->column, p->lanes, l->m->watch.worst < 1e-6)
        != ACTIO_FLOW_STOPPED)
        return status;
    p->result.rows = l->rows.done > before ? l->rows.done - before : 0;
    return p->result.status = ACTIO_FLOW_STOPPED;
}
