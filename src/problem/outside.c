/* SPDX-License-Identifier: Apache-2.0
 * Forces from outside of the model: are they bound, do the options fit them, and the way from a motion to them. */
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int actio_problem_check_bound(const struct actio_model *m, struct actio_findings *f)
{
    for (size_t k = 0; k < m->outside.count; k++) {
        const struct actio_external_line *line = &m->outside.line[k];
        if (line->callback) continue;
        actio_report_at(f, ACTIO_F_EXTERNAL_UNBOUND, &m->source, line->span, ACTIO_ARGS(ACTIO_TEXT(line->name)));
        return 1;
    }
    return 0;
}

int actio_problem_needs_formulas(const struct actio_model *m, const char *what, struct actio_findings *f)
{
    if (!m->outside.count) return 0;
    if (actio_problem_check_bound(m, f)) return 1;
    actio_report_at(f, ACTIO_F_EXTERNAL_NO_FORMULA, &m->source, m->outside.line[0].span,
                    ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_TEXT(m->outside.line[0].name)));
    return 1;
}

/* ---- the way to them */

struct actio_outside_numbers {
    const struct actio_model *model;
    size_t ny;
    struct actio_external_line *line; /* as they were bound when the problem was formed */
    size_t count;
};

static size_t ask(void *user, double t, const double *y, double *value, int *status)
{
    const struct actio_outside_numbers *o = user;
    for (size_t k = 0; k < o->count; k++) {
        value[k] = o->line[k].callback ? (double)NAN : 0; /* not bound: only shown */
        if (!o->line[k].callback) continue;
        *status = o->line[k].callback(o->line[k].user, t, y, o->ny, &value[k], NULL, NULL);
        if (*status || !isfinite(value[k])) return k + 1;
    }
    return 0;
}

static bool slopes(void *user, double t, const double *y, double *dy, size_t stride)
{
    const struct actio_outside_numbers *o = user;
    for (size_t k = 0; k < o->count; k++) {
        double value, dt = 0;
        memset(dy + k * stride, 0, stride * sizeof *dy);
        if (!o->line[k].derivatives || o->line[k].callback(o->line[k].user, t, y, o->ny, &value, &dt, dy + k * stride))
            return false;
    }
    return true;
}

static void keep_lines(void *user)
{
    struct actio_problem *problem = user;
    const struct actio_model *m = problem->model;
    struct actio_outside_numbers *o = actio_arena_alloc(&problem->arena, sizeof *o);
    *o = (struct actio_outside_numbers){ .model = m, .ny = problem->ny, .count = m->outside.count };
    o->line = actio_arena_array(&problem->arena, o->count, sizeof *o->line);
    memcpy(o->line, m->outside.line, o->count * sizeof *o->line);
    problem->outside = (struct actio_outside){ .ask = ask, .slopes = slopes, .user = o };
}

int actio_problem_bind_outside(struct actio_problem *problem)
{
    return problem->model->outside.count ? actio_attempt(problem->ctx, keep_lines, problem) != 0 : 0;
}

int actio_problem_open_motion(const struct actio_problem *problem, struct actio_motion *motion,
                              struct actio_system *sys)
{
    if (actio_motion_open(motion, problem->ctx, sys, problem->param)) return 1;
    motion->outside = problem->outside;
    return 0;
}

/* ---- a run with them */

bool actio_problem_outside_smooth(const struct actio_problem *problem)
{
    const struct actio_model *m = problem->model;
    bool smooth = true;
    for (size_t k = 0; k < m->outside.count; k++) smooth &= m->outside.line[k].derivatives;
    return smooth;
}

int actio_problem_check_outside(struct actio_problem *problem)
{
    const struct actio_model *m = problem->model;
    struct actio_run_options *o = &problem->options;
    const struct actio_stepper *stepper = o->method ? actio_stepper_find(o->method) : NULL;
    const char *why = !(o->local > 0)             ? "a global error can't be estimated"
                      : stepper && stepper->stiff ? "a stiff method needs them"
                                                  : NULL;
    for (size_t k = 0; k < m->outside.count; k++) {
        const struct actio_external_line *line = &m->outside.line[k];
        if (!line->derivatives && why) {
            actio_report_at(problem->f, ACTIO_F_EXTERNAL_LOCAL, &m->source, line->span,
                            ACTIO_ARGS(ACTIO_TEXT(line->name), ACTIO_TEXT(why)));
            return 1;
        }
        actio_report_at(problem->f, ACTIO_F_EXTERNAL_OUTSIDE, &m->source, line->span,
                        ACTIO_ARGS(ACTIO_TEXT(line->name)));
    }
    /* a stiff method may not take over by itself */
    if (!actio_problem_outside_smooth(problem)) o->method = "dop853";
    return 0;
}

