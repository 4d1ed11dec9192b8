/* SPDX-License-Identifier: Apache-2.0
 * Constraints that exclude each other: which of them do, at the start and at later times. Where the motion can't go on,
 * is there any state? */
#include "verdict/survey.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12, PACES = 64 };
#define FITS 1e-8     /* a state, against what its variables contribute */
#define ROUGHLY 1e-4  /* a state of the rough motion */
#define SHORTEST 1e-9 /* pace, of the interval */

/* Constraints that no state satisfies together: leave out what is not needed for the contradiction. */
static size_t leave_out(struct actio_surveying *s, uint32_t *id)
{
    struct actio_formation *F = s->F;
    size_t all = s->M.count, kept = all;
    actio_expr *c = actio_form_array(F, all, sizeof *c);
    double *y = actio_form_array(F, s->M.ny, sizeof *y);
    for (uint32_t i = 0; i < all; i++) {
        c[i] = s->M.c[i];
        id[i] = i;
    }
    for (size_t i = all; i-- > 0;) {
        s->M.added = 0;
        for (size_t j = 0; j < kept; j++)
            if (j != i) actio_manifold_add(&s->M, c[j]);
        actio_manifold_ready(&s->M);
        bool reached = false;
        for (int tries = 0; tries < 12 && !reached; tries++) {
            actio_survey_random(s, tries ? 0.1 * tries : 0, y);
            reached = actio_survey_reach(s, s->at, y) && actio_manifold_fits(&s->M, s->at, y, FITS);
        }
        if (reached) continue;
        memmove(c + i, c + i + 1, (kept - i - 1) * sizeof *c);
        memmove(id + i, id + i + 1, (kept - i - 1) * sizeof *id);
        kept--;
    }
    return kept;
}

void actio_find_contradiction(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    struct actio_formation *F = s->F;
    uint32_t *id = actio_form_array(F, s->M.count, sizeof *id), *set = actio_form_array(F, s->M.count, sizeof *set);
    size_t kept = leave_out(s, id);
    bool positions = true;
    size_t count = 0;
    for (size_t j = 0; j < kept; j++) {
        bool position = id[j] < F->sys.holonomic;
        positions = positions && position;
        if (id[j] >= F->sys.holonomic + F->sys.levels) continue; /* a hidden one: it follows from what is written */
        uint32_t k = position ? F->sys.position_row[id[j]] : F->sys.velocity_row[id[j] - F->sys.holonomic];
        bool known = false;
        for (size_t i = 0; i < count; i++) known = known || set[i] == k;
        if (!known) set[count++] = k;
    }
    v->contradiction = positions ? "positions" : "velocities";
    v->related.contradictory = actio_form_array(F, 1, sizeof *v->related.contradictory);
    v->related.contradictory[v->related.contradictories++] =
        (struct actio_relation){ .row = set, .rows = count, .text = "" };
}

/* ---- later */

/* A state at time t near y, on the sides of the switches that are in force there. */
static bool state_near(struct actio_surveying *s, double t, double *y)
{
    for (int turn = 0; turn < 3; turn++) {
        actio_manifold_take_sides(&s->M, t, y);
        if (!actio_survey_reach(s, t, y) || !actio_manifold_fits(&s->M, t, y, FITS)) return false;
        if (actio_manifold_on_sides(&s->M, t, y)) return true;
    }
    return false;
}

static void go_on(const struct actio_surveying *s, double h, const double *y, double *next)
{
    size_t n = s->F->n;
    memcpy(next, y, s->M.ny * sizeof *y);
    for (size_t i = 0; i < n; i++) next[i] += h * y[n + i];
}

/* From a state onward through time as far as there are states; false when there are to the end. */
static bool gets_stuck(struct actio_surveying *s, double *t, double *y)
{
    double span = s->box->t1 - s->t0, h = span / PACES, *next = actio_form_array(s->F, s->M.ny, sizeof *next);
    while (fabs(h) > SHORTEST * fabs(span)) {
        if (fabs(s->box->t1 - *t) <= SHORTEST * fabs(span)) return false;
        if (fabs(h) > fabs(s->box->t1 - *t)) h = s->box->t1 - *t;
        go_on(s, h, y, next);
        if (state_near(s, *t + h, next)) {
            *t += h;
            memcpy(y, next, s->M.ny * sizeof *y);
            if (fabs(h) < fabs(span) / PACES) h *= 2;
        } else h /= 2;
    }
    return true;
}

