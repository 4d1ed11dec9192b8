/* SPDX-License-Identifier: Apache-2.0 */
#include "principle/principles.h"
#include "check/power.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static size_t power_find(const struct actio_power_rows *x, const char *name)
{
    size_t c = 0;
    while (c < x->cols && strcmp(x->name[c], name) != 0) c++;
    return c;
}

static const char *word_of(double least, double most, double nothing)
{
    return most <= nothing && least >= -nothing ? "none"
           : most <= nothing                    ? "<= 0"
           : least >= -nothing                  ? ">= 0"
                                                : "either";
}

/* x_dot of x, a_dot[1] of a[1] */
static const char *rate_name(const char *name, struct actio_arena *arena)
{
    size_t stem = strcspn(name, "[");
    return actio_arena_format(arena, "%.*s_dot%s", (int)stem, name, name + stem);
}

/* Beside coordinates a state's reaction is not a force: it enters a flow. Of states only, it is what the reaction of a
 * first-order system does [AS 43]. */
static bool is_no_force(const struct actio_model *m, const char *variable)
{
    for (size_t i = 0; m->coords && i < m->states; i++)
        if (strcmp(m->state[i].name, variable) == 0) return true;
    return false;
}

const char *actio_power_of_reactions(const struct actio_power_rows *x, struct actio_arena *arena)
{
    static const char prefix[] = "reaction.";
    double least = 0, most = 0, size = 0, *sum = actio_arena_array(arena, x->rows + 1, sizeof *sum);
    bool any = false;
    for (size_t c = 0; c < x->cols; c++) {
        if (strncmp(x->name[c], prefix, sizeof prefix - 1) != 0
            || is_no_force(x->model, x->name[c] + sizeof prefix - 1))
            continue;
        size_t rate = power_find(x, rate_name(x->name[c] + sizeof prefix - 1, arena));
        for (size_t r = 0; rate < x->cols && r < x->rows; r++) {
            double p = x->data[c][r] * x->data[rate][r];
            if (isfinite(p)) {
                sum[r] += p;
                size = fmax(size, fabs(p));
                any = true;
            }
        }
    }
    for (size_t r = 0; r < x->rows; r++) {
        least = fmin(least, sum[r]);
        most = fmax(most, sum[r]);
    }
    return any ? word_of(least, most, 1e-7 * size + 1e-12) : "";
}

const char *actio_power_of_column(const struct actio_power_rows *x, const char *column, double nothing)
{
    size_t c = power_find(x, column);
    double least = 0, most = 0;
    if (c >= x->cols) return "";
    for (size_t r = 0; r < x->rows; r++)
        if (isfinite(x->data[c][r])) {
            least = fmin(least, x->data[c][r]);
            most = fmax(most, x->data[c][r]);
        }
    return word_of(least, most, nothing);
}

/* ---- by principle, without running it */

struct asking {
    struct actio_problem *problem;
    struct actio_powers *out;
    double *column;
    struct actio_rows rows;
    struct actio_system *sys;
    struct actio_motion motion;
};

/* States that the motion visits, as far as they are known; the start without. */
static void power_fill(struct asking *a, const struct actio_motion *m, size_t count)
{
    const struct actio_problem *problem = a->problem;
    const struct actio_model *model = problem->model;
    size_t known = 2 * model->coords + model->states;
    for (size_t r = 0; r < count; r++) {
        const double *y = problem->visits ? problem->visited + r * known : problem->y0;
        for (size_t i = 0; i < m->ny; i++)
            a->rows.y[i * count + r] =
                i < known ? y[i]
                          : actio_model_number((struct actio_model *)model, model->constraint[i - known].start_lambda);
    }
}

static struct actio_power_rows view(struct asking *a, const struct actio_system *sys, size_t count)
{
    struct actio_arena *arena = &a->problem->arena;
    const char **name = actio_arena_array(arena, sys->output.columns + 1, sizeof *name);
    const double **data = actio_arena_array(arena, sys->output.columns + 1, sizeof *data);
    for (size_t c = 0; c < sys->output.columns; c++) {
        name[c] = sys->output.column[c].name;
        data[c] = a->column + c * count;
    }
    return (struct actio_power_rows){ sys->output.columns, count, name, data, a->problem->model };
}

/* Named forces do the same by every principle: beside the size of their terms. */
static void ask_forces(struct asking *a, const struct actio_power_rows *x)
{
    const struct actio_model *m = a->problem->model;
    double *size = actio_arena_array(&a->problem->arena, x->cols + 1, sizeof *size);
    a->out->force = actio_arena_array(&a->problem->arena, m->forces + 1, sizeof *a->out->force);
    if (actio_rows_terms(&a->rows, x->rows, size)) return;
    for (size_t k = 0; k < m->forces; k++) {
        if (!m->force[k].label) continue;
        const char *column = actio_arena_format(&a->problem->arena, "power.%s", m->force[k].label);
        size_t c = power_find(x, column);
        a->out->force[a->out->forces++] =
            (struct actio_power){ m->force[k].label,
                                  actio_power_of_column(x, column, c < x->cols ? 1e-9 * size[c] + 1e-12 : 0) };
    }
}

