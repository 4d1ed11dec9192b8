/* SPDX-License-Identifier: Apache-2.0
 * The dual action: what its options need, its task, how it ended, in words, and its columns. */
#include "principle/dual.h"
#include "derive/derive.h"
#include "principle/principles.h"
#include "problem/states.h"
#include "result/table.h"
#include "solve/dual.h"
#include "solve/chart.h"
#include "algebra/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const closures[] = { [ACTIO_CLOSURE_GAUSS] = "gauss",
                                        [ACTIO_CLOSURE_VAKONOMIC] = "vakonomic",
                                        [ACTIO_CLOSURE_REDUCED] = "reduced",
                                        [ACTIO_CLOSURE_FREE] = "free" };
static const char *const powers[] = {
    [ACTIO_DUAL_ANY_POWER] = "any", [ACTIO_DUAL_NO_POWER] = "zero", [ACTIO_DUAL_TAKES_POWER] = "nonnegative"
};

static int dual_index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, list[i]) == 0) return i;
    return 0;
}

static enum actio_closure closure_of(const struct actio_problem *problem)
{
    return (enum actio_closure)dual_index_of(problem->options.closure, closures, 4);
}
static enum actio_dual_power power_of(const struct actio_problem *problem)
{
    return (enum actio_dual_power)dual_index_of(problem->options.power, powers, 3);
}

static const struct actio_principle *closure(const struct actio_problem *problem)
{
    switch (closure_of(problem)) {
    case ACTIO_CLOSURE_VAKONOMIC: return &actio_principle_vakonomic;
    case ACTIO_CLOSURE_REDUCED: return &actio_principle_reduced;
    default: return &actio_principle_dual;
    }
}

/* ---- do options fit? */

static int dual_check(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    if (o->power && closure_of(problem) != ACTIO_CLOSURE_FREE)
        return actio_principle_refuse(problem, "power", "--closure free");
    if (o->multipliers && closure_of(problem) != ACTIO_CLOSURE_GAUSS)
        return actio_principle_refuse(problem, "multipliers", "--closure gauss");
    if (o->order && (o->order < ACTIO_DUAL_LEAST_DEGREE || o->order > ACTIO_DUAL_MOST_DEGREE)) {
        actio_report(problem->f, ACTIO_F_NO_DEGREE, ACTIO_ARGS(ACTIO_NUMBER(o->order)));
        return 1;
    }
    size_t k = o->order ? (size_t)o->order : 4;
    if (o->nodes && (o->nodes < k || o->nodes > ACTIO_DUAL_MOST_POINTS)) {
        actio_report(problem->f, ACTIO_F_NO_QUADRATURE,
                     ACTIO_ARGS(ACTIO_COUNT(o->nodes), ACTIO_COUNT(k), ACTIO_COUNT(ACTIO_DUAL_MOST_POINTS)));
        return 1;
    }
    if (o->slabs && o->grid && o->grid < o->slabs) {
        actio_report(problem->f, ACTIO_F_FEW_ELEMENTS, ACTIO_ARGS(ACTIO_COUNT(o->grid), ACTIO_COUNT(o->slabs)));
        return 1;
    }
    if (closure_of(problem) == ACTIO_CLOSURE_FREE && (!o->grid || o->slabs > 1)) {
        actio_report(problem->f, ACTIO_F_FREE_NEEDS_GRID, ACTIO_NO_ARGS);
        return 1;
    }
    return 0;
}

/* ---- the task */

struct tasking {
    struct actio_problem *problem;
    struct actio_dual *d;
};

static size_t own_components(const struct actio_model *m) { return 2 * m->coords + m->states; }
static bool is_reaction(const struct actio_model *m, size_t component)
{
    return component >= own_components(m) + m->constraints;
}

/* Of y, then of reactions: base states have no multipliers between them. */
static size_t base_component(const struct actio_model *m, size_t component)
{
    return is_reaction(m, component) ? component - m->constraints : component;
}

