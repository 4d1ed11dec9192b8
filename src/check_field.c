/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a model with fields, each word with its evidence.                                                    [HAMEL E] */
#include "check_field.h"
#include "field_look.h"
#include "result/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 400, FEW_CELLS = 16, MOST_CELLS = 128 };  /* unknowns of a dense look; cells where the model has too many for it, and at most */

/* As many cells as the model has, where all of them can be looked at. */
static size_t cells_for(const struct actio_run *run)
{
    size_t cells = 0;
    for (size_t a = 0; a < run->model->axes; a++) cells = run->model->axis[a].nodes - 1 > cells ? run->model->axis[a].nodes - 1 : cells;
    return run->sys->n + run->sys->p <= LARGEST && cells <= MOST_CELLS ? cells : cells < FEW_CELLS ? cells : FEW_CELLS;
}

static bool has_transport(const struct actio_model *m)
{
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].axis && m->constraint[k].kind == ACTIO_VELOCITY) return true;
    return false;
}

static const char *list_redundant(struct actio_run *run, const struct actio_field_look *l, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < run->model->constraints && k < ACTIO_FIELD_NAMED && used + 80 < size; k++)
        if (l->redundant[k]) used += (size_t)snprintf(text + used, size - used, "%s%zu of '%.40s'", used ? ", " : "", l->redundant[k], run->model->constraint[k].label);
    return text;
}

static void say_ranks(struct actio_run *run, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    char names[400];
    if (l->vanishing && l->start_rank == l->rank) {
        const struct actio_constraint *c = &run->model->constraint[l->vanishing - 1];
        actio_find_at(run->f, ACTIO_F_GRADIENT_VANISHES, &run->model->source, c->span,
                      ACTIO_ARGS(ACTIO_TEXT(c->label), ACTIO_TEXT(c->kind == ACTIO_HOLONOMIC ? "coordinates" : "velocities"), ACTIO_TEXT("write it without the square or other power that makes them vanish")));
        v->word = "singular";
        return;
    }
    if (l->least < l->rank) {
        bool start = l->start_rank < l->rank;
        actio_run_find(run, start ? ACTIO_F_FIELD_RANK_START : ACTIO_F_FIELD_RANK, ACTIO_ARGS(ACTIO_COUNT(l->rank), ACTIO_COUNT(l->least), ACTIO_TEXT(start ? "at the start" : l->least_shape == ACTIO_FIELD_STRAIGHT ? "where the line is straight" : "at other shapes"), ACTIO_COUNT(l->cells)));
        if (start) v->word = "singular";
    }
    if (l->rank < l->p) {
        actio_run_find(run, ACTIO_F_FIELD_REDUNDANT, ACTIO_ARGS(ACTIO_COUNT(l->p - l->rank), ACTIO_COUNT(l->p), ACTIO_COUNT(l->rank), ACTIO_TEXT(list_redundant(run, l, names, sizeof names)), ACTIO_COUNT(l->cells)));
        if (strcmp(v->word, "regular") == 0) v->word = "redundant";
    }
    if (l->dof <= 0) actio_run_find(run, ACTIO_F_FIELD_LOCKED, ACTIO_ARGS(ACTIO_COUNT(l->rank), ACTIO_COUNT(l->n - l->slaves), ACTIO_COUNT(l->cells)));
}

static void say_inertia(struct actio_run *run, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    if (l->kernel[2] <= 0 || l->start_rank < l->rank) return;
    actio_run_find(run, ACTIO_F_FIELD_NO_INERTIA, ACTIO_ARGS(ACTIO_COUNT(l->kernel[2]), ACTIO_COUNT(l->cells)));
    v->word = "undetermined";
}

