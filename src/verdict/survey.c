/* SPDX-License-Identifier: Apache-2.0
 * The survey: states on the constraint manifold, what they look like away from special ones, and the word that follows.
 * */
#include "verdict/survey.h"
#include "verdict/growth.h"

#include <math.h>
#include <string.h>

const char *actio_verdict_text(enum actio_verdict_word word)
{
    static const char *const words[] = {
#define V(word) #word,
        ACTIO_VERDICTS(V)
#undef V
    };
    return words[word];
}

enum { MOST_RESTORED = 60, NEAR = 8, FAR = 20, OWN = 6, MEASURED = 6, MOST_POINTS = 46, MOST_PLACES = 12 };
#define SMALL 1e-2     /* a model whose start is smaller than this is also looked at on its own scale */
#define DEPENDENT 1e-8 /* rows closer to dependent than this count as dependent */
/* of the rows at other points: points where they are so near to fewer independent rows say little */
#define SPREAD 1e-3
#define TOUCHING 5e-5 /* the same where curved position constraints may touch each other: they fix states no better */

/* ---- points */

double actio_survey_uniform(struct actio_surveying *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->seed >> 11) * 0x1p-53;
}

static void keep_point(struct actio_surveying *s, double t, const double *y)
{
    size_t ny = s->M.ny;
    s->points.t[s->points.count] = t;
    memcpy(s->points.y + ny * s->points.count++, y, ny * sizeof *y);
}

void actio_survey_random(struct actio_surveying *s, double spread, double *y)
{
    for (size_t i = 0; i < s->M.ny; i++) {
        double middle = s->y0[i], low = s->box->low[i], high = s->box->high[i];
        double x = low + (high - low) * actio_survey_uniform(s);
        y[i] = middle + spread * (x - middle);
    }
}

/* Newton can run to infinity, where whatever is missing is rounding beside the terms: no state. */
bool actio_survey_reach(struct actio_surveying *s, double t, double *y)
{
    size_t rank, worst;
    actio_poll(s->F->sys.ctx);
    if (!actio_manifold_reach(&s->M, t, y, &rank, &worst)) return false;
    for (size_t i = 0; i < s->M.ny; i++)
        if (!(fabs(y[i]) <= 1e6 * (1 + fabs(s->box->low[i]) + fabs(s->box->high[i])))) return false;
    return true;
}

static void try_point(struct actio_surveying *s, double t, double *y)
{
    bool reached = actio_survey_reach(s, t, y);
    if (t != s->t0) {
        s->later++;
        s->later_reached += reached;
    }
    if (reached && s->points.count < MOST_POINTS && (s->any_side || actio_manifold_on_sides(&s->M, t, y)))
        keep_point(s, t, y);
}

/* In units far from the model's own, all that was sampled may be far too fast: what matters is rounding beside it. */
static void collect_small_points(struct actio_surveying *s)
{
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y);
    if (s->M.unit[0] >= SMALL) return;
    for (int i = 0; i < OWN; i++) {
        for (size_t k = 0; k < s->M.ny; k++)
            y[k] = s->y0[k] + s->M.unit[k >= s->F->n] * (2 * actio_survey_uniform(s) - 1);
        try_point(s, s->t0, y);
    }
}

/* States of the motion, then random ones near the start, then all over the box and the interval of time; those that
 * Newton brings onto the manifold count. */
