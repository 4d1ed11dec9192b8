/* SPDX-License-Identifier: Apache-2.0
 * The survey: states on the constraint manifold, what rank and inertia are there, where they change, and the word that follows.
 * B is regular iff rank A = p and W is not degenerate on ker A: det B = (-1)^p det(AA') det(Z'WZ).              [LM 20, HAMEL F.1] */
#include "verdict/verdict.h"
#include "verdict/growth.h"
#include "algebra/dense.h"

#include <math.h>
#include <stdlib.h>
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

enum { NEAR = 8, FAR = 20, MOST_POINTS = 40, SCAN = 24, MOST_SCANNED = 40, MOST_PLACES = 12 };
#define ZERO 1e-9                                          /* eigenvalues of the scaled matrices below this are 0 */
#define DEPENDENT 1e-8                                     /* rows closer to dependent than this count as dependent */
#define TOUCHING 5e-5                                      /* the same where curved position constraints may touch each other: they fix states no better */

struct survey {
    struct actio_verdict *v;
    struct actio_formation *F;
    struct actio_manifold M;
    struct actio_probe matrix;
    double t0; const double *y0; const struct actio_box *box;
    struct actio_sampled points; size_t near;              /* the first of them: from the motion and around the start */
    struct actio_look start, generic;
    double *row_size;                                      /* largest norm of each row of A seen */
    double *size;                                          /* of the rows of G, fixed once seen */
    double *G, *A, *D, *d, *Z, *ZD, *S, *w, *work, *wide; int *iwork;
    uint64_t seed;
    bool rheonomic;                                        /* constraints depend on time */
    size_t later, later_reached;                           /* points tried at other times than the start's */
    double at;                                             /* the time that contradictions are looked for at */
    const double *to;                                      /* where the scan goes; NULL: along one component */
};

/* ---- looking at one point */

static void open_scratch(struct survey *s)
{
    struct actio_formation *F = s->F;
    size_t N = F->N, p = F->p, big = N > p ? N : p;
    s->G = actio_form_array(F, N * N, sizeof(double));
    s->A = actio_form_array(F, p * N, sizeof(double));
    s->D = actio_form_array(F, p * N, sizeof(double));
    s->d = actio_form_array(F, N, sizeof(double));
    s->size = actio_form_array(F, N, sizeof(double));
    s->Z = actio_form_array(F, N * N, sizeof(double));
    s->ZD = actio_form_array(F, N * N, sizeof(double));
    s->S = actio_form_array(F, 3 * N * N + p * N, sizeof(double));
    s->w = actio_form_array(F, 2 * N + p, sizeof(double));
    s->work = actio_form_array(F, actio_rank_work(big, big) + 4 * N * N, sizeof(double));
    s->iwork = actio_form_array(F, 2 * (N + p), sizeof(int));
    s->row_size = actio_form_array(F, p, sizeof(double));
    s->wide = actio_form_array(F, 2 * p * N + N * N + p * p, sizeof(double));
}

static void scatter(const struct actio_entries *e, const double *value, const double *d, size_t N, size_t rows, bool both, double *out)
{
    memset(out, 0, rows * N * sizeof *out);
    for (size_t i = 0; i < e->count; i++) out[e->at[i].row * N + e->at[i].col] = value[i] * d[e->at[i].col] * (both ? d[e->at[i].row] : 1);
}

/* Units do not matter: G gets entries of about 1, by the sizes it has at the start (where it is zero there: at the first point where it is not).
 * Not by those of each point, which would hide an entry that vanishes. */
static void scale(struct survey *s, const double *G)
{
    size_t N = s->F->N;
    memset(s->w, 0, N * sizeof *s->w);
    for (size_t i = 0; i < s->F->G.count; i++) {
        double x = fabs(G[i]);
        if (x > s->w[s->F->G.at[i].row]) s->w[s->F->G.at[i].row] = x;
    }
    for (size_t i = 0; i < N; i++) {
        if (s->size[i] == 0) s->size[i] = s->w[i];
        s->d[i] = s->size[i] > 0 ? 1 / sqrt(s->size[i]) : 1;
    }
}

