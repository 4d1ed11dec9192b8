/* SPDX-License-Identifier: Apache-2.0
 * Constraints that have no gradient where they hold: (x - y)^2 = 0, where it vanishes; abs(x - y) = 0 and sqrt(x^2 +
 * y^2) = 0, where it has
 * no limit; sign(x - y) = 0, which holds on a jump. Their reactions have no direction.  [HAMEL F.4] */
#include "verdict/survey.h"
#include "verdict/remedy.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 3, LEAST = 2 };
#define GONE 1e-3     /* a gradient this much smaller on the constraint than beside it vanishes there */
#define OPPOSITE -0.9 /* cosine of the angle between gradients on both sides */
#define STEEP 20      /* how much larger than beside it: without bound */
#define BESIDE 1e-4   /* of the model's size */
/* distances at which both sides are compared: wider ones would take short rods for points */
static const double near_by[] = { 1e-6, 1e-8 };

/* The gradients of all constraints at a state, as the entries of A scaled like the rest of the survey. */
static void gradients(struct actio_surveying *s, double t, const double *y, double *g)
{
    const struct actio_formation *F = s->F;
    s->M.t = t;
    memcpy(s->M.y, y, s->M.ny * sizeof *y);
    const double *A = actio_probe_at(&s->matrix) + F->G.count;
    for (size_t i = 0; i < F->A.count; i++)
        g[i] = A[i] * s->d[F->A.at[i].col] / (s->unit_A[F->A.at[i].row] > 0 ? s->unit_A[F->A.at[i].row] : 1);
}

/* Of row k: |a|, |b| and their product; not finite when one of them is not. */
struct pair {
    double a, b, dot;
};

static struct pair flaws_compare(const struct actio_formation *F, uint32_t k, const double *a, const double *b)
{
    struct pair p = { 0, 0, 0 };
    for (size_t i = 0; i < F->A.count; i++)
        if (F->A.at[i].row == k) {
            p.a += a[i] * a[i];
            p.b += b[i] * b[i];
            p.dot += a[i] * b[i];
        }
    p.a = sqrt(p.a);
    p.b = sqrt(p.b);
    return p;
}

struct looking {
    struct actio_surveying *s;
    double *plus, *minus, *here, *y, *aside;
    bool *no_limit; /* by constraint: at the state looked at last */
};

static void step_aside(struct looking *l, const double *y, double far, double sign)
{
    const struct actio_surveying *s = l->s;
    for (size_t i = 0; i < s->M.ny; i++) l->y[i] = y[i] + sign * far * s->M.unit[i >= s->F->n] * l->aside[i];
}

static void on_both_sides(struct looking *l, double t, const double *y, double far)
{
    struct actio_surveying *s = l->s;
    for (int side = -1; side <= 1; side += 2) {
        step_aside(l, y, far, side);
        if (s->F->sys.switches.count) actio_manifold_take_sides(&s->M, t, l->y);
        gradients(s, t, l->y, side > 0 ? l->plus : l->minus);
    }
}

/* Opposite gradients on both sides of a state, however near; or one that grows without bound. */
static void look_for_limits(struct looking *l, double t, const double *y)
{
    struct actio_surveying *s = l->s;
    const struct actio_formation *F = s->F;
    for (uint32_t k = 0; k < F->p; k++) l->no_limit[k] = true;
    for (size_t pair = 0; pair < PAIRS; pair++) {
        for (size_t i = 0; i < s->M.ny; i++) l->aside[i] = 2 * actio_survey_uniform(s) - 1;
        for (size_t d = 0; d < sizeof near_by / sizeof *near_by; d++) {
            on_both_sides(l, t, y, near_by[d]);
            for (uint32_t k = 0; k < F->p; k++) {
                struct pair p = flaws_compare(F, k, l->plus, l->minus);
                l->no_limit[k] =
                    l->no_limit[k] && p.dot < OPPOSITE * p.a * p.b && fmin(p.a, p.b) > GONE * s->row_size[k];
            }
        }
    }
    on_both_sides(l, t, y, BESIDE);
    if (F->sys.switches.count) actio_manifold_take_sides(&s->M, t, y);
    gradients(s, t, y, l->here);
    for (uint32_t k = 0; k < F->p; k++) {
        struct pair p = flaws_compare(F, k, l->plus, l->here), q = flaws_compare(F, k, l->minus, l->here);
        double beside = isfinite(p.a) ? isfinite(q.a) ? fmax(p.a, q.a) : p.a : q.a;
        l->no_limit[k] = l->no_limit[k] || (isfinite(beside) && beside > 0 && !(p.b <= STEEP * beside));
    }
}

