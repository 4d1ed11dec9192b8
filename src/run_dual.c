/* SPDX-License-Identifier: Apache-2.0 */
#include "run_dual.h"
#include "run_states.h"
#include "files.h"
#include "solve/chart.h"
#include "algebra/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool actio_run_is_dual(const struct actio_run *run) { return run->principle->stepper == &actio_dual; }

static const char *const closures[] = { [ACTIO_CLOSURE_GAUSS] = "gauss", [ACTIO_CLOSURE_VAKONOMIC] = "vakonomic", [ACTIO_CLOSURE_REDUCED] = "reduced", [ACTIO_CLOSURE_FREE] = "free" };
static const char *const powers[] = { [ACTIO_DUAL_ANY_POWER] = "any", [ACTIO_DUAL_NO_POWER] = "zero", [ACTIO_DUAL_TAKES_POWER] = "nonnegative" };

static int index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, list[i]) == 0) return i;
    return 0;
}

static enum actio_closure closure_of(const struct actio_run *run) { return (enum actio_closure)index_of(run->options.closure, closures, 4); }
static enum actio_dual_power power_of(const struct actio_run *run) { return (enum actio_dual_power)index_of(run->options.power, powers, 3); }

const struct actio_principle *actio_run_closure(const struct actio_run *run)
{
    enum actio_closure c = closure_of(run);
    bool other = actio_run_is_dual(run) && (c == ACTIO_CLOSURE_VAKONOMIC || c == ACTIO_CLOSURE_REDUCED);
    return other ? actio_principle_named(closures[c]) : run->principle;
}

/* ---- do options fit? */

static int refuse(struct actio_run *run, const char *option, const char *whose)
{
    actio_find(run->f, ACTIO_F_NOT_ITS_OPTION, ACTIO_ARGS(ACTIO_TEXT(option), ACTIO_TEXT(whose), ACTIO_TEXT(run->principle->name)));
    return 1;
}

/* Options of the dual action that were given: the first one's name, or NULL. */
static const char *given_option(const struct actio_run *run)
{
    const struct actio_run_options *o = &run->options;
    const struct actio_dual_data *d = &run->model->dual;
    const struct { bool given; const char *name; } list[] = {
        { o->closure != NULL, "closure" }, { o->power != NULL, "power" }, { o->multipliers, "multipliers" }, { o->base != NULL || d->bases, "base" },
        { d->weights > 0, "weights" }, { d->has_potential, "potential" }, { d->lasts > 0, "final" },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].given) return list[i].name;
    return NULL;
}

int actio_run_check_dual(struct actio_run *run)
{
    const struct actio_run_options *o = &run->options;
    const char *option = given_option(run);
    if (!actio_run_is_dual(run)) return option ? refuse(run, option, "dual") : 0;
    if (o->gradients) return refuse(run, "gradient", "skg");
    if (o->form) return refuse(run, "form", "skg");
    if (o->verify) return refuse(run, "verify", "skg");
    if (o->method && strcmp(o->method, "auto") != 0) return refuse(run, "method", "principles that have equations of motion");
    if (o->power && closure_of(run) != ACTIO_CLOSURE_FREE) return refuse(run, "power", "--closure free");
    if (o->multipliers && closure_of(run) != ACTIO_CLOSURE_GAUSS) return refuse(run, "multipliers", "--closure gauss");
    if (o->order && (o->order < ACTIO_DUAL_LEAST_DEGREE || o->order > ACTIO_DUAL_MOST_DEGREE)) return actio_find(run->f, ACTIO_F_NO_DEGREE, ACTIO_ARGS(ACTIO_NUMBER(o->order))), 1;
    size_t k = o->order ? (size_t)o->order : 4;
    if (o->nodes && (o->nodes < k || o->nodes > ACTIO_DUAL_MOST_POINTS)) return actio_find(run->f, ACTIO_F_NO_QUADRATURE, ACTIO_ARGS(ACTIO_COUNT(o->nodes), ACTIO_COUNT(k), ACTIO_COUNT(ACTIO_DUAL_MOST_POINTS))), 1;
    if (o->slabs && o->grid && o->grid < o->slabs) return actio_find(run->f, ACTIO_F_FEW_ELEMENTS, ACTIO_ARGS(ACTIO_COUNT(o->grid), ACTIO_COUNT(o->slabs))), 1;
    if (closure_of(run) == ACTIO_CLOSURE_FREE && (!o->grid || o->slabs > 1)) return actio_find(run->f, ACTIO_F_FREE_NEEDS_GRID, ACTIO_NO_ARGS), 1;
    return 0;
}