static void inertia_of(size_t n, double *a, double *w, int out[3], double *smallest)
{
    memset(out, 0, 3 * sizeof *out);
    *smallest = INFINITY;
    if (n == 0) return;
    actio_eigen_symmetric(n, a, w, NULL);
    for (size_t i = 0; i < n; i++) {
        out[w[i] > ZERO ? 0 : w[i] < -ZERO ? 1 : 2]++;
        *smallest = fmin(*smallest, fabs(w[i]));
    }
}

/* S = L G R' for the rows L, R of two bases. */
static void between(const struct survey *s, const double *L, const double *R, size_t r, double *S)
{
    size_t N = s->F->N;
    for (size_t b = 0; b < r; b++) {
        for (size_t i = 0; i < N; i++) s->w[i] = actio_dot(N, s->G + i * N, R + b * N);
        for (size_t a = 0; a < r; a++) S[a * r + b] = actio_dot(N, L + a * N, s->w);
    }
}

static bool all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static size_t basis_of(struct survey *s, const double *rows, double *basis)
{
    size_t N = s->F->N, p = s->F->p;
    if (p == 0) {
        memset(basis, 0, N * N * sizeof *basis);
        for (size_t i = 0; i < N; i++) basis[i * N + i] = 1;
        return 0;
    }
    memcpy(s->S, rows, p * N * sizeof *rows);
    return actio_row_bases(p, N, s->S, s->v->dependent, basis, s->work, s->iwork);
}

/* A z' = c: can the rows be met at all? */
static double defect_of(struct survey *s, const double *c)
{
    size_t N = s->F->N, p = s->F->p;
    double defect = 0, size = 0;
    if (p == 0) return 0;
    memcpy(s->S, s->A, p * N * sizeof *s->S);
    actio_min_norm(p, N, s->S, c, s->v->dependent, s->w, &defect, s->work, s->iwork);
    for (size_t k = 0; k < p; k++) size = fmax(size, fabs(c[k]));
    return defect / (1 + size);
}

/* How far the rows, each of length 1, are from dependent: their smallest singular value among the first `rank`. */
static double spread_of(struct survey *s, size_t rank)
{
    size_t N = s->F->N, p = s->F->p;
    if (p == 0 || rank == 0) return 1;
    for (size_t k = 0; k < p; k++) {
        double size = actio_norm(N, s->A + k * N);
        for (size_t i = 0; i < N; i++) s->S[k * N + i] = size > 0 ? s->A[k * N + i] / size : 0;
    }
    actio_svd(p, N, s->S, s->w, NULL, NULL, s->wide);
    return s->w[rank - 1] / (s->w[0] > 0 ? s->w[0] : 1);
}

static struct actio_look look_at(struct survey *s, double t, const double *y)
{
    struct actio_formation *F = s->F;
    size_t N = F->N, p = F->p, n = F->n;
    struct actio_look l = { .smallest = INFINITY };
    actio_poll(F->sys.ctx);
    s->M.t = t;
    memcpy(s->M.y, y, s->M.ny * sizeof *y);
    const double *G = actio_probe_at(&s->matrix), *A = G + F->G.count, *D = A + F->A.count, *c = D + F->D.count + N;
    l.ok = all_finite(G, F->G.count + F->A.count + F->D.count + N + p);
    if (!l.ok) return l;
    scale(s, G);
    scatter(&F->G, G, s->d, N, N, true, s->G);
    scatter(&F->A, A, s->d, N, p, false, s->A);
    scatter(&F->D, D, s->d, N, p, false, s->D);
    for (size_t k = 0; k < p; k++) s->row_size[k] = fmax(s->row_size[k], actio_norm(N, s->A + k * N));
    for (size_t i = 0; i < n; i++) memcpy(s->S + i * n, s->G + i * N, n * sizeof *s->S);
    double unused;
    inertia_of(n, s->S, s->w, l.inertia, &unused);
    l.defect = defect_of(s, c);
    l.rank = basis_of(s, s->A, s->Z);
    l.rank_D = basis_of(s, s->D, s->ZD);
    size_t r = N - l.rank;
    if (l.rank != l.rank_D) { l.smallest = 0; return l; }
    bool symmetric = F->sys.symmetric;
    between(s, (symmetric ? s->Z : s->ZD) + l.rank * N, s->Z + l.rank * N, r, s->S);
    if (symmetric) {
        inertia_of(r, s->S, s->w, l.kernel_inertia, &l.smallest);
        for (size_t i = 0; i < r; i++) l.minus += s->w[i] < 0, l.largest = fmax(l.largest, fabs(s->w[i]));
    }
    else if (r) {
        actio_svd(r, r, s->S, s->w, NULL, NULL, s->work);
        l.smallest = s->w[r - 1];
        l.kernel_inertia[l.smallest > ZERO ? 0 : 2] = (int)r;
    }
    return l;
}