/* ---- are the derivatives those of the value? */

struct probe {
    const struct actio_external_line *line;
    double *y;
    size_t ny;
    double t, value;
};

/* Time is the last of the numbers that move. False: there is no finite value. */
static bool value_beside(struct probe *p, size_t i, double h, double *value)
{
    double *x = i < p->ny ? &p->y[i] : &p->t, before = *x;
    *x += h;
    bool good = p->line->callback(p->line->user, p->t, p->y, p->ny, value, NULL, NULL) == 0 && isfinite(*value);
    *x = before;
    return good;
}

/* What the two one-sided quotients leave open is allowed: a force may have a corner at the start, or end there. */
static bool slope_fits(struct probe *p, size_t i, double slope, double *quotient)
{
    double h = 1e-6 * fmax(1, fabs(i < p->ny ? p->y[i] : p->t)), up, down;
    if (!value_beside(p, i, h, &up) || !value_beside(p, i, -h, &down)) return true;
    double right = (up - p->value) / h, left = (p->value - down) / h, rounding = 1e-8 * fmax(1, fabs(p->value));
    *quotient = 0.5 * (right + left);
    double off = fabs(slope - *quotient);
    return off <= 1e-3 * fabs(*quotient) + fabs(right - left) + rounding;
}

static int check_slopes_of(struct actio_problem *problem, struct probe *p, double *dy)
{
    double quotient;
    memset(dy, 0, (p->ny + 1) * sizeof *dy);
    if (p->line->callback(p->line->user, p->t, p->y, p->ny, &p->value, &dy[p->ny], dy) || !isfinite(p->value)) return 0;
    for (size_t i = 0; i <= p->ny; i++) {
        if (slope_fits(p, i, dy[i], &quotient)) continue;
        actio_report_at(problem->f, ACTIO_F_EXTERNAL_SLOPES, &problem->model->source, p->line->span,
                        ACTIO_ARGS(ACTIO_TEXT(p->line->name), ACTIO_NUMBER(dy[i]),
                                   ACTIO_TEXT(i < p->ny ? actio_problem_name(problem, i) : "t"),
                                   ACTIO_NUMBER(quotient)));
        return 1;
    }
    return 0;
}

static void check_slopes(void *user)
{
    struct actio_problem *problem = user;
    const struct actio_outside_numbers *o = problem->outside.user;
    struct probe p = { .ny = problem->ny, .y = actio_arena_array(&problem->arena, problem->ny + 1, sizeof(double)) };
    double *dy = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *dy);
    for (size_t k = 0; k < o->count && !problem->bad; k++) {
        memcpy(p.y, problem->y0, problem->ny * sizeof *p.y);
        p.t = problem->model->time.t0;
        p.line = &o->line[k];
        if (p.line->derivatives) problem->bad = check_slopes_of(problem, &p, dy);
    }
}

int actio_problem_check_slopes(struct actio_problem *problem)
{
    if (!problem->outside.user) return 0;
    return actio_attempt(problem->ctx, check_slopes, problem) || problem->bad;
}

void actio_problem_explain_outside(struct actio_problem *problem)
{
    const struct actio_outside *out = &problem->motion.outside;
    const struct actio_external_line *line = &problem->model->outside.line[out->failed - 1];
    char why[64];
    if (out->status) snprintf(why, sizeof why, "it returns %d", out->status);
    else snprintf(why, sizeof why, "its value is not a finite number");
    actio_report_at(problem->f, ACTIO_F_EXTERNAL_FAILED, &problem->model->source, line->span,
                    ACTIO_ARGS(ACTIO_TEXT(line->name), ACTIO_NUMBER(out->t), ACTIO_TEXT(why)));
}
