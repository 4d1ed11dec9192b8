/* SPDX-License-Identifier: Apache-2.0
 * The doubled action on its own nodes: what its options need, one grid over the whole interval, and how it ended, in
 * words. */
#include "derive/derive.h"
#include "principle/principles.h"
#include "algebra/sbp.h"
#include "problem/problem.h"
#include "solve/grid_run.h"

#include <math.h>
#include <string.h>

static int order_of(const struct actio_run_options *o) { return o->order ? o->order : 4; }

/* "paper" is the published action with its operator made regular, "bare" the one that is printed. */
static enum actio_action_form form_of(const struct actio_run_options *o)
{
    return !o->form || strcmp(o->form, "weak") == 0 ? ACTIO_ACTION_WEAK
           : strcmp(o->form, "bare") == 0           ? ACTIO_ACTION_BARE
                                                    : ACTIO_ACTION_STRONG;
}

/* Options that do not go together. */
static int check_combination(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    bool fields = problem->model->field.axes, weak = form_of(o) == ACTIO_ACTION_WEAK;
    const struct {
        bool refused;
        const char *option, *needs;
    } rule[] = {
        { o->form && fields, "form", "models without fields" },
        { o->verify && fields, "verify", "models without fields" },
        { !weak && !o->grid, "form", "one --grid" },
        { o->verify && !weak, "verify", "the weak form" },
        { (o->grid || o->slabs) && o->gradients, "gradient", "runs without --grid and --slabs" },
        { o->grid && o->slabs, "slabs", "runs without --grid" },
        { o->grid && o->nodes, "nodes", "runs without --grid" },
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].refused) return actio_principle_refuse(problem, rule[i].option, rule[i].needs);
    return 0;
}

/* A grid over the whole interval has at least the points of its operator; so have the nodes of a slab, and a most. */
static int check_points(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    int order = o->grid ? order_of(o) : o->order;
    size_t least = order ? actio_sbp_least(order) : 2, most = o->order ? 64 : ACTIO_LGL_MOST,
           points = o->grid ? o->grid : o->nodes;
    if (least == 0) {
        actio_report(problem->f, ACTIO_F_NO_ORDER, ACTIO_ARGS(ACTIO_NUMBER(o->order)));
        return 1;
    }
    bool many = !o->grid && o->nodes > most;
    if (!points || (points >= least && !many)) return 0;
    actio_report(problem->f, many ? ACTIO_F_MANY_NODES : ACTIO_F_FEW_NODES,
                 ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(many ? most : least), ACTIO_COUNT((size_t)order)));
    return 1;
}

static int skg_check(struct actio_problem *problem)
{
    int refused = check_combination(problem);
    return refused ? refused : check_points(problem);
}

static const char *skg_objection(const struct actio_problem *problem)
{
    bool dependent = problem->sys->field.axes && problem->motion.rows.rank < problem->sys->p;
    return dependent ? "rows of constraints along a line are redundant: delete the duplicates" : NULL;
}

static int skg_prepare(struct actio_problem *problem)
{
    actio_system_droppable(problem->sys, problem->motion.rows.rank < problem->sys->p);
    return 0;
}

/* So many points that neighbours are a fifth of a width apart. */
static void say_thin(struct actio_problem *problem, const struct actio_grid_report *reported)
{
    double sigma = problem->sys->walls.sigma,
           points = ceil((double)problem->options.grid * reported->thin / (0.2 * sigma));
    actio_report_at(problem->f, ACTIO_F_WALL_TOO_THIN, &problem->model->source,
                    problem->model->contact[reported->wall].span,
                    ACTIO_ARGS(ACTIO_TEXT(problem->model->contact[reported->wall].label), ACTIO_NUMBER(reported->thin),
                               ACTIO_NUMBER(sigma), ACTIO_COUNT((size_t)points)));
}

