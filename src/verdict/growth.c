/* SPDX-License-Identifier: Apache-2.0
 * Integrability by the growth vector in (q, t): brackets of admissible fields until they bring nothing new; what is
 * left over restricts positions. One round is not enough (the rolling coin grows twice). Ranks are numbers at random
 * states, the largest counts.  [HAMEL F.4] */
#include "verdict/vector_fields.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { SPOTS = 5, LARGEST = 64 };
#define BUDGET 8e8 /* multiplications: about a second */
#define CLEAR 1e4
#define FLAT 1e-7 /* curvature below this is rounding */
#define GONE 1e-3 /* a gradient this much smaller on the constraint than beside it vanishes there */

const char *actio_velocity_form_text(enum actio_velocity_form form)
{
    static const char *const texts[] = {
#define K(name, text) text,
        ACTIO_VELOCITY_FORMS(K)
#undef K
    };
    return texts[form];
}

struct growing {
    struct actio_fields f;
    struct actio_integrability *out;
    struct actio_spot spot[SPOTS];
    size_t spots;
};

/* ---- what each constraint is */

static void swap(struct actio_spot *a, struct actio_spot *b)
{
    struct actio_spot kept = *a;
    *a = *b;
    *b = kept;
}

/* Is an expression 0 at all sampled states? Products with 0 stay in formulas: a factor might be infinite. */
static bool growth_vanishes(struct actio_formation *F, struct actio_sampled *points, actio_expr e)
{
    struct actio_jets j;
    if (actio_is_zero(e)) return true;
    if (!actio_jets_open(&j, F, &e, 1, points->M->param, points->M->mode)) return false;
    double *in = actio_form_array(F, 2 * F->n + 1, sizeof *in), value;
    for (size_t k = 0; k < points->count; k++) {
        const double *y = points->y + k * points->M->ny;
        memcpy(in, y, F->n * sizeof *in);
        in[F->n] = points->t[k] + 0.7310585786 * (double)k;
        memcpy(in + F->n + 1, y + F->n, F->n * sizeof *in);
        actio_jets_at(&j, 0, in, 1, &value, 1);
        if (value != 0) return false; /* also when it is not a number */
    }
    return true;
}

static enum actio_velocity_form form_of(struct actio_formation *F, struct actio_sampled *points, uint32_t k)
{
    enum actio_constraint_kind kind = F->model->constraint[k].kind;
    if (kind != ACTIO_VELOCITY)
        return kind == ACTIO_HOLONOMIC ? ACTIO_FORM_HOLONOMIC_ALREADY : ACTIO_FORM_ON_ACCELERATIONS;
    if (actio_uses(&F->pool, F->g[k], ACTIO_SPACE_STATE)) return ACTIO_FORM_ON_STATES;
    actio_expr *coef = actio_form_array(F, F->n, sizeof *coef), rest;
    if (!actio_linear_in(&F->pool, F->g[k], F->sym.v, F->n, coef, &rest)) return ACTIO_FORM_NONLINEAR;
    return growth_vanishes(F, points, rest) ? ACTIO_FORM_LINEAR : ACTIO_FORM_AFFINE;
}

static bool is_tested(enum actio_velocity_form form) { return form <= ACTIO_FORM_NONLINEAR; }

/* The rows of the analysis: velocity constraints and rates of holonomic ones; hidden ones follow from the others. */
static size_t choose_rows(struct actio_formation *F, const struct actio_integrability *out, uint32_t *level)
{
    size_t rows = 0;
    for (uint32_t r = 0; r < F->sys.levels; r++) {
        uint32_t k = F->sys.velocity_row[r];
        if (k < out->count && (is_tested(out->of[k].kind) || out->of[k].kind == ACTIO_FORM_HOLONOMIC_ALREADY))
            level[rows++] = r;
    }
    return rows;
}

/* Is the gradient of a row at a state nothing beside what it is nearby? */
static bool gradient_gone(struct actio_fields *f, const struct actio_spot *spot, size_t row)
{
    double *u = actio_form_array(f->F, f->n, sizeof *u), *length = actio_form_array(f->F, f->rows, sizeof *length), on;
    if (!actio_fields_slopes(f, spot->x, spot->u, f->J, length)) return true;
    on = length[row];
    for (size_t i = 0; i < f->n; i++) u[i] = spot->u[i] + actio_fields_uniform(f);
    return actio_fields_slopes(f, spot->x, u, f->J, length) && on <= GONE * length[row];
}

