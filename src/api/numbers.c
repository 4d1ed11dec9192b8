/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model: what it has, and how a program sets them. */
#include "api/entry.h"
#include "base/roles.h"
#include "result/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t actio_model_params(const struct actio_model *model) { return model ? model->params : 0; }

struct actio_param_info actio_model_param(const struct actio_model *model, size_t i)
{
    if (i >= actio_model_params(model)) return (struct actio_param_info){ .name = "", .unit = "", .value = NAN };
    const struct actio_param *p = &model->param[i];
    return (struct actio_param_info){ .name = p->name,
                                      .unit = p->unit ? p->unit : "",
                                      .value = p->value,
                                      .derived = !actio_is_const(&model->pool, p->definition),
                                      .fixed = actio_model_param_fixed((struct actio_model *)model, i) };
}

size_t actio_model_variables(const struct actio_model *model) { return model ? 2 * model->coords + model->states : 0; }

struct start_value {
    struct actio_model *model;
    actio_expr e;
    double x;
};

static void value_of_start(void *user)
{
    struct start_value *s = user;
    s->x = actio_model_number(s->model, s->e);
}

struct actio_variable_info actio_model_variable(const struct actio_model *model, size_t i)
{
    if (i >= actio_model_variables(model))
        return (struct actio_variable_info){ .name = "", .unit = "", .role = "", .start = NAN };
    size_t n = model->coords;
    bool rate = i >= n && i < 2 * n, state = i >= 2 * n;
    const struct actio_variable *v = state ? &model->state[i - 2 * n] : &model->coord[i % n];
    struct start_value s = { (struct actio_model *)model, rate ? v->start_dot : v->start, NAN };
    if (!v->axis) actio_attempt(model->ctx, value_of_start, &s);
    return (struct actio_variable_info){
        .name = rate ? v->dot_name : v->name,
        .unit = v->unit && !rate ? v->unit : "",
        .role = actio_role_heading(state  ? ACTIO_ROLE_STATE
                                   : rate ? ACTIO_ROLE_RATE
                                          : ACTIO_ROLE_COORD),
        .start = s.x,
        .given = rate ? v->start_dot_given : v->start_given,
    };
}

size_t actio_model_helds(const struct actio_model *model) { return model ? model->resets.helds : 0; }

struct actio_variable_info actio_model_held(const struct actio_model *model, size_t i)
{
    if (i >= actio_model_helds(model))
        return (struct actio_variable_info){ .name = "", .unit = "", .role = "", .start = NAN };
    const struct actio_held_line *u = &model->resets.held[i];
    struct start_value s = { (struct actio_model *)model, u->start, NAN };
    actio_attempt(model->ctx, value_of_start, &s);
    return (struct actio_variable_info){ .name = u->name,
                                         .unit = u->unit ? u->unit : "",
                                         .role = actio_role_heading(ACTIO_ROLE_HELD),
                                         .start = s.x,
                                         .given = u->start_given };
}

bool actio_model_time(const struct actio_model *model, double *t0, double *t1)
{
    bool given = model && model->time.given;
    if (t0) *t0 = given ? model->time.t0 : NAN;
    if (t1) *t1 = given ? model->time.t1 : NAN;
    return given;
}

const char *actio_model_text(struct actio_model *model)
{
    const char *text = model ? actio_model_printed(model) : NULL;
    return text ? text : "";
}

/* ---- forces from outside */

size_t actio_model_externals(const struct actio_model *model) { return model ? model->outside.count : 0; }

const char *actio_model_external(const struct actio_model *model, size_t i, bool *bound)
{
    bool there = i < actio_model_externals(model);
    if (bound) *bound = there && model->outside.line[i].callback;
    return there ? model->outside.line[i].name : "";
}

/* ---- setting them */

/* Findings have a context, too: so that a model that is missing can be named. */
static bool open_model(struct actio_call *call, struct actio_model *model, struct actio_findings *f, const char *name,
                       const void *object)
{
    if (!f) return false;
    return actio_entry_open(call, model ? model->ctx : f->arena.ctx, f, model ? name : "model", model ? object : NULL);
}

int actio_model_set_param(struct actio_model *model, const char *name, double value, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_model(&call, model, f, "name", name)) return ACTIO_WRONG_USAGE;
    int bad = actio_model_put_param(model, name, value, f);
    return actio_entry_status(&call, !bad, "setting a param");
}

int actio_model_set_start(struct actio_model *model, const char *name, double value, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_model(&call, model, f, "name", name)) return ACTIO_WRONG_USAGE;
    int bad = actio_model_put_start(model, name, value, f);
    return actio_entry_status(&call, !bad, "setting an initial value");
}

int actio_model_set_time(struct actio_model *model, double t0, double t1, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_model(&call, model, f, "model", model)) return ACTIO_WRONG_USAGE;
    int bad = actio_model_put_time(model, t0, t1, f);
    return actio_entry_status(&call, !bad, "setting the time");
}

static bool bind_external(struct actio_model *model, const char *name, const struct actio_external_line *to,
                          struct actio_findings *f)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char hint[128] = "write external( ) with this name in a force";
    size_t count = model->outside.count < MOST ? model->outside.count : MOST;
    for (size_t i = 0; i < model->outside.count; i++) {
        struct actio_external_line *line = &model->outside.line[i];
        if (strcmp(line->name, name) != 0) continue;
        line->callback = to->callback;
        line->user = to->user;
        line->derivatives = to->derivatives;
        return true;
    }
    for (size_t i = 0; i < count; i++) names[i] = model->outside.line[i].name;
    const char *near = actio_near_name(name, names, count);
    if (near) snprintf(hint, sizeof hint, "did you mean '%.80s'?", near);
    actio_report(f, ACTIO_F_NOT_AN_EXTERNAL, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(hint)));
    return false;
}

int actio_model_bind(struct actio_model *model, const char *name, actio_external_callback callback, bool derivatives,
                     void *user, struct actio_findings *f)
{
    struct actio_call call;
    struct actio_external_line to = { .callback = callback, .user = user, .derivatives = derivatives };
    if (!open_model(&call, model, f, "name", name)) return ACTIO_WRONG_USAGE;
    return actio_entry_status(&call, bind_external(model, name, &to, f), "binding a force");
}