/* ---- the task */

struct tasking { struct actio_run *run; struct actio_dual *d; };

static size_t own_components(const struct actio_model *m) { return 2 * m->coords + m->states; }
static bool is_reaction(const struct actio_model *m, size_t component) { return component >= own_components(m) + m->constraints; }

/* Of y, then of reactions: base states have no multipliers between them. */
static size_t base_component(const struct actio_model *m, size_t component) { return is_reaction(m, component) ? component - m->constraints : component; }

static void allocate_task(void *user)
{
    struct tasking *x = user;
    struct actio_run *run = x->run;
    const struct actio_dual_data *said = &run->model->dual;
    x->d = actio_arena_array(&run->arena, 1, sizeof *x->d);
    struct actio_dual_task *t = &x->d->task;
    size_t room = run->ny + run->motion.N + 1;             /* y, and reactions */
    double *given = actio_arena_array(&run->arena, room, sizeof *given), *last = actio_arena_array(&run->arena, run->ny + 1, sizeof *last);
    bool *is_given = actio_arena_array(&run->arena, room, sizeof *is_given), *bound = actio_arena_array(&run->arena, run->motion.N + 1, sizeof *bound);
    for (size_t i = 0; i < said->bases; i++) {
        size_t c = base_component(run->model, said->base[i].component);
        given[c] = actio_model_number(run->model, said->base[i].e), is_given[c] = true;
    }
    for (size_t i = 0; i < said->lasts; i++) last[said->last[i].component] = actio_model_number(run->model, said->last[i].e);
    t->given = given, t->is_given = is_given, t->last = said->lasts ? last : NULL, t->choice.bound = bound;
    if (closure_of(run) != ACTIO_CLOSURE_REDUCED) { t->choice.bound = NULL; return; }
    const struct actio_chart *c = run->motion.law_data;
    for (size_t i = 0; i < c->N; i++) {
        bound[i] = true;
        for (size_t r = 0; r < c->r; r++) bound[i] = bound[i] && c->Z[r * c->N + i] != 1;
    }
}

/* A free reaction is told by the dual itself: rates are looked up at a time, and R = G z' - h. */
static int free_rates(struct actio_motion *m, double t, const double *Y, double *dY) { return actio_motion_rhs(m, t, Y, dY); }
static size_t free_size(const struct actio_motion *m) { return m->ny; }

static int free_solve(struct actio_motion *m, double t, const double *y)
{
    struct actio_dense_point at;
    double *U = m->dual->told.nodes ? actio_take(m->ctx, m->sys->first_order->u + 1, sizeof *U) : NULL;
    if (!U) return actio_motion_solve(m, t, y);
    actio_dual_look(m->dual, t, NULL, U);
    int status = actio_motion_matrices(m, t, y, &at);
    for (size_t i = 0; !status && i < m->N; i++) m->zdot[i] = U[i], m->reaction[i] = actio_dot(m->N, at.G + i * m->N, U) - at.h[i];
    for (size_t k = 0; k < m->p; k++) m->lambda[k] = NAN;  /* along no gradient */
    actio_give(m->ctx, U);
    return status;
}

static const struct actio_law law_free = { .name = "free", .size = free_size, .rates = free_rates, .solve = free_solve };

/* Beyond its ends a table says nothing. */
static bool table_is_short(struct actio_run *run, const struct actio_dual_table *table)
{
    double from = fmin(run->model->t0, run->model->t1), to = fmax(run->model->t0, run->model->t1), room = 1e-9 * (to - from);
    if (table->t[0] <= from + room && table->t[table->rows - 1] >= to - room) return false;
    actio_find(run->f, ACTIO_F_BASE_SHORT, ACTIO_ARGS(ACTIO_TEXT(run->options.base), ACTIO_NUMBER(table->t[0]), ACTIO_NUMBER(table->t[table->rows - 1]), ACTIO_NUMBER(from), ACTIO_NUMBER(to)));
    return true;
}

