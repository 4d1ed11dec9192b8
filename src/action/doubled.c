/* SPDX-License-Identifier: Apache-2.0
 * The doubled action, handed out: options checked, parts formed, data taken from the model; the rest is
 * solve/doubled.c. */
#include <actio/actio.h>

#include "principle/principles.h"
#include "algebra/sbp.h"
#include "action/action.h"
#include "equations/system.h"
#include "model/model.h"
#include "problem/principle.h"
#include "solve/doubled.h"
#include "solve/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OFF 1e-8 /* of the start from a constraint, beside the squared size of the data */

struct actio_action {
    struct actio_context *ctx;
    struct actio_arena arena;
    struct actio_model *model;
    struct actio_system *sys;
    struct actio_doubled d;
    struct actio_doubled_task task;
    double *param, *x, *v, *residual;
    struct actio_action_slice *slice;
    int bad;
};

static const char *const forms[] = {
    [ACTIO_ACTION_WEAK] = "weak", [ACTIO_ACTION_STRONG] = "strong", [ACTIO_ACTION_BARE] = "bare"
};
enum { FORMS = sizeof forms / sizeof *forms };

static int doubled_refuse(struct actio_findings *f, enum actio_code code, const struct actio_value arg[6])
{
    actio_report(f, code, arg);
    return 1;
}

static int take_options(struct actio_action *a, const struct actio_action_options *o, struct actio_findings *f)
{
    const char *form = o->form ? o->form : forms[0];
    size_t k = 0;
    int order = o->order ? o->order : 4;
    while (k < FORMS && strcmp(forms[k], form) != 0) k++;
    if (k == FORMS) return doubled_refuse(f, ACTIO_F_NO_FORM, ACTIO_ARGS(ACTIO_TEXT(form)));
    size_t least = actio_sbp_least(order);
    if (least == 0) return doubled_refuse(f, ACTIO_F_NO_ORDER, ACTIO_ARGS(ACTIO_NUMBER(order)));
    if (o->grid < least)
        return doubled_refuse(f, ACTIO_F_FEW_NODES,
                              ACTIO_ARGS(ACTIO_COUNT(o->grid), ACTIO_COUNT(least), ACTIO_COUNT((size_t)order)));
    if ((o->sigma > 0) != (o->barrier > 0))
        return doubled_refuse(f, ACTIO_F_NO_BARRIER, ACTIO_ARGS(ACTIO_TEXT(o->sigma > 0 ? "a width" : "a height")));
    a->task = (struct actio_doubled_task){ .form = (enum actio_action_form)k,
                                           .order = order,
                                           .points = o->grid,
                                           .t0 = a->model->time.t0,
                                           .t1 = a->model->time.t1 };
    return 0;
}

/* Does the model have such an action? */
static int check_model(const struct actio_action *a, struct actio_findings *f)
{
    const struct actio_constraint *about;
    struct actio_model *m = a->model;
    const struct actio_principle *p = &actio_principle_skg;
    if (!m->time.given) return doubled_refuse(f, ACTIO_F_NO_TIME, ACTIO_NO_ARGS);
    if (m->coords + m->states == 0) return doubled_refuse(f, ACTIO_F_NOTHING_MOVES, ACTIO_NO_ARGS);
    if (m->field.axes)
        return doubled_refuse(f, ACTIO_F_INAPPLICABLE,
                              ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_TEXT("this model"), ACTIO_TEXT("it has fields")));
    const char *why = actio_principle_objection(p, m, &about);
    if (!why && m->mixed.frees) why = "its start data are free; give them by `start`";
    char whom[256] = "this model";
    if (!why) return 0;
    if (about) snprintf(whom, sizeof whom, "'%.240s'", about->label);
    actio_report_at(f, ACTIO_F_INAPPLICABLE, &m->source, about ? about->span : (struct actio_span){ 0 },
                    ACTIO_ARGS(ACTIO_TEXT(p->name), ACTIO_TEXT(whom), ACTIO_TEXT(why)));
    return 1;
}

