/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model with fields, as findings, each word with its evidence.  [HAMEL E] */
#include "problem/field_look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* unknowns of a dense look; cells where the model has too many for it, and at most */
enum { LARGEST = 400, FEW_CELLS = 16, MOST_CELLS = 128 };

/* As many cells as the model has, where all of them can be looked at. */
static size_t cells_for(const struct actio_problem *problem)
{
    size_t cells = 0;
    for (size_t a = 0; a < problem->model->field.axes; a++)
        cells = problem->model->field.axis[a].nodes - 1 > cells ? problem->model->field.axis[a].nodes - 1 : cells;
    return problem->sys->n + problem->sys->p <= LARGEST && cells <= MOST_CELLS ? cells
           : cells < FEW_CELLS                                                 ? cells
                                                                               : FEW_CELLS;
}

static bool has_transport(const struct actio_model *m)
{
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].axis && m->constraint[k].kind == ACTIO_VELOCITY) return true;
    return false;
}

static const char *list_redundant(struct actio_problem *problem, const struct actio_field_look *l, char *text,
                                  size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < problem->model->constraints && k < ACTIO_FIELD_NAMED && used + 80 < size; k++)
        if (l->redundant[k])
            used += (size_t)snprintf(text + used, size - used, "%s%zu of '%.40s'", used ? ", " : "", l->redundant[k],
                                     problem->model->constraint[k].label);
    return text;
}

static void say_ranks(struct actio_problem *problem, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    char names[400];
    if (l->vanishing && l->start_rank == l->rank) {
        const struct actio_constraint *c = &problem->model->constraint[l->vanishing - 1];
        actio_report_at(problem->f, ACTIO_F_GRADIENT_VANISHES, &problem->model->source, c->span,
                        ACTIO_ARGS(ACTIO_TEXT(c->label),
                                   ACTIO_TEXT(c->kind == ACTIO_HOLONOMIC ? "coordinates" : "velocities"),
                                   ACTIO_TEXT("write it without the square or other power")));
        v->word = "singular";
        return;
    }
    if (l->least < l->rank) {
        bool start = l->start_rank < l->rank;
        actio_problem_report(
            problem, start ? ACTIO_F_FIELD_RANK_START : ACTIO_F_FIELD_RANK,
            ACTIO_ARGS(ACTIO_COUNT(l->rank), ACTIO_COUNT(l->least),
                       ACTIO_TEXT(start                                    ? "at the start"
                                  : l->least_shape == ACTIO_FIELD_STRAIGHT ? "where the line is straight"
                                                                           : "at other shapes"),
                       ACTIO_COUNT(l->cells)));
        if (start) v->word = "singular";
    }
    if (l->rank < l->p) {
        actio_problem_report(problem, ACTIO_F_FIELD_REDUNDANT,
                             ACTIO_ARGS(ACTIO_COUNT(l->p - l->rank), ACTIO_COUNT(l->p), ACTIO_COUNT(l->rank),
                                        ACTIO_TEXT(list_redundant(problem, l, names, sizeof names)),
                                        ACTIO_COUNT(l->cells)));
        if (strcmp(v->word, "regular") == 0) v->word = "redundant";
    }
    if (l->dof <= 0)
        actio_problem_report(problem, ACTIO_F_FIELD_LOCKED,
                             ACTIO_ARGS(ACTIO_COUNT(l->rank), ACTIO_COUNT(l->n - l->slaves), ACTIO_COUNT(l->cells)));
}

static void say_inertia(struct actio_problem *problem, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    if (l->kernel[2] <= 0 || l->start_rank < l->rank) return;
    actio_problem_report(problem, ACTIO_F_FIELD_NO_INERTIA,
                         ACTIO_ARGS(ACTIO_COUNT(l->kernel[2]), ACTIO_COUNT(l->cells)));
    v->word = "undetermined";
}