static void collect_points(struct actio_surveying *s)
{
    size_t ny = s->M.ny;
    double *y = actio_form_array(s->F, ny, sizeof *y);
    s->points = (struct actio_sampled){ &s->M, actio_form_array(s->F, MOST_POINTS * ny, sizeof(double)),
                                        actio_form_array(s->F, MOST_POINTS, sizeof(double)), 0 };
    s->later = s->later_reached = 0;
    for (size_t i = 1; i < s->box->seeds && !s->rheonomic; i += 1 + s->box->seeds / 8) {
        memcpy(y, s->box->seed + i * ny, ny * sizeof *y);
        try_point(s, s->t0, y);
    }
    for (int i = 0; i < NEAR + FAR; i++) {
        if (i == NEAR) s->near = s->points.count;
        double spread = i < NEAR ? 0.003 * (i + 1) : 0.1 + 0.9 * (i - NEAR) / FAR,
               after = i < NEAR ? spread : actio_survey_uniform(s);
        actio_survey_random(s, spread, y);
        try_point(s, s->rheonomic ? s->t0 + (s->box->t1 - s->t0) * after : s->t0, y);
    }
    collect_small_points(s);
}

/* Without a velocity to start with, its size follows from lengths and the interval of time. */
static void choose_units(struct actio_surveying *s)
{
    const struct actio_model *m = s->F->model;
    size_t n = s->F->n;
    bool at_rest = true;
    for (size_t i = n; i < s->M.ny; i++) at_rest = at_rest && s->given[i] == 0;
    if (at_rest && s->M.unit[0] < SMALL && m->time.given && m->time.t1 != m->time.t0)
        s->M.unit[1] = fmin(1, s->M.unit[0] / fabs(m->time.t1 - m->time.t0));
}

static bool uses_time(struct actio_surveying *s)
{
    for (size_t i = 0; i < s->M.count; i++)
        if (actio_uses_symbol(&s->F->pool, s->M.c[i], s->F->sym.time)) return true;
    return false;
}

void actio_note_place(struct actio_surveying *s, const double *y, const char *what)
{
    struct actio_verdict *v = s->v;
    if (v->singulars == MOST_PLACES) return;
    double *kept = actio_form_array(s->F, s->M.ny, sizeof *kept);
    memcpy(kept, y, s->M.ny * sizeof *y);
    v->singular_at[v->singulars++] = (struct actio_place){ s->t0, kept, what };
}

/* ---- the word */

/* The last look is then at that point. */
static bool is_generic(struct actio_surveying *s, size_t point)
{
    struct actio_look l = actio_look_at(s, s->points.t[point], s->points.y + point * s->M.ny);
    return l.ok && l.rank == s->generic.rank
           && (l.smallest > ACTIO_NO_INERTIA || s->generic.smallest <= ACTIO_NO_INERTIA);
}

/* What points of the manifold look like away from special states: highest rank, then the least degenerate. Only such
 * points are kept.
 * Those near the start decide: farther ones can lie on another part of it (the rigid chair of cyclohexane, whose boat
 * is a mechanism). */
static void find_generic(struct actio_surveying *s)
{
    size_t ny = s->M.ny, kept = 0, deciding = s->near >= NEAR / 2 ? s->near : s->points.count;
    s->generic = s->start;
    for (size_t i = 0; i < deciding; i++) {
        struct actio_look l = actio_look_at(s, s->points.t[i], s->points.y + i * ny);
        if (l.ok
            && (!s->generic.ok || l.rank > s->generic.rank
                || (l.rank == s->generic.rank && l.smallest > s->generic.smallest)))
            s->generic = l;
    }
    double *spread = actio_form_array(s->F, s->points.count + 1, sizeof *spread), widest = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        spread[i] = is_generic(s, i) ? actio_rows_spread(s, s->generic.rank) : -1;
        widest = fmax(widest, spread[i]);
    }
    double defect = s->start.ok && s->start.rank == s->generic.rank ? s->start.defect : 0;
    size_t near = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        if (spread[i] < SPREAD * widest) continue;
        double *y = s->points.y + i * ny;
        defect = fmax(defect, actio_look_at(s, s->points.t[i], y).defect);
        memmove(s->points.y + kept * ny, y, ny * sizeof *y);
        s->points.t[kept++] = s->points.t[i];
        near += i < s->near;
    }
    s->points.count = kept;
    s->near = near;
    s->generic.defect = defect;
}