/* Which field, at which end. */
static void say_limits(struct actio_run *run, const struct actio_field_look *l, struct actio_field_verdict *v)
{
    static const char *const ways[ACTIO_FIELD_WAYS] = { "12 and 24 cells", "13 and 25 cells", "rates taken at the right node of each cell", "rates taken at the left node of each cell" };
    const struct actio_model *m = run->model;
    const struct actio_field_limits *x = &v->limits;
    size_t field = 0, count = 0;
    for (; field < m->coords; field++) {
        if (!m->coord[field].axis) continue;
        if (count++ == x->value / 3) break;
    }
    const struct actio_axis *axis = &m->axis[m->coord[field].axis - 1];
    double place = x->value % 3 == 0 ? axis->a : x->value % 3 == 2 ? axis->b : 0.5 * (axis->a + axis->b);
    char where[80], seen[160];
    snprintf(where, sizeof where, "%.40s(%g)", m->coord[field].name, place);
    snprintf(seen, sizeof seen, "%.6g, %.6g by %s, but %.6g, %.6g by %s", x->seen[0], x->seen[1], ways[x->way[0]], x->seen[2], x->seen[3], ways[x->way[1]]);
    actio_run_find(run, ACTIO_F_FIELD_UNDETERMINED, ACTIO_ARGS(ACTIO_COUNT(l->dof), ACTIO_TEXT(axis->name), ACTIO_TEXT(where), ACTIO_NUMBER(x->duration), ACTIO_TEXT(seen)));
    v->word = "undetermined";
}

/* Constraints at every point that leave no more to move however many points there are: the rest is transported along the line. */
static void judge_transport(struct actio_run *run, struct actio_field_verdict *v)
{
    const struct actio_field_look *l = &v->look;
    if (!has_transport(run->model) || l->dof <= 0 || actio_field_ranks(run, 2 * l->cells, &v->finer) || v->finer.dof != l->dof) return;
    if (actio_field_refine(run, &v->limits)) return;
    v->refined = true;
    if (!v->limits.one) say_limits(run, l, v);
}

#define MORE 1.36                                          /* from one doubling of the cells to the next: what has a bound comes nearer to it */

/* Growth that goes on with every doubling, and with the nodes that the model has tells in its time. */
static void judge_growth(struct actio_run *run, struct actio_field_verdict *v)
{
    const struct actio_model *m = run->model;
    double time = m->has_time ? fabs(m->t1 - m->t0) : 1, cells = 12;
    for (size_t a = 0; a < m->axes; a++) cells = fmax(cells, (double)(m->axis[a].nodes - 1));
    v->growth[0] = actio_field_growth(run, 6), v->growth[1] = actio_field_growth(run, 12);
    if (!(v->growth[1] > 0 && v->growth[1] > MORE * v->growth[0])) return;
    double finer = actio_field_growth(run, 24);
    bool on = finer > MORE * v->growth[1] && v->growth[1] * pow(finer / v->growth[1], log2(cells / 12)) * time > 5;
    if (on) actio_run_find(run, ACTIO_F_FIELD_ILL_POSED, ACTIO_ARGS(ACTIO_NUMBER(v->growth[0]), ACTIO_NUMBER(v->growth[1]), ACTIO_NUMBER(finer)));
}

static bool moves(const struct actio_field_verdict *v) { return strcmp(v->word, "regular") == 0 || strcmp(v->word, "redundant") == 0; }

void actio_field_judge(struct actio_run *run, bool judging, struct actio_field_verdict *v)
{
    *v = (struct actio_field_verdict){ .word = "regular", .growth = { NAN, NAN } };
    if (actio_field_ranks(run, cells_for(run), &v->look)) {
        if (v->look.n && judging) v->word = "contradictory", actio_run_find(run, ACTIO_F_FIELD_CONTRADICTORY, ACTIO_NO_ARGS);
        return;
    }
    v->looked = true;
    say_ranks(run, &v->look, v);
    say_inertia(run, &v->look, v);
    if (moves(v)) judge_transport(run, v);
    if (judging && moves(v)) judge_growth(run, v);
}

/* ---- the report of check */