static void allocate_task(void *user)
{
    struct tasking *x = user;
    struct actio_problem *problem = x->problem;
    const struct actio_dual_data *said = &problem->model->dual;
    x->d = actio_arena_array(&problem->arena, 1, sizeof *x->d);
    struct actio_dual_task *t = &x->d->task;
    size_t room = problem->ny + problem->motion.N + 1; /* y, and reactions */
    double *given = actio_arena_array(&problem->arena, room, sizeof *given),
           *last = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *last);
    bool *is_given = actio_arena_array(&problem->arena, room, sizeof *is_given),
         *bound = actio_arena_array(&problem->arena, problem->motion.N + 1, sizeof *bound);
    for (size_t i = 0; i < said->bases; i++) {
        size_t c = base_component(problem->model, said->base[i].component);
        given[c] = actio_model_number(problem->model, said->base[i].e);
        is_given[c] = true;
    }
    for (size_t i = 0; i < said->lasts; i++)
        last[said->last[i].component] = actio_model_number(problem->model, said->last[i].e);
    t->given = given;
    t->is_given = is_given;
    t->last = said->lasts ? last : NULL;
    t->choice.bound = bound;
    if (closure_of(problem) != ACTIO_CLOSURE_REDUCED) {
        t->choice.bound = NULL;
        return;
    }
    const struct actio_chart *c = problem->motion.obeys.data;
    for (size_t i = 0; i < c->N; i++) {
        bound[i] = true;
        for (size_t r = 0; r < c->r; r++) bound[i] = bound[i] && c->Z[r * c->N + i] != 1;
    }
}

/* A free reaction follows from the dual itself: rates are looked up at a time, and R = G z' - h. */
static int free_rates(struct actio_motion *m, double t, const double *Y, double *dY)
{
    return actio_motion_rhs(m, t, Y, dY);
}
static size_t free_size(const struct actio_motion *m) { return m->ny; }

static int free_solve(struct actio_motion *m, double t, const double *y)
{
    struct actio_dense_point at;
    double *U = m->chosen.dual->reported.nodes ? actio_alloc(m->ctx, m->sys->first_order->u + 1, sizeof *U) : NULL;
    if (!U) return actio_motion_solve(m, t, y);
    actio_dual_look(m->chosen.dual, t, NULL, U);
    int status = actio_motion_matrices(m, t, y, &at);
    for (size_t i = 0; !status && i < m->N; i++) {
        m->here.zdot[i] = U[i];
        m->here.reaction[i] = actio_dot(m->N, at.G + i * m->N, U) - at.h[i];
    }
    for (size_t k = 0; k < m->p; k++) m->here.lambda[k] = NAN; /* along no gradient */
    actio_free(m->ctx, U);
    return status;
}

static const struct actio_law law_free = {
    .name = "free", .size = free_size, .rates = free_rates, .solve = free_solve
};

/* Beyond its ends a table says nothing. */
static bool table_is_short(struct actio_problem *problem, const struct actio_dual_table *table)
{
    double from = fmin(problem->model->time.t0, problem->model->time.t1),
           to = fmax(problem->model->time.t0, problem->model->time.t1), room = 1e-9 * (to - from);
    if (table->t[0] <= from + room && table->t[table->rows - 1] >= to - room) return false;
    actio_report(problem->f, ACTIO_F_BASE_SHORT,
                 ACTIO_ARGS(ACTIO_TEXT(problem->options.base), ACTIO_NUMBER(table->t[0]),
                            ACTIO_NUMBER(table->t[table->rows - 1]), ACTIO_NUMBER(from), ACTIO_NUMBER(to)));
    return true;
}

/* Columns of the model that are not base states are reported; a name that is not one of its columns is a slip. */
static int read_base(struct actio_problem *problem, struct actio_dual_task *t)
{
    const char *path = problem->options.base;
    struct actio_states_unread unread = { 0 };
    if (actio_problem_read_states(problem, path, t->choice.closure == ACTIO_CLOSURE_FREE, &t->table, &unread)) return 1;
    if (unread.strange) {
        actio_report(problem->f, ACTIO_F_BASE_COLUMN, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(unread.strange)));
        return 1;
    }
    if (unread.idle)
        actio_report(problem->f, ACTIO_F_BASE_UNUSED, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(unread.idle)));
    return table_is_short(problem, &t->table);
}

/* Is H strictly convex at the start, and weights are positive at times all over the interval? */
static int check_convexity(struct actio_problem *problem)
{
    struct actio_model *m = problem->model;
    for (size_t i = 0; i < m->dual.weights; i++)
        for (int k = 0; k <= 16; k++) {
            double t = m->time.t0 + (m->time.t1 - m->time.t0) * k / 16,
                   w = actio_model_number_at(m, m->dual.weight[i].e, t);
            if (w > 0) continue;
            actio_report(problem->f, ACTIO_F_DUAL_WEIGHT, ACTIO_ARGS(ACTIO_NUMBER(w), ACTIO_NUMBER(t)));
            return 1;
        }
    return 0;
}