static void take_start(void *user)
{
    struct actio_action *a = user;
    struct actio_model *m = a->model;
    a->param = actio_arena_array(&a->arena, m->params + 1, sizeof(double));
    a->x = actio_arena_array(&a->arena, m->coords + m->states + 1, sizeof(double));
    a->v = actio_arena_array(&a->arena, m->coords + 1, sizeof(double));
    a->residual = actio_arena_array(&a->arena, 2 * m->constraints + 1, sizeof(double));
    for (size_t i = 0; i < m->params; i++) a->param[i] = m->param[i].value;
    for (size_t i = 0; i < m->coords; i++) {
        a->x[i] = actio_model_number(m, m->coord[i].start);
        a->v[i] = actio_model_number(m, m->coord[i].start_dot);
    }
    for (size_t i = 0; i < m->states; i++) a->x[m->coords + i] = actio_model_number(m, m->state[i].start);
    a->task.x = a->x;
    a->task.v = a->v;
    a->task.param = a->param;
}

static void name_slices(void *user)
{
    struct actio_action *a = user;
    a->slice = actio_arena_array(&a->arena, a->d.slices + 1, sizeof *a->slice);
    for (size_t i = 0; i < a->d.slices; i++) {
        const struct actio_slice *s = &a->d.slice[i];
        a->slice[i] = (struct actio_action_slice){ actio_arena_format(&a->arena, "%s %s", s->kind, s->of), s->first,
                                                   s->count, 1 };
    }
}

static double size_of_data(const struct actio_action *a)
{
    double size = 1;
    for (size_t i = 0; i < a->d.n + a->d.m; i++) size = fmax(size, fabs(a->x[i]));
    for (size_t i = 0; i < a->d.n; i++) size = fmax(size, fabs(a->v[i]));
    return size;
}

/* The action has its data from the start: it must lie on the constraints. */
static int check_start(struct actio_action *a, struct actio_findings *f)
{
    struct actio_doubled *d = &a->d;
    double size = size_of_data(a);
    char whom[256];
    if (!isfinite(size) || actio_doubled_data(d, a->residual))
        return doubled_refuse(f, ACTIO_F_START_NOT_FINITE, ACTIO_ARGS(ACTIO_TEXT("the action")));
    for (size_t i = d->p + d->h; i-- > 0;) {
        if (fabs(a->residual[i]) <= OFF * size * size) continue;
        size_t k = i < d->p ? i : a->sys->position_row[i - d->p];
        const struct actio_constraint *c = &a->model->constraint[k];
        snprintf(whom, sizeof whom, "%s'%.200s'", i < d->p && c->kind == ACTIO_HOLONOMIC ? "the rate of " : "",
                 c->label);
        actio_report_at(f, ACTIO_F_START_BREAKS, &a->model->source, c->span,
                        ACTIO_ARGS(ACTIO_TEXT("point"), ACTIO_TEXT(whom), ACTIO_NUMBER(a->residual[i]),
                                   ACTIO_TEXT("give start data on the constraints; `actio check` names the nearest")));
        return 1;
    }
    return 0;
}

/* Walls are soft while the parts are formed; the model is given back as it was. */
static int doubled_make(struct actio_action *a, const struct actio_action_options *o, struct actio_findings *f)
{
    struct actio_model *m = a->model;
    double sigma = m->soft.sigma, barrier = m->soft.barrier;
    if (take_options(a, o, f)) return 1;
    m->soft.sigma = m->contacts ? o->sigma : 0;
    m->soft.barrier = m->contacts ? o->barrier : 0;
    int bad = check_model(a, f) || actio_attempt(a->ctx, take_start, a);
    if (!bad) a->sys = actio_system_form(a->ctx, m, actio_form_action);
    bad = bad || !a->sys || actio_doubled_open(&a->d, a->ctx, a->sys, &a->task) || actio_attempt(a->ctx, name_slices, a)
          || check_start(a, f);
    m->soft.sigma = sigma;
    m->soft.barrier = barrier;
    return bad;
}

