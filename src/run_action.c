/* SPDX-License-Identifier: Apache-2.0
 * Runs on the action's own nodes: what their options need, one grid over the whole interval, and how it ended, in words. */
#include "run.h"
#include "algebra/sbp.h"
#include "solve/grid_run.h"

#include <math.h>
#include <string.h>

static bool is_action(const struct actio_run *run) { return run->principle->stepper == &actio_skg; }

static int order_of(const struct actio_run_options *o) { return o->order ? o->order : 4; }

/* "paper" is the published action with its operator made regular, "bare" the one that is printed. */
static enum actio_action_form form_of(const struct actio_run_options *o)
{
    return !o->form || strcmp(o->form, "weak") == 0 ? ACTIO_ACTION_WEAK : strcmp(o->form, "bare") == 0 ? ACTIO_ACTION_BARE : ACTIO_ACTION_STRONG;
}

static int refuse(struct actio_run *run, const char *option, const char *whose)
{
    actio_find(run->f, ACTIO_F_NOT_ITS_OPTION, ACTIO_ARGS(ACTIO_TEXT(option), ACTIO_TEXT(whose), ACTIO_TEXT(run->principle->name)));
    return 1;
}

int actio_run_check_nodes(struct actio_run *run)
{
    const struct actio_run_options *o = &run->options;
    if (is_action(run)) {
        if (o->form && run->model->axes) return refuse(run, "form", "models without fields");
        if (o->verify && run->model->axes) return refuse(run, "verify", "models without fields");
        if (form_of(o) != ACTIO_ACTION_WEAK && !o->grid) return refuse(run, "form", "one --grid");
        if (o->verify && form_of(o) != ACTIO_ACTION_WEAK) return refuse(run, "verify", "the weak form");
        if ((o->grid || o->slabs) && o->gradients) return refuse(run, "gradient", "runs without --grid and --slabs");
        if (o->grid && o->slabs) return refuse(run, "slabs", "runs without --grid");
        if (o->grid && o->nodes) return refuse(run, "nodes", "runs without --grid");
        if (o->method && strcmp(o->method, "auto") != 0) return refuse(run, "method", "principles that have equations of motion");
        size_t least = o->order ? actio_sbp_least(o->order) : 2, points = o->grid ? o->grid : o->nodes;
        if (o->grid) least = actio_sbp_least(order_of(o));
        if (least == 0) return actio_find(run->f, ACTIO_F_NO_ORDER, ACTIO_ARGS(ACTIO_NUMBER(o->order))), 1;
        size_t most = o->order ? 64 : ACTIO_LGL_MOST;
        bool many = !o->grid && o->nodes > most;
        if (points && (points < least || many)) {
            actio_find(run->f, many ? ACTIO_F_MANY_NODES : ACTIO_F_FEW_NODES, ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(many ? most : least), ACTIO_COUNT((size_t)(o->grid ? order_of(o) : o->order))));
            return 1;
        }
        return 0;
    }
    if (run->principle->stepper == &actio_dual) return 0;  /* run_dual.c */
    if (o->gradients) return refuse(run, "gradient", "skg");
    if (o->form) return refuse(run, "form", "skg");
    if (o->verify) return refuse(run, "verify", "skg");
    bool is_discrete = run->principle->stepper == &actio_discrete;
    if (o->order && !is_discrete) return refuse(run, "order", "skg, dual and discrete");
    if (o->order && o->order != 2 && o->order != 4) return actio_find(run->f, ACTIO_F_DISCRETE_ORDER, ACTIO_ARGS(ACTIO_NUMBER(o->order))), 1;
    if (o->slabs) return refuse(run, "slabs", "skg and dual");
    if (o->nodes) return refuse(run, "nodes", "skg and dual");
    if (o->grid && !is_discrete) return refuse(run, "grid", "skg, dual and discrete");
    return 0;
}

bool actio_run_on_grid(const struct actio_run *run) { return is_action(run) && run->options.grid; }

/* So many points that neighbours are a fifth of a width apart. */
static void say_thin(struct actio_run *run, const struct actio_grid_told *told)
{
    double sigma = run->sys->sigma, points = ceil((double)run->options.grid * told->thin / (0.2 * sigma));
    actio_find_at(run->f, ACTIO_F_WALL_TOO_THIN, &run->model->source, run->model->contact[told->wall].span,
                  ACTIO_ARGS(ACTIO_TEXT(run->model->contact[told->wall].label), ACTIO_NUMBER(told->thin), ACTIO_NUMBER(sigma), ACTIO_COUNT((size_t)points)));
}

static void say_branch(struct actio_run *run, const struct actio_grid_told *told)
{
    bool away = told->away > 0;
    actio_find(run->f, ACTIO_F_ACTION_BRANCH, ACTIO_ARGS(ACTIO_COUNT(run->options.grid), ACTIO_TEXT(away ? "its positions are" : "its first velocities are"),
               ACTIO_NUMBER(away ? told->away : told->jump), ACTIO_TEXT(away ? "the march by slabs" : "those of the start")));
}

static void say(struct actio_run *run, const struct actio_grid_told *told)
{
    size_t points = run->options.grid;
    switch (told->status) {
    case ACTIO_GRID_NO_SEED: break;
    case ACTIO_GRID_STOPPED: break;
    case ACTIO_GRID_THIN: say_thin(run, told); break;
    case ACTIO_ACTION_TOO_LARGE: actio_find(run->f, ACTIO_F_FORM_TOO_LARGE, ACTIO_ARGS(ACTIO_COUNT(points))); break;
    case ACTIO_GRID_SINGULAR: actio_find(run->f, ACTIO_F_ACTION_SINGULAR, ACTIO_ARGS(ACTIO_COUNT(points))); break;
    case ACTIO_GRID_BRANCH: say_branch(run, told); break;
    case ACTIO_GRID_DIVERGED:
        if (form_of(&run->options) != ACTIO_ACTION_WEAK) { actio_find(run->f, ACTIO_F_FORM_FAILS, ACTIO_ARGS(ACTIO_TEXT(run->options.form), ACTIO_COUNT(points))); break; }
        /* fall through */
    default: actio_find(run->f, ACTIO_F_ACTION_DIVERGED, ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(told->iterations), ACTIO_NUMBER(told->residual))); break;
    }
}

int actio_run_grid(struct actio_run *run, const struct actio_aim *aim)
{
    struct actio_grid_told told;
    struct actio_grid_task task = { run->options.grid, order_of(&run->options), form_of(&run->options) };
    int bad = actio_reach_grid(run->ctx, &run->motion, aim, &task, &run->outcome, &told);
    if (bad || told.status == 0) return bad;
    if (told.status == ACTIO_GRID_NO_SEED || told.status == ACTIO_GRID_STOPPED) {
        run->outcome.status = told.status == ACTIO_GRID_STOPPED ? ACTIO_FLOW_STOPPED : told.march, run->outcome.t_stop = told.t_stop;
        run->outcome.y_stop = actio_take(run->ctx, run->ny + 1, sizeof(double));
        if (run->outcome.y_stop) memcpy(run->outcome.y_stop, told.y, run->ny * sizeof(double)), actio_run_explain(run);
        return 1;
    }
    say(run, &told);
    return 1;
}
