/* SPDX-License-Identifier: Apache-2.0
 * Columns that are not finite numbers in some row: nothing is claimed of them. The motion itself may be sound, so that
 * its rows stay. */
#include "run/run.h"

#include <math.h>
#include <string.h>

size_t actio_run_shown(const struct actio_run *run)
{
    const struct actio_outcome *o = &run->outcome;
    return run->problem.options.local > 0 || o->reached || o->status == ACTIO_FLOW_STOPPED ? o->rows : o->good_rows;
}

/* The first row in which a named column has a value that is not finite; `rows` where there is none. */
static size_t first_undefined(const struct actio_run *run, const struct actio_system_column *col, size_t rows)
{
    size_t first = rows;
    for (size_t k = 0; k < col->width; k++) {
        const double *x = actio_outcome_column(&run->outcome, col->first + k);
        for (size_t r = 0; r < first; r++)
            if (!isfinite(x[r])) first = r;
    }
    return first;
}

/* A multiplier that nothing determines at one instant is left open by the program itself, and what is made of it with
 * it. */
static bool multiplier_open(const struct actio_run *run, size_t row)
{
    const struct actio_system *sys = run->problem.sys;
    for (size_t c = 0; c < sys->output.named; c++)
        for (size_t k = 0; sys->output.column[c].role == ACTIO_ROLE_LAMBDA && k < sys->output.column[c].width; k++)
            if (isnan(actio_outcome_column(&run->outcome, sys->output.column[c].first + k)[row])) return true;
    return false;
}

static struct actio_span defined_place_of(const struct actio_run *run, const struct actio_system_column *col)
{
    const struct actio_model *m = run->problem.model;
    for (size_t i = 0; col->role == ACTIO_ROLE_OBSERVE && i < m->output.observes; i++)
        if (strcmp(m->output.observe[i].name, col->name) == 0) return m->output.observe[i].span;
    return (struct actio_span){ 0 };
}

size_t actio_run_say_undefined(struct actio_run *run)
{
    size_t rows = actio_run_shown(run), earliest = rows;
    for (size_t c = 0; c < run->problem.sys->output.named && run->outcome.column; c++) {
        const struct actio_system_column *col = &run->problem.sys->output.column[c];
        size_t row = first_undefined(run, col, rows);
        if (row == rows) continue;
        bool claims = run->problem.options.local <= 0 && !multiplier_open(run, row);
        /* said already: the motion itself has no value there */
        bool ended = run->outcome.status == ACTIO_FLOW_NAN && run->times[row] == run->outcome.t_stop;
        if (!ended)
            actio_report_at(run->problem.f, claims ? ACTIO_F_COLUMN_UNDEFINED : ACTIO_F_COLUMN_OPEN,
                            &run->problem.model->source, defined_place_of(run, col),
                            ACTIO_ARGS(ACTIO_TEXT(col->name), ACTIO_NUMBER(run->times[row])));
        if (claims && row < earliest) earliest = row;
    }
    return earliest;
}

bool actio_run_failed(const struct actio_findings *f)
{
    if (f->dropped) return true;
    for (size_t i = 0; i < f->count; i++)
        if (actio_finding_severity(&f->item[i]) == ACTIO_ERROR && f->item[i].code != ACTIO_F_COLUMN_UNDEFINED)
            return true;
    return false;
}