/* The rows of each side of switches in constraints, by themselves. */
static void ask_sides(struct asking *a, const struct actio_power_rows *x, const double *times)
{
    struct actio_problem *problem = a->problem;
    double way = problem->model->time.t1 < problem->model->time.t0 ? -1 : 1;
    const double **data = actio_arena_array(&problem->arena, x->cols + 1, sizeof *data);
    for (size_t i = 0; i < problem->sides; i++) {
        size_t from = 0, to;
        while (from < x->rows && (times[from] - problem->side[i].from) * way <= 0 && i) from++;
        for (to = from; to < x->rows; to++)
            if (i + 1 < problem->sides && (times[to] - problem->side[i + 1].from) * way >= 0) break;
        for (size_t c = 0; c < x->cols; c++) data[c] = x->data[c] + from;
        struct actio_power_rows part = { x->cols, to - from, x->name, data, x->model };
        problem->side[i].power = to > from ? actio_power_of_reactions(&part, &problem->arena) : NULL;
    }
}

/* The word of the system at work, "" when nothing can be said. */
static const char *ask(struct asking *a, struct actio_motion *m, bool forces)
{
    const struct actio_problem *problem = a->problem;
    size_t count = problem->visits ? problem->visits : 1;
    double *times = actio_arena_array(&a->problem->arena, count + 1, sizeof *times);
    const char *word = "";
    for (size_t r = 0; r < count; r++)
        times[r] = problem->visits ? problem->visited_at[r] : problem->model->time.given ? problem->model->time.t0 : 0;
    if (actio_rows_open(&a->rows, m, times, count, problem->model->time.t1 < problem->model->time.t0)) return word;
    a->column = actio_rows_columns(&a->rows, count);
    power_fill(a, m, count);
    if (a->column) {
        actio_rows_evaluate(&a->rows, count, a->column, count, true);
        struct actio_power_rows x = view(a, m->sys, count);
        word = actio_power_of_reactions(&x, &a->problem->arena);
        if (forces) ask_forces(a, &x);
        if (forces) ask_sides(a, &x, times);
    }
    actio_free(problem->ctx, a->column);
    actio_rows_close(&a->rows);
    a->column = NULL;
    return word;
}

/* Does the law of a motion of its own apply, as a run would find? */
static bool goes_by(struct asking *a, const struct actio_law *law)
{
    const struct actio_problem *problem = a->problem;
    const char *why = NULL;
    double t0 = problem->model->time.given ? problem->model->time.t0 : 0;
    a->motion.chosen.resplit = problem->options.resplit;
    return !law || (actio_problem_try_law(&a->motion, law, t0, problem->y0, &why) == 0 && !why);
}

/* At the first of the states, where a split is taken anew. */
static bool begin_at_visits(struct asking *a, const struct actio_law *law)
{
    const struct actio_problem *problem = a->problem;
    double t = problem->visits ? problem->visited_at[0] : problem->model->time.given ? problem->model->time.t0 : 0;
    const double *y = problem->visits ? problem->visited : problem->y0;
    if (law) actio_motion_take_sides(&a->motion, t, y);
    return !law || !law->rebase || law->rebase(&a->motion, t, y) == 0;
}

/* A principle with equations or a law of its own, at the same states. NULL: it does not apply. */
static const char *ask_other(struct asking *a, const struct actio_principle *p)
{
    struct actio_problem *problem = a->problem;
    const char *word = NULL;
    if (!(a->sys = actio_system_form(problem->ctx, problem->model, p->form))) return word;
    if (actio_problem_open_motion(problem, &a->motion, a->sys) == 0 && goes_by(a, p->law))
        word = begin_at_visits(a, p->law) ? ask(a, &a->motion, false) : "";
    actio_motion_close(&a->motion);
    actio_system_free(a->sys);
    a->sys = NULL;
    return word;
}

/* One whose motion is d'Alembert's: his word, where its law applies. */
static const char *ask_same(struct asking *a, const struct actio_principle *p, const char *ideal)
{
    struct actio_problem *problem = a->problem;
    if (!p->law) return ideal;
    bool fits = actio_problem_open_motion(problem, &a->motion, problem->sys) == 0;
    if (fits && problem->motion.rows.rank < problem->sys->p) { /* as it was found redundant */
        a->motion.rows.rank = problem->motion.rows.rank;
        a->motion.rows.numeric = problem->motion.rows.numeric;
        actio_saddle_expect_rank(a->motion.saddle, problem->motion.rows.rank);
    }
    fits = fits && goes_by(a, p->law);
    actio_motion_close(&a->motion);
    return fits ? ideal : NULL;
}

/* They were computed roughly: onto the constraints, where reactions that do no work do none. */
static void power_settle(struct actio_problem *problem)
{
    for (size_t r = 0; problem->sys->levels && r < problem->visits; r++)
        actio_motion_project(&problem->motion, problem->visited_at[r], problem->visited + r * problem->motion.ny);
}

static void ask_all(void *user)
{
    struct asking *a = user;
    size_t count;
    const struct actio_principle *const *p = actio_principles(&count);
    power_settle(a->problem);
    const char *ideal = ask(a, &a->problem->motion, true);
    a->out->by = actio_arena_array(&a->problem->arena, count + 1, sizeof *a->out->by);
    for (size_t i = 0; a->problem->model->constraints && i < count; i++) {
        const struct actio_constraint *about;
        if (actio_problem_objection(a->problem, p[i], p[i], &about)) continue;
        const char *word = *p[i]->differs ? ask_other(a, p[i]) : ask_same(a, p[i], ideal);
        if (word) a->out->by[a->out->principles++] = (struct actio_power){ p[i]->name, word };
    }
}

int actio_check_powers(struct actio_problem *problem, struct actio_powers *out)
{
    struct asking a = { .problem = problem, .out = out };
    *out = (struct actio_powers){ 0 };
    int bad = actio_attempt(problem->ctx, ask_all, &a);
    actio_free(problem->ctx, a.column);
    actio_rows_close(&a.rows);
    actio_motion_close(&a.motion);
    actio_system_free(a.sys);
    return bad;
}