static bool is_acted_on(const struct actio_problem *problem, size_t variable)
{
    bool acted = variable < problem->model->coords;
    for (size_t i = 0; i < problem->sys->D.count; i++) acted = acted || problem->sys->D.col[i] == variable;
    return acted;
}

/* Weights of what the potential leaves out, or speaks of in its own way, would change nothing. NULL: it counts. */
static const char *idle_because(const struct actio_problem *problem, size_t c)
{
    struct actio_model *m = problem->model;
    const struct actio_first_order *fo = problem->sys->first_order;
    enum actio_closure closure = problem->dual->task.choice.closure;
    size_t own = own_components(m);
    if (is_reaction(m, c) && closure != ACTIO_CLOSURE_FREE) return "reactions are unknowns only with --closure free";
    if (is_reaction(m, c))
        return is_acted_on(problem, c - own - m->constraints)
                   ? NULL
                   : "no constraint acts on this state, so it has no reaction";
    if (c >= own && closure == ACTIO_CLOSURE_FREE) return "free reactions have no multipliers: write reaction.NAME";
    if (c >= own)
        return fo->x > own || (fo->implicit && closure == ACTIO_CLOSURE_GAUSS)
                   ? NULL
                   : "multipliers are not unknowns of this form; use --multipliers";
    actio_expr symbol = c < m->coords       ? m->coord[c].x
                        : c < 2 * m->coords ? m->coord[c - m->coords].dot
                                            : m->state[c - 2 * m->coords].x;
    return m->dual.has_potential && actio_uses_symbol(&m->pool, m->dual.potential, symbol)
               ? "the potential already contains it"
               : NULL;
}

static int check_idle(struct actio_problem *problem)
{
    struct actio_model *m = problem->model;
    for (size_t i = 0; i < m->dual.weights; i++) {
        const char *why = idle_because(problem, m->dual.weight[i].component);
        if (why) {
            actio_report(problem->f, ACTIO_F_DUAL_IDLE,
                         ACTIO_ARGS(ACTIO_TEXT("weight"), ACTIO_TEXT("weights"), ACTIO_TEXT(why)));
            return 1;
        }
    }
    for (size_t i = 0; i < m->dual.bases; i++) {
        size_t c = m->dual.base[i].component;
        const char *why = is_reaction(m, c) ? idle_because(problem, c) : NULL;
        if (why) {
            actio_report(problem->f, ACTIO_F_DUAL_IDLE,
                         ACTIO_ARGS(ACTIO_TEXT("base state"), ACTIO_TEXT("base"), ACTIO_TEXT(why)));
            return 1;
        }
    }
    return 0;
}

/* z' follows from R only where G has an inverse: not where masses are missing, though constraints may give those
 * accelerations. */
static int check_inertia(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    struct actio_dense_point at;
    int *pivot = actio_alloc(problem->ctx, m->N + 1, sizeof *pivot);
    if (!pivot) {
        actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the dual action"), ACTIO_COUNT(problem->ctx->bytes_limit)));
        return 1;
    }
    bool singular = actio_motion_matrices(m, problem->model->time.t0, problem->y0, &at) == ACTIO_FLOW_OK
                    && actio_lu_factor(m->N, at.G, pivot);
    actio_free(problem->ctx, pivot);
    if (singular) actio_report(problem->f, ACTIO_F_FREE_NEEDS_INERTIA, ACTIO_NO_ARGS);
    return singular;
}

static int free_reactions(struct actio_problem *problem)
{
    actio_report(problem->f, ACTIO_F_FREE_REACTION, ACTIO_NO_ARGS);
    return actio_motion_obey(&problem->motion, &law_free) || check_inertia(problem);
}