/* Which field, at which end. */
static void say_limits(struct actio_problem *problem, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    static const char *const ways[ACTIO_FIELD_WAYS] = { "12 and 24 cells", "13 and 25 cells",
                                                        "rates taken at the right node of each cell",
                                                        "rates taken at the left node of each cell" };
    const struct actio_model *m = problem->model;
    const struct actio_field_limits *x = &v->limits;
    size_t field = 0, count = 0;
    for (; field < m->coords; field++) {
        if (!m->coord[field].axis) continue;
        if (count++ == x->value / 3) break;
    }
    const struct actio_axis *axis = &m->field.axis[m->coord[field].axis - 1];
    double place = x->value % 3 == 0 ? axis->a : x->value % 3 == 2 ? axis->b : 0.5 * (axis->a + axis->b);
    char where[80], seen[160];
    snprintf(where, sizeof where, "%.40s(%g)", m->coord[field].name, place);
    snprintf(seen, sizeof seen, "%.6g, %.6g by %s, but %.6g, %.6g by %s", x->seen[0], x->seen[1], ways[x->way[0]],
             x->seen[2], x->seen[3], ways[x->way[1]]);
    actio_problem_report(problem, ACTIO_F_FIELD_UNDETERMINED,
                         ACTIO_ARGS(ACTIO_COUNT(l->dof), ACTIO_TEXT(axis->name), ACTIO_TEXT(where),
                                    ACTIO_NUMBER(x->duration), ACTIO_TEXT(seen)));
    v->word = "undetermined";
}

/* Constraints at every point that leave no more to move however many points there are: the rest is transported along
 * the line. */
static void judge_transport(struct actio_problem *problem, struct actio_field_verdict *v)
{
    const struct actio_field_look *l = &v->look;
    if (!has_transport(problem->model) || l->dof <= 0 || actio_field_ranks(problem, 2 * l->cells, &v->finer)
        || v->finer.dof != l->dof)
        return;
    if (actio_field_refine(problem, &v->limits)) return;
    v->refined = true;
    if (!v->limits.one) say_limits(problem, l, v);
}

#define MORE 1.36 /* from one doubling of the cells to the next: what has a bound comes nearer to it */

/* Growth that continues with every doubling, and matters within the model's time at its number of nodes. */
static void judge_growth(struct actio_problem *problem, struct actio_field_verdict *v)
{
    const struct actio_model *m = problem->model;
    double time = m->time.given ? fabs(m->time.t1 - m->time.t0) : 1, cells = 12;
    for (size_t a = 0; a < m->field.axes; a++) cells = fmax(cells, (double)(m->field.axis[a].nodes - 1));
    v->growth[0] = actio_field_growth(problem, 6);
    v->growth[1] = actio_field_growth(problem, 12);
    if (!(v->growth[1] > 0 && v->growth[1] > MORE * v->growth[0])) return;
    double finer = actio_field_growth(problem, 24);
    bool on = finer > MORE * v->growth[1] && v->growth[1] * pow(finer / v->growth[1], log2(cells / 12)) * time > 5;
    if (on)
        actio_problem_report(problem, ACTIO_F_FIELD_ILL_POSED,
                             ACTIO_ARGS(ACTIO_NUMBER(v->growth[0]), ACTIO_NUMBER(v->growth[1]), ACTIO_NUMBER(finer)));
}

static bool moves(const struct actio_field_verdict *v)
{
    return strcmp(v->word, "regular") == 0 || strcmp(v->word, "redundant") == 0;
}

void actio_field_judge(struct actio_problem *problem, bool judging, struct actio_field_verdict *v)
{
    *v = (struct actio_field_verdict){ .word = "regular", .growth = { NAN, NAN } };
    if (actio_field_ranks(problem, cells_for(problem), &v->look)) {
        if (v->look.n && judging) {
            v->word = "contradictory";
            actio_problem_report(problem, ACTIO_F_FIELD_CONTRADICTORY, ACTIO_NO_ARGS);
        }
        return;
    }
    v->looked = true;
    say_ranks(problem, &v->look, v);
    say_inertia(problem, &v->look, v);
    if (moves(v)) judge_transport(problem, v);
    if (judging && moves(v)) judge_growth(problem, v);
}
