/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model at work: the box it looks into, and the system with the constraints that follow. Its words: run_say.c. */
#include "run.h"
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

/* ---- the box */

/* Around the start: as far as the values themselves and 1 more. */
static void widen(double *low, double *high)
{
    double range = *high - *low, size = fmax(fabs(*low), fabs(*high)), more = 1 + 0.5 * size + range;
    *low -= more, *high += more;
}

/* Where the motion goes at a rough tolerance; what can't be computed is left out. */
enum { ROWS = 65 };

static void visit(struct actio_run *run, struct actio_box *box)
{
    struct actio_findings silent;
    struct actio_rows rows = { 0 };
    double times[ROWS], *start = actio_arena_array(&run->arena, run->ny + 1, sizeof *start), *visited_at = actio_arena_array(&run->arena, ROWS, sizeof *visited_at);
    struct actio_model *m = run->model;
    if (!m->has_time) return;
    box->end = actio_arena_array(&run->arena, run->ny + 1, sizeof *box->end);   /* the last that may escape: what follows is closed below */
    actio_findings_open(&silent, run->ctx);
    struct actio_findings *outer = run->ctx->findings, *own = run->f;
    run->ctx->findings = run->f = &silent;
    for (int i = 0; i < ROWS; i++) times[i] = m->t0 + (m->t1 - m->t0) * i / (ROWS - 1);
    memcpy(start, run->y0, run->ny * sizeof *start);
    run->tentative = true;
    if (actio_run_examine(run) == 0 && actio_rows_open(&rows, &run->motion, times, ROWS, m->t1 < m->t0) == 0) {
        struct actio_march_task task = { .stepper = &actio_dop853, .t0 = m->t0, .t1 = m->t1, .rtol = 1e-5, .atol = 1e-5, .y0 = run->y0, .rows = { { ROWS, times, rows.y, ROWS } },
                                         .max_steps = 20000 };
        struct actio_march_result result = { .y = box->end };
        if (actio_motion_begin(&run->motion, m->t0, run->y0) == 0) actio_march(run->ctx, &run->motion.flow, &task, &result);
        box->t_end = result.t, box->rows_disagreed = run->motion.stop == ACTIO_STOP_CONTRADICTION;
        for (size_t i = 0; i < run->ny; i++)
            for (size_t r = 0; r < result.rows; r++) {
                double x = box->seed[r * run->ny + i] = rows.y[i * ROWS + r];
                if (isfinite(x)) box->low[i] = fmin(box->low[i], x), box->high[i] = fmax(box->high[i], x);
            }
        box->seeds = result.rows;
        run->visited = box->seed, run->visits = box->seeds, run->visited_at = visited_at;
        memcpy(run->visited_at, times, sizeof times);
    }
    run->tentative = false;
    memcpy(run->y0, start, run->ny * sizeof *start);       /* as given: examining puts it on the constraints */
    actio_rows_close(&rows);
    run->ctx->findings = outer, run->f = own;
    actio_findings_close(&silent);
}

static void make_box(struct actio_run *run, struct actio_box *box)
{
    for (size_t i = 0; i < run->ny; i++) box->low[i] = box->high[i] = run->y0[i];
    visit(run, box);
    for (size_t i = 0; i < run->ny; i++) {
        widen(&box->low[i], &box->high[i]);
        if (run->box_given && run->box_given[i]) box->low[i] = run->box_low[i], box->high[i] = run->box_high[i];
    }
}

/* ---- the survey */

struct surveying { struct actio_run *run; bool judging; struct actio_verdict *verdict; struct actio_kernels in_use; };

static void survey(void *user)
{
    struct surveying *s = user;
    struct actio_run *run = s->run;
    struct actio_box box = { .low = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)), .high = actio_arena_array(&run->arena, run->ny + 1, sizeof(double)),
                             .seed = actio_arena_array(&run->arena, ROWS * run->ny + 1, sizeof(double)) };
    box.in_use = &s->in_use, box.rows = ROWS;
    box.t1 = run->model->has_time ? run->model->t1 : 1;    /* constraints that depend on time are looked at at other times, too */
    box.look_later = s->judging && run->model->has_time;
    make_box(run, &box);
    s->verdict = actio_survey(run->sys->formation, run->param, run->model->has_time ? run->model->t0 : 0, run->y0, &box);
}

struct actio_verdict *actio_run_survey(struct actio_run *run, bool judging)
{
    struct surveying s = { .run = run, .judging = judging };
    int bad = actio_attempt(run->ctx, survey, &s);
    for (size_t i = 0; i < ACTIO_MOST_KERNELS; i++)
        if (s.in_use.k[i]) actio_kernel_free(s.in_use.k[i]);
    return bad ? NULL : s.verdict;
}

/* ---- the system with its hidden constraints */

struct extending { struct actio_run *run; const struct actio_verdict *v; struct actio_system *next; };

static void extend(void *user)
{
    struct extending *x = user;
    struct actio_formation *from = x->v->F, *to = x->next->formation;
    size_t n = x->v->hiddens;
    actio_expr *e = actio_form_array(to, n, sizeof *e);
    const char **text = actio_form_array(to, n, sizeof *text);
    actio_copy_all(&to->pool, &from->pool, x->v->hidden_e, n, e);
    for (size_t i = 0; i < n; i++) text[i] = actio_arena_text(&to->arena, x->v->hidden[i].text, strlen(x->v->hidden[i].text));
    actio_add_hidden(to, e, text, x->v->hidden_is_position, n);
}

int actio_run_take_hidden(struct actio_run *run, const struct actio_verdict *v)
{
    struct extending x = { run, v, actio_system_form(run->ctx, run->model, run->form) };
    if (!x.next) return 1;
    if (actio_attempt(run->ctx, extend, &x)) {
        actio_system_free(x.next);
        return 1;
    }
    actio_motion_close(&run->motion);
    run->spent = run->sys;                                 /* the verdict lives there */
    run->sys = x.next;
    return actio_motion_open(&run->motion, run->ctx, run->sys, run->param);
}