static bool any_state(struct actio_surveying *s, double t)
{
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y);
    for (int k = 0; k < 2 * TRIES; k++) {
        actio_survey_random(s, 1.0 * k / TRIES, y);
        if (state_near(s, t, y)) return true;
    }
    return false;
}

/* Rows that do not agree in the accelerations only, at a state with the sides that are taken. */
static void name_rows(struct actio_surveying *s, double t, double *y)
{
    struct actio_verdict *v = s->v;
    struct actio_sampled here = { &s->M, y, &t, 1 };
    v->related.redundants = 0;
    actio_find_relations(v, &here, &s->matrix);
    v->contradiction = "accelerations";
    v->related.contradictory = v->related.redundant;
    v->related.contradictories = v->related.redundants;
}

/* Where the motion was last seen on the manifold; false when that is to the end. A rough motion may well step over a
 * place where it ends. */
static bool motion_ends(struct actio_surveying *s, double *t, double *y)
{
    const struct actio_box *box = s->box;
    size_t ny = s->M.ny, last = 0;
    for (size_t i = 1; i < box->seeds; i++) {
        double when = s->t0 + (box->t1 - s->t0) * (double)i / (double)(box->rows - 1);
        actio_manifold_take_sides(&s->M, when, box->seed + i * ny);
        if (!actio_manifold_fits(&s->M, when, box->seed + i * ny, ROUGHLY)) break;
        last = i;
        *t = when;
    }
    if (last) memcpy(y, box->seed + last * ny, ny * sizeof *y);
    return last + 1 < box->rows;
}

/* A position row that jumps at a time: no motion passes it. */
static void name_jump(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    uint32_t *row = actio_form_array(s->F, 1, sizeof *row);
    *row = (uint32_t)s->box->jumped;
    v->word = ACTIO_VERDICT_contradictory;
    v->contradiction = "positions";
    v->jumps = v->later = true;
    v->later_from = s->box->t_end;
    v->related.contradictory = actio_form_array(s->F, 1, sizeof *v->related.contradictory);
    v->related.contradictory[0] = (struct actio_relation){ .row = row, .rows = 1, .text = "" };
    v->related.contradictories = 1;
}

/* Rows that the motion found to disagree are at fault wherever else there are states; otherwise there must be none at
 * all. */
void actio_find_later(struct actio_surveying *s)
{
    const struct actio_box *box = s->box;
    struct actio_verdict *v = s->v;
    size_t ny = s->M.ny;
    double span = box->t1 - s->t0, t = s->t0, *y = actio_form_array(s->F, 2 * ny, sizeof *y), *beyond = y + ny;
    if (box->jumped != SIZE_MAX) {
        name_jump(s);
        return;
    }
    if (s->F->p == 0 || span == 0 || !(s->rheonomic || s->F->sys.switches.count)) return;
    memcpy(y, s->y0, ny * sizeof *y);
    if (box->rows_disagreed) {
        t = box->t_end;
        memcpy(y, box->end, ny * sizeof *y);
    } else if (!motion_ends(s, &t, y) || !gets_stuck(s, &t, y)) return;
    double soon = fmin(1e-3 * fabs(span), fabs(box->t1 - t)) * (span > 0 ? 1 : -1);
    s->at = t + soon;
    if (!box->rows_disagreed && (any_state(s, s->at) || any_state(s, 0.5 * (t + box->t1)))) return;
    go_on(s, soon, y, beyond);
    actio_manifold_take_sides(&s->M, s->at, beyond);
    v->word = ACTIO_VERDICT_contradictory;
    v->later = true;
    v->later_from = t;
    if (actio_survey_reach(s, s->at, beyond) && actio_manifold_fits(&s->M, s->at, beyond, FITS))
        name_rows(s, s->at, beyond);
    else actio_find_contradiction(s);
}
