/* SPDX-License-Identifier: Apache-2.0
 * The report of `check` on a model with fields. */
#include "check/fields.h"
#include "problem/field_look.h"
#include "result/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_json(struct actio_problem *problem, const struct actio_field_verdict *v, bool consistent,
                       struct actio_text *t)
{
    const struct actio_field_look *l = &v->look;
    const struct actio_system *sys = problem->sys;
    bool own = l->n == sys->n;
    size_t rank = own ? l->rank : sys->p - (l->p - l->rank), listed = 0;
    actio_text_format(t,
                      "\"verdict\": \"%s\", \"coordinates\": %zu, \"states\": 0, \"constraints\": %zu, \"rank\": %zu",
                      v->word, sys->n, sys->p, rank);
    actio_text_format(t,
                      ", \"inertia\": [%d, %d, %d], \"kernel_inertia\": [%d, %d, %d], \"regular\": %s, \"hidden\": []",
                      l->inertia[0], l->inertia[1], l->inertia[2], l->kernel[0], l->kernel[1], l->kernel[2],
                      strcmp(v->word, "regular") == 0 ? "true" : "false");
    actio_text_format(t, ", \"free_data\": %ld, \"naive_free_data\": %ld",
                      2 * (long)(sys->n - sys->field.slaves) - (long)rank - (long)sys->holonomic,
                      2 * (long)(sys->n - sys->field.slaves) - (long)sys->levels - (long)sys->holonomic);
    actio_text_add(t, ", \"holonomic\": null, \"nonholonomic\": null, \"redundant\": [");
    for (size_t k = 0; k < problem->model->constraints && k < ACTIO_FIELD_NAMED; k++) {
        if (!l->redundant[k]) continue;
        actio_text_add(t, listed++ ? ", " : "");
        actio_json_string(t, problem->model->constraint[k].label);
    }
    actio_text_format(t,
                      "], \"singular_at\": [], \"start\": {\"consistent\": %s, \"violations\": [], \"nearest\": null}",
                      consistent ? "true" : "false");
    actio_text_format(t, ", \"samples\": %zu, \"proved\": false, \"degrees_of_freedom\": %ld, \"cells\": %zu",
                      l->samples, own ? l->dof : (long)(sys->n - sys->field.slaves) - (long)rank, l->cells);
    actio_text_format(t, ", \"rank_least\": %zu, \"growth\": [", l->least);
    actio_json_number(t, v->growth[0]);
    actio_text_add(t, ", ");
    actio_json_number(t, v->growth[1]);
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

static void write_text(struct actio_problem *problem, const struct actio_field_verdict *v, struct actio_text *t)
{
    const struct actio_system *sys = problem->sys;
    const struct actio_field_look *l = &v->look;
    for (size_t a = 0; a < sys->field.axes; a++)
        actio_text_format(t, "axis %s: %zu nodes from %g to %g\n", problem->model->field.axis[a].name,
                          sys->field.axis[a].nodes, sys->field.axis[a].a, sys->field.axis[a].b);
    actio_text_format(t, "%zu values, %zu rows of constraints\n", sys->n - sys->field.slaves, sys->p);
    if (!v->looked) {
        actio_text_add(t, "rank and degrees of freedom not determined\n");
        return;
    }
    actio_text_format(t, "with %zu cells: %zu values, rank %zu of %zu rows, %ld degrees of freedom at %zu shapes\n",
                      l->cells, l->n - l->slaves, l->rank, l->p, l->dof, l->samples);
    actio_text_format(t, "kinetic energy: %d positive, %d negative, %d zero directions\n", l->inertia[0], l->inertia[1],
                      l->inertia[2]);
    if (v->refined)
        actio_text_format(t, "N, N+1, 2N, 2N+1 cells and rates at either node of a cell %s\n",
                          v->limits.one ? "converge to one limit" : "do not converge to one limit");
    text_growth(t, v->growth);
}

struct reporting {
    struct actio_problem *problem;
    const struct actio_field_verdict *v;
    struct actio_verdict_report *out;
    bool consistent;
};

static void write_report(void *user)
{
    struct reporting *r = user;
    struct actio_text json, text;
    actio_text_open(&json, &r->problem->model->arena);
    actio_text_open(&text, &r->problem->model->arena);
    write_json(r->problem, r->v, r->consistent, &json);
    write_text(r->problem, r->v, &text);
    r->out->verdict = r->v->word;
    r->out->json = json.s;
    r->out->text = text.s;
    r->out->but = r->problem->f->errors == 0 ? NULL : r->consistent ? "there is an error" : "cannot start";
}

int actio_check_fields(struct actio_problem *problem, struct actio_verdict_report *out)
{
    struct actio_field_verdict v;
    if (actio_problem_form_fields(problem)) return 1;
    int start = actio_problem_put_on_constraints(problem);
    if (start == ACTIO_NOT_SETTLED) v = (struct actio_field_verdict){ .word = "undetermined", .growth = { NAN, NAN } };
    else actio_field_judge(problem, true, &v);
    return actio_attempt(problem->ctx, write_report, &(struct reporting){ problem, &v, out, start == 0 });
}