/* Singular states are left out; false: no others exist. */
static bool keep_regular(struct growing *g, size_t row)
{
    size_t kept = 0;
    for (size_t s = 0; s < g->spots; s++)
        if (!gradient_gone(&g->f, &g->spot[s], row)) swap(&g->spot[s], &g->spot[kept++]);
    g->spots = kept;
    return kept > 0;
}

/* Z' g_vv Z at a state, Z the directions that all constraints leave free, against |g_v|; `flat` also against |g_vv|,
 * which stays where the gradient is small. */
static double curvature_at(struct actio_fields *f, const struct actio_spot *spot, size_t row, struct actio_jets *second,
                           const struct actio_entries *H, double *flat)
{
    size_t n = f->n, r = n - spot->rank;
    double *h = actio_form_array(f->F, H->count, sizeof *h), *length = actio_form_array(f->F, f->rows, sizeof *length),
           sum = 0, whole = 0;
    if (!actio_fields_slopes(f, spot->x, spot->u, f->J, length)) return 0;
    actio_fields_input(f, spot->x, spot->u, f->in);
    actio_jets_at(second, 0, f->in, 1, h, 1);
    for (size_t e = 0; e < H->count; e++) {
        h[e] *= f->scale[H->at[e].row] * f->scale[H->at[e].col] / (f->scale[n] * f->scale[n]);
        whole += h[e] * h[e];
    }
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b < r; b++) {
            const double *za = spot->frame + a * n, *zb = spot->frame + b * n;
            double entry = 0;
            for (size_t e = 0; e < H->count; e++) {
                uint32_t i = H->at[e].row, k = H->at[e].col;
                entry += h[e] * (i == k ? za[i] * zb[i] : za[i] * zb[k] + za[k] * zb[i]);
            }
            sum += entry * entry;
        }
    *flat = fmax(*flat, sqrt(sum) / (length[row] + sqrt(whole)));
    return sqrt(sum) / length[row];
}

static bool curvature_of(struct growing *g, size_t row, struct actio_velocity *of)
{
    struct actio_fields *f = &g->f;
    struct actio_entries H = { 0 };
    struct actio_jets second;
    double flat = 0;
    actio_hessian(&f->F->pool, f->phi[row], f->F->sym.v, f->n, &H);
    actio_expr *e = actio_form_array(f->F, H.count, sizeof *e);
    for (size_t i = 0; i < H.count; i++) e[i] = H.at[i].e;
    if (!actio_jets_open(&second, f->F, e, H.count, f->points->M->param, f->points->M->mode)) return false;
    for (size_t s = 0; s < g->spots; s++)
        of->curvature = fmax(of->curvature, curvature_at(f, &g->spot[s], row, &second, &H, &flat));
    of->kind = flat > FLAT ? ACTIO_FORM_NONLINEAR : ACTIO_FORM_AFFINE_EQUIVALENT;
    return true;
}

/* Rows that are not affine by their formula: flat on the manifold all the same? */
static bool look_at_nonlinear(struct growing *g)
{
    bool plane = true;
    for (size_t row = 0; row < g->f.rows; row++) {
        struct actio_velocity *of = &g->out->of[g->f.constraint[row]];
        if (of->kind != ACTIO_FORM_NONLINEAR) continue;
        if (!keep_regular(g, row)) {
            of->kind = ACTIO_FORM_VANISHING;
            return false;
        }
        if (!curvature_of(g, row, of)) return false;
        plane = plane && of->kind != ACTIO_FORM_NONLINEAR;
    }
    if (plane) g->f.reach = 2;
    return true;
}

/* ---- growth */

/* States of the highest rank met: others are special. */
static void collect_spots(struct growing *g)
{
    for (int attempt = 0; attempt < 2 * SPOTS && g->spots < SPOTS; attempt++) {
        struct actio_spot *spot = &g->spot[g->spots];
        if (!actio_spot_open(&g->f, spot)) continue;
        if (g->spots && spot->rank < g->spot[0].rank) continue;
        if (g->spots && spot->rank > g->spot[0].rank) {
            swap(spot, &g->spot[0]);
            g->spots = 0;
        }
        g->spots++;
    }
}