/* Columns of the model that are no base states are told of; a name that is none of its columns is a slip. */
static int read_base(struct actio_run *run, struct actio_dual_task *t)
{
    const char *path = run->options.base;
    struct actio_states_unread unread = { 0 };
    if (actio_run_read_states(run, path, t->choice.closure == ACTIO_CLOSURE_FREE, &t->table, &unread)) return 1;
    if (unread.strange) return actio_find(run->f, ACTIO_F_BASE_COLUMN, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(unread.strange))), 1;
    if (unread.idle) actio_find(run->f, ACTIO_F_BASE_UNUSED, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(unread.idle)));
    return table_is_short(run, &t->table);
}

/* Is H strictly convex at the start, and weights are positive at times all over the interval? */
static int check_convexity(struct actio_run *run)
{
    struct actio_model *m = run->model;
    for (size_t i = 0; i < m->dual.weights; i++)
        for (int k = 0; k <= 16; k++) {
            double t = m->t0 + (m->t1 - m->t0) * k / 16, w = actio_model_number_at(m, m->dual.weight[i].e, t);
            if (w > 0) continue;
            actio_find(run->f, ACTIO_F_DUAL_WEIGHT, ACTIO_ARGS(ACTIO_NUMBER(w), ACTIO_NUMBER(t)));
            return 1;
        }
    return 0;
}

static bool is_acted_on(const struct actio_run *run, size_t variable)
{
    bool acted = variable < run->model->coords;
    for (size_t i = 0; i < run->sys->D.count; i++) acted = acted || run->sys->D.col[i] == variable;
    return acted;
}

/* Weights of what the potential leaves out, or speaks of in its own way, would change nothing. NULL: it counts. */
static const char *idle_because(const struct actio_run *run, size_t c)
{
    struct actio_model *m = run->model;
    const struct actio_first_order *fo = run->sys->first_order;
    enum actio_closure closure = run->dual->task.choice.closure;
    size_t own = own_components(m);
    if (is_reaction(m, c) && closure != ACTIO_CLOSURE_FREE) return "reactions are unknowns with --closure free only";
    if (is_reaction(m, c)) return is_acted_on(run, c - own - m->constraints) ? NULL : "no constraint acts on this state, and it has no reaction";
    if (c >= own && closure == ACTIO_CLOSURE_FREE) return "free reactions have no multipliers: write reaction.NAME";
    if (c >= own) return fo->x > own || (fo->implicit && closure == ACTIO_CLOSURE_GAUSS) ? NULL : "multipliers are no unknowns of this form: --multipliers makes them so";
    actio_expr symbol = c < m->coords ? m->coord[c].x : c < 2 * m->coords ? m->coord[c - m->coords].dot : m->state[c - 2 * m->coords].x;
    return m->dual.has_potential && actio_uses_symbol(&m->pool, m->dual.potential, symbol) ? "the potential speaks of it already" : NULL;
}

static int check_idle(struct actio_run *run)
{
    struct actio_model *m = run->model;
    for (size_t i = 0; i < m->dual.weights; i++) {
        const char *why = idle_because(run, m->dual.weight[i].component);
        if (why) return actio_find(run->f, ACTIO_F_DUAL_IDLE, ACTIO_ARGS(ACTIO_TEXT("weight"), ACTIO_TEXT("weights"), ACTIO_TEXT(why))), 1;
    }
    for (size_t i = 0; i < m->dual.bases; i++) {
        size_t c = m->dual.base[i].component;
        const char *why = is_reaction(m, c) ? idle_because(run, c) : NULL;
        if (why) return actio_find(run->f, ACTIO_F_DUAL_IDLE, ACTIO_ARGS(ACTIO_TEXT("base state"), ACTIO_TEXT("base"), ACTIO_TEXT(why))), 1;
    }
    return 0;
}