static int take_task(struct actio_problem *problem)
{
    struct tasking x = { .problem = problem };
    const struct actio_run_options *o = &problem->options;
    if (check_convexity(problem) || actio_attempt(problem->ctx, allocate_task, &x)) return 1;
    struct actio_dual_task *t = &x.d->task;
    t->choice.closure = closure_of(problem);
    t->choice.multipliers = o->multipliers;
    t->choice.power = power_of(problem);
    t->slack = o->slack != 0 ? o->slack : 0.3;
    t->base = problem->model->dual.bases || (o->base && strcmp(o->base, "constant") == 0) ? ACTIO_BASE_CONSTANT
              : o->base && strcmp(o->base, "exact") == 0                                  ? ACTIO_BASE_EXACT
              : o->base && *o->base                                                       ? ACTIO_BASE_TABLE
                                                                                          : ACTIO_BASE_RK4;
    if (t->base == ACTIO_BASE_TABLE && read_base(problem, t)) return 1;
    if (t->choice.closure == ACTIO_CLOSURE_FREE && free_reactions(problem)) return 1;
    problem->motion.chosen.dual = problem->dual = x.d;
    return actio_system_dual(problem->sys, &t->choice) || check_idle(problem);
}

static void close_task(struct actio_problem *problem)
{
    if (problem->dual) actio_dual_close(problem->ctx, problem->dual);
}

/* ---- how it ended */

static void say_horizon(struct actio_problem *problem, double horizon)
{
    double span = fabs(problem->model->time.t1 - problem->model->time.t0);
    if (horizon < 1e-4 * span && problem->model->dual.has_potential) {
        actio_report(problem->f, ACTIO_F_DUAL_NOT_CONVEX, ACTIO_ARGS(ACTIO_NUMBER(problem->model->time.t0)));
        return;
    }
    actio_report(problem->f, ACTIO_F_DUAL_HORIZON,
                 ACTIO_ARGS(ACTIO_NUMBER(span), ACTIO_NUMBER(horizon),
                            ACTIO_COUNT((size_t)ceil(1.25 * span / fmax(horizon, 1e-6 * span)))));
}

int actio_dual_foresee(struct actio_problem *problem)
{
    const struct actio_run_options *o = &problem->options;
    double horizon;
    if (o->slabs > 1 || !(o->grid || o->slabs) || problem->dual->task.choice.closure == ACTIO_CLOSURE_FREE
        || problem->dual->task.base == ACTIO_BASE_EXACT)
        return 0;
    /* not known: it is tried */
    if (actio_dual_horizon(&problem->motion, problem->model->time.t0, problem->model->time.t1, problem->y0, &horizon))
        return 0;
    if (!isfinite(horizon)) return 0;
    say_horizon(problem, horizon);
    return 1;
}

void actio_dual_explain(struct actio_problem *problem, const double *y_stop)
{
    static const char *const why[] = {
        [ACTIO_DUAL_NO_NUMBER] = "a formula is not finite on the way from dual to primal variables",
        [ACTIO_DUAL_NOT_POSITIVE] = "M = d2L/dU2 does not stay positive on the way to its maximum",
        [ACTIO_DUAL_NO_MAP] = "dual variables do not map to primal ones",
        [ACTIO_DUAL_SPURIOUS] = "the maximum found is not a motion: its state jumps between elements",
        [ACTIO_DUAL_DIVERGED] = "Newton's method finds no maximum at which M = d2L/dU2 is positive",
    };
    const struct actio_dual_report *reported = &problem->dual->reported;
    const char *state = actio_problem_state_text(problem, y_stop, NULL);
    if (reported->status == ACTIO_DUAL_NO_BASE) {
        actio_report(problem->f, ACTIO_F_DUAL_NO_BASE,
                     ACTIO_ARGS(ACTIO_NUMBER(reported->t), ACTIO_NUMBER(reported->length)));
        return;
    }
    if (problem->dual->task.choice.closure == ACTIO_CLOSURE_FREE) {
        actio_report(problem->f, ACTIO_F_DUAL_FREE_FAILS, ACTIO_ARGS(ACTIO_TEXT(why[reported->status])));
        return;
    }
    bool shortest = reported->length < 1e-6 * fabs(problem->model->time.t1 - problem->model->time.t0);
    if (shortest && problem->model->dual.has_potential && reported->status != ACTIO_DUAL_TOO_MANY) {
        actio_report(problem->f, ACTIO_F_DUAL_NOT_CONVEX, ACTIO_ARGS(ACTIO_NUMBER(reported->t)));
        return;
    }
    if (reported->status == ACTIO_DUAL_TOO_MANY) {
        actio_report(
            problem->f, ACTIO_F_DUAL_STIFF,
            ACTIO_ARGS(ACTIO_NUMBER(reported->t), ACTIO_COUNT(reported->elements), ACTIO_NUMBER(reported->length)));
        return;
    }
    actio_report(problem->f, ACTIO_F_DUAL_FAILS,
                 ACTIO_ARGS(ACTIO_NUMBER(reported->t), ACTIO_NUMBER(reported->length),
                            ACTIO_TEXT(why[reported->status]), ACTIO_TEXT(state)));
}