static bool same_look(const struct actio_look *a, const struct actio_look *b)
{
    return a->rank == b->rank && a->minus == b->minus;
}

/* ---- points */

static double uniform(struct survey *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->seed >> 11) * 0x1p-53;
}

static void keep_point(struct survey *s, double t, const double *y)
{
    size_t ny = s->M.ny;
    s->points.t[s->points.count] = t;
    memcpy(s->points.y + ny * s->points.count++, y, ny * sizeof *y);
}

static void random_point(struct survey *s, double spread, double *y)
{
    for (size_t i = 0; i < s->M.ny; i++) {
        double middle = s->y0[i], low = s->box->low[i], high = s->box->high[i];
        double x = low + (high - low) * uniform(s);
        y[i] = middle + spread * (x - middle);
    }
}

/* Newton can run to infinity, where whatever is missing is rounding beside the terms: no state. */
static bool reach(struct survey *s, double t, double *y)
{
    size_t rank, worst;
    actio_poll(s->F->sys.ctx);
    if (!actio_manifold_reach(&s->M, t, y, &rank, &worst)) return false;
    for (size_t i = 0; i < s->M.ny; i++)
        if (!(fabs(y[i]) <= 1e6 * (1 + fabs(s->box->low[i]) + fabs(s->box->high[i])))) return false;
    return true;
}

static void try_point(struct survey *s, double t, double *y)
{
    bool reached = reach(s, t, y);
    if (t != s->t0) s->later++, s->later_reached += reached;
    if (reached && s->points.count < MOST_POINTS) keep_point(s, t, y);
}

/* States of the motion, then random ones near the start, then all over the box and the interval of time; those that Newton brings onto
 * the manifold count. */
static void collect_points(struct survey *s)
{
    size_t ny = s->M.ny;
    double *y = actio_form_array(s->F, ny, sizeof *y);
    s->points = (struct actio_sampled){ &s->M, actio_form_array(s->F, MOST_POINTS * ny, sizeof(double)), actio_form_array(s->F, MOST_POINTS, sizeof(double)), 0 };
    for (size_t i = 1; i < s->box->seeds && !s->rheonomic; i += 1 + s->box->seeds / 8) {
        memcpy(y, s->box->seed + i * ny, ny * sizeof *y);
        try_point(s, s->t0, y);
    }
    for (int i = 0; i < NEAR + FAR; i++) {
        if (i == NEAR) s->near = s->points.count;
        random_point(s, i < NEAR ? 0.003 * (i + 1) : 0.1 + 0.9 * (i - NEAR) / FAR, y);
        try_point(s, s->rheonomic && i >= NEAR ? s->t0 + (s->box->t1 - s->t0) * uniform(s) : s->t0, y);
    }
}

static bool uses_time(struct survey *s)
{
    for (size_t i = 0; i < s->M.count; i++)
        if (actio_uses_symbol(&s->F->pool, s->M.c[i], s->F->time)) return true;
    return false;
}

/* ---- where rank or inertia change: scans along one component at a time, the others as at the start, then on the way to the samples */

static bool scanned_point(struct survey *s, size_t i, double x, double *y)
{
    memcpy(y, s->y0, s->M.ny * sizeof *y);
    if (s->to)
        for (size_t k = 0; k < s->M.ny; k++) y[k] += x * (s->to[k] - y[k]);
    else y[i] = x;
    if (!reach(s, s->t0, y)) return false;
    return s->to || fabs(y[i] - x) <= 1e-6 * (1 + fabs(x));         /* the component stayed where it was put */
}

