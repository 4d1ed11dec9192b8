/* SPDX-License-Identifier: Apache-2.0
 * Soft walls of a run: checked options, a start where what lies on a wall is carried by it, the smallest width that keeps the tolerance. */
#include "run.h"
#include "algebra/dense.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

static const double root_two_pi = 2.5066282746310002;
enum { MOST_WIDTHS = 16 };

static void say_elastic(struct actio_run *run)
{
    for (size_t i = 0; i < run->model->contacts; i++) {
        const struct actio_contact *c = &run->model->contact[i];
        bool elastic = actio_is_const(&run->model->pool, c->restitution) && actio_model_number(run->model, c->restitution) == 1;
        if (!elastic) actio_find_at(run->f, ACTIO_F_SOFT_ELASTIC, &run->model->source, c->span, ACTIO_ARGS(ACTIO_TEXT(c->label)));
    }
}

/* Where V delta(gap) is the force that a hard wall has: sigma sqrt(2 ln(V/(sqrt(2 pi) sigma N))). */
static double offset(struct actio_run *run, size_t i, double force)
{
    double sigma = run->options.sigma, V = run->options.barrier, most = V / (root_two_pi * sigma);
    if (force < most) return sigma * sqrt(2 * log(most / force));
    actio_find_at(run->f, ACTIO_F_SOFT_WEAK, &run->model->source, run->model->contact[i].span,
                  ACTIO_ARGS(ACTIO_TEXT(run->model->contact[i].label), ACTIO_NUMBER(sigma), ACTIO_NUMBER(V), ACTIO_NUMBER(most), ACTIO_NUMBER(force)));
    return NAN;
}

/* Positions with gaps `wanted` (NAN: whatever it is), along the answers to forces of the walls. */
static void move_off(struct actio_contacts *c, double t, double *y, const double *wanted)
{
    for (int round = 0; round < 20; round++) {
        size_t k = 0;
        double defect, most = 0;
        if (actio_contacts_at(c, t, y)) return;
        for (size_t i = 0; i < c->contacts; i++)
            if (!isnan(wanted[i])) c->unknown[k++].index = (uint32_t)i;
        for (size_t u = 0; u < k; u++) {
            size_t i = c->unknown[u].index;
            c->b[u] = wanted[i] - actio_gap_of(c, i)[ACTIO_GAP_VALUE];
            most = fmax(most, fabs(c->b[u]) / wanted[i]);
            for (size_t w = 0; w < k; w++) c->M[u * k + w] = actio_dot(c->n, actio_column_row(c, i), actio_contacts_answer(c, c->unknown[w].index));
        }
        actio_min_norm(k, k, c->M, c->b, 1e-10, c->force, &defect, c->work, c->iwork);
        for (size_t u = 0; u < k; u++)
            for (size_t j = 0; j < c->n; j++) y[j] += c->force[u] * actio_contacts_answer(c, c->unknown[u].index)[j];
        if (most < 1e-15) return;
    }
}

/* What hard walls hold at the start goes to where soft ones hold it. */
static void find_offsets(struct actio_run *run, struct actio_contacts *c)
{
    double t = run->model->has_time ? run->model->t0 : 0, *y = actio_arena_array(&run->arena, run->ny + 1, sizeof *y);
    double *wanted = actio_arena_array(&run->arena, c->contacts + 1, sizeof *wanted);
    bool any = false;
    memcpy(y, run->y0, run->ny * sizeof *y);
    if (c->m->flow.enter(c->m, t, y) || actio_contacts_at(c, t, y) || actio_contacts_solve(c, &c->now)) return;
    for (size_t i = 0; i < c->contacts; i++) {
        wanted[i] = c->now.closed[i] && c->normal[i] > 0 ? offset(run, i, c->normal[i]) : NAN;
        any |= !isnan(wanted[i]);
    }
    if (!any || run->f->errors) return;
    for (size_t i = 0; i < c->contacts; i++)
        if (!isnan(wanted[i])) actio_find_at(run->f, ACTIO_F_SOFT_START, &run->model->source, run->model->contact[i].span, ACTIO_ARGS(ACTIO_TEXT(run->model->contact[i].label), ACTIO_NUMBER(wanted[i])));
    run->projected = true;
    move_off(c, t, y, wanted);
    memcpy(run->y0, y, run->model->coords * sizeof *y);
}

int actio_run_soften(struct actio_run *run)
{
    struct actio_model *model = run->model;
    const struct actio_run_options *o = &run->options;
    model->sigma = model->barrier = 0;
    if (!(o->sigma > 0) && !(o->barrier > 0)) return 0;
    if (!(o->sigma > 0) || !(o->barrier > 0)) return actio_find(run->f, ACTIO_F_NO_BARRIER, ACTIO_ARGS(ACTIO_TEXT(o->sigma > 0 ? "a width" : "a height"))), 1;
    if (model->contacts == 0) return actio_find(run->f, ACTIO_F_NO_WALLS, ACTIO_NO_ARGS), 0;
    struct actio_system *hard = actio_system_form(run->ctx, model, actio_form_dalembert);
    struct actio_motion m;
    if (!hard) return 1;
    if (actio_motion_open(&m, run->ctx, hard, run->param) == 0) {
        m.span = model->t1 - model->t0;
        actio_motion_begin(&m, model->t0, run->y0);
        find_offsets(run, m.contacts);
        actio_motion_close(&m);
    }
    actio_system_free(hard);
    if (run->f->errors) return 1;
    say_elastic(run);
    model->sigma = o->sigma, model->barrier = o->barrier;
    return 0;
}

/* ---- the width by itself */

/* Does a run with this width keep the tolerance, and its energy where nothing takes any? */
static bool width_keeps(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, double sigma)
{
    struct actio_run_options trial = *options;
    struct actio_findings silent;
    trial.sigma = sigma, trial.sigma_auto = false;
    actio_findings_open(&silent, ctx);
    struct actio_table *t = actio_run(ctx, model, &trial, &silent);
    bool conservative = model->forces == 0 && actio_is_zero(model->dissipation), good = t && !actio_run_failed(&silent);
    for (size_t i = 0; i < model->contacts; i++) conservative &= !model->contact[i].friction.given;
    size_t energy = good && conservative ? actio_table_find(t, "energy") : 0;
    if (good && energy && energy < t->cols && t->rows) good = t->energy_drift <= options->tol * fmax(1, fabs(t->data[energy][0]));
    actio_table_free(t);
    actio_findings_close(&silent);
    return good;
}

double actio_run_find_sigma(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options)
{
    double width = 0.1, best = 0;
    for (int i = 0; i < MOST_WIDTHS && !actio_stopped(ctx); i++, width /= 2) {
        if (width_keeps(ctx, model, options, width)) best = width;
        else if (best > 0) break;
    }
    return best;
}