/* Largest gradient of each constraint on the manifold, and (in row_size) beside it, not farther than the model is
 * large. */
static void flaws_measure(struct actio_surveying *s, double *largest)
{
    struct actio_formation *F = s->F;
    double *y = actio_form_array(F, s->M.ny, sizeof *y), *g = actio_form_array(F, F->A.count, sizeof *g),
           *sum = actio_form_array(F, F->p, sizeof *sum);
    for (size_t i = 0; i < s->points.count + 12; i++) {
        bool on = i < s->points.count;
        if (!on) {
            actio_survey_random(s, 0.5, y);
            for (size_t k = 0; k < s->M.ny; k++) y[k] = s->y0[k] + s->M.unit[k >= F->n] * (y[k] - s->y0[k]);
        }
        gradients(s, on ? s->points.t[i] : s->t0, on ? s->points.y + i * s->M.ny : y, g);
        memset(sum, 0, F->p * sizeof *sum);
        for (size_t e = 0; e < F->A.count; e++) sum[F->A.at[e].row] += g[e] * g[e];
        for (size_t k = 0; k < F->p; k++) {
            if (!isfinite(sum[k])) continue;
            s->row_size[k] = fmax(s->row_size[k], sqrt(sum[k]));
            if (on) largest[k] = fmax(largest[k], sqrt(sum[k]));
        }
    }
}

static void flaws_add(struct actio_surveying *s, uint32_t k, enum actio_flaw_kind kind, bool at_start_only, double t,
                      const double *y)
{
    struct actio_verdict *v = s->v;
    const char *remedy = at_start_only ? NULL : actio_remedy_for(&s->M, k, t, y);
    v->flaw[v->flaws++] = (struct actio_flaw){ k, kind, at_start_only, remedy };
}

/* Does the start, as it is given, satisfy constraint k, as far as it has a value there? Where a rate has none, the
 * position counts. */
static bool holds_as_given(struct actio_surveying *s, uint32_t k)
{
    const struct actio_system *sys = &s->F->sys;
    bool holds = true;
    s->M.t = s->t0;
    memcpy(s->M.y, s->given, s->M.ny * sizeof *s->M.y);
    const double *c = actio_probe_at(&s->M.values);
    for (size_t i = 0; i < sys->holonomic; i++)
        if (sys->position_row[i] == k) holds = holds && fabs(c[i]) * s->M.weight[i] <= 1e-8;
    for (size_t i = 0; i < sys->levels; i++) {
        double x = c[sys->holonomic + i];
        if (sys->velocity_row[i] == k)
            holds = holds && !(isfinite(x) && fabs(x) * s->M.weight[sys->holonomic + i] > 1e-8);
    }
    return holds;
}

/* How many sampled states, the start among them, have no limit of the gradient of each constraint; of how many that the
 * model has on its own sides of the switches. Large models have formulas of the same few kinds: a few states do. */
static size_t count_states(struct actio_surveying *s, size_t *without, bool *at_start)
{
    struct actio_formation *F = s->F;
    size_t ny = s->M.ny, looked = 0, most = F->p > 40 ? LEAST : s->points.count;
    double *mode = actio_form_array(F, F->sys.switches.count, sizeof *mode);
    struct looking l = { .s = s,
                         .y = actio_form_array(F, 2 * ny, sizeof(double)),
                         .no_limit = actio_form_array(F, F->p, sizeof(bool)),
                         .plus = actio_form_array(F, 3 * F->A.count, sizeof(double)) };
    l.aside = l.y + ny;
    l.minus = l.plus + F->A.count;
    l.here = l.minus + F->A.count;
    memcpy(mode, s->M.mode, F->sys.switches.count * sizeof *mode);
    look_for_limits(&l, s->t0, s->y0);
    memcpy(at_start, l.no_limit, F->p * sizeof *at_start);
    look_for_limits(&l, s->t0, s->given);
    for (uint32_t k = 0; k < F->p; k++) at_start[k] = at_start[k] || (l.no_limit[k] && holds_as_given(s, k));
    for (size_t i = 0; i < s->points.count && looked < most; i++) {
        const double *y = s->points.y + i * ny;
        memcpy(s->M.mode, mode, F->sys.switches.count * sizeof *mode);
        if (!actio_manifold_on_sides(&s->M, s->points.t[i], y)) continue;
        look_for_limits(&l, s->points.t[i], y);
        looked++;
        for (size_t k = 0; k < F->p; k++) without[k] += l.no_limit[k];
    }
    memcpy(s->M.mode, mode, F->sys.switches.count * sizeof *mode);
    return looked;
}