static bool explain(struct actio_problem *problem, const struct actio_outcome *o)
{
    if (problem->motion.halted.why != ACTIO_STOP_DUAL) return false;
    actio_dual_explain(problem, o->y_stop);
    return true;
}

/* ---- the table */

static void add_columns(struct actio_problem *problem, struct actio_table *t)
{
    const struct actio_dual_report *reported = &problem->dual->reported;
    const struct actio_first_order *fo = problem->sys->first_order;
    size_t before = t->cols, cols = before + reported->nx;
    struct actio_column *col = actio_arena_array(&t->arena, cols + 1, sizeof *col);
    double **data = actio_arena_array(&t->arena, cols + 1, sizeof *data),
           *error = actio_arena_array(&t->arena, cols + 1, sizeof *error),
           *D = actio_arena_array(&t->arena, reported->nx + 1, sizeof *D);
    memcpy(col, t->col, before * sizeof *col);
    memcpy(data, t->data, before * sizeof *data);
    memcpy(error, t->error, before * sizeof *error);
    for (size_t i = 0; i < reported->nx; i++) {
        col[before + i] = (struct actio_column){ .name = actio_arena_format(&t->arena, "dual.%s", fo->name[i]),
                                                 .unit = "",
                                                 .meaning = "variable of the dual action",
                                                 .latex = "",
                                                 .role = ACTIO_ROLE_DUAL,
                                                 .unique = true };
        data[before + i] = actio_arena_array(&t->arena, t->rows + 1, sizeof **data);
        error[before + i] = NAN;
    }
    for (size_t r = 0; r < t->rows; r++) {
        actio_dual_look(problem->dual, t->data[0][r], D, NULL);
        for (size_t i = 0; i < reported->nx; i++) data[before + i][r] = D[i];
    }
    t->col = col;
    t->data = data;
    t->error = error;
    t->cols = cols;
}

static void dual_fill(struct actio_problem *problem, struct actio_table *t)
{
    if (!problem->dual) return;
    const struct actio_dual_report *reported = &problem->dual->reported;
    if (reported->nodes && t->rows) add_columns(problem, t);
    t->dual = actio_arena_alloc(&t->arena, sizeof *t->dual);
    *t->dual = (struct actio_dual_numbers){ .action = reported->slabs == 1 ? reported->action : NAN,
                                            .hamiltonian = reported->nodes ? reported->hamiltonian : NAN,
                                            .drift = reported->nodes ? reported->drift : NAN,
                                            .least = reported->least,
                                            .largest = reported->largest,
                                            .detector = reported->detector,
                                            .slabs = reported->slabs,
                                            .elements = reported->elements,
                                            .newton = reported->newton,
                                            .degree = reported->degree,
                                            .closure = closures[closure_of(problem)] };
}

static int dual_begin(struct actio_problem *problem) { return take_task(problem) || actio_dual_foresee(problem); }

/* One first-order form, one split. */
static int dual_prepare(struct actio_problem *problem)
{
    problem->motion.chosen.resplit = 0;
    return 0;
}

const struct actio_principle actio_principle_dual = {
    .name = "dual",
    .title = "the dual action: a concave maximisation whose critical point maps to the motion",
    .key = "AS 22",
    .differs = "",
    .assumes = "the reactions of --closure, ideal by default; a base state near the motion, so that the matrix M of "
               "the second variation stays positive",
    .chapter = &actio_chapter_dual,
    .form = actio_form_dalembert,
    .stepper = &actio_dual,
    .needs = ACTIO_NEEDS_NO_INSTANTS | ACTIO_NEEDS_FORMULAS | ACTIO_NEEDS_POINTS | ACTIO_NEEDS_SOFT
             | ACTIO_NEEDS_INDEPENDENT,
    .owns = ACTIO_OWNS_GRID | ACTIO_OWNS_ORDER | ACTIO_OWNS_SLABS | ACTIO_OWNS_NODES | ACTIO_OWNS_DUAL,
    .check = dual_check,
    .closure = closure,
    .prepare = dual_prepare,
    .begin = dual_begin,
    .explain = explain,
    .fill = dual_fill,
    .close = close_task,
};