static long naive_count(const struct actio_surveying *s)
{
    return (long)s->M.ny - (long)(s->F->sys.holonomic + s->F->sys.levels);
}

/* The rank that most points show: rounding raises it at some, special states lower it at others. */
static size_t usual_rank(const size_t *rank, size_t count)
{
    size_t usual = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++) same += rank[k] == rank[i];
        if (same > most || (same == most && rank[i] > usual)) {
            usual = rank[i];
            most = same;
        }
    }
    return usual;
}

static void count_data(struct actio_surveying *s)
{
    size_t *rank = actio_form_array(s->F, s->points.count + 1, sizeof *rank);
    for (size_t i = 0; i < s->points.count; i++) {
        actio_manifold_weigh(&s->M, s->points.t + i, s->points.y + i * s->M.ny, 1);
        rank[i] = actio_manifold_rank(&s->M, s->points.t[i], s->points.y + i * s->M.ny);
    }
    actio_manifold_weigh(&s->M, s->points.t, s->points.y, s->points.count);
    s->v->free_data = s->M.ny - usual_rank(rank, s->points.count);
    s->v->naive_free_data = naive_count(s);
}

/* The rows that depend on each other at the start; those that do everywhere are kept apart. */
static void name_start_rows(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v, kept = *v;
    struct actio_sampled start = { &s->M, (double *)s->y0, &s->t0, 1 };
    v->related.redundants = 0;
    actio_find_relations(v, &start, &s->matrix);
    if (v->related.redundants) kept.related.at_start = v->related.redundant[v->related.redundants - 1];
    *v = kept;
}

/* What the closure found, where it was requested. */
static enum actio_verdict_word word_of_closure(const struct actio_verdict *v)
{
    if (v->contradiction) return ACTIO_VERDICT_contradictory;
    if (v->closure.undetermineds) return ACTIO_VERDICT_undetermined;
    /* only multipliers are not settled */
    return v->closure.hiddens || v->too_large ? ACTIO_VERDICT_hidden : ACTIO_VERDICT_redundant;
}

static void contradict_rows(struct actio_verdict *v)
{
    v->word = ACTIO_VERDICT_contradictory;
    v->contradiction = "accelerations";
    v->related.contradictory = v->related.redundant;
    v->related.contradictories = v->related.redundants;
}

static void note_numbers(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    size_t p = s->F->p;
    v->rank = s->generic.rank;
    v->start_rank = s->start.rank;
    memcpy(v->inertia, s->start.ok ? s->start.inertia : s->generic.inertia, sizeof v->inertia);
    memcpy(v->kernel_inertia, s->generic.kernel_inertia, sizeof v->kernel_inertia);
    v->regular = s->start.ok && s->start.rank == p && s->start.rank_D == p && s->start.smallest > ACTIO_NO_INERTIA;
    v->condition = s->start.smallest > 0 ? 1 / s->start.smallest : INFINITY;
}

static void decide(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    size_t p = s->F->p;
    note_numbers(s);
    if (s->generic.rank < p) actio_find_relations(v, &s->points, &s->matrix);
    if (actio_find_touching(s)) {
        v->word = ACTIO_VERDICT_singular;
        return;
    }
    /* never (x' = 0, x' = 1) or only off a smaller manifold (x = 0, x' = z) */
    bool rows_disagree = s->generic.defect > 1e-7 && s->generic.rank < p;
    if (rows_disagree) {
        actio_find_closure(v, &s->points);
        if (v->contradiction || v->too_large || v->closure.hiddens == 0) contradict_rows(v);
        else v->word = word_of_closure(v);
        return;
    }
    if (v->flaws) {
        v->word = ACTIO_VERDICT_singular;
        return;
    }
    if (s->generic.smallest <= ACTIO_NO_INERTIA || s->generic.rank != s->generic.rank_D) {
        actio_find_closure(v, &s->points);
        v->word = word_of_closure(v);
        return;
    }
    bool start_singular = s->start.ok && (s->start.rank < s->generic.rank || s->start.smallest <= ACTIO_NO_INERTIA);
    v->word = start_singular        ? ACTIO_VERDICT_singular
              : s->generic.rank < p ? ACTIO_VERDICT_redundant
                                    : ACTIO_VERDICT_regular;
    if (start_singular) actio_note_place(s, s->y0, "the start");
    if (start_singular && s->start.rank < s->generic.rank) name_start_rows(s);
}