static void note_place(struct survey *s, const double *y, const char *what)
{
    struct actio_verdict *v = s->v;
    if (v->singulars == MOST_PLACES) return;
    double *kept = actio_form_array(s->F, s->M.ny, sizeof *kept);
    memcpy(kept, y, s->M.ny * sizeof *y);
    v->singular_at[v->singulars++] = (struct actio_place){ s->t0, kept, what };
}

/* Between two values of component i with different looks: the place of change, unless it is a pole. */
static void bisect(struct survey *s, size_t i, double a, double b, struct actio_look la)
{
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y);
    struct actio_look l = la;
    for (int k = 0; k < 200 && fabs(b - a) > 4e-16 * (fabs(a) + fabs(b)); k++) {
        double x = 0.5 * (a + b);
        if (x == a || x == b) break;
        if (!scanned_point(s, i, x, y)) return;
        l = look_at(s, s->t0, y);
        if (!l.ok) return;
        if (same_look(&l, &la)) a = x; else b = x;
    }
    if (!scanned_point(s, i, 0.5 * (a + b), y)) return;
    l = look_at(s, s->t0, y);
    bool rank = l.rank < s->generic.rank, weak = l.ok && l.smallest < 1e-11 && l.largest < 1e4 * fmax(1, s->start.largest);   /* else a pole */
    if (!rank && weak) note_place(s, y, "the kinetic energy degenerates on the constraints");
}

/* The rows' spread at a value of component i; 1 where there is no such state. */
static double spread_at(struct survey *s, size_t i, double x, double *y)
{
    if (!scanned_point(s, i, x, y) || !look_at(s, s->t0, y).ok) return 1;
    return spread_of(s, s->generic.rank);
}

/* A smallest value between a and b by golden sections: rows that become dependent at one state only. */
static void narrow(struct survey *s, size_t i, double a, double b)
{
    const double golden = 0.3819660112501051;
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y), x = a + golden * (b - a), z = b - golden * (b - a);
    double fx = spread_at(s, i, x, y), fz = spread_at(s, i, z, y);
    for (int k = 0; k < 90 && b - a > 1e-15 * (fabs(a) + fabs(b)); k++) {
        if (fx < fz) b = z, z = x, fz = fx, x = a + golden * (b - a), fx = spread_at(s, i, x, y);
        else a = x, x = z, fx = fz, z = b - golden * (b - a), fz = spread_at(s, i, z, y);
    }
    if (fmin(fx, fz) < s->v->dependent && scanned_point(s, i, fx < fz ? x : z, y)) note_place(s, y, "the rows of the constraints become dependent");
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of component i to look at: even over the box, and closing in on the start and on 0, where formulas have their poles. */
static size_t values_of(const struct survey *s, size_t i, double *x)
{
    bool large = s->F->N + s->F->p > 40;
    double low = s->box->low[i], high = s->box->high[i], start = s->y0[i], range = high - low;
    size_t n = 0;
    int points = large ? SCAN / 3 : SCAN;
    for (int k = 0; k <= points; k++) x[n++] = low + range * (k + 0.7310585786e-4) / points;      /* off round numbers */
    for (int k = 2; k <= 8 && !large; k++)
        for (int side = -1; side <= 1; side += 2) {
            x[n++] = start + side * range * ldexp(0.9732, -k);
            x[n++] = side * fmax(fabs(low), fabs(high)) * ldexp(0.9631, -k);
        }
    qsort(x, n, sizeof *x, ascending);
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (x[k] >= low && x[k] <= high) x[kept++] = x[k];
    return kept;
}

