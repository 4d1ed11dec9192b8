/* SPDX-License-Identifier: Apache-2.0
 * Rows that depend on each other, seen from the states: does one of the constraints hold wherever the others do? Then
 * it can go. Where none does and yet their rows are dependent on all states nearby, the constraints touch each other
 * there.  [HAMEL H] */
#include "verdict/survey.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { TRIES = 9, ENOUGH = 3 };
#define HOLDS 1e-6 /* residual of a constraint that follows, against its row times the distance */
#define APART 1e-3 /* rows this far from dependent at a state nearby only meet at the start */
#define FIXED 1e-3 /* coordinates that move less than this of what was tried */

enum answer { NO, YES, UNKNOWN };

/* What a step of 1 is for positions, for velocities and states: the model's own size where that is small, and enough to
 * show beside rounding where it is large, but no more: parts of a large model may be small. */
static double step_size(const struct actio_surveying *s, bool velocities)
{
    size_t n = s->F->n;
    double largest = 0;
    for (size_t i = velocities ? n : 0; i < (velocities ? s->M.ny : n); i++) largest = fmax(largest, fabs(s->y0[i]));
    return fmax(s->M.unit[velocities], 0.01 * largest);
}

static void step_aside(struct actio_surveying *s, double far, double *y)
{
    const double size[2] = { step_size(s, false), step_size(s, true) };
    for (size_t i = 0; i < s->M.ny; i++) y[i] = s->y0[i] + far * size[i >= s->F->n] * (2 * actio_survey_uniform(s) - 1);
}

static double distance(const struct actio_surveying *s, const double *y)
{
    const double size[2] = { step_size(s, false), step_size(s, true) };
    double largest = 0;
    for (size_t i = 0; i < s->M.ny; i++) largest = fmax(largest, fabs(y[i] - s->y0[i]) / size[i >= s->F->n]);
    return largest;
}

/* Constraint k as the manifold's own conditions: its position and velocity residuals. */
static size_t levels_of(const struct actio_formation *F, uint32_t k, actio_expr *out)
{
    size_t count = 0;
    for (size_t i = 0; i < F->sys.holonomic; i++)
        if (F->sys.position_row[i] == k) out[count++] = F->f[i];
    for (size_t i = 0; i < F->sys.levels; i++)
        if (F->sys.velocity_row[i] == k) out[count++] = F->phi[i];
    return count;
}

/* The constraint behind a condition of the manifold: those of positions come first, then those of velocities, then
 * hidden ones. */
static uint32_t owner(const struct actio_formation *F, size_t i)
{
    const struct actio_system *sys = &F->sys;
    if (i < sys->holonomic) return sys->position_row[i];
    return i < sys->holonomic + sys->levels ? sys->velocity_row[i - sys->holonomic] : UINT32_MAX;
}

/* The manifold's conditions without those of k and of constraints that were spared before; returns the whole list, to
 * be put back. */
static actio_expr *without(struct actio_surveying *s, uint32_t k, size_t *all)
{
    struct actio_manifold *m = &s->M;
    actio_expr *kept = actio_form_array(s->F, m->count, sizeof *kept);
    memcpy(kept, m->c, m->count * sizeof *kept);
    *all = m->count;
    m->added = 0;
    for (size_t i = 0; i < *all; i++) {
        uint32_t of = owner(s->F, i);
        if (of != k && (of == UINT32_MAX || !s->spared[of])) actio_manifold_add(m, kept[i]);
    }
    actio_manifold_ready(m);
    return kept;
}

static void put_back(struct actio_surveying *s, const actio_expr *all, size_t count)
{
    s->M.added = 0;
    for (size_t i = 0; i < count; i++) actio_manifold_add(&s->M, all[i]);
    actio_manifold_ready(&s->M);
}

/* The residuals of k at a state, against the length of their gradients times `far`. */
static double broken_by(struct actio_surveying *s, const struct actio_probe *probe, size_t owns, const double *y,
                        double far)
{
    size_t ny = s->M.ny;
    double worst = 0;
    s->M.t = s->t0;
    memcpy(s->M.y, y, ny * sizeof *y);
    const double *x = actio_probe_at(probe);
    for (size_t j = 0; j < owns; j++) {
        double size = actio_norm(ny, x + owns + j * ny);
        worst = fmax(worst, fabs(x[j]) / (size > 0 ? size * far : 1));
    }
    return worst;
}

/* Does k hold where the others do, near the start? */
static enum answer follows(struct actio_surveying *s, uint32_t k)
{
    struct actio_formation *F = s->F;
    size_t ny = s->M.ny, all, reached = 0, held = 0, owns;
    actio_expr own[2], *list = actio_form_array(F, 2 + 2 * ny, sizeof *list);
    double *y = actio_form_array(F, ny, sizeof *y);
    owns = levels_of(F, k, own);
    if (owns == 0 || F->model->constraint[k].kind == ACTIO_ACCELERATION) return UNKNOWN;
    for (size_t j = 0; j < owns; j++) {
        list[j] = own[j];
        actio_gradient(&F->pool, own[j], s->M.wrt, ny, list + owns + j * ny);
    }
    actio_expr *whole = without(s, k, &all);
    struct actio_probe probe = actio_probe_open(&s->M, list, owns * (1 + ny));
    for (int i = 0; i < TRIES; i++) {
        double far = 0.01 * pow(3, i % 3);
        step_aside(s, far, y);
        if (!actio_survey_reach(s, s->t0, y) || distance(s, y) > 5 * far || !actio_manifold_on_sides(&s->M, s->t0, y))
            continue;
        held +=
            broken_by(s, &probe, owns, y, far * step_size(s, F->model->constraint[k].kind != ACTIO_HOLONOMIC)) <= HOLDS;
        reached++;
    }
    actio_probe_close(&probe);
    put_back(s, whole, all);
    return reached < ENOUGH ? UNKNOWN : 2 * held > reached ? YES : NO; /* a few may have landed on another branch */
}