/* Reactions on selected variables, or along a direction: do they have one, at the start and elsewhere? */
static void find_no_reactions(struct actio_surveying *s)
{
    struct actio_formation *F = s->F;
    for (uint32_t k = 0; k < F->model->constraints; k++) {
        double here = 0;
        if (F->model->constraint[k].rule == ACTIO_IDEAL) continue;
        s->M.t = s->t0;
        memcpy(s->M.y, s->y0, s->M.ny * sizeof *s->M.y);
        const double *D = actio_probe_at(&s->matrix) + F->G.count + F->A.count;
        for (size_t i = 0; i < F->D.count; i++)
            if (F->D.at[i].row == k) here = fmax(here, fabs(D[i]));
        if (here <= 1e-10 * s->unit_D[k])
            s->v->flaw[s->v->flaws++] = (struct actio_flaw){ k, ACTIO_REACTION_VANISHES, s->unit_D[k] > 0, NULL };
    }
}

void actio_find_flaws(struct actio_surveying *s)
{
    struct actio_formation *F = s->F;
    double *largest = actio_form_array(F, F->p, sizeof *largest);
    size_t *without = actio_form_array(F, F->p, sizeof *without);
    bool *at_start = actio_form_array(F, F->p, sizeof *at_start);
    s->v->flaw = actio_form_array(F, 2 * F->p, sizeof *s->v->flaw);
    if (F->p == 0) return;
    find_no_reactions(s);
    flaws_measure(s, largest);
    size_t looked = count_states(s, without, at_start);
    for (uint32_t k = 0; k < F->p; k++) {
        bool everywhere = without[k] == looked && (looked >= LEAST || at_start[k]);
        bool gone = s->points.count && largest[k] < GONE * s->row_size[k];
        if (gone && actio_follows(s, k)) continue; /* not needed: x*y = 0 beside x = 0 and y = 0 */
        if (gone) flaws_add(s, k, ACTIO_GRADIENT_VANISHES, false, s->t0, s->y0);
        else if (everywhere) flaws_add(s, k, ACTIO_GRADIENT_HAS_NO_LIMIT, false, s->t0, s->y0);
        else if (at_start[k]) flaws_add(s, k, ACTIO_GRADIENT_HAS_NO_LIMIT, true, s->t0, s->y0);
    }
}

/* With each switch exactly where it is at the given start, also on its surface: rows that hold there and on no side of
 * it. */
bool actio_find_jumps(struct actio_surveying *s)
{
    struct actio_formation *F = s->F;
    struct actio_manifold *m = &s->M;
    size_t modes = F->sys.switches.count, rows = F->sys.holonomic + F->sys.levels;
    if (modes == 0) return false;
    double *before = actio_form_array(F, rows, sizeof *before);
    s->v->flaw = actio_form_array(F, F->p, sizeof *s->v->flaw);
    m->t = s->t0;
    memcpy(m->y, s->given, m->ny * sizeof *m->y);
    memcpy(before, actio_probe_at(&m->values), rows * sizeof *before);
    bool changed = true;
    for (size_t round = 0; round < modes && changed; round++) {
        const double *g = actio_probe_at(&m->guards);
        actio_poll(F->sys.ctx);
        changed = false;
        for (size_t k = 0; k < modes; k++) {
            double mode = actio_mode_at(&F->sys, k, g[k], 0);
            changed |= mode != m->mode[k];
            m->mode[k] = mode;
        }
    }
    const double *now = actio_probe_at(&m->values);
    for (size_t i = 0; i < rows; i++) {
        uint32_t k = i < F->sys.holonomic ? F->sys.position_row[i] : F->sys.velocity_row[i - F->sys.holonomic];
        if (now[i] == 0 && before[i] != 0) flaws_add(s, k, ACTIO_HOLDS_ON_A_JUMP, false, s->t0, s->given);
    }
    return s->v->flaws > 0;
}