/* Deep brackets are looked at in fewer states: one random state is enough, the others are for safety. */
static bool affordable(struct growing *g, unsigned depth)
{
    double cost = 9 * (depth + 1) * actio_jets_cost(&g->f.residual, depth);
    while (g->spots > 1 && g->f.residual.work + cost * (double)g->spots > BUDGET / 2) g->spots--;
    return g->f.residual.work + cost <= BUDGET && !actio_stopped(g->f.F->sys.ctx);
}

/* One round at every state; those where a field could not be followed are left out, the best goes first. Its dimension,
 * or 0. */
static size_t one_round(struct growing *g, unsigned depth)
{
    size_t kept = 0, largest = 0;
    for (size_t s = 0; s < g->spots; s++) {
        if (!actio_spot_grow(&g->f, &g->spot[s], depth)) continue;
        swap(&g->spot[s], &g->spot[kept]);
        if (g->spot[kept].dim > largest) {
            largest = g->spot[kept].dim;
            swap(&g->spot[kept], &g->spot[0]);
        }
        kept++;
    }
    g->spots = kept;
    return largest;
}

/* Deep brackets become small: when the last new direction was hardly above the threshold, the next may have been
 * missed. */
static bool doubtful(const struct growing *g)
{
    double clearest = 0;
    for (size_t s = 0; s < g->spots; s++) {
        if (g->spot[s].doubt) return true;
        clearest = fmax(clearest, g->spot[s].clear);
    }
    return clearest < CLEAR;
}

static bool growth_grow(struct growing *g)
{
    struct actio_integrability *out = g->out;
    size_t width = g->f.width;
    out->growth = actio_form_array(g->f.F, width + 1, sizeof *out->growth);
    for (unsigned depth = 0; out->growths <= width; depth++) {
        if (!affordable(g, depth)) return false;
        size_t dim = one_round(g, depth);
        if (dim == 0) return false;
        out->growth[out->growths++] = dim;
        if (dim == width) return true;
        if (depth && dim <= out->growth[depth - 1]) return !doubtful(g);
    }
    return false;
}

static size_t given_rank(const struct growing *g)
{
    size_t count = 0;
    for (size_t k = 0; k < g->spot[0].rank; k++) count += g->f.is_given[g->spot[0].pick[k]];
    return count;
}

static void decide(struct growing *g)
{
    struct actio_integrability *out = g->out;
    collect_spots(g);
    if (g->spots == 0 || !look_at_nonlinear(g)) return;
    size_t rank = g->spot[0].rank, given = given_rank(g);
    if (given < rank && !growth_grow(g)) return;
    out->holonomic = given < rank ? out->dimension - out->growth[out->growths - 1] : rank;
    out->decided = out->holonomic >= given && out->holonomic <= rank;
    if (!out->decided) return;
    out->nonholonomic = rank - out->holonomic;
    if (out->holonomic > given) actio_find_integrals(&g->f, out->holonomic - given, out);
    out->proved = out->integrals == out->holonomic - given;
}

static bool all_given(const struct actio_integrability *out)
{
    for (size_t k = 0; k < out->count; k++)
        if (out->of[k].kind != ACTIO_FORM_HOLONOMIC_ALREADY) return false;
    return true;
}

struct actio_integrability *actio_integrability_of(struct actio_verdict *v, struct actio_sampled *points)
{
    struct actio_formation *F = v->F;
    struct actio_integrability *out = actio_form_array(F, 1, sizeof *out);
    uint32_t *level = actio_form_array(F, F->sys.levels, sizeof *level);
    out->count = F->model->constraints;
    out->dimension = F->n + 1;
    out->of = actio_form_array(F, out->count, sizeof *out->of);
    for (uint32_t k = 0; k < out->count; k++) {
        enum actio_velocity_form form = form_of(F, points, k);
        out->of[k] =
            (struct actio_velocity){ k, form, 0, form == ACTIO_FORM_ON_STATES || form == ACTIO_FORM_ON_ACCELERATIONS };
    }
    size_t rows = choose_rows(F, out, level);
    struct growing *g = actio_form_array(F, 1, sizeof *g);
    g->out = out;
    if (rows == 0 || (all_given(out) && v->rank)) { /* nothing to test; the survey has counted */
        out->holonomic = rows ? v->rank : 0;
        out->decided = out->proved = true;
    } else if (points->count && F->n <= LARGEST && actio_fields_open(&g->f, F, points, level, rows)) decide(g);
    actio_look_at_states(F, points, out);
    return out;
}