static void write_json(struct actio_run *run, const struct actio_field_verdict *v, bool consistent, struct actio_text *t)
{
    const struct actio_field_look *l = &v->look;
    const struct actio_system *sys = run->sys;
    bool own = l->n == sys->n;
    size_t rank = own ? l->rank : sys->p - (l->p - l->rank), listed = 0;
    actio_text_format(t, "\"verdict\": \"%s\", \"coordinates\": %zu, \"states\": 0, \"constraints\": %zu, \"rank\": %zu", v->word, sys->n, sys->p, rank);
    actio_text_format(t, ", \"inertia\": [%d, %d, %d], \"kernel_inertia\": [%d, %d, %d], \"regular\": %s, \"hidden\": []", l->inertia[0], l->inertia[1], l->inertia[2], l->kernel[0], l->kernel[1], l->kernel[2],
                      strcmp(v->word, "regular") == 0 ? "true" : "false");
    actio_text_format(t, ", \"free_data\": %ld, \"naive_free_data\": %ld", 2 * (long)(sys->n - sys->slaves) - (long)rank - (long)sys->holonomic, 2 * (long)(sys->n - sys->slaves) - (long)sys->levels - (long)sys->holonomic);
    actio_text_add(t, ", \"holonomic\": null, \"nonholonomic\": null, \"redundant\": [");
    for (size_t k = 0; k < run->model->constraints && k < ACTIO_FIELD_NAMED; k++) {
        if (!l->redundant[k]) continue;
        actio_text_add(t, listed++ ? ", " : "");
        actio_json_string(t, run->model->constraint[k].label);
    }
    actio_text_format(t, "], \"singular_at\": [], \"start\": {\"consistent\": %s, \"violations\": [], \"nearest\": null}", consistent ? "true" : "false");
    actio_text_format(t, ", \"samples\": %zu, \"proved\": false, \"degrees_of_freedom\": %ld, \"cells\": %zu", l->samples, own ? l->dof : (long)(sys->n - sys->slaves) - (long)rank, l->cells);
    actio_text_format(t, ", \"rank_least\": %zu, \"growth\": [", l->least);
    actio_json_number(t, v->growth[0]), actio_text_add(t, ", "), actio_json_number(t, v->growth[1]);
    actio_text_format(t, "], \"one_limit\": %s", !v->refined ? "null" : v->limits.one ? "true" : "false");
}

/* With each number of cells; nothing where neither was found. */
static void text_growth(struct actio_text *t, const double growth[2])
{
    static const char *const with[] = { "%s with 6 cells, ", "%s with 12\n" };
    if (!isfinite(growth[0]) && !isfinite(growth[1])) return;
    actio_text_add(t, "fastest growth at the start: ");
    for (size_t i = 0; i < 2; i++) {
        char number[32] = "not found";
        if (isfinite(growth[i])) snprintf(number, sizeof number, "%.3g", growth[i]);
        actio_text_format(t, with[i], number);
    }
}

static void write_text(struct actio_run *run, const struct actio_field_verdict *v, struct actio_text *t)
{
    const struct actio_system *sys = run->sys;
    const struct actio_field_look *l = &v->look;
    for (size_t a = 0; a < sys->axes; a++) actio_text_format(t, "axis %s: %zu nodes from %g to %g\n", run->model->axis[a].name, sys->axis[a].nodes, sys->axis[a].a, sys->axis[a].b);
    actio_text_format(t, "%zu values, %zu rows of constraints\n", sys->n - sys->slaves, sys->p);
    if (!v->looked) { actio_text_add(t, "rank and degrees of freedom could not be looked at\n"); return; }
    actio_text_format(t, "with %zu cells: %zu values, rank %zu of %zu rows, %ld degrees of freedom at %zu shapes\n", l->cells, l->n - l->slaves, l->rank, l->p, l->dof, l->samples);
    actio_text_format(t, "kinetic energy: %d positive, %d negative, %d zero directions\n", l->inertia[0], l->inertia[1], l->inertia[2]);
    if (v->refined) actio_text_format(t, "N, N+1, 2N, 2N+1 cells and rates at either node of a cell %s\n", v->limits.one ? "go to one limit" : "do not go to one limit");
    text_growth(t, v->growth);
}

struct reporting { struct actio_run *run; const struct actio_field_verdict *v; struct actio_verdict_report *out; bool consistent; };

static void write_report(void *user)
{
    struct reporting *r = user;
    struct actio_text json, text;
    actio_text_open(&json, &r->run->model->arena), actio_text_open(&text, &r->run->model->arena);
    write_json(r->run, r->v, r->consistent, &json);
    write_text(r->run, r->v, &text);
    r->out->verdict = r->v->word, r->out->json = json.s, r->out->text = text.s;
    r->out->but = r->run->f->errors == 0 ? NULL : r->consistent ? "there is an error" : "cannot start";
}

int actio_check_fields(struct actio_run *run, struct actio_verdict_report *out)
{
    struct actio_field_verdict v;
    if (actio_run_form_fields(run)) return 1;
    int start = actio_run_put_on_constraints(run);
    if (start == ACTIO_NOT_SETTLED) v = (struct actio_field_verdict){ .word = "undetermined", .growth = { NAN, NAN } };
    else actio_field_judge(run, true, &v);
    return actio_attempt(run->ctx, write_report, &(struct reporting){ run, &v, out, start == 0 });
}