bool actio_follows(struct actio_surveying *s, uint32_t k) { return s->F->p > 1 && follows(s, k) == YES; }

void actio_find_spare(struct actio_surveying *s, struct actio_relation *r)
{
    bool unknown = false;
    r->spare = SIZE_MAX;
    for (size_t i = 0; i < r->rows; i++) /* its force is not the others' */
        if (r->row[i] < s->F->model->constraints && s->F->model->constraint[r->row[i]].rule != ACTIO_IDEAL) return;
    for (size_t i = r->rows; i-- > 0;) {
        enum answer a = r->row[i] < s->F->model->constraints ? follows(s, r->row[i]) : UNKNOWN;
        if (a == YES) {
            r->spare = i;
            return;
        }
        unknown = unknown || a == UNKNOWN;
    }
    if (!unknown) r->spare = r->rows;
}

/* ---- touching */

/* Are the rows close to dependent at every state around the start? At a dead point they are at the start only. */
static bool close_everywhere(struct actio_surveying *s, size_t rank)
{
    size_t count = s->near ? s->near : s->points.count;
    for (size_t i = 0; i < count; i++)
        if (!actio_look_at(s, s->points.t[i], s->points.y + i * s->M.ny).ok || actio_rows_spread(s, rank) > APART)
            return false;
    return true;
}

static bool same_level(const struct actio_formation *F, const struct actio_relation *r)
{
    for (size_t i = 0; i < r->rows; i++) {
        enum actio_constraint_kind kind = F->model->constraint[r->row[i]].kind,
                                   first = F->model->constraint[r->row[0]].kind;
        if (kind == ACTIO_ACCELERATION || (kind == ACTIO_HOLONOMIC) != (first == ACTIO_HOLONOMIC)) return false;
    }
    return r->rows > 1;
}

static bool occurs(struct actio_formation *F, const struct actio_relation *r, actio_expr symbol)
{
    for (size_t i = 0; i < r->rows; i++)
        if (actio_uses_symbol(&F->pool, F->g[r->row[i]], symbol)) return true;
    return false;
}

/* "x = 0, y = 1": variables of the touching constraints that keep their value on all states that were found around the
 * start. */
static void name_common(struct actio_surveying *s)
{
    struct actio_formation *F = s->F;
    struct actio_verdict *v = s->v;
    bool positions = F->model->constraint[v->related.touching.row[0]].kind == ACTIO_HOLONOMIC;
    size_t ny = s->M.ny, first = positions ? 0 : F->n, last = positions ? F->n : ny, used = 0, fixed = 0;
    double *y = actio_form_array(F, ny, sizeof *y), *moved = actio_form_array(F, ny, sizeof *moved);
    for (int i = 0; i < TRIES; i++) {
        step_aside(s, 0.1, y);
        for (size_t k = 0; actio_survey_reach(s, s->t0, y) && k < ny; k++)
            moved[k] = fmax(moved[k], fabs(y[k] - s->y0[k]));
    }
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    for (size_t k = first; k < last; k++) {
        double unit = step_size(s, k >= F->n), x = s->y0[k];
        if (!occurs(F, &v->related.touching, s->M.wrt[k])) continue;
        used++;
        if (moved[k] > FIXED * unit) continue;
        actio_text_add(&t, fixed++ ? ", " : "");
        actio_print(&F->pool, s->M.wrt[k], actio_model_symbol_name, F->model, &t);
        actio_text_format(&t, " = %.6g", fabs(x) < 1e-6 * unit ? 0 : x);
    }
    v->related.common = fixed ? t.s : NULL;
    v->related.common_is_all = fixed == used;
}

bool actio_find_touching(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v, kept = *v;
    if (!s->start.ok || s->start.rank >= s->F->p || s->start.rank == 0 || !close_everywhere(s, s->start.rank + 1))
        return false;
    struct actio_sampled start = { &s->M, (double *)s->y0, &s->t0, 1 };
    v->related.redundants = 0;
    v->dependent = fmax(v->dependent, 1e-6);
    actio_find_relations(v, &start, &s->matrix);
    struct actio_relation *found = v->related.redundant;
    size_t count = v->related.redundants;
    *v = kept;
    for (size_t i = 0; i < count; i++) {
        if (!same_level(s->F, &found[i])) continue;
        actio_find_spare(s, &found[i]);
        if (found[i].spare < found[i].rows) s->spared[found[i].row[found[i].spare]] = true;
        if (found[i].spare != found[i].rows) continue;
        v->related.touching = found[i];
        name_common(s);
        return true;
    }
    memset(s->spared, 0, s->F->p * sizeof *s->spared);
    return false;
}
