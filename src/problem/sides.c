/* SPDX-License-Identifier: Apache-2.0
 * Sides of switches in the rows of constraints: ranks, and rows that restrict nothing, from one to the next along the
 * rough motion. */
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { MOST_SIDES = 24 };
#define NOTHING 1e-12 /* of the longest row: a row shorter than this restricts nothing */

/* The last state that was visited before this time. */
static size_t visit_before(const struct actio_problem *problem, double t)
{
    size_t r = 0;
    double way = problem->motion.span < 0 ? -1 : 1;
    while (r + 1 < problem->visits && (t - problem->visited_at[r + 1]) * way >= 0) r++;
    return r;
}

static void note_rows(struct actio_problem *problem, const double *values, struct actio_problem_side *side)
{
    const struct actio_system *sys = problem->sys;
    double longest = 0, *length = actio_arena_array(&problem->arena, sys->p + 1, sizeof *length);
    for (size_t i = 0; i < sys->A.count; i++)
        length[sys->A.row[i]] = hypot(length[sys->A.row[i]], values[sys->G.count + i]);
    for (size_t k = 0; k < sys->p; k++) longest = fmax(longest, length[k]);
    side->off = actio_arena_array(&problem->arena, sys->p + 1, sizeof *side->off);
    for (size_t k = 0; k < sys->p; k++) {
        side->off[k] = length[k] <= NOTHING * longest;
        side->acting += !side->off[k];
    }
}

/* After a change of modes, at the last state visited before the next one: where it is not, ranks of rows that are
 * linear in velocities still are. */
static bool look_at_side(struct actio_problem *problem, size_t change, struct actio_problem_side *side)
{
    struct actio_motion *m = &problem->motion;
    bool last = change + 1 == m->history.changes;
    double from = m->history.change[change].t, to = last ? problem->model->time.t1 : m->history.change[change + 1].t;
    size_t r = visit_before(problem, 0.5 * (from + to));
    const double *mode = actio_motion_modes_at(m, from, m->span < 0);
    memcpy(m->here.mode, mode, m->sys->switches.count * sizeof *mode);
    const double *values = actio_motion_values(m, 0.5 * (from + to), problem->visited + r * problem->ny);
    if (!values) return false;
    *side = (struct actio_problem_side){ .from = from };
    note_rows(problem, values, side);
    actio_saddle_expect_rank(m->saddle, m->p);
    actio_saddle_factor(m->saddle, values);
    side->rank = actio_saddle_rank(m->saddle, NULL);
    actio_saddle_expect_rank(m->saddle, m->rows.rank);
    return true;
}

static bool same_side(const struct actio_problem *problem, const struct actio_problem_side *a,
                      const struct actio_problem_side *b)
{
    return a->rank == b->rank && memcmp(a->off, b->off, problem->sys->p * sizeof *a->off) == 0;
}

void actio_problem_note_sides(struct actio_problem *problem)
{
    struct actio_motion *m = &problem->motion;
    if (!m->sys->is.switched || m->p == 0 || m->history.changes < 2 || problem->visits == 0) return;
    struct actio_problem_side *side = actio_arena_array(&problem->arena, MOST_SIDES, sizeof *side), here;
    size_t sides = 0;
    for (size_t k = 0; k < m->history.changes && sides < MOST_SIDES; k++) {
        if (actio_overdue(problem->ctx) || !look_at_side(problem, k, &here)) return;
        if (sides == 0 || !same_side(problem, &here, &side[sides - 1])) side[sides++] = here;
    }
    problem->side = side;
    problem->sides = sides > 1 ? sides : 0;
}

const char *actio_problem_off_text(struct actio_problem *problem, size_t k)
{
    struct actio_text t;
    size_t listed = 0;
    actio_text_open(&t, &problem->arena);
    for (size_t s = 0; s < problem->sides; s++) {
        size_t end = s + 1;
        if (!problem->side[s].off[k]) continue;
        while (end < problem->sides && problem->side[end].off[k]) end++;
        if (s == 0 && end == problem->sides) return NULL; /* everywhere */
        actio_text_add(&t, listed++ ? ", " : "");
        if (s == 0) actio_text_format(&t, "until t = %.6g", problem->side[end].from);
        else if (end == problem->sides) actio_text_format(&t, "from t = %.6g on", problem->side[s].from);
        else actio_text_format(&t, "from t = %.6g to %.6g", problem->side[s].from, problem->side[end].from);
        s = end - 1;
    }
    return listed ? t.s : NULL;
}