static void scan(struct survey *s, size_t i)
{
    double x[SCAN + 1 + 4 * 8], *y = actio_form_array(s->F, s->M.ny, sizeof *y), spread[3] = { 1, 1, 1 };
    struct actio_look before = { 0 };
    bool have = false;
    size_t count = values_of(s, i, x);
    for (size_t k = 0; k < count; k++) {
        bool on = scanned_point(s, i, x[k], y);
        struct actio_look l = on ? look_at(s, s->t0, y) : (struct actio_look){ 0 };
        if (on && l.ok && have && !same_look(&l, &before)) bisect(s, i, x[k - 1], x[k], before);
        spread[0] = spread[1], spread[1] = spread[2], spread[2] = on && l.ok ? spread_of(s, s->generic.rank) : 1;
        if (k > 1 && spread[1] < spread[0] && spread[1] < spread[2] && spread[1] < 0.5) narrow(s, i, x[k - 2], x[k]);
        have = on && l.ok;
        before = l;
    }
}

/* Along the axes nothing was found, and yet a sampled state is of another kind than the start: then the change lies between the two. */
static void scan_to_samples(struct survey *s)
{
    for (size_t i = 0; i < s->points.count && s->v->singulars == 0 && s->start.ok; i++) {
        if (s->points.t[i] != s->t0) continue;
        s->to = s->points.y + i * s->M.ny;
        struct actio_look l = look_at(s, s->t0, s->to);
        if (l.ok && !same_look(&l, &s->start)) bisect(s, 0, 0, 1, s->start);
    }
    s->to = NULL;
}

/* ---- the word */

/* Rows whose gradient is (nearly) zero at every point of their own zero set: (x' - y z')^2 = 0. */
static void find_vanishing(struct survey *s)
{
    struct actio_formation *F = s->F;
    double *largest = actio_form_array(F, F->p, sizeof *largest), *y = actio_form_array(F, s->M.ny, sizeof *y);
    s->v->vanishing = actio_form_array(F, F->p, sizeof *s->v->vanishing);
    for (size_t i = 0; i < s->points.count; i++) {
        look_at(s, s->points.t[i], s->points.y + i * s->M.ny);
        for (size_t k = 0; k < F->p; k++) largest[k] = fmax(largest[k], actio_norm(F->N, s->A + k * F->N));
    }
    for (int i = 0; i < 12; i++) {                         /* the same rows away from the manifold, not farther than the model is large */
        random_point(s, 0.5, y);
        for (size_t k = 0; k < s->M.ny; k++) y[k] = s->y0[k] + s->M.unit[k >= F->n] * (y[k] - s->y0[k]);
        look_at(s, s->t0, y);
    }
    for (uint32_t k = 0; k < F->p && s->points.count; k++)
        if (largest[k] < 1e-3 * s->row_size[k]) s->v->vanishing[s->v->vanishings++] = k;
}

/* What points of the manifold look like away from special states: highest rank, then the least degenerate. Only such points are kept.
 * Those near the start decide: farther ones can lie on another part of it (the rigid chair of cyclohexane, whose boat is a mechanism). */
static void find_generic(struct survey *s)
{
    size_t ny = s->M.ny, kept = 0, deciding = s->near >= NEAR / 2 ? s->near : s->points.count;
    s->generic = s->start;
    for (size_t i = 0; i < deciding; i++) {
        struct actio_look l = look_at(s, s->points.t[i], s->points.y + i * ny);
        if (l.ok && (!s->generic.ok || l.rank > s->generic.rank || (l.rank == s->generic.rank && l.smallest > s->generic.smallest))) s->generic = l;
    }
    double defect = s->start.ok && s->start.rank == s->generic.rank ? s->start.defect : 0;
    for (size_t i = 0; i < s->points.count; i++) {
        double *y = s->points.y + i * ny;
        struct actio_look l = look_at(s, s->points.t[i], y);
        if (!l.ok || l.rank != s->generic.rank || (l.smallest <= ZERO && s->generic.smallest > ZERO)) continue;
        defect = fmax(defect, l.defect);
        memmove(s->points.y + kept * ny, y, ny * sizeof *y);
        s->points.t[kept++] = s->points.t[i];
    }
    s->points.count = kept;
    s->generic.defect = defect;
}

static long naive_count(const struct survey *s) { return (long)s->M.ny - (long)(s->F->sys.holonomic + s->F->sys.levels); }