/* No state: what the model says at the start as it is given. */
static void judge_no_states(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    s->start = actio_look_at(s, s->t0, s->y0);
    v->rank = s->start.rank;
    memcpy(v->inertia, s->start.inertia, sizeof v->inertia);
    v->naive_free_data = naive_count(s);
    if (actio_find_jumps(s)) {
        v->word = ACTIO_VERDICT_singular;
        return;
    }
    v->word = ACTIO_VERDICT_contradictory;
    actio_find_contradiction(s);
}

/* How good a state is to start from, 0 when it is unsuitable: far from singular, and not next to the given start. Moves
 * y onto the manifold. */
static double goodness(struct actio_surveying *s, double *y)
{
    double far = 0, size = s->M.unit[0];
    if (!actio_survey_reach(s, s->t0, y) || !actio_manifold_fits(&s->M, s->t0, y, 1e-12)
        || !actio_manifold_on_sides(&s->M, s->t0, y))
        return 0;
    struct actio_look l = actio_look_at(s, s->t0, y);
    if (!l.ok || l.rank != s->generic.rank) return 0;
    for (size_t i = 0; i < s->M.ny; i++) {
        far = fmax(far, fabs(y[i] - s->given[i]));
        size = fmax(size, fabs(s->given[i]));
    }
    return fmin(actio_rows_spread(s, l.rank), fmin(1, l.smallest)) * fmin(1, far / size);
}

/* For starts that are singular or far from any state: the best sampled one, with velocities as near to those given as
 * there are, and round numbers where the constraints leave them. */
static void find_elsewhere(struct actio_surveying *s)
{
    size_t ny = s->M.ny, n = s->F->n;
    double best = 1e-3, *y = actio_form_array(s->F, ny, sizeof *y), *kept = actio_form_array(s->F, ny, sizeof *kept);
    for (size_t i = 0; i < 2 * s->points.count; i++) {
        bool rounded = i >= s->points.count;
        double unit = pow(10, floor(log10(s->M.unit[0])) - 1);
        memcpy(y, s->points.y + (rounded ? i - s->points.count : i) * ny, n * sizeof *y);
        memcpy(y + n, s->given + n, (ny - n) * sizeof *y);
        for (size_t k = 0; k < n && rounded; k++) y[k] = round(y[k] / unit) / round(1 / unit);
        double good = goodness(s, y) * (rounded ? 2 : 1);
        if (good <= best) continue;
        best = good;
        memcpy(kept, y, ny * sizeof *y);
        s->v->elsewhere = kept;
    }
    for (size_t k = 0; k < n && n <= MOST_RESTORED && s->v->elsewhere; k++) { /* as given where that is as good */
        memcpy(y, kept, ny * sizeof *y);
        y[k] = s->given[k];
        if (goodness(s, y) * 4 >= best && y[k] == s->given[k]) memcpy(kept, y, ny * sizeof *y);
    }
}