struct actio_action *actio_action_inside(struct actio_context *ctx, struct actio_model *model,
                                         const struct actio_action_options *options, struct actio_findings *f)
{
    struct actio_action *a = actio_alloc(ctx, 1, sizeof *a);
    struct actio_action_options whole = options ? *options : (struct actio_action_options){ 0 };
    if (!whole.grid) whole.grid = 64;
    struct actio_findings *outer = ctx->findings;
    if (!a) {
        doubled_refuse(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the action"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    a->ctx = ctx;
    a->model = model;
    ctx->findings = f;
    actio_arena_open(&a->arena, ctx);
    if (doubled_make(a, &whole, f)) {
        actio_action_free(a);
        a = NULL;
    }
    ctx->findings = outer;
    return a;
}

void actio_action_free(struct actio_action *a)
{
    if (!a) return;
    actio_doubled_close(&a->d);
    actio_system_free(a->sys);
    actio_arena_close(&a->arena);
    actio_free(a->ctx, a);
}

size_t actio_action_size(const struct actio_action *a) { return a ? a->d.size : 0; }
size_t actio_action_slices(const struct actio_action *a, const struct actio_action_slice **slices)
{
    return a && slices ? (*slices = a->slice, a->d.slices) : 0;
}
size_t actio_action_times(const struct actio_action *a, const double **times)
{
    return a && times ? (*times = a->d.node.t, a->d.points) : 0;
}
size_t actio_action_pattern(const struct actio_action *a, const uint32_t **rows, const uint32_t **cols)
{
    return a && rows && cols ? (*rows = a->d.hessian.i, *cols = a->d.hessian.j, a->d.hessian.count) : 0;
}
static int outcome(int bad) { return bad ? ACTIO_NUMERICS_FAILED : ACTIO_DONE; }

int actio_action_value(struct actio_action *a, const double *x, double *value)
{
    return a && x && value ? outcome(actio_doubled_value(&a->d, x, value)) : ACTIO_WRONG_USAGE;
}

int actio_action_gradient(struct actio_action *a, const double *x, double *gradient)
{
    return a && x && gradient ? outcome(actio_doubled_gradient(&a->d, x, gradient)) : ACTIO_WRONG_USAGE;
}

int actio_action_hessian(struct actio_action *a, const double *x, double *values)
{
    return a && x && values ? outcome(actio_doubled_hessian(&a->d, x, values)) : ACTIO_WRONG_USAGE;
}

void actio_action_guess(const struct actio_action *a, double *x)
{
    if (a && x) actio_doubled_guess(&a->d, x);
}

static int stopped(const struct actio_action *a, struct actio_findings *f)
{
    struct actio_context *ctx = a->ctx;
    if (actio_cancelled(ctx)) {
        actio_report(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
        return actio_cancel_exit(ctx);
    }
    if (actio_stopped(ctx))
        actio_report(f, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT("solving for the action's critical point")));
    else
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the action's critical point"), ACTIO_COUNT(ctx->bytes_limit)));
    return ACTIO_LIMIT_REACHED;
}

int actio_action_solve(struct actio_action *a, double *x, struct actio_findings *f)
{
    if (!a || !x || !f) return ACTIO_WRONG_USAGE;
    const struct actio_doubled *d = &a->d;
    int status = actio_doubled_solve(&a->d, x);
    switch (status) {
    case ACTIO_GRID_DONE: return ACTIO_DONE;
    case ACTIO_GRID_STOPPED: return stopped(a, f);
    case ACTIO_ACTION_TOO_LARGE:
        actio_report(f, ACTIO_F_TOO_LARGE,
                     ACTIO_ARGS(ACTIO_TEXT("an action whose critical point is not unique"), ACTIO_COUNT(d->size),
                                ACTIO_COUNT((size_t)ACTIO_ACTION_DENSE)));
        return ACTIO_LIMIT_REACHED;
    case ACTIO_GRID_SINGULAR: actio_report(f, ACTIO_F_ACTION_SINGULAR, ACTIO_ARGS(ACTIO_COUNT(d->points))); break;
    default:
        actio_report(f, ACTIO_F_ACTION_DIVERGED,
                     ACTIO_ARGS(ACTIO_COUNT(d->points), ACTIO_COUNT(d->iterations), ACTIO_NUMBER(d->residual)));
        break;
    }
    return ACTIO_NUMERICS_FAILED;
}