static void count_data(struct survey *s)
{
    size_t rank = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        size_t r = actio_manifold_rank(&s->M, s->points.t[i], s->points.y + i * s->M.ny);
        if (r > rank) rank = r;
    }
    s->v->free_data = s->M.ny - rank;
    s->v->naive_free_data = naive_count(s);
}

/* Constraints that no state satisfies together: leave out what is not needed for the contradiction. */
static void find_contradiction(struct survey *s)
{
    struct actio_verdict *v = s->v;
    struct actio_formation *F = s->F;
    size_t all = s->M.count, kept = all;
    actio_expr *c = actio_form_array(F, all, sizeof *c);
    uint32_t *id = actio_form_array(F, all, sizeof *id), *set = actio_form_array(F, all, sizeof *set);
    double *y = actio_form_array(F, s->M.ny, sizeof *y);
    for (uint32_t i = 0; i < all; i++) c[i] = s->M.c[i], id[i] = i;
    for (size_t i = all; i-- > 0;) {
        s->M.count = 0;
        for (size_t j = 0; j < kept; j++)
            if (j != i) actio_manifold_add(&s->M, c[j]);
        actio_manifold_ready(&s->M);
        bool reached = false;
        for (int tries = 0; tries < 12 && !reached; tries++) {
            random_point(s, tries ? 0.1 * tries : 0, y);
            reached = reach(s, s->at, y);
        }
        if (reached) continue;
        memmove(c + i, c + i + 1, (kept - i - 1) * sizeof *c);
        memmove(id + i, id + i + 1, (kept - i - 1) * sizeof *id);
        kept--;
    }
    bool positions = true;
    size_t count = 0;
    for (size_t j = 0; j < kept; j++) {
        bool position = id[j] < F->sys.holonomic;
        positions = positions && position;
        uint32_t k = position ? F->sys.position_row[id[j]] : F->sys.velocity_row[id[j] - F->sys.holonomic];
        bool known = false;
        for (size_t i = 0; i < count; i++) known = known || set[i] == k;
        if (!known) set[count++] = k;
    }
    v->contradiction = positions ? "positions" : "velocities";
    v->contradictory = actio_form_array(F, 1, sizeof *v->contradictory);
    v->contradictory[v->contradictories++] = (struct actio_relation){ set, count, "", false };
}

/* The rows that depend on each other at the start; those that do everywhere are kept apart. */
static void name_start_rows(struct survey *s)
{
    struct actio_verdict *v = s->v, kept = *v;
    struct actio_sampled start = { &s->M, (double *)s->y0, &s->t0, 1 };
    v->redundants = 0;
    actio_find_relations(v, &start, &s->matrix);
    if (v->redundants) kept.start_relation = v->redundant[v->redundants - 1];
    *v = kept;
}

static void decide(struct survey *s)
{
    struct actio_verdict *v = s->v;
    size_t p = s->F->p;
    v->rank = s->generic.rank, v->start_rank = s->start.rank;
    memcpy(v->inertia, s->start.ok ? s->start.inertia : s->generic.inertia, sizeof v->inertia);
    memcpy(v->kernel_inertia, s->generic.kernel_inertia, sizeof v->kernel_inertia);
    v->regular = s->start.ok && s->start.rank == p && s->start.rank_D == p && s->start.smallest > ZERO;
    v->condition = s->start.smallest > 0 ? 1 / s->start.smallest : INFINITY;
    if (s->generic.rank < p) actio_find_relations(v, &s->points, &s->matrix);
    bool rows_disagree = s->generic.defect > 1e-7 && s->generic.rank < p;      /* never (x' = 0, x' = 1) or only off a smaller manifold (x = 0, x' = z) */
    if (rows_disagree) {
        actio_close(v, &s->points);
        if (v->contradiction || v->too_large || v->hiddens == 0) {
            v->word = ACTIO_VERDICT_contradictory;
            v->contradiction = "accelerations";
            v->contradictory = v->redundant, v->contradictories = v->redundants;
        } else v->word = v->undetermineds ? ACTIO_VERDICT_undetermined : ACTIO_VERDICT_hidden;
        return;
    }
    if (v->vanishings) { v->word = ACTIO_VERDICT_singular; return; }
    if (s->generic.smallest <= ZERO || s->generic.rank != s->generic.rank_D) {
        actio_close(v, &s->points);
        if (v->contradiction) v->word = ACTIO_VERDICT_contradictory;
        else if (v->undetermineds) v->word = ACTIO_VERDICT_undetermined;
        else v->word = v->hiddens || v->too_large ? ACTIO_VERDICT_hidden : ACTIO_VERDICT_redundant;   /* only multipliers are not settled */
        return;
    }
    bool start_singular = s->start.ok && (s->start.rank < s->generic.rank || s->start.smallest <= ZERO);
    v->word = start_singular ? ACTIO_VERDICT_singular : s->generic.rank < p ? ACTIO_VERDICT_redundant : ACTIO_VERDICT_regular;
    if (start_singular) note_place(s, s->y0, "the start");
    if (start_singular && s->start.rank < s->generic.rank) name_start_rows(s);
}