static void say_branch(struct actio_problem *problem, const struct actio_grid_report *reported)
{
    bool away = reported->away > 0;
    actio_report(problem->f, ACTIO_F_ACTION_BRANCH,
                 ACTIO_ARGS(ACTIO_COUNT(problem->options.grid),
                            ACTIO_TEXT(away ? "its positions are" : "its first velocities are"),
                            ACTIO_NUMBER(away ? reported->away : reported->jump),
                            ACTIO_TEXT(away ? "the march by slabs" : "those of the start")));
}

static void skg_say(struct actio_problem *problem, const struct actio_grid_report *reported)
{
    size_t points = problem->options.grid;
    switch (reported->status) {
    case ACTIO_GRID_NO_SEED: break;
    case ACTIO_GRID_STOPPED: break;
    case ACTIO_GRID_THIN: say_thin(problem, reported); break;
    case ACTIO_ACTION_TOO_LARGE:
        actio_report(problem->f, ACTIO_F_FORM_TOO_LARGE, ACTIO_ARGS(ACTIO_COUNT(points)));
        break;
    case ACTIO_GRID_SINGULAR: actio_report(problem->f, ACTIO_F_ACTION_SINGULAR, ACTIO_ARGS(ACTIO_COUNT(points))); break;
    case ACTIO_GRID_BRANCH: say_branch(problem, reported); break;
    case ACTIO_GRID_DIVERGED:
        if (form_of(&problem->options) != ACTIO_ACTION_WEAK) {
            actio_report(problem->f, ACTIO_F_FORM_FAILS,
                         ACTIO_ARGS(ACTIO_TEXT(problem->options.form), ACTIO_COUNT(points)));
            break;
        }
        /* fall through */
    default:
        actio_report(
            problem->f, ACTIO_F_ACTION_DIVERGED,
            ACTIO_ARGS(ACTIO_COUNT(points), ACTIO_COUNT(reported->iterations), ACTIO_NUMBER(reported->residual)));
        break;
    }
}

static int skg_solve(struct actio_problem *problem, const struct actio_aim *aim, struct actio_outcome *outcome)
{
    struct actio_grid_report reported;
    struct actio_grid_task task = { problem->options.grid, order_of(&problem->options), form_of(&problem->options) };
    if (!problem->options.grid) return actio_reach(problem->ctx, &problem->motion, aim, outcome);
    int bad = actio_reach_grid(problem->ctx, &problem->motion, aim, &task, outcome, &reported);
    if (bad || reported.status == 0) return bad;
    if (reported.status != ACTIO_GRID_NO_SEED && reported.status != ACTIO_GRID_STOPPED) {
        skg_say(problem, &reported);
        return 1;
    }
    outcome->status = reported.status == ACTIO_GRID_STOPPED ? ACTIO_FLOW_STOPPED : reported.march;
    outcome->t_stop = reported.t_stop;
    outcome->y_stop = actio_alloc(problem->ctx, problem->ny + 1, sizeof(double));
    if (!outcome->y_stop) return 1;
    memcpy(outcome->y_stop, reported.y, problem->ny * sizeof(double));
    return ACTIO_SOLVE_ENDED;
}

const struct actio_principle actio_principle_skg = {
    .name = "skg",
    .title = "the doubled action (Schwinger-Keldysh-Galley) on nodes of time",
    .key = "RH 7",
    .differs = "",
    .assumes = "critical point of one scalar action with initial data; forces, friction and reactions enter through "
               "the difference of two paths",
    .chapter = &actio_chapter_skg,
    .form = actio_form_dalembert,
    .stepper = &actio_skg,
    .needs = ACTIO_NEEDS_NO_INSTANTS | ACTIO_NEEDS_FORMULAS | ACTIO_NEEDS_LEVELS | ACTIO_NEEDS_SOFT,
    .owns = ACTIO_OWNS_GRID | ACTIO_OWNS_ORDER | ACTIO_OWNS_SLABS | ACTIO_OWNS_NODES | ACTIO_OWNS_FORM
            | ACTIO_OWNS_VERIFY | ACTIO_OWNS_GRADIENT,
    .on_nodes = true,
    .check = skg_check,
    .objection = skg_objection,
    .prepare = skg_prepare,
    .solve = skg_solve,
};
