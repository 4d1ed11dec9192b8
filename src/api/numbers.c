/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model: what it has, and how a program sets them. */
#include "api/entry.h"
#include "base/roles.h"
#include "result/table.h"

#include <math.h>

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
