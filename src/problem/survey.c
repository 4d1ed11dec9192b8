/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model at work: the box it looks into, and the system with the constraints that follow. Its words:
 * explain/verdict.c. */
#include "problem/problem.h"
#include "solve/corner.h"
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

/* ---- the box */

/* Around the start: as far as the values themselves and 1 more. */
static void widen(double *low, double *high)
{
    double range = *high - *low, size = fmax(fabs(*low), fabs(*high)), more = 1 + 0.5 * size + range;
    *low -= more;
    *high += more;
}

/* Where the motion goes at a rough tolerance; what can't be computed is left out. */
enum { ROWS = 65 };

static void note_jump(struct actio_problem *problem, const double *start, struct actio_box *box)
{
    struct actio_motion *m = &problem->motion;
    if (m->halted.why == ACTIO_STOP_ROW_JUMPS_ON_TIME && actio_corner_surely_breaks(m, box->t_end, start))
        box->jumped = m->halted.by;
}

static void note_at_will(const struct actio_problem *problem, struct actio_box *box)
{
    const struct actio_halt *halted = &problem->motion.halted;
    box->pushed = halted->why == ACTIO_STOP_PUSHED;
    if (box->pushed || halted->why == ACTIO_STOP_AT_WILL) box->at_will = halted->by;
}

static void visit(struct actio_problem *problem, struct actio_box *box)
{
    struct actio_findings silent;
    struct actio_rows rows = { 0 };
    double times[ROWS], *start = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *start),
                        *visited_at = actio_arena_array(&problem->arena, ROWS, sizeof *visited_at);
    struct actio_model *m = problem->model;
    if (!m->time.given) return;
    /* the last that may escape: what follows is closed below */
    box->end = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *box->end);
    actio_findings_open(&silent, problem->ctx);
    struct actio_findings *outer = problem->ctx->findings, *own = problem->f;
    problem->ctx->findings = problem->f = &silent;
    for (int i = 0; i < ROWS; i++) times[i] = m->time.t0 + (m->time.t1 - m->time.t0) * i / (ROWS - 1);
    memcpy(start, problem->y0, problem->ny * sizeof *start);
    problem->tentative = true;
    if (actio_problem_examine(problem) == 0
        && actio_rows_open(&rows, &problem->motion, times, ROWS, m->time.t1 < m->time.t0) == 0) {
        struct actio_march_task task = { .stepper = &actio_dop853,
                                         .t0 = m->time.t0,
                                         .t1 = m->time.t1,
                                         .rtol = 1e-5,
                                         .atol = 1e-5,
                                         .y0 = problem->y0,
                                         .rows = { { ROWS, times, rows.y, ROWS } },
                                         .max_steps = 20000 };
        struct actio_march_result result = { .y = box->end };
        bool begun = actio_motion_begin(&problem->motion, m->time.t0, problem->y0) == 0;
        if (!begun) note_at_will(problem, box);
        if (begun) actio_march(problem->ctx, &problem->motion.flow, &task, &result);
        box->t_end = result.t;
        box->rows_disagreed = problem->motion.halted.why == ACTIO_STOP_CONTRADICTION;
        note_jump(problem, start, box);
        for (size_t i = 0; i < problem->ny; i++)
            for (size_t r = 0; r < result.rows; r++) {
                double x = box->seed[r * problem->ny + i] = rows.y[i * ROWS + r];
                if (isfinite(x)) {
                    box->low[i] = fmin(box->low[i], x);
                    box->high[i] = fmax(box->high[i], x);
                }
            }
        box->seeds = result.rows;
        problem->visited = box->seed;
        problem->visits = box->seeds;
        problem->visited_at = visited_at;
        memcpy(problem->visited_at, times, sizeof times);
        actio_problem_note_sides(problem);
    }
    problem->tentative = false;
    memcpy(problem->y0, start, problem->ny * sizeof *start); /* as given: examining puts it on the constraints */
    actio_rows_close(&rows);
    problem->ctx->findings = outer;
    problem->f = own;
    actio_findings_close(&silent);
}

static void make_box(struct actio_problem *problem, struct actio_box *box)
{
    for (size_t i = 0; i < problem->ny; i++) box->low[i] = box->high[i] = problem->y0[i];
    visit(problem, box);
    for (size_t i = 0; i < problem->ny; i++) {
        widen(&box->low[i], &box->high[i]);
        if (problem->box_given && problem->box_given[i]) {
            box->low[i] = problem->box_low[i];
            box->high[i] = problem->box_high[i];
        }
    }
}

/* ---- the survey */

struct surveying {
    struct actio_problem *problem;
    bool judging;
    struct actio_verdict *verdict;
    struct actio_kernels in_use;
};

static void survey(void *user)
{
    struct surveying *s = user;
    struct actio_problem *problem = s->problem;
    struct actio_box box = { .low = actio_arena_array(&problem->arena, problem->ny + 1, sizeof(double)),
                             .high = actio_arena_array(&problem->arena, problem->ny + 1, sizeof(double)),
                             .seed = actio_arena_array(&problem->arena, ROWS * problem->ny + 1, sizeof(double)) };
    box.in_use = &s->in_use;
    box.jumped = box.at_will = SIZE_MAX;
    box.rows = ROWS;
    /* constraints that depend on time are looked at at other times, too */
    box.t1 = problem->model->time.given ? problem->model->time.t1 : 1;
    box.look_later = s->judging && problem->model->time.given;
    make_box(problem, &box);
    s->verdict = actio_survey(problem->sys->formation, problem->param,
                              problem->model->time.given ? problem->model->time.t0 : 0, problem->y0, &box);
}

struct actio_verdict *actio_problem_survey(struct actio_problem *problem, bool judging)
{
    struct surveying s = { .problem = problem, .judging = judging };
    int bad = actio_attempt(problem->ctx, survey, &s);
    for (size_t i = 0; i < ACTIO_MOST_KERNELS; i++)
        if (s.in_use.k[i]) actio_kernel_free(s.in_use.k[i]);
    if (bad) return NULL;
    bool follows = s.verdict->closure.searched
                   && actio_problem_needs_formulas(problem->model, "a search for hidden constraints", problem->f);
    return follows ? NULL : s.verdict;
}

/* ---- the system with its hidden constraints */

struct extending {
    struct actio_problem *problem;
    const struct actio_verdict *v;
    struct actio_system *next;
};

static void extend(void *user)
{
    struct extending *x = user;
    struct actio_formation *from = x->v->F, *to = x->next->formation;
    size_t n = x->v->closure.hiddens;
    actio_expr *e = actio_form_array(to, n, sizeof *e);
    const char **text = actio_form_array(to, n, sizeof *text);
    actio_copy_all(&to->pool, &from->pool, x->v->closure.hidden_e, n, e);
    for (size_t i = 0; i < n; i++)
        text[i] = actio_arena_text(&to->arena, x->v->closure.hidden[i].text, strlen(x->v->closure.hidden[i].text));
    actio_add_hidden(to, e, text, x->v->closure.hidden_is_position, n);
}

int actio_problem_take_hidden(struct actio_problem *problem, const struct actio_verdict *v)
{
    struct extending x = { problem, v, actio_system_form(problem->ctx, problem->model, problem->form) };
    if (!x.next) return 1;
    if (actio_attempt(problem->ctx, extend, &x)) {
        actio_system_free(x.next);
        return 1;
    }
    actio_motion_close(&problem->motion);
    problem->spent = problem->sys; /* the verdict lives there */
    problem->sys = x.next;
    return actio_problem_open_motion(problem, &problem->motion, problem->sys);
}