static void survey_judge(struct actio_surveying *s)
{
    struct actio_verdict *v = s->v;
    s->start = actio_look_at(s, s->t0, s->y0);
    if (s->start.ok && s->start.inertia[1]) actio_find_negative(v, s->matrix.value);
    find_generic(s);
    actio_find_flaws(s);
    count_data(s);
    decide(s);
    if (s->F->p && v->word != ACTIO_VERDICT_contradictory) {
        v->integrability = actio_integrability_of(v, &s->points);
        actio_find_power(v, &s->points);
    }
    for (size_t i = 0; i < v->related.redundants && v->word >= ACTIO_VERDICT_hidden; i++) {
        struct actio_relation *r = &v->related.redundant[i];
        actio_find_spare(s, r);
        /* the reported remedies can be applied together */
        if (r->spare < r->rows) s->spared[r->row[r->spare]] = true;
    }
    if ((v->word == ACTIO_VERDICT_singular && !v->related.touching.rows) || !s->reached) find_elsewhere(s);
    if (s->box->at_will != SIZE_MAX && v->word >= ACTIO_VERDICT_hidden) v->at_will = s->box->at_will + 1;
    v->pushed = s->box->pushed;
    if (v->at_will) v->word = ACTIO_VERDICT_undetermined;
    if (v->word >= ACTIO_VERDICT_redundant) actio_scan(s);
    if (v->word >= ACTIO_VERDICT_hidden && s->box->look_later) actio_find_later(s);
}

static void open_survey(struct actio_surveying *s, const double *param, const double *y0)
{
    struct actio_formation *F = s->F;
    struct actio_verdict *v = s->v;
    v->F = F;
    v->dependent = DEPENDENT;
    for (size_t i = 0; i < F->F.count; i++)
        if (actio_level_of(&F->pool, F->F.at[i].e) == ACTIO_LV_LANE) v->dependent = TOUCHING;
    v->singular_at = actio_form_array(F, MOST_PLACES, sizeof *v->singular_at);
    actio_manifold_open(&s->M, F, param, s->box->in_use);
    actio_manifold_start_at(&s->M, s->t0, y0);
    choose_units(s);
    actio_expr *list = actio_form_array(F, F->G.count + F->A.count + F->D.count + F->N + F->p, sizeof *list);
    s->matrix = actio_probe_open(&s->M, list, actio_list_matrix(F, list));
    actio_look_open(s);
    actio_manifold_weigh(&s->M, &s->t0, y0, 1);
    double *y = actio_form_array(F, s->M.ny, sizeof *y);
    for (int i = 0; i < MEASURED; i++) {
        actio_survey_random(s, 0.25 * i / MEASURED, y);
        actio_look_measure(s, s->t0 + (s->box->t1 - s->t0) * 0.01 * i, y);
    }
    v->row_unit = s->unit_A;
    s->rheonomic = s->box->t1 != s->t0 && uses_time(s);
}

struct actio_verdict *actio_survey(struct actio_formation *F, const double *param, double t0, const double *y0,
                                   const struct actio_box *box)
{
    struct actio_verdict *v = actio_form_array(F, 1, sizeof *v);
    struct actio_surveying s = { .v = v, .F = F, .t0 = t0, .box = box, .seed = 0x9E3779B97F4A7C15u };
    double *start = actio_form_array(F, 2 * (F->n + F->N), sizeof *start), *given = start + F->n + F->N;
    memcpy(start, y0, (F->n + F->N) * sizeof *start);
    memcpy(given, y0, (F->n + F->N) * sizeof *given);
    s.y0 = start;
    s.given = given;
    open_survey(&s, param, y0);
    s.reached = actio_survey_reach(&s, t0, start);
    if (!s.reached) memcpy(start, given, s.M.ny * sizeof *start);
    collect_points(&s);
    if (s.points.count == 0 && F->sys.switches.count) {
        s.any_side = true;
        collect_points(&s);
    }
    v->samples = s.points.count;
    bool never_later = s.later >= 8 && s.later_reached == 0;
    s.at = never_later ? 0.5 * (t0 + box->t1) : t0;
    if ((!s.reached && s.points.count == 0) || never_later) judge_no_states(&s);
    else {
        if (!s.reached) memcpy(start, s.points.y, s.M.ny * sizeof *start);
        survey_judge(&s);
    }
    actio_probe_close(&s.matrix);
    actio_manifold_close(&s.M);
    return v;
}
