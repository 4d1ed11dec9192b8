/* SPDX-License-Identifier: Apache-2.0
 * Statements `every` and the interval: one that never happens, and one that happens more often than can be listed. */
#include "problem/problem.h"

#include <math.h>

#define MOST_TICKS 1e7 /* as many steps as a motion has at most */
enum { LISTS = 3 };    /* of instants: of this run, of the one before, and one that grows */

static double most_ticks(const struct actio_problem *problem)
{
    return fmin(MOST_TICKS, (double)(problem->ctx->bytes_limit / (LISTS * sizeof(struct actio_instant))));
}

/* How many of the times T0 + k T lie in the interval. */
static double count_ticks(const struct actio_model *m, double from, double period)
{
    double before = from < m->time.t0 ? ceil((m->time.t0 - from) / period) : 0;
    return fmax(0, floor((m->time.t1 - from) / period) + 1 - before);
}

int actio_problem_check_clocks(struct actio_problem *problem)
{
    struct actio_model *m = problem->model;
    double most = most_ticks(problem), all = 0;
    for (size_t i = 0; m->time.given && m->time.t0 <= m->time.t1 && i < m->resets.lines; i++) {
        const struct actio_reset_line *s = &m->resets.line[i];
        if (s->kind != ACTIO_EVERY) continue;
        double from = s->has_from ? actio_model_number(m, s->from) : m->time.t0,
               ticks = count_ticks(m, from, actio_model_number(m, s->period));
        struct actio_value name = ACTIO_TEXT(problem->sys->resets.statement[i].name);
        if (from > m->time.t1 + 1e-12 * fabs(m->time.t1))
            actio_report_at(problem->f, ACTIO_F_EVERY_LATE, &m->source, s->span, ACTIO_ARGS(name, ACTIO_NUMBER(from)));
        all += ticks;
        if (all <= most) continue;
        actio_report_at(problem->f, ACTIO_F_EVERY_TOO_OFTEN, &m->source, s->span,
                        ACTIO_ARGS(name, ACTIO_NUMBER(ticks), ACTIO_NUMBER(most)));
        return 1;
    }
    return 0;
}