/* z' follows from R only where G has an inverse: not where masses are missing, though constraints may give those accelerations. */
static int check_inertia(struct actio_run *run)
{
    struct actio_motion *m = &run->motion;
    struct actio_dense_point at;
    int *pivot = actio_take(run->ctx, m->N + 1, sizeof *pivot);
    if (!pivot) return actio_find(run->f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("the dual action"), ACTIO_COUNT(run->ctx->bytes_limit))), 1;
    bool singular = actio_motion_matrices(m, run->model->t0, run->y0, &at) == ACTIO_FLOW_OK && actio_lu_factor(m->N, at.G, pivot);
    actio_give(run->ctx, pivot);
    if (singular) actio_find(run->f, ACTIO_F_FREE_NEEDS_INERTIA, ACTIO_NO_ARGS);
    return singular;
}

static int free_reactions(struct actio_run *run)
{
    actio_find(run->f, ACTIO_F_FREE_REACTION, ACTIO_NO_ARGS);
    return actio_motion_obey(&run->motion, &law_free) || check_inertia(run);
}

int actio_run_dual(struct actio_run *run)
{
    struct tasking x = { .run = run };
    const struct actio_run_options *o = &run->options;
    if (!actio_run_is_dual(run)) return 0;
    if (check_convexity(run) || actio_attempt(run->ctx, allocate_task, &x)) return 1;
    struct actio_dual_task *t = &x.d->task;
    t->choice.closure = closure_of(run), t->choice.multipliers = o->multipliers, t->choice.power = power_of(run);
    t->slack = o->slack != 0 ? o->slack : 0.3;
    t->base = run->model->dual.bases || (o->base && strcmp(o->base, "constant") == 0) ? ACTIO_BASE_CONSTANT
            : o->base && strcmp(o->base, "exact") == 0 ? ACTIO_BASE_EXACT : o->base && *o->base ? ACTIO_BASE_TABLE : ACTIO_BASE_RK4;
    if (t->base == ACTIO_BASE_TABLE && read_base(run, t)) return 1;
    if (t->choice.closure == ACTIO_CLOSURE_FREE && free_reactions(run)) return 1;
    run->motion.dual = run->dual = x.d;
    return actio_system_dual(run->sys, &t->choice) || check_idle(run);
}

void actio_run_close_dual(struct actio_run *run)
{
    if (run->dual) actio_dual_close(run->ctx, run->dual);
}

/* ---- how it ended */

static void say_horizon(struct actio_run *run, double horizon)
{
    double span = fabs(run->model->t1 - run->model->t0);
    if (horizon < 1e-4 * span && run->model->dual.has_potential) { actio_find(run->f, ACTIO_F_DUAL_NOT_CONVEX, ACTIO_ARGS(ACTIO_NUMBER(run->model->t0))); return; }
    actio_find(run->f, ACTIO_F_DUAL_HORIZON, ACTIO_ARGS(ACTIO_NUMBER(span), ACTIO_NUMBER(horizon), ACTIO_COUNT((size_t)ceil(1.25 * span / fmax(horizon, 1e-6 * span)))));
}

int actio_run_foresee(struct actio_run *run)
{
    const struct actio_run_options *o = &run->options;
    double horizon;
    if (!actio_run_is_dual(run) || o->slabs > 1 || !(o->grid || o->slabs) || run->dual->task.choice.closure == ACTIO_CLOSURE_FREE || run->dual->task.base == ACTIO_BASE_EXACT) return 0;
    if (actio_dual_horizon(&run->motion, run->model->t0, run->model->t1, run->y0, &horizon)) return 0;   /* not known: it is tried */
    if (!isfinite(horizon)) return 0;
    say_horizon(run, horizon);
    return 1;
}