struct actio_verdict *actio_survey(struct actio_formation *F, const double *param, double t0, const double *y0, const struct actio_box *box)
{
    struct actio_verdict *v = actio_form_array(F, 1, sizeof *v);
    struct survey s = { .v = v, .F = F, .t0 = t0, .box = box, .seed = 0x9E3779B97F4A7C15u };
    double *start = actio_form_array(F, F->n + F->N, sizeof *start);
    v->F = F;
    v->dependent = DEPENDENT;
    for (size_t i = 0; i < F->F.count; i++)
        if (actio_level_of(&F->pool, F->F.at[i].e) == ACTIO_LV_LANE) v->dependent = TOUCHING;
    v->singular_at = actio_form_array(F, MOST_PLACES, sizeof *v->singular_at);
    memcpy(start, y0, (F->n + F->N) * sizeof *start);
    s.y0 = start;
    actio_manifold_open(&s.M, F, param, box->in_use);
    actio_manifold_start_at(&s.M, t0, y0);
    actio_expr *list = actio_form_array(F, F->G.count + F->A.count + F->D.count + F->N + F->p, sizeof *list);
    size_t count = actio_list_matrix(F, list);
    s.matrix = actio_probe_open(&s.M, list, count);
    open_scratch(&s);
    bool reached = reach(&s, t0, start);
    if (!reached) memcpy(start, y0, s.M.ny * sizeof *start);
    s.rheonomic = box->t1 != t0 && uses_time(&s);
    collect_points(&s);
    v->samples = s.points.count;
    bool never_later = s.later >= 8 && s.later_reached == 0;
    s.at = never_later ? 0.5 * (t0 + box->t1) : t0;
    if ((!reached && s.points.count == 0) || never_later) {
        v->word = ACTIO_VERDICT_contradictory;
        s.start = look_at(&s, t0, start);                  /* of no state, but what the model says there */
        v->rank = s.start.rank;
        memcpy(v->inertia, s.start.inertia, sizeof v->inertia);
        v->naive_free_data = naive_count(&s);
        find_contradiction(&s);
    } else {
        if (!reached) memcpy(start, s.points.y, s.M.ny * sizeof *start);
        s.start = look_at(&s, t0, start);
        if (s.start.ok && s.start.inertia[1]) actio_find_negative(v, s.matrix.value);
        find_generic(&s);
        find_vanishing(&s);
        count_data(&s);
        decide(&s);
        size_t most = F->N + F->p > 40 ? MOST_SCANNED / 4 : MOST_SCANNED;
        if (F->p && v->word != ACTIO_VERDICT_contradictory) {
            v->integrability = actio_integrability_of(v, &s.points);
            actio_find_power(v, &s.points);
        }
        for (size_t i = 0; i < s.M.ny && i < most && v->word >= ACTIO_VERDICT_redundant; i++) scan(&s, i);
        if (v->word >= ACTIO_VERDICT_redundant) scan_to_samples(&s);
    }
    actio_probe_close(&s.matrix);
    actio_manifold_close(&s.M);
    return v;
}