void actio_run_say_dual(struct actio_run *run)
{
    static const char *const why[] = {
        [ACTIO_DUAL_NO_NUMBER] = "a formula has no finite value on the way from dual to primal variables",
        [ACTIO_DUAL_NOT_POSITIVE] = "M = d2L/dU2 does not stay positive on the way to its maximum", [ACTIO_DUAL_NO_MAP] = "dual variables do not map to primal ones",
        [ACTIO_DUAL_SPURIOUS] = "the maximum that was found is no motion, for its state jumps from element to element",
        [ACTIO_DUAL_DIVERGED] = "Newton's method finds no maximum at which M = d2L/dU2 is positive", 
    };
    const struct actio_dual_told *told = &run->dual->told;
    const char *state = actio_run_state_text(run, run->outcome.y_stop, NULL);
    if (told->status == ACTIO_DUAL_NO_BASE) { actio_find(run->f, ACTIO_F_DUAL_NO_BASE, ACTIO_ARGS(ACTIO_NUMBER(told->t), ACTIO_NUMBER(told->length))); return; }
    if (run->dual->task.choice.closure == ACTIO_CLOSURE_FREE) { actio_find(run->f, ACTIO_F_DUAL_FREE_FAILS, ACTIO_ARGS(ACTIO_TEXT(why[told->status]))); return; }
    bool shortest = told->length < 1e-6 * fabs(run->model->t1 - run->model->t0);
    if (shortest && run->model->dual.has_potential && told->status != ACTIO_DUAL_TOO_MANY) { actio_find(run->f, ACTIO_F_DUAL_NOT_CONVEX, ACTIO_ARGS(ACTIO_NUMBER(told->t))); return; }
    if (told->status == ACTIO_DUAL_TOO_MANY) { actio_find(run->f, ACTIO_F_DUAL_STIFF, ACTIO_ARGS(ACTIO_NUMBER(told->t), ACTIO_COUNT(told->elements), ACTIO_NUMBER(told->length))); return; }
    actio_find(run->f, ACTIO_F_DUAL_FAILS, ACTIO_ARGS(ACTIO_NUMBER(told->t), ACTIO_NUMBER(told->length), ACTIO_TEXT(why[told->status]), ACTIO_TEXT(state)));
}

/* ---- the table */

static void add_columns(struct actio_run *run, struct actio_table *t)
{
    const struct actio_dual_told *told = &run->dual->told;
    const struct actio_first_order *fo = run->sys->first_order;
    size_t before = t->cols, cols = before + told->nx;
    struct actio_column *col = actio_arena_array(&t->arena, cols + 1, sizeof *col);
    double **data = actio_arena_array(&t->arena, cols + 1, sizeof *data), *error = actio_arena_array(&t->arena, cols + 1, sizeof *error), *D = actio_arena_array(&t->arena, told->nx + 1, sizeof *D);
    memcpy(col, t->col, before * sizeof *col), memcpy(data, t->data, before * sizeof *data), memcpy(error, t->error, before * sizeof *error);
    for (size_t i = 0; i < told->nx; i++) {
        col[before + i] = (struct actio_column){ .name = actio_arena_format(&t->arena, "dual.%s", fo->name[i]), .unit = "", .meaning = "variable of the dual action", .latex = "", .role = ACTIO_ROLE_DUAL, .unique = true };
        data[before + i] = actio_arena_array(&t->arena, t->rows + 1, sizeof **data);
        error[before + i] = NAN;
    }
    for (size_t r = 0; r < t->rows; r++) {
        actio_dual_look(run->dual, t->data[0][r], D, NULL);
        for (size_t i = 0; i < told->nx; i++) data[before + i][r] = D[i];
    }
    t->col = col, t->data = data, t->error = error, t->cols = cols;
}

void actio_run_fill_dual(struct actio_run *run, struct actio_table *t)
{
    if (!run->dual) return;
    const struct actio_dual_told *told = &run->dual->told;
    if (told->nodes && t->rows) add_columns(run, t);
    t->dual = actio_arena_alloc(&t->arena, sizeof *t->dual);
    *t->dual = (struct actio_dual_numbers){ .action = told->slabs == 1 ? told->action : NAN, .hamiltonian = told->nodes ? told->hamiltonian : NAN, .drift = told->nodes ? told->drift : NAN,
                                            .least = told->least, .largest = told->largest, .detector = told->detector,
                                            .slabs = told->slabs, .elements = told->elements, .newton = told->newton, .degree = told->degree,
                                            .closure = closures[closure_of(run)] };
}
